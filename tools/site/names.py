"""What Doxygen reads in the sources: which names a file has, where each is defined and
by what it is used, and what its comment says.
"""

import glob
import os
import subprocess
from typing import Dict, List, Tuple

from tools import course
from tools.machine import fail
from tools.site import pieces, tree
from tools.site.tree import ET, Element, make

TAGS = {"para": "p", "computeroutput": "code", "bold": "b", "emphasis": "em", "ref": "a",
        "itemizedlist": "ul", "orderedlist": "ol", "listitem": "li", "verbatim": "pre",
        "simplesect": "p", "parameterlist": "dl", "ulink": "a", "preformatted": "pre"}
BLOCKS = {"dl", "ol", "p", "pre", "ul"}


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
        for file in compounds:
            if file.get("kind") == "file":
                path = file.find("location").get("file")
                self.files[path] = file
                self.members[path] = file.findall("sectiondef/memberdef")
        for struct in compounds:
            if struct.get("kind") in ("struct", "union"):
                struct.find("compoundname").tag = "name"
                self.members[struct.find("location").get("file")].append(struct)
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
        return tree.inner(self.converted(element.find(part))).strip()

    def described(self, element: Element) -> str:
        """Return all of the comment at something."""
        return self.brief(element) + self.brief(element, "detaileddescription")

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
