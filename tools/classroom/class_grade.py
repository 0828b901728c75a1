"""Grade a class: make grade submissions=DIR out=OUT.

class_files.py finds whose file is whose. Of all students is expected what half of
them have handed in, or the tasks of expect=; chapter=X is one exercise, expected of
all. OUT gets grades.html, grades.csv and gradebook.csv of the class, which
class_report.py and class_page.py make; for each file STUDENT/TASK.txt with what the
student is told. The status is 0 where all could be graded, whatever came of it.

Files are graded side by side. What is done stays: the same command goes on after
Ctrl-C.
"""

import os
from collections import Counter
from typing import Dict, List, Optional

from tools import course
from tools.classroom import (class_files, class_page, class_report, grade, grader,
                             predictions, tasks)
from tools.classroom.grade import Job
from tools.machine import Make


def expected(words: str, files: Dict[str, Dict[str, str]]) -> List[str]:
    """Return the names of the tasks that expect= names: gemm_01 hunt_frame frame.

    Without it, of those that half of the students have handed in.
    """
    every = Counter(name for own in files.values() for name in own)
    known = [task.name for task in tasks.all_tasks()]
    return [course.find(word, "expect", known, "progress") for word in words.split()] \
        or [name for name, number in every.items() if 2 * number >= len(files)]


def jobs_of(folder: str, out: str, wanted: List[str], only: Optional[tasks.Task],
            files: Dict[str, Dict[str, str]]) -> List[Job]:
    """Return what is to be graded: of each student what is there or wanted."""
    known = tasks.all_tasks()
    return [Job(task, own.get(task.name, os.path.join(
                folder, student, f"{task.name}.cu")),
                os.path.join(out, student, task.name), student)
            for student, own in files.items() for task in known
            if (task.name == only.name if only
                else task.name in own or task.name in wanted)]


def grade_all(jobs: List[Job], gpu: bool, make: Make, out: str) -> List[dict]:
    """Grade what is not done, side by side; return all in the order of jobs."""
    # Times of two at once would not be those of one.
    cores = os.cpu_count() or 1
    workers = 1 if gpu else min(cores, 16)
    os.environ.setdefault("SIM_THREADS", str(max(1, cores // workers)))

    def done() -> List[str]:
        return [job.report for job in jobs if grade.done_before(job, gpu)]

    def graded(job: Job) -> dict:
        version = job.version(gpu)
        return grade.done_before(job, gpu) or grade.report(
            job, grade.graded(job, gpu, make), version)

    before = set(done())
    if before:
        print(f"{len(before)} of {len(jobs)} are graded already", flush=True)
    if len(before) < len(jobs):
        print(f"{'':<8}{'student':<20} {'task':<{class_report.SHORT}} points", flush=True)
    results: List[dict] = []
    try:
        for job, result in zip(jobs, course.together(workers, graded, jobs)):
            results.append(result)
            if job.report not in before:
                print(f"{f'{len(results)}/{len(jobs)}':<8}"
                      + class_report.line(job, result), flush=True)
    except KeyboardInterrupt:
        print(f"\n{len(done())} of {len(jobs)} are graded and kept in {out}/; the "
              "same command goes on", flush=True)
        raise
    return results


def grade_class(given: Dict[str, str], only: Optional[tasks.Task], gpu: bool,
                make: Make) -> int:
    """Grade a folder of students: all that is there, or one exercise."""
    folder = given["submissions"].rstrip("/") or "/"
    out = (given["out"] or "build/grades").rstrip("/")
    if not os.path.isdir(folder):
        raise tasks.Unusable(f"submissions={folder}: no such folder")
    handed_in = class_files.read(folder, [task.name for task in tasks.all_tasks()])
    jobs = jobs_of(folder, out, expected(given["expect"], handed_in.files), only,
                   handed_in.files)
    if not jobs:
        raise tasks.Unusable("\n".join([*handed_in.strange, f"{folder}: no file that "
                                        "is named like an exercise or a hunt"]))
    wanted = {job.task.name: job.task for job in jobs}
    if not grader.build_trusted(list(wanted.values()), gpu, make):
        return grade.BELOW
    results = grade_all(jobs, gpu, make, out)
    grades = class_report.class_of(list(handed_in.files), jobs, results,
                                   handed_in.strange, predictions.lines(folder))
    class_report.write(out, grades)
    course.write(f"{out}/grades.html", class_page.page(grades))
    print("", *class_report.lines(grades), "", sep="\n")
    print(f"{out}/grades.html is the same as a page; grades.csv, gradebook.csv; what "
          f"each student is told: {out}/STUDENT/TASK.txt")
    good, bad, none = class_report.sums(grades)
    print(f"{tasks.number(good + bad, 'file')}: {good} passed, {bad} failed"
          + f"; {none} not handed in" * (none > 0))
    return 0
