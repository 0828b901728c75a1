#!/usr/bin/env python3
"""Grade exercises and bug hunts: one, all in mine/, or those of a class.

Usage: grade.py gpu|simulator one chapter|hunt NAME     (make chapter=X grade)
       grade.py gpu|simulator all                       (make grade-all)
       grade.py gpu|simulator class FOLDER OUT [chapter|hunt NAME]
                                         (make grade submissions=FOLDER out=OUT)

Three layers, each with points, as the page of the exercise says:

correct     every command line of the gate ends verified, without a finding
structural  what the simulator counts: the same on every machine
speed       on a GPU: beside the chapter and its library, in turn. Without a
            GPU not asked, and its points are not in the total.

The learner's file is screened (screen.py), built, and run in a process of its
own that another one feeds and verifies: common/grade/ says how. What that
process prints or returns is not believed. GRADE_SECONDS (40, of
processor time) and GRADE_MIB (4096) limit each run.

build/NAME/grade.json is Gradescope's results.json, build/NAME/grade.xml JUnit.
Both are always written. A file that has passed is not built again.

FOLDER has a folder for each student, with files named as in mine/. OUT gets
grades.csv and, for each file, STUDENT/NAME.json, .xml and .txt: what the student
is told. What is done there stays; the same command goes on after Ctrl-C.

Exit status: 0 all passed, 4 below a gate, 2 unusable arguments.
"""

import ast
import csv
import json
import math
import operator
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Dict, List, NamedTuple, Optional, Tuple
from xml.sax.saxutils import escape, quoteattr

import course
import metrics
import screen
import tasks

BELOW = 4  # the status below a gate
BUILD_SECONDS = 120  # and
BUILD_MIB = 6144  # for the compiler
SHOWN = 8  # lines of a message
COMPARE = {ast.LtE: operator.le, ast.GtE: operator.ge, ast.Lt: operator.lt,
           ast.Gt: operator.gt, ast.Eq: operator.eq}
ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub,
              ast.Mult: operator.mul, ast.Div: operator.truediv}
ENDLESS = "not done after"
WRITES = ("global_store_requests", "global_atomic_requests")
SPEED = re.compile(r">= ([\d.]+) of (chapter|library)(?: (\w+))?")


class Outcome(NamedTuple):
    """What came of one gate."""

    gate: tasks.Gate
    state: str  # passed, failed, skipped
    note: str  # what was counted
    message: str = ""  # why it failed, a few lines


class Grade(NamedTuple):
    """All of one file."""

    task: tasks.Task
    path: str
    outcomes: List[Outcome]
    confined: str
    seconds: float

    def points(self) -> float:
        return sum(x.gate.points for x in self.outcomes if x.state == "passed")

    def most(self) -> float:
        return sum(x.gate.points for x in self.outcomes if x.state != "skipped")

    def count(self, state: str) -> int:
        return sum(x.state == state for x in self.outcomes)

    def passed(self) -> bool:
        return self.count("failed") == 0 and self.count("passed") > 0


class Stopped(Exception):
    """Ctrl-C: what is not done is not graded."""


class Failed(Exception):
    """It cannot be graded, and so fails all gates: why."""


# ---- programs ----------------------------------------------------------------

stopping = threading.Event()
running: "set[subprocess.Popen]" = set()


