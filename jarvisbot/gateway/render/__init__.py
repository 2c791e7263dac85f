"""CommonMark to what each platform shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render.pings import neutralise_pings
from jarvisbot.gateway.render.units import length
from jarvisbot.types import Rendered

__all__ = ["measure_for", "neutralise_pings", "render", "size"]


def render(text: str, markup: Markup, unit: Unit) -> Rendered:
    """The answer `text` (CommonMark) for a platform: spans count in `unit`, pings are neutralised, no letter is lost.

    Any text renders; a text that is not blank never renders to nothing.
    """
    match markup:  # the parser is imported by the first answer that needs it
        case Markup.MARKDOWN:
            return Rendered(text=neutralise_pings(text))
        case Markup.ENTITIES:
            from jarvisbot.gateway.render.entities import render_entities

            return render_entities(text, unit)
        case Markup.DISCORD:
            from jarvisbot.gateway.render.discord import render_discord

            return render_discord(text)
        case Markup.HTML:
            from jarvisbot.gateway.render.matrix import render_matrix

            return render_matrix(text)
        case Markup.PLAIN:
            from jarvisbot.gateway.render.plain import render_plain

            return render_plain(text)
        case _:
            assert_never(markup)


def measure_for(markup: Markup, unit: Unit) -> Callable[[str], int]:
    """The length of a CommonMark text as the platform will count it once rendered."""
    if markup is Markup.ENTITIES:

        def measure(text: str) -> int:
            from jarvisbot.gateway.render.entities import entity_flow

            return length(entity_flow(text).text, unit)

        return measure
    return lambda text: size(render(text, markup, unit), markup, unit)


def size(rendered: Rendered, markup: Markup, unit: Unit) -> int:
    """The length that counts against a connector's limit: of the text in `unit`, with HTML that of both in JSON, in bytes."""
    if markup is not Markup.HTML:
        return length(rendered.text, unit)
    from jarvisbot.gateway.render.matrix import event_size

    return event_size(rendered)
