"use strict";
/* What a page does with JavaScript: a switch between light and dark, buttons that
   copy code, a search. Without it everything else is there. */

const root = document.documentElement;
const here = document.currentScript.src.replace("site.js", "");

/* ---- light and dark: as the system, or as the reader said last ------------- */

const system = matchMedia("(prefers-color-scheme: dark)");
let said = null;
try { said = localStorage.getItem("theme"); } catch (error) { /* no storage here */ }
const isDark = () => said ? said === "dark" : system.matches;

function setTheme(theme) {
    said = theme;
    root.classList.toggle("dark-mode", theme === "dark");
    root.classList.toggle("light-mode", theme === "light");
    const button = document.getElementById("theme");
    if (button)
        button.textContent = isDark() ? "Light" : "Dark";
}
setTheme(said);
root.classList.toggle("inside", self !== top); // an explorer in a lesson

function switchTheme() {
    setTheme(isDark() ? "light" : "dark");
    try { localStorage.setItem("theme", said); } catch (error) { /* for this page */ }
}

/* ---- code ------------------------------------------------------------------ */

/** Copy the text of a block of code, without the numbers of its lines. */
function copy(button, code) {
    const lines = [...code.querySelectorAll(".line")].map(line =>
        [...line.childNodes].filter(node => !(node.classList
            && node.classList.contains("lineno"))).map(node => node.textContent).join(""));
    const text = lines.length ? lines.join("\n") : code.innerText;
    navigator.clipboard.writeText(text).then(() => {
        button.textContent = "Copied";
        setTimeout(() => button.textContent = "Copy", 1500);
    });
}

function addCopy(code) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.onclick = () => copy(button, code);
    const box = document.createElement("div");
    box.className = "with-copy";
    code.replaceWith(box);
    box.append(code, button);
}

/** What scrolls can be reached with a keyboard. */
function reachable() {
    for (const box of document.querySelectorAll("#text .fragment, #text table, figure"))
        if (box.scrollWidth > box.clientWidth)
            box.tabIndex = 0;
        else
            box.removeAttribute("tabindex");
}

/* ---- the search, which is loaded by the one who wants it -------------------- */

function loadSearch() {
    for (const name of ["search-index.js", "search.js"])
        if (!document.querySelector(`script[src="${here}${name}"]`)) {
            const script = document.createElement("script");
            script.src = here + name;
            script.async = false;
            document.head.append(script);
        }
}

addEventListener("DOMContentLoaded", () => {
    setTheme(said);
    system.onchange = () => setTheme(said);
    const button = document.getElementById("theme"), field = document.getElementById("search");
    button.hidden = field.parentElement.hidden = false;
    button.onclick = switchTheme;
    field.addEventListener("focus", loadSearch, { once: true });
    addEventListener("keydown", event => {
        if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) {
            event.preventDefault();
            field.focus();
        }
    });
    document.querySelectorAll(".contents .fragment:not(.listing *)").forEach(addCopy);
    reachable();
    const current = document.querySelector("#menu [aria-current]");
    if (current && current.offsetTop > innerHeight / 2)
        document.getElementById("menu").scrollTop = current.offsetTop - innerHeight / 3;
});
addEventListener("resize", reachable);
document.addEventListener("toggle", reachable, true);
