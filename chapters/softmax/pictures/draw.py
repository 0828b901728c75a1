"""The pictures of softmax."""

import math
from typing import Dict, List

from tools.author.drawings import grid
from tools.author.svg import TOP, Picture, picture
from tools.author.tracing import Request, elements_of, pick, touched, trace

ROW = 1024  # elements of the row that the variants below read
PASSES = {"block_row": ("largest", "sum", "result"),
          "online": ("largest and sum", "result"),
          "shared": ("largest", "sum", "result"),
          "registers": ("largest", "sum", "result")}
VALUES = (3, 1, 7, 0, 4, 1, 6, 3)


def passes(variant: str) -> List[str]:
    """Return where each pass over a row reads it: the loads of a line. What
    warps tell each other is read in device.cuh and by block_merge()."""
    found: Dict[int, List[Request]] = {}
    for request in trace("softmax", f"--variant {variant} --rows 1 --cols {ROW}",
                         op="load"):
        found.setdefault(request["line"], []).append(request)
    return [of[0]["space"] for of in found.values()
            if sum(len(one["lanes"]) * one["bytes"] // 4 for one in of) == ROW]


@picture("Where does each pass over a row read?")
def where(p: Picture) -> None:
    """A line for each pass of four variants over a row. block_row: three passes
    read global memory. online: two. shared: one, and two read shared memory.
    registers: one reads global memory, and two read registers."""
    y, reads = 44, []
    for variant, names in PASSES.items():
        places = passes(variant)
        reads.append(places.count("global"))
        p.text(0, y + 20, variant, bold=True)
        for i, name in enumerate(names):  # a trace has no registers
            fill = places[i] if i < len(places) else "math"
            p.box(170, y, 290, 40, fill,
                  "registers" if fill == "math" else f"{fill} memory")
            p.text(476, y + 20, name)
            y += 46
        y += 18
    assert reads == [3, 2, 1, 1]


@picture("When 7 comes, the sum so far shrinks")
def corrected(p: Picture) -> None:
    """A table with a column for each of the elements 3, 1, 7, 0, 4, 1, 6, 3.
    Below each: the largest so far, the factor for the sum so far, exp of x less
    the largest, and the sum. At 7 the largest changes from 3 to 7: the sum,
    1.14, is multiplied by 0.02. The last sum is 1.46."""
    count = len(VALUES)
    mine = touched(trace("softmax", f"--variant online --rows 1 --cols "
                         f"{count * 512}", array="x", warp=0))[0, 0]
    assert len(mine) == 2 * count and mine[:count] == mine[count:]
    most, total = -math.inf, 0.0
    rows: List[List[str]] = [[], [], [], [], []]
    fills = {}
    for i, x in enumerate(VALUES):
        factor = math.exp(most - max(most, x))
        fills.update({(row, i): "math" for row in range(1, 5)} if x > most else {})
        most = max(most, x)
        total = total * factor + math.exp(x - most)
        for row, words in zip(rows, (f"{x}", f"{most}", f"{factor:.2f}",
                                     f"{math.exp(x - most):.2f}", f"{total:.2f}")):
            row.append(words)
    size, left = 65, 200
    for row, (name, words) in enumerate(zip((
            "x", "largest m", "sum times", "plus exp(x-m)", "is the sum"), rows)):
        y = 50 + 52 * row
        p.text(0, y + 22, name)
        for i, word in enumerate(words):
            p.box(left + size * i, y, size, 44, "global" if row == 0 else
                  fills.get((row, i), ""), word, 1)
    p.legend(("global", "element"), ("math", "a larger one has come"))


@picture("One piece of memory, a row a lane")
def packed(p: Picture) -> None:
    """Two squares of 32 rows of 33 elements. Left, the first request of a warp
    for x: 128 elements in a row, nearly four rows. Right, the first load of its
    lanes from shared memory: an element of each row, in 32 different banks."""
    requests = trace("softmax", "--variant packed --rows 32 --cols 33",
                     requests=60, op="load", warp=0)
    first = pick(requests, space="global")[0]
    words = pick(requests, space="shared")[0]
    brought = elements_of([first])
    rows = [(at // 4 // 33, at // 4 % 33) for at in words["at"]]
    assert len(brought) == 128 and words["wavefronts"] == 1
    size = 10
    for x, places in p.panels((("from global memory", "a warp's first request"),
                               ("in shared memory", "its lanes' first load")),
                              (sorted(brought), rows)):
        grid(p, x, TOP, size, (32, 33), {at: "global" if x == 0 else "lane"
                                         for at in places})
    p.results(f"{len(brought)} neighbours", f"{len(rows)} rows, 32 banks",
              good=(True, True))
