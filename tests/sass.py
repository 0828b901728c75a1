"""Machine code: what nvcc made of a kernel, one instruction at a time.

A cubin, what `nvcc -cubin` writes, is an ELF file. The code of a kernel is its
section .text.NAME, and from Turing (sm_75) to Blackwell (sm_120) it is a row of
words of 128 bits, one for each instruction:

    bits      what
    0..8      the operation, see NAMES
    9..11     what its operands are: 1 three registers; 2, 4 a constant in the
              word itself; 3, 5 one from constant memory; 6, 7 a uniform
              register. With 2, 3 and 7 it is the third operand, else the second
    12..15    the predicate that guards it (7: none); negated or not
    16..23    the register that is written
    24..31    the register that is the first source; 255 is RZ, always 0
    32..39    the second source; a constant takes bits 32..63
    64..71    the third source; the second, where the third is no register
    73..75    loads and stores: how many bytes
    105..108  stall: cycles until the warp may issue its next instruction
    116..121  wait: which of the warp's 6 barriers must have opened before; a
              load opens its barrier when the data has come
    122..124  reuse: which of the three sources the reuse cache keeps

NVIDIA documents none of this. It was found by experiment: Z. Jia, M. Maggioni,
B. Staiger, D. P. Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via
Microbenchmarking" (2018), and in the tables of the assembler CuAssembler. An
operation that is not in NAMES is shown as a number.

cuobjdump says all of it, but an image with nvcc need not have that: the CI's has
not. There tests run this file in its place: it writes as much of an instruction
as asm.py reads. tests/machine_code.py compares the two where both are.
"""

import struct
import sys
from typing import Dict, List, NamedTuple

from tools import asm, bank_rule

# The operations that are looked at, by bits 0..8.
NAMES = {
    0x002: "MOV", 0x010: "IADD3", 0x012: "LOP3", 0x020: "FMUL", 0x021: "FADD",
    0x023: "FFMA", 0x024: "IMAD", 0x03b: "LDSM", 0x03c: "HMMA", 0x118: "NOP",
    0x11a: "DEPBAR", 0x11d: "BAR", 0x147: "BRA", 0x181: "LDG", 0x184: "LDS",
    0x186: "STG", 0x188: "STS", 0x1ae: "LDGSTS",
}

# The size of a load or store by bits 73..75.
SIZES = (".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".U.128")


def bits(word: int, first: int, count: int) -> int:
    """Return some bits of a word as a number."""
    return word >> first & (1 << count) - 1


def register(number: int) -> str:
    """Return the name of a register."""
    return "RZ" if number == asm.NO_REGISTER else f"R{number}"


def sources(word: int) -> List[str]:
    """Return the three sources of arithmetic; c: a constant, or none."""
    form = bits(word, 9, 3)
    first, low, high = (register(bits(word, at, 8)) for at in (24, 32, 64))
    kept = [".reuse" * bits(word, at, 1) for at in (122, 123, 124)]
    names = [first, low, high] if form == 1 else \
        [first, high, "c"] if form in (2, 3, 7) else [first, "c", high]
    return [name + reuse for name, reuse in zip(names, kept)]


def place(word: int, name: str) -> str:
    """Return the operands of a load or store: R4, [R2+0x80] or [R2], R4"""
    offset = bits(word, 40, 24) - (bits(word, 63, 1) << 24)
    base = register(bits(word, 24, 8))
    address = base + (f"{offset:+#x}" if offset else "")
    if base == "RZ":
        address = f"{offset:#x}"
    if name.startswith("L"):
        return f"{register(bits(word, 16, 8))}, [{address}]"
    return f"[{address}], {register(bits(word, 32, 8))}"


def instruction(address: int, word: int, sm: int) -> asm.Instruction:
    """Decode as much as is looked at: FFMA R8, R1, R4.reuse, R8"""
    guard = bits(word, 12, 4)
    before = {7: "", 15: "@!PT "}.get(
        guard, f"@{'!' * (guard >> 3)}P{guard & 7} ")
    name = NAMES.get(bits(word, 0, 9), f"0x{bits(word, 0, 9):03x}")
    operands = ""
    if name in ("LDG", "LDS", "STG", "STS"):
        operands = place(word, name)
        name += SIZES[bits(word, 73, 3)]
    elif name == "BRA":
        # A signed count of 4-byte steps from the next instruction. Hopper has
        # 8 more bits of it, the lowest, where others name a register.
        steps = bits(word, 34, 48) - (bits(word, 81, 1) << 48)
        if sm >= 90:
            steps = steps << 8 | bits(word, 16, 8)
        operands = f"0x{address + 16 + 4 * steps:x}"
    elif name in bank_rule.PLACES:
        operands = ", ".join([register(bits(word, 16, 8)), *sources(word)])
        if name == "MOV":  # its only source is the second
            operands = ", ".join([register(bits(word, 16, 8)), sources(word)[1]])
    return asm.Instruction(address, f"{before}{name} {operands}".rstrip(),
                           bits(word, 105, 4))


class Code(NamedTuple):
    """Where the machine code of a kernel lies in a cubin."""

    name: str
    start: int
    words: List[int]
    sm: int  # 90 for sm_90


def find(path: str) -> List[Code]:
    """Return the kernels of a cubin."""
    with open(path, "rb") as file:
        data = file.read()
    # The ELF header names the GPU: in its flags, since CUDA 13 a byte higher.
    flags, = struct.unpack_from("<I", data, 48)
    sm = flags >> (8 if data[8] >= 8 else 0) & 255
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    # Of a section's header: its name, where it lies, how long it is.
    sections = [(struct.unpack_from("<I", data, at)[0],
                 *struct.unpack_from("<QQ", data, at + 24))
                for at in range(table, table + 64 * count, 64)]
    kernels = []
    for name_at, start, size in sections:
        name_at += sections[names][1]
        name = data[name_at : data.index(b"\0", name_at)].decode()
        if name.startswith(".text."):
            kernels.append(Code(name[6:], start, [
                int.from_bytes(data[at : at + 16], "little")
                for at in range(start, start + size, 16)], sm))
    return kernels


def read(path: str) -> Dict[str, List[asm.Instruction]]:
    """Return the code of a cubin's kernels, as asm.read does by cuobjdump."""
    return {code.name: [
        instruction(16 * i, word, code.sm) for i, word in enumerate(code.words)]
        for code in find(path)}


def main() -> None:
    """Write what cuobjdump -sass FILE writes."""
    for code in find(sys.argv[-1]):
        print("Function :", code.name)
        for i, word in enumerate(code.words):
            text = instruction(16 * i, word, code.sm).text
            print(f"/*{16 * i:04x}*/ {text} ; /* 0x{bits(word, 0, 64):016x} */")
            print(f"/* 0x{bits(word, 64, 64):016x} */")


if __name__ == "__main__":
    main()
