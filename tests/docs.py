"""The site builds without a warning, every link of it leads somewhere, every page
has its frame, and the search finds what one looks for.

Where Chromium, axe-core and html-validate are (`make setup test` brings them by npm;
AXE names the file of axe-core elsewhere), pages are opened, too: at 360 pixels
nothing but code and tables is wider than the page, at 1280 no table and no text of a
picture is cut, what is said of a program stands beside its lines, and no page says
anything in the console. axe-core finds nothing in one page of each kind, in either
theme, at 390 and 1280 pixels.

A planted dead link must fail the build, and planted faults of a frame its check, so
that these tests can fail.
"""

import functools
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Dict, List, Optional, Sequence, Set
from urllib.parse import unquote

from tests.checks import close, expect, read, tally, write
from tools import course, edits, goals, predict

MISSING = goals.lacking("docs")
if MISSING:
    tally.skipped += 1
    print(f"skip: {MISSING}: not here (make setup docs)")
    sys.exit(close())

from bs4.element import PreformattedString

from tools.site import glossary, pages as site, pieces, tree

SITE = "build/docs/html"
AXE = os.environ.get("AXE", "node_modules/axe-core/axe.min.js")
CODE = {"code", "pre", "script", "style", "svg"}
# Of each kind of page one, for axe-core
ASKED = ["index.html", "chapter_gemm_05_thread_tile_2d.html",
         "chapter_tensor_06_tma.html", "exercise_gemm_05_thread_tile_2d.html",
         "glossary.html", "results.html", "gemm_8h.html", "sources.html",
         "code_gemm_05_thread_tile_2d.html", "code_scan_09_look_back.html",
         "break_gemm_05_thread_tile_2d.html",
         "explorers/banks.html"]
SEARCHES = {"roofline": "glossary.html#glossary_roofline",
            "float4": "code_gemm_06_vectorized.html#",
            "__syncthreads": "code_gemm_03_shared_tile.html#",
            "atomicAdd": "code_reduction", "gemm_main": "gemm_8h.html#",
            "coalescing": "glossary.html#glossary_coalesced",
            "coalesing": "glossary.html#glossary_coalesced",
            "bank conflict": "glossary.html#glossary_bank_conflict",
            "bank conflicts": "glossary.html#glossary_bank_conflict",
            "padding": "glossary.html#glossary_padding",
            "waves explorer": "explorers/waves.html",
            "long scoreboard": "how_to_read_a_profile.html#",
            "gemm_01": "chapter_gemm_01_naive.html",
            "how do I run": "chapter_vector_add.html#",
            "合并访存": "zh_gemm_02.html", "线程束": "zh_"}
# Names of slides of which something lies outside
OVER = """addEventListener("load", () => {
    const outside = slide => [...slide.querySelectorAll("*")].some(one => {
        const inner = one.getBoundingClientRect(), outer = slide.getBoundingClientRect();
        return inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1;
    });
    const found = [...document.querySelectorAll(".slide")].filter(outside);
    document.body.innerHTML = `<pre id=found>${
        found.map(slide => slide.querySelector(".foot").textContent).join("\\n")}</pre>`;
})"""
FIND = """</script><script src=lunr.min.js></script><script src=search-index.js></script><script src=search.js></script><script>
document.body.innerHTML = "<pre id=found></pre>";
document.querySelector("pre").textContent = JSON.stringify(
    %s.map(said => find(said).map(({ to, title }) => [to, title])))"""
BAD = """<!DOCTYPE html><html lang=en><title>x</title>
<p style='color:#ccc;width:500px'>pale and wide</p>
<div class=contents><table style='display:block;width:50px;overflow:auto'><tbody><td>%s</table>
</div><svg width=50 height=20><text y=15>too long for it</text></svg><div id=presets>
<button aria-pressed=false>never</button></div><script>throw "not a number"</script><div class=note><h2><a href='#l1'>far</a></h2>
</div><p style='margin-top:900px' id=l1>away""" % ("wide" * 40)


