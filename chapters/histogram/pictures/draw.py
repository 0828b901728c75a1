"""The pictures of histogram."""

from typing import List

from tools.author.drawings import boxes, grid
from tools.author.svg import THIN, TOP, Picture, picture
from tools.author.tracing import (LANES, WORD, Request, pick, trace,
                                  wavefronts_of)


def tables(variant: str) -> int:
    """Return the tables in which 64 lanes of two blocks count one value."""
    adds = trace("histogram", f"--variant {variant} --n 32768 --input constant",
                 2, 12, op="atomic", warp=0)
    firsts = [pick(adds, block=[of, 0, 0])[0] for of in (0, 1)]
    inside = firsts[0]["space"] == "shared"  # then each block has its own
    return len({(of * inside, at) for of, first in enumerate(firsts)
                for at in first["at"]})


@picture("Who has to share a table?")
def sharing(p: Picture) -> None:
    """Three panels. Left: the lanes of two blocks all add to one table in
    global memory. Middle: each block has a table of its own in shared memory.
    Right: each lane has a column of its own in the table."""
    numbers = [tables(variant) for variant in
               ("global_atomic", "private_shared", "bank_private")]
    assert numbers == [1, 2, 2 * LANES]
    for x, number in p.panels((("all threads",), ("a block",), ("nobody",)),
                              numbers):
        boxes(p, x, 218, (
            ("", ["block 0", "block 1"]), ("lane", [""] * 8),
            ("shared" if number > 1 else "global", [""] * min(number, 8))),
            most=104, line=THIN)
    p.legend(("lane", "lane"), ("global", "table in global memory"),
             ("shared", "table in shared memory"))


def letters_of(request: Request) -> List[str]:
    """Return what each lane counts: where it adds says which byte that is."""
    per_value = request["pitch"] or WORD
    return [chr(at // per_value).replace(" ", "␣") for at in request["at"]]


def meeting(p: Picture, left: float, request: Request) -> None:
    """Draw lanes above, and below them the words that they add to.

    Columns are the banks that are touched, rows are lines of shared memory,
    both from the start of the table on.
    """
    cell, top = 34, 232
    letters = letters_of(request)
    places = [divmod(at // WORD, LANES) for at in request["at"]]
    lines, banks = (sorted({*numbers}) for numbers in zip(*places))
    grid(p, left, top, cell, (len(lines), len(banks)))
    for i, bank in enumerate(banks):
        p.middle(left + cell * (i + 0.5), top + cell * len(lines) + 20,
                 str(bank))
    p.text(left, top + cell * len(lines) + 48, "banks that are touched")
    for lane, (_, bank) in enumerate(places):
        p.path([(left + cell * (lane + 0.5), TOP + cell),
                (left + cell * (banks.index(bank) + 0.5), top)])
        p.box(left + cell * lane, TOP, cell, cell, "lane", letters[lane])
    for turn, wave in enumerate(wavefronts_of({**request, "start": 0})):
        for lane, word, _ in wave:
            p.box(left + cell * banks.index(word % LANES),
                  top + cell * lines.index(word // LANES), cell, cell,
                  "stripes" if turn else "shared", letters[lane])


@picture("Where do the lanes of a warp meet?")
def banks(p: Picture) -> None:
    """Two panels: 8 lanes above, each with the first of its 16 letters, and a
    line to the bank of the word that it adds to. Left, one table: different
    letters meet in a bank, and one of them has to wait. Right, a row for each
    letter and a column for each lane: every lane adds straight below itself."""
    requests = [trace("histogram", f"--variant {variant} --n 128 --input text",
                      op="atomic", space="shared")[0]
                for variant in ("wide", "bank_private")]
    assert letters_of(requests[0]) == letters_of(requests[1])
    for x, request in p.panels((("wide", "one table"), (
            "bank_private", "a column for each lane")), requests):
        meeting(p, x, request)
    p.wavefronts(*(request["wavefronts"] for request in requests))
    p.legend(("lane", "lane, its letter"), ("shared", "word"),
             ("stripes", "has to wait"))
