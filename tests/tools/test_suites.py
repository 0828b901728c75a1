"""The runner of make test: tests/suite.py, and which suites suites.mk knows."""

import os
import sys

import pytest

from ..conftest import ROOT, House


def suite(house: House, *words: str, wanted: int = 0) -> str:
    """Call tests/suite.py; return what it prints."""
    return house.run(sys.executable, "-B", "-m", "tests.suite", *words, wanted=wanted,
                     began="0", PYTHONPATH=str(ROOT)).text


@pytest.mark.parametrize("script, sums", [
    ("echo 3 passed, 0 failed", "3 0 0"),
    ("echo 2 passed, 0 failed, 1 skipped", "2 0 1"),
    ("echo 1 skipped", "0 0 1"),
    ("echo '1 failed, 4 passed, 2 skipped in 0.10s'; exit 1", "4 1 2"),  # pytest
    ("echo '===== 2 passed, 1 error in 2s ====='; exit 1", "2 1 0"),
    ("echo 3 passed, 0 failed; exit 1", "3 1 0"),
    ("true", "0 1 0"), ("echo 0 passed, 0 failed", "0 1 0"),
    ("exec no-such-program", "0 1 0")])
def test_what_a_suite_says(house: House, script: str, sums: str) -> None:
    passed, failed, skipped = sums.split()
    suite(house, "run", "s/a", "sh", "-c", script)
    assert os.path.exists("s/a") == (failed == "0")
    said = suite(house, "show", "s", "s/a").splitlines()[0].split()
    assert said[1:7:2] == [passed, failed, skipped]
    last = f"{passed} passed, {failed} failed" + (
        f", {skipped} skipped" if skipped != "0" else "")
    assert suite(house, "total", "s/a", wanted=(
        failed != "0" or passed == "0")) == last + "\n"


def test_shown_are_failures_and_skips(house: House) -> None:
    for name, lines in (("a", "ok fine\\nnot ok bad\\nC[3] is 4\\n1 passed, 1 failed"),
                        ("b", "ok fine\\nskip: why\\n1 passed, 0 failed, 1 skipped")):
        suite(house, "run", f"s/{name}", "printf", lines + "\\n")
    said = suite(house, "show", "s", "s/a", "s/b")
    assert "not ok bad" in said and "C[3] is 4" in said and "skip: why" in said
    assert "fine" not in said


def test_only_what_changed_runs(house: House) -> None:
    """The rule of every suite: its stamp is as old as its begin."""
    house.write("one", "1 passed\n")
    house.write("rules", f"s/a: one\n\t@PYTHONPATH={ROOT} {sys.executable} -B -m "
                "tests.suite run $@ sh -c 'echo >>ran; cat one'\n")

    def runs() -> int:
        house.write("ran")
        house.make("-f", "rules")
        return len(house.read("ran"))

    assert [runs(), runs()] == [1, 0]
    house.write("one", "1 failed\n")
    os.utime("one", (2e9, 2e9))
    assert [runs(), runs()] == [1, 1]  # until it passes


def test_a_group_that_is_none_is_one_line(house: House) -> None:
    said = house.make("-C", str(ROOT), "test", "args=nope", wanted=2)
    assert "no group nope; there are: " in said.lines[0]
    assert " check " in said.lines[0]


def test_every_suite_has_a_rule(house: House) -> None:
    said = house.make("-C", str(ROOT), "-nf", "tests/suites.mk", "all=--all")
    for name in ("check/vector_add", "exercises/gemm_01_naive", "simulator",
                 "lessons/chapters/scan/README.md", "aarch64"):
        said.has(f" run build/test/all/{name} ")


def test_a_part_of_test_gpu_that_is_none_is_one_line(real: House) -> None:
    line, = real.run(sys.executable, "-B", "-m", "tests.gpu", "chapters",
                     "nonsense", wanted=2).lines
    assert line.startswith("nonsense: no such part; there are: chapters programs ")
