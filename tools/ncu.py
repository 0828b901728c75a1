"""Nsight Compute: run a program under it and read its counters.

A chapter marks what is to be counted with
cudaProfilerStart() and cudaProfilerStop(): one run of each of its variants, on
exact data. So does whoever has a program of his own; without such marks all
its launches are counted.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
from typing import Iterable, List, Optional

from tools import machine

PERMISSION = """\
ncu may not read the GPU's counters (ERR_NVGPUCTRPERM): the driver keeps them
for root. Run this once as root, or let an administrator allow it for all:
  echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 \\
      >/etc/modprobe.d/nvidia-counters.conf    # then reboot
Without it: make chapter=... profile on=simulator counts the same things.
More: docs/ncu_refuses.md."""


def three(text: str) -> List[int]:
    """Return the numbers of "(8, 8, 1)"."""
    return [int(number) for number in re.findall(r"\d+", text)]


def parse(page: str) -> List[dict]:
    """Return the launches of a raw page: a head, units, a row for each.

    Each has kernel, grid and block, as the simulator says them, and values by
    metric, without those that this GPU has not.
    """
    if '"ID"' not in page:
        return []
    head, _, *rows = csv.reader(page[page.index('"ID"'):].splitlines())
    launches = []
    for row in rows:
        cells = dict(zip(head, row))
        values = {}
        for name, text in cells.items():
            try:
                values[name] = float(text.replace(",", ""))
            except ValueError:
                continue  # n/a, or no number at all
        launches.append({"kernel": cells["Kernel Name"].split("(")[0],
                         "grid": three(cells.get("Grid Size", "")),
                         "block": three(cells.get("Block Size", "")),
                         "values": values})
    return launches


def measure(command: List[str], what: List[str], report: str,
            marked: bool = True) -> None:
    """Write a report of what a program launches; end if that fails."""
    done = subprocess.run(
        [machine.cuda_tool("ncu"), "--clock-control", "none",
         *(["--profile-from-start", "off"] if marked else []), *what,
         "--force-overwrite", "--export", report, *command],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace")
    if "ERR_NVGPUCTRPERM" in done.stdout:
        sys.exit(PERMISSION)
    if done.returncode or not os.path.exists(report):
        sys.stdout.write(done.stdout)
        sys.exit(done.returncode or "ncu: nothing was counted")


def read(command: List[str], metrics: Iterable[str],
         report: Optional[str] = None, marked: bool = True,
         only: Iterable[str] = ()) -> List[dict]:
    """Return the metrics of each launch of a program that is to be counted.

    The report is kept if it has a name; only: options of ncu that choose.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = report or os.path.join(folder, "report.ncu-rep")
        measure(command,
                ["--metrics", ",".join(sorted(set(metrics))), *only], path,
                marked)
        page = subprocess.run(
            [machine.cuda_tool("ncu"), "--import", path, "--csv", "--page", "raw",
             "--print-units", "base"], stdout=subprocess.PIPE, text=True,
            check=True).stdout
    return parse(page)
