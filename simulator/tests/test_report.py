#!/usr/bin/env python3
"""SIM_REPORT and SIM_TRACE: their shape, the same numbers wherever counted.

Every line must fit report.schema.json; counts{} must be what the lines sum up
to; and the whole report must not depend on the number of OS threads or on the
version of clang (14, 16, 19: those that are installed).
"""
import json
import shutil

from harness import (HERE, check, command, counted_mode, finish, marked_line,
                     reported, reports, simcc, skip, workdir)

SCHEMA = HERE / "report.schema.json"
MIXTURE = HERE / "programs" / "mixture.cu"
STATUS = HERE / "findings" / "status.cu"
# Programs and their cases: the last one has three findings.
CASES = ((MIXTURE, "mixture"), (STATUS, "three"))
REPORTS = HERE / "programs" / "reports.cu"  # a case for some of the tests
CLANGS = (14, 15, 16, 17, 18, 19)


def fits_schema(name, launches):
    try:
        import jsonschema
    except ImportError:
        skip(name, "python3-jsonschema is not installed")
        return
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    errors = [f"{launch.get('kernel')}: {'/'.join(map(str, error.absolute_path))}: "
              f"{error.message[:200]}"
              for launch in launches for error in validator.iter_errors(launch)]
    check(name, launches and not errors, "\n".join(errors) or "no launch")


def summed(launch, space, op, number):
    return sum(line.get(number, 0) for line in launch["lines"]
               if (line["space"], line["op"]) == (space, op))


def totals_are_sums(launches):
    """Problems of counts{} against lines[]."""
    problems = []
    for launch in launches:
        counts = launch["counts"]
        for space in ("global", "shared"):
            cost = "sectors" if space == "global" else "wavefronts"
            for op in ("load", "store", "atomic"):
                for number in ("requests", cost):
                    name = f"{space}_{op}_{number}"
                    total = summed(launch, space, op, number)
                    if counts[name] != total:
                        problems.append(f"{launch['kernel']}: {name} is "
                                        f"{counts[name]}, its lines have {total}")
        for op, number in (("load", "tag_wavefronts"), ("load", "data_wavefronts"),
                           ("load", "cycles"), ("store", "tag_wavefronts")):
            total = summed(launch, "global", op, number)
            if counts[f"global_{op}_{number}"] != total:
                problems.append(f"{launch['kernel']}: global_{op}_{number} is not "
                                f"{total}")
        for op in ("load", "store"):
            requests = counts[f"global_{op}_requests"]
            ratio = counts[f"global_{op}_sectors"] / requests if requests else 0
            if abs(counts[f"global_{op}_sectors_per_request"] - ratio) > 1e-6:
                problems.append(f"{launch['kernel']}: global_{op}_sectors_per_request")
        for line in launch["lines"]:
            each = line.get("sectors", line.get("wavefronts")) / line["requests"]
            if not line["min"] <= each <= line["max"]:
                problems.append(f"{launch['kernel']}: min, mean, max of {line}")
            if line["lanes"] > 32 * line["requests"]:
                problems.append(f"{launch['kernel']}: more than 32 lanes in {line}")
    return problems


def first_difference(a, b):
    """A few words on how two reports differ."""
    if len(a) != len(b):
        return f"{len(a)} and {len(b)} launches"
    for x, y in zip(a, b):
        for key in x:
            if x[key] != y[key]:
                return f"{x['kernel']}: {key}:\n{x[key]}\n{y[key]}"
    return ""


def without_examples(launches):
    """Which two blocks of a global race meet first is up to the OS threads."""
    for launch in launches:
        for finding in launch["findings"]:
            if finding["kind"] == "global-race":
                finding["message"] = ""
    return launches


def same_for_any_threads(program, case):
    seen, problems = [], []
    for threads in (1, 2, 7):
        ran, launches = reported([program, case], SIM_THREADS=threads)
        seen.append(without_examples(launches))
        if difference := first_difference(seen[0], seen[-1]):
            problems.append(f"{threads}: {difference}\nstatus {ran.returncode}\n"
                            f"{ran.stderr[-500:]}")
    check(f"report: {case}: the same with SIM_THREADS=1, 2 and 7",
          seen[0] and not problems, "\n".join(problems))


