"""The pictures of scan."""

from typing import Dict, List, Set, Tuple

from tools.author.drawings import boxes, grid, tree
from tools.author.svg import TOP, Picture, count, picture
from tools.author.tracing import SMS, additions_of, pick, trace

RING_TILE = 6144  # of the scan's 10_ring.cuh
STAGES = ("good", "wait", "wait", "wait", "lane", "lane", "global", "global")


def scan_steps(variant: str, words: int) -> List[Dict[int, int]]:
    """Return what the first warp of a scan in one block adds."""
    return additions_of(trace("scan", f"--variant {variant} --n 1024",
                              requests=20, space="shared"), words)


@picture("Fewer rounds, or fewer additions")
def trees(p: Picture) -> None:
    """Two panels with 8 words in a row, and a row below for each round with what
    the words are then; lines lead down from the two words of an addition.
    kogge_stone: nearly all words are sums in each round. brent_kung: up a tree
    whose strides double, and down again. The last rows are the same."""
    x_of = (3, 1, 7, 0, 4, 1, 6, 3)
    additions = {variant: scan_steps(variant, len(x_of))
                 for variant in ("kogge_stone", "brent_kung")}
    for x, variant in p.panels([
            (variant, f"{sum(map(len, steps))} in {len(steps)} rounds")
            for variant, steps in additions.items()]):
        tree(p, x, 40, len(x_of), additions[variant], "math", 76, x_of)
    p.legend(("math", "a sum of this step"), ("", "stays as it is"))


@picture("x is read twice, y is written once")
def three_launches(p: Picture) -> None:
    """From top to bottom, for four sections of two words each of x: four blocks
    make the sums of the sections; one block makes of them what stands before
    each section; four blocks read x again and write y."""
    blocks = 4
    does: Dict[str, Set[Tuple[str, str]]] = {}  # of each launch
    for request in trace("scan", f"--variant three_kernels --n {blocks * 9216}",
                         blocks, 40, space="global"):
        does.setdefault(request["kernel"], set()).add(
            (request["op"], request["array"]))
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


@picture("What is known of 8 tiles?")
def chain(p: Picture) -> None:
    """Two panels, a column for each of 8 tiles, a row for each look. chained:
    nothing is known but an inclusive prefix, and one more with each look.
    look_back: all aggregates are known at first, and all inclusive prefixes
    after one look. Below, a moment of look_back: tile 7 adds the aggregates of
    6, 5 and 4 and the inclusive prefix of 3."""
    tiles, size = 8, 40
    fills = {"": "", "A": "math", "P": "good"}
    states = [["P" * i + " " * (tiles - i) for i in range(1, tiles + 1)],
              ["P" + "A" * (tiles - 1), "P" * tiles]]
    for x, rows in p.panels((("chained", "asks its neighbour"),
                             ("look_back", "adds aggregates")), states):
        words = {(i, j): state.strip() for i, row in enumerate(rows)
                 for j, state in enumerate(row)}
        grid(p, x, TOP, size, (len(rows), tiles),
             {at: fills[state] for at, state in words.items()}, words)
    for i, line in enumerate(("The first row: at first.", "Each further row:",
                              "after one more look.")):
        p.text(376, TOP + 2 * size + 40 + 32 * i, line)
    p.results(*(count(len(rows) - 1, "look") for rows in states))
    y, wide = p.bottom + 60, 72
    p.text(0, y - 20, "look_back at some moment: tile 7 walks to the left")
    for tile, state in enumerate([*"PPPPAAAA", ""]):
        p.box(36 + wide * tile, y, wide, 52, fills[state], state)
        p.middle(36 + wide * (tile + 0.5), y + 74, str(tile))
    p.arrow((36 + wide * 7.5, y + 104), (36 + wide * 3.5, y + 104))
    p.middle(36 + wide * 5.5, y + 128, "P3 + A4 + A5 + A6")
    p.legend(("", "nothing"), ("math", "aggregate"),
             ("good", "inclusive prefix"))


@picture("The ring of block 1, one of 132 blocks")
def ring(p: Picture) -> None:
    """Three rows over time with the 8 slots of a block in shared memory, a tile
    of x in each: 1, 133, 265 and so on, since 132 blocks take turns. First,
    slot 0 is scanned, the next three wait for what stands before them, two are
    summed, the last two are filled. In each further row all of that is a slot
    further to the right, and the slot that has been scanned is filled again."""
    # A trace has no time: that the tiles are worked at together, each at
    # another stage, is drawn from what the kernel waits for. Bulk copies are no
    # requests of a warp, so a trace has none either.
    requests = trace("scan", f"--variant ring --n {3 * SMS * RING_TILE}",
                     2 * SMS, 40)
    assert len({one["block"][0] for one in requests}) == SMS
    adders, scanners = (len({request["warp"] for request in pick(
        requests, op="store", space=space, bytes=size, block=[1, 0, 0])})
        for space, size in (("global", 8), ("shared", 16)))
    slots, left = len(STAGES), 76
    p.text(0, 60, f"its tiles: 1, 1 + {SMS}, 1 + 2 x {SMS}, and so on")
    for i in range(slots):
        p.middle(left + 80.5 * (i + 0.5), 98, f"{i}")
    p.text(0, 98, "slot")
    for row, words in enumerate(("now", "next", "then")):
        y = 118 + 60 * row
        p.text(0, y + 22, words)
        for i in range(slots):
            p.box(left + 80.5 * i, y, 74.5, 44, STAGES[(i - row) % slots],
                  f"{1 + SMS * (i + slots * (i < row))}")
    for entry in (("global", "loader: fills slots, all the time"),
                  ("lane", f"{adders} adders: tell its sum to all blocks"),
                  ("wait", f"looker: adds the sums of {SMS} tiles before"),
                  ("good", f"{scanners} scanners: write y")):
        p.legend(entry)
