"""Lower one function that a kernel reaches: from clang's hooks to numbered calls.

lower.py has the list of what happens; here are the instructions, one by one.
"""

import re
from collections import Counter

import arithmetic
import ptx
from ir import (
    CALLEE,
    DBG,
    LOCAL,
    NAME,
    RESULT,
    Refused,
    debug,
    split_arguments,
    type_at,
    value_of,
)
from local_arrays import ALLOCA, LocalArrays
from tentative import tentative

ACCESS = re.compile(r"\b(load|store) ")
HOOK = re.compile(
    r"call void @__tsan_(unaligned_)?(volatile_)?(read_write|read|write)(\d+)\("
)
SIM_CALL = re.compile(
    r"@(sim_(?:barrier|warp|atomic|fence(?:_proxy)?|active_mask|tile_sync|wait_grid|mbarrier_\w+|"
    r"cluster_(?:arrive|wait|map)|"
    r"async_(?:copy|bulk|wait)|bulk_store|warp_together|matrix_\w+|texture))\("
)
ACCESSES = ("sim_atomic", "sim_async_copy", "sim_async_bulk", "sim_bulk_store",
            "sim_matrix_load", "sim_matrix_store", "sim_texture")
VOLATILE_LOAD = re.compile(r" = load volatile [^,]+, (.+?), align")
CONSTANT_STORE = re.compile(r"store (?:i\d+|float|double) [^%@ ]+, ")
VOLATILE_STORE = re.compile(r"store volatile .* (\S+), (\S+ .+?), align")
# The hook of a load or a store, and calls that run no hook.
SIMPLE_HOOK = re.compile(r"call void @sim_hook_v?[rwu]\d+\(.* i32 (\d+)\)")
QUIET_CALL = re.compile(r"@(llvm\.|sim_(thread|block|grid)_|sim_hook_local\b)")
COPY = re.compile(r"call [^@]*@(?:llvm\.)?(memcpy|memmove|memset)\b[\w.]*\(")
INDIRECT = re.compile(rf"\b(?:call|invoke)\b [^@\"]* (%{NAME})\(")
# clang's sanitizer passes by what has no size of a register: a uchar3.
ODD_ACCESS = re.compile(rf"(load|store) (i(?:24|40|48|56))\b.* ([%@]{NAME}), align (\d+)")
ATOMIC = re.compile(r"\s*(%\S+ = )?(atomicrmw|cmpxchg|(load|store) atomic|fence) ")
PRINTS = re.compile(r"\bcall [^@]*@(printf|puts|putchar)\(")
MOST_PARAMETERS = 32764  # bytes of all of a kernel's
# What stands before a block's event: a call's beginning counts as its caller's.
HEAD = re.compile(
    rf"{NAME}:|\s*%{NAME} = (?:phi|landingpad)\b|.*@llvm\.returnaddress|"
    r".*@__tsan_func_entry"
)
NOT_IN_KERNELS = [
    (re.compile(r"sim_launch$|_ZNK3sim8launcher"),
     "a kernel cannot launch kernels in the simulator"),
    (re.compile(r"(calloc|realloc|_Zn[wa]m\w+|_Zd[la]Pv(?!m$)\w+)$"),
     "a kernel has malloc, free, new and delete only"),
    (re.compile(r"(cuda[A-Z]\w+|s?rand|random|exit|getenv|system|time|u?sleep|qsort|"
                r"f(open|close|printf|read|write|gets|puts)|sn?printf|s?scanf|bcmp|"
                r"mem(cmp|chr)|str(n?cmp|chr|n?len))$"),
     "a kernel cannot call this function of the host"),
    (re.compile(r"__cxa_(throw|allocate_exception)$"), "a kernel cannot throw"),
]  # fmt: skip


