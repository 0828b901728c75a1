"""Grading: its parts, make exercise to make grade, a class, cheats.

Usage: python3 -m tests.grading [--all]                 (make test-all: --all)
       python3 -m tests.grading --cheats [NAME...]
       python3 -m tests.grading --gpu                  (tests.gpu grading)

What a class hands in and what each of it must get is known; the grader is
interrupted in the middle (Ctrl-C) and started again. Cheats are the entries `cheat`
of tests/changes. Behind ! stands how one ends:

    wrong: words         without points, for this reason
    keeps 4: words       with so many points, for what is right; the gate that fails
    misses: gate         tests/exercises.py tries it
    known 8: words       with points that it should not have: docs/teaching.md,
                         What the grader cannot exclude, names it

--all tries all of them, a large class and more wrong files; without it, one of each
kind. Ends with `N passed, N failed`.
"""

import csv
import glob
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from contextlib import redirect_stdout
from typing import Dict
from unittest import mock

from tests.checks import ROOT, close, expect, raises, read, tally, write
from tests.gpu import speed
from tools import checklist, course, edits, goals
from tools.classroom import (class_report, exercise, grade, grade_report,
                             grader, leaderboard, remarks, skeletons, tasks)

ON_GPU = sys.argv[1:] == ["--gpu"]
ALL = ON_GPU or sys.argv[1:] == ["--all"]
AT_ONCE = 8 if ON_GPU else 2  # files
GEMM_01 = tasks.find("chapter", "gemm_01_naive")
TASK = tasks.find("chapter", "gemm_03_shared_tile")
CAPSTONE = tasks.find("chapter", "capstone")


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


# ---- remarks.py --------------------------------------------------------------


def check_remarks() -> None:
    """What a teacher is told, once of a kind, and not of what the solution has."""
    told = remarks.remarks("// sim_x\nint x = sim_counters();\nsim_range(false);\n"
                           "cudaMemcpy(a, b, 4, cudaMemcpyDefault);\n"
                           'asm("bar.sync 1, 64;");\n', "")
    expect("remarks", told == ["line 2: names of the simulator's internals",
                               "line 4: a host function computes",
                               "line 5: assembly or atomics that no gate counts"],
           str(told))
    for text in ("__syncthreads(); int similar; // sim_x", "atomicAdd(x, 1);",
                 'asm("bar.sync 0;");', 'asm("ld.global.f32 %0, [%1];");'):
        told = remarks.remarks(text, "atomicAdd(result, value);")
        expect(f"no remark of {text}", not told, str(told))


# ---- pages, gates, reports ---------------------------------------------------


def check_gates() -> None:
    """Gates of counters."""
    counts = {"global_load_sectors": 8.0, "global_load_requests": 2.0,
              "global_load_cycles": 2.0, "shared_load_wavefronts": 4.0,
              "shared_store_wavefronts": 5.0, "shared_atomic_wavefronts": 1.0}
    for text, holds, left in (
            ("global_load_sectors / global_load_requests <= 4", True, 4),
            ("global_load_sectors <= 7.9", False, 8),
            ("global_load_sectors - 2 * global_load_requests >= 4", True, 4),
            ("barriers >= 1", False, 0), ("shared_load_bank_conflicts <= 0",
                                          True, 0),
            ("l1_cycles / 4 <= 2", False, 3)):
        expect(f"gate {text}", grader.counted(text, counts) == (holds, left))
    holds, _ = grader.counted("barriers / ffma <= 1", counts)
    expect("0 / 0 passes no gate", not holds)
    for text in ("sectors <= 4", "global_load_sectors", "open('x') <= 4",
                 "1 <= 2 <= 3", "global_load_sectors <="):
        expect(f"refuses the gate {text}", bool(raises(
            tasks.Unusable, grader.counted, text, counts)))


HEAD = "| points | layer | gate | at |\n| --- | --- | --- | --- |\n"
CORRECT = "| 4 | correct | every result right | the sizes of `checks` |\n"


def check_pages() -> None:
    """Pages that cannot be read say so."""
    page = "```\n$ --M 1\nwrong\nstatus 1\n$ --M 2\nstatus 0\n```\n"
    runs = tasks.read_now("x", page)
    expect("two runs", runs == [("--M 1", ["wrong"], 1), ("--M 2", [], 0)])
    for what, function, text in (
            ("no status", tasks.read_now, "```\n$ --M 1\nwrong\n```\n"),
            ("no run", tasks.read_now, "wrong"),
            ("two hints", tasks.read_hints, "1. a\n2. b\n"),
            ("no gate correct", tasks.read_gates, HEAD
             + "| 2 | speed | x | y |\n"),
            ("a layer", tasks.read_gates,
             HEAD + CORRECT + "| 2 | fast | x | y |\n"),
            ("no points", tasks.read_gates, HEAD + CORRECT.replace("4", "a"))):
        expect(f"refuses a page: {what}", bool(raises(
            tasks.Unusable, function, "x", text)))
    few = tasks.find("chapter", "gemm_12_stream_k")
    expect("a grade takes the sizes of its own",
           few.args(few.gates[0]) == checklist.sizes(few.chapter, "exercise") != [])


