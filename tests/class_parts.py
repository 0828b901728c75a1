"""Parts of grading and of a class, in which nothing is built: tools/classroom/.

Usage: python3 -m tests.class_parts     ends with `N passed, N failed`
"""

import glob
import io
import json
import os
import re
import sys
import tempfile
from contextlib import redirect_stdout

from tests.checks import ROOT, close, expect, raises, read, write
from tests.gpu import speed
from tools import checklist, course, goals, predict
from tools.classroom import (class_files, class_grade, class_report, exercise,
                             grade_report, grader, predictions, remarks, skeletons, tasks)
from tools.classroom.grade_report import NOT_BUILT, Grade, Outcome

GEMM_01 = tasks.find("chapter", "gemm_01_naive")
CAPSTONE = tasks.find("chapter", "capstone")
MINE = GEMM_01.mine


# ---- skeletons, pages, gates -------------------------------------------------

def check_skeletons() -> None:
    """What skeletons.py makes, and what it refuses."""
    solution = read(GEMM_01.solution)
    for what, text in (
            ("lines beyond the budget", solution.replace("[write 2]", "[write 1]")),
            ("no [end]", solution.replace("// [end]", "")),
            ("no region", "int x;\n"), ("[end] alone", "// [end]\n"),
            ("a hunt's region in an exercise", solution.replace("[write 2]", "[hunt]")),
            ("a region in a region", "// [write 1]\n" + solution)):
        expect(f"refuses {what}", bool(raises(
            tasks.Unusable, skeletons.skeleton, text, GEMM_01.solution)))
    every = tasks.all_tasks()
    expect("each solution has a page", {task.solution for task in every} ==
           set(glob.glob("solutions/*.cu")))
    expect("each hunt names its chapter", all(skeletons.of(task).startswith(
        f"// hunt of {task.chapter}\n") for task in every if task.hunt))


def check_pages() -> None:
    """Pages that cannot be read say so."""
    page = "```\n$ --M 1\nwrong\nstatus 1\n$ --M 2\nstatus 0\n```\n"
    expect("two runs", tasks.read_now("x", page)
           == [("--M 1", ["wrong"], 1), ("--M 2", [], 0)])
    head = "| points | layer | gate | at |\n| --- | --- | --- | --- |\n"
    for what, function, text in (
            ("no status", tasks.read_now, "```\n$ --M 1\nwrong\n```\n"),
            ("two hints", tasks.read_hints, "1. a\n2. b\n"),
            ("no gate correct", tasks.read_gates, head + "| 2 | speed | x | y |\n"),
            ("a layer", tasks.read_gates, head + "| 2 | fast | x | y |\n"),
            ("no points", tasks.read_gates, head + "| a | correct | x | y |\n")):
        expect(f"refuses a page: {what}", bool(raises(
            tasks.Unusable, function, "x", text)))
    few = tasks.find("chapter", "gemm_12_stream_k")
    expect("a grade takes the sizes of its own",
           few.args(few.gates[0]) == checklist.sizes(few.chapter, "exercise") != [])
    lines = GEMM_01.args(GEMM_01.gates[0])
    ann, bob = (grader.own_sizes(lines, name) for name in ("ann", "bob"))
    expect("seed=NAME draws sizes that are on no page", ann != bob and len(ann) == 2
           and ann == grader.own_sizes(lines, "ann")
           and not set(ann + bob) & set(lines), f"{ann} {bob}")


def check_slow() -> None:
    """Each gate of speed has a slow way that fits its solution."""
    slow = {entry.task.name for entry in speed.entries([])
            if entry.what != speed.SOLUTION}
    timed = {task.name for task in tasks.all_tasks() if task.timed()}
    expect("a slow way for each gate of speed", slow == timed, str(slow ^ timed))


def check_names() -> None:
    """Which task a name means, which one is next."""
    expect("the capstone is found as a chapter is, and is the last", CAPSTONE
           == goals.task_of(goals.Given(chapter="caps")) == tasks.all_tasks()[-1])
    own, tasks.STATE = tasks.STATE, ""  # not what whoever tests has done
    third, fifth, last = (tasks.find(what, name) for what, name in (
        ("chapter", "tensor_03_swizzle"), ("chapter", "gemm_05_thread_tile_2d"),
        ("hunt", "half_a_sum")))
    for task, behind in ((third, "hunt_only_a"), (fifth, "hunt_larger_tile"),
                         (last, "tensor_01_wmma"), (None, GEMM_01.name)):
        following = exercise.next_task(task)
        expect(f"behind {task and task.name}", following.name == behind, str(following))
    tasks.STATE = own


