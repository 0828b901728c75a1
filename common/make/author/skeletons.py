#!/usr/bin/env python3
"""Make the skeletons of exercises and bug hunts from their solutions.

Usage: skeletons.py [--check]                                  (make lessons)

solutions/CHAPTER.cu becomes chapters/CHAPTER/exercise.cu. A region of it

    // [write 2] the row and the column of C that this thread computes
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    //: int row = 0, col = 0;
    // [end]

is in the skeleton

    // TODO, 2 lines: the row and the column of C that this thread computes
    int row = 0, col = 0;

The number is the line budget: the solution may not have more lines of code
there; what a comment of several lines says stays whole. solutions/hunt_NAME.cu
becomes chapters/CHAPTER/hunt_NAME.cu; its first line names the chapter:
`// hunt of CHAPTER`. Its regions begin with `// [hunt]`, and nothing in the
skeleton says where they were.

--check writes nothing, names what is stale or has no solution; ends with 1.
"""

import glob
import os
import re
import sys
from typing import Dict, List, Optional

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import course  # noqa: E402

BEGIN = re.compile(r"^(\s*)// \[(?:write (\d+)|hunt)\]\s*(.*)$")
INSTEAD = re.compile(r"^(\s*)//: ?(.*)$")
END = re.compile(r"^\s*// \[end\]$")
HUNT = re.compile(r"// hunt of (\w+)$")


class Unusable(Exception):
    """A solution that no skeleton can be made of: why."""


def is_code(line: str) -> bool:
    """Whether a line is more than a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("//")


def skeleton(text: str, path: str) -> str:
    """Return the skeleton of a solution's text."""
    lines: List[str] = []
    begin: Optional["re.Match[str]"] = None
    regions = written = 0
    hunt = os.path.basename(path).startswith("hunt_")
    for number, line in enumerate(text.splitlines(), 1):
        here = f"{path}:{number}"
        if BEGIN.match(line):
            if begin:
                raise Unusable(f"{here}: a region in a region")
            begin = BEGIN.match(line)
            if bool(begin.group(2)) == hunt:
                raise Unusable(f"{here}: {'[hunt]' if hunt else '[write N]'} "
                               "begins the regions of this file")
            regions, written, task = regions + 1, 0, True
            if not hunt:
                count = int(begin.group(2))
                lines.append(f"{begin.group(1)}// TODO, {count} line"
                             f"{'s' if count > 1 else ''}: {begin.group(3)}")
        elif END.match(line):
            if not begin:
                raise Unusable(f"{here}: [end] without a beginning")
            if not hunt and not 0 < written <= int(begin.group(2)):
                raise Unusable(f"{here}: {written} lines of code, the budget is "
                               f"{begin.group(2)}")
            begin = None
        elif begin and INSTEAD.match(line):
            task = False
            indent, code = INSTEAD.match(line).groups()
            lines.append(indent + code if code else "")
        elif begin:
            # The task goes on in the comment that begins the region.
            task = task and not hunt and line.lstrip().startswith("//")
            written += is_code(line)
            lines += [line] if task else []
        else:
            lines.append(line)
    if begin:
        raise Unusable(f"{path}: a region without [end]")
    if not regions:
        raise Unusable(f"{path}: no region to leave out")
    return "\n".join(lines) + "\n"


def target(path: str, text: str) -> str:
    """Return where the skeleton of a solution lies."""
    name = os.path.basename(path)[:-len(".cu")]
    chapter, file = name, "exercise.cu"
    if name.startswith("hunt_"):
        first = HUNT.match(text.split("\n", 1)[0])
        if not first:
            raise Unusable(f"{path}:1: no `// hunt of CHAPTER`")
        chapter, file = first.group(1), f"{name}.cu"
    if chapter not in course.chapters():
        raise Unusable(f"{path}: there is no chapter {chapter}")
    return os.path.join("chapters", chapter, file)


def make() -> Dict[str, str]:
    """Return the text of each skeleton by its path."""
    made = {}
    for path in sorted(glob.glob("solutions/*.cu")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        made[target(path, text)] = skeleton(text, path)
    return made


def read(path: str) -> Optional[str]:
    """Return the text of a file; None if there is none."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def main() -> int:
    """Write or check all skeletons."""
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        made = make()
    except Unusable as error:
        sys.exit(str(error))
    there = {path for name in ("exercise", "hunt_*")
             for path in glob.glob(f"chapters/*/{name}.cu")}
    stale = [path for path, text in made.items() if read(path) != text]
    for path in sorted(there - set(made)):
        print(f"{path}: no solution that it is made of", file=sys.stderr)
    for path in stale:
        if sys.argv[1:]:
            print(f"{path}: stale; make lessons renews it", file=sys.stderr)
            continue
        with open(path, "w", encoding="utf-8") as file:
            file.write(made[path])
        print(f"renewed  {path}")
    return 1 if there - set(made) or (sys.argv[1:] and stale) else 0


if __name__ == "__main__":
    course.script(main)
