"""The pictures of tensor_01."""

from typing import List

from tools.author.drawings import grid, one_by_one, rectangles, timeline
from tools.author.svg import THIN, TOP, WIDTH, Picture, picture
from tools.author.tracing import (HALF, LANES, SIZES, TILE, Request,
                                  elements_of, extent, owned, touched, trace)

FRAGMENT = 16  # rows and columns
BLOCK = SIZES.format(128, 128, 64)  # a block, and a tile
RATE = 2048  # products of bfloat16 that the tensor cores of an SM add in a cycle


def requests(array: str, op: str, **wanted: object) -> List[Request]:
    """Return what a block does with an array."""
    return trace("tensor_01", BLOCK, 1, 3000, array=array, op=op, **wanted)


@picture("Who has which elements?")
def fragment(p: Picture) -> None:
    """Two matrices of 16 x 16. Left, of gemm_03: lane 5 has one element, and
    its warp has a row. Right, a fragment: each lane has four pairs of elements,
    which stand two apart from each other, down and across; together the 32
    lanes have all 256."""
    mine, size, wide, high = 5, 12, 30, 26
    p.panel(0, 62, "gemm_03", "a lane: 1 element")
    p.panel(WIDTH - FRAGMENT * wide, 62, "a fragment",
            f"{LANES} lanes: {FRAGMENT * FRAGMENT} elements")
    corner = {place: worker for worker, own in owned("gemm_03", TILE).items()
              for place in own if max(place) < FRAGMENT}
    grid(p, 0, TOP, size, (FRAGMENT, FRAGMENT), {
        place: "math" if lane == mine else "lane"
        for place, (warp, lane) in corner.items() if not warp})
    first = requests("Cs", "store", warp=0)[:4]  # of 8 bytes a lane
    assert extent(elements_of(first)) == (0, 0, FRAGMENT, FRAGMENT)
    for (_, lane), own in touched(first).items():
        for row, column, tall, broad in rectangles(own):
            p.box(WIDTH - wide * (FRAGMENT - column), TOP + high * row,
                  wide * broad, high * tall,
                  "math" if lane == mine else "lane", f"{lane}", THIN)
    for i, words in enumerate(("right, a box is", "2 elements;", "nvcc's layout",
                               "for sm_90, CUDA", "promises none")):
        p.text(0, TOP + (FRAGMENT + 2) * size + 32 * (i + 1), words)
    p.legend(("math", f"lane {mine}"), ("lane", "the others of its warp"))


@picture("A step of 16 k: what warp 1 multiplies")
def tile(p: Picture) -> None:
    """The tile of C of a block, 128 x 128, in eight parts of 64 x 32, a warp
    each; left of it the tile of A, above it that of B. Warp 1 has 8 fragments of
    C. In this step it loads 4 fragments of A, below each other, and 2 of B, side
    by side."""
    mine, scale, gap, top = 1, 2.5, 16, 52
    side = FRAGMENT * scale
    a, b = (extent(elements_of(
        requests(array, "load", warp=mine)[:4 * number], HALF))
        for array, number in (("As", 4), ("Bs", 2)))
    x, y = 64 * scale + gap, top + 64 * scale + gap  # of C
    p.box(0, y, 64 * scale, 128 * scale)
    p.box(x, top, 128 * scale, 64 * scale)
    p.middle(32 * scale, y + 96 * scale, "tile of A")
    p.middle(x + 32 * scale, top + 32 * scale, "tile of B")
    for (row, column, tall, broad), left, above in ((a, 0, y), (b, x, top)):
        grid(p, left + column * scale, above + row * scale, side,
             (tall // FRAGMENT, broad // FRAGMENT), rest="shared")
    for warp in range(8):
        row, column, tall, broad = extent(elements_of(
            requests("C", "store", warp=warp), HALF))
        at = x + column * scale, y + row * scale
        if warp == mine:
            grid(p, *at, side, (tall // FRAGMENT, broad // FRAGMENT),
                 rest="math")
        else:
            p.box(*at, broad * scale, tall * scale, "lane", f"{warp}")
    for i, words in enumerate(("6 fragments", "to load for", "8 products")):
        p.text(x + 128 * scale + 14, y + 20 + 34 * i, words)
    p.legend(("shared", "fragment of A or B"), ("math", "fragment of C"),
             ("lane", "the other warps"))


@picture("A tile of 64 k, in cycles of an SM")
def cycles(p: Picture) -> None:
    """Two time lines on one scale. The tensor cores need 512 cycles. The path
    of the L1 and shared memory needs 1,280: 256 for loads of A and B, 256 to
    put them into tiles, 768 to load fragments."""
    load = sum(request["cycles"] for array in "AB"
               for request in requests(array, "load"))
    store, read = (sum(request["wavefronts"] for array in ("As", "Bs")
                       for request in requests(array, op))
                   for op in ("store", "load"))
    left = 140.0
    scale = (WIDTH - left) / (load + store + read)
    p.bottom = 34
    rows = (("products", [(128 * 128 * 64 // RATE, "math", "tensor cores")]),
            ("L1, shared", [(load, "global", "load"), (store, "shared", "put"),
                            (read, "shared", "fragments")]))
    for label, parts in rows:
        timeline(p, label, one_by_one(
            (number, fill, f"{words} {number}")
            for number, fill, words in parts), scale, left)
    p.legend(("global", "from global memory"),
             ("shared", "to and from shared memory"))
