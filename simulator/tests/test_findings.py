#!/usr/bin/env python3
"""Bugs that the simulator must find, and correct programs that it must not blame.

findings/*.cu hold small programs, the cases of harness.py. A comment on a faulty line
says what is expected there, with status 5 (0 if they are but notes):

    // expect: KIND           this finding with this line
    // expect-one: KIND       a pair (as the two sides of a race): one of the
                              lines marked with the kind, or both
    // says: TEXT             the text is part of a finding's message (never says:
                              of none); HERE in it is the file and this line

KIND may be a pattern (*-note). `// status: N` changes the expected status (-6 is
abort()), and `// consequence: KIND` allows a kind that follows from the bug on its
lines. A file with `// counted only: WHY` is left out in plain mode.
Exactly these findings must come, and no others. A case that expects nothing, or
that RIGHT corrects, must run without a finding where RIGHT is 1.
"""
import fnmatch
import os
import re
import signal
import subprocess
import time

from harness import (HERE, RUNNER, UNCHECKED, bundle, cases, check, command,
                     counted_mode, finish, marked_line, parallel, reported, runner,
                     simcc, skip, workdir)

CRASHES = HERE / "programs" / "crashes.cu"
FINDING = re.compile(r"^(?P<file>[^:\s][^:]*):(?P<line>\d+)(?::(?P<column>\d+))?: "
                     r"(?P<kind>[a-z-]+):(?P<message> .+)?$")
MARKER = re.compile(r"// (expect|expect-one): ((?:[a-z*-]+ ?)+)$")
STATUS = re.compile(r"// status: (-?\d+)")
CONSEQUENCE = re.compile(r"// consequence: ([a-z-]+)$")
SAYS = re.compile(r"// (never )?says: (.+)$")


def expectations(lines):
    """[(marker, kind, line)] and the status, from the comments of a case."""
    expected, allowed, status = [], [], None
    for number, line in lines:
        for marker, kinds in MARKER.findall(line):
            expected += [(marker, kind, number) for kind in kinds.split()]
        allowed += CONSEQUENCE.findall(line)
        for text in STATUS.findall(line):
            status = int(text)
    if status is None:
        status = 5 if any("note" not in kind for _, kind, _ in expected) else 0
    expected += [("may", kind, number) for kind in allowed
                 for number in sorted({number for _, _, number in expected})]
    return expected, status


def findings_of(text, path):
    """[(kind, line)] of the findings in stderr, and all lines that are none."""
    found, other = [], []
    for line in text.splitlines():
        match = FINDING.match(line)
        if match and match["file"].endswith(path.name):
            found.append((match["kind"], int(match["line"])))
        elif line.strip() and not line.startswith((" ", "\t")):
            other.append(line)
    return found, other


def differences(expected, found):
    """What is missing and what is too much, as text."""
    def fits(item, kind, line):
        return item[1] == line and fnmatch.fnmatch(item[0], kind)

    problems = []
    for marker, kind, line in expected:
        if marker == "expect" and not any(fits(f, kind, line) for f in found):
            problems.append(f"missing: line {line}: {kind}")
    for kind in {k for marker, k, _ in expected if marker == "expect-one"}:
        lines = [n for m, k, n in expected if m == "expect-one" and k == kind]
        if not any(fits(f, kind, n) for f in found for n in lines):
            problems.append(f"missing: one of the lines {lines}: {kind}")
    for item in found:
        if not any(fits(item, kind, line) for _, kind, line in expected):
            problems.append(f"too much: line {item[1]}: {item[0]}")
        if found.count(item) > 1:
            problems.append(f"more than once: line {item[1]}: {item[0]}")
    return problems


def rank(kind):
    """The place of a kind among the findings of a launch: causes first."""
    if kind.endswith("-note"):
        return 4
    if kind == "async-copy":
        return 0
    if kind.endswith("-race") or kind in ("missing-fence", "barrier-divergence",
                                          "launch-limits"):
        return 1
    return 2 if kind.startswith("uninitialised") else 3


def problems_of(program, case, right):
    """Run a case of a bundle and compare. @return what is wrong, as lines"""
    path, name, lines = case
    expected, status = ([], 0) if right else expectations(lines)
    # The clock's time: a busy machine may need it all where it is not expected.
    late = "timeout" in [kind for _, kind, _ in expected]
    ran, launches = reported([program, f"{path.name}:{name}"],
                             SIM_TIMEOUT=2 if late else 60,
                             SIM_COVERAGE=int(right or path.stem == "coverage"))
    found, other = findings_of(ran.stderr, path)
    problems = differences(expected, found)
    problems += [f"{never}says: {text}" for number, line in lines
                 for never, text in SAYS.findall(line) if not right and
                 (text.replace("HERE", f"{path.name}:{number}") in ran.stderr) == bool(never)]
    if ran.returncode != status:
        problems.append(f"status {ran.returncode}, expected {status}")
    if ran.stdout:
        problems.append(ran.stdout)
    if found != sorted(found, key=lambda item: (rank(item[0]), item[1])):
        problems.append("the findings are not sorted: causes first, by line")
    if long := [line for line in ran.stderr.splitlines() if len(line) > 100]:
        problems.append(f"more than 100 columns: {long}")
    recorded = {(f["kind"], f["line"]) for launch in launches
                for f in launch["findings"]}
    recorded |= {(match["kind"], int(match["line"]))  # of host code
                 for match in map(FINDING.match, ran.stderr.splitlines())
                 if match and not match["column"]}
    # A kernel that a signal has ended has no line there, nor one that was refused.
    launched = launches and "launch-limits" not in [kind for kind, _ in found]
    if launched and recorded != set(found):
        problems.append(f"SIM_REPORT has other findings: {sorted(recorded)}")
    if not expected and other:
        problems.append("something on stderr")
    return problems and problems + ["stderr:", *ran.stderr.splitlines()]


