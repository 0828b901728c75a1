#!/usr/bin/env python3
"""What register banks and the reuse cache cost, measured instruction by
instruction.

Usage: register_banks.py [FILE]      (on a GPU of compute capability 9.0)

nvcc chooses the registers of a kernel, so no CUDA C says what is to be read
from which bank. Here a loop of SLOTS FFMA is compiled once, and then its
machine code is patched: each pattern of PATTERNS fills the loop. The time of a
round is compared with what bank_rule.bank_cycles says of the same code. FILE gets
the patterns and their cycles an instruction. Such a file is
tests/golden/register_banks_h200.csv; tests/machine_code.py compares the rule
with it where there is no GPU.

A pattern is a row of instructions with their three sources: e an even
register, another one each time; o an odd one; k always the same even register;
x an even register, twice the same in one instruction; - none (RZ); * with
reuse flag. ffma is not written.

Ends with `N passed, N failed`.
"""

import csv
import itertools
import os
import subprocess
import sys
import tempfile
from typing import Iterator, List, Tuple

from tests import sass
from tests.checks import ROOT, close, tally
from tools import asm, bank_rule, machine

GOLDEN = os.path.join(ROOT, "tests", "golden", "register_banks_h200.csv")
SLOTS = 256  # instructions of a pattern in the loop, which has 3 of its own
TOLERANCE = 0.025  # of the cycles; the loop itself is 1 % of them

PATTERNS = [
    # Three registers: two reads of a bank take two cycles, three take three.
    "e e o", "e e e", "o o o", "x x e", "e o -", "e e -",
    # With one of them kept, the others from two banks: a cycle, as it should.
    "k* e o", "k* o e", "e k* o", "e o k*", "k* e e", "k* k* e",
    # Reads may lag by a cycle: an even pair beside an odd one costs nothing.
    "k* e e, k* o o", "k* e e, k* - o", "k* e e, k* e o", "e e e, - - o",
    *(", ".join(["k* e e"] * n + ["k* o o"] * n) for n in (2, 3, 4, 8)),
    # What is kept is kept for one instruction, used or not.
    "k* e o, k e e", "k* e o, k e o, k e e", "k* e o" + ", k e o" * 7,
    # ... at one place, and until another register of that bank is read there.
    "e k* o, k e e", "k* e o, e e o, k e e", "k* e o, - e o, k e e",
    *(f"k* e e, k* e e, k* e e, {other}, k* e e" for other in (
        "nop - - -", "e - -", "o - -", "- e -", "- - e", "iadd3 e - -",
        "iadd3 o - -", "iadd3 - e -", "mov - e -", "mov - o -",
        "imad e - -", "imad o - -", "imad - - e", "lop3 e - -", "lop3 o - -",
        "lop3 - - e", "fmul e -", "fmul o -", "fmul - e", "fadd e -",
        "fadd o -", "fadd - e", "lds e - -", "lds o - -")),
    *(f"e k* e, e k* e, e k* e, {other}, e k* e" for other in (
        "- e -", "- o -", "- - e", "mov - e -", "lds e - -")),
    *(f"e e k*, e e k*, e e k*, {other}, e e k*" for other in (
        "- - e", "- - o", "- e -", "lds e - -")),
]

# Three reads of one bank and few afterwards: cheaper than the rule says.
CHEAPER = ["e e e, o - o, - - o"]

# Words without registers; the control bits say: issue the next one after a
# cycle, wait for nothing.
CONTROL = 0x7f1 << 105
WORDS = {
    "ffma": 0x7223 | CONTROL,
    "iadd3": 0x7210 | 0x07ffe000 << 64 | CONTROL,
    "mov": 0x7202 | 0xf00 << 64 | CONTROL,
    "lds": 0x7984 | 0x800 << 64 | CONTROL,
    "imad": 0x7224 | 0x078e0200 << 64 | CONTROL,
    "lop3": 0x7212 | 0x078e3c00 << 64 | CONTROL,
    "fmul": 0x7220 | 0x00400000 << 64 | CONTROL,
    "fadd": 0x7221 | CONTROL,
    "nop": 0x7918 | CONTROL,
}
# In the compiled loop 8..39 are only read and 56..69 written. 68 and 69 are
# set to 0 at its begin: addresses for lds.
EVEN, ODD, KEPT = range(8, 32, 2), range(9, 32, 2), 32
WRITTEN = range(56, 68)
ZERO = {"e": 68, "o": 69}
SET_ZERO = [0x7202 | register << 16 | asm.NO_REGISTER << 32 | 0xf00 << 64
            | 0x7f6 << 105 for register in ZERO.values()]


