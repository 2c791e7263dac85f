"""What a model reads before the talk, in the demo model's tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from jarvisbot.agent import context
from jarvisbot.agent.offering import offered
from jarvisbot.folders import bundled
from jarvisbot.model import Model
from jarvisbot.models.llamacpp import Settings, create
from jarvisbot.models.llamacpp.location import demo_model
from jarvisbot.skill import Skill, load_all
from jarvisbot.tool import Tool, Toolbox, ToolContext
from jarvisbot.types import Allow, Decision, System, ToolCall
from tests.every_tool import every_tool

PLAIN_TOKENS = 350
"""A turn without tools: at 44 tokens a second, 8 s the first time on one core of a small machine."""
TOOL_TOKENS = 900

SKILLS = load_all(bundled("skills"), trusted=True)
TOOLS = [tool for tools in every_tool().values() for tool in tools]


class Open:
    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        return Allow()


BOX = Toolbox(TOOLS, Open())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def demo() -> AsyncIterator[Model]:
    model = create(Settings.model_validate({"path": demo_model(), "threads": 1}), models_folder=None)
    yield model
    await model.close()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("skill", [None, *SKILLS], ids=lambda skill: skill.name if skill else "no skill")
async def test_the_prompt_before_the_talk_is_short(demo: Model, skill: Skill | None, language: str) -> None:
    specs = offered(BOX, skill, "Tell me something about lighthouses, please.")
    tokens = await demo.count(context.opening(skill, language), specs)
    assert tokens <= (TOOL_TOKENS if skill is not None and skill.tools else PLAIN_TOKENS)
    (only,) = [item for item in context.opening(skill, language) if isinstance(item, System)]
    assert tokens > await demo.count([only]) or skill is None
