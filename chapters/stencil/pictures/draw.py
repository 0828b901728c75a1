"""The pictures of stencil."""

import re
from typing import Dict, Sequence, Tuple

from tools import course
from tools.author.drawings import grid
from tools.author.photos import Pixels, photo, run
from tools.author.svg import NAME, Picture, picture
from tools.author.tracing import WORD, elements_of, trace


@picture("A larger cube has less shell")
def shells(p: Picture) -> None:
    """Two pairs of squares, a plane through the middle of a block's cube: the
    cells that it computes in the middle of those that it loads. tiled: 6 of 8.
    coarsened: 30 of 32."""
    each = []
    for x, variant in p.panels((("tiled",), ("coarsened",))):
        mine = trace("stencil", f"--variant {variant} --N "
                     f"{92 if x else 20}", 22, 100, block=[1, 1, 1])
        cells = [len(elements_of(mine, array=array, op=op))
                 for array, op in (("in", "load"), ("out", "store"))]
        loaded, computed = (round(number ** (1 / 3)) for number in cells)
        assert [loaded**3, computed**3] == cells
        each.append(f"{cells[0] / cells[1]:.2f} loads each")
        side, shell = 192, 192 * (loaded - computed) / loaded / 2
        p.box(x, 84, side, side, "global")
        p.box(x + shell, 84 + shell, side - 2 * shell, side - 2 * shell, "math")
        p.text(x + 204, 150, f"{loaded} wide,")
        p.text(x + 204, 180, f"inside {computed}")
    p.results(*each)
    p.legend(("global", "loaded"), ("math", "computed"))


Part = Tuple[int, int, int, int]  # row, column, rows, columns
SEEN: Dict[str, Tuple[str, str, int, Part, Sequence[Tuple[str, Part]]]] = {
    # two lines of words, words of shared memory, what is computed, what is had
    "basic": ("a thread loads 7", "for 1 result", 0, (4, 5, 1, 1), (
        ("global", (3, 5, 3, 1)), ("global", (4, 4, 1, 3)))),
    "tiled": ("8 x 8 x 8 in", "shared memory", 8**3, (2, 3, 6, 6), (
        ("shared", (1, 2, 8, 8)),)),
    "coarsened": ("3 planes in", "shared memory", 3 * 32**2, (4, 1, 1, 11), (
        ("shared", (3, 0, 3, 12)),)),
    "register": ("1 plane in", "shared memory", 32**2, (4, 1, 1, 11), (
        ("math", (3, 1, 3, 11)), ("shared", (4, 0, 1, 12)))),
    "vector": ("a thread has", "4 columns", 0, (4, 4, 1, 4), (
        ("global", (4, 3, 1, 6)), ("math", (3, 4, 3, 4)))),
}


@picture("What does a block have, and where?")
def marching(p: Picture) -> None:
    """Five panels, x to the right, z upwards. basic: a thread loads a cell and
    its neighbours. tiled: a cube in shared memory, its inside is computed.
    coarsened: three planes in shared memory, the middle one is computed; they
    march upwards. register: only the middle plane is in shared memory, those
    above and below are in registers. vector: four columns of a thread in
    registers, the cells beside them are loaded."""
    # A trace has no registers. How much of shared memory a block writes is
    # checked: that is what it has there at a time.
    cell = 17
    for i, (variant, (one, two, words, (top, left, high, wide), parts)) in (
            enumerate(SEEN.items())):
        x, y = 1 + 247 * (i % 3), 62 + 274 * (i // 3)
        stores = trace("stencil", f"--variant {variant} --N 62", 2, 30,
                       space="shared", op="store", block=[0, 0, 0])
        assert words == len({(store["start"] + at) // WORD
                             for store in stores for at in store["at"]})
        grid(p, x, y + 20, cell, (9, 12), {
            (i + row, j + column): fill
            for fill, (row, column, rows, columns) in parts
            for i in range(rows) for j in range(columns)})
        for row in range(high):
            for column in range(wide):
                p.circle(x + cell * (left + column + 0.5),
                         y + 20 + cell * (top + row + 0.5), 4, "black", 0)
        if i > 1:
            p.arrow((x + 218, y + 139), (x + 218, y + 54))
        p.text(x, y, variant, NAME, bold=True)
        p.text(x, y + 195, one)
        p.text(x, y + 223, two)
    p.legend(("shared", "shared memory"), ("math", "registers"),
             ("global", "global memory"))
    p.text(0, p.bottom + 24, "A dot is computed. x goes right, z goes up.")


@photo
def heat() -> Pixels:
    """Return a hot ball after one step and after some, the latter by the command
    in the lesson, side by side."""
    page = course.text_of("chapters/stencil/README.md")
    args, = re.findall('args="(.*) --out heat.ppm"', page)
    both = [run("stencil", "ppm", "--variant vector " + line) for line in (
        re.sub("--steps [0-9]+", "--steps 1", args), args)]
    gap = b"\xff" * 8 * both[0].channels
    return Pixels(sum(p.width for p in both) + 8, both[0].channels, b"".join(
        gap.join(rows) for rows in zip(*(p.rows() for p in both))))
