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
where they were. A line `// order: warp:3` is in the skeleton `// order: 0`.
"""

import re

from tools import course
from tools.classroom import tasks

MARK = re.compile(r"^ *// \[(?:write \d+|hunt|end)\]", re.M)
REGION = re.compile(r"^( *)// \[(?:write (\d+)|hunt)\] *(.*\n(?: *// .*\n)*)"
                    r"((?:.*\n)*?) *// \[end\]\n", re.M)
INSTEAD = re.compile(r"^( *)//: ?(.*)\n", re.M)
ORDER = re.compile(r"^// order: *(.*?) *$", re.M)
CODE = re.compile(r"^ *(?!//)\S", re.M)


def of(task: tasks.Task) -> str:
    """Return the skeleton of an exercise or a hunt."""
    return skeleton(course.text_of(task.solution), task.solution)


def solved(task: tasks.Task) -> str:
    """Return the text of a solution without what the author says of it."""
    return REGION.sub(lambda region: INSTEAD.sub("", region[4]),
                      course.text_of(task.solution))


def skeleton(text: str, path: str) -> str:
    """Return the skeleton of a solution's text."""
    hunt = "/hunt_" in path

    def instead(region: "re.Match[str]") -> str:
        indent, budget, task, body = region.groups()
        written = len(CODE.findall(body))
        why = ("a region in a region" if len(MARK.findall(region[0])) != 2 else
               f"{'[hunt]' if hunt else '[write N]'} begins the regions of "
               "this file" if hunt == bool(budget) else
               f"{written} lines of code, the budget is {budget}"
               if budget and not 0 < written <= int(budget) else "")
        if why:
            line = text.count("\n", 0, region.start()) + 1
            raise tasks.Unusable(f"{path}:{line}: {why}")
        # The task goes on in the comment that begins the region.
        todo = "" if hunt else (f"{indent}// TODO, "
                                f"{tasks.number(int(budget), 'line')}: {task}")
        return todo + "".join(f"{before}{code}".rstrip() + "\n"
                              for before, code in INSTEAD.findall(body))

    made, regions = REGION.subn(instead, ORDER.sub("// order: 0", text))
    if not regions or MARK.search(made):
        raise tasks.Unusable(f"{path}: no region to leave out, or half of one")
    return made
