#!/usr/bin/env python3
"""What of CUDA works in the simulator: one small program per feature.

The cases of features/*.cu check their own results and return 0. Each is run in
counted mode, there with SIM_CHECKS=0, too, and in plain mode; those of refused.cu must
be refused at build time with one line or two that name the reason.

    // feature: TEXT          what it is, in one line or several
    // counted only: REASON   why it cannot work in plain mode
    // prints: LINE           what it writes to stdout
    // remarks: LINE          what the simulator says on stderr

The table in the simulator's README.md is made from the outcome:

    test_features.py            run all, fail if the table is stale
    test_features.py --write    run all, write the table
"""
import re
import sys

from harness import (HERE, ROOT, UNCHECKED, bundle, cases, check, command,
                     counted_mode, finish, marked_line, ok, parallel, simcc, skip, workdir)

README = ROOT / "README.md"
TABLE = re.compile(r"(<!-- table features -->\n).*?(<!-- endtable -->)", re.S)
WORD = re.compile(
    r"`[^`]*`|<[\w/.]+>|%?\w*_\w*(?:\(\))?|\w+\(\)|%\w+|#\w+ \w+")  # in a table: code
FEATURE = re.compile(r"// feature: ((?:.*\n// (?!counted|remarks))*.*)\n")
SEVERAL = sorted(HERE.glob("features/*/main.cu"))  # with sources beside them


class Feature:
    """What the comments of a case say: its name in the table, text, output."""

    def __init__(self, name, path, text):
        self.name, self.path = name, path
        text = text[text.rindex("// feature: "):]
        self.text = FEATURE.match(text)[1].replace("\n// ", " ")
        only = re.search(r"^// counted only: (.*)$", text, re.M)
        self.counted_only = only[1] if only else ""
        self.prints, self.remarks = (
            "".join(f"{line}\n" for line in
                    re.findall(rf"^// {what}: (.*)$", text, re.M))
            for what in ("prints", "remarks"))


def features():
    """All features: cases of files, and of programs of several sources."""
    return [Feature(name, path, "\n".join(text for _, text in lines))
            for path in [*sorted((HERE / "features").glob("*.cu")), *SEVERAL]
            for name, lines in cases(path).items()]


def run(words, one, checks=1):
    """Why the program of a feature fails; empty if it does not."""
    ran = command(words, env={"SIM_CHECKS": checks, "SIM_COVERAGE": checks})
    said = ran.stderr if checks else ran.stderr.replace(UNCHECKED, "")
    if ran.returncode or said != one.remarks or ran.stdout != one.prints:
        return f"status {ran.returncode}\n{ran.stdout}{ran.stderr}"
    return ""


def outcome(directory, mode):
    """{name: problem} of all features in one mode."""
    chosen = [one for one in features() if mode == "counted" or not one.counted_only]
    options = ["--plain"] if mode == "plain" else []
    files = sorted({one.path for one in chosen} - set(SEVERAL))
    programs = dict.fromkeys(files, directory / mode)
    broken = dict.fromkeys(files, bundle(files, directory / mode, *options))
    for main in {one.path for one in chosen}.intersection(SEVERAL):
        programs[main] = directory / f"{main.parent.name}_{mode}"
        sources = [path for path in main.parent.iterdir() if path.suffix in (".cu", ".c")]
        built = simcc(sources, programs[main], f"-I{HERE}", *options)
        broken[main] = built.stderr if built.returncode else ""

    def problem(one):
        words = [programs[one.path], f"{one.path.name}:{one.name}"]
        return broken[one.path] or run(words, one) or (
            run(words, one, 0) if mode == "counted" else "")

    return dict(zip([one.name for one in chosen], parallel(problem, chosen)))


def table(modes):
    """The rows of the README: feature, test, counted, plain."""
    rows = ["| feature | test | counted | plain |", "| --- | --- | --- | --- |"]
    for one in sorted(features(), key=lambda one: one.name):
        cells = ["yes" if modes[mode].get(one.name) == "" else "no"
                 for mode in ("counted", "plain")]
        if one.counted_only:
            cells[1] = f"no: {one.counted_only}"
        feature = WORD.sub(lambda word: f"`{word[0].strip('`')}`", one.text)
        rows.append(f"| {feature} | {one.name} | {cells[0]} | {cells[1]} |")
    return "\n".join(rows) + "\n"


def check_table(text, write):
    """Compare with the README, or renew it."""
    old = README.read_text() if README.exists() else ""
    new = TABLE.sub(lambda m: m[1] + text + m[2], old)
    name = "features: the table in README.md is up to date"
    if not TABLE.search(old):
        check(name, False, "there is no <!-- table features --> in it")
    elif write:
        README.write_text(new)
        ok(name)
    else:
        check(name, old == new, "run tests/test_features.py --write")


# Headers that are not here, and the words that say so.
HEADERS = (
    ("cub/cub.cuh", "cub"), ("cublasLt.h", "cublas_v2.h"), ("cuda_fp8.h", "8 bits"),
    ("cuda/semaphore", "cuda/semaphore"), ("curand.h", "curand_kernel.h"), ("crt/mma.h", "crt/mma.h"),
    ("nvrtc.h", "at run time"),
    ("thrust/device_vector.h", "thrust"))  # fmt: skip


def refusals(directory):
    """What CUDA forbids or we cannot do is said when it is compiled.

    One line or two, beside the code and its caret, which hold the words after `// refuse NAME: ` and, where a line
    of the source is marked `// here`, its number.
    """
    parts = re.split(r"^// refuse (\w+): (.+)\n", (HERE / "refused.cu").read_text(),
                     flags=re.M)[1:]
    refused = list(zip(parts[0::3], parts[1::3], parts[2::3]))
    refused += [(header.replace("/", "_"), words, f"#include <{header}>\n")
                for header, words in HEADERS]

    def problem(name, words, text):
        path = directory / f"{name}.cu"
        path.write_text(text)
        place = f"{path.name}:{marked_line(path, '// here')}:" if "// here" in text else ""
        built = simcc(path, directory / f"{name}.o", "-c")
        lines = [line for line in built.stderr.strip().splitlines()
                 if not re.match(r" +\d* \|", line)]
        fine = (built.returncode == 1 and len(lines) in (1, 2) and place in lines[0]
                and words.lower() in "\n".join(lines).lower()
                and "sim::" not in built.stderr)
        return "" if fine else f"status {built.returncode}, '{words}' wanted\n{built.stderr}"

    for (name, *_), text in zip(refused, parallel(lambda case: problem(*case), refused)):
        check(f"refused: {name}", not text, text)


def main():
    write = "--write" in sys.argv
    with workdir() as directory:
        counting = counted_mode(directory)
        modes = {mode: outcome(directory, mode)
                 for mode in ("counted", "plain") if counting or mode == "plain"}
        for mode, problems in modes.items():
            for name, text in problems.items():
                check(f"features: {name} ({mode})", not text, text)
        if counting:
            check_table(table(modes), write)
            refusals(directory)
        else:
            skip("features: counted mode", "needs clang 14 or newer")
    finish()


if __name__ == "__main__":
    main()
