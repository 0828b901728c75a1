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
    divisions     are preceded by sim_hook_divide
    clock()       is the GPU's: sim_clock
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

import arithmetic
import ptx
from ir import (
    DBG,
    GLOBAL,
    NAME,
    RESULT,
    Module,
    Positions,
    Refused,
    debug,
    split_arguments,
    text_constant,
    type_at,
    value_of,
)

CALLEE = re.compile(rf"\b(?:call|invoke)\b[^@%]*@({NAME})\(")
HOOK = re.compile(
    r"call void @__tsan_(unaligned_)?(volatile_)?(read_write|read|write)(\d+)\("
)
SIM_CALL = re.compile(
    r"@(sim_(?:barrier|warp|atomic|fence|active_mask|tile_sync|mbarrier_\w+|"
    r"async_(?:copy|wait)))\("
)
# The hook of a load or a store, and calls that run no hook.
SIMPLE_HOOK = re.compile(r"call void @sim_hook_v?[rw]\d+\(.* i32 (\d+)\)")
QUIET_CALL = re.compile(r"@(llvm\.|sim_(thread|block|grid)_)")
COPY = re.compile(r"call [^@]*@(?:llvm\.)?(memcpy|memmove|memset)\b[\w.]*\(")
# What stands before a block's event: a call's beginning counts as its caller's.
HEAD = re.compile(
    rf"{NAME}:|\s*%{NAME} = (?:phi|landingpad)\b|\s*#dbg|.*@llvm\.returnaddress|"
    r".*@__tsan_func_entry|.*@llvm\.dbg"
)
NOT_IN_KERNELS = [
    (re.compile(r"sim_launch$|_ZNK3sim8launcher"),
     "a kernel cannot launch kernels in the simulator"),
    (re.compile(r"(malloc|calloc|realloc|free|_Zn[wa]\w+|_Zd[la]\w+)$"),
     "a kernel cannot allocate memory in the simulator"),
    (re.compile(r"cuda[A-Z]\w+$"), "a kernel cannot call this function of the host"),
    (re.compile(r"__cxa_(throw|allocate_exception)$"), "a kernel cannot throw"),
]  # fmt: skip


CONSTANT_BYTES = 64 * 1024

