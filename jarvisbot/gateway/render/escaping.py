"""Text made safe for Discord's markdown: nothing in it is taken for formatting, a mention, a timestamp or an emoji."""

from __future__ import annotations

import re

from jarvisbot.gateway.render.pings import neutralise_pings

__all__ = ["escape", "escape_line_starts", "quiet_address"]

_ADDRESS = re.compile(r"https?://[^\s<>\u200b]+", re.IGNORECASE)
_REFERENCE = re.compile(r"<(?=(?:@[!&]?\d+|#\d+|a?:\w+:\d+|t:-?\d+(?::\w)?|/[\w -]+:\d+|id:\w+)>)", re.IGNORECASE)
"""<@person>, <@&role>, <#channel>, <:emoji:1>, <t:time>, </command:1> (https://discord.com/developers/docs/reference)."""
_SPECIAL = re.compile(r"[\\*_`\[]|(?<=~)~|~(?=~)|(?<=\|)\||\|(?=\|)")
_LINE_START = re.compile(
    r"^(?P<blank>[ \t]*)(?:(?P<mark>-(?=#|[ \t])|\+(?=[ \t])|#{1,3}(?=[ \t])|>{1,3}(?=[ \t]))|(?P<number>\d+)(?=\.[ \t]))",
    re.MULTILINE,
)
_MARKUP = re.compile(r"[*`\\]|~~+|\|\|+")
_SHOUT = re.compile(r"@(?=everyone|here|room)", re.IGNORECASE)


def escape(text: str) -> str:
    """The text for the inside of a line. Addresses stay whole, since a backslash would be part of where they lead."""
    text = _REFERENCE.sub("<\u200b", neutralise_pings(text))
    parts: list[str] = []
    at = 0
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip("*_~`|\\.,;:!?")
        parts += [_escaped(text[at : match.start()]), quiet_address(address)]
        at = match.start() + len(address)
    parts.append(_escaped(text[at:]))
    return "".join(parts)


def quiet_address(url: str) -> str:
    """The address without anything that notifies a room or ends the formatting around it."""
    return _MARKUP.sub(lambda match: "".join(f"%{ord(mark):02X}" for mark in match[0]), _SHOUT.sub("%40", url))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(_literal, text)


def _literal(match: re.Match[str]) -> str:
    text, at = match.string, match.start()
    if match[0] == "_" and 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum():
        return "_"  # Discord leaves a single one between letters alone
    return f"\\{match[0]}"


def escape_line_starts(text: str) -> str:
    """The running text with what would make one of its lines a heading, a list item or a quotation escaped."""
    return _LINE_START.sub(_literal_start, text)


def _literal_start(match: re.Match[str]) -> str:
    if match["number"]:
        return f"{match['blank']}{match['number']}\\"
    return f"{match['blank']}\\{match['mark']}"
