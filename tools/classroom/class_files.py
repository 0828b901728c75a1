"""Which file of a class's folder is whose, and of which task.

DIR/STUDENT/TASK.cu, or up to two folders deeper: DIR/ann/course-main/mine/TASK.cu.
What learning platforms make of that is read as well:

    Canvas   smithann_LATE_12345_67890_gemm_01_naive-1.cu, -1 for a later upload
    Moodle   Ann Smith_12345_assignsubmission_file_/gemm_01_naive.cu
    others   ann_gemm_01_naive.cu

Of a task that a student handed in twice the file nearest to DIR counts, of two
uploads the later. Links are not followed, nothing packed is opened.
"""

import os
import re
from collections import Counter
from typing import Dict, Iterator, List, NamedTuple, Tuple

DEEPER = 2  # folders below a student's
# Folders of a copy of the course: what is in them nobody has handed in.
COURSE = {"build", "chapters", "common", "docs", "simulator", "solutions", "tests",
          "tools"}
PACKED = re.compile(r".*\.(zip|tar|tgz|gz|bz2|xz|zst|7z|rar)", re.I)
MOODLE = re.compile(r"(.+)_(\d+)_assignsubmission_file_?")
CANVAS = re.compile(r"(.+?)(?:_LATE)?_(\d+)_(?:\d+|assignsubmission_file)_"
                    r"(.+?)(?:-(\d+))?\.\w+")
NO_TASK = "no exercise has this name"
LINK = "links are not followed"
NAMED = 3  # files of a student that are none, by name


class Found(NamedTuple):
    """A file in DIR."""

    who: Tuple[str, str]  # the name, and the number that a platform gave
    place: str  # a folder of DIR; "": DIR itself
    parts: Tuple[str, ...]  # of the path below that
    task: str  # "" if it is none,
    why: str = ""  # and why
    upload: int = 0

    def path(self) -> str:
        """Below DIR."""
        return os.path.join(self.place, *self.parts)

    def order(self) -> tuple:
        """What counts comes first."""
        return len(self.parts), -self.upload, "mine" not in self.parts, self.path()


class HandedIn(NamedTuple):
    """A class's folder."""

    files: Dict[str, Dict[str, str]]  # paths by student and task
    notes: List[str]  # what a teacher should know before,
    strange: List[str]  # and after the grading


def shown(name: str) -> str:
    """Return a name without what would move a terminal's cursor."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in name)


def entries(folder: str) -> List[str]:
    """Return what is in a folder, without what systems hide there."""
    return [name for name in sorted(os.listdir(folder))
            if not name.startswith((".", "__MACOSX"))]


def walk(folder: str, known: List[str], start: Found) -> Iterator[Found]:
    """Yield the files of a student, below where start is."""
    for name in entries(os.path.join(folder, start.path())):
        one = start._replace(parts=(*start.parts, name))
        path = os.path.join(folder, one.path())
        if os.path.islink(path):
            yield one._replace(why=LINK)
        elif not os.path.isdir(path):
            stem, end = os.path.splitext(name)
            task = stem if end == ".cu" and stem in known else ""
            yield one._replace(task=task, why=NO_TASK)
        elif name in COURSE:
            yield one._replace(why="the course's own, not looked at")
        elif len(one.parts) > DEEPER:
            yield one._replace(why="too deep, not looked at")
        else:
            yield from walk(folder, known, one)


def flat(name: str, known: List[str]) -> Found:
    """Return whose a file is that lies in DIR itself."""
    match = CANVAS.fullmatch(name)
    if match:
        student, number, task, upload = match.groups()
        task = task if name.endswith(".cu") and task in known else ""
        return Found((student, number), "", (name,), task, NO_TASK, int(upload or 0))
    match = re.fullmatch(rf"(.+?)_({'|'.join(known)})\.cu", name)
    who, task = match.groups() if match else ("", "")
    return Found((who, ""), "", (name,), task, NO_TASK)


def everything(folder: str, known: List[str]
               ) -> Tuple[List[Found], List[Tuple[str, str]]]:
    """Return all files, and all students, who may have none."""
    files, students = [], []
    for name in entries(folder):
        path = os.path.join(folder, name)
        if os.path.islink(path):
            files.append(Found(("", ""), "", (name,), "", LINK))
        elif os.path.isdir(path):
            match = MOODLE.fullmatch(name)
            students.append(match.groups() if match else (name, ""))
            files += walk(folder, known, Found(students[-1], name, (), ""))
        else:
            files.append(flat(name, known))
            students += [files[-1].who] * bool(files[-1].who[0])
    return files, list(dict.fromkeys(students))


def names_of(students: List[Tuple[str, str]]) -> Dict[Tuple[str, str], str]:
    """Return what students are called: with the number where two share a name."""
    many = Counter(name for name, _ in students)
    return {who: shown(who[0] if many[who[0]] == 1 else "_".join(filter(None, who)))
            for who in students}


def ways(files: List[Found]) -> Iterator[str]:
    """Yield a line for each way of a platform, and for each packed file."""
    work = [one for one in files if one.task]
    for count, way in (
            (sum(not one.place for one in work),
             "with flat names, STUDENT_..._TASK.cu"),
            (sum(bool(MOODLE.fullmatch(one.place)) for one in work),
             "in folders of Moodle, STUDENT_..._assignsubmission_file_"),
            (sum(len(one.parts) > 1 for one in work),
             "one or two folders deeper, as STUDENT/mine/TASK.cu")):
        if count:
            yield f"{count} file{'s' * (count > 1)} {way}"
    for one in files:
        if PACKED.fullmatch(one.parts[-1]):
            yield f"{shown(one.path())}: packed, not opened; unpack it first"


def read(folder: str, known: List[str]) -> HandedIn:
    """Look through DIR for files of the tasks that are known."""
    files, students = everything(folder, known)
    names = names_of(students)
    found: Dict[str, Dict[str, str]] = {name: {} for name in names.values()}
    counts: Dict[Tuple[str, str], str] = {}  # the file of a student's task
    strange: Dict[Tuple[str, str], List[str]] = {}
    notes = list(ways(files))
    for one in sorted(files, key=Found.order):
        student, path = names.get(one.who, ""), shown(one.path())
        if not one.task:
            if not PACKED.fullmatch(one.parts[-1]):
                below = one.place if student else ""
                strange.setdefault((student or folder, one.why), []).append(
                    shown(os.path.relpath(one.path(), below or ".")))
        elif one.task in found[student]:
            notes.append(f"{path} is left: {counts[student, one.task]} counts")
        else:
            found[student][one.task] = os.path.join(folder, one.path())
            counts[student, one.task] = path
    return HandedIn(found, notes, [
        f"{who}: {', '.join(some[:NAMED])}"
        f"{f' and {len(some) - NAMED} more' * (len(some) > NAMED)}: {why}"
        for (who, why), some in strange.items()])
