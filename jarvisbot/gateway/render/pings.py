"""Pings in a model's text, made harmless."""

from __future__ import annotations

import re

__all__ = ["neutralise_pings"]

_PING = re.compile(r"@(?=(?:everyone|here|room)(?![A-Za-z0-9_]))|(?<=<)@(?=[!&]?[\w:.-]+>)", re.IGNORECASE)
"""Discord's @everyone, @here, <@user>, <@!user>, <@&role> and Matrix's @room."""


def neutralise_pings(text: str) -> str:
    """The text with a zero-width space behind the @ of each ping of a room, a role or a person by id."""
    return _PING.sub("@\u200b", text) if "@" in text else text
