"""Ask the numbers of a lesson's Predict table; compare them with the counters.

The questions stand under [predict] in the chapter's file checks:

    args: --M 256 --N 256 --K 256

    load sectors of the whole grid
    = global_load_sectors
    : 2048 * 256 * (32 + 1)  # warps x steps x sectors of both requests

A block begins with the options of the program's run; `{range(32)}` among them
stands for a file of these bytes, and `banks` before them for the program of
make banks. A question is asked in the words of the lesson's table. Behind =
stands what is counted: the counters of the run, beside them its sizes,
`threads`, `warps`, `blocks` of the grid, `shared_bytes` of a block and, for
each array, what its loads, stores and atomics cost: `load.A.sectors /
load.A.requests`, likewise `wavefronts`, `lanes` and the `bytes` that the lanes
ask for. Behind : stands how one gets there with pencil and paper; the test of
this file evaluates both.

An answer may be arithmetic: 2048 * 256 * 33, 33 / 2. One with a point or an
exponent, 17.3e6, is right within 1 percent, any other must be exact. An empty
one, or a question mark, shows the derivation. answers=FILE has an answer in each
line; without it and without a terminal they come from standard input. All are
kept in mine/predict/CHAPTER.json, those of the next time in CHAPTER.2.json.
"""

import math
import os
import re
import shlex
import sys
import tempfile
from collections import Counter, defaultdict
from types import SimpleNamespace
from typing import Dict, List, NamedTuple

from tools import counts, course
from tools.classroom import tasks
from tools.machine import fail

BANKS = "build/simulator/banks"
NEAR = 0.01  # share of a number by which a rounded prediction may be off

NUMBER = re.compile(r"[\d.]+(?:[eE][+-]?\d+)?")


QUESTION = re.compile(r"((?:[^=:\n].*\n)+)= *(.*)\n: *([^#\n]*)#?(.*)\n?")


class Question(NamedTuple):
    """One number to predict."""

    args: str
    text: str
    counted: str  # expression of counters
    derived: str  # arithmetic
    words: str  # what its factors are


def arithmetic(text: str) -> float:
    """Return the value of numbers and + - * / **; ValueError: it is none."""
    # 17,301,504 and 17 301 504 are numbers, too; x is a sign of multiplication.
    plain = text.replace(",", "").replace("x", "*").replace("^", "**")
    if not any(sign in plain for sign in "+-*/("):
        plain = plain.replace(" ", "")
    # Each number with a point: of whole ones a power might take for ever.
    plain = NUMBER.sub(lambda match: str(float(match.group())), plain).strip()
    if re.search("[^-+*/() ]", NUMBER.sub("", plain)):
        raise ValueError(text)
    try:
        return float(eval(plain))
    except (SyntaxError, TypeError, ArithmeticError, MemoryError,
            RecursionError) as error:
        raise ValueError(text) from error


def read(chapter: str) -> List[Question]:
    """Return the questions of a chapter; none if its checks have no [predict]."""
    path = f"chapters/{chapter}/checks"
    text = course.text_of(path).partition("\n[predict]")[2]
    # Behind each args: the blocks of a question, its = and its :.
    questions = []
    for block in text.split("args:")[1:]:
        args, _, rest = block.partition("\n")
        asked = QUESTION.findall(rest)
        if not asked or QUESTION.sub("", rest).strip():
            fail(f"{path}: no question, = or : below args:{args}")
        questions += [Question(args.strip(), " ".join(text.split()),
                               *map(str.strip, (counted, derived, words)))
                      for text, counted, derived, words in asked]
    return questions


def total(launches: List[dict], op: str) -> SimpleNamespace:
    """Sum what each array's accesses of one kind cost, over the lines."""
    arrays: Dict[str, Counter] = defaultdict(Counter)
    for line in (line for launch in launches for line in launch["lines"]):
        if line["op"] == op and line.get("array"):
            cost = {**line, "bytes": line["bytes"] * line["lanes"]}
            arrays[line["array"]].update({name: cost.get(name, 0) for name in (
                "requests", "lanes", "bytes", "sectors", "wavefronts")})
    return SimpleNamespace(**{name: SimpleNamespace(**sums)
                              for name, sums in arrays.items()})


