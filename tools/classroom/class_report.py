"""The grades of a class: for a terminal, spreadsheets, programs.

Students are in order of the share of their points, the weakest first. Of a file that
failed the first cause counts, for others follow from it.
"""

import csv
import re
from collections import Counter
from typing import Dict, Iterator, List, NamedTuple, Tuple

from tools import course, terminal
from tools.classroom import tasks
from tools.classroom.class_files import shown
from tools.classroom.grade import Job
from tools.classroom.grade_report import NOT_BUILT

WIDTH = 100  # columns of a terminal
STUDENT, SHORT = 20, 10  # of a student, of a task
SIDE_BY_SIDE = 5  # tasks
# What a spreadsheet takes for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
# mine/x.cu:44:12: out-of-bounds-global: write of C[131][0]
FINDING = re.compile(r"^\S.*?\.cu:(\d+)(?::\d+)?: ((?!warning|note)[\w -]+: .*"
                     r"(?:\n +.*)*)", re.M)


class Work(NamedTuple):
    """What came of one file."""

    task: tasks.Task
    result: dict  # tools/classroom/grade_report.py, gradescope()
    reason: List[str]  # what failed first, a few lines; [] if nothing did
    remarks: List[str]  # what a teacher should read though it costs no point

    def handed_in(self) -> bool:
        return not self.result["extra_data"]["version"].startswith("none ")

    def passed(self) -> bool:
        return self.result["extra_data"]["passed"]


class Student(NamedTuple):
    """A row of the table."""

    name: str
    works: Dict[str, Work]  # by the task's name

    def points(self) -> float:
        return sum(work.result["score"] for work in self.works.values())

    def most(self) -> float:
        return sum(work.result["max_score"] for work in self.works.values())

    def order(self) -> tuple:
        """The weakest first."""
        return self.points() / (self.most() or 1), self.name


class Rate(NamedTuple):
    """How many fail for a cause, of those who have handed in something."""

    task: str
    cause: str
    failed: int
    of: int

    def __str__(self) -> str:
        files = tasks.number(self.of, "file")
        return f"{self.task}, {self.failed} of {files}: {self.cause}"


class Class(NamedTuple):
    """All of it."""

    tasks: List[tasks.Task]
    students: List[Student]
    rates: List[Rate]  # of what somebody fails by, the worst first
    strange: List[str]
    guesses: List[str] = []  # what was predicted wrong


def short(task: tasks.Task) -> str:
    """gemm_03, left_edge: a name for a narrow column."""
    return re.sub("^hunt_", "", course.short(task.name))[:SHORT]


def gate_of(test: dict) -> str:
    """Return a gate's name: correct, barriers <= 16384 at --M 256."""
    return re.sub("^counts ", "", test["name"]).replace(" --", " at --", 1)


def reason(result: dict) -> List[str]:
    """Return what failed first, in one line, and more lines where they help.

    A finding with its line says more than how a program ended; a program that has
    ended has printed it.
    """
    if result["extra_data"]["version"].startswith("none "):
        return ["not handed in"]
    failed = [test for test in result["tests"] if test["status"] == "failed"]
    if not failed:
        return []
    said = failed[0]["output"]
    findings = FINDING.findall("\n".join([said, result["extra_data"]["printed"]]))
    if findings:
        # An access out of bounds ends a program; it is the last of its findings.
        number, text = next((finding for finding in findings
                             if "out-of-bounds" in finding[1]), findings[0])
        return [shown(part.strip()) for part in f"line {number}: {text}".splitlines()
                if not re.match(r" *\d* \|", part)]  # the code, and a caret
    note, _, rest = said.partition("\n")
    if rest.endswith("says where the bound comes from"):
        return [gate_of(failed[0]).replace(" at --", f", counted {note} at --")]
    texts = rest.splitlines() or [note]
    # Elements that are wrong are named first, the verdict behind them.
    first = next((text for text in texts if not text.startswith(" ")), texts[0])
    return [re.sub(r"^\w+: wrong", "wrong", shown(first.strip()))]


def work_of(job: Job, result: dict) -> Work:
    """Return what came of a job."""
    return Work(job.task, result, reason(result), [
        f"remark: {text}" for text in result["extra_data"]["remarks"]])


def line(job: Job, result: dict) -> str:
    """Return what is printed of one file."""
    work, of = work_of(job, result), f"{result['score']:g} of {result['max_score']:g}"
    text = (f"{job.student:<{STUDENT}.{STUDENT}} {short(job.task):<{SHORT}} {of:<9} "
            f"{''.join((work.reason + work.remarks)[:1])}")
    return text.rstrip() if len(text) <= WIDTH else text[:WIDTH - 3] + "..."


