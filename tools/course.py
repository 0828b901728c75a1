"""What the scripts know of a chapter: its files, its kernels, how to run it.

A chapter is a line of chapters/order, its name and its group, and a folder of
chapters/ with a .cu of its name; one of several variants has a .cuh for each
in kernels/.
Programs lie in build/gpu and build/simulator. A run appends one JSON record for
each variant (docs/record.schema.json), whose `size` has the names that the
chapter chose.
"""

import difflib
import glob
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from typing import (Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional,
                    Tuple, Union)

from tools.machine import Make, fail
from tools.terminal import telling

ORDER = "chapters/order"
LADDERS = ("gemm", "tensor", "attention")  # groups whose chapters solve the same problem
# What a group is called where people read it; a new one has its own name.
GROUPS = {"first": "The first program", "gemm": "The ladder",
          "tensor": "Tensor cores", "attention": "Attention", "patterns": "Patterns"}
CLANG = "clang 14 or newer (make setup)"


def text_of(path: str) -> str:
    """Return the text of a file; nothing if there is no such file."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path: str, text: str) -> None:
    """Write a file that is whole at any time."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(path + ".new", path)


def groups() -> Dict[str, str]:
    """Return the group of each chapter, in the order in which they are read.

    A folder without a line in chapters/order, or a line without a folder, is one
    line on stderr, and status 2.
    """
    try:
        with open(ORDER, encoding="utf-8") as file:
            group_of = dict(line.split() for line in file)
    except ValueError:
        fail(f"{ORDER}: each line is the name of a chapter and its group")
    folders = {path.split("/")[1] for path in glob.glob("chapters/*/*.cu")
               if path.split("/")[1] == os.path.basename(path)[:-len(".cu")]}
    for name in sorted(folders - set(group_of)):
        fail(f"{ORDER} has no line for chapters/{name}: its name and its group")
    for name in set(group_of) - folders:
        fail(f"{ORDER}: {name}: there is no chapters/{name}/{name}.cu")
    return group_of


def chapters(group: str = "") -> List[str]:
    """Return the chapters, or those of a group, in the order of reading."""
    return [name for name, own in groups().items() if group in ("", own)]


def bare(chapter: str) -> bool:
    """Whether a chapter's program does without common/.

    Its main(void) takes no options, so it writes no record either.
    """
    return "main(void)" in text_of(f"chapters/{chapter}/{chapter}.cu")


def recorded() -> List[str]:
    """Return the chapters whose programs write records."""
    return [name for name in chapters() if not bare(name)]


def meant(word: str, known: Iterable[str]) -> str:
    """Return the known word that is nearest, in a question; or nothing."""
    near = difflib.get_close_matches(word, known, 1)
    return f" (did you mean {near[0]}?)" if near else ""


def find_chapter(said: str, variable: str = "chapter", *more: str) -> str:
    """Return the chapter, or one of more, that a name typed as this variable means.

    It may be a path of the folder or of its .cu.
    """
    wanted = said.rpartition("chapters/")[2]
    if wanted.endswith(".cu"):
        wanted = os.path.basename(wanted)[:-len(".cu")]
    wanted = wanted[:-1] if wanted.endswith("/") else wanted
    if not wanted:
        fail("chapter= is missing, as in chapter=gemm_01; make list names all")
    return find(wanted, variable, [*chapters(), *more])


def find(wanted: str, variable: str, known: List[str], goal: str = "list") -> str:
    """Return the known name that is meant.

    The one of that name, else the only one that begins so, else the only one
    that has a word which begins so (01, naive). A number in full goes before one
    typed in part: gemm_1 is gemm_10 only where there is no gemm_1. Otherwise one
    line, with the goal that names all, and status 2.
    """
    word = re.escape(wanted)
    full = [f"{word}(_|$)", f".*_{word}(_|$)"] * wanted[-1:].isdigit()
    matches = ([name for name in known if re.match(pattern, name)]
               for pattern in [f"{word}$", *full, word, f".*_{word}"])
    fitting = next(filter(None, matches), [])
    if len(fitting) == 1:
        return fitting[0]
    fail(textwrap.fill(
        f"{variable}={wanted} fits several: {' '.join(fitting)}", 72,
        break_on_hyphens=False) if fitting else
        f"{variable}={wanted} fits none{meant(wanted, [*known, *map(short, known)])}"
        f"; make {goal} names all")


