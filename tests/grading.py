"""Grading as it is typed: a file, a class, other styles, cheats.

Usage: python3 -m tests.grading [--all]                 (make test-all: --all)
       python3 -m tests.grading --cheats [NAME...]
       python3 -m tests.grading --gpu                  (tests.gpu grading)

A class is graded, interrupted in the middle (Ctrl-C), and graded on. Entries `right`
of tests/changes have all points; of an entry `cheat` behind ! stands how it ends:

    wrong: words         without points, for this reason; wrong 3.6: with so many
    keeps 4: words       with so many points, for what is right; the gate that fails
    misses: gate         tests/exercises.py tries it
    known 8: words       with points that it should not have: docs/grader.md names it

--all tries all of them; without it, one of each kind. What nothing is built for is in
tests/class_parts.py. Ends with `N passed, N failed`.
"""

import csv
import glob
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from typing import Dict, List

from tests.checks import ROOT, close, expect, read, tally, write
from tools import course, edits
from tools.classroom import grade_report, grader, skeletons, tasks

ON_GPU = sys.argv[1:] == ["--gpu"]
ALL = ON_GPU or sys.argv[1:] == ["--all"]
AT_ONCE = 8 if ON_GPU else 2  # files
GEMM_01 = tasks.find("chapter", "gemm_01_naive")
MINE = GEMM_01.mine


def changed(kind: str, name: str) -> str:
    """Return the solution of gemm_01 with an entry of its changes."""
    return next(edits.text_of(change, skeletons.solved(GEMM_01)) for change in
                edits.entries(GEMM_01.chapter, kind) if change.name == name)


# ---- make grade, make watch --------------------------------------------------


def linked(folder: str) -> None:
    """Make a repository of links, whose mine/ and build/ are its own."""
    for name in ("build", "mine"):
        os.mkdir(os.path.join(folder, name))
    for name in ("Makefile", "common", "simulator", "tools", "chapters", "docs",
                 "solutions", "build/simulator"):
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))


def make(folder: str, words: str) -> subprocess.CompletedProcess:
    """Type make there; nobody answers."""
    return subprocess.run(
        ["make", "--no-print-directory", *words.split()], cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        check=False)


def check_grade() -> None:
    """make grade of the learner's own file, step by step."""
    one = "chapter=gemm_01 grade on=simulator"
    with tempfile.TemporaryDirectory() as folder:
        linked(folder)
        report = f"{folder}/build/gemm_01_naive/grade"
        for text, points, has in (
                ("", 0, "0 passed, 3 failed, 1 skipped"),
                (skeletons.of(GEMM_01), 0, "\n  correct     FAIL  0 of 3    "
                 "M=131 N=134 K=21, which each run begins with\n ... "
                 "\nremark, which costs nothing: still the skeleton"),
                (changed("cheat", "copies_bytes"), 3, 'profile args="--M 256 --N 128 '
                 '--K 256"\n      counts line by line;\n      chapters/gemm_01_naive/'),
                (read(GEMM_01.solution), 8, "element of a thread\n\n  correct")):
            write(f"{folder}/{MINE}", text)
            done = make(folder, one)
            result = json.loads(read(f"{report}.json"))
            suite = xml.etree.ElementTree.parse(f"{report}.xml").getroot()
            expect(f"grade: {has}", result["score"] == points and all(
                       part in done.stdout for part in has.split(" ... "))
                   and int(suite.get("failures")) == sum(
                       test["status"] == "failed" for test in result["tests"])
                   and (done.returncode == 0) == (points == 8), done.stdout)
        then = os.stat(f"{report}.json").st_mtime_ns
        write(f"{folder}/mine/gemm_03_shared_tile.cu", "")
        for words, fails, has in (
                (one, False, "3 passed, 0 failed"),
                ("progress", False, r"(?m)^chapter=gemm_01_naive +passed +8 of 8$"),
                ("grade on=simulator", True, "exercises and hunts:"),
                ("chapter=gemm_01 hunt=x grade", True, "not both"),
                ("grade expect=x", True, "for submissions="),
                ("grade submissions=none", True, "no such folder")):
            done = make(folder, words)
            expect(f"make {words}", (done.returncode != 0) == fails
                   and re.search(has, done.stdout) is not None, done.stdout)
        expect("what passed is not built again",
               os.stat(f"{report}.json").st_mtime_ns == then)


