"""The tables of pages: <!-- table NAME ... -->, made from counts and records.

    counts X rows=A,B [variants=V,W]
                            counters of the variants, or of a chapter and the
                            one before; Nsight Compute's, where they differ
    by X OPTION COUNTER variants=V,W
                            the counter of variants, by a word of their runs
    results X sizes=1024,512x512x8192
                            times, beside the chapter before and cuBLAS's, and
                            what is lost without the idea; of attention without
                            sizes=: all
    variants X [variants=V,W]
                            time, rate, share of library and limit
    sizes X [variants=V,W] [NAME=VALUE...] [steps|times]
                            the variants at every size, or at these; steps: how
                            many times as fast as the variant before; times: no
                            shares of library and limit
    limits X [rows=A,B]     the least time that each resource allows a variant,
                            or a gemm chapter at a size; of "ladder" every rung
    ablation X | NAME | ... what a chapter is worth without an idea; a chapter
                            among the names begins its own
    shares A | B || ROW | X: NAME | Y: NAME || ...
                            such numbers side by side, at 4096
    rungs [of=A,B] WHAT...  what Nsight Compute reads of one launch, with _ for
                            blanks: a word of read_of(), a reason to wait, a
                            kind of instruction of the busiest loop
    pitches N...            lanes N words apart: what a load costs in the L1
    banks WORDS | EXPLORER STATE || ...
                            an access of a warp, as the explorer shows it in that
                            state, and what an H200 took for it
    file PATH               a file of values with commas between
    ladder [GROUP]          the gemm chapters, or those of this group
    patterns                those of several variants
    matrix                  share of cuBLAS, rungs by sizes
    counters                counter, meaning, Nsight Compute's metric
    cards                   kinds of GPU, and the chapters that run on each
    badges                  what opens the course elsewhere, where it lies somewhere
    experiments             the pages of docs/experiments
    gpus A B | X VARIANT SIZE... | ...
                            the same kernels in two files of docs/results
"""

import csv
import glob
import os
import re
from typing import Callable, Dict, Iterable, List, Optional, Tuple

from tools import cards, checklist, counts, course, limits, metrics
from tools.author import ablation, elsewhere
from tools.author.outputs import Stale

NCU = "docs/results/ncu_h200.jsonl"
SERIES = "docs/results/series_h200.jsonl"
ABLATION = [f"docs/results/{gpu}_ablation.jsonl" for gpu in ("h200", "h100")]


def table(head: List[str], rows: List[List[str]], text: int = 1) -> List[str]:
    """Return a Markdown table; columns after the first @p text stand right."""
    rule = ["---"] * text + ["---:"] * (len(head) - text)
    return ["| " + " | ".join(row) + " |" for row in [head, rule, *rows]]


