"""The pictures of the first program and the gemm chapters: a function each."""

import math
from typing import Dict, List, Tuple

import svg
from drawings import (buffers, cells, l1_banks, plan_until, runs,
                      stacked_banks, two_loads, two_tiles, two_timelines,
                      who_owns)
from svg import Picture
from tracing import (LANES, LINE, WORD, Place, Request, Worker, elements, extent,
                     pick, touched, trace)

import counts  # noqa: I100  from tools, which svg has made known
import course  # noqa: I100

SMALL = "--M 64 --N 64 --K 64"
SMS = 132  # of an H200
SERIES = "docs/results/series_h200.jsonl"


def there_and_back() -> Picture:
    """The two memories of vector_add, and what goes between them."""
    p = Picture(
        "there_and_back", 420,
        "Inputs are copied to the GPU, the kernel runs there, the result is "
        "copied back",
        "Left the memory of the CPU with a, b and c, right that of the GPU "
        "with d_a, d_b and d_c. Arrows lead from a to d_a, from b to d_b and "
        "from d_c back to c. Below the GPU's memory stand its threads, one for "
        "each sum.")
    p.head("Two machines, two memories")
    for x, wide, name, what in ((0, 220, "host", "the CPU"),
                                (380, 340, "device", "the GPU")):
        p.text(x, 62, name, svg.NAME, bold=True)
        p.text(x + 16 + svg.text_width(name, svg.NAME), 62, what)
        p.box(x, 84, wide, 168)
    for i, name in enumerate("abc"):
        y = 96 + 50 * i
        p.box(20, y, 180, 44, "global", name)
        p.box(400, y, 300, 44, "global", f"d_{name}")
        at = [(204, y + 22), (396, y + 22)]
        p.arrow(*(at if name != "c" else at[::-1]), svg.BOLD)
        p.text(300, y + 2, "copy", anchor="middle")
    for i in range(10):
        x = 400 + 30 * i
        p.path([(x + 15, 252), (x + 15, 295)])
        p.circle(x + 15, 308, 13, "lane")
    p.text(360, 308, "launch", anchor="end")
    p.text(550, 346, "a thread for each sum", anchor="middle")
    p.legend(0, 400, [("global", "array of a million floats"),
                      ("lane", "thread")])
    return p


def who_waits() -> Picture:
    """The CPU and the GPU over time."""
    p = Picture(
        "who_waits", 300,
        "A launch takes the CPU a moment, and only the next copy waits for the "
        "kernel",
        "Two bars over time. CPU: copy a, copy b, launch, wait, copy c. GPU: "
        "the kernel runs from the end of the launch to the end of the wait.")
    p.head("Who waits for whom?")
    x = 80.0
    for wide, fill, words in ((100, "global", "copy a"), (100, "global", "copy b"),
                              (96, "lane", "launch"), (220, "hatch", ""),
                              (100, "global", "copy c")):
        p.box(x, 62, wide, 56, fill, words)
        x += wide
    p.text(0, 90, "CPU")
    p.box(376, 142, 220, 56, "math", "kernel")
    p.text(0, 170, "GPU")
    p.arrow((80, 222), (696, 222))
    p.text(696, 246, "time", anchor="end")
    p.legend(0, 280, [("hatch", "waits for the kernel")])
    return p


def gemm_03_tile() -> Picture:
    """The tiles of gemm_03: copied once from global memory, read by many."""
    requests = [request for request in trace(
        "gemm_03_shared_tile", SMALL, requests=LANES) if request["barriers"] < 2]
    times: Dict[str, Dict[Tuple[str, Place], int]] = {"global": {}, "shared": {}}
    for request in pick(requests, op="load"):
        for _, place in elements(request):
            word, of = (request["array"], place), times[request["space"]]
            of[word] = of.get(word, 0) + 1
    once, = {*times["global"].values()}
    edge, = {*times["shared"].values()}
    assert once == 1 and len(times["shared"]) == 2 * edge**2
    p = Picture(
        "tile", 560,
        f"A block copies each word of its tiles once, and {edge} threads use "
        "it",
        f"Left, in global memory: a block of C needs a band of A and a band of "
        f"B; it copies one tile of each, {edge} x {edge} words. Right, in "
        f"shared memory: one word of As is read by the {edge} threads of a row "
        f"of the block, one word of Bs by the {edge} threads of a column; the "
        "thread where they cross multiplies the two. 8 of the rows and columns "
        "are drawn.")
    p.head(f"Copy each word once, use it {edge} times")
    p.panel(0, 62, "1  copy", "global", "memory")
    size, x, y = 92, 200, 290  # of a tile; where the block of C stands
    for i, (fill, name) in enumerate((("global", ""), ("", "next"))):
        p.box(x - 16 - (2 - i) * size, y, size, size, fill, name or "A")
        p.box(x, y - 16 - (2 - i) * size, size, size, fill, name or "B")
    p.box(x, y, size, size, "", "C")
    p.panel(376, 62, "2  share", "shared", "memory")
    row, col, k, cell = 5, 2, 3, 16
    side = 8 * cell
    a_x, b_x, b_y = 376, 560, y - 32 - side
    for left, top, name, who in ((a_x, y, "As", (row, k)),
                                 (b_x, b_y, "Bs", (k, col))):
        p.grid(left, top, cell, [["shared"] * 8] * 8)
        p.box(left + who[1] * cell, top + who[0] * cell, cell, cell, "global")
    p.text(a_x + side / 2, y - 16, "As", anchor="middle", bold=True)
    p.text(b_x - 12, b_y + side / 2, "Bs", anchor="end", bold=True)
    p.text(b_x + side + 10, y + side - 14, "C")
    p.grid(b_x, y, cell, [[
        "math" if (i, j) == (row, col) else
        "lane" if i == row or j == col else "" for j in range(8)]
        for i in range(8)])
    p.arrow((a_x + (k + 1) * cell + 3, y + (row + 0.5) * cell),
            (b_x - 3, y + (row + 0.5) * cell), svg.BOLD)
    p.arrow((b_x + (col + 0.5) * cell, b_y + (k + 1) * cell + 3),
            (b_x + (col + 0.5) * cell, y - 3), svg.BOLD)
    p.result(0, 440, 300, "copied once", True)
    p.result(376, 440, 340, f"read by {edge} threads", True)
    p.legend(0, 514, [("global", "a word"),
                      ("lane", "a thread that reads it")])
    p.legend(0, 544, [("math", "the thread that reads both words")])
    return p


