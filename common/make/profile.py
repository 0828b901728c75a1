#!/usr/bin/env python3
"""Print the counters of a chapter's kernel, in total and per source line.

Usage: profile.py gpu|simulator CHAPTER [ARGS...]

In the simulator the program runs with SIM_REPORT; on a GPU under Nsight
Compute (the variable ncu names it), whose report is kept beside the program.
The names are the same. What is counted is the first launch of a kernel of the
chapter's source: the first of gemm_verify().

With the variable json=FILE, one line of JSON is appended to FILE: chapter,
args, back end, device, driver, toolkit, command, counts.

Exit status: that of the program; 1 if there is nothing to show.
"""

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from typing import Dict, List

import counts
import course
import metrics

PERMISSION = """\
ncu may not read the GPU's counters (ERR_NVGPUCTRPERM): the driver keeps them
for root. Run this once as root, or let an administrator allow it for all:
  echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 \\
      >/etc/modprobe.d/nvidia-counters.conf    # then reboot
Without it: make chapter=... profile on=simulator counts the same things."""


def total_table(values: Dict[str, float], source: str) -> None:
    """Print every counter that is not 0, the others in one line."""
    zero = []
    print(f"\n{'counter':<34}{source:>16}")
    for name in metrics.METRICS:
        value = values.get(name)
        if value == 0:
            zero.append(name)
        elif value is not None:
            print(f"{name:<34}{counts.show(round(value, 2)):>16}")
    if zero:
        print(textwrap.fill("0: " + ", ".join(zero), 80))


def shorten(text: str, width: int) -> str:
    """Cut @p text to @p width columns."""
    return text if len(text) <= width else text[: width - 3] + "..."


# ---- simulator --------------------------------------------------------------


def line_table(lines: List[dict]) -> None:
    """Print one row per source line and kind of access, the dearest first.

    A global access costs sectors, any other wavefronts; "ideal" is what the
    same bytes cost when neighbouring lanes use neighbouring words; the share
    is that of all sectors, or of all wavefronts.
    """
    def cost(line: dict) -> int:
        return line.get("sectors", line.get("wavefronts", 0))

    def unit(line: dict) -> str:
        return "sectors" if "sectors" in line else "wavefronts"

    total: Dict[str, int] = {}
    for line in lines:
        total[unit(line)] = total.get(unit(line), 0) + cost(line)
    width = max(80, min(shutil.get_terminal_size((80, 24)).columns, 120)) - 52
    for what in ("sectors", "wavefronts"):
        rows = sorted((line for line in lines if unit(line) == what),
                      key=lambda line: (-cost(line), line["line"]))
        if not rows:
            continue
        # Columns: what one request costs, and what it would cost at best.
        print(f"\n line {'code':<{width}} {'access':<13}{'requests':>11}"
              f"{what if what == 'sectors' else 'passes':>8}{'ideal':>7}"
              f"{'share':>6}")
        for line in rows:
            requests = max(line["requests"], 1)
            ideal = line.get("ideal")
            print(f"{line['line']:>5} "
                  f"{shorten(source_line(line), width):<{width}} "
                  f"{line['space'] + ' ' + line['op']:<13}"
                  f"{line['requests']:>11,}{cost(line) / requests:>8.2f}"
                  + (f"{ideal / requests:>7.2f}" if ideal is not None
                     else f"{'-':>7}")
                  + f"{100 * cost(line) / max(total[what], 1):>4.0f} %")
    print("\nsectors, ideal: 32-byte sectors of one request, as counted and at "
          "best;\npasses (wavefronts): the same for shared and constant "
          "memory; share: of all.")


SOURCES: Dict[str, List[str]] = {}


def source_line(line: dict) -> str:
    """Return the text of a source line; of a load, from its column on.

    Two loads of one line (a[k] * b[k]) are told apart by where the text
    begins. A store has its column at the "=".
    """
    path = line["file"]
    if path not in SOURCES:
        try:
            with open(path, encoding="utf-8") as file:
                SOURCES[path] = file.read().splitlines()
        except OSError:
            SOURCES[path] = []
    lines = SOURCES[path]
    if not 0 < line["line"] <= len(lines):
        return f"{path}:{line['line']}"
    text = lines[line["line"] - 1]
    column = max(line.get("column", 1), 1) if line["op"] == "load" else 1
    return text[column - 1 :].split("//")[0].strip() or text.strip()