def check_own_sizes() -> None:
    """seed=NAME: two lines of the page with sizes that the page does not have."""
    lines = GEMM_01.args(GEMM_01.gates[0])
    ann, bob = (grader.own_sizes(lines, name) for name in ("ann", "bob"))
    expect("sizes by name, the same each time", ann != bob and len(ann) == 2
           and ann == grader.own_sizes(lines, "ann"), f"{ann} {bob}")
    expect("none of them is on the page", not set(ann + bob) & set(lines), str(ann))
    expect("without a name none", not grader.own_sizes(lines, ""))


RIGHT = tasks.Gate(4, "correct", "", "")
COUNTS = tasks.Gate(2, "structural", "a < 1 & b", "--M 1")
SPEED = tasks.Gate(2, "speed", ">= 0.9 of chapter", "--M 1")
PASSED = RIGHT, "passed", "11 command lines"


def graded_as(*outcomes: tuple) -> grade_report.Grade:
    """Return the grade of these gates, states, notes and messages."""
    return grade_report.Grade(GEMM_01, "ann/x.cu", [
        grade_report.Outcome(*outcome) for outcome in outcomes], "", 1.5)


def check_reports() -> None:
    """results.json and JUnit: what their readers need."""
    made = graded_as(PASSED, (COUNTS, "failed", "7", "a \x1b[1m<message>"),
                     (SPEED, "skipped", "not asked: no GPU"))
    found = json.loads(json.dumps(grade_report.gradescope(made)))
    expect("results.json", (found["score"], found["max_score"]) == (4, 6)
           and [test["status"] for test in found["tests"]]
           == ["passed", "failed"] and found["tests"][1]["score"] == 0)
    suite = xml.etree.ElementTree.fromstring(grade_report.junit(made))
    expect("JUnit", suite.get("failures") == "1" and suite.get("skipped") == "1"
           and suite[1][0].tag == "failure" and len(suite) == 3)
    said = grade_report.table(made)
    expect("the table's end", said.endswith(
        "4 of 6 points\n1 passed, 1 failed, 1 skipped"), said)
    expect("no size of what was not asked", "no GPU at" not in said, said)
    expect("one that failed has not passed", not made.passed())
    said = grade_report.table(graded_as(
        (RIGHT, "failed", "--M 2", "wrong: 7"),
        (COUNTS, "failed", "not counted: it failed", "wrong: 8"),
        (SPEED, "failed", "no time", "wrong: 9")))
    expect("what is wrong is said once, of speed once more",
           re.findall(r"wrong: \d|failed at .*", said)
           == ["wrong: 7", "failed at --M 1", "wrong: 9"], said)
    said = grade_report.table(graded_as(*(
        (gate, "failed", grade_report.NOT_BUILT, "why")
        for gate in (RIGHT, COUNTS, SPEED))))
    expect("no size of what was not built", "not built at" not in said, said)


# ---- the commands ------------------------------------------------------------


def says(what: str, command: str, has: str, lacks: str = "",
         answer: str = "") -> str:
    """Do one command of exercise.py for gemm_01: what its output has and lacks.

    Both are regular expressions; lacks may be empty. Return the output.
    """
    said, sys.stdin = io.StringIO(), io.StringIO(answer)
    with redirect_stdout(said):
        getattr(exercise, command)(*[GEMM_01] * (command != "progress"))
    said = said.getvalue()
    expect(what, re.search(has, said) is not None
           and not (lacks and re.search(lacks, said)), said)
    return said


MINE = GEMM_01.mine


def check_commands() -> None:
    """exercise.py, in a folder that has one chapter."""
    exercise.show_runs = lambda *_: None  # tests/exercises.py
    with tempfile.TemporaryDirectory() as folder:
        for name in ("chapters/gemm_01_naive", "solutions"):
            os.makedirs(os.path.join(folder, os.path.dirname(name)),
                        exist_ok=True)
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        os.chdir(folder)
        write(course.ORDER, "gemm_01_naive gemm\n")
        check_first_steps()
        check_solution()
        check_progress()
        os.chdir(ROOT)


