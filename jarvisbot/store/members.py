"""People who were let in by a pairing code, and the codes that are out."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from collections.abc import Sequence
from datetime import datetime

import msgspec

from jarvisbot.store.codec import clean, milliseconds
from jarvisbot.store.database import Store

__all__ = ["Member", "add", "all_members", "claim", "offer", "remove"]


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was let in: `user` is `connector:author id`, `by` the admin's."""

    user: str
    name: str
    by: str = ""


async def all_members(store: Store) -> Sequence[Member]:
    """Everyone who was let in by a code, in the order of that."""
    rows = await store.rows("SELECT user, name, by FROM members ORDER BY paired, user")
    return [Member(user=row["user"], name=row["name"], by=row["by"]) for row in rows]


def add(connection: sqlite3.Connection, member: Member, now: datetime) -> None:
    """Lets somebody in."""
    connection.execute(
        "INSERT INTO members (user, name, paired, by) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (member.user, clean(member.name), milliseconds(now), member.by),
    )


def remove(connection: sqlite3.Connection, user: str) -> bool:
    """Takes it back; whether there was such a member."""
    return connection.execute("DELETE FROM members WHERE user = ?", (user,)).rowcount > 0


def offer(
    connection: sqlite3.Connection,
    *,
    user: str,
    name: str,
    code: str,
    salt: str,
    now: datetime,
    expires: datetime,
    again_after: datetime,
    most: int,
) -> bool:
    """Remembers the hash of a person's code; false where none is to be given.

    That is where their last one was made after `again_after`, or where `most` were given to anybody since then.
    """
    connection.execute("DELETE FROM pairings WHERE made < ?", (milliseconds(again_after),))
    row = connection.execute(
        "SELECT COUNT(*) AS every, COUNT(*) FILTER (WHERE user = ?) AS own FROM pairings", (user,)
    ).fetchone()
    if row["own"] or row["every"] >= most:
        return False
    connection.execute(
        "INSERT INTO pairings (user, name, salt, hash, made, expires) VALUES (?, ?, ?, ?, ?, ?)",
        (user, clean(name), salt, _hash(code, salt), milliseconds(now), milliseconds(expires)),
    )
    return True


def claim(connection: sqlite3.Connection, code: str, now: datetime) -> Member | None:
    """Whose code that is; it is used up by this. None for one that was never given, is used up or has expired."""
    found = None
    for row in connection.execute("SELECT * FROM pairings WHERE expires > ?", (milliseconds(now),)).fetchall():
        if hmac.compare_digest(_hash(code, row["salt"]), row["hash"]):
            found = Member(user=row["user"], name=row["name"])
    if found is not None:
        connection.execute("UPDATE pairings SET expires = 0 WHERE user = ?", (found.user,))
    return found


def _hash(code: str, salt: str) -> str:
    return hashlib.sha256(f"{salt}:{code}".encode()).hexdigest()
