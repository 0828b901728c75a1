"""How fast the simulator is here, beside what it is meant to reach.

And what make itself costs. A bound that is missed is marked: on a machine with
other work that says nothing. Works in a copy of the tree, so that nothing is
taken from, or left in, build/.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Callable

import course
import machine

FIRST = "gemm_01_naive"
SMALL = ["--M", "8", "--N", "8", "--K", "8"]


def did(*command: str, **settings: str) -> str:
    """Return what a command prints; end with all it said if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, env={**os.environ, **settings})
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        sys.exit(1)
    return done.stdout


def milliseconds(work: Callable[[], object], times: int = 3) -> int:
    """Return the least wall-clock time of several."""
    took = []
    for _ in range(times):
        begin = time.monotonic()
        work()
        took.append(int((time.monotonic() - begin) * 1000))
    return min(took)


def row(what: str, number: int, least: int = 0, most: int = 0) -> None:
    """Print a measurement and its bound."""
    bound = f"at least {least}" if least else f"at most {most}" if most else ""
    missed = number < least or (most and number > most)
    print(f"{what:<52} {number:>10}  {'MISSED: ' * bool(missed)}{bound}",
          flush=True)


def edit() -> None:
    """Change the first chapter's source and build it."""
    with open(f"chapters/{FIRST}/{FIRST}.cu", "a", encoding="utf-8") as file:
        file.write("\n")
    did("make", f"build/simulator/{FIRST}")


def measure() -> None:
    """Print all rows; the working directory is the copy."""
    simcc = [sys.executable, "-B", "simulator/simcc", "-O2"]
    did(*simcc, "tests/bench/accesses.cu", "-o", "accesses")
    for kind, least in (("global", 100), ("shared", 50)):
        what = "M lane accesses/s, {}, " + kind + " memory"
        row(what.format("one core"), least=least,
            number=int(did("./accesses", kind, SIM_THREADS="1")) // 10 ** 6)
        row(what.format(f"{os.cpu_count()} cores"),
            int(did("./accesses", kind)) // 10 ** 6)

    run = ["make", f"chapter={FIRST}", "run", "args=" + " ".join(SMALL)]
    program = f"build/simulator/{FIRST}"
    row("first build with the runtime, and a run (ms)",
        milliseconds(lambda: did(*run), 1))
    row("rebuild after one edit (ms)", milliseconds(edit), most=2000)
    alone = milliseconds(lambda: did(program, *SMALL))
    row("what make adds to a run with nothing to build (ms)",
        milliseconds(lambda: did(*run)) - alone, most=500)
    for name in course.chapters():
        program = f"build/simulator/{name}"
        did("make", program)
        row(f"{name} at its default size (ms)",
            milliseconds(lambda: did(program)), most=1000)


def main() -> int:
    """Say what machine this is; measure in a copy."""
    machine.need_simulator()
    model = re.search(r"^model name\s*: (.*)",
                      course.text_of("/proc/cpuinfo"), re.M)
    print(f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores,"
          f" {platform.system()} {platform.machine()}")
    print(f"clang {machine.clang() or 'is not here'}")
    course.forget_make()
    os.environ["on"] = "simulator"
    with tempfile.TemporaryDirectory() as copy:
        shutil.copy("Makefile", copy)
        for name in ("common", "simulator", "tools", "chapters", "tests"):
            shutil.copytree(name, os.path.join(copy, name))
        os.chdir(copy)
        measure()
        os.chdir("/")
    return 0


if __name__ == "__main__":
    course.script(main)