def check_gates() -> None:
    """Gates of counters."""
    counts = {"global_load_sectors": 8.0, "global_load_requests": 2.0,
              "global_load_cycles": 2.0, "shared_load_wavefronts": 4.0,
              "shared_store_wavefronts": 5.0, "shared_atomic_wavefronts": 1.0}
    for text, holds, left in (
            ("global_load_sectors / global_load_requests <= 4", True, 4),
            ("global_load_sectors <= 7.9", False, 8), ("barriers >= 1", False, 0),
            ("barriers / ffma <= 1", False, None), ("l1_cycles / 4 <= 2", False, 3)):
        expect(f"gate {text}", grader.counted(text, counts) == (holds, left))
    for text in ("sectors <= 4", "global_load_sectors", "open('x') <= 4",
                 "1 <= 2 <= 3", "global_load_sectors <="):
        expect(f"refuses the gate {text}", bool(raises(
            tasks.Unusable, grader.counted, text, counts)))


def check_built() -> None:
    """Of make's lines those that say more; the copy engine writes, too."""
    ends = "make[1]: *** [tools/build.mk:195: x.o] Error 1\n"
    said = list(map(grader.compiler_said, (f"a.cu:1: error: no\n{ends}", f"\n{ends}", "")))
    expect("why nothing was built", said == ["a.cu:1: error: no\n", ends, ""], str(said))
    expect("written", [False, True] == [grader.has_written({"counts": counts}) for counts
           in ({"global_store_requests": 0}, {"bulk_store_bytes": 16})])


def check_sizes() -> None:
    """The size that failed has a name, also where it is the small problem's."""
    small, both = "M=131, which each run begins with", ["M=131", ""]
    for why, problems, at in (
            (": wrong on y, M=131: 1 of 2", both, small), ("", [""], "--M 1"),
            (": wrong on y: 1 of 2", both, "--M 1"),
            ("a signal", both[:1], small), ("a signal", both, "--M 1"),
            (grader.RIGHT_BUT, both, f"--M 1, or {small}")):
        said = grader.failed_at("--M 1", why, problems)
        expect(f"it failed at {at}", said == at, said)


# ---- what a learner types ----------------------------------------------------


def says(what: str, command: str, has: str, lacks: str = "", answer: str = "") -> None:
    """Do one command of exercise.py for gemm_01: what its output has and lacks.

    Both are regular expressions; lacks may be empty.
    """
    output, sys.stdin = io.StringIO(), io.StringIO(answer)
    with redirect_stdout(output):
        getattr(exercise, command)(*[GEMM_01] * (command != "progress"))
    said = output.getvalue()
    expect(what, re.search(has, said) is not None
           and not (lacks and re.search(lacks, said)), said)


def check_commands() -> None:
    """exercise.py, in a folder that has one chapter."""
    exercise.show_runs = lambda *_: None  # tests/exercises.py
    with tempfile.TemporaryDirectory() as folder:
        for name in ("chapters/gemm_01_naive", "solutions"):
            os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        os.chdir(folder)
        write(course.ORDER, "gemm_01_naive gemm\n")
        check_first_steps()
        check_passed()
        os.chdir(ROOT)


