"""The pictures of tensor_08."""

import math
from typing import Dict, List, NamedTuple, Tuple

from tools.author import drawings
from tools.author.svg import BOLD, LINE, THIN, WIDTH, Picture, Point, picture
from tools.author.tracing import defined

STAGES = defined("tensor_08", "STAGES")


@picture("Three tiles of C on an SM, one after the other")
def timeline(p: Picture) -> None:
    """Measured time lines of an SM, K 1024, over 62,000 cycles. tensor_07: a
    tile's products take 16,500 cycles, then for 5,400 neither group multiplies.
    tensor_08: products take 16,000 cycles, then the threads hand C over for
    2,400, and soon the next products begin."""
    scale, left = (WIDTH - 112) / 62000, 112.0
    p.bottom = 16
    drawings.stamped(p, "tensor_07", scale, left, False)
    drawings.stamped(p, "tensor_08", scale, left, False)
    p.legend(("math", "products of a tile (cycles)"), ("shared", "hands C over"))


GROUPS, TILES = 2, 8
# A model, in ticks: a tile's products of a group, if it has the tensor
# cores alone, and twice that if both have products; how long a tile is on its
# way; how long group 1 is held up before it begins a tile.
PRODUCT, COMES, HELD, HELD_AT = 16, 24, 84, 2


class Run(NamedTuple):
    """When what happened, of each tile; of a group and a tile."""

    asked: List[int]
    ended: Dict[Tuple[int, int], int]


def run() -> Run:
    """Play the loops tick by tick: a tile is asked for when both groups have
    ended the one that was in its stage; a group begins a tile that has come
    when it has ended the one before."""
    now, held_until = 0, 0
    asked: List[int] = []
    began: Dict[Tuple[int, int], int] = {}
    ended: Dict[Tuple[int, int], int] = {}
    left: Dict[Tuple[int, int], int] = {}
    while len(ended) < GROUPS * TILES:
        i = len(asked)
        if i < TILES and (i < STAGES or all((g, i - STAGES) in ended
                                            for g in range(GROUPS))):
            asked.append(now)
        for g in range(GROUPS):
            tile = sum((g, i) in began for i in range(TILES))
            if tile == TILES or tile >= len(asked) or \
                    now < asked[tile] + COMES or \
                    tile and (g, tile - 1) not in ended:
                continue
            if g == 1 and tile == HELD_AT:
                held_until = held_until or now + HELD
                if now < held_until:
                    continue
            began[g, tile], left[g, tile] = now, 2 * PRODUCT
        for key in [*left]:
            left[key] -= 2 // len(left)
        now += 1
        for key in [key for key, rest in left.items() if rest <= 0]:
            ended[key] = now
            del left[key]
    return Run(asked, ended)


def around(angle: float, radius: float) -> Point:
    """Return a point of the ring: the angle in quarters, clockwise from above."""
    return (WIDTH / 2 + radius * math.sin(angle * math.pi / 2),
            250 - radius * math.cos(angle * math.pi / 2))


