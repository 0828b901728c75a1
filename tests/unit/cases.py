"""What programs that are built with common/ must say: one run an entry.

Every planted fault of faults.cu, faults_bf16.cu and variants.cu is refused, for its
reason; no right kernel is. And every good and bad form of a command line.
"""

import os
import subprocess
from typing import Iterable, Iterator, NamedTuple, Tuple


class Case(NamedTuple):
    """One run of a program."""

    line: str  # its arguments
    status: int = 0
    out: Tuple[str, ...] = ()  # what is in its output; "!x": what is not
    err: Tuple[str, ...] = ()  # the same of stderr; (): nothing is
    env: str = ""


def call(program: str, *words: str, **env: str) -> subprocess.CompletedProcess:
    """Run a program."""
    return subprocess.run([program, *words], text=True, errors="replace",
                          capture_output=True, check=False,
                          env={**os.environ, **env})


def holds(text: str, words: Iterable[str]) -> bool:
    """Is each word there, or with a ! not there?"""
    return all(word[1:] not in text if word.startswith("!") else word in text
               for word in words)


def run(folder: str, program: str, case: Case) -> Tuple[str, bool, str]:
    """Run a program as its case says: (what, good, output).

    Arguments are refused in one line; those of --help have 80 columns at most.
    """
    env = dict([case.env.split("=")] if case.env else [])
    if "variants" in program:  # no batches: each run calls a function
        env["SAMPLE_MS"] = "1.5"
    done = call(f"{folder}/{program}", *case.line.split(), **env)
    good = done.returncode == case.status and holds(done.stdout, case.out) and (
        holds(done.stderr, case.err) if case.err else not done.stderr)
    if case.status == 2:
        good = good and not done.stdout and done.stderr.count("\n") == 1
    if "--help" in case.line:
        good = good and max(map(len, done.stdout.splitlines())) <= 80
    return (" ".join([program, case.line, case.env, *case.err]).strip(), good,
            f"status {done.returncode}\n{done.stdout}{done.stderr}")


WRONG = ("WRONG", "!verified")
RIGHT = ("verified   every element",)
AT = "--M 37 --N 37 --K 65"  # edges that no round size has
SHORT = "--M 24 --N 18 --K 12"

# Kernels of faults.cu that are wrong, and what stderr says at AT.
REFUSED = [
    ("smallest_step", "exact data with alpha 1, beta 0: 1 of 1369 elements"),
    ("outside_bound", "random data with alpha 1, beta 0: 1 of 1369 elements"),
    ("one_nan", "C[18][18]: got nan"),
    ("one_inf", "C[18][18]: got inf"),
    ("one_unwritten", "(never written"),
    ("one_unwritten_with_beta", "exact data with alpha 0.5, beta -1: 1 of"),
    ("written_past", "C: memory behind it was written"),
    ("written_before", "C: memory before it was written"),
    ("written_into_padding", "C[0][37]: written, but C has only 37 columns"),
    ("padding_zeroed_at_last_row", "C[36][43]: written"),
    ("input_written", "B: an input was written"),
    ("alpha_ignored", "exact data with alpha 0.5, beta -1"),
    ("beta_ignored", "exact data with alpha 0.5, beta -1"),
    ("c_read", "or C read before it was written)"),
    ("last_row_skipped", "37 of 1369 elements"),
    ("last_col_skipped", "C[0][36]: got -nan (never written"),
    ("left_over", "exact data with alpha 0.5, beta -1"),
    *((name, "exact data with alpha 1, beta 0") for name in (
        "transposed last_k_skipped first_k_skipped one_k_too_many tf32_a "
        "tf32_b tf32_both bfloat16_a bfloat16_b bfloat16_both "
        "float16_sum").split()),
]

# Kernels that are right, in the order in which they add.
ACCEPTED = ["inside_bound", "forward", "backward", "pairwise", "blocked",
            "fused", "not_fused", "alpha_first", "begins_with_beta_c"]

# The last one is longer than a sum of large terms may be: most are small.
SIZES = [AT, "--M 5 --N 18 --K 4 --alpha -1.5 --beta 0.3",
         "--M 1 --N 1 --K 1 --alpha 0", "--M 3 --N 2 --K 140000 --alpha 3 "
         "--beta -1"]

