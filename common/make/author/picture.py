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
import json
import os
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple

import svg

import course  # noqa: I100  from common/make, which svg has made known

MOST_BYTES = 150 << 10  # of a picture
LANES, LINE, SECTOR, WORD = 32, 128, 32, 4  # of a warp; bytes
SMALL = "--M 64 --N 64 --K 64"
SHOWN = (*range(8), 31)  # lanes that are drawn, the others are faint
Request = Dict[str, Any]  # a line of the trace


# ---- the trace --------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def trace(chapter: str, args: str, blocks: int = 1, warps: int = LANES,
          requests: int = 1, array: str = "") -> Tuple[Request, ...]:
    """Run a chapter; return the requests of the launch that it counts.

    array: those of one array only.
    """
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
        with open(path, encoding="utf-8") as file:
            return tuple(json.loads(line) for line in file
                         if not array or f'"array":"{array}"' in line)


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


def layer(request: Request) -> float:
    """Return the height of a wavefront: numbers of lanes fit into it."""
    return 32 if request["bytes"] == 16 else 16


def banks(p: Picture, x: float, base: float, request: Request,
          good: bool) -> None:
    """Stack the wavefronts of a request over the banks."""
    bank, height = 10, layer(request)
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
    base = 118 + int(max(layer(request) * request["wavefronts"]
                         for *_, request in panels))
    p = Picture(name, base + 144, title, desc)
    p.head(head)
    for x, (panel, what, request) in zip((12, 388), panels):
        p.panel(x, 62, panel, what)
        banks(p, x, base, request, x > 12)
    p.legend(0, base + 124, [("lane", "lane"),
                             ("stripes", "has to wait: conflict")])
    return p


# ---- who owns which element -------------------------------------------------

Place = Tuple[int, int]  # row, column


