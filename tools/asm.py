#!/usr/bin/env python3
"""Print what nvcc made of a chapter: registers, and the hot loop.

Usage: asm.py CHAPTER ARCH                                         (make asm)

Registers, shared memory and spills of each kernel; then the instructions of
its hot loop, the innermost one with the most multiply-adds, and what they ask
of the register banks (sass.py says what that is); then how wide the kernel's
loads and stores of global memory are. v=1 lists the loop, too: in machine code
(SASS), which is what runs, with the text of cuobjdump where that is installed;
and in PTX, which still has a name for everything.

Environment: nvcc; cuobjdump, variant (one variant's kernels), v. Exit status:
0, or 2 if there is nothing to show.
"""

import os
import re
import subprocess
import sys
from typing import Dict, List

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import course  # noqa: E402
import sass  # noqa: E402

# What ptxas says of a kernel, and the column that it becomes.
COLUMNS = {
    "registers": r"Used (\d+) registers",
    "shared bytes": r"(\d+) bytes smem",
    "spilled bytes": r"(\d+) bytes spill stores",
}


def demangle(name: str) -> str:
    """Return scan<8> for _Z4scanILi8EEvPf, for names outside of namespaces."""
    match = re.match(r"_ZL?(\d+)", name)
    if not match:
        return name
    end = match.end() + int(match.group(1))
    values = re.match(r"I((?:L[a-z]n?\d+E)+)E", name[end:])
    if not values:
        return name[match.end() : end]
    numbers = [number.replace("n", "-") for number in
               re.findall(r"L[a-z](n?\d+)E", values.group(1))]
    return f"{name[match.end() : end]}<{', '.join(numbers)}>"


def wanted(chapter: str, only: str) -> Dict[str, str]:
    """Return the kernels to show, in reading order, each with its variant.

    A variant is what the name of a .cuh says behind its number.
    """
    result: Dict[str, str] = {}
    for path in course.sources(chapter):
        match = re.fullmatch(r"\d+_(\w+)\.cuh", os.path.basename(path))
        variant = match.group(1) if match else ""
        if only in ("", variant):
            for name in course.kernels([path]):
                result.setdefault(name, variant)
    return result


# ---- printing ---------------------------------------------------------------


def resources(labels: Dict[str, str], remarks: str) -> List[str]:
    """Return the table of registers, shared memory and spills.

    labels are the names of the kernels, here by what the linker calls them.
    """
    said = {part.split("'")[1]: part for part in
            remarks.split("Compiling entry function ")[1:]}
    width = max(map(len, [*labels.values(), "kernel"])) + 2
    lines = [f"{'kernel':<{width}}" + "".join(f"{c:>15}" for c in COLUMNS)]
    for name, label in labels.items():
        found = [re.search(pattern, said.get(name, ""))
                 for pattern in COLUMNS.values()]
        lines.append(f"{label:<{width}}" + "".join(
            f"{match.group(1) if match else 0:>15}" for match in found))
    return lines


def unpadded(code: List[sass.Instruction]) -> List[sass.Instruction]:
    """Return the code of a kernel without what fills its end."""
    end = len(code)
    while end and (code[end - 1].name == "NOP"
                   or code[end - 1].target == code[end - 1].address):
        end -= 1
    return code[:end]


def others(code: List[sass.Instruction]) -> str:
    """Return the names of the instructions that are counted as other."""
    names: Dict[str, int] = {}
    for instruction in code:
        if instruction.kind == "other":
            names[instruction.name] = names.get(instruction.name, 0) + 1
    return ", ".join(f"{count} {name}" for name, count in names.items())


# The rows of a table of instructions, in this order.
KINDS = ("FFMA", "HMMA", "LDS", "LDSM", "LDG", "LDGSTS", "STS", "STG", "BAR",
         "integer", "other")


def mix_table(code: List[sass.Instruction]) -> List[str]:
    """Return how many instructions of each kind there are."""
    kinds = sass.mix(code)
    rows = sorted(kinds, key=lambda kind: (KINDS.index(kind.split(".")[0]),
                                           kind))
    remarks = {"integer": "addresses, counters, guards", "other": others(code)}
    return [f"  {kind:<10}{kinds[kind]:>6}"
            f"{100 * kinds[kind] / len(code):>7.1f} %"
            f"  {remarks.get(kind, '')}".rstrip() for kind in rows]


def accesses(code: List[sass.Instruction]) -> str:
    """Return the loads and stores of global memory, with their bits."""
    names = [f"{i.name}.{8 * i.bytes}" for i in code
             if i.name in ("LDG", "STG")]
    return ", ".join(f"{names.count(name)} {name}" for name in
                     dict.fromkeys(sorted(names)))


def operands(code: List[sass.Instruction]) -> List[str]:
    """Return where the operands of the FFMA come from, and what it costs."""
    ffma = sass.mix(code).get("FFMA", 0)
    if not ffma:
        return []
    lines = []
    shared = sass.shared_bytes(code)
    if shared:
        lines.append(f"  {ffma / shared:.2f} FFMA for each byte that a thread "
                     "loads from shared memory")
    conflicts = len(sass.bank_conflicts(code))
    lines.append(f"  register-bank conflicts: {conflicts} of {ffma} FFMA, "
                 f"{100 * conflicts / ffma:.1f} %")
    if code[0].sm == 90:
        cycles = sass.bank_cycles(code)
        lines.append(f"  cycles that issue and register banks need: {cycles}, "
                     f"so FFMA at most {100 * ffma / cycles:.0f} % of peak")
    return lines


