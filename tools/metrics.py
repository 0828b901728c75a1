"""The counters: what each means, and which Nsight Compute metrics it is.

The simulator counts under these names, `make profile` prints them on both
back ends, and the sum of the parts is what ncu must read on a GPU. No parts:
the hardware has no such counter.
"""

from typing import Dict, NamedTuple, Optional, Tuple


class Metric(NamedTuple):
    """One counter."""

    meaning: str
    parts: Tuple[str, ...]


METRICS: Dict[str, Metric] = {}

for word, op in (("load", "ld"), ("store", "st")):
    METRICS[f"global_{word}_requests"] = Metric(
        f"{word} instructions of a warp to global memory",
        (f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum",))
    METRICS[f"global_{word}_sectors"] = Metric(
        "different 32-byte sectors, summed over the requests",
        (f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum",))
    METRICS[f"global_{word}_sectors_per_request"] = Metric(
        "4 for 32 neighbouring floats, 1 for a broadcast, at most 32 for floats",
        # "requests" in the plural prints n/a.
        ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_"
         f"{op}.ratio",))
    METRICS[f"global_{word}_tag_wavefronts"] = Metric(
        "passes through the L1's four tag banks, a line of 128 bytes each",
        (f"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_{op}.sum",))
    if word == "store":
        continue
    # As if every line were in the L1: a GPU's counter sees misses, too.
    METRICS["global_load_data_wavefronts"] = Metric(
        "passes through the L1's 32 data banks, if it holds the data", ())
    METRICS["global_load_cycles"] = Metric(
        "cycles of the L1: for each request its slowest stage", ())
# A red is an atomic whose result nobody uses.
METRICS["global_atomic_requests"] = Metric(
    "atomic instructions of a warp on global memory",
    tuple(f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum"
          for op in ("red", "atom")))
METRICS["global_atomic_sectors"] = Metric(
    "their sectors",
    tuple(f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"
          for op in ("red", "atom")))
for word, op in (("load", "ld"), ("store", "st"), ("atomic", "atom")):
    METRICS[f"shared_{word}_requests"] = Metric(
        f"{word} instructions of a warp on shared memory",
        (f"smsp__inst_executed_op_shared_{op}.sum",))
    METRICS[f"shared_{word}_wavefronts"] = Metric(
        "passes through the 32 banks; 1 a request is the least",
        (f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum",))
    METRICS[f"shared_{word}_bank_conflicts"] = Metric(
        "passes that conflicts of banks add",
        (f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum",))
    if word == "load":
        METRICS["shared_matrix_requests"] = Metric(
            "ldmatrix instructions; their wavefronts are those of loads",
            ("smsp__inst_executed_op_ldsm.sum",))
METRICS["constant_load_requests"] = Metric(
    "indexed loads of a warp from constant memory",
    ("smsp__inst_executed_op_ldc.sum",))
METRICS["constant_load_passes"] = Metric(
    "different words, summed over the requests; 1 is a broadcast",
    ("idc__requests.sum",))
for op, word in (("ffma", "fused multiply-adds"), ("fadd", "additions"),
                 ("fmul", "multiplications")):
    METRICS[op] = Metric(
        f"{word} in float32, each lane counted",
        # Predicated-off lanes are left out.
        (f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum",))
METRICS["barriers"] = Metric("__syncthreads(), each warp counted", ())
METRICS["async_waits"] = Metric(
    "waits for groups of copies (cp.async), each lane counted", ())
METRICS["async_groups_left"] = Metric(
    "groups that these waits leave under way, each lane counted", ())
for word, verb in (("load", "brings to"), ("store", "takes from")):
    METRICS[f"bulk_{word}_bytes"] = Metric(
        f"bytes that the copy engine {verb} shared memory", ())
    METRICS[f"bulk_{word}_sectors"] = Metric(
        "their 32-byte sectors in the L2; once for all blocks of a multicast"
        if word == "load" else "their 32-byte sectors in the L2", ())
METRICS["tensor_fma"] = Metric("multiply-adds of tensor cores", ())
METRICS["instructions"] = Metric(
    "arithmetic and branches of a warp; an estimate in the simulator", ())
METRICS["lanes_per_instruction"] = Metric(
    "32 without divergence; an estimate in the simulator",
    ("smsp__thread_inst_executed_per_inst_executed.ratio",))

# What the simulator only estimates: instructions of the source stand for those
# of the machine.
ESTIMATES = ("instructions", "lanes_per_instruction")

FFMA_PER_CYCLE = 4  # instructions of a warp that an SM starts in a cycle


def total(counts: Dict[str, float], space: str, what: str) -> float:
    """Return the sectors or wavefronts of loads, stores and atomics."""
    return sum(counts.get(f"{space}_{op}_{what}", 0)
               for op in ("load", "store", "atomic"))


def l1_cycles_per_ffma(
        counts: Dict[str, float]) -> Optional[Tuple[float, float]]:
    """Return how long an SM's L1 is busy for each FFMA instruction of a warp.

    The cycles of loads of global memory, as if all of them hit, and of shared
    memory: it lies in the same data banks, and a wavefront takes a cycle there.
    Above 1 / FFMA_PER_CYCLE in all, the L1 and not arithmetic sets the pace.
    None if the counters cannot say it (on a GPU).
    """
    ffma = counts.get("ffma", 0) / 32
    if not ffma or "global_load_cycles" not in counts:
        return None
    return (counts["global_load_cycles"] / ffma,
            total(counts, "shared", "wavefronts") / ffma)
