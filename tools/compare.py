"""Compare the gemm chapters, or the variants of a chapter: a row each.

On a GPU: median time, rate, the step from the row before, the share of the
library; of a gemm chapter also the share recorded on an H200. In the
simulator, where there are no times: what the memory is asked for. A row of the
ladder says it for each FFMA instruction of a warp (32 multiply-adds): sectors
of global memory, wavefronts of shared memory, and the cycles that both take of
an SM's L1, which is what the bar shows; a row of a variant, in all. Several
sizes end with a matrix: the shares, or the cycles of the L1. The status is 0, or
that of the first program that failed.
"""

import math
import sys
from typing import Dict, List, Optional, Tuple

import counts
import course
import metrics

BAR = 10  # columns of the longest bar: a share of 1

Row = Tuple[str, Optional[dict]]  # chapter or variant, its record


def bar(share: float) -> str:
    """Return a bar; 1 is full, what is more than that is cut."""
    return "#" * max(round(BAR * min(share, 1.0)), 1)


def doublings(value: float, least: float) -> str:
    """Return a bar that grows by two characters for a factor of two."""
    return "#" * (1 + round(2 * math.log2(value / least))) if value else ""


def percent(share: Optional[float]) -> str:
    """Format a share of the library in 8 columns."""
    return f"{100 * share:>6.1f} %" if share else f"{'-':>8}"


def total(counted: Dict[str, float], space: str, what: str) -> float:
    """Return the sectors or wavefronts of loads, stores and atomics."""
    return sum(counted.get(f"{space}_{op}_{what}", 0)
               for op in ("load", "store", "atomic"))


def failed(name: str, record: Optional[dict]) -> None:
    """Print the row of a program that has nothing to show."""
    why = f"no counts: they need {course.CLANG}" if record else "failed"
    print(f"{name:<26}{why:>30}")


def recorded(record: dict) -> Optional[float]:
    """Return the share of the library on the H200 of docs/results, if there."""
    alike = [one for one in course.results(record["chapter"])
             if (one["variant"], course.sizes(one)) == (record["variant"],
                                                    course.sizes(record))]
    return alike[-1]["baseline"]["ratio"] if (
        alike and alike[-1]["baseline"]) else None


def gpu_rows(rows: List[Row], rate: str, library: str) -> Dict[str, str]:
    """Print times; the bar is the share of the library. Return the shares.

    rate is what the third column shows, TFLOP/s or GB/s.
    """
    print(f"{'':<26}{'ms':>10}{rate:>9}{'step':>7}{library[:7]:>8}{'(H200)':>9}")
    before = None
    shares = {}
    for name, record in rows:
        if not record or not record["time_ms"]:
            failed(name, None)
            continue
        ms = record["time_ms"]["median"]
        done = (record["gflops"] / 1000 if rate == "TFLOP/s"
                else record["gbytes_per_s"])
        step = f"{before / ms:.2f}x" if before else ""
        before = ms
        share = record["baseline"]["ratio"] if record["baseline"] else None
        print(f"{name:<26}{ms:>10.4g}{done:>9.2f}{step:>7}{percent(share)} "
              + percent(recorded(record)) + (f" {bar(share)}" if share else ""))
        shares[name] = percent(share)
    return shares


# ---- the ladder -------------------------------------------------------------


def ladder_counts(rows: List[Row]) -> Dict[str, str]:
    """Print counts for each FFMA instruction. Return the sums."""
    cycles = {}
    for name, record in rows:
        counted = (record or {}).get("counts")
        busy = metrics.l1_cycles_per_ffma(counted or {})
        cycles[name] = busy.total() if busy else 0
    least = min(filter(None, cycles.values()), default=1)
    print(f"{'':<26}{'sectors':>10}{'wavefronts':>12}{'L1 cycles':>11}  "
          "two # more: twice")
    for name, record in rows:
        if not cycles[name]:
            failed(name, record)
            continue
        warp_ffma = record["counts"]["ffma"] / 32
        sectors = total(record["counts"], "global", "sectors") / warp_ffma
        waves = total(record["counts"], "shared", "wavefronts") / warp_ffma
        shown = f"{waves:.2f}" if waves else "-"
        print(f"{name:<26}{sectors:>10.2f}{shown:>12}{cycles[name]:>11.2f}  "
              f"{doublings(cycles[name], least)}")
    print("Each for one FFMA instruction of a warp; wavefronts: of shared memory.\n"
          f"An SM starts {metrics.FFMA_PER_CYCLE} a cycle: above "
          f"{1 / metrics.FFMA_PER_CYCLE} cycles the L1 sets the pace.")
    return {name: f"{value:>8.2f}" for name, value in cycles.items() if value}


