"""Every goal of make: one entry each, in the order of `make help`.

A goal is a function that gets what args= says, as words. The decorator has its
line in `make help` and the variables that mean something to it. Those that are
long have a module of their own, whose main() is called like a program's.
"""

import glob
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from typing import Callable, Dict, List, NamedTuple

import course
import machine
from machine import build, fail, given


class Goal(NamedTuple):
    """What `make NAME` does."""

    name: str
    text: str  # in make help; a goal without is not shown there
    takes: List[str]  # variables
    group: str
    run: Callable[[List[str]], None]


GOALS: Dict[str, Goal] = {}
GROUPS = ["For readers",
          "Exercises: chapter=X, or hunt=NAME, where a bug is to be found",
          "For authors"]


def goal(text: str, takes: str = "", name: str = "",
         group: int = 0) -> Callable:
    """Enter a function into GOALS under its own name."""
    def enter(run: Callable) -> Callable:
        called = name or run.__name__.replace("_", "-")
        GOALS[called] = Goal(called, text, takes.split(), GROUPS[group], run)
        return run
    return enter


def script(name: str, *words: str, **settings: str) -> None:
    """Run the main() of a module with these words; ends."""
    os.environ.update(settings)
    sys.argv = [f"{name}.py", *words]
    course.script(importlib.import_module(name).main)


def execute(program: str, *words: str, **settings: str) -> None:
    """Become another program; ends."""
    sys.stdout.flush()
    os.execve(program, [program, *words], {**os.environ, **settings})


# ---- a chapter, or a program of one's own ------------------------------------


def chapter() -> str:
    """Return the chapter that chapter= means."""
    return course.find_chapter(given("chapter"))


def need_variants(name: str) -> None:
    """End if variant= is given for a chapter that has none."""
    if given("variant") and not course.variants(name):
        fail(f"{name} has no variants")


class Program(NamedTuple):
    """What run, profile and their like work with."""

    path: str
    back_end: str
    chapter: str  # or nothing, where file= is


def tuned(name: str, end: str) -> str:
    """Return the chapter, with the parameters that make autotune has found."""
    found = end == "gpu" and os.path.exists(f"build/gpu/{name}.h")
    return f"build/{end}/{'tuned/' * found}{name}"


def start(with_tuned: bool = False) -> Program:
    """Find the chapter or file=, say what runs it and why, build it."""
    source = given("file")
    if source:
        if given("chapter"):
            fail("file= or chapter=, not both")
        if os.path.isdir(source):
            fail(f"{source}: a folder, not a source")
        if not os.path.exists(source):
            fail(f"file={source}: no such file")
        name, what = "", source
    else:
        name, what = chapter(), "this chapter"
        need_variants(name)
    end, why = machine.need_back_end()
    print(f"{why} runs {what}", flush=True)
    if source:
        stem = os.path.basename(source).rpartition(".")[0] or \
            os.path.basename(source)
        path = f"build/{end}/own/" + re.sub(r"[^A-Za-z0-9]", "_", stem)
    else:
        path = tuned(name, end) if with_tuned else f"build/{end}/{name}"
        if given("v") == "1":
            alone(name, end)
        if "/tuned/" in path:
            with open(f"build/gpu/{name}.h", encoding="utf-8") as file:
                print("".join(line[3:] for line in file
                              if line.startswith("// ")), end="", flush=True)
    build(path)
    os.environ["CHAPTERS_COMMIT"] = machine.commit()
    return Program(path, end, name)


def alone(name: str, end: str) -> None:
    """Print the command that builds the chapter on its own, without make."""
    sources = f"-I common chapters/{name}/{name}.cu common/*.c"
    on_gpu = (f"nvcc -O3 -arch={machine.arch()} --default-stream per-thread "
              f"{sources} common/gpu/*.c* -lcublas -o {name}")
    if end == "gpu":
        print(f"on its own: {on_gpu}", flush=True)
    else:
        print(f"on its own: simulator/simcc {sources} -o {name}")
        print(f"on a GPU:   {on_gpu}", flush=True)


def for_variant(words: List[str]) -> List[str]:
    """Return the words with variant= in front."""
    return ["--variant", given("variant")] * bool(given("variant")) + words


# ---- for readers -------------------------------------------------------------


