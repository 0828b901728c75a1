"""make autotune on a made-up GPU: times follow from the parameters in the header."""

import os
import re

import pytest

from ..conftest import ROOT, House

CHAPTER = "chapters/gemm_09_autotune"
# 128 x 256 x 8 with 16 x 8 is fastest, with the put at 7. Faster still are one
# that computes a wrong result and one that does not compile.
NVCC = """echo "$@" >>nvcc.log
header=none
while [ "$1" != -o ]; do
    [ "$1" != -include ] || header=$2
    shift
done
case $header in *128x128x8_8x8*) echo "error: $header" >&2; exit 1 ;; esac
cp "$(dirname "$0")/program" "$2"
[ $header = none ] || sed -n 's/#define /#: /p' "$header" >>"$2"
chmod +x "$2" """
PROGRAM = r"""set -- "$@" end
PUT_AT=0
while read -r sign name value; do
    [ "$sign" != "#:" ] || eval "$name=$value"
done <"$0"
ms=9 verified=true
case ${BM}x${BN}x${BK}_$TM in
128x256x8_16) ms=5 ;;
64x256x8_16) ms=1 verified=false ;;
esac
ms=$ms.$((99 - PUT_AT))
while [ "$1" != end ]; do
    [ "$1" != --json ] || printf '{"verified": %s, "time_ms": {"median": %s}, %s}' \
        $verified $ms '"baseline": {"ratio": 0.5}, "launch": {"registers": 99}' >"$2"
    shift
done
echo "runs $0" """


@pytest.fixture
def tuning(house: House) -> House:
    """A chapter without parameters, and the one that has some."""
    house.chapters("gemm", "gemm_01_naive", "gemm_09_autotune")
    house.write(f"{CHAPTER}/gemm_09_autotune.cu",
                "#ifndef BM\n#define BM 1\n#endif\n")
    return house


def test_without_a_gpu_one_line_says_why(tuning: House) -> None:
    tuning.refused("autotune needs a GPU, and no GPU answers", "autotune")
    assert not os.path.exists("build/gpu/gemm_09_autotune.h")


def test_a_chapter_without_parameters_is_refused(tuning: House) -> None:
    tuning.fake_gpu()
    said = tuning.make("autotune", "chapter=gemm_01", wanted=2)
    assert said.lines[0].startswith("autotune: gemm_01_naive has no parameters")


def test_list_needs_no_gpu_and_all_it_lists_is_legal(tuning: House) -> None:
    said = tuning.make("autotune", "args=--list").has("128x256x8_16x8_put5")
    # Not two threads for each row; more rows of B at once than steps of K; too
    # much shared memory.
    said.lacks("128x256x8_8x8", "128x64x8_4x8", "128x256x16")
    assert said.lines[-1].endswith(" of 18 sets are legal")
    # The set that stands in the source is among those tried.
    value = dict(re.findall(r"(?m)^#define (\w+) +(\d+)",
                            (ROOT / CHAPTER / "gemm_09_autotune.cu").read_text()))
    said.has("{BM}x{BN}x{BK}_{TM}x8_put{PUT_AT}".format(**value))


def test_the_fastest_that_is_right_is_found_and_run_uses_it(tuning: House) -> None:
    tuning.fake_gpu(PROGRAM)
    tuning.tool("bin/nvcc", NVCC)
    said = tuning.make("autotune", "chapter=gemm_09", "-j2")  # a beginning
    assert said.lines[-1] == ("best: 128x256x8_16x8_put7, written to "
                              "build/gpu/gemm_09_autotune.h")
    # For this GPU, each of them.
    log = tuning.read("nvcc.log").splitlines()
    assert all("-arch=sm_90 " in line for line in log)
    assert any("autotune/gemm_09_autotune/128x256x8_16x8" in line for line in log)
    header = "build/gpu/gemm_09_autotune.h"
    assert "\n#define PUT_AT 7\n" in tuning.read(header)
    # What is wrong or does not compile stands in the table, without a time.
    assert said.text.count("not built, or wrong") >= 2

    said = tuning.make("chapter=gemm_09", "run")
    assert said.lines[1].startswith(
        "make autotune on NVIDIA H200: 128x256x8_16x8_put7")
    program = "build/gpu/tuned/gemm_09_autotune"
    assert said.lines[-1] == f"runs {program}"
    # Other parameters: built anew.
    tuning.edit(header, "PUT_AT 7", "PUT_AT 3")
    os.utime(program, (1, 1))
    tuning.make("chapter=gemm_09", "run")
    assert "\n#: PUT_AT 3\n" in tuning.read(program)
    # Other chapters, and this one in the simulator, do not.
    said = tuning.make("chapter=gemm_01", "run")
    assert said.lines[-1] == "runs build/gpu/gemm_01_naive"
    tuning.make("build/gpu/gemm_09_autotune")
    assert "\n#:" not in tuning.read("build/gpu/gemm_09_autotune")