def check_first_steps() -> None:
    """Begin, take hints, begin anew, ask for the solution."""
    says("progress before the first step", "progress",
         "Next: make chapter=gemm_01_naive exercise")
    says("exercise names the place", "exercise", f"{MINE}:10: TODO, 2 lines"
         "(.|\n)*as in the lesson\nBudget: 2 lines\n"
         "Counts: global_load_requests <= 524288 at --M 256")
    text = read(MINE)
    expect("exercise writes the skeleton alone", "int row = 0;\n    int col" in text
           and not re.search(r"blockIdx|\[end\]|//:", text), text)
    begun = text + "// my work\n"
    write(MINE, begun)
    says("exercise says that there is work", "exercise", "there already")
    expect("exercise overwrites nothing", read(MINE) == begun)
    for i in range(3):
        says(f"hint {i + 1}", "hint", f"Hint {i + 1} of 3", "(?s)Hint .*Hint ")
    says("all hints", "hint", "(?s)(Hint .*){3}", "(?s)(Hint .*){4}")
    says("reset asks", "reset", "nothing has changed", answer="no\n")
    expect("and does nothing", read(MINE) == begun)
    says("reset does it", "reset", "is the skeleton again", answer="yes\n")
    expect("reset keeps a copy", read("mine/gemm_01_naive.1.cu") == begun
           and read(MINE) == text)
    marks = r"TODO|\[write|\[end|//:|x selects"
    says("solution asks first", "solution", "ask again", "blockIdx")
    says("then shows it", "solution", r"\+    int row = blockIdx.x", marks)
    todo = "".join(re.findall(r" +// (?:TODO|x sel).*\n", text))
    write(MINE, skeletons.solved(GEMM_01).replace(
        "    int row", todo + "    int row", 1))
    says("the solution, below the TODO", "solution", "the same", marks)
    write(MINE, text)


def check_passed() -> None:
    """What is said to those who have passed one, or all."""
    passed = f"{tasks.contents(MINE)} y z"
    tasks.keep("gemm_01_naive", passed="x", points=8, of=8)
    says("what was changed since it passed has places", "exercise", "TODO, 2 lines")
    tasks.keep("gemm_01_naive", passed=passed)
    says("who passed is told what is next", "exercise",
         "passed, 8 of 8 points; next: make hunt=unwritten exercise  .*\n$",
         "TODO|grade")
    expect("what was worked on last is named", tasks.last() == GEMM_01)
    for task in tasks.all_tasks():
        tasks.keep(task.name, passed="x", points=8, of=8)
    says("progress has an end", "progress", exercise.DONE)
    write(tasks.STATE, "{")
    expect("a broken state is said", "cannot be read" in raises(
        tasks.Unusable, tasks.state))


# ---- reports of a file -------------------------------------------------------

RIGHT = tasks.Gate(4.0, "correct", "", "")
COUNTS = tasks.Gate(2.0, "counts", "a < 1 & b", "--M 1")
SPEED = tasks.Gate(2.0, "speed", ">= 0.9 of chapter", "--M 1")
PASSED = RIGHT, "passed", "11 command lines"


def graded_as(*outcomes: tuple) -> Grade:
    """Return the grade of these gates, states, notes and messages."""
    return Grade(GEMM_01, "ann/x.cu", [Outcome(*outcome) for outcome in outcomes], "",
                 1.5)


def check_reports() -> None:
    """results.json and the learner's table; tests/grading.py reads JUnit's."""
    grade = graded_as(PASSED, (COUNTS, "failed", "7", "a \x1b[1m<message>"),
                      (SPEED, "skipped", "not asked: no GPU"))
    result = json.loads(json.dumps(grade_report.gradescope(grade)))
    expect("results.json", (result["score"], result["max_score"]) == (4, 6)
           and [test["status"] for test in result["tests"]] == ["passed", "failed"])
    expect("JUnit has no control characters", "\x1b" not in grade_report.junit(grade))
    expect("the table's end", result["output"].endswith(
        "4 of 6 points\n1 passed, 1 failed, 1 skipped"), result["output"])
    free = COUNTS._replace(points=0.0)
    said = [grade_report.table(graded_as(PASSED, (free, state, "7")))
            for state in ("passed", "failed")]
    expect("a gate of 0 points is shown where it fails", "a < 1" not in said[0]
           and "\n1 passed, 0" in said[0] and "FAIL  0 of 0    a < 1" in said[1], said[1])
    said = grade_report.table(graded_as(
        (RIGHT, "failed", "--M 2", "wrong: 7"),
        (COUNTS, "failed", "not counted: it failed", "wrong: 8"),
        (SPEED, "failed", "no time", "wrong: 9")))
    expect("what is wrong is said once, of speed once more",
           re.findall(r"wrong: \d", said) == ["wrong: 7", "wrong: 9"], said)


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


