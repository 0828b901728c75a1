"""The pictures of the pattern chapters: a function for each."""

from typing import Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

import svg
from drawings import additions_of, cells, runs, two_trees, wavefronts_of
from svg import Picture
from tracing import (LANES, LINE, WORD, Place, Request, Worker, elements,
                     elements_of, extent, pick, shared_contents, steps_of,
                     touched, trace)

SMS = 132  # of the simulator's GPU
RING_TILE = 6144  # of the scan's 10_ring.cuh


def scan_rounds() -> Picture:
    """What each element holds after the rounds of Kogge-Stone."""
    rounds = additions_of(pick(trace(
        "scan", "--variant kogge_stone --n 1024", warps=1, requests=20),
        space="shared"), LANES)
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
    for i, step in enumerate(rounds, 1):
        y = top + 76 * i
        before = list(holds)
        for number, source in step.items():
            holds[number] = before[number] + before[source]
            p.path([(left + size * (source + 0.5), y - 76 + size),
                    (left + size * (number + 0.5), y)], svg.THIN)
        p.grid(left, y, size, [["lane" if number in step else ""
                                for number in range(LANES)]])
        p.text(0, y + size / 2, f"round {i}")
        p.text(0, y + size / 2 + 30, f"lane 31: {holds[31]}")
    p.legend(left, 546, [("lane", "adds what the line brings")])
    return p


