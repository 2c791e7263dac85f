"""Two turns of a room: what the model has read for the first is the beginning of what it reads for the second."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from jarvisbot.model import ModelRequest
from jarvisbot.models.llamacpp.items import tools_of, turns_of
from jarvisbot.models.llamacpp.template import CHATML, Template
from jarvisbot.models.scripted import Reply
from tests.emulators.tiny_gguf import TEMPLATE
from tests.fakes import said
from tests.gateway.conftest import running

CALL = "<tool_call><function=calculator><parameter=expression>2*3</parameter></function></tool_call>"


def prompts(requests: list[ModelRequest], template: Template) -> list[str]:
    return [
        template.render(turns_of(request.items), tools_of(request.tools), answer=False).text for request in requests
    ]


@pytest.mark.parametrize("source", [CHATML, TEMPLATE], ids=["chatml", "with tools and thinking"])
@pytest.mark.parametrize(
    ("questions", "replies"),
    [
        (["Why is the sea salt?", "Why do cats purr so loud?", "Why?"], ["Rivers.", "Nobody knows.", "Just so."]),
        (["Any tips for sleep tonight?", "Any tips for focus today?"], ["Dark rooms.", "<think>hm</think>Pauses."]),
        (["12 rows of 12*4 seats, which is which?", "13 rows of 13*4 seats, which is which?"], ["48.", "52."]),
        (["Why is it so loud today?", "Why is it so calm now?"], [CALL, "It is 6.", "Snow."]),
    ],
    ids=["no skill", "advice", "seeded sums", "calls"],
)
async def test_the_next_prompt_begins_with_the_whole_of_the_last_one(
    folder: Path, source: str, questions: list[str], replies: list[Reply]
) -> None:
    async with running(folder, replies) as bot:
        for question in questions:
            await bot.hears(said(question))
            await bot.settles()
            await bot.clock.advance(400)
        assert len(bot.model.requests) == len(replies)
        asked = prompts(bot.model.requests, Template(source))
    assert all(later.startswith(earlier) for earlier, later in pairwise(asked))


async def test_a_group_is_read_with_the_names_of_those_who_spoke(folder: Path) -> None:
    async with running(folder, ["Hello you.", "You are Bob.", "You are Ada."]) as bot:
        for number, name in (("1", "Ada"), ("2", "Bob"), ("1", "Ada")):
            message = said(f"who am I, {name.upper()[0]}?", user=number, direct=False)
            await bot.hears(message)
            await bot.settles()
        texts = [getattr(item, "text", "") for item in bot.model.requests[-1].items]
    assert [text.splitlines()[-2] for text in texts if "who am I" in text] == ["user 1:", "user 2:", "user 1:"]
