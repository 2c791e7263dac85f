"""Turns with a model on a server, whatever the server does: calls run once and whole, people are served or told."""

from __future__ import annotations

import asyncio
import json

import pytest

from jarvisbot.types import Answered, Assistant, Failed, Item, TextDelta, User
from tests.agent.test_turn import World
from tests.emulators.openai_server import Abort, OpenAIServer, Status, Step, call_part, chunk, serving, spoken
from tests.models.test_openai import RunningClock, SteppedClock, talking

ADD = '{"a": 1, "b": 2}'


def calling(*parts: Step, text: str = "") -> list[Step]:
    return [*([chunk(content=text)] if text else []), *parts, chunk(finish="tool_calls")]


def results(server: OpenAIServer, request: int = -1) -> list[str]:
    return [message["content"] for message in server.requests[request]["messages"] if message["role"] == "tool"]


@pytest.mark.parametrize("tools", ["native", "prompt"])
async def test_a_call_is_run_and_its_result_answers(tools: str) -> None:
    written = f'<tool_call>{{"name": "add", "arguments": {ADD}}}</tool_call>'
    first = calling(call_part(0, id="a", name="add", arguments=ADD)) if tools == "native" else spoken(written)
    async with serving(replies=[first, spoken("It is 3.")]) as server, talking(server, tools=tools) as model:
        world = World(model=model)
        await world.hears("what is it?")
        assert world.text == "It is 3."
        assert world.ran == ["1+2"]
        told = [message["content"] for message in server.requests[-1]["messages"]]
        assert any("1 + 2 = 3" in content for content in told)


@pytest.mark.parametrize(
    "parts",
    [
        [
            call_part(0, id="a", name="add", arguments=ADD),
            call_part(1, id="b", name="look_up", arguments='{"what": "rain"}'),
        ],
        [
            call_part(0, id="a", name="add", arguments=ADD),
            call_part(2, id="b", name="look_up", arguments='{"what": "rain"}'),
        ],
        [
            call_part(0, id="a", name="add", arguments=ADD),
            call_part(1, id="a", name="look_up", arguments='{"what": "rain"}'),
        ],
        [call_part(0, name="add", arguments=ADD), call_part(1, name="look_up", arguments='{"what": "rain"}')],
    ],
    ids=["plain", "a gap", "one id", "no ids"],
)
async def test_both_calls_of_one_reply_are_run_and_answered_in_order(parts: list[Step]) -> None:
    async with (
        serving(replies=[calling(*parts, text="Let me see."), spoken("Done.")]) as server,
        talking(server) as model,
    ):
        world = World(model=model)
        await world.hears("what is it?")
        assert (world.text, world.ran) == ("Done.", ["1+2", "rain"])
        assert results(server) == ["1 + 2 = 3", "about rain"]
        messages = server.requests[-1]["messages"]
        asked = [call["id"] for message in messages for call in message.get("tool_calls", ())]
        assert len(set(asked)) == 2
        assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == asked
        assert any(message["role"] == "assistant" and message["content"] == "Let me see." for message in messages)


async def test_a_call_that_was_cut_off_is_told_the_model_and_not_run() -> None:
    half = [call_part(0, id="a", name="look_up"), call_part(0, arguments='{"what": "old notes from 2019 and')]
    replies = [[*half, chunk(finish="length")], spoken("I did nothing.")]
    async with serving(replies=replies) as server, talking(server) as model:
        world = World(model=model)
        await world.hears("what is it?")
        assert (world.text, world.ran) == ("I did nothing.", [])
        assert "cut off" in results(server)[0]


HALF: list[Step] = [chunk(content="Half "), call_part(0, id="a", name="add"), call_part(0, arguments='{"a": 1')]


@pytest.mark.parametrize(
    "end",
    [[{"error": {"code": 500, "message": "Failed to parse tool call arguments as JSON"}}], [Abort()]],
    ids=["500 in the middle", "closed"],
)
async def test_an_answer_that_breaks_off_is_begun_again_and_half_a_call_is_not_run(end: list[Step]) -> None:
    async with serving(replies=[[*HALF, *end], spoken("All of it.")]) as server, talking(server) as model:
        world = World(model=model)
        await world.hears("what is it?")
        assert (world.text, world.ran) == ("All of it.", [])
        assert "Half" not in world.drafts()[-1]