def mirror() -> Picture:
    """A tile on its way: rows of the input, a column of the tile, a row."""
    requests = trace("bank_conflict_padding",
                     "--variant tile --rows 96 --cols 96", requests=4,
                     blocks=4, block=(3, 0, 0))
    sides, ways = 3, []  # tiles along an edge of the matrix
    for array, op in (("in", "load"), ("tile", "store"), ("tile", "load"),
                      ("out", "store")):
        request = pick(requests, array=array, op=op, warp=0)[0]
        ways.append([place for _, place in elements(request)])
    read, written, taken, stored = ways
    tile = [LANES * (n // LANES) for n in read[0]]  # its first element
    assert len({row for row, _ in read}) == len({row for row, _ in stored}) == 1
    assert len({row for row, _ in written}) == len({c for _, c in taken}) == 1
    size, top = 192, 112
    small = size / sides
    p = Picture(
        "mirror", 396,
        "A row of the input enters the tile as a row; a column of the tile "
        "leaves as a row of the output",
        "Three squares. Left, the input in tiles: one of them is marked, a warp "
        "reads one of its rows. Middle, that tile in shared memory: the row "
        "goes in, and a column comes out. Right, the output: the tile has "
        "changed sides, and the column is one of its rows.")
    p.head("In as a row, out as a column")
    for x, name in ((0, "in"), (264, "tile"), (528, "out")):
        p.panel(x, 62, name, {"in": "global", "tile": "shared",
                              "out": "global"}[name])
    at = [n // LANES * small for n in tile]
    for x, (row, col), place in ((0, at, read[0][0] % LANES),
                                 (528, at[::-1], stored[0][0] % LANES)):
        p.grid(x, top + 6, small, [[""] * sides] * sides)
        p.box(x + col, top + 6 + row, small, small, "math")
        p.box(x + col, top + 6 + row + small * place / LANES, small, 12,
              "global")
    cell = size / 8
    p.box(264, top + 6, size, size, "math")
    p.box(264, top + 6 + written[0][0] % 8 * cell, size, cell, "shared")
    p.box(264 + taken[0][1] % 8 * cell, top + 6, cell, size, "lane")
    for x in (0, 264):
        p.arrow((x + size + 10, top + 6 + size / 2), (x + 254, top + 6
                                                      + size / 2))
    p.legend(0, 342, [("global", "one request of a warp"),
                      ("shared", "is written")])
    p.legend(0, 376, [("lane", "is read"), ("math", "the tile of the block")])
    return p


def bank_map(p: Picture, x: float, y: float, size: float, wide: int,
             parts: Dict[int, str], labels: Dict[int, int]) -> None:
    """Draw shared memory, a line of all banks below the other.

    wide: squares of a line; parts: their fills; labels: numbers in them.
    """
    lines = 1 + max(parts) // wide
    p.box(x, y, size * wide, size * lines, line=svg.THIN)
    for at in sorted({*parts, *labels}, key=lambda at: bool(parts.get(at))):
        fill = parts.get(at, "")
        left, top = x + size * (at % wide), y + size * (at // wide)
        p.box(left, top, size, size, fill, line=svg.THIN)
        if at in labels and fill not in svg.PATTERNS:
            p.text(left + size / 2, top + size / 2, str(labels[at]),
                   anchor="middle", role="black" if fill else "ink")
    p.text(x, y + size * lines + 16, "bank 0")
    p.text(x + size * wide, y + size * lines + 16, str(LANES - 1), anchor="end")


def served(request: Request, unit: int) -> Tuple[Dict[int, str], int]:
    """Return the fills of what the lanes read that are served together.

    unit: bytes of a part of shared memory, which are numbered from the start of
    the array on: the simulator puts it anywhere. Second, the number of
    wavefronts.
    """
    waves = [wave for wave in wavefronts_of({**request, "start": 0})
             if wave[0][2] == 0]
    return {word * WORD // unit: "stripes" if turn else "shared" for turn, wave
            in enumerate(waves) for _, word, _ in wave}, len(waves)


def columns() -> Picture:
    """Where a column of a tile of words lies, in three arrangements."""
    size, top, panels = 6.75, 118, []
    for variant, below in (("tile", "rows of {} words"),
                           ("tile_padded", "rows of {} words"),
                           ("tile_swizzled", "words exchanged")):
        requests = trace("bank_conflict_padding", f"--variant {variant} "
                         "--rows 64 --cols 64", requests=4)
        request = pick(requests, array="tile", op="load", warp=2)[0]
        holds = {word - request["start"] // WORD: place for word, place
                 in shared_contents(requests).items()}
        fills, waves = served(request, WORD)
        column, = {holds[at][1] for at in fills}
        row = request["pitch"] // WORD
        fills.update((at, "hatch") for at in range(row * LANES)
                     if at not in holds)
        panels.append((variant, below.format(row), waves, fills))
    p = Picture(
        "columns", 486,
        f"Column {column} of a tile: in one bank; with padding, or exchanged "
        "words, in all banks",
        f"Three tiles in lines of {LANES} banks, column {column} marked. "
        + " ".join(f"{variant}, {below}: {svg.count(waves, 'wavefront')}."
                   for variant, below, waves, _ in panels) +
        " Plain, the column is upright, and all but one of its words have to "
        "wait; with a word of padding after each row it is slanting, and with "
        "exchanged words it has steps.")
    p.head(f"In which banks does column {column} lie?")
    for x, (variant, below, waves, fills) in zip((1, 252, 503), panels):
        p.panel(x, 62, variant, below)
        bank_map(p, x, top, size, LANES, fills, {})
        p.result(x, top + 276, 216, svg.count(waves, "wavefront"), waves == 1)
    p.legend(0, 466, [("shared", f"column {column}"),
                      ("stripes", "has to wait"), ("hatch", "padding")])
    return p


def pieces() -> Picture:
    """What eight lanes of an ldmatrix read of A's tile, in three variants."""
    size, top, piece, panels = 27, 118, 16, []  # bytes of a piece
    for variant, below in (("wmma", "rows of {} pieces"),
                           ("wmma_padded", "rows of {} pieces"),
                           ("mma_swizzled", "exchanged")):
        requests = trace("bank_conflict_padding", "--problem product "
                         f"--variant {variant} --M 128 --N 256 --K 32",
                         requests=2)
        request = pick(requests, space="shared", op="load", warp=0)[0]
        holds = {(word * WORD - request["start"]) // piece: (
            row, column * WORD // piece) for word, (row, column)
                 in shared_contents(requests).items()}
        fills, waves = served(request, piece)
        rows = {holds[at][0] for at in fills}
        chosen, = {holds[at][1] for at in fills}
        shown = range((max(fills) * piece // LINE + 1) * LINE // piece)
        numbers = {at: holds[at][1] for at in shown if at in holds}
        fills.update((at, "hatch") for at in shown if at not in holds)
        panels.append((
            variant, below.format(request.get("pitch", 0) // piece), waves,
            fills, numbers))
    counts = [waves for _, _, waves, *_ in panels]
    p = Picture(
        "pieces", 388,
        f"Piece {chosen} of {len(rows)} rows: {counts[0]} wavefronts; with "
        f"padding, or exchanged pieces, {counts[1]}",
        f"Three tiles with {len(rows)} rows of pieces of {piece} bytes, by the "
        f"number of a piece in its row, in lines of all {LANES} banks; piece "
        f"{chosen} of each row is marked. Plain: these pieces lie in two "
        f"groups of four banks, {svg.count(counts[0], 'wavefront')}. With a "
        "piece of padding after each row, and with exchanged pieces, they "
        f"take all banks once: {svg.count(counts[1], 'wavefront')}.")
    p.head(f"An ldmatrix reads piece {chosen} of {len(rows)} rows")
    for x, (variant, below, waves, fills, numbers) in zip((1, 252, 503),
                                                          panels):
        p.panel(x, 62, variant, below)
        bank_map(p, x, top, size, LINE // piece, fills, numbers)
        p.result(x, top + 178, 216, svg.count(waves, "wavefront"), waves == 1)
    p.legend(0, 368, [("shared", f"piece {chosen}"), ("", "others"),
                      ("stripes", "has to wait"), ("hatch", "padding")])
    return p


def tables(variant: str) -> int:
    """Return the tables in which 64 lanes of two blocks count one value."""
    adds = pick(trace("histogram", f"--variant {variant} --n 32768 --input "
                      "constant", blocks=2, warps=1, requests=12), op="atomic")
    firsts = [pick(adds, block=[block, 0, 0])[0] for block in (0, 1)]
    inside = firsts[0]["space"] == "shared"  # then each block has its own
    return len({(block * inside, at) for block, first in enumerate(firsts)
                for at in first["at"]})


def sharing() -> Picture:
    """Who shares a table of bins: all, a block, or nobody in a warp."""
    found = [tables(variant) for variant in
             ("global_atomic", "private_shared", "bank_private")]
    assert found == [1, 2, 2 * LANES]
    shown, cell, wide = 4, 22, 96  # lanes drawn, their size; from block to block
    p = Picture(
        "sharing", 330, "One table for all threads, one for each block, or one "
        "for each lane of a warp",
        "Three panels. Left: the lanes of two blocks all add to one table in "
        "global memory. Middle: each block has a table of its own in shared "
        "memory. Right: each lane has a column of its own in the table.")
    p.head("Who has to share a table?")
    for x, count, name in zip((0, 252, 504), found,
                              ("all threads", "a block", "nobody")):
        p.text(x, 62, name, svg.NAME, bold=True)
        fill = "global" if count == 1 else "shared"
        for block in (0, 1):
            left = x + 12 + block * wide
            for lane in range(shown):
                middle = left + cell * (lane + 0.5)
                to = {1: x + 12 + (wide + cell * shown) / 2,
                      2: left + cell * shown / 2}.get(count, middle)
                p.path([(middle, 104 + cell), (to, 200)])
                p.box(left + cell * lane, 104, cell, cell, "lane")
            if count == 2:
                p.box(left + cell, 200, 2 * cell, 3 * cell, fill)
            elif count > 2:
                p.grid(left, 200, cell, [[fill] * shown] * 3)
        if count == 1:
            p.box(x + 12 + wide / 2 + cell, 200, 2 * cell, 3 * cell, fill)
    p.legend(0, 308, [("lane", "lane"), ("global", "in global memory"),
                      ("shared", "in shared memory")])
    return p


def letters_of(request: Request) -> List[str]:
    """Return what each lane counts: where it adds says which byte that is."""
    per_value = request["pitch"] or WORD
    return [chr(at // per_value).replace(" ", "␣") for at in request["at"]]


def meeting(p: Picture, left: float, request: Request) -> None:
    """Draw lanes above, and below them the words that they add to.

    Columns are the banks that are touched, rows are lines of shared memory,
    both from the start of the table on: the simulator puts it anywhere.
    """
    cell, lane_top, top = 34, 118, 232
    letters = letters_of(request)
    waves = wavefronts_of({**request, "start": 0})
    words = [at // WORD for at in request["at"]]
    lines = sorted({word // LANES for word in words})
    banks = sorted({word % LANES for word in words})
    y = {line: top + cell * i for i, line in enumerate(lines)}
    bottom = top + cell * len(lines)
    x: Dict[int, float] = {}
    for bank in banks:  # apart from the one before, if others are between
        gaps = len(runs(banks[:len(x) + 1])) - 1
        x[bank] = left + cell * len(x) + 8 * gaps
        p.text(x[bank] + cell / 2, bottom + 20, str(bank), anchor="middle")
        for line in lines:
            p.box(x[bank], y[line], cell, cell, line=svg.THIN)
    p.text(left, bottom + 48, "banks that are touched")
    for lane, (word, letter) in enumerate(zip(words, letters)):
        middle = left + cell * (lane + 0.5)
        p.path([(middle, lane_top + cell),
                (x[word % LANES] + cell / 2, top)])
        p.box(left + cell * lane, lane_top, cell, cell, "lane", letter)
    for turn, wave in enumerate(waves):
        for lane, word, _ in wave:
            at = x[word % LANES], y[word // LANES]
            inset = 6 if turn else 0  # the letter on a plate
            if turn:
                p.box(*at, cell, cell, "stripes")
            p.box(at[0] + inset, at[1] + inset, cell - 2 * inset,
                  cell - 2 * inset, "shared", letters[lane],
                  svg.THIN if turn else svg.LINE)
    p.result(left, 584, 8 * cell, svg.count(len(waves), "wavefront"),
             len(waves) == 1)


def banks() -> Picture:
    """Where eight lanes add that count eight letters, in two tables."""
    panels = [(variant, below, pick(trace(
        "histogram", f"--variant {variant} --n 128 --input text", requests=12),
        op="atomic", space="shared")[0]) for variant, below in (
            ("wide", "one table"),
            ("bank_private", "a column for each lane"))]
    one, private = (request for *_, request in panels)
    lanes = len(one["lanes"])
    assert letters_of(one) == letters_of(private)
    p = Picture(
        "banks", 684,
        f"{lanes} lanes count {lanes} letters: "
        f"{svg.count(one['wavefronts'], 'wavefront')} in one table, "
        f"{private['wavefronts']} in a table with a column for each lane",
        "Two panels: lanes above, each with the first of its 16 letters, and a "
        "line to the bank of the word that it adds to. Left, one table: "
        "different letters meet in a bank, and one of them has to wait. Right, "
        "a row for each letter and a column for each lane: every lane adds "
        "straight below itself.")
    p.head("Where do the lanes of a warp meet?")
    for left, (variant, below, request) in zip((0, 392), panels):
        p.panel(left, 62, variant, below)
        meeting(p, left, request)
    p.legend(0, 662, [("lane", "lane, its letter"), ("shared", "word"),
                      ("stripes", "has to wait")])
    return p


def conv_block(variant: str, block: Tuple[int, int]) -> Tuple[Request, ...]:
    """Return what a block of conv in the middle of its picture does."""
    return trace(
        "conv", f"--variant {variant} --width 96 --height 96 --radius 2",
        blocks=6, requests=30, block=(*block, 0))


def halo() -> Picture:
    """What a block of conv loads, and what it computes."""
    mine = conv_block("tiled", (1, 1))
    loaded = elements_of(mine, array="x", op="load")
    stored = elements_of(mine, array="y", op="store")
    row, column = min(loaded)
    edge, inner = (round(len(places)**0.5) for places in (loaded, stored))
    size, radius = 12, (edge - inner) // 2
    side = 2 * radius + 1
    assert len(loaded) == edge**2 and len(stored) == inner**2
    p = Picture(
        "halo", 476,
        f"A block loads {edge} x {edge} pixels and computes {inner} x {inner}",
        f"A square of {edge} x {edge} pixels that a block loads; in its middle "
        f"the {inner} x {inner} that it computes. Around it is the halo, "
        f"{radius} pixels wide. Two frames of {side} x {side} pixels: what a "
        "result in the corner needs lies partly in the halo, what one in the "
        "middle needs does not.")
    p.head("Results at the rim need the halo")
    for places, fill in ((loaded, "global"), (stored, "math")):
        cells(p, 0, 50, size, [(y - row, x - column) for y, x in places], fill)
    for y, x in ((radius, radius), (edge // 2, edge // 2)):
        p.frame(size * (x - radius), 50 + size * (y - radius), size * side,
                size * side)
        p.dot(size * (x + 0.5), 50 + size * (y + 0.5))
    x = 410
    p.panel(x, 76, "a block loads", f"{edge} x {edge} pixels")
    p.panel(x, 166, "and computes", f"{inner} x {inner} results")
    p.panel(x, 256, "A frame is around", f"the {side} x {side} pixels",
            "of the dot's result.")
    p.legend(0, 458, [("global", "halo"), ("math", "computed")])
    return p


def sums() -> Picture:
    """How register_window adds a row of pixels to the sums of five rows.

    A trace has no registers: which sum gets which row of the filter is what
    the kernel says; how many columns there are is in the trace.
    """
    mine = conv_block("register_window", (0, 1))
    loaded, stored = steps_of(mine, (0, 1))[0]
    assert not pick(mine, space="shared")
    wide, own = extent(loaded)[3], extent(stored)[3]
    rows = len({row for row, _ in loaded}) - 1  # one is loaded ahead
    radius, size, left, top = rows // 2, 22, 196, 62
    inner = left + size * (wide - own) // 2
    p = Picture(
        "sums", 482,
        f"A row of pixels is added to {rows} rows of sums",
        f"Above, a row of {wide} pixels that a thread has loaded. Below, the "
        f"sums of {rows} rows of {own} results. Each gets the pixels times "
        "another row of the filter. The uppermost is complete after that and "
        "is stored; the others move up by a row.")
    p.head(f"Who needs row r? {rows} rows of results")
    p.text(0, top + size / 2, "pixels, row r")
    p.grid(left, top, size, [["global"] * wide])
    p.frame(inner, top, size * own, size)
    p.arrow((inner + size * own / 2, top + size + 8),
            (inner + size * own / 2, top + 80))
    p.text(inner + size * own / 2 + 14, top + 50, "times filter row")
    for s in range(rows):
        y = top + 92 + 52 * s
        q = s - radius
        name = "sums, row r" + (f" {'+' if q > 0 else '-'} {abs(q)}"
                                if q else "")
        p.text(0, y + size / 2, name)
        p.grid(inner, y, size, [["good" if s == 0 else "math"] * own])
        p.text(inner + size * own + 24, y + size / 2, str(rows - 1 - s))
        if s == 0:
            p.text(inner + size * own + 56, y + size / 2, "then stored")
        else:
            p.arrow((inner - 22, y + size / 2), (inner - 22, y - 26))
    p.text(0, top + 92 + 52 * rows + 12,
           "The next row of pixels finds each sum a line further up.")
    p.legend(0, top + 92 + 52 * rows + 48, [
        ("global", "pixels"), ("math", "sums"), ("good", "complete"),
        ("frame", "own columns")])
    return p


def cube(p: Picture, x: float, y: float, edge: float, fill: str) -> None:
    """Draw a cube; x, y: the lower left corner of its front."""
    back = edge * 0.35
    top = [(x, y - edge), (x + back, y - edge - back),
           (x + edge + back, y - edge - back), (x + edge, y - edge)]
    side = [(x + edge, y - edge), (x + edge + back, y - edge - back),
            (x + edge + back, y - back), (x + edge, y)]
    for points in (top, side):
        p.path(points, fill=fill)
        p.path([*points, points[0]], stroke="black")
    p.box(x, y - edge, edge, edge, fill)


def shells() -> Picture:
    """Cells that a block loads and computes, in two variants."""
    panels = []
    for variant, edge in (("tiled", 20), ("coarsened", 92)):
        mine = trace("stencil", f"--variant {variant} --N {edge}", blocks=100,
                     requests=100, block=(1, 1, 1))
        counts = [len(elements_of(mine, array=array, op=op))
                  for array, op in (("in", "load"), ("out", "store"))]
        edges = [round(count ** (1 / 3)) for count in counts]
        assert [edge ** 3 for edge in edges] == counts
        panels.append((variant, edges, counts[0] / counts[1]))
    p = Picture(
        "shells", 414,
        f"A block of tiled loads {panels[0][2]:.2f} cells for each that it "
        f"computes, one of coarsened {panels[1][2]:.2f}",
        "Two pairs of cubes: the cells that a block loads, and those that it "
        "computes. The pairs are drawn at different scales, the cubes of a "
        "pair at the same.")
    p.head("A larger cube has less shell")
    for x, (variant, edges, each) in zip((0, 376), panels):
        p.text(x, 62, variant, svg.NAME, bold=True)
        for left, edge, fill in zip((0, 200), edges, ("global", "math")):
            wide = 110 * edge / edges[0]
            cube(p, x + left, 270, wide, fill)
            p.text(x + left, 292, f"{edge} wide")
        p.result(x, 312, 330, f"{each:.2f} loads each", x > 0)
    p.legend(0, 392, [("global", "loaded"), ("math", "computed")])
    return p


Cell = Tuple[int, int, int]  # z, y, x
Size = Tuple[int, int, int]  # x, y, z


class March(NamedTuple):
    """What is where when a block of stencil, or a lane, computes a plane."""

    variant: str
    shared: Set[Cell]
    registers: Set[Cell]
    loaded: Set[Cell]  # for this plane alone
    computed: Set[Cell]
    planes: int  # that are computed one after the other


def stencil_block(variant: str, size: Size,
                  block: Size) -> Tuple[Request, ...]:
    """Return what a block of stencil does."""
    args = "--variant {} --nx {} --ny {} --nz {}".format(variant, *size)
    return trace("stencil", args, blocks=22, requests=8, block=block)


def cells_of(places: Iterable[Place], size: Size) -> Set[Cell]:
    """Return elements as cells of a box."""
    return {(*divmod(row, size[1]), column) for row, column in places}


def neighbours() -> Set[Cell]:
    """Return what a lane of basic loads, as seen from the cell it computes."""
    size = (34, 34, 34)
    (loaded, stored), = steps_of(
        stencil_block("basic", size, (0, 1, 1)), (5, 5))
    (z, y, x), = cells_of(stored, size)
    return {(at[0] - z, at[1] - y, at[2] - x) for at in cells_of(loaded, size)}


def march(variant: str, size: Size, block: Size,
          mine: Optional[Worker] = None) -> March:
    """Return what is where at the third plane of a block, or of one lane.

    A trace has no registers: a lane has there what it needs for another plane,
    too, and has not to load again. It says nothing of values either: what a
    lane stores in shared memory is its latest cell or the one before, so that
    all who read it there need it.
    """
    around = neighbours()
    requests = stencil_block(variant, size, block)
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
    return March(variant, shared, wanted & kept, wanted - kept, computed,
                 len(steps))


def marching() -> Picture:
    """What a block of each variant has at a time, seen from the side."""
    cell, wide, high = 17, 12, 9  # sizes of a panel in cells
    found = [march("basic", (34, 34, 34), (0, 1, 1), (5, 5)),
             march("tiled", (20, 20, 20), (1, 1, 1)),
             march("coarsened", (62, 30, 60), (1, 0, 1)),
             march("register", (62, 30, 60), (1, 0, 1)),
             march("vector", (64, 30, 60), (0, 1, 1), (2, 3))]

    def planes(at: March) -> Tuple[str, str]:
        return (svg.count(len({z for z, *_ in at.shared}), "plane") + " in",
                "shared memory")

    basic, tiled, coarsened, register, vector = found
    edge = round(len(tiled.shared) ** (1 / 3))
    assert len(tiled.shared) == edge ** 3
    below = [(f"a thread loads {len(basic.loaded)}", "for 1 result"),
             (f"{edge} x {edge} x {edge} in", "shared memory"),
             planes(coarsened), planes(register),
             ("a thread has", f"{len(vector.computed)} columns")]
    p = Picture(
        "marching", 584,
        "What a block has at a time, seen from the side",
        "Five panels, x to the right, z upwards. basic: a thread loads a cell "
        "and its neighbours. tiled: a cube in shared memory, its inside is "
        "computed. coarsened: three planes in shared memory, the middle one is "
        "computed; they march upwards. register: only the middle plane is in "
        "shared memory, those above and below are in registers. vector: four "
        "columns of a thread in registers, the cells beside them are loaded.")
    p.head("What does a block have, and where?")
    columns = (1, 247, 494)
    for at, words, (x, y) in zip(found, below, (
            (columns[0], 62), (columns[1], 62), (columns[0], 336),
            (columns[1], 336), (columns[2], 336))):
        fills = {**dict.fromkeys(at.loaded, "global"),
                 **dict.fromkeys(at.registers, "math"),
                 **dict.fromkeys(at.shared, "shared")}
        row = sorted(y for _, y, _ in at.computed)[len(at.computed) // 2]
        here = {(z, x) for z, y, x in fills if y == row}
        first_z, first_x, planes_, cells_ = extent(here)
        first_z -= (high - planes_) // 2
        first_x -= max(0, wide - cells_) // 2
        p.text(x, y, at.variant, svg.NAME, bold=True)
        p.grid(x, y + 20, cell, [
            [fills.get((first_z + z, row, first_x + i), "")
             for i in range(wide)] for z in reversed(range(high))],
            [(first_z + high - 1 - z, i - first_x) for z, line, i
             in at.computed if line == row and i - first_x < wide])
        if at.planes > 1:
            right, bottom = x + cell * wide + 14, y + 20 + cell * high
            p.arrow((right, bottom - 2 * cell), (right, y + 20 + 2 * cell))
        for i, line in enumerate(words):
            p.text(x, y + 20 + cell * high + 22 + 28 * i, line)
    for i, entry in enumerate((
            ("dot", "computed"), ("shared", "shared memory"),
            ("math", "registers"), ("global", "global memory"))):
        p.legend(columns[2], 94 + 36 * i, [entry])
    x, y = columns[2], 254
    p.arrow((x, y), (x + 50, y))
    p.text(x + 58, y, "x")
    p.arrow((x + 100, y + 20), (x + 100, y - 20))
    p.text(x + 112, y, "z")
    return p


def working_warps() -> Picture:
    """Who adds in each step of a tree, with either stride."""
    panels, in_block = [], 16
    for variant, why in (("divergent", "stride doubles"),
                         ("convergent", "stride halves")):
        loads = pick(trace("reduction", f"--variant {variant} --n 1024",
                           requests=100), array="work", op="load")
        tree = [request for request in loads
                if request["line"] == loads[0]["line"]]
        step = {request["barriers"]: [0] * in_block for request in tree}
        for request in tree:
            step[request["barriers"]][request["warp"]] = len(request["lanes"])
        panels.append((variant, why, [step[i] for i in sorted(step)]))
    total = [sum(lanes > 0 for warps in steps for lanes in warps)
             for *_, steps in panels]
    row, top = 34, 118
    bottom = top + row * len(panels[0][2])
    p = Picture(
        "working_warps", bottom + 130,
        f"A tree of {len(panels[0][2])} steps: {total[0]} turns of warps if the "
        f"stride doubles, {total[1]} if it halves",
        f"Two panels, a row for each of {len(panels[0][2])} steps, a cell for "
        f"each of {in_block} warps, blue as far as its lanes work. Left, "
        "divergent: in the first steps all warps work, with fewer and fewer "
        "lanes. Right, convergent: full warps, half as many in each step.")
    p.head("Who adds in each step of the tree?")
    for x, (variant, why, steps), number in zip((40, 392), panels, total):
        p.panel(x, 62, variant, why)
        for i, warps in enumerate(steps):
            y = top + row * i
            for warp, lanes in enumerate(warps):
                part = (row - 6) * lanes / LANES
                p.box(x + 20 * warp, y, 18, row - 6, "wait" if lanes else "",
                      line=svg.THIN)
                if lanes:
                    p.box(x + 20 * warp, y + row - 6 - part, 18, part, "lane",
                          line=0)
            if x < 100:
                p.text(34, y + 14, str(i), anchor="end")
        p.result(x, bottom + 8, 320, f"{number} turns of warps", x > 100)
    p.legend(0, bottom + 80, [("lane", "lanes that add"),
                              ("wait", "wait for their warp")])
    p.text(0, bottom + 112, "Rows are steps, columns are warps 0 to 15.")
    return p


def launches() -> Picture:
    """How the sums of the blocks become one, by two launches or by one."""
    blocks = 4
    shuffle, ticket = (trace(
        "reduction", f"--variant {variant} --n {blocks * 8192}", blocks=blocks,
        warps=1, requests=60) for variant in ("warp_shuffle", "ticket"))
    words = {request["at"][0] for request in pick(
        shuffle, op="atomic", array="result")}
    slots = pick(ticket, op="load", lanes=list(range(blocks)))[0]
    assert len({request["block"][0] for request in pick(
        ticket, op="store", array="result")}) == 1
    tickets = [2, 3, 0, 1]  # on a GPU any order; the simulator has 0, 1, 2, 3
    assert len(words) == 1 and len(set(slots["at"])) == blocks
    wide, right = 76, 392
    p = Picture(
        "launches", 520, "Two launches and atomics on one word, or one launch "
        "with slots and tickets",
        "Left: a launch of one thread sets the result, then the blocks of a "
        "second launch add to that word one after the other. Right: one "
        "launch. Each block leaves its sum in a slot and draws a ticket; the "
        "block with the last ticket adds up the slots and stores the result.")
    p.head("How do the blocks' sums become one?")
    p.panel(0, 62, "warp_shuffle", "two launches")
    p.panel(right, 62, "ticket", "one launch")
    p.box(0, 116, 4 * wide, 40, "", "1: set the result")
    for x, label in ((0, "2: "), (right, "")):
        for i in range(blocks):
            p.box(x + wide * i, 176, wide, 40, "lane", f"{label}b{i}")
    for i in range(blocks):
        middle = wide * (i + 0.5)
        p.path([(middle, 216), (2 * wide, 300)])
        p.arrow((right + middle, 216), (right + middle, 246))
        p.box(right + wide * i, 246, wide, 40, "global", f"{i}")
        p.text(right + middle, 312, f"{tickets[i]}", anchor="middle")
        p.path([(right + middle, 332), (right + 2 * wide, 372)])
    p.box(wide, 300, 2 * wide, 40, "global", "result")
    p.text(0, 368, f"{blocks} atomics, one word")
    p.text(right - 8, 266, "slot", anchor="end")
    p.text(right - 8, 312, "ticket", anchor="end")
    p.box(right + 1.5 * wide, 372, wide, 40, "lane",
          f"b{tickets.index(blocks - 1)}")
    p.arrow((right + 2 * wide, 412), (right + 2 * wide, 440))
    p.box(right + wide, 440, 2 * wide, 40, "global", "result")
    p.legend(0, 504, [("lane", "block"), ("global", "in global memory")])
    return p


def three_launches() -> Picture:
    """What each launch of three_kernels reads and writes, for four blocks."""
    blocks = 4
    requests = trace("scan", f"--variant three_kernels --n {blocks * 9216}",
                     blocks=blocks, warps=1, requests=40)
    kernels = list(dict.fromkeys(one["kernel"] for one in requests))
    who = [({(one["op"], one["array"]) for one in requests
             if one["kernel"] == kernel and one.get("space") == "global"},
            len({tuple(one["block"]) for one in requests
                 if one["kernel"] == kernel})) for kernel in kernels]
    assert who == [({("load", "x"), ("store", "sums")}, blocks),
                   ({("load", "sums"), ("store", "sums")}, 1),
                   ({("load", "x"), ("load", "sums"), ("store", "y")}, blocks)]
    x = [[1, 4], [2, 0], [3, 1], [1, 2]]  # an example: sections of two
    sums = [sum(section) for section in x]
    before = [sum(sums[:i]) for i in range(blocks)]
    left, column, cell, high, down = 192, 134, 40, 36, 56
    p = Picture(
        "three_launches", 486,
        "Three launches: sum each section, scan the sums, scan each section "
        "after what stands before it",
        "From top to bottom, for four sections of two words: x = "
        f"{x}; four blocks make the sums {sums}; one block makes of them what "
        f"stands before each section, {before}; four blocks read x again and "
        "write y.")
    p.head("x is read twice, y is written once")
    for i, words in enumerate(("x", "1  sum", "sums", "2  scan",
                               "before, x", "3  scan", "y")):
        p.text(0, 50 + high / 2 + down * i, words, bold=words[0] in "123")

    def arrows(at: float, row: int) -> None:
        """Lead down to a row."""
        p.arrow((at, 50 + down * row - down + high), (at, 50 + down * row))

    for i in range(blocks):
        at = left + column * i
        last = at + cell + 6
        for row in (1, 5):
            p.box(at, 50 + down * row, 2 * cell + cell + 6, high, "lane",
                  f"block {i}")
        for row, words in ((2, sums), (4, before)):
            p.box(at, 50 + down * row, cell, high, "global", f"{words[i]}")
        y = [before[i] + sum(x[i][:n + 1]) for n in range(2)]
        for row, words in ((0, x[i]), (4, x[i]), (6, y)):
            for n, word in enumerate(words):
                p.box(last + cell * n, 50 + down * row, cell, high, "global",
                      f"{word}")
        for row in (1, 5, 6):
            arrows(last + cell, row)
        for row in (2, 3, 4, 5):
            arrows(at + cell / 2, row)
    p.box(left, 50 + down * 3, column * (blocks - 1) + 3 * cell + 6, high,
          "lane", "block 0")
    p.legend(0, 468, [("lane", "block"), ("global", "in global memory")])
    return p


def tree() -> Picture:
    """The part of a block's tree that is over 32 words, with either stride."""
    panels = []
    for variant, why in (("divergent", "stride doubles"),
                         ("convergent", "stride halves")):
        requests = pick(trace("reduction", f"--variant {variant} --n 1024",
                              requests=100), array="work")
        panels.append((variant, why, additions_of(requests, LANES)))
    return two_trees(
        "tree", "Where do the sums of a step lie?",
        f"The sums of {len(panels[0][2])} steps: apart if the stride doubles, "
        "side by side if it halves",
        f"Two panels with {LANES} words in a row, and a row below for each "
        "step. Yellow words are sums of this step; lines lead down from the "
        "two words that are added. divergent: every second word, then every "
        "fourth. convergent: the left half, then the left quarter.",
        LANES, panels)


def trees() -> Picture:
    """Two ways to scan the first 16 words of a block."""
    words, panels = 16, []
    for variant in ("kogge_stone", "brent_kung"):
        steps = additions_of(pick(trace(
            "scan", f"--variant {variant} --n 1024", warps=1, requests=20),
            space="shared"), words)
        panels.append((variant, f"{sum(map(len, steps))} in {len(steps)} "
                       "rounds", steps))
    return two_trees(
        "trees", "Fewer rounds, or fewer additions",
        f"A scan of {words} words: {panels[0][1].replace('in', 'additions in')}"
        f", or {panels[1][1].replace(' rounds', '')}",
        f"Two panels with {words} words in a row, and a row below for each "
        "round; lines lead down from the two words of an addition. "
        "kogge_stone: nearly all words are sums in each round. brent_kung: up "
        "a tree whose strides double, and down again.", words, panels)


class Ring(NamedTuple):
    """Who does what in a block of ring."""

    tiles: List[int]  # of the block
    blocks: int  # whose sums the looker adds
    adders: int  # warps that tell sums
    scanners: int  # warps that store tiles


def ring_of(block: int, rounds: int) -> Ring:
    """Return what a block of ring does with its first tiles.

    The looker loads the sums of all tiles since the block's last one, and
    stores what stands before the next one: so many sums, so many tiles.
    """
    tiles = SMS * (rounds - 1) + block + 1  # the last one is this block's
    requests = trace("scan", f"--variant ring --n {RING_TILE * tiles}",
                     blocks=block + 1, requests=100, block=(block, 0, 0))
    looker = pick(requests, space="global", op="load", bytes=8)[0]["warp"]
    asked: Set[int] = set()
    sums: List[int] = []
    for request in pick(requests, warp=looker):
        if request["space"] == "global" and request["op"] == "load":
            asked.update(request["at"])
        if request["space"] == "shared" and request["op"] == "store":
            sums.append(len(asked))
            asked.clear()
    assert len(sums) == rounds
    return Ring([sum(sums[:i + 1]) for i in range(rounds)], sums[-1], *(
        len({request["warp"] for request in pick(
            requests, op="store", space=space, bytes=size)})
        for space, size in (("global", 8), ("shared", 16))))


def ring() -> Picture:
    """Who does what in a block of the ring, with a tile in each of its slots.

    A trace has no time: that the tiles are worked at together, each at another
    stage, is drawn from what the kernel waits for. Bulk copies are no requests
    of a warp, so a trace has none either.
    """
    this, stages = 1, ["good"] + ["wait"] * 3 + ["lane"] * 2 + ["global"] * 2
    facts = ring_of(this, len(stages))
    wide, x_of = 76, [44 + 90 * i for i in range(len(stages))]
    p = Picture(
        "ring", 560,
        f"The ring: {len(stages)} tiles of a block at different stages",
        f"Above x: tiles {', '.join(map(str, facts.tiles))} are those of block "
        f"{this}, one of {facts.blocks}. In the middle its shared memory with "
        f"a slot for each of them: the first one is scanned, the next three "
        "wait for what stands before them, two are summed, the last two are "
        f"filled. {facts.adders} adders tell sums to all blocks, the "
        f"looker adds those of {facts.blocks} tiles, {facts.scanners} "
        "scanners write y, below.")
    p.head(f"The ring of block {this}, one of {facts.blocks} blocks")
    p.text(0, 60, "its tiles of x")
    for x, tile in zip(x_of, facts.tiles):
        p.box(x - wide / 2, 78, wide, 40, "global", str(tile))
    p.box(2, 178, 716, 108, line=svg.BOLD)
    p.text(14, 200, f"{len(stages)} slots of shared memory")
    for x, tile, stage in zip(x_of, facts.tiles, stages):
        p.box(x - wide / 2, 220, wide, 52, stage, str(tile))
    scanned, waits, summed, filled = x_of[0], x_of[2], x_of[4], x_of[6]
    for x in x_of[6:]:
        p.arrow((x, 118), (x, 220))
    p.text(filled - 14, 146, "loader: bulk copies, all the time", anchor="end")
    for x in x_of[4:6]:
        p.arrow((x, 272), (x, 366))
    p.arrow((waits, 366), (waits, 272))
    p.text(x_of[5] + 12, 308, f"{facts.adders} adders")
    p.text(x_of[5] + 12, 338, "tell sums")
    p.text(waits + 12, 308, "looker")
    p.text(waits + 12, 338, f"adds {facts.blocks}")
    p.box(waits - 40, 366, x_of[5] - waits + 80, 72, "shared")
    for y, words in ((388, "sums of all blocks,"),
                     (416, "a word each, in the L2")):
        p.text((waits + x_of[5]) / 2, y, words, anchor="middle", role="black")
    p.arrow((scanned, 272), (scanned, 444))
    p.text(14, 466, f"{facts.scanners} scanners write y")
    p.legend(0, 506, [("good", "is scanned"), ("wait", "its sum is told")])
    p.legend(0, 540, [("lane", "is summed"), ("global", "is filled")])
    return p


def known(tiles: int, look_back: bool) -> List[str]:
    """Return what is known of the tiles at first, and after each look.

    All blocks look at once. A: an aggregate, P: an inclusive prefix, blank:
    nothing. chained asks the neighbour; look_back walks over aggregates.
    """
    now = "P" + ("A" if look_back else " ") * (tiles - 1)
    rows = [now]
    while set(now) != {"P"}:
        then = ""
        for tile in range(tiles):
            before = now[:tile].rstrip("A") if look_back else now[:tile]
            then += "P" if before.endswith("P") or not tile else now[tile]
        now = then
        rows.append(now)
    return rows


def chain() -> Picture:
    """What blocks know of each other's tiles, look by look."""
    tiles, size, top = 8, 40, 138
    fills = {" ": "", "A": "math", "P": "good"}
    panels = [("chained", "asks its neighbour", known(tiles, False)),
              ("look_back", "adds aggregates", known(tiles, True))]
    looks = [len(rows) - 1 for *_, rows in panels]
    below = top + size * len(panels[0][2]) + 20
    moment, stop = "PPPPAAAA ", 3
    p = Picture(
        "chain", below + 330,
        f"After {looks[0]} looks all of {tiles} tiles are known in a chain, "
        f"after {looks[1]} with look-back",
        f"Two panels, a column for each of {tiles} tiles, a row for each look. "
        "chained: nothing is known but an inclusive prefix, and one more with "
        "each look. look_back: all aggregates are known at first, and all "
        "inclusive prefixes after one look. Below, a moment of look_back: tile "
        "7 adds the aggregates of 6, 5 and 4 and the inclusive prefix of 3.")
    p.head(f"What is known of {tiles} tiles?")
    for x, (name, what, rows) in zip((0, 400), panels):
        p.panel(x, 62, name, what)
        for i, row in enumerate(rows):
            for tile, state in enumerate(row):
                p.box(x + size * tile, top + size * i, size, size,
                      fills[state], state.strip(), svg.THIN)
        p.result(x, below, size * tiles, svg.count(len(rows) - 1, "look"),
                 bool(x))
    for i, words in enumerate(("The first row: at first.", "Each further row:",
                               "after one more look.")):
        p.text(400, top + size * len(panels[1][2]) + 40 + 32 * i, words)
    y, wide = below + 110, 72
    p.text(0, y - 20, "look_back at some moment: tile 7 walks to the left")
    for tile, state in enumerate(moment):
        p.box(36 + wide * tile, y, wide, 52, fills[state],
              state.strip())
        p.text(36 + wide * (tile + 0.5), y + 74, str(tile), anchor="middle")
    p.arrow((36 + wide * 7.5, y + 104), (36 + wide * (stop + 0.5), y + 104))
    p.text(36 + wide * 5.5, y + 128, "P3 + A4 + A5 + A6", anchor="middle")
    p.legend(0, y + 176, [("", "nothing"), ("math", "aggregate"),
                          ("good", "inclusive prefix")])
    return p
