#!/usr/bin/env python3
"""Renew what lessons quote: code from the sources, tables from the data.

Usage: lessons.py [--check] [FILE...]                          (make lessons)

Reads README.md, chapters/*/README.md, docs/*.md, docs/experiments/*.md and the
simulator's README.md and writes anew what stands between a line <!-- MARKER -->
and <!-- endsnippet -->, <!-- endtable --> or <!-- endoutput -->:

    snippet FILE NAME       code between two lines `// [NAME]` of FILE, which
                            lies beside the lesson
    output NAME             what tables.py has by this name
    output file PATH [from=A] [to=B]
                            a file, from a line that begins with A to B's

    table counts X [rows=A,B]
                            counters of a chapter and the one before, beside
                            Nsight Compute's, where it reads another number
    table results X [sizes=1024,4096]
                            times, beside the chapter before and cuBLAS's
    table variants X [variants=V,W] [COUNTER...]
                            time, rate, share of library and limit; counters
    table counted X [rows=A,B] [variants=V,W]
                            counters of the variants, and Nsight Compute's
    table limits X          the least time that each resource allows a variant;
                            of "ladder" every rung at 4096
    table sizes X [variants=V,W] [NAME=VALUE...]
                            the variants at every size, or at these
                            with=OPTION after X, if it has two problems: only
                            what has that option for its size
    table ladder, patterns  the gemm chapters, the others
    table matrix            share of cuBLAS, rungs by sizes
    table series, loops, stalls, waits X...
                            what Nsight Compute reads of each rung
    table counters          counter, meaning, Nsight Compute's metric
    table floors            what the fastest read and copy reached
    table experiments       the pages of docs/experiments

The table `features` is left alone: simulator/tests/test_features.py writes it.

--check writes nothing, names file and line of what is stale and the first line
that differs, and ends with 1.
"""

import difflib
import glob
import os
import re
import sys
from typing import Callable, Dict, List, Optional, Tuple

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

import counts  # noqa: E402
import course  # noqa: E402
import limits  # noqa: E402
import metrics  # noqa: E402
import tables  # noqa: E402
from tables import Stale  # noqa: E402

LANGUAGE = {".cu": "cuda", ".cuh": "cuda", ".py": "python", ".sh": "sh"}
NCU = "docs/results/ncu_h200.jsonl"
SERIES = "docs/results/series_h200.jsonl"


# ---- data -------------------------------------------------------------------


