"""Wrong programs made by rule of a chapter's own sources: mutation testing.

A rule changes one line of a kernel or of its launch. The place of a mutant is
that line without its comment, behind it #2 if it is the second one of the
chapter that reads so: what is changed elsewhere does not move it.
"""

import hashlib
import re
from typing import Callable, Dict, Iterator, List, NamedTuple, Tuple, Union

SWAPPED = ("row col", "M N", "N K", "lda ldb", "ldb ldc", "x y", "i j", "BM BN",
           "TM TN", "A B", "As Bs", "a b", "width height", "rows cols",
           "row_major col_major", "mem_row_major mem_col_major")
STATEMENT = (r"[\w.\[\]]+ (?:[-+*/|&^]|<<|>>)?= [^;]*"
             r"|[\w.\[\]>-]+(?:<[^;()]*>)?\([^;]*\)")
RULES: Dict[str, Tuple[str, Union[str, Callable[["re.Match[str]"], str]]]] = {
    "delete": (rf"^\s*(?:{STATEMENT});", ";"),
    "guard_left": (r"[^(=?&|]+ && ", ""),
    "guard_right": (r" && [\w\[\]+* .()]+?(?=[;?)]| \?)", ""),
    "or_equal": (r"(?<=[\w)]) < (?=[\w(])", " <= "),
    "minus": (r" \+ (?=\w)", " - "),
    "plus_for_times": (r" \* (?=\w)", " + "),
    "no_cast": (r"\(int64_t\)", "(int)"),
    "one_more": (r"\b[012](?=[;,>)\]])", lambda number: str(int(number[0]) + 1)),
    "one_less": (r"\b[12](?=[;,>)\]])", lambda number: str(int(number[0]) - 1)),
    "barrier_of_a_warp": (r"__syncthreads\(\)", "__syncwarp()"),
    "half": (r"(?<= < )\w+(?=[;)])", r"\g<0> / 2"),
    **{f"{a}_for_{b}": (rf"(?<![\w.>]){b}(?!\w)", a)
       for pair in map(str.split, SWAPPED) for a, b in (pair, pair[::-1])}}
ENDLESS = ("i_for_j", "j_for_i", "x_for_y", "y_for_x")  # in the head of a loop
HARMLESS = re.compile('"|CHECK_LAUNCH')  # a message; what refuses a launch at once
# Kernels, device functions, and what launches them: from their first line on.
FUNCTION = re.compile(r"__global__|__device__|^(?:static )?void launch\w*\(")


class Mutant(NamedTuple):
    """A line after a rule."""

    rule: str
    place: str
    file: str
    number: int  # of the line, from 0 on
    line: str

    @property
    def order(self) -> bytes:
        """A number by chance, the same every time."""
        return hashlib.sha1(f"{self.rule} {self.place}".encode()).digest()


def lines_of(text: str) -> Iterator[Tuple[int, str]]:
    """Yield the lines of functions that a rule may change, without comments."""
    inside = body = False
    for number, line in enumerate(text.splitlines()):
        inside = inside or bool(FUNCTION.search(line))
        code = re.sub(r"//.*", "", line).rstrip()
        if inside and body and code.strip(" {}") and not HARMLESS.search(code):
            yield number, code
        body = inside and (body or line == "{")
        if line in ("}", "};") or not body and code.endswith(";"):
            inside = body = False


def mutants(sources: Dict[str, str]) -> List[Mutant]:
    """Return the mutants of a chapter's sources, one a rule and line."""
    found, seen = [], {}
    for file, text in sources.items():
        for number, code in lines_of(text):
            place = " ".join(code.split())
            seen[place] = seen.get(place, 0) + 1
            place += f" #{seen[place]}" if seen[place] > 1 else ""
            made = {code}
            for rule, (pattern, instead) in RULES.items():
                if rule in ENDLESS and code.lstrip().startswith("for"):
                    continue
                line = re.sub(pattern, instead, code, count=1)
                if line not in made:
                    found.append(Mutant(rule, place, file, number, line))
                    made.add(line)
    return found


def sample(every: List[Mutant], many: int) -> List[Mutant]:
    """Return some mutants, by chance but always the same: of each line one first."""
    of_line: Dict[str, int] = {}
    ranked = []
    for one in sorted(every, key=lambda one: one.order):
        rank = of_line[one.place] = of_line.get(one.place, -1) + 1
        ranked.append((rank, one.order, one))
    return [one for _, _, one in sorted(ranked)[:many]]


def changed(sources: Dict[str, str], mutant: Mutant) -> Dict[str, str]:
    """Return the sources with a mutant in them."""
    lines = sources[mutant.file].split("\n")
    lines[mutant.number] = mutant.line
    return {**sources, mutant.file: "\n".join(lines)}
