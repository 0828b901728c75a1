"""The pictures of gemm_01."""

from typing import Iterable

from tools.author.drawings import matrix, timeline
from tools.author.svg import THIN, WIDTH, Picture, count, picture
from tools.author.tracing import (LINE, SECTOR, SIZES, WORD, Request, by_warp,
                                  extent, loads, owned, touched, trace)


@picture("A row of A, a column of B, one result")
def walk(p: Picture) -> None:
    """A block's 32 x 32 elements of C, a column for each warp; that of warp 5
    is coloured, and in it the result of its lane 9. At the left A, with the
    row that this lane reads, above C stands B, with the column that it reads.
    """
    chapter, args, mine = "gemm_01", SIZES.format(32, 32, 32), (5, 9)
    a, b = (touched(trace(chapter, args, array=array, op="load"))[mine]
            for array in "AB")
    owners = owned(chapter, args)
    warps = by_warp(owners)
    assert extent(a)[2:] == (1, 32) and extent(b)[2:] == (32, 1)
    size, edge, top = 7, 232, 288
    matrix(p, 0, top, size, (32, 32), {"global": a})
    matrix(p, edge, 56, size, (32, 32), {"global": b})
    for places in warps.values():
        matrix(p, edge, top, size, (32, 32), {"": places})
    matrix(p, edge, top, size, (32, 32), {"lane": warps[mine[0]]})
    (row, column), = owners[mine]
    p.circle(edge + (column + 0.5) * size, top + (row + 0.5) * size, 8, "math")
    p.text(edge - 14, 168, "B", anchor="end")
    p.text(0, top + 242, "A")
    p.middle(edge + 112, top + 242, "C")
    for y, words in ((216, ("block", "32 x 32", f"{len(warps)} warps")),
                     (320, (f"warp {mine[0]}", "32 x 1")),
                     (394, (f"lane {mine[1]}", "1 x 1")),
                     (468, ("it reads", "1 row of A", "1 column of B"))):
        p.panel(edge + 248, y, *words)
    p.legend(("lane", f"warp {mine[0]}"), ("math", f"its lane {mine[1]}"),
             ("global", "what that lane reads"))


SHOWN = (*range(8), 31)  # lanes that are drawn, the others are dots
CELL, GAP = 7.5, 5  # width of a word; between two sectors


def word_x(word: int) -> float:
    """Return where a word of a line begins."""
    return word * CELL + word // (SECTOR // WORD) * GAP


def memory_line(p: Picture, x: float, y: float, words: Iterable[int]) -> None:
    """Draw a line of memory, of which these words are wanted."""
    each = SECTOR // WORD
    wanted = {*words}
    for first in range(0, LINE // WORD, each):
        p.box(x + word_x(first), y, each * CELL, 26,
              "hatch" if wanted & {*range(first, first + each)} else "")
    for word in sorted(wanted):
        p.box(x + word_x(word), y, CELL, 26, "global", line=THIN)


def lanes_to_lines(p: Picture, x: float, request: Request) -> None:
    """Draw the lanes of a request, and the lines of memory that they touch."""
    word = [at % LINE // WORD for at in request["at"]]
    together = len({at // LINE for at in request["at"]}) == 1
    y = {l: 172 + 44 * i + 44 * (l == 31) for i, l in enumerate(SHOWN)}
    left = x + 80
    places = [x + 21]
    if together:
        memory_line(p, left, 118, word)
    else:
        p.text(left, 136, "one row each")
        places.append(left + 150)
    for l, at in y.items():
        to = left + word_x(word[l]) + CELL / 2 * together
        if together:
            p.path([(x + 42, at), (to, at)])
            p.arrow((to, at), (to, 144))
        else:
            memory_line(p, left, at - 13, [word[l]])
            p.arrow((x + 42, at), (to, at))
        p.circle(x + 21, at, 21, "lane")
        p.middle(x + 21, at, str(l), "black", True)
    for at in places:
        for i in (-10, 0, 10):
            p.circle(at, y[31] - 44 + i, 3, "ink", 0)
    p.bottom = y[31] + 24


@picture("Lanes go down a column of A")
def lanes(p: Picture) -> None:
    """Two panels, lanes on the left, lines of memory of 32 words in sectors of
    8 on the right. A[row][k]: each lane wants a word of another line.
    B[k][col]: all lanes want the same word."""
    requests = [loads("gemm_01", array, SIZES.format(64, 64, 64))[0]
                for array in "AB"]
    for x, request in p.panels((("A[row][k]", "32 lanes, 32 rows"),
                                ("B[k][col]", "all want one word")), requests):
        lanes_to_lines(p, x, request)
    p.results(*(count(each["sectors"], "sector") for each in requests))
    p.below(*(f"{each['sectors'] * 8} words moved," for each in requests))
    p.below(*(f"{len(set(each['at']))} wanted" for each in requests))
    p.legend(("lane", "lane"), ("global", "word wanted"),
             ("hatch", "moved in vain"), ("", "not moved"))


@picture("One way for all warps")
def queue(p: Picture) -> None:
    """Time lines of three warps, of the L1 that they share and of the
    arithmetic. The L1 makes 33 trips for a step of one warp while the others
    wait, then the same for the next warp: it never rests. The arithmetic does:
    after each 33 trips it has one multiply-add to start."""
    trips = sum(max(load["tag_wavefronts"], load["data_wavefronts"])
                for load in (loads("gemm_01", array, SIZES.format(32, 32, 4096))[0]
                             for array in "AB"))
    warps, rounds, left = 3, 2, 152
    turns = [(i * trips, i % warps) for i in range(warps * rounds)]
    scale = (WIDTH - left) / (len(turns) * trips + 1)
    p.bottom = 34
    for warp in range(warps):
        timeline(p, f"warp {warp}", [
            (at, trips, "lane" if warp == now else "hatch",
             str(trips) if warp == now else "") for at, now in turns],
            scale, left, 40)
    timeline(p, "L1", [(at, trips, "shared", str(now)) for at, now in turns],
             scale, left, 40, 30)
    timeline(p, "arithmetic", [(at + trips, 1, "math", "") for at, _ in turns],
             scale, left, 40)
    p.legend(("lane", "its trips are made"), ("hatch", "waits in the queue"))
    p.legend(("shared", "L1 at work for this warp"), ("math", "multiply-add"))
