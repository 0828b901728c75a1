"""What the search box finds besides Doxygen's symbols.

Doxygen finds a name by its beginning, and no headings. Whoever looks for
coalescing or padding knows one word: so each word of a term of the glossary, of
a title, of a heading, of the name of an explorer, and of what one meets in a
profile leads there. They come before the symbols, in the order of the course.
"""

import glob
import html
import json
import re
import xml.etree.ElementTree as tree
from typing import Dict, List, Tuple

import course
import glossary
import prepare

Found = Dict[str, List[Tuple[str, str]]]  # heading: its places, (address, page)
BEGIN = "var searchData=\n[\n"


def headings(tags: str, order: List[str]) -> Found:
    """Return the terms of the glossary, the explorers and all headings."""
    found: Found = {}
    for form, term in glossary.forms().items():
        found[form] = [
            (f"glossary.html#{glossary.name(term)}", "Glossary")]
    for path in sorted(glob.glob("docs/explorers/*.html")):
        title = re.findall(r"<title>(.*?)</title>", course.text_of(path))[0]
        found.setdefault(html.unescape(title), []).append(
            (path[len("docs/"):], "Explorer"))
    pages = {page.findtext("name"): page for page in tree.parse(tags).getroot()
             if page.get("kind") == "page"}
    for page in (pages[name] for name in order if name in pages):
        title = page.findtext("title") or ""
        found[title] = [(page.findtext("filename") or "", "")]
        for place in page.findall("docanchor"):
            if place.get("title"):
                found.setdefault(place.get("title") or "", []).append(
                    (f"{place.get('file')}#{place.text}", title))
    for words, places in symptoms().items():
        found[words] = found.get(words, []) + places
    return found


def symptoms() -> Found:
    """Return what the tables of the page about profiles begin with."""
    found: Found = {}
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
                found[word] = [("how_to_read_a_profile.html#" + prepare.anchor(
                    "how_to_read_a_profile", part), prepare.title(path))]
    return found


def coded(words: str) -> str:
    """Return words as Doxygen's search writes them."""
    return re.sub(r"[^a-z0-9]", lambda sign: f"_{ord(sign.group(0)):02x}",
                  words.lower())


def add(folder: str, found: Found) -> None:
    """Add what is found to the search of a site."""
    letters = re.findall(r'0: "(.*?)"',
                         course.text_of(f"{folder}/searchdata.js"))[0]
    lines: Dict[str, List[str]] = {letter: [] for letter in letters}
    for words, places in found.items():
        name = html.escape(words)
        entry = [name, *([f"../{address}", 1, html.escape(page)]
                         for address, page in places)]
        for start in re.finditer(r"(?<![A-Za-z0-9])\w", words):
            key = words[start.start():]
            whole = start.start() == 0  # of a title: Doxygen has it
            if (places[0][1] if whole else re.match(r"\w{4}|[A-Z]\w", key)) \
                    and key[0].lower() in lines:
                of = lines[key[0].lower()]
                of.append(json.dumps([f"{coded(key)}_w{len(of)}", entry]))
    for i, letter in enumerate(letters):
        path = f"{folder}/all_{i:x}.js"
        course.write(path, course.text_of(path).replace(BEGIN, BEGIN + "".join(
            f"  {line},\n" for line in lines[letter])))
