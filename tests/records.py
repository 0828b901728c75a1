#!/usr/bin/env python3
"""JSON records are as docs/record.schema.json says.

Validates the record that each chapter appends in the simulator, and every
recorded result in docs/results/. So that this can fail, records with a
planted fault are validated, too, and must be refused. And what Nsight Compute
read must be what the files counts expect of it.
"""

import copy
import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile
from typing import List

try:
    import jsonschema
except ImportError:
    print("skip: python3-jsonschema is not here\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

sys.path.insert(0, "tools")

import counts  # noqa: E402
import course  # noqa: E402

SCHEMA = "docs/record.schema.json"
NCU = "docs/results/ncu_h200.jsonl"
passed = failed = 0


def expect(what: str, good: bool) -> None:
    """Count one test; name it if it failed."""
    global passed, failed
    passed += good
    failed += not good
    if not good:
        print(f"FAIL {what}")


def valid(validator, record: dict) -> bool:
    """Is the record as the schema says? Print the first reason if not."""
    for error in validator.iter_errors(record):
        print(f"     {'/'.join(map(str, error.path))}: {error.message}"[:200])
        return False
    return True


def run(program: str, args: List[str]) -> List[dict]:
    """Return the records that a program appends to an existing line."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{}\n")
        subprocess.run([program, *args, "--json", path], check=False,
                       stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        expect(f"{program}: the first line stays", lines[0] == "{}")
        return [json.loads(line) for line in lines[1:]]


def faults(record: dict):
    """Yield records that must be refused, each with what is wrong."""
    for field in record:
        broken = copy.deepcopy(record)
        del broken[field]
        yield f"no {field}", broken
    for field, value in (("verified", "yes"), ("backend", "cpu"),
                         ("chapter", 3), ("counts", []), ("size", "big")):
        yield f"{field} = {value!r}", {**record, field: value}


def compare_readings() -> None:
    """Nsight Compute's counters, those read last, beside the files counts."""
    read = {(record["chapter"], record["args"]): record["counts"]
            for record in course.read_lines(NCU)}
    compared = 0
    for (chapter, args), values in read.items():
        block = counts.find(counts.read(chapter), args)
        if block:
            compared += 1
            differ = ", ".join(counts.differ(block, values))
            expect(f"counts of {chapter} {args}: {differ} without a cause",
                   not differ)
    expect("some were compared", compared > 0)


def main() -> int:
    """Validate everything."""
    compare_readings()
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)(schema)
    validator.check_schema(schema)

    record: dict = {}
    for chapter in course.recorded():
        smoke = shlex.split(course.check_args(chapter)[0])
        records = run(f"build/simulator/{chapter}", smoke)
        names = [record["variant"] for record in records]
        expect(f"{chapter}: one record for each variant",
               bool(records) and len(set(names)) == len(names) and
               (None not in names or len(names) == 1))
        for record in records:
            expect(f"{chapter}: its record", valid(validator, record))
            expect(f"{chapter}: it names the chapter",
                   record["chapter"] == chapter)
            expect(f"{chapter}: no time in the simulator",
                   record["time_ms"] is None and record["gflops"] is None)

    for what, broken in faults(record):
        expect(f"refuses a record: {what}", not validator.is_valid(broken))

    for path in sorted(glob.glob("docs/results/*.jsonl")):
        if os.path.basename(path).startswith(("ncu_", "series_")):
            continue  # counters, by make profile and series.py
        for number, record in enumerate(course.read_lines(path), 1):
            expect(f"{path}:{number}", valid(validator, record))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
