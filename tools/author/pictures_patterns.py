"""The pictures of the pattern chapters: a function for each."""

from typing import (Dict, Iterable, List, Mapping, NamedTuple, Optional,
                    Sequence, Set, Tuple)

import svg
from drawings import block, cells, grid, plate, runs, squares, tree
from svg import TOP, Picture, picture
from tracing import (LANES, LINE, WORD, Place, Request, Worker, additions_of,
                     elements, elements_of, extent, pick, shared_contents,
                     steps_of, touched, trace, wavefronts_of)

SMS = 132  # of the simulator's GPU
RING_TILE = 6144  # of the scan's 10_ring.cuh


# ---- bank_conflict_padding --------------------------------------------------


@picture("bank_conflict_padding", "mirror", "In as a row, out as a column")
def mirror(p: Picture) -> str:
    """Three squares. Left, the input in tiles: one of them is marked, a warp
    reads one of its rows. Middle, that tile in shared memory: the row goes in,
    and a column comes out. Right, the output: the tile has changed sides, and
    the column is one of its rows."""
    requests = trace("bank_conflict_padding",
                     "--variant tile --rows 96 --cols 96", requests=4,
                     blocks=4, block=(3, 0, 0))
    read, written, taken, stored = (
        [place for _, place in elements(pick(requests, array=array, op=op,
                                             warp=0)[0])]
        for array, op in (("in", "load"), ("tile", "store"), ("tile", "load"),
                          ("out", "store")))
    assert extent(read)[2] == extent(stored)[2] == extent(written)[2] == 1
    assert extent(taken)[3] == 1
    size, top, sides = 192, 124, 3  # tiles along an edge of the matrix
    small, cell = size / sides, size / 8
    p.panels(("in", "global"), ("tile", "shared"), ("out", "global"))
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
    p.legend(("global", "one request of a warp"), ("shared", "is written"))
    p.legend(("lane", "is read"), ("math", "the tile of the block"))
    return ("A row of the input enters the tile as a row; a column of the tile "
            "leaves as a row of the output")


class Layout(NamedTuple):
    """Where a tile lies in shared memory, counted in parts of some bytes."""

    fills: Dict[int, str]  # what some lanes read together, and padding
    waves: int
    chosen: int  # the column of what they read
    numbers: Dict[int, int]  # of each part in its row of the tile


