"""CUDA source to C++: the few things that no C++ compiler understands.

    kernel<<<grid, block>>>(x, n)     a call of ::sim::launch (device_launch.h)
    extern __shared__ float s[];      float *s = (float *)::sim_dynamic_shared(...);
    __noinline__                      __attribute__((noinline))
    __shared__ alignas(8) int i;      __shared__ __align__(8) int i;
    __device__ int total;             noted, so that host variables are told apart
    asm("..." : "=f"(x) : "l"(p));    "=x", "r": registers of this machine
    cudaLaunchKernel((void *)k, ...)  cudaLaunchKernel(k, ...): types are needed
    params.func = (void *)k;          params.func = ::sim::address(k);

Everything else that CUDA adds is a macro or a function of include/. Lines are
kept, so every message and report names the reader's own line.

The work is done on a *blanked* copy of the source: comments, strings and
character constants are replaced by spaces. Positions in it are positions in
the source, and whatever is found in it is code.
"""

import os
import re
import sys

import sides

LITERAL = re.compile(
    r"""//(?:\\\n|[^\n])*                          # a comment to the end of line
      | /\*.*?\*/                                 # a comment
      | \b(?:u8|[uUL])?R"([^\s()\\]*)\(.*?\)\1"   # R"x(a raw string)x"
      | "(?:\\.|[^"\\\n])*"
      | \b\d(?:'?[\w.])*                          # 1'000: no quote opens here
      | '(?:\\.|[^'\\\n])*'
    """,
    re.S | re.X,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.M)
EXTERN = re.compile(r"\bextern\b([^;{}()]*(?:\([^;{}]*\)[^;{}()]*)*)\[\s*\]([^;{}]*);")
ALIGNMENT = re.compile(
    r"(?:__align__|alignas|__attribute__)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
)
EMPTY = re.compile(r'\(\s*""\s*:')
ASM = re.compile(r"\b(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*(?=\()")
PTX = re.compile(r'"[^"]*\b[a-z]\w*\.[a-z]')  # an instruction such as mov.u32
CONSTRAINT = re.compile(r'([:,][\s\\]*(?:\[\w+\]\s*)?"[=+&]*)([fdhl])"')
ON_DEVICE = re.compile(r"\b(?:__device__|__managed__)\b")
EXTERN_C = re.compile(r'\bextern(?=\s*"C")')
EXTERN_CONSTANT = re.compile(r"\bextern\b[^;{}()=]*?\b(__constant__)\b")
DECLARATION_END = re.compile(r"\(\s*\*|[(;=\[{]")
BOUNDS = re.compile(r"\b__(?:launch_bounds|cluster_dims)__\s*\([^;{}]*?\)")
KERNEL = re.compile(r"\b__global__\b[^;{}()]*?\b(\w+)\s*\(")
ADDRESS = re.compile(
    r"(\((?:const\s+)?void\s*(?:const\s*)?\*\s*\))\s*&?\s*"
    r"(\w+)\b(?:<[^;{}()]*?>)?"
)
UNTYPED = re.compile(
    r"\bcudaLaunch(?:Cooperative)?Kernel\s*\(\s*(\((?:const\s+)?void\s*(?:const\s*)?\*\s*\))"
)
NAMESPACE = re.compile(r'(?:\bnamespace\b[\w:\s]*|\bextern\s*"C"\s*)$')
ATTRIBUTE = re.compile(
    r"\b(?:__launch_bounds__|__cluster_dims__|__maxnreg__|__align__|__attribute__|alignas)\s*\($"
)
# Words with others in their place: __noinline__ that is not inside __attribute__;
# alignas, which C++ wants first.
WORDS = (
    (re.compile(r"(?<![\w(])(__noinline__)(?!\w)"), "__attribute__((noinline))"),
    (re.compile(r"\b__shared__\s+(alignas)\s*\("), "__align__"),
)
OPENING, CLOSING = "([{", ")]}"


class Refused(Exception):
    """The source uses something that the simulator cannot do."""


def blank(source):
    """The source with comments and literals as spaces, of the same length."""

    def spaces(match):
        text = match[0]
        return text if text[0].isdigit() else re.sub(r"[^\n]", " ", text)

    return LITERAL.sub(spaces, source)


def line_of(source, position):
    """Number of the line at a position, from 1."""
    return source.count("\n", 0, position) + 1