def same_counts_in_any_order(program, case):
    """What these kernels count does not depend on who goes first."""
    seen = [[launch["counts"]
             for launch in reported([program, case], SIM_ORDER=order)[1]]
            for order in (0, 1, 77)]
    check(f"report: {case}: the same counts with SIM_ORDER=0, 1 and 77",
          seen[0] and seen[0] == seen[1] == seen[2])


def orders(program):
    """SIM_ORDER: blocks, warps and lanes as they come, the last first, mixed."""
    def run(order, case="orders", **environment):
        return command([program, case], env={"SIM_ORDER": order, **environment})

    def rows(order):
        return [list(map(int, line.split()))
                for line in run(order).stdout.splitlines()]

    lanes = list(range(40))
    warps = [10 * block + warp for block in range(8) for warp in (0, 1)]
    check("orders: 1 is the last first",
          rows(1) == [warps[::-1], lanes[::-1]], str(rows(1)))
    check("orders: of one kind alone",
          [rows(f"1:{who}") for who in ("blocks", "warps", "lanes")]
          == [[[10 * block + warp for block in range(7, -1, -1) for warp in (0, 1)],
               lanes],
              [[10 * block + warp for block in range(8) for warp in (1, 0)],
               lanes[32:] + lanes[:32]],
              [warps, lanes[31::-1] + lanes[:31:-1]]])
    check("orders: one goes before all others",
          [rows(x) for x in ("block:5", "warp:1", "lane:7", "block:8")]
          == [[warps[10:12] + warps[:10] + warps[12:], lanes],
              [[10 * block + warp for block in range(8) for warp in (1, 0)],
               lanes[32:] + lanes[:32]],
              [warps, [7, *range(7), *range(8, 32), 39, *range(32, 39)]],
              [warps, lanes]], str(rows("lane:7")))
    mixed = [rows(order) for order in (2, 3, 4711)]
    check("orders: each of the others has all, in an order of its own",
          all(sorted(row) == whole for order in mixed
              for row, whole in zip(order, (warps, lanes)))
          and len({str(row) for order in (rows(1), *mixed) for row in order}) == 8,
          str(mixed))
    check("orders: the same each time", rows(4711) == mixed[2])
    lucky = [run(order, "waits", SIM_TIMEOUT=seconds) for order, seconds in ((0, 60), (1, 1))]
    line = marked_line(REPORTS, "// waits")
    check("orders: a wait that needs luck is found",
          lucky[0].returncode == 0 and lucky[1].returncode != 0
          and f"{REPORTS.name}:{line}" in lucky[1].stderr, lucky[1].stderr)
    check("orders: what is none",
          [run(order).returncode
           for order in ("-1", "1:", "x:lanes", "warp", "warp:", "warp:-1",
                         "1:warps:2")] == [2] * 7)


def as_line(request):
    """What the report would call its place."""
    return (request["kernel"], request["launch"], request["line"],
            request["column"], request.get("callers"), request["space"],
            request["op"])


