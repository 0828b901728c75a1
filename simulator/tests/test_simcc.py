#!/usr/bin/env python3
"""The driver simcc: what it accepts, what it says."""
import importlib.machinery
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time

from harness import (HERE, ROOT, RUNNER, SIMCC, check, command, finish, parallel,
                     reported, simcc, skip, workdir)

MIXTURE = HERE / "programs" / "mixture.cu"
PROGRAM = """#include "answer.h"
__global__ void k(int *x) { *x = ANSWER + EXTRA; }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, sizeof h);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    return h != 42;
}
"""


def said(built):
    """What simcc said, without the line that it says wherever clang is missing."""
    return [line for line in built.stderr.splitlines()
            if not line.startswith("simcc: no clang")]


def one_line(name, built, status=2, words=""):
    """Check that simcc has ended so, and said why in one line."""
    check(f"simcc: {name}: one line, status {status}",
          built.returncode == status and len(built.stderr.splitlines()) == 1
          and words in built.stderr, f"status {built.returncode}\n{built.stderr}")


def options(directory):
    """-I -D -O -std -x -l: all at once, and a source with another ending."""
    (directory / "include").mkdir()
    (directory / "include/answer.h").write_text("#define ANSWER 40\n")
    source = directory / "program.txt"
    source.write_text(PROGRAM)
    program = directory / "program"
    for mode in ([], ["--plain"]):
        built = simcc(["-x", "cu", source], program, *mode, "-I",
                      directory / "include", "-DEXTRA=2", "-O3", "-std=c++17", "-lm")
        ran = command([program])
        check(f"simcc: -I -D -O3 -std -lm -x cu {' '.join(mode)}".rstrip(),
              built.returncode == 0 and ran.returncode == 0 and not said(built),
              built.stderr + ran.stderr)


def messages_of_clang():
    """Whose mistake an error is, and which note goes with it."""
    sys.path.insert(0, str(ROOT / "passes"))
    import messages
    text = ("/usr/include/c++/12/new:1:2: error: system\n"
            "a.cu:3:4: error: no matching function for call to 'f'\n"
            "a.cu:1:1: note: candidate function not viable: call to __device__ "
            "function from __host__ function\n"
            "a.cu:9:1: warning: odd [-Wodd]\n")
    errors, warned, others = messages.summary(text, ("/usr/",))
    check("simcc: errors, warnings and what is not the reader's mistake",
          errors == ["a.cu:3:4: error: no matching function for call to 'f'",
                     "    a.cu:1:1: call to __device__ function from __host__ function"]
          and warned == ["a.cu:9:1: warning: odd [-Wodd]"]
          and others == ["/usr/include/c++/12/new:1:2: error: system"],
          f"{errors} {warned} {others}")


WARNS = """__global__ void k(float *x)
{
    float sum;
    x[0] = sum;
}
int main() { int left_over; k<<<1, 1>>>(nullptr); }
"""


TWO_NAMES = """\
extern __shared__ float a[];
__global__ void k(float *x)
{
    extern __shared__ float b[];
    x[0] = a[0] + b[0];
}
int main() {}
"""


def warnings(directory):
    """-Wall and its like, in all the ways in which nvcc takes them."""
    source = directory / "warns.cu"
    source.write_text(WARNS)
    for words in (["-Wall"], ["-Xcompiler", "-Wall,-Wextra"], ["-Xcompiler=-Wall"],
                  ["--compiler-options", "-Wall"], ["-Wall", "--plain"]):
        built = simcc(source, directory / "warns", *words)
        lines = [x for x in said(built) if "warning" in x]
        check(f"simcc: warnings of {' '.join(words)}",
              built.returncode == 0 and any("left_over" in x for x in lines)
              and any("warns.cu:4:" in x and "sum" in x for x in lines)
              and "ignored" not in built.stderr, built.stderr)
    two = directory / "two.cu"
    two.write_text(TWO_NAMES)
    built = simcc(two, directory / "two")
    check("simcc: two names for the dynamic shared array",
          "two.cu:3: warning: a and b are the same memory" in built.stderr, built.stderr)
    silent = simcc(source, directory / "warns", "-Wall", "-w")
    check("simcc: -w: no warnings", not said(silent), silent.stderr)
    built = simcc(source, directory / "warns", "-Wall", "-Werror")
    check("simcc: -Werror: an error with the line of the source and a caret",
          built.returncode == 1 and "warns.cu:4:" in built.stderr
          and f"\n    4 |     x[0] = sum;\n      |{' ' * 12}^" in built.stderr,
          built.stderr)


