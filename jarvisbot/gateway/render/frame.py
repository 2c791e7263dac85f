"""What stands around an answer, whatever the platform: the tools that worked for it, how it came about, its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never
from urllib.parse import urlsplit

import msgspec
import regex

from jarvisbot.gateway.render.pings import neutralise_pings
from jarvisbot.types import RowState, Source, ToolRow

__all__ = [
    "MOST_SOURCES",
    "NO_FRAME",
    "Frame",
    "Link",
    "RowWords",
    "code",
    "escaped",
    "links",
    "noted",
    "one_line",
    "row_words",
]

MOST_SOURCES = 8
"""Links shown under an answer; the others are counted."""

_LONGEST_TITLE = 60
_LONGEST_DETAIL = 80
_LONGEST_TOOL = 40
_LONGEST_NOTE = 600
_LEAST_SECONDS = 0.05
"""A shorter time would be shown as 0.0."""
_SPECIAL = re.compile(r"([\\`*_\[\]<>#~|&])")
_CLUSTER = regex.compile(r"\X")


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """Rows stand above an answer, its sources and the labels that say how it came about below."""

    rows: tuple[ToolRow, ...] = ()
    sources: tuple[Source, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The labels as one line."""
        return " · ".join(map(one_line, self.labels))


NO_FRAME = Frame()


class RowWords(msgspec.Struct, frozen=True, kw_only=True):
    """A tool row in words, each on one line and short; "" where there is nothing to say."""

    label: str
    detail: str
    tool: str
    state: str
    """Its state where it is not done, and its seconds: "failed, 2.0 s"."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A source as it is shown; `url` is None where it leads to no page that may be opened."""

    title: str
    url: str | None


def noted(text: str, note: str) -> str:
    """The text with a line of the bot's own under it, which a fence that the text leaves open cannot swallow."""
    from jarvisbot.gateway.render.fence import close_fence

    return f"{close_fence(text.rstrip())}\n\n{note}" if note and text.strip() else text


def row_words(row: ToolRow) -> RowWords:
    """The row as it is shown everywhere."""
    time = f"{row.seconds:.1f} s" if row.seconds >= _LEAST_SECONDS else ""
    return RowWords(
        label=one_line(row.label, _LONGEST_TITLE),
        detail=one_line(row.detail, _LONGEST_DETAIL),
        tool=one_line(row.tool, _LONGEST_TOOL),
        state=", ".join(note for note in (_state(row.state), time) if note),
    )


def _state(state: RowState) -> str:
    match state:
        case RowState.RUNNING:
            return "running"
        case RowState.FAILED:
            return "failed"
        case RowState.DONE:
            return ""
        case _:
            assert_never(state)


def links(sources: Sequence[Source], most: int = MOST_SOURCES) -> tuple[list[Link], int]:
    """At most `most` sources, each page once, and how many more there are."""
    unique = list({source.url or source.title: source for source in reversed(sources)}.values())[::-1]
    shown = [link for link in map(_link, unique) if link.title]
    return shown[:most], max(len(shown) - most, 0)


def _link(source: Source) -> Link:
    from jarvisbot.gateway.render.layout import safe_url

    target = safe_url(source.url.strip())
    site = urlsplit(target).netloc if target else source.url
    return Link(title=one_line(source.title, _LONGEST_TITLE) or one_line(site, _LONGEST_TITLE), url=target)


def one_line(text: str, longest: int = _LONGEST_NOTE) -> str:
    """The text on one line without pings, cut between characters as people see them, the cut marked."""
    line = neutralise_pings(" ".join(text.split()))
    clusters: Iterator[regex.Match[str]] = _CLUSTER.finditer(line)
    ends = [match.end() for _, match in zip(range(longest + 1), clusters, strict=False)]
    return line if len(ends) <= longest else f"{line[: ends[longest - 2]].rstrip()}…"


def escaped(text: str) -> str:
    """CommonMark that shows the text as it is."""
    return _SPECIAL.sub(r"\\\1", text)


def code(text: str) -> str:
    """CommonMark that shows the text of one line as code."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    run = "`" * (longest + 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{run}{blank}{text}{blank}{run}"
