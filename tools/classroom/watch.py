"""Grade the learner's file at every save, up to the first thing that fails.

What passes is noted at once, and the whole grade shown. In a terminal a key asks for
a hint, for the next exercise, or ends it, as Ctrl-C does. A save or a key ends the
grade that is under way.
"""

import contextlib
import os
import re
import select
import sys
import tempfile
import termios
import textwrap
import threading
import time
import tty
from concurrent.futures import ThreadPoolExecutor
from typing import Iterator, Optional, Tuple

from tools import course
from tools.classroom import exercise, grade, grader, tasks
from tools.machine import Make

PAUSE = 0.1  # s between two looks at the file
FINDING = re.compile(r"^\S+:\d+:\d+: [a-z-]+: ", re.M)
KEYS = "keys: h hint, n next exercise, q quit"


def first_failure(one: grader.Grader) -> str:
    """Say what passes; return what does not, "" if all does."""
    task = one.task
    try:
        one.take()
        one.build("simulator")
    except grader.Failed as error:
        return str(error)
    for gate in task.gates:
        lines = task.args(gate) if gate.layer == "correct" else []
        for i, line in enumerate(lines):
            record, why = one.size(lines, i)
            if not record:
                found = FINDING.search(why)  # a line of the learner's file is enough
                return (f"size {i + 1} of {len(lines)}: {one.at.get(line, line)}\n"
                        f"{why[found.start():] if found else why}\n"
                        f'again: make file={task.mine} run args="{line}"')
        if lines:
            print(f"  pass  {tasks.number(len(lines), 'size')}", flush=True)
        if gate.layer in ("counts", "order"):
            outcome = getattr(one, gate.layer)(gate)
            text = f"{gate.text}: {outcome.note} at {gate.at}"
            if outcome.state == "failed":
                return f"{text}\n{outcome.message}"
            if gate.points:
                print(f"  pass  {text}", flush=True)
    return ""


def look(task: tasks.Task, make: Make, new: bool) -> bool:
    """Show what the file comes to, on an empty screen if it is a new one; return
    whether that was not ended."""
    if new and sys.stdout.isatty():
        print("\x1b[2J\x1b[H", end="")
    print(f"{task.mine}, as it was at {time.strftime('%H:%M:%S')}", flush=True)
    version = grade.Job(task, task.mine, "").version(False)
    try:
        with tempfile.TemporaryDirectory(prefix="grade-") as folder:
            one = grader.Grader(task, task.mine, False, folder, make)
            why = first_failure(one)
            made = None if why else one.judged()
    except grader.Stopped:
        return False
    if made:
        grade.grade_own(task, False, make, made, version)
        print(exercise.next_words("next", task))
    else:
        print(textwrap.indent(why, "        ").replace("      ", "  FAIL", 1)
              + f"\n\n{time.monotonic() - one.begin:.1f} s; stuck? "
              f"make {task.words} hint")
    print(KEYS * os.isatty(0), flush=True)
    return True


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """Let a terminal hand on each key as it is pressed."""
    before = termios.tcgetattr(0)
    try:
        tty.setcbreak(0)
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def key() -> str:
    """Return the key that is pressed within PAUSE, or nothing; q if the terminal goes."""
    ready = select.select([0] * os.isatty(0), [], [], PAUSE)[0]
    return (os.read(0, 1).decode("latin-1") or "q") if ready else ""


def wait(task: tasks.Task, seen: str, over: threading.Event) -> Tuple[str, str]:
    """Wait for another text of the file or a key, which end a grade; return them."""
    now = pressed = ""
    while not over.is_set() and pressed not in ("h", "n", "q"):
        last, now = now, course.text_of(task.mine)  # "" while an editor replaces it
        if now and now == last != seen:  # an editor may write it in two steps
            grader.stop_all()
            return now, ""
        pressed = key()
    grader.stop_all()
    return "", pressed


def follow(task: tasks.Task, make: Make) -> str:
    """Look at each save of a task's file, until a key says n or q."""
    if not course.text_of(task.mine):
        exercise.exercise(task, make)
    if not grader.build_trusted([task], False, make):
        return "q"
    over = threading.Event()
    seen = begun = text = pressed = ""
    with ThreadPoolExecutor(1) as pool:
        try:
            while pressed not in ("n", "q"):
                if pressed == "h":
                    exercise.hint(task)
                grader.stopping.clear()
                waiting = pool.submit(wait, task, text or seen, over)
                if text:
                    new, begun = text != begun, text
                    seen = text * look(task, make, new)
                text, pressed = waiting.result()
        finally:
            over.set()
    return pressed


def watch(task: tasks.Task, make: Make = Make()) -> None:
    """Begin the exercise if there is no work yet; look at it until Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt), \
            single_keys() if os.isatty(0) else contextlib.nullcontext():
        following: Optional[tasks.Task] = task
        while following and follow(following, make) == "n":
            following = exercise.next_task(following)
            print(exercise.DONE * (not following))
    print()
