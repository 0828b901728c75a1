"""The least time that each resource allows, and the tables of lessons about it."""

import json
import re
from typing import Callable

import pytest

from tools import course, limits
from tools.author import tables

from ..conftest import ROOT, House

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

--variant c
--n                    100  300  200
fadd                   100  400  250
barriers                 9    -   10
shared_load_requests     -    5    -
global_store_requests    1    1    -
"""
ONE_TILE = """\
--M 256 --N 256 --K 256
global_load_cycles      8,000
global_store_requests     100
ffma               16,777,216
barriers                   33
"""
TILES = """\
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
RECORD = {"chapter": "x", "variant": "a", "verified": True, "device": "A GPU",
          "size": {"n": 400, "op": "sum"}, "clocks_mhz": {"sm": 2000},
          "launch": {"grid": [2, 1, 1]},
          "launches": [{"grid": [1, 1, 1]}, {"grid": [5, 2, 1]}],
          "time_ms": {"median": 0.5, "l2": "cold"},
          "limit": {"name": "read", "ratio": 0.25}}


@pytest.fixture
def counted(house: House) -> House:
    """A chapter x, whose counts are these."""
    house.write("chapters/x/x.cu")
    house.write("chapters/x/checks", COUNTS)
    return house


def record(house: House, *records: dict) -> None:
    """Let these be the times that were recorded on a GPU."""
    house.write(course.RESULTS, "".join(json.dumps(one) + "\n" for one in records))


@pytest.mark.parametrize("variant, op, at_400", [
    # Along a line. Of one block: through 0. Of another operation: none.
    ("a", "sum", {"global_load_cycles": 2500, "global_load_requests": 80,
                  "shared_load_wavefronts": 10, "global_atomic_requests": 4,
                  "global_atomic_sectors": 8, "global_store_sectors": 40,
                  "fadd": 1280}),
    ("b", "max", {"global_load_cycles": 400}), ("b", "sum", {}),
    # fadd by the last two, stores by the first two, barriers by the others. One
    # block of three tells what a counter is, not how it grows.
    ("c", "sum", {"fadd": 550, "global_store_requests": 1, "barriers": 12})])
def test_counters_grow_along_a_line(counted: House, variant: str, op: str,
                                    at_400: dict) -> None:
    assert limits.at_size("x", variant, {"n": 400, "op": op}) == at_400


@pytest.mark.parametrize("checks, size, known", [
    # A tile row and column more of each; barriers: 33 = 1 + 32 of K = 256.
    (TILES, {"M": 1024, "N": 512, "K": 2048}, {
        "global_load_cycles": 8000 * 8 * 8, "global_store_requests": 800,
        "ffma": 1024 * 512 * 2048, "barriers": 8 * (1 + 8 * 32)}),
    # No multiple, another row pitch, C read: what every kernel must do.
    *((TILES, {"M": 512, "N": 512, "K": 512, **more},
       {"ffma": more.get("M", 512) * 512 * 512})
      for more in ({"M": 1000}, {"lda": 516}, {"beta": 1})),
    # One block: K tells nothing of stores, and all of the rest.
    ("[counts]\n" + ONE_TILE, {"M": 256, "N": 256, "K": 1024}, {
        "global_load_cycles": 32000, "global_store_requests": 100,
        "ffma": 4 * 16777216, "barriers": 132}),
    ("[counts of these sizes only]\n" + ONE_TILE, {"M": 256, "N": 256, "K": 1024},
     {"ffma": 4 * 16777216}),
    ("[counts of these sizes only]\n" + ONE_TILE, {"M": 256, "N": 256, "K": 256}, {
        "global_load_cycles": 8000, "global_store_requests": 100,
        "ffma": 16777216, "barriers": 33})])
def test_a_gemm_chapter_grows_by_its_tiles(house: House, checks: str, size: dict,
                                           known: dict) -> None:
    house.write("chapters/gemm_9/checks", checks)
    assert limits.at_size("gemm_9", None, {
        "lda": size["K"], "ldb": size["N"], "beta": 0, **size}) == known


