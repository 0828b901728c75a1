"""Parts of grading a class, in which nothing is built: docs/teaching/*.py.

Usage: python3 -m tests.class_parts     ends with `N passed, N failed`
"""

import csv
import html.parser
import io
import json
import os
import re
import sys
import tempfile
import xml.etree.ElementTree
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

from tests.checks import close, expect, raises, read, write
from tools import course
from tools.classroom import (alike, class_files, class_grade, class_page,
                             class_report, grade, leaderboard, skeletons, tasks)
from tools.classroom.grade_report import NOT_BUILT, Grade, Outcome, gradescope

KNOWN = [task.name for task in tasks.all_tasks()]
GEMM_01 = tasks.find("chapter", "gemm_01_naive")
GEMM_05 = tasks.find("chapter", "gemm_05_thread_tile_2d")
CAPSTONE = tasks.find("chapter", "capstone")
HOSTILE = '<b onclick="x">&amp;'


# ---- whose file is whose -----------------------------------------------------

FOLDER = [name.replace("NEWLINE", "\n") for name in """\
ann/mine/gemm_01_naive.cu ann/mine/predict/gemm_01_naive.json ann/.git/scan.cu
ann/course-main/mine/gemm_01_naive.cu ann/course-main/solutions/scan.cu ann/work.zip
ann/a ann/b ann/c ann/d far/a/b/conv.cu far/a/b/c/scan.cu late_1/main.cu
Bob_12_assignsubmission_file_/scan.cu Bob_13_assignsubmission_file_/scan.cu
cid_3_4_scan.cu cid_LATE_3_5_scan-10.cu cid_3_4_scan-9.cu cid_3_4_my_scan.cu
fay_LATE_9_9_homework.txt
dee_hunt_frame.cu .._scan.cu all.tar.gz eNEWLINEvil/conv.cu
""".split()]


def check_files() -> None:
    """Folders as platforms make them."""
    with tempfile.TemporaryDirectory() as folder:
        for name in FOLDER:
            os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
            write(f"{folder}/{name}", "")
        os.symlink("ann", f"{folder}/zoe")
        os.symlink("dee_hunt_frame.cu", f"{folder}/yan_hunt_frame.cu")
        os.symlink("../cid_3_4_scan.cu", f"{folder}/late_1/scan.cu")
        found = class_files.read(folder, KNOWN)
        files = {student: {task: os.path.relpath(path, folder)
                           for task, path in its.items()}
                 for student, its in found.files.items()}
        said = "\n".join([*found.notes, "", *found.strange]).replace(folder, "DIR")
    expect("each student's files", files == {
        "ann": {"gemm_01_naive": "ann/mine/gemm_01_naive.cu"},
        "far": {"conv": "far/a/b/conv.cu"}, "late_1": {},
        "Bob_12": {"scan": "Bob_12_assignsubmission_file_/scan.cu"},
        "Bob_13": {"scan": "Bob_13_assignsubmission_file_/scan.cu"},
        "cid": {"scan": "cid_LATE_3_5_scan-10.cu"}, "fay": {},
        "dee": {"hunt_frame": "dee_hunt_frame.cu"},
        "e\\nvil": {"conv": "e\nvil/conv.cu"}}, str(files))
    expect("what a teacher is told", said == """\
4 files with flat names, STUDENT_..._TASK.cu
2 files in folders of Moodle, STUDENT_..._assignsubmission_file_
3 files one or two folders deeper, as STUDENT/mine/TASK.cu
all.tar.gz: packed, not opened; unpack it first
ann/work.zip: packed, not opened; unpack it first
cid_3_4_scan-9.cu is left: cid_LATE_3_5_scan-10.cu counts
cid_3_4_scan.cu is left: cid_LATE_3_5_scan-10.cu counts
ann/course-main/mine/gemm_01_naive.cu is left: ann/mine/gemm_01_naive.cu counts

ann: a, b, c and 2 more: no exercise has this name
cid: cid_3_4_my_scan.cu: no exercise has this name
fay: fay_LATE_9_9_homework.txt: no exercise has this name
late_1: main.cu: no exercise has this name
late_1: scan.cu: links are not followed
DIR: yan_hunt_frame.cu, zoe: links are not followed
ann: course-main/solutions: the course's own, not looked at
far: a/b/c: too deep, not looked at""", said)


