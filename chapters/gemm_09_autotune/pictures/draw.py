"""The pictures of gemm_09."""

import math
from typing import Dict, List

from tools import course
from tools.author.drawings import BARRIER, Bar, grid, timeline, wave
from tools.author.plan import plan_of
from tools.author.svg import BOLD, THIN, TOP, Picture, picture
from tools.author.tracing import SIZES, SMS, WIDE, elements_of, extent, trace


@picture("One large tile needs fewer words than two")
def words(p: Picture) -> None:
    """What an SM has at work, twice: two tiles of gemm_08, each with a strip of
    A on its left and one of B above; one tile of gemm_09, as large as both,
    with one strip of A."""
    words = []
    for x, chapter in p.panels((("gemm_08", "2 blocks on an SM"),
                                ("gemm_09", "1 block on an SM"))):
        blocks = 1 + (chapter == "gemm_08")
        *_, high, wide = extent(elements_of(trace(chapter, WIDE), array="C",
                                            op="store"))
        words.append(f"{blocks * (high + wide)} words")
        for left in [x + 20 + n * (wide * 1.05 + 32) for n in range(blocks)]:
            p.box(left, 144, wide * 1.05, high * 1.05, "lane",
                  f"{high} x {wide}")
            p.box(left - 20, 144, 14, high * 1.05, "shared", line=THIN)
            p.box(left, 124, wide * 1.05, 14, "shared", line=THIN)
    p.results(*words)
    p.legend(("lane", "tile of C"), ("shared", "words of A, of B for one k"))


@picture("Tile 2 is asked for as soon as tile 1 is put")
def early(p: Picture) -> None:
    """Two time lines of a warp over tiles 0 and 1, in the order of the code,
    with what travels above what it computes. gemm_08: tile 1 travels while it
    computes tile 0, and is put just before the barrier. gemm_09: it puts tile 1
    at k = 5 of tile 0, and tile 2 travels from there to k = 5 of tile 1."""
    p.bottom = 34
    for chapter, deep, what in (("gemm_08", 16, "as written: fetch, compute, put"),
                                ("gemm_09", 8, "put, and fetch at once")):
        plan = plan_of(chapter, SIZES.format(128, 256, 3 * deep), deep, 3)
        of_tile = sum(step.number for step in plan if step[:2] == ("read", 0))
        sent: Dict[int, float] = {}
        travel: List[Bar] = []
        puts: List[Bar] = []
        bars: List[Bar] = []
        at = 0.0  # in tiles
        for kind, tile, number, _ in plan:
            if kind == "load":
                sent[tile] = at
            elif kind == "put" and tile in sent:
                travel.append((sent[tile], at - sent[tile], "global",
                               f"tile {tile}"))
                puts.append((at - 0.04, 0.04, "shared", ""))
            elif kind == "read":
                bars.append((at, number / of_tile, "math", f"tile {tile}"))
                at += number / of_tile
            elif kind == "barrier":
                bars.append((at, 0, BARRIER, ""))
        p.panel(0, p.bottom + 28, chapter, what)
        timeline(p, "loads", travel + puts, 300, 90, 38)
        timeline(p, "warp", bars, 300, 90, 38, 7)
    p.legend(("global", "travels"), ("shared", "is put"),
             ("math", "computes"), ("bar", "barrier"))


@picture("When are both factors new?")
def serpentine(p: Picture) -> None:
    """Twice the products of 4 rows, a0 to a3, and 8 columns, b0 to b7, and a
    line from each to the next one. Row by row: at the end of each row the line
    goes back to b0, and both factors are new. Serpentine: it goes straight down
    and back along the next row, and one factor stays."""
    rows, columns, size = 4, 8, 38
    results = []
    for x, turns in p.panels((("row by row", "always from b0 on"),
                              ("serpentine", "there and back")), (False, True)):
        order = [(i, columns - 1 - j if turns and i % 2 else j)
                 for i in range(rows) for j in range(columns)]
        new = {at for at, (row, column) in zip(order[1:], order)
               if at[0] != row and at[1] != column}
        left, top = x + 39, TOP + 26
        grid(p, left, top, size, (rows, columns), dict.fromkeys(new, "bad"),
             rest="math")
        p.path([(left + size * (j + 0.5), top + size * (i + 0.5))
                for i, j in order], BOLD, stroke="black")
        p.circle(left + size / 2, top + size / 2, 8, "black")
        for i in range(rows):
            p.text(x, top + size * (i + 0.5), f"a{i}")
        for j in (0, columns - 1):
            p.middle(left + size * (j + 0.5), TOP + 8, f"b{j}")
        results.append(f"{len(new)} times" if new else "never")
    p.results(*results)
    p.legend(("math", "product"), ("bad", "both factors are new"))


@picture("One row and column more: a wave more")
def waves(p: Picture) -> None:
    """Two panels, a bar for each wave, filled as far as SMs have a tile. 4096:
    three waves of 132 tiles, one of 116. 4097: four waves of 132, one of 33."""
    edges, times = (4096, 4097), course.timed(course.find_chapter("gemm_09"))
    records = [times[(edge,) * 3] for edge in edges]
    tiles = [math.prod(record["launch"]["grid"]) for record in records]
    assert all(record["launch"]["blocks_per_sm"] == 1 for record in records)
    for x, number in p.panels([(f"{edge} x {edge}", f"{number} tiles")
                               for edge, number in zip(edges, tiles)], tiles):
        for first in range(0, number, SMS):
            wave(p, x, min(SMS, number - first))
    p.results(*(f"{-(-number // SMS)} waves" for number in tiles),
              good=(True, False))
    p.below(*(f"{record['time_ms']['median']:.2f} ms, measured"
              for record in records))
    p.legend(("lane", "SMs with a tile"), ("", "SMs with nothing to do"))
