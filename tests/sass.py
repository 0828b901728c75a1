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

Where CUDA's cuobjdump is missing, tests run this file in its place: it writes
as much of an instruction as asm.py reads.
"""

import os
import struct
import sys
from typing import List, NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))

import asm  # noqa: E402

# The operations of the chapters, by bits 0..8.
NAMES = {
    0x002: "MOV", 0x003: "P2R", 0x004: "R2P", 0x005: "CS2R", 0x006: "VOTE",
    0x007: "SEL", 0x008: "FSEL", 0x009: "FMNMX", 0x00b: "FSETP",
    0x00c: "ISETP", 0x010: "IADD3", 0x011: "LEA", 0x012: "LOP3", 0x013: "IABS",
    0x016: "PRMT", 0x017: "IMNMX", 0x019: "SHF", 0x01a: "SGXT", 0x01c: "PLOP3",
    0x020: "FMUL", 0x021: "FADD", 0x023: "FFMA", 0x024: "IMAD",
    0x025: "IMAD.WIDE", 0x027: "IMAD.HI", 0x028: "DMUL", 0x029: "DADD",
    0x02a: "DSETP", 0x02b: "DFMA", 0x030: "HADD2", 0x031: "HFMA2",
    0x032: "HMUL2", 0x03b: "LDSM", 0x03c: "HMMA", 0x082: "UMOV", 0x086: "VOTEU",
    0x087: "USEL", 0x08c: "UISETP", 0x090: "UIADD3", 0x091: "ULEA",
    0x092: "ULOP3", 0x096: "UPRMT", 0x099: "USHF", 0x09c: "UPLOP3",
    0x0a4: "UIMAD", 0x0a5: "UIMAD.WIDE", 0x0b9: "ULDC", 0x0bd: "UFLO",
    0x0bf: "UPOPC", 0x100: "FLO", 0x101: "BREV", 0x104: "F2F", 0x105: "F2I",
    0x106: "I2F", 0x107: "FRND", 0x108: "MUFU", 0x109: "POPC", 0x111: "F2I",
    0x112: "I2F", 0x118: "NOP",
    0x119: "S2R", 0x11a: "DEPBAR", 0x11d: "BAR", 0x141: "BSYNC",
    0x142: "BREAK", 0x143: "CALL", 0x144: "CALL", 0x145: "BSSY",
    0x146: "YIELD", 0x147: "BRA", 0x148: "WARPSYNC", 0x149: "BRX",
    0x14d: "EXIT", 0x150: "RET", 0x15d: "NANOSLEEP", 0x180: "LD", 0x181: "LDG",
    0x182: "LDC", 0x183: "LDL", 0x184: "LDS", 0x185: "ST", 0x186: "STG",
    0x187: "STL", 0x188: "STS", 0x189: "SHFL", 0x18a: "ATOM", 0x18c: "ATOMS",
    0x18d: "ATOMS", 0x18e: "RED", 0x18f: "CCTL", 0x192: "MEMBAR",
    0x1a1: "MATCH", 0x1a8: "ATOMG", 0x1ab: "ERRBAR", 0x1ae: "LDGSTS",
    0x1af: "LDGDEPBAR",
    0x1c3: "S2UR", 0x1c4: "REDUX",
}
# Those that came later, by the GPU that they came with.
LATER = {
    80: {0x035: "HFMA2.MMA"},
    90: {0x036: "VIADD", 0x046: "VIADDMNMX", 0x048: "VIMNMX"},
    100: {0x1ac: "LDCU"},
    120: {0x035: "IADD.64", 0x053: "UFSETP", 0x097: "UIADD3.64"},
}

# The size of a load or store by bits 73..75.
SIZES = (".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".U.128")


def bits(word: int, first: int, count: int) -> int:
    """Return some bits of a word as a number."""
    return word >> first & (1 << count) - 1


def register(number: int) -> str:
    """Return the name of a register."""
    return "RZ" if number == asm.NO_REGISTER else f"R{number}"


def operation(word: int, sm: int) -> str:
    """Return the name of an operation; its number where it has none here."""
    number = bits(word, 0, 9)
    name = NAMES.get(number, f"0x{number:03x}")
    for since, names in LATER.items():
        if sm >= since:
            name = names.get(number, name)
    # That of a cluster.
    return "CGAERRBAR" if name == "ERRBAR" and bits(word, 9, 3) == 2 else name


def sources(word: int) -> List[str]:
    """Return the three sources of arithmetic; c: a constant, or none."""
    form = bits(word, 9, 3)
    first, low, high = (register(bits(word, at, 8)) for at in (24, 32, 64))
    kept = [".reuse" * bits(word, at, 1) for at in (122, 123, 124)]
    read = [first, low, high] if form == 1 else \
        [first, high, "c"] if form in (2, 3, 7) else [first, "c", high]
    return [one + reuse for one, reuse in zip(read, kept)]


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
    name = operation(word, sm)
    said = ""
    if name in ("LDG", "LDS", "STG", "STS"):
        said = place(word, name)
        name += SIZES[bits(word, 73, 3)]
    elif name == "BRA":
        # A signed count of 4-byte steps from the next instruction. Hopper has
        # 8 more bits of it, the lowest, where others name a register.
        steps = bits(word, 34, 48) - (bits(word, 81, 1) << 48)
        if sm >= 90:
            steps = steps << 8 | bits(word, 16, 8)
        said = f"0x{address + 16 + 4 * steps:x}"
    elif name in asm.PLACES:
        said = ", ".join([register(bits(word, 16, 8)), *sources(word)])
        if name == "MOV":  # its only source is the second
            said = ", ".join([register(bits(word, 16, 8)), sources(word)[1]])
    return asm.Instruction(address, f"{before}{name} {said}".rstrip(),
                           bits(word, 105, 4))


class Code(NamedTuple):
    """Where the machine code of a kernel lies in a cubin."""

    name: str
    start: int
    words: List[int]
    sm: int  # 90 for sm_90


def find(path: str) -> List[Code]:
    """Return the kernels of a cubin; ValueError if it is none."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:5] != b"\x7fELF\2" or data[18:20] != b"\xbe\0":
        raise ValueError(f"{path}: not a cubin")
    # The ELF header names the GPU: in its flags, since CUDA 13 a byte higher.
    flags, = struct.unpack_from("<I", data, 48)
    sm = flags >> (8 if data[8] >= 8 else 0) & 255
    if not 75 <= sm <= 121:
        raise ValueError(f"{path}: sm_{sm} is not decoded; sm_75 to sm_121 are")
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


def read(path: str) -> List[asm.Kernel]:
    """Return the kernels of a cubin, as asm.read does by cuobjdump."""
    return [asm.Kernel(one.name, [
        instruction(16 * i, word, one.sm) for i, word in enumerate(one.words)])
        for one in find(path)]


def main() -> None:
    """Write what cuobjdump -sass FILE writes."""
    for one in find(sys.argv[-1]):
        print("Function :", one.name)
        for i, word in enumerate(one.words):
            text = instruction(16 * i, word, one.sm).text
            print(f"/*{16 * i:04x}*/ {text} ; /* 0x{bits(word, 0, 64):016x} */")
            print(f"/* 0x{bits(word, 64, 64):016x} */")


if __name__ == "__main__":
    main()
