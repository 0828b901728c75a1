#!/usr/bin/env python3
"""Every exercise and hunt: its page, its skeleton, its solution, its commands.

Usage: tests/exercises.py [NAME...]     (the beginning of an exercise's name)
       tests/exercises.py --commands    (what does not depend on them)

Each skeleton compiles, does what its page says under Now, and does not pass;
each solution passes with all points. Then the commands of exercise.py in a
folder of their own. Ends with `N passed, N failed`.
"""

import glob
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from contextlib import redirect_stdout
from unittest import mock

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
os.chdir(ROOT)
sys.path[:0] = [os.path.join(ROOT, "tools"),
                os.path.join(ROOT, "tests", "gpu")]

import course  # noqa: E402
import exercise  # noqa: E402
import grade_class  # noqa: E402
import grade_report  # noqa: E402
import grader  # noqa: E402
import screen  # noqa: E402
import skeletons  # noqa: E402
import speed  # noqa: E402
import tasks  # noqa: E402

tally = course.Tally()


def expect(what: str, holds: bool, more: str = "") -> None:
    """Count one test; say what does not hold."""
    tally.add(0 if holds else 1)
    if not holds:
        print(f"FAIL {what}" + "".join(f"\n    {line}"
                                       for line in more.splitlines()[:12]))


def raises(kind: type, function, *arguments) -> str:
    """Return the message of the error that must come; "" if none does."""
    try:
        function(*arguments)
    except kind as error:
        return str(error) or "?"
    return ""


# ---- every task --------------------------------------------------------------


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


def check_tasks(wanted: list) -> None:
    """Check the tasks whose names begin so."""
    chosen = [task for task in tasks.all_tasks()
              if any(task.name.startswith(name) for name in wanted)]
    expect("there are such tasks", bool(chosen))
    expect("what is trusted can be built", grader.build_trusted(chosen, False))
    for task, found in zip(chosen, course.together(2, check_task, chosen)):
        for what, holds, more in found:
            expect(f"{task.name}: {what}", holds, more)


# ---- skeletons.py ------------------------------------------------------------

SOLUTION = """\
// a program
    // [write 2] the row
    // and the column
    int row = 1;

    int col = 2; // here
    //: int row = 0;
    //: int col = 0;
    // [end]
    x();
"""
SKELETON = """\
// a program
    // TODO, 2 lines: the row
    // and the column
    int row = 0;
    int col = 0;
    x();
"""


def check_skeletons() -> None:
    """What skeletons.py makes, and what it refuses."""
    made = skeletons.skeleton(SOLUTION, "solutions/a.cu")
    expect("a skeleton", made == SKELETON, made)
    hunt = "// hunt of gemm_01_naive\n// [hunt]\na();\n//: b();\n// [end]\n"
    made = skeletons.skeleton(hunt, "solutions/hunt_a.cu")
    expect("a hunt says nothing", made == "// hunt of gemm_01_naive\nb();\n", made)
    for what, text, path in (
            ("lines beyond the budget",
             SOLUTION.replace("[write 2]", "[write 1]"), "solutions/a.cu"),
            ("no [end]", SOLUTION.replace("// [end]", ""), "solutions/a.cu"),
            ("no region", "int x;\n", "solutions/a.cu"),
            ("[end] alone", "// [end]\n", "solutions/a.cu"),
            ("a hunt's region in an exercise", hunt, "solutions/a.cu"),
            ("a region in a region", "// [write 1]\n" + SOLUTION,
             "solutions/a.cu")):
        expect(f"refuses {what}", bool(raises(
            tasks.Unusable, skeletons.skeleton, text, path)))
    every = tasks.all_tasks()
    why = "".join(raises(tasks.Unusable, skeletons.of, task) for task in every)
    expect("a skeleton of each solution", not why, why)
    expect("each solution has a page", {task.solution for task in every} ==
           set(glob.glob("solutions/*.cu")))
    expect("each hunt names its chapter", all(skeletons.of(task).startswith(
        f"// hunt of {task.chapter}\n") for task in every if task.hunt))


# ---- screen.py ---------------------------------------------------------------


