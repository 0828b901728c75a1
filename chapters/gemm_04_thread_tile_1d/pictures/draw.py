"""The pictures of gemm_04."""

import math

from tools import checklist, counts, course
from tools.author import drawings
from tools.author.drawings import BARRIER, one_by_one, timeline
from tools.author.svg import WIDTH, Picture, picture
from tools.author.tracing import SMS


@picture("A word of B serves a whole column")
def thread_tile(p: Picture) -> None:
    """Two panels. The results of a thread are squares; the words of A that it
    needs for one k stand along their left edge, those of B along the upper
    edge."""
    drawings.thread_tile(p, "gemm_03", "gemm_04")


@picture("Who works while a block waits?")
def cover(p: Picture) -> None:
    """Two tiles over time. A block alone: loads from global memory, a wait,
    stores to shared memory, a barrier, loads from shared memory while it
    multiplies, a barrier. Below, two blocks, half a tile apart: each multiplies
    while the other waits."""
    # How long a tile takes a block that is alone is measured: 128 blocks on 132
    # SMs with two lengths of K. How long it has the path from L1 and shared
    # memory to the registers is counted. What is left it waits, and that is
    # drawn in one piece.
    chapter = course.find_chapter("gemm_04")
    count = checklist.counts(chapter)[0].counts
    times, deep = course.timed(chapter), 16
    short, long = times[(512,) * 3], times[512, 512, 8192]
    tiles = math.prod(times[(256,) * 3]["launch"]["grid"]) * 256 // deep
    load, put, multiply = (round(counts.expected(count[name]) / tiles)
                           for name in ("global_load_cycles",
                                        "shared_store_wavefronts",
                                        "shared_load_wavefronts"))
    assert math.prod(short["launch"]["grid"]) <= SMS
    alone = round((long["time_ms"]["median"] - short["time_ms"]["median"])
                  / 1000 / ((8192 - 512) / deep)
                  * long["clocks_mhz"]["sm"] * 1e6)
    full = round(100 * (load + put + multiply) / alone)
    tile = ((load, "global", ""), (alone - load - put - multiply, "hatch", ""),
            (put, "shared", ""), (0, BARRIER, ""), (multiply, "math", ""),
            (0, BARRIER, ""))
    p.bottom = 34
    for name, shifts in (("one block on an SM", (0,)),
                         ("two blocks", (0, alone / 2))):
        p.panel(0, p.bottom + 28, name)
        for i, shift in enumerate(shifts):
            timeline(p, f"block {i}", one_by_one(tile * 3, -shift),
                     (WIDTH - 112) / (2 * alone), 112)
    p.panel_x, p.panel_wide = [0, 376], 344
    p.results(f"path in use: {full} %", f"at best: {2 * full} %")
    p.legend(("global", "load"), ("hatch", "wait"),
             ("shared", "store in a tile"), ("math", "multiply"))
    p.legend(("bar", f"barrier; a tile takes a block alone {alone:,} cycles"))
