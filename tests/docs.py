#!/usr/bin/env python3
"""The site builds without a warning, every link of it leads somewhere, every page
has its frame, and the search finds what one looks for.

Where Chromium, axe-core and html-validate are (`make setup docs` brings them by npm;
AXE names the file of axe-core elsewhere), pages are opened, too: at 360 pixels
nothing but code and tables is wider than the page, at 1280 no table and no text of a
picture is cut, and what is said of a program stands beside its lines. axe-core finds
nothing in one page of each kind, in either theme, at 390 and 1280 pixels. The links
that leave the site are listed in build/docs/external.

A planted dead link must fail the build, and planted faults of a frame its check, so
that these tests can fail.
"""

import glob
import html
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from typing import Dict, List, Optional, Set
from urllib.parse import unquote

from checks import close, expect, read, tally, write

import course
import machine

sys.path.insert(0, "docs/site")

import finish  # noqa: E402
import predict  # noqa: E402
import prepare  # noqa: E402

SITE = "build/docs/html"
AXE = os.environ.get("AXE", "node_modules/axe-core/axe.min.js")
CODE = ("code", "pre", "script", "style")
BOXES = ("details", "ol", "ul", "table", "figure")


FAULTS: Dict[str, List[str]] = {}  # of the pages that were looked at


def of_page(name: str, what: str, holds: bool, more: str = "") -> None:
    """Note what does not hold of a page. All of it is one test."""
    FAULTS.setdefault(name, []).extend([f"{what} {more}".rstrip()] * (not holds))


