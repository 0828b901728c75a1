"""Say who wrote a word of device memory last, and what that thread had read.

The program runs again in the simulator, on one OS thread and so in the same
order: once to see who stores to the word (SIM_WHY), once more, up to that store,
to see what its thread loads (SIM_WHY_STORE).
"""

import os
import re
import struct
import subprocess
import tempfile
import textwrap
from collections import Counter
from typing import Dict, List, NamedTuple, Tuple

from tools import course
from tools.machine import fail

FORMATS = {"float": "f", "double": "d", "unsigned char": "B", "unsigned short": "H",
           "unsigned long long": "Q", "long long": "q", "size_t": "Q", "short": "h",
           "int": "i", "unsigned": "I", "char": "b", "int32_t": "i", "uint32_t": "I",
           "int64_t": "q", "uint8_t": "B", "bool": "B", "half": "e", "__half": "e",
           "__nv_bfloat16": "bf16"}
TYPE = rf"\b({'|'.join(FORMATS)})[234]?\b"  # float4, too
# "  C[3][5]: got 1, want 2": of common/verify.c, or a program of one's own.
WRONG = re.compile(r"^\s*(\w+(?:\[\d+\]){1,2}): (got .*)", re.M)
VARIANT = re.compile(r"^\S+ (\S+): wrong on ", re.M)
INDEX = r"\[((?:\d+[+*])*\d+)\]"
# All runs do the same; to search and to count would take time.
ALIKE = {"SIM_THREADS": "1", "SIM_SEARCH": "0", "SIM_COUNT": "first"}
SHOWN = 3  # remarkable loads of a line


def read_line(line: str) -> dict:
    """Return what a line of SIM_WHY says: "writer" and "from" begin parts of it."""
    kind, *fields = line.split("\t")
    whole = part = outer = {"kind": kind}
    for field in fields:
        name, equals, value = field.partition("=")
        if equals:
            part[name] = int(value) if value.isdigit() and name != "value" else value
        elif name == "from":
            part = outer = whole[name] = {}
        else:
            part = outer[name] = {}
    return whole


