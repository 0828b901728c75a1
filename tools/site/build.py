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

from tools import course
from tools.classroom import sheets, slides, tasks
from tools.machine import fail
from tools.site import (book, chapters, frame, pages, pieces, programs,
                        reference, results, search, tree)

STATIC = ("favicon.svg", "site.css", "annotated.css", "handouts.css", "site.js", "search.js")


def to_do(lesson: pages.Page) -> str:
    """Return the links to the exercise and the bug hunts of a chapter."""
    links = [f'<li><a href="{pages.label(path)}.html">{html.escape(pages.title(path))}</a> with '
             f"<code>make {tasks.read(path).words} exercise</code></li>\n"
             for path in pages.known() if pages.is_task(path)
             and os.path.dirname(path) == os.path.dirname(lesson.path)]
    return (f'<h2 id="{lesson.label}_to_do">Exercise and bug hunts</h2>\n<ul>\n'
            f"{''.join(links)}</ul>\n") if links else ""


def write(page: pages.Page) -> None:
    """Write a page in its frame."""
    path = below = ""
    if pages.is_lesson(page.path):
        chapter = page.path.split("/")[1]
        first = pieces.programs(chapter)[0]
        words = "The program" if first.endswith(".cu") else "Each variant"
        path = (f'<p class="path"><a href="{pieces.page(first)}">{words} beside this '
                "lesson</a></p>\n")
        below = to_do(page)
    course.write(f"{pages.OUT}/{page.label}.html", frame.framed(
        html.escape(page.title), page.label, f"<h1>{html.escape(page.title)}</h1>\n"
        f'<div class="contents">\n{tree.inner(page.body)}{below}</div>\n', page.label, path))


def check_links(all_pages: List[pages.Page]) -> None:
    """Refuse a link to a heading that is not there."""
    names = {page.label: {element.get("id") for element in page.body.iter()}
             for page in all_pages}
    for page in all_pages:
        for link in page.body.iter("a"):
            to, _, place = link.get("href").partition("#")
            there = names.get(to[:-len(".html")])
            if place and there and place not in there:
                fail(f"{page.path}: {tree.words(link)}: {to} has no heading {place}")


def explorer(path: str) -> str:
    """Write an explorer in the frame; alone it is a page, too. Return its title."""
    text = course.text_of(path)
    title, style, body = (re.findall(pattern, text, re.S)[0] for pattern in (
        "<title>(.*?)</title>", "<style>.*?</style>\n", '<main class="explorer">\n(.*)</html>'))
    name = os.path.basename(path)[:-len(".html")]
    course.write(f"{pages.OUT}/explorers/{name}.html", frame.framed(
        title, f"explorers/{name}",
        '<div class="explorer">\n' + body.replace("</main>", "</div>"), head=style))
    return html.unescape(title)


def main() -> int:
    """Write all pages."""
    shutil.rmtree("build/docs", ignore_errors=True)
    os.makedirs(pages.OUT)
    names = reference.read()
    made = [pages.Page(path, names, results.page() if "results" in path.split("/") else "")
            for path in pages.known()]
    lessons: Dict[str, pages.Page] = {page.path.split("/")[1]: page for page in made
                                      if pages.is_lesson(page.path)}
    start = made[0].body
    cards = next(i for i, block in enumerate(start, 1)
                 if block.find(".//a[@href='explorers.html']") is not None)
    start.insert(cards, pages.cards())
    programs.write(lessons, names)
    made += [pages.Page("docs/results/README.md", names, f"# {title}\n\n{text}", name)
             for name, (title, text) in results.tables().items()]
    check_links(made)
    for page in made:
        write(page)
    subprocess.run(["docs/explorers/build", "build/docs/explorers"], check=True,
                   stdout=subprocess.DEVNULL)
    others = {f"explorers/{os.path.basename(path)}": explorer(path)
              for path in sorted(glob.glob("build/docs/explorers/*.html"))}
    others["chapters.html"] = "All chapters"
    for name, text in (("chapters", frame.framed("All chapters", "chapters", chapters.page())),
                       ("book", book.page(lessons)), ("sheets", sheets.write(lessons)),
                       ("slides", slides.write(lessons))):
        course.write(f"{pages.OUT}/{name}.html", text)
    names.write()
    for name in STATIC:
        shutil.copyfile(f"docs/site/{name}", f"{pages.OUT}/{name}")
    search.write(made, others, names)
    print(f"docs: {pages.OUT}/index.html")
    return 0


if __name__ == "__main__":
    course.script(main)