def read_lines(path: str) -> List[str]:
    """Return the lines of a file, or none if it does not exist."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def ncu_counts(chapter: str, args: str) -> Dict[str, float]:
    """Return what Nsight Compute read for a chapter and a command line."""
    result: Dict[str, float] = {}
    for record in course.read_lines(NCU):
        if (record["chapter"], record["args"]) == (chapter, args):
            result = record["counts"]
    return result


# ---- tables -----------------------------------------------------------------


def table(head: List[str], rows: List[List[str]], text: int = 1) -> List[str]:
    """Return a Markdown table; columns after the first @p text stand right."""
    rule = ["---"] * text + ["---:"] * (len(head) - text)
    return ["| " + " | ".join(row) + " |" for row in [head, rule, *rows]]


def named(words: List[str], name: str) -> List[str]:
    """Return A and B of NAME=A,B, or nothing."""
    return next((word.partition("=")[2].split(",") for word in words
                 if word.startswith(f"{name}=")), [])


def counts_table(words: List[str]) -> List[str]:
    """Counted before and now; what the hardware reads, where it differs."""
    chapter = words[0]
    blocks = counts.read(chapter)
    if not blocks:
        raise Stale(f"{chapter} has no counts")
    block = blocks[0]
    names = named(words, "rows") or list(block.counts)
    for name in names:
        if name not in block.counts:
            raise Stale(f"{name} is not in the file counts")
    last = course.before(chapter)
    other = counts.find(counts.read(last), block.args) if last else None
    hardware = ncu_counts(chapter, block.args)
    shown = block._replace(counts={name: block.counts[name] for name in names})
    differs = any(claim.cause for claim in shown.counts.values())

    head = ["counter"] + ([course.short(last)] if last else [])
    head += [course.short(chapter)] + (["Nsight Compute"] if differs else [])
    rows = []
    for name, claim in shown.counts.items():
        row = [f"`{name}`"]
        if last:
            old = other.counts.get(name) if other else None
            row.append(counts.show(old.value if old else None))
        row.append(counts.show(claim.value))
        rows.append(row + [counts.show(hardware.get(name))] * differs)
    result = table(head, rows)
    causes = [f"{', '.join(names)}: {cause}."
              for cause, names in by_cause(shown).items()]
    return result + ["", " ".join([f"`{block.args}`.", *causes])]


def by_cause(block: counts.Block) -> Dict[str, List[str]]:
    """Return why Nsight Compute reads other numbers, and of which counters.

    "the same" is the cause that stands before it.
    """
    causes: Dict[str, List[str]] = {}
    last = ""
    for name, claim in block.counts.items():
        if not claim.cause:
            continue
        if claim.cause != "the same" or not last:
            last = claim.cause
        causes.setdefault(last, []).append(f"`{name}`")
    return causes


def number(value: float) -> str:
    """Three significant digits or more: 12.3, 1.23, 0.0123, 1,234."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def results_table(words: List[str]) -> List[str]:
    """Times by size, beside the chapter before and the library."""
    chapter = words[0]
    last = course.before(chapter)
    now, old = course.timed(chapter), course.timed(last) if last else {}
    sizes = [tuple(map(int, size.split("x"))) for size in named(words, "sizes")]
    sizes = [size * 3 if len(size) == 1 else size for size in sizes]
    missing = [size for size in sizes if size not in now]
    if not now or missing:
        return [f"Not measured yet: {course.RESULTS} has no record of "
                f"{chapter}{f' at {missing[0]}' if now else ''}."]
    sizes = sizes or sorted(now, key=lambda s: s[0] * s[1] * s[2])
    square = all(len(set(size)) == 1 for size in sizes)
    head = ["M = N = K" if square else "M x N x K"]
    head += [f"{course.short(last)} (ms)"] if last else []
    head += [f"{course.short(chapter)} (ms)"] + (["faster"] if last else [])
    rows = []
    for size in sizes:
        ms = now[size]["time_ms"]["median"]
        row = [str(size[0]) if square else " x ".join(map(str, size))]
        slow = old[size]["time_ms"]["median"] if size in old else None
        row += [number(slow) if slow else "-"] if last else []
        row += [number(ms)]
        row += [f"{slow / ms:.2f}x" if slow else "-"] if last else []
        rows.append([*row, percent(now[size], "baseline")])
    one = now[sizes[0]]
    return table([*head, "of cuBLAS"], rows) + [
        "", f"{one['device']}, median, L2 {one['time_ms']['l2']} "
        "([how we measure](../../docs/how_we_measure.md))."]


def title(chapter: str) -> str:
    """Return the title of a chapter's lesson."""
    return next((line[2:] for line in read_lines(f"chapters/{chapter}/README.md")
                 if line.startswith("# ")), "")


def link(chapter: str) -> str:
    """Return a link from README.md to a chapter's lesson."""
    return f"[{chapter}](chapters/{chapter}/README.md)"


def percent(record: Optional[dict], what: str) -> str:
    """Return the share of the baseline or of the limit, or a dash."""
    share = record and record[what] and record[what]["ratio"]
    return f"{100 * share:,.{0 if share >= 10 else 1}f} %" if share else "-"


def rungs() -> List[str]:
    """Return the chapters of the ladder."""
    return course.chapters("gemm")


def ladder_table(_: List[str]) -> List[str]:
    """The gemm chapters: link, title, result at 4096."""
    rows = []
    for chapter in rungs():
        record = course.timed(chapter).get((4096, 4096, 4096))
        result = ["-", "-"]
        if record:
            result = [number(record["time_ms"]["median"]),
                      number(record["gflops"] / 1000)]
        rows.append([link(chapter), title(chapter), *result,
                     percent(record, "baseline")])
    return table(["chapter", "idea", "ms at 4096", "TFLOP/s", "of cuBLAS"],
                 rows, text=2)


def option_of(words: List[str]) -> str:
    """Return OPTION of with=OPTION, or nothing."""
    return next((word[5:] for word in words if word.startswith("with=")), "")


def blocks(chapter: str, option: str) -> List[counts.Block]:
    """Return the blocks of counts, those whose command line has @p option."""
    return [block for block in counts.read(chapter)
            if not option or f"--{option}" in block.args.split()]


