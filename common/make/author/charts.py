#!/usr/bin/env python3
"""Draw docs/charts/: the share of cuBLAS of every rung, and by size.

Usage: charts.py [--check]

The data come from docs/results/h200.jsonl and go to docs/charts/NAME.dat,
which gnuplot draws as NAME.gp says. A hash of the data is the name of the
drawing, so that --check, which needs no gnuplot, sees when either is stale.

Exit status: 0, 1 if something is stale, 2 without gnuplot.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from typing import List

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import course  # noqa: E402
import lessons  # noqa: E402

FOLDER = "docs/charts/"
SIZES = (256, 512, 1024, 2048, 4096, 8192)


def share(chapter: str, size: int) -> float:
    """Return the recorded percent of cuBLAS; not a number: not recorded."""
    record = course.timed(chapter).get((size, size, size))
    if not record or not record["baseline"]:
        return float("nan")
    return 100 * record["baseline"]["ratio"]


def measured() -> List[str]:
    """Return the rungs that are recorded: a new one waits for make results."""
    return [name for name in lessons.rungs() if course.timed(name)]


def number(chapter: str) -> str:
    """gemm_02_coalesced is 02 in a chart."""
    return course.short(chapter).replace("gemm_", "")


def ladder() -> List[str]:
    """Return a line for each rung: its number, percent of cuBLAS at 4096."""
    lines = ["# rung, percent of cuBLAS at 4096; from " + course.RESULTS]
    return lines + [f'"{number(chapter)}" {share(chapter, 4096):.1f}'
                    for chapter in measured()]


def sizes() -> List[str]:
    """Return a line for each size: percent of cuBLAS of every rung."""
    names = " ".join(f'"{number(c)}"' for c in measured())
    lines = [f'"size" {names}']
    return lines + [f"{size} " + " ".join(f"{share(chapter, size):.1f}"
                                          for chapter in measured())
                    for size in SIZES]


CHARTS = {"ladder": ladder, "sizes": sizes}


def main() -> int:
    """Draw, or check what is drawn."""
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if not check and not shutil.which("gnuplot"):
        print("make charts needs gnuplot (Debian: gnuplot-nox)",
              file=sys.stderr)
        return 2
    status = 0
    for chart, data in CHARTS.items():
        lines, path = data(), FOLDER + chart
        text = "\n".join(lines) + "\n"
        name = f"{chart}_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        if not check:
            with open(path + ".dat", "w", encoding="utf-8") as file:
                file.write(text)
            status |= subprocess.run(["gnuplot", "-e", f"name='{name}'",
                                      path + ".gp"]).returncode
        elif (lessons.read_lines(path + ".dat") != lines or
              name not in "\n".join(lessons.read_lines(path + ".svg"))):
            print(f"{path}.svg is stale; make charts draws it", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    course.script(main)
