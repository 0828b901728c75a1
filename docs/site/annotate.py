#!/usr/bin/env python3
"""Write each program of a chapter with its lesson beside it: code_CHAPTER.html.

Usage: annotate.py FOLDER          (docs/site/build calls it, after finish.py)

The code is the listing in FOLDER/raw; the prose is that of the lesson in
FOLDER/html, whose snippets say which lines a paragraph is about:

    below a heading      what stands before its first snippet leads to that
    between snippets     the last block leads to the second, the others are about
                         the first
    behind a snippet     all, to the next heading, is about it

Where this is not so, a comment in the README.md says what the blocks behind it
are about: a mark or a function of the chapter's .cu, or of FILE.

    <!-- explains NAME -->
    <!-- explains FILE NAME -->

A section `### 7. name` without a snippet of variant 7 stands at its kernel. Lines
that `make diff` adds are marked, and what runs on the CPU is folded, unless the
lesson explains it.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

sys.path.insert(0, "tools")

import course  # noqa: E402
import diff  # noqa: E402
import finish  # noqa: E402
import glossary  # noqa: E402
import navigation  # noqa: E402
import pieces  # noqa: E402
import prepare  # noqa: E402

# Words of CUDA, and the term of the glossary that tells of them.
TERMS = {
    r"__syncthreads": "barrier", r"__shared__": "shared memory",
    r"__constant__": "constant memory", r"__global__": "kernel",
    r"__device__": "device", r"__host__": "host",
    r"threadIdx|blockDim": "thread", r"blockIdx": "block",
    r"gridDim|dim3": "grid", r"__shfl\w*": "shuffle",
    r"__(?:ballot|any|all)_sync|__syncwarp": "warp", r"atomic[A-Z]\w*": "atomic",
    r"float4|make_float4|__align__": "alignment", r"__threadfence": "fence",
    r"__launch_bounds__": "register", r"__pipeline_\w+": "asynchronous copy",
    r"__cluster_dims__": "cluster", r"CUtensorMap": "tensor map",
    r"cudaMalloc": "global memory", r"bfloat16|__nv_bfloat16\w*": "bfloat16",
    r"cudaLaunchCooperativeKernel": "cooperative launch",
}
LATE = 12  # lines of code that prose may stand below those that it is about

WORD = re.compile(r"(<span class=\"(?:comment|stringliteral)\">.*?</span>|<[^>]*>|"
                  r"&\w+;)|\b(" + "|".join(TERMS) + r")\b")
TAG = re.compile(r"<(/?)(\w+)((?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>", re.S)
VOID = ("br", "col", "hr", "img", "input", "link", "meta", "wbr")
HEADING = re.compile(r'<h\d id="(\w+)">(.*?)</h\d>$', re.S)
LINE = re.compile(r'<div class="line">(.*?)</div>')
PLACE = re.compile(r'href="(code_\w+\.html)#l(\d+)"')


# ---- the lesson -------------------------------------------------------------

class Note(NamedTuple):
    """A block of the lesson, and the heading that it stands below."""

    anchor: str
    heading: str
    text: str


Notes = Dict[pieces.Lines, List[Note]]  # by the lines that they are about


def blocks(text: str) -> Iterator[str]:
    """Cut HTML into the elements at its top, up to the end of what is around it."""
    depth = start = 0
    for tag in TAG.finditer(text):
        closes, name, rest = tag.groups()
        if name not in VOID and not rest.endswith("/"):
            depth += -1 if closes else 1
            if depth < 0:
                return
            if depth == 0:
                yield text[start:tag.end()].strip()
                start = tag.end()


def cleaned(text: str) -> str:
    """Return a block as it can stand beside code: a drawing knows how wide it is."""
    def drawing(match: "re.Match[str]") -> str:
        lines = html.unescape(re.sub("<[^>]*>", "", match.group(3))).split("\n")
        return (f'<{match.group(1)} style="--columns: {max(map(len, lines))}">'
                f"{match.group(3)}{match.group(4)}")

    return re.sub(r'<((pre|div) class="fragment")>(.*?)(</pre>|</div>$)', drawing, text,
                  flags=re.S)


def shown(source: str) -> str:
    """Return what stands for a snippet where its code is not beside the prose."""
    found = PLACE.search(source)
    file = os.path.basename(re.sub("<[^>]*>", "", source)).strip()
    return (f"<p>Here the lesson shows <a {found.group(0)}>{file}, line "
            f"{found.group(2)}</a>.</p>") if found else ""


class Lesson:
    """What the page of a chapter says of each of its programs."""

    def __init__(self, chapter: str, text: str) -> None:
        self.page = f"chapter_{chapter}.html"
        self.notes: Dict[str, Notes] = {}
        self.opening: List[str] = []
        self.sections: List[List[Note]] = []  # of each heading
        self.at: Optional[Tuple[str, pieces.Lines]] = None
        self.waiting: List[Note] = []
        self.read(text.partition('<div class="textblock">')[2])

    def put(self, notes: List[Note]) -> None:
        """Put notes where the last snippet stands; without one, nowhere."""
        if self.at:
            page, lines = self.at
            self.notes.setdefault(page, {}).setdefault(lines, []).extend(notes)

    def go(self, block: str, next_block: str, mark: Note) -> None:
        """Go to the lines of a snippet or of a comment."""
        found = PLACE.search(block)
        numbers = re.findall(r'class="lineno"[^>]*> *(\d+)', next_block)
        last = re.search(r'data-last="(\d+)"', block)
        leads = self.waiting if self.at is None else self.waiting[-1:]
        leads = [] if last else leads
        self.put(self.waiting[:len(self.waiting) - len(leads)])
        self.at = None
        if found and (last or numbers):
            self.at = (found.group(1), (int(found.group(2)), int(
                last.group(1) if last else numbers[-1])))
        self.put(leads or [mark])
        self.waiting = []

    def read(self, text: str) -> None:
        """Read all blocks."""
        all_blocks = list(blocks(text))
        anchor = name = ""
        for block, next_block in zip(all_blocks, [*all_blocks[1:], ""]):
            heading = HEADING.match(block)
            if heading:
                self.put(self.waiting)
                self.waiting, self.at = [], None
                anchor, name = heading.groups()
                self.sections.append([])
            elif not anchor:
                self.opening.append(block)
            elif block.startswith('<p class="explains"'):
                self.go(block, "", Note(anchor, name, ""))
            elif block.startswith('<p class="source"'):
                self.go(block, next_block, Note(anchor, name, ""))
                self.sections[-1].append(Note(anchor, name, shown(block)))
            elif not re.search(r'class="lineno"', block):
                note = Note(anchor, name, block)
                self.waiting.append(note)
                self.sections[-1].append(note)
        self.put(self.waiting)

    def of_variant(self, path: str) -> List[Note]:
        """Return the section whose heading has the number of a variant."""
        number = str(int(os.path.basename(path).split("_")[0]))
        for section in self.sections:
            head = section and re.match(r"(\d+)(?: and (\d+))?\. ", section[0].heading)
            if head and number in head.groups():
                return [note for note in section
                        if f'"{pieces.page(path)}#' not in note.text]
        return []


# ---- the program ------------------------------------------------------------

class Listings:
    """Doxygen's listings, and where a name is defined."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.page_of = finish.listings(tree.parse(f"{folder}/tags.xml").getroot())
        self.path_of = {page: path for path, page in self.page_of.items()}

    def text(self, path: str) -> str:
        """Return the page of the listing of a file."""
        return course.text_of(f"{self.folder}/raw/{self.page_of[path]}")

    def definitions(self, path: str) -> Dict[str, str]:
        """Return where the names in a file are defined, by Doxygen's links.

        It knows no scope: what another chapter defines is none of this file.
        """
        found = {}
        for link, page, line in re.findall(
                r'<div class="ttname"><a href="([^"]+)">.*?<div class="ttdef">.*?'
                r'href="([^"#]+)#l(\d+)"', self.text(path)):
            there = self.path_of.get(page, "")
            if there.split("/")[:2] == path.split("/")[:2]:
                found[link] = pieces.address(there, int(line)) or ""
            elif there.startswith("common/"):
                found[link] = f"{page}#l{line}"
        return found


