"""Every goal of make: one entry each, in the order of `make help`.

A goal is a function that gets what was typed. Its docstring begins with its
line in `make help`, the decorator has the variables that mean something to it.
What is long has a module of its own, which is read when the goal is typed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from tools import course, machine
from tools.machine import fail

Status = Optional[int]  # of the process; None: 0


class Given(Dict[str, str]):
    """What was typed as NAME=VALUE, nothing for other names; args= as words."""

    words: List[str] = []

    def __missing__(self, name: str) -> str:
        return ""

    def chapter(self, *more: str) -> str:
        """Return the chapter, or one of more, that chapter= means."""
        return course.find_chapter(self["chapter"], "chapter", *more)

    def chapters(self) -> List[str]:
        """Return it, or none where chapter= was not typed."""
        return [self.chapter()] if self["chapter"] else []

    def back_end(self, what: str) -> str:
        """Say what runs something, and why; return gpu or simulator."""
        end, why = machine.back_end(self["on"])
        if end == "simulator":
            machine.need_simulator()
        print(f"{why} runs {what}", flush=True)
        return end

    def make(self) -> machine.Make:
        """Return how programs are built."""
        return machine.Make(self["arch"], self["v"], self["file"], self["flags"])

    def program_words(self) -> List[str]:
        """Return the words for a chapter's program, variant= in front."""
        variant = self["variant"]
        return ["--variant", variant] * bool(variant) + self.words


class Goal(NamedTuple):
    """What `make NAME` does."""

    name: str
    takes: List[str]  # variables
    group: Optional[int]  # in make help; None: it is not shown there
    run: Callable[[Given], Status]


GOALS: Dict[str, Goal] = {}
GROUPS = ["For readers",
          "Exercises: chapter=X, or hunt=NAME, where a bug is to be found",
          "For authors"]


def goal(takes: str = "", name: str = "", group: Optional[int] = 0) -> Callable:
    """Enter a function into GOALS under its own name."""
    def enter(run: Callable) -> Callable:
        called = name or run.__name__.replace("_", "-")
        GOALS[called] = Goal(called, takes.split(), group, run)
        return run
    return enter


def execute(program: str, *words: str, **settings: str) -> None:
    """Become another program; ends."""
    sys.stdout.flush()
    os.execve(program, [program, *words], {**os.environ, **settings})


# ---- a chapter, or a program of one's own ------------------------------------


def chapter_with_options(given: Given) -> str:
    """Return the chapter; end if it takes no variant= or args= and has one."""
    name, variant = given.chapter(), given["variant"]
    known = course.variants(name)
    if variant and variant not in known:
        fail(f"variant={variant} fits none{course.meant(variant, known)}; {name} has "
             + (" ".join(known) or "no variants"))
    if any(given.words) and course.bare(name):
        fail(f"{name} takes no args=: its program has no options")
    return name


def tuned(name: str, end: str) -> str:
    """Return the chapter, with the parameters that make autotune has found."""
    has_header = end == "gpu" and os.path.exists(f"build/gpu/{name}.h")
    return f"build/{end}/{'tuned/' * has_header}{name}"


def need_debugger(end: str) -> str:
    """Return the debugger, or end without it."""
    return machine.need_cuda_tool("debug on=gpu", "cuda-gdb") if end == "gpu" else \
        shutil.which("gdb") or fail("debug: gdb is missing; make setup debug installs it")


