"""What grading tells a learner, where a whole grade would say it too late."""

import pytest

from tools.classroom import grader

ENDS = "make[1]: *** [tools/build.mk:195: x.o] Error 1\n"


@pytest.mark.parametrize("text, told", [
    ("a.cu:1: error: no\n" + ENDS, "a.cu:1: error: no\n"),
    ("\n" + ENDS, ENDS), ("", "")])
def test_why_nothing_was_built(text: str, told: str) -> None:
    assert grader.compiler_said(text) == told


@pytest.mark.parametrize("counts, written", [
    ({"global_store_requests": 0}, False), ({"bulk_store_bytes": 16}, True)])
def test_the_copy_engine_stores_too(counts: dict, written: bool) -> None:
    assert grader.has_written({"counts": counts}) == written
