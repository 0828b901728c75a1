#!/usr/bin/env python3
"""Draw chapters/X/pictures/ from what the kernels do in the simulator.

Usage: picture.py [--check] [CHAPTER...]       (make [chapter=X] picture)

SIM_TRACE says which lane touched which address, and what each request cost; see
common/simulator/README.md. A drawing takes its facts from there, or from
docs/results: it counts nothing by itself. The first half of this file has the
kinds of drawings, the second one function for each picture.

Exit status: 0, or 1 if a picture is stale (--check), too large, or not shown by
its lesson.
"""

import functools
import glob
import os
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, List, Sequence, Tuple

import svg

import course  # noqa: I100  from common/make, which svg has made known

MOST_BYTES = 150 << 10  # of a picture
LANES, LINE, SECTOR, WORD = 32, 128, 32, 4  # of a warp; bytes
SHOWN = (*range(8), 31)  # lanes that are drawn, the others are faint
Request = Dict[str, Any]  # a line of the trace


# ---- the trace --------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def trace(chapter: str, args: str, blocks: int = 1, warps: int = LANES,
          requests: int = 1) -> Tuple[Request, ...]:
    """Run a chapter; return the requests of the launch that it counts."""
    program = f"build/simulator/{chapter}"
    if not course.build([program]):
        raise SystemExit(2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        subprocess.run(
            [program, *args.split()], check=True,
            stdout=subprocess.DEVNULL, env={
                **os.environ, "SIM_TRACE": path, "SIM_CHECK": "0",
                "SIM_TRACE_RANGES": "1", "SIM_TRACE_BLOCKS": str(blocks),
                "SIM_TRACE_WARPS": str(warps),
                "SIM_TRACE_REQUESTS": str(requests)})
        return tuple(course.read_lines(path))


def pick(requests: Sequence[Request], **wanted: object) -> List[Request]:
    """Return the requests that have these values."""
    return [request for request in requests
            if all(request.get(name) == value
                   for name, value in wanted.items())]


class Picture(svg.Picture):
    """Text of 12 pixels where the picture is shown 360 wide."""

    text_size, name_size, head_size = 24, 26, 28


# ---- lanes to addresses -----------------------------------------------------

CELL, GAP = 7.5, 5  # width of a word; between two sectors


def word_x(word: int) -> float:
    """Return where a word of a line begins."""
    return word * CELL + word // (SECTOR // WORD) * GAP


def memory_line(p: Picture, x: float, y: float, words: List[int]) -> None:
    """Draw a line of memory, of which these words are wanted."""
    each = SECTOR // WORD
    for first in range(0, LINE // WORD, each):
        moved = any(word // each == first // each for word in words)
        p.box(x + word_x(first), y, each * CELL, 26, "hatch" if moved else "")
    for word in sorted(set(words)):
        p.box(x + word_x(word), y, CELL, 26, "global", line=svg.THIN)


def lane(p: Picture, x: float, y: float, number: int) -> None:
    """Draw a lane: it is round."""
    p.circle(x, y, 18, "lane")
    p.text(x, y, str(number), anchor="middle", role="black", bold=True)


def dots(p: Picture, x: float, y: float) -> None:
    """Draw what stands for others of the kind."""
    for i in (-9, 0, 9):
        p.circle(x, y + i, 2, "ink")


def lanes_to_lines(p: Picture, x: float, name: str, what: str,
                   request: Request, good: bool) -> None:
    """Draw the lanes of a request, and the lines of memory that they touch."""
    word = [at % LINE // WORD for at in request["at"]]
    lines = sorted({at // LINE for at in request["at"]})
    y = {l: 178 + 40 * i for i, l in enumerate(SHOWN)}
    y[31] += 40
    left, end = x + 80, word_x(LINE // WORD - 1) + CELL
    p.panel(x, 62, name, what)
    if len(lines) == 1:
        memory_line(p, left, 118, word)
        up = [left + word_x(w) + CELL / 2 for w in word]
        for l in range(LANES):
            at = y.get(l, y[31] - 40)
            if l in y:
                p.path([(x + 36, at), (up[l], at)])
            p.arrow((up[l], at), (up[l], 144), 1.5 if l in y else svg.THIN)
    else:
        assert len(lines) == LANES
        p.text(left, 136, "one line each")
        for l in SHOWN:
            memory_line(p, left, y[l] - 13, [word[l]])
            p.arrow((x + 36, y[l]), (left + word_x(word[l]), y[l]))
        dots(p, left + end / 2, y[31] - 40)
    for l in SHOWN:
        lane(p, x + 18, y[l], l)
    dots(p, x + 18, y[31] - 40)
    p.result(x, 564, 340, svg.count(request["sectors"], "sector"), good)
    moved = request["sectors"] * SECTOR // WORD
    p.text(x + 170, 634, f"{moved} words moved,", anchor="middle")
    p.text(x + 170, 662, f"{len(set(request['at']))} wanted", anchor="middle")


def two_loads(name: str, head: str, title: str,
              panels: List[Tuple[str, str, Request]]) -> Picture:
    """Draw two requests side by side."""
    p = Picture(
        name, 724, title,
        "Two panels, lanes on the left, lines of memory of "
        f"{LINE // WORD} words in sectors of {SECTOR // WORD} on the right. "
        + " ".join(f"{panel}, {what}: {svg.count(request['sectors'], 'sector')}"
                   f" for {svg.count(len(set(request['at'])), 'word')}."
                   for panel, what, request in panels))
    p.head(head)
    for x, (panel, what, request) in zip((0, 376), panels):
        lanes_to_lines(p, x, panel, what, request, x > 0)
    p.legend(0, 704, [("lane", "lane"), ("global", "word wanted"),
                      ("hatch", "moved in vain"), ("", "not moved")])
    return p


# ---- the tile of a thread ---------------------------------------------------

Tile = Tuple[int, int, int, int]  # rows, columns, words of A, words of B


def thread_tile(chapter: str) -> Tile:
    """Return the results of a thread, and what it loads for the first k."""
    mine = pick(trace(chapter, "--M 128 --N 128 --K 16", requests=1000), warp=0)
    a, b = ({request["at"][0] for request in pick(mine, array=array, op="load")}
            for array in ("As", "Bs"))
    pitch_a, pitch_b = (pick(mine, array=array)[0]["pitch"]
                        for array in ("As", "Bs"))
    c = [divmod(request["at"][0], request["pitch"])
         for request in pick(mine, array="C", op="store")]
    rows, columns = (len({place[i] for place in c}) for i in (0, 1))
    assert len(c) == rows * columns
    return (rows, columns, sum(at % pitch_a == 0 for at in a),
            sum(at < pitch_b for at in b))


def edge_and_area(p: Picture, x: float, y: float, size: float,
                  tile: Tile) -> None:
    """Draw a thread's results, and at their edge the words that they need."""
    rows, columns, a, b = tile
    right, below = x + size + 6, y + size + 6
    p.grid(x, below, size, [["shared"]] * a)
    p.grid(right, y, size, [["shared"] * b])
    p.grid(right, below, size, [["math"] * columns] * rows)


def two_tiles(head: str, *chapters: str) -> Picture:
    """Draw what a thread of two chapters needs for one step of k."""
    tiles = [thread_tile(chapter) for chapter in chapters]
    names = [course.short(chapter) for chapter in chapters]
    needs = [f"{svg.count(a + b, 'word')} for "
             f"{svg.count(rows * columns, 'product')}"
             for rows, columns, a, b in tiles]
    size, top = 28, 118
    bottom = top + size * (max(rows for rows, *_ in tiles) + 1) + 30
    p = Picture(
        "thread_tile", bottom + 144,
        f"For one k a thread needs {needs[0]} in {names[0]}, {needs[1]} in "
        f"{names[1]}",
        "Two panels. The results of a thread are squares; the words of A stand "
        "along their left edge, those of B along the upper edge. "
        + " ".join(f"{name}: {rows} x {columns} results, {a} of A, {b} of B."
                   for name, (rows, columns, a, b) in zip(names, tiles)))
    p.head(head)
    for x, name, tile, need in zip((0, 376), names, tiles, needs):
        p.panel(x, 62, name, f"a thread: {tile[0]} x {tile[1]}")
        edge_and_area(p, x + 40, top, size, tile)
        ratio = (tile[2] + tile[3]) / (tile[0] * tile[1])
        p.text(x + 170, bottom + 10, need, anchor="middle")
        p.result(x, bottom + 34, 340, f"{ratio:.5g} words each", x > 0)
    p.legend(0, bottom + 118, [("shared", "word from shared memory"),
                               ("math", "product")])
    return p


# ---- what one warp does, in its order ---------------------------------------

Step = Tuple[str, int, int]  # what, of which tile, how many requests
ROWS = {"load": "global", "put": "shared", "read": "math"}  # and their fills


def kind_of(request: Request) -> str:
    """Return load, put, read or barrier; nothing for what goes to C."""
    space, op = request.get("space"), request["op"]
    return {("global", "load"): "load", ("shared", "store"): "put",
            ("shared", "load"): "read", (None, "barrier"): "barrier",
            }.get((space, op), "")


def steps_of(requests: Sequence[Request]) -> List[Step]:
    """Return what the first warp of a block does, in its order.

    load: from global memory; put: to shared memory; read: what it multiplies.
    A load's k says which tile it is of; a warp's n-th put is of tile n, and a
    read of the tile that some warp has put there last.
    """
    steps: List[Step] = []
    per_tile = min(at for at in (
        load["at"][0] % load["pitch"] for load in requests
        if load.get("array") == "A") if at)  # bytes of a row of A
    tile_at: Dict[Tuple[str, int], int] = {}  # words of shared memory
    latest: Dict[Tuple[int, str], int] = {}  # tile of a warp's load or put
    doing: Dict[int, str] = {}
    for request in requests:
        kind, warp = kind_of(request), request.get("warp", 0)
        if not kind:
            continue
        if doing.get(warp) != kind:
            latest[warp, kind] = latest.get((warp, kind), -1) + 1
            doing[warp] = kind
        tile = latest[warp, kind]
        if kind == "load":
            row, byte = divmod(request["at"][0], request["pitch"])
            k = row * WORD if request["array"] == "B" else byte
            tile = k // per_tile
        if kind == "put":
            tile_at.update(((request["array"], at + i), tile)
                           for at in request["at"]
                           for i in range(0, request["bytes"], WORD))
        if kind == "read":
            tile = tile_at[request["array"], request["at"][0]]
        if warp == 0 and steps and steps[-1][:2] == (kind, tile):
            steps[-1] = (kind, tile, steps[-1][2] + 1)
        elif warp == 0:
            steps.append((kind, tile, 1))
    return steps


def timeline(p: Picture, y: float, name: str, what: str,
             steps: List[Step], scale: float) -> None:
    """Draw steps from left to right, a row for each kind."""
    left, height = 122, 40
    p.panel(0, y, name, what)
    way = y + 96  # of tiles that have been loaded and not put
    row = {"load": y + 52, "put": y + 132, "read": y + 178}
    end = left + scale * sum(number for kind, _, number in steps
                             if kind != "barrier")
    for kind, words in (("load", "load"), ("put", "put"), ("read", "compute")):
        p.text(0, row[kind] + height / 2, words)
    p.text(0, way + 16, "on its way")
    sent: Dict[int, float] = {}
    at: float = left
    for kind, tile, number in [*steps, ("end", -1, 0)]:
        for other in [tile] if kind == "put" else sent if kind == "end" else []:
            if at > sent[other] + 1:
                p.box(sent[other], way + 16 * (other % 2), at - sent[other], 14,
                      "good", line=svg.THIN)
        if kind == "put":
            del sent[tile]
        at += scale * number if kind != "barrier" else 0
        if kind == "load":
            sent[tile] = at
    at = left
    for kind, _, number in steps:
        if kind == "barrier":
            p.path([(at, row["load"] - 6), (at, row["read"] + height)], 3)
        else:
            at += scale * number
    at = left
    for kind, tile, number in steps:
        if kind == "barrier":
            continue
        wide = scale * number
        more = max(0, 24 - wide) if kind == "load" else 0
        p.box(at - more / 2, row[kind], wide + more, height, ROWS[kind])
        if wide + more > 20:
            p.text(at + wide / 2, row[kind] + height / 2,
                   f"tile {tile}" if wide > 100 else str(tile),
                   anchor="middle", role="black", bold=True)
        at += wide


def two_timelines(name: str, head: str, title: str, args: str, last: int,
                  chapters: Sequence[Tuple[str, str]]) -> Picture:
    """Draw the order of a warp's requests in chapters, up to a last tile."""
    plans = []
    for chapter, _ in chapters:
        steps = steps_of(trace(chapter, args, requests=1000))
        end = max(i for i, step in enumerate(steps)
                  if step[:2] == ("read", last))
        plans.append(steps[: end + 1])
    scale = 594 / max(sum(n for kind, _, n in plan if kind != "barrier")
                      for plan in plans)
    p = Picture(
        name, 26 + 270 * len(plans) + 50, title,
        "Timelines of one warp, a row each for loads from global memory, puts "
        "to shared memory, and computing; boxes have the number of their tile, "
        "and are as long as they have requests; a bar joins a load to its put. " + " ".join(
            f"{course.short(chapter)}: " + ", ".join(
                f"{kind} {tile}" if kind != "barrier" else kind
                for kind, tile, _ in plan) + "."
            for (chapter, _), plan in zip(chapters, plans)))
    p.head(head)
    for i, ((chapter, what), plan) in enumerate(zip(chapters, plans)):
        timeline(p, 66 + 270 * i, course.short(chapter), what, plan, scale)
    y = 26 + 270 * len(plans) + 20
    p.path([(10, y - 14), (10, y + 14)], 3)
    p.text(24, y, "barrier; the numbers are those of the tiles")
    return p


# ---- banks of shared memory -------------------------------------------------


def wavefronts_of(request: Request) -> List[List[Tuple[int, int, int]]]:
    """Share a request out to wavefronts: lists of (lane, word, group).

    Each takes the first word of every bank that is still wanted; that there
    are as many as were counted is checked.
    """
    wide = request["bytes"] // WORD
    groups = {1: 1, 2: 2, 4: 4}[wide]
    waves: List[List[Tuple[int, int, int]]] = []
    for group in range(groups):
        depth: Dict[int, int] = {}
        seen, first = set(), len(waves)
        for number, at in zip(request["lanes"], request["at"]):
            word = (request["start"] + at) // WORD
            if number * groups // LANES != group or word in seen:
                continue
            seen.add(word)
            turn = first + depth.get(word % LANES, 0)
            depth[word % LANES] = depth.get(word % LANES, 0) + 1
            while turn >= len(waves):
                waves.append([])
            waves[turn].append((number, word, group))
    assert len(waves) == request["wavefronts"]
    return waves


def banks(p: Picture, x: float, base: float, request: Request,
          good: bool) -> None:
    """Stack the wavefronts of a request over the banks."""
    bank, height = 10, 32
    wide = request["bytes"] // WORD
    waves = wavefronts_of(request)
    for i, wave in enumerate(waves):
        y = base - height * (i + 1)
        p.box(x, y, bank * LANES, height, line=svg.THIN)
        for number, word, group in wave:
            late = i > 0 and waves[i - 1][0][2] == group
            p.box(x + word % LANES * bank, y, wide * bank, height,
                  "stripes" if late else "lane", line=svg.THIN)
            if wide == 4:
                middle = x + word % LANES * bank + 20
                if late:
                    p.box(middle - 17, y + 3, 34, height - 6, "lane", line=0)
                p.text(middle, y + height / 2, str(number), anchor="middle",
                       role="black", bold=True)
    p.path([(x, base), (x + bank * LANES, base)], svg.BOLD)
    p.text(x, base + 20, "bank 0")
    p.text(x + bank * LANES, base + 20, "31", anchor="end")
    p.result(x, base + 44, bank * LANES, svg.count(len(waves), "wavefront"),
             good)


def two_banks(name: str, head: str, title: str, desc: str,
              panels: Sequence[Tuple[str, str, Request]]) -> Picture:
    """Draw the wavefronts of two requests."""
    tallest = max(request["wavefronts"] for *_, request in panels)
    base = 118 + 32 * tallest
    p = Picture(name, base + 144, title, desc)
    p.head(head)
    for x, (panel, what, request) in zip((12, 388), panels):
        p.panel(x, 62, panel, what)
        banks(p, x, base, request, x > 12)
    p.legend(0, base + 124, [("lane", "lane"),
                             ("stripes", "has to wait: conflict")])
    return p


# ---- gemm -------------------------------------------------------------------

SMALL = "--M 64 --N 64 --K 64"


def first_load(chapter: str, array: str) -> Request:
    """Return what the first warp loads first of an array."""
    return pick(trace(chapter, SMALL), array=array, op="load", warp=0)[0]


def gemm_01_lanes() -> Picture:
    """The two loads of gemm_01."""
    a, b = (first_load("gemm_01_naive", array) for array in "AB")
    return two_loads(
        "lanes", "Lanes go down a column of A",
        f"A warp's load moves {a['sectors']} sectors of A, and {b['sectors']} "
        "of B",
        [("A[row][k]", "32 lanes, 32 rows", a),
         ("B[k][col]", "all want one word", b)])


def gemm_02_lanes() -> Picture:
    """The expensive load, before and after."""
    a = first_load("gemm_01_naive", "A")
    b = first_load("gemm_02_coalesced", "B")
    return two_loads(
        "lanes", "Neighbouring lanes read neighbouring words",
        f"One load of a warp moves {a['sectors']} sectors in gemm_01, "
        f"{b['sectors']} in gemm_02",
        [("gemm_01", "down a column of A", a),
         ("gemm_02", "along a row of B", b)])


def gemm_04_tile() -> Picture:
    """A result against a column of results."""
    return two_tiles("A word of B serves a whole column",
                     "gemm_03_shared_tile", "gemm_04_thread_tile_1d")


def gemm_05_tile() -> Picture:
    """A column against a square."""
    return two_tiles("Words are the edge, products the area",
                     "gemm_04_thread_tile_1d", "gemm_05_thread_tile_2d")


def fragment(chapter: str, array: str, op: str) -> Request:
    """Return what the first warp first does with an array in shared memory."""
    return pick(trace(chapter, "--M 128 --N 128 --K 16"), array=array, op=op,
                warp=0)[0]


def gemm_07_banks() -> Picture:
    """The load of B, before and after."""
    before, after = (fragment(chapter, "Bs", "load") for chapter in
                     ("gemm_06_vectorized", "gemm_07_bank_conflict"))
    return two_banks(
        "load_of_b", "Half of the banks were idle",
        f"A warp's load of B takes {before['wavefronts']} wavefronts in "
        f"gemm_06, {after['wavefronts']} in gemm_07",
        "Two stacks over the 32 banks of shared memory, a layer for each "
        "wavefront; 16 bytes a lane are four banks wide. gemm_06: in each "
        "layer half of the banks are idle. gemm_07: all are busy.",
        [("gemm_06", "columns 8 apart", before),
         ("gemm_07", "columns 4 apart", after)])


def gemm_07_store() -> Picture:
    """The store of A, before and after."""
    before, after = (fragment(chapter, "As", "store") for chapter in
                     ("gemm_06_vectorized", "gemm_07_bank_conflict"))
    return two_banks(
        "store_of_a", "A swizzle spreads a column over the banks",
        f"A warp's store of A takes {svg.count(before['wavefronts'], 'wavefront')} "
        f"in gemm_06, {after['wavefronts']} in gemm_07",
        "Two stacks over the 32 banks, a layer for each wavefront. gemm_06: "
        "few banks, used several times. gemm_07: each bank once.",
        [("gemm_06", "As[k][row]", before),
         ("gemm_07", "As[k][row ^ swizzle]", after)])


def gemm_08_timeline() -> Picture:
    """One buffer and two."""
    return two_timelines(
        "timeline", "Load the next tile, compute this one",
        "gemm_07 loads tile 1 after it has computed tile 0, gemm_08 before",
        "--M 128 --N 128 --K 48", 1,
        [("gemm_07_bank_conflict", "one buffer: take turns"),
         ("gemm_08_double_buffer", "two buffers: tile 1 travels meanwhile")])


def gemm_11_timeline() -> Picture:
    """Registers on the way, and none."""
    return two_timelines(
        "timeline", "Two tiles on their way instead of one",
        "gemm_10 has one tile on its way while it computes, gemm_11 two",
        "--M 128 --N 256 --K 48", 1,
        [("gemm_10_warptile", "through registers"),
         ("gemm_11_async", "straight to shared memory")])


PICTURES: Dict[str, List[Callable[[], Picture]]] = {
    "gemm_01_naive": [gemm_01_lanes],
    "gemm_02_coalesced": [gemm_02_lanes],
    "gemm_04_thread_tile_1d": [gemm_04_tile],
    "gemm_05_thread_tile_2d": [gemm_05_tile],
    "gemm_07_bank_conflict": [gemm_07_banks, gemm_07_store],
    "gemm_08_double_buffer": [gemm_08_timeline],
    "gemm_11_async": [gemm_11_timeline],
}


# ---- main -------------------------------------------------------------------


def main() -> int:
    """Draw the pictures of all chapters, or of some; or compare them."""
    args = sys.argv[1:]
    if "--check" in args:
        args.remove("--check")
        sys.argv[1:] = ["--check"]
    else:
        del sys.argv[1:]
    stale = 0
    for chapter in args or PICTURES:
        stale |= svg.main(chapter, *PICTURES.get(chapter, []),
                          below="pictures/")
        for path in glob.glob(f"chapters/{chapter}/pictures/*"):
            if os.path.getsize(path) > MOST_BYTES:
                print(f"{path} has more than {MOST_BYTES:,} bytes",
                      file=sys.stderr)
                stale = 1
    return stale


if __name__ == "__main__":
    course.script(main)
