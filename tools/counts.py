"""The counts file of a chapter: what the lesson claims, as numbers.

    args: --M 256 --N 256 --K 256
    global_load_sectors 131072
    shared_load_requests 1048576 ncu=655360 "nvcc fuses four loads into one"

A block begins with the command line that it holds for. Each number is what
the simulator must count, exactly. Where Nsight Compute is known to read
another number on a GPU, it stands behind with its cause; with ncu>= in place of
ncu= it reads at least that, since part of it is chance.

A line `threads: 1` below args has the simulator take one OS thread, and so run
block after block: for kernels whose blocks look what others have done so far,
and count by chance how often they must look.
"""

import math
import re
from typing import Dict, List, NamedTuple, Optional

import course
import metrics

LINE = re.compile(r'^(\w+)\s+(-?[\d.]+)(?:\s+ncu(>?=)([\d.]+)\s+"([^"]+)")?$')


class Count(NamedTuple):
    """One claim."""

    value: float
    ncu: Optional[float]  # None: the same
    cause: str
    at_least: bool = False  # ncu may read more


class Block(NamedTuple):
    """The claims for one command line."""

    args: str
    counts: Dict[str, Count]
    environment: Dict[str, str]  # of the run


def read(chapter: str) -> List[Block]:
    """Return the blocks of a chapter's counts file; none if it has none."""
    path = f"chapters/{chapter}/counts"
    blocks: List[Block] = []
    for number, line in enumerate(course.text_of(path).splitlines(), 1):
        line = line.strip()
        match = LINE.match(line)
        if line.startswith("args:"):
            blocks.append(Block(line[5:].strip(), {}, {}))
        elif line == "threads: 1" and blocks:
            blocks[-1].environment["SIM_THREADS"] = "1"
        elif match and blocks:
            name, value, sign, ncu, cause = match.groups()
            blocks[-1].counts[name] = Count(
                float(value), float(ncu) if ncu else None, cause or "",
                sign == ">=")
        elif line and not line.startswith("#"):
            raise SystemExit(f"{path}:{number}: not a count: {line}")
    return blocks


def show(value: Optional[float]) -> str:
    """Format a counter: 17,301,504 or 16.5; None is a dash."""
    if value is None:
        return "-"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.4f}".rstrip("0")


def find(blocks: List[Block], args: str) -> Optional[Block]:
    """Return the block for a command line, or None."""
    return next((block for block in blocks if block.args == args), None)


# Warps that compete for shared memory cost a busy GPU up to this share more
# wavefronts than the rule says, never fewer. (Most seen on an H200: 4.4 %, the
# stores of gemm_07.)
ARBITRATION = 0.05
# The same where a file counts says ncu>=. (Most seen: 18.6 %, reduction's ahead.)
# Such a claim has to be read three times: what is chance differs from run to run.
CHANCE = 0.20


def expected(claim: Count) -> float:
    """Return what Nsight Compute should read."""
    return claim.value if claim.ncu is None else claim.ncu


def allowance(block: Block, name: str) -> float:
    """Return by how much a reading may be above what is expected.

    How often a block asks again for what is not there yet has no bound.
    """
    at_least = block.counts[name].at_least
    match = re.match(r"(shared_\w+)_(wavefronts|bank_conflicts)$", name)
    wavefronts = match and block.counts.get(f"{match.group(1)}_wavefronts")
    if wavefronts:
        return (CHANCE if at_least else ARBITRATION) * expected(wavefronts)
    return math.inf if at_least else 0.0


def chance(block: Block, read: Dict[str, float]) -> List[str]:
    """Return the wavefronts that are above ncu>=, which chance must explain."""
    return [name for name, claim in block.counts.items()
            if claim.at_least and allowance(block, name) < math.inf and
            read.get(name, 0) > expected(claim)]


def differ(block: Block, read: Dict[str, float]) -> List[str]:
    """Return the counters that are not what the block expects of ncu."""
    return [name for name, claim in block.counts.items()
            if name in read and name not in metrics.ESTIMATES and
            not -5e-5 < read[name] - expected(claim)
            < 5e-5 + allowance(block, name)]
