"""Lower one module: from clang's hooks to numbered calls of the runtime.

clang writes a module as text (LLVM IR). Before each access of memory stands a
call of its thread sanitizer, `call void @__tsan_read4(ptr %5), !dbg !846`. Here
it becomes `call void @sim_hook_r4(ptr %5, i32 17), !dbg !846`, and 17 is a line
of a table that says file:line:column. What else happens, in functions that a
kernel reaches:

    blocks        each begins with sim_hook_block(n); its line of the table
                  counts the operations of one lane
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

NAME = r'(?:"[^"]*"|[-\w$.]+)'  # of a function, block or type, after @ or %
GLOBAL = re.compile(rf"@({NAME})")
LOCAL = re.compile(rf"%({NAME})")
DBG = re.compile(r"!dbg !(\d+)")
LABEL = re.compile(rf"^({NAME}):")
TARGET = re.compile(rf"label %({NAME})")
# What stands before a block's event: a call's beginning counts as its caller's.
HEAD = re.compile(
    rf"{NAME}:|\s*%{NAME} = (?:phi|landingpad)\b|\s*#dbg|.*@llvm\.returnaddress|"
    r".*@__tsan_func_entry|.*@llvm\.dbg"
)
RESULT = re.compile(rf"\s*%({NAME}) = ")
CALLEE = re.compile(rf"\b(?:call|invoke)\b[^@%]*@({NAME})\(")
HOOK = re.compile(
    r"call void @__tsan_(unaligned_)?(volatile_)?(read_write|read|write)(\d+)\("
)
SIM_CALL = re.compile(r"@(sim_(?:barrier|warp|atomic|fence|active_mask))\(")
COPY = re.compile(r"call [^@]*@(?:llvm\.)?(memcpy|memmove|memset)\b[\w.]*\(")
ROUNDED = re.compile(r"(?:tail )?call [^@]*@sim__([fd])(add|sub|mul)_rn\(")
ASM = re.compile(
    r"(%\S+ = )?(?:tail )?call (.*?) asm (?:sideeffect )?(?:alignstack )?"
    r'"((?:[^"\\]|\\.)*)", "([^"]*)"\('
)
DIVIDE = re.compile(rf"\s*%{NAME} = (?:[su]div|[su]rem) (?:exact )?(i\d+) .*, (%{NAME})")
SHIFT = re.compile(
    rf"(\s*%)({NAME})( = (?:shl|lshr|ashr) (?:nuw |nsw |exact )*)(i32|i64) "
    rf"([^,]+), (%{NAME})(.*)"
)
TO_INTEGER = re.compile(
    rf"(\s*%)({NAME}) = fpto([su])i (float|double) ([^,]+) to (i8|i16|i32|i64)(.*)"
)
FLOAT_SUM = re.compile(
    rf"(\s*%)({NAME}) = (fadd|fsub) contract (float|double) ([^,]+), ([^,]+)(.*)"
)
FLOAT_PRODUCT = re.compile(
    rf"\s*%({NAME}) = fmul contract (float|double) ([^,]+), ([^,\s]+)"
)
SPECIAL = re.compile(
    r"@(?:llvm\.)?(?:sqrt|exp|exp2|exp10|log|log2|log10|sin|cos|tan|pow|tanh|rsqrt|"
    r"sincos|cbrt|erf|atan2?|asin|acos)f?(?:\.f32)?\("
)
INTEGER = {"add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor",
           "shl", "lshr", "ashr", "icmp"}  # fmt: skip
OPERATIONS = ("ffma", "fadd", "fmul", "fdiv", "special", "double", "integer", "branch")
NOT_IN_KERNELS = [
    (re.compile(r"sim_launch$|_ZNK3sim8launcher"), "a kernel cannot launch kernels in the simulator"),
    (re.compile(r"(malloc|calloc|realloc|free|_Zn[wa]\w+|_Zd[la]\w+)$"),
     "a kernel cannot allocate memory in the simulator"),
    (re.compile(r"cuda[A-Z]\w+$"), "a kernel cannot call this function of the host"),
    (re.compile(r"__cxa_(throw|allocate_exception)$"), "a kernel cannot throw"),
]  # fmt: skip


class Refused(Exception):
    """A kernel does what the simulator cannot."""


# ---- text of the IR ------------------------------------------------------------


def split_arguments(text, start):
    """The arguments from `start`, just after "(", and the position after ")"."""
    arguments, depth, quoted, begin = [], 0, False, start
    for i in range(start, len(text)):
        c = text[i]
        if c == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif c in "([{<":
            depth += 1
        elif c in ")]}>" and depth:
            depth -= 1
        elif c == ")" or (c == "," and not depth):
            arguments.append(text[begin:i].strip())
            begin = i + 1
            if c == ")":
                return [a for a in arguments if a], i + 1
    raise ValueError(f"unbalanced: {text}")


def value_of(argument):
    """The value of an argument: `i8* noundef %5` is %5, `i64 48` is 48."""
    if argument.endswith(")"):  # a constant expression: keep it whole
        found = re.search(r"\b(?:bitcast|getelementptr|inttoptr|addrspacecast)\b", argument)
        return argument[found.start() :] if found else argument
    return argument.split(" ")[-1]


def type_at(text, start):
    """The type that begins at a position: `[4 x float]`, `%struct.S*`, `i32`."""
    pairs = {"[": "]", "{": "}", "<": ">"}
    if text[start] in pairs:
        depth, i = 0, start
        while True:
            depth += (text[i] in "[{<") - (text[i] in "]}>")
            i += 1
            if depth == 0:
                break
    else:
        i = re.compile(rf"%{NAME}|[\w.]+").match(text, start).end()
    while text[i : i + 1] == "*":
        i += 1
    return text[start:i]


def debug(instruction):
    """`, !dbg !7` of an instruction, or nothing."""
    found = DBG.search(instruction)
    return f", !dbg !{found[1]}" if found else ""


def text_constant(name, text):
    """A zero-terminated string as a global of the module."""
    data = text.encode("utf-8", "surrogateescape") + b"\0"
    escaped = "".join(
        chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data
    )
    return f'@{name} = private constant [{len(data)} x i8] c"{escaped}"'


def ptx_text(text):
    """The text of an asm as the reader wrote it; IR has $0 and \\0A for %0, newline."""
    text = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), text)
    text = re.sub(r"\$\{?(\d+)(?::\w)?\}?", r"%\1", text)
    for coded, plain in ("$(", "{"), ("$)", "}"), ("$|", "|"), ("$$", "$"):
        text = text.replace(coded, plain)
    return text


# ---- debug information ---------------------------------------------------------


class Positions:
    """file:line:column of a location's number, from the module's metadata."""

    def __init__(self, lines, own_folder, source):
        self.own = own_folder + os.sep
        self.source = source
        self.folder = os.getcwd() + os.sep
        self.node = {}  # number -> (kind, fields)
        wanted = re.compile(
            r"!(\d+) = (?:distinct )?!DI(Location|File|Subprogram|LexicalBlock|"
            r"LexicalBlockFile|GlobalVariable|GlobalVariableExpression)\((.*)\)$"
        )
        field = re.compile(r'(\w+): (?:!(\d+)|(\d+)|"((?:[^"\\]|\\.)*)")')
        for line in lines:
            found = wanted.match(line)
            if found:
                values = {m[1]: m[2] or m[3] or m[4] for m in field.finditer(found[3])}
                self.node[found[1]] = values
        self.known = {}

    def file(self, scope):
        """Name of the file of a scope, as the compiler was told it."""
        while scope in self.node:
            values = self.node[scope]
            if values.get("file") in self.node:
                file = self.node[values["file"]]
                return self.shown(file["filename"], file.get("directory", ""))
            scope = values.get("scope")
        return None

    def shown(self, name, directory):
        """A file's name as it was given; clang divides it as it likes."""
        path = os.path.normpath(os.path.join(directory, name))
        if path == os.path.abspath(self.source):
            return self.source
        return path[len(self.folder) :] if path.startswith(self.folder) else path

    def foreign(self, name):
        """Is a file one of the system's or one of ours?"""
        path = os.path.join(self.folder, name or self.own)
        return path.startswith((self.own, "/usr/include/", "/usr/lib/"))

    def of(self, number):
        """`a.cu:5:3 <- a.cu:9:1`: where, and where that was inlined; or None."""
        if number not in self.known:
            self.known[number] = self.find(number)
        return self.known[number]

    def find(self, number):
        frames = []
        while number in self.node:
            values = self.node[number]
            name = self.file(values.get("scope"))
            line = values.get("line", "0")
            if line != "0" and not self.foreign(name):
                frames.append(f"{name}:{line}:{values.get('column', 0)}")
            number = values.get("inlinedAt")
        return " <- ".join(frames) or None

    def name(self, number):
        """Name of a function, or `function::variable` of a global."""
        values = self.node.get(number, {})
        if "var" in values:
            values = self.node.get(values["var"], {})
            scope = values.get("scope")
            while scope in self.node and "name" not in self.node[scope]:
                scope = self.node[scope].get("scope")
            if scope in self.node:
                return f"{self.node[scope]['name']}::{values.get('name')}"
        return values.get("name")


