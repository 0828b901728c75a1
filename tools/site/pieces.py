"""The pieces of a program of a chapter, by name, and where its page shows them.

A piece is what stands between two marks // [NAME], or the function NAME with the
comment above it.
"""

import os
import re
from typing import Dict, List, Tuple

from tools import course

Lines = Tuple[int, int]  # the first and the last, from 1 on

MARK = re.compile(r"\s*(?://|#)\s*\[(\w+)\]\s*")


def page(path: str) -> str:
    """Return the page of a program: code_gemm_01_naive.html, code_scan_rows.html."""
    chapter, stem = path.split("/")[1], os.path.splitext(os.path.basename(path))[0]
    return f"code_{chapter}" + (f"_{stem}" if stem != chapter else "") + ".html"


def programs(chapter: str) -> List[str]:
    """Return the sources of a chapter: what one reads first, then the others."""
    first = list(course.variants(chapter).values()) or [
        f"chapters/{chapter}/{chapter}.cu"]
    return first + [path for path in course.sources(chapter) if path not in first]


def called(path: str) -> str:
    """Return what a program is called within its chapter."""
    several = len(course.sources(path.split("/")[1])) > 1
    return os.path.basename(path) if several else "the program"


def marked(lines: List[str]) -> Dict[str, Lines]:
    """Return the pieces between marks."""
    found: Dict[str, Lines] = {}
    for number, line in enumerate(lines, 1):
        mark = MARK.fullmatch(line)
        if mark:
            first = found.get(mark.group(1), (number + 1, 0))[0]
            found[mark.group(1)] = (first, number - 1)
    return found


def functions(lines: List[str]) -> Dict[str, Lines]:
    """Return the functions: their braces stand at the margin."""
    found: Dict[str, Lines] = {}
    opened = 0
    for number, line in enumerate(lines, 1):
        opened = number if line == "{" else opened
        if line != "}" or not opened:
            continue
        first = opened
        while first > 1 and lines[first - 2] and \
                not re.match(r"[}#]|/\* ---", lines[first - 2]):
            first -= 1
        while MARK.fullmatch(lines[first - 1]):
            first += 1
        head = course.blank("\n".join(lines[first - 1:opened]))
        name = re.search(r"\b(?!__)(\w+)\s*\(", course.ATTRIBUTE.sub(" ", head))
        if name:
            found[name.group(1)] = (first, number)
        opened = 0
    return found


def pieces(path: str) -> Dict[str, Lines]:
    """Return all pieces of a program; a mark goes before a function."""
    lines = course.text_of(path).split("\n")
    return {**functions(lines), **marked(lines)}
