"""The pictures of gemm_05."""

from tools.author import drawings
from tools.author.drawings import apart, grid, part_of_c, tile_of_c
from tools.author.svg import THIN, TOP, Picture, picture
from tools.author.tracing import elements, loads


@picture("Words are the edge, products the area")
def thread_tile(p: Picture) -> None:
    """Two panels. The results of a thread are squares; the words of A that it
    needs for one k stand along their left edge, those of B along the upper
    edge."""
    drawings.thread_tile(p, "gemm_04", "gemm_05")


@picture("The same 64 sums, a step of k at a time")
def outer(p: Picture) -> None:
    """Three panels, k = 0, 1 and 2. Left of the 64 sums of a thread stand its
    rows of As, above them its columns of Bs, the first four k of each. A column
    of As and a row of Bs are coloured, further on in each panel: each word of
    one is multiplied by each of the other, and all 64 sums grow."""
    size, deep = 16, 4
    for k, (x, _) in enumerate(p.panels([(f"k = {k}", "") for k in range(3)])):
        read = [{place for load in loads("gemm_05", array)[8 * k:8 * k + 8]
                 for lane, place in elements(load) if lane == 0}
                for array in ("As", "Bs")]
        assert {at for _, at in read[0]} == {at for at, _ in read[1]} == {k}
        assert [len(places) for places in read] == [8, 8]
        left, top = x + (deep + 0.5) * size, TOP - 32 + (deep + 0.5) * size
        grid(p, x, top, size, (8, deep), {(i, k): "shared" for i in range(8)})
        grid(p, left, TOP - 32, size, (deep, 8), {(k, j): "shared" for j in range(8)})
        grid(p, left, top, size, (8, 8), rest="math")
    p.legend(("shared", "read now: 8 of As, 8 of Bs"), ("math", "64 sums"))


@picture("The elements of a lane are 16 apart")
def owners(p: Picture) -> None:
    """Left a tile of C, 128 x 128. Warp 3 has 16 rows of it, two of every
    sixteen; its lane 21 has 8 x 8 elements. Right a part of it, larger, with
    four elements of lane 21: the next one is 16 columns further on, or 16 rows
    further down."""
    mine, (row, column), edge, size, large, x = (3, 21), (6, 100), 20, 2, 17, 379
    tile_of_c(p, 1, TOP, size, "gemm_05", mine)
    left, high = 1 + size * column, TOP + size * row
    p.box(left, high, size * edge, size * edge)
    for down in (0, edge):
        p.path([(left + size * edge, high + size * down),
                (x, TOP + large * down)], THIN)
    part_of_c(p, x, TOP, large, "gemm_05", mine, (row, column))
    apart(p, x + large * 1.5, TOP + large * 1.5, large * 16, "16")
    p.panel(1, 62, "a tile of C", "128 x 128")
    p.panel(x, 62, "a part of it", f"{edge} x {edge}")
    p.text(1, TOP + 282, "lane 21 has 8 x 8")
    p.legend(("lane", "warp 3"), ("math", "its lane 21"))
