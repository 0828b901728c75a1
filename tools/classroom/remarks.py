"""What a teacher should read in a file, whose points are given all the same.

This is no wall: that is the process and its sandbox. A word is remarked once, and
only if the solution does without it.
"""

import re
from typing import List

from tools import course

KINDS = (
    ("names of the simulator's internals",
     r"\bsim_\w+|\bsim\s*::|\bno_sanitize\w*|\bdevice_(?:run|counters|launches)\w*"),
    ("a host function computes",
     r"\bcuda(?:Memcpy(?!ToSymbol)|MallocHost|MallocManaged|Host)\w*|\b__managed__"
     r"|\bcublas\w+"),
    # Ways to memory and to wait that are not among the counters of most gates.
    ("assembly or atomics that no gate counts",
     r"\b(?:atom|red|mbarrier|mma|ldmatrix|stmatrix)\.\w+|\bcp\.(?:async\.bulk|reduce)"
     r"|\bbar(?:rier)?\.\S+ [1-9]|\batomic\w+|\bcuda::(?:atomic|barrier)"))


def remarks(text: str, solution: str) -> List[str]:
    """Return the first line of each kind: line 33: a host function computes."""
    code = course.blank(text)
    found = []
    for what, pattern in KINDS:
        match = next((word for word in re.finditer(pattern, code)
                      if word[0] not in solution), None)
        if match:
            line = 1 + code.count("\n", 0, match.start())
            found.append(f"line {line}: {what}")
    return found
