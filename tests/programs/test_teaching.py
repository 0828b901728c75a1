"""What docs/teaching.md gives a teacher: its files and the lines in them."""

import glob
import json
import os
import pathlib
import re
import shutil
from typing import Iterator

import pytest

from ..conftest import ROOT, House

GRADESCOPE = "docs/teaching/gradescope"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    """A copy of the course, in which mine/ and build/ are written."""
    folder = tmp_path_factory.mktemp("teaching") / "course"
    for name in ("chapters", "common", "simulator", "tools", "docs", "solutions"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "Makefile", folder)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def house(real: House, course: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """The copy as the working directory."""
    monkeypatch.chdir(course)
    shutil.rmtree("mine", ignore_errors=True)
    return real


def score(path: object) -> tuple:
    """Return the points and the most there are."""
    with open(path, encoding="utf-8") as file:
        grade = json.load(file)
    return grade["score"], grade["max_score"]


def test_the_shell_files_are_shell(real: House) -> None:
    for path in glob.glob(f"{GRADESCOPE}/*"):
        assert os.access(path, os.X_OK), path
        real.run("sh", "-n", path)
        if shutil.which("shellcheck"):
            real.run("shellcheck", path)


def test_each_chapter_and_each_hunt_of_the_table_is_there(real: House) -> None:
    table = re.search("(?s)\n## What each chapter.*?\n## How",
                      real.read("docs/teaching.md"))[0]
    chapters = re.findall(r"(?m)^\| ([a-z]*_[a-z0-9_]*) \|", table)
    hunts = re.findall("`([a-z_]*)`", " ".join(
        re.findall(r"(?m)^\|.*\| (.*) \|$", table)))
    assert len(chapters) > 20 and len(hunts) > 20
    for pattern in (*(f"chapters/{name}*" for name in chapters),
                    *(f"chapters/*/hunt_{name}.md" for name in hunts)):
        assert glob.glob(pattern), pattern


@pytest.mark.parametrize("part, minutes", [
    (r"\n## Six weeks.*?\n\| week \| at home", 180),
    (r"\n## Two days.*?\n## What", 360)])
def test_the_parts_of_each_day_and_week_make_its_minutes(real: House, part: str,
                                                         minutes: int) -> None:
    sums: dict = {}
    for row in re.search(f"(?s){part}", real.read("docs/teaching.md"))[0].splitlines():
        cells = [cell.strip() for cell in row.split("|")]
        if len(cells) > 3 and cells[1][:1].isdigit():
            sums[cells[1]] = sums.get(cells[1], 0) + sum(
                int(cell) for cell in cells[3:] if cell.isdigit())
    assert {*sums.values()} == {minutes}, sums


def test_gradescope_the_file_graded_and_none_handed_in(
        house: House, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRADER", str(tmp_path))
    task = re.search("(?m)^task=(.*)", house.read(f"{GRADESCOPE}/run_autograder"))[1]
    for name in ("submission", "results"):
        os.mkdir(tmp_path / name)
    os.symlink(os.getcwd(), tmp_path / "source")
    house.run(f"{GRADESCOPE}/run_autograder")
    assert score(tmp_path / "results/results.json") == (0, 10)
    shutil.copy(f"solutions/{task}.cu", tmp_path / "submission")
    house.run(f"{GRADESCOPE}/run_autograder")
    assert score(tmp_path / "results/results.json") == (10, 10)


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_the_lines_of_a_workflow_that_grade(house: House, tmp_path: pathlib.Path,
                                            name: str) -> None:
    path, = glob.glob(f"docs/teaching/*{name}*.yml")
    lines = re.findall(r"(?m)^ *- (?:run: )?(m[ak][a-z]* .*course.*)", house.read(path))
    assert len(lines) == 2
    shutil.copy("solutions/gemm_03_shared_tile.cu", tmp_path)
    os.symlink(os.getcwd(), tmp_path / "course")
    shutil.rmtree("build/gemm_03_shared_tile", ignore_errors=True)
    os.chdir(tmp_path)
    house.run("sh", "-exc", "\n".join(lines))
    assert score("course/build/gemm_03_shared_tile/grade.json") == (10, 10)


def test_handed_in_as_the_page_says_then_a_class(house: House) -> None:
    house.write("mine/hunt_frame.cu", house.read("solutions/hunt_frame.cu"))
    house.write("mine/predict/gemm_01_naive.json")
    house.write("DIR/bob/hunt_frame.cu")
    house.run("sh", "-exc", "\n".join(re.findall(
        "(?m)^    (.*ann.tgz.*)", house.read("docs/teaching.md"))))
    said = house.make("grade", "submissions=DIR", "out=out")
    said.has("2 files: 1 passed, 1 failed").lacks("no exercise has this name")
    for line in ("ann,hunt_frame,8.0,8.0,yes,", "bob,hunt_frame,0,8.0,no,"):
        assert f"\n{line}" in house.read("out/grades.csv")
    assert "<dt>frame</dt><dd><span>no work yet" in house.read("out/grades.html")
