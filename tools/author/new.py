"""A chapter to begin with: make new chapter=NAME from=CHAPTER.

The program and its checks are those of CHAPTER under the new name, so that it
builds, runs and passes its check at once; the lesson has headings.
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

    shutil.copytree(f"chapters/{old}", folder, symlinks=True, ignore=lambda _, files: [
        name for name in files if OTHERS.fullmatch(name)])
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
    checks = course.text_of(f"{folder}/checks").partition("\n[predict]")[0]
    course.write(f"{folder}/checks", re.sub(
        rf"\b{names['short_old']}\b", names["short_new"], checks))
    course.write(course.ORDER, "".join(order))
    course.write(f"{folder}/README.md", LESSON.format(**names))
    print("""\
chapters/{new}: {new}.cu and checks of {old}; README.md to fill in
  make chapter={short_new} run
  make chapter={short_new} diff from={short_old}""".format(**names))
