#!/usr/bin/env python3
"""Every exercise and hunt: its page, its skeleton, its solution.

Usage: tests/exercises.py [NAME...]     (the beginning of an exercise's name)

Each skeleton compiles, does what its page says under Now, and does not pass;
each solution passes with all points. Ends with `N passed, N failed`.
"""

import glob
import os
import re
import shlex
import sys
import tempfile

from checks import close, expect, read, write

import course
import grade_report
import grader
import skeletons
import tasks

ROUNDS = """    for (int stride = 1; stride < 32; stride *= 2) {
        float other = __shfl_up_sync(ALL_LANES, value, stride);
        if (lane >= stride)
"""
COPIES = """        copy4(&As[to][y][x], a + next, row < M && next + x < K);
        copy4(&Bs[to][y][x], b + next * ldb, next + y < K && col < N);
"""
# Right in another way: what the solution has, what is written in its place, and
# the gate that must not hold, since the idea of the exercise is not there. No
# gate: it is as good.
OTHER_WAYS = {
    "gemm_03_shared_tile": [(
        "As[y][k] * Bs[k][x]",
        "(row < M && col < N && k < left ? A[k - x] * B[(int64_t)(k - y) * "
        "ldb] : 0.0f)",
        "global_load_sectors")],
    "conv": [("tile[threadIdx.y + i][threadIdx.x + j]",
              "pixel(width, height, pitch, x, first_row + (int)threadIdx.y + i - "
              "RADIUS, first_col + (int)threadIdx.x + j - RADIUS)",
              "global_load_requests")],
    "gemm_07_bank_conflict": [("int x = thread % 32 / 2;\n    int y = thread / "
                               "32 * 2 + thread % 2;",
                               "int x = threadIdx.x, y = threadIdx.y;",
                               "shared_load_wavefronts")],
    "gemm_11_async": [("STAGES - 2", "0", "async_groups_left"),
                      (COPIES,  # behind the last tile empty groups
                       "        if (next < K) {\n" + COPIES + "        }\n",
                       "")],
    "reduction": [("int i = lane; i < PART; i += 32",  # by lane 0 alone
                   "int i = lane * PART; i < PART; i++",
                   "global_load_sectors")],
    "scan": [(ROUNDS,  # from lane to lane
              ROUNDS.replace("stride *= 2", "stride++").replace(
                  "value, stride", "value, 1").replace(">=", "=="),
              "lanes_per_instruction"),
             (ROUNDS,  # each lane adds up all before it
              "    float own = value;\n" + ROUNDS.replace(
                  "stride *= 2", "stride++").replace("value, s", "own, s"),
              "fadd")],
    "bank_conflict_padding": [("(WIDE + 2)", "(WIDE + 1)",
                               "shared_load_bank_conflicts")]}


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


def other_ways(task: tasks.Task, path: str) -> list:
    """Return whether what is naive fails, and what is as good passes."""
    found = []
    solution = read(task.solution)
    for part, instead, gate in OTHER_WAYS.get(task.name, []):
        write(path, solution.replace(part, instead))
        gates = [one for one in task.gates if one.text.startswith(gate)]
        done = grader.grade_file(task._replace(gates=gates), path, False)
        # What is wrong is not counted.
        good = any(x.state == "failed" and "not" not in x.note
                   for x in done.outcomes) if gate else \
            done.passed() and done.points() == task.points()
        found.append((f"another way, gate {gate or 'none'}",
                      part in solution and good, grade_report.table(done)))
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
              "structural" not in layers
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
        found += other_ways(task, path)
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