def matrix(chapters: List[str], columns: Dict[str, Dict[str, str]],
           what: str) -> None:
    """Print a row for each chapter, a column for each size."""
    print(f"\n{what:<26}" + "".join(f"{size:>9}" for size in columns))
    for chapter in chapters:
        print(f"{chapter:<26}" + "".join(
            f"{column.get(chapter, '-'):>9}" for column in columns.values()))


def ladder(back_end: str, sizes: List[str], programs: Dict[str, str]) -> int:
    """Run every chapter at every size, one table for each size."""
    first = 0
    columns = {}
    for size in sizes:
        rows: List[Row] = []
        for chapter, program in programs.items():
            run = course.run([program, "--M", size, "--N", size, "--K", size])
            if run.status == 2:  # its message holds for all
                sys.stderr.write(run.errors)
                return 2
            first = first or run.status
            good = run.status == 0 and len(run.records) == 1
            rows.append((chapter, run.records[0] if good else None))
        print(f"\nM = N = K = {size}")
        columns[size] = (gpu_rows(rows, "TFLOP/s", "cuBLAS")
                         if back_end == "gpu" else ladder_counts(rows))
        sys.stdout.flush()
    if len(columns) > 1:
        matrix(list(programs), columns, "share of cuBLAS" if back_end == "gpu"
               else "L1 cycles for an FFMA")
    return first


# ---- the variants of a chapter ----------------------------------------------


# What a row shows, and the columns that it takes.
COLUMNS = {"requests": 12, "sectors": 12, "wavefronts": 12, "barriers": 9}


def variant_counts(rows: List[Row]) -> None:
    """Print the counts of each variant; the bar is sectors and wavefronts."""
    cells = {name: (total(record["counts"], "global", "requests")
                    + total(record["counts"], "shared", "requests"),
                    total(record["counts"], "global", "sectors"),
                    total(record["counts"], "shared", "wavefronts"),
                    record["counts"]["barriers"])
             for name, record in rows if record and record["counts"]}
    least = min(filter(None, (sectors + waves for _, sectors, waves, _
                              in cells.values())), default=1)
    print(f"{'':<25}" + "".join(f"{name:>{width}}" for name, width
                                in COLUMNS.items()))
    for name, record in rows:
        if name not in cells:
            failed(name, record)
            continue
        _, sectors, waves, _ = cells[name]
        print(f"{name:<25}" + "".join(
            f"{counts.show(cell):>{width}}"
            for cell, width in zip(cells[name], COLUMNS.values()))
            + f"  {doublings(sectors + waves, least)}"[:10])
    print("Of global and shared memory together: requests; of global memory: "
          "sectors; of\nshared memory: wavefronts. Bars: sectors + wavefronts; "
          "two # more: twice.")


def variants(program: course.Program, args: List[str]) -> int:
    """Run a chapter once, with all its variants."""
    run = course.run([program.path, *args])
    sys.stderr.write(run.errors)
    if not run.records:
        sys.stdout.write(run.output)
        return run.status or 1
    rows: List[Row] = [(record["variant"] or program.chapter, record)
                       for record in run.records]
    print(f"\n{program.chapter}: {course.size_words(run.records[0])}")
    if program.back_end == "gpu":
        library = next((record["baseline"]["name"] for record in run.records
                        if record["baseline"]), "library")
        gpu_rows(rows, "GB/s", library)
    else:
        variant_counts(rows)
    return run.status
