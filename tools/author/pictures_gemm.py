"""The pictures of the first program and the gemm chapters: a function each."""

import collections
import math
from typing import Dict, List, Sequence, Tuple

import svg
from drawings import (BARRIER, Bar, boxes, grid, lanes_to_lines, matrix,
                      one_by_one, rectangles, runs, stack, timeline)
from svg import TOP, Picture, picture
from tracing import (LANES, LINE, WORD, Place, Request, Worker, elements,
                     elements_of, extent, pick, plan_of, touched, trace,
                     wavefronts_of)

import counts  # noqa: I100  from tools, which svg has made known
import course  # noqa: I100

SMS = 132  # of an H200
SIZES = "--M {} --N {} --K {}"
TILE = SIZES.format(128, 128, 16)  # a block of gemm_04 to gemm_08, and a tile
WIDE = SIZES.format(128, 256, 8)  # the same from gemm_09 on


def owned(chapter: str, args: str = TILE) -> Dict[Worker, List[Place]]:
    """Return what each thread of the first block has of C."""
    return touched(trace(chapter, args, array="C", op="store"))


def by_warp(owners: Dict[Worker, List[Place]]) -> Dict[int, List[Place]]:
    """Return what each warp has."""
    warps: Dict[int, List[Place]] = {}
    for (warp, _), places in owners.items():
        warps.setdefault(warp, []).extend(places)
    return dict(sorted(warps.items()))


def loads(chapter: str, array: str, args: str = TILE,
          op: str = "load") -> List[Request]:
    """Return what the first warp loads of an array."""
    return trace(chapter, args, array=array, op=op, warp=0)


# ---- vector_add -------------------------------------------------------------


@picture("vector_add", "there_and_back", "Two machines, two memories")
def there_and_back(p: Picture) -> None:
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


@picture("vector_add", "who_waits", "Who waits for whom?")
def who_waits(p: Picture) -> None:
    """Two bars over time. CPU: copy a, copy b, launch, wait, copy c. GPU: the
    kernel runs from the end of the launch to the end of the wait."""
    timeline(p, "CPU", one_by_one((
        (100, "global", "copy a"), (100, "global", "copy b"),
        (96, "lane", "launch"), (220, "hatch", ""),
        (100, "global", "copy c"))), 1, 80)
    timeline(p, "GPU", [(296, 220, "math", "kernel")], 1, 80)
    y = p.bottom + 24
    p.arrow((80, y), (696, y))
    p.text(696, y + 24, "time", anchor="end")
    p.legend(("hatch", "waits for the kernel"))


# ---- gemm_01 to gemm_03: from global to shared memory -----------------------


@picture("gemm_01", "walk", "A row of A, a column of B, one result")
def walk(p: Picture) -> None:
    """A block's 32 x 32 elements of C, a column for each warp; that of warp 5
    is coloured, and in it the result of its lane 9. At the left A, with the
    row that this lane reads, above C stands B, with the column that it reads.
    """
    chapter, args, mine = "gemm_01", SIZES.format(32, 32, 32), (5, 9)
    a, b = (touched(trace(chapter, args, array=array, op="load"))[mine]
            for array in "AB")
    owners = owned(chapter, args)
    warps = by_warp(owners)
    assert extent(a)[2:] == (1, 32) and extent(b)[2:] == (32, 1)
    size, edge, top = 7, 232, 288
    matrix(p, 0, top, size, (32, 32), {"global": a})
    matrix(p, edge, 56, size, (32, 32), {"global": b})
    for places in warps.values():
        matrix(p, edge, top, size, (32, 32), {"": places})
    matrix(p, edge, top, size, (32, 32), {"lane": warps[mine[0]]})
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


@picture("gemm_01", "lanes", "Lanes go down a column of A")
def lanes(p: Picture) -> None:
    """Two panels, lanes on the left, lines of memory of 32 words in sectors of
    8 on the right. A[row][k]: each lane wants a word of another line.
    B[k][col]: all lanes want the same word."""
    found = [loads("gemm_01", array, SIZES.format(64, 64, 64))[0]
             for array in "AB"]
    for x, request in p.panels((("A[row][k]", "32 lanes, 32 rows"),
                                ("B[k][col]", "all want one word")), found):
        lanes_to_lines(p, x, request)
    p.results(*(svg.count(one["sectors"], "sector") for one in found))
    p.below(*(f"{one['sectors'] * 8} words moved," for one in found))
    p.below(*(f"{len(set(one['at']))} wanted" for one in found))
    p.legend(("lane", "lane"), ("global", "word wanted"),
             ("hatch", "moved in vain"), ("", "not moved"))


