"""What pages quote of runs and records, by name: <!-- output NAME -->.

A name is one of COMMANDS, whose lines sh runs in the repository's root; of
PLANTED, faults that are put into a chapter to show what the simulator says of
them; of ABLATED, which show measured variants of some chapters; or a function
with @output. What a function needs is in docs/results/.
"""

import atexit
import collections
import functools
import os
import re
import shutil
import subprocess
import tempfile
from typing import (Any, Callable, Dict, Iterator, List, NamedTuple, Sequence,
                    Tuple)

import svg  # noqa: F401  makes tools known
import ablation
from tracing import SECTOR, pick, trace

import course  # noqa: I100
import machine  # noqa: I100

ABLATION = "docs/results/h200_ablation.jsonl"
SERIES = "docs/results/series_h200.jsonl"
ARCHIVE = "build/simulator/libcommon.a"
SMS = 132  # of an H200


class Stale(Exception):
    """A marker that cannot be filled in."""


# ---- commands ---------------------------------------------------------------

PROFILE = "make -s chapter={} profile on=simulator args='{}' | "
CUBES = "--M 256 --N 256 --K 256"
COMMANDS = {
    "vector_add": "make -s chapter=vector_add run on=simulator | tail -n 1",
    "tile_declared": "cd chapters/bank_conflict_padding\n"
                     "grep -h '__shared__' 2_tile.cuh 3_tile_padded.cuh",
    "tile_swizzled": r"grep -h 'x ^ y\|y ^ x' chapters/bank_conflict_padding/"
                     "4_tile_swizzled.cuh | grep tile",
    "transpose": "grep 'whole kernel' docs/results/h200_transpose.txt",
    "gemm_01_profile": PROFILE.format("gemm_01", CUBES) + "sed -n '4,6p'",
    "gemm_01_report":
        PROFILE.format("gemm_01", CUBES)
        + "sed '/^on=/d; /^building/d; /^0: /,/[^,]$/d; /^sectors, ideal/,$d'",
    "gemm_02_ragged": "".join(
        f"echo 'N = {n}'\n"
        + PROFILE.format("gemm_02", f"--M 32 --N {n} --K 256")
        + "grep load_sectors_per\n" for n in (1000, 1004)),
    "gemm_03_l1": "".join(
        PROFILE.format(chapter, CUBES) + "grep '^L1:'\n"
        for chapter in ("gemm_02", "gemm_03")),
    "gemm_04_limits":
        "make -s chapter=gemm_04 limits | grep -e ^size -e ^512 -e ^1024 "
        r"-e ^4096 | sed -E 's/^(.{23}).{24}/\1/'",
    "gemm_06_passes": PROFILE.format("gemm_06", CUBES)
        + r"grep 'array.*passes\| shared \(load\|store\) '",
    "gemm_09_asserts":
        "simulator/simcc -I common -DBM=128 -DBN=128 -DBK=8 -DTM=16 -DPUT_AT=5 "
        "chapters/gemm_09_autotune/gemm_09_autotune.cu -o build/never 2>&1 | "
        "sed -n 's,^chapters/gemm_09_autotune/,,; s,:[0-9]*: error,: error,; "
        r"""s,_assert, assertion,; s, due to[^"a]*== 2 \* 128[^ ]* "*,: ,; """
        """s,"$,,; 1p'""",
    "gemm_12_streams":
        "simulator/simcc -I common tests/gpu/streams.cu "
        + ARCHIVE + " -o build/streams\nbuild/streams 3 2>&1 || true",
    "bank_profile":
        PROFILE.format("bank variant=tile", "--rows 512 --cols 512")
        + "sed -n '/^ line/,/^$/p; /^shared_load/p'",
    "bank_limits": "make -s chapter=bank limits | sed -n '2,5p'",
    "mutant":
        "sed -n '/^no_second_barrier/,/^$/p' tests/mutants/gemm_03.mutants\n"
        "echo in all more than "
        "$(($(tests/mutants/run --list | wc -l) / 100 * 100))",
    "faults_refused":
        "PYTHONPATH=tests/unit python3 -B -c 'import cases\n"
        'print("refused: ", *(name for name, _ in cases.REFUSED))\n'
        'print("accepted:", *cases.ACCEPTED)\' | '
        "fold -s -w 92 | sed 's/ *$//'",
    "bugs_found": "cd simulator/tests/findings\n" + "".join(
        f"../../simcc wrong_real_{name}.cu -o ../../../build/finding\n"
        "(../../../build/finding 2>&1 || true) | sed -n '/: [a-z-]*: /p'\n"
        for name in ("softmax_sum", "row_guard", "flag_place", "partial_sums")),
}


def shell(commands: str) -> List[str]:
    """Return what commands print.

    Every one of them must work; what ends with a finding stands in a pipe.
    Which thread is named in a finding must be no matter of luck: the simulator
    runs one block after the other. What a run says on a machine that has much
    else to do, how long it will take, is left out.
    """
    done = subprocess.run(["sh", "-ec", commands], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "SIM_THREADS": "1"})
    lines = [line for line in done.stdout.rstrip("\n").split("\n")
             if not line.startswith(("this takes about ", "building "))]
    failed = re.search(r"^make.*\*\*\* .*", done.stdout, re.M)  # also in a pipe
    if failed:
        raise Stale(failed.group(0))
    if done.returncode:
        raise Stale(f"status {done.returncode}: {lines[-1]}")
    if not done.stdout:
        raise Stale("its commands print nothing")
    return lines


# ---- planted faults ---------------------------------------------------------


class Planted(NamedTuple):
    """A fault, and what is shown of a run with it."""

    path: str  # a chapter, or a file of it, in chapters/
    args: str
    shows: str  # lines in which this is found
    below: int  # and so many below each
    edits: Sequence[Tuple[str, str]]
    most: int = 1  # lines that are found
    less: Sequence[Tuple[str, str]] = ()  # edits of what is shown


