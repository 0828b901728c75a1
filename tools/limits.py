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
    issue slots  instructions that are counted (accesses, barriers, arithmetic):
                 there are more, so it is the least of the least. An FFMA whose
                 registers lie in one bank takes a slot more; `make asm` counts
                 them, and a test keeps them below 1 % from gemm_06 on
    tensor cores the multiply-adds that they make, at 9.0's rate for wgmma and
                 the highest clock; under full load power lowers the clock

All but memory come from the counts of the file checks, as Nsight Compute reads
them where that is another number: nvcc may have fewer loads or more. A counter
grows with the size along the straight line through the last two columns that have it, or
through 0 and the only column of a variant; what one of several columns has is left
out, since through 0 it could come out too large. Columns of another operation or
kind of input do not count. Of a gemm chapter, at multiples of the counted M, N
and K: with M N, and along such a line with K. At other sizes of it only the
M N K multiply-adds are known, as of attention. A grid of fewer blocks than the GPU has SMs leaves
the others idle.

The largest of them binds, if anything of this does: where it is far below the
time, the kernel waits for something else, mostly for what it has asked for
(latency) or for other threads (barriers). Where the L1 is not counted at a size
none is named, since it may be that: every chapter loads.
"""

import glob
import math
import re
import shlex
import sys
from typing import Dict, List, Optional, Tuple

from tools import checklist, counts, course, terminal

SMS = 132  # of an H200
ISSUE = 4  # instructions that an SM starts in a cycle, one a scheduler
TENSOR = 2048  # multiply-adds of its tensor cores in a cycle, bfloat16 (9.0)

REQUESTS = ("global_load_requests", "global_store_requests",
            "global_atomic_requests", "shared_load_requests",
            "shared_store_wavefronts", "barriers")
LANES = ("ffma", "fadd", "fmul")
SHARED = ("shared_load_wavefronts", "shared_store_wavefronts",
          "shared_atomic_wavefronts")
L2 = ("global_store_sectors", "global_atomic_sectors")

Counters = Dict[str, float]
HEAD = ["variant", "memory", "L1", "L2 writes", "issue slots", "tensor cores",
        "time", "largest / time"]


def points(chapter: str, variant: Optional[str],
           size: dict) -> List[Tuple[float, Counters]]:
    """Return what is counted of a variant, and where on the way to the size.

    0 is no element at all, 1 the size of the record.
    """
    counted = []
    for block in checklist.counts(chapter):
        words = shlex.split(block.args.replace("=", " "))
        given = dict(zip((word[2:] for word in words[::2]), words[1::2]))
        if given.pop("variant", None) != variant or any(
                size[name] != value for name, value in given.items()
                if isinstance(size.get(name), str)):
            continue
        way = {name: float(value) / size[name] for name, value in given.items()
               if isinstance(size.get(name), (int, float))}
        times = 1.0
        if not variant:  # a gemm chapter
            if set(given) != set("MNK") or size["beta"] or (
                    size["lda"], size["ldb"]) != (size["K"], size["N"]) or any(
                    size[name] % float(given[name]) for name in "MNK") or (
                    set(way.values()) != {1} and
                    checklist.counted_sizes_only(chapter)):
                continue
            times = 1 / (way.pop("M") * way.pop("N"))
        counted.append((math.prod(way.values()), {
            name: counts.expected(claim) * times
            for name, claim in block.counts.items()}))
    return counted


def multiply_adds(size: dict) -> float:
    """Return those of a product of matrices; of both products of attention, for
    the pairs of a row and a key that it sees."""
    if "M" in size:
        return float(size["M"]) * size["N"] * size["K"]
    rows, keys = size["s"], size["keys"]
    pairs = sum(max(keys - row, 0) for row in range(rows)) if size["causal"] \
        else rows * keys
    return 2.0 * size["b"] * size["h"] * size["d"] * pairs


def at_size(chapter: str, variant: Optional[str], size: dict) -> Counters:
    """Return the counters of a variant, drawn out to a size of a record."""
    counted = points(chapter, variant, size)
    if not counted and not variant:
        tensor = any("tensor_fma" in block.counts
                     for block in checklist.counts(chapter))
        return {"tensor_fma" if tensor else "ffma": multiply_adds(size)}
    result = {}
    for name in dict.fromkeys(name for _, values in counted for name in values):
        have = [(at, values[name]) for at, values in counted if name in values]
        if len(have) == 1 < len(counted) or "_per_" in name:
            continue
        (x0, y0), (x1, y1) = ([(0.0, 0.0)] + have)[-2:]
        if len(counted) == 1 and not variant and name.startswith("global_store"):
            x0, y0 = 0.0, y1  # a result is stored once, whatever K
        result[name] = y1 + (1 - x1) * (y1 - y0) / (x1 - x0)
    return result


def cycles(counted: Counters,
           record: dict) -> Tuple[Optional[float], float, Optional[float]]:
    """Return the cycles that the L1, the schedulers and the tensor cores of an
    SM need; None for those that are not counted or not used."""
    blocks = max(math.prod(launch["grid"])
                 for launch in record.get("launches") or [record["launch"]])
    sms = min(blocks, record.get("sms") or SMS)
    loads = [counted[name] for name in ("global_load_cycles", *SHARED)
             if name in counted]
    issued = sum(counted.get(name, 0) for name in REQUESTS) + sum(
        counted.get(name, 0) for name in LANES) / 32
    tensor = counted.get("tensor_fma", 0) / TENSOR / sms
    return (sum(loads) / sms if loads else None, issued / ISSUE / sms,
            tensor or None)


def l2_time(counted: Counters, device: str) -> Optional[float]:
    """Return how long the L2 takes stores and atomics (ms)."""
    sectors = [counted[name] for name in L2 if name in counted]
    for path in glob.glob("docs/results/*_l2.txt"):
        name, _, text = course.text_of(path).partition(":")
        rate = re.search(r"^store +(\d+) GB/s", text, re.M)
        if sectors and name == device and rate:
            return 32 * sum(sectors) / (float(rate[1]) * 1e6)
    return None


def of_record(record: dict) -> Dict[str, Optional[float]]:
    """Return the least time (ms) of each resource; None: not known.

    None at all without counts.
    """
    counted = at_size(record["chapter"], record["variant"], record["size"])
    if not counted:
        return {}
    cycle = 1e-3 / record["clocks_mhz"]["sm"]  # ms
    l1, issue, tensor = cycles(counted, record)
    floor = record["limit"]
    return {"memory": floor["ratio"] * record["time_ms"]["median"]
            if floor and floor["name"] in ("read", "copy") else None,
            "L1": l1 * cycle if l1 is not None else None,
            "L2 writes": l2_time(counted, record.get("device", "")),
            "issue slots": issue * cycle,
            "tensor cores": tensor * cycle if tensor else None}


def show(ms: Optional[float]) -> str:
    """Three digits, or a dash."""
    return "-" if ms is None else f"{ms:.3g}" if ms < 100 else f"{ms:,.0f}"


def recorded(chapter: str) -> Dict[str, dict]:
    """Return the H200's records by variant, of a gemm chapter by size."""
    return course.by_variant(chapter) or {
        "x".join(map(str, size if len(set(size)) > 1 else size[:1])): record
        for size, record in course.timed(chapter).items()}


