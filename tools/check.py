#!/usr/bin/env python3
"""Check chapters: run every line of check.args, assert every count.

Usage: check.py gpu|simulator "MORE ARGS" CHAPTER...

The programs are those in build/gpu or build/simulator. A line of check.args,
on a GPU also of check_gpu.args, passes when the program ends with 0 and its
records say that every variant is verified; one of check_refused.args when it
ends with 2 and a reason, in at most a minute. So does the command line of each
block of the file counts, and each number there passes when the simulator counts
exactly that. Prints a table and ends with "N passed, N failed". With
CHECK_FIRST_FAILURE in the environment the first command line that fails is the
last one; unless it is empty, no other command line than its value is run.

Exit status, that of the first failure:
  0  all passed
  1  a wrong result, a CUDA error, or another count than claimed
  2  unusable arguments
  3  this GPU cannot run the chapter
  4  below a gate
  5  a finding of the simulator
"""

import os
import shlex
import subprocess
import sys
from typing import Dict, List, Optional

import counts
import course
import metrics

LONG = 10  # seconds of a run worth saying
MEANING = {
    0: "verified",
    1: "WRONG RESULT OR CUDA ERROR",
    2: "REFUSED",
    3: "THIS GPU CANNOT",
    4: "BELOW A GATE",
    5: "FINDING",
}


def report(status: int, what: str, errors: str, tally: course.Tally,
           took: str = "") -> None:
    """Count one run and print it with the first lines that it says."""
    tally.add(status)
    print(f"  {'FAIL' if status else 'pass'}  {what:<54} "
          f"{MEANING.get(status, f'STATUS {status}')}{took}")
    for text in errors.splitlines()[:8]:
        print(f"        {text}")


def stop_at_failure(line: str, tally: course.Tally) -> None:
    """End behind a command line if it, or one before, has failed."""
    if tally.failed and "CHECK_FIRST_FAILURE" in os.environ:
        print(f"first failure: {line}")
        tally.close()
        sys.exit(tally.status)


def start(program: str, line: str, more: List[str],
          environment: Optional[Dict[str, str]] = None) -> course.Run:
    """Run one command line."""
    chapter = os.path.basename(program)
    words = course.one_of_many(chapter, line)
    run = course.run([program, *words, *more], environment=environment)
    if course.bare(chapter):  # no record: the status says whether it is right
        counted = run.launches[0]["counts"] if run.launches else {}
        run = run._replace(records=[{"verified": True, "counts": counted}])
    return run


def check_refused(program: str, line: str, tally: course.Tally) -> None:
    """Run a command line that asks for too much: the chapter must say so."""
    command = ["timeout", "60", program, *shlex.split(line)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode == 2 and done.stderr.strip():
        tally.add(0)
        print(f"  pass  {line:<54} refused, as it must be")
    else:
        report(1, line, f"status {done.returncode}, not refused (2)\n"
               + done.stderr, tally)


def judge(run: course.Run, line: str, tally: course.Tally) -> course.Run:
    """Count and print a run: it must end with 0 and every variant be right."""
    status, errors = run.status, run.errors
    if status == 0 and not (run.records and all(
            record["verified"] for record in run.records)):
        status, errors = 1, errors + "status 0 without a verified record\n"
    took = f"  # {run.seconds:.0f} s" if run.seconds > LONG else ""
    report(status, line, errors, tally, took)
    return run


def check_counts(program: str, block: counts.Block, more: List[str],
                 tally: course.Tally) -> None:
    """Run one block of the file counts; compare what the simulator counts."""
    run = judge(start(program, block.args, more, block.environment),
                block.args, tally)
    if len(run.records) > 1:
        print("  FAIL  several variants: --variant says whose counts these are")
        tally.add(1)
        return
    counted = run.records[0]["counts"] if run.records else {}
    if run.status == 0 and not counted:
        print(f"  skip  counts need {course.CLANG}")
        tally.skipped += len(block.counts)
        return
    for name, claim in block.counts.items():
        got = counted.get(name)
        # Ratios are stated with the digits that the lesson needs; an estimate
        # goes by the instructions of this clang, others have a few more.
        off = .02 * claim.value if name in metrics.ESTIMATES else 5e-5
        right = got is not None and abs(got - claim.value) < off
        tally.add(0 if right else 1)
        note = "" if right else f"  counted {counts.show(got)}"
        print(f"  {'pass' if right else 'FAIL'}    {name:<34}"
              f"{counts.show(claim.value):>16}{note}")


def check_lines(program: str, more: List[str], lines: List[str],
                refused: List[str], blocks: List[counts.Block],
                tally: course.Tally) -> None:
    """Check command lines, those to refuse, and blocks of counts."""
    # No time is looked at, so a GPU may have several runs at once; one
    # simulator takes all cores.
    on_gpu = program.startswith(os.path.join("build", "gpu"))
    runs = course.together(8 if on_gpu else 1,
                           lambda line: start(program, line, more), lines)
    for line, run in zip(lines, runs):
        judge(run, line, tally)
        stop_at_failure(line, tally)
    for line in refused:
        check_refused(program, line, tally)
        stop_at_failure(line, tally)
    for block in blocks:
        check_counts(program, block, more, tally)
        stop_at_failure(block.args, tally)


def check(back_end: str, more: List[str], chapter: str,
          tally: course.Tally) -> None:
    """Check one chapter."""
    print(chapter, flush=True)
    variant = os.environ.get("variant", "")
    lines = course.check_args(chapter, variant)
    if back_end == "gpu":
        lines += course.check_args(chapter, variant, "check_gpu.args")
    refused = course.check_args(chapter, variant, "check_refused.args")
    blocks = [block for block in counts.read(chapter)
              if course.of_variant(block.args, variant) == block.args]
    only = os.environ.get("CHECK_FIRST_FAILURE")
    if only:
        lines = [line for line in lines if line == only]
        refused = [line for line in refused if line == only]
        blocks = [block for block in blocks if block.args == only]
    if not lines + refused + blocks:
        print("  FAIL  no check.args and no counts: nothing was checked")
        tally.add(1)
    if back_end == "gpu" and blocks:
        print("  counts are asserted in the simulator: on=simulator")
        blocks = []
    program = os.path.join("build", back_end, chapter)
    check_lines(program, more, lines, refused, blocks, tally)


def main() -> int:
    """Check the chapters named on the command line."""
    if len(sys.argv) < 4 or sys.argv[1] not in ("gpu", "simulator"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    tally = course.Tally()
    for chapter in sys.argv[3:]:
        check(sys.argv[1], shlex.split(sys.argv[2]), chapter, tally)
    tally.close()
    return tally.status


if __name__ == "__main__":
    course.script(main)
