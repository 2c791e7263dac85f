"""A model on a server: streams of every kind, broken ones too; nothing asked twice once an answer has begun."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from jarvisbot.agent.calls import UnreadableCall, native_calls
from jarvisbot.errors import BadOutput, ContextTooLong, ModelError, ModelUnavailable
from jarvisbot.model import (
    CallPiece,
    Done,
    Grammar,
    ModelEvent,
    ModelRequest,
    Prefill,
    Slot,
    Stopped,
    TextPiece,
    ThinkPiece,
)
from jarvisbot.models.openai import Settings
from jarvisbot.models.openai.client import OpenAI
from jarvisbot.types import Assistant, Item, Result, System, ToolCall, ToolResult, ToolSpec, User
from tests.emulators.openai_server import (
    Abort,
    Hold,
    OpenAIServer,
    Raw,
    Status,
    Step,
    Whole,
    call_part,
    chunk,
    serving,
    spoken,
)
from tests.fakes import FakeClock

TOOL = ToolSpec(name="weather", description="Tells the weather.", parameters={"type": "object", "properties": {}})
TROUBLE = Status(status=500, body={"error": {"message": "out of memory", "code": 500}})


class RunningClock(FakeClock):
    """Time that passes when somebody waits; `waits` are those waits."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.jump(seconds)
        await asyncio.sleep(0)


