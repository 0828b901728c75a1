"""What the ideas of a rung are worth: the kernel with one of them taken out,
or with another remedy in its place.

    make ablation [chapter=X] [args=FILE]

A variant is the text of a chapter with a few lines replaced, compiled and run
like the chapter itself: verified, then timed beside cuBLAS at 4096 and 8192.
Prints the shares of cuBLAS; FILE gets one JSON record per run, with the name in
`variant`. Without chapter= all that have variants.

The file `ablation` of a chapter has its variants, separated by blank lines: a
name, what other variants it begins with, a difference as in edits.py:

    no warp tile, put at 3
    = no warp tile
    - PUT_AT 5
    + PUT_AT 3
"""

import json
import os
import re
import sys
from typing import Dict, List

import course
import edits

FOLDER = "build/gpu/ablation"
SIZES = ("4096", "8192")

VARIANT = re.compile(rf"(.+)\n((?:= .+\n)*)((?:{edits.DIFFERENCE})?)")


def tried() -> List[str]:
    """Return the chapters that have variants."""
    return [name for name in course.chapters()
            if os.path.exists(f"chapters/{name}/ablation")]


def variants(chapter: str) -> Dict[str, edits.Edits]:
    """Return the edits that make each variant of a chapter."""
    path = f"chapters/{chapter}/ablation"
    text = re.sub("^#.*\n", "", course.text_of(path), flags=re.M)
    found: Dict[str, edits.Edits] = {}
    for block in re.split(r"\n\n+", text.strip()):
        match = VARIANT.fullmatch(block + "\n")
        if not match:
            raise SystemExit(f"{path}: no variant: {block}")
        name, others, difference = match.groups()
        found[name] = [edit for other in others.splitlines()
                       for edit in found[other[len("= "):]]]
        found[name] += edits.read(difference) if difference else []
    return found


def texts_of(chapter: str) -> Dict[str, str]:
    """Return the text of a chapter and of its variants, by their names."""
    source = course.text_of(f"chapters/{chapter}/{chapter}.cu")
    texts = {"all of it": source}
    for name, its in variants(chapter).items():
        try:
            texts[name] = edits.changed({"": source}, its)[""]
        except ValueError as error:
            raise SystemExit(f"{chapter}, {name}: {error}") from None
    return texts


def build(texts: List[str]) -> List[str]:
    """Compile the variants, on all cores. Return their programs."""
    programs = [f"{FOLDER}/{number}" for number in range(len(texts))]
    for program, text in zip(programs, texts):
        course.write(program + ".cu", text)
    if not course.build(programs):
        sys.exit("ablation: a variant does not compile")
    return programs


def measure(name: str, program: str, size: str) -> dict:
    """Verify and time a variant. Return its record."""
    run = course.run([program, "--M", size, "--N", size, "--K", size])
    if run.status or len(run.records) != 1:
        sys.stderr.write(run.errors)
        sys.exit(f"ablation: {name} failed at {size}")
    return {**run.records[0], "variant": name}


def try_all(chapters: List[str], files: List[str]) -> None:
    """Try the variants of some chapters; append the records to files."""
    for chapter, texts in [(name, texts_of(name)) for name in chapters]:
        print(f"{chapter}, percent of cuBLAS".ljust(49)
              + "".join(f"{size:>8}" for size in SIZES))
        programs = build(list(texts.values()))
        for name, program in zip(texts, programs):
            records = [measure(name, program, size) for size in SIZES]
            print(f"{name:<49}" + "".join(
                f"{100 * r['baseline']['ratio']:>8.1f}" for r in records),
                flush=True)
            for path in files:
                with open(path, "a", encoding="utf-8") as file:
                    file.writelines(json.dumps(r) + "\n" for r in records)
