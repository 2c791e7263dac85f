"""The benchmarks themselves: what they call right is right, and what code answers needs no luck."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from jarvisbot.models.scripted import Scripted


@pytest.fixture(scope="module")
def usefulness() -> ModuleType:
    path = Path(__file__).parents[1] / "benchmarks" / "usefulness.py"
    spec = importlib.util.spec_from_file_location("usefulness", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["usefulness"] = module
    spec.loader.exec_module(module)
    return module


async def test_twenty_sums_and_twenty_clocks_are_right_without_a_model(usefulness: ModuleType) -> None:
    model = Scripted([])
    score = await usefulness.run("all", model)
    assert (score.sums, score.clocks, score.asked) == (20, 20, 40)
    assert model.requests == []


@pytest.mark.parametrize("arm", ["no code answers", "no check", "no skills"])
async def test_each_other_arm_asks_the_model(usefulness: ModuleType, arm: str) -> None:
    model = Scripted(["I do not know."], cycle=True)
    score = await usefulness.run(arm, model)
    assert (score.sums, score.clocks) == (0, 0)
    assert len(model.requests) >= 40


def test_values_and_times_are_read_in_every_spelling(usefulness: ModuleType) -> None:
    for text in ("It is 366,611.", "Das sind 366.611", "366 611", "366611!"):
        assert usefulness.has_value(text, "366611")
    assert usefulness.has_value("157,7", "157.7")
    assert not usefulness.has_value("It is 366,161.", "366611")
    assert usefulness.has_time("It is 18:26 there", "Asia/Tokyo")
    assert usefulness.has_time("6:26 pm", "Asia/Tokyo")
    assert not usefulness.has_time("It is 09:26 or 18:26", "Asia/Tokyo")
    assert not usefulness.has_time("no idea", "Asia/Tokyo")
