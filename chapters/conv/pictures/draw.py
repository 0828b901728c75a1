"""The pictures of conv."""

from typing import List

from tools.author.drawings import grid, matrix
from tools.author.photos import Pixels, photo, read, run
from tools.author.svg import BOLD, Picture, picture
from tools.author.tracing import (Request, elements_of, extent, pick, touched,
                                  trace)


def conv_block(variant: str, number: List[int]) -> List[Request]:
    """Return what a block of conv in the middle of its picture does."""
    return trace(
        "conv", f"--variant {variant} --width 96 --height 96 --radius 2",
        6, 30, block=number)


@picture("Results at the rim need the halo")
def halo(p: Picture) -> None:
    """A square of 32 x 32 pixels that a block loads; in its middle the 28 x 28
    that it computes. Around it is the halo, 2 pixels wide. Two frames of 5 x 5
    pixels: what a result in the corner needs lies partly in the halo, what one
    in the middle needs does not."""
    mine = conv_block("tiled", [1, 1, 0])
    loaded, stored = (elements_of(mine, array=array, op=op)
                      for array, op in (("x", "load"), ("y", "store")))
    (row, column, edge, _), (*_, inner) = extent(loaded), extent(stored)
    assert len(loaded) == edge**2 and len(stored) == inner**2
    size, radius = 12, (edge - inner) // 2
    side = 2 * radius + 1
    matrix(p, 0, 50, size, (edge, edge), {
        fill: [(y - row, x - column) for y, x in places]
        for fill, places in (("global", loaded), ("math", stored))})
    for at in (radius, edge // 2):
        p.box(size * (at - radius), 50 + size * (at - radius), size * side,
              size * side, line=BOLD, edge="black")
        p.circle(size * (at + 0.5), 50 + size * (at + 0.5), 4, "black", 0)
    for y, words in ((76, ("a block loads", f"{edge} x {edge} pixels")),
                     (166, ("and computes", f"{inner} x {inner} results")),
                     (256, ("A frame is around", f"the {side} x {side} pixels",
                            "of the dot's result."))):
        p.panel(410, y, *words)
    p.legend(("global", "halo"), ("math", "computed"))


@picture("Who needs row r? 5 rows of results")
def sums(p: Picture) -> None:
    """Above, a row of pixels that a thread has loaded. Below, the sums of five
    rows of results. Each gets the pixels times another row of the filter. The
    uppermost is complete after that and is stored; the others move up by a row.
    """
    # A trace has no registers: which sum gets which row of the filter is what
    # the kernel says; how many columns there are is in the trace.
    mine = conv_block("register_window", [0, 1, 0])
    (*_, deep, wide), (*_, high, own) = (
        extent(touched(pick(mine, space="global", op=op))[0, 1])
        for op in ("load", "store"))
    assert deep - high == 4 and not pick(mine, space="shared")
    size, left, top = 22, 196, 62
    inner = left + size * (wide - own) // 2
    middle, right = inner + size * own / 2, inner + size * own + 24
    p.text(0, top + size / 2, "pixels, row r")
    grid(p, left, top, size, (1, wide), rest="global")
    p.box(inner, top, size * own, size, line=BOLD, edge="black")
    p.text(left + size * wide + 10, top + size / 2, "framed: own")
    p.arrow((middle, top + size + 8), (middle, top + 80))
    p.text(middle + 14, top + 50, "times filter row")
    for s, row in enumerate(("r - 2", "r - 1", "r", "r + 1", "r + 2")):
        y = top + 92 + 52 * s
        p.text(0, y + size / 2, f"sums, row {row}")
        grid(p, inner, y, size, (1, own), rest="math" if s else "good")
        p.text(right, y + size / 2, str(4 - s))
        if s:
            p.arrow((inner - 22, y + size / 2), (inner - 22, y - 26))
    p.text(right + 32, top + 103, "then stored")
    p.text(0, p.bottom + 34,
           "The next row of pixels finds each sum a line further up.")
    p.legend(("global", "pixels"), ("math", "sums"), ("good", "complete"))


@photo
def filters() -> Pixels:
    """Return a lighthouse at night with grain, in the public domain, blurred,
    and its edges, side by side."""
    path, gap = "chapters/conv/picture.pgm", b"\xff" * 8
    three = [read(path), *(
        run("conv", "pgm", f"--image {path} --radius 2 --variant tiled "
            f"--filter {name}") for name in ("gaussian", "sobel"))]
    return Pixels(sum(p.width for p in three) + 2 * len(gap), 1, b"".join(
        gap.join(rows) for rows in zip(*(p.rows() for p in three))))
