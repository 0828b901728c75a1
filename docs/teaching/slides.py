#!/usr/bin/env python3
"""Slides: what each lesson says on the board, one slide a printed page.

Usage: slides.py FOLDER            (docs/site/build calls it)

FOLDER has the site's pages. Of a lesson come its title, with what held the last
kernel back; the first sentences of the idea; two pictures; the Predict table, empty;
the piece of code with most loops; the times of How fast; the Takeaway.
"""

import html
import math
import re
import sys
from typing import Dict, List

sys.path[:0] = ["tools", "docs/site"]

import book  # noqa: E402
import course  # noqa: E402
import limits  # noqa: E402
import sheets  # noqa: E402

FRAGMENT = re.compile(r'<div class="fragment">.*?</div>\n</div>', re.S)
PARAGRAPH = re.compile(r"<p>.*?</p>", re.S)
PICTURES = 2  # of a lesson, at most
SHORT = 500  # letters that go on one slide


def plain(text: str) -> str:
    """Return HTML without its tags."""
    return html.unescape(re.sub("<[^>]*>", "", text))


def held_back(chapter: str) -> str:
    """Return what the last kernel used most, by the H200's records: that of the
    chapter before, or the first variant. Nothing if there is none."""
    group = course.chapters(course.groups()[chapter])
    own = course.by_variant(chapter)
    before = chapter if own else group[group.index(chapter) - 1]
    rows = {row[0]: row for row in limits.rows(
        limits.recorded(before), known_only=True)}
    if not rows or not own and chapter == group[0]:
        return ""
    size = "4096" if "4096" in rows else next(iter(rows))
    *_, ms, most = rows[size]
    what, share = re.fullmatch(r"(.*) (\d+) %|-", most).groups()
    name = f"First: {size}" if own else f"Before: {course.short(before)} at {size}"
    return (f'<p class="held">{name}, {ms} ms on an H200. Most in use: {what}, '
            f"{share} % of the time.</p>\n") if what else ""


def sections(text: str) -> Dict[str, str]:
    """Return what stands below each heading of a lesson; before Predict: the idea."""
    idea, _, rest = re.sub(
        '<h2 id="[^"]*_predict">', "\0", text).partition("\0")
    parts = re.split(r"<h2 [^>]*>(.*?)</h2>", rest, flags=re.S)
    return {"idea": idea, **dict(zip(parts[1::2], parts[2::2]))}


def first_sentence(paragraph: str) -> str:
    """Return the first sentence of a paragraph; all of it if a tag is cut."""
    text = paragraph[len("<p>"):-len("</p>")]
    one = re.split(r"(?<=[.?!])\s", text)[0]
    return one if one.count("<") == 2 * one.count("</") else text


def fits(text: str, size: float) -> bool:
    """Whether there is room for a text with letters of this size, in hundredths of
    the slide's width. A row of a table is a block, as a paragraph is."""
    code = [line for one in FRAGMENT.findall(text) for line in plain(one).split("\n")]
    blocks = [len(plain(one)) + 4 * one.count("<td") for one in re.split(
        "</p>|</li>|</tr>", FRAGMENT.sub("", text))]
    lines = [math.ceil(letters * size * 0.53 / 90) for letters in blocks]
    wide = max([len(line) for line in code] + [
        0.8 * (max(min(30, len(plain(row.partition("</t")[0])))
                   for row in one.split("</tr>"))
               + len(plain(one.partition("</tr>")[0])) + 3 * one.count("<th "))
        for one in sheets.TABLE.findall(text)] + [0])
    return size * 0.61 * wide < 90 and size * (
        1.4 * len(code) + 1.4 * sum(lines) + 0.75 * len(lines)) < 56


def fitted(heading: str, text: str) -> str:
    """Return the body of a slide, its letters as large as there is room for."""
    size = next(tenths / 10 for tenths in range(36, 0, -1) if fits(text, tenths / 10))
    return f'{heading}<div style="--size: {size}">{text}</div>'


def slides(chapter: str, text: str) -> List[str]:
    """Return the bodies of a lesson's slides."""
    label, part = f"slides_{chapter}", sections(text)
    title = f'<h2 id="{label}">{sheets.titled(chapter)}</h2>'
    first, *others = PARAGRAPH.findall(part["idea"])
    first = held_back(chapter) + first
    idea = "".join(f"<li>{first_sentence(one)}</li>\n" for one in others
                   if not one.endswith(":</p>"))
    idea = f"<ul>\n{idea}</ul>" * bool(idea)
    made = [fitted(title, first + idea)] if len(plain(first + idea)) < SHORT else [
        fitted(title, first), fitted("<h3>The idea</h3>", idea)]
    made += [book.own_names(label, one)
             for one in sheets.FIGURE.findall(text)[:PICTURES]]
    made.append(fitted("<h3>Predict</h3>", sheets.questions(text).replace(
        ">?<", "><")))
    made.append(fitted("<h3>The code</h3>", max(
        reversed(FRAGMENT.findall(part["The kernel"])),
        key=lambda one: len(re.findall(r"\bfor\b", plain(one))))))
    times = sheets.TABLE.search(part.get("How fast", ""))
    if times:
        said = PARAGRAPH.search(part["How fast"], times.end())
        made.append(fitted("<h3>How fast</h3>", times.group() + said.group()))
    takeaway = part["Takeaway"].partition("<details>")[0]
    return made + [fitted("<h3>Takeaway</h3>", takeaway)]


def main() -> int:
    """Write the page; the arrow keys are slides.js."""
    out, made = sys.argv[1], []
    for chapter in course.chapters():
        some = slides(chapter, sheets.lesson(out, chapter))
        made += [f'<section class="slide"><div>{body}<p class="foot">'
                 f"{course.short(chapter)} {number}/{len(some)}</p></div></section>\n"
                 for number, body in enumerate(some, 1)]
    script = course.text_of("docs/teaching/slides.js")
    course.write(f"{out}/slides.html", sheets.page(
        "slides", "Slides", "Printed, each is a page. The arrow keys go from one to "
        "the next.", "A4 landscape; margin: 0", made).replace(
            "</body>", f"<script>\n{script}</script>\n</body>"))
    return 0


if __name__ == "__main__":
    course.script(main)
