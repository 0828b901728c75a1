"""Lower one module: from clang's hooks to numbered calls of the runtime.

clang writes a module as text (LLVM IR). Before each access of memory stands a
call of its thread sanitizer, `call void @__tsan_read4(ptr %5), !dbg !846`. Here
it becomes `call void @sim_hook_r4(ptr %5, i32 17), !dbg !846`, and 17 is a line
of a table that says file:line:column. What else happens, in functions that a
kernel reaches:

    blocks        each begins with sim_hook_block(n), or with an access that
                  stands for it; their line of the table counts the operations
                  of one lane
    memory        llvm.memcpy and badly aligned accesses: sim_hook_range
    calls         of sim_barrier, sim_warp, sim_atomic ... get their site
    divisions     are preceded by sim_hook_divide, calls by a pointer by
                  sim_hook_call
    arrays        of a thread: an access is preceded by sim_hook_local; behind
                  one that another function gets lies a zone of nobody's words
    clock()       is the GPU's: sim_clock, and printf() sim_printf
    shifts        of 32 and more give 0, as on a GPU; x86 takes them modulo 32
    casts         from float to integer saturate
    a * b + c     becomes one llvm.fma, as nvcc does
    inline PTX    calls a generated function that calls sim_hook_ptx

Functions that only the host runs lose their hooks. At the end the module gets
a constructor that registers the table, the kernels and the shared arrays.

Line-based text work is enough because clang has already chosen the places; it
reads clang 14 (typed pointers: i8*) and newer (ptr) alike.
"""

import os
import re
from collections import Counter, defaultdict

import ptx
from function import INDIRECT, FunctionLowering
from ir import (
    CALLEE,
    DBG,
    GLOBAL,
    LOCAL,
    NAME,
    VARIABLE,
    Module,
    Positions,
    Refused,
    debug,
    split_arguments,
    text_constant,
    value_of,
)

ALIGNED = re.compile(r", align (\d+)\b")
EXTERNAL = re.compile(r" = (dso_local )?(?=global |constant )")
CONSTANT_BYTES = 64 * 1024
# A call of the runtime's API, whose result is an error.
API_CALL = re.compile(rf"\s*%({NAME}) = [a-z ]*\b(?:call|invoke) [a-z ]*\bi32 @(?:_ZL?\d+)?"
                      r"(cuda[A-Z]\w*|sim_malloc\w*)\(")
ALLOCATES = re.compile(r"(declare [^@]*@(?:malloc|_Zn[wa]m)\(.*?)( #\d+)?$")
COPIES = re.compile(r"cudaMemcpy(Async)?(_own)?$")
ASKS = re.compile(r"cuda(GetLastError|PeekAtLastError|\w+Query)")


