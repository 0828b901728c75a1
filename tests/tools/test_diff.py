"""make diff: two programs as code, without what a lesson is not about."""

import shutil

import pytest

from ..conftest import Ended, House

ONE = "chapters/gemm_01_naive/gemm_01_naive.cu"
TWO = "chapters/gemm_02_coalesced/gemm_02_coalesced.cu"


def diff(house: House, one: str, two: str) -> Ended:
    """Compare two texts, as gemm_01 and gemm_02."""
    house.write(ONE, one)
    house.write(TWO, two)
    return house.make("chapter=gemm_02", "diff")


def test_code_only_without_comments_and_the_chapters_name(street: House) -> None:
    said = diff(street, """/* one
   two */
int a = 1; // first
char *s = "// no comment /* either";
call("gemm_01_naive");
""", """/* three */
int a = 2; // second
char *s = "// no comment /* either";

call("gemm_02_coalesced");
""")
    assert said.text.splitlines()[0] == \
        "gemm_01_naive -> gemm_02_coalesced: code only"
    assert said.lines[2:] == [
        " int a = [-1-]{+2+};", ' char *s = "// no comment /* either";',
        "2 lines changed: 1 added, 1 removed"]
    street.make("diff", "from=gemm_02", "to=gemm_01").has("int a = [-2-]{+1+};")


def test_a_line_that_has_only_moved_to_the_right_is_the_same(
        street: House) -> None:
    said = diff(street, "a();\nb();\n", "if (c) {\n    a();\n}\nb();\n")
    assert said.lines[-1] == "2 lines changed: 2 added, 0 removed"
    said.has("+if (c) {").lacks("-a();")


def test_word_by_word_where_a_line_changed_whole_lines_where_some_came(
        street: House) -> None:
    one = "int a = x;\nsame\nfor (k)\n    sum += a[k];\n"
    two = "int a = y;\nsame\nfor (tile) {\n    load(k);\n    sum += s[k];\n}\n"
    diff(street, one, two).has("\n-for (k)\n", "\n+    load(k);\n", "\n+}")
    # Far from it, the words stay.
    said = diff(street, *(text.replace("same", "1\n2\n3\n4") for text in (one, two)))
    said.has(" int a = [-x-]{+y+};", "\n+    load(k);\n")
    assert said.lines.count("...") == 2


@pytest.fixture
def variants(street: House) -> House:
    """A chapter with three variants."""
    for name, text in (("10_brent_kung", "brent_kung_kernel();"),
                       ("09_kogge_stone", "kogge_stone_kernel(1);")):
        street.write(f"chapters/scan/kernels/{name}.cuh", text + "\n")
    return street


@pytest.mark.parametrize("words", [
    "from=kogge_stone to=brent_kung", "from=kogge to=b", "variant=brent_kung"])
def test_the_variants_of_a_chapter(variants: House, words: str) -> None:
    said = variants.make("chapter=scan", "diff", *words.split())
    assert said.lines[0] == "kogge_stone -> brent_kung: code only"
    said.has("kernel([-1-]);")
    assert said.lines[-1] == "2 lines changed: 1 added, 1 removed"


def test_an_exact_name_of_a_variant_wins(variants: House) -> None:
    variants.write("chapters/scan/kernels/11_brent.cuh", "brent_kernel();\n")
    said = variants.make("chapter=scan", "diff", "from=kogge", "to=brent")
    assert said.lines[0] == "kogge_stone -> brent: code only"
    said = variants.make("chapter=scan", "diff", "to=bre", wanted=2)
    assert " is no variant of scan: " in said.lines[0]


@pytest.mark.parametrize("words, why", [
    ("diff", "chapter= is missing, "),
    ("chapter=gemm_02 diff variant=none", "gemm_02_coalesced has no variants"),
    ("chapter=scan diff", " from= and to= are among: kogge_stone "),
    *((f"chapter=scan diff {which}", " is no variant of scan:")
      for which in ("variant=none", "from=none to=brent", "from=brent_kung to=x")),
    ("diff from=gemm_02 to=gemm_02", "from= and to= are the same: ")])
def test_what_cannot_be_compared(variants: House, words: str, why: str) -> None:
    assert why in variants.make(*words.split(), wanted=2).lines[0]


@pytest.mark.parametrize("words, answer", [
    ("chapter=gemm_01", "gemm_01_naive is the first of its series"),
    ("chapter=scan variant=kogge_stone", "kogge_stone is the first of scan")])
def test_before_the_first_there_is_nothing_which_is_no_mistake(
        variants: House, words: str, answer: str) -> None:
    assert variants.make(*words.split(), "diff").lines == [
        f"{answer}: nothing to compare"]


@pytest.mark.skipif(not shutil.which("script"), reason="script is not here")
@pytest.mark.parametrize("term, coloured", [("dumb", False), ("xterm", True)])
def test_colours_on_a_terminal_that_has_some(
        street: House, monkeypatch: pytest.MonkeyPatch, term: str,
        coloured: bool) -> None:
    street.write(ONE, "1\n")
    street.write(TWO, "2\n")
    monkeypatch.delenv("NO_COLOR")
    said = street.run("script", "-qec", "make chapter=gemm_02 diff", "/dev/null",
                      TERM=term)
    assert ("\033" in said.text) == coloured
    assert coloured or "[-1-]" in said.text