def check_screen() -> None:
    """Words that are refused wherever they hide, and words that are not."""
    for text in ("int x = sim_counters();", "si\\\nm_counters();", "a ## b",
                 "sim::run();", '#include "../x.h"', "#include HEADER",
                 "#include </etc/passwd>", "char c = '\"'; sim_x(); // '\"'",
                 'asm("si" "m_x");', 'asm volatile(".globl x;");',
                 'asm("syscall;");', "#pragma weak x", "__attribute__((x)) f;",
                 "libraries[0].enqueue(p);", "cudaMemcpyAsync(a, b, 4, k);",
                 'R"(x)";', "[[gnu::alias(\"x\")]] f;", "dlsym(0, 0);"):
        expect(f"refuses {text}", bool(screen.source(text, "")))
    for text in ("__syncthreads(); // sim_counters()", "#pragma unroll 4",
                 "#include <stdio.h>", "#include <cmath>",
                 "#include <cuda_pipeline.h>", 'printf("sim_x");',
                 'asm volatile("cp.async.wait_all;");', "int similar = 3;",
                 'asm("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p));',
                 "cudaMemcpyToSymbolAsync(f, p, 4);"):
        why = screen.source(text, "")
        expect(f"allows {text}", why is None, str(why))
    expect("allows what the skeleton has",
           screen.source('#include "gemm.h"', '#include "gemm.h"') is None)


# ---- pages, gates, reports ---------------------------------------------------


def check_gates() -> None:
    """Gates of counters."""
    counts = {"global_load_sectors": 8.0, "global_load_requests": 2.0}
    for text, holds, left in (
            ("global_load_sectors / global_load_requests <= 4", True, 4),
            ("global_load_sectors <= 7.9", False, 8),
            ("global_load_sectors - 2 * global_load_requests == 4", True, 4),
            ("barriers >= 1", False, 0), ("shared_load_bank_conflicts == 0",
                                          True, 0)):
        expect(f"gate {text}", grader.counted(text, counts) == (holds, left))
    holds, _ = grader.counted("barriers / ffma <= 1", counts)
    expect("0 / 0 passes no gate", not holds)
    for text in ("sectors <= 4", "global_load_sectors", "open('x') <= 4",
                 "1 <= 2 <= 3", "global_load_sectors <="):
        expect(f"refuses the gate {text}", bool(raises(
            tasks.Unusable, grader.counted, text, counts)))


def check_pages() -> None:
    """Pages that cannot be read say so."""
    page = "```\n$ --M 1\nwrong\nstatus 1\n$ --M 2\nstatus 0\n```\n"
    runs = tasks.read_now("x", page)
    expect("two runs", runs == [("--M 1", ["wrong"], 1), ("--M 2", [], 0)])
    for what, function, text in (
            ("no status", tasks.read_now, "```\n$ --M 1\nwrong\n```\n"),
            ("no run", tasks.read_now, "wrong"),
            ("two hints", tasks.read_hints, "1. a\n2. b\n"),
            ("no gate correct", tasks.read_gates, "| 2 | speed | x | y |\n"),
            ("a layer", tasks.read_gates, "| 2 | fast | x | y |\n"),
            ("correct without its words", tasks.read_gates,
             "| 4 | correct | | |\n"),
            ("no points", tasks.read_gates,
             f"| a | correct | {' | '.join(tasks.CORRECT) % 'check.args'} |\n")):
        expect(f"refuses a page: {what}", bool(raises(
            tasks.Unusable, function, "x", text)))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "exercise.md")
        row = f"| 4 | correct | {' | '.join(tasks.CORRECT)} |\n"
        expect("the chapter's sizes", bool(tasks.read_gates(
            path, row % "check.args")))
        with open(os.path.join(folder, "exercise.args"), "w") as file:
            file.write("--M 1\n")
        expect("sizes of its own", bool(tasks.read_gates(
            path, row % "exercise.args")))
        expect("sizes of its own, not named", bool(raises(
            tasks.Unusable, tasks.read_gates, path, row % "check.args")))
    few = tasks.find("chapter", "gemm_12_stream_k")
    expect("a grade takes the sizes of its own",
           few.args(few.gates[0]) == course.check_args(
               few.chapter, name="exercise.args") != [])


