#!/usr/bin/env python3
"""Draw what the lesson of conv shows, in chapters/conv/.

Usage: draw_conv.py [--check]

    picture.pgm  a lighthouse at night, 200 x 150, with the grain of old film:
                 made by this script, in the public domain
    filters.png  the same, and what two filters make of it: by the chapter, in
                 the simulator
    tile.svg     where the pixels lie that a block or a thread needs
"""

import math
import random
import sys
from typing import List, Optional

import png
import svg

FOLDER = "chapters/conv/"
WIDTH, HEIGHT = 200, 150


# ---- the picture ------------------------------------------------------------


def scene(col: int, row: int) -> float:
    """Return the grey of a pixel, without grain."""
    if (col - 40) ** 2 + (row - 30) ** 2 < 144:
        return 235  # the moon
    tower = 7 + (row - 45) / 12  # half its width
    if 45 <= row < 118 and abs(col - 140) < tower:
        return 215 if (row - 45) // 12 % 2 == 0 else 90
    if 36 <= row < 45 and abs(col - 140) < 6:
        return 255  # the lamp
    if 31 <= row < 36 and abs(col - 140) < 9 - (36 - row):
        return 60
    if col < 134 and abs(row - 40) < (134 - col) / 7:
        return 70 + row / 3 + (134 - col) / 134 * 10 + 35  # its beam
    if row > 118 - 14 * max(0.0, 1 - ((col - 150) / 55) ** 2):
        return 38  # the rock
    if row > 112:
        return 95 + 25 * ((row * 7 + col // 5) % 9 == 0)  # the sea
    return 45 + row / 3


def lighthouse() -> png.Pixels:
    """Return the picture with its grain, always the same."""
    grain = random.Random(1)
    return png.Pixels(WIDTH, 1, bytes(
        max(0, min(255, round(scene(col, row) + grain.gauss(0, 9))))
        for row in range(HEIGHT) for col in range(WIDTH)))


def filters(picture: png.Pixels) -> png.Pixels:
    """Return the picture, blurred, and its edges, side by side."""
    image = f"--image {FOLDER}picture.pgm --radius 2 --variant tiled --filter "
    gap = b"\xff" * 8
    rows = zip(*(p.rows() for p in (
        picture, png.run("conv", "pgm", image + "gaussian"),
        png.run("conv", "pgm", image + "sobel"))))
    return png.Pixels(3 * WIDTH + 2 * len(gap), 1,
                      b"".join(gap.join(row) for row in rows))


# ---- the drawing of tiles ----------------------------------------------------

RADIUS, EDGE = 2, 8  # EDGE: of a block's results; 8 pixels stand for 28 or 32
SIDE, WIDE = 2 * RADIUS + 1, EDGE + 2 * RADIUS
CELL, TOP = 18, 72
Squares = List[List[Optional[str]]]


def check() -> None:
    """Compare what is drawn with the file counts, of 256 x 256 pixels."""
    def counted(variant: str, name: str) -> float:
        return svg.counted("conv", f"--variant {variant} --width 256 "
                           "--height 256")[name]
    # 32 warps store a tile: with its halo in tiled, without in cached_halo.
    for variant, results in (("tiled", 32 - 2 * RADIUS), ("cached_halo", 32)):
        assert counted(variant, "shared_store_wavefronts") == (
            32 * math.ceil(256 / results) ** 2)
    # Each row of pixels, and RADIUS more above and below each of 16 bands, is
    # in SIDE rows of sums, with SIDE products each.
    assert counted("register_window", "ffma") == (
        (256 + 16 * 2 * RADIUS) * 256 * SIDE ** 2)


def tile_with_halo(halo: str) -> Squares:
    """Return a block's tile of shared memory, and a frame around it."""
    row = [halo] * RADIUS + ["shared"] * EDGE + [halo] * RADIUS
    return [[halo] * WIDE] * RADIUS + [row] * EDGE + [[halo] * WIDE] * RADIUS


def window() -> Squares:
    """Return a thread's rows of sums, and the row of pixels among them."""
    row = [None] * RADIUS + ["math"] * EDGE + [None] * RADIUS
    return [row] * RADIUS + [["math"] * WIDE] + [row] * RADIUS


def tile() -> svg.Picture:
    """tiled, cached_halo and register_window."""
    check()
    p = svg.Picture(
        "tile", 382,
        f"Where the pixels lie that a filter of {SIDE} x {SIDE} needs",
        "Three panels; a dot marks a pixel whose result is computed. tiled: a "
        "block has a tile in shared memory, with the halo around its results. "
        "cached_halo: the tile in shared memory is what it computes, the halo "
        "is in global memory. register_window: a thread has loaded one row of "
        f"{WIDE} pixels, in a frame; it adds them to {SIDE} rows of sums, the "
        "uppermost of which is complete then. All of this is in registers.")
    p.head(f"A filter of {SIDE} x {SIDE}: where do its pixels lie?")
    inside = [(row, col) for row in range(RADIUS, RADIUS + EDGE)
              for col in range(RADIUS, RADIUS + EDGE)]
    complete = [(0, col) for col in range(RADIUS, RADIUS + EDGE)]
    for left, name, squares, dots, below in (
            (1, "tiled", tile_with_halo("shared"), inside,
             ("a block has a tile", "and the halo")),
            (252, "cached_halo", tile_with_halo("global"), inside,
             ("a block has a tile;", "the halo is cached")),
            (501, "register_window", window(), complete,
             ("framed pixels go into", f"{SIDE} rows of sums"))):
        p.text(left, 50, name, svg.NAME, bold=True)
        p.grid(left, TOP + CELL * (WIDE - len(squares)) / 2, CELL, squares,
               dots)
        for i, words in enumerate(below):
            p.text(left, TOP + CELL * WIDE + 20 + 23 * i, words)
    p.box(501, TOP + CELL * (WIDE - 1) / 2, CELL * WIDE, CELL, line=svg.BOLD)
    p.legend(0, 368, [("dot", "computed"), ("shared", "shared memory"),
                      ("global", "global memory"), ("math", "registers")])
    return p


def main() -> int:
    """Renew all three."""
    picture = lighthouse()
    stale = svg.renew(FOLDER + "picture.pgm", png.pnm(picture))
    stale |= png.renew(FOLDER + "filters.png", filters(picture))
    return stale | svg.main("conv", tile)


if __name__ == "__main__":
    sys.exit(main())
