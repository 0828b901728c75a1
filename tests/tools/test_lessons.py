"""make lessons and make picture: quotes, tables and drawings of pages."""

import csv
import os
import re
import zlib
from typing import Callable

import pytest

from tools import course, edits
from tools.author import chinese, lessons, outputs, photos, picture, svg, tables

from ..conftest import ROOT, House

PAGE = "chapters/gemm_02_b/README.md"


@pytest.fixture
def pages(house: House) -> House:
    """Two chapters that count; there is something to quote."""
    house.chapters("gemm", "gemm_01_a", "gemm_02_b")
    house.write("chapters/gemm_01_a/gemm_01_a.cu", "int a;\n    // [kernel]\n"
                "    int x;\n        int y;\n    // [kernel]\n")
    for name in ("gemm_01_a", "gemm_02_b"):
        house.write(f"chapters/{name}/checks", "[counts]\n--M 256\nffma 8\n")
    return house


def quote(house: House, kind: str, words: str) -> None:
    """Write a page with a marker."""
    house.write(PAGE, f"# B\n<!-- {kind} {words} -->\nold\n<!-- end{kind} -->\nend\n")


def test_snippet_without_its_indent(pages: House, call: Callable) -> None:
    quote(pages, "snippet", "../gemm_01_a/gemm_01_a.cu kernel")
    call(lessons.main, ["--check"], wanted=1).has(f"{PAGE}:2: stale snippet")
    assert "old" in pages.read(PAGE)
    call(lessons.main, [])
    assert "-->\n```cuda\nint x;\n    int y;\n```\n<!-- end" in pages.read(PAGE)
    assert pages.read(PAGE).endswith("\nend\n")
    call(lessons.main, ["--check"])


@pytest.mark.parametrize("kind, words, why", [
    ("snippet", "gemm_02_b.cu launch", "0 markers [launch]"),
    ("table", "counts gemm_02_b rows=stores", "stores is not counted in its checks"),
    ("output", "sh make -s nonsense | cat", "| cat: make: *** No rule"),
    ("output", "nonsense", "no such output; there are sh")])
def test_pages_that_are_refused(pages: House, call: Callable, kind: str, words: str,
                                why: str) -> None:
    os.remove("Makefile")
    quote(pages, kind, words)
    call(lessons.main, [], wanted=1).has(f"{PAGE}:2: ", why)
    assert "old" in pages.read(PAGE)


def test_a_page_that_is_none(pages: House, call: Callable) -> None:
    assert call(lessons.main, ["nope.md"], wanted=2).text == \
        "lessons: nope.md: no such file\n"


WAITS = "echo 'this takes about 11 s: 4 launches of 3 s each in the simulator'"


@pytest.mark.parametrize("commands", [
    f"echo a\n{WAITS}\necho b", "echo a; ! false; false | cat\necho b >&2"])
def test_output_of_commands(commands: str) -> None:
    assert outputs.shell(commands) == ["a", "b"]


@pytest.mark.parametrize("kind, words, why", [
    ("sh", "true", "print nothing"), ("sh", "false", "status 1"),
    ("sh", "make nonsense | cat", "No rule"),
    ("sh", "for i in 1 2; do cat nowhere; done\necho b",
     "status 1: cat: nowhere: No such"),
    ("nonsense", "", "no such output"),
    ("mutant", "vector_add/nonsense", "no mutant"),
    ("mutant", "nonsense/no_guard", "no mutant"),
    # One that does not fit its chapter.
    ("mutant", "vector_add/no_guard", "no mutant")])
def test_output_that_is_none(house: House, kind: str, words: str, why: str) -> None:
    os.remove("Makefile")
    house.write("chapters/vector_add/vector_add.cu", "int main() {}\n")
    os.makedirs(os.path.dirname(edits.FOLDER), exist_ok=True)
    os.symlink(ROOT / edits.FOLDER, edits.FOLDER)
    with pytest.raises(outputs.Stale, match=why):
        outputs.lines(kind, words)


