"""The whole text of a message where a platform shows tool rows and sources in no form of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never
from urllib.parse import urlsplit

import regex

from jarvisbot.types import RowState, Source, ToolRow

__all__ = ["MOST_SOURCES", "compose", "noted"]

MOST_SOURCES = 8
"""Links shown under an answer; the others are counted."""

_LONGEST_DETAIL = 80
_LONGEST_TITLE = 60
_LONGEST_NOTE = 600
_LEAST_SECONDS = 0.05
"""A shorter time would be shown as 0.0."""
_SPECIAL = re.compile(r"([\\`*_\[\]<>#~|&])")
_CLUSTER = regex.compile(r"\X")


def noted(text: str, note: str) -> str:
    """The text with a line of the bot's own under it, which a fence that the text leaves open cannot swallow."""
    from jarvisbot.gateway.render.fence import close_fence

    return f"{close_fence(text.rstrip())}\n\n{note}" if note and text.strip() else text


def compose(text: str, rows: Sequence[ToolRow], sources: Sequence[Source], note: str = "") -> str:
    """CommonMark: a line for each tool that worked, the answer, the note under it, its sources; what is empty is left out.

    A fence that the answer leaves open is closed, so that the sources do not end up in it. The note is shown as written.
    """
    from jarvisbot.gateway.render.fence import close_fence

    # Two blanks make the line break hard and are invisible where a platform shows the source.
    lines = "  \n".join(_row_line(row) for row in rows)
    answer = close_fence(text.rstrip()) if sources else text
    answer = noted(answer, _escaped(_one_line(note, _LONGEST_NOTE)))
    return "\n\n".join(part for part in (lines, answer, _source_line(sources)) if part.strip())


def _row_line(row: ToolRow) -> str:
    words = [_escaped(_one_line(row.label, _LONGEST_TITLE))]
    detail = _one_line(row.detail, _LONGEST_DETAIL)
    if detail:
        words.append(_code(detail))
    time = f"{row.seconds:.1f} s" if row.seconds >= _LEAST_SECONDS else ""
    notes = ", ".join(note for note in (_state(row.state), time) if note)
    if notes:
        words.append(f"({notes})")
    return " ".join(words)


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


def _source_line(sources: Sequence[Source]) -> str:
    unique = list({source.url or source.title: source for source in reversed(sources)}.values())[::-1]
    shown = [link for link in map(_source, unique[:MOST_SOURCES]) if link]
    if len(unique) > MOST_SOURCES:
        shown.append(f"+{len(unique) - MOST_SOURCES} more")
    return f"Sources: {' · '.join(shown)}" if shown else ""


def _source(source: Source) -> str:
    from jarvisbot.gateway.render.layout import safe_url

    target = safe_url(source.url.strip())
    title = _escaped(_one_line(source.title, _LONGEST_TITLE) or (urlsplit(target).netloc if target else source.url))
    if target is None:
        return title
    return f"[{title}](<{target.replace('<', '%3C').replace('>', '%3E')}>)"


def _one_line(text: str, longest: int) -> str:
    """The text on one line, cut between characters as people see them, the cut marked."""
    line = " ".join(text.split())
    clusters: Iterator[regex.Match[str]] = _CLUSTER.finditer(line)
    ends = [match.end() for _, match in zip(range(longest + 1), clusters, strict=False)]
    return line if len(ends) <= longest else f"{line[: ends[longest - 2]].rstrip()}…"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    run = "`" * (longest + 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{run}{blank}{text}{blank}{run}"
