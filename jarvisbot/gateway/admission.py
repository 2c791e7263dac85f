"""What becomes of an event that came in: a pure decision, made inside the transaction that stores it."""

from __future__ import annotations

import enum
import sqlite3
from datetime import datetime, timedelta

import msgspec

from jarvisbot.command import parse
from jarvisbot.store import inbox
from jarvisbot.types import Inbound

__all__ = ["Limits", "Verdict", "admit"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much may wait, and how old a message may be."""

    waiting_per_conversation: int = 20
    waiting_per_user: int = 5
    age: timedelta = timedelta(minutes=60)


class Verdict(enum.Enum):
    """What happens to a message."""

    QUEUED = enum.auto()
    IMMEDIATE = enum.auto()
    """A command that does not wait."""
    KNOWN = enum.auto()
    """It came before."""
    EARLIER = enum.auto()
    """Sent before the connector's first start ever."""
    TOO_OLD = enum.auto()
    REFUSED = enum.auto()
    REFUSED_AGAIN = enum.auto()
    """Refused as the one before it: that is not said twice."""


def admit(
    connection: sqlite3.Connection,
    inbound: Inbound,
    *,
    immediate: frozenset[str],
    since: datetime,
    now: datetime,
    limits: Limits,
) -> tuple[Verdict, int | None]:
    """Stores the message as what it is to be; (verdict, the row's number where there is a new one).

    `immediate` holds the names of the commands that do not wait. Platforms give times in whole seconds, so a message of
    the second of the first start counts as new.
    """
    if inbound.sent.timestamp() < int(since.timestamp()):
        return Verdict.EARLIER, None
    if now - inbound.sent > limits.age:
        seq = inbox.add(connection, inbound, now, inbox.State.SKIPPED)
        return (Verdict.TOO_OLD, seq) if seq is not None else (Verdict.KNOWN, None)
    given = parse(inbound.text)
    if given is not None and given[0] in immediate:
        seq = inbox.add(connection, inbound, now, inbox.State.RUNNING)
        return (Verdict.IMMEDIATE, seq) if seq is not None else (Verdict.KNOWN, None)
    here, of_author = inbox.waiting_counts(connection, inbound.at.key, inbound.author.id)
    if here >= limits.waiting_per_conversation or of_author >= limits.waiting_per_user:
        again = inbox.last_was_refused(connection, inbound.at.key)
        seq = inbox.add(connection, inbound, now, inbox.State.REFUSED)
        if seq is None:
            return Verdict.KNOWN, None
        return (Verdict.REFUSED_AGAIN if again else Verdict.REFUSED), seq
    seq = inbox.add(connection, inbound, now)
    return (Verdict.QUEUED, seq) if seq is not None else (Verdict.KNOWN, None)
