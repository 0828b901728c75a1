"""What the site shows of the records in docs/results, made when it is built."""

import glob
import html
import re
from typing import Dict, List, Tuple

import course
from limits import show as number

MEDIANS = ("Medians, cold L2 unless the record says otherwise. A share above 100 % is "
           "faster than the library; a full bar is 100 % or more.\n")


def records() -> Dict[str, List[dict]]:
    """Return the verified records with a time, by GPU: from each *.jsonl."""
    found: Dict[str, List[dict]] = {}
    for path in sorted(glob.glob("docs/results/*.jsonl")):
        for record in course.read_lines(path):
            if (record.get("schema") and record.get("verified")
                    and record.get("time_ms") and "chapter" in record
                    and record.get("size")):
                found.setdefault(record["device"], []).append(record)
    return found


def bar(share: float) -> str:
    """Return a bar, full at 100 % and beyond."""
    return (f'@htmlonly<svg class="bar" aria-hidden="true" height="6" '
            f'width="{100 * min(max(share, 0.005), 1):.1f}%"></svg>@endhtmlonly')


def beside(record: dict, name: str) -> List[str]:
    """Return the library's time and the share of it, called @p name or not."""
    library = record.get("baseline")
    if not library:
        return ["", ""]
    time = number(library["time_ms"])
    return [f"{100 * library['ratio']:.1f} % {bar(library['ratio'])}",
            time if name else f"{library['name']} {time}"]


def one_chapter(chapter: str, found: List[dict]) -> str:
    """Return the table of a chapter: every size and variant recorded last."""
    last = {}
    for record in found:
        last[course.size_words(record), record["variant"]] = record
    libraries = {record["baseline"]["name"] for record in last.values()
                 if record.get("baseline")}
    name = libraries.pop() if len(libraries) == 1 else ""
    gemm = chapter.startswith("gemm")
    several = any(variant for _, variant in last)
    compared = any(record.get("baseline") for record in last.values())
    rows = []
    for (size, variant), record in last.items():
        share, library = beside(record, name)
        rate = (record.get("gflops") or 0) / 1000 if gemm else \
            record.get("gbytes_per_s")
        size = size.replace(" alpha=1 beta=0", "")
        cells = [re.sub("^M=(.*) N=(.*) K=", r"\1 x \2 x ", size) if gemm else size,
                 *([variant or ""] if several else []),
                 *([share] if compared else []),
                 number(record["time_ms"]["median"]),
                 number(rate) if rate else "",
                 *([library] if compared else [])]
        rows.append(f"| {' | '.join(cells)} |")
    heads = {"M x N x K" if gemm else "size": True, "variant": several,
             f"of {name or 'the library'}": compared, "ms": True,
             "TFLOP/s" if gemm else "GB/s": True,
             f"{name or 'library'}, ms": compared}
    shown = [head for head, there in heads.items() if there]
    kinds = ["---:" if re.search("ms|/s", head) else "---" for head in shown]
    return "\n".join([f"| {' | '.join(line)} |" for line in (shown, kinds)]
                     + rows)


def machine(found: List[dict]) -> str:
    """Return with what these records were made."""
    drivers, toolkits, clocks = ({str(get(record)) for record in found} for get in (
        lambda one: one["driver"], lambda one: one["toolkit"],
        lambda one: one["clocks_mhz"]["sm"]))
    return (f"{len(found)} records: driver {', '.join(sorted(drivers))}, CUDA "
            f"{', '.join(sorted(toolkits))}, SMs at {', '.join(sorted(clocks))} "
            "MHz at most.\n")


def label(gpu: str, group: str) -> str:
    """Return the name of the page of a GPU and a group of chapters."""
    return f"results_{re.sub('[^a-z0-9]+', '_', gpu.lower())}_{group}"


def tables() -> Dict[str, Tuple[str, str]]:
    """Return title and text of each page of tables, by its name."""
    found = {}
    groups = course.groups()
    for gpu, all_of in sorted(records().items(), key=lambda item: -len(item[1])):
        for group in dict.fromkeys(groups.values()):
            parts = []
            for chapter in course.chapters(group):
                mine = [one for one in all_of if one["chapter"] == chapter]
                if mine:
                    parts += [f"## {html.escape(chapter)}\n",
                              f"[The lesson](/chapters/{chapter}/README.md).\n",
                              one_chapter(chapter, mine), ""]
            if parts:
                found[label(gpu, group)] = (
                    f"{gpu}: {course.GROUPS.get(group, group).lower()}", "\n".join(
                        [f"Of this GPU are {machine(all_of)}", MEDIANS, *parts]))
    return found


def page() -> str:
    """Return what the page of results begins with: the way to the tables."""
    links = [f"- @ref {name}" for name in tables()]
    return "\n".join(["", MEDIANS, *links, "",
                      "![Share of cuBLAS by size](/docs/charts/sizes.svg)\n",
                      "## The files\n", ""])