def patterns_table(_: List[str]) -> List[str]:
    """The other chapters: link, title, the fastest variant beside the rest."""
    rows = []
    for chapter in course.chapters():
        if chapter in rungs() or course.bare(chapter):
            continue
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
    """The variants of a chapter: times, shares, and counters by name."""
    chapter, *names = [word for word in words
                       if not word.startswith(("with=", "variants="))]
    option = option_of(words)
    timed = course.by_variant(chapter, option)
    counted = {}
    for block in blocks(chapter, option):
        match = re.search(r"--variant[ =](\S+)", block.args)
        if match:
            counted.setdefault(match.group(1), block.counts)
    rows = []
    for variant in named(words, "variants") or list(timed) or list(counted):
        record = timed.get(variant)
        cells = ["-", "-"]
        if record:
            cells = [number(record["time_ms"]["median"]),
                     number(record["gbytes_per_s"])]
        claims = counted.get(variant, {})
        rows.append([variant, *(
            counts.show(claims[name].value if name in claims else None)
            for name in names), *cells, percent(record, "baseline"),
            percent(record, "limit")])
    if not rows:
        raise Stale(f"{chapter} has neither records nor counts of variants")
    head = ["variant", *names, "ms", "GB/s", "of the library", "of the limit"]
    if timed:  # a chapter may have no library
        head, *rows = limits.known([head, *rows])
    result = table(head, rows)
    if timed:
        one = next(iter(timed.values()))
        result += ["", f"{one['device']}, CUDA {one['toolkit']}, "
                       f"{course.size_words(one)}; median, L2 cache "
                       f"{one['time_ms']['l2']}."]
    return result


def counted_table(words: List[str]) -> List[str]:
    """Counters of the variants; what Nsight Compute reads, if it differs."""
    chapter = words[0]
    columns: Dict[str, counts.Block] = {}
    for block in blocks(chapter, option_of(words)):
        match = re.search(r"--variant[ =](\S+)", block.args)
        if match:
            columns.setdefault(match.group(1), block)
    only = named(words, "variants") or list(columns)
    names = named(words, "rows") or dict.fromkeys(
        name for block in columns.values() for name in block.counts)
    columns = {variant: columns[variant]._replace(counts={
        name: columns[variant].counts[name] for name in names
        if name in columns[variant].counts}) for variant in only}
    read = {variant: ncu_counts(chapter, block.args)
            for variant, block in columns.items()}
    rows = []
    for name in names:
        row = [f"`{name}`"]
        for variant, block in columns.items():
            claim, got = block.counts.get(name), read[variant].get(name)
            text = counts.show(claim.value if claim else None)
            if claim and got is not None and abs(got - claim.value) > 5e-5:
                text += f" ({counts.show(round(got, 4))})"
            row.append(text)
        rows.append(row)
    sizes = sorted({re.sub(r"\s*--variant[ =]\S+\s*", "", block.args)
                    for block in columns.values()},
                   key=lambda line: [(int(word), "") if word.isdigit()
                                     else (0, word) for word in line.split()])
    note = ("in brackets what Nsight Compute read where it is another number"
            if any(read.values()) else "not yet read with Nsight Compute")
    return table(["counter", *columns], rows) + [
        "", " or ".join(f"`{line}`" for line in sizes)
            + f", counted in the simulator; {note}.",
        *causes_list(columns)]


def causes_list(columns: Dict[str, counts.Block]) -> List[str]:
    """Why Nsight Compute reads other numbers, each cause once."""
    found: Dict[Tuple[str, str], List[str]] = {}
    for variant, block in columns.items():
        for cause, names in by_cause(block).items():
            found.setdefault((", ".join(names), cause), []).append(variant)
    lines = [f"- {', '.join(variants)}, {names}: {cause}."
             for (names, cause), variants in found.items()]
    return ["", *lines] if lines else []


def limits_table(words: List[str]) -> List[str]:
    """The least time each resource allows a variant or a rung, and the time."""
    chapter = words[0]
    usual = (4096,) * 3
    records = limits.recorded(chapter) if chapter != "ladder" else {
        course.short(rung): course.timed(rung)[usual] for rung in rungs()
        if usual in course.timed(rung)}
    rows = limits.rows(records, limits.hints(chapter), known_only=True)
    if not rows:
        return [f"Not measured yet: {course.RESULTS} has no record of "
                f"{chapter}."]
    one = next(iter(records.values()))
    head = [f"{name} (ms)" if name not in ("variant", "largest / time")
            else name for name in limits.HEAD]
    head, *rows = limits.known([head, *rows])
    return table(head, rows) + [
        "", f"{one['device']}, {course.size_words(one)}; "
            f"`make chapter={course.short(one['chapter'])} limits`."]


