"""Answers in Discord's markdown, which knows fewer forms than CommonMark and some that CommonMark lacks.

What Discord shows: https://support.discord.com/hc/en-us/articles/210298617. Headings go to level 3, lists count on from their
first number, fences are three backticks, quotations do not nest, and there are no tables, pictures or dividers.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Sequence
from typing import assert_never

from jarvisbot.gateway.render.escaping import escape, escape_line_starts, quiet_address
from jarvisbot.gateway.render.layout import DIVIDER, Manner, fence_language, inline_flow, safe_url
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
    merged,
)
from jarvisbot.gateway.render.tables import has_link, table_lines
from jarvisbot.gateway.render.tree import parse
from jarvisbot.types import Rendered, SpanKind

__all__ = ["render_discord"]

_CELL = Manner(spans=True, bullet="-", table_columns=40)
_ZERO_WIDTH = "\u200b"
_MARKS = {SpanKind.BOLD: "**", SpanKind.ITALIC: "*", SpanKind.STRIKE: "~~"}
_SEEN = re.compile(rf"[^\s>{_ZERO_WIDTH}]")
_Styles = frozenset[SpanKind]
_NONE: _Styles = frozenset()


def render_discord(text: str) -> Rendered:
    """The text as a message's `content`. What would show nothing at all is shown as written."""
    shown = _blocks(parse(text), _Inside.NOTHING).strip("\n")
    if not _SEEN.search(shown):
        shown = escape_line_starts(escape(text.strip()))
    return Rendered(text=shown)


class _Inside(enum.Enum):
    """What a block stands in: Discord shows headings and quotations at the start of a line only."""

    NOTHING = enum.auto()
    QUOTE = enum.auto()
    DEEPER = enum.auto()


def _blocks(blocks: Sequence[Block], inside: _Inside, *, tight: bool = False) -> str:
    parts = (_block(block, inside) for block in blocks)
    return ("\n" if tight else "\n\n").join(part for part in parts if part)


def _block(block: Block, inside: _Inside) -> str:
    match block:
        case Paragraph():
            return escape_line_starts(_inlines(block.children, _NONE))
        case Heading():
            return _heading(block, inside)
        case CodeBlock():
            return _code_block(block)
        case Quote():
            return _quote(block, inside)
        case Listing():
            return _listing(block)
        case Table():
            return _table(block)
        case Divider():
            return DIVIDER
        case _:
            assert_never(block)


def _quote(block: Quote, inside: _Inside) -> str:
    if inside is _Inside.NOTHING:
        return "\n".join(f"> {line}" for line in _blocks(block.blocks, _Inside.QUOTE).split("\n"))
    return _prefixed(_blocks(block.blocks, _Inside.DEEPER), "> ", "> ")


def _heading(block: Heading, inside: _Inside) -> str:
    if block.level <= 3 and inside is not _Inside.DEEPER:
        line = " ".join(_inlines(block.children, _NONE).split("\n"))
        return f"{'#' * block.level} {line}" if line.strip() else ""
    return escape_line_starts(_inlines((Styled(style=SpanKind.BOLD, children=block.children),), _NONE))


def _code_block(block: CodeBlock) -> str:
    language, remark = fence_language(block.info)
    if not block.text.strip():
        return escape_line_starts(escape(block.info))
    body = re.sub(r"`(?=``)", f"`{_ZERO_WIDTH}", block.text)
    body = f"{body}{_ZERO_WIDTH}" if body.endswith("`") else body
    fence = f"```{language}\n{body}\n```"
    return f"{escape_line_starts(escape(remark))}\n{fence}" if remark else fence


def _listing(block: Listing) -> str:
    numbers = [int(item.marker[:-1]) for item in block.items if item.marker.endswith(".")]
    counted = len(numbers) == len(block.items) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return ("\n" if block.tight else "\n\n").join(_item(item, counted, tight=block.tight) for item in block.items)


def _item(item: Item, counted: bool, *, tight: bool) -> str:
    """An item; a number that Discord would count otherwise is text."""
    marker = item.marker or "-"
    if item.marker.endswith(".") and not counted:
        marker = f"{item.marker[:-1]}\\."
    content = _blocks(item.blocks, _Inside.DEEPER, tight=tight)
    return _prefixed(content, f"{marker} ", " " * (3 if item.marker else 2))


def _prefixed(text: str, first: str, rest: str) -> str:
    """The text with `first` before its first line and `rest` before the others; what would stand in code does not."""
    result: list[str] = []
    fenced = False
    for number, line in enumerate(text.split("\n")):
        prefix = rest if number else first
        fence = line.startswith("```")
        if fenced or fence:
            result.append(line if number else f"{prefix.rstrip()}\n{line}")
            fenced = fenced != fence
        else:
            result.append(f"{prefix}{line}".rstrip() if number == 0 or line else prefix.rstrip())
    return "\n".join(result)


