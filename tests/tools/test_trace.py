"""make trace: the page's sums are those of make profile, and it says what is left out."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable, Dict, List

import pytest

from tests.docs import chromium
from tools import course, profile, trace

from ..conftest import ROOT, House

OWN = {
    "conflicts": r"""
__constant__ float factor[64];
__global__ void mixed(float *x, float4 *wide, int *hits)
{
    __shared__ float tile[32][32];
    __shared__ float4 four[64];
    __shared__ int bins[8];
    int i = threadIdx.x;
    for (int r = 0; r < 3; r++)
        tile[i % 32][r] = x[i * 3 + r] * factor[i % 5];
    four[i] = wide[i * 2];
    if (i < 8)
        bins[i] = 0;
    __syncthreads(); // of what the others have stored
    atomicAdd(&bins[i % 8], 1);
    if (i % 3)
        x[i] = tile[i % 32][i % 3] + four[63 - i].y + four[i ^ 8].x;
    __syncthreads(); // of all that has been added
    atomicAdd(&hits[i % 2], bins[i % 8]);
}
int main()
{
    float *x; float4 *wide; int *hits;
    cudaMalloc(&x, 4096); cudaMalloc(&wide, 4096); cudaMalloc(&hits, 64);
    cudaMemset(x, 0, 4096); cudaMemset(wide, 0, 4096); cudaMemset(hits, 0, 64);
    mixed<<<2, 64>>>(x, wide, hits);
    return cudaDeviceSynchronize();
}""",
    "outside": r"""
struct point { double x; char c; short s; };
__device__ point points[300];
template <int STEP> __device__ double at(int i) { return points[i * STEP % 300].x; }
__global__ void first(char *c) { c[threadIdx.x * 5] = (char)points[threadIdx.x].s; }
__global__ void second(double *y)
{
    if (threadIdx.x >= 40)
        return;
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += at<1>(threadIdx.x + i) + at<7>(threadIdx.x + i);
    y[threadIdx.x ^ 1] = sum;
}
int main()
{
    char *c; double *y;
    cudaMalloc(&c, 1024); cudaMalloc(&y, 1024);
    first<<<1, 96>>>(c);
    second<<<1, 64>>>(y);
    return cudaDeviceSynchronize();
}"""}


OWN["nothing"], OWN["failing"] = (f"int main() {{ return {n}; }}" for n in (0, 3))


def program_of(name: str, folder: Path) -> course.Program:
    """Return a chapter, built, or one of the programs above."""
    if name not in OWN:
        chapter = course.find_chapter(name)
        assert course.build([f"build/simulator/{chapter}"])
        return course.Program(f"build/simulator/{chapter}", "simulator", chapter, "")
    source = folder / f"{name}.cu"
    source.write_text(OWN[name], "utf-8")
    subprocess.run([sys.executable, "-B", ROOT / "simulator/simcc", source, "-o",
                    folder / name], check=True)
    return course.Program(str(folder / name), "simulator", "", str(source))


def page_of(program: course.Program) -> str:
    """Return the page that has been written."""
    return course.text_of(f"build/trace/{program.chapter or Path(program.source).stem}.html")


def data_of(text: str) -> dict:
    """Return what is in a page."""
    return json.loads(re.findall(r'id="data">(.*?)</script>', text, re.S)[0])


def add(found: Dict[tuple, List[int]], place: tuple, *values: int) -> None:
    """Add to what a place has."""
    found[place] = [a + b for a, b in zip(found.get(place, [0, 0, 0]), values)]


def sums(data: dict) -> Dict[tuple, List[int]]:
    """Return requests, cost and the least cost of each place, as its events have them."""
    found: Dict[tuple, List[int]] = {}
    for event in (event for block in data["blocks"] for event in block["events"]):
        place, shape = data["places"][event[1]], data["shapes"][event[2]]
        spots = [data["files"][file]["name"] + f":{line}" for file, line in place["spots"]]
        key = (*spots, place["column"], place["space"], place["op"], place["bytes"])
        add(found, key, 1, shape["cost"], shape["ideal"])
        if shape["turns"]:  # as many trips and sectors are drawn as were counted
            trips = max(shape["turns"]) + 1
            sectors = {(event[5] + event[3] + at) // 32 for at in shape["at"]}
            assert shape["cost"] == (trips if place["space"] == "shared" else len(sectors))
            assert trips == shape.get("tag_wavefronts", trips)
    return found


@pytest.mark.parametrize("name, words", [
    ("gemm_01", "--M 32 --N 32 --K 40"), ("gemm_03", "--M 32 --N 64 --K 64"),
    ("gemm_07", "--M 128 --N 128 --K 16"), ("reduction", "--n 3000 --variant divergent"),
    ("tensor_02", "--M 128 --N 128 --K 64"), ("conflicts", ""), ("outside", "")])
def test_the_sums_are_those_of_profile(real: House, call: Callable, tmp_path: Path,
                                       name: str, words: str) -> None:
    program = program_of(name, tmp_path)
    call(trace.trace, program, words.split(), "", "", "").has("requests").lacks(
        "behind the first")
    _, sections = profile.simulated(program, words.split())
    wanted: Dict[tuple, List[int]] = {}
    for line in sections[-1].lines:  # of outside the kernel that asks for more
        spots = [f"{min(os.path.relpath(file), file, key=len)}:{number}"
                 for file, number in trace.spots(line)]
        add(wanted, (*spots, line["column"], line["space"], line["op"], line["bytes"]),
            line["requests"], trace.units(line)[1], line["ideal"])
    data = data_of(page_of(program))
    assert wanted and sums(data) == wanted
    assert all((place["requests"], place["cost"]) == (place["shown"], place["shown_cost"])
               for place in data["places"])


def test_a_page_is_bounded_and_says_so(real: House, call: Callable, tmp_path: Path) -> None:
    program = program_of("gemm_03", tmp_path)
    call(trace.trace, program, [], "", "3", "").has("62 blocks behind the first 2",
                                                   "after its first 64 requests")
    text = page_of(program)
    data = data_of(text)
    assert len(text) < trace.MOST_BYTES and len(data["blocks"]) == trace.BLOCKS
    assert data["open"] == {"warp": 3, "step": 1}
    assert not re.search(r"""(src|href)=["']|https?://|@import|url\(""", text)


