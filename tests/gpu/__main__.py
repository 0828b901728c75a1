"""Run every test that needs a GPU; end with `N passed, N failed`.

Usage: python3 -B -m tests.gpu [PART...]           (make test-gpu runs all)

  chapters   every size of every chapter, on the GPU
  programs   the programs of this folder that test references; verifiers, as
             tests.unit asks them, built by nvcc
  clocks     those that look at a clock. And the rule of the register banks
             beside the GPU (9.0)
  machine    the decoder of machine code beside cuobjdump
  sanitizer  compute-sanitizer's four tools on every chapter, and on a race
  counters   what Nsight Compute reads beside the chapters' counts: equal, or as
             the file says, with the cause
  law        what the L1's law says of gemm_01 and gemm_02 beside ncu and the
             clock
  bits       variants that promise the same bits in every run
  speed      the exercises' gates of speed let the solutions pass, and refuse
             what is slow
  grading    what is right and cheats of tests/changes, graded with a GPU: as
             many points for results and counts as without

Needs nvcc and python3. Without compute-sanitizer or ncu (or the permission to
read counters) their part is skipped, visibly.

Exit status: 0 all passed, 1 something failed or nothing ran, 2 no such part.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Iterable, List, Tuple

from tests.checks import close, read, tally, write
from tests.unit import cases
from tools import checklist, counts, course, machine, metrics

CLOCKS = ("timer", "latency", "l2", "plans", "launches")


def check(what: str, good: bool, detail: str = "") -> None:
    """Count one test and print it."""
    tally.add(int(not good))
    print(f"  {'pass' if good else 'FAIL'}  {what} {detail}".rstrip(), flush=True)


def output(*words: str) -> Tuple[int, str]:
    """Run a command. Return its status and output."""
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def make(*words: str) -> Tuple[int, str]:
    """Run make on the GPU."""
    return output("make", "--no-print-directory", *words, "on=gpu")


def take(status: int, text: str) -> None:
    """Add the summary of a command that has one of its own."""
    print("\n".join("  " + line for line in text.splitlines()), flush=True)
    tally.take(text, status)


def run_module(*words: str) -> None:
    """Run a module of the tests."""
    take(*output(sys.executable, "-B", "-m", *words))


def each_chapter(goal: str) -> None:
    """Make a goal of every chapter, four at once; the first ones take least."""
    for status, text in course.together(
            4, lambda name: make(f"chapter={name}", goal),
            course.chapters()[::-1]):
        take(status, text)


def run_programs(names: Iterable[str]) -> None:
    """Run some of the programs of tests/gpu."""
    if not course.build([f"build/gpu/tests/{name}" for name in names]):
        check("tests/gpu/*.cu compile", False)
    for name in names:
        status, text = output("timeout", "900", f"build/gpu/tests/{name}")
        print("\n".join("        " + line for line in text.splitlines()))
        check(name, status == 0, f"(status {status})" if status else "")


def test_programs() -> None:
    """The programs of tests/gpu that look at no clock, and planted faults."""
    run_programs(sorted({path.stem for path in Path("tests/gpu").glob("*.cu")}
                        - set(CLOCKS)))
    if not course.build([f"build/gpu/tests/{name}"
                         for name in ("faults", "faults_bf16",
                                      "faults_attention")]):
        check("tests/unit/faults*.cu compile", False)
        return
    for what, good, text in course.together(4, lambda job: cases.run(
            "build/gpu/tests", *job), list(cases.cases_on_gpu())):
        check(what, good, "" if good else text)


def test_clocks() -> None:
    """The programs of tests/gpu that look at a clock, and register banks."""
    run_programs(CLOCKS)
    if machine.gpu().arch == "sm_90":
        run_module("tests.register_banks")


def test_sanitizer() -> None:
    """compute-sanitizer's four tools on every chapter, and on a planted race."""
    if not machine.cuda_tool("compute-sanitizer"):
        tally.skipped += 1
        print("  skip  compute-sanitizer is missing", flush=True)
        return
    each_chapter("sanitize")
    chapter = "gemm_03_shared_tile"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("common", "simulator", "tools", "chapters"):
            shutil.copytree(name, os.path.join(folder, name))
        shutil.copy("Makefile", folder)
        path = os.path.join(folder, "chapters", chapter, f"{chapter}.cu")
        write(path, "".join(read(path).rpartition("__syncthreads();")[::2]))
        status, text = make("-C", folder, f"chapter={chapter}", "sanitize",
                            "args=--M 64 --N 64 --K 64")
    check(f"racecheck finds a missing barrier in {chapter}",
          status != 0 and "FAIL  racecheck" in text)


