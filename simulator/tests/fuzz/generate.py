"""Random kernels: one seed, one kernel, the same on every machine.

What a kernel may contain is limited so that its result and its counts are
defined: no races, no access that an optimiser may merge with another or move
out of a loop (each index depends on all loops around it), no warp operation with
absent lanes, barriers only where all threads come.
"""
import random

from program import (M, Assign, Atomic, Barrier, Block, Counts, Expression,
                     FloatLoad, FloatStep, For, Frame, Helper, If, Leave, Load,
                     Source, Store, Vote, WarpOperation, binary, constant,
                     float_bits, run, template, variable)

IN_WORDS = 4096        # read-only input
SLOTS = 512            # threads of a launch, at most; words of a store's region
COUNTER_WORDS = 256    # of global atomics without result
OWN_WORDS = SLOTS * 8  # of global atomics with result: 8 words per thread
SHARED = {"s4": (4, 128), "s8": (8, 128), "s16": (16, 128), "s1": (1, 128),
          "s2": (2, 128), "counts": (4, 64), "sums": (4, 64), "own": (4, 1024)}
CUDA_TYPE = {"s4": "unsigned", "s8": "uint2", "s16": "uint4", "s1": "unsigned char",
             "s2": "unsigned short", "counts": "unsigned", "sums": "float",
             "own": "unsigned"}


def input_word(i, seed):
    """Word i of the input; host.cuh computes the same."""
    x = (i * 2654435761 + seed * 40503) & M
    x ^= x >> 15
    return x * 2246822519 & M


