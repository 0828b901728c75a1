#!/usr/bin/env python3
"""Find the parameters of a GEMM chapter that are fastest on this GPU.

Usage: autotune.py [--list] [--M M --N N --K K]     (make autotune args="...")

Three rounds, each with the best of the round before:

1. every legal block tile, step along K and thread tile of a list
2. the best three of them with the put at each step of k from a quarter on
3. the best of those with blocks in bands of 1, 4, 8, 16 rows of tiles

A set of parameters is compiled as build/gpu/autotune/NAME from a header that
defines them, verified at a small ragged size and at M x N x K, and timed
there, in turns with cuBLAS. Then the best three run again, one after the
other, and the fastest goes to build/gpu/CHAPTER.h, which `make run` and
`make compare` use on this machine. --list prints the sets of round 1.

Environment: chapter, gpu_name.
Exit status: 0, or 1 if no set could be built, verified and timed.
"""

import itertools
import os
import sys
from typing import Dict, Iterable, List, NamedTuple, Optional

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import course  # noqa: E402

FOLDER = "build/gpu/autotune"
RAGGED = ["--M", "515", "--N", "261", "--K", "37", "--beta", "0.5"]
USUAL = ["--M", "4096", "--N", "4096", "--K", "4096"]

SHARED = 48 << 10  # static shared memory of a block (bytes)
SHARED_SM = 100 << 10  # of an SM, on the smallest GPU that is likely (bytes)
REGISTERS = 65536  # of an SM
OTHERS = 16  # registers for addresses and the loop, at least


class Parameters(NamedTuple):
    """What can be set from outside; names as in the chapter."""

    BM: int
    BN: int
    BK: int
    TM: int
    TN: int
    PUT_AT: int
    GROUP: int
    BLOCKS: int

    def name(self) -> str:
        """Return a file name: 128x256x8_16x8_put6_group8_blocks1."""
        return (f"{self.BM}x{self.BN}x{self.BK}_{self.TM}x{self.TN}"
                f"_put{self.PUT_AT}_group{self.GROUP}_blocks{self.BLOCKS}")

    def header(self, remark: str) -> str:
        """Return a header that defines all of them."""
        lines = [f"#define {name} {value}"
                 for name, value in self._asdict().items()]
        return "\n".join([f"// {remark}", *lines]) + "\n"


