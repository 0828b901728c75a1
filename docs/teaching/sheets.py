#!/usr/bin/env python3
"""Sheets to predict on: an A4 page for each chapter, the answers behind the last one.

Usage: sheets.py FOLDER            (docs/site/build calls it)

FOLDER has the site's pages. A sheet has the questions of the chapter's file
`predict`, around them what its lesson says there. Each chapter's answers are a page
of their own, to be left out.
"""

import html
import os
import re
import shutil
import sys
from typing import List

sys.path[:0] = ["tools", "docs/site"]

import book  # noqa: E402
import counts  # noqa: E402
import course  # noqa: E402
import navigation  # noqa: E402
import predict  # noqa: E402
import prepare  # noqa: E402

FIGURE = re.compile(r"<figure><svg.*?</figure>", re.S)
TABLE = re.compile(r'<table class="data[^"]*">.*?</table>', re.S)
LINKS = re.compile(r'<a class="lineno".*?</a> ?|</?a\b[^>]*>', re.S)

ASKED = '<tr class="ask"><td>{text}</td><td></td><td></td><td></td></tr>\n'
ANSWERED = ("<tr><td>{text}</td><td>{value}</td><td><code>{derived}</code></td>"
            "<td>{words}</td></tr>\n")


def titled(chapter: str) -> str:
    """Return the title of a lesson."""
    return html.escape(prepare.title(f"chapters/{chapter}/README.md"))


def lesson(folder: str, chapter: str) -> str:
    """Return what the site's page of a lesson says, without links."""
    text = course.text_of(f"{folder}/chapter_{chapter}.html")
    return LINKS.sub("", book.BODY.findall(text.partition("<main")[2])[0][1])


def questions(text: str) -> str:
    """Return what a lesson says below Predict, without answers and pictures."""
    return FIGURE.sub("", re.findall(
        '<h2 id="[^"]*_predict">Predict</h2>(.*?)<(?:details|h2)', text, re.S)[0])


def page(label: str, title: str, words: str, paper: str, body: List[str]) -> str:
    """Return a whole page: what it is for, then the parts to print, on such paper."""
    return navigation.framed(
        title, label, f'<h1>{title}</h1>\n<div class="contents">\n'
        f'<p class="about">{words}</p>\n{"".join(body)}</div>\n', at="chapters",
        head='<link rel="stylesheet" href="handouts.css">\n'
        f"<style>@page {{ size: {paper} }}</style>\n")


def table(chapter: str, heads: str, row: str) -> str:
    """Return the table of a chapter's questions; a run's options stand above them."""
    made, args = [], ""
    for one in predict.read(chapter):
        if one.args != args:
            args = one.args
            made.append('<tr><td class="args" colspan="4"><code>'
                        f"{html.escape(args)}</code></td></tr>\n")
        text, words = (re.sub("`(.*?)`", r"<code>\1</code>", html.escape(said))
                       for said in (one.text, one.words))
        value = counts.show(predict.arithmetic(one.derived))
        made.append(row.format(text=text, value=value, words=words,
                               derived=html.escape(one.derived)))
    head = "".join(f'<th scope="col">{word}</th>' for word in heads.split("|"))
    return (f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(made)}"
            "</tbody></table>\n")


def sheet(folder: str, chapter: str) -> str:
    """Return the sheet of a chapter."""
    before, after = TABLE.sub("\0", questions(lesson(folder, chapter)), 1).split("\0")
    return (f'<section class="sheet">\n<h2 id="sheets_{chapter}">{titled(chapter)}'
            f'</h2>\n<p class="name">Name</p>\n{before}' + table(
                chapter, "predict|prediction|count|why they differ", ASKED)
            + f'{after}<div class="guess"></div>\n</section>\n')


def answers(chapter: str) -> str:
    """Return the page of a chapter's answers."""
    return (f'<section class="sheet">\n<h2>Answers to {titled(chapter)}</h2>\n'
            + table(chapter, "question|count|derived|of", ANSWERED) + "</section>\n")


def main() -> int:
    """Write the page, and the style that slides have, too."""
    out = sys.argv[1]
    chapters = [chapter for chapter in course.chapters()
                if os.path.exists(f"chapters/{chapter}/predict")]
    course.write(f"{out}/sheets.html", page(
        "sheets", "Sheets to predict on", "Printed, each chapter is a page. The "
        "answers follow behind the last one, each chapter's on a page of its own.",
        "A4; margin: 14mm", [sheet(out, chapter) for chapter in chapters]
        + [answers(chapter) for chapter in chapters]))
    shutil.copyfile("docs/teaching/handouts.css", f"{out}/handouts.css")
    return 0


if __name__ == "__main__":
    course.script(main)
