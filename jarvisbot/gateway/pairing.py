"""Pairing: a stranger gets a code once, quietly, and an admin lets them in with it."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from jarvisbot.clock import Clock
from jarvisbot.gateway.words import say
from jarvisbot.store import members
from jarvisbot.store.database import Store
from jarvisbot.store.members import Member
from jarvisbot.types import Inbound, Said

__all__ = ["CODE_LIVES", "Pairing"]

CODE_LIVES = timedelta(hours=1)
AGAIN_AFTER = timedelta(days=1)
"""A person gets no second code before this has passed."""
MOST_A_DAY = 20
"""Codes for all strangers together: nobody fills the disk, or makes the bot write to half the world."""
WRONG_CODES = 10
"""Wrong codes in a row within `WRONG_WITHIN`, after which none is looked at for that long."""
WRONG_WITHIN = timedelta(minutes=10)
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Without I, O, 0 and 1, which look alike. Eight of them are 40 bits."""


def _plain(code: str) -> str:
    """The code as it was made, however somebody typed it."""
    return "".join(sign for sign in code.upper() if sign in ALPHABET)


def _readable(code: str) -> str:
    return f"{code[:4]}-{code[4:]}"


@dataclass(slots=True, kw_only=True)
class Pairing:
    """Who was let in. State: their ids, as `policy.access` reads them, and when wrong codes were tried."""

    store: Store
    clock: Clock
    language: Callable[[str], str]
    enabled: bool = True
    token: Callable[[], str] = lambda: "".join(secrets.choice(ALPHABET) for _ in range(8))
    members: set[str] = field(default_factory=set)
    """Of everyone who was let in, `connector:author id`; one set for as long as the program runs."""
    _wrong: list[float] = field(default_factory=list)

    async def load(self) -> None:
        """Reads who was let in by former processes."""
        self.members.update(member.user for member in await members.all_members(self.store))

    def offer(self, connection: sqlite3.Connection, event: Inbound) -> str | None:
        """The words with a stranger's code, or None where they get none; belongs into a transaction.

        Only a person who writes in a direct chat gets one, and one a day.
        """
        if not self.enabled or not event.direct or event.author.is_bot or not isinstance(event.about, Said):
            return None
        now = self.clock.now()
        if now - event.sent > CODE_LIVES:
            return None
        code = self.token()
        given = members.offer(
            connection,
            user=f"{event.at.connector}:{event.author.id}",
            name=event.author.name,
            code=code,
            salt=secrets.token_hex(8),
            now=now,
            expires=now + CODE_LIVES,
            again_after=now - AGAIN_AFTER,
            most=MOST_A_DAY,
        )
        minutes = round(CODE_LIVES.total_seconds() / 60)
        return say("pairing_code", self.language(event.text), code=_readable(code), minutes=minutes) if given else None

    async def pair(self, code: str, by: str) -> Member | None:
        """Lets in whoever has this code, named to them by `by`. None for a wrong code, or while too many were wrong."""
        now, moment = self.clock.now(), self.clock.monotonic()
        self._wrong = [each for each in self._wrong if moment - each < WRONG_WITHIN.total_seconds()]
        if len(self._wrong) >= WRONG_CODES:
            return None
        self._wrong.append(moment)  # counted before it is looked at: tries that come at once are no more than others

        def work(connection: sqlite3.Connection) -> Member | None:
            found = members.claim(connection, _plain(code), now)
            if found is not None:
                members.add(connection, Member(user=found.user, name=found.name, by=by), now)
            return found

        found = await self.store.write(work)
        if found is None:
            return None
        self._wrong.remove(moment)
        self.members.add(found.user)
        return found

    async def unpair(self, user: str) -> bool:
        """Takes it back; whether this user had been let in by a code."""
        removed = await self.store.write(lambda connection: members.remove(connection, user))
        self.members.discard(user)
        return removed