def check_reports() -> None:
    """results.json and JUnit: what their readers need."""
    task = tasks.find("chapter", "gemm_01_naive")
    gates = [tasks.Gate(4, "correct", "", ""),
             tasks.Gate(2, "structural", "a < 1 & b", "--M 1"),
             tasks.Gate(2, "speed", ">= 0.9 of chapter", "--M 1")]
    made = grade_report.Grade(task, "mine/x.cu", [
        grade_report.Outcome(gates[0], "passed", "11 command lines"),
        grade_report.Outcome(gates[1], "failed", "7", "a \x1b[1m<message>"),
        grade_report.Outcome(gates[2], "skipped", "not asked: no GPU")], "", 1.5)
    found = json.loads(json.dumps(grade_report.gradescope(made)))
    expect("results.json", (found["score"], found["max_score"]) == (4, 6)
           and [test["status"] for test in found["tests"]]
           == ["passed", "failed"] and found["tests"][1]["score"] == 0)
    suite = xml.etree.ElementTree.fromstring(grade_report.junit(made))
    expect("JUnit", suite.get("failures") == "1" and suite.get("skipped") == "1"
           and suite[1][0].tag == "failure" and len(suite) == 3)
    expect("the table's end", grade_report.table(made).endswith(
        "4 of 6 points\n1 passed, 1 failed, 1 skipped"), grade_report.table(made))
    expect("one that failed has not passed", not made.passed())
    said = grade_report.table(made._replace(outcomes=[
        grade_report.Outcome(gates[0], "failed", "--M 2", "wrong: 7"),
        grade_report.Outcome(gates[1], "failed", "not counted: it failed",
                             "wrong: 8"),
        grade_report.Outcome(gates[2], "failed", "no time", "wrong: 9")]))
    expect("what is wrong is said once, of speed once more",
           re.findall(r"wrong: \d|failed at .*", said)
           == ["wrong: 7", "failed at --M 1", "wrong: 9"], said)
    said = grade_report.table(made._replace(outcomes=[
        grade_report.Outcome(gate, "failed", grade_report.NOT_BUILT, "why")
        for gate in gates]))
    expect("no size of what was not built", "not built at" not in said, said)
    expect("no size of what was not asked", "no GPU at" not in
           grade_report.table(made), grade_report.table(made))


def check_reasons() -> None:
    """The last column of a class: the first thing that failed."""
    task = tasks.find("chapter", "gemm_01_naive")
    right, counts = tasks.Gate(4, "correct", "", ""), tasks.Gate(
        2, "structural", "barriers <= 4", "--M 1")
    passed = grade_report.Outcome(right, "passed", "11 command lines")
    for outcomes, reason in (
            ([passed], ""),
            ([grade_report.Outcome(right, "failed", "--M 2",
                                   "  C[0][0]: got 1, want 2\nwrong on x")],
             "wrong on x"),
            ([grade_report.Outcome(right, "failed", grade_report.NOT_BUILT,
                                   "does not compile\nx.cu:1: error")],
             "does not compile"),
            ([passed, grade_report.Outcome(
                counts, "failed", "8", "counts line by line;\n" + task.page
                + ", Gates, says where the bound comes from")],
             "structural barriers <= 4 --M 1: 8"),
            ([passed, grade_report.Outcome(counts, "failed", "no time")],
             "no time")):
        found = grade_report.gradescope(grade_report.Grade(
            task, "ann/x.cu", outcomes, "", 1.5))
        said = grade_class.reason(found)
        expect(f"the reason {reason!r}", said == reason, said)
    line = grade_class.class_line(grade_class.Job("ann", task, "x"), found)
    expect("a line of the class", re.fullmatch(
        r"ann +gemm_01_naive +4 of 6 +no time", line) is not None, line)


# ---- the commands ------------------------------------------------------------


def do(command: str, answer: str = "") -> str:
    """Do one command of exercise.py for gemm_01; return what it says."""
    said, sys.stdin = io.StringIO(), io.StringIO(answer)
    task = tasks.find("chapter", "gemm_01_naive")
    with redirect_stdout(said):
        if command == "progress":
            exercise.progress()
        else:
            exercise.COMMANDS[command](task)
    return said.getvalue()


