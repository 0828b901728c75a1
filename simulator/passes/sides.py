"""The two sides of a source that asks for __CUDA_ARCH__, made one.

nvcc compiles each .cu twice: once for the host, without __CUDA_ARCH__, and once
for the device, with it. Where that macro changes what is read of a source, simcc
does the same, and gets two assemblies which both hold the whole program. This file
makes them fit together, so that the linker takes

    kernels, and all that they call     from the device's side
    everything else                     from the host's side
    variables                           once: both sides mean the same

    symbol                      on the host's side     on the device's side
    ------                      ------------------     --------------------
    kernel                      sim.host.NAME          NAME
    other function              NAME                   sim.device.NAME
    constant                    NAME                   sim.device.NAME
    variable                    NAME                   NAME, weak
    __device__ variable         NAME, weak             NAME

Of a kernel the host's side keeps what launches it. The initialisers of variables
may differ (the address of a function, say), so each comes from its own side.
Names that only their file knows (static) get a tag, for then both sides have to
know them. Static objects are constructed by the host's side alone.

A kernel is known by its alignment, KERNEL_ALIGNMENT; host_defines.h sets it.
"""

import re

KERNEL_ALIGNMENT = 256  # bytes
# Attributes: what the host's side may not do is learn from a kernel's body,
# which is not the one that will run.
HOST_FLAGS = ["-DSIM_HOST_SIDE"]
ARCH_FLAGS = ["-D__CUDA_ARCH__=900"]
DEVICE_FLAGS = [*ARCH_FLAGS, "-DSIM_DEVICE_SIDE"]
MENTION = re.compile(r"\b__CUDA_ARCH__\b")

NAME = r'(?:"[^"\n]*"|[A-Za-z_.][\w.$]*)'
LABEL = re.compile(rf"({NAME}):")
# An operand; neither a register nor what follows an @, as in f@PLT.
OPERAND = re.compile(rf"(?<![%@\w.]){NAME}")
DIRECTIVE = re.compile(r"\s+(\.?\w+)\s*(.*)")
TEXTS = {".ascii", ".asciz", ".string", ".file", ".ident", ".loc"}
CONSTANTS = (".rodata", ".data.rel.ro")
DEVICE_VARIABLES = ("sim_device", "sim_managed", "sim_constant", ".tbss", ".tdata")


class Refused(Exception):
    """The two sides do not fit together."""


