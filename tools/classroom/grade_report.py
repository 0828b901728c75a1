"""What came of a grade, for people and for machines.

table() is what a learner reads, gradescope() is Gradescope's results.json, and
junit() what most other hosts of courses and of tests read.
"""

import math
import re
from typing import List, NamedTuple, Optional, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tools import course, limits
from tools.classroom import tasks

NOT_BUILT = "not built"  # note of the gates of a file that cannot be
PRINTED = "it printed: "  # before what a program has said that did not end well
FINDINGS_FIRST = "not counted: its findings come first"
TIME = re.compile(r", (\S+) ms beside")  # in the note of a gate of speed
WORDS = {"passed": "pass", "failed": "FAIL", "skipped": "-"}


def join(sign: str, *parts: str) -> str:
    """Return the parts that say something."""
    return sign.join(filter(None, parts))


class Outcome(NamedTuple):
    """What came of one gate."""

    gate: tasks.Gate
    state: str  # passed, failed, skipped
    note: str  # what was counted
    message: str = ""  # why it failed, a few lines
    share: Optional[float] = None  # of the points; None: all or nothing

    def points(self) -> float:
        share = self.state == "passed" if self.share is None else self.share
        return math.floor(self.gate.points * share * 10 + 1e-9) / 10 or 0


class Grade(NamedTuple):
    """All of one file."""

    task: tasks.Task
    path: str
    outcomes: List[Outcome]
    confined: str
    seconds: float
    counted: Optional[dict] = None  # the record that a gate of counts saw last
    remarks: Sequence[str] = ()  # for a teacher; they cost nothing

    def points(self) -> float:
        return sum(x.points() for x in self.outcomes)

    def most(self) -> float:
        return sum(x.gate.points for x in self.outcomes if x.state != "skipped")

    def count(self, state: str) -> int:
        return sum(x.state == state for x in self.outcomes)

    def passed(self) -> bool:
        return self.count("failed") == 0 and self.count("passed") > 0


def to_tell(grade: Grade) -> Grade:
    """Leave out what programs printed: a student must not learn a secret by it."""
    return grade._replace(outcomes=[one._replace(
        message=one.message.split(PRINTED)[0].rstrip()) for one in grade.outcomes])


def table(grade: Grade) -> str:
    """Return what the learner reads."""
    lines = [f"{grade.path}: {grade.task.title}"]
    if grade.confined:
        lines.append(f"confined: {grade.confined}")
    lines.append("")
    last, wrong = "", False
    shown = [x for x in grade.outcomes if x.gate.points or x.state == "failed"]
    for outcome in shown:
        gate = outcome.gate
        points = "-" if outcome.state == "skipped" else \
            f"{outcome.points():g} of {gate.points:g}"
        head = f"  {gate.layer:<12}{WORDS[outcome.state]:<6}{points:<10}"
        note = outcome.note
        if gate.text:
            lines.append(head + gate.text)
            head = " " * len(head)
            if outcome.state != "skipped" and note not in (NOT_BUILT,
                                                           FINDINGS_FIRST):
                note = join(" at ", note, gate.at)
        lines.append(head + note)
        # What is wrong is said once, not again where it is not counted.
        if outcome.message != last and not (
                wrong and gate.layer == "counts"):
            lines += [f"      {line}" for line in outcome.message.splitlines()]
        last = outcome.message or last
        wrong |= gate.layer == "correct" and outcome.state == "failed"
    if any(x.state == "passed" and x.share for x in grade.outcomes):
        lines += ["", "Results are wrong, so what is counted gives half of its points."]
    skipped = grade.count("skipped")
    lines += [""] * bool(grade.remarks)
    lines += [f"remark, which costs nothing: {text}" for text in grade.remarks]
    lines += ["", f"{grade.points():g} of {grade.most():g} points",
              f"{sum(x.state == 'passed' for x in shown)} passed, "
              f"{grade.count('failed')} failed"
              + (f", {skipped} skipped" if skipped else "")]
    return "\n".join(lines)


def leaderboard(grade: Grade) -> List[dict]:
    """Return what classes compete in: the times (us) of a capstone that is right.

    One is what an H200 takes at least for what was counted, as tools/limits.py
    computes it, with multiply-adds for the product at least: another kind of
    arithmetic, which nobody counts, gains nothing. The other is what a GPU took.
    """
    record = grade.counted
    if grade.task.name != "capstone" or not record or any(
            x.state == "failed" for x in grade.outcomes if x.gate.layer == "correct"):
        return []
    size, counted = record["size"], record["counts"]
    product = size["M"] * size["N"] * size["K"]
    cycles = limits.cycles({**counted, "ffma": max(counted.get("ffma", 0), product)}, {
        "launch": {"grid": [limits.SMS]}, **record})
    clock = next(iter(course.timed(grade.task.chapter).values()))["clocks_mhz"]["sm"]
    times = [("bound_us", max(filter(None, cycles)) / clock)]
    times += [("time_us", 1e3 * float(ms)) for x in grade.outcomes
              for ms in TIME.findall(x.note)]
    return [{"name": name, "value": round(time, 3), "order": "asc"}
            for name, time in times]


def gradescope(grade: Grade) -> dict:
    """Return results.json, as Gradescope reads it."""
    tests = [{"name": join(" ", x.gate.layer, x.gate.text, x.gate.at),
              "score": x.points(), "max_score": x.gate.points,
              "status": x.state, "output": join("\n", x.note, x.message)}
             for x in grade.outcomes if x.state != "skipped"]
    board = leaderboard(grade)
    return {"score": grade.points(), "max_score": grade.most(),
            "execution_time": round(grade.seconds, 3),
            "output": "\n".join([table(grade), *(
                f"leaderboard: {place['name']} {place['value']}" for place in board)]),
            "output_format": "text", "tests": tests,
            **({"leaderboard": board} if board else {}),
            "extra_data": {"task": grade.task.name, "passed": grade.passed(),
                           "remarks": list(grade.remarks)}}


def junit(grade: Grade) -> str:
    """Return a JUnit report."""
    # What a terminal shows need not be XML: control characters are not.
    def clean(text: str) -> str:
        return re.sub(r"[^\t\n\x20-\uFFFD]", "?", text)

    suite = Element("testsuite", name=grade.task.name,
                    tests=str(len(grade.outcomes)),
                    failures=str(grade.count("failed")),
                    skipped=str(grade.count("skipped")),
                    time=f"{grade.seconds:.3f}")
    for outcome in grade.outcomes:
        gate = outcome.gate
        case = SubElement(suite, "testcase",
                          classname=f"{grade.task.name}.{gate.layer}",
                          name=join(" ", gate.text, gate.at) or "all sizes")
        if outcome.state != "passed":
            kind = "failure" if outcome.state == "failed" else "skipped"
            SubElement(case, kind, message=clean(outcome.note)).text = clean(
                outcome.message)
    indent(suite)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            f'{tostring(suite, encoding="unicode")}\n')
