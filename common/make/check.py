#!/usr/bin/env python3
"""Check chapters: run every line of check.args, assert every count.

Usage: check.py gpu|simulator "MORE ARGS" CHAPTER...

The programs are those in build/gpu or build/simulator. A line of check.args
passes when the program ends with 0, and so says that its results are
verified and nothing was found. A number of the file counts passes when the
simulator counts exactly that. Prints a table and ends with
"N passed, N failed".

Exit status, that of the first failure:
  0  all passed
  1  a wrong result, a CUDA error, or another count than claimed
  2  unusable arguments
  3  this GPU cannot run the chapter
  4  below a gate
  5  a finding of the simulator
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from typing import List, Optional, Tuple

import counts

MEANING = {
    0: "verified",
    1: "WRONG RESULT OR CUDA ERROR",
    2: "REFUSED",
    3: "THIS GPU CANNOT",
    4: "BELOW A GATE",
    5: "FINDING",
}


class Tally:
    """What passed, failed and was skipped, and the exit status."""

    def __init__(self) -> None:
        self.passed = self.failed = self.skipped = self.status = 0

    def add(self, status: int) -> None:
        """Note one check that ended with @p status."""
        if status == 0:
            self.passed += 1
        else:
            self.failed += 1
            self.status = self.status or status

    def close(self) -> None:
        """Print the last line."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{skipped}")


def run(program: str, args: List[str]) -> Tuple[int, Optional[dict], str]:
    """Run a program. Return exit status, its JSON record and its stderr."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.json")
        done = subprocess.run(
            [program, *args, "--json", record],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        # A signal is no verdict of the program's: call it wrong.
        status = done.returncode if done.returncode >= 0 else 1
        if not os.path.exists(record):
            return status or 1, None, done.stderr
        with open(record, encoding="utf-8") as file:
            lines = file.read().splitlines()
        return status, json.loads(lines[-1]) if lines else None, done.stderr


def check_line(program: str, line: str, more: List[str], tally: Tally) -> None:
    """Run one line of check.args."""
    status, record, errors = run(program, shlex.split(line) + more)
    if status == 0 and not (record and record["verified"]):
        status, errors = 1, errors + "status 0 without a verified record\n"
    tally.add(status)
    print(f"  {'FAIL' if status else 'pass'}  {line:<54} "
          f"{MEANING.get(status, f'STATUS {status}')}")
    for text in errors.splitlines()[:8]:
        print(f"        {text}")


def check_counts(
    program: str, block: counts.Block, more: List[str], tally: Tally
) -> None:
    """Compare one block of the file counts with what the simulator counts."""
    status, record, errors = run(program, shlex.split(block.args) + more)
    counted = (record or {}).get("counts") or {}
    print(f"  counts for {block.args}")
    if status == 0 and not counted:
        print("  skip  no counters in plain mode: clang adds them (make setup)")
        tally.skipped += len(block.counts)
        return
    for text in errors.splitlines()[:8]:
        print(f"        {text}")
    for name, claim in block.counts.items():
        got = counted.get(name)
        # Ratios are stated with the digits that the lesson needs.
        right = got is not None and abs(got - claim.value) < 5e-5
        tally.add(0 if right else 1)
        note = "" if right else f"  counted {counts.show(got)}"
        print(f"  {'pass' if right else 'FAIL'}  {name:<34}"
              f"{counts.show(claim.value):>16}{note}")


def check(back_end: str, more: List[str], chapter: str, tally: Tally) -> None:
    """Check one chapter."""
    program = os.path.join("build", back_end, chapter)
    print(chapter)
    path = os.path.join("chapters", chapter, "check.args")
    lines: List[str] = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            lines = [text.split("#")[0].strip() for text in file]
    for line in filter(None, lines):
        check_line(program, line, more, tally)
    blocks = counts.read(chapter)
    if not any(lines) and not blocks:
        print("  FAIL  no check.args and no counts: nothing was checked")
        tally.add(1)
    if back_end == "gpu" and blocks:
        print("  counts are asserted in the simulator: on=simulator")
        return
    for block in blocks:
        check_counts(program, block, more, tally)


def main() -> int:
    """Check the chapters named on the command line."""
    if len(sys.argv) < 4 or sys.argv[1] not in ("gpu", "simulator"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    tally = Tally()
    for chapter in sys.argv[3:]:
        check(sys.argv[1], shlex.split(sys.argv[2]), chapter, tally)
    tally.close()
    return tally.status


if __name__ == "__main__":
    sys.exit(main())
