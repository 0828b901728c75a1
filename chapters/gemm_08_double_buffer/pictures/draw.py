"""The pictures of gemm_08."""

from typing import Dict, List

from tools.author import drawings
from tools.author.drawings import BARRIER, Bar, one_by_one
from tools.author.plan import plan_of, time_of_a_tile
from tools.author.svg import WIDTH, Picture, picture
from tools.author.tracing import SIZES


@picture("A second buffer saves a barrier")
def buffers(p: Picture) -> None:
    """Time lines of one warp over tiles 0 and 1, a row for each buffer in
    shared memory. gemm_07: 1 buffer. gemm_08: 2 buffers."""
    p.bottom = 34
    for chapter, what in (("gemm_07", "two barriers a tile"),
                          ("gemm_08", "one barrier a tile")):
        p.panel(0, p.bottom + 32, chapter, what)
        plan = [step for step in plan_of(chapter, SIZES.format(128, 128, 32),
                                         16, 2) if step.tile < 2]
        last = plan.index([step for step in plan if step.kind == "read"][-1])
        rows: Dict[int, List[Bar]] = {}  # of each place in shared memory
        tiles: Dict[int, List[Bar]] = {}
        at, marks = 0, []
        for kind, tile, number, place in plan[:last + 1]:
            if kind == "barrier":
                marks.append((at, 0, BARRIER, ""))
            elif kind != "load":  # they have no width here
                if kind == "put":
                    tiles[tile] = rows.setdefault(place, [])
                tiles[tile].append((at, number, "shared" if kind == "put"
                                    else "math", str(tile)))
                at += number
        for i, place in enumerate(sorted(rows)):
            drawings.timeline(p, f"buffer {i}", rows[place] + marks,
                              (WIDTH - 118) / at)
    p.legend(("shared", "a tile is put there"), ("math", "it is read"))
    p.legend(("bar", "barrier; the numbers are those of the tiles"))


# Of 1024 FFMA in the loop of gemm_08, those before its loads from global memory
# and before its first store, as nvcc 13.0 orders them (tests/machine_code.py).
LOADS_AFTER, PUT_AFTER = 784, 983


@picture("Two tiles, in the time that they take")
def timeline(p: Picture) -> None:
    """Two time lines of a warp over two tiles on one scale. gemm_07: wait for
    the loads, put, wait, compute, wait. gemm_08 as it is written: compute, with
    the next tiles travelling all the time; put; wait. As nvcc orders it: they
    travel in the last fifth. It ends first."""
    left, scale = 76.0, 0.0
    p.bottom = 34
    for chapter, what, start, put in (
            ("gemm_07", "loads, then computes", 0.0, 0.0),
            ("gemm_08", "as it is written", 0.0, 1.0),
            ("gemm_08", "as nvcc orders it",
             LOADS_AFTER / 1024, PUT_AFTER / 1024)):
        tile, far, barrier, times = time_of_a_tile(chapter)
        scale = scale or (WIDTH - left) / (2 * tile)  # of the slower one
        work, wait, mark = tile - far - barrier, barrier / times, 8 / scale
        travel: List[Bar] = []
        bars: List[Bar] = []
        for i in range(2):
            arrived = tile * i + put * work + far
            bars += one_by_one((
                (put * work, "math", f"tile {i}"), (far, "hatch", ""),
                (wait * (times - 1), "hatch", ""),
                ((1 - put) * work, "math", f"tile {i}"), (wait, "hatch", "")),
                tile * i)
            bars.append((arrived - mark / 2, mark, "shared", ""))
            sent = tile * i + start * work
            travel.append((sent, arrived - sent, "global", ""))
        p.panel(0, p.bottom + 28, chapter, what)
        drawings.timeline(p, "loads", travel, scale, left, 22)
        drawings.timeline(p, "warp", bars, scale, left, 52, 7)
    p.legend(("global", "tiles travel"), ("shared", "put"), ("hatch", "waits"))
    p.legend(("math", "computes, or other warps have their turn"))
