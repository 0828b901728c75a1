"""Grade a class: make grade submissions=DIR out=OUT.

class_files.py finds whose file is whose. Of a student only that is expected which
was handed in, and the tasks of expect=; chapter=X is one exercise, expected of all.
OUT gets grades.html, grades.csv, grades.json and grades.xml (JUnit) of the class, and
leaderboard.csv of its capstones; class_report.py, class_page.py and leaderboard.py say
what is in them. For each file it gets what tools/grade.py writes, STUDENT/TASK.txt with
what the student is told.

Files are graded side by side. The same bytes of the same task are graded once. What
is done stays: the same command goes on after Ctrl-C.
"""

import os
import sys
import time
from typing import Dict, List, Optional

from tools.classroom import class_files
from tools.classroom import class_page
from tools.classroom import class_report
from tools import course
from tools.classroom import grade
from tools.classroom import grader
from tools.classroom import tasks
from tools.classroom.grade import Job
from tools.machine import Make

MINUTE = 60  # seconds, between two lines of progress where no terminal is


def expected(words: str) -> List[str]:
    """Return the names of the tasks that expect= names: gemm_01 hunt_frame frame."""
    hunts = [task.name for task in tasks.all_tasks() if task.hunt]
    return [(tasks.find("hunt", word)
             if word.startswith("hunt_") or f"hunt_{word}" in hunts
             else tasks.find("chapter", course.find_chapter(
                 word, "expect", *tasks.own_names()))).name
            for word in words.split()]


def jobs_of(folder: str, out: str, wanted: List[str], only: Optional[tasks.Task],
            files: Dict[str, Dict[str, str]]) -> List[Job]:
    """Return what is to be graded: of each student what is there or wanted."""
    known = tasks.all_tasks()
    return [Job(task, its.get(task.name, os.path.join(
                folder, student, f"{task.name}.cu")),
                os.path.join(out, student, task.name), student)
            for student, its in files.items() for task in known
            if (task.name == only.name if only
                else task.name in its or task.name in wanted)]


def alike_but_path(made: grade.Grade, job: Job) -> grade.Grade:
    """Return the grade of the same bytes under another path."""
    path = grader.shown(job.path)
    return made._replace(path=path, outcomes=[
        one._replace(message=one.message.replace(made.path, path))
        for one in made.outcomes])


def grade_same(jobs: List[Job], gpu: bool, make: Make) -> List[dict]:
    """Grade files of the same bytes and task: one of them, for all."""
    found = []
    made: Dict[str, grade.Grade] = {}  # by version: a file may change meanwhile
    for job in jobs:
        done = grade.done_before(job, gpu)
        if not done:
            version = job.version(gpu)
            if version not in made:
                made[version] = grade.graded(job, gpu, make)
            done = grade.report(job, alike_but_path(made[version], job), version)
        found.append(done)
    return found


class Progress:
    """What is printed while a class is graded."""

    def __init__(self, done: int, many: int) -> None:
        self.done, self.many, self.new = done, many, 0
        self.start = self.said = time.monotonic()

    def left(self) -> str:
        """12 of 60, about 3 min left."""
        seconds = (time.monotonic() - self.start) / self.new * (self.many - self.done)
        about = f"{seconds / 60:.0f} min" if seconds > 90 else \
            f"{10 * round(seconds / 10) or 10} s"
        return f"{self.done} of {self.many}, about {about} left"

    def say(self, line: str) -> None:
        """Print the line of a file that is done, if it has one, and how many are: on
        a terminal below all, else now and then."""
        self.done, self.new = self.done + 1, self.new + 1
        start = "\r\033[K" * sys.stdout.isatty()
        print(start + line, end="\n" * bool(line), flush=True)
        more = self.done < self.many
        if start and more:
            print(self.left(), end="", flush=True)
        elif more and time.monotonic() - self.said > MINUTE:
            self.said = time.monotonic()
            print(self.left(), flush=True)


def grade_all(jobs: List[Job], gpu: bool, make: Make, out: str) -> List[dict]:
    """Grade what is not done, side by side; return all in the order of jobs."""
    # Times of two at once would not be those of one.
    cores = os.cpu_count() or 1
    workers = 1 if gpu else min(cores, 16)
    os.environ.setdefault("SIM_THREADS", str(max(1, cores // workers)))

    def done() -> List[str]:
        return [job.report for job in jobs if grade.done_before(job, gpu)]

    before = set(done())
    if before:
        print(f"{len(before)} of {len(jobs)} are graded already", flush=True)
    print(f"{'student':<20} {'task':<{class_report.SHORT}} points", flush=True)
    same: Dict[str, List[Job]] = {}
    for job in jobs:
        same.setdefault(job.version(gpu), []).append(job)
    progress, found = Progress(len(before), len(jobs)), {}
    try:
        for some, graded in zip(same.values(), course.together(
                workers, lambda some: grade_same(some, gpu, make),
                list(same.values()))):
            for job, one in zip(some, graded):
                found[job.report] = one
                if job.report not in before:
                    progress.say(class_report.line(job, one)
                                 if class_report.handed_in(one) else "")
    except KeyboardInterrupt:
        print(f"\n{len(done())} of {len(jobs)} are graded and kept in {out}/; the "
              "same command goes on", flush=True)
        raise
    return [found[job.report] for job in jobs]


def grade_class(given: Dict[str, str], only: Optional[tasks.Task], gpu: bool,
                make: Make) -> int:
    """Grade a folder of students: all that is there, or one exercise."""
    folder = given["submissions"].rstrip("/") or "/"
    out = (given["out"] or "build/grades").rstrip("/")
    if not os.path.isdir(folder):
        raise tasks.Unusable(f"submissions={folder}: no such folder")
    there = class_files.read(folder, [task.name for task in tasks.all_tasks()])
    jobs = jobs_of(folder, out, expected(given["expect"]), only, there.files)
    print(*there.notes, sep="\n", end="\n" * bool(there.notes), flush=True)
    if not jobs:
        raise tasks.Unusable(f"{folder}: no file that is named like an "
                             "exercise or a hunt")
    wanted = {job.task.name: job.task for job in jobs}
    if not grader.build_trusted(list(wanted.values()), gpu, make):
        return grade.BELOW
    results = grade_all(jobs, gpu, make, out)
    made = class_report.class_of(list(there.files), jobs, results, there.strange)
    class_report.write(out, made)
    course.write(f"{out}/grades.html", class_page.page(made))
    print("", *class_report.lines(made), "", sep="\n")
    print(f"{out}/grades.html is the same as a page; grades.csv, .json, .xml; what "
          f"each student is told: {out}/STUDENT/TASK.txt")
    tally = course.Tally()
    for one in results:
        tally.add(0 if one["extra_data"]["passed"] else grade.BELOW)
    return tally.close()