def number(value: float) -> str:
    """Three significant digits or more: 12.3, 1.23, 0.0123, 1,234."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def percent(record: Optional[dict], what: str) -> str:
    """Return the share of the baseline or of the limit, or a dash."""
    share = record and record[what] and record[what]["ratio"]
    return f"{100 * share:,.{0 if share >= 10 else 1}f} %" if share else "-"


def options(words: List[str]) -> Tuple[List[str], Dict[str, List[str]]]:
    """Return the words of a marker, and A and B of its NAME=A,B."""
    rest: List[str] = []
    named: Dict[str, List[str]] = {}
    for word in words:
        name, _, values = word.partition("=")
        if name in ("rows", "sizes", "variants", "of"):
            named[name] = values.split(",")
        else:
            rest.append(word)
    return rest, named


def not_measured(what: str) -> List[str]:
    """Return what stands in the place of a table without records."""
    return [f"Not measured yet: docs/results has no record of {what}."]


# ---- counts -----------------------------------------------------------------


def ncu_counts(chapter: str, args: str) -> Dict[str, float]:
    """Return what Nsight Compute read for a chapter and a command line."""
    return next((record["counts"] for record in course.read_lines(NCU)
                 if (record["chapter"], record["args"]) == (chapter, args)), {})


def columns_of(chapter: str) -> Dict[str, checklist.Block]:
    """Return the claims for each variant; or for the chapter before and this."""
    blocks = checklist.counts(chapter)
    columns: Dict[str, checklist.Block] = {}
    for block in blocks:
        match = re.search(r"--variant[ =](\S+)", block.args)
        if match:
            columns.setdefault(match.group(1), block)
    if not blocks or columns:
        return columns
    last = course.before(chapter)
    if last:
        columns[course.short(last)] = (
            counts.find(checklist.counts(last), blocks[0].args)
            or blocks[0]._replace(counts={}))
    columns[course.short(chapter)] = blocks[0]
    return columns


def counts_table(words: List[str]) -> List[str]:
    """What is counted; what Nsight Compute reads, if it differs, and why."""
    (chapter,), named = options(words)
    columns = columns_of(chapter)
    columns = {name: columns[name] for name in named.get("variants", columns)}
    names = named["rows"]
    last = course.before(chapter) or chapter
    for name in names:
        if not any(name in block.counts for block in columns.values()):
            raise Stale(f"{name} is not counted in its checks")
    rows = []
    for name in names:
        row = [f"`{name}`"]
        for column, block in columns.items():
            claim = block.counts.get(name)
            text = counts.show(claim.value if claim else None)
            if claim and claim.cause:
                read = ncu_counts(last if column == course.short(last)
                                  else chapter, block.args).get(name)
                text += f" ({counts.show(read)})"
            row.append(text)
        rows.append(row)
    sizes = sorted({re.sub(r"\s*--variant[ =]\S+\s*", "", block.args)
                    for block in columns.values()},
                   key=lambda line: [(int(word), "") if word.isdigit()
                                     else (0, word) for word in line.split()])
    note = " or ".join(f"`{line}`" for line in sizes)
    note += ", counted in the simulator"
    own = {column: block for column, block in columns.items()
           if last == chapter or column != course.short(last)}
    why = causes(own, names)
    if any("(" in cell for row in rows for cell in row):
        note += "; in brackets what Nsight Compute read, "
        note += ("below why it differs" if why
                 else f"{course.short(last)} says why it differs")
    return table(["counter", *columns], rows) + ["", note + ".", *why]


def causes(columns: Dict[str, checklist.Block], names: List[str]) -> List[str]:
    """Return why Nsight Compute reads other numbers, each cause once.

    "the same" is the cause that stands before it.
    """
    columns_of_cause: Dict[Tuple[str, str], List[str]] = {}
    for column, block in columns.items():
        counters_of: Dict[str, List[str]] = {}
        last = ""
        for name in names:
            cause = block.counts[name].cause if name in block.counts else ""
            if cause:
                last = last if cause == "the same" and last else cause
                counters_of.setdefault(last, []).append(f"`{name}`")
        for cause, counters in counters_of.items():
            columns_of_cause.setdefault(
                (", ".join(counters), cause), []).append(column)
    lines = [f"- {', '.join(names)}, {counters}: {cause}."
             for (counters, cause), names in columns_of_cause.items()]
    return ["", *lines] if lines else []


def by_table(words: List[str]) -> List[str]:
    """A counter of some variants, by what an option of their runs says."""
    (chapter, option, counter), named = options(words)
    cells: Dict[str, Dict[str, str]] = {}  # of the first such run
    for block in checklist.counts(chapter):
        args = block.args.split()
        given = dict(zip(args[::2], args[1::2]))
        if f"--{option}" in given and counter in block.counts:
            cells.setdefault(given["--variant"], {}).setdefault(
                given[f"--{option}"], counts.show(block.counts[counter].value))
    columns = list(cells[named["variants"][0]])
    return table(["", *columns], [
        [variant, *(cells[variant].get(column, "-") for column in columns)]
        for variant in named["variants"]])


def cards_table(_: List[str]) -> List[str]:
    """What runs on which GPU."""
    return table(cards.COLUMNS, list(map(cards.row, cards.CARDS)), text=6)


def badges_table(_: List[str]) -> List[str]:
    """Links to Colab and Codespaces."""
    return elsewhere.badges()


def pitches_table(words: List[str]) -> List[str]:
    """What the L1 needs for a load of 32 lanes, by the rule and measured."""
    head = ["pitch", "lines", "lines / 4, up", "words in the busiest bank",
            "cycles measured"]
    rows = []
    with open("simulator/tests/golden/global_load_cycles.csv",
              encoding="utf-8") as file:
        for pitch, cycles, *_ in csv.reader(file):
            if pitch in words:
                lines = min(int(pitch), 32)
                meet = max(n for n in (32, 16, 8, 4, 2, 1)
                           if int(pitch) % n == 0)
                rows.append([pitch, str(lines), str(-(-lines // 4)), str(meet),
                             f"{float(cycles):.2f}"])
    return table(head, rows)


def lanes_of(explorer: str, state: Dict[str, int]) -> Tuple[str, List[int]]:
    """Return the access that an explorer shows, and where its lanes begin, in accesses."""
    width, rows, lanes = state.get("width", 4), state.get("rows", 32), range(32)
    if explorer == "fragments":
        pitch, some = (state.get("row", 64) + state.get("pad", 0)) // 8, state.get("swizzle", 0) * 7
        return "ldmatrix_x4 16", [l % 16 * pitch + (l // 16 ^ l & some) for l in lanes]
    pitch = (state.get("stride", 32) + state.get("pad", 0)) * 4 // width
    kind = "with XOR" if state.get("swizzle") else "store" if state.get("store") else "load"
    return (f"{kind} {width}",
            [l * rows // 32 * pitch + l % (32 // rows) for l in lanes])


def banks_table(words: List[str]) -> List[str]:
    """What accesses to shared memory take on an H200, each with its explorer."""
    measured: Dict[str, Dict[str, str]] = {}
    for path in sorted(glob.glob("simulator/tests/golden/*.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                measured.setdefault(row.get("offsets", ""), {}).update(row)
    rows = []
    for said, explorer, text in (re.split(r" \| | (?=\S+$)", one)
                                 for one in " ".join(words).split(" || ")):
        access, offsets = lanes_of(explorer, {
            name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", text)})
        try:
            took, more = (int(measured[" ".join(map(str, offsets))][f"shared {access} {what}"])
                          for what in ("wavefronts", "bank_conflicts"))
        except KeyError:
            raise Stale(f"{said}: an H200 was not asked") from None
        rows.append([f"[{said}](explorers.md#{explorer})<!-- {text} -->",
                     str(took), str(took - more), str(more)])
    return table(["access of a warp", "wavefronts", "least", "conflicts"], rows)


def counters_table(_: List[str]) -> List[str]:
    """The counters, what they mean, and Nsight Compute's names."""
    rows = [[f"`{name}`", metric.meaning,
             " + ".join(f"`{part}`" for part in metric.parts) or "-"]
            for name, metric in metrics.METRICS.items()]
    return table(["counter", "meaning", "Nsight Compute"], rows, text=3)


