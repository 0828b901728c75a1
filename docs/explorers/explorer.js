"use strict";
/* What all explorers share. A page has inputs with names inside .settings, maybe
   several with one name; their values are the state. Buttons of #presets have a
   state in data-state; the address of the page ends with what differs from the
   first state: page.html#pitch=32&bytes=16. #view gets the parts of all pages:
   a verdict, a figure, over the legend that stands there, and stages and facts. */

const $ = id => document.getElementById(id);
const count = (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s");
const state = {}, first = {}, inputs = [...document.querySelectorAll(".settings [name], .settings [data-name]")];
for (const e of inputs) e.name ||= e.dataset.name; // a slider beside the field of its name
let timer, spoken, draw;
$("view").innerHTML = `<section id="verdict" aria-label="Result"><p id="number"></p><p id="formula"></p><p id="sentence"></p></section>
<section id="figure" aria-label="Picture"><div id="picture"></div>${$("view").innerHTML}</section>
<section id="parts" aria-label="Parts"><ul id="stages"></ul><dl id="facts"></dl></section>`;

/* ---- state --------------------------------------------------------------- */

/* A slider with data-fine takes one a step up to there, then coarse steps. */
const fine = e => +e.dataset.fine || 0;
function toSlider(e, value) {
  return !fine(e) || value <= fine(e) ? value
    : fine(e) + (value - fine(e)) * (e.max - fine(e)) / (e.dataset.most - fine(e));
}
function fromSlider(e) {
  return !fine(e) || +e.value <= fine(e) ? +e.value
    : Math.round(fine(e) + (e.value - fine(e)) * (e.dataset.most - fine(e)) / (e.max - fine(e)));
}

/** Set one number, within what the inputs of its name allow. */
function set(name, value) {
  if (!Number.isFinite(value)) value = first[name];
  const of = inputs.filter(e => e.name === name), field = of.find(e => e.type === "number");
  const options = of.flatMap(e => e.type === "radio" ? [+e.value] : [...(e.options || [])].map(o => +o.value));
  if (field) state[name] = Math.max(+field.min, Math.min(+field.max, Math.floor(value)));
  else if (options.includes(value) || !of.length) state[name] = value;
}

/** Let the inputs show the state, but not the one that is being typed in. */
function show(typed) {
  for (const e of inputs) {
    if (e === typed) continue;
    if (e.type === "radio") e.checked = +e.value === state[e.name];
    else e.value = e.type === "range" ? toSlider(e, state[e.name]) : state[e.name];
    if (e.type === "range") e.setAttribute("aria-valuetext", state[e.name]);
  }
  for (const b of $("presets").children)
    b.setAttribute("aria-pressed", Object.entries({ ...first, ...parse(b.dataset.state) }).every(([k, v]) => state[k] === v));
}

const parse = text => Object.fromEntries([...new URLSearchParams(text)].map(([k, v]) => [k, +v]));

/** Take the first state and these changes. */
function take(changes) {
  Object.assign(state, first);
  for (const [name, value] of Object.entries(changes)) if (name in first) set(name, value);
}

/** Take the state of a link, and say what of it cannot be. */
function follow(wanted) {
  take(wanted);
  update();
  $("notice").textContent = Object.entries(wanted).filter(([k, v]) => state[k] !== v)
    .map(([k, v]) => k in first ? `${k}=${v} cannot be: ${state[k]} is shown.` : `There is no ${k}.`).join(" ");
}

function update(typed) {
  draw();
  show(typed);
  const changed = Object.keys(first).filter(k => state[k] !== first[k]);
  const hash = changed.length ? "#" + changed.map(k => `${k}=${state[k]}`).join("&") : "";
  try { history.replaceState(null, "", location.pathname + location.search + hash); } catch (e) { /* some hosts refuse */ }
}

/* ---- text and pictures --------------------------------------------------- */

/** Speak when the reader pauses, not at every step of a slider. */
function say(words) {
  clearTimeout(timer);
  if (words !== spoken) timer = setTimeout(() => $("live").textContent = spoken = words, 500);
}

/** The big number, the line under it, the sentence. */
function verdict(number, unit, formula, sentence) {
  $("number").innerHTML = `${number}<small> ${unit}</small>`;
  $("formula").innerHTML = formula;
  $("sentence").textContent = sentence;
}

const bar = (share, letter = "", text = "", colour = "") =>
  `<div class="track"${colour && ` style="--bar:var(--${colour})"`}><b>${letter}</b><div class="bar"><div style="width:${100 * Math.min(1, share)}%"></div></div><span>${text}</span></div>`;
const stage = (name, value, limits, body) =>
  `<li${limits ? ' class="limit"' : ""}><div class="head"><span>${name}</span><span>${limits ? "the limit: " : ""}${value}</span></div>${body}</li>`;
const facts = list => list.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join("");

const rect = (cls, x, y, w, h) => `<rect class="${cls}" x="${x}" y="${y}" width="${w}" height="${h}"/>`;
const text = (t, x, y, cls = "", anchor = "start") => `<text class="${cls}" x="${x}" y="${y}" text-anchor="${anchor}">${t}</text>`;
const picture = (width, height, label, content) =>
  $("picture").innerHTML = `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${content}</svg>`;

/* ---- start --------------------------------------------------------------- */

/** The results of the module as an object: fields are [name, length] or a name. */
function unpack(memory, at, fields) {
  const words = new Uint32Array(memory.buffer), result = {};
  at /= 4;
  for (const field of fields) {
    const [name, length] = [field].flat();
    result[name] = length ? [...words.subarray(at, at + length)] : words[at];
    at += length || 1;
  }
  return result;
}

/** Take the inputs as they are and call begin, which returns the function that draws. */
function start(begin) {
  document.documentElement.classList.add("js");
  for (const e of inputs)
    if (e.type === "radio" ? e.checked : e.type !== "range") first[e.name] = +e.value;
  Object.assign(state, first);
  draw = begin();
  Object.assign(first, state);
  for (const e of inputs) {
    e.addEventListener("input", () => { // a field that is emptied: what stood there still holds
      if (e.value === "") return;
      set(e.name, e.type === "range" ? fromSlider(e) : +e.value);
      update(e);
    });
    if (e.type === "number") e.addEventListener("change", () => update());
  }
  for (const b of $("presets").children) b.onclick = () => { take(parse(b.dataset.state)); update(); };
  $("presets").insertAdjacentHTML("afterend", '<p id="notice" class="small" role="status"></p>');
  const link = () => follow(parse(location.hash.slice(1)));
  addEventListener("hashchange", link);
  addEventListener("resize", () => draw());
  link();
}

/** Start the module (base64), then call begin with what it exports. */
function explorer(module, begin) {
  document.documentElement.classList.add("js");
  WebAssembly.instantiate(Uint8Array.from(atob(module.trim()), c => c.charCodeAt(0)))
    .then(made => start(() => begin(made.instance.exports))).catch(e => { document.documentElement.classList.remove("js"); console.error(e); }); // the still picture stays
}
