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
from typing import Collection, Dict, List, NamedTuple, Set, Tuple

from tools import checklist, course, machine

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SHOWN = 40  # lines of what a failed run says
LIMIT = 300  # seconds that a run may take on a GPU
GAPS = re.compile(r"--pad \d{7}")  # elements behind each row


class Search(NamedTuple):
    """One run, and who looks at it."""

    tool: str
    line: str
    command: List[str]
    kernels: List[str]  # that are looked at
    order: str = ""  # SIM_ORDER, in the simulator


def read_skips(chapter: str, kernels: List[str]) -> Dict[Tuple[str, str], str]:
    """Return why a chapter skips a tool for a kernel."""
    skips = checklist.skipped(chapter)
    for tool, kernel in skips:
        if tool not in TOOLS or kernel not in kernels:
            sys.exit(f"sanitize: chapters/{chapter}/checks: no tool {tool}, or "
                     f"{kernel} is no kernel of the chapter")
    return skips


def judge(tally: course.Tally, search: Search, run: course.Run,
          skipped: Set[str]) -> None:
    """Count and print one run; on a GPU, where some take long, its seconds."""
    label = f"{search.tool:<12} {search.line}"
    status, output = run.status, run.errors + run.output
    names = {re.findall(r"\w+", launch["kernel"])[0]  # of "(name<8, true>)"
             for record in run.records for launch in record["launches"]}
    # Else the filter of compute-sanitizer let nothing through.
    unseen = names and not names & set(search.kernels)
    if status == 0 and unseen and names & skipped:
        print(f"  skip  {label}")
        tally.skipped += 1
        return
    if status == 0 and unseen:
        status, output = 1, "none of the kernels was launched"
    if status == 0 and run.plain():
        status, output = 1, f"nothing was searched: that needs {course.CLANG}"
    if status == 124:  # timeout's
        output = f"no end within {LIMIT} s"
    tally.add(status)
    if status == 0:
        took = f"  # {run.seconds:.1f} s" * (search.tool in TOOLS)
        print(f"  pass  {label}{took}")
        return
    print(f"  FAIL  {label} (status {status})", flush=True)
    if search.order not in ("", "0", os.environ.get("SIM_ORDER")) and tally.failed == 1:
        output = shortest(search, status) or output
    print("\n".join(output.splitlines()[:SHOWN]), file=sys.stderr)


def shortest(search: Search, status: int) -> str:
    """Return the smallest change of the order that ends so, and what it says."""
    whose = "block", "warp", "lane"
    orders = [f"{who}:{i}" for i in (*range(1, 8), 31) for who in whose]
    orders += [f"{search.order}:{who}s" for who in whose] + [search.order]
    for order in orders:
        run = course.run(search.command, False, {"SIM_ORDER": order})
        if run.status == status:
            rest = ", the others as they come," * order[0].isalpha()
            return f"SIM_ORDER={order}{rest} shows it again:\n{run.errors}{run.output}"
    return ""


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
    sources = course.sources(chapter) if chapter else [program.source]
    kernels = course.kernels(sources)
    if not kernels:
        sys.exit(f"sanitize: {chapter or sources[0]} has no kernel to look at")
    print(f"{chapter or sources[0]}: {', '.join(kernels)}", flush=True)
    lines = lines_of(program, args, variant)
    skips = read_skips(chapter, kernels) if gpu else {}
    for (tool, kernel), why in skips.items():
        print(f"  skip  {tool:<12} {kernel}: {why}")
    # To count hundreds of launches would take minutes.
    os.environ.setdefault("SIM_COUNT", "first")
    searches: List[Search] = []
    orders = (os.environ.get("SIM_ORDER")
              or f"0 1 {random.randrange(2, 1000000)}").split()
    for line in lines:
        command = [program.path, *(checklist.one_of_many(chapter, line, variant)
                                   if chapter else shlex.split(line))]
        if gpu:
            command += ["--repeats", "0"] * bool(chapter)
            searches += on_gpu(command, line, kernels, skips)
        else:
            searches += [Search(f"order {order}", line, command, kernels, order)
                         for order in orders]
    tally = course.Tally()
    run_one = course.run_beside_others if gpu else course.run
    for search, run in zip(searches, course.together(
            course.GPU_RUNS if gpu else 1,
            lambda search: run_one(search.command, bool(chapter),
                                   {"SIM_ORDER": search.order}), searches)):
        judge(tally, search, run, {kernel for _, kernel in skips})
        sys.stdout.flush()
    return tally.close()