@picture("gemm_02", "turn", "Turn the warp by a quarter")
def turn(p: Picture) -> None:
    """Two panels with A at the left, B above and C at their corner, each 32 x
    32. The elements of warp 5 are a column of C in gemm_01: for one k it loads
    a column of A and a word of B. In gemm_02 they are a row: it loads a word of
    A and a row of B."""
    warp, k, size, edge, far = 5, 12, 4.6, 32, 159
    for x, chapter in p.panels((("gemm_01", "lanes down a column"),
                                ("gemm_02", "lanes along a row"))):
        mine = trace(chapter, SIZES.format(edge, edge, edge), warp=warp)
        for array, left, y in (("A", x, TOP + far), ("B", x + far, TOP)):
            matrix(p, left, y, size, (edge, edge), {"global": elements_of(
                [pick(mine, array=array, op="load")[k]])})
        matrix(p, x + far, TOP + far, size, (edge, edge), {
            "lane": elements_of(mine, array="C", op="store")})
        p.text(x + far - 12, TOP + 73, "B", anchor="end")
        for left, array in ((x, "A"), (x + far, "C")):
            p.middle(left + 73, TOP + far + 165, array)
    p.legend(("lane", f"results of warp {warp}"),
             ("global", f"what it loads at k = {k}"))


