"""Arrays of one thread: which pointers lead to them.

clang puts no hook before an access of an array that never leaves its function,
and where it does, an address on the stack does not say where an array ends. But
the pointer does: it comes from the array's alloca, through getelementptr,
bitcast, phi and select.

A function that gets the pointer knows no alloca. So behind an array that is
handed to one lies a zone of words that belong to nobody.
"""

import re

from ir import CALLEE, LOCAL, NAME, RESULT, split_arguments, type_at, value_of

ALLOCA = re.compile(rf"\s*%({NAME}) = alloca ")
DERIVED = re.compile(rf"\s*%({NAME}) = (getelementptr|bitcast|phi|select) (.*)")
# dbg.declare says which variable of the source an alloca is; from clang 17 on
# dbg.assign, which names the variable first.
DECLARED = re.compile(
    rf"dbg[._]declare\(.*?%(?P<to>{NAME}), (?:metadata )?!(?P<of>\d+)"
)
ASSIGNED = re.compile(
    r"dbg[._]assign\(.*?, (?:metadata )?!(?P<of>\d+), (?:metadata )?!DIExpression"
    rf"\(\), (?:metadata )?!\d+, (?:metadata )?ptr %(?P<to>{NAME}),"
)
ACCESS = re.compile(rf"\s*(?:%{NAME} = )?(load|store) (?:volatile )?(.*)")
PHI = re.compile(rf"\[ ([^,\]]+), %{NAME} \]")
# A loop's counter is 0 at first; then it is what the last lines of the loop make
# of it, and they leave when it is N.
COUNTER = re.compile(
    rf"\s*%({NAME}) = phi i\d+ (?=.*\[ 0, %{NAME} \])(?=.*\[ %({NAME}), %({NAME}) \])"
)
LOOP_END = r"""\s*%{1} = add [a-z ]*i\d+ %{0}, 1\b.*
\s*%(NAME) = icmp eq i\d+ %{1}, (\d+)\b.*
\s*br i1 %\1, label %NAME, label %{2}\b"""
# clang's check of an index: where it fails, the launch ends.
COMPARED = re.compile(rf"\s*%({NAME}) = icmp ult i\d+ %({NAME}), (\d+)\b")
WIDER = re.compile(rf"\s*%({NAME}) = [sz]ext i\d+ %({NAME}) to ")
CHECKED = re.compile(rf"\s*br i1 %({NAME}), label %({NAME}), label ")
DIMENSION = re.compile(r"\[(\d+) x ")


def is_array(type_):
    """An array or a structure, but none of tensor cores: these are ours."""
    return type_[0] in "[%" and "nvcuda::wmma::fragment" not in type_


def counters(blocks):
    """{name: N} of the counters that go from 0 to N - 1 by ones."""
    ends = {block.label: "\n".join(block.lines[-3:]) for block in blocks}
    limits = {}
    for block in blocks:
        for phi in filter(None, map(COUNTER.match, block.lines)):
            name, after, last = phi.groups()
            form = LOOP_END.format(*map(re.escape, (name, after, block.label)))
            end = re.match(form.replace("NAME", NAME), ends.get(last, ""))
            if end and phi.string.count("[") == 2:
                limits[name] = int(end[2])
    return limits


def arguments_of(rest):
    """What stands behind an instruction's name, cut at its commas."""
    return split_arguments(rest + ")", 0)[0]


