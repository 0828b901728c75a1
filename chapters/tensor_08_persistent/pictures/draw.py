"""The pictures of tensor_08."""

from typing import List, Tuple

from tools.author import drawings
from tools.author.drawings import Bar
from tools.author.svg import BOLD, WIDTH, Picture, picture
from tools.author.tracing import SMS, Place

STAGES, STEPS = 4, 6  # of the kernel; of a tile in the picture
# In products of a stage, not measured: a copy, a block's start; C into shared
# memory, and how long the copy engine stores it.
COPY, START = 0.9, 0.5
PUT, LEAVE = 1.0, 2.0


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
                          (come, begin - come, "wait", ""),
                          (begin, 1, fill, f"{step}")]
        groups.append((begin, 1, fill, f"{step}"))
        if step == STEPS - 1:
            groups.append((now, PUT, "shared", "C"))
            leaves.append((now + PUT / 2, LEAVE, "good", "C"))
            now += PUT if stays else PUT / 2 + LEAVE
    return stages, groups, leaves


@picture("Two tiles of C, one after the other, on an SM")
def timeline(p: Picture) -> None:
    """Time lines of two kernels. Below each other the four stages: a copy comes,
    waits, is multiplied; what the groups do that multiply, and the copy engine
    with C. Two blocks: the second one begins when C of the first has left, with
    an empty ring, and waits for its first copy. One block that stays: C leaves
    while the next tile, of which four stages are there already, is
    multiplied."""
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
        drawings.timeline(p, "copy engine", leaves, scale, left, 26, 12)
    p.legend(("global", "comes"), ("wait", "waits"),
             ("math", "first tile"), ("lane", "second tile"),
             ("shared", "to shared memory"), ("good", "C is stored"))


BAND, ROWS, COLUMNS = 8, 20, 32  # of tiles; of a C of 2560 x 8192


def place_tile(t: int) -> Place:
    """Return row and column of tile t, as the kernel's place_tile does."""
    band, within = divmod(t, BAND * COLUMNS)
    height = min(BAND, ROWS - band * BAND)
    along, row = divmod(within, height)
    return (band * BAND + row, COLUMNS - 1 - along if band % 2 else along)


@picture("Which tiles are at work together?")
def order(p: Picture) -> None:
    """A C of 20 x 32 tiles in bands of 8 rows. The first 132 tiles, one for each
    SM, fill the left half of the first band, the next 132 the right half and the
    last column of the second band, which goes on from right to left. The last
    band has only 4 rows, and goes from left to right again."""
    size, y = 20, 56
    tiles = [place_tile(t) for t in range(ROWS * COLUMNS)]
    assert len({*tiles}) == ROWS * COLUMNS
    wave = {at: t // SMS for t, at in enumerate(tiles)}
    x = (WIDTH - size * COLUMNS) / 2
    for row, column, high, wide in drawings.rectangles(
            at for at in tiles if wave[at] % 2 == 0):
        p.box(x + size * column, y + size * row, size * wide, size * high, "lane",
              line=0)
    p.box(x, y, size * COLUMNS, size * ROWS, line=BOLD)
    for (row, column), number in wave.items():  # an edge where the wave changes
        for down, right in ((0, 1), (1, 0)):
            if wave.get((row + down, column + right), number) != number:
                at = (x + size * (column + right), y + size * (row + down))
                p.path([at, (at[0] + size * down, at[1] + size * right)], BOLD)
    for number in range(max(wave.values()) + 1):
        rows, columns = zip(*(at for at in tiles if wave[at] == number))
        row, column = sorted(rows)[len(rows) // 2], sorted(columns)[len(columns) // 2]
        p.text(x + size * (column + 0.5), y + size * (row + 0.5), f"{number + 1}",
               48, "middle", "ink" if number % 2 else "black", True)
    for band in range(0, ROWS, BAND):
        middle = y + size * (band + min(BAND, ROWS - band) / 2)
        ends = (x - 26, x - 6) if band // BAND % 2 == 0 else (
            x + size * COLUMNS + 26, x + size * COLUMNS + 6)
        p.arrow((ends[0], middle), (ends[1], middle))
    for words in (f"C, {ROWS} x {COLUMNS} tiles; numbers: waves of {SMS}",
                  f"arrows: where a band of {BAND} rows begins"):
        p.text(x, p.bottom + 26, words)
