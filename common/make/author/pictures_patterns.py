"""The pictures of the pattern chapters: a function for each."""

import svg
from drawings import Picture, additions_of, cells, stacked_banks, two_trees
from tracing import LANES, elements, pick, trace


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


def padding() -> Picture:
    """A column of a tile: plain, with a word of padding, with a swizzle."""
    panels = []
    for variant, name, below, where in (
            ("tile", "tile", "rows of 32", "in a plain tile"),
            ("tile_padded", "padded", "rows of 33", "with padding"),
            ("tile_swizzled", "swizzled", "column ^ row", "with a swizzle")):
        request = pick(trace("bank_conflict_padding",
                             f"--variant {variant} --rows 64 --cols 64"),
                       op="load", array="tile", warp=0)[0]
        panels.append((name, below, where, request))
    return stacked_banks(
        "padding", "Two ways to a bank for each lane",
        "A warp's load of a column",
        "Plain: one bank has to serve all lanes, one after the other. With a "
        "word of padding a row, or columns exchanged in each row, each lane "
        "has a bank of its own.", panels)


def conflicts() -> Picture:
    """Where the lanes of a warp add, in one table and in their own."""
    panels = []
    for variant, below, where in (
            ("private_shared", "one table", "in"),
            ("bank_private", "a bank for each lane", "with")):
        adds = pick(trace("histogram", f"--variant {variant} --n 65536 "
                          "--input uniform", requests=4),
                    op="atomic", space="shared", warp=0)
        worst = max(adds, key=lambda request: request["wavefronts"])
        panels.append((variant, below, f"{where} {below}", worst))
    return stacked_banks(
        "conflicts", "Lanes that meet in a bank wait",
        "An atomic add of a warp",
        "One table: random bytes meet in some banks, and others are idle. A "
        "bank for each lane: one full layer.", panels)


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


def tree() -> Picture:
    """The part of a block's tree that is over 32 words, with either stride."""
    panels = []
    for variant, why in (("divergent", "stride doubles"),
                         ("convergent", "stride halves")):
        requests = pick(trace("reduction", f"--variant {variant} --n 2048",
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
