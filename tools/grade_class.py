"""Grade a class: a folder of students, side by side, to be gone on with.

grade.py says what is read and written.
"""

import csv
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Dict, List, NamedTuple, Optional, Tuple

import grader
import tasks
from grade_report import Grade, Outcome, as_json, gradescope, junit, table, write
from machine import Make


class Job(NamedTuple):
    """One file of one student."""

    student: str
    task: tasks.Task
    path: str


def collect(folder: str, only: Optional[tasks.Task]
            ) -> Tuple[List[Job], List[Tuple[str, str]]]:
    """Return what is to be graded, and what each student has that is not.

    A task that one student has handed in is expected of all.
    """
    known = {task.name: task for task in tasks.all_tasks()}
    students = sorted(name for name in os.listdir(folder)
                      if os.path.isdir(os.path.join(folder, name)))
    files = {name: sorted(os.listdir(os.path.join(folder, name)))
             for name in students}
    expected = [only.name] if only else [
        name for name in known
        if any(f"{name}.cu" in files[student] for student in students)]
    jobs = [Job(student, known[name], os.path.join(folder, student,
                                                   f"{name}.cu"))
            for student in students for name in expected]
    strange = [(student, name) for student in students
               for name in files[student]
               if name not in [f"{task}.cu" for task in known]]
    strange += [("", name) for name in sorted(os.listdir(folder))
                if name not in students]
    return jobs, strange


def result_path(out: str, job: Job) -> str:
    return os.path.join(out, job.student, job.task.name)


def done_before(out: str, job: Job, gpu: bool) -> Optional[dict]:
    """Return the grade of this very file, if there is one."""
    try:
        with open(result_path(out, job) + ".json", encoding="utf-8") as file:
            found = json.load(file)
        if found["extra_data"]["version"] == job_version(job, gpu):
            return found
    except (OSError, ValueError, KeyError):
        pass
    return None


def job_version(job: Job, gpu: bool) -> str:
    if os.path.islink(job.path) or not os.path.isfile(job.path):
        return f"none {job.task.name}"
    return grader.version(job.task, job.path, gpu)


def grade_job(out: str, job: Job, gpu: bool, make: Make) -> dict:
    """Grade one file and write what came of it."""
    before = job_version(job, gpu)
    try:
        grade = grader.grade_file(job.task, job.path, gpu, make=make)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        grade = Grade(job.task, grader.shown(job.path), [
            Outcome(gate, "failed", "the grader failed", str(error))
            for gate in job.task.gates], "", 0)
    if grader.stopping.is_set():
        raise grader.Stopped
    found = gradescope(grade)
    found["extra_data"]["version"] = before
    path = result_path(out, job)
    write(path + ".txt", table(grade) + "\n")
    write(path + ".xml", junit(grade))
    write(path + ".json", as_json(found))
    return found


def reason(found: dict) -> str:
    """Return the first thing that failed, in a few words."""
    for test in found["tests"]:
        if test["status"] == "failed":
            note, _, rest = test["output"].partition("\n")
            if rest.endswith("says where the bound comes from"):
                return f"{test['name']}: {note}"
            lines = rest.splitlines() or [note]
            # Elements that are wrong are named first, the verdict behind them.
            return next((line for line in lines if not line.startswith(" ")),
                        lines[0]).strip()
    return ""


def class_line(job: Job, found: dict) -> str:
    of = f"{tasks.show(found['score'])} of {tasks.show(found['max_score'])}"
    return f"{job.student:<20.20} {job.task.name:<26} {of:<9} " \
        f"{reason(found):.70}".rstrip()


def write_csv(out: str, jobs: List[Job], results: Dict[str, dict]) -> None:
    """Write grades.csv of what is done."""
    with open(os.path.join(out, "grades.csv.new"), "w", encoding="utf-8",
              newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "task", "points", "of", "passed", "seconds",
                       "reason"])
        for job in (job for job in jobs if job.path in results):
            found = results[job.path]
            rows.writerow([job.student, job.task.name, found["score"],
                           found["max_score"],
                           "yes" if found["extra_data"]["passed"] else "no",
                           found["execution_time"], reason(found)])
    os.replace(os.path.join(out, "grades.csv.new"),
               os.path.join(out, "grades.csv"))


def grade_class(folder: str, out: str, only: Optional[tasks.Task],
                gpu: bool, make: Make) -> bool:
    """Grade a folder of students."""
    if not os.path.isdir(folder):
        raise tasks.Unusable(f"submissions={folder}: no such folder")
    jobs, strange = collect(folder, only)
    if not jobs:
        raise tasks.Unusable(f"{folder}: no file that is named like an exercise "
                             "or a hunt")
    os.makedirs(out, exist_ok=True)
    if not grader.build_trusted(list({job.task.name: job.task
                               for job in jobs}.values()), gpu,
                                make):
        return False
    # Times of two at once would not be those of one.
    cores = os.cpu_count() or 1
    workers = 1 if gpu else min(cores, 16)
    os.environ.setdefault("SIM_THREADS", str(max(1, cores // workers)))
    results: Dict[str, dict] = {}
    for job in jobs:
        found = done_before(out, job, gpu)
        if found:
            results[job.path] = found
    if results:
        print(f"{len(results)} of {len(jobs)} are graded already", flush=True)
    with ThreadPoolExecutor(workers) as pool:
        waiting = {pool.submit(grade_job, out, job, gpu, make): job for job in jobs
                   if job.path not in results}
        try:
            for future in as_completed(waiting):
                job = waiting[future]
                results[job.path] = future.result()
                print(class_line(job, results[job.path]), flush=True)
        except KeyboardInterrupt:
            grader.stop_all()
            pool.shutdown(cancel_futures=True)
            write_csv(out, jobs, results)
            print(f"\n{len(results)} of {len(jobs)} are graded and kept in "
                  f"{out}/; the same command goes on", flush=True)
            raise
    write_csv(out, jobs, results)
    passed = sum(found["extra_data"]["passed"] for found in results.values())
    print(f"\n{'student':<20} {'task':<26} points")
    for job in jobs:
        print(class_line(job, results[job.path]))
    for student, name in strange:
        print(f"{student or folder:<20.20} {name}: no exercise has this name")
    print(f"\n{out}/grades.csv; what each student is told: "
          f"{out}/STUDENT/TASK.txt\n"
          f"{passed} passed, {len(jobs) - passed} failed")
    return passed == len(jobs)