def closing(code, start):
    """Position of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(code)):
        if code[i] in OPENING:
            depth += 1
        elif code[i] in CLOSING:
            depth -= 1
            if depth == 0:
                return i
    return len(code)


def opening(code, end, pair):
    """Position of the bracket that opens the one at `end`; pair is "<>" or so.

    Inside <...>, what stands in parentheses is skipped: `k<(a > b)>`.
    """
    depth = 0
    i = end
    while i >= 0:
        if pair == "<>" and code[i] in CLOSING:
            i = opening(code, i, OPENING[CLOSING.index(code[i])] + code[i])
        elif code[i] == pair[1]:
            depth += 1
        elif code[i] == pair[0]:
            depth -= 1
            if depth == 0:
                break
        i -= 1
    return i


def callee_start(code, end):
    """Walk back over a callee: `ns::Type<int>::kernel<32>`, `table->f[i]`, `(*f)`."""
    i = len(code[:end].rstrip())
    while True:
        if code[:i].endswith((")", "]")):
            i = opening(code, i - 1, "()" if code[i - 1] == ")" else "[]")
        elif code[:i].endswith(">"):
            i = len(code[: opening(code, i - 1, "<>")].rstrip())
        i = len(code[:i]) - len(re.search(r"\w*$", code[:i])[0])
        before = re.search(r"(?<=[\w>)\]])(::|->|\.)$", code[:i])
        if not before:
            return i - 2 * code[:i].endswith("::")  # the global namespace's
        i = before.start()


def config_end(code, start):
    """Position of the `>>>` that ends the launch configuration."""
    i = start
    while i < len(code) and not code.startswith(">>>", i):
        i = closing(code, i) + 1 if code[i] in OPENING else i + 1
    return i


def one_line(text):
    """Text with all white space, escaped line ends too, as single spaces."""
    return re.sub(r"(?:\\\n|\s)+", " ", text).strip()


def parts(code, start, end):
    """(start, end) of what commas separate, those inside of brackets aside."""
    pieces, begin, i, angles = [], start, start, 0
    while i <= end:
        if i == end or (code[i] == "," and angles == 0):
            pieces.append((begin, i))
            begin = i + 1
        elif code[i] in OPENING:
            i = closing(code, i)
        elif code[i] == "<":  # of a template's arguments, if it is closed
            angles += bool(re.match(r"<[^;<]*>", code[i:end]))
        elif code[i] == ">":
            angles = max(0, angles - 1)
        i += 1
    return pieces


def argument_edits(code, start):
    """(edits, braces?) for a launch's arguments that have no type of their own.

    0 and NULL may be a number or a pointer, {3, 4} is whatever the kernel takes.
    """
    open_at = start + len(code[start:]) - len(code[start:].lstrip())
    if not code.startswith("(", open_at):
        return [], False
    edits, braces = [], False
    for begin, end in parts(code, open_at + 1, closing(code, open_at)):
        text = code[begin:end].strip()
        braces |= text.startswith("{")
        if text in ("0", "NULL"):
            begin += len(code[begin:end]) - len(code[begin:end].lstrip())
            edits.append((begin, begin + len(text), "::sim::zero()"))
    return edits, braces


def launch_edits(source, code):
    """One edit (start, end, replacement) for each `<<<...>>>`."""
    edits = []
    for match in re.finditer("<<<", code):
        at = match.start()
        if any(begin <= at < end for begin, end, _ in edits):
            continue  # inside the configuration of another launch
        start = callee_start(code, at)
        end = config_end(code, at + 3)
        if end >= len(code) or start == at:
            raise Refused(f"{line_of(source, at)}: <<< does not begin a launch")
        callee = one_line(source[start:at])
        shown = callee.replace("\\", "\\\\").replace('"', '\\"')
        lines = re.findall(r"\\?\n", source[start:at])
        arguments, braces = argument_edits(code, end + 3)
        text = (
            f' ::sim::launch("{shown}", {"".join(lines)}'
            f"::sim::config({source[at + 3 : end]}), [=](auto... sim_args) SIM_LAMBDA "
            f"-> decltype({callee}(sim_args...)) {{ {callee}(sim_args...); }}"
            f"{', ' + callee if braces else ''})"
        )
        edits += [(start, end + 3, text), *arguments]
    return edits


def in_function(source, position):
    """Is a position inside a function's braces, not only a namespace's?"""
    braces = []
    for match in re.finditer(r"[{}]", blank(source[:position])):
        if match[0] == "}":
            braces = braces[:-1]
        else:
            before = source[max(0, match.start() - 200) : match.start()]
            braces.append(not NAMESPACE.search(before.rstrip() + " "))
    return any(braces)


def device_bodies(code):
    """(start, end) of the braces of each outermost function of the device."""
    bodies = []
    for match in re.finditer(r"\{", code):
        start = match.start()
        if bodies and start < bodies[-1][1]:
            continue  # inside of one
        head = re.split(r"[;{}]", code[max(0, start - 2000) : start])[-1]
        if re.search("__(global|device)__", head):
            bodies.append((start, closing(code, start)))
    return bodies


def file_scope_edits(code, match, name, declaration):
    """Edits that declare an array of file scope in each function that names it.

    A variable outside of functions cannot be initialised anew in each block.
    """
    use = re.compile(rf"(?<!->)(?<![\w.]){name}\b")
    edits = [(match.start(), match.end(), "\n" * match[0].count("\n"))]
    for start, end in device_bodies(code):
        body = code[start:end]
        own = any(re.search(rf"\b{name}\s*$", m[1]) for m in EXTERN.finditer(body))
        if start > match.start() and not own and use.search(body):
            edits.append((start + 1, start + 1, f" {declaration}"))
    return edits


def shared_edits(source, code):
    """The edits for each `extern __shared__ T name[];` and `name[][8];`."""
    edits = []
    for match in EXTERN.finditer(code):
        if "__shared__" not in match[1]:
            continue
        declared = ALIGNMENT.sub(" ", match[1]).replace("__shared__", " ")
        parts = re.match(r"\s*(.*?)\s*(\w+)\s*$", declared, re.S)
        kind, name = one_line(parts[1]), parts[2]
        row = one_line(match[2])  # the other dimensions
        pointer = f"(*{name}){row}" if row else f"*{name}"
        type_ = f"{kind} (*){row}" if row else f"{kind} *"
        text = (f'{kind} {pointer} = ({type_})::sim_dynamic_shared("{name}", '
                f"sizeof({kind}), sizeof({kind} {row}) / sizeof({kind}));")
        if not in_function(source, match.start()):
            edits += file_scope_edits(code, match, name, text)
            continue
        text += "\n" * match[0].count("\n")
        edits.append((match.start(), match.end(), text))
    return edits


def same_memory(code):
    """Warnings: two names in a function for the one dynamic shared array."""
    bodies = list(device_bodies(code))
    arrays = [(m.start(), re.search(r"(\w+)\s*$", m[1])[1])
              for m in EXTERN.finditer(code) if "__shared__" in m[1]]
    for start, end in bodies:
        names = [name for at, name in arrays if start <= at < end or (
            not any(a <= at < b for a, b in bodies)
            and re.search(rf"\b{name}\b", code[start:end]))]
        if len(set(names)) > 1:
            line = code.count("\n", 0, start) + 1
            yield (f"{line}: warning: {' and '.join(names)} are the same memory: a "
                   "kernel has one extern __shared__ array; the second begins in it, "
                   f"{names[1]} = {names[0]} + ...")


def word_edits(code):
    """One edit for each of WORDS."""
    return [(match.start(1), match.end(1), text)
            for pattern, text in WORDS for match in pattern.finditer(code)]  # fmt: skip


def variable_edits(source, code):
    """One edit for each __device__ that stands before a variable.

    A declaration (extern) is not noted, only the definition.
    """
    code = ALIGNMENT.sub(lambda m: " " * len(m[0]), code)
    for match in EXTERN_C.finditer(source):  # a language, no declaration
        code = code[: match.start()] + " " * 6 + code[match.start() + 6 :]
    edits = [(m.start(1), m.end(1), "") for m in EXTERN_CONSTANT.finditer(code)]
    for match in ON_DEVICE.finditer(code):
        end = DECLARATION_END.search(code, match.end())
        declared = code[match.end() : end.start()] if end else ""
        is_function = not end or end[0] == "("
        before = re.split(r"[;{}]", code[max(0, match.start() - 200) : match.start()])
        if re.search(r"\bextern\b", before[-1] + declared):
            continue
        if is_function or re.search("__(shared|constant|device|managed)__", declared):
            continue  # the later word of two is the one that is noted
        managed = "__managed__" in before[-1] + match[0]
        section = "sim_managed" if managed else "sim_device"
        edits.append((match.start(), match.end(), f'SIM_NOTED("{section}")'))
    return edits


def asm_edits(source, code, machine):
    """One edit for each register class of PTX that this machine lacks.

    PTX has f (float), d (double), h (16 bits), l (64 bits). Here floats live in
    vector registers and integers of every width in the general ones. An empty
    text is of either, to hold the compiler back.
    """
    vector = "w" if machine == "aarch64" else "x"
    edits = []
    for match in ASM.finditer(code):
        end = closing(code, match.end())
        empty = EMPTY.match(source, match.end())
        if not empty and not PTX.search(source, match.end(), end):
            continue  # of the host: "=d" is a register of x86
        for letter in CONSTRAINT.finditer(source, match.end(), end):
            if empty and letter[2] != "f":
                continue
            ours = vector if letter[2] in "fd" else "r"
            edits.append((letter.start(2), letter.end(2), ours))
    return edits


def address_edits(code):
    """Edits for kernels that are cast to void *: their parameters are noted.

    In a launch the cast just goes, so that any expression may stand there.
    """
    kernels = {m[1] for m in KERNEL.finditer(BOUNDS.sub("", code))}
    edits = [(m.start(1), m.end(1), "") for m in UNTYPED.finditer(code)]
    taken = {start for start, _, _ in edits}
    for match in ADDRESS.finditer(code):
        if match[2] in kernels and match.start() not in taken:
            edits.append((match.start(1), match.end(1), "::sim::address("))
            edits.append((match.end(), match.end(), ")"))
    return edits


def check_parameters(source, code):
    """Refuse kernels that take a reference: to what, on another machine?"""
    for match in re.finditer(r"\b__global__\b", code):
        end = match.end()
        while True:
            head = re.compile(r"[^();{}]*\(").match(code, end)
            if not head or not ATTRIBUTE.search(head[0]):
                break
            end = closing(code, head.end() - 1) + 1
        if not head:
            continue
        for begin, end in parts(code, head.end(), closing(code, head.end() - 1)):
            if "&" in re.sub(r"=.*|<.*>|\(.*\)", "", code[begin:end], flags=re.S):
                text = one_line(source[begin:end])
                raise Refused(
                    f"{line_of(source, begin)}: {text}: a kernel cannot take a reference"
                )


class Frontend:
    """Converts a source and those headers it includes that need it.

    A header with a launch or with dynamic shared memory is converted, too,
    and the #include names the copy. Other headers are left where they are.
    """

    def __init__(self, folders, work, machine):
        self.folders = folders  # of -I, in order
        self.work = work  # folder for what is written
        self.machine = machine  # "x86_64", "aarch64"
        self.copies = {}  # real path of a header -> its copy, or None
        self.written = {}  # path of a copy -> path of what it was made of
        self.quote_folders = []  # for -iquote: where sources stood
        self.asks_for_side = False  # is __CUDA_ARCH__ mentioned?

    def convert(self, path, output):
        """Write the C++ of the file `path` to the file `output`.

        Returns whether anything had to be changed. Raises Refused.
        """
        # utf-8-sig: some editors begin a file with a byte order mark.
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            source = file.read()
        folder = os.path.dirname(path) or "."
        if folder not in self.quote_folders:
            self.quote_folders.append(folder)
        code = blank(source)
        self.asks_for_side |= bool(sides.MENTION.search(code))
        try:
            check_parameters(source, code)
            edits = launch_edits(source, code) + shared_edits(source, code)
        except Refused as refused:
            raise Refused(f"{path}:{refused}") from None
        for warning in same_memory(code):
            print(f"{path}:{warning}", file=sys.stderr)
        edits += word_edits(code) + asm_edits(source, code, self.machine)
        edits += variable_edits(source, code) + address_edits(code)
        edits += self.include_edits(source, code, folder)
        for start, end, text in sorted(edits, reverse=True):
            source = source[:start] + text + source[end:]
        self.written[output] = path
        name = path.replace("\\", "\\\\").replace('"', '\\"')
        with open(output, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f'#line 1 "{name}"\n{source}')
        return bool(edits)

    def include_edits(self, source, code, folder):
        """One edit for each #include of a header that is converted."""
        edits = []
        for match in INCLUDE.finditer(source):
            if code[match.start() : match.end()].strip() == "":
                continue  # in a comment
            copy = self.header(match[2], folder if match[1] == '"' else None)
            if copy:
                edits.append((match.start(1), match.end(), f'"{copy}"'))
        return edits

    def header(self, name, folder):
        """The converted copy of a header, None if it needs no conversion."""
        for place in ([folder] if folder else []) + self.folders:
            path = os.path.join(place, name) if place != "." else name
            if os.path.isfile(path):
                break
        else:
            return None
        real = os.path.realpath(path)
        if real not in self.copies:
            self.copies[real] = None  # headers may include each other
            copy = f"{len(self.copies)}_{os.path.basename(name)}"
            copy = os.path.join(self.work, copy)
            if self.convert(path, copy):
                self.copies[real] = copy
        return self.copies[real]
