"""Print what nvcc made of a chapter: registers, and the hot loop.

Registers, shared memory and spills of each kernel; then the instructions of
its hot loop, the innermost one with the most multiply-adds, and what they ask
of the register banks; then how wide the kernel's loads and stores of global
memory are. v=1 lists the loop, too. cuobjdump reads the machine code (SASS).
"""

import re
from collections import Counter
from typing import Dict, List, NamedTuple, Optional

from tools import bank_rule, course, machine, terminal
from tools.bank_rule import NO_REGISTER

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


class Instruction(NamedTuple):
    """One instruction, as cuobjdump writes it: @P0 LDG.E.128 R4, [R2+0x10]"""

    address: int
    text: str
    stall: int  # cycles until the warp may issue its next one

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
        matches = [re.match(r"[-|~\[]*R(\d+)", word)
                   for word in self.operands()]
        return [int(match[1]) if match else NO_REGISTER for match in matches]

    @property
    def reuse(self) -> List[bool]:
        """Which sources the reuse cache keeps."""
        return [".reuse" in word for word in self.operands()]


def read(path: str) -> Dict[str, List[Instruction]]:
    """Return the code of a cubin's kernels, by their names for the linker."""
    text = machine.answer(machine.cuda_tool("cuobjdump"), "-sass", path)
    return {part.split("\n")[0].strip(): [
        # The cycles stand in the second half of the word.
        Instruction(int(at, 16), line, int(high, 16) >> 41 & 15)
        for at, line, high in re.findall(
            r"/\*([0-9a-f]{4,})\*/\s+(.*?) *;\s+/\* 0x\w+ \*/"
            r"\s+/\* 0x(\w+) \*/", part)]
        for part in text.split("Function : ")[1:]}


def hot_loop(code: List[Instruction]) -> List[Instruction]:
    """Return the loop with the most multiply-adds; [] if there is no loop.

    A loop is all from the target of a jump back to the last jump there. It is
    an innermost one of those that have multiply-adds, if any has. Of equals the
    longest. Unrolled code counts as often as it stands there.
    """
    def busy(loop: List[Instruction]) -> int:
        return sum(i.name in ("FFMA", "HMMA") for i in loop)

    last = {i.target: i.address for i in code
            if i.target is not None and i.target < i.address}
    loops = [[i for i in code if first <= i.address <= end]
             for first, end in last.items()]
    loops = list(filter(busy, loops)) or loops
    innermost = [loop for loop in loops if not any(
        loop != other and set(other) <= set(loop) for other in loops)]
    return max(innermost, default=[], key=lambda loop: (busy(loop), len(loop)))


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


def mix(code: List[Instruction]) -> "Counter[str]":
    """Count the instructions of each kind."""
    return Counter(map(kind, code))


# ---- names ------------------------------------------------------------------


def demangled(names: List[str]) -> List[str]:
    """Return scan<8> for _Z4scanILi8EEvPf, for each name."""
    plain = machine.answer("c++filt", *names).splitlines() or names
    return [re.sub(r"^void |\(\w+\)(?=-?\d)", "", name).split("(")[0]
            for name in plain]


def chosen(names: List[str], chapter: str, only: str) -> Dict[str, str]:
    """Return the labels of the kernels to show, by what the linker calls them.

    In reading order, each with its variant.
    """
    variant_of = {path: name for name, path in course.variants(chapter).items()}
    labels = {}
    for path in course.sources(chapter):
        variant = variant_of.get(path, "")
        suffix = f" ({variant})" * bool(variant)
        for kernel in course.kernels([path] if only in ("", variant) else []):
            for name, label in zip(names, demangled(names)):
                if label.split("<")[0] == kernel:
                    labels.setdefault(name, label + suffix)
    return labels


# ---- printing ---------------------------------------------------------------


def resources(labels: Dict[str, str], remarks: str) -> List[str]:
    """Return the table of registers, shared memory and spills.

    labels are the names of the kernels, here by what the linker calls them.
    """
    remarks_of = {part.split("'")[1]: part for part in
                  remarks.split("Compiling entry function ")[1:]}
    rows = [["kernel", *COLUMNS]]
    for name, label in labels.items():
        matches = [re.search(pattern, remarks_of.get(name, ""))
                   for pattern in COLUMNS.values()]
        rows.append([label, *(match[1] if match else "0" for match in matches)])
    return terminal.lines(rows, longest=40)


