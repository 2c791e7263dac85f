"""Clock readings as lines of text, read back from them, and the instants that a local time stands for."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

__all__ = [
    "MONTHS",
    "WEEKDAYS",
    "Reading",
    "clock_line",
    "date_text",
    "gap",
    "is_zone",
    "offset_text",
    "read_back",
    "readings",
    "resolve",
    "zone_of",
]

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_FIXED = re.compile(r"UTC(?:([+-])(\d{1,2})(?::(\d\d))?)?")
_LINE = re.compile(
    r"^(?:(?P<place>\S[^\n]*?) — )?(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d) (?P<letters>\S+) "
    r"\((?P<offset>UTC[+-]\d{1,2}(?::\d\d)?), (?P<zone>[\w+/:-]+)\), "
    rf"(?:{'|'.join(WEEKDAYS)}) (?P<day>\d{{1,2}}) (?P<month>{'|'.join(MONTHS)}) (?P<year>\d{{4}})$",
    re.MULTILINE,
)


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a clock line says: the local time "HH:MM" and date, the offset as "UTC+5:30", the zone's name."""

    time: str
    offset: str
    zone: str
    date: date
    place: str | None = None

    @property
    def offset_minutes(self) -> int:
        """How far the clock is ahead of UTC, in minutes."""
        hours, _, minutes = self.offset.removeprefix("UTC").partition(":")
        ahead = abs(int(hours)) * 60 + int(minutes or 0)
        return -ahead if hours.startswith("-") else ahead


def zone_of(name: str) -> tzinfo:
    """The zone of an IANA name, or of a fixed offset such as "UTC+5:30". Raises ValueError for any other name."""
    if fixed := _FIXED.fullmatch(name):
        if not fixed[1]:
            return UTC
        ahead = timedelta(hours=int(fixed[2]), minutes=int(fixed[3] or 0))
        return timezone(-ahead if fixed[1] == "-" else ahead, name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{name!r} is no time zone") from error


def is_zone(name: str) -> bool:
    """Whether the name is one of the IANA database, or a fixed offset as `zone_of` takes it."""
    try:
        zone_of(name)
    except ValueError:
        return False
    return True


def clock_line(instant: datetime, zone: str, place: str | None = None) -> str:
    """`[place — ]HH:MM ABBR (UTC±H[:MM], zone), Wkd D Mon YYYY`: the local time and date at `instant` by `zone`.

    Seconds are dropped. The abbreviation is the zone's letters in Europe, where they mean one thing each; elsewhere the same
    letters serve several zones (CST, IST, BST), so that it is GMT±H there. Raises ValueError for an unknown zone.
    """
    local = instant.astimezone(zone_of(zone))
    offset = offset_text(local)
    front = f"{' '.join(place.split())} — " if place else ""
    return f"{front}{local:%H:%M} {_letters(local, zone, offset)} ({offset}, {zone}), {date_text(local)}"


def date_text(day: date) -> str:
    """`Wkd D Mon YYYY` in English, whatever the locale."""
    return f"{WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year:04}"


def offset_text(local: datetime) -> str:
    """UTC±H[:MM] for an aware time; seconds of old local mean times are dropped, zero is UTC+0."""
    minutes = int((local.utcoffset() or timedelta()).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")


def _letters(local: datetime, zone: str, offset: str) -> str:
    letters = local.tzname() or ""
    if letters.isalpha() and (zone.startswith("Europe/") or letters in ("UTC", "GMT")):
        return letters
    return "GMT" if offset == "UTC+0" else f"GMT{offset.removeprefix('UTC')}"


def read_back(text: str) -> Reading | None:
    """The first clock line of the text, or None; an ISO instant is no local reading."""
    return next(iter(readings(text)), None)


def readings(text: str) -> tuple[Reading, ...]:
    """Every clock line of the text, in order."""
    found = []
    for line in _LINE.finditer(text):
        try:
            day = date(int(line["year"]), MONTHS.index(line["month"]) + 1, int(line["day"]))
        except ValueError:
            continue
        found.append(
            Reading(
                time=f"{line['hour']}:{line['minute']}",
                offset=line["offset"],
                zone=line["zone"],
                date=day,
                place=line["place"],
            )
        )
    return tuple(found)


def resolve(wall: datetime, zone: str) -> tuple[datetime, ...]:
    """The instants (UTC, in order) at which clocks in `zone` show the naive time `wall`.

    Two where clocks are set back over it, none where they are set forward over it, one else.
    """
    known = zone_of(zone)
    instants = {wall.replace(tzinfo=known, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return tuple(sorted(instant for instant in instants if instant.astimezone(known).replace(tzinfo=None) == wall))


def gap(wall: datetime, zone: str) -> tuple[time, time]:
    """The times that clocks in `zone` jump from and to where they leave out `wall`."""
    known = zone_of(zone)
    before, after = (wall.replace(tzinfo=known, fold=fold) for fold in (0, 1))
    change = _change(after.astimezone(UTC), before.astimezone(UTC), known)
    late, early = (change - timedelta(seconds=1)).astimezone(known), change.astimezone(known)
    return (late + timedelta(seconds=1)).time(), early.time()


def _change(early: datetime, late: datetime, zone: tzinfo) -> datetime:
    """The second between the two instants from which the zone has the later one's offset."""
    new = late.astimezone(zone).utcoffset()
    while late - early > timedelta(seconds=1):
        middle = (early + (late - early) / 2).replace(microsecond=0)
        early, late = (early, middle) if middle.astimezone(zone).utcoffset() == new else (middle, late)
    return late
