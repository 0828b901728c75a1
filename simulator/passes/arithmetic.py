"""A GPU's arithmetic, where x86 or the compiler would differ.

Each function takes the text of one instruction of a kernel and gives the lines
that take its place, or None where it has nothing to say. declare() takes the
declaration of an LLVM function that is then used.
"""

import re
from collections import Counter

from ir import NAME, RESULT, debug, split_arguments, value_of

DIVISION = re.compile(
    rf"\s*%{NAME} = (?:[su]div|[su]rem) (?:exact )?(i8|i16|i32|i64) .*, (%{NAME})"
)
QUOTIENT = re.compile(
    rf"(\s*%)({NAME})( = s(?:div|rem) (?:exact )?)(i8|i16|i32|i64) (.*), (%{NAME})(.*)"
)
EXTREME = re.compile(
    rf"(\s*%)({NAME}) = (?:tail )?call [^@]*@llvm\.(max|min)num\.f(32|64)\("
)
SHIFT = re.compile(
    rf"(\s*%)({NAME})( = (?:shl|lshr|ashr) (?:nuw |nsw |exact )*)(i32|i64) "
    rf"([^,]+), (%{NAME})(.*)"
)
TO_INTEGER = re.compile(
    rf"(\s*%)({NAME}) = fpto([su])i (float|double) ([^,]+) to (i8|i16|i32|i64)(.*)"
)
SUM = re.compile(
    rf"(\s*%)({NAME}) = (fadd|fsub) contract (float|double) ([^,]+), ([^,]+)(.*)"
)
PRODUCT = re.compile(
    rf"\s*%({NAME}) = fmul contract (?:float|double) ([^,]+), ([^,\s]+)"
)
ROUNDED = re.compile(r"(?:tail )?call [^@]*@sim__([fd])(add|sub|mul)_rn\(")
DIRECTED = re.compile(r"@sim_round_(float|double)\(i32 (?:noundef )?(\d+)")
DIRECTED_AS = ("fadd", "fadd", "fmul", "ffma", "fdiv", "special")  # enum of sim.h
SPECIAL = re.compile(
    r"@(?:llvm\.)?(?:sqrt|exp|exp2|exp10|log|log2|log10|sin|cos|tan|pow|tanh|rsqrt|"
    r"sincos|cbrt|erf|atan2?|asin|acos)f?(?:\.f32)?\("
)
INSTRUCTION = re.compile(rf"\s*(?:%{NAME} = )?(?:tail )?(\w+) (.*)")
INTEGER = {"add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "and", "or", "xor",
           "shl", "lshr", "ashr", "icmp"}  # fmt: skip
FLOAT = {"fadd": "fadd", "fsub": "fadd", "fmul": "fmul", "fdiv": "fdiv", "frem": "fdiv"}

# What a block's line of the table counts, in this order.
OPERATIONS = ("ffma", "fadd", "fmul", "fdiv", "special", "double", "integer", "branch")


def operation(line, uses):
    """Which of OPERATIONS an instruction is; None: none of them."""
    match = INSTRUCTION.match(line)
    if not match or "!nosanitize" in line:  # a check of array bounds
        return None
    word, rest = match.groups()
    if word == "call":
        rounded_one = ROUNDED.search(line)
        if rounded_one:
            kind, name = rounded_one.groups()
            return "double" if kind == "d" else FLOAT["f" + name]
        directed = DIRECTED.search(rest)
        if directed:
            is_double = directed[1] == "double"
            return "double" if is_double else DIRECTED_AS[int(directed[2])]
        if "@llvm.fma" in rest:
            return "double" if ".f64" in rest else "ffma"
        return "special" if SPECIAL.search(rest) else None
    if word in FLOAT:
        if word == "fmul" and uses[RESULT.match(line)[1]] == 0:
            return None  # see fuse()
        return "double" if " double " in f" {rest}" else FLOAT[word]
    if word in INTEGER:
        return "integer"
    if word == "switch" or (word == "br" and rest.startswith("i1")):
        return "branch"
    return None


# ---- integers ------------------------------------------------------------------


def shift(line):
    """By the width or more: 0, or copies of the sign. x86 shifts modulo 32."""
    if not (match := SHIFT.match(line)):
        return None
    start, result, operation_, type_, value, amount, rest = match.groups()
    width, name = int(type_[1:]), result.strip('"')
    inside = f"  %sim.inside.{name} = icmp ult {type_} {amount}, {width}"
    if "ashr" in operation_:
        most = f"  %sim.amount.{name} = select i1 %sim.inside.{name}, "
        most += f"{type_} {amount}, {type_} {width - 1}"
        shifted = f"{start}{result} = ashr {type_} {value}, %sim.amount.{name}{rest}"
        return [inside, most, shifted]
    word = operation_.split()[1]
    shifted = f"  %sim.shifted.{name} = {word} {type_} {value}, {amount}{rest}"
    chosen = f"{start}{result} = select i1 %sim.inside.{name}, "
    chosen += f"{type_} %sim.shifted.{name}, {type_} 0{rest}"
    return [inside, shifted, chosen]


