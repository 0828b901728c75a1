"""The pictures of attention_03."""

from typing import List

from tools.author.drawings import grid, in_turn
from tools.author.svg import TOP, Picture, picture
from tools.author.tracing import HALF, LANES, Place, Request, elements, trace

ARGS = "--h 1 --s 128 --small 0"  # a block of four warps, two tiles; D = 64
SHOWN = 5  # the lane whose registers are named


def first_warp() -> List[Request]:
    """Return what the first warp does."""
    return trace("attention_03", ARGS, warp=0)


def of_sums() -> List[Place]:
    """Return which elements of two fragments side by side a lane has: by the
    first stores of O, of rows 0 to 7 and 8 to 15."""
    return [place for request in first_warp() if request.get("array") == "O"
            for lane, place in elements({**request, "bytes": 2 * HALF}, HALF)
            if lane == SHOWN and max(place) < 16]


def of_operand() -> List[Place]:
    """Return those of a fragment of A: of row r of square i, whose address lane
    8 * i + r names, two neighbours go to each of 4 lanes."""
    request = next(request for request in first_warp()
                   if request["space"] == "shared" and request["op"] == "load")
    rows = [divmod(at - request["at"][0], request["at"][1] - request["at"][0])
            for at in request["at"]]
    return [(row, column // HALF + SHOWN % 4 * 2 + n) for i in range(0, LANES, 8)
            for row, column in [rows[i + SHOWN // 4]] for n in (0, 1)]


@picture("Lane 5 has the same places")
def same(p: Picture) -> None:
    """Two panels. Left two fragments of sums side by side, 16 rows by 8 keys
    each; right a fragment of A, 16 by 16. The places of lane 5 are marked: in
    rows 1 and 9 columns 2, 3, 10 and 11, in both the same 8."""
    assert sorted(of_sums()) == sorted(of_operand())
    for x, places in p.panels((("scores", "two fragments, 16 x 8"),
                               ("weights", "one of A, 16 x 16")),
                              (of_sums(), of_operand())):
        grid(p, x, TOP, 20, (16, 16), {place: "math" for place in places})
        if places == of_sums():
            p.path([(x + 160, TOP - 6), (x + 160, TOP + 326)], 4)
    p.legend(("math", f"lane {SHOWN}: 8 elements"))


@picture("A tile comes, then it is used")
def turns(p: Picture) -> None:
    """What the first warp asks for, in order, for two tiles: 8 loads of K and V, a
    barrier, 40 ldmatrix, a barrier, and again."""
    p.bottom = 44
    in_turn(p, "warp 0", first_warp())
    p.legend(("global", "loads of K and V"), ("shared", "ldmatrix"), ("bar", "barrier"))
