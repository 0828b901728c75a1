#!/usr/bin/env python3
"""Print what nvcc made of a chapter: resources, and the inner loop.

Usage: asm.py CHAPTER ARCH

Needs the variable nvcc; cuobjdump adds the machine code (SASS). The inner
loop is the one with the most multiply-adds among those that contain no other
loop. PTX still has names for everything; SASS is what runs.
"""

import os
import re
import signal
import subprocess
import sys
from typing import List, Tuple

FLAGS = ["-O3", "-std=c++17", "--default-stream", "per-thread", "-I", "common"]


def compile_to(chapter: str, arch: str, kind: str) -> Tuple[str, str]:
    """Compile to "ptx" or "cubin". Return its path and ptxas's remarks."""
    path = os.path.join("build", "gpu", f"{chapter}.{kind}")
    done = subprocess.run(
        [os.environ["nvcc"], *FLAGS, f"-arch={arch}", f"-{kind}", "-Xptxas",
         "-v", f"chapters/{chapter}/{chapter}.cu", "-o", path],
        stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return path, done.stderr


def resources(remarks: str) -> None:
    """Print registers, shared memory and spills of each kernel."""
    columns = {
        "registers": r"Used (\d+) registers",
        "shared B": r"(\d+) bytes smem",
        "spilled B": r"(\d+) bytes spill stores",
    }
    print(f"{'kernel':<40}" + "".join(f"{name:>12}" for name in columns))
    for part in remarks.split("Compiling entry function ")[1:]:
        row = f"{demangle(part.split(chr(39))[1]):<40}"
        for pattern in columns.values():
            match = re.search(pattern, part)
            row += f"{match.group(1) if match else 0:>12}"
        print(row)


def demangle(name: str) -> str:
    """Return gemm_kernel for _Z11gemm_kerneliii...; templates stay as is."""
    match = re.match(r"_Z(\d+)(\w+)", name)
    return match.group(2)[: int(match.group(1))] if match else name


def inner_loop(lines: List[str], starts: dict, jump, work) -> List[str]:
    """Return the lines of the innermost loop with the most work.

    starts maps a label to its line, jump(line) returns the label that a line
    jumps to or None, work(line) says whether it multiplies and adds.
    """
    loops = []
    for end, line in enumerate(lines):
        begin = starts.get(jump(line), end + 1)
        if begin <= end:
            loops.append((begin, end))
    inner = [(a, b) for a, b in loops
             if not any((a, b) != (c, d) and a <= c and d <= b
                        for c, d in loops)]
    best = max(inner, key=lambda loop: sum(
        map(work, lines[loop[0] : loop[1] + 1])), default=None)
    return lines[best[0] : best[1] + 1] if best else []


def ptx_loop(path: str) -> List[str]:
    """Return the inner loop of a PTX file."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip() for line in file if line.strip()
                 and not line.lstrip().startswith(("//", ".loc", ".pragma"))]
    starts = {match.group(1): i for i, line in enumerate(lines)
              for match in [re.match(r"(\$\w+):", line)] if match}

    def jump(line: str):
        match = re.search(r"\bbra(?:\.uni)?\s+(\$\w+)", line)
        return match.group(1) if match else None

    return inner_loop(lines, starts, jump, lambda line: "fma.rn" in line)


def sass_loop(cuobjdump: str, path: str) -> List[str]:
    """Return the inner loop of a cubin."""
    text = subprocess.run([cuobjdump, "-sass", path], stdout=subprocess.PIPE,
                          text=True).stdout
    pattern = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?;)")
    lines, starts = [], {}
    for line in text.splitlines():
        match = pattern.match(line)
        if match:
            starts[int(match.group(1), 16)] = len(lines)
            lines.append(f"{match.group(1)}  {match.group(2)}")

    def jump(line: str):
        match = re.search(r"\bBRA\S*\s.*?0x([0-9a-f]+)", line)
        return int(match.group(1), 16) if match else None

    return inner_loop(lines, starts, jump, lambda line: "FFMA" in line)


def main() -> int:
    """Print resources, PTX and SASS of the chapter of the command line."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # make asm | head
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    chapter, arch = sys.argv[1:]
    os.makedirs("build/gpu", exist_ok=True)
    cubin, remarks = compile_to(chapter, arch, "cubin")
    print(f"{chapter} for {arch}\n")
    resources(remarks)
    ptx, _ = compile_to(chapter, arch, "ptx")
    print(f"\ninner loop in PTX ({ptx}):")
    print("\n".join(ptx_loop(ptx)) or "no loop")
    cuobjdump = os.environ.get("cuobjdump")
    if not cuobjdump:
        print("\ncuobjdump is missing: no SASS")
        return 0
    print(f"\ninner loop in SASS ({cubin}):")
    print("\n".join(sass_loop(cuobjdump, cubin)) or "no loop")
    return 0


if __name__ == "__main__":
    sys.exit(main())
