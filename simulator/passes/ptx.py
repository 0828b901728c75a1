"""Inline PTX: `asm("mad.lo.u32 ..." : ...)` becomes a call of the runtime.

Each operand %0, %1 ... of the text gets a slot of 8 bytes, results first; a
"+r" operand finds its old value in its result's slot. A function is generated
for all asm statements that are alike: it fills the slots, calls sim_hook_ptx()
with the text, a place for what the runtime makes of it, and the statement's
site, and takes the results out.
"""

import os
import re

from ir import split_arguments, text_constant, type_at, value_of

ASM = re.compile(
    r"(%\S+ = )?(?:tail )?call (?:contract )?(.*?) asm (?:sideeffect )?(?:alignstack )?"
    r'"((?:[^"\\]|\\.)*)", "([^"]*)"\('
)


INSTRUCTION = re.compile(r"\b[a-z]\w*\.[a-z]")  # mov.u32: no other assembler's


def without_text(line):
    """An asm statement that does nothing, where it was one of PTX."""
    match = ASM.search(line)
    if not match or not INSTRUCTION.search(match[3]):
        return line
    return line[: match.start(3)] + line[match.end(3) :]


def plain_text(text):
    """The text as the reader wrote it; IR has $0 and \\0A for %0 and newline."""
    text = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), text)
    text = re.sub(r"\$\{?(\d+)(?::\w)?\}?", r"%\1", text)
    for coded, plain in ("$(", "{"), ("$)", "}"), ("$|", "|"), ("$$", "$"):
        text = text.replace(coded, plain)
    return text


def known_words(runtime_folder):
    """Instructions and registers in the tables of the runtime's ptx.c."""
    with open(os.path.join(runtime_folder, "ptx.c"), encoding="utf-8") as file:
        return set(re.findall(r'[{(]"([\w.:]+)", ', file.read()))


# What ptx_memory.c has; of atom and red ptxas takes the words in any order.
WHERE = r"(\.(cta|gpu|sys|global|shared|shared::cta))*"
CACHE = r"(\.(c[agsv]|lu|nc|w[bt]))*"
MEMORY = re.compile(
    rf"(ld(\.(weak|volatile|relaxed|acquire))?|st(\.(weak|volatile|relaxed|release))?)"
    rf"{WHERE}{CACHE}((\.v2)?\.[busf](8|16|32|64)|\.v4\.[busf](8|16|32))"
)
ORDERS = r"(\.(relaxed|acquire|release|acq_rel))?"
CHANGES = r"\.(add.*\.[usf]|(min|max).*\.[us]|(and|or|xor|exch|cas).*\.b|(inc|dec).*\.u)"
CHANGE = re.compile(
    rf"(atom|red){ORDERS}{WHERE}(?={CHANGES}(32|64)$)\.\w+{ORDERS}{WHERE}\.\w+"
)


def is_known(name, known):
    """Does the runtime know an instruction, whole or by its first words?"""
    if MEMORY.fullmatch(name) or CHANGE.fullmatch(name):
        return True
    if name.startswith("wgmma.mma_async."):
        return True  # it looks at the shapes itself
    if re.sub(r"\.shared(::cta)?", "", name) in known:
        return True
    if name.startswith("mbarrier.") and ".relaxed" in name:
        return False  # here each arrival releases, each wait acquires
    if re.match(r"setp\.\w+\.(and|or|xor)\.", name):
        return False  # a comparison, and a predicate besides
    floats = re.search(r"\.f\d+$", name) and not name.startswith("mov.")
    return not floats and any(f"{name}.".startswith(f"{k}.") for k in known)


def unknown_word(text, known):
    """What in an asm statement the simulator does not know; None: nothing."""
    text = re.sub(r"(?<![:\w])\w+:(?!:)", " ", text)  # labels
    for statement in (x.strip("{} \t\n") for x in text.split(";")):
        statement = re.sub(r"^@!?\w+\s+", "", statement)
        name, *operands = statement.replace(",", " ").split() or [""]
        if name in ("", ".reg") or name.split(".")[0] == "bra":
            continue
        if not is_known(name, known):
            return name
        for word in (x.strip("[]") for x in operands):
            if re.match(r"%[a-z]", word) and word[1:] not in known:
                return word
            if re.match(r"-?\d+\.", word):
                return word  # a decimal fraction
    return None


# What to write in C++ for an instruction that is none of ours.
INSTEAD = (
    (r"(min|max)\..*f\d+$", "fminf() or fmaxf()"),
    (r"cvt\.", "a cast"),
    (r"(vote|match|redux)\.|activemask", "__ballot_sync() and its like"),
    (r"prefetch|applypriority|discard", "nothing: it changes no result"),
    (r"dp[24]a\.", "__dp4a() and its like"),
    (r"prmt\.", "__byte_perm()"),
    (r"(div|rem|neg|fma|add|sub|mul|mad|setp)\.", "an expression of C++"),
    (r"\w+\..*\.f\d+$", "a function of CUDA's math library"),
)


