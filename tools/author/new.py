"""A chapter to begin with: make new chapter=NAME from=CHAPTER.

The program, its command lines and counts are those of CHAPTER under the new
name, so that it builds, runs and passes its check at once; the lesson has its
headings and what belongs under each.
"""

import os
import re
import shutil

import course
from machine import fail

# What belongs to the old chapter's lesson alone.
OTHERS = re.compile(r"README\.md|ablation|predict|pictures|.*\.py|"
                    r"exercise\..*|hunt_.*")

LESSON = """\
# {new}: its one idea in a few words

**Before:** {old}: {brief}
**Change:** what this chapter does otherwise, in one sentence.

## The idea

Why it is faster, with a drawing, before any code.

## Predict

What a reader can work out by hand; the file predict asks it:
tools/predict.py says how.

| | your prediction |
| --- | --- |

<details><summary>Answers</summary>

The derivation of each.

</details>

## The kernel

What changed: make chapter={short_new} diff from={short_old}

## What the counters say

What was counted before and now; the file counts asserts it.

## How fast

From make chapter={short_new} results, on a GPU.

## Pitfalls

What went wrong on the way, and how it shows.

## Exercise

One change that a reader can make and count.

## Next

What limits this kernel.
"""


def begin(new: str, model: str) -> None:
    """Copy the chapter and say what to type next."""
    if not new:
        fail("chapter= is missing, as in chapter=gemm_13_mine from=gemm_10")
    if not re.fullmatch("[a-z][a-z0-9_]*", new):
        fail(f"chapter={new}: a name is of a-z, 0-9 and _, and begins with a "
             "letter")
    folder = f"chapters/{new}"
    if os.path.exists(folder):
        fail(f"{folder} is there already")
    if not model:
        fail("from= is missing, as in from=gemm_10")
    old = course.find_chapter(model, "from")
    group = course.groups()[old]
    order = course.text_of(course.ORDER).splitlines(keepends=True)
    # Behind the last of its group.
    last = course.chapters(group)[-1]
    order.insert(list(course.groups()).index(last) + 1, f"{new:<23} {group}\n")
    names = {"new": new, "old": old, "short_new": course.short(new),
             "short_old": course.short(old)}

    shutil.copytree(f"chapters/{old}", folder, ignore=lambda _, found: [
        name for name in found if OTHERS.fullmatch(name)])
    os.rename(f"{folder}/{old}.cu", f"{folder}/{new}.cu")
    for path in course.sources(new):
        text = course.text_of(path)
        brief = re.search(r"^ \* @brief (.*)", text, re.M)
        if path.endswith(f"{new}.cu"):
            names["brief"] = brief[1] if brief else ""
        text = text.replace(f'"{old}"', f'"{new}"')
        text = re.sub(rf"\b{old}\.cu\b", f"{new}.cu", text)
        text = re.sub(rf"\bchapter={names['short_old']}\b",
                      f"chapter={names['short_new']}", text)
        course.write(path, text)
    course.write(course.ORDER, "".join(order))
    course.write(f"{folder}/README.md", LESSON.format(**names))
    print("""\
chapters/{new}: {new}.cu, check.args and counts of {old}; README.md to fill in
  make chapter={short_new} run
  make chapter={short_new} diff from={short_old}""".format(**names))
