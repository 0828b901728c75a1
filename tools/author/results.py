"""Measure all that the lessons print of a GPU: make bench ncu=yes.

Writes, where DEVICE is a name for the GPU (h200):

    DEVICE.jsonl         times, by bench.py: again=yes measures those anew that
                         are recorded already
    ncu_DEVICE.jsonl     Nsight Compute's counters for each column of counts
    series_DEVICE.jsonl  profile and machine code of each rung at 4096
    DEVICE_caches.txt    what answers the loads of the first rungs
    DEVICE_latency.txt   latency of dependent loads
    DEVICE_l2.txt        bytes a second that the L2 gives and takes

Without ncu the times, latency and l2 alone are written. With chapters named only
their records are renewed: in the three files of records, where those of other
chapters stay.
"""

import os
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, List, Sequence

from tools import asm, bench, checklist, course, machine, ncu

# ---- counters ---------------------------------------------------------------


def counters(chapter: str) -> List[dict]:
    """Read the counters of each block of counts, by make profile."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counts.jsonl")
        for block in checklist.counts(chapter):
            print(chapter, block.args, flush=True)
            subprocess.run(
                ["make", "-s", f"chapter={chapter}", "profile", "on=gpu",
                 f"args={block.args}", f"json={path}"], check=True,
                stdout=subprocess.DEVNULL)
        return course.read_lines(path)


# Short name: metric of Nsight Compute.
PROFILE = {
    "ms": "gpu__time_duration.sum",
    "fma_pipe_percent":
        "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "issue_slots_percent": "sm__inst_issued.avg.pct_of_peak_sustained_active",
    "warps_resident_percent":
        "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
    "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "shared_load_wavefronts":
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_requests": "smsp__inst_executed_op_shared_ld.sum",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "dram_bytes_read": "dram__bytes_read.sum",
}

CUBLAS = "cuBLAS"  # stands after the chapters in the file of the series

# What a warp waits for, by the words of a table: cycles between two instructions
# that it issues.
STALLS = {
    reason.replace("_", " "):
        f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
    for reason in (
        "long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle",
        "barrier", "wait", "dispatch_stall", "math_pipe_throttle",
        "not_selected", "selected", "no_instruction", "drain", "imc_miss",
        "membar", "misc", "sleeping", "tex_throttle")
}

CACHES = {
    "waves": "l1tex__data_pipe_lsu_wavefronts.sum",
    "busy": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "l1_hit": "l1tex__t_sector_hit_rate.pct",
    "l2_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "dram": "dram__bytes_read.sum",
}

CACHE_HEAD = """\
                               wavefronts   L1    L1    GB    L2     GB
one launch                       per FFMA  busy   hit  from   hit   from
                                of a warp     %     %    L2     %   DRAM
"""

CACHE_RUNS = (
    ("gemm_01_naive", 4096, ()), ("gemm_01_naive", 4096, ("--pad", "4")),
    ("gemm_01_naive", 4097, ()), ("gemm_02_coalesced", 4096, ()),
    ("gemm_03_shared_tile", 4096, ()))

# cuBLAS runs after a chapter's mark for the end of what is counted.
OF_CUBLAS: Dict[str, Any] = {"marked": False, "only": [
    "--disable-profiler-start-stop", "--launch-count", "1",
    "--kernel-name", "regex:sgemm|xmma|cutlass"]}


def read(chapter: str, size: int, metrics: Dict[str, str],
         more: Sequence[str] = (), **of: Any) -> Dict[str, Any]:
    """Return the kernel's name and metrics of a run of a gemm chapter."""
    launches = ncu.read(
        [f"build/gpu/{chapter}", *bench.sizes(size, size, size), *more,
         "--warmup", "0", "--repeats", "1"], metrics.values(), **of)
    if len(launches) != 1:
        sys.exit(f"results: {len(launches)} launches of {chapter}, not one")
    return {"kernel": launches[0]["kernel"],
            **{name: launches[0]["values"].get(metric)
               for name, metric in metrics.items()}}


def caches(path: str) -> None:
    """Write a row for each of CACHE_RUNS."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(CACHE_HEAD)
        for chapter, size, more in CACHE_RUNS:
            row = read(chapter, size, CACHES, more)
            name = f"{chapter}, {size}" + (f" {' '.join(more)}" if more else "")
            print(f"{name:<33}{row['waves'] / (size**3 / 32):8.2f}"
                  f"{row['busy']:6.0f}{row['l1_hit']:6.1f}"
                  f"{row['l2_sectors'] * 32 / 1e9:6.1f}"
                  f"{100 * row['l2_hits'] / row['l2_sectors']:6.0f}"
                  f"{row['dram'] / 1e9:7.1f}", file=file)


def loop(chapter: str) -> Dict[str, int]:
    """Count the instructions of a chapter's hot loop, by kind."""
    path = f"build/gpu/{chapter}.cubin"
    if not course.build([path]):
        sys.exit(f"results: {path} cannot be made")
    return max((asm.mix(asm.hot_loop(code)) for code in asm.read(path).values()),
               key=lambda kinds: kinds.get("FFMA", 0))


def series(chapter: str) -> List[dict]:
    """Profile and hot loop of a rung, or of cuBLAS, which has no loop.

    The names in profile{} are those of PROFILE, in stalls{} those of STALLS,
    in loop{} kinds of instructions.
    """
    every = {**PROFILE, **STALLS}
    if chapter == CUBLAS:
        values = read("gemm_10_warptile", 4096, every, **OF_CUBLAS)
        more = {"kernel": values["kernel"]}
    elif chapter.startswith("gemm_"):
        values = read(chapter, 4096, every)
        more = {"loop": loop(chapter)}
    else:
        return []
    values["ms"] /= 1e6  # the base unit is ns
    return [{"chapter": chapter, "size": 4096, "device": machine.gpu().name,
             "toolkit": machine.release(),
             "profile": {name: values[name] for name in PROFILE},
             "stalls": {name: values[name] for name in STALLS}, **more}]


def said_by(name: str) -> Callable[[str], None]:
    """Return what writes to a file what tests/gpu/NAME.cu measures."""
    def write(path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            subprocess.run([f"build/gpu/tests/{name}"], stdout=file, check=True)
    return write


def renew(path: str, measure: Callable[[str], List[dict]],
          chapters: List[str]) -> None:
    """Measure chapters, one after the other; keep the records of others."""
    for chapter in chapters:
        bench.keep(path, measure(chapter), "chapter", chapter,
                   [*course.chapters(), CUBLAS])


def measure(folder: str, named: List[str], arch: str, again: bool) -> int:
    """Measure all that this machine can; return 1 if something failed."""
    course.forget_make()
    status = bench.bench(folder, named, arch, again)
    device = bench.device()
    every = named or [*course.recorded(), CUBLAS]
    files: Dict[str, Callable[[str], None]] = {
        f"ncu_{device}.jsonl": lambda path: renew(path, counters, every),
        f"series_{device}.jsonl": lambda path: renew(path, series, every)}
    if not named:
        files[f"{device}_caches.txt"] = caches
    if not machine.cuda_tool("ncu"):
        print("no ncu: no counters")
        files = {}
    if not named:
        files[f"{device}_latency.txt"] = said_by("latency")
        files[f"{device}_l2.txt"] = said_by("l2")
    for name, write in files.items():
        path = os.path.join(folder, name)
        print(f"-> {path}", flush=True)
        write(path)
    return status
