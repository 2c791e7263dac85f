"""An answer as the messages it is sent in: composed, split and rendered for one connector."""

from __future__ import annotations

import asyncio
from typing import TypedDict, Unpack

import msgspec

from jarvisbot.connector import Capabilities, Markup
from jarvisbot.gateway.render import measure_for, render
from jarvisbot.gateway.render.embed import embeds, link_buttons
from jarvisbot.gateway.render.frame import NO_FRAME, Frame, escaped, noted, one_line
from jarvisbot.gateway.render.framing import framed, room
from jarvisbot.gateway.render.units import length
from jarvisbot.gateway.split import split
from jarvisbot.types import Address, Embed, LinkButton, Outbound, Rendered, Source, ToolRow

__all__ = ["PLACEHOLDER", "Frame", "Shown", "body", "outbound", "outbound_aside", "shown", "texts", "texts_aside"]

QUICK_CHARACTERS = 500
"""A longer text is split and rendered in a thread, so that the event loop goes on whatever stands in it."""
PLACEHOLDER = "…"
"""What a message shows whose text is still to come."""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What people see of a message: two that are equal need no edit."""

    body: Rendered
    embeds: tuple[Embed, ...] = ()
    links: tuple[LinkButton, ...] = ()
    native: tuple[tuple[ToolRow, ...], tuple[Source, ...], tuple[str, ...]] = ((), (), ())


def shown(message: Outbound) -> Shown:
    """What people will see of the message."""
    return Shown(
        body=message.body,
        embeds=message.embeds,
        links=message.links,
        native=(message.rows, message.sources, message.labels),
    )


def texts(text: str, frame: Frame, capabilities: Capabilities, *, note: str = "") -> tuple[str, ...]:
    """The CommonMark of each message, in order, none blank and none over the connector's limit once it is framed.

    `note` is a line of the bot's own under the answer; what is shown as it was written shows the note so too.
    """
    if not (capabilities.native_rows and capabilities.markup is Markup.MARKDOWN):
        note = escaped(one_line(note))
    whole = noted(text, note)
    measure = measure_for(capabilities.markup, capabilities.unit)
    first, last = room(frame, capabilities)
    return split(whole, limit=capabilities.text_limit, measure=measure, first=first, last=last)


async def texts_aside(text: str, frame: Frame, capabilities: Capabilities, *, note: str = "") -> tuple[str, ...]:
    """The same; a text that may be long to split is split in a thread."""
    if len(text) <= QUICK_CHARACTERS:
        return texts(text, frame, capabilities, note=note)
    return await asyncio.to_thread(texts, text, frame, capabilities, note=note)


def body(text: str, capabilities: Capabilities, *, plain: bool = False) -> Rendered:
    """One message's text as the connector takes it; without formatting, and no longer, where `plain`."""
    formatted = render(text, capabilities.markup, capabilities.unit)
    if not plain:
        return formatted
    written = render(text, Markup.PLAIN, capabilities.unit)
    limit = capabilities.text_limit
    fits = limit is None or length(written.text, capabilities.unit) <= limit
    return written if fits else Rendered(text=formatted.text)


async def outbound_aside(
    part: int, at: Address, text: str, capabilities: Capabilities, frame: Frame, **options: Unpack[Options]
) -> Outbound:
    """`outbound`; a text that may be long to render is rendered in a thread."""
    if len(text) <= QUICK_CHARACTERS:
        return outbound(part, at, text, capabilities, frame, **options)
    return await asyncio.to_thread(outbound, part, at, text, capabilities, frame, **options)


class Options(TypedDict, total=False):
    """What `outbound` takes besides."""

    reply_to: str | None
    replaces: str | None
    final: bool
    plain: bool
    thinking_s: float
    problem: bool


def outbound(
    part: int,
    at: Address,
    text: str,
    capabilities: Capabilities,
    frame: Frame = NO_FRAME,
    *,
    reply_to: str | None = None,
    replaces: str | None = None,
    final: bool = True,
    plain: bool = False,
    thinking_s: float = 0.0,
    problem: bool = False,
) -> Outbound:
    """The message of one outbox part, with what stands around it; a plain one keeps the words of its frame."""
    native = frame if capabilities.native_rows else NO_FRAME
    boxed = capabilities.markup is Markup.DISCORD and not plain
    return Outbound(
        id=str(part),
        to=at,
        body=framed(body(text, capabilities, plain=plain), frame, capabilities, plain=plain),
        rows=native.rows,
        sources=native.sources,
        labels=native.labels,
        reply_to=reply_to,
        replaces=replaces,
        thinking_s=thinking_s,
        final=final,
        problem=problem,
        embeds=embeds(frame) if boxed else (),
        links=link_buttons(frame) if boxed else (),
    )