def layout(args: str, unit: int, warp: int) -> Layout:
    """Return what a warp's first load from shared memory reads at once.

    Parts are numbered from the start of the array on.
    """
    requests = trace("bank_conflict_padding", args, requests=4)
    request = pick(requests, space="shared", op="load", warp=warp)[0]
    numbers = {(word * WORD - request["start"]) // unit: column * WORD // unit
               for word, (_, column) in shared_contents(requests).items()}
    waves = [wave for wave in wavefronts_of({**request, "start": 0})
             if wave[0][2] == 0]
    fills = {word * WORD // unit: "stripes" if turn else "shared" for turn, wave
             in enumerate(waves) for _, word, _ in wave}
    chosen, = {numbers[at] for at in fills}
    line = LINE // unit
    for at in range((max(fills) // line + 1) * line):
        if at not in numbers:
            fills[at] = "hatch"
    return Layout(fills, len(waves), chosen, numbers)


def bank_maps(p: Picture, size: float, unit: int,
              names: Sequence[Sequence[str]], found: Sequence[Layout],
              labels: bool) -> None:
    """Draw shared memory in lines of all banks, one below the other."""
    wide = LINE // unit
    for x, one in zip(p.panels(*names), found):
        x, shape = x + 1, (1 + max(one.fills) // wide, wide)
        fills = {divmod(at, wide): fill for at, fill in one.fills.items()}
        if labels:
            grid(p, x, TOP, size, shape, fills, {
                divmod(at, wide): str(one.numbers[at])
                for at in range(shape[0] * wide)
                if one.fills.get(at, "shared") == "shared"})
        else:
            p.box(x, TOP, size * wide, size * shape[0], line=svg.THIN)
            for place, fill in fills.items():
                squares(p, x, TOP, size, [place], fill)
        p.text(x, TOP + size * shape[0] + 16, "bank 0")
        p.text(x + size * wide, TOP + size * shape[0] + 16, "31", anchor="end")
    p.results(*(svg.count(one.waves, "wavefront") for one in found),
              good=[one.waves == 1 for one in found])


@picture("bank_conflict_padding", "columns")
def columns(p: Picture) -> str:
    """Three tiles in lines of 32 banks, a column marked. Plain, the column is
    upright, and all but one of its words have to wait: 32 wavefronts; with a
    word of padding after each row it is slanting, with exchanged words it has
    steps: 1 wavefront."""
    names = [("tile", "rows of 32 words"), ("tile_padded", "rows of 33 words"),
             ("tile_swizzled", "words exchanged")]
    found = [layout(f"--variant {name} --rows 64 --cols 64", WORD, 2)
             for name, _ in names]
    column = found[0].chosen
    p.head(f"In which banks does column {column} lie?")
    bank_maps(p, 6.6, WORD, names, found, False)
    p.legend(("shared", f"column {column}"), ("stripes", "has to wait"),
             ("hatch", "padding"))
    return (f"Column {column} of a tile: in one bank; with padding, or "
            "exchanged words, in all banks")


@picture("bank_conflict_padding", "pieces")
def pieces(p: Picture) -> str:
    """Three tiles with 8 rows of pieces of 16 bytes, by the number of a piece
    in its row, in lines of all 32 banks; the same piece of each row is marked.
    Plain: these pieces lie in two groups of four banks, 4 wavefronts. With a
    piece of padding after each row, and with exchanged pieces, they take all
    banks once: 1 wavefront."""
    names = [("wmma", "rows of 4 pieces"), ("wmma_padded", "rows of 5 pieces"),
             ("mma_swizzled", "exchanged")]
    args = "--problem product --M 128 --N 256 --K 32 --variant "
    found = [layout(args + name, 16, 0) for name, _ in names]
    piece = found[0].chosen
    p.head(f"An ldmatrix reads piece {piece} of 8 rows")
    bank_maps(p, 26.5, 16, names, found, True)
    p.legend(("shared", f"piece {piece}"), ("", "others"),
             ("stripes", "has to wait"), ("hatch", "padding"))
    return (f"Piece {piece} of 8 rows: {found[0].waves} wavefronts; with "
            f"padding, or exchanged pieces, {found[1].waves}")


# ---- histogram --------------------------------------------------------------


def tables(variant: str) -> int:
    """Return the tables in which 64 lanes of two blocks count one value."""
    adds = pick(trace("histogram", f"--variant {variant} --n 32768 --input "
                      "constant", blocks=2, warps=1, requests=12), op="atomic")
    firsts = [pick(adds, block=[of, 0, 0])[0] for of in (0, 1)]
    inside = firsts[0]["space"] == "shared"  # then each block has its own
    return len({(of * inside, at) for of, first in enumerate(firsts)
                for at in first["at"]})


@picture("histogram", "sharing", "Who has to share a table?")
def sharing(p: Picture) -> str:
    """Three panels. Left: the lanes of two blocks all add to one table in
    global memory. Middle: each block has a table of its own in shared memory.
    Right: each lane has a column of its own in the table."""
    found = [tables(variant) for variant in
             ("global_atomic", "private_shared", "bank_private")]
    assert found == [1, 2, 2 * LANES]
    shown, cell, wide = 4, 22, 96  # lanes, their size; from block to block
    for x, count in zip(p.panels(("all threads",), ("a block",), ("nobody",)),
                        found):
        lefts = [x + 12, x + 12 + wide]
        middles = [left + cell * shown / 2 for left in lefts]
        for left, middle in zip(lefts, middles):
            for lane in range(shown):
                at = left + cell * (lane + 0.5)
                p.path([(at, 104 + cell), ({1: sum(middles) / 2, 2: middle}.get(
                    count, at), 200)])
            squares(p, left, 104, cell, block(1, shown), "lane")
            if count > 2:
                squares(p, left, 200, cell, block(3, shown), "shared")
        for middle in {1: [sum(middles) / 2], 2: middles}.get(count, []):
            p.box(middle - cell, 200, 2 * cell, 3 * cell,
                  "global" if count == 1 else "shared")
    p.legend(("lane", "lane"), ("global", "in global memory"),
             ("shared", "in shared memory"))
    return ("One table for all threads, one for each block, or one for each "
            "lane of a warp")


def letters_of(request: Request) -> List[str]:
    """Return what each lane counts: where it adds says which byte that is."""
    per_value = request["pitch"] or WORD
    return [chr(at // per_value).replace(" ", "␣") for at in request["at"]]


def meeting(p: Picture, left: float, request: Request) -> None:
    """Draw lanes above, and below them the words that they add to.

    Columns are the banks that are touched, rows are lines of shared memory,
    both from the start of the table on.
    """
    cell, lane_top, top = 34, TOP, 232
    letters = letters_of(request)
    words = [at // WORD for at in request["at"]]
    lines = sorted({word // LANES for word in words})
    banks = sorted({word % LANES for word in words})
    bottom = top + cell * len(lines)
    x: Dict[int, float] = {}
    for bank in banks:  # apart from the one before, if others are between
        x[bank] = left + cell * len(x) + 8 * (len(runs(banks[:len(x) + 1])) - 1)
        p.middle(x[bank] + cell / 2, bottom + 20, str(bank))
        squares(p, x[bank], top, cell, block(len(lines), 1))
    p.text(left, bottom + 48, "banks that are touched")
    for lane, word in enumerate(words):
        p.path([(left + cell * (lane + 0.5), lane_top + cell),
                (x[word % LANES] + cell / 2, top)])
        p.box(left + cell * lane, lane_top, cell, cell, "lane", letters[lane])
    for turn, wave in enumerate(wavefronts_of({**request, "start": 0})):
        for lane, word, _ in wave:
            at = (x[word % LANES], top + cell * lines.index(word // LANES),
                  cell, cell, letters[lane])
            if turn:
                plate(p, *at)
            else:
                p.box(*at[:4], "shared", at[4])


@picture("histogram", "banks", "Where do the lanes of a warp meet?")
def banks(p: Picture) -> str:
    """Two panels: lanes above, each with the first of its 16 letters, and a
    line to the bank of the word that it adds to. Left, one table: different
    letters meet in a bank, and one of them has to wait. Right, a row for each
    letter and a column for each lane: every lane adds straight below itself."""
    one, private = (pick(trace(
        "histogram", f"--variant {variant} --n 128 --input text", requests=12),
        op="atomic", space="shared")[0] for variant in ("wide", "bank_private"))
    lanes = len(one["lanes"])
    assert letters_of(one) == letters_of(private)
    for x, request in zip(p.panels(("wide", "one table"), (
            "bank_private", "a column for each lane")), (one, private)):
        meeting(p, x, request)
    p.results(*(svg.count(request["wavefronts"], "wavefront")
                for request in (one, private)))
    p.legend(("lane", "lane, its letter"), ("shared", "word"),
             ("stripes", "has to wait"))
    return (f"{lanes} lanes count {lanes} letters: "
            f"{svg.count(one['wavefronts'], 'wavefront')} in one table, "
            f"{private['wavefronts']} in a table with a column for each lane")


# ---- conv -------------------------------------------------------------------


def conv_block(variant: str, number: Tuple[int, int]) -> Tuple[Request, ...]:
    """Return what a block of conv in the middle of its picture does."""
    return trace(
        "conv", f"--variant {variant} --width 96 --height 96 --radius 2",
        blocks=6, requests=30, block=(*number, 0))


@picture("conv", "halo", "Results at the rim need the halo")
def halo(p: Picture) -> str:
    """A square of 32 x 32 pixels that a block loads; in its middle the 28 x 28
    that it computes. Around it is the halo, 2 pixels wide. Two frames of 5 x 5
    pixels: what a result in the corner needs lies partly in the halo, what one
    in the middle needs does not."""
    mine = conv_block("tiled", (1, 1))
    loaded = elements_of(mine, array="x", op="load")
    stored = elements_of(mine, array="y", op="store")
    row, column, edge, _ = extent(loaded)
    inner = extent(stored)[2]
    size, radius, x = 12, (edge - inner) // 2, 410
    side = 2 * radius + 1
    assert len(loaded) == edge**2 and len(stored) == inner**2
    for places, fill in ((loaded, "global"), (stored, "math")):
        cells(p, 0, 50, size, [(y - row, x - column) for y, x in places], fill)
    for at in (radius, edge // 2):
        p.box(size * (at - radius), 50 + size * (at - radius), size * side,
              size * side, line=svg.BOLD, edge="black")
        p.circle(size * (at + 0.5), 50 + size * (at + 0.5), 4, "black", 0)
    p.panel(x, 76, "a block loads", f"{edge} x {edge} pixels")
    p.panel(x, 166, "and computes", f"{inner} x {inner} results")
    p.panel(x, 256, "A frame is around", f"the {side} x {side} pixels",
            "of the dot's result.")
    p.legend(("global", "halo"), ("math", "computed"))
    return (f"A block loads {edge} x {edge} pixels and computes "
            f"{inner} x {inner}")


@picture("conv", "sums")
def sums(p: Picture) -> str:
    """Above, a row of pixels that a thread has loaded. Below, the sums of five
    rows of results. Each gets the pixels times another row of the filter. The
    uppermost is complete after that and is stored; the others move up by a row.
    """
    # A trace has no registers: which sum gets which row of the filter is what
    # the kernel says; how many columns there are is in the trace.
    mine = conv_block("register_window", (0, 1))
    loaded, stored = steps_of(mine, (0, 1))[0]
    assert not pick(mine, space="shared")
    wide, own = extent(loaded)[3], extent(stored)[3]
    rows = len({row for row, _ in loaded}) - 1  # one is loaded ahead
    size, left, top = 22, 196, 62
    inner = left + size * (wide - own) // 2
    middle, right = inner + size * own / 2, inner + size * own + 24
    p.head(f"Who needs row r? {rows} rows of results")
    p.text(0, top + size / 2, "pixels, row r")
    squares(p, left, top, size, block(1, wide), "global")
    p.box(inner, top, size * own, size, line=svg.BOLD, edge="black")
    p.arrow((middle, top + size + 8), (middle, top + 80))
    p.text(middle + 14, top + 50, "times filter row")
    for s in range(rows):
        y, q = top + 92 + 52 * s, s - rows // 2
        p.text(0, y + size / 2, "sums, row r" + (
            f" {'+' if q > 0 else '-'} {abs(q)}" if q else ""))
        squares(p, inner, y, size, block(1, own), "math" if s else "good")
        p.text(right, y + size / 2, str(rows - 1 - s))
        if s:
            p.arrow((inner - 22, y + size / 2), (inner - 22, y - 26))
    p.text(right + 32, top + 103, "then stored")
    p.text(0, p.bottom + 34,
           "The next row of pixels finds each sum a line further up.")
    p.legend(("global", "pixels"), ("math", "sums"), ("good", "complete"),
             ("frame", "own columns"))
    return f"A row of pixels is added to {rows} rows of sums"


# ---- reduction --------------------------------------------------------------

STRIDES = [("divergent", "stride doubles"), ("convergent", "stride halves")]


@picture("reduction", "tree", "Where do the sums of a step lie?")
def sums_of_a_step(p: Picture) -> str:
    """Two panels with 32 words in a row, and a row below for each step. Yellow
    words are sums of this step; lines lead down from the two words that are
    added. divergent: every second word, then every fourth. convergent: the left
    half, then the left quarter."""
    for x, (variant, _) in zip(p.panels(*STRIDES), STRIDES):
        steps = additions_of(pick(trace(
            "reduction", f"--variant {variant} --n 1024", requests=100),
            array="work"), LANES)
        tree(p, x, TOP, 10.5, LANES, steps, "math")
    p.legend(("math", "a sum of this step"), ("", "stays as it is"))
    return (f"The sums of {len(steps)} steps: apart if the stride doubles, "
            "side by side if it halves")


@picture("reduction", "working_warps", "Who adds in each step of the tree?")
def working_warps(p: Picture) -> str:
    """Two panels, a row for each of 10 steps, a cell for each of 16 warps, blue
    as far as its lanes work. Left, divergent: in the first steps all warps
    work, with fewer and fewer lanes. Right, convergent: full warps, half as
    many in each step."""
    row, high, total = 34, 28, []
    p.panels(*STRIDES)
    for x, (variant, _) in zip((24, 400), STRIDES):
        work = pick(trace("reduction", f"--variant {variant} --n 1024",
                          requests=100), array="work", op="load")
        lanes = {(one["barriers"], one["warp"]): len(one["lanes"])
                 for one in pick(work, line=work[0]["line"])}
        steps = sorted({step for step, _ in lanes})
        for i, step in enumerate(steps):
            y = TOP + row * i
            if x < 100:
                p.text(16, y + 14, str(i), anchor="end")
            for warp in range(16):
                part = high * lanes.get((step, warp), 0) / LANES
                p.box(x + 20 * warp, y, 18, high, "wait" if part else "",
                      line=svg.THIN)
                if part:
                    p.box(x + 20 * warp, y + high - part, 18, part, "lane",
                          line=0)
        total.append(len(lanes))
    p.results(*(f"{number} turns of warps" for number in total))
    p.legend(("lane", "lanes that add"), ("wait", "wait for their warp"))
    p.text(0, p.bottom + 20, "Rows are steps, columns are warps 0 to 15.")
    return (f"A tree of {len(steps)} steps: {total[0]} turns of warps if the "
            f"stride doubles, {total[1]} if it halves")


@picture("reduction", "launches", "How do the blocks' sums become one?")
def launches(p: Picture) -> str:
    """Left: a launch of one thread sets the result, then the blocks of a second
    launch add to that word one after the other. Right: one launch. Each block
    leaves its sum in a slot and draws a ticket; the block with the last ticket
    adds up the slots and stores the result."""
    blocks = 4
    shuffle, ticket = (trace(
        "reduction", f"--variant {variant} --n {blocks * 8192}", blocks=blocks,
        warps=1, requests=60) for variant in ("warp_shuffle", "ticket"))
    words = {request["at"][0] for request in pick(
        shuffle, op="atomic", array="result")}
    slots = pick(ticket, op="load", lanes=list(range(blocks)))[0]
    assert len({request["block"][0] for request in pick(
        ticket, op="store", array="result")}) == 1
    assert len(words) == 1 and len(set(slots["at"])) == blocks
    tickets = [2, 3, 0, 1]  # on a GPU any order; the simulator has 0, 1, 2, 3
    wide, right = 76, 416
    p.panel(0, 62, "warp_shuffle", "two launches")
    p.panel(right, 62, "ticket", "one launch")
    p.box(0, 116, 4 * wide, 40, "", "1: set the result")
    for i in range(blocks):
        left = wide * (i + 0.5)
        middle = right + left
        p.box(wide * i, 176, wide, 40, "lane", f"2: b{i}")
        p.path([(left, 216), (2 * wide, 300)])
        p.box(right + wide * i, 176, wide, 40, "lane", f"b{i}")
        p.arrow((middle, 216), (middle, 246))
        p.box(right + wide * i, 246, wide, 40, "global", f"{i}")
        p.middle(middle, 312, f"{tickets[i]}")
        p.path([(middle, 332), (right + 2 * wide, 372)])
    p.box(wide, 300, 2 * wide, 40, "global", "result")
    p.text(0, 368, f"{blocks} atomics, one word")
    p.text(right - 8, 266, "slot", anchor="end")
    p.text(right - 8, 312, "ticket", anchor="end")
    p.box(right + 1.5 * wide, 372, wide, 40, "lane",
          f"b{tickets.index(blocks - 1)}")
    p.arrow((right + 2 * wide, 412), (right + 2 * wide, 440))
    p.box(right + wide, 440, 2 * wide, 40, "global", "result")
    p.legend(("lane", "block"), ("global", "in global memory"))
    return ("Two launches and atomics on one word, or one launch with slots "
            "and tickets")


# ---- scan -------------------------------------------------------------------


def scan_steps(variant: str, words: int) -> List[Dict[int, int]]:
    """Return what the first warp of a scan in one block adds."""
    return additions_of(pick(trace(
        "scan", f"--variant {variant} --n 1024", warps=1, requests=20),
        space="shared"), words)


@picture("scan", "rounds", "Each round doubles what an element holds")
def rounds(p: Picture) -> str:
    """Lanes 0 to 31 from left to right, a row for each round. Lines lead down
    from the two elements that a lane adds; those that add nothing are empty. At
    the left, how many inputs lane 31 holds."""
    steps = scan_steps("kogge_stone", LANES)
    size, left, top, row = 17, 152, 92, 76
    holds = [1] * LANES
    p.text(left, 70, "lane 0")
    p.text(left + size * LANES, 70, "31", anchor="end")
    tree(p, left, top, size, LANES, steps, "lane", row)
    for i, step in enumerate(steps, 1):
        holds = [holds[lane] + (holds[step[lane]] if lane in step else 0)
                 for lane in range(LANES)]
        p.text(0, top + row * i - 6, f"round {i}")
        p.text(0, top + row * i + 22, f"lane 31: {holds[31]}")
    p.legend(("lane", "adds what the lines bring"))
    return (f"After {len(steps)} rounds of Kogge-Stone lane 31 holds "
            f"{holds[31]} inputs")


@picture("scan", "trees", "Fewer rounds, or fewer additions")
def trees(p: Picture) -> str:
    """Two panels with 16 words in a row, and a row below for each round; lines
    lead down from the two words of an addition. kogge_stone: nearly all words
    are sums in each round. brent_kung: up a tree whose strides double, and down
    again."""
    words, variants = 16, ("kogge_stone", "brent_kung")
    found = [scan_steps(variant, words) for variant in variants]
    sizes = [(sum(map(len, steps)), len(steps)) for steps in found]
    for x, steps in zip(p.panels(*(
            (variant, f"{adds} in {of} rounds")
            for variant, (adds, of) in zip(variants, sizes))), found):
        tree(p, x, TOP, 20, words, steps, "math")
    p.legend(("math", "a sum of this step"), ("", "stays as it is"))
    (adds, of), (fewer, more) = sizes
    return (f"A scan of {words} words: {adds} additions in {of} rounds, or "
            f"{fewer} in {more}")


@picture("scan", "three_launches", "x is read twice, y is written once")
def three_launches(p: Picture) -> str:
    """From top to bottom, for four sections of two words each of x: four blocks
    make the sums of the sections; one block makes of them what stands before
    each section; four blocks read x again and write y."""
    blocks = 4
    requests = trace("scan", f"--variant three_kernels --n {blocks * 9216}",
                     blocks=blocks, warps=1, requests=40)
    who: Dict[str, Tuple[Set[Tuple[str, str]], Set[int]]] = {}
    for one in requests:
        does, of = who.setdefault(one["kernel"], (set(), set()))
        of.add(one["block"][0])
        if one.get("space") == "global":
            does.add((one["op"], one["array"]))
    assert [(does, len(of)) for does, of in who.values()] == [
        ({("load", "x"), ("store", "sums")}, blocks),
        ({("load", "sums"), ("store", "sums")}, 1),
        ({("load", "x"), ("load", "sums"), ("store", "y")}, blocks)]
    x = [[1, 4], [2, 0], [3, 1], [1, 2]]  # an example: sections of two
    before = [sum(map(sum, x[:i])) for i in range(blocks)]
    left, wide, cell, high, down = 192, 134, 40, 36, 56
    for i, words in enumerate(("x", "1  sum", "sums", "2  scan", "before, x",
                               "3  scan", "y")):
        p.text(0, 50 + high / 2 + down * i, words, bold=words[0] in "123")
    p.box(left, 50 + down * 3, wide * (blocks - 1) + 3 * cell + 6, high, "lane",
          "block 0")
    for i, (one, two) in enumerate(x):
        first = left + wide * i
        last = first + cell + 6
        for row in (1, 5):
            p.box(first, 50 + down * row, 3 * cell + 6, high, "lane",
                  f"block {i}")
        for row, at, word in (
                (0, last, one), (0, last + cell, two), (2, first, one + two),
                (4, first, before[i]), (4, last, one), (4, last + cell, two),
                (6, last, before[i] + one), (6, last + cell, before[i] + one
                                             + two)):
            p.box(at, 50 + down * row, cell, high, "global", f"{word}")
        for row, at in ((1, last + cell), (5, last + cell), (6, last + cell),
                        *((row, first + cell / 2) for row in range(2, 6))):
            p.arrow((at, 50 + down * (row - 1) + high), (at, 50 + down * row))
    p.legend(("lane", "block"), ("global", "in global memory"))
    return ("Three launches: sum each section, scan the sums, scan each "
            "section after what stands before it")


def known(tiles: int, look_back: bool) -> List[str]:
    """Return what is known of the tiles at first, and after each look.

    All blocks look at once. A: an aggregate, P: an inclusive prefix, blank:
    nothing. chained asks the neighbour; look_back walks over aggregates.
    """
    rows = ["P" + ("A" if look_back else " ") * (tiles - 1)]
    while set(rows[-1]) != {"P"}:
        now = rows[-1]
        rows.append("".join(
            "P" if (now[:tile].rstrip("A") if look_back else now[:tile]
                    ).endswith("P") or not tile else now[tile]
            for tile in range(tiles)))
    return rows


@picture("scan", "chain", "What is known of 8 tiles?")
def chain(p: Picture) -> str:
    """Two panels, a column for each of 8 tiles, a row for each look. chained:
    nothing is known but an inclusive prefix, and one more with each look.
    look_back: all aggregates are known at first, and all inclusive prefixes
    after one look. Below, a moment of look_back: tile 7 adds the aggregates of
    6, 5 and 4 and the inclusive prefix of 3."""
    tiles, size = 8, 40
    fills = {" ": "", "A": "math", "P": "good"}
    found = [known(tiles, False), known(tiles, True)]
    for x, rows in zip(p.panels(("chained", "asks its neighbour"),
                                ("look_back", "adds aggregates")), found):
        words = {(i, j): state.strip() for i, row in enumerate(rows)
                 for j, state in enumerate(row)}
        grid(p, x, TOP, size, (len(rows), tiles),
             {at: fills[state or " "] for at, state in words.items()}, words)
    for i, line in enumerate(("The first row: at first.", "Each further row:",
                              "after one more look.")):
        p.text(376, TOP + 2 * size + 40 + 32 * i, line)
    looks = [len(rows) - 1 for rows in found]
    p.results(*(svg.count(number, "look") for number in looks))
    y, wide = p.bottom + 60, 72
    p.text(0, y - 20, "look_back at some moment: tile 7 walks to the left")
    for tile, state in enumerate("PPPPAAAA "):
        p.box(36 + wide * tile, y, wide, 52, fills[state], state.strip())
        p.middle(36 + wide * (tile + 0.5), y + 74, str(tile))
    p.arrow((36 + wide * 7.5, y + 104), (36 + wide * 3.5, y + 104))
    p.middle(36 + wide * 5.5, y + 128, "P3 + A4 + A5 + A6")
    p.legend(("", "nothing"), ("math", "aggregate"),
             ("good", "inclusive prefix"))
    return (f"After {looks[0]} looks all of {tiles} tiles are known in a "
            f"chain, after {looks[1]} with look-back")


class Ring(NamedTuple):
    """Who does what in a block of ring."""

    tiles: List[int]  # of the block
    blocks: int  # whose sums the looker adds
    adders: int  # warps that tell sums
    scanners: int  # warps that store tiles


def ring_of(of: int, slots: int) -> Ring:
    """Return what a block of ring does with its first tiles.

    The looker loads the sums of all tiles since the block's last one, and
    stores what stands before the next one: so many sums, so many tiles.
    """
    tiles = SMS * (slots - 1) + of + 1  # the last one is this block's
    requests = trace("scan", f"--variant ring --n {RING_TILE * tiles}",
                     blocks=of + 1, requests=100, block=(of, 0, 0))
    looker = pick(requests, space="global", op="load", bytes=8)[0]["warp"]
    asked: Set[int] = set()
    added: List[int] = []
    for request in pick(requests, warp=looker):
        if (request["space"], request["op"]) == ("global", "load"):
            asked.update(request["at"])
        if (request["space"], request["op"]) == ("shared", "store"):
            added.append(len(asked))
            asked.clear()
    assert len(added) == slots
    return Ring([sum(added[:i + 1]) for i in range(slots)], added[-1], *(
        len({request["warp"] for request in pick(
            requests, op="store", space=space, bytes=size)})
        for space, size in (("global", 8), ("shared", 16))))


@picture("scan", "ring")
def ring(p: Picture) -> str:
    """Above x: the tiles of one block of 132. In the middle its shared memory
    with a slot for each of them: the first one is scanned, the next three wait
    for what stands before them, two are summed, the last two are filled. Adders
    tell sums to all blocks, the looker adds those of 132 tiles, scanners write
    y, below."""
    # A trace has no time: that the tiles are worked at together, each at
    # another stage, is drawn from what the kernel waits for. Bulk copies are no
    # requests of a warp, so a trace has none either.
    stages = ["good"] + ["wait"] * 3 + ["lane"] * 2 + ["global"] * 2
    facts = ring_of(1, len(stages))
    wide, x_of = 76, [44 + 90 * i for i in range(len(stages))]
    p.head(f"The ring of block 1, one of {facts.blocks} blocks")
    p.text(0, 60, "its tiles of x")
    p.box(2, 178, 716, 108, line=svg.BOLD)
    p.text(14, 200, f"{len(stages)} slots of shared memory")
    for x, tile, stage in zip(x_of, facts.tiles, stages):
        p.box(x - wide / 2, 78, wide, 40, "global", str(tile))
        p.box(x - wide / 2, 220, wide, 52, stage, str(tile))
        if stage in ("global", "lane"):
            p.arrow(*[(x, 118), (x, 220)] if stage == "global"
                    else [(x, 272), (x, 366)])
    scanned, waits, filled = x_of[0], x_of[2], x_of[6]
    p.text(filled - 14, 146, "loader: bulk copies, all the time", anchor="end")
    p.arrow((waits, 366), (waits, 272))
    for x, lines in ((x_of[5], (f"{facts.adders} adders", "tell sums")),
                     (waits, ("looker", f"adds {facts.blocks}"))):
        for y, words in zip((308, 338), lines):
            p.text(x + 12, y, words)
    p.box(waits - 40, 366, x_of[5] - waits + 80, 72, "shared")
    for y, words in ((388, "sums of all blocks,"),
                     (416, "a word each, in the L2")):
        p.middle((waits + x_of[5]) / 2, y, words, "black")
    p.arrow((scanned, 272), (scanned, 444))
    p.text(14, 466, f"{facts.scanners} scanners write y")
    p.legend(("good", "is scanned"), ("wait", "its sum is told"))
    p.legend(("lane", "is summed"), ("global", "is filled"))
    return f"The ring: {len(stages)} tiles of a block at different stages"


# ---- stencil ----------------------------------------------------------------


def cube(p: Picture, x: float, y: float, edge: float, fill: str) -> None:
    """Draw a cube; x, y: the lower left corner of its front."""
    back = edge * 0.35
    a, b, c, d, e, f = ((x, y - edge), (x + back, y - edge - back),
                        (x + edge + back, y - edge - back),
                        (x + edge, y - edge), (x + edge + back, y - back),
                        (x + edge, y))
    for points in ((a, b, c, d), (d, c, e, f)):
        p.path(points, fill=fill)
        p.path([*points, points[0]], stroke="black")
    p.box(x, y - edge, edge, edge, fill)


@picture("stencil", "shells", "A larger cube has less shell")
def shells(p: Picture) -> str:
    """Two pairs of cubes: the cells that a block loads, and those that it
    computes. The pairs are drawn at different scales, the cubes of a pair at
    the same."""
    variants, each = (("tiled", 20), ("coarsened", 92)), []
    for x, (variant, edge) in zip(p.panels(("tiled",), ("coarsened",)),
                                  variants):
        mine = trace("stencil", f"--variant {variant} --N {edge}", blocks=100,
                     requests=100, block=(1, 1, 1))
        counts = [len(elements_of(mine, array=array, op=op))
                  for array, op in (("in", "load"), ("out", "store"))]
        edges = [round(count ** (1 / 3)) for count in counts]
        assert [edge ** 3 for edge in edges] == counts
        each.append(f"{counts[0] / counts[1]:.2f}")
        for left, edge, fill in zip((x, x + 200), edges, ("global", "math")):
            cube(p, left, 270, 110 * edge / edges[0], fill)
            p.text(left, 292, f"{edge} wide")
    p.results(*(f"{number} loads each" for number in each))
    p.legend(("global", "loaded"), ("math", "computed"))
    return (f"A block of tiled loads {each[0]} cells for each that it "
            f"computes, one of coarsened {each[1]}")


Cell = Tuple[int, int, int]  # z, y, x
Size = Tuple[int, int, int]  # x, y, z


class March(NamedTuple):
    """What is where when a block of stencil, or a lane, computes a plane."""

    shared: Set[Cell]
    registers: Set[Cell]
    loaded: Set[Cell]  # for this plane alone
    computed: Set[Cell]
    planes: int  # that are computed one after the other


def stencil_block(variant: str, size: Size,
                  number: Size) -> Tuple[Request, ...]:
    """Return what a block of stencil does."""
    args = "--variant {} --nx {} --ny {} --nz {}".format(variant, *size)
    return trace("stencil", args, blocks=22, requests=8, block=number)


def cells_of(places: Iterable[Place], size: Size) -> Set[Cell]:
    """Return elements as cells of a box."""
    return {(*divmod(row, size[1]), column) for row, column in places}


def march(variant: str, size: Size, number: Size,
          mine: Optional[Worker] = None) -> March:
    """Return what is where at the third plane of a block, or of one lane.

    A trace has no registers: a lane has there what it needs for another plane,
    too, and has not to load again. It says nothing of values either: what a
    lane stores in shared memory is its latest cell or the one before, so that
    all who read it there need it.
    """
    basic = (34, 34, 34)  # what a lane of it loads, beside the cell it computes
    (loaded, stored), = steps_of(
        stencil_block("basic", basic, (0, 1, 1)), (5, 5))
    (z, y, x), = cells_of(stored, basic)
    around = {(at[0] - z, at[1] - y, at[2] - x)
              for at in cells_of(loaded, basic)}

    requests = stencil_block(variant, size, number)
    stores = pick(requests, op="store", space="global")
    results = touched(stores)
    rows = sorted(row % size[1] for places in results.values()
                  for row, _ in places)
    lanes = [mine] if mine else [
        lane for lane, places in results.items()
        if places[0][0] % size[1] == rows[len(rows) // 2]]
    need: Dict[Worker, Set[Cell]] = {}
    had: Set[Cell] = set()
    kept: Set[Cell] = set()
    computed: Set[Cell] = set()
    for lane in lanes:
        steps = [(cells_of(loaded, size), cells_of(stored, size))
                 for loaded, stored in steps_of(requests, lane)]
        now = min(2, len(steps) - 1)
        had.update(*(loaded for loaded, _ in steps[:now + 1]))
        computed |= steps[now][1]
        needs = [{(z + dz, y + dy, x + dx) for z, y, x in stored
                  for dz, dy, dx in around} for _, stored in steps]
        need[lane] = needs[now]
        kept |= {cell for cell in needs[now]
                 if sum(cell in other for other in needs) > 1}
    turn = next(store["barriers"] for store in stores
                if cells_of(elements_of([store]), size) & computed)
    reads = [((request["warp"], lane), (request["start"] + at) // WORD)
             for request in pick(requests, space="shared", op="load",
                                 barriers=turn)
             for lane, at in zip(request["lanes"], request["at"])
             if (request["warp"], lane) in need]
    before = [request for request in requests if request["barriers"] < turn]
    for ahead in range(2):
        holds = {word: cell for word, place
                 in shared_contents(before, ahead).items()
                 for cell in cells_of([place], size)}
        if all(holds.get(word) in need[lane] for lane, word in reads):
            break
    else:
        raise AssertionError(variant)
    shared = {*holds.values()}
    wanted = {cell for cells_ in need.values() for cell in cells_} - shared
    assert wanted <= had, variant
    return March(shared, wanted & kept, wanted - kept, computed, len(steps))


@picture("stencil", "marching", "What does a block have, and where?")
def marching(p: Picture) -> str:
    """Five panels, x to the right, z upwards. basic: a thread loads a cell and
    its neighbours. tiled: a cube in shared memory, its inside is computed.
    coarsened: three planes in shared memory, the middle one is computed; they
    march upwards. register: only the middle plane is in shared memory, those
    above and below are in registers. vector: four columns of a thread in
    registers, the cells beside them are loaded."""
    cell, wide, high, third = 17, 12, 9, 494  # sizes of a panel in cells
    for x, y, variant, size, number, mine in (
            (1, 62, "basic", (34, 34, 34), (0, 1, 1), (5, 5)),
            (247, 62, "tiled", (20, 20, 20), (1, 1, 1), None),
            (1, 336, "coarsened", (62, 30, 60), (1, 0, 1), None),
            (247, 336, "register", (62, 30, 60), (1, 0, 1), None),
            (third, 336, "vector", (64, 30, 60), (0, 1, 1), (2, 3))):
        at = march(variant, size, number, mine)
        planes = len({z for z, *_ in at.shared})
        fills: Mapping[Cell, str] = {
            **dict.fromkeys(at.loaded, "global"),
            **dict.fromkeys(at.registers, "math"),
            **dict.fromkeys(at.shared, "shared")}
        row = sorted(y for _, y, _ in at.computed)[len(at.computed) // 2]
        first_z, first_x, deep, across = extent(
            (z, x) for z, y, x in fills if y == row)
        last_z = first_z - (high - deep) // 2 + high - 1  # stands uppermost
        first_x -= max(0, wide - across) // 2
        p.text(x, y, variant, svg.NAME, bold=True)
        grid(p, x, y + 20, cell, (high, wide), {
            (i, j): fills.get((last_z - i, row, first_x + j), "")
            for i, j in block(high, wide)})
        for z, line, column in at.computed:
            if line == row and column - first_x < wide:
                p.circle(x + cell * (column - first_x + 0.5),
                         y + 20 + cell * (last_z - z + 0.5), 4, "black", 0)
        bottom = y + 20 + cell * high
        if at.planes > 1:
            right = x + cell * wide + 14
            p.arrow((right, bottom - 2 * cell), (right, y + 20 + 2 * cell))
        for i, words in enumerate({
                "basic": (f"a thread loads {len(at.loaded)}", "for 1 result"),
                "tiled": (" x ".join([str(planes)] * 3) + " in",
                          "shared memory"),
                "vector": ("a thread has", f"{len(at.computed)} columns")}.get(
                    variant, (svg.count(planes, "plane") + " in",
                              "shared memory"))):
            p.text(x, bottom + 22 + 28 * i, words)
    for i, entry in enumerate((
            ("dot", "computed"), ("shared", "shared memory"),
            ("math", "registers"), ("global", "global memory"))):
        p.legend(entry, x=third, y=94 + 36 * i)
    p.arrow((third, 254), (third + 50, 254))
    p.text(third + 58, 254, "x")
    p.arrow((third + 100, 274), (third + 100, 234))
    p.text(third + 112, 254, "z")
    return "What a block has at a time, seen from the side"
