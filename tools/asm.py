"""Print what nvcc made of a chapter: registers, and the hot loop.

Registers, shared memory and spills of each kernel; then the instructions of
its hot loop, the innermost one with the most multiply-adds, and what they ask
of the register banks; then how wide the kernel's loads and stores of global
memory are. v=1 lists the loop, too: in machine code (SASS), which is what runs,
and in PTX. The machine code is read by cuobjdump.
"""

import os
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

import course
import machine

# What ptxas says of a kernel, and the column that it becomes.
COLUMNS = {
    "registers": r"Used (\d+) registers",
    "shared bytes": r"(\d+) bytes smem",
    "spilled bytes": r"(\d+) bytes spill stores",
}

# ---- machine code -----------------------------------------------------------

# Arithmetic on addresses, counters and guards.
INTEGER = re.compile(r"U?(I(ABS|ADD|MAD|MNMX|SETP)|LEA|LOP3|SHF|MOV|SEL|PRMT"
                     r"|SGXT)|VI")
NO_REGISTER = 255


class Instruction(NamedTuple):
    """One instruction, as cuobjdump writes it: @P0 LDG.E.128 R4, [R2+0x10]"""

    address: int
    text: str
    stall: int  # cycles until the warp may issue its next one

    def __str__(self) -> str:
        return self.text

    @property
    def words(self) -> List[str]:
        """The operation with what follows its dots, then the operands."""
        name, _, operands = re.sub(r"^@\S+ +", "", self.text).partition(" ")
        return [name, *filter(None, map(str.strip, operands.split(",")))]

    @property
    def name(self) -> str:
        """The operation."""
        return self.words[0].split(".")[0]

    @property
    def bytes(self) -> int:
        """What a load or store moves for each lane."""
        size = re.search(r"\.[US]?(8|16|64|128)\b", self.words[0])
        return int(size[1]) // 8 if size else 4

    @property
    def target(self) -> Optional[int]:
        """The address that a branch goes to."""
        place = re.search(r"0x[0-9a-f]+", self.text)
        return int(place[0], 16) if self.name == "BRA" and place else None

    def operands(self) -> List[str]:
        """Return what stands at the three places of sources."""
        sources = [word for word in self.words[2:]
                   if not re.match(r"!?U?P(T|\d)", word)]
        return ([""] * (self.name == "MOV") + sources + [""] * 3)[:3]

    @property
    def sources(self) -> List[int]:
        """The registers of the three sources; NO_REGISTER: none is read."""
        found = [re.match(r"[-|~\[]*R(\d+)", word) for word in self.operands()]
        return [int(one[1]) if one else NO_REGISTER for one in found]

    @property
    def reuse(self) -> List[bool]:
        """Which sources the reuse cache keeps."""
        return [".reuse" in word for word in self.operands()]


class Kernel(NamedTuple):
    """The machine code of one kernel; name as the linker knows it."""

    name: str
    code: List[Instruction]


def read(path: str) -> List[Kernel]:
    """Return the kernels of a cubin."""
    text = machine.answer(machine.cuda_tool("cuobjdump"), "-sass", path)
    return [Kernel(part.split("\n")[0].strip(), [
        # The cycles stand in the second half of the word.
        Instruction(int(at, 16), line, int(high, 16) >> 41 & 15)
        for at, line, high in re.findall(
            r"/\*([0-9a-f]{4,})\*/\s+(.*?) *;\s+/\* 0x\w+ \*/"
            r"\s+/\* 0x(\w+) \*/", part)])
        for part in text.split("Function : ")[1:]]


def innermost(jumps: Iterable[Tuple[int, int]]) -> List[Tuple[int, int]]:
    """Return (first, last) of the loops that contain no other loop.

    jumps are pairs (from, to). A loop is all from the target of a jump back
    to the last jump there.
    """
    last: Dict[int, int] = {}
    for source, target in jumps:
        if target < source:
            last[target] = max(source, last.get(target, 0))
    loops = list(last.items())
    return [(a, b) for a, b in loops
            if not any((a, b) != (c, d) and a <= c and d <= b
                       for c, d in loops)]


def hot_loop(code: List[Instruction]) -> List[Instruction]:
    """Return the loop with the most multiply-adds; [] if there is no loop.

    It is an innermost one of those that have multiply-adds, if any has. Of
    equals the longest. Unrolled code counts as often as it stands there.
    """
    busy = [i.address for i in code if i.name in ("FFMA", "HMMA")]
    jumps = [(i.address, i.target) for i in code if i.target is not None]
    working = [(source, target) for source, target in jumps
               if any(target <= at <= source for at in busy)]
    loops = [[i for i in code if first <= i.address <= last]
             for first, last in innermost(working or jumps)]
    return max(loops, default=[], key=lambda loop: (
        sum(i.address in busy for i in loop), len(loop)))


