#!/usr/bin/env python3
"""Tests of the Python scripts behind make, on made-up chapters.

Each test runs in an empty folder of its own. Ends with `N passed, N failed`.
"""

import contextlib
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zlib
from unittest import mock

from tests.checks import ROOT, run_unittests
from tools import checklist, counts, course, limits, metrics, sanitize
from tools.author import outputs, photos, picture, svg, tables
from tools.classroom import grader


def write(path: str, text: str, mode: int = 0o644) -> None:
    """Make a file and its folders."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def ran(command: list, **settings: object) -> subprocess.CompletedProcess:
    """Run a command; keep what it says."""
    return subprocess.run(command, check=False, text=True, **{
        "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings})


def lessons(*args: str) -> subprocess.CompletedProcess:
    """Run the script behind make lessons."""
    return ran([sys.executable, "-B", "-m", "tools.author.lessons", *args],
               env={**os.environ, "PYTHONPATH": ROOT})


class InFolder(unittest.TestCase):
    """A test with an empty working directory."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def call(self, call: str, **settings: str) -> subprocess.CompletedProcess:
        """Call a function of tools in a process: MODULE.FUNCTION(ARGUMENTS)."""
        return ran(self.command(call), env={**os.environ, **settings})

    @staticmethod
    def command(call: str) -> list:
        """Return the command that does so, and ends as make's goals do."""
        name = call.split(".")[0]
        return [sys.executable, "-B", "-c", f"""if True:
            import sys
            sys.path.insert(0, {ROOT!r})
            sys.argv[0] = {name!r}
            from tools import course, {name}
            from tools.course import Program
            course.script(lambda: {call} or 0)"""]


def chapters(**groups: str) -> None:
    """Write chapters/order, and empty sources where there are none."""
    write(course.ORDER, "".join(f"{name} {group}\n" for group, names in
                                groups.items() for name in names.split()))
    for name in " ".join(groups.values()).split():
        if not os.path.exists(f"chapters/{name}/{name}.cu"):
            write(f"chapters/{name}/{name}.cu", "")


class Checks(InFolder):
    """The file checks of a chapter."""

    def test_sections(self) -> None:
        write("chapters/a/checks", "# a\n[sizes]  must pass\n# first\n--M 1  # small\n"
              "\n--M 2\n[refused]\n--M 9\n[skipped by sanitize]\nracecheck k it is odd\n")
        self.assertEqual(checklist.sizes("a"), ["--M 1", "--M 2"])
        self.assertEqual(checklist.sizes("a", "refused"), ["--M 9"])
        self.assertEqual(checklist.sizes("a", "timed"), [])
        self.assertEqual(checklist.sizes("b"), [])
        self.assertEqual(checklist.skipped("a"), {("racecheck", "k"): "it is odd"})

    def test_a_variant(self) -> None:
        write("chapters/a/checks", "[sizes]\n--n 1\n--variant x --n 2\n--n 3\n")
        self.assertEqual(checklist.sizes("a", variant="x"), [
            "--variant x --n 1", "--variant x --n 2", "--variant x --n 3"])
        self.assertEqual(checklist.sizes("a", variant="y"), [
            "--variant y --n 1", "--variant y --n 3"])

    def test_tables(self) -> None:
        write("chapters/a/checks", """\
[counts]  of one run
# remark
--variant a --op max
--n          1  2
SIM_THREADS  1  -
ffma    12,000  -
  ncu    >=9.5  -
  "chance, in a cause
   of two lines"
loads        4  0
  ncu        -  3
stores       5  6
  ncu        2  -
  "the same"

--n 3
ffma 16.5
""")
        one, two, three = checklist.counts("a")
        self.assertEqual((one.args, one.environment),
                         ("--variant a --op max --n 1", {"SIM_THREADS": "1"}))
        self.assertEqual(one.counts, {
            "ffma": (12000, 9.5, "chance, in a cause of two lines", True),
            "loads": (4, None, "", False), "stores": (5, 2, "the same", False)})
        self.assertEqual((two.args, two.environment), ("--variant a --op max --n 2", {}))
        self.assertEqual(two.counts, {"loads": (0, 3, "the same", False),
                                      "stores": (6, None, "", False)})
        self.assertEqual(three, ("--n 3", {"ffma": (16.5, None, "", False)}, {}))
        self.assertFalse(checklist.counted_sizes_only("a"))

    def test_a_program_without_options(self) -> None:
        write("chapters/a/checks", "[counts of these sizes only]  why\nffma 1\n")
        self.assertEqual(checklist.counts("a"), [('""', {"ffma": (1, None, "", False)}, {})])
        self.assertTrue(checklist.counted_sizes_only("a"))

    def test_one_line_for_what_is_wrong(self) -> None:
        for text, number, why in (
                ("--M 1\n", 1, "stands before the first section"),
                ("\n[size]\n", 2, "no section; there are [sizes], "),
                ("[counts]\nffma many\n", 2, "many is no number"),
                ("[counts]\n--M 1 2\nffma 1 2 3\n", 3, "3 cells in a table of 2"),
                ("[counts]\n--M 1 2\n--N 1 2 3\nffma 1 2 3\n", 2, "2 cells in a table of 3"),
                ("[counts]\nffma 1\nffma 2\n", 3, "a second row of this counter"),
                ("[counts]\nncu 1\n", 2, "ncu for a claim that is not there"),
                ("[counts]\nffma 1\nncu 2\n", 3, "a row ncu has no cause"),
                ("[counts]\nffma 1\nncu 2\n\"why\n", 4, "a row ncu has no cause"),
                ("[skipped by sanitize]\nracecheck k\n", 2, "not TOOL KERNEL REASON")):
            with self.subTest(text):
                write("chapters/a/checks", text)
                done = self.call("checklist.counts('a') or checklist.skipped('a')")
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertTrue(done.stderr.startswith(
                    f"chapters/a/checks:{number}: {why}"), done.stderr)

    def test_what_ncu_may_read(self) -> None:
        write("chapters/a/checks", '[counts]\nffma 12\nfadd 3\nncu 2\n"why"\n'
              'looks 3\nncu >=3\n"chance"\nshared_load_wavefronts 100\n'
              'shared_store_wavefronts 100\nncu >=100\n"chance"\n')
        block, = checklist.counts("a")
        right = {"ffma": 12, "fadd": 2, "looks": 9, "fmul": 1,
                 "shared_load_wavefronts": 104, "shared_store_wavefronts": 109}
        self.assertEqual(counts.differ(block, right), [])
        for name, value in (("ffma", 13), ("fadd", 3), ("looks", 2),
                            ("shared_load_wavefronts", 99),
                            ("shared_load_wavefronts", 106),
                            ("shared_store_wavefronts", 121)):
            self.assertEqual(counts.differ(block, {**right, name: value}),
                             [name])
        self.assertEqual(counts.chance(block, right),
                         ["shared_store_wavefronts"])
        self.assertEqual(counts.chance(
            block, {**right, "shared_store_wavefronts": 100}), [])


