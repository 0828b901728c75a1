#!/usr/bin/env python3
"""What the ideas of a rung are worth: the kernel with one of them taken out,
or with another remedy in its place.

Usage: ablation.py [--check] [CHAPTER...] [FILE]               (make ablation)

A variant is the text of a chapter with a few lines replaced, compiled and run
like the chapter itself: verified, then timed beside cuBLAS at 4096 and 8192.
Prints the shares of cuBLAS; FILE gets one JSON record per run, with the name in
`variant`. Without CHAPTER all that have variants. --check only sees whether
every replacement still fits the chapter's text, and needs no GPU.

Exit status: 0, or 1 if something failed.
"""

import json
import os
import re
import sys
from typing import Callable, Dict, List, Tuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import course  # noqa: E402

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


def both(*edits: Edit) -> Edit:
    """Make one edit after the other."""
    def edit(text: str) -> str:
        for one in edits:
            text = one(text)
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


# gemm_09, one with the order of gemm_08: fetch before the loop over k.
LAUNCH_BOUNDS = "__global__ void __launch_bounds__(THREADS)\n    gemm_kernel"
SECOND_FETCH = """    A += BK;
    B += (int64_t)BK * ldb;
    a_left -= BK;
    b_left -= BK;
    fetch(a_next, b_next, A, a_left, B, ldb, b_left);
"""
PUT = """            if (k == PUT_AT) {
                put(a_next, b_next, &As[now ^ 1][a_k][a_row],
                    &Bs[now ^ 1][b_k][b_col]);
                A += BK;
                B += (int64_t)BK * ldb;
                a_left -= BK; // after the last tiles it brings zeros, which
                b_left -= BK; // nobody multiplies
                fetch(a_next, b_next, A, a_left, B, ldb, b_left);
            }
"""
LOOP = "    for (int left = K; left > 0; left -= BK) {\n"
BARRIER = "        __syncthreads(); // the next tiles are complete, and everyone has"

LARGER_TILE: Dict[str, Edit] = {
    "put behind the loop": replace(
        (SECOND_FETCH + "    __syncthreads(); // the first",
         "    __syncthreads(); // the first"),
        (PUT, ""), (LOOP, LOOP + SECOND_FETCH),
        (BARRIER, "        put(a_next, b_next, &As[now ^ 1][a_k][a_row],\n"
         "            &Bs[now ^ 1][b_k][b_col]);\n" + BARRIER)),
    "no __launch_bounds__": replace((LAUNCH_BOUNDS,
                                    "__global__ void gemm_kernel")),
    "no serpentine": replace(
        ("int turn = i % 2 ? TN - 1 - j : j; // serpentine", "int turn = j;")),
}

# gemm_10, without its warp tile with the put at three steps.
ROWS_OF_32 = replace(
    ("int x = warp % (BN / TN / 8) * 8 + lane / 2 % 8;", "int x = lane;"),
    ("int y = warp / (BN / TN / 8) * 4 + lane / 16 * 2 + lane % 2;",
     "int y = warp;"))
WARP_TILE: Dict[str, Edit] = {
    "no warp tile": ROWS_OF_32,
    "no warp tile, put at 3": both(ROWS_OF_32, define("PUT_AT", 3)),
    "no warp tile, put at 6": both(ROWS_OF_32, define("PUT_AT", 6)),
    "unpaired lanes": replace(
        ("* 8 + lane / 2 % 8;", "* 8 + lane % 8;"),
        ("* 4 + lane / 16 * 2 + lane % 2;", "* 4 + lane / 8;")),
    "no fragments ahead": replace(
        ("    float a[2][TM], b[2][TN]; // fragments of this k and the next\n"
         "    fragments(a[0], b[0], &As[0][0][y * TM], &Bs[0][0][x * 4]);\n",
         "    float a[TM], b[TN];\n"),
        ("            if (k == BK - 1) {\n"
         "                __syncthreads(); // the next tiles are complete, and "
         "everyone\n"
         "                now = 1 - now;   // has finished reading these\n"
         "            }\n"
         "            int next = (k + 1) % BK;\n"
         "            fragments(a[next % 2], b[next % 2], "
         "&As[now][next][y * TM],\n"
         "                      &Bs[now][next][x * 4]);\n",
         "            fragments(a, b, &As[now][k][y * TM], "
         "&Bs[now][k][x * 4]);\n"),
        ("sum[i][turn] += a[k % 2][i] * b[k % 2][turn];\n"
         "                }\n        }\n",
         "sum[i][turn] += a[i] * b[turn];\n"
         "                }\n        }\n"
         "        __syncthreads();\n        now = 1 - now;\n")),
    "no serpentine": replace(
        ("int turn = i / 2 % 2 ? TN - 1 - j : j; // serpentine",
         "int turn = j;")),
}

