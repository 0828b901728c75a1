"""What a kernel does in the simulator, request by request.

SIM_TRACE says which lane touched which address, and what each request cost; see
common/simulator/README.md. The pictures take their facts from there.
"""

import functools
import json
import os
import subprocess
import tempfile
from typing import Any, Dict, List, Sequence, Tuple

import svg  # noqa: F401  makes common/make known

import course  # noqa: I100

LANES, LINE, SECTOR, WORD = 32, 128, 32, 4  # of a warp; bytes
Request = Dict[str, Any]  # a line of the trace
Place = Tuple[int, int]  # row, column
Worker = Tuple[int, int]  # warp, lane


def trace(chapter: str, args: str, blocks: int = 1, warps: int = LANES,
          requests: int = 1, array: str = "") -> Tuple[Request, ...]:
    """Run a chapter; return the requests of the launch that it counts.

    array: those of one array only.
    """
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
                         if not array or f'"array":"{array}"' in line)


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


def extent(places: Sequence[Place]) -> Tuple[int, int, int, int]:
    """Return the first row and column, and how many rows and columns."""
    rows, columns = ([place[i] for place in places] for i in (0, 1))
    return (min(rows), min(columns), max(rows) - min(rows) + 1,
            max(columns) - min(columns) + 1)
