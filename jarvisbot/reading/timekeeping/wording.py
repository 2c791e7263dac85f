"""German and English sentences about clocks and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Protocol

import msgspec

from jarvisbot.reading.clocks import MONTHS, Reading
from jarvisbot.reading.moments.dates import ENGLISH_MONTHS
from jarvisbot.reading.places import Place
from jarvisbot.reading.zones import ZoneName, zone_named

__all__ = ["English", "German", "Spot", "Wording", "spot", "wording"]

_SMALL_WORDS = """
am an der die das den dem de del da do la le of the on upon in im ob bei und and
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_CAPITALS = frozenset({"usa", "uk", "uae", "us", "nyc", "vae", "nrw"})
_ON_ISLANDS_WORDS = """
mallorca ibiza menorca malta hawaii bali teneriffa lanzarote fuerteventura kreta rhodos korfu sizilien sardinien
korsika kuba jamaika madeira sylt rügen island-hopping bora-bora tahiti java sumatra sansibar barbados mauritius
"""
_ON_ISLANDS = frozenset(_ON_ISLANDS_WORDS.split())
_PLURALS_WORDS = """
usa niederlande philippinen malediven seychellen emirate kanaren azoren bahamas komoren balearen alpen staaten
"""
_PLURALS = frozenset(_PLURALS_WORDS.split())
_COUNT = re.compile(r"(\d+) (year|month|day)s? (before|after) \w{3} (\d+) (\w{3}) (\d{4})")


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


def _named(place: Place) -> str:
    """The place's name as it is written in a sentence: one in small letters gets its capitals."""
    return _capitalised(place.display)


def _capitalised(name: str) -> str:
    if name != name.lower():
        return name
    written = []
    for word in name.split():
        capital = "-".join(part[:1].upper() + part[1:] for part in word.split("-"))
        written.append(word.upper() if word in _CAPITALS else word if word in _SMALL else capital)
    return " ".join(written)


def _begun(sentence: str) -> str:
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


def _apart(first: Reading, second: Reading) -> tuple[int, int, int]:
    """The sign, hours and minutes that the second clock is ahead of the first."""
    minutes = second.offset_minutes - first.offset_minutes
    return (minutes > 0) - (minutes < 0), abs(minutes) // 60, abs(minutes) % 60


