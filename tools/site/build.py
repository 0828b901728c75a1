"""Make the site: build/docs/html/index.html.

pages.py makes the Markdown's pages, programs.py puts each program beside its lesson,
reference.py shows the other sources; frame.py is around each of them.
"""

import glob
import html
import os
import re
import shutil
import subprocess
from typing import Dict, List

from tools import course, trace
from tools.classroom import sheets, slides, wrong_answers
from tools.machine import fail
from tools.site import book, break_it, frame, names, pages, programs, reference, search, tree

EXPLORER = re.compile(r'(<style>.*?</style>\n).*<p class="small">(.*?)</p>\n'
                      r"<h1>(.*?)</h1>\n(.*)</main>(.*)</html>", re.S)
STATIC = [*(f"docs/site/{name}" for name in ("favicon.svg", "site.css", "site.js", "search.js")),
          "/usr/share/javascript/lunr/lunr.min.js"]


def write(page: pages.Page) -> None:
    """Write a page in its frame; above a lesson are links to what is below it, above
    that a link to the lesson."""
    near = [one for places in frame.parts().values() for place in places
            if page.label in place.labels for one in (
                place.below if page.label == place.label
                else [place._replace(name=f"Lesson {place.short}")])]
    frame.write(page.title, page.label, tree.inner(page.body), path=" · ".join(
        f'<a href="{place.label}.html">{html.escape(place.name)}</a>' for place in near))


def check_links(all_pages: List[pages.Page]) -> None:
    """Refuse a link to a heading that is not there."""
    bodies = {f"{page.label}.html": page.body for page in all_pages}
    for page in all_pages:
        for link in page.body("a"):
            to, _, place = link["href"].partition("#")
            if place and to in bodies and not bodies[to].find(id=place):
                fail(f"{page.path}: {tree.words(link)}: {to} has no heading {place}")


def explorer(path: str) -> str:
    """Write an explorer in the frame; alone it is a page, too. Return its title."""
    style, above, title, body, script = EXPLORER.search(course.text_of(path)).groups()
    name = os.path.basename(path)[:-len(".html")]
    lesson = name.replace("trace_", "chapter_") * name.startswith("trace_")
    frame.write(html.unescape(title), f"explorers/{name}", body + script, lesson, path=above,
                head=style, kind="explorer")
    return html.unescape(title)


def play(chapters: List[str]) -> None:
    """Write what the lessons unfold of make trace, beside the explorers."""
    programs = {name: f"build/simulator/{name}" for name in chapters}
    if not course.build([*programs.values()]):
        raise SystemExit(2)
    for name, path in programs.items():
        trace.trace(course.Program(path, "simulator", name, ""), [],
                    path=f"build/docs/explorers/trace_{name}.html")


def main() -> int:
    """Write all pages."""
    shutil.rmtree("build/docs", ignore_errors=True)
    os.makedirs(pages.OUT)
    known = names.read()
    made = [pages.Page(path, known) for path in pages.known()]
    lessons: Dict[str, pages.Page] = {page.path.split("/")[1]: page for page in made
                                      if pages.is_lesson(page.path)}
    programs.write(lessons, known)
    break_it.write(lessons)
    check_links(made)
    for page in made:
        write(page)
    subprocess.run(["docs/explorers/build", "build/docs/explorers"], check=True,
                   stdout=subprocess.DEVNULL)
    play([name for name in lessons if pages.PLAYED.search(course.text_of(
        f"chapters/{name}/README.md"))])
    others = {f"explorers/{os.path.basename(path)}": explorer(path)
              for path in sorted(glob.glob("build/docs/explorers/*.html"))}
    for module in (book, sheets, slides, wrong_answers):
        module.write(lessons)
    reference.write(known)
    for path in STATIC:
        shutil.copy(path, pages.OUT)
    search.write(made, others, known)
    print(f"docs: {pages.OUT}/index.html")
    return 0


if __name__ == "__main__":
    course.script(main)
