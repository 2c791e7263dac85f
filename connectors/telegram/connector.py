"""The line to Telegram: logged in, updates taken in, messages sent out."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from telegram import Bot
from telegram.constants import MessageLimit
from telegram.error import InvalidToken, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

from jarvisbot.connector import Capabilities, Connector, Inbox, Markup, Once, Receipt, Secrets, Unit
from jarvisbot.errors import ConfigError, ConnectorError, Disconnected, LoginFailed, StoreError
from jarvisbot.types import Address, Outbound

from . import menu  # noqa: TID251  (relative: one add-on)
from .failures import Redaction, retry_after_s  # noqa: TID251
from .pacing import Pace  # noqa: TID251
from .polling import Polling, remove_webhook  # noqa: TID251
from .sending import Sending  # noqa: TID251
from .settings import SECRETS, Settings  # noqa: TID251
from .taking import Taking  # noqa: TID251
from .updates import PollRequest, Reader  # noqa: TID251
from .webhook import Hook  # noqa: TID251

__all__ = ["SECRETS", "Settings", "Telegram", "create", "privacy"]

logger = logging.getLogger(__name__)


def create(name: str, settings: Settings, secrets: Secrets) -> Connector:
    """A connector for the bot whose token is `secrets["token"]`. Raises ConfigError where that is no bot token."""
    token = secrets.get("token", "").strip()
    if not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", token):
        raise ConfigError(
            f"The token of [connectors.{name}] is no bot token, which looks like 123456789:AAE-x. {_where_from(name)}"
        )
    # The SDK's own switch for the type that its next major release gives to `RetryAfter.retry_after`; unset, it warns.
    os.environ.setdefault("PTB_TIMEDELTA", "1")
    return Telegram(name, settings, token)


class Telegram:
    """One bot account. Owns the SDK's objects, which live as long as a `run`; between runs every call is Disconnected.

    `pause` waits the given seconds, `now` is the time in UTC, `monotonic` counts seconds.
    """

    def __init__(
        self,
        name: str,
        settings: Settings,
        token: str,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._settings = settings
        self._token = token
        self._pause = pause
        self._now = now
        self._redaction = Redaction(token)
        self._sending = Sending(name, self._redaction, Pace(monotonic), now)
        self.hook: Hook | None = None
        """The server of the run, where updates are brought."""

    @property
    def name(self) -> str:
        """The connector's name in addresses, config and logs."""
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        """What Telegram offers; the limit is read in the strictest unit."""
        return Capabilities(
            text_limit=MessageLimit.MAX_TEXT_LENGTH.value,
            unit=Unit.UTF16,
            markup=Markup.ENTITIES,
            once=Once.PLACEHOLDER,
            edits=True,
            draft_interval_s=1.5,
            group_draft_interval_s=3.0,
            reactions=True,
            buttons=True,
            threads=True,
            files=True,
        )

    # ---------------------------------------------------------------- in

    async def run(self, inbox: Inbox) -> None:
        """Works until cancelled. Raises Disconnected where the line is down and LoginFailed where the token is wrong.

        A full disk, another program with the same token and a rate limit are waited out.
        """
        with self._redaction.of_logs():
            poll_request = PollRequest(1, read_timeout=self._settings.poll_margin_s)
            bot = self._new_bot(poll_request)
            try:
                await self._log_in(bot)
                reader = Reader(
                    bot, inbox, self._settings, connector=self._name, redaction=self._redaction, now=self._now
                )
                self._sending.open(bot, inbox.media, lambda old, new: self._tell_moved(inbox, reader, old, new))
                await self._offer_menu(inbox)
                taking = Taking(bot=bot, reader=reader, inbox=inbox)
                if self._settings.webhook.url:
                    self.hook = Hook(
                        name=self._name, bot=bot, taking=taking, settings=self._settings, pause=self._pause
                    )
                    await inbox.checkpoint()
                    await self.hook.run()
                else:
                    await self._poll(bot, poll_request, taking)
            except InvalidToken:
                raise LoginFailed(
                    f"Telegram does not accept the token of [connectors.{self._name}]. {_where_from(self._name)}"
                ) from None
            except TelegramError as error:
                words = self._redaction.text(str(error))
                raise Disconnected(f"The line to Telegram is down: {words}.") from None
            finally:
                self._sending.close()
                await bot.shutdown()

    async def _poll(self, bot: Bot, request: PollRequest, taking: Taking) -> None:
        await Polling(
            name=self._name,
            bot=bot,
            request=request,
            taking=taking,
            settings=self._settings,
            redaction=self._redaction,
            pause=self._pause,
        ).run()

    async def _tell_moved(self, inbox: Inbox, reader: Reader, old: str, new: str) -> None:
        """Lets the core know where a group goes on; what it cannot store now, Telegram's own message tells it again."""
        try:
            await inbox.put(reader.moved(old, new, self._now()))
        except StoreError as error:
            logger.warning("A move was not stored: %s", error, extra={"connector": self._name})

    async def _offer_menu(self, inbox: Inbox) -> None:
        """The menu is a convenience: what goes wrong with it is logged, and the line goes on."""
        try:
            await self.offer_commands(inbox.commands)
            await self.offer_commands(inbox.german_commands, language="de")
        except ConnectorError as error:
            logger.warning("The command menu was not set: %s", error.user_message, extra={"connector": self._name})

    def _new_bot(self, poll_request: PollRequest) -> Bot:
        timeout_s = self._settings.request_timeout_s
        return Bot(
            self._token,
            base_url=self._settings.api_url,
            base_file_url=self._settings.file_url,
            get_updates_request=poll_request,
            request=HTTPXRequest(
                read_timeout=timeout_s, write_timeout=timeout_s, connect_timeout=timeout_s, pool_timeout=timeout_s
            ),
        )

    async def _log_in(self, bot: Bot) -> None:
        while True:
            try:
                await bot.initialize()
                if not self._settings.webhook.url:
                    await remove_webhook(bot, self._name)
            except RetryAfter as error:
                await self._pause(retry_after_s(error))
            else:
                logger.info("Connected to Telegram as @%s.", bot.username, extra={"connector": self._name})
                return

    # ---------------------------------------------------------------- out

    async def send(self, outbound: Outbound) -> Receipt:
        """Posts the message, or puts it in place of `outbound.replaces`. Editing to what is shown already succeeds.

        A question that is gone is answered without the reply. Raises RateLimited, Disconnected, Rejected, MessageGone
        or OutcomeUnknown; nothing is tried twice.
        """
        return await self._sending.send(outbound)

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        """See `Connector.mark`."""
        await self._sending.mark(at, message, key, on=on)

    async def typing(self, at: Address) -> None:
        """See `Connector.typing`."""
        await self._sending.typing(at)

    async def retract(self, at: Address, message: str) -> None:
        """See `Connector.retract`."""
        await self._sending.retract(at, message)

    async def offer_commands(self, commands: Sequence[tuple[str, str]], *, language: str | None = None) -> None:
        """Puts (name, help) pairs into the menu of people with this language, or of all others."""
        await menu.offer(self._sending.line(), commands, self._redaction, language=language)

    async def privacy(self) -> str:
        """What the bot sees in groups, in a sentence that says how to change it, for a check of the installation.

        Works without a run. Raises LoginFailed or Disconnected.
        """
        with self._redaction.of_logs():
            bot = self._new_bot(PollRequest(1))
            try:
                await bot.initialize()
                return privacy(bot)
            except InvalidToken:
                raise LoginFailed(
                    f"Telegram does not accept the token of [connectors.{self._name}]. {_where_from(self._name)}"
                ) from None
            except TelegramError as error:
                raise Disconnected(f"Telegram cannot be asked: {self._redaction.text(str(error))}.") from None
            finally:
                await bot.shutdown()


def privacy(bot: Bot) -> str:
    """What an initialised bot sees in groups, and how to change it."""
    if not bot.can_join_groups:
        return f"@{bot.username} cannot be put into groups; /setjoingroups at @BotFather lets it."
    if bot.can_read_all_group_messages:
        return f"@{bot.username} is given every message of its groups; what is not meant for it is not kept."
    return (
        f"@{bot.username} is given only commands, mentions and replies in groups (privacy mode), which is all it needs; for "
        "follow_topics, /setprivacy at @BotFather and adding it to the group anew lets it see the rest."
    )


def _where_from(name: str) -> str:
    return (
        "Ask @BotFather in Telegram (/newbot, or /mybots for an old one) and set `token`, `token_env` or `token_file` "
        f"in [connectors.{name}]."
    )
