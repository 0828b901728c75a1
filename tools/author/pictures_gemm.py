"""The pictures of the first program and the gemm chapters: a function each."""

import math
from typing import Dict, List, Tuple

import svg
from drawings import (Bar, block, cells, grid, lanes_to_lines, matrix,
                      rectangles, runs, squares, stack, timeline)
from svg import TOP, Picture, picture
from tracing import (LANES, LINE, WORD, Place, Request, Worker, elements,
                     elements_of, extent, pick, plan_until, touched, trace,
                     wavefronts_of)

import counts  # noqa: I100  from tools, which svg has made known
import course  # noqa: I100

SMS = 132  # of an H200
SERIES = "docs/results/series_h200.jsonl"
SIZES = "--M {} --N {} --K {}"
TILE = SIZES.format(128, 128, 16)  # a block of gemm_04 to gemm_08, and a tile
WIDE = SIZES.format(128, 256, 8)  # the same from gemm_09 on


def owned(chapter: str, args: str = TILE) -> Dict[Worker, List[Place]]:
    """Return what each thread of the first block has of C."""
    return touched(pick(trace(chapter, args, requests=1000), array="C",
                        op="store"))


def by_warp(owners: Dict[Worker, List[Place]]) -> Dict[int, List[Place]]:
    """Return what each warp has."""
    warps: Dict[int, List[Place]] = {}
    for (warp, _), places in owners.items():
        warps.setdefault(warp, []).extend(places)
    return dict(sorted(warps.items()))


def loads(chapter: str, array: str, args: str = TILE,
          op: str = "load") -> List[Request]:
    """Return what the first warp loads of an array."""
    return pick(trace(chapter, args, requests=1000), array=array, op=op, warp=0)


def series(chapter: str) -> dict:
    """Return what Nsight Compute has read of a rung."""
    return next(one for one in course.read_lines(SERIES)
                if one["chapter"] == chapter)


# ---- vector_add -------------------------------------------------------------


@picture("vector_add", "there_and_back", "Two machines, two memories")
def there_and_back(p: Picture) -> str:
    """Left the memory of the CPU with a, b and c, right that of the GPU with
    d_a, d_b and d_c. Arrows lead from a to d_a, from b to d_b and from d_c back
    to c. Below the GPU's memory stand its threads, one for each sum."""
    for x, wide, name, what in ((0, 220, "host", "the CPU"),
                                (380, 340, "device", "the GPU")):
        p.text(x, 62, name, svg.NAME, bold=True)
        p.text(x + 16 + svg.text_width(name, svg.NAME), 62, what)
        p.box(x, 84, wide, 168)
    for i, name in enumerate("abc"):
        y = 96 + 50 * i
        p.box(20, y, 180, 44, "global", name)
        p.box(400, y, 300, 44, "global", f"d_{name}")
        ends = [(204, y + 22), (396, y + 22)]
        p.arrow(*(ends if name != "c" else ends[::-1]), svg.BOLD)
        p.middle(300, y + 2, "copy")
    for x in range(415, 715, 30):
        p.path([(x, 252), (x, 295)])
        p.circle(x, 308, 13, "lane")
    p.text(360, 308, "launch", anchor="end")
    p.middle(550, 346, "a thread for each sum")
    p.legend(("global", "array of a million floats"), ("lane", "thread"))
    return ("Inputs are copied to the GPU, the kernel runs there, the result "
            "is copied back")


@picture("vector_add", "who_waits", "Who waits for whom?")
def who_waits(p: Picture) -> str:
    """Two bars over time. CPU: copy a, copy b, launch, wait, copy c. GPU: the
    kernel runs from the end of the launch to the end of the wait."""
    timeline(p, 62, "CPU", [
        (0, 100, "global", "copy a"), (100, 100, "global", "copy b"),
        (200, 96, "lane", "launch"), (296, 220, "hatch", ""),
        (516, 100, "global", "copy c")], 1, 80, 56)
    timeline(p, 142, "GPU", [(296, 220, "math", "kernel")], 1, 80, 56)
    p.arrow((80, 222), (696, 222))
    p.text(696, 246, "time", anchor="end")
    p.legend(("hatch", "waits for the kernel"))
    return ("A launch takes the CPU a moment, and only the next copy waits for "
            "the kernel")


# ---- gemm_01 to gemm_03: from global to shared memory -----------------------


@picture("gemm_01_naive", "walk", "A row of A, a column of B, one result")
def walk(p: Picture) -> str:
    """A block's 32 x 32 elements of C, a column for each warp; that of warp 5
    is coloured, and in it the result of its lane 9. At the left A, with the
    row that this lane reads, above C stands B, with the column that it reads.
    """
    chapter, args, mine = "gemm_01_naive", SIZES.format(32, 32, 32), (5, 9)
    a, b = (touched(pick(trace(chapter, args, requests=1000), array=array,
                         op="load"))[mine] for array in "AB")
    owners = owned(chapter, args)
    warps = by_warp(owners)
    assert extent(a)[2:] == (1, 32) and extent(b)[2:] == (32, 1)
    size, edge, top = 7, 232, 288
    matrix(p, 0, top, size, (32, 32), {"global": a})
    matrix(p, edge, 56, size, (32, 32), {"global": b})
    matrix(p, edge, top, size, (32, 32), {})
    for places in warps.values():
        cells(p, edge, top, size, places, "")
    cells(p, edge, top, size, warps[mine[0]], "lane")
    (row, column), = owners[mine]
    p.circle(edge + (column + 0.5) * size, top + (row + 0.5) * size, 8, "math")
    p.text(edge - 14, 168, "B", anchor="end")
    p.text(0, top + 242, "A")
    p.middle(edge + 112, top + 242, "C")
    for y, words in ((216, ("block", "32 x 32", f"{len(warps)} warps")),
                     (320, (f"warp {mine[0]}", "32 x 1")),
                     (394, (f"lane {mine[1]}", "1 x 1")),
                     (468, ("it reads", "1 row of A", "1 column of B"))):
        p.panel(edge + 248, y, *words)
    p.legend(("lane", f"warp {mine[0]}"), ("math", f"its lane {mine[1]}"),
             ("global", "what that lane reads"))
    return ("A lane of gemm_01 computes 1 result from 1 row of A and 1 column "
            "of B")