class Limits(InFolder):
    """The least time that each resource allows."""

    COUNTS = """\
[counts]
--variant a
--n                      100    200
global_load_cycles     1,000  1,500
global_load_requests      50     60
shared_load_wavefronts    10     10
global_atomic_requests     4      4
global_atomic_sectors      8      8
global_store_sectors      40     40
fadd                     320    640
sectors_per_request        4      -

--variant b --n 100
--op                max  min
global_load_cycles  100    -
global_load_sectors   -  100
"""
    RECORD = {"chapter": "x", "variant": "a", "verified": True,
              "size": {"n": 400, "op": "sum"}, "clocks_mhz": {"sm": 2000},
              "launch": {"grid": [2, 1, 1]}, "launches": [
                  {"grid": [1, 1, 1]}, {"grid": [5, 2, 1]}],
              "time_ms": {"median": 0.5},
              "limit": {"name": "read", "ratio": 0.25}}

    def test_counters_grow_along_a_line(self) -> None:
        write("chapters/x/checks", self.COUNTS)
        got = limits.at_size("x", "a", {"n": 400, "op": "sum"})
        self.assertEqual(got, {
            "global_load_cycles": 2500, "global_load_requests": 80,
            "shared_load_wavefronts": 10, "global_atomic_requests": 4,
            "global_atomic_sectors": 8, "global_store_sectors": 40,
            "fadd": 1280})
        # One block: through 0. Another operation: none.
        self.assertEqual(limits.at_size("x", "b", {"n": 400, "op": "max"}),
                         {"global_load_cycles": 400})
        self.assertEqual(limits.at_size("x", "b", {"n": 400, "op": "sum"}), {})

    def test_each_counter_goes_through_the_blocks_that_have_it(self) -> None:
        write("chapters/x/checks", """\
[counts]
--variant c
--n                    100  300  200
fadd                   100  400  250
barriers                 9    -   10
shared_load_requests     -    5    -
global_store_requests    1    1    -
""")
        # fadd by the last two, stores by the first two, barriers by the others.
        # One block of three tells what a counter is, not how it grows.
        self.assertEqual(
            limits.at_size("x", "c", {"n": 400, "op": "sum"}),
            {"fadd": 550, "global_store_requests": 1, "barriers": 12})

    def test_no_counter_of_a_chapter_is_left_out_unseen(self) -> None:
        os.chdir(ROOT)
        used = {"global_load_cycles", *limits.REQUESTS, *limits.LANES,
                *limits.SHARED}
        left = set()
        for chapter in course.chapters():
            for variant, record in course.by_variant(chapter).items():
                its = chapter, variant, record["size"]
                left |= {(chapter, variant, name)
                         for _, counted in limits.points(*its)
                         for name in used & set(counted)
                         if name not in limits.at_size(*its)}
        self.assertEqual(left, set())

    def test_least_times(self) -> None:
        write("chapters/x/checks", self.COUNTS)
        one = limits.of_record(self.RECORD)
        cycle = 1e3 / 10 / 2e9  # 10 blocks: 10 SMs work
        self.assertAlmostEqual(one["memory"], 0.125)
        self.assertAlmostEqual(one["L1"], 2510 * cycle)
        self.assertAlmostEqual(one["issue slots"],
                               (80 + 4 + 1280 / 32) / 4 * cycle)
        self.assertIsNone(one["L2 writes"])

    def test_the_l2_where_it_was_measured(self) -> None:
        write("chapters/x/checks", self.COUNTS)
        write("docs/results/t4_l2.txt",
              "NVIDIA T4: what the L2\nload     2000 GB/s\nstore    1500 GB/s\n")
        record = {**self.RECORD, "device": "NVIDIA T4"}
        self.assertAlmostEqual(limits.of_record(record)["L2 writes"],
                               48 * 32 / 1500e9 * 1e3)
        record["device"] = "NVIDIA T4G"
        self.assertIsNone(limits.of_record(record)["L2 writes"])
        # A file that a program left unfinished has no rate.
        write("docs/results/t4g_l2.txt", "NVIDIA T4G: what the L2\nload 2 GB/s\n")
        self.assertIsNone(limits.of_record(record)["L2 writes"])

    GEMM_COUNTS = """\
[counts]
--M                      256       512
--N                      256       512
--K                      256       512
global_load_cycles     8,000    64,000
global_store_requests    100       400
ffma                16777216 134217728
barriers                  33       260

--M 64 --N 68 --K 4100
global_load_cycles  7
"""
    ONE_BLOCK = """\
--M 256 --N 256 --K 256
global_load_cycles      8,000
global_store_requests     100
ffma               16,777,216
barriers                   33
"""

    def test_a_gemm_chapter_grows_by_its_tiles(self) -> None:
        write("chapters/gemm_9/checks", self.GEMM_COUNTS)

        def at(M: int, N: int, K: int, **more: int) -> dict:
            """Return the counters at a size."""
            return limits.at_size("gemm_9", None, {
                "M": M, "N": N, "K": K, "lda": K, "ldb": N, "beta": 0, **more})

        # A tile row and column more of each; barriers: 33 = 1 + 32 of K = 256.
        self.assertEqual(at(1024, 512, 2048), {
            "global_load_cycles": 8000 * 8 * 8, "global_store_requests": 800,
            "ffma": 1024 * 512 * 2048, "barriers": 8 * (1 + 8 * 32)})
        # No multiple, another row pitch, C read: what every kernel must do.
        for size in (at(1000, 512, 512), at(512, 512, 512, lda=516),
                     at(512, 512, 512, beta=1)):
            self.assertEqual(list(size), ["ffma"])
        # One block: K tells nothing of stores, and all of the rest.
        write("chapters/gemm_9/checks", "[counts]\n" + self.ONE_BLOCK)
        self.assertEqual(at(256, 256, 1024), {
            "global_load_cycles": 32000, "global_store_requests": 100,
            "ffma": 4 * 16777216, "barriers": 132})
        write("chapters/gemm_9/checks",
              "[counts of these sizes only]\n" + self.ONE_BLOCK)
        self.assertEqual(list(at(256, 256, 1024)), ["ffma"])
        self.assertEqual(len(at(256, 256, 256)), 4)

    def test_no_largest_where_the_l1_is_not_counted(self) -> None:
        """Of ragged sizes only the multiply-adds are known."""
        write("chapters/gemm_9/gemm_9.cu", "")
        write("chapters/gemm_9/checks", self.GEMM_COUNTS)
        records = [{**self.RECORD, "chapter": "gemm_9", "variant": None,
                    "device": "A GPU", "limit": None,
                    "time_ms": {"median": 0.5, "l2": "cold"},
                    "size": {"M": n, "N": n, "K": n, "lda": n, "ldb": n,
                             "beta": 0, "alpha": 1}} for n in (512, 513)]
        write(course.RESULTS, "".join(json.dumps(one) + "\n"
                                      for one in records))
        done = self.call("limits.of_chapter('gemm_9')")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\nsize +L1 .*\n512 .* issue slots 10 %\n"
                         r"513 +- .* -\n-: not counted at this size\n$")
        write(course.RESULTS, json.dumps(records[0]) + "\n")
        self.assertNotIn("-:", self.call("limits.of_chapter('gemm_9')").stdout)

    def test_what_a_new_chapter_has_not(self) -> None:
        done = self.call("limits.of_chapter('x')")
        self.assertEqual((done.returncode, done.stderr), (
            1, "limits: no recorded times of x: make bench records them on a GPU\n"))
        write("chapters/x/x.cu", "")
        record = {**self.RECORD, "device": "A GPU",
                  "time_ms": {"median": 0.5, "l2": "cold"}}
        write(course.RESULTS, json.dumps(record) + "\n")
        done = self.call("limits.of_chapter('x')")
        self.assertEqual((done.returncode, done.stderr), (
            1, "limits: chapters/x/checks counts nothing of a variant\n"))

    def run_of(self, **more: object) -> str:
        """Return what stands behind the report of a run."""
        record = {**self.RECORD, "counts": {}, **more}
        write("records", json.dumps(record) + "\n")
        done = self.call(f"limits.of_run({record['chapter']!r}, 'records')")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_behind_a_run(self) -> None:
        write("chapters/x/checks", self.COUNTS)
        text = self.run_of()
        self.assertIn("least time by resource, in ms", text)
        self.assertRegex(text, r"a +0.125 .* 0.5 +memory 25 %\n")
        # Half as many SMs: twice the cycles of each.
        one = limits.of_record({**self.RECORD, "sms": 5})
        self.assertAlmostEqual(one["L1"], 2510 * 1e3 / 5 / 2e9)
        # Nothing counted; wrong, so not timed; of the simulator: house.bats.
        self.assertIn("chapters/x/checks counts nothing for this size",
                      self.run_of(variant="z"))
        self.assertEqual(self.run_of(time_ms=None), "")
        self.assertEqual(self.run_of(verified=False), "")

    def test_tables_of_what_was_not_recorded(self) -> None:
        write("chapters/x/checks", self.COUNTS)
        for name in ("limits", "sizes"):
            self.assertIn("Not measured yet", tables.TABLES[name](["x"])[0])
        write(course.RESULTS, json.dumps({
            **self.RECORD, "device": "A GPU", "toolkit": "13.0",
            "gbytes_per_s": 3, "baseline": {"name": "L", "ratio": 15.0821},
            "time_ms": {"median": 0.625, "l2": "cold"}}))
        # Ten times the library and more: no decimals, a cell is narrow.
        self.assertEqual(tables.sizes_table(["x", "op=sum"])[2],
                         "| a | 625 us<br>1,508 %, 25.0 % |")
        self.assertIn("no record of x op=max",
                      tables.sizes_table(["x", "op=max"])[0])
        self.assertIn("no record of x.",
                      tables.variants_table(["x", "with=M"])[0])


