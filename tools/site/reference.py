"""The reference: what Doxygen reads in the sources (names.py), in our frame.

Each file has a page: a header's begins with its names. A program of a chapter
stands beside its lesson (programs.py). Where a page is gone, 404.html, which a host
shows then, leads to what has its text.
"""

import html
import json
import os
from typing import Iterator, List

from tools import course
from tools.site import code, frame, pages, tree
from tools.site.names import Names, is_header, place
from tools.site.tree import Element

KINDS = {"define": "Macros", "typedef": "Types", "enum": "Types", "struct": "Structs",
         "union": "Structs", "function": "Functions", "variable": "Variables"}
PTX = ("common/ptx.cuh", "common/tensor_map.h")
# The way of one access through the simulator
WAY = {"sim_launch": "what <<<...>>> has become", "sim_enqueue": "into its stream",
       "sim_launch_now": "the blocks of the grid, by as many workers as there are cores",
       "sim_run_block": "the warps of a block, each lane by itself until it waits",
       "sim_hook_range": "what a lane accesses, into the log of its warp",
       "sim_merge": "the log as requests, which counters and detectors get"}
MOVED = {"chapters": "index.html#index_the_ladder", "results_by_size": "results.html",
         "platforms": "commands.html#commands_where_it_runs",
         "what_run_prints": "commands.html#commands_what_a_run_prints"}
ELSEWHERE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Not here</title>
<script>
const to = {moved}[location.pathname.split("/").pop().replace(".html", "")];
if (to)
    location.replace(to.includes("#") ? to : to + location.hash.replace(/#l0*/, "#l"));
</script>
<p>This page is not here. <a href="index.html">The start page</a> leads to all others.</p>
</html>
"""


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
           + tree.outer(code.box(code.lines(text, link=names.find))) + names.described(member))
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
    return "".join(made) + '<h2 id="lines">Lines</h2>\n' + tree.outer(code.box(
        lines, [f'<a class="lineno" tabindex="-1" id="l{n}" href="#l{n}">{n:4}</a>'
                for n in range(1, len(lines) + 1)]))


def start(names: Names) -> str:
    """Return the start page: three groups, then all files by their folders."""
    def row(to: str, name: str, words: str) -> List[str]:
        return ["", f'<a href="{to}"><code>{name}</code></a>', tree.inline(words)]

    rows = {path: row(names.page(path), os.path.basename(path), pages.brief(path))
            for path in sorted(names.files)}
    calls = [path for path in rows if os.path.dirname(path) == "common" and is_header(path)]
    functions = {member.findtext("name"): names.line(member) for members in names.members.values()
                 for member in members if member.get("kind") == "function"}
    folders = dict.fromkeys(map(os.path.dirname, rows))
    return '<h1>Reference</h1>\n<div class="contents">\n' + "".join([
        '<h2 id="calls">What a chapter calls</h2>\n',
        table([rows[path] for path in calls if path not in PTX]),
        '<h2 id="ptx">PTX in C</h2>\n', table([rows[path] for path in PTX]),
        '<h2 id="way">The simulator: the way of one access</h2>\n',
        table([row(functions[name], f"{name}()", does) for name, does in WAY.items()]),
        '<h2 id="files">All files</h2>\n', *(
            f"<details><summary>{folder}</summary>\n" + table(
                [rows[path] for path in rows if os.path.dirname(path) == folder])
            + "</details>\n" for folder in folders)]) + "</div>\n"


def write(names: Names) -> None:
    """Write all pages, and what leads from former ones there."""
    moved = {member.get("id"): names.at[member.get("id")] for members in names.members.values()
             for member in members if member.tag == "compounddef"}
    for path, file in names.files.items():
        own, name = file.get("id"), os.path.basename(path)
        if names.page(path) == f"{own}.html":
            course.write(f"{pages.OUT}/{own}.html", frame.framed(
                name, own, f'<h1>{name}</h1>\n<div class="contents">\n{page(names, path)}'
                "</div>\n", "sources", '<p class="path"><a href="sources.html">Reference'
                f"</a> / {path}</p>\n"))
        else:
            moved[own] = names.page(path)
        moved[f"{own}_source"] = names.page(path)
    course.write(f"{pages.OUT}/404.html", ELSEWHERE.replace("{moved}", json.dumps(
        {**MOVED, **moved}, separators=(",", ":"))))
    course.write(f"{pages.OUT}/sources.html", frame.framed("Reference", "sources", start(names)))