class LocalArrays:
    """The local arrays of one function, and the pointers to them."""

    def __init__(self, function, positions):
        self.types = {}  # alloca -> type
        self.sources = {}  # pointer -> the pointers that it may come from
        self.fixed = set()  # pointers into an array by numbers alone
        self.inside = {}  # pointer to an element that is there -> its type
        self.handed = set()  # arrays that other functions get
        names = (
            DECLARED.search(line) if "declare(" in line else ASSIGNED.search(line)
            for line in function.lines
            if "declare(" in line or "assign(" in line
        )
        self.names = {x["to"]: positions.name(x["of"]) for x in names if x}
        lines = [line for block in function.blocks for line in block.lines]
        for alloca in filter(None, map(ALLOCA.match, lines)):
            type_ = type_at(alloca.string, alloca.end())
            if is_array(type_):
                self.types[alloca[1]] = type_
        if self.types:
            self.counters = counters(function.blocks)
            self.compared = {x[1]: (x[2], int(x[3])) for x in map(COMPARED.match, lines) if x}
            self.wider = {x[1]: x[2] for x in map(WIDER.match, lines) if x}
            self.follow(function.blocks)

    def follow(self, blocks):
        """Note where the pointers of all instructions come from and go to."""
        handed = []
        for block in blocks:
            checked = self.checked(block)
            for line in block.lines:
                self.read(line, checked)
                callee = CALLEE.search(line)
                if callee and not callee[1].startswith(("llvm.", "sim_", "__")):
                    handed += LOCAL.findall(line[callee.end() :])
        self.handed = {self.of(x) for x in handed} - {None}

    def checked(self, block):
        """(name, N): what was found to be below N right before this block."""
        if len(block.predecessors) == 1 and block.predecessors[0].successors == [block]:
            match = CHECKED.match(block.predecessors[0].lines[-1])
            if match and match[2] == block.label:
                return self.compared.get(match[1])
        return None

    def read(self, line, checked):
        """Note what pointer one instruction makes."""
        derived = DERIVED.match(line)
        if derived:
            name, word, rest = derived.groups()
            arguments = arguments_of(rest)
            if word == "getelementptr":
                values = [arguments[1]]
                self.read_indices(name, checked, *arguments)
            elif word == "bitcast":
                values = [rest.split(" to ")[0]]
            else:
                values = PHI.findall(rest) if word == "phi" else arguments[1:3]
            self.sources[name] = [value_of(x).lstrip("%") for x in values]

    def read_indices(self, name, checked, type_, start, *indices):
        """Note a pointer whose indices are numbers, or stay within an array."""
        type_ = type_.replace("inbounds ", "")
        whole = type_ == self.types.get(value_of(start).lstrip("%"))
        indices = [value_of(x) for x in indices if x[0] != "!"]
        inside, fixed = whole and indices[0] == "0", indices[0].isdigit()
        for index in indices[1:]:
            end = int(index) + 1 if index.isdigit() else self.counters.get(index[1:])
            if checked and checked[0] in (index[1:], self.wider.get(index[1:])):
                end = checked[1]
            dimension = DIMENSION.match(type_)
            below = dimension and end and end <= int(dimension[1])
            inside = inside and below
            fixed = fixed and index.isdigit() and (below or not dimension)
            type_ = type_[dimension.end() : -1] if dimension else ""
        if inside:
            self.inside[name] = type_
        if fixed:
            self.fixed.add(name)

    def of(self, pointer):
        """The array that a pointer comes from; None: none, or one of several."""
        ends, seen, todo = set(), set(), [pointer]
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self.sources:
                todo += self.sources[name]
            else:
                ends.add(name)
        end = ends.pop() if len(ends) == 1 else None
        return end if end in self.types else None

    def accessed(self, line):
        """(array, pointer with its type, type, is it a store?) of a load or a
        store whose place in a local array is not a plain number; or None."""
        if not (match := ACCESS.match(line) if self.types else None):
            return None
        is_store = match[1] == "store"
        arguments = arguments_of(match[2])
        if len(arguments) < 2:
            return None
        pointer = arguments[1]
        name = value_of(pointer).lstrip("%")
        source = self.sources.get(name, ())
        if name in self.fixed and source[0] in self.types:
            return None
        array = self.of(name)
        type_ = type_at(arguments[0], 0)
        if self.inside.get(name) == type_:
            return None
        return array and (array, pointer, type_, is_store)

    def zone(self, line, module):
        """What takes the place of an array's alloca: the array, and behind it
        16 words. @return the lines, the name of the zone's pointer"""
        name = ALLOCA.match(line)[1]
        type_, words = self.types[name], "[16 x i32]"
        whole, inner = f"%sim.whole.{name}", f"%sim.words.{name}"
        both = f"{{ {type_}, {words} }}"
        part = f"getelementptr {both}, {module.to(both)} {whole}, i32 0, i32"
        return [
            line.replace(f"%{name} = alloca {type_}", f"{whole} = alloca {both}", 1),
            f"  %{name} = {part} 0",
            f"  {inner} = {part} 1",
            f"  %sim.zone.{name} = bitcast {module.to(words)} {inner} to {module.pointer}",
        ], f"%sim.zone.{name}"