class Page:
    """What a page says and where it points."""

    def __init__(self, path: str) -> None:
        self.text = read(path)
        self.root = tree.parse(self.text)
        self.faults: List[str] = []
        self.all = self.root(True)
        self.names = [one.get("id") for one in self.all if one.get("id")]
        self.links = [one.get(key) for one in self.all for key in ("href", "src", "data-src")
                      if one.get(key)]
        self.settings = {one.get("name") for one in self.root(["input", "select"])}  # pitch=33
        self.beside = {one["rel"]: one["href"] for one in self.root.select(".beside a")}
        self.menu = self.root.select("#menu a")
        self.here = [a["href"] for a in self.menu if a.get("aria-current")]

    def expect(self, what: str, holds: bool) -> None:
        """Note what does not hold; all of a page is one test."""
        self.faults += [what] * (not holds)

    def prose(self, element: Optional[tree.Element] = None) -> str:
        """Return the text that is no code."""
        element = self.root if element is None else element
        if element.name in CODE or element.get("class") == "fragment":
            return ""
        return "".join(self.prose(part) if isinstance(part, tree.Element)
                       else "" if isinstance(part, PreformattedString) else part
                       for part in element.contents)


Pages = Dict[str, Page]


def skip(what: str) -> None:
    """Count one test that this machine cannot run."""
    tally.skipped += 1
    print(f"skip: {what}")


@functools.lru_cache(maxsize=None)
def chromium() -> Optional[str]:
    """Return the path of Chromium, if it is here."""
    return shutil.which("chromium") or shutil.which("google-chrome")


