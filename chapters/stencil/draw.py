#!/usr/bin/env python3
"""Draw marching.svg beside this file: python3 chapters/stencil/draw.py

What a block of each variant has at a time, in a plane of x and z: the cells
that it loads, those that it computes, and where they are kept.
"""

import os
from typing import Callable, List, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
# role: (light, without media queries, dark)
PALETTE = {
    "ink": ("#5c5c5c", "#757575", "#949494"),
    "global": ("#e69f00", "#e69f00", "#e69f00"),
    "shared": ("#cc79a7", "#cc79a7", "#cc79a7"),
    "lane": ("#56b4e9", "#56b4e9", "#56b4e9"),
}
CELL = 16  # edge of a cell
WIDE, HIGH = 12, 10  # cells of a panel
LEFT, TOP = 24, 96  # of the first panel
STEP = WIDE * CELL + 32  # from panel to panel
Role = Callable[[int, int], Optional[str]]  # of cell (x, z); None: untouched


def style() -> str:
    """Return the colours, for light and dark."""
    def one(column: int) -> str:
        return ".cuda-picture{" + ";".join(
            f"--{role}:{colours[column]}"
            for role, colours in PALETTE.items()) + "}"
    classes = "".join(f".cuda-picture .f-{role}{{fill:var(--{role})}}"
                      f".cuda-picture .s-{role}{{stroke:var(--{role})}}"
                      for role in PALETTE)
    return (f"<style>\n{one(1)}\n@media (prefers-color-scheme:light)"
            f"{{{one(0)}}}\n@media (prefers-color-scheme:dark)"
            f"{{{one(2)}}}\n{classes}\n</style>")


def words(x: float, y: float, text: str, size: int = 15,
          bold: bool = False) -> str:
    """Return words on the line y."""
    weight = ' font-weight="700"' if bold else ""
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}"{weight} '
            f'class="f-ink" fill="{PALETTE["ink"][1]}">{text}</text>')


def square(x: float, y: float, role: Optional[str], computed: bool) -> str:
    """Return a cell; a computed one has a dot."""
    fill = (f'class="f-{role} s-ink" fill="{PALETTE[role][1]}"' if role
            else 'class="s-ink" fill="none"')
    dot = (f'<circle cx="{x + CELL / 2:g}" cy="{y + CELL / 2:g}" r="3" '
           'fill="#111111"/>' if computed else "")
    return (f'<rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" {fill} '
            f'stroke="{PALETTE["ink"][1]}" stroke-width="1"/>{dot}')


def panel(number: int, name: str, below: List[str], role: Role,
          computed: Callable[[int, int], bool], march: bool) -> List[str]:
    """Return one variant: z grows upwards."""
    left = LEFT + number * STEP
    shapes = [words(left, TOP - 14, name, 18, True)]
    for z in range(HIGH):
        for x in range(WIDE):
            shapes.append(square(left + x * CELL, TOP + (HIGH - 1 - z) * CELL,
                                 role(x, z), computed(x, z)))
    if march:
        x = left + WIDE * CELL + 12
        shapes.append(f'<path d="M{x} {TOP + 120}L{x} {TOP + 50}" fill="none" '
                      f'class="s-ink" stroke="{PALETTE["ink"][1]}" '
                      'stroke-width="2" marker-end="url(#marching-arrow)"/>')
    bottom = TOP + HIGH * CELL
    shapes += [words(left, bottom + 22 + 20 * i, line)
               for i, line in enumerate(below)]
    return shapes


def basic(x: int, z: int) -> Optional[str]:
    """Return the role of a cell: one thread and its neighbours."""
    return "global" if abs(x - 5) + abs(z - 4) <= 1 else None


def tiled(x: int, z: int) -> Optional[str]:
    """Return the role of a cell: a cube of 8."""
    return "shared" if 1 <= x < 9 and 1 <= z < 9 else None


def coarsened(_: int, z: int) -> Optional[str]:
    """Return the role of a cell: three planes."""
    return "shared" if 3 <= z <= 5 else None


def register(_: int, z: int) -> Optional[str]:
    """Return the role of a cell: a plane, and registers around it."""
    return {3: "lane", 4: "shared", 5: "lane"}.get(z)


def vector(x: int, z: int) -> Optional[str]:
    """Return the role of a cell: four columns of one thread."""
    if 4 <= x < 8 and 3 <= z <= 5:
        return "lane"
    return "global" if z == 4 and x in (3, 8) else None


def inside(first: int, end: int) -> Callable[[int, int], bool]:
    """Return which cells of the current plane are computed."""
    return lambda x, z: z == 4 and first <= x < end


def main() -> None:
    """Write marching.svg."""
    body: List[str] = [
        words(LEFT, 34, "What a block has at a time, seen from the side "
              "(x to the right, z upwards); a dot: computed", 18, True)]
    body += panel(0, "basic", ["a thread:", "7 loads, 1 cell"], basic,
                  lambda x, z: (x, z) == (5, 4), False)
    body += panel(1, "tiled", ["8 x 8 x 8 in shared", "memory, 6 x 6 x 6",
                               "computed"], tiled,
                  lambda x, z: 2 <= x < 8 and 2 <= z < 8, False)
    body += panel(2, "coarsened", ["three planes in", "shared memory,",
                                   "32 cells wide"], coarsened,
                  inside(1, WIDE - 1), True)
    body += panel(3, "register", ["one plane in shared", "memory, above and",
                                  "below in registers"], register,
                  inside(1, WIDE - 1), True)
    body += panel(4, "vector", ["a thread: four columns",
                                "in registers, the rest", "from the L1"],
                  vector, inside(4, 8), True)
    legend = TOP + HIGH * CELL + 96
    for i, (role, text) in enumerate((
            ("global", "from global memory each time"),
            ("shared", "in shared memory"), ("lane", "in registers"))):
        body.append(square(LEFT + i * 300, legend, role, False))
        body.append(words(LEFT + i * 300 + 26, legend + 13, text))
    width, height = LEFT + 5 * STEP, legend + 36
    title = "What a block of each variant loads, keeps and computes"
    svg = "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} '
        f'{height}" class="cuda-picture" role="img" '
        'font-family="system-ui,sans-serif">',
        f"<title>{title}</title>", style(),
        '<defs><marker id="marching-arrow" viewBox="0 0 10 10" refX="9" '
        'refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L10 5L0 10z" class="f-ink" fill="{PALETTE["ink"][1]}"/>'
        "</marker></defs>", *body, "</svg>", ""])
    with open(os.path.join(HERE, "marching.svg"), "w",
              encoding="utf-8") as file:
        file.write(svg)


if __name__ == "__main__":
    main()
