#!/usr/bin/env python3
"""What each idea of gemm_10 is worth: the kernel with one of them taken out.

Usage: ablation.py [--check] [FILE]                            (make ablation)

A variant is the text of the chapter with a few lines replaced, compiled and
run like the chapter itself: verified, then timed beside cuBLAS at 4096 and
8192. Prints the shares of cuBLAS; FILE gets one JSON record per run, with the
name in `variant`. --check only sees whether every replacement still fits the
chapter's text, and needs no GPU.

Exit status: 0, or 1 if something failed.
"""

import json
import os
import re
import sys
from typing import Callable, Dict, List, Tuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import course  # noqa: E402

CHAPTER = "gemm_10_warptile"
FOLDER = "build/gpu/ablation"
SIZES = ("4096", "8192")

Edit = Callable[[str], str]


def replace(*pairs: Tuple[str, str]) -> Edit:
    """Replace each first text by its second; it must occur exactly once."""
    def edit(text: str) -> str:
        for old, new in pairs:
            if text.count(old) != 1:
                raise ValueError(f"occurs {text.count(old)} times: {old!r}")
            text = text.replace(old, new)
        return text
    return edit


def define(name: str, value: int) -> Edit:
    """Set a parameter of the chapter."""
    def edit(text: str) -> str:
        text, found = re.subn(rf"(?m)^#define {name} \S+",
                              f"#define {name} {value}", text)
        if found != 1:
            raise ValueError(f"no parameter {name}")
        return text
    return edit


def read4(qualifier: str) -> Tuple[str, str]:
    """Put a function before store4 that loads four words one by one."""
    before = "/** Store four neigh"
    return before, f"""static __device__ void read4(float *to, const float *from)
{{
    const {qualifier}float *f = from;
    to[0] = f[0], to[1] = f[1], to[2] = f[2], to[3] = f[3];
}}

{before}"""


# The loop as it stands, and with one buffer: the put waits for all readers.
PUT = """            if (k == PUT_AT) {
                put(a_next, b_next, As[now ^ 1], Bs[now ^ 1]);
                A += BK;
                B += (int64_t)BK * ldb;
                // Past K it brings zeros, which nobody multiplies.
                fetch(a_next, b_next, A, lda, B, ldb, below, left - 2 * BK);
            }
"""
SWITCH = """            if (k == BK - 1) {
                __syncthreads(); // the next tiles are complete, and all have
                now ^= 1;        // read these before they are replaced
            }
"""
ONE_BUFFER = """            if (k == BK - 1) {
                __syncthreads(); // all have read these tiles
                put(a_next, b_next, As[0], Bs[0]);
                A += BK;
                B += (int64_t)BK * ldb;
                fetch(a_next, b_next, A, lda, B, ldb, below, left - 2 * BK);
                __syncthreads(); // the next tiles are complete
            }
"""
A_FRAGMENTS = """    for (int i = 0; i < TM; i += 4)
        load4(a + i, As + (i * (WM / TM) ^ swizzle));
"""
B_FRAGMENTS = """    for (int j = 0; j < TN; j += 4)
        load4(b + j, Bs + j * (WN / TN));
"""

