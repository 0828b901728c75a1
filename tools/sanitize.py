"""Search a chapter for races and stray accesses.

On a GPU the four tools of compute-sanitizer look at the sources' kernels alone.
In the simulator each run is a search, in three orders of blocks, warps and
lanes, since CUDA promises none: as they come, the last first, and one by
chance, or that of SIM_ORDER alone; the least that must change is shown. It runs
with the arguments given, or each size of its checks, on a GPU less those whose
rows lie megabytes apart, and less what the checks have skipped.
"""

import os
import random
import re
import shlex
import sys
from typing import (Collection, Dict, List, NamedTuple, Optional, Sequence, Set,
                    Tuple)

from tools import checklist, course, machine

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SHOWN = 40  # lines of what a failed run says
LIMIT = 300  # seconds that a run may take on a GPU
# a.cu:7:13: shared-race: write of tile[64]
FINDING = re.compile(r"^(\S.*?:\d+)(?::\d+)?: ([a-z-]+): .*(?:\n .*)*\n?", re.M)
GAPS = re.compile(r"--pad \d{7}")  # elements behind each row


class Search(NamedTuple):
    """A command line, and who looks at its runs."""

    tool: str  # "": the simulator
    line: str
    command: List[str]
    kernels: List[str]  # that are looked at
    orders: Sequence[str] = ("",)  # SIM_ORDER of each run


def read_skips(chapter: str, kernels: List[str]) -> Dict[Tuple[str, str], str]:
    """Return why a chapter skips a tool for a kernel."""
    skips = checklist.skipped(chapter)
    for tool, kernel in skips:
        if tool not in TOOLS or kernel not in kernels:
            sys.exit(f"sanitize: chapters/{chapter}/checks: no tool {tool}, or "
                     f"{kernel} is no kernel of the chapter")
    return skips


def verdict(search: Search, run: course.Run,
            skipped: Set[str]) -> Tuple[Optional[int], str]:
    """Return the status of a run, None if it is left out, and what it says."""
    names = {re.findall(r"\w+", launch["kernel"])[0]  # of "(name<8, true>)"
             for record in run.records for launch in record["launches"]}
    if run.status == 0 and names and not names & set(search.kernels):
        # Else the filter of compute-sanitizer let nothing through.
        return None if names & skipped else 1, "none of the kernels was launched"
    if run.status == 0 and run.plain():
        return 1, f"nothing was searched: that needs {course.CLANG}"
    return run.status, f"no end within {LIMIT} s" if run.status == 124 \
        else run.errors + run.output  # 124: timeout's


def parts(search: Search, status: int, output: str) -> Dict[tuple, str]:
    """Return what a run says that failed: each finding by its line and kind, and
    the rest, where more is wrong than they say."""
    found: Dict[tuple, str] = {}
    for match in FINDING.finditer(output):
        found.setdefault(match.groups(), match[0].rstrip())
    if status and (status != 5 or not found):
        rest = FINDING.sub("", output).splitlines()[:SHOWN]
        # Beside a finding it is most likely what comes of it, at whatever size.
        found[search.tool, "" if found else search.line, status] = "\n".join(
            rest or [f"it ends with status {status} and says nothing"])
    return found


def judge(tally: course.Tally, search: Search, ends: List[Tuple[Optional[int], str]],
          took: str, told: Set[tuple]) -> None:
    """Count and print a command line, and what is not told already, of it or another."""
    label = f"{search.tool:<12} {search.line}" if search.tool else \
        search.line or "without arguments"
    at = next((i for i, (status, _) in enumerate(ends) if status != 0), 0)
    status = ends[at][0]
    said = [parts(search, *end) for end in ends]
    new = {key for part in said for key in part} - told
    if status:
        tally.add(status)
        print(f"  FAIL  {label}" + "  # as above" * (not new), flush=True)
        if at and new & set(said[at]):
            said[at] = shortest(search, at, status) or said[at]
    else:  # there may be notes
        print(f"  skip  {label}" if status is None else f"  pass  {label}{took}",
              flush=True)
        tally.skipped += status is None
        tally.passed += status == 0
    keys = dict.fromkeys(key for part in said for key in part if key not in told)
    for key in sorted(keys, key=len):  # findings first
        first, *others = [part[key] for part in said if key in part]
        print(first, file=sys.stderr)
        if others and len(key) == 2:  # a finding
            orders = f"{len(others)} other order{'s' * (len(others) > 1)}"
            print(f"    also in {orders} of blocks and threads", file=sys.stderr)
    told.update(keys)