def check_expected() -> None:
    """What expect= and chapter= ask of all."""
    names = class_grade.expected("gemm_03 hunt_frame seams tile_2d capstone")
    expect("expect= takes names as chapter= does", names == [
        "gemm_03_shared_tile", "hunt_frame", "hunt_seams", GEMM_05.name, "capstone"],
        str(names))
    with redirect_stderr(io.StringIO()) as said:
        refused = raises(SystemExit, class_grade.expected, "capstoen")
    expect("and refuses others", refused == "2"
           and "(did you mean capstone?)" in said.getvalue()
           and bool(raises(tasks.Unusable, class_grade.expected, "hunt_x")))
    files = {"ann": {"scan": "DIR/ann_scan.cu"}, "bob": {}}

    def asked(wanted: list, only: object = None) -> list:
        return [(job.student, job.task.name, job.path, job.report) for job in
                class_grade.jobs_of("DIR", "OUT", wanted, only, files)]

    scan = "ann", "scan", "DIR/ann_scan.cu", "OUT/ann/scan"
    expect("only what was handed in", asked([]) == [scan])
    every = [(name, GEMM_01.name, f"DIR/{name}/{GEMM_01.name}.cu",
              f"OUT/{name}/{GEMM_01.name}") for name in files]
    expect("and what is expected",
           asked([GEMM_01.name]) == [every[0], scan, every[1]])
    expect("one exercise, of all", asked([], GEMM_01) == every)
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/all.zip", "")
        with redirect_stdout(io.StringIO()) as said:
            why = raises(tasks.Unusable, class_grade.grade_class, {
                "submissions": folder, "out": "", "expect": ""}, None, False, None)
    expect("a folder with nothing but what is packed", "no file that is named" in why
           and said.getvalue().startswith("all.zip: packed"), said.getvalue() + why)


# ---- grades ------------------------------------------------------------------

RIGHT, COUNTS = (tasks.Gate(4.0, "correct", "", ""),
                 tasks.Gate(2.0, "structural", "a < 1 & b", "--M 1"))
PASSED = RIGHT, "passed", "11 command lines"


def found_of(*outcomes: tuple, printed: str = "", version: str = "x") -> dict:
    """Return results.json of these gates, states, notes and messages."""
    found = gradescope(Grade(GEMM_01, "ann/x.cu", [
        Outcome(*outcome) for outcome in outcomes], "", 1.5))
    found["extra_data"].update(printed=printed, version=version)
    return found


def check_reasons() -> None:
    """The first thing that failed: a finding and its line, if there is one."""
    ended = "the program ended with status 1"
    for outcomes, printed, reason in (
            ([PASSED], "", ""),
            ([(RIGHT, "failed", "--M 2", "  C[0][0]: got 1, want 2\n"
               "gemm_01_naive: wrong on x")], "", "wrong on x"),
            ([(RIGHT, "failed", "--M 2", "the result is right, but\n"
               "mine/x.cu:23:7: shared-race: write of x\n    by thread 0")], "",
             "line 23: shared-race: write of x|by thread 0"),
            ([(RIGHT, "failed", "--M 2", ended)],
             "ann/x.cu:5: kernel, grid (5, 5, 1): an illegal memory access\n"
             "ann/x.cu:44:12: global-race: write of C[1]\n"
             "ann/x.cu:44:12: out-of-bounds-global: write of C[7]\n    1 row past C",
             "line 44: out-of-bounds-global: write of C[7]|1 row past C"),
            ([(RIGHT, "failed", "--M 2", ended)], "my own words: x", ended),
            ([(RIGHT, "failed", NOT_BUILT, "does not compile\n"
               "x.cu:1:3: warning: a\nx.cu:2:1: error: b")], "", "line 2: error: b"),
            ([(RIGHT, "failed", NOT_BUILT, "does not compile\nno line")], "",
             "does not compile"),
            ([PASSED, (COUNTS, "failed", "8", "counts line by line;\n"
                       "page, Gates, says where the bound comes from")], "",
             "a < 1 & b: 8 at --M 1"),
            ([PASSED, (COUNTS, "failed", "no time")], "", "no time")):
        found = found_of(*outcomes, printed=printed)
        said = "|".join(class_report.reason(found))
        expect(f"the reason {reason!r}", said == reason, said)
    line = class_report.line(grade.Job(GEMM_01, "x", "y", "ann"), found)
    expect("a line of the class", re.fullmatch(
        r"ann +gemm_01 +4 of 6 +no time", line) is not None, line)


