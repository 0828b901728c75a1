"""What a learner's file may not contain, since it cheats or could.

source() reads the text and names the line. What no macro and no escape can hide
stands in the compiled file: assembly() reads its code, objects() its symbols. What
it uses must be what the solution uses or be on a short list of harmless functions,
and what it defines may take the place of nothing that others use.

Lines that stand in the skeleton, too, are not looked at.
"""

import functools
import glob
import os
import re
import subprocess
from typing import Dict, List, Optional, Set

from tools import course

INCLUDE = re.compile(r"""\s*#\s*include\b(?:\s*[<"]([^>"]*)[>"])?""")

# What may be said in no line, and why.
REFUSED = [
    (r"\b_*sim_\w*|\bsim\s*::|\b_*SIM_\w+|\b__sim\w*",
     "names the simulator's internals"),
    (r"##|%:|\?\?", "joins words with ##"),
    (r"\b(u8|[uUL])?R\"", "has a raw string"),
    (r"\b__(CUDASIM|CUDA_ARCH|NVCC|CUDACC|clang|GNUC|has_)\w*",
     "asks which compiler it is"),
    (r"\bcuda(Memcpy(?!ToSymbolAsync\b)|MallocHost|MallocManaged|Host)\w*"
     r"|\b__managed__\b", "brings data to the host"),
    (r"\b(__attribute(__)?|__declspec|_*(gnu|[cC]lang)_*)\b",
     "has an attribute of the compiler"),
    (r"#\s*(line|import|embed|include_next)\b", "has #line or the like"),
    (r"#\s*pragma(?!\s+(unroll|nounroll|once)\b)|\b_Pragma\b",
     "has a #pragma other than unroll"),
]
# Assembly that the simulator has not translated; what is empty is its own, and that
# a library initialises itself is said by the <iostream> of GCC 13.
ASM = re.compile(r'^module asm (?!"\.globl _ZSt21ios_base_library_initv"$)|^\s.*\basm\b[^"]*"[^"]', re.M)
# Headers of the simulator that are none of CUDA's, and those of C.
INTERNAL = {"sim.h", "sim_rules.h", "cuda_profiler_api.h", "cuda/sim_scope.h"}
HEADERS = "assert float limits math stdbool stddef stdint stdio stdlib string".split()
CXX = ("algorithm array functional initializer_list iomanip iostream iterator limits "
       "memory numeric string tuple type_traits utility vector".split())
# Symbols that are in no solution, perhaps, and do no harm.
HARMLESS = re.compile(
    r"printf|puts|putchar|fputs|fputc|fwrite|fprintf|stderr|stdout|fflush"
    r"|memset|memcpy|memmove|memcmp|strlen|strcmp|abort|exit|_exit|__assert_fail"
    r"|malloc|calloc|free"
    r"|__(printf|fprintf|memset|memcpy|memmove)_chk|__stack_chk_fail"
    r"|(f?(abs|min|max|ma|mod|loor|dim)|abs|ceil|exp2?|log(2|10)?|pow|sqrt|sin"
    r"|cos|tan|nan|round|trunc|rint|nearbyint|ldexp|frexp|hypot|cbrt|floor|l?lround"
    r"|l?lrint|copysign|nextafter)f?"
    r"|__ubsan_handle_out_of_bounds|__gxx_personality_v0|_Unwind_Resume"
    r"|_GLOBAL_OFFSET_TABLE_|__dso_handle|__cxa_(atexit|guard_\w+)|atexit"
    r"|cudaLaunchKernel(ExC)?"
    # What C++ headers bring, less files, and what a beginner writes behind a launch
    r"|_Z(N?K?|T[VI]N?|T[TCv]\w*)(St|S[abdios]|9__gnu_cxx)(?!\w*(file|fstream|thread))\w+"
    r"|_Z(n[wa]|d[la])\w+|__cxa_(begin|end)_catch|__cxa_(re)?throw|_ZTV\w+"
    r"|cuda(Device|Stream|Event)Synchronize|cudaFuncSetCacheConfig"
    r"|cudaEvent(Create(WithFlags)?|Record|Query|ElapsedTime|Destroy)"
    r"|cudaGetLastError|cudaPeekAtLastError|cudaGetErrorString"
    r"|cudaFuncSetAttribute|cudaFuncGetAttributes|cudaGetDevice|cudaMemsetAsync"
    r"|cudaDeviceGetAttribute|cudaOccupancyMaxActiveBlocksPerMultiprocessor\w*"
    r"|device_(launched|blocks|simulated|check)|options_refuse"
    r"|gemm_(open|verify|time|close)|variants_(open|verify|time|close)")
