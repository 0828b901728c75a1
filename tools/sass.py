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
"""

import re
import struct
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

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

# Arithmetic on addresses, counters and guards.
INTEGER = re.compile(r"U?(I(ABS|ADD|MAD|MNMX|SETP)|LEA|LOP3|SHF|MOV|SEL|PRMT"
                     r"|SGXT)|VI")
# The size of a load or store by bits 73..75, its name and its bytes.
SIZES = ((".U8", 1), (".S8", 1), (".U16", 2), (".S16", 2), ("", 4), (".64", 8),
         (".128", 16), (".U.128", 16))
NO_REGISTER = 255


def register(number: int) -> str:
    """Return the name of a register."""
    return "RZ" if number == NO_REGISTER else f"R{number}"


class Instruction(NamedTuple):
    """One word of machine code."""

    address: int
    word: int
    sm: int  # 90 for sm_90

    def bits(self, first: int, count: int) -> int:
        """Return some bits of the word as a number."""
        return self.word >> first & (1 << count) - 1

    @property
    def name(self) -> str:
        """The operation; its number where it has no name here."""
        number = self.bits(0, 9)
        name = NAMES.get(number, f"0x{number:03x}")
        for since, names in LATER.items():
            if self.sm >= since:
                name = names.get(number, name)
        if name == "ERRBAR" and self.bits(9, 3) == 2:
            name = "CGAERRBAR"  # of a cluster
        return name

    @property
    def bytes(self) -> int:
        """What a load or store moves for each lane."""
        return SIZES[self.bits(73, 3)][1]

    @property
    def sources(self) -> List[int]:
        """The registers of the three sources; NO_REGISTER: none is read."""
        form = self.bits(9, 3)
        first, low, high = (self.bits(at, 8) for at in (24, 32, 64))
        if form == 1:
            return [first, low, high]
        if form in (2, 3, 7):
            return [first, high, NO_REGISTER]
        return [first, NO_REGISTER, high]

    @property
    def reuse(self) -> List[bool]:
        """Which sources the reuse cache keeps."""
        return [bool(self.bits(122 + i, 1)) for i in range(3)]

    @property
    def target(self) -> Optional[int]:
        """The address that a branch goes to."""
        if self.name != "BRA":
            return None
        # A signed count of 4-byte steps from the next instruction. Hopper has
        # 8 more bits of it, the lowest, where others name a register.
        steps = self.bits(34, 48) - (self.bits(81, 1) << 48)
        if self.sm >= 90:
            steps = steps << 8 | self.bits(16, 8)
        return self.address + 16 + 4 * steps

    @property
    def kind(self) -> str:
        """The row of a table that it is counted in."""
        name = self.name
        if name == "LDS":
            return f"LDS.{8 * self.bytes}"
        if name in ("FFMA", "HMMA", "LDSM", "LDG", "STG", "STS", "LDGSTS",
                    "BAR"):
            return name
        return "integer" if INTEGER.match(name) else "other"

    def __str__(self) -> str:
        """As much as is decoded: FFMA R8, R1, R4.reuse, R8"""
        guard = self.bits(12, 4)
        text = {7: "", 15: "@!PT "}.get(
            guard, f"@{'!' * (guard >> 3)}P{guard & 7} ") + self.name
        if self.name in ("LDG", "LDS", "STG", "STS"):
            return text + SIZES[self.bits(73, 3)][0] + self.place
        if self.target is not None:
            return f"{text} 0x{self.target:x}"
        if self.name != "FFMA" or self.bits(9, 3) != 1:
            return text
        return ", ".join([f"{text} {register(self.bits(16, 8))}"] + [
            register(source) + ".reuse" * kept
            for source, kept in zip(self.sources, self.reuse)])

    @property
    def place(self) -> str:
        """The operands of a load or store: R4, [R2+0x80] or [R2], R4"""
        offset = self.bits(40, 24) - (self.bits(63, 1) << 24)
        base = self.sources[0]
        if base == NO_REGISTER:
            address = f"{offset:#x}"
        else:
            address = register(base) + (f"{offset:+#x}" if offset else "")
        if self.name.startswith("L"):
            return f" {register(self.bits(16, 8))}, [{address}]"
        return f" [{address}], {register(self.bits(32, 8))}"


class Kernel(NamedTuple):
    """The machine code of one kernel; name as the linker knows it."""

    name: str
    code: List[Instruction]


def read(path: str) -> List[Kernel]:
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
            kernels.append(Kernel(name[6:], decode(
                data[start : start + size], sm)))
    return kernels


def decode(data: bytes, sm: int) -> List[Instruction]:
    """Cut machine code into instructions."""
    return [Instruction(at, int.from_bytes(data[at : at + 16], "little"), sm)
            for at in range(0, len(data), 16)]


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


def mix(code: List[Instruction]) -> Dict[str, int]:
    """Count the instructions of each kind."""
    counted: Dict[str, int] = {}
    for instruction in code:
        counted[instruction.kind] = counted.get(instruction.kind, 0) + 1
    return counted


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
