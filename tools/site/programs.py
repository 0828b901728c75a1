"""Each program of a chapter with its lesson beside it: code_CHAPTER.html.

The code is in colours, its names lead where they are defined; the prose is that of
the lesson, whose snippets say which lines a paragraph is about:

    below a heading      what stands before its first snippet leads to that
    between snippets     the last block leads to the second, with one before it that
                         ends in a colon, the others are about the first
    behind a snippet     all, to the next heading, is about it

Where this is not so, a comment in the README.md says what the blocks behind it
are about: a mark or a function of the chapter's .cu, or of FILE.

    <!-- explains NAME -->
    <!-- explains FILE NAME -->

A section `### 7. name` without a snippet of variant 7 stands at its kernel. Lines
that `make diff` adds are marked, and what runs on the CPU is folded, unless the
lesson explains it.
"""

import itertools
import os
import re
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from tools import course, diff
from tools.site import code, frame, glossary, pages, pieces, tree
from tools.site.names import Names
from tools.site.tree import Element


# ---- the lesson -------------------------------------------------------------

class Note(NamedTuple):
    """A block of the lesson, and the heading that it stands below."""

    heading: Element
    block: Optional[Element]


Notes = Dict[pieces.Lines, List[Note]]  # by the lines that they are about


def snippet(block: Element) -> Optional[Tuple[str, pieces.Lines]]:
    """Return file and lines of a block that shows some, or says what is explained."""
    lines = block.get("data-lines", "").split()
    return (block["data-path"], (int(lines[0]), int(lines[1]))) if lines else None


class Lesson:
    """What the page of a chapter says of each of its programs."""

    def __init__(self, page: pages.Page) -> None:
        self.page = f"{page.label}.html"
        self.notes: Dict[str, Notes] = {}
        (_, self.opening), *self.sections = tree.sections(page.body, "h2", "h3", "h4")
        for heading, blocks in self.sections:
            self.read(heading, blocks)

    def put(self, at: Optional[Tuple[str, pieces.Lines]], notes: List[Note]) -> None:
        """Put notes where a snippet stands; without one, nowhere."""
        if at:
            path, lines = at
            self.notes.setdefault(path, {}).setdefault(lines, []).extend(notes)

    def read(self, heading: Element, blocks: List[Element]) -> None:
        """Put what stands below a heading beside the lines that it is about."""
        at, waiting = None, []
        for block in blocks:
            if snippet(block):
                two = len(waiting) > 1 and tree.words(waiting[-2].block).endswith(":")
                leads = waiting if at is None else waiting[-1 - two:]
                leads = [] if block.name == "explains" else leads
                self.put(at, waiting[:len(waiting) - len(leads)])
                at, waiting = snippet(block), []
                self.put(at, [*leads, Note(heading, block)] if leads else [Note(heading, None)])
            elif not block.select_one(".lineno"):
                waiting.append(Note(heading, block))
        self.put(at, waiting)

    def of_variant(self, path: str) -> List[Note]:
        """Return the section whose heading has the number of a variant."""
        number = str(int(os.path.basename(path).split("_")[0]))
        for heading, blocks in self.sections:
            head = re.match(r"(\d+)(?: and (\d+))?\. ", tree.words(heading))
            if head and number in head.groups():
                return [Note(heading, block) for block in blocks if block.name != "explains"
                        and not block.select_one(f'.lineno, a[href^="{pieces.page(path)}#"]')]
        return []


# ---- the program ------------------------------------------------------------

def changed(old: str, path: str) -> Set[int]:
    """Return the lines of a program that `make diff` would add."""
    lines = course.blank(course.text_of(path)).split("\n")
    numbers = [n for n, line in enumerate(lines, 1) if line.strip()]
    said = diff.compared(old, path, "--unified=0")
    found: Set[int] = set()
    for first, count in re.findall(r"^@@ .*\+(\d+)(?:,(\d+))? @@", said, re.M):
        begin = int(first) - 1
        found |= set(numbers[begin:begin + int(count or 1)])
    return found