# ---- a function and its blocks -------------------------------------------------


class Block:
    """A basic block: instructions of one string each, some of several lines."""

    def __init__(self, label):
        self.label = label
        self.lines = []
        self.successors = []
        self.predecessors = []
        self.depth = 0  # loops around it

    def is_handler(self):
        """Does it only report an array index that is out of bounds?"""
        lines = [x for x in self.lines if not x.startswith(f"{self.label}:")]
        return "@__ubsan_handle_out_of_bounds" in "".join(lines) and all(
            "!nosanitize" in x for x in lines
        )


class Function:
    """A definition: its head line and its blocks."""

    def __init__(self, lines):
        self.head = lines[0]
        self.name = GLOBAL.search(self.head)[1]
        self.lines = lines
        self.blocks = None

    def debug_number(self):
        found = re.search(r"!dbg !(\d+)", self.head)
        return found[1] if found else None

    def read_blocks(self):
        """Cut the body at labels and connect the blocks."""
        self.blocks = [Block(None)]
        for line in self.lines[1:-1]:
            label = LABEL.match(line)
            if label:
                self.blocks.append(Block(label[1]))
            block = self.blocks[-1]
            if re.match(r"\s{4,}|\s*\]", line) and block.lines and "#dbg" not in line:
                block.lines[-1] += "\n" + line  # goes on with the line before
            elif line:
                block.lines.append(line)
        place = {b.label: b for b in self.blocks}
        for block in self.blocks:
            last = next(x for x in reversed(block.lines) if "#dbg" not in x)
            found = [place[t] for t in TARGET.findall(last)]
            block.successors = [b for b in dict.fromkeys(found) if not b.is_handler()]
        for block in self.blocks:
            if not block.is_handler():
                for successor in block.successors:
                    successor.predecessors.append(block)

    def ordered(self):
        """Blocks such that those of a loop stand together, before its exits.

        A depth-first search that visits successors outside of loops first, in
        reverse order of leaving. Lanes that diverge are merged by going on
        with the smallest site; this order makes them meet where hardware
        lets them meet.
        """
        number = {b: i for i, b in enumerate(self.blocks)}
        self.find_loops()
        order = self.search(lambda b: (b.depth, -number[b]))[0]
        return order[::-1]

    def search(self, key):
        """Depth-first: (blocks in order of leaving, edges that go back)."""
        first = self.blocks[0]
        order, back, open_, seen = [], [], {first}, {first}
        stack = [(first, iter(sorted(first.successors, key=key)))]
        while stack:
            block, successors = stack[-1]
            for successor in successors:
                if successor in open_:
                    back.append((block, successor))
                elif successor not in seen:
                    seen.add(successor)
                    open_.add(successor)
                    following = iter(sorted(successor.successors, key=key))
                    stack.append((successor, following))
                    break
            else:
                order.append(block)
                open_.discard(block)
                stack.pop()
        return order, back

    def find_loops(self):
        """Set Block.depth: a loop is what leads back to its first block."""
        loops = defaultdict(set)
        for last, first in self.search(lambda b: 0)[1]:
            body = loops[first]
            body.add(first)
            work = [last]
            while work:
                block = work.pop()
                if block not in body:
                    body.add(block)
                    work += block.predecessors
        for body in loops.values():
            for block in body:
                block.depth += 1

    def uses(self):
        """How often each local value is mentioned, debug information aside."""
        count = Counter()
        for block in self.blocks:
            for line in block.lines:
                if "llvm.dbg" not in line and "#dbg" not in line:
                    count.update(LOCAL.findall(line))
        return count