# Faults that hide behind sizes or factors.
ELSEWHERE = [
    ("beta_ignored --M 20 --N 4 --K 8 --beta 2", "wrong on"),
    ("alpha_ignored --M 20 --N 4 --K 8 --alpha 2", "wrong on"),
    ("c_read --M 20 --N 4 --K 8 --beta 2", "wrong on"),
    ("left_over --M 20 --N 4 --K 8 --beta 1", "wrong on"),
    ("written_past --M 20 --N 4 --K 8", "C: memory behind"),
    ("written_into_padding --M 1 --N 5 --K 1", "C[0][5]"),
    ("written_into_padding --M 1 --N 8 --K 1 --pad 4", "C[0][8]"),
    # At a round size ldb and ldc are equal: only the small problem sees it.
    ("pitches_swapped --M 64 --N 64 --K 64", "beta 0, M=131 N=134 K=21: "),
    # Only there are NaN, Inf and denormal numbers in the inputs.
    ("nan_lost --M 20 --N 4 --K 8", "C[0][67]: got 0, want nan"),
    ("inf_cut --M 20 --N 4 --K 8", ", beta 0, NaN and Inf, M=131 N=134 K=21: "),
    ("denormal_lost --M 20 --N 4 --K 8", "got 0, want "),
    # Where the bound is wide, the grid still sees one k among 140,000.
    ("last_k_skipped --M 9 --N 9 --K 140000", "exact data with alpha 1"),
    ("first_k_skipped --M 9 --N 9 --K 140000", "exact data with alpha 1"),
]

# Kernels of faults_bf16.cu that are wrong: the small problem finds all.
BF16_REFUSED = [
    *((name, "whole numbers with alpha 1, beta 0") for name in (
        "cut_off_c", "bfloat16_sum", "b_transposed", "pitches_swapped",
        "last_k_skipped")),
    *((name, "whole numbers with alpha 0.500244, beta -1.00391, NaN and Inf,")
      for name in ("rounded_twice", "alpha_float16", "beta_bfloat16")),
    ("nan_lost", "want nan"),
    ("float16_sum", "random data with alpha 1, beta 0"),
    ("written_past", "C[0][262]: written, but C has only 262 columns"),
]

# Right, the second one as a tensor core is: it cuts sums off.
BF16_ACCEPTED = ["forward", "cut_off_sums"]

# Kernels of faults_attention.cu that are wrong, with their options.
ATTENTION_REFUSED = [
    *((name, "whole numbers, NaN, b=2 h=3") for name in (
        "last_key", "one_key_more --causal 1", "one_key_less --causal 1",
        "maximum_forgotten", "pitch_of_k", "head_of_q")),
    *((name, "peaked data, b=2 h=3") for name in (
        "scores_bf16", "q_scaled_bf16 --d 128", "unscaled", "sums_bf16")),
    ("no_key_nan --causal 1", "got nan, want 0"),
    ("nan_lost", "want nan"),
    ("written_past", "written, but O has only "),
]
ATTENTION_ACCEPTED = ["forward", "backward", "weights_bf16"]

# As a GPU gets it; batched or not, what was timed is what is verified.
AS_GPU_REFUSED = [
    ("smallest_step", "exact data with alpha 1, beta 0: 1 of 1369"),
    ("outside_bound", "random data with alpha 1, beta 0: 1 of"),
    ("beta_ignored", "exact data with alpha 0.5, beta -1"),
    ("c_read", "1369 of 1369"),
    ("written_past", "memory behind it was written"),
    ("written_into_padding", "only 37 columns"),
    ("input_written", "B: an input was written"),
    ("nan_lost", "got 0, want nan"),
    *((f"left_over_timed {options}", " in the last launch: 1369 of")
      for options in ("", "--beta 1", "--l2 warm", "--l2 warm --beta 1")),
]

AS_GPU = [
    Case(f"forward {SHORT} --repeats 3", 0, (
        "verified   every element", "3 samples of 20 launches", "L2 cold",
        "cuBLAS     ", "of its speed")),
    Case(f"forward {SHORT} --repeats 3 --l2 warm", 0, ("L2 warm",)),
    # No samples: no word about time or the library.
    Case(f"forward {SHORT} --repeats 0", 0, (
        "verified   every element", "!time  ", "!cuBLAS")),
    Case(f"inside_bound {SHORT} --repeats 0"),
    # C is restored before each launch, so none is batched.
    Case(f"forward {SHORT} --repeats 3 --beta 1.5", 0,
         (", 3 samples, L2 cold",)),
    Case(f"forward {SHORT} --repeats 3 --beta -1 --l2 warm"),
    Case("forward --M 130 --N 140 --K 70 --repeats 2 --warmup 0", 0,
         ("time       1.500 ms (1.500 - 1.500), 2 samples, L2 cold",),
         env="SAMPLE_MS=1.5"),
    Case(f"forward {SHORT} --repeats 1", 0,
         ("cuBLAS     not timed: it is not installed",),
         env="LIBRARY=missing"),
    # A library that is wrong is no baseline.
    Case(f"forward {SHORT} --repeats 1", 0,
         ("cuBLAS     not timed: its result is outside the bound",),
         ("wrong on",), "LIBRARY=wrong"),
    # Within the bound of long sums, so exact data comes once more.
    Case("tf32_timed --repeats 2 --M 9 --N 7 --K 4096", 1, ("WRONG",),
         ("exact data with alpha 1, beta 0 after the timed runs: ",)),
]

