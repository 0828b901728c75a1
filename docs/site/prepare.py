#!/usr/bin/env python3
"""Make of the repository's Markdown what Doxygen reads.

Usage: prepare.py FOLDER           (docs/site/build calls it)

The pages are plain Markdown that reads well on a code host. Doxygen wants a
little more, which is added here and written to FOLDER, a file for each page:

    # Title                        a name for the page
    ## Heading                     a name, so that README.md#heading can be found
    [text](../conv/README.md)      a link to that page of the site
    [text](explorers.md#x)         a link to the explorer x, in the state that a comment
                                   behind it says: <!-- pad=8 -->
    [text](counts)                 a link to the file, which is copied to files/
    ![text](picture.svg)           the picture itself, so that it follows the theme
    <!-- snippet FILE NAME -->     where the code stands: finish.py numbers its lines
    <!-- explains FILE NAME -->    what follows is about a piece: for annotate.py
    <!-- README NAME -->           the table of that name in README.md
    <!-- explorers -->             a picture and a link for each explorer

A chapter gets links to its exercises below; the hints of an exercise are folded.
"""

import glob
import html
import os
import re
import shutil
import sys
from typing import Dict, List, Tuple

sys.path.insert(0, "tools")

import course  # noqa: E402
import glossary  # noqa: E402
import outside  # noqa: E402
import pieces  # noqa: E402
import results  # noqa: E402
import tasks  # noqa: E402
from machine import fail  # noqa: E402

FENCE = re.compile(r"^ *```")
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^]]*\])*)\]\(([^)\s]+)\)(?:<!-- (\w+=\S*) -->)?")
EXPLORERS = "docs/explorers.md"
SOURCES = (".c", ".h", ".cu", ".cuh")
EXPERIMENTS = "docs/experiments/README.md"  # has the others below it


def is_lesson(path: str) -> bool:
    """Whether a page is that of a chapter."""
    return path.startswith("chapters/") and path.endswith("/README.md")


def is_task(path: str) -> bool:
    """Whether a page is that of an exercise or a bug hunt."""
    return path.startswith("chapters/") and not is_lesson(path)


def is_experiment(path: str) -> bool:
    """Whether a page is one of those that the page of experiments lists."""
    return (os.path.dirname(path) == os.path.dirname(EXPERIMENTS)
            and path != EXPERIMENTS)


def label(path: str) -> str:
    """Return the name of a page: chapter_scan, how_we_measure, simulator."""
    folder, name = os.path.split(path)
    if is_task(path):
        name = name[: -len(".md")]
        return (f"exercise_{os.path.basename(folder)}" if name == "exercise"
                else name)
    if folder.startswith("chapters/"):
        return "chapter_" + os.path.basename(folder)
    if name == "README.md":
        return os.path.basename(folder)
    return name[: -len(".md")].lower()


def pages() -> Dict[str, str]:
    """Return the files that become pages, with their names, in their order."""
    files = ["docs/index.md"]
    files += [f"chapters/{name}/README.md" for name in course.chapters()]
    files += [path for path in sorted(glob.glob("docs/*.md"))
              if path not in files]
    files += sorted(glob.glob("docs/experiments/*.md"))
    files += ["docs/results/README.md", "simulator/README.md",
              "CONTRIBUTING.md"]
    files += tasks.pages()
    return {path: label(path) for path in files}


