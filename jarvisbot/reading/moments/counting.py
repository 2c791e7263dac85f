"""Days, weeks, months and years counted from a date: "one year after 29 Feb 2028", "in 90 Tagen"."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

import msgspec

from jarvisbot.reading.moments.dates import DATE, NotADate, find_date

__all__ = ["Counted", "count_in", "counting_in"]


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """A day found by counting: `days` or `months` from `base`. `moved` where the month has no such day and its last is taken."""

    day: date
    base: date
    days: int
    months: int
    moved: bool


_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "ein": 1, "eine": 1, "einem": 1, "einen": 1, "einer": 1, "zwei": 2,
    "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12,
}  # fmt: skip
_UNITS = {
    "day": (1, 0), "tag": (1, 0), "week": (7, 0), "woche": (7, 0), "fortnight": (14, 0), "month": (0, 1), "monat": (0, 1),
    "year": (0, 12), "jahr": (0, 12), "decade": (0, 120), "jahrzehnt": (0, 120),
}  # fmt: skip
_AMOUNT = (
    rf"(?P<number>\d{{1,5}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})\s"
    r"(?P<unit>day|week|fortnight|month|year|decade|tag|woche|monat|jahr|jahrzehnt)(?:s|en|e|n)?"
)
_FORMS = (
    (
        re.compile(
            rf"\b{_AMOUNT}\s(?P<way>after|from|before|nach|vor|since)\s(?:the\s|dem\s|den\s)?(?=\S)", re.IGNORECASE
        ),
        True,
    ),
    (re.compile(rf"\b(?P<way>in|vor)\s{_AMOUNT}\b", re.IGNORECASE), False),
    (re.compile(rf"\b{_AMOUNT}\s(?P<way>ago|later|from now|from today)\b", re.IGNORECASE), False),
)
_BACKWARDS = frozenset({"before", "vor", "ago"})


def counting_in(text: str) -> re.Match[str] | None:
    """Where the text counts days, weeks, months or years; the date that is counted from stands behind it, if any."""
    for pattern, based in _FORMS:
        if (found := pattern.search(text)) and (
            not based or DATE.match(text, found.end()) or re.match(r"now\b|jetzt\b", text[found.end() :], re.IGNORECASE)
        ):
            return found
    return None


def count_in(text: str, today: date) -> tuple[Counted, int, int] | None:
    """The day that the text counts to, and where that stands in it. Raises NotADate where its base or its end is none."""
    for pattern, based in _FORMS:
        found = pattern.search(text)
        if found is None:
            continue
        base, end = today, found.end()
        if based:
            if re.match(r"(?:now|today|heute|jetzt)\b", text[end:], re.IGNORECASE):
                end += len(re.split(r"\W", text[end:], maxsplit=1)[0])
            else:
                named = find_date(text[end : end + 40], today)
                if named is None or named.start:
                    continue
                base, end = named.day, end + named.end
        written = found["number"].lower()
        amount = int(written) if written.isdigit() else _NUMBERS[written]
        sign = -1 if found["way"].lower() in _BACKWARDS else 1
        days, months = _UNITS[found["unit"].lower()]
        return _counted(base, sign * amount * days, sign * amount * months), found.start(), end
    return None


def _counted(base: date, days: int, months: int) -> Counted:
    number = base.year * 12 + base.month - 1 + months
    year, month = number // 12, number % 12 + 1
    if not 1 <= year <= 9999:
        raise NotADate("That", reason="it is beyond the years 1 to 9999")
    last = calendar.monthrange(year, month)[1]
    try:
        day = date(year, month, min(base.day, last)) + timedelta(days=days)
    except OverflowError:
        raise NotADate("That", reason="it is beyond the years 1 to 9999") from None
    return Counted(day=day, base=base, days=days, months=months, moved=base.day > last)