def before(chapter: str, path: str) -> Optional[str]:
    """Return the program before: of the variant, or of the chapter."""
    variants, last = list(course.variants(chapter).values()), course.before(chapter)
    found = dict(zip(variants[1:], variants))
    if last:
        found[f"chapters/{chapter}/{chapter}.cu"] = f"chapters/{last}/{last}.cu"
    return found.get(path)


class Program:
    """One source, its lines as HTML."""

    def __init__(self, chapter: str, path: str, names: Names) -> None:
        self.path, self.page = path, pieces.page(path)
        self.lines = course.text_of(path).rstrip("\n").split("\n")
        self.before = before(chapter, path)
        self.changed = changed(self.before, path) if self.before else set()
        self.brief, self.defined = names.brief(names.files[path]), names.defined(path)
        self.html = code.lines("\n".join(self.lines), "cuda", self.link)
        self.functions = pieces.functions(self.lines)
        self.heads = {self.functions[name][0]: (name, said)
                      for name, said in names.parameters(path) if name in self.functions}

    def link(self, name: str) -> str:
        """Return where a name is explained."""
        term = glossary.forms().get(name) if code.CUDA.fullmatch(name) else None
        to = self.defined.get(name, f"glossary.html#{glossary.name(term)}" if term else "")
        return to[len(self.page):] if to.startswith(self.page + "#") else to

    def folded(self, told: Set[int]) -> Dict[int, Tuple[int, str]]:
        """Return what need not be read, by its first line: what runs on the CPU and is
        not explained, and comments that stand at the right."""
        comments = {first: (next(n for n in range(first, len(self.lines) + 1)
                                 if self.lines[n - 1].endswith("*/")), f"comment of {name}")
                    for first, (name, _) in self.heads.items() if first not in told}
        heads = {name: course.blank("\n".join(self.lines[first - 1:last])).split("{")[0]
                 for name, (first, last) in self.functions.items()}
        host = [name for name, head in heads.items()
                if not re.search("__(device|global)__", head)]
        if len(host) == len(heads):
            return {}
        return {**comments, **{
            self.functions[name][0]: (self.functions[name][1], name) for name in host
            if not told & set(range(*self.functions[name]))}}

    def box(self, first: int, last: int, told: Set[int]) -> str:
        """Return some lines, in a box that scrolls sideways where it must."""
        made = []
        for n in range(first, last + 1):
            kinds = {"line": True, "new": n in self.changed, "told": n in told,
                     "mark": pieces.MARK.fullmatch(self.lines[n - 1])}
            made.append(code.line(self.html[n - 1], n, kinds=" ".join(filter(kinds.get, kinds))))
        return code.box(made) if made else ""

    def code(self, first: int, last: int, told: Set[int]) -> str:
        """Return a part of the listing."""
        made, begin = [], first
        for start, (end, name) in sorted(self.folded(told).items()):
            if first <= start and end <= last:
                new = ' class="new"' if self.changed & set(range(start, end + 1)) else ""
                made += [self.box(begin, start - 1, told),
                         f"<details{new}><summary><code>{name}</code>, lines {start} – {end}"
                         f"</summary>{self.box(start, end, told)}</details>"]
                begin = end + 1
        return "".join([*made, self.box(begin, last, told)])


# ---- the page ---------------------------------------------------------------

def told(lesson: str, lines: pieces.Lines, notes: List[Note]) -> str:
    """Return what the lesson says of some lines."""
    first, last = lines
    where = f"Lines {first} – {last}" if first < last else f"Line {first}"
    made: List[str] = []
    for heading, some in itertools.groupby(notes, lambda note: note.heading):
        link = f'<a href="{lesson}#{heading["id"]}">{tree.inner(heading)}</a>'
        made.append(f"<h3>{link}</h3>" if made else
                    f'<h2><a href="#l{first}">{where}</a> <small>{link}</small></h2>')
        made += [tree.outer(note.block) for note in some if note.block is not None]
    return "\n".join(made)