def check_watch() -> None:
    """make watch in a terminal: each save is looked at, what passes is noted, and a
    grade that would take minutes ends at the next save or key."""
    endless = changed("cheat", "endless")
    # What is saved, which key is pressed, and what is said then.
    steps = ((changed("cheat", "include"), "", "Permission denied"),
             (endless, "", "size 1 of 9"),
             (changed("asks", "The block is forgotten"), "", "which each run begins with"
              f"\n        {MINE}:22:8: global-race"),
             (endless, "", "size 1 of 9"), ("", "h", "Hint 1 of 3"), ("", "", "size 1 of 9"),
             (read(GEMM_01.solution), "", "3 passed, 0 failed, 1 skipped\n"
              "next: make hunt=unwritten exercise"), (endless, "", "size 1 of 9"),
             ("", "n", "mine/hunt_unwritten.cu"), ("", "q", "\nended with 0"))
    with tempfile.TemporaryDirectory() as folder:
        linked(folder)
        write(f"{folder}/{MINE}", "int")
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(folder)
            os.environ["GRADE_SECONDS"] = "600"
            os.execvp("sh", ["sh", "-c", "TERM=vt100 make watch chapter=gemm_01; "
                             "echo ended with $?"])
        for text, key, words in steps:
            if text:
                write(f"{folder}/{MINE}", text)
            os.write(terminal, key.encode())
            said, end = "", time.monotonic() + 60
            while words not in said and time.monotonic() < end:
                if select.select([terminal], [], [], .1)[0]:
                    said += os.read(terminal, 1 << 16).decode().replace("\r\n", "\n")
            expect(f"watch: {words}", words in said, said)
        os.close(terminal)
        os.waitpid(process, 0)
        expect("what has passed when it was watched is noted", json.loads(read(
            f"{folder}/{tasks.STATE}"))[GEMM_01.name]["points"] == 8)
        check_watch_without_terminal(folder)