class Side:
    """The assembly of one side, and what it defines."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.section_of = {}  # of each label
        self.kind = {}  # "function", "object"
        self.binding = {}  # ".globl", ".weak"; absent: only the file knows it
        self.kernels = set()
        self.grouped = set()  # the linker keeps one of several
        self.read()

    def statements(self):
        """(line, label, directive, its text, its operands, section) of each line."""
        section = ".text"
        for line in self.lines:
            label = LABEL.match(line)
            match = None if label else DIRECTIVE.match(line)
            word, rest = match.groups() if match else ("", "")
            names = OPERAND.findall(rest) if word[:1] == "." else []
            if word in (".text", ".data", ".bss"):
                section = word
            elif word == ".section":
                section = names[0]
            yield line, label, word, rest, names, section

    def read(self):
        alignment = 1
        for _, label, word, rest, names, section in self.statements():
            if label:
                self.section_of[label[1]] = section
                if alignment == KERNEL_ALIGNMENT and self.is_function(label[1]):
                    self.kernels.add(label[1])
            elif word == ".section":
                alignment = 1
                if ",comdat" in rest:
                    self.grouped.add(rest.split(",")[-2].strip())
            elif word in (".p2align", ".align"):
                power = int(re.match(r"\d+", rest)[0])
                is_power = word == ".p2align" or power < 16
                alignment = 2**power if is_power else power
            elif word == ".size":
                alignment = 1
            elif word == ".type":
                self.kind[names[0]] = re.search(r"(\w+)\s*(#|//|$)", rest)[1]
            elif word in (".globl", ".global", ".weak"):
                self.binding[names[0]] = word
            elif word == ".comm":
                self.section_of[names[0]], self.kind[names[0]] = ".comm", "object"
            elif word == ".set":
                self.section_of[names[0]] = section

    def is_function(self, name):
        return self.kind.get(name) == "function"

    def variables(self):
        """Names of what can be written.

        Not those in groups, of which the linker keeps one anyway, and not those
        that lower.py has made.
        """
        return [
            name
            for name, section in self.section_of.items()
            if self.kind.get(name) in ("object", "tls_object")
            and not name.strip('"').startswith((".L", "sim."))
            and not section.startswith(CONSTANTS)
            and name not in self.grouped
        ]

    def private(self, names):
        """Those of some names that only this file knows."""
        return [n for n in names if n in self.section_of and n not in self.binding]

    def rewrite(self, renamed, weak, public, defined=None, constructors=True):
        """The text with other names.

        renamed       name -> its new name
        weak          those that give way to the other side's
        public        those that the other side must see, though not others
        defined       name -> its new name where it is defined
        constructors  keep those of static objects
        """
        output = []
        for line, label, word, rest, names, section in self.statements():
            if section.startswith((".init_array", ".ctors")) and not constructors:
                if word in (".quad", ".xword") and rest.split()[0] != "sim.register":
                    continue
            if word == ".local" and names[0] in renamed:
                continue
            if word in (".globl", ".global") and names[0] in weak:
                line = line.replace(word, ".weak", 1)
            output.append(self.renamed_line(line, label, word, renamed, defined or {}))
        for name in public:
            output.append(f"\t.hidden\t{renamed[name]}")
            if self.section_of[name] != ".comm":  # these are merged anyway
                word = ".weak" if name in weak else ".globl"
                output.append(f"\t{word}\t{renamed[name]}")
        return "\n".join(output) + "\n"

    @staticmethod
    def renamed_line(line, label, word, renamed, defined):
        """One line with other names; its first word stays unless it is a label."""
        if word in TEXTS:
            return line
        defines = {".type", ".size", ".globl", ".global", ".weak", ".hidden", ".section"}
        if defined and (label or word in defines):
            renamed = {**renamed, **defined}
        start = 0 if label else line.find(word) + len(word)
        if not label and not word:
            return line
        return line[:start] + OPERAND.sub(
            lambda m: renamed.get(m[0], m[0]), line[start:]
        )


def with_prefix(prefix, name):
    """sim.device.NAME, inside of the quotes if there are any."""
    return f'"{prefix}{name[1:]}' if name[0] == '"' else prefix + name


def with_tag(name, tag):
    return f'{name[:-1]}.{tag}"' if name[0] == '"' else f"{name}.{tag}"


def readable(name):
    """`kernel` of `_ZL6kernelPi`; good enough for a message."""
    match = re.match(r"_ZL?(\d+)(\w+)", name)
    return match[2][: int(match[1])] if match else name


def join(host_text, device_text, tag, source):
    """The assemblies of both sides, changed so that they can be linked.

    tag     differs from that of every other source of the program
    source  its name, for messages
    """
    host, device = Side(host_text), Side(device_text)
    missing = sorted(host.kernels - device.kernels)
    if missing:
        raise Refused(
            f"{source}: {readable(missing[0])}: this kernel exists only without "
            "__CUDA_ARCH__"
        )
    shared = {*host.variables(), *device.variables(), *device.kernels}
    private = {*host.private(shared), *device.private(shared)}
    tagged = {name: with_tag(name, tag) for name in private}
    own = {
        name: with_prefix("sim.device.", name)
        for name in device.section_of
        if name in device.binding and name not in shared | device.kernels
        and (device.is_function(name) or device.section_of[name].startswith(CONSTANTS))
    }  # fmt: skip
    both = set(host.variables()) & set(device.variables())
    sections = device.section_of
    of_device = {n for n in both if sections[n].startswith(DEVICE_VARIABLES)}
    away = {name: with_prefix("sim.host.", name) for name in host.kernels}

    here = [n for n in host.private(private) if n not in host.kernels]
    there = device.private(private)
    return (
        host.rewrite(tagged, of_device, here, away),
        device.rewrite({**tagged, **own}, both - of_device, there, constructors=False),
    )
