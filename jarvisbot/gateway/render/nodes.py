"""The values an answer's tree is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from jarvisbot.types import SpanKind

__all__ = [
    "Block",
    "Break",
    "Code",
    "CodeBlock",
    "Divider",
    "Heading",
    "Image",
    "Inline",
    "Item",
    "Link",
    "Listing",
    "Paragraph",
    "Quote",
    "Styled",
    "Table",
    "Text",
    "merged",
]

# ---------------------------------------------------------------- inside a line


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Characters, references and escapes already resolved."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A line break, soft or hard: chat platforms show both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Inline code."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Styled:
    """Bold, italic or struck text."""

    style: SpanKind
    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link; `url` is as written and may be unsafe or relative."""

    url: str
    title: str
    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture by address."""

    url: str
    title: str
    alt: str


Inline: TypeAlias = Text | Break | Code | Styled | Link | Image


def merged(nodes: Sequence[Inline]) -> list[Inline]:
    """The nodes with neighbouring texts as one, so that what they are together is seen."""
    joined: list[Inline] = []
    pending: list[str] = []
    for node in nodes:
        if isinstance(node, Text):
            pending.append(node.text)
            continue
        if pending:
            joined.append(Text(text="".join(pending)))
            pending = []
        joined.append(node)
    return [*joined, Text(text="".join(pending))] if pending else joined


# ---------------------------------------------------------------- blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text."""

    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """Code, fenced or indented; `info` is the whole info string. `text` has no line break at its end."""

    text: str
    info: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A block quote."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of a list; `marker` is its number with its mark ("2)"), or "" for a bullet."""

    marker: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list; `tight` where no blank line stands between its items."""

    items: tuple[Item, ...]
    tight: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; a row may have more cells than `header`. `right` names the columns that are aligned to the right."""

    header: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]
    right: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Divider:
    """A thematic break."""


Block: TypeAlias = Paragraph | Heading | CodeBlock | Quote | Listing | Table | Divider