# Faults of variants.cu, by number.
VARIANTS_REFUSED = [
    (1, "positive[3]: got 1"), (1, "y[0][3]: got "), (2, "y[0][0]: got -nan"),
    (3, "x: an input was written"),
    (4, "y[0][9]: written, but y has only 9 columns"),
    (5, "positive: memory behind it was written"),
    (6, "scratch: memory behind it was written"),
    (7, "wrong on integers, rows=5 cols=13: "),
    (8, "wrong on random data in the last launch: "),
]

VARIANTS = [
    Case("", 0, (
        "rows=7 cols=9, row pitch 16\n",
        "all 2 variants: exact data equal, random data at ",
        "before that with rows=5 cols=13, row pitch 20\n",
        "\n  first_kernel                   1",
        "\n  second_kernel                  1",
        "order \n")),  # nothing is timed
    Case("--variant fused"),
    Case("--rows 1 --cols 1"),
    Case("--rows 300 --cols 1"),
    Case("--rows 1 --cols 5000"),
    Case("--rows 1 --cols 1 --small 100000"),  # the small one is the larger
    Case("--rows 0"),
]

# Beside libraries: t and f are the variants, a, b and m the libraries.
VARIANTS_AS_GPU = [
    Case("--rows 0 --warmup 1 --repeats 2 --variant fused", err=("",)),
    Case("--repeats 0", 0, ("all 2 variants: exact data equal", "!library")),
    # A warm-up of each, three samples of each, then a is closed; then the
    # variants once more, on exact data.
    Case("--warmup 1 --repeats 3", 0, (
        "order tfatfatfatfa.tf\n",
        "library_b         not timed: it is not installed\n",
        "rate    step of library    of limit\n",
        "  fused                   1.500 8.400e-05 GFLOP/s   1.00x"),
         env="LIBRARY=missing"),
    Case("--warmup 1 --repeats 2", 0, (
        "order tfbatfbatfba..tf\n", "\n  library_a ",
        "library_b         not timed: its result is outside the bound"),
         ("variants library_b: wrong on random data in the last launch",)),
    # What only moves the bytes has no result, and is no library either.
    Case("--warmup 1 --repeats 2", 0, (
        "order tfbamtfbamtfbam...tf\n", "of library    of moves\n",
        "\n  moves                   1.500 "), ("!moves",), "FLOOR=1"),
    # A variant that is wrong is not timed, the others are.
    Case("--fault 1 --warmup 1 --repeats 2", 1, (
        "order fbafbafba..f\n", "two_launches      WRONG\n", "GFLOP"),
         ("wrong",)),
]


KERNEL = {"faults": "forward"}

# Options: program, values that are refused, and what is said behind each.
VALUES_REFUSED = [
    ("faults", "--M 12abc;--M abc;--M 1e3;--M 1.0;--M 0x10;--M -",
     ": not an integer; allowed are 1 to 2147483639"),
    ("faults", "--M -1;--M 0;--M 2147483640;--M 4294967297;"
     "--M 99999999999999999999", ": out of range; allowed are 1 to 2147483639"),
    ("faults", "--warmup -1;--repeats -1;--seed -7;--device -1",
     ": out of range; allowed are 0 to "),
    ("variants", "--rows 1e3", ": not an integer; allowed are 0 to 1000000000000000"),
    ("variants", "--cols 0;--cols 99999999999999999999",
     ": out of range; allowed"),
    ("faults", "--alpha 1.0f;--alpha 0x1p3;--alpha 1,5;--alpha .;--alpha e5;"
     "--alpha nan;--alpha NaN;--alpha inf;--alpha -inf;--alpha infinity",
     ": not a number; allowed are finite decimal numbers"),
    ("faults", "--alpha 1e39;--alpha -1e99999;--alpha 1e-60;--alpha 1e-42",
     ": not in float32; allowed are 0 and 1.2e-38 to 3.4e+38"),
    ("as_gpu/conv", "--filter mean;--filter bo;--filter boxes;--filter |;"
     "--filter box|sobel;--filter BOX;--filter 1",
     ": allowed are gaussian|box|sobel|sharpen|random"),
    ("faults", "--l2 hot", ": allowed are cold and warm"),
    ("faults", "--json /nonexistent/x;--json /",
     ": cannot append to this file: "),
]

