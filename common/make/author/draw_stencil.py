#!/usr/bin/env python3
"""Draw what the lesson of stencil shows, in chapters/stencil/.

Usage: draw_stencil.py [--check]

    heat.png      a hot ball after some steps: by the command in the lesson, in
                  the simulator
    marching.svg  what a block has at a time, and where

marching.svg has for each variant a plane of x and z through the cells: those it
keeps in shared memory or in registers, those it has from elsewhere, those it
computes. The numbers are those of radius 1, checked against the file counts.
"""

import re
import sys
from typing import Callable, Dict, Optional, Tuple

import png
import svg

RADIUS, TILE = 1, 8  # TILE: of 2_tiled.cuh
INNER = TILE - 2 * RADIUS  # cells in each direction that a tile computes
HELD = 2 * RADIUS + 1  # planes that a cell needs
LOADS = 1 + 6 * RADIUS  # a cell and its neighbours
SIZE = 60  # cells of an edge in the file counts
CELL, WIDE, HIGH = 17, 12, 9  # of a panel; sizes in cells
NOW = 4  # z of the plane that is computed
Fill = Callable[[int, int], Optional[str]]  # of cell (x, z)


def counted(variant: str) -> Dict[str, float]:
    """Return the counts of a variant."""
    return svg.counted("stencil", f"--variant {variant} --nx {SIZE} "
                       f"--ny {SIZE} --nz {SIZE}")


def check() -> None:
    """Compare the numbers of the picture with the file counts."""
    warps, inside = SIZE // 32 + 1, SIZE - 2 * RADIUS  # of a row; rows, planes
    assert counted("basic")["global_load_requests"] == warps * (
        SIZE ** 2 + (LOADS - 1) * inside ** 2)
    blocks = (SIZE // INNER) ** 3
    assert counted("tiled")["shared_store_requests"] == blocks * TILE ** 3 / 32
    # Eight blocks of 32 x 32 threads: one store for each of 32 planes; 29 of
    # 30 rows and planes are inside, and what is shared is loaded for each.
    rows, planes = 8 * 32, 30
    register = counted("register")
    assert counted("coarsened")["shared_store_requests"] == rows * (
        planes + HELD - 1)
    assert register["shared_store_requests"] == rows * planes
    assert register["shared_load_requests"] == 8 * 4 * 29 ** 2


def panel(p: svg.Picture, left: int, top: int, name: str,
          below: Tuple[str, str], fill: Fill, dot: Callable[[int, int], bool],
          march: bool) -> None:
    """Draw a variant, z upwards; dot: is cell (x, z) computed?"""
    p.text(left, top, name, svg.NAME, bold=True)
    places = [(HIGH - 1 - z, x) for z in range(HIGH) for x in range(WIDE)
              if dot(x, z)]
    p.grid(left, top + 18, CELL, [[fill(x, z) or "" for x in range(WIDE)]
                                  for z in reversed(range(HIGH))], places)
    if march:
        x, bottom = left + CELL * WIDE + 14, top + 18 + CELL * HIGH
        p.arrow((x, bottom - CELL * 2), (x, top + 18 + CELL * 2))
    for i, words in enumerate(below):
        p.text(left, top + 18 + CELL * HIGH + 18 + 23 * i, words)


def current(first: int, end: int) -> Callable[[int, int], bool]:
    """Return which cells of the current plane are computed."""
    return lambda x, z: z == NOW and first <= x < end


def marching() -> svg.Picture:
    """All five variants."""
    check()
    p = svg.Picture(
        "marching", 546,
        "What a block has at a time, seen from the side",
        "Five panels, x to the right, z upwards. basic: one thread loads a "
        f"cell and its neighbours. tiled: a cube of {TILE} in shared memory, "
        f"the inner {INNER} computed. coarsened: {HELD} planes in shared "
        "memory, the middle one computed; they march upwards. register: only "
        "the middle plane in shared memory, those above and below in "
        "registers. vector: four columns of one thread in registers, the "
        "cells beside them from the L1.")
    p.head("What does a block have at a time, and where?")
    low, high = NOW - RADIUS, NOW + RADIUS

    def basic(x: int, z: int) -> Optional[str]:
        return "global" if abs(x - 5) + abs(z - NOW) <= RADIUS else None

    def tiled(x: int, z: int) -> Optional[str]:
        return "shared" if 2 <= x < 2 + TILE and z < TILE else None

    def coarsened(_: int, z: int) -> Optional[str]:
        return "shared" if low <= z <= high else None

    def register(_: int, z: int) -> Optional[str]:
        return {low: "math", NOW: "shared", high: "math"}.get(z)

    def vector(x: int, z: int) -> Optional[str]:
        if 4 <= x < 8 and low <= z <= high:
            return "math"
        return "global" if z == NOW and x in (3, 8) else None

    columns, rows = (1, 247, 494), (62, 314)
    panel(p, columns[0], rows[0], "basic",
          ("a thread has 1 cell", f"and loads {LOADS}"), basic,
          lambda x, z: (x, z) == (5, NOW), False)
    panel(p, columns[1], rows[0], "tiled",
          (f"{TILE} x {TILE} x {TILE} loaded,",
           f"{INNER} x {INNER} x {INNER} computed"),
          tiled, lambda x, z: 3 <= x < 3 + INNER and 1 <= z < 1 + INNER, False)
    panel(p, columns[0], rows[1], "coarsened",
          (f"{HELD} planes in shared", "memory go upwards"), coarsened,
          current(RADIUS, WIDE - RADIUS), True)
    panel(p, columns[1], rows[1], "register",
          ("1 plane in shared", "memory goes upwards"), register,
          current(RADIUS, WIDE - RADIUS), True)
    panel(p, columns[2], rows[1], "vector",
          ("a thread has 4", "columns, goes upwards"), vector,
          current(4, 8), True)
    for i, (fill, words) in enumerate((
            ("dot", "computed"), ("shared", "shared memory"),
            ("math", "registers"), ("global", "global memory"))):
        p.legend(columns[2], rows[0] + 32 + 32 * i, [(fill, words)])
    x, y = columns[2], rows[0] + 172
    p.arrow((x, y), (x + 50, y))
    p.text(x + 58, y, "x")
    p.arrow((x + 100, y + 20), (x + 100, y - 20))
    p.text(x + 112, y, "z")
    return p


def heat() -> png.Pixels:
    """Return the picture that the lesson's command writes."""
    with open("chapters/stencil/README.md", encoding="utf-8") as file:
        args = re.search('args="(.*) --out heat.png"', file.read()).group(1)
    return png.run("stencil", "ppm", "--variant vector " + args)


if __name__ == "__main__":
    sys.exit(png.renew("chapters/stencil/heat.png", heat())
             | svg.main("stencil", marching))