# The rows of a table of instructions, in this order.
KINDS = ("FFMA", "HMMA", "LDS", "LDSM", "LDG", "LDGSTS", "STS", "STG", "BAR",
         "integer", "other")


def kind(instruction: Instruction) -> str:
    """Return the row of a table that an instruction is counted in."""
    name = instruction.name
    if name == "LDS":
        return f"LDS.{8 * instruction.bytes}"
    if name in KINDS:
        return name
    return "integer" if INTEGER.match(name) else "other"


def mix(code: List[Instruction]) -> Dict[str, int]:
    """Count the instructions of each kind."""
    kinds = list(map(kind, code))
    return {one: kinds.count(one) for one in dict.fromkeys(kinds)}


def shared_bytes(code: List[Instruction]) -> int:
    """Return what a thread loads from shared memory, in bytes."""
    return sum(i.bytes for i in code if i.name == "LDS")


# ---- register banks ---------------------------------------------------------

# Where operations read registers: first, second, third source. Of the others
# it was not measured, and they are few in a loop of FFMA.
PLACES = {"FFMA": (0, 1, 2), "IMAD": (0, 1, 2), "IADD3": (0, 1, 2),
          "LOP3": (0, 1, 2), "FMUL": (0, 1), "FADD": (0, 1), "MOV": (1,),
          "LDS": (0,)}


def bank_reads(code: List[Instruction]) -> List[Tuple[int, int]]:
    """Return how many registers each instruction reads from each bank.

    The registers of a warp lie in two banks: those with an even number in one,
    those with an odd number in the other. Beside them is the reuse cache: for
    each of the three places of an operand and each bank it holds one register
    that was read there. An instruction says with bits 122..124 which of its
    sources shall stay; the next arithmetic instruction that reads a register
    of that bank at that place has it for nothing, if it is the same one.

    LDS reads its address and leaves the cache alone. IMAD empties the places
    that it uses in both banks.
    """
    kept: Dict[Tuple[int, int], int] = {}  # by place and bank
    result = []
    for instruction in code:
        read = set()
        for place in PLACES.get(instruction.name, ()):
            source = instruction.sources[place]
            if source == NO_REGISTER:
                continue
            at = place, source % 2
            if instruction.name == "LDS":
                read.add(source)
                continue
            if kept.pop(at, None) != source:
                read.add(source)
            if instruction.name == "IMAD":
                kept.pop((place, 1 - source % 2), None)
            if instruction.reuse[place]:
                kept[at] = source
        odd = sum(source % 2 for source in read)
        result.append((len(read) - odd, odd))
    return result


def bank_conflicts(code: List[Instruction]) -> List[Instruction]:
    """Return the FFMA that read three registers of one bank."""
    return [instruction for instruction, reads in zip(code, bank_reads(code))
            if instruction.name == "FFMA" and max(reads) == 3]


def bank_cycles(code: List[Instruction]) -> int:
    """Return the cycles that a scheduler of sm_90 needs at least for the code.

    It issues one instruction in a cycle, and each bank gives one register (of
    all 32 lanes) in a cycle. Reads may lag behind by one cycle: after an
    instruction that reads two even registers, one that reads two odd ones
    costs nothing more; a second one with two even ones waits.

    So an FFMA with three different sources cannot have a cycle alone unless
    one of them comes from the reuse cache and the others lie in two banks.

    Measured on an H200 with machine code made for it: tests/register_banks.py.
    One pattern was faster than this says: three reads of one bank, and then
    few of it.
    """
    now = 0
    free = [0, 0]  # when each bank will have given what it was asked for
    for reads in bank_reads(code):
        now += 1
        for bank, count in enumerate(reads):
            if count:
                free[bank] = max(free[bank], now - 1) + count
        now = max(now, free[0] - 1, free[1] - 1)
    return max(now, *free)


# ---- names ------------------------------------------------------------------


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


def unpadded(code: List[Instruction]) -> List[Instruction]:
    """Return the code of a kernel without what fills its end."""
    end = len(code)
    while end and (code[end - 1].name == "NOP"
                   or code[end - 1].target == code[end - 1].address):
        end -= 1
    return code[:end]


def others(code: List[Instruction]) -> str:
    """Return the names of the instructions that are counted as other."""
    names: Dict[str, int] = {}
    for instruction in code:
        if kind(instruction) == "other":
            names[instruction.name] = names.get(instruction.name, 0) + 1
    return ", ".join(f"{count} {name}" for name, count in names.items())


