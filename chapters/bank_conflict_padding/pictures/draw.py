"""The pictures of bank_conflict_padding."""

from tools.author.drawings import grid, name_banks
from tools.author.svg import THIN, TOP, Picture, picture
from tools.author.tracing import (LANES, copied, elements, extent, pick, trace,
                                  wavefronts_of)


@picture("In as a row, out as a column")
def mirror(p: Picture) -> None:
    """Three squares. Left, the input in tiles: one of them is marked, a warp
    reads one of its rows. Middle, that tile in shared memory: the row goes in,
    and a column comes out. Right, the output: the tile has changed sides, and
    the column is one of its rows."""
    requests = trace("bank_conflict_padding",
                     "--variant tile --rows 96 --cols 96", 4, warp=0,
                     block=[3, 0, 0])
    read, written, taken, stored = (
        [place for _, place in elements(pick(requests, array=array, op=op)[0])]
        for array, op in (("in", "load"), ("tile", "store"), ("tile", "load"),
                          ("out", "store")))
    assert extent(read)[2] == extent(stored)[2] == extent(written)[2] == 1
    assert extent(taken)[3] == 1
    size, top, sides = 192, 124, 3  # tiles along an edge of the matrix
    small, cell = size / sides, size / 8
    for x, *words in ((0, "in", "global"), (252, "tile", "shared"),
                      (504, "out", "global")):
        p.panel(x, 62, *words)
    for x, (row, column) in ((0, read[0]), (504, stored[0])):
        left = x + column // LANES * small
        y = top + row // LANES * small
        grid(p, x, top, small, (sides, sides))
        p.box(left, y, small, small, "math")
        p.box(left, y + small * (row % LANES) / LANES, small, 12, "global")
    p.box(252, top, size, size, "math")
    p.box(252, top + written[0][0] % 8 * cell, size, cell, "shared")
    p.box(252 + taken[0][1] % 8 * cell, top, cell, size, "lane")
    for x in (0, 252):
        p.arrow((x + size + 8, top + size / 2), (x + 246, top + size / 2))
    p.legend(("global", "one request of a warp"), ("shared", "is written"),
             ("lane", "is read"), ("math", "the tile of the block"))


@picture("In which banks does column 2 lie?")
def columns(p: Picture) -> None:
    """Three tiles in lines of 32 banks, a column marked. Plain, the column is
    upright, and all but one of its words have to wait: 32 wavefronts; with a
    word of padding after each row it is slanting, with exchanged words it has
    steps: 1 wavefront."""
    names = (("tile", "rows of 32 words"), ("tile_padded", "rows of 33 words"),
             ("tile_swizzled", "words exchanged"))
    size, column, results = 6.6, 2, []
    for x, (name, _) in p.panels(names, names):
        requests = trace("bank_conflict_padding",
                         "--rows 64 --cols 64 --variant " + name, requests=4)
        request = pick(requests, space="shared", op="load", warp=column)[0]
        places = {divmod(word, LANES): place[1]
                  for word, place in copied(requests, "in").items()}
        waves = wavefronts_of({**request, "start": 0})
        fills = {divmod(word, LANES): "stripes" if turn else "shared"
                 for turn, wave in enumerate(waves) for _, word, _ in wave}
        assert {places[at] for at in fills} == {column}
        x, rows = x + 1, 1 + max(fills)[0]
        fills.update(((i, j), "hatch") for i in range(rows)
                     for j in range(LANES) if (i, j) not in places)
        p.box(x, TOP, size * LANES, size * rows, line=THIN)
        for (row, bank), fill in fills.items():
            grid(p, x + size * bank, TOP + size * row, size, (1, 1), rest=fill)
        name_banks(p, x, TOP + size * rows + 16, size * LANES)
        results.append(len(waves))
    p.wavefronts(*results)
    p.legend(("shared", "column 2"), ("stripes", "has to wait"),
             ("hatch", "padding"))
