"""The pictures of gemm_10."""

from tools.author.drawings import (BARRIER, grid, matrix, one_by_one,
                                   rectangles, runs, timeline)
from tools.author.svg import THIN, TOP, Picture, picture
from tools.author.tracing import LANES, SIZES, WIDE, by_warp, loads, owned


@picture("Who computes what: block, warp, lane")
def nesting(p: Picture) -> None:
    """Three drawings, each an enlarged piece of the one before: the tile of a
    block with 8 warps, each in both halves; the two pieces of warp 5 with the
    elements of lane 21; the 32 lanes, 4 down and 8 across."""
    warp, mine, scale, s, y, g, x = 5, 21, 1.8, 4, 346, 42, 372
    results = owned("gemm_10", WIDE)
    warps = by_warp(results)
    halves = rectangles(warps[warp])
    of_lane = rectangles(results[warp, mine])
    (row0, col0, high, wide), _ = halves
    *_, lane_high, lane_wide = of_lane[0]
    p.panel(490, 76, "block", "128 x 256", f"{len(warps)} warps,", "each twice")
    for w, places in warps.items():
        for row, col, tall, broad in rectangles(places):
            p.box(col * scale, 50 + row * scale, broad * scale, tall * scale,
                  "lane" if w == warp else "", f"{w}")
    p.panel(0, y + high * s + 24, f"warp {warp}", f"2 x {high} x {wide}")
    for n, ((row, col, *_), (at, begin, *_)) in enumerate(zip(halves, of_lane)):
        left = n * (wide * s + 20)
        p.box(left, y, wide * s, high * s, "lane")
        p.box(left + (begin - col) * s, y + (at - row) * s, lane_wide * s,
              lane_high * s, "math", line=THIN)
        for more in (0, wide):
            p.path([((col + more) * scale, 50 + (row + high) * scale),
                    (left + more * s, y)], THIN)
    down, across = high // lane_high, wide // lane_wide
    places = {}
    for lane in range(LANES):
        row, col, *_ = rectangles(results[warp, lane])[0]
        places[(row - row0) // lane_high, (col - col0) // lane_wide] = lane
    grid(p, x, y, g, (down, across), {
        at: "math" if lane == mine else "lane" for at, lane in places.items()},
        {at: str(lane) for at, lane in places.items()})
    p.panel(x, y + down * g + 24, f"{LANES} lanes of it",
            f"{lane_high} x {lane_wide} each, twice")
    for at, to in ((y, y), (y + high * s, y + down * g)):
        p.path([(2 * wide * s + 20, at), (x, to)], THIN)


@picture("A patch has shorter edges than a strip")
def edges(p: Picture) -> None:
    """Two tiles of a block with the elements of warp 0, and along the edges the
    words of A and B that it needs for one k. gemm_09: a strip of 16 rows across
    the whole tile needs all words of B. gemm_10: a patch in two pieces, 64 x 32
    each, needs half of the words of A and a quarter of those of B."""
    size, top = 1.25, TOP + 20
    chapters = ("gemm_09", "gemm_10")
    warps = [by_warp(owned(chapter, WIDE))[0] for chapter in chapters]
    names = [(chapter, f"{what}, " + " and ".join(
        f"{high} x {wide}" for *_, high, wide in rectangles(mine)))
        for chapter, mine, what in zip(chapters, warps, ("strip", "patch"))]
    for x, mine in p.panels(names, warps):
        matrix(p, x + 20, top, size, (128, 256), {"lane": mine})
        rows, columns = zip(*mine)
        for first, many in runs(rows):
            p.box(x, top + size * first, 14, size * many, "shared")
        for first, many in runs(columns):
            p.box(x + 20 + size * first, TOP, size * many, 14, "shared")
    p.legend(("lane", "warp 0"), ("shared", "its words of A and B for one k"))


@picture("After a barrier there is a hole")
def hole(p: Picture) -> None:
    """Time from left to right, twice; above the words that a warp loads, below
    those that it multiplies. gemm_09: after the barrier it loads k = 0 and
    multiplies nothing. gemm_10: it loads k = 0 and multiplies k = 7 meanwhile.
    """
    p.bottom = 34  # below: | a barrier, h a hole, a blank: half a step
    for chapter, what, load, multiply in (
            ("gemm_09", "loads run ahead inside a tile only",
             "7  |012", "67|h01"),
            ("gemm_10", "loads run ahead across the barrier",
             "7|0123", "6|7012")):
        mine = loads(chapter, "Bs", SIZES.format(128, 256, 16))
        ahead = len(mine) // 2 - 16  # of 16 k; two loads of Bs for each
        assert ahead == (chapter == "gemm_10")
        p.panel(0, p.bottom + 28, chapter, what)
        for label, fill, steps in (("load", "shared", load),
                                   ("multiply", "math", multiply)):
            timeline(p, label, [bar for bar in one_by_one(
                (20, BARRIER, "") if k == "|" else
                (100, "hatch", "") if k == "h" else
                (100 - 50 * (k == " "), fill, f"k {k}") for k in steps)
                if bar[3] != "k  "], 1, high=38)
        p.middle(118 + 100 * (2.0 - ahead), p.bottom + 22, "barrier")
    p.legend(("hatch", "waits for its first words; not to scale"))