TIMES = [(r" \(x .*", "")]  # how often something was found
PLANTED = {
    "vector_add_no_guard": Planted(
        "vector_add", "", "out-of-bounds", 1, [(r".*if \(i < n\).*\n", "")]),
    "vector_add_silent": Planted(
        "vector_add", "", "sums|limits", 0,
        [("BLOCK 256", "BLOCK 2048"), (".*cudaGetLastError.*\n", "")], 9),
    "gemm_01_half": Planted(
        "gemm_01_naive", "--M 31 --N 33 --K 32", "out-of-bounds", 1,
        [(r" \|\| col >= N", "")]),
    "gemm_01_zero": Planted(
        "gemm_01_naive", "--M 64 --N 64 --K 64", "got -*nan", 0,
        [(r"beta == 0.0f \? alpha \* sum : ", "")]),
    "gemm_02_turned": Planted(
        "gemm_02_coalesced", CUBES, "verified|sectors_per", 0,
        [(r"(threadIdx\.)y;((?:.|\n)*?threadIdx\.)x;", r"\1x;\2y;")], 2),
    "gemm_03_no_first_barrier": Planted(
        "gemm_03_shared_tile", "--M 64 --N 64 --K 64", "uninitialised-shared",
        1, [(r".*__syncthreads.*both tiles.*", "")]),
    "gemm_03_no_second_barrier": Planted(
        "gemm_03_shared_tile", "--M 64 --N 64 --K 64", "shared-race", 2,
        [(r".*__syncthreads.*everyone.*", "")], 9),
    "gemm_03_early": Planted(
        "gemm_03_shared_tile", "--M 40 --N 40 --K 40", "uninitialised-shared",
        1, [("^    float sum = 0.0f;",
          r"    if (row >= M || col >= N) return;\n\g<0>")]),
    "gemm_03_branch": Planted(
        "gemm_03_shared_tile", "--M 40 --N 40 --K 40", "barrier-divergence", 1,
        [(r"__syncthreads\(\); *// both", r"if (x < left) \g<0>")]),
    "gemm_04_rows": Planted(
        "gemm_04_thread_tile_1d", CUBES,
        "verified|shared_load_wave|load_bank", 0,
        [(r"As\[y \+ i \* EDGE\]\[k\]", "As[y * TM + i][k]"),
         (r"C \+= \(int64_t\)row \* ldc", r"row += y * TM - y; \g<0>"),
         (r"row \+ i \* EDGE < M && col", "row + i < M && col"),
         (r"C \+= \(int64_t\)EDGE \* ldc", "C += ldc")], 9),
    "gemm_04_guard": Planted(
        "gemm_04_thread_tile_1d", "--M 130 --N 64 --K 64 --small 0",
        "out-of-bounds", 1, [(r"row \+ i \* EDGE < M && x", "row < M && x")]),
    "gemm_05_one_test": Planted(
        "gemm_05_thread_tile_2d", "--M 128 --N 128 --K 16", "out-of-bounds", 1,
        [(r"if \(row \+ i \* EDGE < M && col \+ right < N\)",
          "if (row < M && col < N)")]),
    "gemm_06_misaligned": Planted(
        "gemm_06_vectorized", "--M 128 --N 128 --K 16", "misaligned: ", 1,
        [(r"load4\(b, B \+ \(int64_t\)k \* ldb\)",
          "load4(b, B + (int64_t)k * ldb + 1)")]),
    "gemm_06_strict": Planted(
        "gemm_06_vectorized", "--M 128 --N 128 --K 16", "wrong on", 0,
        [(r"a_k \+ k < left", "a_k + k + 3 < left")], 1,
        [("^(.*?: .*?): ", r"\1:\n    ")]),
    "gemm_07_misaligned": Planted(
        "gemm_07_bank_conflict", "--M 128 --N 128 --K 16", ": misaligned:", 2,
        [(r"As\[BK\]\[BM \+ 4\];", "As[BK][BM + 1];")]),
    "gemm_08_early": Planted(
        "gemm_08_double_buffer", "--M 128 --N 128 --K 48",
        "shared-race|uninitialised-shared", 2,
        [(r"^( {8}put\(.*\n)( *__syncthreads.*\n)", r"\2\1")]),
    "gemm_10_late": Planted(
        "gemm_10_warptile", "--M 128 --N 256 --K 64", "shared-race", 2,
        [(r".*__syncthreads\(\); // the next.*\n", ""),
         (r"sum\[i\]\[turn\].*\n.*",
          r"\g<0> if (k == BK - 1) __syncthreads();")]),
    "gemm_11_no_wait": Planted(
        "gemm_11_async", "--M 64 --N 64 --K 64", "async-copy", 2,
        [(r"(k == BK - 1.*\n.*)__pipeline_wait_prior\(STAGES - 2\);", r"\1")]),
    "gemm_11_wait_late": Planted(
        "gemm_11_async", "--M 64 --N 64 --K 64", "shared-race", 2,
        [(r"(k == BK - 1.*\n).*wait_prior.*\n(.*__syncthreads\(\);)",
          r"\1\2 __pipeline_wait_prior(STAGES - 2);")]),
    "gemm_12_no_fence": Planted(
        "gemm_12_stream_k", "--M 32 --N 64 --K 1024", "missing-fence", 2,
        [(".*part is seen before.*\n", "")], 1,
        [(r" \(x [0-9]*\)", ""), (r"block \([0-9,]*\)", "block (..)")]),
    "bank_trap": Planted(
        "bank_conflict_padding/3_tile_padded.cuh",
        "--variant tile_padded --rows 512 --cols 512",
        "verified|shared_load_w", 0,
        [(r"tile\[TILE\]\[TILE \+ 1\]", "tile[TILE + 1][TILE]")], 9),
    "conv_halo": Planted(
        "conv/3_tiled.cuh",
        "--variant tiled --width 28 --height 28",
        "uninitialised-shared", 1,
        [(r"^    tile\[threadIdx.y\]\[threadIdx.x\] = ",
          r"    if (threadIdx.x < INNER && threadIdx.y < INNER)\n\g<0>")]),
    "conv_guard": Planted(
        "conv/3_tiled.cuh",
        "--variant tiled --width 28 --height 28", "out-of-bounds", 1,
        [(".*row >= height.*\n.*\n", "")]),
    "histogram_no_atomic": Planted(
        "histogram/3_private_shared.cuh",
        "--variant private_shared --n 1000", "shared-race", 2,
        [(r"atomicAdd\(&bins\[bin\], 1\)", "bins[bin]++")]),
    "histogram_last_run": Planted(
        "histogram/7_aggregated.cuh",
        "--variant aggregated --n 16 --input constant --small 0",
        "got 0", 0, [(r".*if \(r.bin < BINS\)(.|\n)*?the last run.*\n", "")]),
    "reduction_no_barrier": Planted(
        "reduction/4_segmented.cuh",
        "--variant segmented --n 1024", "shared-race", 2,
        [(r".*__syncthreads\(\); // this step's.*\n", "")]),
    "reduction_no_fence": Planted(
        "reduction/9_ticket.cuh",
        "--variant ticket --n 65536", "missing-fence", 2,
        [(".*__threadfence.*\n", "")]),
    "scan_no_barrier": Planted(
        "scan/01_kogge_stone.cuh",
        "--variant kogge_stone --n 1024", "shared-race", 2,
        [(".*all have read what is overwritten now.*", "")], 9, TIMES),
    "scan_zero": Planted(
        "scan/device.cuh",
        "--variant look_back --op max --n 1024", r"y\[2\]: got", 1,
        [(r"return OP == SUM \? 0.0f : -INFINITY;", "return 0.0f;")]),
    "stencil_few": Planted(
        "stencil/2_tiled.cuh",
        "--variant tiled --N 8", "uninit", 2,
        [(r"tile\[tz\]\[ty\]\[tx\] = cell",
          r"if (tx >= R && tx < TILE - R) \g<0>")], 1, TIMES),
    "stencil_no_barrier": Planted(
        "stencil/4_register.cuh",
        "--variant register --N 8", "shared-race", 2,
        [(".*all have read the plane.*\n", "")], 1, TIMES),
}


