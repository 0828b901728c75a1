"""grades.html: the grades of a class as one page that needs no other file.

It is read without scripts, too; the script sorts by a click on a head. What students
are called and what their programs say is text, never HTML.
"""

from html import escape
from typing import Iterator

from tools.classroom import leaderboard
from tools.classroom.class_report import Class, Student, cell, passed, short
from tools.classroom.tasks import number

STYLE = """\
:root { color-scheme: light dark; --ink: #1d2126; --dim: #5c646d; --paper: #fff;
  --line: #d9dde2; --good: #d9f0de; --part: #fdeec4; --bad: #fbdcd8; --bar: #b4483c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --dim: #a2abb5;
  --paper: #15181c; --line: #363c44; --good: #1d4028; --part: #4d3e12; --bad: #57241f;
  --bar: #d9796e; } }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: .5rem 0; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; overflow-wrap: anywhere; }
a { color: inherit; } p { margin: .5rem 0; } nav a { margin-right: 1rem; }
.dim { color: var(--dim); } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .1rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; font-weight: 400; }
thead th, tfoot th, tfoot td { font-weight: 600; padding: .4rem .6rem; }
th:first-child { position: sticky; left: 0; background: var(--paper); text-align: left;
  max-width: 14rem; overflow: hidden; text-overflow: ellipsis; }
.good { background: var(--good); } .part { background: var(--part); }
.bad { background: var(--bad); }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid; }
th[aria-sort] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
#rates { list-style: none; padding: 0; display: grid; row-gap: .1rem;
  grid-template-columns: 1fr max-content; column-gap: 1rem; }
#rates li { display: contents; } #rates span { overflow-wrap: anywhere; }
#rates span + span { text-align: right; }
.bar { grid-column: 1 / 3; height: .4rem; margin-bottom: .5rem;
  background: var(--line); }
.bar i { display: block; height: 100%; background: var(--bar); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem;
  margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; } dd span { display: block; }
dd span + span { color: var(--dim); }
@media (max-width: 40rem) { th:first-child { max-width: 8rem; }
  dl { display: block; } dd { margin: 0 0 .5rem 1rem; } }
"""
SCRIPT = """\
for (const head of document.querySelectorAll("#points thead th")) {
  const button = document.createElement("button");
  const rows = head.closest("table").tBodies[0];
  button.append(...head.childNodes);
  head.append(button);
  button.onclick = () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    const key = row => row.cells[head.cellIndex].dataset.key;
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    rows.append(...[...rows.rows].sort((a, b) => (down ? -1 : 1) *
      (key(a) - key(b) || key(a).localeCompare(key(b)))));
  };
}
"""


def kind(points: float, most: float) -> str:
    """Return the class of a cell with these points."""
    return "good" if points >= most else "part" if points else "bad"


def row(student: Student, at: int, made: Class) -> str:
    """Return a student's row of the table."""
    name, most = escape(student.name), student.most()
    link = f'<a href="#s{at}">{name}</a>' if told(student) else name
    cells = [f'<tr><th scope="row" data-key="{name}">{link}</th>',
             f'<td data-key="{student.points() / (most or 1)}">'
             f"{student.points():g} of {most:g}</td>"]
    for task in made.tasks:
        work = student.works.get(task.name)
        score = work.found["score"] if work else -1  # behind all, as it is sorted
        of = kind(score, work.found["max_score"]) if work else "dim"
        cells.append(f'<td class="{of}" data-key="{score}">{cell(student, task)}</td>')
    return "".join(cells) + "</tr>"


def points(made: Class) -> Iterator[str]:
    """Yield the table of students and tasks."""
    heads = "".join(f'<th scope="col" title="{escape(task.title)}">{short(task)}</th>'
                    for task in made.tasks)
    feet = "".join(f"<td>{passed(made, task)}</td>" for task in made.tasks)
    yield ('<section class="wide" aria-label="Points" tabindex="0">'
           '<table id="points"><thead><tr>')
    yield f'<th scope="col">student</th><th scope="col">points</th>{heads}</tr></thead>'
    yield "<tbody>"
    for at, student in enumerate(made.students):
        yield row(student, at, made)
    yield f'</tbody><tfoot><tr><th scope="row">passed</th><td></td>{feet}</tr></tfoot>'
    yield "</table></section>"


