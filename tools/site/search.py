"""What the search box reads: search-index.js, a script, since a page that was
opened as a file may not fetch anything. It has a list of what can be found:

    names       of our code and of CUDA: the places where they are defined, or used
                first in each chapter
    terms       of the glossary: all forms, what it means
    sections    of all pages: heading, page, text that is not folded, so that no
                answer is given away

Each has its address, its title and how much it counts. search.js looks through it.
"""

import copy
import json
import re
from typing import Dict, Iterable, List, Tuple

from tools import course
from tools.site import code, glossary, pages, tree
from tools.site.names import Names, is_header

Places = Dict[str, List[Tuple[str, str]]]  # name: where, (address, what it is)
PLACES = 8  # of a name, at most
NO_TEXT = "nav, details, script, explains, .lineno"
INLINE = ["a", "b", "code", "em", "span", "strong", "wbr"]


def places_of(known: Names) -> Places:
    """Return where our own names are defined, and where the chapters use those of CUDA
    first, a place a chapter."""
    found: Places = {}
    for chapter in course.chapters():
        here: Dict[str, Tuple[str, str]] = {}
        for path in course.sources(chapter):
            lines = course.blank(course.text_of(path)).split("\n")
            for i, line in enumerate(lines, 1):
                for name in re.findall(rf"\b(?:{code.CUDA.pattern})\b", line):
                    here.setdefault(name, (f"{known.page(path)}#l{i}",
                                           f"used in {course.short(chapter)}"))
        for name, place in here.items():
            found.setdefault(name, []).append(place)
    for path in sorted(known.members, key=lambda path: (not is_header(path))):
        for member in known.members[path]:
            found.setdefault(member.findtext("name"), []).append(
                (known.at[member.get("id")], path.replace("chapters/", "")))
    return {name: list(dict.fromkeys(places))[:PLACES] for name, places in found.items()}


def sections(page: pages.Page) -> List[dict]:
    """Return the sections of a page.

    What one meets in a profile (a symptom, a stall, a counter) is a heading, too.
    """
    body, found = copy.copy(page.body), []
    for one in body.select(NO_TEXT):
        one.decompose()
    for one in body(INLINE):
        one.unwrap()
    body.smooth()
    for heading, blocks in tree.sections(body, "h2", "h3", "h4"):
        to = f"{page.label}.html" + (f"#{heading['id']}" if heading else "")
        text = " ".join(" ".join(block.get_text(" ") for block in blocks).split())
        found.append({"to": to, "title": tree.words(heading), "page": page.title, "text": text,
                      "boost": 1.5} if heading else
                     {"to": to, "title": page.title, "text": text,
                      "boost": 4 if pages.is_lesson(page.path) else 2})
        if page.label == "how_to_read_a_profile":
            found += [{"to": to, "title": tree.words(cell), "page": page.title, "boost": 1.5}
                      for block in blocks for cell in block.select("tr > :first-child")]
    return found[:1] if page.label == "glossary" else found  # its terms are found alone


def write(all_pages: Iterable[pages.Page], others: Dict[str, str],
          known: Names) -> None:
    """Write the index of the pages, and of others that have but a title."""
    index = [{"to": places[0][0], "title": name, "places": places, "boost": 1}
             for name, places in places_of(known).items()]
    index += [{"to": f"glossary.html#{glossary.name(term)}", "title": term,
               "forms": " ".join(form for form in forms if not code.CUDA.fullmatch(form)),
               "about": f"Glossary: {meaning}", "boost": 4}
              for term, (forms, meaning) in glossary.terms().items()]
    index += [{"to": to, "title": title, "boost": 2} for to, title in others.items()]
    for page in all_pages:
        index += sections(page)
    course.write(f"{pages.OUT}/search-index.js", "const INDEX = " + json.dumps(
        index, ensure_ascii=False, separators=(",", ":")) + ";\n")
