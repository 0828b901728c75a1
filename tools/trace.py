"""Write a page that plays one launch in the simulator, request by request.

The program runs twice: once for its launches and what make profile says of their
lines (SIM_REPORT), once more for the requests of one of them (SIM_TRACE). The page,
trace.html with the style and the script of docs/explorers, has these as data:
what it shows of a request is what the simulator has counted for it.
"""

import html
import json
import os
import re
import shlex
import subprocess
import tempfile
from typing import Dict, List, NamedTuple, Tuple

from tools import course, profile, why
from tools.machine import fail

BLOCKS, REQUESTS = 2, 64  # of a launch; of a warp at a place
MOST_BYTES = 2_000_000  # of a page
FAST = {"SIM_SEARCH": "0"}  # no search for races
COSTS = ("ideal", "tag_wavefronts", "data_wavefronts", "cycles")
ABOUT = ("line", "column", "space", "op", "bytes", "callers")  # of a place, beside file


class Launch(NamedTuple):
    """The launch that is shown."""

    number: int  # of all, from 1
    report: dict  # its line of SIM_REPORT
    variant: str  # of the chapter, or nothing
    others: str  # what ran beside it, in words


def units(request: dict) -> Tuple[str, int]:
    """Return what a request, or a line, costs: ("sectors", 4)."""
    return next((unit, request[unit]) for unit in ("sectors", "wavefronts", "passes")
                if unit in request)


def place_of(entry: dict) -> Tuple:
    """Return the key that a request has in common with its line of the report."""
    return tuple(entry.get(name) for name in ("file", *ABOUT))


def spots(entry: dict) -> List[Tuple[str, int]]:
    """Return file and line of a place and of those that call it; the kernel is last."""
    calls = re.findall(r"(\S+):(\d+):\d+", entry.get("callers") or "")
    return [(entry["file"], entry["line"]), *((file, int(line)) for file, line in calls)]


def choose(launches: List[dict], records: List[dict], kernel: str) -> Launch:
    """Return the launch with the most requests, of the kernel if one is named, of a
    chapter's first variant."""
    marked = [launch for launch in launches if launch["range"]]
    usual = [launch for launch in marked or launches if launch["lines"]]
    if usual and records:
        usual = [launch for launch in usual if launch["range"] == usual[0]["range"]]
    names = list(dict.fromkeys(launch["kernel"] for launch in usual))
    if not names:
        fail("trace: no kernel with a request was launched")
    wanted = course.find(kernel, "kernel", names, "profile") if kernel else ""
    one = max((launch for launch in usual if wanted in ("", launch["kernel"])),
              key=lambda launch: sum(line["requests"] for line in launch["lines"]))
    variants = [record["variant"] for record in records]
    beside = [f"{launch['kernel']}, grid {profile.shape(launch['grid'])}"
              for launch in usual if launch is not one]
    others = [*["the launch " + words for words in dict.fromkeys(beside)],
              *["the variants " + " ".join(variants[1:])] * (len(variants) > 1)]
    return Launch(launches.index(one) + 1, one, (variants or [""])[0] or "",
                  "; ".join(others))


