"""The inbox: every addressed message as a row, from its arrival to its end."""

from __future__ import annotations

import enum
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from jarvisbot.store.codec import clean, dump, files_from, from_milliseconds, milliseconds
from jarvisbot.store.database import Store
from jarvisbot.types import Address, Author, Inbound, Origin

__all__ = [
    "State",
    "Waiting",
    "add",
    "address",
    "ask_again",
    "begin",
    "checkpoint",
    "ensure_connector",
    "is_known",
    "last_question",
    "last_was_refused",
    "move",
    "next_waiting",
    "open_conversations",
    "put_back",
    "reopen",
    "replace_text",
    "set_checkpoint",
    "set_state",
    "since",
    "stop_waiting",
    "waiting_commands",
    "waiting_counts",
    "waiting_now",
]


class State(enum.StrEnum):
    """Where a message stands."""

    WAITING = "waiting"
    RUNNING = "running"
    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"
    SKIPPED = "skipped"
    REFUSED = "refused"


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A message whose turn it is: its row's number and what was said."""

    seq: int
    inbound: Inbound

    @property
    def message(self) -> str:
        """The platform's id of the message, also where the row asks it again."""
        return self.inbound.id.partition("\x1f")[0]


def ensure_connector(connection: sqlite3.Connection, name: str, now: datetime) -> None:
    """Remembers the connector's first start ever; one that lies ahead was told by a clock that went wrong."""
    connection.execute(
        "INSERT INTO connectors (name, since) VALUES (?, ?) ON CONFLICT DO UPDATE SET since = MIN(since, excluded.since)",
        (name, milliseconds(now)),
    )


def since(connection: sqlite3.Connection, connector: str) -> datetime:
    """The connector's first start ever, which `ensure_connector` has remembered."""
    row = connection.execute("SELECT since FROM connectors WHERE name = ?", (connector,)).fetchone()
    return from_milliseconds(row["since"])


async def checkpoint(store: Store, connector: str) -> str | None:
    """The platform's resume token as last committed."""
    row = await store.row("SELECT checkpoint FROM connectors WHERE name = ?", (connector,))
    return row["checkpoint"] if row else None


def set_checkpoint(connection: sqlite3.Connection, connector: str, value: str) -> None:
    """Stores the resume token; belongs into the transaction of the rows that it stands for."""
    connection.execute("UPDATE connectors SET checkpoint = ? WHERE name = ?", (value, connector))


def add(connection: sqlite3.Connection, inbound: Inbound, now: datetime, state: State = State.WAITING) -> int | None:
    """The new row's number, or None for an event that is known already."""
    at = inbound.at
    connection.execute(
        "INSERT INTO conversations (key, connector, room, space, thread) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (at.key, at.connector, at.room, at.space, at.thread),
    )
    row = connection.execute(
        "INSERT INTO inbox (connector, id, conversation, author_id, author_name, text, attachments, reply_to, quoted,"
        " direct, sent, received, origin, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING RETURNING seq",
        (
            at.connector,
            inbound.id,
            at.key,
            inbound.author.id,
            clean(inbound.author.name),
            clean(inbound.text),
            dump(inbound.attachments),
            inbound.reply_to,
            clean(inbound.quoted),
            inbound.direct,
            milliseconds(inbound.sent),
            milliseconds(now),
            inbound.origin,
            state,
        ),
    ).fetchone()
    return row["seq"] if row else None


def move(connection: sqlite3.Connection, old: Address, new: Address) -> Sequence[tuple[str, str]]:
    """Lets every conversation of a room go on in another one, with its history and what waits; (old key, new key) of each.

    The old one stays as a pointer (`address`): a turn that is running there still settles under its key.
    """
    moved = []
    rooms = connection.execute(
        "SELECT * FROM conversations WHERE connector = ? AND room = ? AND space IS ? AND moved_to IS NULL",
        (old.connector, old.room, old.space),
    ).fetchall()
    for row in rooms:
        at = msgspec.structs.replace(new, thread=row["thread"])
        if at.key == row["key"]:
            continue
        connection.execute(
            "INSERT INTO conversations (key, connector, room, space, thread, fresh_from) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (at.key, at.connector, at.room, at.space, at.thread, row["fresh_from"]),
        )
        for table in ("inbox", "turns", "outbox"):
            connection.execute(
                f"UPDATE {table} SET conversation = ? WHERE conversation = ?",  # noqa: S608  (names of our own)
                (at.key, row["key"]),
            )
        connection.execute("UPDATE conversations SET moved_to = ? WHERE key = ?", (at.key, row["key"]))
        moved.append((row["key"], at.key))
    return moved


def waiting_counts(connection: sqlite3.Connection, conversation: str, author: str) -> tuple[int, int]:
    """How many messages wait in the conversation, and how many of this author's wait anywhere."""
    row = connection.execute(
        "SELECT COUNT(*) FILTER (WHERE conversation = ?1), COUNT(*) FILTER (WHERE author_id = ?2 AND connector ="
        " (SELECT connector FROM conversations WHERE key = ?1)) FROM inbox WHERE state = 'waiting'",
        (conversation, author),
    ).fetchone()
    return row[0], row[1]


