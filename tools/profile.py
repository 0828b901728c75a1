"""Print the counters of a chapter or a program, in total and per source line.

In the simulator the program runs with SIM_REPORT; on a GPU under Nsight Compute,
whose report is kept beside the program. The names are the same. What is counted
is one run of each variant of the chapter, on exact data; of a program of one's
own all launches, or those between cudaProfilerStart() and cudaProfilerStop().
Several launches are listed, and their counters are added up.

With json=FILE, one line of JSON for each variant is appended to FILE: chapter,
variant, args, back end, device, toolkit, counts.
"""

import json
import linecache
import os
import re
import shlex
import shutil
import sys
from collections import Counter
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from tools import counts, course, machine, metrics, ncu

LEGEND = """
sectors, ideal: 32-byte sectors of one request, as counted and at best;
passes (wavefronts): the same for shared and constant memory; share: of all."""


class Section(NamedTuple):
    """What is shown together: a variant, or a kernel of one's own program."""

    name: Optional[str]
    launches: List[dict]  # kernel, grid, block, in the order of the program
    lines: List[dict]  # per source line; none on a GPU
    counts: Dict[str, float]


# ---- tables -----------------------------------------------------------------


def shape(numbers: List[int]) -> str:
    """Format a grid: 8 x 8; what is 1 at the end is left out."""
    while len(numbers) > 1 and numbers[-1] == 1:
        numbers = numbers[:-1]
    return " x ".join(map(str, numbers))


def head(section: Section, args: List[str]) -> None:
    """Print what was counted, with a line for each different launch."""
    times = Counter(
        f"{launch['kernel']}, grid {shape(launch['grid'])}, block "
        f"{shape(launch['block'])}" for launch in section.launches)
    lines = [line + f", {number} times" * (number > 1)
             for line, number in times.items()]
    words = [word for word in (section.name, shlex.join(args)) if word]
    if len(lines) == 1 and not section.name:
        print(", ".join(lines + words))
        return
    launches = len(section.launches)
    print(": ".join([", ".join(words)] * bool(words) + [
        f"{launches} launch{'es' * (launches > 1)}"]))
    print("\n".join(f"  {line}" for line in lines))


def total_table(values: Dict[str, float], source: str, zeros: bool) -> None:
    """Print every counter that is not 0, the others if they are wanted."""
    print(f"\n{'counter':<34}{source:>16}")
    for name in metrics.METRICS:
        value = values.get(name)
        if value or zeros and value is not None:
            print(f"{name:<34}{counts.show(round(value, 2)):>16}")
    busy = metrics.l1_cycles_per_ffma(values)
    if busy:
        print(f"\nL1: {sum(busy):.2f} cycles for each FFMA of a warp: "
              f"global loads {busy[0]:.2f}, shared {busy[1]:.2f}\n"
              f"(an SM starts {metrics.FFMA_PER_CYCLE} FFMA a cycle: above "
              f"{1 / metrics.FFMA_PER_CYCLE} the L1 sets the pace)")


def shorten(text: str, width: int) -> str:
    """Cut @p text to @p width columns."""
    return text if len(text) <= width else text[: width - 3] + "..."


def code(path: str, number: int, column: int, home: Set[str]) -> str:
    """Return the code of a line from a column on, its file in front unless that is at
    home; its place without a file."""
    text = linecache.getline(path, number)
    part = text[max(column, 1) - 1 :].split("//")[0].strip() or text.strip()
    return os.path.basename(path) + f": {part}" if part and path not in home else \
        part or f"{path}:{number}"


