"""Time every chapter at every size on this GPU, as data.

Writes results/NAME.jsonl, NAME from that of the GPU (h200): a record of each
variant at every line that its chapter's checks have under [timed], a gemm chapter
without any at the sizes of GEMM, a tensor chapter at those of TENSOR, one of attention at
those of ATTENTION.

A run that is recorded is not made again while the GPU, the command and all that
the program is built from (`build` in the record) are the same, so that make
bench goes on where Ctrl-C, kill or a lost connection stopped it. again=yes
measures anew. A run that fails or is not verified leaves no record; one during
which the GPU slowed itself down is recorded with the reasons, and named.
"""

import glob
import hashlib
import json
import os
import re
import shlex
import signal
import sys
import time
from datetime import timedelta
from typing import Dict, List, NamedTuple, Tuple

from tools import checklist, course, machine

GEMM = ((256, 256, 256), (512, 512, 512), (1024, 1024, 1024),
        (2048, 2048, 2048), (4096, 4096, 4096), (4097, 4097, 4097),
        (8192, 8192, 8192), (1000, 3000, 500), (512, 512, 8192))
TENSOR = ((1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096),
          (4097, 4097, 4097), (8192, 8192, 8192), (8192, 8192, 1024))
ATTENTION = ((4, 16, 4096, 128), (16, 16, 1024, 128), (1, 16, 16384, 128),
             (1, 8, 1000, 128), (4, 16, 4096, 64))  # b, h, s, d


def sizes(M: int, N: int, K: int) -> List[str]:
    """Return the options of a matrix product."""
    return ["--M", str(M), "--N", str(N), "--K", str(K)]


def lines(chapter: str) -> List[List[str]]:
    """Return the command lines that a chapter is timed with."""
    timed = checklist.sizes(chapter, "timed")
    group = course.groups()[chapter]
    if timed or group not in course.LADDERS:
        return list(map(shlex.split, timed))
    if group == "tensor":
        return [sizes(*size) for size in TENSOR]
    if group == "attention":
        return [f"--b {b} --h {h} --s {s} --d {d} --causal {causal}".split()
                for b, h, s, d in ATTENTION for causal in (0, 1)]
    # Seconds per launch of the first rung: fewer samples are enough.
    few = ["--warmup", "1", "--repeats", "7"]
    return [sizes(*size) + (few if size[0] == 8192 else []) for size in GEMM]


def device() -> str:
    """Return the GPU's name for a file: h200, rtx_4090, a100-sxm4-80gb."""
    words = [word for word in machine.gpu().name.lower().split()
             if not re.fullmatch(r"nvidia|geforce|tesla|quadro|gpu|pcie|hbm\d\w*"
                                 r"|\d+gb", word)]
    return re.sub(r"[^\w-]", "", "_".join(words)) or "gpu"


# ---- what is recorded already -----------------------------------------------


class Run(NamedTuple):
    """A program with its arguments."""

    chapter: str
    line: List[str]
    build: str = ""  # a name for all that the program is built from

    def command(self) -> str:
        """Return the command line, as a record has it."""
        return " ".join([f"build/gpu/{self.chapter}", *self.line])

    def recorded(self, record: dict) -> bool:
        """Whether a record is of this command, program and GPU."""
        return (record["command"] == self.command()
                and record.get("build") == self.build
                and record["device"] == machine.gpu().name)


def build_name(chapter: str, arch: str) -> str:
    """Return a hash of all that a chapter's program is built from."""
    paths = course.sources(chapter) + ["tools/build.mk"]
    for kind in ("*.c", "*.h", "*.cuh", "gpu/*"):
        paths += glob.glob(f"common/{kind}")
    text = hashlib.sha256(arch.encode())
    text.update(machine.answer(machine.nvcc(), "--version").encode())
    for path in sorted(paths):
        with open(path, "rb") as file:
            text.update(file.read())
    return text.hexdigest()[:12]