class Course(InFolder):
    """Chapters and their kernels."""

    def test_chapters(self) -> None:
        chapters(series="b_2 b_1", patterns="a")
        write("chapters/no/other.cu", "")
        self.assertEqual(course.chapters(), ["b_2", "b_1", "a"])
        self.assertEqual(course.chapters("patterns"), ["a"])

    def test_a_program_without_options_writes_no_record(self) -> None:
        chapters(patterns="a b")
        write("chapters/b/b.cu", "int main(int argc, char **argv)\n")
        write("chapters/a/a.cu", "int main(void)\n")
        self.assertTrue(course.bare("a"))
        self.assertFalse(course.bare("b") or course.bare("none"))
        self.assertEqual(course.recorded(), ["b"])

    def test_kernels_of_a_source(self) -> None:
        text = """
// __global__ void commented(int a);
/* __global__ void
   also(int b); */
const char *s = "__global__ void quoted(int c)";
__global__ void gemm_kernel(int M)
{
}
template <int N>
__global__ void __launch_bounds__(256)
    tile(float *x)
{
}
static __global__ void __launch_bounds__((BM / TM) * (BN / TN), BLOCKS)
    both(const float *A);
__global__ __attribute__((noinline)) void named(void);
__launch_bounds__(N < 3 ? 1 : 2) __global__ void before(int);
template <> __global__ void tile<32>(float *x) { other(3); }
extern "C" __global__ void __cluster_dims__(2, 1, 1) plain(int a) {}
__global__ void
"""
        self.assertEqual(course.kernel_names(text), [
            "gemm_kernel", "tile", "both", "named", "before", "plain"])

    def test_kernels_of_every_chapter_here(self) -> None:
        os.chdir(ROOT)
        for chapter in course.chapters():
            names = course.kernels(course.sources(chapter))
            if chapter.startswith("gemm_"):
                self.assertEqual(names, ["gemm_kernel"], chapter)
            self.assertTrue(names, chapter)


