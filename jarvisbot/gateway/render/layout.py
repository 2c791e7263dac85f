"""Blocks laid out as lines of text: bullets, indents, quotations, headings, dividers, links."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never
from urllib.parse import urlsplit

from jarvisbot.gateway.render.flow import EMPTY, Flow, indented, joined, marked
from jarvisbot.gateway.render.nodes import (
    Block,
    Break,
    Code,
    CodeBlock,
    Divider,
    Heading,
    Image,
    Inline,
    Item,
    Link,
    Listing,
    Paragraph,
    Quote,
    Styled,
    Table,
    Text,
)
from jarvisbot.gateway.render.pings import neutralise_pings
from jarvisbot.gateway.render.tables import has_link, table_cards, table_lines
from jarvisbot.types import SpanKind

__all__ = ["DIVIDER", "Manner", "fence_language", "inline_flow", "lay_out", "safe_url"]

DIVIDER = "─" * 12
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a text is written out. With `spans` formatting travels beside the text, else it is written into it."""

    spans: bool
    bullet: str
    table_columns: int
    """Widest table in display columns; a wider one becomes one card a row."""


def lay_out(blocks: Sequence[Block], manner: Manner) -> Flow:
    """The blocks below each other, a blank line between them."""
    return joined((_block(block, manner) for block in blocks), "\n\n")


def _block(block: Block, manner: Manner) -> Flow:
    match block:
        case Paragraph():
            return inline_flow(block.children, manner)
        case Heading():
            heading = inline_flow(block.children, manner)
            return marked(heading, SpanKind.BOLD) if manner.spans else heading
        case CodeBlock():
            return _code_block(block, manner)
        case Quote():
            return _quote(block, manner)
        case Listing():
            return _listing(block, manner)
        case Table():
            return _table(block, manner)
        case Divider():
            return Flow(text=DIVIDER)
        case _:
            assert_never(block)


def _code_block(block: CodeBlock, manner: Manner) -> Flow:
    if not manner.spans:
        longest = max((len(run) for run in re.findall(r"`{3,}", block.text)), default=2)
        fence = "`" * (longest + 1)
        return Flow(text=f"{fence}{block.info}\n{block.text}\n{fence}")
    language, remark = fence_language(block.info)
    code = marked(Flow(text=block.text), SpanKind.PRE, language=language or None)
    if not block.text.strip():
        return Flow(text=block.info)
    remark = neutralise_pings(remark)
    return joined((Flow(text=remark), code), "\n") if remark else code


def fence_language(info: str) -> tuple[str, str]:
    """The language that a fence names, "" for none, and what else stands behind it."""
    language, _, remark = info.partition(" ")
    return (language, remark.strip()) if _LANGUAGE.fullmatch(language) else ("", info.strip())


def _quote(block: Quote, manner: Manner) -> Flow:
    if not manner.spans:
        return _quoted_lines(lay_out(block.blocks, manner))
    parts = [
        _quoted_lines(lay_out(part.blocks, manner)) if isinstance(part, Quote) else _block(part, manner)
        for part in block.blocks
    ]
    return marked(joined(parts, "\n\n"), SpanKind.QUOTE)


def _quoted_lines(flow: Flow) -> Flow:
    return indented(flow, "> ", "> ")


def _listing(block: Listing, manner: Manner) -> Flow:
    return joined((_item(item, manner, tight=block.tight) for item in block.items), "\n" if block.tight else "\n\n")


def _item(item: Item, manner: Manner, *, tight: bool) -> Flow:
    marker = f"{item.marker or manner.bullet} "
    parts = [_block(part, manner) for part in item.blocks]
    content = joined(parts, "\n" if tight else "\n\n") if parts else EMPTY
    return indented(content, marker, " " * max(len(marker), 3))


def _table(block: Table, manner: Manner) -> Flow:
    header = [inline_flow(cell, manner) for cell in block.header]
    rows = [[inline_flow(cell, manner) for cell in row] for row in block.rows]
    lines = table_lines(header, rows, block.right)
    if has_link((header, *rows)) or lines.width > manner.table_columns:
        return table_cards(header, rows, bold=manner.spans)
    return marked(Flow(text=lines.text), SpanKind.PRE) if manner.spans else Flow(text=lines.text)


# ---------------------------------------------------------------- inside a line


def inline_flow(nodes: Sequence[Inline], manner: Manner) -> Flow:
    """The inline nodes after each other."""
    return joined(_inline(node, manner) for node in nodes)


def _inline(node: Inline, manner: Manner) -> Flow:
    match node:
        case Text():
            return Flow(text=neutralise_pings(node.text))
        case Break():
            return Flow(text="\n")
        case Code():
            if manner.spans:
                return marked(Flow(text=node.text), SpanKind.CODE)
            return Flow(text=node.text if "`" in node.text else f"`{node.text}`")
        case Styled():
            styled = inline_flow(node.children, manner)
            return marked(styled, node.style) if manner.spans else styled
        case Link():
            return _link(inline_flow(node.children, manner), node.url, node.title, manner)
        case Image():
            return _link(Flow(text=neutralise_pings(node.alt)), node.url, node.title, manner)
        case _:
            assert_never(node)


def _link(label: Flow, url: str, title: str, manner: Manner) -> Flow:
    """The label leading to `url` where that is safe, else with the address in brackets; a title is shown after it."""
    shown = label if label.text.strip() else Flow(text=url)
    remark = f" “{title}”" if title and title not in shown.text else ""
    bare = shown.text.strip() in (url, url.removeprefix("mailto:"))
    target = safe_url(url)
    if target is not None and manner.spans:
        # A picture that is a link: the outer address wins.
        inner = [span.url for span in shown.spans if span.kind is SpanKind.LINK and span.url != target]
        remark = "".join(f" ({address})" for address in inner) + remark
        shown = Flow(text=shown.text, spans=tuple(span for span in shown.spans if span.kind is not SpanKind.LINK))
        return joined((marked(shown, SpanKind.LINK, url=target), Flow(text=remark)))
    return joined((shown, Flow(text=remark if bare or not url else f" ({url}){remark}")))


@functools.lru_cache(maxsize=64)
def safe_url(url: str) -> str | None:
    """The address as a platform takes it, percent-encoded; None unless it is a whole http(s), mailto or tg address."""
    from markdown_it.common.normalize_url import normalizeLink

    try:
        parts = urlsplit(url)
        if parts.scheme.lower() in ("http", "https", "tg") and not parts.netloc:
            return None
        if parts.scheme.lower() not in ("http", "https", "tg", "mailto") or any(mark.isspace() for mark in url):
            return None
        return normalizeLink(url)
    except (ValueError, UnicodeError):
        return None
