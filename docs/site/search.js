"use strict";
/* Looks through INDEX (search.py): names first, then headings, terms of the
   glossary and text. A page, a name, a term is one hit. */

const field = document.getElementById("search"), hits = document.getElementById("hits");

// Words that say nothing, and words that we have another for
const STOP = /^(a|an|and|can|do|does|how|i|in|is|it|my|of|on|the|to|what|when|where|which|why)$/;
const SAME = { install: "setup", start: "setup", launch: "run", execute: "run" };

const escaped = text => text.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);
/** What finds the beginning of a word. */
const beginning = word => new RegExp((/^[a-z0-9]/.test(word) ? "(?<![a-z0-9])" : "")
    + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
const alone = text => ` ${text.toLowerCase().replace(/\W+/g, " ")} `;

/** Names of the code: [rank, address, title, lines below]. */
function names(query) {
    return Object.entries(INDEX.names)
        .map(([name, places]) => [name.toLowerCase(), name, places])
        .filter(([key]) => key === query || query.length > 2 && key.startsWith(query))
        .map(([key, name, places]) => [key === query ? 0 : 3 + key.length / 100, places[0][0], name,
            places.map(([to, what]) => `<a href="${here}${to}">${escaped(what)}</a>`).join(" ")]);
}

/** Terms of the glossary, whichever form of one fits. */
function terms(query) {
    return INDEX.terms.filter(([, forms]) => forms.some(form => beginning(query).test(form)))
        .map(([to, forms, text]) => [forms.some(form => form.toLowerCase() === query) ? 1 : 2,
            to, forms[0], "Glossary: " + escaped(text)]);
}

/** The words around the first one that was looked for. */
function snippet(text, word) {
    const at = text.search(word), from = Math.max(0, at - 50), blank = text.indexOf(" ", from) + 1;
    const start = from && blank && blank <= at ? blank : from; // Chinese has no blanks
    const part = escaped(text.slice(start, start + 150)).replace(word, "<mark>$&</mark>");
    return word.test(text) ? (start ? "…" : "") + part + "…" : "";
}

/** Pages, each by the section that fits best. */
function pages(words) {
    const begins = words.map(beginning), best = new Map();
    const all = text => begins.every(one => one.test(text));
    for (const [to, page, heading, text] of INDEX.sections) {
        if (!all(`${page} ${heading} ${text}`))
            continue;
        const [rank, there] = all(page) && !heading ? [1.5, page]
            : all(heading) ? [2.5, heading] : all(text) ? [5, text] : [6, page + text];
        const fit = rank + !words.every(word => alone(there).includes(alone(word)));
        if (!(fit >= best.get(page)?.[0]))
            best.set(page, [fit, to, heading ? `${page}: ${heading}` : page, snippet(text, begins[0])]);
    }
    return [...best.values()];
}

/** Return the hits of a query, the best first; a title is there once. */
function find(said) {
    const query = said.trim().toLowerCase(), every = query.split(/\s+/);
    const words = every.filter(word => !STOP.test(word)).map(word => SAME[word] || word);
    if (query.length < 2)
        return [];
    const found = [...names(query), ...terms(query), ...pages(words.length ? words : every)];
    return found.sort((a, b) => a[0] - b[0])
        .filter((hit, i) => found.findIndex(other => other[2] === hit[2]) === i).slice(0, 25);
}

/** In how many letters two words differ. */
function distance(a, b) {
    let row = [...Array(b.length + 1).keys()];
    for (let i = 1; i <= a.length; i++)
        row = row.reduce((next, above, j) => [...next, j ? Math.min(above + 1, next[j - 1] + 1,
            row[j - 1] + (a[i - 1] !== b[j - 1])) : i], []);
    return row[b.length];
}

/** The term or name that was meant, if one is near. */
function meant(query) {
    const known = [...INDEX.terms.flatMap(([, forms]) => forms), ...Object.keys(INDEX.names)];
    return known.filter(word => Math.abs(word.length - query.length) < 3)
        .map(word => [distance(word.toLowerCase(), query), word])
        .sort((a, b) => a[0] - b[0]).find(([far]) => far <= query.length / 4)?.[1];
}

function showHits() {
    const said = field.value.trim(), near = said.length > 3 && !find(said).length && meant(said.toLowerCase());
    const found = find(near || said);
    hits.innerHTML = said.length < 2 ? "" : (near ? `<p>Nothing found; this is of ${escaped(near)}:</p>` : "")
        + (found.length ? "<ul>" + found.map(([, to, title, below]) => `<li><a href="${here}${to}">`
            + `${escaped(title)}</a><p>${below}</p></li>`).join("") + "</ul>" : "<p>Nothing found.</p>");
}

field.addEventListener("input", showHits);
addEventListener("keydown", event => {
    const links = [field, ...hits.querySelectorAll("li > a")], now = links.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape")
        field.value = hits.innerHTML = "";
    if (event.key === "Enter" && now === 0)
        links[1]?.click();
    if (step && now >= 0) {
        event.preventDefault();
        links[now + step]?.focus();
    }
});
addEventListener("click", event => {
    if (!event.target.closest("search"))
        hits.innerHTML = "";
});
showHits();