def trace_adds_up(program, directory):
    """Of a whole trace: its sums are the report's, whatever the threads."""
    whole = {"SIM_TRACE_BLOCKS": 1000000, "SIM_TRACE_REQUESTS": 1000000}
    texts = []
    for threads in (1, 4):
        trace = directory / f"{program.name}_trace{threads}.jsonl"
        _, launches = reported([program, "mixture"], SIM_TRACE=trace,
                               SIM_THREADS=threads, **whole)
        texts.append(trace.read_text())
    check("trace: the same with SIM_THREADS=1 and 4", texts[0] and
          texts[0] == texts[1])
    traced, asked, wrong_turns = {}, {}, []
    for request in map(json.loads, texts[0].splitlines()):
        if request["op"] == "barrier":
            continue
        trips = max(request.get("turns", [-1])) + 1
        if trips not in (0, request.get("tag_wavefronts", request.get("wavefronts", trips))):
            wrong_turns.append(request)
        sums = traced.setdefault(as_line(request), [0] * 5)
        numbers = (1, len(request["lanes"]),
                   request.get("sectors", request.get("wavefronts", 0)),
                   request.get("tag_wavefronts", 0), request.get("cycles", 0))
        sums[:] = map(sum, zip(sums, numbers))
    for number, launch in enumerate(launches, 1):
        for line in launch["lines"]:
            if line["space"] == "constant" or line["op"] == "atomic":
                continue  # passes are not in lines; atomics may be loops
            place = as_line({**line, "kernel": launch["kernel"], "launch": number})
            asked[place] = [line["requests"], line["lanes"],
                            line.get("sectors", line.get("wavefronts")),
                            line.get("tag_wavefronts", 0)
                            if line["op"] == "load" else 0, line.get("cycles", 0)]
    different = [f"{place}: {traced.get(place)}, the report has {sums}"
                 for place, sums in asked.items() if traced.get(place) != sums]
    check("trace: as many turns as wavefronts", not wrong_turns, str(wrong_turns[:3]))
    check("trace: its requests add up to the report", asked and not different,
          "\n".join(different[:10]))


def trace_says_who(program, directory):
    """One place, one warp: lanes, offsets, array, rows; barriers passed."""
    def trace(name, **settings):
        path = directory / name
        command([program, "who"], env={"SIM_TRACE": path, **settings})
        return reports(path)

    lines = trace("blocks", SIM_TRACE_BLOCKS=2)
    check("trace: the first blocks and no more",
          [line["block"][0] for line in lines] == [0] * 8 + [1] * 8, str(lines))
    store = next(line for line in lines if line.get("array") == "tile")
    last = lines[7]
    check("trace: lanes, their offsets, rows, barriers passed",
          (store["op"], store["lanes"], store["at"], store["pitch"],
           store["barriers"]) == ("store", [4, 5, 6, 7], [4, 36, 68, 100], 32, 1)
          and (last["array"], last["op"], last["lanes"], last["at"],
               last["barriers"], last["sectors"])
          == ("d_out", "store", [4, 5, 6, 7], [32, 40, 48, 56], 2, 1)
          and store["start"] % 128 == 0  # bank 0
          and (store["turns"], last["turns"]) == ([0] * 4, [0] * 4),
          f"{store}\n{last}")
    check("trace: of the launch that is named",
          len(trace("launch", SIM_TRACE_LAUNCH=1)) == 8
          and not trace("no launch", SIM_TRACE_LAUNCH=2))
    check("trace: a barrier is a line",
          [line["line"] for line in lines if line["op"] == "barrier"]
          == [marked_line(REPORTS, f"// {which} barrier")
              for which in ("first", "second")] * 2)
    check("trace: the first warps and no more",
          {line.get("warp", 0) for line in trace("warps", SIM_TRACE_WARPS=1)} == {0})
    check("trace: no launch outside of a range",
          not trace("none", SIM_TRACE_RANGES=1))
    full = command([program, "who"], env={"SIM_TRACE": "/dev/full"})
    check("trace: a file that cannot be written ends the program",
          full.returncode == 2 and "SIM_TRACE=/dev/full" in full.stderr,
          full.stderr)


def clang_program(version):
    return next((path for name in ("clang++", "clang")
                 for path in [shutil.which(f"{name}-{version}")] if path), None)


def without_texts(launches):
    """What must be equal between compilers: not columns, estimates, wording."""
    for launch in launches:
        for estimate in ("instructions", "lanes_per_instruction"):
            launch["counts"].pop(estimate, None)
        launch["findings"] = sorted((f["kind"], f["line"]) for f in launch["findings"])
    return launches


