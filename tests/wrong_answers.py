"""Wrong answers to the exercises: each is graded, and the grade says what its entry says.

Usage: python3 -m tests.wrong_answers [--all | NAME...]      (NAME: of an exercise)

Entries `asks` of tests/changes. Without a name three of them, a count, a race and a deadlock.
What stands behind ! is in a message of the grade, or is a gate, a colon and what was
counted. Ends with `N passed, N failed`.
"""

import os
import sys
import tempfile
from typing import List

from tests.checks import close, expect, read, write
from tools import course, edits
from tools.classroom import grader, tasks

SOME = ("The block is forgotten", "A lane takes neighbours", "The shuffle inside the if")


def told(entry: edits.Change) -> List[str]:
    """Grade a wrong answer; return what is said of it."""
    task = tasks.find("chapter", entry.chapter)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, task.mine)
        os.makedirs(os.path.dirname(path))
        write(path, edits.text_of(entry, read(task.solution)))
        grade = grader.grade_file(task, path, False)
    failed = [one for one in grade.outcomes if one.state == "failed"]
    return [line for one in failed for line in (
        f"{one.gate.text}: {one.note}", *one.message.splitlines())]


def main() -> int:
    """Grade all of them, or some."""
    every, words = [entry for chapter in course.chapters()
                    for entry in edits.entries(chapter, "asks")], sys.argv[1:]
    chosen = [entry for entry in every if words == ["--all"]
              or entry.chapter in words or not words and entry.name in SOME]
    expect("there are such", len(chosen) >= 3)
    os.environ.update(SIM_THREADS="1", GRADE_SECONDS="20")
    expect("what is trusted can be built", grader.build_trusted(
        [tasks.find("chapter", name) for name in
         dict.fromkeys(entry.chapter for entry in chosen)], False))
    for entry, lines in zip(chosen, course.together(2, told, chosen)):
        expect(f"{entry}: asks something", bool(entry.question))
        for words_of in entry.ends:
            expect(f"{entry}: {words_of}",
                   any(words_of in line for line in lines), "\n".join(lines))
    return close()


if __name__ == "__main__":
    course.script(main)
