"""What the site shows of the records in docs/results, made when it is built."""

import functools
import glob
import re
from typing import Dict, List, Tuple

from tools import course
from tools.limits import show as number

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


def beside(record: dict, name: str) -> List[str]:
    """Return the share of the library's speed, with a bar that is full at 100 %, and the
    library's time, with its name where not all have one @p name."""
    library = record.get("baseline")
    if not library:
        return ["", ""]
    share, time = library["ratio"], number(library["time_ms"])
    return [f'{100 * share:.1f} % <svg class="bar" aria-hidden="true" height="6" '
            f'width="{100 * min(max(share, 0.005), 1):.1f}%"></svg>',
            time if name else f"{library['name']} {time}"]


def one_chapter(chapter: str, found: List[dict]) -> str:
    """Return the table of a chapter: every size and variant recorded last."""
    last = {(course.size_words(record), record["variant"]): record for record in found}
    libraries = {record["baseline"]["name"] for record in last.values()
                 if record.get("baseline")}
    name = libraries.pop() if len(libraries) == 1 else ""
    gemm = chapter.startswith("gemm")
    heads = ["M x N x K" if gemm else "size", "variant", f"of {name or 'the library'}", "ms",
             "TFLOP/s" if gemm else "GB/s", f"{name or 'library'}, ms"]
    rows = []
    for (size, variant), record in last.items():
        share, library = beside(record, name)
        rate = (record.get("gflops") or 0) / 1000 if gemm else record.get("gbytes_per_s")
        size = size.replace(" alpha=1 beta=0", "")
        rows.append([re.sub("^M=(.*) N=(.*) K=", r"\1 x \2 x ", size) if gemm else size,
                     variant or "", share, number(record["time_ms"]["median"]),
                     number(rate) if rate else "", library])
    used = [i for i in range(len(heads)) if any(row[i] for row in rows)]
    kinds = ["---:" if re.search("ms|/s", head) else "---" for head in heads]
    return "\n".join(f"| {' | '.join(row[i] for i in used)} |" for row in (heads, kinds, *rows))


def machine(found: List[dict]) -> str:
    """Return with what these records were made."""
    drivers, toolkits, clocks = (", ".join(sorted({str(value) for value in values}))
                                 for values in zip(*(
                                     (one["driver"], one["toolkit"], one["clocks_mhz"]["sm"])
                                     for one in found)))
    return (f"{len(found)} records: driver {drivers}, CUDA {toolkits}, SMs at {clocks} MHz at "
            "most.\n")


def label(gpu: str, group: str) -> str:
    """Return the name of the page of a GPU and a group of chapters."""
    return f"results_{re.sub('[^a-z0-9]+', '_', gpu.lower())}_{group}"


@functools.lru_cache(maxsize=None)
def tables() -> Dict[str, Tuple[str, str]]:
    """Return title and text of each page of tables, by its name."""
    found = {}
    groups = course.groups()
    for gpu, all_of in sorted(records().items(), key=lambda item: -len(item[1])):
        for group in dict.fromkeys(groups.values()):
            parts = [
                f"## {chapter}\n\n[The lesson](/chapters/{chapter}/README.md).\n\n"
                + one_chapter(chapter, [one for one in all_of if one["chapter"] == chapter])
                for chapter in course.chapters(group)
                if any(one["chapter"] == chapter for one in all_of)]
            if parts:
                found[label(gpu, group)] = (
                    f"{gpu}: {course.GROUPS.get(group, group).lower()}", "\n\n".join(
                        [f"Of this GPU are {machine(all_of)}", MEDIANS, *parts]))
    return found