def disassembly(cuobjdump: str, path: str) -> Dict[str, Dict[int, str]]:
    """Return what cuobjdump writes: by kernel and address."""
    if not cuobjdump:
        return {}
    text = subprocess.run([cuobjdump, "-sass", path], stdout=subprocess.PIPE,
                          text=True).stdout
    result = {}
    for part in text.split("Function : ")[1:]:
        result[part.split("\n")[0].strip()] = {
            int(address, 16): line for address, line in re.findall(
                r"(?m)^\s*/\*([0-9a-f]{4,})\*/\s+(.*?) *;", part)}
    return result


def listing(code: List[sass.Instruction], text: Dict[int, str]) -> List[str]:
    """Return the loop, one instruction a line, with the cycles after it."""
    conflicts = {i.address for i in sass.bank_conflicts(code)}
    return [f"  {i.address:04x} {i.bits(105, 4):>3}  "
            f"{text.get(i.address, str(i))}"
            + "  <- register-bank conflict" * (i.address in conflicts)
            for i in code]


def ptx_loop(lines: List[str]) -> List[str]:
    """Return the hot loop of a kernel in PTX."""
    starts = {match.group(1): i for i, line in enumerate(lines)
              for match in [re.match(r"(\$\w+):", line)] if match}
    jumps = [(i, starts[match.group(1)]) for i, line in enumerate(lines)
             for match in [re.search(r"\bbra(?:\.uni)?\s+(\$\w+)", line)]
             if match and match.group(1) in starts]
    return max((lines[first : last + 1]
                for first, last in sass.innermost(jumps)), default=[],
               key=lambda loop: (sum("fma.rn" in line for line in loop),
                                 len(loop)))


def ptx_kernels(text: str) -> Dict[str, List[str]]:
    """Return the lines of each kernel of a PTX file, without remarks."""
    result = {}
    for part in re.split(r"\.entry\s+", text)[1:]:
        result[re.match(r"\w*", part).group()] = [
            line.rstrip() for line in part.splitlines() if line.strip()
            and not line.lstrip().startswith(("//", ".loc", ".pragma"))]
    return result


def chosen(path: str, names: Dict[str, str]) -> Dict[str, sass.Kernel]:
    """Return the kernels of these names, in that order, by their labels."""
    found = []
    for kernel in sass.read(path):
        name = demangle(kernel.name)
        base = name.split("<")[0]
        if base in names:
            variant = f" ({names[base]})" if names[base] else ""
            found.append((list(names).index(base), name + variant, kernel))
    return {label: kernel for _, label, kernel in
            sorted(found, key=lambda one: one[:2])}


def listings(chapter: str, kernels: Dict[str, sass.Kernel]) -> List[str]:
    """Return the hot loops, in machine code and in PTX."""
    path = f"build/gpu/{chapter}"
    with open(f"{path}.ptx", encoding="utf-8") as file:
        ptx = ptx_kernels(file.read())
    text = disassembly(os.environ.get("cuobjdump", ""), f"{path}.cubin")
    lines = []
    for label, kernel in kernels.items():
        loop = sass.hot_loop(kernel.code)
        lines += ["", f"{label} in machine code: address, cycles to the next, "
                      "instruction",
                  *(listing(loop, text.get(kernel.name, {})) or ["  no loop"]),
                  "", f"{label} in PTX ({path}.ptx):",
                  *(ptx_loop(ptx.get(kernel.name, [])) or ["  no loop"])]
    return lines


def report(chapter: str, arch: str) -> List[str]:
    """Return all lines to print."""
    path = f"build/gpu/{chapter}.cubin"
    variant = os.environ.get("variant", "")
    with open(f"{path}.txt", encoding="utf-8") as file:
        remarks = file.read()
    kernels = chosen(path, wanted(chapter, variant))
    if not kernels:
        raise ValueError(f"{chapter} has no kernel"
                         + f" of a variant {variant}" * bool(variant))
    lines = [f"{chapter} for {arch}{os.environ.get('note', '')}", ""]
    lines += resources({kernel.name: label for label, kernel in
                        kernels.items()}, remarks)
    for label, kernel in kernels.items():
        loop = sass.hot_loop(kernel.code)
        code = loop or unpadded(kernel.code)
        where = (f"the hot loop, 0x{loop[0].address:x} to "
                 f"0x{loop[-1].address:x}" if loop else "no loop, all of it")
        lines += ["", f"{label}: {where}: {len(code)} instructions",
                  *mix_table(code), *operands(code)]
        everywhere = accesses(unpadded(kernel.code))
        lines += [f"  the whole kernel: {everywhere}"] * bool(everywhere)
    if os.environ.get("v") == "1":
        return lines + listings(chapter, kernels)
    return lines + ["", "v=1 lists the loop in machine code and in PTX"]


def main() -> int:
    """Print what nvcc made of the chapter of the command line."""
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    chapter, arch = sys.argv[1:]
    os.environ["arch"] = arch
    if not course.build([f"build/gpu/{chapter}.cubin"]):
        return 2
    try:
        lines = report(chapter, arch)
    except ValueError as error:
        print(f"asm: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    course.script(main)