# Words that are refused, and what is said.
WORDS_REFUSED = [
    ("--repeat 3", "--repeat: no such option; did you mean --repeats?"),
    ("--m 3", "--m: no such option; did you mean --M?"),
    ("--aplha=3", "--aplha: no such option; did you mean --alpha?"),
    ("--jason x", "--jason: no such option; did you mean --json?"),
    ("--gelu 1", "--gelu: no such option; --help lists them all"),
    ("--averyverylongoptionthatnobodyhasthoughtofyet 3", "--avery"),
    ("--", "--: no such option"),
    ("--M", "--M: its value is missing; --M is: rows of A and C"),
    ("--M=", "--M: its value is missing"),
    ("--M --alpha 1", "--M: its value is missing"),
    ("--json --M 1", "--json: its value is missing"),
    ("--alpha 1 --beta", "--beta: its value is missing"),
    ("512", "512: not an option; options look like --M 1"),
    ("--M 512 256", "256: not an option"),
    ("-M 512", "-M: not an option"),
]

# What --help says: each option with its default, or with what was said before.
HELP = [
    ("faults", "", (
        "  --M        rows of A and C (default 256)\n",
        "  --alpha    factor of A * B (default 1)\n",
        "  --device   number of the GPU (default 0)\n",
        "launches before the timed ones (default 3)\n",
        "  --repeats  timed samples, fewer of slow kernels; 0: verify only "
        "(default 20)\n", "inputs come from (default 1)\n",
        "(default cold)\n", "  --json ", "  --help ")),
    ("faults", "--M 2147483639 --l2 warm --seed 0 --warmup 0", (
        "(default 2147483639)", "(default warm)", "inputs come from (default 0)",
        "launches before the timed ones (default 0)")),
    ("faults", "--M=3 --M 5", ("rows of A and C (default 5)",)),
    *(("faults", f"--alpha{value}", (f"factor of A * B (default {number})",))
      for value, number in ((" -0.25e1", -2.5), (" 0.0", 0), ("=.5", 0.5),
                            ("=0e9", 0))),
    ("variants", "--rows=900000000000", ("(default 900000000000)",
                                         "  --variant  one of them\n")),
    ("as_gpu/conv", "", ("or 256 (on a GPU 8192)\n", "(default gaussian)")),
    ("as_gpu/conv", "--filter sobel", ("(default sobel)",)),
    ("as_gpu/conv", "--filter=random", ("(default random)",)),
]

# Sizes for a GPU, where rounded inputs and sums must be seen, too.
GPU_SIZES = ["--M 4096 --N 4096 --K 4096", "--M 8192 --N 8192 --K 8192",
             "--M 512 --N 512 --K 65536"]
GPU_SIZES_BF16 = ["--M 37 --N 41 --K 77", "--M 2000 --N 3000",
                  "--M 512 --N 512 --K 65536 --beta 1"]

# Chapters whose reference is a kernel on a GPU: it agrees with that of the CPU.
REFERENCES = [
    ("gpu_reference", ""),
    ("as_gpu/conv", "--width 33 --height 31 --filter random --repeats 0"),
    ("as_gpu/stencil", "--N 9 --repeats 0"),
    ("as_gpu/stencil", "--nx 19 --ny 17 --nz 13 --radius 2 --steps 3 --repeats 0"),
]


