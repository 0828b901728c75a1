"""What nvcc makes of the sources, and the decoder of machine code that says so.

Usage: python3 -m tests.machine_code [--all | CLASS...]      (make test-all: --all)

All chapters compile for sm_90, with --all and the solutions for sm_75 and sm_80,
too; common/, and with --all the tests, for sm_75, the oldest GPU supported. The
decoder, sass.py, is tested with words whose meaning is known, with kernels that
are compiled here, and, where cuobjdump is, against it, word for word. Without
nvcc only the first part runs. Ends with `N passed, N failed, N skipped`.
"""

import functools
import glob
import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Dict, Iterable, List, NamedTuple, Tuple
from unittest import mock

from tests import register_banks, sass
from tests.checks import read, run_unittests, write
from tools import asm, bank_rule, course, machine
from tools.author import ablation

NVCC = machine.nvcc()
CHAPTERS = course.chapters()
# The rungs whose inner loop is to be nothing but FFMA.
DENSE = [name for name in CHAPTERS if "gemm_06" <= name < "gemm_99"]
ALL = "--all" in sys.argv[1:]


def ins(text: str, address: int = 0) -> asm.Instruction:
    """Return an instruction."""
    return asm.Instruction(address, text, 1)


# GPU, address, word, what it means.
KNOWN = (
    (75, 0x1710, 0x040fe4000000003100000017180a7223,
     "FFMA R10, R24.reuse, R23, R49"),
    (75, 0x1680, 0x000fe60008005c000000000805147984, "LDS.128 R20, [R5]"),
    (75, 0x7d0, 0x0000a200001ee900000000000c1aa381, "@!P2 LDG R26, [R12]"),
    (75, 0x3890, 0x000fea000383ffffffffdda000000947, "@P0 BRA 0x1640"),
    (80, 0x1700, 0x040fe200000000080000001518087223,
     "FFMA R8, R24.reuse, R21, R8"),
    (80, 0x1410, 0x0041e20000000800000000180b007388, "STS [R11], R24"),
    (80, 0x3890, 0x000fea000383ffffffffdd9000007947, "BRA 0x1630"),
    (90, 0x1840, 0x041fe20000000035000000301c0f7223,
     "FFMA R15, R28.reuse, R48, R53"),
    (90, 0x5c0, 0x000fe800000008000000000031057984, "LDS R5, [R49]"),
    (90, 0, 0x0c00ffff8000021c7984, "LDS.128 R28, [R2-0x80]"),
    (90, 0, 0x0c0000001000ff147984, "LDS.128 R20, [0x10]"),
    (90, 0x39d0, 0x000fec000383ffffffffffdc00680947, "@P0 BRA 0x1780"),
    (90, 0x1770, 0x000fec00000100000000000000007b1d, "BAR"),
    (90, 0x73b0, 0x000fc0000383fffffffffffc00fc7947, "BRA 0x73b0"),
    # The third source is a constant, -0.00138..., then the second, 2.0.
    (86, 0, 0x0400000000000009bab6061a04077423, "FFMA R7, R4.reuse, R9, c"),
    (86, 0, 0x000000034000000000007823, "FFMA R0, R0, c, R3"),
    (90, 0, 0x71ff, "0x1ff"),  # what has no name is a number
)


class Words(unittest.TestCase):
    """The decoder."""

    def test_words_whose_meaning_is_known(self) -> None:
        for sm, address, word, text in KNOWN:
            self.assertEqual(sass.instruction(address, word, sm).text, text)


# Code, an instruction an address, and the addresses of its hot loop.
LOOPS = (
    # The innermost; two jumps to one head are one loop.
    (["NOP", "NOP", "BRA 0x1", "BRA 0x0"], [1, 2]),
    (["NOP", "@P0 BRA 0x0", "NOP", "BRA 0x0"], [0, 1, 2, 3]),
    # Forward jumps and the trap at the end are none.
    (["FFMA", "BRA 0x3", "NOP", "BRA 0x3"], []),
    # The most multiply-adds; a loop inside of it may be without any.
    (["FFMA", "FFMA", "BRA 0x0", "FFMA", "NOP", "NOP", "BRA 0x3"], [0, 1, 2]),
    (["HMMA", "NOP", "BRA 0x1", "BRA 0x0"], [0, 1, 2, 3]),
)