def simulate(chapter: str, args: List[str]) -> Dict[str, float]:
    """Count in the simulator and print both tables."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "launches")
        done = subprocess.run(
            [os.path.join("build", "simulator", chapter), *args],
            env={**os.environ, "SIM_REPORT": path},
            stdout=subprocess.PIPE, text=True)
        launches = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                launches = [json.loads(line) for line in file]
    if done.returncode not in (0, 5):
        sys.stdout.write(done.stdout)
        sys.exit(done.returncode)
    names = course.kernels(course.sources(chapter))
    # A template's name is longer: gemm_kernel<32>.
    launches = [launch for launch in launches
                if re.split(r"[<(]", launch["kernel"])[0] in names]
    if not launches:
        sys.stdout.write(done.stdout)
        sys.exit("profile: no kernel of the chapter was launched")
    if not launches[0]["counts"]:
        sys.exit(f"profile: counters need {course.CLANG}")
    first = launches[0]
    print(f"{first['kernel']}, grid {first['grid']}, block {first['block']}"
          + (f", {' '.join(args)}" if args else ""))
    line_table(first["lines"])
    total_table(first["counts"], "simulator")
    if done.returncode:
        sys.exit(done.returncode)
    return first["counts"]


# ---- GPU --------------------------------------------------------------------


def measure(chapter: str, args: List[str], report: str,
            what: List[str]) -> None:
    """Write what ncu sees of the first launch of the chapter's kernel."""
    names = course.kernels(course.sources(chapter))
    command = [
        os.environ["ncu"], "--clock-control", "none", *what, "--kernel-name",
        f"regex:^({'|'.join(names)})$", "--launch-count", "1",
        "--force-overwrite", "--export", report,
        os.path.join("build", "gpu", chapter), *args,
        "--warmup", "0", "--repeats", "1"]
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if "ERR_NVGPUCTRPERM" in done.stdout:
        sys.exit(PERMISSION)
    if done.returncode or not os.path.exists(report):
        sys.stdout.write(done.stdout)
        sys.exit(done.returncode or 1)


def hardware(chapter: str, args: List[str]) -> Dict[str, float]:
    """Count with Nsight Compute, print the totals, keep the report.

    The counters are read on their own: together with the many of `--set full`
    global_store_sectors was up to 3 % off in either direction (on an H200).
    """
    ncu = os.environ["ncu"]
    report = os.path.join("build", "gpu", f"{chapter}.ncu-rep")
    wanted = sorted({part for metric in metrics.METRICS.values()
                     for part in metric.parts})
    measure(chapter, args, report, ["--metrics", ",".join(wanted)])
    page = subprocess.run(
        [ncu, "--import", report, "--csv", "--page", "raw", "--print-units",
         "base"], stdout=subprocess.PIPE, text=True, check=True).stdout
    # The head, the units, then one row per launch.
    rows = list(csv.reader(page[page.index('"ID"'):].splitlines()))
    launch = dict(zip(rows[0], rows[2]))
    values: Dict[str, float] = {}
    for name, metric in metrics.METRICS.items():
        try:
            parts = [float(launch[part].replace(",", ""))
                     for part in metric.parts]
        except (KeyError, ValueError):
            continue  # not on this GPU
        if parts:
            total = sum(parts)
            values[name] = int(total) if total == int(total) else total
    name = launch.get("Kernel Name", "").split("(")[0]
    print(f"{name}, grid {launch.get('Grid Size', '')}, block "
          f"{launch.get('Block Size', '')}"
          + (f", {' '.join(args)}" if args else ""))
    total_table(values, "Nsight Compute")
    if not os.environ.get("json"):  # a record needs no window
        measure(chapter, args, report,
                ["--set", "full", "--import-source", "yes"])
        print(f"\nfor Nsight Compute's window: {report}")
    return values


def device() -> Dict[str, str]:
    """Return name, driver and toolkit of the GPU."""
    answer = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version",
         "--format=csv,noheader"], stdout=subprocess.PIPE, text=True).stdout
    name, _, driver = answer.splitlines()[0].partition(", ")
    release = subprocess.run([os.environ["nvcc"], "--version"],
                             stdout=subprocess.PIPE, text=True).stdout
    toolkit = re.search(r"release ([\d.]+)", release)
    return {"device": name, "driver": driver,
            "toolkit": toolkit.group(1) if toolkit else ""}


def main() -> int:
    """Profile the chapter of the command line."""
    if len(sys.argv) < 3 or sys.argv[1] not in ("gpu", "simulator"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    back_end, chapter, *args = sys.argv[1:]
    values = (hardware if back_end == "gpu" else simulate)(chapter, args)
    path = os.environ.get("json")
    if path:
        command = f"make chapter={chapter} profile on={back_end}"
        if args:
            command += f' args="{shlex.join(args)}"'
        record = {"chapter": chapter, "args": shlex.join(args),
                  "backend": back_end,
                  **(device() if back_end == "gpu" else {}),
                  "command": command, "counts": values}
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
    return 0


if __name__ == "__main__":
    course.script(main)
