"""Whether a message is meant for the bot, and what of it is left once the address is taken out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from telegram import Message, MessageEntity, User
from telegram.constants import ChatType, MessageEntityType

__all__ = ["addressed_text", "is_topic_root", "quoted", "quoted_words"]

_NO_MENTION_IN = frozenset(
    {
        MessageEntityType.CODE,
        MessageEntityType.PRE,
        MessageEntityType.TEXT_LINK,
        MessageEntityType.BLOCKQUOTE,
        MessageEntityType.EXPANDABLE_BLOCKQUOTE,
    }
)
"""A name that stands in code, in somebody else's words or in a link is spoken of, not to."""
_MARK = "\0"
"""Where a mention was: no message holds this character."""


def addressed_text(message: Message, bot: User, *, bare_commands: bool, followed: bool) -> str | None:
    """What the message says to the bot, without its mention; None where it is not meant for the bot.

    In a direct chat everything is, but for commands to another bot. In a group: a mention, a reply to one of the bot's
    messages, a command with its name, anything in a topic that the bot opened or that is `followed`.
    """
    entities = message.entities or message.caption_entities
    text = (message.text or message.caption or "").replace(_MARK, "")
    command = _command(text, entities)
    if command is not None and command[1] is not None:
        name, target = command
        if target != (bot.username or "").casefold():
            return None
        return name + text[len(name) + 1 + len(target) :]
    if message.chat.type == ChatType.PRIVATE:
        return text
    if command is not None and bare_commands:
        return text
    mentions = [entity for entity in entities if _is_mention(entity, entities, text, bot)]
    if mentions:
        return _without(text, mentions)
    if followed or _is_reply_to(message, bot, text, entities) or _is_in_own_topic(message, bot):
        return text
    return None


def quoted_words(message: Message) -> str:
    """What the message quotes or replies to; empty where it does neither."""
    reply = None if is_topic_root(message) else message.reply_to_message
    words = message.quote.text if message.quote else (reply.text or reply.caption or "") if reply else ""
    return words.strip()


def quoted(message: Message) -> str:
    """The same with its author's name in front."""
    reply = None if is_topic_root(message) else message.reply_to_message
    words = quoted_words(message)
    if not words:
        return ""
    name = ""
    if reply is not None and reply.sender_chat is not None:
        name = reply.sender_chat.title or ""
    elif reply is not None and reply.from_user is not None:
        name = reply.from_user.full_name
    return f"{name}: {words}" if name else words


def is_topic_root(message: Message) -> bool:
    """Whether what the message seems to reply to is only the beginning of its forum topic."""
    reply = message.reply_to_message
    return reply is not None and bool(message.is_topic_message) and reply.message_id == message.message_thread_id


def _command(text: str, entities: Sequence[MessageEntity]) -> tuple[str, str | None] | None:
    """(`/name`, the bot's name behind its @ in lower case or None) of a command at the beginning."""
    if not any(entity.type == MessageEntityType.BOT_COMMAND and entity.offset == 0 for entity in entities):
        return None
    found = re.match(r"(/\w+)(?:@(\w+))?", text)
    if found is None:
        return None
    return found[1], found[2].casefold() if found[2] else None


def _is_mention(entity: MessageEntity, entities: Sequence[MessageEntity], text: str, bot: User) -> bool:
    match entity.type:
        case MessageEntityType.TEXT_MENTION:
            meant = entity.user is not None and entity.user.id == bot.id
        case MessageEntityType.MENTION:
            meant = _slice(text, entity).casefold() == f"@{bot.username}".casefold()
        case _:
            return False
    return meant and not any(
        other.type in _NO_MENTION_IN
        and other.offset <= entity.offset
        and entity.offset + entity.length <= other.offset + other.length
        for other in entities
    )


def _is_reply_to(message: Message, bot: User, text: str, entities: Sequence[MessageEntity]) -> bool:
    """Whether it answers the bot; a reply that begins with somebody else's name shows that person what the bot said."""
    reply = message.reply_to_message
    if reply is None or is_topic_root(message) or reply.from_user is None or reply.from_user.id != bot.id:
        return False
    if reply.sender_chat is not None:
        return False
    return not any(
        entity.type in (MessageEntityType.MENTION, MessageEntityType.TEXT_MENTION) and entity.offset == 0
        for entity in entities
    )


def _is_in_own_topic(message: Message, bot: User) -> bool:
    """Whether the message's forum topic was opened by the bot: a message that replies to nothing names its beginning."""
    root = message.reply_to_message
    return (
        is_topic_root(message)
        and root is not None
        and root.forum_topic_created is not None
        and root.from_user is not None
        and root.from_user.id == bot.id
    )


def _slice(text: str, entity: MessageEntity) -> str:
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le", "replace")


def _without(text: str, mentions: Sequence[MessageEntity]) -> str:
    """The text without the mentions, and without the blanks and commas that belonged to them."""
    units = text.encode("utf-16-le", "surrogatepass")
    mark = _MARK.encode("utf-16-le")
    for entity in sorted(mentions, key=lambda entity: -entity.offset):
        units = units[: 2 * entity.offset] + mark + units[2 * (entity.offset + entity.length) :]
    marked = units.decode("utf-16-le", "replace")
    marked = re.sub(rf"\A(?:\s*{_MARK})+[\s,:;–—-]*", "", marked)
    marked = re.sub(rf"[\s,]*{_MARK}\s*(?=[?!.,;:]|\Z)", "", marked)
    return re.sub(rf"[^\S\n]*{_MARK}[^\S\n]*", " ", marked).strip()
