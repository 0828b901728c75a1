"""The pictures of gemm_12."""

from itertools import accumulate, groupby
from typing import Dict, Tuple

from tools.author.drawings import one_by_one, runs, timeline, wave
from tools.author.svg import Picture, count, picture
from tools.author.tracing import SIZES, SMS, Place, elements, pick, trace


@picture("17 steps for every block")
def ranges(p: Picture) -> None:
    """A row for each of four tiles, 33 steps along K from left to right, cut
    into pieces: tile 0, blocks 0 and 1; tile 1, blocks 1, 2 and 3; tile 2,
    blocks 3, 4 and 5; tile 3, blocks 5, 6 and 7."""
    blocks, deep, tiles, mine, left, scale = 8, 8, 4, 3, 96, 18.9
    requests = trace("gemm_12", SIZES.format(512, 4352, 264), blocks, 250,
                     op="load", warp=0)
    corner: Dict[str, Dict[Tuple[int, int], int]] = {}  # of a block's step
    for array, of_k, of_edge in (("A", 1, 0), ("B", 0, 1)):
        for request in pick(requests, array=array):
            place = elements(request)[0][1]
            corner.setdefault(array, {}).setdefault(
                (request["block"][0], place[of_k] // deep), place[of_edge])
    work: Dict[Place, Dict[int, int]] = {}  # tile: step along K: block
    for at, row in corner["A"].items():
        work.setdefault((row, corner["B"][at]), {})[at[1]] = at[0]
    done = [[number for number, _ in corner["A"]].count(block)
            for block in range(blocks - 1)]  # the last: in part
    assert {*done} == {17}
    p.text(left, 62, "k = 0")
    p.text(left + scale * 33, 62, "264", anchor="end")
    for i, steps in enumerate([*work.values()][:tiles]):
        bars = []
        for number in sorted({*steps.values()}):
            (first, long), = runs(step for step in steps
                                  if steps[step] == number)
            bars.append((first, long, "math" if number == mine else "lane",
                         f"{number}"))
        timeline(p, f"tile {i}", bars, scale, left)
    p.legend(("math", f"block {mine}: in two tiles"), ("lane", "the others"))


@picture("Four tiles on three SMs: who ends first?")
def ways(p: Picture) -> None:
    """Four ways, each with a row for each of 3 SMs and time from left to right;
    a tile has 6 steps. A block a tile: the first SM has tiles 0 and 3, 12
    steps, the others one tile. Split-K: each tile in two parts, 9 steps and 8
    parts. Stream-K: a whole tile at either end, 4 parts of tiles 1 and 2
    between, 8 steps. Hybrid: each SM has one of 3 parts of tile 3 and then a
    whole tile, 8 steps."""
    sms, steps, tiles = 3, 6, "0123"
    line = "".join(tile * steps for tile in tiles)
    whole = steps * sms  # the steps of a full round
    p.bottom = 30
    for name, cuts, order in (
            ("1. a block a tile", [steps] * 4, line),
            ("2. split-K", [steps // 2] * 8, line),
            ("3. stream-K", [len(line) // sms] * sms, line),
            ("4. hybrid", [2] * sms + [steps] * sms,
             line[whole:] + line[:whole])):
        pieces = [order[end - cut:end]
                  for end, cut in zip(accumulate(cuts), cuts)]
        rows = ["".join(pieces[sm::sms]) for sm in range(sms)]
        longest = max(map(len, rows))
        works = [[(tile, len([*of])) for tile, of in groupby(row)]
                 for row in rows]
        parts = sum(long < steps for bars in works for _, long in bars)
        top = p.bottom + 18
        p.panel(0, top + 34, name,
                f"{count(longest, 'step')}, {count(parts, 'part')}")
        p.bottom = top
        for bars in works:
            timeline(p, "", [(0, longest, "", ""), *one_by_one(
                (long, "lane" if long == steps else "math", tile)
                for tile, long in bars)], 38, 264, 34, 4)
    p.legend(("lane", "a whole tile"), ("math", "part of a tile"),
             ("", "nothing to do"))


@picture("4097 x 4097: 561 tiles for 132 SMs")
def hybrid(p: Picture) -> None:
    """Two panels, time from top to bottom, 132 SMs from left to right. One
    block a tile: 4 full rounds, then 33 SMs with a tile. gemm_12: a quarter of
    a round in which all SMs share 33 tiles, then 4 full rounds."""
    full, left = divmod(-(-4097 // 128) * -(-4097 // 256), SMS)
    for x, shared in p.panels((("gemm_11", "a block for each tile"),
                               ("gemm_12", f"{left} tiles are shared")),
                              (False, True)):
        if shared:
            timeline(p, "", [(0, SMS, "math", "")], 340 / SMS, x,
                     46 * left / SMS)
        for _ in range(full):
            wave(p, x, SMS)
        if not shared:
            wave(p, x, left)
    p.results(f"{full + 1} rounds", f"{full + left / SMS:.2f} rounds")
    p.legend(("lane", "a tile each"), ("math", "parts of tiles"),
             ("", "nothing to do"))
