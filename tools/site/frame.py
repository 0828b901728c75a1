"""The frame of every page: its navigation, and what stands around its text.

What there is to read is a list of parts, each with its places in their order. Every
page has all of it as links, open where the reader is, so that no page needs a
script. A page that is in no part (a listing) says at which place it belongs.
"""

import functools
import glob
import html
import os
import re
import string
from typing import Dict, List, NamedTuple, Tuple

from tools import course
from tools.site import pages, pieces, results

HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.S)


class Place(NamedTuple):
    """A page: its address without .html, its name, a short name before that."""

    label: str
    name: str
    short: str = ""
    below: Tuple["Place", ...] = ()  # shown to those who are here


def place(path: str) -> Place:
    """Return the place of a page of the repository; below a lesson are its tasks."""
    title = pages.title(path)
    short, _, name = title.partition(": ") if path.startswith("chapters/") else ("", "", title)
    if pages.is_task(path):
        kind = os.path.basename(path)[:-len(".md")].capitalize()  # exercise, capstone
        kind = "Bug hunt" if kind.startswith("Hunt_") else kind
        return Place(pages.label(path), f"{kind}: {name}")
    below = [place(task) for task in pages.known() if pages.is_task(task)
             and os.path.dirname(task) == os.path.dirname(path)]
    if path == "docs/results/README.md":
        below = [Place(label, title) for label, (title, _) in results.tables().items()]
    return Place(pages.label(path), name, short, tuple(below))


@functools.lru_cache(maxsize=None)
def parts() -> Dict[str, List[Place]]:
    """Return all of the site by its parts, in the order in which it is read."""
    found = {"Start": [Place("index", "Start"), Place("chapters", "All chapters")]}
    for chapter, group in course.groups().items():
        found.setdefault(course.GROUPS.get(group, group.capitalize()), []).append(
            place(f"chapters/{chapter}/README.md"))
    found["Explorers"] = [
        Place(f"explorers/{os.path.basename(path)[:-len('.html')]}", html.unescape(re.findall(
            "<title>(.*?) explorer</title>", course.text_of(path))[0]))
        for path in sorted(glob.glob("docs/explorers/*.html"))]
    rest = [path for path in pages.known() if not path.startswith(("chapters/", "README"))]
    experiments = os.path.dirname(pages.EXPERIMENTS)
    found["Pages"] = [place(path) for path in rest if os.path.dirname(path) != experiments]
    found["Experiments"] = [place(path) for path in sorted(  # first what lists them
        rest, key=lambda path: path != pages.EXPERIMENTS)
        if os.path.dirname(path) == experiments]
    found["Reference"] = [Place("sources", "Names and files")]
    return found


def link(place: Place, here: str, at: str, root: str) -> str:
    """Return the link to a place, and to those below it for those who are there."""
    inside = at in (place.label, *(below.label for below in place.below))
    current = ' aria-current="page"' if here == place.label else \
        ' aria-current="true"' if inside else ""
    short = f"<b>{place.short}</b> " * bool(place.short)
    below = "".join(link(one, here, at, root) for one in place.below) if inside else ""
    return (f'<li><a href="{root}{place.label}.html"{current}>{short}{html.escape(place.name)}'
            "</a>" + f"<ul>\n{below}</ul>" * bool(below) + "</li>\n")


def menu(here: str, at: str, root: str) -> str:
    """Return the navigation: all parts, open where the reader is."""
    made = []
    for name, places in parts().items():
        items = "".join(link(place, here, at, root) for place in places)
        is_open = " open" if 'aria-current="' in items else ""
        made.append(f"<ul>\n{items}</ul>\n" if name == "Start" else f"<details{is_open}>"
                    f"<summary>{name}</summary>\n<ul>\n{items}</ul></details>\n")
    return "".join(made)


@functools.lru_cache(maxsize=None)
def rows() -> List[List[Place]]:
    """Return what is read one after the other."""
    lessons = [place for places in parts().values() for place in places
               if place.label.startswith("chapter_")]
    tables = next(place.below for place in parts()["Pages"] if place.label == "results")
    programs = [Place(pieces.page(path)[:-len(".html")], pieces.called(path),
                      course.short(chapter)) for chapter in course.chapters()
                for path in pieces.programs(chapter)]
    return [lessons, [task for place in lessons for task in place.below], programs,
            *(parts()[name] for name in ("Explorers", "Pages", "Experiments")), list(tables)]


def beside(here: str, root: str) -> str:
    """Return the links to the pages before and after."""
    row = next((row for row in rows() if here in [place.label for place in row]), [])
    i = [place.label for place in row].index(here) if row else 0
    made = "".join(
        f'<a rel="{rel}" href="{root}{row[j].label}.html">'
        + f"{row[j].short}: " * bool(row[j].short) + f"{html.escape(row[j].name)}</a>"
        for rel, j in (("prev", i - 1), ("next", i + 1)) if 0 <= j < len(row))
    return (f'<nav class="beside" aria-label="Previous and next">{made}</nav>\n'
            if made else "")


def contents(body: str) -> str:
    """Return the headings of a page as links; nothing if they are few."""
    found = HEADING.findall(body)
    items = "".join(f'<li><a href="#{name}">{re.sub("<wbr>", "", words)}</a></li>\n'
                    for name, words in found)
    return (f'<nav class="contents-of" aria-label="On this page"><details>'
            f"<summary>On this page</summary>\n<ul>\n{items}</ul></details></nav>\n"
            ) if len(found) > 2 else ""


def framed(title: str, label: str, body: str, at: str = "", path: str = "",
           head: str = "") -> str:
    """Return a whole page.

    @p label is its address without .html, @p body its text with one h1. A page
    without a place of its own stands @p at another one. @p path is a line above
    the text, @p head what is added to the head.
    """
    root = "../" * label.count("/")
    return string.Template(course.text_of("docs/site/page.html")).substitute(
        title=title if len(title) <= 70 else title.rpartition(":")[0], root=root,
        label=label, head=head, body=body, path=path,
        menu=menu(label, at or label, root), beside=beside(label, root),
        contents=contents(body) if label != "index" else "")
