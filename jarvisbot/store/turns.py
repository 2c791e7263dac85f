"""Turns as they are kept: what was said, called and decided, and the history that a next turn reads."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

import msgspec

from jarvisbot.store.codec import item_from, item_to, milliseconds
from jarvisbot.store.database import Store
from jarvisbot.types import Item, Resident, Review, Route, Stage, ToolCall, ToolResult

__all__ = ["CallRecord", "TurnRecord", "begin_anew", "finish", "history", "resident"]


_TALK = (
    " FROM turns t JOIN conversations c ON c.key = t.conversation"
    " WHERE t.conversation = ? AND t.state = 'answered' AND t.id >= c.fresh_from"
)
STEP_TURNS = 8
RESIDENT_TURNS = 8
"""More than a skill is ever carried over."""


class CallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was made in a turn, what it came to and how long it took."""

    call: ToolCall
    result: ToolResult
    seconds: float


class TurnRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All of a finished turn that is kept. `items` are what a later turn's model reads of it."""

    state: str
    items: tuple[Item, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    route: Route = msgspec.field(default_factory=Route)
    review: Review = msgspec.field(default_factory=Review)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    language: str = ""
    """The reply's."""


def finish(connection: sqlite3.Connection, turn: int, record: TurnRecord, now: datetime) -> None:
    """Stores the turn's end; belongs into the transaction of its outgoing parts."""
    connection.execute(
        "UPDATE turns SET state = ?, ended = ?, skill = ?, stage = ?, evidence = ?, findings = ?, corrected = ?,"
        " wound_down = ?, prompt_tokens = ?, cached_tokens = ?, completion_tokens = ?, language = ?, strategy = ?,"
        " thought_s = ? WHERE id = ?",
        (
            record.state,
            milliseconds(now),
            record.route.skill,
            record.route.stage,
            record.route.evidence,
            json.dumps(record.review.findings, ensure_ascii=False),
            record.review.corrected,
            record.review.wound_down,
            record.prompt_tokens,
            record.cached_tokens,
            record.completion_tokens,
            record.language,
            record.review.strategy,
            record.review.thought_s,
            turn,
        ),
    )
    connection.execute("DELETE FROM items WHERE turn = ?", (turn,))
    connection.execute("DELETE FROM calls WHERE turn = ?", (turn,))
    connection.executemany(
        "INSERT INTO items (turn, position, kind, body) VALUES (?, ?, ?, ?)",
        [(turn, position, *item_to(item)) for position, item in enumerate(record.items)],
    )
    connection.executemany(
        "INSERT INTO calls (turn, position, id, name, arguments, result, ok, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                turn,
                position,
                made.call.id,
                made.call.name,
                json.dumps(made.call.arguments, ensure_ascii=False),
                made.result.text,
                made.result.ok,
                made.seconds,
            )
            for position, made in enumerate(record.calls)
        ],
    )


async def history(store: Store, conversation: str, *, turns: int) -> tuple[Item, ...]:
    """The items of the last answered turns since the talk last began anew, oldest first: at most `turns` of them.

    A talk longer than that loses its beginning `STEP_TURNS` at a time, not with each turn: what a model has read of it stays
    the beginning of its next prompts in between.
    """
    (count,) = await store.rows("SELECT COUNT(*) AS turns" + _TALK, (conversation,))
    kept = int(count["turns"])
    if kept > turns:
        step = min(STEP_TURNS, turns)
        kept = turns - step + 1 + (kept - turns - 1) % step
    rows = await store.rows(
        f"SELECT kind, body FROM items WHERE turn IN (SELECT t.id {_TALK} ORDER BY t.id DESC LIMIT ?) ORDER BY turn, position",  # noqa: S608
        (conversation, kept),
    )
    return tuple(item_from(row["kind"], row["body"]) for row in rows)


async def resident(store: Store, conversation: str) -> Resident | None:
    """The skill of the last finished turn since the talk began anew, and how many turns in a row were carried over to it.

    Read off the turns each time, so that a turn which is run again finds what it found before. A turn that failed counts:
    who asked for the weather in vain and then says "and in Oslo?" still means the weather.
    """
    rows = await store.rows(
        "SELECT t.skill, t.stage FROM turns t JOIN conversations c ON c.key = t.conversation"
        " WHERE t.conversation = ? AND t.state IN ('answered', 'failed') AND t.id >= c.fresh_from ORDER BY t.id DESC LIMIT ?",
        (conversation, RESIDENT_TURNS),
    )
    if not rows or rows[0]["skill"] is None:
        return None
    carried = next((count for count, row in enumerate(rows) if row["stage"] != Stage.CARRY_OVER), len(rows))
    return Resident(skill=rows[0]["skill"], carried=carried)


def begin_anew(connection: sqlite3.Connection, conversation: str) -> None:
    """No turn up to now is part of the talk any more."""
    connection.execute(
        "UPDATE conversations SET fresh_from = (SELECT COALESCE(MAX(id), 0) + 1 FROM turns) WHERE key = ?",
        (conversation,),
    )
