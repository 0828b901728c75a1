"""The pictures of tensor_08."""

import json
import os
import subprocess
import tempfile
from typing import Dict, List, Tuple

import course
import drawings
from drawings import Bar
from svg import BOLD, THIN, WIDTH, Picture, picture
from tracing import SIZES, SMS, Place

BM, BN, BAND = 128, 256, 8  # of the kernel
DOWN, ACROSS = 16, 32  # tiles of C in the picture
WORDS = 64  # stores of a warp for a tile, and more


def in_bands() -> Dict[Place, int]:
    """Return the wave of each tile: how many its block has stored before."""
    program = f"build/simulator/{course.find_chapter('tensor_08')}"
    if not course.build([program]):
        raise SystemExit(2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        subprocess.run(
            [program, *SIZES.format(DOWN * BM, ACROSS * BN, 1).split(),
             "--small", "0"], check=True, stdout=subprocess.DEVNULL, env={
                 **os.environ, "SIM_TRACE": path, "SIM_CHECK": "0",
                 "SIM_TRACE_RANGES": "1", "SIM_TRACE_BLOCKS": str(SMS),
                 "SIM_TRACE_WARPS": "1",
                 "SIM_TRACE_REQUESTS": str(WORDS * DOWN * ACROSS // SMS)})
        tiles: Dict[int, List[Place]] = {}  # of a block, in its order
        with open(path, encoding="utf-8") as file:
            for request in map(json.loads, file):
                if request.get("array") == "C":
                    row, byte = divmod(request["at"][0], request["pitch"])
                    place = (row // BM, byte // 2 // BN)
                    mine = tiles.setdefault(request["block"][0], [])
                    if place not in mine:
                        mine.append(place)
    return {place: i for mine in tiles.values() for i, place in enumerate(mine)}


def in_rows() -> Dict[Place, int]:
    """Return the wave of each tile if blocks are numbered in rows."""
    return {divmod(t, ACROSS): t // SMS for t in range(DOWN * ACROSS)}


@picture("What the first wave of tiles needs")
def order(p: Picture) -> None:
    """C twice, 16 rows of 32 tiles, with the wave in which each is computed; a
    bar above it shows the columns of B, one left of it the rows of A that the
    first wave needs. In rows a wave is 4 rows of tiles and a bit: 5 strips of A
    and all 32 of B. In bands of 8 rows it is 8 rows high and half as wide as C:
    8 strips of A and 17 of B. The second wave is the other half of this band
    and the right end of the one below; that one goes from right to left."""
    wide, high, left, bar = 20, 10, 78, 22
    p.bottom = 40
    for name, waves in (("in rows", in_rows()), ("in bands", in_bands())):
        assert len(waves) == DOWN * ACROSS
        first = [place for place, wave in waves.items() if wave == 0]
        assert len(first) == SMS
        rows, columns = ({*numbers} for numbers in zip(*first))
        y = p.bottom + 36
        p.panel(0, y - 12, name)
        words = (f"{len(rows)} strips of A, {len(columns)} of B: "
                 f"{len(rows) * BM + len(columns) * BN:,} rows and columns")
        p.text(WIDTH, y - 12, words, anchor="end")
        y += 14
        p.text(left - 14, y + bar / 2, "B", anchor="end")
        top = y + bar + 6
        for column, number in drawings.runs(columns):
            p.box(left + wide * column, y, wide * number, bar, "global")
        for row, number in drawings.runs(rows):
            p.box(left - bar - 6, top + high * row, bar, high * number,
                  "global")
        p.text(left - bar - 14, top + high * max(rows) / 2, "A", anchor="end")
        p.box(left, top, wide * ACROSS, high * DOWN)
        for row, column in first:
            p.box(left + wide * column, top + high * row, wide, high, "lane",
                  line=THIN)
        for wave in range(1, max(waves.values()) + 1):
            row, column = (sum(numbers) / len(numbers) for numbers in zip(
                *(place for place, one in waves.items() if one == wave)))
            p.middle(left + wide * column, top + high * row, f"{wave + 1}")
        for (row, column), wave in waves.items():  # edges between waves
            x, at = left + wide * column, top + high * row
            if waves.get((row, column + 1), wave) != wave:
                p.path([(x + wide, at), (x + wide, at + high)], BOLD)
            if waves.get((row + 1, column), wave) != wave:
                p.path([(x, at + high), (x + wide, at + high)], BOLD)
        p.bottom = top + high * DOWN
    p.legend(("lane", "tiles of the first wave"),
             ("global", "rows of A, columns of B"))


STAGES, STEPS = 4, 6  # of the kernel; of a tile in the picture
COPY, STORE, START = 0.9, 2.6, 0.5  # in products of a stage; not measured


def two_tiles(stays: bool) -> Tuple[List[List[Bar]], List[Bar], float]:
    """Return the bars of each stage, those of the groups that multiply, and the
    end, if a block stays or ends with its tile."""
    stages: List[List[Bar]] = [[] for _ in range(STAGES)]
    groups: List[Bar] = []
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
            groups.append((now, STORE, "good", "store"))
            now += STORE
    return stages, groups, now


@picture("Two tiles of C, one after the other, on an SM")
def timeline(p: Picture) -> None:
    """Time lines of two kernels. Below each other the four stages: a copy comes,
    waits, is multiplied; and what the groups do that multiply. Two blocks: the
    second one begins when the first has stored C, with an empty ring, and waits
    for its first copy. One block that stays: while it stores C the four stages
    are filled for the next tile, whose products begin at once."""
    end = max(two_tiles(stays)[2] for stays in (False, True))
    scale, left = (WIDTH - 124) / end, 122.0
    p.bottom = 34
    for name, stays in (("tensor_07: a block for each tile", False),
                        ("tensor_08: a block that stays", True)):
        stages, groups, last = two_tiles(stays)
        p.panel(0, p.bottom + 30, name)
        p.bottom += 2
        for i, bars in enumerate(stages):
            drawings.timeline(p, f"stage {i}", bars, scale, left, 26, 6)
        drawings.timeline(p, "groups", groups, scale, left, 40, 12)
    p.legend(("global", "comes"), ("shared", "waits"),
             ("math", "first tile"), ("lane", "second tile"))
