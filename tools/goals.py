"""Every goal of make: one entry each, in the order of `make help`.

A goal is a function that gets what was typed. The decorator has its line in
`make help` and the variables that mean something to it. What is long has a
module of its own, which is read when the goal is typed.
"""

import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from typing import Callable, Dict, List, NamedTuple, Optional

import course
import machine
from machine import fail

Status = Optional[int]  # of the process; None: 0


class Given(Dict[str, str]):
    """What was typed as NAME=VALUE, nothing for other names; args= as words."""

    words: List[str] = []

    def __missing__(self, name: str) -> str:
        return ""

    def chapter(self) -> str:
        """Return the chapter that chapter= means."""
        return course.find_chapter(self["chapter"])

    def chapters(self) -> List[str]:
        """Return it, or none where chapter= was not typed."""
        return [self.chapter()] if self["chapter"] else []

    def back_end(self, what: str) -> str:
        """Say what runs something, and why; return gpu or simulator."""
        end, why = machine.need_back_end(self["on"])
        print(f"{why} runs {what}", flush=True)
        return end

    def make(self) -> machine.Make:
        """Return how programs are built."""
        return machine.Make(self["arch"], self["v"], self["file"],
                            self["flags"])

    def program_words(self) -> List[str]:
        """Return the words for a chapter's program, variant= in front."""
        variant = self["variant"]
        return ["--variant", variant] * bool(variant) + self.words


class Goal(NamedTuple):
    """What `make NAME` does."""

    name: str
    text: str  # in make help; a goal without is not shown there
    takes: List[str]  # variables
    group: str
    run: Callable[[Given], Status]


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


def author(name: str, *words: str) -> Status:
    """Run the main() of a script of tools/author with these words."""
    sys.argv = [f"{name}.py", *words]
    return importlib.import_module(name).main()


def need_check(given: Given, name: str) -> None:
    """End if args= says anything but --check."""
    if given.words not in ([], ["--check"]):
        fail(f"{name}: args= is --check, which compares, or nothing")


def execute(program: str, *words: str, **settings: str) -> None:
    """Become another program; ends."""
    sys.stdout.flush()
    os.execve(program, [program, *words], {**os.environ, **settings})


# ---- a chapter, or a program of one's own ------------------------------------


def need_options(given: Given, name: str) -> None:
    """End if variant= or args= is given for a chapter that takes none."""
    if given["variant"] and not course.variants(name):
        fail(f"{name} has no variants")
    if any(given.words) and course.bare(name):
        fail(f"{name} takes no args=: its program has no options")


def tuned(name: str, end: str) -> str:
    """Return the chapter, with the parameters that make autotune has found."""
    found = end == "gpu" and os.path.exists(f"build/gpu/{name}.h")
    return f"build/{end}/{'tuned/' * found}{name}"


def start(given: Given, with_tuned: bool = False) -> course.Program:
    """Find the chapter or file=, say what runs it and why, build it."""
    source = given["file"]
    if source:
        if given["chapter"]:
            fail("file= or chapter=, not both")
        if os.path.isdir(source):
            fail(f"{source}: a folder, not a source")
        if not os.path.exists(source):
            fail(f"file={source}: no such file")
        name, what = "", source
    else:
        name, what = given.chapter(), "this chapter"
        need_options(given, name)
    end = given.back_end(what)
    if source:
        stem = os.path.splitext(os.path.basename(source))[0]
        path = f"build/{end}/own/" + re.sub(r"[^A-Za-z0-9]", "_", stem)
    else:
        path = tuned(name, end) if with_tuned else f"build/{end}/{name}"
        if given["v"] == "1":
            alone(name, machine.arch(given["arch"]))
        if "/tuned/" in path:
            found = course.text_of(f"build/gpu/{name}.h")
            print("\n".join(re.findall("^// (.*)", found, re.M)), flush=True)
    given.make().build(path)
    os.environ["CHAPTERS_COMMIT"] = machine.commit()
    return course.Program(path, end, name, source)