@picture("The ring, and what its barriers know")
def ring(p: Picture) -> None:
    """The ring of 4 stages at one moment of the model, while group 1 is held up,
    drawn as a clock. Each stage holds a tile that has come; below it, how many
    of 2 groups have arrived at its barrier empty. Three hands: group 0 is at
    stage 1, tile 5; group 1 is at stage 2, tile 2, and there the producer waits
    to ask for tile 6."""
    events, outer, inner = run(), 200, 100
    now = events.ended[0, HELD_AT + 2] + 2  # group 0 is three tiles ahead
    last = sum(at <= now for at in events.asked) - 1
    at_work = [next(i for i in range(TILES)
                    if events.ended[g, i] > now) for g in range(GROUPS)]
    p.circle(*around(0, 0), outer, "shared")
    for stage in range(STAGES):
        tile = max(i for i in range(last + 1) if i % STAGES == stage)
        assert events.asked[tile] + COMES <= now
        arrived = sum(events.ended[g, tile] <= now for g in range(GROUPS))
        p.path([around(stage, 0), around(stage, outer)], stroke="black")
        x, y = around(stage + 0.5, (outer + inner) / 2)
        p.middle(x, y - 15, f"tile {tile}", "black", True)
        p.middle(x, y + 15, f"{arrived} of {GROUPS}", "black")
        x, y = around(stage + 0.5, outer + 64)
        p.middle(x, y + (24 if y < 250 else -24), f"stage {stage}", bold=True)
    hands = (
        (at_work[0], "lane", f"group 0: multiplies tile {at_work[0]}"),
        (at_work[1], "math", f"group 1: held up before tile {at_work[1]}"),
        (last + 1, "wait", f"producer: waits to ask for tile {last + 1}"))
    for i, (tile, fill, words) in enumerate(hands):
        turn = 0.4 + 0.35 * (tile > last)  # two hands at a stage
        points = [around(tile % STAGES + turn + side, radius) for side, radius
                  in ((0, inner - 6), (1, 15), (-1, 15))]
        x, y = zip(*points)
        p.draw("M" + "L".join(f"{a:g} {b:g}" for a, b in points) + "z",
               (min(x), min(y), max(x), max(y)), fill, "black", LINE)
        near, down = around(tile % STAGES + 0.5, outer + 64)
        p.middle(near, down + 6 + 30 * (i > 1), words.split(":")[0])
    p.circle(*around(0, 0), 15, "black")
    p.bottom += 2
    for entry in (*(hand[1:] for hand in hands),
                  ("shared", "a tile, which has come (full)")):
        p.legend(entry)
        p.bottom -= 12
    p.text(0, p.bottom + 32,
           f"1 of {GROUPS}: groups that have finished with it (empty)")


@picture("One stage, three rounds: who waits when?")
def rounds(p: Picture) -> None:
    """Stage 0 over time: free, then filled with tile 0, which is used, then with
    tile 4, tile 8. Below it the phases of its barriers. Phase 0 of full ends when tile 0 has
    come; the groups wait for it, parity 0, then for phase 1, parity 1, and so
    on. Phase 0 of empty ends when tile 0 has been used. The producer waits for
    parity 1 first, while empty is in phase 0: that passes at once. Then it
    waits for phase 0, parity 0, before tile 4 may come."""
    left, step, high, number = 204.0, 73.5, 38, STAGES
    uses = ["free", *["fill", "use"] * 3]
    rows = ("stage 0", "full: phase", "groups wait", "empty: phase",
            "producer waits")
    tops = [88, 150, 196, 258, 304]
    for y, words in zip(tops, rows):
        p.text(0, y + high / 2, words)
    for n, words in enumerate(uses):
        x = left + step * n
        p.box(x + 1, tops[0], step - 2, high,
              {"fill": "global", "use": "math"}.get(words, ""), words, THIN)
        if words == "fill":
            p.middle(x + step, tops[0] - 20, f"tile {n // 2 * number}")
            p.box(x + 1, tops[2], step - 2, high, "hatch", f"{n // 2 % 2}",
                  THIN)
        else:
            p.box(x + 1, tops[4], step - 2, high, "hatch" if n else "good",
                  f"{n // 2 % 2 ^ 1}", THIN)
    for y, first in ((tops[1], 2), (tops[3], 3)):
        ends = [0, first, first + 2, first + 4, len(uses)]
        for phase, (begin, end) in enumerate(zip(ends, ends[1:])):
            end = min(end, len(uses))
            if begin < end:
                p.box(left + step * begin, y, step * (end - begin), high, "",
                      f"{phase}", THIN)
                p.path([(left + step * end, y - 5),
                        (left + step * end, y + high + 5)], BOLD)
    p.legend(("hatch", "waits for this parity"), ("good", "passes at once"))
