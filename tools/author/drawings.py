"""Kinds of drawings: each shows requests of a trace in one way.

A drawing counts nothing by itself: its facts are those of tracing.py.
"""

from typing import (Dict, Iterable, List, NamedTuple, Optional, Sequence,
                    Tuple)

import svg
from svg import Picture
from tracing import (LANES, LINE, SECTOR, WORD, Place, Request, Worker, extent,
                     pick, touched, trace)

import course  # noqa: I100  from tools, which svg has made known

SHOWN = (*range(8), 31)  # lanes that are drawn, the others are faint


def cells(p: Picture, x: float, y: float, size: float,
          places: Iterable[Place], fill: str) -> None:
    """Draw elements of a matrix, neighbours of a row as one box."""
    left, line = set(places), svg.THIN if size >= 3 else 0
    rows, columns = ({place[i] for place in left} for i in (0, 1))
    if len(left) == len(rows) * len(columns) == (
            max(columns) - min(columns) + 1) * (max(rows) - min(rows) + 1):
        p.box(x + size * min(columns), y + size * min(rows),
              size * len(columns), size * len(rows), fill, line=line)
        return
    for row in sorted(rows):
        for first, number in runs(at for of, at in left if of == row):
            p.box(x + size * first, y + size * row, size * number, size, fill,
                  line=line)


def runs(numbers: Iterable[int]) -> List[Tuple[int, int]]:
    """Return (first, how many) of each run of consecutive numbers."""
    found: List[Tuple[int, int]] = []
    for number in sorted({*numbers}):
        if found and sum(found[-1]) == number:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((number, 1))
    return found


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
    """Draw a lane: it is round, and two digits fit into it."""
    p.circle(x, y, 21, "lane")
    p.text(x, y, str(number), anchor="middle", role="black", bold=True)


def dots(p: Picture, x: float, y: float) -> None:
    """Draw what stands for others of the kind."""
    for i in (-10, 0, 10):
        p.dot(x, y + i, "ink", 3)