def body(program: Program, notes: Notes, lesson: str, opening: str) -> str:
    """Return the listing in parts, each behind what is said of it."""
    explained = {n for first, last in notes for n in range(first, last + 1)
                 if not any((first, last) != (a, b) and first <= a and b <= last
                            for a, b in notes)}
    starts: Dict[int, List[pieces.Lines]] = {1: []}
    for lines in sorted(notes):
        starts.setdefault(lines[0], []).append(lines)
    heads = {first: f'<h2><a href="#l{first}"><code>{name}</code></a></h2>{said}'
             for first, (name, said) in program.heads.items() if first not in explained}
    begins = sorted({*starts, *heads})
    parts: List[str] = []
    for first, end in zip(begins, [*begins[1:], len(program.lines) + 1]):
        text = opening * (first == 1) + heads.get(first, "") + "\n".join(
            told(lesson, lines, notes[lines]) for lines in starts.get(first, ()))
        parts.append('<div class="part">' + (f'<div class="note">{text}</div>\n' if text else "")
                     + f'<div class="listing">{program.code(first, end - 1, explained)}</div>')
    return "</div>\n".join([*parts, ""])


def files(chapter: str, path: str) -> str:
    """Return the links to all files of a chapter, if it has several."""
    some = pieces.programs(chapter)
    links = "".join(f'<li><a href="{pieces.page(one)}"' + ' aria-current="page"' * (one == path)
                    + f">{pieces.called(one)}</a></li>" for one in some)
    return f'<nav class="files" aria-label="Files of the chapter"><ul>{links}</ul></nav>' \
        if some[1:] else ""


def legend(chapter: str, program: Program) -> str:
    """Return what the marks in the margin mean."""
    if not program.before:
        return ""
    names = diff.name_of(program.before), diff.name_of(program.path)
    of = "from=%s to=%s " % names if program.path.endswith(".cuh") else ""
    return (f'<p class="legend"><b class="plus">+</b> new or changed since <a href="'
            f'{pieces.page(program.before)}">{course.short(names[0])}</a>, as <code>make chapter='
            f"{course.short(chapter)} {of}diff</code> shows: {len(program.changed)} lines</p>")


def page(chapter: str, program: Program, lesson: Lesson) -> None:
    """Write the page of one source."""
    notes = dict(lesson.notes.get(program.path, {}))
    if program.path in course.variants(chapter).values() and not any(
            note.block is not None for there in notes.values() for note in there):
        kernel = next((lines for lines in program.functions.values() if "__global__" in
                       "\n".join(program.lines[lines[0] - 1:lines[1]])), (1, 1))
        notes = {next(iter(notes), kernel): lesson.of_variant(program.path)}
    opening = [block for i, block in enumerate(lesson.opening[:2])
               if i == 0 or block.name != "p"] if program.path.endswith(".cu") else []
    heading = f"{course.short(chapter)}: {pieces.called(program.path)} beside its lesson"
    text = body(program, notes, lesson.page, files(chapter, program.path)
                + "\n".join(map(tree.outer, opening)))
    frame.write(
        heading, program.page[:-len(".html")], program.brief
        + f'\n{legend(chapter, program)}<div class="program">{text}</div>',
        lesson.page[:-len(".html")],
        path=f'<a href="{lesson.page}">Lesson {chapter}</a> / {program.path.split("/", 2)[2]}')


def write(lessons: Dict[str, pages.Page], names: Names) -> None:
    """Write the programs of all chapters; the lessons lose their marks."""
    for chapter, lesson_page in lessons.items():
        lesson = Lesson(lesson_page)
        for path in course.sources(chapter):
            page(chapter, Program(chapter, path, names), lesson)
        for mark in lesson_page.body("explains"):
            mark.decompose()
