#!/usr/bin/env python3
"""Random kernels: results and counts against a direct, slow model in Python.

    FUZZ=N, fuzz=N    number of kernels (40)
    FUZZ_SEED=S       first seed (1); `FUZZ=1 FUZZ_SEED=17` repeats one case

fuzz/program.py is the model, fuzz/generate.py makes the kernels. A kernel that
fails is printed with its seed and what differs.
"""
import os
import sys

from harness import (HERE, JOBS, check, counted_mode, finish, parallel, reported,
                     simcc, skip, workdir)

sys.path.insert(0, str(HERE / "fuzz"))
from generate import Kernel  # noqa: E402  (found in the folder above)

ARRAYS = ("out", "global_add", "global_max", "global_xor", "own_global")
NUMBERS = ("requests", "lanes", "sectors", "wavefronts", "conflicts")


def write_source(kernels, path):
    """One translation unit; the kernels learn the numbers of their lines."""
    lines = ['#include "host.cuh"']
    for kernel in kernels:
        kernel.write(lines)
    lines += ["int main(int argc, char **argv)", "{",
              '    FILE *file = fopen(argv[1], "wb");']
    for k in kernels:
        lines.append(f"    RUN(file, {k.name}, {k.seed}, {k.blocks}, {k.threads}, "
                     f"{k.out_words});")
    lines += ["    return fclose(file);", "}"]
    path.write_text("\n".join(lines) + "\n")


def compare_results(kernel, memory, got):
    """First wrong word of each array. @p got: a file at this kernel's part"""
    problems = []
    for name in ARRAYS:
        expected = bytes(memory[name])
        data = got.read(len(expected))
        for i in range(0, len(expected), 4):
            if data[i:i + 4] != expected[i:i + 4]:
                problems.append(
                    f"{name}[{i // 4}] is 0x{data[i:i + 4][::-1].hex()}, "
                    f"the model has 0x{expected[i:i + 4][::-1].hex()}")
                break
    return problems


def compare_counts(counts, launch, text):
    """Lines and totals that differ."""
    problems, seen = [], {}
    for entry in launch["lines"]:
        key = (entry["line"], entry["space"], entry["op"], entry["bytes"])
        for name in NUMBERS:
            seen.setdefault(key, {}).setdefault(name, 0)
            seen[key][name] += entry.get(name, 0)
    for key in sorted(set(seen) | set(counts.lines)):
        model, got = counts.lines.get(key, {}), seen.get(key, {})
        for name in NUMBERS:
            if name == "lanes" and model and name not in model:
                continue  # of a shared atomic: not defined
            if model.get(name, 0) != got.get(name, 0):
                problems.append(f"line {key}: {name} {got.get(name, 0)}, the model "
                                f"has {model.get(name, 0)}: {text[key[0] - 1].strip()}")
    for name in ("barriers", "ffma", "fadd"):
        if launch["counts"][name] != counts.totals[name]:
            problems.append(f"{name}: {launch['counts'][name]}, the model has "
                            f"{counts.totals[name]}")
    return problems + compare_totals(counts, launch["counts"])


def compare_totals(counts, got):
    """counts{} must be the sums over the lines."""
    sums = {}
    for (_, space, op, _), numbers in counts.lines.items():
        for name, number in numbers.items():
            sums[space, op, name] = sums.get((space, op, name), 0) + number
    short = {"conflicts": "bank_conflicts", "wavefronts": "wavefronts",
             "sectors": "sectors", "requests": "requests"}
    problems = []
    for (space, op, name), number in sums.items():
        total = f"{space}_{op}_{short.get(name, name)}"
        if space == "constant" and name == "wavefronts":
            total = "constant_load_passes"
        if name in short and got.get(total) != number:
            problems.append(f"{total}: {got.get(total)}, the model has {number}")
    return problems


def one_unit(directory, kernels):
    """Build, run and model some kernels. @return {seed: problems}"""
    first = kernels[0].seed
    source, program = directory / f"fuzz_{first}.cu", directory / f"fuzz_{first}"
    output = directory / f"{first}.bin"
    write_source(kernels, source)
    text = source.read_text().splitlines()
    built = simcc(source, program, f"-I{HERE / 'fuzz'}")
    if built.returncode != 0:
        return {first: ["does not build", built.stderr]}
    ran, launches = reported([program, output])
    launches = {launch["kernel"].split("::")[-1]: launch for launch in launches}
    outcome = {}
    with open(output, "rb") as got:
        for kernel in kernels:
            memory, counts = kernel.execute()
            problems = compare_results(kernel, memory, got)
            launch = launches.get(kernel.name)
            if launch is None:
                problems.append("no report of its launch")
            else:
                problems += compare_counts(counts, launch, text)
                problems += [f"found: {f}" for f in launch["findings"]]
            outcome[kernel.seed] = problems
    if ran.returncode != 0:
        outcome[first] += [f"status {ran.returncode}", ran.stderr]
    return outcome


def source_of(seed):
    lines = []
    Kernel(seed).write(lines)
    return "\n".join(lines)


def main():
    count = int(os.environ.get("FUZZ") or os.environ.get("fuzz") or 40)
    first = int(os.environ.get("FUZZ_SEED", 1))
    with workdir() as directory:
        if not counted_mode(directory):
            skip(f"fuzz: {count} kernels", "needs clang 14 or newer")
            finish()
        size = max(1, min(20, (count + JOBS - 1) // JOBS))
        units = [[Kernel(seed) for seed in range(begin, min(begin + size,
                                                            first + count))]
                 for begin in range(first, first + count, size)]
        outcomes = parallel(lambda unit: one_unit(directory, unit), units)
    problems = {seed: p for outcome in outcomes for seed, p in outcome.items() if p}
    for seed, text in problems.items():
        lines = [f"repeat with: FUZZ=1 FUZZ_SEED={seed} {sys.argv[0]}", *text[:30]]
        check(f"fuzz: seed {seed}", False, "\n".join(lines))
        if count == 1:
            print(source_of(seed))
    check(f"fuzz: {count - len(problems)} of {count} random kernels agree with the "
          f"model (seeds {first} to {first + count - 1})", not problems)
    finish()


if __name__ == "__main__":
    main()
