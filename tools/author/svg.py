"""The lessons' pictures as SVG: their colours, shapes and words.

A picture is a function without arguments. It first finds the facts, in a trace
of the simulator; then it draws them. main() writes the pictures of a chapter,
or compares them. The same facts give the same bytes.

Every picture is 720 units wide. A phone shows it at less than half of that, and
there text of 24 units is 11 pixels high: none is smaller. Nothing is said by a
colour alone; text stands on the ground or on a solid colour. The first line is
the question or the point.
"""

import glob
import os
import sys
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple
from xml.sax.saxutils import escape

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

# A role has the same meaning in every picture. Its colours: on a light ground,
# on any ground (for renderers that do not know which), on a dark one. The hues
# are Okabe and Ito's, which also those tell apart who confuse red and green.
PALETTE: Dict[str, Tuple[str, str, str]] = {
    "ink": ("#333333", "#757575", "#c8c8c8"),  # text, outlines, arrows
    "black": ("#111111",) * 3,  # text and edges on a filled shape
    "lane": ("#56b4e9",) * 3,  # a lane, a warp: who works
    "wait": ("#f8c3a2",) * 3,  # lanes that wait for the others of their warp
    "global": ("#e69f00",) * 3,  # global memory
    "shared": ("#cc79a7",) * 3,  # shared memory
    "math": ("#f0e442",) * 3,  # arithmetic, registers
    "bad": ("#d55e00",) * 3,  # dear, the step before; in a box with corners
    "good": ("#009e73",) * 3,  # cheap, the step after; in a box with round ends
}
# Two fills more, each 8 units from line to line: its colour, width and ground.
PATTERNS = {
    "hatch": ("ink", 2, "none"),  # there for nothing
    "stripes": ("bad", 4, "#f8c3a2"),  # a conflict: has to wait for its turn
}
WIDTH = 720  # of a picture (units)
LONGEST = 300  # a line of pieces
TEXT, NAME, HEAD, NUMBER = 24, 26, 28, 28  # sizes of text
THIN, LINE, BOLD = 1, 2, 4  # widths of lines
Point = Tuple[float, float]


def text_width(words: str, size: float = TEXT) -> float:
    """Return at least the width of a text: fonts differ, some are wide."""
    return size * sum(0.34 if c in " .,:;il|'()" else 0.62 for c in words)


def count(n: int, noun: str) -> str:
    """Return "1 warp", "2 warps", "1,024 warps"."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


Bounds = Tuple[float, float, float, float]  # left, top, right, bottom


class Group(NamedTuple):
    """Shapes that look the same, as one element."""

    opening: str
    pieces: List[str]
    closing: str
    bounds: List[Bounds]  # of each piece

    def below(self, one: Bounds) -> bool:
        """Does a shape lie on one of these?"""
        return any(one[0] < right and left < one[2] and one[1] < bottom
                   and top < one[3] for left, top, right, bottom in self.bounds)


def wrapped(words: List[str]) -> str:
    """Join words to lines that are not too long."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > LONGEST:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


