"""The charts: the share of cuBLAS of every rung, and by size; the machine;
every rung under its roof; what each step is worth; where its cycles go; two
reports of Nsight Compute.

The data are h200.jsonl, where that has none h100.jsonl, h200_latency.txt,
h200_caches.txt, series_h200.jsonl, h200_ncu_*.txt and h100_tensor_steps.csv in
docs/results/.
"""

import csv
import functools
import glob
import math
import re
from typing import Dict, List, Tuple

from tools import course
from tools.author.drawings import boxes
from tools.author.svg import BOLD, THIN, WIDTH, Picture, Point, picture

SIZES = ((256,) * 3, (512,) * 3, (1024,) * 3, (2048,) * 3, (4096,) * 3,
         (4097,) * 3, (8192,) * 3, (1000, 3000, 500))
timed = functools.lru_cache(maxsize=None)(course.timed)  # the file is long


def share(chapter: str, size: Tuple[int, ...]) -> float:
    """Return the recorded percent of cuBLAS."""
    return 100 * timed(chapter)[size]["baseline"]["ratio"]


def measured(group: str = "gemm") -> List[str]:
    """Return the rungs that are recorded: a new one waits for make bench ncu=yes."""
    sizes = SIZES if group == "gemm" else SIZES[4:5]
    names = [chapter for chapter in course.chapters(group)
             if all(timed(chapter).get(size, {}).get("baseline")
                    for size in sizes)]
    if len(names) < 10:
        raise course.Unusable("charts: some rungs of the ladder are not here")
    return names


def name(chapter: str) -> str:
    """gemm_02_coalesced is "02 coalesced" in a chart."""
    return " ".join(chapter.split("_")[1:])


def role(chapter: str) -> str:
    """Return the colour of a rung in all charts."""
    number = int(name(chapter)[:2])
    return ("bad" if number < 4 else "global" if number < 7 else "lane"
            if number < 10 else "good")


def percent(value: float) -> str:
    """Write a share: 1.0, 12.5, 94, 103."""
    return f"{value:.1f}" if value < 20 else f"{value:.0f}"


ROW, FIRST, LEFT = 44, 112, 236  # of a chart of bars


def rungs(p: Picture, what: str,
          group: str = "gemm") -> List[Tuple[float, str]]:
    """Say what a chart of bars shows, name the rungs; return where they are."""
    names = measured(group)
    device = timed(names[0])[SIZES[4]]["device"].split()[1]
    p.text(0, 52, f"{what}, one {device}")
    p.text(0, 84, "M = N = K = 4096")
    rows = [(FIRST + ROW * i, chapter) for i, chapter in enumerate(names)]
    for y, chapter in rows:
        p.text(0, y + 17, name(chapter))
    return rows


def shares(p: Picture, rows: List[Tuple[float, str]]) -> None:
    """A bar for each rung; the line is cuBLAS."""
    full = 424
    p.middle(LEFT + full, 84, "cuBLAS", bold=True)
    p.path([(LEFT + full, 100), (LEFT + full, rows[-1][0] + ROW)], THIN)
    for y, chapter in rows:
        value = share(chapter, SIZES[4])
        inside, wide = value > 20, full * value / 100
        p.box(LEFT, y, wide, 34, role(chapter))
        p.text(LEFT + wide + (-8 if inside else 8), y + 17, percent(value),
               anchor="end" if inside else "start",
               role="black" if inside else "ink", bold=True)
        p.desc += f" {name(chapter)} {percent(value)} percent,"
    p.desc = p.desc[:-1] + "."


@picture("How far is each rung from cuBLAS?")
def ladder(p: Picture) -> None:
    """A bar for each rung:"""
    shares(p, rungs(p, "percent of its speed, float32"))


@picture("How far from cuBLAS, on tensor cores?")
def tensor(p: Picture) -> None:
    """A bar for each rung:"""
    shares(p, rungs(p, "percent of its speed, bfloat16", "tensor"))


