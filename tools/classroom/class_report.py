"""The grades of a class: for a terminal, a spreadsheet, programs, JUnit's readers.

Students are in order of the share of their points, the weakest first. A gate's rate
is of the files that were handed in.
"""

import csv
import re
import xml.etree.ElementTree as ElementTree
from typing import Dict, Iterable, Iterator, List, NamedTuple, Tuple

from tools import course
from tools.classroom import alike, leaderboard, tasks
from tools.classroom.class_files import shown
from tools.classroom.grade import Job

WIDTH = 100  # columns of a terminal
STUDENT, SHORT = 20, 10  # of a student, of a task
# What a spreadsheet takes for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
# mine/x.cu:44:12: out-of-bounds-global: write of C[131][0]
FINDING = re.compile(r"^\S.*?\.cu:(\d+)(?::\d+)?: ((?!warning|note)[\w -]+: .*"
                     r"(?:\n +.*)*)", re.M)


class Work(NamedTuple):
    """What came of one file."""

    task: tasks.Task
    found: dict  # tools/grade_report.py, gradescope()
    why: List[str]  # what failed first, a few lines; [] if nothing did
    handed_in: bool
    report: str  # path without .json


class Student(NamedTuple):
    """A row of the table."""

    name: str
    works: Dict[str, Work]  # by the task's name

    def points(self) -> float:
        return sum(one.found["score"] for one in self.works.values())

    def most(self) -> float:
        return sum(one.found["max_score"] for one in self.works.values())

    def order(self) -> tuple:
        """The weakest first."""
        return self.points() / (self.most() or 1), self.name


class Rate(NamedTuple):
    """How many fail a gate."""

    task: str
    gate: str
    failed: int
    of: int

    def __str__(self) -> str:
        return f"{self.task} {self.gate}: {self.failed} of {self.of} fail"


class Class(NamedTuple):
    """All of it."""

    tasks: List[tasks.Task]
    students: List[Student]
    rates: List[Rate]  # of gates that somebody fails, the worst first
    alike: List[alike.Pair]
    strange: List[str]


def short(task: tasks.Task) -> str:
    """gemm_03, left_edge: a name for a narrow column."""
    return re.sub("^hunt_", "", course.short(task.name))[:SHORT]


def handed_in(found: dict) -> bool:
    """Whether there was a file."""
    return not found["extra_data"]["version"].startswith("none ")


def gate_of(test: dict) -> str:
    """Return a gate's name: correct, barriers <= 16384 at --M 256."""
    return re.sub("^structural ", "", test["name"]).replace(" --", " at --", 1)


def reason(found: dict) -> List[str]:
    """Return what failed first, in one line, and more lines where they help.

    A finding with its line says more than how a program ended; one that has ended
    has printed it.
    """
    if not handed_in(found):
        return ["not handed in"]
    failed = [test for test in found["tests"] if test["status"] == "failed"]
    if not failed:
        return []
    said = failed[0]["output"]
    findings = FINDING.findall("\n".join([said, found["extra_data"]["printed"]]))
    if findings:
        # An access out of bounds ends a program; it is the last of its findings.
        number, text = next((one for one in findings if "out-of-bounds" in one[1]),
                            findings[0])
        return [shown(one.strip()) for one in f"line {number}: {text}".splitlines()]
    note, _, rest = said.partition("\n")
    if rest.endswith("says where the bound comes from"):
        return [gate_of(failed[0]).replace(" at --", f": {note} at --")]
    lines = rest.splitlines() or [note]
    # Elements that are wrong are named first, the verdict behind them.
    first = next((one for one in lines if not one.startswith(" ")), lines[0])
    return [re.sub(r"^\w+: wrong", "wrong", shown(first.strip()))]


def line(job: Job, found: dict) -> str:
    """Return what is printed of one file."""
    of = f"{found['score']:g} of {found['max_score']:g}"
    text = (f"{job.student:<{STUDENT}.{STUDENT}} {short(job.task):<{SHORT}} {of:<9} "
            f"{''.join(reason(found)[:1])}")
    return text[:WIDTH].rstrip()


def rates(works: List[Work]) -> List[Rate]:
    """Return how many fail each gate that somebody fails, the worst first."""
    failed: Dict[Tuple[str, str], List[bool]] = {}
    for one in works:
        for test in one.found["tests"] * one.handed_in:
            failed.setdefault((short(one.task), gate_of(test)), []).append(
                test["status"] == "failed")
    made = [Rate(*name, sum(its), len(its)) for name, its in failed.items()]
    return sorted((one for one in made if one.failed),
                  key=lambda one: (-one.failed / one.of, -one.of))


