// node tiles.mjs FOLDER RECORDS: the sizes of FOLDER/tiles.html, and the rules that
// a chapter states, against the chapters' own lines, which clang judges for 200
// settings; each element of a legal tile has one thread; and the default tiles
// against the records of runs.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder, records] = process.argv.slice(2);
let seed = 1, wrong = 0;
const random = n => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0, Math.floor(seed / 2 ** 32 * n));
const any = list => list[random(list.length)];
const expect = (ok, text) => ok || wrong++ > 9 || console.log("tiles: " + text);

const page = readFileSync(join(folder, "tiles.html"), "utf8");
const module = Buffer.from(page.match(/explorer\(`\s*([^`]+?)\s*`/)[1], "base64");
const wasm = (await WebAssembly.instantiate(module)).instance.exports;
const NAMES = ["BM", "BN", "BK", "TM", "TN"];
const CHOICES = Object.fromEntries(NAMES.map(name => [name, [...page.match(new RegExp(`<select id="${name}".*`))[0].matchAll(/<option[^>]*>(\d+)/g)].map(m => +m[1])]));

/** The lines of a chapter that say what its tiles are. */
const chapters = {};
for (const dir of readdirSync("chapters")) {
  const number = +(/^gemm_(\d+)/.exec(dir) || [])[1];
  if (!(number >= 5 && number <= 10)) continue;
  const lines = readFileSync(join("chapters", dir, dir + ".cu"), "utf8").split("\n"), numbers = {};
  const define = lines.filter(line => line.startsWith("#define"));
  for (const line of define) if (/^#define [BT][MNK] +\d/.test(line)) numbers[line.split(/\s+/)[1]] = +line.split(/\s+/)[2];
  if (number === 5) Object.assign(numbers, { BM: 16 * numbers.TM, BN: 16 * numbers.TN });
  const of = pattern => lines.filter(line => pattern.test(line)).map(line => line.replace(/ = .*|\/\/.*/, "").replace(/;?$/, ";")).join("\n");
  chapters[number] = { name: dir, define, numbers, rules: lines.filter(line => line.startsWith("static_assert")),
    shared: of(/^ *__shared__/), registers: of(/^ *float (sum|a_next|a\[2\]|a(?=\[TM))\[/) };
}

/** What the page says of a setting. */
function explore(number, setting) {
  const at = wasm.explore(number, ...NAMES.map(name => setting[name])), words = new Uint32Array(wasm.memory.buffer, at, 79), bytes = new Uint8Array(wasm.memory.buffer);
  const string = p => Buffer.from(bytes.subarray(p, bytes.indexOf(0, p))).toString();
  const rules = [...Array(words[1]).keys()].map(i => ({ condition: string(words[2 + 3 * i]), text: string(words[3 + 3 * i]), holds: !!words[4 + 3 * i] }));
  const [threads, brought, , , , registers, shared, blocks, , , , ffma, , requests, wavefronts] = words.slice(62);
  return { broken: words[0], rules, threads, brought, registers, shared, blocks, ffma, requests, wavefronts, owners: () => new Uint32Array(wasm.memory.buffer, at + 4 * 79, setting.BM * setting.BN) };
}

// 200 settings: each chapter's own with one, two or all numbers changed.
let source = "#define __shared__\n#define __align__(n)\n", legal = 0;
const cases = Array.from({ length: 200 }, (_, i) => {
  const number = 5 + i % 6, chapter = chapters[number], setting = { ...chapter.numbers };
  for (const name of i % 5 === 0 ? NAMES : [any(NAMES), any(NAMES)]) setting[name] = any(CHOICES[name]);
  const said = explore(number, setting);
  source += `namespace n${i} {\n` + chapter.define.map(line => { const name = line.split(/\s+/)[1]; return name === "EDGE" ? `#define EDGE ${setting.BK}` : name in setting ? `#define ${name} ${setting[name]}` : line; }).join("\n") + "\n";
  source += chapter.rules.map((line, r) => `#line ${1000 * (i + 1) + r}\n${line}\n`).join("");
  if (!said.broken) {
    legal++;
    const owners = said.owners(), each = new Uint32Array(said.threads);
    for (const thread of owners) each[thread]++;
    expect(each.every(n => n === setting.TM * setting.TN), `gemm_${number} ${JSON.stringify(setting)}: not every thread has its share`);
    source += `#line ${1000 * (i + 1) + 900}\nstruct shared { ${chapter.shared} }; struct registers { ${chapter.registers} };\n`
      + `static_assert(${number === 5 ? "EDGE * EDGE" : "THREADS"} == ${said.threads} && sizeof(shared) == ${said.shared} && sizeof(registers) == 4 * ${said.registers}, "");\n`;
  }
  source += `}\n` + chapter.define.map(line => line.split(/[\s(]+/)[1]).map(name => `#undef ${name}\n`).join("");
  return { number, setting, said };
});
const clang = process.env.CLANG || "clang-14";
const judged = spawnSync(clang, ["-x", "c++", "-std=c++17", "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-"], { input: source, maxBuffer: 1 << 26 });
const failed = new Set([...judged.stderr.toString().matchAll(/:(\d+):\d+: error: /g)].map(m => +m[1]));
expect(judged.status !== null && failed.size > 0, "clang judged nothing");
cases.forEach(({ number, setting, said }, i) => {
  const rules = chapters[number].rules;
  rules.forEach((line, r) => {
    const place = `gemm_${number} ${JSON.stringify(setting)}: ${line}`;
    const rule = said.rules.find(rule => line === `static_assert(${rule.condition}, "${rule.text}");`);
    expect(rule, `${place} is no rule of the page`);
    expect(rule?.holds === !failed.has(1000 * (i + 1) + r), `${place} ${rule?.holds ? "holds" : "does not hold"}, says the page`);
  });
  for (let line = 900; line < 903; line++) expect(!failed.has(1000 * (i + 1) + line), `gemm_${number} ${JSON.stringify(setting)}: other sizes than the page's`);
});
expect(legal >= 15 && legal <= 150, `${legal} of 200 settings are legal`);

// The runs of the chapters: their own tiles, counted.
let runs = 0;
for (const line of readFileSync(records, "utf8").trim().split("\n")) {
  const { chapter: name, counts, launch } = JSON.parse(line), number = +name.slice(5, 7), said = explore(number, chapters[number].numbers);
  const each = counts.ffma / 32 / said.ffma; // a warp's steps of k
  const counted = [launch.block[0] * launch.block[1], launch.shared_bytes, counts.shared_load_requests / each, counts.shared_load_wavefronts / each].map(Math.round);
  expect(String(counted) === String([said.threads, said.shared, said.requests, said.wavefronts]), `${name}: the run has ${counted}`);
  const preset = page.match(new RegExp(`data-state="([^"]*)">gemm_0?${number}<`))[1].replaceAll("&amp;", "&");
  const shown = { ...chapters[10].numbers, ...Object.fromEntries([...new URLSearchParams(preset)].map(([k, v]) => [k, +v])) };
  expect(NAMES.every(n => shown[n] === chapters[number].numbers[n]) && (shown.chapter || 10) === number, `the preset ${preset} is not ${name}`);
  runs++;
}
expect(runs === 6, `${runs} runs instead of 6`);
console.log(`tiles: 200 settings, ${legal} legal, ${runs} runs, ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