def line_table(lines: List[dict], source: str) -> None:
    """Print one row per place and kind of access, the dearest first.

    "ideal" is what the same bytes cost when neighbouring lanes use neighbouring
    words; the share is that of all sectors, or of all wavefronts. A line of a
    function has a row for each place that calls it, which is named below it.
    """
    array = max((len(line.get("array") or "") for line in lines), default=0)
    array = min(max(array, len("array")), 11) + 1 if array else 0
    columns = max(80, min(shutil.get_terminal_size((80, 24)).columns, 120))
    width = columns - 52 - array
    paths = {path for line in lines for path in [line["file"], *re.findall(
        r"(\S+):\d+:\d+", line.get("callers") or "")]}
    # The program needs no name, nor does a file that is the only one.
    home = {path for path in paths
            if len(paths) == 1 or os.path.basename(path) == source}
    # A global access costs sectors, any other wavefronts.
    for what, title in (("sectors", "sectors"), ("wavefronts", "passes")):
        rows = sorted((line for line in lines if what in line and (
            what == "sectors" or "sectors" not in line)),
                      key=lambda line: (-line[what], line["line"]))
        if not rows:
            continue
        total = max(sum(line[what] for line in rows), 1)
        # Columns: what one request costs, and what it would cost at best.
        print(f"\n line {'code':<{width}} {'array' if array else '':<{array}}"
              f"{'access':<13}{'requests':>11}{title:>8}{'ideal':>7}"
              f"{'share':>6}")
        for line in rows:
            # Two loads of one line (a[k] * b[k]) are told apart by where the
            # text begins; a store has its column at the "=".
            column = line.get("column", 1) if line["op"] == "load" else 1
            text = code(line["file"], line["line"], column, home)
            requests = max(line["requests"], 1)
            ideal = "-"
            if "ideal" in line:
                ideal = f"{line['ideal'] / requests:.2f}"
            array_name = shorten(line.get("array") or "", max(array - 1, 0))
            print(f"{line['line']:>5} {shorten(text, width):<{width}} "
                  f"{array_name:<{array}}"
                  f"{line['space'] + ' ' + line['op']:<13}"
                  f"{line['requests']:>11,}{line[what] / requests:>8.2f}"
                  f"{ideal:>7}{100 * line[what] / total:>4.0f} %")
            for path, number, column in re.findall(
                    r"(\S+):(\d+):(\d+)", line.get("callers") or ""):
                text = code(path, int(number), int(column), home)
                print(shorten(f"      called at {number}: {text}", columns))


# ---- simulator --------------------------------------------------------------


PLACE = ("file", "line", "column", "space", "op", "bytes", "callers", "array")
COSTS = {"requests", "sectors", "wavefronts", "ideal"}


def add_lines(launches: List[dict]) -> List[dict]:
    """Return the lines of several launches, each with its sums."""
    sums: Dict[tuple, dict] = {}
    for line in (line for launch in launches for line in launch["lines"]):
        at = tuple(line.get(name) for name in PLACE)
        before = sums.get(at, {})
        sums[at] = {**line, **{name: line[name] + before.get(name, 0)
                               for name in COSTS & set(line)}}
    return list(sums.values())


def add_counts(launches: List[Dict[str, float]]) -> Dict[str, float]:
    """Return the sum of each counter; a ratio is made anew from its parts.

    A ratio whose parts are not counted is kept only if all launches agree.
    """
    total: Dict[str, float] = {}
    for name in launches[0]:
        values = [launch[name] for launch in launches if name in launch]
        if "_per_" not in name:
            total[name] = sum(values)
        elif len(set(values)) == 1:
            total[name] = values[0]
    for name in launches[0]:
        stem, _, ratio = name.partition("_sectors_per_")
        if ratio and total.get(f"{stem}_requests"):
            total[name] = (total[f"{stem}_sectors"]
                           / total[f"{stem}_requests"])
    return total


def section(name: Optional[str], launches: List[dict]) -> Section:
    """Return what some launches have in sum."""
    return Section(name, launches, add_lines(launches),
                   add_counts([launch["counts"] for launch in launches]))


def by_kernel(launches: List[dict]) -> List[Section]:
    """Return a section for each kernel of one's own program."""
    return [section(name, [each for each in launches if each["kernel"] == name])
            for name in dict.fromkeys(launch["kernel"] for launch in launches)]


def by_variant(launches: List[dict], records: List[dict]) -> List[Section]:
    """Return a section for each variant: the n-th range is the n-th record."""
    groups = [[launch for launch in launches if launch["range"] == number]
              for number, _ in enumerate(records, 1)]
    return [section(record["variant"], group)._replace(counts=record["counts"])
            for record, group in zip(records, groups) if group]


def simulated(program: course.Program,
              args: List[str]) -> Tuple[int, List[Section]]:
    """Run in the simulator. Return the status and what was counted."""
    run = course.run([program.path, *args], bool(program.chapter), {"SIM_COVERAGE": "1"})
    sys.stderr.write(run.errors)
    failed = run.status not in (0, 5)
    if failed:
        sys.stdout.write(run.output)
    if not run.launches or failed and program.chapter:
        return run.status, []
    if program.chapter:
        return run.status, by_variant(run.launches, run.records)
    marked = [launch for launch in run.launches if launch["range"]]
    return run.status, by_kernel(marked or run.launches)


