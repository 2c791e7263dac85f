"""What goes out to a platform."""

from __future__ import annotations

import enum

import msgspec

from jarvisbot.types.people import Address, FileRef
from jarvisbot.types.tools import Source

__all__ = [
    "Choice",
    "Embed",
    "EmbedField",
    "LinkButton",
    "Outbound",
    "Rendered",
    "RowState",
    "Span",
    "SpanKind",
    "ToolRow",
]


class RowState(enum.StrEnum):
    """How far the call of a tool row is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class ToolRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line on a tool that worked for the answer: the tool in words, its argument in short, its time."""

    label: str
    detail: str
    tool: str
    state: RowState = RowState.DONE
    seconds: float = 0.0


class SpanKind(enum.StrEnum):
    """Formatting that a platform with entities shows."""

    BOLD = "bold"
    ITALIC = "italic"
    STRIKE = "strike"
    CODE = "code"
    PRE = "pre"
    LINK = "link"
    QUOTE = "quote"
    EXPANDABLE = "expandable"
    """A quotation that is shown folded up."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Formatting of `length` units from `start`, in the unit of the platform the text was rendered for."""

    kind: SpanKind
    start: int
    length: int
    url: str | None = None
    language: str | None = None


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """Text as a platform shows it: its characters, its formatting where the platform takes entities or HTML beside them."""

    text: str
    spans: tuple[Span, ...] = ()
    html: str = ""


class EmbedField(msgspec.Struct, frozen=True, kw_only=True):
    """A titled text in an `Embed`."""

    name: str
    value: str


class Embed(msgspec.Struct, frozen=True, kw_only=True):
    """A box under a message, for platforms that have such; within Discord's limits where `Outbound` carries it."""

    title: str = ""
    description: str = ""
    fields: tuple[EmbedField, ...] = ()
    footer: str = ""


class LinkButton(msgspec.Struct, frozen=True, kw_only=True):
    """A button that opens a page."""

    label: str
    url: str


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A button: `label` is shown, `data` comes back in `Pressed`."""

    label: str
    data: str


class Outbound(msgspec.Struct, frozen=True, kw_only=True):
    """One message to send, or to put in place of the message `replaces`.

    `id` is the same for every attempt at the same message: platforms that take an idempotency key get it.
    `body` is rendered for the connector's markup; `rows` and `sources` are for connectors that show them natively.
    `labels` say in short how the answer came about ("corrected"), for connectors that show them natively.
    `final` is false for a draft, which may be skipped and is never retried; `thinking_s` is how long the model has been
    thinking by then, while there is no text yet.
    `problem` is true where the text says what went wrong instead of answering.
    `embeds` and `links` show rows, labels and sources where the connector's markup is Discord's.
    """

    id: str
    to: Address
    body: Rendered
    rows: tuple[ToolRow, ...] = ()
    sources: tuple[Source, ...] = ()
    attachments: tuple[FileRef, ...] = ()
    reply_to: str | None = None
    choices: tuple[Choice, ...] = ()
    replaces: str | None = None
    labels: tuple[str, ...] = ()
    thinking_s: float = 0.0
    final: bool = True
    problem: bool = False
    embeds: tuple[Embed, ...] = ()
    links: tuple[LinkButton, ...] = ()
