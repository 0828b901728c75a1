"""The pictures of the pattern chapters: a function for each."""

from typing import Dict, List, Sequence, Set, Tuple

import svg
from drawings import boxes, grid, matrix, tree
from svg import TOP, Picture, picture
from tracing import (LANES, LINE, WORD, Request, additions_of, elements,
                     elements_of, extent, pick, shared_contents, touched, trace,
                     wavefronts_of)

SMS = 132  # of the simulator's GPU
RING_TILE = 6144  # of the scan's 10_ring.cuh
STAGES = ("good", "wait", "wait", "wait", "lane", "lane", "global", "global")

# ---- bank_conflict_padding --------------------------------------------------


@picture("bank_conflict_padding", "mirror", "In as a row, out as a column")
def mirror(p: Picture) -> None:
    """Three squares. Left, the input in tiles: one of them is marked, a warp
    reads one of its rows. Middle, that tile in shared memory: the row goes in,
    and a column comes out. Right, the output: the tile has changed sides, and
    the column is one of its rows."""
    requests = trace("bank_conflict_padding",
                     "--variant tile --rows 96 --cols 96", 4, warp=0,
                     block=[3, 0, 0])
    read, written, taken, stored = (
        [place for _, place in elements(pick(requests, array=array, op=op)[0])]
        for array, op in (("in", "load"), ("tile", "store"), ("tile", "load"),
                          ("out", "store")))
    assert extent(read)[2] == extent(stored)[2] == extent(written)[2] == 1
    assert extent(taken)[3] == 1
    size, top, sides = 192, 124, 3  # tiles along an edge of the matrix
    small, cell = size / sides, size / 8
    for x, *words in ((0, "in", "global"), (252, "tile", "shared"),
                      (504, "out", "global")):
        p.panel(x, 62, *words)
    for x, (row, column) in ((0, read[0]), (504, stored[0])):
        left = x + column // LANES * small
        y = top + row // LANES * small
        grid(p, x, top, small, (sides, sides))
        p.box(left, y, small, small, "math")
        p.box(left, y + small * (row % LANES) / LANES, small, 12, "global")
    p.box(252, top, size, size, "math")
    p.box(252, top + written[0][0] % 8 * cell, size, cell, "shared")
    p.box(252 + taken[0][1] % 8 * cell, top, cell, size, "lane")
    for x in (0, 252):
        p.arrow((x + size + 8, top + size / 2), (x + 246, top + size / 2))
    p.legend(("global", "one request of a warp"), ("shared", "is written"),
             ("lane", "is read"), ("math", "the tile of the block"))