@picture("Where do the cycles of each rung go?")
def account(p: Picture) -> None:
    """A bar for each rung from tensor_04 on, in million cycles: products at full
    rate, what steps take beyond them, and what lies between two tiles."""
    p.text(0, 52, "million cycles at 8192, bfloat16, one H100")
    with open("docs/results/h100_tensor_steps.csv", encoding="utf-8") as file:
        lines = [*csv.DictReader(file)]
    for i, line in enumerate(lines):
        all_of_it, step = (int(line[column].replace(",", ""))
                           for column in ("cycles", "a step"))
        y, at = 84 + ROW * i, 150.0
        p.text(0, y + 17, line["8192"])
        products, steps_take = (16 * 128 * each for each in (1024, step))
        for fill, cycles in (("math", products), ("wait", steps_take - products),
                             ("bad", all_of_it - steps_take)):
            wide = max(cycles, 0) * 490 / 4e6
            p.box(at, y, wide, 34, fill, line=0)
            at += wide
        p.text(at + 8, y + 17, f"{all_of_it / 1e6:.2f}", bold=True)
        p.desc += f" {line['8192']} {all_of_it / 1e6:.2f},"
    p.desc = p.desc[:-1] + "."
    p.legend(("math", "products"), ("wait", "more in steps"), ("bad", "the rest"))


@picture("What is each step worth?")
def steps(p: Picture) -> None:
    """A bar for each step from the time before to the time after, on a
    logarithmic scale:"""
    rows = rungs(p, "times as fast as the rung before")
    times = [timed(chapter)[SIZES[4]]["time_ms"]["median"]
             for _, chapter in rows]
    bottom, wide, all_of_it = rows[-1][0] + ROW, 404, times[0] / times[-1]

    def at(ms: float) -> float:
        return LEFT + wide * math.log(times[0] / ms, all_of_it)

    p.path([(LEFT, bottom), (LEFT + wide, bottom)], THIN)
    p.text(LEFT - 10, bottom + 26, "ms", anchor="end")
    for ms in (200, 100, 50, 20, 10, 5):
        p.path([(at(ms), bottom), (at(ms), bottom + 8)], THIN)
        p.middle(at(ms), bottom + 26, str(ms))
    p.text(LEFT + 8, FIRST + 17, f"{times[0]:.0f} ms", bold=True)
    for (y, chapter), before, after in zip(rows[1:], times, times[1:]):
        factor, (start, end) = before / after, sorted((at(before), at(after)))
        p.box(start, y, end - start, 34, "good" if factor > 1 else "bad",
              line=0)  # bars may be thin
        if y + ROW < bottom:
            p.path([(at(after), y + 34), (at(after), y + ROW)])
        p.text(end + 8, y + 17,
               f"{factor:.1f}" if factor > 2 else f"{factor:.2f}", bold=True)
        p.desc += f" {name(chapter)} {factor:.2f} times as fast,"
    p.desc += f" all {len(rows) - 1} steps {all_of_it:.0f} times."


@picture("Is a rung as good at every size?")
def sizes(p: Picture) -> None:
    """A line for each rung over eight sizes. At 8192:"""
    names = measured()
    top, height, left, step = 88, 560, 58, 59
    p.desc += " " + ", ".join(
        f"{name(chapter)} {percent(share(chapter, SIZES[6]))} percent"
        for chapter in names) + "."
    p.text(0, 52, "percent of cuBLAS, float32, one H200")
    highest = max(share(chapter, size) for size in SIZES for chapter in names)
    bottom, end = top + height, left + step * (len(SIZES) - 1)

    def at(value: float) -> float:
        return top + height * (1 - value / highest)

    for mark in range(0, int(highest) + 1, 20):
        p.path([(left, at(mark)), (end, at(mark))],
               BOLD if mark == 100 else THIN)
        p.text(left - 8, at(mark), str(mark), anchor="end", bold=mark == 100)
    for i, size in enumerate(SIZES):
        cube, x = len(set(size)) == 1, left + step * i
        below = 30 * (i % 2 if cube else 2)  # too wide for a line
        p.path([(x, bottom), (x, bottom + 8 + below)], THIN)
        p.middle(x, bottom + 24 + below,
                 str(size[0]) if cube else "x".join(map(str, size)))
    names.sort(key=lambda chapter: share(chapter, SIZES[-1]))
    y = bottom + 29.0
    for chapter in names:
        points = [(left + step * i, at(share(chapter, size)))
                  for i, size in enumerate(SIZES)]
        y = min(points[-1][1], y - 29)  # names stand apart
        p.path(points, BOLD, stroke=role(chapter))
        for x, dot in points:
            p.circle(x, dot, 5, role(chapter))
        p.path([(end + 8, points[-1][1]), (end + 20, y)], THIN)
        p.text(end + 24, y, name(chapter))


