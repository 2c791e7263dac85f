"""Times of day that a draft tells otherwise than the clock."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jarvisbot.agent.review.finding import Check, Finding
from jarvisbot.store.turns import CallRecord

__all__ = ["wrong_time"]

TOOL = "current_time"

_LOCAL = re.compile(r"(?<![\d:+-])([01]?\d|2[0-3]):([0-5]\d)(?!\d)")
_ZONE = re.compile(r"\b[A-Z]\w+(?:/[\w+-]+)+")
_OFFSET = re.compile(
    r"(?:\b(?:UTC|GMT)\s*[+\-−–]|(?<=\d)[+\-−]|(?<=\s)[+\-−](?=\d))\s?\d{1,2}:?\d\d\b|\b(?:UTC|GMT)\s*[+\-−–]\s?\d+",
    re.IGNORECASE,
)
_DAYPART = (
    r"(?:in the (?:morning|afternoon|evening)|at night|am (?:vormittag|nachmittag|abend|morgen)"
    r"|(?:vor|nach)?mittags|abends|nachts|morgens|früh)\b"
)
_STATED = re.compile(
    r"(?:\d{4}-\d\d-\d\dT)?(?<![\d:.,])(?P<hour>2[0-4]|[01]?\d)"
    r"(?:"
    r"[:.](?P<minute>[0-5]\d)(?::[0-5]\d(?:\.\d+)?)?(?![\d:]|\.\d)(?P<uhr>\s*uhr\b)?"
    r"|\s*uhr(?:\s+(?P<after>[0-5]?\d)\b(?!\s*(?:grad|°|%|min|uhr|[.:]\d)))?"
    r"|(?P<oclock>\s*o['’]clock)"
    r"|(?=\s*[ap]\.?m\b)"
    r")"
    rf"(?:\s*(?P<half>[ap])\.?m\b\.?)?(?:\s*(?:uhr\s+)?(?P<daypart>{_DAYPART}))?",
    re.IGNORECASE,
)

Stated = tuple[frozenset[int], int | None]
"""The hours that a stated time may mean, and its minute where it has one."""


def wrong_time(calls: Sequence[CallRecord], draft: str, *, german: bool) -> Finding | None:
    """The first clock whose local time the draft does not state although it states a time that no clock showed.

    A draft that states no time passes; so do times that another tool's result holds, such as an appointment's.
    """
    clocks = {key: (time, text) for key, time, text in _clocks(calls)}
    if not clocks:
        return None
    others = {each for made in calls if made.result.ok and made.call.name != TOOL for each in _times(made.result.text)}
    stated = [each for each in _times(draft) if each not in others]
    shown = [time for time, _ in clocks.values()]
    if all(any(_means(each, time) for time in shown) for each in stated):
        return None
    for time, text in clocks.values():
        if not any(_means(each, time) for each in stated):
            return _finding(time, text, german=german)
    return None


def _clocks(calls: Sequence[CallRecord]) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Each clock that was looked at: its zone, its local time and its line; a later look counts for the same zone."""
    for made in calls:
        if made.result.ok and made.call.name == TOOL:
            for line in made.result.text.splitlines():
                if found := _LOCAL.search(line):
                    zone = _ZONE.search(line)
                    yield zone[0] if zone else line[: found.start()], (int(found[1]), int(found[2])), line.strip()


def _times(text: str) -> Iterator[Stated]:
    """The times of day in the text. A dotted one needs "Uhr", am or pm: otherwise it is a date or a number."""
    for found in _STATED.finditer(_OFFSET.sub(" ", text)):
        hour, minute = int(found["hour"]) % 24, found["minute"] or found["after"]
        half = (found["half"] or "").lower()
        dotted = found["minute"] is not None and found[0][found.start("minute") - found.start() - 1] == "."
        if dotted and not (found["uhr"] or half):
            continue
        hours = {hour}
        if half and hour <= 12:
            hours = {hour % 12 + (12 if half == "p" else 0)}
        elif (found["daypart"] or found["oclock"]) and hour <= 12:
            hours = {hour % 12, hour % 12 + 12}
        yield frozenset(hours), None if minute is None else int(minute)


def _means(stated: Stated, time: tuple[int, int]) -> bool:
    hours, minute = stated
    return time[0] in hours and minute in (None, time[1])


def _finding(time: tuple[int, int], line: str, *, german: bool) -> Finding:
    shown = f"{time[0]:02}:{time[1]:02}"
    if german:
        return Finding(
            kind=Check.WRONG_NUMBER,
            words=f"Die Uhr zeigte {shown}, in der Antwort steht eine andere Zeit.",
            fix=f"Die Uhr zeigte: {line}. Nenne {shown} Uhr als Zeit.",
        )
    return Finding(
        kind=Check.WRONG_NUMBER,
        words=f"The clock showed {shown}, and the answer gives another time.",
        fix=f"The clock showed: {line}. Give {shown} as the time.",
    )
