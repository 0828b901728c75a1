"""The explorers say what an H200 measured, and what the chapters say: the
WebAssembly inside each page, run by node.
"""

import glob
import os
import pathlib
import re
import shutil

import pytest

from ..conftest import ROOT, House

lacks = [package for package, names in (
    ("nodejs", ["node"]), ("lld", ["wasm-ld", "wasm-ld-14"]))
         if not any(map(shutil.which, names))]
pytestmark = pytest.mark.skipif(
    bool(lacks), reason=f"apt-get install {' '.join(lacks)}: it is not here")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with the pages."""
    os.chdir(ROOT)
    folder = tmp_path_factory.mktemp("explorers")
    House().run("docs/explorers/build", str(folder))
    return folder


@pytest.mark.parametrize("name", ["coalescing", "banks", "fragments", "waves"])
def test_200_settings(real: House, pages: pathlib.Path, name: str) -> None:
    real.run("node", "tests/explorers.mjs", name, str(pages))


def test_tiles_beside_rules_sizes_and_loads_of_the_chapters(
        real: House, pages: pathlib.Path) -> None:
    for folder in glob.glob("chapters/gemm_0[5-9]_*") + glob.glob("chapters/gemm_10_*"):
        program = f"build/simulator/{os.path.basename(folder)}"
        real.make("-s", program)
        real.run(program, *"--M 128 --N 256 --K 64 --json".split(), f"{pages}/records")
    real.run("node", "tests/explorers.mjs", "tiles", str(pages), f"{pages}/records")


@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not here")
@pytest.mark.parametrize("address, says", [
    ("tiles.html#thread=1023", "thread=1023 cannot be: 255 is shown."),
    ("banks.html#width=3", "width=3 cannot be: 4 is shown."),
    ("banks.html#bytse=4", "There is no bytse."),
    ("banks.html#store=1&stride=3&rows=8",
     "Rows that overlap can be loaded, not stored")])
def test_what_cannot_be_is_said(real: House, pages: pathlib.Path, address: str,
                                says: str) -> None:
    real.run("chromium", "--headless", "--no-sandbox", "--disable-gpu",
             "--virtual-time-budget=5000", "--dump-dom",
             f"file://{pages}/{address}").has(says)


def test_each_page_needs_nothing_but_itself(pages: pathlib.Path) -> None:
    for page in pages.glob("*.html"):
        assert not re.search(r'@[A-Z]+@|(src|href)="(http|/)|https?://|import ',
                             page.read_text("utf-8")), page