def elements(request: Request) -> List[Tuple[int, Place]]:
    """Return (lane, element) for every word that a request touches."""
    return [(lane_, divmod((at + i) // WORD, request["pitch"] // WORD))
            for lane_, at in zip(request["lanes"], request["at"])
            for i in range(0, request["bytes"], WORD)]


def cells(p: Picture, x: float, y: float, size: float,
          places: Iterable[Place], fill: str) -> None:
    """Draw elements of a matrix, neighbours of a row as one box."""
    left = set(places)
    rows, columns = ({place[i] for place in left} for i in (0, 1))
    if len(left) == len(rows) * len(columns) == (
            max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1):
        p.box(x + size * min(columns), y + size * min(rows),
              size * len(columns), size * len(rows), fill, line=svg.THIN)
        return
    for row, column in sorted(left):
        if (row, column - 1) in left:
            continue
        end = column
        while (row, end) in left:
            end += 1
        p.box(x + size * column, y + size * row, size * (end - column), size,
              fill, line=svg.THIN)


def fetched_once() -> Picture:
    """The tiles of gemm_03: what a warp stores and what it reads."""
    requests = trace("gemm_03_shared_tile", SMALL, requests=LANES)
    first = [request for request in requests if request["barriers"] < 2]
    warp, edge, size = 5, 32, 5
    does: Dict[Tuple[str, str], List[Place]] = {}
    times: Dict[str, Dict[Tuple[str, Place], int]] = {"store": {}, "load": {}}
    for request in first:
        if request.get("space") != "shared":
            continue
        for _, place in elements(request):
            name, op = request["array"], request["op"]
            if request["warp"] == warp:
                does.setdefault((op, name), []).append(place)
            times[op][name, place] = times[op].get((name, place), 0) + 1
    stored, read = ({*times[op].values()} for op in ("store", "load"))
    assert len(times["store"]) == 2 * edge**2
    assert stored == {1} and len(read) == 1
    p = Picture(
        "fetched_once", 440,
        f"Each word of the tiles is stored once and read {max(read)} times",
        f"Two panels with the tiles of A and B in shared memory, {edge} x "
        f"{edge} each. Store: warp {warp} stores a row of either tile. Read: "
        f"it reads a row of A's and all of B's.")
    p.head("Fetched once, used by many threads")
    for x, op, name, done in ((0, "store", "store", "stored once"),
                              (376, "load", "barrier, then read",
                               f"read {max(read)} times")):
        p.panel(x, 62, name, f"warp {warp} of 32")
        for array, left in (("As", x), ("Bs", x + 180)):
            p.box(left, 118, edge * size, edge * size)
            cells(p, left, 118, size, does[op, array],
                  "lane" if op == "store" else "shared")
            p.text(left + edge * size / 2, 300, array, anchor="middle")
        p.result(x, 328, 340, done, True)
    p.legend(0, 412, [("lane", "stored by the warp"),
                      ("shared", "read by the warp")])
    return p


def distance() -> Picture:
    """What a load waits for, by memory."""
    with open("docs/results/h200_latency.txt", encoding="utf-8") as file:
        lines = [line.split() for line in file if "cycles" in line]
    cycles = {line[0]: float(line[1]) for line in lines}
    scale = 420 / max(cycles.values())
    far = round(cycles["DRAM"] / cycles["shared"])
    p = Picture(
        "distance", 344, f"DRAM is {far} times as far as shared memory",
        "Bars as long as the cycles from a load to the next that needs it: "
        + ", ".join(f"{name} {round(value)}" for name, value in cycles.items())
        + ".")
    p.head("How far away is a word? (cycles)")
    for i, (name, value) in enumerate(cycles.items()):
        y = 62 + 62 * i
        p.text(0, y + 20, name, bold=True)
        p.box(130, y, scale * value, 40,
              "shared" if i < 2 else "global")
        p.text(142 + scale * value, y + 20, f"{round(value)}", bold=True)
    p.legend(0, 326, [("shared", "inside the SM"), ("global", "outside")])
    return p


def four_floats() -> Picture:
    """One lane's way from a row of A to a column of As."""
    requests = trace("gemm_06_vectorized", "--M 128 --N 128 --K 16")
    mine = 5
    load = pick(requests, array="A", op="load", warp=0)[0]
    stores = pick(requests, array="As", op="store", warp=0)[:4]
    come = [place for lane_, place in elements(load) if lane_ == mine]
    go = [place for request in stores
          for lane_, place in elements(request) if lane_ == mine]
    rows, columns, size = 8, 16, 22
    assert go == [(k, row) for row, k in come] and load["bytes"] == 16
    p = Picture(
        "four_floats", 520,
        f"Lane {mine} loads four neighbours of a row of A at once and stores "
        "them one below the other",
        f"Left, {rows} rows of A: lane {mine} has four neighbours of a row. In "
        "the middle its four registers. Right, As: the four stand in one "
        "column, in four rows.")
    p.head("A row of A becomes a column of As")
    p.panel(0, 62, f"A, lane {mine}", "1 load of 16 bytes")
    p.grid(0, 118, size, [[""] * columns] * rows)
    for row, column in come:
        p.box(size * column, 118 + size * row, size, size, "global")
    p.text(412, 95, "registers", anchor="middle")
    y = 118 + size * (come[0][0] + 0.5)
    for i in range(4):
        p.box(392, 118 + 40 * i, 40, 40, "math", f"{i}")
    p.arrow((size * (come[-1][1] + 1), y), (390, y))
    x = 530
    p.panel(x, 62, "As", "4 stores")
    p.grid(x, 118, size, [[""] * rows] * columns)
    for i, (row, column) in enumerate(go):
        p.box(x + size * column, 118 + size * row, size, size, "shared")
        at = 118 + size * (row + 0.5)
        p.path([(432, 138 + 40 * i), (480, 138 + 40 * i),
                (500, at), (x + size * column, at)])
    p.text(0, 330, "k goes right")
    p.text(x - 14, 460, "k goes down", anchor="end")
    p.legend(0, 502, [("global", "in A"), ("math", "in registers"),
                      ("shared", "in shared memory")])
    return p


def nesting() -> Picture:
    """Block, warp and lane of gemm_10, from its stores to C."""
    owner = {place: (request["warp"], lane_) for request in pick(
        trace("gemm_10_warptile", "--M 128 --N 256 --K 8", requests=1000),
        array="C", op="store") for lane_, place in elements(request)}
    warp, mine = 4, 21
    own = {w: [place for place, (of, _) in owner.items() if of == w]
           for w, _ in owner.values()}
    row0, col0 = min(own[warp])
    high, wide = (1 + max(place[i] for place in own[warp]) - min(own[warp])[i]
                  for i in (0, 1))
    lanes_ = [(row - row0, col - col0) for row, col in own[warp]
              if owner[row, col] == (warp, mine)]
    part_rows = 1 + max(row for (row, col), of in owner.items()
                        if of == (warp, 31) and row < row0 + 16) - row0
    part_cols = 1 + max(col for (row, col), of in owner.items()
                        if of == (warp, 31) and col < col0 + 32) - col0
    p = Picture(
        "nesting", 736,
        f"A block computes 128 x 256 elements of C, a warp {high} x {wide}, a "
        f"lane {len(lanes_)}",
        f"Three drawings, each an enlarged piece of the one before: the tile "
        f"of a block with {len(own)} warps; that of warp {warp}, with the "
        f"{len(lanes_)} elements of lane {mine} in groups of 4 x 4; one part "
        f"of {part_rows} x {part_cols} with a group for each of 32 lanes.")
    p.head("Who computes what: block, warp, lane")
    scale = 1.6
    p.panel(440, 76, "block", "128 x 256", f"{len(own)} warps")
    for w, places in own.items():
        row, col = min(places)
        p.box(col * scale, 50 + row * scale, wide * scale, high * scale,
              "lane" if w == warp else "", f"{w}")
    s, x, y = 5, 0, 310
    p.panel(0, y + high * s + 24, f"warp {warp}", f"{high} x {wide}",
            f"lane {mine}: {len(lanes_)} results")
    for row in range(0, high, part_rows):
        for col in range(0, wide, part_cols):
            p.box(x + col * s, y + row * s, part_cols * s, part_rows * s)
    for row, col in lanes_:
        if row % 4 == col % 4 == 0:
            p.box(x + col * s, y + row * s, 4 * s, 4 * s, "math", line=svg.THIN)
    g, x = 42, 376
    p.panel(x, y + part_rows // 4 * g + 24, "32 lanes",
            f"{part_rows} x {part_cols}, 4 x 4 each")
    for row in range(0, part_rows, 4):
        for col in range(0, part_cols, 4):
            number = owner[row0 + row, col0 + col][1]
            p.box(x + col // 4 * g, y + row // 4 * g, g, g,
                  "math" if number == mine else "lane", f"{number}", svg.THIN)
    for at in (y, y + part_rows * s):
        p.path([(part_cols * s, at), (x, y if at == y else
                                      y + part_rows // 4 * g)], svg.THIN)
    left, top = col0 * scale, 50 + (row0 + high) * scale
    p.path([(left, top), (0, y)], svg.THIN)
    p.path([(left + wide * scale, top), (wide * s, y)], svg.THIN)
    return p


# ---- blocks -----------------------------------------------------------------


def tiles_of(chapter: str, args: str) -> List[Place]:
    """Return the tile of C of each block, by the first word it stores."""
    corners: Dict[int, Place] = {}
    wide = 0
    for request in trace(chapter, args, blocks=1000, warps=1, array="C"):
        number = request["block"][0] + request["block"][1] * 1000
        corners.setdefault(number, divmod(request["at"][0], request["pitch"]))
    rows = sorted({row for row, _ in corners.values()})
    columns = sorted({column for _, column in corners.values()})
    wide = len(columns)
    assert len(corners) == len(rows) * wide
    return [(rows.index(row), columns.index(column))
            for _, (row, column) in sorted(corners.items())]


def order() -> Picture:
    """The first blocks of a wave, row by row and in bands."""
    number, size = 32, 19
    plans = [("gemm_08", "row by row", tiles_of(
        "gemm_08_double_buffer", "--M 1024 --N 2048 --K 4")),
             ("gemm_09", "down a band of 8", tiles_of(
                 "gemm_09_autotune", "--M 1024 --N 4096 --K 4"))]
    strips = [len({row for row, _ in tiles[:number]})
              + len({column for _, column in tiles[:number]})
              for *_, tiles in plans]
    p = Picture(
        "order", 470,
        f"{number} blocks need {strips[0]} strips of A and B row by row, "
        f"{strips[1]} in a band",
        f"C as 8 x 16 tiles, twice; a line goes through the tiles of the first "
        f"{number} blocks in their order. Row by row they fill two long rows, "
        "in a band a nearly square piece; marks on the left and above are the "
        "strips of A and B that they need.")
    p.head(f"{number} blocks at a time: a square needs less")
    for x, (name, what, tiles) in zip((0, 372), plans):
        p.panel(x, 62, name, what)
        left, top = x + 34, 152
        first = tiles[:number]
        p.grid(left, top, size, [[""] * 16] * 8)
        cells(p, left, top, size, first, "lane")
        for row in {row for row, _ in first}:
            p.box(x, top + size * row, 24, size, "global", line=svg.THIN)
        for column in {column for _, column in first}:
            p.box(left + size * column, top - 34, size, 24, "global",
                  line=svg.THIN)
        p.path([(left + size * (column + 0.5), top + size * (row + 0.5))
                for row, column in first], stroke="black")
        p.result(x, 326, 340, f"{strips[x > 0]} strips", x > 0)
    p.legend(0, 412, [("lane", "tiles of the first blocks"),
                      ("global", "strip of A, of B")])
    p.text(0, 450, "The line is their order.")
    return p


def busy() -> Picture:
    """How many SMs get a block."""
    # An H200 gives each block an SM of its own as long as there are some.
    sms, args = 132, "--M 200 --N 200 --K 512"
    blocks = [len({tuple(request["block"]) for request in trace(
        chapter, args, blocks=1000, warps=1, array="A")})
        for chapter in ("gemm_11_async", "gemm_12_stream_k")]
    assert max(blocks) <= sms
    p = Picture(
        "busy", 524,
        f"A product of 200 x 200 x 512 has {blocks[0]} blocks in gemm_11, "
        f"{blocks[1]} in gemm_12",
        f"{sms} squares, one for each SM, twice. gemm_11: {blocks[0]} of them "
        f"have a block. gemm_12: {blocks[1]}.")
    p.head("A small product, 200 x 200 x 512")
    for x, name, what, number in (
            (0, "gemm_11", "large tiles, all of K", blocks[0]),
            (376, "gemm_12", "small tiles, parts of K", blocks[1])):
        p.panel(x, 62, name, what)
        for i in range(sms):
            p.box(x + 28 * (i % 12), 118 + 28 * (i // 12), 26, 26,
                  "lane" if i < number else "", line=svg.THIN)
        p.result(x, 436, 340, f"{number} of {sms} SMs", x > 0)
    p.legend(0, 508, [("lane", "SM with a block"), ("", "nothing to do")])
    return p


# ---- gemm -------------------------------------------------------------------

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


# ---- patterns ---------------------------------------------------------------


def scan_rounds() -> Picture:
    """What each element holds after the rounds of Kogge-Stone."""
    loads = [request for request in pick(trace(
        "scan", "--variant kogge_stone --n 1024", warps=1, requests=10),
        op="load", space="shared", warp=0) if request["barriers"] % 2]
    line = loads[0]["line"]
    rounds = [request for request in loads if request["line"] == line][:5]
    size, left, top = 17, 152, 104
    holds = [1] * LANES
    p = Picture(
        "rounds", 566,
        f"After {len(rounds)} rounds of Kogge-Stone lane 31 holds "
        f"{LANES} inputs",
        "Lanes 0 to 31 from left to right, a row for each round. A line leads "
        "from the element that a lane adds down to it; those that add nothing "
        "are empty. At the left, how many inputs lane 31 holds.")
    p.head("Each round doubles what an element holds")
    p.text(left, 70, "lane 0")
    p.text(left + size * LANES, 70, "31", anchor="end")
    p.grid(left, top, size, [[""] * LANES])
    for i, request in enumerate(rounds, 1):
        y = top + 76 * i
        before = list(holds)
        for number, at in zip(request["lanes"], request["at"]):
            source = at // WORD
            holds[number] = before[number] + before[source]
            p.path([(left + size * (source + 0.5), y - 76 + size),
                    (left + size * (number + 0.5), y)], svg.THIN)
        p.grid(left, y, size, [["lane" if number in request["lanes"] else ""
                                for number in range(LANES)]])
        p.text(0, y + size / 2, f"round {i}")
        p.text(0, y + size / 2 + 30, f"lane 31: {holds[31]}")
    p.legend(left, 546, [("lane", "adds what the line brings")])
    return p


def padding() -> Picture:
    """A column of a tile, without and with a word of padding."""
    before, after = (pick(trace(
        "bank_conflict_padding", f"--variant {variant} --rows 64 --cols 64"),
        op="load", array="tile", warp=0)[0]
        for variant in ("tile", "tile_padded"))
    return two_banks(
        "padding", "One word of padding a row",
        f"A warp's load of a column takes {before['wavefronts']} wavefronts, "
        f"with padding {after['wavefronts']}",
        "Two stacks over the 32 banks, a layer for each wavefront. Without "
        "padding one bank has to serve all lanes, one after the other; with a "
        "word of padding each lane has a bank of its own.",
        [("tile", "rows of 32 words", before),
         ("tile_padded", "rows of 33 words", after)])


def conflicts() -> Picture:
    """Where the lanes of a warp add, in one table and in their own."""
    args = "--variant {} --n 65536 --input uniform"
    before, after = (max(pick(trace(
        "histogram", args.format(variant), requests=4), op="atomic",
        space="shared", warp=0), key=lambda request: request["wavefronts"])
        for variant in ("private_shared", "bank_private"))
    return two_banks(
        "conflicts", "Lanes that meet in a bank wait",
        f"An atomic add of a warp takes {before['wavefronts']} wavefronts in "
        f"one table, {after['wavefronts']} with a bank for each lane",
        "Two stacks over the 32 banks, a layer for each wavefront. One table: "
        "random bytes meet in some banks, and others are idle. A bank for each "
        "lane: one full layer.",
        [("private_shared", "one table", before),
         ("bank_private", "a bank for each lane", after)])


def halo() -> Picture:
    """What a block of conv loads, and what it computes."""
    mine = [request for request in trace(
        "conv", "--variant tiled --width 96 --height 96 --radius 2",
        blocks=100, requests=4) if request["block"] == [5, 0, 0]]
    loaded, stored = (
        {place for request in pick(mine, array=array, op=op)
         for _, place in elements(request)}
        for array, op in (("x", "load"), ("y", "store")))
    row, column = min(loaded)
    edge, inner = (round(len(places)**0.5) for places in (loaded, stored))
    size = 12
    assert len(loaded) == edge**2 and len(stored) == inner**2
    p = Picture(
        "halo", 476,
        f"A block loads {edge} x {edge} pixels and computes {inner} x {inner}",
        f"A square of {edge} x {edge} pixels that a block loads; in its middle "
        f"the {inner} x {inner} that it computes. The rim of "
        f"{(edge - inner) // 2} pixels is the halo.")
    p.head("The halo is loaded, too")
    for places, fill in ((loaded, "global"), (stored, "math")):
        cells(p, 0, 50, size, [(y - row, x - column) for y, x in places], fill)
    x = 410
    p.panel(x, 76, "a block loads", f"{edge} x {edge} = {len(loaded):,}")
    p.panel(x, 166, "and computes", f"{inner} x {inner} = {len(stored):,}")
    p.result(x, 256, 300, f"{len(loaded) / len(stored):.2f} loads each", True)
    p.legend(0, 458, [("global", "halo"), ("math", "computed")])
    return p


def shells() -> Picture:
    """Points that a block loads and computes, in two variants."""
    panels = []
    for variant, edge, block in (("tiled", 20, [1, 1, 1]),
                                 ("coarsened", 62, [1, 1, 0])):
        mine = pick(trace("stencil", f"--variant {variant} --N {edge}",
                          blocks=100, requests=100), block=block)
        sets = [{place for request in pick(mine, array=array, op=op)
                 for _, place in elements(request)}
                for array, op in (("in", "load"), ("out", "store"))]
        plane = min(sets[1])[0] // edge
        planes = [[place for place in places if place[0] // edge == plane]
                  for places in sets]
        row, column = min(planes[0])
        panels.append((variant, sets, [
            [(y - row, x - column) for y, x in places] for places in planes]))
    each = [len(sets[0]) / len(sets[1]) for _, sets, _ in panels]
    p = Picture(
        "shells", 540,
        f"A block of tiled loads {each[0]:.2f} points for each that it "
        f"computes, one of coarsened {each[1]:.2f}",
        "One plane of a block in two variants, at the same scale: the points "
        "that it loads, and inside of them those that it computes.")
    p.head("A larger tile has less shell")
    for x, (variant, sets, planes) in zip((0, 376), panels):
        p.panel(x, 62, variant, "one plane of a block")
        for places, fill in zip(planes, ("global", "math")):
            cells(p, x, 118, 10, places, fill)
        p.result(x, 450, 340, f"{len(sets[0]) / len(sets[1]):.2f} loads each",
                 x > 0)
    p.legend(0, 522, [("global", "only loaded"), ("math", "computed")])
    return p


def working_warps() -> Picture:
    """Who adds in each step of a tree, with either stride."""
    panels = []
    for variant, why in (("divergent", "stride doubles"),
                         ("convergent", "stride halves")):
        loads = pick(trace("reduction", f"--variant {variant} --n 2048",
                           requests=100), array="work", op="load")
        tree = [request for request in loads
                if request["line"] == loads[0]["line"]]
        step = {request["barriers"]: [0] * LANES for request in tree}
        for request in tree:
            step[request["barriers"]][request["warp"]] = len(request["lanes"])
        panels.append((variant, why, [step[i] for i in sorted(step)]))
    total = [sum(lanes > 0 for warps in steps for lanes in warps)
             for *_, steps in panels]
    row, top = 34, 118
    bottom = top + row * len(panels[0][2])
    p = Picture(
        "working_warps", bottom + 130,
        f"A tree of {len(panels[0][2])} steps: {total[0]} warps work if the "
        f"stride doubles, {total[1]} if it halves",
        f"Two panels, a row for each of {len(panels[0][2])} steps, a cell for "
        f"each of {LANES} warps, blue as far as its lanes work. Left, "
        "divergent: in the first steps all warps work, with fewer and fewer "
        "lanes. Right, convergent: full warps, half as many in each step.")
    p.head("Who adds in each step of the tree?")
    for x, (variant, why, steps), number in zip((40, 392), panels, total):
        p.panel(x, 62, variant, why)
        for i, warps in enumerate(steps):
            y = top + row * i
            for warp, lanes in enumerate(warps):
                part = (row - 6) * lanes / LANES
                p.box(x + 10 * warp, y, 8, row - 6, "wait" if lanes else "",
                      line=svg.THIN)
                if lanes:
                    p.box(x + 10 * warp, y + row - 6 - part, 8, part, "lane",
                          line=0)
            if x < 100:
                p.text(34, y + 14, str(i), anchor="end")
        p.result(x, bottom + 8, 320, f"{number} warps", x > 100)
    p.legend(0, bottom + 80, [("lane", "lanes that add"),
                              ("wait", "wait for their warp")])
    p.text(0, bottom + 112, "Rows are steps, columns are warps 0 to 31.")
    return p


PICTURES: Dict[str, List[Callable[[], Picture]]] = {
    "gemm_01_naive": [gemm_01_lanes],
    "gemm_02_coalesced": [gemm_02_lanes],
    "gemm_03_shared_tile": [distance, fetched_once],
    "gemm_04_thread_tile_1d": [gemm_04_tile],
    "gemm_05_thread_tile_2d": [gemm_05_tile],
    "gemm_06_vectorized": [four_floats],
    "gemm_07_bank_conflict": [gemm_07_banks, gemm_07_store],
    "gemm_08_double_buffer": [gemm_08_timeline],
    "gemm_09_autotune": [order],
    "gemm_10_warptile": [nesting],
    "gemm_11_async": [gemm_11_timeline],
    "gemm_12_stream_k": [busy],
    "bank_conflict_padding": [padding],
    "conv": [halo],
    "histogram": [conflicts],
    "reduction": [working_warps],
    "scan": [scan_rounds],
    "stencil": [shells],
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