def programs(right):
    """(file, name, lines) of the cases that are run with RIGHT as @p right says."""
    every = [(path, name, lines) for path in sorted((HERE / "findings").glob("*.cu"))
             for name, lines in cases(path).items()]
    return [(path, name, lines) for path, name, lines in every
            if (not expectations(lines)[0] or any("RIGHT" in text for _, text in lines)
                if right else expectations(lines)[0])]


def all_programs(directory, right, *options):
    """Build the files of these cases as one program, and run each case."""
    chosen = [case for case in programs(right)
              if "--plain" not in options or "// counted only" not in case[0].read_text()]
    program = directory / "-".join(["findings", str(right), *options])
    broken = bundle(sorted({path for path, _, _ in chosen}), program,
                    f"-DRIGHT={right}", *options)
    if not check(" ".join([f"findings: RIGHT={right} builds", *options]), not broken,
                 broken):
        return program
    outcomes = parallel(lambda case: problems_of(program, case, right), chosen)
    for (path, name, _), problems in zip(chosen, outcomes):
        words = ["findings:", path.stem, name, *["right"] * right, *options]
        check(" ".join(words), problems == [], "\n".join(problems))
    return program


def comparable(text):
    """Findings without what two blocks met first: that is up to the OS threads."""
    text = re.sub(r"(: global-race:) .*", r"\1", text)
    return re.sub(r"\bby block \(.*?\); (block \(.*?\) has|several other blocks have) ",
                  "", text)


def settings(program):
    """The switches of the environment, on programs of the bundle."""
    name = "shared_race.cu:no_barrier"
    ran = command([program, name], env={"SIM_SEARCH": 0})
    check("findings: SIM_SEARCH=0 finds nothing, status 0",
          ran.returncode == 0 and not ran.stderr, ran.stderr)
    # A hook would see the word past the end, of which its page has room.
    ran = command([program, "global_memory.cu:guard"], env={"SIM_CHECKS": 0})
    check("findings: SIM_CHECKS=0 says so, and hooks are gone",
          ran.returncode == 0 and ran.stderr == UNCHECKED, ran.stderr)

    began = time.monotonic()
    ran = command([program, "warp.cu:half_waits"])
    seconds = time.monotonic() - began
    check("findings: a deadlock ends at once, not after SIM_TIMEOUT",
          ran.returncode == 5 and seconds < 30,
          f"{seconds:.1f} s, status {ran.returncode}\n{ran.stderr}")

    ran = command([program, "status.cu:three"])
    counts = re.findall(r"\(x \d+\)", ran.stderr)
    check("findings: repeats are counted, (x 12)", counts, ran.stderr)

    texts = {comparable(command([program, "status.cu:three"],
                                env={"SIM_THREADS": n}).stderr) for n in (1, 2, 7)}
    check("findings: the same text with 1, 2 and 7 OS threads",
          len(texts) == 1, "\n---\n".join(texts))
    ran = command([program, name])
    check("findings: a race names the thread and the block",
          "thread (" in ran.stderr and "block (" in ran.stderr, ran.stderr)


MANY = """
__global__ void k{0}(int *x) {{ x[threadIdx.x] = x[63 - threadIdx.x]; }}
"""


def texts(directory):
    """What findings look like: names, their number, letters of all kinds."""
    folder = directory / "größe"
    folder.mkdir()
    source, program = folder / "käse.cu", folder / "many"
    kernels = "".join(MANY.format(i) for i in range(30))
    launches = "".join(f"k{i}<<<2, 32>>>(x);\n" for i in range(30))
    source.write_text(f"{kernels}int main()\n{{\nint *x;\n"
                      f"cudaMalloc(&x, 256);\n{launches}}}\n")
    built = simcc(source, program)
    lines = command([program]).stderr.splitlines()
    check("findings: about 20 lines, the others are counted",
          18 <= len(lines) <= 24 and "more findings" in lines[-1],
          built.stderr + "\n".join(lines))
    check("findings: letters of any language in a path",
          lines and "größe/käse.cu:2:" in lines[0], "\n".join(lines[:3]))


