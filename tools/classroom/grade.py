"""Grade exercises and bug hunts: one, all in mine/, or those of a class.

docs/teaching.md says what the layers are, docs/grader.md how the learner's process is
fed and verified. build/NAME/grade.json is Gradescope's results.json, build/NAME/grade.xml
JUnit, build/NAME/grade.txt what the learner is told. A file that has passed is not built
again. class_grade.py grades a class by what is here; what a program printed that failed
is told to the teacher alone (extra_data).

The status is 0 if all have passed, else 4.
"""

import json
import os
import signal
import subprocess
from contextlib import suppress
from typing import NamedTuple, Optional

from tools import course
from tools.classroom import grader, tasks
from tools.classroom.grade_report import (PRINTED, Grade, Outcome, gradescope,
                                          junit, to_tell)
from tools.machine import Make

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
        return " ".join([*map(tasks.contents, files), str(gpu),
                         os.environ.get("GRADE_SEED", "")]).strip()


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


def graded(job: Job, gpu: bool, make: Make) -> Grade:
    """Grade one file."""
    try:
        made = grader.grade_file(job.task, job.path, gpu, make)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        made = Grade(job.task, grader.shown(job.path), [
            Outcome(gate, "failed", "the grader failed", str(error))
            for gate in job.task.gates], "", 0)
    if grader.stopping.is_set():
        raise grader.Stopped
    return made


def report(job: Job, made: Grade, version: str) -> dict:
    """Write what came of a file; return it."""
    printed = [one.message.split(PRINTED)[1] for one in made.outcomes
               if PRINTED in one.message][:1]
    made = to_tell(made) if job.student else made._replace(confined="")
    found = gradescope(made)
    found["extra_data"].update(version=version, printed="".join(printed))
    course.write(f"{job.report}.txt", found["output"] + "\n")
    course.write(f"{job.report}.xml", junit(made))
    course.write(f"{job.report}.json", tasks.as_json(found))
    return found


# ---- mine/ -------------------------------------------------------------------


def grade_own(task: tasks.Task, gpu: bool, make: Make,
              made: Optional[Grade] = None, version: str = "") -> bool:
    """Grade the learner's own file, note it; a pass is not built again, nor what was
    made of this version."""
    job = Job(task, task.mine, f"build/{task.name}/grade")
    found = None if made else done_before(job, gpu)
    if not found or not found["extra_data"]["passed"]:
        version = version or job.version(gpu)
        found = report(job, made or graded(job, gpu, make), version)
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