def unpadded(code: List[Instruction]) -> List[Instruction]:
    """Return the code of a kernel without what fills its end."""
    end = len(code)
    while end and (code[end - 1].name == "NOP"
                   or code[end - 1].target == code[end - 1].address):
        end -= 1
    return code[:end]


def mix_table(code: List[Instruction]) -> List[str]:
    """Return how many instructions of each kind there are."""
    kinds = mix(code)
    others = Counter(i.name for i in code if kind(i) == "other")
    remarks = {"integer": "addresses, counters, guards", "other": ", ".join(
        f"{count} {name}" for name, count in others.items())}
    rows = sorted(kinds, key=lambda row: (KINDS.index(row.split(".")[0]), row))
    return [f"  {kind:<10}{kinds[kind]:>6}"
            f"{100 * kinds[kind] / len(code):>7.1f} %"
            f"  {remarks.get(kind, '')}".rstrip() for kind in rows]


def accesses(code: List[Instruction]) -> str:
    """Return the loads and stores of global memory, with their bits."""
    names = Counter(f"{i.name}.{8 * i.bytes}" for i in code
                    if i.name in ("LDG", "STG"))
    return ", ".join(f"{names[name]} {name}" for name in sorted(names))


def operands(code: List[Instruction], arch: str) -> List[str]:
    """Return what the operands of the FFMA cost."""
    ffma = mix(code)["FFMA"]
    if not ffma:
        return []
    conflicts = len(bank_rule.bank_conflicts(code))
    lines = [f"  register-bank conflicts: {conflicts} of {ffma} FFMA, "
             f"{100 * conflicts / ffma:.1f} %"]
    if arch == "sm_90":
        cycles = bank_rule.bank_cycles(code)
        lines.append(f"  cycles that issue and register banks need: {cycles}, "
                     f"so FFMA at most {100 * ffma / cycles:.0f} % of peak")
    return lines


def listing(code: List[Instruction]) -> List[str]:
    """Return the loop, one instruction a line, with the cycles after it."""
    conflicts = {i.address for i in bank_rule.bank_conflicts(code)}
    return [f"  {i.address:04x} {i.stall:>3}  {i.text}"
            + "  <- register-bank conflict" * (i.address in conflicts)
            for i in code]


def report(chapter: str, variant: str, arch: str, note: str,
           with_loop: bool) -> None:
    """Print what nvcc made of a chapter or of one variant."""
    path = f"build/gpu/{chapter}"
    remarks = course.text_of(f"{path}.cubin.txt")
    labels = chosen(re.findall(r"Compiling entry function '(\w+)'", remarks),
                    chapter, variant)
    if not labels:
        machine.fail(f"asm: {chapter} has no kernel")
    print("\n".join([f"{chapter} for {arch}{note}", "",
                     *resources(labels, remarks)]))
    if not machine.cuda_tool("cuobjdump"):
        print("\nthe machine code needs cuobjdump; it comes with CUDA")
        return
    code = {name: unpadded(instructions)
            for name, instructions in read(f"{path}.cubin").items()}
    for name in filter(code.get, labels):
        loop = hot_loop(code[name])
        shown = loop or code[name]
        where = (f"the hot loop, 0x{loop[0].address:x} to "
                 f"0x{loop[-1].address:x}" if loop else "no loop, all of it")
        lines = ["", f"{labels[name]}: {where}: {len(shown)} instructions",
                 *mix_table(shown), *operands(shown, arch)]
        everywhere = accesses(code[name])
        lines += [f"  the whole kernel: {everywhere}"] * bool(everywhere)
        if with_loop:
            lines += ["", f"{labels[name]}: address, cycles to the next, "
                      "instruction", *(listing(loop) or ["  no loop"])]
        print("\n".join(lines))
    if not with_loop:
        print("\nv=1 lists the loop")
