"""The pictures of tensor_02."""

from typing import List, Tuple

from tools.author.drawings import name_banks
from tools.author.svg import BOLD, THIN, TOP, Picture, picture, text_width
from tools.author.tracing import (HALF, LANES, LINE, SIZES, Place, Request, pick,
                                  touched, trace, wavefronts_of)

EDGE = 8  # of a square of ldmatrix
PIECE = EDGE * HALF  # bytes of a row of it
SHOWN = 5  # the lane whose registers are named
Part = Tuple[int, List[Place]]  # lane, elements of one of its registers


def asked() -> List[Request]:
    """Return what the first warp does for the first block, a tile of K."""
    return trace("tensor_02_mma", SIZES.format(128, 128, 64), warp=0)


def element(request: Request, at: int) -> Place:
    """Return row and column of an element in the array of a request."""
    row, column = divmod(at, request["pitch"])
    return row, column // HALF


def loaded(array: str) -> List[List[Part]]:
    """Return for each register of the first fragment of an array which lane
    gets which elements: of row r of square i, which lane 8 * i + r names, two
    neighbours go to each of 4 lanes; transposed, of each column."""
    request = pick(asked(), array=array, op="load")[0]
    registers: List[List[Part]] = []
    for i in range(0, LANES, EDGE):
        rows = [element(request, at) for at in request["at"][i:i + EDGE]]
        registers.append([])
        for lane in range(LANES):
            line, first = lane // 4, lane % 4 * 2
            places = [(first + n, line) if array == "Bs" else (line, first + n)
                      for n in (0, 1)]
            registers[-1].append((lane, [(rows[row][0], rows[row][1] + column)
                                         for row, column in places]))
    return registers


