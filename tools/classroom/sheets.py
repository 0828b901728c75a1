"""Sheets to predict on: an A4 page for each chapter, the answers behind the last one.

A sheet has the questions that the chapter's `checks` ask, around them what its lesson
says there. Each chapter's answers are a page of their own, to be left out.
"""

import copy
import html
from typing import Dict, List

from tools import counts, predict
from tools.site import frame, pages, tree
from tools.site.tree import Element

ASKED = '<tr class="ask"><td>{text}</td><td></td><td></td><td></td></tr>\n'
ANSWERED = ("<tr><td>{text}</td><td>{value}</td><td><code>{derived}</code></td>"
            "<td>{words}</td></tr>\n")


def sections(lesson: pages.Page) -> Dict[str, List[Element]]:
    """Return the blocks below each heading of a lesson, without links and the numbers of
    lines; what stands before the first one is the idea."""
    body = copy.copy(lesson.body)
    for number in body.select(".lineno"):
        number.decompose()
    for link in body("a"):
        link.unwrap()
    return {tree.words(heading) if heading else "idea": blocks
            for heading, blocks in tree.sections(body, "h2")}


def questions(parts: Dict[str, List[Element]]) -> List[Element]:
    """Return what a lesson says below Predict, without answers and pictures."""
    blocks = parts["Predict"]
    end = next((i for i, block in enumerate(blocks) if block.name == "details"), len(blocks))
    return [block for block in blocks[:end] if block.name != "figure"]


def page(label: str, title: str, words: str, paper: str, body: List[str]) -> None:
    """Write a whole page: what it is for, then the parts to print, on such paper."""
    frame.write(title, label, f'<p class="about">{words}</p>\n{"".join(body)}', "index",
                head=f"<style>@page {{ size: {paper} }}</style>\n")


def table(chapter: str, heads: str, row: str) -> str:
    """Return the table of a chapter's questions; a run's options stand above them."""
    made, args = [], ""
    for one in predict.read(chapter):
        if one.args != args:
            args = one.args
            made.append('<tr><td class="args" colspan="4"><code>'
                        f"{html.escape(args)}</code></td></tr>\n")
        value = counts.show(predict.arithmetic(one.derived))
        made.append(row.format(text=tree.inline(one.text), value=value,
                               words=tree.inline(one.words), derived=html.escape(one.derived)))
    head = "".join(f'<th scope="col">{word}</th>' for word in heads.split("|"))
    return (f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{''.join(made)}"
            "</tbody></table>\n")


def sheet(chapter: str, lesson: pages.Page) -> str:
    """Return the sheet of a chapter."""
    said = questions(sections(lesson))
    at = next(i for i, block in enumerate(said) if block.name == "table")
    before, after = ("".join(map(tree.outer, some)) for some in (said[:at], said[at + 1:]))
    return (f'<section class="sheet">\n<h2 id="sheets_{chapter}">{html.escape(lesson.title)}'
            f'</h2>\n<p class="name">Name</p>\n{before}' + table(
                chapter, "predict|prediction|count|why they differ", ASKED)
            + f'{after}<div class="guess"></div>\n</section>\n')


def write(lessons: Dict[str, pages.Page]) -> None:
    """Write the page."""
    asked = {chapter: lesson for chapter, lesson in lessons.items()
             if predict.read(chapter)}
    answers = [f'<section class="sheet">\n<h2>Answers to {html.escape(lesson.title)}</h2>\n'
               + table(chapter, "question|count|derived|of", ANSWERED) + "</section>\n"
               for chapter, lesson in asked.items()]
    page("sheets", "Sheets to predict on", "Printed, each chapter is a page. The "
         "answers follow behind the last one, each chapter's on a page of its own.",
         "A4; margin: 14mm", [sheet(*item) for item in asked.items()] + answers)
