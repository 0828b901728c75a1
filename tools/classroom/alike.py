"""Which submissions of an exercise are alike: a hint to read both, no verdict.

Of each file the tokens are taken, without comments and white space; a name counts
as a name, whichever it is, a number as itself. Of all runs of GRAM tokens each
window of WINDOW keeps the one with the least hash: its fingerprints, as in

    Schleimer, Wilkerson, Aiken: Winnowing: Local Algorithms for Document
    Fingerprinting, SIGMOD 2003

What the skeleton or the solution has, or more than a third of the class, says
nothing of two; what is left is what a student wrote alone. Exercises are short: who
wrote less than LEAST is not compared. Nor are five or fewer: two of them are more
than a third.
"""

import itertools
import re
import zlib
from collections import Counter
from typing import Dict, List, NamedTuple, Set

from tools import course
from tools.classroom import skeletons, tasks

GRAM = 6  # tokens
WINDOW = 3  # grams
LEAST = 20  # fingerprints, of about 40 tokens
ALIKE = 0.6  # of what either has, both have
MOST = 1 << 16  # bytes of a file; more was not written by hand
TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|<<<|>>>|<<=|>>="
                   r"|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|->|\+\+|--|\S")
WORDS = set("__global__ __device__ __shared__ __syncthreads auto bool break case char "
            "const constexpr continue do double else float for goto if inline int "
            "int64_t long return short sizeof static struct switch unsigned void "
            "volatile while".split())


class Pair(NamedTuple):
    """Two students whose files of a task are alike."""

    one: str
    other: str
    task: tasks.Task
    share: float  # of what they wrote

    def __str__(self) -> str:
        return (f"{self.one} and {self.other}, {course.short(self.task.name)}: "
                f"{100 * self.share:.0f} % of what they wrote is alike; read both")


def grams(text: str) -> List[int]:
    """Return the hashes of all runs of GRAM tokens."""
    tokens = [word if word in WORDS or not re.match(r"[A-Za-z_]", word) else "name"
              for word in TOKEN.findall(course.blank(text))]
    return [zlib.crc32(" ".join(tokens[i:i + GRAM]).encode())
            for i in range(len(tokens) - GRAM + 1)]


def fingerprints(text: str) -> Set[int]:
    """Return what winnowing keeps of a text."""
    hashes = grams(text)
    return {min(hashes[i:i + WINDOW]) for i in range(len(hashes) - WINDOW + 1)}


def pairs(task: tasks.Task, texts: Dict[str, str]) -> List[Pair]:
    """Return who wrote alike, of texts by student, the most alike first."""
    made = {student: fingerprints(text) for student, text in texts.items()
            if len(text) <= MOST}
    many = Counter(one for its in made.values() for one in its)
    known = {*grams(skeletons.of(task)), *grams(course.text_of(task.solution)),
             *(one for one, count in many.items() if 3 * count > len(texts))}
    alone = {student: its - known for student, its in made.items()
             if len(its - known) >= LEAST}
    found = [Pair(one, other, task, len(alone[one] & alone[other])
                  / len(alone[one] | alone[other]))
             for one, other in itertools.combinations(sorted(alone), 2)]
    return sorted((pair for pair in found if pair.share >= ALIKE),
                  key=lambda pair: -pair.share)