# ---- times ------------------------------------------------------------------


# TFLOP/s of an H200's data sheet: float32, and bfloat16 by tensor cores.
PEAKS = {"gemm": 67, "tensor": 989, "attention": 989}
USUAL = {"attention": (4, 16, 4096, 128, 0)}  # sizes in README; else 4096


def times_of_library(record: dict) -> float:
    """Return how many times as long as the library a run took, in the same
    process: two GPUs of one kind have clocks that are 2 % apart."""
    return 1 / record["baseline"]["ratio"]


def results_table(words: List[str]) -> List[str]:
    """Times by size; how many times as fast as the chapter before, the library's
    times taken as equal; beside the machine and the library."""
    (chapter,), named = options(words)
    peak = PEAKS[chapter.partition("_")[0]]
    last = course.before(chapter)
    now, old = course.timed(chapter), course.timed(last) if last else {}
    sizes = [tuple(map(int, size.split("x"))) for size in named["sizes"]] \
        if "sizes" in named else list(now) or [USUAL["attention"]]
    sizes = [size * 3 if len(size) == 1 else size for size in sizes]
    missing = [size for size in sizes if size not in now]
    if missing:
        return not_measured(f"{chapter} at {missing[0]}")
    square = all(len(set(size)) == 1 for size in sizes)
    head = ["M = N = K" if square else "M x N x K" if "sizes" in named
            else "b x h x s x d"]
    head += ["ms"] + [f"faster than {course.short(last or '')}"] * bool(last)
    head += ["TFLOP/s, of peak", "of cuBLAS"]
    rows = []
    for size in sizes:
        ms = now[size]["time_ms"]["median"]
        row = [str(size[0]) if square else " x ".join(map(str, size[:4]))
               + ", causal" * (size[4:] == (1,)), number(ms)]
        if last:
            row += [f"{times_of_library(old[size]) / times_of_library(now[size]):.2f}x"
                    if size in old else "-"]
        speed = now[size]["gflops"] / 1000
        rows.append([*row, f"{number(speed)}, {100 * speed / peak:.0f} %",
                     percent(now[size], "baseline")])
    first = now[sizes[0]]
    return table(head, rows) + [
        "", f"{first['device']}, median, L2 {first['time_ms']['l2']}"
        + "; faster by the shares of cuBLAS" * bool(last) +
        " ([how we measure](../../docs/how_we_measure.md)).", *(
            idea_lines(chapter) if ablation.idea(chapter) else [])]