@picture("Near and small, or far and large")
def machine(p: Picture) -> None:
    """Two of 132 SMs. Each has four schedulers, each of these with registers of
    64 KiB and a tensor core of its own, and 256 KiB for L1 and shared memory.
    Below them the L2, below that the DRAM. What a load takes:"""
    with open("docs/results/h200_latency.txt", encoding="utf-8") as file:
        cycles = {line.split()[0]: f"{float(line.split()[1]):.0f} cycles"
                  for line in file if " cycles " in line}
    p.desc += " " + ", ".join(f"{place} {cycles[place]}" for place in (
        "L1", "shared", "L2", "DRAM")) + "."
    l1, shared, l2, dram = (cycles[place]
                            for place in ("L1", "shared", "L2", "DRAM"))
    p.text(0, 52, "an H200; cycles until a load has its word, measured")
    p.bottom = 64
    boxes(p, 0, WIDTH, (
        ("", ["SM 1", "SM 132"]), ("lane", "12341234"),
        ("math", ["64 KiB"] * 8), ("good", [""] * 8),
        ("shared", [f"shared {shared.split()[0]}, L1 {l1}"] * 2),
        ("l2", [f"L2, one for all SMs, {l2}"]),
        ("global", [f"DRAM, global memory: 141 GB at 4.8 TB/s, {dram}"])),
        WIDTH - 2)
    p.legend(("lane", "scheduler"), ("math", "its registers"),
             ("good", "FMA, tensor core"))


@picture("Which roof does each rung reach?")
def roofline(p: Picture) -> None:
    """A point for each rung, both axes logarithmic: to the right FFMA of a warp
    for each cycle of the L1, upwards TFLOP/s. A roof rises to the right until
    4, then it is level."""
    profiles = {record["chapter"]: record["profile"] for record
                in course.read_lines("docs/results/series_h200.jsonl")}
    with open("docs/results/h200_caches.txt", encoding="utf-8") as file:
        cycles = {line.split(",")[0]: float(line.split(", 4096 ")[1].split()[0])
                  for line in file if re.search(", 4096 +[0-9]", line)}
    size = SIZES[4]
    hertz = timed("gemm_01_naive")[size]["clocks_mhz"]["sm"] * 1e6
    slope = 132 * 2 * 32 * hertz / 1e12  # TFLOP/s of one FFMA a cycle
    points = []
    for chapter in measured():
        if chapter not in profiles:  # waits for make bench ncu=yes
            continue
        busy = cycles.get(chapter, profiles[chapter]["shared_load_wavefronts"]
                          / (4096**3 / 32))
        ms = timed(chapter)[size]["time_ms"]["median"]
        points.append((chapter, 1 / busy, 2 * 4096**3 / ms / 1e9))
    left, top, wide, high, first, low, last = 46, 74, 668, 560, 0.02, 0.3, 20

    def at(ffma: float, rate: float) -> Point:
        """Return the place of a point, both axes logarithmic."""
        return (left + wide * math.log(ffma / first, last / first),
                top + high * (1 - math.log(rate / low, 100 / low)))

    p.desc += " " + ", ".join(f"{name(chapter)}: {ffma:.2g} and {rate:.3g}"
                              for chapter, ffma, rate in points) + "."
    p.text(0, 52, "TFLOP/s, M = N = K = 4096, float32, one H200")
    p.path([(left, top), (left, top + high), (left + wide, top + high)])
    for rate in (1, 10, 4 * slope):
        p.text(left - 8, at(1, rate)[1], f"{rate:.0f}", anchor="end")
    for ffma in (0.03, 0.1, 0.5, 1, 4, 10):
        p.middle(at(ffma, 1)[0], top + high + 24, f"{ffma:g}")
    p.text(left + wide, top + high + 58,
           "FFMA of a warp for each cycle of the L1", anchor="end")
    p.path([at(first, first * slope), at(4, 4 * slope), at(last, 4 * slope)],
           BOLD)
    x, y = at(0.5, 0.5 * slope)
    p.text(x - 44, y, "all the L1 can do", anchor="end", bold=True)
    p.text(left + wide, at(1, 4 * slope)[1] - 22, "4 FFMA a cycle",
           anchor="end", bold=True)
    close: Dict[int, List[Tuple[float, float, str]]] = {}  # x, y, number
    for chapter, ffma, rate in points:
        x, y = at(ffma, rate)
        if ffma < 3:
            p.text(x + 14, y + 14, name(chapter)[:2])
        else:  # a line leads down to those of the same place
            close.setdefault(round(x / 12), []).append(
                (x, y, name(chapter)[:2]))
        p.circle(x, y, 8, role(chapter))
    for i, (_, beside) in enumerate(sorted(close.items())):
        (x, lowest, _), y = beside[0], at(1, 12)[1] + 36 * i
        p.path([(x, lowest + 8), (x, y - 16)], THIN)
        p.text(x + 10, y, ", ".join(number for *_, number in beside),
               anchor="end")


