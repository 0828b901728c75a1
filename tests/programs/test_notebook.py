"""The notebook and what else names the repository; its cells, in make test-all."""

import json
import os

import pytest

from tools.author import elsewhere

from ..conftest import ROOT, House

# What each cell prints, at least; the chart is a picture.
PRINTS = ("setup: ", "1000000 sums, 0 of them wrong", "1 passed, 3 failed",
          "bug.cu:32:16: out-of-bounds-global: read of d_a[1000000]", "ideal",
          "0 of 8 points", "<svg", "Next: make chapter=gemm_01_naive grade")


def test_what_is_made_is_fresh(real: House) -> None:
    for path, text in elsewhere.made().items():
        assert real.read(path) == text, f"{path} is stale; make lessons renews it"


def test_a_repository_is_named_everywhere_once_it_is_cited(
        real: House, tmp_path: os.PathLike) -> None:
    assert elsewhere.badges() == [] and "https://" not in elsewhere.notebook("", "")
    for path in ("CITATION.cff", elsewhere.PAGE, elsewhere.CONTAINER):
        real.write(f"{tmp_path}/{path}", real.read(path))
    os.chdir(tmp_path)
    real.write("CITATION.cff", 'repository-code: "https://github.com/Ann/learn"\n')
    line, = elsewhere.badges()
    for place in ("/github/Ann/learn/blob/main/docs/notebook.ipynb)", "/Ann/learn)"):
        assert place in line
    made = elsewhere.made()
    assert json.loads(made[elsewhere.CONTAINER])["build"]["cacheFrom"] == \
        "ghcr.io/ann/learn:tools"
    for text in ("clone -q --depth 1 https://github.com/Ann/learn course",
                 "/main/docs/commands.md)", "/main/chapters/vector_add/README.md)"):
        assert text in made[elsewhere.NOTEBOOK]


def test_the_cells_run(real: House, tmp_path: os.PathLike) -> None:
    """In a folder with nothing but the notebook, as Colab has it."""
    if not os.environ.get("TEST_ALL"):
        pytest.skip("make test-all runs the notebook")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.reads(elsewhere.notebook("", f"file://{ROOT}"), 4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={
        "metadata": {"path": str(tmp_path)}}).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for text, cell in zip(PRINTS, cells):
        assert text in json.dumps(cell.outputs), cell.source
    assert len(cells) == len(PRINTS)
