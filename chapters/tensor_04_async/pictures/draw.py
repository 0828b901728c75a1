"""The pictures of tensor_04."""

from typing import Dict, List

from tools.author.drawings import BARRIER, timeline
from tools.author.svg import THIN, TOP, WIDTH, Picture, picture
from tools.author.tracing import (HALF, SECTOR, SIZES, Request, elements_of,
                                  extent, trace)

BK = 64  # elements of a tile along K
STEP = 16  # the same of a product

# ---- the tile ---------------------------------------------------------------


def first_block(chapter: str) -> List[Request]:
    """Return what the first block does for one tile of A and one of B."""
    return [request for request in trace(
        chapter, SIZES.format(128, 256, BK)) if request["op"] != "barrier"]


@picture("A step of k: what the products need")
def tile(p: Picture) -> None:
    """Two panels on one scale, each with a tile of C, the column of A to the
    left of it and the row of B above it that one step of k needs. The tile is
    cut into the parts of eight warps, one of which is filled. tensor_03: 128 x
    128, a warp has 64 x 32, 4 bytes for 128 multiply-adds. tensor_04: 128 x 256,
    a warp has 64 x 64, 3 bytes for 128 multiply-adds."""
    size, strip, gap = 1.15, 20, 8
    below, results = [], []
    names = (("tensor_03", "128 x 128 of C"), ("tensor_04", "128 x 256 of C"))
    for x, chapter in p.panels(names):
        requests = first_block(chapter)
        *_, rows, cols = extent(elements_of(requests, HALF, array="C",
                                            op="store"))
        assert f"{rows} x {cols} of C" == dict(names)[chapter]
        left, top = x + strip + gap, TOP + strip + gap
        p.box(x, top, strip, size * rows, "shared")
        p.box(left, TOP, size * cols, strip, "shared")
        parts = [extent(elements_of(requests, HALF, array="C", op="store",
                                    warp=warp)) for warp in sorted(
            {request["warp"] for request in requests})]
        for i, (row, col, high, wide) in enumerate(parts):
            p.box(left + size * col, top + size * row, size * wide,
                  size * high, "lane" if i == 0 else "math", line=THIN)
        brought = sum(request["sectors"] * SECTOR for request in requests
                      if request["op"] == "load"
                      and request["space"] == "global")
        assert brought == (rows + cols) * BK * HALF
        *_, high, wide = parts[0]
        below.append(f"a warp: {high} x {wide}")
        results.append(f"{(rows + cols) * HALF * 128 / (rows * cols):g} "
                       "bytes for 128")
    p.below(*below)
    p.results(*results)
    p.legend(("math", "multiply-adds of one k"), ("lane", "those of a warp"))
    p.legend(("shared", "the elements of A and of B that they need"))


# ---- one warp over time -----------------------------------------------------


def first_warp(tiles: int) -> List[Request]:
    """Return what the first warp does, and the barriers of its block."""
    return [request for request in trace("tensor_04", SIZES.format(
        128, 256, BK * tiles), requests=4000) if not request.get("warp")]


def is_fragment(request: Request) -> bool:
    """Is it an ldmatrix?"""
    return (request["op"], request.get("space")) == ("load", "shared")


def fragments_of_a_step(mine: List[Request], tiles: int) -> int:
    """Return how many ldmatrix fetch what a warp needs for 16 of k: the first
    ones stand before the loop, the last ones are of zeros."""
    return len([*filter(is_fragment, mine)]) // (tiles * BK // STEP + 1)


@picture("Three stages take turns")
def ring(p: Picture) -> None:
    """Three rows over time, one for each stage in shared memory. Before the
    first barrier the copies of tiles 0 and 1 have begun. Each tile is then
    read for four steps of k. Meanwhile two others are being copied; tile 2
    has the last stage, tile 3 the stage of tile 0, soon after the barrier that
    ends the reading of it. Upright lines are the barriers."""
    tiles, shown, before = 8, 5, 2.2
    mine = first_warp(tiles)
    fragments = fragments_of_a_step(mine, tiles)
    of_a = BK * HALF  # bytes of a row of a tile of A
    begun: Dict[int, float] = {}  # of each tile
    arrived: Dict[int, float] = {}
    place: Dict[int, int] = {}  # byte in As
    barriers: List[float] = []
    now = 0.0  # steps of k whose fragments have been loaded
    for request in mine:
        if request["op"] == "barrier":
            barriers.append(now)
        elif is_fragment(request):
            now += 1 / fragments
        elif request["space"] == "shared":
            if round(now, 3) not in arrived.values():
                arrived[len(arrived)] = round(now, 3)
                place[len(place)] = request["at"][0]
        elif request.get("array") == "A" and request["op"] == "load":
            begun.setdefault(request["at"][0] % request["pitch"] // of_a,
                             round(now, 3) or -before)
    scale = (WIDTH - 118) / (before + shown * BK / STEP + 1)
    p.bottom = 44
    for i, at in enumerate(sorted({*place.values()})):
        bars = []
        for number in sorted(begun):
            if place[number] == at:
                bars += [(begun[number], arrived[number] - begun[number],
                          "good", ""),
                         (arrived[number], BK / STEP, "math",
                          f"tile {number}")]
        timeline(p, f"stage {i}",
                 [(start + before, *rest) for start, *rest in bars]
                 + [(when + before, 0, BARRIER, "") for when in barriers],
                 scale, high=48, gap=16)
    p.legend(("good", "is being copied"),
             ("math", "its fragments are loaded"))
    p.legend(("bar", "each thread waits for its group, then the barrier"))


@picture("Fragments come one step ahead")
def ahead(p: Picture) -> None:
    """Three rows over the steps of k. ldmatrix: k = 0, 16, 32, 48, then 0 of the
    next tile; mma: the same one step later. An upright line, the barrier,
    stands where ldmatrix goes on to the next tile, before mma has its last k.
    Copies of A begin beside k = 0 of mma, those of B beside k = 16."""
    tiles, shown = 4, 7
    mine = first_warp(tiles)
    fragments = fragments_of_a_step(mine, tiles)
    copies: Dict[int, str] = {}  # begun at a step
    barriers: List[float] = []
    loaded = 0
    for request in mine:
        step = loaded // fragments
        if request["op"] == "barrier":
            barriers.append(step)
        elif is_fragment(request):
            loaded += 1
        elif request.get("array") in ("A", "B") and request["op"] == "load":
            copies[step] = str(request["array"])
    ks = [f"k {step * STEP % BK}" for step in range(shown)]
    scale = (WIDTH - 118) / shown
    lines = [(when, 0, BARRIER, "") for when in barriers]
    p.bottom = 44
    timeline(p, "copies", [(step, 1, "global", of) for step, of in
                           copies.items() if step] + lines, scale)
    timeline(p, "ldmatrix", [(step, 1, "shared", ks[step])
                             for step in range(shown)] + lines, scale)
    timeline(p, "mma", [(step + 1, 1, "math", ks[step])
                        for step in range(shown - 1)] + lines, scale)
    p.legend(("bar", "wait and barrier: the next tile is there"))