class FunctionLowering:
    """Rewrites one function that runs on the device.

    tables   the module's (lower.py): where sites, new functions and declarations go
    """

    def __init__(self, function, is_kernel, tables):
        self.function = function
        self.is_kernel = is_kernel
        self.tables = tables
        self.module, self.positions = tables.module, tables.positions
        self.sites, self.first_site = tables.sites, tables.first_site
        self.hook, self.declare = tables.hook, tables.extra.append
        self.near = self.function_position(function)  # the last place that is known
        function.read_blocks()
        self.uses = function.uses()
        self.tentative = tentative(function.blocks)
        self.local = LocalArrays(function, self.positions)
        self.local_names = {}  # array -> its name as a constant
        self.zones = []  # pointers to what lies behind arrays
        self.tables.local_arrays[function.name] += self.local.types.values()

    def lowered(self):
        """The lines of the function."""
        order = self.function.ordered()
        for block in order:
            block.lines = [self.float_ptx(line) for line in block.lines]
        arithmetic.fuse(order, self.uses, self.declare)
        self.barriers, ends = [], []  # (index of its block, place in the table)
        for number, block in enumerate(order):
            self.number = number
            self.block(block)
            ends.append(self.first_site + len(self.sites) - 1)
        for number, place in self.barriers:  # where its loop ends
            depth = order[number].depth
            while depth and number + 1 < len(order) and order[number + 1].depth >= depth:
                number += 1
            if depth:
                self.sites[place] += f"\tend={ends[number]}"
        unreached = [b for b in self.function.blocks if b not in set(order)]
        for block in unreached:
            block.lines = [x for x in block.lines if "call void @__tsan_" not in x]
        body = [self.late_printf(line) for block in self.function.blocks
                for line in block.lines]
        return [self.function.head, *body, "}"]

    def late_printf(self, line):
        """A kernel's printf shows its text when the host waits."""
        match = PRINTS.search(line)
        if match:
            pointer = self.module.pointer
            arguments = {"printf": f"{pointer}, ...", "puts": pointer, "putchar": "i32"}
            self.declare(f"declare i32 @sim_{match[1]}({arguments[match[1]]})")
            line = line.replace(f"@{match[1]}(", f"@sim_{match[1]}(", 1)
        return line

    def function_position(self, function):
        """Where a function begins, for accesses whose line is lost."""
        values = self.positions.node.get(function.debug_number(), {})
        name = self.positions.file(values.get("file") and function.debug_number())
        return f"{name or '?'}:{values.get('line', 0)}:0"

    # ---- sites

    def site(self, kind, instruction):
        """Number a place; `~` marks a line that the compiler has lost."""
        where = self.position(instruction)
        if where:
            self.near = where
        else:
            where = "~" + self.near
        self.sites.append(f"{kind}\t{where}")
        return self.first_site + len(self.sites) - 1

    def read_kind(self, instruction):
        """The kind of a load's place: R if it is one of __ldg()."""
        match = DBG.search(instruction)
        return "R" if match and self.positions.is_in(match[1], "__ldg") else "A"

    def position(self, instruction):
        """file:line:column of an instruction; None if it has none of ours."""
        match = DBG.search(instruction)
        return match and self.positions.of(match[1])

    # ---- blocks

    def block(self, block):
        """Lower the instructions of a block and begin it with its event."""
        head = 0
        while head < len(block.lines) and HEAD.match(block.lines[head]):
            head += 1
        owner = self.event_owner(block)
        if owner is block:
            located = (x for x in block.lines[head:] if "!dbg" in x)
            block.site = self.site("B", next(located, ""))
            block.operations = Counter()
        lowered = []
        self.updates = self.find_updates(block.lines)
        for i, line in enumerate(block.lines):
            if i == head and owner is block:
                lowered.append(self.hook("sim_hook_block", [("i32", block.site)]))
            operation = arithmetic.operation(line, self.uses)
            if operation:
                owner.operations[operation] += 1
            lowered += self.local_access(line)
            lowered += self.instruction(line, block.lines, i)
        if owner is block:
            self.join_event(block, lowered)
        block.lines = lowered
        self.write_operations(owner)

    def join_event(self, block, lowered):
        """Let the access with which a block begins stand for its event, too."""
        event = next(i for i, x in enumerate(lowered) if "@sim_hook_block(" in x)
        for line in lowered[event + 1 :]:
            if match := SIMPLE_HOOK.search(line):
                del lowered[event]
                block.site = int(match[1])
                place = block.site - self.first_site
                both = {"C": "e", "R": "r", "T": "t"}.get(self.sites[place][0], "E")
                self.sites[place] = both + self.sites[place][1:]
            if match or (" call " in line and not QUIET_CALL.search(line)):
                return

    @staticmethod
    def find_updates(lines):
        """The volatile loads and stores of a block that are `(*p)++` and the
        like, as indices of their lines: what is stored comes from a load of the
        same address, with no branch between. Nobody has waited for the value,
        so it is no flag, and another block may change it meanwhile.
        """
        updates, comes_from = set(), {}  # name -> {(address, index of the load)}
        if not any(VOLATILE_LOAD.search(line) for line in lines):
            return updates
        for i, line in enumerate(lines):
            result, load = RESULT.match(line), VOLATILE_LOAD.search(line)
            if load:
                comes_from[result[1]] = {(load[1], i)}
            elif result:
                used = LOCAL.findall(line[result.end() :])
                comes_from[result[1]] = set().union(
                    *(comes_from.get(name, ()) for name in used)
                )
            store = VOLATILE_STORE.search(line)
            for address, of in store and comes_from.get(store[1][1:], ()) or ():
                if address == store[2]:
                    updates |= {of, i}
        return updates

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
        fields = self.sites[place].split("\t")[:2]
        self.sites[place] = "\t".join(fields + ([" ".join(counts)] if counts else []))

    # ---- instructions

    def instruction(self, line, lines, i):
        """What takes the place of one instruction, as a list of lines."""
        if "contract " in line:
            line = line.replace(" contract ", " ")
        if " asm " in line:
            return self.inline_ptx(line)
        if match := ODD_ACCESS.search(line):
            return self.odd_access(match, line)
        if "@" in line:
            return self.call(line, lines, i)
        if (alloca := ALLOCA.match(line)) and alloca[1] in self.local.handed:
            return self.array_with_zone(line, alloca[1])
        if ATOMIC.match(line) and self.position(line):
            where = self.position(line).split(" <- ")[0]
            raise Refused(f"{where}: a kernel has atomicAdd and its like, or "
                          "<cuda/atomic>; not the host's __atomic_ and __sync_")
        if match := INDIRECT.search(line):
            return self.call_by_pointer(line, match[1])
        if line.startswith("  ret "):
            p = self.module.pointer
            return [*(self.hook("sim_hook_zone_end", [(p, x)]) for x in self.zones), line]
        if "div " in line or "rem " in line:
            return self.division(line)
        elif " = fpto" in line:
            return arithmetic.to_integer(line, self.declare) or [line]
        elif "sh" in line:
            return arithmetic.shift(line) or [line]
        return [line]

    def call(self, line, lines, i):
        """What takes the place of an instruction that mentions a global."""
        if "@__tsan_" in line:
            return self.sanitizer_call(line, lines, i)
        if "@llvm.lifetime" in line:  # a zone lives from the beginning to the end
            names = map(self.local.of, LOCAL.findall(line))
            return [] if self.local.handed.intersection(names) else [line]
        if "@llvm.returnaddress" in line and not self.is_kernel:
            p = self.module.pointer  # only __tsan_func_entry wanted it
            return [re.sub(r"call .*", f"bitcast {p} null to {p}", line)]
        if "@llvm.var.annotation" in line:
            return self.annotation(line, lines, i)
        if "@clock()" in line:  # of libc; the host's calls stay
            self.declare("declare i64 @sim_clock()")
            return [line.replace("@clock()", "@sim_clock()")]
        if SIM_CALL.search(line):
            return [self.sim_call(line)]
        if match := COPY.search(line):
            return self.copy(line, match) + [line]
        self.refuse(line)
        if "div " in line or "rem " in line:  # of a global's address, say
            return self.division(line)
        return arithmetic.rounded(line) or arithmetic.extreme(line) or [line]

    def sanitizer_call(self, line, lines, i):
        """A hook of clang becomes one of ours."""
        if "@__tsan_func_" in line:
            if self.is_kernel:
                return self.kernel_begins(line) if "entry" in line else []
            name = "sim_hook_enter" if "entry" in line else "sim_hook_leave"
            return [self.hook(name, [], line)]
        if not (match := HOOK.search(line)):
            return []  # of virtual tables
        unaligned, volatile, kind, size = match.groups()
        (pointer,), _ = split_arguments(line, match.end())
        address = (self.module.pointer, pointer.split(" ", 1)[1])
        # The alignment stands at the access, the next load or store.
        at = next((k for k in range(i + 1, len(lines)) if ACCESS.search(lines[k])), i)
        access = lines[at]
        constant = kind == "write" and CONSTANT_STORE.search(access)
        result = RESULT.match(access)
        look = kind == "read" and result and result[1] in self.tentative
        site = self.site("C" if constant else "T" if look else self.read_kind(line), line)
        # A wide integer may be a structure with padding: that is a copy.
        if kind == "read" and re.search(r" load i(64|128),", access):
            return [self.range(address, size, int(size), 0, site, line)]
        if unaligned:
            piece = int(re.search(r", align (\d+)", access)[1])
            writes = {"read": [0], "write": [1], "read_write": [0, 1]}[kind]
            return [self.range(address, size, piece, w, site, line) for w in writes]
        name = {"read": "r", "write": "w", "read_write": "rw"}[kind]
        if volatile:
            name = "v" + name
        if at in self.updates:
            name = {"vr": "r", "vw": "vu"}[name]
        name = f"sim_hook_{name}{size}"
        return [self.hook(name, [address, ("i32", site)], line)]

    def kernel_begins(self, line):
        """The hook that asks who has called a kernel."""
        p = self.module.pointer
        kernel = (p, self.module.address(self.function.name))
        (caller,), _ = split_arguments(line, line.index("(") + 1)
        return [self.hook("sim_hook_kernel", [kernel, (p, value_of(caller))], line)]

    def annotation(self, line, lines, i):
        """The note at a parameter that is __grid_constant__ becomes a hook."""
        match = re.search(r"@llvm\.var\.annotation[\w.]*\(", line)
        (address, note, *_), _ = split_arguments(line, match.end())
        texts = [self.module.globals.get(x, "") for x in re.findall(rf"@({NAME})", note)]
        if not any("sim_grid_constant" in x for x in texts):
            return [line]
        p, address = self.module.pointer, value_of(address)
        casts = [x for x in lines[:i] if x.strip().startswith(f"{address} = bitcast ")]
        whole = re.search(r"bitcast (.+)\* %", casts[0]) if casts else re.search(
            rf"byval\(([^()]+)\)[^,%]*{re.escape(address)}\b", self.function.head)
        size = self.module.bytes_of(whole[1]) if whole else MOST_PARAMETERS
        return [self.hook("sim_hook_grid_constant", [(p, address), ("i64", size)], line)]

    def range(self, address, size, piece, write, site, line):
        """A hook for several bytes that are accessed piece by piece."""
        arguments = [address, ("i64", size), ("i32", min(piece, 16)), ("i32", write)]
        return self.hook("sim_hook_range", [*arguments, ("i32", site)], line)

    def odd_access(self, match, line):
        """A load or store of 3, 5, 6 or 7 bytes and its hook."""
        kind, type_, address, piece = match.groups()
        site = self.site("A", line)
        name, p = f"%sim.odd.{site}", self.module.pointer
        return [f"  {name} = bitcast {self.module.to(type_)} {address} to {p}",
                self.range((p, name), int(type_[1:]) // 8, int(piece), int(kind == "store"),
                           site, line), line]

    def copy(self, line, match):
        """memcpy, memmove, memset: the hooks that come before.

        llvm.memcpy is a copied struct and knows its alignment. A plain call is
        the reader's own; nvcc copies byte by byte there. What a variable begins
        with, @__const, lies in no memory of a GPU: it is part of instructions.
        """
        arguments, _ = split_arguments(line, match.end())
        pointers = arguments[: 1 if match[1] == "memset" else 2]
        aligned = [re.search(r"\balign (\d+)", p) for p in pointers]
        piece = min(int(a[1]) for a in aligned) if all(aligned) else 1
        hooks = []
        for write, pointer in reversed(list(zip((1, 0), pointers))):
            address = (self.module.pointer, value_of(pointer))
            if "@__const." in address[1]:
                continue
            site = self.site("A" if write else self.read_kind(line), line)
            hooks.append(
                self.range(address, value_of(arguments[2]), piece, write, site, line)
            )
        return hooks

    def sim_call(self, line):
        """Put the site into a call of the shim, and whether atomics are used."""
        match = SIM_CALL.search(line)
        arguments, end = split_arguments(line, match.end())
        kind = "A" if match[1] in ACCESSES else "W"
        if match[1] == "sim_texture":
            kind = "R"
        if match[1] == "sim_atomic":
            result = RESULT.match(line)
            used = bool(result and self.uses[result[1]])
            arguments[-2] = f"i32 {int(used)}"
        arguments[-1] = f"i32 {self.site(kind, line)}"
        if match[1] == "sim_barrier":
            self.barriers.append((self.number, len(self.sites) - 1))
        return line[: match.end()] + ", ".join(arguments) + ")" + line[end:]

    def refuse(self, line):
        """Stop at calls that a kernel cannot make."""
        match = CALLEE.search(line)
        if not match or match[1] in self.module.functions:
            return
        for pattern, reason in NOT_IN_KERNELS:
            if pattern.match(match[1]):
                where = self.position(line)
                if not where:
                    continue  # inside of our headers: its caller is refused
                name = "" if match[1].startswith(("sim_", "_")) else f"{match[1]}: "
                raise Refused(f"{where.split(' <- ')[0]}: {name}{reason}")

    def call_by_pointer(self, line, pointer):
        """A call of what a pointer says, and before it the check: a function of
        the host has no hooks, and is not on a GPU."""
        type_ = self.pointer_type(pointer)
        if not type_:
            return [line]
        address = f"%sim.called.{len(self.sites)}"
        arguments = [("i64", address), ("i32", self.site("W", line))]
        return [f"  {address} = ptrtoint {type_} {pointer} to i64",
                self.hook("sim_hook_call", arguments, line), line]

    def pointer_type(self, name):
        """The type of a pointer to a function, by what defines it."""
        if not self.module.typed:
            return "ptr"
        head = self.function.head
        arguments, _ = split_arguments(head, head.index("(", head.index("@")) + 1)
        for argument in arguments:
            if argument.endswith(" " + name):
                return type_at(argument, 0)
        definition = re.compile(rf"\s*{re.escape(name)} = (?:load |phi |select [^,]+, |.* to )")
        for block in self.function.blocks:
            for match in filter(None, map(definition.match, block.lines)):
                return type_at(match.string, match.end())
        return None

    def division(self, line):
        """A division, and before one by a variable the check.

        Code generation may move a division before a call, so the divisor goes
        through an empty asm, which it keeps behind.
        """
        if not (match := arithmetic.DIVISION.match(line)):
            return [line]
        type_, divisor = match.groups()
        checked = f"%sim.checked.{len(self.sites)}"
        after = f"  {checked} = call {type_} asm sideeffect"
        after += f' "", "=r,0"({type_} {divisor})'
        line = line[: match.start(2)] + checked + line[match.end(2) :]
        checks = []
        if type_ != "i64":
            wide = f"%sim.divisor.{len(self.sites)}"
            checks = [f"  {wide} = zext {type_} {divisor} to i64"]
            divisor = wide
        site = self.site("W", line)
        arguments = [("i64", divisor), ("i32", site)]
        checks += [self.hook("sim_hook_divide", arguments, line), after]
        return checks + (arithmetic.quotient(line) or [line])

    def local_access(self, line):
        """Before an access of a thread's own array: is it inside, and aligned?"""
        if not (access := self.local.accessed(line)):
            return []
        array, pointer, type_, is_store = access
        size_of, number = self.module.bytes_of, len(self.sites)
        at, start = f"%sim.at.{number}", f"%sim.start.{number}"
        array_type = self.local.types[array]
        name = self.local_name(array)
        aligned = re.search(r", align (\d+)", line)
        how = int(is_store) | (int(aligned[1]) if aligned else 1) << 1
        arguments = [("i64", at), ("i64", start), ("i64", size_of(array_type))]
        arguments += [("i64", size_of(type_)), ("i32", how)]
        arguments += [(self.module.pointer, name), ("i32", self.site("W", line))]
        return [f"  {at} = ptrtoint {pointer} to i64",
                f"  {start} = ptrtoint {self.module.to(array_type)} %{array} to i64",
                self.hook("sim_hook_local", arguments, line)]  # fmt: skip

    def local_name(self, array):
        """The name of a thread's own array, as a constant."""
        if array not in self.local_names:
            name = self.local.names.get(array) or "a local array"
            self.local_names[array] = self.tables.string(name)
        return self.local_names[array]

    def array_with_zone(self, line, array):
        """The alloca of an array, with a zone behind it."""
        lines, zone = self.local.zone(line, self.module)
        self.zones.append(zone)
        p = self.module.pointer
        return [*lines, self.hook("sim_hook_zone", [(p, zone), (p, self.local_name(array))])]

    def float_ptx(self, line):
        """An asm statement that LLVM has as an instruction, in its place."""
        if not ptx.ASM.search(line):
            return line
        instruction = ptx.Statement(line).arithmetic(self.declare)
        return instruction + debug(line) if instruction else line

    def inline_ptx(self, line):
        """A call of a generated function that calls sim_hook_ptx."""
        match = ptx.ASM.search(line)
        if not match or not match[3].strip():
            return [line]  # a barrier for the compiler
        statement = ptx.Statement(line)
        unknown = ptx.unknown_word(statement.text, self.tables.known_ptx())
        if unknown:
            where = (self.position(line) or self.near).split(" <- ")[0]
            raise Refused(f"{where}: inline PTX: the simulator does not know {unknown}"
                          f"{ptx.advice(unknown)}")
        accesses = re.search(r"cp\.async\.c|matrix\.", statement.text)
        loads = re.findall(r"\bld\.global[\w.:]*", statement.text)
        read_only = loads and all(re.search(r"\.nc\b", load) for load in loads)
        site = self.site("R" if read_only else "A" if accesses else "W", line)
        return [statement.call(site, self.module, self.hook, self.declare) + debug(line)]