def check_commands() -> None:
    """exercise.py, in a folder that has one chapter."""
    mine = "mine/gemm_01_naive.cu"
    exercise.show_runs = lambda task: None  # tested above
    with tempfile.TemporaryDirectory() as folder:
        for name in ("chapters/gemm_01_naive", "solutions"):
            os.makedirs(os.path.join(folder, os.path.dirname(name)),
                        exist_ok=True)
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        os.chdir(folder)
        expect("progress before the first step",
               "Next: make chapter=gemm_01_naive exercise" in do("progress"))
        said = do("exercise")
        expect("exercise names the place", f"{mine}:10: TODO, 2 lines" in said
               and "as in the lesson\nBudget" in said
               and "Budget: 2 lines" in said, said)
        with open(mine, "r+", encoding="utf-8") as file:
            text = file.read()
            expect("exercise writes the skeleton alone", "int row = 0;" in text
                   and "blockIdx" not in text and "[end]" not in text, text)
            file.write("// my work\n")
        said = do("exercise")
        with open(mine, encoding="utf-8") as file:
            expect("exercise overwrites nothing", "// my work" in file.read()
                   and "there already" in said, said)
        hints = [do("hint") for _ in range(4)]
        expect("hints come one by one", all(
            hints[i].count("Hint ") == 1 and f"Hint {i + 1} of 3" in hints[i]
            for i in range(3)) and hints[3].count("Hint ") == 3, "".join(hints))
        said = do("solution")
        expect("solution asks first", "blockIdx" not in said, said)
        said = do("solution")
        expect("then shows it", "+    int row = blockIdx.x" in said, said)
        expect("without the author's marks", not re.search(
            r"TODO|\[write|x selects", said), said)
        with open(mine, encoding="utf-8") as file:
            begun = file.read()
        for what, text in (
                ("in the skeleton's lines", read_solution().replace(
                    "[write 2]", "TODO, 2 lines:")),
                ("without the TODO", re.sub(r" +//(:| \[| x s).*\n", "",
                                            read_solution())),
                ("with a half of it", re.sub(r" +// \[.*\n", "",
                                             read_solution())),
                ("without the comment", re.sub(r" +//.*\n", "",
                                               read_solution()))):
            with open(mine, "w", encoding="utf-8") as file:
                file.write(text)
            said = do("solution")
            expect(f"the solution, {what}", ("the same" in said) ==
                   (what != "without the comment") and "TODO" not in said
                   and "x selects" not in said, said)
        with open(mine, "w", encoding="utf-8") as file:
            file.write(begun)
        said = do("reset", "no\n") + do("reset", "")
        with open(mine, encoding="utf-8") as file:
            expect("reset asks", said.count("nothing has changed") == 2
                   and "// my work" in file.read(), said)
        do("reset", "yes\n")
        with open(mine, encoding="utf-8") as file:
            new = file.read()
        with open("mine/gemm_01_naive.1.cu", encoding="utf-8") as file:
            expect("reset keeps a copy", "// my work" in file.read()
                   and "// my work" not in new)
        tasks.keep("gemm_01_naive", passed="x", points=8, of=8)
        expect("what was changed since it passed has places",
               "TODO, 2 lines" in do("exercise"))
        tasks.keep("gemm_01_naive", passed=f"{tasks.contents(mine)} y z")
        said = do("exercise")
        expect("who passed is told what is next", said.endswith(
            "passed, 8 of 8 points; next: make hunt=unwritten exercise\n")
            and "TODO" not in said and "grade" not in said, said)
        said = do("progress")
        names = [task.name for task in tasks.all_tasks()]
        for name in names:
            tasks.keep(name, passed="x", points=8, of=8)
        expect("progress has an end", "1 of" in said and
               "You are at the end" in do("progress"), said)
        tasks.keep("gemm_01_naive", passed=f"{tasks.contents(mine)} y z")
        expect("who passed all is at the end", do("exercise").endswith(
            "passed, 8 of 8 points; every exercise and every hunt is done\n"))
        expect("who passed sees the solution", "+    int row" in do("solution"))
        with open(tasks.STATE, "w", encoding="utf-8") as file:
            file.write("{")
        expect("a broken state is said", "cannot be read" in raises(
            tasks.Unusable, tasks.state))
        os.chdir(ROOT)


