"""The line to Telegram: long polling in, messages and edits out.

An update counts as confirmed once a later request names a higher offset (https://core.telegram.org/bots/api#getupdates),
so the loop here is our own and moves the offset only after `inbox.put` has returned. The SDK's updater confirms from a
queue in memory and would lose what a crash finds in it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import assert_never

from pydantic import BaseModel, ConfigDict, Field
from telegram import (
    Bot,
    BotCommand,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReactionTypeEmoji,
    ReplyParameters,
    Update,
)
from telegram.constants import BotCommandLimit, ChatAction, MessageEntityType, MessageLimit
from telegram.error import BadRequest, Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

from jarvisbot.connector import Capabilities, Connector, Inbox, Markup, Once, Receipt, Secrets, Unit
from jarvisbot.errors import (
    ConfigError,
    ConnectorError,
    Disconnected,
    LoginFailed,
    MessageGone,
    Rejected,
    StoreError,
)
from jarvisbot.types import Address, Outbound, Span, SpanKind

from .failures import Redaction, call_failure, retry_after_s, unchanged  # noqa: TID251  (relative: one add-on)
from .updates import ALLOWED_UPDATES, PollRequest, inbound, message_id, message_number  # noqa: TID251

__all__ = ["SECRETS", "Settings", "Telegram", "create"]

logger = logging.getLogger(__name__)

SECRETS = ("token",)
"""The section's secret fields, which the core resolves and hands over apart from the settings."""

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_LONGEST_WAIT_S = 60.0