async def test_a_server_that_restarts_in_the_middle_and_is_away_for_20_seconds_answers_in_the_end() -> None:
    clock = SteppedClock()
    async with serving(replies=[[*HALF, Abort()]]) as server, talking(server, clock=clock) as model:
        world = World(model=model)
        turn = asyncio.create_task(world.hears("what is it?"))
        await server.until(lambda: server.requests)
        async with asyncio.timeout(10):
            while not any(isinstance(event, TextDelta) for event in world.events):
                await asyncio.sleep(0.001)
        await server.stop()
        server.replies = [spoken("I am back.")]
        for seconds in (1, 3, 6, 1, 3):
            await clock.slept(seconds)
        await server.start()
        await clock.slept(6)
        await turn
        assert clock.monotonic() == 20
        assert (world.text, world.ran) == ("I am back.", [])


async def test_a_server_that_stays_away_is_one_short_notice() -> None:
    async with serving(replies=[[*HALF, Abort()]]) as server, talking(server, clock=RunningClock()) as model:
        await model.info()
        await server.stop()
        world = World(model=model)
        await world.hears("what is it?")
    assert isinstance(world.end, Failed)
    assert "cannot be reached" in world.end.message
    assert len(world.end.message) < 200


async def test_a_refused_key_is_said_after_one_request() -> None:
    async with serving(key="right") as server, talking(server, key="wrong") as model:
        world = World(model=model)
        await world.hears("what is it?")
        assert isinstance(world.end, Failed)
        assert "api_key" in world.end.message
        assert len(server.seen) == 1


# ---------------------------------------------------------------- the context


def talk(exchanges: int) -> list[Item]:
    items: list[Item] = []
    for number in range(exchanges):
        items += [User(text=f"q{number} " + "word " * 60), Assistant(text=f"a{number} " + "word " * 60)]
    return items


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("shape", ["llama", "vllm", "other"])
async def test_a_talk_that_outgrew_the_window_loses_its_beginning_and_is_answered(shape: str, late: bool) -> None:
    async with (
        serving(shape=shape, context=900, refuses_late=late) as server,
        talking(server, context_tokens=8000) as model,
    ):
        for _ in range(2):
            world = World(model=model)
            await world.hears("And why is the sea salt?", talk(10))
            assert isinstance(world.end, Answered)
            assert world.text.startswith("All of these words")
            assert not world.end.review.shortened
        tokens = [len(json.dumps(body["messages"])) for body in server.requests]
        assert tokens[1] < tokens[0]
        assert server.requests[-1]["messages"][-1]["content"].endswith("And why is the sea salt?")


@pytest.mark.parametrize("late", [False, True])
async def test_a_single_message_that_is_longer_than_the_window_is_cut_and_answered(late: bool) -> None:
    async with serving(shape="llama", context=4096, refuses_late=late) as server, talking(server) as model:
        world = World(model=model)
        await world.hears("BEGIN " + "word " * 6000 + "END")
        assert isinstance(world.end, Answered)
        assert world.end.review.shortened
        said = server.requests[-1]["messages"][-1]["content"]
        assert "BEGIN word" in said
        assert said.endswith("word END")
        assert "characters are left out" in said


async def test_numbers_that_no_request_could_meet_end_in_one_sentence() -> None:
    words = Status(
        status=400,
        body={"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 1, "message": "no"}},
    )
    async with serving(refuses={"messages": words}) as server, talking(server) as model:
        world = World(model=model)
        await world.hears("why?")
        assert isinstance(world.end, Failed)
        assert len(server.requests) <= 3


# ---------------------------------------------------------------- strict templates


async def test_a_strict_template_is_served_through_rounds_of_tools() -> None:
    replies = [calling(call_part(0, id="a", name="add", arguments=ADD)), spoken("It is 3.")]
    async with serving(strict_roles=True, replies=replies) as server, talking(server) as model:
        world = World(model=model)
        await world.hears(
            "what is it?", [Assistant(text="Hello."), User(text="one"), User(text="two"), Assistant(text="a")]
        )
        assert world.text == "It is 3."
        assert world.ran == ["1+2"]