def kill(process: subprocess.Popen) -> None:
    """End a process and those that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def limited(command: List[str], seconds: float, environment: Dict[str, str],
            mib: int = 0) -> Tuple[Optional[int], str, str]:
    """Run a command with limits. Return its status (None: too long), output.

    It is in a group of its own: Ctrl-C is this program's alone.
    """
    if stopping.is_set():
        raise Stopped
    if mib:
        command = ["sh", "-c", f'ulimit -v {mib * 1024}; exec "$@"', "sh",
                   *command]
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace")
    running.add(process)
    try:
        output, errors = process.communicate(timeout=seconds)
        status: Optional[int] = process.returncode
    except subprocess.TimeoutExpired:
        kill(process)
        output, errors = process.communicate()
        status = None
    finally:
        running.discard(process)
        kill(process)
    if stopping.is_set():
        raise Stopped
    return status, output, errors


def first_lines(text: str, number: int = SHOWN) -> str:
    """Return the first lines of a message."""
    lines = [line.rstrip()[:200] for line in text.splitlines() if line.strip()]
    more = len(lines) - number
    return "\n".join(lines[:number] + ([f"... {more} lines more"]
                                       if more > 0 else []))


# ---- gates -------------------------------------------------------------------


def counted(text: str, counts: Dict[str, float]) -> Tuple[bool, float]:
    """Return whether `LEFT <= RIGHT` holds of the counters, and what LEFT is.

    A counter that the run has not got is 0; 0 / 0 is no number, and fails.
    """
    def value(node: ast.AST) -> float:
        if isinstance(node, ast.Constant) and \
                isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name) and (
                node.id in metrics.METRICS or node.id in counts):
            return counts.get(node.id, 0)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            left, right = value(node.left), value(node.right)
            if right == 0 and isinstance(node.op, ast.Div):
                return math.nan
            return ARITHMETIC[type(node.op)](left, right)
        raise tasks.Unusable(f"{text}: no gate of counters")

    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise tasks.Unusable(f"{text}: no gate of counters") from None
    if not (isinstance(tree, ast.Compare) and len(tree.ops) == 1
            and type(tree.ops[0]) in COMPARE):
        raise tasks.Unusable(f"{text}: no comparison")
    left, right = value(tree.left), value(tree.comparators[0])
    return COMPARE[type(tree.ops[0])](left, right), left


def show(number: float) -> str:
    """1,048,576 or 16.5."""
    if math.isnan(number):
        return "no number"
    return f"{int(number):,}" if number == int(number) else f"{number:,.4g}"


def shown(path: str) -> str:
    """The last two parts of a path: mine/NAME.cu, STUDENT/NAME.cu."""
    return os.path.join(*path.split(os.sep)[-2:])


# ---- one file ----------------------------------------------------------------


class Grader:
    """Grades one file in a folder that is thrown away."""

    def __init__(self, task: tasks.Task, path: str, gpu: bool, folder: str,
                 screened: bool) -> None:
        self.task, self.path, self.gpu, self.folder = task, path, gpu, folder
        self.screened = screened  # False: a test of what holds without
        self.endless = ""  # why no more is run
        self.source = os.path.join(folder, f"{task.name}.cu")
        self.records: Dict[str, Tuple[Optional[dict], str]] = {}
        self.confined = ""
        self.seconds = float(os.environ.get("GRADE_SECONDS", "40"))

    # -- build

    def plain(self, text: str) -> str:
        """Messages name the learner's file, not our copy."""
        return text.replace(self.source, shown(self.path)).replace(
            self.folder, "")

    def take(self) -> None:
        """Copy the file, alone, and screen its text."""
        if os.path.islink(self.path) or not os.path.isfile(self.path):
            raise Failed(f"no work yet: there is no {shown(self.path)}")
        if os.path.getsize(self.path) > 1 << 20:
            raise Failed("more than 1 MiB is no source")
        shutil.copyfile(self.path, self.source)
        with open(self.source, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if not text.strip():
            raise Failed("no work yet: the file is empty")
        with open(self.task.skeleton, encoding="utf-8") as file:
            why = screen.source(text, file.read()) if self.screened else None
        if why:
            raise Failed(f"refused: {shown(self.path)}:{why}")

    def build(self, back_end: str) -> str:
        """Compile, look at the symbols, link. Return the program's path."""
        name = f"{self.task.name}-{os.getpid()}-{threading.get_ident()}"
        program = f"build/{back_end}/grade/own/{name}"
        environment = {"file": self.source, "NO_COLOR": "1",
                       "flags": f"-I chapters/{self.task.chapter}"}

        def make(target: str) -> None:
            status, output, errors = limited(
                ["sh", "common/make/make.sh", "build", target], BUILD_SECONDS,
                environment, BUILD_MIB if back_end == "simulator" else 0)
            if status is None:
                raise Failed(f"compiling took more than {BUILD_SECONDS} s")
            if status:
                raise Failed("does not compile\n" + first_lines(
                    "\n".join(line for line in self.plain(
                        errors + output).splitlines()
                        if not line.startswith("make"))))

        try:
            make(f"{program}.o")
            why = screen.objects(
                f"{program}.o",
                f"build/{back_end}/grade/objects/{self.task.name}.o", back_end)
            if why and self.screened:
                raise Failed(f"refused: {why}")
            make(program)
            kept = os.path.join(self.folder, f"child-{back_end}")
            os.rename(program, kept)
            return kept
        finally:
            for path in (program, f"{program}.o"):
                if os.path.exists(path):
                    os.remove(path)

    # -- run

    def run(self, back_end: str, args: List[str],
            environment: Dict[str, str]) -> Tuple[Optional[dict], str, str]:
        """Run the trusted program. Return record, output, what went wrong."""
        own = os.path.join(self.folder, "own")
        for folder in (own, own + ".reference"):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        record = os.path.join(self.folder, "record")
        if os.path.exists(record):
            os.remove(record)
        status, output, errors = limited(
            [f"build/{back_end}/grade/parents/{self.task.name}", *args,
             "--json", record], 3 * self.seconds + 300,
            {"GRADE_CHILD": os.path.join(self.folder, f"child-{back_end}"),
             "GRADE_FOLDER": own, "GRADE_SECONDS": str(self.seconds),
             "GRADE_REFERENCE_FOLDER": own + ".reference", **environment})
        match = re.search(r"^confined: (.*)$", output, re.M)
        self.confined = match.group(1) if match else self.confined
        records = course.read_lines(record)
        if status == 0 and len(records) == 1 and records[0]["verified"] \
                and not records[0]["findings"]:
            return records[0], output, ""
        said = ""
        path = os.path.join(own, "output")
        # A run that ended has left a message of its own there.
        if "child:" in errors and os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                said = first_lines(file.read(1 << 16), 4)
        errors = errors.replace("child: ", "the program ").replace(
            f"the program {ENDLESS}", ENDLESS)
        return None, output, self.plain(first_lines(errors) or (
            "too slow" if status is None else f"status {status}")) + (
            f"\nit printed: {self.plain(said)}" if said else "")

    def simulated(self, line: str, small: bool) -> Tuple[Optional[dict], str]:
        """Run a command line in the simulator, once."""
        if self.endless:
            return None, self.endless
        if line not in self.records:
            words = shlex.split(line) + ([] if small else ["--small", "0"])
            record, _, why = self.run("simulator", words, {})
            if record and not any(record["counts"].get(name) for name in WRITES):
                record, why = None, "no kernel has written to global memory"
            self.records[line] = record, why
            if why.startswith(ENDLESS):
                self.endless = why
        return self.records[line]

    # -- gates

    def correct(self, gate: tasks.Gate) -> Outcome:
        """All command lines, up to the first that is not verified."""
        lines = self.task.args(gate)
        for number, line in enumerate(lines):
            record, why = self.simulated(line, number == 0)
            if not record:
                return Outcome(gate, "failed", line, why)
        return Outcome(gate, "passed", f"{len(lines)} command line"
                       f"{'s' if len(lines) > 1 else ''}")

    def structural(self, gate: tasks.Gate) -> Outcome:
        """What is counted in one run, which must be right, too."""
        record, why = self.simulated(gate.at, False)
        if not record:
            return Outcome(gate, "failed", "nothing: it is wrong there", why)
        holds, left = counted(gate.text, record["counts"])
        return Outcome(gate, "passed" if holds else "failed", show(left))

    def speed(self, gate: tasks.Gate, back_end: str = "gpu") -> Outcome:
        """Times beside the chapter's and its library's."""
        match = SPEED.fullmatch(gate.text)
        if not match:
            raise tasks.Unusable(f"{gate.text}: no gate of speed")
        share, of, variant = match.groups()
        if back_end == "gpu" and not self.gpu:
            return Outcome(gate, "skipped", "not asked: no GPU")
        environment = {"GRADE_REFERENCE": os.path.abspath(
            f"build/{back_end}/grade/chapters/{self.task.chapter}")}
        if variant:
            environment["GRADE_VARIANT"] = variant
        record, output, why = self.run(
            back_end, [*shlex.split(gate.at), "--small", "0", "--repeats", "0"],
            environment)
        times = dict(re.findall(r"(\w+) ([\d.e+-]+)",
                                "".join(re.findall(r"^ms: (.*)$", output, re.M))))
        if not record or "yours" not in times or of not in times:
            return Outcome(gate, "failed", "no time",
                           why or f"{of}: there is no time of it")
        ratio = float(times[of]) / float(times["yours"])
        return Outcome(gate, "passed" if ratio >= float(share) else "failed",
                       f"{ratio:.2f}, {float(times['yours']):.3g} ms beside "
                       f"{float(times[of]):.3g} ms")

    def grade(self) -> Grade:
        """All gates. A file that cannot be built fails them."""
        begin = time.monotonic()
        outcomes: List[Outcome] = []
        try:
            self.take()
            self.build("simulator")
            if self.gpu and any(x.layer == "speed" for x in self.task.gates):
                self.build("gpu")
        except Failed as error:
            for gate in self.task.gates:
                skip = gate.layer == "speed" and not self.gpu
                outcomes.append(
                    Outcome(gate, "skipped", "not asked: no GPU") if skip else
                    Outcome(gate, "failed", "not built", str(error)))
        else:
            outcomes = [getattr(self, gate.layer)(gate)
                        for gate in self.task.gates]
        return Grade(self.task, shown(self.path), outcomes, self.confined,
                     time.monotonic() - begin)


def build_trusted(wanted: List[tasks.Task], gpu: bool) -> bool:
    """Build what all grades need, before anybody's file is."""
    ends = ["simulator"] + (["gpu"] if gpu else [])
    targets = [f"build/{end}/grade/child.o" for end in ends]
    for task in wanted:
        timed = any(gate.layer == "speed" for gate in task.gates)
        for end in ends:
            if end == "gpu" and not timed:
                continue
            targets += [f"build/{end}/grade/objects/{task.name}.o",
                        f"build/{end}/grade/parents/{task.name}"]
            if end == "gpu":
                targets.append(f"build/{end}/grade/chapters/{task.chapter}")
    return course.build(sorted(set(targets)))


def grade_file(task: tasks.Task, path: str, gpu: bool,
               screened: bool = True) -> Grade:
    """Grade one file."""
    folder = tempfile.mkdtemp(prefix="grade-")
    try:
        return Grader(task, path, gpu, folder, screened).grade()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- what is told ------------------------------------------------------------


def table(grade: Grade) -> str:
    """Return what the learner reads."""
    lines = [f"{grade.path}: {grade.task.title}"]
    if grade.confined:
        lines.append(f"confined: {grade.confined}")
    lines.append("")
    last = ""
    for outcome in grade.outcomes:
        gate = outcome.gate
        word = {"passed": "pass", "failed": "FAIL", "skipped": "-"}[outcome.state]
        points = ("-" if outcome.state == "skipped" else
                  f"{tasks.show(gate.points if outcome.state == 'passed' else 0)}"
                  f" of {tasks.show(gate.points)}")
        head = f"  {gate.layer:<12}{word:<6}{points:<10}"
        note = " at ".join(filter(None, (outcome.note, gate.text and gate.at)))
        lines.append(head + (gate.text or note))
        if gate.text:
            lines.append(" " * len(head) + note)
        # Two gates may fail for one reason.
        if outcome.message and outcome.message != last:
            lines += [f"      {line}" for line in outcome.message.splitlines()]
        last = outcome.message or last
    skipped = grade.count("skipped")
    lines += ["", f"{tasks.show(grade.points())} of {tasks.show(grade.most())} "
              "points",
              f"{grade.count('passed')} passed, {grade.count('failed')} failed"
              + (f", {skipped} skipped" if skipped else "")]
    return "\n".join(lines)


def gradescope(grade: Grade) -> dict:
    """Return results.json, as Gradescope reads it."""
    tests = []
    for outcome in grade.outcomes:
        if outcome.state == "skipped":
            continue
        gate = outcome.gate
        tests.append({
            "name": " ".join(filter(None, (gate.layer, gate.text, gate.at))),
            "score": gate.points if outcome.state == "passed" else 0,
            "max_score": gate.points,
            "status": outcome.state,
            "output": "\n".join(filter(None, (outcome.note, outcome.message)))})
    return {"score": grade.points(), "max_score": grade.most(),
            "execution_time": round(grade.seconds, 3),
            "output": table(grade), "output_format": "text", "tests": tests,
            "extra_data": {"task": grade.task.name, "passed": grade.passed()}}


def junit(grade: Grade) -> str:
    """Return a JUnit report."""
    # What a terminal shows need not be XML: control characters are not.
    def clean(text: str) -> str:
        return re.sub(r"[^\t\n\x20-\uFFFD]", "?", text)

    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f"<testsuite name={quoteattr(grade.task.name)} "
             f'tests="{len(grade.outcomes)}" '
             f'failures="{grade.count("failed")}" '
             f'skipped="{grade.count("skipped")}" '
             f'time="{grade.seconds:.3f}">']
    for outcome in grade.outcomes:
        name = " ".join(filter(None, (outcome.gate.text, outcome.gate.at)))
        inside = ""
        if outcome.state == "failed":
            inside = (f"<failure message={quoteattr(clean(outcome.note))}>"
                      f"{escape(clean(outcome.message))}</failure>")
        elif outcome.state == "skipped":
            inside = f"<skipped message={quoteattr(outcome.note)}/>"
        classname = f"{grade.task.name}.{outcome.gate.layer}"
        lines.append(f"  <testcase classname={quoteattr(classname)} "
                     f"name={quoteattr(name or 'all sizes')}>"
                     f"{inside}</testcase>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def write(path: str, text: str) -> None:
    """Write a file that is whole at any time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def as_json(data: dict) -> str:
    return json.dumps(data, indent=1) + "\n"


# ---- one, all ----------------------------------------------------------------


def version(task: tasks.Task, path: str, gpu: bool) -> str:
    """What a grade belongs to: the file, its task, whether a GPU was there."""
    return " ".join([tasks.contents(path), tasks.contents(task.page),
                     tasks.contents(task.solution), str(gpu)])


def grade_mine(task: tasks.Task, gpu: bool) -> bool:
    """Grade the learner's own file; keep what came of it."""
    report = f"build/{task.name}/grade"
    there = os.path.isfile(task.mine)
    if there and tasks.state().get(task.name, {}).get("passed") == version(
            task, task.mine, gpu) and os.path.exists(f"{report}.json") \
            and os.path.exists(f"{report}.xml"):
        with open(f"{report}.json", encoding="utf-8") as file:
            print(json.load(file)["output"])
        return True
    grade = grade_file(task, task.mine, gpu)
    write(f"{report}.json", as_json(gradescope(grade)))
    write(f"{report}.xml", junit(grade))
    print(table(grade), flush=True)
    if not there:
        print(f"make {task.words} exercise begins it")
        return False
    before = tasks.state().get(task.name, {})
    best = max(grade.points(), before.get("points", 0))
    tasks.keep(task.name, begun=True, points=best, of=grade.most(), passed=(
        version(task, task.mine, gpu) if grade.passed()
        else before.get("passed", "")))
    return grade.passed()


def grade_all(gpu: bool) -> bool:
    """Grade all files of mine/."""
    there = [task for task in tasks.all_tasks() if os.path.isfile(task.mine)]
    if not there:
        raise tasks.Unusable("mine/ has no work yet; make progress names what "
                             "there is")
    if not build_trusted(there, gpu):
        return False
    tally = course.Tally()
    for task in there:
        tally.add(0 if grade_mine(task, gpu) else BELOW)
        print(flush=True)
    print("exercises and hunts:")
    tally.close()
    return tally.failed == 0


# ---- a class -----------------------------------------------------------------


class Job(NamedTuple):
    """One file of one student."""

    student: str
    task: tasks.Task
    path: str


def collect(folder: str, only: Optional[tasks.Task]
            ) -> Tuple[List[Job], List[Tuple[str, str]]]:
    """Return what is to be graded, and what each student has that is not.

    A task that one student has handed in is expected of all.
    """
    known = {task.name: task for task in tasks.all_tasks()}
    students = sorted(name for name in os.listdir(folder)
                      if os.path.isdir(os.path.join(folder, name)))
    files = {name: sorted(os.listdir(os.path.join(folder, name)))
             for name in students}
    expected = [only.name] if only else [
        name for name in known
        if any(f"{name}.cu" in files[student] for student in students)]
    jobs = [Job(student, known[name], os.path.join(folder, student,
                                                   f"{name}.cu"))
            for student in students for name in expected]
    strange = [(student, name) for student in students
               for name in files[student]
               if name not in [f"{task}.cu" for task in known]]
    strange += [("", name) for name in sorted(os.listdir(folder))
                if name not in students]
    return jobs, strange


def result_path(out: str, job: Job) -> str:
    return os.path.join(out, job.student, job.task.name)


def done_before(out: str, job: Job, gpu: bool) -> Optional[dict]:
    """Return the grade of this very file, if there is one."""
    try:
        with open(result_path(out, job) + ".json", encoding="utf-8") as file:
            found = json.load(file)
        if found["extra_data"]["version"] == job_version(job, gpu):
            return found
    except (OSError, ValueError, KeyError):
        pass
    return None


def job_version(job: Job, gpu: bool) -> str:
    if os.path.islink(job.path) or not os.path.isfile(job.path):
        return f"none {job.task.name}"
    return version(job.task, job.path, gpu)


def grade_job(out: str, job: Job, gpu: bool) -> dict:
    """Grade one file and write what came of it."""
    before = job_version(job, gpu)
    try:
        grade = grade_file(job.task, job.path, gpu)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        grade = Grade(job.task, shown(job.path), [
            Outcome(gate, "failed", "the grader failed", str(error))
            for gate in job.task.gates], "", 0)
    if stopping.is_set():
        raise Stopped
    found = gradescope(grade)
    found["extra_data"]["version"] = before
    path = result_path(out, job)
    write(path + ".txt", table(grade) + "\n")
    write(path + ".xml", junit(grade))
    write(path + ".json", as_json(found))
    return found


def reason(found: dict) -> str:
    """Return the first thing that failed, in a few words."""
    for test in found["tests"]:
        if test["status"] == "failed":
            note, _, rest = test["output"].partition("\n")
            lines = rest.splitlines() or [note]
            # Elements that are wrong are named first, the verdict behind them.
            return next((line for line in lines if not line.startswith(" ")),
                        lines[0]).strip()
    return ""


def class_line(job: Job, found: dict) -> str:
    of = f"{tasks.show(found['score'])} of {tasks.show(found['max_score'])}"
    return f"{job.student:<20.20} {job.task.name:<26} {of:<9} " \
        f"{reason(found)}".rstrip()


def write_csv(out: str, jobs: List[Job], results: Dict[str, dict]) -> None:
    """Write grades.csv of what is done."""
    with open(os.path.join(out, "grades.csv.new"), "w", encoding="utf-8",
              newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "task", "points", "of", "passed", "seconds",
                       "reason"])
        for job in (job for job in jobs if job.path in results):
            found = results[job.path]
            rows.writerow([job.student, job.task.name, found["score"],
                           found["max_score"],
                           "yes" if found["extra_data"]["passed"] else "no",
                           found["execution_time"], reason(found)])
    os.replace(os.path.join(out, "grades.csv.new"),
               os.path.join(out, "grades.csv"))