def start(given: Given, with_tuned: bool = False, kind: str = "",
          needs: str = "") -> course.Program:
    """Find the chapter or file=, say what runs it and why, build it.

    kind -debug is for a debugger; needs: the goal, if it needs counters.
    """
    source = given["file"]
    if source and given["chapter"]:
        fail("file= or chapter=, not both")
    if os.path.isdir(source):
        fail(f"{source}: a folder, not a source")
    if source and not os.path.exists(source):
        fail(f"file={source}: no such file")
    name = "" if source else chapter_with_options(given)
    end = given.back_end(source or "this chapter")
    ptx = any('#include "ptx.cuh"' in course.text_of(path)
              for path in course.sources(name) if name)
    if end == "simulator" and (needs or ptx):
        machine.need_clang(needs or f"{name}: its inline PTX")
    make = given.make()
    if kind:
        need_debugger(end)
    if source:
        stem = os.path.splitext(os.path.basename(source))[0]
        path = f"build/{end}/own/" + re.sub(r"[^A-Za-z0-9]", "_", stem) + kind
    elif given["flags"]:  # the chapter, but not its program
        path = f"build/{end}/own/{name}{kind}"
        make = make._replace(
            file=f"chapters/{name}/{name}.cu",
            flags=f"--default-stream per-thread {given['flags']}")
    else:
        path = tuned(name, end) if with_tuned else f"build/{end}/{name}{kind}"
        if given["v"] == "1":  # what builds it without make
            sources = f"-I common chapters/{name}/{name}.cu common/*.c"
            code = " ".join(machine.code_for(
                f"chapters/{name}/{name}.cu", machine.arch(given["arch"])))
            print("on its own: simulator/simcc --default-stream per-thread "
                  f"{sources} common/sim/*.c -o {name}\n"
                  f"on a GPU:   nvcc -O3 {code} "
                  f"--default-stream per-thread {sources} common/gpu/*.c* "
                  f"-lcublas -lcublasLt -o {name}", flush=True)
        if "/tuned/" in path:
            header = course.text_of(f"build/gpu/{name}.h")
            print("\n".join(re.findall("^// (.*)", header, re.M)), flush=True)
    make.build(path)
    os.environ["CHAPTERS_COMMIT"] = machine.commit()
    return course.Program(path, end, name, source)


def brief(name: str) -> str:
    """Return what a chapter's program says that it is."""
    return "".join(re.findall(r"^ \* @brief (.*)", course.text_of(
        f"chapters/{name}/{name}.cu"), re.M)[:1])


# ---- for readers -------------------------------------------------------------


@goal("chapter on args", name="help")
def print_help(given: Given) -> None:
    """This text."""
    if given["chapter"]:
        name = given.chapter()
        print(f"{name}: {brief(name)}\nIts lesson is chapters/{name}/README.md; type\n"
              f"make chapter={course.short(name)} with one of predict run diff profile "
              "check exercise\nwatch grade; make help says what they do")
        return
    print("""\
On a fresh machine:
  make setup chapter=vector_add run  the first program, built and run
  make setup test                    all tests that need no GPU

Then: make [chapter=X] GOAL""")
    for number, group in enumerate(GROUPS):
        print(f"\n{group}")
        for entry in GOALS.values():
            if entry.group == number:
                text = entry.run.__doc__.split("\n")[0].rstrip(".")
                print(f"  {entry.name:<16} {text[0].lower()}{text[1:]}")
    print("""
  chapter=gemm_02          a chapter, or any beginning that fits only one: 02
  variant=NAME             one variant of a chapter that has several
  file=path/to/my.cu       your own: run, profile, sanitize, debug, why, trace
  on=simulator             or on=gpu; otherwise a GPU when one answers
  args="--M 500 --K 300"   goes to the program; args=--help lists them
  arch=sm_90               build for this GPU; otherwise for the one here
  flags="-I include"       goes to the compiler of file=, or of a chapter
  answers=FILE             predict reads an answer from each of its lines
  v=1                      show the command lines; profile: all counters""")


@goal(name="list")
def list_chapters(_: Given) -> None:
    """The chapters, one line each."""
    for name in course.chapters():
        print(textwrap.fill(brief(name), 80, initial_indent=f"{name:<25}",
                            subsequent_indent=" " * 25) or name)


@goal("chapter")
def setup(_: Given) -> None:
    """Install what is missing for the other goals typed."""
    # The Makefile calls setup.sh, which brings Python if need be.


def lacking(name: str) -> str:
    """Return what setup.sh would install for a goal, as far as this Python sees."""
    return machine.answer("sh", "tools/setup.sh", "--missing", name,
                          python=sys.executable).strip()


