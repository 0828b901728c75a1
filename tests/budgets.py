"""What a reader must read: the ceilings of programs and lessons.

Usage: python3 -m tests.budgets [CHAPTER...]

For each chapter: lines of its .cu, of device code (comments and blank lines left out),
lines of `make diff`, words of its page with all that is folded, numerals in 100
words of prose; with ! what is above its ceiling. Without a name README.md too, in
lines. Prints a table, then `N passed, N failed`.
"""

import re
import subprocess
import sys
from typing import List, Optional, Tuple

from tests.checks import close, read, tally
from tools import course

DEVICE = {"gemm_03": 30, "gemm_04": 38, "gemm_05": 50, "gemm_06": 72,
          "gemm_07": 74, "gemm_08": 96}
DIFF = {"gemm_04": 40, "gemm_05": 40, "gemm_06": 72, "gemm_07": 25,
        "gemm_08": 62, "gemm_09": 45, "gemm_10": 40}
LINES = {"tensor": 260, "attention": 260}  # of the program, by group
WORDS = {"first": 700, "gemm": 2200, "tensor": 2200, "attention": 2200, "patterns": 3000}
NUMERALS = 6.0
README = 100  # lines without the rows of chapters


def device_lines(text: str) -> int:
    """Return the lines of kernels and of functions that they call."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    lines = [line for line in text.splitlines() if line.strip()]
    count, inside = 0, False
    for line in lines:
        starts = re.match(r"\S.*(__global__|__device__)|__global__", line)
        inside = inside or bool(starts) and not line.rstrip().endswith(";")
        count += inside and not line.startswith("#")
        inside = inside and not line.startswith("}")
    return count


def diff_lines(chapter: str) -> int:
    """Return the lines that `make diff` counts."""
    text = subprocess.run(["make", "-s", f"chapter={chapter}", "diff"],
                          text=True, stdout=subprocess.PIPE, check=True).stdout
    return int(re.search(r"^(\d+) lines changed", text, re.M)[1])


def prose(text: str) -> str:
    """Return a page without code, tables, pictures, headings and markers."""
    text = re.sub(r"<!--.*?-->|```.*?```|</?details>|</?summary>", "", text,
                  flags=re.S)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return "\n".join(line for line in text.splitlines()
                     if not re.match(r"\s*\||#|!\[|    (?!\d\. )\S", line))


def numerals(text: str) -> float:
    """Return the numerals in 100 words; names such as gemm_03 are none."""
    words = len(text.split())
    text = re.sub(r"`[^`]*`|\b(gemm_|tensor_|attention_|L|A|H|FP|sm_)\d+\b", "", text)
    text = re.sub(r"(?m)^\s*\d\. ", "", text)
    return 100 * len(re.findall(r"\d[\d,.]*\d|\d", text)) / max(words, 1)


def measures(chapter: str) -> List[Tuple[str, Optional[float], Optional[float]]]:
    """Return of each column its name, the chapter's value, and the ceiling."""
    short, group = course.short(chapter), course.groups()[chapter]
    program = read(f"chapters/{chapter}/{chapter}.cu")
    page = prose(read(f"chapters/{chapter}/README.md"))
    words = len(page.split())
    return [
        ("lines", len(program.splitlines()), LINES.get(group)),
        ("device", device_lines(program), DEVICE.get(short)),
        ("diff", diff_lines(chapter) if short in DIFF else None, DIFF.get(short)),
        ("words", words, WORDS.get(group)),
        # Of a page that is only begun the share says nothing.
        ("numerals", numerals(page) if words > 100 else None, NUMERALS)]


def main() -> int:
    """Measure every chapter, or those that are named."""
    if not sys.argv[1:]:
        lines = sum(not re.match(r"\| \[\w+\]\(chapters/", line)
                    for line in read("README.md").splitlines())
        tally.add(lines > README)
        print(f"README.md: {lines} lines{'!' * (lines > README)}")
    for chapter in sys.argv[1:] or course.chapters():
        row = f"{chapter:<24}"
        for name, value, ceiling in measures(chapter):
            cell = f"{name} -" if value is None else f"{name} {value:.4g}"
            if value is not None and ceiling is not None:
                tally.add(value > ceiling)
                cell += "!" * (value > ceiling)
            row += f"{cell:<16}"
        print(row.rstrip(), flush=True)
    return close()


if __name__ == "__main__":
    course.script(main)
