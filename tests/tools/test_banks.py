"""make banks: what it prints is what the simulator counts. On the real house."""

import re

import pytest

from ..conftest import ROOT, House


@pytest.mark.parametrize("wavefronts, words", [
    (32, "stride=32"), (1, "stride=33"), (2, "stride=34"), (1, "stride=0"),
    (1, "rows=1"), (4, "width=16 stride=36"), (32, "width=16 stride=32"),
    (2, "width=8 stride=2 access=store"), (1, "width=8 stride=0"),
    (1, "rows=8 stride=20"), (4, "rows=8 stride=16")])
def test_wavefronts_of_columns_rows_broadcasts_fragments(
        house: House, wavefronts: int, words: str) -> None:
    house.make("-C", str(ROOT), "banks", *words.split()).has(
        f"wavefronts: {wavefronts},")


ROW = r"0 to  7 +0 +1 +2 +3 +20 +21 +22 +23$"


@pytest.mark.parametrize("words, line", [
    ("rows=8 stride=20", ROW), ("fragment=m16n8k16 stride=20", ROW),
    ("width=16 stride=36", r" 0-3 .* 4-7 .* 28-31$")])
def test_the_bank_of_each_lane(house: House, words: str, line: str) -> None:
    said = house.make("-C", str(ROOT), "banks", *words.split())
    assert re.search(line, said.lines[2]), said.text


def test_fragments_of_tensor_cores_with_and_without_padding(house: House) -> None:
    banks = ["-C", str(ROOT), "banks"]
    said = house.make(*banks, "fragment=m16n8k16", "stride=20")
    said.has("register 3: rows 8 to 15, halves 8 to 15")
    assert said.text.count("no bank conflicts") == 4
    said = house.make(*banks, "fragment=m16n8k8", "stride=16")
    assert len(re.findall("wavefronts: 4, .* 3 too many", said.text)) == 2


@pytest.mark.parametrize("words", [
    "stride=33 width=16", "rows=3", "width=2", "stride=-1", "stride=2000",
    "access=add", "stride=0 access=store", "fragment=m16n8k8 rows=4"])
def test_what_cannot_be_is_refused_in_one_line(house: House, words: str) -> None:
    house.refused("", "-C", str(ROOT), "banks", *words.split())
