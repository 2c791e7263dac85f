"""What comes in from a platform."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import TypeAlias

import msgspec

from jarvisbot.types.people import Address, Author, FileRef

__all__ = ["About", "Deleted", "Edited", "Inbound", "Moved", "Origin", "Pressed", "Reacted", "Said"]


class Origin(enum.StrEnum):
    """What made a turn begin."""

    CHAT = "chat"
    REACTION = "reaction"
    SCHEDULE = "schedule"
    WAKE = "wake"
    """A job that ran in the background has finished."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A new message."""


class Edited(msgspec.Struct, frozen=True, kw_only=True):
    """The message `id` has the text of this `Inbound` now."""

    id: str


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    """The message `id` is gone."""

    id: str


class Reacted(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody put (`added`) or removed the reaction `key` on the message `id`."""

    id: str
    key: str
    added: bool


class Pressed(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody pressed a button of the message `id`; `data` is what the button carries."""

    id: str
    data: str


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """The room goes on at another address (a supergroup, a room upgrade)."""

    to: Address


About: TypeAlias = Said | Edited | Deleted | Reacted | Pressed | Moved


class Inbound(msgspec.Struct, frozen=True, kw_only=True):
    """One event from a platform that is meant for the bot. `id` is unique within its connector."""

    id: str
    at: Address
    author: Author
    text: str
    sent: datetime
    addressed: bool = True
    direct: bool = True
    """A direct chat: nobody but this author reads the answer."""
    attachments: tuple[FileRef, ...] = ()
    reply_to: str | None = None
    quoted: str = ""
    """What the message replies to or quotes, with its author's name in front: data beside the question."""
    origin: Origin = Origin.CHAT
    about: About = msgspec.field(default_factory=Said)
