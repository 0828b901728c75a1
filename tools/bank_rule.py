"""What the register banks of an SM cost: the rule of register_banks.md.

tests/register_banks.py has measured it; `make asm` says it of a hot loop, as
Instructions of tools/asm.py.
"""

from typing import Dict, List, Tuple

NO_REGISTER = 255  # a source that reads none

# Where operations read registers: first, second, third source. Of the others
# it was not measured, and they are few in a loop of FFMA.
PLACES = {"FFMA": (0, 1, 2), "IMAD": (0, 1, 2), "IADD3": (0, 1, 2),
          "LOP3": (0, 1, 2), "FMUL": (0, 1), "FADD": (0, 1), "MOV": (1,),
          "LDS": (0,)}


def bank_reads(code: list) -> List[Tuple[int, int]]:
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


def bank_conflicts(code: list) -> list:
    """Return the FFMA that read three registers of one bank."""
    return [instruction for instruction, reads in zip(code, bank_reads(code))
            if instruction.name == "FFMA" and max(reads) == 3]


def bank_cycles(code: list) -> int:
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
