"""Answers as HTML with the tags that Matrix allows, and the plain body beside it.

Tags and attributes: https://spec.matrix.org/v1.15/client-server-api/#mroommessage-msgtypes (org.matrix.custom.html).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from typing import assert_never
from urllib.parse import unquote, urlsplit

from jarvisbot.gateway.render.layout import Manner, fence_language, inline_flow, safe_url
from jarvisbot.gateway.render.nodes import (
    Block,
    Break,
    Code,
    CodeBlock,
    Divider,
    Heading,
    Image,
    Inline,
    Link,
    Listing,
    Paragraph,
    Quote,
    Styled,
    Table,
    Text,
    merged,
)
from jarvisbot.gateway.render.pings import neutralise_pings
from jarvisbot.gateway.render.plain import render_plain
from jarvisbot.gateway.render.tables import has_link, table_lines
from jarvisbot.gateway.render.tree import parse
from jarvisbot.types import Rendered, SpanKind

__all__ = ["escape_html", "event_size", "matrix_url", "neutralise_people", "render_matrix"]

_CELL = Manner(spans=True, bullet="-", table_columns=40)
_TAGS = {SpanKind.BOLD: "strong", SpanKind.ITALIC: "em", SpanKind.STRIKE: "del"}
_PERSON = re.compile(r"@(?=[A-Za-z0-9._=/+-]+:[A-Za-z0-9\[])")
"""A Matrix id, https://spec.matrix.org/v1.15/appendices/#user-identifiers."""
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""What HTML may not hold, nor the database of a homeserver."""


def render_matrix(text: str) -> Rendered:
    """The text as `body` and `formatted_body` of an event; no person and no room is notified by it.

    What would show nothing at all is shown as written.
    """
    # Clients without mentions of their own look for @room anywhere in the body, code included.
    body = neutralise_people(neutralise_pings(render_plain(text).text))
    shown = _blocks(parse(text))
    if not re.sub(r"<[^>]*>", "", shown).strip() and "<hr>" not in shown:
        body = text.strip()
        shown = f"<p>{escape_html(body)}</p>"
    return Rendered(text=_UNSHOWABLE.sub("\ufffd", body), html=shown)


def event_size(rendered: Rendered) -> int:
    """Bytes that the text and its HTML take in an event, written as JSON."""
    return len(json.dumps(rendered.text, ensure_ascii=False).encode("utf-8", "replace")) + len(
        json.dumps(rendered.html, ensure_ascii=False).encode("utf-8", "replace")
    )


def neutralise_people(text: str) -> str:
    """The text with a zero-width space behind the @ of each Matrix id, so that no client makes a mention of it."""
    return _PERSON.sub("@\u200b", text) if "@" in text else text


def escape_html(text: str) -> str:
    """The text for the inside of an element or an attribute, pings neutralised."""
    return html.escape(_UNSHOWABLE.sub("\ufffd", neutralise_people(neutralise_pings(text))), quote=True)


def matrix_url(url: str) -> str | None:
    """The address as a client may open it; None where Matrix allows no such link, or where it would be a mention."""
    target = safe_url(url)
    if target is None or not target.lower().startswith(("http://", "https://", "mailto:")):
        return None
    if urlsplit(target).netloc.lower() == "matrix.to" and unquote(target).partition("#/")[2].startswith("@"):
        return None
    return _UNSHOWABLE.sub("", target)


def _blocks(blocks: Sequence[Block], *, tight: bool = False) -> str:
    return "".join(_block(block, tight=tight) for block in blocks)


def _block(block: Block, *, tight: bool) -> str:
    match block:
        case Paragraph():
            inner = _inlines(block.children)
            return inner if tight else f"<p>{inner}</p>"
        case Heading():
            return f"<h{block.level}>{_inlines(block.children)}</h{block.level}>" if block.children else ""
        case CodeBlock():
            return _code_block(block)
        case Quote():
            return f"<blockquote>{_blocks(block.blocks)}</blockquote>"
        case Listing():
            return _listing(block)
        case Table():
            return _table(block)
        case Divider():
            return "<hr>"
        case _:
            assert_never(block)


def _code_block(block: CodeBlock) -> str:
    language, remark = fence_language(block.info)
    if not block.text.strip():
        return f"<p>{escape_html(block.info)}</p>" if block.info else ""
    named = f' class="language-{html.escape(language)}"' if language else ""
    # HTML drops a line break right behind <pre>, and code that begins with one is not to lose it.
    code = f"<pre><code{named}>{_verbatim(block.text)}\n</code></pre>"
    return f"<p>{escape_html(remark)}</p>{code}" if remark else code


def _verbatim(text: str) -> str:
    return html.escape(_UNSHOWABLE.sub("\ufffd", neutralise_pings(text)), quote=True)


def _listing(block: Listing) -> str:
    """The list; one whose numbers skip is several, since an item cannot have a number of its own."""
    parts: list[str] = []
    expected = -1
    for position, item in enumerate(block.items):
        number = int(item.marker[:-1]) if item.marker else 0
        if position == 0 or (item.marker and number != expected):
            parts.append("</ol>" if position else "")
            start = f' start="{number}"' if number != 1 else ""
            parts.append(f"<ol{start}>" if item.marker else "<ul>")
        expected = number + 1
        parts.append(f"<li>{_blocks(item.blocks, tight=block.tight)}</li>")
    parts.append("</ol>" if block.items and block.items[0].marker else "</ul>")
    return "".join(parts)


def _table(block: Table) -> str:
    header = [inline_flow(cell, _CELL) for cell in block.header]
    rows = [[inline_flow(cell, _CELL) for cell in row] for row in block.rows]
    lines = table_lines(header, rows, block.right)
    if lines.width <= _CELL.table_columns and not has_link((header, *rows)):
        return f"<pre><code>{_verbatim(lines.text)}\n</code></pre>"
    if not rows:
        return f"<p>{' │ '.join(_inlines(cell) for cell in block.header)}</p>"
    return "".join(f"<p>{_card(block.header, row)}</p>" for row in block.rows)


def _card(header: Sequence[Sequence[Inline]], row: Sequence[Sequence[Inline]]) -> str:
    lines = []
    for column, cell in enumerate(row):
        name = _inlines(header[column]) if column < len(header) else ""
        lines.append((f"<strong>{name}:</strong> " if name else "") + (_inlines(cell) or "–"))
    return "<br>".join(lines)


# ---------------------------------------------------------------- inside a line


def _inlines(nodes: Sequence[Inline], *, linked: bool = False) -> str:
    return "".join(_inline(node, linked=linked) for node in merged(nodes))


def _inline(node: Inline, *, linked: bool) -> str:
    match node:
        case Text():
            return escape_html(node.text)
        case Break():
            return "<br>"
        case Code():
            return f"<code>{_verbatim(node.text)}</code>"
        case Styled():
            tag = _TAGS[node.style]
            return f"<{tag}>{_inlines(node.children, linked=linked)}</{tag}>"
        case Link():
            inner = _inlines(node.children, linked=True)
            return _link(inner, inline_flow(node.children, _CELL).text, node.url, node.title, linked=linked)
        case Image():
            return _link(escape_html(node.alt), node.alt, node.url, node.title, linked=linked)
        case _:
            assert_never(node)


def _link(label: str, letters: str, url: str, title: str, *, linked: bool) -> str:
    """The label leading to `url`; inside a link, or where that may not be, with the address in brackets."""
    if not letters.strip():
        label, letters = escape_html(url), url
    remark = f" “{escape_html(title)}”" if title and title not in letters else ""
    target = None if linked else matrix_url(url)
    if target is not None:
        return f'<a href="{html.escape(target)}">{label}</a>{remark}'
    bare = letters.strip() in (url, url.removeprefix("mailto:"))
    return label + (remark if bare or not url else f" ({escape_html(url)}){remark}")
