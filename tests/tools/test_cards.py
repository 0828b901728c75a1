"""What runs on which GPU: what the table says, and why."""

import pytest

from tools import cards, course

from ..conftest import House

CARD = {card.arch: card for card in cards.CARDS}


def test_what_only_newer_gpus_have_is_refused_by_name(real: House) -> None:
    assert not [name for name in course.chapters() if cards.refused(name, CARD["sm_90"])]
    for arch in ("sm_75", "sm_80", "sm_120"):
        assert cards.refused("tensor_08_persistent", CARD[arch]) == "needs 9.0 alone"
        assert not cards.refused("gemm_13_every_shape", CARD[arch])
    assert cards.refused("tensor_02_mma", CARD["sm_75"]) == "needs 8.0 or newer"
    assert "tensor_05 to tensor_11: needs 9.0 alone" in cards.row(CARD["sm_80"])[5]


def test_a_block_that_is_too_large_is_refused(
        real: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for numbers, asked, reason in (
            ((255, 65536, 0), 64 << 10, ""),
            ((80, 65537, 0), 0, "a block has 65,537 registers"),
            ((80, 0, 0), (64 << 10) + 1, "a block has 64.0 KiB of shared memory"),
            ((80, 0, 70 << 10), 0, "a block has 70.0 KiB of shared memory")):
        monkeypatch.setattr(cards, "known", lambda: {("gemm_05_thread_tile_2d", "sm_75"): numbers})
        monkeypatch.setattr(cards, "launches", lambda _: [{"shared_bytes": asked}])
        assert cards.refused("gemm_05_thread_tile_2d", CARD["sm_75"]) == reason
    # It asks the GPU, and takes a smaller tile.
    monkeypatch.setattr(cards, "known", lambda: {("tensor_04_async", "sm_86"): (80, 0, 0)})
    monkeypatch.setattr(cards, "launches", lambda _: [{"shared_bytes": 144 << 10}])
    assert not cards.refused("tensor_04_async", CARD["sm_86"])


def test_doctor_says_the_row_of_its_own_gpu(real: House, tmp_path: str) -> None:
    for capability, row in (("7.5, Tesla T4", "; tensor_01 to tensor_04"),
                            ("10.3, B300", "sm_103 is not in the table")):
        real.tool(f"{tmp_path}/nvidia-smi", f"echo '{capability}'")
        real.run("/bin/sh", "-c", f"PATH={tmp_path}:$PATH; make doctor").has(
            "what runs on it", row)
