#!/usr/bin/env python3
"""half and bfloat16: is every number what it should be, every result rounded once?

The program programs/small_float.cu calculates; here is what IEEE 754 says, by
another way: a list of all numbers of a format, as exact integers, in which the
neighbours of a result are looked up. Half's conversions are Python's, too
(struct's "e").
"""
import itertools
import math
import random
import struct
import subprocess
from bisect import bisect_right
from fractions import Fraction

from harness import HERE, check, finish, limited, simcc, workdir

NAN = 0x7FFF
NEAREST, ZERO, UP, DOWN = range(4)
MODES = ("to nearest", "to zero", "up", "down")
OPERATIONS = ("a + b", "a - b", "a * b", "a / b", "fma", "saturated sum", "relu",
              "min", "max", "min, NaN wins", "max, NaN wins", "-a", "|a|",
              "comparisons", "comparisons with NaN")


class Format:
    """A format of 16 bits: its numbers from 0 on, as multiples of the least."""

    def __init__(self, name, fraction_bits, least_exponent):
        self.name = name
        self.fraction_bits = fraction_bits
        self.units_in_one = 2 ** (fraction_bits - least_exponent)
        self.unit = Fraction(1, self.units_in_one)
        self.infinity = (0x7FFF >> fraction_bits) << fraction_bits
        self.magnitudes = [self.magnitude(b) for b in range(self.infinity + 1)]
        self.values = [self.value_of(b) for b in range(1 << 16)]

    def magnitude(self, bits):
        """Of a number without its sign, in units; infinity as if it were one."""
        exponent, fraction = divmod(bits, 1 << self.fraction_bits)
        if exponent == 0:
            return fraction
        return (fraction + (1 << self.fraction_bits)) << (exponent - 1)

    def is_nan(self, bits):
        return bits & 0x7FFF > self.infinity

    def is_infinite(self, bits):
        return bits & 0x7FFF == self.infinity

    def value_of(self, bits):
        """A number as a Fraction, infinity and NaN as a float."""
        sign = -1 if bits >> 15 else 1
        if self.is_nan(bits):
            return math.nan
        if self.is_infinite(bits):
            return sign * math.inf
        return sign * self.magnitudes[bits & 0x7FFF] * self.unit

    def float_bits(self, bits):
        """A number as the bits of a float."""
        value = self.values[bits]
        zero = bits << 16 & 0x80000000
        return zero if value == 0 else float_to_bits(float(value))

    def round(self, value, mode=NEAREST, negative_zero=False):
        """The bits of the number next to a Fraction or a float."""
        if isinstance(value, float) and math.isnan(value):
            return NAN
        sign = value < 0 or (value == 0 and negative_zero)
        if isinstance(value, float) and math.isinf(value):
            return self.infinity | sign << 15
        above, below = abs(value).as_integer_ratio()
        halves, rest = divmod(2 * self.units_in_one * above, below)
        low = bisect_right(self.magnitudes, halves // 2) - 1
        if 2 * self.magnitudes[low] == halves and rest == 0:
            return low | sign << 15
        if low == self.infinity:
            low -= 1  # the greatest number
        if mode == NEAREST:
            past = halves - self.magnitudes[low] - self.magnitudes[low + 1]
            up = past > 0 or (past == 0 and (rest > 0 or low % 2 == 1))
        else:
            up = mode == (DOWN if sign else UP)
        return low + up | sign << 15


FORMATS = (Format("half", 10, -14), Format("bfloat16", 7, -126))


def float_to_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def float_of_bits(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


class Program:
    """The program, which turns numbers into results."""

    def __init__(self, path):
        self.path = path

    def run(self, number, task, letters_in, data, letters_out):
        """One task. @return its results, a tuple each"""
        text = b"".join(struct.pack("<" + letters_in, *x) for x in data)
        words = limited([self.path, number.name, task])
        done = subprocess.run(words, input=text, capture_output=True)
        if done.returncode or done.stderr:
            return [("status", done.returncode, done.stderr.decode())]
        return list(struct.iter_unpack("<" + letters_out, done.stdout))


def agree(name, inputs, results, expected):
    """Check that results are as expected; show the first that is not."""
    wrong = [x for x in zip(inputs, results, expected) if x[1] != x[2]]
    detail = f"{len(wrong)} of {len(inputs)} wrong"
    if wrong:
        given, got, want = wrong[0]
        detail += f": of {given} {got}, expected {want}"
    check(f"small_float: {name}", not wrong and len(results) == len(inputs), detail)


def check_values(program, number):
    """Each of the 65,536 numbers, as a float."""
    inputs = [(bits,) for bits in range(1 << 16)]
    results = program.run(number, "value", "H", inputs, "I")
    expected = []
    for bits, (got, *_) in zip(range(1 << 16), results):
        want = number.float_bits(bits)
        if number.is_nan(bits):  # which NaN is left open
            want = got if isinstance(got, int) and got & 0x7FFFFFFF > 0x7F800000 else -1
        expected.append((want,))
    agree(f"65536 values of {number.name}", inputs, results, expected)
    if number.name == "half":
        python = [(float_to_bits(struct.unpack("<e", struct.pack("<H", b))[0]),)
                  for b in range(1 << 16) if not number.is_nan(b)]
        plain = [r for b, r in enumerate(results) if not number.is_nan(b)]
        agree("values of half, as Python has them", python, plain, python)


def rounding_inputs(number):
    """Each number, each halfway point, the floats beside it; and extremes."""
    points = []
    for bits in range(number.infinity):
        middle = (number.magnitudes[bits] + number.magnitudes[bits + 1]) * number.unit
        middle = float_to_bits(float(middle / 2))
        exact = number.float_bits(bits)
        points += [exact, exact + 1, middle - 1, middle, middle + 1]
    points += [0, 1, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001]
    return [(p | sign,) for p in points for sign in (0, 0x80000000)]


def check_rounding(program, number):
    """float to 16 bits, in four directions."""
    inputs = rounding_inputs(number)
    results = program.run(number, "round", "I", inputs, "4H")
    for mode, name in enumerate(MODES):
        expected = []
        for (bits,) in inputs:
            x = float_of_bits(bits)
            expected.append(number.round(x, mode, bool(bits >> 31)))
        agree(f"{len(inputs)} floats to {number.name}, {name}", inputs,
              [r[mode] for r in results], expected)
    if number.name == "half":
        finite = [(x, r[NEAREST]) for (x,), r in zip(inputs, results)
                  if abs(float_of_bits(x)) < 65520]
        python = [struct.unpack("<H", struct.pack("<e", float_of_bits(x)))[0]
                  for x, _ in finite]
        agree("floats to half, as Python does it", [x for x, _ in finite],
              [r for _, r in finite], python)


def exact(operation, a, b, c):
    """The result of an operation on values: a Fraction, or a float."""
    if any(isinstance(x, float) for x in (a, b, c)):
        # One is infinite or NaN: of the others the sign is enough, and a
        # float's rules are those of every format.
        a, b, c = (x if isinstance(x, float) else float((x > 0) - (x < 0))
                   for x in (a, b, c))
    if operation == "a / b" and b == 0:
        return math.nan if a == 0 or a != a else math.inf
    return {"a + b": lambda: a + b, "a - b": lambda: a - b,
            "a * b": lambda: a * b, "a / b": lambda: a / b,
            "fma": lambda: a * b + c}[operation]()


def arithmetic(number, operation, bits):
    """The bits of a result."""
    values = [number.values[x] for x in bits]
    if operation != "fma":
        values[2] = Fraction(0)  # has no part in it
    result = exact(operation, *values)
    a, b, c = (bool(x >> 15) for x in bits)  # the signs
    zero_sign = {"a + b": a and b, "a - b": a and not b, "a * b": a != b,
                 "a / b": a != b, "fma": (a != b) and c}[operation]
    if operation == "a / b" and values[1] == 0 and result == result:
        return number.infinity | (a != b) << 15
    return number.round(result, NEAREST, zero_sign)


def order(number, bits):
    """What sorts numbers as a GPU's min and max do: -0 before +0."""
    return number.values[bits], not bits >> 15


def extreme(number, choose, nan_wins, a, b):
    nans = [number.is_nan(a), number.is_nan(b)]
    if any(nans):
        return NAN if nan_wins or all(nans) else (b if nans[0] else a)
    return choose(a, b, key=lambda x: order(number, x))


def comparisons(a, b, with_nan):
    """Six truths as bits."""
    nan = a != a or b != b
    truths = (a == b, a != b, a < b, a <= b, a > b, a >= b)
    if nan:
        truths = (with_nan,) * 6
    return sum(truth << i for i, truth in enumerate(truths))


def expected_results(number, bits):
    """All results for one triple, in the order of OPERATIONS."""
    a, b, c = bits
    x, y = number.values[a], number.values[b]
    results = [arithmetic(number, op, bits) for op in OPERATIONS[:5]]
    total, product_sum = number.values[results[0]], number.values[results[4]]
    one = number.round(Fraction(1))
    results.append(0 if not total > 0 else one if total > 1 else results[0])
    results.append(NAN if product_sum != product_sum
                   else results[4] if product_sum > 0 else 0)
    results += [extreme(number, choose, nan_wins, a, b)
                for nan_wins in (False, True) for choose in (min, max)]
    results += [a ^ 0x8000, a & 0x7FFF]
    results += [comparisons(x, y, with_nan) for with_nan in (False, True)]
    return tuple(results)


def triples(number):
    """Special numbers with each other, near ones, and random ones."""
    one = number.round(Fraction(1))
    special = [0, 1, 2, number.infinity - 1, number.infinity, NAN, one, one + 1,
               one - 1, 1 << number.fraction_bits, (1 << number.fraction_bits) - 1]
    special += [x | 0x8000 for x in special]
    generator = random.Random(16)
    found = list(itertools.product(special, special, special[::3]))
    found += [tuple(generator.randrange(1 << 16) for _ in range(3))
              for _ in range(4000)]
    for _ in range(8000):  # of like size, where sums round and cancel
        a, b = (generator.randrange(number.infinity) for _ in range(2))
        product = number.round(number.values[a] * number.values[b]) & 0x7FFF
        near = min(max(product + generator.randrange(-12, 13) *
                       (1 << number.fraction_bits), 0), number.infinity - 1)
        c = near ^ generator.randrange(1 << number.fraction_bits)
        found.append((a, b, c ^ 0x8000 * generator.randrange(2)))
    return found


def check_arithmetic(program, number):
    inputs = triples(number)
    results = program.run(number, "calculate", "3H", inputs, "15H")
    expected = [expected_results(number, x) for x in inputs]
    for i, name in enumerate(OPERATIONS):
        agree(f"{len(inputs)} times {name} of {number.name}", inputs,
              [r[i] for r in results], [e[i] for e in expected])


def check_roots(program, number):
    """Square roots and their reciprocals: no neighbour is nearer."""
    inputs = [(bits,) for bits in range(1, number.infinity)]
    results = program.run(number, "root", "H", inputs, "2H")

    def nearest(bits, square):
        """Does the number lie within half a step of the root of @p square?"""
        low = Fraction(number.magnitudes[bits - 1] + number.magnitudes[bits], 2)
        high = Fraction(number.magnitudes[bits] + number.magnitudes[bits + 1], 2)
        return (low * number.unit) ** 2 <= square <= (high * number.unit) ** 2

    for i, name in enumerate(("root", "reciprocal root")):
        wrong = [bits for (bits,), r in zip(inputs, results)
                 if not nearest(r[i], number.values[bits] ** (-1 if i else 1))]
        check(f"small_float: {name} of {number.name}, {len(inputs)} numbers",
              not wrong and len(results) == len(inputs),
              f"{len(wrong)} wrong: {wrong[:5]}")


def main():
    with workdir() as directory:
        path = directory / "small_float"
        built = simcc(HERE / "programs" / "small_float.cu", path)
        if not check("small_float: builds", built.returncode == 0, built.stderr):
            finish()
        for number in FORMATS:
            check_values(Program(path), number)
            check_rounding(Program(path), number)
            check_arithmetic(Program(path), number)
            check_roots(Program(path), number)
    finish()


if __name__ == "__main__":
    main()
