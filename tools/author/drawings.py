"""The kinds of drawings: tiles, time lines, boxes, trees, lanes and words.

A drawing counts nothing by itself: its facts are those of tracing.py.
"""

from typing import Dict, Iterable, List, Mapping, Sequence, Tuple

from tools import course
from tools.author import svg
from tools.author.svg import TOP, Picture
from tools.author.tracing import (LANES, SMS, Place, Request, Worker, by_warp,
                                  owned)

# ---- tiles ------------------------------------------------------------------

SEEN = 8  # the least size of an element that stands alone


def runs(numbers: Iterable[int]) -> List[Tuple[int, int]]:
    """Return (first, how many) of each run of consecutive numbers."""
    result: List[Tuple[int, int]] = []
    for number in sorted({*numbers}):
        if result and sum(result[-1]) == number:
            result[-1] = (result[-1][0], result[-1][1] + 1)
        else:
            result.append((number, 1))
    return result


def rectangles(places: Iterable[Place]) -> List[Tuple[int, int, int, int]]:
    """Return row, column, height and width of what elements fill."""
    rows: Dict[int, List[int]] = {}
    for row, column in places:
        rows.setdefault(row, []).append(column)
    open: Dict[Tuple[int, int, int], Tuple[int, int]] = {}
    for row in sorted(rows):
        for column, wide in runs(rows[row]):
            first, high = open.pop((row, column, wide), (row, 0))
            open[row + 1, column, wide] = (first, high + 1)
    return sorted((first, column, high, wide) for (_, column, wide),
                  (first, high) in open.items())


def matrix(p: Picture, x: float, y: float, size: float, shape: Place,
           parts: Mapping[str, Iterable[Place]]) -> None:
    """Draw a matrix, and some of its elements: their fill, which ones. One that
    stands alone is large enough to be seen."""
    p.box(x, y, shape[1] * size, shape[0] * size)
    for fill, places in parts.items():
        for row, column, high, wide in rectangles(places):
            least = SEEN / size if max(high, wide) * size < SEEN else 0
            more_x, more_y = max(0, least - wide), max(0, least - high)
            wide, high = size * (wide + more_x), size * (high + more_y)
            p.box(x + size * (column - more_x / 2),
                  y + size * (row - more_y / 2), wide, high, fill,
                  line=svg.THIN if min(wide, high) > 4.5 else 0)


def grid(p: Picture, x: float, y: float, size: float, shape: Place,
         fills: Mapping[Place, str] = {}, words: Mapping[Place, str] = {},
         rest: str = "") -> None:
    """Draw a matrix of squares; fills and words: those of some."""
    places = [(i, j) for i in range(shape[0]) for j in range(shape[1])]
    for at in sorted(places, key=lambda at: fills.get(at, rest) != ""):
        p.box(x + size * at[1], y + size * at[0], size, size,
              fills.get(at, rest), words.get(at, ""), svg.THIN)


def tile_of_c(p: Picture, x: float, y: float, size: float, chapter: str,
              mine: Worker) -> None:
    """Draw a tile of C, in it a warp's elements and those of a lane."""
    owners = owned(chapter)
    matrix(p, x, y, size, (128, 128), {"lane": by_warp(owners)[mine[0]],
                                       "math": owners[mine]})


def part_of_c(p: Picture, x: float, y: float, size: float, chapter: str,
              mine: Worker, corner: Place, edge: int = 20) -> None:
    """Draw a part of that tile, from its upper left corner, element by element."""
    owners = owned(chapter)
    p.box(x, y, edge * size, edge * size)
    for fill, places in (("lane", {*by_warp(owners)[mine[0]]} - {*owners[mine]}),
                         ("math", owners[mine])):
        for row, column in sorted(places):
            at = (row - corner[0], column - corner[1])
            if 0 <= min(at) and max(at) < edge:
                p.box(x + at[1] * size, y + at[0] * size, size, size, fill,
                      line=svg.THIN)