class Generator:
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.threads = self.random.choice([32, 32, 64, 64, 96, 128, 40, 70])
        self.blocks = self.random.choice([1, 1, 2, 3])
        self.loops = []          # names of the loops around the statement
        self.names = 0
        self.stores = 0          # regions of `out` in use, 0: the result
        self.site = 0
        self.arrays = set()      # shared arrays in use
        self.readable = None     # shared array that may be read here
        self.adding = None       # shared array that may be added to here
        self.divergent = False
        self.mask = "full"
        self.budget = 26         # statements that are left to make
        self.own_stride = self.pick(1, 2, 4, 8)  # words from thread to thread

    # -- expressions -----------------------------------------------------------

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, low, high):
        return self.random.randint(low, high)

    def leaf(self):
        names = ["acc", "acc", "t", "b", *self.loops]
        if self.number(0, 3) == 0:
            return constant(self.pick(0, 1, 3, 31, 255, 0x80000000, 0xffffffff,
                                      self.number(0, M)))
        return variable(self.random.choice(names))

    def expression(self, depth=2):
        if depth == 0 or self.number(0, 4) == 0:
            return self.leaf()
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        kind = self.number(0, 11)
        if kind <= 5:
            return binary("+-*&|^"[kind], a, b)
        k = self.number(1, 31)
        if kind == 6:
            return template(f"({{}} >> {k}u)", f"({{}} >> {k})", a)
        if kind == 7:
            return template(f"({{}} << {k}u)", f"(({{}} << {k}) & M)", a)
        if kind == 8:
            k = self.pick(3, 5, 7, 10, 255)
            return template(f"({{}} % {k}u)", f"({{}} % {k})", a)
        if kind == 9:
            k = self.pick(3, -3, 7, 1000)
            return template(f"(unsigned)((int){{}} / {k})",
                            f"(quotient(signed({{}}), {k}) & M)", a)
        if kind == 10:
            name, python = self.pick(("__popc", "popc"), ("__clz", "clz"),
                                     ("__brev", "brev"))
            return template(f"(unsigned){name}({{}})", f"{python}({{}})", a)
        return template("min({}, {})", "min({}, {})", a, b)

    def condition(self):
        a = self.expression(1)
        k = self.number(0, 5)
        if k == 0:
            return self.thread_condition()
        if k == 1:
            return template("((int){} < (int){})",
                            "(signed({}) < signed({}))", a, self.expression(1))
        if k == 2:
            return template("({} < {})", "({} < {})", a, self.expression(1))
        return self.bits_condition()

    def bits_condition(self):
        """Some low bits of acc: true for some threads and not for others."""
        bits = self.pick(1, 3, 3, 7)
        value = self.number(0, bits)
        sign = self.pick("==", "!=")
        return template(f"(({{}} & {bits}u) {sign} {value}u)",
                        f"(({{}} & {bits}) {sign} {value})", variable("acc"))

    def thread_condition(self):
        limit = self.number(1, self.threads)
        return Expression(f"(t < {limit}u)", f"(v['t'] < {limit})")

    def index(self, limit):
        """Below @p limit (a power of two); different in each round of the loops."""
        self.site += 1
        t, loops = variable("t"), self.loops
        base = constant(self.site * 5)
        if self.number(0, 1):  # structured: a stride
            stride = self.pick(0, 1, 1, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33)
            part = binary("*", t, constant(stride))
            if stride == 0 or self.number(0, 4) == 0:
                part = self.grouped_thread()
            parts = [part, base]
            parts += [binary("*", variable(i), constant(self.pick(1, 3, 7)))
                      for i in loops]
        else:  # scattered
            parts = [variable("acc"), self.expression(1), base]
            parts += [variable(i) for i in loops]
        total = parts[0]
        for part in parts[1:]:
            total = binary("+", total, part)
        return binary("&", total, constant(limit - 1))

    def grouped_thread(self):
        k = self.number(1, 4)
        return template(f"({{}} >> {k}u)", f"({{}} >> {k})", variable("t"))

    # -- statements ------------------------------------------------------------

    def mix(self):
        value = self.expression()
        if self.number(0, 1):
            value = binary("^", binary("*", variable("acc"), constant(5)), value)
        else:
            value = binary("+", binary("*", variable("acc"), constant(3)), value)
        return Assign("acc", value)

    def global_load(self):
        size = self.pick(1, 2, 4, 4, 4, 8, 16)
        index = self.index(IN_WORDS * 4 // size // self.pick(1, 2, 8))
        condition = self.condition() if size <= 4 and self.number(0, 3) == 0 else None
        return Load("global", "in", size, index, condition)

    def constant_load(self):
        return Load("constant", "table", 4, self.index(256))

    def helper(self):
        return Helper("global", "in", 4, self.index(IN_WORDS))

    def thread_number(self):
        """Of the thread in the launch."""
        return template("(b * {} + t)", "(v['b'] * {} + v['t'])",
                        constant(self.threads))

    def own_index(self, limit):
        """A permutation of the threads of the launch or of the block."""
        number = self.thread_number() if limit == SLOTS else variable("t")
        odd, plus = self.pick(1, 1, 3, 5, 17), self.number(0, limit - 1)
        return binary("&", binary("+", binary("*", number, constant(odd)),
                                  constant(plus)), constant(limit - 1))

    def global_store(self):
        size = self.pick(1, 2, 4, 4, 8, 16)
        self.stores += 4  # regions of SLOTS words; 16 bytes take four
        base = constant(self.stores * SLOTS * 4 // size)
        index = binary("+", base, self.own_index(SLOTS))
        # Not the same in each round of a loop, or one store would do.
        value = binary("+", variable("acc"), self.expression())
        return Store("global", "out", size, index, value)

    def global_atomic(self):
        name = self.pick("one", "add", "max", "xor", "used")
        if name == "used":
            index = binary("*", self.thread_number(), constant(self.own_stride))
            return Atomic("global", "own_global", index, name, self.expression(1))
        # One operation per array: additions and maxima do not commute.
        return Atomic("global", f"global_{'add' if name == 'one' else name}",
                      self.index(self.pick(4, 16, 64, COUNTER_WORDS)), name,
                      self.expression(1))

    def own_atomic(self):
        self.arrays.add("own")
        index = binary("*", variable("t"), constant(self.own_stride))
        return Atomic("shared", "own", index, "used", self.expression(1))

    def shared_load(self):
        size, elements = SHARED[self.readable]
        return Load("shared", self.readable, size, self.index(elements))

    def shared_atomic(self):
        index = self.index(self.pick(2, 8, 32, 64))
        if self.adding == "sums":
            return Atomic("shared", "sums", index, "float", self.expression(1))
        # A value that turns out to be the constant 1 would cost less.
        value = binary("|", self.expression(1), constant(2))
        return Atomic("shared", "counts", index, self.pick("one", "add", "add"),
                      value)

    def float_step(self):
        value = binary("&", binary("+", variable("acc"), self.leaf()), constant(7))
        value = binary("|", value, constant(1))  # adding 0 would be dropped
        return FloatStep(value, self.pick(None, "0.75", "0.625"))

    def branch(self, depth):
        condition = self.condition()
        mask, before = self.mask, []
        if mask and self.number(0, 2) == 0:
            self.names += 1
            self.mask = f"mask{self.names}"
            before = [Vote(self.mask, condition, mask)]
        else:
            self.mask = None
        then = self.statements(self.number(1, 3), depth - 1)
        self.mask = None
        otherwise = self.statements(self.number(1, 2), depth - 1) \
            if self.number(0, 1) else []
        self.mask = mask
        return before + [If(condition, then, otherwise)]

    def loop(self, depth):
        self.names += 1
        name = f"i{self.names}"
        k = self.number(0, 28)
        end = self.pick(
            constant(self.number(3, 5)),  # two rounds or more
            template(f"((({{}} >> {k}u) & 3u) + 1u)", f"((({{}} >> {k}) & 3) + 1)",
                     variable("acc")),
            template("({} % 5u)", "({} % 5)", variable("t")))
        mask, self.mask = self.mask, None
        self.loops.append(name)
        body = self.statements(self.number(1, 3), depth - 1)
        if self.number(0, 2) == 0:
            leave = Leave(self.pick("break", "continue"), self.condition())
            body.insert(self.number(0, len(body)), leave)
        body.append(self.mix())
        self.loops.pop()
        self.mask = mask
        return [For(name, constant(0), end, constant(self.pick(1, 1, 2)), body)]

    def warp_operation(self):
        names = list(WarpOperation.CUDA)
        if self.mask != "full" or self.threads % 32:
            names = [n for n in names if n not in WarpOperation.NEED_ALL_LANES]
        return WarpOperation(self.random.choice(names), self.pick(1, 2, 4, 8, 16),
                             self.mask)

    def statement(self, depth):
        """One statement, as a list; branches and loops while depth lasts."""
        self.budget -= 1
        choices = [self.mix, self.global_load, self.global_load, self.global_load,
                   self.constant_load, self.helper, self.global_store,
                   self.global_atomic, self.float_step, self.own_atomic]
        if self.readable:
            choices += [self.shared_load] * 5
        if self.adding:
            choices += [self.shared_atomic] * 5
        if self.mask:
            choices += [self.warp_operation] * 2
        if depth > 0 and self.budget > 0:
            choices += [self.branch] * 4 + [self.loop] * 3
        chosen = self.random.choice(choices)
        if chosen in (self.branch, self.loop):
            return chosen(depth)
        return [chosen()]

    def statements(self, count, depth):
        made = []
        for _ in range(count):
            made += self.statement(depth)
        return made

    # -- the kernel ------------------------------------------------------------

    def shared_phase(self):
        """All write, barrier, all read, barrier."""
        array = self.pick("s4", "s4", "s8", "s16", "s1", "s2")
        self.arrays.add(array)
        size, elements = SHARED[array]
        write = Store("shared", array, size, self.own_index(elements),
                      self.expression())
        self.readable = array
        body = self.statements(self.number(2, 4), 2)
        self.readable = None
        return [write, Barrier(), *body, Barrier()]

    def atomic_phase(self):
        """All add, barrier, all read, barrier."""
        array = self.pick("counts", "counts", "sums")
        self.arrays.add(array)
        self.adding = array
        body = self.statements(self.number(2, 3), 2)
        self.adding = None
        after = []
        if array == "counts":
            after = [Load("shared", "counts", 4, self.index(64))]
        return [*body, Barrier(), *after, Barrier()]

    def uniform_loop(self):
        """The same phase again, all threads together."""
        self.names += 1
        name = f"i{self.names}"
        self.loops.append(name)
        body = self.shared_phase()
        body.append(self.mix())
        self.loops.pop()
        return [For(name, constant(0), constant(self.number(2, 3)), constant(1), body)]

    def fill(self, array):
        """Every element of a shared array gets a value."""
        size, elements = SHARED[array]
        j = f"j_{array}"
        zero = array in ("counts", "sums")
        value = constant(0) if zero else binary("*", variable(j), constant(7))
        store = Store("shared", array, size, variable(j), value)
        return For(j, variable("t"), constant(elements), variable("n"), [store])

    def read(self, array):
        """One load: a compiler may drop an array that nobody reads."""
        if array == "own":
            return []  # its atomics read it
        size, elements = SHARED[array]
        kind = FloatLoad if array == "sums" else Load
        return [kind("shared", array, size, self.index(elements))]

    def kernel(self):
        """All statements of the kernel."""
        hashed = binary("*", variable("t"), constant(2654435761))
        body = [Assign("acc", binary("+", hashed, constant(self.number(0, M))))]
        while self.budget > 0:
            body += self.pick(self.shared_phase, self.atomic_phase, self.uniform_loop,
                              lambda: self.statements(2, 3))()
        body += [load for array in sorted(self.arrays) for load in self.read(array)]
        if self.number(0, 1):
            body.append(Leave("return", self.bits_condition()))
            self.mask = None
            body += self.statements(2, 1)
        filled = [self.fill(array) for array in sorted(self.arrays)]
        if filled:
            filled.append(Barrier())
        result = Store("global", "out", 4, self.thread_number(), variable("acc"))
        return filled + body, result


class Result(Store):
    """out[thread] = acc and the bits of f: the last line of a kernel."""

    def write(self, source):
        self.number = source.line(f"out[{self.index.cuda}] = acc ^ "
                                  "__float_as_uint(f);")

    def run(self, block, mask, frame):
        for t in mask:
            block.variables[t]["x"] = (block.variables[t]["acc"]
                                       ^ float_bits(block.f[t]))
        return super().run(block, mask, frame)


class Kernel:
    """A random kernel: its source, and what must come out of it."""

    def __init__(self, seed):
        generator = Generator(seed)
        self.seed, self.name = seed, f"kernel_{seed}"
        self.body, result = generator.kernel()
        self.body.append(Result("global", "out", 4, result.index, variable("x")))
        self.threads, self.blocks = generator.threads, generator.blocks
        self.arrays = sorted(generator.arrays)
        self.out_words = (generator.stores + 4) * SLOTS

    def write(self, lines):
        """Append the CUDA source to @p lines; the index is the line number."""
        source = Source(lines)
        source.depth = 0
        source.line(f"static __device__ __noinline__ unsigned helper_{self.seed}"
                    "(const unsigned *in, unsigned i)")
        source.line("{")
        helper_line = source.line("    return in[i];")
        source.line("}")
        source.line(f"#define helper helper_{self.seed}")
        source.line(f"__global__ void {self.name}(const unsigned *in, unsigned *out, "
                    "unsigned *global_add, unsigned *global_max, "
                    "unsigned *global_xor, unsigned *own_global, float f)")
        source.line("{")
        source.depth = 1
        for array in self.arrays:
            source.line(f"__shared__ {CUDA_TYPE[array]} {array}[{SHARED[array][1]}];")
        source.line("unsigned t = threadIdx.x, b = blockIdx.x, n = blockDim.x;")
        source.line("unsigned full = t / 32 == n / 32 ? (1u << n % 32) - 1u : ~0u;")
        source.line("unsigned acc = 0;")
        for statement in self.body:
            statement.write(source)
        source.depth = 0
        source.line("}")
        source.line("#undef helper")
        self.set_helper_line(self.body, helper_line)

    def set_helper_line(self, statements, number):
        for s in statements:
            if isinstance(s, Helper):
                s.number = number
            for name in ("then", "otherwise", "body"):
                self.set_helper_line(getattr(s, name, ()), number)

    def execute(self):
        """Run the model. @return ({array: bytes}, Counts)"""
        words = [input_word(i, self.seed) for i in range(IN_WORDS)]
        data = b"".join(w.to_bytes(4, "little") for w in words)
        memory = {"in": data, "table": data[:1024],
                  "out": bytearray(self.out_words * 4),
                  "global_add": bytearray(COUNTER_WORDS * 4),
                  "global_max": bytearray(COUNTER_WORDS * 4),
                  "global_xor": bytearray(COUNTER_WORDS * 4),
                  "own_global": bytearray(OWN_WORDS * 4)}
        sizes = {name: size * count for name, (size, count) in SHARED.items()
                 if name in self.arrays}
        counts = Counts()
        for index in range(self.blocks):
            block = Block(index, self.threads, sizes, memory, counts)
            run(self.body, block, list(range(self.threads)), Frame())
        return memory, counts
