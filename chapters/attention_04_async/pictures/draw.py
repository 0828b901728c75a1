"""The pictures of attention_04."""

from tools import course
from tools.author.drawings import in_turn
from tools.author.svg import Picture, picture
from tools.author.tracing import trace

ARGS = "--h 1 --s 128 --small 0"  # a block of four warps, two tiles; D = 64
ROWS, PARTS = 4, 8  # of a lane: its rows of O, pairs of columns in each


def corrections(chapter: str, others: int) -> float:
    """Return how often a lane corrects its rows for four tiles, by its products:
    each time factor, sum and O; so many others for a tile, and O in the end."""
    args = "--h 1 --s 256 --small 0".split()
    run = course.run([f"build/simulator/{course.find_chapter(chapter)}", *args])
    launch = run.records[0]["launch"]
    lanes = launch["grid"][0] * launch["grid"][1] * launch["block"][0]
    products = run.records[0]["counts"]["fmul"] / lanes
    return (products - 4 * others - 2 * ROWS * PARTS) / (ROWS * (2 + 2 * PARTS))


@picture("The next tile comes while this one is used")
def ahead(p: Picture) -> None:
    """What the first warp asks for, in order, for two tiles. Rung 03: 8 loads of K
    and V, a barrier, 40 ldmatrix, a barrier, and again. Rung 04: 8 loads
    of the first tile, a barrier, 8 of the next one, 40 ldmatrix, a barrier, and 40
    ldmatrix."""
    p.bottom = 44
    for name in ("03", "04"):
        in_turn(p, f"rung {name}", trace(
            f"attention_{name}", ARGS, warp=0))
    p.legend(("global", "loads of K and V"), ("shared", "ldmatrix"), ("bar", "barrier"))


@picture("How many of four tiles correct the sums?")
def follow(p: Picture) -> None:
    """A row of four tiles each; those are marked at which lanes correct their sums.
    attention_03: 4 of 4. attention_04: 1, the first."""
    for name, others in (("attention_03", 4 * ROWS), ("attention_04", 2 * ROWS)):
        number = corrections(name, others)
        assert number == int(number)
        y = p.bottom + 22
        p.text(0, y + 23, name)
        for i in range(4):
            p.box(190 + 96 * i, y, 84, 46, "bad" if i < number else "")
        p.text(586, y + 23, f"{number:.0f} of 4")