def report(p: Picture, chapter: str) -> None:
    """Draw what ncu reads of a launch at 4096: how busy parts are, and why warps wait."""
    record = next(record for record in course.read_lines("docs/results/series_h200.jsonl")
                  if course.short(record["chapter"]) == chapter)
    text = "".join(map(course.text_of, glob.glob(f"docs/results/h200_ncu_{chapter}.txt")))
    between = sum(record["stalls"].values())
    busy = {"Issue slots": record["profile"]["issue_slots_percent"],
            "FMA pipe": record["profile"]["fma_pipe_percent"], **dict(re.findall(
                r"^ +(L1/TEX Cache|L2 Cache|DRAM) Throughput +% +([\d.]+)", text, re.M))}
    waits = {name.title().replace("Lg", "LG").replace("Mio", "MIO"): cycles
             for name, cycles in record["stalls"].items() if name != "selected"}
    for head, section, whole, unit, values in (
            ("1  Is a part busy?", "Speed Of Light", 100, ".1f} %", busy),
            ("2  What do warps wait for?", "Warp State", between, ".2f}", waits)):
        y = p.bottom + 34
        p.text(0, y, head, bold=True)
        p.text(WIDTH, y, section, anchor="end")
        bars = sorted(((float(value), of) for of, value in values.items()), reverse=True)
        for i, (value, of) in enumerate(bars[:5]):
            at, said = y + 24 + 40 * i, f"{{:{unit}".format(value)
            p.text(0, at + 15, of)
            p.box(LEFT, at, 360 * value / whole, 30, "l2" if i else "bad", line=0)
            p.text(LEFT + 360 * value / whole + 8, at + 15, said, bold=not i)
            p.desc += f" {of} {said},"
    p.text(0, at + 56, f"of {between:.3g} cycles between two instructions of a warp")
    p.desc = p.desc[:-1] + "."


@picture("ncu's report of gemm_01: one part is full")
def report_gemm_01(p: Picture) -> None:
    """Two groups of bars. How busy parts are, and the reasons for which warps wait:"""
    report(p, "gemm_01")


@picture("ncu's report of gemm_07: no part is full")
def report_gemm_07(p: Picture) -> None:
    """Two groups of bars. How busy parts are, and the reasons for which warps wait:"""
    report(p, "gemm_07")
