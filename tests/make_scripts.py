#!/usr/bin/env python3
"""Tests of the Python scripts behind make, on made-up chapters.

Each test runs in an empty folder of its own. Ends with `N passed, N failed`.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
MAKE = os.path.join(ROOT, "common", "make")
sys.path.insert(0, MAKE)

import asm  # noqa: E402
import check  # noqa: E402
import counts  # noqa: E402
import course  # noqa: E402
import lessons  # noqa: E402
import metrics  # noqa: E402


def write(path: str, text: str, mode: int = 0o644) -> None:
    """Make a file and its folders."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


class InFolder(unittest.TestCase):
    """A test with an empty working directory."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def script(self, name: str, *args: str) -> subprocess.CompletedProcess:
        """Run a script of common/make."""
        return subprocess.run(
            [sys.executable, "-B", os.path.join(MAKE, name), *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Counts(InFolder):
    """The file counts."""

    def test_blocks_causes_and_comments(self) -> None:
        write("chapters/a/counts", "# remark\nargs: --M 1\nffma 12\n\n"
              'loads 4 ncu=2.5 "nvcc fuses"\nargs: --M 2\nffma 16.5\n')
        one, two = counts.read("a")
        self.assertEqual(one.args, "--M 1")
        self.assertEqual(one.counts["ffma"], (12, None, ""))
        self.assertEqual(one.counts["loads"], (4, 2.5, "nvcc fuses"))
        self.assertEqual(two.counts["ffma"].value, 16.5)

    def test_refuses_what_is_no_count(self) -> None:
        for text in ("ffma 12\n", "args: x\nffma many\n",
                     "args: x\nffma 12 ncu=3\n", "args: x\nffma 1 2\n"):
            write("chapters/a/counts", text)
            with self.assertRaises(SystemExit):
                counts.read("a")

    def test_numbers_for_people(self) -> None:
        self.assertEqual(counts.show(17301504), "17,301,504")
        self.assertEqual(counts.show(16.5), "16.5")
        self.assertEqual(counts.show(None), "-")


class Course(InFolder):
    """Chapters and their kernels."""

    def test_chapters(self) -> None:
        write("chapters/b/b.cu", "")
        write("chapters/a_1/a_1.cu", "")
        write("chapters/no/other.cu", "")
        self.assertEqual(course.chapters(), ["a_1", "b"])

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

    def test_check_args(self) -> None:
        write("chapters/a/check.args", "# first\n--M 1  # small\n\n--M 2\n")
        self.assertEqual(course.check_args("a"), ["--M 1", "--M 2"])
        self.assertEqual(course.check_args("b"), [])


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

    def chapter(self, record: dict, args: str, claims: str) -> None:
        """Make chapter a."""
        write("build/simulator/a",
              PROGRAM.replace("{RECORD}", json.dumps(record)), 0o755)
        write("chapters/a/check.args", args)
        write("chapters/a/counts", claims)

    def test_a_wrong_result_in_a_counts_run_fails(self) -> None:
        self.chapter({"verified": False, "counts": {"ffma": 8}}, "",
                     "args: --M 2\nffma 8\n")
        self.assertEqual(self.last(1), "1 passed, 1 failed")

    def test_a_status_of_a_counts_run_is_handed_on(self) -> None:
        self.chapter({"verified": True, "counts": {"ffma": 8}}, "",
                     "args: --status 5\nffma 8\n")
        self.assertEqual(self.last(5), "1 passed, 1 failed")

    def last(self, expected: int) -> str:
        """Run check.py; return its last line."""
        done = self.script("check.py", "simulator", "", "a")
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return done.stdout.splitlines()[-1]

    def test_all_pass(self) -> None:
        self.chapter({"verified": True, "counts": {"ffma": 8}},
                     "--M 1\n--M 2\n", "args: --M 2\nffma 8\n")
        self.assertEqual(self.last(0), "4 passed, 0 failed")

    def test_one_count_off_by_one(self) -> None:
        self.chapter({"verified": True, "counts": {"ffma": 9}},
                     "--M 1\n", "args: --M 2\nffma 8\n")
        self.assertEqual(self.last(1), "2 passed, 1 failed")

    def test_a_counter_that_is_not_there(self) -> None:
        self.chapter({"verified": True, "counts": {"fadd": 9}},
                     "--M 1\n", "args: --M 2\nffma 8\n")
        self.assertEqual(self.last(1), "2 passed, 1 failed")

    def test_status_0_is_not_believed_without_a_record(self) -> None:
        self.chapter({"verified": False, "counts": {}}, "--M 1\n", "")
        self.assertEqual(self.last(1), "0 passed, 1 failed")

    def test_statuses_are_handed_on(self) -> None:
        for status in (1, 2, 3, 4, 5):
            self.chapter({"verified": True, "counts": {}},
                         f"--M 1\n--status {status}\n", "")
            self.assertEqual(self.last(status), "1 passed, 1 failed")

    def test_plain_mode_is_a_visible_skip(self) -> None:
        self.chapter({"verified": True, "counts": {}},
                     "--M 1\n", "args: --M 2\nffma 8\n")
        self.assertEqual(self.last(0), "2 passed, 0 failed, 1 skipped")

    def test_nothing_to_check_fails(self) -> None:
        self.chapter({"verified": True, "counts": {}}, "\n# none\n", "")
        self.assertEqual(self.last(1), "0 passed, 1 failed")


class Sanitize(InFolder):
    """sanitize.py with programs and a compute-sanitizer that are scripts."""

    def sanitize(self, back_end: str) -> subprocess.CompletedProcess:
        """Run it on chapter a."""
        os.environ["sanitizer"] = os.path.abspath("sanitizer")
        self.addCleanup(os.environ.pop, "sanitizer")
        return self.script("sanitize.py", back_end, "a")

    def chapter(self, launch: str) -> None:
        """Make chapter a, whose run in the simulator reports a launch."""
        write("chapters/a/a.cu", "__global__ void k(int M)\n")
        write("chapters/a/check.args", "--M 1\n--M 2\n")
        write("build/simulator/a",
              f"#!/bin/sh\necho '{launch}' >$SIM_REPORT\n", 0o755)

    def test_plain_mode_is_no_pass(self) -> None:
        self.chapter('{"kernel": "k", "counts": {}, "findings": []}')
        done = self.sanitize("simulator")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("pass ", done.stdout)
        self.assertIn("needs\n  clang 14", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1],
                         "0 passed, 0 failed, 2 skipped")

    def test_a_search_that_was_made_passes(self) -> None:
        self.chapter('{"kernel": "k", "counts": {"ffma": 0}, "findings": []}')
        done = self.sanitize("simulator")
        self.assertIn("kernels: k\n", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "2 passed, 0 failed")

    def test_the_kernels_named_on_a_gpu(self) -> None:
        write("chapters/a/a.cu", "__global__ void __launch_bounds__(256)\n"
              "    gemm_kernel(int M)\n{}\n__global__ void second(int M);\n")
        write("chapters/a/check.args", "--M 1\n")
        # Fails where the filter names what is no kernel of the chapter.
        write("sanitizer", """#!/bin/sh
