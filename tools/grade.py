"""Grade exercises and bug hunts: one, all in mine/, or those of a class.

Three layers, each with points, as the page of the exercise says:

correct     every command line of the gate ends verified, without a finding
structural  what the simulator counts: the same on every machine
speed       on a GPU: beside the chapter and its library, in turn. Without a
            GPU not asked, and its points are not in the total.

The learner's file is screened (screen.py), built, and run in a process of its
own that another one feeds and verifies: common/grade/ says how. What that
process prints or returns is not believed. GRADE_SECONDS (40, of
processor time) and GRADE_MIB (4096) limit each run.

build/NAME/grade.json is Gradescope's results.json, build/NAME/grade.xml JUnit.
Both are always written. A file that has passed is not built again.

The folder of a class has one for each student, with files named as in mine/. out= gets
grades.csv and, for each file, STUDENT/NAME.json, .xml and .txt: what the student
is told. What is done there stays; the same command goes on after Ctrl-C.

The status is 0 if all have passed, else 4.
"""

import json
import os
import signal
from typing import Optional

import course
import grade_class as of_class
import grader
import tasks
from grade_report import as_json, gradescope, junit, table, write
from machine import Make

BELOW = 4  # the status below a gate
# Whoever ends this program, ends what it has started.
signal.signal(signal.SIGTERM, signal.default_int_handler)


def grade_mine(task: tasks.Task, gpu: bool, make: Make) -> bool:
    """Grade the learner's own file; keep what came of it."""
    report = f"build/{task.name}/grade"
    there = os.path.isfile(task.mine)
    if there and tasks.state().get(task.name, {}).get("passed") == grader.version(
            task, task.mine, gpu) and os.path.exists(f"{report}.json") \
            and os.path.exists(f"{report}.xml"):
        with open(f"{report}.json", encoding="utf-8") as file:
            print(json.load(file)["output"])
        return True
    grade = grader.grade_file(task, task.mine, gpu, make=make)
    write(f"{report}.json", as_json(gradescope(grade)))
    write(f"{report}.xml", junit(grade))
    print(table(grade), flush=True)
    if not there:
        print(f"make {task.words} exercise begins it")
        return False
    before = tasks.state().get(task.name, {})
    best = max(grade.points(), before.get("points", 0))
    tasks.keep(task.name, begun=True, points=best, of=grade.most(), passed=(
        grader.version(task, task.mine, gpu) if grade.passed()
        else before.get("passed", "")))
    return grade.passed()


def grade_one(task: tasks.Task, gpu: bool, make: Make) -> int:
    """Grade one file of mine/."""
    good = grader.build_trusted([task], gpu, make) and \
        grade_mine(task, gpu, make)
    return 0 if good else BELOW


def grade_all(gpu: bool, make: Make) -> int:
    """Grade all files of mine/."""
    there = [task for task in tasks.all_tasks() if os.path.isfile(task.mine)]
    if not there:
        raise tasks.Unusable("mine/ has no work yet; make progress names what "
                             "there is")
    if not grader.build_trusted(there, gpu, make):
        return BELOW
    tally = course.Tally()
    for task in there:
        tally.add(0 if grade_mine(task, gpu, make) else BELOW)
        print(flush=True)
    print("exercises and hunts:")
    tally.close()
    return tally.status


def grade_class(folder: str, out: str, only: Optional[tasks.Task], gpu: bool,
                make: Make) -> int:
    """Grade a folder of students: all tasks, or one."""
    good = of_class.grade_class(folder.rstrip("/"),
                                (out or "build/grades").rstrip("/"), only, gpu,
                                make)
    return 0 if good else BELOW