# gemm_05 unrolled, or with A transposed; gemm_06 not unrolled, with rows of As
# that begin in other banks, or with C addressed in another way, which changes
# nothing but what nvcc makes of it.
MULTIPLY = "        for (int k = 0; k < BK; k++) {\n            float a[TM]"
THREAD_TILE: Dict[str, Edit] = {
    "k unrolled": replace((MULTIPLY, "#pragma unroll\n" + MULTIPLY)),
    "A transposed": replace(
        ("float As[BM][BK];", "float As[BK][BM];"),
        ("As[y + i * EDGE][x] =", "As[x][y + i * EDGE] ="),
        ("As[y + i * EDGE][k]", "As[k][y + i * EDGE]")),
}
WIDE: Dict[str, Edit] = {
    "k not unrolled": replace(("#pragma unroll\n" + MULTIPLY, MULTIPLY)),
    "As padded": replace(("As[BK][BM];", "As[BK][BM + 4];")),
    "another pointer to C": replace(
        ("    C += (int64_t)row * ldc + col;\n"
         "    for (int i = 0; i < TM; i++) {\n",
         "    for (int i = 0; i < TM; i++) {\n"
         "        float *c = C + (int64_t)(row + i) * ldc + col;\n"),
        ("C[j] = beta == 0.0f ? new_c : new_c + beta * C[j];",
         "c[j] = beta == 0.0f ? new_c : new_c + beta * c[j];"),
        ("        C += ldc;\n", "")),
}

# gemm_07: its two changes apart, and other ways to the same end.
NO_PADDING = replace(("As[BK][BM + 4]; //", "As[BK][BM]; //"))
LOAD_B = """            load4(b, &Bs[k][x * 4]);
            load4(b + 4, &Bs[k][x * 4 + BN / 2]);
"""
RIGHT = "int right = j % 4 + j / 4 * (BN / 2);"
NO_GROUPS = replace(
    (LOAD_B, """            load4(b, &Bs[k][x * 8]);
            load4(b + 4, &Bs[k][x * 8 + 4]);
"""), ("col += x * 4;", "col += x * 8;"), (RIGHT, "int right = j;"))
REMEDIES: Dict[str, Edit] = {
    "no padding": NO_PADDING,
    "no groups": NO_GROUPS,
    "neither": both(NO_PADDING, NO_GROUPS),
    "B word by word": replace(
        (LOAD_B, """            for (int j = 0; j < TN; j++)
                b[j] = Bs[k][x + j * (BN / TN)];
"""), ("col += x * 4;", "col += x;"), (RIGHT, "int right = j * (BN / TN);")),
    "lanes in pairs": replace(
        ("    int x = threadIdx.x, y = threadIdx.y;\n", ""),
        ("    int thread = y * (BN / TN) + x;\n",
         "    int thread = threadIdx.y * (BN / TN) + threadIdx.x;\n"
         "    int x = thread % 32 / 2, y = thread / 32 * 2 + thread % 2;\n")),
    "a pointer for each row of C": replace(
        ("    C += (int64_t)row * ldc + col;\n", ""),
        ("        for (int j = 0; j < TN; j++) {\n            int right",
         "        float *c = C + (int64_t)(row + i) * ldc + col;\n"
         "        for (int j = 0; j < TN; j++) {\n            int right"),
        ("C[right] = beta == 0.0f ? new_c : new_c + beta * C[right];",
         "c[right] = beta == 0.0f ? new_c : new_c + beta * c[right];"),
        ("        C += ldc;\n", "")),
}

