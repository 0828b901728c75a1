"""grades.html: the grades of a class as one page that needs no other file.

What students are called and what their programs say is text, never HTML.
"""

from html import escape
from typing import Iterator

from tools.classroom.class_report import (Class, Student, below, cell, passed, short,
                                          sums)
from tools.classroom.tasks import number

STYLE = """\
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem;
  font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .1rem .6rem; border-bottom: 1px solid #8886; text-align: right;
  white-space: nowrap; }
tbody th { text-align: left; font-weight: 400; }
.good { background: #3a53; } .part { background: #db23; } .bad { background: #d433; }
dt { font-weight: 600; } dd { margin: 0 0 .3rem 1rem; overflow-wrap: anywhere; }
dd span { display: block; }
"""


def kind(points: float, most: float) -> str:
    """Return the class of a cell with these points."""
    return "good" if points >= most else "part" if points else "bad"


def row(student: Student, grades: Class) -> str:
    """Return a student's row of the table."""
    cells = [f'<tr><th scope="row">{escape(student.name)}</th>',
             f"<td>{student.points():g} of {student.most():g}</td>"]
    for task in grades.tasks:
        work = student.works.get(task.name)
        of = kind(work.result["score"], work.result["max_score"]) if work else ""
        cells.append(f'<td class="{of}">{cell(student, task)}</td>')
    return "".join(cells) + "</tr>"


def points(grades: Class) -> Iterator[str]:
    """Yield the table of students and tasks."""
    heads = "".join(f'<th scope="col" title="{escape(task.title)}">{short(task)}</th>'
                    for task in grades.tasks)
    feet = "".join(f"<td>{passed(grades, task)}</td>" for task in grades.tasks)
    yield ('<section class="wide" aria-label="Points" tabindex="0"><table><thead><tr>'
           f'<th scope="col">student</th><th scope="col">points</th>{heads}</tr>'
           "</thead><tbody>")
    yield from (row(student, grades) for student in grades.students)
    yield (f'</tbody><tfoot><tr><th scope="row">passed</th><td></td>{feet}</tr>'
           "</tfoot></table></section>")


def told(student: Student) -> str:
    """Return what failed first of each file; nothing, if nothing did."""
    if not student.works:
        return "<p>nothing handed in</p>"
    reasons = "".join(
        f"<dt>{short(work.task)}</dt><dd>"
        + "".join(f"<span>{escape(text)}</span>" for text in work.reason + work.remarks)
        + "</dd>" for work in student.works.values() if work.reason + work.remarks)
    return f"<dl>{reasons}</dl>" * bool(reasons)


def sections(grades: Class) -> Iterator[str]:
    """Yield what stands below the table."""
    for title, items in below(grades):
        yield from [f"<h2>{title}</h2>", "<ul>",
                    *(f"<li>{escape(item)}</li>" for item in items), "</ul>"]
    failed = [student for student in grades.students if told(student)]
    yield from ["<h2>What failed first, and remarks</h2>"] * bool(failed)
    for student in failed:
        yield f"<h3>{escape(student.name)}</h3>{told(student)}"


def page(grades: Class) -> str:
    """Return the page."""
    good, bad, _ = sums(grades)
    return "\n".join([
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Grades of the class</title><style>\n{STYLE}</style></head>",
        "<body><main><h1>Grades of the class</h1>",
        f"<p>{number(len(grades.students), 'student')}; {good} of "
        f"{number(good + bad, 'file')} passed all gates. &quot;none&quot;: not "
        "handed in, 0 points; &quot;-&quot;: not expected</p>",
        *points(grades), *sections(grades), "</main></body></html>", ""])
