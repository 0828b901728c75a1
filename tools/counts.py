"""The claims of a chapter beside what is counted on a GPU."""

import math
import re
from typing import Dict, List, Optional

from tools import metrics
from tools.checklist import Block, Count


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
# The same where a claim has >= for ncu. (Most seen: 18.6 %, reduction's ahead.)
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
    """Return the wavefronts that are above >=, which chance must explain."""
    return [name for name, claim in block.counts.items()
            if claim.at_least and allowance(block, name) < math.inf and
            read.get(name, 0) > expected(claim)]


def differ(block: Block, read: Dict[str, float]) -> List[str]:
    """Return the counters that are not what the block expects of ncu."""
    return [name for name, claim in block.counts.items()
            if name in read and name not in metrics.ESTIMATES and
            not -5e-5 < read[name] - expected(claim)
            < 5e-5 + allowance(block, name)]