def cases() -> Iterator[Tuple[str, Case]]:
    """All of them, each with its program."""
    faults = [(f"{name} {AT}", why) for name, why in REFUSED] + ELSEWHERE
    # Where the bound is too wide to see it, the grid sees rounded inputs.
    faults += [(f"{name} {size}", why) for name, why in REFUSED[-7:]
               for size in ("--M 9 --N 7 --K 1024", "--M 5 --N 5 --K 4096",
                            "--M 3 --N 8 --K 8192", "--M 4 --N 5 --K 65536")]
    for line, why in faults:
        yield "faults", Case(line, 1, WRONG, (why,))
    for name in ACCEPTED:
        for size in SIZES:
            yield "faults", Case(f"{name} {size}", 0, RIGHT)
    yield "faults", Case("forward --M 64 --N 64 --K 64")
    for name, why in AS_GPU_REFUSED:
        yield "as_gpu/faults", Case(
            f"{name} --repeats 2 --M 37 --N 37 --K 12", 1,
            ("WRONG", "!FLOP/s"), (why,))
    for program in ("faults_bf16", "as_gpu/faults_bf16"):
        for name, why in BF16_REFUSED:
            yield program, Case(f"{name} --M 9 --N 7 --K 10 --repeats 0", 1,
                                WRONG, (why,))
        for name in BF16_ACCEPTED:
            for size in ("--M 37 --N 41 --K 77", "--M 1 --N 1 --K 1 --beta 2",
                         "--M 3 --N 2 --K 140000 --alpha 3 --beta -1"):
                yield program, Case(f"{name} {size} --repeats 0", 0, RIGHT)
        yield program, Case("forward --pad 4", 2, err=("multiples of 8",))
        yield program, Case("forward --K 16777217", 2, err=("--K 16777217: at",))
    for program in ("faults_attention", "as_gpu/faults_attention"):
        for line, why in ATTENTION_REFUSED:
            yield program, Case(f"{line} --s 9 --repeats 0", 1, WRONG, (why,))
        for name in ATTENTION_ACCEPTED:
            for size in ("--s 1", "--s 70 --keys 33 --causal 1 --d 128",
                         "--b 2 --s 5 --keys 400 --layout bshd --pad 8"):
                yield program, Case(f"{name} {size} --repeats 0", 0, RIGHT)
    for program in ("variants", "as_gpu/variants"):
        for number, why in VARIANTS_REFUSED:
            if program == "variants" and "last launch" in why:
                continue  # nothing is timed
            yield program, Case(
                f"--warmup 0 --repeats 1 --fault {number}", 1,
                ("WRONG      1 of 2 variants",),
                ("variants two_launches: wrong on ", "!fused", why))
    for program, more in (("as_gpu/faults", AS_GPU), ("variants", VARIANTS),
                          ("as_gpu/variants", VARIANTS_AS_GPU)):
        yield from ((program, case) for case in more)
    for program, line in REFERENCES:
        yield program, Case(line)
    for program, line, words in HELP:
        yield program, Case(f"{KERNEL.get(program, '')} {line} --help", 0, words)
    for program, values, why in VALUES_REFUSED:
        for value in values.split(";"):
            yield program, Case(f"{KERNEL.get(program, '')} {value}", 2,
                                err=(value + why,))
    for line, why in WORDS_REFUSED:
        yield "faults", Case(f"forward {line}", 2, err=(why,))


def cases_on_gpu() -> Iterator[Tuple[str, Case]]:
    """Those that tests.gpu runs, built by nvcc: timed runs follow."""
    once = "--warmup 0 --repeats 1"
    # Of NaN a GPU tells nothing: not that C was read before it was written.
    refused = [*((f"{name} {AT}", "wrong on" if name == "c_read" else why)
                 for name, why in REFUSED), *ELSEWHERE,
               (f"left_over_timed {AT}", "in the last launch"),
               (f"tf32_timed {AT}", "in the last launch")]
    refused += [(f"{name} {size}", "wrong on") for size in GPU_SIZES
                for name in [*(name for name, _ in REFUSED[-7:]), "tf32_timed"]]
    for line, why in refused:
        yield "faults", Case(f"{line} {once}", 1, ("WRONG",), (why,))
    # Exact data, which follow timed launches, have no bound.
    yield "faults", Case(f"{ACCEPTED[0]} {AT} --repeats 0", 0, RIGHT)
    for name in ACCEPTED[1:]:
        large = GPU_SIZES if name in ("blocked", "not_fused") else []
        for size in [AT, *large]:
            yield "faults", Case(f"{name} {size} {once}", 0, RIGHT)
    for size in GPU_SIZES_BF16:
        for name, _ in BF16_REFUSED:
            yield "faults_bf16", Case(f"{name} {size} {once}", 1, ("WRONG",),
                                      ("wrong",))
        for name in BF16_ACCEPTED:
            yield "faults_bf16", Case(f"{name} {size} {once}", 0, RIGHT)
    for line, why in ATTENTION_REFUSED:
        yield "faults_attention", Case(f"{line} --s 9 {once}", 1, ("WRONG",), (why,))
    for name in ATTENTION_ACCEPTED:
        yield "faults_attention", Case(f"{name} --b 1 --s 2000 {once}", 0, RIGHT)
