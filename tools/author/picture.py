"""Draw the pictures of a folder, by the draw.py that lies in it.

Usage: python3 -m tools.author.picture [--check] [FOLDER...]  (make [chapter=X] picture)

A function with @picture draws the file of its name, and one with @photo that in
pixels. svg.py has shapes and colours, drawings.py the kinds of drawings,
tracing.py what a kernel does in the simulator. Without FOLDER: those of all
chapters.

Exit status: 0, or 1 if a picture is stale (--check), too large, or shown by no
page, if its page says a number that is not in it, or a lesson shows fewer than
two.
"""

import glob
import os
import re
import runpy
import sys
from typing import Callable, Dict, Iterator, List

from tools import course
from tools.author import chinese, photos
from tools.author.svg import Picture

CHARTS = "tools/author/charts.py"  # draws docs/charts
MOST_BYTES = 150 << 10  # of a picture
FEWEST = 2  # pictures of a lesson


def titles() -> Dict[str, str]:
    """Return what pages say of each picture that they show."""
    title_of = {}
    for page in (*glob.glob("README.md"), *glob.glob("chapters/*/README.md"),
                 *glob.glob("docs/**/*.md", recursive=True)):
        if chinese.is_chinese(page):
            continue
        for title, path in re.findall(r"!\[(.*?)\]\((.*?)\)",
                                      course.text_of(page)):
            path = os.path.join(os.path.dirname(page), path)
            title_of[os.path.normpath(path)] = title
    return title_of


def drawn(name: str, draw: Callable[[Picture], None], title: str) -> Picture:
    """Return a picture with its title."""
    p = Picture(name, getattr(draw, "head"),
                " ".join((draw.__doc__ or "").split()))
    draw(p)
    p.title = title
    return p


def invented(p: Picture) -> str:
    """Return the numbers of a title that are not in its picture."""
    text = " ".join([p.desc, *re.findall(r"<text[^>]*>(.*?)<", p.svg())])
    of_title, of_text = ({*re.findall(r"\b\d[\d,.]*\b", words)}
                         for words in (p.title, text))
    return ", ".join(sorted(of_title - of_text))


def stale(path: str, data: bytes, check: bool) -> bool:
    """Write a picture, or compare it: is it another one?"""
    if not check:
        with open(path, "wb") as file:
            file.write(data)
        print(path)
        return False
    with open(path, "rb") as file:
        old = file.read()
    if path.endswith(".png"):
        return photos.unpacked(old) != photos.unpacked(data)
    return old != data


def wrong(folder: str, shown: Dict[str, str], check: bool) -> Iterator[str]:
    """Draw the pictures of a folder; yield what is wrong."""
    program = CHARTS if folder == "docs/charts" else f"{folder}/draw.py"
    if not os.path.exists(program):
        raise course.Unusable(f"picture: there is no {program}; make new without from= "
                              "writes the smallest one")
    for name, draw in runpy.run_path(program).items():
        if hasattr(draw, "head"):
            path = f"{folder}/{name}.svg"
            p = drawn(name, draw, shown.get(path, ""))
            data, numbers = p.svg().encode(), invented(p)
            if numbers:
                yield f"{path}: its page says {numbers}, it does not"
        elif hasattr(draw, "photo"):
            path = f"{folder}/{name}.png"
            data = photos.png(draw())
        else:
            continue
        if stale(path, data, check):
            yield f"{path} is stale; make picture draws it"
        if path not in shown:
            yield f"{path}: no page shows it"
        if len(data) > MOST_BYTES:
            yield f"{path} has more than {MOST_BYTES:,} bytes"
    lesson = os.path.join(os.path.dirname(folder), "README.md")
    number = course.text_of(lesson).count(".svg)")
    if check and folder.startswith("chapters/") and number < FEWEST:
        yield f"{lesson} shows {number} pictures, fewer than {FEWEST}"


def main(words: List[str]) -> int:
    """Draw the pictures of some folders; or compare them."""
    check = "--check" in words
    folders = [word for word in words if word != "--check"]
    shown, status = titles(), 0
    for folder in folders or [*sorted(glob.glob("chapters/*/pictures")),
                              "docs/charts"]:
        for fault in wrong(folder, shown, check):
            print(fault, file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    course.script(lambda: main(sys.argv[1:]))
