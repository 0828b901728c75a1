"""The text of a page as Doxygen wrote it, made plain HTML.

Doxygen 1.9.4 writes the HTML of 1999: titles that are a <div>, names as <a name>,
tables without a head. Here a page gets one h1 and headings in order below it, its
tables a <thead>, and what only scripts of Doxygen need goes.
"""

import re
from typing import Tuple

ROW = re.compile(r'<tr class="markdownTable\w+">\n(.*?)</tr>\n?', re.S)
CELL = re.compile(
    r'<(t[hd]) class="markdownTable(?:Head|Body)(\w+?)( size)?">(.*?)</t[hd]>', re.S)
MANY_LETTERS = 32  # of a cell: it holds words
NAMED = re.compile(r'<h(\d)>(?:<a class="anchor" id="([^"]+)"></a>\s*)+(.*?)</h\d>',
                   re.S)
# What a page of the sources has between its parts, and what nothing refers to
CLUTTER = re.compile(
    r'<tr class="separator:.*?</tr>\n|<span class="permalink">.*?</span>|'
    r'<p ><a class="anchor" id="md_[^"]*"></a></p>\n?|<p >\s*</p>|'
    r'<div class="ttc".*?</div></div>\n?|<!--.*?-->|'
    r'<img src="closed.png"[^>]*>| onclick="[^"]*"|'
    r' (?:align|valign|target)="\w+"| class="el"', re.S)


def row(match: "re.Match[str]") -> str:
    """Return one row of a table; a head without a word is none."""
    def cell(found: "re.Match[str]") -> str:
        tag, side, size, words = found.groups()
        words = words.strip()
        tag = tag if words else "td"  # an empty corner is the head of nothing
        classes = " ".join(filter(None, [
            side.lower() if side != "None" else "", size and "size"]))
        named = f' class="{classes}"' if classes else ""
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{named}{scope}>{words}</{tag}>"

    cells = CELL.sub(cell, match.group(1)).strip()
    if "Head" not in match.group(0).partition(">")[0]:
        return f"<tr>{cells}</tr>\n"
    return f"<thead><tr>{cells}</tr></thead>\n" if "<th" in cells else ""


def headings(text: str) -> str:
    """Give headings their names; a page of ours begins its own with h1."""
    def named(match: "re.Match[str]") -> str:
        level = int(match.group(1)) + 1
        return f'<h{level} id="{match.group(2)}">{match.group(3)}</h{level}>'

    text = NAMED.sub(named, text)
    text = re.sub(r'<a id="([^"]+)"[^>]*></a>\s*<h2 class="memtitle">(.*?)</h2>',
                  r'<h3 id="\1">\2</h3>', text, flags=re.S)
    text = re.sub(r'<tr class="heading"><td colspan="2"><h2 [^>]*>'
                  r'<a id="([^"]+)"[^>]*></a>\s*(.*?)</h2></td></tr>',
                  r'<tr><th colspan="2" id="\1">\2</th></tr>', text, flags=re.S)
    return re.sub(r'(?:<a [^>]*id="([^"]+)"></a>)?<h2 class="groupheader">',
                  lambda match: f'<h2 id="{match.group(1)}">' if match.group(1)
                  else "<h2>", text)


def stacked(match: "re.Match[str]") -> str:
    """Let a table of words be stacked on a phone; numbers stay below each other.

    Where there are more than two columns each cell gets the head of its own.
    """
    head, body = match.groups()
    names = [plain_text(name) for name in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", head)]
    rows = [re.findall(r"<td([^>]*)>(.*?)</td>", row, re.S) for row in body.split("</tr>")]
    words = max((len(plain_text(cell)) for cells in rows for _, cell in cells), default=0)
    if words <= MANY_LETTERS:
        return match.group()
    heads = [f' data-head="{name}: "' * (i > 0 and len(names) > 2)
             for i, name in enumerate(names)]
    made = "".join("<tr>" + "".join(
        f"<td{kind}{name}>{cell}</td>" for name, (kind, cell) in zip(heads, cells))
        + "</tr>\n" for cells in rows if cells)
    return f'<table class="data words">{head}<tbody>\n{made}</tbody></table>'


def plain_text(cell: str) -> str:
    """Return what a cell says, for an attribute."""
    return re.sub("<[^>]*>", "", cell).replace('"', "&quot;").strip()


def tables(text: str) -> str:
    """Give tables a head and a body."""
    text = ROW.sub(row, text.replace('<table class="markdownTable">',
                                     '<table class="data">'))
    text = re.sub(r"(<table[^>]*>\s*(?:<thead>.*?</thead>\s*)?)(<tr.*?)</table>",
                  r"\1<tbody>\n\2</tbody></table>", text, flags=re.S)
    return re.sub(r'<table class="data">\s*(<thead>.*?</thead>)\s*<tbody>(.*?)</tbody>'
                  r"</table>", stacked, text, flags=re.S)


def parts(raw: str) -> Tuple[str, str]:
    """Return the title and the text of a page as Doxygen wrote it."""
    title = re.findall(r'<div class="title">(.*?)</div>', raw, re.S)
    text = raw.partition('<div class="contents">')[2]
    text = re.split("<!-- (?:contents|PageDoc) -->", text)[0].rpartition("</div>")[0]
    words = re.sub(r" (?:File|Struct|Union) Reference$", "", title[0].strip()) \
        if title else "Start"
    return words, text


def plain(text: str) -> str:
    """Return the text of a page as plain HTML."""
    text = CLUTTER.sub("", text)
    text = tables(headings(text))
    text = re.sub(r"<(br|img|hr)([^>]*?) */>", r"<\1\2>", text)
    text = re.sub(r'(<a id="([^"]+)") name="\2"', r"\1", text)
    return re.sub(r"<(p|ul|ol|li) >", r"<\1>", text)