def keep(path: str, new: List[dict], key: str, name: str,
         order: List[str]) -> None:
    """Put records whose key says a name in the place of its older ones.

    All stand in an order of names; those of names that are not in it go.
    """
    records = sorted([record for record in course.read_lines(path)
                      if record[key] in order and record[key] != name] + new,
                     key=lambda record: order.index(record[key]))
    if records:
        course.write(path, "".join(json.dumps(record) + "\n"
                                   for record in records))


# ---- a GPU that slows itself down -------------------------------------------

REASON = re.compile(r"^\s+([A-Z][\w ]+?)\s*: (\d+) us$", re.M)


def slowed() -> Dict[str, float]:
    """Return for how long (ms) a GPU was slower so far, by reason.

    Nothing where the driver does not count it.
    """
    gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0] or "0"
    state = machine.answer(machine.smi(), "-q", "-i", gpu, "-d", "PERFORMANCE")
    return {name: int(us) / 1e3 for name, us in REASON.findall(state)}


# ---- measuring --------------------------------------------------------------


def weight(run: Run, known: List[dict]) -> float:
    """Return about how long a run takes (s), by times that are known."""
    times = [record["time_ms"] for record in known
             if record["command"] == run.command()]
    # As long again for the library, and 2 s to verify.
    return 2 + sum(time["median"] * time["repeats"] * time["batch"] / 500
                   for time in times if time)


def measure(path: str, run: Run) -> Tuple[str, str]:
    """Make a run and keep its records. Return what came of it, and details."""
    before = slowed()
    done = course.run([f"build/gpu/{run.chapter}", *run.line])
    slow = {name: round(ms - before[name], 3) for name, ms in slowed().items()
            if ms - before.get(name, ms) >= 1}  # half a sample
    if done.status in (2, 3):  # too large for this GPU, or too new
        return "left out", done.errors.strip()
    if done.status or not done.records or not all(
            record["verified"] for record in done.records):
        return "NOT RECORDED", done.errors.strip() or "not verified"
    for record in done.records:
        record.update(command=run.command(), build=run.build)
        if slow:
            record["slowed_ms"] = slow
    keep(path, done.records, "command", run.command(), [
        Run(chapter, line).command() for chapter in course.chapters()
        for line in lines(chapter)])
    return "recorded", f"{done.seconds:.1f} s" + (
        "; WARNING: the GPU slowed itself down: " + ", ".join(
            f"{name}, {ms:.0f} ms" for name, ms in slow.items())
        if slow else "")


def bench(folder: str, named: List[str], arch: str, again: bool) -> int:
    """Make all runs of chapters, or of all, that are not recorded yet.

    Return 1 if one failed.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # as nvidia-smi has it
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{device()}.jsonl")
    every = [Run(chapter, line, build)
             for chapter in named or course.recorded()
             for build in [build_name(chapter, arch)]
             for line in lines(chapter)]
    try:
        known = course.read_lines(path)
    except ValueError as error:
        sys.exit(f"bench: {path}: {error}; move it away, or correct it")
    todo = [run for run in every if again or not any(map(run.recorded, known))]
    print(f"{path}: {len(every)} runs, {len(every) - len(todo)} recorded "
          "already")
    if not slowed():
        print("WARNING: this driver does not count when the GPU slows itself "
              "down")
    h200 = course.read_lines(course.RESULTS)
    weights = [weight(run, h200) for run in todo]
    results = []
    begin = time.monotonic()
    for i, run in enumerate(todo):
        print(f"{i + 1}/{len(todo)} {run.chapter} {shlex.join(run.line)}",
              flush=True)
        try:
            result, details = measure(path, run)
        except KeyboardInterrupt:
            print(f"\nstopped after {i} of {len(todo)} runs; make bench goes "
                  "on there", flush=True)
            raise
        results.append(result)
        left = timedelta(seconds=round(
            (time.monotonic() - begin) * sum(weights[i + 1:])
            / sum(weights[:i + 1])))
        print(f"    {result}: {details}"
              + (f"; about {left} left" if i + 1 < len(todo) else ""),
              flush=True)
    print(", ".join(f"{results.count(name)} {name}" for name in
                    ("recorded", "left out", "NOT RECORDED")))
    return 1 if "NOT RECORDED" in results else 0
