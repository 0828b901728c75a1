"""The file checks of a chapter; make check and make sanitize, which run its lines."""

import json
import os
import signal
import subprocess
import time
from typing import Callable

import pytest

from tools import check, checklist, counts, course, sanitize

from ..conftest import ROOT, House

CHECKS = "chapters/a/checks"


# ---- what it says ------------------------------------------------------------


def test_sections_and_what_a_variant_takes_of_them(house: House) -> None:
    house.write(CHECKS, "# a\n[sizes]  must pass\n# first\n--n 1  # small\n\n"
                "--variant x --n 2\n--n 3\n[refused]\n--n 9\n"
                "[skipped by sanitize]\nracecheck k it is odd\n")
    assert checklist.sizes("a") == ["--n 1", "--variant x --n 2", "--n 3"]
    assert checklist.sizes("a", "refused") == ["--n 9"]
    assert checklist.sizes("a", "timed") == checklist.sizes("b") == []
    assert checklist.skipped("a") == {("racecheck", "k"): "it is odd"}
    assert checklist.sizes("a", variant="x") == [
        "--variant x --n 1", "--variant x --n 2", "--variant x --n 3"]
    assert checklist.sizes("a", variant="y") == ["--variant y --n 1",
                                                 "--variant y --n 3"]


def test_tables_of_counts(house: House) -> None:
    house.write(CHECKS, """\
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
    assert (one.args, one.environment) == ("--variant a --op max --n 1",
                                           {"SIM_THREADS": "1"})
    assert one.counts == {
        "ffma": (12000, 9.5, "chance, in a cause of two lines", True),
        "loads": (4, None, "", False), "stores": (5, 2, "the same", False)}
    assert two == ("--variant a --op max --n 2", {
        "loads": (0, 3, "the same", False), "stores": (6, None, "", False)}, {})
    assert three == ("--n 3", {"ffma": (16.5, None, "", False)}, {})
    assert not checklist.counted_sizes_only("a")
    house.write(CHECKS, "[counts of these sizes only]  why\nffma 1\n")
    assert checklist.counts("a") == [('""', {"ffma": (1, None, "", False)}, {})]
    assert checklist.counted_sizes_only("a")


@pytest.mark.parametrize("text, number, why", [
    ("--M 1\n", 1, "stands before the first section"),
    ("\n[size]\n", 2, "no section; there are [sizes], "),
    ("[counts]\nffma many\n", 2, "many is no number"),
    ("[counts]\n--M 1 2\nffma 1 2 3\n", 3, "3 cells in a table of 2"),
    ("[counts]\n--M 1 2\n--N 1 2 3\nffma 1 2 3\n", 2, "2 cells in a table of 3"),
    ("[counts]\nffma 1\nffma 2\n", 3, "a second row of this counter"),
    ("[counts]\nncu 1\n", 2, "ncu for a claim that is not there"),
    ("[counts]\nffma 1\nncu 2\n", 3, "a row ncu has no cause"),
    ('[counts]\nffma 1\nncu 2\n"why\n', 4, "a row ncu has no cause"),
    ("[skipped by sanitize]\nracecheck k\n", 2, "not TOOL KERNEL REASON")])
def test_what_is_wrong_is_one_line(house: House, call: Callable, text: str,
                                   number: int, why: str) -> None:
    house.write(CHECKS, text)
    said = call(lambda: checklist.counts("a") or checklist.skipped("a"), wanted=2)
    line, = said.lines
    assert line.startswith(f"{CHECKS}:{number}: {why}")


def test_what_ncu_may_read(house: House) -> None:
    house.write(CHECKS, '[counts]\nffma 12\nfadd 3\nncu 2\n"why"\nlooks 3\n'
                'ncu >=3\n"chance"\nshared_load_wavefronts 100\n'
                'shared_store_wavefronts 100\nncu >=100\n"chance"\n')
    block, = checklist.counts("a")
    right = {"ffma": 12, "fadd": 2, "looks": 9, "fmul": 1,
             "shared_load_wavefronts": 104, "shared_store_wavefronts": 109}
    assert counts.differ(block, right) == []
    for name, value in (("ffma", 13), ("fadd", 3), ("looks", 2),
                        ("shared_load_wavefronts", 99),
                        ("shared_load_wavefronts", 106),
                        ("shared_store_wavefronts", 121)):
        assert counts.differ(block, {**right, name: value}) == [name]
    assert counts.chance(block, right) == ["shared_store_wavefronts"]
    assert counts.chance(block, {**right, "shared_store_wavefronts": 100}) == []


# ---- make check --------------------------------------------------------------


RIGHT, WRONG, PLAIN = (
    json.dumps({"verified": verified, "counts": counted}) for verified, counted in (
        (True, {"ffma": 8}), (False, {"ffma": 8}), (True, {})))
COUNTED = "[counts]\n--M 2\nffma 8\n"
# A program that ends as --status N, or --refuse N WHY, says. Of others a record.
PROGRAM = """[ $1 != --refuse ] || { [ -z "$3" ] || echo "$3" >&2; exit $2; }
while [ "$1" != --json ]; do
    [ "$1" != --status ] || status=$2
    shift
done
echo '%s' >"$2"
exit ${status:-0}"""


@pytest.mark.parametrize("record, checks, status, last", [
    (RIGHT, "--M 1\n--M 2\n" + COUNTED, 0, "4 passed, 0 failed"),
    (RIGHT, "--M 1\n" + COUNTED.replace("8", "9"), 1, "2 passed, 1 failed"),
    (RIGHT, "--M 1\n" + COUNTED.replace("ffma", "fadd"), 1, "2 passed, 1 failed"),
    (RIGHT, "[counts]\n--status 5\nffma 8\n", 5, "1 passed, 1 failed"),
    (WRONG, COUNTED, 1, "1 passed, 1 failed"),
    # Status 0 is not believed without a record.
    (WRONG, "--M 1\n", 1, "0 passed, 1 failed"),
    # Of several variants it must be said whose counts they are.
    (f"{RIGHT}\n{RIGHT}", COUNTED, 1, "1 passed, 1 failed"),
    # What was not counted has failed.
    (PLAIN, "--M 1\n" + COUNTED, 1, "2 passed, 1 failed"),
    # Nothing to check is a failure.
    (PLAIN, "\n# none\n", 1, "0 passed, 1 failed"),
    *((RIGHT, f"--M 1\n--status {status}\n", status, "1 passed, 1 failed")
      for status in (1, 2, 3, 4, 5)),
    (PLAIN, "[refused]\n--refuse 2 because\n", 0, "1 passed, 0 failed"),
    (PLAIN, "[refused]\n--refuse 2\n", 1, "0 passed, 1 failed"),
    (PLAIN, "[refused]\n--refuse 0 because\n", 1, "0 passed, 1 failed")])
def test_check(house: House, call: Callable, record: str, checks: str, status: int,
               last: str) -> None:
    house.tool("build/simulator/a", PROGRAM % record)
    house.write(CHECKS, "[sizes]\n" + checks)
    said = call(check.check_all, "simulator", ["a"], wanted=status)
    assert said.lines[-1] == last


@pytest.mark.parametrize("gib, runs, last", [
    (9, 2, "2 passed, 0 failed"), (9, 3, "1 passed, 0 failed, 1 skipped"),
    (8, 1, "1 passed, 0 failed, 1 skipped")])  # a GPU that is too small
def test_too_little_memory_beside_others(
        house: House, call: Callable, monkeypatch: pytest.MonkeyPatch, gib: int,
        runs: int, last: str) -> None:
    """It is tried again, here twice, if the whole memory is enough."""
    monkeypatch.setattr(course, "PAUSES", (0, 0))
    house.write(CHECKS, "[sizes]\n--M 1\n--large\n")
    house.tool("build/gpu/a", f"""if [ "$3" = --large ]; then
    echo >>seen
    [ "$(wc -l <seen)" -gt {runs} ] || {{
        echo "this size needs 9.0 GiB of GPU memory; 1.0 of {gib}.0 GiB are free" >&2
        exit 2
    }}
fi
""" + PROGRAM % PLAIN)
    assert call(check.check_all, "gpu", ["a"]).lines[-1] == last


# ---- make sanitize -----------------------------------------------------------


KERNEL = "__global__ void k(int M);\n"
RING = KERNEL + "__global__ void ring(int);\n"
# The kernels with attributes are named to compute-sanitizer, no others.
TWO = ("__global__ void __launch_bounds__(256)\n    gemm_kernel(int M)\n{}\n"
       "__global__ void second(int M);\n")
NAMED = ('case "$*" in *"kns=gemm_kernel --kernel-regex kns=second build/gpu/a '
         '--M 1 "*) ;; *) exit 9 ;; esac')
ODD = ('case "$*" in *racecheck*kns=ring*) exit 9 ;; *racecheck* | *kns=ring*) ;; '
       '*) exit 9 ;; esac\n')
FAILS = "case $SIM_ORDER in 1 | %s1:warps) echo by $SIM_ORDER; exit 1 ;; esac"
ONE = FAILS % "warp:3 | "


def launch(**counted: int) -> str:
    """Return a line for a program of the simulator: a launch that it reports."""
    report = {"kernel": "k", "counts": counted, "findings": []}
    return f"echo '{json.dumps(report)}' >$SIM_REPORT\n"


def launched(kernel: str) -> str:
    """Return lines for a program whose record has one launch."""
    record = json.dumps({"launches": [{"kernel": kernel}]})
    return f"while [ $1 != --json ]; do shift; done\necho '{record}' >$2"


@pytest.mark.parametrize("end, order, source, program, status, last, said", [
    ("simulator", "", KERNEL, launch(ffma=0), 0, "1 passed, 0 failed",
     "a: k\neach run in 3 orders of blocks and threads: CUDA promises none\n  pass  --M 1\n"),
    # Plain mode is no pass.
    ("simulator", "", KERNEL, launch(), 1, "0 passed, 1 failed", "that needs clang 14"),
    ("simulator", "", KERNEL, launch(ffma=0) + FAILS % "", 1, "0 passed, 1 failed",
     "SIM_ORDER=1:warps shows it again:\n"),
    ("simulator", "", KERNEL, launch(ffma=0) + ONE, 1, "0 passed, 1 failed",
     "SIM_ORDER=warp:3, the others as they come, shows it again:\n"),
    # An order that was asked for, and no other.
    ("simulator", "1", KERNEL, launch(ffma=0) + ONE, 1, "0 passed, 1 failed", "by 1\n"),
    ("simulator", "7", KERNEL, launch(ffma=0) + ONE, 0, "1 passed, 0 failed",
     "a: k\n  pass  --M 1\n"),
    # A note is no failure.
    ("simulator", "7", KERNEL, launch(ffma=0) + "echo a.cu:7:13: x-note: $SIM_COVERAGE >&2",
     0, "1 passed, 0 failed", "a.cu:7:13: x-note: 1\n"),
    ("gpu", "", TWO, NAMED, 0, "4 passed, 0 failed", "a: gemm_kernel, second\n"),
    # Rows far apart take too long.
    ("gpu", "pad", KERNEL, "", 0, "4 passed, 0 failed",
     "  skip  rows far apart (--pad): "),
    ("simulator", "pad", KERNEL, launch(ffma=0), 0, "2 passed, 0 failed", ""),
    # Kernels that never ran are a failure.
    ("gpu", "", KERNEL, launched("k<32>"), 0, "4 passed, 0 failed", ""),
    ("gpu", "", KERNEL, launched("library"), 1, "0 passed, 4 failed", ""),
    ("gpu", "", "int main() {}\n", "", 1, "sanitize: a has no kernel to look at", ""),
    ("gpu", "skip", RING, ODD + launched("(ring<1, 2>)"),
     0, "3 passed, 0 failed, 1 skipped", "  skip  racecheck    ring: it is odd\n")])
def test_sanitize(house: House, call: Callable, monkeypatch: pytest.MonkeyPatch,
                  end: str, order: str, source: str, program: str, status: int,
                  last: str, said: str) -> None:
    more = {"pad": "--M 1 --pad 8388608\n",
            "skip": "[skipped by sanitize]\nracecheck ring it is odd\n"}
    if order.isdigit():
        monkeypatch.setenv("SIM_ORDER", order)
    house.write(CHECKS, "[sizes]\n--M 1\n" + more.get(order, ""))
    house.write("chapters/a/a.cu", source)
    house.tool({"gpu": "bin/compute-sanitizer"}.get(end, "build/simulator/a"), program)
    ended = call(sanitize.sanitize,
                 course.Program(f"build/{end}/a", end, "a", ""), [],
                 wanted=status)
    assert last in ended.lines
    ended.has(said)


@pytest.mark.parametrize("status, printed", [(5, 0), (1, 1)])
def test_sanitize_tells_a_finding_once(house: House, call: Callable, status: int,
                                       printed: int) -> None:
    """Of another line or kind is another, whichever thread meets it; and what is
    wrong beside."""
    house.write(CHECKS, "[sizes]\n--M 1\n--M 2\n")
    house.write("chapters/a/a.cu", KERNEL)
    house.tool("build/simulator/a", f"status={status}" + """
echo "a.cu:7:13: shared-race: write of tile[$SIM_ORDER]
    by thread ($SIM_ORDER,0,0)" >&2
[ $SIM_ORDER != 1 ] || echo "a.cu:7:13: global-race: write of x[0]
a.cu:8:13: shared-race: read of tile[0]" >&2
echo printed
exit $status""")
    said = call(sanitize.sanitize, course.Program("build/simulator/a", "simulator", "a", ""),
                [], wanted=status)
    said.has("""write of tile[0]
    by thread (0,0,0)
    also in 2 other orders of blocks and threads
a.cu:7:13: global-race: write of x[0]
a.cu:8:13: shared-race: read of tile[0]
""").has("  FAIL  --M 2  # as above\n0 passed, 2 failed").lacks("status")
    assert said.text.count("printed") == printed


def test_what_the_chapters_skip_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert any([sanitize.read_skips(chapter, course.kernels(course.sources(chapter)))
                for chapter in course.chapters()])


# ---- chapters and their kernels ----------------------------------------------


def test_chapters_and_those_that_write_records(house: House) -> None:
    house.chapters("gemm", "gemm_02_b", "gemm_01_a")
    house.chapters("patterns", "a")
    house.write("chapters/no/other.cu")
    house.write("chapters/a/a.cu", "int main(void)\n")
    house.write("chapters/gemm_01_a/gemm_01_a.cu", "int main(int argc, char **argv)\n")
    assert course.chapters() == ["gemm_02_b", "gemm_01_a", "a"]
    assert course.chapters("patterns") == ["a"]
    assert [*map(course.bare, ("a", "gemm_01_a", "none"))] == [True, False, False]
    assert course.recorded() == ["gemm_02_b", "gemm_01_a"]
    assert course.before("gemm_01_a") == "gemm_02_b"
    assert course.before("gemm_02_b") is course.before("a") is None


def test_kernels_of_a_source() -> None:
    assert course.kernel_names("""
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
""") == ["gemm_kernel", "tile", "both", "named", "before", "plain"]


def test_kernels_of_headers(house: House) -> None:
    """A program of one's own may have its kernels in headers that lie beside it."""
    house.write("my/x.cu", '#include <cuda.h>\n#include "k/a.cuh"\n#include "none.h"\n')
    house.write("my/k/a.cuh", '#include "b.cuh"\n#include "../x.cu"\n')
    house.write("my/k/b.cuh", "__global__ void deep() {}\n")
    assert course.Program("x", "simulator", "", "my/x.cu").kernels() == ["deep"]


def test_kernels_of_every_chapter_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for chapter in course.chapters():
        names = course.kernels(course.sources(chapter))
        assert names, chapter
        others = 2 * (chapter == "gemm_13_every_shape")  # one row, one column
        assert not chapter.startswith("gemm_") or (
            names[0], len(names)) == ("gemm_kernel", 1 + others)


# ---- no traceback ------------------------------------------------------------


@pytest.mark.parametrize("command, said", [
    ("chapter=scan check >/dev/full", "check: output: No space left on device"),
    ("chapter=scan check | true", ""),  # a reader that has gone
    ("chapter=scan profile json=/nonexistent/x >/dev/null",
     "profile: /nonexistent/x: No such file")])
def test_what_may_happen_to_anybody_is_one_line(street: House, command: str,
                                                said: str) -> None:
    ended = street.run("sh", "-c", f"make --no-print-directory -s {command}; true")
    ended.has(said)
    assert len(ended.lines) <= 2


def test_interrupted_it_leaves_no_folder(street: House) -> None:
    street.make("chapter=scan", "run")
    # Without a child: while it waits for one a shell may miss a Ctrl-C.
    street.tool("build/simulator/scan", ": >started\nexec sleep 60")
    street.write("chapters/scan/checks", "[sizes]\n--M 1\n")
    os.mkdir("tmp")
    child = subprocess.Popen(
        ["make", "chapter=scan", "check"], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
        # A shell's background jobs, and their children, ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        env={**os.environ, "TMPDIR": os.path.abspath("tmp")})
    while not os.path.exists("started"):
        time.sleep(0.01)
    time.sleep(0.5)  # until make and its tool wait, too
    os.killpg(child.pid, signal.SIGINT)
    said, _ = child.communicate(timeout=20)
    assert "Traceback" not in said
    assert os.listdir("tmp") == []
