"""Every exercise and hunt: its page, its skeleton, its solution.

Usage: python3 -m tests.exercises [NAME...]     (the beginning of an exercise's name)

Each skeleton compiles, does what its page says under Now, and does not pass;
each solution passes with all points. Ends with `N passed, N failed`.
"""

import glob
import os
import re
import shlex
import sys
import tempfile

from tests.checks import close, expect, read, write
from tools import course, edits
from tools.classroom import grade_report, grader, skeletons, tasks


def skeleton_runs(task: tasks.Task, path: str) -> list:
    """Return [(what, holds, output)] of the runs that the page shows."""
    program = f"build/simulator/own/skeleton_{task.name}"
    built = course.Make(file=path).made(program)
    found = [("its skeleton compiles", built, "")]

    def run(args: str) -> course.Run:
        return course.run([program, *shlex.split(args)], record=False)

    for now in task.now * built:
        done = run(now.args)
        output = done.output + done.errors
        found += [(f"its skeleton says {word!r} with {now.args}",
                   word in output, output) for word in now.words]
        found.append((f"its skeleton ends with {now.status} with {now.args}",
                      done.status == now.status, f"status {done.status}"))
    # One that is right fails by its counts: they are quicker than all sizes.
    correct = next(gate for gate in task.gates if gate.layer == "correct")
    others = task._replace(gates=[x for x in task.gates if x != correct])
    passes = built and run(task.args(correct)[0]).status == 0 and all(
        grader.grade_file(x, path, False).passed() for x in (others, task))
    found.append(("its skeleton does not pass", not passes, ""))
    return found


def without_idea(task: tasks.Task, path: str) -> list:
    """Return whether what is right without the idea misses the gate for it."""
    found = []
    for one in edits.entries(task.name, "cheat"):
        for gate in re.findall("^misses: (.+)", "\n".join(one.ends), re.M):
            write(path, edits.text_of(one, read(task.solution)))
            gates = [x for x in task.gates if x.text.startswith(gate)]
            done = grader.grade_file(task._replace(gates=gates), path, False)
            # What is wrong is not counted.
            found.append((f"{one.name} misses {gate}", any(
                x.state == "failed" and "not" not in x.note
                for x in done.outcomes), grade_report.table(done)))
    return found


def ordered(task: tasks.Task, path: str) -> list:
    """Return whether a gate `order` says what is wrong with an order, or a kernel."""
    solution, found = read(task.solution), []
    gates = [gate for gate in task.gates if gate.layer == "order"]
    named = skeletons.ORDER.findall(solution)[0] if gates else ""
    for text, order, words in ((solution, "1", "who goes first"),
                               (solution, "block:1", "right in that order, too"),
                               (read(path), named, "makes it wrong; yours still")) * len(gates):
        write(path, skeletons.ORDER.sub(f"// order: {order}", text))
        said = grade_report.table(grader.grade_file(task._replace(gates=gates), path, False))
        found.append((f"its grade says {words}", words in said, said))
    return found


def timed(gate: tasks.Gate, chapter: str) -> bool:
    """Whether a gate of speed can be read, and its variant is there."""
    match = grader.SPEED.fullmatch(gate.text)
    return match is not None and (match.group(2) is None or bool(
        glob.glob(f"chapters/{chapter}/kernels/*_{match.group(2)}.cuh")))


def check_task(task: tasks.Task) -> list:
    """Return [(what, holds, more)] of one task."""
    page = read(task.page)
    layers = {gate.layer for gate in task.gates}
    budgets = [int(number) for number in re.findall(
        r"^\s*// \[write (\d+)\]", read(task.solution), re.M)]
    found = [("its budget is that of its solution",
              task.hunt or sum(budgets) == task.budget, f"{budgets}"),
             ("its hints say something",
              all(len(hint) > 20 for hint in task.hints), ""),
             ("its page says what it shows",
              not re.search(r"^## Now\s+```", page, re.M), ""),
             ("its page says where the bounds come from",
              "counts" not in layers
              or not re.search(r"^## Gates\s+\|", page, re.M), ""),
             ("its gates of speed can be timed",
              all(timed(gate, task.chapter) for gate in task.gates
                  if gate.layer == "speed"), "")]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{task.name}.cu")
        write(path, skeletons.of(task))
        found += skeleton_runs(task, path)
        done = grader.grade_file(task, task.solution, False)
        found.append(("its solution has all points",
                      done.passed() and done.points() == task.points(),
                      grade_report.table(done)))
        found += ordered(task, path) + without_idea(task, path)
    return found


def main() -> int:
    """Check the tasks whose names begin so, or all."""
    os.environ.update(SIM_THREADS="1", optimize="-O1")
    os.environ.pop("GRADE_SECONDS", None)
    wanted = tuple(sys.argv[1:] or [""])
    chosen = [task for task in tasks.all_tasks()
              if task.name.startswith(wanted)]
    expect("there are such tasks", bool(chosen))
    expect("what is trusted can be built", grader.build_trusted(chosen, False))
    for task, found in zip(chosen, course.together(2, check_task, chosen)):
        for what, holds, more in found:
            expect(f"{task.name}: {what}", holds, more)
    return close()


if __name__ == "__main__":
    course.script(main)
