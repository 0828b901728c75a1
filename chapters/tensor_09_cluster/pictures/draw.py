"""The pictures of tensor_09."""

from typing import Dict, List, Tuple

from tools.author import drawings
from tools.author.drawings import BARRIER, Bar
from tools.author.svg import WIDTH, Picture, count, picture
from tools.author.tracing import defined

CLUSTER = defined("tensor_09", "CLUSTER")  # blocks
GROUPS = 2  # of a block, that multiply
ASKS = ("lane", "math")  # the fills of what block 0 and block 1 ask for


@picture("A stage: who asks for what, for whom?")
def multicast(p: Picture) -> None:
    """The same stage in the shared memory of two blocks, and between them the
    L2, from which its parts come. Block 0 asks for its tile of A, for itself,
    and for the panels 0 and 2 of B, for both; block 1 for its own tile of A and
    for the panels 1 and 3. Each panel goes from the L2 to the same place in
    both blocks. Each tile of A goes to one block."""
    panels = defined("tensor_09", "BN") // 64
    asked = [panel % CLUSTER for panel in range(panels)]
    left, wide, gap, high = 106, 112, 12, 54
    tops = (96, 236, 376)  # block 0, the L2, block 1
    for block, y in ((0, tops[0] - 26), (1, tops[2] + high + 26)):
        p.text(left, y, "shared memory of its SM")
    for y, words in zip(tops, ("block 0", "L2", "block 1")):
        p.text(0, y + high / 2, words)
    for part in range(panels + 1):
        x = left + part * (wide + gap)
        words = f"B {part - 1}" if part else "A"
        for block in range(CLUSTER):
            fill = ASKS[asked[part - 1] if part else block]
            p.box(x, tops[2 * block], wide, high, fill, words)
            at = x + wide / 2 if part else x + wide * (1 + 2 * block) / 4
            if block:
                p.arrow((at, tops[1] + high + 4), (at, tops[2] - 4))
            else:
                p.arrow((at, tops[1] - 4), (at, tops[0] + high + 4))
            if part == 0:
                p.box(x + wide / 2 * block, tops[1], wide / 2, high, fill, "A")
        if part:
            p.box(x, tops[1], wide, high, fill, words)
    p.legend(*((fill, f"block {block} asks for it")
               for block, fill in enumerate(ASKS)))


# A model, in ticks: when each group of block 0 and block 1 multiplies a stage.
AT_WORK: Dict[Tuple[int, int], Tuple[int, int]] = {
    (0, 0): (0, 6), (0, 1): (1, 8), (1, 0): (4, 12), (1, 1): (5, 15)}
ASK, COME = 1, 4


@picture("When may a stage be filled anew?")
def arrivals(p: Picture) -> None:
    """Time lines of one stage in two blocks, a model. Groups 0 and 1 of block 0
    multiply it, those of block 1 begin and end later. Each group arrives at
    empty in both blocks when it ends, so both count 1, 2, 3, 4. When both
    groups of block 0 have ended there are 2 arrivals, and block 1 still
    multiplies the panels which block 0 would overwrite. Only the 4th frees the
    stage: then both blocks ask for their parts of the next tile."""
    left = 206.0
    ends = sorted(end for _, end in AT_WORK.values())
    last = ends[-1] + ASK + COME
    scale = (WIDTH - left) / last
    p.bottom = 36
    for (block, group), (begin, end) in AT_WORK.items():
        drawings.timeline(
            p, f"block {block}, group {group}",
            [(begin, end - begin, ASKS[block], ""), (end, 0, BARRIER, "")],
            scale, left, 36, 10)
    counts: List[Bar] = [
        (begin, end - begin, "hatch", f"{n}")
        for n, (begin, end) in enumerate(zip([0, *ends], ends))]
    counts.append((ends[-1], last - ends[-1], "good", f"{len(ends)}"))
    drawings.timeline(p, "empty, in both", counts, scale, left, 44, 22)
    assert len(ends) == CLUSTER * GROUPS
    new: List[Bar] = [(ends[-1], ASK, "global", ""),
                      (ends[-1] + ASK, COME, "shared", "comes")]
    drawings.timeline(p, "new tile", new, scale, left, 44, 12)
    own = max(AT_WORK[0, group][1] for group in range(GROUPS))
    x, y = left + scale * own, p.bottom - 22
    p.text(x - 14, y, f"{count(ends.index(own) + 1, 'arrival')}: too early",
           anchor="end")
    p.arrow((x, y + 20), (x, y - 24))
    p.legend((ASKS[0], "block 0 multiplies"), (ASKS[1], "block 1 multiplies"))
    p.legend(("bar", "arrives in both blocks"), ("global", "both ask"))
