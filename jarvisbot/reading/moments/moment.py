"""A moment in a text: a date, a time of day, or both, as somebody's wall clock shows it."""

from __future__ import annotations

import re
from datetime import date, time

import msgspec

from jarvisbot.reading.moments.counting import Counted, count_in, counting_in
from jarvisbot.reading.moments.dates import DATE, find_date

__all__ = ["Moment", "moment_in", "read_moment", "written_moment"]


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """What of a date and a time of day is said; `counted` where the date was found by counting. `spans`: where it stands."""

    day: date | None = None
    time: time | None = None
    counted: Counted | None = None
    spans: tuple[tuple[int, int], ...] = ()


_NAMED = {"noon": 12, "midday": 12, "mittag": 12, "mittags": 12, "midnight": 0, "mitternacht": 0}
_TIME = re.compile(
    r"""(?<![\w.,:/+-])(?:(?:at|um|gegen)\s)?(?:
      (?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?:\s?(?P<half>[ap])\.?m\b\.?|\s?uhr\b)?
    | (?P<dothour>[01]?\d|2[0-4])\.(?P<dotminute>[0-5]\d)\s?(?:uhr\b|(?P<dothalf>[ap])\.?m\b\.?)
    | (?P<uhr>[01]?\d|2[0-4])\s?uhr\b(?:\s(?P<after>[0-5]\d)\b(?!\.))?
    | (?P<ampm>0?\d|1[0-2])\s?(?P<only>[ap])\.?m\b\.?
    | (?P<oclock>0?\d|1[0-2])\s?o['’]clock(?:\sin\sthe\s(?P<part>morning|afternoon|evening))?
    | (?P<named>noon|midday|midnight|mittags?|mitternacht)\b
    )(?!\.?\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_ISO_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T_](\d\d:\d\d)")
_LEFT = re.compile(
    r"(?:\b(?:at|on|um|am|the|den|dem|der|and|und|von|vom|of|o'clock|uhr|date|datum)\b|[\W_])+", re.IGNORECASE
)


def moment_in(text: str, today: date) -> Moment:
    """The first date and the first time of day in the text; an empty one where it has neither. Raises NotADate."""
    text = _ISO_TIME.sub(r"\1 \2", text)
    spans: list[tuple[int, int]] = []
    counted = count_in(text, today)
    day = None
    if counted:
        day = counted[0].day
        spans.append((counted[1], counted[2]))
    elif named := find_date(text, today):
        day = named.day
        spans.append((named.start, named.end))
    rest = text
    for start, end in spans:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    clock = None
    if (found := _TIME.search(rest)) and (clock := _time(found)) is not None:
        spans.append((found.start(), found.end()))
    return Moment(day=day, time=clock, counted=counted[0] if counted else None, spans=tuple(sorted(spans)))


def written_moment(text: str) -> tuple[str, str, tuple[tuple[int, int], ...]]:
    """The words of the first date and of the first time of day in the text, whether they exist or not, and where they stand.

    The words of the time come last.
    """
    spans = []
    day = clock = ""
    if found := counting_in(text) or DATE.search(text):
        end = found.end()
        if found.re is not DATE and (base := DATE.match(text, end)):
            end = base.end()
        day = text[found.start() : end]
        spans.append((found.start(), end))
        text = f"{text[: found.start()]}{' ' * (end - found.start())}{text[end:]}"
    if found := _TIME.search(text):
        clock = re.sub(r"^(?:at|um|gegen)\s", "", found[0], flags=re.IGNORECASE)
        spans.append((found.start(), found.end()))
    return day, clock, tuple(spans)


def read_moment(text: str, today: date) -> Moment | None:
    """The moment that the whole text is; None where it holds more than that. Raises NotADate."""
    moment = moment_in(text, today)
    rest = _ISO_TIME.sub(r"\1 \2", text)
    for start, end in reversed(moment.spans):
        rest = f"{rest[:start]} {rest[end:]}"
    return moment if moment.spans and not _LEFT.sub("", rest) else None


def _time(found: re.Match[str]) -> time | None:
    if found["named"]:
        return time(_NAMED[found["named"].lower()])
    hour = int(next(value for name in ("hour", "dothour", "uhr", "ampm", "oclock") if (value := found[name])))
    minute = int(found["minute"] or found["dotminute"] or found["after"] or 0)
    half = (found["half"] or found["dothalf"] or found["only"] or "").lower()
    if found["part"]:
        half = "a" if found["part"].lower() == "morning" else "p"
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour == 24:
        return time(0) if minute == 0 else None
    return time(hour, minute)
