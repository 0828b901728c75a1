#!/usr/bin/env python3
"""Draw chapters/X/pictures/ from what the kernels do in the simulator.

Usage: picture.py [--check] [CHAPTER...]       (make [chapter=X] picture)

tracing.py runs a kernel, drawings.py has the kinds of drawings,
pictures_gemm.py and pictures_patterns.py have a function for each picture,
photos.py has those in pixels.

Exit status: 0, or 1 if a picture is stale (--check), too large, or not shown by
its lesson, or a lesson shows fewer than two.
"""

import glob
import os
import sys

import photos
import pictures_gemm  # noqa: F401  they note their pictures
import pictures_patterns  # noqa: F401
import svg

import course  # noqa: I100  from tools, which svg has made known

MOST_BYTES = 150 << 10  # of a picture
FEWEST = 2  # pictures of a lesson


def main() -> int:
    """Draw the pictures of all chapters, or of some; or compare them."""
    stale = 0
    for chapter in ([word for word in sys.argv[1:] if word != "--check"]
                    or map(course.find_chapter, svg.PICTURES)):
        stale |= svg.renew_all(chapter) | photos.renew(chapter)
        with open(f"chapters/{chapter}/README.md", encoding="utf-8") as file:
            shown = file.read().count(".svg)")
        if shown < FEWEST:
            print(f"chapters/{chapter}/README.md shows {shown} pictures, "
                  f"fewer than {FEWEST}", file=sys.stderr)
            stale = 1
        for path in sorted(glob.glob(f"chapters/{chapter}/pictures/*")):
            if not svg.checking():
                print(path)
            if os.path.getsize(path) > MOST_BYTES:
                print(f"{path} has more than {MOST_BYTES:,} bytes",
                      file=sys.stderr)
                stale = 1
    return stale


if __name__ == "__main__":
    course.script(main)
