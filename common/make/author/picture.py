#!/usr/bin/env python3
"""Draw chapters/X/pictures/ from what the kernels do in the simulator.

Usage: picture.py [--check] [CHAPTER...]       (make [chapter=X] picture)

SIM_TRACE says which lane touched which address, and what each request cost; see
common/simulator/README.md. A drawing takes its facts from there, or from
docs/results: it counts nothing by itself. The first half of this file has the
kinds of drawings, the second one function for each picture.

Exit status: 0, or 1 if a picture is stale (--check), too large, or not shown by
its lesson.
"""

import functools
import glob
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, List, Tuple

import svg

import course  # noqa: I100  from common/make, which svg has made known

MOST_BYTES = 150 << 10  # of a picture
LANES, LINE, SECTOR, WORD = 32, 128, 32, 4  # of a warp; bytes
SHOWN = (*range(8), 31)  # lanes that are drawn, the others are faint
Request = Dict[str, Any]  # a line of the trace


# ---- the trace --------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def trace(chapter: str, args: str, blocks: int = 1, requests: int = 1
          ) -> Tuple[Request, ...]:
    """Run a chapter; return the requests of the launch that it counts."""
    program = f"build/simulator/{chapter}"
    if not course.build([program]):
        raise SystemExit(2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        subprocess.run(
            [program, *args.split()], check=True,
            stdout=subprocess.DEVNULL, env={
                **os.environ, "SIM_TRACE": path, "SIM_CHECK": "0",
                "SIM_TRACE_BLOCKS": str(blocks),
                "SIM_TRACE_REQUESTS": str(requests)})
        return tuple(line for line in course.read_lines(path) if line["range"])


def pick(requests: Tuple[Request, ...], **wanted: object) -> List[Request]:
    """Return the requests that have these values."""
    return [request for request in requests
            if all(request.get(name) == value
                   for name, value in wanted.items())]


class Picture(svg.Picture):
    """Text of 12 pixels where the picture is shown 360 wide."""

    text_size, name_size, head_size = 24, 26, 28


# ---- lanes to addresses -----------------------------------------------------

CELL, GAP = 7.5, 5  # width of a word; between two sectors


def word_x(word: int) -> float:
    """Return where a word of a line begins."""
    return word * CELL + word // (SECTOR // WORD) * GAP


def memory_line(p: Picture, x: float, y: float, words: List[int]) -> None:
    """Draw a line of memory, of which these words are wanted."""
    each = SECTOR // WORD
    for first in range(0, LINE // WORD, each):
        moved = any(word // each == first // each for word in words)
        p.box(x + word_x(first), y, each * CELL, 26, "hatch" if moved else "")
    for word in sorted(set(words)):
        p.box(x + word_x(word), y, CELL, 26, "global", line=svg.THIN)


def lane(p: Picture, x: float, y: float, number: int) -> None:
    """Draw a lane: it is round."""
    p.circle(x, y, 18, "lane")
    p.text(x, y, str(number), anchor="middle", role="black", bold=True)


def dots(p: Picture, x: float, y: float) -> None:
    """Draw what stands for others of the kind."""
    for i in (-9, 0, 9):
        p.circle(x, y + i, 2, "ink")


def lanes_to_lines(p: Picture, x: float, name: str, what: str,
                   request: Request, good: bool) -> None:
    """Draw the lanes of a request, and the lines of memory that they touch."""
    word = [at % LINE // WORD for at in request["at"]]
    lines = sorted({at // LINE for at in request["at"]})
    y = {l: 178 + 40 * i for i, l in enumerate(SHOWN)}
    y[31] += 40
    left, end = x + 80, word_x(LINE // WORD - 1) + CELL
    p.panel(x, 62, name, what)
    if len(lines) == 1:
        memory_line(p, left, 118, word)
        up = [left + word_x(w) + CELL / 2 for w in word]
        for l in range(LANES):
            at = y.get(l, y[31] - 40)
            if l in y:
                p.path([(x + 36, at), (up[l], at)])
            p.arrow((up[l], at), (up[l], 144), 1.5 if l in y else svg.THIN)
    else:
        assert len(lines) == LANES
        p.text(left, 136, "one line each")
        for l in SHOWN:
            memory_line(p, left, y[l] - 13, [word[l]])
            p.arrow((x + 36, y[l]), (left + word_x(word[l]), y[l]))
        dots(p, left + end / 2, y[31] - 40)
    for l in SHOWN:
        lane(p, x + 18, y[l], l)
    dots(p, x + 18, y[31] - 40)
    p.result(x, 564, 340, svg.count(request["sectors"], "sector"), good)
    moved = request["sectors"] * SECTOR // WORD
    p.text(x + 170, 634, f"{moved} words moved,", anchor="middle")
    p.text(x + 170, 662, f"{len(set(request['at']))} wanted", anchor="middle")


def two_loads(name: str, head: str, title: str,
              panels: List[Tuple[str, str, Request]]) -> Picture:
    """Draw two requests side by side."""
    p = Picture(
        name, 724, title,
        "Two panels, lanes on the left, lines of memory of "
        f"{LINE // WORD} words in sectors of {SECTOR // WORD} on the right. "
        + " ".join(f"{panel}, {what}: {svg.count(request['sectors'], 'sector')}"
                   f" for {svg.count(len(set(request['at'])), 'word')}."
                   for panel, what, request in panels))
    p.head(head)
    for x, (panel, what, request) in zip((0, 376), panels):
        lanes_to_lines(p, x, panel, what, request, x > 0)
    p.legend(0, 704, [("lane", "lane"), ("global", "word wanted"),
                      ("hatch", "moved in vain"), ("", "not moved")])
    return p


# ---- gemm -------------------------------------------------------------------

SMALL = "--M 64 --N 64 --K 64"


def first_load(chapter: str, array: str) -> Request:
    """Return what the first warp loads first of an array."""
    return pick(trace(chapter, SMALL), array=array, op="load", warp=0)[0]


def gemm_01_lanes() -> Picture:
    """The two loads of gemm_01."""
    a, b = (first_load("gemm_01_naive", array) for array in "AB")
    return two_loads(
        "lanes", "Lanes go down a column of A",
        f"A warp's load moves {a['sectors']} sectors of A, and {b['sectors']} "
        "of B",
        [("A[row][k]", "32 lanes, 32 rows", a),
         ("B[k][col]", "all want one word", b)])


def gemm_02_lanes() -> Picture:
    """The expensive load, before and after."""
    a = first_load("gemm_01_naive", "A")
    b = first_load("gemm_02_coalesced", "B")
    return two_loads(
        "lanes", "Neighbouring lanes read neighbouring words",
        f"One load of a warp moves {a['sectors']} sectors in gemm_01, "
        f"{b['sectors']} in gemm_02",
        [("gemm_01", "down a column of A", a),
         ("gemm_02", "along a row of B", b)])


PICTURES: Dict[str, List[Callable[[], Picture]]] = {
    "gemm_01_naive": [gemm_01_lanes],
    "gemm_02_coalesced": [gemm_02_lanes],
}


# ---- main -------------------------------------------------------------------


def main() -> int:
    """Draw the pictures of all chapters, or of some; or compare them."""
    args = sys.argv[1:]
    if "--check" in args:
        args.remove("--check")
        sys.argv[1:] = ["--check"]
    else:
        del sys.argv[1:]
    stale = 0
    for chapter in args or PICTURES:
        stale |= svg.main(chapter, *PICTURES.get(chapter, []),
                          below="pictures/")
        for path in glob.glob(f"chapters/{chapter}/pictures/*"):
            if os.path.getsize(path) > MOST_BYTES:
                print(f"{path} has more than {MOST_BYTES:,} bytes",
                      file=sys.stderr)
                stale = 1
    return stale


if __name__ == "__main__":
    course.script(main)
