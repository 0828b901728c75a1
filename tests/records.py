#!/usr/bin/env python3
"""JSON records are as docs/record.schema.json says.

Validates the record that each chapter appends in the simulator, and every
recorded result in docs/results/. So that this can fail, records with a
planted fault are validated, too, and must be refused. And what Nsight Compute
read must be what the chapters' counts expect of it.
"""

import glob
import json
import os
import shlex
import sys

try:
    import jsonschema
except ImportError:
    print("skip: python3-jsonschema is not here\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

from tests.checks import close, expect, read
from tools import checklist, counts, course

SCHEMA = "docs/record.schema.json"
NCU = "docs/results/ncu_h200.jsonl"


def fits(what: str, validator, record: dict) -> None:
    """Expect a record to be as the schema says."""
    errors = [f"{'/'.join(map(str, error.path))}: {error.message}"[:200]
              for error in validator.iter_errors(record)]
    expect(what, not errors, "\n".join(errors))


def faults(record: dict):
    """Yield records that must be refused, each with what is wrong."""
    for field in record:
        yield f"no {field}", {name: value for name, value in record.items()
                              if name != field}
    for field, value in (("verified", "yes"), ("backend", "cpu"),
                         ("chapter", 3), ("counts", []), ("size", "big")):
        yield f"{field} = {value!r}", {**record, field: value}


def compare_readings() -> None:
    """Nsight Compute's counters, those read last, beside the chapters' counts."""
    last = {(record["chapter"], record["args"]): record["counts"]
            for record in course.read_lines(NCU)}
    compared = 0
    for (chapter, args), values in last.items():
        block = counts.find(checklist.counts(chapter), args)
        if block:
            compared += 1
            differ = ", ".join(counts.differ(block, values))
            expect(f"counts of {chapter} {args}: {differ} without a cause",
                   not differ)
    expect("some were compared", compared > 0)


def main() -> int:
    """Validate everything."""
    compare_readings()
    schema = json.loads(read(SCHEMA))
    validator = jsonschema.validators.validator_for(schema)(schema)
    validator.check_schema(schema)

    record: dict = {}
    for chapter in course.recorded():
        smoke = shlex.split(checklist.sizes(chapter)[0])
        records = course.run([f"build/simulator/{chapter}", *smoke]).records
        names = [record["variant"] for record in records]
        expect(f"{chapter}: one record for each variant",
               bool(records) and len(set(names)) == len(names) and
               (None not in names or len(names) == 1))
        for record in records:
            fits(f"{chapter}: its record", validator, record)
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
            fits(f"{path}:{number}", validator, record)
    return close()


sys.exit(main())
