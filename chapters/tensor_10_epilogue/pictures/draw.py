"""The pictures of tensor_10."""

import re
from tools import course
from tools.author import drawings
from tools.author.svg import BOLD, WIDTH, Picture, picture
from tools.author.tracing import defined


@picture("When C leaves, of three tiles of an SM")
def timeline(p: Picture) -> None:
    """Measured time lines of an SM, K 1024. tensor_08, as tensor_09: C of a tile
    is handed over before the next products begin. tensor_10: the next products
    begin 1,900 cycles after the last ones, and C leaves below them."""
    scale, left = (WIDTH - 112) / 60000, 112.0
    p.bottom = 16
    drawings.stamped(p, "tensor_08", scale, left, True)
    drawings.stamped(p, "tensor_10", scale, left, True)
    p.legend(("math", "products of a tile (cycles)"), ("shared", "C is in its hands"))


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
