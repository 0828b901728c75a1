#!/usr/bin/env python3
"""Draw chapters/reduction/working_warps.svg: who works in each step of a tree.

Usage: draw_reduction.py [--check]

The lanes come from the conditions of the two kernels. That they are what runs
is checked against the file counts, whose numbers the simulator reproduces: a
warp with a working lane loads twice. --check writes nothing and ends with 1 if
the picture is not what it would write.
"""

import os
import sys
from typing import Callable, List

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import counts  # noqa: E402

PATH = "chapters/reduction/working_warps.svg"
BLOCK, LANES = 1024, 32
WARPS, STEPS = BLOCK // LANES, BLOCK.bit_length()
SECTIONS = 128  # of the blocks of counts

# Role: light, without media queries, dark; as in all pictures of the course.
PALETTE = {"ink": ("#5c5c5c", "#757575", "#949494"),
           "black": ("#111111",) * 3, "lane": ("#56b4e9",) * 3,
           "wait": ("#f8c3a2",) * 3, "bad": ("#d55e00",) * 3, "good": ("#009e73",) * 3}
CELL, ROW, TOP, HEIGHT = 9, 30, 96, 580
PANELS = (60, 412)  # left edges


def working(condition: Callable[[int, int], bool]) -> List[List[int]]:
    """Return the working lanes of each warp, for each step."""
    return [[sum(condition(step, LANES * warp + lane) for lane in range(LANES))
             for warp in range(WARPS)] for step in range(STEPS)]


def total(steps: List[List[int]]) -> int:
    """Return the warps that work, over all steps."""
    return sum(lanes > 0 for step in steps for lanes in step)


def claimed(variant: str) -> float:
    """Return the warps that work according to the file counts."""
    block = counts.find(counts.read("reduction"),
                        f"--variant {variant} --n {SECTIONS * 2 * BLOCK}")
    loads = block.counts["global_load_requests"].value / SECTIONS
    return (loads - 2 * WARPS - 1) / 2  # without the copy and the result


def text(x: float, y: float, words: str, size: int = 18, anchor: str = "start",
         role: str = "ink", bold: bool = False) -> str:
    """Return a line of text; y is its base."""
    weight = ' font-weight="700"' if bold else ""
    return (f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}"'
            f'{weight} class="f-{role}" fill="{PALETTE[role][1]}">{words}'
            "</text>")


def cell(x: int, y: int, lanes: int) -> str:
    """Return a warp: the share of its lanes that work, and those that wait."""
    height = (ROW - 6) * lanes / LANES
    fill = (f'class="f-wait s-ink" fill="{PALETTE["wait"][1]}"' if lanes
            else 'class="s-ink" fill="none"')
    frame = (f'<rect x="{x}" y="{y}" width="{CELL - 2}" height="{ROW - 6}" '
             f'{fill} stroke="{PALETTE["ink"][1]}"/>')
    if not lanes:
        return frame
    return frame + (
        f'<rect x="{x}" y="{y + ROW - 6 - height:g}" width="{CELL - 2}" '
        f'height="{height:g}" class="f-lane" fill="{PALETTE["lane"][1]}"/>')


def panel(left: int, name: str, why: str, steps: List[List[int]],
          kind: str) -> List[str]:
    """Return one variant: a row of 32 warps for each step, and the sum."""
    body = [text(left, 62, name, 22, bold=True), text(left, 84, why)]
    for step, warps in enumerate(steps):
        body += [cell(left + CELL * i, TOP + ROW * step, lanes)
                 for i, lanes in enumerate(warps)]
    y, width = TOP + ROW * STEPS + 14, CELL * WARPS
    body.append(f'<rect x="{left}" y="{y}" width="{width}" height="46" '
                f'rx="{4 if kind == "bad" else 23}" class="f-{kind}" '
                f'fill="{PALETTE[kind][1]}"/>')
    body.append(text(left + width // 2, y + 33, f"{total(steps)} warps", 28,
                     "middle", "black", True))
    return body


def draw() -> str:
    """Return the picture."""
    divergent = working(lambda step, t: t % 2**step == 0)
    convergent = working(lambda step, t: t < BLOCK >> step)
    for name, steps in (("divergent", divergent), ("convergent", convergent)):
        if total(steps) != claimed(name):
            raise SystemExit(f"{name}: {total(steps)} warps work, but counts "
                             f"say {claimed(name):g}")
    title = (f"A tree of {STEPS} steps: {total(divergent)} warps work if the "
             f"stride doubles, {total(convergent)} if it halves")
    desc = (f"Two panels, a row for each of {STEPS} steps, a cell for each of "
            f"{WARPS} warps, blue as far as its lanes work. Left, divergent: "
            f"all warps work up to step 5, with 32, 16, 8, 4, 2 and 1 lanes. "
            "Right, convergent: full warps, half as many in each step, from "
            "step 5 on a single one.")
    body = [text(0, 24, "Who adds in each step of the tree?", 24, bold=True)]
    body += panel(PANELS[0], "divergent", "t % stride == 0", divergent, "bad")
    body += panel(PANELS[1], "convergent", "t &lt; stride", convergent, "good")
    body += [text(50, TOP + ROW * step + 19, str(step), anchor="end")
             for step in range(STEPS)]
    body.append(text(0, 84, "step"))
    y = HEIGHT - 52
    body += [cell(2, y, 16),
             text(18, y + 18, "a warp: half of its lanes work, half wait"),
             cell(412, y, 0), text(428, y + 18, "a warp with nothing to do")]
    body.append(text(0, HEIGHT - 6, "Left to right: warps 0 to 31."))
    rules = "".join(f".cuda-picture .{p}-{r}{{{a}:var(--{r})}}"
                    for p, a in (("f", "fill"), ("s", "stroke"))
                    for r in PALETTE)
    colours = [";".join(f"--{r}:{c[i]}" for r, c in PALETTE.items())
               for i in range(3)]
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" class="cuda-picture" '
        f'width="720" height="{HEIGHT}" viewBox="0 0 720 {HEIGHT}" role="img" '
        'aria-labelledby="working-warps-title working-warps-desc" '
        'font-family="system-ui, sans-serif">',
        f'<title id="working-warps-title">{title}</title>',
        f'<desc id="working-warps-desc">{desc}</desc>',
        f"<style>.cuda-picture{{{colours[1]}}}",
        f"@media (prefers-color-scheme:light){{.cuda-picture{{{colours[0]}}}}}",
        f"@media (prefers-color-scheme:dark){{.cuda-picture{{{colours[2]}}}}}",
        f"{rules}</style>", *body, "</svg>", ""])


def main() -> int:
    """Write the picture, or compare it."""
    made = draw()
    if sys.argv[1:] == ["--check"]:
        with open(PATH, encoding="utf-8") as file:
            if file.read() == made:
                return 0
        print(f"{PATH}: stale; common/make/author/draw_reduction.py draws it",
              file=sys.stderr)
        return 1
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