def stop_all() -> None:
    """Ctrl-C: nothing new begins, what runs ends."""
    stopping.set()
    for process in list(running):
        kill(process)


def grade_class(folder: str, out: str, only: Optional[tasks.Task],
                gpu: bool) -> bool:
    """Grade a folder of students."""
    if not os.path.isdir(folder):
        raise tasks.Unusable(f"submissions={folder}: no such folder")
    jobs, strange = collect(folder, only)
    if not jobs:
        raise tasks.Unusable(f"{folder}: no file that is named like an exercise "
                             "or a hunt")
    os.makedirs(out, exist_ok=True)
    if not build_trusted(list({job.task.name: job.task
                               for job in jobs}.values()), gpu):
        return False
    # Times of two at once would not be those of one.
    cores = os.cpu_count() or 1
    workers = 1 if gpu else min(cores, 16)
    os.environ.setdefault("SIM_THREADS", str(max(1, cores // workers)))
    results: Dict[str, dict] = {}
    for job in jobs:
        found = done_before(out, job, gpu)
        if found:
            results[job.path] = found
    if results:
        print(f"{len(results)} of {len(jobs)} are graded already", flush=True)
    with ThreadPoolExecutor(workers) as pool:
        waiting = {pool.submit(grade_job, out, job, gpu): job for job in jobs
                   if job.path not in results}
        try:
            for future in as_completed(waiting):
                job = waiting[future]
                results[job.path] = future.result()
                print(class_line(job, results[job.path]), flush=True)
        except KeyboardInterrupt:
            stop_all()
            pool.shutdown(cancel_futures=True)
            write_csv(out, jobs, results)
            print(f"\n{len(results)} of {len(jobs)} are graded and kept in "
                  f"{out}/; the same command goes on", flush=True)
            raise
    write_csv(out, jobs, results)
    passed = sum(found["extra_data"]["passed"] for found in results.values())
    print(f"\n{'student':<20} {'task':<26} points")
    for job in jobs:
        print(class_line(job, results[job.path]))
    for student, name in strange:
        print(f"{student or folder:<20.20} {name}: no exercise has this name")
    print(f"\n{out}/grades.csv; what each student is told: "
          f"{out}/STUDENT/TASK.txt\n"
          f"{passed} passed, {len(jobs) - passed} failed")
    return passed == len(jobs)


def main() -> int:
    """Do what the command line says."""
    words = sys.argv[1:]
    if len(words) < 2 or words[0] not in ("gpu", "simulator") or \
            (words[1], len(words)) not in (("one", 4), ("all", 2),
                                           ("class", 4), ("class", 6)):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    gpu = words[0] == "gpu"
    course.forget_make()
    # Whoever ends this program, ends what it has started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if words[1] == "one":
        task = tasks.find(*words[2:])
        good = build_trusted([task], gpu) and grade_mine(task, gpu)
    elif words[1] == "all":
        good = grade_all(gpu)
    else:
        only = tasks.find(*words[4:]) if words[4:] else None
        good = grade_class(words[2].rstrip("/"), words[3].rstrip("/"), only, gpu)
    return 0 if good else BELOW


if __name__ == "__main__":
    tasks.script(main)
