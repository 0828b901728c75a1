#!/usr/bin/env python3
"""Print the least time that each resource allows a variant, beside the time.

Usage: limits.py CHAPTER                              (make chapter=X limits)

For each variant that docs/results/h200.jsonl has a time of, at the size
recorded last:

    memory   what reading or copying the same bytes took in the same process
    L1       its cycles for global loads, by the law of the simulator's README,
             and the wavefronts of shared memory, which use the same data banks
    atomics  on global memory, all lanes on one word; only if the file `limits`
             of the chapter says so, since a count does not
    issue    instructions that are counted (accesses, barriers, arithmetic):
             there are more, so it is the least of the least

All but memory come from the file counts, as Nsight Compute reads them where
that is another number: nvcc may have fewer loads or more. A counter grows with the size along
the straight line through the last two blocks of a variant, or through 0 and its
only block. A grid of fewer blocks than the GPU has SMs leaves the others idle.

The largest of them binds, if anything of this does: where it is far below the
time, the kernel waits for something else, mostly for what it has asked for
(latency) or for other threads (barriers).

Exit status: 0, or 1 if there is nothing to show.
"""

import math
import os
import re
import shlex
import sys
from typing import Dict, List, NamedTuple, Optional, Tuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import counts  # noqa: E402
import course  # noqa: E402

SMS = 132  # of an H200
ISSUE = 4  # instructions that an SM starts in a cycle, one a scheduler
ONE_WORD = 0.73  # lanes a cycle that add to one word, on the whole GPU
HINTS = {"atomics one word"}  # what a file limits may say

REQUESTS = ("global_load_requests", "global_store_requests",
            "global_atomic_requests", "shared_load_requests",
            "shared_store_wavefronts", "barriers")
LANES = ("ffma", "fadd", "fmul")
SHARED = ("shared_load_wavefronts", "shared_store_wavefronts",
          "shared_atomic_wavefronts")


class Limits(NamedTuple):
    """Least times of one variant (ms); None: not known."""

    memory: Optional[float]
    l1: Optional[float]
    atomics: Optional[float]
    issue: float
    measured: float

    def largest(self) -> Tuple[str, float]:
        """Return the resource with the largest of them, and its time."""
        known = {"memory": self.memory, "L1": self.l1, "atomics": self.atomics,
                 "issue": self.issue}
        return max(((name, ms) for name, ms in known.items()
                    if ms is not None), key=lambda pair: pair[1])


def hints(chapter: str) -> List[str]:
    """Return what the chapter's file limits says."""
    path = os.path.join("chapters", chapter, "limits")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        lines = [" ".join(line.split("#")[0].split()) for line in file]
    for line in filter(None, lines):
        if line not in HINTS:
            raise SystemExit(f"{path}: {line}: allowed is {', '.join(HINTS)}")
    return [line for line in lines if line]


def options(args: str) -> Dict[str, str]:
    """Return the options of a command line by name."""
    words = shlex.split(args.replace("=", " "))
    return dict(zip((word[2:] for word in words[::2]), words[1::2]))


def elements(given: Dict[str, str], size: Dict[str, float]) -> float:
    """Return the product of the sizes that a command line gives."""
    return math.prod(float(value) for name, value in given.items()
                     if isinstance(size.get(name), (int, float)))


def at_size(chapter: str, variant: str, size: dict) -> Dict[str, float]:
    """Return the counters of a variant, drawn out to a size of a record."""
    points = []
    for block in counts.read(chapter):
        given = options(block.args)
        if given.get("variant") != variant:
            continue
        if any(str(size[name]) != value for name, value in given.items()
               if isinstance(size.get(name), str)):
            continue  # another operation, another kind of input
        points.append((elements(given, size), {
            name: counts.expected(claim)
            for name, claim in block.counts.items()}))
        asked = math.prod(float(size[name]) for name in given
                          if isinstance(size.get(name), (int, float)))
    if not points:
        return {}
    (n0, c0), (n1, c1) = ([(0.0, {})] + points)[-2:]
    return {name: value + (asked - n1) * (value - c0.get(name, 0)) / (n1 - n0)
            for name, value in c1.items() if not re.search("_per_", name)
            and (not c0 or name in c0)}


def of_record(record: dict, said: List[str]) -> Optional[Limits]:
    """Return the limits of a timed variant; None without counts."""
    counted = at_size(record["chapter"], record["variant"], record["size"])
    if not counted:
        return None
    blocks = max(math.prod(launch["grid"])
                 for launch in record.get("launches") or [record["launch"]])
    hertz = record["clocks_mhz"]["sm"] * 1e6
    cycles = 1e3 / (min(blocks, SMS) * hertz)  # ms that one of an SM takes
    measured = record["time_ms"]["median"]
    floor = record["limit"] if record["limit"] and record["limit"]["name"] in (
        "read", "copy") else None
    l1 = counted.get("global_load_cycles")
    if l1 is not None:
        l1 += sum(counted.get(name, 0) for name in SHARED)
    atomics = counted.get("global_atomic_requests")
    issued = sum(counted.get(name, 0) for name in REQUESTS) + sum(
        counted.get(name, 0) for name in LANES) / 32
    return Limits(
        memory=floor["ratio"] * measured if floor else None,
        l1=l1 * cycles if l1 is not None else None,
        atomics=atomics / ONE_WORD / hertz * 1e3
        if atomics and "atomics one word" in said else None,
        issue=issued / ISSUE * cycles,
        measured=measured)


def show(ms: Optional[float]) -> str:
    """Three digits, or a dash."""
    return "-" if ms is None else f"{ms:.3g}" if ms < 100 else f"{ms:,.0f}"


HEAD = ["variant", "memory", "L1", "atomics", "issue", "time",
        "largest / time"]


def rows(chapter: str) -> List[List[str]]:
    """Return the cells of a table under HEAD, times in ms."""
    said = hints(chapter)
    result = []
    for name, record in course.by_variant(chapter).items():
        one = of_record(record, said)
        if not one:
            continue
        what, ms = one.largest()
        result.append([name, *map(show, one),
                       f"{what} {100 * ms / one.measured:.0f} %"])
    return result


def main() -> int:
    """Print the table of one chapter."""
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    chapter = sys.argv[1]
    table = rows(chapter)
    if not table:
        print(f"limits: {course.RESULTS} has no times of {chapter}, or its "
              "file counts no blocks of variants", file=sys.stderr)
        return 1
    one = next(iter(course.by_variant(chapter).values()))
    print(f"{chapter} on {one['device']}, {course.size_words(one)}: "
          "least time by resource, in ms")
    for row in [HEAD, *table]:
        print(f"{row[0]:<18}" + "".join(f"{cell:>10}" for cell in row[1:6])
              + f"{row[6]:>16}")
    return 0


if __name__ == "__main__":
    course.script(main)
