"""What a class has guessed wrong: make predictions submissions=DIR.

DIR/STUDENT/predict/CHAPTER.json is what tools/predict.py has kept of the first time.
A question has how many were wrong and the commonest wrong answers; who had none is
not wrong.
"""

import glob
import json
import os
from collections import Counter
from contextlib import suppress
from typing import Dict, Iterator, List, Tuple

from tools import counts, course, predict
from tools.classroom import class_files

COMMON = 3  # wrong answers of a question
LONGEST = 20  # letters of one
MOST = 1 << 20  # bytes of a file


def plain(answer: str) -> str:
    """Return an answer as a number, if it is one: 2^5, 32 and 3.2e1 are the same."""
    with suppress(ValueError):
        return counts.show(predict.arithmetic(answer[:LONGEST]))
    return class_files.shown(answer[:LONGEST])


def answers(folder: str, chapter: str) -> Iterator[Tuple[str, str, bool]]:
    """Yield question, answer, whether it was right; links, and what no goal has
    written, are left out."""
    places = (f"{glob.escape(folder)}/*/{mine}predict/{chapter}.json"
              for mine in ("", "mine/"))
    for path in sorted(path for place in places for path in glob.glob(place)):
        own = os.path.join(os.path.realpath(folder), os.path.relpath(path, folder))
        if os.path.realpath(path) != own or os.path.getsize(path) > MOST:
            continue
        with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
            for given in json.loads(course.text_of(path)):
                yield str(given["question"]), given["answer"].strip("? "), given["right"]


def lines(folder: str, *chapters: str) -> List[str]:
    """Return a line for each question that somebody has answered wrong."""
    found = []
    for chapter in chapters or course.chapters():
        asked: Dict[str, List[Tuple[str, bool]]] = {
            question.text: [] for question in predict.read(chapter)}
        for question, answer, right in answers(folder, chapter):
            asked.get(question, []).append((answer, right))
        for question, given in asked.items():
            wrong = Counter(plain(answer) for answer, right in given
                            if answer and not right)
            most = ", ".join(f"{answer} ({number})" if number > 1 else answer
                             for answer, number in wrong.most_common(COMMON))
            if wrong:
                found.append(f"{course.short(chapter)} {question}: "
                             f"{sum(wrong.values())} of {len(given)} wrong: {most}")
    return found