def pipes() -> Picture:
    """How wide the ways between the memories are, and how full in gemm_03.

    A wavefront takes the first way for a cycle, however few bytes it carries.
    """
    chapter = "gemm_03_shared_tile"
    with open("docs/results/h200_caches.txt", encoding="utf-8") as file:
        busy_l1, _, from_l2, _, from_dram = next(
            line for line in file if line.startswith(chapter)).split()[3:]
    record = course.timed(chapter)[(4096,) * 3]
    ms, hertz = record["time_ms"]["median"], record["clocks_mhz"]["sm"] * 1e6
    copy = next(one for one in course.results("bank_conflict_padding")
                if one["limit"]["name"] == "dram")
    with open("docs/results/h200_l2.txt", encoding="utf-8") as file:
        middle = next(float(line.split()[1]) / 1000 for line in file
                      if line.startswith("load"))
    near = SMS * LINE * hertz / 1e12
    far = copy["gbytes_per_s"] / copy["limit"]["ratio"] / 1000
    ways = [(float(busy_l1) / 100 * near, near), (float(from_l2) / ms, middle),
            (float(from_dram) / ms, far)]  # TB/s that flow, and that may
    full = [round(100 * flow / wide) for flow, wide in ways]
    p = Picture(
        "pipes", 524,
        f"In gemm_03 the way from L1 and shared memory is {full[0]} % full, "
        f"those from L2 and DRAM {full[1]} and {full[2]} %",
        "From top to bottom the arithmetic of the SMs, L1 and shared memory, "
        "L2, DRAM, joined by pipes as wide as their bandwidth: "
        f"{near:.0f}, {middle:.1f} and {far:.1f} TB/s. The first is filled as "
        "far as it has a trip to make, whatever the trip carries; the others "
        "as far as bytes flow.")
    p.head("Which way is full? (gemm_03, 4096)")
    left, scale = 20, 680 / near
    for i, (name, fill) in enumerate((
            ("registers and arithmetic of 132 SMs", "math"),
            ("L1 and shared memory", "shared"), ("L2", "global"),
            ("DRAM", "global"))):
        y = 50 + 140 * i
        p.box(0, y, svg.WIDTH, 44, fill, name)
        if i:
            flow, wide = ways[i - 1]
            p.box(left, y - 96, scale * wide, 96)
            p.box(left, y - 96, scale * flow, 96, fill, line=svg.THIN)
            p.text(left + (24 if i == 1 else scale * wide + 16), y - 48,
                   f"{full[i - 1]} % of "
               + ("its cycles" if i == 1 else f"{wide:.2g} TB/s"), bold=True,
                   role="black" if i == 1 else "ink")
    return p


def four_floats() -> Picture:
    """One lane's way from a row of A to a column of As."""
    requests = trace("gemm_06_vectorized", "--M 128 --N 128 --K 16",
                     requests=1000)
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
    results = touched(pick(
        trace("gemm_10_warptile", "--M 128 --N 256 --K 8", requests=1000),
        array="C", op="store"))
    warp, mine = 5, 21
    own: Dict[int, List[Place]] = {}
    for (of, _), places in results.items():
        own.setdefault(of, []).extend(places)

    def pieces(places: List[Place]) -> List[Tuple[int, int, int, int]]:
        (row, high), = runs(row for row, _ in places)
        return [(row, col, high, wide)
                for col, wide in runs(col for _, col in places)]

    halves = pieces(own[warp])
    (row0, col0, high, wide), _ = halves
    (_, _, lane_high, lane_wide), _ = pieces(results[warp, mine])
    count = len(results[warp, mine])
    across, down = wide // lane_wide, high // lane_high
    p = Picture(
        "nesting", 672,
        f"A block computes 128 x 256 elements of C, a warp twice {high} x "
        f"{wide}, a lane twice {lane_high} x {lane_wide}",
        f"Three drawings, each an enlarged piece of the one before: the tile "
        f"of a block with {len(own)} warps, each in both halves; the two "
        f"pieces of warp {warp} with the {count} elements of lane {mine}; the "
        f"{LANES} lanes, {down} down and {across} across.")
    p.head("Who computes what: block, warp, lane")
    scale = 1.8
    p.panel(490, 76, "block", "128 x 256", f"{len(own)} warps,",
            "each twice")
    for w, places in own.items():
        for row, col, tall, broad in pieces(places):
            p.box(col * scale, 50 + row * scale, broad * scale, tall * scale,
                  "lane" if w == warp else "", f"{w}")
    s, y, gap = 4, 346, 20
    p.panel(0, y + high * s + 24, f"warp {warp}", f"2 x {high} x {wide}")
    for n, ((row, col, tall, broad), (at, begin, *_)) in enumerate(
            zip(halves, pieces(results[warp, mine]))):
        left = n * (wide * s + gap)
        p.box(left, y, broad * s, tall * s, "lane")
        p.box(left + (begin - col) * s, y + (at - row) * s, lane_wide * s,
              lane_high * s, "math", line=svg.THIN)
        for x_from, x_to in ((col, left), (col + broad, left + broad * s)):
            p.path([(x_from * scale, 50 + (row + tall) * scale), (x_to, y)],
                   svg.THIN)
    g, x = 42, 372
    p.panel(x, y + down * g + 24, f"{LANES} lanes of it",
            f"{lane_high} x {lane_wide} each, twice")
    for lane in range(LANES):
        row, col, *_ = pieces(results[warp, lane])[0]
        p.box(x + (col - col0) // lane_wide * g,
              y + (row - row0) // lane_high * g, g, g,
              "math" if lane == mine else "lane", f"{lane}", svg.THIN)
    right = 2 * wide * s + gap
    for at, to in ((y, y), (y + high * s, y + down * g)):
        p.path([(right, at), (x, to)], svg.THIN)
    return p