def linked(folder: str) -> None:
    """Make a repository of links, whose mine/ and build/ are its own."""
    os.mkdir(os.path.join(folder, "build"))
    for name in ("Makefile", "common", "simulator", "tools", "chapters", "solutions",
                 "build/simulator"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))


def make(folder: str, *words: str) -> subprocess.CompletedProcess:
    """Type make there; nobody answers."""
    return subprocess.run(
        ["make", "--no-print-directory", *words], cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False)


def check_hunt_names() -> None:
    """A beginning of several hunts names those; of none, all."""
    said = raises(tasks.Unusable, tasks.find, "hunt", "l")
    expect("hunts of a beginning", said == "hunt=l fits several: larger_tile "
           "last_warp lost_votes left_edge", said)
    said = raises(tasks.Unusable, tasks.find, "hunt", "none")
    lines = said.splitlines()
    expect("all hunts, where none fits", lines[0].startswith(
        "hunt=none fits none; there are: ") and len(lines) > 1
        and max(map(len, lines)) <= 80, said)
    expect("no hunt at all", raises(
        tasks.Unusable, tasks.choose, "x", []) ==
        "hunt=x fits none; there are: none")


def check_grade() -> None:
    """make grade of the learner's own file, step by step."""
    own = ("chapter=gemm_01", "grade", "on=simulator")
    with tempfile.TemporaryDirectory() as folder:
        linked(folder)
        report = os.path.join(folder, "build/gemm_01_naive/grade")
        mine = os.path.join(folder, "mine/gemm_01_naive.cu")

        def graded(what: str, points: float, words: str, status: int) -> None:
            done = make(folder, *own)
            found, suite = {}, None
            if os.path.exists(report + ".json"):
                with open(report + ".json", encoding="utf-8") as file:
                    found = json.load(file)
                suite = xml.etree.ElementTree.parse(report + ".xml").getroot()
                os.remove(report + ".xml")
            expect(f"grade: {what}", found.get("score") == points
                   and words in done.stdout and suite is not None
                   and int(suite.get("failures")) == sum(
                       test["score"] == 0 for test in found["tests"])
                   and (done.returncode != 0) == (status != 0)
                   and (not status or f"Error {status}" in done.stdout),
                   f"{found}\n{done.stdout}")

        graded("no work yet", 0, "0 passed, 3 failed, 1 skipped", 4)
        make(folder, "chapter=gemm_01", "exercise")
        graded("the skeleton", 0, "0 of 4    the small problem before --M 1 "
               "--N 1 --K 1\n", 4)
        graded("counts behind findings", 0, grade_report.FINDINGS_FIRST + "\n",
               4)
        with open(mine, encoding="utf-8") as file:
            text = file.read()
        for what, new, points, words, status in (
                ("does not compile", text.replace("int row", "row"), 0,
                 "mine/gemm_01_naive.cu:", 4),
                ("one line of two",
                 text.replace("row = 0", "row = blockIdx.x * BLOCK + "
                              "threadIdx.x"), 0, "wrong on", 4),
                ("right for squares only", swapped(read_solution()), 0,
                 "not counted: it failed at --M 256 --N 128 --K 256", 4),
                ("wrong at one size", read_solution().replace(
                    "float sum = 0.0f", "float sum = M == 1 ? 1.0f : 0.0f"),
                 4, "0 of 4    --M 1 --N 1 --K 1\n", 4),
                ("right, with a race", read_solution().replace(
                    "    float sum", "    __shared__ int x;\n    x = row;\n"
                    "    float sum"), 0, "--K 1, or the small problem before it"
                 "\n      the result is right, but\n"
                 "      mine/gemm_01_naive.cu:23:7: shared-race: write of x", 4),
                ("more than is allowed", read_solution().replace(
                    "alpha * sum : alpha", "alpha * sum + 0 * A[0] : alpha"),
                 4, 'profile args="--M 256 --N 128 --K 256"\n'
                 "      counts line by line;\n      chapters/gemm_01_naive/"
                 "exercise.md, Gates, says where", 4),
                ("passed", read_solution(), 8, "3 passed, 0 failed", 0)):
            with open(mine, "w", encoding="utf-8") as file:
                file.write(new)
            graded(what, points, words, status)
        graded("passed, and its report gone", 8, "3 passed, 0 failed", 0)
        make(folder, *own)
        then = os.stat(report + ".json").st_mtime_ns
        done = make(folder, *own)
        expect("what passed is not built again", done.returncode == 0
               and os.stat(report + ".json").st_mtime_ns == then
               and "3 passed, 0 failed" in done.stdout, done.stdout)
        done = make(folder, "progress")
        expect("progress has its points", re.search(
            r"^chapter=gemm_01_naive +passed +8 of 8$", done.stdout, re.M)
            is not None, done.stdout)
        with open(os.path.join(folder, "mine/gemm_03_shared_tile.cu"), "w",
                  encoding="utf-8"):
            pass  # empty
        done = make(folder, "grade-all", "on=simulator")
        expect("grade-all", "exercises and hunts:\n1 passed, 1 failed"
               in done.stdout and done.returncode != 0, done.stdout)
        for words, message in (
                (("chapter=gemm_01", "hunt=x", "grade"), "not both"),
                (("hunt=none", "grade"), "fits none"),
                (("chapter=gemm_01", "grade", "out=x"), "for submissions="),
                (("grade", "submissions=none"), "no such folder"),
                (("grade",), "chapter= is missing")):
            done = make(folder, *words)
            expect(f"refuses {' '.join(words)}", message in done.stdout
                   and done.returncode != 0, done.stdout)


