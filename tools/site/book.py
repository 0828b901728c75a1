"""All lessons on one page, in their order, to be printed or made a PDF.

What is folded on the site stands at the end, so that a question comes before its
answer on paper, too; programs stay on the site.
"""

import copy
import html
import re
from typing import Dict, List

from tools.site import frame, pages, tree
from tools.site.tree import Element, make


def lesson(page: pages.Page, folded: List[Element]) -> str:
    """Return a lesson for the book; what is folded goes to the answers."""
    body = copy.deepcopy(page.body)
    answers: List[Element] = []
    for parent in list(body.iter()):
        parts = tree.content(parent)
        for i, part in enumerate(parts):
            if isinstance(part, str) or part.tag != "details":
                continue
            words, answer = part[0], make("div", *tree.content(part)[2:])
            parts[i] = None
            if part.find("iframe") is None:  # an explorer is none
                answers.append(answer)
                answer.set("id", f"{page.label}_answers_{len(answers)}")
                parts[i] = make("p", make("a", f"{tree.words(words)} at the end of the book",
                                          href="#" + answer.get("id")))
        tree.fill(parent, parts)
    for heading in body.iter():
        if heading.tag in ("h2", "h3", "h4"):
            heading.tag = f"h{int(heading.tag[1]) + 1}"
    title = html.escape(page.title)
    folded += [make("h3", page.title), *answers] if answers else []
    return f'<h2 id="{page.label}">{title}</h2>\n{tree.inner(body)}\n'


def write(lessons: Dict[str, pages.Page]) -> None:
    """Write the book."""
    folded: List[Element] = []
    texts = [lesson(one, folded) for one in lessons.values()]
    names = [(one.label, one.title) for one in lessons.values()] + [("answers", "Answers")]
    body = "<ol>\n" + "".join(f'<li><a href="#{label}">{html.escape(name)}</a></li>\n'
                              for label, name in names) + "</ol>\n" + "".join(texts) \
        + '<h2 id="answers">Answers</h2>\n' + "".join(map(tree.outer, folded))
    inside = set(re.findall(r'\bid="([^"]+)"', body))
    body = re.sub(r'href="(chapter_\w+)\.html(?:#(\w+))?"', lambda link: (
        f'href="#{link.group(2) or link.group(1)}"'
        if (link.group(2) or link.group(1)) in inside else link.group(0)), body)
    frame.write("Make CUDA kernels fast, one measured step at a time", "book", body, "index")
