"""The events of one running turn: published once, read by any number of subscribers, summed up for who joins late."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from typing import assert_never

import msgspec

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
    ToolRow,
    ToolStarted,
    TurnEvent,
)

__all__ = ["DETAIL_LIMIT", "Snapshot", "TurnEvents", "fold"]

_NUMBER = re.compile(r"[-−]?\d[\d.,/]*")
DETAIL_LIMIT = 80


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A turn so far: what a subscriber would have put together from all its events."""

    text: str = ""
    rows: tuple[ToolRow, ...] = ()
    calls: tuple[str, ...] = ()
    """The id of each row's call."""
    thinking_s: float = 0.0
    question: Question | None = None
    sources: tuple[Source, ...] = ()
    ended: Answered | Failed | None = None

    @property
    def empty(self) -> bool:
        """Nothing to show yet."""
        return not (self.text.strip() or self.rows or self.thinking_s or self.question)


def fold(snapshot: Snapshot, event: TurnEvent) -> Snapshot:
    """The snapshot after one more event."""
    match event:
        case Thinking(seconds=seconds):
            return msgspec.structs.replace(snapshot, thinking_s=seconds)
        case TextDelta(text=text):
            return msgspec.structs.replace(snapshot, text=snapshot.text + text)
        case Redrafted(text=text):
            return msgspec.structs.replace(snapshot, text=text)
        case ToolStarted(call=call, label=label):
            return _with_row(snapshot, call, label, RowState.RUNNING, 0.0)
        case ToolFinished(result=result, call=call, label=label, seconds=seconds):
            state = RowState.DONE if result.ok else RowState.FAILED
            return _with_row(snapshot, call, label, state, seconds)
        case QuestionPosted(question=question):
            return msgspec.structs.replace(snapshot, question=question)
        case Answered(text=text, sources=sources):
            return msgspec.structs.replace(snapshot, text=text, sources=sources, ended=event)
        case Failed(message=message):
            return msgspec.structs.replace(snapshot, text=message, ended=event)
        case _:
            assert_never(event)


def _with_row(snapshot: Snapshot, call: ToolCall, label: str, state: RowState, seconds: float) -> Snapshot:
    row = ToolRow(label=label, detail=_detail(call), tool=call.name, state=state, seconds=seconds)
    if call.id in snapshot.calls:
        place = snapshot.calls.index(call.id)
        return msgspec.structs.replace(snapshot, rows=(*snapshot.rows[:place], row, *snapshot.rows[place + 1 :]))
    return msgspec.structs.replace(snapshot, rows=(*snapshot.rows, row), calls=(*snapshot.calls, call.id))


def _detail(call: ToolCall) -> str:
    """The call's first argument in one short line; behind a lone number the one after it: its unit."""
    first, *others = (str(value) for value in call.arguments.values()) if call.arguments else ("",)
    shown = " ".join((first, *others[:1])) if _NUMBER.fullmatch(first) else first
    line = " ".join(shown.split())
    return line if len(line) <= DETAIL_LIMIT else line[: DETAIL_LIMIT - 1] + "…"


class TurnEvents:
    """One turn's events. State: the snapshot and the subscribers' queues, both owned by the event loop."""

    def __init__(self) -> None:
        self.snapshot = Snapshot()
        self._queues: list[asyncio.Queue[TurnEvent | None]] = []
        self._closed = False

    def publish(self, event: TurnEvent) -> None:
        """Adds an event; never waits for a subscriber. After an `Answered` or `Failed` nothing more is taken."""
        if self.snapshot.ended is not None:
            raise RuntimeError("a turn that has ended published an event")
        self.snapshot = fold(self.snapshot, event)
        for queue in self._queues:
            queue.put_nowait(event)

    def close(self) -> None:
        """Ends every subscription; a turn that was stopped ends without an answer."""
        self._closed = True
        for queue in self._queues:
            queue.put_nowait(None)

    async def subscribe(self) -> AsyncGenerator[TurnEvent | Snapshot, None]:
        """First the snapshot of what has happened, then every event from there on, until the turn ends."""
        queue: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
        start = self.snapshot
        self._queues.append(queue)
        try:
            yield start
            if start.ended is not None:
                return
            if self._closed:
                queue.put_nowait(None)
            while (event := await queue.get()) is not None:
                yield event
                if isinstance(event, Answered | Failed):
                    return
        finally:
            self._queues.remove(queue)

    def subscribers(self) -> Sequence[object]:
        """Who listens now; for tests and the status page."""
        return tuple(self._queues)
