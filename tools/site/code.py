"""Code in colours, by Pygments, each line by itself and its names as links."""

import html
import re
from typing import Callable, Iterable, List

from pygments import token
from pygments.lexers import get_lexer_by_name

Link = Callable[[str], str]  # from a name to its address, or ""
# Words of CUDA; Pygments 2.14 knows some of them.
CUDA = re.compile(r"__[a-z]\w+|(?:atomic|cuda|CU)[A-Za-z]\w+|(?:make_)?(?:u?int|float|double)[1-4]"
                  r"|(?:thread|block)Idx|(?:block|grid)Dim|dim3|warpSize|bfloat16|half2?")
# What has a colour in site.css, by Pygments' names
COLOURED = {name: f' class="{name}"'
            for name in "c1 cm cp cpf k kp kr kt mf mh mi nb s sc se".split()}


def lines(text: str, language: str = "cuda", link: Link = lambda name: "") -> List[str]:
    """Return the lines of a program as HTML."""
    is_cuda = language in ("c", "cpp", "cuda")
    lexer = get_lexer_by_name("cuda" if is_cuda else language, stripnl=False, ensurenl=False)
    made = [""]
    for kind, value in lexer.get_tokens(text):
        is_name = kind in token.Name or kind in token.Keyword
        if is_cuda and is_name and CUDA.fullmatch(value):
            kind = token.Name.Builtin
        colour = COLOURED.get(token.STANDARD_TYPES.get(kind), "")
        for i, part in enumerate(value.split("\n")):
            if i:
                made.append("")
            shown = html.escape(part, quote=False)
            to = link(part) if is_name else ""
            if to:
                shown = f'<a{colour} href="{to}">{shown}</a>'
            elif colour and part.strip():
                shown = f"<span{colour}>{shown}</span>"
            made[-1] += shown
    return made


def line(shown: str, number: int = 0, page: str = "", kinds: str = "line") -> str:
    """Return a line of a box; its number leads to it, there on a page or here."""
    place = f' id="l{number}"' if number and not page else ""
    before = f'<a class="lineno" tabindex="-1" href="{page}#l{number}">{number}</a>'
    return f'<div class="{kinds}"{place}>{before if number else ""}{shown}</div>'


def box(made: Iterable[str]) -> str:
    """Return a box of lines."""
    return '<div class="fragment">' + "\n".join(made) + "</div>"