# ---- the module ----------------------------------------------------------------


class Module:
    """The text of a module, cut into functions and other lines."""

    def __init__(self, text):
        lines = text.split("\n")
        self.parts = []  # lines and Functions, in order
        self.functions = {}
        self.globals = {}  # name -> line
        i = 0
        while i < len(lines):
            if lines[i].startswith("define "):
                end = lines.index("}", i)
                function = Function(lines[i : end + 1])
                self.functions[function.name] = function
                self.parts.append(function)
                i = end
            else:
                found = lines[i].startswith("@") and GLOBAL.match(lines[i])
                if found:
                    self.globals[found[1]] = lines[i]
                self.parts.append(lines[i])
            i += 1
        self.pointer = "i8*" if "i8*" in text else "ptr"
        self.notes = self.read_annotations()

    def read_annotations(self):
        """What __attribute__((annotate(...))) noted: note -> names."""
        notes = defaultdict(list)
        line = self.globals.get("llvm.global.annotations", "")
        names = GLOBAL.findall(line)[1:]
        for name, note in zip(names[0::3], names[1::3]):
            found = re.search(r'c"(.*?)\\00"', self.globals.get(note, ""))
            if found:
                notes[found[1]].append(name)
        return notes

    def mentions(self, name):
        """Names of globals in a function's body or a global's initialiser."""
        if name in self.functions:
            return GLOBAL.findall("\n".join(self.functions[name].lines[1:]))
        return GLOBAL.findall(self.globals.get(name, ""))

    def reachable(self, start):
        """Names that can be reached from a function, itself among them."""
        seen, work = set(), [start]
        while work:
            name = work.pop()
            if name not in seen and (name in self.functions or name in self.globals):
                seen.add(name)
                work += self.mentions(name)
            elif name not in seen:
                seen.add(name)
        return seen

    def bytes_of(self, type_):
        """Size of a type, as a constant expression that clang works out."""
        if self.pointer == "ptr":
            pointer = f"ptr getelementptr ({type_}, ptr null, i32 1)"
        else:
            pointer = f"{type_}* getelementptr ({type_}, {type_}* null, i32 1)"
        return f"ptrtoint ({pointer} to i64)"

    def address(self, name):
        """A global's address as a plain pointer; its type is not needed."""
        if self.pointer == "ptr":
            return f"@{name}"
        return f"bitcast ({self.type_of(name)}* @{name} to i8*)"

    def type_of(self, name):
        """Type of a global variable or function (typed pointers need it)."""
        if name in self.functions:
            head = self.functions[name].head
            at = head.index("@" + name) + len(name) + 2
            arguments, _ = split_arguments(head, at)
            result = head[: at - len(name) - 2].split()[-1]
            return f"{result} ({', '.join(type_at(a, 0) for a in arguments)})"
        line = self.globals[name]
        return type_at(line, re.search(r"\b(?:global|constant) ", line).end())


