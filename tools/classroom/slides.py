"""Slides: what each lesson says on the board, one slide a printed page.

Of a lesson come its title, with what held the last kernel back; the first sentences of
the idea; two pictures; the Predict table, empty; the piece of code with most loops; the
times of How fast; the Takeaway.
"""

import html
import re
from typing import Dict, List

from tools import course, limits
from tools.classroom import sheets
from tools.site import pages, tree
from tools.site.tree import Element, make

PICTURES = 2  # of a lesson, at most
SHORT = 500  # letters that go on one slide


def held_back(chapter: str) -> List[Element]:
    """Return what the last kernel used most, by the H200's records: that of the
    chapter before, or the first variant. Nothing if there is none."""
    group = course.chapters(course.groups()[chapter])
    own = course.by_variant(chapter)
    before = chapter if own else group[group.index(chapter) - 1]
    rows = {row[0]: row for row in limits.rows(
        limits.recorded(before), known_only=True)}
    if not rows or not own and chapter == group[0]:
        return []
    size = "4096" if "4096" in rows else next(iter(rows))
    *_, ms, most = rows[size]
    what, share = re.fullmatch(r"(.*) (\d+) %|-", most).groups()
    name = f"First: {size}" if own else f"Before: {course.short(before)} at {size}"
    return [make("p", f"{name}, {ms} ms on an H200. Most in use: {what}, {share} % of the "
                 "time.", class_="held")] if what else []


def first_sentence(paragraph: Element) -> Element:
    """Return the first sentence of a paragraph as an item of a list."""
    parts: List[tree.Part] = []
    for part in list(paragraph.contents):
        end = re.search(r"[.?!](?=\s)", part) if isinstance(part, str) else None
        parts.append(part[:end.end()] if end else part)
        if end:
            break
    return make("li", *parts)


def letters(blocks: List[Element]) -> int:
    """Return how many letters some blocks have."""
    return sum(len(tree.words(block)) for block in blocks)


def body(heading: str, blocks: List[Element]) -> str:
    """Return the body of a slide; site.js finds the size of its letters."""
    return f"{heading}<div>{''.join(map(tree.outer, blocks))}</div>"


def slides(chapter: str, lesson: pages.Page) -> List[str]:
    """Return the bodies of a lesson's slides; none where it shows no code yet."""
    label, part = f"slides_{chapter}", sheets.sections(lesson)
    code = [block for block in part["The kernel"] if block.get("class") == "fragment"]
    if not code:
        return []
    title = f'<h2 id="{label}">{html.escape(lesson.title)}</h2>'
    first, *others = [block for block in part["idea"] if block.name == "p"]
    items = [first_sentence(one) for one in others if not tree.words(one).endswith(":")]
    head, idea = [*held_back(chapter), first], [make("ul", *items)] * bool(items)
    made = [body(title, head + idea)] if letters(head + idea) < SHORT else [
        body(title, head), body("<h3>The idea</h3>", idea)]
    figures = [block for blocks in part.values() for block in blocks
               if block.name == "figure"][:PICTURES]
    for figure in figures:
        made.append(tree.outer(figure))
    said = sheets.questions(part)
    for cell in (cell for block in said for cell in block("td", string="?")):
        cell.clear()
    made.append(body("<h3>Predict</h3>", said))
    made.append(body("<h3>The code</h3>", [max(reversed(code), key=lambda block: len(
        re.findall(r"\bfor\b", tree.words(block))))]))
    times = part.get("How fast", [])
    at = next((i for i, block in enumerate(times) if block.name == "table"), None)
    if at is not None:
        after = next(block for block in times[at:] if block.name == "p")
        made.append(body("<h3>How fast</h3>", [times[at], after]))
    takeaway = part["Takeaway"]
    end = next((i for i, one in enumerate(takeaway) if one.name == "details"), len(takeaway))
    return made + [body("<h3>Takeaway</h3>", takeaway[:end])]


def write(lessons: Dict[str, pages.Page]) -> None:
    """Write the page."""
    made = []
    for chapter, lesson in lessons.items():
        some = slides(chapter, lesson)
        made += [f'<section class="slide"><div>{text}<p class="foot">'
                 f"{course.short(chapter)} {number}/{len(some)}</p></div></section>\n"
                 for number, text in enumerate(some, 1)]
    sheets.page(
        "slides", "Slides", "Printed, each is a page. Arrows down and up go from one to "
        "the next.", "A4 landscape; margin: 0", made)