PROGRAM = """#!/bin/sh
while [ "$1" != --json ]; do
    [ "$1" != --status ] || status=$2
    shift
done
echo '{RECORD}' >"$2"
exit ${status:-0}
"""


class Check(InFolder):
    """check.py against a program that says what it is told to say."""

    def test_what_fails_and_what_passes(self) -> None:
        right, wrong, plain = (
            {"verified": verified, "counts": counted} for verified, counted in (
                (True, {"ffma": 8}), (False, {"ffma": 8}), (True, {})))
        counted = "[counts]\n--M 2\nffma 8\n"
        for record, sizes, claims, status, last in (
                (right, "--M 1\n--M 2\n", counted, 0, "4 passed, 0 failed"),
                (right, "--M 1\n", counted.replace("8", "9"), 1,
                 "2 passed, 1 failed"),
                (right, "--M 1\n", counted.replace("ffma", "fadd"), 1,
                 "2 passed, 1 failed"),
                (right, "", "[counts]\n--status 5\nffma 8\n", 5,
                 "1 passed, 1 failed"),
                (wrong, "", counted, 1, "1 passed, 1 failed"),
                # Status 0 is not believed without a record.
                (wrong, "--M 1\n", "", 1, "0 passed, 1 failed"),
                # Plain mode is a skip that is seen.
                (plain, "--M 1\n", counted, 0, "2 passed, 0 failed, 1 skipped"),
                # Nothing to check is a failure.
                (plain, "\n# none\n", "", 1, "0 passed, 1 failed"),
                *((right, f"--M 1\n--status {status}\n", "", status,
                   "1 passed, 1 failed") for status in (1, 2, 3, 4, 5))):
            with self.subTest(sizes + claims):
                write("build/simulator/a", PROGRAM.replace(
                    "{RECORD}", json.dumps(record)), 0o755)
                write("chapters/a/checks", f"[sizes]\n{sizes}{claims}")
                self.check(status, last)

    def test_what_must_be_refused(self) -> None:
        write("build/simulator/a", PROGRAM.replace(
            "{RECORD}", '{"verified": true, "counts": {}}').replace(
                "while", """if [ "$1" = --refuse ]; then
    [ -z "$3" ] || echo "$3" >&2
    exit $2
fi
while""", 1), 0o755)
        for line, status, last in (
                ("--refuse 2 because", 0, "2 passed, 0 failed"),
                ("--refuse 2", 1, "1 passed, 1 failed"),
                ("--refuse 0 because", 1, "1 passed, 1 failed")):
            write("chapters/a/checks", f"[sizes]\n--M 1\n[refused]\n{line}\n")
            self.check(status, last)

    def test_too_little_memory_beside_others(self) -> None:
        write("chapters/a/checks", "[sizes]\n--M 1\n--large\n")
        for total, times, last in (
                (9, 2, "2 passed, 0 failed"),
                (9, 3, "1 passed, 0 failed, 1 skipped"),
                (8, 1, "1 passed, 0 failed, 1 skipped")):  # too small
            write("build/gpu/a", PROGRAM.replace(
                "{RECORD}", '{"verified": true, "counts": {}}').replace(
                    "while", f"""if [ "$3" = --large ]; then
    echo >>seen
    [ "$(wc -l <seen)" -gt {times} ] || {{
        echo "this size needs 9.0 GiB of GPU memory; 1.0 of {total}.0 GiB are free" >&2
        exit 2
    }}
fi
while""", 1), 0o755)
            self.check(0, last, "gpu")
            os.remove("seen")

    def check(self, status: int, last: str, end: str = "simulator") -> None:
        """Run check.py, which must end so, with this last line."""
        done = self.call("check.course.__dict__.update(PAUSES=(0, 0)) or "
                         f"check.check_all('{end}', ['a'])")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]),
                         (status, last), done.stdout + done.stderr)