def seen(page: str, script: str, *options: str) -> List[str]:
    """Return what a page with a script at its end has written into #found, in lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.abspath(f"{SITE}/asked.html")  # beside what it refers to
        write(path, page.replace("</body>", f"<script>{script}</script></body>"))
        done = subprocess.run(
            [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
             "--window-size=1400,1000", f"--user-data-dir={folder}", *options,
             f"file://{path}"], text=True, capture_output=True, timeout=1200)
        os.remove(path)
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    logged = re.findall(r"INFO:CONSOLE.*?\] (.*)", done.stderr)  # with --enable-logging
    return [*sorted(set(logged)), *(html.unescape(found.group(1)).splitlines() if found
                                    else ["nothing was found"])]


# ---- links and text ------------------------------------------------------------


def check_links(pages: Pages) -> None:
    """No dead link, no name twice, no path of this machine, no Markdown left."""
    for name, page in pages.items():
        for link in page.links:
            to, _, part = unquote(link).partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(name), to)) if to else name
            wanted = set(re.findall(r"(\w+)=\d", part))  # of an explorer
            page.expect(f"the link {link}", bool(re.match(r"\w+:", link)) or os.path.exists(
                os.path.join(SITE, path)) and (not part or path not in pages
                                               or part in pages[path].names
                                               or wanted and wanted <= pages[path].settings))
        page.expect("ids once", len(page.names) == len(set(page.names)))
        left = re.findall(r".{,20}(?:`|\*\*|\]\(|<!--).{,20}", page.prose())
        page.expect(f"no Markdown, as {left[:3]}", not left)
        page.expect("text", len(page.prose()) > 400)
    expect("an option keeps its dashes", "<p>first line of --help" in pages["variants_8h.html"].text)
    expect("there are links", sum(len(page.links) for page in pages.values()) > 1000)
    expect("no path of this machine", subprocess.run(
        ["grep", "-rqF", os.getcwd(), SITE]).returncode == 1)


def check_sources(pages: Pages) -> None:
    """Pages lead to explorers by a page that every host shows; lessons have them to
    unfold, in the state that a comment says."""
    for path in site.known():
        text = read(path)
        expect(f"{path} links no template of an explorer",
               not re.search(r"\]\([^)]*explorers/\w+\.html", text))
        for name, state in re.findall(r"explorers\.md#(\w+)\)<!-- (\S+) -->", text):
            expect(f"{path}: {name} opens with {state}", f"explorers/{name}.html#{state}" in [
                one.get("data-src" if site.is_lesson(path) else "href") for one in pages[f"{site.label(path)}.html"].all])


# ---- frames ----------------------------------------------------------------------


def faults(name: str, page: Page) -> List[str]:
    """Return what the frame of a page lacks."""
    root = "../" * name.count("/")
    levels = [int(one.name[1]) for one in page.all if re.fullmatch(r"h\d", one.name)]
    wanted = {f"{root}{label}.html" for path, label in site.known().items()
              if not site.is_task(path)}
    wanted |= {root + path[len("docs/"):] for path in glob.glob("docs/explorers/*.html")}
    stops = [one.get("href") for one in page.all if one.name in ("a", "button", "input")]
    scripts = [one.get("src") for one in page.all if one.name == "script" and one.get("src")]
    return [fault for fault, there in {
        "h1 first, no level left out": levels[:1] != [1] or any(
            b > a + 1 or b == 1 for a, b in zip(levels, levels[1:])),
        "a link to the text as the first stop": stops[:1] != ["#text"],
        "every chapter, explorer and page in its navigation":
            not wanted <= {a.get("href") for a in page.menu},
        "the reader's place": not page.here,
        "an icon": f"{root}favicon.svg" not in page.links,
        "a description": '<meta name="description" content="' not in page.text,
        "no script but ours": scripts != [f"{root}site.js"]}.items() if there]


def check_frames(pages: Pages) -> None:
    """Every page has the whole frame, and none is heavy."""
    shared = sum(os.path.getsize(f"{SITE}/{name}") for name in ("site.css", "site.js"))
    for name, page in pages.items():
        page.expect(f"has {', '.join(faults(name, page))}", not faults(name, page))
        page.expect("hides nothing that needs a script", name.startswith("explorers/") or not
                    re.search("display: ?none|onclick=", page.text.partition("<main")[2]))
        text = re.sub("<svg.*?</svg>", "", page.text, flags=re.S)
        page.expect("has 300 KB at most without its pictures", not name.startswith(
            ("chapter_", "code_", "index")) or len(text.encode()) + shared <= 300_000)
    played = {f"explorers/trace_{name}.html" for name in course.chapters() if site.PLAYED.search(
        read(f"chapters/{name}/README.md"))}
    expect(f"lessons unfold requests: {played}", played and played == {
        src for page in pages.values() for src in re.findall(r'"(\S+/trace_\w+.html)"', page.text)})
    for name in (f"{label}.html" for label in site.known().values()):
        pages[name].expect("marks itself", name in pages[name].here)
    with tempfile.TemporaryDirectory() as folder:  # it can fail
        path = os.path.join(folder, "bare.html")
        write(path, "<a href=index.html>x</a><script src=jquery.js></script><h2>x</h2><h4>y</h4>")
        expect("a page without a frame has all faults",
               len(faults("bare.html", Page(path))) == 7)


# ---- programs ----------------------------------------------------------------------


def check_row(pages: Pages, row: Sequence[str]) -> None:
    """Pages lead to each other in this order."""
    for a, b in zip(row, row[1:]):
        pages[a].expect(f"leads on to {b}", pages[a].beside.get("next") == b)
        pages[b].expect(f"leads back to {a}", pages[b].beside.get("prev") == a)


def explained(chapter: str) -> Dict[str, List[range]]:
    """Return the lines of each program that the lesson's snippets show."""
    found: Dict[str, List[range]] = {}
    for file, name in re.findall(r"<!-- snippet ([\w/]+\.cuh?) (\w+) -->",
                                 read(f"chapters/{chapter}/README.md")):
        path = f"chapters/{chapter}/{file}"
        first, last = pieces.marked(read(path).split("\n"))[name]
        found.setdefault(path, []).append(range(first, last + 1))
    return found


def wrong_program(page: Page, source: str, explains: List[range]) -> List[str]:
    """Return where a page's lines differ from the file, or stand apart from their prose."""
    order = {one.get("id"): i for i, one in enumerate(page.all) if one.get("id")}
    lines = {one["id"]: one for one in page.root.select(".line[id]")}
    shown = [one.get_text()[len(one.a.get_text()):] for one in lines.values()]
    wrong = ["other lines"] * ([line.rstrip() for line in shown]
                               != source.rstrip("\n").split("\n"))
    notes = {one.get("href"): i for i, one in enumerate(page.all)
             if one.name == "a" and one.parent.name == "h2"}
    for piece in explains:
        note, line = notes.get(f"#l{piece[0]}", 0), order[f"l{piece[0]}"]
        between = [one for one in page.all[note:line] if one.get("id") in lines]
        wrong += [f"line {piece[0]}"] * (not 0 < note < line or len(between) > 3 or any(
            "told" not in lines[f"l{n}"].get("class") for n in piece))
    return wrong


