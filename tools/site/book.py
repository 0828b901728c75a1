"""All lessons on one page, in their order, to be printed or made a PDF.

What is folded on the site stands at the end, so that a question comes before its
answer on paper, too; programs stay on the site.
"""

import copy
from typing import Dict, List

from tools.site import frame, pages, tree
from tools.site.tree import Element, make


def put(page: pages.Page, book: Element, answers: Element) -> None:
    """Put a lesson into the book, and what it folds to the answers."""
    body = copy.copy(page.body)
    for explorer in body.select("details:has(> iframe)"):
        explorer.decompose()
    folded: List[Element] = []
    for answer in body("details"):
        place = f"{page.label}_answers_{len(folded) + 1}"
        words = tree.words(answer.summary.extract())
        answer.replace_with(make("p", make("a", f"{words} at the end of the book",
                                           href=f"#{place}")))
        folded.append(make("div", *answer.contents, id=place))
    for heading in body(["h2", "h3", "h4"]):
        heading.name = f"h{int(heading.name[1]) + 1}"
    book.extend([make("h2", page.title, id=page.label), *body.contents])
    answers.extend([make("h3", page.title), *folded] if folded else [])


def write(lessons: Dict[str, pages.Page]) -> None:
    """Write the book."""
    book, answers = make("body"), make("body")
    for lesson in lessons.values():
        put(lesson, book, answers)
    book.extend([make("h2", "Answers", id="answers"), *answers.contents])
    book.insert(0, make("ol", *(make("li", make("a", heading.get_text(), href=f"#{heading['id']}"))
                                for heading in book("h2"))))
    inside = {element["id"] for element in book(id=True)}
    for link in book.select('a[href^="chapter_"]'):
        page, _, place = link["href"].partition(".html")
        to = place.lstrip("#") or page
        link["href"] = f"#{to}" if to in inside else link["href"]
    frame.write("Make CUDA kernels fast, one measured step at a time", "book",
                tree.inner(book), "index")