class Lowering:
    """Rewrites the functions that kernels reach and gathers the tables."""

    def __init__(self, text, first_site, own_folder, given, host_side):
        self.module = Module(text)
        metadata = [p for p in self.module.parts if isinstance(p, str) and p[:1] == "!"]
        self.positions = Positions(metadata, own_folder, given)
        self.own_folder = own_folder
        self.ptx_words = None  # read when a kernel has some
        self.first_site = first_site
        self.sites = []  # lines of the table
        self.extra = []  # generated functions and constants
        self.declared = {}  # hook -> its arguments' types
        self.host_side = host_side
        self.kernels = [] if host_side else self.module.notes["sim_kernel"]
        variables = ("sim_constant", "sim_device", "sim_managed")
        self.registers = any(self.module.notes[kind]
                             for kind in ("sim_kernel", *variables))
        self.reached = {k: self.module.reachable(k) for k in self.kernels}
        # What a variable points to can be called by a kernel that calls by a pointer.
        named = [n for kind in variables for n in self.module.notes[kind]]
        pointed = set().union(*map(self.module.reachable, named))
        for kernel, reached in self.reached.items():
            if any(INDIRECT.search(line) for name in reached & self.module.functions.keys()
                   for line in self.module.functions[name].lines):
                self.reached[kernel] = reached | pointed
        self.local_arrays = defaultdict(list)  # function -> types
        self.device = set().union(*self.reached.values())
        self.arrays = self.shared_arrays(self.device)

    def check_constants(self):
        """Refuse more constant memory than a GPU has."""
        sizes = []
        for name in self.module.notes["sim_constant"]:
            match = DBG.search(self.module.globals.get(name, ""))
            sizes += [self.positions.variable(match[1])] if match else []
        total = sum(size for size, _ in sizes)
        if total > CONSTANT_BYTES:
            raise Refused(
                f"{max(sizes)[1]}: {total} bytes of __constant__ memory; a GPU has "
                f"{CONSTANT_BYTES}"
            )

    # ---- what functions need

    def hook(self, name, arguments, instruction=""):
        """A call of one of the runtime's hooks, `[("i32", 5), ...]`."""
        self.declared[name] = [type_ for type_, _ in arguments]
        values = ", ".join(f"{type_} {value}" for type_, value in arguments)
        return f"  call void @{name}({values}){debug(instruction)}"

    def known_ptx(self):
        """The instructions of inline PTX that the runtime knows."""
        if self.ptx_words is None:
            folder = os.path.join(self.own_folder, "..", "runtime", "core")
            self.ptx_words = ptx.known_words(folder)
        return self.ptx_words

    # ---- the module's tables

    def shared_arrays(self, names):
        """Which of some globals are shared arrays: name -> type."""
        thread_local = re.compile(rf"@{NAME} = [\w ]*\bthread_local\b")
        return {
            name: self.module.type_of(name)
            for name in sorted(names)
            if thread_local.match(self.module.globals.get(name, ""))
        }

    def global_name(self, name):
        """`kernel::array` of a shared array, from its debug information."""
        match = DBG.search(self.module.globals[name])
        return (match and self.positions.name(match[1])) or name

    @staticmethod
    def shape(type_):
        """`[2 x [16 x float]]` is "2 16" and float."""
        dimensions = []
        while match := re.match(r"\[(\d+) x (.*)\]$", type_):
            dimensions.append(match[1])
            type_ = match[2]
        return " ".join(dimensions), type_

    def string(self, text):
        """A pointer to a new string constant."""
        name = f"sim.text.{len(self.extra)}"
        self.extra.append(text_constant(name, text))
        self.module.globals[name] = self.extra[-1]
        return self.module.address(name)

    def registration(self):
        """The tables, and the constructor that hands them to the runtime."""
        p = self.module.pointer
        kernels = []
        for number, kernel in enumerate(self.kernels):
            reached = self.reached[kernel]
            own = [t for name, t in self.arrays.items() if name in reached]
            local = [t for f in sorted(reached) for t in self.local_arrays[f]]
            shared = self.sum(own, f"%shared.{number}", kernels)
            local = self.sum(local, f"%local.{number}", kernels)
            function = self.module.functions[kernel]
            shown = self.positions.name(function.debug_number()) or kernel
            arguments = [(p, self.module.address(kernel)), (p, self.string(shown))]
            arguments += [("i64", shared), ("i64", local)]
            arguments += [("i32", self.module.launch_bounds.get(kernel, 0))]
            kernels.append(self.hook("sim_kernel", arguments))
            if kernel in self.module.clusters:
                arguments = [(p, self.module.address(kernel))]
                arguments += [("i32", n) for n in self.module.clusters[kernel]]
                kernels.append(self.hook("sim_kernel_cluster", arguments))
        for run in self.module.notes["sim_run"]:
            kernel = self.kernel_of(run)
            if kernel:
                arguments = [(p, self.module.address(run)), (p, kernel)]
                kernels.append(self.hook("sim_kernel_run", arguments))
        for name in sorted(self.device & self.module.functions.keys()):
            if "sim_hook_call" in self.declared:
                kernels.append(self.hook("sim_device_function",
                                         [(p, self.module.address(name))]))
        shared = [self.hook("sim_shared_array", self.array_of(name, type_))
                  for name, type_ in self.arrays.items()]
        for kind in ("sim_constant", "sim_device", "sim_managed"):
            for name in self.module.notes[kind]:
                if " external " in self.module.globals.get(name, " external "):
                    continue  # the other side has it
                arguments = self.array_of(name, self.module.type_of(name))
                arguments.append(("i1", int(kind == "sim_managed")))
                kernels.append(self.hook("sim_variable", arguments))
        for name, body in ("sim.shared_arrays", shared), ("sim.kernels", kernels):
            lines = [f"define internal void @{name}() {{", *body, "  ret void", "}"]
            self.extra.append("\n".join(lines))
        self.constructor()

    def array_of(self, name, type_):
        """Name, address, bytes, bytes of an element, dimensions of a variable."""
        p = self.module.pointer
        dimensions, element = self.shape(type_)
        return [(p, self.string(self.global_name(name))),
                (p, self.module.address(name)),
                ("i64", self.module.bytes_of(type_)),
                ("i64", self.module.bytes_of(element)),
                (p, self.string(dimensions))]

    def sum(self, types, name, lines):
        """Instructions that add the sizes of types, and the result."""
        total = "0"
        for i, type_ in enumerate(types):
            size = self.module.bytes_of(type_)
            lines.append(f"  {name}.{i} = add i64 {total}, {size}")
            total = f"{name}.{i}"
        return total

    def kernel_of(self, run):
        """Address of the kernel that a launcher calls; None: by a pointer."""
        for line in self.module.functions[run].lines:
            match = CALLEE.search(line)
            if match and not match[1].startswith(("llvm.", "__tsan_", "__")):
                if match[1] in self.module.functions:
                    return self.module.address(match[1])
        return None

    def constructor(self):
        """Register the module before main()."""
        p = self.module.pointer
        function = self.module.to("void ()")
        type_ = f"{{ i32, i32, {p}, {function}, {function}, {p} }}"
        sites = self.string("\n".join(self.sites) + "\n")
        # Not internal: two objects that number from 1 must not be linked.
        name = f"sim.module.{self.first_site}"
        linkage = "internal " * self.host_side
        self.extra.append(
            f"@{name} = {linkage}global {type_} {{ i32 {self.first_site}, "
            f"i32 {len(self.sites)}, {p} {sites}, {function} @sim.shared_arrays, "
            f"{function} @sim.kernels, {p} null }}"
        )
        self.module.globals[name] = self.extra[-1]
        call = self.hook("sim_register", [(p, self.module.address(name))])
        self.extra.append(
            f"define internal void @sim.register() {{\n{call}\n  ret void\n}}"
        )

    # ---- all of it

    def lower(self):
        """The whole module as text."""
        self.check_constants()
        output = []
        for part in self.module.parts:
            if isinstance(part, str):
                output.append(self.global_line(part))
            elif part.name in self.device:
                is_kernel = part.name in self.kernels
                output += FunctionLowering(part, is_kernel, self).lowered()
            else:
                output += self.unread(host_function(part))
        if self.registers:
            self.registration()
        # Metadata stands last; what is new goes before it.
        end = next((i for i, x in enumerate(output) if x.startswith("!")), len(output))
        declared = {GLOBAL.search(x)[1] for x in output if x.startswith("declare ")}
        new = dict.fromkeys(self.extra)  # each once
        new = [x for x in new if not self.is_declared(x, declared)]
        for name, types in self.declared.items():
            if name not in declared:
                new.append(f"declare void @{name}({', '.join(types)})")
        return "\n".join(output[:end] + new + [""] + output[end:])

    def unread(self, lines):
        """Host code, which tells the runtime of calls whose result is not used."""
        if not any("@cuda" in x or "cuda" in x and "@_Z" in x for x in lines):
            return lines
        uses = Counter(name for x in lines if not VARIABLE.match(x)
                       for name in LOCAL.findall(x))
        output = []
        for line in lines:
            call = API_CALL.match(line)
            if call and uses[call[1]] == 1 and not ASKS.match(call[2]):
                name = call[2].removesuffix("_own").replace("sim_m", "cudaM")
                arguments = [(self.module.pointer, self.string(name))]
                output.append(self.hook("sim_unread", arguments, line))
            if call and COPIES.match(call[2]):
                output += self.room(call[1], line)
            output.append(line)
        return output

    def room(self, number, line):
        """What clang knows of the size of the host's arrays that a copy names."""
        p = self.module.pointer
        size = f"@llvm.objectsize.i64.p0{'i8' * (p == 'i8*')}"
        self.extra.append(f"declare i64 {size}({p}, i1, i1, i1)")
        ends = split_arguments(line, line.index("(", line.index("@cudaMemcpy")) + 1)[0]
        names = [f"%sim.room.{number}.{i}" for i in range(2)]
        return [*(f"  {name} = call i64 {size}({p} {value_of(end)}, i1 false, i1 true, "
                  f"i1 true){debug(line)}" for name, end in zip(names, ends)),
                self.hook("sim_room", [("i64", name) for name in names], line)]

    @staticmethod
    def is_declared(line, declared):
        return line.startswith("declare ") and GLOBAL.search(line)[1] in declared

    def global_line(self, line):
        """Constants go into their section; our constructor to the others."""
        if line.startswith("declare "):  # clang does not say so of a plain call
            return ALLOCATES.sub(r"\1 allocsize(0)\2", line, count=1)
        if not (match := line.startswith("@") and GLOBAL.match(line)):
            return line
        for section in ("sim_constant", "sim_device", "sim_managed"):
            if match[1] in self.module.notes[section] and ", align " in line:
                # With nvcc no other file sees it; what is in a group may be seen.
                line = EXTERNAL.sub(" = internal ", line, count=1)
                line = re.sub(r"\bconstant\b", "global", line, count=1)
                at = line.rindex(", align ")
                return self.whole_pages(section) + (
                    f'{line[:at]}, section "{section}"{line[at:]}\n'
                    + self.red_zone(match[1], line, section)
                )
        if match[1] in self.arrays:
            # Begins with bank 0, wherever the thread's other variables end.
            line = ALIGNED.sub(
                lambda m: f", align {max(128, int(m[1]))}", line, count=1)
            return line + "\n" + self.red_zone(match[1], line)
        if match[1] == "llvm.global_ctors" and self.registers:
            return self.add_constructor(line)
        return line

    def whole_pages(self, section):
        """What lets a section begin and end with a page, so that the runtime
        can close it to the host: lines before the first variable in it."""
        name = f"@sim.end.{section}"
        if any(name in line for line in self.extra):
            return ""
        page = "global [4096 x i8] zeroinitializer"
        self.extra.append(f'{name} = internal {page}, section "{section}", align 4096')
        return (f"@sim.begin.{section} = internal {page}, "
                f'section "{section}", align 4096\n')  # fmt: skip

    @staticmethod
    def red_zone(name, line, section=None):
        """Bytes behind an array that belong to none: shared, or in a section."""
        comdat = f", comdat(${name})" if ", comdat" in line else ""
        kind, place = "thread_local(localexec) ", ""
        if section:
            kind, place = "", f', section "{section}"'
        return (f"@sim.red.{name.strip(chr(34))} = internal {kind}global "
                f"[1024 x i8] zeroinitializer{place}{comdat}, align 16")  # fmt: skip

    def add_constructor(self, line):
        """One more element for llvm.global_ctors, which tsan has made."""
        p = self.module.pointer
        function = self.module.to("void ()")
        element = f"{{ i32, {function}, {p} }}"
        size = int(re.search(r"\[(\d+) x", line)[1])
        line = line.replace(f"[{size} x", f"[{size + 1} x", 1)
        ours = f", {element} {{ i32 65535, {function} @sim.register, {p} null }}]"
        return line[: line.rindex("]")] + ours + line[line.rindex("]") + 1 :]


def host_function(function):
    """A function of the host: as it was without sanitizers.

    It may be one of the device that nobody calls, so its PTX goes, too.
    """
    unwanted = ("call void @__tsan_", "call void @__ubsan_handle_out_of_bounds")
    lines = [x for x in function.lines if not any(u in x for u in unwanted)]
    lines = [x.replace(" contract ", " ") if "contract" in x else x for x in lines]
    return [ptx.without_text(x) if " asm " in x else x for x in lines]


def lower(source, output, first_site, own_folder, given, host_side=False):
    """Lower the file `source` to the file `output`.

    first_site   number of its first site
    own_folder   of the shim's headers, whose lines no report shows
    given        name of the CUDA source on the command line
    host_side    its kernels are not those that run (sides.py)
    Returns how many sites it has. Raises Refused.
    """
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        lowering = Lowering(file.read(), first_site, own_folder, given, host_side)
    text = lowering.lower()
    with open(output, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    return len(lowering.sites)