def variants(chapter: str) -> Dict[str, str]:
    """Return the files kernels/NUMBER_NAME.cuh of a chapter, by NAME, in order."""
    stems = {path: os.path.basename(path)[:-len(".cuh")].split("_", 1)
             for path in glob.glob(f"chapters/{chapter}/kernels/[0-9]*_*.cuh")}
    return {stems[path][1]: path
            for path in sorted(stems, key=lambda path: int(stems[path][0]))}


def sources(chapter: str) -> List[str]:
    """Return the paths of a chapter's CUDA sources."""
    return sorted(path for name in ("*.cu*", "kernels/*.cuh", "host/*.cuh")
                  for path in glob.glob(f"chapters/{chapter}/{name}"))


def with_headers(path: str) -> List[str]:
    """Return a source, the headers beside it that it includes, and theirs."""
    paths = [path]
    for one in paths:  # which grow meanwhile
        for name in re.findall(r'^\s*#\s*include\s*"(.+)"', text_of(one), re.M):
            header = os.path.normpath(os.path.join(os.path.dirname(one), name))
            if header not in paths and os.path.isfile(header):
                paths.append(header)
    return paths


def before(chapter: str) -> Optional[str]:
    """Return the chapter before in the same series, or None.

    A series is a group whose chapters have numbers: gemm_01, gemm_02.
    """
    if short(chapter) == chapter:
        return None
    series = chapters(groups()[chapter])
    place = series.index(chapter)
    return series[place - 1] if place else None


def short(chapter: str) -> str:
    """gemm_02_coalesced is gemm_02 in a table's head."""
    match = re.match(r"[a-z]+_\d+", chapter)
    return match.group(0) if match else chapter


# ---- what was measured on an H200, else on an H100 --------------------------

RESULTS = "docs/results/h200.jsonl"
OTHERS = "docs/results/h100.jsonl"  # of a chapter without a record of an H200


def results(chapter: str) -> List[dict]:
    """Return the verified records of a chapter, the oldest first."""
    records: List[dict] = []
    for path in (RESULTS, OTHERS):
        records = records or [
            record for record in read_lines(path, word=f'"{chapter}"')
            if record["chapter"] == chapter and record["verified"]]
    return records


def timed_variants(chapter: str) -> List[dict]:
    """Return the records of variants that have times."""
    return [record for record in results(chapter)
            if record["variant"] and record["time_ms"]]


def by_variant(chapter: str) -> Dict[str, dict]:
    """Return these records by variant, at the size recorded last."""
    records = timed_variants(chapter)
    return {record["variant"]: record for record in records
            if record["size"] == records[-1]["size"]}


def sizes(record: dict) -> Dict[str, Union[float, str]]:
    """Return the sizes of a record, without the row pitches."""
    return {name: value for name, value in record["size"].items()
            if not name.startswith("ld")}


def size_words(record: dict) -> str:
    """n=1048576 op=sum."""
    return " ".join(f"{name}={value}" for name, value in sizes(record).items())


def timed(chapter: str) -> Dict[Tuple[int, ...], dict]:
    """Return the last record of a rung for each size: M, N, K; of attention b, h,
    s, d, causal.

    Only alpha = 1, beta = 0 and no gelu; as many keys as rows, the usual layout;
    none for a chapter of other sizes.
    """
    last = {}
    for record in results(chapter):
        size = record["size"]
        names = "MNK" if "M" in size else ("b", "h", "s", "d", "causal")
        if set(names) <= set(size) and (
                size.get("alpha", 1), size.get("beta", 0), size.get("gelu", 0),
                size.get("keys"), size.get("layout", "bhsd")) == (
                1, 0, 0, size.get("s"), "bhsd"):
            last[tuple(size[name] for name in names)] = record
    return last


