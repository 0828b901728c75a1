"""The gates of speed of the exercises: solutions pass, what is slow does not.

Usage: python3 -m tests.gpu.speed [EXERCISE...]

Each solution, and the same with a slow way in the place of its idea, is handed
in, timed beside the chapter as `make grade` does it, and printed as it compares.
All are built first and timed one after the other. Names, such as conv, choose
some exercises. Ends with `N passed, N failed`.
"""

import os
import re
import sys
import tempfile
from typing import Iterator, List, NamedTuple, Optional, Tuple

from tests.checks import close, read, tally, write
from tools import course
from tools.classroom import grader, tasks

# In place of wide loads from shared memory, and a again for each product.
WORD_BY_WORD = (
    ("        float4 b = *(const float4 *)&Bs[k][x];\n",
     "        volatile float *b = &Bs[k][x], *down = (volatile float *)a;\n"),
    ("a[k] * b.x", "down[k] * b[0]"), ("a[k] * b.y", "down[k] * b[1]"),
    ("a[k] * b.z", "down[k] * b[2]"), ("a[k] * b.w", "down[k] * b[3]"))

# Slow, and right: exercise, what is slow, what of its solution goes, what comes.
SLOW = (
    ("gemm_01_naive", "each word of A twice", (
        ("a[k] * b", "0.5f * (a[k] + ((volatile float *)a)[k]) * b"),)),
    ("gemm_02_coalesced", "a warp of 8 x 4", (
        ("warp / 2 * 2 + lane / 16", "lane % 8"),
        ("warp % 2 * 16 + lane % 16", "warp * 4 + lane / 8"))),
    ("gemm_03_shared_tile", "products from global memory", (
        ("        for (int k = 0; k < STEP; k++)\n", "#pragma unroll 1\n"
         "        for (int k = 0; k < STEP; k++)\n"),
        ("As[y][k] * Bs[k][x]", "(row < M && col < N && k < left ? A[k - x] * "
         "B[(int64_t)(k - y) * ldb] : 0.0f)"))),
    ("gemm_04_thread_tile_1d", "two loads a product", (
        ("a * Bs[k][", "((volatile float *)As[y])[k] * "
         "((volatile float *)Bs[k])["),)),
    ("gemm_05_thread_tile_2d", "two loads a product", (
        ("a[i] * b[j]", "((volatile float *)As[k])[thread_row + i] * "
         "((volatile float *)Bs[k])[thread_col + j]"),)),
    ("gemm_06_vectorized", "word by word", (
        ("a = *(const float4 *)A;",
         "a = make_float4(A[0], A[1], A[2], A[3]);"),
        ("b = *(const float4 *)B;",
         "b = make_float4(B[0], B[1], B[2], B[3]);"),
        ("float4 a = *(const float4 *)&As", "volatile float *down = &As"),
        ("float4 b = *(const float4 *)&Bs", "volatile float *across = &Bs"),
        ("            const float down[TM] = {a.x, a.y, a.z, a.w};\n"
         "            const float across[TN] = {b.x, b.y, b.z, b.w};\n", ""))),
    ("gemm_07_bank_conflict", "two loads a product", (
        ("a[i] * b[j]", "((volatile float *)As[k])[y * TM + i] * "
         "((volatile float *)Bs[k])[x * 4 + j % 4 + j / 4 * (BN / 2)]"),)),
    ("gemm_08_double_buffer", "word by word", WORD_BY_WORD),
    ("gemm_09_autotune", "the smallest tile", (
        (">= 0.75", ">= 1.75"),)),
    ("gemm_10_warptile", "two loads a product", (
        ("a[i] * b[j]", "((volatile float *)As[k])[thread_row + i / 4 * "
         "(WM / 2) + i % 4] * ((volatile float *)Bs[k])[thread_col + j / 4 * "
         "(WN / 2) + j % 4]"),)),
    ("gemm_11_async", "word by word", WORD_BY_WORD),
    ("capstone", "two loads a product", (
        ("a[i] * b[j]", "((volatile float *)As[k])[row + i] * "
         "((volatile float *)Bs[k])[col + j % 4 + j / 4 * 32]"),)),
    ("conv", "pixels from global memory", (
        ("tile[threadIdx.y + i][threadIdx.x + j]",
         "pixel(width, height, pitch, x, first_row + (int)threadIdx.y + i - "
         "RADIUS, first_col + (int)threadIdx.x + j - RADIUS)"),)),
    ("stencil", "a warp across the rows", (
        ("#define COLS 32 ", "#define COLS 1 "),
        ("#define ROWS 4 ", "#define ROWS 128 "))),
    ("histogram", "a byte a load", (
        ("i < n / 4; i += threads) {\n", "i < n / 4 * 4; i += threads) {\n"),
        ("unsigned four = fours[i];\n        for (int j = 0; j < 4; j++)\n"
         "            count<BINS>(bins, four >> 8 * j & 255);",
         "count<BINS>(bins, x[i]);"))),
    ("reduction", "a lane behind the other", (
        ("int i = lane; i < PART; i += 32",
         "int i = lane * (PART / 32); i < (lane + 1) * (PART / 32); i++"),)),
    ("bank_conflict_padding", "stored down the columns", (
        ("first_col + i / HIGH, col = first_row + i % HIGH",
         "first_col + i % WIDE, col = first_row + i / WIDE"),
        ("tile[i % HIGH][i / HIGH]", "tile[i / WIDE][i % WIDE]"))),
)


