"""What a compiler says, in the reader's words: one or two lines for each error.

clang reads a .cu file once more, as CUDA and without output, for its rules:
which side may call what, how a kernel is launched (include/sim_rules.h). It sees
the source as it was written, so its messages name the reader's own line. What
remains to be done here is to choose one of its notes, and to say which things
are no mistake, but not supported.
"""

import linecache
import re

MOST_ERRORS = 10
DIAGNOSTIC = re.compile(r"(.+?:\d+:\d+): (?:fatal )?(error|warning|note): (.*)")
MISSING_HEADERS = [
    (r"cub/", "CUB is not supported"),
    (r"thrust/", "Thrust is not supported"),
    (r"cuda/", "this part of libcu++ is not supported"),
    (r"cublas", "of cuBLAS only cublas_v2.h is supported"),
    (r"curand", "of cuRAND only curand_kernel.h is supported"),
    (r"cusparse|cusolver|cufft|cudnn|npp|nccl|cutlass|cute/",
     "libraries for GPUs are not supported"),
    (r"nvrtc|nvJitLink|nvPTXCompiler", "compiling at run time is not supported"),
    (r"cuda_fp8|cuda_fp6|cuda_fp4", "floating-point numbers of 8 bits and less are not supported"),
    (r"cooperative_groups/", "this part of cooperative groups is not supported"),
    (r"nvtx|nvToolsExt|cupti|nvml", "tools for GPUs are not supported"),
    (r"cuda\w*\.h|device_|texture|surface|helper_|sm_\d\d_|crt/|math_functions|nv",
     "this header is not supported"),
]  # fmt: skip
# Names that no header here declares, in what a compiler says of them.
UNKNOWN = re.compile(
    r"(?:use of undeclared identifier|unknown type name) '(\w+)'|"
    r"‘(\w+)’ (?:was not declared|does not name a type)"
)
MISSING_NAMES = [
    (r"cu[A-Z]\w+|CU[a-z]\w+",
     "of the driver API only cuTensorMapEncodeTiled is supported"),
    (r"surf(1D|2D|3D|Cubemap)\w*|cuda\w*Surface\w*", "surfaces are not supported"),
    (r"tex([123]D|Cubemap)\w*|cuda\w*Mipmap\w*|cuda\w*3DArray|cudaBindTexture\w*",
     "of textures only tex1Dfetch, tex1D and tex2D of an object are supported"),
    (r"curand\w*|CURAND_\w+",
     "of cuRAND only XORWOW and Philox, uniform and normal, are supported"),
    (r"__is[A-Z]\w+|erfcxf?|cyl_bessel_i[01]f?|__fns|__dp2a_\w+|CUDART_\w+|nvtx\w+|NVTX_\w+",
     "this name is not supported"),
    (r"cudaGraphCond\w+", "conditional nodes of graphs are not supported"),
    (r"cuda(Graph|Graphics|Stream|Event|Mem|Malloc|Device|Func|Launch|Ipc|External|Import|"
     r"Texture|Surface|Array|User|Kernel|Library|Driver|Occupancy)[A-Z]\w*",
     "this part of the runtime's API is not supported"),
    (r"cublas(I[sdcz]am|(Sc|Dz|Cs|Zd|[SDCZH])(am|as|ax|co|do|dg|g[be]|h[bep][mr]|ma|nr|ro|"
     r"s[bcpwy]|t[bpr])|[LX]t|[A-Z]\w+Ex)\w*|CUBLAS_\w+|CUDA_[CR]_\w+",
     "this part of cuBLAS is not supported"),
    (r"__vi\w+", "DPX instructions are not supported"),
    (r"__v\w+[24]", "SIMD instructions on parts of a word are not supported"),
]  # fmt: skip
# What clang says -> what a reader of CUDA understands at once.
WORDS = [
    (r"call to global function '(.+)' not configured",
     r"\1 is a kernel: it is launched, \1<<<grid, block>>>(...), not called"),
    (r"kernel call to non-global function '(.+)'",
     r"\1 is no kernel: <<<...>>> launches __global__ functions"),
    (r"reference to __global__ function '(.+)' in __(?:global|device)__ function",
     r"\1: a kernel cannot launch kernels in the simulator"),
    (r"too (few|many) execution configuration arguments to kernel function call",
     r"too \1 arguments between <<< and >>>"),
]  # fmt: skip
# Of these headers of C++ nvcc lets kernels call what is constexpr or has a twin.
TAKEN_BY_NVCC = {"move.h", "initializer_list", "cmath", "std_abs.h", "cstdlib"}
# nvcc takes `__shared__ alignas(16) int x`; C++ wants alignas first. And a program
# may declare a function of C once more, which our headers give to both sides.
HARMLESS = re.compile(
    "'alignas' attribute cannot be applied to types|an attribute list cannot appear|"
    "function '.*' cannot overload"
)
# The notes that say why, the best first.
REASONS = [
    r"(?:candidate.*: )?(call to __\w+__.* function from .*)",
    r"candidate (?:function|constructor|template|inherited).*?"
    r"(?: not viable| ignored)(?: \[.*?\])?: (.*)",
    r"('.*' declared here)",
    r"(passing argument to parameter '.*' here)",
    r"(in instantiation of .*) requested here",
]