@functools.lru_cache(maxsize=None)
def archive() -> None:
    """Build what the chapters link."""
    if not course.build([ARCHIVE]):
        raise Stale(f"{ARCHIVE} cannot be built")


def built(chapter: str, file: str, text: str) -> str:
    """Build a chapter with another text in a file, as ./run in a folder of its
    own, which is returned: pages are renewed at the same time."""
    archive()
    folder = tempfile.mkdtemp(prefix="fault_", dir="build")
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(f"chapters/{chapter}", folder, dirs_exist_ok=True)
    with open(f"{folder}/{file}", "w", encoding="utf-8") as out:
        out.write(text)
    png = "-Wl,--as-needed -lpng" * bool(machine.png())  # for the archive
    shell(f"cd {folder}; ../../simulator/simcc -I ../../common {chapter}.cu "
          f"../../{ARCHIVE} {png} -o run; echo built")
    return folder


def planted(name: str) -> Iterator[str]:
    """Yield what is shown of a fault."""
    fault = PLANTED[name]
    chapter, _, file = fault.path.partition("/")
    file = file or f"{chapter}.cu"
    text = "\n".join([*lines_of(f"chapters/{chapter}/{file}"), ""])
    for old, new in fault.edits:
        text, found = re.subn(old, new, text, flags=re.M)
        if not found:
            raise Stale(f"{file} has no {old}")
    folder = built(chapter, file, text)
    said = shell(f"cd {folder}; ./run {fault.args} 2>&1 || true")
    places = [i for i, line in enumerate(said) if re.search(fault.shows, line)]
    if not places:
        raise Stale(f"its run says nothing of {fault.shows}")
    for place in places[:fault.most]:
        for line in said[place:place + 1 + fault.below]:
            for old, new in fault.less:
                line = re.sub(old, new, line)
            yield from line.split("\n")


# ---- measured variants ------------------------------------------------------

# A name: chapters, and which variants of each; none: all.
ABLATED: Dict[str, Dict[str, Sequence[str]]] = {
    "gemm_08_first_attempts": {
        "gemm_08_double_buffer": ("all of it", "put right after fetch",
                                  "one buffer")},
    "gemm_09_ideas": {
        "gemm_09_autotune": ("all of it", "put behind the loop",
                             "no __launch_bounds__", "no serpentine")},
    "gemm_10_ideas": {
        "gemm_10_warptile": (
            "all of it", "no warp tile", "no warp tile, put at 3",
            "no warp tile, put at 6", "unpaired lanes", "no fragments ahead",
            "no serpentine")},
    "gemm_11_ideas": {"gemm_11_async": ()},
    "gemm_07_remedies": {
        "gemm_07_bank_conflict": ("all of it", "no padding", "no groups",
                                  "neither", "B word by word",
                                  "lanes in pairs")},
    "compilers_luck": {
        "gemm_08_double_buffer": ("all of it", "now = 1 - now",
                                  "fragments of A first",
                                  "__launch_bounds__(THREADS, 2)"),
        "gemm_07_bank_conflict": ("all of it", "a pointer for each row of C"),
        "gemm_06_vectorized": ("all of it", "another pointer to C")},
}


def ablated(name: str) -> Iterator[str]:
    """Yield the shares of some variants, one heading for all."""
    for i, (chapter, variants) in enumerate(ABLATED[name].items()):
        yield from ablation.shown(chapter, ABLATION, list(variants))[i > 0:]


# ---- tables -----------------------------------------------------------------

OUTPUTS: Dict[str, Callable[[], Iterator[str]]] = {}


def output(make: Callable[[], Iterator[str]]) -> Callable[[], Iterator[str]]:
    """Note a table by its name."""
    OUTPUTS[make.__name__] = make
    return make


def rung(short: str) -> dict:
    """Return what Nsight Compute has read of a rung."""
    return next(one for one in course.read_lines(SERIES)
                if one["chapter"].startswith(short))


def shares(short: str) -> Dict[str, float]:
    """Return the percent of cuBLAS of a rung's variants at 4096."""
    return {one["variant"]: 100 * one["baseline"]["ratio"]
            for one in course.read_lines(ABLATION)
            if one["chapter"].startswith(short) and one["size"]["M"] == 4096}


def ms_of(chapter: str, *size: int) -> float:
    """Return the time of a rung, at 4096 or at M, N and K."""
    return course.timed(chapter)[size or (4096,) * 3]["time_ms"]["median"]


