"""Random kernels as trees that can be written as CUDA and executed in Python.

Each statement knows two things: its CUDA source, and what a block of threads
does when it executes it. Execution follows the rule of SIMT hardware for
structured code: a mask of active threads goes down the tree; after an `if` or a
loop all threads that are still there go on together. Every statement with an
access has a line of its own, so requests are counted per line.

Values are unsigned 32-bit integers; `f` is a float.
"""
import struct
from collections import defaultdict

import cost

M = 0xffffffff


# ---- expressions: CUDA text and Python text side by side ---------------------

def signed(x):
    return x - (1 << 32) if x & 0x80000000 else x


def truncated_quotient(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def as_float(value):
    """Round to the nearest float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


def float_bits(value):
    return struct.unpack("I", struct.pack("f", value))[0]


NAMES = {"signed": signed, "quotient": truncated_quotient, "M": M,
         "popc": lambda x: bin(x).count("1"),
         "clz": lambda x: 32 - x.bit_length(),
         "brev": lambda x: int(f"{x:032b}"[::-1], 2)}


class Expression:
    """A pure expression of the thread's variables."""

    def __init__(self, cuda, python):
        self.cuda = cuda
        self.python = python
        self.function = None

    def value(self, v):
        """Value for the variables @p v of one thread (a dictionary)."""
        if self.function is None:
            self.function = eval(f"lambda v: {self.python}", NAMES)
        return self.function(v)


def constant(n):
    return Expression(f"{n}u", str(n))


def variable(name):
    return Expression(name, f"v['{name}']")


def binary(op, a, b):
    """+ - * & | ^ of two expressions, wrapped to 32 bits."""
    return Expression(f"({a.cuda} {op} {b.cuda})",
                      f"(({a.python} {op} {b.python}) & M)")


def template(cuda, python, *parts):
    """An expression with {} where the parts go."""
    return Expression(cuda.format(*(p.cuda for p in parts)),
                      python.format(*(p.python for p in parts)))


# ---- one block at work -------------------------------------------------------

class Counts:
    """Requests, lanes and cost per line: {(line, space, op, bytes): {...}}."""

    def __init__(self):
        self.lines = defaultdict(lambda: defaultdict(int))
        self.totals = defaultdict(int)

    def add(self, key, **numbers):
        for name, number in numbers.items():
            self.lines[key][name] += number


class Block:
    """The threads of a block, its shared arrays, and the global memory."""

    def __init__(self, index, threads, shared, memory, counts):
        self.variables = [{"t": t, "b": index, "acc": 0, "n": threads}
                          for t in range(threads)]
        self.f = [0.5] * threads
        self.threads = threads
        self.memory = memory            # {name: bytearray}
        self.shared = {name: bytearray(size) for name, size in shared.items()}
        self.counts = counts

    def warps(self, mask):
        """The active threads of each warp that has any."""
        by_warp = defaultdict(list)
        for t in mask:
            by_warp[t // cost.WARP].append(t)
        return by_warp.values()

    def array(self, name):
        return self.shared[name] if name in self.shared else self.memory[name]


def run(statements, block, mask, frame):
    """Execute a list. @return the threads that reach its end"""
    for statement in statements:
        if not mask:
            break
        mask = statement.run(block, mask, frame)
    return mask


class Frame:
    """Threads that left the innermost loop, or only this round of it."""

    def __init__(self):
        self.broken, self.continued = set(), set()


# ---- statements without memory -----------------------------------------------

class Source:
    """Lines of CUDA; line() tells the number that a statement's line gets."""

    def __init__(self, lines):
        self.lines = lines
        self.depth = 1

    def line(self, text):
        self.lines.append("    " * self.depth + text)
        return len(self.lines)


class Assign:
    """name = expression, or a declaration of it."""

    def __init__(self, name, value, declare=False):
        self.name, self.value, self.declare = name, value, declare

    def write(self, source):
        kind = "unsigned " if self.declare else ""
        source.line(f"{kind}{self.name} = {self.value.cuda};")

    def run(self, block, mask, frame):
        for t in mask:
            v = block.variables[t]
            v[self.name] = self.value.value(v)
        return mask


class FloatStep:
    """One FFMA (factor given) or FADD per thread on f."""

    def __init__(self, value, factor=None):
        self.value, self.factor = value, factor

    def write(self, source):
        product = f"f * {self.factor}f" if self.factor else "f"
        source.line(f"f = {product} + (float)({self.value.cuda});")

    def run(self, block, mask, frame):
        for t in mask:
            x = self.value.value(block.variables[t])
            block.f[t] = as_float(block.f[t] * float(self.factor or 1) + x)
        block.counts.totals["ffma" if self.factor else "fadd"] += len(mask)
        return mask


class If:
    def __init__(self, condition, then, otherwise=()):
        self.condition, self.then, self.otherwise = condition, then, otherwise

    def write(self, source):
        source.line(f"if ({self.condition.cuda}) {{")
        write_all(self.then, source)
        if self.otherwise:
            source.line("} else {")
            write_all(self.otherwise, source)
        source.line("}")

    def run(self, block, mask, frame):
        yes = [t for t in mask if self.condition.value(block.variables[t])]
        no = [t for t in mask if t not in set(yes)]
        ended = run(self.then, block, yes, frame)
        return sorted(ended + run(self.otherwise, block, no, frame))


class For:
    """for (unsigned i = first; i < end; i += step), end evaluated once."""

    def __init__(self, name, first, end, step, body):
        self.name, self.first, self.end = name, first, end
        self.step, self.body = step, body

    def write(self, source):
        i, end = self.name, f"end_{self.name}"
        source.line(f"unsigned {end} = {self.end.cuda};")
        source.line(f"for (unsigned {i} = {self.first.cuda}; {i} < {end}; "
                    f"{i} += {self.step.cuda}) {{")
        write_all(self.body, source)
        source.line("}")

    def run(self, block, mask, frame):
        variables, end, inner = block.variables, {}, Frame()
        for t in mask:
            end[t] = self.end.value(variables[t])
            variables[t][self.name] = self.first.value(variables[t])
        left = []
        active = list(mask)
        while active:
            left += [t for t in active if variables[t][self.name] >= end[t]]
            active = [t for t in active if variables[t][self.name] < end[t]]
            active = run(self.body, block, active, inner)
            active = sorted(set(active) | inner.continued)
            inner.continued.clear()
            for t in active:
                v = variables[t]
                v[self.name] = (v[self.name] + self.step.value(v)) & M
        return sorted(set(left) | inner.broken)


class Leave:
    """break, continue or return for the threads that meet the condition."""

    def __init__(self, word, condition):
        self.word, self.condition = word, condition

    def write(self, source):
        source.line(f"if ({self.condition.cuda})")
        source.line(f"    {self.word};")

    def run(self, block, mask, frame):
        gone = {t for t in mask if self.condition.value(block.variables[t])}
        if self.word == "break":
            frame.broken |= gone
        elif self.word == "continue":
            frame.continued |= gone
        return [t for t in mask if t not in gone]


class Barrier:
    def write(self, source):
        source.line("__syncthreads();")

    def run(self, block, mask, frame):
        block.counts.totals["barriers"] += len(list(block.warps(mask)))
        return mask


def write_all(statements, source):
    source.depth += 1
    for statement in statements:
        statement.write(source)
    source.depth -= 1


# ---- warp operations ---------------------------------------------------------

class WarpOperation:
    """acc = acc * 5 + operation over the lanes that are here.

    Inside a branch the mask is that of the branch, made by a vote before it.
    """

    CUDA = {"xor": "__shfl_xor_sync({m}, acc, {k})",
            "first": "__shfl_sync({m}, acc, __ffs({m}) - 1)",
            "down": "__shfl_down_sync({m}, acc, {k})",
            "ballot": "__ballot_sync({m}, (acc >> {k}) & 1u)",
            "any": "(unsigned)__any_sync({m}, (acc & 31u) == {k}u)",
            "all": "(unsigned)__all_sync({m}, (acc & 15u) != {k}u)",
            "match": "__match_any_sync({m}, acc & 3u)",
            "add": "__reduce_add_sync({m}, acc)",
            "max": "__reduce_max_sync({m}, acc)",
            "bits": "__reduce_xor_sync({m}, acc)"}
    NEED_ALL_LANES = {"xor", "down"}

    def __init__(self, name, k, mask_name):
        self.name, self.k, self.mask_name = name, k, mask_name

    def write(self, source):
        text = self.CUDA[self.name].format(m=self.mask_name, k=self.k)
        source.line(f"acc = acc * 5u + {text};")

    def run(self, block, mask, frame):
        for warp in block.warps(mask):
            old = {t % cost.WARP: block.variables[t]["acc"] for t in warp}
            for lane in old:
                v = block.variables[warp[0] // cost.WARP * cost.WARP + lane]
                v["acc"] = (old[lane] * 5 + self.result(old, lane)) & M
        return mask

    def result(self, values, lane):
        """Of the operation for one lane; @p values: {lane: acc}."""
        k, name = self.k, self.name
        if name == "xor":
            return values[lane ^ k]
        if name == "down":
            return values[lane + k] if lane + k < cost.WARP else values[lane]
        if name == "first":
            return values[min(values)]
        if name == "ballot":
            return sum(1 << l for l, x in values.items() if x >> k & 1)
        if name == "any":
            return int(any(x & 31 == k for x in values.values()))
        if name == "all":
            return int(all(x & 15 != k for x in values.values()))
        if name == "match":
            return sum(1 << l for l, x in values.items()
                       if x & 3 == values[lane] & 3)
        if name == "add":
            return sum(values.values()) & M
        if name == "max":
            return max(values.values())
        result = 0
        for x in values.values():
            result ^= x
        return result


class Vote:
    """NAME = lanes of this warp for which the condition holds."""

    def __init__(self, name, condition, mask_name):
        self.name, self.condition, self.mask_name = name, condition, mask_name

    def write(self, source):
        source.line(f"unsigned {self.name} = __ballot_sync({self.mask_name}, "
                    f"{self.condition.cuda});")

    def run(self, block, mask, frame):
        return mask  # the Python side knows who is there


# ---- memory ------------------------------------------------------------------

TYPES = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "uint2",
         16: "uint4"}


def element(array, index, size, space):
    """CUDA text of an element; global memory is `const unsigned *` or so."""
    if space == "global" and size != 4:
        qualifier = "const " if array == "in" else ""
        return f"(({qualifier}{TYPES[size]} *){array})[{index.cuda}]"
    return f"{array}[{index.cuda}]"


class Access:
    """What loads and stores share: who touches what, and the count of it."""

    def __init__(self, space, array, size, index):
        self.space, self.array = space, array
        self.size, self.index = size, index
        self.number = None  # of its line

    def offsets(self, block, warp):
        return {t % cost.WARP: self.index.value(block.variables[t]) * self.size
                for t in warp}

    def count(self, block, op, access):
        key = (self.number, self.space, op, self.size)
        numbers = {"requests": 1, "lanes": len(access)}
        if self.space == "global":
            numbers["sectors"] = cost.sectors(access, self.size)
        elif self.space == "constant":
            numbers["wavefronts"] = cost.constant_passes(access)
        else:
            numbers["wavefronts"], numbers["conflicts"] = cost.shared(
                access, self.size, store=op == "store")
        block.counts.add(key, **numbers)


class Load(Access):
    """acc = acc * 3 + element; where a condition is given: ?: with it."""

    def __init__(self, space, array, size, index, condition=None):
        super().__init__(space, array, size, index)
        self.condition = condition

    def write(self, source):
        text = element(self.array, self.index, self.size, self.space)
        if self.size <= 4:
            if self.condition:
                text = f"({self.condition.cuda} ? {text} : 7u)"
            self.number = source.line(f"acc = acc * 3u + {text};")
            return
        members = "xy" if self.size == 8 else "xyzw"
        source.line("{")
        self.number = source.line(f"    {TYPES[self.size]} v = {text};")
        for member in members:
            source.line(f"    acc = acc * 3u + v.{member};")
        source.line("}")

    def run(self, block, mask, frame):
        data, here = block.array(self.array), list(mask)
        if self.condition:
            here = [t for t in mask if self.condition.value(block.variables[t])]
        for warp in block.warps(here):
            access = self.offsets(block, warp)
            self.count(block, "load", access)
            for t in warp:
                offset = access[t % cost.WARP]
                self.mix(block, t, self.words(data[offset:offset + self.size]))
        for t in set(mask) - set(here):
            self.mix(block, t, [7])
        return mask

    @staticmethod
    def words(data):
        """The bytes of an element as numbers: one, or those of a vector."""
        if len(data) < 4:
            return [int.from_bytes(data, "little")]
        return list(struct.unpack(f"{len(data) // 4}I", data))

    @staticmethod
    def mix(block, t, words):
        v = block.variables[t]
        for word in words:
            v["acc"] = (v["acc"] * 3 + word) & M


class FloatLoad(Load):
    """The same for a float that holds a whole number."""

    def write(self, source):
        text = element(self.array, self.index, self.size, self.space)
        self.number = source.line(f"acc = acc * 3u + (unsigned){text};")

    @staticmethod
    def words(data):
        return [int(struct.unpack("f", data)[0])]


class Helper(Load):
    """acc = acc * 3 + helper(in, index): a load inside a function of its own."""

    def write(self, source):
        source.line(f"acc = acc * 3u + helper(in, {self.index.cuda});")


class Store(Access):
    """element = value, value + 1, ..."""

    def __init__(self, space, array, size, index, value):
        super().__init__(space, array, size, index)
        self.value = value

    def write(self, source):
        x = self.value.cuda
        if self.size == 8:
            x = f"make_uint2({x}, acc + 1u)"
        elif self.size == 16:
            x = f"make_uint4({x}, acc + 1u, acc ^ 2u, acc - 3u)"
        elif self.size < 4:
            x = f"({TYPES[self.size]})({x})"
        text = element(self.array, self.index, self.size, self.space)
        self.number = source.line(f"{text} = {x};")

    def run(self, block, mask, frame):
        data = block.array(self.array)
        for warp in block.warps(mask):
            access = self.offsets(block, warp)
            self.count(block, "store", access)
            for t in warp:
                v = block.variables[t]
                x, acc = self.value.value(v), v["acc"]
                words = [x, (acc + 1) & M, acc ^ 2, (acc - 3) & M]
                encoded = struct.pack("4I", *words)[:self.size]
                offset = access[t % cost.WARP]
                data[offset:offset + self.size] = encoded
        return mask


class Atomic(Access):
    """An atomic whose order does not matter, or on the thread's own word."""

    CUDA = {"one": "atomicAdd(&{p}, 1u)", "add": "atomicAdd(&{p}, {x})",
            "max": "atomicMax(&{p}, {x})", "xor": "atomicXor(&{p}, {x})",
            "used": "acc = acc * 3u + atomicAdd(&{p}, {x})",
            "float": "atomicAdd(&{p}, (float)({x} & 7u))"}

    def __init__(self, space, array, index, name, value):
        super().__init__(space, array, 4, index)
        self.name, self.value = name, value

    def write(self, source):
        p = f"{self.array}[{self.index.cuda}]"
        text = self.CUDA[self.name].format(p=p, x=self.value.cuda)
        self.number = source.line(text + ";")

    def count_atomic(self, block, access):
        key = (self.number, self.space, "atomic", 4)
        lanes = len(access)
        if self.space == "global":
            block.counts.add(key, requests=1, lanes=lanes,
                             sectors=cost.atomic_sectors(access))
        elif self.name == "one":  # lanes with equal addresses are free
            wavefronts, conflicts = cost.shared(access, 4, store=False)
            block.counts.add(key, requests=1, wavefronts=wavefronts,
                             conflicts=conflicts)
        elif self.name == "float":
            iterations, reads = cost.shared_float_atomic(access)
            block.counts.add(key, requests=iterations, wavefronts=2 * iterations,
                             conflicts=0)
            read = (self.number, self.space, "load", 4)
            for wavefronts, conflicts in reads:
                block.counts.add(read, requests=1, wavefronts=wavefronts,
                                 conflicts=conflicts)
        else:
            wavefronts, conflicts = cost.shared_atomic(access)
            block.counts.add(key, requests=1, wavefronts=wavefronts,
                             conflicts=conflicts)

    def run(self, block, mask, frame):
        data = block.array(self.array)
        for warp in block.warps(mask):
            access = self.offsets(block, warp)
            self.count_atomic(block, access)
            for t in warp:
                self.change(block, t, data, access[t % cost.WARP])
        return mask

    def change(self, block, t, data, offset):
        v = block.variables[t]
        x = 1 if self.name == "one" else self.value.value(v)
        if self.name == "float":
            old = struct.unpack_from("f", data, offset)[0]
            struct.pack_into("f", data, offset, as_float(old + (x & 7)))
            return
        old = struct.unpack_from("I", data, offset)[0]
        new = {"one": old + x, "add": old + x, "used": old + x,
               "max": max(old, x), "xor": old ^ x}[self.name] & M
        struct.pack_into("I", data, offset, new)
        if self.name == "used":
            v["acc"] = (v["acc"] * 3 + old) & M
