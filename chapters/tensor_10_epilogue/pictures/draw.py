"""The pictures of tensor_10."""

from typing import Dict, List

import drawings
from drawings import Bar
from svg import LINE, WIDTH, Picture, picture
from tracing import SIZES, Place, trace

# A model, in steps along K: how long a group stores C by itself, rounds it,
# puts a part into shared memory, and how long the copy engine reads that.
STEPS, PARTS = 6, 4
STORE, ROUND, PUT, READ = 2.6, 0.5, 0.45, 0.9


def products(at: float, fill: str) -> List[Bar]:
    """Return the steps of a tile."""
    return [(at + i, 1, fill, f"{i}") for i in range(STEPS)]


@picture("Two tiles of C, one after the other, of a group")
def timeline(p: Picture) -> None:
    """Time lines of a warp group in a model: what its tensor cores multiply, 6
    steps of a first tile, then of a second one, and what its threads do.
    tensor_09: between both tiles the threads store C, and the tensor cores
    rest. tensor_10: between both they only round. Then each of the first 4 steps
    of the second tile has a part of C below it: the threads put it into shared
    memory, and the copy engine stores it."""
    left = 152.0
    scale = (WIDTH - left) / (2 * STEPS + STORE)
    p.bottom = 34
    second = STEPS + STORE
    p.panel(0, p.bottom + 28, "tensor_09")
    drawings.timeline(p, "products", [
        *products(0, "math"), (STEPS, STORE, "hatch", ""),
        *products(second, "lane")], scale, left, 40, 24)
    drawings.timeline(p, "threads", [(STEPS, STORE, "bad", "store C")],
                      scale, left, 40, 10)
    p.panel(0, p.bottom + 36, "tensor_10")
    second = STEPS + ROUND
    drawings.timeline(p, "products", [
        *products(0, "math"), (STEPS, ROUND, "hatch", ""),
        *products(second, "lane")], scale, left, 40, 24)
    drawings.timeline(p, "threads", [
        (STEPS, ROUND, "bad", ""),
        *((second + i, PUT, "shared", "") for i in range(PARTS))],
        scale, left, 40, 10)
    drawings.timeline(p, "copy engine", [
        (second + i + PUT, READ, "good", f"{i}") for i in range(PARTS)],
        scale, left, 40, 10)
    p.legend(("math", "first tile"), ("lane", "second tile"),
             ("hatch", "tensor cores rest"))
    p.legend(("bad", "round, store"), ("shared", "to shared memory"),
             ("good", "a part of C"))


ROWS, PIECES, PIECE = 16, 8, 16  # of a warp's share of a part; bytes


def places() -> List[Dict[Place, Place]]:
    """Return for each store of a warp: where in shared memory which row and
    piece of its share of a part comes to lie."""
    stores = trace("tensor_10", SIZES.format(256, 256, 64), space="shared",
                   op="store", warp=0)[:PIECES // 2]
    base = min(at for store in stores for at in store["at"])
    assert base % 1024 == 0
    found: List[Dict[Place, Place]] = []
    for i, store in enumerate(stores):
        place: Dict[Place, Place] = {}
        for lane, at in zip(store["lanes"], store["at"]):
            row, byte = divmod(at - base, ROWS * PIECE // 2)
            # A lane's address is that of a row of matrix lane / 8.
            place[row, byte // PIECE] = (lane % 16, 2 * i + lane // 16)
        found.append(place)
    return found


@picture("From registers to C: 16 rows of a part")
def way(p: Picture) -> None:
    """Three grids of 16 rows and 8 pieces of 16 bytes: a warp's share of a part
    of C in its registers, in shared memory, and in C. Four stmatrix store it,
    two columns of pieces each; the first one's pieces, 0 and 1, are coloured.
    In shared memory piece p of row y lies at p XOR y % 8, so the eight rows of a
    matrix lie in different columns; the copy engine stores the box, and in C all
    pieces are in order again."""
    size, top = 24, 104
    stores = places()
    there = {at: what for store in stores for at, what in store.items()}
    assert len(there) == ROWS * PIECES
    plain = {(y, x): (y, x) for y in range(ROWS) for x in range(PIECES)}
    shared = {at: what for at, what in there.items()}
    assert all(row == at[0] and piece == at[1] ^ row % 8
               for at, (row, piece) in shared.items())
    step = (WIDTH - size * PIECES) / 2
    for n, (name, cells) in enumerate((
            ("registers", plain), ("shared memory", shared), ("C", plain))):
        x = step * n
        p.panel(x, top - 32, name)
        first = {*stores[0].values()}
        drawings.grid(p, x, top, size, (ROWS, PIECES),
                      {at: "lane" for at, what in cells.items()
                       if what in first},
                      {at: f"{what[1]}" for at, what in cells.items()})
    middle = top + size * ROWS / 2
    for n in range(2):
        x = step * n + size * PIECES
        p.arrow((x + 10, middle), (x + step - size * PIECES - 10, middle),
                LINE)
    y = top + size * ROWS + 24
    for n, words in enumerate(("4 stmatrix", "swizzled", "a box")):
        p.middle(step * n + size * PIECES / 2, y, words)
    p.bottom = y + 12
    p.legend(("lane", "the first stmatrix; a number is a piece of 16 bytes"))
