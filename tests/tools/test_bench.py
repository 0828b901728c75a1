"""make bench on a made-up GPU: every chapter at every size, as data."""

import os
import re
import signal
import subprocess
import time

import pytest

from ..conftest import Ended, House

SMI = r"""case $* in
*compute_cap*) echo "9.0, NVIDIA H200" ;;
*PERFORMANCE*)
    echo "    Clocks Event Reasons Counters"
    echo "        SW Power Capping                  : $(cat capped) us"
    echo "        HW Thermal Slowdown               : 700 us"
    ;;
esac"""
# Two variants, verified, unless says/NAME_N is a script to source.
PROGRAM = r"""name=$(basename "$0")
echo "$name $*" >>runs
verified=true
[ ! -e "says/${name}_$2" ] || . "says/${name}_$2"
command="$0 $*"
n=$2
while [ "$1" != --json ]; do shift; done
for variant in plain fast; do
    echo "{\"chapter\": \"$name\", \"variant\": \"$variant\", \"device\": \"NVIDIA H200\", \"command\": \"$command\", \"size\": {\"n\": $n}, \"verified\": $verified, \"time_ms\": {\"median\": 1, \"repeats\": 20, \"batch\": 2}}"
done >"$2" """
RECORDS = "docs/results/h200.jsonl"
ALL = ["reduction --n 1", "reduction --n 2 --l2 warm", "scan --n 1",
       "scan --n 2 --l2 warm"]


@pytest.fixture
def gpu(house: House) -> House:
    """Two chapters of two sizes, and a GPU."""
    house.fake_gpu(PROGRAM)
    house.tool("bin/nvidia-smi", SMI)
    house.edit("bin/nvcc", "while", "[ \"$1\" != --version ] || "
               "{ cat release 2>/dev/null; exit 0; }\nwhile")
    house.write("capped", "5000\n")  # us so far, which a program may add to
    house.chapters("patterns", "reduction", "scan")
    for name in ("reduction", "scan"):
        house.write(f"chapters/{name}/checks",
                    "[timed]\n--n 1\n# larger\n--n 2 --l2 warm\n")
    return house


def bench(house: House, *words: str, wanted: int = 0) -> Ended:
    """Call make bench; forget what ran before."""
    house.write("runs")
    return house.make("bench", *words, wanted=wanted)


def ran(house: House) -> list:
    """Return the programs that ran, without the file for their records."""
    return [line.split(" --json ")[0] for line in house.read("runs").splitlines()]


def records(house: House) -> int:
    """Return how many records there are: two for each run."""
    return len(house.read(RECORDS).splitlines())


def test_every_chapter_at_every_size_with_time_left_then_nothing(
        gpu: House) -> None:
    said = bench(gpu).has(
        "4 runs, 0 recorded already", "1/4 reduction --n 1", "recorded: ", " left",
        "4/4 scan --n 2 --l2 warm")
    assert said.lines[-1] == "4 recorded, 0 left out, 0 NOT RECORDED"
    assert (ran(gpu), records(gpu)) == (ALL, 8)
    # The command as typed, without the file that the record went to.
    assert '"command": "build/gpu/scan --n 2 --l2 warm"' in gpu.read(RECORDS)
    bench(gpu).has("4 runs, 4 recorded already")
    assert ran(gpu) == []


@pytest.mark.parametrize("path, text, words, again", [
    ("chapters/scan/scan.cu", "// changed\n", [], ALL[2:]),
    ("common/two.h", "int two;\n", [], ALL),
    ("release", "release 13.1\n", ["chapter=scan"], ALL[2:]),
    ("nothing", "", ["chapter=scan", "again=yes"], ALL[2:]),
    # Other lines: what has none any more is gone, in their order.
    ("chapters/scan/checks", "[timed]\n--n 3\n--n 1\n", [], ["scan --n 3"])])
def test_what_runs_again(gpu: House, path: str, text: str, words: list,
                         again: list) -> None:
    bench(gpu)
    gpu.write(path, text)
    bench(gpu, *words)
    assert (ran(gpu), records(gpu)) == (again, 8)


def test_records_of_another_gpu_are_none_of_this(gpu: House) -> None:
    bench(gpu)
    lines = gpu.read(RECORDS).splitlines(True)
    lines[:2] = [line.replace("NVIDIA H200", "NVIDIA H200 NVL") for line in lines[:2]]
    gpu.write(RECORDS, "".join(lines))
    gpu.write("chapters/scan/checks", "[timed]\n--n 3\n--n 1\n")
    bench(gpu)
    assert ran(gpu) == ["reduction --n 1", "scan --n 3"]
    order = re.findall(r'"command": "build.gpu.([^"]*)"', gpu.read(RECORDS))
    assert order[::2] == [*ALL[:2], "scan --n 3", "scan --n 1"]


def test_what_is_not_verified_fails_or_is_killed_is_not_recorded(
        gpu: House) -> None:
    for name, script in (("reduction_1", "verified=false"),
                         ("reduction_2", 'echo "C[3]: got 1" >&2; exit 1'),
                         ("scan_1", "kill -9 $$")):
        gpu.write(f"says/{name}", script)
    bench(gpu, wanted=2).has(
        "NOT RECORDED: not verified", "NOT RECORDED: C[3]: got 1",
        "NOT RECORDED: ended by signal 9", "1 recorded, 0 left out, 3 NOT RECORDED")
    assert records(gpu) == 2
    # Mended, these three run and not the fourth.
    for name in os.listdir("says"):
        os.remove(f"says/{name}")
    bench(gpu)
    assert (ran(gpu), records(gpu)) == (ALL[:3], 8)
    # An older record stays when the new run fails.
    before = gpu.read(RECORDS)
    gpu.write("says/scan_1", "exit 1")
    bench(gpu, "again=yes", "chapter=scan", wanted=2)
    assert gpu.read(RECORDS) == before