# ---- blocks -----------------------------------------------------------------


def gemm_09_words() -> Picture:
    """Two tiles of gemm_08 beside one of gemm_09, with what a k needs."""
    sizes = []
    for chapter, blocks in (("gemm_08_double_buffer", 2),
                            ("gemm_09_autotune", 1)):
        places = [place for at in touched(pick(
            trace(chapter, "--M 128 --N 256 --K 8", requests=1000),
            array="C", op="store")).values() for place in at]
        _, _, high, wide = extent(places)
        sizes.append((course.short(chapter), blocks, high, wide))
    words = [blocks * (high + wide) for _, blocks, high, wide in sizes]
    p = Picture(
        "words", 398,
        f"For one k two tiles of 128 x 128 need {words[0]} words, one of 128 x "
        f"256 needs {words[1]}",
        "What an SM has at work, twice: two tiles of gemm_08, each with a "
        "strip of A on its left and one of B above; one tile of gemm_09, as "
        "large as both, with one strip of A.")
    p.head("One large tile needs fewer words than two")
    scale, strip = 1.05, 14
    for x, (name, blocks, high, wide), number in zip((0, 376), sizes, words):
        p.panel(x, 62, name, f"{svg.count(blocks, 'block')} on an SM")
        for n in range(blocks):
            left, top = x + n * (wide * scale + 32) + 20, 144
            p.box(left, top, wide * scale, high * scale, "lane",
                  f"{high} x {wide}")
            p.box(left - 20, top, strip, high * scale, "shared",
                  line=svg.THIN)
            p.box(left, top - 20, wide * scale, strip, "shared",
                  line=svg.THIN)
        p.result(x, 296, 320, f"{number} words", x > 0)
    p.legend(0, 376, [("lane", "tile of C"),
                      ("shared", "words of A, of B for one k")])
    return p


def waves() -> Picture:
    """The rounds in which an H200 computes the tiles of two sizes."""
    edges = (4096, 4097)
    records = [course.timed("gemm_09_autotune")[(edge,) * 3] for edge in edges]
    tiles = [math.prod(record["launch"]["grid"]) for record in records]
    assert all(record["launch"]["blocks_per_sm"] == 1 for record in records)
    rounds = [[min(SMS, number - first) for first in range(0, number, SMS)]
              for number in tiles]
    bar, high = 340, 36
    bottom = 118 + (high + 14) * max(map(len, rounds))
    p = Picture(
        "waves", bottom + 132,
        f"{tiles[0]} tiles are {len(rounds[0])} waves of {SMS} SMs, "
        f"{tiles[1]} are {len(rounds[1])}",
        "Two panels, a bar for each wave, filled as far as SMs have a tile. "
        + " ".join(f"{edge}: " + ", ".join(map(str, wave)) + " tiles."
                   for edge, wave in zip(edges, rounds)))
    p.head("One row and column more: a wave more")
    for x, edge, record, number, wave in zip((0, 376), edges, records, tiles,
                                             rounds):
        p.panel(x, 62, f"{edge} x {edge}", f"{number} tiles")
        for i, busy_sms in enumerate(wave):
            y = 118 + (high + 14) * i
            p.box(x, y, bar, high)
            p.box(x, y, bar * busy_sms / SMS, high, "lane", f"{busy_sms}")
        p.result(x, bottom + 6, bar, f"{len(wave)} waves", x == 0)
        p.text(x + bar / 2, bottom + 74,
               f"{record['time_ms']['median']:.2f} ms, measured",
               anchor="middle")
    p.legend(0, bottom + 114, [("lane", "SMs with a tile"),
                               ("", "SMs with nothing to do")])
    return p


