"""The page of all chapters: picture, idea, share of the library."""

import html
import re
from typing import Dict, Tuple

from tools import course
from tools.site import pages, tree

HEAD = """<h1>All chapters</h1>
<div class="contents">
<p>The share is that of the library's speed on an H200, as the tables of the
<a href="index.html">start page</a> have it. A pattern's is that of its fastest variant. To
print: <a href="book.html">all lessons on one page</a>, <a href="sheets.html">sheets to predict
on</a>, <a href="slides.html">slides</a>.</p>
"""
TABLE = """<h2 id="chapters_{}">{}</h2>
<table class="chapters">
<thead><tr><td></td><th scope="col">chapter</th>
<th scope="col" class="right">of the library</th></tr></thead>
<tbody>
"""
IMAGE = '<img src="files/{image}" alt="" width="{width}" height="{height}" loading="lazy">'
ROW = """<tr><td>{image}</td>
<td><b>{short}</b> <a href="chapter_{chapter}.html">{idea}</a><br>{does}</td>
<td class="right">{share}</td></tr>
"""


def shares() -> Dict[str, Tuple[str, str]]:
    """Return idea and share of the library's speed as README.md's tables say."""
    return {chapter: (idea, share) for chapter, idea, share in re.findall(
        r"^\| \[(\w+)\]\([^)]*\) \| ([^|]*?) \|.*\| ([^|]*?) \|$",
        course.text_of("README.md"), re.M)}


def thumbnail(chapter: str) -> str:
    """Copy the first picture of a lesson, in an ink for either theme, without words.

    Nothing of a lesson that has none yet.
    """
    lesson = course.text_of(f"chapters/{chapter}/README.md")
    shown = re.search(r"!.*?[(](.*?[.]svg)[)]", lesson)
    if not shown:
        return ""
    path = f"chapters/{chapter}/{shown[1]}"
    text = re.sub(r"(@media [^}]*}})+", "text{display:none}", course.text_of(path))
    course.write(f"{pages.OUT}/files/{path}", text)
    size = re.search(r'<svg[^>]* width="(?P<width>\d+)" height="(?P<height>\d+)"', text)
    return IMAGE.format(image=path, **size.groupdict())


def page() -> str:
    """Return the page."""
    known, made = shares(), [HEAD]
    for group in dict.fromkeys(course.groups().values()):
        made.append(TABLE.format(group, course.GROUPS.get(group, group)))
        for chapter in course.chapters(group):
            idea, share = known.get(chapter, ("", ""))
            does = re.sub(r"^[\w, ]+ step \d+: (.)", lambda sign: sign.group(1).upper(),
                          pages.brief(f"chapters/{chapter}/{chapter}.cu"))
            made.append(ROW.format(
                chapter=chapter, short=course.short(chapter), share=share,
                does=tree.inline(does), idea=html.escape(idea or pages.title(
                    f"chapters/{chapter}/README.md").partition(": ")[2]),
                image=thumbnail(chapter)))
        made.append("</tbody></table>\n")
    return "".join(made) + "</div>\n"
