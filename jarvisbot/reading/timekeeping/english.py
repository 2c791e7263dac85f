"""English sentences about clocks and dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from jarvisbot.reading.clocks import MONTHS, Reading
from jarvisbot.reading.moments.dates import ENGLISH_MONTHS
from jarvisbot.reading.places import Place
from jarvisbot.reading.timekeeping.wording import COUNT, Spot, apart, begun, capitalised, named

__all__ = ["English"]


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
        return f"in {named(place)}"

    def clock(self, where: Spot, reading: Reading, *, with_date: bool) -> str:
        """ "In Lima it is 14:07 (America/Lima)."."""
        lead = f"{begun(where.phrase)} it is" if where.phrase else "It is"
        day = f" on {self._date(reading.date)}" if with_date else ""
        return f"{lead} {reading.time}{where.beside(day)}."

    def today(self, where: Spot, day: date) -> str:
        """ "In Sydney it is Monday, 28 September 2026."."""
        return f"{begun(where.phrase)} it is {self._date(day)}." if where.phrase else f"Today is {self._date(day)}."

    def month(self, where: Spot, day: date) -> str:
        """ "It is September 2026."."""
        lead = f"{begun(where.phrase)} it is" if where.phrase else "It is"
        return f"{lead} {self.months[day.month - 1]} {day.year}."

    def year(self, where: Spot, day: date) -> str:
        """ "It is 2026."."""
        return f"{begun(where.phrase)} it is {day.year}." if where.phrase else f"It is {day.year}."

    def week(self, day: date) -> str:
        """ISO 8601 weeks."""
        week = day.isocalendar()
        return f"{self._date(day)} is in calendar week {week.week} of {week.year}."

    def zone(self, where: Spot, reading: Reading) -> str:
        """ "In Iceland the time zone is Atlantic/Reykjavik (UTC+0); it is 13:07 there now."."""
        lead = f"{begun(where.phrase)} the time zone is" if where.phrase else "The time zone is"
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
            return f"{begun(lead)} {'was' if lead.endswith('yesterday') else 'is'} {self._date(day)}."
        return f"{day.day} {self.months[day.month - 1]} {day.year} is a {self.weekdays[day.weekday()]}."

    def counted(self, day: date, count: str, *, moved: bool) -> str:
        """With the rule where the month has no such day."""
        found = COUNT.fullmatch(count)
        shown = count
        rule = ""
        if found:
            month = self.months[MONTHS.index(found[5])]
            amount = f"{found[1]} {found[2]}{'' if found[1] == '1' else 's'}"
            shown = f"{amount} {found[3]} {found[4]} {month} {found[6]}"
            rule = f" That month has no day {found[4]}, so its last day is taken." if moved else ""
        return f"{begun(shown)} is {self._date(day)}.{rule}"

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
        sign, hours, minutes = apart(first, second)
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
        return f"I do not know a place called “{capitalised(name)}”. Which town do you mean?"

    def several_zones(self, name: str, town: str) -> str:
        """Asks back."""
        return f"“{capitalised(name)}” has several time zones. Which town do you mean{f', {town} for example' if town else ''}?"

    def either(self, name: str, options: Sequence[str]) -> str:
        """Asks back."""
        listed = (
            f"{', '.join(options[:-1])} or {options[-1]}"
            if all("," not in each for each in options)
            else " / ".join(options)
        )
        return f"Which “{capitalised(name)}” do you mean: {listed}?"

    def left_out(self, time: str, day: date, place: str, change: tuple[str, str] | None) -> str:
        """Says what the clocks do."""
        why = f"clocks go from {change[0]} straight to {change[1]}" if change else "that day is left out there"
        return f"{time} does not exist in {place} on {self._date(day)}: {why}."