def csv(path: str) -> Iterator[List[str]]:
    """Yield the cells of each line."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\n").split(",")


def lines_of(path: str) -> List[str]:
    """Return the lines of a file."""
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def gains(wide: int, head: str, columns: Dict[Any, str], unit: str,
          times: Dict[Tuple[str, Any], float],
          steps: Dict[str, str]) -> Iterator[str]:
    """Yield what each variant is faster than the one before, and why."""
    def row(name: str, cells: Iterator[str]) -> str:
        return f"{name:<{wide}}" + "".join(f"{cell:>8}" for cell in cells)

    names = list(steps)
    first, last = names[0], names[-1]
    yield row(head, iter(columns.values()))
    yield row(f"{first}, {unit}", (f"{times[first, at]:.3g}" for at in columns))
    for old, new in zip(names, names[1:]):
        yield row(new, (f"{times[old, at] / times[new, at]:.2f}x"
                        for at in columns)) + "  " + steps[new]
    yield row("together", (f"{times[first, at] / times[last, at]:.2f}x"
                           for at in columns))


@output
def conv_steps() -> Iterator[str]:
    ms = {(one["variant"], one["size"]["radius"]): one["time_ms"]["median"]
          for one in course.results("conv") if one["size"]["width"] == 8192}
    yield from gains(16, "radius", {1: "1", 2: "2", 7: "7"}, "ms", ms, {
        "basic": "", "constant": "one load for a product, not two",
        "tiled": "it comes from shared memory",
        "register_window": "one load for many products",
        "separable": "fewer products"})


POWERS = {2 ** n: f"2^{n}" for n in (20, 24, 28)}


@output
def reduction_steps() -> Iterator[str]:
    found = {(one["variant"], one["size"]["n"]): one
             for one in course.results("reduction")
             if one["time_ms"]["l2"] == "cold"}
    yield from gains(13, "n", POWERS, "us", {
        key: 1000 * one["time_ms"]["median"] for key, one in found.items()}, {
            "segmented": "", "coarsened": "more loading between fewer trees",
            "wide": "16 bytes a load, not 4",
            "ahead": "4 loads under way, not 1",
            "warp_shuffle": "1 barrier in the tree, not 10",
            "ticket": "one launch less, a second tree"})
    yield ""
    for name in ("wide", "warp_shuffle", "ticket"):
        yield f"{name:<13}" + "".join(
            f"{found[name, n]['baseline']['ratio']:>8.2f}" for n in POWERS
        ) + "   of CUB's speed"


def most(pitch: int) -> int:
    """Return how many of 32 lanes meet in a bank."""
    return next(b for b in (32, 16, 8, 4, 2, 1) if pitch % b == 0)


def pitches(*wanted: int) -> Iterator[Tuple[int, int, float]]:
    """Yield pitch, lines and measured cycles of loads of 4 bytes."""
    for cells in csv("simulator/tests/golden/global_load_cycles.csv"):
        if cells[0] == "4" and int(cells[1]) in wanted:
            yield int(cells[1]), min(int(cells[1]), 32), float(cells[2])


@output
def gemm_02_pitches() -> Iterator[str]:
    yield "pitch   lines   words in the busiest bank   cycles measured"
    for pitch, lines, cycles in pitches(1, 9, 16, 33, 1032, 4096):
        yield f"{pitch:5} {lines:7} {most(pitch):27} {cycles:17.2f}"


@output
def load_costs() -> Iterator[str]:
    yield ("pitch   lines   lines / 4, up   busiest bank   at least   measured")
    for pitch, lines, cycles in pitches(1, 2, 3, 5, 8, 9, 16, 17, 32, 33, 1025,
                                        1026, 1032, 4096, 4097):
        tags, data = (lines + 3) // 4, most(pitch)
        least = max(tags, data)
        yield (f"{pitch:5} {lines:7} {tags:15} {data:14} {least:10} "
               f"{cycles:10.2f}" + "  BELOW" * (cycles < least - 0.01))


@output
def load_costs_by_hand() -> Iterator[str]:
    yield ("    N  pitch  data banks alone  by hand  tags counted  measured"
           "        ms")
    for line in lines_of("docs/results/h200_l1_law.txt"):
        if line.startswith("for an FFMA"):
            *_, n, pitch, tags, cycles, _, ms = line.split()[:12]
            data = most(int(pitch))
            yield (f"{n:>5} {pitch:>6} {data + 1:17} {max(data, 8) + 1:8} "
                   f"{tags:>13} {cycles:>9} {ms:>9}")


@output
def load_costs_padded() -> Iterator[str]:
    for pad in (0, 4, 8, 16):
        line, = shell(PROFILE.format("gemm_01", f"{CUBES} --pad {pad}")
                      + "grep '^global_load_cycles '")
        cycles = int(line.split()[1].replace(",", "")) / (2048 * 256) - 1
        yield f"--pad {pad:<3} {cycles:5.2f} cycles"


@output
def load_costs_of_a_step() -> Iterator[str]:
    for chapter, a in ("gemm_01_naive", 32), ("gemm_02_coalesced", 1):
        ms = ms_of(chapter)
        least = 4096**2 / 32 * 4096 * (a + 1) / SMS / 1.98e9 * 1e3
        yield (f"{chapter:<18}{a:>3} + 1 cycles a step, {least:5.1f} ms; "
               f"measured {ms:5.1f} ms, {least / ms:.1%}")


@output
def first_loops() -> Iterator[str]:
    for one in map(rung, ("gemm_01", "gemm_02")):
        yield f"{one['chapter']:<20} " + ", ".join(
            f"{n} {name}" for name, n in one["loop"].items())


@output
def l1_hits() -> Iterator[str]:
    for chapter in "gemm_01_naive", "gemm_02_coalesced":
        loads = pick(trace(chapter, "--M 32 --N 32 --K 64", requests=1000),
                     op="load")
        asked = sum(r["sectors"] for r in loads)
        new = len({(r["array"], at // SECTOR) for r in loads for at in r["at"]})
        yield (f"{chapter:<18} {asked:>6} sectors asked for, {new} different: "
               f"{1 - new / asked:.1%} hits")


@output
def gemm_05_limits() -> Iterator[str]:
    rows = []
    for short in ("gemm_04", "gemm_05"):
        line = next(line for line in shell(f"make -s chapter={short} limits")
                    if line.startswith("4096 "))
        l1, _, issue, _ = map(float, line.split()[1:5])
        least, name = max((l1, "L1"), (issue, "issue slots"))
        ms = ms_of(course.find_chapter(short))
        rows.append((least, name, 100 * least / ms, ms))
    (least, name, share, ms), (least_2, name_2, share_2, ms_2) = rows
    for form, what, *cells in (
            ("{:22}{:>12}{:>14}{:>10}", "", "gemm_04", "gemm_05", "gain"),
            ("{:22}{:>12}{:>14}", "needs the most time", name, name_2),
            ("{:22}{:9.3g} ms{:11.3g} ms{:9.2f}x", "its least time", least,
             least_2, least / least_2),
            ("{:22}{:10.0f} %{:12.0f} %{:9.2f}x", "of the time measured", share,
             share_2, share_2 / share),
            ("{:48}{:9.2f}x", "both", ms / ms_2)):
        yield form.format(what, *cells)


@output
def gemm_06_unrolled() -> Iterator[str]:
    yield f"{'percent of cuBLAS':25}{'':>12}{'':>12}    registers"
    yield f"{'':25}{'loop over k':>12}{'unrolled':>12}"
    for name, short, variants in (
            ("4 bytes", "gemm_05", ("all of it", "k unrolled")),
            ("16 bytes", "gemm_06", ("k not unrolled", "all of it"))):
        registers = {one["variant"]: one["launch"]["registers"]
                     for one in course.read_lines(ABLATION)
                     if one["chapter"].startswith(short)
                     and one["size"]["M"] == 4096}
        yield f"{name:25}" + "".join(
            f"{shares(short)[one]:12.1f}" for one in variants) + "    " + (
                ", ".join(f"{registers[one]}" for one in variants))


@output
def gemm_07_gains() -> Iterator[str]:
    share = shares("gemm_07")
    yield f"{'at 4096':28}{'gain':>6}"
    for name, before, after in (
            ("two groups of columns", "neither", "no padding"),
            ("padding, on top of them", "no padding", "all of it"),
            ("both", "neither", "all of it"), ("", "", ""),
            ("padding alone", "neither", "no groups")):
        yield f"{name:28}{share[after] / share[before]:5.2f}x" if name else ""


def stalled(one: dict, kind: str = "") -> float:
    """Return the cycles between two instructions of a warp, or of one wait."""
    return one["stalls"][kind] if kind else sum(one["stalls"].values())


@output
def gemm_07_cycles() -> Iterator[str]:
    rungs = [rung("gemm_06"), rung("gemm_07")]
    yield f"{'at 4096':46}gemm_06  gemm_07"
    for name, values in (
            ("cycles between two instructions of a warp", map(stalled, rungs)),
            ("... waiting for shared memory",
             (stalled(one, "short scoreboard") for one in rungs)),
            ("cycles in which a scheduler issues (%)",
             (one["profile"]["issue_slots_percent"] for one in rungs))):
        yield f"{name:46}" + "  ".join(f"{value:7.1f}" for value in values)


@functools.lru_cache(maxsize=None)
def counts_of(variant: str) -> dict:
    """Return what gemm_07 counts at 256 in a variant of the ablation."""
    chapter = "gemm_07_bank_conflict"
    folder = built(chapter, f"{chapter}.cu",
                   ablation.texts_of(chapter)[variant])
    shell(f"cd {folder}; ./run {CUBES} --json json")
    return course.read_lines(f"{folder}/json")[-1]["counts"]


@output
def gemm_07_words() -> Iterator[str]:
    counts = counts_of("B word by word")
    for name in "requests", "wavefronts", "bank_conflicts":
        yield f"{'shared_load_' + name:28}{counts['shared_load_' + name]:>8,}"


@output
def gemm_07_counts() -> Iterator[str]:
    columns = {"load requests": "shared_load_requests",
               "wavefronts": "shared_load_wavefronts",
               "conflicts": "shared_load_bank_conflicts",
               "stores of A, B": "shared_store_wavefronts",
               "sectors of C": "global_store_sectors"}
    yield "{:18}{:>14}{:>12}{:>11}{:>16}{:>14}".format("at 256", *columns)
    for name in ablation.texts_of("gemm_07_bank_conflict"):
        if not name.startswith("a pointer"):
            counts = counts_of(name)
            yield "{:18}{:>14,}{:>12,}{:>11,}{:>16,}{:>14,}".format(
                name.replace("all of it", "gemm_07"),
                *map(counts.get, columns.values()))


@output
def gemm_08_cycles() -> Iterator[str]:
    both = rung("gemm_07"), rung("gemm_08")
    yield f"{'at 4096':46}gemm_07  gemm_08   gain"
    for name, kind in (("cycles of a warp between two instructions", ""),
                       ("... waiting for global memory", "long scoreboard"),
                       ("... waiting at barriers", "barrier")):
        yield "{:46}{:7.2f}  {:7.2f}".format(
            name, *(stalled(one, kind) for one in both))
    (a, b), (c, d), (e, f) = (
        [one["profile"]["issue_slots_percent"] for one in both],
        [sum(one["loop"].values()) for one in both],
        [one["profile"]["ms"] for one in both])
    more, fewer, whole = b / a, c / d, e / f
    yield ""
    for name, form, *values in (
            ("cycles in which a scheduler issues (%)", "7.1f", a, b, more),
            ("instructions for a tile", "7,", c, d, fewer),
            ("the rest", "7", "", "", whole / (more * fewer)),
            ("time (ms)", "7.2f", e, f, whole)):
        yield f"{{:46}}{{:{form}}}  {{:{form}}}  {{:5.2f}}x".format(name,
                                                                    *values)


@output
def gemm_09_busiest() -> Iterator[str]:
    yield ("          tile        busiest SM at 4096, 4097   predicted   "
           "measured")
    for chapter, wide in (("gemm_08_double_buffer", 128),
                          ("gemm_09_autotune", 256)):
        a, b = (-(-(-(-n // 128) * -(-n // wide)) // SMS) for n in (4096, 4097))
        ms, more = (ms_of(chapter, n, n, n) for n in (4096, 4097))
        form = "{}   128 x {}{:>16} tiles,{:>3} tiles{:>11.3f}x{:>10.3f}x"
        yield form.format(chapter[:7], wide, a, b, b / a, more / ms)


def tried() -> Iterator[List[str]]:
    """Yield the cells of autotune's first round."""
    for line in lines_of("docs/results/h200_autotune.txt"):
        if line.startswith("round 2"):
            break
        yield line.split()


