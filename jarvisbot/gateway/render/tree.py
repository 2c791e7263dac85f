"""The tree of an answer: CommonMark with tables and strikethrough, as values that renderers walk.

It departs from CommonMark where people who talk about code and sums expect it: `__name__` glued to a word or a file
suffix and stars between numbers are text, HTML is text, reference definitions are text (they would vanish), a bare web
address is never emphasised, and the number of a list item is the one that was written.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

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
from jarvisbot.types import SpanKind

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["markdown", "parse"]

MAX_NESTING = 30
"""Containers, or formatting, inside each other. What lies deeper is shown as written: markdown-it-py drops such blocks."""


@functools.cache
def markdown() -> MarkdownIt:
    """The parser of all answers, built at the first use."""
    from jarvisbot.gateway.render.grammar import build

    return build(max_nesting=MAX_NESTING)


@functools.lru_cache(maxsize=8)
def parse(text: str) -> tuple[Block, ...]:
    """The blocks of a CommonMark text. Any text is valid; no letter of it is missing in the tree.

    The last few are remembered: a message is measured, then rendered.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    tokens = markdown().parse(text)
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        return (Paragraph(children=_lines(text)),)
    return tuple(_Reader(tokens, text.split("\n")).blocks())


def _lines(text: str) -> tuple[Inline, ...]:
    parts: list[Inline] = []
    for number, line in enumerate(text.split("\n")):
        parts.extend((Break(), Text(text=line)) if number else (Text(text=line),))
    return tuple(parts)


class _Reader:
    """Walks the flat token stream once; owns its position in it."""

    def __init__(self, tokens: Sequence[Token], lines: Sequence[str]) -> None:
        self._tokens = tokens
        self._lines = lines
        self._at = 0

    def blocks(self, until: str = "") -> Iterator[Block]:
        """The blocks up to the token of type `until`, which is consumed."""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            match token.type:
                case kind if kind == until:
                    return
                case "paragraph_open":
                    yield Paragraph(children=self._inlines())
                case "heading_open":
                    yield Heading(level=int(token.tag[1:]), children=self._inlines())
                case "fence" | "code_block":
                    yield CodeBlock(text=token.content.removesuffix("\n"), info=token.info.strip())
                case "blockquote_open":
                    yield Quote(blocks=tuple(self.blocks("blockquote_close")))
                case "bullet_list_open" | "ordered_list_open":
                    yield self._listing(token.type.replace("open", "close"))
                case "table_open":
                    yield self._table()
                case "hr":
                    yield Divider()
                case _:
                    pass

    def _inlines(self) -> tuple[Inline, ...]:
        token = self._tokens[self._at]
        self._at += 1
        if any(child.level > MAX_NESTING for child in token.children or ()):
            return _lines(token.content)
        return tuple(_inline_nodes(iter(token.children or ())))

    def _listing(self, until: str) -> Listing:
        written: list[tuple[str, str, tuple[Block, ...]]] = []
        tight = True
        while (token := self._tokens[self._at]).type != until:
            self._at += 1
            if token.type != "list_item_open":
                continue
            first = self._at
            blocks = tuple(self.blocks("list_item_close"))
            tight = tight and all(
                inner.hidden
                for inner in self._tokens[first : self._at]
                if inner.type == "paragraph_open" and inner.level == token.level + 1
            )
            written.append((token.info, token.markup, blocks))
        self._at += 1
        numbers = [number for number, _, _ in written]
        if len(numbers) > 1 and numbers[0] and len(set(numbers)) == 1:  # "1. 1. 1." asks to be counted
            numbers = [str(int(numbers[0]) + offset) for offset in range(len(numbers))]
        return Listing(
            items=tuple(
                Item(marker=f"{number}{mark}" if number else "", blocks=blocks)
                for number, (_, mark, blocks) in zip(numbers, written, strict=True)
            ),
            tight=tight,
        )

    def _table(self) -> Table:
        from jarvisbot.gateway.render.grammar import surplus_cells

        rows: list[tuple[tuple[Inline, ...], ...]] = []
        cells: list[tuple[Inline, ...]] = []
        right: set[int] = set()
        row_line = 0
        while (token := self._tokens[self._at]).type != "table_close":
            self._at += 1
            match token.type:
                case "tr_open":
                    cells = []
                    row_line = token.map[0] if token.map else 0
                case "th_open" | "td_open":
                    if "right" in str(token.attrGet("style") or ""):
                        right.add(len(cells))
                    cells.append(self._inlines())
                case "tr_close":
                    if rows:  # a body row may be longer than the header; CommonMark tables drop what is too much
                        cells.extend(_cell(extra) for extra in surplus_cells(self._lines[row_line], len(cells)))
                    rows.append(tuple(cells))
                case _:
                    pass
        self._at += 1
        return Table(header=rows[0], rows=tuple(rows[1:]), right=frozenset(right))


def _cell(source: str) -> tuple[Inline, ...]:
    return tuple(_inline_nodes(iter(markdown().parseInline(source)[0].children or ())))


_STYLES = {"strong_open": SpanKind.BOLD, "em_open": SpanKind.ITALIC, "s_open": SpanKind.STRIKE}


def _inline_nodes(tokens: Iterator[Token]) -> Iterator[Inline]:
    for token in tokens:
        match token.type:
            case "softbreak" | "hardbreak":
                yield Break()
            case "code_inline":
                yield Code(text=token.content)
            case "strong_open" | "em_open" | "s_open":
                yield Styled(style=_STYLES[token.type], children=tuple(_inline_nodes(tokens)))
            case "link_open":
                yield Link(
                    url=str(token.attrGet("href") or ""),
                    title=str(token.attrGet("title") or ""),
                    children=tuple(_inline_nodes(tokens)),
                )
            case "image":
                yield Image(
                    url=str(token.attrGet("src") or ""),
                    title=str(token.attrGet("title") or ""),
                    alt=_plain(_inline_nodes(iter(token.children or ()))),
                )
            case "strong_close" | "em_close" | "s_close" | "link_close":
                return
            case _:
                if token.content:
                    yield Text(text=token.content)


def _plain(nodes: Iterator[Inline]) -> str:
    """The letters of an image's description."""
    parts: list[str] = []
    for node in nodes:
        match node:
            case Text() | Code():
                parts.append(node.text)
            case Break():
                parts.append(" ")
            case Styled():
                parts.append(_plain(iter(node.children)))
            case Link():
                label = _plain(iter(node.children))
                parts.append(label if node.url in ("", label) else f"{label} ({node.url})")
            case Image():
                parts.append(f"{node.alt} ({node.url})")
    return "".join(parts)