# What a record's share of the limit is a share of.
LIMITS = {"read": "reading the same bytes", "copy": "copying the same bytes",
          "dram": "the memory's speed on paper",
          "fp32": "the multiply-adds' speed on paper"}


def sizes_table(words: List[str]) -> List[str]:
    """The variants by size and state of the L2: share of library and limit."""
    chapter, *wanted = [word for word in words
                        if not word.startswith(("with=", "variants="))]
    only = named(words, "variants")
    found = [record for record in course.timed_variants(chapter, option_of(words))
             if set(wanted) <= set(course.size_words(record).split())
             and (not only or record["variant"] in only)]
    if not found:
        return [f"Not measured yet: {course.RESULTS} has no record of "
                f"{' '.join([chapter, *wanted])}."]
    last = {(course.size_words(record), record["time_ms"]["l2"],
             record["variant"]): record for record in found}
    sizes = sorted({key[:2] for key in last}, key=lambda size: (
        next(round(record["gbytes_per_s"] * record["time_ms"]["median"])
             for key, record in last.items() if key[:2] == size), size))
    shares = [what for what in ("baseline", "limit")
              if any(record[what] for record in last.values())]
    rows = []
    for variant in dict.fromkeys(record["variant"] for record in found):
        cells = []
        for size in sizes:
            record = last.get((*size, variant))
            if not record:
                cells.append("-")
                continue
            time = f"{number(1e3 * record['time_ms']['median'])} us"
            cells.append("<br>".join(filter(None, [time, ", ".join(
                percent(record, what) for what in shares)])))
        rows.append([variant, *cells])
    # What all columns have in common stands below the table.
    heads = [[*size.split(), f"L2 {l2}"] for size, l2 in sizes]
    common = [word for word in heads[0] if all(word in head for head in heads)]
    if len(heads) == 1:
        common = wanted
    head = [" ".join(word for word in words if word not in common)
            .replace(" L2", ", L2") for words in heads]
    kinds = {record["limit"]["name"] for record in found if record["limit"]}
    names = {"baseline": "the library", "limit": "the limit ("
             + " or ".join(words for name, words in LIMITS.items()
                           if name in kinds) + ")"}
    below = " and of ".join(names[what] for what in shares)
    return table(["variant", *head], rows) + [
        "", "Median time" + (f", below it its share of {below}" if below else "")
            + f"; {', '.join([found[-1]['device'], *common])}."]


def matrix_table(_: List[str]) -> List[str]:
    """Share of cuBLAS, a row for each rung, a column for each size of the
    first one; a rung may be timed at more."""
    shares = {chapter: course.timed(chapter) for chapter in rungs()}
    sizes = sorted(next(filter(None, shares.values()), {}),
                   key=lambda s: (len(set(s)) > 1, s[0] * s[1] * s[2]))
    rows = []
    for chapter, one in shares.items():
        cells = [f"{one[size]['baseline']['ratio']:.3f}"
                 if size in one and one[size]["baseline"] else "-"
                 for size in sizes]
        rows.append([course.short(chapter), *cells])
    head = [str(s[0]) if len(set(s)) == 1 else "x".join(map(str, s))
            for s in sizes]
    return table(["M = N = K, or MxNxK", *head], rows)


def series_table(_: List[str]) -> List[str]:
    """Profile of every rung, from Nsight Compute."""
    rows = []
    for record in course.read_lines(SERIES):
        p = record["profile"]
        shared = p["shared_load_requests"]
        rows.append([
            course.short(record["chapter"]), number(p["ms"]),
            f"{p['fma_pipe_percent']:.0f} %",
            f"{p['issue_slots_percent']:.0f} %",
            f"{number(p['warps_resident_percent'])} %", f"{p['registers']:.0f}",
            number(p["load_sectors"] / p["load_requests"]),
            number(p["shared_load_wavefronts"] / shared) if shared else "-",
            f"{p['l2_hit_percent']:.0f} %",
            number(p["dram_bytes_read"] / 1e9)])
    return table(
        ["rung", "ms", "FMA pipe", "issue slots", "warps resident",
         "registers", "sectors a load", "wavefronts a shared load", "L2 hits",
         "GB from DRAM"], rows)


