"""make profile: kernels by name, lines by cost. The program is a script."""

import json
import re
from typing import Callable

import pytest

from tools import metrics, profile
from tools.course import Program

from ..conftest import Ended, House

LINES = [
    {"file": "a.cu", "line": 2, "column": 12, "space": "global", "op": "load",
     "bytes": 4, "requests": 10, "lanes": 320, "sectors": 320, "ideal": 40,
     "min": 32, "max": 32},
    {"file": "a.cu", "line": 2, "column": 19, "space": "global", "op": "load",
     "bytes": 4, "requests": 10, "lanes": 320, "sectors": 10, "ideal": 10,
     "min": 1, "max": 1}]
COUNTS = {"global_load_requests": 20, "global_load_sectors": 330,
          "global_load_sectors_per_request": 16.5, "ffma": 32, "fadd": 0}


def launch(kernel: str = "k", **more: object) -> dict:
    """Return what SIM_REPORT says of a launch."""
    return {"kernel": kernel, "grid": [1, 1, 1], "block": [32, 1, 1],
            "counts": COUNTS, "range": 0, "findings": [], "lines": LINES, **more}


@pytest.fixture
def profiled(house: House, call: Callable) -> Callable[..., Ended]:
    """Profile a program that reports these launches, of a chapter or one's own."""
    def ended(*launches: dict, chapter: str = "a", zeros: bool = False,
              **counted: float) -> Ended:
        house.write("report", "\n".join(map(json.dumps, launches)))
        record = json.dumps({"variant": None, "counts": counted}) if chapter else ""
        house.write("a.cu", "int i;\n    sum += a[k] * b[k]; // both\n")
        house.tool("a", f"""[ $SIM_COVERAGE != 1 ] || cp report $SIM_REPORT
while [ $# != 0 ]; do
    [ $1 != --json ] || echo '{record}' >$2
    shift
done""")
        said = call(profile.profile, Program(
            "./a", "simulator", chapter, "" if chapter else "a.cu"), [], "", zeros)
        assert max(map(len, said.lines)) <= 80
        return said
    return ended


def test_line_table(profiled: Callable) -> None:
    # What lies outside the range that the program marks is not counted.
    said = profiled(launch("other"), launch(range=1), **COUNTS)
    assert said.lines[0] == "k, grid 1, block 32"
    for row in (r"2 a\[k\] \* b\[k\]; +global load +10 +32\.00 +4\.00 +97 %",
                r"2 b\[k\]; +global load +10 +1\.00 +1\.00 +3 %",
                r"ffma +32\n\nsectors"):
        assert re.search(row, said.text), said.text
    # 0 where it is asked for; nothing at all is no table.
    profiled(launch(range=1), zeros=True, **COUNTS).has("ffma ", "fadd ", " 0\n")
    profiled(launch(range=1, lines=[]), fadd=0).has("nothing was counted\n").lacks("fadd")


def test_a_program_of_ones_own(profiled: Callable) -> None:
    small = launch(grid=[2, 3, 1], counts={
        **COUNTS, "global_load_sectors": 30, "global_load_sectors_per_request": 1.5})
    said = profiled(launch(), launch("other"), small, chapter="")
    said.has("k: 2 launches\n  k, grid 1, block 32\n  k, grid 2 x 3, block 32\n",
             "other: 1 launch\n")
    # Sums, and a ratio of sums: 360 sectors, 40 requests.
    assert re.search(r"global_load_sectors +360\n"
                     r"global_load_sectors_per_request +9\n", said.text)
    # What the program marks, and no more.
    profiled(launch(range=1), launch("other"), chapter="").lacks("other")


def test_lines_of_a_function_by_caller_and_array(house: House,
                                                 profiled: Callable) -> None:
    line = {**LINES[0], "callers": "a.cu:1:1", "array": "As"}
    other = {**line, "callers": "a.cu:2:5 <- a.cu:1:1", "array": "B"}
    said = profiled(launch(range=1, lines=[line, other]))
    for rows in (r"2 a\[k\] \* b\[k\]; +As +global load .*\n"
                 r"      called at 1: int i;\n",
                 r" B +global load .*\n      called at 2: sum .*\n"
                 r"      called at 1: int i;\n"):
        assert re.search(rows, said.text), said.text
    # A header is named, the program is not.
    house.write("common/b.cuh", "\nload(); // x\n")
    said = profiled(launch(range=1, lines=[LINES[0], {
        **LINES[0], "file": "common/b.cuh", "column": 1, "callers": "a.cu:1:1"}]))
    for row in (r"2 a\[k\] .*\n", r"2 b\.cuh: load\(\); .*\n      called at 1: int i;"):
        assert re.search(row, said.text), said.text


def test_every_metric_has_a_meaning() -> None:
    for name, metric in metrics.METRICS.items():
        assert metric.meaning, name
        assert not any("per_requests" in part for part in metric.parts)