class Picture:
    """Shapes, each in front of those before. (0, 0) is the upper left corner.

    Left and right of it is room for the outer half of an outline.
    A fill is a role, a pattern or "" for an outline.
    """

    def __init__(self, name: str, height: int, title: str, desc: str) -> None:
        """title: the point, in the lesson too; desc: what is to be seen."""
        self.name, self.height = name, height
        self.title, self.desc = title, desc
        self.groups: List[Group] = []

    def add(self, opening: str, piece: str, closing: str,
            bounds: Bounds) -> None:
        """Add a shape to its like, if nothing drawn since lies below it."""
        for group in reversed(self.groups):
            if group.opening == opening:
                group.pieces.append(piece)
                group.bounds.append(bounds)
                return
            if group.below(bounds):
                break
        self.groups.append(Group(opening, [piece], closing, [bounds]))

    def draw(self, to: str, paint: str, bounds: Bounds,
             line: float = 0) -> None:
        """Add to a path."""
        left, top, right, bottom = bounds
        half = line / 2
        self.add(f"<path{paint} d=\"", to, "\"/>", (
            left - half, top - half, right + half, bottom + half))

    def paint(self, fill: str, stroke: str = "", width: float = LINE) -> str:
        """Return colours: attributes, and classes that the style overrides."""
        roles = [f"{kind}-{role}" for kind, role in (("f", fill), ("s", stroke))
                 if role in PALETTE]
        colour = (f"url(#{self.name}-{fill})" if fill in PATTERNS
                  else PALETTE[fill][1] if fill else "none")
        line = (f' stroke="{PALETTE[stroke][1]}" stroke-width="{width}"'
                if stroke else "")
        classes = f' class="{" ".join(roles)}"' if roles else ""
        return f'{classes} fill="{colour}"{line}'

    def box(self, x: float, y: float, width: float, height: float,
            fill: str = "", words: str = "", line: float = LINE,
            corner: float = 0) -> None:
        """Draw a rectangle with words in its middle.

        Its edge is black on a colour, which is seen on any ground, else ink;
        with line 0 it has none.
        """
        edge = "black" if fill in PALETTE else "ink"
        paint = self.paint(fill, edge if line else "", line)
        if corner:
            self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" '
                     f'height="{height:g}" rx="{corner:g}"{paint}/>', "", "",
                     (x, y, x + width, y + height))
        else:
            self.draw(f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z", paint,
                      (x, y, x + width, y + height), line)
        if words:
            assert text_width(words) <= width, words
            assert fill not in PATTERNS, words
            self.text(x + width / 2, y + height / 2, words, anchor="middle",
                      role=edge)

    def circle(self, x: float, y: float, radius: float, fill: str) -> None:
        """Draw a disc with a black edge."""
        self.disc(x, y, radius, self.paint(fill, "black"), LINE)

    def disc(self, x: float, y: float, radius: float, paint: str,
             line: float) -> None:
        """Draw a disc."""
        half = f"a{radius:g} {radius:g} 0 1 0 "
        self.draw(f"M{x - radius:g} {y:g}{half}{2 * radius:g} 0{half}"
                  f"{-2 * radius:g} 0z", paint,
                  (x - radius, y - radius, x + radius, y + radius), line)

    def path(self, points: Sequence[Point], line: float = LINE,
             fill: str = "", stroke: str = "ink") -> None:
        """Draw a line from point to point, or a filled shape without edge."""
        to = "L".join(f"{x:g} {y:g}" for x, y in points)
        x, y = zip(*points)
        self.draw(f"M{to}", self.paint(fill, "" if fill else stroke, line),
                  (min(x), min(y), max(x), max(y)), line)

    def arrow(self, start: Point, end: Point, line: float = LINE) -> None:
        """Draw an arrow, level or upright."""
        (x, y), head = end, 10
        dx = head * ((x > start[0]) - (x < start[0]))
        dy = head * ((y > start[1]) - (y < start[1]))
        self.path([start, (x - dx, y - dy)], line)
        self.path([end, (x - dx - dy / 2, y - dy - dx / 2),
                   (x - dx + dy / 2, y - dy + dx / 2)], fill="ink")

    def text(self, x: float, y: float, words: str, size: int = TEXT,
             anchor: str = "start", role: str = "ink",
             bold: bool = False) -> None:
        """Write a line of text; y is its middle."""
        wide = text_width(words, size)
        left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        assert size >= TEXT, words
        assert left >= -1 and left + wide <= WIDTH + 1, words
        weight = ' font-weight="700"' if bold else ""
        self.add(f'<g font-size="{size}" text-anchor="{anchor}"{weight}'
                 f"{self.paint(role)}>", f'<text x="{x:g}" '
                 f'y="{y + 0.35 * size:g}">{escape(words)}</text>', "</g>",
                 (left, y - size / 2, left + wide, y + size / 2))

    def head(self, words: str) -> None:
        """Write the first line."""
        self.text(0, 18, words, HEAD, bold=True)

    def panel(self, x: float, y: float, name: str, *below: str) -> None:
        """Write the name of a part of the picture, and lines of text below."""
        self.text(x, y, name, NAME, bold=True)
        for i, words in enumerate(below):
            self.text(x, y + TEXT * (i + 1) + 7 + 5 * i, words)

    def grid(self, x: float, y: float, size: float,
             rows: Sequence[Sequence[Optional[str]]],
             dots: Iterable[Tuple[int, int]] = ()) -> None:
        """Draw rows of squares, each its fill or None: there is no square.

        dots: (row, column) of squares that get a dot.
        """
        squares = [(row, col, fill) for row, line in enumerate(rows)
                   for col, fill in enumerate(line) if fill is not None]
        for row, col, fill in sorted(squares, key=lambda s: bool(s[2])):
            self.box(x + size * col, y + size * row, size, size, fill,
                     line=THIN)
        for row, col in dots:
            self.dot(x + size * (col + 0.5), y + size * (row + 0.5))

    def frame(self, x: float, y: float, width: float, height: float) -> None:
        """Draw a thick black line around squares."""
        self.draw(f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z",
                  self.paint("", "black", BOLD), (x, y, x + width, y + height),
                  BOLD)

    def dot(self, x: float, y: float, role: str = "black",
            radius: float = 4) -> None:
        """Draw what marks a square: a disc without edge."""
        self.disc(x, y, radius, self.paint(role), 0)

    def result(self, x: float, y: float, width: float, words: str,
               good: bool) -> None:
        """Draw the number that a panel ends with, as large as it fits."""
        self.box(x, y, width, 46, "good" if good else "bad",
                 corner=23 if good else 4)
        size = min(NUMBER, int((width - 8) / text_width(words, 1)))
        self.text(x + width / 2, y + 23, words, size, "middle", "black", True)

    def legend(self, x: float, y: float,
               entries: Sequence[Tuple[str, str]]) -> None:
        """Draw (fill, words) side by side; "dot" and "frame" are no fills."""
        left = x
        for fill, words in entries:
            wide = 34 + text_width(words)
            if x + wide > WIDTH:
                x, y = left, y + 30
            plain = fill in ("dot", "frame")
            self.box(x + 1, y - 10, 26, 20, "" if plain else fill,
                     line=BOLD if fill == "frame" else LINE)
            if fill == "dot":
                self.dot(x + 14, y, "ink")
            self.text(x + 34, y, words)
            x += wide + 20

    def svg(self) -> str:
        """Return the file."""
        n, body = self.name, "\n".join(
            one.opening + wrapped(one.pieces) + one.closing
            for one in self.groups)
        light, any_ground, dark = (
            ".cuda-picture{" + ";".join(
                f"--{role}:{colours[i]}" for role, colours in PALETTE.items())
            + "}" for i in range(3))
        rules = "".join(f".cuda-picture .{kind}-{role}{{{what}:var(--{role})}}"
                        for kind, what in (("f", "fill"), ("s", "stroke"))
                        for role in PALETTE)
        patterns = "".join(
            f'<pattern id="{n}-{pattern}" width="8" height="8" '
            'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            f'<rect width="8" height="8" fill="{ground}"/>'
            f'<path d="M4 0V8" class="s-{role}" stroke="{PALETTE[role][1]}" '
            f'stroke-width="{width}"/></pattern>\n'
            for pattern, (role, width, ground) in PATTERNS.items()
            if f"#{n}-{pattern}" in body)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" class="cuda-picture" '
            f'width="{WIDTH + 2 * LINE}" height="{self.height}" '
            f'viewBox="{-LINE} 0 {WIDTH + 2 * LINE} {self.height}" role="img" '
            f'aria-labelledby="{n}-title {n}-desc" '
            'font-family="system-ui, sans-serif">\n'
            f'<title id="{n}-title">{escape(self.title)}</title>\n'
            f'<desc id="{n}-desc">{escape(self.desc)}</desc>\n'
            f"<style>\n{any_ground}\n"
            f"@media (prefers-color-scheme:light){{{light}}}\n"
            f"@media (prefers-color-scheme:dark){{{dark}}}\n"
            f"{rules}\n</style>\n"
            + (f"<defs>\n{patterns}</defs>\n" if patterns else "")
            + f"{body}\n</svg>\n")


