"""The change from the chapter before, or from=Y to=X.

Inside a chapter of several variants from=V to=W, or to=W: from the one before.
Comments and the own names of both are left out: what remains is the lesson.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Dict, List, Tuple

from tools import course
from tools.machine import fail


def name_of(path: str) -> str:
    """Return the variant's name of 2_brent_kung.cuh, or the chapter's."""
    stem, end = os.path.splitext(os.path.basename(path))
    return re.sub(r"^\d*_", "", stem) if end == ".cuh" else stem


def code(path: str) -> str:
    """Return the source without comments, empty lines and its own name.

    That of a chapter is left out anywhere, that of a variant in NAME_kernel and
    in its function NAME.
    """
    text = course.text_of(path)
    own = name_of(path)
    if path.endswith(".cuh"):
        text = text.replace(f"{own}_kernel", "kernel")
        text = text.replace(f" {own}(const void", " run(const void")
    else:
        text = text.replace(own, "CHAPTER")
    return "".join(line.rstrip() + "\n"
                   for line in course.blank(text).splitlines() if line.strip())


def variant(variants: Dict[str, str], wanted: str, chapter: str) -> str:
    """Return the variant whose name it is, or begins alone."""
    fitting = [name for name in variants if name == wanted] or \
        [name for name in variants if name.startswith(wanted)]
    if len(fitting) != 1:
        fail(f"{wanted} is no variant of {chapter}: {' '.join(variants)}")
    return fitting[0]


def pair(chapter: str, only: str, first: str, second: str) -> Tuple[str, str]:
    """Return the paths of what is compared, the older first.

    What was typed: chapter=, variant=, from= and to=.
    """
    if first and not second and not chapter:
        fail("diff: from= needs to=")
    name = course.find_chapter(chapter) if chapter else ""
    paths = course.variants(name)
    if paths:
        names, second, series = list(paths), second or only, name
        if not second:
            fail("diff of which two? from= and to= are among: "
                 + " ".join(names))
        new = variant(paths, second, name)
        old = variant(paths, first, name) if first else \
            dict(zip(names[1:], names)).get(new)
    elif only:
        fail(f"{name} has no variants")
    else:
        series = "its series"
        new = course.find_chapter(second or name, "to" if second else "chapter")
        old = course.find_chapter(first, "from") if first else course.before(new)
        paths = {rung: f"chapters/{rung}/{rung}.cu"
                 for rung in (old, new) if rung}
    if not old:
        print(f"{new} is the first of {series}: nothing to compare")
        sys.exit(0)  # that is an answer
    return paths[old], paths[new]


def hunks(text: str) -> List[Tuple[bool, str]]:
    """Return each hunk of git's diff, and whether as many lines came as went.

    What stands before the first @@ names temporary files.
    """
    parts = []
    for part in re.split(r"(?m)^(?=\S*@@ -)", text)[1:]:
        head, _, rest = part.partition("\n")
        old, new = re.findall(r"[-+]\d+(?:,(\d+))?", head)[:2]
        parts.append((old == new, rest))
    return parts


def compared(old: str, new: str, *options: str) -> str:
    """Return git's diff of the code of two sources; a line that only moved right is
    the same."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("old", "new")]
        for path, source in zip(paths, (old, new)):
            course.write(path, code(source))
        return subprocess.run(["git", "diff", "--no-index", "-w", *options, *paths],
                              stdout=subprocess.PIPE, text=True).stdout


def show(chapter: str, only: str, first: str, second: str) -> None:
    """Print the change, word by word where that can be read."""
    if not shutil.which("git"):
        fail("diff needs git")
    old, new = pair(chapter, only, first, second)
    if old == new:
        fail(f"from= and to= are the same: {new}")
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and \
        os.environ.get("TERM") != "dumb"
    look = ["--unified=1", f"--color={'always' if colours else 'never'}"]
    words = hunks(compared(
        old, new, *look, f"--word-diff={'color' if colours else 'plain'}",
        r"--word-diff-regex=[A-Za-z0-9_]+|[^[:space:]]"))
    lines = hunks(compared(old, new, *look))
    numbers = compared(old, new, "--numstat").split()
    print(f"{name_of(old)} -> {name_of(new)}: code only")
    # Word by word where as many lines came as went, else line by line: a loop
    # that is new cannot be read in scraps of the old one.
    for (same, by_word), (_, by_line) in zip(words, lines):
        indented = re.sub("(?m)^", " ", by_word.rstrip("\n")) + "\n"
        print("...\n" + (indented if same else by_line), end="")
    # A line that changed was removed and added.
    added, removed = map(int, numbers[:2] or (0, 0))
    print(f"{added + removed} lines changed: {added} added, {removed} removed")
