"""The pages in Chinese, docs/zh: what the English ones have left behind, and tables.

Usage: python3 -m tools.author.chinese PAGE...     they say now what the English ones say

A page has the blocks of the English page of its name, in their order: a heading for a
heading, a paragraph for a paragraph, the same code, markers, pictures and numerals;
the glossary has a pair for each term. docs/zh/paragraphs.csv keeps a hash of each English
block that a page was written from. `make lessons args=--check` names those that have
changed since. Who has put that right in the Chinese page calls this program.
"""

import csv
import glob
import hashlib
import os
import re
import sys
from typing import List, NamedTuple

from tools import course

FOLDER = "docs/zh/"
KEPT = f"{FOLDER}paragraphs.csv"  # page, hash
PHRASES = f"{FOLDER}phrases.csv"  # of generated tables: a pattern, what it is in Chinese
MARKED = re.compile(r"<!-- (?:snippet|table|output) (.*?) ?-->.*?<!-- end\w+ -->", re.S)
# Of a glossary: a paragraph, or two cells of a table
TERM = re.compile(r"^\*\*([^*]+)\*\*(?:.+\n?)*|(?<=\| )([\w .-]+) \| [^|\n]+(?= \|)", re.M)
KINDS = {"#": "a heading", "|": "a table", "!": "a picture", "    ": "code", "<": "a fold"}


class Block(NamedTuple):
    """A piece of a page between two empty lines."""

    line: int
    kind: str  # that of the other language is the same
    text: str


def is_chinese(path: str) -> bool:
    """Whether a page is one in Chinese."""
    return path.startswith(FOLDER)


def english(page: str) -> str:
    """Return the page that a Chinese one says again."""
    name = page[len(FOLDER):-len(".md")]
    chapters = glob.glob(f"chapters/{name}*/README.md")
    return "README.md" if name == "README" else (chapters or [f"docs/{name}.md"])[0]


def kind_of(text: str) -> str:
    """Return what a block is, with what of it is the same in both languages."""
    marked = MARKED.match(text)
    if marked:
        return " ".join(["a marker", *map(os.path.basename, marked.group(1).split())])
    kind = next((KINDS[sign] for sign in KINDS if text.startswith(sign)), "a paragraph")
    return kind + {"a picture": "".join(re.findall(r" ?\w+\.svg", text)),
                   "a table": f" of {len(text.splitlines())} lines",
                   "code": f" {' '.join(text.split())}"}.get(kind, "")


def blocks(path: str) -> List[Block]:
    """Return the blocks of a page; of the glossary its terms."""
    # An empty line in what a marker quotes divides nothing.
    text = MARKED.sub(lambda one: one.group().replace("\n\n", "\n.\n"), course.text_of(path))
    if path.endswith("/glossary.md"):
        found = [(one.start(), f"the term {one.group(1) or one.group(2)}", one.group())
                 for one in TERM.finditer(text) if one.group(2) not in ("English", "---")]
    else:
        found = [(one.start(1), kind_of(one.group(1)), one.group(1)) for one in re.finditer(
            r"(?:<!-- explains .*-->\n)?((?:.+\n?)+)", text)]
    return [Block(text.count("\n", 0, at) + 1, *rest) for at, *rest in found]


def hash_of(block: Block) -> str:
    """Return what changes if a block does; what a marker quotes is no translator's work."""
    said = block.kind if "marker" in block.kind else " ".join(block.text.split())
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def rows(path: str) -> List[List[str]]:
    """Return the rows of a file of values."""
    with open(path, encoding="utf-8", newline="") as file:
        return [*csv.reader(file)]


def numerals(text: str) -> List[str]:
    """Return the numerals of a text, without those of links."""
    return re.findall(r"\d[\d,.]*\d|\d", re.sub(r"\]\([^)]*\)|<!--.*?-->", "", text))


def stale(page: str) -> List[str]:
    """Return where a Chinese page is not what its English page is."""
    source, wrong = english(page), []
    theirs, ours = blocks(source), blocks(page)
    for one in theirs:
        if [page, hash_of(one)] not in rows(KEPT):
            at = ours[theirs.index(one)].line if len(ours) == len(theirs) else 1
            wrong.append(f"{page}:{at}: stale: {source}:{one.line} has changed: "
                         f"{' '.join(one.text.split())[:60]}")
    for one, other in zip(theirs, ours):
        at = f"{page}:{other.line}: "
        if one.kind != other.kind:
            return [*wrong, f"{at}{other.kind}, where {source}:{one.line} has {one.kind}"]
        lost = {*numerals(one.text)} - {*numerals(other.text)}
        if lost and not re.match("a marker|the term", one.kind):
            wrong.append(f"{at}without {', '.join(sorted(lost))} of {source}:{one.line}")
    return wrong + [f"{page}: {len(ours)} blocks, {source} has {len(theirs)}"
                    ] * (len(ours) != len(theirs))


def said(lines: List[str]) -> List[str]:
    """Return a generated table in Chinese; links lead to Chinese pages where there are some."""
    text = re.sub(r"\]\((?=chapters/)", "](../../", "\n".join(lines))
    for page in glob.glob(f"{FOLDER}*.md"):
        text = text.replace(f"](../../{english(page)})", f"]({os.path.basename(page)})")
    for old, new in rows(PHRASES):
        text = re.sub(rf"(?<!\w)(?:{old})(?!\w)", new, text)
    return text.splitlines()


def main(pages: List[str]) -> int:
    """Note that some pages say what the English ones say."""
    for page in pages:
        if not os.path.exists(page) or not is_chinese(page):
            raise course.Unusable(f"chinese: {page}: no page of {FOLDER}")
    found = [row for row in rows(KEPT) if row[0] not in pages] + [
        [page, hash_of(block)] for page in pages for block in blocks(english(page))]
    course.write(KEPT, "".join(f"{','.join(row)}\n" for row in sorted(found)))
    return 0


if __name__ == "__main__":
    course.script(lambda: main(sys.argv[1:]))
