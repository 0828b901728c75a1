"""What Doxygen reads in the sources: which names a file has, where each is defined and
by what it is used, and what its comment says.
"""

import glob
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from typing import Dict, List, Tuple

from tools import course
from tools.machine import fail
from tools.site import pieces, tree
from tools.site.tree import make

Element = ET.Element

TAGS = {"para": "p", "computeroutput": "code", "bold": "b", "emphasis": "em", "ref": "a",
        "itemizedlist": "ul", "orderedlist": "ol", "listitem": "li", "verbatim": "pre",
        "simplesect": "p", "parameterlist": "dl", "ulink": "a", "preformatted": "pre"}
BLOCKS = ["dl", "ol", "p", "pre", "ul"]


def is_header(path: str) -> bool:
    """Whether others may use the names of a file."""
    return path.endswith((".h", ".cuh")) and not path.startswith("chapters/")


def place(element: Element) -> str:
    """Return how a page calls a name, by Doxygen's id."""
    return element.get("id").rpartition("_1")[2]


class Names:
    """All names, and where each is."""

    def __init__(self) -> None:
        self.files: Dict[str, Element] = {}
        self.members: Dict[str, List[Element]] = {}  # of each file, structs among them
        self.at: Dict[str, str] = {}  # addresses, by Doxygen's ids
        self.names: Dict[str, Element] = {}  # of headers
        compounds = [compound for path in sorted(glob.glob("build/docs/xml/*.xml"))
                     for compound in ET.parse(path).getroot().findall("compounddef[location]")]
        for compound in sorted(compounds, key=lambda one: one.get("kind") != "file"):
            path = compound.find("location").get("file")
            if compound.get("kind") == "file":
                self.files[path] = compound
                self.members[path] = compound.findall("sectiondef/memberdef")
            elif compound.get("kind") in ("struct", "union"):
                compound.find("compoundname").tag = "name"
                self.members[path].append(compound)
        for path, members in self.members.items():
            self.at[self.files[path].get("id")] = self.page(path)
            for member in members:
                for one in [member, *member.findall("sectiondef/memberdef")]:
                    self.at[one.get("id")] = f"{self.page(path)}#{place(one)}" \
                        if is_header(path) and self.described(one) else self.line(one)
            self.names.update((member.findtext("name"), member) for member in members
                              if is_header(path) and member.get("kind") != "variable")

    def page(self, path: str) -> str:
        """Return the page of a file; nothing if there is none."""
        if path not in self.files:
            return ""
        return pieces.page(path) if path.startswith("chapters/") else \
            f"{self.files[path].get('id')}.html"

    def line(self, element: Element) -> str:
        """Return where the lines of something are shown."""
        at = element.find("location")
        body = "body" * bool(at.get("bodyfile"))
        return f"{self.page(at.get(body + 'file'))}#l{at.get('bodystart' if body else 'line')}"

    def find(self, name: str) -> str:
        """Return where a name that headers have is explained."""
        return self.at[self.names[name].get("id")] if name in self.names else ""

    def defined(self, path: str) -> Dict[str, str]:
        """Return where the names are defined that a file uses: its own or those of
        its chapter, and those of headers."""
        folder = os.path.join(*path.split("/")[:2], "") if path.startswith("chapters/") else path
        return {**{name: self.find(name) for name in self.names},
                **{member.findtext("name"): self.line(member)
                   for other, members in self.members.items() if other.startswith(folder)
                   for member in members if member.get("kind") in ("define", "function")}}

    def parameters(self, path: str) -> List[Tuple[str, str]]:
        """Return the kernels of a program, and what the comment of each says."""
        return [(member.findtext("name"), self.described(member))
                for member in self.members[path] if "__global__" in (
                    member.findtext("definition") or "") and "<dl>" in self.described(member)]

    # ---- descriptions ---------------------------------------------------------

    def brief(self, element: Element, part: str = "briefdescription") -> str:
        """Return the first sentence of the comment at something, as HTML."""
        text = element.find(part)
        return re.sub(" +\n", "\n", tree.inner(self.converted(text))).strip() if len(text) else ""

    def described(self, element: Element) -> str:
        """Return all of the comment at something."""
        return self.brief(element) + self.brief(element, "detaileddescription")

    def converted(self, element: Element) -> tree.Element:
        """Return a description as HTML."""
        made = tree.parse(ET.tostring(element, encoding="unicode")).find(True)
        for dashes in made("ndash"):  # of an option
            dashes.replace_with("--")
        for item in made("parameteritem"):
            names = ", ".join(map(tree.words, item("parametername")))
            item.replace_with(make("div", make("dt", make("code", names)), make(
                "dd", *item.parameterdescription.para.contents)))
        for one in made.select("simplesect > para:first-child, listitem > para:first-child"):
            one.unwrap()
        for one in made("simplesect", kind="return"):
            one.insert(0, make("b", "Returns"))
            one.insert(1, " ")
        for one in made(list(TAGS)):
            to = one.get("url") or self.at.get(one.get("refid"))
            one.attrs = {"href": to} if to else {}
            one.name = TAGS[one.name]
        for one in made("p"):
            if one.find(BLOCKS, recursive=False):
                one.name = "div"
        return made


def read() -> Names:
    """Let Doxygen read the sources; each warning is an error, and so is a name of
    common/ that nothing tells of."""
    done = subprocess.run(["doxygen", "docs/site/Doxyfile"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        fail(f"{course.text_of('build/docs/warnings') or done.stdout[-500:]}docs: each "
             "warning is an error")
    found = Names()
    for path, members in found.members.items():
        for member in members if is_header(path) and path.startswith("common/") else ():
            if member.get("kind") != "define" and not found.described(member):
                fail(f"{path}: {member.findtext('name')} has no comment of its own")
    return found
