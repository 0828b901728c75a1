"""What a kernel does in the simulator, request by request.

SIM_TRACE says which lane touched which address, and what each request cost; see
simulator/README.md. The pictures take their facts from there.
"""

import functools
import json
import os
import re
import subprocess
import tempfile
from typing import Any, Dict, Iterable, List, Sequence, Set, Tuple

from tools import course

LANES, LINE, SECTOR, WORD, HALF = 32, 128, 32, 4, 2  # of a warp; bytes
SMS = 132  # of an H200, and of the simulator's GPU
SIZES = "--M {} --N {} --K {}"
TILE = SIZES.format(128, 128, 16)  # a block of gemm_04 to gemm_08, and a tile
WIDE = SIZES.format(128, 256, 8)  # the same from gemm_09 on
Request = Dict[str, Any]  # a line of the trace
Place = Tuple[int, int]  # row, column
Worker = Tuple[int, int]  # warp, lane


@functools.lru_cache(maxsize=None)
def launch(chapter: str, args: str, blocks: int, requests: int) -> List[str]:
    """Run a chapter; return the trace of the launch that it counts: so many
    requests of each warp of the first blocks, a line each."""
    program = f"build/simulator/{course.find_chapter(chapter)}"
    if not course.build([program]):
        raise SystemExit(2)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace")
        subprocess.run(
            [program, *args.split()], check=True,
            stdout=subprocess.DEVNULL, env={
                **os.environ, "SIM_TRACE": path, "SIM_SEARCH": "0",
                "SIM_TRACE_RANGES": "1", "SIM_TRACE_BLOCKS": str(blocks),
                "SIM_TRACE_WARPS": str(LANES),
                "SIM_TRACE_REQUESTS": str(requests)})
        return course.text_of(path).splitlines()


def pick(requests: Sequence[Request], **wanted: object) -> List[Request]:
    """Return the requests that have these values."""
    return [request for request in requests
            if all(request.get(name) == value
                   for name, value in wanted.items())]


def trace(chapter: str, args: str, blocks: int = 1, requests: int = 1000,
          **wanted: object) -> List[Request]:
    """Return the requests of a run that have these values."""
    words = [f'"{name}":{json.dumps(value, separators=(",", ":"))}'
             for name, value in wanted.items() if value is not None]
    return pick([json.loads(line)  # of many, which takes long
                 for line in launch(chapter, args, blocks, requests)
                 if all(word in line for word in words)], **wanted)


def elements(request: Request, size: int = WORD) -> List[Tuple[int, Place]]:
    """Return (lane, element) for every element, of so many bytes, that a
    request touches."""
    return [(lane, divmod((at + i) // size, request["pitch"] // size))
            for lane, at in zip(request["lanes"], request["at"])
            for i in range(0, request["bytes"], size)]


def touched(requests: Sequence[Request],
            size: int = WORD) -> Dict[Worker, List[Place]]:
    """Return the elements that each lane of each warp touches."""
    who: Dict[Worker, List[Place]] = {}
    for request in requests:
        for lane, place in elements(request, size):
            who.setdefault((request["warp"], lane), []).append(place)
    return who


def elements_of(requests: Sequence[Request], size: int = WORD,
                **wanted: object) -> Set[Place]:
    """Return the elements that the requests with these values touch."""
    return {place for request in pick(requests, **wanted)
            for _, place in elements(request, size)}


def copied(requests: Sequence[Request], array: str) -> Dict[int, Place]:
    """Return which element of an array in global memory each word of shared
    memory gets.

    An address says nothing of a value. So a lane's first store is taken for
    what it has loaded first, and so on.
    """
    loaded: Dict[Worker, List[Tuple[str, Place]]] = {}
    for request in pick(requests, space="global", op="load"):
        for lane, place in elements(request):
            loaded.setdefault((request["warp"], lane), []).append(
                (request["array"], place))
    words: Dict[int, Place] = {}
    for request in pick(requests, space="shared", op="store"):
        for lane, (row, column) in elements({**request, "pitch": LINE}):
            source, place = loaded[request["warp"], lane].pop(0)
            if source == array:
                words[row * LINE // WORD + column] = place
    return words


def extent(places: Iterable[Place]) -> Tuple[int, int, int, int]:
    """Return the first row and column, and how many rows and columns."""
    rows, columns = zip(*places)
    return (min(rows), min(columns), max(rows) - min(rows) + 1,
            max(columns) - min(columns) + 1)


def defined(chapter: str, name: str) -> int:
    """Return a number that a chapter's program defines."""
    chapter = course.find_chapter(chapter)
    text = course.text_of(f"chapters/{chapter}/{chapter}.cu")
    return int(re.findall(rf"^#define {name} (\d+)", text, re.M)[0])


# ---- a gemm chapter ---------------------------------------------------------


def owned(chapter: str, args: str = TILE) -> Dict[Worker, List[Place]]:
    """Return what each thread of the first block has of C."""
    return touched(trace(chapter, args, array="C", op="store"))


def by_warp(owners: Dict[Worker, List[Place]]) -> Dict[int, List[Place]]:
    """Return what each warp has."""
    warps: Dict[int, List[Place]] = {}
    for (warp, _), places in owners.items():
        warps.setdefault(warp, []).extend(places)
    return dict(sorted(warps.items()))


def loads(chapter: str, array: str, args: str = TILE,
          op: str = "load") -> List[Request]:
    """Return what the first warp loads of an array."""
    return trace(chapter, args, array=array, op=op, warp=0)


# ---- wavefronts, sums -------------------------------------------------------


def wavefronts_of(request: Request) -> List[List[Tuple[int, int, int]]]:
    """Share a request out to wavefronts: lists of (lane, word, group).

    Each takes the first word of every bank that is still wanted; that there
    are as many as were counted is checked.
    """
    wide = request["bytes"] // WORD
    waves: List[List[Tuple[int, int, int]]] = []
    for group in range(wide):
        banks: Dict[int, Dict[int, int]] = {}  # word: the first lane
        for lane, at in zip(request["lanes"], request["at"]):
            word = (request["start"] + at) // WORD
            if lane * wide // LANES == group:
                banks.setdefault(word % LANES, {}).setdefault(word, lane)
        for turn in range(max(map(len, banks.values()), default=0)):
            waves.append([([*words.values()][turn], [*words][turn], group)
                          for words in banks.values() if turn < len(words)])
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
