"""Turns over real backends: what a model does wrong is caught whatever it runs on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from jarvisbot.agent.route import Router
from jarvisbot.agent.turn import Agent, TurnInput, TurnLimits
from jarvisbot.clock import SystemClock
from jarvisbot.model import Model, ModelEvent, ModelInfo, ModelRequest
from jarvisbot.models import llamacpp, openai
from jarvisbot.tool import Tool, Toolbox, ToolContext
from jarvisbot.types import (
    Allow,
    Answered,
    Decision,
    Item,
    Principal,
    Role,
    TextDelta,
    ToolCall,
    ToolSpec,
    TurnEvent,
    User,
)
from tests.emulators.openai_server import serving, spoken
from tests.emulators.tiny_gguf import write_gguf
from tests.fakes import said

RUSSIAN = "Привет, как дела? Всё хорошо."


class Counting:
    """A model, and how often it was asked."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.requests: list[ModelRequest] = []

    async def info(self) -> ModelInfo:
        return await self._model.info()

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        return self._model.stream(request)

    async def count(self, items: Sequence[Item], tools: Sequence[ToolSpec] = ()) -> int:
        return await self._model.count(items, tools)

    async def close(self) -> None:
        await self._model.close()


class Open:
    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        return Allow()


async def turn(model: Model, text: str) -> list[TurnEvent]:
    agent = Agent(
        model=model,
        toolbox=Toolbox([], Open()),
        router=Router(()),
        code={},
        limits=TurnLimits(answer_tokens=24, think_tokens=4),
        clock=SystemClock(),
    )
    message = said(text)
    principal = Principal(user="fake:1", role=Role.OWNER, author=message.author)
    events: list[TurnEvent] = []
    await agent.answer(TurnInput(turn=1, message=message, principal=principal, history=()), events.append)
    return events


def shown(events: list[TurnEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_a_server_whose_reply_begins_in_another_script_is_asked_once_more() -> None:
    async with serving(replies=[spoken(RUSSIAN), spoken("I am well.")]) as server:
        model = openai.create(openai.Settings(base_url=server.url), models_folder=None, secrets={})
        try:
            events = await turn(model, "how is it going?")
        finally:
            await model.close()
        asked = [body["messages"][-1]["content"] for body in server.requests]
    assert isinstance(events[-1], Answered)
    assert events[-1].text == "I am well."
    assert "П" not in shown(events)
    assert len(asked) == 2
    assert asked[1].endswith("Answer only in English.")


async def test_a_local_model_that_writes_another_script_is_asked_once_more_unless_that_was_asked_for(
    tmp_path: Path,
) -> None:
    path = write_gguf(tmp_path / "cyrillic.gguf", letters="абвгдежзиклмнопрст")
    model = Counting(llamacpp.create(llamacpp.Settings(path=path, threads=1), models_folder=None))
    try:
        await turn(model, "how is that written in Russian?")
        assert len(model.requests) == 1
        await turn(model, "how is it going?")
        assert len(model.requests) == 3
        assert model.requests[-1].items[-1] == User(text="Answer only in English.")
    finally:
        await model.close()
