"""The lessons' pictures as SVG: their colours, shapes and words.

A picture is a function with @picture: it finds the facts, in a trace of the
simulator, and draws them. Its docstring says what is to be seen, for those who
do not see; its title is what the page says that shows it. The same facts give
the same bytes; picture.py writes or compares them.

Every picture is 720 units wide. A phone shows it at less than half of that, and
there text of 24 units is 11 pixels high: none is smaller. Nothing is said by a
colour alone; text stands on the ground or on a solid colour. The first line is
the question or the point.
"""

from typing import (Any, Callable, Dict, Iterator, List, NamedTuple, Sequence,
                    Tuple)
from xml.sax.saxutils import escape

# A role has the same meaning in every picture. The hues are Okabe and Ito's,
# which also those tell apart who confuse red and green.
PALETTE: Dict[str, str] = {
    "ink": "#757575",  # text, outlines, arrows; darker on a light ground
    "black": "#111111",  # text and edges on a filled shape
    "lane": "#56b4e9",  # a lane, a warp: who works
    "wait": "#f8c3a2",  # lanes that wait for the others of their warp
    "global": "#e69f00",  # global memory
    "l2": "#a9b1ba",  # the L2
    "shared": "#cc79a7",  # shared memory, L1
    "math": "#f0e442",  # arithmetic, registers
    "bad": "#d55e00",  # dear, the step before; in a box with corners
    "good": "#009e73",  # cheap, the step after; in a box with round ends
}
# A place has one colour: a box or a legend that names it wears it.
PLACES = {"DRAM": "global", "global memory": "global", "L2": "l2", "L1": "shared",
          "shared memory": "shared", "registers": "math"}
STYLE = (
    "<style>@media (prefers-color-scheme:light){.cuda-picture{--ink:#333333}}"
    "@media (prefers-color-scheme:dark){.cuda-picture{--ink:#c8c8c8}}"
    ".cuda-picture .f-ink{fill:var(--ink,#757575)}"
    ".cuda-picture .s-ink{stroke:var(--ink,#757575)}</style>")
# Two fills more, each 8 units from line to line: its colour, width and ground.
PATTERNS = {
    "hatch": ("ink", 2, "none"),  # there for nothing
    "stripes": ("bad", 4, "#f8c3a2"),  # a conflict: has to wait for its turn
}
WIDTH = 720  # of a picture (units)
TOP = 118  # of what a panel shows
TEXT, NAME, HEAD, NUMBER = 24, 26, 28, 28  # sizes of text
THIN, LINE, BOLD = 1, 2, 4  # widths of lines
Point = Tuple[float, float]
Bounds = Tuple[float, float, float, float]  # left, top, right, bottom


def text_width(words: str, size: float = TEXT) -> float:
    """Return at least the width of a text: fonts differ, some are wide."""
    return size * sum(0.34 if c in " .,:;il|'()" else 0.62 for c in words)


def check_place(fill: str, words: str) -> None:
    """Refuse a place in a colour that is not its own, and who waits in a place's."""
    roles = {role for place, role in PLACES.items() if place in words}
    assert not roles or fill in roles or fill not in PALETTE, (fill, words)
    assert "wait" not in words or fill not in PLACES.values(), (fill, words)


def count(n: int, noun: str) -> str:
    """Return "1 warp", "2 warps", "1,024 warps"."""
    return f"{n:,} {noun}" + ("" if n == 1 else "s")


class Group(NamedTuple):
    """Shapes that look the same, as one element."""

    opening: str
    pieces: List[str]  # a shape each
    closing: str
    bounds: List[Bounds]  # of each shape

    def below(self, bounds: Bounds) -> bool:
        """Does a shape lie on one of these?"""
        x, y, end, low = bounds
        return any(x < right and left < end and y < bottom and top < low
                   for left, top, right, bottom in self.bounds)


