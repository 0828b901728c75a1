"""What a chapter promises: the one reader of the files chapters/NAME/checks.

A line begins a section by a name in brackets; what stands behind the name is for
people, as is everything behind a #. All sections but the last two hold command lines:

    [sizes]                must pass; the first is the smallest
    [sizes for a GPU]      must pass there: a simulator would take too long
    [refused]              must be refused, with a reason
    [timed]                what make bench times
    [exercise]             sizes of the exercise, where they are not [sizes]
    [skipped by sanitize]  on a GPU: TOOL KERNEL REASON
    [counts]               what one run counts, as tables
    [predict]              what the lesson asks: tools/predict.py has its form

A table has a column for each command line. Above its numbers stand the options: in a
row for an option where the columns differ, else together as they are typed:

    --variant wide
    --n                     1048576    8650752
    shared_load_requests     32,768    270,336
      ncu                    16,384          -
      "nvcc loads two words at a time"
    barriers                  4,096          -

Each number is what the simulator must count, exactly; - claims nothing. Below it
stands what Nsight Compute is known to read on a GPU, where that is another number;
>= says that it reads at least that, since part of it is chance. The cause in quotes,
of a line or several, is that of the rows `ncu` above it.

A name in capitals among the options is set in the environment: with SIM_THREADS 1
the simulator takes one OS thread, and so runs block after block: for kernels whose
blocks look what others have done, and count by chance how often they must.

A heading `[counts of these sizes only]` says that nothing follows from them for
other sizes.
"""

import re
import shlex
from typing import Dict, List, NamedTuple, NoReturn, Optional, Tuple

from tools import course
from tools.machine import fail

SECTIONS = ("sizes", "sizes for a GPU", "refused", "timed", "exercise",
            "skipped by sanitize", "predict", "counts", "counts of these sizes only")
HEADING = re.compile(r"\[(.*?)\]")
NO_OPTIONS = '""'  # the command line of a program that takes none


class Line(NamedTuple):
    """A line of a file, without its remark."""

    place: str  # chapters/NAME/checks:12
    text: str

    def wrong(self, why: str) -> NoReturn:
        """End with what is wrong with it."""
        fail(f"{self.place}: {why}: {self.text}")


def section(chapter: str, *names: str) -> List[Line]:
    """Return the lines of a chapter's sections of these names; often none."""
    path = f"chapters/{chapter}/checks"
    lines, within = [], ""
    for number, text in enumerate(course.text_of(path).splitlines(), 1):
        line = Line(f"{path}:{number}", text.split("#")[0].strip())
        heading = HEADING.match(line.text)
        if heading:
            within = heading[1]
            if within not in SECTIONS:
                line.wrong("no section; there are " + ", ".join(
                    f"[{name}]" for name in SECTIONS))
        elif line.text and not within:
            line.wrong("stands before the first section")
        elif line.text and within in names:
            lines.append(line)
    return lines


# ---- command lines -----------------------------------------------------------


def of_variant(line: str, variant: str) -> Optional[str]:
    """Return a command line for one variant; None if it is for another.

    No variant: the line as it is.
    """
    words = shlex.split(line)
    if not variant or ["--variant", variant] in [
            words[i : i + 2] for i in range(len(words))]:
        return line
    return None if "--variant" in words else f"--variant {variant} {line}"


def sizes(chapter: str, name: str = "sizes", variant: str = "") -> List[str]:
    """Return the command lines of a section, or those of them for a variant."""
    lines = [of_variant(line.text, variant) for line in section(chapter, name)]
    return [line for line in lines if line]


def one_of_many(chapter: str, line: str, variant: str = "") -> List[str]:
    """Return the words of one of many command lines that seek a fault.

    The small problem is the same each time: it goes with the first of the sizes
    and those that say --small 1, since it has other options there.
    """
    words = shlex.split(line)
    once = sizes(chapter, variant=variant)[:1] == [line] or "--small" in words
    return words + ([] if once else ["--small", "0"])


def skipped(chapter: str) -> Dict[Tuple[str, str], str]:
    """Return why sanitize skips a tool for a kernel: (TOOL, KERNEL) to REASON."""
    reasons = {}
    for line in section(chapter, "skipped by sanitize"):
        words = line.text.split(maxsplit=2)
        if len(words) < 3:
            line.wrong("not TOOL KERNEL REASON")
        reasons[words[0], words[1]] = words[2]
    return reasons