VARIANTS: Dict[str, Edit] = {
    "all of it": replace(),
    "blocks row by row": define("GROUP", 1),
    "no serpentine": replace(
        ("int turn = i % 2 ? TN - 1 - j : j; // serpentine", "int turn = j;")),
    "fragments of A first": replace(
        (B_FRAGMENTS + "#pragma unroll\n" + A_FRAGMENTS,
         A_FRAGMENTS + "#pragma unroll\n" + B_FRAGMENTS)),
    "put at 5 instead of 3": define("PUT_AT", 5),
    "no pointers of a thread's own": replace(
        ("load4(a + i, A + (int64_t)down * lda)",
         "load4(a + i, A + (int64_t)min(element(i) / BK, (int)below) * lda"
         " + element(i) % BK)"),
        ("load4(b + i, B + (int64_t)down * ldb)",
         "load4(b + i, B + (int64_t)(element(i) / BN) * ldb"
         " + min(element(i) % BN, last))"),
        ("float *B, int ldb, unsigned below,\n                             "
         "int left)", "float *B, int ldb, unsigned below,\n"
         "                             int last, int left)"),
        ("A += (int64_t)(tile_row + from_row) * lda + element(0) % BK;",
         "A += (int64_t)tile_row * lda;"),
        ("B += (int64_t)(element(0) / BN) * ldb + tile_col + from_col;",
         "B += tile_col;"),
        ("int from_row = min(element(0) / BK, rows - 1);", "int from_row = 0;"),
        ("int from_col = min(element(0) % BN, (cols - 1) / 4 * 4);",
         "int last = (cols - 1) / 4 * 4;"),
        ("below, K);", "below, last, K);"),
        ("below, K - BK);", "below, last, K - BK);"),
        ("below, left - 2 * BK);", "below, last, left - 2 * BK);")),
    "no warp tile": replace(
        ("int thread_row = warp / (BN / WN) * WM + lane_row * 4;",
         "int thread_row = threadIdx.x / (BN / TN) * 4;"),
        ("int thread_col = warp % (BN / WN) * WN + lane_col * 4;",
         "int thread_col = threadIdx.x % (BN / TN) * 4;"),
        ("Bs + j * (WN / TN)", "Bs + j * (BN / TN)"),
        ("As + (i * (WM / TM) ^ swizzle)", "As + i * (BM / TM)"),
        ("&As[now][next][thread_row],",
         "&As[now][next][thread_row ^ (next / 4 * SWIZZLE)],"),
        ("i / 4 * (4 * WM / TM)", "i / 4 * (4 * BM / TM)"),
        ("thread_col + j * (WN / TN)", "thread_col + j * (BN / TN)")),
    "no swizzle": replace(
        ("As[k + i % 4][row ^ (k / 4 * SWIZZLE)]", "As[k + i % 4][row]"),
        ("next / 4 * SWIZZLE", "0")),
    "no pairs of lanes": replace(
        ("lane / (2 * (WN / TN)) * 2 + lane % 2;", "lane / (WN / TN);"),
        ("lane / 2 % (WN / TN)", "lane % (WN / TN)")),
    "4-byte global loads": replace(
        read4(""), ("load4(a + i, A +", "read4(a + i, A +"),
        ("load4(b + i, B +", "read4(b + i, B +")),
    "one buffer": replace(
        (PUT, ""), (SWITCH, ONE_BUFFER), ("float As[2]", "float As[1]"),
        ("float Bs[2]", "float Bs[1]")),
    "4-byte shared loads": replace(
        read4("volatile "), ("load4(b + j, Bs", "read4(b + j, Bs"),
        ("load4(a + i, As", "read4(a + i, As")),
}


def build(texts: List[str]) -> List[str]:
    """Compile the variants, on all cores. Return their programs."""
    os.makedirs(FOLDER, exist_ok=True)
    programs = [f"{FOLDER}/{number}" for number in range(len(texts))]
    for program, text in zip(programs, texts):
        with open(program + ".cu", "w", encoding="utf-8") as file:
            file.write(text)
    if not course.build(programs):
        sys.exit("ablation: a variant does not compile")
    return programs


def measure(name: str, program: str, size: str) -> dict:
    """Verify and time a variant. Return its record."""
    run = course.run([program, "--M", size, "--N", size, "--K", size])
    if run.status or len(run.records) != 1:
        sys.stderr.write(run.errors)
        sys.exit(f"ablation: {name} failed at {size}")
    return {**run.records[0], "variant": name}


def main() -> int:
    """Try all variants."""
    words: List[str] = sys.argv[1:]
    check = words[:1] == ["--check"]
    with open(f"chapters/{CHAPTER}/{CHAPTER}.cu", encoding="utf-8") as file:
        source = file.read()
    texts = {}
    for name, edit in VARIANTS.items():
        try:
            texts[name] = edit(source)
        except ValueError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
    if check:
        return 0
    print(f"{CHAPTER} without one idea, percent of cuBLAS"
          + "".join(f"{size:>8}" for size in SIZES))
    for name, program in zip(texts, build(list(texts.values()))):
        records = [measure(name, program, size) for size in SIZES]
        print(f"{name:<49}" + "".join(
            f"{100 * r['baseline']['ratio']:>8.1f}" for r in records),
            flush=True)
        if words:
            with open(words[0], "a", encoding="utf-8") as file:
                file.writelines(json.dumps(r) + "\n" for r in records)
    return 0


if __name__ == "__main__":
    course.script(main)