@picture("gemm_01_naive", "lanes", "Lanes go down a column of A")
def lanes(p: Picture) -> str:
    """Two panels, lanes on the left, lines of memory of 32 words in sectors of
    8 on the right. A[row][k]: each lane wants a word of another line.
    B[k][col]: all lanes want the same word."""
    a, b = (loads("gemm_01_naive", array, SIZES.format(64, 64, 64))[0]
            for array in "AB")
    for x, request in zip(p.panels(("A[row][k]", "32 lanes, 32 rows"),
                                   ("B[k][col]", "all want one word")), (a, b)):
        lanes_to_lines(p, x, request)
    p.results(*(svg.count(one["sectors"], "sector") for one in (a, b)))
    y = p.bottom + 24
    for x, one in zip(p.panel_x, (a, b)):
        p.middle(x + 172, y, f"{one['sectors'] * 8} words moved,")
        p.middle(x + 172, y + 28, f"{len(set(one['at']))} wanted")
    p.legend(("lane", "lane"), ("global", "word wanted"),
             ("hatch", "moved in vain"), ("", "not moved"))
    return (f"A warp's load moves {a['sectors']} sectors of A, and "
            f"{b['sectors']} of B")


@picture("gemm_02_coalesced", "turn", "Turn the warp by a quarter")
def turn(p: Picture) -> str:
    """Two panels with A at the left, B above and C at their corner, each 32 x
    32. The elements of warp 5 are a column of C in gemm_01: for one k it loads
    a column of A and a word of B. In gemm_02 they are a row: it loads a word of
    A and a row of B."""
    warp, k, size, edge, far = 5, 12, 4.6, 32, 159
    for x, chapter, shape in zip(
            p.panels(("gemm_01", "lanes down a column"),
                     ("gemm_02", "lanes along a row")),
            ("gemm_01_naive", "gemm_02_coalesced"), ((edge, 1), (1, edge))):
        mine = pick(trace(chapter, SIZES.format(edge, edge, edge),
                          requests=1000), warp=warp)
        done = elements_of(mine, array="C", op="store")
        assert extent(done)[2:] == shape
        for array, left, y in (("A", x, TOP + far), ("B", x + far, TOP)):
            matrix(p, left, y, size, (edge, edge), {"global": elements_of(
                [pick(mine, array=array, op="load")[k]])})
        matrix(p, x + far, TOP + far, size, (edge, edge), {"lane": done})
        p.text(x + far - 12, TOP + 73, "B", anchor="end")
        for left, array in ((x, "A"), (x + far, "C")):
            p.middle(left + 73, TOP + far + 165, array)
    p.legend(("lane", f"results of warp {warp}"),
             ("global", f"what it loads at k = {k}"))
    return ("The lanes of a warp stand in a column of C in gemm_01, in a row "
            "in gemm_02")


