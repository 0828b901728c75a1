"""What the ideas of a rung are worth: the kernel with one of them taken out,
or with another remedy in its place.

    make ablation [chapter=X] [args=FILE]

A variant is the text of a chapter with a few lines replaced, compiled and run
like the chapter itself: verified, then timed beside cuBLAS at 4096 and 8192, of
attention at 4096, causal or not.
Prints the shares of cuBLAS; FILE gets one JSON record per run, with the name in
`variant`. Without chapter= all that have variants: entries `without` of
tests/changes/CHAPTER, which tools/edits.py reads.
"""

import json
import sys
from typing import Dict, List, Tuple

from tools import course, edits

FOLDER = "build/gpu/ablation"
SIZES = ("4096", "8192")
MORE = ("4097", "8192x8192x1024")  # where the last rungs pay
LAST = ("tensor_08", "tensor_09", "tensor_10")


def tried() -> List[str]:
    """Return the chapters that have variants."""
    return [name for name in course.chapters() if edits.entries(name, "without")]


def idea(chapter: str) -> str:
    """Return the name of the variant without the chapter's idea, or nothing."""
    return next((entry.name for entry in edits.entries(chapter, "without")
                 if entry.what == "the idea"), "")


def texts_of(chapter: str) -> Dict[str, str]:
    """Return the text of a chapter and of its variants, by their names."""
    source = course.text_of(f"chapters/{chapter}/{chapter}.cu")
    try:
        return {"all of it": source, **{
            entry.name: edits.text_of(entry, source)
            for entry in edits.entries(chapter, "without")}}
    except edits.Unreadable as error:
        raise SystemExit(str(error)) from None


def sizes(chapter: str) -> Tuple[str, ...]:
    """Return at which sizes the variants of a chapter are timed."""
    if chapter.startswith("attention"):
        return ("4096", "4096 causal")
    return SIZES + MORE * chapter.startswith(LAST)


def build(texts: List[str]) -> List[str]:
    """Compile the variants, on all cores. Return their programs."""
    programs = [f"{FOLDER}/{number}" for number in range(len(texts))]
    for program, text in zip(programs, texts):
        course.write(program + ".cu", text)
    if not course.build(programs):
        sys.exit("ablation: a variant does not compile")
    return programs


def measure(chapter: str, name: str, program: str, size: str) -> dict:
    """Verify and time a variant. Return its record."""
    sides = (size.split("x") * 3)[:3]  # of a square matrix only one is named
    words = dict(zip(("--M", "--N", "--K"), sides))
    if chapter.startswith("attention"):
        words = {"--s": "4096", "--causal": str(int("causal" in size))}
    run = course.run([program, *(word for pair in words.items() for word in pair)])
    if run.status or len(run.records) != 1:
        sys.stderr.write(run.errors)
        sys.exit(f"ablation: {name} failed at {size}")
    return {**run.records[0], "variant": name}


def try_all(chapters: List[str], files: List[str]) -> None:
    """Try the variants of some chapters; append the records to files."""
    for chapter, texts in [(name, texts_of(name)) for name in chapters]:
        print(f"{chapter}, percent of cuBLAS".ljust(49)
              + "".join(f"{size:>16}" for size in sizes(chapter)))
        programs = build(list(texts.values()))
        for name, program in zip(texts, programs):
            records = [measure(chapter, name, program, size) for size in sizes(chapter)]
            print(f"{name:<49}" + "".join(
                f"{100 * r['baseline']['ratio']:>16.1f}" for r in records),
                flush=True)
            for path in files:
                with open(path, "a", encoding="utf-8") as file:
                    file.writelines(json.dumps(r) + "\n" for r in records)
