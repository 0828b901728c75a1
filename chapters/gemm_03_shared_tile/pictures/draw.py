"""The pictures of gemm_03."""

import collections

from tools import course
from tools.author.drawings import BARRIER, grid, one_by_one, timeline
from tools.author.svg import BOLD, THIN, WIDTH, Picture, picture
from tools.author.tracing import LINE, SIZES, SMS, elements, trace


@picture("Copy each word once, use it 32 times")
def tile(p: Picture) -> None:
    """Left, in global memory: a block of C needs a band of A and a band of B;
    it copies one tile of each, 32 x 32 words. Right, in shared memory: one word
    of As is read by the 32 threads of a row of the block, one word of Bs by the
    32 threads of a column; the thread where they cross multiplies the two. 8 of
    the rows and columns are drawn."""
    for space, times in (("global", 1), ("shared", 32)):
        words = collections.Counter(
            (request["array"], place) for request in trace(
                "gemm_03", SIZES.format(64, 64, 64), space=space, op="load")
            for _, place in elements(request) if request["barriers"] < 2)
        assert {*words.values()} == {times}  # of the first tile
    size, x, y = 92, 200, 290  # of a tile; where the block of C stands
    row, col, k, cell = 5, 2, 3, 16
    side, shape = 8 * cell, (8, 8)
    a_x, b_x, b_y = 376, 560, y - 32 - side
    for left, _ in p.panels((("1  copy", "global", "memory"),
                             ("2  share", "shared", "memory")), "12"):
        if left:
            grid(p, a_x, y, cell, shape, {(row, k): "global"}, rest="shared")
            grid(p, b_x, b_y, cell, shape, {(k, col): "global"}, rest="shared")
            grid(p, b_x, y, cell, shape, {
                **{(row, i): "lane" for i in range(8)},
                **{(i, col): "lane" for i in range(8)}, (row, col): "math"})
        else:
            for i, fill, name in ((2, "global", ""), (1, "", "next")):
                p.box(x - 16 - i * size, y, size, size, fill, name or "A")
                p.box(x, y - 16 - i * size, size, size, fill, name or "B")
            p.box(x, y, size, size, "", "C")
    p.middle(a_x + side / 2, y - 16, "As", bold=True)
    p.text(b_x - 12, b_y + side / 2, "Bs", anchor="end", bold=True)
    p.text(b_x + side + 10, y + side - 14, "C")
    across, down = y + (row + 0.5) * cell, b_x + (col + 0.5) * cell
    p.arrow((a_x + (k + 1) * cell + 3, across), (b_x - 3, across), BOLD)
    p.arrow((down, b_y + (k + 1) * cell + 3), (down, y - 3), BOLD)
    p.results("copied once", "read by 32 threads", good=(True, True))
    p.legend(("global", "a tile, and one word of it"),
             ("lane", "reads a word"), ("math", "reads both words"))
    p.text(0, p.bottom + 20, "of each tile 8 x 8 of 32 x 32 words are drawn")


@picture("A fast warp must not overtake a slow one")
def race(p: Picture) -> None:
    """Time lines of two warps of a block; warp 1 is late. Without the second
    barrier warp 0 puts its words of tile 1 where warp 1 still reads tile 0. With
    it warp 0 waits until both have read."""
    read = len([request for request in trace(
        "gemm_03", SIZES.format(32, 32, 64), warp=0, space="shared", op="load")
        if request["barriers"] == 1])  # of tile 0
    put, late, left = 10, read / 2, 110
    scale = (WIDTH - left) / (read + late + put + read)
    p.bottom = 34
    for name, waits in (("no second barrier", False),
                        ("both barriers", True)):
        p.panel(0, p.bottom + 28, name)
        end = late + read  # of reading tile 0, by both
        rest = [(0, BARRIER, ""), (read, "math", "tile 1")]
        first = [(read, "math", "tile 0"),
                 *([(late, "hatch", ""), (0, BARRIER, ""), (put, "shared", "")]
                   if waits else
                   [(put, "bad", ""), (late, "hatch", "")]), *rest]
        second = [(read, "math", "tile 0"),
                  *([(0, BARRIER, "")] if waits else []),
                  (put, "shared", ""), *rest]
        timeline(p, "warp 0", one_by_one(first), scale, left, 40)
        timeline(p, "warp 1", one_by_one(second, end - read), scale, left, 40)
    p.legend(("math", "reads a tile"), ("shared", "puts words of tile 1"),
             ("hatch", "waits"))
    p.legend(("bar", "barrier"), ("bad", "puts them where tile 0 is still read"))


@picture("Which way is full? (gemm_03, 4096)")
def pipes(p: Picture) -> None:
    """From top to bottom the arithmetic of the SMs, L1 and shared memory, L2,
    DRAM, joined by pipes as wide as their bandwidth. The first is filled as far
    as it has a trip to make, whatever the trip carries; the others as far as
    bytes flow."""
    chapter = course.find_chapter("gemm_03")
    with open("docs/results/h200_caches.txt", encoding="utf-8") as file:
        busy_l1, _, from_l2, _, from_dram = next(
            line for line in file if line.startswith(chapter)).split()[3:]
    record = course.timed(chapter)[(4096,) * 3]
    ms, hertz = record["time_ms"]["median"], record["clocks_mhz"]["sm"] * 1e6
    copy = next(other for other in course.results("wmma_padding")
                if other["limit"]["name"] == "dram")
    with open("docs/results/h200_l2.txt", encoding="utf-8") as file:
        middle = next(float(line.split()[1]) / 1000 for line in file
                      if line.startswith("load"))
    near = SMS * LINE * hertz / 1e12  # TB/s
    far = copy["gbytes_per_s"] / copy["limit"]["ratio"] / 1000
    p.box(0, 50, WIDTH, 44, "math", "registers and arithmetic of 132 SMs")
    for name, fill, flow, wide, of in (
            ("L1 and shared memory", "shared", float(busy_l1) / 100 * near,
             near, "its cycles"),
            ("L2", "l2", float(from_l2) / ms, middle, f"{middle:.2g} TB/s"),
            ("DRAM", "global", float(from_dram) / ms, far, f"{far:.2g} TB/s")):
        y, scale, inside = p.bottom - 1, 680 / near, wide == near
        p.box(20, y, scale * wide, 96)
        p.box(20, y, scale * flow, 96, fill, line=THIN)
        p.text(44 if inside else 36 + scale * wide, y + 48,
               f"{100 * flow / wide:.0f} % of {of}", bold=True,
               role="black" if inside else "ink")
        p.box(0, y + 96, WIDTH, 44, fill, name)