def check_watch_without_terminal(folder: str) -> None:
    """Each save is looked at all the same, until somebody ends it."""
    write(f"{folder}/{MINE}", read(GEMM_01.solution))
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "tools", "watch"], cwd=folder, text=True,
        env={**os.environ, "hunt": "", "chapter": "gemm_01"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = ""
    for words in "3 passed, 0 failed", "does not compile":
        while words not in said and process.poll() is None:
            said += process.stdout.readline()
        write(f"{folder}/{MINE}", "int")
    process.terminate()
    expect("watch without a terminal looks at each save until it is ended",
           process.wait(60) == 0 and "keys:" not in said, said)


# ---- speed -------------------------------------------------------------------


def check_speed() -> None:
    """A gate of speed, asked in the simulator."""
    gate = tasks.Gate(2, "speed", ">= 0 of chapter", "--M 33 --N 34 --K 36")
    expect("what is trusted of it can be built",
           grader.build_trusted([GEMM_01], False) and course.build(
               [f"build/simulator/grade/chapters/{GEMM_01.chapter}"]))
    with tempfile.TemporaryDirectory() as folder:
        own = grader.Grader(GEMM_01, GEMM_01.solution, False, folder)
        own.take()
        own.build("simulator")
        for share, state in ((">= 0", "passed"), (">= 1000", "failed")):
            outcome = own.speed(gate._replace(text=f"{share} of chapter"), "simulator")
            expect(f"{share} of the chapter's speed", outcome.state == state
                   and " ms beside " in outcome.note, str(outcome))


# ---- a class -----------------------------------------------------------------

FILE = f"{GEMM_01.name}.cu"


def students() -> Dict[str, tuple]:
    """Return what students hand in, where, and what they are told: points, words."""
    solution = read(GEMM_01.solution)
    return {
        "right": (f"right/{FILE}", solution, 8, ""),
        '<b x="&': (f'<b x="&/{FILE}', changed("cheat", "reference"), 0,
                    "the program ended"),
        "prints": (f"prints/{FILE}", changed("cheat", "exit_0"), 0, "status 0"),
        "empty": (f"empty/{FILE}", "", 0, "no work yet: the file is empty"),
        "wrong_name": ("wrong_name/main.cu", solution, 0, "not handed in"),
        "=host": (f"=host/{FILE}", changed("cheat", "host"), 0,
                  "remark: line 31: a host"),
        "windows_12": (f"windows_LATE_12_34_{GEMM_01.name}-1.cu",
                       solution.replace("\n", "\r\n"), 8, "")}


def start(folder: str, out: str) -> subprocess.Popen:
    """Start the grader, in a group of its own as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-B", "-m", "tools", "grade"], env={
            **os.environ, "submissions": folder, "out": out, "expect": "gemm_01",
            "on": "simulator"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
        # A test in the background may have been told to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def interrupt(folder: str, out: str) -> None:
    """Start the grader, stop it after the first grade."""
    process = start(folder, out)
    said = ""
    while "1/7" not in said and process.poll() is None:
        said += process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    said += process.communicate(timeout=120)[0]
    expect("Ctrl-C ends it and says what is done", process.returncode == -signal.SIGINT
           and "the same command goes on" in said, said)


def check_class() -> None:
    """Grade a class twice, look at each grade."""
    with tempfile.TemporaryDirectory() as scratch:
        folder, out = f"{scratch}/in", f"{scratch}/out"
        for path, text, *_ in students().values():
            os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
            write(f"{folder}/{path}", text)
        write(f"{folder}/windows_12_34_{FILE}", "")  # an earlier upload
        interrupt(folder, out)
        before = {path: os.stat(path).st_mtime_ns
                  for path in glob.glob(f"{glob.escape(out)}/*/*.json")}
        process = start(folder, out)
        said, _ = process.communicate()
        expect("it goes on where it ended, to 0: it could grade", process.returncode == 0
               and f"\n{len(before)} of 7 are graded already\n" in said and before
               and all(os.stat(path).st_mtime_ns == then
                       for path, then in before.items()), said)
        for has in ("wrong_name: main.cu: no exercise has this name",
                    r"right +8 of 8 +8\n", r"wrong_name +0 of 8 +none\n",
                    r"\nWhat fails most\ngemm_01, \d of 6 files: not correct\n",
                    r"\nNot graded\nwrong_name: main.cu: ",
                    r"\n6 files: 2 passed, 4 failed; 1 not handed in\n$"):
            expect(f"the class is told {has}", re.search(has, said) is not None, said)
        names = sorted(students())
        book = read(f"{out}/gradebook.csv").splitlines()
        expect("gradebook.csv", book[0] == f"student,points,of,{GEMM_01.name}"
               and "right,8.0,8.0,8.0" in book and len(book) == len(names) + 1, str(book))
        page = read(f"{out}/grades.html")
        expect("no tag of a name, no file but the page", "&lt;b x=" in page
               and "<p>7 students; 2 of 6 files passed" in page
               and not re.search("<b x|src=|href=|<script", page)
               and page.count('<tr><th scope="row"') == 8, page)
        with open(f"{out}/grades.csv", encoding="utf-8", newline="") as file:
            rows = {row["student"].lstrip("'"): row for row in csv.DictReader(file)}
        printed = [path.rsplit(".")[-1] for path in glob.glob(f"{out}/prints/*")
                   if "verified   every" in read(path)]
        expect("what a program printed is told to the teacher alone",
               printed == ["json"], str(printed))
        for name, (_, _, points, words) in students().items():
            row = rows.get(name, {"points": "-1"})
            told = str(row) + read(f"{out}/{name}/{GEMM_01.name}.txt")
            expect(f"{name}: {points} points, {words}",
                   float(row["points"]) == points and words in told, told)


# ---- other styles, cheats ----------------------------------------------------

# Without --all. Headers, other threads, inline PTX, a halo; of cheats the sandbox,
# processes, the compiler, the parent's clock, what is kept from run to run, memory of
# the reference, half of the points, a gate that is missed, a limit of it all.
SOME = {"right": ("headers", "two_dimensions", "ptx", "rows", "exclusive_or"),
        "cheat": ("files", "processes", "include", "endless", "replay", "reference",
                  "by_size", "one_lane_noise", "finds_counters")}
ENDS = re.compile(r"(wrong|keeps|known)(?: ([\d.]+))?: (.*)")


def earned(grade: grade_report.Grade) -> float:
    """Return the points less those for speed."""
    return sum(x.points() for x in grade.outcomes if x.gate.layer != "speed")


def grade_changes(kind: str, names: List[str]) -> List[tuple]:
    """Return changes, those of these names or all, with their grades."""
    chosen = [change for chapter in course.chapters()
              for change in edits.entries(chapter, kind)
              if (not names or change.name in names)
              and (kind == "right" or any(map(ENDS.match, change.ends)))]
    of = {change.chapter: tasks.find("chapter", change.chapter) for change in chosen}
    expect(f"there are such entries {kind}, and what is trusted can be built",
           bool(chosen) and grader.build_trusted([*of.values()], ON_GPU))

    def grade(change: edits.Change) -> grade_report.Grade:
        task = of[change.chapter]
        path = os.path.join(folder, f"{change.chapter}_{change.name}.cu")
        write(path, edits.text_of(change, read(task.solution)))
        return grader.grade_file(task, path, ON_GPU)

    with tempfile.TemporaryDirectory() as folder:
        return list(zip(chosen, course.together(AT_ONCE, grade, chosen)))


def check_ways(names: List[str]) -> None:
    """What is right gets all points, however it is written."""
    for change, grade in grade_changes("right", names):
        expect(f"{change} has all points", earned(grade) == grade.task.points(),
               grade_report.table(grade))


def check_cheats(names: List[str]) -> None:
    """No cheat gets a point that it should not, and each ends as it says."""
    graded = grade_changes("cheat", names)
    opened = any(re.search("ANYWHERE|PROCESSES", grade.confined) for _, grade in graded)
    for change, grade in graded:
        kind, points, words = ENDS.match(change.ends[0]).groups()
        told = grade_report.table(grade)
        holds = earned(grade) == float(points or 0) and (
            ON_GPU  # nvcc says it in other words
            or words in told and grade.passed() == (kind == "known"))
        if opened and not holds:
            print(f"skip {change}: no Landlock or no seccomp here")
            tally.skipped += 1
        else:
            expect(f"{change}: {change.ends[0]}", holds, told)


def main() -> int:
    """Test all parts, or some cheats alone."""
    os.environ["SIM_THREADS"] = "1"
    alone = sys.argv[1:2] in (["--cheats"], ["--gpu"])
    if not alone:
        for part in check_grade, check_watch, check_speed:
            part()
    os.environ.update(GRADE_SECONDS="20", GRADE_MIB="4096" if ON_GPU else "512")
    if not alone:
        check_class()
    if ON_GPU or not alone:
        check_ways([] if ALL else SOME["right"])
    check_cheats(sys.argv[2:] if ALL or alone else SOME["cheat"])
    return close()


if __name__ == "__main__":
    course.script(main)
