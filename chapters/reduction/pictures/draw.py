"""The pictures of reduction."""

from tools.author import drawings
from tools.author.drawings import boxes
from tools.author.svg import THIN, TOP, Picture, picture
from tools.author.tracing import LANES, additions_of, pick, trace

STRIDES = [("divergent", "stride doubles"), ("convergent", "stride halves")]


@picture("Where do the sums of a step lie?")
def tree(p: Picture) -> None:
    """Two panels with 16 words in a row, and a row below for each of 4 steps.
    Yellow words are sums of this step; lines lead down from the two words that
    are added. divergent: every second word, then every fourth. convergent: the
    left half, then the left quarter."""
    for x, variant in p.panels(STRIDES):
        drawings.tree(p, x, 21, 16, additions_of(trace(
            "reduction", f"--variant {variant} --n 1024", array="work"),
            16), "math", 60)
    p.legend(("math", "a sum of this step"), ("", "stays as it is"))


@picture("Who adds in each step of the tree?")
def working_warps(p: Picture) -> None:
    """Two panels, a row for each of 10 steps, a cell for each of 16 warps, blue
    as far as its lanes work. Left, divergent: in the first steps all warps
    work, with fewer and fewer lanes. Right, convergent: full warps, half as
    many in each step."""
    row, high, total = 34, 28, []
    for x, variant in p.panels(STRIDES):
        work = trace("reduction", f"--variant {variant} --n 1024",
                     array="work", op="load")
        lanes = {(load["barriers"], load["warp"]): len(load["lanes"])
                 for load in pick(work, line=work[0]["line"])}
        for i, step in enumerate(sorted({step for step, _ in lanes})):
            y = TOP + row * i
            if not x:
                p.text(16, y + 14, str(i), anchor="end")
            for warp in range(16):
                part = high * lanes.get((step, warp), 0) / LANES
                at = x + 24 + 20 * warp
                p.box(at, y, 18, high, "wait" if part else "", line=THIN)
                if part:
                    p.box(at, y + high - part, 18, part, "lane", line=0)
        total.append(len(lanes))
    p.results(*(f"{number} turns of warps" for number in total))
    p.legend(("lane", "lanes that add"), ("wait", "wait for their warp"))
    p.text(0, p.bottom + 20, "Rows are steps, columns are warps 0 to 15.")


@picture("How do the blocks' sums become one?")
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
            [("lane", ["1: set the result"]),
             ("lane", [f"2: b{i}" for i in range(blocks)])],
            [("lane", [f"b{i}" for i in range(blocks)]),
             ("global", [f"slot {i}" for i in range(blocks)]),
             ("", tickets), ("lane", [f"b{tickets.index('3')}"])])):
        boxes(p, x, 344, [*rows, ("global", ["result"])], 240)
    p.legend(("lane", "block"), ("global", "in global memory"),
             ("", "ticket of a block"))