def title(chapter: str) -> str:
    """Return the title of a chapter's lesson."""
    heading = re.search("^# (.*)", course.text_of(
        f"chapters/{chapter}/README.md"), re.M)
    return heading[1] if heading else ""


def link(chapter: str) -> str:
    """Return a link from README.md to a chapter's lesson."""
    return f"[{chapter}](chapters/{chapter}/README.md)"


def ladder_table(words: List[str]) -> List[str]:
    """The chapters of a group: link, title, result at 4096."""
    rows = []
    group = words[0] if words else "gemm"
    for chapter in course.chapters(group):
        record = course.timed(chapter).get(USUAL.get(group, (4096,) * 3))
        rows.append([link(chapter), title(chapter), *(
            [number(record["time_ms"]["median"]),
             number(record["gflops"] / 1000)] if record else ["-", "-"]),
            percent(record, "baseline")])
    return table(["chapter", "idea", "ms at 4096", "TFLOP/s", "of cuBLAS"],
                 rows, text=2)


def patterns_table(_: List[str]) -> List[str]:
    """The other chapters: link, title, the fastest variant beside the rest."""
    rows = []
    for chapter in course.chapters("patterns"):
        timed = course.by_variant(chapter)
        cells = ["-"] * 5
        if timed:
            times = {name: record["time_ms"]["median"]
                     for name, record in timed.items()}
            first, best = next(iter(times)), min(times, key=lambda v: times[v])
            cells = [course.size_words(timed[best]), best.replace("_", " "),
                     number(times[best]),
                     f"{number(times[first] / times[best])}x",
                     percent(timed[best], "baseline")]
        rows.append([link(chapter), title(chapter), *cells])
    head = ["chapter", "idea", "size", "fastest", "ms",
            "faster than the first", "of the library"]
    return table(head, rows, text=4) if rows else []


def variants_table(words: List[str]) -> List[str]:
    """The variants of a chapter: times and shares."""
    (chapter,), named = options(words)
    timed = course.by_variant(chapter)
    if not timed:
        return not_measured(chapter)
    rows = [[variant, number(timed[variant]["time_ms"]["median"]),
             number(timed[variant]["gbytes_per_s"]),
             percent(timed[variant], "baseline"),
             percent(timed[variant], "limit")]
            for variant in named.get("variants", timed)]
    head = ["variant", "ms", "GB/s", "of the library", "of the limit"]
    head, *rows = limits.known([head, *rows])  # some chapters have no library
    first = next(iter(timed.values()))
    return table(head, rows) + [
        "", f"{first['device']}, CUDA {first['toolkit']}, "
            f"{course.size_words(first)}; median, L2 cache "
            f"{first['time_ms']['l2']}."]


def limits_table(words: List[str]) -> List[str]:
    """The least time each resource allows a variant or a rung, and the time."""
    (chapter,), named = options(words)
    usual = (4096,) * 3
    records = limits.recorded(chapter) if chapter != "ladder" else {
        course.short(rung): course.timed(rung)[usual]
        for rung in course.chapters("gemm") if usual in course.timed(rung)}
    if "rows" in named:
        records = {name: records[name] for name in named["rows"]}
    rows = limits.rows(records, known_only=True)
    if not rows:
        return not_measured(chapter)
    first = next(iter(records.values()))
    head = [f"{name} (ms)" if name not in ("variant", "largest / time")
            else name for name in limits.HEAD]
    head, *rows = limits.known([head, *rows])
    where = first["device"]
    if first["variant"] or chapter == "ladder":
        where += f", {course.size_words(first)}"
    else:
        head[0] = "M = N = K, or MxNxK"
    return table(head, rows) + [
        "", f"{where}; `make chapter={course.short(first['chapter'])} limits`."]


