"""The clock tool's refusals in a person's language: questions back, and times and dates that do not exist."""

from __future__ import annotations

import re
from datetime import date

from jarvisbot.reading.clocks import MONTHS
from jarvisbot.reading.moments.dates import ENGLISH_MONTHS
from jarvisbot.reading.timekeeping.wording import Wording

__all__ = ["refusal"]

_UNKNOWN = re.compile(r'No place "(?P<name>.*)" is known\.', re.DOTALL)
_ZONES = re.compile(
    r'"(?P<name>.*)" has several time zones\. Ask which town is meant(?:, such as (?P<town>.+))?\.', re.DOTALL
)
_EITHER = re.compile(r'"(?P<name>.*)" may be (?P<options>.+)\. Ask which one is meant\.', re.DOTALL)
_GAP = re.compile(
    r"(?P<time>\d\d:\d\d) on \w{3} (?P<day>\d+) (?P<month>\w{3}) (?P<year>\d{4}) does not exist in (?P<place>.+): "
    r"(?:clocks go from (?P<early>\d\d:\d\d) to (?P<late>\d\d:\d\d)|that day is left out)\."
)
_NO_DATE = re.compile(r"(?P<written>.+) is not a date(?:: (?P<reason>.+))?\.")
_LEAP = re.compile(r"(\d{4}) is not a leap year")
_SHORT = re.compile(r"(\w+) has (\d\d) days")


def refusal(result: str, words: Wording) -> str | None:
    """What the failed call comes to in a sentence; None where it failed for a reason that is not the question's."""
    text = re.sub(r'^Tool "[^"]*" failed:\s*', "", result.strip())
    if found := _UNKNOWN.match(text):
        return words.unknown(found["name"])
    if found := _ZONES.match(text):
        return words.several_zones(found["name"], found["town"] or "")
    if found := _EITHER.match(text):
        return words.either(found["name"], found["options"].split("; "))
    if found := _GAP.match(text):
        day = date(int(found["year"]), MONTHS.index(found["month"]) + 1, int(found["day"]))
        change = (found["early"], found["late"]) if found["early"] else None
        return words.left_out(found["time"], day, found["place"].split(",")[0], change)
    if found := _NO_DATE.match(text):
        return _no_date(found["written"], found["reason"] or "", words)
    return None


def _no_date(written: str, reason: str, words: Wording) -> str | None:
    if not words.german:
        return f"{written} is not a date{f': {reason}' if reason else ''}."
    named = re.fullmatch(r"(\d+) (\w+) (\d{4})", written)
    if named is None or named[2] not in ENGLISH_MONTHS:
        return (
            f"{written} ist kein Datum." if not reason else f"{written} ist nicht eindeutig. Schreib es als JJJJ-MM-TT."
        )
    shown = f"{named[1]}. {words.months[ENGLISH_MONTHS.index(named[2])]} {named[3]}"
    if leap := _LEAP.fullmatch(reason):
        return f"Den {shown} gibt es nicht: {leap[1]} ist kein Schaltjahr."
    if short := _SHORT.fullmatch(reason):
        return f"Den {shown} gibt es nicht: Der {words.months[ENGLISH_MONTHS.index(short[1])]} hat {short[2]} Tage."
    return f"Den {shown} gibt es nicht."