def rates(made: Class) -> Iterator[str]:
    """Yield the gates that somebody fails, with bars."""
    if not made.rates:
        return
    yield '<h2 id="fails">What fails most</h2><ul id="rates">'
    for one in made.rates:
        yield (f"<li><span>{one.task} {escape(one.gate)}</span>"
               f'<span>{one.failed} of {one.of} fail</span><div class="bar">'
               f'<i style="width: {100 * one.failed / one.of:.0f}%"></i></div></li>')
    yield "</ul>"


def board(made: Class) -> Iterator[str]:
    """Yield the leaderboard of the capstone, if somebody stands in it."""
    head, *places = [*leaderboard.rows(made.students)] or [[]]
    if places:
        yield ('<h2 id="board">Leaderboard</h2><p>The capstone: what an H200 takes at '
               "least for what was counted, and what a GPU took, both in us.</p>"
               '<section class="wide" aria-label="Leaderboard" tabindex="0"><table>'
               "<thead><tr>")
        yield "".join(f'<th scope="col">{cell}</th>' for cell in head)
        yield "</tr></thead><tbody>"
        for place, *cells in places:
            yield f'<tr><th scope="row">{place}</th>' + "".join(
                f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
        yield "</tbody></table></section>"


def told(student: Student) -> str:
    """Return what failed first of each file; nothing, if nothing did."""
    if not student.works:
        return "<p>nothing handed in</p>"
    said = "".join(
        f"<dt>{short(one.task)}</dt><dd>"
        + "".join(f"<span>{escape(text)}</span>" for text in one.why) + "</dd>"
        for one in student.works.values() if one.why)
    return f"<dl>{said}</dl>" * bool(said)


def reasons(made: Class) -> Iterator[str]:
    """Yield a section for each student who has not passed all."""
    if any(map(told, made.students)):
        yield '<h2 id="first">What failed first</h2>'
    for at, student in enumerate(made.students):
        if told(student):
            yield f'<h3 id="s{at}">{escape(student.name)}</h3>{told(student)}'


def listed(name: str, title: str, text: str, items: list) -> Iterator[str]:
    """Yield a heading and a list, if there is something to list."""
    if items:
        yield f'<h2 id="{name}">{title}</h2><p>{text}</p><ul>'
        yield from (f"<li>{escape(str(one))}</li>" for one in items)
        yield "</ul>"


def page(made: Class) -> str:
    """Return the page."""
    works = [one for its in made.students for one in its.works.values()]
    good = sum(one.found["extra_data"]["passed"] for one in works)
    links = {"board": "Leaderboard", "fails": "What fails most", "alike": "Alike",
             "first": "What failed first", "strange": "Strange"}
    body = [
        *points(made), *board(made), *rates(made),
        *listed("alike", "Alike", "Hints, no verdicts. What the skeleton, the solution "
                "or much of the class has does not count.", made.alike),
        *reasons(made),
        *listed("strange", "Strange", "Not graded.", made.strange)]
    return "\n".join([
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Grades of the class</title><style>\n{STYLE}</style></head>",
        "<body><main><h1>Grades of the class</h1>",
        f"<p>{number(len(made.students), 'student')}; {good} of "
        f"{number(len(works), 'file')} passed all gates.</p><nav>",
        *(f'<a href="#{name}">{title}</a>' for name, title in links.items()
          if f'<h2 id="{name}"' in "".join(body)), "</nav>",
        '<p class="dim">none: not handed in, 0 points; -: not expected</p>',
        *body, f"</main><script>\n{SCRIPT}</script></body></html>", ""])