def check_timed() -> None:
    """The layer speed as on a GPU: times in turn, each run verified."""
    out = "build/unit/as_gpu/grade"
    names = ("parent", "child", "chapter", "chapter_alone", "skip", "lazy",
             "replay", "memo")
    if not course.build([f"{out}/{name}" for name in names]):
        expect("the grader as on a GPU can be built", False)
        return

    def run(child: str, chapter: str = "chapter", size: str = "--M 65 --N 66 "
            "--K 67 --beta 0.5") -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("own", "reference"):
                os.mkdir(os.path.join(folder, name))
            done = subprocess.run(
                [f"{out}/parent", *size.split(), "--small", "0", "--repeats",
                 "0"],
                env={**os.environ, "GRADE_CHILD": os.path.abspath(
                    f"{out}/{child}"), "GRADE_FOLDER": f"{folder}/own",
                     "GRADE_REFERENCE": os.path.abspath(f"{out}/{chapter}"),
                     "GRADE_REFERENCE_FOLDER": f"{folder}/reference"},
                capture_output=True, text=True, check=False)
            done.printed = grader.beginning(f"{folder}/own/output")
            return done

    line = r"^ms: yours [\d.]+ chapter [\d.]+"
    for beta in ("0.5", "0"):  # with and without what a run finds in its output
        done = run("child", size=f"--M 65 --N 66 --K 67 --beta {beta}")
        expect(f"times of three, in turn, beta {beta}", done.returncode == 0
               and re.search(line + r" library [\d.]+$", done.stdout, re.M)
               is not None, done.stdout + done.stderr)
    done = run("child", "chapter_alone")
    expect("a library that is not there is left out", done.returncode == 0
           and "no library: it is not installed\n" in done.stdout
           and re.search(line + "$", done.stdout, re.M) is not None,
           done.stdout + done.stderr)
    for cheat, what, enough in (
            ("skip", "stops working when it is timed", all),
            ("lazy", "then works every other time", any)):
        # Of ten requests one run each is looked at: of those that work every
        # other time one in a thousand gets through.
        tries = [run(cheat), run(cheat)]
        expect(f"no time for one that {what}", enough(
            done.returncode == 1 and "in a timed run" in done.stderr
            for done in tries), "".join(x.stdout + x.stderr for x in tries))
    done = run("replay")
    expect("no time for one that replays", done.returncode == 1
           and "ms:" not in done.stdout, done.stdout + done.stderr)
    for _ in range(5):  # a run that other work slowed down is timed alone
        done = run("memo", size="--M 257 --N 8 --K 257")
        kept, new = (done.printed.split().count(word) for word in ("kept", "new"))
        if new + kept > 20:
            break
    expect("each run has inputs of its own", new > 20 and kept < new / 4,
           f"{new} new, {kept} kept\n{done.stdout}{done.stderr}")
    check_library()


