"""What a model reads and history stores."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

import msgspec

from jarvisbot.types.people import Author, FileRef
from jarvisbot.types.tools import ToolCall, ToolResult

__all__ = ["Assistant", "Heading", "Item", "Result", "SeedContext", "System", "User"]


class System(msgspec.Struct, frozen=True, kw_only=True):
    """Our own words to the model."""

    text: str


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """What a model read in front of a message, as it read it: lines that are different each turn."""

    text: str = ""
    """What is remembered, the topic, the language, the time; empty where no model was asked."""
    speaker: str = ""
    """Who speaks, in a group."""
    material: str = ""
    """What the message quotes and the text of its files: data, each line of it marked."""
    base: str = ""
    """Names the prompt's beginning under which the text was read; under another one it is not repeated."""


class User(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said."""

    text: str
    attachments: tuple[FileRef, ...] = ()
    author: Author | None = None
    heading: Heading = msgspec.field(default_factory=Heading)


class Assistant(msgspec.Struct, frozen=True, kw_only=True):
    """What the model said and which calls it made. `thinking` is kept for the trace and never sent back to a model."""

    text: str
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a call of the assistant item before came to."""

    result: ToolResult


Item: TypeAlias = System | User | Assistant | Result


class SeedContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a skill's `seed` may know besides the message itself."""

    language: str
    """The reply's language, "en" or "de"."""
    now: datetime
    """UTC."""
    zone: str = "UTC"
    """The person's time zone, an IANA name."""
    zone_chosen: bool = False
    """The person set it themselves."""
    history: tuple[Item, ...] = ()
    """The conversation so far, oldest first, without the message."""
