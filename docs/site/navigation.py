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

import course
import pieces
import prepare
import results

HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>', re.S)
TEMPLATE = "docs/site/page.html"
KINDS = {"exercise.md": "Exercise: ", "capstone.md": "Capstone: "}  # else a hunt


class Place(NamedTuple):
    """A page: its address without .html, its name, a short name before that."""

    label: str
    name: str
    short: str = ""
    below: Tuple["Place", ...] = ()  # shown to those who are here


class Part(NamedTuple):
    """A part of the site."""

    name: str
    places: List[Place]


def named(path: str, known: Dict[str, str], below: Tuple[Place, ...] = ()) -> Place:
    """Return the place of a page of the repository."""
    if not path.startswith("chapters/"):
        return Place(known[path], prepare.title(path), "", below)
    short, _, name = prepare.title(path).partition(": ")
    return Place(known[path], name, short, below)


def chapters(known: Dict[str, str]) -> List[Part]:
    """Return the chapters by their groups, each with its exercise and hunts."""
    parts: Dict[str, List[Place]] = {}
    for chapter, group in course.groups().items():
        folder = f"chapters/{chapter}"
        tasks = tuple(Place(known[path], KINDS.get(
            os.path.basename(path), "Bug hunt: ")
            + prepare.title(path).partition(": ")[2])
            for path in known if prepare.is_task(path)
            and os.path.dirname(path) == folder)
        parts.setdefault(course.GROUPS.get(group, group.capitalize()), []).append(
            named(f"{folder}/README.md", known, tasks))
    return [Part(name, places) for name, places in parts.items()]


def explorers() -> List[Place]:
    """Return the explorers, each named as its page is, less that word."""
    return [Place(f"explorers/{os.path.basename(path)[:-len('.html')]}",
                  html.unescape(re.findall("<title>(.*?) explorer</title>",
                                           course.text_of(path))[0]))
            for path in sorted(glob.glob("docs/explorers/*.html"))]


@functools.lru_cache(maxsize=None)
def parts() -> List[Part]:
    """Return all of the site in the order in which it is read."""
    known = prepare.pages()
    rest = [path for path in known if not path.startswith("chapters/")
            and path != "docs/index.md"]
    experiments = [named(prepare.EXPERIMENTS, known)] + [
        named(path, known) for path in rest if prepare.is_experiment(path)]
    tables = [Place(name, title) for name, (title, _) in results.tables().items()]
    pages = [named(path, known, tuple(tables) if known[path] == "results" else ())
             for path in rest if path != prepare.EXPERIMENTS
             and not prepare.is_experiment(path)]
    return [Part("Start", [Place("index", "Start"),
                           Place("chapters", "All chapters")]),
            *chapters(known), Part("Explorers", explorers()), Part("Pages", pages),
            Part("Experiments", experiments), Part("Sources", [
                Place("sources", "All files")])]


def link(place: Place, here: str, at: str, root: str) -> str:
    """Return the link to a place, and to those below it for those who are there."""
    inside = at == place.label or any(at == below.label for below in place.below)
    current = ' aria-current="page"' if here == place.label else \
        ' aria-current="true"' if inside else ""
    short = f"<b>{place.short}</b> " if place.short else ""
    below = "".join(link(one, here, at, root) for one in place.below)
    return (f'<li><a href="{root}{place.label}.html"{current}>{short}'
            f"{html.escape(place.name)}</a>"
            + (f"<ul>\n{below}</ul>" if below and inside else "") + "</li>\n")


def menu(here: str, at: str, root: str) -> str:
    """Return the navigation: all parts, open where the reader is."""
    made = []
    for part in parts():
        items = "".join(link(place, here, at, root) for place in part.places)
        if part.name == "Start":
            made.append(f"<ul>\n{items}</ul>\n")
            continue
        is_open = " open" if 'aria-current="' in items else ""
        made.append(f"<details{is_open}><summary>{part.name}</summary>\n<ul>\n"
                    f"{items}</ul></details>\n")
    return "".join(made)


@functools.lru_cache(maxsize=None)
def rows() -> List[List[Place]]:
    """Return what is read one after the other."""
    lessons = [place for part in parts() for place in part.places
               if place.label.startswith("chapter_")]
    tasks = [task for place in lessons for task in place.below]
    others = [part.places for part in parts()
              if part.name in ("Explorers", "Pages", "Experiments")]
    tables = [list(place.below) for place in others[1] if place.label == "results"]
    programs = [Place(pieces.page(path)[:-len(".html")], pieces.called(path),
                      course.short(chapter)) for chapter in course.chapters()
                for path in pieces.programs(chapter)]
    return [lessons, tasks, programs, *others, *tables]


def beside(here: str, root: str) -> str:
    """Return the links to the pages before and after."""
    made = []
    for row in rows():
        labels = [place.label for place in row]
        if here not in labels:
            continue
        i = labels.index(here)
        for rel, j in (("prev", i - 1), ("next", i + 1)):
            if 0 <= j < len(row):
                short = f"{row[j].short}: " if row[j].short else ""
                made.append(f'<a rel="{rel}" href="{root}{labels[j]}.html">'
                            f"{short}{html.escape(row[j].name)}</a>")
    return ('<nav class="beside" aria-label="Previous and next">'
            + "".join(made) + "</nav>\n") if made else ""


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
    return string.Template(course.text_of(TEMPLATE)).substitute(
        title=title if len(title) <= 70 else title.rpartition(":")[0], root=root,
        label=label, head=head, body=body, path=path,
        menu=menu(label, at or label, root), beside=beside(label, root),
        contents=contents(body) if label != "index" else "")