def requests_of(command: List[str], launch: int) -> List[dict]:
    """Run a program; return what SIM_TRACE says of a launch."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={
            **os.environ, **FAST, "SIM_TRACE": file.name, "SIM_COUNT": "all",
            "SIM_TRACE_LAUNCH": str(launch), "SIM_TRACE_BLOCKS": str(BLOCKS),
            "SIM_TRACE_REQUESTS": str(REQUESTS + 1)})  # is there one more?
        return course.read_lines(file.name)


class Page:
    """The data of a page: tables, and events that are numbers of their rows."""

    def __init__(self, report: dict, events: List[dict], most: int, story: why.Story) -> None:
        self.report, self.story = report, story
        self.files: Dict[str, int] = {}
        self.places: Dict[Tuple, dict] = {}
        self.shapes: Dict[str, int] = {}  # what several requests have in common
        self.blocks: Dict[Tuple, dict] = {}
        for line in report["lines"]:
            self.add_place(line)
        kept = [event for event in events if event.get("number", 0) < most]
        for event in kept:
            self.add_event(event)
        self.cut = len(kept) < len(events)

    def file(self, path: str) -> int:
        """Return the number of a file."""
        path = os.path.relpath(path) if os.path.exists(path) else path
        return self.files.setdefault(path, len(self.files))

    def add_place(self, line: dict) -> dict:
        """Enter a place with what make profile says of it."""
        unit, cost = units(line)
        total = sum(units(other)[1] for other in self.report["lines"]
                    if ("sectors" in other) == ("sectors" in line))
        self.places[place_of(line)] = place = {
            **{name: line[name] for name in ABOUT[:-1]}, "number": len(self.places),
            "spots": [[self.file(file), number] for file, number in spots(line)],
            "array": line.get("array") or "", "unit": unit, "requests": line["requests"],
            "cost": cost, "ideal": line.get("ideal", 0), "share": cost / max(total, 1),
            "shown": 0, "shown_cost": 0}
        return place

    def shape(self, request: dict) -> int:
        """Return the number of what a request has in common with others: all but where
        its first lane begins."""
        shape = {"lanes": request["lanes"], "turns": request.get("turns"),
                 "at": [at - request["at"][0] for at in request["at"]],
                 "cost": units(request)[1],
                 **{name: request[name] for name in COSTS if name in request}}
        return self.shapes.setdefault(json.dumps(shape, separators=(",", ":")),
                                      len(self.shapes))

    def add_event(self, event: dict) -> None:
        """Enter a request or a barrier."""
        block = self.blocks.setdefault(
            tuple(event["block"]), {"block": event["block"], "barriers": [], "events": []})
        if event["op"] == "barrier":
            block["barriers"].append([self.file(event["file"]), event["line"]])
            return
        place = self.places.get(place_of(event)) or self.add_place(
            {**event, "requests": 0, units(event)[0]: 0, "ideal": 0})
        place["shown"] += 1
        place["shown_cost"] += units(event)[1]
        name = event.get("array") or ""
        block["events"].append([
            event["warp"], place["number"], self.shape(event), event["at"][0],
            event["barriers"], event.get("start", 0), event.get("pitch", 0), name])

    def data(self) -> dict:
        """Return all of it."""
        names = sorted({event[-1] for block in self.blocks.values()
                        for event in block["events"]})
        number = {name: i for i, name in enumerate(names)}
        return {
            "files": [{"name": min(path, os.path.abspath(path), key=len),
                       "text": course.text_of(path)} for path in self.files],
            "places": [*self.places.values()],
            "shapes": [json.loads(shape) for shape in self.shapes],
            "arrays": [[name, self.story.format(name)[1] if name else 1] for name in names],
            "blocks": [{**block, "events": [[*event[:-1], number[event[-1]]]
                                            for event in block["events"]]}
                       for block in self.blocks.values() if block["events"]]}


def left_out(page: Page, launch: Launch, requests: int) -> str:
    """Say how much is shown, and what is not."""
    places = page.places.values()
    shown, whole = (sum(place[name] for place in places) for name in ("shown", "requests"))
    grid = launch.report["grid"]
    blocks = grid[0] * grid[1] * grid[2] - BLOCKS
    counts = launch.report["counts"]
    bulk = counts.get("bulk_load_bytes") or counts.get("bulk_store_bytes")
    said = "; ".join(filter(None, [
        f"{blocks:,} block{'s' * (blocks > 1)} behind the first {BLOCKS}" * (blocks > 0),
        f"what a warp asks for at one place after its first {requests} requests" * page.cut,
        "what the copy engine moves, which no warp asks for" * bool(bulk), launch.others]))
    return f"{shown:,} of {whole:,} requests are shown." + f" Left out: {said}." * bool(said)


def opened(page: Page, home: str, warp: str, line: str) -> Dict[str, int]:
    """Return where the page opens: at a warp's first request, of a line if one is named."""
    events = next((block["events"] for block in page.blocks.values() if block["events"]),
                  []) or fail(f"trace: the first {BLOCKS} blocks ask for nothing")
    warps = sorted({event[0] for event in events})
    if warp and warp not in map(str, warps):
        fail(f"trace: warp={warp}: the first block has the warps {warps[0]} to {warps[-1]}")
    now, places = int(warp or warps[0]), [*page.places.values()]
    lines = [[number for file, number in places[event[1]]["spots"]
              if file == page.files.get(home)] for event in events if event[0] == now]
    known = sorted({number for numbers in lines for number in numbers})
    if line and line not in map(str, known):
        fail(f"trace: line={line}: warp {now} has requests at the lines "
             + " ".join(map(str, known)))
    return {"warp": now, "step": 1 + next(
        i for i, numbers in enumerate(lines) if not line or line in map(str, numbers))}


def written(page: Page, launch: Launch, title: str, words: List[str], left: str,
            start: Dict[str, int]) -> str:
    """Return the page."""
    report = launch.report
    about = ", ".join(filter(None, [
        f"{report['kernel']}: grid {profile.shape(report['grid'])}",
        f"block {profile.shape(report['block'])}", shlex.join(words)]))
    data = {"open": start, **page.data()}
    parts = {"TITLE": html.escape(title), "ABOUT": html.escape(about + ". " + left),
             "STYLE": course.text_of("docs/explorers/explorer.css"),
             "SCRIPT": course.text_of("docs/explorers/explorer.js"),
             "DATA": json.dumps(data, separators=(",", ":")).replace("</", "<\\/")}
    return re.sub("@(TITLE|ABOUT|STYLE|SCRIPT|DATA)@", lambda name: parts[name[1]],
                  course.text_of("tools/trace.html"))


def trace(program: course.Program, words: List[str], kernel: str = "", warp: str = "",
          line: str = "", path: str = "") -> int:
    """Write the page; say where, if nobody has said it; return the status."""
    command, chapter = [program.path, *words], program.chapter
    records = bool(chapter) and not course.bare(chapter)
    run = course.run(command, records, FAST)
    if run.status not in (0, 5) and (records or not run.launches):
        fail((run.errors + run.output).rstrip()
             + f"\ntrace: the program ended with status {run.status}")
    launch = choose(run.launches, run.records, kernel)
    events = requests_of(command + ["--json", os.devnull] * records, launch.number)
    home = f"chapters/{chapter}/{chapter}.cu" if chapter else os.path.relpath(program.source)
    story = why.Story([], "\n".join(map(course.text_of, program.sources())), home)
    name = chapter or os.path.splitext(os.path.basename(home))[0]
    for requests in (REQUESTS >> i for i in range(7)):
        page = Page(launch.report, events, requests, story)
        left = left_out(page, launch, requests)
        text = written(page, launch, " ".join([name, launch.variant]).strip(), words, left,
                       opened(page, home, warp, line))
        if len(text.encode()) <= MOST_BYTES:
            break
    to = path or f"build/trace/{name}.html"
    course.write(to, text)
    if not path:
        why.say(f"{to}: {os.path.getsize(to) / 1000:,.0f} kB; open it in a browser. {left}")
    return 0