def read_counters(chapter: str, args: str) -> Tuple[dict, str]:
    """Return what Nsight Compute reads, or nothing and make's output."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.jsonl")
        status, text = make(f"chapter={chapter}", "profile", f"args={args}",
                            f"json={path}")
        if status or not os.path.exists(path):
            return {}, text
        return json.loads(read(path).splitlines()[0])["counts"], text


def compare_block(chapter: str, block: checklist.Block,
                  values: dict) -> List[Tuple[str, str]]:
    """Return of each counter pass or FAIL, and what to say of it."""
    lucky = counts.chance(block, values)
    unsure = {*counts.differ(block, values), *lucky}
    readings = {name: [values[name]] for name in unsure}
    for _ in range(2 if unsure else 0):
        again, _ = read_counters(chapter, block.args)
        for name in unsure:
            readings[name].append(again.get(name, 0))
    values.update((name, statistics.median(three))
                  for name, three in readings.items())
    wrong = counts.differ(block, values)
    wrong += [name for name in lucky if len(set(readings[name])) == 1]
    lines = []
    for name, claim in block.counts.items():
        if not metrics.METRICS[name].parts or name in metrics.ESTIMATES:
            continue  # the hardware has no such counter, or another
        if name not in values:
            lines.append(("FAIL", f"{name:<32} ncu did not read it"))
            continue
        note = f"ncu {counts.show(round(values[name], 4))}"
        if claim.ncu is not None:
            note += f", simulator {counts.show(claim.value)}: {claim.cause}"
        above = values[name] - counts.expected(claim)
        if name not in wrong and above > 5e-5:
            note += f", {above:,.0f} more by "
            note += "chance" if claim.at_least else "arbitration"
        if name in readings:
            three = " ".join(map(counts.show, readings[name]))
            note += f", readings {three}"
            note += f", expected {counts.show(counts.expected(claim))}"
        lines.append(("FAIL" if name in wrong else "pass", f"{name:<32} {note}"))
    return lines


def compare_counters(chapter: str) -> List[Tuple[str, str]]:
    """Return what Nsight Compute reads of a chapter beside its counts."""
    lines: List[Tuple[str, str]] = []
    for block in checklist.counts(chapter):
        values, text = read_counters(chapter, block.args)
        if "ERR_NVGPUCTRPERM" in text or "is missing" in text:
            return [*lines, ("skip", "ncu is missing or may not read counters")]
        lines.append(("", f"{chapter} {block.args}"))
        lines += compare_block(chapter, block, values) if values \
            else [("FAIL", f"make profile\n{text}")]
    return lines


def test_counters() -> None:
    """Nsight Compute beside the chapters' counts.

    Wavefronts may be a little above: see counts.ARBITRATION. Where any counter
    differs, the median of three readings is taken, and all three are shown;
    where chance is named as the cause, three that are equal refute it. Chapters
    run beside each other: ncu lets one kernel after the other be measured.
    """
    for lines in course.together(4, compare_counters, course.chapters()):
        for state, text in lines:
            print(f"  {state}  {text}" if state else f"  {text}", flush=True)
            tally.passed += state == "pass"
            tally.failed += state == "FAIL"
            tally.skipped += state == "skip"


def test_law() -> None:
    """The L1's law: tag wavefronts by ncu, times of gemm_01 by its cycles."""
    course.build([f"build/{back_end}/{chapter}"
                  for back_end in ("gpu", "simulator")
                  for chapter in ("gemm_01_naive", "gemm_02_coalesced")])
    run_module("tests.gpu.law")


def test_bits() -> None:
    """Equal inputs give equal bits: the place in the bound to nine digits."""
    for chapter, variant in (("reduction", "ticket"), ("scan", "ring")):
        course.build([f"build/gpu/{chapter}"])
        for n in (1048579, 16777219, 268435459):
            command = [f"build/gpu/{chapter}", "--variant", variant,
                       "--repeats", "0", "--n", str(n)]
            runs = list(course.together(5, course.run, [command] * 5))
            places = {record["error_of_bound"] for run in runs
                      for record in run.records}
            check(f"{chapter} {variant} --n {n}",
                  all(run.status == 0 for run in runs) and len(places) == 1,
                  f"{places} of the bound in 5 runs")


PARTS = {
    "chapters": lambda: each_chapter("check"),
    "programs": test_programs,
    "machine": lambda: run_module("tests.machine_code", "AgainstCuobjdump"),
    "sanitizer": test_sanitizer,
    "clocks": test_clocks,
    "counters": test_counters,
    "law": test_law,
    "bits": test_bits,
    "speed": lambda: run_module("tests.gpu.speed"),
    "grading": lambda: run_module("tests.grading", "--gpu"),
}
# These look at no clock.
AT_ONCE = ["chapters", "sanitizer", "machine", "programs", "bits", "grading"]


def run_part(name: str) -> Tuple[int, str]:
    """Run a part beside others; its log, build/gpu/NAME.log, may be watched."""
    with open(f"build/gpu/{name}.log", "w+", encoding="utf-8") as log:
        status = subprocess.run([sys.executable, "-B", "-m", "tests.gpu", name],
                                stdout=log, stderr=log).returncode
        log.seek(0)
        return status, log.read()


def main() -> int:
    """Run the parts named, or all."""
    names = sys.argv[1:] or list(PARTS)
    unknown = [name for name in names if name not in PARTS]
    if unknown and unknown[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    if unknown:
        print(f"{unknown[0]}: no such part; there are: {' '.join(PARTS)}",
              file=sys.stderr)
        return 2
    machine.need_gpu("test-gpu")
    if all(name in names for name in AT_ONCE):
        names = [name for name in names if name not in AT_ONCE]
        course.build(["gpu"])  # once; if it fails, both say why
        start = time.monotonic()
        for outcome in course.together(len(AT_ONCE), run_part, AT_ONCE):
            take(*outcome)
        print(f"{' and '.join(AT_ONCE)}: {time.monotonic() - start:.0f} s")
    for name in names:
        print(f"{name}:", flush=True)
        start = time.monotonic()
        PARTS[name]()
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
    close()
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    course.script(main)