class Lowering:
    """Rewrites the functions that kernels reach and gathers the tables."""

    def __init__(self, text, first_site, own_folder, given, host_side):
        self.module = Module(text)
        metadata = [p for p in self.module.parts if isinstance(p, str) and p[:1] == "!"]
        self.positions = Positions(metadata, own_folder, given)
        self.own_folder = own_folder
        self.known_ptx = None  # read when a kernel has some
        self.first_site = first_site
        self.sites = []  # lines of the table
        self.extra = []  # generated functions and constants
        self.declared = {}  # hook -> its arguments' types
        self.host_side = host_side
        self.kernels = [] if host_side else self.module.notes["sim_kernel"]
        self.registers = bool(self.module.notes["sim_kernel"])
        self.reached = {k: self.module.reachable(k) for k in self.kernels}
        self.local_arrays = defaultdict(list)  # function -> types
        self.device = set().union(*self.reached.values())
        self.arrays = self.shared_arrays(self.device)

    def check_constants(self):
        """Refuse more constant memory than a GPU has."""
        sizes = []
        for name in self.module.notes["sim_constant"]:
            found = DBG.search(self.module.globals.get(name, ""))
            sizes += [self.positions.variable(found[1])] if found else []
        total = sum(size for size, _ in sizes)
        if total > CONSTANT_BYTES:
            raise Refused(
                f"{max(sizes)[1]}: {total} bytes of __constant__ memory; a GPU has "
                f"{CONSTANT_BYTES}"
            )

    # ---- sites and hooks

    def site(self, kind, instruction):
        """Number a place; `~` marks a line that the compiler has lost."""
        where = self.position(instruction)
        if where:
            self.near = where
        else:
            where = "~" + self.near
        self.sites.append(f"{kind}\t{where}\t{self.shown}")
        return self.first_site + len(self.sites) - 1

    def position(self, instruction):
        """file:line:column of an instruction; None if it has none of ours."""
        found = DBG.search(instruction)
        return found and self.positions.of(found[1])

    def hook(self, name, arguments, instruction=""):
        """A call of one of the runtime's hooks, `[("i32", 5), ...]`."""
        self.declared[name] = [type_ for type_, _ in arguments]
        values = ", ".join(f"{type_} {value}" for type_, value in arguments)
        return f"  call void @{name}({values}){debug(instruction)}"

    # ---- functions

    def function(self, function, is_kernel):
        """Lower one function that runs on the device."""
        self.shown = self.positions.name(function.debug_number()) or function.name
        self.near = self.function_position(function)
        self.is_kernel = is_kernel
        self.name = function.name
        function.read_blocks()
        self.uses = function.uses()
        order = function.ordered()
        arithmetic.fuse(order, self.uses, self.extra.append)
        for block in order:
            self.block(block)
        unreached = [b for b in function.blocks if b not in set(order)]
        for block in unreached:
            block.lines = [x for x in block.lines if "call void @__tsan_" not in x]
        body = [line for block in function.blocks for line in block.lines]
        return [function.head, *body, "}"]

    def function_position(self, function):
        """Where a function begins, for accesses whose line is lost."""
        values = self.positions.node.get(function.debug_number(), {})
        name = self.positions.file(values.get("file") and function.debug_number())
        return f"{name or '?'}:{values.get('line', 0)}:0"

    def block(self, block):
        """Lower the instructions of a block and begin it with its event."""
        head = 0
        while head < len(block.lines) and HEAD.match(block.lines[head]):
            head += 1
        owner = self.event_owner(block)
        if owner is block:
            located = [x for x in block.lines[head:] if "llvm.dbg" not in x]
            block.site = self.site("B", next((x for x in located if "!dbg" in x), ""))
            block.operations = Counter()
        lowered = []
        for i, line in enumerate(block.lines):
            if i == head and owner is block:
                lowered.append(self.hook("sim_hook_block", [("i32", block.site)]))
            operation = arithmetic.operation(line, self.uses)
            if operation:
                owner.operations[operation] += 1
            lowered += self.instruction(line, block.lines, i)
        if owner is block:
            self.join_event(block, lowered)
        block.lines = lowered
        self.write_operations(owner)

    def join_event(self, block, lowered):
        """Let the access with which a block begins stand for its event, too."""
        event = next(i for i, x in enumerate(lowered) if "@sim_hook_block(" in x)
        for line in lowered[event + 1 :]:
            found = SIMPLE_HOOK.search(line)
            if found:
                del lowered[event]
                block.site = int(found[1])
                place = block.site - self.first_site
                self.sites[place] = "E" + self.sites[place][1:]
            if found or (" call " in line and not QUIET_CALL.search(line)):
                return

    def event_owner(self, block):
        """The block whose event stands for this one, too.

        Where a block has one predecessor, and that one no other successor,
        both run together: the checks of array bounds cut blocks so.
        """
        owner = block
        while (
            len(owner.predecessors) == 1
            and len(owner.predecessors[0].successors) == 1
            and owner.predecessors[0] is not owner
        ):
            owner = owner.predecessors[0]
        return owner

    def write_operations(self, block):
        """Write a block's operations into its line of the table."""
        place = block.site - self.first_site
        count = block.operations
        counts = [f"{n}={count[n]}" for n in arithmetic.OPERATIONS if count[n]]
        fields = self.sites[place].split("\t")[:3]
        self.sites[place] = "\t".join(fields + ([" ".join(counts)] if counts else []))

    # ---- instructions

    def instruction(self, line, lines, i):
        """What takes the place of one instruction, as a list of lines."""
        if "contract " in line:
            line = line.replace(" contract ", " ")
        if "@" in line:
            return self.call(line, lines, i)
        if " asm " in line:
            return self.inline_ptx(line)
        if " = alloca " in line:
            type_ = type_at(line, line.index("alloca ") + 7)
            if type_[0] in "[%":
                self.local_arrays[self.name].append(type_)
        elif "div " in line or "rem " in line:
            return self.division(line)
        elif " = fpto" in line:
            return arithmetic.to_integer(line, self.extra.append) or [line]
        elif "sh" in line:
            return arithmetic.shift(line) or [line]
        return [line]

    def call(self, line, lines, i):
        """What takes the place of an instruction that mentions a global."""
        if "@__tsan_" in line:
            return self.sanitizer_call(line, lines, i)
        if "@llvm.returnaddress" in line:  # only __tsan_func_entry wanted it
            p = self.module.pointer
            return [re.sub(r"call .*", f"bitcast {p} null to {p}", line)]
        if "@clock()" in line:  # of libc; the host's calls stay
            self.extra.append("declare i64 @sim_clock()")
            return [line.replace("@clock()", "@sim_clock()")]
        if SIM_CALL.search(line):
            return [self.sim_call(line)]
        found = COPY.search(line)
        if found:
            return self.copy(line, found) + [line]
        self.refuse(line)
        if "div " in line or "rem " in line:  # of a global's address, say
            return self.division(line)
        return arithmetic.rounded(line) or arithmetic.extreme(line) or [line]

    def sanitizer_call(self, line, lines, i):
        """A hook of clang becomes one of ours."""
        if "@__tsan_func_" in line:
            if self.is_kernel:
                return []
            name = "sim_hook_enter" if "entry" in line else "sim_hook_leave"
            return [self.hook(name, [], line)]
        found = HOOK.search(line)
        if not found:
            return []  # of virtual tables
        unaligned, volatile, kind, size = found.groups()
        (pointer,), _ = split_arguments(line, found.end())
        address = (self.module.pointer, pointer.split(" ", 1)[1])
        site = self.site("A", line)
        if unaligned:
            # The alignment stands at the access, the next load or store.
            access = next(x for x in lines[i + 1 :] if re.search(r"\b(load|store) ", x))
            piece = int(re.search(r", align (\d+)", access)[1])
            writes = {"read": [0], "write": [1], "read_write": [0, 1]}[kind]
            return [self.range(address, size, piece, w, site, line) for w in writes]
        name = {"read": "r", "write": "w", "read_write": "rw"}[kind]
        name = f"sim_hook_{'v' if volatile else ''}{name}{size}"
        return [self.hook(name, [address, ("i32", site)], line)]

    def range(self, address, size, piece, write, site, line):
        """A hook for several bytes that are accessed piece by piece."""
        arguments = [address, ("i64", size), ("i32", min(piece, 16)), ("i32", write)]
        return self.hook("sim_hook_range", [*arguments, ("i32", site)], line)

    def copy(self, line, found):
        """memcpy, memmove, memset: the hooks that come before.

        llvm.memcpy is a copied struct and knows its alignment. A plain call is
        the reader's own; nvcc copies byte by byte there.
        """
        arguments, _ = split_arguments(line, found.end())
        pointers = arguments[: 1 if found[1] == "memset" else 2]
        aligned = [re.search(r"\balign (\d+)", p) for p in pointers]
        piece = min(int(a[1]) for a in aligned) if all(aligned) else 1
        hooks = []
        for write, pointer in reversed(list(zip((1, 0), pointers))):
            address = (self.module.pointer, value_of(pointer))
            site = self.site("A", line)
            hooks.append(
                self.range(address, value_of(arguments[2]), piece, write, site, line)
            )
        return hooks

    def sim_call(self, line):
        """Put the site into a call of the shim, and whether atomics are used."""
        found = SIM_CALL.search(line)
        arguments, end = split_arguments(line, found.end())
        kind = "A" if found[1] in ("sim_atomic", "sim_async_copy") else "W"
        if found[1] == "sim_atomic":
            result = RESULT.match(line)
            used = bool(result and self.uses[result[1]])
            arguments[-2] = f"i32 {int(used)}"
        arguments[-1] = f"i32 {self.site(kind, line)}"
        return line[: found.end()] + ", ".join(arguments) + ")" + line[end:]

    def refuse(self, line):
        """Stop at calls that a kernel cannot make."""
        found = CALLEE.search(line)
        for pattern, reason in NOT_IN_KERNELS if found else []:
            if pattern.match(found[1]):
                where = self.position(line)
                if not where:
                    continue  # inside of our headers: its caller is refused
                name = "" if found[1].startswith(("sim_", "_")) else f"{found[1]}: "
                raise Refused(f"{where.split(' <- ')[0]}: {name}{reason}")

    def division(self, line):
        """A division, and before one by a variable the check.

        Code generation may move a division before a call, so the divisor goes
        through an empty asm, which it keeps behind.
        """
        found = arithmetic.DIVISION.match(line)
        if not found:
            return [line]
        type_, divisor = found.groups()
        checked = f"%sim.checked.{len(self.sites)}"
        after = f"  {checked} = call {type_} asm sideeffect"
        after += f' "", "=r,0"({type_} {divisor})'
        line = line[: found.start(2)] + checked + line[found.end(2) :]
        checks = []
        if type_ != "i64":
            wide = f"%sim.divisor.{len(self.sites)}"
            checks = [f"  {wide} = zext {type_} {divisor} to i64"]
            divisor = wide
        site = self.site("W", line)
        arguments = [("i64", divisor), ("i32", site)]
        checks += [self.hook("sim_hook_divide", arguments, line), after]
        return checks + (arithmetic.quotient(line) or [line])

    def inline_ptx(self, line):
        """A call of a generated function that calls sim_hook_ptx."""
        found = ptx.ASM.search(line)
        if not found or not found[3].strip():
            return [line]  # a barrier for the compiler
        statement = ptx.Statement(line)
        if self.known_ptx is None:
            folder = os.path.join(self.own_folder, "..", "runtime")
            self.known_ptx = ptx.known_words(folder)
        unknown = ptx.unknown_word(statement.text, self.known_ptx)
        if unknown:
            where = (self.position(line) or self.near).split(" <- ")[0]
            raise Refused(f"{where}: inline PTX: the simulator does not know {unknown}")
        site = self.site("W", line)
        self.extra += statement.function(site, self.module, self.hook)
        return [statement.call(site) + debug(line)]

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
        found = DBG.search(self.module.globals[name])
        return (found and self.positions.name(found[1])) or name

    @staticmethod
    def shape(type_):
        """`[2 x [16 x float]]` is "2 16" and float."""
        dimensions = []
        while found := re.match(r"\[(\d+) x (.*)\]$", type_):
            dimensions.append(found[1])
            type_ = found[2]
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
            local = [t for f in reached for t in self.local_arrays[f]]
            shared = self.sum(own, f"%shared.{number}", kernels)
            local = self.sum(local, f"%local.{number}", kernels)
            function = self.module.functions[kernel]
            shown = self.positions.name(function.debug_number()) or kernel
            arguments = [(p, self.module.address(kernel)), (p, self.string(shown))]
            arguments += [("i64", shared), ("i64", local)]
            kernels.append(self.hook("sim_kernel", arguments))
        for run in self.module.notes["sim_run"]:
            kernel = self.kernel_of(run)
            if kernel:
                arguments = [(p, self.module.address(run)), (p, kernel)]
                kernels.append(self.hook("sim_kernel_run", arguments))
        shared = []
        for name, type_ in self.arrays.items():
            arguments = [(p, self.string(self.global_name(name)))]
            arguments += [(p, self.module.address(name))]
            arguments += [("i64", self.module.bytes_of(type_))]
            dimensions, element = self.shape(type_)
            arguments += [("i64", self.module.bytes_of(element))]
            arguments += [(p, self.string(dimensions))]
            shared.append(self.hook("sim_shared_array", arguments))
        for name, body in ("sim.shared_arrays", shared), ("sim.kernels", kernels):
            lines = [f"define internal void @{name}() {{", *body, "  ret void", "}"]
            self.extra.append("\n".join(lines))
        self.constructor()

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
            found = CALLEE.search(line)
            if found and not found[1].startswith(("llvm.", "__tsan_", "__")):
                if found[1] in self.module.functions:
                    return self.module.address(found[1])
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
                output += self.function(part, part.name in self.kernels)
            else:
                output += host_function(part)
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

    @staticmethod
    def is_declared(line, declared):
        return line.startswith("declare ") and GLOBAL.search(line)[1] in declared

    def global_line(self, line):
        """Constants go into their section; our constructor to the others."""
        found = line.startswith("@") and GLOBAL.match(line)
        if not found:
            return line
        for section in ("sim_constant", "sim_device"):
            if found[1] in self.module.notes[section] and ", align " in line:
                line = re.sub(r"\bconstant\b", "global", line, count=1)
                at = line.rindex(", align ")
                return f'{line[:at]}, section "{section}"{line[at:]}'
        if found[1] in self.arrays:
            return line + "\n" + self.red_zone(found[1], line)
        if found[1] == "llvm.global_ctors" and self.registers:
            return self.add_constructor(line)
        return line

    @staticmethod
    def red_zone(name, line):
        """Bytes behind a shared array that belong to none."""
        comdat = f", comdat(${name})" if ", comdat" in line else ""
        return (f"@sim.red.{name.strip(chr(34))} = internal thread_local(localexec) "
                f"global [128 x i8] zeroinitializer{comdat}, align 16")  # fmt: skip

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
