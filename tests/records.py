#!/usr/bin/env python3
"""JSON records are as docs/record.schema.json says.

Validates the record that each chapter appends in the simulator, and every
recorded result in docs/results/. So that this can fail, records with a
planted fault are validated, too, and must be refused.
"""

import copy
import glob
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skip: python3-jsonschema is not here\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

SCHEMA = "docs/record.schema.json"
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


def run(program: str, *args: str) -> dict:
    """Return the record that a program appends to an existing line."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{}\n")
        subprocess.run([program, *args, "--json", path], check=False,
                       stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        expect(f"{program}: one line is appended", len(lines) == 2)
        return json.loads(lines[-1])


def faults(record: dict):
    """Yield records that must be refused, each with what is wrong."""
    for field in record:
        broken = copy.deepcopy(record)
        del broken[field]
        yield f"no {field}", broken
    for field, value in (("verified", "yes"), ("backend", "cpu"),
                         ("chapter", 3), ("counts", []), ("size", "big")):
        yield f"{field} = {value!r}", {**record, field: value}


def main() -> int:
    """Validate everything."""
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.validators.validator_for(schema)(schema)
    validator.check_schema(schema)

    programs = sorted(path.replace("chapters/", "build/simulator/", 1)
                      for path in map(os.path.dirname,
                                      glob.glob("chapters/*/*.cu")))
    record = {}
    for program in programs:
        record = run(program, "--M", "9", "--N", "5", "--K", "3")
        expect(f"{program}: its record", valid(validator, record))
        expect(f"{program}: it names the chapter",
               record.get("chapter") == os.path.basename(program))
        expect(f"{program}: no time in the simulator",
               record.get("time_ms", 0) is None and
               record.get("gflops", 0) is None)

    for what, broken in faults(record):
        expect(f"refuses a record: {what}", not validator.is_valid(broken))

    for path in sorted(glob.glob("docs/results/*.jsonl")):
        if os.path.basename(path).startswith(("ncu_", "series_")):
            continue  # counters, by make profile and series.py
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                expect(f"{path}:{number}",
                       valid(validator, json.loads(line)))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
