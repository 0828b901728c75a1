"""The pictures of tensor_08."""

from typing import Dict, List, Tuple

import drawings
from drawings import Bar
from svg import LINE, WIDTH, Picture, picture
from tracing import SIZES, Place, trace

STAGES, STEPS = 4, 6  # of the kernel; of a tile in the picture
# In products of a stage, not measured: a copy, a block's start, C by threads; C
# into shared memory, and how long the copy engine stores it.
COPY, START, STORE = 0.9, 0.5, 2.6
PUT, LEAVE = 1.0, 2.4


def two_tiles(stays: bool) -> Tuple[List[List[Bar]], List[Bar], List[Bar]]:
    """Return the bars of each stage, of the groups that multiply, and of the
    copy engine with C, if a block stays or ends with its tile."""
    stages: List[List[Bar]] = [[] for _ in range(STAGES)]
    groups: List[Bar] = []
    leaves: List[Bar] = []
    free = [0.0] * STAGES
    now, asked = 0.0, 0.0
    for i in range(2 * STEPS):
        step, stage = i % STEPS, i % STAGES
        if not stays:
            stage = step % STAGES
        if i == 0 or step == 0 and not stays:  # a block, with an empty ring
            now += START
            asked, free = now, [now] * STAGES
        asked = max(asked, free[stage])
        come = asked + COPY
        begin = max(now, come)
        now = free[stage] = begin + 1
        fill = "math" if i < STEPS else "lane"
        stages[stage] += [(asked, come - asked, "global", ""),
                          (come, begin - come, "shared", ""),
                          (begin, 1, fill, f"{step}")]
        groups.append((begin, 1, fill, f"{step}"))
        if step == STEPS - 1:
            took = PUT if stays else STORE
            groups.append((now, took, "bad" if stays else "good", "C"))
            now += took
            if stays:
                leaves.append((now - PUT / 2, LEAVE, "good", "C"))
    return stages, groups, leaves


@picture("Two tiles of C, one after the other, on an SM")
def timeline(p: Picture) -> None:
    """Time lines of two kernels. Below each other the four stages: a copy comes,
    waits, is multiplied; and what the groups do that multiply. Two blocks: the
    second one begins when the first has stored C, with an empty ring, and waits
    for its first copy. One block that stays: it only puts C into shared memory,
    and the copy engine stores it, while the next tile, of which four stages are
    there already, is multiplied."""
    end = max(at + took for stays in (False, True)
              for bars in two_tiles(stays)[1:] for at, took, *_ in bars)
    scale, left = (WIDTH - 124) / end, 122.0
    p.bottom = 34
    for name, stays in (("tensor_07: a block for each tile", False),
                        ("tensor_08: a block that stays", True)):
        stages, groups, leaves = two_tiles(stays)
        p.panel(0, p.bottom + 30, name)
        p.bottom += 2
        for i, bars in enumerate(stages):
            drawings.timeline(p, f"stage {i}", bars, scale, left, 26, 6)
        drawings.timeline(p, "groups", groups, scale, left, 40, 12)
        if leaves:
            drawings.timeline(p, "copy engine", leaves, scale, left, 26, 12)
    p.legend(("global", "comes"), ("shared", "waits"),
             ("math", "first tile"), ("lane", "second tile"),
             ("bad", "to shared memory"), ("good", "C is stored"))


ROWS, PIECES, PIECE = 16, 8, 16  # of a warp's share of a part; bytes


def places() -> List[Dict[Place, Place]]:
    """Return for each store of a warp: where in shared memory which row and
    piece of its share of a part comes to lie."""
    stores = trace("tensor_08", SIZES.format(256, 256, 64), space="shared",
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
