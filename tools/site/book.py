"""All lessons on one page, in their order, to be printed or made a PDF.

What is folded on the site stands at the end, so that a question comes before its
answer on paper, too; programs stay on the site.
"""

import copy
import re
from typing import Dict, List

from tools.site import frame, pages, tree
from tools.site.tree import Element, make

NAMED = re.compile(r"(#|url\(#)[\w-]+")


def own_names(body: Element, label: str) -> None:
    """Give what a picture refers to inside itself names that no other lesson has."""
    for picture in body.iter("svg"):
        for element in picture.iter():
            for key, value in element.attrib.items():
                if key == "id":
                    element.set(key, f"{label}-{value}")
                elif key == "aria-labelledby":
                    element.set(key, " ".join(f"{label}-{name}" for name in value.split()))
                elif "url(#" in value:
                    element.set(key, value.replace("url(#", f"url(#{label}-"))


def lesson(page: pages.Page, folded: List[Element]) -> str:
    """Return a lesson for the book; what is folded goes to the answers."""
    body = copy.deepcopy(page.body)
    own_names(body, page.label)
    answers: List[Element] = []
    for parent in list(body.iter()):
        parts: List[tree.Part] = []
        for part in tree.content(parent):
            if isinstance(part, str) or part.tag != "details":
                parts.append(part)
            elif part.find("iframe") is None:
                name = f"{page.label}_answers_{len(answers) + 1}"
                words, *rest = tree.content(part)[1::2], ""
                answers.append(make("div", *tree.content(part)[2:], id=name))
                parts.append(make("p", make("a", f"{tree.words(part[0])} at the end of the "
                                            "book", href=f"#{name}")))
        tree.fill(parent, parts)
    lower(body)
    if answers:
        folded += [make("h3", page.title), *answers]
    return f'<h2 id="{page.label}">{page.title}</h2>\n{tree.inner(body)}\n'


def lower(body: Element) -> None:
    """Put headings a level below that of a lesson."""
    for heading in body.iter():
        if heading.tag in ("h2", "h3", "h4"):
            heading.tag = f"h{int(heading.tag[1]) + 1}"


def page(lessons: Dict[str, pages.Page]) -> str:
    """Return the book."""
    folded: List[Element] = []
    texts = [lesson(one, folded) for one in lessons.values()]
    names = [(one.label, one.title) for one in lessons.values()] + [("answers", "Answers")]
    body = "<ol>\n" + "".join(f'<li><a href="#{label}">{name}</a></li>\n'
                              for label, name in names) + "</ol>\n" + "".join(texts) \
        + '<h2 id="answers">Answers</h2>\n' + "".join(map(tree.outer, folded))
    inside = set(re.findall(r'\bid="([^"]+)"', body))
    body = re.sub(r'href="(chapter_\w+)\.html(?:#(\w+))?"', lambda link: (
        f'href="#{link.group(2) or link.group(1)}"'
        if (link.group(2) or link.group(1)) in inside else link.group(0)), body)
    return frame.framed(
        "All lessons, a book", "book", "<h1>Make CUDA kernels fast, one measured step "
        f'at a time</h1>\n<div class="contents">\n{body}</div>\n', at="chapters")