def test_what_this_gpu_has_no_room_for_is_left_out(gpu: House) -> None:
    gpu.write("says/scan_1", 'echo "--n 1: needs 90 GB" >&2; exit 2')
    said = bench(gpu).has("left out: --n 1: needs 90 GB")
    assert said.lines[-1] == "3 recorded, 1 left out, 0 NOT RECORDED"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_stopped_it_goes_on_where_it_was(gpu: House, number: int) -> None:
    gpu.write("says/reduction_2", "exec sleep 60")
    gpu.write("runs")
    with open("log", "w", encoding="utf-8") as log:
        child = subprocess.Popen(
            ["make", "bench"], stdout=log, stderr=log, start_new_session=True,
            # In the background SIGINT is ignored, unless said otherwise.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    for _ in range(300):
        if len(ran(gpu)) == 2:
            break
        time.sleep(0.1)
    tool = subprocess.run(["pgrep", "-g", str(child.pid), "-f", "tools bench"],
                          stdout=subprocess.PIPE, text=True).stdout.split()
    os.kill(int(tool[0]), number)
    child.wait(timeout=20)
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    stopped = "stopped after 1 of 4 runs; make bench goes on there"
    assert (stopped in gpu.read("log")) == (number != signal.SIGKILL)
    assert records(gpu) == 2
    os.remove("says/reduction_2")
    bench(gpu).has("4 runs, 1 recorded already")
    assert (ran(gpu), records(gpu)) == (ALL[1:], 8)


def test_a_gpu_that_slowed_itself_down_is_a_warning_and_in_the_record(
        gpu: House) -> None:
    gpu.write("says/scan_1", "echo 48000 >capped")
    gpu.write("says/scan_2", "echo 48300 >capped")  # 0.3 ms: no sample long
    said = bench(gpu).has("3/4 scan --n 1", "WARNING: the GPU slowed itself down: "
                          "SW Power Capping, 43 ms", "4/4")
    assert said.text.count("WARNING") == 1
    assert gpu.read(RECORDS).count('"slowed_ms": {"SW Power Capping": 43.0}') == 2


def test_a_driver_that_does_not_count_that_is_said_once(gpu: House) -> None:
    gpu.write("bin/nvidia-smi", "".join(
        line for line in gpu.read("bin/nvidia-smi").splitlines(True)
        if 'us"' not in line), 0o755)
    said = bench(gpu)
    assert said.text.count("WARNING: this driver does not count") == 1
    assert records(gpu) == 8


def test_with_ncu_it_has_the_same_records_and_goes_on_as_well(gpu: House) -> None:
    gpu.tool("bin/ncu", "exit 9")
    bench(gpu, "ncu=yes", "chapter=scan").has("2 recorded, 0 left out",
                                              "docs/results/ncu_h200.jsonl")
    bench(gpu).has("4 runs, 2 recorded already")
    bench(gpu, "ncu=yes", "chapter=scan").has("2 runs, 2 recorded already")


def test_a_commit_is_not_dirty_by_what_is_recorded(gpu: House) -> None:
    gpu.run("git", "init", "-q", ".")
    gpu.write(".gitignore", "build\n")
    gpu.write(RECORDS, "\n")
    gpu.edit("bin/program", "verified=true",
             'verified=true; echo "$CHAPTERS_COMMIT" >>commits')
    gpu.run("git", "add", ".")
    gpu.run("git", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x")
    commit = gpu.run("git", "rev-parse", "--short=12", "HEAD").text.strip()
    gpu.make("bench", "chapter=scan")
    assert gpu.run("git", "status", "--porcelain", "docs").text
    gpu.make("bench", "chapter=reduction")
    assert {*gpu.read("commits").split()} == {commit}
    gpu.write("chapters/scan/scan.cu", "// changed\n")
    gpu.make("bench", "chapter=scan")
    assert gpu.read("commits").split()[-1] == f"{commit}-dirty"


def test_a_results_file_that_is_broken_stays_as_it_is(gpu: House) -> None:
    gpu.write(RECORDS, '{"chapter": "sc\n')
    bench(gpu, wanted=2).has(f"bench: {RECORDS}: ", "; move it away, or correct it")
    assert gpu.read(RECORDS) == '{"chapter": "sc\n'


@pytest.mark.parametrize("name, file", [
    ("NVIDIA GeForce RTX 4090", "rtx_4090"), ("Tesla T4", "t4"),
    ("NVIDIA H100 80GB HBM3", "h100"), ("NVIDIA H100 PCIe", "h100"),
    ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb")])
def test_the_file_has_the_gpus_name_results_is_another_place(
        gpu: House, name: str, file: str) -> None:
    gpu.edit("bin/nvidia-smi", "NVIDIA H200", name)
    gpu.make("bench", "chapter=scan", "results=elsewhere")
    assert os.path.exists(f"elsewhere/{file}.jsonl")
    assert not os.path.exists("docs")