class Lowering:
    """Rewrites the functions that kernels reach and gathers the tables."""

    def __init__(self, text, first_site, own_folder, given):
        self.module = Module(text)
        metadata = [p for p in self.module.parts if isinstance(p, str) and p[:1] == "!"]
        self.positions = Positions(metadata, own_folder, given)
        self.own_folder = own_folder
        self.known_ptx = None  # read when a kernel has some
        self.first_site = first_site
        self.sites = []  # lines of the table
        self.extra = []  # generated functions and constants
        self.declared = {}  # hook -> its arguments' types
        self.kernels = self.module.notes["sim_kernel"]
        self.reached = {k: self.module.reachable(k) for k in self.kernels}
        self.local_arrays = defaultdict(list)  # function -> types
        self.device = set().union(*self.reached.values())
        self.arrays = self.shared_arrays(self.device)

    # ---- sites and hooks

    def site(self, kind, instruction):
        """Number a place; `~` marks a line that the compiler has lost."""
        found = DBG.search(instruction)
        where = found and self.positions.of(found[1])
        if where:
            self.near = where
        else:
            where = "~" + self.near
        self.sites.append(f"{kind}\t{where}\t{self.shown}")
        return self.first_site + len(self.sites) - 1

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
        self.count = function.uses()
        order = function.ordered()
        self.fuse(order)
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
            located = (x for x in block.lines[head:] if "!dbg" in x and "llvm.dbg" not in x)
            block.site = self.site("B", next(located, ""))
            block.operations = Counter()
        lowered = []
        for i, line in enumerate(block.lines):
            if i == head and owner is block:
                lowered.append(self.hook("sim_hook_block", [("i32", block.site)]))
            operation = self.operation(line)
            if operation:
                owner.operations[operation] += 1
            lowered += self.instruction(line, block.lines, i)
        block.lines = lowered
        self.write_operations(owner)

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
        counts = [f"{n}={block.operations[n]}" for n in OPERATIONS if block.operations[n]]
        fields = self.sites[place].split("\t")[:3]
        self.sites[place] = "\t".join(fields + ([" ".join(counts)] if counts else []))

    def operation(self, line):
        """Which of OPERATIONS an instruction counts as; None: none."""
        found = re.match(rf"\s*(?:%{NAME} = )?(?:tail )?(\w+) (.*)", line)
        if not found or "!nosanitize" in line:  # a check of array bounds
            return None
        word, rest = found.groups()
        if word == "call":
            rounded = ROUNDED.search(line)
            if rounded:
                float_ = {"sub": "fadd"}.get(rounded[2], "f" + rounded[2])
                return "double" if rounded[1] == "d" else float_
            if "@llvm.fma" in rest:
                return "double" if ".f64" in rest else "ffma"
            return "special" if SPECIAL.search(rest) else None
        if word in ("fadd", "fsub", "fmul", "fdiv", "frem"):
            result = RESULT.match(line)
            if word == "fmul" and result and self.count[result[1]] == 1:
                return None  # fused: see fuse()
            if " double " in f" {rest}":
                return "double"
            return {"fsub": "fadd", "frem": "fdiv"}.get(word, word)
        if word in INTEGER:
            return "integer"
        if word == "switch" or (word == "br" and rest.startswith("i1")):
            return "branch"
        return None

    # ---- instructions

    def instruction(self, line, lines, i):
        """What takes the place of one instruction, as a list of lines."""
        if "contract " in line:
            line = line.replace(" contract ", " ")
        if "@" in line:
            if "@__tsan_" in line:
                return self.sanitizer_call(line, lines, i)
            if "@llvm.returnaddress" in line:  # only __tsan_func_entry wanted it
                return [re.sub(r"call .*", f"bitcast {self.module.pointer} null to "
                               f"{self.module.pointer}", line)]  # fmt: skip
            found = ROUNDED.search(line)
            if found:
                return [self.rounded(line, found)]
            if "@clock()" in line:  # of libc; the host's calls stay
                self.extra.append("declare i64 @sim_clock()")
                return [line.replace("@clock()", "@sim_clock()")]
            if SIM_CALL.search(line):
                return [self.sim_call(line)]
            found = COPY.search(line)
            if found:
                return self.copy(line, found) + [line]
            self.refuse(line)
        elif " asm " in line:
            return self.inline_ptx(line)
        elif " = alloca " in line:
            type_ = type_at(line, line.index("alloca ") + 7)
            if type_[0] in "[%":
                self.local_arrays[self.name].append(type_)
        elif " div" in line or "div " in line or "rem " in line:
            return self.division(line) + [line]
        elif "sh" in line and SHIFT.match(line):
            return self.shift(SHIFT.match(line))
        elif " = fpto" in line and TO_INTEGER.match(line):
            return self.to_integer(TO_INTEGER.match(line))
        return [line]

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
        aligned = [int(m[1]) for a in arguments[:2] if (m := re.search(r"align (\d+)", a))]
        pointers = arguments[: 1 if found[1] == "memset" else 2]
        piece = min(aligned) if len(aligned) == len(pointers) else 1
        hooks = []
        for write, pointer in reversed(list(zip((1, 0), pointers))):
            address = (self.module.pointer, value_of(pointer))
            site = self.site("A", line)
            hooks.append(
                self.range(address, value_of(arguments[2]), piece, write, site, line)
            )
        return hooks

    @staticmethod
    def rounded(line, found):
        """__fmul_rn and its like: one instruction that is not fused."""
        arguments, _ = split_arguments(line, found.end())
        type_ = "float" if found[1] == "f" else "double"
        a, b = map(value_of, arguments)
        return f"{line[: found.start()]}f{found[2]} {type_} {a}, {b}{debug(line)}"

    def sim_call(self, line):
        """Put the site into a call of the shim, and whether atomics are used."""
        found = SIM_CALL.search(line)
        arguments, end = split_arguments(line, found.end())
        kind = "A" if found[1] == "sim_atomic" else "W"
        if found[1] == "sim_atomic":
            result = RESULT.match(line)
            used = bool(result and self.count[result[1]] > 1)
            arguments[-2] = f"i32 {int(used)}"
        arguments[-1] = f"i32 {self.site(kind, line)}"
        return line[: found.end()] + ", ".join(arguments) + ")" + line[end:]

    def refuse(self, line):
        """Stop at calls that a kernel cannot make."""
        found = CALLEE.search(line)
        for pattern, reason in NOT_IN_KERNELS if found else []:
            if pattern.match(found[1]):
                number = DBG.search(line)
                where = number and self.positions.of(number[1])
                if not where:
                    continue  # inside of our headers: its caller is refused
                name = "" if found[1].startswith(("sim_", "_")) else f"{found[1]}: "
                raise Refused(f"{where.split(' <- ')[0]}: {name}{reason}")

    def division(self, line):
        """The check that stands before a division by a variable."""
        found = DIVIDE.match(line)
        if not found or found[1] not in ("i8", "i16", "i32", "i64"):
            return []
        type_, divisor = found.groups()
        checks = []
        if type_ != "i64":
            wide = f"%sim.divisor.{len(self.sites)}"
            checks = [f"  {wide} = zext {type_} {divisor} to i64"]
            divisor = wide
        site = self.site("W", line)
        arguments = [("i64", divisor), ("i32", site)]
        return checks + [self.hook("sim_hook_divide", arguments, line)]

    @staticmethod
    def shift(found):
        """Shifts by the width or more: 0, or the sign for >> of a signed one."""
        start, result, operation, type_, value, amount, rest = found.groups()
        width = int(type_[1:])
        name = result.strip('"')
        inside = f"  %sim.inside.{name} = icmp ult {type_} {amount}, {width}"
        if "ashr" in operation:
            most = f"  %sim.amount.{name} = select i1 %sim.inside.{name}, "
            most += f"{type_} {amount}, {type_} {width - 1}"
            shift = f"{start}{result} = ashr {type_} {value}, %sim.amount.{name}{rest}"
            return [inside, most, shift]
        word = operation.split()[1]
        shift = f"  %sim.shifted.{name} = {word} {type_} {value}, {amount}{rest}"
        chosen = f"{start}{result} = select i1 %sim.inside.{name}, "
        chosen += f"{type_} %sim.shifted.{name}, {type_} 0{rest}"
        return [inside, shift, chosen]

    def to_integer(self, found):
        """Saturate. NaN: 0, or the smallest integer where 64 bits take part."""
        start, result, sign, source, value, type_, rest = found.groups()
        name = result.strip('"')
        wide = type_ if type_ == "i64" else "i32"
        suffix = "f32" if source == "float" else "f64"
        function = f"llvm.fpto{sign}i.sat.{wide}.{suffix}"
        self.extra.append(f"declare {wide} @{function}({source})")
        lines = [f"  %sim.whole.{name} = call {wide} @{function}({source} {value})"]
        whole = f"%sim.whole.{name}"
        if wide == "i64" or source == "double":
            smallest = -(2 ** (int(wide[1:]) - 1))
            lines.append(f"  %sim.nan.{name} = fcmp uno {source} {value}, {value}")
            lines.append(f"  %sim.or.{name} = select i1 %sim.nan.{name}, "
                         f"{wide} {smallest}, {wide} {whole}")  # fmt: skip
            whole = f"%sim.or.{name}"
        word = "bitcast" if wide == type_ else "trunc"
        lines.append(f"{start}{result} = {word} {wide} {whole} to {type_}{rest}")
        return lines

    def fuse(self, order):
        """Make llvm.fma of products and sums, as nvcc does.

        A product is fused if all its uses are sums, in the same loop; then it
        is needed no more. (Measured on an H200: one that is also stored stays,
        and so do its sums.) Of two products in a sum the first is taken. The
        line of the product stays, unused, since IR numbers values without gaps.
        """
        sums = Counter()  # (value, loop depth) -> uses in sums
        for block in order:
            for line in block.lines:
                found = FLOAT_SUM.match(line) if " contract " in line else None
                for name in found.groups()[4:6] if found else []:
                    sums[name[1:], block.depth] += 1
        products = {}
        for block in order:
            lines = []
            for line in block.lines:
                found = FLOAT_PRODUCT.match(line) if " contract " in line else None
                if found and self.count[found[1]] == 1 + sums[found[1], block.depth]:
                    products[found[1]] = found.groups()[2:]
                found = FLOAT_SUM.match(line) if " contract " in line else None
                operands = [x[1:] for x in found.groups()[4:6]] if found else []
                operands = [x for x in operands if x in products]
                if operands:
                    self.count[operands[0]] -= 1
                    product = products[operands[0]]
                    lines += self.multiply_add(found, operands[0], *product)
                else:
                    lines.append(line)
            block.lines = lines

    def multiply_add(self, found, product, x, y):
        """x * y + other; a*b - c = fma(a, b, -c), c - a*b = fma(-a, b, c)."""
        start, result, word, type_, a, b, rest = found.groups()
        other, lines = (b if a[1:] == product else a), []
        if word == "fsub":
            first = other is b
            negated = "%sim.minus." + result.strip('"')
            lines.append(f"  {negated} = fneg {type_} {other if first else x}")
            x, other = (x, negated) if first else (negated, other)
        function = f"llvm.fma.{'f32' if type_ == 'float' else 'f64'}"
        self.extra.append(f"declare {type_} @{function}({type_}, {type_}, {type_})")
        return lines + [
            f"{start}{result} = call {type_} @{function}"
            f"({type_} {x}, {type_} {y}, {type_} {other}){rest}"
        ]

    # ---- inline PTX

    def inline_ptx(self, line):
        """`asm "mma..."(...)` becomes a call of a function of its own.

        Each operand %0, %1 ... of the text has a slot of 8 bytes, results
        first; a "+f" operand finds its old value in its result's slot.
        """
        found = ASM.search(line)
        if not found or not found[3].strip():
            return [line]  # a barrier for the compiler
        result, type_, text, constraints = found.groups()
        text = ptx_text(text)
        self.check_ptx(text, line)
        arguments, _ = split_arguments(line, found.end())
        arguments = [a.replace("noundef ", "") for a in arguments]
        site = self.site("W", line)
        types = [type_at(a, 0) for a in arguments]
        self.ptx_wrapper(site, type_, types, text, constraints.split(","))
        call = f"  {result or ''}call {type_} @sim.ptx.{site}({', '.join(arguments)})"
        return [call + debug(line)]

    def check_ptx(self, text, line):
        """Refuse instructions and registers that runtime/ptx.c does not have."""
        if self.known_ptx is None:
            with open(os.path.join(self.own_folder, "..", "runtime", "ptx.c")) as file:
                self.known_ptx = set(re.findall(r'\{"([\w.]+)", ', file.read()))
        statements = [x.strip("{} \t\n") for x in text.split(";")]
        statements = [x for x in statements if x]
        unknown = "several instructions in one asm" if len(statements) > 1 else None
        for word in statements[0].replace(",", " ").split()[1:] if statements else []:
            if re.match(r"%[a-z]", word) and word[1:] not in self.known_ptx:
                unknown = word
        for name in [x.split()[0] for x in statements]:
            floats = re.search(r"\.f\d+$", name) and not name.startswith("mov.")
            if name.split(".")[0] not in self.known_ptx or floats:
                unknown = name
        if unknown:
            number = DBG.search(line)
            where = (number and self.positions.of(number[1])) or self.near
            where = where.split(" <- ")[0]
            raise Refused(f"{where}: inline PTX: the simulator does not know {unknown}")

    def ptx_wrapper(self, site, type_, types, text, constraints):
        """Define sim.ptx.N: operands into slots, sim_hook_ptx, results out."""
        constraints = [c for c in constraints if not c.startswith("~")]
        outputs = [c for c in constraints if c.startswith("=")]
        results = []
        if outputs:
            results = split_arguments(type_.strip("{} ") + ")", 0)[0]
        slots, place = len(outputs), []
        for constraint in constraints[len(outputs) :]:
            tied = constraint.isdigit()
            place.append(int(constraint) if tied else slots)
            slots += not tied
        self.extra.append(text_constant(f"sim.ptx.text.{site}", text))
        self.globals_type(f"sim.ptx.text.{site}", self.extra[-1])
        parameters = ", ".join(f"{t} %a{i}" for i, t in enumerate(types))
        array = f"[{max(slots, 1)} x i64]"
        body = [f"  %slots = alloca {array}, align 16"]
        body.append(self.store(array, "zeroinitializer", "%slots", array))
        for i, (t, slot) in enumerate(zip(types, place)):
            body += self.slot(array, slot, f"in{i}", t)
            body.append(self.store(t, f"%a{i}", f"%in{i}", t))
        p = self.module.pointer
        first = "%slots"
        if p != "ptr":
            body.append(f"  %first = bitcast {array}* %slots to i8*")
            body.append("  %words = bitcast i8* %first to i64*")
            first = "%words"
        word = "ptr" if p == "ptr" else "i64*"
        address = self.module.address(f"sim.ptx.text.{site}")
        arguments = [(p, address), (word, first), ("i32", len(outputs)), ("i32", site)]
        body.append(self.hook("sim_hook_ptx", arguments))
        value = "undef"
        for i, t in enumerate(results):
            body += self.slot(array, i, f"out{i}", t)
            source = f"ptr %out{i}" if p == "ptr" else f"{t}* %out{i}"
            body.append(f"  %v{i} = load {t}, {source}")
            if len(results) > 1:
                body.append(f"  %r{i} = insertvalue {type_} {value}, {t} %v{i}, {i}")
                value = f"%r{i}"
            else:
                value = f"%v{i}"
        body.append(f"  ret {type_} {value}" if results else "  ret void")
        head = f"define internal {type_} @sim.ptx.{site}({parameters}) {{"
        self.extra.append("\n".join([head, *body, "}"]))

    def globals_type(self, name, line):
        """Remember a generated global, so that its address can be taken."""
        self.module.globals[name] = line

    def store(self, type_, value, pointer, pointee):
        p = "ptr" if self.module.pointer == "ptr" else f"{pointee}*"
        return f"  store {type_} {value}, {p} {pointer}"

    def slot(self, array, index, name, type_):
        """Instructions that give %name, the address of a slot."""
        if self.module.pointer == "ptr":
            return [f"  %{name} = getelementptr {array}, ptr %slots, i64 0, i64 {index}"]
        return [
            f"  %{name}.p = getelementptr {array}, {array}* %slots, i64 0, i64 {index}",
            f"  %{name} = bitcast i64* %{name}.p to {type_}*",
        ]

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

    def string(self, text):
        """A pointer to a new string constant."""
        name = f"sim.text.{len(self.extra)}"
        self.extra.append(text_constant(name, text))
        self.globals_type(name, self.extra[-1])
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
            shared.append(self.hook("sim_shared_array", arguments))
        for name, body in ("sim.shared_arrays", shared), ("sim.kernels", kernels):
            lines = [f"define internal void @{name}() {{", *body, "  ret void", "}"]
            self.extra.append("\n".join(lines))
        self.constructor()

    def sum(self, types, name, lines):
        """Instructions that add the sizes of types, and the result."""
        total = "0"
        for i, type_ in enumerate(types):
            lines.append(f"  {name}.{i} = add i64 {total}, {self.module.bytes_of(type_)}")
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
        function = "ptr" if p == "ptr" else "void ()*"
        next_ = p
        type_ = f"{{ i32, i32, {p}, {function}, {function}, {next_} }}"
        sites = self.string("\n".join(self.sites) + "\n")
        # Not internal: two objects that number from 1 must not be linked.
        name = f"sim.module.{self.first_site}"
        self.extra.append(
            f"@{name} = global {type_} {{ i32 {self.first_site}, "
            f"i32 {len(self.sites)}, {p} {sites}, {function} @sim.shared_arrays, "
            f"{function} @sim.kernels, {next_} null }}"
        )
        self.globals_type(name, self.extra[-1])
        call = self.hook("sim_register", [(p, self.module.address(name))])
        self.extra.append(
            f"define internal void @sim.register() {{\n{call}\n  ret void\n}}"
        )

    # ---- all of it

    def lower(self):
        """The whole module as text."""
        output = []
        for part in self.module.parts:
            if isinstance(part, str):
                output.append(self.global_line(part))
            elif part.name in self.device:
                output += self.function(part, part.name in self.kernels)
            else:
                output += host_function(part)
        if self.kernels:
            self.registration()
        # Metadata stands last; what is new goes before it.
        end = next((i for i, x in enumerate(output) if x.startswith("!")), len(output))
        declared = {GLOBAL.search(x)[1] for x in output if x.startswith("declare ")}
        new = [x for x in dict.fromkeys(self.extra) if not self.is_declared(x, declared)]
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
        if found[1] == "llvm.global_ctors" and self.kernels:
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
        function = "ptr" if p == "ptr" else "void ()*"
        element = f"{{ i32, {function}, {p} }}"
        size = int(re.search(r"\[(\d+) x", line)[1])
        line = line.replace(f"[{size} x", f"[{size + 1} x", 1)
        ours = f", {element} {{ i32 65535, {function} @sim.register, {p} null }}]"
        return line[: line.rindex("]")] + ours + line[line.rindex("]") + 1 :]


def host_function(function):
    """A function of the host: as it was without sanitizers."""
    unwanted = ("call void @__tsan_", "call void @__ubsan_handle_out_of_bounds")
    lines = [x for x in function.lines if not any(u in x for u in unwanted)]
    return [x.replace(" contract ", " ") if "contract" in x else x for x in lines]


def lower(source, output, first_site, own_folder, given):
    """Lower the file `source` to the file `output`.

    first_site   number of its first site
    own_folder   of the shim's headers, whose lines no report shows
    given        name of the CUDA source on the command line
    Returns the number for the first site of the next module. Raises Refused.
    """
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        lowering = Lowering(file.read(), first_site, own_folder, given)
    text = lowering.lower()
    with open(output, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    return first_site + len(lowering.sites)
