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

from ir import LOCAL, NAME, RESULT, split_arguments, value_of

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

    atomics = []  # (word, block, result, operation, what a CAS expects)
    for block in blocks:
        for match in filter(None, map(ATOMIC.match, block.lines)):
            words = list(map(value_of, split_arguments(match.string, match.end())[0]))
            atomics.append((word(words[0]), block, match[1], words[2], words[4][1:]))
    loads = [m for b in blocks for m in map(LOAD.match, b.lines) if m and atomics]
    return {m[1] for m in loads if is_checked(
        blocks, m[1], [a[1:] for a in atomics if a[0] == word(value_of(m[2]))])}


def is_checked(blocks, load, atomics):
    """Does one of these operations check what was loaded?"""
    own = {result for _, result, _, _ in atomics}
    seen, branches, escapes = flow(blocks, load, own)
    return bool(atomics) and not escapes and any(
        expected in seen if op == COMPARE_SWAP else
        any(block in branch.successors for branch in branches)
        and any(" = icmp " in line and result in LOCAL.findall(line)
                for result in flow(blocks, result, own)[0] for b in blocks for line in b.lines)
        for block, result, op, expected in atomics)


def flow(blocks, name, own):
    """What is computed of a value; the blocks that end by it; what else uses it.
    @param own  results of atomic operations, which begin anew"""
    names, before = {name}, 0
    while before != len(names):
        before, branches, escapes = len(names), [], []
        for block in blocks:
            for line in block.lines:
                result = RESULT.match(line)
                used = LOCAL.findall(line[result.end() if result else 0 :])
                if names.isdisjoint(used) or (result and result[1] in own):
                    continue
                if not HARMLESS.match(line):
                    escapes.append(line)
                elif result:
                    names.add(result[1])
                else:
                    branches.append(block)
    return names, branches, escapes
