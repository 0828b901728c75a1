#!/usr/bin/env python3
"""The checks ask what the lessons ask under [predict], and every derivation is right.

For each chapter: the questions are the empty cells of the lesson's Predict
table, in its words and order; each derivation, worked out, is the number that
the simulator counts. Prints `N passed, N failed`.
"""

import re
import sys
from typing import Dict, List

from tests.checks import close, expect, read
from tools import counts, course, predict


def asked(chapter: str) -> List[str]:
    """Return what the lesson's Predict table leaves open.

    A row is named by its first cell; where several columns have open cells, a
    cell is named by the head of its column, too.
    """
    section = re.search(r"^## Predict\n(.*?)^(?:<details>|## )",
                        read(f"chapters/{chapter}/README.md"), re.M | re.S)
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")]
                      for line in re.findall(r"^\|.*", section[1], re.M)]
    empty = [(row[0], i) for row in rows
             for i, cell in enumerate(row) if cell in ("", "?")]
    several = len({i for _, i in empty}) > 1
    return [name + f": {head[i]}" * several for name, i in empty]


def main() -> int:
    """Test every chapter, or those that are named."""
    for chapter in sys.argv[1:] or course.chapters():
        questions, table = predict.read(chapter), asked(chapter)
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
    return close()


if __name__ == "__main__":
    course.script(main)