def files(args: str, folder: str) -> str:
    """Write the bytes of each {expression} into a file; put its path there."""
    def write(match: "re.Match[str]") -> str:
        path = os.path.join(folder, str(match.start()))
        with open(path, "wb") as file:
            file.write(bytes(eval(match.group(1))))
        return shlex.quote(path)

    return re.sub(r"\{(.*?)\}", write, args)


def names(program: str, args: str) -> Dict[str, object]:
    """Run the program, or that of make banks. Return what an expression may name."""
    bare = course.bare(os.path.basename(program))
    if args.startswith("banks "):
        program, args, bare = BANKS, args[len("banks "):], True
    with tempfile.TemporaryDirectory() as folder:
        options = shlex.split(files(args, folder))
        run = course.run([program, *options] + ["--small", "0"] * (not bare),
                         record=not bare)
    if run.status or len(run.records) != 1 - bare:
        sys.exit(f"predict: {program} {args}: status {run.status}, "
                 f"{len(run.records)} variants\n{run.errors}")
    launches = [launch for launch in run.launches
                if bare or launch["range"] == 1]
    sizes = [(math.prod(launch["grid"]), math.prod(launch["block"]))
             for launch in launches]
    known = {"blocks": sum(blocks for blocks, _ in sizes),
             "threads": sum(blocks * threads for blocks, threads in sizes),
             "warps": sum(n * -(-threads // 32) for n, threads in sizes),
             **{op: total(launches, op) for op in ("load", "store", "atomic")}}
    if bare:
        return {**known, **launches[0]["counts"]}
    record = run.records[0]
    return {**known, **record["counts"], **record["size"],
            "shared_bytes": record["launch"]["shared_bytes"]}


def count(question: Question, known: Dict[str, object]) -> float:
    """Return what is counted. Files checks are as trusted as programs."""
    try:
        return float(eval(question.counted, {"__builtins__": {}}, known))
    except (NameError, AttributeError, SyntaxError, TypeError,
            ZeroDivisionError) as error:
        sys.exit(f"predict: {question.text}: {question.counted}: {error}")


def ask(question: Question, value: float) -> dict:
    """Ask one question and judge the answer. Return both."""
    print(f"\n{question.text}?", flush=True)
    terminal = sys.stdin.isatty()
    right = None
    while right is None:
        if terminal:
            print("> ", end="", flush=True)
        answer = sys.stdin.readline().strip()
        if not terminal:
            print(f"> {answer}")
        share = NEAR if re.search(r"[.eE]", answer) else 1e-9
        try:
            right = bool(answer.strip("?")) and \
                abs(arithmetic(answer) - value) <= share * abs(value)
        except ValueError:
            print(f"  {answer}: not a number, and no arithmetic")
            right = None if terminal else False
    number = question.derived.replace(",", "").isdigit() or not question.derived
    print(f"  {'right' if right else 'no' if answer.strip('?') else 'it is'}: "
          + counts.show(value) + f" = {question.derived}" * (not number)
          + f"\n      {question.words}" * bool(question.words))
    return {"question": question.text, "args": question.args, "answer": answer,
            "counted": value, "right": right}


def ask_all(chapter: str, answers: str, program: str, questions: List[Question]) -> None:
    """Ask these questions; answers is the path of a file, or empty.

    No guess is an error.
    """
    if answers:
        sys.stdin = open(answers, encoding="utf-8")
    print(f"{chapter}: {len(questions)} numbers; chapters/{chapter}/README.md "
          "says what is meant.\nArithmetic will do, and 17.3e6 for 17,301,504; "
          "nothing or ? shows the derivation.")
    tally, given, known = course.Tally(), [], {}
    args = None
    for question in questions:
        if question.args != args:
            args = question.args
            known = names(program, args)
            print(f"\nfor {args}:" if args else "")
        given.append(ask(question, count(question, known)))
        tally.add(0 if given[-1]["right"] else 1)
    path, number = f"mine/predict/{chapter}.json", 1
    while os.path.exists(path):
        number += 1
        path = f"mine/predict/{chapter}.{number}.json"
    course.write(path, tasks.as_json(given))
    print(f"\nkept in {path}")
    tally.close()
