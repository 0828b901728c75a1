"""The pictures of tensor_10."""

import re
from typing import List, Tuple

from tools import course
from tools.author import drawings
from tools.author.drawings import Bar
from tools.author.svg import BOLD, WIDTH, Picture, picture
from tools.author.tracing import defined

# A model, in steps along K: how long a group rounds C, or a part of it, puts a
# part into shared memory, and how long the copy engine reads that.
STEPS, PARTS, PLACES = 6, 4, 2
ROUND, PUT, READ = 0.5, 0.45, 0.9


def products(at: float, fill: str) -> List[Bar]:
    """Return the steps of a tile."""
    return [(at + i, 1, fill, f"{i}") for i in range(STEPS)]


def alone(at: float) -> Tuple[List[Bar], List[Bar]]:
    """Return what threads and copy engine do with C if nothing runs beside."""
    threads: List[Bar] = []
    engine: List[Bar] = []
    for i in range(PARTS):
        if i >= PLACES:  # the place must be free
            free = sum(engine[i - PLACES][:2])
            threads.append((at, max(free - at, 0), "hatch", ""))
            at = max(at, free)
        threads.append((at, PUT, "shared", ""))
        at += PUT
        begin = max(at, sum(engine[-1][:2]) if engine else 0)
        engine.append((begin, READ, "good", f"{i}"))
    return threads, engine


@picture("Two tiles of C, one after the other, of a group")
def timeline(p: Picture) -> None:
    """Time lines of a warp group in a model: what its tensor cores multiply, 6
    steps of a first tile, then of a second one, and what its threads and the
    copy engine do. tensor_09: between both tiles the threads put four parts of C
    into shared memory; for the last two they wait until the engine has read a
    place, and the tensor cores rest. tensor_10: between both they only round.
    Then each of the first 4 steps of the second tile has a part of C below
    it."""
    left = 152.0
    first = (STEPS, ROUND, "bad", "")
    threads, engine = alone(STEPS + ROUND)
    second = sum(threads[-1][:2])
    scale = (WIDTH - left) / (second + STEPS)
    p.bottom = 34
    p.panel(0, p.bottom + 28, "tensor_09")
    drawings.timeline(p, "products", [
        *products(0, "math"), (STEPS, second - STEPS, "hatch", ""),
        *products(second, "lane")], scale, left, 40, 24)
    drawings.timeline(p, "threads", [first, *threads], scale, left, 40, 10)
    drawings.timeline(p, "copy engine", engine, scale, left, 40, 10)
    p.panel(0, p.bottom + 36, "tensor_10")
    second = STEPS + ROUND
    drawings.timeline(p, "products", [
        *products(0, "math"), (STEPS, ROUND, "hatch", ""),
        *products(second, "lane")], scale, left, 40, 24)
    drawings.timeline(p, "threads", [
        first, *((second + i, PUT, "shared", "") for i in range(PARTS))],
        scale, left, 40, 10)
    drawings.timeline(p, "copy engine", [
        (second + i + PUT, READ, "good", f"{i}") for i in range(PARTS)],
        scale, left, 40, 10)
    p.legend(("math", "first tile"), ("lane", "second tile"),
             ("hatch", "rests, waits"))
    p.legend(("bad", "round"), ("shared", "to shared memory"),
             ("good", "a part of C"))


@picture("Registers of a thread that multiplies")
def registers(p: Picture) -> None:
    """Three bars of registers, and a line at 232, all that a thread has.
    tensor_09: 128 sums, the others are for addresses or free. Sums of two
    tiles: 256, beyond the line. tensor_10: 128 sums, 64 pairs of C and 40
    others."""
    name = course.find_chapter("tensor_10")
    text = course.text_of(f"chapters/{name}/{name}.cu")
    most = int(re.findall(r"registers_up_to<(\d+)>", text)[0])
    columns = defined(name, "BN")
    sums, pairs = columns // 8 * 4, columns // 4
    left, high = 152.0, 40.0
    scale = (WIDTH - left) / (2 * sums)
    top = p.bottom = 34
    for label, bars in (
            ("tensor_09", [("math", sums, f"{sums} sums"),
                           ("", most - sums, f"{most - sums}")]),
            ("two tiles", [("math", sums, f"{sums}"),
                                   ("bad", sums, f"{sums}")]),
            ("tensor_10", [("math", sums, f"{sums} sums"),
                           ("good", pairs, f"{pairs} pairs"),
                           ("", most - sums - pairs,
                            f"{most - sums - pairs}")])):
        at, row = 0.0, []
        for fill, wide, words in bars:
            row.append((at, wide, fill, words))
            at += wide
        drawings.timeline(p, label, row, scale, left, high, 16)
    x = left + scale * most
    p.path([(x, top), (x, p.bottom)], BOLD)
    p.bottom += 18
    p.middle(x, p.bottom, f"{most}")
    p.legend(("math", "of this tile"), ("good", "C of the tile before"),
             ("bad", "no room"))
