"""The pictures of tensor_06."""

import collections
from tools import checklist, counts, course
from tools.author import drawings
from tools.author.drawings import grid, one_by_one
from tools.author.svg import BOLD, THIN, TOP, WIDTH, Picture, picture
from tools.author.tracing import HALF, SIZES, defined, trace

TILE = SIZES.format(128, 256, 64)  # a block, a tile
COLUMNS = 64  # of a box
BM, BN, BK, STAGES = (defined("tensor_06", name)
                      for name in ("BM", "BN", "BK", "STAGES"))
STAGE = (BM + BN) * BK * HALF  # bytes


@picture("Who computes the addresses of a tile?")
def ask(p: Picture) -> None:
    """Two panels. tensor_05: a square of 256 threads, all marked, an arrow to a
    tile of A and one of B, and below: 3,072 addresses. tensor_06: the same
    square with thread 0 marked, an arrow to the copy engine, one from there to
    five boxes, one of A and four of B, and one to an mbarrier that counts their
    bytes; below: 5 boxes."""
    copies = collections.Counter(
        (request["warp"], lane) for request in trace(
            "tensor_05", TILE, space="shared", op="store", barriers=0)
        for lane in request["lanes"])
    (each,) = {*copies.values()}
    assert not trace("tensor_06", TILE, op="load")
    boxes, cell, edge, scale = BN // COLUMNS, 9, 16, 0.6
    assert len(copies) == edge * edge
    engine, tile = TOP + edge * cell + 30, TOP + edge * cell + 110
    for x, name in p.panels((
            ("tensor_05", f"{len(copies)} threads, {each} copies each"),
            ("tensor_06", "one thread asks"))):
        new = name == "tensor_06"
        grid(p, x + 1, TOP, cell, (edge, edge),
             {(0, 0): "lane"} if new else {}, rest="" if new else "lane")
        p.text(x + edge * cell + 16, TOP + 14,
               "thread 0" if new else "all threads")
        middle = x + edge * cell / 2
        p.arrow((middle, TOP + edge * cell), (middle, engine if new else tile))
        if new:
            p.box(x + 1, engine, 180, 44, "good", "copy engine")
            p.arrow((middle, engine + 44), (middle, tile))
            p.path([(x + 181, engine + 22), (x + 281, engine + 22),
                    (x + 281, engine + 60)])
            p.arrow((x + 281, engine + 60), (x + 281, tile))
            p.box(x + 218, tile, 126, 76)
            p.middle(x + 281, tile + 24, "mbarrier")
            p.middle(x + 281, tile + 54, "counts")
        wide = COLUMNS * scale
        p.box(x + 1, tile, wide, BM * scale, "shared", "A")
        for j in range(boxes if new else 1):
            p.box(x + 51 + wide * j, tile, wide * (1 if new else boxes),
                  BK * scale, "shared", "B")
    p.results(f"{len(copies) * each:,} addresses", f"{1 + boxes} boxes")
    p.legend(("lane", "computes or asks"), ("shared", "shared memory"))


@picture("A stage's barrier: a phase for each tile")
def phases(p: Picture) -> None:
    """Four rows over time, not to scale, about the first of four stages. Thread
    0 expects 49,152 bytes and asks for tile 0. The engine brings them. The
    barrier is in phase 0 until all have come, then in phase 1. The warp groups
    wait for the end of phase 0, then multiply tile 0, and tiles 1, 2 and 3,
    which lie in other stages. When tile 0 has been multiplied, thread 0 asks
    for tile 4 in its place, long before it is needed; phase 1 ends when it has
    come, and the groups find it ended."""
    steps = STAGES + 1
    barriers = trace("tensor_06", SIZES.format(BM, BN, BK * steps),
                     op="barrier")
    assert len(barriers) == 1 + steps  # before the loop, and one a tile
    asking, travel = 0.3, 1.7  # how long: to ask; to come
    first = asking + travel  # when tile 0 can be multiplied
    again = first + 1 + 0.15  # when it has been
    end = first + steps
    left = 118.0
    scale = (WIDTH - left) / (end + 0.05)
    came = again + asking + travel
    p.bottom = 44
    drawings.timeline(p, "thread 0", [
        (0, asking, "lane", ""), (again, asking, "lane", "")], scale, left)
    drawings.timeline(p, "engine", [
        (at + asking, travel, "global", f"{STAGE:,} B") for at in (0, again)],
        scale, left)
    drawings.timeline(p, "barrier", [
        (0, first, "", "phase 0"), (first, came - first, "good", "phase 1"),
        (came, end - came, "", "phase 2")], scale, left)
    drawings.timeline(p, "groups", one_by_one([
        (first, "hatch", "wait"),
        *((1, "math" if i % STAGES == 0 else "", f"tile {i}")
          for i in range(steps))]), scale, left)
    p.legend(("lane", "expects bytes, asks for boxes"),
             ("global", "bytes come"))
    p.legend(("math", "multiply what lies in this stage"))


@picture("Beyond the edges the engine brings zeros")
def edge(p: Picture) -> None:
    """Two matrices at one scale, A with 100 rows and 100 columns, B with 100
    rows and 200 columns, and the boxes of the second tile. That of A has 64
    columns and 128 rows and hangs over both edges; the four of B have 64
    columns and 64 rows each, hang over the lower edge, and the last one over
    the right edge too. What lies beyond is hatched. Below: how many bytes come,
    those of whole boxes."""
    chapter = course.find_chapter("tensor_06")
    block = counts.find(checklist.counts(chapter), SIZES.format(100, 200, 100))
    assert block
    m, n, k, size = 100, 200, 100, 1.28
    tiles = -(-k // BK)
    assert counts.expected(block.counts["bulk_load_bytes"]) == STAGE * tiles
    side = COLUMNS
    a = [(0, BK, BM)]  # row, column, rows of a box
    b = [(BK, j, BK) for j in range(0, BN, side)]
    for x, (rows, columns, boxes) in p.panels(
            (("A", f"{m} x {k}"), ("B", f"{k} x {n}")),
            ((m, k, a), (k, n, b))):
        x += 2
        p.box(x, TOP, columns * size, rows * size)
        for row, column, high in boxes:
            there = (min(side, columns - column), min(high, rows - row))
            at = x + column * size, TOP + row * size
            p.box(*at, side * size, high * size, "hatch", line=THIN)
            p.box(*at, there[0] * size, there[1] * size, "global", line=THIN)
        for row, column, high in boxes:
            p.box(x + column * size, TOP + row * size, side * size,
                  high * size, "", line=BOLD)
    p.bottom = TOP + (BK + BM / 2) * size
    p.below(*(f"{len(boxes)} x {side} x {boxes[0][2]} x {HALF} bytes"
              for boxes in (a, b)))
    p.results(*(f"{len(boxes) * side * boxes[0][2] * HALF:,} bytes come"
                for boxes in (a, b)), good=(True, True))
    p.legend(("global", "elements of the matrix"), ("hatch", "zeros"))
