"""make predict: what it makes of answers. The real gemm_01, on a smaller problem."""

import os
import shutil

import pytest

from ..conftest import ROOT, Ended, House

CHAPTER = "chapters/gemm_01_naive"
KEPT = "mine/predict/gemm_01_naive"


@pytest.fixture
def questions(house: House) -> House:
    """The questions, of 64 instead of 256, and the program, built."""
    house.make("-C", str(ROOT), "-s", "build/simulator/gemm_01_naive")
    shutil.copytree(ROOT / CHAPTER, CHAPTER)
    house.write("chapters/order", "gemm_01_naive gemm\n")
    asked = house.read(f"{CHAPTER}/checks").partition("[predict]")[2]
    house.write(f"{CHAPTER}/checks",
                "[sizes]\n--M 1 --N 1 --K 1\n\n[predict]" + asked.replace("256", "64"))
    for name in ("simulator", "build", "common"):
        shutil.rmtree(name, ignore_errors=True)
        os.symlink(ROOT / name, name)
    return house


def ask(house: House, *answers: str, wanted: int = 0, words: str = "") -> Ended:
    """Give these answers, one a line."""
    house.write("answers", "".join(line + "\n" for line in answers))
    return house.make("chapter=gemm_01", "predict",
                      "answers=answers", *words.split(), wanted=wanted)


def test_right_answers_as_numbers_and_as_arithmetic(questions: House) -> None:
    said = ask(questions, "1.28e2", "64 x 2", "2^5", "33/33")
    assert said.lines[-1] == "4 passed, 0 failed"
    kept = questions.read(f"{KEPT}.json")
    assert '"answer": "33/33"' in kept and kept.count('"right": true') == 4


def test_the_first_answers_stay_when_the_second_ones_come(
        questions: House) -> None:
    ask(questions, "1")
    ask(questions, "128").has(f"kept in {KEPT}.2.json")
    assert '"answer": "1"' in questions.read(f"{KEPT}.json")
    assert '"answer": "128"' in questions.read(f"{KEPT}.2.json")


@pytest.mark.parametrize("answers, said, sums", [
    (["128", "", "31", "import os"], [
        "it is: 128", "no: 32", "32 rows, 1024 bytes apart",
        "import os: not a number, and no arithmetic"], "1 passed, 3 failed"),
    # Rounded, and a whole one that is one off.
    (["1.29e2", "127", "32.4", "1"], [
        "> 1.29e2\n  right:", "> 127\n  no:", "> 32.4\n  no:"], "2 passed, 2 failed"),
    (["128"], [], "1 passed, 3 failed"),  # they end too early
    # What would never end.
    (["9**9**9**9", "1/0", "((((", "9" * 400], [], "0 passed, 4 failed")])
def test_wrong_answers_are_explained(questions: House, answers: list, said: list,
                                     sums: str) -> None:
    ask(questions, *answers).has(*said, sums)


def test_answers_or_questions_that_are_not_there(questions: House) -> None:
    ask(questions, wanted=2, words="answers=none").has(
        "predict: none: No such file or directory")
    os.remove(f"{CHAPTER}/checks")
    ask(questions, wanted=2).has("gemm_01_naive has no questions")
