"""The suites of tests/run: what each runs, and which files it reads.

A suite of a chapter or of a page is named GROUP/NAME. What it reads are
patterns of paths; `*` stands for slashes, too, a pattern with ! in front takes
files away again, and the last one that fits a file decides. Whoever lets a
suite read another file adds it here.
"""

import glob
import os
import re
import sys
from typing import Iterator, List, NamedTuple

import course
import machine

PYTHON = [sys.executable, "-B"]
# What makes a program of a chapter for the simulator, and runs it.
PROGRAM = ["Makefile", "common/*", "simulator/*", "tools/*", "chapters/order",
           "!*.md", "!simulator/tests/*", "!tools/author/*"]
# A folder with made-up chapters, a compiler that is a script.
MADE_UP = ["Makefile", "tools/*", "tests/house.bash"]
SOURCES = ["chapters/*.cu", "chapters/*.cuh"]
PAGE = [*PROGRAM, "tools/author/*", "docs/results/*.*", "chapters/*/checks"]

# They keep a core busy for a while: none is left alone at the end.
LONG = ("house.bats", "docs", "machine_code", "grading", "wrong_answers",
        "simulator", "unit")


class Suite(NamedTuple):
    """One command, which says how many passed and failed, or prints TAP."""

    name: str
    command: List[str]
    reads: List[str]

    @property
    def group(self) -> str:
        """The name in front of the slash."""
        return self.name.partition("/")[0]


def program(chapter: str) -> List[str]:
    """Return what the program of a chapter and its check read."""
    return [*PROGRAM, *(f"chapters/{chapter}/{name}" for name in (
        "*.cu", "*.cuh", "checks"))]


def fresh(name: str, script: str, *words: str, reads: List[str]) -> Suite:
    """Return the suite in which a script of tools/author compares.

    What lessons print and pictures of a trace are counted by the simulator.
    """
    line = 'python3 -B "tools/author/$0" --check "$@"; echo 1 passed, 0 failed'
    if name != "charts" and not machine.clang():
        line = 'echo skip: $0 needs clang 14; echo 0 passed, 0 failed, 1 skipped'
    return Suite(name, ["sh", "-ec", line, script, *words], reads)


def of_chapters(deep: bool) -> Iterator[Suite]:
    """Yield the suites that each chapter has."""
    named = [] if deep else ["--named"]
    for name in course.chapters():
        yield Suite(f"check/{name}", ["make", "-s", f"chapter={name}", "check",
                                      "on=simulator"], program(name))
        mutants = glob.glob(f"tests/mutants/{course.short(name)}.mutants")
        yield Suite(f"mutants/{name}",
                    [*PYTHON, "tests/mutants/run", *named, name],
                    [*program(name), "tests/mutants/run", *mutants])
        folder = [*PROGRAM, f"chapters/{name}/*"]
        hunts = [os.path.basename(path)[:-len(".md")]
                 for path in sorted(glob.glob(f"chapters/{name}/*.md"))
                 if os.path.basename(path) not in ("README.md", "exercise.md")]
        if hunts or os.path.exists(f"solutions/{name}.cu"):
            yield Suite(f"exercises/{name}",
                        [*PYTHON, "tests/exercises.py", name, *hunts],
                        [*folder, "tests/exercises.py", "tests/checks.py",
                         *(f"solutions/{one}.cu" for one in [name, *hunts])])
        # Pictures of a rung may show the one before, too.
        yield fresh(f"pictures/{name}", "picture.py",
                    f"chapters/{name}/pictures", reads=[
                        *PAGE, f"chapters/{name}/*",
                        f"chapters/{course.before(name)}/*.cu"])
        if not course.bare(name):
            yield Suite(f"predictions/{name}",
                        [*PYTHON, "tests/predictions.py", name],
                        [*program(name), f"chapters/{name}/predict",
                         f"chapters/{name}/README.md", "tests/predictions.py",
                         "tests/checks.py"])


def pages() -> Iterator[Suite]:
    """Yield a suite for each page with quotes, tables or output.

    It reads the chapters that its markers name, and its own.
    """
    known = course.chapters()
    for path in ["README.md", "simulator/README.md", *sorted(
            glob.glob("docs/*.md") + glob.glob("docs/experiments/*.md")
            + glob.glob("chapters/*/README.md"))]:
        with open(path, encoding="utf-8") as file:
            markers = "\n".join(re.findall(
                "<!-- (?:snippet|table|output).*?-->", file.read(), re.S))
        if not markers:
            continue
        words = re.findall(r"chapter=(\w+)", markers)
        chapters = [name for name in known if f"/{name}/" in path
                    or course.short(name) in markers
                    or any(name.startswith(word) for word in words)]
        reads = [*PAGE, path]
        for name in chapters:
            reads += [f"chapters/{name}/*", f"!chapters/{name}/*.md", path]
        if re.search("<!-- table (ladder|patterns|experiments)", markers):
            reads += ["chapters/*/README.md", "docs/experiments/*.md"]
        for word, read in (("mutant", "tests/mutants/*"),
                           ("findings", "simulator/tests/findings/*"),
                           ("pitches", "simulator/tests/golden/*")):
            reads += [read] * (word in markers)
        yield fresh(f"lessons/{path}", "lessons.py", path, reads=reads)