def need_packages(name: str) -> None:
    """End if a goal lacks packages, before anything imports them."""
    missing = lacking(name)
    if missing:
        fail(f"{name}: missing: {missing}; make setup {name} installs it")


@goal("chapter")
def doctor(given: Given) -> None:
    """What this machine lacks; chapter=X: what a chapter does."""
    from tools import doctor
    doctor.report_chapter(given.chapter()) if given["chapter"] else doctor.report()


@goal("chapter file flags variant args on arch v")
def run(given: Given) -> Status:
    """Build a chapter, verify it, measure or count it."""
    from tools import limits
    program = start(given, with_tuned=True)
    words = given.program_words()
    # Counts are of a chapter as it is, not of a tuned one.
    if not program.chapter or "/tuned/" in program.path:
        execute(program.path, *words)
    sys.stdout.flush()
    with tempfile.NamedTemporaryFile() as records:
        status = subprocess.run(
            [program.path, *words],
            env={**os.environ, "CHAPTERS_RECORDS": records.name}).returncode
        if status == 0 and os.path.getsize(records.name):
            limits.of_run(program.chapter, records.name)
    return status if status >= 0 else 128 - status  # as a shell says it


@goal("chapter answers v")
def predict(given: Given) -> None:
    """The numbers of the lesson's Predict table, asked and checked."""
    from tools import predict
    name = given.chapter()
    questions = predict.read(name) or fail(f"predict: {name} has no questions")
    machine.need_clang("predict")
    program = f"build/simulator/{name}"
    given.make().build(program, *[predict.BANKS] * any(
        one.args.startswith("banks ") for one in questions))
    predict.ask_all(name, given["answers"], program, questions)


@goal("chapter file flags variant args on arch v")
def debug(given: Given) -> None:
    """The chapter in gdb (simulator) or cuda-gdb (GPU).

    It stops in each kernel, in the simulator for each thread. There threadIdx.x
    is a call of the runtime; gdb gets it under the name threadIdx_x.
    """
    program = start(given, kind="-debug")
    debugger = need_debugger(program.back_end)
    breaks = [word for kernel in program.kernels()
              for word in ("-ex", f"break {kernel}")]
    command = [*breaks, "--args", program.path, *given.program_words()]
    if program.back_end == "gpu":
        execute(debugger, "-q", *command)
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


@goal("chapter variant args on arch v")
def check(given: Given) -> Status:
    """Every size and every count of the chapter's file checks."""
    from tools import check
    if given["chapter"]:
        program = start(given, needs="check")
        end, names = program.back_end, [program.chapter]
    else:
        end = given.back_end("the chapters")
        if end == "simulator":
            machine.need_clang("check")
        given.make().build(end)
        names = course.chapters()
    return check.check_all(end, names, given["variant"], given.words)


@goal("chapter variant from to")
def diff(given: Given) -> None:
    """The change from the chapter before; or from=gemm_01 to=03."""
    from tools import diff
    diff.show(given["chapter"], given["variant"], given["from"], given["to"])


@goal("chapter file flags variant args on arch v json")
def profile(given: Given) -> Status:
    """Counters per source line; on a GPU Nsight Compute."""
    from tools import profile
    program = start(given, needs="profile")
    if program.back_end == "gpu":
        machine.need_cuda_tool("profile on=gpu", "ncu")
    return profile.profile(program, given.program_words(), given["json"],
                           given["v"] == "1")


@goal("chapter file flags variant args on arch v")
def sanitize(given: Given) -> Status:
    """Search for races and stray accesses."""
    from tools import sanitize
    program = start(given, needs="sanitize")
    if program.back_end == "gpu":
        machine.need_cuda_tool("sanitize on=gpu", "compute-sanitizer")
    return sanitize.sanitize(program, given.words, given["variant"])


