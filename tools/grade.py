"""Grade exercises and bug hunts: one, all in mine/, or those of a class.

Three layers, each with points, as the page of the exercise says:

correct     every command line of the gate ends verified, without a finding
structural  what the simulator counts: the same on every machine
speed       on a GPU: beside the chapter, in turn. Without a GPU not asked, and
            its points are not in the total.

The learner's file is screened (screen.py), built, and run in a process of its
own that another one feeds and verifies: common/grade/ says how. What that
process prints or returns is not believed. GRADE_SECONDS (40, of
processor time) and GRADE_MIB (4096) limit each run.

build/NAME/grade.json is Gradescope's results.json, build/NAME/grade.xml JUnit,
build/NAME/grade.txt what the learner is told. A file that has passed is not
built again.

The folder of a class has one for each student, with files named as in mine/.
out= gets grades.csv and the same three for each file, STUDENT/NAME.json; what a
program printed that failed is told to the teacher alone (extra_data). What is done
there stays; the same command goes on after Ctrl-C.

The status is 0 if all have passed, else 4.
"""

import csv
import json
import os
import signal
import subprocess
from contextlib import suppress
from typing import List, NamedTuple, Optional, Tuple

import course
import grader
import tasks
from grade_report import PRINTED, Grade, Outcome, gradescope, junit, table, to_tell
from machine import Make

BELOW = 4  # the status below a gate


class Job(NamedTuple):
    """A file to grade."""

    task: tasks.Task
    path: str
    report: str  # the path of what comes of it, without .json
    student: str = ""

    def version(self, gpu: bool) -> str:
        """What a grade belongs to: the file, its task, if a GPU was there."""
        if os.path.islink(self.path) or not os.path.isfile(self.path):
            return f"none {self.task.name}"
        files = self.path, self.task.page, self.task.solution
        return " ".join([*map(tasks.contents, files), str(gpu)])


def interrupted(*_: object) -> None:
    """Whoever ends this program, ends what it has started."""
    grader.stop_all()
    raise KeyboardInterrupt


for one in signal.SIGINT, signal.SIGTERM:
    signal.signal(one, interrupted)


def done_before(job: Job, gpu: bool) -> Optional[dict]:
    """Return the grade of this very file, if there is one."""
    with suppress(OSError, ValueError, KeyError):
        found = json.loads(course.text_of(f"{job.report}.json"))
        if found["extra_data"]["version"] == job.version(gpu):
            return found
    return None


def grade(job: Job, gpu: bool, make: Make) -> dict:
    """Grade one file and write what came of it."""
    version = job.version(gpu)
    try:
        made = grader.grade_file(job.task, job.path, gpu, make)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        made = Grade(job.task, grader.shown(job.path), [
            Outcome(gate, "failed", "the grader failed", str(error))
            for gate in job.task.gates], "", 0)
    if grader.stopping.is_set():
        raise grader.Stopped
    printed = [one.message.split(PRINTED)[1] for one in made.outcomes
               if PRINTED in one.message][:1]
    made = to_tell(made) if job.student else made
    found = gradescope(made)
    found["extra_data"].update(version=version, printed="".join(printed))
    course.write(f"{job.report}.txt", table(made) + "\n")
    course.write(f"{job.report}.xml", junit(made))
    course.write(f"{job.report}.json", tasks.as_json(found))
    return found


# ---- mine/ -------------------------------------------------------------------


def grade_own(task: tasks.Task, gpu: bool, make: Make) -> bool:
    """Grade the learner's own file, note it; a pass is not built again."""
    job = Job(task, task.mine, f"build/{task.name}/grade")
    found = done_before(job, gpu)
    if not found or not found["extra_data"]["passed"]:
        found = grade(job, gpu, make)
    print(found["output"], flush=True)
    if not os.path.isfile(task.mine):
        print(f"make {task.words} exercise begins it")
        return False
    passed = found["extra_data"]["passed"]
    before = tasks.state().get(task.name, {})
    tasks.keep(task.name, begun=True, of=found["max_score"],
               points=max(found["score"], before.get("points", 0)),
               passed=found["extra_data"]["version"] if passed
               else before.get("passed", ""))
    return passed


