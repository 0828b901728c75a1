"""Changed programs must end as tests/changes says: wrong kernels do not pass.

Usage: python3 -m tests.changed [--some | --rules] [--list] [KIND...] [WORD...]

  --some   those of make test: mutants that name the line of check that kills them,
           and a few of the others; the rest need only fit
  --rules  beside all entries every twelfth mutant that a rule makes and no entry
           names (make test-all does so)
  --list   print them instead
  --record keep what check and sanitize say of entries `wrong`, for the site, but of two
           of scan that show on several OS threads; who says something else later fails
  KIND     wrong, without, asks: these alone; mutants by rule go with wrong
  WORD     a chapter, or its beginning, and behind a slash the beginning of an
           entry's name: gemm_05, gemm_05/row

Mutants are the entries `wrong`, those that rules.py makes of a line, named there,

    rule or_equal: if (row < M && col < N)
    ! --M 1 --N 1 --K 1

and with --rules some of all others that it makes, by chance but always the same:
one is none if it does not compile, or compiles to the code of the chapter.
`! survives: WHY` names one that is right though its code differs. What is named is
chosen so that each line of check that alone kills a mutant, and takes less than three
seconds, has one that names it.

A mutant is killed if `make chapter=X check on=simulator` fails: by a wrong
result, a finding, or (right, but slow) another count than the lesson claims. One
that survives is a failure, and so is an entry that does not compile or no longer
fits. An entry `without` must be right at a ragged size. An entry `asks` is graded,
and what stands behind ! must be in a message of the grade, or be a gate, a colon and
what was counted. Ends with `N passed, N failed`.

Exit status: 0 all ended so, 1 something failed or nothing ran, 2 unusable
arguments or files.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from tests import rules
from tests.checks import ROOT, close, read, tally, write
from tools import course, edits
from tools.classroom import grader, tasks

TIMEOUT = 300  # seconds for one mutant; most take two
SHARE = 12  # of so many mutants by rule one is taken
OPTIONS = ("--some", "--rules", "--list", "--record")
OTHERS = ("without", "asks")
# Of --some: ideas taken out; a count, a race and a deadlock of wrong answers.
SOME = ("k unrolled", "one buffer", "no fragments ahead", "two buffers",
        "The block is forgotten", "A lane takes neighbours", "The shuffle inside the if")
RAGGED = ("--M", "133", "--N", "261", "--K", "21", "--beta", "0.5")
RAGGED_ROWS = ("--s", "133", "--keys", "261", "--causal", "1")  # of attention
# Of what check and sanitize say: what stands before, what is right, what luck decides.
SAYS = re.compile(r"\A(?:.*\n)*?(?=  FAIL  )|^  pass  .*\n|  # \d+ s$|"
                  r"^ +(?:in block \(|warp \d|also in \d|.* at address 0x).*\n", re.M)
OTHERS_LINE = re.compile(r"\b(common/[\w.]+)(?::\d+)+")  # changes with other things
FINDS = re.compile(r"^(?:SIM_ORDER=|\S+:\d+: [a-z-]+: ).*\n(?: {4}.*\n)*", re.M)
SIZE = re.compile(r"  (?:pass|FAIL)  (\S.*?) +(?:verified|refused|[A-Z]{3})")
LINES = 12  # that the site shows
FIRST_FAILURE = re.compile(r"^first failure: (.*)$", re.M)
DEBUG = re.compile(r", !(?:dbg|tbaa) !\d+|^!.*\n|^.*@llvm\.dbg\..*\n|^source_filename.*\n", re.M)


class Mutant(NamedTuple):
    """One wrong kernel."""

    chapter: str
    name: str
    what: str  # in one sentence
    line: str  # of check, that must kill it; "": any
    sources: Dict[str, str]  # by their paths in the chapter's folder
    chance: bool  # it may be none
    kept: bool = False  # what is said of it is, and so it runs on one OS thread

    def __str__(self) -> str:
        return f"{self.chapter}/{self.name}"


def sources_of(chapter: str) -> Dict[str, str]:
    """Return the texts of a chapter, by their paths in its folder."""
    folder = f"chapters/{chapter}/"
    return {path[len(folder):]: course.text_of(path)
            for path in course.sources(chapter)}


def of_chapter(chapter: str, by_rule: bool) -> Tuple[List[Mutant], List[str]]:
    """Return the mutants of a chapter, with those by chance; what is wrong with entries."""
    sources, stale = sources_of(chapter), []
    every = rules.mutants({path: text for path, text in sources.items()
                           if not path.startswith("host/")})
    of_rule = {(one.rule, one.place): one for one in every}
    some = {(one.rule, one.place): one
            for one in rules.sample(every, len(every) // SHARE if by_rule else 0)}
    found = []
    for entry in edits.entries(chapter, "wrong", "rule"):
        line = entry.ends[0] if entry.ends else ""
        try:
            if entry.kind == "wrong":
                texts = edits.changed(sources, entry.edits)
            else:
                texts = rules.changed(sources, of_rule[entry.name, entry.what])
                some.pop((entry.name, entry.what), None)
        except (ValueError, KeyError) as why:
            stale.append(f"{entry} ({entry.place}): no longer fits: {why}")
            continue
        if not line.startswith("survives: "):
            found.append(Mutant(
                chapter, entry.name, entry.what, line, texts, False, entry.kind == "wrong" and (
                    entry.name in edits.said(chapter) or "--record" in sys.argv)))
    found += [Mutant(chapter, one.rule, one.place, "", rules.changed(sources, one), True)
              for one in some.values()]
    return found, stale


# ---- one mutant --------------------------------------------------------------


def make_folder(folder: Path, mutant: Mutant) -> None:
    """Make a folder in which tools/ finds the mutant as the only chapter."""
    built = Path("build/simulator")
    own = folder / "chapters" / mutant.chapter
    shutil.copytree(f"chapters/{mutant.chapter}", own)
    for name, text in mutant.sources.items():
        (own / name).write_text(text)
    (folder / course.ORDER).write_text(f"{mutant.chapter} gemm\n")
    (folder / built).mkdir(parents=True)
    for name in ("common", "simulator", "tools", "build/simulator/common"):
        (folder / name).symlink_to(os.path.join(ROOT, name))
    shutil.copy2(built / "tools", folder / built)


def code(mutant: Mutant, sources: Dict[str, str], folder: Path) -> str:
    """Return the code of a chapter's sources for the simulator, without places."""
    name = f"{mutant.chapter}.cu"
    own = folder / "chapters" / mutant.chapter
    for path, text in sources.items():
        (own / path).write_text(text)
    subprocess.run(["simulator/simcc", "-c", "--keep", "-I", "common", own / name,
                    "-o", "code.o"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kept = sorted(set(folder.glob("*.ll")) - set(folder.glob("*.sim.ll")))
    assert kept, "simcc --keep has left no NAME.ll"
    return "".join(DEBUG.sub("", path.read_text()) for path in kept)


def tell(goal: str, mutant: Mutant, folder: str,
         **settings: str) -> "subprocess.CompletedProcess[str]":
    """Do what make does; timeout ends all that it has started."""
    return subprocess.run(
        ["timeout", "-s", "KILL", str(TIMEOUT), sys.executable, "-B", "-m", "tools", goal],
        cwd=folder, text=True, errors="replace", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={
            **os.environ, "CHAPTERS_COMMIT": "mutant", "NO_COLOR": "1", "on": "simulator",
            "SIM_TIMEOUT": "5", "chapter": mutant.chapter, "optimize": "-O0",
            **({"SIM_THREADS": "1"} if mutant.kept else {}), **settings})


def kill(mutant: Mutant) -> Tuple[str, str]:
    """Check a mutant. Return pass, FAIL, or none if it is no mutant, and why."""
    with tempfile.TemporaryDirectory() as scratch:
        make_folder(Path(scratch), mutant)
        words = mutant.line.split()
        switches = dict(word.split("=") for word in words if "=" in word)
        line = " ".join(word for word in words if "=" not in word)
        done = tell("check", mutant, scratch, CHECK_FIRST_FAILURE=line, **switches)
        if done.returncode in (0, 128 + 9, -9):
            if mutant.chance and done.returncode == 0 and code(
                    mutant, mutant.sources, Path(scratch)) == code(
                    mutant, sources_of(mutant.chapter), Path(scratch)):
                return "none", "compiles to the same code"
            if mutant.kept and "--record" in sys.argv:
                return "none", "on one OS thread"
            why = f"not done in {TIMEOUT} s" if done.returncode else "SURVIVED"
            return "FAIL", f"{why}: {mutant.what}"
        failures = re.findall(r"^  FAIL  (.*)$", done.stdout, re.M)
        first = FIRST_FAILURE.search(done.stdout)
        if not failures or not first:
            return "none" if mutant.chance and ": error: " in done.stdout else "FAIL", \
                "did not compile, or check broke off:\n" + done.stdout
        if mutant.kept and not keep(mutant, done.stdout, scratch):
            return "FAIL", "check or sanitize says something else: --record keeps that"
    what = " ".join(failures[0].split())
    return "pass", what if first[1] in what else f"{first[1]}: {what}"


def told(text: str) -> List[str]:
    """Return the lines that are kept; of common/ none has a number."""
    lines, others = [], False
    for line in OTHERS_LINE.sub(r"\1", SAYS.sub("", text)).splitlines()[:LINES]:
        others = "common/" in line if re.search(r"\S: [a-z-]+: ", line) else others
        lines.append(re.sub(r" (?:of|at) line \d+", "", line) if others else line)
    return lines


def keep(mutant: Mutant, checked: str, folder: str) -> bool:
    """Keep what check and sanitize say of a mutant; or is it what they have said?"""
    lines = checked.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  FAIL  "))
    args = [size[1] for size in map(SIZE.match, lines[:first + 1]) if size][-1].strip('"')
    looked = tell("sanitize", mutant, folder, args=args, SIM_ORDER="0 1").stdout
    said = {"args": args, "check": told(checked.split("first failure: ")[0]),
            "sanitize": told("".join(FINDS.findall(looked)))}
    if "--record" in sys.argv:
        edits.said(mutant.chapter)[mutant.name] = said
    return edits.said(mutant.chapter).get(mutant.name) == said


# ---- other kinds -------------------------------------------------------------


def without(entry: edits.Change) -> Tuple[str, str]:
    """Run a chapter without one of its ideas."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = f"{folder}/a.cu", f"{folder}/a"
        write(source, edits.text_of(entry, read(
            f"chapters/{entry.chapter}/{entry.chapter}.cu")))
        for command in (["simulator/simcc", "-I", "common", source,
                         "build/simulator/libcommon.a", "-o", program],
                        [program, *(RAGGED_ROWS if entry.chapter.startswith(
                            "attention") else RAGGED)]):
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if done.returncode:
                return "FAIL", done.stdout
    return "pass", "right"


def graded(entry: edits.Change) -> Tuple[str, str]:
    """Grade a wrong answer, whose grade must say what its entry says."""
    task = tasks.find("chapter", entry.chapter)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, task.mine)
        os.makedirs(os.path.dirname(path))
        write(path, edits.text_of(entry, read(task.solution)))
        grade = grader.grade_file(task, path, False)
    said = [line for one in grade.outcomes if one.state == "failed" for line in (
        f"{one.gate.text}: {one.note}", *one.message.splitlines())]
    missing = [words for words in entry.ends if not any(words in line for line in said)]
    if missing or not entry.question:
        return "FAIL", "\n".join([*(missing or ["it asks nothing"]), "It is said:", *said])
    return "pass", " ".join(entry.ends)


def try_all(chosen: List[Mutant], others: List[edits.Change]) -> None:
    """Try mutants, and entries of other kinds; print how each ended."""
    right, asks = ([entry for entry in others if entry.kind == kind] for kind in OTHERS)
    many = len(os.sched_getaffinity(0))
    results = [*zip(chosen, course.together(many, kill, chosen)),
               *zip(right, course.together(many, without, right))]
    os.environ.update(SIM_THREADS="1", GRADE_SECONDS="20")
    results += zip(asks, course.together(2, graded, asks))
    for item, (how, what) in results:
        if how != "none":
            tally.add(0 if how == "pass" else 1)
            print(f"  {how}  {item}: {what}", flush=True)


def choose(words: List[str]) -> Tuple[List[Mutant], List[edits.Change], List[str]]:
    """Return the mutants and other entries that words name; what no longer fits."""
    chosen, others, stale = [], [], []
    kinds = [word for word in words if word in ("wrong", *OTHERS)] or ["wrong", *OTHERS]
    named = [word.partition("/") for word in words if word not in (*OPTIONS, *kinds)]
    for chapter in course.chapters():
        names = tuple(name for begin, _, name in named if chapter.startswith(begin))
        if names or not named:
            mutants, why = of_chapter(chapter, "--rules" in words) \
                if "wrong" in kinds else ([], [])
            stale += why
            chosen += [one for one in mutants if not named or one.name.startswith(names)]
            others += [one for one in edits.entries(chapter, *OTHERS) if one.kind in kinds
                       and (not named or one.name.startswith(names))]
    return chosen, others, stale


def build(chapters: List[str], asks: List[str]) -> bool:
    """Build what all share, once, and what grades those that are asked for."""
    return course.build([f"build/simulator/{name}" for name in chapters]) and (
        not asks or grader.build_trusted([tasks.find("chapter", name) for name in asks],
                                         False))


def main() -> int:
    """Try those that are asked for."""
    words = sys.argv[1:]
    try:
        chosen, others, stale = choose(words)
    except edits.Unreadable as error:
        print(error, file=sys.stderr)
        return 2
    if not chosen + others + stale:
        print(f"{' '.join(words)}: there is no such entry", file=sys.stderr)
        return 2
    if "--some" in words:
        # What is said is compared by make test-all: it takes a second run of each.
        chosen = [one._replace(kept=False) for one in chosen if one.line]
        others = [one for one in others if one.name in SOME]
    if "--list" in words:
        print("".join(f"{one}: {one.what}\n" for one in chosen + others), end="")
        return 0
    if not build(sorted({one.chapter for one in chosen + others}), sorted(
            {one.chapter for one in others if one.kind == "asks"})):
        return 1
    for why in stale:
        tally.add(1)
        print(f"  FAIL  {why}")
    try_all(chosen, others)
    if "--record" in words:
        for chapter in {one.chapter for one in chosen}:
            edits.keep(chapter)
    if not chosen + others + stale:
        print("  skip  nothing here is of those")
        tally.skipped += 1
    return close()


if __name__ == "__main__":
    course.script(main)
