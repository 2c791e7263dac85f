"""What tools and their seeds read out of messages, by the kind of the row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec

from jarvisbot.replay.rows import BadRow, Row, read

__all__ = ["TOOL_KINDS", "called"]

_CLOCK = re.compile(r"(?P<time>\d\d:\d\d) .*\((?P<offset>UTC[^,)]*), [^)]*\), (?P<date>.+)\Z")


class _Kind(msgspec.Struct, frozen=True):
    kind: str


class _Expression(msgspec.Struct, frozen=True):
    expression: str


class _Message(msgspec.Struct, frozen=True):
    message: str
    language: str = "en"


class _FollowUp(msgspec.Struct, frozen=True):
    message: str
    prior_subject: str | None = None
    prior_person: str | None = None


class _Raw(msgspec.Struct, frozen=True):
    raw: str


class _Instant(msgspec.Struct, frozen=True):
    instant: str
    zone: str
    place: str | None = None


class _Line(msgspec.Struct, frozen=True):
    line: str


def called(row: Row) -> Mapping[str, object] | None:
    """What the row's `kind` makes of it; None where a message asks for no place."""
    kind = read(row, _Kind).kind
    if kind not in TOOL_KINDS:
        raise BadRow(f"There is no kind {kind!r}; there are {', '.join(TOOL_KINDS)}.")
    return TOOL_KINDS[kind](row)


def _calculator(row: Row, *, lenient: bool) -> Mapping[str, object]:
    from jarvisbot.reading.arithmetic import SumError, evaluate

    try:
        return {"text": evaluate(read(row, _Expression).expression, lenient=lenient).line}
    except SumError as error:
        return {"error": error.kind.value}


def _sum_from_message(row: Row) -> Mapping[str, object]:
    """A sum without a value has its error in place of a reply."""
    from jarvisbot.reading.arithmetic import SumError, evaluate, reply, sum_in

    fields = read(row, _Message)
    expression = sum_in(fields.message, german=fields.language == "de")
    if expression is None:
        return {"expression": None, "reply": None}
    try:
        line = evaluate(expression, lenient=True).text
    except SumError as error:
        return {"expression": expression, "reply": None, "error": error.kind.value}
    return {"expression": expression, "reply": reply(fields.message, line, fields.language)}


def _place_asked(row: Row) -> Mapping[str, object] | None:
    from jarvisbot.reading.places import place_asked

    place = place_asked(read(row, _Message).message)
    return None if place is None else {"display": place.display, "query": place.query}


def _place_candidates(row: Row) -> Mapping[str, object]:
    from jarvisbot.reading.places import candidates

    return {"candidates": list(candidates(read(row, _Raw).raw))}


def _clock_format(row: Row) -> Mapping[str, object]:
    from jarvisbot.reading.clocks import clock_line

    fields = read(row, _Instant)
    try:
        instant = datetime.fromisoformat(fields.instant)
    except ValueError as error:
        raise BadRow(f"{fields.instant!r} is no instant of ISO 8601.") from error
    if instant.tzinfo is None:
        raise BadRow(f"{fields.instant!r} has no offset from UTC.")
    try:
        line = clock_line(instant, fields.zone, place=fields.place)
    except ValueError as error:  # an unknown zone
        raise BadRow(f"{error}.") from error
    found = _CLOCK.search(line)
    return {"line": line, **(found.groupdict() if found else {"time": None, "offset": None, "date": None})}


def _clock_read_back(row: Row) -> Mapping[str, object]:
    from jarvisbot.reading.clocks import read_back

    reading = read_back(read(row, _Line).line)
    return {"time": reading and reading.time, "place": reading and reading.place}


def _focus(row: Row) -> Mapping[str, object]:
    from jarvisbot.reading.queries import focus

    return {"query": focus(read(row, _Message).message)}


def _fact_ask(row: Row) -> Mapping[str, object]:
    from jarvisbot.reading.queries import fact_ask

    return {"query": fact_ask(read(row, _Message).message)}


def _pronoun_focus(row: Row) -> Mapping[str, object]:
    from jarvisbot.reading.queries import pronoun_focus

    return {"query": pronoun_focus(read(row, _Message).message)}


def _follow_up(row: Row) -> Mapping[str, object]:
    from jarvisbot.reading.queries import follow_up

    fields = read(row, _FollowUp)
    return {"query": follow_up(fields.message, subject=fields.prior_subject, person=fields.prior_person)}


TOOL_KINDS: Mapping[str, Callable[[Row], Mapping[str, object] | None]] = {
    "calculator": lambda row: _calculator(row, lenient=False),
    "calculator_lenient": lambda row: _calculator(row, lenient=True),
    "clock_format": _clock_format,
    "clock_read_back": _clock_read_back,
    "fact_ask_query": _fact_ask,
    "focus_query": _focus,
    "follow_up_query": _follow_up,
    "place_asked": _place_asked,
    "place_candidates": _place_candidates,
    "pronoun_focus": _pronoun_focus,
    "sum_from_message": _sum_from_message,
}
"""The kinds of rows -> what makes something of them. Each imports what it needs when it is first asked."""
