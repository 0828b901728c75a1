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
from typing import Dict, List, Tuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import course  # noqa: E402

FOLDER = "build/gpu/ablation"
SIZES = ("4096", "8192")

Edits = List[Tuple[str, str]]  # a text that occurs once, and another for it

# gemm_07: its two changes apart, and other ways to the same end.
NO_PADDING: Edits = [("As[BK][BM + 4]; //", "As[BK][BM]; //")]
LOAD_B = "load4(b, &Bs[k][x * 4]); load4(b + 4, &Bs[k][x * 4 + BN / 2]);"
RIGHT = "int right = j % 4 + j / 4 * (BN / 2);"
NO_GROUPS: Edits = [
    (LOAD_B, "load4(b, &Bs[k][x * 8]); load4(b + 4, &Bs[k][x * 8 + 4]);"),
    ("col += x * 4;", "col += x * 8;"), (RIGHT, "int right = j;")]

# gemm_10, without its warp tile with the put at other steps.
ROWS_OF_32: Edits = [
    ("int x = warp % (BN / TN / 8) * 8 + lane / 2 % 8;", "int x = lane;"),
    ("int y = warp / (BN / TN / 8) * 4 + lane / 16 * 2 + lane % 2;",
     "int y = warp;")]

NOW = "&As[now][a_k][a_row], &Bs[now][b_k][b_col]);"
OTHER = NOW.replace("[now]", "[now ^ 1]")
NEXT = "A += BK; B += (int64_t)BK * ldb; a_left -= BK; b_left -= BK;"
FETCH = "fetch(a_next, b_next, A, a_left, B, ldb, b_left);"
LOOP = "for (int left = K; left > 0; left -= BK) {"