def close_pages() -> None:
    """Count the pages, each with all its faults."""
    for name, faults in FAULTS.items():
        expect(name, not faults, "\n".join(faults))


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
        self.text: List[str] = []  # that is no code
        self.open: List[str] = []  # elements around it that may hold others
        self.crossed: List[int] = []  # lines where one ends in another
        self.code = 0  # elements around the text that are code
        self.levels: List[int] = []  # of the headings
        self.mains = self.nodes = 0
        self.menu: List[str] = []  # the links of the site's navigation
        self.here: List[str] = []  # those of them that say where the reader is
        self.stops: List[str] = []  # links and buttons before the text
        self.scripts: List[str] = []
        self.in_menu = False
        self.feed(read(path))

    def handle_starttag(self, tag: str, attrs: list) -> None:
        has = dict(attrs)
        self.frame(tag, has)
        self.open += [tag] * (tag in BOXES)
        self.names += [has["id"]] if has.get("id") else []
        if tag == "a" and has.get("name"):
            self.names += [has["name"]] * (has["name"] not in self.names)
        if tag in ("input", "select") and has.get("name"):
            self.settings.add(has["name"])
        self.links += [has[key] for key in ("href", "src") if has.get(key)]
        if has.get("rel") in ("prev", "next"):
            self.beside[has["rel"]] = has["href"]
        self.code += tag in CODE or bool(self.code and tag == "div") \
            or has.get("class") == "fragment"

    def frame(self, tag: str, has: Dict[str, str]) -> None:
        """Note what the frame of a page is made of."""
        self.nodes += 1
        self.mains += tag == "main"
        if re.fullmatch(r"h\d", tag):
            self.levels.append(int(tag[1]))
        if tag == "nav":
            self.in_menu = has.get("id") == "menu"
        if tag == "script" and has.get("src"):
            self.scripts.append(has["src"])
        if tag == "a" and self.in_menu:
            self.menu.append(has.get("href", ""))
            self.here += [self.menu[-1]] * ("aria-current" in has)
        if tag in ("a", "button", "input") and not self.mains:
            self.stops.append(has.get("href") or tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "nav":
            self.in_menu = False
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
        of_page(name, f"ids occur once, not {sorted(twice)}", not twice)
    root = os.getcwd().encode()
    for path in glob.glob(f"{SITE}/**", recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                of_page(os.path.relpath(path, SITE), "has no path of this machine",
                        root not in file.read())


def check_chapters(pages: Dict[str, Page]) -> None:
    """Each chapter has its page, its programs, and its neighbours."""
    listings = finish.listings(tree.parse("build/docs/tags.xml").getroot())
    names = [f"chapter_{name}.html" for name in course.chapters()]
    for i, name in enumerate(names):
        if name not in pages:
            of_page(name, "is there", False)
            continue
        wanted = {}
        if i > 0:
            wanted["prev"] = names[i - 1]
        if i + 1 < len(names):
            wanted["next"] = names[i + 1]
        of_page(name, "previous and next", pages[name].beside == wanted)
        for source in course.sources(name[len("chapter_"):-len(".html")]):
            lines = len(read(source).rstrip("\n").split("\n"))
            expect(f"each line of {source} has its number in its listing",
                   sum(name.startswith("l0") for name in
                       pages[listings[source]].names) >= lines)
        of_page(name, "the start page leads there",
                name in pages["index.html"].links)


def explained(chapter: str) -> Dict[str, List[range]]:
    """Return the lines of each program that the lesson's snippets show."""
    found: Dict[str, List[range]] = {}
    for file, name in re.findall(r"<!-- snippet ([\w/]+\.cuh?) (\w+) -->",
                                 read(f"chapters/{chapter}/README.md")):
        path = f"chapters/{chapter}/{file}"
        first, last = (number for number, line in enumerate(
            read(path).split("\n"), 1) if line.strip() == f"// [{name}]")
        found.setdefault(path, []).append(range(first + 1, last))
    return found


def wrong_listing(text: str, source: str) -> List[str]:
    """Return where a page's listing differs from the file."""
    made = dict(re.findall(r'<div class="line[^>]* id="l(\d+)"><a class="lineno" '
                           r'tabindex="-1" href="#l\1">\1</a>(.*?)</div>', text))
    lines = source.rstrip("\n").split("\n")
    wrong = [f"line {n}" for n, line in enumerate(lines, 1) if line != html.unescape(
        re.sub("<[^>]*>", "", made.get(str(n), "?"))).rstrip()]
    return wrong + ["its last line"] * (len(made) != len(lines))


def wrong_places(text: str, pieces: List[range]) -> List[str]:
    """Return which explained lines do not stand behind what is said of them."""
    wrong = []
    for piece in pieces:
        note = text.find(f'<h2><a href="#l{piece[0]}">')
        line = text.find(f' id="l{piece[0]}">')
        between = re.findall(r'<div class="line[^>]* id="l', text[note:line])
        told = [n for n in piece if not re.search(
            rf'<div class="line[^>]* told" id="l{n}"', text)]
        if not 0 < note < line or len(between) > 3 or told:
            wrong.append(f"line {piece[0]}")
    return wrong


def marked_lines(text: str) -> int:
    """Return how many lines of a page are marked as new."""
    return len(re.findall(r'<div class="line new', text))


def check_annotated(pages: Dict[str, Page]) -> None:
    """Each program has a page where it stands beside its lesson."""
    names = {}
    for chapter in course.chapters():
        first = list(course.variants(chapter).values()) or [
            f"chapters/{chapter}/{chapter}.cu"]
        for path in first + [one for one in course.sources(chapter)
                             if one not in first]:
            stem = os.path.splitext(os.path.basename(path))[0]
            names[path] = f"code_{chapter}{'' if stem == chapter else f'_{stem}'}.html"
    row = list(names.values())
    for chapter in course.chapters():
        lesson = f"chapter_{chapter}.html"
        own = next(name for path, name in names.items() if f"/{chapter}/" in path)
        pieces = explained(chapter)
        for path in course.sources(chapter):
            name = names[path]
            place = row.index(name)
            beside = {rel: row[i] for rel, i in (("prev", place - 1),
                                                 ("next", place + 1))
                      if 0 <= i < len(row)}
            if name not in pages:
                expect(f"{path} has a page", False)
                continue
            text = read(f"{SITE}/{name}")
            found = re.search(r'<a href="(\w+_source\.html)">the plain listing', text)
            listing = found.group(1) if found else "no listing"
            faults = [f"{line} is another" for line in wrong_listing(text, read(path))]
            faults += [f"{line} is not beside its prose"
                       for line in wrong_places(text, pieces.get(path, []))]
            faults += [f"no link from {page}" for page, to in (
                (lesson, own), (listing, name), (listing.replace("_source", ""), name))
                if page not in pages or not re.search(
                    f'<p class="path">.*<a href="{to}">', read(f"{SITE}/{page}"))]
            faults += [f"no link from {lesson} to line {piece[0]}"
                       for piece in pieces.get(path, [])
                       if f"{name}#l{piece[0]}" not in pages[lesson].links]
            faults += ["no place in the menu"] * (pages[name].here != [lesson])
            faults += ["no link to its neighbours"] * (pages[name].beside != beside)
            faults += ["too large"] * (len(text.encode()) > 300_000)
            expect(f"{path} beside its lesson: {faults[:5]}", not faults)
    for page, chosen in (("code_gemm_07_bank_conflict.html", ["chapter=gemm_07"]), (
            "code_scan_09_look_back.html",
            ["chapter=scan", "from=chained", "to=look_back"])):
        said = subprocess.run(["make", "-s", *chosen, "diff"], text=True,
                              stdout=subprocess.PIPE).stdout
        added = int((re.findall(r": (\d+) added", said) or ["-1"])[0])
        expect(f"{page} marks the {added} lines that make diff adds",
               marked_lines(read(f"{SITE}/{page}")) == added)
    for page, folded in (("gemm_05_thread_tile_2d", True), ("vector_add", False)):
        expect(f"{page}: main is {'' if folded else 'not '}folded", folded == (
            "<summary><code>main</code>" in read(f"{SITE}/code_{page}.html")))
    links = pages["code_gemm_05_thread_tile_2d.html"].links
    for term in ("barrier", "shared_memory", "kernel", "thread", "block"):
        expect(f"words of CUDA in a program lead to {term}",
               f"glossary.html#glossary_{term}" in links)


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
            of_page(name, f"no Markdown is left, as in {left[:3]}", not left)
            of_page(name, "no code shows an entity",
                    "&amp;quot;" not in read(f"{SITE}/{name}"))
            of_page(name, "elements end inside those around them, not at line "
                    f"{pages[name].crossed[:3]}", not pages[name].crossed)
            source = read(path)
            lists = re.findall(r"^[A-Za-z].*\n(?:\d+\.|[+*]) .*", source, re.M)
            of_page(name, f"no list begins amid a sentence: {lists}", not lists)
            # Behind an odd number of backticks: a quote would begin in code.
            prose = re.sub("^ *```.*?^ *```$", "", source, flags=re.M | re.S)
            quotes = [match.group(1) for match in map(re.compile(
                "[^`]*(?:`[^`]*`[^`]*)*`[^`]*\n *(>.*)").match,
                prose.split("\n\n")) if match]
            of_page(name, f"no line within code begins with >: {quotes}",
                    not quotes)
            of_page(name, "has text", len("".join(pages[name].text)) > 400)


def faults(name: str, page: Page) -> List[str]:
    """Return what the frame of a page lacks."""
    root = "../" * name.count("/")
    levels = page.levels
    wanted = [f"{root}chapter_{chapter}.html" for chapter in course.chapters()]
    wanted += [f"{root}explorers/{os.path.basename(path)}"
               for path in glob.glob("docs/explorers/*.html")]
    wanted += [f"{root}{label}.html" for path, label in prepare.pages().items()
               if path.startswith(("docs/", "simulator/", "CONTRIBUTING"))]
    return [fault for fault, there in {
        "one main": page.mains != 1, "one h1": levels.count(1) != 1,
        "h1 first, no level left out": levels[:1] != [1] or any(
            b > a + 1 for a, b in zip(levels, levels[1:])),
        "a link to the text as the first stop": page.stops[:1] != ["#text"],
        "every chapter, explorer and page in its navigation":
            not set(wanted) <= set(page.menu),
        "the reader's place": not page.here,
        "an icon": f"{root}favicon.svg" not in page.links,
        "no script but ours": page.scripts != [f"{root}site.js"]}.items() if there]


def check_frames(pages: Dict[str, Page]) -> None:
    """Every page has the whole frame, and none is heavy."""
    for name, page in pages.items():
        missing = faults(name, page)
        of_page(name, f"has {', '.join(missing)}", not missing)
    for name in ("chapter_scan.html", "hunt_drift.html", "glossary.html",
                 "explorers/banks.html"):
        of_page(name, "marks itself", os.path.basename(name) in
                "".join(pages[name].here))
        of_page(name, "has a page before or after it", bool(pages[name].beside))
    expect("a listing stands at its lesson", "chapter_vector_add.html"
           in pages["vector__add_8cu_source.html"].here)
    shared = sum(os.path.getsize(f"{SITE}/{name}") for name in (
        "site.css", "site.js", "favicon.svg"))
    for name in pages:
        text = re.sub("<svg.*?</svg>", "", read(f"{SITE}/{name}"), flags=re.S)
        of_page(name, "hides nothing that needs a script",
                not re.search("display: ?none|onclick=", text.partition("<main")[2])
                or "explorers/" in name)
        if name.startswith(("chapter_", "index")):
            of_page(name, "has 300 KB at most without its pictures",
                    len(text.encode()) + shared <= 300_000)
        if name.startswith(("results", "index", "chapters", "glossary")):
            of_page(name, f"has 3000 nodes at most, not {pages[name].nodes}",
                    pages[name].nodes <= 3000)
    with tempfile.TemporaryDirectory() as folder:  # it can fail
        path = os.path.join(folder, "bare.html")
        write(path, "<a href=index.html>x</a><script src=jquery.js></script>"
              "<h2>x</h2><h4>y</h4>")
        expect("a page without a frame has all faults",
               len(faults("bare.html", Page(path))) == 8)


def check_book(pages: Dict[str, Page]) -> None:
    """The book has all lessons in order, their answers behind the last of them."""
    names = [name for name in pages["book.html"].names
             if re.fullmatch("chapter_(" + "|".join(course.chapters()) + ")|answers",
                             name)]
    expect("the book has all lessons in order, then the answers", names == [
        f"chapter_{name}" for name in course.chapters()] + ["answers"])
    answers = [name for name in pages["book.html"].names if "_answers_" in name]
    expect("the book has the answers of every lesson that folds some", {
        name.partition("_answers_")[0] for name in answers} == {
        f"chapter_{name}" for name in course.chapters()
        if "<details>" in read(f"chapters/{name}/README.md")})
    text = read(f"{SITE}/book.html")
    expect("and no answer before the last lesson", not answers or text.index(
        f'id="{answers[0]}"') > text.index('<h2 id="answers">'))


# Names of slides of which something lies outside
OVER = """<script>
const outside = slide => [...slide.querySelectorAll("*")].some(one => {
    const inner = one.getBoundingClientRect(), outer = slide.getBoundingClientRect();
    return inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1;
});
const found = [...document.querySelectorAll(".slide")].filter(outside);
document.body.innerHTML = "<pre id=found></pre>";
document.querySelector("pre").textContent =
    found.map(slide => slide.querySelector(".foot").textContent).join("\\n");
</script></body>"""


def overflowing(chromium: str, text: str) -> str:
    """Return the slides of a page that are too full, in lines."""
    path = f"{SITE}/over.html"
    write(path, text.replace("</body>", OVER))
    done = subprocess.run(
        [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
         "--window-size=1400,1000", f"file://{os.path.abspath(path)}"], text=True,
        capture_output=True, timeout=60)
    os.remove(path)
    return (re.findall('<pre id="found">(.*?)</pre>', done.stdout, re.S) or ["?"])[0]


def check_handouts(pages: Dict[str, Page]) -> None:
    """Sheets ask what files predict ask, answers behind them; slides fit."""
    asked = [chapter for chapter in course.chapters() if predict.read(chapter)]
    for label, chapters in ("sheets", asked), ("slides", course.chapters()):
        expect(f"{label}.html has its chapters in order", [
            name for name in pages[f"{label}.html"].names
            if re.fullmatch(rf"{label}_\w+", name)]
            == [f"{label}_{chapter}" for chapter in chapters])
        expect(f"{label}.html is linked", all(
            f"{label}.html" in pages[name].links
            for name in ("chapters.html", "teaching.html")))
    sheets = re.findall('<section class="sheet">.*?</section>', read(
        f"{SITE}/sheets.html"), re.S)
    for i, chapter in enumerate(asked):
        for text, has in ((sheets[i], False), (sheets[i + len(asked)], True)):
            expect(f"{chapter}: questions on paper, answers {has}", all(
                (html.escape(one.derived) in text) in (has, one.derived.isdigit())
                for one in predict.read(chapter)) and all(
                one.text.split("`")[-1] in html.unescape(text)
                for one in predict.read(chapter)))
    text = read(f"{SITE}/slides.html")
    for chapter in course.chapters():
        some = len(re.findall(rf'"foot">{course.short(chapter)} \d', text))
        expect(f"{chapter} has 5 to 8 slides, not {some}", 5 <= some <= 8)
    if not browser():
        return skip("slides that are too full: no Chromium")
    expect("a slide that is too full is found", "vector_add 1" in overflowing(
        browser(), text.replace("--size: ", "--size: 9", 1)))
    found = overflowing(browser(), text)
    expect(f"no slide is too full, as {found}", not found)


SEARCHES = {"roofline": "glossary.html#glossary_roofline",
            "float4": "gemm__06__vectorized_8cu_source.html#",
            "__syncthreads": "gemm__03__shared__tile_8cu_source.html#",
            "atomicAdd": "reduction", "gemm_main": "gemm_8c.html#",
            "coalescing": "glossary.html#glossary_coalesced",
            "bank conflict": "glossary.html#glossary_bank_conflict",
            "bank conflicts": "glossary.html#glossary_bank_conflict",
            "padding": "glossary.html#glossary_padding",
            "waves explorer": "explorers/waves.html",
            "long scoreboard": "how_to_read_a_profile.html#",
            "gemm_01": "chapter_gemm_01_naive.html"}


def check_search(chromium: str) -> None:
    """What one looks for is the first hit, and is there once."""
    asked = json.dumps(list(SEARCHES))
    page = read(f"{SITE}/index.html").replace("</body>", (
        "<script src=search-index.js></script><script src=search.js></script>"
        f"<script>document.body.innerHTML = '<pre id=found></pre>'; "
        f"found.textContent = JSON.stringify({asked}.map(find))</script></body>"))
    path = f"{SITE}/ask.html"
    write(path, page)
    done = subprocess.run(
        [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
         f"file://{os.path.abspath(path)}"], text=True, capture_output=True,
        timeout=60)
    os.remove(path)
    said = re.findall(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    expect("the search answers", bool(said))
    answers = json.loads(html.unescape(said[0])) if said else []
    for (query, wanted), hits in zip(SEARCHES.items(), answers):
        expect(f"a search for {query} finds {wanted} first, not {hits[:1]}",
               bool(hits) and hits[0][1].startswith(wanted))
        places = [hit[1] for hit in hits]
        expect(f"a search for {query} finds each place once",
               len(places) == len(set(places)))
        terms = [hit[2] for hit in hits if hit[1].startswith("glossary.html")]
        expect(f"a search for {query} finds each term once, not {terms}",
               len({term.rstrip("s") for term in terms}) == len(terms)
               and "Glossary" not in terms)


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
            for name, page in pages.items()
            if name not in ("glossary.html", "book.html")
            and not name.startswith("code_")}
    for name, links in used.items():
        of_page(name, "links a term once", len(links) == len(set(links)))
        of_page(name, "says what the terms mean", len(re.findall(
            r'href="glossary\.html#glossary_\w+" title="[^"]', read(f"{SITE}/{name}")))
            == len(links))
    everywhere = set().union(*used.values())
    for term in terms:
        name = "glossary_" + re.sub(r"\W", "_", term.lower())
        expect(f"a page uses {term}", name in everywhere)


def browser() -> Optional[str]:
    """Return the path of Chromium, if it is here."""
    return next(filter(None, map(shutil.which, (
        "chromium", "chromium-browser", "google-chrome"))), None)


# Of each kind of page one, for axe-core
ASKED = ["index.html", "chapters.html", "chapter_gemm_05_thread_tile_2d.html",
         "chapter_tensor_06_tma.html", "exercise_gemm_05_thread_tile_2d.html",
         "glossary.html", "results_nvidia_h200_gemm.html", "gemm_8h_source.html",
         "code_gemm_05_thread_tile_2d.html", "code_scan_09_look_back.html",
         "explorers/banks.html"]


def look(pages: List[str], asked: List[str]) -> Optional[List[str]]:
    """Open pages in Chromium and return what a phone finds, and axe-core about some.

    None where one of them is not here.
    """
    chromium = browser()
    for there, what in ((chromium, "Chromium"), (
            os.path.exists(AXE), "axe-core (make setup docs)")):
        if not there:
            skip(f"accessibility and phones: no {what}")
            return None
    script = json.dumps(read(AXE)).replace("</", "<\\/")
    page = read("tests/docs.html").replace(
        "<script>", f"<script>const AXE = {script}, "
        f"PAGES = {json.dumps([f'file://{p}' for p in pages])}, "
        f"ASKED = {json.dumps([f'file://{p}' for p in asked])};", 1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "look.html")
        write(path, page)
        # The frame shows files, which the page may look into only this way.
        done = subprocess.run(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-web-security", f"--user-data-dir={folder}/profile",
             "--window-size=1400,1000", "--virtual-time-budget=1000000000",
             "--dump-dom", f"file://{path}"], text=True, capture_output=True,
            timeout=1200)
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    opened = re.search(r'<p id="done">(\d+)</p>', done.stdout)
    expect("Chromium opened every page",
           bool(opened) and int(opened.group(1)) == len(pages))
    return html.unescape(found.group(1)).splitlines() if found else []


def check_looks(pages: Dict[str, Page]) -> None:
    """No page of ours is hard to reach, to read, or wider than a phone."""
    # One of each kind that Doxygen makes, all of those that we write.
    kinds = {"sources.html", "gemm_8h.html",
             "gemm_8h_source.html", "structgemm__problem.html"}
    ours = [os.path.basename(path)[:-3] + ".html"
            for path in glob.glob("build/docs/pages/*.md")]
    kinds |= {f"code_{name}.html" for name in (
        "vector_add", "gemm_05_thread_tile_2d", "tensor_06_tma", "scan_09_look_back",
        "scan", "conv_problem")}
    explorers = [name for name in pages if name.startswith("explorers/")]
    shown = read("docs/explorers.md")
    for name in explorers:
        expect(f"the start page leads to {name}",
               name in pages["index.html"].links)
        short = os.path.basename(name)[:-len(".html")]
        expect(f"a page without scripts shows {short}", f"\n## {short}\n" in shown
               and f"](explorers/{short}.svg)" in shown)
        of_page(name, "leads back", "../index.html" in pages[name].links)
    root = os.path.abspath(SITE)
    names = sorted((kinds | set(ours) | set(explorers)) & set(pages))
    expect(f"there is a page {set(ASKED) - set(names)}", set(ASKED) <= set(names))
    found = look(*([os.path.join(root, name) for name in some]
                   for some in (names, ASKED)))
    if found is None:
        return
    for line in found:
        expect(line.replace(f"file://{root}/", ""), False)
    with tempfile.TemporaryDirectory() as folder:  # it can fail
        path = os.path.join(folder, "bad.html")
        write(path, "<!DOCTYPE html><html lang=en><title>x</title>"
              "<p style='color:#ccc;width:500px'>pale and wide</p>"
              "<div class=contents><table style='display:block;width:50px;"
              "overflow:auto'><tbody><td>"
              f"{'wide' * 40}</table></div><svg width=50 height=20>"
              "<text y=15>too long for it</text></svg><div id=presets>"
              "<button aria-pressed=false>never</button></div>"
              "<div class=note><h2><a href='#l1'>far</a></h2></div>"
              "<p style='margin-top:900px' id=l1>away")
        found = " ".join(look([path], [path]) or [])
        for fault in ("color-contrast", "wide", "scrolls", "cuts", "never", "beside"):
            expect(f"a page with the fault {fault} is found", fault in found)


def check_html(pages: Dict[str, Page]) -> None:
    """html-validate finds no fault in a page of ours, and one in a bad page."""
    tool = AXE.partition("axe-core")[0] + ".bin/html-validate"
    if not os.path.exists(tool):
        return skip("valid HTML: no html-validate (make setup docs)")
    names = ["sources.html", "book.html", "sheets.html", "slides.html", *(
        name for name in pages if name.startswith(("explorers/", "code_")) or os.path.exists(
            f"build/docs/pages/{name[:-len('.html')]}.md"))]
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, "bad.html")
        write(bad, "<p><div></p>")
        for path, clean in ((bad, False), *((f"{SITE}/{n}", True) for n in names[:1])):
            expect(f"html-validate can say {clean}", clean == (subprocess.run(
                [tool, path], capture_output=True).returncode == 0))
    done = subprocess.run([tool, "-f", "text", *(f"{SITE}/{n}" for n in names)],
                          text=True, capture_output=True)
    expect("every page of ours is valid HTML:\n" + done.stdout[:2000],
           done.returncode == 0)