class Sanitize(InFolder):
    """sanitize.py with programs and a compute-sanitizer that are scripts."""

    def sanitize(self, back_end: str, source: str, program: str, last: str,
                 said: str = "") -> None:
        """Run it on chapter a of this source: its last line, what is said.

        The program is that of the simulator, or compute-sanitizer on a GPU.
        """
        write("chapters/a/a.cu", source)
        write({"gpu": "compute-sanitizer"}.get(back_end, "build/simulator/a"),
              "#!/bin/sh\n" + program, 0o755)
        done = self.call(
            f"sanitize.sanitize(Program('build/{back_end}/a', {back_end!r}, "
            "'a', ''), [])", PATH=f"{os.getcwd()}:{os.environ['PATH']}")
        text = done.stdout + done.stderr
        self.assertIn(last, text.splitlines(), text)
        self.assertIn(said, text)
        self.assertEqual(done.returncode == 0, ", 0 failed" in last)

    def setUp(self) -> None:
        super().setUp()
        write("chapters/a/checks", "[sizes]\n--M 1\n")

    @staticmethod
    def says(kernel: str) -> str:
        """Return the end of a program whose record has one launch."""
        record = json.dumps({"launches": [{"kernel": kernel}]})
        return f"while [ $1 != --json ]; do shift; done\necho '{record}' >$2\n"

    def test_in_the_simulator(self) -> None:
        for counted, last, said in (
                ({"ffma": 0}, "3 passed, 0 failed", "  pass  order 1      --M 1\n"),
                # Plain mode is no pass.
                ({}, "0 passed, 0 failed, 3 skipped", "needs\n  clang 14")):
            launch = json.dumps({"kernel": "k", "counts": counted,
                                 "findings": []})
            self.sanitize("simulator", "__global__ void k(int M)\n",
                          f"echo '{launch}' >$SIM_REPORT\n", last, said)

    def test_what_an_order_shows(self) -> None:
        kernel = "__global__ void k(int M)\n"
        fails = "case $SIM_ORDER in 1 | 1:warps) exit 1 ;; esac\n"
        launch = json.dumps({"kernel": "k", "counts": {"ffma": 0},
                             "findings": []})
        program = f"echo '{launch}' >$SIM_REPORT\n{fails}"
        self.sanitize("simulator", kernel, program, "2 passed, 1 failed",
                      "SIM_ORDER=1:warps shows it again:\n")
        one = program.replace("1 | 1:warps", "1 | warp:3 | 1:warps")
        self.sanitize("simulator", kernel, one, "2 passed, 1 failed",
                      "SIM_ORDER=warp:3, the others as they come, shows it "
                      "again:\n")
        # Of an order that was asked for what it says is shown, and no other.
        with mock.patch.dict(os.environ, SIM_ORDER="1"):
            self.sanitize("simulator", kernel, one.replace(
                "exit 1", "echo by $SIM_ORDER; exit 1"), "0 passed, 1 failed", "by 1\n")
        with mock.patch.dict(os.environ, SIM_ORDER="7"):
            self.sanitize("simulator", kernel, program, "1 passed, 0 failed",
                          "  pass  order 7      --M 1\n")

    def test_the_kernels_named_on_a_gpu(self) -> None:
        # Fails where the filter names what is no kernel of the chapter.
        self.sanitize(
            "gpu", "__global__ void __launch_bounds__(256)\n"
            "    gemm_kernel(int M)\n{}\n__global__ void second(int M);\n",
            """case "$*" in
*"kns=gemm_kernel --kernel-regex kns=second build/gpu/a --M 1 "*) ;;
*) echo "$*"; exit 9 ;;
esac
""", "4 passed, 0 failed", "a: gemm_kernel, second\n")

    def test_rows_far_apart(self) -> None:
        write("chapters/a/checks", "[sizes]\n--M 1\n--M 1 --pad 8388608\n")
        kernel = "__global__ void k(int M);\n"
        self.sanitize("gpu", kernel, "", "4 passed, 0 failed",
                      "  skip  rows far apart (--pad): ")
        launch = json.dumps({"kernel": "k", "counts": {"ffma": 0},
                             "findings": []})
        self.sanitize("simulator", kernel, f"echo '{launch}' >$SIM_REPORT\n",
                      "6 passed, 0 failed")

    def test_kernels_that_never_ran_are_a_failure(self) -> None:
        kernel = "__global__ void k(int M);\n"
        self.sanitize("gpu", kernel, self.says("k<32>"), "4 passed, 0 failed")
        self.sanitize("gpu", kernel, self.says("library"), "0 passed, 4 failed")
        self.sanitize("gpu", "int main() {}\n", "", "sanitize: a has no kernel "
                      "to look at")

    def test_a_kernel_that_a_tool_does_not_understand(self) -> None:
        kernels = "__global__ void k(int);\n__global__ void ring(int);\n"
        program = """case "$*" in
*racecheck*kns=ring*) exit 9 ;;
*racecheck* | *kns=ring*) ;;
*) exit 9 ;;
esac
""" + self.says("(ring<1, 2>)")
        write("chapters/a/checks", "[sizes]\n--M 1\n[skipped by sanitize]\n"
              "racecheck ring it is odd\n")
        self.sanitize("gpu", kernels, program, "3 passed, 0 failed, 1 skipped",
                      "  skip  racecheck    ring: it is odd\n")

    def test_what_the_chapters_skip_is_there(self) -> None:
        os.chdir(ROOT)
        skips = [sanitize.read_skips(chapter, course.kernels(course.sources(chapter)))
                 for chapter in course.chapters()]
        self.assertTrue(any(skips))


