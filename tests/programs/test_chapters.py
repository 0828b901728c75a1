"""What programs of chapters print and write, and what they refuse of files.

Options that must be refused, whatever there is, stand in the chapters' checks.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
from typing import Callable, Iterator

import pytest

from ..conftest import Ended, House

SMALL = "--M 9 --N 9 --K 9"
LONG = "--M 2048 --N 2048 --K 2048"
CHAPTERS = """conv gemm_01_naive gemm_03_shared_tile gemm_12_stream_k
    gemm_13_every_shape histogram reduction scan stencil""".split()


@pytest.fixture(autouse=True)
def built(real: House) -> House:
    """The programs, which make test has built already."""
    wanted = [f"build/simulator/{name}" for name in CHAPTERS]
    if not all(map(os.path.exists, wanted)):
        real.make("-s", *wanted)
    return real


@pytest.fixture
def run(built: House) -> Callable[..., Ended]:
    """Run the program of a chapter, or another, with options."""
    def ended(name: str, options: str, wanted: int = 0, **env: str) -> Ended:
        program = name if "/" in name else f"build/simulator/{name}"
        return built.run(program, *options.split(), wanted=wanted, **env)
    return ended


# ---- what a run prints -------------------------------------------------------


@pytest.mark.parametrize("chapter, options, says", [
    # A ragged problem first; and what check adds.
    ("gemm_03_shared_tile", "", [
        "before that with M=131 N=134 K=21, row pitch 24 136 140",
        "\n  make chapter=gemm_03_shared_tile check tries the other sizes\n"]),
    ("gemm_01_naive", "--M=40 --N 30 --K 20 --alpha -0.5 --beta 2", [
        "M=40 N=30 K=20, alpha=-0.5 beta=2", "verified   every element"]),
    ("gemm_01_naive", "--help", ["--M ", "rows of A and C (default 256)", "--l2 "]),
    ("gemm_13_every_shape", "--M 100 --N 100 --K 700", [  # for 8 tiles
        "grid 120 x 1, block 128 x 1"]),
    ("conv", "--width 20 --height 20 --filter sharpen", [
        "separable is left out", "all 5 variants"]),
    ("stencil", "--N 5", [  # a third of its shared memory
        "  coarsened_kernel", " 32 x 32  12288", "  register_kernel",
        " 32 x 32   4096"])])
def test_what_a_run_says(run: Callable, chapter: str, options: str,
                         says: list) -> None:
    run(chapter, options).has(*says)


@pytest.mark.parametrize("chapter, options", [
    ("gemm_01_naive", SMALL), ("gemm_01_naive", "--help"),
    ("scan", "--n 5")])  # long names
def test_a_run_is_plain_text_of_80_columns(built: House, chapter: str,
                                           options: str) -> None:
    command = f"build/simulator/{chapter} {options}"
    assert built.run("sh", "-c", f"{command} 2>&1 >/dev/null").text == ""
    said = built.run(*command.split()).lacks("\033", "\r")
    assert max(map(len, said.lines)) <= 80


def test_without_checks_it_says_so_and_advises_nobody_to_install(
        run: Callable) -> None:
    run("gemm_03_shared_tile", SMALL, SIM_CHECKS="0").has(
        "races and stray accesses (SIM_CHECKS=0)",
        "counts     none, by SIM_CHECKS=0").lacks("setup")


def test_the_small_problem_can_be_left_out(run: Callable) -> None:
    run("gemm_03_shared_tile", f"{SMALL} --small 0").has("verified").lacks(
        "before that")


@pytest.mark.parametrize("options", [SMALL, "--help"])
def test_a_report_that_cannot_be_written_is_no_success(built: House,
                                                       options: str) -> None:
    said = built.run("sh", "-c", f"build/simulator/gemm_03_shared_tile {options} "
                     ">/dev/full", wanted=2)
    line, = said.lines
    assert line.startswith("standard output: No space left on device")


# ---- terminals ---------------------------------------------------------------


needs_script = pytest.mark.skipif(not shutil.which("script"),
                                  reason="script is not here")


@needs_script
@pytest.mark.parametrize("no_color", [False, True])
def test_colours_are_for_a_terminal(built: House, monkeypatch: pytest.MonkeyPatch,
                                    no_color: bool) -> None:
    if not no_color:
        monkeypatch.delenv("NO_COLOR")
    said = built.run("script", "-qec", f"build/simulator/gemm_03_shared_tile {SMALL}",
                     "/dev/null", TERM="xterm").has("verified")
    assert ("\033[32m" in said.text) != no_color
    assert no_color == ("\033" not in said.text)


def until_it_says(path: str, words: str, *command: str) -> str:
    """Run what would take minutes until its file says so; return what that has."""
    with open(os.devnull if "script" in command else path, "w") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out)
    pathlib.Path(path).touch()
    for _ in range(600):
        if words in pathlib.Path(path).read_text("utf-8"):
            break
        time.sleep(0.1)
    time.sleep(1)  # and what comes next
    child.terminate()
    child.wait()
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


@needs_script
def test_a_long_run_on_a_terminal_has_a_line_that_vanishes(
        built: House, tmp_path: pathlib.Path) -> None:
    said = until_it_says(f"{tmp_path}/typed", "launch 1 of 3", "script", "-qfec",
                         f"build/simulator/gemm_03_shared_tile {LONG}",
                         f"{tmp_path}/typed")
    assert re.search("this takes about .*: 3 launches of ", said)
    assert "\rexact data with alpha 1, beta 0: launch 1 of 3, " in said
    assert "\033" not in said


@needs_script
def test_before_a_block_has_ended_nobody_knows_what_is_left(
        built: House, tmp_path: pathlib.Path) -> None:
    source, program, typed = (f"{tmp_path}/{name}" for name in ("a.cu", "a", "typed"))
    built.write(source, "__global__ void spin(volatile int *x) { while (!*x) { } }\n"
                "int main() { int *x; cudaMalloc(&x, 4); cudaMemset(x, 0, 4);\n"
                "spin<<<2, 1>>>(x); return cudaDeviceSynchronize(); }\n")
    built.run("simulator/simcc", source, "-o", program)
    said = until_it_says(typed, "of the blocks", "script", "-qfec", program, typed)
    assert "spin:   0 % of the blocks" in said and " left" not in said


def test_a_long_run_into_a_file_has_the_estimate_alone(
        built: House, tmp_path: pathlib.Path) -> None:
    said = until_it_says(f"{tmp_path}/out", "this takes about",
                         "build/simulator/gemm_03_shared_tile", *LONG.split())
    assert re.search("(?m)^this takes about .*: 3 launches of .* each in the "
                     "simulator$", said)
    assert "launch 1 of 3" not in said


# ---- the same bits -----------------------------------------------------------


def place(run: Callable, path: str, threads: int, chapter: str, options: str) -> str:
    """Where random data stands in its bound, to nine digits: another result,
    another number."""
    run(chapter, f"{options} --json {path}", SIM_THREADS=str(threads))
    with open(path, encoding="utf-8") as file:
        return json.loads(file.readlines()[-1])["error_of_bound"]


@pytest.mark.parametrize("chapter, options", [
    ("reduction", "--variant ticket --n 1048579"),
    ("scan", "--variant ring --n 700001"),
    ("gemm_12_stream_k", "--M 100 --N 100 --K 700"),
    ("gemm_13_every_shape", "--M 100 --N 100 --K 700"),
    ("gemm_13_every_shape", "--M 1 --N 100 --K 700")])
def test_any_order_of_the_blocks_gives_the_same_bits(
        run: Callable, tmp_path: pathlib.Path, chapter: str, options: str) -> None:
    assert len({place(run, f"{tmp_path}/json", threads, chapter, options)
                for threads in (1, 2, 2, 3, 5)}) == 1


def test_so_that_this_can_fail_warp_shuffle_does_not(
        run: Callable, tmp_path: pathlib.Path) -> None:
    def places(seed: int) -> Iterator[str]:
        for threads in (1, 2):
            yield place(run, f"{tmp_path}/json", threads, "reduction",
                        f"--variant warp_shuffle --n 1048579 --seed {seed}")

    assert any(len({*places(seed)}) == 2 for seed in range(1, 11))


def test_two_threads_launch_at_once_a_third_has_no_workspace(
        built: House, run: Callable, tmp_path: pathlib.Path) -> None:
    program = f"{tmp_path}/streams"
    built.run("simulator/simcc", "--plain", "-I", "common", "tests/gpu/streams.cu",
              "build/simulator/libcommon.a", "-o", program)
    run(program, "2").has("pass  2 threads")
    run(program, "3", wanted=2).has("workspaces for 2")


# ---- a chapter with a few words changed --------------------------------------


# gemm_03, 1_plain of reduction: a race that leaves the result right.
LAST = "__shared__ volatile int last; last = threadIdx.x / 32;"


@pytest.mark.parametrize("chapter, edits, flags, options, status, says", [
    # Status 5; in the report and in the record.
    ("gemm_03_shared_tile", [("gemm_03_shared_tile.cu", "    float sum = 0",
                              f"    {LAST}\n    float sum = 0")], "",
     "--M 64 --N 64 --K 64", 5,
     r"(?s)verified   every element.*FINDINGS   1, .*changed.*:\d+:\d+: shared-race:"),
    # One of all variants has it.
    ("reduction", [("kernels/3_shared.cuh", "__syncthreads(); // all pairs",
                    f"{LAST} __syncthreads(); // all pairs")], "", "--n 1024", 5,
     r"3_shared.cuh:\d+:\d+: shared-race:"),
    # More different launches than the list holds: how many is said.
    ("reduction", [(
        "kernels/4_segmented.cuh",
        "    CHECK_LAUNCH(segmented_kernel<OP>, grid, BLOCK, 0);",
        "    for (int bytes = 0; bytes < 70; bytes++)\n"
        "        CHECK_LAUNCH(segmented_kernel<OP>, grid, BLOCK, bytes);")],
     "", "--n 100 --variant segmented", 0,
     "ends at 64 different ones: 7 launches more are counted"),
    # A weight is not combined: the number of the lesson's exercise 2.
    ("histogram", [("kernels/6_wide.cuh", "atomicAdd(&bins[bin], 1)",
                    "atomicAdd(&bins[bin], gridDim.y)")], "",
     "--variant wide --n 1048576 --input runs", 0,
     r"shared_atomic_wavefronts +259,312"),
    # A ring of two slots for 684 tiles of 132 blocks: five rounds, a sixth for some.
    *(("scan", [], "-O0 -DRING_TILE=1024 -DSLOTS=2 -DSCANNERS=2",
       f"--variant ring --n 700007 {more}", 0, "verified|equal")
      for more in ("", "--kind exclusive --op max")),
    # A device without bulk copies: the ring is left out, and says so.
    *(("scan", [("kernels/10_ring.cuh", "ComputeCapabilityMajor) < 9",
                 "ComputeCapabilityMajor) < 99")], "--plain", options, status, says)
      for options, status, says in (
          ("--n 5", 0, r"(?s)ring is left out: bulk copies need sm_90.*all 9 variants"),
          ("--n 5 --variant ring", 3, r"^scan ring: bulk copies need sm_90\n$"))),
    # Plain mode says what it did not look for.
    ("gemm_03_shared_tile", [], "--plain", SMALL, 0,
     r"not looked for: races and stray accesses \(make setup adds them\)")])
def test_a_changed_chapter(built: House, run: Callable, tmp_path: pathlib.Path,
                           chapter: str, edits: list, flags: str, options: str,
                           status: int, says: str) -> None:
    folder = f"{tmp_path}/changed"
    shutil.copytree(f"chapters/{chapter}", folder)
    for file, old, new in edits:
        built.edit(f"{folder}/{file}", old, new)
    built.run(sys.executable, "-B", "simulator/simcc", *flags.split(), "-I", "common",
              f"{folder}/{chapter}.cu", "build/simulator/libcommon.a", "-o",
              f"{tmp_path}/program")
    said = run(f"{tmp_path}/program", f"{options} --json {tmp_path}/json",
               wanted=status)
    assert re.search(says, said.text), said.text
    if status == 5:  # a finding belongs to its variant
        with open(f"{tmp_path}/json", encoding="utf-8") as file:
            found = [json.loads(line)["findings"] for line in file]
        assert sum(map(bool, found)) == 1
        assert "shared-race" in str(found)


# ---- pictures and files ------------------------------------------------------


@pytest.mark.parametrize("chapter, content, why", [
    ("conv", b"", "empty"),
    ("conv", b"GNU GENERAL PUBLIC", "not a picture that can be read"),
    ("conv", b"P5 not a picture\n", "its header is not that of a PGM or PPM"),
    ("conv", b"P2\n1 1\n255\n7\n", "not a picture that can be read"),
    ("conv", b"P5\n1 1\n65535\nxx", "its white is 65535; allowed is 255"),
    ("conv", b"P5\n0 1\n255\nx", "its header is not"),
    ("conv", b"P5\n-1 1\n255\nx", "its header is not"),
    ("conv", b"P5\n1 1\n255", "its header is not"),
    ("conv", b"P6\n2 1\n255\nabcde", "truncated: 5 bytes of 6 samples"),
    ("conv", b"P5\n100000000 100000000\n255\nx", "truncated"),
    ("histogram", b"", "0 bytes; allowed are"),
    ("histogram", 1 << 32, "4294967296 bytes; allowed are")])
def test_a_file_that_is_refused(run: Callable, tmp_path: pathlib.Path, chapter: str,
                                content: object, why: str) -> None:
    path, out = tmp_path / "file", tmp_path / "out.pgm"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.touch()
        os.truncate(path, content)  # takes no room on the disk
    options = {"conv": f"--out {out} --image", "histogram": "--file"}[chapter]
    said = run(chapter, f"{options} {path}", wanted=2).has(f"{path}: ", why)
    assert len(said.lines) == 1
    assert not out.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_the_disk_is_full_no_half_of_a_picture(run: Callable,
                                               tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out.pgm"
    out.write_text("old")
    os.symlink("/dev/full", f"{out}.part")
    run("conv", f"--width 300 --height 90 --variant basic --out {out}", wanted=2).has(
        f"--out {out}: cannot be written: No space left")
    assert out.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.pgm"]


@pytest.mark.parametrize("picture, options, samples", [
    # Of one pixel: box divides it by nine, nothing is around it.
    (b"P5\n# a comment\n1 1\n255\n\220", "box", [16]),  # 144
    # red, green, blue become grey as documented: 76.245, 149.685, 29.07, by nine
    (b"P6\n1 1\n255\n\377\0\0", "box", [8]), (b"P6\n1 1\n255\n\0\377\0", "box", [17]),
    (b"P6\n1 1\n255\n\0\0\377", "box", [3]),
    # Magnitudes: 2 * 255 over the edge, cut off; at the right end 0 - 2 * 255.
    (b"P5\n4 1\n255\n\0\0\377\377", "sobel", [0, 255, 255, 255])])
def test_the_pixels_of_a_picture(run: Callable, tmp_path: pathlib.Path, picture: bytes,
                                 options: str, samples: list) -> None:
    (tmp_path / "in").write_bytes(picture)
    run("conv", f"--image {tmp_path}/in --out {tmp_path}/out.pgm --radius 1 "
        f"--filter {options}").has("all 6 variants")
    written = (tmp_path / "out.pgm").read_bytes().split(b"\n", 3)
    assert [*written[-1]] == samples


def test_the_plane_of_stencil_is_hot_in_the_middle(run: Callable,
                                                   tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out.ppm"
    out.write_text("old")
    run("stencil", f"--nx 31 --ny 21 --nz 25 --steps 3 --variant vector --out {out}")
    kind, size, white, samples = out.read_bytes().split(b"\n", 3)
    assert (kind, size, white) == (b"P6", b"31 21", b"255")
    assert len(samples) == 21 * 31 * 3

    def pixel(x: int, y: int) -> bytes:
        return samples[((20 - y) * 31 + x) * 3:][:3]

    assert pixel(0, 0) == pixel(30, 20) == b"\0\0\0"
    assert pixel(15, 10) == b"\xff\xff\xff"
    # The wind blows to the right: 6/32 come from the left, 1/32 from the right.
    assert sum(pixel(22, 10)) > sum(pixel(8, 10))


@pytest.mark.parametrize("variant, floats", [
    ("basic", 60**3 + 6 * 58**3), ("tiled", 78**3), ("coarsened", 62**3),
    ("register", 62**3)])
def test_flop_per_byte_of_stencil_are_those_of_the_formulas(
        run: Callable, tmp_path: pathlib.Path, variant: str, floats: int) -> None:
    run("stencil", f"--variant {variant} --N 60", SIM_REPORT=f"{tmp_path}/report")
    last = json.loads((tmp_path / "report").read_text().splitlines()[-1])
    counts = last["counts"]
    assert 2 * counts["ffma"] + counts["fmul"] + counts["fadd"] == 13 * 58**3
    assert sum(line["lanes"] * line["bytes"] for line in last["lines"]
               if (line["space"], line["op"]) == ("global", "load")) == 4 * floats


@pytest.mark.parametrize("content, options, bars", [
    (b"aaaa bb\nEEE\377\000z", "", [r"a +4  #{50}", r"b +2  #{25}", r"e +0  ",
                                  r"z +1  #{13}"]),
    # Repeated, or cut, to --n bytes.
    (b"abc", "--n 7", [r"a +3 .*", r"c +2 .*"]), (b"abc", "--n 2", [r"c +0 .*"])])
def test_a_bar_for_each_letter_of_a_file(run: Callable, tmp_path: pathlib.Path,
                                         content: bytes, options: str,
                                         bars: list) -> None:
    (tmp_path / "file").write_bytes(content)
    said = run("histogram", f"--file {tmp_path}/file {options}")
    assert len(re.findall(r"(?m)^  [a-z] ", said.text)) == 26
    for bar in bars:
        assert re.search(f"(?m)^  {bar}$", said.text), said.text


def test_the_bars_of_seven_bins_of_letters(run: Callable) -> None:
    text = pathlib.Path("LICENSE").read_text("utf-8")
    said = run("histogram", "--file LICENSE --bins letters").has(
        f"LICENSE, {len(text)} bytes")
    for letters in ("a-d", "e-h", "i-l", "m-p", "q-t", "u-x", "y-z"):
        number = len(re.findall(f"[{letters}]", text))
        assert re.search(f"(?m)^  {letters} +{number}  #", said.text), said.text
