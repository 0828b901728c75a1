"""Runs one suite of tests/suites.mk, or says what came of some.

    python3 -m tests.suite run STAMP COMMAND...   what it says goes to STAMP.log
    python3 -m tests.suite show GROUP STAMP...    one line, skips, what failed
    python3 -m tests.suite total STAMP...         `N passed, N failed`

A stamp is there, as old as the run's begin, if the suite passed. What a group
shows in seconds is processor time. Exit status of total: 0 all passed, 1
something failed or nothing ran; of the others always 0, so that all suites run.
"""

import os
import re
import subprocess
import sys
import time
from typing import List

from tools.course import Tally, text_of

ENDED = "suite: status "  # the last line of a log, and how long it took


class Result(Tally):
    """What some suites did, and what of that a reader wants to see."""

    def __init__(self, *stamps: str) -> None:
        super().__init__()
        self.seconds = 0.0
        self.lines: List[str] = []
        for stamp in stamps:
            text, _, end = text_of(f"{stamp}.log").rpartition(ENDED)
            status, seconds = (end or "1 0").split()
            failed = self.failed
            self.take(text, int(status))
            self.seconds += float(seconds)
            wanted = r"(?!\s*(ok|pass)\b)" if self.failed > failed \
                else r"\s*(skip\b|SKIPPED)"
            self.lines += filter(re.compile(wanted).match, text.splitlines())


def run(stamp: str, *command: str) -> None:
    """Run a suite; leave its stamp if it passed."""
    begin = time.time()
    os.makedirs(os.path.dirname(stamp), exist_ok=True)
    if os.path.exists(stamp):
        os.remove(stamp)
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # not for the makes there
        os.environ.pop(name, None)
    with open(f"{stamp}.log", "w", encoding="utf-8") as file:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                 stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
    with open(f"{stamp}.log", "a", encoding="utf-8") as file:
        file.write(f"\n{ENDED}{status} {used.ru_utime + used.ru_stime:.1f}\n")
    if not Result(stamp).failed:
        with open(stamp, "w", encoding="utf-8"):
            pass
        os.utime(stamp, (begin, begin))


def show(group: str, *stamps: str) -> None:
    """Print what came of a group."""
    began = int(os.environ["began"])
    unchanged = sum(os.path.exists(stamp) and os.path.getmtime(stamp) < began
                    for stamp in stamps)
    note = f", {unchanged} of {len(stamps)} suites unchanged" if unchanged else ""
    result = Result(*stamps)
    print("\n    ".join([
        f"{group:<20}{result.passed:>5} passed {result.failed:>3} failed "
        f"{result.skipped:>3} skipped {result.seconds:>6.1f} s{note}", *result.lines]))


def total(*stamps: str) -> int:
    """Print the last line; return the status."""
    result = Result(*stamps)
    result.close()
    return 1 if result.failed or not result.passed else 0


if __name__ == "__main__":
    sys.exit({"run": run, "show": show, "total": total}[sys.argv[1]](*sys.argv[2:]))
