#!/usr/bin/env python3
"""Draw chapters/histogram/banks.svg: where the lanes of a warp meet.

Usage: draw_histogram.py [--check]

A warp of 8 lanes and 8 banks stand for 32 of each. The words that a lane adds
to, and how often a bank is needed for them, are computed as in the kernels;
that lanes in tables of their own never meet is checked against the file counts.
"""

import sys
from typing import List, Tuple

import svg

BANKS = 8
BYTES = b"the boxe"  # one for each lane
CELL, LANE_TOP, TABLE_TOP = 34, 108, 210
Word = Tuple[int, int]  # row, bank


def letter(value: int) -> str:
    """Return how a byte is written in the picture."""
    return "␣" if value == 32 else chr(value)


def wavefronts(words: List[Word]) -> int:
    """The most different words in one bank: lanes on one word are one."""
    return max(len({word for word in words if word[1] == bank})
               for bank in range(BANKS))


def panel(p: svg.Picture, left: int, name: str, where: str,
          words: List[Word], labels: List[str]) -> None:
    """Lanes above, below them the rows of a table that they add to."""
    rows = sorted({row for row, _ in words})
    bottom = TABLE_TOP + CELL * len(rows)
    middle = [left + CELL * (i + 0.5) for i in range(BANKS)]
    p.panel(left, 54, name, where)
    p.text(left - 8, LANE_TOP + CELL / 2, "lane", anchor="end")
    p.text(left - 8, bottom + 18, "bank", anchor="end")
    p.grid(left, TABLE_TOP, CELL, [[""] * BANKS for _ in rows])
    for row, label in enumerate(labels):
        p.text(left - 8, TABLE_TOP + CELL * (row + 0.5), label, anchor="end")
    for bank in range(BANKS):
        p.text(middle[bank], bottom + 18, str(bank), anchor="middle")
    for lane, (row, bank) in enumerate(words):
        y = TABLE_TOP + CELL * rows.index(row)
        p.path([(middle[lane], LANE_TOP + CELL), (middle[bank], TABLE_TOP)])
        p.box(left + CELL * lane, LANE_TOP, CELL, CELL, "lane",
              letter(BYTES[lane]))
        late = any(at == bank and other < row for other, at in words)
        if late:  # the letter on a plate
            p.box(left + CELL * bank, y, CELL, CELL, "stripes")
        inset = 6 if late else 0
        p.box(left + CELL * bank + inset, y + inset, CELL - 2 * inset,
              CELL - 2 * inset, "shared", letter(BYTES[lane]),
              svg.THIN if late else svg.LINE)
    cost = wavefronts(words)
    p.result(left, 500, BANKS * CELL, svg.count(cost, "wavefront"), cost == 1)


def banks() -> svg.Picture:
    """One table for all lanes, and one with a column for each."""
    one_table = [(value // BANKS, value % BANKS) for value in BYTES]
    private = [(value, lane) for lane, value in enumerate(BYTES)]
    before, after = wavefronts(one_table), wavefronts(private)
    counted = svg.counted("histogram", "--variant bank_private --n 1048576 "
                          "--input uniform")
    assert after == (counted["shared_atomic_wavefronts"]
                     / counted["shared_atomic_requests"])
    assert before == len({word for word in one_table if word[1] == 0})
    assert len(set(one_table)) == len(one_table) - 1
    p = svg.Picture(
        "banks", 600,
        f"Eight lanes count eight letters: {before} wavefronts in one "
        f"table, {after} in a table with a column for each lane",
        "Two panels. Left, one table: a letter's word lies in the bank of "
        f"its value modulo {BANKS}; {before} different letters meet in bank 0, "
        "the two e are one word. Right, a row for each value and a column for "
        "each lane: every lane adds straight below itself, no two in one "
        "bank.")
    p.head("Where do the lanes of a warp meet?")
    panel(p, 88, "one table", "value v in bank v % 8", one_table,
          [f"{BANKS * row}–{BANKS * row + BANKS - 1}"
           for row in sorted({row for row, _ in one_table})])
    panel(p, 440, "bank_private", "lane l in bank l", private,
          [letter(value) for value in sorted(set(BYTES))])
    p.legend(0, 580, [("lane", "lane, with its letter"),
                      ("shared", "word it adds to"),
                      ("stripes", "has to wait")])
    return p


if __name__ == "__main__":
    sys.exit(svg.main("histogram", banks))
