"""What goes out to Telegram: messages, edits, files, buttons and reactions."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeVar, assert_never

import msgspec
from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReactionTypeEmoji,
    ReplyParameters,
)
from telegram.constants import (
    ChatAction,
    FileSizeLimit,
    InlineKeyboardButtonLimit,
    MessageEntityType,
    ReactionEmoji,
)
from telegram.error import BadRequest, ChatMigrated, TelegramError

from jarvisbot.connector import Media, Receipt
from jarvisbot.errors import Disconnected, MessageGone, OutcomeUnknown, Rejected, StoreError
from jarvisbot.types import Address, Choice, FileRef, Outbound, Span, SpanKind

from .failures import Redaction, call_failure, unchanged  # noqa: TID251  (relative: one add-on)
from .pacing import Pace  # noqa: TID251
from .updates import message_id, message_number, plain_key  # noqa: TID251

__all__ = ["Sending"]

logger = logging.getLogger(__name__)

_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_REACTIONS = {plain_key(emoji.value): emoji.value for emoji in ReactionEmoji}
_NEAREST = {"⏳": "👀", "⌛": "👀", "✅": "👍", "✔": "👍", "❌": "👎", "✖": "👎"}
"""Signs that Telegram's list lacks, and the one of it that says the same."""
_PHOTOS = ("image/jpeg", "image/png")
_REMEMBERED = 200
_LABEL_CHARACTERS = 64

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

Moved = Callable[[str, str], Awaitable[None]]
"""Told (old room, new room) of a group that became a supergroup."""


class Sending:
    """The calls of one connector. State: the bot while there is a line, rooms that moved, messages posted anew there, files
    that went out."""

    def __init__(self, name: str, redaction: Redaction, pace: Pace, now: Callable[[], datetime]) -> None:
        self._name = name
        self._redaction = redaction
        self._pace = pace
        self._now = now
        self._bot: Bot | None = None
        self._media: Media | None = None
        self._tell_moved: Moved | None = None
        self._rooms: dict[str, str] = {}
        self._anew: dict[str, str] = {}
        self._files: dict[tuple[str, str, str], None] = {}

    def open(self, bot: Bot, media: Media, moved: Moved) -> None:
        """There is a line from now on."""
        self._bot, self._media, self._tell_moved = bot, media, moved

    def close(self) -> None:
        """There is none any more: every call is Disconnected."""
        self._bot = None

    def line(self) -> Bot:
        """The SDK's bot. Raises Disconnected where there is no line."""
        if self._bot is None:
            raise Disconnected("There is no line to Telegram at the moment.")
        return self._bot

    # ---------------------------------------------------------------- messages

    async def send(self, outbound: Outbound) -> Receipt:
        """See `Connector.send`. A group that has become a supergroup is written to at its new address."""
        bot = self.line()
        at = self._here(outbound.to)
        replaces = self._anew.get(outbound.replaces or "", outbound.replaces)
        if replaces is not None and _is_from_a_former_group(replaces, at.room):
            receipt = await self.send(msgspec.structs.replace(outbound, to=at, replaces=None))
            _remember(self._anew, replaces, receipt.message)
            return receipt
        markup = _keyboard(outbound.choices)
        self._pace.take(at.room, droppable=not outbound.final and replaces is not None)
        try:
            if replaces is not None:
                receipt = await self._edit(bot, outbound, at, replaces, markup)
            elif outbound.body.text or not outbound.attachments:
                message = await bot.send_message(
                    at.room,
                    outbound.body.text,
                    entities=[_entity(span) for span in outbound.body.spans],
                    message_thread_id=_thread(at),
                    reply_parameters=_reply(outbound, at),
                    link_preview_options=_NO_PREVIEW,
                    reply_markup=markup,
                )
                receipt = Receipt(message=message_id(message), sent=message.date)
            else:
                receipt = Receipt(message="", sent=self._now())
        except ChatMigrated as error:
            if at.room != outbound.to.room:  # moved twice: nothing that Telegram does
                raise call_failure(error, self._redaction) from None
            await self._follow(at.room, str(error.new_chat_id))
            return await self.send(outbound)
        except TelegramError as error:
            raise call_failure(error, self._redaction) from None
        for file in outbound.attachments:
            sent = await self._file(bot, outbound, at, file)
            receipt = receipt if receipt.message or sent is None else sent
        return receipt

    async def _edit(
        self, bot: Bot, outbound: Outbound, at: Address, replaces: str, markup: InlineKeyboardMarkup | None
    ) -> Receipt:
        try:
            message = await bot.edit_message_text(
                outbound.body.text,
                chat_id=at.room,
                message_id=_number(replaces, at),
                entities=[_entity(span) for span in outbound.body.spans],
                link_preview_options=_NO_PREVIEW,
                reply_markup=markup,
            )
        except BadRequest as error:
            if unchanged(error):
                return Receipt(message=replaces, sent=self._now())
            raise
        sent = (message.edit_date or message.date) if isinstance(message, Message) else self._now()
        return Receipt(message=replaces, sent=sent)

    async def _follow(self, old: str, new: str) -> None:
        _remember(self._rooms, old, new)
        if self._tell_moved is not None:
            await self._tell_moved(old, new)

    def _here(self, at: Address) -> Address:
        room = self._rooms.get(at.room)
        return at if room is None else msgspec.structs.replace(at, room=room)

    # ---------------------------------------------------------------- files

    async def _file(self, bot: Bot, outbound: Outbound, at: Address, file: FileRef) -> Receipt | None:
        """Sends a file behind the text, once for each message; one that cannot be had or is too large is left out."""
        key = (outbound.id, at.key, file.id)
        if key in self._files or self._media is None:
            return None
        if file.size_bytes > FileSizeLimit.FILESIZE_UPLOAD:
            logger.warning(
                "A file is too large for Telegram.", extra={"connector": self._name, "bytes": file.size_bytes}
            )
            return None
        try:
            data = await self._media.read(file)
        except StoreError as error:
            logger.warning("A file was not sent: %s", error, extra={"connector": self._name})
            return None
        self._pace.take(at.room, droppable=False)
        try:
            message = await self._post_file(bot, outbound, at, file, data)
        except TelegramError as error:
            failure = call_failure(error, self._redaction)
            if not isinstance(failure, OutcomeUnknown | Rejected):
                raise failure from None
            # Whether it arrived is not known, or it never will: it is not sent twice.
            logger.warning("A file was not sent: %s", failure, extra={"connector": self._name})
            _remember(self._files, key, None)
            return None
        _remember(self._files, key, None)
        return Receipt(message=message_id(message), sent=message.date)

    async def _post_file(self, bot: Bot, outbound: Outbound, at: Address, file: FileRef, data: bytes) -> Message:
        thread, reply = _thread(at), _reply(outbound, at)
        if file.media_type in _PHOTOS and len(data) <= FileSizeLimit.PHOTOSIZE_UPLOAD:
            try:
                return await bot.send_photo(
                    at.room, data, filename=file.name, message_thread_id=thread, reply_parameters=reply
                )
            except BadRequest as error:
                logger.info("A picture goes out as a file: %s", error, extra={"connector": self._name})
        return await bot.send_document(
            at.room, data, filename=file.name, message_thread_id=thread, reply_parameters=reply
        )

    # ---------------------------------------------------------------- the rest

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        """Puts the reaction `key` on a message in place of the bot's earlier one, or removes it.

        A bot has one reaction a message, from Telegram's list; one that has no like there is left out.
        """
        at = self._here(at)
        bot, number = self.line(), _number(message, at)
        plain = plain_key(key)
        allowed = _REACTIONS.get(_NEAREST.get(plain, plain))
        if on and allowed is None:
            logger.debug("Telegram has no reaction %s.", key, extra={"connector": self._name})
            return
        reaction = [ReactionTypeEmoji(allowed)] if on and allowed is not None else []
        try:
            await bot.set_message_reaction(at.room, number, reaction)
        except TelegramError as error:
            if isinstance(error, BadRequest) and "reaction" in str(error).casefold() and "not found" not in str(error):
                logger.info("This chat takes no reaction %s.", key, extra={"connector": self._name})
                return
            raise call_failure(error, self._redaction) from None

    async def typing(self, at: Address) -> None:
        """Shows "typing" for about five seconds, or until the next message."""
        at = self._here(at)
        bot = self.line()
        try:
            await bot.send_chat_action(at.room, ChatAction.TYPING, message_thread_id=_thread(at))
        except TelegramError as error:
            raise call_failure(error, self._redaction) from None

    async def retract(self, at: Address, message: str) -> None:
        """Deletes one of the bot's own messages; one that is gone already, or whose chat is closed to us, is fine."""
        at, message = self._here(at), self._anew.get(message, message)
        bot = self.line()
        if _is_from_a_former_group(message, at.room):
            return
        try:
            await bot.delete_message(at.room, _number(message, at))
        except TelegramError as error:
            failure = call_failure(error, self._redaction)
            if not isinstance(failure, MessageGone):
                raise failure from None


