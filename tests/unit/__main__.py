"""Build and run the unit tests of common/: python3 -B -m tests.unit

They need cmocka and the simulator in plain mode, no clang and no GPU. Prints
what failed, then `N passed, N failed`.
"""

import glob
import graphlib
import json
import os
import subprocess
from typing import List

from tests.checks import close, expect, read, record_validator
from tests.unit import cases, grade
from tools import course

OUT = "build/unit"
RECORDS = f"{OUT}/records.jsonl"


def run_cmocka(name: str, *words: str) -> None:
    """Run a program that prints TAP; one that breaks off has failed, too."""
    done = cases.call(f"{OUT}/{name}", *words, CMOCKA_MESSAGE_OUTPUT="TAP")
    output = done.stdout + done.stderr
    for line in done.stdout.splitlines():
        if line.startswith(("ok ", "not ok ")):
            expect(f"{name}: {line.split('- ')[-1]}", line.startswith("ok "), output)
    if done.returncode:
        expect(f"{name} ends well", False, output)


def check_records() -> None:
    """Records of the tests and of three programs, against the schema."""
    for program, line, words in (
            ("faults", f"one_nan {cases.AT}", (
                '"chapter":"faults"', '"verified":false', '"time_ms":null,',
                '"error_of_bound":null', f'"command":"one_nan {cases.AT} --json')),
            ("variants", "--rows 70", (
                '"variant":"fused"', '"size":{"rows":70,"cols":9,"ldy":16}')),
            ("as_gpu/faults", f"forward {cases.SHORT} --repeats 3", (
                '"backend":"gpu"', '"verified":true', '"repeats":3,',
                '"baseline":{"name":"cuBLAS"', '"counts":{}'))):
        before = read(RECORDS)
        cases.call(f"{OUT}/{program}", *line.split(), "--json", RECORDS)
        text = read(RECORDS)
        expect(f"record of {program} {line}", text.startswith(before)
               and cases.holds(text.splitlines()[-1], words), text)
    validator = record_validator()
    if validator:
        errors = [error.message for line in read(RECORDS).splitlines()
                  for error in validator.iter_errors(json.loads(line))]
        expect("all records fit the schema", not errors, "\n".join(errors))


def check_profiled_range() -> None:
    """Profilers see one run of ours: neither the reference nor anything."""
    path = f"{OUT}/profiled.jsonl"
    if os.path.exists(path):
        os.remove(path)
    cases.call(f"{OUT}/as_gpu/faults", "forward", *cases.SHORT.split(),
               "--repeats", "0", "--beta", "2", SIM_REPORT=path)
    launches = read(path).splitlines()
    ours = [line for line in launches if '"range":1' in line]
    expect("the range of a profiler", len(ours) == 1
           and "reference" not in ours[0] and len(launches) > 11,
           "\n".join(ours))


def circle(objects: List[str]) -> List[str]:
    """Return objects that use each other in a circle, or none."""
    home, needed = {}, {path: set() for path in objects}
    listing = subprocess.run(["nm", "-A", "-P", "-g", *objects], text=True,
                             check=True, stdout=subprocess.PIPE).stdout
    for line in listing.splitlines():  # build/unit/timer.o: device_flush U
        path, symbol, kind = line.split()[:3]
        if kind == "U":
            needed[path[:-1]].add(symbol)
        else:
            home[symbol] = path[:-1]
    try:
        graphlib.TopologicalSorter({
            path: {home[symbol] for symbol in symbols if symbol in home} - {path}
            for path, symbols in needed.items()}).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def check_layers() -> None:
    """Each object of common/ can be read without what is above it."""
    planted = [f"{OUT}/planted_{name}" for name in "ab"]
    for path, text in zip(planted, ("void b(void); void a(void) { b(); }",
                                    "void a(void); void b(void) { a(); }")):
        subprocess.run(["cc", "-xc", "-", "-c", "-o", path], text=True,
                       input=text, check=True)
    expect("a planted circle is seen", set(circle(planted)) == set(planted))
    for folder, program in ((OUT, "child.o"), (f"{OUT}/as_gpu", "parent.o")):
        objects = glob.glob(f"{folder}/*.o") + glob.glob(
            f"{OUT}/as_gpu/grade/*.o")
        path = circle([path for path in sorted(objects)
                       if not path.endswith((program, "stand_ins.o"))])
        expect(f"no circle among the objects in {folder}", not path,
               " ".join(path))


def main() -> int:
    """Run all."""
    if subprocess.run(["make", "-s", "-j2", "-f", "tests/unit/build.mk", "unit"],
                      check=False).returncode:
        return 1
    if os.path.exists(RECORDS):
        os.remove(RECORDS)
    for path in sorted(glob.glob("tests/unit/test_*.c")):
        name = os.path.basename(path)[:-2]
        run_cmocka(name, *[RECORDS] * (name == "test_report"))
    for outcome in course.together(2, lambda job: cases.run(OUT, *job),
                                   list(cases.cases())):
        expect(*outcome)
    check_records()
    check_profiled_range()
    check_layers()
    grade.check()
    return close()


if __name__ == "__main__":
    course.script(main)