def check_programs(pages: Pages) -> None:
    """Each chapter has its page, each program one where it stands beside its lesson."""
    check_row(pages, [f"{site.label(path)}.html" for name in course.chapters()
                      for path in (f"chapters/{name}/README.md", *site.tasks_of(name))])
    check_row(pages, [pieces.page(path) for name in course.chapters()
                      for path in pieces.programs(name)])
    for chapter in course.chapters():
        lesson = pages[f"chapter_{chapter}.html"]
        for path in course.sources(chapter):
            name, said = pieces.page(path), explained(chapter).get(path, [])
            for fault in wrong_program(pages[name], read(path), said):
                pages[name].expect(fault, False)
            for piece in said:
                lesson.expect(f"leads to line {piece[0]}", f"{name}#l{piece[0]}" in lesson.links)
            pages[name].expect("its place in the menu", f"chapter_{chapter}.html"
                               in pages[name].here)
            for note in pages[name].root(class_="note"):
                pages[name].expect("something behind each colon",
                                   not tree.words(note).endswith(":"))
    for name, chosen in (("code_gemm_07_bank_conflict.html", ["chapter=gemm_07"]), (
            "code_scan_09_look_back.html", ["chapter=scan", "from=chained", "to=look_back"])):
        said = subprocess.run(["make", "-s", *chosen, "diff"], text=True,
                              stdout=subprocess.PIPE).stdout
        added = int((re.findall(r": (\d+) added", said) or ["-1"])[0])
        pages[name].expect(f"the {added} lines that make diff adds are marked",
                           added == len(pages[name].root.select(".line.new")))
    for name, folded in (("gemm_05_thread_tile_2d", True), ("vector_add", False)):
        pages[f"code_{name}.html"].expect(f"main is folded: {folded}", folded == (
            "<summary><code>main</code>" in pages[f"code_{name}.html"].text))
    expect("a kernel's parameters and launch stand beside its folded comment", all(
        said in pages["code_gemm_05_thread_tile_2d.html"].text for said in (
            "<code>comment of gemm_kernel</code>, lines", "<dd>factor of A * B",
            "Launch: block (EDGE, EDGE)")))
    for term in ("barrier", "shared_memory", "kernel", "thread", "block"):
        expect(f"words of CUDA in a program lead to {term}", f"glossary.html#glossary_{term}"
               in pages["code_gemm_05_thread_tile_2d.html"].links)
    for path in site.known():
        if site.is_task(path):
            page = pages[f"{site.label(path)}.html"]
            page.expect("the file to begin with, what to write lit",
                        '"line told"' in page.text or "hunt_" in path)


# ---- book, sheets, slides, search, glossary ----------------------------------------


def check_book(pages: Pages) -> None:
    """The book has all lessons in order, their answers behind the last of them."""
    names, chapters = pages["book.html"].names, course.chapters()
    wanted = [f"chapter_{name}" for name in chapters] + ["answers"]
    expect("the book has all lessons in order, then the answers", wanted == [
        name for name in names if name in wanted])
    answers = [name for name in names if "_answers_" in name]
    expect("the book has the answers of every lesson that folds some", {
        name.partition("_answers_")[0] for name in answers} == {
        f"chapter_{name}" for name in chapters
        if "<details>" in read(f"chapters/{name}/README.md")})
    for name in chapters:
        expect(f"{name}: the end of a folded answer has its own line", not re.search(
            r"\S.*</details>|</details>.*\S", read(f"chapters/{name}/README.md")))
    expect("and no answer before the last lesson",
           not answers or names.index(answers[0]) > names.index("answers"))