def alone(name: str, arch: str) -> None:
    """Print the commands that build the chapter on its own, without make."""
    sources = f"-I common chapters/{name}/{name}.cu common/*.c"
    print(f"on its own: simulator/simcc {sources} common/sim/*.c -o {name}\n"
          f"on a GPU:   nvcc -O3 -arch={arch} --default-stream per-thread "
          f"{sources} common/gpu/*.c* -lcublas -o {name}", flush=True)


# ---- for readers -------------------------------------------------------------


@goal("this text", "chapter on args", name="help")
def print_help(_: Given) -> None:
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


@goal("the chapters, one line each", name="list")
def list_chapters(_: Given) -> None:
    """Print each chapter with the first sentence of its source; 80 columns."""
    for name in course.chapters():
        source = course.text_of(f"chapters/{name}/{name}.cu")
        brief = re.search(r"^ \* @brief (.*)", source, re.M)
        print(textwrap.fill(brief[1] if brief else "", 80,
                            initial_indent=f"{name:<25}",
                            subsequent_indent=" " * 25) if brief else name)


@goal("install what is missing for the other goals typed", "chapter")
def setup(_: Given) -> None:
    """Nothing: the Makefile calls setup.sh, which brings Python if need be."""


def need_packages(name: str) -> None:
    """End if setup.sh would install something for a goal."""
    missing = machine.answer("sh", "tools/setup.sh", "--missing", name).strip()
    if missing:
        fail(f"{name}: missing: {missing}; make setup {name} installs it")


@goal("what this machine has, what each missing piece would add")
def doctor(_: Given) -> None:
    """Print what is here; never fails."""
    import doctor as module
    module.report()


@goal("build a chapter, verify it, measure or count it",
      "chapter file flags variant args on arch v")
def run(given: Given) -> Status:
    """Behind the report of a chapter stands the least time of each resource.

    Counts are of a chapter as it is, not of a tuned one.
    """
    program = start(given, with_tuned=True)
    words = given.program_words()
    if not program.chapter or "/tuned/" in program.path:
        execute(program.path, *words)
    sys.stdout.flush()
    with tempfile.NamedTemporaryFile() as records:
        status = subprocess.run(
            [program.path, *words],
            env={**os.environ, "CHAPTERS_RECORDS": records.name}).returncode
        if status == 0 and os.path.getsize(records.name):
            import limits as module
            module.of_run(program.chapter, records.name)
    return status if status >= 0 else 128 - status  # as a shell says it


@goal("the numbers of the lesson's Predict table, asked and checked",
      "chapter answers v")
def predict(given: Given) -> Status:
    """Always in the simulator."""
    import predict as module
    name = given.chapter()
    machine.need_simulator()
    program = f"build/simulator/{name}"
    given.make().build(program, module.BANKS)
    return module.ask_all(name, given["answers"], program)


@goal("the chapter in gdb (simulator) or cuda-gdb (GPU)",
      "chapter variant args on arch v")
def debug(given: Given) -> None:
    """Stop in each kernel.

    In the simulator every GPU thread is an ordinary function call, one after
    the other: a breakpoint in the kernel stops in each of them. threadIdx.x is
    a call of the runtime there; gdb gets it under the name threadIdx_x. On a
    GPU `cuda thread (3, 0, 0)` goes to another thread.
    """
    name = given.chapter()
    need_options(given, name)
    end = given.back_end("this chapter")
    program = f"build/{end}/{name}-debug"
    breaks = [word for kernel in course.kernels(course.sources(name))
              for word in ("-ex", f"break {kernel}")]
    command = [*breaks, "--args", program, *given.program_words()]
    if end == "gpu":
        debugger = machine.need_cuda_tool("debug on=gpu", "cuda-gdb")
        given.make().build(program)
        execute(debugger, "-q", *command)
    debugger = shutil.which("gdb") or \
        fail("debug: gdb is missing; make setup debug installs it")
    given.make().build(program)
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
def check(given: Given) -> Status:
    """Of one chapter or all."""
    import check as module
    if given["chapter"]:
        program = start(given)
        end, names = program.back_end, [program.chapter]
    else:
        end = given.back_end("the chapters")
        given.make().build(end)
        names = course.chapters()
    return module.check_all(end, names, given["variant"], given.words)


