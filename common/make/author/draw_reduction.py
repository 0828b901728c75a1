#!/usr/bin/env python3
"""Draw chapters/reduction/working_warps.svg: who works in each step of a tree.

Usage: draw_reduction.py [--check]

The lanes come from the conditions of the two kernels. That they are what runs
is checked against the file counts: a warp with a working lane loads twice.
"""

import sys
from typing import Callable, List

import svg

BLOCK, LANES = 1024, 32
WARPS, STEPS = BLOCK // LANES, BLOCK.bit_length()
SECTIONS = 128  # of the blocks of counts
CELL, ROW, TOP = 9, 30, 96


def working(condition: Callable[[int, int], bool]) -> List[List[int]]:
    """Return the working lanes of each warp, for each step."""
    return [[sum(condition(step, LANES * warp + lane) for lane in range(LANES))
             for warp in range(WARPS)] for step in range(STEPS)]


def total(steps: List[List[int]]) -> int:
    """Return the warps that work, over all steps."""
    return sum(lanes > 0 for step in steps for lanes in step)


def claimed(variant: str) -> float:
    """Return the warps that work according to the file counts."""
    counted = svg.counted("reduction",
                          f"--variant {variant} --n {SECTIONS * 2 * BLOCK}")
    loads = counted["global_load_requests"] / SECTIONS
    return (loads - 2 * WARPS - 1) / 2  # without the copy and the result


def warp(p: svg.Picture, x: float, y: float, lanes: int) -> None:
    """Draw a warp: its lanes that work from the bottom up, those that wait."""
    height = ROW - 6
    part = height * lanes / LANES
    p.box(x, y, CELL - 2, height, "wait" if lanes else "", line=svg.THIN)
    if lanes:
        p.box(x, y + height - part, CELL - 2, part, "lane", line=0)


def working_warps() -> svg.Picture:
    """A row of 32 warps for each step, with either stride."""
    divergent = working(lambda step, t: t % 2**step == 0)
    convergent = working(lambda step, t: t < BLOCK >> step)
    assert total(divergent) == claimed("divergent")
    assert total(convergent) == claimed("convergent")
    p = svg.Picture(
        "working_warps", 584,
        f"A tree of {STEPS} steps: {total(divergent)} warps work if the "
        f"stride doubles, {total(convergent)} if it halves",
        f"Two panels, a row for each of {STEPS} steps, a cell for each of "
        f"{WARPS} warps, blue as far as its lanes work. Left, divergent: "
        "all warps work up to step 5, with 32, 16, 8, 4, 2 and 1 lanes. "
        "Right, convergent: full warps, half as many in each step, from "
        "step 5 on a single one.")
    p.head("Who adds in each step of the tree?")
    bottom = TOP + ROW * STEPS
    for left, name, why, steps in (
            (60, "divergent", "t % stride == 0", divergent),
            (412, "convergent", "t < stride", convergent)):
        p.panel(left, 54, name, why)
        for step, warps in enumerate(steps):
            for i, lanes in enumerate(warps):
                warp(p, left + CELL * i, TOP + ROW * step, lanes)
        p.result(left, bottom + 12, CELL * WARPS, f"{total(steps)} warps",
                 steps is convergent)
    p.text(0, 79, "step")
    for step in range(STEPS):
        p.text(50, TOP + ROW * step + 12, str(step), anchor="end")
    for x, lanes, words in (
            (2, LANES // 2, "a warp: half of its lanes work, half wait"),
            (446, 0, "a warp with nothing to do")):
        warp(p, x, bottom + 82, lanes)
        p.text(x + 18, bottom + 94, words)
    p.text(0, bottom + 130, f"Left to right: warps 0 to {WARPS - 1}.")
    return p


if __name__ == "__main__":
    sys.exit(svg.main("reduction", working_warps))
