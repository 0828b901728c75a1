#!/usr/bin/env python3
"""The answers of solutions/exam.md are what their commands count.

    $ make chapter=gemm_01 run on=simulator args="--M 96 --N 40 --K 50"
    global_load_requests 12,000 = 120 * 2 * 50

A command is typed as it stands there; each line below it names a counter that
it prints, the number, and the arithmetic behind it. Each chapter has a question
in docs/exam.md, and an answer with a number. Prints `N passed, N failed`.
"""

import os
import re
import subprocess
import sys
from typing import Dict

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, "tools")

import course  # noqa: E402
import predict  # noqa: E402


def sections(path: str) -> Dict[str, str]:
    """Return the text below each heading of a page."""
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^## (.*)\n", file.read(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def main() -> int:
    """Type every command, compare every number."""
    tally = course.Tally()

    def expect(what: str, good: bool, detail: str = "") -> None:
        tally.add(0 if good else 1)
        print(f"  {'pass' if good else 'FAIL'}  {what}"
              + (f": {detail}" if not good else ""), flush=True)

    questions, answers = sections("docs/exam.md"), sections("solutions/exam.md")
    expect("a question for each chapter, in their order",
           list(questions) == course.chapters())
    expect("an answer to each question", list(answers) == list(questions))
    course.forget_make()
    for chapter, text in answers.items():
        output, numbers = "", 0
        for line in re.findall(r"^    (.*)", text, re.M):
            if line.startswith("$ "):
                done = subprocess.run(line[2:], shell=True, text=True,
                                      stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)
                output = done.stdout
                expect(f"{chapter} {line}", done.returncode == 0, output)
                continue
            name, number, derived = re.fullmatch(
                r"(\w+) ([\d,]+) = (.*)", line).groups()
            found = re.search(rf"\b{name}:? +([\d,.]+\d|\d)", output)
            counted = found.group(1) if found else "nothing"
            expect(f"{chapter} {line}", counted == number
                   and predict.arithmetic(derived) == float(
                       number.replace(",", "")), f"counted {counted}")
            numbers += 1
        expect(f"{chapter} has a number", numbers > 0)
    tally.close()
    return tally.status


if __name__ == "__main__":
    course.script(main)
