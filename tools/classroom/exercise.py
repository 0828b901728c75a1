"""Exercises and bug hunts: begin, get a hint, see the solution, begin anew.

Work that is there stays: reset keeps it as mine/NAME.1.cu, and asks before. What was
done is kept in mine/progress.json.
"""

import difflib
import os
import re
import shlex
import sys
import textwrap
from typing import Optional

from tools import course
from tools.classroom import skeletons, tasks
from tools.machine import Make

SHOWN = 14  # lines of output of a run
DONE = "every exercise and every hunt is done"
# It may go on in the comments below.
TODO = re.compile(r"^ *// TODO\b.*\n(?: *// .*\n)*", re.M)


def show_runs(task: tasks.Task, make: Make) -> None:
    """Build what the learner has; show what it prints."""
    program = f"build/simulator/own/{task.name}"
    if not make._replace(file=task.mine).made(program):
        print(f"\n{task.mine} does not compile yet, see above")
        return
    for now in task.now:
        print(f"\nNow: make file={task.mine} run on=simulator "
              f'args="{now.args}"', flush=True)
        run = course.run([program, *shlex.split(now.args)], record=False)
        said = tasks.first_lines(run.errors + run.output, SHOWN)
        print(textwrap.indent(said, "  | "))
        print(f"  status {run.status}")


def next_task(after: Optional[tasks.Task]) -> Optional[tasks.Task]:
    """Return the next task that has not passed: those of the same group, behind this
    one first."""
    every, done, group = tasks.all_tasks(), tasks.state(), course.groups()
    place = [task.name for task in every].index

    def order(task: tasks.Task) -> tuple:
        return after and (group[task.chapter] != group[after.chapter],
                          place(task.name) < place(after.name)) or ()

    return min((task for task in every if task != after
                and not done.get(task.name, {}).get("passed")), key=order, default=None)


def next_words(begin: str, after: Optional[tasks.Task]) -> str:
    """Say what is typed for this task, if it has not passed, or for the next one."""
    done = tasks.state()
    task = after if after and not done.get(after.name, {}).get("passed") else \
        next_task(after)
    if not task:
        return DONE
    goal = "grade" if done.get(task.name, {}).get("begun") else "exercise"
    return f"{begin}: make {task.words} {goal}    {task.title}"


def exercise(task: tasks.Task, make: Make = Make()) -> None:
    """Say what there is to do."""
    there = os.path.exists(task.mine)
    if not there:
        course.write(task.mine, skeletons.of(task))
    tasks.keep(task.name, begun=True)
    print(f"{task.title}\n\n{task.text}\n")
    if there:
        print(f"{task.mine} is there already and stays as it is;")
        print(f"make {task.words} reset begins anew")
        own = tasks.state()[task.name]
        # As it is now, and not only once before.
        if own.get("passed", "").startswith(tasks.contents(task.mine)):
            print(f"\npassed, {own['points']:g} of {own['of']:g} points; "
                  + next_words("next", task))
            return
    else:
        print(f"{task.mine} is yours now")
    text = course.text_of(task.mine)
    for match in TODO.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        what = re.sub("^ *// ", " " * 6, match[0].rstrip(), flags=re.M).strip()
        print(f"  {task.mine}:{line}: {what}")
    print(f"Budget: {tasks.number(task.budget, 'line')}")
    for gate in task.gates:
        if gate.layer == "counts" and gate.points:
            print(f"Counts: {gate.text} at {gate.at}")
    show_runs(task, make)
    print(f"\nThen:   make {task.words} watch, which grades at every save; or grade\n"
          f"Stuck?  make {task.words} hint")


def hint(task: tasks.Task) -> None:
    """Reveal the next hint; behind the last one, all of them."""
    seen = tasks.state().get(task.name, {}).get("hints", 0)
    first = seen if seen < len(task.hints) else 0
    last = min(seen + 1, len(task.hints))
    for number in range(first, last):
        print(f"Hint {number + 1} of {len(task.hints)}:")
        print(textwrap.indent(task.hints[number], "  "))
    if seen >= len(task.hints):
        print(f"That was all; make {task.words} solution shows the rest")
    tasks.keep(task.name, hints=last)


def solution(task: tasks.Task) -> None:
    """Show the solution, as the difference from what the learner has."""
    done = tasks.state().get(task.name, {})
    if not done.get("passed") and not done.get("asked"):
        tasks.keep(task.name, asked=1)
        print(f"{task.mine} has not passed yet. "
              f"make {task.words} hint may be enough;\n"
              "ask again, and you see the solution.")
        return
    tasks.keep(task.name, asked=done.get("asked", 0) + 1)
    skeleton = skeletons.of(task)
    mine = course.text_of(task.mine) or skeleton
    todo = "".join(TODO.findall(skeleton)).splitlines()
    yours = [line for line in map(str.rstrip, mine.splitlines()) if line not in todo]
    right = skeletons.solved(task).splitlines()
    found = list(difflib.unified_diff(yours, right, lineterm="", n=2))[2:]
    print("\n".join([f"{task.solution}: what it has (+) in place of yours (-)",
                     *found]) if found else
          f"{task.solution}: yours is the same")


def reset(task: tasks.Task) -> None:
    """Begin anew, if the learner says yes."""
    if not os.path.exists(task.mine):
        print(f"there is no {task.mine}; make {task.words} exercise makes it")
        return
    number = 1
    while os.path.exists(f"{task.mine[:-3]}.{number}.cu"):
        number += 1
    kept = f"{task.mine[:-3]}.{number}.cu"
    print(f"{task.mine} begins anew; what is there now is kept as {kept}.\n"
          "Do it? [yes/no] ", end="", flush=True)
    answer = sys.stdin.readline().strip().lower()
    if not sys.stdin.isatty():
        print(answer)
    if answer not in ("y", "yes"):
        print("nothing has changed")
        return
    os.rename(task.mine, kept)
    try:
        course.write(task.mine, skeletons.of(task))
        tasks.keep(task.name, hints=0, asked=0)
    except OSError as error:  # the disk is full
        os.replace(kept, task.mine)
        raise course.Unusable(f"reset: {error.strerror}; {task.mine} is as it "
                              "was") from None
    print(f"{task.mine} is the skeleton again")


def progress() -> None:
    """Print a table of all tasks and what is next."""
    every, done = tasks.all_tasks(), tasks.state()
    passed = points = total = 0
    for task in every:
        own = done.get(task.name, {})
        what = ("passed" if own.get("passed") else
                "begun" if own.get("begun") or "points" in own else "")
        of = own.get("of", task.points())
        hints = own.get("hints", 0)
        extras = [tasks.number(hints, "hint")] * bool(hints) + \
            ["solution seen"] * (own.get("asked", 0) > 1)
        print(f"{task.words:<32}{what:<8}{own.get('points', 0):>4g} of "
              f"{of:<4g} {', '.join(extras)}".rstrip())
        passed += bool(own.get("passed"))
        points += own.get("points", 0)
        total += of
    print(f"\n{passed} of {len(every)} passed, "
          f"{points:g} of {total:g} points")
    print(next_words("Next", tasks.last()))
