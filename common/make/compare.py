#!/usr/bin/env python3
"""Compare the gemm chapters: one row each, with a bar.

Usage: compare.py gpu|simulator "SIZE..." CHAPTER...

On a GPU: median time, rate, the step from the chapter before, the share of
cuBLAS and beside it the share recorded on an H200. In the simulator, where
there are no times: what the memory is asked for by each FFMA instruction of a
warp (32 multiply-adds): sectors of global memory, wavefronts of shared memory.
Several sizes end with a matrix: the shares, or sectors and wavefronts in all.

Exit status: 0, or that of the first program that failed.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from typing import Dict, List, Optional, Tuple

import lessons

BAR = 20  # columns of the longest bar


def program(back_end: str, chapter: str) -> str:
    """Return the chapter's program, with make autotune's parameters if any."""
    tuned = os.path.exists(f"build/{back_end}/{chapter}.h")
    return f"build/{back_end}/{'tuned/' if tuned else ''}{chapter}"


def record(
    back_end: str, chapter: str, size: str
) -> Tuple[int, Optional[dict]]:
    """Run a chapter at one size. Return its status and JSON record."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "record.json")
        done = subprocess.run(
            [program(back_end, chapter), "--M", size, "--N", size, "--K", size,
             "--json", path], stdout=subprocess.DEVNULL)
        if done.returncode or not os.path.exists(path):
            return done.returncode or 1, None
        with open(path, encoding="utf-8") as file:
            return 0, json.loads(file.read().splitlines()[-1])


def bar(share: float) -> str:
    """Return a bar; 1 is full, what is more than that is cut."""
    return "#" * max(round(BAR * min(share, 1.0)), 1)


def percent(share: Optional[float]) -> str:
    """Format a share of cuBLAS in 8 columns."""
    return f"{100 * share:>6.1f} %" if share else f"{'-':>8}"


def recorded(chapter: str, size: int) -> Optional[float]:
    """Return the share of cuBLAS on the H200 of docs/results, if it is there."""
    one = lessons.timed(chapter).get((size, size, size))
    return one["baseline"]["ratio"] if one and one["baseline"] else None


def gpu_rows(records: List[Tuple[str, Optional[dict]]]) -> Dict[str, str]:
    """Print times; the bar is the share of cuBLAS. Return the shares."""
    print(f"{'':<26}{'ms':>10}{'TFLOP/s':>9}{'step':>7}{'cuBLAS':>8}"
          f"{'(H200)':>9}")
    before = None
    shares = {}
    for chapter, one in records:
        if not one:
            print(f"{chapter:<26}{'failed':>10}")
            continue
        ms = one["time_ms"]["median"]
        step = f"{before / ms:.2f}x" if before else ""
        before = ms
        share = one["baseline"]["ratio"] if one["baseline"] else None
        row = f"{chapter:<26}{ms:>10.4g}{one['gflops'] / 1000:>9.2f}{step:>7}"
        row += percent(share) + " " + percent(recorded(chapter, one["size"]["M"]))
        print(row + (f" {bar(share)}" if share else ""))
        shares[chapter] = percent(share)
    return shares


def simulator_rows(records: List[Tuple[str, Optional[dict]]]) -> Dict[str, str]:
    """Print counts; two characters of the bar are a factor of two.

    Return sectors and wavefronts together.
    """
    rows = []
    sums = {}
    for chapter, one in records:
        counts = (one or {}).get("counts")
        if not counts:
            why = "no counts: clang adds them" if one else "failed"
            rows.append((chapter, None, why))
            continue
        warp_ffma = counts["ffma"] / 32
        sectors = sum(counts[f"global_{op}_sectors"] for op in ("load", "store"))
        waves = sum(counts[f"shared_{op}_wavefronts"] for op in ("load", "store"))
        rows.append((chapter, sectors / warp_ffma, waves / warp_ffma))
    least = min((a + b for _, a, b in rows if a is not None), default=1)
    print(f"{'':<26}{'sectors':>10}{'wavefronts':>12}  "
          "for 32 multiply-adds; ## is twice")
    for chapter, sectors, waves in rows:
        if sectors is None:
            print(f"{chapter:<26}{waves:>30}")
            continue
        doublings = math.log2((sectors + waves) / least)
        print(f"{chapter:<26}{sectors:>10.2f}{waves:>12.2f}  "
              f"{'#' * (1 + round(2 * doublings))}")
        sums[chapter] = f"{sectors + waves:>8.2f}"
    return sums


def matrix(chapters: List[str], columns: Dict[str, Dict[str, str]],
           what: str) -> None:
    """Print a row for each chapter, a column for each size."""
    print(f"\n{what:<26}" + "".join(f"{size:>9}" for size in columns))
    for chapter in chapters:
        print(f"{chapter:<26}" + "".join(
            f"{column.get(chapter, '-'):>9}" for column in columns.values()))


def main() -> int:
    """Run every chapter at every size, one table for each size."""
    if len(sys.argv) < 4 or sys.argv[1] not in ("gpu", "simulator"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    back_end, sizes, chapters = sys.argv[1], sys.argv[2], sys.argv[3:]
    first = 0
    columns = {}
    for size in sizes.split():
        records = []
        for chapter in chapters:
            status, one = record(back_end, chapter, size)
            if status == 2:  # its message is on stderr, and holds for all
                return 2
            first = first or status
            records.append((chapter, one))
        print(f"\nM = N = K = {size}")
        columns[size] = (gpu_rows if back_end == "gpu" else simulator_rows)(
            records)
    if len(columns) > 1:
        matrix(chapters, columns, "share of cuBLAS" if back_end == "gpu"
               else "sectors + wavefronts")
    return first


if __name__ == "__main__":
    sys.exit(main())
