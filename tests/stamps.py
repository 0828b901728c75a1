#!/usr/bin/env python3
"""The stamps of tests/run, on suites made up here.

Ends with `N passed, N failed`.
"""

import os
import shutil
import subprocess
import sys
import tempfile

from checks import ROOT, close, expect, read, write

import course

SUITES = r"""
from collections import namedtuple
PYTHON = ["python3", "-B"]
Suite = namedtuple("Suite", "name command reads group")
LINE = 'echo "$0" >>ran; cat $1; echo "ok 1"; ! grep -q wrong $1'
def suites(deep):
    return [Suite(name, ["sh", "-c", LINE, name, file], reads, name[0])
            for name, file, reads in (
                ("a/1", "one", ["one", "both/*", "!*.md"]),
                ("a/2", "two", ["two", "both/*"]),
                ("b", "none" if deep else "three", ["three"]))]
"""
# What is written where, the suites that run then, the end of what is said.
CASES = (
    ("", "", "a/1 a/2 b", "3 passed, 0 failed\n"),
    ("", "", "", "b                       1 passed   0 failed   0 skipped    0.0 s,"
     " unchanged\n3 passed, 0 failed\n"),
    ("one", "other", "a/1", "3 passed, 0 failed\n"),
    ("both/deep/new", "", "a/1 a/2", "3 passed, 0 failed\n"),
    ("both/page.md", "word", "a/2", "3 passed, 0 failed\n"),
    ("nobody's", "word", "", "3 passed, 0 failed\n"),
    # What failed is run until it passes, also as it was when it passed.
    ("three", "wrong", "b", "    wrong\n3 passed, 1 failed\n"),
    ("", "", "b", "3 passed, 1 failed\n"),
    ("three", "three", "b", "3 passed, 0 failed\n"),
    ("one", "# skip of a reason", "a/1", "3 passed, 0 failed\n"),
    ("", "", "", "    # skip of a reason\nb"),
)


def main() -> int:
    """Write, run, look at what ran."""
    with tempfile.TemporaryDirectory() as house:
        os.chdir(house)
        os.makedirs("tests")
        shutil.copytree(os.path.join(ROOT, "tools"), "tools")
        shutil.copy(os.path.join(ROOT, "tests", "run"), "tests")
        for name, text in (("tests/suites.py", SUITES), ("one", "one\n"),
                           ("two", "two\n"), ("three", "three\n"),
                           (".gitignore", "build\nran\n")):
            write(name, text)
        subprocess.run(["git", "init", "-q", "."], check=True)

        def runs(what: str, wanted: str, end: str, *words: str) -> None:
            write("ran", "")
            done = subprocess.run(
                [sys.executable, "-B", "tests/run", *words], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            ran = " ".join(sorted(read("ran").split()))
            good = ran == wanted and end in done.stdout and \
                (" 0 failed" in done.stdout.splitlines()[-1]) == (
                    done.returncode == 0)
            expect(what, good, f"ran {ran or 'none'}, status "
                   f"{done.returncode}\n{done.stdout}")

        for path, text, wanted, end in CASES:
            if path:
                os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
                write(path, text + "\n")
            runs(f"{path} {text}", wanted, end)
        runs("another command", "b", "1 passed, 0 failed\n", "--all", "b")
        runs("one suite", "", "1 passed, 0 failed\n", "a/1")
        runs("no such suite", "", "no group c; there are: a, b\n", "c")
    return close()


if __name__ == "__main__":
    course.script(main)
