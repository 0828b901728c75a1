"""A chapter to begin with: make new chapter=NAME [from=CHAPTER].

The program and its checks are those of CHAPTER under the new name, so that it
builds, runs and passes its check at once; the lesson has headings. Without from=
it is the smallest one, that of vector_add, with a picture and a question.
"""

import os
import re
import shutil

from tools import course
from tools.machine import fail

# What belongs to the old chapter's lesson alone.
OTHERS = re.compile(r".*\.(md|py)|pictures")

LESSON = """\
# {new}: its one idea in a few words

What {old} does ({brief}), what this does otherwise, and a picture of it.
""" + "".join(f"\n## {head}\n" for head in (
    "Predict", "The kernel", "What the counters say", "How fast", "Pitfalls",
    "Exercise", "Takeaway", "Next"))


UNSAID = "say here"
BELOW = r".*(?:\n \*  {8}.*)*"  # the rest of a line of the head comment, and its next ones
SMALLEST = "vector_add"
ASKS = """

Before you run it:

| | {new} |
| --- | ---: |
| blocks | ? |
| threads that have no sum to compute | ? |
"""
DRAW = '''\
"""The pictures of {new}."""

from tools.author.svg import Picture, picture


@picture("Who writes what")
def threads(p: Picture) -> None:
    """The 32 threads of a warp, and below each the element that it writes."""
    for lane in range(32):
        p.box(22 * lane, 60, 20, 20, "lane")
        p.arrow((22 * lane + 10, 80), (22 * lane + 10, 118))
        p.box(22 * lane, 120, 20, 20, "global")
    p.legend(("lane", "thread"), ("global", "element of c"))
'''


def headed(text: str, new: str) -> str:
    """Return a program whose head comment says nothing of the old chapter."""
    head, end, code = text.partition("*/")
    head = re.sub("@brief .*", f"@brief {new}: {UNSAID} what it changes.", head)
    head = re.sub(rf"( \* (?:Change|Reason|Limit): +){BELOW}", rf"\1{UNSAID}.", head)
    return re.sub(rf"( \* Measure: .*){BELOW}", r"\1", head) + end + code


def begin(new: str, model: str) -> None:
    """Copy the chapter and say what to type next."""
    if not new:
        fail("chapter= is missing, as in chapter=layernorm, or gemm_13_mine from=gemm_10")
    if not re.fullmatch("[a-z][a-z0-9_]*", new):
        fail(f"chapter={new}: a name is of a-z, 0-9 and _, and begins with a "
             "letter")
    folder = f"chapters/{new}"
    if os.path.exists(folder):
        fail(f"{folder} is there already")
    old = course.find_chapter(model or SMALLEST, "from")
    group = course.groups()[old] if model else "patterns"
    order = course.text_of(course.ORDER).splitlines(keepends=True)
    # Behind the last of its group.
    last = course.chapters(group)[-1:] or course.chapters()[-1:]
    order.insert(list(course.groups()).index(last[0]) + 1, f"{new:<23} {group}\n")
    names = {"new": new, "old": old, "short_new": course.short(new),
             "short_old": course.short(old)}

    shutil.copytree(f"chapters/{old}", folder, symlinks=True, ignore=lambda _, files: [
        name for name in files if OTHERS.fullmatch(name)])
    os.rename(f"{folder}/{old}.cu", f"{folder}/{new}.cu")
    for path in course.sources(new):
        text = course.text_of(path)
        if path.endswith(f"{new}.cu"):
            brief = re.search(r"^ \* @brief (.*)", text, re.M)
            names["brief"] = brief[1] if brief else ""
            text = headed(text, new)
        text = re.sub(rf"\b{old}\b", new, text)
        text = re.sub(rf"\bchapter={names['short_old']}\b",
                      f"chapter={names['short_new']}", text)
        course.write(path, text)
    checks = course.text_of(f"{folder}/checks")
    if model:
        checks = checks.partition("\n[predict]")[0]
    course.write(f"{folder}/checks", re.sub(
        rf"\b{names['short_old']}\b", names["short_new"], checks))
    course.write(course.ORDER, "".join(order))
    lesson = LESSON.format(**names)
    if not model:
        course.write(f"{folder}/pictures/draw.py", DRAW.format(**names))
        lesson = lesson.replace("a picture of it.", "a picture of it.\n\n![Who writes "
                                "what](pictures/threads.svg)")
        lesson = lesson.replace("## Predict\n", "## Predict" + ASKS.format(**names))
    course.write(f"{folder}/README.md", lesson)
    print("""\
chapters/{new}: {new}.cu and checks of {old}; README.md to fill in
  make chapter={short_new} run
  make chapter={short_new} diff from={short_old}
  make chapter={short_new} doctor   # what it still lacks""".format(**names))
