"""For the teacher beside a student: wrong answers to the exercises, and what to ask.

They are the entries `asks` of tests/changes, each a difference from the solution.
"""

import difflib
import html
from typing import Dict

from tools import course, edits
from tools.classroom import sheets
from tools.site import pages, tree

ABOUT = ("Three wrong answers to each exercise: what the student writes, as a change of "
         "the solution, what decides in what <code>make grade</code> says of it, and "
         "what to ask, which gives nothing away. They are what the hazards of each "
         "lesson suggest; nobody has counted how usual they are.")


def difference(before: str, after: str) -> str:
    """Return the lines that go and come, and those between them that stay."""
    return "".join(f"{line}\n" for line in difflib.ndiff(
        before.splitlines(), after.splitlines()) if line[0] != "?")


def answer(one: edits.Change) -> str:
    """Return one wrong answer."""
    change, said = (html.escape(text) for text in (
        "".join(difference(*edit) for edit in one.edits), "\n".join(one.ends)))
    return (f"<h3>{html.escape(one.name)}</h3>\n"
            f'<pre class="fragment">{change}</pre>\n<pre class="fragment">{said}</pre>\n'
            f"<p>{tree.inline(' '.join(one.question.split()))}</p>\n")


def write(lessons: Dict[str, pages.Page]) -> None:
    """Write the page."""
    sheets.page(
        "wrong_answers", "Wrong answers", ABOUT, "A4; margin: 14mm",
        [f'<section>\n<h2 id="wrong_answers_{chapter}">{html.escape(lesson.title)}</h2>\n'
         + "".join(map(answer, asked)) + "</section>\n"
         for chapter, lesson in lessons.items()
         if (asked := edits.entries(chapter, "asks"))])