def cause(work: Work) -> str:
    """Return why a file failed first, in a word or two."""
    failed = next(test for test in work.result["tests"] if test["status"] == "failed")
    finding = re.match(r"line \d+: ([\w -]+):", work.reason[0])
    if failed["output"].startswith(NOT_BUILT):
        return failed["output"].splitlines()[1]
    if finding:
        return finding[1]
    return "not correct" if failed["name"] == "correct" else f"misses {gate_of(failed)}"


def rates(works: List[Work]) -> List[Rate]:
    """Return by which cause how many fail, the worst first."""
    handed_in = [work for work in works if work.handed_in()]
    of = Counter(short(work.task) for work in handed_in)
    failed = Counter((short(work.task), cause(work)) for work in handed_in
                     if work.reason)
    return sorted((Rate(*name, number, of[name[0]]) for name, number in failed.items()),
                  key=lambda rate: (-rate.failed / rate.of, -rate.of))


def class_of(names: List[str], jobs: List[Job], results: List[dict],
             strange: List[str], guesses: List[str]) -> Class:
    """Return the class of these students, also of those without a file."""
    students = {name: Student(name, {}) for name in names}
    works = list(map(work_of, jobs, results))
    for job, work in zip(jobs, works):
        students[job.student].works[job.task.name] = work
    known = {job.task.name for job in jobs}
    return Class([task for task in tasks.all_tasks() if task.name in known],
                 sorted(students.values(), key=Student.order), rates(works), strange,
                 guesses)


def cell(student: Student, task: tasks.Task) -> str:
    """Return points, 8; none, if it was not handed in; -, if it is not expected."""
    work = student.works.get(task.name)
    return "-" if not work else f"{work.result['score']:g}" if work.handed_in() \
        else "none"


def passed(grades: Class, task: tasks.Task) -> str:
    """Return how many have passed all gates of a task, 3 of 7."""
    works = [student.works[task.name] for student in grades.students
             if task.name in student.works]
    return f"{sum(map(Work.passed, works))} of {len(works)}"


def table(grades: Class) -> Iterator[str]:
    """Yield students by tasks, as many tasks side by side as fit."""
    for start in range(0, len(grades.tasks), SIDE_BY_SIDE):
        some = grades.tasks[start:start + SIDE_BY_SIDE]
        yield from [""] * bool(start) + terminal.lines([
            ["student", "points", *map(short, some)],
            *([student.name[:STUDENT], f"{student.points():g} of {student.most():g}",
               *(cell(student, task) for task in some)] for student in grades.students),
            ["passed", "", *(passed(grades, task) for task in some)]])


def below(grades: Class) -> Iterator[Tuple[str, List[str]]]:
    """Yield a heading and lines, as often as there are some."""
    for title, items in (("What fails most", grades.rates),
                         ("What was predicted wrong", grades.guesses),
                         ("Not graded", grades.strange)):
        if items:
            yield title, list(map(str, items))


def lines(grades: Class) -> Iterator[str]:
    """Yield what a terminal shows."""
    yield from table(grades)
    for title, items in below(grades):
        yield from ["", title, *items]


def sums(grades: Class) -> Tuple[int, int, int]:
    """Return how many files have passed all gates, have not, were not handed in."""
    works = [work for student in grades.students for work in student.works.values()]
    good, there = sum(map(Work.passed, works)), sum(map(Work.handed_in, works))
    return good, there - good, len(works) - there


def literal(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) \
        else value


def rows(grades: Class) -> Iterator[list]:
    """Yield a head, and a row for each student and task."""
    yield "student task points of passed seconds reason remarks".split()
    for student in sorted(grades.students, key=lambda student: student.name):
        for work in student.works.values():
            result = work.result
            yield [student.name, work.task.name, result["score"], result["max_score"],
                   "yes" if work.passed() else "no", result["execution_time"],
                   "".join(work.reason[:1]), "; ".join(work.remarks)]
        if not student.works:
            yield [student.name, "", 0, 0, "no", 0, "nothing handed in", ""]


def book(grades: Class) -> Iterator[list]:
    """Yield a head, and a row for each student: what a gradebook takes."""
    yield ["student", "points", "of", *(task.name for task in grades.tasks)]
    for student in sorted(grades.students, key=lambda student: student.name):
        works = [student.works.get(task.name) for task in grades.tasks]
        yield [student.name, student.points(), student.most(),
               *(work.result["score"] if work else "" for work in works)]


def write(out: str, grades: Class) -> None:
    """Write grades.csv and gradebook.csv."""
    for name, table in ("grades", rows(grades)), ("gradebook", book(grades)):
        with open(f"{out}/{name}.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(map(literal, row) for row in table)
