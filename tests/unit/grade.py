"""The layer speed of the grader, as on a GPU: python3 -B -m tests.unit runs it.

Entries `cheat` of tests/changes are its children, beside the solution.
"""

import os
import re
import subprocess
import tempfile

from tests.checks import ROOT, expect, read, write
from tools import course, edits

AS_GPU = os.path.join(ROOT, "build/unit/as_gpu/grade")


def timed(child: str, size: str) -> tuple:
    """Time a child beside the chapter. Return the status and what was said."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("own", "reference"):
            os.mkdir(os.path.join(folder, name))
        done = subprocess.run(
            [f"{AS_GPU}/parent", *size.split(), "--small", "0", "--repeats", "0"],
            env={**os.environ, "GRADE_CHILD": f"{AS_GPU}/{child}",
                 "GRADE_FOLDER": f"{folder}/own",
                 "GRADE_REFERENCE": f"{AS_GPU}/chapter",
                 "GRADE_REFERENCE_FOLDER": f"{folder}/reference"},
            capture_output=True, text=True, check=False)
        return done.returncode, "\n".join([done.stdout, done.stderr,
                                           read(f"{folder}/own.output")])


def check() -> None:
    """The layer speed as on a GPU: times in turn, each run verified.

    tests.unit calls it, which has built the same objects.
    """
    cheats = "skip", "lazy", "replay", "memo"
    changes = {change.name: change
               for change in edits.entries("gemm_01_naive", "cheat")}
    os.makedirs(AS_GPU, exist_ok=True)
    for name in cheats:
        path = f"{AS_GPU}/{name}.cu"
        text = edits.text_of(changes[name], read("solutions/gemm_01_naive.cu"))
        if not (os.path.exists(path) and read(path) == text):
            write(path, text)
    expect("the grader as on a GPU can be built", course.Make(
        rules="tests/unit/build.mk").made(*(
            f"build/unit/as_gpu/grade/{name}"
            for name in ("parent", "child", "chapter", *cheats))))
    line = r"(?m)^ms: yours [\d.]+ chapter [\d.]+$"
    for what, child, beta, status, has in (
            # with and without what a run finds in its output
            ("times of two, in turn", "child", "0.5", 0, line),
            ("the same, beta 0", "child", "0", 0, line),
            ("no time for one that stops working", "skip", "0.5", 1, "in a timed run"),
            ("for one that then works every other time", "lazy", "0.5", 1,
             "in a timed run"),
            ("for one that replays", "replay", "0.5", 1, "^((?!ms:)(.|\n))*$")):
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
