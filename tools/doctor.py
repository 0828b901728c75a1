"""What this machine has, what a missing piece would add; what a chapter lacks."""

import glob
import os
import re
import shutil
import sys
from typing import List, Tuple

from tools import cards, course, machine
from tools.author import new

Piece = Tuple[str, str, str]  # its name, what was found, its use


def simulator() -> List[Piece]:
    """Return what the simulator works with."""
    return [
        ("compiler", machine.cc(),
         "the simulator and the host side of every chapter"),
        ("clang >= 14", machine.clang(),
         "counters and findings; without it plain mode, results only"),
        ("python3", sys.executable, "every goal but setup"),
        ("gdb", shutil.which("gdb") or "", "make debug")]


def gpu() -> List[Piece]:
    """Return what programs on a GPU are built, run and looked at with."""
    name, arch = machine.gpu()
    driver = machine.answer(machine.smi(), "--query-gpu=driver_version",
                            "--format=csv,noheader") if name else ""
    nvcc = machine.nvcc()
    folders = [nvcc[:-len("bin/nvcc")] + "lib64"] * bool(nvcc) + \
        glob.glob("/usr/lib/*-linux-gnu")
    cublas = [f"{folder}/libcublas.so" for folder in folders]
    pieces = [
        ("GPU", f"{name} ({arch})" * bool(name),
         "times, and the comparison with cuBLAS"),
        ("driver", driver.split("\n")[0], "programs on the GPU"),
        ("nvcc", f"{nvcc}, CUDA {machine.release() or '?'}" * bool(nvcc),
         "programs for the GPU; what nvcc made of a kernel: make asm"),
        ("cuBLAS", next(filter(os.path.exists, cublas), ""),
         "what every gemm chapter is compared with"),
        *((tool, machine.cuda_tool(tool), use) for tool, use in (
            ("cuda-gdb", "make debug on=gpu"),
            ("compute-sanitizer", "make sanitize on=gpu"),
            ("cuobjdump", "make asm: the machine code"),
            ("ncu", "make profile on=gpu: the hardware's own counters")))]
    if machine.cuda_tool("ncu") and name:
        roots = "RmProfilingAdminOnly: 1" in course.text_of(
            "/proc/driver/nvidia/params") and os.getuid() != 0
        pieces.append(("ncu's permission", "counters may be read" * (not roots),
                       "counters are root's: see make profile on=gpu"))
    return pieces


def report() -> None:
    """Print all pieces, and how many are missing."""
    missing = []
    for title, pieces in (("simulator", simulator()), ("GPU", gpu())):
        print(title)
        for name, place, use in pieces:
            print(f"{name:<18} {place or 'missing: ' + use}")
        missing.append(sum(not place for _, place, _ in pieces))
    if machine.gpu().arch:
        print(f"{'what runs on it':<18} {cards.of_gpu(machine.gpu().arch)}")
    print(f"\n{machine.back_end('')[1]} runs a chapter here;")
    print("missing pieces: {} of the simulator, {} of a GPU".format(*missing))


def lacking(chapter: str) -> List[str]:
    """Return what a complete chapter has and this one has not, where it goes."""
    folder, changes = f"chapters/{chapter}", f"tests/changes/{chapter}"
    text = course.text_of
    page, checks = text(f"{folder}/README.md"), text(f"{folder}/checks")
    there = {
        f"{folder}/{chapter}.cu: its head comment, @brief first":
            new.UNSAID not in text(f"{folder}/{chapter}.cu"),
        **{f"{folder}/checks: [{name}]": f"[{name}]" in checks
           for name in ("sizes", "predict")},
        f"{folder}/README.md: text under each heading":
            page and not re.search(r"(?m)^## .*\n+(?=## |\Z)", page),
        f"{folder}/README.md: two pictures, of pictures/draw.py":
            page.count(".svg)") > 1 and text(f"{folder}/pictures/draw.py"),
        f"{folder}/exercise.md and solutions/{chapter}.cu: an exercise":
            text(f"{folder}/exercise.md") and text(f"solutions/{chapter}.cu"),
        f"{changes}: mutants that no rule makes; three wrong answers (asks)":
            len(re.findall("(?m)^asks ", text(changes))) > 2,
        "README.md: its row (make lessons)": f"[{chapter}]" in text("README.md"),
        "docs/exam.md and solutions/exam.md: a question, its answer":
            all(f"\n## {chapter}\n" in text(f"{place}/exam.md")
                for place in ("docs", "solutions")),
        "docs/teaching.md: its row":
            f"\n| {course.short(chapter)}" in text("docs/teaching.md")}
    return [what for what, done in there.items() if not done]


def report_chapter(chapter: str) -> None:
    """Print what a chapter lacks."""
    lacks = lacking(chapter)
    print("\n".join([f"{chapter} lacks {len(lacks)} things of a complete chapter:", *(
        f"  {what}" for what in lacks)]) if lacks else f"{chapter} has every part")
