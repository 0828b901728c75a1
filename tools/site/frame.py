"""The frame of every page, docs/site/page.html: its navigation, and what stands around
its text.

What there is to read is a list of parts, each with its places in their order. Every
page has all of it as links, open where the reader is, so that no page needs a
script. A page that is in no part (a listing) says at which place it belongs.
"""

import functools
import glob
import html
import os
import re
from typing import Dict, List, NamedTuple, Tuple

import jinja2

from tools import course, edits
from tools.author import chinese
from tools.site import pages, pieces

TEMPLATES = jinja2.Environment(loader=jinja2.FileSystemLoader("docs/site"), autoescape=True,
                               trim_blocks=True, lstrip_blocks=True)
HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.S)
# What a page is for; the others are to look something up.
PARTS = {"commands": "Use it", "how_to_read_a_profile": "Use it", "notebook": "Use it",
         "teaching": "Teach", "exam": "Teach", "grader": "Teach",
         "simulator": "Build it", "contributing": "Build it"}


class Place(NamedTuple):
    """A page: its address without .html, its name, a short name before that."""

    label: str
    name: str
    short: str = ""
    below: Tuple["Place", ...] = ()  # shown to those who are here

    @property
    def labels(self) -> List[str]:
        """Itself and what is below it."""
        return [self.label, *(place.label for place in self.below)]


def task(path: str) -> Place:
    """Return the place of an exercise or a bug hunt."""
    kind = os.path.basename(path)[:-len(".md")].capitalize()  # exercise, capstone
    kind = "Bug hunt" if kind.startswith("Hunt_") else kind
    return Place(pages.label(path), f"{kind}: {pages.title(path).partition(': ')[2]}")


def program(path: str, name: str, short: str = "") -> Place:
    """Return the place of a program."""
    return Place(pieces.page(path)[:-len(".html")], name, short)


def lesson(chapter: str) -> Place:
    """Return the place of a lesson, with its program and what there is to do below."""
    path = f"chapters/{chapter}/README.md"
    short, _, name = pages.title(path).partition(": ")
    first = pieces.programs(chapter)[0]
    called = "The program" if first.endswith(".cu") else "The variants"
    broken = [Place(f"break_{chapter}", "Break it")] * bool(edits.told(chapter))
    return Place(pages.label(path), name, short,
                 (program(first, called), *map(task, pages.tasks_of(chapter)), *broken))


@functools.lru_cache(maxsize=None)
def parts() -> Dict[str, List[Place]]:
    """Return all of the site by its parts, in the order in which it is read."""
    found = {"Start": [Place("index", "Start")]}
    for chapter, group in course.groups().items():
        found.setdefault(course.GROUPS.get(group, group.capitalize()), []).append(lesson(chapter))
    found["Explorers"] = [Place("explorers", "All explorers"), *(
        Place(path[len("docs/"):-len(".html")], html.unescape(re.findall(
            "<title>(.*?) explorer</title>", course.text_of(path))[0]))
        for path in sorted(glob.glob("docs/explorers/*.html")))]
    found.update({"Use it": [], "Look up": [], "Experiments": [], "Teach": [], "Build it": [],
                  "中文": []})
    for path, label in pages.known().items():
        if not path.startswith(("chapters/", "README", "docs/explorers")):
            part = "Experiments" if "experiments/" in path else "中文" \
                if chinese.is_chinese(path) else PARTS.get(label, "Look up")
            found[part].append(Place(label, pages.title(path)))
    found["Build it"].append(Place("sources", "Reference"))
    return found


@functools.lru_cache(maxsize=None)
def beside() -> Dict[str, Dict[str, Place]]:
    """Return the pages before and after each: of lessons, each with what there is to do
    in it; of programs; of each other part."""
    lessons: List[Place] = []
    rows = [lessons, [program(path, pieces.called(path), course.short(chapter))
                      for chapter in course.chapters() for path in pieces.programs(chapter)]]
    for places in parts().values():
        row = [one for place in places for one in (place, *place.below)
               if not one.label.startswith(("code_", "break_"))]
        if places[0].below:
            lessons += row
        else:
            rows.append(row)
    found: Dict[str, Dict[str, Place]] = {}
    for before, after in (pair for row in rows for pair in zip(row, row[1:])):
        found.setdefault(after.label, {})["prev"] = before
        found.setdefault(before.label, {})["next"] = after
    return found


def write(title: str, label: str, body: str, at: str = "", **more: str) -> None:
    """Write a whole page: LABEL.html.

    A page without a place of its own stands @p at another one. @p more are a path, a
    line above its title, a head, what is added to the head, and a kind, the class of
    the text.
    """
    about = re.search("<p>(.*?)</p>", body, re.S)
    course.write(f"{pages.OUT}/{label}.html", TEMPLATES.get_template("page.html").render(
        more, title=title, label=label, body=body, at=at or label, root="../" * label.count("/"),
        about=about.group(1) if about else title, parts=parts(), beside=beside().get(label),
        headings=HEADING.findall(body) if label != "index" else []))