@goal("the change from the chapter before; or from=gemm_01 to=03",
      "chapter variant from to")
def diff(given: Given) -> None:
    """Comments and the own names of both are left out."""
    import diff as module
    module.show(given["chapter"], given["variant"], given["from"], given["to"])


@goal("counters per source line; on a GPU Nsight Compute",
      "chapter file flags variant args on arch v json")
def profile(given: Given) -> Status:
    """Of a chapter or file=."""
    import profile as module
    program = start(given)
    if program.back_end == "gpu":
        machine.need_cuda_tool("profile on=gpu", "ncu")
    return module.profile(program, given.program_words(), given["json"])


@goal("search for races and stray accesses",
      "chapter file flags variant args on arch v")
def sanitize(given: Given) -> Status:
    """Of a chapter or file=."""
    import sanitize as module
    program = start(given)
    if program.back_end == "gpu":
        machine.need_cuda_tool("sanitize on=gpu", "compute-sanitizer")
    return module.sanitize(program, given.words, given["variant"])


@goal("registers, shared memory, spills, the hot loop's instructions",
      "chapter variant arch v")
def asm(given: Given) -> None:
    """Needs nvcc, no GPU."""
    import asm as module
    name = given.chapter()
    need_options(given, name)
    machine.need_cuda_tool("asm", "nvcc")
    arch = machine.arch(given["arch"])
    note = "" if given["arch"] or machine.gpu().arch else \
        "; no GPU answers: arch=sm_90 asks for another"
    given.make().build(f"build/gpu/{name}.cubin")
    module.report(name, given["variant"], arch, note, given["v"] == "1")


@goal("the banks of a warp's access: stride=33 width=4 rows=32",
      "stride width rows access fragment args v")
def banks(given: Given) -> None:
    """Every variable but args and v goes to the program."""
    machine.need_simulator()
    program = "build/simulator/banks"
    given.make().build(program)
    options = [word for name in GOALS["banks"].takes[:-2] if given[name]
               for word in (f"--{name}", given[name])]
    execute(program, *options, *given.words)


@goal("the gemm chapters, sizes=\"256 512\"; chapter=: its variants",
      "chapter variant args sizes on arch v")
def compare(given: Given) -> Status:
    """All gemm chapters at some sizes; or the variants of one chapter."""
    import compare as module
    if given["chapter"]:
        program = start(given, with_tuned=True)
        return module.variants(program, given.program_words())
    if given.words or given["variant"]:
        fail("compare: args= is for chapter=; the ladder takes sizes=")
    sizes = given["sizes"]
    if not all(re.fullmatch("[1-9][0-9]*", size) for size in sizes.split()):
        fail(f"compare: sizes={sizes}: a size is a number, as in "
             'sizes="256 512"')
    end = given.back_end("the gemm chapters")
    programs = {name: tuned(name, end) for name in course.chapters("gemm")}
    given.make().build(*programs.values())
    usual = "1024 4096" if end == "gpu" else "256"
    return module.ladder(end, (sizes or usual).split(), programs)


@goal("the least time that each resource allows a chapter's kernels",
      "chapter")
def limits(given: Given) -> Status:
    """From the counts and the recorded times: needs no GPU."""
    import limits as module
    return module.of_chapter(given.chapter())


@goal("draw a lesson's pictures from a trace of its kernels",
      "chapter args v")
def picture(given: Given) -> Status:
    """args=--check compares instead."""
    need_check(given, "picture")
    machine.need_clang("picture")
    return author("picture", *given.words, *given.chapters())


@goal("time every chapter at every size here; goes on if stopped",
      "chapter results again on arch v")
def bench(given: Given) -> Status:
    """results=FOLDER writes elsewhere."""
    import bench as module
    return module.bench(*measured(given, "bench"))


