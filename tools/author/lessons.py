#!/usr/bin/env python3
"""Renew what lessons quote: code from the sources, tables from the data.

Usage: lessons.py [--check] [FILE...]                          (make lessons)

Reads README.md, chapters/*/README.md, docs/*.md, docs/experiments/*.md and the
simulator's README.md and writes anew what stands between a line <!-- MARKER -->
and <!-- endsnippet -->, <!-- endtable --> or <!-- endoutput -->:

    snippet FILE NAME       code between two lines `// [NAME]` of FILE, which
                            lies beside the lesson
    output NAME ...         what a run prints: outputs.py says which there are
    table NAME ...          counts and records: tables.py

The table `features` is left alone: simulator/tests/test_features.py writes it.

--check writes nothing, names file and line of what is stale and the first line
that differs, and ends with 1.
"""

import difflib
import glob
import os
import re
import sys
from typing import List, Tuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import course  # noqa: E402
import outputs  # noqa: E402
import tables  # noqa: E402
from outputs import Stale  # noqa: E402

LANGUAGE = {".cu": "cuda", ".cuh": "cuda", ".py": "python", ".sh": "sh"}


def read_lines(path: str) -> List[str]:
    """Return the lines of a file, or none if it does not exist."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def snippet(lesson: str, path: str, name: str) -> List[str]:
    """Return the marked code, without its indent, in a fence."""
    path = os.path.join(os.path.dirname(lesson), path)
    marker = re.compile(rf"^\s*(//|#)\s*\[{re.escape(name)}\]\s*$")
    any_marker = re.compile(r"^\s*(//|#)\s*\[\w+\]\s*$")
    lines = read_lines(path)
    places = [i for i, line in enumerate(lines) if marker.match(line)]
    if len(places) != 2:
        raise Stale(f"{path} has {len(places)} markers [{name}], not 2")
    code = [line for line in lines[places[0] + 1 : places[1]]
            if not any_marker.match(line)]
    indent = min((len(line) - len(line.lstrip()) for line in code
                  if line.strip() and not line.startswith("#")), default=0)
    code = [line if line.startswith("#") else line[indent:] for line in code]
    language = LANGUAGE.get(os.path.splitext(path)[1], "c")
    return [f"```{language}", *code, "```"]


def renew(path: str) -> Tuple[List[str], List[str], List[str]]:
    """Return the old lines, the new ones and what was wrong."""
    old = read_lines(path)
    new: List[str] = []
    wrong: List[str] = []
    i = 0
    while i < len(old):
        new.append(old[i])
        i += 1
        marker = re.fullmatch(r"<!-- (snippet|table|output) (?!features)(.*) -->",
                              new[-1])
        if not marker:
            continue
        kind, words = marker[1], marker[2].split()
        end = i
        while end < len(old) and old[end] != f"<!-- end{kind} -->":
            end += 1
        try:
            if end == len(old):
                raise Stale(f"no <!-- end{kind} -->")
            made = fill(path, kind, words)
        except (Stale, IndexError, KeyError, ValueError) as error:
            sys.exit(f"{path}:{i}: {kind} {marker[2]}: {error}")
        if made != old[i:end]:
            first = next(line for line in difflib.ndiff(old[i:end], made)
                         if line[0] in "-+")
            wrong.append(f"{path}:{i}: stale {kind} {marker[2]}: {first}")
        new += made
        i = end
    return old, new, wrong


def fill(path: str, kind: str, words: List[str]) -> List[str]:
    """Return what belongs between two markers."""
    if kind == "snippet":
        return snippet(path, words[0], words[1])
    if kind == "table":
        if words[0] not in tables.TABLES:
            raise Stale(f"no such table; there are {', '.join(tables.TABLES)}")
        return tables.TABLES[words[0]](words[1:])
    text = (list(tables.OUTPUTS[words[0]]()) if words[0] in tables.OUTPUTS
            else outputs.lines(*words))
    return ["```text", *text, "```"]


def main() -> int:
    """Renew or check every lesson, or those that are named."""
    check = sys.argv[1:2] == ["--check"]
    paths = sys.argv[1 + check:]
    for path in paths:
        if not os.path.isfile(path):
            raise course.Unusable(f"lessons: {path}: no such file")
    paths = paths or sorted(
        path for pattern in ("README.md", "simulator/README.md",
                             "chapters/*/README.md", "docs/*.md",
                             "docs/experiments/*.md")
        for path in glob.glob(pattern))
    course.forget_make()
    stale: List[str] = []
    for path in paths:
        old, new, wrong = renew(path)
        stale += wrong
        if check:
            continue
        if new != old:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(new) + "\n")
        print(f"{'renewed' if new != old else 'fresh':<8} {path}", flush=True)
    for line in stale if check else []:
        print(f"{line}; make lessons renews it", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    course.script(main)