# Operands of FFMA, and how many have their three sources in one bank.
CONFLICTS = (
    (["R1, R2, R4, R6"], 1), (["R1, R3, R5, R7"], 1),
    (["R2, R2, R4, R7", "R1, R2, R5, R7"], 0),  # two of one bank are free
    (["R6, R2, R2, R6"], 0),  # one register twice is read once
    (["R1, R3, R5, RZ"], 0),  # RZ is no register
    # The reuse cache gives the third, at its place, once.
    (["R1, R2.reuse, R4, R7", "R3, R2, R6, R8"], 0),
    (["R1, R2.reuse, R4, R7", "R3, R6, R2, R8"], 1),
    (["R1, R2.reuse, R4, R7", "R3, R10, R6, R8"], 1),
    (["R1, R2, R4, R7", "R3, R2, R6, R8"], 1),
)


class Rules(unittest.TestCase):
    """Which loop is the hot one; what register banks cost."""

    def test_hot_loops(self) -> None:
        for texts, addresses in LOOPS:
            with self.subTest(texts):
                code = [ins(text, at) for at, text in enumerate(texts)]
                self.assertEqual([i.address for i in asm.hot_loop(code)],
                                 addresses)

    def test_bank_conflicts(self) -> None:
        for operands, conflicts in CONFLICTS:
            with self.subTest(operands):
                code = [ins(f"FFMA {text}") for text in operands]
                self.assertEqual(len(bank_rule.bank_conflicts(code)), conflicts)

    def test_cycles_are_those_of_an_h200(self) -> None:
        measured = register_banks.golden()
        self.assertGreater(len(measured), 40)
        for pattern, cycles in measured:
            code = register_banks.instructions(pattern, 600)
            rule = bank_rule.bank_cycles(code) / len(code)
            with self.subTest(pattern):
                self.assertTrue(register_banks.fits(pattern, cycles, rule),
                                f"{cycles}, but {rule} by the rule")


class Built(NamedTuple):
    """What nvcc made of a file."""

    output: str
    cubin: str  # its path; "": there is no kernel


# What was compiled from the same files with the same words is there already.
CACHE = os.path.join("build", "test", "nvcc")
WORDS = ["-O3", "--default-stream", "per-thread", "-I", "common"]
# All warnings but one: members that an initializer does not name are 0 on
# purpose.
WARNINGS = ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror,"
            "-Wno-missing-field-initializers", "-Xptxas", "-v"]


def bytes_of(paths: Iterable[str]) -> bytes:
    """Return what stands in some files."""
    return b"".join(Path(path).read_bytes() for path in paths)


@functools.lru_cache(maxsize=None)
def common_bytes() -> bytes:
    """Return nvcc's version and the headers of common/."""
    return subprocess.run([NVCC, "--version"], check=True,
                          stdout=subprocess.PIPE).stdout + bytes_of(
        sorted(glob.glob("common/**/*.*h", recursive=True)))