def check_first_steps() -> None:
    """Begin, take hints, begin anew."""
    says("progress before the first step", "progress",
         "Next: make chapter=gemm_01_naive exercise")
    says("exercise names the place", "exercise", f"{MINE}:10: TODO, 2 lines"
         "(.|\n)*as in the lesson\nBudget: 2 lines\n"
         "Counts: global_load_requests <= 524288 at --M 256")
    text = read(MINE)
    expect("exercise writes the skeleton alone", "int row = 0;" in text
           and "blockIdx" not in text and "[end]" not in text, text)
    begun = text + "// my work\n"
    write(MINE, begun)
    says("exercise says that there is work", "exercise", "there already")
    expect("exercise overwrites nothing", read(MINE) == begun)
    for i in range(3):
        says(f"hint {i + 1}", "hint", f"Hint {i + 1} of 3", "(?s)Hint .*Hint ")
    says("all hints", "hint", "(?s)(Hint .*){3}", "(?s)(Hint .*){4}")
    for answer in ("no\n", ""):
        says("reset asks", "reset", "nothing has changed", answer=answer)
    expect("and does nothing", read(MINE) == begun)
    says("reset does it", "reset", "is the skeleton again", answer="yes\n")
    expect("reset keeps a copy", read("mine/gemm_01_naive.1.cu") == begun
           and read(MINE) == text)


def check_solution() -> None:
    """Shown to those who ask twice, without what the author says."""
    marks = r"TODO|\[write|\[end|//:|x selects"
    says("solution asks first", "solution", "ask again", "blockIdx")
    says("then shows it", "solution", r"\+    int row = blockIdx.x", marks)
    solved = skeletons.solved(GEMM_01)
    todo, more = re.findall(r" +// (?:TODO|x sel).*\n", skeletons.of(GEMM_01))
    for what, comment in (("below the TODO", todo + more),
                          ("without the TODO", ""),
                          ("with a half of it", more)):
        write(MINE, solved.replace("    int row", comment + "    int row", 1))
        says(f"the solution, {what}", "solution", "the same", marks)
    write(MINE, re.sub(" +//.*\n", "\n", solved))
    says("the solution, without comments", "solution", r"\+.* // row of A",
         marks)
    write(MINE, skeletons.of(GEMM_01))


def check_progress() -> None:
    """What is said to those who have passed one, or all."""
    tasks.keep("gemm_01_naive", passed="x", points=8, of=8)
    says("what was changed since it passed has places", "exercise",
         "TODO, 2 lines")
    passed = f"{tasks.contents(MINE)} y z"
    tasks.keep("gemm_01_naive", passed=passed)
    says("who passed is told what is next", "exercise",
         "passed, 8 of 8 points; next: make hunt=unwritten exercise  .*\n$",
         "TODO|grade")
    says("progress counts", "progress", "1 of")
    for task in tasks.all_tasks():
        tasks.keep(task.name, passed="x", points=8, of=8)
    says("progress has an end", "progress", "You are at the end")
    tasks.keep("gemm_01_naive", passed=passed)
    says("who passed all is at the end", "exercise",
         "passed, 8 of 8 points; every exercise and every hunt is done\n$")
    says("who passed sees the solution", "solution", r"\+    int row")
    write(tasks.STATE, "{")
    expect("a broken state is said", "cannot be read" in raises(
        tasks.Unusable, tasks.state))


def linked(folder: str) -> None:
    """Make a repository of links, whose mine/ and build/ are its own."""
    os.mkdir(os.path.join(folder, "build"))
    for name in ("Makefile", "common", "simulator", "tools", "chapters", "docs",
                 "solutions", "build/simulator"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))


def make(folder: str, *words: str) -> subprocess.CompletedProcess:
    """Type make there; nobody answers."""
    return subprocess.run(
        ["make", "--no-print-directory", *words], cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False)


def check_names() -> None:
    """A beginning of several hunts names those; of none, all. The capstone is found
    as a chapter is, and is the last."""
    found = goals.task_of(goals.Given(chapter="caps"))
    expect("the capstone", found == CAPSTONE == tasks.all_tasks()[-1]
           and found.words == "chapter=capstone", str(found))
    said = raises(tasks.Unusable, tasks.find, "hunt", "l")
    expect("hunts of a beginning", said == "hunt=l fits several: larger_tile "
           "lower_half last_warp lost_votes left_edge", said)
    said = raises(tasks.Unusable, tasks.find, "hunt", "none")
    lines = said.splitlines()
    expect("all hunts, where none fits", lines[0].startswith(
        "hunt=none fits none; there are: ") and len(lines) > 1
        and max(map(len, lines)) <= 80, said)


