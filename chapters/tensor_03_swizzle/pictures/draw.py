"""The pictures of tensor_03."""

from typing import Dict, List

from tools.author.drawings import grid, in_banks, name_banks
from tools.author.svg import THIN, TOP, Picture, picture
from tools.author.tracing import (LANES, LINE, WORD, Place, Request, copied,
                                  pick, trace)

PIECE = 16  # bytes that stay together
PIECES = LINE // PIECE  # of all banks
ROWS = 8  # of a square of ldmatrix
MINE = 2  # the piece that is marked


def requests_of(array: str) -> List[Request]:
    """Return what the first block does for this matrix and its tile."""
    return [request for request in trace(
        "tensor_03", "--M 128 --N 128 --K 64", requests=100)
        if request.get("array") in (array, array + "s")]


def places(array: str) -> Dict[Place, int]:
    """Return where in shared memory (bytes) each piece of the tile lies."""
    return {(row, column * WORD // PIECE): word * WORD // PIECE * PIECE
            for word, (row, column) in copied(requests_of(array), array).items()}


def lines(at: Dict[Place, int]) -> Dict[Place, Place]:
    """Return which piece lies in which line of all banks, and where there."""
    return {divmod(to // PIECE, PIECES): piece for piece, to in at.items()}


@picture("Where piece 2 of every row lies")
def exchange(p: Picture) -> None:
    """Two tiles of 8 rows with 8 pieces each, the number of a piece in its row
    written on it, piece 2 marked. Left, as they come: the marks stand below
    each other. Right, tensor_03: in row r the number of a piece has changed by
    XOR with r, and every column has one mark."""
    swizzled = lines({piece: to for piece, to in places("A").items()
                      if piece[0] < ROWS})
    plain = {piece: piece for piece in swizzled}
    size = 40
    for x, held in p.panels((("as they come", "row r: piece i at i"),
                             ("tensor_03", "piece i at i XOR r")),
                            (plain, swizzled)):
        assert sorted(held.values()) == sorted(plain)
        left = x + 24
        for row in range(ROWS):
            p.middle(x + 8, TOP + size * (row + 0.5), str(row))
        grid(p, left, TOP, size, (ROWS, PIECES),
             {at: "shared" for at, piece in held.items() if piece[1] == MINE},
             {at: str(piece[1]) for at, piece in held.items()})
        name_banks(p, left, TOP + size * ROWS + 18, size * PIECES)
    p.legend(("shared", "piece 2"), ("", "the others, 4 banks each"))


@picture("A square for ldmatrix: piece 2 of 8 rows")
def banks(p: Picture) -> None:
    """Stacks over the 32 banks of shared memory, a layer for each wavefront; a
    box is a row's piece, four banks wide. As they come: eight layers in the
    same four banks, 8 wavefronts. tensor_03: one layer in all banks, 1
    wavefront."""
    held = {to: piece for piece, to in places("A").items()}
    mine = [(row, MINE) for row in range(ROWS)]
    request = next(load for load in pick(requests_of("A"), array="As", op="load")
                   if [held[at] for at in load["at"][:ROWS]] == mine)
    wide, high = PIECE // WORD, 32
    results, base = [], TOP + high * ROWS
    for x, at in p.panels((("as they come", "rows of 32 banks"),
                           ("tensor_03", "pieces exchanged")),
                          ([row * LINE + piece * PIECE for row, piece in mine],
                           request["at"][:ROWS])):
        layers: List[Dict[int, int]] = []  # of each: bank: row
        for row, to in enumerate(at):
            first = to // WORD % LANES
            free = [layer for layer in layers if first not in layer]
            if not free:
                free = [{}]
                layers += free
            free[0][first] = row
        in_banks(p, x, base, high, [
            [(first, wide, i > 0, str(row)) for first, row in layer.items()]
            for i, layer in enumerate(layers)])
        results.append(len(layers))
    assert results[1] * 4 == request["wavefronts"]  # four squares
    p.wavefronts(*results)
    p.legend(("lane", "row of the square"), ("stripes", "has to wait"))


@picture("The exchange, in bits of an address in As")
def bits(p: Picture) -> None:
    """Ten boxes, bits 9 to 0 of an address: 9 to 7 are the row, 6 to 4 the
    piece, 3 to 0 the byte in it. Arrows lead down to the address in shared
    memory. On the arrow of the piece stands XOR, and a line leads there from
    the row; row and byte stay as they were."""
    for (row, piece), to in places("A").items():
        at = row * LINE + piece * PIECE
        assert to == at ^ (at >> 7 & 7) << 4
    wide, high, left, above, below = 64, 44, 40, 96, 240
    middle = (above + high + below) / 2
    parts = (("row", 9, 7, "lane"), ("piece", 6, 4, "shared"),
             ("byte in it", 3, 0, ""))
    centre = {}
    for name, first, last, fill in parts:
        x, across = left + wide * (9 - first), wide * (first - last + 1)
        centre[name] = x + across / 2
        p.middle(centre[name], above - 24, name)
        for bit in range(last, first + 1):
            p.box(left + wide * (9 - bit), above, wide, high, fill, str(bit),
                  THIN)
        p.arrow((centre[name], above + high), (centre[name], below))
        p.box(x, below, across, high, fill,
              {"row": "row", "piece": "its place"}.get(name, "byte"))
    p.path([(centre["row"], middle), (centre["piece"], middle)])
    p.circle(centre["piece"], middle, 32, "math")
    p.middle(centre["piece"], middle, "XOR", "black")
