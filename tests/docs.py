#!/usr/bin/env python3
"""The site builds without a warning, and every link of it leads somewhere.

Where Chromium and axe-core are (`make setup docs` brings it by npm; AXE names
its file elsewhere), each kind of page is opened, too: no violation of level
serious or critical in either theme, at 360 pixels nothing but code and tables is
wider than the page, at 1280 no table and no text of a picture is cut. The links
that leave the site are listed in build/docs/external.

A planted dead link must fail the build, so that this test can fail.
"""

import glob
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import tempfile
from typing import Dict, List, Set
from urllib.parse import unquote

from checks import close, expect, read, tally, write

import course
import machine

SITE = "build/docs/html"
CODE = ("code", "pre", "script", "style")
BOXES = ("details", "ol", "ul", "table", "figure")


def skip(what: str) -> None:
    """Count one test that this machine cannot run."""
    tally.skipped += 1
    print(f"skip: {what}")


def make_docs(folder: str = ".") -> subprocess.CompletedProcess:
    """Build the site of a repository."""
    return subprocess.run(["make", "-s", "docs"], cwd=folder, text=True,
                          capture_output=True)


class Page(html.parser.HTMLParser):
    """What a page says and where it points."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.names: List[str] = []  # the ids, as often as they occur
        self.links: List[str] = []
        self.settings: Set[str] = set()  # of an explorer: page.html#pitch=33
        self.beside: Dict[str, str] = {}  # prev and next
        self.numbers = 0  # of lines of code, each a link
        self.text: List[str] = []  # that is no code
        self.open: List[str] = []  # elements around it that may hold others
        self.crossed: List[int] = []  # lines where one ends in another
        self.code = 0  # elements around the text that are code
        self.feed(read(path))

    def handle_starttag(self, tag: str, attrs: list) -> None:
        has = dict(attrs)
        self.open += [tag] * (tag in BOXES)
        self.names += [has["id"]] if has.get("id") else []
        if tag == "a" and has.get("name"):
            self.names += [has["name"]] * (has["name"] not in self.names)
        if tag in ("input", "select") and has.get("name"):
            self.settings.add(has["name"])
        self.links += [has[key] for key in ("href", "src") if has.get(key)]
        if has.get("rel") in ("prev", "next"):
            self.beside[has["rel"]] = has["href"]
        self.numbers += has.get("class") == "lineno"
        self.code += tag in CODE or bool(self.code and tag == "div") \
            or has.get("class") == "fragment"

    def handle_endtag(self, tag: str) -> None:
        if tag in BOXES and (not self.open or self.open.pop() != tag):
            self.crossed.append(self.getpos()[0])
        self.code -= tag in CODE or bool(self.code and tag == "div")

    def handle_data(self, data: str) -> None:
        if not self.code:
            self.text.append(data)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        self.handle_starttag(tag, attrs)
        if tag in CODE or self.code and tag == "div":
            self.handle_endtag(tag)


def dead_links(pages: Dict[str, Page]) -> List[str]:
    """Return the links of the site that lead nowhere."""
    dead = []
    outside: Set[str] = set()
    for name, page in pages.items():
        for link in page.links:
            if re.match(r"(https?|mailto):", link):
                outside.add(link)
                continue
            if re.match(r"(data|javascript):", link) or link.startswith("$"):
                continue
            to, _, part = unquote(link).partition("#")
            to = os.path.normpath(
                os.path.join(os.path.dirname(name), to)) if to else name
            if not os.path.exists(os.path.join(SITE, to)):
                dead.append(f"{name}: {link}")
            elif part and to in pages and part not in pages[to].names:
                # An explorer takes a setting instead of a place.
                wanted = set(re.findall(r"(\w+)=\d", part))
                if wanted and wanted <= pages[to].settings:
                    continue
                dead.append(f"{name}: {link}")
    with open("build/docs/external", "w", encoding="utf-8") as file:
        file.writelines(f"{link}\n" for link in sorted(outside))
    return dead


def check_links(pages: Dict[str, Page]) -> None:
    """No dead link, no name twice, no path of this machine."""
    for link in dead_links(pages):
        expect(f"the link leads somewhere: {link}", False)
    expect("there are links", sum(len(p.links) for p in pages.values()) > 1000)
    for name, page in pages.items():
        twice = {x for x in page.names if page.names.count(x) > 1} \
            if not name.endswith("_source.html") else set()
        expect(f"{name}: ids occur once, not {sorted(twice)}", not twice)
    root = os.getcwd().encode()
    for path in glob.glob(f"{SITE}/**", recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                expect(f"{path} has no path of this machine",
                       root not in file.read())


def check_chapters(pages: Dict[str, Page]) -> None:
    """Each chapter has its page, its program there, and its neighbours."""
    names = [f"chapter_{name}.html" for name in course.chapters()]
    for i, name in enumerate(names):
        if name not in pages:
            expect(f"{name} is there", False)
            continue
        wanted = {}
        if i > 0:
            wanted["prev"] = names[i - 1]
        if i + 1 < len(names):
            wanted["next"] = names[i + 1]
        expect(f"{name}: previous and next", pages[name].beside == wanted)
        lines = 0
        for source in course.sources(name[len("chapter_"):-len(".html")]):
            lines += len(read(source).rstrip("\n").split("\n"))
        expect(f"{name}: each line of the program has its number",
               pages[name].numbers >= lines)
        expect(f"{name}: the start page leads there",
               name in pages["index.html"].links)


def check_experiments(pages: Dict[str, Page]) -> None:
    """The page of experiments leads to each of them."""
    for path in glob.glob("docs/experiments/[a-z]*.md"):
        name = os.path.basename(path)[:-3] + ".html"
        expect(f"the page of experiments leads to {name}",
               name in pages["experiments.html"].links)


def check_text(pages: Dict[str, Page]) -> None:
    """Doxygen understood all Markdown: none is left in a text."""
    for path in glob.glob("build/docs/pages/*.md"):
        name = os.path.basename(path)[:-3] + ".html"
        if name in pages:
            left = [text.strip() for text in pages[name].text
                    if re.search(r"`|\*\*|\]\(|@ref|@html|<\w+>", text)]
            expect(f"{name}: no Markdown is left, as in {left[:3]}", not left)
            expect(f"{name}: no code shows an entity",
                   "&amp;quot;" not in read(f"{SITE}/{name}"))
            expect(f"{name}: elements end inside those around them, not at line "
                   f"{pages[name].crossed[:3]}", not pages[name].crossed)
            source = read(path)
            lists = re.findall(r"^[A-Za-z].*\n(?:\d+\.|[+*]) .*", source, re.M)
            expect(f"{name}: no list begins amid a sentence: {lists}", not lists)
            # Behind an odd number of backticks: a quote would begin in code.
            prose = re.sub("^ *```.*?^ *```$", "", source, flags=re.M | re.S)
            quotes = [match.group(1) for match in map(re.compile(
                "[^`]*(?:`[^`]*`[^`]*)*`[^`]*\n *(>.*)").match,
                prose.split("\n\n")) if match]
            expect(f"{name}: no line within code begins with >: {quotes}",
                   not quotes)
            expect(f"{name} has text", len("".join(pages[name].text)) > 400)


def check_search() -> None:
    """A word of the field finds its pages."""
    letters = re.findall(r'0: "(.*?)"', read(f"{SITE}/search/searchdata.js"))[0]
    for word, page in (("coalescing", "glossary.html#glossary_coalesced"),
                       ("coalescing", "explorers/coalescing.html"),
                       ("padding", "chapter_bank_conflict_padding.html"),
                       ("stream-K", "glossary.html#glossary_stream_k"),
                       ("long scoreboard", "how_to_read_a_profile.html#"),
                       ("swizzled", "chapter_bank_conflict_padding.html#"),
                       ("gemm_01", "chapter_gemm_01_naive.html")):
        coded = re.sub("[^a-z0-9]", lambda sign: f"_{ord(sign[0]):02x}",
                       word.lower())
        found = read(f"{SITE}/search/all_{letters.index(coded[0]):x}.js")
        expect(f"a search for {word} finds {page}", bool(
            re.search(rf"""\[["']{coded}.*\.\./{page}""", found)))