def quotient(line):
    """By -1: x86 traps where the quotient overflows, a GPU wraps around."""
    if not (match := QUOTIENT.match(line)):
        return None
    start, result, word, type_, value, divisor, rest = match.groups()
    name = result.strip('"')
    lines = [
        f"  %sim.minus.{name} = icmp eq {type_} {divisor}, -1",
        f"  %sim.safe.{name} = select i1 %sim.minus.{name}, "
        f"{type_} 1, {type_} {divisor}",
    ]
    if "srem" in word:  # 0, by 1 and by -1
        return [*lines, f"{start}{result}{word}{type_} {value}, %sim.safe.{name}{rest}"]
    return [
        *lines,
        f"  %sim.divided.{name}{word}{type_} {value}, %sim.safe.{name}{rest}",
        f"  %sim.negated.{name} = sub {type_} 0, {value}",
        f"{start}{result} = select i1 %sim.minus.{name}, "
        f"{type_} %sim.negated.{name}, {type_} %sim.divided.{name}{rest}",
    ]


def extreme(line):
    """fmaxf(-0, +0) is +0, fminf() of them -0; x86 takes one of the two."""
    if not (match := EXTREME.match(line)):
        return None
    start, result, word, bits = match.groups()
    type_, name = {"32": "float", "64": "double"}[bits], result.strip('"')
    arguments, end = split_arguments(line, match.end())
    a, b = map(value_of, arguments)
    join = "and" if word == "max" else "or"  # of equal numbers: the signs
    return [
        f"  %sim.one.{name} = call {type_} @llvm.{word}num.f{bits}"
        f"({type_} {a}, {type_} {b})",
        f"  %sim.a.{name} = bitcast {type_} {a} to i{bits}",
        f"  %sim.b.{name} = bitcast {type_} {b} to i{bits}",
        f"  %sim.both.{name} = {join} i{bits} %sim.a.{name}, %sim.b.{name}",
        f"  %sim.zero.{name} = bitcast i{bits} %sim.both.{name} to {type_}",
        f"  %sim.equal.{name} = fcmp oeq {type_} {a}, {b}",
        f"{start}{result} = select i1 %sim.equal.{name}, "
        f"{type_} %sim.zero.{name}, {type_} %sim.one.{name}{debug(line)}",
    ]


def to_integer(line, declare):
    """Saturate. Of NaN 0, or 100...0 where 64 bits take part, as PTX says."""
    if not (match := TO_INTEGER.match(line)):
        return None
    start, result, sign, source, value, type_, rest = match.groups()
    name = result.strip('"')
    wide = type_ if type_ == "i64" else "i32"
    suffix = "f32" if source == "float" else "f64"
    function = f"llvm.fpto{sign}i.sat.{wide}.{suffix}"
    declare(f"declare {wide} @{function}({source})")
    whole = f"%sim.whole.{name}"
    lines = [f"  {whole} = call {wide} @{function}({source} {value})"]
    if wide == "i64" or source == "double":
        smallest = -(2 ** (int(wide[1:]) - 1))
        lines.append(f"  %sim.nan.{name} = fcmp uno {source} {value}, {value}")
        lines.append(
            f"  %sim.or.{name} = select i1 %sim.nan.{name}, "
            f"{wide} {smallest}, {wide} {whole}"
        )
        whole = f"%sim.or.{name}"
    word = "bitcast" if wide == type_ else "trunc"
    return [*lines, f"{start}{result} = {word} {wide} {whole} to {type_}{rest}"]


# ---- multiply-add --------------------------------------------------------------


def rounded(line):
    """A call of __fmul_rn and its like: one instruction that is not fused."""
    if not (match := ROUNDED.search(line)):
        return None
    arguments, _ = split_arguments(line, match.end())
    type_ = "float" if match[1] == "f" else "double"
    a, b = map(value_of, arguments)
    return [f"{line[: match.start()]}f{match[2]} {type_} {a}, {b}{debug(line)}"]


def fuse(blocks, uses, declare):
    """Make llvm.fma of products and sums in a function's blocks, as nvcc does.

    A product is fused if all its uses are sums, in the same loop; then it is
    needed no more. (Measured on an H200: one that is also stored stays, and so
    do its sums.) Of two products in a sum the first is taken. The line of the
    product stays, with 0 uses, since IR numbers its values without gaps.
    """
    in_sums = Counter()  # (value, loop depth)
    for block in blocks:
        for line in block.lines:
            match = SUM.match(line) if " contract " in line else None
            for name in match.groups()[4:6] if match else []:
                in_sums[name[1:], block.depth] += 1
    products = {}  # name -> its two factors
    for block in blocks:
        lines = []
        for line in block.lines:
            match = PRODUCT.match(line) if " contract " in line else None
            if match and uses[match[1]] == in_sums[match[1], block.depth]:
                products[match[1]] = match.groups()[1:]
            match = SUM.match(line) if " contract " in line else None
            operands = [x[1:] for x in match.groups()[4:6]] if match else []
            operands = [x for x in operands if x in products]
            if operands:
                uses[operands[0]] -= 1
                product = products[operands[0]]
                lines += multiply_add(match, operands[0], *product, declare)
            else:
                lines.append(line)
        block.lines = lines


def multiply_add(match, product, x, y, declare):
    """x * y + other; a*b - c = fma(a, b, -c), c - a*b = fma(-a, b, c)."""
    start, result, word, type_, a, b, rest = match.groups()
    other, lines = (b if a[1:] == product else a), []
    if word == "fsub":
        first = other is b
        negated = "%sim.minus." + result.strip('"')
        lines.append(f"  {negated} = fneg {type_} {other if first else x}")
        x, other = (x, negated) if first else (negated, other)
    function = f"llvm.fma.{'f32' if type_ == 'float' else 'f64'}"
    declare(f"declare {type_} @{function}({type_}, {type_}, {type_})")
    return [
        *lines,
        f"{start}{result} = call {type_} @{function}"
        f"({type_} {x}, {type_} {y}, {type_} {other}){rest}",
    ]
