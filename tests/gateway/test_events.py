"""The events of a turn: told to all who listen, summed up for who joins late."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.gateway.events import DETAIL_LIMIT, Snapshot, TurnEvents, fold
from jarvisbot.types import (
    Answered,
    Failed,
    Question,
    QuestionPosted,
    Redrafted,
    RowState,
    Source,
    TextDelta,
    Thinking,
    ToolCall,
    ToolFinished,
    ToolResult,
    ToolStarted,
    TurnEvent,
)

SUM = ToolCall(id="c1", name="calculator", arguments={"expression": "1 + 2", "other": "x"})
STARTED = ToolStarted(call=SUM, label="Calculated")
SOURCE = Source(title="a", url="https://example.org")
ANSWERED = Answered(text="Three.", sources=(SOURCE,))


def finished(*, ok: bool = True, call: ToolCall = SUM, seconds: float = 0.5) -> ToolFinished:
    return ToolFinished(
        result=ToolResult(call_id=call.id, text="3", ok=ok), call=call, label="Calculated", seconds=seconds
    )


def folded(*events: TurnEvent) -> Snapshot:
    snapshot = Snapshot()
    for event in events:
        snapshot = fold(snapshot, event)
    return snapshot


# ---------------------------------------------------------------- summing up


def test_text_grows_and_is_redrafted() -> None:
    assert folded(TextDelta(text="Hal"), TextDelta(text="lo")).text == "Hallo"
    assert folded(TextDelta(text="Hal"), Redrafted(text=""), TextDelta(text="Hi")).text == "Hi"


def test_a_call_is_one_row_from_its_start_to_its_end() -> None:
    (running,) = folded(STARTED).rows
    (done,) = folded(STARTED, finished()).rows
    (failed,) = folded(STARTED, finished(ok=False)).rows
    assert (running.state, running.detail, running.tool) == (RowState.RUNNING, "1 + 2", "calculator")
    assert (done.state, done.seconds, done.label) == (RowState.DONE, 0.5, "Calculated")
    assert failed.state is RowState.FAILED


def test_a_row_shows_a_lone_number_with_what_stands_behind_it() -> None:
    call = ToolCall(id="c1", name="convert", arguments={"value": "3", "from_unit": "ft", "to_unit": "cm"})
    (row,) = folded(ToolStarted(call=call, label="Converted")).rows
    assert row.detail == "3 ft"


def test_a_refused_call_has_a_row_although_it_never_started() -> None:
    (row,) = folded(finished(ok=False)).rows
    assert row.state is RowState.FAILED


def test_rows_stand_in_the_order_in_which_calls_began() -> None:
    other = ToolCall(id="c2", name="clock", arguments={})
    snapshot = folded(STARTED, ToolStarted(call=other, label="Looked"), finished(call=other), finished())
    assert [row.tool for row in snapshot.rows] == ["calculator", "clock"]
    assert snapshot.calls == ("c1", "c2")


@pytest.mark.parametrize(
    ("value", "detail"), [("a\n  b\tc", "a b c"), ("x" * 500, "x" * 79 + "…"), (12, "12"), (None, "None")]
)
def test_a_rows_detail_is_the_first_argument_in_one_short_line(value: object, detail: str) -> None:
    call = ToolCall(id="1", name="t", arguments={"a": value})  # type: ignore[dict-item]
    assert folded(ToolStarted(call=call, label="Did")).rows[0].detail == detail
    assert len(detail) <= DETAIL_LIMIT


def test_the_end_replaces_what_was_drafted() -> None:
    snapshot = folded(TextDelta(text="Thr"), ANSWERED)
    assert (snapshot.text, snapshot.sources, snapshot.ended) == ("Three.", (SOURCE,), ANSWERED)
    assert folded(TextDelta(text="Thr"), Failed(message="Gone.")).text == "Gone."


def test_a_turn_is_empty_until_there_is_something_to_show() -> None:
    assert Snapshot().empty
    assert folded(TextDelta(text=" \n")).empty
    for event in (
        Thinking(seconds=2),
        TextDelta(text="a"),
        STARTED,
        QuestionPosted(question=Question(id="1", text="?")),
    ):
        assert not folded(event).empty
    assert folded(Thinking(seconds=2), Thinking(seconds=3)).thinking_s == 3


# ---------------------------------------------------------------- subscribing


async def heard(events: TurnEvents) -> list[TurnEvent | Snapshot]:
    async with asyncio.timeout(5):
        return [event async for event in events.subscribe()]


async def listening(events: TurnEvents) -> asyncio.Task[list[TurnEvent | Snapshot]]:
    before = len(events.subscribers())
    task = asyncio.create_task(heard(events))
    while len(events.subscribers()) == before:
        await asyncio.sleep(0)
    return task


async def test_who_is_there_from_the_beginning_hears_every_event_and_the_end() -> None:
    events = TurnEvents()
    listener = await listening(events)
    for event in (STARTED, finished(), TextDelta(text="Three"), ANSWERED):
        events.publish(event)
    assert await listener == [Snapshot(), STARTED, finished(), TextDelta(text="Three"), ANSWERED]
    assert events.subscribers() == ()


async def test_who_joins_late_gets_the_sum_of_what_was_and_then_the_rest() -> None:
    events = TurnEvents()
    early = await listening(events)
    events.publish(TextDelta(text="Th"))
    late = await listening(events)
    events.publish(TextDelta(text="ree"))
    events.publish(ANSWERED)
    assert await late == [folded(TextDelta(text="Th")), TextDelta(text="ree"), ANSWERED]
    assert len(await early) == 4


async def test_who_joins_after_the_end_gets_the_whole_and_is_not_kept_waiting() -> None:
    events = TurnEvents()
    events.publish(ANSWERED)
    assert await heard(events) == [folded(ANSWERED)]


async def test_a_turn_that_was_stopped_ends_every_subscription_also_a_later_one() -> None:
    events = TurnEvents()
    listener = await listening(events)
    events.publish(TextDelta(text="Hal"))
    events.close()
    assert await listener == [Snapshot(), TextDelta(text="Hal")]
    assert await heard(events) == [folded(TextDelta(text="Hal"))]


async def test_nothing_is_published_behind_the_end() -> None:
    events = TurnEvents()
    events.publish(Failed(message="Gone."))
    with pytest.raises(RuntimeError, match="ended"):
        events.publish(TextDelta(text="more"))


async def test_a_listener_that_does_not_read_holds_nobody_up() -> None:
    events = TurnEvents()
    slow = events.subscribe()
    await anext(slow)
    listener = await listening(events)
    for _ in range(1_000):
        events.publish(TextDelta(text="x"))
    events.publish(ANSWERED)
    assert len(await listener) == 1_002
    await slow.aclose()
    assert events.subscribers() == ()


EVENTS = st.one_of(
    st.builds(TextDelta, text=st.text(max_size=5)),
    st.builds(Redrafted, text=st.text(max_size=5)),
    st.builds(Thinking, seconds=st.floats(0, 100)),
    st.sampled_from(["c1", "c2"]).map(
        lambda id: ToolStarted(call=ToolCall(id=id, name="t", arguments={}), label="Did")
    ),
    st.sampled_from(["c1", "c2"]).map(lambda id: finished(call=ToolCall(id=id, name="t", arguments={}))),
)


@given(st.lists(EVENTS, max_size=12), st.integers(0, 12))
async def test_whenever_one_joins_the_sum_is_the_same(before: list[TurnEvent], at: int) -> None:
    events = TurnEvents()
    for event in before[:at]:
        events.publish(event)
    listener = await listening(events)
    for event in [*before[at:], ANSWERED]:
        events.publish(event)
    start, *rest = await listener
    assert isinstance(start, Snapshot)
    for event in rest:
        assert not isinstance(event, Snapshot)
        start = fold(start, event)
    assert start == folded(*before, ANSWERED)
