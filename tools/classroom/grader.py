"""Grade one file: build it, run it in a process of its own.

The trusted program build/simulator/grade/parents/NAME makes the inputs, hands
them to the learner's, verifies, counts and times; common/grade/ says how.
Programs that are started here have limits, and are gone when they should be.
"""

import glob
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from typing import Dict, Iterator, List, Optional, Set, Tuple

from tools import counts, course, metrics
from tools.classroom import remarks, skeletons, tasks
from tools.classroom.grade_report import (FINDINGS_FIRST, NOT_BUILT, PRINTED,
                                          Grade, Outcome)
from tools.machine import Make, cc, clang, compiler_said, nvcc
from tools.terminal import telling

BUILD_SECONDS = 120  # and
BUILD_MIB = 6144  # for the compiler
FINDINGS = 2  # of the simulator, in a message
WRONG_LINES = 3  # then no further one is tried
ENDLESS = "not done after"
RIGHT_BUT = "the result is right, but"
WRITES = ("global_store_requests", "global_atomic_requests", "bulk_store_bytes")
UNWRITTEN = "no kernel has written to global memory; does the host compute?"
LINES = re.compile(r"_(load|store|atomic)_|l1_")  # counters that profile has by line
SPEED = re.compile(r">= ([\d.]+) of chapter(?: (\w+))?")


class Stopped(Exception):
    """Ctrl-C: what is not done is not graded."""


class Failed(Exception):
    """It cannot be graded, and so fails all gates: why."""


# ---- programs ----------------------------------------------------------------

stopping = threading.Event()
running: Set[subprocess.Popen] = set()


