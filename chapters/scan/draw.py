#!/usr/bin/env python3
"""Draw trees.svg and ring.svg beside this file: python3 chapters/scan/draw.py

The additions are those of the kernels' loops; the counts are theirs.
"""

import os
from typing import List, Tuple

HERE = os.path.dirname(os.path.abspath(__file__))
# role: (light, without media queries, dark)
PALETTE = {
    "ink": ("#5c5c5c", "#757575", "#949494"),
    "black": ("#111111", "#111111", "#111111"),
    "global": ("#e69f00", "#e69f00", "#e69f00"),
    "shared": ("#cc79a7", "#cc79a7", "#cc79a7"),
    "lane": ("#56b4e9", "#56b4e9", "#56b4e9"),
    "math": ("#f0e442", "#f0e442", "#f0e442"),
}
Round = Tuple[str, List[Tuple[int, int]]]  # label, (from, to) of additions


def style() -> str:
    """Return the colours, for light and dark."""
    def one(column: int) -> str:
        return ".cuda-picture{" + ";".join(
            f"--{role}:{colours[column]}"
            for role, colours in PALETTE.items()) + "}"
    classes = "".join(
        f".cuda-picture .f-{role}{{fill:var(--{role})}}"
        f".cuda-picture .s-{role}{{stroke:var(--{role})}}" for role in PALETTE)
    return (f"<style>\n{one(1)}\n@media (prefers-color-scheme:light)"
            f"{{{one(0)}}}\n@media (prefers-color-scheme:dark)"
            f"{{{one(2)}}}\n{classes}\n</style>")