# Files of bats, and what they read beside themselves.
BATS = {
    "ablation": [*PAGE, *SOURCES, "chapters/*/ablation"],
    "autotune": [*MADE_UP, "chapters/gemm_09_autotune/*.cu",
                 "chapters/gemm_09_autotune/*.py"],
    "banks": PROGRAM,
    "bench": MADE_UP,
    "compare_results": [*MADE_UP, "docs/results/*"],
    "explorers": [*PROGRAM, "docs/explorers/*", "tests/explorers/*",
                  "chapters/gemm_0[5-9]*.cu", "chapters/gemm_10*.cu"],
    # In README.md stand the titles of lessons, whatever they are.
    "house": [*PAGE, "*.md", "!*/*.md", "docs/charts/*", "tests/sass.py",
              "tests/mutants/*", ".clangd", "compile_flags.txt", *(
                  f"chapters/{name}/[!R]*"
                  for name in ("gemm_0[126]*", "reduction"))],
    "make": MADE_UP,
    "mutants": [*program("gemm_01_naive"), "tests/mutants/*"],
    "pattern": [*PAGE, "tests/chapters/*", "chapters/gemm_01*", "docs/charts/*",
                "*.md", "!*/*.md"],
    "predict": [*program("gemm_01_naive"), "chapters/gemm_01_naive/predict"],
    "stencil": [*program("stencil"), "tests/chapter.bash", "tools/author/*"],
    "teaching": [*PROGRAM, "docs/teaching*", "solutions/*",
                 "chapters/gemm_0[13]*", "chapters/*/*.md",
                 "!chapters/*/README.md"],
    "workflows": [".github/*", ".ci/*", ".devcontainer/*", "Containerfile",
                  "Makefile", "tools/*", "simulator/*"],
}


def of_bats() -> Iterator[Suite]:
    """Yield the suites of bats; a chapter of patterns reads its program."""
    for path in sorted(glob.glob("tests/*.bats")):
        name = os.path.basename(path)[:-len(".bats")]
        reads = BATS[name] if name in BATS else [
            *program(name), "tests/chapter.bash", "tests/gpu/streams.cu"]
        yield Suite(f"{name}.bats", ["bats", "--tap", path],
                    [path, "tests/ends.bash", *reads])


def alone(deep: bool) -> Iterator[Suite]:
    """Yield the suites that are about more than one chapter."""
    every = ["--all"] if deep else []
    for name, reads in (
            ("docs", ["Makefile", "tests/docs.html", "tests/checks.py", "*.md",
                      "docs/*", "common/*", "chapters/*", "tools/*",
                      "simulator/*", "!tests/*.md"]),
            ("machine_code", [*PAGE, *SOURCES, "tests/*", "solutions/*.cu",
                              "docs/*", "chapters/*.md", "chapters/*/draw.py",
                              "chapters/*/ablation", "!tests/*.bats"]),
            ("class_parts", ["tools/*", "docs/teaching/*", "solutions/*",
                             "docs/results/h200.jsonl", "chapters/order",
                             "chapters/*/*.md", "!chapters/*/README.md",
                             "tests/checks.py"]),
            ("grading", [*PROGRAM, *SOURCES, "solutions/*", "docs/teaching/*",
                         "docs/results/h200.jsonl", "chapters/*/checks",
                         "chapters/*/*.md", "!chapters/*/README.md", "tests/cheats",
                         "tests/ways", "tests/gpu/speed.py", "tests/checks.py"]),
            ("wrong_answers", [*PROGRAM, "solutions/*", "chapters/*/exercise.md", "chapters/*/checks",
                               "docs/teaching/wrong_answers.md", "tests/checks.py"]),
            ("exam", [*PROGRAM, *SOURCES, "docs/exam.md", "solutions/exam.md",
                      "tests/checks.py"]),
            ("budgets", ["tools/*", "tests/checks.py", "Makefile",
                         "chapters/order", *SOURCES, "README.md",
                         "chapters/*/README.md"]),
            ("records", [*PROGRAM, *SOURCES, "tests/checks.py", "docs/*.json*",
                         "chapters/*/checks"]),
            ("claims", [*PROGRAM, *SOURCES, "tests/checks.py", "tests/golden/*",
                        "tools/author/ablation.py", "chapters/*/ablation",
                        "docs/*", "chapters/*/README.md",
                        "chapters/*/checks"]),
            ("make_scripts", ["tools/*", "chapters/*", "!chapters/*.md",
                              "docs/results/*", "tests/gpu/run",
                              "tests/checks.py", "tests/mutants/run"]),
            ("stamps", ["tests/run", "tests/checks.py", "tools/*"])):
        its = every if name in ("machine_code", "grading", "wrong_answers") else []
        yield Suite(name, [*PYTHON, f"tests/{name}.py", *its],
                    [f"tests/{name}.py", *reads])
    yield Suite("simulator", ["make", "-C", "simulator", "test"],
                ["simulator/*"])
    yield Suite("unit", ["tests/unit/run"],
                [*PROGRAM, "tests/unit/*", "tests/checks.py",
                 "tests/grading.py", "tests/cheats", "tests/gpu/*",
                 "docs/record.schema.json", "solutions/gemm_01*",
                 *(f"chapters/{name}/*.cu*" for name in (
                     "conv", "stencil", "gemm_01*"))])
    yield Suite("format", ["sh", "tests/format.sh"], [
        "tests/format.sh", ".clang-format", "*.c", "*.h", "*.cu", "*.cuh"])
    yield fresh("charts", "picture.py", "docs/charts", reads=[
        *PAGE, *SOURCES, "README.md", "chapters/*/README.md", "docs/*"])
    if deep:
        yield Suite("aarch64", ["make", "-C", "simulator", "test-aarch64"],
                    ["simulator/*"])


def suites(deep: bool) -> List[Suite]:
    """Return all suites, the long ones first."""
    every = [*alone(deep), *of_bats(), *of_chapters(deep), *pages()]
    return sorted(every, key=lambda suite: suite.name not in LONG)