class Settings(BaseModel):
    """The connector's section but for its token. A poll is given up after `poll_timeout_s` and two margins."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    api_url: str = "https://api.telegram.org/bot"
    """Where the Bot API is; the token is put right behind it."""
    file_url: str = "https://api.telegram.org/file/bot"
    """Where files are; the token is put right behind it."""
    poll_timeout_s: int = Field(50, ge=1, le=60)
    """How long Telegram holds an unanswered poll."""
    poll_margin_s: float = Field(10.0, gt=0, le=15)
    """How much later than that an answer is still waited for."""
    request_timeout_s: float = Field(20.0, gt=0)
    """How long any other request may take to be answered."""


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

    `pause` waits the given seconds, `now` is the time in UTC.
    """

    def __init__(
        self,
        name: str,
        settings: Settings,
        token: str,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._name = name
        self._settings = settings
        self._token = token
        self._pause = pause
        self._now = now
        self._redaction = Redaction(token)
        self._bot: Bot | None = None

    @property
    def name(self) -> str:
        """The connector's name in addresses, config and logs."""
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        """What Telegram offers in private chats; the limit is read in the strictest unit."""
        return Capabilities(
            text_limit=MessageLimit.MAX_TEXT_LENGTH.value,
            unit=Unit.UTF16,
            markup=Markup.ENTITIES,
            once=Once.PLACEHOLDER,
            edits=True,
            draft_interval_s=1.5,
            group_draft_interval_s=3.0,
            threads=True,
        )

    # ---------------------------------------------------------------- in

    async def run(self, inbox: Inbox) -> None:
        """Polls until cancelled. Raises Disconnected where the line is down and LoginFailed where the token is wrong.

        A full disk, another program with the same token and a rate limit are waited out.
        """
        with self._redaction.of_logs():
            poll_request = PollRequest(1, read_timeout=self._settings.poll_margin_s)
            bot = self._new_bot(poll_request)
            try:
                await self._log_in(bot)
                self._bot = bot
                await self._offer_menu(inbox)
                await self._poll(bot, poll_request, inbox)
            except InvalidToken:
                raise LoginFailed(
                    f"Telegram does not accept the token of [connectors.{self._name}]. {_where_from(self._name)}"
                ) from None
            except TelegramError as error:
                words = self._redaction.text(str(error))
                raise Disconnected(f"The line to Telegram is down: {words}.") from None
            finally:
                self._bot = None
                await bot.shutdown()

    async def _offer_menu(self, inbox: Inbox) -> None:
        """The menu is a convenience: what goes wrong with it is logged, and the line goes on."""
        try:
            await self.offer_commands(inbox.commands)
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
                await self._remove_webhook(bot)
            except RetryAfter as error:
                await self._pause(retry_after_s(error))
            else:
                logger.info("Connected to Telegram as @%s.", bot.username, extra={"connector": self._name})
                return

    async def _remove_webhook(self, bot: Bot) -> None:
        if not (await bot.get_webhook_info()).url:
            return
        await bot.delete_webhook(drop_pending_updates=False)
        logger.warning(
            "The bot had a webhook, which keeps Telegram from answering polls; it is removed.",
            extra={"connector": self._name},
        )

    async def _poll(self, bot: Bot, poll_request: PollRequest, inbox: Inbox) -> None:
        offset = await self._first_offset(inbox)
        conflicts = refusals = 0
        retried = False
        while True:
            try:
                updates = await self._updates(bot, offset)
            except RetryAfter as error:
                await self._pause(retry_after_s(error))
                continue
            except Conflict:
                if not conflicts:
                    self._tell_of_conflict()
                await self._pause(_backoff_s(10.0, conflicts))
                conflicts += 1
                await self._remove_webhook(bot)
                continue
            except (NetworkError, TimeoutError) as error:
                if retried:
                    words = self._redaction.text(str(error)) or "no answer"
                    raise Disconnected(f"Telegram does not answer polls: {words}.") from None
                retried = True
                # A half-open connection must not be used again: the next poll gets a fresh one.
                await poll_request.shutdown()
                await poll_request.initialize()
                continue
            conflicts, retried = 0, False
            if not updates:
                continue
            # From this answer alone, although it may be lower than before: after a change of server, or a week without
            # updates, Telegram counts from elsewhere and answers from the head of its queue until it is confirmed.
            following = updates[-1].update_id + 1
            taken = [event for update in updates if (event := inbound(update, self._name)) is not None]
            try:
                await inbox.put(*taken, checkpoint=str(following))
            except StoreError as error:
                if not refusals:
                    self._tell_of_store(error)
                await self._pause(_backoff_s(1.0, refusals))
                refusals += 1
                continue
            refusals = 0
            offset = following

    async def _updates(self, bot: Bot, offset: int | None) -> tuple[Update, ...]:
        timeout_s = self._settings.poll_timeout_s
        async with asyncio.timeout(timeout_s + 2 * self._settings.poll_margin_s):
            return await bot.get_updates(offset=offset, timeout=timeout_s, allowed_updates=ALLOWED_UPDATES)

    async def _first_offset(self, inbox: Inbox) -> int | None:
        for attempt in itertools.count():
            try:
                checkpoint = await inbox.checkpoint()
            except StoreError as error:
                if not attempt:
                    self._tell_of_store(error)
                await self._pause(_backoff_s(1.0, attempt))
            else:
                break
        return None if checkpoint is None else int(checkpoint)

    def _tell_of_conflict(self) -> None:
        logger.warning(
            "Another program polls Telegram with the token of [connectors.%s]: stop it, or ask @BotFather for a second "
            "bot. Trying again until it is gone.",
            self._name,
            extra={"connector": self._name},
        )

    def _tell_of_store(self, error: StoreError) -> None:
        logger.error(
            "Telegram waits with what it has, for it cannot be stored: %s", error, extra={"connector": self._name}
        )

    # ---------------------------------------------------------------- out

    async def send(self, outbound: Outbound) -> Receipt:
        """Posts the message, or puts it in place of `outbound.replaces`. Editing to what is shown already succeeds.

        A question that is gone is answered without the reply. Raises RateLimited, Disconnected, Rejected, MessageGone
        or OutcomeUnknown; nothing is tried twice.
        """
        bot = self._line()
        try:
            if outbound.replaces is not None:
                return await self._edit(bot, outbound, outbound.replaces)
            thread = outbound.to.thread
            message = await bot.send_message(
                outbound.to.room,
                outbound.body.text,
                entities=[_entity(span) for span in outbound.body.spans],
                message_thread_id=None if thread is None else int(thread),
                reply_parameters=_reply(outbound),
                link_preview_options=_NO_PREVIEW,
            )
        except TelegramError as error:
            raise call_failure(error, self._redaction) from None
        return Receipt(message=message_id(message), sent=message.date)

    async def _edit(self, bot: Bot, outbound: Outbound, replaces: str) -> Receipt:
        try:
            message = await bot.edit_message_text(
                outbound.body.text,
                chat_id=outbound.to.room,
                message_id=self._number(replaces, outbound.to),
                entities=[_entity(span) for span in outbound.body.spans],
                link_preview_options=_NO_PREVIEW,
            )
        except BadRequest as error:
            if unchanged(error):
                return Receipt(message=replaces, sent=self._now())
            raise
        sent = (message.edit_date or message.date) if isinstance(message, Message) else self._now()
        return Receipt(message=replaces, sent=sent)

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        """Puts the reaction `key` on a message in place of the bot's earlier one, or removes it.

        A bot has one reaction a message, from Telegram's list; one that is not on the list is left out.
        """
        reaction = [ReactionTypeEmoji(key.replace("\ufe0f", ""))] if on else []
        bot, number = self._line(), self._number(message, at)
        try:
            await bot.set_message_reaction(at.room, number, reaction)
        except TelegramError as error:
            if isinstance(error, BadRequest) and "reaction_invalid" in str(error).casefold():
                logger.debug("Telegram has no reaction %s.", key, extra={"connector": self._name})
                return
            raise call_failure(error, self._redaction) from None

    async def typing(self, at: Address) -> None:
        """Shows "typing" for about five seconds, or until the next message."""
        bot = self._line()
        try:
            await bot.send_chat_action(
                at.room, ChatAction.TYPING, message_thread_id=None if at.thread is None else int(at.thread)
            )
        except TelegramError as error:
            raise call_failure(error, self._redaction) from None

    async def retract(self, at: Address, message: str) -> None:
        """Deletes one of the bot's own messages; one that is gone already, or whose chat is closed to us, is fine."""
        bot, number = self._line(), self._number(message, at)
        try:
            await bot.delete_message(at.room, number)
        except TelegramError as error:
            failure = call_failure(error, self._redaction)
            if not isinstance(failure, MessageGone):
                raise failure from None

    async def offer_commands(self, commands: Sequence[tuple[str, str]]) -> None:
        """Puts (name, help) pairs into the menu of every chat; names that Telegram does not allow are left out."""
        bot = self._line()
        menu = [
            BotCommand(name, text[: BotCommandLimit.MAX_DESCRIPTION])
            for name, text in commands
            if text and re.fullmatch(r"[a-z0-9_]{1,32}", name)
        ]
        try:
            await bot.set_my_commands(menu[: BotCommandLimit.MAX_COMMAND_NUMBER])
        except TelegramError as error:
            raise call_failure(error, self._redaction) from None

    def _line(self) -> Bot:
        if self._bot is None:
            raise Disconnected("There is no line to Telegram at the moment.")
        return self._bot

    @staticmethod
    def _number(identity: str, at: Address) -> int:
        number = message_number(identity, at.room)
        if number is None:
            raise Rejected("That is not a message of this Telegram chat.")
        return number


def _where_from(name: str) -> str:
    return (
        "Ask @BotFather in Telegram (/newbot, or /mybots for an old one) and set `token`, `token_env` or `token_file` "
        f"in [connectors.{name}]."
    )


def _backoff_s(first_s: float, attempt: int) -> float:
    """`first_s`, doubled with every attempt, at most a minute."""
    return min(first_s * 2.0 ** min(attempt, 10), _LONGEST_WAIT_S)


def _reply(outbound: Outbound) -> ReplyParameters | None:
    if outbound.reply_to is None:
        return None
    number = message_number(outbound.reply_to, outbound.to.room)
    return None if number is None else ReplyParameters(number, allow_sending_without_reply=True)


def _entity(span: Span) -> MessageEntity:
    return MessageEntity(
        _entity_type(span.kind), offset=span.start, length=span.length, url=span.url, language=span.language
    )


def _entity_type(kind: SpanKind) -> MessageEntityType:
    match kind:
        case SpanKind.BOLD:
            return MessageEntityType.BOLD
        case SpanKind.ITALIC:
            return MessageEntityType.ITALIC
        case SpanKind.STRIKE:
            return MessageEntityType.STRIKETHROUGH
        case SpanKind.CODE:
            return MessageEntityType.CODE
        case SpanKind.PRE:
            return MessageEntityType.PRE
        case SpanKind.LINK:
            return MessageEntityType.TEXT_LINK
        case SpanKind.QUOTE:
            return MessageEntityType.BLOCKQUOTE
        case _:
            assert_never(kind)
