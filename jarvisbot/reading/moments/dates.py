"""A date in a text: numbers, names of months, weekdays, today and its neighbours."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

import msgspec

from jarvisbot.errors import JarvisError

__all__ = [
    "DATE",
    "ENGLISH_MONTHS",
    "MONTH_NAMES",
    "WEEKDAY_NAMES",
    "FoundDate",
    "NotADate",
    "find_date",
    "month_number",
]


class NotADate(JarvisError):
    """What is written like a date and is none: the 29th of February 2027, the 31st of June.

    `written` is the date as it was meant, `reason` why there is none; the message says both in English.
    """

    def __init__(self, written: str, *, reason: str = "") -> None:
        super().__init__(f"{written} is not a date{f': {reason}' if reason else ''}.")
        self.written = written


class FoundDate(msgspec.Struct, frozen=True, kw_only=True):
    """A date and where it stands in the text."""

    day: date
    start: int
    end: int


_MONTHS = (
    "jan(?:uary|uar)?|jänner",
    "feb(?:ruary|ruar)?|feber",
    "mar(?:ch)?|märz|mrz|maerz",
    "apr(?:il)?",
    "may|mai",
    "june?|juni",
    "july?|juli",
    "aug(?:ust)?",
    "sept?(?:ember)?",
    "o[ck]t(?:ober)?",
    "nov(?:ember)?",
    "de[cz](?:ember)?",
)
MONTH_NAMES = "|".join(_MONTHS)
WEEKDAY_NAMES = (
    "monday|montag",
    "tuesday|dienstag",
    "wednesday|mittwoch",
    "thursday|donnerstag",
    "friday|freitag",
    "saturday|samstag|sonnabend",
    "sunday|sonntag",
)
ENGLISH_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_RELATIVE = {
    "today": 0,
    "heute": 0,
    "tonight": 0,
    "tomorrow": 1,
    "morgen": 1,
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "übermorgen": 2,
    "yesterday": -1,
    "gestern": -1,
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "vorgestern": -2,
}
_YEAR = r"(?P<{0}>\d{{4}})"
DATE = re.compile(
    rf"""(?<![\w.:/-])(?:
      (?P<iso>\d{{4}})-(?P<isomonth>\d\d?)-(?P<isoday>\d\d?)
    | (?P<dotday>\d\d?)\.\s?(?P<dotmonth>\d\d?)\.(?:\s?(?P<dotyear>\d{{4}}|\d\d(?!\d|:)))?
    | (?P<slash1>\d\d?)/(?P<slash2>\d\d?)/(?P<slashyear>\d{{4}})
    | (?:the\s|der\s|den\s|dem\s)?(?P<day>\d\d?)(?:\.|st|nd|rd|th)?\s(?:of\s)?
      (?P<month>{MONTH_NAMES})\b\.?(?:,?\s{_YEAR.format("year")})?
    | (?P<usmonth>{MONTH_NAMES})\.?\s(?:the\s)?
      (?P<usday>\d\d?)(?:st|nd|rd|th)?\b(?!:|\s?[ap]m\b|\suhr\b)(?:,?\s{_YEAR.format("usyear")})?
    | (?P<relative>{"|".join(sorted(_RELATIVE, key=len, reverse=True)).replace(" ", r"[ ]")})
    | (?:(?P<next>next|nächste[nrsm]?|kommende[nrsm]?)\s)?(?P<weekday>{"|".join(WEEKDAY_NAMES)})
    )(?![\w-]|/\d|\.\d)""",
    re.IGNORECASE | re.VERBOSE,
)


def find_date(text: str, today: date) -> FoundDate | None:
    """The first date of the text, by `today` where it is relative or has no year. Raises NotADate for one that is none.

    A date without a year is the next one of its name, a weekday the next one, today included.
    """
    found = DATE.search(text)
    if found is None:
        return None
    return FoundDate(day=_date(found, today), start=found.start(), end=found.end())


def _date(found: re.Match[str], today: date) -> date:
    if found["relative"]:
        return _shifted(today, _RELATIVE[found["relative"].lower()])
    if found["weekday"]:
        return _weekday(found, today)
    if found["slash1"]:
        return _slashed(found)
    if found["iso"]:
        return _checked(int(found["iso"]), int(found["isomonth"]), int(found["isoday"]))
    if found["dotday"]:
        month, day, year = int(found["dotmonth"]), int(found["dotday"]), found["dotyear"]
    elif found["month"]:
        month, day, year = month_number(found["month"]), int(found["day"]), found["year"]
    else:
        month, day, year = month_number(found["usmonth"]), int(found["usday"]), found["usyear"]
    if year:
        return _checked(int(year) + (2000 if len(year) == 2 else 0), month, day)
    return _next(today, month, day)


def month_number(name: str) -> int:
    """1 to 12 for a month's name or its short form."""
    return next(number for number, names in enumerate(_MONTHS, 1) if re.fullmatch(names, name, re.IGNORECASE))


def _weekday(found: re.Match[str], today: date) -> date:
    number = next(
        number for number, names in enumerate(WEEKDAY_NAMES) if re.fullmatch(names, found["weekday"], re.IGNORECASE)
    )
    ahead = (number - today.weekday()) % 7
    return _shifted(today, 7 if found["next"] and not ahead else ahead)


def _slashed(found: re.Match[str]) -> date:
    first, second, year = int(found["slash1"]), int(found["slash2"]), int(found["slashyear"])
    if first <= 12 and second <= 12 and first != second:
        raise NotADate(found[0], reason="it may mean two days; write it as YYYY-MM-DD")
    month, day = (second, first) if first > 12 else (first, second)
    return _checked(year, month, day)


def _next(today: date, month: int, day: int) -> date:
    """The next day of that name: a 29 February may be years ahead."""
    for year in range(today.year, min(today.year + 9, date.max.year + 1)):
        if month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1] and date(year, month, day) >= today:
            return date(year, month, day)
    return _checked(today.year, month, day)


def _checked(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        pass
    if not 1 <= month <= 12 or not 1 <= year <= 9999 or day < 1:
        raise NotADate(f"{year:04}-{month:02}-{day:02}")
    name = f"{day} {ENGLISH_MONTHS[month - 1]} {year}"
    if (month, day) == (2, 29):
        raise NotADate(name, reason=f"{year} is not a leap year")
    last = calendar.monthrange(year, month)[1]
    raise NotADate(name, reason=f"{ENGLISH_MONTHS[month - 1]} has {last} days")


def _shifted(day: date, days: int) -> date:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        raise NotADate("That", reason="it is beyond the years 1 to 9999") from None
