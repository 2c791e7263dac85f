"""The outbox: every message on its way out, from draft to receipt."""

from __future__ import annotations

import enum
import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

import msgspec

from jarvisbot.store.codec import clean, dump, milliseconds, rows_from, sources_from
from jarvisbot.store.database import Store
from jarvisbot.types import Source, ToolRow

__all__ = ["Part", "PartState", "add_notice", "drafts", "open_draft", "pending", "place", "set_state", "settle"]


class PartState(enum.StrEnum):
    """Where a part stands. `handed`: given to a platform where nobody can look whether it arrived."""

    DRAFT = "draft"
    WAITING = "waiting"
    HANDED = "handed"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One message of an answer. `text` is CommonMark, None while it is a draft; `message` is the platform's id once known."""

    id: int
    turn: int | None
    position: int
    text: str | None
    rows: tuple[ToolRow, ...]
    sources: tuple[Source, ...]
    labels: tuple[str, ...]
    reply_to: str | None
    state: PartState
    message: str | None
    problem: bool


_SELECT = "SELECT o.*, r.message FROM outbox o LEFT JOIN receipts r ON r.outbox = o.id WHERE "


def _part(row: sqlite3.Row) -> Part:
    return Part(
        id=row["id"],
        turn=row["turn"],
        position=row["position"],
        text=row["text"],
        rows=rows_from(row["rows"]),
        sources=sources_from(row["sources"]),
        labels=tuple(json.loads(row["labels"])),
        reply_to=row["reply_to"],
        state=PartState(row["state"]),
        message=row["message"],
        problem=bool(row["problem"]),
    )


def open_draft(
    connection: sqlite3.Connection, *, conversation: str, turn: int, position: int, reply_to: str | None, now: datetime
) -> int:
    """The row of a turn's draft part, made once: after a crash the same row, and with it the same message, goes on."""
    connection.execute(
        "INSERT INTO outbox (conversation, turn, position, reply_to, state, created) VALUES (?, ?, ?, ?, 'draft', ?)"
        " ON CONFLICT (turn, position) DO NOTHING",
        (conversation, turn, position, reply_to, milliseconds(now)),
    )
    row = connection.execute("SELECT id FROM outbox WHERE turn = ? AND position = ?", (turn, position)).fetchone()
    return int(row["id"])


async def drafts(store: Store, turn: int) -> Sequence[Part]:
    """The parts a turn has already, in order."""
    return [_part(row) for row in await store.rows(_SELECT + "o.turn = ? ORDER BY o.position", (turn,))]


def place(connection: sqlite3.Connection, part: int, message: str, now: datetime) -> None:
    """Commits the platform's id of a part."""
    connection.execute(
        "INSERT INTO receipts (outbox, message, placed) VALUES (?, ?, ?) ON CONFLICT (outbox) DO UPDATE SET"
        " message = excluded.message, placed = excluded.placed",
        (part, message, milliseconds(now)),
    )


def settle(
    connection: sqlite3.Connection,
    *,
    conversation: str,
    turn: int,
    texts: Sequence[str],
    rows: Sequence[ToolRow],
    sources: Sequence[Source],
    reply_to: str | None,
    now: datetime,
    labels: Sequence[str] = (),
    problem: bool = False,
) -> None:
    """Puts a turn's final texts into its parts: drafts become them in order, missing ones are added, surplus ones dropped.

    Rows stand with the first part, sources and labels with the last.
    """
    for position, text in enumerate(texts):
        part = open_draft(
            connection,
            conversation=conversation,
            turn=turn,
            position=position,
            reply_to=reply_to if position == 0 else None,
            now=now,
        )
        connection.execute(
            "UPDATE outbox SET text = ?, rows = ?, sources = ?, labels = ?, problem = ?, state = 'waiting' WHERE id = ?",
            (
                clean(text),
                dump(rows if position == 0 else ()),
                dump(sources if position == len(texts) - 1 else ()),
                json.dumps(labels if position == len(texts) - 1 else (), ensure_ascii=False),
                problem,
                part,
            ),
        )
    connection.execute(
        "UPDATE outbox SET text = '', state = 'waiting' WHERE turn = ? AND position >= ?", (turn, len(texts))
    )


def add_notice(
    connection: sqlite3.Connection,
    *,
    conversation: str,
    texts: Sequence[str],
    reply_to: str | None,
    now: datetime,
    problem: bool = False,
) -> None:
    """A message that belongs to no turn: a command's reply, a refusal."""
    connection.executemany(
        "INSERT INTO outbox (conversation, position, text, reply_to, problem, state, created)"
        " VALUES (?, ?, ?, ?, ?, 'waiting', ?)",
        [
            (conversation, position, clean(text), reply_to if position == 0 else None, problem, milliseconds(now))
            for position, text in enumerate(texts)
        ],
    )


async def pending(store: Store, conversation: str) -> Sequence[Part]:
    """What has to be delivered in a conversation, in order."""
    rows = await store.rows(
        _SELECT + "o.conversation = ? AND o.state IN ('waiting', 'handed') ORDER BY o.id", (conversation,)
    )
    return [_part(row) for row in rows]


def set_state(connection: sqlite3.Connection, part: int, state: PartState) -> None:
    """Moves a part to another state."""
    connection.execute("UPDATE outbox SET state = ? WHERE id = ?", (state, part))
