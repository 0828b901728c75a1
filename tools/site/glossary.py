"""The glossary on the site: each term gets a name, pages link to it.

docs/glossary.md has a paragraph for each term:

    **barrier** (barriers, `__syncthreads`): no thread of a block continues before ...

In parentheses stand other forms of the word, those of CUDA, too, then its unit; the
last line says where to see it. Each page links the first use of each term in its
prose: not in code, headings, tables or links; a program links the words of CUDA. Who
points at the link of a page reads the paragraph.
"""

import functools
import re
from typing import Dict, List, Optional, Set, Tuple

from tools import course
from tools.site import tree
from tools.site.tree import Element, make

PATH = "docs/glossary.md"
TERM = re.compile(r"^\*\*([^*]+)\*\*(?: \(([^)]*)\))?(.*?)(?=\nSee |\n\n|\Z)", re.M | re.S)
NO_PROSE = ["a", "code", "div", "explains", "figcaption", "h2", "h3", "h4", "iframe",
            "summary", "table"]


def name(term: str) -> str:
    """Return the name of a term on the site."""
    return "glossary_" + re.sub(r"\W", "_", term.lower())


@functools.lru_cache()
def terms() -> Dict[str, Tuple[List[str], str]]:
    """Return the forms of each term, itself first, and what it means."""
    found = {}
    for paragraph in TERM.findall(course.text_of(PATH)):
        term, others, text = (" ".join(re.sub("[*`]", "", part).split()) for part in paragraph)
        found[term] = ([term, *filter(None, others.split(", "))], text.lstrip(",: "))
    return found


@functools.lru_cache()
def forms() -> Dict[str, str]:
    """Return the term that each form of a word stands for."""
    return {form: term for term, (some, _) in terms().items() for form in some}


def name_terms(body: Element) -> None:
    """Make each term of the glossary a place that links can reach."""
    for term in body.select("p > strong:first-of-type"):
        term["id"] = name(tree.words(term))


@functools.lru_cache()
def word() -> "re.Pattern[str]":
    """Return the pattern of all forms, the longest first."""
    longest_first = sorted(forms(), key=len, reverse=True)
    return re.compile(  # a pull request is none of a warp
        r"(?<![\w`/.-])(?<!pull )(" + "|".join(map(re.escape, longest_first))
        + r")(?![\w`/]|-\w)", re.I)


def link_terms(body: Element) -> None:
    """Link the first use of each term on a page."""
    lower = {form.lower(): term for form, term in forms().items()}
    linked: Set[str] = set()

    def link(match: "re.Match[str]") -> Optional[List[tree.Part]]:
        said = match.group()
        term = lower[said.lower()]
        if term in linked or said.isupper() and said not in forms():  # a macro
            return None
        linked.add(term)
        return [make("a", said, href=f"glossary.html#{name(term)}", title=terms()[term][1])]

    tree.replace(body, word(), link, NO_PROSE)
