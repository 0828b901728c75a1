"""Check chapters: run every command line of their files checks, assert every count.

The programs are those in build/gpu or build/simulator. One of the sizes, on a GPU
also of the sizes for a GPU, passes when the program ends with 0 and its records
say that every variant is verified (it is skipped if there is too little memory);
one to be refused when it ends with 2 and a reason, in at most a minute. So does
the command line of each column of counts, and each number there passes when the
simulator counts exactly that. Prints a table and ends with "N passed, N failed".

tests/changed.py looks no further: with CHECK_FIRST_FAILURE in the environment the
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
from typing import Callable, List, NamedTuple, Optional, Sequence

from tools import checklist, counts, course, metrics

LONG = 10  # seconds of a run worth saying
MEANING = ["verified", "WRONG RESULT OR CUDA ERROR", "REFUSED",
           "THIS GPU CANNOT", "BELOW A GATE", "FINDING"]


class Item(NamedTuple):
    """A command line, and who says whether its run is right."""

    line: str
    judge: Callable[["Item", course.Run, course.Tally], None]
    block: Optional[checklist.Block] = None


def report(status: int, line: str, meaning: str, errors: str,
           tally: course.Tally) -> None:
    """Count one run and print it with the first lines that it says."""
    tally.add(status)
    print(f"  {'FAIL' if status else 'pass'}  {line:<54} {meaning}")
    for text in errors.splitlines()[:8]:
        print(f"        {text}")


def judge(item: Item, run: course.Run, tally: course.Tally) -> None:
    """It must end with 0, and every variant be right."""
    status, errors = run.status, run.errors
    if status == 2 and errors.startswith("this size needs"):
        print(f"  skip  {item.line:<54} {errors.strip()}")
        tally.skipped += 1
        return
    if status == 0 and not (run.records and all(
            record["verified"] for record in run.records)):
        status, errors = 1, errors + "status 0 without a verified record\n"
    meaning = MEANING[status] if status < len(MEANING) else f"STATUS {status}"
    took = f"  # {run.seconds:.0f} s" if run.seconds > LONG else ""
    report(status, item.line, meaning + took, errors, tally)


def judge_refused(item: Item, run: course.Run, tally: course.Tally) -> None:
    """It asks for too much: the chapter must say so."""
    if run.status == 2 and run.errors.strip():
        report(0, item.line, "refused, as it must be", "", tally)
    else:
        report(1, item.line, MEANING[1],
               f"status {run.status}, not refused (2)\n{run.errors}", tally)


def judge_counts(item: Item, run: course.Run, tally: course.Tally) -> None:
    """As any other, and the simulator counts what the block claims."""
    judge(item, run, tally)
    if len(run.records) > 1:
        print("  FAIL  several variants: --variant says whose counts these are")
        tally.add(1)
        return
    counted = run.records[0]["counts"] if run.records else {}
    for name, claim in item.block.counts.items():
        got = counted.get(name)
        # Ratios are stated with the digits that the lesson needs; an estimate
        # goes by the instructions of this clang, others have a few more.
        off = .02 * claim.value if name in metrics.ESTIMATES else 5e-5
        right = got is not None and abs(got - claim.value) < off
        tally.add(0 if right else 1)
        note = "" if right else f"  counted {counts.show(got)}"
        print(f"  {'pass' if right else 'FAIL'}    {name:<34}"
              f"{counts.show(claim.value):>16}{note}")


def check(back_end: str, chapter: str, variant: str, more: Sequence[str],
          tally: course.Tally) -> None:
    """Check one chapter."""
    on_gpu = back_end == "gpu"
    items = [Item(line, judge_refused if name == "refused" else judge)
             for name in ["sizes"] + ["sizes for a GPU"] * on_gpu + ["refused"]
             for line in checklist.sizes(chapter, name, variant)]
    items += [Item(block.args, judge_counts, block)
              for block in checklist.counts(chapter)
              if checklist.of_variant(block.args, variant) == block.args]
    only = os.environ.get("CHECK_FIRST_FAILURE")
    items = [item for item in items if only in (None, "", item.line)]
    print(chapter, flush=True)
    if not items:
        print(f"  FAIL  no line of chapters/{chapter}/checks is {only}" if only else
              "  FAIL  no sizes and no counts: nothing was checked")
        tally.add(1)
    if on_gpu and any(item.block for item in items):
        print("  counts are asserted in the simulator: on=simulator")
        items = [item for item in items if not item.block]
    program = f"build/{back_end}/{chapter}"

    def start(item: Item) -> course.Run:
        if item.judge is judge_refused:
            return course.run(["timeout", "60", program,
                               *shlex.split(item.line)], record=False)
        # The launches that are timed are checked, too; two samples are enough.
        words = ["--repeats", "2"] * (on_gpu and not course.bare(chapter)) + \
            checklist.one_of_many(chapter, item.line, variant)
        run_one = course.run_beside_others if on_gpu else course.run
        run = run_one([program, *words, *more],
                      environment=item.block and item.block.environment)
        if course.bare(chapter):  # no record: the status says what is right
            counted = run.launches[0]["counts"] if run.launches else {}
            run = run._replace(records=[{"verified": True, "counts": counted}])
        return run

    # No time is looked at: a GPU may have several runs at once.
    runs = course.together(course.GPU_RUNS if on_gpu else 1, start, items)
    for item, run in zip(items, runs):
        item.judge(item, run, tally)
        if tally.failed and only is not None:
            print(f"first failure: {item.line}")
            return


def check_all(back_end: str, chapters: List[str], variant: str = "",
              more: Sequence[str] = ()) -> int:
    """Check chapters, or a variant; return the status."""
    tally = course.Tally()
    for chapter in chapters:
        check(back_end, chapter, variant, more, tally)
    tally.close()
    return tally.status
