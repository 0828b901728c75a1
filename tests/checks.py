"""What tests in Python begin with: the root, tools/ to import, a tally."""

import json
import os
import sys
import unittest
from typing import Any, Callable

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
os.chdir(ROOT)

from tools import course

course.forget_make()
os.environ["NO_COLOR"] = "1"
tally = course.Tally()


def expect(what: str, holds: bool, more: str = "") -> None:
    """Count one test; say what does not hold."""
    tally.add(0 if holds else 1)
    if not holds:
        print(f"FAIL {what}" + "".join(f"\n    {line}"
                                       for line in more.splitlines()[:12]))


def run_unittests(module: str, *classes: str) -> int:
    """Run the unittests of a module, or those of some of its classes.

    Print what failed, return the status.
    """
    loader, here = unittest.defaultTestLoader, sys.modules[module]
    result = unittest.TextTestRunner(sys.stdout, verbosity=0).run(
        loader.loadTestsFromNames(classes, here) if classes
        else loader.loadTestsFromModule(here))
    failed = len({getattr(test, "test_case", test).id()  # of a subtest
                  for test, _ in result.failures + result.errors})
    for test, reason in result.skipped:
        print(f"skip: {test}: {reason}")
    tally.failed, tally.skipped = failed, len(result.skipped)
    tally.passed = result.testsRun - failed - tally.skipped
    tally.status = 1 if failed or not result.testsRun else 0
    return close()


def raises(kind: type, function: Callable, *arguments: object) -> str:
    """Return the message of the error that must come; "" if none does."""
    try:
        function(*arguments)
    except kind as error:
        return str(error) or "?"
    return ""


def read(path: str) -> str:
    """Return the text of a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def record_validator() -> Any:
    """Return what knows docs/record.schema.json; None, said, without jsonschema."""
    try:
        import jsonschema
    except ImportError:
        print("skip: records: python3-jsonschema is not here")
        tally.skipped += 1
        return None
    schema = json.loads(read("docs/record.schema.json"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def write(path: str, text: str) -> None:
    """Make a file."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def close() -> int:
    """Print the last line; return the status."""
    tally.close()
    return tally.status
