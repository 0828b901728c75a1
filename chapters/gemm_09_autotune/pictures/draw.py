"""The pictures of gemm_09."""

import math

import course
from drawings import wave
from svg import THIN, Picture, picture
from tracing import SMS, WIDE, elements_of, extent, trace


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