# gemm_08: first attempts, and edits that mean nothing.
AHEAD_FETCH = """        fetch(a_next, b_next, A, a_left, B, ldb, b_left);
        // [fetch]
"""
AHEAD_PUT = """        put(a_next, b_next, &As[now][a_k][a_row], &Bs[now][b_k][b_col]);
"""
AHEAD_B = """            load4(b, &Bs[now][k][x * 4]);
            load4(b + 4, &Bs[now][k][x * 4 + BN / 2]);
"""
AHEAD_A = """            for (int i = 0; i < TM; i += 4)
                load4(a + i, &As[now][k][y * TM + i]);
"""
PIPELINE: Dict[str, Edit] = {
    "put right after fetch": replace(
        (AHEAD_PUT, ""),
        (AHEAD_FETCH, AHEAD_FETCH + AHEAD_PUT.replace("[now]", "[now ^ 1]"))),
    "one buffer": replace(
        ("As[2]", "As[1]"), ("Bs[2]", "Bs[1]"),
        ("        now ^= 1;\n",
         "        __syncthreads(); // everyone has finished reading\n")),
    "fragments of A first": replace(
        (AHEAD_B + AHEAD_A, AHEAD_A + AHEAD_B)),
    "now = 1 - now": replace(("now ^= 1", "now = 1 - now")),
    "__launch_bounds__(THREADS, 2)": replace(
        ("__global__ void gemm_kernel",
         "__global__ void __launch_bounds__(THREADS, 2) gemm_kernel")),
}

# gemm_11: the copies earlier and later, and less of what it has.
ASYNC: Dict[str, Edit] = {
    **{f"copies at k = {k}": define("COPY_AT", k) for k in (0, 5, 7)},
    "wait for all": replace(
        ("(k == BK - 1) {\n                __pipeline_wait_prior(STAGES - 2)",
         "(k == BK - 1) {\n                __pipeline_wait_prior(0)")),
    "two buffers": define("STAGES", 2),
    "lanes in pairs": replace(
        ("* 8 + lane % 8;", "* 8 + lane / 2 % 8;"),
        ("* 4 + lane / 8;", "* 4 + lane / 16 * 2 + lane % 2;"))}

VARIANTS: Dict[str, Dict[str, Edit]] = {
    "gemm_03_shared_tile": {"16 x 16 threads": define("EDGE", 16)},
    "gemm_05_thread_tile_2d": THREAD_TILE,
    "gemm_06_vectorized": WIDE,
    "gemm_07_bank_conflict": REMEDIES,
    "gemm_08_double_buffer": PIPELINE,
    "gemm_09_autotune": LARGER_TILE,
    "gemm_10_warptile": WARP_TILE,
    "gemm_11_async": ASYNC,
}


def texts_of(chapter: str) -> Dict[str, str]:
    """Return the text of a chapter and of its variants, by their names."""
    with open(f"chapters/{chapter}/{chapter}.cu", encoding="utf-8") as file:
        source = file.read()
    texts = {"all of it": source}
    for name, edit in VARIANTS[chapter].items():
        try:
            texts[name] = edit(source)
        except ValueError as error:
            raise SystemExit(f"{chapter}, {name}: {error}") from None
    return texts


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
    """Try all variants, or those of the chapters named."""
    words: List[str] = sys.argv[1:]
    check = words[:1] == ["--check"]
    words = words[check:]
    chapters = [word for word in words if word in VARIANTS] or list(VARIANTS)
    files = [word for word in words if word not in VARIANTS]
    for word in files:
        if os.path.isdir(os.path.join("chapters", word)):
            sys.exit(f"ablation: {word} has no variants; there are those of "
                     + " ".join(VARIANTS))
    texts = {chapter: texts_of(chapter) for chapter in chapters}
    if check:
        return 0
    for chapter in chapters:
        print(f"{chapter}, percent of cuBLAS".ljust(49)
              + "".join(f"{size:>8}" for size in SIZES))
        programs = build(list(texts[chapter].values()))
        for name, program in zip(texts[chapter], programs):
            records = [measure(name, program, size) for size in SIZES]
            print(f"{name:<49}" + "".join(
                f"{100 * r['baseline']['ratio']:>8.1f}" for r in records),
                flush=True)
            for path in files:
                with open(path, "a", encoding="utf-8") as file:
                    file.writelines(json.dumps(r) + "\n" for r in records)
    return 0


if __name__ == "__main__":
    course.script(main)
