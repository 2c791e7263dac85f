"""Text with spans over it, and the ways to join, indent and trim such text. Positions count code points here."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from jarvisbot.types import Span, SpanKind

__all__ = ["EMPTY", "Flow", "finished", "indented", "joined", "marked"]

_QUOTES = (SpanKind.QUOTE, SpanKind.EXPANDABLE)
_VERBATIM = (SpanKind.PRE, *_QUOTES)
"""Kinds whose leading blanks mean something: only line breaks are trimmed off them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A text and its formatting; a span that contains another comes before it."""

    text: str
    spans: tuple[Span, ...] = ()


EMPTY = Flow(text="")


def joined(parts: Iterable[Flow], separator: str = "") -> Flow:
    """The parts after each other with `separator` between them."""
    texts: list[str] = []
    spans: list[Span] = []
    length = 0
    for part in parts:
        if texts and separator:
            texts.append(separator)
            length += len(separator)
        spans.extend(_placed(span, span.start + length, span.length) for span in part.spans)
        texts.append(part.text)
        length += len(part.text)
    return Flow(text="".join(texts), spans=tuple(spans))


def _placed(span: Span, start: int, length: int) -> Span:
    """The span elsewhere; `dataclasses.replace` takes several times as long."""
    return Span(kind=span.kind, start=start, length=length, url=span.url, language=span.language)


def marked(flow: Flow, kind: SpanKind, *, url: str | None = None, language: str | None = None) -> Flow:
    """The flow with one span over all of it."""
    over = Span(kind=kind, start=0, length=len(flow.text), url=url, language=language)
    return Flow(text=flow.text, spans=(over, *flow.spans))


def indented(flow: Flow, first: str, rest: str) -> Flow:
    """The flow with `first` before its first line and `rest` before the others; lines of code blocks stay as they are."""
    code = [(span.start, span.start + span.length) for span in flow.spans if span.kind is SpanKind.PRE]
    lines: list[str] = []
    starts: list[int] = []
    added: list[int] = []
    position = total = 0
    for number, line in enumerate(flow.text.split("\n")):
        prefix = rest if number else first
        if any(start <= position < end or position == start for start, end in code):
            prefix = "" if number or not first else first.rstrip() + "\n"
        elif not line:
            prefix = prefix.rstrip()
        starts.append(position)
        total += len(prefix)
        added.append(total)
        lines.append(prefix + line)
        position += len(line) + 1
    return Flow(text="\n".join(lines), spans=tuple(_moved(span, starts, added) for span in flow.spans))


def _moved(span: Span, starts: list[int], added: list[int]) -> Span:
    start = span.start + added[bisect.bisect_right(starts, span.start) - 1]
    last = span.start + max(span.length - 1, 0)
    end = last + added[bisect.bisect_right(starts, last) - 1] + 1 if span.length else start
    return _placed(span, start, end - start)


# ---------------------------------------------------------------- what a platform accepts


def finished(flow: Flow) -> Flow:
    """The flow as Telegram wants entities: nested or apart, never empty, without blanks at their ends, in order.

    Code overlaps nothing but a quotation, a quotation is never inside another, a kind never inside itself
    (https://core.telegram.org/bots/api#messageentity).
    """
    text = flow.text
    taken: list[Span] = []
    around: list[Span] = []
    for span in flow.spans:
        while around and around[-1].start + around[-1].length <= span.start:
            around.pop()
        if span.length and not any(_hides(outer, span) for outer in around):
            taken.append(span)
            around.append(span)
    code = [(span.start, span.start + span.length) for span in taken if span.kind in (SpanKind.CODE, SpanKind.PRE)]
    pieces = itertools.chain.from_iterable(_around(span, code) for span in taken)
    trimmed = (_trimmed(text, piece) for piece in pieces)
    whole = _ends_trimmed(text, tuple(span for span in trimmed if span.length > 0))
    return Flow(
        text=whole.text,
        spans=tuple(sorted(whole.spans, key=lambda span: (span.start, -span.length, span.kind not in _QUOTES))),
    )


def _hides(outer: Span, span: Span) -> bool:
    """Whether `span`, which lies inside `outer`, says nothing new there or may not be there."""
    if span.kind in _QUOTES:
        return outer.kind in _QUOTES
    return outer.kind is span.kind or (outer.kind is SpanKind.LINK and span.kind is SpanKind.CODE)


def _around(span: Span, code: list[tuple[int, int]]) -> Iterable[Span]:
    """The span without the stretches of code inside it."""
    if span.kind in (SpanKind.CODE, *_VERBATIM):
        yield span
        return
    at, end = span.start, span.start + span.length
    for start, stop in code[bisect.bisect_left(code, (at, at)) :]:
        if stop > end:
            break
        yield _placed(span, at, start - at)
        at = stop
    yield _placed(span, at, end - at)


def _trimmed(text: str, span: Span) -> Span:
    blanks = "\n" if span.kind in _VERBATIM else None
    body = text[span.start : span.start + span.length]
    kept = body.strip(blanks)
    if not kept.strip():
        return _placed(span, span.start, 0)
    return _placed(span, span.start + len(body) - len(body.lstrip(blanks)), len(kept))


def _ends_trimmed(text: str, spans: tuple[Span, ...]) -> Flow:
    """Without blanks at the ends of the text, but for the indent of code it begins with."""
    start = len(text) - len(text.lstrip())
    code = [span.start for span in spans if span.kind in _VERBATIM and span.start <= start < span.start + span.length]
    start = min([start, *code])
    end = len(text.rstrip())
    kept = (_placed(span, span.start - start, min(span.start + span.length, end) - span.start) for span in spans)
    return Flow(text=text[start:end], spans=tuple(span for span in kept if span.length > 0))