class NoTraceback(InFolder):
    """What may happen to anybody ends in one line, or silently."""

    CHECK = "check.check_all('simulator', ['a'])"

    def one_line(self, done: subprocess.CompletedProcess, text: str) -> None:
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(text, done.stderr)

    def test_a_record_that_cannot_be_written(self) -> None:
        write("a", "#!/bin/sh\n", 0o755)
        self.one_line(self.call("profile.profile(Program('./a', 'simulator', "
                                "'a', ''), [], '/nonexistent/x')"),
                      "profile: /nonexistent/x: No such file")

    def test_a_full_disk(self) -> None:
        write("chapters/a/a.cu", "")
        write("chapters/a/checks", "")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = ran(self.command(self.CHECK), stdout=full)
        self.one_line(done, "check: output: No space left on device")

    def test_a_reader_that_has_gone(self) -> None:
        write("chapters/a/a.cu", "")
        done = ran(f"{shlex.join(self.command(self.CHECK))} | true", shell=True)
        self.assertEqual(done.stderr, "")

    def test_interrupted(self) -> None:
        # No shell: between two commands it may miss a Ctrl-C.
        write("build/simulator/a", f"#!{sys.executable} -IS\n"
              "import signal, time\n"
              "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
              "open('started', 'w').close()\ntime.sleep(60)\n", 0o755)
        write("chapters/a/a.cu", "")
        write("chapters/a/checks", "[sizes]\n--M 1\n")
        # Temporary folders are made here and must be gone.
        os.mkdir("tmp")
        child = subprocess.Popen(
            self.command(self.CHECK), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            # A shell's background jobs, and their children, ignore Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            env={**os.environ, "TMPDIR": os.path.abspath("tmp")})
        while not os.path.exists("started"):
            time.sleep(0.01)
        os.killpg(child.pid, signal.SIGINT)
        _, errors = child.communicate(timeout=20)
        self.assertEqual((child.returncode, errors), (-signal.SIGINT, ""))
        self.assertEqual(os.listdir("tmp"), [])


class Lessons(InFolder):
    """Quotes and tables."""

    PAGE = "chapters/gemm_02_b/README.md"

    def setUp(self) -> None:
        super().setUp()
        write("chapters/gemm_01_a/gemm_01_a.cu",
              "int a;\n    // [kernel]\n    int x;\n        int y;\n"
              "    // [kernel]\n")
        chapters(gemm="gemm_01_a gemm_02_b")
        for name in ("gemm_01_a", "gemm_02_b"):
            write(f"chapters/{name}/checks", "[counts]\n--M 256\nffma 8\n")

    def page(self, kind: str, words: str, *args: str) -> tuple:
        """Write a page with a marker, and run lessons.py.

        Return its status, what it says and the page.
        """
        write(self.PAGE, f"# B\n<!-- {kind} {words} -->\nold\n<!-- end{kind} -->\n"
              "end\n")
        done = lessons(*args)
        with open(self.PAGE, encoding="utf-8") as file:
            return done.returncode, done.stderr, file.read()

    def test_output_of_commands(self) -> None:
        waits = "echo 'this takes about 11 s: 4 launches of 3 s each in the " \
            "simulator'"
        for commands in (f"echo a\n{waits}\necho b",
                         "echo a; ! false; false | cat\necho b >&2"):
            self.assertEqual(outputs.shell(commands), ["a", "b"])
        for commands, why in [("true", "print nothing"), ("false", "status 1"),
                              ("make nonsense | cat", ""),
                              ("for i in 1 2; do cat nowhere; done\necho b",
                               "status 1: cat: nowhere: No such")]:
            with self.assertRaisesRegex(outputs.Stale, why):
                outputs.shell(commands)

    def test_lines_of_a_file(self) -> None:
        write("a.txt", "one\n  two\nthree\nfour\n")
        self.assertEqual(outputs.lines("file", "a.txt", "from=tw", "to=th"),
                         ["  two", "three"])
        with self.assertRaises(outputs.Stale):
            outputs.lines("nonsense")

    def test_a_mutant_that_does_not_fit_its_chapter(self) -> None:
        write("chapters/vector_add/vector_add.cu", "int main() {}\n")
        os.mkdir("tests")
        os.symlink(f"{ROOT}/tests/changes", "tests/changes")
        for name in ("vector_add/nonsense", "nonsense/no_guard"):
            with self.assertRaisesRegex(outputs.Stale, "no mutant"):
                outputs.lines("mutant", name)

    def test_snippet_without_its_indent(self) -> None:
        snippet = "../gemm_01_a/gemm_01_a.cu kernel"
        status, _, text = self.page("snippet", snippet)
        self.assertEqual(status, 0)
        self.assertIn("-->\n```cuda\nint x;\n    int y;\n```\n<!-- end", text)
        self.assertTrue(text.endswith("\nend\n"))
        self.assertEqual(lessons("--check").returncode, 0)

    def test_pages_that_are_refused(self) -> None:
        for kind, words, args, said in (
                ("snippet", "../gemm_01_a/gemm_01_a.cu kernel", ["--check"],
                 "stale"),
                ("snippet", "gemm_02_b.cu launch", ["--check"],
                 "0 markers [launch]"),
                ("table", "counts gemm_02_b rows=stores", [],
                 "stores is not counted in its checks"),
                ("output", "sh make -s nonsense | cat", [],
                 "| cat: make: *** No rule"),
                ("output", "nonsense", [], "no such output; there are sh")):
            status, errors, text = self.page(kind, words, *args)
            self.assertEqual(status, 1, errors)
            self.assertIn(f"{self.PAGE}:2: ", errors)
            self.assertIn(said, errors)
            self.assertIn("old", text)
        done = lessons("nope.md")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "lessons: nope.md: no such file\n"))

    def test_the_chapter_before(self) -> None:
        self.assertEqual(course.before("gemm_02_b"), "gemm_01_a")
        self.assertIsNone(course.before("gemm_01_a"))
        self.assertIsNone(course.before("scan"))


