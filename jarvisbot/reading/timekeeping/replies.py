"""The sentence that answers a clock question, written from the clock tool's result in German or English."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date

from jarvisbot.reading.clocks import MONTHS, WEEKDAYS, Reading, readings
from jarvisbot.reading.timekeeping.languages import wording
from jarvisbot.reading.timekeeping.questions import Check, ClockQuestion, Wanted
from jarvisbot.reading.timekeeping.refusals import refusal
from jarvisbot.reading.timekeeping.wording import Spot, Wording, capitalised, spot

__all__ = ["reply"]

_DAY_LINE = re.compile(
    rf"^(?:{'|'.join(WEEKDAYS)}) (?P<day>\d{{1,2}}) (?P<month>{'|'.join(MONTHS)}) (?P<year>\d{{4}}), calendar week (?P<week>\d+)"
    r"(?:\nCounted: (?P<count>[^\n]*?)(?P<moved>; that month[^\n]*)?\.)?$"
)


def reply(question: ClockQuestion, result: str, *, ok: bool, language: str) -> str | None:
    """The answer in German for "de", English for "en"; None for other languages and what no sentence is known for."""
    words = wording(language)
    if words is None:
        return None
    if not ok:
        return refusal(result, words)
    shown = readings(result)
    if not shown:
        told = _day(question, result, words)
        return f"{capitalised(question.places[0].display)}: {told}" if told and question.places else told
    if question.at:
        return _converted(question, shown, words)
    if Wanted.DIFFERENCE in question.wanted and len(shown) == 2:
        return _difference(question, shown, words)
    if question.check is not None:
        return _check(question.check, shown[0].date, words)
    named = question.places if len(question.places) == len(shown) else (None,) * len(shown)
    return " ".join(
        _told(question, spot(place, reading, words), reading, words)
        for place, reading in zip(named, shown, strict=True)
    )


def _told(question: ClockQuestion, where: Spot, reading: Reading, words: Wording) -> str:
    wanted = set(question.wanted)
    if wanted & {Wanted.ZONE, Wanted.DIFFERENCE}:
        return words.zone(where, reading)
    if Wanted.TIME in wanted or not wanted:
        return words.clock(where, reading, with_date=len(wanted) != 1)
    if Wanted.WEEK in wanted:
        return words.week(reading.date)
    if Wanted.DATE in wanted or len(wanted) > 1:
        return words.today(where, reading.date)
    return words.month(where, reading.date) if Wanted.MONTH in wanted else words.year(where, reading.date)


def _check(check: Check, today: date, words: Wording) -> str:
    if check.leap_year:
        return words.leap_year(today.year, leap=calendar.isleap(today.year))
    if check.weekday is not None:
        right = today.weekday() == check.weekday
    else:
        right = today.month == check.month if check.month else today.weekday() >= 5
    return words.verdict(today, right=right)


def _day(question: ClockQuestion, result: str, words: Wording) -> str | None:
    found = _DAY_LINE.fullmatch(result.strip())
    if found is None:
        return None
    day = date(int(found["year"]), MONTHS.index(found["month"]) + 1, int(found["day"]))
    if Wanted.WEEK in question.wanted:
        return words.week(day)
    if found["count"]:
        return words.counted(day, found["count"], moved=bool(found["moved"]))
    return words.day(day, question.at if re.fullmatch(r"[^\W\d]+(?: [^\W\d]+)*", question.at) else "")


# ---------------------------------------------------------------- two clocks


def _converted(question: ClockQuestion, shown: Sequence[Reading], words: Wording) -> str:
    source = _beside(question, question.source, shown[0], words)
    if len(shown) == 1:
        return words.clock(spot(None, shown[0], words), shown[0], with_date=True)
    if len(shown) == 4:
        return words.twice(source, _beside(question, question.target, shown[1], words), shown)
    if shown[0].time == shown[1].time and shown[0].place == shown[1].place:
        return words.twice(source, "", shown)
    return words.converted(source, _beside(question, question.target, shown[1], words), shown[0], shown[1])


def _difference(question: ClockQuestion, shown: Sequence[Reading], words: Wording) -> str:
    names = [place.display for place in question.places]
    names = names if len(names) == 2 else ["", *names]
    first, second = (_beside(question, name, reading, words) for name, reading in zip(names, shown, strict=False))
    return words.difference(first, second, shown[0], shown[1])


def _beside(question: ClockQuestion, name: str, reading: Reading, words: Wording) -> str:
    """What stands behind a time that is turned into another: " UTC", " in Tokyo", " here"."""
    if reading.place is None:
        return f" {words.here}"
    where = spot(next((place for place in question.places if place.display == name), None), reading, words)
    return f" {where.phrase}" if where.phrase else where.suffix
