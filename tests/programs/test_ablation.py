"""make ablation: a rung without one idea is still a right kernel."""

import os
import pathlib

import pytest

from tools.author import ablation

from ..conftest import ROOT, House

SOME = {"k unrolled", "one buffer", "no fragments ahead", "two buffers"}
os.chdir(ROOT)
VARIANTS = [(chapter, name) for chapter in ablation.tried()
            for name in ablation.texts_of(chapter)
            if name in SOME or os.environ.get("TEST_ALL")]


@pytest.mark.parametrize("chapter, name", VARIANTS)
def test_a_variant_fits_and_is_right_at_a_ragged_size(
        real: House, tmp_path: pathlib.Path, chapter: str, name: str) -> None:
    real.make("-s", "build/simulator/libcommon.a")
    real.write(f"{tmp_path}/a.cu", ablation.texts_of(chapter)[name])
    real.run("simulator/simcc", "-I", "common", f"{tmp_path}/a.cu",
             "build/simulator/libcommon.a", "-o", f"{tmp_path}/a")
    real.run(f"{tmp_path}/a", *"--M 133 --N 261 --K 21 --beta 0.5".split())


def test_some_are_tried() -> None:
    assert len(VARIANTS) >= 4
