"""Changed programs: tests/changes/CHAPTER, each entry a few lines that differ.

    wrong row_guard: rows below C are stored
    ! --M 1 --N 1 --K 1
    - if (row < M && col < N)
    + if (col < N)
          sum += 1.0f;

Entries are separated by blank lines; lines that begin with # are comments. An
entry begins with its kind, its name and, behind a colon, what it is:

    wrong    a mutant of the chapter, which `check` must refuse; ! the command line
             of `checks` that does so alone, and is run by make test, in front of
             it switches of the simulator, as SIM_ORDER=1
    rule     a mutant that a rule of tests/rules.py makes of a line; ! as above, or
             "survives:" and why it is right
    without  the chapter with something taken out, timed by make ablation; what it
             is may be "the idea", that which the rung is named for
    asks     a wrong answer to the chapter's exercise; ! what `grade` says of it,
             ? what a teacher asks, which gives nothing away
    right    the solution of the exercise in another style, with all points
    cheat    a way to points that one should not get; ! how it ends, as
             tests/grading.py says, or "misses:" and the gate for the idea

What goes (-), what comes (+), and behind two blanks what stays. It is one piece
of text, found once, whatever its indentation and line breaks are; a "-" right
behind a "+" begins another edit. "= NAME", or "= CHAPTER/NAME", begins with the
edits of another entry of its kind.

What check and sanitize say of the entries `wrong` is kept, for the site:
`python3 -m tests.changed --record wrong` does so, and without --record compares.
"""

import functools
import json
import re
from typing import Dict, List, NamedTuple, Tuple

from tools import course

FOLDER = "tests/changes"
SAID = "tests/said"
KINDS = ("wrong", "rule", "without", "asks", "right", "cheat")

Edits = List[Tuple[str, str]]  # a text that occurs once, and another for it
DIFFERENCE = r"(?:[-+ ](?: .*)?\n)+"
NEXT_EDIT = re.compile(r"^(\+.*\n)(?=-)", re.M)
ENTRY = re.compile(rf"({'|'.join(KINDS)}) (.+?)(?:: (.+))?\n"
                   rf"((?:[!=] .+\n)*)((?:{DIFFERENCE})?)((?:\? .+\n)*)")


class Unreadable(Exception):
    """A file of changes that cannot be read, or does not fit its chapter."""


class Change(NamedTuple):
    """One changed program."""

    chapter: str
    kind: str
    name: str
    what: str  # in one sentence
    ends: List[str]  # behind "!"
    edits: Edits
    question: str
    place: str  # file:line

    def __str__(self) -> str:
        return f"{self.chapter}/{self.name}"


def read(difference: str) -> Edits:
    """Return the edits of a difference."""
    def side(lines: List[str], signs: str) -> str:
        return "\n".join(line[2:] for line in lines if line[0] in signs)

    parts = [part.splitlines()
             for part in NEXT_EDIT.sub("\\1\0", difference).split("\0")]
    return [(side(lines, "- "), side(lines, "+ ")) for lines in parts if lines]


def entries(chapter: str, *kinds: str) -> List[Change]:
    """Return the changes of a chapter, all or of some kinds."""
    path, number, known = f"{FOLDER}/{chapter}", 1, {}
    for block in re.split(r"(?<=\n)\n", course.text_of(path)):
        head = re.match("(?:#.*\n)*", block).group()
        place = f"{path}:{number + head.count(chr(10))}"
        number += block.count("\n") + 1
        text = re.sub("^#.*\n", "", block, flags=re.M).lstrip("\n")
        if not text:
            continue
        match = ENTRY.fullmatch(text)
        kind, name, what, signs, difference, question = \
            match.groups() if match else [""] * 6
        key = (kind, f"{name}: {what}" if kind == "rule" else name)
        if not match or key in known:
            raise Unreadable(f"{place}: no entry, or one of this name is there: "
                             + text.partition("\n")[0])
        lines = [(line[0], line[2:]) for line in signs.splitlines()]
        first = [edit for sign, other in lines if sign == "="
                 for edit in named(known, kind, other)]
        known[key] = Change(
            chapter, kind, name, what or "",
            [words for sign, words in lines if sign == "!"],
            first + read(difference), re.sub(r"^\? ", "", question, flags=re.M), place)
    return [change for change in known.values()
            if not kinds or change.kind in kinds]


def named(known: Dict[Tuple[str, str], Change], kind: str, name: str) -> Edits:
    """Return the edits of an entry of this file, or of another."""
    chapter, _, rest = name.rpartition("/")
    if chapter:
        known = {(entry.kind, entry.name): entry
                 for entry in entries(chapter, kind)}
    if (kind, rest) not in known:
        raise Unreadable(f"= {name}: there is no such entry of kind {kind}")
    return known[kind, rest].edits


def found(sources: Dict[str, str], before: str) -> Tuple[str, "re.Match[str]"]:
    """Return where a piece of text stands; it is found once in one of some texts."""
    # Blanks and line breaks are free: the formatter moves them.
    pattern = re.compile(r"\s+".join(map(re.escape, before.split())))
    matches = [(name, match) for name, text in sources.items()
               for match in pattern.finditer(text)]
    if len(matches) != 1:
        raise ValueError(f"found {len(matches)} times, not once: "
                         f"{' '.join(before.split())}")
    return matches[0]


def changed(sources: Dict[str, str], edits: Edits) -> Dict[str, str]:
    """Return some texts after edits."""
    sources = dict(sources)
    for before, after in edits:
        name, match = found(sources, before)
        text = sources[name]
        sources[name] = text[:match.start()] + after + text[match.end():]
    return sources


def text_of(change: Change, source: str) -> str:
    """Return one text after a change."""
    try:
        return changed({"": source}, change.edits)[""]
    except ValueError as why:
        raise Unreadable(f"{change.place}: {why}") from None


@functools.lru_cache(maxsize=None)
def said(chapter: str) -> Dict[str, dict]:
    """Return what is said of its entries `wrong`: by check, and by sanitize with args."""
    return {one.pop("entry"): one for one in course.read_lines(f"{SAID}/{chapter}.jsonl")}


def keep(chapter: str) -> None:
    """Keep that, of those that are there."""
    course.write(f"{SAID}/{chapter}.jsonl", "".join(
        json.dumps({"entry": one.name, **said(chapter)[one.name]}) + "\n"
        for one in told(chapter)))


def told(chapter: str) -> List[Change]:
    """Return the entries `wrong` of which it is known what is said."""
    return [one for one in entries(chapter, "wrong") if one.name in said(chapter)]
