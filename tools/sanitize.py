"""Search a chapter for races and stray accesses.

On a GPU the four tools of compute-sanitizer look at the kernels of the sources
and at no others: neither at the library's nor at the verifier's. In the
simulator the program's own run is the search. The program runs with the
arguments given, or with each line of check.args; one's own runs once. The
chapter's file sanitize.skip says what a tool cannot judge: a kernel, in a line
TOOL KERNEL REASON, or a line of check.args, TOOL "LINE" REASON.
"""

import os
import re
import shlex
import sys
from typing import List, NamedTuple, Set

import course
import machine

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SHOWN = 40  # lines of what a failed run says
LIMIT = 300  # seconds that a run may take on a GPU


class Search(NamedTuple):
    """One run, and who looks at it."""

    tool: str
    line: str
    command: List[str]
    kernels: List[str]  # that are looked at


class Skip(NamedTuple):
    """A kernel, or a line of check.args, that a tool cannot judge, and why."""

    tool: str
    what: str
    reason: str


def read_skips(chapter: str, kernels: List[str]) -> List[Skip]:
    """Return the lines of a chapter's file sanitize.skip."""
    path = os.path.join("chapters", chapter, "sanitize.skip")
    if not chapter or not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        words = [shlex.split(line) for line in file
                 if line.strip() and not line.startswith("#")]
    skips = [Skip(tool, what, " ".join(why)) for tool, what, *why in words]
    known = kernels + course.check_args(chapter)
    for skip in skips:
        if skip.tool not in TOOLS or skip.what not in known:
            sys.exit(f"sanitize: {path}: no tool {skip.tool}, or {skip.what} "
                     "is neither a kernel nor a line of check.args")
    return skips


def launched(run: course.Run) -> Set[str]:
    """Return the names of the kernels that a chapter's records name."""
    return {re.findall(r"\w+", launch["kernel"])[0]  # of "(name<8, true>)", too
            for record in run.records for launch in record["launches"]}


def judge(tally: course.Tally, search: Search, skips: List[Skip],
          run: course.Run) -> None:
    """Count and print one run; on a GPU, where some take long, its seconds."""
    tool, line = search.tool, search.line
    took = "" if tool == "simulator" else f"  # {run.seconds:.1f} s"
    if run.status == 0 and launched(run) and \
            not launched(run) & set(search.kernels):
        # Then the filter of compute-sanitizer let nothing through.
        if any(skip.what in launched(run) for skip in skips):
            print(f"  skip  {tool:<10} {line}")
            tally.skipped += 1
            return
        run = run._replace(status=1, errors="none of the kernels was launched")
    if run.status == 0 and run.plain():
        print(f"  skip  {tool:<10} {line}")
        tally.skipped += 1
        return
    tally.add(run.status)
    if run.status == 0:
        print(f"  pass  {tool:<10} {line}{took}")
        return
    if run.status == 124:  # timeout's
        run = run._replace(errors=f"no end within {LIMIT} s")
    print(f"  FAIL  {tool:<10} {line} (status {run.status})", flush=True)
    said = (run.errors + run.output).splitlines()
    print("\n".join(said[:SHOWN]), file=sys.stderr)


def searches(program: course.Program, variant: str, line: str,
             kernels: List[str], skips: List[Skip]) -> List[Search]:
    """Return the runs of one command line: on a GPU one for each tool."""
    chapter = program.chapter
    command = [program.path,
               *(course.one_of_many(chapter, line, variant) if chapter
                 else shlex.split(line))]
    if program.back_end == "simulator":
        return [Search("simulator", line, command, kernels)]
    if chapter:
        command += ["--repeats", "0"]
    result = []
    for tool in TOOLS:
        seen = [name for name in kernels
                if (tool, name) not in [skip[:2] for skip in skips]]
        only = [word for name in seen
                for word in ("--kernel-regex", f"kns={name}")]
        result.append(Search(tool, line, [
            "timeout", str(LIMIT), machine.cuda_tool("compute-sanitizer"),
            "--tool", tool, "--error-exitcode", "5", *only, *command], seen))
    return result


def sanitize(program: course.Program, args: List[str],
             variant: str = "") -> int:
    """Search a chapter or a program of one's own.

    Return the status of the first run that failed, or 1 if there is no kernel
    to look at.
    """
    chapter, back_end = program.chapter, program.back_end
    if not chapter:
        sources, lines = [program.source], [shlex.join(args)]
    else:
        sources = course.sources(chapter)
        lines = course.check_args(chapter, variant)
        if args:
            lines = [course.of_variant(shlex.join(args), variant)]
    what = chapter or sources[0]
    if not lines:
        machine.fail(f"sanitize: {what} has no check.args; say args=")
    kernels = course.kernels(sources)
    if not kernels:
        sys.exit(f"sanitize: {what} has no kernel to look at")
    print(f"{what}: {', '.join(kernels)}", flush=True)
    skips = read_skips(chapter, kernels) if back_end == "gpu" else []
    tally = course.Tally()
    for skip in skips:
        print(f"  skip  {skip.tool:<10} {skip.what}: {skip.reason}")
        tally.skipped += skip.what in lines
    # What is searched need not be counted: minutes of a program with hundreds of
    # launches.
    os.environ.setdefault("SIM_COUNT", "first")
    every = [search for line in lines
             for search in searches(program, variant, line, kernels, skips)
             if not any(skip[:2] == (search.tool, line) for skip in skips)]
    # A GPU has room for many small runs; one simulator takes all cores.
    number = min(os.cpu_count() or 1, 8) if back_end == "gpu" else 1
    runs = course.together(
        number, lambda search: course.run(search.command, bool(chapter)), every)
    for search, run in zip(every, runs):
        judge(tally, search, skips, run)
        sys.stdout.flush()
    if tally.skipped and back_end == "simulator":
        print("skipped: the search for races and stray accesses needs\n"
              f"  {course.CLANG}")
    tally.close()
    return tally.status