# Reasons in the records, and Nsight Compute's words for them.
STALLS = {"long scoreboard": "Long Scoreboard",
          "short scoreboard": "Short Scoreboard",
          "lg throttle": "LG Throttle", "mio throttle": "MIO Throttle",
          "barrier": "Barrier", "wait": "Wait", "dispatch stall": "Dispatch",
          "math pipe throttle": "Math Pipe", "not selected": "Not Selected"}


def stalls_table(_: List[str]) -> List[str]:
    """What a warp waits for between two instructions, in cycles, by rung."""
    rows = []
    for record in course.read_lines(SERIES):
        stalls = record.get("stalls")
        if not stalls:
            continue  # recorded before stalls were
        rest = sum(cycles or 0 for kind, cycles in stalls.items()
                   if kind not in STALLS and kind != "selected")
        rows.append([course.short(record["chapter"]),
                     f"{record['profile']['issue_slots_percent']:.0f} %",
                     *(f"{stalls[kind] or 0:.2f}" for kind in STALLS),
                     f"{rest:.2f}"])
    return table(["rung", "issue slots", *STALLS.values(), "others"], rows)


def waits_table(words: List[str]) -> List[str]:
    """Where the cycles of some rungs go: what issue slots are made of."""
    kinds = [kind for kind in STALLS
             if kind not in ("lg throttle", "wait", "math pipe throttle")]
    records = [record for record in course.read_lines(SERIES)
               if course.short(record["chapter"]) in words]
    columns = []
    for record in records:
        p, stalls, loop = record["profile"], record["stalls"], record["loop"]
        columns.append([
            f"{1024 * sum(loop.values()) / loop['FFMA']:,.0f}",
            f"{p['warps_resident_percent'] / 100 * 16:.2f}",  # of sm_90
            f"{sum(stalls.values()):.2f}",
            *(f"{stalls[kind]:.2f}" for kind in kinds),
            f"{p['issue_slots_percent']:.1f} %",
            f"{p['fma_pipe_percent']:.1f} %"])
    names = ["instructions for 1024 FFMA", "warps of a scheduler",
             "cycles between two instructions of a warp",
             *(f"... of them {STALLS[kind]}" for kind in kinds),
             "issue slots", "FMA pipe"]
    return table(["one launch at 4096",
                  *(course.short(record["chapter"]) for record in records)],
                 [list(row) for row in zip(names, *columns)])


def loops_table(_: List[str]) -> List[str]:
    """Instructions of the busiest loop of every rung."""
    kinds = ["FFMA", "LDS.32", "LDS.64", "LDS.128", "LDG", "STS", "BAR",
             "integer", "other"]
    rows = []
    for record in course.read_lines(SERIES):
        if "loop" not in record:
            continue  # cuBLAS
        loop = record["loop"]
        shared = sum(n for kind, n in loop.items() if kind.startswith("LDS"))
        rows.append([course.short(record["chapter"])]
                    + [str(loop.get(kind, 0)) for kind in kinds]
                    + [number(loop.get("FFMA", 0) / shared) if shared else "-"])
    return table(["rung", *kinds, "FFMA a shared load"], rows)


def counters_table(_: List[str]) -> List[str]:
    """The counters, what they mean, and Nsight Compute's names."""
    rows = [[f"`{name}`", metric.meaning,
             " + ".join(f"`{part}`" for part in metric.parts) or "-"]
            for name, metric in metrics.METRICS.items()]
    return table(["counter", "meaning", "Nsight Compute"], rows, text=3)


def floors_table(_: List[str]) -> List[str]:
    """The most bytes a second that the kernels beside the chapters moved."""
    rows = []
    for name, words in (("read", "read"), ("copy", "read and write")):
        speeds = [record["gbytes_per_s"] / record["limit"]["ratio"]
                  for record in course.read_lines(course.RESULTS)
                  if record["verified"] and record["gbytes_per_s"]
                  and record["limit"] and record["limit"]["name"] == name]
        if speeds:
            rows.append([words, number(max(speeds))])
    return table(["what", "GB/s, at most"], rows)


def experiments_table(_: List[str]) -> List[str]:
    """The pages of docs/experiments: title and question."""
    rows = []
    for path in sorted(glob.glob("docs/experiments/*.md")):
        lines = read_lines(path)
        name = os.path.basename(path)
        if name != "README.md":
            rows.append([f"[{lines[0].lstrip('# ')}]({name})",
                         question(lines[1:])])
    return table(["page", "its question"], rows, text=2)


