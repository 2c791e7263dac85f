"""Telegram's updates, read as what the core takes in."""

from __future__ import annotations

import json
import logging
from typing import Any

from telegram import Message, Update
from telegram.constants import ChatType, UpdateType
from telegram.request import HTTPXRequest

from jarvisbot.types import Address, Author, Edited, Inbound, Said

__all__ = ["ALLOWED_UPDATES", "PollRequest", "inbound", "message_id", "message_number"]

logger = logging.getLogger(__name__)

ALLOWED_UPDATES = (UpdateType.MESSAGE, UpdateType.EDITED_MESSAGE)
"""The kinds that are asked for. Always sent: Telegram otherwise keeps what an earlier program asked for."""


def message_id(message: Message) -> str:
    """A message's id towards the core: `chat:message`, for Telegram counts messages chat by chat in supergroups."""
    return f"{message.chat.id}:{message.message_id}"


def message_number(identity: str, room: str) -> int | None:
    """Telegram's own number in an id made by `message_id`; None where it is no message of this room."""
    chat, _, number = identity.rpartition(":")
    return int(number) if chat == room and number.isdecimal() else None


def inbound(update: Update, connector: str) -> Inbound | None:
    """What a person said or changed in a private chat; None for everything else."""
    message = update.message or update.edited_message
    if message is None or message.chat.type != ChatType.PRIVATE:
        return None
    author, text = message.from_user, message.text or message.caption
    if author is None or author.is_bot or text is None:
        return None
    # Outside a real topic `message_thread_id` is only the root of a reply chain and no place to write to.
    thread = str(message.message_thread_id) if message.is_topic_message else None
    edited = update.edited_message is not None
    return Inbound(
        id=f"edit:{update.update_id}" if edited else message_id(message),
        at=Address(connector=connector, room=str(message.chat.id), thread=thread),
        author=Author(id=str(author.id), name=author.full_name),
        text=text,
        sent=(message.edit_date or message.date) if edited else message.date,
        direct=True,
        reply_to=_replied_to(message),
        about=Edited(id=message_id(message)) if edited else Said(),
    )


def _replied_to(message: Message) -> str | None:
    reply = message.reply_to_message
    if reply is None or (message.is_topic_message and reply.message_id == message.message_thread_id):
        return None
    return message_id(reply)


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
    answer["result"] = [_emptied_if_unreadable(update) for update in answer["result"]]
    return json.dumps(answer).encode()


def _emptied_if_unreadable(update: dict[str, Any]) -> dict[str, Any]:
    try:
        Update.de_json(update)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        logger.warning("Skipping update %s, which the SDK cannot read (%s).", update["update_id"], type(error).__name__)
        return {"update_id": update["update_id"]}
    return update
