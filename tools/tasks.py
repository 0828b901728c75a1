"""Exercises and bug hunts: what their pages say, and what a learner has done.

An exercise belongs to a chapter and has its name; a hunt has one of its own.
chapters/CHAPTER/exercise.md and hunt_NAME.md are read by people and by the
commands:

    # TITLE
    Task: what to write and where, or the story of a hunt.
    Budget: N lines.
    ## Now
    what the block shows, in a sentence
    a fenced block with one run or several of the skeleton: `$ --M 33`, then
    words that its output contains, then `status 1`
    ## Hints
    1. a question  2. a direction  3. almost the line
    ## Gates
    | points | layer | gate | at |
    | 4 | correct | every result right, no finding | the sizes of `check.args` |

A page of which a small kernel would take minutes at the chapter's sizes has its
own beside it, exercise.args, and names that file.

What a learner has done stands in mine/progress.json, by the task's name.
"""

import glob
import hashlib
import json
import os
import re
import textwrap
from typing import Dict, List, NamedTuple, Tuple

import course
from course import Unusable

MINE = "mine"
STATE = os.path.join(MINE, "progress.json")
LAYERS = ("correct", "structural", "speed")
CORRECT = ["every result right, no finding", "the sizes of `%s`"]
NOT_FOR_TASKS = {"--variant", "--problem", "--file", "--image"}


class Gate(NamedTuple):
    """One line of the grade."""

    points: float
    layer: str  # of LAYERS
    text: str  # "global_load_sectors <= 131072"; "" of the layer correct
    at: str  # command line; "": those of the file of sizes


class Now(NamedTuple):
    """One run of the skeleton."""

    args: str
    words: List[str]
    status: int


class Task(NamedTuple):
    """An exercise or a hunt."""

    name: str  # gemm_01_naive, hunt_halo
    chapter: str
    title: str
    text: str  # paragraphs of the task
    budget: int  # lines
    now: List[Now]
    hints: List[str]
    gates: List[Gate]

    @property
    def hunt(self) -> bool:
        return self.name.startswith("hunt_")

    @property
    def page(self) -> str:
        return page(self.chapter, self.name)

    @property
    def solution(self) -> str:
        return f"solutions/{self.name}.cu"

    @property
    def mine(self) -> str:
        return os.path.join(MINE, f"{self.name}.cu")

    @property
    def words(self) -> str:
        """What make is told: chapter=gemm_01_naive, hunt=halo."""
        return (f"hunt={self.name[len('hunt_'):]}" if self.hunt
                else f"chapter={self.name}")

    def points(self) -> float:
        """All that a machine without a GPU can give."""
        return sum(gate.points for gate in self.gates
                   if gate.layer != "speed")

    def args(self, gate: Gate) -> List[str]:
        """Return the command lines of a gate.

        Of the file of sizes those that are for all variants, of the first
        problem, and need no file, which a confined process cannot read.
        """
        file = sizes(page(self.chapter, self.name))
        return [gate.at] if gate.at else [
            line for line in course.check_args(self.chapter, name=file)
            if not set(line.split()) & NOT_FOR_TASKS]


def page(chapter: str, name: str) -> str:
    """Return the path of a task's page."""
    file = name if name.startswith("hunt_") else "exercise"
    return f"chapters/{chapter}/{file}.md"


def sizes(path: str) -> str:
    """Return the name of the file with the sizes for a page."""
    own = os.path.splitext(path)[0] + ".args"
    return os.path.basename(own) if os.path.exists(own) else "check.args"


def show(points: float) -> str:
    """4 or 2.5."""
    return f"{points:g}"


# ---- pages -------------------------------------------------------------------


def paragraphs(lines: List[str]) -> str:
    """Return the lines as a page has them, without empty ones around."""
    return "\n".join(lines).strip("\n")


def read_now(path: str, text: str) -> List[Now]:
    """Return the runs of the section Now."""
    runs: List[Now] = []
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("```"):
            inside = not inside
        elif not inside or not line:
            continue
        elif line.startswith("$"):
            runs.append(Now(line[1:].strip(), [], -1))
        elif not runs:
            raise Unusable(f"{path}: Now begins without `$ ...`")
        elif re.fullmatch(r"status \d", line):
            runs[-1] = runs[-1]._replace(status=int(line[-1]))
        else:
            runs[-1].words.append(line)
    if not runs or any(run.status < 0 for run in runs):
        raise Unusable(f"{path}: Now has no run, or one without `status N`")
    return runs


def read_hints(path: str, text: str) -> List[str]:
    """Return the three hints."""
    hints: List[List[str]] = []
    for line in text.strip().splitlines():
        match = re.match(r"(\d)\. +(.*)", line)
        if match:
            hints.append([match.group(2)])
        elif hints:
            hints[-1].append(line.strip())
    if len(hints) != 3:
        raise Unusable(f"{path}: {len(hints)} hints; there must be three")
    return ["\n".join(lines).strip() for lines in hints]


