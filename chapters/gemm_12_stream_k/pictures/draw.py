"""The pictures of gemm_12."""

from typing import Dict, Tuple

from drawings import runs, timeline, wave
from svg import Picture, picture
from tracing import SIZES, SMS, Place, elements, pick, trace


@picture("16 or 17 steps for every block")
def ranges(p: Picture) -> None:
    """A row for each of four tiles, 32 steps along K from left to right, cut
    into pieces: tile 0, blocks 0 and 1; tile 1, blocks 1, 2 and 3; tile 2,
    blocks 3, 4 and 5; tile 3, blocks 5, 6 and 7."""
    blocks, deep, tiles, mine, left, scale = 8, 16, 4, 1, 96, 19.5
    requests = trace("gemm_12", SIZES.format(448, 320, 512), blocks, 100,
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
    done = [[number for number, _ in corner["A"]].count(one)
            for one in range(blocks - 1)]  # the last: in part
    assert {*done} == {16, 17}
    p.text(left, 62, "k = 0")
    p.text(left + scale * 32, 62, "512", anchor="end")
    for i, steps in enumerate([*work.values()][:tiles]):
        bars = []
        for number in sorted({*steps.values()}):
            (first, long), = runs(step for step in steps
                                  if steps[step] == number)
            bars.append((first, long, "math" if number == mine else "lane",
                         f"{number}"))
        timeline(p, f"tile {i}", bars, scale, left)
    p.legend(("math", f"block {mine}: in two tiles"), ("lane", "the others"))


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