@functools.lru_cache(maxsize=None)
def built(source: str, arch: str, host: bool = True) -> Built:
    """Compile a file, with its host code and all warnings unless told not to."""
    words = [*WORDS, *machine.code_for(source, arch),
             *(WARNINGS if host else [])]
    # A test or a solution may include a chapter.
    folder = "chapters/*" if source.startswith(("tests/gpu", "solutions")) else \
        os.path.dirname(source)
    key = hashlib.sha256(common_bytes() + repr(words).encode() + bytes_of(
        [source, *sorted(glob.glob(f"{folder}/**/*.cu*", recursive=True))]))
    entry = os.path.join(CACHE, key.hexdigest())
    if not os.path.exists(entry):
        os.makedirs(CACHE, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            out = ["-keep", "-keep-dir", folder, "-c", "-o", f"{folder}/object"] \
                if host else ["-cubin", "-o", f"{folder}/object.cubin"]
            done = subprocess.run([NVCC, *words, *out, source], text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            if done.returncode != 0:
                raise AssertionError(f"{[*words, source]}: {done.stdout}")
            cubins = glob.glob(f"{folder}/*.cubin")
            if cubins:
                os.replace(cubins[0], f"{entry}.cubin")
            write(f"{folder}/output", done.stdout)
            os.replace(f"{folder}/output", entry)
    cubin = f"{entry}.cubin"
    return Built(read(entry), cubin if os.path.exists(cubin) else "")


def gpus(source: str) -> List[str]:
    """Return the GPUs that a source is compiled for: those that differ."""
    kinds = {" ".join(machine.code_for(source, arch)): arch
             for arch in ("sm_75", "sm_80", "sm_90")}
    return list(kinds.values())


def files() -> List[Tuple[str, str]]:
    """Return what is compiled with its host code: files, and for which GPU."""
    own = [path(name) for name in course.chapters()]
    own += glob.glob("tests/chapters/*/*.cu")
    own += glob.glob("solutions/*.cu") if ALL else []
    others = glob.glob("common/*.c") + glob.glob("common/gpu/*.c*")
    others += [*glob.glob("tests/gpu/*.cu"),
               *glob.glob("tests/unit/faults*.cu")] if ALL else []
    return [(name, arch) for name in own
            for arch in gpus(name) if ALL or arch == "sm_90"] + [
                (name, "sm_75") for name in others]


def spilling(output: str) -> List[str]:
    """Return the kernels, CUB's left out, with spills or local memory."""
    return [name for name, frame in re.findall(
        r"Function properties for (\S+)\n(.*)", output)
        if not name.startswith("_ZN3cub") and re.search("[1-9]", frame)]


class Asm(unittest.TestCase):
    """What make asm prints."""

    def test_names(self) -> None:
        self.assertEqual(asm.demangled([
            "_Z11gemm_kerneliiifPKf", "_Z4scanIL2op0ELin2EEvPf", "_ZL4tilePf",
            "probe"]), ["gemm_kernel", "scan<0, -2>", "tile", "probe"])

    def test_resources(self) -> None:
        lines = asm.resources({"_Z3twov": "two", "_Z3onev": "one (a)"}, (
            "ptxas info : Compiling entry function '_Z3onev' for 'sm_90'\n"
            "    0 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads"
            "\nptxas info : Used 40 registers, 16384 bytes smem\n"
            "ptxas info : Compiling entry function '_Z3twov' for 'sm_90'\n"
            "ptxas info : Used 7 registers\n"))
        self.assertEqual([line.split() for line in lines[1:]],
                         [["two", "7", "0", "0"],
                          ["one", "(a)", "40", "16384", "8"]])

    def test_what_spills(self) -> None:
        frame = ("ptxas info    : Function properties for {}\n    {} bytes stack "
                 "frame, {} bytes spill stores, 0 bytes spill loads\n")
        output = "".join(frame.format(*kernel) for kernel in (
            ("_Z3onev", 0, 0), ("_Z3twov", 8, 0), ("_Z5threev", 0, 4),
            ("_ZN3cub4scanEv", 8, 8)))
        self.assertEqual(spilling(output), ["_Z3twov", "_Z5threev"])

    def test_what_fills_the_end_of_a_kernel(self) -> None:
        nop, trap = ins("NOP"), ins("BRA 0x73b0", 0x73b0)
        code = [nop, ins("EXIT"), trap, nop, nop]
        self.assertEqual(asm.unpadded(code), code[:2])

    def test_what_is_said_of_a_loop(self) -> None:
        code = [ins("FFMA R1, R2, R4, R6"), ins("FFMA R1, R2, R4, R7")]
        self.assertEqual(asm.mix_table(code), ["  FFMA           2  100.0 %"])
        self.assertEqual([line.strip() for line in asm.operands(code, "sm_90")], [
            "register-bank conflicts: 1 of 2 FFMA, 50.0 %",
            "cycles that issue and register banks need: 5, so FFMA at most "
            "40 % of peak"])
        marks = [line.endswith("<- register-bank conflict")
                 for line in asm.listing(code[:1])]
        self.assertEqual(marks, [True])

    def test_what_cuobjdump_writes(self) -> None:
        dump = """
\tcode for sm_90
\t\tFunction : _Z4loopPf
\t.headerflags\t@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   MOV R1, R3 ;   /* 0x0000000300017202 */
                                                  /* 0x000fe20000000f00 */
        /*0010*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ; \
/* 0x0000000402047981 */
                                                  /* 0x000ea2000c1e9d00 */
        /*0020*/                   FFMA R15, -R28.reuse, R48, c[0x0][0x8] ; \
/* 0x000000301c0f7223 */
                                                  /* 0x041fe20000000035 */
        /*0030*/              @!P0 BRA 0x10 ;     /* 0xfffffffc00680947 */
                                                  /* 0x000fec000383ffff */
"""
        with mock.patch.object(machine, "answer", lambda *_: dump):
            (name, code), = asm.read("x").items()
        move, load, fused, jump = code
        self.assertEqual(name, "_Z4loopPf")
        self.assertEqual((move.name, move.sources),
                         ("MOV", [asm.NO_REGISTER, 3, asm.NO_REGISTER]))
        self.assertEqual((load.name, load.bytes), ("LDG", 16))
        self.assertEqual((fused.sources, fused.reuse, fused.stall), (
            [28, 48, asm.NO_REGISTER], [True, False, False], 1))
        self.assertEqual((jump.address, jump.target), (0x30, 0x10))
        self.assertEqual(asm.hot_loop(code), code[1:])

    def test_what_is_said_of_global_memory(self) -> None:
        self.assertEqual(asm.accesses([ins("FFMA R1, R2, R4, R6")]), "")
        code = [ins("STG.E.128"), ins("STG.E"), ins("LDG.E.128"), ins("STG.E")]
        self.assertEqual(asm.accesses(code),
                         "1 LDG.128, 1 STG.128, 2 STG.32")


@functools.lru_cache(maxsize=None)
def kernels(source: str, arch: str) -> Dict[str, List[asm.Instruction]]:
    """Return the code of a file's kernels."""
    return sass.read(built(source, arch, source.startswith("chapters/")).cubin)


def named(name: str, codes: Dict[str, List[asm.Instruction]]) -> list:
    """Return the code of the kernels of this name in the source."""
    return [code for mangled, code in codes.items()
            if asm.demangled([mangled]) == [name]]


def loop(source: str, arch: str = "sm_90") -> List[asm.Instruction]:
    """Return the hot loop with the most FFMA of all kernels of a file."""
    return max(map(asm.hot_loop, kernels(source, arch).values()),
               key=lambda code: asm.mix(code).get("FFMA", 0))


def last_load_and_first_store(code: List[asm.Instruction]) -> Tuple[int, int]:
    """Return how many FFMA of a loop stand before its last load from global
    memory, and before its first store to shared memory."""
    names = [instruction.name for instruction in code]
    load = len(names) - names[::-1].index("LDG")
    return (names[:load].count("FFMA"),
            names[:names.index("STS")].count("FFMA"))


def path(chapter: str) -> str:
    """Return the source of a chapter."""
    return f"chapters/{chapter}/{chapter}.cu"


@unittest.skipUnless(NVCC, "nvcc is not here")
class Chapters(unittest.TestCase):
    """All files compile; the hot loops of the chapters."""

    def test_no_warning(self) -> None:
        def warning(job: Tuple[str, str]) -> str:
            try:
                built(*job)
            except AssertionError as error:
                return str(error)
            return ""

        for job, text in zip(files(), course.together(2, warning, files())):
            with self.subTest(job):
                self.assertEqual(text, "")

    def test_registers_do(self) -> None:
        for name, arch in files():
            if "chapters/" in name and arch != "sm_75":
                output = built(name, arch).output
                with self.subTest(f"{name} {arch}"):
                    self.assertIn("bytes stack frame", output)
                    self.assertEqual(spilling(output), [])

    def test_a_loop_is_whole_steps_of_k(self) -> None:
        for name in DENSE:
            counted = asm.mix(loop(path(name)))
            with self.subTest(name):
                self.assertGreaterEqual(counted["FFMA"], 64)
                self.assertEqual(counted["FFMA"] % 64, 0)
                self.assertGreater(counted["LDS.128"], 0)

    def test_tiled_of_conv_knows_its_radius(self) -> None:
        """No loop, a load and an FFMA for each weight."""
        code, = named("tiled_kernel<2>", kernels(path("conv"), "sm_90"))
        counted = asm.mix(code)
        self.assertEqual(asm.hot_loop(code), [])
        self.assertEqual((counted["FFMA"], counted["LDS.32"]), (25, 25))

    def test_nearly_no_register_bank_conflicts(self) -> None:
        for name in DENSE:
            code = loop(path(name))
            of = asm.mix(code)["FFMA"]
            conflicts = len(bank_rule.bank_conflicts(code))
            with self.subTest(name):
                self.assertLessEqual(conflicts / of, 0.01,
                                     f"{conflicts} of {of} FFMA")

    def test_sixteen_bytes_stay_one_store(self) -> None:
        # The loop over SIDE / 32 float4 of a thread, both ways.
        code, = named("vector_kernel",
                      kernels(path("bank_conflict_padding"), "sm_90"))
        names = [i.name for i in code if i.bytes == 16]
        self.assertEqual((names.count("LDG"), names.count("STG")), (2, 2))

    def test_other_gpus(self) -> None:
        name = next(name for name in DENSE if name.startswith("gemm_06"))
        for arch in ("sm_75", "sm_80"):
            counted = asm.mix(loop(path(name), arch))
            with self.subTest(arch):
                self.assertEqual(counted["FFMA"], 1024)
                self.assertEqual(counted["LDS.128"], 64)


def nvcc_13_0() -> bool:
    """Whether nvcc is the one of which lessons quote what it makes."""
    return bool(NVCC) and "release 13.0," in subprocess.run(
        [NVCC, "--version"], stdout=subprocess.PIPE, text=True).stdout


def drawing(chapter: str) -> dict:
    """Return what stands in the program of a chapter's pictures."""
    return runpy.run_path(f"chapters/{chapter}/pictures/draw.py")


@unittest.skipUnless(nvcc_13_0(), "nvcc 13.0 is not here")
class Quoted(unittest.TestCase):
    """What lessons say of machine code."""

    def test_when_tiles_are_asked_for_and_needed(self) -> None:
        """The time lines of gemm_11: FFMA of a loop before each."""
        picture = drawing("gemm_11_async")
        for chapter, request, need, quoted in (
                ("gemm_10_warptile", "LDG", "STS", picture["GEMM_10_AT"]),
                ("gemm_11_async", "LDGSTS", "DEPBAR", picture["GEMM_11_AT"])):
            names = [i.name for i in loop(path(chapter))]
            last = len(names) - 1 - names[::-1].index(request)
            with self.subTest(chapter):
                self.assertEqual(tuple(names[:end].count("FFMA") for end in (
                    last, names.index(need))), quoted)

    def variants(self, chapter: str, *names: str) -> list:
        """Return the loops of a chapter and of its variants."""
        texts = ablation.texts_of(chapter)
        loops = [loop(path(chapter))]
        with tempfile.TemporaryDirectory() as folder:
            for number, name in enumerate(names):
                source = os.path.join(folder, f"{number}.cu")
                write(source, texts[name])
                loops.append(loop(source))
        return loops

    def test_register_banks(self) -> None:
        quoted = re.findall(r"^\| (gemm_\d+) \| (\d+) \| (\d+) \|",
                            read("docs/experiments/register_banks.md"), re.M)
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "turned.cu")
            write(source, read(path("gemm_08_double_buffer")).replace(
                "sum[i][j] += a[i] * b[j];",
                "{ int turn = i % 2 ? TN - 1 - j : j;"
                " sum[i][turn] += a[i] * b[turn]; }"))
            counted = {"gemm_08": [loop(path("gemm_08_double_buffer")),
                                   loop(source)]}
        for chapter in ("gemm_09_autotune", "gemm_10_warptile"):
            counted[chapter[:7]] = self.variants(chapter, "no serpentine")[::-1]
        self.assertEqual(
            {name: [int(cycles), int(turned)] for name, cycles, turned in quoted},
            {name: [bank_rule.bank_cycles(code) for code in codes]
             for name, codes in counted.items()})

    def test_warp_tile_is_another_address(self) -> None:
        codes = [[i.text for i in code if i.name != "BRA"]
                 for code in self.variants("gemm_10_warptile", "no warp tile",
                                           "unpaired lanes")]
        self.assertEqual(codes[0], codes[1])
        self.assertEqual(codes[0], codes[2])

    def test_fetch_that_moves(self) -> None:
        lesson = read("chapters/gemm_09_autotune/README.md")
        _, code = self.variants("gemm_09_autotune", "put behind the loop")
        names = [i.name for i in code]
        load, store = names.index("LDG"), names.index("STS")
        self.assertIn("\n".join(["```text", code[load].text, code[store].text,
                                 "```"]), lesson)
        between = names[load:store].count("FFMA")
        self.assertIn(f"Only {between} multiply-adds", lesson)

    def test_behind_the_barrier(self) -> None:
        for name, idle in (("gemm_09_autotune", True),
                           ("gemm_10_warptile", False)):
            names = [i.name for i in loop(path(name))]
            with self.subTest(name):
                self.assertEqual(
                    names[:names.index("FFMA")].count("LDS"), 6 * idle)

    def test_compilers_luck(self) -> None:
        """The table of the experiment: what stands where in the loops."""
        quoted = {name.strip(" `"): [int(number.replace(",", ""))
                                     for number in numbers]
                  for name, *numbers in re.findall(
                      r"^\| ([^|]+)" + r"\| ([\d,]+) " * 5 + r"\|$",
                      read("docs/experiments/compilers_luck.md"),
                      re.M)}
        for chapter in ("gemm_07_bank_conflict", "gemm_08_double_buffer"):
            names = [name for name in ablation.texts_of(chapter)
                     if name in quoted]
            for name, code in zip([chapter[:7], *names],
                                  self.variants(chapter, *names)):
                loads, store = last_load_and_first_store(code)
                with self.subTest(name):
                    self.assertEqual(quoted.pop(name)[1:], [
                        loads, store - loads, len(code),
                        bank_rule.bank_cycles(code)])
        self.assertEqual(quoted, {})

    def test_a_store_that_nvcc_splits(self) -> None:
        source = path("bank_conflict_padding")
        codes = {"__stwb": kernels(source, "sm_90")}
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.dirname(source), folder,
                            dirs_exist_ok=True)
            file = os.path.join(folder, "kernels/5_vector.cuh")
            store, text = "__stwb((float4 *)out, ", read(file)
            self.assertEqual(text.count(store), 1)
            write(file, text.replace(store, "*(float4 *)out = ("))
            codes["assigned"] = kernels(
                os.path.join(folder, os.path.basename(source)), "sm_90")
        for name, by_kernel in codes.items():
            code, = named("vector_kernel", by_kernel)
            self.assertRegex(read("docs/results/h200_transpose.txt"), rf"(?m)^{name} +the whole kernel: "
                             + re.escape(asm.accesses(code)) + "$")

    def test_timeline_of_gemm_08(self) -> None:
        """The picture and the lesson: where the loads and the stores stand."""
        at = last_load_and_first_store(loop(path("gemm_08_double_buffer")))
        picture = drawing("gemm_08_double_buffer")
        self.assertEqual(at, (picture["LOADS_AFTER"], picture["PUT_AFTER"]))
        lesson = " ".join(
            read("chapters/gemm_08_double_buffer/README.md").split())
        self.assertIn(f"{at[0]} of a tile's 1,024 FFMA", lesson)
        self.assertIn(f"and {at[1] - at[0]} between", lesson)


