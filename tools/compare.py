"""Compare the chapters of a ladder, or the variants of a chapter: a row each.

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
from typing import Callable, Dict, List, Optional, Tuple

from tools import counts, course, metrics, terminal

BAR = 10  # columns of the longest bar: a share of 1

Row = Tuple[str, Optional[dict]]  # chapter or variant, its record
Counters = Dict[str, float]


def percent(share: Optional[float]) -> str:
    """Format a share of the library."""
    return f"{100 * share:.1f} %" if share else "-"


def ratio(record: dict) -> Optional[float]:
    """Return the share of the library, if there is one."""
    return record["baseline"]["ratio"] if record["baseline"] else None


def recorded(record: dict) -> Optional[float]:
    """Return that on the H200 of docs/results, if there."""
    alike = [other for other in course.results(record["chapter"])
             if (other["variant"], course.sizes(other)) == (
                 record["variant"], course.sizes(record))]
    return ratio(alike[-1]) if alike else None


def times(rows: List[Row], rate: str, library: str) -> Dict[str, str]:
    """Print times; the bar is the share of the library. Return the shares.

    rate is what the third column shows, TFLOP/s or GB/s.
    """
    cells = [["", "ms", rate, "step", library, "(H200)", ""]]
    before = None
    for name, record in rows:
        if not record or not record["time_ms"]:
            cells.append([name, *["-"] * 5, "failed"])
            continue
        ms = record["time_ms"]["median"]
        done = (record["gflops"] / 1000 if rate == "TFLOP/s"
                else record["gbytes_per_s"])
        share = ratio(record)
        bar = "#" * max(round(BAR * min(share, 1.0)), 1) if share else ""
        cells.append([name, f"{ms:.4g}", f"{done:.2f}",
                      f"{before / ms:.2f}x" if before else "",
                      percent(share), percent(recorded(record)), bar])
        before = ms
    print("\n".join(terminal.lines(cells, remarks=True)))
    return {row[0]: row[4] for row in cells[1:]}


def print_counts(rows: List[Row], head: List[str], of_bar: str,
                 numbers: Callable[[Counters], List[float]],
                 show: Callable[[float], str]) -> Dict[str, str]:
    """Print counts. Return those of the last column.

    numbers returns those of a row, the last of them what its bar shows, of_bar.
    """
    known = {name: numbers(record["counts"]) for name, record in rows
             if record and record["counts"]}
    least = min((last for *_, last in known.values() if last), default=1)
    cells = [["", *head, f"# {of_bar}"]]
    for name, record in rows:
        if name in known:
            *shown, value = known[name]
            bar = 1 + round(2 * math.log2(value / least)) if value else 0
            cells.append([name, *map(show, shown), "#" * bar])
        else:
            cells.append([name, *["-"] * len(head), f"needs {course.CLANG}"
                          if record else "failed"])
    print("\n".join([*terminal.lines(cells, remarks=True),
                     "Two # more are twice as many."]))
    return {row[0]: row[-2] for row in cells[1:]}


# ---- the ladder -------------------------------------------------------------


def for_an_ffma(counted: Counters) -> List[float]:
    """Return what the memory is asked for, for each FFMA of a warp."""
    warp_ffma = counted["ffma"] / 32
    cycles = sum(metrics.l1_cycles_per_ffma(counted) or [])
    return [metrics.total(counted, "global", "sectors") / warp_ffma,
            metrics.total(counted, "shared", "wavefronts") / warp_ffma,
            cycles, cycles]


def for_a_product(counted: Counters) -> List[float]:
    """Return the same for each product of 16 x 16 x 16 by tensor cores, and how
    many instructions of a warp ask for it; by the others where these multiply."""
    products = max(counted["tensor_fma"], counted["ffma"]) / 16**3
    requests = sum(counted.get(f"{name}_requests", 0) for name in (
        "global_load", "shared_load", "shared_matrix",
        "shared_store")) / products
    return [(counted["global_load_sectors"] + counted["bulk_load_sectors"])
            / products,
            metrics.total(counted, "shared", "wavefronts") / products,
            requests, requests]


def ladder(group: str, back_end: str, sizes: List[str],
           programs: Dict[str, str]) -> int:
    """Run every chapter at every size, one table for each size."""
    first = 0
    columns = {}
    names = ["s"] if group == "attention" else ["M", "N", "K"]
    for size in sizes:
        rows: List[Row] = []
        for number, (chapter, program) in enumerate(programs.items(), 1):
            with terminal.telling(f"{chapter}, {number} of {len(programs)}"):
                run = course.run([program, *(
                    word for name in names for word in (f"--{name}", size))])
            if run.status == 2:  # its message holds for all
                sys.stderr.write(run.errors)
                return 2
            first = first or run.status
            good = run.status == 0 and len(run.records) == 1
            rows.append((chapter, run.records[0] if good else None))
        print(f"\n{' = '.join(names)} = {size}")
        if back_end == "gpu":
            columns[size] = times(rows, "TFLOP/s", "cuBLAS")
        elif group != "gemm":
            columns[size] = print_counts(
                rows, ["sectors", "wavefronts", "requests"], "requests", for_a_product,
                lambda value: f"{value:.2f}" if value else "-")
            print("Each for one product of 16 x 16 x 16; wavefronts: of shared "
                  "memory. wgmma and the\ncopy engine take it without a request "
                  "of a warp: - where they take all.")
        else:
            columns[size] = print_counts(
                rows, ["sectors", "wavefronts", "L1 cycles"], "cycles", for_an_ffma,
                lambda value: f"{value:.2f}" if value else "-")
            print("Each for one FFMA instruction of a warp; wavefronts: of "
                  f"shared memory.\nAn SM starts {metrics.FFMA_PER_CYCLE} a "
                  f"cycle: above {1 / metrics.FFMA_PER_CYCLE} cycles the L1 sets "
                  "the pace.")
        sys.stdout.flush()
    if len(columns) > 1:
        what = "share of cuBLAS" if back_end == "gpu" else \
            "requests" if group != "gemm" else \
            "L1 cycles for an FFMA"
        matrix = [[what, *columns]] + [
            [chapter, *(column[chapter] for column in columns.values())]
            for chapter in programs]
        print("\n".join(["", *terminal.lines(matrix)]))
    return first


# ---- the variants of a chapter ----------------------------------------------


def in_all(counted: Counters) -> List[float]:
    """Return what the memory is asked for."""
    sectors = metrics.total(counted, "global", "sectors")
    waves = metrics.total(counted, "shared", "wavefronts")
    return [metrics.total(counted, "global", "requests")
            + metrics.total(counted, "shared", "requests"),
            sectors, waves, counted["barriers"], sectors + waves]


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
        times(rows, "GB/s", library)
    else:
        print_counts(rows, ["requests", "sectors", "wavefronts", "barriers"],
                     "sectors + wavefronts", in_all, counts.show)
        print("Of global and shared memory together: requests; of global "
              "memory: sectors; of\nshared memory: wavefronts.")
    return run.status