# ---- counts ------------------------------------------------------------------


class Count(NamedTuple):
    """One claim."""

    value: float
    ncu: Optional[float] = None  # what Nsight Compute reads; None: the same
    cause: str = ""
    at_least: bool = False  # it may read more


class Block(NamedTuple):
    """The claims for one command line: a column of a table."""

    args: str
    counts: Dict[str, Count]
    environment: Dict[str, str]  # of the run


def number(line: Line, cell: str) -> float:
    """Return the number of a cell: 1,048,576 or 16.5."""
    if not re.fullmatch(r"\d[\d,]*(\.\d+)?", cell):
        line.wrong(f"{cell} is no number")
    return float(cell.replace(",", ""))


def is_head(name: str) -> bool:
    """Whether a word is a name of the head of a table: --n, SIM_THREADS."""
    return name.isupper() or name.startswith("--")


def cells_of(line: Line, width: int) -> List[str]:
    """Return the cells of a row, one for each column."""
    cells = line.text.split()[1:]
    if len(cells) != width:
        line.wrong(f"{len(cells)} cells in a table of {width}")
    return cells


def columns_of(head: List[Line]) -> List[Block]:
    """Return the columns below the head of a table, still without claims."""
    typed = [all(map(is_head, line.text.split()[::2])) for line in head]
    width = max((len(line.text.split()) - 1 for line, same in zip(head, typed)
                 if not same), default=1)
    args: List[List[str]] = [[] for _ in range(width)]
    blocks = [Block("", {}, {}) for _ in range(width)]
    for line, same in zip(head, typed):
        words = line.text.split()
        rows = [(name, [value] * width) for name, value in
                zip(words[::2], words[1::2])] if same else [
            (words[0], cells_of(line, width))]
        for name, cells in rows:
            for i, cell in enumerate(cells):
                if cell != "-" and name.startswith("--"):
                    args[i] += [name, cell]
                elif cell != "-":
                    blocks[i].environment[name] = cell
    return [block._replace(args=" ".join(words) or NO_OPTIONS)
            for block, words in zip(blocks, args)]


def read_row(line: Line, columns: List[Block], counter: str) -> List[Dict[str, Count]]:
    """Take a row of a counter, or the row ncu below it.

    Return, of the row ncu, the columns whose claim lacks a cause.
    """
    name = line.text.split()[0]
    changed = []
    for block, cell in zip(columns, cells_of(line, len(columns))):
        claim = block.counts.get(counter)
        if cell == "-":
            continue
        if name != "ncu":
            if claim:
                line.wrong("a second row of this counter")
            block.counts[name] = Count(number(line, cell))
        elif not claim or claim.ncu is not None:
            line.wrong("ncu for a claim that is not there, or has one")
        else:
            block.counts[counter] = claim._replace(
                ncu=number(line, cell.replace(">=", "", 1)),
                at_least=cell.startswith(">="))
            changed.append(block.counts)
    return changed


def counts(chapter: str) -> List[Block]:
    """Return the claims of a chapter, in their order; none if it has none."""
    blocks: List[Block] = []
    head: List[Line] = []
    columns: List[Block] = []
    counter = quoted = ""
    unexplained: List[Tuple[Dict[str, Count], str]] = []
    line = None
    for line in section(chapter, *SECTIONS[-2:]):
        name = line.text.split()[0]
        if quoted or name.startswith('"'):
            quoted = f"{quoted} {line.text}".strip()
            if quoted.endswith('"') and quoted != '"':
                for claims, about in unexplained:
                    claims[about] = claims[about]._replace(cause=quoted[1:-1])
                quoted, unexplained = "", []
            continue
        if is_head(name):
            head = ([] if columns else head) + [line]
            columns = []
            continue
        if not columns:
            columns = columns_of(head)
            blocks += columns
            counter = ""
        counter = counter if name == "ncu" else name
        unexplained += [(claims, counter)
                        for claims in read_row(line, columns, counter)]
    if line and (quoted or unexplained):
        line.wrong("a row ncu has no cause in quotes below it")
    return blocks


def counted_sizes_only(chapter: str) -> bool:
    """Whether the counts of a chapter tell nothing of other sizes."""
    return bool(section(chapter, SECTIONS[-1]))