# What a record's share of the limit is a share of.
LIMITS = {"read": "reading the same bytes", "copy": "copying the same bytes",
          "dram": "the memory's speed on paper",
          "fp32": "the multiply-adds' speed on paper"}


def share_cell(record: Optional[dict], shares: List[str]) -> str:
    """Return a time, and below it its share of the library or the limit."""
    if not record:
        return "-"
    time = f"{number(1e3 * record['time_ms']['median'])} us"
    return "<br>".join(filter(None, [
        time, ", ".join(percent(record, share) for share in shares)]))


def step_cells(column: List[dict]) -> List[str]:
    """Return the time of the first variant, and how many times as fast each of
    the others is as the one before."""
    times = [record["time_ms"]["median"] for record in column]
    return [f"{number(1e3 * times[0])} us",
            *(f"{before / ms:.2f}x" for before, ms in zip(times, times[1:]))]


def heads_of(sizes: List[Tuple[str, str]],
             wanted: List[str]) -> Tuple[List[str], List[str]]:
    """Return the heads of columns for sizes and states of the L2, and what all
    columns have in common, which stands below the table."""
    heads = [[*size.split(), f"L2 {l2}"] for size, l2 in sizes]
    common = wanted if len(heads) == 1 else [
        word for word in heads[0] if all(word in head for head in heads)]
    return [" ".join(word for word in head if word not in common)
            .replace(" L2", ", L2") for head in heads], common


def meaning(records: List[dict], shares: List[str]) -> str:
    """Return what the cells with these shares say."""
    kinds = {record["limit"]["name"] for record in records if record["limit"]}
    limit = " or ".join(words for name, words in LIMITS.items() if name in kinds)
    names = {"baseline": "the library", "limit": f"the limit ({limit})"}
    return "Median time" + ", below it its share of " * bool(shares) + \
        " and of ".join(names[share] for share in shares)


def sizes_table(words: List[str]) -> List[str]:
    """The variants by size and state of the L2: share of library and limit, or
    how many times as fast each is as the one before, or neither."""
    (chapter, *wanted), named = options(words)
    how = wanted.pop() if wanted[-1:] in (["steps"], ["times"]) else ""
    steps = how == "steps"
    records = [record for record in course.timed_variants(chapter)
               if set(wanted) <= set(course.size_words(record).split())
               and record["variant"] in named.get("variants",
                                                  [record["variant"]])]
    if not records:
        return not_measured(" ".join([chapter, *wanted]))
    variants = list(dict.fromkeys(record["variant"] for record in records))
    columns: Dict[Tuple[str, str], Dict[str, dict]] = {}
    for record in records:
        size = course.size_words(record), record["time_ms"]["l2"]
        columns.setdefault(size, {})[record["variant"]] = record
    bytes_of = {size: next(round(
        record["gbytes_per_s"] * record["time_ms"]["median"])
        for record in column.values()) for size, column in columns.items()}
    sizes = sorted((size for size in columns
                    if not steps or len(columns[size]) == len(variants)),
                   key=lambda size: (bytes_of[size], size))
    shares = [share for share in ("baseline", "limit")
              if how != "times" and any(record[share] for record in records)]
    cells = [step_cells([columns[size][variant] for variant in variants])
             if steps else [share_cell(columns[size].get(variant), shares)
                            for variant in variants] for size in sizes]
    heads, common = heads_of(sizes, wanted)
    what = ("Median time, then how many times as fast as the variant before"
            if steps else meaning(records, shares))
    return table(["variant", *heads], list(map(list, zip(variants, *cells)))) + [
        "", f"{what}; {', '.join([records[-1]['device'], *common])}."]


def matrix_table(_: List[str]) -> List[str]:
    """Share of cuBLAS, a row for each rung, a column for each size of the
    first one; a rung may be timed at more."""
    shares = {chapter: course.timed(chapter)
              for chapter in course.chapters("gemm")}
    sizes = sorted(next(filter(None, shares.values()), {}),
                   key=lambda s: (len(set(s)) > 1, s[0] * s[1] * s[2]))
    rows = []
    for chapter, timed in shares.items():
        cells = [f"{timed[size]['baseline']['ratio']:.3f}"
                 if size in timed and timed[size]["baseline"] else "-"
                 for size in sizes]
        rows.append([course.short(chapter), *cells])
    head = [str(s[0]) if len(set(s)) == 1 else "x".join(map(str, s))
            for s in sizes]
    return table(["M = N = K, or MxNxK", *head], rows)