def parse(pattern: str) -> List[Tuple[str, List[str]]]:
    """Return the operations of a pattern, each with its three sources."""
    result = []
    for text in pattern.split(", "):
        words = text.split()
        result.append((words[0], words[1:]) if words[0] in WORDS
                      else ("ffma", words))
    return result


def code(pattern: str) -> Iterator[int]:
    """Return the words of a pattern, again and again."""
    even, odd, written = map(itertools.cycle, (EVEN, ODD, WRITTEN))
    parsed = parse(pattern)
    while True:
        for name, sources in parsed:
            word = WORDS[name]
            if name != "nop":
                word |= next(written) << 16
            twice = next(even) if "x" in sources else None
            places = bank_rule.PLACES.get(name.upper(), ())
            for i in places:
                at = (24, 32, 64)[i]
                source = sources[i]
                kind = source[0]
                if kind == "-":
                    number = asm.NO_REGISTER
                elif name == "lds":
                    number = ZERO[kind]
                elif kind in "eo":
                    number = next(even if kind == "e" else odd)
                else:
                    number = KEPT if kind == "k" else twice
                word |= number << at | source.endswith("*") << 122 + i
            yield word


def instructions(pattern: str, count: int) -> List[asm.Instruction]:
    """Return the first instructions of a pattern."""
    return [sass.instruction(16 * i, word, 90)
            for i, word in enumerate(itertools.islice(code(pattern), count))]


def golden() -> List[Tuple[str, float]]:
    """Return the patterns and their cycles an instruction on an H200."""
    with open(GOLDEN, encoding="utf-8", newline="") as file:
        return [(row["pattern"], float(row["cycles"]))
                for row in csv.DictReader(file)]


def patched(template: bytes, start: int, loop: List[asm.Instruction],
            pattern: str) -> bytes:
    """Return the compiled loop with a pattern in the place of its FFMA.

    Its kernel begins at start.
    """
    data = bytearray(template)
    slots = [start + i.address for i in loop if i.name == "FFMA"]
    words = itertools.chain(SET_ZERO if "lds" in pattern else [],
                            code(pattern))
    for slot, word in zip(slots, words):
        data[slot : slot + 16] = word.to_bytes(16, "little")
    return bytes(data)


def fits(pattern: str, cycles: float, rule: float) -> bool:
    """Return whether a measured time is what the rule says."""
    if pattern in CHEAPER:
        return cycles < rule
    return abs(cycles - rule) <= TOLERANCE * rule


def measure(folder: str) -> List[Tuple[str, float, float]]:
    """Return each pattern, its cycles a round and what the rule says."""
    source = os.path.join(ROOT, "tests", "register_banks.cu")
    program = os.path.join(folder, "program")
    template = os.path.join(folder, "template")
    flags = [machine.nvcc(), "-O3", "-arch=sm_90", source]
    subprocess.run(flags + ["-cubin", "-o", template], check=True)
    subprocess.run(flags + ["-o", program, "-lcuda"], check=True)
    with open(template, "rb") as file:
        data = file.read()
    where, = sass.find(template)
    code, = sass.read(template).values()
    loop = asm.hot_loop(code)
    paths, rule = [], []
    for number, pattern in enumerate(PATTERNS + CHEAPER):
        paths.append(os.path.join(folder, str(number)))
        with open(paths[-1], "wb") as file:
            file.write(patched(data, where.start, loop, pattern))
        code, = sass.read(paths[-1]).values()
        rule.append(bank_rule.bank_cycles(asm.hot_loop(code)))
    lines = subprocess.run([program, *paths], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    return list(zip(PATTERNS + CHEAPER, map(float, lines), rule))


def main() -> int:
    """Measure all patterns and compare them with the rule."""
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(folder)
    for pattern, cycles, rule in rows:
        good = fits(pattern, cycles, rule)
        tally.add(not good)
        print(f"  {'pass' if good else 'FAIL'}  {cycles:7.1f} cycles a round, "
              f"{rule:4d} by the rule: {pattern}")
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(["pattern", "cycles"])
            out.writerows((pattern, f"{cycles / SLOTS:.3f}")
                          for pattern, cycles, _ in rows)
    return close()


if __name__ == "__main__":
    sys.exit(main())