def check_library() -> None:
    """A gate of a library that is not there costs no points."""
    task = tasks.find("chapter", "gemm_01_naive")
    gate = tasks.Gate(2, "speed", ">= 0.5 of library", "--M 33 --N 34 --K 36")
    expect("what is trusted of it can be built",
           grader.build_trusted([task], False) and course.build(
               [f"build/simulator/grade/chapters/{task.chapter}"]))
    with tempfile.TemporaryDirectory() as folder:
        one = grader.Grader(task, task.solution, False, folder, True)
        one.take()
        one.build("simulator")
        outcome = one.speed(gate, "simulator")
        expect("no library: not asked", (outcome.state, outcome.note) == (
            "skipped", "not asked: no library: the chapter has none"),
            str(outcome))
        outcome = one.speed(gate._replace(text=">= 0 of chapter"), "simulator")
        expect("and the chapter is there", outcome.state == "passed",
               str(outcome))


def check_slow() -> None:
    """tests/gpu/speed.py: what it edits is in the solutions."""
    with tempfile.TemporaryDirectory() as folder:
        why = raises(tasks.Unusable, speed.entries, folder, [])
    expect("the slow ways fit the solutions", not why, why)
    timed = {task.name for task in tasks.all_tasks()
             if any(gate.layer == "speed" for gate in task.gates)}
    without = sorted(timed - {name for name, _, _ in speed.SLOW})
    expect("each gate of speed has a slow way", not without, str(without))
    done = subprocess.run([sys.executable, "tests/gpu/speed.py", "--simulater"],
                          env={**os.environ, "PATH": os.devnull},
                          capture_output=True, text=True, check=False)
    expect("speed.py refuses what it does not know", done.returncode == 2
           and done.stderr.startswith("The gates of speed") and not done.stdout,
           done.stdout + done.stderr)


def check_speeds() -> None:
    """tests/gpu/speed.py: each of several gates counts."""
    gates = [tasks.Gate(2, "speed", ">= 0.9 of chapter", "--M 1")] * 2
    task = tasks.find("chapter", "gemm_01_naive")._replace(gates=gates)

    def judged(*states: str) -> bool:
        said = iter(states)
        one = mock.Mock()
        one.speed = lambda gate, back_end: grade_report.Outcome(
            gate, next(said), "0.95, 1 ms")
        with redirect_stdout(io.StringIO()):
            return speed.check(speed.Entry(task, "its solution", "", ""), one,
                               "gpu")

    expect("a solution that passes both gates", judged("passed", "passed"))
    for states in (("failed", "passed"), ("passed", "failed")):
        expect(f"one whose gates {' and '.join(states)}", not judged(*states))


def read_solution() -> str:
    """Return the solution of gemm_01."""
    with open("solutions/gemm_01_naive.cu", encoding="utf-8") as file:
        return file.read()


def swapped(text: str) -> str:
    """Exchange the indices of row and col."""
    return text.replace("Idx.x", "Idx.#").replace("Idx.y", "Idx.x").replace(
        "Idx.#", "Idx.y")


def main() -> int:
    """Test all, or some tasks alone."""
    course.forget_make()
    os.environ.update(SIM_THREADS="1", NO_COLOR="1")
    os.environ.pop("GRADE_SECONDS", None)
    if sys.argv[1:] != ["--commands"]:
        check_tasks(sys.argv[1:] or [""])
    if sys.argv[1:] in ([], ["--commands"]):
        check_skeletons()
        check_screen()
        check_gates()
        check_pages()
        check_reports()
        check_reasons()
        check_commands()
        check_hunt_names()
        check_grade()
        check_timed()
        check_slow()
        check_speeds()
    tally.close()
    return tally.status


# common/picture.c asks for it where it is.
PNG = ["-lpng"] if subprocess.run(
    ["cc", "-include", "png.h", "-E", "-x", "c", os.devnull],
    capture_output=True).returncode == 0 else []

if __name__ == "__main__":
    course.script(main)
