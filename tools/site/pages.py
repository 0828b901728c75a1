"""The pages of the site, made of the repository's Markdown.

The pages read well on a code host, and the site shows what that shows, by the same
parser; in the tree that it gives,

    [text](../conv/README.md)      leads to that page of the site,
    [text](explorers.md#x)         to the explorer x, in the state that a comment
                                   behind it says: <!-- pad=8 -->
    [text](counts)                 to the file, which is copied to files/
    ![text](picture.svg)           is the picture itself, so that it follows the theme
    <!-- snippet FILE NAME -->     numbers the lines of the code that follows
    <!-- explains FILE NAME -->    says what the blocks behind it are about (programs.py)

The hints of an exercise are folded, the first use of a term of the glossary leads
there, and names of common/ lead to the reference.
"""

import functools
import glob
import itertools
import os
import re
import shutil
from typing import Dict, Iterable, List, Tuple
from urllib.parse import unquote

from bs4 import Comment

from tools import course
from tools.author import chinese
from tools.classroom import skeletons, tasks
from tools.machine import fail
from tools.site import code, glossary, pieces, tree
from tools.site.names import Names
from tools.site.tree import Element, make

OUT = "build/docs/html"
EXPLORERS = "docs/explorers.md"
PLAYED = re.compile("make chapter=[a-z_0-9]+ trace`? plays")
SOURCES = (".c", ".h", ".cu", ".cuh")
LONG = 32  # letters of a cell that holds words
BREAK = re.compile(r"(?<=\w\w)(?:[_/=.]|::|[a-z](?=[A-Z]))(?=[A-Za-z]\w\w)")  # behind it
WHOLE = re.compile(r"\d+(?: x \d+)+|\d+ (?:%|[mnu]s|[KMGT]i?B)(?!\w)|(?<![\w-])--\w+|\w+->\w+")


def is_lesson(path: str) -> bool:
    """Whether a page is that of a chapter."""
    return path.startswith("chapters/") and path.endswith("/README.md")


def is_task(path: str) -> bool:
    """Whether a page is that of an exercise or a bug hunt."""
    return path.startswith("chapters/") and not is_lesson(path)


def label(path: str) -> str:
    """Return the name of a page: chapter_scan, how_we_measure, simulator."""
    folder, name = os.path.split(path)
    if chinese.is_chinese(path):
        return f"zh_{name[:-len('.md')].lower()}"
    chapter = os.path.basename(folder)
    if name == "README.md":
        return f"chapter_{chapter}" if is_lesson(path) else chapter or "index"
    return f"exercise_{chapter}" if name == "exercise.md" else name[:-len(".md")].lower()


@functools.lru_cache(maxsize=None)
def known() -> Dict[str, str]:
    """Return the files that become pages, with their names, in their order."""
    files = ["README.md", *(f"chapters/{name}/README.md" for name in course.chapters()),
             *sorted(glob.glob("docs/*.md")), *sorted(glob.glob("docs/experiments/*.md")),
             "docs/results/README.md", "simulator/README.md", "CONTRIBUTING.md",
             *tasks.pages()]
    files += sorted(glob.glob(f"{chinese.FOLDER}*.md"),
                    key=lambda path: files.index(chinese.english(path)))
    return {path: label(path) for path in files}


def tasks_of(chapter: str) -> List[str]:
    """Return the pages of a chapter's exercise and bug hunts."""
    return [path for path in known() if is_task(path) and f"/{chapter}/" in path]


def anchor(page: str, heading: str) -> str:
    """Return the name of a heading of a page, or of the anchor that a code host gives it."""
    return f"{page}_" + re.sub("[ -]", "_", re.sub(r"[^\w -]", "", heading.lower()))


def title(path: str) -> str:
    """Return the title of a page; that of a chapter begins with its name."""
    text = course.text_of(path).partition("\n")[0].lstrip("# ").strip()
    chapter = re.match("chapters/([^/]+)", path)
    return f"{course.short(chapter.group(1))}: {text}" if chapter else text


def picture(path: str) -> tree.Drawing:
    """Return a picture whose ink is that of the page, so that it follows the switch. Its
    ids begin with the folder's name: the book has the pictures of all lessons."""
    text = re.sub(r"@media \(prefers-color-scheme[^}]*}}", "", course.text_of(path))
    ids = "|".join(re.findall(r'\bid="([^"]+)"', text)) or "$"
    return tree.Drawing(re.sub(rf'(?<=[" #])({ids})(?=[" )])', rf"{path.split('/')[1]}-\1", text))