def check_leaderboard() -> None:
    """Who is right has a bound: idle multiply-adds are no gain, nor are those that
    nobody counts."""
    least = 1320 ** 3 / (1980 * 132 * 4 * 32)  # us: clock, SMs, warps in a cycle, lanes
    for state, counted, note, wanted in (
            ("passed", 1, "no time", [least]), ("passed", 0, "no time", [least]),
            ("passed", 2, "0.5, 1.5 ms beside 1 ms", [2 * least, 1500]),
            ("failed", 1, "no time", [])):
        record = {"size": dict.fromkeys("MNK", 1320),
                  "counts": {"ffma": counted * 1320 ** 3}}
        board = grade_report.leaderboard(Grade(CAPSTONE, "x.cu", [
            Outcome(RIGHT, state, "x"), Outcome(SPEED, "failed", note)], "", 1, record))
        expect(f"leaderboard: {state}, {counted} times the product", [round(
            us, 3) for us in wanted] == [place["value"] for place in board], str(board))


# ---- a class -----------------------------------------------------------------

FOLDER = [name.replace("NEWLINE", "\n") for name in """\
ann/gemm_01_naive.cu ann/predict/gemm_01_naive.json ann/.git/scan.cu ann/work.zip
ann/a ann/b ann/c Bob_12_assignsubmission_file_/scan.cu late_1/main.cu
cid_3_4_scan.cu cid_LATE_3_5_scan-10.cu cid_3_4_scan-9.cu cid_3_4_my_scan.cu
dee_hunt_frame.cu .._scan.cu all.tar.gz eNEWLINEvil/conv.cu fay/gemm_02.cu
fay/hunt_unwritten_(1).cu fay/hunt_unwritten.cu fay/Gemm01.cu gus_gemm_02.cu
ida/mine/conv.cu ida/mine/progress.json
""".split()]


