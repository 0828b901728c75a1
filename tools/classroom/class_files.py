"""Which file of a class's folder is whose, and of which task.

DIR/STUDENT/TASK.cu, or in DIR itself what learning platforms make of it:

    ann_gemm_01_naive.cu
    smithann_LATE_12345_67890_gemm_01_naive-1.cu    Canvas; -1: a later upload

Of several uploads the last counts; the student's number stays in the name, since two
may share that. Links are not followed, nothing packed is opened.
"""

import os
import re
from typing import Dict, List, NamedTuple

NO_TASK = "no exercise has this name"
LINK = "a link, not followed"
NAMED = 3  # files of a student that are none, by name


class HandedIn(NamedTuple):
    """A class's folder."""

    files: Dict[str, Dict[str, str]]  # paths by student and task
    strange: List[str]  # what a teacher should know of the others


def shown(name: str) -> str:
    """Return a name without what would move a terminal's cursor."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1]
                   for letter in name)


def entries(folder: str) -> List[str]:
    """Return what is in a folder, without what systems hide there."""
    return [name for name in sorted(os.listdir(folder))
            if not name.startswith((".", "__MACOSX"))]


def of_student(folder: str, name: str, known: List[str],
               handed_in: HandedIn) -> None:
    """Add what lies in a student's folder."""
    files = handed_in.files.setdefault(shown(name), {})
    others: Dict[str, List[str]] = {}
    for file in entries(os.path.join(folder, name)):
        path = os.path.join(folder, name, file)
        task, ending = os.path.splitext(file)
        if os.path.islink(path):
            others.setdefault(LINK, []).append(shown(file))
        elif ending == ".cu" and task in known:
            files[task] = path
        else:
            others.setdefault(NO_TASK, []).append(shown(file))
    for why, names in others.items():
        more = len(names) - NAMED
        handed_in.strange.append(f"{shown(name)}: {', '.join(names[:NAMED])}"
                                 + f" and {more} more" * (more > 0) + f": {why}")


def read(folder: str, known: List[str]) -> HandedIn:
    """Look through DIR for files of the tasks that are known."""
    flat = re.compile(r"((?:(?!(?:_LATE)?_\d+_\d+_).)+?)(?:(?:_LATE)?(_\d+)_\d+)?"
                      rf"_({'|'.join(known)})(?:-(\d+))?\.cu")
    handed_in = HandedIn({}, [])
    uploads: Dict[str, int] = {}  # by path
    for name in entries(folder):
        path = os.path.join(folder, name)
        match = flat.fullmatch(name)
        if os.path.islink(path):
            handed_in.strange.append(f"{shown(name)}: {LINK}")
        elif os.path.isdir(path):
            of_student(folder, name, known, handed_in)
        elif not match:
            handed_in.strange.append(f"{shown(name)}: {NO_TASK}")
        else:
            student, number, task, upload = match.groups()
            files = handed_in.files.setdefault(shown(student + (number or "")), {})
            uploads[path] = int(upload or 0)
            if uploads[path] >= uploads.get(files.get(task, ""), 0):
                files[task] = path
    return handed_in