class English:
    """The English sentences."""

    german = False
    here = "here"
    months = ENGLISH_MONTHS
    weekdays = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

    def _date(self, day: date) -> str:
        return f"{self.weekdays[day.weekday()]}, {day.day} {self.months[day.month - 1]} {day.year}"

    def at(self, place: Place) -> str:
        """ "in the UK"."""
        return f"in {_named(place)}"

    def clock(self, where: Spot, reading: Reading, *, with_date: bool) -> str:
        """ "In Lima it is 14:07 (America/Lima)."."""
        lead = f"{_begun(where.phrase)} it is" if where.phrase else "It is"
        day = f" on {self._date(reading.date)}" if with_date else ""
        return f"{lead} {reading.time}{where.beside(day)}."

    def today(self, where: Spot, day: date) -> str:
        """ "In Sydney it is Monday, 28 September 2026."."""
        return f"{_begun(where.phrase)} it is {self._date(day)}." if where.phrase else f"Today is {self._date(day)}."

    def month(self, where: Spot, day: date) -> str:
        """ "It is September 2026."."""
        lead = f"{_begun(where.phrase)} it is" if where.phrase else "It is"
        return f"{lead} {self.months[day.month - 1]} {day.year}."

    def year(self, where: Spot, day: date) -> str:
        """ "It is 2026."."""
        return f"{_begun(where.phrase)} it is {day.year}." if where.phrase else f"It is {day.year}."

    def week(self, day: date) -> str:
        """ISO 8601 weeks."""
        week = day.isocalendar()
        return f"{self._date(day)} is in calendar week {week.week} of {week.year}."

    def zone(self, where: Spot, reading: Reading) -> str:
        """ "In Iceland the time zone is Atlantic/Reykjavik (UTC+0); it is 13:07 there now."."""
        lead = f"{_begun(where.phrase)} the time zone is" if where.phrase else "The time zone is"
        return f"{lead} {reading.zone} ({reading.offset}); it is {reading.time} {'there ' if where.phrase else ''}now."

    def verdict(self, day: date, *, right: bool) -> str:
        """ "No, today is Tuesday, …"."""
        return f"{'Yes' if right else 'No'}, today is {self._date(day)}."

    def leap_year(self, year: int, *, leap: bool) -> str:
        """ "Yes, 2028 is a leap year."."""
        return f"Yes, {year} is a leap year." if leap else f"No, {year} is not a leap year."

    def day(self, day: date, lead: str) -> str:
        """ "29 February 2028 is a Tuesday."."""
        if lead:
            return f"{_begun(lead)} {'was' if lead.endswith('yesterday') else 'is'} {self._date(day)}."
        return f"{day.day} {self.months[day.month - 1]} {day.year} is a {self.weekdays[day.weekday()]}."

    def counted(self, day: date, count: str, *, moved: bool) -> str:
        """With the rule where the month has no such day."""
        found = _COUNT.fullmatch(count)
        shown = count
        rule = ""
        if found:
            month = self.months[MONTHS.index(found[5])]
            amount = f"{found[1]} {found[2]}{'' if found[1] == '1' else 's'}"
            shown = f"{amount} {found[3]} {found[4]} {month} {found[6]}"
            rule = f" That month has no day {found[4]}, so its last day is taken." if moved else ""
        return f"{_begun(shown)} is {self._date(day)}.{rule}"

    def converted(self, source: str, target: str, first: Reading, second: Reading) -> str:
        """ "14:00 in Berlin is 08:00 in New York."."""
        other = f" on {self._date(second.date)}" if second.date != first.date else ""
        return f"{first.time}{source} on {self._date(first.date)} is {second.time}{target}{other}."

    def twice(self, source: str, target: str, shown: Sequence[Reading]) -> str:
        """Both readings."""
        front = f"{shown[0].time}{source} comes twice on {self._date(shown[0].date)}, when clocks are set back"
        if not target:
            return f"{front}: once at {shown[0].offset}, then at {shown[1].offset}."
        return f"{front}: it is {shown[1].time}{target} the first time and {shown[3].time}{target} the second."

    def difference(self, source: str, target: str, first: Reading, second: Reading) -> str:
        """ "It is 12:00 in Berlin and 20:00 in Tokyo: 8 hours later."."""
        sign, hours, minutes = _apart(first, second)
        times = f"It is {first.time}{source} and {second.time}{target}"
        if not sign:
            return f"{times}: there is no difference."
        parts = [f"{hours} hour{'' if hours == 1 else 's'}"] if hours else []
        parts += [f"{minutes} minutes"] if minutes else []
        return f"{times}: {' and '.join(parts)} {'ahead' if sign > 0 else 'behind'}."

    def which_place(self) -> str:
        """Asked where no place is named."""
        return "Which place do you mean: which town or country?"

    def unknown(self, name: str) -> str:
        """Asks back."""
        return f"I do not know a place called “{_capitalised(name)}”. Which town do you mean?"

    def several_zones(self, name: str, town: str) -> str:
        """Asks back."""
        return f"“{_capitalised(name)}” has several time zones. Which town do you mean{f', {town} for example' if town else ''}?"

    def either(self, name: str, options: Sequence[str]) -> str:
        """Asks back."""
        listed = (
            f"{', '.join(options[:-1])} or {options[-1]}"
            if all("," not in each for each in options)
            else " / ".join(options)
        )
        return f"Which “{_capitalised(name)}” do you mean: {listed}?"

    def left_out(self, time: str, day: date, place: str, change: tuple[str, str] | None) -> str:
        """Says what the clocks do."""
        why = f"clocks go from {change[0]} straight to {change[1]}" if change else "that day is left out there"
        return f"{time} does not exist in {place} on {self._date(day)}: {why}."


