#!/usr/bin/env python3
"""Search a chapter for races and stray accesses.

Usage: sanitize.py gpu|simulator CHAPTER [ARGS...]

On a GPU the four tools of compute-sanitizer (the variable sanitizer names it)
look at the kernels of the sources and at no others: neither at the library's
nor at the verifier's. In the simulator the program's own run is the search.
The program (the variable program names it) runs with the arguments given, or
with each line of check.args; one's own (the variable file is its source) runs
once.

Exit status: 0, that of the first run that failed, or 1 if there is no kernel
to look at.
"""

import os
import re
import shlex
import sys
from typing import List, NamedTuple, Set

import course

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SHOWN = 40  # lines of what a failed run says


class Search(NamedTuple):
    """One run, and who looks at it."""

    tool: str
    line: str
    command: List[str]


def launched(run: course.Run) -> Set[str]:
    """Return the names of the kernels that a chapter's records name."""
    return {re.split(r"[<(]", launch["kernel"])[0]
            for record in run.records for launch in record["launches"]}


def judge(tally: course.Tally, search: Search, kernels: List[str],
          run: course.Run) -> None:
    """Count and print one run."""
    tool, line, _ = search
    if run.status == 0 and run.records and not launched(run) & set(kernels):
        # Then the filter of compute-sanitizer let nothing through.
        run = run._replace(status=1, errors="none of the kernels was launched")
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


def searches(back_end: str, line: str, chapter: str,
             kernels: List[str]) -> List[Search]:
    """Return the runs of one command line: on a GPU one for each tool."""
    command = [os.environ["program"], *shlex.split(line)]
    if back_end == "simulator":
        return [Search("simulator", line, command)]
    only = [word for name in kernels
            for word in ("--kernel-regex", f"kns={name}")]
    if chapter:
        command += ["--repeats", "0"]
    return [Search(tool, line, [
        os.environ["sanitizer"], "--tool", tool, "--error-exitcode", "5",
        *only, *command]) for tool in TOOLS]


def main() -> int:
    """Search the chapter or program of the command line."""
    if len(sys.argv) < 3 or sys.argv[1] not in ("gpu", "simulator"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    back_end, chapter, *args = sys.argv[1:]
    if not chapter:
        sources, lines = [os.environ["file"]], [shlex.join(args)]
    else:
        sources = course.sources(chapter)
        variant = os.environ.get("variant", "")
        lines = course.check_args(chapter, variant)
        if args:
            lines = [course.of_variant(shlex.join(args), variant)]
    what = chapter or sources[0]
    if not lines:
        print(f"sanitize: {what} has no check.args; say args=", file=sys.stderr)
        return 2
    kernels = course.kernels(sources)
    if not kernels:
        print(f"sanitize: {what} has no kernel to look at", file=sys.stderr)
        return 1
    print(f"{what}: {', '.join(kernels)}", flush=True)
    # What is searched need not be counted: minutes of a program with hundreds of
    # launches.
    os.environ.setdefault("SIM_COUNT", "first")
    tally = course.Tally()
    every = [search for line in lines
             for search in searches(back_end, line, chapter, kernels)]
    # A GPU has room for many small runs; one simulator takes all cores.
    number = min(os.cpu_count() or 1, 8) if back_end == "gpu" else 1
    runs = course.together(
        number, lambda search: course.run(search.command, bool(chapter)), every)
    for search, run in zip(every, runs):
        judge(tally, search, kernels, run)
        sys.stdout.flush()
    if tally.skipped:
        print("skipped: the search for races and stray accesses needs\n"
              f"  {course.CLANG}")
    tally.close()
    return tally.status


if __name__ == "__main__":
    course.script(main)