def slug(heading: str) -> str:
    """Return the anchor that a code host gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def anchor(page: str, name: str) -> str:
    """Return the name of a heading of a page, for Doxygen."""
    return f"{page}_{name.replace('-', '_')}"


# ---- links and pictures -----------------------------------------------------


def picture(path: str, text: str) -> str:
    """Return a figure: an SVG as it is, any other picture as a file."""
    if path.endswith(".svg"):  # the page says its ink, so that it follows the switch
        image = re.sub(r"@media \(prefers-color-scheme[^}]*}}", "",
                       course.text_of(path).strip())
    else:
        image = f'<img src="files/{path}" alt="{html.escape(text)}">'
    return (f"@htmlonly[block]\n<figure>{image}<figcaption>{html.escape(text)}"
            f"</figcaption></figure>\n@endhtmlonly")


def title(path: str) -> str:
    """Return the title of a page; that of a chapter begins with its name."""
    text = course.text_of(path).partition("\n")[0].lstrip("# ").strip()
    chapter = re.match("chapters/([^/]+)", path)
    return f"{course.short(chapter.group(1))}: {text}" if chapter else text


def keep_numbers(text: str) -> str:
    """Indent <details> below an item of a numbered list: they belong to it."""
    lines, item, inside = [], False, False
    for line in text.split("\n"):
        item = bool(re.match(r"\d+\. ", line)) or item and not re.match("#", line)
        inside = inside or item and line.startswith("<details>")
        lines.append("   " + line if inside and line else line)
        inside = inside and line != "</details>"
    return "\n".join(lines)


def tables_of_items(text: str) -> str:
    """Write the tables below items of a list as HTML: Doxygen ends the list there."""
    def table(match: "re.Match[str]") -> str:
        head, _, *rows = [[cell.strip() for cell in line.strip()[1:-1].split("|")]
                          for line in match.group(0).strip().split("\n")]
        made = ["<tr>" + "".join(f'<th scope="col">{cell}</th>' if cell and row is head
                                 else f"<td>{cell}</td>" for cell in row) + "</tr>"
                for row in [head, *rows]]
        return f"   <table>{''.join(made)}</table>\n"

    return re.sub(r"^   \|.*\n   \| *:?-.*\n(?:   \|.*\n)+", table, text,
                  flags=re.M)


def folded_hints(text: str) -> str:
    """Fold the hints of an exercise, each alone; its gates are code."""
    head, _, rest = text.partition("## Hints\n")
    hints, _, gates = rest.partition("\n## ")
    # A line that begins with -1 would be an item of a list.
    made = [f"<details><summary>Hint {number}</summary>\n\n"
            f"{' '.join(hint.split())}\n\n</details>\n"
            for number, hint in enumerate(tasks.read_hints("a page", hints), 1)]
    # Two dashes would be one.
    gates = re.sub(r"\| ([^|\n]*(?:[<>=]=|--)[^|\n]*[^-|\s]) (?=\|)", r"| `\1` ",
                   gates)
    return head + "## Hints\n\n" + "\n".join(made) + "\n## " + gates


def understood(text: str) -> str:
    """Return prose without the Markdown that Doxygen 1.9.4 takes amiss."""
    code = "`+[^`]+`+"
    block = "^    .*$"
    # It ends `'a'` at the quote, and
    text = re.sub(f"{block}|{code}", lambda match: f"`{match.group(0)}`"
                  if re.match("`.*'", match.group(0), re.S)
                  else match.group(0), text, flags=re.M)
    # sees no bold text that begins or ends with code,
    text = re.sub(rf"({block}|{code})|\*\*((?:{code}|[^*`])+)\*\*",
                  lambda match: match.group(1) or f"<b>{match.group(2)}</b>",
                  text, flags=re.M)
    # nor any markup between two quotes.
    return outside.change(text, rf"{block}|{code}|</?\w[^>]*>|@htmlonly.*",
                          lambda part: part.replace('"', "&quot;"))


class Page:
    """One file on its way to the site."""

    def __init__(self, path: str, known: Dict[str, str], out: str) -> None:
        self.path, self.known, self.out = path, known, out
        self.label = known[path]
        self.glossary = (None if self.label in ("glossary", "index")
                         else glossary.Linker())

    def copied(self, path: str) -> str:
        """Copy a file of the repository to the site; return its address."""
        to = os.path.join(self.out, "../html/files", path)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copyfile(path, to)
        return f"files/{path}"

    def link(self, match: "re.Match[str]") -> str:
        """Return one link of the page as Doxygen takes it."""
        bang, text, to, state = match.groups()
        text = " ".join(text.split())  # Doxygen wants a link on one line
        if re.match(r"\w+:", to):
            return f"[{text}]({to})"
        to, _, part = to.partition("#")
        folder = "." if to.startswith("/") else os.path.dirname(self.path)
        path = os.path.normpath(
            os.path.join(folder, to.lstrip("/"))) if to else self.path
        if os.path.isdir(path):
            path = os.path.join(path, "README.md")
        if bang:
            if not path.endswith(".svg"):
                self.copied(path)
            return picture(path, text)
        if path == "README.md":
            path = "docs/index.md"
        if path == EXPLORERS and part:  # docs/explorers/build makes it
            at = f"explorers/{part}.html" + f"#{state}" * bool(state)
            return f'<a href="{html.escape(at)}">{text}</a>'
        if path in self.known:
            page = self.known[path]
            if self.path == EXPERIMENTS and is_experiment(path):
                return f'@ref {page} "{text}"'
            return f"[{text}](@ref {anchor(page, part) if part else page})"
        if path.endswith(SOURCES) and "tests/" not in path:
            return f'<a href="source:{path}">{text}</a>'
        return f'<a href="{self.copied(path)}">{text}</a>'

    # ---- the text -----------------------------------------------------------

    def prose(self, text: str) -> str:
        """Return text between fences: comments out, links and headings in."""
        def heading(match: "re.Match[str]") -> str:
            level, words = match.groups()
            name = anchor(self.label, slug(words))
            return f"{level} {words.replace('`', '')} {{#{name}}}"

        text = re.sub(r"<!--(?! \w+=)(.*?)-->", lambda comment: explained(
            self.path, comment.group(1).split()), text, flags=re.S)
        # Doxygen ends <details> with each paragraph, but not what is HTML.
        text = re.sub(r"</?details>(<summary>.*?</summary>)?",
                      r"@htmlonly[block]\g<0>@endhtmlonly", text)
        text = re.sub(r"^(##+) (.*?) *$", heading, text, flags=re.M)
        text = understood(tables_of_items(text))
        if self.glossary:
            text = self.glossary.prose(text)
        # Links stand anywhere but in code; pages of the site are code elsewhere.
        return re.sub(r"`build/docs/html/(\w+\.html)`", r'<a href="\1">\1</a>',
                      outside.change(text, "`+[^`]+`+",
                                     lambda part: LINK.sub(self.link, part)))

    def text(self) -> str:
        """Return the text below the title."""
        text = course.text_of(self.path).partition("\n")[2]
        tables = dict(re.findall(
            r"<!-- table ([\w ]+) -->\n(.*?)<!-- endtable -->",
            course.text_of("README.md").replace("](", "](/"), re.S))
        return re.sub(r"<!-- README ([\w ]+) -->",
                      lambda name: tables[name.group(1)],
                      text.replace("<!-- explorers -->", cards()))

    def write(self) -> None:
        """Write the page."""
        text = self.text()
        text = folded_hints(text) if is_task(self.path) else keep_numbers(text)
        name = "mainpage" if self.label == "index" else self.label
        if self.label == "results":
            text = results.page() + text
        made = [f"# {title(self.path)} {{#{name}}}\n"]
        if is_task(self.path):
            made.append(begin(self.path, self.known))
        if self.label == "glossary":
            text = glossary.with_names(text)
        for part, code in fences(text):
            if is_lesson(self.path) and not code:
                part = "\n\n".join(map(with_explorer, part.split("\n\n")))
            made.append(part if code else self.prose(part))
            snippet = re.search(r"<!-- snippet (\S+) (\S+) -->\s*$", part)
            if snippet and not code:
                source = os.path.join(os.path.dirname(self.path),
                                      snippet.group(1))
                made.append(quoted(os.path.normpath(source), snippet.group(2)))
        if is_lesson(self.path):
            made.append(to_do(self.path, self.known))
        course.write(f"{self.out}/{self.label}.md", "\n".join(made))


def with_explorer(paragraph: str) -> str:
    """Return a paragraph, below it the explorer that it names, to be unfolded."""
    found = re.search(r"\]\([./]*docs/explorers\.md#(\w+)\)(?:<!-- (\S+) -->)?", paragraph)
    if not found:
        return paragraph
    name, state = found.group(1), found.group(2)
    at = html.escape(f"explorers/{name}.html" + f"#{state}" * bool(state))
    return (f"{paragraph}\n\n<details><summary>The explorer, here</summary>\n@htmlonly[block]"
            f'<iframe loading="lazy" src="{at}" title="Explorer: {name}"></iframe>'
            "@endhtmlonly\n</details>\n")


def fences(text: str) -> List[tuple]:
    """Cut a text into (part, is it a fence?)."""
    parts: List[tuple] = []
    lines: List[str] = []
    code = False
    for line in text.split("\n"):
        if FENCE.match(line) and not code:
            parts.append(("\n".join(lines), False))
            lines, code = [line], True
        elif FENCE.match(line):
            parts.append(("\n".join([*lines, line]), True))
            lines, code = [], False
        else:
            lines.append(line)
    return parts + [("\n".join(lines), code)]


# ---- sources ----------------------------------------------------------------


def quoted(path: str, name: str) -> str:
    """Return the mark by which finish.py numbers the lines between `// [name]`."""
    lines = course.text_of(path).split("\n")
    first, last = pieces.marked(lines)[name]
    numbers = ",".join(str(n) for n in range(first, last + 1)
                       if not pieces.MARK.fullmatch(lines[n - 1]))
    return (f'\n@htmlonly[block]\n<p class="source" data-lines="{numbers}">'
            f'<a href="source:{path}">{path}</a></p>\n@endhtmlonly\n')


def explained(path: str, words: List[str]) -> str:
    """Return the mark for annotate.py that a comment asks for, if it does."""
    if words[:1] != ["explains"]:
        return ""
    folder = os.path.dirname(path)
    file, name = [os.path.basename(folder) + ".cu", *words[1:]][-2:]
    source = f"{folder}/{file}"
    found = pieces.pieces(source).get(name)
    if not found:
        fail(f"{path}: <!-- {' '.join(words)} -->: {source} has neither a mark nor "
             f"a function {name}")
    return (f'\n@htmlonly[block]\n<p class="explains" hidden data-last="{found[1]}">'
            f'<a href="{pieces.address(source, found[0])}"></a></p>\n@endhtmlonly\n')


def brief(source: str) -> str:
    """Return what the head of a source says it is, in one line."""
    found = re.search(r"@brief (.*?)\n \*(?:\n|/)", course.text_of(source),
                      re.S)
    return re.sub(r"\s*\n \*\s*", " ", found.group(1)) if found else ""


def begin(path: str, known: Dict[str, str]) -> str:
    """Return how an exercise or a bug hunt begins, and the way back."""
    lesson = os.path.join(os.path.dirname(path), "README.md")
    return (f"Begin with `make {tasks.read(path).words} exercise`. The lesson: "
            f"@ref {known[lesson]}.\n")


def to_do(path: str, known: Dict[str, str]) -> str:
    """Return the links to the exercise and the bug hunts of a chapter."""
    there = [page for page in known if is_task(page)
             and os.path.dirname(page) == os.path.dirname(path)]
    if not there:
        return ""
    made = [f"\n## Exercise and bug hunts {{#{label(path)}_to_do}}\n"]
    made += [f"- @ref {known[page]} with `make {tasks.read(page).words} "
             "exercise`" for page in there]
    return "\n".join(made) + "\n"


def tables_of_results(known: Dict[str, str], out: str) -> None:
    """Write the pages of all records, one for each GPU and group of chapters."""
    page = Page("docs/results/README.md", known, out)
    for name, (words, text) in results.tables().items():
        page.label, page.glossary = name, None
        course.write(f"{out}/{name}.md",
                     f"# {words} {{#{name}}}\n\n{page.prose(text)}")


def cards() -> str:
    """Return a picture, a name and a sentence for each explorer, all of it a link."""
    made = []
    for path in sorted(glob.glob("docs/explorers/*.html")):
        text = course.text_of(path)
        name, lead = (re.findall(pattern, text, re.S)[0] for pattern in (
            "<title>(.*?) explorer</title>", r'<p class="lead">(.*?[.:])\s'))
        image = course.text_of(path.replace(".html", ".svg"))
        image = re.sub(r'role="img" aria-label="[^"]*"', 'aria-hidden="true"', image)
        made.append(f'<a class="card" href="{path[len("docs/"):]}">{image}'
                    f"<b>{name}</b> {' '.join(lead.split())}</a>")
    return ('@htmlonly[block]\n<div class="cards">' + "\n".join(made)
            + "</div>\n@endhtmlonly\n")


# ---- the list of chapters ---------------------------------------------------


def shares() -> Dict[str, Tuple[str, str]]:
    """Return idea and share of the library's speed as README.md's tables say."""
    return {chapter: (idea, share) for chapter, idea, share in re.findall(
        r"^\| \[(\w+)\]\([^)]*\) \| ([^|]*?) \|.*\| ([^|]*?) \|$",
        course.text_of("README.md"), re.M)}


def thumbnail(chapter: str, out: str) -> str:
    """Copy the first picture of a lesson, in an ink for either theme."""
    lesson = course.text_of(f"chapters/{chapter}/README.md")
    path = f"chapters/{chapter}/{re.findall(r'!.*?[(](.*?[.]svg)[)]', lesson)[0]}"
    text = re.sub(r"(@media [^}]*}})+", "text{display:none}",
                  course.text_of(path))
    width, height = re.findall(r'<svg[^>]* width="(\d+)" height="(\d+)"', text)[0]
    course.write(f"{out}/../html/files/{path}", text)
    return (f'<img src="files/{path}" alt="" width="{width}" height="{height}" '
            'loading="lazy">')


def list_of_chapters(out: str) -> str:
    """Return the page of all chapters: picture, idea, share of the library."""
    known = shares()
    made = ["# All chapters {#chapters}\n",
            "The share is that of the library's speed on an H200, as the tables of the "
            "[start page](@ref mainpage) have it. A pattern's is that of its fastest "
            'variant. To print: <a href="book.html">all lessons on one page</a>, '
            '<a href="sheets.html">sheets to predict on</a>, '
            '<a href="slides.html">slides</a>.\n']
    for group in dict.fromkeys(course.groups().values()):
        made += [f"## {course.GROUPS.get(group, group)} {{#chapters_{group}}}\n",
                 '@htmlonly[block]\n<table class="chapters">',
                 '<thead><tr><td></td><th scope="col">chapter</th>'
                 '<th scope="col" class="right">of the library</th></tr></thead>'
                 "<tbody>"]
        for chapter in course.chapters(group):
            idea, share = known.get(chapter, ("", ""))
            words = title(f"chapters/{chapter}/README.md").partition(": ")[2]
            does = re.sub(r"^[\w, ]+ step \d+: (.)", lambda sign: sign.group(1).upper(),
                          brief(f"chapters/{chapter}/{chapter}.cu"))
            made.append(
                f"<tr><td>{thumbnail(chapter, out)}</td>"
                f'<td><b>{course.short(chapter)}</b> <a href="chapter_{chapter}.html">'
                f"{html.escape(idea or words)}</a><br>{html.escape(does)}</td>"
                f'<td class="right">{share}</td></tr>')
        made.append("</tbody></table>\n@endhtmlonly\n")
    return "\n".join(made)


def main() -> int:
    """Write all pages."""
    out = sys.argv[1]
    os.makedirs(out)
    known = pages()
    for path in known:
        Page(path, known, out).write()
    tables_of_results(known, out)
    course.write(f"{out}/chapters.md", list_of_chapters(out))
    return 0


if __name__ == "__main__":
    course.script(main)
