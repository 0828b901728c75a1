"""What pages quote of runs: <!-- output NAME ... -->.

A name is one of COMMANDS, whose lines sh runs in the repository's root, or

    mutant CHAPTER/NAME [ARG...] [first=KIND] [show=A,B]
                            what the simulator finds first, or first of a kind,
                            in a wrong kernel of tests/mutants; or the lines of
                            its run in which A or B stands
    file PATH [from=A] [to=B]
                            a file, from a line that begins with A to B's
"""

import atexit
import functools
import importlib.machinery
import importlib.util
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Dict, List

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import course  # noqa: E402
import machine  # noqa: E402

ARCHIVE = "build/simulator/libcommon.a"


class Stale(Exception):
    """A marker that cannot be filled in."""


PROFILE = "make -s chapter={} profile on=simulator args='{}' | "
CUBES = "--M 256 --N 256 --K 256"
COMMANDS = {
    "vector_add": "make -s chapter=vector_add run on=simulator | tail -n 1",
    "gemm_01_profile": PROFILE.format("gemm_01", CUBES) + "sed -n '4,6p'",
    "gemm_01_report":
        PROFILE.format("gemm_01", CUBES)
        + "sed '/^on=/d; /^building/d; /^0: /,/[^,]$/d; /^sectors, ideal/,$d'",
    "gemm_02_ragged": "".join(
        f"echo 'N = {n}'\n"
        + PROFILE.format("gemm_02", f"--M 32 --N {n} --K 256")
        + "grep load_sectors_per\n" for n in (1000, 1004)),
    "gemm_03_l1": "".join(
        PROFILE.format(chapter, CUBES) + "grep '^L1:'\n"
        for chapter in ("gemm_02", "gemm_03")),
    "gemm_06_passes": PROFILE.format("gemm_06", CUBES)
        + r"grep 'array.*passes\| shared \(load\|store\) '",
    "bank_profile":
        PROFILE.format("bank variant=tile", "--rows 512 --cols 512")
        + "sed -n '/^ line/,/^$/p; /^shared_load/p'",
    "bugs_found": "cd simulator/tests/findings\n" + "".join(
        f"../../simcc wrong_real_{name}.cu -o ../../../build/finding\n"
        "(../../../build/finding 2>&1 || true) | sed -n '/: [a-z-]*: /p'\n"
        for name in ("softmax_sum", "row_guard", "flag_place", "partial_sums")),
}


def shell(commands: str) -> List[str]:
    """Return what commands print.

    Every one of them must work; what ends with a finding stands in a pipe.
    Which thread is named in a finding must be no matter of luck: the simulator
    runs one block after the other. What a run says on a machine that has much
    else to do, how long it will take, is left out.
    """
    done = subprocess.run(["sh", "-ec", commands], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "SIM_THREADS": "1"})
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


@functools.lru_cache(maxsize=None)
def archive() -> None:
    """Build what the chapters link."""
    if not course.build([ARCHIVE]):
        raise Stale(f"{ARCHIVE} cannot be built")


def built(chapter: str, texts: Dict[str, str]) -> str:
    """Build a chapter with other texts of its files, as ./run in a folder of
    its own, which is returned: pages are renewed at the same time."""
    archive()
    folder = tempfile.mkdtemp(prefix="fault_", dir="build")
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(f"chapters/{chapter}", folder, dirs_exist_ok=True)
    for name, text in texts.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            out.write(text)
    png = "-Wl,--as-needed -lpng" * bool(machine.png())  # for the archive
    shell(f"cd {folder}; ../../simulator/simcc -I ../../common {chapter}.cu "
          f"../../{ARCHIVE} {png} -o run; echo built")
    return folder


def mutant(name: str, *words: str) -> List[str]:
    """Return what is shown of a wrong kernel's run."""
    loader = importlib.machinery.SourceFileLoader("mutants",
                                                  "tests/mutants/run")
    spec = importlib.util.spec_from_loader("mutants", loader)
    assert spec
    mutants = importlib.util.module_from_spec(spec)
    loader.exec_module(mutants)
    try:
        one = next(one for one in mutants.choose([name])
                   if one.name == name.partition("/")[2])
        folder = built(one.chapter, mutants.changed(one))
    except (mutants.Stale, StopIteration) as error:
        raise Stale(f"no mutant {name}: {error}") from None
    options = dict(word.split("=") for word in words if "=" in word)
    args = " ".join(word for word in words if "=" not in word)
    said = shell(f"cd {folder}; ./run {args} 2>&1 || true")
    if "show" in options:
        return [line for line in said
                if any(text in line for text in options["show"].split(","))]
    finding = re.compile(
        rf"\S+:\d+(:\d+)?: {options.get('first', '[a-z-]+')}: ")
    first = next((i for i, line in enumerate(said) if finding.match(line)), -1)
    if first < 0:
        raise Stale("its run has no such finding")
    details = [line for line in itertools.takewhile(
                   lambda line: line.startswith(" "), said[first + 1:])
               if "allocated at" not in line]
    return [re.sub(r" \(x \d+\)$", "", line)
            for line in [said[first], *details[:2]]]


def file_lines(path: str, *words: str) -> List[str]:
    """Return a file, or a part of it; blanks before a line do not count."""
    with open(path, encoding="utf-8") as file:
        found = file.read().splitlines()
    for word in words:
        end, text = word.split("=")
        i = next(i for i, line in enumerate(found)
                 if line.lstrip().startswith(text))
        found = found[i:] if end == "from" else found[:i + 1]
    return found


def lines(name: str, *words: str) -> List[str]:
    """Return what a page quotes by a name."""
    if name in COMMANDS:
        return shell(COMMANDS[name])
    if name in ("mutant", "file"):
        return {"mutant": mutant, "file": file_lines}[name](*words)
    raise Stale("no such output")