def last_was_refused(connection: sqlite3.Connection, conversation: str) -> bool:
    """Whether the newest message of the conversation was refused."""
    row = connection.execute(
        "SELECT state FROM inbox WHERE conversation = ? ORDER BY seq DESC LIMIT 1", (conversation,)
    ).fetchone()
    return row is not None and row["state"] == State.REFUSED


async def waiting_now(store: Store, conversation: str) -> tuple[int, int]:
    """How many messages wait in the conversation, and how many in all."""
    row = await store.row(
        "SELECT COUNT(*) FILTER (WHERE conversation = ?) AS here, COUNT(*) AS everywhere FROM inbox WHERE state = 'waiting'",
        (conversation,),
    )
    return (row["here"], row["everywhere"]) if row else (0, 0)


async def at_work(store: Store) -> tuple[int, int]:
    """How many messages are worked on, and how many wait, in all conversations."""
    row = await store.row(
        "SELECT COUNT(*) FILTER (WHERE state = 'running') AS running, COUNT(*) FILTER (WHERE state = 'waiting') AS waiting"
        " FROM inbox WHERE state IN ('running', 'waiting')"
    )
    return (row["running"], row["waiting"]) if row else (0, 0)


def set_state(connection: sqlite3.Connection, seq: int, state: State) -> None:
    """Moves a message to another state."""
    connection.execute("UPDATE inbox SET state = ? WHERE seq = ?", (state, seq))


def put_back(connection: sqlite3.Connection, messages: Iterable[int] | None = None) -> None:
    """What a former process left running, or just these messages of it, waits again."""
    if messages is None:
        connection.execute("UPDATE inbox SET state = 'waiting' WHERE state = 'running'")
        return
    connection.executemany(
        "UPDATE inbox SET state = 'waiting' WHERE seq = ? AND state = 'running'", [(seq,) for seq in messages]
    )


def replace_text(connection: sqlite3.Connection, conversation: str, message: str, text: str) -> bool:
    """Puts the edited text into a message that waits or runs, also for the second time; whether there was one."""
    changed = connection.execute(
        "UPDATE inbox SET text = ?3 WHERE conversation = ?1 AND state IN ('waiting', 'running')"
        " AND substr(id, 1, instr(id || char(31), char(31)) - 1) = ?2",
        (conversation, message, clean(text)),
    )
    return changed.rowcount > 0


def reopen(
    connection: sqlite3.Connection, conversation: str, message: str, text: str, *, answered_after: datetime
) -> bool:
    """Lets an edited question wait for its answer again, which then takes the place of the former; whether it does.

    Only the last question of a conversation does, where it says something else now and was answered after `answered_after`.
    """
    row = connection.execute(
        "SELECT i.seq, i.id, i.text, i.state, t.ended, t.id >= c.fresh_from AS fresh FROM inbox i"
        " JOIN conversations c ON c.key = i.conversation LEFT JOIN turns t ON t.inbox = i.seq"
        " WHERE i.conversation = ? AND (t.id IS NOT NULL OR i.state IN ('waiting', 'running')) ORDER BY i.seq DESC LIMIT 1",
        (conversation,),
    ).fetchone()
    if (
        row is None
        or row["state"] not in ("answered", "failed")
        or row["id"].partition("\x1f")[0] != message
        or row["text"] == clean(text)
        or not row["fresh"]
        or row["ended"] < milliseconds(answered_after)
    ):
        return False
    connection.execute("UPDATE inbox SET text = ?, state = 'waiting' WHERE seq = ?", (clean(text), row["seq"]))
    return True


def ask_again(connection: sqlite3.Connection, seq: int, now: datetime) -> int:
    """A new row that asks the same as an ended one; its id is the old one's with a number behind U+001F."""
    row = connection.execute(
        "INSERT INTO inbox (connector, id, conversation, author_id, author_name, text, attachments, reply_to, quoted, direct,"
        " sent, received, origin, state) SELECT connector, id || char(31) || (SELECT MAX(seq) FROM inbox), conversation,"
        " author_id, author_name, text, attachments, reply_to, quoted, direct, sent, ?, origin, 'waiting' FROM inbox"
        " WHERE seq = ? RETURNING seq",
        (milliseconds(now), seq),
    ).fetchone()
    return int(row["seq"])


