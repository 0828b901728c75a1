#!/usr/bin/env python3
"""What of CUDA works in the simulator: one small program per feature.

features/*.cu check their own results and return 0. Each is run in counted mode
and in plain mode; refused/*.cu must be refused at build time with one line or
two that name the reason.

The table in the simulator's README.md is made from the outcome:

    test_features.py            run all, fail if the table is stale
    test_features.py --write    run all, write the table
"""
import re
import sys

from harness import (HERE, ROOT, bundle, check, command, counted_mode, finish,
                     marked_line, ok, parallel, simcc, skip, workdir)

README = ROOT / "README.md"
TABLE = re.compile(r"(<!-- table features -->\n).*?(<!-- endtable -->)", re.S)
WORD = re.compile(
    r"`[^`]*`|<[\w/.]+>|%?\w*_\w*(?:\(\))?|\w+\(\)|%\w+|#\w+ \w+")  # in a table: code
FOLDERS = sorted(path.parent for path in HERE.glob("features/*/main.cu"))


def feature_of(path):
    """What the first comment of a program says: `// feature: ...`."""
    comment = re.match(r"// feature: ((.*\n// )*?.*)\n(\n|// counted)",
                       path.read_text())
    if not comment:
        raise ValueError(f"{path} does not begin with '// feature: '")
    return comment[1].replace("\n// ", " ")


def counted_only(path):
    """Why a feature cannot work without counting; empty if it can."""
    comment = re.search(r"^// counted only: (.*)$", path.read_text(), re.M)
    return comment[1] if comment else ""


def expected_output(path):
    lines = path.read_text().splitlines()
    return "".join(line[len("// prints: "):] + "\n" for line in lines
                   if line.startswith("// prints: "))


def problem(program, path):
    """Why a program of the bundle fails; empty if it does not."""
    ran = command([program, path.stem])
    if ran.returncode or ran.stderr or ran.stdout != expected_output(path):
        return f"status {ran.returncode}\n{ran.stdout}{ran.stderr}"
    return ""


def outcome(directory, mode):
    """{program: problem} of all features in one mode."""
    files = [path for path in sorted((HERE / "features").glob("*.cu"))
             if mode == "counted" or not counted_only(path)]
    options = ["--plain"] if mode == "plain" else []
    program = directory / mode
    problems = {path: text or "does not build"
                for path, text in bundle(files, program, *options).items()}
    rest = [path for path in files if path not in problems]
    problems.update(zip(rest, parallel(lambda p: problem(program, p), rest)))

    for folder in FOLDERS:  # a program of several sources
        several = directory / f"{folder.name}_{mode}"
        sources = sorted(folder.glob("*.c*"))
        sources = [path for path in sources if path.suffix in (".cu", ".c")]
        built = simcc(sources, several, *options)
        ran = command([several]) if built.returncode == 0 else built
        problems[folder / "main.cu"] = (f"{ran.stdout}{ran.stderr}" or "failed"
                                        if ran.returncode or ran.stderr else "")
    return problems


def test_name(path):
    """The file, or the folder for several sources."""
    return path.parent.name if path.stem == "main" else path.stem


def table(modes):
    """The rows of the README: feature, test, counted, plain."""
    rows = ["| feature | test | counted | plain |", "| --- | --- | --- | --- |"]
    for path in sorted(modes["counted"], key=test_name):
        cells = ["yes" if modes[mode].get(path) == "" else "no"
                 for mode in ("counted", "plain")]
        if counted_only(path):
            cells[1] = f"no: {counted_only(path)}"
        feature = WORD.sub(lambda word: f"`{word[0].strip('`')}`", feature_of(path))
        rows.append(f"| {feature} | {test_name(path)} | {cells[0]} | {cells[1]} |")
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


def refusals(directory):
    """What CUDA forbids or we cannot do is said when it is built.

    One line or two, which hold the words after `// refuse: ` and, where a line of
    the source is marked `// here`, its number.
    """
    files = sorted((HERE / "refused").glob("*.cu"))

    def one(path):
        word = re.search(r"// refuse: (.+)", path.read_text())[1]
        marked = "// here" in path.read_text()
        place = f"{path.name}:{marked_line(path, '// here')}:" if marked else ""
        built = simcc(path, directory / path.stem)
        lines = built.stderr.strip().splitlines()
        fine = (built.returncode == 1 and len(lines) in (1, 2) and place in lines[0]
                and word.lower() in "\n".join(lines).lower()
                and "sim::" not in built.stderr)
        return fine, f"status {built.returncode}, '{word}' wanted\n{built.stderr}"

    for path, (fine, detail) in zip(files, parallel(one, files)):
        check(f"refused: {path.stem}", fine, detail)


def main():
    write = "--write" in sys.argv
    with workdir() as directory:
        counting = counted_mode(directory)
        modes = {mode: outcome(directory, mode)
                 for mode in ("counted", "plain") if counting or mode == "plain"}
        for mode, problems in modes.items():
            for path, text in problems.items():
                check(f"features: {test_name(path)} ({mode})", not text, text)
        if counting:
            check_table(table(modes), write)
            refusals(directory)
        else:
            skip("features: counted mode", "needs clang 14 or newer")
    finish()


if __name__ == "__main__":
    main()
