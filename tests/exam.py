#!/usr/bin/env python3
"""The answers of solutions/exam.md are what their commands count.

    $ make chapter=gemm_01 run on=simulator args="--M 96 --N 40 --K 50"
    global_load_requests 12,000 = 120 * 2 * 50

A command is typed as it stands there; each line below it names a counter that
it prints, the number, and the arithmetic behind it. Each chapter has a question
in docs/exam.md, and an answer with a number. Prints `N passed, N failed`.
"""

import re
import subprocess
from typing import Dict

from tests.checks import close, expect, read
from tools import course, predict

LINE = re.compile(r"(\w+) ([\d,]+) = (.*)")


def sections(path: str) -> Dict[str, str]:
    """Return the text below each heading of a page."""
    parts = re.split(r"^## (.*)\n", read(path), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def main() -> int:
    """Type every command, compare every number."""
    questions, answers = sections("docs/exam.md"), sections("solutions/exam.md")
    expect("a question for each chapter, in their order",
           list(questions) == course.chapters())
    expect("an answer to each question", list(answers) == list(questions))
    for chapter, text in answers.items():
        output = ""
        lines = re.findall(r"^    (.*)", text, re.M)
        for line in lines:
            if line.startswith("$ "):
                done = subprocess.run(line[2:], shell=True, text=True,
                                      stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
                output = done.stdout
                expect(f"{chapter} {line}", done.returncode == 0, output)
                continue
            name, number, derived = LINE.fullmatch(line).groups()
            found = re.findall(rf"\b{name}:? +([\d,.]+\d|\d)", output)
            expect(f"{chapter} {line}", found[:1] == [number]
                   and predict.arithmetic(derived) == float(
                       number.replace(",", "")), f"counted {found}")
        expect(f"{chapter} has a number", any(map(LINE.fullmatch, lines)))
    return close()


if __name__ == "__main__":
    course.script(main)
