"""The pictures of gemm_13."""

from tools.author.drawings import grid, matrix
from tools.author.svg import TOP, Picture, picture
from tools.author.tracing import SIZES, elements_of, trace


@picture("Whose words of the matrix?")
def vectors(p: Picture) -> None:
    """Two matrices of 128 rows and 256 columns. C of one row: of B the first of
    4 blocks has the upper left quarter, and one of its 8 warps every 8th row of
    that. C of one column: of A the first of 16 blocks has 8 whole rows, and one
    of its 2 warps the left half of them."""
    rows, cols, size = 128, 256, 1.32
    for x, (array, mnk) in p.panels((("B", "C has one row"),
                                     ("A", "C has one column")),
                                    (("B", (1, cols, rows)),
                                     ("A", (rows, 1, cols)))):
        loads = trace("gemm_13", SIZES.format(*mnk), 1, 200, array=array,
                      op="load", block=[0, 0, 0])
        matrix(p, x, TOP, size, (rows, cols), {
            "lane": elements_of(loads), "math": elements_of(loads, warp=0)})
    p.legend(("lane", "the first block"), ("math", "one of its warps"))


@picture("Where is the first band of blocks?")
def bands(p: Picture) -> None:
    """Two squares of 8 x 8 tiles with the numbers of their blocks. gemm_13:
    numbers go down 4 rows and then to the right, so the first band is the upper
    half. CUTLASS: they go right over 4 columns and then down, so it is the left
    half."""
    edge, band, size = 8, 4, 42
    ours = [(n // (edge * band) * band + n % band, n % (edge * band) // band)
            for n in range(edge * edge)]
    for x, tiles in p.panels((("gemm_13", f"bands of {band} rows"),
                              ("CUTLASS", f"bands of {band} columns")),
                             (ours, [(j, i) for i, j in ours])):
        grid(p, x + 1, TOP, size, (edge, edge),
             dict.fromkeys(tiles[:edge * band], "lane"),
             {tile: f"{n}" for n, tile in enumerate(tiles)})
    p.legend(("lane", f"the first {edge * band} blocks"))
