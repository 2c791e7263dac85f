"""Answers as readable plain text, for consoles and for clients that show no formatting."""

from __future__ import annotations

from jarvisbot.gateway.render.flow import finished
from jarvisbot.gateway.render.layout import Manner, lay_out
from jarvisbot.gateway.render.tree import parse
from jarvisbot.types import Rendered

__all__ = ["render_plain"]

_MANNER = Manner(spans=False, bullet="-", table_columns=78)


def render_plain(text: str) -> Rendered:
    """The text with its formatting written out: fences kept, `>` before quotations, addresses in brackets."""
    return Rendered(text=finished(lay_out(parse(text), _MANNER)).text or text.strip())
