"""Tables in chat: aligned monospace lines, or one card a row."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from jarvisbot.gateway.render.flow import EMPTY, Flow, joined, marked
from jarvisbot.types import SpanKind

__all__ = ["Lines", "display_width", "has_link", "table_cards", "table_lines"]

_CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """A table as text and its width in display columns."""

    text: str
    width: int


def display_width(text: str) -> int:
    """Columns of a monospace font: two for East Asian wide characters and emoji, none for what combines."""
    return len(text) if text.isascii() else sum(_cluster_width(cluster) for cluster in _CLUSTER.findall(text))


@functools.lru_cache(maxsize=4096)
def _cluster_width(cluster: str) -> int:
    from wcwidth import wcswidth

    return min(max(wcswidth(cluster), 0), 2)


def has_link(rows: Sequence[Sequence[Flow]]) -> bool:
    """Whether a cell leads somewhere, which monospace cannot show."""
    return any(span.kind is SpanKind.LINK for row in rows for cell in row for span in cell.spans)


def table_lines(header: Sequence[Flow], rows: Sequence[Sequence[Flow]], right: frozenset[int]) -> Lines:
    """The cells in aligned columns, a line under the header. Formatting inside cells is left out."""
    cells = [[" ".join(cell.text.split("\n")) for cell in row] for row in (header, *rows)]
    columns = max(len(row) for row in cells)
    widths = [
        max((display_width(row[column]) for row in cells if column < len(row)), default=0) for column in range(columns)
    ]
    lines = []
    for row in cells:
        padded = []
        for column, cell in enumerate(row):
            gap = " " * (widths[column] - display_width(cell))
            padded.append(gap + cell if column in right else cell + gap)
        lines.append(" │ ".join(padded).rstrip())
    lines.insert(1, "─┼─".join("─" * width for width in widths))
    return Lines(text="\n".join(lines), width=sum(widths) + 3 * (columns - 1))


def table_cards(header: Sequence[Flow], rows: Sequence[Sequence[Flow]], *, bold: bool) -> Flow:
    """One card a row: every cell on its own line after its column's name; "–" stands for an empty cell."""
    if not rows:
        return joined(header, " │ ")
    return joined((_card(header, row, bold=bold) for row in rows), "\n\n")


def _card(header: Sequence[Flow], row: Sequence[Flow], *, bold: bool) -> Flow:
    lines: list[Flow] = []
    for column, cell in enumerate(row):
        name = header[column] if column < len(header) else EMPTY
        label = joined((name, Flow(text=": "))) if name.text.strip() else EMPTY
        value = cell if cell.text.strip() else Flow(text="–")
        lines.append(joined((marked(label, SpanKind.BOLD) if bold and label.text else label, value)))
    return joined(lines, "\n")
