"""The pictures of tensor_07."""

import math
from typing import Dict, List, NamedTuple, Tuple

from tools.author import drawings
from tools.author.drawings import BARRIER, Bar
from tools.author.svg import BOLD, LINE, THIN, WIDTH, Picture, Point, picture
from tools.author.tracing import SIZES, Place, defined, trace

STAGES = defined("tensor_07", "STAGES")
GROUPS, TILES = 2, 8
# A model, in ticks: a tile's products of a group, if it has the tensor cores
# alone, and twice that if both have products; how long a tile is on its way;
# how long group 1 is held up before it begins a tile.
PRODUCT, COMES, HELD, HELD_AT = 16, 24, 84, 2


class Run(NamedTuple):
    """When what happened, of each tile; of a group and a tile."""

    asked: List[int]
    came: List[int]
    began: Dict[Tuple[int, int], int]
    ended: Dict[Tuple[int, int], int]
    met: List[int]  # at the barrier of each tile
    held: Tuple[int, int]  # group 1: since when, until when


def run(specialized: bool) -> Run:
    """Play the loops of tensor_07, or of tensor_06, tick by tick.

    tensor_07: a tile is asked for when both groups have ended the one that was
    in its stage; a group begins a tile that has come when it has ended the one
    before. tensor_06: a group begins a tile when both have met, which they do
    when both have begun the tile before and ended the one before that; then
    the tile three further is asked for.
    """
    ring, now = STAGES, 0
    began: Dict[Tuple[int, int], int] = {}
    ended: Dict[Tuple[int, int], int] = {}
    left: Dict[Tuple[int, int], int] = {}
    asked = [0] * (0 if specialized else ring)
    met: List[int] = []
    held = (-1, -1)
    while len(ended) < GROUPS * TILES:
        i = len(asked)
        if specialized:
            free = i < ring or all((g, i - ring) in ended
                                   for g in range(GROUPS))
        else:
            while len(met) < TILES and all(
                    (g, len(met)) in began and
                    (not met or (g, len(met) - 1) in ended)
                    for g in range(GROUPS)):
                met.append(now)
            free = i - ring + 1 < len(met)
        if i < TILES and free:
            asked.append(now)
        for g in range(GROUPS):
            tile = sum((g, i) in began for i in range(TILES))
            if tile == TILES or tile >= len(asked) or \
                    now < asked[tile] + COMES:
                continue
            if tile and (not specialized and len(met) < tile or
                         (g, tile - 1) not in ended):
                continue
            if g == 1 and tile == HELD_AT:
                held = (now, now + HELD) if held[0] < 0 else held
                if now < held[1]:
                    continue
            began[g, tile], left[g, tile] = now, 2 * PRODUCT
        for key in [*left]:
            left[key] -= 2 // len(left) if len(left) else 0
        now += 1
        for key in [key for key, rest in left.items() if rest <= 0]:
            ended[key] = now
            del left[key]
    return Run(asked, [at + COMES for at in asked], began, ended, met, held)


def lanes(p: Picture, events: Run, specialized: bool, scale: float,
          left: float) -> None:
    """Draw the lanes of a block: who asks, and what both groups multiply."""
    if specialized:
        bars: List[Bar] = []
        free = 0
        for at in events.asked:
            if at > free:
                bars.append((free, at - free, "hatch", ""))
            bars.append((at, 3, "global", ""))
            free = at + 3
        drawings.timeline(p, "producer", bars, scale, left, 34)
    for g in range(GROUPS):
        bars, free = [], 0
        for tile in range(TILES):
            first, last = events.began[g, tile], events.ended[g, tile]
            if g == 1 and tile == HELD_AT:
                bars += [(free, events.held[0] - free, "hatch", ""),
                         (events.held[0], HELD, "bad", "held up")]
            else:
                bars.append((free, first - free, "hatch", ""))
            bars.append((first, last - first, "math", f"{tile}"))
            free = last
        drawings.timeline(p, f"group {g}", bars + [
            (at, 0, BARRIER, "") for at in events.met], scale, left, 40, 10)


