"""What pages say in words of their own is what records and runs say; and records
are as docs/record.schema.json says.

Most numbers of a page are put there by tools/author/lessons.py. These stand in
sentences and tables that are written by hand: each is worked out here from what
it is about, and must be in its page, line breaks apart.
"""

import collections
import csv
import glob
import os
import re
import shlex
import subprocess
import sys
from typing import Dict, Iterator, List, Tuple

from tests.checks import close, expect, read, record_validator, write
from tests.gpu import stamps
from tools import checklist, counts, course, predict
from tools.author import ablation, tables

SMS = 132  # of an H200
# Variants of a pattern that gain 3 % nowhere: what the page says of them.
LOSES = {"cluster": "is for rows that fit no block",
         "ticket": "buys equal bits, not time", "chained": "each waits for the one before",
         "aggregated": "`wide` is faster than `aggregated` on all five inputs",
         "brent_kung": "but it is the slowest", "tile_swizzled": "4 % longer",
         "cached_halo": "two and a half times as long as `tiled`",
         "tiled": "all three are slower than the plain one"}
STREAM_K = "chapters/gemm_12_stream_k/README.md"


def says(page: str, text: str) -> None:
    """Expect a page to have this text."""
    words = " ".join(text.split())
    expect(f"{page} says: {words}", words in " ".join(read(page).split()))


