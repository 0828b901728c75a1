"""Exercises and bug hunts: what their pages say, and what a learner has done.

An exercise belongs to a chapter and has its name; a hunt has one of its own.
chapters/CHAPTER/exercise.md and hunt_NAME.md are read by people and by the
commands; any other page of the folder, as capstone.md, is an exercise of its own
name:

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
    | 4 | correct | every result right, no finding | the sizes of `checks` |

A gate `counts` of 0 points is a condition: where it fails, so do the others of
the same command line. It says what work without the idea cannot do. A gate `order`
is for a race that shows in few orders: the file names one in a line `// order: warp:3`.

Where a small kernel would take minutes at the chapter's sizes, its checks have
others for the tasks, under [exercise].

What a learner has done stands in mine/progress.json, by the task's name.
"""

import glob
import hashlib
import json
import os
import re
from typing import Dict, List, NamedTuple, Optional

from tools import checklist, course
from tools.course import Unusable

STATE = "mine/progress.json"
NOT_FOR_TASKS = {"--variant", "--file", "--image",  # and pitches:
                 "8388608", "268435456", "536870912", "800000000"}


class Gate(NamedTuple):
    """One line of the grade."""

    points: float
    layer: str  # correct, counts, order, speed
    text: str  # "global_load_sectors <= 131072"; "" of the layer correct
    at: str  # command line; "": the sizes of the chapter's checks


class Now(NamedTuple):
    """One run of the skeleton."""

    args: str
    words: List[str]
    status: int


class Task(NamedTuple):
    """An exercise or a hunt."""

    name: str  # gemm_01_naive, hunt_halo
    chapter: str
    hunt: bool
    words: str  # what make is told: chapter=gemm_01_naive, hunt=halo
    page: str  # its path, and those of
    solution: str
    mine: str  # what the learner writes
    title: str
    text: str  # paragraphs of the task
    budget: int  # lines
    now: List[Now]
    hints: List[str]
    gates: List[Gate]

    def points(self) -> float:
        """All that a machine without a GPU can give."""
        return sum(gate.points for gate in self.gates
                   if gate.layer != "speed")

    def timed(self) -> bool:
        return any(gate.layer == "speed" for gate in self.gates)

    def args(self, gate: Gate) -> List[str]:
        """Return the command lines of a gate.

        Of the sizes those that are for all variants, of the first problem, and
        need no file, which a confined process cannot read.
        """
        return [gate.at] if gate.at else [
            line for line in checklist.sizes(self.chapter, "exercise")
            or checklist.sizes(self.chapter)
            if not set(line.split()) & NOT_FOR_TASKS]


def number(count: int, word: str) -> str:
    """1 line, 2 lines."""
    return f"{count} {word}{'s' * (count > 1)}"


def first_lines(text: str, most: int = 8) -> str:
    """Return the first lines of what a program says."""
    # What a child prints shall not move the cursor.
    lines = [re.sub(r"[^\t -~\xa0-\uffff]", "?", line).rstrip()[:200]
             for line in text.splitlines() if line.strip()]
    more = len(lines) - most
    return "\n".join(lines[:most] + [f"... {number(more, 'line')} more"]
                     * (more > 0))


# ---- pages -------------------------------------------------------------------

PAGE = re.compile(r"# +(.*)\n.*^Task: +(.*)^Budget: +(\d+) lines?\.\n"
                  r".*^## Now\n(.*)^## Hints\n(.*)^## Gates\n"
                  r"(.*)", re.M | re.S)
RUN = re.compile(r"^\$ *(.*)\n((?:(?!\$ ).*\n)*?)status (\d)$", re.M)
HINT = re.compile(r"^\d\. +(.*(?:\n(?!\d\. ).*)*)", re.M)
GATE = re.compile(r"\| *([\d.]+) *\| *(correct|counts|order|speed) *\| *(.*?) *"
                  r"\| *(.*?) *\|")


def read_now(path: str, text: str) -> List[Now]:
    """Return the runs of the section Now."""
    runs = [Now(args, words.splitlines(), int(status))
            for args, words, status in RUN.findall(text)]
    if not runs or len(runs) != len(re.findall(r"^\$", text, re.M)):
        raise Unusable(f"{path}: Now has no run, or one without `status N`")
    return runs


