"""HTML as a tree of Beautiful Soup: read, made, changed and written."""

import html
import re
import subprocess
from typing import Callable, List, Match, Optional, Pattern, Sequence, Tuple, Union

from bs4 import BeautifulSoup, Tag as Element
from bs4.element import PreformattedString

Part = Union[str, Element]
# As a code host: what is HTML in a page stays HTML.
# The end of a line is no blank between Chinese letters, or the signs of a link or of bold
# text beside them, nor behind a Chinese comma.
JOINED = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef”])((?:\*\*)?)\n *"
                    r"(?=(?:\*\*|\[)?[\u3000-\u9fff\uff00-\uffef“])|"
                    r"(?<=[\u3001\u3002\uff00-\uffef])\n *(?=[A-Za-z`])")
MARKDOWN = ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink"]


class Drawing(PreformattedString):
    """HTML into which nobody looks."""

    PREFIX = SUFFIX = ""


def parse(text: str) -> Element:
    """Return an element with some HTML, each space of it."""
    return BeautifulSoup(f"<body>{text}</body>", "html.parser", multi_valued_attributes=None,
                         preserve_whitespace_tags=["body"]).body


SOUP = BeautifulSoup("", "html.parser")  # which makes elements


def markdown(text: str) -> Element:
    """Return a page of Markdown as a code host shows it."""
    return parse(subprocess.run(MARKDOWN, input=JOINED.sub(r"\1", text), stdout=subprocess.PIPE, text=True,
                                check=True).stdout)


def outer(element: Element) -> str:
    """Return an element as HTML."""
    return element.decode(formatter="html5")


def inner(element: Element) -> str:
    """Return what an element holds as HTML."""
    return element.decode_contents(formatter="html5")


def words(element: Element) -> str:
    """Return the text of an element on one line."""
    return " ".join(element.get_text().split())


def inline(text: str) -> str:
    """Return a line of Markdown without any markup but code as HTML."""
    return re.sub("`(.*?)`", r"<code>\1</code>", html.escape(text, quote=False))


def sections(body: Element, *levels: str) -> List[Tuple[Optional[Element], List[Element]]]:
    """Return each heading of these levels with the blocks below it; what stands above
    the first one has none."""
    found: List[Tuple[Optional[Element], List[Element]]] = [(None, [])]
    for block in body(True, recursive=False):
        if block.name in levels:
            found.append((block, []))
        else:
            found[-1][1].append(block)
    return found


def make(tag: str, *parts: Part, **attributes: str) -> Element:
    """Return an element; class_="x" is its class, data_x="y" its data-x."""
    made = SOUP.new_tag(tag, attrs={name.rstrip("_").replace("_", "-"): value
                                    for name, value in attributes.items()})
    made.extend(parts)
    return made


def replace(element: Element, pattern: Pattern[str],
            new: Callable[[Match[str]], Optional[List[Part]]],
            without: Sequence[str] = ()) -> None:
    """Put new parts in place of what fits a pattern in the text of an element, but
    for that inside elements with some tags. None: it stays."""
    for text in element.find_all(string=pattern):
        if isinstance(text, Drawing) or without and text.find_parent(without):
            continue
        parts: List[Part] = []
        begin = 0
        for match in pattern.finditer(text):
            put = new(match)
            if put is not None:
                parts += [text[begin:match.start()], *put]
                begin = match.end()
        text.replace_with(*parts, text[begin:])
