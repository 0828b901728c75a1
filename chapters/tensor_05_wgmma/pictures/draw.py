"""The pictures of tensor_05."""

from typing import Dict, List, Tuple

from tools.author import drawings
from tools.author.svg import BOLD, THIN, TOP, WIDTH, Picture, picture
from tools.author.tracing import (HALF, LINE, SIZES, SMS, WORD, Place, copied,
                                  defined, elements_of, extent, trace)

BM, BN, BK = 128, 256, 64  # the tile of a block
PIECE = 8  # elements
GROUP = 4  # warps
CHAPTERS = ("tensor_04", "tensor_05")


def loads_of_a_tile(chapter: str) -> int:
    """Return how many ldmatrix a block issues for each tile further."""
    less, more = (len(trace(chapter, SIZES.format(BM, BN, deep * BK),
                            space="shared", op="load")) for deep in (1, 2))
    return more - less


@picture("How operands come to the tensor cores")
def path(p: Picture) -> None:
    """Two panels with boxes. tensor_04: arrows from shared memory to registers,
    and from there to the tensor cores. tensor_05: one arrow from shared memory
    to the tensor cores. In both, an arrow leads from these to registers with
    sums."""
    wide, high, down = 240, 40, 66
    for x, chapter in p.panels((("tensor_04", "load, then multiply"),
                                ("tensor_05", "multiply"))):
        left, above = x + (344 - wide) / 2, 0.0
        for i, (fill, words) in enumerate((
                ("shared", "shared memory"), ("math", "registers: A, B"),
                ("lane", "tensor cores"), ("math", "registers: sums"))):
            if i == 1 and chapter == "tensor_05":
                continue
            y = TOP + down * i
            if above:
                p.arrow((left + wide / 2, above), (left + wide / 2, y))
            p.box(left, y, wide, high, fill, words)
            above = y + high
    p.results(*(f"{loads_of_a_tile(chapter)} ldmatrix a tile"
                for chapter in CHAPTERS))


