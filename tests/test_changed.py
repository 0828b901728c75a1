#!/usr/bin/env python3
"""tests/changed.py: what it must refuse, on entries made here for gemm_01.

Usage: tests/test_changed.py
"""

import io
import os
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from typing import Dict, Tuple
from unittest import mock

from tests import changed, rules
from tests.checks import run_unittests, write
from tools import course, edits

CHAPTER = "gemm_01_naive"
HARMLESS = "- float sum = 0.0f;\n+ float sum = 0.0f + 0.0f;\n"


class Runner(unittest.TestCase):
    """On a folder of changes of its own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, CHAPTER)
        self.said: Dict[str, dict] = {}  # what is kept of entries
        for patch in (mock.patch.object(edits, "FOLDER", folder.name),
                      mock.patch.object(edits, "said", lambda _: self.said),
                      mock.patch.object(changed, "SHARE", 13)):
            patch.start()
            self.addCleanup(patch.stop)

    def run_on(self, text: str, *words: str) -> Tuple[int, str]:
        """Return the status of a run on entries, and what it says."""
        write(self.path, text)
        said = io.StringIO()
        with mock.patch.object(changed, "tally", course.Tally()) as tally, \
                mock.patch.object(changed, "close", lambda: tally.status), \
                mock.patch.object(sys, "argv", ["", *(words or [CHAPTER])]), \
                redirect_stdout(said), redirect_stderr(said):
            return changed.main(), said.getvalue()

    def test_a_harmless_edit_survives_and_that_is_a_failure(self) -> None:
        status, said = self.run_on("wrong planted: for this\n" + HARMLESS)
        self.assertEqual(status, 1)
        self.assertIn("FAIL  gemm_01_naive/planted: SURVIVED", said)

    def test_a_line_of_check_that_is_named_kills_alone(self) -> None:
        killer = "--M 31 --N 33 --K 32 --alpha 3.3 --beta -7.7"
        for line, status, says in (
                (killer, 0, f"planted: {killer} WRONG RESULT"),
                ("--M 1 --N 1 --K 1", 1, "planted: SURVIVED"),
                ("--M 31", 1, "did not compile, or check broke off")):
            got, said = self.run_on(f"wrong planted: for this\n! {line}\n- float sum "
                                    "= 0.0f;\n+ float sum = M == 31 ? 1.0f : 0.0f;\n")
            self.assertEqual(got, status, said)
            self.assertIn(says, said)

    def test_what_is_said_must_be_what_is_kept(self) -> None:
        planted = "wrong planted: for this\n- float sum = 0.0f;\n+ float sum = 1.0f;\n"
        with mock.patch.object(edits, "keep"):
            self.assertEqual(self.run_on(planted, "--record", "wrong", CHAPTER)[0], 0)
        self.assertIn("wrong", "".join(self.said["planted"]["check"]))
        self.assertEqual(self.run_on(planted)[0], 0)
        self.said["planted"]["check"][0] += "."
        status, said = self.run_on(planted)
        self.assertEqual(status, 1)
        self.assertIn("says something else", said)

    def test_a_text_must_be_found_once_whatever_its_line_breaks_are(self) -> None:
        for before, says in (("no such text", "found 0 times, not once"),
                             ("int", "times, not once: int")):
            status, said = self.run_on(f"wrong a: b\n- {before}\n+ x\n")
            self.assertEqual(status, 1)
            self.assertIn(says, said)
        status, said = self.run_on(
            "wrong a: b\n- if (row >= M ||\n- col >=   N) return;\n")
        self.assertEqual(status, 0, said)

    def test_one_that_does_not_compile_is_a_failure(self) -> None:
        status, said = self.run_on(
            "wrong a: b\n- float sum = 0.0f;\n+ float sum = nonsense;\n")
        self.assertEqual(status, 1)
        self.assertIn("nonsense", said)

    def test_by_rule(self) -> None:
        """One that is named must fit; one by chance may be the same code."""
        status, said = self.run_on("", "--rules", CHAPTER)
        self.assertEqual(status, 0, said)
        self.assertEqual(said.count("pass  gemm_01_naive/"), 3)
        status, said = self.run_on("rule delete: no such line;\n")
        self.assertEqual(status, 1)
        self.assertIn("no longer fits", said)
        sources = changed.sources_of(CHAPTER)
        harmless = edits.changed(sources, edits.read(HARMLESS))
        other = edits.changed(sources, edits.read(
            "- float sum = 0.0f;\n+ float sum = M == 31 ? 1.0f : 0.0f;\n"))
        for chance, how, texts in ((True, "none", harmless), (False, "FAIL", harmless),
                                   (True, "FAIL", other)):
            self.assertEqual(changed.kill(changed.Mutant(
                CHAPTER, "a", "b", "--M 1 --N 1 --K 1", texts, chance))[0], how)

    def test_files_that_cannot_be_read_are_refused(self) -> None:
        for text in ("- text before a name", "wrong name: what\nno sign",
                     "other name: what\n- c", "wrong a: b\n- c\n\nwrong a: b\n- c",
                     "wrong a: b\n= nobody\n- c"):
            status, said = self.run_on(text + "\n")
            self.assertEqual((status, said.count("\n")), (2, 1), said)
        self.assertEqual(self.run_on("", "no_such_chapter")[0], 2)


class Rules(unittest.TestCase):
    """What is made of a source, and how it is named."""

    SOURCE = "\n".join((
        "__global__ void f(int M,", "                  int N)", "{",
        "    int row = M; // here", "    if (row < M && row < N)", "        g(row);",
        "    int row = M;", "}", "int main()", "{", "    int row = 0;", "}", ""))

    def test_places(self) -> None:
        every = rules.mutants({"a.cu": self.SOURCE})
        made = {(one.rule, one.place): one.line.strip() for one in every}
        self.assertEqual(made["N_for_M", "int row = M;"], "int row = N;")
        self.assertEqual(made["delete", "g(row);"], ";")
        self.assertEqual(made["or_equal", "if (row < M && row < N)"],
                         "if (row <= M && row < N)")
        self.assertEqual(made["guard_left", "if (row < M && row < N)"], "if (row < N)")
        self.assertIn(("N_for_M", "int row = M; #2"), made)
        self.assertFalse([one for one in every if one.number > 7 or one.number < 3])

    def test_what_is_elsewhere_moves_no_place(self) -> None:
        names = [[(one.rule, one.place) for one in rules.mutants({"a.cu": text})]
                 for text in (self.SOURCE, "int x;\n" + self.SOURCE)]
        self.assertEqual(*names)

    def test_a_sample_takes_each_line_first(self) -> None:
        every = rules.mutants({"a.cu": self.SOURCE})
        self.assertEqual(len({one.place for one in rules.sample(every, 4)}), 4)
        self.assertEqual(rules.sample(every, 4), rules.sample(every[::-1], 4))


if __name__ == "__main__":
    sys.exit(run_unittests(__name__, *sys.argv[1:]))