# ---- GPU --------------------------------------------------------------------


def named(values: Dict[str, float]) -> Dict[str, float]:
    """Return the counters by our names, of Nsight Compute's metrics."""
    result: Dict[str, float] = {}
    for name, metric in metrics.METRICS.items():
        if metric.parts and all(part in values for part in metric.parts):
            total = sum(values[part] for part in metric.parts)
            result[name] = int(total) if total == int(total) else total
    return result


def hardware(program: course.Program, args: List[str], keep: str,
             window: bool) -> List[dict]:
    """Count with Nsight Compute. Return the launches; keep the report.

    The counters are read on their own: together with the many of `--set full`,
    which its window shows, global_store_sectors was up to 3 % off in either
    direction (on an H200).
    """
    command = [program.path, *args, *["--repeats", "0"] * bool(program.chapter)]
    marked = bool(program.chapter) or \
        "cudaProfilerStart" in course.text_of(program.source)
    wanted = [part for metric in metrics.METRICS.values()
              for part in metric.parts]
    launches = ncu.read(command, wanted, keep, marked)
    if window:
        ncu.measure(command, ["--set", "full", "--import-source", "yes"], keep,
                    marked)
    return [{**launch, "lines": [], "counts": named(launch["values"])}
            for launch in launches]


def measured(program: course.Program, args: List[str],
             window: bool) -> Tuple[int, List[Section]]:
    """Return what was counted on the GPU: one run for each variant."""
    path = program.path
    if not program.chapter:
        return 0, by_kernel(hardware(program, args, path + ".ncu-rep", window))
    run = course.run([path, *args, "--repeats", "0"])
    if run.status:
        sys.stdout.write(run.output)
        sys.stderr.write(run.errors)
        return run.status, []
    sections = []
    for record in run.records:
        name, only, keep = record["variant"], [], path
        if len(run.records) > 1:
            only, keep = ["--variant", name], f"{path}_{name}"
        sections.append(section(name, hardware(
            program, args + only, keep + ".ncu-rep", window)))
    return 0, sections


def save(path: str, program: course.Program, args: List[str],
         sections: List[Section]) -> None:
    """Append a record for each section."""
    facts = {"device": machine.gpu().name, "toolkit": machine.release()} \
        if program.back_end == "gpu" else {}
    with open(path, "a", encoding="utf-8") as file:
        for section in sections:
            file.write(json.dumps({
                "chapter": program.chapter or program.source,
                "variant": section.name, "args": shlex.join(args),
                "backend": program.back_end, **facts,
                "counts": section.counts}) + "\n")


def profile(program: course.Program, args: List[str], path: str,
            zeros: bool = False) -> int:
    """Print what is counted, with zeros all of it, and append it to a file that is
    named.

    Return the status of the program; 1 if there is nothing to show.
    """
    if program.chapter and course.bare(program.chapter):  # as one's own
        program = program._replace(
            source=f"chapters/{program.chapter}/{program.chapter}.cu", chapter="")
    if path:  # what cannot be written is said before a long run
        open(path, "a", encoding="utf-8").close()
    in_simulator = program.back_end == "simulator"
    status, sections = simulated(program, args) if in_simulator else \
        measured(program, args, not path)
    if not sections:
        print("profile: no kernel was launched" if status in (0, 5) else
              f"profile: the program ended with status {status}", file=sys.stderr)
        return status or 1
    for number, section in enumerate(sections):
        if number:
            print()
        head(section, args)
        if not section.lines and not any(section.counts.values()):
            print("nothing was counted")
            continue
        line_table(section.lines, os.path.basename(
            program.source or f"{program.chapter}.cu"))
        total_table(section.counts,
                    "simulator" if in_simulator else "Nsight Compute", zeros)
    if in_simulator and any(section.lines for section in sections):
        print(LEGEND)
    if path:
        save(path, program, args, sections)
    elif not in_simulator:
        several = "_*" if program.chapter and len(sections) > 1 else ""
        print(f"\nfor Nsight Compute's window: {program.path}{several}.ncu-rep")
    return status
