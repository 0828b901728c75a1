#!/usr/bin/env python3
"""What the hardware says of each rung: profile and machine code, as data.

Usage: series.py FILE CHAPTER...

Needs a GPU, ncu and cuobjdump. Runs each chapter at M = N = K = 4096 under
Nsight Compute, takes the first launch of its kernel, and counts the
instructions of its busiest loop in the machine code. One line of JSON per
chapter: {"chapter", "size", "device", "toolkit", "profile"{}, "loop"{}}; the
names in profile{} are those of PROFILE below, those in loop{} are kinds of
instructions. `make results` calls it; lessons.py makes the table.

Exit status: 0, or 1 if a tool failed.
"""

import csv
import json
import os
import re
import subprocess
import sys
from typing import Dict, List, Tuple

SIZE = "4096"

# Short name: metric of Nsight Compute.
PROFILE = {
    "ms": "gpu__time_duration.sum",
    "fma_pipe_percent":
        "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "issue_slots_percent": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "warps_resident_percent":
        "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "shared_load_wavefronts":
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "dram_bytes_read": "dram__bytes_read.sum",
}


def run(command: List[str]) -> str:
    """Return what a command prints; end with 1 if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.stderr.write(done.stderr or done.stdout)
        sys.exit(f"series: {command[0]} failed")
    return done.stdout


def profile(chapter: str) -> Dict[str, float]:
    """Return PROFILE's values of one launch; ms in milliseconds."""
    text = run(["ncu", "--clock-control", "none", "--metrics",
                ",".join(PROFILE.values()), "--kernel-name", "gemm_kernel",
                "--launch-count", "1", "--csv", "--page", "raw",
                "--print-units", "base", os.path.join("build/gpu", chapter),
                "--M", SIZE, "--N", SIZE, "--K", SIZE,
                "--warmup", "0", "--repeats", "1"])
    rows = list(csv.reader(text[text.index('"ID"'):].splitlines()))
    launch = dict(zip(rows[0], rows[2]))
    values = {}
    for name, metric in PROFILE.items():
        text = launch.get(metric, "").replace(",", "")
        values[name] = float(text) if text not in ("", "n/a") else None
    values["ms"] /= 1e6  # the base unit is ns
    return values


def kind(opcode: str) -> str:
    """Return the row of the table that an instruction belongs to."""
    name = opcode.split(".")[0]
    if name == "LDS":
        width = re.search(r"\.(64|128)", opcode)
        return f"LDS.{width.group(1) if width else 32}"
    if name in ("FFMA", "LDG", "STS", "BAR"):
        return name
    integer = ("I", "LEA", "LOP", "SHF", "MOV", "UI", "ULEA", "USHF", "UMOV",
               "SEL", "VI")
    return "integer" if name.startswith(integer) else "other"


def instructions(chapter: str) -> List[Tuple[int, str, str]]:
    """Return (address, opcode, operands) of gemm_kernel's machine code."""
    text = run(["cuobjdump", "-sass", os.path.join("build/gpu", chapter)])
    functions = re.split(r"Function : ", text)[1:]
    body = next(f for f in functions if "gemm_kernel" in f.split("\n")[0])
    found = re.findall(
        r"/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+ )?\s*([A-Z][\w.]*)([^;]*);", body)
    return [(int(a, 16), opcode, rest) for a, opcode, rest in found]


def loop(chapter: str) -> Dict[str, int]:
    """Count the instructions of the innermost loop with the most FFMA.

    A loop is what lies between the target of a backward branch and the
    branch. Unrolled code counts as often as it stands there.
    """
    code = instructions(chapter)
    best: Dict[str, int] = {}
    loops = []
    for address, opcode, rest in code:
        target = re.search(r"0x([0-9a-f]+)", rest)
        if opcode.startswith("BRA") and target:
            start = int(target.group(1), 16)
            if start < address:
                loops.append((start, address))
    for start, end in loops:
        inner = any(start <= s and e <= end and (s, e) != (start, end)
                    for s, e in loops)
        if inner:
            continue
        counted: Dict[str, int] = {}
        for address, opcode, _ in code:
            if start <= address <= end:
                name = kind(opcode)
                counted[name] = counted.get(name, 0) + 1
        if counted.get("FFMA", 0) > best.get("FFMA", 0):
            best = counted
    return best


def main() -> int:
    """Write one line per chapter."""
    if len(sys.argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    device = run(["nvidia-smi", "--query-gpu=name",
                  "--format=csv,noheader"]).splitlines()[0]
    release = re.search(r"release ([\d.]+)", run(["nvcc", "--version"]))
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        for chapter in sys.argv[2:]:
            file.write(json.dumps({
                "chapter": chapter, "size": int(SIZE), "device": device,
                "toolkit": release.group(1), "profile": profile(chapter),
                "loop": loop(chapter)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