case "$*" in
*"kns=gemm_kernel --kernel-regex kns=second build/gpu/a --M 1 "*) ;;
*) echo "$*"; exit 9 ;;
esac
""", 0o755)
        done = self.sanitize("gpu")
        self.assertEqual(done.stdout.splitlines()[-1], "4 passed, 0 failed",
                         done.stdout + done.stderr)
        self.assertIn("kernels: gemm_kernel, second\n", done.stdout)

    def test_no_kernel_is_a_failure(self) -> None:
        write("chapters/a/a.cu", "int main() {}\n")
        write("chapters/a/check.args", "--M 1\n")
        done = self.sanitize("gpu")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no kernel", done.stderr)


class Lessons(InFolder):
    """Quotes and tables."""

    def setUp(self) -> None:
        super().setUp()
        write("chapters/gemm_01_a/gemm_01_a.cu",
              "int a;\n    // [kernel]\n    int x;\n        int y;\n"
              "    // [kernel]\n")
        write("chapters/gemm_02_b/gemm_02_b.cu", "int b;\n")
        write("chapters/gemm_01_a/counts", "args: --M 256\nffma 8\nloads 32\n")
        write("chapters/gemm_02_b/counts",
              'args: --M 256\nffma 8\nloads 16 ncu=4 "four become one"\n')

    def quote(self, marker: str, kind: str = "snippet") -> str:
        """Return what lessons.py makes of one marker in gemm_02's lesson."""
        path = "chapters/gemm_02_b/README.md"
        write(path, f"# B\n<!-- {marker} -->\nold\n<!-- end{kind} -->\nend\n")
        done = self.script("lessons.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.script("lessons.py", "--check").returncode, 0)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_snippet_without_its_indent(self) -> None:
        text = self.quote("snippet ../gemm_01_a/gemm_01_a.cu kernel")
        self.assertIn("-->\n```cuda\nint x;\n    int y;\n```\n<!-- end", text)
        self.assertTrue(text.endswith("\nend\n"))

    def test_a_stale_quote_is_named(self) -> None:
        self.quote("snippet ../gemm_01_a/gemm_01_a.cu kernel")
        write("chapters/gemm_01_a/gemm_01_a.cu",
              "// [kernel]\nint z;\n// [kernel]\n")
        done = self.script("lessons.py", "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("chapters/gemm_02_b/README.md:2: stale", done.stderr)

    def test_a_missing_marker_fails(self) -> None:
        write("chapters/gemm_01_a/README.md",
              "<!-- snippet gemm_01_a.cu launch -->\n<!-- endsnippet -->\n")
        done = self.script("lessons.py", "--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("README.md:1:", done.stderr)
        self.assertIn("0 markers [launch]", done.stderr)

    def test_counts_table(self) -> None:
        write(lessons.NCU, json.dumps({
            "chapter": "gemm_02_b", "args": "--M 256", "counts": {"loads": 4},
        }) + "\n")
        text = self.quote("table counts gemm_02_b\npredict loads 2 x 8\n",
                          "table")
        self.assertIn("| counter | predicted | gemm_01 | gemm_02 | Nsight", text)
        self.assertIn("| `loads` | 2 x 8 | 32 | 16 | 4 |", text)
        self.assertIn("`loads`: four become one.", text)

    def test_a_prediction_must_name_a_count(self) -> None:
        write("chapters/gemm_02_b/README.md",
              "<!-- table counts gemm_02_b\npredict stores 3\n-->\n"
              "<!-- endtable -->\n")
        done = self.script("lessons.py")
        self.assertIn("stores is not in the file counts", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_results_and_ladder(self) -> None:
        def record(chapter: str, ms: float) -> str:
            return json.dumps({
                "chapter": chapter, "verified": True, "device": "X", "driver":
                "1", "toolkit": "13.0", "gflops": 137439 / ms,
                "size": {"M": 4096, "N": 4096, "K": 4096, "alpha": 1,
                         "beta": 0},
                "time_ms": {"min": ms, "median": ms, "max": ms, "repeats": 20,
                            "l2": "cold"},
                "baseline": {"name": "cuBLAS", "time_ms": 2.0,
                             "ratio": 2.0 / ms}}) + "\n"

        write(lessons.RESULTS, record("gemm_01_a", 200) +
              record("gemm_02_b", 30) + record("gemm_02_b", 20))
        text = self.quote("table results gemm_02_b", "table")
        self.assertIn("| 4096 x 4096 x 4096 | 20.0 | 6.87 | 200 | 10.00x | 2 |"
                      " 10.0 % |", text)
        text = self.quote("table ladder", "table")
        self.assertIn("| [gemm_02_b](chapters/gemm_02_b/README.md) | B | 20.0 |"
                      " 6.87 | 10.0 % |", text)

    def test_the_chapter_before(self) -> None:
        self.assertEqual(lessons.before("gemm_02_b"), "gemm_01_a")
        self.assertIsNone(lessons.before("gemm_01_a"))
        self.assertIsNone(lessons.before("scan"))


class Asm(InFolder):
    """The inner loop of a listing."""

    PTX = ("$L__BB0_1:\n\tadd.s32 a;\n$L__BB0_2:\n\tld.global.f32 b;\n"
           "\tfma.rn.f32 c;\n\tfma.rn.f32 d;\n\t@%p1 bra \t$L__BB0_2;\n"
           "$L__BB0_3:\n\tfma.rn.f32 e;\n\t@%p2 bra \t$L__BB0_3;\n"
           "\t@%p3 bra \t$L__BB0_1;\n\tbra.uni \t$L__BB0_9;\n\tret;\n")

    def test_most_multiply_adds_and_no_loop_inside(self) -> None:
        write("x.ptx", self.PTX)
        loop = asm.ptx_loop("x.ptx")
        self.assertEqual(loop[0], "$L__BB0_2:")
        self.assertEqual(len(loop), 5)

    def test_no_loop(self) -> None:
        write("x.ptx", "\tfma.rn.f32 c;\n\tret;\n")
        self.assertEqual(asm.ptx_loop("x.ptx"), [])

    def test_sass(self) -> None:
        write("dump", "#!/bin/sh\ncat <<'END'\n"
              "        /*0010*/                   MOV R1, R2 ;  /* 0x0 */\n"
              "        /*0020*/                   FFMA R1, R2, R3, R1 ;\n"
              "        /*0030*/               @P0 BRA 0x20 ;\nEND\n", 0o755)
        self.assertEqual(asm.sass_loop("./dump", ""), [
            "0020  FFMA R1, R2, R3, R1 ;", "0030  @P0 BRA 0x20 ;"])


class Profile(InFolder):
    """Kernels by name, lines by cost."""


    def test_line_table(self) -> None:
        write("a.cu", "int i;\n    sum += a[k] * b[k]; // both\n")
        launch = {"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1],
                  "counts": {"ffma": 32, "fadd": 0}, "findings": [],
                  "lines": [
                      {"file": "a.cu", "line": 2, "column": 12, "space":
                       "global", "op": "load", "bytes": 4, "requests": 10,
                       "lanes": 320, "sectors": 320, "ideal": 40},
                      {"file": "a.cu", "line": 2, "column": 19, "space":
                       "global", "op": "load", "bytes": 4, "requests": 10,
                       "lanes": 320, "sectors": 10, "ideal": 10}]}
        write("chapters/a/a.cu", "__global__ void k(int M)\n")
        write("build/simulator/a", "#!/bin/sh\ncat >$SIM_REPORT <<'END'\n"
              + json.dumps(launch) + "\nEND\n", 0o755)
        done = self.script("profile.py", "simulator", "a")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout
        self.assertRegex(text, r"2 a\[k\] \* b\[k\]; +global load +10 +32\.00"
                         r" +4\.00 +97 %")
        self.assertRegex(text, r"2 b\[k\]; +global load +10 +1\.00 +1\.00 +3 %")
        self.assertRegex(text, r"ffma +32\n0: fadd")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_every_metric_has_a_meaning(self) -> None:
        for name, metric in metrics.METRICS.items():
            self.assertTrue(metric.meaning, name)
            for part in metric.parts:
                self.assertNotIn("per_requests", part)


def main() -> int:
    """Run all; print failures and the last line."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(
        sys.modules[__name__])
    result = unittest.TextTestRunner(sys.stdout, verbosity=0).run(suite)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