@goal("this text", "chapter on args")
def help(_: List[str]) -> None:
    """Print the two commands, then each goal; 80 columns."""
    print("""\
On a fresh machine:
  make setup chapter=vector_add run  the first program, built and run
  make setup test                    all tests that need no GPU

Then: make [chapter=X] GOAL""")
    for group in GROUPS:
        print(f"\n{group}")
        for one in GOALS.values():
            if one.group == group and one.text:
                print(f"  {one.name:<16} {one.text}")
    print("""
  chapter=gemm_02          a chapter, or any beginning that fits only one: 02
  variant=NAME             one variant of a chapter that has several
  file=path/to/my.cu       a program of your own: run, profile, sanitize
  on=simulator             or on=gpu; otherwise a GPU when one answers
  args="--M 500 --K 300"   goes to the program; args=--help lists them
  arch=sm_90               build for this GPU; otherwise for the one here
  flags="-I include"       goes to the compiler of file=
  answers=FILE             predict reads an answer from each of its lines
  v=1                      show the command lines""")


@goal("the chapters, one line each")
def list(_: List[str]) -> None:
    """Print each chapter with the first sentence of its source; 80 columns."""
    for name in course.in_order():
        with open(f"chapters/{name}/{name}.cu", encoding="utf-8") as file:
            brief = re.search(r"^ \* @brief (.*)", file.read(), re.M)
        print(textwrap.fill(brief[1] if brief else "", 80,
                            initial_indent=f"{name:<25}",
                            subsequent_indent=" " * 25) if brief else name)


@goal("install what is missing for the other goals typed", "chapter")
def setup(_: List[str]) -> None:
    """Nothing: the Makefile calls setup.sh, which brings Python if need be."""


def lacking(name: str) -> str:
    """Return what setup.sh would install for a goal."""
    return machine.answer("sh", "tools/setup.sh", "--missing", name).strip()


@goal("what this machine has, what each missing piece would add")
def doctor(_: List[str]) -> None:
    """Print what is here; never fails."""
    script("doctor")


@goal("build a chapter, verify it, measure or count it",
      "chapter file flags variant args on arch v")
def run(words: List[str]) -> None:
    """Behind the report of a chapter stands the least time of each resource.

    Counts are of a chapter as it is, not of a tuned one.
    """
    program = start(with_tuned=True)
    words = for_variant(words)
    if not program.chapter or "/tuned/" in program.path:
        execute(program.path, *words)
    records = f"{program.path}.records.{os.getpid()}"
    sys.stdout.flush()
    try:
        status = subprocess.run(
            [program.path, *words],
            env={**os.environ, "CHAPTERS_RECORDS": records}).returncode
        if status == 0 and os.path.exists(records) and \
                os.path.getsize(records):
            script("limits", program.chapter, "run", records)
    finally:
        if os.path.exists(records):
            os.remove(records)
    sys.exit(status if status >= 0 else 128 - status)  # as a shell says it


@goal("the numbers of the lesson's Predict table, asked and checked",
      "chapter answers v")
def predict(_: List[str]) -> None:
    """Always in the simulator."""
    name = chapter()
    machine.need_simulator()
    program = f"build/simulator/{name}"
    build(program)
    script("predict", name, *filter(None, [given("answers")]), program=program)


@goal("the chapter in gdb (simulator) or cuda-gdb (GPU)",
      "chapter variant args on arch v")
def debug(words: List[str]) -> None:
    """Stop in each kernel.

    In the simulator every GPU thread is an ordinary function call, one after
    the other: a breakpoint in the kernel stops in each of them. threadIdx.x is
    a call of the runtime there; gdb gets it under the name threadIdx_x. On a
    GPU `cuda thread (3, 0, 0)` goes to another thread.
    """
    name = chapter()
    need_variants(name)
    end, why = machine.back_end()
    print(f"{why} runs this chapter", flush=True)
    program = f"build/{end}/{name}-debug"
    breaks = [word for kernel in course.kernels(course.sources(name))
              for word in ("-ex", f"break {kernel}")]
    command = [*breaks, "--args", program, *for_variant(words)]
    if end == "gpu":
        debugger = machine.need_cuda_tool("debug", "cuda-gdb")
        build(program)
        execute(debugger, "-q", *command)
    machine.need_simulator()
    debugger = shutil.which("gdb") or \
        fail("debug: gdb is missing; make setup debug installs it")
    build(program)
    print("""\
In gdb: run, next, continue; print threadIdx_x, threadIdx_y, blockIdx_x, ...
        break LINE if threadIdx_x == 3 && threadIdx_y == 0""")
    # Read from memory: to call a function gdb would have to write registers,
    # which that of Debian 12 cannot do on each processor.
    macros = [word for number, axis in enumerate("xyz") for word in (
        "-ex", f"macro define threadIdx_{axis} (sim_self->lane->{axis})",
        "-ex", f"macro define blockIdx_{axis} (sim_self->block[{number}])")]
    # One OS thread, so that `next` stays in one block; SIGINT still ends a run.
    execute(debugger, "-q", "-ex", "set breakpoint pending on", *macros,
            *command, SIM_THREADS="1")


