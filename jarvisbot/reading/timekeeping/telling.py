"""What clocks and the calendar tell: the time here or elsewhere, a time turned into another zone's, a date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time

import msgspec

from jarvisbot.errors import BadArguments
from jarvisbot.reading.clocks import clock_line, date_text, gap, resolve, zone_of
from jarvisbot.reading.moments import Counted, Moment, NotADate, read_moment
from jarvisbot.reading.places import Doubtful, Located, SeveralZones, candidates, locate
from jarvisbot.reading.zones import SeveralMeanings, zone_named

__all__ = ["ClockError", "told"]

_OWN_WORDS = """
here local locally me my hier lokal own home now jetzt current today mir uns bei_mir hier_bei_mir local_time my_time
own_time lokale_zeit ortszeit user none null default current_location my_location here_and_now here_now
"""
OWN = frozenset(_OWN_WORDS.split())
"""What a place is called that is none: the person's own clock."""
LIST_LIMIT = 8
_JOINT = re.compile(r"\s+(?:and|und|&)\s+", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:[,;]|\band\b|\bund\b|&)\s*", re.IGNORECASE)
_NOW = re.compile(r"\W*(?:now|right now|jetzt|gerade|current(?: time)?|aktuell|today|heute)?\W*", re.IGNORECASE)


class ClockError(BadArguments):
    """The question cannot be answered as it is; the message says why and, where something has to be asked, what."""


class _Whereabouts(msgspec.Struct, frozen=True, kw_only=True):
    label: str | None
    zone: str

    def line(self, instant: datetime) -> str:
        return clock_line(instant, self.zone, self.label)


def told(place: str, at: str, to: str, *, now: datetime, zone: str, language: str) -> str:
    """The clock lines for `place` (a name, several of them, a time zone; empty: the person's own `zone`), one a line.

    `at` is a local time there, a date, or both, instead of `now` (UTC); `to` a place or zone whose time is wanted too. A time
    that clocks show twice has a line for each. A date alone is told with its weekday and week, a counted one with its count.
    Raises ClockError for a place that is unknown or may be several, a time that is left out, and what is no date.
    Takes a tenth of a second at the first call: not for the event loop's thread.
    """
    here = _Whereabouts(label=None, zone=zone)
    sources = _whereabouts(place, here, now, language)
    target = _whereabouts(to, here, now, language)[0] if to.strip() else None
    if _NOW.fullmatch(at):
        return "\n".join(where.line(now) for where in (*sources, *((target,) if target else ())))
    moment = _moment(at, now.astimezone(zone_of(sources[0].zone)).date())
    if moment.time is not None:
        return "\n".join(line for where in sources for line in _converted(where, moment.day, moment.time, target, now))
    return _day(moment.day, moment.counted) if moment.day else ""


# ---------------------------------------------------------------- where


def _whereabouts(name: str, here: _Whereabouts, now: datetime, language: str) -> Sequence[_Whereabouts]:
    plain = " ".join(name.split()).strip(" .,;:?!\"'")
    if not plain or plain.lower().replace(" ", "_") in OWN:
        return [here]
    if found := _found(plain, now, language):
        return [found]
    missing = plain
    for joint in (_JOINT, _LIST):  # a comma may part places, or a town from its country
        parts = [part for part in joint.split(plain) if part]
        if not 1 < len(parts) <= LIST_LIMIT:
            continue
        several = [(part, _found(part, now, language)) for part in parts]
        unknown = next((part for part, found in several if found is None), "")
        if not unknown:
            return [found for _, found in several if found is not None]
        missing = unknown
    raise ClockError(f'No place "{missing[:60]}" is known. Ask which town is meant.')


def _found(name: str, now: datetime, language: str) -> _Whereabouts | None:
    match zone_named(name):
        case SeveralMeanings(label=label, meanings=meanings):
            raise ClockError(_either(label, [words for words, _ in meanings]))
        case None:
            pass
        case known:
            return _Whereabouts(label=known.label, zone=known.zone)
    for candidate in candidates(name[:100]):
        match locate(candidate, now, language=language):
            case Located(label=label, zone=zone):
                return _Whereabouts(label=label, zone=zone)
            case SeveralZones(town=town):
                example = f", such as {town}" if town else ""
                raise ClockError(f'"{candidate}" has several time zones. Ask which town is meant{example}.')
            case Doubtful(options=options):
                raise ClockError(_either(candidate, options))
            case None:
                continue
    return None


def _either(name: str, options: Sequence[str]) -> str:
    return f'"{name}" may be {"; ".join(options)}. Ask which one is meant.'


# ---------------------------------------------------------------- when


def _moment(at: str, today: date) -> Moment:
    try:
        moment = read_moment(at, today)
    except NotADate as error:
        raise ClockError(error.user_message) from error
    if moment is None:
        raise ClockError(f'"{" ".join(at.split())[:60]}" is no time or date. Write HH:MM, YYYY-MM-DD, or both.')
    return moment


def _day(day: date, counted: Counted | None) -> str:
    told = f"{date_text(day)}, calendar week {day.isocalendar().week}"
    if counted is None:
        return told
    months, days = abs(counted.months), abs(counted.days)
    if months and months % 12 == 0:
        amount = _amount(months // 12, "year")
    else:
        amount = _amount(months, "month") if months else _amount(days, "day")
    way = "before" if counted.months < 0 or counted.days < 0 else "after"
    rule = f"; that month has no day {counted.base.day}, so its last one is taken" if counted.moved else ""
    return f"{told}\nCounted: {amount} {way} {date_text(counted.base)}{rule}."


def _amount(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _converted(
    where: _Whereabouts, day: date | None, clock: time, target: _Whereabouts | None, now: datetime
) -> Sequence[str]:
    day = day or now.astimezone(zone_of(where.zone)).date()
    wall = datetime.combine(day, clock)
    try:
        instants = resolve(wall, where.zone)
        lines = [each.line(instant) for instant in instants for each in (where, *((target,) if target else ()))]
    except OverflowError as error:
        raise ClockError(f"{date_text(day)} is too far off for a clock.") from error
    if not instants:
        early, late = gap(wall, where.zone)
        change = f"clocks go from {early:%H:%M} to {late:%H:%M}" if early != late else "that day is left out"
        raise ClockError(f"{wall:%H:%M} on {date_text(day)} does not exist in {where.label or where.zone}: {change}.")
    if len(instants) > 1:
        lines.append(f"Clocks are set back then: {wall:%H:%M} comes twice.")
    return lines
