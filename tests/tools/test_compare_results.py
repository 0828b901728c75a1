"""make compare-results on records made here."""

import json
import re

import pytest

from ..conftest import Ended, House

# What is said of it; min, median, max in a and in b; more in a.
ROWS = (
    (r"2 +1 +2.000  faster", "faster", (1.9, 2, 2.1), (0.9, 1, 1.1)),
    (r"2 +2.5 +0.800  slower", "slower", (1.9, 2, 2.1), (2.2, 2.5, 2.6)),
    (r"2 +1 +2.000", "overlaps", (1, 2, 2.1), (0.9, 1, 1.05)),
    (r"2 +2.03 +0.985", "apart by 1.5 percent", (1.995, 2, 2.005),
     (2.025, 2.03, 2.035)),
    (r"2 +2.05 +0.976  slower", "apart by 2.5 percent", (1.995, 2, 2.005),
     (2.045, 2.05, 2.055)),
    (r"2\* +2 +1.000", "throttled", (1.9, 2, 2.1), (1.9, 2, 2.1)))


def record(variant: object, n: int, times: tuple, **more: object) -> str:
    """Return a line of a file."""
    least, median, most = times
    return json.dumps({
        "chapter": "scan", "variant": variant, "device": "NVIDIA H200",
        "commit": "abc", "size": {"n": n, "ldx": 4}, "time_ms": {
            "min": least, "median": median, "max": most, "repeats": 20, "batch": 1,
            "l2": "cold"}, **more}) + "\n"


ONE = record("x", 1, (1.9, 2, 2.1))


def compare(house: House, a: str, b: str, wanted: int = 0) -> Ended:
    """Compare two files or commits."""
    return house.make("compare-results", f"a={a}", f"b={b}", wanted=wanted)


def test_marked_is_what_lies_apart_and_is_more_than_drift(house: House) -> None:
    slowed = {"throttled": {"slowed_ms": {"SW Power Capping": 9}}}
    house.write("a.jsonl", record("gone", 1, (1.9, 2, 2.1)) + "".join(
        record(name, 1, a, **slowed.get(name, {})) for _, name, a, _ in ROWS))
    house.write("b.jsonl", (record("faster", 2, (1.9, 2, 2.1)) + "".join(
        record(name, 1, b) for _, name, _, b in ROWS)).replace("H200", "H100"))
    said = compare(house, "a.jsonl", "b.jsonl")
    said.has("a  a.jsonl: 7 times, on NVIDIA H200\n",
             "b  b.jsonl: 7 times, on NVIDIA H100\n")
    for row, name, *_ in ROWS:
        assert re.search(f"(?m)^  {name} +{row}$", said.text), said.text
    said.has("6 in common: b is faster in 1, slower in 2, the same within noise in 3;",
             "only in a: 1, only in b: 1")
    # The other way round: the other words. A file is itself.
    assert re.search("(?m)^  faster +1 +2 +0.500  slower$",
                     compare(house, "b.jsonl", "a.jsonl").text)
    compare(house, "a.jsonl", "a.jsonl").has("faster in 0, slower in 0,")


def test_two_commits_and_a_file_of_a_commit(house: House) -> None:
    def commit() -> None:
        house.run("git", "add", "docs")
        house.run("git", "-c", "user.name=x", "-c", "user.email=x@y", "commit",
                    "-qm", "x")

    house.run("git", "init", "-q", ".")
    house.write("docs/results/h200.jsonl", record(None, 1, (1.9, 2, 2.1)))
    house.write("docs/results/h100.jsonl", record(None, 1, (8.9, 9, 9.1)))
    commit()
    house.write("docs/results/h200.jsonl", record(None, 1, (0.9, 1, 1.1)))
    commit()
    compare(house, "HEAD~1", "HEAD").has("\nscan\n", "  n=1 ", "2.000  faster")
    compare(house, "HEAD", "HEAD~1:docs/results/h100.jsonl").has("0.111  slower")


@pytest.mark.parametrize("a, b, why", [
    (ONE, record("x", 2, (1.9, 2, 2.1)),
     "no chapter, variant and size that both have"),
    *((ONE, ONE + line, "b.jsonl:2: ") for line in (
        '{"chapter": "sc', "[]", "3", '{"chapter": "scan", "args": ""}')),
    (ONE, "", "b.jsonl: no file, and no commit with docs/results/h200.jsonl"),
    ("", "", "a= and b= name ")])
def test_what_cannot_be_compared(house: House, a: str, b: str,
                                 why: str) -> None:
    for name, text in (("a.jsonl", a), ("b.jsonl", b)):
        if text:
            house.write(name, text)
    said = compare(house, "a.jsonl" * bool(a), "b.jsonl", wanted=2)
    assert said.lines[-2].startswith(f"compare-results: {why}"), said.text
