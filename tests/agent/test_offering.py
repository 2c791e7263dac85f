"""Which tools a model is shown."""

from __future__ import annotations

import pytest

from jarvisbot.agent.offering import MOST_TOOLS, offered
from jarvisbot.skill import Skill
from jarvisbot.tool import Risk, Tool, Toolbox, ToolContext, tool
from jarvisbot.types import Allow, Decision, ToolCall


class Open:
    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        return Allow()


def made(name: str, says: str) -> Tool:
    async def run(what: str) -> str:
        return what

    run.__doc__ = says
    return tool(risk=Risk.READ, label="Ran", name=name)(run)


LONG = (
    "Its description is so long that all of them together are more than a plain question has to carry along with it. "
    * 2
)
MANY = Toolbox(
    [
        made("train_times", "Looks up when trains leave. " + LONG),
        made("kettle", "Boils water in the kitchen. " + LONG),
        made("stars", "Tells which planets are visible tonight. " + LONG),
    ],
    Open(),
)
FEW = Toolbox([made("kettle", "Boils water."), made("stars", "Tells which planets are visible.")], Open())


def names(box: Toolbox, message: str, skill: Skill | None = None) -> list[str]:
    return [spec.name for spec in offered(box, skill, message)]


def narrowed(*tools: str) -> Skill:
    return Skill(name="s", description="d", guidance="g", tools=tools)


def test_a_skill_narrows_them_and_may_take_all_away() -> None:
    assert names(MANY, "trains and planets", narrowed("kettle", "gone")) == ["kettle"]
    assert names(MANY, "trains", narrowed()) == []


def test_few_and_small_ones_are_all_shown_whatever_the_question() -> None:
    assert names(FEW, "hello") == names(FEW, "which planets") == ["kettle", "stars"]


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("hello there", []),
        ("are planets visible?", ["stars"]),
        ("when do trains leave, and boils the kettle?", ["kettle", "train_times"]),
    ],
)
def test_of_many_only_those_that_the_question_speaks_of_are_shown(message: str, shown: list[str]) -> None:
    assert names(MANY, message) == shown


def test_there_are_never_more_than_a_small_model_can_choose_among() -> None:
    box = Toolbox([made(f"lamp_{number}", "Switches a lamp.") for number in range(20)], Open())
    assert names(box, "a lamp") == [f"lamp_{number}" for number in sorted(range(20), key=str)][:MOST_TOOLS]