def kill(process: subprocess.Popen) -> None:
    """End a process and those that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def limited(command: List[str], seconds: float, environment: Dict[str, str],
            mib: int = 0) -> Tuple[Optional[int], str, str]:
    """Run a command with limits. Return its status (None: too long), output.

    It is in a group of its own: Ctrl-C is this program's alone.
    """
    if stopping.is_set():
        raise Stopped
    if mib:
        command = ["sh", "-c", f'ulimit -v {mib * 1024}; exec "$@"', "sh", *command]
    status: Optional[int] = None
    with subprocess.Popen(
            command, env={**os.environ, **environment}, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace") as process:
        running.add(process)
        if stopping.is_set():  # it has begun meanwhile
            kill(process)
        try:
            output, errors = process.communicate(timeout=seconds)
            status = process.returncode
        except subprocess.TimeoutExpired:
            kill(process)
            output, errors = process.communicate()
        finally:
            kill(process)
            running.discard(process)
    if stopping.is_set():
        raise Stopped
    return status, output, errors


def stop_all() -> None:
    """Nothing new begins, what runs ends."""
    stopping.set()
    for process in list(running):
        kill(process)


def confined(folder: str) -> str:
    """Return what stands before a compiler: it reads its own file and headers."""
    tools = [sys.executable, cc(), nvcc(), *shlex.split(clang())[:1]]
    homes = {os.path.dirname(os.path.dirname(os.path.realpath(
        shutil.which(tool) or tool))) for tool in filter(None, tools)}
    paths = [folder, *sorted(homes), *map(
        os.path.abspath, ("simulator", "common", "chapters"))]
    return shlex.join(["build/simulator/grade/confined", *paths, "--"])


# ---- gates -------------------------------------------------------------------


def counted(text: str, run: Dict[str, float]) -> Tuple[bool, Optional[float]]:
    """Return whether `LEFT <= NUMBER` holds of the counters, and what LEFT is.

    A counter that the run has not got is 0; 0 / 0 is no number, and fails. Pages
    are as trusted as programs.
    """
    match = re.fullmatch(r"([^<=>]+) ([<>]=) ([\d.]+)", text)
    known = {**dict.fromkeys(metrics.METRICS, 0), **run}
    known["l1_cycles"] = known["global_load_cycles"] + metrics.total(
        run, "shared", "wavefronts")
    try:
        left = eval(match[1], {"__builtins__": {}}, known)
    except ZeroDivisionError:
        return False, None
    except (NameError, SyntaxError, TypeError):
        raise tasks.Unusable(f"{text}: no gate of counters") from None
    right = float(match[3])
    return left <= right if match[2] == "<=" else left >= right, left


def has_written(record: dict) -> bool:
    """Whether the run that was counted has stored anything."""
    return any(record["counts"].get(name) for name in WRITES)


def shown(path: str) -> str:
    """The last two parts of a path: mine/NAME.cu, STUDENT/NAME.cu."""
    return os.path.join(*path.split(os.sep)[-2:])


def failed_at(line: str, why: str, problems: List[str]) -> str:
    """Say which failed: a command line, or the small problem before it.

    problems are the sizes of all runs, "" the one asked for; what is wrong names its
    size where it is another, and what is right has been through all.
    """
    if not any(problems):
        return line
    small = f"{next(filter(None, problems))}, which each run begins with"
    wrong = re.search(r": wrong on .*", why)
    if wrong:
        return small if re.search(r", \w+=", wrong.group()) else line
    return f"{line}, or {small}" if why.startswith(RIGHT_BUT) else \
        small if problems[-1] else line


# ---- one file ----------------------------------------------------------------


class Grader:
    """Grades one file in a folder that is thrown away."""

    def __init__(self, task: tasks.Task, path: str, gpu: bool, folder: str,
                 make: Make = Make()) -> None:
        self.make, self.begin = make, time.monotonic()
        self.task, self.path, self.gpu, self.folder = task, path, gpu, folder
        self.endless = ""  # why no more is run
        self.findings = False  # of a run
        self.counted: Optional[dict] = None  # the record that a gate saw last
        self.source = os.path.join(folder, f"{task.name}.cu")
        self.records: Dict[str, Tuple[Optional[dict], str]] = {}
        self.at: Dict[str, str] = {}  # which size failed, by command line
        self.confined = ""
        self.remarks: List[str] = []

    def plain(self, text: str) -> str:
        """Messages name the learner's file, not our copy."""
        return text.replace(self.source, shown(self.path)).replace(self.folder, "")

    def take(self) -> None:
        """Copy the file, alone."""
        if os.path.islink(self.path) or not os.path.isfile(self.path):
            raise Failed(f"no work yet: there is no {shown(self.path)}")
        if os.path.getsize(self.path) > 1 << 20:
            raise Failed("more than 1 MiB is no source")
        shutil.copyfile(self.path, self.source)
        text = course.text_of(self.source)
        if "\0" in text:
            raise Failed("no source: what is in the file is no text")
        if not text.strip():
            raise Failed("no work yet: the file is empty")
        self.remarks = remarks.remarks(text, course.text_of(self.task.solution))
        if text.split() == skeletons.of(self.task).split():
            self.remarks.append("still the skeleton, as it was given")

    def build(self, back_end: str) -> None:
        """Compile, where nothing else can be read, and link."""
        name = f"{self.task.name}-{os.getpid()}-{threading.get_ident()}"
        program = f"build/{back_end}/grade/own/{name}"
        own = self.make._replace(file=self.source, v="", flags="")

        def make(target: str) -> None:
            command, settings = own.command([target])
            status, output, errors = limited(
                command, BUILD_SECONDS, {
                    **settings, "NO_COLOR": "1", "TMPDIR": self.folder,
                    "confined": confined(self.folder)},
                BUILD_MIB if back_end == "simulator" else 0)
            if status is None:
                raise Failed(f"compiling took more than {BUILD_SECONDS} s")
            if status:
                raise Failed("does not compile\n" + tasks.first_lines(
                    compiler_said(self.plain(errors + output))
                    or f"and nobody says why (status {status})"))

        try:
            with telling("compiling"):
                make(program)
            shutil.move(program, f"{self.folder}/child-{back_end}")
        finally:
            for path in glob.glob(f"{program}*"):
                os.remove(path)

    def run(self, back_end: str, args: List[str],
            **environment: str) -> Tuple[Optional[dict], str, str]:
        """Run the trusted program. Return record, output, what went wrong."""
        seconds = float(os.environ.get("GRADE_SECONDS", "40"))
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            own, reference, record = (os.path.join(folder, name) for name in (
                "own", "reference", "record"))
            os.mkdir(own)
            os.mkdir(reference)
            status, output, errors = limited(
                [f"build/{back_end}/grade/parents/{self.task.name}", *args,
                 "--json", record], 3 * seconds + 300, {
                     "GRADE_CHILD": f"{self.folder}/child-{back_end}",
                     "GRADE_FOLDER": own, "GRADE_REFERENCE_FOLDER": reference,
                     **environment})
            records = course.read_lines(record)
            said = ""
            if "child:" in errors:  # it has ended; what it printed may say why
                with open(f"{own}.output", errors="replace") as file:
                    said = tasks.first_lines(file.read(1 << 16))
        for confined in re.findall(r"^confined: (.*)$", output, re.M):
            self.confined = confined
        findings = [text.replace("; ", "\n    ")
                    for one in records for text in one["findings"]]
        self.findings |= bool(findings)
        if status == 0 and not findings and len(records) == 1 and \
                records[0]["verified"]:
            return records[0], output, ""
        errors = errors.replace("child: ", "the program ").replace(
            f"the program {ENDLESS}", ENDLESS)
        # A barrier that is missing is found by line, also if all is wrong.
        found = [] if said else findings[:FINDINGS]
        why = tasks.first_lines(errors) or (
            "too slow for GRADE_SECONDS" if status is None else
            RIGHT_BUT if found else f"status {status}")
        printed = [PRINTED + said] if said else []
        return None, output, self.plain("\n".join([why, *found, *printed]))

    def simulated(self, line: str, small: bool) -> Tuple[Optional[dict], str]:
        """Run a command line in the simulator, once."""
        if self.endless:
            return None, self.endless
        if line not in self.records:
            words = shlex.split(line) + ([] if small else ["--small", "0"])
            with telling(line):
                record, output, why = self.run("simulator", words)
            self.records[line] = record, why
            self.at[line] = failed_at(line, why, re.findall(
                "^problem(?:, )?(.*)$", output, re.M))
            if why.startswith(ENDLESS):
                self.endless = why
        return self.records[line]

    def size(self, lines: List[str], i: int) -> Tuple[Optional[dict], str]:
        """Run one of the command lines; the first begins with the small problem."""
        with telling(f"size {i + 1} of {len(lines)}: {lines[i]}"):
            return self.simulated(lines[i], i == 0)

    def correct(self, gate: tasks.Gate) -> Outcome:
        """All command lines, up to the third that fails.

        Where half of them are right, the share of those that the skeleton does not
        pass, too, is worth half of the points.
        """
        lines = self.task.args(gate)
        lines += own_sizes(lines, os.environ.get("GRADE_SEED", ""))
        right: Dict[str, dict] = {}
        wrong: Dict[str, str] = {}
        for i, line in enumerate(lines):
            record, why = self.size(lines, i)
            if record:
                right[line] = record
            elif len(wrong) < WRONG_LINES - 1:
                wrong[line] = why
            else:
                break
        if not wrong:  # a line may ask for nothing at all
            return Outcome(gate, "passed", tasks.number(len(lines), "command line")) \
                if any(map(has_written, right.values())) else \
                Outcome(gate, "failed", "all command lines", UNWRITTEN)
        line, why = next(iter(wrong.items()))
        note = self.at.get(line, line)
        if 2 * len(right) < len(lines):
            return Outcome(gate, "failed", note, why)
        easy = set(passed_by_skeleton(self.task, self.make))
        share = len(set(right) - easy) / max(1, len(set(lines) - easy)) / 2
        return Outcome(gate, "failed", f"{note}; right at {len(right)} of {len(lines)}",
                       why, share)

    def counts(self, gate: tasks.Gate) -> Outcome:
        """What is counted in one run, which must be right, too.

        A run with findings is not counted, and one of this size may have a
        hundred thousand: it is not made where a smaller one had some.
        """
        if self.findings:
            return Outcome(gate, "failed", FINDINGS_FIRST)
        record, why = self.simulated(gate.at, False)
        if not record:
            return Outcome(gate, "failed", "not counted: it failed", why)
        if not has_written(record):
            return Outcome(gate, "failed", "not counted", UNWRITTEN)
        self.counted = record
        text = gate.text
        holds, left = counted(text, record["counts"])
        note = counts.show(left)
        for other in self.task.gates:
            if holds and (other.points, other.at) == (0, gate.at):
                text = other.text
                holds, left = counted(text, record["counts"])
                note += "" if holds else f", and {text} is {counts.show(left)}"
        if holds:
            return Outcome(gate, "passed", note)
        return Outcome(gate, "failed", note, (
            f'make file={self.task.mine} profile args="{gate.at}"\n'
            "counts line by line;\n" if LINES.search(text) else "")
            + f"{self.task.page}, Gates, says where the bound comes from")

    def order(self, gate: tasks.Gate) -> Outcome:
        """In the order that the file names what was given is wrong, and this is right,
        as with the last first."""
        order = (skeletons.ORDER.findall(course.text_of(self.source)) or [""])[0]
        args = [*shlex.split(gate.at), "--small", "0"]
        if not re.fullmatch("(block|warp|lane):[0-9]+", order):
            return Outcome(gate, "failed", order or "no order", (
                "`// order: warp:3` names who goes first: one block, warp or lane"))
        with given(self.task, self.make) as skeleton:
            record, _, why = skeleton.run("simulator", args, SIM_ORDER=order)
        if record or why.startswith(RIGHT_BUT):
            return Outcome(gate, "failed", order, "what was given is right in that order, too")
        for each in order, "1":
            record, _, why = self.run("simulator", args, SIM_ORDER=each)
            if not record:
                return Outcome(gate, "failed", order, "that makes it wrong; yours still is, "
                               f"with SIM_ORDER={each}:\n{why}", .5)
        return Outcome(gate, "passed", order)

    def speed(self, gate: tasks.Gate, back_end: str = "gpu") -> Outcome:
        """The time beside that of the chapter, in turn."""
        if self.findings:
            return Outcome(gate, "failed", FINDINGS_FIRST)
        share, variant = SPEED.fullmatch(gate.text).groups()
        reference = f"build/{back_end}/grade/chapters/{self.task.chapter}"
        settings = {"GRADE_REFERENCE": os.path.abspath(reference)}
        if variant:
            settings["GRADE_VARIANT"] = variant
        record, output, why = self.run(
            back_end, [*shlex.split(gate.at), "--small", "0", "--repeats", "0"],
            **settings)
        times = re.search("^ms: yours (.*) chapter (.*)$", output, re.M)
        if not record or not times:
            return Outcome(gate, "failed", "no time", why)
        yours, theirs = map(float, times.groups())
        ratio = theirs / yours
        return Outcome(gate, "passed" if ratio >= float(share) else "failed",
                       f"{ratio:.2f}, {yours:.3g} ms beside {theirs:.3g} ms")

    def grade(self) -> Grade:
        """All gates. A file that cannot be built fails them."""
        why = ""
        try:
            self.take()
            self.build("simulator")
            if self.gpu and self.task.timed():
                self.build("gpu")
        except Failed as error:
            why = str(error)
        return self.judged(why)

    def judged(self, why: str = "") -> Grade:
        """All gates of what is built, or why it is not; no run is made twice."""
        outcomes = [
            Outcome(gate, "skipped", "not asked: no GPU")
            if gate.layer == "speed" and not self.gpu else
            Outcome(gate, "failed", NOT_BUILT, why) if why else
            getattr(self, gate.layer)(gate) for gate in self.task.gates]
        if any(x.gate.layer == "correct" and x.state == "failed" for x in outcomes):
            outcomes = [x._replace(share=.5) if x.state == "passed" else x
                        for x in outcomes]
        return Grade(self.task, shown(self.path), outcomes, self.confined,
                     time.monotonic() - self.begin, self.counted, self.remarks)