def apart(p: Picture, x: float, y: float, long: float, words: str) -> None:
    """Draw a ruler, to the right and down, from the middle of an element."""
    half = long / 2
    for side in (-1, 1):
        p.arrow((x + half + side * 22, y + 28), (x + half + side * half, y + 28))
        p.arrow((x, y + half + side * 18), (x, y + half + side * (half - 10)))
    p.middle(x + half, y + 28, words)
    p.middle(x, y + half, words)


def thread_tile(p: Picture, *chapters: str) -> None:
    """Draw a panel a chapter: a thread's results, the words that they need."""
    tiles = [tuple(len({*numbers}) for numbers in zip(*owned(chapter)[0, 0]))
             for chapter in chapters]  # rows and columns
    size = 28
    for x, (rows, columns) in p.panels([
            (chapter, f"a thread: {rows} x {columns}")
            for chapter, (rows, columns) in zip(chapters, tiles)], tiles):
        left, below = x + 46 + size, TOP + 6 + size
        grid(p, x + 40, below, size, (rows, 1), rest="shared")
        grid(p, left, TOP, size, (1, columns), rest="shared")
        grid(p, left, below, size, (rows, columns), rest="math")
    p.below(*(f"{rows + columns} words for "
              f"{svg.count(rows * columns, 'product')}"
              for rows, columns in tiles))
    p.results(*(f"{(rows + columns) / (rows * columns):.5g} words each"
                for rows, columns in tiles))
    p.legend(("shared", "word from shared memory"), ("math", "product"))


# ---- time lines -------------------------------------------------------------

Bar = Tuple[float, float, str, str]  # when, how long, fill, words
BARRIER = "barrier"  # a fill: an upright line


def one_by_one(bars: Iterable[Tuple[float, str, str]],
               at: float = 0) -> List[Bar]:
    """Return bars (how long, fill, words) that follow each other."""
    result: List[Bar] = []
    for length, fill, words in bars:
        result.append((at, length, fill, words))
        at += length
    return result


def timeline(p: Picture, label: str, bars: Iterable[Bar], scale: float,
             left: float = 118, high: float = 46, gap: float = 14) -> None:
    """Draw bars side by side, below all that is drawn; time 0 is at `left`.

    What is before that, or beyond the picture, is cut off.
    """
    y = p.bottom + gap
    p.text(0, y + high / 2, label)
    for start, length, fill, words in sorted(
            bars, key=lambda bar: bar[2] == BARRIER):
        first = max(left, left + scale * start)
        wide = min(svg.WIDTH, left + scale * (start + length)) - first
        if fill == BARRIER and left < first < svg.WIDTH:
            p.path([(first, y - 6), (first, y + high + 6)], svg.BOLD)
        elif wide > 0:
            p.box(first, y, wide, high, fill,
                  words if svg.text_width(words) <= wide else "",
                  svg.LINE if wide > 20 else svg.THIN)
    p.bottom = y + high


def in_turn(p: Picture, label: str, requests: Sequence[Request]) -> None:
    """Draw what a warp asks for, in order: so many loads of K and V, so many loads
    from shared memory, and barriers between them."""
    bars: List[Tuple[float, str, int]] = []
    for request in requests:
        shared = request["space"] == "shared" and request["op"] == "load"
        if not shared and request.get("array") not in ("K", "V"):
            continue
        kind = ("shared" if shared else "global", request["barriers"])
        number = bars[-1][0] + 1 if bars and bars[-1][1:] == kind else 1
        bars[len(bars) - (number > 1):] = [(number, *kind)]
    scale = (svg.WIDTH - 130) / sum(number for number, *_ in bars)
    drawn = one_by_one((number, fill, f"{number}") for number, fill, _ in bars)
    passed = [(bar[0], 0, BARRIER, "") for bar, one, last in zip(
        drawn[1:], bars[1:], bars) if one[2] != last[2]]
    timeline(p, label, drawn + passed, scale, 130)