def mix_table(code: List[Instruction]) -> List[str]:
    """Return how many instructions of each kind there are."""
    kinds = mix(code)
    rows = sorted(kinds, key=lambda one: (KINDS.index(one.split(".")[0]), one))
    remarks = {"integer": "addresses, counters, guards", "other": others(code)}
    return [f"  {kind:<10}{kinds[kind]:>6}"
            f"{100 * kinds[kind] / len(code):>7.1f} %"
            f"  {remarks.get(kind, '')}".rstrip() for kind in rows]


def accesses(code: List[Instruction]) -> str:
    """Return the loads and stores of global memory, with their bits."""
    names = [f"{i.name}.{8 * i.bytes}" for i in code
             if i.name in ("LDG", "STG")]
    return ", ".join(f"{names.count(name)} {name}" for name in
                     dict.fromkeys(sorted(names)))


def operands(code: List[Instruction], arch: str) -> List[str]:
    """Return where the operands of the FFMA come from, and what it costs."""
    ffma = mix(code).get("FFMA", 0)
    if not ffma:
        return []
    lines = []
    shared = shared_bytes(code)
    if shared:
        lines.append(f"  {ffma / shared:.2f} FFMA for each byte that a thread "
                     "loads from shared memory")
    conflicts = len(bank_conflicts(code))
    lines.append(f"  register-bank conflicts: {conflicts} of {ffma} FFMA, "
                 f"{100 * conflicts / ffma:.1f} %")
    if arch == "sm_90":
        cycles = bank_cycles(code)
        lines.append(f"  cycles that issue and register banks need: {cycles}, "
                     f"so FFMA at most {100 * ffma / cycles:.0f} % of peak")
    return lines


def listing(code: List[Instruction]) -> List[str]:
    """Return the loop, one instruction a line, with the cycles after it."""
    conflicts = {i.address for i in bank_conflicts(code)}
    return [f"  {i.address:04x} {i.stall:>3}  {i}"
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
                for first, last in innermost(jumps)), default=[],
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


def chosen(names: Iterable[str], kernels: Dict[str, str]) -> Dict[str, str]:
    """Return the labels of these kernels, by what the linker calls them.

    kernels has those to show, in order, with their variants.
    """
    found = []
    for name in names:
        label = demangle(name)
        base = label.split("<")[0]
        if base in kernels:
            variant = f" ({kernels[base]})" if kernels[base] else ""
            found.append((list(kernels).index(base), label + variant, name))
    return {name: label for _, label, name in sorted(found)}


def report(chapter: str, variant: str, arch: str, note: str,
           with_loops: bool) -> None:
    """Print what nvcc made of a chapter or of one variant."""
    path = f"build/gpu/{chapter}"
    with open(f"{path}.cubin.txt", encoding="utf-8") as file:
        remarks = file.read()
    labels = chosen(re.findall(r"Compiling entry function '(\w+)'", remarks),
                    wanted(chapter, variant))
    if not labels:
        machine.fail(f"asm: {chapter} has no kernel"
                     + f" of a variant {variant}" * bool(variant))
    print("\n".join([f"{chapter} for {arch}{note}", "",
                     *resources(labels, remarks)]))
    if not machine.cuda_tool("cuobjdump"):
        print("\nthe machine code needs cuobjdump; it comes with CUDA")
        code = {}
    else:
        code = {kernel.name: unpadded(kernel.code)
                for kernel in read(f"{path}.cubin")}
    for name in filter(code.get, labels):
        loop = hot_loop(code[name])
        shown = loop or code[name]
        where = (f"the hot loop, 0x{loop[0].address:x} to "
                 f"0x{loop[-1].address:x}" if loop else "no loop, all of it")
        lines = ["", f"{labels[name]}: {where}: {len(shown)} instructions",
                 *mix_table(shown), *operands(shown, arch)]
        everywhere = accesses(code[name])
        lines += [f"  the whole kernel: {everywhere}"] * bool(everywhere)
        print("\n".join(lines))
    if not with_loops:
        print("\nv=1 lists the loop in machine code and in PTX")
        return
    with open(f"{path}.ptx", encoding="utf-8") as file:
        ptx = ptx_kernels(file.read())
    for name, label in labels.items():
        if code:
            print(f"\n{label} in machine code: address, cycles to the next, "
                  "instruction")
            print("\n".join(listing(hot_loop(code[name])) or ["  no loop"]))
        print(f"\n{label} in PTX ({path}.ptx):")
        print("\n".join(ptx_loop(ptx.get(name, [])) or ["  no loop"]))