def rows(records: Dict[str, dict], known_only: bool = False) -> List[List[str]]:
    """Return the cells of a table under HEAD, times in ms.

    With known_only, as the ladder of the lessons has it, also a row whose L1 is
    not counted names the largest of the others.
    """
    result = []
    for name, record in records.items():
        least = of_record(record)
        if least:
            time = record["time_ms"]["median"]
            largest = max(least, key=lambda resource: least[resource] or 0)
            result.append([name, *map(show, least.values()), show(time),
                           f"{largest} {100 * least[largest] / time:.0f} %"
                           if known_only or least["L1"] is not None else "-"])
    return result


def rows_of_counts(records: Dict[str, dict]) -> List[List[str]]:
    """Return the table of what a simulator has counted, in cycles."""
    resources = ("L1", "issue slots", "tensor cores")
    result = [["variant", *resources, "largest"]]
    for name, record in records.items():
        least = [number or 0 for number in cycles(record["counts"], record)]
        result.append([name, *(f"{number:,.0f}" if number else "-"
                               for number in least),
                       resources[least.index(max(least))]])
    return result


def known(rows: List[List[str]]) -> List[List[str]]:
    """Leave out the columns in which nothing is known; the head comes first."""
    return list(map(list, zip(*(
        column for column in zip(*rows) if set(column[1:]) != {"-"}))))


def print_table(title: str, rows: List[List[str]]) -> None:
    """Print rows; below them what a dash means, if there is one."""
    rows = known(rows)
    print("\n".join([title, *terminal.lines(rows, longest=14)]))
    if any("-" in row for row in rows):
        print("-: not counted at this size")


def of_run(chapter: str, path: str) -> None:
    """Print the table of the records that a run has just written."""
    records = {record["variant"] or course.short(chapter): record
               for record in course.read_lines(path) if record.get("verified")}
    counted, timed = ({name: record for name, record in records.items()
                       if record[fact]} for fact in ("counts", "time_ms"))
    shown = rows(timed)
    if counted:
        print_table("\nleast cycles of an SM by resource, on an H200, for these "
                    "counts", rows_of_counts(counted))
    elif shown:
        print_table("\nleast time by resource, in ms", [HEAD, *shown])
    elif timed:
        print(f"\nleast time by resource: chapters/{chapter}/checks counts nothing "
              "for this size")


def of_chapter(chapter: str) -> int:
    """Print the table of one chapter; 1 if there is nothing to show."""
    records = recorded(chapter)
    shown = rows(records)
    if not shown:
        print(f"limits: chapters/{chapter}/checks counts nothing of a variant"
              if records else f"limits: no recorded times of {chapter}: "
              "make bench records them on a GPU", file=sys.stderr)
        return 1
    first = next(iter(records.values()))
    where = f", {course.size_words(first)}" if first["variant"] else ""
    print_table(f"{chapter} on {first['device']}{where}: least time by resource, "
                "in ms", [["variant" if first["variant"] else "size", *HEAD[1:]],
                          *shown])
    return 0