class Pictures(InFolder):
    """The drawings of a chapter."""

    def setUp(self) -> None:
        super().setUp()
        write("chapters/a/README.md", "# A\n![1 < 2](pictures/point.svg)\n")

    def renew(self, check: bool = False, words: str = "1 < 2") -> str:
        """Draw one picture; return what was wrong."""
        write("chapters/a/pictures/draw.py", f'''
from tools.author.svg import Picture, picture

@picture("One lane")
def point(p: Picture) -> None:
    """A lane & its word."""
    p.box(0, 40, 80, 40, "lane", "{words}")
    p.box(80, 40, 60, 40, "stripes")
''')
        with contextlib.redirect_stdout(io.StringIO()):
            return " ".join(picture.wrong("chapters/a/pictures",
                                          picture.titles(), check))

    def test_what_is_stale_is_named(self) -> None:
        self.renew()
        self.assertNotIn("is stale", self.renew(check=True))
        write("chapters/a/pictures/point.svg", "<svg/>")
        self.assertIn("chapters/a/pictures/point.svg is stale",
                      self.renew(check=True))

    def test_the_lesson_shows_it_and_says_its_numbers(self) -> None:
        self.assertEqual(self.renew(), "chapters/a/README.md shows 1 pictures, "
                         "fewer than 2")
        self.assertIn("point.svg: its page says 2, it does not",
                      self.renew(words="1 < 3"))
        write("chapters/a/README.md", "# A\n")
        self.assertIn("point.svg: no page shows it", self.renew())

    def test_a_png_is_compared_by_its_pixels(self) -> None:
        def stale(width: int, channels: int, samples: bytes,
                  check: bool = True) -> bool:
            return picture.stale("a.png", photos.png(
                photos.Pixels(width, channels, samples)), check)

        pack = zlib.compress
        with mock.patch.object(zlib, "compress", lambda data, _: pack(data, 0)), \
                contextlib.redirect_stdout(io.StringIO()):
            stale(2, 3, bytes(range(12)), check=False)
        self.assertFalse(stale(2, 3, bytes(range(12))))
        for other in ((2, 3, bytes(range(1, 13))), (6, 1, bytes(range(12))),
                      (2, 3, bytes(range(6)))):
            self.assertTrue(stale(*other))

    def test_words_that_cannot_be_read_are_refused(self) -> None:
        p = svg.Picture("a", "", "")
        for x, words, size, anchor in (
                (0, "small", 17, "start"), (-2, "left", 18, "start"),
                (700, "right", 18, "start"), (10, "left", 18, "end"),
                (10, "left", 18, "middle"), (710, "right", 18, "middle")):
            with self.assertRaises(AssertionError):
                p.text(x, 50, words, size, anchor)
        with self.assertRaises(AssertionError):
            p.box(0, 0, 20, 20, "lane", "wide")
        p.box(0, 0, 200, 40, "hatch", "plain ground")
        self.assertIn('M3 3h194v34h-194z', p.svg())


