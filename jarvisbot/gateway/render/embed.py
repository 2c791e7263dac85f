"""What stands around an answer as Discord shows it: an embed of fields, and buttons that open the sources.

Limits: https://discord.com/developers/docs/resources/message#embed-object-embed-limits and, for buttons,
https://discord.com/developers/docs/components/reference#button. They are read in UTF-16 units, the strictest reading.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from jarvisbot.connector import Unit
from jarvisbot.gateway.render.escaping import escape
from jarvisbot.gateway.render.frame import Frame, Link, code, links, row_words
from jarvisbot.gateway.render.units import length
from jarvisbot.types import Embed, EmbedField, LinkButton, ToolRow

__all__ = ["embeds", "fitted", "link_buttons"]

TITLE, DESCRIPTION, FOOTER, NAME, VALUE = 256, 4096, 2048, 256, 1024
MOST_FIELDS = 25
WHOLE = 6000
"""All texts of all embeds of a message."""
BUTTON_LABEL, BUTTON_URL = 80, 512
_EMPTY = "–"
_MARGIN = 24
"""Room for what says that something was cut."""
_CLUSTER = regex.compile(r"\X")


def embeds(frame: Frame) -> tuple[Embed, ...]:
    """One embed: a field for each tool row, sources that no button can open, the labels as its footer. () for nothing."""
    fields = [_field(row) for row in frame.rows]
    shown, more = links(frame.sources)
    if unopened := [link.title for link in shown if not _opens(link)]:
        fields.append(EmbedField(name="Sources", value="\n".join(map(escape, unopened))))
    told = " · ".join(filter(None, (frame.told, f"+{more} more sources" if more else "")))
    if not fields and not told:
        return ()
    return (fitted(Embed(fields=tuple(fields), footer=told) if fields else Embed(description=escape(told))),)


def _field(row: ToolRow) -> EmbedField:
    words = row_words(row)
    value = [code(words.detail) if words.detail else "", f"· {escape(words.tool)}" if words.tool else ""]
    state = f" ({words.state})" if words.state else ""
    return EmbedField(name=f"{escape(words.label)}{state}", value=" ".join(filter(None, value)))


def link_buttons(frame: Frame) -> tuple[LinkButton, ...]:
    """A button for each page among the sources that are shown."""
    shown, _ = links(frame.sources)
    return tuple(
        LinkButton(label=_shortened(link.title, BUTTON_LABEL), url=link.url)
        for link in shown
        if link.url is not None and _opens(link)
    )


def _opens(link: Link) -> bool:
    url = link.url or ""
    return url.lower().startswith(("http://", "https://")) and length(url, Unit.UTF16) <= BUTTON_URL


def fitted(embed: Embed) -> Embed:
    """The embed within every limit and all of them together; what was cut ends with an ellipsis, what is left out is counted."""
    title = _shortened(embed.title, TITLE)
    footer = _shortened(embed.footer, FOOTER)
    left = WHOLE - _units(title) - _units(footer) - _MARGIN
    description = _shortened(embed.description, min(DESCRIPTION, left))
    left -= _units(description)
    fields: list[EmbedField] = []
    for field in embed.fields[:MOST_FIELDS]:
        name = _shortened(field.name, NAME) or _EMPTY
        value = _shortened(field.value, min(VALUE, left - _units(name)))
        if _units(name) + 1 > left or (field.value.strip() and not value):
            break
        value = value or _EMPTY
        fields.append(EmbedField(name=name, value=value))
        left -= _units(name) + _units(value)
    if more := len(embed.fields) - len(fields):
        footer = _shortened(footer, FOOTER - _MARGIN)
        footer = f"{footer} · +{more} more" if footer else f"+{more} more"
    return Embed(title=title, description=description, fields=tuple(fields), footer=footer)


def _units(text: str) -> int:
    return length(text, Unit.UTF16)


def _shortened(text: str, limit: int) -> str:
    """The text within `limit` units, cut between characters as people see them, the cut marked."""
    text = text.strip()
    if _units(text) <= limit:
        return text
    taken: list[str] = []
    left = limit - 1
    clusters: Iterator[regex.Match[str]] = _CLUSTER.finditer(text)
    for match in clusters:
        left -= _units(match[0])
        if left < 0:
            break
        taken.append(match[0])
    kept = "".join(taken).rstrip()
    return f"{kept}…" if kept else ""
