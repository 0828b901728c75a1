"""What came of a grade, for people and for machines.

table() is what a learner reads, gradescope() is Gradescope's results.json, and
junit() what most other hosts of courses and of tests read.
"""

import json
import os
import re
from typing import List, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import tasks

NOT_BUILT = "not built"  # note of the gates of a file that cannot be
FINDINGS_FIRST = "not counted: its findings come first"


class Outcome(NamedTuple):
    """What came of one gate."""

    gate: tasks.Gate
    state: str  # passed, failed, skipped
    note: str  # what was counted
    message: str = ""  # why it failed, a few lines


class Grade(NamedTuple):
    """All of one file."""

    task: tasks.Task
    path: str
    outcomes: List[Outcome]
    confined: str
    seconds: float

    def points(self) -> float:
        return sum(x.gate.points for x in self.outcomes if x.state == "passed")

    def most(self) -> float:
        return sum(x.gate.points for x in self.outcomes if x.state != "skipped")

    def count(self, state: str) -> int:
        return sum(x.state == state for x in self.outcomes)

    def passed(self) -> bool:
        return self.count("failed") == 0 and self.count("passed") > 0


def table(grade: Grade) -> str:
    """Return what the learner reads."""
    lines = [f"{grade.path}: {grade.task.title}"]
    if grade.confined:
        lines.append(f"confined: {grade.confined}")
    lines.append("")
    last, wrong = "", False
    for outcome in grade.outcomes:
        gate = outcome.gate
        word = {"passed": "pass", "failed": "FAIL", "skipped": "-"}[outcome.state]
        points = ("-" if outcome.state == "skipped" else
                  f"{tasks.show(gate.points if outcome.state == 'passed' else 0)}"
                  f" of {tasks.show(gate.points)}")
        head = f"  {gate.layer:<12}{word:<6}{points:<10}"
        ran = outcome.state != "skipped" and outcome.note not in (
            NOT_BUILT, FINDINGS_FIRST)
        note = " at ".join(filter(None, (outcome.note,
                                         ran and gate.text and gate.at)))
        lines.append(head + (gate.text or note))
        if gate.text:
            lines.append(" " * len(head) + note)
        # What is wrong is said once, not again where it is not counted.
        if outcome.message != last and not (
                wrong and gate.layer == "structural"):
            lines += [f"      {line}" for line in outcome.message.splitlines()]
        last = outcome.message or last
        wrong |= gate.layer == "correct" and outcome.state == "failed"
    skipped = grade.count("skipped")
    lines += ["", f"{tasks.show(grade.points())} of {tasks.show(grade.most())} "
              "points",
              f"{grade.count('passed')} passed, {grade.count('failed')} failed"
              + (f", {skipped} skipped" if skipped else "")]
    return "\n".join(lines)


def gradescope(grade: Grade) -> dict:
    """Return results.json, as Gradescope reads it."""
    tests = []
    for outcome in grade.outcomes:
        if outcome.state == "skipped":
            continue
        gate = outcome.gate
        tests.append({
            "name": " ".join(filter(None, (gate.layer, gate.text, gate.at))),
            "score": gate.points if outcome.state == "passed" else 0,
            "max_score": gate.points,
            "status": outcome.state,
            "output": "\n".join(filter(None, (outcome.note, outcome.message)))})
    return {"score": grade.points(), "max_score": grade.most(),
            "execution_time": round(grade.seconds, 3),
            "output": table(grade), "output_format": "text", "tests": tests,
            "extra_data": {"task": grade.task.name, "passed": grade.passed()}}


def junit(grade: Grade) -> str:
    """Return a JUnit report."""
    # What a terminal shows need not be XML: control characters are not.
    def clean(text: str) -> str:
        return re.sub(r"[^\t\n\x20-\uFFFD]", "?", text)

    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f"<testsuite name={quoteattr(grade.task.name)} "
             f'tests="{len(grade.outcomes)}" '
             f'failures="{grade.count("failed")}" '
             f'skipped="{grade.count("skipped")}" '
             f'time="{grade.seconds:.3f}">']
    for outcome in grade.outcomes:
        name = " ".join(filter(None, (outcome.gate.text, outcome.gate.at)))
        inside = ""
        if outcome.state == "failed":
            inside = (f"<failure message={quoteattr(clean(outcome.note))}>"
                      f"{escape(clean(outcome.message))}</failure>")
        elif outcome.state == "skipped":
            inside = f"<skipped message={quoteattr(outcome.note)}/>"
        classname = f"{grade.task.name}.{outcome.gate.layer}"
        lines.append(f"  <testcase classname={quoteattr(classname)} "
                     f"name={quoteattr(name or 'all sizes')}>"
                     f"{inside}</testcase>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def write(path: str, text: str) -> None:
    """Write a file that is whole at any time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def as_json(data: dict) -> str:
    return json.dumps(data, indent=1) + "\n"
