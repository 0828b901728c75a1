"""Make the skeletons of exercises and bug hunts from their solutions.

A region of solutions/CHAPTER.cu

    // [write 2] the row and the column of C that this thread computes
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    //: int row = 0, col = 0;
    // [end]

is in the skeleton

    // TODO, 2 lines: the row and the column of C that this thread computes
    int row = 0, col = 0;

The number is the line budget: the solution may not have more lines of code
there; what a comment of several lines says stays whole. The regions of
solutions/hunt_NAME.cu begin with `// [hunt]`, and nothing in the skeleton says
where they were.
"""

import os
import re
from typing import List, Optional

import tasks

BEGIN = re.compile(r"^(\s*)// \[(?:write (\d+)|hunt)\]\s*(.*)$")
INSTEAD = re.compile(r"^(\s*)//: ?(.*)$")
END = re.compile(r"^\s*// \[end\]$")


def is_code(line: str) -> bool:
    """Whether a line is more than a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("//")


def of(task: tasks.Task) -> str:
    """Return the skeleton of an exercise or a hunt."""
    with open(task.solution, encoding="utf-8") as file:
        return skeleton(file.read(), task.solution)


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
                raise tasks.Unusable(f"{here}: a region in a region")
            begin = BEGIN.match(line)
            if bool(begin.group(2)) == hunt:
                raise tasks.Unusable(
                    f"{here}: {'[hunt]' if hunt else '[write N]'} begins the "
                    "regions of this file")
            regions, written, task = regions + 1, 0, True
            if not hunt:
                count = int(begin.group(2))
                lines.append(f"{begin.group(1)}// TODO, {count} line"
                             f"{'s' if count > 1 else ''}: {begin.group(3)}")
        elif END.match(line):
            if not begin:
                raise tasks.Unusable(f"{here}: [end] without a beginning")
            if not hunt and not 0 < written <= int(begin.group(2)):
                raise tasks.Unusable(
                    f"{here}: {written} lines of code, the budget is "
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
        raise tasks.Unusable(f"{path}: a region without [end]")
    if not regions:
        raise tasks.Unusable(f"{path}: no region to leave out")
    return "\n".join(lines) + "\n"
