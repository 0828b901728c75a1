"""Change a text but for some of its parts."""

import re
from typing import Callable


def change(text: str, parts: str, how: Callable[[str], str]) -> str:
    """Apply @p how to a text, with all that fits @p parts hidden meanwhile."""
    hidden = []

    def hide(match: "re.Match[str]") -> str:
        hidden.append(match.group(0))
        return f"\0{len(hidden) - 1}\0"

    return re.sub(r"\0(\d+)\0", lambda match: hidden[int(match.group(1))],
                  how(re.sub(parts, hide, text, flags=re.M)))