class SteppedClock(FakeClock):
    """Time that passes when the test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.asked.set()
        await super().sleep(seconds)

    async def slept(self, seconds: float) -> None:
        """Waits until somebody sleeps, and lets that much time pass."""
        async with asyncio.timeout(10):
            await self.asked.wait()
        self.asked.clear()
        await self.advance(seconds)


@asynccontextmanager
async def talking(
    server: OpenAIServer, *, clock: FakeClock | None = None, key: str | None = None, **settings: Any
) -> AsyncIterator[OpenAI]:
    made = OpenAI(Settings(**{"base_url": server.url, **settings}), api_key=key, clock=clock or RunningClock())
    try:
        yield made
    finally:
        await made.close()


def request(*items: Item, **more: Any) -> ModelRequest:
    return ModelRequest(items=items or (System(text="Be brief."), User(text="Hello?")), **more)


async def answered(model: OpenAI, wanted: ModelRequest | None = None) -> list[ModelEvent]:
    async with asyncio.timeout(10):
        return [event async for event in model.stream(wanted or request())]


def text_of(events: Sequence[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextPiece))


def thought_of(events: Sequence[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, ThinkPiece))


def calls_of(events: Sequence[ModelEvent]) -> list[CallPiece]:
    return [event for event in events if isinstance(event, CallPiece)]


async def read_into(events: list[ModelEvent], model: OpenAI) -> None:
    async for event in model.stream(request()):
        events.append(event)


async def said_by(steps: list[Step], *, shape: str = "other", wanted: ModelRequest | None = None) -> list[ModelEvent]:
    async with serving(shape=shape, replies=[steps]) as server, talking(server) as model:
        return await answered(model, wanted)


# ---------------------------------------------------------------- the stream


def raw(*texts: str | bytes) -> list[Step]:
    return [Raw(data=text.encode() if isinstance(text, str) else text) for text in texts]


HELLO = json.dumps(chunk(content="Grüße 🦆"), ensure_ascii=False)
STOP = json.dumps(chunk(finish="stop"))


@pytest.mark.parametrize(
    "steps",
    [
        raw(f"data: {HELLO}\n\ndata: {STOP}\n\n"),
        raw(f"data: {HELLO}\r\n\r\ndata: {STOP}\r\n\r\n"),
        raw(f"data: {HELLO}\r\rdata: {STOP}\r\r"),
        raw(f"data:{HELLO}\n\ndata:{STOP}\n\n"),
        raw(f": ping\n\ndata: {HELLO}\n\n: keep-alive\n: keep-alive\n\ndata: {STOP}\n\n"),
        raw(f"event: message\nid: 7\nretry: 10\ndata: {HELLO}\n\nevent: ping\n\ndata: {STOP}\n\n"),
        raw("data: " + HELLO.replace('"choices"', '\ndata: "choices"') + "\n\n", f"data: {STOP}\n\n"),
        [Raw(data=bytes([byte])) for byte in f"data: {HELLO}\n\ndata: {STOP}\n\n".encode()],
        raw(f"data: {HELLO}\n\ndata: {STOP}\n\n: [END]\n"),
        raw(f"data: {HELLO}\n\ndata: [DONE]\n\n: [END]\n"),
        raw(f"data: {HELLO}\n\ndata: {STOP}\n\ndata:\n\n"),
    ],
    ids=[
        "lf",
        "crlf",
        "cr",
        "no space",
        "comments",
        "fields",
        "two lines",
        "bytes",
        "no mark",
        "no reason",
        "empty data",
    ],
)
async def test_a_stream_is_read_however_it_is_cut_and_written(steps: list[Step]) -> None:
    events = await said_by(steps)
    assert text_of(events) == "Grüße 🦆"
    assert isinstance(events[-1], Done)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "both", "details"])
async def test_reasoning_is_kept_apart_whatever_its_field(field: str) -> None:
    details = [{"type": "reasoning.text", "text": "hm "}, {"type": "reasoning.encrypted", "data": "x"}]
    deltas: dict[str, dict[str, object]] = {
        "reasoning_content": {"reasoning_content": "hm "},
        "reasoning": {"reasoning": "hm "},
        "both": {"reasoning": "hm ", "reasoning_details": details},
        "details": {"reasoning_details": details},
    }
    events = await said_by([chunk(content="", **deltas[field]), chunk(content="Yes."), chunk(finish="stop")])
    assert (thought_of(events), text_of(events)) == ("hm ", "Yes.")


async def test_an_answer_given_at_once_in_place_of_a_stream_is_taken() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    message = {"role": "assistant", "content": "Yes.", "reasoning_content": "hm", "tool_calls": [call]}
    body = {
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    async with serving(replies=[Whole(body=body)]) as server, talking(server) as model:
        events = await answered(model)
    assert (thought_of(events), text_of(events)) == ("hm", "Yes.")
    assert calls_of(events) == [CallPiece(name="weather", arguments='{"city": "Oslo"}')]
    done = events[-1]
    assert isinstance(done, Done)
    assert (done.usage.prompt_tokens, done.usage.completion_tokens) == (7, 3)


async def test_content_in_parts_and_a_refusal_are_text() -> None:
    steps: list[Step] = [chunk(content=[{"type": "text", "text": "One. "}]), chunk(refusal="No."), chunk(finish="stop")]
    assert text_of(await said_by(steps)) == "One. No."


async def test_the_servers_own_counts_are_told() -> None:
    timings = {"cache_n": 90, "prompt_n": 10, "prompt_ms": 500.0, "predicted_n": 4, "predicted_ms": 250.0}
    events = await said_by([*spoken("Yes."), {**chunk(finish="stop"), "timings": timings}], shape="llama")
    done = events[-1]
    assert isinstance(done, Done)
    usage = done.usage
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (100, 90, 4)
    assert (usage.prefill_s, usage.decode_s) == (0.5, 0.25)


async def test_closing_the_stream_closes_the_connection_at_once() -> None:
    until = asyncio.Event()
    async with (
        serving(replies=[[chunk(content="One"), Hold(until=until), chunk(content="two")]]) as server,
        talking(server) as model,
    ):
        async with aclosing(model.stream(request())) as stream:
            while not isinstance(await anext(stream), TextPiece):
                pass
        await server.until(lambda: server.left == 1)
        assert not until.is_set()


@pytest.mark.parametrize("begun", [True, False])
async def test_closing_the_model_ends_a_stream_that_waits(begun: bool) -> None:
    steps: list[Step] = [*([chunk(content="One")] if begun else []), Hold(until=asyncio.Event())]
    async with serving(replies=[steps, spoken("Again.")]) as server, talking(server) as model:
        reading = asyncio.create_task(answered(model))
        await server.until(lambda: server.requests)
        await asyncio.sleep(0)
        await model.close()
        with pytest.raises(ModelUnavailable, match="closed"):
            await reading
        assert text_of(await answered(model)) == "Again."


async def test_answers_of_several_rooms_come_side_by_side() -> None:
    until = asyncio.Event()
    async with (
        serving(replies=[[Hold(until=until), *spoken("slow")], spoken("quick")]) as server,
        talking(server) as model,
    ):
        await model.info()
        slow = asyncio.create_task(answered(model))
        await server.until(lambda: len(server.requests) == 1)
        assert text_of(await answered(model)) == "quick"
        until.set()
        assert text_of(await slow) == "slow"


async def test_a_wall_time_ends_the_generation() -> None:
    clock = RunningClock()

    async with serving() as server, talking(server, clock=clock) as model:
        events = []
        async for event in model.stream(request(wall_s=5.0, max_tokens=500)):
            events.append(event)
            clock.jump(1.0)
    done = events[-1]
    assert isinstance(done, Done)
    assert done.reason is Stopped.TIME
    assert len(events) < 12


# ---------------------------------------------------------------- calls


async def test_calls_are_put_together_wherever_they_are_cut() -> None:
    arguments = '{"city": "Oslo \\u00fc </tool_call> `x", "n": [1, 2]}'
    parts = [call_part(0, id="a", name="weather"), *(call_part(0, arguments=mark) for mark in arguments)]
    events = await said_by([chunk(content="Let me ```look"), *parts, chunk(finish="tool_calls")])
    assert calls_of(events) == [CallPiece(name="weather", arguments=arguments)]
    (call,) = native_calls(calls_of(events))
    assert isinstance(call, ToolCall)
    assert call.arguments == {"city": "Oslo ü </tool_call> `x", "n": [1, 2]}


OSLO, TOKYO = '{"city": "Oslo"}', '{"city": "Tokyo"}'


@pytest.mark.parametrize(
    "parts",
    [
        [call_part(0, id="a", name="weather", arguments=OSLO), call_part(1, id="b", name="clock", arguments=TOKYO)],
        [call_part(0, id="a", name="weather", arguments=OSLO), call_part(2, id="b", name="clock", arguments=TOKYO)],
        [call_part(2, id="b", name="clock", arguments=TOKYO), call_part(0, id="a", name="weather", arguments=OSLO)],
        [call_part(0, id="a", name="weather", arguments=OSLO), call_part(1, id="a", name="clock", arguments=TOKYO)],
        [call_part(0, name="weather", arguments=OSLO), call_part(1, name="clock", arguments=TOKYO)],
        [call_part(None, name="weather", arguments=OSLO), call_part(None, name="clock", arguments=TOKYO)],
        [call_part(0, id="a", name="weather", arguments=OSLO), call_part(0, id="b", name="clock", arguments=TOKYO)],
        [call_part(0, name="weather", arguments=OSLO), call_part(0, name="clock", arguments=TOKYO)],
        [
            call_part(0, id="a", name="weather", arguments='{"city"'),
            call_part(1, id="b", name="clock", arguments='{"city": "'),
            call_part(0, arguments=': "Oslo"}'),
            call_part(1, id="", name="", arguments='Tokyo"}'),
        ],
        [
            call_part(0, id="a", name="weather", arguments='{"city"'),
            call_part(0, id="a", name="weather", arguments=': "Oslo"}'),
            call_part(1, id="b", name="clock", arguments={"city": "Tokyo"}),
        ],
    ],
    ids=[
        "two", "a gap", "backwards", "one id", "no ids", "no index", "one index", "one index, no ids", "mixed", "repeated name",
    ],
)  # fmt: skip
async def test_two_calls_are_two_calls_in_order(parts: list[Step]) -> None:
    events = await said_by([chunk(content="Both. "), *parts, chunk(content="Wait."), chunk(finish="tool_calls")])
    assert text_of(events) == "Both. Wait."
    made = native_calls(calls_of(events))
    assert [(call.name, call.arguments) for call in made if isinstance(call, ToolCall)] == [
        ("weather", {"city": "Oslo"}),
        ("clock", {"city": "Tokyo"}),
    ]
    assert len({call.id for call in made if isinstance(call, ToolCall)}) == 2


@pytest.mark.parametrize(
    ("arguments", "finish"),
    [
        ('{"query": "DROP old notes from 2019 and', "length"),
        ("", "length"),
        ('{"query": "x", ', "length"),
        ('{"query": "x"', "content_filter"),
        ('{"query": ', "tool_calls"),
        ("[1, 2]", "tool_calls"),
        ("nonsense", "stop"),
    ],
)
async def test_half_a_call_is_never_run(arguments: str, finish: str) -> None:
    parts = [call_part(0, id="a", name="web_search"), call_part(0, arguments=arguments)]
    (call,) = native_calls(calls_of(await said_by([*parts, chunk(finish=finish)])))
    assert isinstance(call, UnreadableCall)


@pytest.mark.parametrize(
    "arguments", [OSLO, f"```json\n{OSLO}\n```", f"{OSLO} I will now check.", '{"city": "Oslo",}', json.dumps(OSLO)]
)
async def test_noise_around_arguments_does_no_harm(arguments: str) -> None:
    events = await said_by([call_part(0, id="a", name="weather", arguments=arguments), chunk(finish="tool_calls")])
    (call,) = native_calls(calls_of(events))
    assert isinstance(call, ToolCall)
    assert call.arguments == {"city": "Oslo"}


@pytest.mark.parametrize("arguments", ["", "{}", None, " "])
async def test_a_call_without_arguments_has_none(arguments: str | None) -> None:
    events = await said_by([call_part(0, id="a", name="clock", arguments=arguments), chunk(finish="tool_calls")])
    (call,) = native_calls(calls_of(events))
    assert isinstance(call, ToolCall)
    assert call.arguments == {}


async def test_a_complete_call_counts_though_the_answer_was_cut_off_behind_it() -> None:
    parts = [
        call_part(0, id="a", name="weather", arguments=OSLO),
        call_part(1, id="b", name="weather", arguments='{"ci'),
    ]
    one, other = native_calls(calls_of(await said_by([*parts, chunk(finish="length")])))
    assert isinstance(one, ToolCall)
    assert isinstance(other, UnreadableCall)


# ---------------------------------------------------------------- trouble


async def test_trouble_before_the_first_token_is_waited_out_at_1_3_and_6_seconds() -> None:
    clock = RunningClock()
    cut: list[Step] = [chunk(role="assistant"), Abort()]
    async with (
        serving(replies=[TROUBLE, cut, Status(status=503, body="<html>busy</html>"), spoken("At last.")]) as server,
        talking(server, clock=clock) as model,
    ):
        assert text_of(await answered(model)) == "At last."
    assert clock.waits == [1.0, 3.0, 6.0]


async def test_trouble_that_stays_is_said_in_a_sentence() -> None:
    clock = RunningClock()
    async with serving(replies=[TROUBLE] * 9) as server, talking(server, clock=clock) as model:
        with pytest.raises(ModelUnavailable) as raised:
            await answered(model)
        assert f"at {server.url.removesuffix('/v1')} is in trouble (500: out of memory)" in raised.value.user_message
    assert len(server.requests) == 4


HALF = [chunk(content="Half "), call_part(0, id="a", name="weather"), call_part(0, arguments='{"ci')]


@pytest.mark.parametrize(
    "end",
    [
        [{"error": {"code": 500, "message": "Failed to parse tool call arguments as JSON"}}],
        [{"error": "boom"}],
        [{"object": "error", "message": "boom", "code": 500}],
        [
            {
                "choices": [{"delta": {"content": ""}, "finish_reason": "error"}],
                "error": {"code": 502, "message": "boom"},
            }
        ],
        [{"choices": [{"delta": {}, "finish_reason": "error"}]}],
        [Abort()],
        raw(": [END]\n"),
        raw("data: {nonsense\n\n"),
        raw("error: {}\n\n: [END]\n"),
    ],
    ids=["tool parser", "text", "vllm", "router", "reason", "cut", "ended", "no json", "old llama-server"],
)
async def test_an_answer_that_breaks_off_is_not_asked_for_again_here_and_calls_nothing(end: list[Step]) -> None:
    events: list[ModelEvent] = []
    async with serving(replies=[[*HALF, *end]]) as server, talking(server) as model:
        with pytest.raises(ModelUnavailable):
            await read_into(events, model)
        assert len(server.requests) == 1
    assert text_of(events) == "Half "
    assert calls_of(events) == []


async def test_a_server_that_restarts_is_asked_until_it_is_back() -> None:
    clock = SteppedClock()
    async with serving(replies=[spoken("One.")]) as server, talking(server, clock=clock) as model:
        assert text_of(await answered(model)) == "One."
        await server.stop()
        server.replies = [spoken("Two.")]
        reading = asyncio.create_task(answered(model))
        for seconds in (1, 3):
            await clock.slept(seconds)
        await server.start()
        await clock.slept(6)
        assert text_of(await reading) == "Two."


async def test_a_server_that_is_not_there_is_named() -> None:
    server = OpenAIServer()
    await server.start()
    await server.stop()
    async with talking(server) as model:
        with pytest.raises(ModelUnavailable, match=rf"127\.0\.0\.1:{server.port} cannot be reached"):
            await model.info()


@pytest.mark.parametrize(
    ("limit", "steps"),
    [("first_token_s", []), ("between_tokens_s", [chunk(content="One")])],
)
async def test_silence_ends_a_stream(limit: str, steps: list[Step]) -> None:
    replies = [[*steps, Hold(until=asyncio.Event())] for _ in range(4)]
    async with serving(replies=replies) as server, talking(server, **{limit: 0.05}) as model:
        with pytest.raises(ModelUnavailable, match=r"sent nothing for 0\.05 seconds"):
            await answered(model)
        assert len(server.requests) == (1 if steps else 4)


async def test_a_rate_limit_is_waited_for_as_the_server_asks() -> None:
    clock = RunningClock()
    busy = Status(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "20"})
    async with serving(replies=[busy, spoken("Now.")]) as server, talking(server, clock=clock) as model:
        assert text_of(await answered(model)) == "Now."
    assert clock.waits == [20.0]


async def test_a_rate_limit_that_is_too_long_is_said_at_once() -> None:
    clock = RunningClock()
    busy = Status(status=429, body={"error": {"message": "daily quota"}}, headers={"Retry-After": "7200"})
    async with serving(replies=[busy]) as server, talking(server, clock=clock) as model:
        with pytest.raises(ModelError) as raised:
            await answered(model)
    assert "takes no more requests for now and asks to wait 2 h (429: daily quota)" in raised.value.user_message
    assert not isinstance(raised.value, ModelUnavailable)  # nobody begins this generation again
    assert clock.waits == []


@pytest.mark.parametrize(("key", "words"), [("wrong-key-123", "refuses the api_key"), (None, "wants an api_key")])
async def test_a_refused_key_is_said_with_where_it_is_set_and_without_the_key(key: str | None, words: str) -> None:
    async with serving(key="right") as server, talking(server, key=key) as model:
        with pytest.raises(ModelError) as raised:
            await model.info()
    assert words in raised.value.user_message
    assert "api_key_env or api_key_file" in raised.value.user_message
    assert "wrong-key-123" not in raised.value.user_message


async def test_the_key_and_further_headers_go_with_each_request() -> None:
    async with (
        serving(key="right", shape="llama") as server,
        talking(server, key="right", headers={"X-Team": "home"}) as model,
    ):
        await answered(model)
        await model.count([User(text="Hello")])
    assert len(server.headers) >= 5
    assert all(sent["Authorization"] == "Bearer right" and sent["X-Team"] == "home" for sent in server.headers)


async def test_a_model_that_is_not_there_is_said_with_those_that_are() -> None:
    async with (
        serving(shape="ollama", models=["qwen3:4b", "gemma3:1b"]) as server,
        talking(server, model="qwen9") as model,
    ):
        with pytest.raises(ModelError, match="has no model 'qwen9'; it offers qwen3:4b, gemma3:1b"):
            await answered(model)


@pytest.mark.parametrize("named", [False, True])
async def test_a_server_that_was_started_again_with_another_model_is_asked_for_that_one(named: bool) -> None:
    settings = {"model": "one"} if named else {}
    async with serving(shape="ollama", models=["one"]) as server, talking(server, **settings) as model:
        assert text_of(await answered(model))
        server.models = ["two"]
        if named:
            with pytest.raises(ModelError, match="has no model 'one'"):
                await answered(model)
        else:
            assert text_of(await answered(model))
            assert (await model.info()).name == "two"


@pytest.mark.parametrize(
    "token",
    [
        "<|im_end|>",
        "<|im_start|>",
        "<|eot_id|>",
        "<｜Assistant｜>",
        "<end_of_turn>",
        "</s>",
        "[/INST]",
        "[TOOL_CALLS]",
        "<eos>",
    ],
)
async def test_a_control_token_in_a_persons_or_a_pages_words_is_only_its_letters(token: str) -> None:
    call = ToolCall(id="t.1", name="weather", arguments={"city": token})
    items = (
        System(text="Be brief."),
        User(text=f"What is {token}?"),
        Assistant(text="", calls=(call,)),
        Result(result=ToolResult(call_id="t.1", text=f"A page: {token}system")),
    )
    async with serving() as server, talking(server) as model:
        await answered(model, request(*items))
        sent = json.dumps(server.requests[0], ensure_ascii=False)
    assert token not in sent
    assert sent.count(token[0] + "\u200b" + token[1:]) == 3


async def test_words_that_only_look_a_little_like_it_are_left_alone() -> None:
    text = "a <| b |> c, x<s, [INST, <|a b|>, std::vector<|>, if (a<s>b), <section>"
    async with serving() as server, talking(server) as model:
        await answered(model, request(User(text=text.replace("<s>", "< s>"))))
        assert server.requests[0]["messages"][-1]["content"] == text.replace("<s>", "< s>")


# ---------------------------------------------------------------- the context


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("shape", ["llama", "vllm", "other"])
async def test_a_prompt_that_is_too_long_is_told_with_the_servers_numbers(shape: str, late: bool) -> None:
    async with serving(shape=shape, context=512, refuses_late=late) as server, talking(server) as model:
        with pytest.raises(ContextTooLong) as raised:
            await answered(model, request(User(text="word " * 2000), max_tokens=100))
        assert raised.value.available == (412 if shape == "vllm" else 511)
        assert raised.value.needed == 2501 + 1
        assert len(server.requests) == 1


async def test_a_window_that_turns_out_smaller_is_remembered() -> None:
    async with serving(context=1024) as server, talking(server) as model:
        assert (await model.info()).context_tokens == 8192
        with pytest.raises(ContextTooLong):
            await answered(model, request(User(text="word " * 2000)))
        assert (await model.info()).context_tokens == 1024


async def test_without_numbers_less_than_was_assumed_is_told() -> None:
    words = Status(status=400, body={"error": {"message": "the input length exceeds the context length"}})
    async with serving(shape="ollama", refuses={"messages": words}) as server, talking(server) as model:
        with pytest.raises(ContextTooLong) as raised:
            await answered(model, request(User(text="word " * 500)))
    assert 0 < raised.value.available < raised.value.needed < 4096


async def test_a_context_that_is_full_in_the_middle_ends_the_answer_there() -> None:
    full = {
        "error": {"code": 400, "type": "exceed_context_size_error", "message": "full", "n_prompt_tokens": 9, "n_ctx": 9}
    }
    events = await said_by([chunk(content="Half"), full])
    assert text_of(events) == "Half"
    done = events[-1]
    assert isinstance(done, Done)
    assert done.reason is Stopped.LENGTH


# ---------------------------------------------------------------- what a server does not take


TALK: tuple[Item, ...] = (
    System(text="Be brief."),
    Assistant(text="Hello."),
    Assistant(text="I am here."),
    User(text="Rain?"),
    User(text="In Oslo?"),
    Assistant(text="", calls=(ToolCall(id="t.1", name="weather", arguments={"city": "Oslo"}),)),
    Result(result=ToolResult(call_id="t.1", text="Wet.")),
    System(text="One round is left."),
    User(text="So?"),
)


def roles(body: dict[str, Any]) -> list[str]:
    return [message["role"] for message in body["messages"]]


async def test_one_system_message_comes_first_and_neighbours_are_joined() -> None:
    async with serving() as server, talking(server) as model:
        await answered(model, request(*TALK, tools=(TOOL,)))
        (body,) = server.requests
    assert roles(body) == ["system", "user", "assistant", "user", "assistant", "tool", "user"]
    assert body["messages"][2]["content"] == "Hello.\n\nI am here."
    assert body["messages"][3]["content"] == "Rain?\n\nIn Oslo?"
    assert body["messages"][-1]["content"] == "One round is left.\n\nSo?"
    (call,) = body["messages"][4]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
    assert body["messages"][5]["tool_call_id"] == call["id"]
    assert body["tools"][0]["function"]["name"] == "weather"


async def test_a_template_that_wants_strictly_alternating_roles_gets_them() -> None:
    async with serving(strict_roles=True) as server, talking(server) as model:
        assert text_of(await answered(model, request(*TALK, tools=(TOOL,))))
        first = len(server.requests)
        assert text_of(await answered(model, request(*TALK, tools=(TOOL,))))
        assert len(server.requests) == first + 1
        plain = [role for role in roles(server.requests[-1]) if role in ("user", "assistant")]
    assert roles(server.requests[-1])[0] == "system"
    assert plain.count("system") == 0


NO_TOOLS = [
    Status(status=400, body={"error": {"message": "registry.ollama.ai/library/tiny:latest does not support tools"}}),
    Status(
        status=500,
        body={"error": {"code": 500, "message": "tools param requires --jinja flag", "type": "server_error"}},
    ),
    Status(
        status=400,
        body={
            "object": "error",
            "message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        },
    ),
    Status(status=500, body={"error": {"message": "Failed to parse tool call arguments as JSON"}}),
]


@pytest.mark.parametrize("refusal", NO_TOOLS, ids=["ollama", "llama-server", "vllm", "parser"])
async def test_a_server_that_takes_no_tools_is_told_of_them_in_words_from_then_on(
    refusal: Status, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(refuses={"tools": refusal}) as server, talking(server) as model:
        for _ in range(2):
            assert text_of(await answered(model, request(*TALK, tools=(TOOL,))))
        assert (await model.info()).tools
        assert [("tools" in body) for body in server.requests] == [True, False, False]
    last = server.requests[-1]["messages"]
    assert "You can use these tools" in last[0]["content"]
    assert "<tool_call>" in last[0]["content"]
    assert set(roles(server.requests[-1])) == {"system", "user", "assistant"}
    assert any("Result of weather:\nWet." in message["content"] for message in last)
    assert caplog.text.count("model_takes_no_tools") == 1


async def test_requests_that_were_under_way_when_tools_were_refused_are_answered_too() -> None:
    async with serving(refuses={"tools": NO_TOOLS[0]}) as server, talking(server) as model:
        await model.info()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(answered(model, request(*TALK, tools=(TOOL,)))) for _ in range(4)]
        assert all(text_of(task.result()) for task in tasks)


async def test_tools_that_have_to_be_native_are_not_told_in_words() -> None:
    async with serving(refuses={"tools": NO_TOOLS[0]}) as server, talking(server, tools="native") as model:
        with pytest.raises(ModelError, match="does not support tools"):
            await answered(model, request(tools=(TOOL,)))


@pytest.mark.parametrize("tools", ["prompt", "off"])
async def test_tools_are_offered_as_the_config_says(tools: str) -> None:
    async with serving() as server, talking(server, tools=tools) as model:
        assert (await model.info()).tools == (tools == "prompt")
        await answered(model, request(*TALK, tools=(TOOL,)))
        (body,) = server.requests
    assert "tools" not in body
    assert ("You can use these tools" in body["messages"][0]["content"]) == (tools == "prompt")


@pytest.mark.parametrize("name", ["top_p", "stream_options", "temperature", "seed"])
async def test_a_parameter_that_a_server_does_not_know_is_left_out_from_then_on(name: str) -> None:
    from jarvisbot.model import Sampling

    refusal = Status(status=400, body={"error": {"message": f"Unrecognized request argument supplied: {name}"}})
    async with serving(refuses={name: refusal}) as server, talking(server) as model:
        for _ in range(2):
            assert text_of(await answered(model, request(sampling=Sampling(seed=3))))
        assert [(name in body) for body in server.requests] == [True, False, False]


async def test_a_server_that_wants_another_name_for_the_limit_gets_it() -> None:
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    refusal = Status(status=400, body={"error": {"message": words}})
    replies = [spoken("Yes.")]
    async with serving(refuses={"max_tokens": refusal}, replies=list(replies)) as server, talking(server) as model:
        assert text_of(await answered(model, request(max_tokens=77))) == "Yes."
        assert server.requests[-1]["max_completion_tokens"] == 77


async def test_a_system_message_that_a_template_refuses_goes_into_the_first_message() -> None:
    refusal = Status(status=400, body={"error": {"message": "System role not supported"}})
    async with serving(replies=[refusal, spoken("Yes.")]) as server, talking(server) as model:
        assert text_of(await answered(model)) == "Yes."
        assert server.requests[-1]["messages"] == [{"role": "user", "content": "Be brief.\n\nHello?"}]


async def test_what_nothing_can_be_done_about_is_said_in_the_servers_words() -> None:
    refusal = Status(status=422, body={"detail": "the moon is full"})
    async with serving(replies=[refusal]) as server, talking(server) as model:
        with pytest.raises(ModelError, match=r"refuses the request \(422\): the moon is full"):
            await answered(model)
        assert len(server.requests) == 1


# ---------------------------------------------------------------- reasoning


@pytest.mark.parametrize(
    ("shape", "off"),
    [
        ("llama", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("vllm", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("ollama", {"reasoning_effort": "none"}),
        ("other", {}),
    ],
)
async def test_reasoning_is_switched_off_where_the_server_knows_how(shape: str, off: dict[str, object]) -> None:
    async with serving(shape=shape) as server, talking(server, thinking="off") as model:
        assert not (await model.info()).thinking
        await answered(model, request(thinking=True))
        (body,) = server.requests
    sent = {key: body[key] for key in ("chat_template_kwargs", "reasoning_effort", "reasoning") if key in body}
    assert sent == off


@pytest.mark.parametrize("field", ["reasoning_content", "text"])
async def test_reasoning_beyond_its_budget_is_broken_off_and_the_answer_asked_for_without(field: str) -> None:
    thoughts = [chunk(reasoning_content="hm ") if field == "reasoning_content" else chunk(content="hm ")] * 50
    opening = [] if field == "reasoning_content" else [chunk(content="<think>")]
    first: list[Step] = [*opening, *thoughts, *spoken("never")]
    async with serving(shape="llama", replies=[first, spoken("Short.")]) as server, talking(server) as model:
        assert (await model.info()).thinking
        events = await answered(model, request(thinking=True, think_tokens=8, max_tokens=100))
        one, other = server.requests
    assert one["chat_template_kwargs"] == {"enable_thinking": True}
    assert other["chat_template_kwargs"] == {"enable_thinking": False}
    assert 80 <= other["max_tokens"] < 100
    text = text_of(events).partition("</think>")
    assert (text[2] or text[0]) == "Short."
    assert "never" not in text_of(events)
    assert (thought_of(events) + text[0]).count("hm") <= 10
    prefills = [isinstance(event, Prefill) for event in events]
    assert prefills == sorted(prefills, reverse=True)


async def test_reasoning_within_its_budget_is_left_alone() -> None:
    steps: list[Step] = [chunk(reasoning_content="hm "), *spoken("Yes.")]
    async with serving(shape="llama", replies=[steps]) as server, talking(server) as model:
        events = await answered(model, request(thinking=True, think_tokens=8))
        assert len(server.requests) == 1
    assert (thought_of(events), text_of(events)) == ("hm ", "Yes.")


async def test_a_server_that_cannot_be_asked_for_less_reasoning_is_read_to_the_end() -> None:
    steps: list[Step] = [*[chunk(reasoning_content="hm ")] * 50, *spoken("Yes.")]
    async with serving(replies=[steps]) as server, talking(server, thinking="on") as model:
        events = await answered(model, request(thinking=True, think_tokens=8))
        assert len(server.requests) == 1
    assert text_of(events) == "Yes."


# ---------------------------------------------------------------- constraints


CITY = Slot(prefix='{"city": "', stop='"', characters="A-Za-z' .-")


@pytest.mark.parametrize(
    ("reply", "filled"),
    [
        ('{"value": "Oslo"}', '{"city": "Oslo'),
        ('```json\n{"value": "Oslo"}\n```', '{"city": "Oslo'),
        ("Oslo\n", '{"city": "Oslo'),
        ('{"city": "Oslo"}', '{"city": "Oslo'),
        ('{"value": "Oslo\\" and more"}', '{"city": "Oslo'),
    ],
)
async def test_a_slot_is_filled_by_a_server_without_grammars(reply: str, filled: str) -> None:
    events = await said_by(spoken(reply), wanted=request(constraint=CITY))
    assert text_of(events) == filled


@pytest.mark.parametrize("reply", ['{"value": "東京"}', "It is 5 o'clock: Oslo", '{"value": ["Oslo"]}'])
async def test_a_slot_never_holds_what_does_not_belong_there(reply: str) -> None:
    with pytest.raises(BadOutput):
        await said_by(spoken(reply), wanted=request(constraint=CITY))


async def test_a_slot_is_a_grammar_where_the_server_has_them() -> None:
    async with serving(shape="llama") as server, talking(server) as model:
        assert text_of(await answered(model, request(constraint=CITY))) == '{"city": "Berlin'
        assert server.requests[0]["grammar"] == 'root ::= "{\\"city\\": \\"" [A-Za-z\' .-]* "\\""'


@pytest.mark.parametrize(
    ("shape", "parameters"),
    [
        ("llama", {"grammar": "root ::= [a]"}),
        ("vllm", {"structured_outputs": {"grammar": "root ::= [a]"}}),
        ("other", None),
    ],
)
async def test_a_grammar_is_handed_on_or_refused(shape: str, parameters: dict[str, object] | None) -> None:
    wanted = request(constraint=Grammar(gbnf="root ::= [a]"))
    replies = [spoken("aa")]
    async with serving(shape=shape, replies=replies) as server, talking(server) as model:
        if parameters is None:
            with pytest.raises(ModelError, match="takes no grammar"):
                await answered(model, wanted)
            assert server.requests == []
        else:
            await answered(model, wanted)
            assert parameters.items() <= server.requests[0].items()
