"""Reads that an atomic operation on the same word checks.

    old = *p;                                    if (*p > 0)
    do {                                             if (atomicSub(p, 1) > 0)
        seen = old;                                      ...
        old = atomicCAS(p, seen, f(seen));
    } while (old != seen);

What is read may be old when it is used, and nothing comes of it: the exchange
finds out, and the decision is taken again by what the operation returns. Only
arithmetic, branches and the operation itself may see such a value.
"""

import re

from ir import NAME, LOCAL, RESULT, split_arguments, value_of

LOAD = re.compile(rf"\s*%({NAME}) = load [^,]+, (.+), align ")
ATOMIC = re.compile(rf"\s*%({NAME}) = .*@sim_atomic\(")
CAST = re.compile(rf"\s*%({NAME}) = bitcast .+ (%{NAME}) to ")
HARMLESS = re.compile(
    rf"\s*%{NAME} = (?:phi|select|freeze|[if]cmp|bitcast|[sz]ext|trunc|[a-z]*to[a-z]*|"
    r"x?or|and|f?neg|[a-z]?(?:add|sub|mul|div|rem)|a?shl|[al]shr|"
    r"(?:tail )?call [^@]*@(?:llvm\.\w|fm(?:ax|in)))|\s*br "
)  # fmt: skip
COMPARE_SWAP = "9"


def tentative(blocks):
    """The results of the loads of a function that are such reads."""
    casts = dict(m.groups() for b in blocks for m in map(CAST.match, b.lines) if m)

    def word(address):
        """What an address is called before casts."""
        if address.startswith("bitcast ("):
            address = re.sub(r"^.*?\* (?=getelement|@)| to [^()]*\)$", "", address)
        while address[1:] in casts:
            address = casts[address[1:]]
        return address

    atomics = []  # (block, result, word, operation, what a CAS expects)
    for block in blocks:
        for match in filter(None, map(ATOMIC.match, block.lines)):
            words = list(map(value_of, split_arguments(match.string, match.end())[0]))
            atomics.append((block, match[1], word(words[0]), words[2], words[4]))
    found = set()
    for block in blocks if atomics else ():
        for load in filter(None, map(LOAD.match, block.lines)):
            at = word(value_of(load[2]))
            own = [a for a in atomics if a[2] == at]
            if own and is_checked(blocks, load[1], own):
                found.add(load[1])
    return found


def is_checked(blocks, load, atomics):
    """Does one of these operations check what was loaded?"""
    seen, branches = spread(blocks, {load}, {a[1] for a in atomics})
    if seen is None:
        return False
    return any(
        op == COMPARE_SWAP and expected[1:] in seen
        or any(block in branch.successors for branch in branches)
        and is_compared(blocks, result)
        for block, result, _, op, expected in atomics
    )  # fmt: skip


def spread(blocks, names, atomics):
    """What is computed of some names, and the blocks that end by it; (None,
    None) if it gets anywhere else."""
    names, ends, before = set(names), [], None
    while before != len(names):
        before, ends = len(names), []
        for block in blocks:
            for line in block.lines:
                result = RESULT.match(line)
                used = LOCAL.findall(line[result.end() if result else 0 :])
                if names.isdisjoint(used) or (result and result[1] in atomics):
                    continue
                if not HARMLESS.match(line):
                    return None, None
                names.update({result[1]} if result else ())
                ends += [] if result else [block]
    return names, ends


def is_compared(blocks, result):
    """Is what an operation returns compared, perhaps after a little arithmetic?"""
    names = {result}
    for line in (x for block in blocks for x in block.lines):
        if names.isdisjoint(LOCAL.findall(line)[1:]):
            continue
        if " = icmp " in line:
            return True
        if match := re.match(rf"\s*%({NAME}) = (?:trunc|add|sub|[sz]ext) ", line):
            names.add(match[1])
    return False
