"""How a model is asked: budgets by strategy, by the config, and by what the model runs on."""

from __future__ import annotations

import pytest

from jarvisbot.agent.question import TurnLimits
from jarvisbot.agent.strategy import strategy
from jarvisbot.skill import STRATEGIES


@pytest.mark.parametrize(
    ("name", "thinks", "most"),
    [("baseline", None, 1024), ("capped", 32, 544), ("routed", 32, 544), ("verbose", 256, 768)],
)
def test_each_strategy_has_its_budgets(name: str, thinks: int | None, most: int) -> None:
    way = strategy(name, TurnLimits(), gpu=False)
    assert (way.name, way.think_tokens, way.most_tokens(thinking=True)) == (name, thinks, most)
    assert way.most_tokens(thinking=False) == way.answer_tokens


@pytest.mark.parametrize("gpu", [False, True])
@pytest.mark.parametrize("name", [None, "auto"])
def test_auto_is_capped_on_a_processor_and_baseline_on_a_graphics_card(name: str | None, gpu: bool) -> None:
    assert strategy(name, TurnLimits(), gpu=gpu).name == ("baseline" if gpu else "capped")


def test_the_config_decides_where_a_skill_does_not() -> None:
    assert strategy("auto", TurnLimits(strategy="verbose"), gpu=False).name == "verbose"
    assert strategy("capped", TurnLimits(strategy="verbose"), gpu=False).name == "capped"


def test_budgets_of_the_config_stand_above_the_strategys() -> None:
    way = strategy("verbose", TurnLimits(think_tokens=8, answer_tokens=4096), gpu=False)
    assert (way.think_tokens, way.answer_tokens) == (8, 4096)
    assert strategy("verbose", TurnLimits(think_tokens=0), gpu=False).most_tokens(thinking=True) == 512


def test_every_strategy_that_a_skill_may_name_exists() -> None:
    for name in STRATEGIES:
        assert strategy(name, TurnLimits(), gpu=False).answer_tokens > 0


def test_only_the_routed_one_pushes_towards_tools() -> None:
    assert [name for name in sorted(STRATEGIES) if strategy(name, TurnLimits(), gpu=True).think_prefix] == ["routed"]