def advice(name):
    """What to write instead of an instruction; nothing: we do not know."""
    words = next((words for pattern, words in INSTEAD if re.match(pattern, name)), None)
    return f"; write {words}" if words else ""


# Alone in an asm statement, these are instructions of LLVM: counted, and without
# .rn fused, as what C++ says.
FLOAT = re.compile(r"(fma(?=\.rn)|add|sub|mul)(\.rn)?\.f32\s([^;]+);?")


class Statement:
    """One asm statement of a kernel."""

    def __init__(self, line):
        match = ASM.search(line)
        self.result, self.type, text, constraints = match.groups()
        self.text = plain_text(text)
        self.arguments = split_arguments(line, match.end())[0]
        self.arguments = [a.replace("noundef ", "") for a in self.arguments]
        constraints = [c for c in constraints.split(",") if not c.startswith("~")]
        self.outputs = sum(c.startswith("=") for c in constraints)
        self.slots = self.outputs
        self.slot_of = []  # for each argument
        for constraint in constraints[self.outputs :]:
            tied = constraint.isdigit()  # an output's old value
            self.slot_of.append(int(constraint) if tied else self.slots)
            self.slots += not tied

    def arithmetic(self, declare):
        """The statement as one instruction of LLVM, where FLOAT has it; else None."""
        match = FLOAT.fullmatch(self.text.strip())
        if not match or self.type != "float":
            return None
        word, rounded, operands = match.groups()
        result, *names = operands.replace(",", " ").split()
        known = {f"%{at}": x for at, x in zip(self.slot_of, self.arguments)}
        sources = [known.get(name, "none") for name in names]
        if (result != "%0" or len(sources) != 2 + (word == "fma")
                or not all(x.startswith("float ") for x in sources)):
            return None
        if word == "fma":
            declare("declare float @llvm.fma.f32(float, float, float)")
            return f"  {self.result}call float @llvm.fma.f32({', '.join(sources)})"
        values = ", ".join(map(value_of, sources))
        return f"  {self.result}f{word} {'' if rounded else 'contract '}float {values}"

    def call(self, site, module, hook, declare):
        """The call that takes the statement's place, of a function for all like it."""
        types = [type_at(a, 0) for a in self.arguments]
        key = (self.text, self.type, tuple(types), tuple(self.slot_of))
        if key not in module.statements:
            module.statements[key] = len(module.statements)
            for text in self.function(module.statements[key], types, module, hook):
                declare(text)
        arguments = ", ".join([f"i32 {site}", *self.arguments])
        name = f"@sim.ptx.{module.statements[key]}"
        return f"  {self.result or ''}call {self.type} {name}({arguments})"

    def function(self, number, types, module, hook):
        """The function sim.ptx.NUMBER, and its text as a constant."""
        text, kept = f"sim.ptx.text.{number}", f"sim.ptx.kept.{number}"
        module.globals[text] = text_constant(text, self.text)
        module.globals[kept] = f"@{kept} = internal global {module.pointer} null"
        array = f"[{max(self.slots, 1)} x i64]"
        to = module.to

        def slot(at, name, type_):
            """Instructions that give %name, the address of a slot."""
            return [
                f"  %{name}.slot = getelementptr {array}, {to(array)} %slots, "
                f"i64 0, i64 {at}",
                f"  %{name} = bitcast {to('i64')} %{name}.slot to {to(type_)}",
            ]

        body = [
            f"  %slots = alloca {array}, align 16",
            f"  store {array} zeroinitializer, {to(array)} %slots",
        ]
        for i, (type_, at) in enumerate(zip(types, self.slot_of)):
            body += slot(at, f"in{i}", type_)
            body.append(f"  store {type_} %a{i}, {to(type_)} %in{i}")
        body += slot(0, "first", "i64")
        arguments = [(module.pointer, module.address(text))]
        arguments += [(to(module.pointer), f"@{kept}"), (to("i64"), "%first")]
        arguments.append(("i32", "%site"))
        body.append(hook("sim_hook_ptx", arguments))
        body += self.take_results(slot, to)
        parameters = ", ".join(["i32 %site", *(f"{t} %a{i}" for i, t in enumerate(types))])
        head = f"define internal {self.type} @sim.ptx.{number}({parameters}) {{"
        return [module.globals[text], module.globals[kept], "\n".join([head, *body, "}"])]

    def take_results(self, slot, to):
        """Instructions that return what lies in the first slots."""
        if not self.outputs:
            return ["  ret void"]
        types = split_arguments(self.type.strip("{} ") + ")", 0)[0]
        body, value = [], "undef"
        for i, type_ in enumerate(types):
            body += slot(i, f"out{i}", type_)
            body.append(f"  %v{i} = load {type_}, {to(type_)} %out{i}")
            if self.type.startswith("{"):
                body.append(
                    f"  %r{i} = insertvalue {self.type} {value}, {type_} %v{i}, {i}"
                )
            value = f"%r{i}" if self.type.startswith("{") else f"%v{i}"
        return [*body, f"  ret {self.type} {value}"]