def size_name(size: dict) -> str:
    """Return 4096 or 8192x8192x1024; of attention the rows alone for the usual
    batch: 4096, 4096 causal, 16x16x1024x128."""
    if "M" in size:
        sides = [str(size[side]) for side in "MNK"]
        return "x".join(sides if len({*sides}) > 1 else sides[:1])
    sides = [str(size[side]) for side in "bhsd"]
    usual = sides[:2] + sides[3:] == ["4", "16", "128"]
    return (sides[2] if usual else "x".join(sides)) + " causal" * size["causal"]


# ---- kernels ----------------------------------------------------------------

# Comments, characters and strings, which may hold anything.
NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'"""
                     r"""|"(?:\\.|[^"\\\n])*\"""", re.S)
# __launch_bounds__((A) * (B), 2), __attribute__((noinline)): words with what
# stands in parentheses after them.
ATTRIBUTE = re.compile(r"\b__(?!global__)\w+__\s*"
                       r"(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?")
# The name of a kernel is the word before its parameters, or before "<", where
# the arguments of a template begin.
KERNEL = re.compile(r"\b__global__\b[^;{}()<]*?(\w+)\s*[(<]")


def blank(text: str, strings: bool = False) -> str:
    """Leave of comments their lines, and, if asked, of strings their quotes."""
    def instead(match: "re.Match[str]") -> str:
        word = match.group()
        if word.startswith("/"):
            return " " + "\n" * word.count("\n")
        return word[0] + word[-1] if strings else word

    return NO_CODE.sub(instead, text)


def kernel_names(text: str) -> List[str]:
    """Return the names of the kernels that CUDA source declares or defines."""
    code = ATTRIBUTE.sub(" ", blank(text, strings=True))
    return list(dict.fromkeys(KERNEL.findall(code)))


def kernels(paths: List[str]) -> List[str]:
    """Return the names of the kernels in some sources."""
    return kernel_names("\n".join(map(text_of, paths)))


# ---- running ----------------------------------------------------------------


class Program(NamedTuple):
    """What run, profile and their like work with."""

    path: str
    back_end: str
    chapter: str  # or nothing, where
    source: str  # is a program of one's own

    def sources(self) -> List[str]:
        """Return the paths of what it is made of."""
        return sources(self.chapter) if self.chapter else with_headers(self.source)

    def kernels(self) -> List[str]:
        """Return the names of its kernels."""
        return kernels(self.sources())


class Run(NamedTuple):
    """What a program left."""

    status: int
    records: List[dict]  # one for each variant, in the order of the program
    launches: List[dict]  # the simulator's, of SIM_REPORT
    output: str
    errors: str
    seconds: float  # from its start to its end

    def plain(self) -> bool:
        """Whether it ran without clang: no counters, no search for races."""
        return bool(self.launches) and not any(
            launch["counts"] for launch in self.launches)


def read_lines(*paths: str, word: str = "") -> List[dict]:
    """Return the JSON records of files, or of their lines that have a word."""
    return [json.loads(line) for path in paths for line in text_of(path).splitlines()
            if line.strip() and word in line]


def run(command: List[str], record: bool = True,
        environment: Optional[Dict[str, str]] = None) -> Run:
    """Run a program; with its records if it is a chapter's."""
    with tempfile.TemporaryDirectory() as folder:
        records = os.path.join(folder, "records")
        launches = os.path.join(folder, "launches")
        begin = time.monotonic()
        words = shlex.join([os.path.basename(command[0]), *command[1:]])
        with telling(words):
            done = subprocess.run(
                command + (["--json", records] if record else []),
                env={**os.environ, **(environment or {}), "SIM_REPORT": launches},
                errors="replace", stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True)
        seconds = time.monotonic() - begin
        status, errors = done.returncode, done.stderr
        if status < 0:  # no verdict of the program's: call it wrong
            status, errors = 1, errors + f"ended by signal {-done.returncode}\n"
        return Run(status, read_lines(records), read_lines(launches),
                   done.stdout, errors, seconds)