@picture("gemm_02", "banks", "The slower of two stages sets the pace")
def l1_banks(p: Picture) -> None:
    """Three panels: above, stacks of lines over the 4 tag banks of the L1;
    below, stacks of words over its 32 data banks. Pitch 1: 1 high and 1 high.
    4096: 8 and 32 high. 4100: 8 and 4 high."""
    high, tag, bank, tags_at, data_at, costs = 9, 22, 6.75, 196, 574, []
    for x, what in p.panels((("pitch 1", "a row of B"),
                             ("pitch 4096", "a column of A"),
                             ("pitch 4100", "a column of A")), (
            ("gemm_02", "B", ""), ("gemm_01", "A", ""),
            ("gemm_01", "A", " --pad 4"))):
        chapter, array, pad = what
        one = loads(chapter, array, SIZES.format(32, 32, 4096) + pad)[0]
        lines = len({at // LINE for at in one["at"]})
        tags, data = one["tag_wavefronts"], one["data_wavefronts"]
        assert lines in (1, 4 * tags)  # so that all banks have as many
        words = [at // WORD % LANES for at in {*one["at"]}]
        assert max(map(words.count, words)) == data
        more = " or more" if tags > data else ""  # tag banks share unevenly
        costs.append(f"{tags}{more}" if more
                     else svg.count(max(tags, data), "cycle"))
        stack(p, x, tags_at, tag, 4, high, [
            [(i, 1, turn > 0, "") for i in range(min(lines, 4))]
            for turn in range(tags)])
        stack(p, x, data_at, bank, LANES, high, [
            [(i, 1, turn > 0, "") for i in range(LANES)
             if words.count(i) > turn] for turn in range(data)])
        for y, stage, cycles in ((tags_at, "4 tag banks:", tags),
                                 (data_at, "32 data banks:", data)):
            p.text(x, y + 20, stage)
            p.text(x, y + 50, svg.count(cycles, "cycle")
                   + more * (y == tags_at), bold=cycles == max(tags, data))
    p.results(*costs, good=(True, False, False))
    p.legend(("lane", "in the first cycle"),
             ("stripes", "waits for a later one"))


@picture("gemm_03", "tile", "Copy each word once, use it 32 times")
def shared_tile(p: Picture) -> None:
    """Left, in global memory: a block of C needs a band of A and a band of B;
    it copies one tile of each, 32 x 32 words. Right, in shared memory: one word
    of As is read by the 32 threads of a row of the block, one word of Bs by the
    32 threads of a column; the thread where they cross multiplies the two. 8 of
    the rows and columns are drawn."""
    for space, times in (("global", 1), ("shared", 32)):
        words = collections.Counter(
            (request["array"], place) for request in trace(
                "gemm_03", SIZES.format(64, 64, 64), space=space, op="load")
            for _, place in elements(request) if request["barriers"] < 2)
        assert {*words.values()} == {times}  # of the first tile
    size, x, y = 92, 200, 290  # of a tile; where the block of C stands
    row, col, k, cell = 5, 2, 3, 16
    side, shape = 8 * cell, (8, 8)
    a_x, b_x, b_y = 376, 560, y - 32 - side
    for left, _ in p.panels((("1  copy", "global", "memory"),
                             ("2  share", "shared", "memory")), "12"):
        if left:
            grid(p, a_x, y, cell, shape, {(row, k): "global"}, rest="shared")
            grid(p, b_x, b_y, cell, shape, {(k, col): "global"}, rest="shared")
            grid(p, b_x, y, cell, shape, {
                **{(row, i): "lane" for i in range(8)},
                **{(i, col): "lane" for i in range(8)}, (row, col): "math"})
        else:
            for i, fill, name in ((2, "global", ""), (1, "", "next")):
                p.box(x - 16 - i * size, y, size, size, fill, name or "A")
                p.box(x, y - 16 - i * size, size, size, fill, name or "B")
            p.box(x, y, size, size, "", "C")
    p.middle(a_x + side / 2, y - 16, "As", bold=True)
    p.text(b_x - 12, b_y + side / 2, "Bs", anchor="end", bold=True)
    p.text(b_x + side + 10, y + side - 14, "C")
    across, down = y + (row + 0.5) * cell, b_x + (col + 0.5) * cell
    p.arrow((a_x + (k + 1) * cell + 3, across), (b_x - 3, across), svg.BOLD)
    p.arrow((down, b_y + (k + 1) * cell + 3), (down, y - 3), svg.BOLD)
    p.results("copied once", "read by 32 threads", good=(True, True))
    p.legend(("global", "a word"), ("lane", "a thread that reads it"),
             ("math", "the thread that reads both words"))


@picture("gemm_03", "pipes", "Which way is full? (gemm_03, 4096)")
def pipes(p: Picture) -> None:
    """From top to bottom the arithmetic of the SMs, L1 and shared memory, L2,
    DRAM, joined by pipes as wide as their bandwidth. The first is filled as far
    as it has a trip to make, whatever the trip carries; the others as far as
    bytes flow."""
    chapter = course.find_chapter("gemm_03")
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
    near = SMS * LINE * hertz / 1e12  # TB/s
    far = copy["gbytes_per_s"] / copy["limit"]["ratio"] / 1000
    p.box(0, 50, svg.WIDTH, 44, "math", "registers and arithmetic of 132 SMs")
    for name, fill, flow, wide, of in (
            ("L1 and shared memory", "shared", float(busy_l1) / 100 * near,
             near, "its cycles"),
            ("L2", "global", float(from_l2) / ms, middle, f"{middle:.2g} TB/s"),
            ("DRAM", "global", float(from_dram) / ms, far, f"{far:.2g} TB/s")):
        y, scale, inside = p.bottom - 1, 680 / near, wide == near
        p.box(20, y, scale * wide, 96)
        p.box(20, y, scale * flow, 96, fill, line=svg.THIN)
        p.text(44 if inside else 36 + scale * wide, y + 48,
               f"{100 * flow / wide:.0f} % of {of}", bold=True,
               role="black" if inside else "ink")
        p.box(0, y + 96, svg.WIDTH, 44, fill, name)


# ---- gemm_04 to gemm_07: the tile of a thread -------------------------------


def thread_tile(p: Picture, *chapters: str) -> None:
    """Two panels. The results of a thread are squares; the words of A that it
    needs for one k stand along their left edge, those of B along the upper
    edge."""
    tiles = [tuple(len({*numbers}) for numbers in zip(*owned(chapter)[0, 0]))
             for chapter in chapters]  # rows and columns
    size = 28
    for x, (rows, columns) in p.panels([
            (chapter, f"a thread: {rows} x {columns}")
            for chapter, (rows, columns) in zip(chapters, tiles)], tiles):
        left, below = x + 46 + size, TOP + 6 + size
        grid(p, x + 40, below, size, (rows, 1), rest="shared")
        grid(p, left, TOP, size, (1, columns), rest="shared")
        grid(p, left, below, size, (rows, columns), rest="math")
    p.below(*(f"{rows + columns} words for "
              f"{svg.count(rows * columns, 'product')}"
              for rows, columns in tiles))
    p.results(*(f"{(rows + columns) / (rows * columns):.5g} words each"
                for rows, columns in tiles))
    p.legend(("shared", "word from shared memory"), ("math", "product"))


@picture("gemm_04", "thread_tile", "A word of B serves a whole column")
def column(p: Picture) -> None:
    thread_tile(p, "gemm_03", "gemm_04")


@picture("gemm_05", "thread_tile", "Words are the edge, products the area")
def square(p: Picture) -> None:
    thread_tile(p, "gemm_04", "gemm_05")


column.__doc__ = square.__doc__ = thread_tile.__doc__


@picture("gemm_04", "cover", "Who works while a block waits?")
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
    count = counts.read(chapter)[0].counts
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
                     (svg.WIDTH - 112) / (2 * alone), 112)
    p.panel_x, p.panel_wide = [0, 376], 344
    p.results(f"path in use: {full} %", f"at best: {2 * full} %")
    p.legend(("global", "load"), ("hatch", "wait"),
             ("shared", "store in a tile"), ("math", "multiply"))
    p.legend(("bar", f"barrier; a tile takes a block alone {alone:,} cycles"))


def tile_of_c(p: Picture, x: float, y: float, size: float, chapter: str,
              mine: Worker) -> None:
    """Draw a tile of C, in it a warp's elements and those of a lane."""
    owners = owned(chapter)
    matrix(p, x, y, size, (128, 128), {"lane": by_warp(owners)[mine[0]],
                                       "math": owners[mine]})


@picture("gemm_05", "owners", "The elements of a lane are 16 apart")
def owners_of_c(p: Picture) -> None:
    """A tile of C, 128 x 128. Warp 3 has 16 rows of it, two of every sixteen.
    Its lane 21 has every sixteenth column of one of the two: 8 x 8 elements."""
    tile_of_c(p, 1, 50, 3, "gemm_05", (3, 21))
    for y, words in ((76, ("block", "128 x 128", "8 warps")),
                     (180, ("warp 3", "2 of every 16 rows")),
                     (254, ("lane 21", "8 x 8 elements of C"))):
        p.panel(412, y, *words)
    p.legend(("lane", "warp 3"), ("math", "its lane 21"))


@picture("gemm_06", "neighbours", "Four neighbours need one owner")
def neighbours(p: Picture) -> None:
    """Two tiles of C, 128 x 128, with the 64 elements of lane 21 of warp 3. In
    gemm_05 they stand 16 rows and 16 columns apart, in gemm_06 they are a
    square of 8 x 8, and those of the warp 16 whole rows."""
    for x, chapter in p.panels((("gemm_05", "a lane: 16 apart"),
                                ("gemm_06", "a lane: neighbours"))):
        tile_of_c(p, x, TOP, 2.5, chapter, (3, 21))
        p.text(x, TOP + 338, "C")
    p.legend(("lane", "warp 3"), ("math", "its lane 21"))


@picture("gemm_06", "four_floats", "A row of A becomes a column of As")
def four_floats(p: Picture) -> None:
    """Left, 8 rows of A: lane 5 has four neighbours of a row. In the middle its
    four registers. Right, As: the four stand in one column, in four rows."""
    mine, size, x = 5, 22, 530
    load = loads("gemm_06", "A")[0]
    come, go = ([place for request in requests for lane, place
                 in elements(request) if lane == mine] for requests in (
        [load], loads("gemm_06", "As", op="store")[:4]))
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


@picture("gemm_07", "groups", "Two groups of columns")
def groups(p: Picture) -> None:
    """Two strips, a row of the tile of B with 128 words each. gemm_06: the
    first load of a warp takes every second four words. gemm_07: it takes all of
    the left half."""
    mine, scale, high = 5, 5.6, 52
    for y, chapter, what in (
            (118, "gemm_06", "8 columns in a row"),
            (260, "gemm_07", "4 columns, and 4 more half a tile on")):
        first, second = (elements(load) for load in loads(chapter, "Bs")[:2])
        p.panel(0, y - 56, chapter, what)
        p.box(0, y, 128 * scale, high)
        for load, of in [*((first, lane) for lane in range(LANES // 2)),
                         (second, mine)]:  # the other half has the same columns
            column = min(place[1] for lane, place in load if lane == of)
            p.box(column * scale, y, 4 * scale, high,
                  "math" if of == mine else "lane", line=svg.THIN)
    p.legend(("lane", "first load of a warp"),
             ("math", f"columns of lane {mine}"))


def conflicts(p: Picture, array: str, op: str,
              names: Sequence[Tuple[str, str]]) -> None:
    """Draw what the first warp first does with an array in shared memory."""
    requests = [loads(chapter, array, op=op)[0] for chapter, _ in names]
    wide = requests[0]["bytes"] // WORD
    bank, high = 10, 32 if wide == 4 else 16
    base = TOP + high * max(one["wavefronts"] for one in requests)
    for x, request in p.panels(names, requests):
        layers, before = [], -1
        for wave in wavefronts_of(request):
            layers.append([(word % LANES, wide, group == before,
                            str(lane) * (wide == 4))
                           for lane, word, group in wave])
            before = wave[0][2]
        p.box(x, base - high * len(layers), bank * LANES, high * len(layers),
              line=svg.THIN)
        stack(p, x, base, bank, LANES, high, layers)
        p.text(x, base + 20, "bank 0")
        p.text(x + bank * LANES, base + 20, "31", anchor="end")
    p.results(*(svg.count(one["wavefronts"], "wavefront") for one in requests))
    p.legend(("lane", "lane"), ("stripes", "has to wait: conflict"))


@picture("gemm_07", "load_of_b", "Half of the banks were idle")
def load_of_b(p: Picture) -> None:
    """Stacks over the 32 banks of shared memory, a layer for each wavefront. 16
    bytes a lane are four banks wide. gemm_06: in each layer half of the banks
    are idle. gemm_07: all are busy."""
    conflicts(p, "Bs", "load", (("gemm_06", "columns 8 apart"),
                                ("gemm_07", "columns 4 apart")))


@picture("gemm_07", "store_of_a", "Padding sends row k + 4 to other banks")
def store_of_a(p: Picture) -> None:
    """Stacks over the 32 banks of shared memory, a layer for each wavefront.
    gemm_06: half of the banks, each twice. gemm_07: each bank once."""
    conflicts(p, "As", "store", (("gemm_06", "rows of 128"),
                                 ("gemm_07", "rows of 132")))


# ---- gemm_08 to gemm_12: tiles over time ------------------------------------


@picture("gemm_08", "buffers", "A second buffer saves a barrier")
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
            timeline(p, f"buffer {i}", rows[place] + marks,
                     (svg.WIDTH - 118) / at)
    p.legend(("shared", "a tile is put there"), ("math", "it is read"))
    p.legend(("bar", "barrier; the numbers are those of the tiles"))


def time_of_a_tile(chapter: str) -> Tuple[float, float, float, int]:
    """Return cycles of a warp for a tile, those of them that it waits for loads
    and at barriers, and how many barriers these are."""
    record = next(one for one in course.read_lines(
        "docs/results/series_h200.jsonl") if course.short(one["chapter"])
        == chapter)
    stalls, loop = record["stalls"], record["loop"]
    assert loop["FFMA"] == 1024
    tile, far, barrier = (sum(loop.values()) * cycles for cycles in (
        sum(stalls.values()), stalls["long scoreboard"], stalls["barrier"]))
    return tile, far, barrier, loop["BAR"]


# Of 1024 FFMA in the loop of gemm_08, those before its loads from global memory
# and before its first store, as nvcc 13.0 orders them (tests/machine_code.py).
LOADS_AFTER, PUT_AFTER = 784, 983


@picture("gemm_08", "timeline", "Two tiles, in the time that they take")
def waits(p: Picture) -> None:
    """Two time lines of a warp over two tiles on one scale. gemm_07: wait for
    the loads, put, wait, compute, wait. gemm_08: compute, with the next tiles
    travelling in the last fifth; put; wait. It ends first."""
    left, scale = 76.0, 0.0
    p.bottom = 34
    for chapter, what, start, put in (
            ("gemm_07", "loads, then computes", 0.0, 0.0),
            ("gemm_08", "loads while it computes",
             LOADS_AFTER / 1024, PUT_AFTER / 1024)):
        tile, far, barrier, times = time_of_a_tile(chapter)
        scale = scale or (svg.WIDTH - left) / (2 * tile)  # of the slower one
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
        timeline(p, "loads", travel, scale, left, 22)
        timeline(p, "warp", bars, scale, left, 52, 7)
    p.legend(("global", "tiles travel"), ("shared", "put"), ("hatch", "waits"))
    p.legend(("math", "computes, or other warps have their turn"))


@picture("gemm_09", "words", "One large tile needs fewer words than two")
def words_for_one_k(p: Picture) -> None:
    """What an SM has at work, twice: two tiles of gemm_08, each with a strip of
    A on its left and one of B above; one tile of gemm_09, as large as both,
    with one strip of A."""
    words = []
    for x, chapter in p.panels((("gemm_08", "2 blocks on an SM"),
                                ("gemm_09", "1 block on an SM"))):
        blocks = 1 + (chapter == "gemm_08")
        *_, high, wide = extent(elements_of(trace(chapter, WIDE), array="C",
                                            op="store"))
        words.append(f"{blocks * (high + wide)} words")
        for left in [x + 20 + n * (wide * 1.05 + 32) for n in range(blocks)]:
            p.box(left, 144, wide * 1.05, high * 1.05, "lane",
                  f"{high} x {wide}")
            p.box(left - 20, 144, 14, high * 1.05, "shared", line=svg.THIN)
            p.box(left, 124, wide * 1.05, 14, "shared", line=svg.THIN)
    p.results(*words)
    p.legend(("lane", "tile of C"), ("shared", "words of A, of B for one k"))


def wave(p: Picture, x: float, busy: int) -> None:
    """Draw a bar of all SMs, filled as far as they have a tile."""
    timeline(p, "", [(0, SMS, "", ""), (0, busy, "lane", f"{busy}")],
             340 / SMS, x, gap=10)


@picture("gemm_09", "waves", "One row and column more: a wave more")
def waves(p: Picture) -> None:
    """Two panels, a bar for each wave, filled as far as SMs have a tile. 4096:
    three waves of 132 tiles, one of 116. 4097: four waves of 132, one of 33."""
    edges, times = (4096, 4097), course.timed(course.find_chapter("gemm_09"))
    records = [times[(edge,) * 3] for edge in edges]
    tiles = [math.prod(record["launch"]["grid"]) for record in records]
    assert all(record["launch"]["blocks_per_sm"] == 1 for record in records)
    for x, number in p.panels([(f"{edge} x {edge}", f"{number} tiles")
                               for edge, number in zip(edges, tiles)], tiles):
        for first in range(0, number, SMS):
            wave(p, x, min(SMS, number - first))
    p.results(*(f"{-(-number // SMS)} waves" for number in tiles),
              good=(True, False))
    p.below(*(f"{record['time_ms']['median']:.2f} ms, measured"
              for record in records))
    p.legend(("lane", "SMs with a tile"), ("", "SMs with nothing to do"))


@picture("gemm_10", "nesting", "Who computes what: block, warp, lane")
def nesting(p: Picture) -> None:
    """Three drawings, each an enlarged piece of the one before: the tile of a
    block with 8 warps, each in both halves; the two pieces of warp 5 with the
    elements of lane 21; the 32 lanes, 4 down and 8 across."""
    warp, mine, scale, s, y, g, x = 5, 21, 1.8, 4, 346, 42, 372
    results = owned("gemm_10", WIDE)
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
    down, across = high // lane_high, wide // lane_wide
    places = {}
    for lane in range(LANES):
        row, col, *_ = rectangles(results[warp, lane])[0]
        places[(row - row0) // lane_high, (col - col0) // lane_wide] = lane
    grid(p, x, y, g, (down, across), {
        at: "math" if lane == mine else "lane" for at, lane in places.items()},
        {at: str(lane) for at, lane in places.items()})
    p.panel(x, y + down * g + 24, f"{LANES} lanes of it",
            f"{lane_high} x {lane_wide} each, twice")
    for at, to in ((y, y), (y + high * s, y + down * g)):
        p.path([(2 * wide * s + 20, at), (x, to)], svg.THIN)


@picture("gemm_10", "hole", "After a barrier there is a hole")
def hole(p: Picture) -> None:
    """Time from left to right, twice; above the words that a warp loads, below
    those that it multiplies. gemm_09: after the barrier it loads k = 0 and
    multiplies nothing. gemm_10: it loads k = 0 and multiplies k = 7 meanwhile.
    """
    p.bottom = 34  # below: | a barrier, h a hole, a blank: half a step
    for chapter, what, load, multiply in (
            ("gemm_09", "loads run ahead inside a tile only",
             "7  |012", "67|h01"),
            ("gemm_10", "loads run ahead across the barrier",
             "7|0123", "6|7012")):
        mine = loads(chapter, "Bs", SIZES.format(128, 256, 16))
        ahead = len(mine) // 2 - 16  # of 16 k; two loads of Bs for each
        assert ahead == (chapter == "gemm_10")
        p.panel(0, p.bottom + 28, chapter, what)
        for label, fill, steps in (("load", "shared", load),
                                   ("multiply", "math", multiply)):
            timeline(p, label, [bar for bar in one_by_one(
                (20, BARRIER, "") if k == "|" else
                (100, "hatch", "") if k == "h" else
                (100 - 50 * (k == " "), fill, f"k {k}") for k in steps)
                if bar[3] != "k  "], 1, high=38)
        p.middle(118 + 100 * (2.0 - ahead), p.bottom + 22, "barrier")
    p.legend(("hatch", "waits for its first words; not to scale"))


@picture("gemm_11", "path", "A tile's path")
def path(p: Picture) -> None:
    """Two panels with boxes. gemm_10: an arrow from global memory to registers,
    one from there to shared memory. gemm_11: one arrow from global to shared
    memory, past the registers."""
    for x, chapter in p.panels((("gemm_10", "load, come back, store"),
                                ("gemm_11", "copy"))):
        stops = [("math", ["registers"])] * (chapter == "gemm_10")
        boxes(p, x, 344, [("global", ["global memory"]), *stops,
                          ("shared", ["shared memory"])], 240,
              down=32 if stops else 104)


@picture("gemm_11", "ring", "Three buffers take turns")
def ring(p: Picture) -> None:
    """Three rows over time, one for each buffer in shared memory. A tile is
    copied into its buffer, and multiplied after a wait and a barrier. Tiles 0,
    1 and 2 have a buffer each, tile 3 has that of tile 0."""
    begin, awaited, end, place = {}, {}, {}, {}  # of each tile
    per_k, before, now = 4, 3, 0.0  # reads of As; k before the first tile; k
    for kind, tile, number, at in plan_of(
            "gemm_11", SIZES.format(128, 256, 64), 8, 8):
        if kind == "load":
            begin[tile] = before + now if now else 0
        elif kind == "put":
            awaited[tile], place[tile] = before + now, at
        elif kind == "read":
            now += number / per_k
            end[tile] = before + now
    p.bottom = 44
    for i, at in enumerate(sorted({*place.values()})):
        timeline(p, f"buffer {i}", [bar for tile in range(4)
                                    if place[tile] == at for bar in (
            (begin[tile], awaited[tile] - begin[tile], "good", ""),
            (awaited[tile], end[tile] - awaited[tile], "math", f"tile {tile}"))
        ] + [(at, 0, BARRIER, "") for at in awaited.values()],
            (svg.WIDTH - 118) / end[3], high=56)
    p.legend(("good", "is being copied"), ("math", "is multiplied"))
    p.legend(("bar", "all threads wait for their copies, then the barrier"))


# Of 1024 FFMA in a loop, those before its last request to global memory, and
# before what needs it: gemm_10's first store, gemm_11's wait. nvcc 13.0 orders
# them so (tests/machine_code.py).
GEMM_10_AT, GEMM_11_AT = (889, 721), (348, 877)


@picture("gemm_11", "timeline", "A warp's time for three tiles (4096)")
def request_to_need(p: Picture) -> None:
    """Time lines of a warp over three tiles on one scale. Bars above lead from
    the request for a tile to where it is needed: they are nearly as long as a
    tile in gemm_10, and end with a mark where the warp puts it; in gemm_11 one
    and a half times as long as a tile. Waits are slivers between the tiles."""
    dram, left, scale = 690, 130.0, 0.0
    p.bottom = 34
    for chapter, (sent, needed), put in (
            ("gemm_10", GEMM_10_AT, True),
            ("gemm_11", GEMM_11_AT, False)):
        tile, far, barrier, _ = time_of_a_tile(chapter)
        wait = far + barrier
        scale = scale or (svg.WIDTH - left) / (3 * tile)  # of the slower one
        p.panel(0, p.bottom + 28, chapter,
                f"{round(tile, -1):,.0f} cycles a tile, "
                f"{round(wait, -1):,.0f} of them waits")
        for i, label in enumerate(("", "next tiles")):
            timeline(p, label, [
                (tile * (n + sent / 1024), tile * (1024 + needed - sent) / 1024,
                 "good", "") for n in range(-i, 3, 2)], scale, left, 20,
                14 - 11 * i)
        bars = one_by_one(bar for n in range(3) for bar in (
            (tile - wait, "math", f"tile {n}"), (wait, "hatch", "")))
        timeline(p, "warp", bars + [
            (tile * (n + needed / 1024) - 4 / scale, 8 / scale, "shared", "")
            for n in range(3 * put)], scale, left, gap=8)
    p.legend(("good", "from request to need"), ("shared", "put"),
             ("math", "computes"), ("hatch", "waits"))
    timeline(p, "", [(0, dram, "global", "")], scale, 1, 20)
    p.text(scale * dram + 14, p.bottom - 10, f"a load from DRAM: {dram} cycles")


@picture("gemm_12", "ranges", "16 or 17 steps for every block")
def ranges(p: Picture) -> None:
    """A row for each of four tiles, 32 steps along K from left to right, cut
    into pieces: tile 0, blocks 0 and 1; tile 1, blocks 1, 2 and 3; tile 2,
    blocks 3, 4 and 5; tile 3, blocks 5, 6 and 7."""
    blocks, deep, tiles, mine, left, scale = 8, 16, 4, 1, 96, 19.5
    requests = trace("gemm_12", SIZES.format(448, 320, 512), blocks, 100,
                     op="load", warp=0)
    corner: Dict[str, Dict[Tuple[int, int], int]] = {}  # of a block's step
    for array, of_k, of_edge in (("A", 1, 0), ("B", 0, 1)):
        for request in pick(requests, array=array):
            place = elements(request)[0][1]
            corner.setdefault(array, {}).setdefault(
                (request["block"][0], place[of_k] // deep), place[of_edge])
    work: Dict[Place, Dict[int, int]] = {}  # tile: step along K: block
    for at, row in corner["A"].items():
        work.setdefault((row, corner["B"][at]), {})[at[1]] = at[0]
    done = [[number for number, _ in corner["A"]].count(one)
            for one in range(blocks - 1)]  # the last: in part
    assert {*done} == {16, 17}
    p.text(left, 62, "k = 0")
    p.text(left + scale * 32, 62, "512", anchor="end")
    for i, steps in enumerate([*work.values()][:tiles]):
        bars = []
        for number in sorted({*steps.values()}):
            (first, long), = runs(step for step in steps
                                  if steps[step] == number)
            bars.append((first, long, "math" if number == mine else "lane",
                         f"{number}"))
        timeline(p, f"tile {i}", bars, scale, left)
    p.legend(("math", f"block {mine}: in two tiles"), ("lane", "the others"))


@picture("gemm_12", "hybrid", "4097 x 4097: 561 tiles for 132 SMs")
def hybrid(p: Picture) -> None:
    """Two panels, time from top to bottom, 132 SMs from left to right. One
    block a tile: 4 full rounds, then 33 SMs with a tile. gemm_12: a quarter of
    a round in which all SMs share 33 tiles, then 4 full rounds."""
    full, left = divmod(-(-4097 // 128) * -(-4097 // 256), SMS)
    for x, shared in p.panels((("gemm_11", "a block for each tile"),
                               ("gemm_12", f"{left} tiles are shared")),
                              (False, True)):
        if shared:
            timeline(p, "", [(0, SMS, "math", "")], 340 / SMS, x,
                     46 * left / SMS)
        for _ in range(full):
            wave(p, x, SMS)
        if not shared:
            wave(p, x, left)
    p.results(f"{full + 1} rounds", f"{full + left / SMS:.2f} rounds")
    p.legend(("lane", "a tile each"), ("math", "parts of tiles"),
             ("", "nothing to do"))