def bank_maps(p: Picture, size: float, unit: int, args: str, warp: int,
              column: int, names: Sequence[Tuple[str, str]]) -> None:
    """Draw shared memory in lines of all banks, counted in parts of some bytes,
    for each variant: what a warp's first load reads at once, all of this column
    of the tile, and padding. Large parts have the numbers of their columns."""
    wide, results = LINE // unit, []
    for x, (name, _) in p.panels(names, names):
        requests = trace("bank_conflict_padding", args + name, requests=4)
        request = pick(requests, space="shared", op="load", warp=warp)[0]
        columns = {
            divmod((word * WORD - request["start"]) // unit, wide):
            place[1] * WORD // unit
            for word, place in shared_contents(requests).items()}
        waves = [wave for wave in wavefronts_of({**request, "start": 0})
                 if wave[0][2] == 0]
        fills = {divmod(word * WORD // unit, wide):
                 "stripes" if turn else "shared"
                 for turn, wave in enumerate(waves) for _, word, _ in wave}
        assert {columns[at] for at in fills} == {column}
        x, rows = x + 1, 1 + max(fills)[0]
        fills.update(((i, j), "hatch") for i in range(rows)
                     for j in range(wide) if (i, j) not in columns)
        if unit == WORD:
            p.box(x, TOP, size * wide, size * rows, line=svg.THIN)
            for at, fill in fills.items():
                grid(p, x + size * at[1], TOP + size * at[0], size, (1, 1),
                     rest=fill)
        else:
            grid(p, x, TOP, size, (rows, wide), fills, {
                at: str(number) for at, number in columns.items()
                if fills.get(at) != "stripes"})
        p.text(x, TOP + size * rows + 16, "bank 0")
        p.text(x + size * wide, TOP + size * rows + 16, "31", anchor="end")
        results.append(len(waves))
    p.results(*(svg.count(waves, "wavefront") for waves in results),
              good=[waves == 1 for waves in results])


@picture("bank_conflict_padding", "columns",
         "In which banks does column 2 lie?")
def columns(p: Picture) -> None:
    """Three tiles in lines of 32 banks, a column marked. Plain, the column is
    upright, and all but one of its words have to wait: 32 wavefronts; with a
    word of padding after each row it is slanting, with exchanged words it has
    steps: 1 wavefront."""
    bank_maps(p, 6.6, WORD, "--rows 64 --cols 64 --variant ", 2, 2, (
        ("tile", "rows of 32 words"), ("tile_padded", "rows of 33 words"),
        ("tile_swizzled", "words exchanged")))
    p.legend(("shared", "column 2"), ("stripes", "has to wait"),
             ("hatch", "padding"))


@picture("bank_conflict_padding", "pieces",
         "An ldmatrix reads piece 0 of 8 rows")
def pieces(p: Picture) -> None:
    """Three tiles with 8 rows of pieces of 16 bytes, by the number of a piece
    in its row, in lines of all 32 banks; the same piece of each row is marked.
    Plain: these pieces lie in two groups of four banks, 4 wavefronts. With a
    piece of padding after each row, and with exchanged pieces, they take all
    banks once: 1 wavefront."""
    args = "--problem product --M 128 --N 256 --K 32 --variant "
    bank_maps(p, 26.5, 16, args, 0, 0, (
        ("wmma", "rows of 4 pieces"), ("wmma_padded", "rows of 5 pieces"),
        ("mma_swizzled", "exchanged")))
    p.legend(("shared", "piece 0"), ("", "others"), ("stripes", "has to wait"),
             ("hatch", "padding"))


# ---- histogram --------------------------------------------------------------


def tables(variant: str) -> int:
    """Return the tables in which 64 lanes of two blocks count one value."""
    adds = trace("histogram", f"--variant {variant} --n 32768 --input constant",
                 2, 12, op="atomic", warp=0)
    firsts = [pick(adds, block=[of, 0, 0])[0] for of in (0, 1)]
    inside = firsts[0]["space"] == "shared"  # then each block has its own
    return len({(of * inside, at) for of, first in enumerate(firsts)
                for at in first["at"]})


@picture("histogram", "sharing", "Who has to share a table?")
def sharing(p: Picture) -> None:
    """Three panels. Left: the lanes of two blocks all add to one table in
    global memory. Middle: each block has a table of its own in shared memory.
    Right: each lane has a column of its own in the table."""
    found = [tables(variant) for variant in
             ("global_atomic", "private_shared", "bank_private")]
    assert found == [1, 2, 2 * LANES]
    for x, number in p.panels((("all threads",), ("a block",), ("nobody",)),
                              found):
        boxes(p, x, 218, (
            ("", ["block 0", "block 1"]), ("lane", [""] * 8),
            ("shared" if number > 1 else "global", [""] * min(number, 8))),
            most=104, line=svg.THIN)
    p.legend(("lane", "lane"), ("global", "table in global memory"),
             ("shared", "table in shared memory"))


def letters_of(request: Request) -> List[str]:
    """Return what each lane counts: where it adds says which byte that is."""
    per_value = request["pitch"] or WORD
    return [chr(at // per_value).replace(" ", "␣") for at in request["at"]]


def meeting(p: Picture, left: float, request: Request) -> None:
    """Draw lanes above, and below them the words that they add to.

    Columns are the banks that are touched, rows are lines of shared memory,
    both from the start of the table on.
    """
    cell, top = 34, 232
    letters = letters_of(request)
    places = [divmod(at // WORD, LANES) for at in request["at"]]
    lines, banks = (sorted({*numbers}) for numbers in zip(*places))
    grid(p, left, top, cell, (len(lines), len(banks)))
    for i, bank in enumerate(banks):
        p.middle(left + cell * (i + 0.5), top + cell * len(lines) + 20,
                 str(bank))
    p.text(left, top + cell * len(lines) + 48, "banks that are touched")
    for lane, (_, bank) in enumerate(places):
        p.path([(left + cell * (lane + 0.5), TOP + cell),
                (left + cell * (banks.index(bank) + 0.5), top)])
        p.box(left + cell * lane, TOP, cell, cell, "lane", letters[lane])
    for turn, wave in enumerate(wavefronts_of({**request, "start": 0})):
        for lane, word, _ in wave:
            p.box(left + cell * banks.index(word % LANES),
                  top + cell * lines.index(word // LANES), cell, cell,
                  "stripes" if turn else "shared", letters[lane])


@picture("histogram", "banks", "Where do the lanes of a warp meet?")
def banks(p: Picture) -> None:
    """Two panels: 8 lanes above, each with the first of its 16 letters, and a
    line to the bank of the word that it adds to. Left, one table: different
    letters meet in a bank, and one of them has to wait. Right, a row for each
    letter and a column for each lane: every lane adds straight below itself."""
    found = [trace("histogram", f"--variant {variant} --n 128 --input text",
                   op="atomic", space="shared")[0]
             for variant in ("wide", "bank_private")]
    assert letters_of(found[0]) == letters_of(found[1])
    for x, request in p.panels((("wide", "one table"), (
            "bank_private", "a column for each lane")), found):
        meeting(p, x, request)
    p.results(*(svg.count(request["wavefronts"], "wavefront")
                for request in found))
    p.legend(("lane", "lane, its letter"), ("shared", "word"),
             ("stripes", "has to wait"))


# ---- conv -------------------------------------------------------------------


def conv_block(variant: str, number: List[int]) -> List[Request]:
    """Return what a block of conv in the middle of its picture does."""
    return trace(
        "conv", f"--variant {variant} --width 96 --height 96 --radius 2",
        6, 30, block=number)


@picture("conv", "halo", "Results at the rim need the halo")
def halo(p: Picture) -> None:
    """A square of 32 x 32 pixels that a block loads; in its middle the 28 x 28
    that it computes. Around it is the halo, 2 pixels wide. Two frames of 5 x 5
    pixels: what a result in the corner needs lies partly in the halo, what one
    in the middle needs does not."""
    mine = conv_block("tiled", [1, 1, 0])
    loaded, stored = (elements_of(mine, array=array, op=op)
                      for array, op in (("x", "load"), ("y", "store")))
    (row, column, edge, _), (*_, inner) = extent(loaded), extent(stored)
    assert len(loaded) == edge**2 and len(stored) == inner**2
    size, radius = 12, (edge - inner) // 2
    side = 2 * radius + 1
    matrix(p, 0, 50, size, (edge, edge), {
        fill: [(y - row, x - column) for y, x in places]
        for fill, places in (("global", loaded), ("math", stored))})
    for at in (radius, edge // 2):
        p.box(size * (at - radius), 50 + size * (at - radius), size * side,
              size * side, line=svg.BOLD, edge="black")
        p.circle(size * (at + 0.5), 50 + size * (at + 0.5), 4, "black", 0)
    for y, words in ((76, ("a block loads", f"{edge} x {edge} pixels")),
                     (166, ("and computes", f"{inner} x {inner} results")),
                     (256, ("A frame is around", f"the {side} x {side} pixels",
                            "of the dot's result."))):
        p.panel(410, y, *words)
    p.legend(("global", "halo"), ("math", "computed"))

@picture("conv", "sums", "Who needs row r? 5 rows of results")
def sums(p: Picture) -> None:
    """Above, a row of pixels that a thread has loaded. Below, the sums of five
    rows of results. Each gets the pixels times another row of the filter. The
    uppermost is complete after that and is stored; the others move up by a row.
    """
    # A trace has no registers: which sum gets which row of the filter is what
    # the kernel says; how many columns there are is in the trace.
    mine = conv_block("register_window", [0, 1, 0])
    (*_, deep, wide), (*_, high, own) = (
        extent(touched(pick(mine, space="global", op=op))[0, 1])
        for op in ("load", "store"))
    assert deep - high == 4 and not pick(mine, space="shared")
    size, left, top = 22, 196, 62
    inner = left + size * (wide - own) // 2
    middle, right = inner + size * own / 2, inner + size * own + 24
    p.text(0, top + size / 2, "pixels, row r")
    grid(p, left, top, size, (1, wide), rest="global")
    p.box(inner, top, size * own, size, line=svg.BOLD, edge="black")
    p.arrow((middle, top + size + 8), (middle, top + 80))
    p.text(middle + 14, top + 50, "times filter row")
    for s, row in enumerate(("r - 2", "r - 1", "r", "r + 1", "r + 2")):
        y = top + 92 + 52 * s
        p.text(0, y + size / 2, f"sums, row {row}")
        grid(p, inner, y, size, (1, own), rest="math" if s else "good")
        p.text(right, y + size / 2, str(4 - s))
        if s:
            p.arrow((inner - 22, y + size / 2), (inner - 22, y - 26))
    p.text(right + 32, top + 103, "then stored")
    p.text(0, p.bottom + 34,
           "The next row of pixels finds each sum a line further up.")
    p.legend(("global", "pixels"), ("math", "sums"), ("good", "complete"),
             ("", "own columns"))


# ---- reduction --------------------------------------------------------------

STRIDES = [("divergent", "stride doubles"), ("convergent", "stride halves")]


@picture("reduction", "tree", "Where do the sums of a step lie?")
def sums_of_a_step(p: Picture) -> None:
    """Two panels with 32 words in a row, and a row below for each of 5 steps.
    Yellow words are sums of this step; lines lead down from the two words that
    are added. divergent: every second word, then every fourth. convergent: the
    left half, then the left quarter."""
    for x, variant in p.panels(STRIDES):
        tree(p, x, 10.5, LANES, additions_of(trace(
            "reduction", f"--variant {variant} --n 1024", array="work"),
            LANES), "math")
    p.legend(("math", "a sum of this step"), ("", "stays as it is"))

@picture("reduction", "working_warps", "Who adds in each step of the tree?")
def working_warps(p: Picture) -> None:
    """Two panels, a row for each of 10 steps, a cell for each of 16 warps, blue
    as far as its lanes work. Left, divergent: in the first steps all warps
    work, with fewer and fewer lanes. Right, convergent: full warps, half as
    many in each step."""
    row, high, total = 34, 28, []
    for x, variant in p.panels(STRIDES):
        work = trace("reduction", f"--variant {variant} --n 1024",
                     array="work", op="load")
        lanes = {(one["barriers"], one["warp"]): len(one["lanes"])
                 for one in pick(work, line=work[0]["line"])}
        for i, step in enumerate(sorted({step for step, _ in lanes})):
            y = TOP + row * i
            if not x:
                p.text(16, y + 14, str(i), anchor="end")
            for warp in range(16):
                part = high * lanes.get((step, warp), 0) / LANES
                at = x + 24 + 20 * warp
                p.box(at, y, 18, high, "wait" if part else "", line=svg.THIN)
                if part:
                    p.box(at, y + high - part, 18, part, "lane", line=0)
        total.append(len(lanes))
    p.results(*(f"{number} turns of warps" for number in total))
    p.legend(("lane", "lanes that add"), ("wait", "wait for their warp"))
    p.text(0, p.bottom + 20, "Rows are steps, columns are warps 0 to 15.")


@picture("reduction", "launches", "How do the blocks' sums become one?")
def launches(p: Picture) -> None:
    """Left: a launch of one thread sets the result, then 4 blocks of a second
    launch add to that word one after the other. Right: one launch. Each block
    leaves its sum in a slot and draws a ticket; the block with the last ticket
    adds up the slots and stores the result."""
    blocks = 4
    shuffle, ticket = (trace(
        "reduction", f"--variant {variant} --n {blocks * 8192}", blocks, 60)
        for variant in ("warp_shuffle", "ticket"))
    words = {request["at"][0] for request in pick(
        shuffle, op="atomic", array="result")}
    slots = pick(ticket, op="load", lanes=list(range(blocks)))[0]
    assert len({request["block"][0] for request in pick(
        ticket, op="store", array="result")}) == 1
    assert len(words) == 1 and len(set(slots["at"])) == blocks
    tickets = "2301"  # on a GPU any order; the simulator has 0, 1, 2, 3
    for x, rows in p.panels((("warp_shuffle", "two launches"),
                             ("ticket", "one launch")), (
            [("", ["1: set the result"]),
             ("lane", [f"2: b{i}" for i in range(blocks)])],
            [("lane", [f"b{i}" for i in range(blocks)]),
             ("global", [f"slot {i}" for i in range(blocks)]),
             ("", tickets), ("lane", [f"b{tickets.index('3')}"])])):
        boxes(p, x, 344, [*rows, ("global", ["result"])], 240)
    p.legend(("lane", "block"), ("global", "in global memory"),
             ("", "ticket of a block"))


# ---- scan -------------------------------------------------------------------


def scan_steps(variant: str, words: int) -> List[Dict[int, int]]:
    """Return what the first warp of a scan in one block adds."""
    return additions_of(trace("scan", f"--variant {variant} --n 1024",
                              requests=20, space="shared"), words)


@picture("scan", "trees", "Fewer rounds, or fewer additions")
def trees(p: Picture) -> None:
    """Two panels with 16 words in a row, and a row below for each round; lines
    lead down from the two words of an addition. kogge_stone: nearly all words
    are sums in each round. brent_kung: up a tree whose strides double, and down
    again."""
    found = {variant: scan_steps(variant, 16)
             for variant in ("kogge_stone", "brent_kung")}
    for x, variant in p.panels([
            (variant, f"{sum(map(len, steps))} in {len(steps)} rounds")
            for variant, steps in found.items()]):
        tree(p, x, 20, 16, found[variant], "math")
    p.legend(("math", "a sum of this step"), ("", "stays as it is"))


@picture("scan", "three_launches", "x is read twice, y is written once")
def three_launches(p: Picture) -> None:
    """From top to bottom, for four sections of two words each of x: four blocks
    make the sums of the sections; one block makes of them what stands before
    each section; four blocks read x again and write y."""
    blocks = 4
    does: Dict[str, Set[Tuple[str, str]]] = {}  # of each launch
    for one in trace("scan", f"--variant three_kernels --n {blocks * 9216}",
                     blocks, 40, space="global"):
        does.setdefault(one["kernel"], set()).add((one["op"], one["array"]))
    assert [*does.values()] == [
        {("load", "x"), ("store", "sums")},
        {("load", "sums"), ("store", "sums")},
        {("load", "x"), ("load", "sums"), ("store", "y")}]
    every = [f"block {i}" for i in range(blocks)]
    p.bottom = 34
    boxes(p, 150, 570, (
        ("global", ["1, 4", "2, 0", "3, 1", "1, 2"]), ("lane", every),
        ("global", "5243"), ("lane", every[:1]),
        ("global", ["0; 1, 4", "5; 2, 0", "7; 3, 1", "11; 1, 2"]),
        ("lane", every), ("global", ["1, 5", "7, 7", "10, 11", "12, 14"])))
    for i, words in enumerate(("x", "1  sum", "sums", "2  scan", "before; x",
                               "3  scan", "y")):
        p.text(0, 68 + 66 * i, words, bold=words[0] in "123")
    p.legend(("lane", "block"), ("global", "in global memory"))


@picture("scan", "chain", "What is known of 8 tiles?")
def chain(p: Picture) -> None:
    """Two panels, a column for each of 8 tiles, a row for each look. chained:
    nothing is known but an inclusive prefix, and one more with each look.
    look_back: all aggregates are known at first, and all inclusive prefixes
    after one look. Below, a moment of look_back: tile 7 adds the aggregates of
    6, 5 and 4 and the inclusive prefix of 3."""
    tiles, size = 8, 40
    fills = {"": "", "A": "math", "P": "good"}
    found = [["P" * i + " " * (tiles - i) for i in range(1, tiles + 1)],
             ["P" + "A" * (tiles - 1), "P" * tiles]]
    for x, rows in p.panels((("chained", "asks its neighbour"),
                             ("look_back", "adds aggregates")), found):
        words = {(i, j): state.strip() for i, row in enumerate(rows)
                 for j, state in enumerate(row)}
        grid(p, x, TOP, size, (len(rows), tiles),
             {at: fills[state] for at, state in words.items()}, words)
    for i, line in enumerate(("The first row: at first.", "Each further row:",
                              "after one more look.")):
        p.text(376, TOP + 2 * size + 40 + 32 * i, line)
    p.results(*(svg.count(len(rows) - 1, "look") for rows in found))
    y, wide = p.bottom + 60, 72
    p.text(0, y - 20, "look_back at some moment: tile 7 walks to the left")
    for tile, state in enumerate([*"PPPPAAAA", ""]):
        p.box(36 + wide * tile, y, wide, 52, fills[state], state)
        p.middle(36 + wide * (tile + 0.5), y + 74, str(tile))
    p.arrow((36 + wide * 7.5, y + 104), (36 + wide * 3.5, y + 104))
    p.middle(36 + wide * 5.5, y + 128, "P3 + A4 + A5 + A6")
    p.legend(("", "nothing"), ("math", "aggregate"),
             ("good", "inclusive prefix"))


@picture("scan", "ring", "The ring of block 1, one of 132 blocks")
def ring(p: Picture) -> None:
    """Above, 8 tiles of x, those of one block of 132. Below, its shared memory
    with a slot for each of them: the first one is scanned, the next three wait
    for what stands before them, two are summed, the last two are filled."""
    # A trace has no time: that the tiles are worked at together, each at
    # another stage, is drawn from what the kernel waits for. Bulk copies are no
    # requests of a warp, so a trace has none either.
    requests = trace("scan", f"--variant ring --n {3 * SMS * RING_TILE}",
                     2 * SMS, 40)
    assert len({one["block"][0] for one in requests}) == SMS
    adders, scanners = (len({request["warp"] for request in pick(
        requests, op="store", space=space, bytes=size, block=[1, 0, 0])})
        for space, size in (("global", 8), ("shared", 16)))
    p.text(0, 60, "its tiles of x, and 8 slots of shared memory for them")
    wide = svg.WIDTH / len(STAGES)
    for i, stage in enumerate(STAGES):
        p.bottom, tile = 72, str(1 + SMS * i)
        boxes(p, wide * i, wide, [("global", [tile]), (stage, [tile])])
    for entry in (("global", "loader: fills slots, all the time"),
                  ("lane", f"{adders} adders: tell its sum to all blocks"),
                  ("wait", f"looker: adds the sums of {SMS} tiles before"),
                  ("good", f"{scanners} scanners: write y")):
        p.legend(entry)


# ---- stencil ----------------------------------------------------------------


@picture("stencil", "shells", "A larger cube has less shell")
def shells(p: Picture) -> None:
    """Two pairs of squares, a plane through the middle of a block's cube: the
    cells that it computes in the middle of those that it loads. tiled: 6 of 8.
    coarsened: 30 of 32."""
    each = []
    for x, variant in p.panels((("tiled",), ("coarsened",))):
        mine = trace("stencil", f"--variant {variant} --N "
                     f"{92 if x else 20}", 100, 100, block=[1, 1, 1])
        cells = [len(elements_of(mine, array=array, op=op))
                 for array, op in (("in", "load"), ("out", "store"))]
        loaded, computed = (round(number ** (1 / 3)) for number in cells)
        assert [loaded**3, computed**3] == cells
        each.append(f"{cells[0] / cells[1]:.2f} loads each")
        side, shell = 192, 192 * (loaded - computed) / loaded / 2
        p.box(x, 84, side, side, "global")
        p.box(x + shell, 84 + shell, side - 2 * shell, side - 2 * shell, "math")
        p.text(x + 204, 150, f"{loaded} wide,")
        p.text(x + 204, 180, f"inside {computed}")
    p.results(*each)
    p.legend(("global", "loaded"), ("math", "computed"))


Part = Tuple[int, int, int, int]  # row, column, rows, columns
SEEN: Dict[str, Tuple[str, str, int, Part, Sequence[Tuple[str, Part]]]] = {
    # two lines of words, words of shared memory, what is computed, what is had
    "basic": ("a thread loads 7", "for 1 result", 0, (4, 5, 1, 1), (
        ("global", (3, 5, 3, 1)), ("global", (4, 4, 1, 3)))),
    "tiled": ("8 x 8 x 8 in", "shared memory", 8**3, (2, 3, 6, 6), (
        ("shared", (1, 2, 8, 8)),)),
    "coarsened": ("3 planes in", "shared memory", 3 * 32**2, (4, 1, 1, 11), (
        ("shared", (3, 0, 3, 12)),)),
    "register": ("1 plane in", "shared memory", 32**2, (4, 1, 1, 11), (
        ("math", (3, 1, 3, 11)), ("shared", (4, 0, 1, 12)))),
    "vector": ("a thread has", "4 columns", 0, (4, 4, 1, 4), (
        ("global", (4, 3, 1, 6)), ("math", (3, 4, 3, 4)))),
}


@picture("stencil", "marching", "What does a block have, and where?")
def marching(p: Picture) -> None:
    """Five panels, x to the right, z upwards. basic: a thread loads a cell and
    its neighbours. tiled: a cube in shared memory, its inside is computed.
    coarsened: three planes in shared memory, the middle one is computed; they
    march upwards. register: only the middle plane is in shared memory, those
    above and below are in registers. vector: four columns of a thread in
    registers, the cells beside them are loaded."""
    # A trace has no registers. How much of shared memory a block writes is
    # checked: that is what it has there at a time.
    cell = 17
    for i, (variant, (one, two, words, (top, left, high, wide), parts)) in (
            enumerate(SEEN.items())):
        x, y = 1 + 247 * (i % 3), 62 + 274 * (i // 3)
        stores = trace("stencil", f"--variant {variant} --N 62", 2, 30,
                       space="shared", op="store", block=[0, 0, 0])
        assert words == len({(store["start"] + at) // WORD
                             for store in stores for at in store["at"]})
        grid(p, x, y + 20, cell, (9, 12), {
            (i + row, j + column): fill
            for fill, (row, column, rows, columns) in parts
            for i in range(rows) for j in range(columns)})
        for row in range(high):
            for column in range(wide):
                p.circle(x + cell * (left + column + 0.5),
                         y + 20 + cell * (top + row + 0.5), 4, "black", 0)
        if i > 1:
            p.arrow((x + 218, y + 139), (x + 218, y + 54))
        p.text(x, y, variant, svg.NAME, bold=True)
        p.text(x, y + 195, one)
        p.text(x, y + 223, two)
    p.legend(("shared", "shared memory"), ("math", "registers"),
             ("global", "global memory"))
    p.text(0, p.bottom + 24, "A dot is computed. x goes right, z goes up.")