def ranges() -> Picture:
    """Which steps of which tile each of the first blocks of gemm_12 does."""
    args, blocks, deep = "--M 448 --N 320 --K 512", 8, 16
    work: Dict[Place, Dict[int, int]] = {}  # tile: step along K: block
    requests = trace("gemm_12_stream_k", args, blocks=blocks, warps=1,
                     requests=100)
    for block in range(blocks):
        corner: Dict[int, Dict[str, int]] = {}  # step along K: of A and B
        for array in "AB":
            for request in pick(requests, array=array, op="load",
                                block=[block, 0, 0]):
                row, column = elements(request)[0][1]
                k, edge = (column, row) if array == "A" else (row, column)
                corner.setdefault(k // deep, {}).setdefault(array, edge)
        for step, at in corner.items():
            work.setdefault((at["A"], at["B"]), {})[step] = block
    done = [[block for steps in work.values() for block in steps.values()
             ].count(block) for block in range(blocks - 1)]  # the last: in part
    assert max(done) - min(done) == 1
    tiles, mine = 4, 1
    left, high, scale = 96, 44, 19.5
    bottom = 64 + (high + 22) * tiles
    p = Picture(
        "ranges", bottom + 92,
        f"Each block has {min(done)} or {max(done)} steps: block {mine} the "
        "end of tile 0 and the beginning of tile 1",
        "A row for each of four tiles, 32 steps along K from left to right, "
        "cut into pieces: " + "; ".join(
            f"tile {i}, blocks " + ", ".join(
                str(block) for block in sorted({*steps.values()}))
            for i, steps in enumerate([*work.values()][:tiles])) + ".")
    p.head(f"{min(done)} or {max(done)} steps for every block")
    p.text(left, 62, "k = 0")
    p.text(left + scale * 32, 62, "512", anchor="end")
    for i, steps in enumerate([*work.values()][:tiles]):
        y = 84 + (high + 22) * i
        p.text(0, y + high / 2, f"tile {i}")
        for block in sorted({*steps.values()}):
            (first, number), = runs(step for step, of in steps.items()
                                    if of == block)
            p.box(left + scale * first, y, scale * number, high,
                  "math" if block == mine else "lane", f"{block}")
    p.legend(0, bottom + 68, [("math", f"block {mine}: in two tiles"),
                              ("lane", "the others")])
    return p


def hybrid() -> Picture:
    """4097 in whole rounds, and with what is left over shared."""
    number = -(-4097 // 128) * -(-4097 // 256)  # tiles of 128 x 256
    full, left = divmod(number, SMS)
    assert SMS % left == 0
    bar, high, gap = 340, 48, 6
    short = high * left / SMS  # of a round
    bottom = 118 + (high + gap) * (full + 1)
    p = Picture(
        "hybrid", bottom + 110,
        f"One block for each of {number} tiles takes {full + 1} rounds, "
        f"sharing the last {left} takes {full} and a quarter",
        f"Two panels, time from top to bottom, {SMS} SMs from left to right. "
        f"One block a tile: {full} full rounds, then {left} SMs with a tile. "
        f"gemm_12: a quarter of a round in which all SMs share {left} tiles, "
        f"then {full} full rounds.")
    p.head(f"4097 x 4097: {number} tiles for {SMS} SMs")
    p.panel(0, 62, "gemm_11", "a block for each tile")
    for i in range(full + 1):
        y = 118 + (high + gap) * i
        p.box(0, y, bar, high)
        p.box(0, y, bar if i < full else bar * left / SMS, high, "lane",
              f"{SMS if i < full else left}")
    p.panel(376, 62, "gemm_12", f"{left} tiles are shared")
    p.box(376, 118, bar, short, "math")
    for i in range(full):
        p.box(376, 118 + short + gap + (high + gap) * i, bar, high, "lane",
              f"{SMS}")
    p.result(0, bottom + 2, bar, f"{full + 1} rounds", False)
    p.result(376, bottom + 2, bar, f"{full + left / SMS:.2f} rounds", True)
    p.legend(0, bottom + 92, [("lane", "a tile each"),
                              ("math", "parts of tiles"),
                              ("", "nothing to do")])
    return p


# ---- gemm, chapter by chapter ------------------------------------------------


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


def gemm_02_turn() -> Picture:
    """A warp's piece of C, and what it loads in one step, before and after."""
    warp, k, size, edge = 5, 12, 4.6, 32
    p = Picture(
        "turn", 506,
        "The lanes of a warp stand in a column of C in gemm_01, in a row in "
        "gemm_02",
        f"Two panels with A at the left, B above and C at their corner, each "
        f"{edge} x {edge}. The elements of warp {warp} are a column of C in "
        f"gemm_01: at k = {k} it loads a column of A and a word of B. In "
        "gemm_02 they are a row: it loads a word of A and a row of B.")
    p.head("Turn the warp by a quarter")
    far, top = edge * size + 12, 118
    for x, name, chapter, shape in (
            (0, "gemm_01", "gemm_01_naive", (edge, 1)),
            (376, "gemm_02", "gemm_02_coalesced", (1, edge))):
        mine = pick(trace(chapter, f"--M {edge} --N {edge} --K {edge}",
                          requests=1000), warp=warp)
        done = [place for _, place in elements(
            pick(mine, array="C", op="store")[0])]
        assert extent(done)[2:] == shape
        p.panel(x, 62, name, "lanes down a column" if shape[0] > 1
                else "lanes along a row")
        for array, left, y in (("A", x, top + far), ("B", x + far, top),
                               ("C", x + far, top + far)):
            p.box(left, y, edge * size, edge * size)
            wanted = done if array == "C" else [place for _, place in elements(
                pick(mine, array=array, op="load")[k])]
            if len({*wanted}) > 1:
                cells(p, left, y, size, wanted,
                      "lane" if array == "C" else "global")
            else:  # one word is hard to see
                (row, column), = {*wanted}
                p.box(left + column * size - 2, y + row * size - 2, size + 4,
                      size + 4, "global")
            p.text(left + (edge * size / 2 if array != "B" else -12),
                   y + (edge * size / 2 if array == "B" else edge * size + 18),
                   array, anchor="end" if array == "B" else "middle")
    p.legend(0, 486, [("lane", f"results of warp {warp}"),
                      ("global", f"what it loads at k = {k}")])
    return p


def gemm_01_walk() -> Picture:
    """A lane's way through A and B, and where its result stands."""
    return who_owns("walk", "A row of A, a column of B, one result",
                    "gemm_01_naive", "--M 32 --N 32 --K 32", (5, 9), 7,
                    ("A", "B"))


def gemm_02_banks() -> Picture:
    """What three row pitches cost in L1."""
    a, b = ("gemm_01_naive", "A"), ("gemm_02_coalesced", "B")
    panels = [(f"pitch {pitch}", below, pick(
        trace(chapter, f"--M 32 --N 32 --K 4096 {more}"), array=array,
        op="load", warp=0)[0]) for pitch, below, (chapter, array), more in (
            (1, "a row of B", b, ""), (4096, "a column of A", a, ""),
            (4100, "a column of A", a, "--pad 4"))]
    assert [request["at"][1] // WORD for *_, request in panels] == [
        1, 4096, 4100]
    return l1_banks("banks", "The slower of two stages sets the pace",
                    "A warp's first load", panels)


def gemm_04_tile() -> Picture:
    """A result against a column of results."""
    return two_tiles("A word of B serves a whole column",
                     "gemm_03_shared_tile", "gemm_04_thread_tile_1d")


def gemm_05_tile() -> Picture:
    """A column against a square."""
    return two_tiles("Words are the edge, products the area",
                     "gemm_04_thread_tile_1d", "gemm_05_thread_tile_2d")


def cover() -> Picture:
    """One and two blocks of gemm_04 on an SM, over the time of a tile.

    How long a tile takes a block that is alone is measured: 128 blocks on 132
    SMs with two lengths of K. How long it has the path from L1 and shared
    memory to the registers is counted. What is left it waits, and that is drawn
    in one piece.
    """
    chapter = "gemm_04_thread_tile_1d"
    count = counts.read(chapter)[0].counts
    times = course.timed(chapter)
    short, long = times[512, 512, 512], times[512, 512, 8192]
    grid, block = short["launch"]["grid"], short["launch"]["block"]
    warps = block[0] * block[1] // LANES
    assert grid[0] * grid[1] <= SMS and long["launch"]["grid"] == grid
    tiles = count["barriers"].value / 2 / warps  # of all blocks, with K = 256
    depth = 256 * times[256, 256, 256]["launch"]["grid"][0] * (
        times[256, 256, 256]["launch"]["grid"][1]) / tiles
    load, put, multiply = (round(counts.expected(count[name]) / tiles)
                           for name in ("global_load_cycles",
                                        "shared_store_wavefronts",
                                        "shared_load_wavefronts"))
    alone = round((long["time_ms"]["median"] - short["time_ms"]["median"])
                  / 1000 / ((8192 - 512) / depth)
                  * long["clocks_mhz"]["sm"] * 1e6)
    steps = [("global", load), ("hatch", alone - load - put - multiply),
             ("shared", put), ("math", multiply)]
    full = round(100 * (load + put + multiply) / alone)
    p = Picture(
        "cover", 484,
        f"A block alone on an SM uses the path to its registers {full} % of "
        "the time; a second one fits into its waits",
        f"Two tiles over time. A block alone: {load} cycles of loads from "
        f"global memory, a wait, {put} of stores to shared memory, a barrier, "
        f"{multiply} of loads from shared memory while it multiplies, a "
        f"barrier; {alone} cycles for a tile. Below, two blocks, half a tile "
        "apart: each multiplies while the other waits.")
    p.head("Who works while a block waits?")
    left, high = 112, 46
    scale = (svg.WIDTH - left) / (2 * alone)
    for y, name, number in ((62, "one block on an SM", 1),
                            (196, "two blocks", 2)):
        p.panel(0, y, name)
        for i in range(number):
            top = y + 26 + (high + 10) * i
            p.text(0, top + high / 2, f"block {i}")
            at = left - scale * alone / 2 * i
            for fill, cycles in steps * 3:
                first, last = max(at, left), min(at + scale * cycles, svg.WIDTH)
                if first < last:
                    p.box(first, top, last - first, high, fill)
                at += scale * cycles
                if fill in ("shared", "math") and left < at < svg.WIDTH:
                    p.path([(at, top - 6), (at, top + high + 6)], svg.BOLD)
    p.result(0, 356, 340, f"path in use: {full} %", False)
    p.result(376, 356, 340, f"at best: {2 * full} %", True)
    p.legend(0, 434, [("global", "load"), ("hatch", "wait"),
                      ("shared", "store in a tile"), ("math", "multiply")])
    p.path([(14, 456), (14, 480)], svg.BOLD)
    p.text(34, 468, f"barrier; a tile takes a block alone {alone:,} cycles")
    return p


def results_of(chapter: str, mine: Worker) -> Tuple[List[Place], ...]:
    """Return what a thread of the first block has of C, and all its warp."""
    results = touched(pick(trace(chapter, "--M 128 --N 128 --K 16",
                                 requests=1000), array="C", op="store"))
    return results[mine], [place for (warp, _), places in results.items()
                           if warp == mine[0] for place in places]


def square_of_c(p: Picture, x: float, y: float, size: float, chapter: str,
                mine: Worker) -> List[Place]:
    """Draw a tile of C, in it a warp's elements and those of a lane.

    An element that stands alone is drawn larger than it is, to be seen.
    """
    lane_, warp = results_of(chapter, mine)
    p.box(x, y, 128 * size, 128 * size)
    _, column, _, columns = extent(warp)
    for at, high in runs(row for row, _ in warp):
        p.box(x + column * size, y + at * size, columns * size, high * size,
              "lane", line=0)
    if extent(lane_)[2:] == (8, 8):
        cells(p, x, y, size, lane_, "math")
    else:
        for row, column in lane_:
            p.box(x + (column + 0.5) * size - 4, y + (row + 0.5) * size - 4, 8,
                  8, "math", line=svg.THIN)
    return lane_


def gemm_05_owners() -> Picture:
    """The elements of a lane, and the words that it reads for one k."""
    mine, size, edge, top = (3, 21), 3, 20, 76
    p = Picture(
        "owners", 542,
        "A lane of gemm_05 has 8 x 8 elements of C, 16 rows and 16 columns "
        "apart",
        "A tile of C, 128 x 128. Warp 3 has 16 rows of it, two of every "
        "sixteen. Its lane 21 has every sixteenth column of one of the two. "
        "At the left the 8 words of As that this lane reads for one k, above "
        "the 8 of Bs.")
    p.head("The elements of a lane are 16 apart")
    done = square_of_c(p, edge, top, size, "gemm_05_thread_tile_2d", mine)
    rows, columns = ({place[i] for place in done} for i in (0, 1))
    for from_, to in zip(sorted(rows), sorted(rows)[1:]):
        assert to - from_ == 16 and len(rows) == len(columns) == 8
    for row in rows:
        p.box(0, top + size * row - 1, 12, size + 2, "shared", line=svg.THIN)
    for column in columns:
        p.box(edge + size * column - 1, top - 20, size + 2, 12, "shared",
              line=svg.THIN)
    x = edge + 128 * size + 24
    p.text(x, top - 14, "8 words of Bs")
    p.panel(x, top + 30, "block", "128 x 128", "8 warps")
    p.panel(x, top + 134, "warp 3", "2 of every 16 rows")
    p.panel(x, top + 208, "lane 21", "8 x 8 elements of C")
    p.text(0, top + 128 * size + 18, "8 words of As")
    p.legend(0, 522, [("lane", "warp 3"), ("math", "its lane 21"),
                      ("shared", "what that lane reads")])
    return p


def gemm_06_neighbours() -> Picture:
    """The elements of a lane, before and after."""
    mine, size, top = (3, 21), 2.5, 118
    p = Picture(
        "neighbours", 532,
        "The 64 elements of a lane stand apart in gemm_05, together in gemm_06",
        "Two tiles of C, 128 x 128. In gemm_05 the elements of lane 21 of warp "
        "3 stand 16 rows and 16 columns apart, in gemm_06 they are a square of "
        "8 x 8, enlarged below, and those of the warp 16 whole rows.")
    p.head("Four neighbours need one owner")
    for x, name, below, chapter in (
            (0, "gemm_05", "a lane: 16 apart", "gemm_05_thread_tile_2d"),
            (376, "gemm_06", "a lane: neighbours", "gemm_06_vectorized")):
        p.panel(x, 62, name, below)
        lane_ = square_of_c(p, x, top, size, chapter, mine)
        p.text(x + 64 * size, top + 128 * size + 18, "C", anchor="middle")
    row, column, rows, columns = extent(lane_)  # of gemm_06, to be enlarged
    cell, left, up = 11, x + 208, top + 182
    low, high = top + (row + rows) * size, top + row * size
    p.path([(x + column * size, low), (left, up + rows * cell)], svg.THIN)
    p.path([(x + (column + columns) * size, high), (left + columns * cell, up)],
           svg.THIN)
    p.grid(left, up, cell, [["math"] * columns] * rows)
    p.text(left + columns * cell, up + rows * cell + 18, "the lane, enlarged",
           anchor="end")
    p.legend(0, 512, [("lane", "warp 3"), ("math", "its lane 21")])
    return p


def gemm_06_requests() -> Picture:
    """How a warp brings its part of a tile of B."""
    size, deep, wide = 2.5, 10, 128
    panels = []
    for chapter in ("gemm_05_thread_tile_2d", "gemm_06_vectorized"):
        loads = pick(trace(chapter, "--M 128 --N 128 --K 16", requests=100),
                     array="B", op="load", warp=0)
        panels.append((course.short(chapter), loads))
    (before, many), (after, few) = panels
    p = Picture(
        "requests", 432,
        f"For its part of a tile of B a warp sends {len(many)} requests in "
        f"{before}, {len(few)} in {after}",
        "The tile of B, 16 x 128 words, twice; a box for each request of warp "
        "0. " + " ".join(
            f"{name}: {len(loads)} boxes of {LANES * loads[0]['bytes'] // WORD}"
            " words." for name, loads in panels))
    p.head("Four words a lane: a quarter of the requests")
    for x, (name, loads) in zip((0, 376), panels):
        each = loads[0]["bytes"]
        p.panel(x, 62, name, f"a lane loads {each} bytes")
        p.box(x, 118, wide * size, 16 * deep)
        for request in loads:
            row, column, rows, columns = extent(
                [place for _, place in elements(request)])
            assert rows * columns == LANES * each // WORD
            p.box(x + column * size, 118 + row * deep, columns * size,
                  rows * deep, "lane", line=svg.THIN)
        p.text(x, 300, "tile of B")
        p.result(x, 328, 320, svg.count(len(loads), "request"), x > 0)
    p.legend(0, 408, [("lane", "a request of warp 0")])
    return p


def gemm_07_banks(name: str, head: str, array: str, op: str, what: str,
                  below: Tuple[str, str], desc: str) -> Picture:
    """What the first warp first does with an array in shared memory."""
    panels = []
    for chapter, line in zip(("gemm_06_vectorized", "gemm_07_bank_conflict"),
                             below):
        request = pick(trace(chapter, "--M 128 --N 128 --K 16"), array=array,
                       op=op, warp=0)[0]
        short = course.short(chapter)
        panels.append((short, line, f"in {short}", request))
    return stacked_banks(name, head, what, desc, panels)


def gemm_07_groups() -> Picture:
    """Which columns a warp's first load of B takes, and which a lane has."""
    mine, wide, scale, high = 5, 128, 5.6, 52
    p = Picture(
        "groups", 390,
        f"In gemm_06 lane {mine} has 8 neighbouring columns, in gemm_07 two "
        "groups of 4, half a tile apart",
        f"Two strips, a row of the tile of B with {wide} words each. gemm_06: "
        "the first load of a warp takes every second four words. gemm_07: it "
        "takes all of the left half.")
    p.head("Two groups of columns")
    for i, (chapter, what) in enumerate((
            ("gemm_06_vectorized", "8 columns in a row"),
            ("gemm_07_bank_conflict", "4 columns, and 4 more half a tile on"))):
        first, second = (elements(load) for load in pick(
            trace(chapter, "--M 128 --N 128 --K 16", requests=100),
            array="Bs", op="load", warp=0)[:2])
        y = 118 + 142 * i
        p.panel(0, y - 56, course.short(chapter), what)
        p.box(0, y, wide * scale, high)
        for lane in range(LANES // 2):  # the other half has the same columns
            (start, _), = runs(column for of, (_, column) in first
                               if of == lane)
            p.box(start * scale, y, 4 * scale, high,
                  "math" if lane == mine else "lane", line=svg.THIN)
        (start, _), = runs(column for of, (_, column) in second if of == mine)
        p.box(start * scale, y, 4 * scale, high, "math", line=svg.THIN)
    p.legend(0, 368, [("lane", "first load of a warp"),
                      ("math", f"columns of lane {mine}")])
    return p


def gemm_07_load() -> Picture:
    """The load of B, before and after."""
    return gemm_07_banks(
        "load_of_b", "Half of the banks were idle", "Bs", "load",
        "A warp's load of B", ("columns 8 apart", "columns 4 apart"),
        "16 bytes a lane are four banks wide. gemm_06: in each layer half of "
        "the banks are idle. gemm_07: all are busy.")


def gemm_07_store() -> Picture:
    """The store of A, before and after."""
    return gemm_07_banks(
        "store_of_a", "Padding sends row k + 4 to other banks", "As",
        "store", "A warp's store of A", ("rows of 128", "rows of 132"),
        "gemm_06: half of the banks, each twice. gemm_07: each bank once.")


def gemm_08_buffers() -> Picture:
    """Where tiles are put, and from where they are read."""
    return buffers(
        "buffers", "A second buffer saves a barrier",
        "gemm_07 puts tile 1 where tile 0 was, gemm_08 beside it",
        "--M 128 --N 128 --K 48", 1,
        [("gemm_07_bank_conflict", "two barriers a tile"),
         ("gemm_08_double_buffer", "one barrier a tile")], deep=16)


# Of 1024 FFMA in the loop of gemm_08, those before its loads from global memory
# and before its first store, as nvcc 13.0 orders them (tests/machine_code.py).
LOADS_AFTER, PUT_AFTER = 784, 983


def gemm_08_timeline() -> Picture:
    """A warp's time for two tiles, as Nsight Compute measures its waits."""
    rungs = []
    for chapter, start, put in (("gemm_07_bank_conflict", 0, 0),
                                ("gemm_08_double_buffer", LOADS_AFTER / 1024,
                                 PUT_AFTER / 1024)):
        record = next(one for one in course.read_lines(SERIES)
                      if one["chapter"] == chapter)
        stalls = record["stalls"]
        instructions = sum(record["loop"].values())  # of one tile
        assert record["loop"]["FFMA"] == 1024
        tile, far, barrier = (instructions * cycles for cycles in (
            sum(stalls.values()), stalls["long scoreboard"], stalls["barrier"]))
        rungs.append((course.short(chapter), record["loop"]["BAR"], start, put,
                      tile, far, barrier))
    p = Picture(
        "timeline", 470,
        "A warp of gemm_07 loads, waits and computes, one of gemm_08 computes "
        "while the next tiles travel",
        "Two timelines of a warp over two tiles on one scale. gemm_07: wait "
        "for the loads, put, wait, compute, wait. gemm_08: compute, with the "
        "next tiles travelling in the last fifth; put; wait. It ends first.")
    p.head("Two tiles, in the time that they take")
    left, high = 76, 52
    scale = (svg.WIDTH - left) / (2 * max(rung[4] for rung in rungs))
    for i, (name, barriers, start, put, tile, far, barrier) in enumerate(rungs):
        y = 62 + 178 * i
        p.panel(0, y, name, "loads, then computes" if not start
                else "loads while it computes")
        p.text(0, y + 66, "loads")
        p.text(0, y + 110, "warp")
        at: float = left
        work = scale * (tile - far - barrier)
        wait = scale * barrier / barriers
        for number in range(2):
            sent = at + start * work
            stored = at + put * work + scale * far
            p.box(sent, y + 56, stored - sent, 22, "global", line=svg.THIN)
            p.box(stored - scale * far, y + 84, scale * far, high, "hatch",
                  line=svg.THIN)
            pieces = [(at, put * work), (stored + wait * (barriers - 1),
                                         (1 - put) * work)]
            if barriers > 1:
                p.box(stored, y + 84, wait, high, "hatch", line=svg.THIN)
            for x, wide in pieces:
                if wide:
                    p.box(x, y + 84, wide, high, "math", f"tile {number}"
                          if wide > work / 2 else "")
            p.box(stored - 4, y + 84, 8, high, "shared")
            at = pieces[1][0] + pieces[1][1]
            p.box(at, y + 84, wait, high, "hatch", line=svg.THIN)
            at += wait
    p.legend(0, 418, [("global", "tiles travel"), ("shared", "put"),
                      ("hatch", "waits")])
    p.legend(0, 452, [("math", "computes, or other warps have their turn")])
    return p


def gemm_11_path() -> Picture:
    """A tile's path, with and without registers."""
    p = Picture(
        "path", 296,
        "In gemm_10 a tile goes through registers, in gemm_11 straight into "
        "shared memory",
        "Two rows of boxes. gemm_10: an arrow from global memory to registers, "
        "one from there to shared memory. gemm_11: one arrow from global to "
        "shared memory, past the registers.")
    p.head("A tile's path")
    high, wide = 64, 168
    for y, name, what in ((62, "gemm_10", "load, come back, store"),
                          (196, "gemm_11", "copy")):
        p.text(0, y, name, svg.NAME, bold=True)
        p.text(160, y, what)
        for x, fill, words in ((0, "global", "global"),
                               (276, "math", "registers"),
                               (552, "shared", "shared")):
            if fill != "math" or name == "gemm_10":
                p.box(x, y + 28, wide, high, fill, words)
        middle = y + 28 + high / 2
        stops = [(wide + 4, 272), (wide + 280, 548)]
        if name == "gemm_11":
            stops = [(wide + 4, 548)]
        for start, end in stops:
            p.arrow((start, middle), (end, middle), svg.BOLD)
    return p


def gemm_11_ring() -> Picture:
    """The ring of three buffers, over the steps of k."""
    last, per_k, left, before = 3, 6, 118, 3  # 6 loads of fragments for each k
    plan = plan_until("gemm_11_async", "--M 128 --N 256 --K 64", last)
    place = {step.tile: step.place for step in plan if step.kind == "put"}
    rows = sorted({*place.values()})
    begin: Dict[int, float] = {}
    awaited: Dict[int, float] = {}
    end: Dict[int, float] = {}
    now = 0.0  # k
    for step in plan:
        if step.kind == "load":
            begin[step.tile] = now if now else -before
        elif step.kind == "put":
            awaited[step.tile] = now
        elif step.kind == "read":
            now += step.number / per_k
            end[step.tile] = now
    lead = {awaited[t] - begin[t] for t in range(2, last + 1)}
    scale = (svg.WIDTH - left) / (before + now)
    high = 56
    p = Picture(
        "ring", 404,
        "Tiles 0, 1 and 2 have a buffer each, and tile 3 is copied into that "
        "of tile 0 while tile 1 is multiplied",
        "Three rows over time, one for each buffer in shared memory. A tile is "
        "copied into its buffer, and multiplied after a wait and a barrier. "
        + " ".join(f"Tile {t}: buffer {rows.index(place[t])}." for t in end)
        + f" From tile 2 on a copy has {lead.pop():g} steps of k.")
    assert not lead
    p.head("Three buffers take turns")

    def at(k: float) -> float:
        return left + scale * (before + k)

    for i in range(len(rows)):
        y = 84 + (high + 14) * i
        p.text(0, y + high / 2, f"buffer {i}")
        p.path([(left, y + high), (svg.WIDTH, y + high)], svg.THIN)
    for tile, stop in end.items():
        y = 84 + (high + 14) * rows.index(place[tile])
        start, arrived = at(begin[tile]), at(awaited[tile])
        p.box(start, y + high / 2, arrived - start, high / 2, "good")
        p.box(arrived, y, at(stop) - arrived, high, "math", f"tile {tile}")
    for tile, k in awaited.items():
        p.path([(at(k), 56), (at(k), 84 + (high + 14) * len(rows) - 6)], 3)
    p.legend(0, 322, [("good", "is being copied"),
                      ("math", "is multiplied")])
    p.path([(14, 346), (14, 374)], 3)
    p.text(34, 360, "all threads wait for their copies, then the barrier")
    return p


# Of 1024 FFMA in a loop, those before its last request to global memory, and
# before what needs it: gemm_10's first store, gemm_11's wait. nvcc 13.0 orders
# them so (tests/machine_code.py).
GEMM_10_AT, GEMM_11_AT = (889, 721), (348, 877)


def gemm_11_timeline() -> Picture:
    """A warp's time for three tiles, as Nsight Compute measures its waits."""
    dram, tiles, left, high = 690, 3, 130, 46
    rungs = []
    for chapter, places in (("gemm_10_warptile", GEMM_10_AT),
                            ("gemm_11_async", GEMM_11_AT)):
        record = next(one for one in course.read_lines(
            "docs/results/series_h200.jsonl") if one["chapter"] == chapter)
        stalls, loop = record["stalls"], record["loop"]
        assert loop["FFMA"] == 1024
        tile, wait = (sum(loop.values()) * cycles for cycles in (
            sum(stalls.values()), stalls["long scoreboard"]
            + stalls["barrier"]))
        rungs.append((course.short(chapter), tile, wait,
                      *(place / 1024 for place in places)))
    p = Picture(
        "timeline", 526,
        "Both ask for a tile long before they need it; gemm_10 must put it, "
        "gemm_11 only waits",
        "Timelines of a warp over three tiles on one scale. Bars above lead "
        "from the request for a tile to where it is needed: they are nearly as "
        "long as a tile in gemm_10, and end with a mark where the warp puts "
        "it; in gemm_11 one and a half times as long as a tile. Waits are "
        "slivers between the tiles.")
    p.head("A warp's time for three tiles (4096)")
    scale = (svg.WIDTH - left) / (tiles * max(rung[1] for rung in rungs))
    for i, (name, tile, wait, sent, needed) in enumerate(rungs):
        y = 62 + 186 * i
        p.panel(0, y, name, f"{round(tile, -1):,.0f} cycles a tile, "
                f"{round(wait, -1):,.0f} of them waits")
        p.text(0, y + 74, "next tiles")
        p.text(0, y + 126, "warp")
        for number in range(-1, tiles):
            start = max(left, left + scale * tile * (number + sent))
            stop = min(svg.WIDTH, left + scale * tile * (number + 1 + needed))
            p.box(start, y + 52 + 23 * (number % 2), stop - start, 20, "good",
                  line=svg.THIN)
        for number in range(tiles):
            x = left + scale * tile * number
            p.box(x, y + 103, scale * (tile - wait), high, "math",
                  f"tile {number}")
            p.box(x + scale * (tile - wait), y + 103, scale * wait, high,
                  "hatch", line=svg.THIN)
            if name == "gemm_10":
                p.box(x + scale * tile * needed - 4, y + 103, 8, high,
                      "shared")
    p.legend(0, 436, [("good", "from request to need"), ("shared", "put")])
    p.legend(0, 470, [("math", "computes"), ("hatch", "waits")])
    p.box(1, 494, scale * dram, 20, "global")
    p.text(scale * dram + 14, 504, f"a load from DRAM: {dram} cycles")
    return p


def gemm_10_hole() -> Picture:
    """What a warp does around a barrier, with words ahead and without."""
    args, slot, left, high = "--M 128 --N 256 --K 16", 100, 118, 38
    p = Picture(
        "hole", 546, "After a barrier gemm_09 has nothing to multiply",
        "Time from left to right, twice; above the words that a warp loads, "
        "below those that it multiplies. gemm_09: after the barrier it loads "
        "k = 0 and multiplies nothing. gemm_10: it loads k = 0 and multiplies "
        "k = 7 meanwhile.")
    p.head("After a barrier there is a hole")
    for y, chapter, what in (
            (62, "gemm_09_autotune", "loads run ahead inside a tile only"),
            (290, "gemm_10_warptile", "loads run ahead across the barrier")):
        loads = pick(trace(chapter, args, requests=1000, warps=1, array="Bs"),
                     op="load", warp=0)
        ahead = len(loads) // 2 - 16  # of 16 k; two loads of Bs for each
        assert ahead == (chapter == "gemm_10_warptile")
        p.panel(0, y, course.short(chapter), what)
        top = y + 66
        p.text(0, top + 27, "load")
        p.text(0, top + high + 35, "multiply")
        for row, words in enumerate(
                (["k 7", "k 0", "k 1", "k 2", "k 3"],
                 ["k 6", "k 7", "k 0", "k 1", "k 2"]) if ahead else
                (["k 7", "", "k 0", "k 1", "k 2"],
                 ["k 6", "k 7", "", "k 0", "k 1"])):
            for i, word in enumerate(words):
                if word or row:
                    p.box(left + 20 * (i > 1 - ahead) + slot * i,
                          top + (high + 8) * row, slot, high,
                          ("math" if row else "shared") if word else "hatch",
                          word)
        at = left + slot * (2 - ahead) + 10
        p.path([(at, top - 12), (at, top + 2 * high + 20)], svg.BOLD)
        p.text(at, top + 2 * high + 42, "barrier", anchor="middle")
    p.legend(0, 530, [("hatch", "waits for its first words; not to scale")])
    return p
