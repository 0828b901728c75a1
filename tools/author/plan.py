"""What a warp of gemm_07 to gemm_11 does with a tile, for two draw.py."""

from typing import List, NamedTuple, Tuple

from tools import course
from tools.author.tracing import WORD, elements, pick, trace


def time_of_a_tile(chapter: str) -> Tuple[float, float, float, int]:
    """Return cycles of a warp for a tile, those of them that it waits for loads
    and at barriers, and how many barriers these are."""
    record = next(line for line in course.read_lines(
        "docs/results/series_h200.jsonl") if course.short(line["chapter"])
        == chapter)
    stalls, loop = record["stalls"], record["loop"]
    assert loop["FFMA"] == 1024
    tile, far, barrier = (sum(loop.values()) * cycles for cycles in (
        sum(stalls.values()), stalls["long scoreboard"], stalls["barrier"]))
    return tile, far, barrier, loop["BAR"]


class Step(NamedTuple):
    """What a warp does with the words of A of a tile."""

    kind: str  # load, put, read or barrier
    tile: int
    number: int  # of requests
    place: int  # put: where in As (bytes)


def plan_of(chapter: str, args: str, deep: int, tiles: int) -> List[Step]:
    """Return what a chapter's first warp does, in its order.

    load: from global memory; put: to shared memory; read: what it multiplies.
    A column says which tile a load is of, which is `deep` of them; words are
    put in the order in which they were loaded; every tile is read as often.
    """
    requests = [request for request in trace(chapter, args)
                if not request.get("warp")]  # barriers are the block's
    per_tile = len(pick(requests, array="As", op="load")) // tiles
    steps: List[Step] = []
    loaded: List[int] = []  # the tile of each word that is to be put
    reads = 0
    for request in requests:
        kind = {("A", "load"): "load", ("As", "store"): "put",
                ("As", "load"): "read", (None, "barrier"): "barrier"}.get(
                    (request.get("array"), request["op"]))
        if not kind:
            continue
        tile, at = 0, request.get("at", [0])[0]
        if kind == "load":
            tile = elements(request)[0][1][1] // deep
            loaded += [tile] * (request["bytes"] // WORD)
        elif kind == "put":
            tile = loaded.pop(0) if loaded else tiles  # there is no such tile
        elif kind == "read":
            tile, reads = reads // per_tile, reads + 1
        same = [step for step in steps[-2:] if step[:2] == (kind, tile)]
        if same and (kind in ("load", "put") or same[0] is steps[-1]):
            steps[steps.index(same[0])] = same[0]._replace(
                number=same[0].number + 1)
        else:
            steps.append(Step(kind, tile, 1, at))
    return steps
