"""Say who wrote a word of device memory last, and what that thread had read.

The program runs again in the simulator, on one OS thread and so in the same
order: once to see who stores to the word (SIM_WHY), once more, up to that store,
to see what its thread loads (SIM_WHY_STORE). What is listed are all loads of the
thread, whether its result depends on them or not.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from typing import Dict, List, NamedTuple, Optional, Tuple

from tools import course
from tools.machine import fail

TYPES = {"float": "f", "double": "d", "int": "i", "unsigned": "I", "char": "b",
         "int32_t": "i", "uint32_t": "I", "int64_t": "q", "uint64_t": "Q",
         "uint8_t": "B", "half": "e", "__half": "e", "__nv_bfloat16": "bf16",
         "nv_bfloat16": "bf16", "float2": "f", "float4": "f"}
WORDS = "|".join(TYPES)
# "  C[3][5]: got 1, want 2", of common/verify.c, or of a program of one's own.
WRONG = re.compile(r"^\s*(\w+(?:\[\d+\]){1,2}): (got .*)", re.M)
VARIANT = re.compile(r"^\S+ (\S+): wrong on ", re.M)
# All runs of one program do the same; to count and to search would take time.
ALIKE = {"SIM_THREADS": "1", "SIM_SEARCH": "0", "SIM_COUNT": "first"}
SHOWN = 3  # of the loads of a line: the first ones that are remarkable


def parse(at: str) -> Tuple[str, List[int]]:
    """Return name and indices of C[3][5], C[3*64+5], total or 17."""
    match = re.fullmatch(r"(\w*?)((?:\[[\d+* ]+\]){0,2})", f"[{at}]" if at.isdigit()
                         else at)
    if not match:
        fail(f"why: at={at}: a word is meant, as C[3][5], C[3*64+5] or total")
    try:
        return match[1], [eval(each) for each in re.findall(r"\[(.+?)\]", match[2])] \
            or [0]
    except SyntaxError:
        fail(f"why: at={at}: no number")


class Story(NamedTuple):
    """What SIM_WHY has written, and how to say it."""

    lines: List[dict]
    source: str  # text of the program's files
    home: str  # the file that needs no name

    def kind(self, name: str, size: int) -> str:
        """Return the type of an array's elements, as the source has it."""
        found = re.search(rf"\b({WORDS})\b(?:(?!\b(?:{WORDS})\b)[^;(){{}}])*?"
                          rf"\b{re.escape(name)}\b", self.source)
        return TYPES[found[1]] if found else {2: "e", 8: "d", 1: "B"}.get(size, "f")

    def values(self, code: str, kind: str) -> List[float]:
        """Return the elements in the bytes of a value."""
        data = bytes.fromhex(code)[::-1]
        if kind == "bf16":
            return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0]
                    for i in range(0, len(data), 2)]
        size = struct.calcsize(kind)
        return [each[0] for each in struct.iter_unpack(
            "<" + kind, data[:len(data) // size * size])]

    def word(self, entry: dict) -> Tuple[str, str, int]:
        """Return the name of the word of an entry, its type and size."""
        if "text" in entry:  # shared
            kind = self.kind(entry["text"].split("[")[0], entry.get("bytes", 4))
            return entry["text"], kind, size_of(kind)
        for array in reversed([line for line in self.lines if "array" in line]):
            offset = entry["address"] - array["start"]
            if 0 <= offset < array["bytes"]:
                kind = self.kind(array["array"], array["element"])
                at, ld = offset // (array["element"] or size_of(kind)), array["ld"]
                index = f"[{at // ld}][{at % ld}]" if ld else f"[{at}]"
                return array["array"] + index, kind, size_of(kind)
        return "a word without a name", "f", 4

    def shown(self, entry: dict) -> str:
        """A[3] = 5."""
        name, kind, size = self.word(entry)
        if "value" not in entry:
            return f"{name}, which it has overwritten since"
        values = self.values(entry["value"], kind)
        return f"{name} = " + ", ".join(f"{value:.9g}" for value in values)

    def place(self, entry: dict) -> str:
        """Line 7, or file and line, and who calls that."""
        path = os.path.relpath(entry["file"]) if entry["line"] else ""
        text = f"line {entry['line']}" if path == self.home else \
            f"{path}:{entry['line']}" if path else "a line that is not known"
        calls = re.findall(r"(\S+):(\d+):\d+", entry.get("callers") or "")
        return text + "".join(f", called at {'' if os.path.relpath(file) == self.home else os.path.relpath(file) + ':'}{line}"
                              for file, line in calls[:1])

    def launch(self, number: int) -> dict:
        """Return what is known of a launch."""
        return next(line for line in self.lines if line.get("kernel")
                    and line["launch"] == number)

    def thread(self, store: dict, launch: int, block: bool = True) -> str:
        """Thread (3,0,0) of block (1,0,0)."""
        about = self.launch(launch)
        text = f"thread {spread(store['thread'], about['block'])}"
        return text if not block else \
            text + f" of block {spread(store['block'], about['grid'])}"

    def writer(self, by: dict) -> str:
        """Say who wrote a word of global memory."""
        if by.get("by") == "kernel":
            return (f"written by {self.thread(by, by['launch'])} at "
                    f"{self.place(by)}, launch {by['launch']}")
        if by.get("by") == "host":
            text = course.text_of(by["file"]).splitlines()[by["line"] - 1:by["line"]]
            call = re.search(r"\b(cuda(?:Mem|Graph)\w+|cublas\w+)", "".join(text))
            return f"{call[1] if call else 'the host'} at {self.place(by)}"
        return "never written" if by.get("by") else "nobody has seen it written"


def size_of(kind: str) -> int:
    """Bytes of an element."""
    return 2 if kind == "bf16" else struct.calcsize(kind)


def spread(number: int, extent: List[int]) -> str:
    """(x,y,z) of a thread's or a block's number."""
    x, y, _ = extent
    return f"({number % x},{number // x % y},{number // x // y})"


def say(text: str, indent: str = "") -> None:
    """Print a paragraph."""
    print(textwrap.fill(text, 80, initial_indent=indent, break_on_hyphens=False,
                        subsequent_indent=indent + "  " * bool(indent),
                        break_long_words=False))


def watch(command: List[str], **settings: str) -> Tuple[List[dict], str]:
    """Run a program; return what SIM_WHY has written, and its stderr."""
    with tempfile.NamedTemporaryFile() as file:
        done = subprocess.run(
            command, env={**os.environ, **ALIKE, "SIM_WHY": file.name, **settings},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="replace")
        return course.read_lines(file.name), done.stderr


def remarks(story: Story, read: dict, wrong: int, launch: int, block: int,
            usual: int) -> str:
    """Say what is remarkable of a load; nothing if nothing is."""
    by = read["writer"]
    found = []
    if "value" in read:
        values = story.values(read["value"], story.word(read)[1])
        found += ["NaN"] * any(value != value for value in values)
    if read.get("address") == wrong:
        found.append("the word itself, as it was before")
    if by.get("by") == "thread" and "thread" in by:
        since = read["barriers"] - by["barriers"]
        if not since and by["thread"] != read["thread"]:
            found.append("no barrier since then")
        elif since != usual:
            found.append(f"{since} barriers ago, the others {usual}")
    if (by.get("by"), by.get("launch")) == ("kernel", launch) and by["block"] != block:
        found.append("another block of this launch")
    return "; ".join(found)


def show_reads(story: Story, store: dict, wrong: int) -> None:
    """Print what a thread had read, line by line."""
    groups: Dict[tuple, List[dict]] = {}
    for line in story.lines:
        if "read" in line:
            name = story.word(line)[0].split("[")[0]
            line["thread"] = store["thread"]
            groups.setdefault((line["file"], line["line"], name), []).append(line)
    if not groups:
        say("That thread had read no memory before.")
    else:
        say("Since it began that thread had read:")
    for (_, _, name), reads in groups.items():
        usual = Counter(read["barriers"] - read["writer"].get("barriers", 0)
                        for read in reads).most_common(1)[0][0]
        odd = {id(read): remarks(story, read, wrong, store["launch"],
                                 store["block"], usual) for read in reads}
        for read in reads:
            if read["writer"].get("by") == "nobody":
                odd[id(read)] = odd[id(read)] or " "
        picked = [reads[0], *[read for read in reads[1:-1] if odd[id(read)]][:SHOWN],
                  *reads[1:][-1:]]
        number = len(reads)
        marked = sum(map(bool, odd.values()))
        say(f"{story.place(reads[0])}: {name}"
            + f", {number} times" * (number > 1)
            + f", {marked} of them remarkable" * (number > 1 and marked > 0), "  ")
        for read in picked:
            by = read["writer"]
            text = story.shown(read) + ", "
            if by.get("by") == "thread":
                text += "stored by " + (
                    story.thread(by, store["launch"], False) if "thread" in by
                    else "another block") + f" at {story.place(by)}"
                if "from" in read:
                    text += (f", from {story.shown(read['from'])}, "
                             + story.writer(read["from"]["writer"]))
            else:
                text += story.writer(by)
            say(text + f": {odd[id(read)].strip()}" * bool(odd[id(read)].strip()),
                "    ")
    lines = Counter(story.place(line) for line in story.lines if "exchange" in line)
    for place, number in lines.items():
        say(f"{place}: {number} exchange{'s' * (number > 1)} with lanes of its warp, "
            "which are not followed", "  ")


def choose(lines: List[dict]) -> Tuple[Optional[dict], List[dict], List[dict]]:
    """Return the last look of the host at a word, the stores before it, and who
    wrote beside it."""
    best, seen, beside, now = None, [], [], []
    for line in lines:
        if "change" in line:
            now.append(line)
        if "look" in line and (not best or line["look"] or not best["look"]):
            best, beside = line, []
            seen = [store for store in now if store["address"] == line["address"]]
        elif "beside" in line and best:
            beside.append(line)
    return best, seen, beside


def why(program: course.Program, words: List[str], at: str) -> int:
    """Answer; return the status."""
    command = [program.path, *words]
    wanted = ""
    if not at:
        run = course.run(command, bool(program.chapter), ALIKE)
        wrong = WRONG.search(run.errors + run.output)
        if not wrong:
            fail(f"why: {program.chapter or program.source} names no wrong word; "
                 "at='C[3][5]' does")
        at, wanted = wrong.groups()
        variant = VARIANT.search(run.errors)
        if variant and "--variant" not in words:
            command += ["--variant", variant[1]]
    name, index = parse(at)
    paths = course.sources(program.chapter) if program.chapter else \
        course.with_headers(program.source)
    source = "\n".join(map(course.text_of, paths))
    home = f"chapters/{program.chapter}/{program.chapter}.cu" if program.chapter \
        else os.path.relpath(program.source)
    kind = Story([], source, home).kind(name, 0)
    place = ":".join([name or "*", str(size_of(kind)), *map(str, index)])
    lines, errors = watch(command, SIM_WHY_AT=place)
    story = Story(lines, source, home)
    look, stores, beside = choose(lines)
    if not look:
        sys.stderr.write(errors)
        arrays = dict.fromkeys(f"{each['array']} of {each['bytes']} bytes"
                               for each in lines if "array" in each)
        fail(f"why: no word {at}; there are {', '.join(arrays)}" if arrays else
             "why: the program has launched no kernel")
    say(f"{story.shown({**look, 'value': look['value'][-2 * size_of(kind):]})}"
        + f" ({wanted})" * bool(wanted))
    by = look["writer"]
    if by.get("by") != "kernel":
        say(f"No kernel wrote it last: {story.writer(by)}.")
        for line in beside:
            say(f"The nearest word that a kernel wrote, {story.word(line)[0]}: "
                f"{story.writer(line['writer'])}", "  ")
        return 0
    last = stores[-1]
    about = story.launch(last["launch"])
    say(f"{story.place(last)} wrote it last, by {story.thread(last, last['launch'])} "
        f"of {about['kernel']}, launch {last['launch']} ({story.place(about)}).")
    text = course.text_of(last["file"]).splitlines()[last["line"] - 1:last["line"]]
    print("".join(f"    {line.strip()}\n" for line in text), end="")
    same = [store for store in stores if store["launch"] == last["launch"]]
    if len(same) > 1:
        blocks = len({store["block"] for store in same})
        threads = len({(store["block"], store["thread"]) for store in same})
        say(f"This launch wrote it {len(same)} times, by {threads} "
            f"thread{'s' * (threads > 1)} of {blocks} block{'s' * (blocks > 1)}; "
            f"before: {story.thread(same[-2], last['launch'])} at "
            f"{story.place(same[-2])}.")
    if last["op"] == "atomic":
        say("It is an atomic operation: each of them has a part in the value.")
    more, _ = watch(command, SIM_WHY_AT=place, SIM_WHY_STORE=(
        "{launch}:{block}:{thread}:{change}".format(**last)))
    show_reads(story._replace(lines=more), last, more[-1]["address"])
    return 0
