"""What a kernel does in the simulator, request by request.

SIM_TRACE says which lane touched which address, and what each request cost; see
simulator/README.md. The pictures take their facts from there.
"""

import functools
import json
import os
import subprocess
import tempfile
from typing import Any, Dict, Iterable, List, Sequence, Set, Tuple

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
