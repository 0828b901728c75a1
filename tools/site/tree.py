"""HTML as a tree of xml.etree's elements: read, changed and written.

The content of an element is a list of parts, each a string or an element, so that
nobody has to think of text and tail.
"""

import html
import html.parser
import re
import subprocess
import xml.etree.ElementTree as ET
from typing import AbstractSet, Callable, List, Optional, Pattern, Match, Sequence, Union

Element = ET.Element
Part = Union[str, Element]
VOID = ("br", "col", "hr", "img", "input", "link", "meta", "wbr")
# As a code host: what is HTML in a page stays HTML.
# The end of a line is no blank between Chinese letters, or the signs of a link or of bold
# text beside them, nor behind a Chinese comma.
JOINED = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef”])((?:\*\*)?)\n *"
                    r"(?=(?:\*\*|\[)?[\u3000-\u9fff\uff00-\uffef“])|"
                    r"(?<=[\u3001\u3002\uff00-\uffef])\n *(?=[A-Za-z`])")
MARKDOWN = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink"]


class Reader(html.parser.HTMLParser):
    """Builds the tree."""

    def __init__(self) -> None:
        super().__init__()
        self.builder = ET.TreeBuilder(insert_comments=True)
        self.handle_data, self.handle_comment = self.builder.data, self.builder.comment

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.builder.end(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            self.builder.end(tag)


def parse(text: str) -> Element:
    """Return the elements of some HTML, in a div."""
    reader = Reader()
    reader.feed(f"<div>{text}</div>")
    reader.close()
    return reader.builder.close()


def markdown(text: str) -> Element:
    """Return a page of Markdown as a code host shows it."""
    return parse(subprocess.run(MARKDOWN, input=JOINED.sub(r"\1", text), stdout=subprocess.PIPE, text=True,
                                check=True).stdout)


def outer(element: Element) -> str:
    """Return an element as HTML."""
    return ET.tostring(element, encoding="unicode", method="html")


def inner(element: Element) -> str:
    """Return what an element holds as HTML."""
    return html.escape(element.text or "", quote=False) + "".join(map(outer, element))


def words(element: Element) -> str:
    """Return the text of an element on one line."""
    return " ".join("".join(element.itertext()).split())


def inline(text: str) -> str:
    """Return a line of Markdown without any markup but code as HTML."""
    return re.sub("`(.*?)`", r"<code>\1</code>", html.escape(text, quote=False))


def content(element: Element) -> List[Part]:
    """Return the parts of an element."""
    parts: List[Part] = [element.text or ""]
    for child in element:
        parts += [child, child.tail or ""]
    return parts


def fill(element: Element, parts: Sequence[Optional[Part]]) -> Element:
    """Give an element these parts in place of its own."""
    element[:], element.text = [], ""
    for part in parts:
        if isinstance(part, str) and len(element):
            element[-1].tail = (element[-1].tail or "") + part
        elif isinstance(part, str):
            element.text += part
        elif part is not None:
            part.tail = ""
            element.append(part)
    return element


def make(tag: str, *parts: Optional[Part], **attributes: str) -> Element:
    """Return an element; class_="x" is its class, data_x="y" its data-x."""
    return fill(Element(tag, {name.rstrip("_").replace("_", "-"): value
                              for name, value in attributes.items()}), parts)


def replace(element: Element, pattern: Pattern[str],
            new: Callable[[Match[str]], Optional[List[Part]]],
            without: AbstractSet[str] = frozenset()) -> None:
    """Put new parts in place of what fits a pattern in the text of an element, but
    for that inside elements with some tags. None: it stays."""
    parts: List[Part] = []
    for part in content(element):
        if not isinstance(part, str):
            if part.tag not in without:
                replace(part, pattern, new, without)
            parts.append(part)
            continue
        begin = 0
        for match in pattern.finditer(part):
            put = new(match)
            if put is not None:
                parts += [part[begin:match.start()], *put]
                begin = match.end()
        parts.append(part[begin:])
    fill(element, parts)
