#!/usr/bin/env python3
"""Draw chapters/X/pictures/ from what the kernels do in the simulator.

Usage: picture.py [--check] [CHAPTER...]       (make [chapter=X] picture)

tracing.py runs a kernel, drawings.py has the kinds of drawings,
pictures_gemm.py and pictures_patterns.py have a function for each picture,
photos.py has those in pixels.

Exit status: 0, or 1 if a picture is stale (--check), too large, or not shown by
its lesson, or a lesson shows fewer than two.
"""

import glob
import os
import sys
from typing import Callable, Dict, List

import photos
import pictures_gemm as gemm
import pictures_patterns as patterns
import svg

import course  # noqa: I100  from tools, which svg has made known

MOST_BYTES = 150 << 10  # of a picture
FEWEST = 2  # pictures of a lesson

PICTURES: Dict[str, List[Callable[[], svg.Picture]]] = {
    "vector_add": [gemm.there_and_back, gemm.who_waits],
    "gemm_01_naive": [gemm.gemm_01_walk, gemm.gemm_01_lanes],
    "gemm_02_coalesced": [gemm.gemm_02_turn, gemm.gemm_02_banks],
    "gemm_03_shared_tile": [gemm.gemm_03_tile, gemm.pipes],
    "gemm_04_thread_tile_1d": [gemm.gemm_04_tile, gemm.cover],
    "gemm_05_thread_tile_2d": [gemm.gemm_05_tile, gemm.gemm_05_owners],
    "gemm_06_vectorized": [gemm.gemm_06_requests, gemm.gemm_06_neighbours,
                           gemm.four_floats],
    "gemm_07_bank_conflict": [gemm.gemm_07_groups, gemm.gemm_07_load,
                              gemm.gemm_07_store],
    "gemm_08_double_buffer": [gemm.gemm_08_buffers, gemm.gemm_08_timeline],
    "gemm_09_autotune": [gemm.gemm_09_words, gemm.waves],
    "gemm_10_warptile": [gemm.nesting, gemm.gemm_10_hole],
    "gemm_11_async": [gemm.gemm_11_path, gemm.gemm_11_ring,
                      gemm.gemm_11_timeline],
    "gemm_12_stream_k": [gemm.ranges, gemm.hybrid],
    "bank_conflict_padding": [patterns.mirror, patterns.columns,
                              patterns.pieces],
    "conv": [patterns.halo, patterns.sums],
    "histogram": [patterns.sharing, patterns.banks],
    "reduction": [patterns.tree, patterns.working_warps,
                  patterns.launches],
    "scan": [patterns.scan_rounds, patterns.trees,
             patterns.three_launches, patterns.chain, patterns.ring],
    "stencil": [patterns.marching, patterns.shells],
}


def main() -> int:
    """Draw the pictures of all chapters, or of some; or compare them."""
    args = sys.argv[1:]
    check = "--check" in args
    if check:
        args.remove("--check")
        sys.argv[1:] = ["--check"]
    else:
        del sys.argv[1:]
    stale = 0
    for chapter in args or PICTURES:
        stale |= svg.main(chapter, *PICTURES.get(chapter, []))
        stale |= photos.renew(chapter)
        with open(f"chapters/{chapter}/README.md", encoding="utf-8") as file:
            shown = file.read().count(".svg)")
        if shown < FEWEST:
            print(f"chapters/{chapter}/README.md shows {shown} pictures, "
                  f"fewer than {FEWEST}", file=sys.stderr)
            stale = 1
        for path in sorted(glob.glob(f"chapters/{chapter}/pictures/*")):
            if not check:
                print(path)
            if os.path.getsize(path) > MOST_BYTES:
                print(f"{path} has more than {MOST_BYTES:,} bytes",
                      file=sys.stderr)
                stale = 1
    return stale


if __name__ == "__main__":
    course.script(main)
