"""Show two files of make bench side by side: two GPUs, or two commits.

Each is a file, or a commit: of a commit docs/results/h200.jsonl is read, and
COMMIT:FILE names another file. What both have is the same chapter, variant and
size, with a cold or a warm L2.

A row says `faster` or `slower`, what b is beside a, if the difference is more
than noise, in two respects:

- the samples of a and b lie apart: the slowest of the one is faster than the
  fastest of the other
- the medians differ by more than DRIFT. Samples of one run agree better than
  two runs do: of 51 pairs of runs in the history of docs/results/h200.jsonl,
  on H200s, between which the chapter's source did not change, the samples of 15
  lie apart, and all medians but one (3.1 %) are within 1.7 %. DRIFT is no
  bound: when all was measured anew, with the same driver and toolkit, 4 of 73
  times of libraries moved by more, one of CUB's, of 6 us, by 4.9 %

A star behind a time: the GPU slowed itself down meanwhile, as make bench saw.
"""

import json
import os
import subprocess
import sys
from typing import Dict, List, Tuple

from tools import course, terminal
from tools.machine import fail

DRIFT = 0.02

Key = Tuple[str, str, str, str]  # chapter, variant, size in words, L2
NEEDED = {"chapter", "variant", "device", "commit", "size", "time_ms"}


def text_of(name: str) -> str:
    """Return the text of a file, or of a file of a commit."""
    if os.path.exists(name):
        return course.text_of(name)
    commit, _, path = name.partition(":")
    shown = subprocess.run(
        ["git", "show", f"{commit}:{path or course.RESULTS}"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, errors="replace")
    if shown.returncode:
        fail(f"compare-results: {name}: no file, and no commit with "
             f"{path or course.RESULTS}")
    return shown.stdout


def read(name: str) -> Dict[Key, dict]:
    """Return the timed records of a file or a commit."""
    records = {}
    for number, line in enumerate(text_of(name).splitlines(), 1):
        try:
            record = json.loads(line)
            if not NEEDED <= set(record):
                raise ValueError("no record of make bench")
        except (ValueError, TypeError) as error:
            fail(f"compare-results: {name}:{number}: {error}")
        if record["time_ms"]:
            records[record["chapter"], record["variant"] or "",
                    course.size_words(record), record["time_ms"]["l2"]] = record
    return records


def beyond_noise(a: dict, b: dict) -> bool:
    """Whether two times_ms differ by more than noise."""
    apart = a["max"] < b["min"] or b["max"] < a["min"]
    return apart and abs(b["median"] / a["median"] - 1) > DRIFT


def cell(record: dict) -> str:
    """Return a median (ms)."""
    star = "*" if record.get("slowed_ms") else " "
    return f"{record['time_ms']['median']:.4g}{star}"


def about(letter: str, name: str, records: Dict[Key, dict]) -> None:
    """Print what one side is."""
    for fact in ("device", "commit"):
        values = sorted({record[fact] or "not known"
                         for record in records.values()})
        words = ", ".join(values[:4]) + (", ..." if len(values) > 4 else "")
        print(f"{letter}  {name}: {len(records)} times, on {words}"
              if fact == "device" else f"   measured at {words}")


def compare(first: str, second: str) -> int:
    """Print the table; 1 if they have nothing in common."""
    a, b = read(first), read(second)
    about("a", first, a)
    about("b", second, b)
    common = [key for key in a if key in b]
    if not common:
        print("compare-results: no chapter, variant and size that both have",
              file=sys.stderr)
        return 1
    groups: Dict[str, List[List[str]]] = {}
    for key in common:
        chapter, variant, size, l2 = key
        words = size + (", L2 warm" if l2 == "warm" else "")
        times = a[key]["time_ms"], b[key]["time_ms"]
        ratio = times[0]["median"] / times[1]["median"]
        groups.setdefault(f"{chapter} {words}" if variant else chapter, [
            ["", "a (ms) ", "b (ms) ", "a / b", ""]]).append([
                f"  {variant or words}", cell(a[key]), cell(b[key]),
                f"{ratio:.3f}", ("faster" if ratio > 1 else "slower")
                if beyond_noise(*times) else ""])
    for head, rows in groups.items():
        print("\n".join(["", head, *terminal.lines(rows, 34, remarks=True)]))
    marks = [row[-1] for rows in groups.values() for row in rows[1:]]
    print(f"\n{len(common)} in common: b is faster in {marks.count('faster')}, "
          f"slower in {marks.count('slower')}, the same within noise in "
          f"{marks.count('')};\nonly in a: {len(a) - len(common)}, only in b: "
          f"{len(b) - len(common)}")
    return 0
