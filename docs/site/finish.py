#!/usr/bin/env python3
"""Finish the HTML that Doxygen wrote.

Usage: finish.py FOLDER            (docs/site/build calls it)

FOLDER holds raw/, what Doxygen wrote, tags.xml, in which it says what its pages are
called, and explorers/. The pages go to html/, each in the frame of navigation.py.

    <a href="source:FILE">         becomes a link to the listing of FILE, that of
                                   a chapter beside its lesson (annotate.py)
    <td>1024 x 1024</td>           gets the class "size"
    <p class="source" data-lines>  numbers the lines of the code that follows, each
                                   number a link to that line of the listing
    4 ms, <code>--M</code>         stay in one line, in tables 8 x 8, too
    <td>gemm_01_naive</td>         may be broken behind _ / = or ::

and keywords that stand without braces get the colours that Doxygen leaves out.
markup.py makes the rest plain HTML, search.py what the search box reads.
"""

import glob
import html
import os
import re
import shutil
import sys
import xml.etree.ElementTree as tree
from typing import Dict, List, Tuple

sys.path.insert(0, "tools")

import book  # noqa: E402
import course  # noqa: E402
import glossary  # noqa: E402
import markup  # noqa: E402
import navigation  # noqa: E402
import pieces  # noqa: E402
import prepare  # noqa: E402
import search  # noqa: E402

QUOTE = re.compile(
    r'<p class="source" data-lines="([\d,]+)"><a href="source:([^"]+)">'
    r'(.*?)</a></p>\s*(<div class="fragment">)(.*?)(</div><!-- fragment -->)',
    re.S)
CELL = re.compile(
    r'<t[hd] class="markdown.*?</t[hd]>|<p class="source">.*?</p>|'
    r'<div class="title">.*?</div>', re.S)
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


# Pages that the navigation, the list of files or the search does without
LEFT_OUT = re.compile(r"(globals|functions|annotated|classes|hierarchy|files|pages|dir_)")
STATIC = ("favicon.svg", "site.css", "annotated.css", "site.js", "search.js")


def listings(root: tree.Element) -> Dict[str, str]:
    """Return the page of the listing of each file."""
    found = {}
    for file in root.iter("compound"):
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

        # Doxygen knows a name's first meaning, not the one that it has here.
        code = re.sub(r'<a class="code[^>]*>(.*?)</a>', r"\1", code)
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
    return glossary.explained(re.sub(
        r'"source:([^"]+)"', lambda m: f'"{place(m.group(1))}"', text))


# ---- pages ------------------------------------------------------------------


def all_files(listing: Dict[str, str]) -> str:
    """Return the list of all files, by their folders."""
    folders: Dict[str, List[str]] = {}
    for path, page in sorted(listing.items()):
        folder, name = os.path.split(path)
        folders.setdefault(folder, []).append(
            f'<li><a href="{page}">{name}</a> '
            f"{html.escape(prepare.brief(path))}</li>\n")
    made = [f"<details><summary>{folder}</summary>\n<ul>\n{''.join(items)}</ul>"
            "</details>\n" for folder, items in folders.items()]
    return ('<h1>All files</h1>\n<div class="contents">\n<p>Each name leads to the '
            f"listing of its file.</p>\n{''.join(made)}</div>\n")


def above(source: str, beside: str) -> Tuple[str, str]:
    """Return at which place a page of a source stands, and the line above its text.

    @p beside is the link there to the other page of that source.
    """
    chapter = re.match("chapters/([^/]+)/", source)
    at, name = (f"chapter_{chapter.group(1)}", f"Lesson {chapter.group(1)}") \
        if chapter else ("sources", "All files")
    return at, (f'<p class="path"><a href="{at}.html">{name}</a> / {source}'
                f"{beside}</p>\n")


def framed(name: str, raw: str, of_page: Dict[str, str],
           listing: Dict[str, str]) -> str:
    """Return a page of Doxygen's, finished and in its frame."""
    title, body = markup.parts(finish(raw, listing))
    body = markup.plain(body)
    if name.startswith("results_"):  # thousands of cells with short words
        body = body.replace("<wbr>", "")
    label, at, path = name[:-len(".html")], "", ""
    if name in of_page:
        beside = pieces.address(of_page[name])
        at, path = above(of_page[name], f' · <a href="{beside}">beside its lesson</a>'
                         if beside else "")
    elif label[len("chapter_"):] in course.chapters():
        first = pieces.programs(label[len("chapter_"):])[0]
        words = "The program" if first.endswith(".cu") else "Each variant"
        path = (f'<p class="path"><a href="{pieces.page(first)}">{words} beside this '
                "lesson</a></p>\n")
    elif raw.find("textblock") < 0 or name.startswith(("struct", "union")):
        at, path = "sources", '<p class="path"><a href="sources.html">All files</a></p>\n'
    return navigation.framed(
        re.sub("<.*?>", "", title), label,
        f'<h1>{title}</h1>\n<div class="contents">\n{body}</div>\n', at, path)


def explorer(path: str) -> str:
    """Return an explorer in the frame; alone it is a page, too."""
    text = course.text_of(path)
    title, style, body = (re.findall(pattern, text, re.S)[0] for pattern in (
        "<title>(.*?)</title>", "<style>.*?</style>\n", '<main class="explorer">\n(.*)</html>'))
    name = os.path.basename(path)[:-len(".html")]
    return navigation.framed(title, f"explorers/{name}",
                             '<div class="explorer">\n'
                             + body.replace("</main>", "</div>"), head=style)


def main() -> int:
    """Write all pages."""
    out = sys.argv[1]
    root = tree.parse(f"{out}/tags.xml").getroot()
    listing = listings(root)
    of_page = {page: path for path, source in listing.items()
               for page in (source, source.replace("_source", ""))}
    for path in sorted(glob.glob(f"{out}/raw/*.html")):
        name = os.path.basename(path)
        if not LEFT_OUT.match(name):
            course.write(f"{out}/html/{name}", framed(
                name, course.text_of(path), of_page, listing))
    for path in sorted(glob.glob(f"{out}/explorers/*.html")):
        course.write(f"{out}/html/explorers/{os.path.basename(path)}", explorer(path))
    course.write(f"{out}/html/sources.html", navigation.framed(
        "All files", "sources", all_files(listing)))
    course.write(f"{out}/html/book.html", book.page(f"{out}/html"))
    for name in STATIC:
        shutil.copyfile(f"docs/site/{name}", f"{out}/html/{name}")
    search.write(f"{out}/html", root, listing)
    return 0


if __name__ == "__main__":
    course.script(main)
