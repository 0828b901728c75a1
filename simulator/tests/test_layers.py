#!/usr/bin/env python3
"""Does each folder of the runtime know only those below it?

`nm` says which symbols an object defines and which it names. The core names
nobody: who wants to know what it does asks for events (runtime/core/core.h).
Nor may objects, or folders, stand in a circle.
"""
import re
import subprocess
from collections import defaultdict

import harness
from harness import check, finish, workdir

# What objects of a folder may name besides its own.
BELOW = {"core": [], "count": ["core"], "detect": ["core"], "api": ["core"],
         "blas": ["api", "core"]}


def read_symbols(library):
    """Return {object: names that it defines}, {object: names that it needs}."""
    defined, needed = defaultdict(set), defaultdict(set)
    listing = subprocess.run(["nm", "-A", "-P", library], capture_output=True,
                             text=True, check=True).stdout
    for line in listing.splitlines():  # libsim.a[core-wait.o]: sim_yield U
        place, name, kind = line.split()[:3]
        member = place[place.rindex("[") + 1:place.rindex("]")]
        if kind == "U":
            needed[member].add(name)
        elif kind.isupper():
            defined[member].add(name)
    return defined, needed


def edges(defined, needed):
    """Return {object: {object that it names: one symbol}}."""
    owner = {name: member for member, names in defined.items() for name in names}
    graph = {member: {} for member in defined}
    for member, names in needed.items():
        for name in sorted(names):
            if owner.get(name, member) != member:
                graph[member][owner[name]] = name
    return graph


def circle(graph):
    """Return the objects of circles, and those that use them."""
    left = set(graph)
    while True:
        done = {member for member in left if not left.intersection(graph[member])}
        if not done:
            return sorted(left)
        left -= done


def folder(member):
    """`core` of core-wait.o."""
    return member.split("-")[0]


def trespasses(graph):
    """Return a line for each symbol that a folder must not name."""
    return [f"{member} names {name} of {other}"
            for member, others in graph.items() for other, name in others.items()
            if folder(other) not in [folder(member), *BELOW[folder(member)]]]


def test_itself():
    """Is a fault seen where there is one?"""
    defined = {"core-a.o": {"a"}, "core-b.o": {"b"}, "count-c.o": {"c"}}
    good = {"count-c.o": {"a", "printf"}, "core-a.o": {"b"}}
    check("layers: none of it in a right graph",
          not circle(edges(defined, good)) and not trespasses(edges(defined, good)))
    check("layers: a circle is seen",
          circle(edges(defined, {**good, "core-b.o": {"a"}})))
    check("layers: a core that names a counter is seen",
          trespasses(edges(defined, {"core-a.o": {"c"}})) ==
          ["core-a.o names c of count-c.o"])


def main():
    test_itself()
    with workdir() as directory:
        source = directory / "empty.cu"
        source.write_text("int main() {}\n")
        built = harness.simcc(source, directory / "empty", "-Wl,--trace")
    library = re.search(r"\S+/libsim\.a", built.stdout)
    if not check("layers: the linker says where the runtime is", library,
                 built.stdout + built.stderr):
        return
    graph = edges(*read_symbols(library.group()))
    check("layers: every folder has objects",
          {folder(member) for member in graph} == set(BELOW))
    wrong = trespasses(graph)
    check("layers: each folder names those below it", not wrong, "\n".join(wrong))
    found = circle(graph)
    check("layers: no circle of objects", not found, " ".join(found))


if __name__ == "__main__":
    main()
    finish()
