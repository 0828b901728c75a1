"""Find the parameters of gemm_09 or gemm_10 that are fastest on this GPU.

Two rounds, each with the best of the round before:

1. every tile size and step along K of a list that the chapter can be built for
2. the best two of them with the put at each step of k from a quarter on

A set of parameters is compiled as build/gpu/autotune/CHAPTER/NAME from a header
that defines them, verified at a small ragged size and at M x N x K, and timed
there, in turns with cuBLAS. Then the best three run again, one after the
other, and the fastest goes to build/gpu/CHAPTER.h, which `make run` and
`make compare` use on this machine. args=--list prints the sets of round 1.
"""

import itertools
import math
import os
import sys
from typing import Dict, List, NamedTuple, Optional

from tools import course
from tools.machine import Make, gpu

RAGGED = ["--M", "515", "--N", "261", "--K", "37", "--beta", "0.5"]
USUAL = ["--M", "4096", "--N", "4096", "--K", "4096"]

TN = 8  # columns of C of a thread, as in the chapter
SHARED = 48 << 10  # static shared memory of a block (bytes)
SPACE = (64, 128, 256), (8, 16), (4, 8, 16)  # BM, BK, TM


class Parameters(NamedTuple):
    """What can be set from outside; names as in the chapter."""

    BM: int
    BN: int
    BK: int
    TM: int
    PUT_AT: int

    def name(self) -> str:
        """Return a file name: 128x256x8_16x8_put5."""
        return (f"{self.BM}x{self.BN}x{self.BK}_{self.TM}x{TN}"
                f"_put{self.PUT_AT}")

    def header(self, remark: str) -> str:
        """Return a header that defines all of them."""
        lines = [f"#define {name} {value}"
                 for name, value in self._asdict().items()]
        return "\n".join([f"// {remark}", *lines]) + "\n"


def legal(tile: Parameters) -> bool:
    """Whether it keeps the chapter's assertions, and 48 KiB."""
    threads = tile.BM // tile.TM * (tile.BN // TN)
    b_rows = 4 * threads // tile.BN
    shared = 2 * tile.BK * (tile.BM + 4 + tile.BN) * 4
    return (threads == 2 * tile.BM and tile.BK % 8 == 0
            and b_rows > 0 and tile.BK % b_rows == 0
            and tile.PUT_AT < tile.BK and shared <= SHARED)


def shapes() -> List[Parameters]:
    """Return round 1, where BN follows from THREADS == 2 * BM. The set that
    stands in gemm_09 is among them."""
    return [tile for tile in (Parameters(BM, 2 * TM * TN, BK, TM, BK * 5 // 8)
                              for BM, BK, TM in itertools.product(*SPACE))
            if legal(tile)]


def write(path: str, text: str) -> None:
    """Write a file, unless it says so already: then make has nothing to do."""
    if course.text_of(path) != text:
        course.write(path, text)


def record(program: str, args: List[str]) -> Optional[dict]:
    """Run a candidate; return its record if it is verified."""
    if not os.path.exists(program):  # it does not compile
        return None
    run = course.run([program, *args])
    good = run.status == 0 and len(run.records) == 1
    return run.records[0] if good and run.records[0]["verified"] else None


def measure(folder: str, make: Make, candidates: List[Parameters],
            args: List[str], times: Dict[Parameters, float]) -> None:
    """Verify and time what is not in @p times yet; print a table."""
    new = {tile: os.path.join(folder, tile.name()) for tile in candidates
           if tile not in times}
    for tile, program in new.items():
        write(program + ".h", tile.header(tile.name()))
    make.made("-k", *new.values())  # on all cores
    print("".join(f"{name:>7}" for name in Parameters._fields)
          + f"{'registers':>10}{'ms':>10}{'cuBLAS':>10}")
    for tile, program in new.items():
        result = record(program, RAGGED) and record(program, args)
        row = "".join(f"{value:>7}" for value in tile)
        if not result:
            print(row + "   not built, or wrong", flush=True)
            continue
        times[tile] = result["time_ms"]["median"]
        library = result["baseline"]
        share = f"{100 * library['ratio']:.1f} %" if library else "-"
        print(f"{row}{result['launch']['registers']:>10}"
              f"{times[tile]:>10.4g}{share:>10}", flush=True)


def best(times: Dict[Parameters, float], number: int) -> List[Parameters]:
    """Return the fastest, the first one first."""
    return sorted(times, key=lambda tile: times[tile])[:number]


def list_sets() -> None:
    """Print the sets of round 1."""
    tiles = shapes()
    for tile in tiles:
        print(tile.name())
    print(f"{len(tiles)} of {math.prod(map(len, SPACE))} sets are legal")


def search(chapter: str, make: Make, words: List[str]) -> int:
    """Search in two rounds, then run the best again."""
    args = words or USUAL
    folder = f"build/gpu/autotune/{chapter}"
    times: Dict[Parameters, float] = {}

    print("round 1: tiles")
    measure(folder, make, shapes(), args, times)
    if not times:
        print("autotune: no set of parameters works here", file=sys.stderr)
        return 1
    print("round 2: the step of k at which the next tiles are put")
    measure(folder, make, [
        tile._replace(PUT_AT=put) for tile in best(times, 2)
        for put in range(tile.BK // 4, tile.BK, tile.BK // 8)], args, times)

    print("the best three, once more")
    finals: Dict[Parameters, float] = {}
    measure(folder, make, best(times, 3), args, finals)
    winner = best(finals or times, 1)[0]
    path = f"build/gpu/{chapter}.h"
    write(path, winner.header(
        f"make autotune on {gpu().name}: {winner.name()}"))
    print(f"best: {winner.name()}, written to {path}")
    return 0