def check_glossary(pages: Dict[str, Page]) -> None:
    """Terms stand in order, each is used, and a page links none twice."""
    terms = re.findall(r"^\*\*(.+?)\*\*", read("docs/glossary.md"), re.M)
    expect("the glossary is in order", terms == sorted(terms, key=str.lower))
    text = read("docs/glossary.md")
    bar = re.findall(r"^\[\w\]\(#\w\).*", text, re.M)[0]
    expect("the glossary's bar has its letters", re.findall(r"\[(\w)\]", bar)
           == re.findall(r"^## (\w)$", text, re.M)
           == sorted({term[0].upper() for term in terms}))
    for entry in re.findall(r"^\*\*.+?\n\n", text + "\n", re.M | re.S):
        forms = re.match(r"\*\*([^*]+)\*\*(?: \(([^)]*)\))?", entry)
        to = re.search(r"^See \[.*?\]\((.*?)\)", entry, re.M)
        shown = to and read(os.path.join("docs", to.group(1)))
        expect(f"where {forms.group(1)} is seen it is said", any(
            word.lower() in (shown or "").lower() for word in
            [forms.group(1), *(forms.group(2) or "").split(", ")] if word))
    used = {name: [link.split("#")[1] for link in page.links
                   if link.startswith("glossary.html#glossary_")]
            for name, page in pages.items() if name != "glossary.html"}
    for name, links in used.items():
        expect(f"{name} links a term once", len(links) == len(set(links)))
        expect(f"{name} says what the terms mean", len(re.findall(
            r'href="glossary\.html#glossary_\w+" title="[^"]', read(f"{SITE}/{name}")))
            == len(links))
    everywhere = set().union(*used.values())
    for term in terms:
        name = "glossary_" + re.sub(r"\W", "_", term.lower())
        expect(f"a page uses {term}", name in everywhere)