def shortest(search: Search, at: int, status: int) -> Dict[tuple, str]:
    """Look for the smallest change of the order that ends so; name it, and return
    what is said then."""
    whose = "block", "warp", "lane"
    orders = [f"{who}:{i}" for i in (*range(1, 8), 31) for who in whose]
    orders += [f"{search.orders[at]}:{who}s" for who in whose] + [search.orders[at]]
    for order in orders:
        run = course.run(search.command, False, {"SIM_ORDER": order})
        if run.status == status:
            rest = ", the others as they come," * order[0].isalpha()
            print(f"SIM_ORDER={order}{rest} shows it again:", file=sys.stderr)
            return parts(search, status, run.errors + run.output)
    return {}


def lines_of(program: course.Program, args: List[str],
             variant: str) -> List[str]:
    """Return the command lines to run: what was typed, or the chapter's sizes,
    on a GPU less those whose rows lie far apart."""
    line, chapter = shlex.join(args), program.chapter
    if not chapter:
        return [line]
    if args:
        return [checklist.of_variant(line, variant)]
    lines = checklist.sizes(chapter, variant=variant)
    if not lines:
        machine.fail(f"sanitize: {chapter} has no sizes in its checks; say args=")
    if program.back_end == "gpu" and any(map(GAPS.search, lines)):
        print("  skip  rows far apart (--pad): memcheck finds nothing in the "
              "gaps, initcheck takes minutes")
        lines = [line for line in lines if not GAPS.search(line)]
    return lines


def on_gpu(command: List[str], line: str, kernels: List[str],
           skips: Collection[Tuple[str, str]]) -> List[Search]:
    """Return the searches of a command line by compute-sanitizer's tools."""
    searches = []
    for tool in TOOLS:
        seen = [name for name in kernels if (tool, name) not in skips]
        only = [word for name in seen
                for word in ("--kernel-regex", f"kns={name}")]
        searches.append(Search(tool, line, [
            "timeout", str(LIMIT), machine.cuda_tool("compute-sanitizer"),
            "--tool", tool, "--error-exitcode", "5", *only, *command], seen))
    return searches


def sanitize(program: course.Program, args: List[str],
             variant: str = "") -> int:
    """Search a chapter or a program of one's own.

    Return the status of the first run that failed, or 1 without a kernel.
    """
    chapter, gpu = program.chapter, program.back_end == "gpu"
    kernels, name = program.kernels(), chapter or program.source
    if not kernels:
        sys.exit(f"sanitize: {name} has no kernel to look at")
    print(f"{name}: {', '.join(kernels)}", flush=True)
    lines = lines_of(program, args, variant)
    skips = read_skips(chapter, kernels) if gpu else {}
    for (tool, kernel), why in skips.items():
        print(f"  skip  {tool:<12} {kernel}: {why}")
    # To count hundreds of launches would take minutes.
    os.environ.setdefault("SIM_COUNT", "first")
    os.environ.setdefault("SIM_COVERAGE", "1")
    orders = [""] if gpu else (os.environ.get("SIM_ORDER")
                               or f"0 1 {random.randrange(2, 1000000)}").split()
    if len(orders) > 1:
        print(f"each run in {len(orders)} orders of blocks and threads: CUDA promises "
              "none")
    searches: List[Search] = []
    for line in lines:
        command = [program.path, *(checklist.one_of_many(chapter, line, variant)
                                   if chapter else shlex.split(line))]
        if gpu:
            command += ["--repeats", "0"] * bool(chapter)
            searches += on_gpu(command, line, kernels, skips)
        else:
            searches.append(Search("", line, command, kernels, orders))
    run_one = course.run_beside_others if gpu else course.run
    tally, told, skipped = course.Tally(), set(), {kernel for _, kernel in skips}
    for search, runs in zip(searches, course.together(
            course.GPU_RUNS if gpu else 1, lambda search: [
                run_one(search.command, bool(chapter), {"SIM_ORDER": order})
                for order in search.orders], searches)):
        # On a GPU some take long.
        judge(tally, search, [verdict(search, run, skipped) for run in runs],
              f"  # {runs[0].seconds:.1f} s" * gpu, told)
        sys.stdout.flush()
    return tally.close()