@goal("chapter file flags variant args v at")
def why(given: Given) -> Status:
    """Who wrote a wrong word, of what: at='C[3][5]'."""
    from tools import why
    given["on"] = "simulator"
    program = start(given, needs="why")
    return why.why(program, given.program_words(), given["at"])


@goal("chapter file flags variant args v kernel warp line")
def trace(given: Given) -> Status:
    """A page that plays the requests of a launch, lane by lane."""
    from tools import trace
    given["on"] = "simulator"
    program = start(given, needs="trace")
    return trace.trace(program, given.program_words(), given["kernel"], given["warp"],
                       given["line"])


@goal("chapter variant arch v")
def asm(given: Given) -> None:
    """Registers, shared memory, spills, the hot loop's instructions."""
    from tools import asm
    name = chapter_with_options(given)
    machine.need_cuda_tool("asm", "nvcc")
    arch = machine.arch(given["arch"])
    note = "" if given["arch"] or machine.gpu().arch else \
        "; no GPU answers: arch=sm_90 asks for another"
    given.make().build(f"build/gpu/{name}.cubin")
    asm.report(name, given["variant"], arch, note, given["v"] == "1")


@goal("stride width rows access fragment args v")
def banks(given: Given) -> None:
    """The banks of a warp's access: stride=33 width=4 rows=32."""
    machine.need_simulator()
    program = "build/simulator/banks"
    given.make().build(program)
    options = [word for name in GOALS["banks"].takes[:-2] if given[name]
               for word in (f"--{name}", given[name])]
    execute(program, *options, *given.words)


@goal("chapter variant args sizes on arch v")
def compare(given: Given) -> Status:
    """The gemm ladder, tensor's or attention's; or variants."""
    from tools import compare
    group = given["chapter"] or "gemm"
    if group not in course.LADDERS:
        program = start(given, with_tuned=True)
        return compare.variants(program, given.program_words())
    if given.words or given["variant"]:
        fail("compare: args= is for chapter=; the ladder takes sizes=")
    sizes = given["sizes"]
    if not all(re.fullmatch("[1-9][0-9]*", size) for size in sizes.split()):
        fail(f"compare: sizes={sizes}: a size is a number, as in "
             'sizes="256 512"')
    end = given.back_end(f"the {group} chapters")
    programs = {name: tuned(name, end) for name in course.chapters(group)}
    given.make().build(*programs.values())
    usual = "1024 4096" if end == "gpu" else "256"
    return compare.ladder(group, end, (sizes or usual).split(), programs)


@goal("chapter")
def limits(given: Given) -> Status:
    """The least time that each resource allows a chapter's kernels."""
    from tools import limits
    return limits.of_chapter(given.chapter())


@goal("chapter args v")
def picture(given: Given) -> Status:
    """Draw lessons' pictures from traces of their kernels; charts."""
    if given.words not in ([], ["--check"]):
        fail("picture: args= is --check, which compares, or nothing")
    machine.need_clang("picture")
    from tools.author import picture
    return picture.main([*given.words, *(
        f"chapters/{name}/pictures" for name in given.chapters())])


@goal("chapter ncu results again on arch v")
def bench(given: Given) -> Status:
    """Time every chapter here, or go on; ncu=yes: counters, too.

    With on=simulator: how fast the simulator is on this machine.
    """
    from tools import bench
    from tools.author import results
    if given["on"] == "simulator":
        bench_simulator(given)
    machine.need_gpu("bench", given["on"])
    names = given.chapters()
    given.make().build(*([f"build/gpu/{name}" for name in names] or ["gpu"]))
    os.environ["CHAPTERS_COMMIT"] = machine.commit()
    known = (given["results"] or "docs/results", names,
             machine.arch(given["arch"]), bool(given["again"]))
    if not given["ncu"]:
        return bench.bench(*known)
    if not names:
        given.make().build("build/gpu/tests/latency", "build/gpu/tests/l2")
    return results.measure(*known)