def measured(given: Given, name: str) -> "tuple":
    """Build what bench and results measure; return what they must know.

    A folder for the results, chapters, what they are built for, whether all is
    to be measured again.
    """
    machine.need_gpu(name, given["on"])
    names = given.chapters()
    given.make().build(*([f"build/gpu/{one}" for one in names] or ["gpu"]))
    os.environ["CHAPTERS_COMMIT"] = machine.commit()
    return (given["results"] or "docs/results", names,
            machine.arch(given["arch"]), bool(given["again"]))


@goal("two files of bench or two commits: a=OLD b=NEW", "a b")
def compare_results(given: Given) -> Status:
    """Both are files of make bench, or commits."""
    import compare_results as module
    if not given["a"] or not given["b"]:
        fail("compare-results: a= and b= name a file of make bench or a commit")
    return module.compare(given["a"], given["b"])


@goal("the tile sizes of gemm_09 that are best on this GPU",
      "chapter args on arch v")
def autotune(given: Given) -> Status:
    """args=--list prints the sets to try, which needs no GPU."""
    name = course.find_chapter(given["chapter"] or "gemm_09_autotune")
    if "#ifndef BM" not in course.text_of(f"chapters/{name}/{name}.cu"):
        fail(f"autotune: {name} has no parameters that can be set from outside")
    import autotune as module
    if given.words == ["--list"]:
        return module.list_sets()
    print(f"{machine.need_gpu('autotune', given['on'])} tunes {name}",
          flush=True)
    return module.search(name, given.make(), given.words)


@goal("the site: build/docs/html/index.html")
def docs(_: Given) -> None:
    """Everything that goes wrong with it is a warning of Doxygen, and an error.
    """
    need_packages("docs")
    execute("docs/site/build", python=sys.executable)


@goal("everything that needs no GPU", "args fuzz")
def test(given: Given) -> None:
    """args= names groups."""
    need_packages("test")
    machine.need_simulator()
    execute(sys.executable, "-B", "tests/run", *given.words,
            fuzz=given["fuzz"])


@goal("remove what was built and nothing else")
def clean(_: Given) -> None:
    """The simulator's, too; also where build is a link."""
    if os.path.islink("build"):
        os.remove("build")
    for folder in ("build", "simulator/build"):
        shutil.rmtree(folder, ignore_errors=True)


# ---- exercises ---------------------------------------------------------------


def task_of(given: Given) -> "tuple":
    """Return the module of what a learner types, and the task that is meant."""
    import exercise as module
    if given["hunt"] and given["chapter"]:
        fail("hunt= or chapter=, not both")
    return module, module.tasks.find("hunt", given["hunt"]) if given["hunt"] \
        else module.tasks.find("chapter", given.chapter())


@goal("copy the skeleton to mine/; what to do, what it prints now",
      "chapter hunt v", group=1)
def exercise(given: Given) -> None:
    """Builds it, to show what it prints."""
    module, task = task_of(given)
    machine.need_simulator()
    module.exercise(task, given.make())


def with_task(name: str, text: str) -> None:
    """Enter a goal that only names a task; exercise.py has its function."""
    def run(given: Given) -> None:
        module, task = task_of(given)
        getattr(module, name)(task)
    goal(text, "chapter hunt v", name, group=1)(run)


with_task("hint", "the next of three hints")


def grader(given: Given, name: str) -> "tuple":
    """Say who grades: counters are the simulator's, speed is a GPU's.

    Return the module, whether a GPU is there, and how programs are built.
    """
    machine.need_clang(name)
    end, why = machine.back_end(given["on"])
    print(f"{why} times, the simulator verifies and counts" if end == "gpu"
          else f"{why} verifies and counts", flush=True)
    import grade as module
    course.forget_make()
    return module, end == "gpu", given.make()


@goal("correct? the counts? on a GPU: fast? a table with points",
      "chapter hunt submissions out on arch v", group=1)
