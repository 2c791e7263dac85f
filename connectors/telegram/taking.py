"""Updates taken in: committed first, then acknowledged to the people who pressed buttons."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from telegram import Bot, Update
from telegram.error import TelegramError

from jarvisbot.connector import Inbox

from .updates import Reader  # noqa: TID251  (relative: one add-on)

__all__ = ["ALBUM_S", "Taking", "has_album"]

logger = logging.getLogger(__name__)

ALBUM_S = 1.0
"""The messages of an album come within this time of each other."""


def has_album(updates: Sequence[Update]) -> int:
    """How many of the updates belong to an album; more of it may be on the way."""
    return sum(update.message is not None and update.message.media_group_id is not None for update in updates)


@dataclass(frozen=True, slots=True, kw_only=True)
class Taking:
    """The way from updates to the inbox, however they came."""

    bot: Bot
    reader: Reader
    inbox: Inbox

    async def take(self, updates: Sequence[Update], *, checkpoint: str | None = None) -> None:
        """Commits what the updates say, then stops the buttons' waiting signs. Raises StoreError: nothing is taken then."""
        events = await self.reader.events(updates)
        await self.inbox.put(*events, checkpoint=checkpoint)
        queries = [update.callback_query.id for update in updates if update.callback_query is not None]
        await asyncio.gather(*(self._answer(query) for query in queries))

    async def _answer(self, query: str) -> None:
        """A button that was pressed while the bot was down is too old for an answer: nobody waits for it any more."""
        try:
            await self.bot.answer_callback_query(query)
        except TelegramError as error:
            logger.debug("A pressed button was not answered (%s).", type(error).__name__)