def parts(chapter: str, together: int) -> List[Tuple[int, int, int, int]]:
    """Return the first row and column, and how many rows and columns, that so
    many warps together have of the tile of C."""
    stores = trace(chapter, SIZES.format(BM, BN, BK), array="C", op="store")
    first = range(0, len({store["warp"] for store in stores}), together)
    return [extent(elements_of([store for store in stores if
                                store["warp"] // together == warp // together],
                               HALF)) for warp in first]


@picture("Who reads what of the tiles of A and B?")
def readers(p: Picture) -> None:
    """Two panels, each with the tile of C, that of A left of it and that of B
    above it. tensor_04: a warp has a square of C, one of eight, and needs half
    of A and a quarter of B. tensor_05: a warp group has half of C, and needs
    half of A and all of B."""
    size, gap = 1.04, 10
    results = []
    for x, (chapter, together) in p.panels(
            (("tensor_04", "a warp of eight"),
             ("tensor_05", "a warp group of two")),
            (("tensor_04", 1), ("tensor_05", GROUP))):
        every = parts(chapter, together)
        left, below = x + size * BK + gap, TOP + size * BK + gap
        p.box(x, below, size * BK, size * BM)
        p.box(left, TOP, size * BN, size * BK)
        for i, (row, column, high, wide) in enumerate(every):
            if i == 0:
                p.box(x, below + size * row, size * BK, size * high, "shared",
                      "A")
                p.box(left + size * column, TOP, size * wide, size * BK,
                      "shared", "B")
            p.box(left + size * column, below + size * row, size * wide,
                  size * high, "math" if i == 0 else "", "C" if i == 0 else "")
        results.append(sum(high + wide for *_, high, wide in every) * BK * HALF)
    p.results(*(f"{number // 1024} KiB for a tile" for number in results))
    p.legend(("math", "computed together"), ("shared", "read for it"))


def places_of_b() -> Dict[Place, int]:
    """Return where the first tile of B lies in shared memory: of each piece,
    its row and number in the matrix, the bytes behind the first one."""
    words = copied(trace("tensor_05_wgmma", SIZES.format(BM, BN, BK)), "B")
    places = {(row, column * WORD // HALF // PIECE):
              word * WORD // (PIECE * HALF) * PIECE * HALF
              for word, (row, column) in words.items()}
    return {place: to - places[0, 0] for place, to in places.items()}


@picture("What a descriptor names: 16 rows of B's tile")
def panels(p: Picture) -> None:
    """Three panels. The tile of B, 64 rows and 256 columns, in four parts side
    by side; 16 rows of it are what a product takes. Shared memory: the parts
    lie below each other, 8 KiB from one to the next, and so do the 16 rows in
    each. Eight of these rows, 1 KiB: the numbers of the eight pieces in each
    row, in the order in which they lie: 0 to 7 in the first row, 1 0 3 2 and so
    on in the second."""
    places, k, rows = places_of_b(), 16, 16
    wide = 8  # pieces in a row of a panel
    step = places[0, wide]  # from panel to panel
    number = BN // PIECE // wide
    assert places[8, 0] == 8 * LINE and step == BK * LINE
    for x, panel in p.panels((("tile of B", "64 x 256"),
                              ("shared memory", "4 panels"),
                              ("8 rows", "1 KiB, swizzled"))):
        if panel == "tile of B":
            each, high = 54, 2.0
            for i in range(number):
                p.box(x + each * i, TOP, each, high * BK, "", line=THIN)
                p.box(x + each * i, TOP + high * k, each, high * rows, "math",
                      line=THIN)
                p.middle(x + each * (i + 0.5), TOP + high * BK + 18, f"{i}")
            p.box(x, TOP, each * number, high * BK)
        elif panel == "shared memory":
            high, across = 1.1, 84
            for i in range(number):
                y = TOP + high * BK * i
                p.box(x + 34, y, across, high * BK, "")
                p.box(x + 34, y + high * k, across, high * rows, "math")
                p.middle(x + 14, y + high * BK / 2, f"{i}")
            y = TOP + high * k
            p.text(x + 34 + across + 12, y + 9, "start")
            p.arrow((x + 34 + across + 24, y + 24),
                    (x + 34 + across + 24, y + high * BK), BOLD)
            p.text(x + 34 + across + 38, y + high * BK / 2 + 14,
                   f"{step // 1024} KiB")
        else:
            size = 27
            for r in range(8):
                for (at, piece), to in places.items():
                    if at == k + r and piece < wide:
                        line, at_byte = divmod(to - k * LINE, LINE)
                        p.box(x + size * at_byte / (PIECE * HALF),
                              TOP + size * line, size, size, "math",
                              f"{piece}", THIN)
    p.legend(("math", "16 rows of k, which one product takes"))


DOWN, ACROSS = 16, 32  # tiles of C in the picture


def in_bands() -> Dict[Place, int]:
    """Return the wave of each tile, if blocks begin in the order of their
    numbers."""
    waves: Dict[Place, int] = {}
    band = defined("tensor_05", "BAND")
    for store in trace("tensor_05", SIZES.format(DOWN * BM, ACROSS * BN, 1),
                       DOWN * ACROSS, 1, array="C", warp=0):
        row, byte = divmod(store["at"][0], store["pitch"])
        x, y, z = store["block"]
        waves[row // BM, byte // HALF // BN] = \
            (x + band * (y + ACROSS * z)) // SMS
    return waves


def in_rows() -> Dict[Place, int]:
    """Return the wave of each tile if blocks are numbered in rows."""
    return {divmod(t, ACROSS): t // SMS for t in range(DOWN * ACROSS)}


@picture("What the first wave of tiles needs")
def order(p: Picture) -> None:
    """C twice, 16 rows of 32 tiles, with the wave in which each is computed; a
    bar above it shows the columns of B, one left of it the rows of A that the
    first wave needs. In rows a wave is 4 rows of tiles and a bit: 5 strips of A
    and all 32 of B. In bands of 8 rows it is 8 rows high and half as wide as C:
    8 strips of A and 17 of B. The second wave is the other half of this band
    and the left end of the one below."""
    wide, high, left, bar = 20, 10, 78, 22
    p.bottom = 40
    for name, waves in (("in rows", in_rows()), ("in bands", in_bands())):
        assert len(waves) == DOWN * ACROSS
        first = [place for place, wave in waves.items() if wave == 0]
        assert len(first) == SMS
        rows, columns = ({*numbers} for numbers in zip(*first))
        y = p.bottom + 36
        p.panel(0, y - 12, name)
        words = (f"{len(rows)} strips of A, {len(columns)} of B: "
                 f"{len(rows) * BM + len(columns) * BN:,} rows and columns")
        p.text(WIDTH, y - 12, words, anchor="end")
        y += 14
        p.text(left - 14, y + bar / 2, "B", anchor="end")
        top = y + bar + 6
        for column, number in drawings.runs(columns):
            p.box(left + wide * column, y, wide * number, bar, "global")
        for row, number in drawings.runs(rows):
            p.box(left - bar - 6, top + high * row, bar, high * number,
                  "global")
        p.text(left - bar - 14, top + high * max(rows) / 2, "A", anchor="end")
        p.box(left, top, wide * ACROSS, high * DOWN)
        for row, column in first:
            p.box(left + wide * column, top + high * row, wide, high, "lane",
                  line=THIN)
        for wave in range(1, max(waves.values()) + 1):
            row, column = (sum(numbers) / len(numbers) for numbers in zip(
                *(place for place, other in waves.items() if other == wave)))
            p.middle(left + wide * column, top + high * row, f"{wave + 1}")
        for (row, column), wave in waves.items():  # edges between waves
            x, at = left + wide * column, top + high * row
            if waves.get((row, column + 1), wave) != wave:
                p.path([(x + wide, at), (x + wide, at + high)], BOLD)
            if waves.get((row + 1, column), wave) != wave:
                p.path([(x, at + high), (x + wide, at + high)], BOLD)
        p.bottom = top + high * DOWN
    p.legend(("lane", "tiles of the first wave"),
             ("global", "rows of A, columns of B"))