def grade(given: Given) -> Status:
    """One exercise or hunt; with submissions= a folder of students."""
    if given["out"] and not given["submissions"]:
        fail("grade: out= is for submissions=")
    all_tasks = given["submissions"] and not given["chapter"] + given["hunt"]
    task = None if all_tasks else task_of(given)[1]
    module, *how = grader(given, "grade")
    if given["submissions"]:
        out = given["out"] or "build/grades"
        return module.grade_class(given["submissions"].rstrip("/"),
                                  out.rstrip("/"), task, *how)
    return module.grade_mine(task, *how)


with_task("solution", "for those who have passed, or ask twice")
with_task("reset", "begin anew; asks, and keeps what was there")


@goal("what is done, what is next, all exercises and hunts", group=1)
def progress(_: Given) -> None:
    """A table."""
    import exercise as module
    module.progress()


@goal("everything in mine/; grade submissions=DIR: a whole class",
      "on arch v", group=1)
def grade_all(given: Given) -> Status:
    """One after the other."""
    module, *how = grader(given, "grade-all")
    return module.grade_mine(None, *how)


# ---- for authors -------------------------------------------------------------


@goal("a chapter to begin with: chapter=gemm_13_mine from=gemm_10",
      "chapter from", group=2)
def new(given: Given) -> None:
    """Copy one under another name."""
    import new as module
    module.begin(given["chapter"], given["from"])


@goal("rungs with one idea taken out at a time, on this GPU",
      "args chapter on arch v", group=2)
def ablation(given: Given) -> Status:
    """Beside cuBLAS."""
    machine.need_gpu("ablation", given["on"])
    given.make().build("build/gpu/libcommon.a")
    os.environ["CHAPTERS_COMMIT"] = machine.commit()
    return author("ablation", *given.chapters(), *given.words)


@goal("bench, and Nsight Compute's counters: docs/results/",
      "chapter results again on arch v", group=2)
def results(given: Given) -> Status:
    """What only Nsight Compute can tell comes last."""
    import results as module
    known = measured(given, "results")
    if not given["chapter"]:
        given.make().build("build/gpu/tests/latency", "build/gpu/tests/l2")
    return module.measure(*known)


@goal("renew the code and the tables quoted in the lessons", "args", group=2)
def lessons(given: Given) -> Status:
    """What the lessons print comes from the simulator with its counters."""
    machine.need_clang("lessons")
    return author("lessons", *given.words)


@goal("draw docs/charts/", "args", group=2)
def charts(given: Given) -> Status:
    """From the records; args=--check compares instead."""
    need_check(given, "charts")
    return author("charts", *given.words)


@goal("test, and all mutants, a class, nvcc for three GPUs", "args fuzz",
      group=2)
def test_all(given: Given) -> None:
    """What takes longer; args= names groups."""
    given.words = ["--all", *given.words]
    test(given)


@goal("everything that needs a GPU", "args arch on", group=2)
def test_gpu(given: Given) -> None:
    """args= names parts."""
    machine.need_gpu("test-gpu", given["on"])
    execute(sys.executable, "-B", "tests/gpu/run", *given.words)


@goal("the simulator's tests on 64-bit Arm, emulated", "args arch on",
      group=2)
def test_aarch64(given: Given) -> None:
    """Needs qemu."""
    execute(shutil.which(os.environ.get("MAKE") or "make") or "make", "-C",
            "simulator", "test-aarch64", f"tests={' '.join(given.words)}")


@goal("how fast the simulator is on this machine (2 minutes)", group=2)
def bench_simulator(_: Given) -> Status:
    """Beside what it is meant to reach."""
    return author("bench_simulator")


@goal("", "arch v flags file", name="build")
def build_programs(given: Given) -> None:
    """Programs by their paths; gpu and simulator: all chapters."""
    words = given.words
    if any(word == "gpu" or word.startswith("build/gpu/") for word in words):
        machine.need_cuda_tool(" ".join(words), "nvcc")
    else:
        machine.need_simulator()
    given.make().build(*words)
