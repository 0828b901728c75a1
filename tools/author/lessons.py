"""Renew what lessons quote: code from the sources, tables from the data.

Usage: python3 -m tools.author.lessons [--check] [FILE...]                          (make lessons)

Reads README.md, chapters/*/README.md, docs/*.md, docs/*/*.md and the
simulator's README.md and writes anew what stands between <!-- MARKER -->, of one
line or more, and <!-- endsnippet -->, <!-- endtable --> or <!-- endoutput -->:

    snippet FILE NAME       code between two lines `// [NAME]` of FILE, which
                            lies beside the lesson
    output KIND ...         what a run prints: outputs.py says which there are
    table NAME ...          counts and records: tables.py

elsewhere.py makes the notebook of docs/notebook.md, and what names the repository.

The table `features` is left alone: simulator/tests/test_features.py writes it.

--check writes nothing, names file and line of what is stale and the first line
that differs, and ends with 1. Of a page in Chinese it also names what the English
one has changed (chinese.py).
"""

import difflib
import glob
import os
import re
import sys
from typing import List, Tuple

from tools import course
from tools.author import chinese, elsewhere, outputs, tables
from tools.author.outputs import Stale

MARKED = re.compile(
    r"^(<!-- (snippet|table|output) (?!features)(.*?) -->)\n"
    r"(.*?)(^<!-- end\2 -->$|\Z)", re.S | re.M)
LANGUAGE = {".cu": "cuda", ".cuh": "cuda", ".py": "python", ".sh": "sh"}


def snippet(lesson: str, path: str, name: str) -> List[str]:
    """Return the marked code, without its indent, in a fence."""
    path = os.path.join(os.path.dirname(lesson), path)
    marker = re.compile(rf"^\s*(//|#)\s*\[{re.escape(name)}\]\s*$")
    any_marker = re.compile(r"^\s*(//|#)\s*\[\w+\]\s*$")
    lines = course.text_of(path).splitlines()
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


def fill(path: str, kind: str, words: List[str]) -> List[str]:
    """Return what belongs between two markers."""
    if kind == "snippet":
        return snippet(path, *words)
    if kind == "output":
        return ["```text", *outputs.lines(*words), "```"]
    if words[0] not in tables.TABLES:
        raise Stale(f"no such table; there are {', '.join(tables.TABLES)}")
    made = tables.TABLES[words[0]](words[1:])
    return chinese.said(made) if chinese.is_chinese(path) else made


def renew(path: str) -> Tuple[str, str, List[str]]:
    """Return the old text, the new one and what was wrong."""
    old, wrong = course.text_of(path), []

    def filled(match: "re.Match[str]") -> str:
        marker, kind, text, inside, end = match.groups()
        words, lines = text.split(), inside.splitlines()
        place = f"{path}:{old.count(chr(10), 0, match.start()) + 1}"
        name = " ".join([kind, *words])
        try:
            if not end or MARKED.search(inside):
                raise Stale(f"no <!-- end{kind} -->")
            new_lines = fill(path, kind, words)
        except (Stale, IndexError, KeyError, TypeError, ValueError) as error:
            sys.exit(f"{place}: {name}: {error}")
        if new_lines != lines:
            first = next(line for line in difflib.ndiff(lines, new_lines)
                         if line[0] in "-+")
            wrong.append(f"{place}: stale {name}: {first}")
        return "\n".join([marker, *new_lines, end])

    return old, MARKED.sub(filled, old), wrong


def main(words: List[str]) -> int:
    """Renew or check every lesson, or those that are named."""
    check = words[:1] == ["--check"]
    paths = words[check:]
    for path in paths:
        if not os.path.isfile(path):
            raise course.Unusable(f"lessons: {path}: no such file")
    paths = paths or sorted(
        path for pattern in ("README.md", "simulator/README.md",
                             "chapters/*/README.md", "docs/*.md", "docs/*/*.md")
        for path in glob.glob(pattern))
    course.forget_make()
    stale: List[str] = []
    for path in paths:
        old, new, wrong = renew(path)
        stale += [f"{line}; make lessons renews it" for line in wrong]
        if check:
            stale += chinese.stale(path) if chinese.is_chinese(path) else []
            continue
        if new != old:
            course.write(path, new)
        print(f"{'renewed' if new != old else 'fresh':<8} {path}", flush=True)
    for path, text in ({} if words[check:] else elsewhere.made()).items():
        if course.text_of(path) != text:
            stale.append(f"{path} is stale; make lessons renews it")
            if not check:
                course.write(path, text)
    for line in stale if check else []:
        print(line, file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    course.script(lambda: main(sys.argv[1:]))