def same_for_any_clang(directory):
    installed = [v for v in CLANGS if clang_program(v)]
    for version in (14, 16, 19):
        if version not in installed:
            skip(f"report: clang {version}", "not installed")
    seen = {}
    for version in installed:
        for source, case in CASES:
            program = directory / f"{source.stem}{version}"
            built = program.exists() or simcc(source, program, f"-I{HERE}",
                                              env={"CLANG": clang_program(version)})
            seen[version, case] = without_texts(reported([program, case])[1])
            if version == installed[0]:
                continue
            first = seen[installed[0], case]
            difference = first_difference(first, seen[version, case])
            check(f"report: {case}: clang {version} counts as clang {installed[0]}",
                  first and not difference, difference or built)


def plain_mode(directory):
    built = simcc(MIXTURE, directory / "plain", f"-I{HERE}", "--plain")
    _, launches = reported([directory / "plain", "mixture"])
    fits_schema("report: plain mode fits the schema", launches)
    expected = [([32, 1, 1], [128, 1, 1], {}), ([7, 1, 1], [96, 1, 1], {})]
    got = [(l["grid"], l["block"], l["counts"]) for l in launches]
    check("report: plain mode has names and sizes, no counts",
          got == expected and "saxpy<2>" in launches[1]["kernel"],
          f"{built.stderr}{launches}")


def ranges(program):
    """cudaProfilerStart() and Stop(): launches are numbered, counters sum."""
    ran, launches = reported([program, "ranges"])
    got = [(launch["range"], launch["counts"]["global_store_requests"])
           for launch in launches]
    check("report: each launch has the number of its range",
          got == [(0, 1), (0, 2), (1, 4), (1, 8), (1, 16), (0, 32), (2, 64)],
          f"{ran.stderr}{got}")
    expected = ("all so far 3\nrange 1 begins 0\nrange 1 28\nafter it 28\n"
                "range 2 64\n")
    check("report: counters are the sums of a range", ran.stdout == expected,
          ran.stdout + ran.stderr)


def arrivals(program):
    """Who has arrived at an mbarrier stores beside the other lanes."""
    got = [launch["counts"]["global_store_requests"]
           for launch in reported([program, "arrivals"])[1]]
    check("report: an arrival does not part a warp", got == [200], str(got))


def initial_values(program):
    """A structure that is initialised, and one that is not: no loads."""
    got = [launch["counts"]["global_load_requests"]
           for launch in reported([program, "initial"])[1]]
    check("report: what a variable begins with is loaded from nowhere",
          got == [6], str(got))


def bulk_copies(directory):
    """What the copy engine moves: a multicast reads once for two blocks; of a
    store every other row begins in the middle of a sector."""
    program = directory / "hopper"
    built = simcc(HERE / "features/hopper.cu", program, f"-I{HERE}")
    for name, op, expected in (("multicast", "load", (6144, 96)),
                               ("tensor_stores", "store", (1024, 40))):
        ran, launches = reported([program, name])
        got = tuple(launches[0]["counts"][f"bulk_{op}_{what}"]
                    for what in ("bytes", "sectors")) if launches else ()
        check(f"report: bytes and sectors of a bulk {op}", got == expected,
              f"{built.stderr}{ran.stderr}{got}")


def scopes(program):
    """Of an atomic on shared memory: device, block, libcu++'s block."""
    counts = [launch["counts"] for launch in reported([program, "scopes"])[1]]
    check("report: an atomic of the block's scope is counted as any other",
          len(counts) == 3 and counts[0] == counts[1] == counts[2]
          and counts[0]["shared_atomic_requests"] == 1, str(counts))


def floats(program):
    """C++'s and PTX's, fused and apart."""
    found = [[launch["counts"].get(name, 0) for name in ("ffma", "fadd", "fmul")]
             for launch in reported([program, "floats"])[1]]
    check("report: floats of inline PTX are counted as those of C++",
          found == [[1, 0, 0]] * 2 + [[0, 1, 1]] * 2, str(found))


