#!/usr/bin/env python3
"""A class of made-up submissions, graded in one command, right in every case.

Usage: tests/class.py [--all]     (make test: ten students; make test-all: all)

Thirty students hand in what students hand in: right and wrong kernels, slow
ones, some that crash or never end, cheats, nothing, another file. What each of
them must get is known. The grader is interrupted in the middle (Ctrl-C) and
started again: no grade that was done is made twice, and none is missing.
Ends with `N passed, N failed`.
"""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
os.chdir(ROOT)
sys.path.insert(0, "tools")

import course  # noqa: E402
import skeletons  # noqa: E402
import tasks  # noqa: E402

TASK = tasks.find("chapter", "gemm_03_shared_tile")
FILE = f"{TASK.name}.cu"
BARRIER = "        __syncthreads(); // both tiles are complete\n"
INTERRUPTED_AFTER = 3  # grades


def read(path):
    """Return the text of a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


SOLUTION = read(TASK.solution)


def edited(old, new, number=1):
    """Return the solution with a text replaced, which must be there."""
    assert old in SOLUTION, old
    return SOLUTION.replace(old, new, number)


def cheat(name):
    """Return a file of tests/cheats, which is about gemm_01."""
    return read(f"tests/cheats/{name}.cu")


def students():
    """Return [(name, files, points, words of the reason)]; None: any points.

    The first ten are those of make test.
    """
    full = TASK.points()
    junk = "".join(map(chr, range(1, 127)))
    more = "#pragma unroll 1\n        for (int twice = 0; twice < 2; twice++)\n"
    one = [
        ("right", SOLUTION, full, ""),
        ("nothing_done", skeletons.of(TASK), 0, "wrong on"),
        ("slow_barriers", edited(BARRIER, BARRIER * 2), full - 2,
         "24,576"),
        ("crashes", edited("    gemm_kernel<<<",
                           "    *(volatile int *)0 = 1;\n    gemm_kernel<<<"),
         0, "ended by signal 11"),
        ("cheats_replay", cheat("replay"), 0, "wrong on"),
        ("empty", "", 0, "no work yet: the file is empty"),
        ("wrong_name", None, 0, "no work yet: there is no"),
        ("no_compile", edited("float sum", "flaot sum"), 0, "does not compile"),
        ("cheats_counts", cheat("counts"), 0, "refused"),
        ("right_too", edited("float sum = 0.0f;", "float sum = 0;"), full, ""),
        # those of the full class
        ("endless", edited("    float sum = 0.0f;\n",
                           "    float sum = 0.0f;\n    while (M)\n        ;\n"),
         0, "endless loop"),
        ("right_comments", "// mine\n" + SOLUTION, full, ""),
        ("right_windows", SOLUTION.replace("\n", "\r\n"), full, ""),
        ("one_barrier", edited(BARRIER, ""), 0, "shared-race|wrong on"),
        ("last_barrier", "".join(SOLUTION.rpartition("__syncthreads();")[::2]),
         0, "shared-race|wrong on"),
        ("no_alpha", edited("? alpha * sum :", "? sum :"), None, "wrong on"),
        ("no_beta", edited(" + beta * *c", ""), None, "wrong on"),
        ("no_guard", edited("    if (row < M && col < N) {\n", "    {\n"),
         None, "global|out|wrong"),
        ("swapped", edited("blockIdx.y * EDGE", "blockIdx.x * EDGE"), 0,
         "wrong on"),
        ("slow_loads", edited("        // [write 5]", more + "            sum += row "
                              "< M && x < left ? 0.0f * *A : 0.0f;\n"
                              "        // [write 5]"),
         full - 2, "global_load_sectors <= 131072"),
        ("aborts", edited("    dim3 block", "    abort();\n    dim3 block"), 0,
         "ended by signal 6"),
        ("stray", edited("C + (int64_t)row * ldc", "C + (int64_t)row * 100000"),
         None, "out|global|memory|ended"),
        ("hungry", cheat("memory"), 0, "MiB of memory"),
        ("sleeps", edited("    dim3 block", "    for (;;)\n        ;\n"
                          "    dim3 block"), 0, "endless loop"),
        ("cheats_exit", cheat("exit_0"), 0, "ended with status 0"),
        ("cheats_files", cheat("files"), 0, "refused"),
        ("cheats_nan", cheat("nan"), 0, "wrong on"),
        ("cheats_library", cheat("library"), 0, "refused"),
        ("junk", junk, 0, "refused|does not compile"),
        ("link", "link", 0, "no work yet"),
    ]
    return one


def hand_in(folder, some):
    """Write the submissions."""
    for name, text, _, _ in some:
        os.makedirs(os.path.join(folder, name))
        path = os.path.join(folder, name, "main.cu" if text is None else FILE)
        if text == "link":
            os.symlink(os.path.abspath(TASK.solution), path)
            continue
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(SOLUTION if text is None else text)


def start(folder, out):
    """Start the grader, in a group of its own as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-B", "tools/grade.py", "simulator", "class",
         folder, out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, start_new_session=True,
        # A test in the background may have been told to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def interrupt(folder, out):
    """Start the grader, stop it after some grades. Return what it said."""
    process = start(folder, out)
    lines = []
    while len(lines) < INTERRUPTED_AFTER:
        lines.append(process.stdout.readline())
    os.killpg(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    return process.returncode, "".join(lines) + rest


def main():
    """Grade the class twice, look at each grade."""
    every = sys.argv[1:] == ["--all"]
    some = students() if every else students()[:10]
    course.forget_make()
    os.environ.update(GRADE_SECONDS="20", GRADE_MIB="512", SIM_THREADS="1",
                      NO_COLOR="1")
    tally = course.Tally()

    def expect(what, holds, more=""):
        tally.add(0 if holds else 1)
        print(f"{'pass' if holds else 'FAIL'} {what}"
              + ("" if holds else f"\n{more}"), flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        folder, out = os.path.join(scratch, "in"), os.path.join(scratch, "out")
        hand_in(folder, some)
        begin = time.monotonic()
        status, said = interrupt(folder, out)
        times = {name: os.stat(os.path.join(out, name, f"{TASK.name}.json")
                               ).st_mtime_ns
                 for name, *_ in some
                 if os.path.exists(os.path.join(out, name, f"{TASK.name}.json"))}
        expect("Ctrl-C ends it and says what is done",
               status == -signal.SIGINT and "the same command goes on" in said
               and INTERRUPTED_AFTER <= len(times) < len(some),
               f"status {status}, {len(times)} grades\n{said}")
        process = start(folder, out)
        said, _ = process.communicate()
        seconds = time.monotonic() - begin
        expect("the second start ends with 4, below a gate",
               process.returncode == 4, said)
        kept = re.search(r"^(\d+) of \d+ are graded already", said, re.M)
        expect("it goes on where the first one ended",
               bool(kept) and int(kept.group(1)) == len(times), said)
        expect("and makes no grade twice", all(
            os.stat(os.path.join(out, name, f"{TASK.name}.json")).st_mtime_ns
            == then for name, then in times.items()))
        with open(os.path.join(out, "grades.csv"), encoding="utf-8",
                  newline="") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        expect("everybody has a grade", len(rows) == len(some), str(rows))
        for name, _, points, words in some:
            row = rows.get(name, {"points": "-1", "reason": "no row"})
            right = float(row["points"]) == points if points is not None else \
                0 <= float(row["points"]) < TASK.points()
            told = ""
            path = os.path.join(out, name, f"{TASK.name}.txt")
            if os.path.exists(path):
                told = read(path)
            expect(f"{name}: {row['points']} points, {row['reason'][:60]}",
                   right and bool(re.search(words, row["reason"] + told)), told)
            with open(path.replace(".txt", ".json"), encoding="utf-8") as file:
                expect(f"{name}: results.json", json.load(file)["score"]
                       == float(row["points"]))
        expect("the file of another name is named",
               "main.cu: no exercise has this name" in said, said)
        if every:
            expect(f"less than ten minutes: {seconds:.0f} s", seconds < 600)
    tally.close()
    return tally.status


if __name__ == "__main__":
    course.script(main)