@output
def gemm_09_two_changes() -> Iterator[str]:
    old = course.timed("gemm_08_double_buffer")[(4096,) * 3]["baseline"]
    small = next(float(cells[7]) for cells in tried()
                 if cells[:5] == ["128", "128", "8", "8", "5"])
    share, form = shares("gemm_09"), "{:20}{:20.1f}{:16.1f}"
    yield "percent of cuBLAS     put after the loop   in the middle"
    yield form.format("tile of 128 x 128", 100 * old["ratio"], small)
    yield form.format("tile of 128 x 256", share["put behind the loop"],
                      share["all of it"])


@output
def gemm_09_tiles() -> Iterator[str]:
    yield ("tile of a block   of a thread   words for each product   registers"
           "   of cuBLAS")
    for cells in tried():
        if len(cells) == 9 and cells[2] == "8":
            bm, bn, _, tm = map(int, cells[:4])
            if bm // tm * bn // 8 <= 256:
                yield (f"{bm:6} x {bn:<9}{tm:7} x 8{(tm + 8) / (tm * 8):18.2f}"
                       f"{cells[5]:>17}{cells[7]:>12} %")


@output
def gemm_10_cycles() -> Iterator[str]:
    rungs = [rung("gemm_09"), rung("gemm_10")]
    yield f"{'one launch at 4096':54}gemm_09  gemm_10"
    yield "{:54}{:7.0f}{:9.0f}".format(
        "cycles of a tile that a warp waits for shared memory",
        *(stalled(one, "short scoreboard") * sum(one["loop"].values())
          for one in rungs))
    yield "{:54}{:7.1f}{:9.1f}".format(
        "cycles in which a scheduler issues (%)",
        *(one["profile"]["issue_slots_percent"] for one in rungs))


