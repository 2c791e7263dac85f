"""The seam to a chat platform: what a connector is told, what it can do, and what it hands to the core."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from jarvisbot.types import Address, Author, FileRef, Finding, Inbound, Outbound

__all__ = [
    "Account",
    "Capabilities",
    "Connector",
    "Inbox",
    "Markup",
    "Media",
    "Once",
    "Receipt",
    "SecretQuestion",
    "Setup",
    "Unit",
]


class Unit(enum.StrEnum):
    """How a platform counts the length of a text."""

    UTF16 = "utf16"
    UTF8 = "utf8"
    CODE_POINTS = "code-points"


class Markup(enum.StrEnum):
    """What a connector wants in `Outbound.body`."""

    PLAIN = "plain"
    """Text only, formatting written out readably."""
    ENTITIES = "entities"
    """Plain text and `Span`s that count in the connector's unit."""
    MARKDOWN = "markdown"
    """CommonMark as the answer was written."""
    DISCORD = "discord"
    """Discord's markdown; tool rows, labels and sources come as `Outbound.embeds` and `.links`."""
    HTML = "html"
    """Plain text and, in `Rendered.html`, HTML with the tags that Matrix allows. A length is that of both in JSON, in bytes."""


class Once(enum.StrEnum):
    """How a message is delivered once although a request's outcome may be unknown (docs/architecture.md, delivery)."""

    KEY = "key"
    """The platform drops a second message with the same `Outbound.id`."""
    PLACEHOLDER = "placeholder"
    """An empty-handed message is posted and its id committed before the text is put in by edit."""
    MARK = "mark"
    """No way to look: the message counts as delivered from the moment it is handed over."""


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What a platform offers. `text_limit` is in `unit`; None means no limit."""

    text_limit: int | None
    unit: Unit
    markup: Markup
    once: Once
    edits: bool = False
    """Drafts can be shown and replaced while an answer is made."""
    draft_interval_s: float = 1.5
    """Least time between two edits of a draft in a direct chat."""
    group_draft_interval_s: float = 3.0
    append_only: bool = False
    """What a draft has shown stays: it can only grow."""
    native_rows: bool = False
    """Tool rows and sources are shown from `Outbound.rows` and `.sources`, not written into the text."""
    reactions: bool = False
    buttons: bool = False
    threads: bool = False
    files: bool = False


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The platform's id of a message that it accepted."""

    message: str
    sent: datetime


class Media(Protocol):
    """Where the bytes of files lie."""

    async def keep(self, data: bytes, *, name: str, media_type: str) -> FileRef:
        """Keeps a file. `name` is for display: no path is made of it. Raises StoreError where there is no room."""

    async def read(self, file: FileRef) -> bytes:
        """The bytes of a file that was kept. Raises StoreError where they are not there any more."""


class Inbox(Protocol):
    """Where a connector puts what came in; its only word to the core."""

    @property
    def commands(self) -> Sequence[tuple[str, str]]:
        """(name, help) of every slash command, for platforms that show a menu of them."""

    @property
    def german_commands(self) -> Sequence[tuple[str, str]]:
        """The same in German."""

    @property
    def media(self) -> Media:
        """Where files go that came with a message, and where those lie that go out."""

    def admits(self, at: Address, author: Author) -> bool:
        """Whether what this author says there is taken in. For others nothing is fetched."""

    async def knows(self, at: Address) -> bool:
        """Whether the bot was ever addressed at `at`."""

    async def put(self, *inbound: Inbound, checkpoint: str | None = None) -> None:
        """Commits the events and the connector's resume token in one transaction.

        When it returns, all of it is on disk and the platform may be told so. An event whose id is known already is
        dropped. Raises StoreError where the disk would not take it: then nothing may be acknowledged.
        """

    async def checkpoint(self) -> str | None:
        """The resume token of the last `put`, or None at the first start ever."""

    async def settled(self) -> None:
        """Returns when everything that was put here is answered and sent."""

    async def attended(self, at: Address) -> None:
        """Somebody has come to `at`: what waits for a reader there is sent now."""


class Connector(Protocol):
    """One chat platform. Built from its own `Settings`; `run` owns its line, the other methods may be called while it runs.

    A module in connectors/ holds a docstring, `Settings` (a pydantic model, the config's section) and
    `create(name, settings, secrets) -> Connector`, and may hold `SETUP`, a `Setup`.
    """

    @property
    def name(self) -> str:
        """The connector's name in addresses, config and logs."""

    @property
    def capabilities(self) -> Capabilities:
        """Constant while it runs."""

    async def run(self, inbox: Inbox) -> None:
        """Works until cancelled. Returns only where the platform has come to its end (the console's last line).

        Raises Disconnected where a new start may help and LoginFailed where only the owner can.
        """

    async def send(self, outbound: Outbound) -> Receipt:
        """Posts the message, or puts it in place of `outbound.replaces`. Editing to what is shown already succeeds.

        Raises RateLimited, Disconnected, Rejected, MessageGone or OutcomeUnknown.
        """

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        """Puts or removes the bot's own reaction `key`; a platform without reactions does nothing."""

    async def typing(self, at: Address) -> None:
        """Shows for a few seconds that an answer is being made."""

    async def retract(self, at: Address, message: str) -> None:
        """Deletes one of the bot's own messages; one that is gone already is fine."""


Secrets = Mapping[str, str]
"""Secret values of a section by field name, kept apart from the settings so that no dump of those shows them."""


class SecretQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A secret that `jarvisbot init` asks for: its field name, what to call it, and where people get it."""

    name: str
    title: str
    hint: str


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """Who the bot is on its platform, and what `jarvisbot doctor` should know. `link` opens a chat with it."""

    name: str
    link: str = ""
    findings: tuple[Finding, ...] = ()


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """What a connector lets `jarvisbot init` ask and `jarvisbot doctor` check: the optional `SETUP` of its module.

    All of its functions are given the section's name, its `Settings` and its secrets, and raise LoginFailed or Disconnected.
    """

    title: str
    secrets: tuple[SecretQuestion, ...]
    owner_hint: str
    """How a person finds the id that the platform knows them by."""
    account: Callable[[str, Any, Secrets], Coroutine[None, None, Account]]
    """Logs in and looks around; it changes nothing."""
    first_words: Callable[[str, Any, Secrets, Collection[str]], Coroutine[None, None, tuple[Author, str]]] | None = None
    """Waits until somebody writes to the bot whose id is none of these: who, and what. The bot answers it later."""
