"""What the search box reads: search-index.js, a script, since a page that was
opened as a file may not fetch anything.

    names       of our code and of CUDA: where they are defined, or used first in
                each chapter
    terms       of the glossary: address, all forms, what it means
    sections    of all pages: address, page, heading, text that is not folded, so
                that no answer is given away

search.js looks through it.
"""

import json
import re
from typing import Dict, Iterable, List, Tuple

from tools import course
from tools.site import code, glossary, pages, tree
from tools.site.names import Names, is_header

Places = Dict[str, List[Tuple[str, str]]]  # name: where, (address, what it is)
PLACES = 8  # of a name, at most
NO_TEXT = {"nav", "details", "svg", "script", "explains"}


def used(known: Names) -> Places:
    """Return where the chapters use names of CUDA first, a place a chapter."""
    found: Dict[str, Dict[str, Tuple[str, str]]] = {}
    for chapter in course.chapters():
        for path in course.sources(chapter):
            lines = course.blank(course.text_of(path)).split("\n")
            for i, line in enumerate(lines, 1):
                for name in re.findall(rf"\b(?:{code.CUDA.pattern})\b", line):
                    found.setdefault(name, {}).setdefault(chapter, (
                        f"{known.page(path)}#l{i}", f"used in {course.short(chapter)}"))
    return {name: list(places.values()) for name, places in found.items()}


def defined(known: Names) -> Places:
    """Return where our own names are defined."""
    found: Places = {}
    for path, members in sorted(known.members.items(),
                                key=lambda item: not is_header(item[0])):
        for member in members:
            places = found.setdefault(member.findtext("name"), [])
            place = (known.at[member.get("id")], path.replace("chapters/", ""))
            places += [place] * (place not in places)
    return found


def shown(element: tree.Element) -> str:
    """Return the text of an element that is not folded."""
    if element.tag in NO_TEXT or element.get("class") == "lineno":
        return ""
    return "".join(part if isinstance(part, str) else shown(part)
                   for part in tree.content(element)) + " " * (element.tag not in (
                       "a", "b", "code", "em", "span", "strong", "wbr"))


def sections(page: pages.Page) -> List[List[str]]:
    """Return the sections of a page: address, page, heading, text.

    What one meets in a profile (a symptom, a stall, a counter) is a heading, too.
    """
    found = [[f"{page.label}.html", page.title, "", ""]]
    section = found[0]
    for block in page.body if page.label != "glossary" else ():  # its terms are found alone
        if block.tag in ("h2", "h3", "h4"):
            section = [f"{page.label}.html#{block.get('id')}", page.title, tree.words(block), ""]
            found.append(section)
        else:
            section[3] += shown(block)
        if page.label == "how_to_read_a_profile":
            found += [[section[0], page.title, tree.words(row[0]), ""]
                      for row in block.iter("tr")]
    return [[to, title, heading, " ".join(text.split())] for to, title, heading, text in found]


def write(all_pages: Iterable[pages.Page], others: Dict[str, str],
          known: Names) -> None:
    """Write the index of the pages, and of others that have but a title."""
    names = used(known)
    for name, places in defined(known).items():
        names.setdefault(name, []).extend(places)
    found = [[to, title, "", ""] for to, title in others.items()]
    for page in all_pages:
        found += sections(page)
    index = {"names": {name: places[:PLACES] for name, places in names.items()},
             "terms": [[f"glossary.html#{glossary.name(term)}", forms, meaning]
                       for term, (forms, meaning) in glossary.terms().items()],
             "sections": found}
    course.write(f"{pages.OUT}/search-index.js", "const INDEX = " + json.dumps(
        index, ensure_ascii=False, separators=(",", ":")) + ";\n")
