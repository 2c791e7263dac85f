"""What every language has to say about clocks and dates, and what the languages share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Protocol

import msgspec

from jarvisbot.reading.clocks import Reading
from jarvisbot.reading.places import Place
from jarvisbot.reading.zones import ZoneName, zone_named

__all__ = ["COUNT", "Spot", "Wording", "apart", "begun", "capitalised", "named", "spot"]

_SMALL_WORDS = """
am an der die das den dem de del da do la le of the on upon in im ob bei und and
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_CAPITALS = frozenset({"usa", "uk", "uae", "us", "nyc", "vae", "nrw"})
COUNT = re.compile(r"(\d+) (year|month|day)s? (before|after) \w{3} (\d+) (\w{3}) (\d{4})")
"""A count as the clock tool tells it: "1 year after Tue 29 Feb 2028"."""


class Spot(msgspec.Struct, frozen=True, kw_only=True):
    """Where a clock is: `phrase` within a sentence ("in Lima"), `suffix` behind its time (" UTC", " (America/Lima)").

    Both are empty for the person's own clock.
    """

    phrase: str = ""
    suffix: str = ""

    def beside(self, day: str) -> str:
        """The suffix and the day, in the order they are said: " UTC on Monday", " on Monday (America/Lima)"."""
        return f"{day}{self.suffix}" if self.suffix.startswith(" (") else f"{self.suffix}{day}"


def spot(place: Place | None, reading: Reading, words: Wording) -> Spot:
    """Where the clock of the reading is, by the words of the question where it names the place."""
    if reading.place is None:
        return Spot()
    if reading.place == reading.zone and "/" in reading.zone:
        return Spot(suffix=f" ({reading.zone})")
    if isinstance(zone_named(reading.place), ZoneName):
        return Spot(suffix=f" {reading.place}")
    short = reading.place.split(",")[0]
    return Spot(phrase=words.at(place or Place(display=short, query=short)), suffix=f" ({reading.zone})")


def named(place: Place) -> str:
    """The place's name as it is written in a sentence: one in small letters gets its capitals."""
    return capitalised(place.display)


def capitalised(name: str) -> str:
    """The name with its capitals where it is written small."""
    if name != name.lower():
        return name
    written = []
    for word in name.split():
        capital = "-".join(part[:1].upper() + part[1:] for part in word.split("-"))
        written.append(word.upper() if word in _CAPITALS else word if word in _SMALL else capital)
    return " ".join(written)


def begun(sentence: str) -> str:
    """The sentence with its first letter large."""
    return sentence[:1].upper() + sentence[1:]


class Wording(Protocol):
    """The sentences of a language."""

    @property
    def german(self) -> bool:
        """Whether it is German."""

    @property
    def here(self) -> str:
        """The person's own place."""

    @property
    def months(self) -> Sequence[str]:
        """The names of the months."""

    def at(self, place: Place) -> str:
        """ "in Lima"."""

    def clock(self, where: Spot, reading: Reading, *, with_date: bool) -> str:
        """It is 09:04."""

    def today(self, where: Spot, day: date) -> str:
        """Today is Monday, 28 September 2026."""

    def month(self, where: Spot, day: date) -> str:
        """It is September 2026."""

    def year(self, where: Spot, day: date) -> str:
        """It is 2026."""

    def week(self, day: date) -> str:
        """It is calendar week 40."""

    def zone(self, where: Spot, reading: Reading) -> str:
        """The zone of a place, and its time."""

    def verdict(self, day: date, *, right: bool) -> str:
        """Yes or no, and today's date."""

    def leap_year(self, year: int, *, leap: bool) -> str:
        """Whether the year is one."""

    def day(self, day: date, lead: str) -> str:
        """A date with its weekday; `lead` is "tomorrow" and the like, or empty."""

    def counted(self, day: date, count: str, *, moved: bool) -> str:
        """A date found by counting, as the tool tells the count."""

    def converted(self, source: str, target: str, first: Reading, second: Reading) -> str:
        """A time in another zone."""

    def twice(self, source: str, target: str, shown: Sequence[Reading]) -> str:
        """A time that clocks show twice."""

    def difference(self, source: str, target: str, first: Reading, second: Reading) -> str:
        """How far two clocks are apart."""

    def which_place(self) -> str:
        """A question for the place."""

    def unknown(self, name: str) -> str:
        """A place that is not known."""

    def several_zones(self, name: str, town: str) -> str:
        """A country with several clocks."""

    def either(self, name: str, options: Sequence[str]) -> str:
        """A name of several places."""

    def left_out(self, time: str, day: date, place: str, change: tuple[str, str] | None) -> str:
        """A time that clocks leave out."""


def apart(first: Reading, second: Reading) -> tuple[int, int, int]:
    """The sign, hours and minutes that the second clock is ahead of the first."""
    minutes = second.offset_minutes - first.offset_minutes
    return (minutes > 0) - (minutes < 0), abs(minutes) // 60, abs(minutes) % 60
