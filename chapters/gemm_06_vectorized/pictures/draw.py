"""The pictures of gemm_06."""

from tools.author.drawings import apart, grid, part_of_c
from tools.author.svg import BOLD, TOP, Picture, picture
from tools.author.tracing import WORD, elements, loads, owned


@picture("Four neighbours need one owner")
def neighbours(p: Picture) -> None:
    """Two parts of a tile of C, 20 x 20 elements each, with some of the 64
    of lane 21 of warp 3. In gemm_05 they stand 16 rows and 16 columns apart. In
    gemm_06 they are a square of 8 x 8, each row two float4: so 2 loads, not 8,
    bring its words of B for one k."""
    mine, size, wides = (3, 21), 17, []
    for x, (chapter, corner) in p.panels((
            ("gemm_05", "a lane: 16 apart"), ("gemm_06", "a lane: neighbours")),
            (("gemm_05", (6, 4)), ("gemm_06", (50, 34)))):
        part_of_c(p, x + 1, TOP, size, chapter, mine, corner)
        wides.append(loads(chapter, "Bs")[0]["bytes"] // WORD)
        for row, column in owned(chapter)[mine] if wides[-1] == 4 else ():
            if column % 4 == 0:
                p.box(x + 1 + size * (column - corner[1]),
                      TOP + size * (row - corner[0]), 4 * size, size,
                      line=BOLD, edge="black")
    apart(p, 1 + size * 1.5, TOP + size * 1.5, size * 16, "16")
    p.middle(x + 172, TOP + size * 17, "each row: 2 float4")
    p.results(*(f"{8 // wide} loads of Bs for a k" for wide in wides))
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


@picture("Who brings which four words?")
def parts(p: Picture) -> None:
    """Left the first rows of the tile of A, 16 words each, in pieces of four:
    two threads bring the first eight words of a row, then the same two the
    others. Right the first rows of the tile of B: 32 threads bring a row of 128
    words, the first of them the first four, and with the next round a row
    further down."""
    for x, array, name, below in ((0, "A", "tile of A", "128 x 16 words"),
                                  (376, "B", "tile of B", "16 x 128 words")):
        p.panel(x, 62, name, below)
        first, second = loads("gemm_06", array)[:2]
        for load, fill in ((first, "global"), (second, "lane")):
            places = {}
            for lane, place in elements(load):
                places.setdefault(lane, place)
            for lane, (row, column) in places.items():
                if array == "A" and row < 4:
                    p.box(x + column * 21, TOP + row * 44, 84, 44, fill, f"{lane}")
                elif array == "B" and (column < 12 or column == 124):
                    p.box(x + (column if column < 12 else 16) * 17,
                          TOP + (row > 0) * 88, 68, 44, fill, f"{lane}")
    for y in (TOP + 22, TOP + 110):
        p.middle(376 + 14 * 17, y, "...")
    p.text(376, TOP + 66, "rows 1 to 7: warps 1 to 7")
    p.text(376, TOP + 154, "row 8, and so on")
    p.text(0, TOP + 200, "and so on, 128 rows")
    p.legend(("global", "first round"), ("lane", "second round"))
    p.text(0, p.bottom + 20, "numbers: the thread, here of warp 0")