def nvcc_options(directory):
    source = directory / "a.cu"
    source.write_text("int main() { return 0; }\n")
    built = simcc(source, directory / "a", "-arch=sm_90", "-lineinfo",
                  "--use_fast_math", "-gencode", "arch=compute_80,code=sm_80")
    lines = said(built)
    check("simcc: options of nvcc are named and ignored",
          built.returncode == 0 and len(lines) == 1 and
          all(word in lines[0] for word in ("-arch", "-lineinfo", "-gencode")),
          built.stderr)
    source.write_text("constexpr int twice(int x) { return 2 * x; }\n"
                      "__global__ void k(int *x) { *x = twice(*x); }\n"
                      "int main() { k<<<1, 1>>>(nullptr); }\n")
    built = simcc(source, directory / "a", "--expt-relaxed-constexpr")
    check("simcc: --expt-relaxed-constexpr: kernels call constexpr functions",
          built.returncode == 0 and not built.stderr, built.stderr)


STREAMS = """__global__ void fill(int *x) { x[threadIdx.x] = 1; }
__global__ void add(int *x) { x[threadIdx.x]++; }
int main()
{
    int *x, y;
    cudaStream_t other;
    cudaStreamCreate(&other);
    cudaMalloc(&x, 128);
    fill<<<1, 32>>>(x);
    add<<<1, 32, 0, other>>>(x);
    cudaMemcpyAsync(&y, x, 4, cudaMemcpyDeviceToHost);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def default_streams(directory):
    """What a launch and a copy without a stream mean, in both modes."""
    source, program = directory / "streams.cu", directory / "streams"
    source.write_text(STREAMS)
    for words, races in (([], 0), (["--default-stream", "legacy"], 0),
                         (["--default-stream=per-thread"], 2),
                         (["-default-stream", "per-thread"], 2),
                         (["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"], 2)):
        built = simcc(source, program, *words)
        ran = command([program])
        check(f"simcc: default stream: {' '.join(words) or 'no option'}",
              not built.stderr and ran.stderr.count(": stream-race:") == races,
              built.stderr + ran.stderr)
    built = simcc(source, program, "--plain", "--default-stream", "per-thread")
    ran = command([program])
    check("simcc: default stream: --plain", not built.stderr and not ran.stderr
          and ran.returncode == 0, built.stderr + ran.stderr)
    built = simcc(source, program, "--default-stream", "mine")
    check("simcc: default stream: an unknown one is refused",
          built.returncode == 2 and "mine" in built.stderr, built.stderr)


def objects(directory):
    """An object file made by cc, and an archive."""
    library, source = directory / "lib.c", directory / "main.cu"
    library.write_text("int forty_two(void) { return 42; }\n")
    source.write_text('extern "C" int forty_two(void);\n'
                      "int main() { return forty_two() != 42; }\n")
    command(["cc", "-c", library, "-o", directory / "lib.o"])
    command(["ar", "rcs", directory / "lib.a", directory / "lib.o"])
    for kind in ("lib.o", "lib.a"):
        built = simcc([source, directory / kind], directory / "linked")
        ran = command([directory / "linked"])
        check(f"simcc: links {kind}", built.returncode == 0 and ran.returncode == 0,
              built.stderr)


def errors(directory):
    """One clear message each; nothing half-built is left."""
    source, program = directory / "broken.cu", directory / "broken"
    source.write_text("__global__ void k(int *x)\n{\n    *x = nonsense;\n}\n"
                      "int main() { return 0; }\n")
    built = simcc(source, program)
    check("simcc: an error names the reader's own file and line",
          built.returncode != 0 and "broken.cu:3" in built.stderr
          and not program.exists(), built.stderr)
    one_line("a source that does not exist", simcc(directory / "absent.cu", program),
             2, "absent.cu")
    one_line("no source", command([SIMCC]))
    ran = command([SIMCC, "--help"])
    said_ = command([SIMCC, "--version"]).stdout
    clang = command([SIMCC, "--clang"]).stdout.split()
    check("simcc: --version", said_.startswith("simcc ") and (
        not clang or f"\nclang {clang[1]}, {clang[0]}\n" in said_), said_)
    check("simcc: --help", ran.returncode == 0 and "--plain" in ran.stdout,
          ran.stdout + ran.stderr)


def no_programs(directory):
    """Sources that no compiler takes: the reason in one line."""
    sources = (
        ("is_empty.cu", b"\n", "the file is empty"),
        ("is_utf16.cu", PROGRAM.encode("utf-16"), "UTF-16"),
        ("no_main.cu", b"void f() {}\n", "no source has a main()"),
        ("host.cpp", b"\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n",
         "host.cpp:2: __global__ is CUDA: name it "))
    for name, text, words in sources:
        (directory / name).write_bytes(text)
        one_line(name, simcc(directory / name, directory / "none"), 1, words)


def keep(directory):
    kept = directory / "kept"
    kept.mkdir()
    source = kept / "small.cu"
    source.write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n")
    before = {path.name for path in kept.iterdir()}
    simcc(source, kept / "small")
    without = {path.name for path in kept.iterdir()} - before - {"small"}
    simcc(source, kept / "small", "--keep")
    files = {path.name for path in kept.iterdir()} - before - {"small"}
    check("simcc: --keep leaves the intermediate files, else none",
          files and not without, f"with: {files}, without: {without}")


# Prints 1 when __CUDA_ARCH__ is seen by the device's side alone.
SIDES = """#ifdef __CUDA_ARCH__
__device__ int seen() { return __CUDA_ARCH__; }
const int host_sees = 1;
#else
__device__ int seen() { return 0; }
const int host_sees = 0;
#endif
"""
ASKS = """#include <stdio.h>
%s
__global__ void k(int *x) { *x = seen(); }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, sizeof h);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%%d", h == 900 && !host_sees);
}
"""


def two_sides(directory):
    """__CUDA_ARCH__ wherever it may stand; one object file; no kernel left out."""
    folder = directory / "sides"
    (folder / "include").mkdir(parents=True)
    (folder / "include/sides.h").write_text(SIDES)
    source, program = folder / "asks.cu", folder / "asks"
    places = {
        "in the source": (SIDES, []),
        "in a header": ('#include "include/sides.h"', []),
        "in a header of -I": ("#include <sides.h>", ["-I", folder / "include"]),
        "in a header of -include": ("", ["-include", folder / "include/sides.h"]),
    }
    for place, (text, words) in places.items():
        source.write_text(ASKS % text)
        for mode in ([], ["--plain"]):
            built = simcc(source, program, *words, *mode)
            ran = command([program])
            check(f"simcc: __CUDA_ARCH__ {place} {' '.join(mode)}".rstrip(),
                  ran.stdout == "1" and not said(built), built.stderr + ran.stdout)
    source.write_text(ASKS % SIDES)
    simcc(source, folder / "asks.o", "-c")
    built = simcc(folder / "asks.o", program)
    ran = command([program])
    check("simcc: both sides in one object file", ran.stdout == "1", built.stderr)
    for text, times in ((SIDES, 2), ("#if 0 && !defined(__CUDA_ARCH__)\n#endif", 1)):
        source.write_text(f"{text}\nint main() {{}}\n")
        simcc(source, program, "--keep")
        kept = [path.name for path in folder.glob("asks*.sim.ll")]
        check(f"simcc: __CUDA_ARCH__ compiles {times} x", len(kept) == times, kept)
        for name in kept:
            (folder / name).unlink()
    source.write_text("#ifndef __CUDA_ARCH__\n__global__ void k() {}\n#endif\n"
                      "int main()\n{\n#ifndef __CUDA_ARCH__\n    k<<<1, 1>>>();\n"
                      "#endif\n}\n")
    built = simcc(source, program)
    one_line("a kernel that only the host's side has", built, 1,
             "without __CUDA_ARCH__")


PRINTS = """#include "a header.cuh"
int main() { launch(); return cudaDeviceSynchronize(); }
"""
LAUNCHES = """#pragma once
__global__ void k(int *x) { *x = x[threadIdx.x]; }
inline void launch() { int *x; cudaMalloc(&x, 4); k<<<1, 2>>>(x); }
"""


def odd_paths(directory):
    """Spaces, umlauts, quotes; a finding names the file as it is called."""
    for name in ("with spaces", "gr\u00fc\u00dfe \u4f60\u597d", "it's $HOME"):
        folder = directory / name
        folder.mkdir()
        source, header = folder / "my program.cu", folder / "a header.cuh"
        source.write_text(PRINTS)
        header.write_text(LAUNCHES)
        built = simcc(source, folder / "my program", "--keep")
        ran = command([folder / "my program"])
        lines = ran.stderr.splitlines() or [""]
        check(f"simcc: a path with {name}", built.returncode == 0 and not said(built)
              and lines[0].startswith(f"{header}:2:"), built.stderr + ran.stderr)


def dependencies(directory):
    """-MD -MMD -MF -MT -MP: what make wants to know."""
    folder = directory / "depends"
    folder.mkdir()
    for name, text in (("my header.h", "#define ONE 1\n"), ("launch.cuh", LAUNCHES),
                       ("host.h", "#pragma once\n"),
                       ("host.c", '#include "host.h"\nint x;\n'),
                       ("main.cu", '#include "my header.h"\n#include "launch.cuh"\n'
                                   "int main() { return 1 - ONE; }\n")):
        (folder / name).write_text(text)
    for mode in ([], ["--plain"]):
        def build(*words):
            return simcc(["main.cu", "host.c"], "main", *mode, *words, cwd=folder)
        built = build("-MMD", "-MP", "-MF", "deps")
        text = (folder / "deps").read_text() if built.returncode == 0 else ""
        rule, *phony = text.split("\n\n")
        names = rule.replace("\\\n", " ").split(":")[1].replace("\\ ", "_").split()
        check(f"simcc: -MMD -MP -MF {' '.join(mode)}".rstrip(),
              rule.startswith("main:") and names ==
              ["main.cu", "my_header.h", "launch.cuh", "host.c", "host.h"]
              and [x.strip() for x in phony] ==
              ["my\\ header.h:", "launch.cuh:", "host.h:"], built.stderr + text)
    built = simcc("main.cu", "main.o", "-c", "-MD", "-MT", "x y", cwd=folder)
    text = (folder / "main.d").read_text() if built.returncode == 0 else ""
    check("simcc: -MD -MT: beside the object, headers of the system, too",
          text.startswith("x\\ y:") and "cuda_runtime.h" in text, built.stderr + text)


def unusable_paths(directory):
    """One line and status 2, and nothing is made."""
    source = directory / "fine.cu"
    source.write_text("int main() { return 0; }\n")
    (directory / "folder.cu").mkdir(exist_ok=True)
    missing = directory / "absent"
    for name, words in (
            ("a folder as a source", [directory / "folder.cu", "-o", "x"]),
            ("-o in a folder that is not there", [source, "-o", missing / "x"]),
            ("-o below a file", [source, "-o", source / "x"]),
            ("-o that is a folder", [source, "-o", directory / "folder.cu"]),
            ("--keep where nothing can be", [source, "--keep", "-o", missing / "x"]),
            ("-MF where nothing can be", [source, "-o", directory / "y", "-MD", "-MF",
                                          missing / "d"]),
            ("a full disk", [source, "-o", "/dev/full"]),
            ("-E", [source, "-E"]), ("-M", [source, "-M"]),
            ("-shared", [source, "-shared", "-o", directory / "y"]),
            ("a text as an object", [source, "-x", "nonsense"])):
        one_line(name, command([SIMCC, *words]))
        check(f"simcc: {name}: nothing is made",
              not missing.exists() and not (directory / "y").exists())
    if os.geteuid() == 0:
        return skip("simcc: what cannot be read or written", "root can")
    source.chmod(0)
    one_line("a source that cannot be read", simcc(source, directory / "y"))


def interrupt(words, number, folder, pattern, **environment):
    """Send a signal when such a file is in the folder. @return status, stderr"""
    started = subprocess.Popen(words, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **environment},
                               start_new_session=True)
    while not list(folder.glob(pattern)) and started.poll() is None:
        time.sleep(0.01)
    os.killpg(started.pid, number)
    return started.wait(), started.stderr.read()


def interrupted(directory):
    """Ctrl-C: no folder is left behind, nor a process."""
    source, temporary = directory / "slow.cu", directory / "temporary"
    temporary.mkdir()
    source.write_text("#include <vector>\n" + "int main() { return 0; }\n")
    for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        status, text = interrupt([SIMCC, source, "-o", directory / "slow"], number,
                                 temporary, "simcc-*/*.cpp", TMPDIR=temporary)
        check(f"simcc: {name}: nothing is left", status == 128 + number
              and not list(temporary.iterdir()) and "Traceback" not in text,
              f"status {status}, {list(temporary.iterdir())}\n{text}")


def copy_of_simulator(folder):
    """Copy what simcc needs, and nothing that is built. @return the folder"""
    return shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(
        "build", "tests", "__pycache__"))


def interrupted_first(directory):
    """The same while the runtime is built, which whoever comes first does."""
    own = copy_of_simulator(directory / "own")
    made = own / "build"
    source = directory / "any.cu"
    source.write_text("int main() { return 0; }\n")
    status, text = interrupt([own / "simcc", source, "-o", directory / "any"],
                             signal.SIGINT, made, "runtime-*/*.o")
    check("simcc: Ctrl-C while the runtime is built: nothing is left",
          status == 130 and not list(made.glob("runtime-*"))
          and "Traceback" not in text, f"{list(made.iterdir())}\n{text}")


def without_clang(directory):
    """Only g++: plain mode, and one line says what clang would add."""
    if RUNNER:
        skip("simcc: only g++, no compiler", "needs compilers of this machine")
        return
    tools = directory / "tools"
    tools.mkdir()
    needed = ("g++", "gcc", "cc", "c++", "as", "ld", "ar", "ranlib", "python3",
              "env", "sh", "nm", "objcopy")
    for name in needed:
        path = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin")
        if path:
            os.symlink(path, tools / name)
    source = directory / "findings.cu"
    shutil.copy(MIXTURE, source)
    built = simcc(source, directory / "by_gcc", f"-I{HERE}",
                  env={"PATH": tools, "CLANG": ""})
    ran = command([directory / "by_gcc", "mixture"])
    check("simcc: only g++: one line says so, the program runs",
          built.returncode == 0 and ran.returncode == 0
          and len(built.stderr.splitlines()) == 1 and "clang" in built.stderr,
          f"status {built.returncode} {ran.returncode}\n{built.stderr}")
    for name in ("g++", "gcc", "cc", "c++"):
        if (tools / name).exists():
            (tools / name).unlink()
    one_line("no compiler", simcc(source, directory / "by_none",
                                  env={"PATH": tools, "CLANG": ""}))


def module():
    """simcc itself, for what no program shows."""
    loader = importlib.machinery.SourceFileLoader("simcc", str(SIMCC))
    made = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("simcc", loader))
    loader.exec_module(made)
    return made


def own_runtime(directory):
    """The runtime belongs to what a compiler is, makes code for, and is told."""
    inner = module()
    inner.cpu_features = set  # x86 without AVX2: no -march tells them apart
    inner.kept = lambda name, file, make: name

    def key(folder, target, words=""):
        program = directory / folder / "clang++"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec clang++ {words} "$@"\n')
        return inner.runtime_library(
            inner.Compiler(str(program), True, "14.0.6", target))

    first = key("here", "x86_64")
    check("simcc: the runtime of another target is another one",
          key("here", "aarch64") != first)
    check("simcc: and that of a compiler that is told something else",
          key("there", "x86_64", "-DARENA_SHIFT=32") != first)
    check("simcc: not that of one that lies elsewhere",
          key("elsewhere", "x86_64") == first)


def kept_headers(directory):
    """What clang keeps of the headers is used while it fits them, and made anew."""
    own = copy_of_simulator(directory / "own_kept")
    source = directory / "kept.cu"
    source.write_text("__global__ void k(int *p) { *p = 1; }\n")

    def build(*flags):
        words = [own / "simcc", "-c", *flags, source, "-o", directory / "kept.o"]
        built = command(words)
        made = (own / "build").glob("headers-*/*.pch")
        return built.returncode == 0 and not built.stderr, sorted(made)

    good, first = build()
    if not first:
        check("simcc: without clang no headers are kept", good)
        return
    then = [path.stat().st_mtime_ns for path in first]
    good_again, again = build("-I", directory)
    check("simcc: headers are kept, one reading for the rules, one for the program",
          good and good_again and len(first) == 2 and first == again
          and then == [path.stat().st_mtime_ns for path in again], (first, again))
    header = own / "include/sim.h"
    os.utime(header, (1, 1))
    good, made = build()
    good_again, again = build()
    check("simcc: headers that are others now are read, and kept anew",
          good and good_again and not made and again == first, (made, again))
    for path in first:
        path.write_text("none of clang's")
    good, made = build()
    check("simcc: what is no file of clang's is thrown away", good and not made, made)
    good, made = build("-D", "NDEBUG")
    check("simcc: with -D the headers are read", good and not made, made)


def copy_with_clang(own, script):
    """Copy simcc; a script, which notes how it is called, is the clang there.

    @return the copy, and the file of its notes
    """
    copy_of_simulator(own)
    (own / "a.cu").write_text("__global__ void k(int *p) { *p = 1; }\n")
    log = own / "asked"
    write_clang(own, script)
    return own, log


def write_clang(own, script):
    """Make the script of copy_with_clang() another one, of the same time."""
    clang = own / "clang++"
    clang.write_text(f"#!/bin/sh\necho \"$*\" >>{own}/asked\n{script}")
    clang.chmod(0o755)
    os.utime(clang, (1, 1))


def build_in(own):
    """Compile a source with what copy_with_clang() has made."""
    return command([own / "simcc", "-c", own / "a.cu", "-o", own / "a.o"],
                   env={"CLANG": own / "clang++", "PYTHONDONTWRITEBYTECODE": "1"})


def headers_not_kept(directory):
    """Where clang cannot write what it would keep, it is asked once for each."""
    found = module().find_clang()
    if not found:
        skip("simcc: headers that cannot be kept", "needs clang")
        return
    own, log = copy_with_clang(directory / "full", f"""