def bench_simulator(given: Given) -> None:
    """Time the simulator, about 2 minutes; ends."""
    machine.need_simulator()
    programs = [f"build/simulator/{name}"
                for name in given.chapters() or course.chapters()]
    given.make().build(*programs)
    course.forget_make()
    # Each at its default size; and what make adds where nothing is built.
    execute(sys.executable, "-B", "simulator/tests/bench/run", *programs,
            "build/simulator/gemm_01_naive --M 8 --N 8 --K 8",
            "make chapter=gemm_01 run on=simulator args='--M 8 --N 8 --K 8'")


@goal("a b")
def compare_results(given: Given) -> Status:
    """Two files of bench or two commits: a=OLD b=NEW."""
    from tools import compare_results
    if not given["a"] or not given["b"]:
        fail("compare-results: a= and b= name a file of make bench or a commit")
    return compare_results.compare(given["a"], given["b"])


@goal("chapter args on arch v")
def autotune(given: Given) -> Status:
    """The tile sizes of gemm_09 that are best on this GPU."""
    from tools import autotune
    name = course.find_chapter(given["chapter"] or "gemm_09_autotune")
    if "#ifndef BM" not in course.text_of(f"chapters/{name}/{name}.cu"):
        fail(f"autotune: {name} has no parameters that can be set from outside")
    if given.words == ["--list"]:  # the sets to try: needs no GPU
        return autotune.list_sets()
    print(f"{machine.need_gpu('autotune', given['on'])} tunes {name}", flush=True)
    return autotune.search(name, given.make(), given.words)


@goal()
def docs(_: Given) -> Status:
    """The site: build/docs/html/index.html."""
    need_packages("docs")
    from tools.site import build
    return build.main()


def run_suites(given: Given, **settings: str) -> None:
    """Run the suites of tests/suites.mk that args= names; ends.

    Four on two cores: suites wait now and then, for files and for time.
    """
    course.forget_make()
    settings.update(words=" ".join(given.words), fuzz=given["fuzz"],
                    python=sys.executable)
    execute(shutil.which(os.environ.get("MAKE") or "make") or "make", "-sj4",
            "--no-print-directory", "-f", "tests/suites.mk", **settings)


@goal("args fuzz")
def test(given: Given) -> None:
    """Everything that needs no GPU."""
    need_packages("test")
    machine.need_simulator()
    run_suites(given)


@goal()
def clean(_: Given) -> None:
    """Remove what was built and nothing else."""
    if os.path.islink("build"):  # rmtree leaves links alone
        os.remove("build")
    for folder in ("build", "simulator/build"):
        shutil.rmtree(folder, ignore_errors=True)


# ---- exercises ---------------------------------------------------------------


def task_of(given: Given) -> tuple:
    """Return the exercise or the hunt that is meant."""
    from tools.classroom import tasks
    if given["hunt"] and given["chapter"]:
        fail("hunt= or chapter=, not both")
    last = None if given["hunt"] or given["chapter"] else tasks.last()
    if last:
        print(f"{last.words}, the last that you worked on", flush=True)
        return last
    return tasks.find("hunt" if given["hunt"] else "chapter",
                      given["hunt"] or given.chapter(*tasks.own_names()))


@goal("chapter hunt v", group=1)
def exercise(given: Given) -> None:
    """Copy the skeleton to mine/; what to do, what it prints now."""
    from tools.classroom import exercise
    task = task_of(given)
    machine.need_simulator()
    exercise.exercise(task, given.make())


def with_task(name: str, text: str) -> None:
    """Enter a goal that only names a task; exercise.py has its function."""
    def run(given: Given) -> None:
        from tools.classroom import exercise
        getattr(exercise, name)(task_of(given))
    run.__doc__ = text
    goal("chapter hunt v", name, group=1)(run)

with_task("hint", "the next of three hints")


def grader(given: Given, name: str) -> Tuple[bool, machine.Make]:
    """Say who grades: counters are the simulator's, speed is a GPU's.

    Return whether a GPU is there, and how programs are built.
    """
    machine.need_clang(name)
    end, why = machine.back_end(given["on"])
    print(f"{why} times, the simulator verifies and counts" if end == "gpu"
          else f"{why} verifies and counts", flush=True)
    course.forget_make()
    return end == "gpu", given.make()