def gpus_table(words: List[str]) -> List[str]:
    """Times of the same kernels on two GPUs, by their ratio."""
    files, *kernels = [part.split() for part in " ".join(words).split(" | ")]
    rows = []
    records = [[record for record
                in course.read_lines(f"docs/results/{name}.jsonl")
                if record["time_ms"]] for name in files]
    for chapter, *wanted in kernels:
        name = course.find_chapter(chapter)
        a, b = (next(record["time_ms"]["median"] for record in timed
                     if record["chapter"] == name
                     and {*wanted} <= {record["variant"],
                                       *course.size_words(record).split()})
                for timed in records)
        rows.append((b / a, a, b, " ".join(
            [chapter, *(word for word in wanted if "=" not in word)])))
    a, b = (name.upper() for name in files)
    return table(["kernel", f"{a} (ms)", f"{b} (ms)", f"{b} / {a}"], [
        [name, f"{first:.4g}", f"{second:.4g}", f"{ratio:.2f}"]
        for ratio, first, second, name in sorted(rows)])


# ---- variants of a rung -----------------------------------------------------


def by_size(records: Iterable[dict]) -> Dict[str, dict]:
    """Return records by their size as make ablation names it, of each the
    first."""
    found: Dict[str, dict] = {}
    for record in records:
        found.setdefault(course.size_name(record["size"]), record)
    return found


def ablation_runs() -> Dict[Tuple[str, str], Dict[str, dict]]:
    """Return the records of each variant of a rung, by size; of two GPUs those
    of the first."""
    runs: Dict[Tuple[str, str], List[dict]] = {}
    for record in course.read_lines(*ABLATION):
        short = course.short(record["chapter"])
        name = record["variant"].replace("all of it", short)
        runs.setdefault((short, name), []).append(record)
    return {key: by_size(records) for key, records in runs.items()}


def idea_times(chapter: str) -> Dict[str, List[float]]:
    """Return the times of the rung before, of this one without its idea alone,
    and of this one, in the library's, at each size that is recorded."""
    runs, short = ablation_runs(), course.short(chapter)
    three = [by_size(course.timed(course.before(chapter) or "").values()),
             runs.get((short, ablation.idea(chapter)), {}),
             runs.get((short, short), {})]
    return {size: [times_of_library(run[size]) for run in three]
            for size in ablation.sizes(chapter) if all(size in run for run in three)}


def idea_shares(chapter: str, least: float = 1.0) -> Dict[str, float]:
    """Return which part of its gain over the one before a rung loses with its
    idea, at each size where it is at least so many times as fast."""
    return {size: (without - now) / (before - now)
            for size, (before, without, now) in idea_times(chapter).items()
            if before / now >= least}


def idea_lines(chapter: str) -> List[str]:
    """What is lost without a rung's idea where it gains 2 %, in a sentence of
    two lines."""
    shares = [(f"{100 * share:.0f} %" if share < .995 else "all", size)
              for size, share in idea_shares(chapter, 1.02).items()]
    if not shares:
        return []  # it gains 2 % nowhere, or is not measured
    (first, at), *others = shares
    return ["", f"Without the lesson's idea alone ({ablation.idea(chapter)}),",
            f"{first} of the gain is lost at {at}"
            + "".join(f", {share} at {size}" for share, size in others) + "."]


def ablation_table(words: List[str]) -> List[str]:
    """Percent of cuBLAS of a chapter and its variants, registers and how many
    blocks an SM takes; all of them, the best first, or those that are named."""
    runs = ablation_runs()
    chapter, *variants = " ".join(words).split(" | ")
    named = [(chapter, chapter)]
    for name in variants:
        chapter = name if (name, name) in runs else chapter
        named.append((chapter, name))
    sizes = [*runs[named[0]]]
    if not variants:
        named = sorted((key for key in runs if key[0] == chapter),
                       key=lambda key: -runs[key][sizes[0]]["baseline"]["ratio"])
    rows = []
    for key in named:
        launch = runs[key][sizes[0]]["launch"]
        rows.append([f"`{key[1]}`" if "__" in key[1] else key[1],
                     *(percent(runs[key][size], "baseline") for size in sizes),
                     str(launch["registers"]), str(launch["blocks_per_sm"])])
    return table(["of cuBLAS", *sizes, "registers", "blocks on an SM"], rows)