def watch(command: List[str], **settings: str) -> List[dict]:
    """Run a program; return what SIM_WHY has written."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(command, env={**os.environ, **ALIKE, **settings,
                                     "SIM_WHY": file.name},
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return [read_line(line) for line in course.text_of(file.name).splitlines()]


def spread(number: int, extent: str) -> str:
    """Return (x,y,z) of the number of a thread or a block."""
    x, y, _ = map(int, extent.split())
    return f"({number % x},{number // x % y},{number // x // y})"


def line_of(place: dict) -> str:
    """Return the source there."""
    lines = course.text_of(place["file"]).splitlines()
    return "".join(lines[place["line"] - 1:place["line"]]).strip()


def say(text: str, indent: str = "") -> None:
    """Print a paragraph."""
    print(textwrap.fill(text, 80, initial_indent=indent, subsequent_indent=indent
                        + "  " * bool(indent), break_long_words=False,
                        break_on_hyphens=False))


def count(number: int, what: str) -> str:
    """Return 1 thread, 2 threads."""
    return f"{number} {what}" + "s" * (number > 1)


class Story(NamedTuple):
    """What SIM_WHY has written, and how people say it."""

    lines: List[dict]
    source: str  # text of the program's files
    home: str  # the file that needs no name

    def of(self, kind: str) -> List[dict]:
        """Return the lines of a kind."""
        return [line for line in self.lines if line["kind"] == kind]

    def format(self, word: str) -> Tuple[str, int]:
        """Return the type of an array's elements, as the source has it, and its size."""
        name = re.escape(word.split("[")[0])
        found = re.search(rf"{TYPE}(?:(?!{TYPE})[^;(){{}}])*?\b{name}\b", self.source)
        form = FORMATS[found[1]] if found else "f"
        size = 2 if form == "bf16" else struct.calcsize(form)
        for array in self.of("array"):  # the program may have said how long one is
            if array["name"] == word.split("[")[0] and \
                    array["element"] in {1, 2, 4, 8} - {size}:
                size = array["element"]
                form = {1: "B", 2: "bf16" if "bfloat16" in self.source else "e",
                        8: "d"}.get(size, "f")
        return form, size

    def word(self, entry: dict) -> str:
        """Return the name of the word of an entry."""
        for array in reversed(self.of("array")):
            offset = entry.get("address", 0) - array["start"]
            if 0 <= offset < array["bytes"]:
                at = offset // (array["element"] or self.format(array["name"])[1])
                ld = array["ld"]
                return array["name"] + (f"[{at // ld}][{at % ld}]" if ld else f"[{at}]")
        return entry.get("text", "a word without a name")  # text: shared memory

    def values(self, entry: dict) -> List[float]:
        """Return the elements in the bytes of a value; none where it is not known."""
        form, size = self.format(self.word(entry))
        data = bytes.fromhex(entry.get("value", ""))[::-1]
        parts = [data[i:i + size] for i in range(0, len(data) // size * size, size)]
        return [struct.unpack("<f", b"\0\0" + part)[0] if form == "bf16" else
                struct.unpack("<" + form, part)[0] for part in parts]

    def shown(self, entry: dict) -> str:
        """A[3] = 5."""
        values = ", ".join(f"{value:.9g}" if isinstance(value, float) else str(value)
                           for value in self.values(entry))
        return f"{self.word(entry)} = {values or 'not known, it has stored there since'}"

    def place(self, entry: dict) -> str:
        """Return line 7, or file and line, and who calls the function there."""
        calls = re.findall(r"(\S+):(\d+):\d+", entry.get("callers", ""))[:1]
        return ", called at ".join(
            "an unknown line" if not int(line) else f"line {line}"
            if os.path.relpath(file) == self.home else f"{os.path.relpath(file)}:{line}"
            for file, line in [(entry["file"], entry["line"]), *calls])

    def launch(self, by: dict) -> dict:
        """Return what is known of a writer's launch."""
        return next(line for line in self.of("launch")
                    if line["launch"] == by["launch"])

    def thread(self, by: dict) -> str:
        """Return thread (3,0,0) of block (1,0,0)."""
        return (f"thread {spread(by['thread'], self.launch(by)['block'])} of block "
                + spread(by["block"], self.launch(by)["grid"]))

    def writer(self, entry: dict, own: dict) -> str:
        """Say who wrote a word; own: who has read it."""
        by, who = entry["writer"], entry["writer"].get("by")
        if who == "kernel":
            return (f"written by {self.thread(by)} at {self.place(by)}"
                    + f", launch {by['launch']}" * (by["launch"] != own.get("launch")))
        if who == "host":
            call = re.search(r"\b(cuda(?:Mem|Graph)\w+|cublas\w+)", line_of(by))
            return f"{call[1] if call else 'the host'} at {self.place(by)}"
        if who == "thread":
            block, of = self.launch(own)["block"], entry.get("from")
            return (f"stored by thread {spread(by['thread'], block)} at "
                    + self.place(by) + (f", from {self.shown(of)}, "
                                        + self.writer(of, own) if of else ""))
        return "never written" if who else "by whom is not known"

    def remark(self, read: dict, last: dict, usual: int) -> List[str]:
        """Say what is remarkable of a load."""
        by, own, found = read["writer"], last["writer"], []
        if any(value != value for value in self.values(read)):
            found.append("NaN")
        if by.get("by") == "nobody":
            found.append("never written")
        if read.get("address") == last["address"]:
            found.append("the word itself, as it was before")
        since = read["barriers"] - by.get("barriers", 0)
        if by.get("by") == "thread" and not since and by["thread"] != own["thread"]:
            found.append("no barrier since")
        elif by.get("by") == "thread" and since != usual:
            found.append(f"{since} barriers since, of the others {usual}")
        if by.get("launch") == own["launch"] and by["block"] != own["block"]:
            found.append("another block of this launch")
        return found

    def tell_reads(self, last: dict) -> None:
        """Print what a thread had read, line by line."""
        groups: Dict[Tuple[str, str], List[dict]] = {}
        for line in self.of("read"):
            name = self.word(line).split("[")[0]
            groups.setdefault((self.place(line), name), []).append(line)
        say("Since it began that thread had read" + (":" if groups else " no memory."))
        for (place, name), reads in groups.items():
            number = len(reads)
            usual = Counter(read["barriers"] - read["writer"].get("barriers", 0)
                            for read in reads).most_common(1)[0][0]
            odd = [self.remark(read, last, usual) for read in reads]
            say(f"{place}: {name}" + f", {number} words" * (number > 1)
                + f", {number - odd.count([])} of them remarkable"
                * (number > 1 and any(odd)), "  ")
            picked = [i for i in range(number) if odd[i]][:SHOWN]
            for i in sorted({0, *picked, number - 1}):
                told = self.writer(reads[i], last["writer"])
                more = ", ".join(one for one in odd[i] if one != told)
                say(f"{self.shown(reads[i])}, {told}" + f": {more}" * bool(more), "    ")
        if "_shfl" in self.source:
            say("What came from other lanes, by a shuffle, is not followed.")

    def tell_stores(self, stores: List[dict]) -> None:
        """Print who stored to a word, the last store of all."""
        by = stores[-1]["writer"]
        about = self.launch(by)
        say(f"It was written last at {self.place(by)}, by {self.thread(by)} of "
            f"{about['kernel']}, launch {by['launch']} ({self.place(about)}):")
        print("    " + line_of(by))
        same = [store["writer"] for store in stores
                if store["writer"]["launch"] == by["launch"]]
        if len(same) > 1:
            threads = count(len({(one["block"], one["thread"]) for one in same}), "thread")
            say(f"This launch wrote it {len(same)} times: {threads} of "
                f"{count(len({one['block'] for one in same}), 'block')}. The time before it was "
                f"{self.thread(same[-2])} at {self.place(same[-2])}.")


def choose(lines: List[dict]) -> Tuple[dict, List[dict], List[dict]]:
    """Return the last look of the host at a word, else one at the end, the stores
    before it, and what a kernel wrote beside the word."""
    look, stores, beside, now, chosen = {}, [], [], [], False
    for line in lines:
        if line["kind"] == "change":
            now.append(line)
        elif line["kind"] == "look":
            chosen = not look or line["by_host"] or (
                not look["by_host"] and line["writer"].get("by") == "kernel")
            if chosen:
                look, beside = line, []
                stores = [one for one in now if one["address"] == line["address"]]
        elif line["kind"] == "beside" and chosen:
            beside.append(line)
    return look, stores, beside


def why(program: course.Program, words: List[str], at: str) -> int:
    """Answer; return the status."""
    command, wanted = [program.path, *words], ""
    if not at:
        run = course.run(command, bool(program.chapter), ALIKE)
        wrong = WRONG.search(run.errors + run.output)
        if not wrong:
            fail(f"why: {program.chapter or program.source} names no wrong word; "
                 "at='C[3][5]' asks for one")
        at, wanted = wrong.groups()
        variant = VARIANT.search(run.errors)
        command += ["--variant", variant[1]] if variant else []
    match = re.fullmatch(rf"(\w*)(?:{INDEX})?(?:{INDEX})?",
                         f"[{at}]" if at.isdigit() else at.replace(" ", ""))
    if not match:
        fail(f"why: at={at}: a word is meant, as C[3][5] or C[3*64+5]")
    name, *parts = match.groups()
    index = [eval(re.sub(r"\b0+(?=\d)", "", part)) for part in parts if part] or [0]
    home = f"chapters/{program.chapter}/{program.chapter}.cu" if program.chapter \
        else os.path.relpath(program.source)
    story = Story([], "\n".join(map(course.text_of, program.sources())), home)
    place = ":".join(map(str, [name or "*", story.format(name)[1], *index]))
    story = story._replace(lines=watch(command, SIM_WHY_AT=place))
    look, stores, beside = choose(story.lines)
    if not look:
        known = dict.fromkeys(f"{each['name']} of {each['bytes']} bytes"
                              for each in story.of("array"))
        fail(f"why: no word {at}; there are {', '.join(known) or 'no buffers'}"
             + "; one without rows takes one index" * (len(index) > 1))
    look["value"] = look["value"][-2 * story.format(story.word(look))[1]:]
    say(story.shown(look) + f" ({wanted})" * bool(wanted))
    if look["writer"].get("by") != "kernel":
        say(f"No kernel wrote it last: {story.writer(look, {})}.")
        for line in beside:
            say(f"The nearest word that a kernel wrote, {story.word(line)}: "
                + story.writer(line, {}), "  ")
        return 0
    story.tell_stores(stores)
    by = stores[-1]["writer"]
    lines = watch(command, SIM_WHY_AT=place, SIM_WHY_STORE=(
        f"{by['launch']}:{by['block']}:{by['thread']}:{stores[-1]['number']}"))
    if not lines or lines[-1]["kind"] != "change":
        fail("why: run again, the program did something else")
    story._replace(lines=lines).tell_reads(lines[-1])
    return 0