@picture("gemm_02_coalesced", "banks", "The slower of two stages sets the pace")
def l1_banks(p: Picture) -> str:
    """Three panels: above, stacks of lines over the 4 tag banks of the L1;
    below, stacks of words over its 32 data banks. Pitch 1: 1 high and 1 high.
    4096: 8 and 32 high. 4100: 8 and 4 high."""
    requests = [loads(chapter, array, SIZES.format(32, 32, 4096) + more)[0]
                for chapter, array, more in (
                    ("gemm_02_coalesced", "B", ""), ("gemm_01_naive", "A", ""),
                    ("gemm_01_naive", "A", " --pad 4"))]
    pitches = [one["at"][1] // WORD for one in requests]
    high, tag, bank, tags_at, data_at, costs = 9, 22, 6.75, 224, 574, []
    for x, one in zip(p.panels(*((f"pitch {pitch}", below) for pitch, below in
                                 zip(pitches, ("a row of B", "a column of A",
                                               "a column of A")))), requests):
        lines = len({at // LINE for at in one["at"]})
        tags, data = one["tag_wavefronts"], one["data_wavefronts"]
        assert lines in (1, 4 * tags)  # so that all banks have as many
        words = [at // WORD % LANES for at in {*one["at"]}]
        assert max(map(words.count, words)) == data
        assert one["cycles"] == max(tags, data)
        more = tags > data  # lines need not share out evenly among tag banks
        stack(p, x, tags_at, tag, 4, high, [
            [(i, 1, turn > 0, "") for i in range(min(lines, 4))]
            for turn in range(tags)])
        stack(p, x, data_at, bank, LANES, high, [
            [(i, 1, turn > 0, "") for i in range(LANES)
             if words.count(i) > turn] for turn in range(data)])
        p.path([(x, tags_at), (x + 4 * tag, tags_at)], svg.BOLD)
        p.path([(x, data_at), (x + LANES * bank, data_at)], svg.BOLD)
        right = x + 4 * tag + 12
        p.text(right, tags_at - 44 - 30 * more, svg.count(lines, "line") + ":")
        p.text(right, tags_at - 14 - 30 * more, svg.count(tags, "cycle"),
               bold=tags >= data)
        if more:
            p.text(right, tags_at - 14, "or more", bold=True)
        p.text(x, tags_at + 20, "4 tag banks")
        p.text(x + 40 * (data > tags), data_at - 22 - high * min(data, 4)
               - 100 * (data > tags), f"data: {svg.count(data, 'cycle')}",
               bold=data >= tags)
        p.text(x, data_at + 20, "32 data banks")
        costs.append(f"{tags} or more" if more
                     else svg.count(max(tags, data), "cycle"))
    p.results(*costs, good=(True, False, False))
    p.legend(("lane", "in the first cycle"),
             ("stripes", "waits for a later one"))
    return "A warp's first load takes " + ", ".join(
        ("at least " + cost.replace("or more", "cycles") if "more" in cost
         else cost) + f" at pitch {pitch}"
        for cost, pitch in zip(costs, pitches))


@picture("gemm_03_shared_tile", "tile")
def shared_tile(p: Picture) -> str:
    """Left, in global memory: a block of C needs a band of A and a band of B;
    it copies one tile of each, 32 x 32 words. Right, in shared memory: one word
    of As is read by the 32 threads of a row of the block, one word of Bs by the
    32 threads of a column; the thread where they cross multiplies the two. 8 of
    the rows and columns are drawn."""
    requests = [request for request in trace(
        "gemm_03_shared_tile", SIZES.format(64, 64, 64), requests=LANES)
        if request["barriers"] < 2]
    times: Dict[str, Dict[Tuple[str, Place], int]] = {
        "global": {}, "shared": {}}
    for request in pick(requests, op="load"):
        for _, place in elements(request):
            word, of = (request["array"], place), times[request["space"]]
            of[word] = of.get(word, 0) + 1
    once, = {*times["global"].values()}
    edge, = {*times["shared"].values()}
    assert once == 1 and len(times["shared"]) == 2 * edge**2
    p.head(f"Copy each word once, use it {edge} times")
    p.panels(("1  copy", "global", "memory"), ("2  share", "shared", "memory"))
    size, x, y = 92, 200, 290  # of a tile; where the block of C stands
    for i, (fill, name) in enumerate((("global", ""), ("", "next"))):
        p.box(x - 16 - (2 - i) * size, y, size, size, fill, name or "A")
        p.box(x, y - 16 - (2 - i) * size, size, size, fill, name or "B")
    p.box(x, y, size, size, "", "C")
    row, col, k, cell = 5, 2, 3, 16
    side = 8 * cell
    a_x, b_x, b_y = 376, 560, y - 32 - side
    for left, top, word in ((a_x, y, (row, k)), (b_x, b_y, (k, col))):
        grid(p, left, top, cell, (8, 8), {
            at: "global" if at == word else "shared" for at in block(8, 8)})
    grid(p, b_x, y, cell, (8, 8), {
        (i, j): "math" if (i, j) == (row, col) else "lane"
        for i, j in block(8, 8) if i == row or j == col})
    p.middle(a_x + side / 2, y - 16, "As", bold=True)
    p.text(b_x - 12, b_y + side / 2, "Bs", anchor="end", bold=True)
    p.text(b_x + side + 10, y + side - 14, "C")
    p.arrow((a_x + (k + 1) * cell + 3, y + (row + 0.5) * cell),
            (b_x - 3, y + (row + 0.5) * cell), svg.BOLD)
    p.arrow((b_x + (col + 0.5) * cell, b_y + (k + 1) * cell + 3),
            (b_x + (col + 0.5) * cell, y - 3), svg.BOLD)
    p.results("copied once", f"read by {edge} threads", good=(True, True))
    p.legend(("global", "a word"), ("lane", "a thread that reads it"))
    p.legend(("math", "the thread that reads both words"))
    return ("A block copies each word of its tiles once, and "
            f"{edge} threads use it")


@picture("gemm_03_shared_tile", "pipes", "Which way is full? (gemm_03, 4096)")
def pipes(p: Picture) -> str:
    """From top to bottom the arithmetic of the SMs, L1 and shared memory, L2,
    DRAM, joined by pipes as wide as their bandwidth. The first is filled as far
    as it has a trip to make, whatever the trip carries; the others as far as
    bytes flow."""
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
                   + ("its cycles" if i == 1 else f"{wide:.2g} TB/s"),
                   bold=True, role="black" if i == 1 else "ink")
    return (f"In gemm_03 the way from L1 and shared memory is {full[0]} % "
            f"full, those from L2 and DRAM {full[1]} and {full[2]} %")


# ---- gemm_04 to gemm_07: the tile of a thread -------------------------------


def thread_tile(p: Picture, *chapters: str) -> str:
    """Two panels. The results of a thread are squares; the words of A that it
    needs for one k stand along their left edge, those of B along the upper
    edge."""
    tiles = []  # rows, columns, words of A and of B for the first k
    for chapter in chapters:
        rows, columns = (len({place[i] for request in loads(
            chapter, "C", op="store") for place in [
                divmod(request["at"][0], request["pitch"])]}) for i in (0, 1))
        a, b = (loads(chapter, array) for array in ("As", "Bs"))
        tiles.append((
            rows, columns,
            len({one["at"][0] for one in a
                 if one["at"][0] % one["pitch"] == 0}),
            len({one["at"][0] for one in b if one["at"][0] < one["pitch"]})))
    names = [course.short(chapter) for chapter in chapters]
    needs = [f"{svg.count(a + b, 'word')} for "
             f"{svg.count(rows * columns, 'product')}"
             for rows, columns, a, b in tiles]
    size = 28
    for x, (rows, columns, a, b) in zip(p.panels(*(
            (name, f"a thread: {rows} x {columns}")
            for name, (rows, columns, *_) in zip(names, tiles))), tiles):
        left, below = x + 46 + size, TOP + 6 + size
        squares(p, x + 40, below, size, block(a, 1), "shared")
        squares(p, left, TOP, size, block(1, b), "shared")
        squares(p, left, below, size, block(rows, columns), "math")
    y = p.bottom + 34
    for x, need in zip(p.panel_x, needs):
        p.middle(x + 172, y, need)
    p.results(*(f"{(a + b) / (rows * columns):.5g} words each"
                for rows, columns, a, b in tiles))
    p.legend(("shared", "word from shared memory"), ("math", "product"))
    return (f"For one k a thread needs {needs[0]} in {names[0]}, {needs[1]} in "
            f"{names[1]}")


@picture("gemm_04_thread_tile_1d", "thread_tile",
         "A word of B serves a whole column")
def column(p: Picture) -> str:
    return thread_tile(p, "gemm_03_shared_tile", "gemm_04_thread_tile_1d")


@picture("gemm_05_thread_tile_2d", "thread_tile",
         "Words are the edge, products the area")
def square(p: Picture) -> str:
    return thread_tile(p, "gemm_04_thread_tile_1d", "gemm_05_thread_tile_2d")


column.__doc__ = square.__doc__ = thread_tile.__doc__


@picture("gemm_04_thread_tile_1d", "cover", "Who works while a block waits?")
def cover(p: Picture) -> str:
    """Two tiles over time. A block alone: loads from global memory, a wait,
    stores to shared memory, a barrier, loads from shared memory while it
    multiplies, a barrier. Below, two blocks, half a tile apart: each multiplies
    while the other waits."""
    # How long a tile takes a block that is alone is measured: 128 blocks on 132
    # SMs with two lengths of K. How long it has the path from L1 and shared
    # memory to the registers is counted. What is left it waits, and that is
    # drawn in one piece.
    chapter = "gemm_04_thread_tile_1d"
    count = counts.read(chapter)[0].counts
    times = course.timed(chapter)
    small, short, long = (times[size] for size in (
        (256,) * 3, (512,) * 3, (512, 512, 8192)))
    blocks, few = (math.prod(one["launch"]["grid"]) for one in (short, small))
    warps = math.prod(short["launch"]["block"]) // LANES
    assert blocks <= SMS and long["launch"]["grid"] == short["launch"]["grid"]
    tiles = count["barriers"].value / 2 / warps  # of all blocks, with K = 256
    depth = 256 * few / tiles
    load, put, multiply = (round(counts.expected(count[name]) / tiles)
                           for name in ("global_load_cycles",
                                        "shared_store_wavefronts",
                                        "shared_load_wavefronts"))
    alone = round((long["time_ms"]["median"] - short["time_ms"]["median"])
                  / 1000 / ((8192 - 512) / depth)
                  * long["clocks_mhz"]["sm"] * 1e6)
    full = round(100 * (load + put + multiply) / alone)
    tile = [("global", load), ("hatch", alone - load - put - multiply),
            ("shared", put), ("math", multiply)]
    for i, (y, name) in enumerate(((88, "block 0"), (222, "block 0"),
                                   (278, "block 1"))):
        at, bars, marks = -alone / 2 * (i == 2), [], []
        for fill, cycles in tile * 3:
            bars.append((at, cycles, fill, ""))
            at += cycles
            marks += [at] * (fill in ("shared", "math"))
        timeline(p, y, name, bars, (svg.WIDTH - 112) / (2 * alone), 112, 46,
                 marks)
    p.panel(0, 62, "one block on an SM")
    p.panel(0, 196, "two blocks")
    p.panel_x, p.panel_wide = [0, 376], 344
    p.results(f"path in use: {full} %", f"at best: {2 * full} %")
    p.legend(("global", "load"), ("hatch", "wait"),
             ("shared", "store in a tile"), ("math", "multiply"))
    p.legend(("bar", f"barrier; a tile takes a block alone {alone:,} cycles"))
    return (f"A block alone on an SM uses the path to its registers {full} % "
            "of the time; a second one fits into its waits")


def tile_of_c(p: Picture, x: float, y: float, size: float, chapter: str,
              mine: Worker) -> List[Place]:
    """Draw a tile of C, in it a warp's elements and those of a lane."""
    owners = owned(chapter)
    matrix(p, x, y, size, (128, 128), {"lane": by_warp(owners)[mine[0]],
                                       "math": owners[mine]})
    return owners[mine]


@picture("gemm_05_thread_tile_2d", "owners",
         "The elements of a lane are 16 apart")
def owners_of_c(p: Picture) -> str:
    """A tile of C, 128 x 128. Warp 3 has 16 rows of it, two of every sixteen.
    Its lane 21 has every sixteenth column of one of the two. At the left the 8
    words of As that this lane reads for one k, above the 8 of Bs."""
    size, edge, top = 3, 20, 76
    done = tile_of_c(p, edge, top, size, "gemm_05_thread_tile_2d", (3, 21))
    rows, columns = (sorted({place[i] for place in done}) for i in (0, 1))
    assert rows == list(range(rows[0], 128, 16)) and len(columns) == 8
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
    p.legend(("lane", "warp 3"), ("math", "its lane 21"),
             ("shared", "what that lane reads"))
    return ("A lane of gemm_05 has 8 x 8 elements of C, 16 rows and 16 columns "
            "apart")


@picture("gemm_06_vectorized", "requests",
         "Four words a lane: a quarter of the requests")
def requests_for_b(p: Picture) -> str:
    """The tile of B, 16 x 128 words, twice; a box for each request of warp 0:
    gemm_05 has 8 of 32 words, gemm_06 2 of 128."""
    chapters = ("gemm_05_thread_tile_2d", "gemm_06_vectorized")
    sent = [loads(chapter, "B") for chapter in chapters]
    size, deep = 2.5, 10
    for x, mine in zip(p.panels(*(
            (course.short(chapter), f"a lane loads {mine[0]['bytes']} bytes")
            for chapter, mine in zip(chapters, sent))), sent):
        p.box(x, TOP, 128 * size, 16 * deep)
        for request in mine:
            row, column, rows, columns = extent(elements_of([request]))
            assert rows * columns == LANES * request["bytes"] // WORD
            p.box(x + column * size, TOP + row * deep, columns * size,
                  rows * deep, "lane", line=svg.THIN)
        p.text(x, 300, "tile of B")
    p.results(*(svg.count(len(mine), "request") for mine in sent))
    p.legend(("lane", "a request of warp 0"))
    return (f"For its part of a tile of B a warp sends {len(sent[0])} requests "
            f"in gemm_05, {len(sent[1])} in gemm_06")


@picture("gemm_06_vectorized", "neighbours", "Four neighbours need one owner")
def neighbours(p: Picture) -> str:
    """Two tiles of C, 128 x 128. In gemm_05 the elements of lane 21 of warp 3
    stand 16 rows and 16 columns apart, in gemm_06 they are a square of 8 x 8,
    enlarged below, and those of the warp 16 whole rows."""
    size, cell = 2.5, 11
    for x, chapter in zip(p.panels(("gemm_05", "a lane: 16 apart"),
                                   ("gemm_06", "a lane: neighbours")),
                          ("gemm_05_thread_tile_2d", "gemm_06_vectorized")):
        mine = tile_of_c(p, x, TOP, size, chapter, (3, 21))
        p.middle(x + 64 * size, TOP + 128 * size + 18, "C")
    row, column, rows, columns = extent(mine)  # of gemm_06, to be enlarged
    left, up = x + 208, TOP + 182
    for (a, b), (c, d) in (((row + rows, column), (rows, 0)),
                           ((row, column + columns), (0, columns))):
        p.path([(x + b * size, TOP + a * size),
                (left + d * cell, up + c * cell)], svg.THIN)
    squares(p, left, up, cell, block(rows, columns), "math")
    p.text(left + columns * cell, up + rows * cell + 18, "the lane, enlarged",
           anchor="end")
    p.legend(("lane", "warp 3"), ("math", "its lane 21"))
    return ("The 64 elements of a lane stand apart in gemm_05, together in "
            "gemm_06")


@picture("gemm_06_vectorized", "four_floats",
         "A row of A becomes a column of As")
def four_floats(p: Picture) -> str:
    """Left, 8 rows of A: lane 5 has four neighbours of a row. In the middle its
    four registers. Right, As: the four stand in one column, in four rows."""
    mine, size, x = 5, 22, 530
    load = loads("gemm_06_vectorized", "A")[0]
    come, go = ([place for request in requests for lane, place
                 in elements(request) if lane == mine] for requests in (
        [load], loads("gemm_06_vectorized", "As", op="store")[:4]))
    assert go == [(k, row) for row, k in come] and load["bytes"] == 16
    grid(p, 0, TOP, size, (8, 16), dict.fromkeys(come, "global"))
    grid(p, x, TOP, size, (16, 8), dict.fromkeys(go, "shared"))
    p.panel(0, 62, f"A, lane {mine}", "1 load of 16 bytes")
    p.panel(x, 62, "As", "4 stores")
    p.middle(412, 95, "registers")
    y = TOP + size * (come[0][0] + 0.5)
    p.arrow((size * (come[-1][1] + 1), y), (390, y))
    for i, (row, column) in enumerate(go):
        p.box(392, TOP + 40 * i, 40, 40, "math", f"{i}")
        y, at = TOP + 40 * i + 20, TOP + size * (row + 0.5)
        p.path([(432, y), (480, y), (500, at), (x + size * column, at)])
    p.text(0, 330, "k goes right")
    p.text(x - 14, 460, "k goes down", anchor="end")
    p.legend(("global", "in A"), ("math", "in registers"),
             ("shared", "in shared memory"))
    return (f"Lane {mine} loads four neighbours of a row of A at once and "
            "stores them one below the other")


@picture("gemm_07_bank_conflict", "groups", "Two groups of columns")
def groups(p: Picture) -> str:
    """Two strips, a row of the tile of B with 128 words each. gemm_06: the
    first load of a warp takes every second four words. gemm_07: it takes all of
    the left half."""
    mine, scale, high = 5, 5.6, 52
    for i, (chapter, what) in enumerate((
            ("gemm_06_vectorized", "8 columns in a row"),
            ("gemm_07_bank_conflict", "4 columns, and 4 more half a tile on"))):
        first, second = (elements(load) for load in loads(chapter, "Bs")[:2])
        y = TOP + 142 * i
        p.panel(0, y - 56, course.short(chapter), what)
        p.box(0, y, 128 * scale, high)
        for load, of in [*((first, lane) for lane in range(LANES // 2)),
                         (second, mine)]:  # the other half has the same columns
            column = min(place[1] for lane, place in load if lane == of)
            p.box(column * scale, y, 4 * scale, high,
                  "math" if of == mine else "lane", line=svg.THIN)
    p.legend(("lane", "first load of a warp"),
             ("math", f"columns of lane {mine}"))
    return (f"In gemm_06 lane {mine} has 8 neighbouring columns, in gemm_07 "
            "two groups of 4, half a tile apart")


def conflicts(p: Picture, array: str, op: str, what: str, *below: str) -> str:
    """Draw what the first warp first does with an array in shared memory."""
    requests = [loads(chapter, array, op=op)[0] for chapter in (
        "gemm_06_vectorized", "gemm_07_bank_conflict")]
    wide = requests[0]["bytes"] // WORD
    bank, high = 10, 32 if wide == 4 else 16
    base = TOP + high * max(one["wavefronts"] for one in requests)
    for x, request in zip(p.panels(*zip(("gemm_06", "gemm_07"), below)),
                          requests):
        layers, before = [], -1
        for wave in wavefronts_of(request):
            layers.append([(word % LANES, wide, group == before,
                            str(lane) * (wide == 4))
                           for lane, word, group in wave])
            before = wave[0][2]
        p.box(x, base - high * len(layers), bank * LANES, high * len(layers),
              line=svg.THIN)
        stack(p, x, base, bank, LANES, high, layers)
        p.path([(x, base), (x + bank * LANES, base)], svg.BOLD)
        p.text(x, base + 20, "bank 0")
        p.text(x + bank * LANES, base + 20, "31", anchor="end")
    before, after = (one["wavefronts"] for one in requests)
    p.results(*(svg.count(number, "wavefront") for number in (before, after)))
    p.legend(("lane", "lane"), ("stripes", "has to wait: conflict"))
    return (f"{what} takes {svg.count(before, 'wavefront')} in gemm_06, "
            f"{after} in gemm_07")


@picture("gemm_07_bank_conflict", "load_of_b", "Half of the banks were idle")
def load_of_b(p: Picture) -> str:
    """Stacks over the 32 banks of shared memory, a layer for each wavefront. 16
    bytes a lane are four banks wide. gemm_06: in each layer half of the banks
    are idle. gemm_07: all are busy."""
    return conflicts(p, "Bs", "load", "A warp's load of B", "columns 8 apart",
                     "columns 4 apart")


@picture("gemm_07_bank_conflict", "store_of_a",
         "Padding sends row k + 4 to other banks")
def store_of_a(p: Picture) -> str:
    """Stacks over the 32 banks of shared memory, a layer for each wavefront.
    gemm_06: half of the banks, each twice. gemm_07: each bank once."""
    return conflicts(p, "As", "store", "A warp's store of A", "rows of 128",
                     "rows of 132")


# ---- gemm_08 to gemm_12: tiles over time ------------------------------------


@picture("gemm_08_double_buffer", "buffers", "A second buffer saves a barrier")
def buffers(p: Picture) -> str:
    """Time lines of one warp, a row for each buffer in shared memory. gemm_07:
    1 buffer. gemm_08: 2 buffers."""
    chapters = ("gemm_07_bank_conflict", "gemm_08_double_buffer")
    plans = [plan_until(chapter, SIZES.format(128, 128, 48), 1, 16)
             for chapter in chapters]
    left, y = 130, 66
    scale = (svg.WIDTH - left) / max(sum(
        step.number for step in plan if step.kind != "load") for plan in plans)
    for chapter, what, plan in zip(chapters, ("two barriers a tile",
                                              "one barrier a tile"), plans):
        p.panel(0, y, course.short(chapter), what)
        places = sorted({step.place for step in plan if step.kind == "put"})
        home = {step.tile: places.index(step.place) for step in plan
                if step.kind == "put"}
        rows: List[List[Bar]] = [[] for _ in places]
        at, marks = 0, []
        for kind, tile, number, _ in plan:
            if kind == "barrier":
                marks.append(at)
            elif kind != "load":  # they have no width here
                rows[home[tile]].append((at, number, "shared" if kind == "put"
                                         else "math", str(tile)))
                at += number
        for i, bars in enumerate(rows):
            timeline(p, y + 54 + 58 * i, f"buffer {i}", bars, scale, left, 46,
                     marks)
        y += 80 + 58 * len(rows)
    p.legend(("shared", "a tile is put there"), ("math", "it is read"))
    p.legend(("bar", "barrier; the numbers are those of the tiles"))
    return "gemm_07 puts tile 1 where tile 0 was, gemm_08 beside it"


# Of 1024 FFMA in the loop of gemm_08, those before its loads from global memory
# and before its first store, as nvcc 13.0 orders them (tests/machine_code.py).
LOADS_AFTER, PUT_AFTER = 784, 983


@picture("gemm_08_double_buffer", "timeline",
         "Two tiles, in the time that they take")
def waits(p: Picture) -> str:
    """Two time lines of a warp over two tiles on one scale. gemm_07: wait for
    the loads, put, wait, compute, wait. gemm_08: compute, with the next tiles
    travelling in the last fifth; put; wait. It ends first."""
    left, scale = 76.0, 0.0
    for y, chapter, what, start, put in (
            (62, "gemm_07_bank_conflict", "loads, then computes", 0.0, 0.0),
            (240, "gemm_08_double_buffer", "loads while it computes",
             LOADS_AFTER / 1024, PUT_AFTER / 1024)):
        record = series(chapter)
        stalls, loop = record["stalls"], record["loop"]
        assert loop["FFMA"] == 1024
        tile, far, barrier = (sum(loop.values()) * cycles for cycles in (
            sum(stalls.values()), stalls["long scoreboard"], stalls["barrier"]))
        scale = scale or (svg.WIDTH - left) / (2 * tile)  # of the slower one
        work, wait, at = tile - far - barrier, barrier / loop["BAR"], 0.0
        travel: List[Bar] = []
        bars: List[Bar] = []
        for number in range(2):
            arrived = at + put * work + far
            stored = arrived + wait * (loop["BAR"] - 1)  # by all warps
            end = stored + (1 - put) * work
            travel.append((at + start * work, arrived - at - start * work,
                           "global", ""))
            bars += [(at, put * work, "math", f"tile {number}"),
                     (arrived - far, far, "hatch", ""),
                     (arrived, stored - arrived, "hatch", ""),
                     (stored, (1 - put) * work, "math", f"tile {number}"),
                     (end, wait, "hatch", ""),
                     (arrived - 4 / scale, 8 / scale, "shared", "")]
            at = end + wait
        p.panel(0, y, course.short(chapter), what)
        timeline(p, y + 55, "loads", travel, scale, left, 22)
        timeline(p, y + 84, "warp", bars, scale, left, 52)
    p.legend(("global", "tiles travel"), ("shared", "put"), ("hatch", "waits"))
    p.legend(("math", "computes, or other warps have their turn"))
    return ("A warp of gemm_07 loads, waits and computes, one of gemm_08 "
            "computes while the next tiles travel")


@picture("gemm_09_autotune", "words",
         "One large tile needs fewer words than two")
def words_for_one_k(p: Picture) -> str:
    """What an SM has at work, twice: two tiles of gemm_08, each with a strip of
    A on its left and one of B above; one tile of gemm_09, as large as both,
    with one strip of A."""
    sizes = [(blocks, *extent(place for places in owned(chapter, WIDE).values()
                              for place in places)[2:])
             for chapter, blocks in (("gemm_08_double_buffer", 2),
                                     ("gemm_09_autotune", 1))]
    words = [blocks * (high + wide) for blocks, high, wide in sizes]
    for x, (blocks, high, wide) in zip(p.panels(*(
            (name, f"{svg.count(blocks, 'block')} on an SM") for name,
            (blocks, *_) in zip(("gemm_08", "gemm_09"), sizes))), sizes):
        for left in [x + 20 + n * (wide * 1.05 + 32) for n in range(blocks)]:
            p.box(left, 144, wide * 1.05, high * 1.05, "lane",
                  f"{high} x {wide}")
            p.box(left - 20, 144, 14, high * 1.05, "shared", line=svg.THIN)
            p.box(left, 124, wide * 1.05, 14, "shared", line=svg.THIN)
    p.results(*(f"{number} words" for number in words))
    p.legend(("lane", "tile of C"), ("shared", "words of A, of B for one k"))
    return (f"For one k two tiles of 128 x 128 need {words[0]} words, one of "
            f"128 x 256 needs {words[1]}")


@picture("gemm_09_autotune", "waves", "One row and column more: a wave more")
def waves(p: Picture) -> str:
    """Two panels, a bar for each wave, filled as far as SMs have a tile. 4096:
    three waves of 132 tiles, one of 116. 4097: four waves of 132, one of 33."""
    edges = (4096, 4097)
    records = [course.timed("gemm_09_autotune")[(edge,) * 3] for edge in edges]
    tiles = [math.prod(record["launch"]["grid"]) for record in records]
    assert all(record["launch"]["blocks_per_sm"] == 1 for record in records)
    rounds = [[min(SMS, number - first) for first in range(0, number, SMS)]
              for number in tiles]
    for x, busy in zip(p.panels(*((f"{edge} x {edge}", f"{number} tiles")
                                  for edge, number in zip(edges, tiles))),
                       rounds):
        for i, sms in enumerate(busy):
            timeline(p, TOP + 50 * i, "", [(0, SMS, "", ""), (
                0, sms, "lane", f"{sms}")], 340 / SMS, x, 36)
    p.results(*(f"{len(busy)} waves" for busy in rounds), good=(True, False))
    y = p.bottom + 20
    for x, record in zip(p.panel_x, records):
        p.middle(x + 172, y, f"{record['time_ms']['median']:.2f} ms, measured")
    p.legend(("lane", "SMs with a tile"), ("", "SMs with nothing to do"))
    return (f"{tiles[0]} tiles are {len(rounds[0])} waves of {SMS} SMs, "
            f"{tiles[1]} are {len(rounds[1])}")


@picture("gemm_10_warptile", "nesting", "Who computes what: block, warp, lane")
def nesting(p: Picture) -> str:
    """Three drawings, each an enlarged piece of the one before: the tile of a
    block with 8 warps, each in both halves; the two pieces of warp 5 with the
    elements of lane 21; the 32 lanes, 4 down and 8 across."""
    warp, mine, scale, s, y, g, x = 5, 21, 1.8, 4, 346, 42, 372
    results = owned("gemm_10_warptile", WIDE)
    warps = by_warp(results)
    halves = rectangles(warps[warp])
    of_lane = rectangles(results[warp, mine])
    (row0, col0, high, wide), _ = halves
    *_, lane_high, lane_wide = of_lane[0]
    p.panel(490, 76, "block", "128 x 256", f"{len(warps)} warps,", "each twice")
    for w, places in warps.items():
        for row, col, tall, broad in rectangles(places):
            p.box(col * scale, 50 + row * scale, broad * scale, tall * scale,
                  "lane" if w == warp else "", f"{w}")
    p.panel(0, y + high * s + 24, f"warp {warp}", f"2 x {high} x {wide}")
    for n, ((row, col, *_), (at, begin, *_)) in enumerate(zip(halves, of_lane)):
        left = n * (wide * s + 20)
        p.box(left, y, wide * s, high * s, "lane")
        p.box(left + (begin - col) * s, y + (at - row) * s, lane_wide * s,
              lane_high * s, "math", line=svg.THIN)
        for more in (0, wide):
            p.path([((col + more) * scale, 50 + (row + high) * scale),
                    (left + more * s, y)], svg.THIN)
    for lane in range(LANES):
        row, col, *_ = rectangles(results[warp, lane])[0]
        squares(p, x, y, g, [at := ((row - row0) // lane_high,
                                    (col - col0) // lane_wide)],
                "math" if lane == mine else "lane", {at: f"{lane}"})
    down = high // lane_high
    p.panel(x, y + down * g + 24, f"{LANES} lanes of it",
            f"{lane_high} x {lane_wide} each, twice")
    for at, to in ((y, y), (y + high * s, y + down * g)):
        p.path([(2 * wide * s + 20, at), (x, to)], svg.THIN)
    return (f"A block computes 128 x 256 elements of C, a warp twice {high} x "
            f"{wide}, a lane twice {lane_high} x {lane_wide}")


@picture("gemm_10_warptile", "hole", "After a barrier there is a hole")
def hole(p: Picture) -> str:
    """Time from left to right, twice; above the words that a warp loads, below
    those that it multiplies. gemm_09: after the barrier it loads k = 0 and
    multiplies nothing. gemm_10: it loads k = 0 and multiplies k = 7 meanwhile.
    """
    for y, chapter, what, load, multiply in (
            (62, "gemm_09_autotune", "loads run ahead inside a tile only",
             "7 012", "67 01"),
            (280, "gemm_10_warptile", "loads run ahead across the barrier",
             "70123", "67012")):
        mine = loads(chapter, "Bs", SIZES.format(128, 256, 16))
        ahead = len(mine) // 2 - 16  # of 16 k; two loads of Bs for each
        assert ahead == (chapter == "gemm_10_warptile")
        p.panel(0, y, course.short(chapter), what)
        gap = 2 - ahead  # steps before the barrier
        for i, (label, fill, steps) in enumerate((
                ("load", "shared", load), ("multiply", "math", multiply))):
            bars: List[Bar] = [
                (slot + 0.2 * (slot >= gap), 1, fill, f"k {k}")
                for slot, k in enumerate(steps) if k != " "]
            if i and not ahead:
                bars.append((2.2, 1, "hatch", ""))
            timeline(p, y + 64 + 50 * i, label, bars, 100, 118, 38, [gap + 0.1])
        p.middle(118 + 100 * (gap + 0.1), y + 172, "barrier")
    p.legend(("hatch", "waits for its first words; not to scale"))
    return "After a barrier gemm_09 has nothing to multiply"


@picture("gemm_11_async", "path", "A tile's path")
def path(p: Picture) -> str:
    """Two rows of boxes. gemm_10: an arrow from global memory to registers, one
    from there to shared memory. gemm_11: one arrow from global to shared
    memory, past the registers."""
    for y, name, what, stops in (
            (62, "gemm_10", "load, come back, store", (0, 276, 552)),
            (196, "gemm_11", "copy", (0, 552))):
        p.text(0, y, name, svg.NAME, bold=True)
        p.text(160, y, what)
        for x in stops:
            p.box(x, y + 28, 168, 64, *{
                0: ("global",) * 2, 276: ("math", "registers"),
                552: ("shared",) * 2}[x])
        for start, end in zip(stops, stops[1:]):
            p.arrow((start + 172, y + 60), (end - 4, y + 60), svg.BOLD)
    return ("In gemm_10 a tile goes through registers, in gemm_11 straight "
            "into shared memory")


@picture("gemm_11_async", "ring", "Three buffers take turns")
def ring(p: Picture) -> str:
    """Three rows over time, one for each buffer in shared memory. A tile is
    copied into its buffer, and multiplied after a wait and a barrier. Tiles 0,
    1 and 2 have a buffer each, tile 3 has that of tile 0."""
    last, per_k, left, before = 3, 6, 118, 3  # 6 loads of fragments for each k
    plan = plan_until("gemm_11_async", SIZES.format(128, 256, 64), last)
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
    for i, at in enumerate(rows):
        bars = [bar for tile in end if place[tile] == at for bar in (
            (before + begin[tile], awaited[tile] - begin[tile], "good", ""),
            (before + awaited[tile], end[tile] - awaited[tile], "math",
             f"tile {tile}"))]
        timeline(p, 62 + 68 * i, f"buffer {i}", bars,
                 (svg.WIDTH - left) / (before + now), left, 56,
                 [before + k for k in awaited.values()])
    p.legend(("good", "is being copied"), ("math", "is multiplied"))
    p.legend(("bar", "all threads wait for their copies, then the barrier"))
    return ("Tiles 0, 1 and 2 have a buffer each, and tile 3 is copied into "
            "that of tile 0 while tile 1 is multiplied")


# Of 1024 FFMA in a loop, those before its last request to global memory, and
# before what needs it: gemm_10's first store, gemm_11's wait. nvcc 13.0 orders
# them so (tests/machine_code.py).
GEMM_10_AT, GEMM_11_AT = (889, 721), (348, 877)


@picture("gemm_11_async", "timeline", "A warp's time for three tiles (4096)")
def request_to_need(p: Picture) -> str:
    """Time lines of a warp over three tiles on one scale. Bars above lead from
    the request for a tile to where it is needed: they are nearly as long as a
    tile in gemm_10, and end with a mark where the warp puts it; in gemm_11 one
    and a half times as long as a tile. Waits are slivers between the tiles."""
    dram, tiles, left, scale = 690, 3, 130.0, 0.0
    for y, chapter, sent, needed in (
            (62, "gemm_10_warptile", *GEMM_10_AT),
            (248, "gemm_11_async", *GEMM_11_AT)):
        record = series(chapter)
        stalls, loop = record["stalls"], record["loop"]
        assert loop["FFMA"] == 1024
        tile, wait = (sum(loop.values()) * cycles for cycles in (
            sum(stalls.values()),
            stalls["long scoreboard"] + stalls["barrier"]))
        scale = scale or (svg.WIDTH - left) / (tiles * tile)  # of the slower
        p.panel(0, y, course.short(chapter), f"{round(tile, -1):,.0f} cycles a "
                f"tile, {round(wait, -1):,.0f} of them waits")
        for i, label in enumerate(("next tiles", "")):
            timeline(p, y + 75 - 23 * i, label, [
                (tile * (n + sent / 1024), tile * (1024 + needed - sent) / 1024,
                 "good", "") for n in range(i - 1, tiles, 2)], scale, left, 20)
        bars = [bar for n in range(tiles) for bar in (
            (tile * n, tile - wait, "math", f"tile {n}"),
            (tile * (n + 1) - wait, wait, "hatch", ""),
            (tile * (n + needed / 1024) - 4 / scale, 8 / scale, "shared", ""))]
        timeline(p, y + 103, "warp", [
            bar for bar in bars if bar[2] != "shared" or sent == GEMM_10_AT[0]],
            scale, left, 46)
    p.legend(("good", "from request to need"), ("shared", "put"))
    p.legend(("math", "computes"), ("hatch", "waits"))
    timeline(p, p.bottom + 12, "", [(0, dram, "global", "")], scale, 1, 20)
    p.text(scale * dram + 14, p.bottom - 10, f"a load from DRAM: {dram} cycles")
    return ("Both ask for a tile long before they need it; gemm_10 must put "
            "it, gemm_11 only waits")


@picture("gemm_12_stream_k", "ranges")
def ranges(p: Picture) -> str:
    """A row for each of four tiles, 32 steps along K from left to right, cut
    into pieces: tile 0, blocks 0 and 1; tile 1, blocks 1, 2 and 3; tile 2,
    blocks 3, 4 and 5; tile 3, blocks 5, 6 and 7."""
    blocks, deep, tiles, mine, left, scale = 8, 16, 4, 1, 96, 19.5
    work: Dict[Place, Dict[int, int]] = {}  # tile: step along K: block
    requests = trace("gemm_12_stream_k", SIZES.format(448, 320, 512),
                     blocks=blocks, warps=1, requests=100)
    for number in range(blocks):
        corner: Dict[int, Dict[str, int]] = {}  # step along K: of A and B
        for array in "AB":
            for request in pick(requests, array=array, op="load",
                                block=[number, 0, 0]):
                row, column = elements(request)[0][1]
                k, edge = (column, row) if array == "A" else (row, column)
                corner.setdefault(k // deep, {}).setdefault(array, edge)
        for step, at in corner.items():
            work.setdefault((at["A"], at["B"]), {})[step] = number
    done = [[number for steps in work.values() for number in steps.values()
             ].count(one) for one in range(blocks - 1)]  # the last: in part
    assert max(done) - min(done) == 1
    p.head(f"{min(done)} or {max(done)} steps for every block")
    p.text(left, 62, "k = 0")
    p.text(left + scale * 32, 62, "512", anchor="end")
    for i, steps in enumerate([*work.values()][:tiles]):
        bars = []
        for number in sorted({*steps.values()}):
            (first, long), = runs(step for step in steps
                                  if steps[step] == number)
            bars.append((first, long, "math" if number == mine else "lane",
                         f"{number}"))
        timeline(p, 84 + 62 * i, f"tile {i}", bars, scale, left, 44)
    p.legend(("math", f"block {mine}: in two tiles"), ("lane", "the others"))
    return (f"Each block has {min(done)} or {max(done)} steps: block {mine} "
            "the end of tile 0 and the beginning of tile 1")


@picture("gemm_12_stream_k", "hybrid")
def hybrid(p: Picture) -> str:
    """Two panels, time from top to bottom, 132 SMs from left to right. One
    block a tile: 4 full rounds, then 33 SMs with a tile. gemm_12: a quarter of
    a round in which all SMs share 33 tiles, then 4 full rounds."""
    number = -(-4097 // 128) * -(-4097 // 256)  # tiles of 128 x 256
    full, left = divmod(number, SMS)
    p.head(f"4097 x 4097: {number} tiles for {SMS} SMs")
    x, right = p.panels(("gemm_11", "a block for each tile"),
                        ("gemm_12", f"{left} tiles are shared"))
    scale, high = 340 / SMS, 48
    short = high * left / SMS  # of a round
    timeline(p, TOP, "", [(0, SMS, "math", "")], scale, right, short)
    for i in range(full + 1):
        y, busy = TOP + 54 * i, SMS if i < full else left
        timeline(p, y, "", [(0, SMS, "", ""), (0, busy, "lane", f"{busy}")],
                 scale, x, high)
        if i < full:
            timeline(p, y + short + 6, "", [(0, SMS, "lane", f"{SMS}")], scale,
                     right, high)
    p.results(f"{full + 1} rounds", f"{full + left / SMS:.2f} rounds")
    p.legend(("lane", "a tile each"), ("math", "parts of tiles"),
             ("", "nothing to do"))
    return (f"One block for each of {number} tiles takes {full + 1} rounds, "
            f"sharing the last {left} takes {full} and a quarter")
