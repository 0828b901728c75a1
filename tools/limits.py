"""Print the least time that each resource allows a kernel, beside the time.

`make limits` takes the recorded times of an H200, `make run` what it has just
measured; in the simulator, which has no times, cycles, from what it counted.
A row for each variant, of a gemm chapter for each size:

    memory       what reading or copying the same bytes took in the same process
    L1           its cycles for global loads, by the law of the simulator's
                 README, and the wavefronts of shared memory, which use the same
                 data banks; what is not counted of these is left out
    L2 writes    the sectors of stores and atomics, all of which go there, at
                 the rate at which it takes full ones (docs/results/*_l2.txt,
                 where this GPU was measured). Loads are left out: which of them
                 the L1 answers is not counted
    atomics      on global memory, all lanes on one word of an H200; only if the
                 file `limits` of the chapter says so, since a count does not
    issue slots  instructions that are counted (accesses, barriers, arithmetic):
                 there are more, so it is the least of the least. An FFMA whose
                 registers lie in one bank takes a slot more; `make asm` counts
                 them, and a test keeps them below 1 % from gemm_06 on

All but memory come from the file counts, as Nsight Compute reads them where
that is another number: nvcc may have fewer loads or more. A counter grows with
the size along the straight line through the last two blocks that have it, or
through 0 and the only block of a variant; what one of several blocks has is left
out, since through 0 it could come out too large. Blocks of another operation or
kind of input do not count. Of a gemm chapter, at multiples of the counted M, N
and K: with M N, and along such a line with K. At other sizes of it only the
M N K multiply-adds are known. A grid of fewer blocks than the GPU has SMs leaves
the others idle.

The largest of them binds, if anything of this does: where it is far below the
time, the kernel waits for something else, mostly for what it has asked for
(latency) or for other threads (barriers). Where the L1 is not counted at a size
none is named, since it may be that: every chapter loads.
"""

import glob
import math
import os
import re
import shlex
import sys
from typing import Dict, List, NamedTuple, Optional, Tuple

import counts
import course

SMS = 132  # of an H200
ISSUE = 4  # instructions that an SM starts in a cycle, one a scheduler
ONE_WORD = 0.73  # lanes a cycle that add to one word, on the whole GPU
# What a file limits may say: its atomics are on one word; a block of its file
# counts says nothing of other sizes.
HINTS = {"atomics one word", "counted sizes only"}

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
    l2: Optional[float]
    atomics: Optional[float]
    issue: float
    measured: float

    def largest(self) -> Tuple[str, float]:
        """Return the resource with the largest of them, and its time."""
        known = {"memory": self.memory, "L1": self.l1, "L2 writes": self.l2,
                 "atomics": self.atomics, "issue slots": self.issue}
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


def line(points: List[Tuple[float, Dict[str, float]]],
         x: float) -> Dict[str, float]:
    """Return the counters at x, each on the line through its last two points.

    One point in all: the line through 0. What one of several has is left out,
    and so are ratios, which do not grow.
    """
    result = {}
    for name in dict.fromkeys(name for _, one in points for name in one):
        have = [(at, one[name]) for at, one in points if name in one]
        if len(have) == 1 < len(points) or "_per_" in name:
            continue
        (x0, y0), (x1, y1) = ([(0.0, 0.0)] + have)[-2:]
        result[name] = y1 + (x - x1) * (y1 - y0) / (x1 - x0)
    return result


def of_gemm(chapter: str, size: dict) -> Dict[str, float]:
    """Return the counters of a gemm chapter at a size of a record."""
    M, N, K = (float(size[name]) for name in "MNK")
    plain = (size["beta"], size["lda"], size["ldb"]) == (0, K, N)
    points = []
    for block in counts.read(chapter):
        given = options(block.args)
        if not plain or set(given) != set("MNK"):
            continue
        m, n, k = (float(given[name]) for name in "MNK")
        if (M % m, N % n, K % k) == (0, 0, 0) and (
                (m, n, k) == (M, N, K)
                or "counted sizes only" not in hints(chapter)):
            points.append((k, {
                name: counts.expected(claim) * (M / m) * (N / n)
                for name, claim in block.counts.items()}))
    if not points:
        return {"ffma": M * N * K}
    one = line(points, K)
    if len(points) == 1:  # a result is stored once, whatever K
        one.update((name, value) for name, value in points[0][1].items()
                   if name.startswith("global_store"))
    return one


def blocks_of(chapter: str, variant: str, size: dict) -> List[counts.Block]:
    """Return the blocks of a variant, but those of another operation or input."""
    def other(given: Dict[str, str]) -> bool:
        return given.get("variant") != variant or any(
            str(size[name]) != value for name, value in given.items()
            if isinstance(size.get(name), str))

    return [block for block in counts.read(chapter)
            if not other(options(block.args))]


def at_size(chapter: str, variant: Optional[str],
            size: dict) -> Dict[str, float]:
    """Return the counters of a variant, drawn out to a size of a record."""
    if not variant:
        return of_gemm(chapter, size)
    points = []
    asked = 0.0
    for block in blocks_of(chapter, variant, size):
        given = options(block.args)
        points.append((elements(given, size), {
            name: counts.expected(claim)
            for name, claim in block.counts.items()}))
        asked = math.prod(float(size[name]) for name in given
                          if isinstance(size.get(name), (int, float)))
    return line(points, asked) if points else {}


def cycles(counted: Dict[str, float],
           record: dict) -> Tuple[Optional[float], float]:
    """Return the cycles that the L1 and the schedulers of an SM need."""
    blocks = max(math.prod(launch["grid"])
                 for launch in record.get("launches") or [record["launch"]])
    sms = min(blocks, record.get("sms") or SMS)
    loads = [counted[name] for name in ("global_load_cycles", *SHARED)
             if name in counted]
    issued = sum(counted.get(name, 0) for name in REQUESTS) + sum(
        counted.get(name, 0) for name in LANES) / 32
    return sum(loads) / sms if loads else None, issued / ISSUE / sms


