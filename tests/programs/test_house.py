"""The goals of make on a machine without a GPU: real chapters, real simulator.

Everything runs in a copy of the tree, in a path with a space.
"""

import json
import os
import pathlib
import re
import resource
import shutil
from typing import Callable, Iterator

import pytest

from tools import course, doctor

from ..conftest import ROOT, SETTINGS, House

SMALL = "--M 8 --N 8 --K 8"
NVCC = "/usr/local/cuda/bin/nvcc"
needs_nvcc = pytest.mark.skipif(not os.path.exists(NVCC), reason="nvcc is not here")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pathlib.Path]:
    """The copy; what make compare said in it before any program was built."""
    tree = tmp_path_factory.mktemp("a folder") / "the house"
    for folder in ("common", "simulator", "tools", "docs", "tests/changes",
                   *ROOT.glob("chapters/gemm_0[12]_*")):
        shutil.copytree(ROOT / folder, tree / (ROOT / folder).relative_to(ROOT),
                        ignore=shutil.ignore_patterns("build", "__pycache__"))
    for path in ("Makefile", ".clangd", "compile_flags.txt", *ROOT.glob("*.md")):
        shutil.copy(ROOT / path, tree)
    house = House()
    order = (ROOT / "chapters/order").read_text()
    with pytest.MonkeyPatch.context() as patch:
        for name in SETTINGS:
            patch.delenv(name, raising=False)
        patch.chdir(tree)
        house.write("chapters/order",
                    "\n".join(re.findall("(?m)^gemm_0[12]_.*", order)) + "\n")
        house.write("compare", house.make("-j4", "compare", "sizes=32 64",
                                          "on=simulator").text)
    # The others: README.md and its charts show them all.
    shutil.copytree(ROOT / "chapters", tree / "chapters", dirs_exist_ok=True)
    yield tree
    shutil.rmtree(tree)


@pytest.fixture
def house(tree: pathlib.Path, real: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """The copy as the working directory, in the simulator."""
    monkeypatch.chdir(tree)
    monkeypatch.setenv("on", "simulator")
    return real


def test_compare_j_has_every_gemm_chapter_in_one_table(house: House) -> None:
    said = house.read("compare")
    assert re.search("(?s)M = N = K = 32.*gemm_01_naive.*M = N = K = 64", said), said
    assert "warning" not in said
    assert len(re.findall("(?m)^gemm_0[12].*#", said)) == 4


def test_behind_a_run_the_least_cycles_by_resource_which_binds(house: House) -> None:
    # 64 blocks on as many SMs: 17,301,504 / 64 cycles of the L1, and
    # (1,048,576 + 2048 + 32 x 16384 + 2048) / 4 / 64 issue slots.
    said = house.make("chapter=gemm_01", "run").has(
        "least cycles of an SM by resource, on an H200")
    assert said.lines[-1].split() == ["gemm_01", "270,336", "6,160", "L1"]
    # Records of one's own go where they are wanted, and nothing is left.
    house.make("chapter=gemm_01", "run", f"args={SMALL} --json mine.jsonl").lacks(
        "least cycles")
    assert re.search('"command":"build/simulator/gemm_01_naive --M 8 .* --json mine',
                     house.read("mine.jsonl"))
    assert not [*pathlib.Path("build/simulator").glob("*.records.*")]
    house.make("chapter=gemm_01", "run", "args=--M 0", wanted=2).lacks("least cycles")


def test_a_run_with_nothing_to_build_costs_less_than_half_a_second_more(
        house: House) -> None:
    def least(run: Callable, *command: str) -> float:
        """Seconds of the processor, the least of three: others use the clock's."""
        times = [sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])]
        for _ in range(3):
            run(*command)
            times.append(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]))
        return min(after - before for before, after in zip(times, times[1:]))

    house.make("chapter=gemm_01", "run", f"args={SMALL}")
    alone = least(house.run, "build/simulator/gemm_01_naive", *SMALL.split())
    assert least(house.make, "chapter=gemm_01", "run", f"args={SMALL}") < alone + 0.5


