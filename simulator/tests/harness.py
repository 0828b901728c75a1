"""What the tests of the simulator share: build, run, bundle, report.

A test prints one line per check, `ok NAME`, `not ok NAME` or `skip NAME`, with
the reason indented below. `run` counts these lines.

Starting a compiler costs about a second, and there are about two hundred test
programs. So a file holds several, CASE(name) or LAUNCH(name, ...) of cases.h, and
bundle() makes one program of many files, each in a namespace of its own. Every file
stays a complete CUDA program that also compiles alone.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SIMCC = ROOT / "simcc"
JOBS = int(os.environ.get("TEST_JOBS", os.cpu_count() or 1))
# Of the processor, for a process: a busy machine takes nothing from it. A launch
# that waits without computing is ended by SIM_TIMEOUT.
SECONDS = 300

# What starts a program made for another machine: qemu-aarch64.
RUNNER = os.environ.get("RUNNER", "").split()
AARCH64 = b"\xb7\x00"  # field e_machine of an ELF file, bytes 18 and 19

# What SIM_CHECKS=0 says first.
UNCHECKED = ("SIM_CHECKS=0: nothing is counted, and bugs that a GPU hides are not "
             "looked for\n")

failures = 0


def ok(name):
    print(f"ok {name}", flush=True)


def not_ok(name, detail=""):
    global failures
    failures += 1
    lines = [f"not ok {name}"]
    lines += [f"    {line}" for line in str(detail).rstrip().splitlines()[:40]]
    print("\n".join(lines), flush=True)


def skip(name, reason):
    print(f"skip {name}: {reason}", flush=True)


def check(name, condition, detail=""):
    """Print the verdict of one test. @return condition"""
    ok(name) if condition else not_ok(name, detail)
    return bool(condition)


def finish():
    """Exit status of a test file: 1 if anything failed."""
    sys.exit(1 if failures else 0)


@contextmanager
def workdir():
    """A temporary directory that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="simulator-test-") as path:
        yield Path(path)


def runner(program):
    """The words that start @p program: none if this machine runs it itself."""
    if not RUNNER or not os.path.isfile(program):
        return []
    with open(program, "rb") as file:
        return RUNNER if file.read(20)[18:] == AARCH64 else []


def limited(words):
    """The words of a command that may compute for SECONDS, as may its children."""
    words = [str(w) for w in words]
    return ["/bin/sh", "-c", f'ulimit -t {SECONDS}; exec "$@"', "sh",
            *runner(words[0]), *words]


def command(words, env=None, cwd=ROOT):
    """Run a command. @return CompletedProcess"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SIM_")}
    environment.update({k: str(v) for k, v in (env or {}).items()})
    done = subprocess.run(limited(words), env=environment, cwd=cwd,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace")
    if done.returncode == -signal.SIGKILL:
        done.stderr += f"\n(killed after {SECONDS} s of the processor)"
    return done


def simcc(sources, program, *options, env=None, cwd=ROOT):
    """Build a program with simcc. @return CompletedProcess"""
    sources = sources if isinstance(sources, (list, tuple)) else [sources]
    words = [sys.executable, SIMCC, *options, *sources, "-o", program]
    return command(words, env=env, cwd=cwd)


def reports(path):
    """The launches that SIM_REPORT recorded, in order."""
    path = Path(path)
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def reported(words, **settings):
    """Run a program. @return CompletedProcess, the launches that it reports"""
    with workdir() as directory:
        report = directory / "report.jsonl"
        return command(words, env={"SIM_REPORT": report, **settings}), reports(report)


def counted_mode(directory):
    """True if simcc can count here (it needs clang 14 or newer)."""
    source, program = directory / "probe.cu", directory / "probe"
    source.write_text("__global__ void k(int *p) { *p = 1; }\n"
                      "int main() { int *p; cudaMalloc(&p, 4);\n"
                      "k<<<1, 1>>>(p); return cudaDeviceSynchronize(); }\n")
    return (simcc(source, program).returncode == 0
            and any(launch["counts"] for launch in reported([program])[1]))


def marked_line(source, marker):
    """Number of the line of a source file that holds the comment @p marker."""
    for number, line in enumerate(Path(source).read_text().splitlines(), 1):
        if marker in line:
            return number
    raise KeyError(f"{source}: no line is marked '{marker}'")


def parallel(function, items):
    """[function(item) for item in items], JOBS at a time."""
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(function, items))


# ---- bundles -----------------------------------------------------------------

CASE = re.compile(r"(CASE|LAUNCH)\((\w+)")
LAST = {"CASE": re.compile(r"\}"), "LAUNCH": re.compile(r".*\);")}
INCLUDE = re.compile(r'\s*#\s*include\s*(<[^>]+>|"\w+\.h")')
DEFINE = re.compile(r"\s*#\s*define\s+(\w+)")


def cases(path):
    """{name: [(line's number, its text)]} of the programs of a file.

    To a case belong what stands between it and the one before, and its own
    body; where nothing but comments stands between them, it shares what the
    one before has. A file with a main() is one case.
    """
    found, shared, between, body, last = {}, [], [], None, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if case := CASE.match(line):
            if any(text and not text.startswith("//") for _, text in between):
                shared, between = between, []
            body = found[case[2]] = shared + between
            between, last = [], LAST[case[1]]
        if body is None:
            between.append((number, line))
        else:
            body.append((number, line))
            body = None if last.match(line) else body
    return found or {"main": between}


def bundle_text(files):
    """One source for many; `program FILE.cu:NAME` runs a case, main() is one."""
    includes, bodies = ['"cases.h"'], []
    for path in files:
        defined, body = [], []
        for line in path.read_text().splitlines():
            include = INCLUDE.match(line)
            if include:  # to the top: a system header is no part of a namespace
                includes.append(include.group(1))
                line = ""
            macro = DEFINE.match(line)
            if macro:
                defined.append(macro.group(1))
            body.append(line)
        if "int main()" in body:
            body.append("CASE(main) { exit(main()); }")
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        bodies += [f"namespace {path.stem}", "{", f'#line 1 "{name}"', *body,
                   f'#line 1 "end_of_{path.stem}"', "}"]
        bodies += [f"#undef {macro}" for macro in defined]
    lines = [f"#include {name}" for name in dict.fromkeys(includes)]
    return "\n".join(lines + bodies) + "\n"


def bundle(files, program, *options):
    """Build many files as one program. @return what the compiler says if it fails"""
    source = Path(f"{program}.cu")
    source.write_text(bundle_text(files))
    built = simcc(source, program, f"-I{HERE}", *options)
    return built.stderr if built.returncode else ""
