"""make why: twenty ways to be wrong, each with the line that is to blame.

{NAME} is the line of why.cu with that comment.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

from tools import course, why

from ..conftest import ROOT, House

SOURCE = ROOT / "tests/tools/why.cu"
BUGS = re.findall(r"\w+", " ".join(re.findall(
    r"enum \{ (.*?) \}", SOURCE.read_text("utf-8"), re.S)).replace(" + 1", ""))
BUGS = list(dict.fromkeys(BUGS))


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build it once."""
    path = tmp_path_factory.mktemp("why") / "why"
    subprocess.run([sys.executable, "-B", ROOT / "simulator/simcc", SOURCE, "-o", path],
                   check=True, cwd=ROOT)
    return path


def told(text: str) -> str:
    """Put the numbers of marked lines in, and make a paragraph one line."""
    lines = SOURCE.read_text("utf-8").splitlines()
    for mark in set(re.findall(r"\{([A-Z ]+)\}", text)):
        number = next(i for i, line in enumerate(lines, 1) if line.endswith(f"// {mark}"))
        text = text.replace("{%s}" % mark, f"line {number}")
    return text


@pytest.mark.parametrize("bug, at, said", [
    ("SWAPPED", "", ["{STORE}", "{SWAPPED}: d_A", "d_A[384]",
                     "As[0][7] = 29, stored by thread (7,0,0) at {SWAPPED}, from d_A[552]"]),
    ("PITCH", "", ["{STORE}", "at {PITCH}, from d_A[23]", "cudaMemcpy at {COPY}"]),
    ("STALE", "", ["{SUM}: As, 24 words, 8 of them remarkable",
                   "{TILE}, from d_A[0]", "3 barriers since, of the others 1"]),
    ("FILLED", "", ["{SUM}: As", "As[0][1] = 0, never written"]),
    ("USED", "C[100]", ["{SUM}: As", "at {TILE}", "no barrier since"]),
    ("BETA", "", ["{ADDED}", "d_C[0] = 0.747", "cudaMemset at {MEMSET}",
                  "the word itself, as it was before"]),
    ("LEFT", "", ["No kernel wrote it last: never written",
                  "d_C[7]: written by thread (7,0,0) of block (0,0,0) at {STORE}",
                  "d_C[16]: written by thread (0,0,0) of block (2,0,0)"]),
    ("TWICE", "", ["{ADDED}", "2 times: 2 threads of 2 blocks",
                   "another block of this launch"]),
    ("UNSET", "", ["{ADDED}", "d_C[0] = ", "never written: NaN, the word itself"]),
    ("NAN_IN", "", ["{TILE}: d_A", "{SUM}: As, 24 words, 1 of them remarkable", "As[5][3] = nan",
                    "at {TILE}, from d_A[123] = nan, cudaMemcpy at {COPY}: NaN"]),
    ("CLEARED", "", ["d_C[17] = 0 (got 0, want 74)",
                     "No kernel wrote it last: cudaMemset at {CLEARED}"]),
    ("LATER", "", ["{LATER}", "of after, launch 3", "d_D[30] = 0, written by thread "
                   "(30,0,0) of block (0,0,0) at {HALF OF IT}, launch 1"]),
    ("PART", "", ["{PART}", "d_D[1] = 1", "at {HALF OF IT}, launch 1", "d_C[1] = 63, "
                  "written by thread (1,0,0) of block (0,0,0) at {STORE}, launch 2"]),
    ("ATOMIC", "", ["{ATOMIC}", "2 times: 2 threads of 2 blocks"]),
    ("SAME", "", ["{STORE}, by thread (0,7,0)", "8 times: 8 threads of 1 block.",
                  "thread (0,6,0)"]),
    ("CALLED", "", ["{CALLED}, called at {CALLER}: d_A, 3 words", "d_A[16] = 2"]),
    ("HALF", "", ["{TILE}: d_A", "d_A[288] = ", "never written"]),
    ("LATE", "3", ["d_C[3] = ", "{STORE}"]),
    ("SHIFTED", "C[0*24+0]", ["As[0][0] = 0, stored by thread (7,0,0) at {SHIFTED}"]),
    ("FACTOR", "C[0]", ["{FACTOR}: d_D", "d_D[0] = 0, cudaMemset at {FACTORS}"]),
    ("FACTOR", "_D[0]", ["d_D[0] = 0"]),  # the host's name behind a d
])
def test_the_line_that_is_to_blame(real: House, call: Callable, program: Path, bug: str,
                                   at: str, said: list) -> None:
    ended = call(why.why, course.Program(str(program), "simulator", "", str(SOURCE)),
                 [str(BUGS.index(bug))], at)
    assert max(map(len, ended.lines)) <= 80
    flat = ended._replace(text=re.sub(r"\s+", " ", ended.text))
    flat.has(*map(told, said))
    assert flat.text.count("The nearest word") <= 2  # one on each side


def test_types() -> None:
    story = why.Story([], "const unsigned char *a; long long *b; short c[3]; double2 *d; bool e",
                      "")
    assert [story.format(name) for name in "abcde"] == [
        ("B", 1), ("q", 8), ("h", 2), ("d", 8), ("B", 1)]
    assert story.shown({"text": "b", "value": "00000000ffffffff"}) == "b = 4294967295"


@pytest.mark.parametrize("at, said", [
    ("C[x]", "why: at=C[x]: a word is meant"), ("C[1][2]", "why: no word C[1][2]; there "
     "are d_A of 2304 bytes"), ("E[1]", "why: no word E[1]"), ("C[576]", "why: no word"),
    ("", "names no wrong word")])
def test_what_is_no_word(real: House, call: Callable, program: Path, at: str,
                         said: str) -> None:
    call(why.why, course.Program(str(program), "simulator", "", str(SOURCE)),
         [str(BUGS.index("LATE"))], at, wanted=2).has(said)