def changed(before: str, path: str) -> Set[int]:
    """Return the lines of a program that `make diff` would add."""
    lines = course.blank(course.text_of(path)).split("\n")
    numbers = [n for n, line in enumerate(lines, 1) if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        for name, source in (("old", before), ("new", path)):
            course.write(f"{folder}/{name}", diff.code(source))
        said = subprocess.run(
            ["git", "diff", "--no-index", "-w", "--unified=0", f"{folder}/old",
             f"{folder}/new"], stdout=subprocess.PIPE, text=True).stdout
    found: Set[int] = set()
    for first, count in re.findall(r"^@@ .*\+(\d+)(?:,(\d+))? @@", said, re.M):
        begin = int(first) - 1
        found |= set(numbers[begin:begin + int(count or 1)])
    return found


def before(chapter: str, path: str) -> Optional[str]:
    """Return the program before: of the variant, or of the chapter."""
    variants = list(course.variants(chapter).values())
    if path in variants[1:]:
        return variants[variants.index(path) - 1]
    last = course.before(chapter)
    if last and path == f"chapters/{chapter}/{chapter}.cu":
        return f"chapters/{last}/{last}.cu"
    return None


class Program:
    """One source, its lines as HTML."""

    def __init__(self, chapter: str, path: str, listings: Listings) -> None:
        self.path, self.page = path, pieces.page(path)
        self.name = os.path.basename(path)
        self.lines = course.text_of(path).rstrip("\n").split("\n")
        self.before = before(chapter, path)
        self.changed = changed(self.before, path) if self.before else set()
        self.defined = listings.definitions(path)
        self.seen: Set[str] = set()
        found = LINE.findall(listings.text(path))
        self.html = [self.coloured(line, made) for line, made in
                     zip(self.lines, found)]

    def link(self, to: str, text: str) -> str:
        """Return a link; the keyboard stops only at the first to a place."""
        again = ' tabindex="-1"' if to in self.seen else ""
        self.seen.add(to)
        to = to[len(self.page):] if to.startswith(self.page + "#") else to
        return f'<a{again} href="{to}">{text}</a>'

    def coloured(self, line: str, made: str) -> str:
        """Return one line of the listing, its links led to where they belong."""
        def name(match: "re.Match[str]") -> str:
            link, text = match.groups()
            to = self.defined.get(link)
            return self.link(to, text) if to else text

        def word(match: "re.Match[str]") -> str:
            if match.group(1):
                return match.group(1)
            term = next(term for words, term in TERMS.items()
                        if re.fullmatch(words, match.group(2)))
            return self.link(f"glossary.html#{glossary.name(term)}",
                             match.group(2))

        made = re.sub(r'<a id=".*?</a>|<span class="lineno">.*?</span>', "", made)
        if html.unescape(re.sub("<[^>]*>", "", made)).rstrip() != line:
            made = html.escape(line)
        made = re.sub(r'<span class="\w+"></span>', "", made if line else "")
        made = re.sub(r'<a class="code[^"]*" href="([^"]*)">(.*?)</a>', name,
                      finish.colour(made))
        # Words that are links already keep theirs.
        return "".join(part if part.startswith("<a ") else WORD.sub(word, part)
                       for part in re.split(r"(<a .*?</a>)", made))

    def begin(self, line: int) -> int:
        """Return where a piece begins: with its mark, if there is one."""
        while line > 1 and pieces.MARK.fullmatch(self.lines[line - 2]):
            line -= 1
        return line

    def folded(self, told: Set[int]) -> Dict[int, Tuple[int, str]]:
        """Return what runs on the CPU and is not explained, by its first line."""
        functions = pieces.functions(self.lines)
        heads = {name: course.blank("\n".join(self.lines[first - 1:last])).split("{")[0]
                 for name, (first, last) in functions.items()}
        host = [name for name, head in heads.items()
                if not re.search("__(device|global)__", head)]
        if len(host) == len(heads):
            return {}
        return {functions[name][0]: (functions[name][1], name) for name in host
                if not told & set(range(*functions[name]))}

    def line(self, number: int, told: Set[int]) -> str:
        """Return one line with its number."""
        kinds = ["line", *["new"] * (number in self.changed),
                 *["told"] * (number in told)]
        return (f'<div class="{" ".join(kinds)}" id="l{number}"><a class="lineno" '
                f'tabindex="-1" href="#l{number}">{number}</a>'
                f"{self.html[number - 1]}</div>")

    def box(self, first: int, last: int, told: Set[int]) -> str:
        """Return some lines, in a box that scrolls sideways where it must."""
        if last < first:
            return ""
        return (f'<div class="fragment" role="group" '
                f'aria-label="lines {first} to {last}">'
                + "\n".join(self.line(n, told) for n in range(first, last + 1))
                + "</div>")

    def code(self, first: int, last: int, told: Set[int]) -> str:
        """Return a part of the listing."""
        made, begin = [], first
        for start, (end, name) in sorted(self.folded(told).items()):
            if first <= start and end <= last:
                made.append(self.box(begin, start - 1, told))
                new = ' class="new"' if self.changed & set(range(start, end + 1)) else ""
                made.append(
                    f'<details{new}><summary><code>{name}'
                    f"</code>, lines {start} – {end}</summary>"
                    f"{self.box(start, end, told)}</details>")
                begin = end + 1
        return "".join([*made, self.box(begin, last, told)])


# ---- the page ---------------------------------------------------------------

def told(lesson: str, lines: pieces.Lines, notes: List[Note]) -> str:
    """Return what the lesson says of some lines."""
    first, last = lines
    where = f"Lines {first} – {last}" if first < last else f"Line {first}"
    made, heading = [], ""
    for note in notes:
        if note.heading != heading:
            link = f'<a href="{lesson}#{note.anchor}">{note.heading}</a>'
            made.append(f"<h3>{link}</h3>" if heading else
                        f'<h2><a href="#l{first}">{where}</a> '
                        f"<small>{link}</small></h2>")
            heading = note.heading
        made.append(cleaned(note.text))
    return "\n".join(made)


def height(text: str) -> float:
    """Return about how many lines of code are as high as some prose beside them."""
    found = 0.0
    for block in blocks(text):
        picture = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', block)
        words = html.unescape(re.sub(r"<(svg|style)\b.*?</\1>|<[^>]*>", "", block,
                                     flags=re.S)).strip()
        if picture:
            found += 19 * float(picture.group(2)) / float(picture.group(1)) + 2
        elif "<table" in block or "fragment" in block or "<ul" in block:
            rows = re.findall("<tr|<li|\n", re.sub(r"\n*<(tr|li)", r"<\1", block))
            found += 1.4 * len(rows) + len(words) / 200
        else:
            found += 1.2 * (len(words) // 68 + 1) + 0.6
    return found + 1.5


def body(program: Program, notes: Notes, lesson: str, opening: str) -> str:
    """Return the listing in parts, each behind what is said of it.

    Prose may run on beside the lines below its own, but not far: then they wait,
    in the next group of parts.
    """
    explained = {n for first, last in notes for n in range(first, last + 1)
                 if not any((first, last) != (a, b) and first <= a and b <= last
                            for a, b in notes)}
    starts: Dict[int, List[pieces.Lines]] = {1: []}
    for lines in sorted(notes):
        starts.setdefault(program.begin(lines[0]), []).append(lines)
    begins = sorted(starts)
    groups: List[List[str]] = [[]]
    late = 0.0  # how far the prose reaches below the last line, in lines
    for first, end in zip(begins, [*begins[1:], len(program.lines) + 1]):
        note = "\n".join([opening] * (first == 1) + [
            told(lesson, lines, notes[lines]) for lines in starts[first]])
        if late > LATE:
            groups.append([])
            late = 0.0
        late = max(0.0, late + height(note) * bool(note) - (end - first))
        groups[-1].append(
            '<div class="part">' + (f'<div class="note">{note}</div>\n' if note else "")
            + f'<div class="listing" style="--lines: {end - first}">'
            f"{program.code(first, end - 1, explained)}</div></div>")
    return "\n".join(f'<div class="group">{"".join(parts)}</div>' for parts in groups)


def files(chapter: str, path: str) -> str:
    """Return the links to all files of a chapter, in groups."""
    variants = list(course.variants(chapter).values())
    sources = course.sources(chapter)
    others = [one for one in sources if one not in variants]
    shared = [one for one in others if one.endswith(".cuh") and re.search(
        "__(device|global)__", course.text_of(one))]
    groups = {"Variants": variants, "Shared": shared,
              "Program": [one for one in others if one not in shared]}
    if not variants:
        groups = {"Files": sources if len(sources) > 1 else []}
    made = []
    for group, paths in groups.items():
        links = []
        for one in paths:
            name = os.path.basename(one)
            if one in variants:
                number, name = name[:-len(".cuh")].split("_", 1)
                name = f"{int(number)} {name}"
            here = ' aria-current="page"' if one == path else ""
            links.append(f'<li><a href="{pieces.page(one)}"{here}>{name}</a></li>')
        if links:
            made.append(f"<dt>{group}</dt><dd><ul>{''.join(links)}</ul></dd>")
    return ('<nav class="files" aria-label="Files of the chapter"><dl>'
            f'{"".join(made)}</dl></nav>' if made else "")


def legend(chapter: str, program: Program) -> str:
    """Return what the marks in the margin mean."""
    if not program.before:
        return ""
    variants = program.path.endswith(".cuh")
    of = (f"from={diff.name_of(program.before)} to={diff.name_of(program.path)}"
          if variants else "")
    name = diff.name_of(program.before) if variants else course.short(
        diff.name_of(program.before))
    return (f'<p class="legend"><b class="plus">+</b> new or changed since '
            f'<a href="{pieces.page(program.before)}">{name}</a>, as <code>make '
            f"chapter={course.short(chapter)} {of + ' ' if of else ''}diff</code> "
            f"shows: {len(program.changed)} lines</p>")


def page(chapter: str, program: Program, lesson: Lesson, listing: str) -> str:
    """Return the page of one source."""
    notes = dict(lesson.notes.get(program.page, {}))
    variants = list(course.variants(chapter).values())
    if program.path in variants and not any(
            note.text for there in notes.values() for note in there):
        kernel = next((lines for lines in pieces.functions(program.lines).values()
                       if "__global__" in "\n".join(
                           program.lines[lines[0] - 1:lines[1]])), (1, 1))
        notes = {next(iter(notes), kernel): lesson.of_variant(program.path)}
    opening = [files(chapter, program.path)]
    opening += [cleaned(block) for block in lesson.opening[:2]
                if program.path.endswith(".cu") and (
                    block.startswith("<figure") or block == lesson.opening[0])]
    heading = f"{course.short(chapter)}: {pieces.called(program.path)} beside its lesson"
    main = "\n".join(filter(None, (
        f'<h1>{heading}</h1>\n<div class="contents">',
        f"<p>{html.escape(prepare.brief(program.path))}</p>",
        legend(chapter, program),
        f'<div class="program">{body(program, notes, lesson.page, "".join(opening))}'
        "</div></div>\n")))
    at, above = finish.above(program.path, f' · <a href="{listing}">the plain listing</a>')
    return navigation.framed(
        heading, program.page[:-len(".html")], main, at, above,
        '<link rel="stylesheet" href="annotated.css">\n')


def main() -> int:
    """Write the pages of all chapters."""
    folder = sys.argv[1]
    listings = Listings(folder)
    for chapter in course.chapters():
        name = f"{folder}/html/chapter_{chapter}.html"
        text = course.text_of(name)
        lesson = Lesson(chapter, text)
        course.write(name, pieces.EXPLAINS.sub("", text))
        for path in course.sources(chapter):
            program = Program(chapter, path, listings)
            course.write(f"{folder}/html/{program.page}", page(
                chapter, program, lesson, listings.page_of[path]))
    return 0


if __name__ == "__main__":
    course.script(main)
