"""Telegram's updates, read as what the core takes in."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from telegram import Bot, CallbackQuery, Chat, Message, MessageReactionUpdated, ReactionTypeEmoji, Update
from telegram.constants import ChatType, UpdateType
from telegram.request import HTTPXRequest

from jarvisbot.connector import Inbox
from jarvisbot.types import Address, Author, Edited, Inbound, Moved, Pressed, Reacted, Said

from .addressing import addressed_text, is_topic_root, quoted, quoted_words  # noqa: TID251  (relative: one add-on)
from .failures import Redaction  # noqa: TID251
from .files import fetched, incoming  # noqa: TID251
from .settings import Settings  # noqa: TID251

__all__ = ["ALLOWED_UPDATES", "PollRequest", "Reader", "message_id", "message_number", "plain_key", "readable"]

logger = logging.getLogger(__name__)

ALLOWED_UPDATES = (
    UpdateType.MESSAGE,
    UpdateType.EDITED_MESSAGE,
    UpdateType.CALLBACK_QUERY,
    UpdateType.MESSAGE_REACTION,
)
"""The kinds that are asked for. Always sent: Telegram otherwise keeps what an earlier program asked for."""

_NOBODY = Author(id="0", name="", is_bot=True)
_TONES = dict.fromkeys((0xFE0F, *range(0x1F3FB, 0x1F400)))


def message_id(message: Message) -> str:
    """A message's id towards the core: `chat:message`, for Telegram counts messages chat by chat in supergroups."""
    return f"{message.chat.id}:{message.message_id}"


def message_number(identity: str, room: str) -> int | None:
    """Telegram's own number in an id made by `message_id`; None where it is no message of this room."""
    chat, _, number = identity.rpartition(":")
    return int(number) if chat == room and number.isdecimal() else None


def plain_key(emoji: str) -> str:
    """An emoji without its presentation and skin tone: the same thumb, however it was typed."""
    return emoji.translate(_TONES)


class Reader:
    """Reads updates for one connector: decides what is meant for the bot, fetches its files. It keeps nothing."""

    def __init__(
        self,
        bot: Bot,
        inbox: Inbox,
        settings: Settings,
        *,
        connector: str,
        redaction: Redaction,
        now: Callable[[], datetime],
    ) -> None:
        self._bot = bot
        self._inbox = inbox
        self._settings = settings
        self._connector = connector
        self._redaction = redaction
        self._now = now

    async def events(self, updates: Sequence[Update]) -> list[Inbound]:
        """What the updates say to the bot, in their order; the messages of an album are one.

        Raises StoreError where a file cannot be kept.
        """
        found: list[Inbound | None] = []
        for messages in _albums(updates):
            match messages:
                case list():
                    found.append(await self._said(messages))
                case Update(edited_message=Message() as edited):
                    found.append(await self._edited(edited, messages.update_id))
                case Update(callback_query=CallbackQuery() as query):
                    found.append(self._pressed(query))
                case Update(message_reaction=MessageReactionUpdated() as reaction):
                    found += self._reacted(reaction, messages.update_id)
                case _:
                    pass
        return [event for event in found if event is not None]

    # ---------------------------------------------------------------- messages

    async def _said(self, messages: Sequence[Message]) -> Inbound | None:
        first = messages[0]
        if (moved := self._moved(first)) is not None:
            return moved
        if not _from_a_person(first):
            return None
        at = self._at(first.chat, _thread(first))
        texts = [text for message in messages if (text := await self._text(message, at)) is not None]
        if not texts:
            return None
        # Once one message of an album is meant for the bot, the captions of all are.
        rest = [message.caption or "" for message in messages if await self._text(message, at) is None]
        author = _author(first)
        files = [file for message in messages if (file := incoming(message)) is not None]
        text = "\n".join(part for part in (*texts, *rest) if part.strip())
        if not text and not files:
            # A bare mention asks what it replies to; somebody else's command is no command of this person.
            asked = quoted_words(first)
            text = asked if asked and not asked.startswith("/") else first.text or ""
            if not text:
                return None
        fetch = self._inbox.admits(at, author)
        return Inbound(
            id=message_id(first),
            at=at,
            author=author,
            text=text,
            sent=first.date,
            direct=first.chat.type == ChatType.PRIVATE,
            attachments=tuple(
                [
                    await fetched(self._bot, file, self._inbox.media, self._redaction) if fetch else file.named()
                    for file in files
                ]
            ),
            reply_to=_replied_to(first),
            quoted=quoted(first),
            about=Said(),
        )

    async def _edited(self, message: Message, update: int) -> Inbound | None:
        if not _from_a_person(message):
            return None
        at = self._at(message.chat, _thread(message))
        text = await self._text(message, at)
        if not text:
            return None
        return Inbound(
            id=f"edit:{update}",
            at=at,
            author=_author(message),
            text=text,
            sent=message.edit_date or message.date,
            direct=message.chat.type == ChatType.PRIVATE,
            reply_to=_replied_to(message),
            about=Edited(id=message_id(message)),
        )

    async def _text(self, message: Message, at: Address) -> str | None:
        followed = self._settings.follow_topics and at.thread is not None and await self._inbox.knows(at)
        return addressed_text(message, self._bot.bot, bare_commands=self._settings.bare_commands, followed=followed)

    def _moved(self, message: Message) -> Inbound | None:
        """The news that a group has become a supergroup, told in the old chat and again in the new one."""
        if message.migrate_to_chat_id is not None:
            return self.moved(str(message.chat.id), str(message.migrate_to_chat_id), message.date)
        if message.migrate_from_chat_id is not None:
            return self.moved(str(message.migrate_from_chat_id), str(message.chat.id), message.date)
        return None

    def moved(self, old: str, new: str, sent: datetime) -> Inbound:
        """The same as an event."""
        return Inbound(
            id=f"moved:{old}:{new}",
            at=Address(connector=self._connector, room=old),
            author=_NOBODY,
            text="",
            sent=sent,
            direct=False,
            about=Moved(to=Address(connector=self._connector, room=new)),
        )

    # ---------------------------------------------------------------- buttons and reactions

    def _pressed(self, query: CallbackQuery) -> Inbound | None:
        message = query.message
        if message is None or query.data is None or query.from_user.is_bot:
            return None
        thread = _thread(message) if isinstance(message, Message) else None
        return Inbound(
            id=f"press:{query.id}",
            at=self._at(message.chat, thread),
            author=Author(id=str(query.from_user.id), name=query.from_user.full_name),
            text="",
            sent=self._now(),
            direct=message.chat.type == ChatType.PRIVATE,
            about=Pressed(id=f"{message.chat.id}:{message.message_id}", data=query.data),
        )

    def _reacted(self, reaction: MessageReactionUpdated, update: int) -> list[Inbound]:
        """One event for each emoji that was put or removed; custom ones mean nothing here."""
        person = reaction.user
        if person is None or person.is_bot:
            return []
        before, after = (
            {plain_key(each.emoji) for each in side if isinstance(each, ReactionTypeEmoji)}
            for side in (reaction.old_reaction, reaction.new_reaction)
        )
        changes = [(key, False) for key in sorted(before - after)] + [(key, True) for key in sorted(after - before)]
        return [
            Inbound(
                id=f"reaction:{update}:{number}",
                at=self._at(reaction.chat, None),
                author=Author(id=str(person.id), name=person.full_name),
                text="",
                sent=reaction.date,
                direct=reaction.chat.type == ChatType.PRIVATE,
                about=Reacted(id=f"{reaction.chat.id}:{reaction.message_id}", key=key, added=added),
            )
            for number, (key, added) in enumerate(changes)
        ]

    def _at(self, chat: Chat, thread: str | None) -> Address:
        return Address(connector=self._connector, room=str(chat.id), thread=thread)


