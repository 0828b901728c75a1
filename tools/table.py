"""Tables in the terminal."""

from typing import List, Sequence


def lines(rows: Sequence[Sequence[str]], longest: int = 26,
          remarks: bool = False) -> List[str]:
    """Return rows of cells, in columns as wide as they need.

    What a row is about stands on the left, and in a line of its own where it is
    longer than longest; with remarks the last cell stands on the left, too.
    """
    widths = [max(map(len, column)) for column in zip(*rows)]
    first = min(widths[0], longest)
    result = []
    for name, *cells in rows:
        if len(name) > first:
            result.append(name)
            name = ""
        shown = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:])]
        if remarks:
            shown[-1] = cells[-1]
        result.append("  ".join([f"{name:<{first}}", *shown]).rstrip())
    return result
