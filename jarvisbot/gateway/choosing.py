"""What people choose for themselves, kept in the store."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from jarvisbot.store import people
from jarvisbot.store.database import Store
from jarvisbot.store.people import Preferences

__all__ = ["StoredChoices"]


class StoredChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The choices of everybody who talks to the bot; `language` and `zone` are the config's."""

    store: Store
    language: str | None
    zone: Callable[[], str]

    async def of(self, user: str) -> Preferences:
        """See `Choices.of`."""
        return await people.preferences(self.store, user)

    def usual(self) -> Preferences:
        """See `Choices.usual`."""
        return Preferences(language=self.language, zone=self.zone())

    async def set_language(self, user: str, language: str | None) -> None:
        """See `Choices.set_language`."""
        await self.store.write(lambda connection: people.set_language(connection, user, language))

    async def set_zone(self, user: str, zone: str | None) -> None:
        """See `Choices.set_zone`."""
        await self.store.write(lambda connection: people.set_zone(connection, user, zone))