def wrong_files() -> list:
    """Return [(what, file, points, words)] of make grade.

    The first two are those of make test: no build, no count. What the others
    say is in the table of a report, too, see check_reports().
    """
    solution = read(GEMM_01.solution)
    swapped = solution.replace("Idx.x", "Idx.#").replace(
        "Idx.y", "Idx.x").replace("Idx.#", "Idx.y")
    return [
        ("does not compile", solution.replace("int row", "row"), 0,
         "mine/gemm_01_naive.cu:"),
        ("more than is allowed", solution.replace(
            "alpha * sum : alpha", "alpha * sum + 0 * A[0] : alpha"), 3,
         'profile args="--M 256 --N 128 --K 256"\n'
         "      counts line by line;\n      chapters/gemm_01_naive/"
         "exercise.md, Gates, says where"),
        ("right for squares only", swapped, 0,
         "not counted: it failed at --M 256 --N 128 --K 256"),
        # 7 of 9 for half of 3 points, and half of those for counts
        ("wrong at two sizes", solution.replace(
            "float sum = 0.0f", "float sum = M == 1 ? 1.0f : 0.0f"), 3.6,
         "1.1 of 3  --M 1 --N 1 --K 1; right at 7 of 9\n",
         "1.5 of 3  global_load_requests", "gives half of its points"),
        ("right, with a race", solution.replace(
            "    float sum", "    __shared__ int x;\n    x = row;\n"
            "    float sum"), 0, "--K 1, or the small problem before it"
         "\n      the result is right, but\n"
         "      mine/gemm_01_naive.cu:23:7: shared-race: write of x"),
    ][:None if ALL else 2]


def graded(folder: str, what: str, points: float, *words: str) -> None:
    """Grade the learner's own file of gemm_01, and read its reports."""
    report = os.path.join(folder, "build/gemm_01_naive/grade")
    if os.path.exists(report + ".json"):
        os.remove(report + ".json")
    done = make(folder, "chapter=gemm_01", "grade", "on=simulator")
    found = json.loads(read(report + ".json"))
    suite = xml.etree.ElementTree.parse(report + ".xml").getroot()
    expect(f"grade: {what}", found["score"] == points
           and all(word in done.stdout for word in words)
           and int(suite.get("failures")) == sum(
               test["status"] == "failed" for test in found["tests"])
           and (done.returncode == 0 if points == GEMM_01.points()
                else "Error 4" in done.stdout), f"{found}\n{done.stdout}")


def check_grade() -> None:
    """make grade of the learner's own file, step by step."""
    with tempfile.TemporaryDirectory() as folder:
        linked(folder)
        mine = os.path.join(folder, MINE)
        graded(folder, "no work yet", 0, "0 passed, 3 failed, 1 skipped")
        make(folder, "chapter=gemm_01", "exercise")
        graded(folder, "the skeleton", 0, "0 of 3    the small problem before "
               "--M 1 --N 1 --K 1\n", f"{grade_report.FINDINGS_FIRST}\n")
        for what, text, *expected in wrong_files():
            write(mine, text)
            graded(folder, what, *expected)
        write(mine, read(GEMM_01.solution))
        graded(folder, "passed", 8, "3 passed, 0 failed")
        with mock.patch.dict(os.environ, TMPDIR="/dev/shm"):  # not where build/ is
            graded(folder, "passed, and its report gone", 8, "3 passed, 0 failed")
        report = os.path.join(folder, "build/gemm_01_naive/grade.json")
        then = os.stat(report).st_mtime_ns
        for words, fails, has in (
                ("chapter=gemm_01 grade on=simulator", False,
                 "3 passed, 0 failed"),
                ("progress", False,
                 r"(?m)^chapter=gemm_01_naive +passed +8 of 8$"),
                ("grade on=simulator", True, "exercises and hunts:"),
                ("chapter=gemm_01 hunt=x grade", True, "not both"),
                ("hunt=none grade", True, "fits none"),
                ("chapter=gemm_01 grade out=x", True, "for submissions="),
                ("grade expect=x", True, "for submissions="),
                ("chapter=gemm_01 grade submissions=x expect=x", True, "not both"),
                ("grade submissions=none", True, "no such folder")):
            if words == "grade on=simulator":
                write(os.path.join(folder, TASK.mine), "")
            done = make(folder, *words.split())
            expect(f"make {words}", (done.returncode != 0) == fails
                   and re.search(has, done.stdout) is not None, done.stdout)
        expect("what passed is not built again",
               os.stat(report).st_mtime_ns == then)


def check_watch() -> None:
    """make watch: each save is looked at, what passes is noted."""
    with tempfile.TemporaryDirectory() as folder:
        linked(folder)
        mine, said = os.path.join(folder, MINE), os.path.join(folder, "said")
        os.mkdir(os.path.dirname(mine))
        saves = [(read(GEMM_01.solution).replace("int row", "row"), "error:"),
                 (read(GEMM_01.solution).replace("alpha * sum :", "alpha :"),
                  "FAIL  size 1 of 9: the small problem before --M 1 --N 1 --K 1"),
                 (read(GEMM_01.solution).replace("row >= M ||", ""),
                  "problem before it\n        mine/gemm_01_naive.cu:24:16: out-of-bounds"),
                 (read(GEMM_01.solution), "3 passed, 0 failed, 1 skipped\n"
                  "next: make hunt=unwritten exercise")]
        write(mine, read(GEMM_01.solution).replace("int row", "col"))
        with open(said, "w", encoding="utf-8") as output, subprocess.Popen(
                ["make", "chapter=gemm_01", "watch"], cwd=folder, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True) as watching:
            for text, words in saves:
                before = len(read(said))
                write(mine, text)
                for _ in range(600):
                    if words in read(said)[before:]:
                        break
                    time.sleep(.1)
                expect(f"watch: {words}", words in read(said)[before:], read(said))
            os.killpg(watching.pid, signal.SIGINT)
        expect("what has passed when it was watched is noted", json.loads(read(
            os.path.join(folder, tasks.STATE)))[GEMM_01.name]["points"] == 8)
        expect("Ctrl-C is no error", "Error" not in read(said), read(said))