def test_a_chapter_as_contributing_says_its_commands_one_by_one(house: House) -> None:
    contributing, readme = house.read("CONTRIBUTING.md"), house.read("README.md")
    order = house.read("chapters/order")
    name = re.search(r"(?m)^    make new chapter=(\S+)", contributing)[1]
    pages = f"README.md chapters/{name}/README.md"
    part = re.search("(?s)\n## Adding a chapter.*?\nIt has", contributing)[0]
    house.write("commands", "\n".join(re.findall("(?m)^    (.*)", part)).replace(
        "make lessons", f"make lessons args='{pages}'"))
    house.run("sh", "-ex", "commands").has(
        "verified", "0 lines changed", "lacks 9 things", "checks: [predict]").lacks("[sizes]")
    # Behind the last of its group.
    last = [line for line in order.splitlines() if line.endswith(" gemm")][-1]
    assert re.search(rf"(?m)^{last}\n{name} +gemm$", house.read("chapters/order"))
    head = house.read(f"chapters/{name}/{name}.cu").partition("*/")[0]
    assert f"@brief {name}: say here what it changes." in head
    assert re.findall(r" (\w+:) +(?!make)\w+", head)[1:] == ["Change:", "Reason:", "Limit:"]
    assert not re.search("gemm_02|step|sectors", head), head  # the old chapter's
    assert not os.path.exists(f"chapters/{name}/exercise.md")  # it has no solution
    assert f"\n| [{name}]" in house.read("README.md")
    # What make test would say of quotes, tables and charts.
    house.make("lessons", f"args=--check {pages}")
    house.run("python3", "-B", "-m", "tools.author.picture", "--check", "docs/charts")
    house.make(f"chapter={name}", "check")
    shutil.rmtree(f"chapters/{name}")
    house.write("chapters/order", order)
    house.write("README.md", readme)


def test_the_smallest_chapter_has_a_picture_a_question_and_no_crash(house: House) -> None:
    kept = {path: house.read(path) for path in ("chapters/order", "README.md")}
    house.make("new", "chapter=layernorm").has("doctor")
    house.make("chapter=layernorm", "run", "check", "picture").has("9 passed, 0 failed")
    house.write("answers", "3907\n192\n")
    house.make("chapter=layernorm", "predict", "answers=answers").has("2 passed")
    house.make("lessons", "args=README.md chapters/layernorm/README.md")
    house.make("chapter=layernorm", "doctor").has(
        "layernorm.cu: its head comment", "two pictures", "docs/exam.md").lacks("README.md: its")
    shutil.rmtree("chapters/layernorm/pictures")
    house.make("chapter=layernorm", "picture", wanted=2).has("picture: there is no")
    shutil.rmtree("chapters/layernorm")
    for path, text in kept.items():
        house.write(path, text)


def test_each_chapter_has_what_doctor_asks_of_one(real: House) -> None:
    lacks = {name: doctor.lacking(name) for name in course.chapters()}
    # The first asks nothing yet.
    assert [name for name, what in lacks.items() if what] == ["vector_add"], lacks


def test_the_stand_alone_line_of_v_1_builds_a_program_that_runs(house: House) -> None:
    said = house.make("chapter=gemm_01", "run", f"args={SMALL}", "v=1")
    house.run("sh", "-c", re.search("(?m)^on its own: (.*)", said.text)[1])
    house.run("./gemm_01_naive", *SMALL.split()).has("verified")


@needs_nvcc
def test_the_stand_alone_nvcc_line_builds_too(house: House) -> None:
    said = house.make("chapter=gemm_01", "run", f"args={SMALL}", "v=1")
    house.run("sh", "-c", re.search("(?m)^on a GPU: (.*)", said.text)[1],
              PATH=f"{os.environ['PATH']}:{os.path.dirname(NVCC)}")
    os.remove("gemm_01_naive")


def test_plain_mode_without_clang_verifies_and_says_what_is_missing(
        house: House) -> None:
    chapter = ["chapter=gemm_02", f"args={SMALL}"]
    plain = house.path_of(*"cc gcc c++ g++ python3 git env ls".split())
    house.make(*chapter, "run", **plain).has("clang").lacks("global_load_sectors")
    # What was not looked for has not passed, and there is nothing to count.
    for goal in ("sanitize", "check", "profile"):
        assert house.make("chapter=gemm_02", goal, wanted=2, **plain).lines[1:-1] == [
            f"{goal}: needs clang 14 or newer; make setup installs it"]
    assert house.make("chapter=tensor_05", "run", wanted=2, **plain).lines[1:-1] == [
        "tensor_05_wgmma: its inline PTX: needs clang 14 or newer; make setup installs it"]
    # clang is back: the next run counts again.
    house.make(*chapter, "run").has("verified", "global_load_sectors")