def read_hints(path: str, text: str) -> List[str]:
    """Return the three hints."""
    hints = HINT.findall(text)
    if len(hints) != 3:
        raise Unusable(f"{path}: {len(hints)} hints; there must be three")
    return [re.sub(r"\n +", "\n", hint.strip()) for hint in hints]


def read_gates(path: str, text: str) -> List[Gate]:
    """Return the gates of the table."""
    rows = re.findall(r"^\|(?! *-).*", text, re.M)[1:]  # without its head
    gates = []
    for row in rows:
        match = GATE.fullmatch(row)
        if not match:
            raise Unusable(f"{path}: no gate: {row}")
        points, layer, words, at = match.groups()
        if layer == "correct":  # words for the reader
            words = at = ""
        gates.append(Gate(float(points), layer, words.strip("`"),
                          at.strip("`")))
    if not any(gate.layer == "correct" for gate in gates):
        raise Unusable(f"{path}: no gate of the layer correct")
    return gates


def read(path: str) -> Task:
    """Read one page."""
    _, chapter, name = path[:-len(".md")].split("/")
    hunt = name.startswith("hunt_")
    name = chapter if name == "exercise" else name
    match = PAGE.match(course.text_of(path))
    if not match:
        raise Unusable(f"{path}: needs # TITLE, Task:, Budget: N lines., "
                       "## Now, ## Hints, ## Gates")
    title, text, budget, now, hints, gates = match.groups()
    return Task(name, chapter, hunt,
                name.replace("_", "=", 1) if hunt else f"chapter={name}",
                path, f"solutions/{name}.cu", f"mine/{name}.cu", title.strip(),
                text.strip("\n"), int(budget), read_now(path, now),
                read_hints(path, hints), read_gates(path, gates))


def has_own_name(path: str) -> bool:
    """Whether the page of a task is neither an exercise nor a hunt."""
    return not re.search(r"/(exercise|hunt_\w+)\.md$", path)


def pages() -> List[str]:
    """Return the pages of all tasks in the order of reading.

    Of each chapter its exercise, then its hunts; last those with names of their own.
    """
    return sorted((path for chapter in course.chapters()
                   for path in sorted(glob.glob(f"chapters/{chapter}/*.md"))
                   if not path.endswith("/README.md")), key=has_own_name)


def own_names() -> List[str]:
    """Return what chapter= may name beside the chapters: capstone."""
    return [os.path.basename(path)[:-len(".md")] for path in pages()
            if has_own_name(path)]


def all_tasks() -> List[Task]:
    """Return all tasks in the order of reading."""
    return list(map(read, pages()))


def find(kind: str, name: str) -> Task:
    """Return the exercise of a chapter, or the hunt of a name or beginning."""
    if kind == "chapter":
        for path in pages():
            if path in (f"chapters/{name}/exercise.md",
                        f"{os.path.dirname(path)}/{name}.md"):
                return read(path)
        raise Unusable(f"{name} has no exercise to grade; what its page asks for runs "
                       "as a program of your own, with file=")
    hunts = {path.split("/hunt_")[1][:-len(".md")]: path for path in pages()
             if "/hunt_" in path}
    return read(hunts[course.find(re.sub("^hunt_", "", name), "hunt", list(hunts),
                                  "progress")])


# ---- what a learner has done -------------------------------------------------


def state() -> Dict[str, dict]:
    """Return what mine/progress.json says, by task."""
    try:
        return dict(json.loads(course.text_of(STATE) or "{}"))
    except (ValueError, TypeError):
        raise Unusable(
            f"{STATE} cannot be read; without it all begins anew") from None


def keep(name: str, **changes: object) -> None:
    """Note something of a task."""
    done = state()
    done[name] = {**done.pop(name, {}), **changes}  # the last one is the last
    course.write(STATE, as_json(done))


def last() -> Optional[Task]:
    """Return what the learner has worked on last, or None."""
    known = {task.name: task for task in all_tasks()}
    return next((known[name] for name in reversed(list(state())) if name in known), None)


def as_json(data: object) -> str:
    """Return a file's text, a line for each value."""
    return json.dumps(data, indent=1) + "\n"


def contents(path: str) -> str:
    """Return what tells two versions of a file apart."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
