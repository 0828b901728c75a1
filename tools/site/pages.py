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
import os
import re
import shutil
from typing import Dict, List, Optional
from urllib.parse import unquote

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


def picture(path: str) -> Element:
    """Return a picture whose ink is that of the page, so that it follows the switch. Its
    ids begin with the folder's name: the book has the pictures of all lessons."""
    text = re.sub(r"@media \(prefers-color-scheme[^}]*}}", "", course.text_of(path))
    ids = "|".join(re.findall(r'\bid="([^"]+)"', text)) or "$"
    return tree.parse(re.sub(rf'(?<=[" #])({ids})(?=[" )])', rf"{path.split('/')[1]}-\1", text))[0]


class Page:
    """One file as a page."""

    def __init__(self, path: str, names: Names) -> None:
        self.path, self.names = path, names
        self.label, self.title = label(path), title(path)
        self.body = tree.markdown(course.text_of(path))
        self.body.remove(self.body[0])
        for parent in self.body.iter():
            self.links(parent)
        for parent in list(self.body.iter()):
            self.marks(parent)
        self.headings()
        for table in self.body.iter("table"):
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

    def links(self, parent: Element) -> None:
        """Lead the links of an element to where they belong on the site."""
        parts = tree.content(parent)
        for i, part in enumerate(parts):
            if isinstance(part, str):
                continue
            if part.tag == "a" and "href" in part.attrib:
                behind = parts[i + 2] if i + 2 < len(parts) and not parts[i + 1] else None
                state = behind.text.strip() if behind is not None \
                    and behind.tag is tree.ET.Comment and "=" in behind.text else ""
                part.set("href", self.address(part.get("href"), state))
            elif part.tag == "img":
                path = self.resolved(part.get("src"))
                part.set("src", path if path.endswith(".svg") else self.copied(path))

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

    # ---- blocks --------------------------------------------------------------

    def marks(self, parent: Element) -> None:
        """Carry out what comments ask for and drop them; colour code, show pictures."""
        parts: List[tree.Part] = []
        snippet: List[str] = []
        for part in tree.content(parent):
            if isinstance(part, str):
                parts.append(part)
            elif part.tag is tree.ET.Comment:
                said = part.text.split()
                snippet = said[1:] if said[0] == "snippet" else snippet
                parts += [self.explained(said[1:])] if said[0] == "explains" else []
            elif part.tag == "pre" and len(part) and part[0].tag == "code":
                parts += self.code(part[0], snippet)
                snippet = []
            elif part.tag == "p" and [one.tag for one in part] == ["img"]:
                path = part[0].get("src")
                parts.append(make("figure", picture(path) if path.endswith(".svg") else part[0],
                                  make("figcaption", part[0].get("alt"))))
            else:
                parts.append(part)
                parts.append(self.explorer(part) if is_lesson(self.path) else "")
        tree.fill(parent, parts)

    def code(self, said: Element, snippet: List[str]) -> List[Element]:
        """Return a block of code; a snippet has the numbers of its lines."""
        language = said.get("class", "language-text")[len("language-"):]
        made = code.lines(said.text.rstrip("\n"), language)
        path = self.resolved(snippet[0]) if snippet else ""
        to = self.names.page(path)
        if not to:  # a solution has no listing
            return [*tree.parse(code.box(map(code.line, made)))]
        lines = course.text_of(path).split("\n")
        first, last = self.piece(path, snippet[1])
        numbers = [n for n in range(first, last + 1) if not pieces.MARK.fullmatch(lines[n - 1])]
        return [make("p", make("a", f"{os.path.basename(path)}, lines {first} – {last}",
                               href=f"{to}#l{first}"),
                     class_="source", data_path=path, data_lines=f"{first} {last}"),
                *tree.parse(code.box(code.line(*one, to) for one in zip(made, numbers)))]

    def explained(self, said: List[str]) -> Element:
        """Return the mark for programs.py that a comment asks for."""
        file, name = [os.path.basename(os.path.dirname(self.path)) + ".cu", *said][-2:]
        path = self.resolved(file)
        first, last = self.piece(path, name)
        return make("explains", data_path=path, data_lines=f"{first} {last}")

    def piece(self, path: str, name: str) -> pieces.Lines:
        """Return the lines of a piece of a program that the page speaks of."""
        found = pieces.pieces(path).get(name)
        if not found:
            fail(f"{self.path}: {path} has neither a mark nor a function {name}")
        return found

    def explorer(self, paragraph: Element) -> Optional[Element]:
        """Return the explorer or the trace that a paragraph names, to be unfolded below."""
        if paragraph.tag == "p" and PLAYED.match(tree.words(paragraph)):
            name = os.path.basename(os.path.dirname(self.path))
            return make("details", make("summary", "The requests, here"), make(
                "iframe", data_src=f"explorers/trace_{name}.html", title="Requests"))
        to = next((a.get("href") for a in paragraph.iter("a")
                   if a.get("href", "").startswith("explorers/")), "") \
            if paragraph.tag == "p" else ""
        return make("details", make("summary", "The explorer, here"), make(
            "iframe", data_src=to, title="Explorer: " + re.findall(
                r"/(\w+)", to)[0])) if to else None

    def headings(self) -> None:
        """Give each heading the name by which README.md#heading finds it."""
        for level in "234":
            for heading in self.body.iter(f"h{level}"):
                heading.set("id", anchor(self.label, tree.words(heading)))

    def table(self, table: Element) -> None:
        """Say what a table is of; where a cell holds many words, a phone stacks them,
        each below the head of its column."""
        table.set("class", "data")
        head, *bodies = list(table)
        heads = [tree.words(cell) for cell in head[0]]
        longest = max([len(tree.words(cell)) for body in bodies for cell in body.iter("td")],
                      default=0)
        for row in table.iter("tr"):
            for cell, name in zip(row, heads):
                side = cell.attrib.pop("align", "")
                if side:
                    cell.set("class", side)
                if cell.tag == "th" and name:
                    cell.set("scope", "col")
                elif cell.tag == "th":  # an empty corner is the head of nothing
                    cell.tag = "td"
                elif longest > LONG and len(heads) > 2 and cell is not row[0]:
                    cell.set("data-head", name + ": ")
        if longest > LONG:
            table.set("class", "data words")
        if not any(heads):
            table.remove(head)

    def task(self) -> None:
        """Fold the hints of an exercise, each alone; its gates are code. Before them
        stands what the learner gets, and what is to be written is lit."""
        parts: List[tree.Part] = []
        for part in self.body:
            hints = part.tag == "ol" and parts[-1].get("id") == anchor(self.label, "hints")
            parts += [make("details", make("summary", f"Hint {number}"), make(
                "p", *tree.content(hint))) for number, hint in enumerate(part, 1)] \
                if hints else [part]
        for cell in self.body.iter("td"):
            if re.search(r"[<>=]=|--", cell.text or ""):
                tree.fill(cell, [make("code", *tree.content(cell))])
        task = tasks.read(self.path)
        skeleton = skeletons.of(task).rstrip("\n")
        shown, lit = [], False
        for line, said in zip(code.lines(skeleton), skeleton.split("\n")):
            lit = "// TODO" in said or lit and said.lstrip().startswith("//")
            shown.append(code.line(line, kinds="line told" if lit else "line"))
        now = next(i for i, part in enumerate(parts) if part.tag == "h2")
        parts.insert(now, make(
            "details", make("summary", make("code", f"make {task.words} exercise"),
                            " writes this file for you"),
            *tree.parse(code.box(shown))))
        tree.fill(self.body, parts)

    # ---- letters -------------------------------------------------------------

    def link_names(self) -> None:
        """Lead names of common/ in the text to the reference, and pages to the site's."""
        for parent in list(self.body.iter()):
            for name in parent.findall("code") if parent.tag not in ("a", "h2", "h3") else ():
                said = name.text or ""
                page = re.fullmatch(r"build/docs/html/(\w+\.html)", said)
                to = page.group(1) if page else \
                    self.names.find(said.rstrip("()")) if "_" in said else ""
                if to:
                    name.tag, name.text = "a", ""
                    name.set("href", to)
                    name.append(make("code", page.group(1) if page else said))

    def letters(self) -> None:
        """Keep together what shall not be broken, and let long names in tables be."""
        tree.replace(self.body, WHOLE, lambda match: [
            make("span", match.group(), class_="whole")], {"svg", "div", "iframe"})
        for cell in self.body.iter():
            if cell.tag in ("td", "th") or cell.get("class") == "source":
                tree.replace(cell, BREAK, lambda match: [match.group(), make("wbr")])