SOLUTION = "its solution"


class Entry(NamedTuple):
    """Something handed in."""

    task: tasks.Task
    what: str  # SOLUTION, or the slow way
    text: str


def entries(names: List[str]) -> Iterator[Entry]:
    """Yield all that is handed in."""
    for task in tasks.all_tasks():
        if all(gate.layer != "speed" for gate in task.gates) or \
                names and task.name not in names:
            continue
        solution = read(task.solution)
        yield Entry(task, SOLUTION, solution)
        for name, what, edits in SLOW:
            text = solution
            for part, instead in edits if name == task.name else ():
                if text.count(part) != 1:
                    raise tasks.Unusable(f"{name}, {what}: not once: {part}")
                text = text.replace(part, instead)
            if name == task.name:
                yield Entry(task, what, text)


def build(job: Tuple[str, Entry]) -> Optional[grader.Grader]:
    """Compile what is handed in; None, and why, if that fails."""
    folder, entry = job
    os.mkdir(folder)
    path = os.path.join(folder, "handed_in.cu")
    write(path, entry.text)
    child = grader.Grader(entry.task, path, True, folder)
    try:
        child.take()
        child.build("gpu")
    except grader.Failed as error:
        print(f"{entry.task.name}, {entry.what}: {error}", file=sys.stderr)
        return None
    return child


def check(entry: Entry, child: Optional[grader.Grader]) -> bool:
    """Time it, print how it compares. Return whether it is as it must be."""
    good = child is not None
    for gate in entry.task.gates if child else ():
        if gate.layer != "speed":
            continue
        outcome = child.speed(gate, "gpu")
        wanted = "passed" if entry.what == SOLUTION else "failed"
        # Too slow, and nothing else, is why the slow one fails.
        right = outcome.state == wanted and \
            re.match(r"[\d.]+,", outcome.note) is not None
        good = good and right
        print(f"{'pass' if right else 'FAIL'} {entry.task.name}, {entry.what}: "
              f"{gate.text}: {outcome.note} {outcome.message}".rstrip(),
              flush=True)
    return good


def main() -> int:
    """Hand in all of it."""
    names = sys.argv[1:]
    known = [name for name, *_ in SLOW]
    if set(names) - set(known):
        print(f"{' '.join(set(names) - set(known))}: no such exercise; there "
              f"are: {' '.join(known)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        jobs = [(os.path.join(folder, str(number)), entry)
                for number, entry in enumerate(entries(names))]
        wanted = {entry.task.name: entry.task for _, entry in jobs}.values()
        if not grader.build_trusted(list(wanted), True) or not course.build(
                [f"build/gpu/grade/chapters/{task.chapter}" for task in wanted]):
            return 1
        children = list(course.together(os.cpu_count() or 1, build, jobs))
        for (_, entry), child in zip(jobs, children):
            tally.add(0 if check(entry, child) else 1)
    return close()


if __name__ == "__main__":
    course.script(main)