class TestGpu(unittest.TestCase):
    """make test-gpu, where there is no GPU."""

    def test_a_part_that_is_none(self) -> None:
        done = ran([sys.executable, "-B", f"{ROOT}/tests/gpu/run", "chapters",
                    "nonsense"])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(
            done.stderr, "nonsense: no such part; there are: chapters programs "
            "machine sanitizer clocks counters law bits speed grading\n")


class Grader(unittest.TestCase):
    """What a learner is told."""

    def test_why_nothing_was_built(self) -> None:
        ends = "make[1]: *** [tools/build.mk:195: x.o] Error 1\n"
        for text, told in (("a.cu:1: error: no\n" + ends, "a.cu:1: error: no"),
                           ("\n" + ends, ends.strip()), ("", "")):
            self.assertEqual(grader.compiler_said(text), told)

    def test_the_copy_engine_stores_too(self) -> None:
        for counted, written in (({"global_store_requests": 0}, False),
                                 ({"bulk_store_bytes": 16}, True)):
            self.assertEqual(grader.has_written({"counts": counted}), written)


class Profile(InFolder):
    """Kernels by name, lines by cost."""

    LINES = [
        {"file": "a.cu", "line": 2, "column": 12, "space": "global",
         "op": "load", "bytes": 4, "requests": 10, "lanes": 320,
         "sectors": 320, "ideal": 40, "min": 32, "max": 32},
        {"file": "a.cu", "line": 2, "column": 19, "space": "global",
         "op": "load", "bytes": 4, "requests": 10, "lanes": 320,
         "sectors": 10, "ideal": 10, "min": 1, "max": 1}]

    def launch(self, kernel: str, **more) -> dict:
        """Return what SIM_REPORT says of a launch."""
        return {"kernel": kernel, "grid": [1, 1, 1], "block": [32, 1, 1],
                "counts": {"global_load_requests": 20,
                           "global_load_sectors": 330,
                           "global_load_sectors_per_request": 16.5,
                           "ffma": 32, "fadd": 0}, "range": 0,
                "findings": [], "lines": self.LINES, **more}

    def profile(self, launches: list, records: list, path: str = "",
                source: str = "") -> str:
        """Profile a program that reports these."""
        write("a.cu", "int i;\n    sum += a[k] * b[k]; // both\n")
        report = "\n".join(map(json.dumps, launches))
        said = "\n".join(map(json.dumps, records))
        write("a", f"#!/bin/sh\ncat >$SIM_REPORT <<'END'\n{report}\nEND\n"
              "while [ $# != 0 ]; do\n[ $1 != --json ] || cat >$2 <<'END'\n"
              f"{said}\nEND\nshift\ndone\n", 0o755)
        chapter = "" if source else "a"
        done = self.call(f"profile.profile(Program('./a', 'simulator', "
                         f"{chapter!r}, {source!r}), [], {path!r})")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        return done.stdout

    def test_line_table(self) -> None:
        launch = self.launch("k", range=1)
        # What lies outside the range that the program marks is not counted.
        text = self.profile([self.launch("other"), launch],
                            [{"variant": None, "counts": launch["counts"]}])
        self.assertEqual(text.splitlines()[0], "k, grid 1, block 32")
        self.assertRegex(text, r"2 a\[k\] \* b\[k\]; +global load +10 +32\.00"
                         r" +4\.00 +97 %")
        self.assertRegex(text, r"2 b\[k\]; +global load +10 +1\.00 +1\.00 +3 %")
        self.assertRegex(text, r"ffma +32\n0: fadd")

    def test_a_program_of_ones_own(self) -> None:
        small = self.launch("k", grid=[2, 3, 1])
        small["counts"] = {**small["counts"], "global_load_sectors": 30,
                           "global_load_sectors_per_request": 1.5}
        text = self.profile([self.launch("k"), self.launch("other"), small],
                            [], source="a.cu")
        self.assertIn("k: 2 launches\n  k, grid 1, block 32\n"
                      "  k, grid 2 x 3, block 32\n", text)
        self.assertIn("other: 1 launch\n", text)
        # Sums, and a ratio of sums: 360 sectors, 40 requests.
        self.assertRegex(text, r"global_load_sectors +360\n"
                         r"global_load_sectors_per_request +9\n")
        # What the program marks, and no more.
        text = self.profile([self.launch("k", range=1), self.launch("other")],
                            [], source="a.cu")
        self.assertNotIn("other", text)

    def test_lines_of_a_function_by_caller_and_array(self) -> None:
        line = {**self.LINES[0], "callers": "a.cu:1:1", "array": "As"}
        other = {**line, "callers": "a.cu:2:5 <- a.cu:1:1", "array": "B"}
        launch = self.launch("k", range=1, lines=[line, other])
        text = self.profile([launch], [{"variant": None, "counts": {}}])
        self.assertRegex(text, r"2 a\[k\] \* b\[k\]; +As +global load .*\n"
                         r"      called at 1: int i;\n")
        self.assertRegex(text, r" B +global load .*\n      called at 2: sum .*\n"
                         r"      called at 1: int i;\n")

    def test_every_metric_has_a_meaning(self) -> None:
        for name, metric in metrics.METRICS.items():
            self.assertTrue(metric.meaning, name)
            for part in metric.parts:
                self.assertNotIn("per_requests", part)


if __name__ == "__main__":
    sys.exit(run_unittests(__name__))