def test_the_kernel_and_the_line_that_are_named(real: House, call: Callable,
                                                tmp_path: Path) -> None:
    program = program_of("outside", tmp_path)
    call(trace.trace, program, [], "first", "", "").has("the launch second, grid 1")
    call(trace.trace, program, [], "second", "1", "12")
    data = data_of(page_of(program))
    assert data["open"] == {"warp": 1, "step": 1} and "at<1>" not in str(data["arrays"])
    assert [len(shape["lanes"]) for shape in data["shapes"]][-1] == 8  # of warp 1


@pytest.mark.parametrize("words, said", [
    (("third", "", ""), "kernel=third fits none"), (("", "9", ""), "trace: warp=9: "),
    (("", "x", ""), "trace: warp=x: the first block has the warps 0 to 1"),
    (("", "", "1"), "trace: line=1: warp 0 has requests at the lines 4 12 13")])
def test_what_is_not_there(real: House, call: Callable, tmp_path: Path, words: tuple,
                           said: str) -> None:
    ended = call(trace.trace, program_of("outside", tmp_path), [], *words, wanted=2)
    assert ended.has(said).text.count("\n") == 1


@pytest.mark.parametrize("name, said", [("nothing", "no kernel"), ("failing", "the program "
                                                                   "ended with status 3")])
def test_no_kernel(real: House, call: Callable, tmp_path: Path, name: str, said: str) -> None:
    call(trace.trace, program_of(name, tmp_path), [], "", "", "", wanted=2).has(
        f"trace: {said}")


@pytest.mark.skipif(not chromium(), reason="Chromium is not here")
def test_the_page_in_a_browser(real: House, call: Callable, tmp_path: Path) -> None:
    program = program_of("conflicts", tmp_path)
    call(trace.trace, program, [], "", "", "")
    script = """<script>document.querySelector('[data-go=conflict]').click();
        const told = [number.textContent, live.textContent];
        dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
        for (const b of go.children) b.click();
        document.title = told[0] + "; " + $("step").value</script>"""
    path = tmp_path / "page.html"
    path.write_text(page_of(program).replace("</html>", script), "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
             "--enable-logging=stderr", f"--user-data-dir={folder}", f"file://{path}"],
            text=True, capture_output=True, timeout=120)
    assert "CONSOLE" not in done.stderr, done.stderr
    assert re.search(r"<title>\d+ wavefronts; \d+</title>", done.stdout), done.stdout[-500:]