def build(targets: List[str]) -> bool:
    """Build programs by their paths, as make does."""
    return Make().made(*targets)


def forget_make() -> None:
    """Forget what make was told: it is not meant for the makes started here."""
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
        os.environ.pop(name, None)


# Runs of a chapter that a GPU has at once, where nobody looks at the time: each
# has half a GiB before it begins, and make test-gpu checks eight chapters.
GPU_RUNS = 4
PAUSES = (2, 10, 30, 60, 120)  # seconds


def run_beside_others(command: List[str], record: bool = True,
                      environment: Optional[Dict[str, str]] = None) -> Run:
    """Run a program on a GPU; after a pause again, if they left it no memory."""
    for pause in (0, *PAUSES):
        time.sleep(pause)
        done = run(command, record, environment)
        output = done.errors + done.output
        least = re.search(r"needs ([\d.]+) GiB of GPU .* of ([\d.]+) GiB", output)
        if done.status == 0 or not re.search("GPU memory|out of memory", output) \
                or least and float(least[1]) > float(least[2]):  # even alone
            break
    return done


def together(number: int, work: Callable, items: list) -> Iterator:
    """Yield work(item) for each item in order, with some at work at a time."""
    with ThreadPoolExecutor(number) as pool:
        try:
            results = pool.map(work, items)
            for i in range(len(items)):
                with telling(f"{i + 1} of {len(items)}"):
                    result = next(results)
                yield result
        except BaseException:  # Ctrl-C: what has not begun never does
            pool.shutdown(cancel_futures=True)
            raise


class Tally:
    """What passed, failed and was skipped, and the exit status."""

    def __init__(self) -> None:
        self.passed = self.failed = self.skipped = self.status = 0

    def add(self, status: int) -> None:
        """Note one check that ended with @p status."""
        self.passed += status == 0
        self.failed += status != 0
        self.status = self.status or status

    def take(self, text: str, status: int) -> None:
        """Add the last line of a run, ours or pytest's; a bad end is a failure."""
        lines = re.findall(r"(?m)^=* ?\d+ (?:passed|failed|skipped|error).*", text)
        number = {word: int(count) for count, word in re.findall(
            r"(\d+) (passed|failed|skipped|error)", lines[-1] if lines else "")}
        failed = number.get("failed", 0) + number.get("error", 0)
        if not failed and (status or not sum(number.values())):
            failed = 1
        self.passed += number.get("passed", 0)
        self.failed += failed
        self.skipped += number.get("skipped", 0)
        self.status = self.status or failed and (status or 1)

    def close(self) -> int:
        """Print the last line; return the status."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{skipped}")
        return self.status


class Unusable(Exception):
    """A page, a file or a name that cannot be used: why, in one line."""


def script(main: Callable[[], int]) -> None:
    """Run a script's main and end with its status, never with a traceback.

    Ctrl-C and a reader that has gone (make check | head) end it as they end
    any program; a file that cannot be read or written is one line, status 2.
    """
    try:
        status = main()
        sys.stdout.flush()
    except (KeyboardInterrupt, BrokenPipeError) as error:
        killed = signal.SIGPIPE if isinstance(error, BrokenPipeError) \
            else signal.SIGINT
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        signal.signal(killed, signal.SIG_DFL)
        os.kill(os.getpid(), killed)
    except Unusable as error:
        print(error, file=sys.stderr)
        status = 2
    except OSError as error:
        name = os.path.basename(sys.argv[0]).replace(".py", "")
        where = error.filename if error.filename is not None else "output"
        print(f"{name}: {where}: {error.strerror}", file=sys.stderr)
        status = 2
        # What could not be written is not tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(status)
