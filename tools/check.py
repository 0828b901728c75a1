"""Check chapters: run every line of check.args, assert every count.

The programs are those in build/gpu or build/simulator. A line of check.args,
on a GPU also of check_gpu.args, passes when the program ends with 0 and its
records say that every variant is verified; one of check_refused.args when it
ends with 2 and a reason, in at most a minute. So does the command line of each
block of the file counts, and each number there passes when the simulator counts
exactly that. Prints a table and ends with "N passed, N failed".

tests/mutants looks no further: with CHECK_FIRST_FAILURE in the environment the
first command line that fails is the last one; unless it is empty, no other
command line than its value is run.

The status is that of the first failure:
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
from typing import Dict, List, NamedTuple, Optional, Sequence

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


class Checker(NamedTuple):
    """What all command lines of a chapter have in common."""

    back_end: str
    chapter: str
    variant: str
    more: List[str]  # words behind those of the line
    tally: course.Tally

    @property
    def program(self) -> str:
        """The program that is run."""
        return os.path.join("build", self.back_end, self.chapter)

    def start(self, line: str,
              environment: Optional[Dict[str, str]] = None) -> course.Run:
        """Run one command line."""
        words = course.one_of_many(self.chapter, line, self.variant)
        run = course.run([self.program, *words, *self.more],
                         environment=environment)
        if course.bare(self.chapter):  # no record: the status says what is right
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


def check_counts(by: Checker, block: counts.Block) -> None:
    """Run one block of the file counts; compare what the simulator counts."""
    tally = by.tally
    run = judge(by.start(block.args, block.environment), block.args, tally)
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


def check(by: Checker) -> None:
    """Check one chapter."""
    print(by.chapter, flush=True)
    tally, on_gpu = by.tally, by.back_end == "gpu"
    lines = course.check_args(by.chapter, by.variant)
    if on_gpu:
        lines += course.check_args(by.chapter, by.variant, "check_gpu.args")
    refused = course.check_args(by.chapter, by.variant, "check_refused.args")
    blocks = [block for block in counts.read(by.chapter)
              if course.of_variant(block.args, by.variant) == block.args]
    only = os.environ.get("CHECK_FIRST_FAILURE")
    if only:
        lines = [line for line in lines if line == only]
        refused = [line for line in refused if line == only]
        blocks = [block for block in blocks if block.args == only]
    if not lines + refused + blocks:
        print("  FAIL  no check.args and no counts: nothing was checked")
        tally.add(1)
    if on_gpu and blocks:
        print("  counts are asserted in the simulator: on=simulator")
        blocks = []
    # No time is looked at, so a GPU may have several runs at once; one
    # simulator takes all cores.
    for line, run in zip(lines, course.together(8 if on_gpu else 1, by.start,
                                                lines)):
        judge(run, line, tally)
        stop_at_failure(line, tally)
    for line in refused:
        check_refused(by.program, line, tally)
        stop_at_failure(line, tally)
    for block in blocks:
        check_counts(by, block)
        stop_at_failure(block.args, tally)


def check_all(back_end: str, chapters: List[str], variant: str = "",
              more: Sequence[str] = ()) -> int:
    """Check chapters, or a variant; return the status."""
    tally = course.Tally()
    for chapter in chapters:
        check(Checker(back_end, chapter, variant, list(more), tally))
    tally.close()
    return tally.status