def _table(block: Table) -> str:
    header = [inline_flow(cell, _CELL) for cell in block.header]
    rows = [[inline_flow(cell, _CELL) for cell in row] for row in block.rows]
    lines = table_lines(header, rows, block.right)
    if lines.width <= _CELL.table_columns and not has_link((header, *rows)):
        return _code_block(CodeBlock(text=lines.text))
    if not rows:
        return " │ ".join(_inlines(cell, _NONE) for cell in block.header)
    return "\n\n".join("\n".join(_card_lines(block.header, row)) for row in block.rows)


def _card_lines(header: Sequence[Sequence[Inline]], row: Sequence[Sequence[Inline]]) -> list[str]:
    lines = []
    for column, cell in enumerate(row):
        name = tuple(header[column]) if column < len(header) else ()
        label = Styled(style=SpanKind.BOLD, children=(*name, Text(text=":")))
        shown = " ".join(_inlines(cell, _NONE).split("\n")).strip() or "–"
        lines.append(f"{_inlines((label,), _NONE)} {shown}" if name else escape_line_starts(shown))
    return lines


# ---------------------------------------------------------------- inside a line


def _inlines(nodes: Sequence[Inline], styles: _Styles) -> str:
    """The nodes after each other; marks of the same kind that would touch are kept apart by what nobody sees."""
    parts: list[str] = []
    last = ""
    for node in merged(nodes):
        part = _inline(node, styles)
        if part and last and last[-1] in "*~`" and part[0] == last[-1] and not last.endswith(f"\\{last[-1]}"):
            part = f"{_ZERO_WIDTH}{part}"
        parts.append(part)
        last = part or last
    return "".join(parts)


def _inline(node: Inline, styles: _Styles) -> str:
    match node:
        case Text():
            return escape(node.text)
        case Break():
            return "\n"
        case Code():
            return _code(node.text)
        case Styled():
            return _styled(node, styles)
        case Link():
            return _link(_inlines(node.children, styles), _letters(node.children), node.url, node.title)
        case Image():
            return _link(escape(node.alt), node.alt, node.url, node.title)
        case _:
            assert_never(node)


def _styled(node: Styled, styles: _Styles) -> str:
    """The node in its marks, which stop before code that holds such marks: Discord would take those for the end."""
    if node.style in styles:
        return _inlines(node.children, styles)
    parts: list[str] = []
    for sealed, group in itertools.groupby(node.children, _seals):
        children = tuple(group)
        parts.append(_inlines(children, styles) if sealed else _wrapped(children, node.style, styles))
    return "".join(parts)


def _seals(node: Inline) -> bool:
    """Whether code in the node holds what would close the formatting around it."""
    match node:
        case Code():
            return "*" in node.text or "~~" in node.text
        case Styled() | Link():
            return any(map(_seals, node.children))
        case _:
            return False


def _wrapped(children: Sequence[Inline], style: SpanKind, styles: _Styles) -> str:
    inner = _inlines(children, styles | {style})
    body = inner.strip()
    if not body.strip(_ZERO_WIDTH):
        return inner
    start = len(inner) - len(inner.lstrip())
    mark = _MARKS[style]
    return f"{inner[:start]}{mark}{body}{mark}{inner[start + len(body) :]}"


def _code(text: str) -> str:
    if not text.strip():
        return text
    if "`" not in text:
        return f"`{text}`"
    # Three backticks would open a block, and two hold any that stand alone.
    apart = re.sub(r"`(?=`)", f"`{_ZERO_WIDTH}", text)
    return f"`` {apart} ``"


def _letters(nodes: Sequence[Inline]) -> str:
    return inline_flow(nodes, _CELL).text


def _link(label: str, letters: str, url: str, title: str) -> str:
    """A link with words of its own, else the address; Discord shows words that look like an address as they are."""
    target = safe_url(url)
    remark = f" “{escape(title)}”" if title and title not in letters else ""
    if not letters.strip():
        label, letters = escape(url), url
    bare = letters.strip() in (url, url.removeprefix("mailto:"))
    linked = target is not None and target.lower().startswith(("http://", "https://"))
    if not linked or target is None:
        return label + (remark if bare or not url else f" ({escape(url)}){remark}")
    address = f"<{quiet_address(target).replace('<', '%3C').replace('>', '%3E')}>"
    if bare:
        return f"{address}{remark}"
    if "://" in letters or "](" in label:
        return f"{label} ({address}){remark}"
    words = re.sub(r"(?<!\\)\]", r"\\]", label.replace("\n", " "))
    return f"[{words}]({address}){remark}"