@goal("every line of check.args, every number of counts",
      "chapter variant args on arch v")
def check(words: List[str]) -> None:
    """Of one chapter or all."""
    if given("chapter"):
        program = start()
        end, names = program.back_end, [program.chapter]
    else:
        end, why = machine.need_back_end()
        print(f"{why} runs the chapters", flush=True)
        build(end)
        names = course.chapters()
    script("check", end, shlex.join(words), *names)


@goal("the change from the chapter before; or from=gemm_01 to=03",
      "chapter variant from to")
def diff(_: List[str]) -> None:
    """Comments and the own names of both are left out."""
    script("diff")


@goal("counters per source line; on a GPU Nsight Compute",
      "chapter file flags variant args on arch v json")
def profile(words: List[str]) -> None:
    """Of a chapter or file=."""
    program = start()
    ncu = "" if program.back_end == "simulator" else \
        machine.need_cuda_tool("profile", "ncu")
    script("profile", program.back_end, program.chapter, *for_variant(words),
           ncu=ncu, nvcc=machine.nvcc(), program=program.path)


@goal("search for races and stray accesses",
      "chapter file flags variant args on arch v")
def sanitize(words: List[str]) -> None:
    """Of a chapter or file=."""
    program = start()
    tool = "" if program.back_end == "simulator" else \
        machine.need_cuda_tool("sanitize", "compute-sanitizer")
    script("sanitize", program.back_end, program.chapter, *words,
           sanitizer=tool, program=program.path)


@goal("registers, shared memory, spills, the hot loop's instructions",
      "chapter variant arch v")
def asm(_: List[str]) -> None:
    """Needs nvcc, no GPU."""
    name = chapter()
    need_variants(name)
    if not machine.nvcc():
        fail("asm: nvcc is missing; it comes with CUDA")
    known = given("arch") or machine.gpu().arch
    note = "" if known else "; no GPU answers: arch=sm_90 asks for another"
    script("asm", name, machine.arch(), nvcc=machine.nvcc(), note=note,
           cuobjdump=machine.cuda_tool("cuobjdump"))


@goal("the banks of a warp's access: stride=33 width=4 rows=32",
      "stride width rows access fragment args v")
def banks(words: List[str]) -> None:
    """Every variable but args and v goes to the program."""
    machine.need_simulator()
    program = "build/simulator/banks"
    build(program)
    options = [word for name in GOALS["banks"].takes[:-2] if given(name)
               for word in (f"--{name}", given(name))]
    execute(program, *options, *words)


@goal("the gemm chapters, sizes=\"256 512\"; chapter=: its variants",
      "chapter variant args sizes on arch v")
def compare(words: List[str]) -> None:
    """All gemm chapters at some sizes; or the variants of one chapter."""
    if given("chapter"):
        program = start(with_tuned=True)
        script("compare", program.back_end, "variants", program.chapter,
               *for_variant(words), program=program.path)
    if words or given("variant"):
        fail("compare: args= is for chapter=; the ladder takes sizes=")
    sizes = given("sizes")
    if not all(re.fullmatch("[1-9][0-9]*", size) for size in sizes.split()):
        fail(f"compare: sizes={sizes}: a size is a number, as in "
             'sizes="256 512"')
    end, why = machine.need_back_end()
    print(f"{why} runs the gemm chapters", flush=True)
    names = [name for name in course.chapters() if name.startswith("gemm_")]
    build(*(tuned(name, end) for name in names))
    usual = "1024 4096" if end == "gpu" else "256"
    script("compare", end, "ladder", sizes or usual, *names)


@goal("the least time that each resource allows a chapter's kernels",
      "chapter")