@unittest.skipUnless(NVCC and machine.cuda_tool("cuobjdump"),
                     "cuobjdump is not here")
class AgainstCuobjdump(unittest.TestCase):
    """Every instruction of every chapter, as cuobjdump names it."""

    def compare(self, ours: asm.Instruction, theirs: asm.Instruction) -> None:
        """Compare what make asm looks at."""
        names = ["address", "stall", "target"]
        if not ours.name.startswith("0x"):
            names += ["name"]
        if ours.name in ("LDG", "LDS", "STG", "STS"):
            names += ["bytes"]
        if ours.name == "FFMA":
            names += ["sources", "reuse"]
        for name in names:
            self.assertEqual(getattr(ours, name), getattr(theirs, name))

    def check(self, source: str, arch: str) -> None:
        """Compare all kernels of a file."""
        theirs = asm.read(built(source, arch).cubin)
        for name, code in kernels(source, arch).items():
            self.assertEqual(len(code), len(theirs[name]))
            for ours, other in zip(code, theirs[name]):
                with self.subTest(f"{arch} {source} 0x{ours.address:x}"):
                    self.compare(ours, other)

    def test_all(self) -> None:
        for name in CHAPTERS:
            for arch in gpus(path(name)):
                self.check(path(name), arch)


if __name__ == "__main__":
    sys.exit(run_unittests(
        __name__, *(word for word in sys.argv[1:] if word != "--all")))