def checking() -> bool:
    """Is --check given? Refuse anything else."""
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(f"usage: {sys.argv[0]} [--check]")
    return bool(sys.argv[1:])


def renew(path: str, data: bytes) -> int:
    """Write a file, or with --check compare it; return 1 if it is stale."""
    if not checking():
        with open(path, "wb") as file:
            file.write(data)
        return 0
    with open(path, "rb") as file:
        if file.read() == data:
            return 0
    print(f"{path} is stale; make charts or make picture draws it",
          file=sys.stderr)
    return 1


def main(chapter: str, *draw: Callable[[], Picture]) -> int:
    """Renew the pictures of a chapter; return 1 if one is stale.

    Its lesson must show each of them, with its title for those who do not see;
    or a page of docs/experiments.
    """
    folder, stale = f"chapters/{chapter}", 0
    shown = ""
    for page in (f"{folder}/README.md", *glob.glob("docs/experiments/*.md")):
        with open(page, encoding="utf-8") as file:
            shown += file.read().replace(f"../../{folder}/", "")
    for picture in (function() for function in draw):
        path = f"pictures/{picture.name}.svg"
        os.makedirs(f"{folder}/pictures", exist_ok=True)
        stale |= renew(f"{folder}/{path}", picture.svg().encode())
        image = f"![{picture.title}]({path})"
        if image not in shown:
            print(f"{folder}/README.md must say {image}", file=sys.stderr)
            stale = 1
    return stale