def question(lines: List[str]) -> str:
    """Return the first paragraph of a page up to its question mark, or its
    first sentence if it asks nothing; links as plain words."""
    text = re.sub(r"<!--.*?-->", "", "\n".join(lines), flags=re.S).strip()
    paragraph = " ".join(text.partition("\n\n")[0].split())
    paragraph = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", paragraph)
    found = (re.match(r".*?\?(?= |$)", paragraph)
             or re.match(r".*?[.!](?= |$)", paragraph))
    return (found.group(0) if found else paragraph).replace("|", "\\|")


TABLES: Dict[str, Callable[[List[str]], List[str]]] = {
    "counts": counts_table,
    "results": results_table,
    "ladder": ladder_table,
    "patterns": patterns_table,
    "variants": variants_table,
    "counted": counted_table,
    "limits": limits_table,
    "sizes": sizes_table,
    "matrix": matrix_table,
    "series": series_table,
    "stalls": stalls_table,
    "waits": waits_table,
    "loops": loops_table,
    "counters": counters_table,
    "floors": floors_table,
    "experiments": experiments_table,
}


# ---- snippets and files -----------------------------------------------------


def snippet(lesson: str, path: str, name: str) -> List[str]:
    """Return the marked code, without its indent, in a fence."""
    path = os.path.join(os.path.dirname(lesson), path)
    marker = re.compile(rf"^\s*(//|#)\s*\[{re.escape(name)}\]\s*$")
    any_marker = re.compile(r"^\s*(//|#)\s*\[\w+\]\s*$")
    lines = read_lines(path)
    places = [i for i, line in enumerate(lines) if marker.match(line)]
    if len(places) != 2:
        raise Stale(f"{path} has {len(places)} markers [{name}], not 2")
    code = [line for line in lines[places[0] + 1 : places[1]]
            if not any_marker.match(line)]
    indent = min((len(line) - len(line.lstrip()) for line in code
                  if line.strip() and not line.startswith("#")), default=0)
    code = [line if line.startswith("#") else line[indent:] for line in code]
    language = LANGUAGE.get(os.path.splitext(path)[1], "c")
    return [f"```{language}", *code, "```"]


def renew(path: str) -> Tuple[List[str], List[str], List[str]]:
    """Return the old lines, the new ones and what was wrong."""
    old = read_lines(path)
    new: List[str] = []
    wrong: List[str] = []
    i = 0
    while i < len(old):
        new.append(old[i])
        i += 1
        marker = re.fullmatch(r"<!-- (snippet|table|output) (?!features)(.*) -->",
                              new[-1])
        if not marker:
            continue
        kind, words = marker[1], marker[2].split()
        end = i
        while end < len(old) and old[end] != f"<!-- end{kind} -->":
            end += 1
        try:
            if end == len(old):
                raise Stale(f"no <!-- end{kind} -->")
            made = fill(path, kind, words)
        except (Stale, IndexError) as error:
            sys.exit(f"{path}:{i}: {kind} {marker[2]}: {error}")
        if made != old[i:end]:
            first = next(line for line in difflib.ndiff(old[i:end], made)
                         if line[0] in "-+")
            wrong.append(f"{path}:{i}: stale {kind} {marker[2]}: {first}")
        new += made
        i = end
    return old, new, wrong


def fill(path: str, kind: str, words: List[str]) -> List[str]:
    """Return what belongs between two markers."""
    if kind == "output":
        return ["```text", *tables.lines(*words), "```"]
    if kind == "snippet":
        return snippet(path, words[0], words[1])
    if words[0] not in TABLES:
        raise Stale(f"no such table; there are {', '.join(TABLES)}")
    return TABLES[words[0]](words[1:])


def main() -> int:
    """Renew or check every lesson, or those that are named."""
    check = sys.argv[1:2] == ["--check"]
    paths = sys.argv[1 + check:]
    for path in paths:
        if not os.path.isfile(path):
            raise course.Unusable(f"lessons: {path}: no such file")
    paths = paths or sorted(
        path for pattern in ("README.md", "simulator/README.md",
                             "chapters/*/README.md", "docs/*.md",
                             "docs/experiments/*.md")
        for path in glob.glob(pattern))
    course.forget_make()
    stale: List[str] = []
    for path in paths:
        old, new, wrong = renew(path)
        stale += wrong
        if check:
            continue
        if new != old:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(new) + "\n")
        print(f"{'renewed' if new != old else 'fresh':<8} {path}", flush=True)
    for line in stale if check else []:
        print(f"{line}; make lessons renews it", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    course.script(main)