def stored() -> List[List[Part]]:
    """Return the same of C: of both requests that store a fragment."""
    stores = pick(asked(), array="C", op="store")
    low = {at // stores[0]["pitch"] for at in stores[0]["at"]}
    high = next(store for store in stores
                if element(store, store["at"][0]) == (max(low) + 1, 0))
    return [[(lane, places)
             for (_, lane), places in touched([store], HALF).items()]
            for store in (stores[0], high)]


def fragment_of(p: Picture, x: float, y: float, wide: float, high: float,
                registers: List[List[Part]]) -> List[Tuple[float, float]]:
    """Draw elements of this size in pairs, those of the first lanes and of the
    last one with its number; return where those of the shown lane are."""
    at: List[Tuple[float, float]] = []
    for parts in registers:
        for lane, places in parts:
            (row, column), (last_row, last_column) = places
            p.box(x + wide * column, y + high * row,
                  wide * (last_column - column + 1),
                  high * (last_row - row + 1),
                  "math" if lane == SHOWN else "lane" if lane // 4 == 1 else "",
                  f"{lane}" if lane < 8 or lane == LANES - 1 else "", THIN)
            if lane == SHOWN:
                at.append((x + wide * column, y + high * row))
    for parts in registers:  # around each register's elements
        every = [place for _, places in parts for place in places]
        top, left = min(every)
        bottom, right = max(every)
        p.path([(x + wide * a, y + high * b) for a, b in (
            (left, top), (right + 1, top), (right + 1, bottom + 1),
            (left, bottom + 1), (left, top))], BOLD)
    return at


@picture("Which lane holds which elements?")
def fragments(p: Picture) -> None:
    """Three matrices as in a product, B above C and A left of it, two elements a
    box. A, 16 x 16: lanes 0 to 3 have the pairs of the left half of row 0,
    lanes 4 to 7 those of row 1, and so on to lane 31; the same in the other
    three quarters, a register each. B, 16 x 8: lanes 0 to 3 have the pairs of
    the upper half of column 0, and so on. C, 16 x 8: as a half of A, two
    registers for each pair. Arrows lead from the elements of lane 5 to its
    registers: a0 to a3, b0 and b1, c0 to c3."""
    high, left, below, one = 25, 374, 330, 36
    for y, fill, words in ((100, "lane", "lanes 4 to 7"),
                           (140, "math", f"lane {SHOWN}, its registers"),
                           (180, "", "a box: two elements")):
        p.box(2, y - 10, 26, 20, fill)
        p.text(36, y, words)
    for x, y, wide, size, registers, names, words in (
            (left, 82, one, high / 2, loaded("Bs")[:2], ("b0", "b1"), "B, 16 x 8"),
            (2, below, 21.5, high, loaded("As"), ("a0", "a1", "a2", "a3"),
             "A, 16 x 16"),
            (left, below, one, high, stored(), ("c0, c1", "c2, c3"),
             "C, 16 x 8")):
        assert all(len(parts) == LANES for parts in registers)
        p.panel(x, y - 22, words)
        ends = fragment_of(p, x, y, wide, size, registers)
        for i, (name, (at, top)) in enumerate(zip(names, ends)):
            if x == left and y < below:  # to the right, past lanes without a number
                p.arrow((at + wide, top + size), (x + 8 * wide + 10, top + size))
                p.box(x + 8 * wide + 10, top - 5, 46, 35, "math", name)
                continue
            # Down: the first of two arrows passes left of the other's start.
            long, end = text_width(name) + 12, y + 16 * size + 24
            start = at + (-8 if i % 2 == 0 else wide)
            if i % 2 == 0:
                p.path([(at + 8, top + size), (start, top + size + 12)])
            p.arrow((start, top + size + 12 * (i % 2 == 0)), (start, end))
            p.box(at + 8 if i % 2 else at + 4 - long, end, long, 35, "math", name)


def in_banks(p: Picture, x: float, size: float, high: float,
             request: Request) -> int:
    """Draw eight rows of a tile in lines of all banks, in pieces of 16 bytes:
    those that the first 8 lanes name, and padding; return how many wavefronts
    they take."""
    wide, pitch = LINE // PIECE, request["pitch"] // PIECE  # pieces
    named = {at // PIECE: lane for lane, at
             in zip(request["lanes"][:EDGE], request["at"])}
    waves = [wave for wave in wavefronts_of(request) if wave[0][2] == 0]
    late = {word * 4 // PIECE for wave in waves[1:] for _, word, _ in wave}
    for n in range(pitch * EDGE):
        fill = ("stripes" if n in late else "shared" if n in named else
                "hatch" if n % pitch >= wide else "")
        p.box(x + size * (n % wide), TOP + high * (n // wide), size, high, fill,
              f"{named[n]}" if fill == "shared" else "", THIN)
    name_banks(p, x, TOP + high * pitch + 16, size * wide)
    return len(waves)


@picture("Eight lanes name the rows of a square")
def rows(p: Picture) -> None:
    """Three panels. Left, a fragment of A, 16 rows of two pieces: lanes 0 to 15
    name the left pieces from above, lanes 16 to 31 the right ones; each quarter
    comes into a register. Then the first 8 of these rows in shared memory, in
    lines of 32 banks. Without padding the pieces that lanes 0 to 7 name lie
    below each other in four banks, and all but one have to wait: 8 wavefronts.
    With a piece of padding after each row they lie in all banks: 1
    wavefront."""
    padded = pick(asked(), array="As", op="load")[0]
    pitch = padded["pitch"]
    plain = {**padded, "pitch": LINE, "wavefronts": LANES, "at": [
        at // pitch * LINE + at % pitch for at in padded["at"]]}
    results = []
    for x, request in p.panels((("A", "lanes name rows"),
                                ("no padding", "8 pieces a row"),
                                ("padding", "9 pieces a row")),
                               ("", plain, padded)):
        if request:
            results.append(in_banks(p, x + 1, 26.5, 34, request))
            continue
        wide, high = 70, 23
        for lane, at in zip(padded["lanes"], padded["at"]):
            row, column = element(padded, at)
            p.box(x + 36 + wide * column / EDGE, TOP + high * row, wide, high,
                  "shared" if lane < EDGE else "", f"{lane}", THIN)
        for i in range(4):
            left, top = x + 36 + wide * (i // 2), TOP + high * EDGE * (i % 2)
            p.box(left, top, wide, high * EDGE, "", line=BOLD)
            p.middle(left + (wide + 18) * (i // 2) - 18 * (1 - i // 2),
                     top + high * EDGE / 2, f"a{i}")
    p.panel_x = p.panel_x[1:]
    p.wavefronts(*results)
    p.legend(("shared", "rows of lanes 0 to 7"), ("stripes", "has to wait"),
             ("hatch", "padding"))