def limits(_: List[str]) -> None:
    """From the counts and the recorded times: needs no GPU."""
    script("limits", chapter())


@goal("draw a lesson's pictures from a trace of its kernels",
      "chapter args v")
def picture(words: List[str]) -> None:
    """args=--check compares instead."""
    machine.need_clang("picture")
    names = [chapter()] if given("chapter") else []
    script("picture", *words, *names)


def measured(name: str) -> Dict[str, str]:
    """Build what bench and results measure; return what they must know."""
    machine.need_gpu(name)
    build(f"build/gpu/{chapter()}" if given("chapter") else "gpu")
    return {"CHAPTERS_COMMIT": machine.commit(), "nvcc": machine.nvcc(),
            "smi": machine.smi(), "gpu_name": machine.gpu().name,
            "built_for": machine.arch()}


def folder_and_chapter() -> List[str]:
    """Return where results go, and of which chapter, if of one."""
    named = [chapter()] if given("chapter") else []
    return [given("results") or "docs/results", *named]


@goal("time every chapter at every size here; goes on if stopped",
      "chapter results again on arch v")
def bench(_: List[str]) -> None:
    """results=FOLDER writes elsewhere."""
    script("bench", *folder_and_chapter(), **measured("bench"))


@goal("two files of bench or two commits: a=OLD b=NEW", "a b")
def compare_results(_: List[str]) -> None:
    """Both are files of make bench, or commits."""
    if not given("a") or not given("b"):
        fail("compare-results: a= and b= name a file of make bench or a commit")
    script("compare_results", given("a"), given("b"))


@goal("the tile sizes of gemm_09 that are best on this GPU",
      "chapter args on arch v")
def autotune(words: List[str]) -> None:
    """args=--list prints the sets to try, which needs no GPU."""
    os.environ.setdefault("chapter", "gemm_09_autotune")
    name = chapter()
    with open(f"chapters/{name}/{name}.cu", encoding="utf-8") as file:
        if not re.search("^#ifndef BM", file.read(), re.M):
            fail(f"autotune: {name} has no parameters that can be set from "
                 "outside")
    if words != ["--list"]:
        print(f"{machine.need_gpu('autotune')} tunes {name}", flush=True)
    script("autotune", *words, chapter=name, gpu_name=machine.gpu().name)


@goal("the site: build/docs/html/index.html")
def docs(_: List[str]) -> None:
    """Everything that goes wrong with it is a warning of Doxygen, and an error.
    """
    missing = lacking("docs")
    if missing:
        fail(f"docs: missing: {missing}; make setup docs installs it")
    execute("docs/site/build", python=sys.executable)


@goal("everything that needs no GPU", "args fuzz")
def test(words: List[str]) -> None:
    """args= names groups."""
    missing = lacking("test")
    if missing:
        fail(f"test: missing: {missing}; make setup test installs it")
    machine.need_simulator()
    execute(sys.executable, "-B", "tests/run", *words)


@goal("remove what was built and nothing else")
def clean(_: List[str]) -> None:
    """The simulator's, too; also where build is a link."""
    if os.path.islink("build"):
        os.remove("build")
    for folder in ("build", "simulator/build"):
        shutil.rmtree(folder, ignore_errors=True)


# ---- exercises ---------------------------------------------------------------


def task() -> List[str]:
    """Return the kind and the name of what chapter= or hunt= means."""
    if given("hunt"):
        if given("chapter"):
            fail("hunt= or chapter=, not both")
        return ["hunt", given("hunt")]
    return ["chapter", chapter()]


@goal("copy the skeleton to mine/; what to do, what it prints now",
      "chapter hunt v", group=1)
def exercise(_: List[str]) -> None:
    """Builds it, to show what it prints."""
    what = task()
    machine.need_simulator()
    script("exercise", "exercise", *what)


@goal("the next of three hints", "chapter hunt v", group=1)
def hint(_: List[str]) -> None:
    """One more each time."""
    script("exercise", "hint", *task())


def grader(name: str) -> str:
    """Say who grades: counters are the simulator's, speed is a GPU's."""
    machine.need_clang(name)
    end, why = machine.back_end()
    print(f"{why} times, the simulator verifies and counts" if end == "gpu"
          else f"{why} verifies and counts", flush=True)
    return end


@goal("correct? the counts? on a GPU: fast? a table with points",
      "chapter hunt submissions out on arch v", group=1)
