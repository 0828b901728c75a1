"""The pictures of gemm_05."""

from tools.author import drawings
from tools.author.drawings import grid, tile_of_c
from tools.author.svg import TOP, Picture, picture
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
    """A tile of C, 128 x 128. Warp 3 has 16 rows of it, two of every sixteen.
    Its lane 21 has every sixteenth column of one of the two: 8 x 8 elements."""
    tile_of_c(p, 1, 50, 3, "gemm_05", (3, 21))
    for y, words in ((76, ("block", "128 x 128", "8 warps")),
                     (180, ("warp 3", "2 of every 16 rows")),
                     (254, ("lane 21", "8 x 8 elements of C"))):
        p.panel(412, y, *words)
    p.legend(("lane", "warp 3"), ("math", "its lane 21"))
