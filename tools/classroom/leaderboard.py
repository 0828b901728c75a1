"""The leaderboard of the capstone: whose GEMM needs least.

Who is right at all sizes stands in it, with two times in microseconds. One is what an
H200 takes at least for what was counted at the size of the gates, as tools/limits.py
computes it: the longest of its L1, its schedulers and its tensor cores, at the clock
of the chapter's record in docs/results/. Multiply-adds are taken to be those of the
product at least: another kind of arithmetic, which nobody counts, gains nothing. The
other is what a GPU took in the gate of speed, where one answers.
"""

import re
from typing import Iterator, List, NamedTuple, Optional

from tools import course, limits
from tools.classroom.grade_report import Grade

TIME = re.compile(r", (\S+) ms beside")  # in the note of a gate of speed


class Entry(NamedTuple):
    """Who stands in it."""

    student: str
    bound_us: float
    time_us: Optional[float]  # None: no GPU has timed it


def bound(record: dict, chapter: str) -> float:
    """Return the least time (us) of an H200 for the counts of a run's record."""
    size, counted = record["size"], record["counts"]
    product = size["M"] * size["N"] * size["K"]
    cycles = limits.cycles(
        {**counted, "ffma": max(counted["ffma"], product)}, record)
    clock = next(iter(course.timed(chapter).values()))["clocks_mhz"]["sm"]
    return max(filter(None, cycles)) / clock


def enter(found: dict, made: Grade) -> None:
    """Add both times of a file that is right to results.json, and a line to read."""
    if not made.counted or any(one.state == "failed" for one in made.outcomes
                               if one.gate.layer == "correct"):
        return
    least = bound(made.counted, made.task.chapter)
    time = next((1e3 * float(ms) for one in made.outcomes
                 for ms in TIME.findall(one.note)), None)
    found["extra_data"].update(bound_us=least, time_us=time)
    size = " x ".join(str(made.counted["size"][name]) for name in "MNK")
    found["output"] += (f"\nleaderboard: at least {least:.3f} us on an H200 for {size}"
                        + (f"; {time:g} us here, timed" if time else ""))


def ranking(students: list) -> List[Entry]:
    """Return who stands in it, the best first: by time where all have one."""
    data = [(one.name, work.found["extra_data"]) for one in students
            for work in one.works.values()]
    made = [Entry(name, its["bound_us"], its["time_us"]) for name, its in data
            if "bound_us" in its]
    timed = all(one.time_us for one in made)
    return sorted(made, key=lambda one: (
        one.time_us if timed else one.bound_us, one.student))


def rows(students: list) -> Iterator[List[str]]:
    """Yield the leaderboard's cells under their head; nothing if it is empty."""
    made = ranking(students)
    if made:
        yield ["place", "student", "bound_us", "time_us"]
    for place, one in enumerate(made, 1):
        yield [str(place), one.student, f"{one.bound_us:.3f}",
               f"{one.time_us:g}" if one.time_us else ""]