def _remember(known: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Keeps the newest of them."""
    known[key] = value
    while len(known) > _REMEMBERED:
        del known[next(iter(known))]


def _is_from_a_former_group(message: str, room: str) -> bool:
    """Whether the message lies in a basic group, as its supergroup was before: there it cannot be changed any more."""
    chat = message.rpartition(":")[0]
    return chat != room and room.startswith("-100") and chat.startswith("-") and not chat.startswith("-100")


def _number(identity: str, at: Address) -> int:
    number = message_number(identity, at.room)
    if number is None:
        raise Rejected("That is not a message of this Telegram chat.")
    return number


def _thread(at: Address) -> int | None:
    return None if at.thread is None else int(at.thread)


def _reply(outbound: Outbound, at: Address) -> ReplyParameters | None:
    if outbound.reply_to is None:
        return None
    number = message_number(outbound.reply_to, at.room)
    return None if number is None else ReplyParameters(number, allow_sending_without_reply=True)


def _keyboard(choices: tuple[Choice, ...]) -> InlineKeyboardMarkup | None:
    """A button a row. Raises Rejected for one whose data is longer than Telegram's 64 bytes."""
    if not choices:
        return None
    for choice in choices:
        if not 1 <= len(choice.data.encode()) <= InlineKeyboardButtonLimit.MAX_CALLBACK_DATA:
            raise Rejected("A button's data must have 1 to 64 bytes on Telegram.")
    return InlineKeyboardMarkup(
        [
            [InlineKeyboardButton(choice.label[:_LABEL_CHARACTERS] or "–", callback_data=choice.data)]
            for choice in choices
        ]
    )


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
        case SpanKind.EXPANDABLE:
            return MessageEntityType.EXPANDABLE_BLOCKQUOTE
        case _:
            assert_never(kind)
