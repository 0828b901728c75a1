"""What the Makefile calls: python3 -m tools GOAL [WORD...].

The variables that were typed are in the environment, their names in given; the
goals of the whole line are in goals. They are read here, and nowhere else.
"""

import os
import re
import shlex
import sys
from typing import List

from tools import course, goals
from tools.machine import fail


# What make and the shell may have set as well.
ALWAYS = {"CUDA_HOME", "CLANG", "NO_COLOR", "TERM", "SHELL"}
OF_PROGRAMS = re.compile("[A-Z]|alpha|beta|pad|seed|repeats|warmup|l2")


def goal_of(name: str) -> goals.Goal:
    """Return a goal by its name, or say what is wrong with it."""
    goal = goals.GOALS.get("build/" if name.startswith("build/") else name)
    if goal:
        return goal
    if any(name in chapter for chapter in course.chapters()):
        fail(f"make {name}: no goal; chapter={name} names a chapter")
    fail(f"make {name}: no such goal{course.meant(name, goals.GOALS)}; make help "
         "names them")


def refuse_unknown(names: list, line: list) -> None:
    """End if a variable means nothing to any goal of the line.

    It is a mistake, not a remark.
    """
    known = [name for goal in line for name in goal_of(goal).takes]
    for name in names:
        if name in known or name in ALWAYS or name.startswith("SIM_"):
            continue
        if OF_PROGRAMS.fullmatch(name):
            fail(f'{name}= is an option of the program: args="--{name} ..."')
        fail(f"make {' '.join(line)} takes no {name}=; it takes: "
             f"{' '.join(known) or 'nothing'}")


def words_of(text: str) -> List[str]:
    """Return the words of args=, which a shell's quotes hold together.

    No shell reads them: what would be another command there is refused.
    """
    try:
        signs = shlex.shlex(text, posix=True, punctuation_chars=";|&<>")
        signs.whitespace_split, signs.commenters = True, ""
        strange = [sign for sign in signs if sign and not sign.strip(";|&<>")]
        if not strange:
            return shlex.split(text)
    except ValueError:
        fail(f"args={text}: a quote is not closed")
    fail(f"args={text}: {strange[0]} is no word for the program; in quotes it is one")


def main() -> int:
    """Do what the first word says with the others."""
    name, *words = sys.argv[1:]
    # Without NAME=VALUE: there it would beat what becomes of it here.
    flags = os.environ.get("MAKEFLAGS", "").split(" -- ")[0]
    os.environ["MAKEFLAGS"] = flags
    if re.fullmatch("[a-zA-Z]*n[a-zA-Z]*", flags.split(" ")[0]):  # make -n
        print(f"python3 -m tools {name} {os.environ.get('args', '')}".rstrip())
        return 0
    goal = goal_of(name)
    typed = os.environ.pop("given", "").split()
    refuse_unknown(typed, os.environ.pop("goals", "").split() or [name])
    given = goals.Given()
    for variable in {*goal.takes, *typed}:
        if variable not in ALWAYS and not variable.startswith("SIM_"):
            given[variable] = os.environ.pop(variable, "")
    given.words = [name] * (goal.name == "build/") + words + words_of(given["args"])
    sys.argv[0] = goal.name
    return goal.run(given) or 0


if __name__ == "__main__":
    course.script(main)