def stamped(p: Picture, chapter: str, scale: float, left: float, apart: bool) -> None:
    """Draw what tests/gpu/stamps.py has recorded: of each group the tiles that it
    multiplies and, below them or between, how long C is in its hands."""
    rows = [line.split(",") for line in course.text_of(
        "docs/results/h200_tensor_trace.csv").splitlines()]
    p.panel(0, p.bottom + 36, chapter)
    for group in range(2):
        bars: List[Bar] = []
        handed: List[Bar] = []
        for row in rows:
            if row[:2] == [chapter, f"{group}"]:
                begin, end = map(int, row[2:4])
                bars.append((begin, end - begin, "math", f"{end - begin:,}"))
                if row[4] != "-":
                    handed.append((end, int(row[4]) - end, "shared", "C"))
        timeline(p, f"group {group}", bars + handed * (not apart), scale, left, 40,
                 24 - 14 * group)
        if apart:
            timeline(p, "its C", handed, scale, left, 26, 4)


def wave(p: Picture, x: float, busy: int) -> None:
    """Draw a bar of all SMs, filled as far as they have a tile."""
    timeline(p, "", [(0, SMS, "", ""), (0, busy, "lane", f"{busy}")],
             340 / SMS, x, gap=10)


# ---- boxes and trees --------------------------------------------------------


def boxes(p: Picture, x: float, wide: float,
          rows: Sequence[Tuple[str, Sequence[str]]], most: float = 150,
          high: float = 40, down: float = 26, line: float = svg.LINE) -> None:
    """Draw rows of boxes with words, each a fill and words; what is handed on
    leads from each row down to the next one."""
    above: List[float] = []
    y = p.bottom + 14
    for fill, words in rows:
        each = wide / len(words)
        middles = [x + each * (i + 0.5) for i in range(len(words))]
        number = max(len(above), len(words)) if above else 0
        for i in range(number):
            start = above[i * len(above) // number]
            end = middles[i * len(words) // number]
            if start == end:
                p.arrow((start, y - down), (end, y), line)
            else:
                p.path([(start, y - down), (end, y)], line)
        for middle, word in zip(middles, words):
            half = min(each - 6, most) / 2
            p.box(middle - half, y, 2 * half, high, fill, word)
        above, y = middles, y + high + down


def tree(p: Picture, x: float, size: float, words: int,
         steps: Sequence[Mapping[int, int]], fill: str, row: int = 56,
         values: Sequence[int] = ()) -> None:
    """Draw words in a row, and a row below for each step: which words add
    which others, and what is in them if the values of the first row are given."""
    y, now = p.bottom + 14, [*values]
    grid(p, x, y, size, (1, words), {}, in_row(now))
    for step in steps:
        above, y = y + size, y + row
        for word, other in step.items():
            for source in (word, other):
                p.path([(x + size * (source + 0.5), above),
                        (x + size * (word + 0.5), y)], svg.THIN)
        now = [value + now[step[word]] if word in step else value
               for word, value in enumerate(now)]
        grid(p, x, y, size, (1, words), {(0, word): fill for word in step},
             in_row(now))


def in_row(values: Sequence[int]) -> Dict[Tuple[int, int], str]:
    """Return what grid() writes into a single row."""
    return {(0, word): str(value) for word, value in enumerate(values)}


# ---- banks ------------------------------------------------------------------

# Of each wavefront (first bank, how many banks, does it wait, words).
Wavefronts = Sequence[Sequence[Tuple[int, int, bool, str]]]


def stack(p: Picture, x: float, base: float, bank: float, banks: int,
          high: float, layers: Wavefronts) -> None:
    """Stack wavefronts over banks of this width."""
    for i, layer in enumerate(layers, 1):
        for first, number, late, words in layer:
            p.box(x + bank * first, base - high * i, bank * number, high,
                  "stripes" if late else "lane", words, svg.THIN)
    p.path([(x, base), (x + bank * banks, base)], svg.BOLD)


def name_banks(p: Picture, x: float, y: float, wide: float) -> None:
    """Write below all banks of shared memory the numbers of first and last."""
    p.text(x, y, "bank 0")
    p.text(x + wide, y, f"{LANES - 1}", anchor="end")


def in_banks(p: Picture, x: float, base: float, high: float,
             layers: Wavefronts) -> None:
    """Stack wavefronts over all banks of shared memory, with their numbers."""
    bank, above = 10, high * len(layers)
    p.box(x, base - above, bank * LANES, above, line=svg.THIN)
    stack(p, x, base, bank, LANES, high, layers)
    name_banks(p, x, base + 20, bank * LANES)