for word; do
    case $word in */cuda_runtime.pch)
        echo "error: unable to open output file '$word'" >&2
        exit 1
    esac
done
exec {found.program} "$@"
""")
    built = build_in(own)
    asked = [line for line in log.read_text().splitlines()
             if "-emit-pch" in line]
    left = list((own / "build").glob("headers-*"))
    check("simcc: headers that cannot be kept are read, and asked for once",
          built.returncode == 0 and not built.stderr and not left
          and len(asked) == 2, "\n".join([built.stderr, *asked, *map(str, left)]))


def a_compiler_is_asked_once(directory):
    """What it says of itself is kept until it changes, if it can be."""
    found = module().find_clang()
    if not found:
        skip("simcc: a compiler is asked once", "needs clang")
        return
    script = f'exec {found.program} "$@"\n'
    own, log = copy_with_clang(directory / "once", script)

    def asked(remark=""):
        write_clang(own, script + remark)
        log.write_text("")
        built = build_in(own)
        return built, log.read_text().splitlines().count("--version")

    results = [asked(), asked(), asked("# another\n")]
    check("simcc: a compiler is asked once, another one again",
          [count for _, count in results] == [1, 0, 1]
          and all(built.returncode == 0 for built, _ in results),
          "\n".join(built.stderr for built, _ in results))
    check("simcc: what Python makes of it is kept beside that, whatever else",
          list((own / "build/python").glob("**/lower*.pyc"))
          and not list((own / "passes").glob("**/*.pyc")))
    shutil.rmtree(own / "build")
    (own / "build").write_text("no folder")
    built, count = asked()
    check("simcc: where nothing can be kept it is asked",
          count == 1 and "clang" not in built.stderr, built.stderr)


def unoptimised(directory):
    """-O0: other machine code, the same counts."""
    found = []
    for level in ("-O0", "-O2"):
        program = directory / f"level{level}"
        built = simcc(MIXTURE, program, level, f"-I{HERE}")
        found.append((program.stat().st_size,
                      [launch["counts"]
                       for launch in reported([program, "mixture"])[1]]))
    (size0, counts0), (size2, counts2) = found
    check("simcc: -O0 counts the same", counts0 and counts0 == counts2
          and size0 != size2, built.stderr)


def at_the_same_time(directory):
    """Four at once, all of which need the runtime library."""
    results = parallel(lambda n: simcc(MIXTURE, directory / f"par{n}", f"-I{HERE}"),
                       range(4))
    check("simcc: several at the same time",
          all(r.returncode == 0 for r in results), results[0].stderr)


def main():
    messages_of_clang()
    with workdir() as directory:
        for test in (options, nvcc_options, default_streams, objects, errors, no_programs,
                     keep, two_sides, odd_paths, dependencies, unusable_paths, interrupted,
                     interrupted_first,
                     warnings, without_clang, own_runtime, kept_headers,
                     headers_not_kept, a_compiler_is_asked_once,
                     unoptimised, at_the_same_time):
            test(directory)
    finish()


if __name__ == "__main__":
    main()
