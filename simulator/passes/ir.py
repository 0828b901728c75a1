"""LLVM IR as text: what lower.py and its helpers read and write.

A module is lines of globals, declarations and metadata, and functions, which are
cut into basic blocks. clang 14 writes typed pointers (i8*), newer ones write
ptr; Module.to() knows which.
"""

import os
import re
from collections import Counter, defaultdict

NAME = r'(?:"[^"]*"|[-\w$.]+)'  # of a function, block or type, after @ or %
GLOBAL = re.compile(rf"@({NAME})")
ARGUMENTS = re.compile(r"\.args(\.\d+)?$")  # constants that clang makes of notes
LOCAL = re.compile(rf"%({NAME})")
DBG = re.compile(r"!dbg !(\d+)")
# What a variable of the source is at some place: a call, or newer a record.
VARIABLE = re.compile(r"\s*(call void @llvm\.dbg|#dbg)")
LABEL = re.compile(rf"^({NAME}):")
TARGET = re.compile(rf"label %({NAME})")
RESULT = re.compile(rf"\s*%({NAME}) = ")
# What cuts arguments; a string is one piece, whatever is in it.
PUNCTUATION = re.compile(r'"[^"]*"?|[][(){}<>,]')
CALLEE = re.compile(rf"\b(?:call|invoke)\b[^@%]*@({NAME})\(")


class Refused(Exception):
    """A kernel does what the simulator cannot."""


# ---- text of the IR ------------------------------------------------------------


def split_arguments(text, start):
    """The arguments from `start`, just after "(", and the position after ")"."""
    arguments, depth, begin = [], 0, start
    for match in PUNCTUATION.finditer(text, start):
        c, i = match[0], match.start()
        if c in "([{<":
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
        expression = r"\b(?:bitcast|getelementptr|inttoptr|addrspacecast)\b"
        match = re.search(expression, argument)
        return argument[match.start() :] if match else argument
    return argument.split(" ")[-1]


def type_at(text, start):
    """The type that begins at a position: `[4 x float]`, `%struct.S*`, `i32`,
    and of a pointer to a function `float (float, i32*)*`."""
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
    while True:
        if text[i : i + 1] == "*":
            i += 1
        elif text[i : i + 2] == " (":
            i = split_arguments(text, i + 2)[1]
        else:
            return text[start:i]


def debug(instruction):
    """`, !dbg !7` of an instruction, or nothing."""
    match = DBG.search(instruction)
    return f", !dbg !{match[1]}" if match else ""


def text_constant(name, text):
    """A zero-terminated string as a global of the module."""
    data = text.encode("utf-8", "surrogateescape") + b"\0"
    escaped = re.sub(
        r'[^ !#-[\]-~]', lambda match: f"\\{ord(match[0]):02X}", data.decode("latin-1")
    )
    return f'@{name} = private constant [{len(data)} x i8] c"{escaped}"'


def unescaped(text):
    r"""A string of the IR as people write it: `\C3\A4` is an ä."""
    data = text.encode("utf-8", "surrogateescape")
    data = re.sub(rb"\\([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), data)
    return data.decode("utf-8", "surrogateescape")


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
            r"LexicalBlockFile|GlobalVariable|GlobalVariableExpression|LocalVariable|"
            r"CompositeType|DerivedType|BasicType)\((.*)\)$"
        )
        field = re.compile(r'(\w+): (?:!(\d+)|(\d+)|"((?:[^"\\]|\\.)*)")')
        for line in lines:
            if match := wanted.match(line):
                values = {m[1]: m[2] or m[3] or m[4] for m in field.finditer(match[3])}
                if "\\" in line:
                    values = {k: v and unescaped(v) for k, v in values.items()}
                self.node[match[1]] = values
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

    def is_in(self, number, name):
        """Is a location in a function of our headers whose name begins so?"""
        scope = self.node.get(number, {}).get("scope")
        while scope in self.node and "name" not in self.node[scope]:
            scope = self.node[scope].get("scope")
        function = self.node.get(scope, {}).get("name") or ""
        return function.startswith(name) and self.foreign(self.file(scope))

    def variable(self, number):
        """(bytes, "file:line: name") of a global variable."""
        number = self.node.get(number, {}).get("var", number)
        values = self.node.get(number, {})
        place = f"{self.file(number)}:{values.get('line')}"
        type_ = self.node.get(values.get("type"), {})
        while "size" not in type_ and type_.get("baseType") in self.node:
            type_ = self.node[type_["baseType"]]
        return int(type_.get("size", 0)) // 8, f"{place}: {values.get('name')}"

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
        match = re.search(r"!dbg !(\d+)", self.head)
        return match[1] if match else None

    def read_blocks(self):
        """Cut the body at labels and connect the blocks.

        What debuggers want to know of variables is left out: a third of the
        lines, and nobody stops in code that counts (make debug does not).
        """
        self.blocks = [Block(None)]
        for line in self.lines[1:-1]:
            if VARIABLE.match(line):
                continue
            label = LABEL.match(line)
            if label:
                self.blocks.append(Block(label[1]))
            block = self.blocks[-1]
            if re.match(r"\s{4,}|\s*\]", line) and block.lines:
                block.lines[-1] += "\n" + line  # goes on with the line before
            elif line:
                block.lines.append(line)
        place = {b.label: b for b in self.blocks}
        for block in self.blocks:
            targets = dict.fromkeys(place[t] for t in TARGET.findall(block.lines[-1]))
            block.successors = [b for b in targets if not b.is_handler()]
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
        """How often each local value is used."""
        count = Counter()
        for block in self.blocks:
            for line in block.lines:
                names = LOCAL.findall(line)
                count.update(names[1:] if RESULT.match(line) else names)
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
                if match := lines[i].startswith("@") and GLOBAL.match(lines[i]):
                    self.globals[match[1]] = lines[i]
                self.parts.append(lines[i])
            i += 1
        self.typed = "i8*" in text
        self.pointer = self.to("i8")  # to anything
        self.notes = defaultdict(list)  # note -> names
        self.statements = {}  # inline PTX -> number of the function that does it
        self.launch_bounds = {}  # kernel -> threads of a block
        self.clusters = {}  # kernel -> x, y, z blocks of a cluster
        self.read_annotations()

    def read_annotations(self):
        """What __attribute__((annotate(...))) noted. Each entry names what is
        noted, the note, the file and, if there are any, the note's arguments."""
        names = GLOBAL.findall(self.globals.get("llvm.global.annotations", ""))[1:]
        while names:
            name, note, _ = names[:3]
            del names[:3]
            arguments = names.pop(0) if names and ARGUMENTS.match(names[0]) else ""
            match = re.search(r'c"(.*?)\\00"', self.globals.get(note, ""))
            if match and match[1] == "sim_launch_bounds":
                value = re.search(r"\{ i\d+ (\d+) \}", self.globals[arguments])
                self.launch_bounds[name] = int(value[1])
            elif match and match[1] == "sim_cluster":
                self.clusters[name] = re.findall(r"i\d+ (\d+)",
                                                 self.globals[arguments])
            elif match:
                self.notes[match[1]].append(name)

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

    def to(self, type_):
        """A pointer to a type: `float*`, or `ptr` whatever the type."""
        return f"{type_}*" if self.typed else "ptr"

    def bytes_of(self, type_):
        """Size of a type, as a constant expression that clang works out."""
        p = self.to(type_)
        return f"ptrtoint ({p} getelementptr ({type_}, {p} null, i32 1) to i64)"

    def address(self, name):
        """A global's address as a plain pointer."""
        if not self.typed:
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