def stop_waiting(
    connection: sqlite3.Connection, conversation: str, message: str | None = None, *, before: int | None = None
) -> int:
    """Takes the waiting messages of a conversation, or just the one, or those before a row, out of the queue; how many.

    What a former process had shown of their answers is to be taken back.
    """
    stopped = connection.execute(
        "UPDATE inbox SET state = 'stopped' WHERE conversation = ?1 AND state = 'waiting'"
        " AND (?2 IS NULL OR substr(id, 1, instr(id || char(31), char(31)) - 1) = ?2) AND (?3 IS NULL OR seq < ?3)"
        " RETURNING seq",
        (conversation, message, before),
    ).fetchall()
    for row in stopped:
        connection.execute(
            "UPDATE outbox SET text = '', state = 'waiting' WHERE state = 'draft'"
            " AND turn = (SELECT id FROM turns WHERE inbox = ?)",
            (row["seq"],),
        )
    return len(stopped)


def begin(connection: sqlite3.Connection, seq: int, now: datetime) -> tuple[int, str] | None:
    """Marks a message as running; (the id of its turn, the same one after a crash, the message's text as it is by now).

    None where the message has come to its end: it was stopped or deleted meanwhile.
    """
    open_row = connection.execute(
        "UPDATE inbox SET state = 'running' WHERE seq = ? AND state IN ('waiting', 'running') RETURNING text", (seq,)
    ).fetchone()
    if open_row is None:
        return None
    row = connection.execute(
        "INSERT INTO turns (conversation, inbox, began, state) SELECT conversation, seq, ?, 'running' FROM inbox WHERE seq = ?"
        " ON CONFLICT (inbox) DO UPDATE SET attempts = attempts + 1, state = 'running' RETURNING id",
        (milliseconds(now), seq),
    ).fetchone()
    return int(row["id"]), open_row["text"]


async def open_conversations(store: Store) -> Sequence[str]:
    """Conversations in which something waits to be answered or sent, oldest first."""
    rows = await store.rows(
        "SELECT conversation FROM (SELECT conversation, MIN(received) AS first FROM inbox WHERE state = 'waiting'"
        " GROUP BY conversation UNION ALL SELECT conversation, MIN(created) FROM outbox"
        " WHERE state IN ('waiting', 'handed') GROUP BY conversation) GROUP BY conversation ORDER BY MIN(first)"
    )
    return [row["conversation"] for row in rows]


_MESSAGE = "SELECT i.*, c.room, c.space, c.thread FROM inbox i JOIN conversations c ON c.key = i.conversation WHERE "

_IS_QUESTION = "(i.text NOT LIKE '/%' OR EXISTS (SELECT 1 FROM turns t WHERE t.inbox = i.seq))"


async def next_waiting(store: Store, conversation: str) -> Waiting | None:
    """The message that waits longest in a conversation."""
    row = await store.row(
        _MESSAGE + "i.conversation = ? AND i.state = 'waiting' ORDER BY i.seq LIMIT 1", (conversation,)
    )
    return _waiting(row) if row else None


async def waiting_commands(store: Store) -> Sequence[Waiting]:
    """Every waiting message that begins with a slash, in order."""
    return [
        _waiting(row) for row in await store.rows(_MESSAGE + "i.state = 'waiting' AND i.text LIKE '/%' ORDER BY i.seq")
    ]


async def last_question(store: Store, conversation: str) -> Waiting | None:
    """The newest message of a conversation that was a question and has come to its end; a command has no turn."""
    row = await store.row(
        _MESSAGE
        + "i.conversation = ? AND i.state IN ('answered', 'failed', 'stopped') AND "
        + _IS_QUESTION
        + " ORDER BY i.seq DESC LIMIT 1",
        (conversation,),
    )
    return _waiting(row) if row else None


def _waiting(row: sqlite3.Row) -> Waiting:
    return Waiting(
        seq=row["seq"],
        inbound=Inbound(
            id=row["id"],
            at=Address(connector=row["connector"], room=row["room"], space=row["space"], thread=row["thread"]),
            author=Author(id=row["author_id"], name=row["author_name"]),
            text=row["text"],
            attachments=files_from(row["attachments"]),
            reply_to=row["reply_to"],
            quoted=row["quoted"],
            direct=bool(row["direct"]),
            sent=from_milliseconds(row["sent"]),
            origin=Origin(row["origin"]),
        ),
    )


async def is_known(store: Store, conversation: str) -> bool:
    """Whether anything was ever said in the conversation."""
    return await store.row("SELECT 1 FROM conversations WHERE key = ?", (conversation,)) is not None


async def address(store: Store, conversation: str) -> Address:
    """Where a conversation takes place; one that has moved goes on at its newest address."""
    row = await store.row(
        "WITH RECURSIVE way (key, step) AS (SELECT ?, 0 UNION SELECT c.moved_to, way.step + 1 FROM conversations c"
        " JOIN way ON c.key = way.key WHERE c.moved_to IS NOT NULL AND way.step < 20)"
        " SELECT c.connector, c.room, c.space, c.thread FROM way JOIN conversations c ON c.key = way.key"
        " ORDER BY way.step DESC LIMIT 1",
        (conversation,),
    )
    if row is None:
        raise LookupError(conversation)
    return Address(connector=row["connector"], room=row["room"], space=row["space"], thread=row["thread"])