def counted_once(program):
    """SIM_COUNT=first: a launch like an earlier one is checked, not counted."""
    def counted(**environment):
        ran, launches = reported([program, "repeats"], **environment)
        fits_schema("report: launches not counted fit the schema", launches)
        check("report: dynamic shared memory has the source's names",
              {line["array"] for launch in launches for line in launch["lines"]
               if line["space"] == "shared"} == {"s"})
        return ran, [launch["counts"].get("ffma") if launch["counted"] else None
                     for launch in launches]

    ran, got = counted(SIM_COUNT="first")
    wanted = [64, None, 128, None, None, 64, 64]  # the last two: in a range
    check("report: SIM_COUNT=first counts the first of launches alike",
          got == wanted, f"{ran.stderr}{got}")
    check("report: a launch that is not counted is checked",
          ran.returncode == 5 and "warp-race" in ran.stderr, ran.stderr)
    check("report: all launches are counted for a report",
          counted()[1] == [64, 64, 128, 64, 128, 64, 64], str(counted()))
    ran = command([program, "repeats"], env={"SIM_COUNT": "some"})
    check("report: SIM_COUNT takes all and first",
          ran.returncode == 2 and "all or first" in ran.stderr, ran.stderr)


def calls(program):
    """A line of a function is an entry for each chain of calls."""
    _, launches = reported([program, "callers"])
    fits_schema("report: callers fit the schema", launches)
    line = {text: marked_line(REPORTS, f"// {text}")
            for text in ("load", "inner call", "first call", "two calls")}

    def places(entry):
        return [int(place.split(":")[-2])
                for place in entry["callers"].split(" <- ")]

    got = sorted((entry["space"], entry["array"], places(entry),
                  entry.get("sectors", entry.get("wavefronts")))
                 for entry in launches[0]["lines"]
                 if entry["line"] == line["load"]) if launches else []
    check("report: a function called from three places is three entries",
          got == [("global", "A", [line["first call"]], 32),
                  ("global", "B", [line["inner call"], line["two calls"]], 4),
                  ("shared", "tile", [line["two calls"]], 1)], str(got))


def same_wherever_it_lies(program):
    """Tag banks depend on addresses: the same ones in every run."""
    seen = [reported([program, "addresses"])[1] for _ in range(3)]
    check("report: tag wavefronts do not depend on the run",
          len(seen[0]) > 50 and seen[0] == seen[1] == seen[2],
          first_difference(seen[0], seen[1]))


def full_disk(program):
    """A report that cannot be written is said, in one line."""
    for path, why in (("/dev/full", "No space left on device"),
                      ("/nonexistent/report", "No such file or directory")):
        ran = command([program, "mixture"], env={"SIM_REPORT": path})
        check(f"report: {path}: status 2 and one line",
              ran.returncode == 2 and ran.stderr == f"SIM_REPORT={path}: {why}\n",
              f"status {ran.returncode}\n{ran.stderr}")


def main():
    with workdir() as directory:
        plain_mode(directory)
        if not counted_mode(directory):
            skip("report: counts", "needs clang 14 or newer")
            finish()
        program = directory / "reports"
        built = simcc(REPORTS, program, f"-I{HERE}")
        check("report: its programs build", built.returncode == 0, built.stderr)
        for test in (ranges, counted_once, arrivals, same_wherever_it_lies, calls,
                     orders, scopes, floats, initial_values):
            test(program)
        trace_says_who(program, directory)
        bulk_copies(directory)
        for source, case in CASES:
            program = directory / source.stem
            if not program.exists():
                simcc(source, program, f"-I{HERE}")
            _, launches = reported([program, case])
            fits_schema(f"report: {case} fits the schema", launches)
            problems = totals_are_sums(launches)
            check(f"report: {case}: counts are the sums of the lines",
                  launches and not problems, "\n".join(problems))
            same_for_any_threads(program, case)
            if source == MIXTURE:
                same_counts_in_any_order(program, case)
        full_disk(directory / "mixture")
        trace_adds_up(directory / "mixture", directory)
        same_for_any_clang(directory)
    finish()


if __name__ == "__main__":
    main()
