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
from typing import Dict, List, NamedTuple, Set, Tuple

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
    what = f"{search.tool:<12} {search.line}"
    status, said = run.status, run.errors + run.output
    names = {re.findall(r"\w+", launch["kernel"])[0]  # of "(name<8, true>)"
             for record in run.records for launch in record["launches"]}
    # Else the filter of compute-sanitizer let nothing through.
    unseen = names and not names & set(search.kernels)
    if status == 0 and (run.plain() or unseen and names & skipped):
        print(f"  skip  {what}")
        tally.skipped += 1
        return
    if status == 0 and unseen:
        status, said = 1, "none of the kernels was launched"
    if status == 124:  # timeout's
        said = f"no end within {LIMIT} s"
    tally.add(status)
    if status == 0:
        took = f"  # {run.seconds:.1f} s" * (search.tool in TOOLS)
        print(f"  pass  {what}{took}")
        return
    print(f"  FAIL  {what} (status {status})", flush=True)
    if search.order not in ("", "0", os.environ.get("SIM_ORDER")) and tally.failed == 1:
        said = shortest(search, status) or said
    print("\n".join(said.splitlines()[:SHOWN]), file=sys.stderr)


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


def sanitize(program: course.Program, args: List[str],
             variant: str = "") -> int:
    """Search a chapter or a program of one's own.

    Return the status of the first run that failed, or 1 without a kernel.
    """
    chapter, on_gpu = program.chapter, program.back_end == "gpu"
    line = shlex.join(args)
    if chapter:
        lines = [checklist.of_variant(line, variant)] if args else \
            checklist.sizes(chapter, variant=variant)
        sources = course.sources(chapter)
    else:
        sources, lines = [program.source], [line]
    what = chapter or sources[0]
    if not lines:
        machine.fail(f"sanitize: {what} has no sizes in its checks; say args=")
    kernels = course.kernels(sources)
    if not kernels:
        sys.exit(f"sanitize: {what} has no kernel to look at")
    print(f"{what}: {', '.join(kernels)}", flush=True)
    if on_gpu and not args and any(map(GAPS.search, lines)):
        print("  skip  rows far apart (--pad): memcheck finds nothing in the "
              "gaps, initcheck takes minutes")
        lines = [line for line in lines if not GAPS.search(line)]
    skips = read_skips(chapter, kernels) if on_gpu else {}
    for (tool, kernel), why in skips.items():
        print(f"  skip  {tool:<12} {kernel}: {why}")
    # To count hundreds of launches would take minutes.
    os.environ.setdefault("SIM_COUNT", "first")
    every = []
    orders = (os.environ.get("SIM_ORDER")
              or f"0 1 {random.randrange(2, 1000000)}").split()
    for line in lines:
        words = [program.path, *(checklist.one_of_many(chapter, line, variant)
                                 if chapter else shlex.split(line))]
        if not on_gpu:
            every += [Search(f"order {order}", line, words, kernels, order)
                      for order in orders]
            continue
        words += ["--repeats", "0"] * bool(chapter)
        for tool in TOOLS:
            seen = [name for name in kernels if (tool, name) not in skips]
            only = [word for name in seen
                    for word in ("--kernel-regex", f"kns={name}")]
            every.append(Search(tool, line, [
                "timeout", str(LIMIT), machine.cuda_tool("compute-sanitizer"),
                "--tool", tool, "--error-exitcode", "5", *only, *words], seen))
    tally = course.Tally()
    one = course.run_beside_others if on_gpu else course.run
    for search, run in zip(every, course.together(
            course.GPU_RUNS if on_gpu else 1,
            lambda search: one(search.command, bool(chapter),
                               {"SIM_ORDER": search.order}), every)):
        judge(tally, search, run, {kernel for _, kernel in skips})
        sys.stdout.flush()
    if tally.skipped and not on_gpu:
        print("skipped: the search for races and stray accesses needs\n"
              f"  {course.CLANG}")
    return tally.close()