# Ways to memory and to wait that gates do not count: a kernel has those that the
# solution has, as functions of the simulator or as words of PTX.
DOORS = re.compile(
    r"sim_(?:atomic|async_bulk|bulk_store|mbarrier|cluster|matrix|tile_sync|wait_grid)"
    r"|(?:atom|\bred|mbarrier|cp\.(?:async\.bulk|reduce)|mma|(?:ld|st)matrix)(?=\.[a-z])"
    r"|\bbar(?:rier)?(?=\.[a-z.]+\s+(?!0\s*;))|shared::cluster")
# What compilers make of their own accord.
MADE = ("sim.module.", "sim__", "__cuda", "__fatbin", "_fatbin", "DW.ref.")
REPLACED = re.compile(r"_Z(n[wa]|d[la])")  # operator new and delete


def spliced(text: str) -> str:
    """Return the text with lines that end in a backslash made one.

    Empty ones follow it, so that all others keep their numbers.
    """
    return re.sub(
        r".*\\[ \t]*\n(?:.*\\[ \t]*\n)*.*", lambda match: re.sub(
            r"\\[ \t]*\n", "", match.group()) + "\n" * match.group().count("\n"),
        text.replace("\r\n", "\n"))


def headers() -> Set[str]:
    """Return what a learner's file may include."""
    own = "simulator/include"
    known = {os.path.relpath(path, own)
             for path in glob.glob(f"{own}/**/*", recursive=True)} - INTERNAL
    return known | {*CXX} | {form.format(name) for name in HEADERS
                    for form in ("{}.h", "c{}")}


def source(text: str, skeleton: str) -> Optional[str]:
    """Return "LINE: why" where a file is refused; None if it is not."""
    plain = course.blank(spliced(text))
    lines = plain.split("\n")
    trusted = set(map(str.strip, course.blank(spliced(skeleton)).split("\n")))
    allowed = headers()
    for number, code in enumerate(
            course.blank(plain, strings=True).split("\n"), 1):
        if lines[number - 1].strip() in trusted:
            continue
        for pattern, why in REFUSED:
            if re.search(pattern, code):
                return f"{number}: it {why}"
        include = INCLUDE.match(lines[number - 1])
        if include and include[1] not in allowed:
            return f"{number}: it includes what is not for exercises"
    return None


def assembly(ir: str) -> Optional[str]:
    """Return why a file is refused whose code, as LLVM's text, is this."""
    return "it has assembly that is no PTX" if ASM.search(ir) else None


# ---- symbols -----------------------------------------------------------------


def symbols(path: str) -> Dict[str, str]:
    """Return the symbols of an object or an archive, with the letter of nm."""
    done = subprocess.run(["nm", "-P", path], stdout=subprocess.PIPE, text=True,
                          check=True)
    return dict(re.findall(r"^(\S+) ([A-Zuwv])\b", done.stdout, re.M))


@functools.lru_cache(None)
def libraries(back_end: str) -> Set[str]:
    """Return all names that our libraries define or look for."""
    paths = glob.glob(f"build/{back_end}/**/*.a", recursive=True)
    return {name for path in [*paths, f"build/{back_end}/grade/child.o"]
            for name in symbols(path)}


def objects(learner: str, solution: str, back_end: str,
            kernels: List[str]) -> Optional[str]:
    """Return why a compiled file is refused; None if it is not. Kernels may have
    the names of C."""
    doors, known = (set(DOORS.findall(course.text_of(path)))
                    for path in (learner, solution))
    for name in sorted(doors - known) if back_end == "simulator" else ():
        return f"it uses {name}, which the solution does without"
    own, taken = symbols(solution), libraries(back_end)
    text = course.text_of("simulator/include/sim.h").split("/* ---- 3. ")[0]
    # The functions that compiled kernels call.
    allowed = set(re.findall(r"\b(sim_\w+)\(",
                             course.blank(text, strings=True)))
    for name, kind in sorted(symbols(learner).items()):
        if name in own or name.startswith(MADE):
            continue
        name = re.sub("_(pt(sz|ds)|own)$", "", name)  # of per-thread streams
        if kind in "Uwv":
            if not (name in allowed or HARMLESS.fullmatch(name)
                    or re.match(r"sim_hook_\w+$", name)):
                return f"it uses {name}, which is not for exercises"
        # A variable has the name that it has in C; a function of C++ has not.
        elif name in taken or REPLACED.match(name) or (
                kind in "TWi" and name not in ("main", *kernels)
                and not name.startswith("_Z")):
            return f"it defines {name}, which others use"
    return None
