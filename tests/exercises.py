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
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
os.chdir(ROOT)
sys.path.insert(0, os.path.join(ROOT, "tools"))

import course  # noqa: E402
import grade_report  # noqa: E402
import grader  # noqa: E402
import skeletons  # noqa: E402
import tasks  # noqa: E402

tally = course.Tally()


def expect(what: str, holds: bool, more: str = "") -> None:
    """Count one test; say what does not hold."""
    tally.add(0 if holds else 1)
    if not holds:
        print(f"FAIL {what}" + "".join(f"\n    {line}"
                                       for line in more.splitlines()[:12]))


def skeleton_runs(task: tasks.Task, path: str) -> list:
    """Return [(what, holds, output)] of the runs that the page shows."""
    program = path[:-len(".cu")]
    built = subprocess.run(
        [sys.executable, "-B", "simulator/simcc", "-O2", "-I", "common",
         path,
         "build/simulator/libcommon.a", "-Wl,--as-needed", *PNG, "-o", program],
        capture_output=True, text=True)
    found = [("its skeleton compiles", built.returncode == 0, built.stderr)]
    for now in task.now if built.returncode == 0 else []:
        run = course.run([program, *shlex.split(now.args)], record=False)
        output = run.output + run.errors
        found += [(f"its skeleton says {word!r} with {now.args}",
                   word in output, output) for word in now.words]
        found.append((f"its skeleton ends with {now.status} with {now.args}",
                      run.status == now.status, f"status {run.status}"))
    wrong = built.returncode != 0 or any(
        course.run([program, *shlex.split(line)], record=False).status
        for gate in task.gates if gate.layer == "correct"
        for line in task.args(gate))
    found.append(("its skeleton does not pass", wrong or not
                  grader.grade_file(task, path, False).passed(), ""))
    return found


def timed(gate: tasks.Gate, chapter: str) -> bool:
    """Whether a gate of speed can be read, and its variant is there."""
    match = grader.SPEED.fullmatch(gate.text)
    return match is not None and (match.group(3) is None or bool(
        glob.glob(f"chapters/{chapter}/*_{match.group(3)}.cuh")))


# Right without the idea of the exercise: what the solution has, what is written
# in its place, the gate that must not hold.
ROUNDS = """    for (int stride = 1; stride < 32; stride *= 2) {
        float other = __shfl_up_sync(ALL_LANES, value, stride);
        if (lane >= stride)
"""
NAIVE = {
    "gemm_03_shared_tile": [(
        "As[y][k] * Bs[k][x]",
        "(row < M && col < N && k < left ? A[k - x] * B[(int64_t)(k - y) * "
        "ldb] : 0.0f)",
        "global_load_sectors")],
    "gemm_07_bank_conflict": [("int x = thread % 32 / 2;\n    int y = thread / "
                               "32 * 2 + thread % 2;",
                               "int x = threadIdx.x, y = threadIdx.y;",
                               "shared_load_wavefronts")],
    "gemm_11_async": [("STAGES - 2", "0", "async_groups_left")],
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


def naive(task: tasks.Task, solution: str, folder: str) -> list:
    """Return whether what is naive is right, and is refused by its gate."""
    found = []
    path = os.path.join(folder, f"{task.name}.cu")
    for part, instead, gate in NAIVE.get(task.name, []):
        with open(path, "w", encoding="utf-8") as file:
            file.write(solution.replace(part, instead))
        done = grader.grade_file(task._replace(gates=[
            one for one in task.gates if one.text.split(" ")[0] == gate]),
            path, False)
        # What is wrong is not counted.
        found.append((f"what is naive fails {gate}", part in solution
                      and any(outcome.state == "failed" and "not" not in
                              outcome.note for outcome in done.outcomes),
                      grade_report.table(done)))
    return found


# As good as the solution, in another way: what the solution has, and what is
# written in its place.
COPIES = """        copy4(&As[to][y][x], a + next, row < M && next + x < K);
        copy4(&Bs[to][y][x], b + next * ldb, next + y < K && col < N);
"""
ANOTHER_WAY = {
    "gemm_11_async": [(COPIES,  # behind the last tile empty groups
                       "        if (next < K) {\n" + COPIES + "        }\n")]}


def another_way(task: tasks.Task, solution: str, folder: str) -> list:
    """Return whether what is as good as the solution has all points."""
    found = []
    path = os.path.join(folder, f"{task.name}.cu")
    for part, instead in ANOTHER_WAY.get(task.name, []):
        with open(path, "w", encoding="utf-8") as file:
            file.write(solution.replace(part, instead))
        done = grader.grade_file(task, path, False)
        found.append(("another way has all points", part in solution
                      and done.passed() and done.points() == task.points(),
                      grade_report.table(done)))
    return found


def check_task(task: tasks.Task) -> list:
    """Return [(what, holds, more)] of one task."""
    with open(task.solution, encoding="utf-8") as file:
        solution = file.read()
    with open(task.page, encoding="utf-8") as file:
        page = file.read()
    budgets = [int(number) for number in
               re.findall(r"^\s*// \[write (\d+)\]", solution, re.M)]
    found = [("its budget is that of its solution",
              task.hunt or sum(budgets) == task.budget, f"{budgets}"),
             ("its hints say something",
              all(len(hint) > 20 for hint in task.hints), ""),
             ("its page says what it shows",
              not re.search(r"^## Now\s+```", page, re.M), ""),
             ("its page says where the bounds come from",
              all(gate.layer != "structural" for gate in task.gates)
              or not re.search(r"^## Gates\s+\|", page, re.M), ""),
             ("its gates of speed can be timed",
              all(timed(gate, task.chapter) for gate in task.gates
                  if gate.layer == "speed"), "")]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{task.name}.cu")
        with open(path, "w", encoding="utf-8") as file:
            file.write(skeletons.of(task))
        found += skeleton_runs(task, path)
    with tempfile.TemporaryDirectory() as folder:
        done = grader.grade_file(task, task.solution, False)
        found.append(("its solution has all points",
                      done.passed() and done.points() == task.points(),
                      grade_report.table(done)))
        found += naive(task, solution, folder)
        found += another_way(task, solution, folder)
    return found


def main() -> int:
    """Check the tasks whose names begin so, or all."""
    course.forget_make()
    os.environ.update(SIM_THREADS="1", NO_COLOR="1")
    os.environ.pop("GRADE_SECONDS", None)
    wanted = tuple(sys.argv[1:] or [""])
    chosen = [task for task in tasks.all_tasks()
              if task.name.startswith(wanted)]
    expect("there are such tasks", bool(chosen))
    expect("what is trusted can be built", grader.build_trusted(chosen, False))
    for task, found in zip(chosen, course.together(2, check_task, chosen)):
        for what, holds, more in found:
            expect(f"{task.name}: {what}", holds, more)
    tally.close()
    return tally.status


# common/picture.c asks for it where it is.
PNG = ["-lpng"] if subprocess.run(
    ["cc", "-include", "png.h", "-E", "-x", "c", os.devnull],
    capture_output=True).returncode == 0 else []

if __name__ == "__main__":
    course.script(main)