def shares_table(words: List[str]) -> List[str]:
    """Percent of cuBLAS at 4096, of variants that belong side by side."""
    records = {(course.short(record["chapter"]), record["variant"]): record
               for record in course.read_lines(*ABLATION)
               if record["size"].get("M") == 4096}
    head, *rows = [line.split(" | ") for line in " ".join(words).split(" || ")]
    return table(["of cuBLAS at 4096", *head], [
        [name, *(percent(records[tuple(cell.split(": "))], "baseline")
                 for cell in cells)] for name, *cells in rows])


# ---- what Nsight Compute reads ----------------------------------------------

def read_of(record: dict) -> Dict[str, str]:
    """Return what is known of a launch: what it is, as a cell."""
    p, stalls = record["profile"], record["stalls"]
    loop = record.get("loop", {})  # none of cuBLAS
    shared = sum(n for kind, n in loop.items() if kind.startswith("LDS"))
    requests = p["shared_load_requests"]
    return {
        "ms": number(p["ms"]),
        "fma pipe": f"{p['fma_pipe_percent']:.0f} %",
        "issue slots": f"{p['issue_slots_percent']:.1f} %",
        "warps resident": f"{number(p['warps_resident_percent'])} %",
        "registers": f"{p['registers']:.0f}",
        "sectors a load": number(p["load_sectors"] / p["load_requests"]),
        "wavefronts a shared load":
            number(p["shared_load_wavefronts"] / requests) if requests else "-",
        "l2 hits": f"{p['l2_hit_percent']:.0f} %",
        "gb from dram": number(p["dram_bytes_read"] / 1e9),
        "cycles between two instructions of a warp":
            f"{sum(n or 0 for n in stalls.values()):.2f}",
        **{reason: f"{n or 0:.2f}" for reason, n in stalls.items()},
        "instructions of the loop": f"{sum(loop.values()):,.0f}",
        "cycles of a loop that a warp waits for shared memory":
            number(stalls["short scoreboard"] * sum(loop.values())),
        **{kind.lower(): str(n) for kind, n in loop.items()},
        "lds": str(shared),
        "ffma a shared load": number(loop["FFMA"] / shared) if shared else "-",
    }


def rungs_table(words: List[str]) -> List[str]:
    """What Nsight Compute reads of a launch at 4096; few rungs are columns."""
    names, named = options(words)
    names = [name.replace("_", " ") for name in names]
    lines = [["at 4096", *names]]
    for record in course.read_lines(SERIES):
        short, known = course.short(record["chapter"]), read_of(record)
        none = "0" if "loop" in record else "-"
        cells = [known.get(name.lower(), none) for name in names]
        if short in named.get("of", [short]) and set(cells) != {"-"}:
            lines.append([short, *cells])
    head, *rows = lines if len(lines) > 5 else map(list, zip(*lines))
    return table(head, rows)


# ---- pages and files --------------------------------------------------------


def file_table(words: List[str]) -> List[str]:
    """A file with commas between its values."""
    with open(words[0], encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return table(head, rows)


def experiments_table(_: List[str]) -> List[str]:
    """The pages of docs/experiments: title and question."""
    rows = []
    for path in sorted(glob.glob("docs/experiments/*.md")):
        first, _, rest = course.text_of(path).partition("\n")
        name = os.path.basename(path)
        if name != "README.md":
            rows.append([f"[{first.lstrip('# ')}]({name})", question(rest)])
    return table(["page", "its question"], rows, text=2)


def question(text: str) -> str:
    """Return the first paragraph of a page up to its question mark, or its
    first sentence if it asks nothing; links as plain words."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S).strip()
    paragraph = " ".join(text.partition("\n\n")[0].split())
    paragraph = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", paragraph)
    sentence = (re.match(r".*?\?(?= |$)", paragraph)
                or re.match(r".*?[.!](?= |$)", paragraph))
    return (sentence.group(0) if sentence else paragraph).replace("|", "\\|")


TABLES: Dict[str, Callable[[List[str]], List[str]]] = {
    name[:-len("_table")]: make for name, make in list(globals().items())
    if name.endswith("_table")}