def check_sources() -> None:
    """Pages lead to explorers by a page that every host shows; lessons have them to
    unfold, in the state that a comment says."""
    for path in glob.glob("**/*.md", recursive=True):
        if not path.startswith(("build/", "node_modules/")):
            text = read(path)
            expect(f"{path} links no template of an explorer",
                   not re.search(r"\]\([^)]*explorers/\w+\.html", text))
            for name, state in re.findall(r"explorers\.md#(\w+)\)<!-- (\S+) -->", text):
                expect(f"{path}: {name} opens with {state}",
                       f'<iframe loading="lazy" src="explorers/{name}.html#'
                       f'{html.escape(state)}"' in read(
                           f"{SITE}/chapter_{path.split(os.sep)[1]}.html"))


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


def check_wrong_comment() -> None:
    """A comment that names a piece which is not there ends the build with one line."""
    with tempfile.TemporaryDirectory() as folder:
        for name in set(os.listdir(".")) - {"build", "chapters"}:
            os.symlink(os.path.abspath(name), os.path.join(folder, name))
        os.mkdir(os.path.join(folder, "chapters"))
        for name in os.listdir("chapters"):
            os.symlink(os.path.abspath(f"chapters/{name}"),
                       os.path.join(folder, "chapters", name))
        lesson = os.path.join(folder, "chapters/vector_add")
        os.remove(lesson)
        shutil.copytree("chapters/vector_add", lesson)
        write(f"{lesson}/README.md", read(f"{lesson}/README.md").replace(
            "## Run it", "<!-- explains nothing -->\nThis.\n\n## Run it"))
        done = make_docs(folder)
        said = [line for line in done.stderr.splitlines() if "make" not in line[:5]]
        expect("a comment about a piece that is not there fails the build, in one "
               f"line:\n{done.stderr}", done.returncode == 2 and len(said) == 1
               and "vector_add/README.md" in said[0] and "nothing" in said[0])


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
        check_annotated(pages)
        check_experiments(pages)
        check_text(pages)
        check_frames(pages)
        check_book(pages)
        check_handouts(pages)
        check_html(pages)
        if browser():
            check_search(browser())
        else:
            skip("the search: no Chromium")
        check_glossary(pages)
        check_sources()
        check_planted()
        check_wrong_comment()
        check_looks(pages)
        close_pages()
    return close()


if __name__ == "__main__":
    course.script(main)
