#!/usr/bin/env python3
"""Finish the HTML that Doxygen wrote.

Usage: finish.py FOLDER            (docs/site/build calls it)

FOLDER holds html/ and tags.xml, in which Doxygen says what its pages are called.

    <a href="source:FILE">         becomes a link to the listing of FILE, that of
                                   a chapter beside its lesson (annotate.py)
    <td>1024 x 1024</td>           gets the class "size"
    <p class="source" data-lines>  numbers the lines of the code that follows, each
                                   number a link to that line of the listing
    4 ms, <code>--M</code>         stay in one line, in tables 8 x 8, too
    <td>gemm_01_naive</td>         may be broken behind _ / = or ::

and what Doxygen leaves out: colours of keywords that stand without braces, and
for those who do not see the page names of the search box and of links that are a
picture. What it does not search for, the headings and the glossary, is added to
its search (search.py).
"""

import glob
import os
import re
import sys
import xml.etree.ElementTree as tree
from typing import Dict

sys.path.insert(0, "tools")

import course  # noqa: E402
import glossary  # noqa: E402
import pieces  # noqa: E402
import prepare  # noqa: E402
import search  # noqa: E402

QUOTE = re.compile(
    r'<p class="source" data-lines="([\d,]+)"><a href="source:([^"]+)">'
    r'(.*?)</a></p>\s*(<div class="fragment">)(.*?)(</div><!-- fragment -->)',
    re.S)
CELL = re.compile(
    r'<t[hd] class="markdown.*?</t[hd]>|<p class="source">.*?</p>|'
    r'<div class="(?:toc|title)">.*?</div>', re.S)
LISTING = re.compile(r'(<div class="fragment">.*?</div><!-- fragment -->|'
                     r"<(?:pre|script)\b.*?</(?:pre|script)>)", re.S)
UNIT = re.compile(r"(<code.*?</code>|<[^>]*>)|"
                  r"(\d) (?=(?:%|[mnu]s|[KMGT]i?B)(?!\w))", re.S)
PRODUCT = re.compile(r"(<code.*?</code>|<[^>]*>)|(\d+(?: x \d+)+)", re.S)
OPTION = re.compile(r"(?<![\w-])--\w+|\w+-&gt;\w+")
SIZE = re.compile(r'(<td class="[^"]*)(">\d+( x \d+)+\s*</td>)')

# What Doxygen overlooks behind some lines without braces
BARE = re.compile(r"(<span.*?</span>|<[^>]*>)|(#pragma [^<\n]*)|"
                  r"\b(for|if|else|while|do|return)\b")


def listings(path: str) -> Dict[str, str]:
    """Return the page of the listing of each file."""
    found = {}
    for file in tree.parse(path).getroot().iter("compound"):
        if file.get("kind") == "file":
            name = (file.findtext("path") or "") + (file.findtext("name") or "")
            page = (file.findtext("filename") or "").replace(".html", "")
            found[os.path.relpath(name)] = page + "_source.html"
    return found


def cell(match: "re.Match[str]") -> str:
    """Let a name be broken behind _ / = or ::, in code also behind a dot and
    before a capital; keep a product in one line."""
    def parts(text: str, ends: str) -> str:
        return re.sub(rf"(<[^>]*>)|{ends}",
                      lambda part: part.group(1) or part.group(2) + "<wbr>", text)

    text = match.group(0)
    if SIZE.match(text) is None:
        text = PRODUCT.sub(lambda part: part.group(1) or
                           f'<span class="whole">{part.group(2)}</span>', text)
    text = parts(text, r"(?<=\w\w)([_/=]|::)(?=[A-Za-z]\w\w)")
    return re.sub(r"<code>.*?</code>", lambda code: parts(
        code.group(0), r"(?<=\w\w)(\.(?=[A-Za-z]\w\w)|[a-z](?=[A-Z][a-z]{3}))"), text)


def colour(code: str) -> str:
    """Colour the keywords that stand bare in a listing."""
    def span(part: "re.Match[str]") -> str:
        kind = "preprocessor" if part.group(2) else "keywordflow"
        return part.group(1) or f'<span class="{kind}">{part.group(0)}</span>'
    return BARE.sub(span, code)


def whole(text: str) -> str:
    """Keep a number with its unit in one line, and --M or p->A in code."""
    text = UNIT.sub(lambda part: part.group(1) or part.group(2) + "&#160;", text)
    return re.sub(r"<code>.*?</code>", lambda code: OPTION.sub(
        r'<span class="whole">\g<0></span>', code.group(0)), text)


def finish(text: str, listing: Dict[str, str]) -> str:
    """Return one page, finished."""
    def place(path: str, line: int = 0) -> str:
        return pieces.address(path, line) or listing[path] + (
            f"#l{line:05}" if line else "")

    def number(match: "re.Match[str]") -> str:
        lines, path, name, begin, code, end = match.groups()
        if path not in listing:  # a solution has no listing
            return f"{begin}{colour(code)}{end}"
        left = iter(lines.split(","))

        def line(_: "re.Match[str]") -> str:
            n = int(next(left))
            return (f'<div class="line"><a class="lineno" tabindex="-1" '
                    f'href="{place(path, n)}">{n:4}</a> ')

        first = int(lines.split(",")[0])
        code = re.sub(r'<div class="line">(?:<a [^>]*></a>)?', line,
                      colour(code))
        return (f'<p class="source"><a href="{place(path, first)}">'
                f"{name}</a></p>{begin}{code}{end}")

    text = "".join(part if LISTING.match(part) else whole(part)
                   for part in LISTING.split(text))
    text = CELL.sub(cell, SIZE.sub(r"\1 size\2", QUOTE.sub(number, text)))
    if 'name="define-members"' not in text:  # Doxygen links it nevertheless
        text = re.sub(r'<a href="#define-members">.*?</a> &#124;\n', "", text)
    text = text.replace('id="MSearchField"',
                        'id="MSearchField" aria-label="Search"')
    text = re.sub(r'(<a [^>]*)(><span class="icondoc">)',
                  r'\1 aria-label="listing"\2', text)
    return glossary.explained(re.sub(
        r'"source:([^"]+)"', lambda m: f'"{place(m.group(1))}"', text))


def main() -> int:
    """Finish all pages."""
    tags = os.path.join(sys.argv[1], "tags.xml")
    listing = listings(tags)
    html = os.path.join(sys.argv[1], "html")
    for path in [*glob.glob(f"{html}/*.html"), f"{html}/menu.js"]:
        course.write(path, finish(course.text_of(path), listing))
    search.add(f"{html}/search",
               search.headings(tags, list(prepare.pages().values())))
    return 0


if __name__ == "__main__":
    course.script(main)
