"""Exercises and bug hunts: begin, get a hint, see the solution, begin anew.

exercise  writes the skeleton to mine/, unless there is work already; says what
          to do, where, in how many lines, and shows what it prints now;
          behind a pass, what is next
hint      reveals the next of three hints
solution  shows it to those who have passed, or ask twice
reset     begins anew, and keeps what was there as mine/NAME.1.cu; asks before
progress  what is done, what is next

What was done is kept in mine/progress.json.
"""

import difflib
import os
import re
import shlex
import sys
from typing import Dict, Iterable, List, Optional, Tuple

import course
import skeletons
import tasks
from machine import Make

SHOWN = 14  # lines of output of a run


def indent(text: str, by: str = "  ") -> str:
    """Return the lines of a text, indented."""
    return "\n".join((by + line).rstrip() for line in text.splitlines())


def write_skeleton(task: tasks.Task) -> None:
    """Begin: a file of the learner's own."""
    text = skeletons.of(task)
    os.makedirs(tasks.MINE, exist_ok=True)
    with open(task.mine, "w", encoding="utf-8") as file:
        file.write(text)


def places(task: tasks.Task) -> List[str]:
    """Return where something is to be written: file:line: what."""
    found: List[str] = []
    inside = False  # a comment of several lines
    with open(task.mine, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(map(str.strip, file), 1):
            begins = bool(re.match("// TODO\\b", line))
            inside = begins or (inside and line.startswith("//"))
            if begins:
                found.append(f"{task.mine}:{number}: {line[3:]}")
            elif inside:
                found[-1] += f"\n      {line[3:]}"
    return found


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
        lines = (run.errors + run.output).splitlines()
        print(indent("\n".join(lines[:SHOWN]), "  | "))
        if len(lines) > SHOWN:
            more = len(lines) - SHOWN
            print(f"  | ... {more} line{'s' if more > 1 else ''} more")
        print(f"  status {run.status}")


def following(every: List[tasks.Task],
              done: Dict[str, dict]) -> Optional[tasks.Task]:
    """Return the first task that has not passed."""
    return next((task for task in every
                 if not done.get(task.name, {}).get("passed")), None)


def next_words(task: tasks.Task, done: Dict[str, dict]) -> str:
    """Return what is typed for a task that is next."""
    begun = done.get(task.name, {}).get("begun")
    return f"make {task.words} {'grade' if begun else 'exercise'}"


def has_passed(task: tasks.Task, done: Dict[str, dict]) -> bool:
    """Whether the file as it is now has passed."""
    version = done.get(task.name, {}).get("passed") or " "
    return os.path.exists(task.mine) and \
        version.split(" ")[0] == tasks.contents(task.mine)


def exercise(task: tasks.Task, make: Make = Make()) -> None:
    """Say what there is to do."""
    there = os.path.exists(task.mine)
    if not there:
        write_skeleton(task)
    tasks.keep(task.name, begun=True)
    print(f"{task.title}\n\n{task.text}\n")
    if there:
        print(f"{task.mine} is there already and stays as it is;")
        print(f"make {task.words} reset begins anew")
        done = tasks.state()
        if has_passed(task, done):
            own, then = done[task.name], following(tasks.all_tasks(), done)
            print(f"\npassed, {tasks.show(own['points'])} of "
                  f"{tasks.show(own['of'])} points; " + (
                      f"next: {next_words(then, done)}" if then else
                      "every exercise and every hunt is done"))
            return
    else:
        print(f"{task.mine} is yours now")
    for place in places(task):
        print(f"  {place}")
    print(f"Budget: {task.budget} line{'s' if task.budget > 1 else ''}")
    show_runs(task, make)
    print(f"\nThen:   make {task.words} grade\n"
          f"Stuck?  make {task.words} hint")


def hint(task: tasks.Task) -> None:
    """Reveal the next hint; behind the last one, all of them."""
    seen = tasks.state().get(task.name, {}).get("hints", 0)
    first = seen if seen < len(task.hints) else 0
    last = min(seen + 1, len(task.hints))
    for number in range(first, last):
        print(f"Hint {number + 1} of {len(task.hints)}:")
        print(indent(task.hints[number]))
    if seen >= len(task.hints):
        print(f"That was all; make {task.words} solution shows the rest")
    tasks.keep(task.name, hints=last)


def without_marks(text: Iterable[str]) -> Tuple[List[str], List[str]]:
    """Return a text's lines, and apart those that say what is to be written.

    What the skeleton has instead is no part of the solution; the sentence behind
    TODO or [write N] may go on in the comments below it.
    """
    kept: List[str] = []
    marks: List[str] = []
    task = False
    for line in map(str.rstrip, text):
        words = line.lstrip()
        task = bool(re.match(r"// (TODO\b|\[write \d+\])", words)) or (
            task and words.startswith("// "))
        mark = task or re.match(r"//(:| \[(end|hunt)\]$)", words)
        (marks if mark else kept).append(line)
    return kept, marks


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
    mine = skeletons.of(task).splitlines()
    if os.path.exists(task.mine):
        with open(task.mine, encoding="utf-8", errors="replace") as file:
            mine = file.readlines()
    with open(task.solution, encoding="utf-8") as file:
        right, marks = without_marks(file)
    # Whoever has deleted the TODO may have left the lines below it.
    yours = [line for line in without_marks(mine)[0] if line not in marks]
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
    write_skeleton(task)
    tasks.keep(task.name, hints=0, asked=0)
    print(f"{task.mine} is the skeleton again")


def progress() -> None:
    """Print a table of all tasks and what is next."""
    every, done = tasks.all_tasks(), tasks.state()
    passed = points = total = 0
    for task in every:
        own = done.get(task.name, {})
        what = ("passed" if own.get("passed") else
                "begun" if own.get("begun") or own.get("points") is not None
                else "")
        hints = own.get("hints", 0)
        of = own.get("of", task.points())
        extras = ([f"{hints} hint{'s' if hints > 1 else ''}"] if hints else []) \
            + (["solution seen"] if own.get("asked", 0) > 1 else [])
        print(f"{task.words:<32}{what:<8}"
              f"{tasks.show(own.get('points', 0)):>4} of {tasks.show(of):<4} "
              f"{', '.join(extras)}".rstrip())
        passed += bool(own.get("passed"))
        points += own.get("points", 0)
        total += of
    print(f"\n{passed} of {len(every)} passed, "
          f"{tasks.show(points)} of {tasks.show(total)} points")
    then = following(every, done)
    if then:
        print(f"Next: {next_words(then, done)}    {then.title}")
    elif every:
        print("You are at the end: every exercise and every hunt is done.")