def lanes_to_lines(p: Picture, x: float, name: str, what: str,
                   request: Request, good: bool) -> None:
    """Draw the lanes of a request, and the lines of memory that they touch."""
    word = [at % LINE // WORD for at in request["at"]]
    lines = sorted({at // LINE for at in request["at"]})
    y = {l: 172 + 44 * i for i, l in enumerate(SHOWN)}
    y[31] += 44
    left, end = x + 80, word_x(LINE // WORD - 1) + CELL
    p.panel(x, 62, name, what)
    if len(lines) == 1:
        memory_line(p, left, 118, word)
        up = [left + word_x(w) + CELL / 2 for w in word]
        for l in range(LANES):
            at = y.get(l, y[31] - 44)
            if l in y:
                p.path([(x + 42, at), (up[l], at)])
            p.arrow((up[l], at), (up[l], 144), 1.5 if l in y else svg.THIN)
    else:
        assert len(lines) == LANES
        p.text(left, 136, "one line each")
        for l in SHOWN:
            memory_line(p, left, y[l] - 13, [word[l]])
            p.arrow((x + 42, y[l]), (left + word_x(word[l]), y[l]))
        dots(p, left + end / 2, y[31] - 44)
    for l in SHOWN:
        lane(p, x + 21, y[l], l)
    dots(p, x + 21, y[31] - 44)
    p.result(x, 602, 340, svg.count(request["sectors"], "sector"), good)
    moved = request["sectors"] * SECTOR // WORD
    p.text(x + 170, 672, f"{moved} words moved,", anchor="middle")
    p.text(x + 170, 700, f"{len(set(request['at']))} wanted", anchor="middle")


def two_loads(name: str, head: str, title: str,
              panels: List[Tuple[str, str, Request]]) -> Picture:
    """Draw two requests side by side."""
    p = Picture(
        name, 762, title,
        "Two panels, lanes on the left, lines of memory of "
        f"{LINE // WORD} words in sectors of {SECTOR // WORD} on the right. "
        + " ".join(f"{panel}, {what}: {svg.count(request['sectors'], 'sector')}"
                   f" for {svg.count(len(set(request['at'])), 'word')}."
                   for panel, what, request in panels))
    p.head(head)
    for x, (panel, what, request) in zip((0, 376), panels):
        lanes_to_lines(p, x, panel, what, request, x > 0)
    p.legend(0, 742, [("lane", "lane"), ("global", "word wanted"),
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


class Step(NamedTuple):
    """What a warp does with a tile."""

    kind: str  # load, put, read or barrier
    tile: int
    number: int  # of requests; a barrier: 0
    place: Optional[int] = None  # put: where in As (bytes)


ROWS = {"load": "global", "put": "shared", "read": "math"}  # and their fills


def kind_of(request: Request) -> str:
    """Return load, put, read or barrier; nothing for what goes to C."""
    space, op = request.get("space"), request["op"]
    return {("global", "load"): "load", ("shared", "store"): "put",
            ("shared", "load"): "read", (None, "barrier"): "barrier",
            }.get((space, op), "")


def steps_of(requests: Sequence[Request], deep: int = 0) -> List[Step]:
    """Return what the first warp of a block does, in its order.

    load: from global memory; put: to shared memory; read: what it multiplies.
    A load's k says which tile it is of; a warp's n-th put is of tile n, and a
    read of the tile that some warp has put there last.

    deep: steps of k of a tile, where a warp loads and puts one by turns: then a
    put is of the tile that it has loaded from last, and is one step with those
    before it.
    """
    steps: List[Step] = []
    per_tile = deep * WORD or min(at for at in (
        load["at"][0] % load["pitch"] for load in requests
        if load.get("array") == "A") if at)  # bytes of a row of A
    tile_at: Dict[Tuple[str, int], int] = {}  # words of shared memory
    latest: Dict[Tuple[int, str], int] = {}  # tile of a warp's load or put
    doing: Dict[int, str] = {}
    loaded: Dict[int, int] = {}
    for request in requests:
        kind, warp = kind_of(request), request.get("warp", 0)
        one = int(kind != "barrier")
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
            loaded[warp] = tile
        if kind == "put":
            tile = loaded[warp] if deep else tile
            tile_at.update(((request["array"], at + i), tile)
                           for at in request["at"]
                           for i in range(0, request["bytes"], WORD))
        if kind == "read":
            tile = tile_at[request["array"], request["at"][0]]
        same = [i for i in ((-1, -2) if deep else (-1,))
                if len(steps) >= -i and steps[i][:2] == (kind, tile)]
        if warp == 0 and same:
            i = same[0]
            steps[i] = steps[i]._replace(number=steps[i].number + one)
        elif warp == 0:
            steps.append(Step(kind, tile, one,
                              request["at"][0] if kind == "put" else None))
    return steps


def plan_until(chapter: str, args: str, last: int, deep: int = 0) -> List[Step]:
    """Return what a chapter's first warp does until it has read a tile."""
    steps = steps_of(trace(chapter, args, requests=1000), deep)
    return steps[: 1 + max(i for i, step in enumerate(steps)
                           if step[:2] == ("read", last))]


def timeline(p: Picture, y: float, name: str, what: str,
             steps: List[Step], scale: float) -> None:
    """Draw steps from left to right, a row for each kind."""
    left, height = 122, 40
    p.panel(0, y, name, what)
    way = y + 112  # of tiles that have been loaded and not put
    row = {"load": y + 52, "put": y + 132, "read": y + 178}
    for kind, words in (("load", "load"), ("put", "put"), ("read", "compute")):
        p.text(0, row[kind] + height / 2, words)
    p.text(0, way, "on its way")
    sent: Dict[int, float] = {}
    at: float = left
    starts, bars = [], []
    for step in [*steps, Step("end", -1, 0)]:
        starts.append(at)
        for tile in {"put": [step.tile], "end": [*sent]}.get(step.kind, []):
            since = sent.pop(tile)
            if at > since + 1:
                bars.append((since, at))
        at += scale * step.number
        if step.kind == "load":
            sent[step.tile] = at
    lower = [False] * len(bars)  # of two that meet or overlap, one
    for i, ((_, before), (start, _)) in enumerate(zip(bars, bars[1:])):
        lower[i + 1] = start <= before and not lower[i]
    for (start, end), low in zip(bars, lower):
        p.box(start, way + (16 * low - 16 if any(lower) else -7), end - start,
              14, "good", line=svg.THIN)
    for step, at in zip(steps, starts):
        if step.kind == "barrier":
            p.path([(at, row["load"] - 6), (at, row["read"] + height)], 3)
    for step, at in zip(steps, starts):
        if step.kind == "barrier":
            continue
        wide = scale * step.number
        more = max(0, 24 - wide) if step.kind == "load" else 0
        p.box(at - more / 2, row[step.kind], wide + more, height,
              ROWS[step.kind])
        if wide + more > 20:
            p.text(at + wide / 2, row[step.kind] + height / 2,
                   f"tile {step.tile}" if wide > 100 else str(step.tile),
                   anchor="middle", role="black", bold=True)


def two_timelines(name: str, head: str, title: str, args: str, last: int,
                  chapters: Sequence[Tuple[str, str]]) -> Picture:
    """Draw the order of a warp's requests in chapters, up to a last tile."""
    plans = [plan_until(chapter, args, last) for chapter, _ in chapters]
    scale = 594 / max(sum(step.number for step in plan) for plan in plans)
    orders = [", ".join(f"{step.kind} {step.tile}" if step.number else step.kind
                        for step in plan) for plan in plans]
    p = Picture(
        name, 26 + 270 * len(plans) + 50, title,
        "Timelines of one warp, a row each for loads from global memory, puts "
        "to shared memory, and computing; boxes have the number of their tile, "
        "and are as long as they have requests; a bar joins a load to its put. "
        + " ".join(f"{course.short(chapter)}: {order}."
                   for (chapter, _), order in zip(chapters, orders)))
    p.head(head)
    for i, ((chapter, what), plan) in enumerate(zip(chapters, plans)):
        timeline(p, 66 + 270 * i, course.short(chapter), what, plan, scale)
    barrier_legend(p, 26 + 270 * len(plans) + 20)
    return p


def barrier_legend(p: Picture, y: float) -> None:
    """Say what the lines are."""
    p.path([(10, y - 14), (10, y + 14)], 3)
    p.text(24, y, "barrier; the numbers are those of the tiles")


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


def banks(p: Picture, x: float, base: float, bank: float, request: Request,
          good: bool) -> None:
    """Stack the wavefronts of a request over the banks, each `bank` wide."""
    height = layer(request)
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


def stacked_banks(name: str, head: str, what: str, desc: str,
                  panels: Sequence[Tuple[str, str, str, Request]]) -> Picture:
    """Draw the wavefronts of two or three requests side by side.

    what: the request; panels: name, a line below it, and "in gemm_06".
    """
    base = 118 + int(max(layer(request) * request["wavefronts"]
                         for *_, request in panels))
    first, *rest = [(request["wavefronts"], where)
                    for _, _, where, request in panels]
    p = Picture(
        name, base + 144,
        f"{what} takes {svg.count(first[0], 'wavefront')} {first[1]}"
        + "".join(f", {number} {where}" for number, where in rest),
        "Stacks over the 32 banks of shared memory, a layer for each "
        f"wavefront. {desc}")
    p.head(head)
    bank = 10 if len(panels) == 2 else 6.5
    for i, (panel, below, _, request) in enumerate(panels):
        x = (svg.WIDTH - bank * LANES) / (len(panels) - 1) * i
        p.panel(x, 62, panel, below)
        banks(p, x, base, bank, request, i > 0)
    p.legend(0, base + 124, [("lane", "lane"),
                             ("stripes", "has to wait: conflict")])
    return p


# ---- tags and data of the L1 ------------------------------------------------


def stack(p: Picture, x: float, base: float, wide: float, height: float,
          counts: Sequence[int]) -> None:
    """Stack as many boxes as each bank has to serve, one after the other."""
    for i, number in enumerate(counts):
        for turn in range(number):
            p.box(x + wide * i, base - height * (turn + 1), wide, height,
                  "stripes" if turn else "lane", line=svg.THIN)
    p.path([(x, base), (x + wide * len(counts), base)], svg.BOLD)


def l1_banks(name: str, head: str, what: str,
             panels: Sequence[Tuple[str, str, Request]]) -> Picture:
    """Draw what the four tag banks and the 32 data banks of L1 have to do."""
    layer_height, wide, tag_wide = 9, 208, 22
    tags_at = 152 + layer_height * max(
        request["tag_wavefronts"] for *_, request in panels)
    data_at = tags_at + 62 + layer_height * max(
        request["data_wavefronts"] for *_, request in panels)
    numbers = [(panel, request["tag_wavefronts"], request["data_wavefronts"])
               for panel, _, request in panels]

    def least(tags: int, data: int) -> Tuple[str, bool]:
        """The cost, and whether requests like this one may cost more: lines
        need not share out evenly among the tag banks."""
        return svg.count(max(tags, data), "cycle"), tags > data
    p = Picture(
        name, data_at + 148,
        f"{what} takes " + ", ".join(
            f"{'at least ' * more}{cost} at {panel}" for panel, (cost, more) in
            ((panel, least(*both)) for panel, *both in numbers)),
        f"{len(panels)} panels: above, stacks of lines over the 4 tag banks of "
        "the L1; below, stacks of words over its 32 data banks. " + " ".join(
            f"{panel}: {tags} high and {data} high." for panel, tags, data
            in numbers))
    p.head(head)
    for i, (panel, below, request) in enumerate(panels):
        x = (svg.WIDTH - wide) / (len(panels) - 1) * i
        lines = len({at // LINE for at in request["at"]})
        tags, data = request["tag_wavefronts"], request["data_wavefronts"]
        assert lines in (1, 4 * tags)  # so that all banks have as many
        words = [at // WORD % LANES for at in {*request["at"]}]
        depth = [words.count(bank) for bank in range(LANES)]
        assert max(depth) == data and request["cycles"] == max(tags, data)
        p.panel(x, 62, panel, below)
        stack(p, x, tags_at, tag_wide, layer_height,
              [tags] * 4 if lines > 1 else [1, 0, 0, 0])
        right = x + 4 * tag_wide + 12
        cost, more = least(tags, data)
        p.text(right, tags_at - 44 - 30 * more, svg.count(lines, "line") + ":")
        p.text(right, tags_at - 14 - 30 * more, svg.count(tags, "cycle"),
               bold=tags >= data)
        if more:
            p.text(right, tags_at - 14, "or more", bold=True)
        p.text(x, tags_at + 20, "4 tag banks")
        stack(p, x, data_at, wide / LANES, layer_height, depth)
        p.text(x + (40 if data > tags else 0),
               data_at - layer_height * (data if data < tags else 1) - 22
               - (100 if data > tags else 0),
               f"data: {svg.count(data, 'cycle')}", bold=data >= tags)
        p.text(x, data_at + 20, "32 data banks")
        p.result(x, data_at + 44, wide, f"{tags} or more" if more else cost,
                 max(tags, data) == 1)
    p.legend(0, data_at + 122, [("lane", "in the first cycle"),
                                ("stripes", "waits for a later one")])
    return p


# ---- who owns what ----------------------------------------------------------


def who_owns(name: str, head: str, chapter: str, args: str, mine: Worker,
             scale: float, arrays: Tuple[str, str] = ("As", "Bs")) -> Picture:
    """Draw a block's tile of C with its warps, and what one lane reads for it.

    K is that of one tile; a lane reads whole rows of the first array and
    columns of the second.
    """
    requests = trace(chapter, args, requests=1000)
    results = touched(pick(requests, array="C", op="store"))
    a, b = (touched(pick(requests, array=array, op="load"))[mine]
            for array in arrays)
    warps: Dict[int, List[Place]] = {}
    for (warp, _), places in results.items():
        warps.setdefault(warp, []).extend(places)
    *_, rows, columns = extent([place for one in warps.values()
                                for place in one])
    *_, high, wide = extent(results[mine])
    *_, warp_high, warp_wide = extent(warps[mine[0]])
    depth = extent(a)[3]
    assert (len({*a}), len({*b})) == (high * depth, wide * depth)
    edge, upper = depth * scale + 8, 56
    top = upper + edge
    bottom = top + rows * scale
    reads = (svg.count(high, "row") + f" of {arrays[0]}",
             svg.count(wide, "column") + f" of {arrays[1]}")
    p = Picture(
        name, round(bottom) + 84,
        f"A lane of {course.short(chapter)} computes "
        f"{svg.count(high * wide, 'result')} from {reads[0]} and {reads[1]}",
        f"A block's {rows} x {columns} elements of C, divided among "
        f"{len(warps)} warps; that of warp {mine[0]}, {warp_high} x "
        f"{warp_wide}, is coloured, and in it the {high} x {wide} of its lane "
        f"{mine[1]}. {arrays[0]} stands at the left and {arrays[1]} above, "
        f"with the {reads[0]} and the {reads[1]} that this lane reads.")
    p.head(head)
    fill = "shared" if arrays[0] == "As" else "global"
    p.box(0, top, depth * scale, rows * scale)
    cells(p, 0, top, scale, a, fill)
    p.box(edge, upper, columns * scale, depth * scale)
    cells(p, edge, upper, scale, b, fill)
    for warp, places in sorted(warps.items()):
        row, column, warp_rows, warp_columns = extent(places)
        words = str(warp) if warp_rows * scale > svg.TEXT < (
            warp_columns * scale) else ""
        p.box(edge + column * scale, top + row * scale, warp_columns * scale,
              warp_rows * scale, "lane" if warp == mine[0] else "", words,
              svg.LINE if words else svg.THIN)
    cells(p, edge, top, scale, results[mine], "math")
    if len(results[mine]) == 1:
        (row, column), = results[mine]
        p.circle(edge + (column + 0.5) * scale, top + (row + 0.5) * scale, 8,
                 "math")
    x = edge + columns * scale + 24
    if depth * scale > 100:  # there is room between the head and A
        p.text(edge - 14, upper + depth * scale / 2, arrays[1], anchor="end")
    else:
        p.text(x, upper + depth * scale / 2, arrays[1])
    p.text(0, bottom + 18, arrays[0])
    p.text(edge + columns * scale / 2, bottom + 18, "C", anchor="middle")
    for i, (who, *below) in enumerate((
            ("block", f"{rows} x {columns}", svg.count(len(warps), "warp")),
            (f"warp {mine[0]}", f"{warp_high} x {warp_wide}"),
            (f"lane {mine[1]}", f"{high} x {wide}"),
            ("it reads", *reads))):
        p.panel(x, min(top, bottom - 320) + (24, 128, 202, 276)[i], who,
                *below)
    p.legend(0, bottom + 64, [("lane", f"warp {mine[0]}"),
                              ("math", f"its lane {mine[1]}"),
                              (fill, "what that lane reads")])
    return p


# ---- buffers ----------------------------------------------------------------


def buffers(name: str, head: str, title: str, args: str, last: int,
            chapters: Sequence[Tuple[str, str]],
            straight: bool = False, deep: int = 0) -> Picture:
    """Draw what each buffer of shared memory holds, request by request.

    straight: a tile comes from global memory without a stop in registers. Else
    loads have no width: they are not drawn.
    """
    left, height = 130, 44
    plans = [plan_until(chapter, args, last, deep) for chapter, _ in chapters]
    plans = [[step if straight or step.kind != "load"
              else step._replace(number=0) for step in plan] for plan in plans]
    scale = (svg.WIDTH - left) / max(
        sum(step.number for step in plan) for plan in plans)
    places = [sorted({step.place for step in plan if step.place is not None})
              for plan in plans]
    tops = [66.0]
    for rows in places:
        tops.append(tops[-1] + 84 + (height + 10) * len(rows))
    p = Picture(
        name, round(tops[-1]) + 68, title,
        "Timelines of one warp, a row for each buffer in shared memory. " +
        " ".join(f"{course.short(chapter)}: "
                 + svg.count(len(rows), "buffer") + "." for (chapter, _), rows
                 in zip(chapters, places)))
    p.head(head)
    for (chapter, what), plan, rows, top in zip(chapters, plans, places, tops):
        p.panel(0, top, course.short(chapter), what)
        at: float = left
        row = {place: top + 52 + (height + 10) * i
               for i, place in enumerate(rows)}
        home = {step.tile: row[step.place] for step in plan
                if step.place is not None}
        for i, y in enumerate(row.values()):
            p.text(0, y + height / 2, f"buffer {i}")
            p.path([(left, y + height), (svg.WIDTH, y + height)], svg.THIN)
        sent: Dict[int, float] = {}
        for step in plan:
            wide = scale * step.number
            if step.kind == "load":
                sent[step.tile] = at + wide
            elif straight and step.kind == "put":
                p.box(sent[step.tile], home[step.tile] + height - 14,
                      at - sent[step.tile], 14, "good", line=svg.THIN)
            if step.kind == "barrier":
                p.path([(at, top + 46), (at, max(row.values()) + height + 8)],
                       3)
            elif step.kind != "load":
                p.box(at, home[step.tile], wide, height, ROWS[step.kind])
                if wide > 20:
                    p.text(at + wide / 2, home[step.tile] + height / 2,
                           str(step.tile), anchor="middle", role="black",
                           bold=True)
            at += wide
    p.legend(0, tops[-1], [("good", "on its way")] * straight + [
        ("shared", "a tile is put there"), ("math", "it is read")])
    barrier_legend(p, tops[-1] + 40)
    return p


# ---- who adds what, step by step --------------------------------------------

Additions = List[Dict[int, int]]  # of each step: word: the word added to it


def additions_of(requests: Sequence[Request], words: int) -> Additions:
    """Return what is added to the first words of an array, by warp 0.

    A line of code that loads and stores adds one word that it loads to the
    other, where it stores; one that only loads adds to the lane's own.
    """
    mine = pick(requests, warp=0)
    loads, stores = pick(mine, op="load"), pick(mine, op="store")
    lines = ({load["line"] for load in loads}
             & {store["line"] for store in stores}) or {loads[0]["line"]}
    steps: Dict[int, Dict[int, int]] = {}
    for load in loads:
        if load["line"] not in lines:
            continue
        to = load["lanes"]
        for store in pick(stores, line=load["line"],
                          barriers=load["barriers"]):
            to = [at // WORD for at in store["at"]]
        for word, at in zip(to, load["at"]):
            if word != at // WORD and max(word, at // WORD) < words:
                steps.setdefault(load["barriers"], {})[word] = at // WORD
    return [steps[barriers] for barriers in sorted(steps)]


def additions(p: Picture, x: float, y: float, size: float, words: int,
              steps: Additions) -> None:
    """Draw words in a row, and a row below for each step."""
    row = 56
    p.grid(x, y, size, [[""] * words])
    for step in steps:
        above, y = y, y + row
        for word, other in step.items():
            for source in (word, other):
                p.path([(x + size * (source + 0.5), above + size),
                        (x + size * (word + 0.5), y)], svg.THIN)
        p.grid(x, y, size, [["math" if word in step else ""
                             for word in range(words)]])


def two_trees(name: str, head: str, title: str, desc: str, words: int,
              panels: Sequence[Tuple[str, str, Additions]]) -> Picture:
    """Draw two ways to add the same words."""
    bottom = 128 + 56 * max(len(steps) for *_, steps in panels)
    p = Picture(name, bottom + 74, title, desc)
    p.head(head)
    for x, (panel, below, steps) in zip((0, 400), panels):
        p.panel(x, 62, panel, below)
        additions(p, x, 118, 320 / words, words, steps)
    p.legend(0, bottom + 52, [("math", "a sum of this step"),
                              ("", "stays as it is")])
    return p
