"""The pictures in pixels that lessons show, by the chapters in the simulator.

    chapters/conv/picture.pgm   a lighthouse at night, 200 x 150, with the grain
                                of old film: made here, in the public domain
    chapters/conv/filters.png   the same, and what two filters make of it
    chapters/stencil/heat.png   a hot ball after some steps, by the command in
                                the lesson
"""

import random
import re

import png
import svg

WIDTH, HEIGHT = 200, 150  # of picture.pgm


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
    image = ("--image chapters/conv/picture.pgm --radius 2 --variant tiled "
             "--filter ")
    gap = b"\xff" * 8
    rows = zip(*(p.rows() for p in (
        picture, png.run("conv", "pgm", image + "gaussian"),
        png.run("conv", "pgm", image + "sobel"))))
    return png.Pixels(3 * WIDTH + 2 * len(gap), 1,
                      b"".join(gap.join(row) for row in rows))


def heat() -> png.Pixels:
    """Return the picture that the lesson's command writes."""
    with open("chapters/stencil/README.md", encoding="utf-8") as file:
        args = re.search('args="(.*) --out heat.png"', file.read()).group(1)
    return png.run("stencil", "ppm", "--variant vector " + args)


def renew(chapter: str) -> int:
    """Renew those of a chapter, if it has any; return 1 if one is stale."""
    if chapter == "conv":
        picture = lighthouse()
        return (svg.renew("chapters/conv/picture.pgm", png.pnm(picture))
                | png.renew("chapters/conv/filters.png", filters(picture)))
    if chapter == "stencil":
        return png.renew("chapters/stencil/heat.png", heat())
    return 0
