"""What the Makefile calls: python3 tools GOAL [WORD...].

The variables that were typed are in the environment, their names in given; the
goals of the whole line are in goals.
"""

import os
import re
import sys

import course

sys.path.append(os.path.join(os.path.dirname(__file__), "author"))

import goals  # noqa: E402
import machine  # noqa: E402

# What make and the shell may have set as well.
ALWAYS = {"CUDA_HOME", "CLANG", "NO_COLOR", "TERM", "SHELL"}
OF_PROGRAMS = re.compile("[A-Z]|alpha|beta|pad|seed|repeats|warmup|l2")


def takes(name: str) -> list:
    """Return the variables that mean something to a goal."""
    one = goals.GOALS.get("build" if name.startswith("build/") else name)
    return one.takes if one else []


def refuse_unknown(line: list) -> None:
    """End if a variable means nothing to any goal of the line.

    It is a mistake, not a remark.
    """
    known = [name for goal in line for name in takes(goal)]
    for name in machine.given("given").split():
        if name in known or name in ALWAYS or name.startswith("SIM_"):
            continue
        if OF_PROGRAMS.fullmatch(name):
            machine.fail(f'{name}= is an option of the program: '
                         f'args="--{name} ..."')
        machine.fail(f"make {' '.join(line)} takes no {name}=; it takes: "
                     f"{' '.join(known) or 'nothing'}")


def main() -> int:
    """Do what the first word says with the others."""
    name, *words = sys.argv[1:]
    flags = machine.given("MAKEFLAGS").split(" ")[0]
    if re.fullmatch("[a-zA-Z]*n[a-zA-Z]*", flags):  # make -n
        print(f"python3 tools {name} {' '.join(words)}".rstrip())
        return 0
    line = machine.given("goals").split() or [name]
    for one in (name, *line):
        if one not in goals.GOALS and not one.startswith("build/"):
            machine.fail(goals.near(one))
    refuse_unknown(line)
    os.environ.pop("given", None)
    if name.startswith("build/"):
        name, words = "build", [name, *words]
    goals.GOALS[name].run(words)
    return 0


if __name__ == "__main__":
    course.script(main)
