"""The glossary on the site: each term gets a name, pages link to it.

docs/glossary.md has a paragraph for each term:

    **sector** (sectors), 32 bytes: the smallest piece of memory that ...

In parentheses stand other forms of the word, then its unit; the last line says where
to see it. Each page links the first use of each term in its prose: not in code,
headings, tables or links. Who points at the link reads the paragraph.
"""

import functools
import html
import re
from typing import Dict, List, Set

import course
import outside

PATH = "docs/glossary.md"
TERM = re.compile(r"^\*\*([^*]+)\*\*(?: \(([^)]*)\))?", re.M)


def name(term: str) -> str:
    """Return the name of a term on the site."""
    return "glossary_" + re.sub(r"\W", "_", term.lower())


def forms() -> Dict[str, str]:
    """Return the term that each form of a word stands for."""
    found = {}
    for term, others in TERM.findall(course.text_of(PATH)):
        for form in [term, *filter(None, others.split(", "))]:
            found[form] = term
    return found


@functools.lru_cache()
def meanings() -> Dict[str, str]:
    """Return what each term means, by its name on the site."""
    found = {}
    for words in re.split(r"\n\n", course.text_of(PATH)):
        match = TERM.match(words)
        if match:
            meaning = " ".join(words[match.end():].split("\nSee ")[0].split())
            found[name(match.group(1))] = re.sub(r"[*`]", "", meaning).lstrip(",: ")
    return found


def explained(text: str) -> str:
    """Return a page, each link to a term with the term's meaning."""
    def link(match: "re.Match[str]") -> str:
        meaning = meanings().get(match.group(1))
        return match.group(0) + (f' title="{html.escape(meaning)}"' if meaning else "")

    return re.sub(r'<a class="el" href="glossary\.html#(\w+)"', link, text)


def synonyms(term: str, others: str) -> List[str]:
    """Return the forms that are other words, not plurals and the like."""
    known, found = {word[:4] for word in re.findall(r"\w+", term.lower())}, []
    for form in filter(None, others.split(", ")):
        stems = {word[:4] for word in re.findall(r"\w+", form.lower())}
        if not stems & known:
            found.append(form)
            known |= stems
    return found


def with_names(text: str) -> str:
    """Return the glossary itself, each term a place that links can reach."""
    def named(match: "re.Match[str]") -> str:
        term, others = match.groups()
        words = synonyms(term, others or "")
        return (f"@anchor {name(term)} **{term}**"
                + (f" ({', '.join(words)})" if words else ""))
    return TERM.sub(named, text)


class Linker:
    """Links what one page uses of the glossary, each term once."""

    def __init__(self) -> None:
        self.forms = {form.lower(): term for form, term in forms().items()}
        self.written = set(forms())
        longest_first = sorted(self.forms, key=len, reverse=True)
        # A pull request is none of a warp.
        self.word = re.compile(
            r"(?<![\w`/.-])(?<!pull )(" + "|".join(map(re.escape, longest_first))
            + r")(?![\w`/]|-\w)", re.I)
        self.linked: Set[str] = set()

    def link(self, match: "re.Match[str]") -> str:
        """Link one word, if its term has no link yet."""
        term = self.forms[match.group(0).lower()]
        macro = match.group(0).isupper() and match.group(0) not in self.written
        if macro or term in self.linked:
            return match.group(0)
        self.linked.add(term)
        return f"[{match.group(0)}](@ref {name(term)})"

    def prose(self, text: str) -> str:
        """Return the text with its links; lines with markup stay as they are."""
        return outside.change(
            text, r"`+[^`]+`+|!?\[(?:[^][]|\[[^]]*\])*\]\([^)]*\)|<[^>]*>"
            r"|^[#|].*$|^@.*$|^ *@htmlonly[^@]*@endhtmlonly|^    .*$",
            lambda part: self.word.sub(self.link, part))
