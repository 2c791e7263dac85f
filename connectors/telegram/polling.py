"""Long polling: updates are asked for, and confirmed only once they are committed.

An update counts as confirmed once a later request names a higher offset (https://core.telegram.org/bots/api#getupdates),
so the loop here is our own and moves the offset only after the commit. The SDK's updater confirms from a queue in
memory and would lose what a crash finds in it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from telegram import Bot, Update
from telegram.error import Conflict, NetworkError, RetryAfter

from jarvisbot.errors import Disconnected, StoreError

from .failures import Redaction, retry_after_s  # noqa: TID251  (relative: one add-on)
from .settings import Settings  # noqa: TID251
from .taking import ALBUM_S, Taking, has_album  # noqa: TID251
from .updates import ALLOWED_UPDATES, PollRequest  # noqa: TID251

__all__ = ["Polling", "remove_webhook"]

logger = logging.getLogger(__name__)

_LONGEST_WAIT_S = 60.0
_MOST_IN_ALBUM = 10


async def remove_webhook(bot: Bot, name: str) -> None:
    """Takes away a webhook, which an earlier program may have left, and keeps what waits."""
    if not (await bot.get_webhook_info()).url:
        return
    await bot.delete_webhook(drop_pending_updates=False)
    logger.warning(
        "The bot had a webhook, which keeps Telegram from answering polls; it is removed.", extra={"connector": name}
    )


@dataclass(slots=True, kw_only=True)
class Polling:
    """The loop of one run. State: how often in a row something went wrong."""

    name: str
    bot: Bot
    request: PollRequest
    taking: Taking
    settings: Settings
    redaction: Redaction
    pause: Callable[[float], Awaitable[None]]
    _conflicts: int = field(default=0, init=False)
    _refusals: int = field(default=0, init=False)
    _retried: bool = field(default=False, init=False)

    async def run(self) -> None:
        """Polls until cancelled. Raises Disconnected where Telegram does not answer twice in a row."""
        offset = await self._first_offset()
        while True:
            updates = await self._next(offset)
            if not updates:
                continue
            # From this answer alone, although it may be lower than before: after a change of server, or a week without
            # updates, Telegram counts from elsewhere and answers from the head of its queue until it is confirmed.
            following = updates[-1].update_id + 1
            try:
                await self.taking.take(updates, checkpoint=str(following))
            except StoreError as error:
                if not self._refusals:
                    self._tell_of_store(error)
                await self.pause(_backoff_s(1.0, self._refusals))
                self._refusals += 1
                continue
            self._refusals = 0
            offset = following

    async def _next(self, offset: int | None) -> tuple[Update, ...]:
        """The updates of one answer; none where it went wrong and is worth another try."""
        try:
            updates = await self._whole_albums(offset)
        except RetryAfter as error:
            await self.pause(retry_after_s(error))
            return ()
        except Conflict:
            if not self._conflicts:
                self._tell_of_conflict()
            await self.pause(_backoff_s(10.0, self._conflicts))
            self._conflicts += 1
            await remove_webhook(self.bot, self.name)
            return ()
        except (NetworkError, TimeoutError) as error:
            if self._retried:
                words = self.redaction.text(str(error)) or "no answer"
                raise Disconnected(f"Telegram does not answer polls: {words}.") from None
            self._retried = True
            # A half-open connection must not be used again: the next poll gets a fresh one.
            await self.request.shutdown()
            await self.request.initialize()
            return ()
        self._conflicts, self._retried = 0, False
        return updates

    async def _whole_albums(self, offset: int | None) -> tuple[Update, ...]:
        """An answer; where it has messages of an album, asked for again a second later until no more of them come."""
        updates = await self._updates(offset, self.settings.poll_timeout_s)
        for _ in range(_MOST_IN_ALBUM):
            known = has_album(updates)
            if not known:
                break
            await self.pause(ALBUM_S)
            updates = await self._updates(offset, 0)
            if has_album(updates) <= known:
                break
        return updates

    async def _updates(self, offset: int | None, timeout_s: int) -> tuple[Update, ...]:
        async with asyncio.timeout(timeout_s + 2 * self.settings.poll_margin_s):
            return await self.bot.get_updates(offset=offset, timeout=timeout_s, allowed_updates=ALLOWED_UPDATES)

    async def _first_offset(self) -> int | None:
        for attempt in itertools.count():
            try:
                checkpoint = await self.taking.inbox.checkpoint()
            except StoreError as error:
                if not attempt:
                    self._tell_of_store(error)
                await self.pause(_backoff_s(1.0, attempt))
            else:
                break
        return None if checkpoint is None else int(checkpoint)

    def _tell_of_conflict(self) -> None:
        logger.warning(
            "Another program polls Telegram with the token of [connectors.%s]: stop it, or ask @BotFather for a second "
            "bot. Trying again until it is gone.",
            self.name,
            extra={"connector": self.name},
        )

    def _tell_of_store(self, error: StoreError) -> None:
        logger.error(
            "Telegram waits with what it has, for it cannot be stored: %s", error, extra={"connector": self.name}
        )


def _backoff_s(first_s: float, attempt: int) -> float:
    """`first_s`, doubled with every attempt, at most a minute."""
    return min(first_s * 2.0 ** min(attempt, 10), _LONGEST_WAIT_S)