def grade_mine(only: Optional[tasks.Task], gpu: bool, make: Make) -> int:
    """Grade one file of mine/, or all."""
    wanted = [only] if only else [task for task in tasks.all_tasks()
                                  if os.path.isfile(task.mine)]
    if not wanted:
        raise tasks.Unusable("mine/ has no work yet; make progress names what "
                             "there is")
    if not grader.build_trusted(wanted, gpu, make):
        return BELOW
    tally = course.Tally()
    for task in wanted:
        tally.add(0 if grade_own(task, gpu, make) else BELOW)
        if not only:
            print(flush=True)
    if not only:
        print("exercises and hunts:")
        tally.close()
    return tally.status


# ---- a class -----------------------------------------------------------------


def collect(folder: str, out: str, only: Optional[tasks.Task]
            ) -> Tuple[List[Job], List[Tuple[str, str]]]:
    """Return what is to be graded, and what each student has that is not.

    A task that one student has handed in is expected of all.
    """
    students = {name: sorted(os.listdir(os.path.join(folder, name)))
                for name in sorted(os.listdir(folder))
                if os.path.isdir(os.path.join(folder, name))
                and not os.path.islink(os.path.join(folder, name))}
    handed_in = {name for files in students.values() for name in files}
    known = {f"{task.name}.cu": task for task in tasks.all_tasks()}
    jobs = [Job(task, os.path.join(folder, student, name),
                os.path.join(out, student, task.name), student)
            for student in students for name, task in known.items()
            if (task.name == only.name if only else name in handed_in)]
    strange = [(student, name) for student, files in students.items()
               for name in files if name not in known]
    strange += [(folder, name) for name in sorted(os.listdir(folder))
                if name not in students]
    return jobs, strange


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
    """Return what is printed of one file."""
    of = f"{found['score']:g} of {found['max_score']:g}"
    return f"{job.student:<20.20} {job.task.name:<26} {of:<9} " \
        f"{reason(found):.70}".rstrip()


def write_csv(path: str, jobs: List[Job], results: List[dict]) -> None:
    """Write grades.csv."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow("student task points of passed seconds reason".split())
        for job, found in zip(jobs, results):
            passed = "yes" if found["extra_data"]["passed"] else "no"
            rows.writerow([job.student, job.task.name, found["score"],
                           found["max_score"], passed, found["execution_time"],
                           reason(found)])


def grade_class(folder: str, out: str, only: Optional[tasks.Task],
                gpu: bool, make: Make) -> int:
    """Grade a folder of students, side by side: all tasks, or one."""
    if not os.path.isdir(folder):
        raise tasks.Unusable(f"submissions={folder}: no such folder")
    jobs, strange = collect(folder, out, only)
    if not jobs:
        raise tasks.Unusable(f"{folder}: no file that is named like an "
                             "exercise or a hunt")
    wanted = {job.task.name: job.task for job in jobs}
    if not grader.build_trusted(list(wanted.values()), gpu, make):
        return BELOW
    # Times of two at once would not be those of one.
    cores = os.cpu_count() or 1
    workers = 1 if gpu else min(cores, 16)
    os.environ.setdefault("SIM_THREADS", str(max(1, cores // workers)))
    many = len(jobs)

    def done() -> int:
        return sum(bool(done_before(job, gpu)) for job in jobs)

    if done():
        print(f"{done()} of {many} are graded already", flush=True)
    print(f"{'student':<20} {'task':<26} points", flush=True)
    results = []
    try:
        for job, found in zip(jobs, course.together(
                workers, lambda job: done_before(job, gpu) or grade(
                    job, gpu, make), jobs)):
            results.append(found)
            print(class_line(job, found), flush=True)
    except KeyboardInterrupt:
        print(f"\n{done()} of {many} are graded and kept in {out}/; the same "
              "command goes on", flush=True)
        raise
    write_csv(f"{out}/grades.csv", jobs, results)
    for student, name in strange:
        print(f"{student:<20.20} {name}: no exercise has this name")
    print(f"\n{out}/grades.csv; what each student is told: "
          f"{out}/STUDENT/TASK.txt")
    tally = course.Tally()
    for found in results:
        tally.add(0 if found["extra_data"]["passed"] else BELOW)
    return tally.close()
