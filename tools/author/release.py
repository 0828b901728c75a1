"""Make what a release is, in build/release/: the course and the simulator as archives,
all lessons as one HTML file, and as notes what CHANGELOG.md says of the version.

CITATION.cff has the version; a tag of the commit must be that, as v1.0.0.
"""

import base64
import os
import re
import shutil
import subprocess

from tools import course, machine
from tools.author import elsewhere

OUT, SITE = "build/release", "build/docs/html"
KINDS = {".png": "image/png", ".svg": "image/svg+xml"}


def alone(page: str) -> str:
    """Return the book without what lies beside it: links to other pages become words."""
    def picture(match: "re.Match[str]") -> str:
        path = match[1]
        with open(f"{SITE}/{path}", "rb") as file:
            data = base64.b64encode(file.read()).decode()
        return f'src="data:{KINDS[os.path.splitext(path)[1]]};base64,{data}"'

    for frame in (r"<header.*?</header>", r"<nav.*?</nav>", r"<script.*?</script>",
                  r'<link rel="icon"[^>]*>', r"<iframe.*?</iframe>"):
        page = re.sub(frame, "", page, flags=re.S)
    style = course.text_of(f"{SITE}/site.css")
    page = re.sub(r'<link rel="stylesheet"[^>]*>', lambda _: f"<style>{style}</style>", page)
    page = re.sub(r'src="([^":]+)"', picture, page)
    return re.sub(r' href="(?!#|https?:)[^"]*"', "", page)


def notes(version: str) -> str:
    """Return what the list of changes says of a version."""
    found = re.search(rf"(?ms)^## {re.escape(version)}$(.*?)(?=^## |\Z)",
                      course.text_of("CHANGELOG.md"))
    if not found or not found[1].strip():
        machine.fail(f"release: CHANGELOG.md says nothing under ## {version}, "
                     "the version of CITATION.cff")
    return found[1].strip() + "\n"


def main() -> int:
    """Write the files."""
    version = elsewhere.cited("version")
    tags = machine.answer("git", "tag", "--points-at", "HEAD").split()
    if tags and f"v{version}" not in tags:
        machine.fail(f"release: the tag is {' '.join(tags)}, CITATION.cff says {version}")
    said = notes(version)
    if not os.path.exists(f"{SITE}/book.html"):
        machine.fail("release: there is no site yet: make docs release")
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    name = f"course-{version}"
    for command in (
            ["git", "archive", f"--prefix={name}/", "-o", f"{OUT}/{name}.tar.gz", "HEAD"],
            ["make", "-s", "-C", "simulator", "archive", f"version={version}"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.copy(f"simulator/build/simcc-{version}.tar.gz", OUT)
    course.write(f"{OUT}/book-{version}.html", alone(course.text_of(f"{SITE}/book.html")))
    course.write(f"{OUT}/notes.md", said)
    for path in sorted(os.listdir(OUT)):
        print(f"{OUT}/{path}")
    return 0
