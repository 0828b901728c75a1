"""When warp groups of the tensor rungs multiply and hand C over: by clock64().

Usage: python3 -m tests.gpu.stamps [FILE]                 (needs a GPU of 9.0)

Builds tensor_07, tensor_08 and tensor_10 with stamps: thread 0 of each group
stores the clock of its SM when it begins a tile's first product, when the last
one has ended, and when C is out of its hands. Runs them at 8192 x 8192 x 1024
and prints, as CSV, three tiles of one SM in a row, from the third on, in cycles
from the first one's beginning, and the median pause over all SMs: from the last
product of a tile to the first of the next. The last line but one of a chapter
has what is written in FILE, too. Exit status: 0, or 1 if a program failed.
"""

import collections
import statistics
import sys
from typing import Dict, List, Tuple

from tools import course
from tools.author import ablation

SIZE = "--M 8192 --N 8192 --K 1024 --small 0 --repeats 5".split()
TILES = 2048  # of 128 x 256
FILE = "build/stamps.txt"
STAMPS = f"""
#define STAMP(tile, what)                                                      \\
    if (threadIdx.x % 128 == 0)                                                \\
    stamps[tile][threadIdx.x / 128][what] = clock64()
__device__ long long stamps[{TILES}][2][3];
__device__ unsigned sm_of[{TILES}];

/** The SM that this thread runs on. PTX ISA: %smid. */
static __device__ unsigned sm(void)
{{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}}

static void save(void)
{{
    static long long when[{TILES}][2][3];
    static unsigned on[{TILES}];
    CUDA_CHECK(cudaMemcpyFromSymbol(when, stamps, sizeof(when)));
    CUDA_CHECK(cudaMemcpyFromSymbol(on, sm_of, sizeof(on)));
    FILE *file = fopen("{FILE}", "w");
    for (int i = 0; i < {2 * TILES}; i++)
        fprintf(file, "%u %d %lld %lld %lld\\n", on[i / 2], i % 2,
                when[i / 2][i % 2][0], when[i / 2][i % 2][1],
                when[i / 2][i % 2][2]);
    fclose(file);
}}

/* ---- kernel"""
ALL = [("\n/* ---- kernel", STAMPS),
       ("    CHECK_LAUNCH(", "    save();\n    CHECK_LAUNCH(")]
# What is put where: a text that occurs once, and what stands behind it.
TILE = "(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z))"
PAIR = "(t * 2 + rank)"  # of a cluster
BEHIND: Dict[str, List[Tuple[str, str]]] = {
    "tensor_07": [
        ("mbarrier_wait(full + stage * 8, i / STAGES % 2);",
         f"if (i == 0) {{ sm_of[{TILE}] = sm(); STAMP({TILE}, 0); }}"),
        ("    }\n    wgmma_wait<0>();", f"STAMP({TILE}, 1);"),
        ("store_wait_read<0>(); // before shared memory goes", f"STAMP({TILE}, 2);")],
    "tensor_08": [
        ("mbarrier_wait(r.full + r.stage * 8, r.parity);",
         "if (i == 0) { sm_of[t] = sm(); STAMP(t, 0); }"),
        ("            // [free]\n        }", "STAMP(t, 1);"),
        ("put(pairs, places, &C_map, row, col + j * 8);\n            }",
         "STAMP(t, 2);")],
    "tensor_10": [
        ("step(sum, &r, group, i);\n            if (held_col >= 0)\n"
         "                put(&held[i * 16], places, &C_map, held_row, held_col + i * 64);",
         f"if (i == 0) {{ sm_of[{PAIR}] = sm(); STAMP({PAIR}, 0); }}"
         f"if (i == PARTS - 1 && t >= clusters) STAMP({PAIR} - clusters * 2, 2);"),
        ("wgmma_wait<0>();\n        give_back(&r);", f"STAMP({PAIR}, 1);")],
}


def text_of(chapter: str) -> str:
    """Return a chapter's text with stamps."""
    name = next(name for name in course.chapters() if name.startswith(chapter))
    text = course.text_of(f"chapters/{name}/{name}.cu")
    for old, new in ALL + [(old, f"{old}\n{new}") for old, new in BEHIND[chapter]]:
        if text.count(old) != 1:
            sys.exit(f"stamps: {chapter} has {text.count(old)} times: {old}")
        text = text.replace(old, new)
    return text


def stamps(program: str) -> Dict[Tuple[int, int], List[List[int]]]:
    """Run a program. Return of each SM and group its tiles' three times."""
    run = course.run([program, *SIZE])
    if run.status:
        sys.exit(f"stamps: {run.errors}")
    times = collections.defaultdict(list)
    for line in course.text_of(FILE).splitlines():
        on, group, *when = map(int, line.split())
        times[on, group].append(when)
    return {key: sorted(rows) for key, rows in times.items()}


def main() -> int:
    """Print what happens when."""
    lines = ["chapter,group,begins,last product ended,C handed over,median pause"]
    programs = ablation.build([text_of(chapter) for chapter in BEHIND])
    for program, chapter in zip(programs, BEHIND):
        times = stamps(program)
        pauses = [after[0] - tile[1] for rows in times.values()
                  for tile, after in zip(rows[1:], rows[2:])]
        shown = min(on for on, _ in times)
        start = times[shown, 0][2][0]
        for group in (0, 1):
            for tile in times[shown, group][2:5]:
                lines.append(f"{chapter},{group}," + ",".join(
                    str(at - start) for at in tile) + f",{statistics.median(pauses):.0f}")
    print("\n".join(lines))
    if sys.argv[1:]:
        course.write(sys.argv[1], "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    course.script(main)