class Picture:
    """Shapes; (0, 0) is the upper left corner."""

    def __init__(self, name: str, height: int, title: str, desc: str):
        self.name, self.height = name, height
        self.title, self.desc = title, desc
        self.body: List[str] = []

    def text(self, x: float, y: float, words: str, size: int = 18,
             anchor: str = "start", bold: bool = False,
             role: str = "ink") -> None:
        """Write words on the line y."""
        weight = ' font-weight="700"' if bold else ""
        self.body.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" '
            f'text-anchor="{anchor}"{weight} class="f-{role}" '
            f'fill="{PALETTE[role][1]}">{words}</text>')

    def line(self, x: float, y: float, to_x: float, to_y: float,
             arrow: bool = False, width: int = 2) -> None:
        """Draw a line, or an arrow."""
        end = f' marker-end="url(#{self.name}-arrow)"' if arrow else ""
        self.body.append(
            f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" class="s-ink" '
            f'stroke="{PALETTE["ink"][1]}" stroke-width="{width}" '
            f'fill="none"{end}/>')

    def box(self, x: float, y: float, width: float, height: float,
            role: str, words: str = "", frame: int = 2) -> None:
        """Draw a box with words in its middle; role "": only a frame."""
        fill = (f'class="f-{role} s-black" fill="{PALETTE[role][1]}" '
                f'stroke="{PALETTE["black"][1]}"' if role else
                f'class="s-ink" fill="none" stroke="{PALETTE["ink"][1]}"')
        self.body.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" '
            f'height="{height:g}" {fill} stroke-width="{frame}"/>')
        if words:
            self.text(x + width / 2, y + height / 2 + 6, words,
                      anchor="middle", role="black" if role else "ink")

    def dot(self, x: float, y: float) -> None:
        """Draw an addition."""
        self.body.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="9" class="f-math s-black" '
            f'fill="{PALETTE["math"][1]}" stroke="{PALETTE["black"][1]}" '
            'stroke-width="2"/>')

    def save(self) -> None:
        """Write the file."""
        head = (
            '<svg xmlns="http://www.w3.org/2000/svg" class="cuda-picture" '
            f'width="720" height="{self.height}" '
            f'viewBox="0 0 720 {self.height}" role="img" '
            f'aria-labelledby="{self.name}-title {self.name}-desc" '
            'font-family="system-ui, sans-serif">\n'
            f'<title id="{self.name}-title">{self.title}</title>\n'
            f'<desc id="{self.name}-desc">{self.desc}</desc>\n{style()}\n'
            f'<defs><marker id="{self.name}-arrow" markerWidth="8" '
            'markerHeight="8" refX="7" refY="4" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" class="f-ink" '
            f'fill="{PALETTE["ink"][1]}"/></marker></defs>\n')
        path = os.path.join(HERE, self.name + ".svg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(head + "\n".join(self.body) + "\n</svg>\n")


# ---- trees -------------------------------------------------------------------


def kogge_stone(n: int) -> List[Round]:
    """The additions of 1_kogge_stone.cuh."""
    rounds, stride = [], 1
    while stride < n:
        rounds.append((f"stride {stride}",
                       [(t - stride, t) for t in range(stride, n)]))
        stride *= 2
    return rounds


def brent_kung(n: int) -> List[Round]:
    """The additions of 3_brent_kung.cuh."""
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
    """Count them."""
    return sum(len(pairs) for _, pairs in rounds)


def panel(p: Picture, left: float, name: str, n: int,
          rounds: List[Round]) -> None:
    """Draw rounds from top to bottom, element i in column i."""
    def column(i: int) -> float:
        return left + 86 + 30 * i
    top, step = 136, 58
    p.text(left, 64, name, 22, bold=True)
    p.text(left, 90, f"{len(rounds)} rounds, {additions(rounds)} additions")
    bottom = top + step * len(rounds)
    for i in range(n):
        p.text(column(i), top - 16, str(i), anchor="middle")
        p.line(column(i), top - 8, column(i), bottom, width=1)
    for r, (label, pairs) in enumerate(rounds):
        y = top + step * r
        p.text(left, y + step - 10, label)
        for start, end in pairs:
            p.line(column(start), y + 8, column(end), y + step - 16)
        for _, end in pairs:
            p.dot(column(end), y + step - 16)


def trees() -> None:
    """Both scans of 8 elements."""
    n = 8
    full, tree = kogge_stone(n), brent_kung(n)
    p = Picture(
        "trees", 480,
        f"A scan of {n} elements: {additions(full)} additions in "
        f"{len(full)} rounds, or {additions(tree)} in {len(tree)}",
        "Two drawings, time runs down. Left, Kogge and Stone: in the rounds "
        "with strides 1, 2 and 4 every element but the first ones adds the one "
        "that stands a stride before. Right, Brent and Kung: up a tree whose "
        "strides double, and down again with strides 2 and 1.")
    p.text(0, 28, "Fewer rounds, or fewer additions", 24, bold=True)
    panel(p, 0, "Kogge-Stone", n, full)
    panel(p, 370, "Brent-Kung", n, tree)
    p.dot(10, 460)
    p.text(28, 466, "an addition, of what comes down its own column and the "
                    "slanted line")
    p.save()


# ---- the ring ----------------------------------------------------------------


def ring() -> None:
    """One of three blocks, in the middle of its work."""
    blocks, tiles, this = 3, 9, 1
    p = Picture(
        "ring", 560,
        "The ring: loads go on while sums travel",
        "Above x in nine tiles, which three blocks take in turn. In the middle "
        "the shared memory of block 1 with four slots: one is being filled, "
        "one is summed, one waits for what stands before it, one is scanned. "
        "The adder tells the sum to all blocks, the looker collects the sums "
        "of the three tiles before. Below y.")
    p.text(0, 28, "The ring of block 1, one of three", 24, bold=True)

    def row(y: float, name: str) -> None:
        p.text(0, y + 26, name, bold=True)
        for t in range(tiles):
            p.box(40 + 75 * t, y, 75, 40, "global" if t % blocks == this
                  else "", f"block {t % blocks}")
    row(60, "x")
    row(500, "y")
    # Slots in the order in which they are scanned: tiles 1, 4, 7, then 10.
    p.box(120, 190, 480, 130, "", frame=4)
    p.text(588, 214, "shared memory: a ring of slots", anchor="end")
    states = [("being", "filled"), ("is being", "summed"),
              ("sum told,", "waits"), ("is being", "scanned")]
    for slot, (first, second) in enumerate(states):
        x = 135 + 115 * slot
        p.box(x, 228, 105, 76, "shared")
        p.text(x + 52, 260, first, anchor="middle", role="black")
        p.text(x + 52, 284, second, anchor="middle", role="black")
    p.line(187, 104, 187, 224, arrow=True)
    p.text(197, 150, "loader: bulk copies, always under way")
    p.line(302, 306, 302, 384, arrow=True)
    p.text(292, 350, "adder tells", anchor="end")
    p.box(150, 388, 300, 60, "lane")
    p.text(300, 412, "sums of all blocks", anchor="middle", role="black")
    p.text(300, 436, "one word each, in L2", anchor="middle", role="black")
    p.line(417, 386, 417, 310, arrow=True)
    p.text(427, 350, "looker adds 3")
    p.line(560, 306, 560, 494, arrow=True)
    p.text(570, 440, "scanners")
    p.save()


trees()
ring()