def read_gates(path: str, text: str) -> List[Gate]:
    """Return the gates of the table."""
    gates = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 4 or cells[0] == "points" or set(cells[0]) <= set(":-"):
            continue
        if cells[1] not in LAYERS:
            raise Unusable(f"{path}: {cells[1]}: layers are "
                           f"{', '.join(LAYERS)}")
        if cells[1] == "correct":  # words for the reader, the same everywhere
            words = " | ".join(CORRECT) % sizes(path)
            if " | ".join(cells[2:]) != words:
                raise Unusable(f"{path}: correct asks for | {words} |")
            cells[2:] = ["", ""]
        try:
            gates.append(Gate(float(cells[0]),
                              *(cell.strip("`") for cell in cells[1:])))
        except ValueError:
            raise Unusable(f"{path}: {cells[0]}: no points") from None
    if not any(gate.layer == "correct" for gate in gates):
        raise Unusable(f"{path}: no gate of the layer correct")
    return gates


def read(chapter: str, name: str) -> Task:
    """Read one page."""
    path = page(chapter, name)
    with open(path, encoding="utf-8") as file:
        head, *parts = re.split(r"^## +", file.read(), flags=re.M)
    sections = {part.split("\n", 1)[0].strip(): part.split("\n", 1)[-1]
                for part in parts}
    missing = [word for word in ("Now", "Hints", "Gates")
               if word not in sections]
    title = re.match(r"# +(.*)\n", head)
    budget = re.search(r"^Budget: +(\d+) lines?\.", head, re.M)
    task = re.search(r"^Task: +(.*?)^Budget:", head, re.M | re.S)
    if missing or not (title and budget and task):
        raise Unusable(f"{path}: no {missing[0] if missing else '# TITLE' if not title else 'Task:' if not task else 'Budget: N lines.'}")
    return Task(name, chapter, title.group(1).strip(),
                paragraphs(task.group(1).splitlines()), int(budget.group(1)),
                read_now(path, sections["Now"]),
                read_hints(path, sections["Hints"]),
                read_gates(path, sections["Gates"]))


def names(chapter: str) -> List[str]:
    """Return the tasks of a chapter: its exercise, then its hunts."""
    hunts = sorted(os.path.basename(path)[:-len(".md")]
                   for path in glob.glob(f"chapters/{chapter}/hunt_*.md"))
    there = os.path.exists(page(chapter, chapter))
    return ([chapter] if there else []) + hunts


def all_tasks() -> List[Task]:
    """Return all tasks in the order of reading."""
    return [read(chapter, name) for chapter in course.chapters()
            for name in names(chapter)]


def find(kind: str, name: str) -> Task:
    """Return the exercise of a chapter, or the hunt of a name or beginning."""
    if kind == "chapter":
        if name not in names(name):
            raise Unusable(f"{name} has no exercise")
        return read(name, name)
    hunts = [(chapter, hunt) for chapter in course.chapters()
             for hunt in names(chapter) if hunt.startswith("hunt_")]
    return read(*choose(name, hunts))


def choose(name: str, hunts: List[Tuple[str, str]]) -> Tuple[str, str]:
    """Return the chapter and name of the hunt that a name or beginning means."""
    wanted = "hunt_" + re.sub(r"^hunt_", "", name)
    fitting = [pair for pair in hunts if pair[1] == wanted] or \
        [pair for pair in hunts if pair[1].startswith(wanted)]
    if len(fitting) == 1:
        return fitting[0]
    known = " ".join(hunt[len("hunt_"):] for _, hunt in fitting or hunts)
    raise Unusable(textwrap.fill(
        f"hunt={name} fits several: {known}" if fitting else
        f"hunt={name} fits none; there are: {known or 'none'}", 80,
        break_long_words=False, break_on_hyphens=False))


# ---- what a learner has done -------------------------------------------------


def state() -> Dict[str, dict]:
    """Return what mine/progress.json says, by task."""
    if not os.path.exists(STATE):
        return {}
    try:
        with open(STATE, encoding="utf-8") as file:
            found = json.load(file)
        if isinstance(found, dict):
            return found
    except ValueError:
        pass
    raise Unusable(f"{STATE} cannot be read; without it all begins anew")


def keep(name: str, **changes: object) -> None:
    """Note something of a task; the file is whole at any time."""
    all_of_it = state()
    all_of_it[name] = {**all_of_it.get(name, {}), **changes}
    os.makedirs(MINE, exist_ok=True)
    with open(STATE + ".new", "w", encoding="utf-8") as file:
        json.dump(all_of_it, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(STATE + ".new", STATE)


def contents(path: str) -> str:
    """Return what tells two versions of a file apart."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