def check_handouts(pages: Pages) -> None:
    """Sheets ask what the checks ask under [predict], answers behind them; slides fit."""
    asked = [chapter for chapter in course.chapters() if predict.read(chapter)]
    written = [chapter for chapter in course.chapters()
               if "```" in read(f"chapters/{chapter}/README.md")]  # not only begun
    for label, chapters in ("sheets", asked), ("slides", written):
        expect(f"{label}.html has its chapters in order", [
            name for name in pages[f"{label}.html"].names
            if re.fullmatch(rf"{label}_\w+", name)]
            == [f"{label}_{chapter}" for chapter in chapters])
        expect(f"{label}.html is linked", f"{label}.html" in pages["teaching.html"].links)
    sheets = [tree.words(one) for one in pages["sheets.html"].root(class_="sheet")]
    for i, chapter in enumerate(asked):
        for text, has in ((sheets[i], False), (sheets[i + len(asked)], True)):
            expect(f"{chapter}: questions on paper, answers {has}", all(
                (one.derived in text) in (has, one.derived.isdigit())
                and " ".join(one.text.split("`")[-1].split()) in text
                for one in predict.read(chapter)))
    said = " ".join(tree.words(pages["wrong_answers.html"].root).split())
    expect("wrong_answers.html has each question, and is linked", all(
        " ".join(one.question.replace("`", "").split()) in said
        for chapter in course.chapters() for one in edits.entries(chapter, "asks"))
           and "wrong_answers.html" in pages["teaching.html"].links)
    hidden = [str(one) for name in written for one in edits.entries(name, "wrong")
              if not "".join(one.ends).startswith("survives")
              and f'<h2 id="{one.name}">' not in pages[f"break_{name}.html"].text]
    expect("all wrong kernels are shown, but of scan two that need several OS threads",
           hidden == ["scan/tile_8_bits", "scan/ring_no_empty_wait"], " ".join(hidden))
    text = pages["slides.html"].text
    for chapter in written:
        some = len(re.findall(rf'"foot">{course.short(chapter)} \d', text))
        expect(f"{chapter} has 5 to 8 slides, not {some}", 5 <= some <= 8)
    if not chromium():
        return skip("slides that are too full: no Chromium")
    expect("a slide that is too full is found", bool(seen(
        text.replace("</head>", "<style>.slide { aspect-ratio: 9 }</style></head>"), OVER)))
    full = seen(text, OVER)
    expect(f"no slide is too full, as {full}", not full)


def check_search(pages: Pages) -> None:
    """What one looks for is the first hit, and is there once."""
    if not chromium():
        return skip("the search: no Chromium")
    answers = json.loads(seen(pages["index.html"].text,
                              FIND % json.dumps(list(SEARCHES)))[0])
    for (query, wanted), hits in zip(SEARCHES.items(), answers):
        expect(f"a search for {query} finds {wanted} first, not {hits[:1]}",
               bool(hits) and hits[0][0].startswith(wanted))
        places = [to for to, _ in hits]
        expect(f"a search for {query} finds each place once", len(places) == len(set(places)))
        terms = [title for to, title in hits if to.startswith("glossary.html")]
        expect(f"a search for {query} finds each term once, not {terms}", "Glossary" not in terms
               and len({term.rstrip("s") for term in terms}) == len(terms))


def check_glossary(pages: Pages) -> None:
    """Terms stand in order, each is used, and a page links none twice."""
    text, forms = read("docs/glossary.md"), glossary.forms()
    terms = list(glossary.terms())
    expect("the glossary is in order", terms == sorted(terms, key=str.lower))
    letters = re.findall(r"^## (\w)$", text, re.M)
    expect("it has a heading for each letter, and a link to it", letters == sorted(
        {term[0].upper() for term in terms}) == re.findall(r"\[(\w)\]\(#\w\)", text))
    seen_at = dict(re.findall(r"^\*\*([^*]+)\*\*[^§]+?\nSee \[.*?\]\((.*?)\)",
                              text.replace("\n\n", "\n§\n"), re.M))
    for term in terms:
        shown = read(os.path.join("docs", seen_at[term])).lower()
        expect(f"where {term} is seen it is said", any(
            form.lower() in shown for form, of in forms.items() if of == term))
    everywhere: Set[str] = set()
    for name, page in pages.items():
        if name not in ("glossary.html", "book.html") and not name.startswith("code_"):
            links = [(one.get("href"), bool(one.get("title"))) for one in page.all
                     if one.get("href", "").startswith("glossary.html#glossary_")]
            page.expect("links a term once, and says what it means",
                        len(links) == len(set(links)) and all(said for _, said in links))
            everywhere |= {to for to, _ in links}
    for term in terms:
        expect(f"a page uses {term}", f"glossary.html#{glossary.name(term)}" in everywhere)