VARIANTS: Dict[str, Dict[str, Edits]] = {
    "gemm_03_shared_tile": {"16 x 16 threads": [("EDGE 32", "EDGE 16")]},
    "gemm_05_thread_tile_2d": {"k unrolled": [
        ("for (int k = 0; k < BK; k++) { float a[TM]",
         "\n#pragma unroll\nfor (int k = 0; k < BK; k++) { float a[TM]")]},
    "gemm_06_vectorized": {
        "k not unrolled": [("#pragma unroll for (int k = 0; k < BK; k++) { "
                            "float a[TM]",
                            "for (int k = 0; k < BK; k++) { float a[TM]")],
        # In another way, which changes nothing but what nvcc makes of it.
        "another pointer to C": [
            ("C += (int64_t)row * ldc + col; for (int i = 0; i < TM; i++) {",
             "for (int i = 0; i < TM; i++) {"
             " float *c = C + (int64_t)(row + i) * ldc + col;"),
            ("C[j] = beta == 0.0f ? new_c : new_c + beta * C[j];",
             "c[j] = beta == 0.0f ? new_c : new_c + beta * c[j];"),
            ("C += ldc;", "")]},
    "gemm_07_bank_conflict": {
        "no padding": NO_PADDING,
        "no groups": NO_GROUPS,
        "neither": NO_PADDING + NO_GROUPS,
        "B word by word": [
            (LOAD_B, "for (int j = 0; j < TN; j++)"
                     " b[j] = Bs[k][x + j * (BN / TN)];"),
            ("col += x * 4;", "col += x;"),
            (RIGHT, "int right = j * (BN / TN);")],
        "lanes in pairs": [
            ("int x = threadIdx.x, y = threadIdx.y;", ""),
            ("int thread = y * (BN / TN) + x;",
             "int thread = threadIdx.y * (BN / TN) + threadIdx.x;"
             " int x = thread % 32 / 2, y = thread / 32 * 2 + thread % 2;")],
        "a pointer for each row of C": [
            ("C += (int64_t)row * ldc + col;", ""),
            ("for (int j = 0; j < TN; j++) { int right",
             "float *c = C + (int64_t)(row + i) * ldc + col;"
             " for (int j = 0; j < TN; j++) { int right"),
            ("C[right] = beta == 0.0f ? new_c : new_c + beta * C[right];",
             "c[right] = beta == 0.0f ? new_c : new_c + beta * c[right];"),
            ("C += ldc;", "")]},
    "gemm_08_double_buffer": {
        "put right after fetch": [
            ("put(a_next, b_next, " + NOW + " __syncthreads(); // the next",
             "__syncthreads(); // the next"),
            (FETCH + " // [fetch]", f"{FETCH} put(a_next, b_next, {OTHER}")],
        "one buffer": [
            ("As[2]", "As[1]"), ("Bs[2]", "Bs[1]"),
            ("now ^= 1;", "__syncthreads(); // everyone has finished reading")],
        # Three that mean nothing.
        "fragments of A first": [
            ("load4(b, &Bs[now][k][x * 4]);"
             " load4(b + 4, &Bs[now][k][x * 4 + BN / 2]);", ""),
            ("load4(a + i, &As[now][k][y * TM + i]);",
             "load4(a + i, &As[now][k][y * TM + i]);"
             " load4(b, &Bs[now][k][x * 4]);"
             " load4(b + 4, &Bs[now][k][x * 4 + BN / 2]);")],
        "now = 1 - now": [("now ^= 1", "now = 1 - now")],
        "__launch_bounds__(THREADS, 2)": [
            ("__global__ void gemm_kernel",
             "__global__ void __launch_bounds__(THREADS, 2) gemm_kernel")]},
    "gemm_09_autotune": {
        # The order of gemm_08: fetch before the loop over k.
        "put behind the loop": [
            (f"{NEXT} {FETCH} __syncthreads(); // the first",
             "__syncthreads(); // the first"),
            ("if (k == PUT_AT) { put(a_next, b_next, " + OTHER
             + " A += BK; B += (int64_t)BK * ldb; a_left -= BK; // after the"
             " last tiles it brings zeros, which b_left -= BK; // nobody"
             " multiplies " + FETCH + " }", ""),
            (LOOP, f"{LOOP} {NEXT} {FETCH}"),
            ("__syncthreads(); // the next",
             f"put(a_next, b_next, {OTHER} __syncthreads(); // the next")],
        "no __launch_bounds__": [
            ("__launch_bounds__(THREADS) gemm_kernel", "gemm_kernel")],
        "no serpentine": [("i % 2 ? TN - 1 - j : j; // serpentine", "j;")]},
    "gemm_10_warptile": {
        "no warp tile": ROWS_OF_32,
        "no warp tile, put at 3": ROWS_OF_32 + [("PUT_AT 5", "PUT_AT 3")],
        "no warp tile, put at 6": ROWS_OF_32 + [("PUT_AT 5", "PUT_AT 6")],
        "unpaired lanes": [
            ("* 8 + lane / 2 % 8;", "* 8 + lane % 8;"),
            ("* 4 + lane / 16 * 2 + lane % 2;", "* 4 + lane / 8;")],
        "no fragments ahead": [
            ("float a[2][TM], b[2][TN]; // fragments of this k and the next"
             " fragments(a[0], b[0], &As[0][0][y * TM], &Bs[0][0][x * 4]);",
             "float a[TM], b[TN];"),
            ("if (k == BK - 1) { __syncthreads(); // the next tiles are"
             " complete, and everyone now = 1 - now; // has finished reading"
             " these } int next = (k + 1) % BK; fragments(a[next % 2],"
             " b[next % 2], &As[now][next][y * TM], &Bs[now][next][x * 4]);",
             "fragments(a, b, &As[now][k][y * TM], &Bs[now][k][x * 4]);"),
            ("sum[i][turn] += a[k % 2][i] * b[k % 2][turn]; } }",
             "sum[i][turn] += a[i] * b[turn]; } }"
             " __syncthreads(); now = 1 - now;")],
        "no serpentine": [("i / 2 % 2 ? TN - 1 - j : j; // serpentine", "j;")]},
    "gemm_11_async": {
        **{f"copies at k = {k}": [("COPY_AT 2", f"COPY_AT {k}")]
           for k in (0, 5, 7)},
        "wait for all": [
            ("(k == BK - 1) { __pipeline_wait_prior(STAGES - 2)",
             "(k == BK - 1) { __pipeline_wait_prior(0)")],
        "two buffers": [("STAGES 3", "STAGES 2")],
        "lanes in pairs": [
            ("* 8 + lane % 8;", "* 8 + lane / 2 % 8;"),
            ("* 4 + lane / 8;", "* 4 + lane / 16 * 2 + lane % 2;")]},
}


def edited(text: str, edits: Edits) -> str:
    """Return a text after edits; blanks and line breaks are free."""
    for old, new in edits:
        pattern = r"\s+".join(map(re.escape, old.split()))
        text, found = re.subn(pattern, lambda _, new=new: new, text)
        if found != 1:
            raise ValueError(f"occurs {found} times: {old!r}")
    return text


def texts_of(chapter: str) -> Dict[str, str]:
    """Return the text of a chapter and of its variants, by their names."""
    source = course.text_of(f"chapters/{chapter}/{chapter}.cu")
    texts = {"all of it": source}
    for name, edits in VARIANTS[chapter].items():
        try:
            texts[name] = edited(source, edits)
        except ValueError as error:
            raise SystemExit(f"{chapter}, {name}: {error}") from None
    return texts


def build(texts: List[str]) -> List[str]:
    """Compile the variants, on all cores. Return their programs."""
    programs = [f"{FOLDER}/{number}" for number in range(len(texts))]
    for program, text in zip(programs, texts):
        course.write(program + ".cu", text)
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
