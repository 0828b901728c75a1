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
from tools.author import chinese
from tools.site import pages, pieces

HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.S)
# What a page is for; the others are to look something up.
PARTS = {"commands": "Use it", "how_to_read_a_profile": "Use it", "teaching": "Teach",
         "exam": "Teach", "grader": "Teach",
         "simulator": "Build it", "contributing": "Build it"}


class Place(NamedTuple):
    """A page: its address without .html, its name, a short name before that."""

    label: str
    name: str
    short: str = ""
    below: Tuple["Place", ...] = ()  # shown to those who are here


def task(path: str) -> Place:
    """Return the place of an exercise or a bug hunt."""
    kind = os.path.basename(path)[:-len(".md")].capitalize()  # exercise, capstone
    kind = "Bug hunt" if kind.startswith("Hunt_") else kind
    return Place(pages.label(path), f"{kind}: {pages.title(path).partition(': ')[2]}")


def lesson(chapter: str) -> Place:
    """Return the place of a lesson, with its program and what there is to do below."""
    path = f"chapters/{chapter}/README.md"
    short, _, name = pages.title(path).partition(": ")
    first = pieces.programs(chapter)[0]
    program = Place(pieces.page(first)[:-len(".html")],
                    "The program" if first.endswith(".cu") else "The variants")
    return Place(pages.label(path), name, short,
                 (program, *map(task, pages.tasks_of(chapter))))


@functools.lru_cache(maxsize=None)
def parts() -> Dict[str, List[Place]]:
    """Return all of the site by its parts, in the order in which it is read."""
    found = {"Start": [Place("index", "Start")]}
    for chapter, group in course.groups().items():
        found.setdefault(course.GROUPS.get(group, group.capitalize()), []).append(lesson(chapter))
    explorers = {path: re.findall("<title>(.*?) explorer</title>", course.text_of(path))[0]
                 for path in sorted(glob.glob("docs/explorers/*.html"))}
    found["Explorers"] = [Place("explorers", "All explorers"), *(
        Place(path[len("docs/"):-len(".html")], html.unescape(name))
        for path, name in explorers.items())]
    found.update({"Use it": [], "Look up": [], "Experiments": [], "Teach": [], "Build it": [],
                  "中文": []})
    for path, label in pages.known().items():
        if not path.startswith(("chapters/", "README", "docs/explorers")):
            part = "Experiments" if "experiments/" in path else "中文" \
                if chinese.is_chinese(path) else PARTS.get(label, "Look up")
            found[part].append(Place(label, pages.title(path)))
    found["Build it"].append(Place("sources", "Reference"))
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
    """Return what is read one after the other: lessons, each with what there is to do
    in it; programs; the pages of each other part."""
    lessons: List[Place] = []
    others = []
    for places in parts().values():
        row = [one for place in places for one in (place, *place.below)
               if not one.label.startswith("code_")]
        if row[0].label.startswith("chapter_"):
            lessons += row
        else:
            others.append(row)
    return [lessons, *others, [
        Place(pieces.page(path)[:-len(".html")], pieces.called(path), course.short(chapter))
        for chapter in course.chapters() for path in pieces.programs(chapter)]]


def beside(here: str, root: str) -> str:
    """Return the links to the pages before and after."""
    pairs = [pair for row in rows() for pair in zip(row, row[1:])]
    near = {**{"prev": a for a, b in pairs if b.label == here},
            **{"next": b for a, b in pairs if a.label == here}}
    made = "".join(f'<a rel="{rel}" href="{root}{place.label}.html">'
                   + f"{place.short}: " * bool(place.short) + f"{html.escape(place.name)}</a>"
                   for rel, place in near.items())
    return (f'<nav class="beside" aria-label="Previous and next">{made}</nav>\n'
            if made else "")


def contents(body: str) -> str:
    """Return the headings of a page as links; nothing if they are few."""
    items = "".join(f'<li><a href="#{name}">{words}</a></li>\n'
                    for name, words in HEADING.findall(body))
    return (f'<nav class="contents-of" aria-label="On this page"><details>'
            f"<summary>On this page</summary>\n<ul>\n{items}</ul></details></nav>\n"
            ) if items.count("<li>") > 2 else ""


def write(title: str, label: str, body: str, at: str = "", path: str = "",
          head: str = "", kind: str = "contents") -> None:
    """Write a whole page: LABEL.html.

    A page without a place of its own stands @p at another one. @p path is a line
    above its title, @p head what is added to the head, @p kind the class of the text.
    """
    root = "../" * label.count("/")
    about = re.search("<p>(.*?)</p>", body, re.S)
    words = " ".join(re.sub("<.*?>", "", about.group(1) if about else title).split())
    course.write(f"{pages.OUT}/{label}.html", string.Template(
        course.text_of("docs/site/page.html")).substitute(
            title=html.escape(title), label=label, lang="zh" if label.startswith("zh_") else "en", root=root, head=head, body=body, kind=kind,
            short=html.escape(title if len(title) <= 70 else title.rpartition(":")[0]),
            path=f'<p class="path">{path}</p>\n' * bool(path),
            about=words.replace('"', "&quot;"), menu=menu(label, at or label, root),
            beside=beside(label, root), contents=contents(body) if label != "index" else ""))
