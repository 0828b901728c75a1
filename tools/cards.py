"""What runs on which GPU: by what nvcc makes of the chapters, and by their launches.

Usage: python3 -B -m tools.cards [--check]

Compiles every chapter for each kind of GPU below and writes docs/results/cards.csv: of
its kernels the most registers of a thread, the most that a block of a launch in
docs/results gets of them, by eights, and the most shared memory that is declared. No
line: there is no machine code for that GPU. --check compares instead, and ends with
`N passed, N failed`. The table of docs/commands.md and make doctor read the file.
"""

import csv
import functools
import math
import re
import subprocess
import sys
import tempfile
from typing import Dict, List, NamedTuple, Tuple

from tools import asm, course, machine

RESULTS, H200 = "docs/results/cards.csv", "docs/results/h200.jsonl"
HEAD = ["chapter", "arch", "registers", "registers_of_a_block", "shared_bytes"]


class Card(NamedTuple):
    """A kind of GPU. Limits: CUDA C++ Programming Guide, Technical Specifications."""

    arch: str
    names: str
    shared: int  # KiB that a block may ask for


CARDS = (Card("sm_75", "T4, RTX 20", 64), Card("sm_80", "A100", 163),
         Card("sm_86", "RTX 30, A10", 99), Card("sm_89", "RTX 40, L4", 99),
         Card("sm_90", "H100, H200", 227), Card("sm_100", "B200", 227),
         Card("sm_120", "RTX 50", 99))
REGISTERS = 65536  # of an SM, and the most that a block can have, on all of them
KIB = 1024
COLUMNS = ["compiled for", "GPUs", "most shared memory of a block",
           f"most registers of a block, of {REGISTERS:,}", "chapters that build and fit",
           "the others, and why"]


def launches(chapter: str) -> List[dict]:
    """Return what an H200 has recorded of a chapter's launches."""
    return [launch for record in course.read_lines(H200, word=f'"{chapter}"')
            for launch in record["launches"]]


def base(kernel: str) -> str:
    """Return a kernel's name without what its template got."""
    return kernel.partition("<")[0]


def compiled(chapter: str, arch: str) -> List[int]:
    """Return the three numbers of a line of the file."""
    source = f"chapters/{chapter}/{chapter}.cu"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [machine.nvcc(), "-O3", *machine.code_for(source, arch), "--default-stream",
             "per-thread", "-I", "common", "-Xptxas", "-v", "-cubin", "-o",
             f"{folder}/cubin", source], text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise course.Unusable(f"cards: {source} for {arch}: {done.stdout.strip()}")
    used = re.findall(r"entry function '(\w+)'(?:(?!entry function).)*?Used (\d+) registers",
                      done.stdout, re.S)
    threads = {base(launch["kernel"]): math.prod(launch["block"])
               for launch in sorted(launches(chapter), key=lambda one: math.prod(one["block"]))}
    # A kernel that no launch names may have the largest block; CUB knows its own.
    most = max(threads.values(), default=0)
    blocks = [threads.get(base(name), most * (not name.startswith("cub::"))) * -(-int(count) // 8)
              * 8 for name, (_, count) in zip(asm.demangled([name for name, _ in used]), used)]
    return [max((int(count) for _, count in used), default=0), max(blocks, default=0),
            max(map(int, re.findall(r"(\d+) bytes smem", done.stdout)), default=0)]


def jobs() -> List[Tuple[str, str]]:
    """Return the chapters, each with the GPUs for which there is machine code."""
    return [(chapter, card.arch) for chapter in course.chapters() for card in CARDS
            if any(card.arch in word for word in machine.code_for(
                f"chapters/{chapter}/{chapter}.cu", card.arch))]


@functools.lru_cache(maxsize=None)
def known() -> Dict[Tuple[str, str], List[int]]:
    """Return the file's lines by chapter and GPU."""
    rows = list(csv.reader(course.text_of(RESULTS).splitlines()))[1:]
    return {(chapter, arch): list(map(int, numbers)) for chapter, arch, *numbers in rows}


def needs(chapter: str, arch: str) -> Tuple[int, int]:
    """Return registers and bytes of shared memory of a chapter's largest block."""
    _, registers, shared = known()[chapter, arch]
    # Who asks the GPU how much there is takes what fits, or leaves a variant out.
    if not any("SharedMemoryPerBlockOptin" in course.text_of(path)
               for path in course.sources(chapter)):
        shared = max([shared, *(one["shared_bytes"] for one in launches(chapter))])
    return registers, shared


def refused(chapter: str, card: Card) -> str:
    """Return why a chapter does not run on a GPU; nothing where it does."""
    if (chapter, card.arch) not in known():
        words = machine.code_for(f"chapters/{chapter}/{chapter}.cu", card.arch)
        only = re.search(r"sm_(\d+)(\d)(a?)$", words[-1])
        return f"needs {only[1]}.{only[2]} " + ("alone" if only[3] else "or newer")
    registers, shared = needs(chapter, card.arch)
    if registers > REGISTERS:
        return f"a block has {registers:,} registers"
    return f"a block has {shared / KIB:.1f} KiB of shared memory" \
        if shared > card.shared * KIB else ""


def spans(names: List[str]) -> str:
    """Return chapters in few words: gemm_01 to gemm_13, conv."""
    order, runs = course.chapters(), []
    for name in names:
        if runs and order.index(name) == order.index(runs[-1][-1]) + 1:
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(" to ".join(dict.fromkeys(map(course.short, (run[0], run[-1]))))
                     for run in runs)


def row(card: Card) -> List[str]:
    """Return what the table says of a GPU."""
    why: Dict[str, List[str]] = {}
    for chapter in course.chapters():
        why.setdefault(refused(chapter, card), []).append(chapter)
    runs = why.pop("", [])
    most = [max(column, default=0) for column in zip(*(needs(name, card.arch) for name in runs))]
    registers, shared = most or (0, 0)
    return [card.arch, card.names, f"{shared / KIB:.0f} of {card.shared} KiB",
            f"{registers:,}", f"{len(runs)} of {len(course.chapters())}", "; ".join(
                f"{spans(names)}: {reason}" for reason, names in why.items()) or "-"]


def of_gpu(arch: str) -> str:
    """Return what the table says of the GPU here."""
    for card in CARDS:
        if card.arch == arch:
            *_, runs, others = row(card)
            return f"{runs} chapters" + f"; {others}" * (others != "-")
    return f"{arch} is not in the table of docs/commands.md"


def main(words: List[str]) -> int:
    """Write the file, or compare it."""
    if not machine.release() == "13.0":
        print("skip: cards needs nvcc 13.0\n0 passed, 0 failed, 1 skipped")
        return 0
    made = dict(zip(jobs(), course.together(2, lambda job: compiled(*job), jobs())))
    if words != ["--check"]:
        course.write(RESULTS, "".join(",".join(map(str, line)) + "\n" for line in [
            HEAD, *([*job, *numbers] for job, numbers in made.items())]))
        return 0
    tally = course.Tally()
    for job in sorted({*made, *known()}):
        tally.add(made.get(job) != known().get(job))
        if made.get(job) != known().get(job):
            print(f"{RESULTS}: {job}: {known().get(job)}, but nvcc makes {made.get(job)}")
    return tally.close()


if __name__ == "__main__":
    course.script(lambda: main(sys.argv[1:]))
