#!/usr/bin/env python3
"""Draw columns.svg and pieces.svg of bank_conflict_padding: where a tile lies.

Usage: draw_bank_conflict_padding.py [--check]

Where an element lies is said by the index in each kernel. columns.svg has
words, 8 banks and rows instead of 32. pieces.svg has what an ldmatrix reads of
a tile of 32 halves a row: pieces of 16 bytes, each in four banks. The
wavefronts are checked against the file counts.
"""

import sys
from typing import Callable, Dict

import svg

CHAPTER = "bank_conflict_padding"
SIDE = 8  # rows, and columns of the drawing: banks, or fours of them
CELL, TOP = 27, 98
WIDE = SIDE * CELL
PANELS = (1, 252, 503)  # left edges
Place = Callable[[int, int], int]  # of element (row, column) in the tile


def wavefronts(place: Place, column: int, side: int = SIDE) -> int:
    """Return how often the bank is needed that most rows share."""
    banks = [place(row, column) % side for row in range(side)]
    return max(banks.count(bank) for bank in banks)


def panel(p: svg.Picture, left: int, width: int, chosen: int, last_bank: int,
          name: str, index: str, place: Place) -> None:
    """Draw a tile whose rows have width words or pieces, by their columns.

    A line of the drawing is a word of each bank, or a piece of each four.
    """
    p.panel(left, 50, name, index)
    element = {place(y, x): (y, x) for y in range(SIDE) for x in range(width)}
    for at in sorted(range(max(element) + 1),
                     key=lambda at: element.get(at, (0, -1))[1] == chosen):
        x = element.get(at, (0, -1))[1]
        p.box(left + CELL * (at % SIDE), TOP + CELL * (at // SIDE), CELL, CELL,
              "shared" if x == chosen else "" if at in element else "hatch",
              str(x) if at in element else "", svg.THIN)
    bottom = TOP + CELL * (width + 1)  # with room for the padding
    p.text(left, bottom + 14, "bank 0")
    p.text(left + WIDE, bottom + 14, str(last_bank), anchor="end")
    waves = wavefronts(place, chosen)
    p.result(left, bottom + 32, WIDE, svg.count(waves, "wavefront"), waves == 1)


def columns() -> svg.Picture:
    """A column of a tile of words, in three arrangements."""
    tiles: Dict[str, Callable[[int], Place]] = {
        "tile": lambda side: lambda y, x: y * side + x,
        "tile_padded": lambda side: lambda y, x: y * (side + 1) + x,
        "tile_swizzled": lambda side: lambda y, x: y * side + (x ^ y),
    }
    for variant, tile in tiles.items():
        count = svg.counted(
            CHAPTER, f"--variant {variant} --rows 512 --cols 512")
        assert wavefronts(tile(32), 2, 32) * count["shared_load_requests"] \
            == count["shared_load_wavefronts"], variant
    waves = [wavefronts(tile(SIDE), 2) for tile in tiles.values()]
    p = svg.Picture(
        "columns", 458,
        "Column 2 of a tile: in one bank; with padding, or exchanged columns, "
        "in all banks",
        f"Three tiles of {SIDE} rows in {SIDE} banks, column 2 marked. Plain: "
        f"all its words lie in bank 2, {svg.count(waves[0], 'wavefront')}. "
        "With a word behind each row the column runs through all banks, "
        f"{svg.count(waves[1], 'wavefront')}. With columns exchanged by x ^ y "
        "it takes every bank once, "
        f"{svg.count(waves[2], 'wavefront')}.")
    p.head("Which banks does column 2 of the tile lie in?")
    for left, index, (name, tile) in zip(
            PANELS, ("tile[y][x]", "rows one word longer", "tile[y][x ^ y]"),
            tiles.items()):
        panel(p, left, SIDE, 2, SIDE - 1, name, index, tile(SIDE))
    p.legend(0, 440, [("shared", "column 2"), ("", "others, by their column"),
                      ("hatch", "padding")])
    return p


def pieces() -> svg.Picture:
    """What an ldmatrix reads of A's tile, in three arrangements."""
    # Rows of 4 pieces in A's tile, of 32 in B's: half of all requests each.
    tiles: Dict[str, Callable[[int], Place]] = {
        "wmma": lambda wide: lambda y, x: y * wide + x,
        "wmma_padded": lambda wide: lambda y, x: y * (wide + 1) + x,
        "mma_swizzled": lambda wide: lambda y, x: y * wide + (
            x ^ y // (SIDE // min(wide, SIDE)) % wide),
    }
    for variant, tile in tiles.items():
        count = svg.counted(
            CHAPTER, f"--variant {variant} --M 256 --N 256 --K 256")
        waves = wavefronts(tile(4), 1) + wavefronts(tile(32), 1)
        assert count["shared_matrix_requests"] / 2 * 4 * waves \
            == count["shared_load_wavefronts"], variant
    waves = [wavefronts(tile(4), 1) for tile in tiles.values()]
    p = svg.Picture(
        "pieces", 350,
        f"Piece 1 of eight rows: {waves[0]} wavefronts; with padding, or "
        f"exchanged pieces, {waves[1]}",
        f"Three tiles of {SIDE} rows of 4 pieces of 16 bytes; lines of 128 "
        "bytes, all 32 banks; piece 1 of each row marked. Plain: the pieces "
        f"lie in two groups of four banks, {waves[0]} wavefronts. With a piece "
        "of padding behind each row, and with exchanged pieces, they take "
        f"all 32 banks once: {svg.count(waves[1], 'wavefront')}.")
    p.head("An ldmatrix reads piece 1 of eight rows")
    for left, index, (name, tile) in zip(
            PANELS, ("rows of 4 pieces", "a fifth is padding",
                     "piece x ^ (y / 2 % 4)"), tiles.items()):
        panel(p, left, 4, 1, 4 * SIDE - 1, name, index, tile(4))
    p.legend(0, 332, [("shared", "piece 1 of a row"), ("", "others"),
                      ("hatch", "padding")])
    return p


if __name__ == "__main__":
    sys.exit(svg.main(CHAPTER, columns, pieces))
