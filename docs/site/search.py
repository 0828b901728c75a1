"""What the search box reads: search-index.js, a script, since a page that was
opened as a file may not fetch anything.

    names       of our code and of CUDA: where they are defined, or used first in
                each chapter
    terms       of the glossary, each once, with its other forms
    sections    of all pages: address, page, heading, text that is not folded, so
                that no answer is given away

search.js looks through it. What one meets in a profile (a symptom, a stall, a
counter) is a heading, too.
"""

import glob
import html
import json
import os
import re
import xml.etree.ElementTree as tree
from typing import Dict, List, Tuple

import course
import glossary
import navigation
import prepare

Places = Dict[str, List[Tuple[str, str]]]  # name: where, (address, what it is)
PLACES = 8  # of a name, at most
NO_TEXT = re.compile(r"<(nav|details|svg|script)\b.*?</\1>|<[^>]*>", re.S)
INLINE = re.compile(r'<a class="lineno.*?</a>|</?(?:a|b|code|em|span|wbr)\b[^>]*>')
WORD = re.compile(r"\b[A-Za-z_]\w{3,}\b")


def of_cuda() -> List[str]:
    """Return the names of CUDA that the simulator's headers know."""
    text = "".join(map(course.text_of, glob.glob("simulator/include/**/*.*",
                                                  recursive=True)))
    return [name for name in dict.fromkeys(WORD.findall(text))
            if re.match(r"__[a-z]\w+[a-z0-9]$|(cuda|cooperative_|atomic)\w+|"
                        r"[a-z]+\d$|(blockI|threadI|block|grid)d[xi]\w*", name, re.I)]


def used(listing: Dict[str, str]) -> Places:
    """Return where the chapters use names of CUDA first, a place a chapter."""
    known, found = set(of_cuda()), {}
    for chapter in course.chapters():
        for path in course.sources(chapter):
            lines = course.blank(course.text_of(path)).split("\n")
            for i, line in enumerate(lines, 1):
                for name in sorted(known.intersection(WORD.findall(line))):
                    found.setdefault(name, {}).setdefault(
                        chapter, (f"{listing[path]}#l{i:05}",
                                  f"used in {course.short(chapter)}"))
    return {name: list(places.values()) for name, places in found.items()}


def defined(root: tree.Element) -> Places:
    """Return where our own names are defined."""
    found: Places = {}
    for of in root.iter("compound"):
        name = of.findtext("name") or ""
        if of.get("kind") in ("struct", "union"):
            found.setdefault(name, []).append((of.findtext("filename") or "", "struct"))
        if of.get("kind") != "file":
            continue
        path = os.path.relpath((of.findtext("path") or "") + name)
        for member in of.findall("member"):
            found.setdefault(member.findtext("name") or "", []).append((
                f"{member.findtext('anchorfile')}#{member.findtext('anchor')}",
                path.replace("chapters/", "")))
    return found


def terms() -> List[list]:
    """Return the terms of the glossary: address, forms, and what they mean."""
    found: Dict[str, List[str]] = {}
    for form, term in glossary.forms().items():
        found.setdefault(term, []).append(form)
    means = glossary.meanings()
    return [[f"glossary.html#{name}", forms, means[name]] for name, forms in (
        (glossary.name(term), forms) for term, forms in found.items())]


def sections(page: str, text: str) -> List[list]:
    """Return the sections of a page: address, page, heading, text."""
    title = html.unescape(re.findall("<title>(.*?)</title>", text)[0])
    body = "" if page == "glossary.html" else re.findall(  # its terms are found alone
        '<main .*?<h1>.*?</h1>(.*)</main>', text, re.S)[0]
    cut = re.split(r'<h[2-4] id="([^"]+)">(.*?)</h[2-4]>', body, flags=re.S)
    found = []
    for name, heading, part in zip(["", *cut[1::3]], ["", *cut[2::3]], cut[::3]):
        words = [" ".join(html.unescape(NO_TEXT.sub(" ", INLINE.sub("", one))).split())
                 for one in (heading, part)]
        found.append([page + (f"#{name}" if name else ""), title, *words])
    return found


def symptoms() -> List[list]:
    """Return what the tables of the page about profiles begin with, as sections."""
    found: List[list] = []
    table = part = ""
    path = "docs/how_to_read_a_profile.md"
    for line in course.text_of(path).splitlines():
        if line.startswith("## "):
            part = prepare.slug(line[3:])
        table = (re.split(r" *\| *", line)[1] if not table else table) \
            if line.startswith("|") else ""
        if table in ("symptom", "stall", "counter"):
            word = re.split(r" *\| *", line)[1].replace("`", "")
            if word not in (table, "---"):
                found.append(["how_to_read_a_profile.html#" + prepare.anchor(
                    "how_to_read_a_profile", part), prepare.title(path), word, ""])
    return found


def write(folder: str, root: tree.Element, listing: Dict[str, str]) -> None:
    """Write the index of the pages in a folder."""
    names = used(listing)
    for name, places in defined(root).items():
        names.setdefault(name, []).extend(places)
    found = symptoms()
    for row in [[place for part in navigation.parts() for place in part.places],
                *navigation.rows()[1:2], *navigation.rows()[-1:]]:
        for place in row:
            page = f"{place.label}.html"
            found += sections(page, course.text_of(f"{folder}/{page}"))
    index = {"names": {name: places[:PLACES] for name, places in names.items()},
             "terms": terms(), "sections": found}
    course.write(f"{folder}/search-index.js", "const INDEX = " + json.dumps(
        index, ensure_ascii=False, separators=(",", ":")) + ";\n")