def a_class(out: str) -> class_report.Class:
    """Return a class of three: right, wrong with hostile words, nothing."""
    wrong = found_of((RIGHT, "failed", "--M 2", f"{HOSTILE}\x1b[1m"), (
        COUNTS, "failed", "8"))
    none = found_of((RIGHT, "failed", NOT_BUILT), (COUNTS, "failed", NOT_BUILT),
                    version="none gemm_01_naive")
    results = {"=1+2": found_of(PASSED, (COUNTS, "passed", "7")), HOSTILE: wrong,
               "ann": none}
    for name in results:
        course.write(f"{out}/{name}/x.xml", '<testsuite name="x" tests="1">'
                     '<testcase classname="x.correct" name="y"/></testsuite>')
    return class_report.class_of([*results, "nobody"], [
        grade.Job(GEMM_01, "none", f"{out}/{name}/x", name) for name in results
    ], list(results.values()), [f"{HOSTILE}: strange"])


def ranked(folder: str, times: dict, correct: str = "passed") -> class_report.Class:
    """Return a class whose capstones counted the same, but for multiply-adds; times
    in ms, None without a GPU."""
    timed = tasks.Gate(2.0, "speed", ">= 0.6 of chapter", "--M 2048")
    jobs, found = [], []
    for number, (name, ms) in enumerate(times.items()):
        record = {"size": dict.fromkeys("MNK", 1320), "launch": {"grid": [132, 1, 1]},
                  "counts": {"ffma": number * 1320 ** 3}}
        jobs.append(grade.Job(CAPSTONE, "none", f"{folder}/{name}/x", name))
        found.append(grade.report(jobs[-1], Grade(CAPSTONE, "x.cu", [
            Outcome(RIGHT, correct, "x"), Outcome(COUNTS, "passed", "7"),
            Outcome(timed, "failed", f"0.5, {ms} ms beside 1 ms" if ms else "no time")
        ], "", 1, record), "x"))
    return class_report.class_of(list(times), jobs, found, [])


def check_leaderboard() -> None:
    """By the clock where all were timed, else by the counts."""
    for what, times, order in (
            ("all were timed", {"ann": 3, HOSTILE: 1, "=1": 2}, [HOSTILE, "=1", "ann"]),
            ("one was not", {"ann": 3, HOSTILE: None, "=1": 2}, [HOSTILE, "ann", "=1"]),
            ("nobody is right", {"ann": 1}, [])):
        with tempfile.TemporaryDirectory() as folder:
            made = ranked(folder, times, "passed" if order else "failed")
            class_report.write(folder, made)
            path = f"{folder}/leaderboard.csv"
            rows = list(csv.reader(io.StringIO(read(path)))) \
                if os.path.exists(path) else []
        expect(f"leaderboard.csv, {what}", [row[1] for row in rows[1:]] == [
            name.replace("=1", "'=1") for name in order], str(rows))
        said = "\n".join(class_report.lines(made))
        page = Tags(class_page.page(made))
        expect(f"the terminal, {what}", re.findall("^    [123] (.{,20}?) +[0-9]", said,
                                                   re.M) == order, said)
        expect(f"the page, {what}", "b" not in page.tags
               and ("bound_us" in page.text) == bool(order)
               and page.text.count(HOSTILE) == 3 * (HOSTILE in order), page.text)
    # 1320^3 multiply-adds, 4 of warps in a cycle of 132 SMs at 1,980 MHz
    with tempfile.TemporaryDirectory() as folder:
        made = ranked(folder, {"none": 1.5, "one": None, "two": None})
    entries = {one.student: one for one in leaderboard.ranking(made.students)}
    expect("a kernel cannot have fewer multiply-adds than the product",
           [round(one.bound_us * 1980 * 132 * 4 * 32 / 1320 ** 3, 6)
            for one in map(entries.get, ("none", "one", "two"))] == [1, 1, 2]
           and entries["none"].time_us == 1500, str(entries))


