"""What a kernel does in the simulator, request by request.

SIM_TRACE says which lane touched which address, and what each request cost; see
simulator/README.md. The pictures take their facts from there.
"""

import functools
import json
import os
import subprocess
import tempfile
from typing import (Any, Dict, Iterable, List, NamedTuple, Optional, Sequence,
                    Set, Tuple)

import svg  # noqa: F401  makes tools known

import course  # noqa: I100

LANES, LINE, SECTOR, WORD = 32, 128, 32, 4  # of a warp; bytes
Request = Dict[str, Any]  # a line of the trace
Place = Tuple[int, int]  # row, column
Worker = Tuple[int, int]  # warp, lane


@functools.lru_cache(maxsize=None)
def trace(chapter: str, args: str, blocks: int = 1, warps: int = LANES,
          requests: int = 1, array: str = "",
          block: Tuple[int, ...] = ()) -> Tuple[Request, ...]:
    """Run a chapter; return the requests of the launch that it counts.

    array, block: only those of this array, and of this block.
    """
    wanted = [f'"array":"{array}"'] * bool(array)
    wanted += [f'"block":[{",".join(map(str, block))}]'] * bool(block)
    program = f"build/simulator/{chapter}"
    if not course.build([program]):
        raise SystemExit(2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        subprocess.run(
            [program, *args.split()], check=True,
            stdout=subprocess.DEVNULL, env={
                **os.environ, "SIM_TRACE": path, "SIM_CHECK": "0",
                "SIM_TRACE_RANGES": "1", "SIM_TRACE_BLOCKS": str(blocks),
                "SIM_TRACE_WARPS": str(warps),
                "SIM_TRACE_REQUESTS": str(requests)})
        with open(path, encoding="utf-8") as file:
            return tuple(json.loads(line) for line in file
                         if all(words in line for words in wanted))


def pick(requests: Sequence[Request], **wanted: object) -> List[Request]:
    """Return the requests that have these values."""
    return [request for request in requests
            if all(request.get(name) == value
                   for name, value in wanted.items())]


def elements(request: Request) -> List[Tuple[int, Place]]:
    """Return (lane, element) for every word that a request touches."""
    return [(lane_, divmod((at + i) // WORD, request["pitch"] // WORD))
            for lane_, at in zip(request["lanes"], request["at"])
            for i in range(0, request["bytes"], WORD)]


def touched(requests: Sequence[Request]) -> Dict[Worker, List[Place]]:
    """Return the elements that each lane of each warp touches."""
    who: Dict[Worker, List[Place]] = {}
    for request in requests:
        for lane, place in elements(request):
            who.setdefault((request["warp"], lane), []).append(place)
    return who


def elements_of(requests: Sequence[Request],
                **wanted: object) -> Set[Place]:
    """Return the elements that the requests with these values touch."""
    return {place for request in pick(requests, **wanted)
            for _, place in elements(request)}


def shared_contents(requests: Sequence[Request],
                    ahead: int = 0) -> Dict[int, Place]:
    """Return which element of global memory each word of shared memory holds.

    An address says nothing of a value. So a lane's first store is taken for
    what it has loaded first, and so on; or with loads that are ahead, for what
    it has loaded next but one.
    """
    loaded: Dict[Worker, List[Place]] = {}
    stored: Dict[Worker, int] = {}
    holds: Dict[int, Place] = {}
    for request in requests:
        for lane, at in zip(request.get("lanes", []), request.get("at", [])):
            who = request["warp"], lane
            words = range(at, at + request["bytes"], WORD)
            if (request["space"], request["op"]) == ("global", "load"):
                loaded.setdefault(who, []).extend(
                    divmod(word // WORD, request["pitch"] // WORD)
                    for word in words)
            if (request["space"], request["op"]) == ("shared", "store"):
                first = stored.get(who, ahead)
                stored[who] = first + len(words)
                holds.update(zip(((request["start"] + word) // WORD
                                  for word in words),
                                 loaded.get(who, [])[first:]))
    return holds


def steps_of(requests: Sequence[Request],
             mine: Worker) -> List[Tuple[Set[Place], Set[Place]]]:
    """Return what a lane loads from global memory for each store, and stores.

    Stores that follow each other are one.
    """
    steps: List[Tuple[Set[Place], Set[Place]]] = [(set(), set())]
    for request in pick(requests, warp=mine[0], space="global"):
        touches = {place for lane, place in elements(request)
                   if lane == mine[1]}
        if request["op"] == "load" and touches and steps[-1][1]:
            steps.append((set(), set()))
        steps[-1][request["op"] == "store"].update(touches)
    return steps


def extent(places: Iterable[Place]) -> Tuple[int, int, int, int]:
    """Return the first row and column, and how many rows and columns."""
    rows, columns = zip(*places)
    return (min(rows), min(columns), max(rows) - min(rows) + 1,
            max(columns) - min(columns) + 1)


# ---- what one warp does, in its order ---------------------------------------


class Step(NamedTuple):
    """What a warp does with a tile."""

    kind: str  # load, put, read or barrier
    tile: int
    number: int  # of requests; a barrier: 0
    place: Optional[int] = None  # put: where in As (bytes)


def kind_of(request: Request) -> str:
    """Return load, put, read or barrier; nothing for what goes to C."""
    space, op = request.get("space"), request["op"]
    return {("global", "load"): "load", ("shared", "store"): "put",
            ("shared", "load"): "read", (None, "barrier"): "barrier",
            }.get((space, op), "")


def plan_of(requests: Sequence[Request], deep: int = 0) -> List[Step]:
    """Return what the first warp of a block does, in its order.

    load: from global memory; put: to shared memory; read: what it multiplies.
    A load's k says which tile it is of; a warp's n-th put is of tile n, and a
    read of the tile that some warp has put there last.

    deep: steps of k of a tile, where a warp loads and puts one by turns: then a
    put is of the tile that it has loaded from last, and is one step with those
    before it.
    """
    steps: List[Step] = []
    per_tile = deep * WORD or min(at for at in (
        load["at"][0] % load["pitch"] for load in requests
        if load.get("array") == "A") if at)  # bytes of a row of A
    tile_at: Dict[Tuple[str, int], int] = {}  # words of shared memory
    latest: Dict[Tuple[int, str], int] = {}  # tile of a warp's load or put
    doing: Dict[int, str] = {}
    loaded: Dict[int, int] = {}
    for request in requests:
        kind, warp = kind_of(request), request.get("warp", 0)
        one = int(kind != "barrier")
        if not kind:
            continue
        if doing.get(warp) != kind:
            latest[warp, kind] = latest.get((warp, kind), -1) + 1
            doing[warp] = kind
        tile = latest[warp, kind]
        if kind == "load":
            row, byte = divmod(request["at"][0], request["pitch"])
            k = row * WORD if request["array"] == "B" else byte
            tile = k // per_tile
            loaded[warp] = tile
        if kind == "put":
            tile = loaded[warp] if deep else tile
            tile_at.update(((request["array"], at + i), tile)
                           for at in request["at"]
                           for i in range(0, request["bytes"], WORD))
        if kind == "read":
            tile = tile_at[request["array"], request["at"][0]]
        same = [i for i in ((-1, -2) if deep else (-1,))
                if len(steps) >= -i and steps[i][:2] == (kind, tile)]
        if warp == 0 and same:
            i = same[0]
            steps[i] = steps[i]._replace(number=steps[i].number + one)
        elif warp == 0:
            steps.append(Step(kind, tile, one,
                              request["at"][0] if kind == "put" else None))
    return steps


def plan_until(chapter: str, args: str, last: int, deep: int = 0) -> List[Step]:
    """Return what a chapter's first warp does until it has read a tile."""
    steps = plan_of(trace(chapter, args, requests=1000), deep)
    return steps[: 1 + max(i for i, step in enumerate(steps)
                           if step[:2] == ("read", last))]


# ---- wavefronts, sums -------------------------------------------------------


def wavefronts_of(request: Request) -> List[List[Tuple[int, int, int]]]:
    """Share a request out to wavefronts: lists of (lane, word, group).

    Each takes the first word of every bank that is still wanted; that there
    are as many as were counted is checked.
    """
    wide = request["bytes"] // WORD
    groups = {1: 1, 2: 2, 4: 4}[wide]
    waves: List[List[Tuple[int, int, int]]] = []
    for group in range(groups):
        depth: Dict[int, int] = {}
        seen, first = set(), len(waves)
        for number, at in zip(request["lanes"], request["at"]):
            word = (request["start"] + at) // WORD
            if number * groups // LANES != group or word in seen:
                continue
            seen.add(word)
            turn = first + depth.get(word % LANES, 0)
            depth[word % LANES] = depth.get(word % LANES, 0) + 1
            while turn >= len(waves):
                waves.append([])
            waves[turn].append((number, word, group))
    assert len(waves) == request["wavefronts"]
    return waves


Additions = List[Dict[int, int]]  # of each step: word: the word added to it


def additions_of(requests: Sequence[Request], words: int) -> Additions:
    """Return what is added to the first words of an array, by warp 0.

    A line of code that loads and stores adds one word that it loads to the
    other, where it stores; one that only loads adds to the lane's own.
    """
    mine = pick(requests, warp=0)
    loads, stores = pick(mine, op="load"), pick(mine, op="store")
    lines = ({load["line"] for load in loads}
             & {store["line"] for store in stores}) or {loads[0]["line"]}
    steps: Dict[int, Dict[int, int]] = {}
    for load in loads:
        if load["line"] not in lines:
            continue
        to = load["lanes"]
        for store in pick(stores, line=load["line"],
                          barriers=load["barriers"]):
            to = [at // WORD for at in store["at"]]
        for word, at in zip(to, load["at"]):
            if word != at // WORD and max(word, at // WORD) < words:
                steps.setdefault(load["barriers"], {})[word] = at // WORD
    return [steps[barriers] for barriers in sorted(steps)]
