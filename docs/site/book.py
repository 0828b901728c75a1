"""All lessons on one page, in their order, to be printed or made a PDF.

What is folded on the site stands at the end, so that a question comes before its
answer on paper, too; programs stay on the site.
"""

import re
from typing import Dict, List

import course
import navigation
import pieces

BODY = re.compile(r'<h1>(.*?)</h1>\s*<div class="contents">(.*)</div>\s*(?:<nav|$)',
                  re.S)
EXPLORER = re.compile(r"<details><summary>[^<]*</summary>\s*<iframe.*?</details>", re.S)
FOLDED = re.compile(r"<details><summary>(.*?)</summary>(.*?)</details>", re.S)
INSIDE = re.compile(r'href="(chapter_\w+)\.html(?:#(\w+))?"')


def own_names(label: str, svg: str) -> str:
    """Return a picture whose names no picture of another lesson has."""
    for name in re.findall(r'\bid="([^"]+)"', svg):
        svg = re.sub(rf'(?<=[" #]){name}(?=[" )])', f"{label}-{name}", svg)
    return svg


def lesson(label: str, page: str) -> List[str]:
    """Return a lesson for the book and what is folded in it."""
    title, text = BODY.findall(page.partition("<main")[2])[0]
    text = re.sub(f'<h2 id="{label}_to_do">.*(?=</div>)', "",
                  pieces.EXPLAINS.sub("", EXPLORER.sub("", text)), flags=re.S)
    text = re.sub("<svg.*?</svg>", lambda svg: own_names(label, svg.group(0)), text,
                  flags=re.S)
    folded: List[str] = []

    def to_the_end(match: "re.Match[str]") -> str:
        name = f"{label}_answers_{len(folded) + 1}"
        folded.append(f'<div id="{name}">{match.group(2)}</div>\n')
        return f'<p><a href="#{name}">{match.group(1)} at the end of the book</a></p>\n'

    text = re.sub(r"(</?h)([2-4])\b", lambda tag: tag.group(1) + str(
        int(tag.group(2)) + 1), FOLDED.sub(to_the_end, text))
    return [f'<h2 id="{label}">{title}</h2>\n{text}\n',
            f"<h3>{title}</h3>\n{''.join(folded)}" if folded else ""]


def page(folder: str) -> str:
    """Return the book of the pages in a folder."""
    texts: Dict[str, List[str]] = {}
    for chapter in course.chapters():
        label = f"chapter_{chapter}"
        texts[label] = lesson(label, course.text_of(f"{folder}/{label}.html"))
    names = [(label, re.findall("<h2[^>]*>(.*?)</h2>", text, re.S)[0])
             for label, (text, _) in texts.items()] + [("answers", "Answers")]
    body = "<ol>\n" + "".join(f'<li><a href="#{label}">{name}</a></li>\n'
                              for label, name in names) + "</ol>\n"
    body += "".join(text for text, _ in texts.values()) \
        + '<h2 id="answers">Answers</h2>\n' + "".join(end for _, end in texts.values())
    body = INSIDE.sub(
        lambda link: f'href="#{link.group(2) or link.group(1)}"'
        if f'id="{link.group(2) or link.group(1)}"' in body else link.group(0), body)
    return navigation.framed(
        "All lessons, a book", "book", "<h1>Make CUDA kernels fast, one measured step "
        f'at a time</h1>\n<div class="contents">\n{body}</div>\n', at="chapters")