@output
def gemm_10_two_helps() -> Iterator[str]:
    old, share = shares("gemm_09"), shares("gemm_10")
    strips = max(share[name] for name in share
                 if name.startswith("no warp tile"))
    form = "{:24}{:24.1f}{:14.1f}"
    yield "percent of cuBLAS        words loaded at their k   one k ahead"
    yield form.format("a warp is a strip", old["all of it"], strips)
    yield form.format("a warp is a patch", share["no fragments ahead"],
                      share["all of it"])


@output
def gemm_11_gains() -> Iterator[str]:
    rungs = [rung("gemm_10"), rung("gemm_11")]
    yield f"{'one launch at 4096':<30}{'gemm_10':>10}{'gemm_11':>10}{'gain':>9}"
    product = 1.0
    for what, form, values in (
            ("instructions of a tile's loop", "{:,.0f}",
             [sum(one["loop"].values()) for one in rungs]),
            ("issue slots used", "{:.1f} %",
             [one["profile"]["issue_slots_percent"] for one in rungs]),
            ("time", "{:.3f} ms", [one["profile"]["ms"] for one in rungs])):
        a, b = values
        gain = b / a if "%" in form else a / b  # of slots, more are better
        product *= gain if what != "time" else 1
        yield f"{what:<30}{form.format(a):>10}{form.format(b):>10}{gain:>8.3f}x"
    yield f"{'both rows above multiplied':<50}{product:>8.3f}x"


