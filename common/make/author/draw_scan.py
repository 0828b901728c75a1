#!/usr/bin/env python3
"""Draw trees.svg and ring.svg of scan: who adds what, and who does what.

Usage: draw_scan.py [--check]

The additions are those of the kernels' loops; their number for a section of
the kernels' size is checked against the file counts.
"""

import sys
from typing import List, Tuple

import svg

Round = Tuple[str, List[Tuple[int, int]]]  # label, (from, to) of additions


# ---- trees -------------------------------------------------------------------


def kogge_stone(n: int) -> List[Round]:
    """Return the additions of 1_kogge_stone.cuh."""
    rounds, stride = [], 1
    while stride < n:
        rounds.append((f"stride {stride}",
                       [(t - stride, t) for t in range(stride, n)]))
        stride *= 2
    return rounds


def brent_kung(n: int) -> List[Round]:
    """Return the additions of 3_brent_kung.cuh."""
    rounds, stride = [], 1
    while stride < n:
        rounds.append((f"up {stride}", [
            (i - stride, i) for i in range(2 * stride - 1, n, 2 * stride)]))
        stride *= 2
    stride = n // 4
    while stride:
        rounds.append((f"down {stride}", [
            (i, i + stride) for i in range(2 * stride - 1, n - stride,
                                           2 * stride)]))
        stride //= 2
    return rounds


def additions(rounds: List[Round]) -> int:
    """Return how many there are."""
    return sum(len(pairs) for _, pairs in rounds)


def addition(p: svg.Picture, x: float, y: float) -> None:
    """Draw an addition."""
    p.circle(x, y, 9, "math")


def panel(p: svg.Picture, left: float, name: str, n: int,
          rounds: List[Round]) -> None:
    """Draw rounds from top to bottom, element i in column i."""
    column = [left + 98 + 34 * i for i in range(n)]
    top, step = 132, 58
    p.panel(left, 54, name,
            f"{len(rounds)} rounds, {additions(rounds)} additions")
    for i in range(n):
        p.text(column[i], top - 18, str(i), anchor="middle")
        p.path([(column[i], top - 6), (column[i], top + step * len(rounds))],
               svg.THIN)
    for r, (label, pairs) in enumerate(rounds):
        y = top + step * r
        p.text(left, y + step - 16, label)
        for start, end in pairs:
            p.path([(column[start], y + 4), (column[end], y + step - 16)])
        for _, end in pairs:
            addition(p, column[end], y + step - 16)


def trees() -> svg.Picture:
    """Both scans of 8 elements."""
    for variant, size, rounds in (("kogge_stone", 1024, kogge_stone(1024)),
                                  ("brent_kung", 2048, brent_kung(2048))):
        counted = svg.counted("scan", f"--variant {variant} --n {size}")
        assert additions(rounds) == counted["fadd"]
    n = 8
    full, tree = kogge_stone(n), brent_kung(n)
    p = svg.Picture(
        "trees", 480,
        f"A scan of {n} elements: {additions(full)} additions in "
        f"{len(full)} rounds, or {additions(tree)} in {len(tree)}",
        "Two drawings, time runs down. Left, Kogge and Stone: in the rounds "
        "with strides 1, 2 and 4 every element but the first ones adds the one "
        "that stands a stride before. Right, Brent and Kung: up a tree whose "
        "strides double, and down again with strides 2 and 1.")
    p.head("Fewer rounds, or fewer additions")
    panel(p, 0, "kogge_stone", n, full)
    panel(p, 372, "brent_kung", n, tree)
    addition(p, 10, 458)
    p.text(28, 458, "an addition: its own column and what the slanted line "
                    "brings")
    return p


# ---- the ring ----------------------------------------------------------------


def ring() -> svg.Picture:
    """Draw one of three blocks in the middle of its work: tiles 1, 4, 7, 10."""
    blocks, tiles, this, wide = 3, 12, 1, 56
    slots = [("is being", "scanned"), ("sum told,", "waits"),
             ("is being", "summed"), ("is being", "filled")]
    mine = range(this, tiles, blocks)
    assert len(mine) == len(slots)
    middle = [40 + wide * (tile + 0.5) for tile in mine]
    p = svg.Picture(
        "ring", 560,
        "The ring: loads go on while sums travel",
        f"Above x in {tiles} tiles, which {blocks} blocks take in turn. In the "
        f"middle the shared memory of block {this} with a slot for each of "
        f"{len(slots)} tiles: the first one is scanned, the next one waits "
        "for what stands before it, one is summed, the last one is filled. "
        "The adder tells the sum to all blocks, the looker collects the sums "
        f"of the {blocks} tiles before. Below y.")
    p.head(f"The ring of block {this}, one of {blocks} blocks")
    for y, name, touched in ((74, "x", mine), (500, "y", mine[:1])):
        p.text(0, y + 20, name, bold=True)
        for tile in range(tiles):
            p.box(40 + wide * tile, y, wide, 40,
                  "global" if tile in touched else "", str(tile % blocks))
    p.text(40, 58, "tiles, by the number of their block")
    p.box(48, 178, 668, 124, line=svg.BOLD)
    p.text(62, 200, f"shared memory of block {this}: slots")
    for x, (first, second) in zip(middle, slots):
        p.box(x - 60, 216, 120, 72, "shared")
        p.text(x, 240, first, anchor="middle", role="black")
        p.text(x, 264, second, anchor="middle", role="black")
    scanned, waits, summed, filled = middle
    p.arrow((filled, 114), (filled, 216))
    p.text(filled - 12, 146, "loader: bulk copies, always under way",
           anchor="end")
    p.arrow((summed, 288), (summed, 376))
    p.text(summed + 12, 336, "adder tells its sum")
    p.arrow((waits, 376), (waits, 288))
    p.text(waits + 12, 336, f"looker adds {blocks}")
    p.box(waits - 60, 376, summed - waits + 120, 70, "global")
    for y, words in ((399, "sums of all blocks"),
                     (423, "a word each, in the L2")):
        p.text((waits + summed) / 2, y, words, anchor="middle", role="black")
    p.arrow((scanned, 288), (scanned, 500))
    p.text(scanned + 12, 476, "scanners")
    return p


if __name__ == "__main__":
    sys.exit(svg.main("scan", trees, ring))