def test_no_counter_of_a_chapter_is_left_out_unseen(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    used = {"global_load_cycles", *limits.REQUESTS, *limits.LANES, *limits.SHARED}
    for chapter in course.chapters():
        for variant, timed in course.by_variant(chapter).items():
            its = chapter, variant, timed["size"]
            for _, counts in limits.points(*its):
                assert used & set(counts) <= set(limits.at_size(*its)), its


def test_least_times(counted: House) -> None:
    least = limits.of_record(RECORD)
    cycle = 1e3 / 10 / 2e9  # 10 blocks: 10 SMs work
    assert least["memory"] == pytest.approx(0.125)
    assert least["L1"] == pytest.approx(2510 * cycle)
    assert least["issue slots"] == pytest.approx((80 + 4 + 1280 / 32) / 4 * cycle)
    assert least["L2 writes"] is None
    # Half as many SMs: twice the cycles of each.
    least = limits.of_record({**RECORD, "sms": 5})
    assert least["L1"] == pytest.approx(2510 * 2 * cycle)


@pytest.mark.parametrize("device, ms", [
    ("NVIDIA T4", 48 * 32 / 1500e9 * 1e3), ("NVIDIA T4G", None)])
def test_the_l2_where_it_was_measured(counted: House, device: str,
                                      ms: float) -> None:
    counted.write("docs/results/t4_l2.txt",
                  "NVIDIA T4: what the L2\nload     2000 GB/s\nstore    1500 GB/s\n")
    # A file that a program left unfinished has no rate.
    counted.write("docs/results/t4g_l2.txt", "NVIDIA T4G: what the L2\nload 2 GB/s\n")
    assert limits.of_record({**RECORD, "device": device})["L2 writes"] == (
        ms and pytest.approx(ms))


def test_no_largest_where_the_l1_is_not_counted(house: House, call: Callable) -> None:
    """Of ragged sizes only the multiply-adds are known."""
    house.write("chapters/gemm_9/gemm_9.cu")
    house.write("chapters/gemm_9/checks", TILES)
    records = [{**RECORD, "chapter": "gemm_9", "variant": None, "limit": None,
                "size": {"M": n, "N": n, "K": n, "lda": n, "ldb": n, "beta": 0,
                         "alpha": 1}} for n in (512, 513)]
    record(house, *records)
    assert re.search(r"\nsize +L1 .*\n512 .* issue slots 10 %\n"
                     r"513 +- .* -\n-: not counted at this size\n$",
                     call(limits.of_chapter, "gemm_9").text)
    record(house, records[0])
    call(limits.of_chapter, "gemm_9").lacks("-:")


def test_what_a_new_chapter_has_not(house: House, call: Callable) -> None:
    house.write("chapters/x/x.cu")
    for why in ("no recorded times of x: make bench records them on a GPU",
                "chapters/x/checks counts nothing of a variant"):
        assert call(limits.of_chapter, "x", wanted=1).text == f"limits: {why}\n"
        record(house, RECORD)


@pytest.mark.parametrize("more, said", [
    ({}, r"\nleast time by resource, in ms\n(?s:.*)a +0.125 .* 0.5 +memory 25 %\n"),
    ({"variant": "z"}, "chapters/x/checks counts nothing for this size"),
    # What is wrong is not timed. Of the simulator: tests/programs/test_house.py.
    ({"time_ms": None}, "^$"), ({"verified": False}, "^$")])
def test_behind_a_run(counted: House, call: Callable, more: dict, said: str) -> None:
    counted.write("records", json.dumps({**RECORD, "counts": {}, **more}) + "\n")
    assert re.search(said, call(limits.of_run, "x", "records").text)


def test_tables_of_what_was_not_recorded(counted: House) -> None:
    for name in ("limits", "sizes", "variants"):
        assert "Not measured yet" in tables.TABLES[name](["x"])[0]
    record(counted, {**RECORD, "toolkit": "13.0", "gbytes_per_s": 3,
                     "baseline": {"name": "L", "ratio": 15.0821},
                     "time_ms": {"median": 0.625, "l2": "cold"}})
    # Ten times the library and more: no decimals, a cell is narrow.
    assert tables.sizes_table(["x", "op=sum"])[2] == \
        "| a | 625 us<br>1,508 %, 25.0 % |"
    assert "no record of x op=max" in tables.sizes_table(["x", "op=max"])[0]