@picture("Group 1 is held up: does group 0 go on?")
def roles(p: Picture) -> None:
    """Time lines of a block in a model, 8 tiles. Both groups share the tensor
    cores, and a group that has them alone is twice as fast. Group 1 is held up
    before tile 2. In tensor_06 group 0 finishes tile 2, then waits at the
    barrier. In tensor_07 it goes on with tiles 3, 4 and 5, and waits only when
    all 4 stages hold tiles that group 1 needs. tensor_07 ends earlier. The
    producer of tensor_07 waits most of the time, and asks for a tile in
    between."""
    left = 112.0
    both = [run(False), run(True)]
    ends = [max(outcome.ended.values()) for outcome in both]
    scale = (WIDTH - left) / max(ends)
    p.bottom = 36
    for specialized, events in enumerate(both):
        name = ("tensor_06", "tensor_07")[specialized]
        y = p.bottom + 28
        p.panel(0, y, name)
        lanes(p, events, bool(specialized), scale, left)
        p.text(WIDTH, y, f"{ends[specialized]} ticks", anchor="end")
    assert ends[1] < ends[0]
    p.legend(("math", "multiplies a tile"), ("hatch", "waits"),
             ("global", "asks for one"))
    p.legend(("bad", "held up"), ("bar", "both groups meet"))


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
    events, outer, inner = run(True), 200, 100
    now = events.ended[0, HELD_AT + 2] + 2  # group 0 is three tiles ahead
    last = sum(at <= now for at in events.asked) - 1
    at_work = [next(i for i in range(TILES)
                    if events.ended[g, i] > now) for g in range(GROUPS)]
    p.circle(*around(0, 0), outer, "shared")
    for stage in range(STAGES):
        tile = max(i for i in range(last + 1) if i % STAGES == stage)
        assert events.came[tile] <= now
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


ROWS, PIECES, PIECE = 16, 8, 16  # of a warp's share of a part; bytes


def places() -> List[Dict[Place, Place]]:
    """Return for each store of a warp: where in shared memory which row and
    piece of its share of a part comes to lie."""
    stores = trace("tensor_07", SIZES.format(256, 256, 64), space="shared",
                   op="store", warp=0)[:PIECES // 2]
    base = min(at for store in stores for at in store["at"])
    assert base % 1024 == 0
    result: List[Dict[Place, Place]] = []
    for i, store in enumerate(stores):
        place: Dict[Place, Place] = {}
        for lane, at in zip(store["lanes"], store["at"]):
            row, byte = divmod(at - base, ROWS * PIECE // 2)
            # A lane's address is that of a row of matrix lane / 8.
            place[row, byte // PIECE] = (lane % 16, 2 * i + lane // 16)
        result.append(place)
    return result


@picture("From registers to C: 16 rows of a part")
def way(p: Picture) -> None:
    """Three grids of 16 rows and 8 pieces of 16 bytes: a warp's share of a part
    of C in its registers, in shared memory, and in C. Four stmatrix store it,
    two columns of pieces each; the first one's pieces, 0 and 1, are coloured.
    In shared memory piece p of row y lies at p XOR y % 8, so the eight rows of a
    matrix lie in different columns; the copy engine stores the box, and in C all
    pieces are in order again."""
    size, top = 24, 104
    stores = places()
    there = {at: content for store in stores for at, content in store.items()}
    assert len(there) == ROWS * PIECES
    plain = {(y, x): (y, x) for y in range(ROWS) for x in range(PIECES)}
    shared = {at: content for at, content in there.items()}
    assert all(row == at[0] and piece == at[1] ^ row % 8
               for at, (row, piece) in shared.items())
    step = (WIDTH - size * PIECES) / 2
    for n, (name, cells) in enumerate((
            ("registers", plain), ("shared memory", shared), ("C", plain))):
        x = step * n
        p.panel(x, top - 32, name)
        first = {*stores[0].values()}
        drawings.grid(p, x, top, size, (ROWS, PIECES),
                      {at: "lane" for at, content in cells.items()
                       if content in first},
                      {at: f"{content[1]}" for at, content in cells.items()})
    middle = top + size * ROWS / 2
    for n in range(2):
        x = step * n + size * PIECES
        p.arrow((x + 10, middle), (x + step - size * PIECES - 10, middle),
                LINE)
    y = top + size * ROWS + 24
    for n, words in enumerate(("4 stmatrix", "swizzled", "a box")):
        p.middle(step * n + size * PIECES / 2, y, words)
    p.bottom = y + 12
    p.legend(("lane", "the first stmatrix; a number is a piece of 16 bytes"))
