"""Break it: the wrong kernels of a chapter on a page, what is said of each folded."""

import html
import re
import textwrap
from typing import Dict, List

from tools import course, edits
from tools.classroom import wrong_answers
from tools.site import code, frame, pages, pieces, tree

ABOUT = ("<p>Each is the program with the lines changed that are shown. Before you unfold "
         "what happens: which element, which count, or which order of threads shows it?</p>\n")


def words(goal: str, lines: List[str], chapter: str) -> str:
    """Return what a goal of make says, its first lines."""
    text = textwrap.dedent("\n".join(lines)).replace(f"chapters/{chapter}/", "")
    text = html.escape(re.sub(r"(?<=\S) {3,}", "  ", text))
    return f'<p><code>make {goal}</code>:</p>\n<pre class="fragment">{text}</pre>\n'


def entry(one: edits.Change) -> str:
    """Return one wrong kernel; sanitize has looked at the size that check refuses."""
    texts = {path: course.text_of(path) for path in course.sources(one.chapter)}
    path, match = edits.found(texts, one.edits[0][0])
    line = texts[path][:match.start()].count("\n") + 1
    change = "\n".join(wrong_answers.difference(*edit) for edit in one.edits).rstrip()
    said = edits.said(one.chapter)[one.name]
    looked = f"sanitize args=\"{said['args']}\"" if said["args"] else "sanitize"
    nothing = "nothing" if " counted " in said["check"][0] else \
        "no race and no stray access: the result alone is wrong"
    return (f'<h2 id="{one.name}">{one.name.replace("_", " ")}</h2>\n'
            f'<p><a href="{pieces.page(path)}#l{line}">{pieces.called(path)}, line {line}</a></p>\n'
            f"{code.box(map(code.line, code.lines(change)))}\n"
            "<details><summary>What will happen?</summary>\n"
            f"<p>{tree.inline(one.what[:1].upper() + one.what[1:])}.</p>\n"
            + words("check", said["check"], one.chapter)
            + (words(looked, said["sanitize"], one.chapter) if said["sanitize"] else
               f"<p><code>make sanitize</code> finds {nothing}.</p>\n") + "</details>\n")


def write(lessons: Dict[str, pages.Page]) -> None:
    """Write the pages, and below each lesson a link."""
    for chapter, lesson in lessons.items():
        made = [entry(one) for one in edits.told(chapter)]
        if made:
            lesson.body.append(tree.make(
                "p", tree.make("a", "Break it", href=f"break_{chapter}.html"),
                f": {len(made)} wrong kernels. What will happen?"))
            frame.write(f"Break {course.short(chapter)}", f"break_{chapter}", ABOUT + "".join(made),
                        path=f'<a href="{lesson.label}.html">Lesson {course.short(chapter)}</a>')
