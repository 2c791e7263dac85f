"""Texts as the payloads that each platform is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from jarvisbot.connector import Markup
from jarvisbot.gateway.render import render
from jarvisbot.replay.rows import Row
from jarvisbot.replay.splitting import PLATFORMS, split_row
from jarvisbot.types import Rendered, Span, SpanKind

__all__ = ["payloads"]

_ENTITIES = {
    SpanKind.BOLD: "bold",
    SpanKind.ITALIC: "italic",
    SpanKind.STRIKE: "strikethrough",
    SpanKind.CODE: "code",
    SpanKind.PRE: "pre",
    SpanKind.LINK: "text_link",
    SpanKind.QUOTE: "blockquote",
    SpanKind.EXPANDABLE: "expandable_blockquote",
}
"""By their names in https://core.telegram.org/bots/api#messageentity."""


def payloads(row: Row) -> Mapping[str, object]:
    """One payload for each part of the text: what says the answer in the request that sends it."""
    name, parts = split_row(row)
    platform = PLATFORMS[name]
    return {"payloads": [_payload(render(part, platform.markup, platform.unit), platform.markup) for part in parts]}


def _payload(rendered: Rendered, markup: Markup) -> Mapping[str, object]:
    match markup:
        case Markup.ENTITIES:
            return {"text": rendered.text, "entities": [_entity(span) for span in rendered.spans]}
        case Markup.DISCORD:
            return {"content": rendered.text, "allowed_mentions": {"parse": []}}
        case Markup.HTML:
            return {
                "msgtype": "m.text",
                "body": rendered.text,
                "format": "org.matrix.custom.html",
                "formatted_body": rendered.html,
                "m.mentions": {},
            }
        case Markup.MARKDOWN | Markup.PLAIN:
            return {"text": rendered.text}
        case _:
            assert_never(markup)


def _entity(span: Span) -> Mapping[str, object]:
    entity: dict[str, object] = {"type": _ENTITIES[span.kind], "offset": span.start, "length": span.length}
    if span.url is not None:
        entity["url"] = span.url
    if span.language is not None:
        entity["language"] = span.language
    return entity