@goal("chapter hunt submissions out expect seed on arch v", group=1)
def grade(given: Given) -> Status:
    """Correct? the counts? fast? points; alone: everything in mine/."""
    from tools.classroom import class_grade, grade
    for name in ("out", "expect"):
        if given[name] and not given["submissions"]:
            fail(f"grade: {name}= is for submissions=")
    task = task_of(given) if given["chapter"] + given["hunt"] else None
    if task and given["expect"]:
        fail("grade: expect= or one exercise, not both")
    how = grader(given, "grade")
    os.environ["GRADE_SEED"] = given["seed"]
    if not given["submissions"]:
        return grade.grade_mine(task, *how)
    return class_grade.grade_class(given, task, *how)


@goal("chapter submissions", group=1)
def predictions(given: Given) -> None:
    """What a class predicted wrong, by question: submissions=DIR."""
    from tools.classroom import predictions
    if not os.path.isdir(given["submissions"]):
        fail(f"predictions: submissions={given['submissions']}: no such folder")
    print("\n".join(predictions.lines(given["submissions"], *given.chapters())
                    or ["no prediction is wrong, or none was handed in"]))


@goal("chapter hunt v", group=1)
def watch(given: Given) -> None:
    """Grade at every save, up to the first thing that fails."""
    from tools.classroom import watch
    task = task_of(given)
    machine.need_clang("watch")
    course.forget_make()
    watch.watch(task, given.make())

with_task("solution", "for those who have passed, or ask twice")
with_task("reset", "begin anew; asks, and keeps what was there")


@goal(group=1)
def progress(_: Given) -> None:
    """What is done, what is next, all exercises and hunts."""
    from tools.classroom import exercise
    exercise.progress()


# ---- for authors -------------------------------------------------------------


@goal("chapter from", group=2)
def new(given: Given) -> None:
    """A chapter to begin with: chapter=gemm_13_mine from=gemm_10."""
    from tools.author import new
    new.begin(given["chapter"], given["from"])


@goal("args chapter on arch v", group=2)
def ablation(given: Given) -> None:
    """Rungs with one idea taken out at a time, on this GPU."""
    from tools.author import ablation
    names = given.chapters() or ablation.tried()
    if names[0] not in ablation.tried():
        fail(f"ablation: {names[0]} has no variants; there are those of "
             + " ".join(ablation.tried()))
    machine.need_gpu("ablation", given["on"])
    given.make().build("build/gpu/libcommon.a")
    os.environ["CHAPTERS_COMMIT"] = machine.commit()
    ablation.try_all(names, given.words)


@goal("args", group=2)
def lessons(given: Given) -> Status:
    """Renew the code and the tables quoted in the lessons."""
    machine.need_clang("lessons")  # for what they quote of runs
    from tools.author import lessons
    return lessons.main(given.words)


@goal(group=2)
def release(_: Given) -> Status:
    """What a release has, in build/release."""
    from tools.author import release
    course.forget_make()
    return release.main()


@goal("args fuzz", group=2)
def test_all(given: Given) -> None:
    """Test, and all mutants, a class, nvcc for three GPUs."""
    need_packages("test")
    machine.need_simulator()
    run_suites(given, all="--all")


@goal("args arch on", group=2)
def test_gpu(given: Given) -> None:
    """Everything that needs a GPU."""
    machine.need_gpu("test-gpu", given["on"])
    execute(sys.executable, "-B", "-m", "tests.gpu", *given.words)


@goal("arch v flags file", name="build/", group=None)
def build_programs(given: Given) -> None:
    """Programs by their paths, as build/simulator/gemm_01_naive."""
    words = given.words
    if words[0].startswith("build/gpu/"):
        machine.need_cuda_tool(words[0], "nvcc")
    else:
        machine.need_simulator()
    given.make().build(*words)