def own_sizes(lines: List[str], seed: str) -> List[str]:
    """Return two of the lines with sizes a little larger, drawn by seed=NAME."""
    dice = random.Random(seed)
    return [re.sub(r"(--(?:[MNKn]|n[xyz]|width|height|rows|cols)) (\d+)",
                   lambda size: f"{size[1]} {int(size[2]) + dice.randint(1, 5)}", line)
            for line in dice.sample(lines, 2 if seed else 0)]


@contextmanager
def given(task: tasks.Task, make: Make) -> Iterator[Grader]:
    """Build the skeleton as it is."""
    with tempfile.TemporaryDirectory(prefix="grade-") as folder:
        grader = Grader(task, f"{folder}/{task.name}.cu", False, folder, make)
        course.write(grader.source, skeletons.of(task))
        grader.build("simulator")
        yield grader


def passed_by_skeleton(task: tasks.Task, make: Make) -> List[str]:
    """Return the command lines that the skeleton passes as it is; build/ keeps them."""
    kept = f"build/{task.name}/skeleton.json"
    gate = next(gate for gate in task.gates if gate.layer == "correct")
    lines = task.args(gate)
    version = [lines, *map(tasks.contents, (task.page, task.solution))]
    with suppress(ValueError):
        known = json.loads(course.text_of(kept) or "{}")
        if known.get("version") == version:
            return known["passed"]
    with given(task, make) as grader:
        passed = [line for i, line in enumerate(lines) if grader.size(lines, i)[0]]
    course.write(kept, tasks.as_json({"version": version, "passed": passed}))
    return passed


def build_trusted(wanted: List[tasks.Task], gpu: bool, make: Make = Make()) -> bool:
    """Build what all grades need, before anybody's file is."""
    targets = set()
    for end in ["simulator"] + ["gpu"] * gpu:
        own = f"build/{end}/grade"
        targets |= {f"{own}/child.o", f"{own}/confined"}
        for task in wanted:
            if end == "simulator" or task.timed():
                targets.add(f"{own}/parents/{task.name}")
            if end == "gpu" and task.timed():
                targets.add(f"{own}/chapters/{task.chapter}")
    return make.made(*sorted(targets))


def grade_file(task: tasks.Task, path: str, gpu: bool, make: Make = Make()) -> Grade:
    """Grade one file."""
    with tempfile.TemporaryDirectory(prefix="grade-") as folder:
        return Grader(task, path, gpu, folder, make).grade()
