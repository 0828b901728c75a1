"use strict";
/* What a page does with JavaScript: a switch between light and dark, buttons that
   copy code, a search. Without it everything else is there. */

const root = document.documentElement;
const here = document.currentScript.src.replace("site.js", "");

/* ---- light and dark: as the system, or as the reader said last ------------- */

const setTheme = theme => root.style.colorScheme = theme;
try { setTheme(localStorage.getItem("theme")); } catch { /* no storage here */ }

function switchTheme() {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    setTheme((root.style.colorScheme || system) === "dark" ? "light" : "dark");
    try { localStorage.setItem("theme", root.style.colorScheme); } catch { /* for this page */ }
}

/* ---- code ------------------------------------------------------------------ */

/** A button that copies a block of code, without the numbers of its lines. */
function addCopy(code) {
    const button = document.createElement("button"), box = document.createElement("div");
    button.className = "copy";
    button.textContent = "Copy";
    button.onclick = () => {
        const text = code.cloneNode(true);
        text.querySelectorAll(".lineno").forEach(number => number.remove());
        navigator.clipboard.writeText(text.textContent).then(() => {
            button.textContent = "Copied";
            setTimeout(() => button.textContent = "Copy", 1500);
        });
    };
    box.className = "with-copy";
    code.replaceWith(box);
    box.append(code, button);
}

/** What scrolls can be reached with a keyboard. */
const reach = box => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight
    ? box.tabIndex = 0 : box.removeAttribute("tabindex");
const reachable = new ResizeObserver(boxes => boxes.forEach(({ target }) => reach(target)));

/* ---- explorers in a lesson: loaded when unfolded, as high as what they show -- */

root.classList.toggle("inside", self !== top);

document.addEventListener("toggle", ({ target }) => {
    for (const frame of target.querySelectorAll(":scope > iframe[data-src]")) {
        frame.src = frame.dataset.src;
        frame.removeAttribute("data-src");
    }
}, true);

addEventListener("message", ({ data, source }) => {
    for (const frame of document.querySelectorAll("iframe"))
        if (frame.contentWindow === source && data.height)
            frame.style.height = `${data.height}px`;
});

function standInside() {
    document.querySelectorAll("a").forEach(link => link.target = "_parent");
    new ResizeObserver(() => parent.postMessage({ height: document.body.offsetHeight }, "*"))
        .observe(document.body);
}

/* ---- the way about -------------------------------------------------------- */

/** Mark the heading that is read. */
function mark() {
    const links = [...document.querySelectorAll(".contents-of a")];
    const passed = links.filter(link =>
        document.getElementById(decodeURI(link.hash.slice(1))).getBoundingClientRect().top < innerHeight / 3);
    links.forEach(link => link.ariaCurrent = link === passed.at(-1) ? "true" : null);
}

/* ---- the search, which is loaded by the one who wants it -------------------- */

function loadSearch() {
    for (const name of ["lunr.min.js", "search-index.js", "search.js"]) {
        const script = document.createElement("script");
        script.src = here + name;
        script.async = false;
        document.head.append(script);
    }
}

addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme"), field = document.getElementById("search");
    button.hidden = field.parentElement.hidden = false;
    button.onclick = switchTheme;
    field.addEventListener("focus", loadSearch, { once: true });
    addEventListener("keydown", event => {
        if (/INPUT|SELECT|TEXTAREA/.test(event.target.tagName) || event.ctrlKey || event.metaKey)
            return;
        if (event.key === "/") {
            event.preventDefault();
            field.focus();
        }
        const rel = { n: "next", p: "prev" }[event.key];
        document.querySelector(`.beside [rel="${rel}"]`)?.click();
    });
    document.querySelectorAll(".contents .fragment:not(.listing *, .slide *)").forEach(addCopy);
    const boxes = document.querySelectorAll("#text .fragment, #text table, figure, #figure");
    boxes.forEach(box => reachable.observe(box)); // also those that are unfolded
    addEventListener("resize", () => boxes.forEach(reach));
    mark();
    fillSlides();
    if (self !== top)
        standInside();
    document.querySelector('#menu [aria-current="page"]')?.scrollIntoView({ block: "nearest" });
});
addEventListener("scroll", mark, { passive: true });

/* ---- slides: letters as large as there is room for ------------------------ */

function fillSlides() {
    let rest = [...document.querySelectorAll(".slide > div > div")];
    for (let size = 3.6; rest.length && size > 1; size -= 0.1) {
        rest.forEach(box => box.style.setProperty("--size", size));
        rest = rest.filter(box => box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth);
    }
}
