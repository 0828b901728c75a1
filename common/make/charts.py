#!/usr/bin/env python3
"""Draw docs/charts/ladder.svg: the share of cuBLAS of every rung.

Usage: charts.py [--check]

The data come from docs/results/h200.jsonl and go to docs/charts/ladder.dat,
which gnuplot draws as ladder.gp says. A hash of the data is the name of the
drawing, so that --check, which needs no gnuplot, sees when either is stale.

Exit status: 0, 1 if something is stale, 2 without gnuplot.
"""

import hashlib
import shutil
import subprocess
import sys

import lessons

FOLDER = "docs/charts/"
SIZE = (4096, 4096, 4096)


def data() -> str:
    """Return the lines of ladder.dat: rung, percent of cuBLAS."""
    lines = [f"# rung, percent of cuBLAS at 4096; from {lessons.RESULTS}"]
    for chapter in lessons.chapters():
        record = lessons.timed(chapter).get(SIZE)
        if record and record["baseline"]:
            name = lessons.short(chapter).replace("gemm_", "")
            lines.append(f'"{name}" {100 * record["baseline"]["ratio"]:.1f}')
    return "\n".join(lines) + "\n"


def main() -> int:
    """Draw, or check what is drawn."""
    text = data()
    name = "ladder_" + hashlib.sha256(text.encode()).hexdigest()[:12]
    if sys.argv[1:] == ["--check"]:
        drawn = "\n".join(lessons.read_lines(FOLDER + "ladder.svg"))
        if (lessons.read_lines(FOLDER + "ladder.dat") == text.splitlines()
                and name in drawn):
            return 0
        print("docs/charts/ladder.svg is stale; make charts draws it",
              file=sys.stderr)
        return 1
    if sys.argv[1:]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if not shutil.which("gnuplot"):
        print("make charts needs gnuplot (Debian: gnuplot-nox)",
              file=sys.stderr)
        return 2
    with open(FOLDER + "ladder.dat", "w", encoding="utf-8") as file:
        file.write(text)
    return subprocess.run(["gnuplot", "-e", f"name='{name}'",
                           FOLDER + "ladder.gp"]).returncode


if __name__ == "__main__":
    sys.exit(main())
