#!/usr/bin/env python3
"""Grade exercises and bug hunts: one, all in mine/, or those of a class.

Usage: grade.py gpu|simulator one chapter|hunt NAME     (make chapter=X grade)
       grade.py gpu|simulator all                       (make grade-all)
       grade.py gpu|simulator class FOLDER OUT [chapter|hunt NAME]
                                         (make grade submissions=FOLDER out=OUT)

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

FOLDER has a folder for each student, with files named as in mine/. OUT gets
grades.csv and, for each file, STUDENT/NAME.json, .xml and .txt: what the student
is told. What is done there stays; the same command goes on after Ctrl-C.

Exit status: 0 all passed, 4 below a gate, 2 unusable arguments.
"""

import json
import os
import signal
import sys

import course
import grade_class
import grader
import tasks
from grade_report import as_json, gradescope, junit, table, write

BELOW = 4  # the status below a gate


def grade_mine(task: tasks.Task, gpu: bool) -> bool:
    """Grade the learner's own file; keep what came of it."""
    report = f"build/{task.name}/grade"
    there = os.path.isfile(task.mine)
    if there and tasks.state().get(task.name, {}).get("passed") == grader.version(
            task, task.mine, gpu) and os.path.exists(f"{report}.json") \
            and os.path.exists(f"{report}.xml"):
        with open(f"{report}.json", encoding="utf-8") as file:
            print(json.load(file)["output"])
        return True
    grade = grader.grade_file(task, task.mine, gpu)
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


def grade_all(gpu: bool) -> bool:
    """Grade all files of mine/."""
    there = [task for task in tasks.all_tasks() if os.path.isfile(task.mine)]
    if not there:
        raise tasks.Unusable("mine/ has no work yet; make progress names what "
                             "there is")
    if not grader.build_trusted(there, gpu):
        return False
    tally = course.Tally()
    for task in there:
        tally.add(0 if grade_mine(task, gpu) else BELOW)
        print(flush=True)
    print("exercises and hunts:")
    tally.close()
    return tally.failed == 0


def main() -> int:
    """Do what the command line says."""
    words = sys.argv[1:]
    if len(words) < 2 or words[0] not in ("gpu", "simulator") or \
            (words[1], len(words)) not in (("one", 4), ("all", 2),
                                           ("class", 4), ("class", 6)):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    gpu = words[0] == "gpu"
    course.forget_make()
    # Whoever ends this program, ends what it has started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if words[1] == "one":
        task = tasks.find(*words[2:])
        good = grader.build_trusted([task], gpu) and grade_mine(task, gpu)
    elif words[1] == "all":
        good = grade_all(gpu)
    else:
        only = tasks.find(*words[4:]) if words[4:] else None
        good = grade_class.grade_class(words[2].rstrip("/"), words[3].rstrip("/"), only, gpu)
    return 0 if good else BELOW


if __name__ == "__main__":
    course.script(main)