def class_of(names: List[str], jobs: List[Job], results: List[dict],
             strange: List[str]) -> Class:
    """Return the class of these students, also of those without a file."""
    students = {name: Student(name, {}) for name in names}
    for job, found in zip(jobs, results):
        students[job.student].works[job.task.name] = Work(
            job.task, found, reason(found), handed_in(found), job.report)
    known = {job.task.name: job.task for job in jobs}
    some = [task for task in tasks.all_tasks() if task.name in known]
    pairs = [pair for task in some for pair in alike.pairs(task, {
        job.student: course.text_of(job.path) for job in jobs
        if job.task == task and students[job.student].works[task.name].handed_in})]
    return Class(some, sorted(students.values(), key=Student.order), rates(
        [one for its in students.values() for one in its.works.values()]),
        sorted(pairs, key=lambda pair: -pair.share), strange)


def cell(student: Student, task: tasks.Task) -> str:
    """Return points, 8; none, if it was not handed in; -, if it is not expected."""
    work = student.works.get(task.name)
    return "-" if not work else f"{work.found['score']:g}" if work.handed_in \
        else "none"


def passed(made: Class, task: tasks.Task) -> str:
    """Return how many have passed all gates of a task, 3 of 7."""
    works = [one.works[task.name] for one in made.students if task.name in one.works]
    good = sum(one.found["extra_data"]["passed"] for one in works)
    return f"{good} of {len(works)}"


def table(made: Class) -> Iterator[str]:
    """Yield students by tasks, as many tasks side by side as fit."""
    width = max(8, *(len(short(task)) for task in made.tasks))
    fit = (WIDTH - STUDENT - 14) // (width + 1)

    def row(name: str, points: str, cells: Iterable[str]) -> str:
        return " ".join([f"{name:<{STUDENT}.{STUDENT}}", f"{points:>13}", *(
            f"{one:>{width}}" for one in cells)])

    for start in range(0, len(made.tasks), fit):
        some = made.tasks[start:start + fit]
        if start:
            yield ""
        yield row("student", "points", map(short, some))
        for one in made.students:
            yield row(one.name, f"{one.points():g} of {one.most():g}",
                      (cell(one, task) for task in some))
        yield row("passed", "", (passed(made, task) for task in some))


def lines(made: Class) -> Iterator[str]:
    """Yield what a terminal shows."""
    yield from table(made)
    yield ""
    yield from map(str, made.rates)
    board = ["{:>5} {:<20.20} {:>9} {:>9}".format(*cells).rstrip()
             for cells in leaderboard.rows(made.students)]
    for what in board, made.alike, made.strange:
        if what:
            yield ""
            yield from map(str, what)


def literal(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) \
        else value


def rows(made: Class) -> Iterator[list]:
    """Yield a head, and a row for each student and task."""
    yield "student task points of passed seconds reason".split()
    for student in sorted(made.students, key=lambda one: one.name):
        for one in student.works.values():
            found = one.found
            yield [student.name, one.task.name, found["score"], found["max_score"],
                   "yes" if found["extra_data"]["passed"] else "no",
                   found["execution_time"], "".join(one.why[:1])]
        if not student.works:
            yield [student.name, "", 0, 0, "no", 0, "nothing handed in"]


def write_csv(path: str, cells: Iterable[list]) -> None:
    """Write rows of cells, if there are any."""
    lines = [map(literal, row) for row in cells]
    if lines:
        with open(path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)


def as_json(made: Class) -> str:
    """Return grades.json; what failed in full is in STUDENT/TASK.json."""
    return tasks.as_json({
        "students": [{
            "student": one.name, "points": one.points(), "of": one.most(),
            "tasks": {name: {
                "points": work.found["score"], "of": work.found["max_score"],
                "passed": work.found["extra_data"]["passed"],
                "handed_in": work.handed_in, "reason": work.why,
                "seconds": work.found["execution_time"]}
                for name, work in one.works.items()}} for one in made.students],
        "gates": [one._asdict() for one in made.rates],
        "alike": [{**one._asdict(), "task": one.task.name} for one in made.alike],
        "strange": made.strange})


def as_junit(made: Class) -> str:
    """Return the reports of all files as one."""
    root = ElementTree.Element("testsuites")
    for student in made.students:
        for one in student.works.values():
            suite = ElementTree.parse(f"{one.report}.xml").getroot()
            suite.set("name", f"{student.name} {one.task.name}")
            for case in suite.iter("testcase"):
                case.set("classname", f"{student.name}.{case.get('classname')}")
            root.append(suite)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            f"{ElementTree.tostring(root, encoding='unicode')}\n")


def write(out: str, made: Class) -> None:
    """Write grades.csv, .json and .xml, and leaderboard.csv, if somebody is in it."""
    write_csv(f"{out}/grades.csv", rows(made))
    write_csv(f"{out}/leaderboard.csv", leaderboard.rows(made.students))
    course.write(f"{out}/grades.json", as_json(made))
    course.write(f"{out}/grades.xml", as_junit(made))
