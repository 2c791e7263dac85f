"""A graphics card that the installed library cannot use is told of, with the ways to one that can."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvisbot.checks.model import idle_card


@pytest.mark.parametrize("name", ["dri/renderD128", "nvidia0"])
def test_a_card_that_the_library_cannot_use_comes_with_the_ways_to_one_that_can(tmp_path: Path, name: str) -> None:
    (tmp_path / "dri").mkdir()
    (tmp_path / name).touch()
    (found,) = idle_card(offloads=False, devices=tmp_path)
    for way in ("CUDA", "HIP", "VULKAN", "METAL"):
        assert way in found.remedy
    assert idle_card(offloads=True, devices=tmp_path) == []


def test_without_a_card_nothing_is_said(tmp_path: Path) -> None:
    assert idle_card(offloads=False, devices=tmp_path) == []
