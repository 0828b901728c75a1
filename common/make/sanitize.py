#!/usr/bin/env python3
"""Search a chapter for races and stray accesses.

Usage: sanitize.py gpu|simulator CHAPTER [ARGS...]

On a GPU the four tools of compute-sanitizer (the variable sanitizer names it)
look at the chapter's kernels and at no others: neither at the library's nor at
the verifier's. In the simulator the program's own run is the search. Runs with
the arguments given, or with each line of check.args.

Exit status: 0, that of the first run that failed, or 1 if there is no kernel
to look at.
"""

import os
import shlex
import sys
from typing import List

import course

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SHOWN = 40  # lines of what a failed run says


def judge(tally: course.Tally, tool: str, line: str, run: course.Run) -> None:
    """Count and print one run."""
    if run.status == 0 and run.plain():
        print(f"  skip  {tool:<10} {line}")
        tally.skipped += 1
        return
    tally.add(run.status)
    if run.status == 0:
        print(f"  pass  {tool:<10} {line}")
        return
    print(f"  FAIL  {tool:<10} {line} (status {run.status})", flush=True)
    said = (run.errors + run.output).splitlines()
    print("\n".join(said[:SHOWN]), file=sys.stderr)


def simulate(tally: course.Tally, program: str, line: str) -> None:
    """Run in the simulator, which looks for everything at once."""
    judge(tally, "simulator", line,
          course.run([program, *shlex.split(line)]))


def on_gpu(tally: course.Tally, program: str, line: str,
           kernels: List[str]) -> None:
    """Run under each tool of compute-sanitizer."""
    only = [word for name in kernels
            for word in ("--kernel-regex", f"kns={name}")]
    for tool in TOOLS:
        judge(tally, tool, line, course.run(
            [os.environ["sanitizer"], "--tool", tool, "--error-exitcode", "5",
             *only, program, *shlex.split(line), "--warmup", "0", "--repeats",
             "1"]))


def main() -> int:
    """Search the chapter of the command line."""
    if len(sys.argv) < 3 or sys.argv[1] not in ("gpu", "simulator"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    back_end, chapter, *args = sys.argv[1:]
    lines = [shlex.join(args)] if args else course.check_args(chapter)
    if not lines:
        print(f"sanitize: {chapter} has no check.args; say args=",
              file=sys.stderr)
        return 2
    kernels = course.kernels(course.sources(chapter))
    if not kernels:
        print(f"sanitize: {chapter} has no kernel to look at", file=sys.stderr)
        return 1
    print(f"kernels: {', '.join(kernels)}", flush=True)
    program = os.path.join("build", back_end, chapter)
    tally = course.Tally()
    for line in lines:
        if back_end == "gpu":
            on_gpu(tally, program, line, kernels)
        else:
            simulate(tally, program, line)
        sys.stdout.flush()
    if tally.skipped:
        print("skipped: the search for races and stray accesses needs\n"
              f"  {course.CLANG}")
    tally.close()
    return tally.status


if __name__ == "__main__":
    course.script(main)