@output
def gemm_12_rounds() -> Iterator[str]:
    yield ("M x N x K             tiles of 128 x 256  rounds  SMs with work, "
           "on average")
    for m, n, k in ((4096,) * 3, (4097,) * 3, (1024,) * 3, (512, 512, 8192)):
        tiles = -(-m // 128) * -(-n // 256)
        rounds = -(-tiles // SMS)
        yield "{:<22}{:>18}{:>8}{:>27.0%}".format(
            f"{m} x {n} x {k}", tiles, rounds, tiles / rounds / SMS)


@output
def gemm_12_steps() -> Iterator[str]:
    yield "M x N x K            fewer steps   all else   faster"
    for size, blocks in (((1024,) * 3, 128), ((4096,) * 3, SMS),
                         ((4097,) * 3, SMS), ((8192,) * 3, SMS),
                         ((512, 512, 8192), 128)):
        tiles, steps = -(-size[0] // 128) * -(-size[1] // 256), -(-size[2] // 8)
        busiest = tiles // SMS * steps + -(-(tiles % SMS) * steps // blocks)
        fewer = -(-tiles // SMS) * steps / busiest
        faster = (ms_of("gemm_11_async", *size)
                  / ms_of("gemm_12_stream_k", *size))
        yield (f"{' x '.join(map(str, size)):<20}{fewer:>11.2f}x"
               f"{faster / fewer:>10.2f}x{faster:>8.2f}x")


INPUTS = ("uniform", "text", "skewed", "constant", "runs")


@output
def histogram_wavefronts() -> Iterator[str]:
    at, variant = {}, ("", "", "")
    for line in lines_of("chapters/histogram/counts"):
        words = line.split()
        if words[:1] == ["args:"]:
            variant = (words[2], words[4], words[6])
        if words[:1] == ["shared_atomic_wavefronts"]:
            at[variant] = words[1]
    yield f"{'':16}" + "".join(f"{name:>10}" for name in INPUTS)
    for name in ("wide", "aggregated", "bank_private"):
        yield f"{name:16}" + "".join(f"{at[name, '1048576', of]:>10}"
                                     for of in INPUTS)


@output
def histogram_times() -> Iterator[str]:
    ms = {(one["variant"], one["size"]["input"]): one["time_ms"]["median"]
          for one in course.results("histogram") if one["size"]["n"] == 2 ** 28}
    yield f"{'us at 2^28 bytes':<16}" + "".join(f"{of:>10}" for of in INPUTS)
    for name in ("wide", "aggregated", "bank_private", "ahead"):
        yield f"{name:<16}" + "".join(f"{1000 * ms[name, of]:>10.0f}"
                                      for of in INPUTS)


@output
def histogram_shapes() -> Iterator[str]:
    for name, *cells in csv("docs/results/h200_histogram.csv"):
        yield f"{name:36}{cells[0]:>9}{cells[1]:>9}{cells[2]:>10}"


@output
def scan_over_copy() -> Iterator[str]:
    yield "us longer than a copy    2^20    2^24    2^28"
    rows: Dict[str, Dict[int, float]] = {"CUB": {}}
    for one in course.results("scan"):
        if one["time_ms"]["l2"] == "cold":
            us, n = 1000 * one["time_ms"]["median"], one["size"]["n"]
            copy = us * one["limit"]["ratio"]
            rows["CUB"][n] = 1000 * one["baseline"]["time_ms"] - copy
            rows.setdefault(one["variant"], {})[n] = us - copy
    for name in ("look_back", "CUB", "ring"):
        yield f"{name:<21}" + "".join(f"{rows[name][n]:>8.1f}" for n in POWERS)


def place(tile: int, tiles: int, band: int) -> Tuple[int, int]:
    """Return row and column of a block where `band` rows are done together."""
    first = tile // (band * tiles) * band
    high = min(band, tiles - first)
    return first + tile % (band * tiles) % high, tile % (band * tiles) // high


@output
def cutlass_order() -> Iterator[str]:
    tiles, band = 8, 4
    maps = []
    for order in (
            lambda b: place(b, tiles, band),
            lambda b: (b % (tiles * band) >> 2,
                       (b // (tiles * band) << 2) + (b & 3))):
        of = {order(b): b for b in range(tiles**2)}
        assert len(of) == tiles**2
        maps.append(["".join(f"{of[m, n]:3}" for n in range(tiles))
                     for m in range(tiles)])
    yield f"{'bands of 4 rows':<34}CUTLASS, GemmIdentityThreadblockSwizzle<4>"
    for a, b in zip(*maps):
        yield f"{a:<34}{b}"


@output
def block_order() -> Iterator[str]:
    tiles, first = 8, 16
    for group in (1, 4):
        at = {place(b, tiles, group): b for b in range(tiles**2)}
        rows, columns = (len({place(b, tiles, group)[i] for b in range(first)})
                         for i in (0, 1))
        yield (f"group {group}: the first {first} blocks need {rows} strips of "
               f"A and {columns} of B")
        for row in range(tiles):
            yield "".join(
                f" [{b:2}]" if b < first else f" {b:3} " for b in (
                    at[row, column] for column in range(tiles))
            ).removesuffix(" ")


@output
def first_profiles() -> Iterator[str]:
    rungs = course.read_lines(SERIES)[:4]
    caches = {}
    for line in lines_of("docs/results/h200_caches.txt"):
        if re.match(r"gemm_\w+, 4096  ", line):
            caches[line.split(",")[0]] = line.split()[3]
    ffma = 4096**3 / 32
    yield f"{'gemm_':<18}" + "".join(f"{one['chapter'][5:7]:>6}"
                                     for one in rungs)
    for name, show in (
            ("time, ms", lambda r, p: f"{p['ms']:.3g}"),
            ("FFMA pipe busy", lambda r, p: f"{p['fma_pipe_percent']:.0f} %"),
            ("schedulers issue",
             lambda r, p: f"{p['issue_slots_percent']:.0f} %"),
            ("L1 busy", lambda r, p: caches[r["chapter"]] + " %"
             if r["chapter"] in caches else "-"),
            ("DRAM, GB read", lambda r, p: f"{p['dram_bytes_read'] / 1e9:.2f}"),
            ("  at 4.81 TB/s, ms",
             lambda r, p: f"{p['dram_bytes_read'] / 4.81e9:.2f}"),
            ("L2 hits", lambda r, p: f"{p['l2_hit_percent']:.0f} %"),
            ("warps resident",
             lambda r, p: f"{p['warps_resident_percent']:.0f} %"),
            ("sectors of a load",
             lambda r, p: f"{p['load_sectors'] / p['load_requests']:.3g}"),
            ("LDS wavefronts",
             lambda r, p: f"{p['shared_load_wavefronts'] / ffma:.2f}"),
            ("FFMA in the loop", lambda r, p: str(r["loop"]["FFMA"])),
            ("LDS in the loop", lambda r, p: str(sum(
                n for kind, n in r["loop"].items() if kind[:3] == "LDS")))):
        yield f"{name:<18}" + "".join(f"{show(r, r['profile']):>6}"
                                      for r in rungs)


@output
def spread() -> Iterator[str]:
    records = course.read_lines(course.RESULTS)
    times = [r["time_ms"] for r in records if r["time_ms"]]
    of = sorted(100 * (t["max"] - t["min"]) / t["median"] for t in times)
    yield ("within a run, {} records: half of them at most {:.2f} %, nine of "
           "ten {:.2f} %, the worst {:.2f} %").format(
               len(of), of[len(of) // 2], of[len(of) * 9 // 10], of[-1])
    library = collections.defaultdict(list)
    for r in records:
        if r["chapter"].startswith("gemm_"):
            library[tuple(r["size"][n] for n in "MNK")].append(
                r["baseline"]["time_ms"])
    yield ""
    yield (f"{'cuBLAS, medians of each run':<28}{'runs':>6}{'least ms':>10}"
           f"{'most ms':>10}{'apart':>10}")
    for n in (256, 512, 1024, 4096, 8192):
        ms = library[n, n, n]
        yield (f"{f'{n} x {n} x {n}':<28}{len(ms):>6}{min(ms):>10.4g}"
               f"{max(ms):>10.4g}{100 * (max(ms) / min(ms) - 1):>8.2f} %")


@output
def another_gpu() -> Iterator[str]:
    rows = []
    records = [course.read_lines(f"docs/results/{name}.jsonl")
               for name in ("h200", "h100")]
    n, image = {"n": 2 ** 28}, {"width": 8192, "radius": 2}
    for chapter, variant, size in (
            ("gemm_01_naive", None, {"M": 8192}),
            ("gemm_08_double_buffer", None, {"M": 8192}),
            ("gemm_12_stream_k", None, {"M": 8192}),
            ("reduction", "convergent", n),
            ("reduction", "coarsened", n),
            ("reduction", "wide", n),
            ("reduction", "ticket", n),
            ("histogram", "coarsened_interleaved", {**n, "input": "uniform"}),
            ("scan", "three_phase", n),
            ("scan", "ring", n),
            ("conv", "tiled", image),
            ("conv", "register_window", image),
            ("stencil", "tiled", {"nx": 1024}),
            ("stencil", "register", {"nx": 1024}),
            ("stencil", "vector", {"nx": 1024}),
            ("bank_conflict_padding", "tile", {"rows": 16384}),
            ("bank_conflict_padding", "tile_padded", {"rows": 16384})):
        ms = [next(one["time_ms"]["median"] for one in of
                   if (one["chapter"], one["variant"]) == (chapter, variant)
                   and size.items() <= one["size"].items()) for of in records]
        rows.append((ms[1] / ms[0], *ms, " ".join(
            filter(None, [course.short(chapter), variant]))))
    yield f"{'kernel':<36}{'H200 ms':>9}{'H100 ms':>9}  H100 / H200"
    for ratio, a, b, name in sorted(rows):
        yield f"{name:<36}{a:>9.4g}{b:>9.4g}{ratio:>13.2f}"


@output
def cublas_kernel() -> Iterator[str]:
    yield from rung("cuBLAS")["kernel"].replace(
        "_stage3", "\\\n    _stage3").split("\n")


@output
def register_banks() -> Iterator[str]:
    yield "three sources   cycles of an FFMA"
    for name, cycles, *_ in csv("tests/golden/register_banks_h200.csv"):
        if name in ("e e o", "e e e", "k* e o", "k* e e"):
            yield f"{name:15} {float(cycles):.1f}"


@output
def the_whole_ladder() -> Iterator[str]:
    yield ("4096      threads   registers   blocks on an SM   warps of 64   "
           "TFLOP/s")
    for chapter in course.chapters():
        if chapter.startswith("gemm_"):
            one = course.timed(chapter)[(4096,) * 3]
            launch = one["launch"]
            threads = launch["block"][0] * launch["block"][1]
            yield (f"{course.short(chapter)}{threads:>10}"
                   f"{launch['registers']:>12}{launch['blocks_per_sm']:>18}"
                   f"{threads // 32 * launch['blocks_per_sm']:>14}"
                   f"{one['gflops'] / 1000:>10.1f}")


@output
def another_ladder() -> Iterator[str]:
    yield "percent of cuBLAS   his, A6000   ours, H200"
    for short, his in {
            "gemm_01": 1.3, "gemm_02": 8.5, "gemm_03": 12.8, "gemm_04": 36.5,
            "gemm_05": 68.7, "gemm_06": 78.4, "gemm_09": 84.8,
            "gemm_10": 93.7}.items():
        ours = course.timed(course.find_chapter(short))[(4096,) * 3]
        yield f"{short:<17}{his:>13.1f}{100 * ours['baseline']['ratio']:>13.1f}"


# Of each kind of block of gemm_12: BM, BN, BK, and as plan_for() has them.
PLANS = ((128, 256, 8, 0, .87), (128, 64, 8, .4, .88), (32, 64, 16, .4, .59))


def planned(k: int, kind: int, whole: int, shared: int, blocks: int) -> float:
    """Return the cycles that plan_for() of gemm_12 expects."""
    bm, bn, bk, alone, rate = PLANS[kind]
    steps, many = -(-k // bk), -(-whole // blocks)
    busiest = many * steps + -(-shared * steps // blocks)
    at_once, size = -(-blocks // SMS), bm * bn
    cycles = ((at_once + alone) * busiest * bk * size / 128 / rate
              + .2 * at_once * size * many)
    if shared:
        cycles += 6500 + 110 * blocks / shared + .5 * at_once * size * (
            2 if blocks % shared else 1)
    return cycles


@output
def stream_k_plans() -> Iterator[str]:
    args = lines_of("chapters/gemm_12_stream_k/results.args")
    begin = next(i for i, line in enumerate(args) if "nobody fitted" in line)
    unseen = {tuple(map(int, line.split()[1::2])) for line in args[begin:]
              if line.startswith("--M")}
    plans = collections.defaultdict(list)
    for line in lines_of("docs/results/h200_plans.txt"):
        if line[0].isdigit():
            m, n, k, *plan, _, us, cublas = line.split()
            plans[int(m), int(n), int(k)].append((
                planned(int(k), *map(int, plan)), float(cublas) / float(us)))
    chosen = {size: min(rows)[1] for size, rows in plans.items()}
    best = {size: max(share for _, share in rows)
            for size, rows in plans.items()}
    yield "sizes              all   choice below .95   best plan below .95"
    for name, some in (("unseen", unseen),
                       ("random, fitted to", set(plans) - unseen)):
        yield "{:<19}{:>3}{:>19}{:>22}".format(
            name, len(some), *(sum(of[size] < .95 for size in some)
                               for of in (chosen, best)))
    yield ""
    yield "unseen, below .95     choice   best plan"
    for size in sorted(unseen, key=lambda size: chosen[size]):
        if chosen[size] < .95:
            yield (f"{' x '.join(map(str, size)):<22}{chosen[size]:>6.3f}"
                   f"{best[size]:>12.3f}")


def lines(name: str, *words: str) -> List[str]:
    """Return what a page quotes by a name; "file": PATH [from=A] [to=B], from a
    line that begins with A to one that begins with B."""
    if name == "file":
        found = lines_of(words[0])
        for word in words[1:]:
            end, text = word.split("=")
            i = next(i for i, line in enumerate(found) if line.startswith(text))
            found = found[i:] if end == "from" else found[:i + 1]
        return found
    if name in COMMANDS:
        if ARCHIVE in COMMANDS[name]:
            archive()
        return shell(COMMANDS[name])
    for table, make in ((PLANTED, planted), (ABLATED, ablated)):
        if name in table:
            return list(make(name))
    if name not in OUTPUTS:
        raise Stale("no such output")
    return list(OUTPUTS[name]())