class Diagnostic:
    """An error or a warning, with its notes as (place, text)."""

    def __init__(self, place, kind, text):
        self.place, self.kind, self.text = place, kind, text
        self.notes = []

    def lines(self, own):
        """An error with its code and its reason; own(place): is it in one of the
        reader's files?"""
        place, reason = self.place, self.reason()
        if not own(place):
            place = next((p for p, _ in self.notes if own(p)), place)
        text = self.text
        for pattern, words in WORDS:
            text = re.sub(pattern, words, text)
        lines = [f"{place}: {self.kind}: {text}"]
        if self.kind == "error" and own(place):
            lines += code(place)
        if reason and self.kind == "error":
            where = f"{reason[0]}: " if own(reason[0]) else ""
            lines.append(f"    {where}{reason[1]}")
        return lines

    def reason(self):
        """(place, text) of the note that says why; None if none does."""
        for pattern in REASONS:
            for place, text in self.notes:
                if match := re.fullmatch(pattern, text):
                    return place, match[1]
        return None


def code(place):
    """The line of a place, below it a caret; nothing without the file."""
    path, line, column = place.rsplit(":", 2)
    text = linecache.getline(path, int(line)).rstrip()
    before = text.encode()[: int(column) - 1].decode(errors="replace")
    caret = re.sub(r"\S", " ", before)  # tabs stay
    return [f"{line:>5} | {text}", f"{'':>5} | {caret}^"] if text else []


def diagnostics(text):
    """The errors and warnings among the lines of a compiler."""
    result = []
    for match in filter(None, map(DIAGNOSTIC.match, text.splitlines())):
        if match[2] != "note":
            result.append(Diagnostic(*match.groups()))
        elif result:
            result[-1].notes.append((match[1], match[3]))
    return result


def is_unsure(text, foreign):
    """Does clang refuse more than nvcc, told that constexpr is the host's?

    nvcc only warns of such a call in a function of both sides, and lets kernels
    call some that headers of C++ define: std::move(), those of <cmath>.
    """
    errors = [x for x in diagnostics(text) if x.kind == "error"]
    return any(
        "__host__ __device__ function" in words or place.startswith(foreign)
        for error in errors
        for place, words in [(error.place, error.text), *error.notes]
    )


def refused_by_nvcc(text, foreign):
    """Of what is unsure: where a kernel calls what a header of C++ has for the host."""
    lines = []
    for error in diagnostics(text):
        calls = "\n".join([error.text, *(words for _, words in error.notes)])
        headers = {place.split(":")[0].rsplit("/", 1)[-1] for place, _ in error.notes
                   if "/c++/" in place}  # fmt: skip
        called = r" __host__ function.* (from|in) __(global|device)__ function"
        if (headers and not headers & TAKEN_BY_NVCC and re.search(called, calls)
                and not error.place.startswith(foreign)):
            lines += error.lines(lambda place: not place.startswith(foreign))
    return lines


def summary(text, foreign):
    """(errors, warnings, others) as lines; foreign: folders that are not the reader's.

    An error that names no line of the reader's is not the reader's mistake: it is
    one of the others, and so is what a compiler says without a place.
    """

    def own(place):
        return not place.startswith(foreign)

    lines = {"error": [], "warning": []}
    others = re.findall(r"^clang[^:]*: error: .*", text, re.M)
    for diagnostic in diagnostics(text):
        if HARMLESS.search(diagnostic.text):
            continue
        if own(diagnostic.place) or any(own(place) for place, _ in diagnostic.notes):
            if diagnostic.lines(own) not in lines[diagnostic.kind]:
                lines[diagnostic.kind].append(diagnostic.lines(own))
        elif diagnostic.kind == "error":
            others += diagnostic.lines(own)
    errors = [line for group in lines["error"][:MOST_ERRORS] for line in group]
    if len(lines["error"]) > MOST_ERRORS:
        errors.append(f"and {len(lines['error']) - MOST_ERRORS} more errors")
    return errors, [line for group in lines["warning"] for line in group], others


def refusal(text, foreign):
    """The line that says which unsupported thing a compiler stumbled over."""
    if re.search(r"multiple definition of .sim\.module|duplicate symbol: sim\.mod", text):
        return (
            "simcc: kernels in several object files are not supported: give all "
            ".cu files to one simcc"
        )
    if re.search(r"undefined (reference to .main'|symbol: main$)", text, re.M):
        return "simcc: no source has a main(); -c makes an object file"
    pattern = (
        r"^(.+?:\d+): Error: no such instruction|"
        r"^(.+?:\d+):\d+: error: (?:invalid|unknown) instruction"
    )
    if match := re.search(pattern, text, re.M):
        return f"{match[1] or match[2]}: inline PTX needs clang, not plain mode"
    for error in diagnostics(text):
        places = [error.place, *(place for place, _ in error.notes)]
        places += re.findall(r"^(.+?:\d+:\d+): +required from", text, re.M)  # g++
        place = next((p for p in places if not p.startswith(foreign)), error.place)
        reason = re.search(r"(simulator|CUDA): ([^\"\]\[]+)", error.text)
        name = re.search(r"['‘]([\w:./]+)", error.text)
        if reason and reason[1] == "CUDA":
            return f"{place}: {reason[2].strip()}"
        if reason:
            shown = f"{name[1]}: " if name else ""
            return f"{place}: {shown}{reason[2].strip()} by the simulator"
        header = re.match(
            r"'?([\w./+-]+)'?(?: file not found|: No such file)", error.text
        )
        for pattern, words in MISSING_HEADERS if header else []:
            if re.match(pattern, header[1]):
                return f"{place}: {header[1]}: {words} by the simulator"
        unknown = UNKNOWN.match(error.text)
        for pattern, words in MISSING_NAMES if unknown else []:
            if re.fullmatch(pattern, unknown[1] or unknown[2]):
                near = re.search(r"; did you mean .*", error.text)
                return (f"{place}: {unknown[1] or unknown[2]}: {words} by the "
                        f"simulator{near[0] if near else ''}")
    return None
