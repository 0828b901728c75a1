"""What pages quote of runs: <!-- output KIND ... -->.

    sh COMMAND              what a command prints in the repository's root
    mutant CHAPTER/NAME [ARG...] [first=KIND] [show=A,B]
                            what the simulator finds first, or first of a kind,
                            in a wrong kernel of tests/changes; or the lines of
                            its run in which A or B stands
    file PATH [from=A] [to=B]
                            a file, from a line that begins with A to B's

What a run has printed is kept in build/quotes until a file changes that it may
have read; prose is none.
"""

import functools
import glob
import hashlib
import itertools
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from typing import Callable, Dict, List

from tools import course, edits, machine

ARCHIVE = "build/simulator/libcommon.a"


class Stale(Exception):
    """A marker that cannot be filled in."""


def shell(commands: str) -> List[str]:
    """Return what commands print.

    Every one of them must work; what ends with a finding stands in a pipe.
    Which thread is named in a finding must be no matter of luck: the simulator
    runs one block after the other. What a run says on a machine that has much
    else to do, how long it will take, is left out; so is the terminal's width.
    """
    done = subprocess.run(["sh", "-ec", commands], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "SIM_THREADS": "1", "COLUMNS": "80"})
    lines = [line for line in done.stdout.rstrip("\n").split("\n")
             if not line.startswith(("this takes about ", "building "))]
    failed = re.search(r"^make.*\*\*\* .*", done.stdout, re.M)  # also in a pipe
    if failed:
        raise Stale(failed.group(0))
    if done.returncode:
        raise Stale(f"status {done.returncode}: {lines[-1]}")
    if not done.stdout:
        raise Stale("its commands print nothing")
    return lines


def mutant(name: str, *words: str) -> List[str]:
    """Return what is shown of a wrong kernel's run."""
    chapter, _, wrong = name.partition("/")
    try:
        paths = sorted(glob.glob(f"{edits.FOLDER}/{chapter}*"))
        change = next(change for path in paths
                      for change in edits.entries(os.path.basename(path), "wrong")
                      if change.name == wrong)
        folder = f"chapters/{change.chapter}/"
        texts = edits.changed({path[len(folder):]: course.text_of(path) for path
                               in course.sources(change.chapter)}, change.edits)
    except (StopIteration, ValueError, edits.Unreadable) as error:
        raise Stale(f"no mutant {name}: {error}") from None
    if not course.build([ARCHIVE]):
        raise Stale(f"{ARCHIVE} cannot be built")
    options = dict(word.split("=") for word in words if "=" in word)
    args = " ".join(word for word in words if "=" not in word)
    switches = " ".join(word for word in words if word.startswith("SIM_"))
    # In a folder of its own: pages are renewed at the same time.
    with tempfile.TemporaryDirectory(prefix="fault_", dir="build") as folder:
        shutil.copytree(f"chapters/{change.chapter}", folder, dirs_exist_ok=True)
        for file, text in texts.items():
            course.write(f"{folder}/{file}", text)
        # With headers of its own: findings name them as they lie there.
        shutil.copytree("common", f"{folder}/common")
        # Whose whole path Python 3.12 gives, blanks and all.
        there = f"cd {shlex.quote(folder)}; "
        shell(there + "../../simulator/simcc -O0 -I common "
              f"{change.chapter}.cu ../../{ARCHIVE} -o run; echo built")
        output = shell(there + f"{switches} ./run {args} 2>&1 || true")
    if "show" in options:
        shown = [line for line in output
                 if any(text in line for text in options["show"].split(","))]
        if not shown:
            raise Stale(f"no line of its run has one of {options['show']}")
        return shown
    finding = re.compile(
        rf"\S+:\d+(:\d+)?: {options.get('first', '[a-z-]+')}: ")
    first = next((i for i, line in enumerate(output)
                  if finding.match(line)), -1)
    if first < 0:
        raise Stale("its run has no such finding")
    details = [line for line in itertools.takewhile(
                   lambda line: line.startswith(" "), output[first + 1:])
               if "allocated at" not in line]
    called = [line for line in details[2:] if "called from" in line
              and output[first].startswith("common/")]
    return [re.sub(r" \(x \d+\)$", "", line)
            for line in [output[first], *details[:2], *called]]


def file_lines(path: str, *words: str) -> List[str]:
    """Return a file, or a part of it; blanks before a line do not count."""
    lines = course.text_of(path).splitlines()
    for word in words:
        end, text = word.split("=")
        i = next((i for i, line in enumerate(lines)
                  if line.lstrip().startswith(text)), -1)
        if i < 0:
            raise Stale(f"no line of {path} begins with {text}")
        lines = lines[i:] if end == "from" else lines[:i + 1]
    return lines


KINDS: Dict[str, Callable[..., List[str]]] = {
    "sh": lambda *words: shell(" ".join(words)), "mutant": mutant,
    "file": file_lines}


@functools.lru_cache(None)
def state(chapter: str) -> str:
    """Return a hash of all that a mutant of a chapter may read, or any command."""
    total = hashlib.sha256(machine.clang().encode())
    of_all = ("Makefile", "docs/results", "tools", "solutions", "simulator/tests")
    for pattern in ("common", "simulator/[iprs]*", edits.FOLDER, __file__, edits.__file__,
                    f"chapters/{chapter}*", *of_all * (not chapter)):
        for path in sorted(glob.glob(pattern) + glob.glob(f"{pattern}/**", recursive=True)):
            if os.path.isfile(path) and not path.endswith(("README.md", ".pyc")):
                with open(path, "rb") as file:
                    total.update(path.encode() + hashlib.sha256(file.read()).digest())
    return total.hexdigest()


def lines(kind: str, *words: str) -> List[str]:
    """Return what a page quotes."""
    if kind not in KINDS:
        raise Stale(f"no such output; there are {', '.join(KINDS)}")
    if kind == "file":
        return file_lines(*words)
    of = state(words[0].partition("/")[0] if kind == "mutant" else "")
    key = hashlib.sha256(repr((kind, words, of)).encode()).hexdigest()[:16]
    kept = f"build/quotes/{key}"
    if not os.path.exists(kept):
        course.write(kept, "".join(f"{line}\n" for line in KINDS[kind](*words)))
    return course.text_of(kept).split("\n")[:-1]
