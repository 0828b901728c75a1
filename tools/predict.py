"""Ask the numbers of a lesson's Predict table; compare them with the counters.

The questions stand in the chapter's file predict:

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

import ast
import json
import operator
import os
import re
import shlex
import sys
import tempfile
from types import SimpleNamespace
from typing import Dict, List, NamedTuple

import counts
import course
from machine import fail

BANKS = "build/simulator/banks"
NEAR = 0.01  # share of a number by which a rounded prediction may be off

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub,
             ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.Pow: operator.pow, ast.USub: operator.neg}


class Question(NamedTuple):
    """One number to predict."""

    args: str
    text: str
    counted: str  # expression of counters
    derived: str  # arithmetic
    words: str  # what its factors are


def arithmetic(text: str) -> float:
    """Return the value of numbers and + - * / **; ValueError: it is none."""
    def value(node: ast.AST) -> float:
        if isinstance(node, ast.Constant) and \
                isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.operand))
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = value(node.left), value(node.right)
            if isinstance(node.op, ast.Pow) and abs(right) > 64:
                raise ValueError(text)
            return OPERATORS[type(node.op)](left, right)
        raise ValueError(text)

    # 17,301,504 and 17 301 504 are numbers, too; x is a sign of multiplication.
    plain = text.replace(",", "").replace("x", "*").replace("^", "**")
    if not any(sign in plain for sign in "+-*/("):
        plain = plain.replace(" ", "")
    try:
        return float(value(ast.parse(plain.strip(), mode="eval").body))
    except (SyntaxError, ZeroDivisionError, OverflowError, MemoryError,
            RecursionError) as error:
        raise ValueError(text) from error


def read(chapter: str) -> List[Question]:
    """Return the questions of a chapter; none if it has no file predict."""
    path = os.path.join("chapters", chapter, "predict")
    if not os.path.exists(path):
        return []
    questions: List[Question] = []
    args = text = counted = ""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(map(str.strip, file), 1):
            if line.startswith("args:"):
                args = line[5:].strip()
            elif line.startswith("="):
                counted = line[1:].strip()
            elif line.startswith(":"):
                if not (args and text and counted):
                    sys.exit(f"{path}:{number}: no args:, question or = before")
                derived, _, words = line[1:].partition("#")
                questions.append(Question(args, text, counted, derived.strip(),
                                          words.strip()))
                text = counted = ""
            elif line and not line.startswith("#"):
                text = f"{text} {line}".strip()
    return questions


def total(launches: List[dict], op: str) -> SimpleNamespace:
    """Sum what each array's accesses of one kind cost, over the lines."""
    arrays: Dict[str, Dict[str, float]] = {}
    for launch in launches:
        for line in launch["lines"]:
            if line["op"] != op or not line.get("array"):
                continue
            sums = arrays.setdefault(line["array"], {})
            cost = {**line, "bytes": line["bytes"] * line["lanes"]}
            for name in ("requests", "lanes", "bytes", "sectors", "wavefronts"):
                sums[name] = sums.get(name, 0) + cost.get(name, 0)
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
    banks = args.startswith("banks ")
    if banks:
        program, args = BANKS, args[len("banks "):]
    with tempfile.TemporaryDirectory() as folder:
        options = shlex.split(files(args, folder))
        run = course.run([program, *options] + ["--small", "0"] * (not banks),
                         record=not banks)
    if run.status or len(run.records) != 1 - banks:
        sys.exit(f"predict: {program} {args}: status {run.status}, "
                 f"{len(run.records)} variants\n{run.errors}")
    if run.plain():
        sys.exit(f"predict: counters need {course.CLANG}")
    launches = [launch for launch in run.launches
                if banks or launch["range"] == 1]
    grids = [launch["grid"] for launch in launches]
    sizes = [launch["block"] for launch in launches]
    number = [grid[0] * grid[1] * grid[2] for grid in grids]
    threads = [size[0] * size[1] * size[2] for size in sizes]
    known = {"blocks": sum(number),
             "threads": sum(map(operator.mul, number, threads)),
             "warps": sum(n * -(-t // 32) for n, t in zip(number, threads)),
             **{op: total(launches, op) for op in ("load", "store", "atomic")}}
    if banks:
        return {**known, **launches[0]["counts"]}
    record = run.records[0]
    return {**known, **record["counts"], **record["size"],
            "shared_bytes": record["launch"]["shared_bytes"]}


def count(question: Question, known: Dict[str, object]) -> float:
    """Return what is counted. Files predict are as trusted as programs."""
    try:
        return float(eval(question.counted, {"__builtins__": {}}, known))
    except (NameError, AttributeError, SyntaxError, TypeError,
            ZeroDivisionError) as error:
        sys.exit(f"predict: {question.text}: {question.counted}: {error}")


def near(answer: str, value: float) -> bool:
    """Whether a prediction is right; ValueError: it is none."""
    share = NEAR if re.search(r"[.eE]", answer) else 1e-9
    return abs(arithmetic(answer) - value) <= share * abs(value)


def explain(question: Question, value: float) -> str:
    """Return the number, how one gets there, and what its factors are."""
    shown = counts.show(value)
    derived = "" if arithmetic(question.derived) == value and \
        question.derived.replace(",", "").isdigit() else question.derived
    return shown + (f" = {derived}" if derived else "") + (
        f"\n      {question.words}" if question.words else "")


def ask(question: Question, value: float) -> dict:
    """Ask one question and judge the answer. Return both."""
    print(f"\n{question.text}?", flush=True)
    while True:
        if sys.stdin.isatty():
            print("> ", end="", flush=True)
        line = sys.stdin.readline()
        answer = line.strip()
        right = False
        if answer.strip("?"):
            try:
                right = near(answer, value)
            except ValueError:
                print(f"  {answer}: not a number, and no arithmetic")
                if sys.stdin.isatty():
                    continue
        break
    if not sys.stdin.isatty():
        print(f"> {answer}")
    print(f"  {'right' if right else 'no' if answer.strip('?') else 'it is'}: "
          f"{explain(question, value)}")
    return {"question": question.text, "args": question.args, "answer": answer,
            "counted": value, "right": right}


def keep(chapter: str, answers: List[dict]) -> str:
    """Write the answers into a file of their own. Return its path."""
    os.makedirs("mine/predict", exist_ok=True)
    path, number = f"mine/predict/{chapter}.json", 1
    while os.path.exists(path):
        number += 1
        path = f"mine/predict/{chapter}.{number}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(answers, file, indent=1)
        file.write("\n")
    return path


def ask_all(chapter: str, answers: str, program: str) -> int:
    """Ask what stands in the chapter's file predict.

    answers is the path of a file, or empty. Return 1 if an answer is wrong.
    """
    if answers:
        sys.stdin = open(answers, encoding="utf-8")
    questions = read(chapter)
    if not questions:
        fail(f"predict: {chapter} has no questions")
    print(f"{chapter}: {len(questions)} numbers; chapters/{chapter}/README.md "
          "says what is meant.\nArithmetic will do, and 17.3e6 for 17,301,504; "
          "nothing or ? shows the derivation.")
    tally, given, known = course.Tally(), [], {}
    args = None
    for question in questions:
        if question.args != args:
            args = question.args
            known = names(program, args)
            print(f"\nfor {args}:")
        given.append(ask(question, count(question, known)))
        tally.add(0 if given[-1]["right"] else 1)
    print(f"\nkept in {keep(chapter, given)}")
    tally.close()
    return tally.status
