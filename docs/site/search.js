"use strict";
/* Looks through INDEX (search.py) by lunr, which knows stop words and the stems of words.
   A page, a name, a term is one hit. */

const field = document.getElementById("search"), hits = document.getElementById("hits");

// Words that we have another for
const SAME = { install: "setup", start: "setup", launch: "run", execute: "run" };

/** Words; a Chinese letter is one. */
const split = (text, metadata) => [text ?? ""].flat().flatMap(one =>
    [...one.toLowerCase().matchAll(/\p{Script=Han}|[^\s_\p{Script=Han}-]+/gu)].map(found =>
        new lunr.Token(found[0], { ...metadata, position: [found.index, found[0].length] })));
const trim = token => token.update(word => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ""));
lunr.Pipeline.registerFunction(trim, "trim");
const pipeline = new lunr.Pipeline();
pipeline.add(trim, lunr.stopWordFilter, lunr.stemmer);
const index = lunr(function () {
    this.tokenizer = split;
    this.pipeline = pipeline;
    this.ref("id");
    this.field("title", { boost: 10 });
    this.field("page", { boost: 3 });
    this.field("text");
    this.metadataWhitelist = ["position"];
    INDEX.forEach((one, id) => this.add({ ...one, title: one.forms ?? one.title, id }, one));
});

/** What has all words, in the way that a clause says. */
const ask = (words, clause) => index.query(query => words.forEach(word => {
    query.term(word, { usePipeline: false, boost: 3 });
    query.term(word, { usePipeline: false, presence: lunr.Query.presence.REQUIRED, ...clause(word) });
}));

/** The hits of a query, the best first; if none begins with its words, those that are near. */
function find(said) {
    const words = pipeline.run(split(said.replace(/\w+/g, word => SAME[word] ?? word))).map(String);
    if (!words.length)
        return [];
    const begins = ask(words, () => ({ wildcard: lunr.Query.wildcard.TRAILING }));
    const near = begins.length ? [] : ask(words, word => ({ editDistance: Math.floor(word.length / 4) }));
    return [...begins, ...near].map(({ ref, matchData: { metadata } }) => ({
        ...INDEX[ref], near: near.length > 0,
        position: Object.values(metadata).flatMap(fields => fields.text?.position ?? [])[0],
    })).filter((hit, i, all) => i === all.findIndex(other =>
        (other.page || other.title) === (hit.page || hit.title))).slice(0, 25);
}

const escaped = text => text.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);
const link = (to, words) => `<a href="${here}${to}">${escaped(words)}</a>`;

/** The words around the one that was found. */
function snippet(text, [at, length]) {
    const from = Math.max(at - 90, text.lastIndexOf(" ", Math.max(0, at - 50)) + 1), end = at + length;
    return (from ? "…" : "") + escaped(text.slice(from, at)) + `<mark>${escaped(text.slice(at, end))}</mark>`
        + escaped(text.slice(end, from + 150)) + "…";
}

/** A hit in the list: below a name are the places where it is used. */
function item({ to, page, title, places, about, text, position }) {
    const below = places ? places.map(place => link(...place)).join(" ")
        : about ? escaped(about) : position ? snippet(text, position) : "";
    return `<li>${link(to, page ? `${page}: ${title}` : title)}<p>${below}</p></li>`;
}

function showHits() {
    const said = field.value.trim(), found = said.length < 2 ? [] : find(said);
    hits.innerHTML = (found[0]?.near ? `<p>Nothing found; this is of ${escaped(found[0].title)}:</p>` : "")
        + (found.length ? `<ul>${found.map(item).join("")}</ul>` : said.length < 2 ? "" : "<p>Nothing found.</p>");
    hits.togglePopover(hits.innerHTML !== "");
}

field.addEventListener("input", showHits);
addEventListener("keydown", event => {
    const links = [field, ...hits.querySelectorAll("li > a")], now = links.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && now === 0)
        links[1]?.click();
    if (step && now >= 0) {
        event.preventDefault();
        links[now + step]?.focus();
    }
});
showHits();
