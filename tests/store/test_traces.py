"""How an answer came about, read back from the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import msgspec

from jarvisbot.store import inbox, traces, turns
from jarvisbot.store.database import Store
from jarvisbot.store.traces import Trace
from jarvisbot.store.turns import CallRecord, TurnRecord
from jarvisbot.types import Assistant, Inbound, Result, Review, Route, Stage, ToolCall, ToolResult, User
from tests.fakes import START, said

CALL = ToolCall(id="turn1.1", name="calculator", arguments={"expression": "2+2", "deep": {"a": [1, None]}})
RECORD = TurnRecord(
    state="answered",
    items=(
        User(text="2+2?"),
        Assistant(text="", calls=(CALL,)),
        Result(result=ToolResult(call_id="turn1.1", text="2+2 = 4")),
        Assistant(text="Four."),
    ),
    calls=(
        CallRecord(call=CALL, result=ToolResult(call_id="turn1.1", text="2+2 = 4"), seconds=0.25),
        CallRecord(call=CALL, result=ToolResult(call_id="turn1.1", text="No.", ok=False), seconds=1.5),
    ),
    route=Route(skill="arithmetic", stage=Stage.TRIGGER, evidence="2+2"),
    review=Review(findings=("It is not.",), corrected=True, wound_down=True, strategy="capped", thought_s=2.5),
    prompt_tokens=100,
    cached_tokens=60,
    completion_tokens=7,
    language="de",
)


async def after(folder: Path, messages: Sequence[tuple[Inbound, TurnRecord | None]], *, anew: bool = False) -> Store:
    """A store in which each message was answered so; None: its turn still runs."""
    store = await Store.open(folder)

    def work(connection: sqlite3.Connection) -> None:
        for message, record in messages:
            seq = inbox.add(connection, message, START)
            assert seq is not None
            begun = inbox.begin(connection, seq, START)
            assert begun is not None
            if record is not None:
                turns.finish(connection, begun[0], record, START + timedelta(seconds=3.2))
        if anew:
            turns.begin_anew(connection, messages[-1][0].at.key)

    await store.write(work)
    return store


async def test_everything_of_the_last_turn_is_read_back(tmp_path: Path) -> None:
    question = said("2+2?")
    store = await after(tmp_path, [(said("before"), TurnRecord(state="answered")), (question, RECORD)])
    try:
        assert await traces.last(store, question.at.key) == Trace(
            question="2+2?",
            state="answered",
            seconds=3.2,
            route=RECORD.route,
            calls=RECORD.calls,
            rounds=1,
            review=RECORD.review,
            prompt_tokens=100,
            cached_tokens=60,
            completion_tokens=7,
            language="de",
        )
    finally:
        await store.close()


async def test_a_turn_that_runs_is_not_the_last_answer_and_a_failed_one_is(tmp_path: Path) -> None:
    failed = msgspec.structs.replace(RECORD, state="failed", items=())
    question = said("second")
    store = await after(tmp_path, [(said("first"), RECORD), (question, failed), (said("third"), None)])
    try:
        found = await traces.last(store, question.at.key)
    finally:
        await store.close()
    assert found is not None
    assert (found.question, found.state, found.rounds) == ("second", "failed", 0)


async def test_another_conversations_answers_and_those_before_a_new_talk_are_none_of_this_one(tmp_path: Path) -> None:
    here, there = said("here", room="1"), said("there", room="2")
    store = await after(tmp_path, [(here, RECORD), (there, RECORD)], anew=True)
    try:
        found = await traces.last(store, here.at.key)
        assert found is not None
        assert found.question == "here"
        assert await traces.last(store, there.at.key) is None
        assert await traces.last(store, "fake:00:3") is None
    finally:
        await store.close()