def look(pages: List[str]) -> List[str]:
    """Open pages in Chromium and return what axe-core and a phone find."""
    chromium = next(filter(None, map(shutil.which, (
        "chromium", "chromium-browser", "google-chrome"))), None)
    axe = os.environ.get("AXE", "node_modules/axe-core/axe.min.js")
    for there, what in ((chromium, "Chromium"), (
            os.path.exists(axe), "axe-core (make setup docs)")):
        if not there:
            skip(f"accessibility and phones: no {what}")
            return []
    script = json.dumps(read(axe)).replace("</", "<\\/")
    page = read("tests/docs.html").replace(
        "<script>", f"<script>const AXE = {script}, "
        f"PAGES = {json.dumps([f'file://{p}' for p in pages])};", 1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "look.html")
        write(path, page)
        # The frame shows files, which the page may look into only this way.
        done = subprocess.run(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-web-security", f"--user-data-dir={folder}/profile",
             "--window-size=1400,1000", "--virtual-time-budget=1000000000",
             "--dump-dom", f"file://{path}"], text=True, capture_output=True,
            timeout=600)
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    opened = re.search(r'<p id="done">(\d+)</p>', done.stdout)
    expect("Chromium opened every page",
           bool(opened) and int(opened.group(1)) == len(pages))
    return html.unescape(found.group(1)).splitlines() if found else []


def check_looks(pages: Dict[str, Page]) -> None:
    """No page of ours is hard to reach, to read, or wider than a phone."""
    # One of each kind that Doxygen makes, all of those that we write.
    kinds = {"files.html", "globals.html", "gemm_8h.html",
             "gemm_8h_source.html", "structgemm__problem.html"}
    ours = [os.path.basename(path)[:-3] + ".html"
            for path in glob.glob("build/docs/pages/*.md")]
    explorers = [name for name in pages if name.startswith("explorers/")]
    for name in explorers:
        expect(f"the start page leads to {name}",
               name in pages["index.html"].links)
        expect(f"{name} leads back", "../index.html" in pages[name].links)
    names = sorted(kinds | set(ours) - {"pages.html"} | set(explorers))
    root = os.path.abspath(SITE)
    for line in look([os.path.join(root, name) for name in names
                      if name in pages]):
        expect(line.replace(f"file://{root}/", ""), False)
    with tempfile.TemporaryDirectory() as folder:  # it can fail
        path = os.path.join(folder, "bad.html")
        write(path, "<!DOCTYPE html><html lang=en><title>x</title>"
              "<p style='color:#ccc;width:500px'>pale and wide</p>"
              "<div class=contents><table style='display:block;width:50px'>"
              "<tbody style='display:block;overflow:auto'><td>"
              f"{'wide' * 40}</table></div><svg width=50 height=20>"
              "<text y=15>too long for it</text></svg><div id=presets>"
              "<button aria-pressed=false>never</button></div>")
        found = " ".join(look([path])) if not tally.skipped else ""
        for fault in ("color-contrast", "wide", "scrolls", "cuts", "never"):
            expect(f"a page with the fault {fault} is found",
                   bool(tally.skipped) or fault in found)


def check_planted() -> None:
    """A dead link in a page must fail the build, with its name."""
    with tempfile.TemporaryDirectory() as folder:
        for name in set(os.listdir(".")) - {"build", "CONTRIBUTING.md"}:
            os.symlink(os.path.abspath(name), os.path.join(folder, name))
        write(os.path.join(folder, "CONTRIBUTING.md"), read("CONTRIBUTING.md")
              + "\nSee [nothing](README.md#no-such-heading).\n")
        done = make_docs(folder)
        expect("a dead link fails the build", done.returncode == 2)
        expect(f"and is named:\n{done.stderr}", "no_such_heading" in done.stderr)


def main() -> int:
    """Build the site and look at it."""
    missing = machine.answer("sh", "tools/setup.sh", "--missing", "docs")
    if missing.strip():
        skip(f"{missing.strip()}: not here (make setup docs)")
        return close()
    done = make_docs()
    expect("make docs, without a warning", done.returncode == 0
           and not done.stderr, done.stderr)
    if done.returncode == 0:
        pages = {os.path.relpath(path, SITE): Page(path)
                 for path in glob.glob(f"{SITE}/**/*.html", recursive=True)}
        check_links(pages)
        check_chapters(pages)
        check_experiments(pages)
        check_text(pages)
        check_search()
        check_glossary(pages)
        check_planted()
        check_looks(pages)
    return close()


if __name__ == "__main__":
    course.script(main)