class German:
    """The German sentences."""

    german = True
    here = "hier"
    months = (
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember",
    )  # fmt: skip
    weekdays = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")

    def _date(self, day: date, article: str = "der") -> str:
        return f"{self.weekdays[day.weekday()]}, {article} {self._plain(day)}"

    def _plain(self, day: date) -> str:
        return f"{day.day}. {self.months[day.month - 1]} {day.year}"

    def at(self, place: Place) -> str:
        """ "in der Slowakei": the dative, whatever case the question has."""
        name = _named(place)
        article, _, rest = name.partition(" ")
        if rest and article.lower() in ("die", "das", "der", "den", "dem"):
            plural = rest.split()[-1].lower() in _PLURALS
            feminine = article.lower() in ("die", "der")
            dative = "den" if plural else "der" if feminine else article.lower() if article.lower() == "den" else "dem"
            return f"in {dative} {rest}"
        if name.lower() in _PLURALS:
            return f"in den {name}"
        return f"{'auf' if place.query.lower() in _ON_ISLANDS else 'in'} {name}"

    def clock(self, where: Spot, reading: Reading, *, with_date: bool) -> str:
        """ "In Lima ist es gerade 14:07 Uhr (America/Lima)."."""
        lead = f"{_begun(where.phrase)} ist es gerade" if where.phrase else "Es ist"
        day = f" am {self._date(reading.date, 'dem')}" if with_date else ""
        return f"{lead} {reading.time} Uhr{where.beside(day)}."

    def today(self, where: Spot, day: date) -> str:
        """ "Heute ist Montag, der 28. September 2026."."""
        lead = f"{_begun(where.phrase)} ist heute" if where.phrase else "Heute ist"
        return f"{lead} {self._date(day)}."

    def month(self, where: Spot, day: date) -> str:
        """ "Es ist September 2026."."""
        lead = f"{_begun(where.phrase)} ist es" if where.phrase else "Es ist"
        return f"{lead} {self.months[day.month - 1]} {day.year}."

    def year(self, where: Spot, day: date) -> str:
        """ "Es ist das Jahr 2026."."""
        lead = f"{_begun(where.phrase)} ist es" if where.phrase else "Es ist"
        return f"{lead} das Jahr {day.year}."

    def week(self, day: date) -> str:
        """ISO 8601 weeks."""
        week = day.isocalendar()
        return f"{self._date(day)}, liegt in Kalenderwoche {week.week} des Jahres {week.year}."

    def zone(self, where: Spot, reading: Reading) -> str:
        """ "In Island gilt die Zeitzone Atlantic/Reykjavik (UTC+0); dort ist es gerade 13:07 Uhr."."""
        lead = f"{_begun(where.phrase)} gilt die Zeitzone" if where.phrase else "Die Zeitzone ist"
        return f"{lead} {reading.zone} ({reading.offset}); {'dort' if where.phrase else 'hier'} ist es gerade {reading.time} Uhr."

    def verdict(self, day: date, *, right: bool) -> str:
        """ "Nein, heute ist Dienstag, …"."""
        return f"{'Ja' if right else 'Nein'}, heute ist {self._date(day)}."

    def leap_year(self, year: int, *, leap: bool) -> str:
        """ "Ja, 2028 ist ein Schaltjahr."."""
        return f"Ja, {year} ist ein Schaltjahr." if leap else f"Nein, {year} ist kein Schaltjahr."

    def day(self, day: date, lead: str) -> str:
        """ "Der 29. Februar 2028 ist ein Dienstag."."""
        if lead:
            return f"{_begun(lead)} {'war' if lead.endswith('gestern') else 'ist'} {self._date(day)}."
        return f"Der {self._plain(day)} ist ein {self.weekdays[day.weekday()]}."

    def counted(self, day: date, count: str, *, moved: bool) -> str:
        """With the rule where the month has no such day."""
        found = _COUNT.fullmatch(count)
        if found is None:
            return f"Das ist {self._date(day)}."
        one = found[1] == "1"
        unit = {
            "year": "Jahr" if one else "Jahre",
            "month": "Monat" if one else "Monate",
            "day": "Tag" if one else "Tage",
        }[found[2]]
        base = f"{found[4]}. {self.months[MONTHS.index(found[5])]} {found[6]}"
        rule = f" Der Monat hat keinen {found[4]}., darum gilt sein letzter Tag." if moved else ""
        return f"{found[1]} {unit} {'vor' if found[3] == 'before' else 'nach'} dem {base} ist {self._date(day)}.{rule}"

    def converted(self, source: str, target: str, first: Reading, second: Reading) -> str:
        """ "14:00 Uhr in Berlin … ist 08:00 Uhr in New York."."""
        other = f" am {self._date(second.date, 'dem')}" if second.date != first.date else ""
        return f"{first.time} Uhr{source} am {self._date(first.date, 'dem')}, ist {second.time} Uhr{target}{other}."

    def twice(self, source: str, target: str, shown: Sequence[Reading]) -> str:
        """Both readings."""
        front = (
            f"{shown[0].time} Uhr gibt es{source} am {self._date(shown[0].date, 'dem')}, zweimal, "
            "weil die Uhren zurückgestellt werden"
        )
        if not target:
            return f"{front}: erst bei {shown[0].offset}, dann bei {shown[1].offset}."
        return f"{front}: Das ist erst {shown[1].time} Uhr{target}, dann {shown[3].time} Uhr{target}."

    def difference(self, source: str, target: str, first: Reading, second: Reading) -> str:
        """ "Es ist 12:00 Uhr in Berlin und 20:00 Uhr in Tokio: 8 Stunden später."."""
        sign, hours, minutes = _apart(first, second)
        times = f"Es ist {first.time} Uhr{source} und {second.time} Uhr{target}"
        if not sign:
            return f"{times}: Es gibt keinen Unterschied."
        parts = [f"{hours} Stunde{'' if hours == 1 else 'n'}"] if hours else []
        parts += [f"{minutes} Minuten"] if minutes else []
        return f"{times}: {' und '.join(parts)} {'später' if sign > 0 else 'früher'}."

    def which_place(self) -> str:
        """Asked where no place is named."""
        return "Welchen Ort meinst du: welche Stadt oder welches Land?"

    def unknown(self, name: str) -> str:
        """Asks back."""
        return f"Einen Ort „{_capitalised(name)}“ kenne ich nicht. Welche Stadt meinst du?"

    def several_zones(self, name: str, town: str) -> str:
        """Asks back."""
        return f"„{_capitalised(name)}“ hat mehrere Zeitzonen. Welche Stadt meinst du{f', zum Beispiel {town}' if town else ''}?"

    def either(self, name: str, options: Sequence[str]) -> str:
        """Asks back."""
        listed = (
            f"{', '.join(options[:-1])} oder {options[-1]}"
            if all("," not in each for each in options)
            else " / ".join(options)
        )
        return f"Was meinst du mit „{_capitalised(name)}“: {listed}?"

    def left_out(self, time: str, day: date, place: str, change: tuple[str, str] | None) -> str:
        """Says what the clocks do."""
        why = f"Die Uhren gehen von {change[0]} Uhr gleich auf {change[1]} Uhr" if change else "Der Tag fällt dort aus"
        return f"{time} Uhr gibt es in {place} am {self._date(day, 'dem')}, nicht: {why}."


_WORDINGS: dict[str, Wording] = {"de": German(), "en": English()}


def wording(language: str) -> Wording | None:
    """The sentences of "de" or "en"; None for every other language."""
    return _WORDINGS.get(language)