def named_arrays(program):
    """Arrays whose names and shapes the program has told; a process that forks."""
    text = "".join(command([program, "named", i]).stderr for i in range(4))
    for wanted in ("A[3][64]", "1 element past the end of A, which has 4 x 64",
                   "A[6][2]", "3 rows past the end of A", "A[-1][0]",
                   "1 row before the start of A", "sum[7]",
                   "4 elements past the end of sum"):
        check(f"findings: named arrays: {wanted}", wanted in text, text)
    ran = command([program, "named", 4])
    place = f"crashes.cu:{marked_line(CRASHES, '// by a child')}: read_one is launched"
    check("findings: a child of fork() cannot launch where its parent has",
          ran.returncode == 1 and place in ran.stderr
          and len(ran.stderr.splitlines()) == 1, ran.stderr)


def wild_pointer_in_plain_mode(program):
    ran = command([program, "wild"])
    line = marked_line(CRASHES, "// launched here")
    lines = ran.stderr.splitlines()
    check("findings: a crash in plain mode gives a finding that names the launch",
          ran.returncode != 0 and lines
          and f"crashes.cu:{line}: host-pointer:" in lines[0]
          and "in wild_store, by thread" in ran.stderr
          and all(text.startswith("    ") for text in lines[1:]),
          f"status {ran.returncode}\n{ran.stderr}")


# host NUMBER [counted|plain, where it is found]: KIND: WORDS of the message
HOST = re.compile(r"// host (\d+)( counted| plain|): ([a-z-]+): (.+)$")


def host_dereference(program, *options):
    """Host code that touches device memory ends with a finding at its line."""
    if RUNNER:  # addr2line does not read its programs
        skip("findings: host code in device memory", "another machine's program")
        return
    right = command([program, "host"])
    problems = [right.stderr] if right.returncode else []
    for number, line in enumerate(CRASHES.read_text().splitlines(), 1):
        mark = HOST.search(line)
        if not mark or mark[2] == (" counted" if options else " plain"):
            continue
        ran = command([program, "host", mark[1]])
        if (ran.returncode != 5 or mark[4] not in ran.stderr
                or f"crashes.cu:{number}: {mark[3]}:" not in ran.stderr):
            problems += [f"{line}: status {ran.returncode}", ran.stderr]
    check("findings: host code in device memory " + " ".join(options),
          not problems, "\n".join(problems))


def interrupt(program, directory, *options):
    """Ctrl-C ends at once and leaves no process and no temporary file."""
    name = "findings: Ctrl-C ends at once" + " ".join(["", *options])
    temporary = directory / "tmp"
    temporary.mkdir(exist_ok=True)
    environment = {**os.environ, "TMPDIR": str(temporary)}
    # A shell's background jobs ignore Ctrl-C, and so would their children.
    process = subprocess.Popen([*runner(program), program, "endless"], env=environment,
                               cwd=directory, start_new_session=True,
                               preexec_fn=lambda: signal.signal(
                                   signal.SIGINT, signal.SIG_DFL),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    process.stdout.readline()  # the race is found
    time.sleep(2)  # then it spins, on a busy machine too
    os.killpg(process.pid, signal.SIGINT)
    problems = []
    try:
        _, text = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:  # long before SIM_TIMEOUT
        os.killpg(process.pid, signal.SIGKILL)
        _, text = process.communicate()
        problems.append("it goes on")
    if process.returncode not in (-signal.SIGINT, 130):
        problems.append(f"status {process.returncode}")
    try:
        os.killpg(process.pid, 0)
        problems.append("a process is left")
    except ProcessLookupError:
        pass
    if f"crashes.cu:{marked_line(CRASHES, '// it spins')}" not in text:
        problems.append("where a lane stands is not said")
    if not options and f"crashes.cu:{marked_line(CRASHES, '// the race')}:" not in text:
        problems.append("the race found before is not shown")
    if list(temporary.iterdir()):
        problems.append(f"left behind: {list(temporary.iterdir())}")
    check(name, not problems, "\n".join([*problems, text or ""]))


def crashes(directory, *options):
    """Build programs/crashes.cu, and look how its cases end."""
    program = directory / "".join(["crashes", *options])
    built = simcc(CRASHES, program, f"-I{HERE}", *options)
    check(" ".join(["findings: crashes.cu builds", *options]),
          built.returncode == 0, built.stderr)
    host_dereference(program, *options)
    interrupt(program, directory, *options)
    if options:
        wild_pointer_in_plain_mode(program)
    else:
        named_arrays(program)


def main():
    with workdir() as directory:
        if counted_mode(directory):
            settings(all_programs(directory, 0))
            all_programs(directory, 1)
            texts(directory)
            crashes(directory)
        else:
            skip("findings: bugs", "needs counted mode")
        all_programs(directory, 1, "--plain")
        crashes(directory, "--plain")
    finish()


if __name__ == "__main__":
    main()