def check_files() -> None:
    """Folders as teachers and platforms make them."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FOLDER:
            os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
            write(f"{folder}/{name}".replace("_(", " ("), "")
        os.mkfifo(f"{folder}/fay/conv.cu")
        os.symlink("ann", f"{folder}/zoe")
        os.symlink("../cid_3_4_scan.cu", f"{folder}/late_1/scan.cu")
        handed_in = class_files.read(folder, [task.name for task in tasks.all_tasks()])
    files = {student: {task: os.path.relpath(path, folder)
                       for task, path in own.items()}
             for student, own in handed_in.files.items()}
    expect("each student's files", files == {
        "ann": {"gemm_01_naive": "ann/gemm_01_naive.cu"}, "late_1": {},
        "Bob_12_assignsubmission_file_": {
            "scan": "Bob_12_assignsubmission_file_/scan.cu"},
        "cid_3": {"scan": "cid_LATE_3_5_scan-10.cu"},
        "dee": {"hunt_frame": "dee_hunt_frame.cu"},
        "fay": {"gemm_02_coalesced": "fay/gemm_02.cu",
                "hunt_unwritten": "fay/hunt_unwritten (1).cu"},
        "gus": {"gemm_02_coalesced": "gus_gemm_02.cu"},
        "ida": {"conv": "ida/mine/conv.cu"},
        "e\\nvil": {"conv": "e\nvil/conv.cu"}}, str(files))
    expect("what a teacher is told", handed_in.strange == [
        "all.tar.gz: no exercise has this name",
        "ann: a, b, c and 1 more: no exercise has this name",
        "cid_3_4_my_scan.cu: no exercise has this name",
        "fay: Gemm01.cu (did you mean gemm_01_naive?): no exercise has this name",
        "fay: conv.cu: no file, not read",
        "late_1: main.cu: no exercise has this name",
        "late_1: scan.cu: a link, not followed", "zoe: a link, not followed"],
        str(handed_in.strange))


def check_expected() -> None:
    """What expect= and chapter= ask of all."""
    files = {"ann": {"scan": "DIR/ann_scan.cu"}, "bob": {}}
    expect("without expect= what half have handed in", [] == class_grade.expected(
        "", {**files, "cid": {}}) != class_grade.expected("", files) == ["scan"])
    names = class_grade.expected("gemm_03 hunt_frame seams tile_2d capstone", files)
    expect("expect= takes names as chapter= does", names == [
        "gemm_03_shared_tile", "hunt_frame", "hunt_seams", "gemm_05_thread_tile_2d",
        "capstone"], str(names))
    scan = "ann", "DIR/ann_scan.cu"
    every = [(name, f"DIR/{name}/{GEMM_01.name}.cu") for name in files]
    for wanted, only, jobs in (([], None, [scan]), ([], GEMM_01, every),
                               ([GEMM_01.name], None, [every[0], scan, every[1]])):
        expect(f"asked {wanted}, {only and only.name}", jobs == [
            (job.student, job.path) for job in
            class_grade.jobs_of("DIR", "OUT", wanted, only, files)])


def check_reasons() -> None:
    """The first thing that failed: a finding and its line, if there is one."""
    ended, causes = "the program ended with status 1", set()
    for outcomes, printed, expected in (
            ([PASSED], "", ""),
            ([(RIGHT, "failed", "--M 2", "  C[0][0]: got 1, want 2\n"
               "gemm_01_naive: wrong on x")], "", "wrong on x"),
            ([(RIGHT, "failed", "--M 2", "the result is right, but\n"
               "mine/x.cu:23:7: shared-race: write of x\n    by thread 0")], "",
             "line 23: shared-race: write of x|by thread 0"),
            ([(RIGHT, "failed", "--M 2", ended)],
             "ann/x.cu:44:12: global-race: write of C[1]\n"
             "ann/x.cu:44:12: out-of-bounds-global: write of C[7]\n    1 row past C",
             "line 44: out-of-bounds-global: write of C[7]|1 row past C"),
            ([(RIGHT, "failed", "--M 2", ended)], "my own words: x", ended),
            ([(RIGHT, "failed", NOT_BUILT, "does not compile\n"
               "x.cu:1:3: warning: a\nx.cu:2:1: error: b\n    2 | y;\n      | ^\n    why")],
             "", "line 2: error: b|why"),
            ([PASSED, (COUNTS, "failed", "8", "counts line by line;\n"
                       "page, Gates, says where the bound comes from")], "",
             "a < 1 & b, counted 8 at --M 1"),
            ([(RIGHT, "failed", NOT_BUILT, "no work yet: it is empty")], "",
             "no work yet: it is empty")):
        result = grade_report.gradescope(graded_as(*outcomes))
        result["extra_data"].update(printed=printed, version="x")
        said = "|".join(class_report.reason(result))
        expect(f"the reason {expected!r}", said == expected, said)
        work = class_report.Work(GEMM_01, result, class_report.reason(result), [])
        causes.update(str(rate) for rate in class_report.rates([work]))
    expect("the first cause counts", causes == {f"gemm_01, 1 of 1 file: {cause}" for
           cause in ("not correct", "shared-race", "out-of-bounds-global", "misses a < 1 & "
                     "b at --M 1", "does not compile", "no work yet: it is empty")},
           str(causes))


def check_predictions() -> None:
    """What a class has guessed: the commonest wrong answers of a question."""
    guesses = {"ann": ["64", "8192*8"], "bob": ["8^2", "?"], "cid": ["1e9", "1024"],
               "dee": [None], "eve": []}
    asked = predict.read(GEMM_01.name)[0].text
    with tempfile.TemporaryDirectory() as folder:
        for name, given in guesses.items():
            os.makedirs(f"{folder}/{name}/predict")
            write(f"{folder}/{name}/predict/{GEMM_01.name}.json", json.dumps([
                {"question": asked, "answer": answer, "right": answer == "1024"}
                for answer in given]))
        os.symlink("ann", f"{folder}/fay")
        write(f"{folder}/eve/predict/{GEMM_01.name}.json", "{")
        said = predictions.lines(folder)
    expect("predictions", said == [f"gemm_01 {asked}: 4 of 6 wrong: 64 (2), 65,536, "
                                   "1,000,000,000"], str(said))


def check_table() -> None:
    """A table of more tasks than fit, cells that are no formulas."""
    wide = class_report.table(class_report.Class(
        tasks.all_tasks(), [class_report.Student("x" * 30, {})], [], []))
    expect("a table of more tasks than fit", max(map(len, wide)) <= 100)
    for text in "=1", "+1", "-1", "@x", "\tx", "\rx":
        expect(f"the cell {text!r}", class_report.literal(text) == f"'{text}")


def main() -> int:
    """Test all parts."""
    for part in (check_skeletons, check_pages, check_slow, check_names, check_gates,
                 check_built, check_sizes, check_commands, check_reports, check_remarks,
                 check_leaderboard, check_files, check_expected, check_reasons,
                 check_predictions, check_table):
        part()
    return close()


if __name__ == "__main__":
    sys.exit(main())
