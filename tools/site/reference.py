"""The reference: what Doxygen reads in the sources, in our frame.

Doxygen's XML says which names a file has, where each is defined and by what it is
used. Each file has a page: a header's begins with its names. A program of a chapter
stands beside its lesson (programs.py). Addresses of former pages lead there.
"""

import glob
import html
import os
import subprocess
from typing import Dict, Iterator, List

from tools import course
from tools.machine import fail
from tools.site import code, frame, pages, pieces, tree
from tools.site.tree import ET, Element, make

TAGS = {"para": "p", "computeroutput": "code", "bold": "b", "emphasis": "em", "ref": "a",
        "itemizedlist": "ul", "orderedlist": "ol", "listitem": "li", "verbatim": "pre",
        "simplesect": "p", "parameterlist": "dl", "ulink": "a", "preformatted": "pre"}
BLOCKS = {"dl", "ol", "p", "pre", "ul"}
KINDS = {"define": "Macros", "typedef": "Types", "enum": "Types", "struct": "Structs",
         "union": "Structs", "function": "Functions", "variable": "Variables"}
PTX = ["ptx.cuh", "tensor_map.h"]
# The way of one access through the simulator
WAY = {"sim_launch": "what <<<...>>> has become", "sim_enqueue": "into its stream",
       "sim_launch_now": "the blocks of the grid, by as many workers as there are cores",
       "sim_run_block": "the warps of a block, each lane by itself until it waits",
       "sim_hook_range": "what a lane accesses, into the log of its warp",
       "sim_merge": "the log as requests, which counters and detectors get"}
