"""Grade the learner's file at every save, up to the first thing that fails.

Of a file that passes the whole grade is shown, and noted. Ctrl-C ends it.
"""

import re
import sys
import tempfile
import textwrap
import time

from tools import course
from tools.classroom import exercise, grade, grader, tasks
from tools.machine import Make

PAUSE = 0.1  # s between two looks at the file
FINDING = re.compile(r"^\S+:\d+:\d+: [a-z-]+: ", re.M)


def decisive(why: str) -> str:
    """Return what names a line of the learner's file, or all if nothing does."""
    found = FINDING.search(why)
    return why[found.start():] if found else why


def first_failure(task: tasks.Task, make: Make) -> str:
    """Say what passes; return what does not, "" if all does."""
    with tempfile.TemporaryDirectory(prefix="grade-") as folder:
        one = grader.Grader(task, task.mine, False, folder, make)
        try:
            one.take()
            one.build("simulator")
        except grader.Failed as error:
            return str(error)
        for gate in task.gates:
            lines = task.args(gate) if gate.layer == "correct" else []
            for i, line in enumerate(lines):
                record, why = one.simulated(line, i == 0)
                if not record:
                    at = line if i else grader.failed_at(line, why)
                    return (f"size {i + 1} of {len(lines)}: {at}\n{decisive(why)}\n"
                            f'again: make file={task.mine} run args="{line}"')
            if lines:
                print(f"  pass  {tasks.number(len(lines), 'size')}", flush=True)
            if gate.layer == "structural":
                outcome = one.structural(gate)
                text = f"{gate.text}: {outcome.note} at {gate.at}"
                if outcome.state == "failed":
                    return f"{text}\n{outcome.message}"
                print(f"  pass  {text}", flush=True)
    return ""


def look(task: tasks.Task, make: Make) -> None:
    """Show what the file that was saved comes to."""
    if sys.stdout.isatty():
        print("\x1b[2J\x1b[H", end="")  # an empty screen
    print(f"{task.mine}, as it was at {time.strftime('%H:%M:%S')}", flush=True)
    begin = time.monotonic()
    why = first_failure(task, make)
    if not why:
        print("all of it passes; the whole grade:\n", flush=True)
        grade.grade_own(task, False, make)
        print(exercise.next_words(tasks.state(), "next", ""), flush=True)
        return
    print(textwrap.indent(why, "        ").replace("      ", "  FAIL", 1)
          + f"\n\n{time.monotonic() - begin:.1f} s; stuck? make {task.words} hint",
          flush=True)


def watch(task: tasks.Task, make: Make = Make()) -> None:
    """Begin the exercise if there is no work yet; look at it until Ctrl-C."""
    if not course.text_of(task.mine):
        exercise.exercise(task, make)
    seen = last = ""
    try:
        if not grader.build_trusted([task], False, make):
            return
        while True:
            now = course.text_of(task.mine)  # "" while an editor replaces it
            if now and now == last != seen:  # an editor may write it in two steps
                seen = now
                look(task, make)
            last = now
            time.sleep(PAUSE)
    except KeyboardInterrupt:
        print()
