"""Changes of sources, as differences: of mutants, of a chapter's `ablation`.

    - if (row < M && col < N)
    + if (col < N)
          sum += 1.0f;

What goes, what comes, and behind two blanks what stays. It is one piece of
text, whatever its indentation and line breaks are in the source; a "-" right
behind a "+" begins another edit.
"""

import re
from typing import Dict, List, Tuple

Edits = List[Tuple[str, str]]  # a text that occurs once, and another for it
DIFFERENCE = r"(?:[-+ ](?: .*)?\n)+"
NEXT_EDIT = re.compile(r"^(\+.*\n)(?=-)", re.M)


def read(difference: str) -> Edits:
    """Return the edits of a difference."""
    def side(lines: List[str], signs: str) -> str:
        return "\n".join(line[2:] for line in lines if line[0] in signs)

    parts = [part.splitlines()
             for part in NEXT_EDIT.sub("\\1\0", difference).split("\0")]
    return [(side(lines, "- "), side(lines, "+ ")) for lines in parts]


def changed(sources: Dict[str, str], edits: Edits) -> Dict[str, str]:
    """Return some texts after edits; each is found once in one of them."""
    sources = dict(sources)
    for before, after in edits:
        # Blanks and line breaks are free: the formatter moves them.
        pattern = re.compile(r"\s+".join(map(re.escape, before.split())))
        found = [(name, match) for name, text in sources.items()
                 for match in pattern.finditer(text)]
        if len(found) != 1:
            raise ValueError(f"found {len(found)} times, not once: "
                             f"{' '.join(before.split())}")
        name, match = found[0]
        text = sources[name]
        sources[name] = text[:match.start()] + after + text[match.end():]
    return sources