REDIRECT = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{0}</title><link rel="canonical" href="{0}">
<script>location.replace("{0}" + location.hash.replace(/#l0*/, "#l"))</script>
<meta http-equiv="refresh" content="0; url={0}"><a href="{0}">{0}</a></html>
"""
TABLE = '<table class="data"><tbody>\n{}</tbody></table>\n'


def is_header(path: str) -> bool:
    """Whether others may use the names of a file."""
    return path.endswith((".h", ".cuh")) and not path.startswith("chapters/")


def place(element: Element) -> str:
    """Return how a page calls a name, by Doxygen's id."""
    return element.get("id").rpartition("_1")[2]


class Reference:
    """All names, and where each is."""

    def __init__(self) -> None:
        self.files: Dict[str, Element] = {}
        self.members: Dict[str, List[Element]] = {}  # of each file
        self.at: Dict[str, str] = {}  # addresses, by Doxygen's ids
        self.names: Dict[str, Element] = {}  # of headers, and their addresses
        compounds = [compound for path in sorted(glob.glob("build/docs/xml/*.xml"))
                     for compound in ET.parse(path).getroot()
                     if compound.get("kind") in ("file", "struct", "union")
                     and compound.find("location") is not None]
        for compound in compounds:
            if compound.get("kind") == "file":
                path = compound.find("location").get("file")
                self.files[path], self.members[path] = compound, []
        for compound in compounds:
            path = compound.find("location").get("file")
            if compound.get("kind") != "file":
                compound.find("compoundname").tag = "name"
                self.members[path].append(compound)
            self.members[path] += compound.findall("sectiondef/memberdef") \
                if compound.get("kind") == "file" else []
            for named in [compound, *compound.findall("sectiondef/memberdef")]:
                told = is_header(path) and self.described(named)
                self.at[named.get("id")] = self.page(path) if named.get("kind") == "file" \
                    else f"{self.page(path)}#{place(named)}" if told else self.line(named)
        for path, members in self.members.items():
            if is_header(path):
                self.names.update((member.findtext("name"), member) for member in members
                                  if member.get("kind") != "variable")

    def page(self, path: str) -> str:
        """Return the page of a file; nothing if there is none."""
        if path not in self.files:
            return ""
        return pieces.page(path) if path.startswith("chapters/") else \
            f"{self.files[path].get('id')}.html"

    def line(self, element: Element) -> str:
        """Return where the lines of something are shown."""
        at = element.find("location")
        if at.get("bodyfile"):
            return f"{self.page(at.get('bodyfile'))}#l{at.get('bodystart')}"
        return f"{self.page(at.get('file'))}#l{at.get('line')}"

    def find(self, name: str) -> str:
        """Return where a name that headers have is explained."""
        return self.at[self.names[name].get("id")] if name in self.names else ""

    def defined(self, path: str) -> Dict[str, str]:
        """Return where the names are defined that a file uses: its own or those of
        its chapter, and those of headers."""
        folder = "/".join(path.split("/")[:2]) + "/"
        mine = [members for other, members in self.members.items() if other == path
                or folder.startswith("chapters/") and other.startswith(folder)]
        return {**{name: self.find(name) for name in self.names},
                **{member.findtext("name"): self.line(member) for members in mine
                   for member in members if member.get("kind") in ("define", "function")}}

    # ---- descriptions ---------------------------------------------------------

    def described(self, element: Element) -> str:
        """Return what the comment at something says, as HTML."""
        return "".join(tree.inner(self.converted(element.find(part))).strip()
                       for part in ("briefdescription", "detaileddescription"))

    def converted(self, element: Element) -> Element:
        """Return a description as HTML."""
        if element.tag == "parameteritem":
            names = ", ".join(tree.words(name) for name in element.iter("parametername"))
            return make("div", make("dt", make("code", names)), make("dd", *tree.content(
                self.converted(element.find("parameterdescription/para")))))
        made = make(TAGS.get(element.tag, "span"), *(
            part if isinstance(part, str) else self.converted(part)
            for part in tree.content(element)))
        if element.tag in ("simplesect", "listitem") and len(made):
            tree.fill(made, tree.content(made[0]) + list(made[1:]))
        if element.get("kind") == "return":
            tree.fill(made, [make("b", "Returns"), " ", *tree.content(made)])
        if made.tag == "p" and any(part.tag in BLOCKS for part in made):
            made.tag = "div"
        if made.tag == "a":
            made.set("href", element.get("url") or self.at.get(element.get("refid"), ""))
        return made

    # ---- pages ----------------------------------------------------------------

    def entry(self, member: Element) -> Iterator[str]:
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
               + tree.outer(code.box(code.lines(text, link=self.find))) + self.described(member))
        fields = [*member.findall("sectiondef/memberdef"), *member.findall("enumvalue")]
        rows = "".join(f'<tr><td id="{place(field)}"><code>' + html.escape(
            (field.findtext("definition") or field.findtext("name")).replace(f"{name}::", "")
            + (field.findtext("argsstring") or ""))
            + f"</code></td><td>{self.described(field)}</td></tr>\n" for field in fields)
        yield TABLE.format(rows) if rows else ""
        used = {one.text: self.at[one.get("refid")] for one in member.findall("referencedby")
                if one.get("refid") in self.at}
        by = ", ".join(f'<a href="{to}">{html.escape(user)}</a>' for user, to in used.items())
        at = member.find("location")
        yield (f'<p class="small">Defined in <a href="{self.line(member)}">'
               f'{at.get("bodyfile") or at.get("file")}</a>' + f"; used by {by}" * bool(by)
               + ".</p>\n")

    def text(self, path: str) -> str:
        """Return the page of a file: of a header the names, then all lines."""
        made = [self.described(self.files[path])]
        for section in dict.fromkeys(KINDS.values()) if is_header(path) else ():
            members = [member for member in self.members[path] if KINDS.get(
                member.get("kind")) == section and self.described(member)]
            made += [f'<h2 id="{section.lower()}">{section}</h2>\n'] * bool(members)
            made += [text for member in members for text in self.entry(member)]
        defined = self.defined(path)
        lines = code.lines(course.text_of(path).rstrip("\n"),
                           link=lambda name: defined.get(name, ""))
        return "".join(made) + '<h2 id="lines">Lines</h2>\n<div class="fragment">' + "\n".join(
            f'<div class="line" id="l{n}"><a class="lineno" tabindex="-1" href="#l{n}">{n:4}</a>'
            f"{line}</div>" for n, line in enumerate(lines, 1)) + "</div>"

    def write(self) -> None:
        """Write all pages, and what leads from former ones there."""
        moved = {member.get("id"): self.at[member.get("id")] for members in self.members.values()
                 for member in members if member.tag == "compounddef"}
        for path, file in self.files.items():
            own, name = file.get("id"), os.path.basename(path)
            if self.page(path) == f"{own}.html":
                course.write(f"{pages.OUT}/{own}.html", frame.framed(
                    name, own, f'<h1>{name}</h1>\n<div class="contents">\n{self.text(path)}'
                    "</div>\n", "sources", '<p class="path"><a href="sources.html">Reference'
                    f"</a> / {path}</p>\n"))
            for end in ("", "_source"):
                if self.page(path) != f"{own}{end}.html":
                    moved[f"{own}{end}"] = self.page(path)
        for old, new in moved.items():
            course.write(f"{pages.OUT}/{old}.html", REDIRECT.format(new))
        course.write(f"{pages.OUT}/sources.html", frame.framed(
            "Reference", "sources", self.start()))

    def start(self) -> str:
        """Return the start page: three groups, then all files by their folders."""
        def table(rows: List[List[str]]) -> str:
            return TABLE.format("".join(
                f'<tr><td><a href="{to}"><code>{name}</code></a></td><td>{tree.inline(words)}'
                "</td></tr>\n" for to, name, words in rows))

        rows = {path: [self.page(path), os.path.basename(path), pages.brief(path)]
                for path in sorted(self.files)}
        calls = [path for path in rows if os.path.dirname(path) == "common" and is_header(path)]
        functions = {member.findtext("name"): member for members in self.members.values()
                     for member in members if member.get("kind") == "function"}
        way = [[self.line(functions[name]), f"{name}()", does] for name, does in WAY.items()]
        folders = dict.fromkeys(map(os.path.dirname, rows))
        return '<h1>Reference</h1>\n<div class="contents">\n' + "".join([
            '<h2 id="calls">What a chapter calls</h2>\n',
            table([rows[path] for path in calls if rows[path][1] not in PTX]),
            '<h2 id="ptx">PTX in C</h2>\n',
            table([rows[path] for path in calls if rows[path][1] in PTX]),
            '<h2 id="way">The simulator: the way of one access</h2>\n', table(way),
            '<h2 id="files">All files</h2>\n', *(
                f"<details><summary>{folder}</summary>\n" + table(
                    [rows[path] for path in rows if os.path.dirname(path) == folder])
                + "</details>\n" for folder in folders)]) + "</div>\n"


def read() -> Reference:
    """Let Doxygen read the sources; each warning is an error, and so is a name of
    common/ that nothing tells of."""
    done = subprocess.run(["doxygen", "docs/site/Doxyfile"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        fail(f"{course.text_of('build/docs/warnings') or done.stdout[-500:]}docs: each "
             "warning is an error")
    found = Reference()
    for path, members in found.members.items():
        for member in members if is_header(path) and path.startswith("common/") else ():
            if member.get("kind") != "define" and not found.described(member):
                fail(f"{path}: {member.findtext('name')} has no comment of its own")
    return found
