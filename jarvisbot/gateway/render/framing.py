"""Messages with what stands around an answer written into them, in each platform's form."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

import msgspec

from jarvisbot.connector import Capabilities, Markup, Unit
from jarvisbot.gateway.render import size
from jarvisbot.gateway.render.entities import counted
from jarvisbot.gateway.render.flow import Flow, finished, joined, marked
from jarvisbot.gateway.render.frame import Frame, Link, code, escaped, links, row_words
from jarvisbot.gateway.render.units import length
from jarvisbot.types import Rendered, SpanKind, ToolRow

__all__ = ["above", "below", "framed", "room"]

_NOTHING = Rendered(text="")
_SHARE = 3
"""What stands above an answer, and what stands below, takes at most this part of a message."""
_GAP = 4
"""A blank line, in any unit: in JSON it takes four bytes."""


def framed(body: Rendered, frame: Frame, capabilities: Capabilities, *, plain: bool = False) -> Rendered:
    """The message with the frame around its text; where the platform shows the frame in a form of its own, without.

    `plain`: all formatting of the frame is left out, as it is in the body.
    """
    if not _written(capabilities):
        return body
    parts = (above(frame, capabilities), body, below(frame, capabilities))
    whole = _stacked([part for part in parts if part.text], capabilities.unit)
    return Rendered(text=whole.text) if plain else whole


def room(frame: Frame, capabilities: Capabilities) -> tuple[int, int]:
    """How much of the first and of the last message the frame takes, in the connector's measure."""
    if not _written(capabilities):
        return 0, 0
    shown = (above(frame, capabilities), below(msgspec.structs.replace(frame, rows=()), capabilities))
    first, last = (size(part, capabilities.markup, capabilities.unit) + _GAP if part.text else 0 for part in shown)
    return first, last


def _written(capabilities: Capabilities) -> bool:
    return not capabilities.native_rows and capabilities.markup is not Markup.DISCORD


def _stacked(parts: Sequence[Rendered], unit: Unit) -> Rendered:
    spans = []
    at = 0
    for part in parts:
        spans += [msgspec.structs.replace(span, start=span.start + at) for span in part.spans]
        at += length(part.text, unit) + 2
    return Rendered(
        text="\n\n".join(part.text for part in parts), spans=tuple(spans), html="".join(part.html for part in parts)
    )


# ---------------------------------------------------------------- above


def above(frame: Frame, capabilities: Capabilities) -> Rendered:
    """The tool rows, and the labels under them: folded up where the platform has that. As many rows as there is room for."""
    if not frame.rows:
        return _NOTHING

    def write(count: int) -> Rendered:
        more = len(frame.rows) - count
        return _rows(frame.rows[:count], f"+{more} more" if more else "", frame.told, capabilities)

    return _largest(len(frame.rows), write, capabilities)


def _largest(count: int, write: Callable[[int], Rendered], capabilities: Capabilities) -> Rendered:
    limit = capabilities.text_limit
    for number in range(count, -1, -1):
        shown = write(number)
        if limit is None or size(shown, capabilities.markup, capabilities.unit) <= limit // _SHARE:
            return shown
    return _NOTHING


def _rows(rows: Sequence[ToolRow], more: str, labels: str, capabilities: Capabilities) -> Rendered:
    match capabilities.markup:
        case Markup.ENTITIES:
            flows = [_row_flow(row) for row in rows] + ([Flow(text=more)] if more else [])
            if labels:
                flows.append(marked(Flow(text=labels), SpanKind.ITALIC))
            return counted(finished(marked(joined(flows, "\n"), SpanKind.EXPANDABLE)), capabilities.unit)
        case Markup.HTML:
            from jarvisbot.gateway.render.matrix import escape_html, neutralise_people

            lines = [_row_html(row) for row in rows] + ([more] if more else [])
            summary = escape_html(" · ".join(dict.fromkeys(row_words(row).label for row in rows)) or more)
            told = f"<br><em>{escape_html(labels)}</em>" if labels else ""
            return Rendered(
                text=neutralise_people("\n".join([*map(_row_text, rows), *filter(None, (more, labels))])),
                html=f"<details><summary>{summary}</summary>{'<br>'.join(lines)}{told}</details>",
            )
        case Markup.PLAIN:
            return Rendered(text="\n".join([*map(_row_text, rows), *filter(None, (more, labels))]))
        case Markup.MARKDOWN | Markup.DISCORD:
            # Two blanks make the line break hard and are invisible where a platform shows the source.
            told = f"*{escaped(labels)}*" if labels else ""
            return Rendered(text="  \n".join([*map(_row_markdown, rows), *filter(None, (more, told))]))