def registers(one: Parameters) -> int:
    """Return the least registers of a thread: sums, fragments, on their way."""
    threads = one.BM // one.TM * (one.BN // one.TN)
    least = (one.TM * one.TN + 2 * (one.TM + one.TN)
             + (one.BM + one.BN) * one.BK // threads + OTHERS)
    return (least + 7) // 8 * 8  # they are handed out by eights


def legal(one: Parameters) -> bool:
    """Whether it keeps the constraints that the lesson derives."""
    if one.BM % one.TM or one.BN % one.TN or one.TM % 4 or one.TN % 4:
        return False
    threads = one.BM // one.TM * (one.BN // one.TN)
    shared = 2 * one.BK * (one.BM + one.BN) * 4
    a_part, b_part = one.BM * one.BK / threads, one.BN * one.BK / threads
    swizzle = 128 % one.BK == 0 and one.BK <= 32 and one.BM // one.TM % 8 == 0
    return (swizzle and threads % 32 == 0 and 32 <= threads <= 1024
            and 4 * threads % one.BN == 0
            and a_part % 4 == 0 and b_part % 4 == 0
            and one.PUT_AT < one.BK
            and shared <= SHARED and shared * one.BLOCKS <= SHARED_SM
            and registers(one) <= 255
            and registers(one) * threads * one.BLOCKS <= REGISTERS)


def shapes() -> List[Parameters]:
    """Return round 1: each shape, once with as many blocks an SM as have room
    and once with one, which leaves the compiler all registers. The set that
    stands in gemm_09 is among them."""
    tiles = (64, 128, 256)
    result = []
    for BM, BN, BK, (TM, TN) in itertools.product(
            tiles, tiles, (8, 16), ((8, 8), (8, 16), (16, 8))):
        usual = Parameters(BM, BN, BK, TM, TN, BK * 3 // 8, 8, 1)
        room = [usual._replace(BLOCKS=blocks) for blocks in range(8, 0, -1)
                if legal(usual._replace(BLOCKS=blocks))]
        result += room[:1] + ([usual] if len(room) > 1 else [])
    return result


def write(path: str, text: str) -> None:
    """Write a file, unless it says so already: then make has nothing to do."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def build(candidates: Iterable[Parameters]) -> None:
    """Compile them, on all cores; one that does not compile is left out."""
    os.makedirs(FOLDER, exist_ok=True)
    targets = []
    for one in candidates:
        path = os.path.join(FOLDER, one.name())
        write(path + ".h", one.header(one.name()))
        targets.append(path)
    course.build(["-k", *targets])


def record(one: Parameters, args: List[str]) -> Optional[dict]:
    """Run a candidate; return its record if it is verified."""
    program = os.path.join(FOLDER, one.name())
    if not os.path.exists(program):
        return None
    run = course.run([program, *args])
    good = run.status == 0 and len(run.records) == 1
    return run.records[0] if good and run.records[0]["verified"] else None


def show(one: Parameters, result: Optional[dict]) -> None:
    """Print a line of the table."""
    row = "".join(f"{value:>7}" for value in one)
    if not result:
        print(row + "   not built, or wrong", flush=True)
        return
    library = result["baseline"]
    share = f"{100 * library['ratio']:8.1f} %" if library else f"{'-':>10}"
    print(f"{row}{result['launch']['registers']:>10}"
          f"{result['time_ms']['median']:>10.4g}{share}", flush=True)


def measure(candidates: List[Parameters], args: List[str],
            times: Dict[Parameters, float]) -> None:
    """Verify and time what is not in @p times yet; print a table."""
    new = [one for one in candidates if one not in times]
    build(new)
    print("".join(f"{name:>7}" for name in Parameters._fields)
          + f"{'registers':>10}{'ms':>10}{'cuBLAS':>10}")
    for one in new:
        result = record(one, RAGGED) and record(one, args)
        show(one, result)
        if result:
            times[one] = result["time_ms"]["median"]


def best(times: Dict[Parameters, float], number: int) -> List[Parameters]:
    """Return the fastest, the first one first."""
    return sorted(times, key=lambda one: times[one])[:number]


def main() -> int:
    """Search in three rounds, then run the best again."""
    if sys.argv[1:] == ["--list"]:
        found = shapes()
        for one in found:
            print(one.name())
        tiles = len({one[:5] for one in found})
        print(f"{tiles} of 54 tile shapes are legal, {len(found)} sets to try")
        return 0
    args = sys.argv[1:] or USUAL
    times: Dict[Parameters, float] = {}

    print("round 1: tiles")
    measure(shapes(), args, times)
    if not times:
        print("autotune: no set of parameters works here", file=sys.stderr)
        return 1
    print("round 2: the step of k at which the next tiles are put")
    measure([one._replace(PUT_AT=put) for one in best(times, 3)
             for put in range(one.BK // 4, one.BK)], args, times)
    print("round 3: the order of the blocks")
    measure([one._replace(GROUP=group) for one in best(times, 1)
             for group in (1, 4, 16)], args, times)

    print("the best three, once more")
    finals: Dict[Parameters, float] = {}
    for one in best(times, 3):
        result = record(one, args)
        show(one, result)
        if result:
            finals[one] = result["time_ms"]["median"]
    winner = best(finals or times, 1)[0]
    path = f"build/gpu/{os.environ['chapter']}.h"
    write(path, winner.header(
        f"make autotune on {os.environ['gpu_name']}: {winner.name()}"))
    print(f"best: {winner.name()}, written to {path}")
    return 0


if __name__ == "__main__":
    course.script(main)