# ---- how pages look -----------------------------------------------------------------


def look(pages: Sequence[str], asked: Sequence[str]) -> List[str]:
    """Open pages in Chromium; return what a phone finds, and axe-core about some."""
    root = os.path.abspath(SITE)
    said = ", ".join(f"{name} = {json.dumps([f'file://{root}/{page}' for page in some])}"
                     for name, some in (("PAGES", pages), ("ASKED", asked)))
    axe = json.dumps(read(AXE)).replace("</", "<\\/")
    # The frame shows files, which the page may look into only this way.
    found = seen(read("tests/docs.html").replace(
        "<script>", f"<script>const {said}, AXE = {axe};", 1), "", "--disable-web-security",
        "--virtual-time-budget=1000000000", "--enable-logging=stderr")
    expect("Chromium opened every page", found[-1:] == [f"{len(pages)} pages"])
    return [line.replace(f"file://{root}/", "") for line in found[:-1]]


def check_looks(pages: Pages) -> None:
    """No page of ours is hard to reach, to read, or wider than a phone; all are valid."""
    valid = AXE.partition("axe-core")[0] + ".bin/html-validate"
    if not chromium() or not os.path.exists(AXE) or not os.path.exists(valid):
        return skip("accessibility, phones, valid HTML: no Chromium, axe-core or "
                    "html-validate (make setup test)")
    names = {*ASKED, *(f"{label}.html" for label in site.known().values()), *(
        name for name in pages if name.startswith("explorers/")), *(
        f"code_{name}.html" for name in ("vector_add", "scan", "scan_03_brent_kung",
                                         "conv_problem", "histogram_4_coarsened_contiguous"))}
    for line in look(sorted(names), ASKED):
        expect(line, False)
    write(f"{SITE}/bad.html", BAD)  # it can fail
    found = " ".join(look(["bad.html"], ["bad.html"]))
    for fault in ("color-contrast", "wide", "scrolls", "cuts", "never", "beside", "not a number"):
        expect(f"a page with the fault {fault} is found", fault in found)
    for wrong, some in (True, ["bad.html"]), (False, pages):
        done = subprocess.run([valid, "-f", "text", *(f"{SITE}/{name}" for name in some)],
                              text=True, capture_output=True)
        expect(f"HTML is valid, or not: {wrong}", bool(done.returncode) == wrong,
               done.stdout[:2000])
    os.remove(f"{SITE}/bad.html")


def check_planted(page: str, old: str, new: str, *says: str) -> None:
    """A fault in a page must fail the build, in one line that names it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run("git ls-files -coz --exclude-standard | tar c --null -T - "
                       f"--ignore-failed-read | tar x -C {folder}", shell=True,
                       stderr=subprocess.DEVNULL)
        write(os.path.join(folder, page), read(page).replace(old, new, 1))
        done = subprocess.run(["make", "-s", "docs"], cwd=folder, text=True, capture_output=True)
        said = [line for line in done.stderr.splitlines() if "make" not in line[:5]]
        expect(f"{new} fails the build, in one line:\n{done.stderr}", done.returncode == 2
               and len(said) == 1 and all(word in said[0] for word in says))


def main() -> int:
    """Build the site and look at it."""
    done = subprocess.run(["make", "-s", "docs"], text=True, capture_output=True)
    expect("make docs, without a warning", done.returncode == 0 and not done.stderr, done.stderr)
    if done.returncode == 0:
        pages = {os.path.relpath(path, SITE): Page(path)
                 for path in glob.glob(f"{SITE}/**/*.html", recursive=True)}
        for check in (check_links, check_sources, check_frames, check_programs, check_book,
                      check_handouts, check_search, check_glossary, check_looks):
            check(pages)
        check_planted("CONTRIBUTING.md", "# Contributing\n", "# Contributing\n\n"
                      "See [nothing](README.md#no-such-heading).\n", "no_such_heading")
        check_planted("chapters/vector_add/README.md", "## Run it",
                      "<!-- explains nothing -->\nThis.\n\n## Run it",
                      "vector_add/README.md", "nothing")
        for name, page in pages.items():
            expect(name, not page.faults, "\n".join(page.faults))
    return close()


if __name__ == "__main__":
    course.script(main)