def _albums(updates: Sequence[Update]) -> list[list[Message] | Update]:
    """New messages, those of one album together at the place of its first, and all other updates as they are."""
    found: list[list[Message] | Update] = []
    albums: dict[tuple[int, str], list[Message]] = {}
    for update in updates:
        message = update.message
        if message is None:
            found.append(update)
        elif message.media_group_id is None:
            found.append([message])
        elif (album := albums.get((message.chat.id, message.media_group_id))) is not None:
            album.append(message)
        else:
            found.append(albums.setdefault((message.chat.id, message.media_group_id), [message]))
    return found


def _from_a_person(message: Message) -> bool:
    """No bot, no channel, no anonymous admin, nothing that Telegram itself passes on."""
    return (
        message.from_user is not None
        and not message.from_user.is_bot
        and message.sender_chat is None
        and not message.is_automatic_forward
        and message.chat.type in (ChatType.PRIVATE, ChatType.GROUP, ChatType.SUPERGROUP)
    )


def _author(message: Message) -> Author:
    if message.from_user is None:
        return _NOBODY
    return Author(id=str(message.from_user.id), name=message.from_user.full_name)


def _thread(message: Message) -> str | None:
    """Its topic. Outside a real one `message_thread_id` is only the root of a reply chain and no place to write to."""
    return str(message.message_thread_id) if message.is_topic_message else None


def _replied_to(message: Message) -> str | None:
    reply = message.reply_to_message
    return None if reply is None or is_topic_root(message) else message_id(reply)


class PollRequest(HTTPXRequest):
    """The transport of `get_updates`, which hides from the SDK what it cannot read.

    The SDK gives up the whole answer for one update that it cannot parse, such as one of a later Bot API, and would
    meet it again and again. Such an update is left as its bare id here, so it is passed over and confirmed.
    """

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        """The status and the payload, with updates that the SDK cannot read emptied."""
        status, payload = await super().do_request(*args, **kwargs)
        return status, _readable(payload)


def _readable(payload: bytes) -> bytes:
    try:
        answer = json.loads(payload)
    except ValueError:
        return payload
    if not isinstance(answer, dict) or not isinstance(answer.get("result"), list):
        return payload
    answer["result"] = [readable(update) for update in answer["result"]]
    return json.dumps(answer).encode()


def readable(update: dict[str, Any]) -> dict[str, Any]:
    """The update, or nothing but its id where the SDK cannot read it."""
    try:
        Update.de_json(update)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        logger.warning("Skipping update %s, which the SDK cannot read (%s).", update["update_id"], type(error).__name__)
        return {"update_id": update["update_id"]}
    return update