def l2_time(counted: Dict[str, float], device: str) -> Optional[float]:
    """Return how long the L2 takes stores and atomics (ms)."""
    sectors = [counted[name] for name in
               ("global_store_sectors", "global_atomic_sectors")
               if name in counted]
    for path in glob.glob("docs/results/*_l2.txt"):
        with open(path, encoding="utf-8") as file:
            name, _, text = file.read().partition(":")
        rate = re.search(r"^store +(\d+) GB/s", text, re.M)
        if sectors and name == device and rate:
            return 32 * sum(sectors) / (float(rate.group(1)) * 1e6)
    return None


def of_record(record: dict, said: List[str]) -> Optional[Limits]:
    """Return the limits of a timed variant; None without counts."""
    counted = at_size(record["chapter"], record["variant"], record["size"])
    if not counted:
        return None
    cycle = 1e-3 / record["clocks_mhz"]["sm"]  # ms
    l1, issue = cycles(counted, record)
    measured = record["time_ms"]["median"]
    floor = record["limit"] if record["limit"] and record["limit"]["name"] in (
        "read", "copy") else None
    atomics = counted.get("global_atomic_requests")
    return Limits(
        memory=floor["ratio"] * measured if floor else None,
        l1=l1 * cycle if l1 is not None else None,
        l2=l2_time(counted, record.get("device", "")),
        atomics=atomics / ONE_WORD * cycle
        if atomics and "atomics one word" in said
        and "H200" in record.get("device", "H200") else None,
        issue=issue * cycle,
        measured=measured)


def show(ms: Optional[float]) -> str:
    """Three digits, or a dash."""
    return "-" if ms is None else f"{ms:.3g}" if ms < 100 else f"{ms:,.0f}"


HEAD = ["variant", "memory", "L1", "L2 writes", "atomics", "issue slots", "time",
        "largest / time"]


def recorded(chapter: str) -> Dict[str, dict]:
    """Return the H200's records by variant, of a gemm chapter by size."""
    return course.by_variant(chapter) or {
        "x".join(map(str, size if len(set(size)) > 1 else size[:1])): record
        for size, record in course.timed(chapter).items()}


def rows(records: Dict[str, dict], said: List[str],
         known_only: bool = False) -> List[List[str]]:
    """Return the cells of a table under HEAD, times in ms.

    With known_only, as the ladder of the lessons has it, also a row whose L1 is
    not counted names the largest of the others.
    """
    result = []
    for name, record in records.items():
        one = of_record(record, said)
        if not one:
            continue
        what, ms = one.largest()
        named = known_only or one.l1 is not None
        result.append([name, *map(show, one),
                       f"{what} {100 * ms / one.measured:.0f} %" if named
                       else "-"])
    return result


SOURCE_HEAD = ["variant", "L1", "issue slots", "largest"]
NAME = 14  # columns of a name in the terminal


def source_rows(records: Dict[str, dict]) -> List[List[str]]:
    """Return the cells of a table under SOURCE_HEAD, in cycles."""
    result = []
    for name, record in records.items():
        l1, issue = cycles(record["counts"], record)
        result.append([name, f"{l1 or 0:,.0f}", f"{issue:,.0f}",
                       "L1" if (l1 or 0) > issue else "issue slots"])
    return result


def known(table: List[List[str]]) -> List[List[str]]:
    """Leave out the columns in which nothing is known; the head comes first."""
    return list(map(list, zip(*(
        column for column in zip(*table) if set(column[1:]) != {"-"}))))


def print_table(table: List[List[str]]) -> None:
    """Print rows in 80 columns; a name that is too long has a line of its own.

    Below them what a dash means, if there is one.
    """
    table = known(table)
    widths = [max(map(len, column)) + 2 for column in zip(*table)]
    for name, *cells in table:
        if len(name) >= NAME:
            print(name)
            name = ""
        print(f"{name:<{NAME}}" + "".join(
            f"{cell:>{width}}" for cell, width in zip(cells, widths[1:])))
    if any("-" in row for row in table):
        print("-: not counted at this size")


def of_run(chapter: str, path: str) -> None:
    """Print the table of the records that a run has just written."""
    records = {record["variant"] or course.short(chapter): record
               for record in course.read_lines(path) if record.get("verified")}
    counted = {name: one for name, one in records.items() if one["counts"]}
    timed = {name: one for name, one in records.items() if one["time_ms"]}
    table = rows(timed, hints(chapter))
    if counted:
        print("\nleast cycles of an SM by resource, on an H200, for these counts")
        print_table([SOURCE_HEAD, *source_rows(counted)])
    elif table:
        print("\nleast time by resource, in ms")
        print_table([HEAD, *table])
    elif timed:
        print(f"\nleast time by resource: chapters/{chapter}/counts has nothing "
              "for this size")


def of_chapter(chapter: str) -> int:
    """Print the table of one chapter; 1 if there is nothing to show."""
    records = recorded(chapter)
    table = rows(records, hints(chapter))
    if not table:
        print(f"limits: chapters/{chapter}/counts has no block of a variant"
              if records else f"limits: no recorded times of {chapter}: "
              "make bench records them on a GPU", file=sys.stderr)
        return 1
    one = next(iter(records.values()))
    where = f", {course.size_words(one)}" if one["variant"] else ""
    print(f"{chapter} on {one['device']}{where}: least time by resource, in ms")
    head = HEAD if one["variant"] else ["size", *HEAD[1:]]
    print_table([head, *table])
    return 0
