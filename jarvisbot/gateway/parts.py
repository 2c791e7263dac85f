"""An answer as the messages it is sent in: composed, split and rendered for one connector."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jarvisbot.connector import Capabilities, Markup
from jarvisbot.gateway.render import measure_for, neutralise_pings, render
from jarvisbot.gateway.render.frame import compose, noted
from jarvisbot.gateway.split import split
from jarvisbot.types import Address, Outbound, Rendered, Source, ToolRow

__all__ = ["PLACEHOLDER", "body", "outbound", "texts", "texts_aside"]

QUICK_CHARACTERS = 2_000
PLACEHOLDER = "…"
"""What a message shows whose text is still to come."""


def texts(
    text: str, *, rows: Sequence[ToolRow], sources: Sequence[Source], capabilities: Capabilities, note: str = ""
) -> tuple[str, ...]:
    """The CommonMark of each message, in order, none over the connector's limit and none empty.

    `note` is a line of the bot's own under the answer.
    """
    whole = noted(text, note) if capabilities.native_rows else compose(text, rows, sources, note)
    if not capabilities.native_rows:
        whole = neutralise_pings(whole)
    measure = measure_for(capabilities.markup, capabilities.unit)
    return split(whole, limit=capabilities.text_limit, measure=measure)


async def texts_aside(
    text: str, *, rows: Sequence[ToolRow], sources: Sequence[Source], capabilities: Capabilities, note: str = ""
) -> tuple[str, ...]:
    """The same; a text that is long to split is split in a thread, so that the event loop goes on."""
    if len(text) <= QUICK_CHARACTERS:
        return texts(text, rows=rows, sources=sources, capabilities=capabilities, note=note)
    return await asyncio.to_thread(texts, text, rows=rows, sources=sources, capabilities=capabilities, note=note)


def body(text: str, capabilities: Capabilities, *, plain: bool = False) -> Rendered:
    """One message's text as the connector takes it, without formatting where `plain`."""
    return render(text, Markup.PLAIN if plain else capabilities.markup, capabilities.unit)


def outbound(
    part: int,
    at: Address,
    text: str,
    capabilities: Capabilities,
    *,
    rows: Sequence[ToolRow] = (),
    sources: Sequence[Source] = (),
    labels: Sequence[str] = (),
    reply_to: str | None = None,
    replaces: str | None = None,
    final: bool = True,
    plain: bool = False,
    thinking_s: float = 0.0,
    problem: bool = False,
) -> Outbound:
    """The message of one outbox part."""
    return Outbound(
        id=str(part),
        to=at,
        body=body(text, capabilities, plain=plain),
        rows=tuple(rows) if capabilities.native_rows else (),
        sources=tuple(sources) if capabilities.native_rows else (),
        labels=tuple(labels) if capabilities.native_rows else (),
        reply_to=reply_to,
        replaces=replaces,
        thinking_s=thinking_s,
        final=final,
        problem=problem,
    )