def ceil_div(a: int, b: int) -> int:
    """Return a / b, rounded up."""
    return -(-a // b)


def ms(chapter: str, *size: int) -> float:
    """Return a recorded time."""
    return course.timed(chapter)[size]["time_ms"]["median"]


def printed(*command: str) -> str:
    """Return what a program prints, whatever its status."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT).stdout


def spread() -> None:
    """Times within a run and between runs."""
    page, results = "docs/how_we_measure.md", course.read_lines(course.RESULTS)
    spans = sorted(100 * (t["max"] - t["min"]) / t["median"]
                   for t in (record["time_ms"] for record in results) if t)
    says(page, f"at most {spans[len(spans) // 2]:.2f} % in half of the H200's "
         f"{len(spans)} records, at most {spans[len(spans) * 9 // 10]:.2f} % in "
         f"nine of ten, and {spans[-1]:.1f} % in the worst")
    library = collections.defaultdict(list)
    for record in results:
        if record["chapter"].startswith("gemm_"):
            library[tuple(record["size"][n] for n in "MNK")].append(
                record["baseline"]["time_ms"])
    apart = [100 * (max(library[n, n, n]) / min(library[n, n, n]) - 1)
             for n in (256, 512, 1024, 4096, 8192)]
    says(page, f"lie {apart[0]:.2f} % apart at 256, {apart[1]:.2f} % at 512, "
         f"and at most {max(apart[2:]):.2f} % at 1024 to 8192")


def ideas() -> None:
    """A rung is an idea: it carries half of what the rung gains, wherever that is
    2 %, and one or the other is worth 3 % somewhere. A rung without an idea to
    take out is all one idea, or it says in its first paragraph for whom it is;
    the last float32 one chooses between kernels."""
    for chapter in course.chapters("gemm")[1:-1] + course.chapters("tensor")[1:]:
        before, now = (course.timed(name) for name in (
            course.before(chapter) or "", chapter))
        worth = [tables.times_of_library(before[size]) / tables.times_of_library(now[size])
                 for size in before.keys() & now.keys()]
        if ablation.idea(chapter):
            shares = tables.idea_shares(chapter, 1.02)
            expect(f"{chapter}: its idea carries the gain, {shares}",
                   min(shares.values(), default=0) >= .5)
            worth += [without / now for _, without, now
                      in tables.idea_times(chapter).values()]
        first = read(f"chapters/{chapter}/README.md").split("\n\n")[1]
        expect(f"{chapter} is worth 3 % somewhere, {max(worth)}, or says for whom it is",
               max(worth) >= 1.03 or "stands here for" in first)


def variants() -> None:
    """A variant of a pattern gains 3 % over the one before at some recorded size,
    or the page says that it does not."""
    for chapter in course.chapters("patterns"):
        runs: Dict[str, Dict[str, float]] = collections.defaultdict(dict)
        for record in course.timed_variants(chapter):
            run = str([record["size"], record["time_ms"]["l2"]])
            runs[run][record["variant"]] = record["time_ms"]["median"]
        names = [*course.variants(chapter)]
        for before, name in zip(names, names[1:]):
            gains = [run[before] / run[name] for run in runs.values()
                     if before in run and name in run]
            if not gains or max(gains) >= 1.03:
                expect(f"{chapter}, {name}: recorded beside {before}", bool(gains))
            elif name in LOSES:
                says(f"chapters/{chapter}/README.md", LOSES[name])
            else:
                expect(f"{chapter}, {name}: at most {max(gains)} times as fast", False)


def waves() -> None:
    """The busiest SM of gemm_08, gemm_09 and gemm_12."""
    for chapter, wide in (("gemm_08_double_buffer", 128),
                          ("gemm_09_autotune", 256)):
        tiles = [ceil_div(ceil_div(n, 128) * ceil_div(n, wide), SMS)
                 for n in (4096, 4097)]
        more = ms(chapter, 4097, 4097, 4097) / ms(chapter, 4096, 4096, 4096)
        says("chapters/gemm_09_autotune/README.md",
             f"| {chapter[:7]}, 128 x {wide} | {tiles[0]} tiles, "
             f"{tiles[1]} tiles | {tiles[1] / tiles[0]:.3f}x | {more:.3f}x |")
    for size, shared, blocks in (((1024,) * 3, 32, 128), ((4096,) * 3, 116, SMS),
                                 ((4097,) * 3, 33, SMS), ((8192,) * 3, 68, SMS),
                                 ((512, 512, 8192), 8, 128)):
        tiles = ceil_div(size[0], 128) * ceil_div(size[1], 256)
        steps = ceil_div(size[2], 8)
        busiest = tiles // SMS * steps + ceil_div(shared * steps, blocks)
        expect(f"{size}: what fills no round", shared == tiles % SMS)
        says(STREAM_K, f"| {busiest:,} | "
             f"{ceil_div(tiles, SMS) * steps / busiest:.2f} |")
    line = range(0, 98 * 224, 224)  # where tiles begin
    cuts = {98 * 224 * block // SMS for block in range(SMS)}
    says(STREAM_K, f"stream-K {len(cuts.union(line))}.")


def remedies() -> None:
    """What the ablations of gemm_07 count."""
    chapter = "gemm_07_bank_conflict"
    os.makedirs("build/claims", exist_ok=True)
    for name, text in ablation.texts_of(chapter).items():
        if name.startswith("a pointer"):
            continue
        source = "build/claims/" + name.replace(" ", "_") + ".cu"
        write(source, text)
        errors = printed("simulator/simcc", "-I", "common", source,
                         "build/simulator/libcommon.a", "-o", source[:-3])
        run = course.run([source[:-3], *"--M 256 --N 256 --K 256".split()])
        values = run.records[0]["counts"] if run.records else {}
        expect(f"{name}: {errors or run.errors}", bool(values))
        says("docs/experiments/bank_remedies.md", " | ".join(
            ["| " + name.replace("all of it", "gemm_07"),
             *(f"{values.get(counter, 0):,}" for counter in (
                 "shared_load_requests", "shared_load_wavefronts",
                 "shared_load_bank_conflicts", "shared_store_wavefronts",
                 "global_store_sectors"))]) + " |")


def padding() -> None:
    """wmma_padding: the wavefronts that a tile is spared, and the time."""
    page = "chapters/wmma_padding/README.md"
    timed = course.by_variant("wmma_padding")
    (plain, size), (padded, _) = ((record["time_ms"]["median"], record["size"])
                                  for record in timed.values())
    before, now = (block.counts for block in tables.columns_of("wmma_padding").values())
    # 256 x 256 x 256 are two blocks of 128 x 256, and tiles are 32 deep.
    loads, stores = (int(before[name].value - now[name].value) // 16
                     for name in ("shared_load_wavefronts", "shared_store_wavefronts"))
    waited = ((loads + stores) * size["K"] // 32
              * ceil_div(size["M"] // 128 * size["N"] // 256, SMS) / 1.98e6)
    says(page, f"make it {plain / padded:.2f} times as fast")
    says(page, f"takes {loads:,} wavefronts from the loads, and adds {-stores} to")
    says(page, f"saves {loads + stores:,} wavefronts for each tile. At {size['M']} it "
         f"has {size['K'] // 32} tiles")
    says(page, f"these wavefronts are {waited:.3f} ms. Measured: {plain - padded:.3f} ms")
    expect("five of six of wmma's wavefronts are conflicts",
           before["shared_load_bank_conflicts"].value * 6
           == before["shared_load_wavefronts"].value * 5)


def plans() -> None:
    """The 30 sizes to which gemm_13's plan was not fitted, on an H100."""
    name = "gemm_13_every_shape"
    args = read(f"chapters/{name}/checks").split("nobody fitted")[1].split("[")[0]
    unseen = [[*map(int, line.split()[1::2])] for line in args.splitlines()
              if line.startswith("--M")]
    ratios = [record["baseline"]["ratio"]
              for record in course.read_lines(course.OTHERS)
              if record["chapter"] == name
              and [record["size"][side] for side in "MNK"] in unseen]
    expect(f"{name}: a record of each size", len(ratios) == len(unseen))
    expect(f"{name}: .95 of cuBLAS at each", min(ratios) >= .95)
    says("docs/experiments/stream_k.md", f"at all {len(unseen)}; the least is "
         f"{100 * min(ratios):.1f} %")
    again = re.findall(r"([\d.]+) of cuBLAS", read("docs/results/h200_plans.txt"))
    expect(f"{name}: as many on an H200", len(again) == len(unseen))
    says("docs/experiments/stream_k.md",
         f"the least is {100 * min(map(float, again)):.1f} %](")


def tensor() -> None:
    """What the L2 is asked for at 8192, and what trials took."""
    def rows(path: str) -> Dict[str, List[str]]:
        """Return of each line kernel and size, and the numbers behind them."""
        parts = [re.split("  +", line.strip()) for line in read(path).splitlines()]
        return {" ".join(part[:2]): part[2].split() for part in parts if part[2:]}

    page = "docs/experiments/tensor_account.md"
    lines = read("docs/results/h100_tensor_steps.csv").splitlines()
    handled = {line["8192"]: int(line["sectors of the L2"].replace(",", ""))
               for line in csv.DictReader(lines)}
    for chapter in course.chapters("tensor")[4:9]:
        asked = 2048 * 128 * (128 + 256 * (.5 if "cluster" in chapter else 1)) * 128
        short = course.short(chapter)
        says(page, f"| {short} | {asked / 32e6:.0f} | {handled[short] / 1e6:.0f} | "
             f"{asked / ms(chapter, 8192, 8192, 8192) / 1e9:.1f} |")
    runs = {("tensor_08", "tensor_07"): tables.by_size(
        course.timed("tensor_07_tma_store").values()), **tables.ablation_runs()}
    for number, variants in ((8, (
            ("tensor_07", "tensor_07"),
            ("a group that only asks", "blocks that stay"),
            ("blocks that stay", "a group that only asks"),
            ("both: tensor_08", "tensor_08"))), (9, (
            ("tensor_09", "tensor_09"),
            ("bands as high as tensor_08's", "higher bands"),
            ("all 66 clusters at work", "idle clusters"),
            ("no multicast", "multicast")))):
        for name, without in variants:
            found = runs[f"tensor_0{number}", without]
            cells = [f"{100 * found[size]['baseline']['ratio']:.1f} %"
                     for size in ("4096", "8192", "8192x8192x1024")]
            says(f"chapters/{course.chapters('tensor')[number - 1]}/README.md",
                 " | ".join([f"| {name}", *cells]) + " |")
    pauses = {line["chapter"]: int(line["median pause"]) for line in csv.DictReader(
        read("docs/results/h200_tensor_trace.csv").splitlines())}
    for chapter in stamps.BEHIND:
        stamps.text_of(chapter)  # ends here if the places of the stamps are gone
    says("chapters/tensor_10_epilogue/README.md",
         f"find {round(pauses['tensor_08'], -2):,} in tensor_08, and "
         f"{round(pauses['tensor_10'], -2):,} here")
    trials = rows("docs/results/h100_tensor_trials.txt")
    for pad, where in ((0, "lines"), (64, "lines"), (8, "multiples of 16 bytes")):
        cells = [trials[f"{short}, --pad {pad} 4096x4096x4096"][1]
                 for short in ("tensor_08", "tensor_09")]
        says("chapters/tensor_09_cluster/README.md",
             f"| `--pad {pad}` | {where} | {cells[0]} | {cells[1]} |")


def lines() -> None:
    """Numbers of a file, and messages."""
    for line in read("tests/golden/register_banks_h200.csv").splitlines()[1:]:
        name, cycles = line.split(",")[:2]
        if name in ("e e o", "e e e", "k* e o", "k* e e"):
            shown = name.replace("*", r"\*")
            says("docs/experiments/register_banks.md",
                 f"| {shown} | {float(cycles):.1f} |")
    chapter = "gemm_09_autotune"
    message = printed("simulator/simcc", "-I", "common", "-DBM=128", "-DBN=128",
                      "-DBK=8", "-DTM=16", "-DPUT_AT=5",
                      f"chapters/{chapter}/{chapter}.cu", "-o", "build/never")
    expect("gemm_09 refuses a tile by its assertion",
           "a thread brings half a row of 8 steps of A" in message, message)
    kernel = read("chapters/gemm_12_stream_k/gemm_12_stream_k.cu")
    expect("gemm_12 counts its workspaces", "threads launch GEMMs that share "
           "tiles; there are workspaces" in kernel)


def waits() -> None:
    """What warps wait for, and the loops that they run."""
    series = {record["chapter"][:7]: record
              for record in course.read_lines(tables.SERIES)}
    stalls = series["gemm_01"]["stalls"]
    says("chapters/gemm_01_naive/README.md", f"lie {sum(stalls.values()):.0f} cycles, "
         f"and for {int(stalls['lg throttle'])} of them")
    loop = series["gemm_03"]["loop"]
    trips = 2 * loop["LDS.128"] + loop["LDS.32"] + loop["STS"] + loop["LDG"]
    says("chapters/gemm_03_shared_tile/README.md",
         f"{loop['LDS.128']} x 2 + {loop['LDS.32']} + {loop['STS']} + {loop['LDG']} "
         f"= {trips} trips for {loop['FFMA']} FFMA")
    says("chapters/gemm_03_shared_tile/README.md",
         f"| trips per FFMA | 2 | {trips / loop['FFMA']} |")
    says("chapters/gemm_05_thread_tile_2d/README.md",
         f"loop's {sum(series['gemm_05']['loop'].values())} instructions")


def readings() -> None:
    """Nsight Compute's counters, those read last, beside the chapters' counts."""
    last = {(record["chapter"], record["args"]): record["counts"]
            for record in course.read_lines("docs/results/ncu_h200.jsonl")}
    pairs = [(key, counts.find(checklist.counts(key[0]), key[1]), values)
             for key, values in last.items()]
    for key, block, values in pairs:
        if block:
            differ = ", ".join(counts.differ(block, values))
            expect(f"counts of {key}: {differ} without a cause", not differ)
    expect("some were compared", any(block for _, block, _ in pairs))


def faults(record: dict) -> Iterator[Tuple[str, dict]]:
    """Yield what must be refused: a record with a fault, each with its name."""
    for field in record:
        yield f"no {field}", {name: value for name, value in record.items()
                              if name != field}
    for field, value in (("verified", "yes"), ("backend", "cpu"),
                         ("chapter", 3), ("counts", []), ("size", "big")):
        yield f"{field} = {value!r}", {**record, field: value}


def records() -> None:
    """Records, of each chapter in the simulator and in docs/results, are as
    docs/record.schema.json says."""
    validator = record_validator()
    if not validator:
        return

    def fits(what: str, record: dict) -> None:
        errors = [f"{'/'.join(map(str, error.path))}: {error.message}"[:200]
                  for error in validator.iter_errors(record)]
        expect(what, not errors, "\n".join(errors))

    for chapter in course.recorded():
        smallest = shlex.split(checklist.sizes(chapter)[0])
        run = course.run([f"build/simulator/{chapter}", *smallest]).records
        names = [record["variant"] for record in run]
        expect(f"{chapter}: one record for each variant",
               bool(run) and len(set(names)) == len(names) and
               (None not in names or len(names) == 1))
        for record in run:
            fits(f"{chapter}: its record", record)
            expect(f"{chapter}: its name, and no time in the simulator",
                   record["chapter"] == chapter and record["time_ms"] is None
                   and record["gflops"] is None)
    for what, record in faults(run[-1]):
        expect(f"refuses a record: {what}", not validator.is_valid(record))
    for path in sorted(glob.glob("docs/results/*.jsonl")):
        if os.path.basename(path).startswith(("ncu_", "series_")):
            continue  # counters
        for number, record in enumerate(course.read_lines(path), 1):
            fits(f"{path}:{number}", record)


def exam() -> None:
    """The answers of solutions/exam.md are what their commands count.

        $ make chapter=gemm_01 run on=simulator args="--M 96 --N 40 --K 50"
        global_load_requests 12,000 = 120 * 2 * 50

    A command is typed as it stands there; each line below it names a counter that
    it prints, the number, and the arithmetic behind it.
    """
    questions, answers = (
        dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", read(path), re.M))
        for path in ("docs/exam.md", "solutions/exam.md"))
    expect("a question for each chapter with an exercise, in their order, and an answer",
           list(questions) == list(answers) == [
               name for name in course.chapters() if name in questions
               or os.path.exists(f"chapters/{name}/exercise.md")])
    for chapter, text in answers.items():
        output, numbers = "", 0
        for line in re.findall(r"^    (.*)", text, re.M):
            if line.startswith("$ "):
                output = printed("sh", "-c", line[2:])
                continue
            name, number, derived = re.fullmatch(r"(\w+) ([\d,]+) = (.*)", line).groups()
            counted = re.findall(rf"\b{name}:? +([\d,.]+\d|\d)", output)
            expect(f"{chapter} {line}", counted[:1] == [number]
                   and predict.arithmetic(derived) == float(number.replace(",", "")),
                   f"counted {counted}\n{output}")
            numbers += 1
        expect(f"{chapter} has a number", numbers > 0)


if __name__ == "__main__":
    subprocess.run(["make", "-s", "build/simulator/libcommon.a"], check=True)
    for claim in (spread, ideas, variants, waves, remedies, padding, plans, tensor, lines,
                  waits, readings, records, exam):
        claim()
    sys.exit(close())
