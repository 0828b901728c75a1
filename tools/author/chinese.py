"""The pages in Chinese, docs/zh: which of their paragraphs the English ones have left
behind, and what generated tables say there.

Usage: python3 -m tools.author.chinese PAGE...     they say now what the English ones say

A page has the blocks of the English page of its name, in their order: a heading for a
heading, a paragraph for a paragraph, the same code, markers, pictures and numerals;
the glossary has a row for each term. docs/zh/paragraphs.csv keeps a hash of each English
block that a page was written from. `make lessons args=--check` names those that have
changed since. Who has put that right in the Chinese page calls this program.
"""

import csv
import glob
import hashlib
import os
import re
import sys
from typing import Dict, List, NamedTuple

from tools import course

FOLDER = "docs/zh/"
KEPT = f"{FOLDER}paragraphs.csv"
PHRASES = f"{FOLDER}phrases.csv"  # of generated tables: English, Chinese
MARKED = re.compile(r"<!-- (?:snippet|table|output).*?<!-- end\w+ -->", re.S)
TERM = re.compile(r"^(?:\*\*|\| )([^*|]+?)(?:\*\*| \|)(?:.+\n?)*", re.M)
# What one meets first in a block says what it is; the rest is text.
KINDS = {"#": "a heading", "|": "a table", "!": "a picture", "    ": "code", "<": "a fold"}


class Block(NamedTuple):
    """A piece of a page between two empty lines."""

    line: int
    kind: str  # that of the other language is the same
    text: str


def english(page: str) -> str:
    """Return the page that a Chinese one says again."""
    name = page[len(FOLDER):-len(".md")]
    chapters = glob.glob(f"chapters/{name}*/README.md")
    return "README.md" if name == "README" else (chapters or [f"docs/{name}.md"])[0]


def kind_of(text: str) -> str:
    """Return what a block is, and what of it is the same in both languages."""
    if MARKED.match(text):
        head = text.partition("-->")[0].split()
        return " ".join(["a marker", *map(os.path.basename, head[1:])])
    kind = next((KINDS[sign] for sign in KINDS if text.startswith(sign)), "a paragraph")
    if kind == "a picture":
        kind += " " + re.findall(r"(\w+\.svg)", text)[0]
    return kind + f" of {text.count(chr(10))} lines" * (kind == "a table")


def blocks(path: str) -> List[Block]:
    """Return the blocks of a page; of the glossary its terms."""
    text = course.text_of(path)
    if path.endswith("/glossary.md"):
        found = [(match.start(), f"the term {match.group(1)}", match.group())
                 for match in TERM.finditer(text) if match.group(1) not in ("English", "---")]
    else:
        text = MARKED.sub(lambda match: re.sub(r"\n(?=\n)", "\n.", match.group()), text)
        found, at = [], 0
        for piece in re.split(r"(\n{2,})", text):
            if piece.strip():
                shown = re.sub(r"^<!-- explains .*-->\n", "", piece)
                found.append((at, kind_of(shown), shown))
            at += len(piece)
    return [Block(text.count("\n", 0, at) + 1, kind, said.strip()) for at, kind, said in found]


def hash_of(block: Block) -> str:
    """Return what changes if a block does; a marker's text is no translator's work."""
    said = block.kind if "marker" in block.kind else " ".join(block.text.split())
    return hashlib.sha256(said.encode()).hexdigest()[:12]


def kept() -> Dict[str, List[str]]:
    """Return the hashes of each page."""
    found: Dict[str, List[str]] = {}
    with open(KEPT, encoding="utf-8", newline="") as file:
        for page, digest in csv.reader(file):
            found.setdefault(page, []).append(digest)
    return found


def numerals(text: str) -> List[str]:
    """Return the numerals of a text, without those of links."""
    return re.findall(r"\d[\d,.]*\d|\d", re.sub(r"\]\([^)]*\)|<!--.*?-->", "", text))


def stale(page: str) -> List[str]:
    """Return what of a Chinese page is not what its English page says."""
    source = english(page)
    theirs, ours, known = blocks(source), blocks(page), kept().get(page, [])
    wrong = []
    for one in theirs:
        if hash_of(one) not in known:
            at = ours[theirs.index(one)].line if len(ours) == len(theirs) else 1
            wrong.append(f"{page}:{at}: stale: {source}:{one.line} has changed: "
                         f"{' '.join(one.text.split())[:60]}")
    for one, other in zip(theirs, ours):
        if one.kind != other.kind:
            return wrong + [f"{page}:{other.line}: {other.kind}, where {source}:{one.line} "
                            f"has {one.kind}"]
        lost = {*numerals(one.text)} - {*numerals(other.text)}
        if lost and "marker" not in one.kind and "term" not in one.kind:
            wrong.append(f"{page}:{other.line}: without {', '.join(sorted(lost))} of "
                         f"{source}:{one.line}")
    return wrong + [f"{page}: {len(ours)} blocks, {source} has {len(theirs)}"
                    ] * (len(ours) != len(theirs))


def said(lines: List[str]) -> List[str]:
    """Return a generated table in Chinese; links lead to Chinese pages where there are some."""
    text = re.sub(r"\]\((?=chapters/)", "](../../", "\n".join(lines))
    for page in glob.glob(f"{FOLDER}*.md"):
        text = text.replace(f"](../../{english(page)})", f"]({os.path.basename(page)})")
    with open(PHRASES, encoding="utf-8", newline="") as file:
        for old, new in csv.reader(file):
            text = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, text)
    return text.split("\n")


def main(pages: List[str]) -> int:
    """Note that some pages say what the English ones say."""
    found = kept()
    for page in pages:
        if not os.path.exists(page) or not page.startswith(FOLDER):
            raise course.Unusable(f"chinese: {page}: no page of {FOLDER}")
        found[page] = [hash_of(block) for block in blocks(english(page))]
    course.write(KEPT, "".join(f"{page},{digest}\n" for page in sorted(found)
                               for digest in found[page]))
    return 0


if __name__ == "__main__":
    course.script(lambda: main(sys.argv[1:]))
