"""The pictures of tensor_07."""

from typing import Dict, List

from tools.author import drawings
from tools.author.svg import LINE, THIN, WIDTH, Picture, picture
from tools.author.tracing import HALF, SIZES, Place, defined, trace

ROWS, PIECES, PIECE = 16, 8, 16  # of a warp's share of a part; bytes


def places() -> List[Dict[Place, Place]]:
    """Return for each store of a warp: where in shared memory which row and
    piece of its share of a part comes to lie."""
    stores = trace("tensor_07", SIZES.format(256, 256, 64), space="shared",
                   op="store", warp=0)[:PIECES // 2]
    base = min(at for store in stores for at in store["at"])
    assert base % 1024 == 0
    result: List[Dict[Place, Place]] = []
    for i, store in enumerate(stores):
        place: Dict[Place, Place] = {}
        for lane, at in zip(store["lanes"], store["at"]):
            row, byte = divmod(at - base, ROWS * PIECE // 2)
            # A lane's address is that of a row of matrix lane / 8.
            place[row, byte // PIECE] = (lane % 16, 2 * i + lane // 16)
        result.append(place)
    return result


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
    there = {at: content for store in stores for at, content in store.items()}
    assert len(there) == ROWS * PIECES
    plain = {(y, x): (y, x) for y in range(ROWS) for x in range(PIECES)}
    shared = {at: content for at, content in there.items()}
    assert all(row == at[0] and piece == at[1] ^ row % 8
               for at, (row, piece) in shared.items())
    step = (WIDTH - size * PIECES) / 2
    for n, (name, cells) in enumerate((
            ("registers", plain), ("shared memory", shared), ("C", plain))):
        x = step * n
        p.panel(x, top - 32, name)
        first = {*stores[0].values()}
        drawings.grid(p, x, top, size, (ROWS, PIECES),
                      {at: "lane" for at, content in cells.items()
                       if content in first},
                      {at: f"{content[1]}" for at, content in cells.items()})
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


BM, BN, BK, STAGES = (defined("tensor_07", name)
                      for name in ("BM", "BN", "BK", "STAGES"))
GROUP, SIDE = 4, 64  # warps; rows and columns of a part


@picture("Where the parts of C go in shared memory")
def parts(p: Picture) -> None:
    """Shared memory of a block, a row for each of four stages: the tile of A,
    of which each group has read a half, and the tile of B, twice as long. In
    stage j both halves of A now hold part j of C, the upper one that of group
    0, the lower one that of group 1. Nothing is put where B was."""
    part = SIDE * SIDE * HALF
    stage, top, left, high = (BM + BN) * BK * HALF, 84, 112.0, 44
    stores = trace("tensor_07", SIZES.format(BM, BN, BK), space="shared",
                   op="store")
    base = min(at for store in stores for at in store["at"])
    put: Dict[Place, Dict[int, int]] = {}  # stage, half: part of which group
    for store in stores:
        for at in store["at"]:
            number, within = divmod(at - base, stage)
            put.setdefault((number, within // part), {}).setdefault(
                store["warp"] // GROUP, number)
    assert put == {(j, g): {g: j} for j in range(STAGES) for g in range(2)}
    scale = (WIDTH - left) / stage
    for x, words in ((0, "where A was"), (BM * BK * HALF, "where B was")):
        p.text(left + scale * x, top - 20, words)
    for j in range(STAGES):
        y = top + (high + 10) * j
        p.text(0, y + high / 2, f"stage {j}")
        p.box(left, y, scale * stage, high, "")
        for g in range(2):
            p.box(left + scale * part * g, y, scale * part, high,
                  ("math", "lane")[g], f"part {j}", THIN)
    p.bottom = top + (high + 10) * STAGES
    p.legend(("math", "of group 0"), ("lane", "of group 1"))