class Picture:
    """Shapes, each in front of those before. (0, 0) is the upper left corner.

    Left and right of it is room for the outer half of an outline; it ends below
    the lowest shape. A fill is a role, a pattern or "" for an outline.
    """

    def __init__(self, name: str, head: str, desc: str) -> None:
        """head: the first line; desc: what is to be seen."""
        self.name, self.title, self.desc = name, "", desc
        self.groups: List[Group] = []
        self.bottom = 0.0  # of the lowest shape
        self.panel_x: List[float] = [0]  # where each panel begins
        self.panel_wide: float = WIDTH
        if head:
            self.text(0, 18, head, HEAD, bold=True)

    # ---- shapes ----

    def add(self, opening: str, piece: str, closing: str,
            bounds: Bounds) -> None:
        """Add a shape to its like, if nothing drawn since lies below it."""
        self.bottom = max(self.bottom, bounds[3])
        for group in reversed(self.groups):
            if group.opening == opening or group.below(bounds):
                break
        if not self.groups or group.opening != opening:
            group = Group(opening, [], closing, [])
            self.groups.append(group)
        group.pieces.append(piece)
        group.bounds.append(bounds)

    def draw(self, to: str, bounds: Bounds, fill: str, stroke: str = "",
             line: float = 0) -> None:
        """Add to a path. Its colours are attributes, ink also a class."""
        roles = [f"{kind}-ink" for kind, role in (("f", fill), ("s", stroke))
                 if role == "ink"]
        paint = f' class="{" ".join(roles)}"' if roles else ""
        paint += ' fill="' + (f"url(#{self.name}-{fill})" if fill in PATTERNS
                              else PALETTE.get(fill, "none")) + '"'
        if stroke:
            paint += f' stroke="{PALETTE[stroke]}" stroke-width="{line}"'
        left, top, right, bottom = bounds
        half = line / 2
        self.add(f'<path{paint} d="', to, '"/>', (
            left - half, top - half, right + half, bottom + half))

    def box(self, x: float, y: float, width: float, height: float,
            fill: str = "", words: str = "", line: float = LINE,
            edge: str = "") -> None:
        """Draw a rectangle with words in its middle, on a plain ground.

        Its edge is black on a colour, which is seen on any ground, else ink;
        with line 0 it has none.
        """
        edge = edge or ("black" if fill in PALETTE else "ink")
        self.draw(f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z",
                  (x, y, x + width, y + height), fill, edge if line else "",
                  line)
        if words:
            assert text_width(words) <= width, words
            check_place(fill, words)
            if fill in PATTERNS:
                edge = "black"
                self.box(x + 3, y + 3, width - 6, height - 6, "wait", line=0)
            self.middle(x + width / 2, y + height / 2, words, edge)

    def circle(self, x: float, y: float, radius: float, fill: str,
               line: float = LINE) -> None:
        """Draw a disc with a black edge, or without one."""
        half = f"a{radius:g} {radius:g} 0 1 0 "
        self.draw(f"M{x - radius:g} {y:g}{half}{2 * radius:g} 0{half}"
                  f"{-2 * radius:g} 0z",
                  (x - radius, y - radius, x + radius, y + radius), fill,
                  "black" if line else "", line)

    def path(self, points: Sequence[Point], line: float = LINE,
             fill: str = "", stroke: str = "ink") -> None:
        """Draw a line from point to point, or a filled shape without edge."""
        x, y = zip(*points)
        self.draw("M" + "L".join(f"{at:g} {to:g}" for at, to in points),
                  (min(x), min(y), max(x), max(y)), fill,
                  "" if fill else stroke, line)

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
        self.add(f'<g font-size="{size}" text-anchor="{anchor}"{weight} '
                 f'class="f-{role}" fill="{PALETTE[role]}">',
                 f'<text x="{x:g}" y="{y + 0.35 * size:g}">{escape(words)}'
                 "</text>", "</g>",
                 (left, y - size / 2, left + wide, y + size / 2))

    def middle(self, x: float, y: float, words: str, role: str = "ink",
               bold: bool = False) -> None:
        """Write a line of text around a point."""
        self.text(x, y, words, anchor="middle", role=role, bold=bold)

    # ---- parts of a picture ----

    def panel(self, x: float, y: float, name: str, *below: str) -> None:
        """Write the name of a part of the picture, and lines of text below."""
        self.text(x, y, name, NAME, bold=True)
        for i, words in enumerate(below):
            self.text(x, y + TEXT * (i + 1) + 7 + 5 * i, words)

    def panels(self, names: Sequence[Sequence[str]],
               things: Sequence[Any] = ()) -> Iterator[Tuple[float, Any]]:
        """Write names of panels side by side, and lines below each; yield where
        each panel begins, and the thing that it shows or its name. What it
        shows begins at TOP."""
        self.panel_wide = (WIDTH - 32 * (len(names) - 1)) // len(names)
        self.panel_x = [(self.panel_wide + 32) * i for i in range(len(names))]
        lowest = 0.0
        for i, (x, words) in enumerate(zip(self.panel_x, names)):
            self.panel(x, 62, *words)
            self.bottom = TOP - 14
            yield x, things[i] if things else words[0]
            lowest = max(lowest, self.bottom)
        self.bottom = lowest

    def below(self, *words: str) -> None:
        """Write a line of words in the middle below each panel."""
        y = self.bottom + 24
        for x, line in zip(self.panel_x, words):
            self.middle(x + self.panel_wide / 2, y, line)

    def results(self, *words: str,
                good: Sequence[bool] = (False, True)) -> None:
        """Draw what the panels end with, as large as it fits: with corners if
        it is bad, else with round ends."""
        y, wide = self.bottom + 16, self.panel_wide
        for x, result, fine in zip(self.panel_x, words, good):
            size = min(NUMBER, int((wide - 8) / text_width(result, 1)))
            if fine:
                self.draw(f"M{x + 23:g} {y:g}h{wide - 46:g}a23 23 0 0 1 0 46"
                          f"h{46 - wide:g}a23 23 0 0 1 0 -46z",
                          (x, y, x + wide, y + 46), "good", "black", LINE)
            else:
                self.box(x, y, wide, 46, "bad")
            self.text(x + wide / 2, y + 23, result, size, "middle", "black",
                      True)

    def wavefronts(self, *numbers: int) -> None:
        """End the panels with numbers of wavefronts; the least is good."""
        self.results(*(count(number, "wavefront") for number in numbers),
                     good=[number == min(numbers) for number in numbers])

    def legend(self, *entries: Tuple[str, str]) -> None:
        """Say what a fill or an upright "bar" means, side by side below all
        that is drawn."""
        x, y = 0.0, round(self.bottom) + 30
        for fill, words in entries:
            wide = 34 + text_width(words)
            if x + wide > WIDTH:
                x, y = 0, y + 30
            if fill == "bar":
                self.path([(x + 14, y - 14), (x + 14, y + 14)], BOLD)
            else:
                self.box(x + 1, y - 10, 26, 20, fill)
            check_place(fill, words)
            self.text(x + 34, y, words)
            x += wide + 20

    def svg(self) -> str:
        """Return the file: one line, since nobody reads its changes."""
        n, height = self.name, round(self.bottom) + 10
        body = "".join(group.opening + "".join(group.pieces) + group.closing
                       for group in self.groups)
        patterns = "".join(
            f'<pattern id="{n}-{pattern}" width="8" height="8" '
            'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            f'<rect width="8" height="8" fill="{ground}"/>'
            f'<path d="M4 0V8" class="s-{role}" stroke="{PALETTE[role]}" '
            f'stroke-width="{width}"/></pattern>'
            for pattern, (role, width, ground) in PATTERNS.items()
            if f"#{n}-{pattern}" in body)
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" class="cuda-picture" '
            f'width="{WIDTH + 2 * LINE}" height="{height}" '
            f'viewBox="{-LINE} 0 {WIDTH + 2 * LINE} {height}" role="img" '
            f'aria-labelledby="{n}-title {n}-desc" '
            'font-family="system-ui, sans-serif">'
            f'<title id="{n}-title">{escape(self.title)}</title>'
            f'<desc id="{n}-desc">{escape(self.desc)}</desc>'
            + STYLE
            + (f"<defs>{patterns}</defs>" if patterns else "")
            + f"{body}</svg>\n")


def picture(head: str) -> Callable[[Callable], Callable]:
    """Note that a function draws the picture of its name; head: its first
    line."""
    def note(draw: Callable[[Picture], None]) -> Callable:
        setattr(draw, "head", head)
        return draw
    return note