class Tags(html.parser.HTMLParser):
    """The tags of a page, its text, what its attributes load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.text, self.loads = [], "", []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.append(tag)
        self.loads += [value for name, value in attrs if name == "src" or
                       name == "href" and not value.startswith("#")
                       or name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def check_reports() -> None:
    """What is written of a class, with hostile names and words."""
    with tempfile.TemporaryDirectory() as out:
        made = a_class(out)
        class_report.write(out, made)
        with open(f"{out}/grades.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        data = json.loads(read(f"{out}/grades.json"))
        suites = xml.etree.ElementTree.parse(f"{out}/grades.xml").getroot()
    expect("formulas are text, numbers are numbers, all students are there", [
        row[:6] for row in rows[1:]] == [
            [HOSTILE, "gemm_01_naive", "0", "6.0", "no", "1.5"],
            ["'=1+2", "gemm_01_naive", "6.0", "6.0", "yes", "1.5"],
            ["ann", "gemm_01_naive", "0", "6.0", "no", "1.5"],
            ["nobody", "", "0", "0", "no", "0"]], str(rows))
    for text in "=1", "+1", "-1", "@x", "\tx", "\rx":
        expect(f"the cell {text!r}", class_report.literal(text) == f"'{text}")
    expect("a number", class_report.literal(-1) == -1)
    expect("grades.json", [(one["student"], one["points"]) for one in data["students"]]
           == [(HOSTILE, 0), ("ann", 0), ("nobody", 0), ("=1+2", 6)], str(data))
    expect("grades.xml", [(one.get("name"), one[0].get("classname"))
                          for one in suites] == [
        (f"{name} gemm_01_naive", f"{name}.x.correct")
        for name in (HOSTILE, "ann", "=1+2")])
    expect("rates are of what was handed in", list(map(str, made.rates)) == [
        "gemm_01 correct: 1 of 2 fail", "gemm_01 a < 1 & b at --M 1: 1 of 2 fail"],
        str(made.rates))
    said = list(class_report.lines(made))
    expect("the table, the weakest first", said[:6] == [
        f"student{'points':>27}  gemm_01", f"{HOSTILE:<20}        0 of 6        0",
        f"ann{'0 of 6':>31}     none", f"nobody{'0 of 0':>28}        -",
        f"=1+2{'6 of 6':>30}        6", f"passed{'1 of 3':>37}"], "\n".join(said))
    page = class_page.page(made)
    tags = Tags(page)
    expect("no tag of a name or of a program", "b" not in tags.tags
           and "\x1b" not in page and tags.text.count(HOSTILE) == 4, page)
    expect("no file but the page", not tags.loads, str(tags.loads))
    expect("a row of each student", page.count('<tr><th scope="row" data-key') == 4)


def check_wide() -> None:
    """A table of more tasks than fit, in a terminal."""
    every = tasks.all_tasks()
    for some in every[:6], every:
        made = class_report.Class(some, [class_report.Student("x" * 30, {})], [], [],
                                  [])
        said = list(class_report.table(made))
        expect(f"{len(some)} tasks fit", max(map(len, said)) <= 100
               and (len(said) == 3) == (len(some) == 6), "\n".join(said))
        expect("each has a column", not {class_report.short(task) for task in some}
               - set(" ".join(said).split()))


def check_same() -> None:
    """The same bytes are graded once, each under its own path."""
    made = Grade(GEMM_01, "ann/x.cu", [
        Outcome(RIGHT, "failed", "--M 2", "ann/x.cu:3:1: shared-race: x")], "", 1)
    with tempfile.TemporaryDirectory() as folder:
        jobs = [grade.Job(GEMM_01, f"{folder}/{name}/x.cu", f"{folder}/out/{name}",
                          name) for name in ("ann", "bob")]
        for job in jobs:
            course.write(job.path, "the same")
        for calls in 1, 0:
            with mock.patch.object(grade, "graded", return_value=made) as graded:
                found = class_grade.grade_same(jobs, False, course.Make())
            expect(f"graded {calls} times", graded.call_count == calls)
        told = [read(f"{job.report}.txt") for job in jobs]
    expect("each is told of its own file", [one["score"] for one in found] == [0, 0]
           and "ann/x.cu:3:1" in told[0] and "bob" not in told[0]
           and "bob/x.cu:3:1" in told[1] and "ann" not in told[1], "\n".join(told))


def check_progress() -> None:
    """How much time is left is of what was graded now."""
    progress = class_grade.Progress(10, 60)
    for new, seconds, words in ((2, 10, "12 of 60, about 4 min left"),
                                (40, 80, "50 of 60, about 20 s left"),
                                (49, 49, "59 of 60, about 10 s left")):
        progress.done, progress.new = 10 + new, new
        with mock.patch("time.monotonic", return_value=progress.start + seconds):
            expect(words, progress.left() == words, progress.left())


# ---- alike -------------------------------------------------------------------

# Of gemm_05's exercise what stands for its two places: one wrote it, one renamed
# all and left comments, one put lines in another order, the others wrote their own.
ANN = """\
int group = thread >> 5;
int member = thread & 31;
int top = (group >> 1) << 2;
int left = (group & 1) << 3;
int thread_row = TM * (top + (member >> 3));
int thread_col = TN * (left + (member & 7));
---
float column[TM];
for (int i = TM - 1; i >= 0; --i)
    column[i] = As[k][thread_row + i];