AS_GPU = os.path.join(ROOT, "build/unit/as_gpu/grade")


def timed(child: str, size: str) -> tuple:
    """Time a child beside the chapter. Return the status and what was said."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("own", "reference"):
            os.mkdir(os.path.join(folder, name))
        done = subprocess.run(
            [f"{AS_GPU}/parent", *size.split(), "--small", "0", "--repeats",
             "0"],
            env={**os.environ, "GRADE_CHILD": f"{AS_GPU}/{child}",
                 "GRADE_FOLDER": f"{folder}/own",
                 "GRADE_REFERENCE": f"{AS_GPU}/chapter",
                 "GRADE_REFERENCE_FOLDER": f"{folder}/reference"},
            capture_output=True, text=True, check=False)
        return done.returncode, "\n".join([done.stdout, done.stderr,
                                           read(f"{folder}/own.output")])


def check_timed() -> None:
    """The layer speed as on a GPU: times in turn, each run verified.

    tests.unit calls it, which has built the same objects.
    """
    names = "parent", "child", "chapter", "skip", "lazy", "replay", "memo"
    os.makedirs(AS_GPU, exist_ok=True)
    for one in cheats().values():
        path, text = f"{AS_GPU}/{one.name}.cu", cheat(one)
        if one.name in names and not (os.path.exists(path) and read(path) == text):
            write(path, text)
    expect("the grader as on a GPU can be built", course.Make(
        rules="tests/unit/build.mk").made(
            *(f"build/unit/as_gpu/grade/{name}" for name in names)))
    line = r"(?m)^ms: yours [\d.]+ chapter [\d.]+$"
    for what, child, beta, status, has in (
            # with and without what a run finds in its output
            ("times of two, in turn", "child", "0.5", 0, line),
            ("the same, beta 0", "child", "0", 0, line),
            ("no time for one that stops working when it is timed", "skip",
             "0.5", 1, "in a timed run"),
            ("for one that then works every other time", "lazy", "0.5", 1,
             "in a timed run"),
            ("for one that replays", "replay", "0.5", 1,
             "^((?!ms:)(.|\n))*$")):
        # Of ten requests one run each is looked at: of those that work every
        # other time one in a thousand gets through.
        for _ in range(2):
            ended, said = timed(child, f"--M 65 --N 66 --K 67 --beta {beta}")
            good = ended == status and re.search(has, said) is not None
            if good:
                break
        expect(what, good, said)
    for _ in range(5):  # a run that other work slowed down is timed alone
        _, said = timed("memo", "--M 257 --N 8 --K 257")
        kept, new = (said.split().count(word) for word in ("kept", "new"))
        if new + kept > 20:
            break
    expect("each run has inputs of its own", new > 20 and kept < new / 4,
           f"{new} new, {kept} kept\n{said}")


def check_speed() -> None:
    """A gate of speed, asked in the simulator."""
    gate = tasks.Gate(2, "speed", ">= 0 of chapter", "--M 33 --N 34 --K 36")
    expect("what is trusted of it can be built",
           grader.build_trusted([GEMM_01], False) and course.build(
               [f"build/simulator/grade/chapters/{GEMM_01.chapter}"]))
    with tempfile.TemporaryDirectory() as folder:
        one = grader.Grader(GEMM_01, GEMM_01.solution, False, folder)
        one.take()
        one.build("simulator")
        for share, state in ((">= 0", "passed"), (">= 1000", "failed")):
            outcome = one.speed(gate._replace(text=f"{share} of chapter"),
                                "simulator")
            expect(f"{share} of the chapter's speed", outcome.state == state
                   and " ms beside " in outcome.note, str(outcome))


def check_slow() -> None:
    """tests/gpu/speed.py: what it edits is in the solutions."""
    with tempfile.TemporaryDirectory() as folder:
        why = raises(tasks.Unusable, speed.entries, folder, [])
    expect("the slow ways fit the solutions", not why, why)
    without = {task.name for task in tasks.all_tasks() if task.timed()} \
        - {name for name, _, _ in speed.SLOW}
    expect("each gate of speed has a slow way", not without, str(without))


# ---- a class -----------------------------------------------------------------

FILE = f"{TASK.name}.cu"
BARRIER = "        __syncthreads(); // both tiles are complete\n"
INTERRUPTED_AFTER = 2  # grades


def students() -> list:
    """Return [(name, file, points, words of the reason)]; None: any points.

    The first eight are those of make test.
    """
    solution = read(TASK.solution)
    full = TASK.points()

    def edited(old: str, new: str) -> str:
        assert old in solution, old
        return solution.replace(old, new, 1)

    return [
        ("right", solution, full, ""),
        ('<b x="&', solution, full, ""),
        ("crashes", edited("    gemm_kernel<<<",
                           "    *(volatile int *)0 = 1;\n    gemm_kernel<<<"),
         0, "ended by signal 11"),
        ("prints", edited("    gemm_kernel<<<", '    puts("of a neighbour");\n    fflush(stdout);\n'
                          "    abort();\n    gemm_kernel<<<").replace(
            "#include", "#include <stdio.h>\n#include <stdlib.h>\n#include", 1),
         0, "ended by signal 6"),
        ("empty", "", 0, "no work yet: the file is empty"),
        ("wrong_name", None, 0, "not handed in(.|\n)*no work yet: there is no"),
        ("=cheats", cheat(cheats()["plain"]), 4, "global_load_sectors <= "),
        ("right_windows", solution.replace("\n", "\r\n"), full, ""),
        # those of the full class
        ("nothing_done", skeletons.of(TASK), 0, "wrong on"),
        ("slow_barriers", edited(BARRIER, BARRIER * 2), full - 3, "24,576"),
        ("one_barrier", edited(BARRIER, ""), 0, "line [0-9]+: shared-race"),
        ("no_alpha", edited("? alpha * sum :", "? sum :"), None, "wrong on"),
        ("no_guard", edited("    if (row < M && col < N) {\n", "    {\n"),
         None, "line 44: out-of-bounds-global: write of C"),
        ("stray", edited("C + (int64_t)row * ldc", "C + (int64_t)row * 100000"),
         None, "line 44: out-of-bounds-global: write of C"),
        ("sleeps", edited("    dim3 block", "    for (;;)\n        ;\n"
                          "    dim3 block"), 0, "endless loop"),
        ("junk", "".join(map(chr, range(1, 127))), 0,
         "does not compile"),
        ("link", "link", 0, "no work yet"),
    ][:None if ALL else 8]


# Where a file lies, if not in the folder of its student.
LIES = {"crashes": f"crashes/course-main/mine/{FILE}",
        "prints": f"prints_77_assignsubmission_file_/{FILE}",
        "right_windows": f"right_windows_LATE_12_34_{TASK.name}-1.cu",
        "wrong_name": "wrong_name/main.cu"}


def hand_in(folder: str, some: list) -> None:
    """Write the submissions; without a text under another name. A folder that is
    a link is nobody's, and an earlier upload does not count."""
    os.makedirs(folder)
    os.symlink("right", os.path.join(folder, "neighbour"))
    write(os.path.join(folder, f"right_windows_12_34_{FILE}"), "")
    for name, text, _, _ in some:
        path = os.path.join(folder, LIES.get(name, f"{name}/{FILE}"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if text == "link":
            os.symlink(os.path.abspath(TASK.solution), path)
        else:
            write(path, text or read(TASK.solution) * (text is None))


def start(folder: str, out: str) -> subprocess.Popen:
    """Start the grader, in a group of its own as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "tools", "grade"], env={
            **os.environ, "submissions": folder, "out": out,
            "expect": "gemm_03", "on": "simulator"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
        # A test in the background may have been told to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def interrupt(folder: str, out: str) -> tuple:
    """Start the grader, stop it after some grades. Return what it said."""
    process = start(folder, out)
    lines = [""]
    while lines[-1][:7] != "student" and process.poll() is None:
        lines.append(process.stdout.readline())
    lines += [process.stdout.readline() for _ in range(INTERRUPTED_AFTER)]
    os.killpg(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    return process.returncode, "".join(lines) + rest


def check_reports_of_class(out: str, some: list) -> None:
    """grades.json, grades.xml and grades.html of a class."""
    with open(f"{out}/grades.csv", encoding="utf-8") as file:
        expect("no formula", "\n'=cheats," in file.read())
    names = sorted(name for name, *_ in some)
    found = json.loads(read(f"{out}/grades.json"))
    expect("grades.json", sorted(one["student"] for one in found["students"]) == names)
    suites = xml.etree.ElementTree.parse(f"{out}/grades.xml").getroot()
    expect("grades.xml", sorted(suite.get("name").split()[0] for suite in suites)
           == sorted(name.split()[0] for name in names))
    page = read(f"{out}/grades.html")
    expect("grades.html", "&lt;b x=" in page and "<b x" not in page
           and page.count("data-key") == len(some) * 3, page)


def check_class() -> None:
    """Grade a class twice, look at each grade."""
    some = students()
    with tempfile.TemporaryDirectory() as scratch:
        folder, out = os.path.join(scratch, "in"), os.path.join(scratch, "out")
        hand_in(folder, some)
        paths = {name: os.path.join(out, name, f"{TASK.name}.json")
                 for name, *_ in some}
        status, said = interrupt(folder, out)
        times = {path: os.stat(path).st_mtime_ns
                 for path in filter(os.path.exists, paths.values())}
        expect("Ctrl-C ends it and says what is done",
               status == -signal.SIGINT and "the same command goes on" in said
               and INTERRUPTED_AFTER <= len(times) < len(some),
               f"status {status}, {len(times)} grades\n{said}")
        process = start(folder, out)
        said, _ = process.communicate()
        expect("the second start ends with 4, below a gate",
               process.returncode == 4, said)
        kept = re.search(r"^(\d+) of \d+ are graded already", said, re.M)
        expect("it goes on where the first one ended, and makes no grade twice",
               bool(kept) and int(kept.group(1)) == len(times) and all(
                   os.stat(path).st_mtime_ns == then
                   for path, then in times.items()), said)
        for has in ("neighbour: links are not followed",
                    "wrong_name: main.cu: no exercise has this name",
                    "2 files with flat names", "1 file in folders of Moodle",
                    "1 file one or two folders deeper", "-1.cu counts",
                    r"crashes +0 of 10 +0\n", r"right +10 of 10 +10\n",
                    r"wrong_name +0 of 10 +none\n",
                    r"gemm_03 correct: \d+ of \d+ fail"):
            expect(f"the class is told {has}", re.search(has, said) is not None, said)
        check_reports_of_class(out, some)
        with open(os.path.join(out, "grades.csv"), encoding="utf-8",
                  newline="") as file:
            rows = {row["student"].lstrip("'"): row
                    for row in csv.DictReader(file)}
        expect("everybody has a grade", len(rows) == len(some), str(rows))
        told = [read(path) for path in glob.glob(f"{out}/prints/*")]
        expect("what a program printed is told to the teacher alone",
               [text.count("of a neighbour") for text in told]
               == [int('"printed": "of a neighbour' in text) for text in told]
               and any("of a neighbour" in text for text in told), "\n".join(told))
        for name, _, points, words in some:
            row = rows.get(name, {"points": "-1", "reason": "no row"})
            got = float(row["points"])
            text = paths[name].replace(".json", ".txt")
            told = row["reason"] + (read(text) if os.path.exists(text) else "")
            expect(f"{name}: {got} points, {row['reason'][:60]}",
                   (got == points or points is None and 0 <= got < TASK.points())
                   and bool(re.search(words, told))
                   and json.loads(read(paths[name]))["score"] == got, told)


def check_leaderboard() -> None:
    """The capstone's: who is right stands in it, and idle arithmetic is no gain."""
    solution, naive = read(CAPSTONE.solution), skeletons.of(CAPSTONE)
    product = "sum[i][j] += a[i] * b[j]"

    def idle(text: str, before: str) -> str:
        """Add multiply-adds of which nothing is used."""
        for old, new in ((before, "idle = idle * beta + alpha, " + before),
                         ("float sum", "float idle = alpha;\nfloat sum"),
                         ("(beta == 0.0f", "(M < 0 ? idle : beta == 0.0f")):
            assert old in text, old
            text = text.replace(old, new, 1)
        return text

    files = {"wrong": solution.replace(product, "sum[i][j] += a[i] * b[i]"),
             "naive": naive, "naive_idle": idle(naive, "sum += A["),
             "best": solution, "idle": idle(solution, product), "alike": solution}
    small = CAPSTONE._replace(gates=[
        gate._replace(at=gate.at and "--M 1536 --N 1536 --K 8")  # all SMs
        for gate in CAPSTONE.gates if gate.layer != "speed"])
    jobs, found = [], []
    with tempfile.TemporaryDirectory() as folder:
        built = grader.build_trusted([small], False)
        for name, text in files.items() if built else ():
            path = os.path.join(folder, f"{name}.cu")
            write(path, text)
            jobs.append(grade.Job(small, path, os.path.join(folder, name), name))
            made = grade.graded(jobs[-1], False, course.Make())
            found.append(grade.report(jobs[-1], made, "x"))
        made = class_report.class_of(list(files), jobs, found, [])
        told = read(os.path.join(folder, "best.txt"))
    board = leaderboard.ranking(made.students)
    expect("the best first, then by name, and who is wrong in no place",
           [one.student for one in board]
           == ["alike", "best", "idle", "naive", "naive_idle"], str(board))
    bounds = {one.student: one.bound_us for one in board}
    expect("the same counts have the same bound",
           bounds["alike"] == bounds["best"] < bounds["idle"], str(bounds))
    expect("the one who is graded is told", told.endswith(
        f"\nleaderboard: at least {bounds['best']:.3f} us on an H200 for "
        "1536 x 1536 x 8\n"), told)


# ---- right in other styles ---------------------------------------------------

# Without --all: headers, names and calls, other threads, inline PTX, a halo.
NAMED_WAYS = ("gemm_01_naive/headers", "gemm_02_coalesced/two_dimensions",
              "gemm_11_async/ptx", "scan/ptx", "conv/rows",
              "bank_conflict_padding/exclusive_or")


def earned(made: grade_report.Grade) -> float:
    """Return the points less those for speed."""
    return sum(x.points() for x in made.outcomes if x.gate.layer != "speed")


def check_ways() -> None:
    """What is right gets all points, however it is written."""
    chosen = [way for chapter in course.chapters()
              for way in edits.entries(chapter, "right")
              if ALL or str(way) in NAMED_WAYS]
    of = {way.chapter: tasks.find("chapter", way.chapter) for way in chosen}
    expect("what is trusted can be built", grader.build_trusted([*of.values()], ON_GPU))

    def graded_way(way: edits.Change) -> grade_report.Grade:
        task = of[way.chapter]
        path = os.path.join(folder, f"{way.chapter}_{way.name}.cu")
        write(path, edits.text_of(way, read(task.solution)))
        return grader.grade_file(task, path, ON_GPU)

    with tempfile.TemporaryDirectory() as folder:
        for way, grade_of in zip(chosen, course.together(AT_ONCE, graded_way, chosen)):
            expect(f"{way} has all points",
                   earned(grade_of) == of[way.chapter].points(),
                   grade_report.table(grade_of))


# ---- cheats ------------------------------------------------------------------

# One of each kind: the sandbox, processes, the compiler, the parent's clock, what is
# kept from run to run, memory of the reference, a gate that is missed, a limit.
NAMED = ("files", "processes", "include", "endless", "replay", "reference",
         "one_lane_noise", "finds_counters")

ENDS = re.compile(r"(wrong|keeps|known)(?: ([\d.]+))?: (.*)")


def cheats() -> Dict[str, edits.Change]:
    """Return all cheats, by name."""
    return {one.name: one for chapter in course.chapters()
            for one in edits.entries(chapter, "cheat")}


def cheat(one: edits.Change) -> str:
    """Return the text of a cheat."""
    return edits.text_of(one, skeletons.solved(tasks.find("chapter", one.chapter)))


def check_cheats(names: list) -> None:
    """No cheat gets a point that it should not, and each ends as it says."""
    chosen = [one for one in cheats().values() if any(map(ENDS.match, one.ends))
              and (not names or one.name in names)]
    of = {one.chapter: tasks.find("chapter", one.chapter) for one in chosen}
    expect("there are such cheats", bool(chosen))
    expect("what is trusted can be built", grader.build_trusted([*of.values()], ON_GPU))

    def graded_cheat(one: edits.Change) -> grade_report.Grade:
        path = os.path.join(folder, f"{one.name}.cu")
        write(path, cheat(one))
        return grader.grade_file(of[one.chapter], path, ON_GPU)

    with tempfile.TemporaryDirectory() as folder:
        grades = list(course.together(AT_ONCE, graded_cheat, chosen))
    opened = any(re.search("ANYWHERE|PROCESSES", made.confined) for made in grades)
    for one, made in zip(chosen, grades):
        kind, points, words = ENDS.match(one.ends[0]).groups()
        told = grade_report.table(made)
        # nvcc says it in other words.
        holds = earned(made) == float(points or 0) and (
            ON_GPU or words in told and made.passed() == (kind == "known"))
        if opened and not holds:
            print(f"skip {one}: no Landlock or no seccomp here")
            tally.skipped += 1
        else:
            expect(f"{one}: {one.ends[0]}", holds, told)


def main() -> int:
    """Test all parts, or some cheats alone."""
    os.environ["SIM_THREADS"] = "1"
    alone = sys.argv[1:2] in (["--cheats"], ["--gpu"])
    if not alone:
        for part in (check_skeletons, check_remarks, check_gates, check_pages,
                     check_own_sizes, check_reports, check_commands, check_names,
                     check_grade, check_watch, check_speed, check_slow):
            part()
    os.environ.update(GRADE_SECONDS="20", GRADE_MIB="4096" if ON_GPU else "512")
    if not alone:
        check_class()
        check_leaderboard()
    if ON_GPU or not alone:
        check_ways()
    check_cheats(sys.argv[2:] if ALL or alone else list(NAMED))
    return close()


if __name__ == "__main__":
    course.script(main)