def _row_flow(row: ToolRow) -> Flow:
    words = row_words(row)
    parts = [Flow(text=words.label)]
    if words.detail:
        parts.append(marked(Flow(text=words.detail), SpanKind.CODE))
    return joined([*parts, *_rest(words.state, words.tool)], " ")


def _rest(state: str, tool: str) -> list[Flow]:
    return [Flow(text=text) for text in (f"({state})" if state else "", f"· {tool}" if tool else "") if text]


def _row_text(row: ToolRow) -> str:
    return _row_flow(row).text


def _row_html(row: ToolRow) -> str:
    from jarvisbot.gateway.render.matrix import escape_html

    words = row_words(row)
    detail = f"<code>{escape_html(words.detail)}</code>" if words.detail else ""
    rest = [html.escape(flow.text) for flow in _rest(words.state, words.tool)]
    return " ".join(part for part in (escape_html(words.label), detail, *rest) if part)


def _row_markdown(row: ToolRow) -> str:
    words = row_words(row)
    parts = [escaped(words.label), code(words.detail) if words.detail else ""]
    return " ".join(part for part in (*parts, *(escaped(flow.text) for flow in _rest(words.state, words.tool))) if part)


# ---------------------------------------------------------------- below


def below(frame: Frame, capabilities: Capabilities) -> Rendered:
    """The sources as links, and the labels as the last line where no rows have them. As many sources as there is room for."""
    shown, more = links(frame.sources)
    labels = "" if frame.rows else frame.told
    if not shown and not labels:
        return _NOTHING

    def write(count: int) -> Rendered:
        left = more + len(shown) - count
        return _sources(shown[:count], f"+{left} more" if left else "", labels, capabilities)

    return _largest(len(shown), write, capabilities)


def _sources(shown: Sequence[Link], more: str, labels: str, capabilities: Capabilities) -> Rendered:
    match capabilities.markup:
        case Markup.ENTITIES:
            flows = [_linked(link) for link in shown] + ([Flow(text=more)] if more else [])
            lines = [joined([Flow(text="Sources: "), joined(flows, " · ")])] if flows else []
            if labels:
                lines.append(marked(marked(Flow(text=labels), SpanKind.ITALIC), SpanKind.EXPANDABLE))
            return counted(finished(joined(lines, "\n")), capabilities.unit)
        case Markup.HTML:
            from jarvisbot.gateway.render.matrix import escape_html, neutralise_people

            anchors = [*map(_anchor, shown), *filter(None, (more,))]
            written = f"<p>Sources: {' · '.join(anchors)}</p>" if anchors else ""
            told = f"<p><em>{escape_html(labels)}</em></p>" if labels else ""
            return Rendered(text=neutralise_people(_source_text(shown, more, labels)), html=written + told)
        case Markup.PLAIN:
            return Rendered(text=_source_text(shown, more, labels))
        case Markup.MARKDOWN | Markup.DISCORD:
            written = " · ".join([*map(_source_markdown, shown), *filter(None, (more,))])
            lines_ = (f"Sources: {written}" if written else "", f"*{escaped(labels)}*" if labels else "")
            return Rendered(text="  \n".join(filter(None, lines_)))


def _linked(link: Link) -> Flow:
    title = Flow(text=link.title)
    return title if link.url is None else marked(title, SpanKind.LINK, url=link.url)


def _anchor(link: Link) -> str:
    from jarvisbot.gateway.render.matrix import escape_html, matrix_url

    target = None if link.url is None else matrix_url(link.url)
    title = escape_html(link.title)
    return title if target is None else f'<a href="{html.escape(target)}">{title}</a>'


def _source_text(shown: Sequence[Link], more: str, labels: str) -> str:
    titles = [link.title if link.url is None else f"{link.title} ({link.url})" for link in shown]
    line = " · ".join([*titles, *filter(None, (more,))])
    return "\n".join(filter(None, (f"Sources: {line}" if line else "", labels)))


def _source_markdown(link: Link) -> str:
    title = escaped(link.title)
    if link.url is None:
        return title
    return f"[{title}](<{link.url.replace('<', '%3C').replace('>', '%3E')}>)"