def grade(_: List[str]) -> None:
    """One exercise or hunt; with submissions= a folder of students."""
    named = given("chapter") or given("hunt")
    if given("submissions"):
        what = task() if named else []
        script("grade", grader("grade"), "class", given("submissions"),
               given("out") or "build/grades", *what)
    if given("out"):
        fail("grade: out= is for submissions=")
    what = task()
    script("grade", grader("grade"), "one", *what)


@goal("for those who have passed, or ask twice", "chapter hunt v", group=1)
def solution(_: List[str]) -> None:
    """Show it."""
    script("exercise", "solution", *task())


@goal("begin anew; asks, and keeps what was there", "chapter hunt v", group=1)
def reset(_: List[str]) -> None:
    """Copy the skeleton again."""
    script("exercise", "reset", *task())


@goal("what is done, what is next, all exercises and hunts", group=1)
def progress(_: List[str]) -> None:
    """A table."""
    script("exercise", "progress")


@goal("everything in mine/; grade submissions=DIR: a whole class",
      "on arch v", group=1)
def grade_all(_: List[str]) -> None:
    """One after the other."""
    script("grade", grader("grade-all"), "all")


# ---- for authors -------------------------------------------------------------


@goal("a chapter to begin with: chapter=gemm_13_mine from=gemm_10",
      "chapter from", group=2)
def new(_: List[str]) -> None:
    """Copy one under another name."""
    script("new")


@goal("rungs with one idea taken out at a time, on this GPU",
      "args chapter on arch v", group=2)
def ablation(words: List[str]) -> None:
    """Beside cuBLAS."""
    machine.need_gpu("ablation")
    names = [chapter()] if given("chapter") else []
    build("build/gpu/libcommon.a")
    script("ablation", *names, *words, CHAPTERS_COMMIT=machine.commit())


@goal("bench, and Nsight Compute's counters: docs/results/",
      "chapter results again on arch v", group=2)
def results(_: List[str]) -> None:
    """What only Nsight Compute can tell comes last."""
    settings = measured("results")
    if not given("chapter"):
        build("build/gpu/tests/latency", "build/gpu/tests/l2")
    script("results", *folder_and_chapter(), **settings,
           ncu=machine.cuda_tool("ncu"))


@goal("renew the code and the tables quoted in the lessons", "args", group=2)
def lessons(words: List[str]) -> None:
    """What the lessons print comes from the simulator with its counters."""
    machine.need_clang("lessons", "lessons: without clang 14 or newer the "
                       "tables would be empty")
    script("lessons", *words)


@goal("draw docs/charts/", "args", group=2)
def charts(words: List[str]) -> None:
    """From the records."""
    script("charts", *words)


@goal("test, and all mutants, a class, nvcc for three GPUs", "args fuzz",
      group=2)
def test_all(words: List[str]) -> None:
    """What takes longer; args= names groups."""
    test(["--all", *words])


@goal("everything that needs a GPU", "args arch on", group=2)
def test_gpu(words: List[str]) -> None:
    """args= names parts."""
    machine.need_gpu("test-gpu")
    execute(sys.executable, "-B", "tests/gpu/run", *words)


@goal("the simulator's tests on 64-bit Arm, emulated", "args arch on",
      group=2)
def test_aarch64(words: List[str]) -> None:
    """Needs qemu."""
    execute(shutil.which(given("MAKE") or "make"), "-C", "simulator",
            "test-aarch64", f"tests={' '.join(words)}")


@goal("how fast the simulator is on this machine (2 minutes)", group=2)
def bench_simulator(_: List[str]) -> None:
    """Beside what it is meant to reach."""
    script("bench_simulator")


@goal("", "arch v flags file", name="build")
def build_programs(words: List[str]) -> None:
    """Programs by their paths; gpu and simulator: all chapters."""
    if any(word == "gpu" or word.startswith("build/gpu/") for word in words):
        if not machine.nvcc():
            fail(f"{' '.join(words)}: nvcc is missing; install CUDA 12 or 13")
    else:
        machine.need_simulator()
    build(*words)


def near(name: str) -> str:
    """Return what is wrong with a goal that is none."""
    if glob.glob(f"chapters/*{glob.escape(name)}*"):
        return f"make {name}: no goal; chapter={name} names a chapter"
    return f"make {name}: no such goal; make help names them"
