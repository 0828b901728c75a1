"""Runs one suite of tests/suites.mk, or says what came of some.

    tests/suite.py run STAMP COMMAND...   what it says goes to STAMP.log
    tests/suite.py show GROUP STAMP...    one line, skips, what failed
    tests/suite.py total STAMP...         `N passed, N failed`

A stamp is there, as old as the run's begin, if the suite passed. What a group
shows in seconds is processor time. Exit status of total: 0 all passed, 1
something failed or nothing ran; of the others always 0, so that all suites run.
"""

import os
import re
import subprocess
import sys
import time
from typing import List, NamedTuple

# The last line of a suite, ours or pytest's: 3 passed, 0 failed, 1 skipped
SUMMARY = re.compile(r"(\d+) (passed|failed|skipped|error)")
ENDED = "suite: status "


class Result(NamedTuple):
    """What one suite did."""

    passed: int
    failed: int
    skipped: int
    seconds: float


def count(text: str, status: int) -> List[int]:
    """Return how many passed, failed, were skipped: by the last line, or TAP."""
    last = [line for line in text.splitlines()
            if re.match(r"=* ?\d+ (passed|failed|skipped|error)", line)][-1:]
    if last:
        by_word = {word: int(number) for number, word in SUMMARY.findall(last[0])}
        passed, skipped = (by_word.get(word, 0) for word in ("passed", "skipped"))
        failed = by_word.get("failed", 0) + by_word.get("error", 0)
    else:
        skipped = len(re.findall(r"^ok .*# skip", text, re.M | re.I))
        passed = len(re.findall(r"^ok ", text, re.M)) - skipped
        failed = len(re.findall(r"^not ok ", text, re.M))
        plan = re.search(r"^1\.\.(\d+)", text, re.M)
        if plan:  # a runner that broke off
            failed += max(int(plan[1]) - passed - failed - skipped, 0)
    # No output, or a bad end without a failure, is a failure, too.
    if (status and not failed) or not passed + failed + skipped:
        failed += 1
    return [passed, failed, skipped]


def run(stamp: str, *command: str) -> None:
    """Run a suite; leave its stamp if it passed."""
    begin = time.time()
    os.makedirs(os.path.dirname(stamp), exist_ok=True)
    if os.path.exists(stamp):
        os.remove(stamp)
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # not for the makes there
        os.environ.pop(name, None)
    with open(f"{stamp}.log", "w+", encoding="utf-8", errors="replace") as file:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                 stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        file.seek(0)
        failed = count(file.read(), status)[1]
        file.write(f"\n{ENDED}{status}, {used.ru_utime + used.ru_stime:.1f} s\n")
    if not failed:
        with open(stamp, "w", encoding="utf-8"):
            pass
        os.utime(stamp, (begin, begin))


def log(stamp: str) -> str:
    """Return what a suite said."""
    try:
        with open(f"{stamp}.log", encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        return str(error)


def result(stamp: str) -> Result:
    """Return what a suite did."""
    text, _, end = log(stamp).rpartition(ENDED)
    status, seconds = end.split(", ") if text else ("1", "0 s")
    return Result(*count(text or end, int(status)), float(seconds.split()[0]))


def shown(stamp: str) -> List[str]:
    """Return the lines of a log that a reader wants: of failures, or of skips."""
    lines = log(stamp).rpartition(ENDED)[0].splitlines()
    if result(stamp).failed:
        return [line for line in lines if not re.match(r"\s*(ok|pass)\b", line)]
    return [line.strip() for line in lines if re.search(
        r"# skip|^\s*skip\b|^SKIPPED", line)]


def show(group: str, *stamps: str) -> None:
    """Print what came of a group."""
    began = int(os.environ["began"])
    unchanged = sum(os.path.exists(stamp) and os.path.getmtime(stamp) < began
                    for stamp in stamps)
    note = "" if not unchanged else ", unchanged" if unchanged == len(
        stamps) else f", {unchanged} of {len(stamps)} suites unchanged"
    sums = map(sum, zip(*map(result, stamps)))
    print("\n    ".join([
        "{:<20}{:>5} passed {:>3} failed {:>3} skipped {:>6.1f} s".format(
            group, *sums) + note,
        *(line for stamp in stamps for line in shown(stamp))]))


def total(*stamps: str) -> int:
    """Print the last line; return the status."""
    passed, failed, skipped, _ = map(sum, zip(*map(result, stamps)))
    print(f"{passed} passed, {failed} failed"
          + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


def main() -> int:
    """Do what the first word says with the others."""
    word, *words = sys.argv[1:]
    return {"run": run, "show": show, "total": total}[word](*words) or 0


if __name__ == "__main__":
    sys.exit(main())
