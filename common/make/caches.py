#!/usr/bin/env python3
"""What answers the loads of the first rungs: L1, L2, DRAM, on this GPU.

Usage: caches.py

Needs a GPU, ncu and the programs in build/gpu. Prints a table of one launch
each at about 4096, read by Nsight Compute. `make results` records it beside
the times; the lessons quote it.

Exit status: 0, or 1 if ncu failed.
"""

import csv
import subprocess
import sys
from typing import Dict

RUNS = (
    ("gemm_01_naive", 4096, ()),
    ("gemm_01_naive", 4096, ("--pad", "4")),
    ("gemm_01_naive", 4097, ()),
    ("gemm_02_coalesced", 4096, ()),
    ("gemm_03_shared_tile", 4096, ()),
)

METRICS = {
    "waves": "l1tex__data_pipe_lsu_wavefronts.sum",
    "busy": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "l1_hit": "l1tex__t_sector_hit_rate.pct",
    "l2_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "dram": "dram__bytes_read.sum",
}


def read(chapter: str, size: int, more: tuple) -> Dict[str, float]:
    """Return METRICS of the first launch of a chapter's kernel."""
    sizes = [word for name in "MNK" for word in (f"--{name}", str(size))]
    done = subprocess.run(
        ["ncu", "--metrics", ",".join(METRICS.values()), "--kernel-name",
         "gemm_kernel", "--launch-count", "1", "--csv", "--page", "raw",
         "--print-units", "base", f"build/gpu/{chapter}", *sizes, *more,
         "--warmup", "0", "--repeats", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode or '"ID"' not in done.stdout:
        sys.exit(done.stdout)
    # The head, the units, then one row for the launch.
    rows = list(csv.reader(done.stdout[done.stdout.index('"ID"'):].splitlines()))
    launch = dict(zip(rows[0], rows[2]))
    return {name: float(launch[metric].replace(",", ""))
            for name, metric in METRICS.items()}


def main() -> None:
    """Print one row for each of RUNS."""
    print("                               wavefronts   L1    L1    GB    L2     GB")
    print("one launch                       per FFMA  busy   hit  from   hit   from")
    print("                                of a warp     %     %    L2     %   DRAM")
    for chapter, size, more in RUNS:
        one = read(chapter, size, more)
        name = f"{chapter}, {size}" + (f" {' '.join(more)}" if more else "")
        print(f"{name:<33}{one['waves'] / (size**3 / 32):8.2f}"
              f"{one['busy']:6.0f}{one['l1_hit']:6.1f}"
              f"{one['l2_sectors'] * 32 / 1e9:6.1f}"
              f"{100 * one['l2_hits'] / one['l2_sectors']:6.0f}"
              f"{one['dram'] / 1e9:7.1f}")


if __name__ == "__main__":
    main()
