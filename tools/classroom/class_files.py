"""Which file of a class's folder is whose, and of which task.

DIR/STUDENT/TASK.cu, DIR/STUDENT/mine/TASK.cu, or what learning platforms make of it:

    ann_gemm_01_naive.cu
    smithann_LATE_12345_67890_gemm_01_naive-1.cu    Canvas; -1: a later upload

gemm_02.cu is gemm_02_coalesced.cu, and `scan (1).cu` what a browser makes of a second
download. Of several uploads the last counts; the student's number stays in the name,
since two may share that. Links are not followed, nothing packed is opened.
"""

import os
import re
from typing import Dict, List, NamedTuple

from tools import course

NO_TASK = "no exercise has this name"
LINK = "a link, not followed"
NO_FILE = "no file, not read"
OWN = ("predict", "progress.json")  # in mine/ beside the exercises
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


def guessed(file: str, known: List[str]) -> str:
    """Return a file's name, and in a question the nearest that would do."""
    stem = os.path.splitext(file)[0]
    return shown(file) + course.meant(stem.lower(), known) * file.lower().endswith(".cu")


def of_student(folder: str, name: str, named: "re.Pattern[str]", known: List[str],
               handed_in: HandedIn) -> None:
    """Add what lies in a student's folder."""
    files = handed_in.files.setdefault(shown(name), {})
    others: Dict[str, List[str]] = {}
    own = os.path.join(folder, name)
    zipped = os.path.join(own, "mine")  # the whole folder was handed in
    own = own if os.path.islink(zipped) or not os.path.isdir(zipped) else zipped
    for file in entries(own):
        path = os.path.join(own, file)
        match = named.fullmatch(file)
        if os.path.islink(path):
            others.setdefault(LINK, []).append(shown(file))
        elif match and os.path.isfile(path):
            keep(files, match, path, known)
        elif match:
            others.setdefault(NO_FILE, []).append(shown(file))
        elif file not in OWN:
            others.setdefault(NO_TASK, []).append(guessed(file, known))
    for why, names in others.items():
        more = len(names) - NAMED
        handed_in.strange.append(f"{shown(name)}: {', '.join(names[:NAMED])}"
                                 + f" and {more} more" * (more > 0) + f": {why}")


def keep(files: Dict[str, str], match: "re.Match[str]", path: str,
         known: List[str]) -> None:
    """Enter a file under its task, if it is the last upload so far."""
    def upload(path: str) -> int:
        return int((re.findall(r"[-(](\d+)\)?\.cu$", path) or [0])[0])

    task = next(name for name in known
                if match["task"] in (name, course.short(name)))
    if task not in files or upload(path) >= upload(files[task]):
        files[task] = path


def read(folder: str, known: List[str]) -> HandedIn:
    """Look through DIR for files of the tasks that are known."""
    names = "|".join([*known, *map(course.short, known)])
    name_of = rf"(?P<task>{names})(?:-\d+| ?\(\d+\))?\.cu"
    named = re.compile(name_of)
    flat = re.compile(r"((?:(?!(?:_LATE)?_\d+_\d+_).)+?)(?:(?:_LATE)?(_\d+)_\d+)?_"
                      + name_of)
    handed_in = HandedIn({}, [])
    for name in entries(folder):
        path = os.path.join(folder, name)
        match = flat.fullmatch(name)
        if os.path.islink(path):
            handed_in.strange.append(f"{shown(name)}: {LINK}")
        elif os.path.isdir(path):
            of_student(folder, name, named, known, handed_in)
        elif not match:
            handed_in.strange.append(f"{guessed(name, known)}: {NO_TASK}")
        else:
            files = handed_in.files.setdefault(shown(match[1] + (match[2] or "")), {})
            keep(files, match, path, known)
    return handed_in
