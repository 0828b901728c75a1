#!/usr/bin/env python3
"""The files predict ask what the lessons ask, and every derivation is right.

For each chapter: the questions are the empty cells of the lesson's Predict
table, in its words and order; each derivation, worked out, is the number that
the simulator counts. Prints `N passed, N failed`.
"""

import os
import re
import sys
from typing import Dict, List

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, "tools")

import counts  # noqa: E402
import course  # noqa: E402
import predict  # noqa: E402


def cells(line: str) -> List[str]:
    """Return the cells of a line of a table, without its marks."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def asked(chapter: str) -> List[str]:
    """Return what the lesson's Predict table leaves open.

    A row is named by its first cell; where several columns have open cells, a
    cell is named by the head of its column, too.
    """
    with open(f"chapters/{chapter}/README.md", encoding="utf-8") as file:
        section = re.search(r"^## Predict\n(.*?)^(?:<details>|## )", file.read(),
                            re.M | re.S)
    rows = [cells(line) for line in section.group(1).splitlines()
            if line.startswith("|")] if section else []
    empty = [(row[0], i) for row in rows[2:]
             for i, cell in enumerate(row) if cell in ("", "?")]
    several = len({i for _, i in empty}) > 1
    return [name + (f": {rows[0][i]}" if several else "") for name, i in empty]


def main() -> int:
    """Test every chapter, or those that are named."""
    tally = course.Tally()

    def expect(what: str, good: bool, detail: str = "") -> None:
        tally.add(0 if good else 1)
        print(f"  {'pass' if good else 'FAIL'}  {what}"
              + (f": {detail}" if not good else ""), flush=True)

    for chapter in sys.argv[1:] or course.recorded():
        questions = predict.read(chapter)
        table = asked(chapter)
        expect(f"{chapter} asks what its lesson asks",
               bool(table) and [q.text for q in questions] == table,
               f"lesson {table}, file {[q.text for q in questions]}")
        known: Dict[str, Dict[str, object]] = {}
        for question in questions:
            if question.args not in known:
                known[question.args] = predict.names(
                    f"build/simulator/{chapter}", question.args)
            value = predict.count(question, known[question.args])
            derived = predict.arithmetic(question.derived)
            expect(f"{chapter} {question.text}",
                   abs(derived - value) <= 1e-9 * abs(value),
                   f"{question.derived} is {counts.show(derived)}, "
                   f"counted {counts.show(value)}")
    tally.close()
    return tally.status


if __name__ == "__main__":
    course.script(main)
