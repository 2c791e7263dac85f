"""What people chose for themselves: the language of replies and their time zone."""

from __future__ import annotations

import sqlite3

import msgspec

from jarvisbot.store.database import Store

__all__ = ["Preferences", "preferences", "set_language", "set_zone"]


class Preferences(msgspec.Struct, frozen=True, kw_only=True):
    """One person's choices, the same in every room; None follows the config."""

    language: str | None = None
    """A code of ISO 639-1."""
    zone: str | None = None
    """An IANA name."""


async def preferences(store: Store, user: str) -> Preferences:
    """What the person chose; nothing for one who never did."""
    rows = await store.rows("SELECT language, zone FROM people WHERE user = ?", (user,))
    return Preferences(language=rows[0]["language"], zone=rows[0]["zone"]) if rows else Preferences()


def set_language(connection: sqlite3.Connection, user: str, language: str | None) -> None:
    """Keeps the person's language; None follows the config again."""
    connection.execute(
        "INSERT INTO people (user, language) VALUES (?, ?) ON CONFLICT (user) DO UPDATE SET language = excluded.language",
        (user, language),
    )


def set_zone(connection: sqlite3.Connection, user: str, zone: str | None) -> None:
    """Keeps the person's time zone; None follows the config again."""
    connection.execute(
        "INSERT INTO people (user, zone) VALUES (?, ?) ON CONFLICT (user) DO UPDATE SET zone = excluded.zone",
        (user, zone),
    )
