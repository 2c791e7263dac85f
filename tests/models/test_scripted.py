"""The scripted model: what it plays, when, and what it remembers."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime

import pytest

from jarvisbot.errors import ContextTooLong, ModelUnavailable
from jarvisbot.model import Done, ModelEvent, ModelInfo, ModelRequest, Prefill, Slot, Stopped, TextPiece, ThinkPiece
from jarvisbot.models.scripted import Fault, Pause, Scripted, Settings, Until, create
from jarvisbot.types import User


def request(text: str = "Hello?", **more: object) -> ModelRequest:
    return ModelRequest(items=(User(text=text),), **more)  # type: ignore[arg-type]


async def answer(model: Scripted, wanted: ModelRequest | None = None) -> list[ModelEvent]:
    return [event async for event in model.stream(wanted or request())]


def texts(events: list[ModelEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, TextPiece)]


class Watched:
    """A clock on which somebody has to say that the time has come."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[float] = asyncio.Queue()
        self.over = asyncio.Event()

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        self.asked.put_nowait(seconds)
        await self.over.wait()


async def test_replies_are_played_in_order_and_in_pieces() -> None:
    model = Scripted(["Hello there", "Bye"], piece_characters=5)
    assert texts(await answer(model)) == ["Hello", " ther", "e"]
    assert texts(await answer(model)) == ["Bye"]


async def test_the_requests_are_kept() -> None:
    model = Scripted(["one", "two"])
    await answer(model, request("first"))
    await answer(model, request("second", thinking=True))
    assert [wanted.items for wanted in model.requests] == [(User(text="first"),), (User(text="second"),)]
    assert model.requests[1].thinking


async def test_a_script_that_is_over_is_unavailable() -> None:
    model = Scripted(["one"])
    await answer(model)
    with pytest.raises(ModelUnavailable):
        await answer(model)


async def test_the_script_of_the_config_begins_again() -> None:
    model = create(Settings(replies=("one", "two")), models_folder=None)
    played = [[e.text async for e in model.stream(request()) if isinstance(e, TextPiece)] for _ in range(3)]
    assert played == [["one"], ["two"], ["one"]]


def test_a_script_without_replies_is_refused() -> None:
    with pytest.raises(ValueError, match="replies"):
        Settings(replies=())


async def test_thoughts_pauses_and_faults_come_where_they_stand() -> None:
    clock = Watched()
    broken = ModelUnavailable("broken")
    model = Scripted([[ThinkPiece(text="hm"), "abc", Pause(seconds=7), "def", Fault(error=broken)]], clock=clock)
    events: list[ModelEvent] = []

    async def ask() -> None:
        async for event in model.stream(request()):
            events.append(event)

    async with asyncio.timeout(5):
        task = asyncio.create_task(ask())
        assert await clock.asked.get() == 7
        assert events[-2:] == [ThinkPiece(text="hm"), TextPiece(text="abc")]
        clock.over.set()
        with pytest.raises(ModelUnavailable, match="broken"):
            await task
    assert texts(events) == ["abc", "def"]
    assert not [event for event in events if isinstance(event, Done)]


async def test_a_reply_goes_on_when_its_event_is_set() -> None:
    gate = asyncio.Event()
    model = Scripted([["abc", Until(event=gate), "def"]])
    async with asyncio.timeout(5), aclosing(model.stream(request())) as stream:
        async for event in stream:
            if event == TextPiece(text="abc"):
                gate.set()
        assert gate.is_set()


async def test_max_tokens_cut_a_reply_off() -> None:
    events = await answer(Scripted(["abcdefghij"], piece_characters=2), request(max_tokens=3))
    assert texts(events) == ["ab", "cd", "ef"]
    done = events[-1]
    assert isinstance(done, Done)
    assert (done.reason, done.usage.completion_tokens) == (Stopped.LENGTH, 3)


async def test_a_slot_has_its_prefix_and_ends_before_its_stop() -> None:
    events = await answer(Scripted(['3*7" and more']), request(constraint=Slot(prefix='value="', stop='"')))
    assert "".join(texts(events)) == 'value="3*7'


async def test_a_prompt_that_does_not_fit_is_told_with_its_numbers() -> None:
    info = ModelInfo(name="small", context_tokens=32, tools=False, thinking=False)
    model = Scripted(["one"], info=info)
    with pytest.raises(ContextTooLong) as raised:
        await answer(model, request("x" * 400))
    assert (raised.value.needed, raised.value.available) == (104, 31)
    assert await model.info() == info
    assert model.requests == []


async def test_counts_are_always_the_same() -> None:
    model = Scripted([])
    assert await model.count([User(text="12345678")]) == 6
    assert await model.count([User(text="123456789"), User(text="")]) == 11


async def test_prefill_is_counted_up_to_the_prompt() -> None:
    events = await answer(Scripted(["one"]), request("x" * 400))
    assert [event.done for event in events if isinstance(event, Prefill)] == [0, 64, 104]


async def test_closing_ends_what_runs_and_what_waits() -> None:
    model = Scripted([["abc", Until(event=asyncio.Event())], "one", "two"])
    reached = asyncio.Event()

    async def ask() -> None:
        async for event in model.stream(request()):
            if event == TextPiece(text="abc"):
                reached.set()

    async with asyncio.timeout(5):
        tasks = [asyncio.create_task(ask()) for _ in range(2)]
        await reached.wait()
        await model.close()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(end) for end in ends] == [ModelUnavailable, ModelUnavailable]
        assert texts(await answer(model)) == ["one"]