def colour(block: Element, numbers: Iterable[int] = itertools.repeat(0), to: str = "") -> None:
    """Put a box of lines in colours, with their numbers on a page, in place of code."""
    language = block.code.get("class", "language-text")[len("language-"):]
    lines = code.lines(block.get_text().rstrip("\n"), language)
    block.replace_with(tree.parse(code.box(
        code.line(line, number, to) for line, number in zip(lines, numbers))).div)


class Page:
    """One file as a page."""

    def __init__(self, path: str, names: Names) -> None:
        self.path, self.names = path, names
        self.label, self.title = label(path), title(path)
        self.body = tree.markdown(course.text_of(path))
        self.body.h1.decompose()
        self.links()
        self.comments()
        for block in self.body("pre"):
            colour(block)
        self.pictures()
        if is_lesson(path):
            self.explorers()
        for heading in self.body(["h2", "h3", "h4"]):
            heading["id"] = anchor(self.label, tree.words(heading))
        for table in self.body("table"):
            self.table(table)
        if is_task(path):
            self.task()
        self.link_names()
        self.letters()
        if self.label not in ("glossary", "index") and not chinese.is_chinese(path):
            glossary.link_terms(self.body)
        elif self.label == "glossary":
            glossary.name_terms(self.body)

    # ---- links and pictures --------------------------------------------------

    def resolved(self, to: str) -> str:
        """Return the path of the repository that a link or a picture means."""
        folder = "." if to.startswith("/") else os.path.dirname(self.path)
        path = os.path.normpath(os.path.join(folder, to.lstrip("/"))) if to else self.path
        return os.path.join(path, "README.md") if os.path.isdir(path) else path

    def links(self) -> None:
        """Lead links to where they belong on the site."""
        for link in self.body.select("a[href]"):
            behind = link.next_sibling
            is_state = isinstance(behind, Comment) and "=" in behind
            link["href"] = self.address(link["href"], behind.strip() if is_state else "")

    def address(self, to: str, state: str) -> str:
        """Return where a link leads."""
        if re.match(r"\w+:", to):
            return to
        to, _, place = unquote(to).partition("#")
        path = self.resolved(to)
        if path == EXPLORERS and place:  # docs/explorers/build makes it
            return f"explorers/{place}.html" + f"#{state}" * bool(state)
        if path in known():
            page = label(path)
            return f"{page}.html" + (f"#{anchor(page, place)}" if place else "")
        if path.endswith(SOURCES) and self.names.page(path):
            return self.names.page(path)
        if not os.path.exists(path):
            fail(f"{self.path}: {to}: no such file")
        return self.copied(path)

    def copied(self, path: str) -> str:
        """Copy a file of the repository to the site; return its address."""
        to = f"{OUT}/files/{path}"
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copyfile(path, to)
        return f"files/{path}"

    def pictures(self) -> None:
        """Show pictures; one that stands alone has its words below it."""
        for image in self.body("img"):
            path, around = self.resolved(image["src"]), image.parent
            alone = around.name == "p" and not tree.words(around)
            if alone:
                around.name = "figure"
                around.append(make("figcaption", image["alt"]))
            if alone and path.endswith(".svg"):
                image.replace_with(picture(path))
            else:
                image["src"] = self.copied(path)

    # ---- blocks --------------------------------------------------------------

    def comments(self) -> None:
        """Carry out what comments ask for, and drop them."""
        for comment in self.body.find_all(string=lambda text: isinstance(text, Comment)):
            kind, *said = comment.split()
            if kind == "snippet":
                self.snippet(comment.find_next("pre"), *said)
            elif kind == "explains":
                file, name = [f"{os.path.basename(os.path.dirname(self.path))}.cu", *said][-2:]
                comment.insert_before(make("explains", **self.piece(file, name)[1]))
            comment.extract()

    def piece(self, file: str, name: str) -> Tuple[pieces.Lines, Dict[str, str]]:
        """Return a piece of a program that the page speaks of: its lines, and what tells
        programs.py of them."""
        path = self.resolved(file)
        found = pieces.pieces(path).get(name)
        if not found:
            fail(f"{self.path}: {path} has neither a mark nor a function {name}")
        return found, {"data_path": path, "data_lines": "%d %d" % found}

    def snippet(self, block: Element, file: str, name: str) -> None:
        """Show a piece of a program with the numbers of its lines."""
        path = self.resolved(file)
        to = self.names.page(path)
        if not to:  # a solution has no listing
            return
        lines = course.text_of(path).split("\n")
        (first, last), told = self.piece(file, name)
        numbers = [n for n in range(first, last + 1) if not pieces.MARK.fullmatch(lines[n - 1])]
        words = f"{os.path.basename(path)}, lines {first} – {last}"
        block.insert_before(make("p", make("a", words, href=f"{to}#l{first}"),
                                 class_="source", **told))
        colour(block, numbers, to)

    def explorers(self) -> None:
        """Below a paragraph that names an explorer, or how to play a trace, that is to
        be unfolded."""
        for paragraph in self.body("p"):
            link = paragraph.select_one('a[href^="explorers/"]')
            if PLAYED.match(tree.words(paragraph)):
                chapter = os.path.basename(os.path.dirname(self.path))
                words, title, to = "The requests", "Requests", f"explorers/trace_{chapter}.html"
            elif link:
                to = link["href"]
                words, title = "The explorer", "Explorer: " + re.findall(r"/(\w+)", to)[0]
            else:
                continue
            paragraph.insert_after(make("details", make("summary", f"{words}, here"),
                                        make("iframe", data_src=to, title=title)))

    def table(self, table: Element) -> None:
        """Say what a table is of; where a cell holds many words, a phone stacks them,
        each below the head of its column."""
        heads = [tree.words(cell) for cell in table.thead("th")]
        longest = max((len(tree.words(cell)) for cell in table("td")), default=0)
        table["class"] = "data words" if longest > LONG else "data"
        for row in table("tr"):
            for i, (cell, name) in enumerate(zip(row(["td", "th"]), heads)):
                side = cell.attrs.pop("align", "")
                if side:
                    cell["class"] = side
                if cell.name == "th" and name:
                    cell["scope"] = "col"
                elif cell.name == "th":  # an empty corner is the head of nothing
                    cell.name = "td"
                elif i and longest > LONG and len(heads) > 2:
                    cell["data-head"] = name + ": "
        if not any(heads):
            table.thead.decompose()

    def task(self) -> None:
        """Fold the hints of an exercise, each alone; its gates are code. Before them
        stands what the learner gets, and what is to be written is lit."""
        task = tasks.read(self.path)
        hints = self.body.select_one(f"#{anchor(self.label, 'hints')} + ol")
        for number, hint in enumerate(hints("li", recursive=False), 1):
            hints.insert_before(make("details", make("summary", f"Hint {number}"),
                                     make("p", *hint.contents)))
        hints.decompose()
        for cell in self.body("td", string=re.compile("[<>=]=|--")):
            cell.string.wrap(make("code"))
        skeleton = skeletons.of(task).rstrip("\n")
        shown, lit = [], False
        for line, said in zip(code.lines(skeleton), skeleton.split("\n")):
            lit = "// TODO" in said or lit and said.lstrip().startswith("//")
            shown.append(code.line(line, kinds="line told" if lit else "line"))
        self.body.h2.insert_before(make("details", make(
            "summary", make("code", f"make {task.words} exercise"), " writes this file for you"),
            tree.Drawing(code.box(shown))))

    # ---- letters -------------------------------------------------------------

    def link_names(self) -> None:
        """Lead names of common/ in the text to the reference, and pages to the site's."""
        for name in self.body("code"):
            said = name.get_text()
            page = re.fullmatch(r"build/docs/html/(\w+\.html)", said)
            to = page.group(1) if page else self.names.find(said.rstrip("()"))
            if to and name.parent.name not in ("a", "h2", "h3") and (page or "_" in said):
                name.string = page.group(1) if page else said
                name.wrap(make("a", href=to))

    def letters(self) -> None:
        """Keep together what shall not be broken, and let long names in tables be."""
        tree.replace(self.body, WHOLE, lambda match: [
            make("span", match.group(), class_="whole")], ["div", "iframe"])
        for cell in self.body.select("td, th, .source"):
            tree.replace(cell, BREAK, lambda match: [match.group(), make("wbr")])