for (int j = 0; j != TN; ++j) {
    float right = Bs[k][thread_col + j];
    for (int i = 0; i != TM; ++i)
        sum[i][j] = fmaf(column[i], right, sum[i][j]);
}
"""
RENAMED = {"group": "w", "member": "l", "top": "r0", "left": "c0", "column": "va",
           "right": "vb", "i": "m", "j": "n", "---": "// mine\n---"}
OWN = ["""\
int thread_row = (thread / 64 * 4 + thread % 32 / 8) * TM;
int thread_col = (thread / 32 % 2 * 8 + thread % 8) * TN;
---
for (int i = 0; i < TM; i++) {
    float a = As[k][thread_row + i];
    for (int j = 0; j < TN; j++)
        sum[i][j] += a * Bs[k][thread_col + j];
}
""", """\
const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
const int ty = (warp / 2) * 4 + lane / 8;
const int tx = (warp % 2) * 8 + lane % 8;
const int thread_row = ty * TM, thread_col = tx * TN;
---
float regA[TM] = {}, regB[TN] = {};
for (int i = 0; i < TM; ++i) regA[i] = As[k][thread_row + i];
for (int i = 0; i < TN; ++i) regB[i] = Bs[k][thread_col + i];
for (int r = 0; r < TM; ++r)
    for (int c = 0; c < TN; ++c)
        sum[r][c] += regA[r] * regB[c];
""", """\
int q = thread / 128;
int thread_row = q * 64, thread_col = 0;
thread_row += thread % 128 / 16 * TM;
thread_col += thread % 16 * TN;
---
for (int e = 0; e < TM * TN; e++) {
    int i = e / TN, j = e % TN;
    float product = As[k][thread_row + i] * Bs[k][thread_col + j];
    sum[i][j] = sum[i][j] + product;
}
""", """\
int row8 = thread / 16;
int col8 = thread - 16 * row8;
int thread_row = row8 * TM;
int thread_col = col8 * TN;
---
float *s = &sum[0][0];
for (int i = 0; i < TM; i++) {
    const float x = As[k][thread_row + i];
    for (int j = 0; j < TN; j++)
        *s++ += x * Bs[k][j + thread_col];
}
"""]


def handed_in(work: str) -> str:
    """Return the skeleton of gemm_05's exercise with this in its places."""
    text = skeletons.of(GEMM_05)
    for old, new in zip(("    int thread_row = 0;\n    int thread_col = 0;\n",
                         "            sum[0][0] += As[k][thread_row] * "
                         "Bs[k][thread_col];\n"), work.split("---\n")):
        assert old in text
        text = text.replace(old, new)
    return text


def check_alike() -> None:
    """Who copied is named, who wrote alone is not, nor what many have."""
    lines = ANN.split("\n")
    moved = "\n".join([lines[i] for i in (1, 0, 3, 2, 5, 4)] + lines[6:])
    renamed = re.sub(r"---|\w+", lambda word: RENAMED.get(word[0], word[0]), ANN)
    ann, bob, cid, *own = map(handed_in, [ANN, renamed, moved, *OWN])
    solution, skeleton = read(GEMM_05.solution), skeletons.of(GEMM_05)

    def found(*texts: str) -> list:
        return [(pair.one, pair.other) for pair in alike.pairs(
            GEMM_05, {str(i): text for i, text in enumerate(texts)})]

    for what, copy in ("renamed", bob), ("reordered", cid), ("the same", ann):
        expect(f"{what}: alike", found(ann, *own, copy, solution, skeleton)
               == [("0", "5")])
    expect("each wrote alone", found(ann, *own, skeleton, solution) == [])
    expect("no hint of what is the solution's or the skeleton's",
           found(*[solution, skeleton] * 2, *own, ann) == [])
    with mock.patch.object(alike, "LEAST", 1):
        expect("nor of the lines that a skeleton has alone",
               found(skeleton, skeleton, *own, solution, ann) == [])
    expect("no hint of what more than a third has",
           found(ann, bob, cid, *own[:3]) == [])
    expect("no hint of a few tokens", found(*[handed_in(
        "int thread_row = thread / 16 * 3;\nint thread_col = 7;\n---\n")] * 2,
        *own, ann) == [])
    expect("no hint in a class of five", found(ann, bob, *own[:3]) == [])
    said = str(alike.Pair("ann", "bob", GEMM_05, 0.924))
    expect("a hint", said == "ann and bob, gemm_05: 92 % of what they wrote is alike; "
           "read both", said)


def main() -> int:
    """Test all parts."""
    for part in (check_files, check_expected, check_reasons, check_reports,
                 check_leaderboard, check_wide, check_same, check_progress,
                 check_alike):
        part()
    return close()


if __name__ == "__main__":
    sys.exit(main())