def test_a_table_of_many_records_finds_its_chapters_once(
        pages: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, ms in (("a", 2), ("b", 3)):
        pages.write(f"docs/results/{name}.jsonl", "".join(
            f'{{"chapter": "gemm_02_b", "variant": null, "size": {{"M": {i}}}, '
            f'"time_ms": {{"median": {ms * i}}}}}\n' for i in range(1, 100)))
    asked, groups = [], course.groups
    monkeypatch.setattr(course, "groups", lambda: asked.append(1) or groups())
    assert tables.gpus_table("a b | gemm_02 M=99".split())[2:] == [
        "| gemm_02 | 198 | 297 | 1.50 |"]
    assert len(asked) == 1


def test_lines_of_a_file(house: House) -> None:
    house.write("a.txt", "one\n  two\nthree\nfour\n")
    assert outputs.lines("file", "a.txt", "from=tw", "to=th") == ["  two", "three"]
    with pytest.raises(outputs.Stale, match="no line of a.txt begins with five"):
        outputs.lines("file", "a.txt", "from=five")


@pytest.mark.parametrize("old, new, why", [
    ("many words", "few words", "zh/gemm_02.md:3: stale: {0}:3 has changed: 8 few words"),
    ("# B", "# C", "zh/gemm_02.md:1: stale: {0}:1 has changed: # C"),
    ("8 many", "8 or 9 many", "zh/gemm_02.md:3: without 9 of {0}:3"),
    ("# B\n", "# B\n\nMore.\n", "zh/gemm_02.md:1: stale: {0}:3 has changed: More."),
    ("cu kernel", "cu other", "zh/gemm_02.md:5: a marker gemm_01_a.cu kernel, where {0}"),
    ("\n    make run\n", "", "zh/gemm_02.md: 4 blocks, {0} has 3")])
def test_a_page_in_chinese_follows_the_english_one(pages: House, call: Callable, old: str,
                                                   new: str, why: str) -> None:
    pages.write("chapters/gemm_01_a/gemm_01_a.cu", "// [kernel]\nint x;\n// [kernel]\n")
    page = "# {}\n\n{}\n\n<!-- snippet {}gemm_01_a/gemm_01_a.cu kernel -->\n<!-- endsnippet -->\n" \
        "\n    make run\n"
    pages.write(PAGE, page.format("B", "8 many words.", "../"))
    pages.write("docs/zh/gemm_02.md", page.format("乙", "8 个字。", "../../chapters/"))
    for name in (chinese.KEPT, chinese.PHRASES):
        pages.write(name, "")
    call(lessons.main, [])
    call(lessons.main, ["--check"], wanted=1).has("stale: ")
    call(chinese.main, ["docs/zh/gemm_02.md"])
    call(lessons.main, ["--check"])
    pages.write(PAGE, pages.read(PAGE).replace(old, new, 1))
    call(lessons.main, ["--check", "docs/zh/gemm_02.md"], wanted=1).has(why.format(PAGE))


def test_what_is_no_page_in_chinese(house: House, call: Callable) -> None:
    house.write(chinese.KEPT, "")
    call(chinese.main, [PAGE], wanted=2).has("no page of docs/zh/")


def test_each_phrase_of_tables_in_chinese_is_used() -> None:
    text = "".join(path.read_text() for path in (ROOT / chinese.FOLDER).glob("*.md"))
    for old, new in csv.reader((ROOT / chinese.PHRASES).read_text().splitlines()):
        assert all(part in text for part in re.split(r"\\\d", new)), old


# ---- pictures ----------------------------------------------------------------


DRAW = '''
from tools.author.svg import Picture, picture

@picture("One lane")
def point(p: Picture) -> None:
    """A lane & its word."""
    p.box(0, 40, 80, 40, "lane", "{}")
    p.box(80, 40, 60, 40, "stripes")
'''
FOLDER = "chapters/a/pictures"


@pytest.mark.parametrize("words, lesson, why", [
    ("1 < 2", "![1 < 2](pictures/point.svg)", "shows 1 pictures, fewer than 2"),
    ("1 < 3", "![1 < 2](pictures/point.svg)", "point.svg: its page says 2, it does"),
    ("1 < 2", "", "point.svg: no page shows it")])
def test_the_lesson_shows_pictures_and_says_their_numbers(
        house: House, call: Callable, words: str, lesson: str, why: str) -> None:
    house.write("chapters/a/README.md", lesson + "\n")
    house.write(f"{FOLDER}/draw.py", DRAW.format(words))
    call(picture.main, [FOLDER], wanted=int("fewer" not in why))  # a draft is drawn
    call(picture.main, ["--check", FOLDER], wanted=1).has(why)
    call(picture.main, ["--check", FOLDER], wanted=1).lacks("is stale")
    house.write(f"{FOLDER}/point.svg", "<svg/>")
    call(picture.main, ["--check", FOLDER], wanted=1).has("point.svg is stale")


@pytest.mark.parametrize("width, channels, samples", [
    (2, 3, bytes(range(1, 13))), (6, 1, bytes(range(12))), (2, 3, bytes(range(6)))])
def test_a_png_is_compared_by_its_pixels(
        house: House, monkeypatch: pytest.MonkeyPatch, width: int, channels: int,
        samples: bytes) -> None:
    def png(*pixels: object) -> bytes:
        return photos.png(photos.Pixels(*pixels))

    here, pack = (2, 3, bytes(range(12))), zlib.compress
    with monkeypatch.context() as patch:  # packed otherwise
        patch.setattr(zlib, "compress", lambda data, _: pack(data, 0))
        picture.stale("a.png", png(*here), check=False)
    assert not picture.stale("a.png", png(*here), check=True)
    assert picture.stale("a.png", png(width, channels, samples), check=True)


@pytest.mark.parametrize("x, words, size, anchor", [
    (0, "small", 17, "start"), (-2, "left", 18, "start"), (700, "right", 18, "start"),
    (10, "left", 18, "end"), (10, "left", 18, "middle"), (710, "right", 18, "middle")])
def test_words_that_cannot_be_read_are_refused(x: int, words: str, size: int,
                                               anchor: str) -> None:
    p = svg.Picture("a", "", "")
    with pytest.raises(AssertionError):
        p.text(x, 50, words, size, anchor)
    with pytest.raises(AssertionError):
        p.box(0, 0, 20, 20, "lane", "wide")


def test_a_hatched_box_has_plain_ground_behind_its_words() -> None:
    p = svg.Picture("a", "", "")
    p.box(0, 0, 200, 40, "hatch", "plain ground")
    assert "M3 3h194v34h-194z" in p.svg()
