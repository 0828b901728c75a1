"""The reference: what Doxygen reads in the sources (names.py), in our frame.

Each file has a page: a header's begins with its names. A program of a chapter
stands beside its lesson (programs.py).
"""

import html
import os
from typing import Iterator, List

from tools import course
from tools.site import code, frame
from tools.site.names import Names, is_header, place
from tools.site.tree import Element

KINDS = {"define": "Macros", "typedef": "Types", "enum": "Types", "struct": "Structs",
         "union": "Structs", "function": "Functions", "variable": "Variables"}
PTX = ("common/cp_async.cuh", "common/ptx.cuh", "common/tensor_map.h")
ACCESS = [f"simulator/runtime/{name}" for name in (
    "core/hooks.c", "core/memory.c", "core/merge.c", "core/core.h", "count/cost.h", "count/l1.c",
    "count/count.c", "detect/accesses.c", "detect/block_races.c", "detect/grid_races.c",
    "detect/happens_before.c", "core/findings.c", "core/names.c", "count/report.c")]


def table(rows: List[List[str]]) -> str:
    """Return a table of code and what it is."""
    return '<table class="data"><tbody>\n' + "".join(
        f"<tr><td{at}>{name}</td><td>{words}</td></tr>\n" for at, name, words in rows) \
        + "</tbody></table>\n"


def entry(names: Names, member: Element) -> Iterator[str]:
    """Yield what a page says of one name."""
    name, kind = member.findtext("name"), member.get("kind")
    text = f"{kind} {name}"
    if kind == "define":
        some = [one.findtext("defname") or "" for one in member.findall("param")]
        text = f"#define {name}" + f"({', '.join(some)})" * bool(some)
    elif kind in ("function", "typedef", "variable"):
        text = member.findtext("definition") + (
            member.findtext("argsstring") or "") * (kind != "typedef")
    yield (f'<h3 id="{place(member)}">{html.escape(name)}</h3>\n'
           + code.box(map(code.line, code.lines(text, link=names.find)))
           + names.described(member))
    fields = [*member.findall("sectiondef/memberdef"), *member.findall("enumvalue")]
    if fields:
        yield table([[f' id="{place(field)}"', "<code>" + html.escape(
            (field.findtext("definition") or field.findtext("name")).replace(f"{name}::", "")
            + (field.findtext("argsstring") or "")) + "</code>", names.described(field)]
            for field in fields])
    by = ", ".join({f'<a href="{names.at[one.get("refid")]}">{html.escape(one.text)}</a>': 0
                    for one in member.findall("referencedby") if one.get("refid") in names.at})
    at = member.find("location")
    yield (f'<p class="small">Defined in <a href="{names.line(member)}">'
           f'{at.get("bodyfile") or at.get("file")}</a>'
           + f"; used by {by}" * bool(by) + ".</p>\n")


def page(names: Names, path: str) -> str:
    """Return the text of a file's page: of a header the names, then all lines."""
    made = [names.described(names.files[path])]
    for section in dict.fromkeys(KINDS.values()) if is_header(path) else ():
        members = [member for member in names.members[path] if KINDS.get(
            member.get("kind")) == section and names.described(member)]
        made += [f'<h2 id="{section.lower()}">{section}</h2>\n'] * bool(members)
        made += [text for member in members for text in entry(names, member)]
    defined = names.defined(path)
    lines = code.lines(course.text_of(path).rstrip("\n"), link=lambda name: defined.get(name, ""))
    return "".join(made) + '<h2 id="lines">Lines</h2>\n' + code.box(
        code.line(line, number) for number, line in enumerate(lines, 1))


def start(names: Names) -> str:
    """Return the start page: three groups, then all files by their folders."""
    rows = {path: ["", f'<a href="{names.page(path)}"><code>{os.path.basename(path)}</code></a>',
                   names.brief(names.files[path])] for path in sorted(names.files)}
    calls = [path for path in rows if os.path.dirname(path) == "common" and is_header(path)]
    folders = dict.fromkeys(map(os.path.dirname, rows))
    return "".join([
        '<h2 id="calls">What a chapter calls</h2>\n',
        table([rows[path] for path in calls if path not in (*PTX, "common/internal.h")]),
        '<h2 id="ptx">PTX in C</h2>\n', table([rows[path] for path in PTX]),
        '<h2 id="access">The simulator: the way of one access</h2>\n',
        table([rows[path] for path in ACCESS]),
        '<h2 id="files">All files</h2>\n', *(
            f"<details><summary>{folder}</summary>\n" + table(
                [rows[path] for path in rows if os.path.dirname(path) == folder])
            + "</details>\n" for folder in folders)])


def write(names: Names) -> None:
    """Write all pages."""
    for path, file in names.files.items():
        if not path.startswith("chapters/"):
            frame.write(os.path.basename(path), file.get("id"), page(names, path), "sources",
                        path=f'<a href="sources.html">Reference</a> / {path}')
    frame.write("Reference", "sources", start(names))
