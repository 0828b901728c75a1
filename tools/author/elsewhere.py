"""What other services read, made of this repository: a notebook, badges, a container.

CITATION.cff says where the repository lies: `repository-code: https://github.com/OWNER/NAME`.
Where it does not, nothing names a place. docs/notebook.md is the notebook's text: a
heading begins a cell, its ```sh or ```python are what the cell runs.
"""

import json
import os
import re
from typing import Dict, List

from tools import course

PAGE, NOTEBOOK = "docs/notebook.md", "docs/notebook.ipynb"
CONTAINER = ".devcontainer/devcontainer.json"
COLAB, CODESPACES = "https://colab.research.google.com", "https://codespaces.new"
FENCE = re.compile(r"^```(sh|python)\n(.*?)^```\n", re.M | re.S)


def cited(key: str) -> str:
    """Return a line's value of CITATION.cff, or nothing."""
    found = re.search(rf'(?m)^{key}: *"?([^"\n]*)', course.text_of("CITATION.cff"))
    return found[1].strip() if found else ""


def repository() -> str:
    """Return OWNER/NAME, or nothing where nobody has said it."""
    return cited("repository-code").partition("github.com/")[2].strip("/")


def badges() -> List[str]:
    """Return the line of README.md that opens the course elsewhere."""
    name = repository()
    return [f"[![Open in Colab]({COLAB}/assets/colab-badge.svg)]({COLAB}/github/{name}/blob/"
            f"main/{NOTEBOOK}) [![Open in Codespaces]({CODESPACES.replace('//', '//github.')}"
            f"/badge.svg)]({CODESPACES}/{name})"] if name else []


def cell(kind: str, text: str) -> dict:
    """Return a cell of the notebook."""
    more = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, **more,
            "source": text.strip().splitlines(True)}


def notebook(name: str, address: str) -> str:
    """Return the notebook, which gets the course from an address where it is alone."""
    start = "import os\nif os.path.exists('../Makefile'):  # in the folder docs\n    %cd ..\n"
    if name or address:
        start += "elif not os.path.exists('Makefile'):\n    !git clone -q --depth 1 " \
            f"{address or f'https://github.com/{name}'} course\n    %cd course\n"
    cells = []
    for text in re.split(r"(?m)^(?=## )", course.text_of(PAGE)):
        code = start if text.startswith("## 1.") else ""
        for language, lines in FENCE.findall(text):
            code += re.sub("(?m)^(?=.)", "!", lines) if language == "sh" else lines
        text = FENCE.sub("", text)
        if name:
            text = re.sub(r"\]\((?:\.\./)?((?:[\w/]+)\.(?:md|ipynb))\)", lambda link: (
                f"](https://github.com/{name}/blob/main/"
                + f"{'docs/' * (link[0][2:4] != '..')}{link[1]})"), text)
        cells += [cell("markdown", text), *[cell("code", code)] * bool(code)]
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {
        "display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4, "nbformat_minor": 4}, indent=1) + "\n"


def container(name: str) -> str:
    """Return devcontainer.json: the image of the last release, or what it lacks built."""
    made = json.loads(course.text_of(CONTAINER))
    made["build"].pop("cacheFrom", None)
    if name:
        made["build"]["cacheFrom"] = f"ghcr.io/{name.lower()}:tools"
    return json.dumps(made, indent=4) + "\n"


def made() -> Dict[str, str]:
    """Return the files and what belongs in them."""
    name = repository()
    return {NOTEBOOK: notebook(name, ""), CONTAINER: container(name)} \
        if os.path.exists(PAGE) else {}