@pytest.mark.skipif(not shutil.which("clangd"), reason="clangd is not here")
def test_clangd_knows_what_cuda_adds_to_cpp(house: House) -> None:
    house.run("clangd", "--check=chapters/reduction/reduction.cu").has(
        "All checks completed, 0 errors")


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not here")
def test_debug_gdb_stops_in_the_kernel(house: House) -> None:
    house.write("typed", """run
backtrace 1
delete
break gemm_kernel if threadIdx_x == 3 && threadIdx_y == 2
continue
print threadIdx_x + 10
print blockIdx_x
kill
quit
""")
    # The first thing that a learner reads says how to ask for a thread.
    house.run("sh", "-c", "timeout 120 make --no-print-directory "
              f"chapter=gemm_01 debug args='{SMALL}' <typed").has(
        "threadIdx_x", "Breakpoint 1, ", "gemm_kernel", "gemm_01_naive.cu",
        "Breakpoint 2, ", " = 13", " = 0")


@needs_nvcc
def test_asm_has_registers_then_the_hot_loop_which_v_1_lists(
        house: House, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    house.tool(f"{tmp_path}/nvidia-smi", "exit 9")
    # What cuobjdump writes of the instructions that are looked at.
    house.tool(f"{tmp_path}/cuobjdump",
               f'PYTHONPATH="{ROOT}" exec python3 -B -m tests.sass "$@"')
    said = house.make("chapter=gemm_06", "asm", "arch=sm_90").has(
        "gemm_06_vectorized for sm_90\n", "kernel ", "registers", "spilled", "1024 ",
        "64 ", "register-bank conflicts: 0 of 1024")
    assert len(said.lines) < 24
    assert max(map(len, said.lines)) <= 80
    house.make("chapter=gemm_02", "asm", "v=1").has(
        " for sm_75; no GPU answers: arch=sm_90 asks for another",
        "cycles to the next", " LDG ", " FFMA ")
    # Every kernel, or those of a variant.
    reduction = ["chapter=reduction", "asm", "arch=sm_90"]
    house.make(*reduction, "variant=shared").has("shared_kernel").lacks("ticket_")
    house.make(*reduction, "variant=fast", wanted=2).has(
        "variant=fast fits none", "reduction has divergent ")


def test_a_tree_that_cannot_be_written_says_so_in_one_line(house: House) -> None:
    os.rename("build", "built")
    house.write("build")  # in the way of the folder, as a read-only tree is
    try:
        house.make("chapter=gemm_01", "run", f"args={SMALL}", wanted=2).has(
            "build/ cannot be written here; ").lacks("mkdir")
    finally:
        os.remove("build")
        os.rename("built", "build")


def test_profile_of_a_program_that_fails_shows_what_was_counted(house: House) -> None:
    house.write("fails.cu", r"""#include <stdio.h>
__global__ void fill(int *x) { x[threadIdx.x] = 1; }
int main(void)
{
    int *x;
    cudaMalloc(&x, 128);
    fill<<<1, 32>>>(x);
    puts("wrong");
    return 3;
}
""")
    house.make("file=fails.cu", "profile", wanted=2).has(
        "wrong", "global_store_sectors", "4")


# ---- a chapter of several variants -------------------------------------------


def test_run_and_compare_take_all_variants_or_one(house: House) -> None:
    chapter = ["chapter=reduction", "args=--n 1003"]
    house.make(*chapter, "run").has("all 9 variants", "divergent ", "ticket ")
    house.make(*chapter, "run", "variant=ticket").has("reduction ticket ").lacks(
        "divergent")
    said = house.make(*chapter, "compare").has(
        "reduction: n=1003", "divergent ", "ticket ", "#")
    assert max(map(len, said.lines)) <= 80
    house.make("list").has("gemm_01_naive ", "reduction ")


def test_profile_has_a_table_for_each_variant_launches_summed(house: House) -> None:
    chapter = ["chapter=reduction", "args=--n 1003", "profile"]
    said = house.make(*chapter, "json=read.jsonl").has(
        "divergent, --n 1003: 1 launch", "divergent_kernel<SUM>, grid 1,",
        "segmented, --n 1003: 2 launches", "segmented_kernel<SUM>, grid 1,")
    assert max(map(len, said.lines)) <= 80
    records = [*map(json.loads, house.read("read.jsonl").splitlines())]
    assert len({record["variant"] for record in records}) == len(records) == 9
    house.make(*chapter, "variant=shared").has("shared_kernel").lacks("ticket_kernel")


def test_sanitize_sees_kernels_that_are_templates(house: House) -> None:
    house.make("chapter=reduction", "sanitize", "variant=shared", "args=--n 40").has(
        "reduction: ", "shared_kernel", "pass  --variant shared --n 40")
