"""The pictures of gemm_06."""

from tools.author.drawings import grid, tile_of_c
from tools.author.svg import TOP, Picture, picture
from tools.author.tracing import elements, loads


@picture("Four neighbours need one owner")
def neighbours(p: Picture) -> None:
    """Two tiles of C, 128 x 128, with the 64 elements of lane 21 of warp 3. In
    gemm_05 they stand 16 rows and 16 columns apart, in gemm_06 they are a
    square of 8 x 8, and those of the warp 16 whole rows."""
    for x, chapter in p.panels((("gemm_05", "a lane: 16 apart"),
                                ("gemm_06", "a lane: neighbours"))):
        tile_of_c(p, x, TOP, 2.5, chapter, (3, 21))
        p.text(x, TOP + 338, "C")
    p.legend(("lane", "warp 3"), ("math", "its lane 21"))


@picture("A row of A becomes a column of As")
def four_floats(p: Picture) -> None:
    """Left, 8 rows of A: lane 5 has four neighbours of a row. In the middle its
    four registers. Right, As: the four stand in one column, in four rows."""
    mine, size, x = 5, 22, 530
    load = loads("gemm_06", "A")[0]
    come, go = ([place for request in requests for lane, place
                 in elements(request) if lane == mine] for requests in (
        [load], loads("gemm_06", "As", op="store")[:4]))
    assert go == [(k, row) for row, k in come] and load["bytes"] == 16
    grid(p, 0, TOP, size, (8, 16), dict.fromkeys(come, "global"))
    grid(p, x, TOP, size, (16, 8), dict.fromkeys(go, "shared"))
    p.panel(0, 62, f"A, lane {mine}", "1 load of 16 bytes")
    p.panel(x, 62, "As", "4 stores")
    p.middle(412, 95, "registers")
    y = TOP + size * (come[0][0] + 0.5)
    p.arrow((size * (come[-1][1] + 1), y), (390, y))
    for i, (row, column) in enumerate(go):
        p.box(392, TOP + 40 * i, 40, 40, "math", f"{i}")
        y, at = TOP + 40 * i + 20, TOP + size * (row + 0.5)
        p.path([(432, y), (480, y), (500, at), (x + size * column, at)])
    p.text(0, 330, "k goes right")
    p.text(x - 14, 460, "k goes down", anchor="end")
    p.legend(("global", "in A"), ("math", "in registers"),
             ("shared", "in shared memory"))
