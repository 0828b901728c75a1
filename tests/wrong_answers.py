#!/usr/bin/env python3
"""docs/teaching/wrong_answers.md: each is graded, and that says what the page quotes.

Usage: tests/wrong_answers.py [--all | NAME...]      (NAME: of an exercise)

Without a name three of them, a count, a race and a deadlock. Each line of the page's
block `text` stands in a message of the grade, or is a gate, a colon and what was
counted. Each exercise has three. Ends with `N passed, N failed`.
"""

import os
import re
import sys
import tempfile
from typing import List, Tuple

from checks import close, expect, read, write

import course
import edits
import grader
import tasks

PAGE = "docs/teaching/wrong_answers.md"
ENTRY = re.compile(rf"\*\*(.+)\.\*\*\n\n```diff\n({edits.DIFFERENCE})```\n\n"
                   r"```text\n((?:.+\n)+)```\n\n((?:.+\n)+)")
SOME = ("The block is forgotten", "A lane takes neighbours", "The shuffle inside the if")

Entry = Tuple[tasks.Task, str, str, List[str]]  # task, title, difference, quoted


def entries() -> List[Entry]:
    """Return what the page has; each part of an exercise is read whole."""
    found = []
    for part in read(PAGE).split("\n## ")[1:]:
        name, _, text = part.partition("\n")
        expect(f"{name}: three entries, and nothing else", len(
            ENTRY.findall(text)) == 3 and not ENTRY.sub("", text).strip(),
            ENTRY.sub("", text).strip())
        found += [(tasks.find("chapter", name), title, difference, said.splitlines())
                  for title, difference, said, _ in ENTRY.findall(text)]
    return found


def told(entry: Entry) -> List[str]:
    """Grade a wrong answer; return what is said of it."""
    task, _, difference, _ = entry
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, task.mine)
        os.makedirs(os.path.dirname(path))
        write(path, edits.changed({"": read(task.solution)},
                                  edits.read(difference))[""])
        grade = grader.grade_file(task, path, False)
    failed = [one for one in grade.outcomes if one.state == "failed"]
    return [line for one in failed for line in (
        f"{one.gate.text}: {one.note}", *one.message.splitlines())]


def main() -> int:
    """Grade all of them, or some."""
    every, words = entries(), sys.argv[1:]
    names = list(dict.fromkeys(task.name for task, *_ in every))
    expect("each exercise in the course's order", names == [
        task.name for task in tasks.all_tasks() if task.page.endswith("/exercise.md")])
    chosen = [entry for entry in every if words == ["--all"]
              or entry[0].name in words or not words and entry[1] in SOME]
    expect("there are such", len(chosen) >= 3)
    os.environ.update(SIM_THREADS="1", GRADE_SECONDS="20")
    expect("what is trusted can be built", grader.build_trusted(
        list({task.name: task for task, *_ in chosen}.values()), False))
    for entry, lines in zip(chosen, course.together(2, told, chosen)):
        for words_of in entry[3]:
            expect(f"{entry[0].name}, {entry[1]}: {words_of}",
                   any(words_of in line for line in lines), "\n".join(lines))
    return close()


if __name__ == "__main__":
    course.script(main)
