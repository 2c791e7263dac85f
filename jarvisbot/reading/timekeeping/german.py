"""German sentences about clocks and dates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from jarvisbot.reading.clocks import MONTHS, Reading
from jarvisbot.reading.places import Place
from jarvisbot.reading.timekeeping.wording import COUNT, Spot, apart, begun, capitalised, named

__all__ = ["German"]

_ON_ISLANDS_WORDS = """
mallorca ibiza menorca malta hawaii bali teneriffa lanzarote fuerteventura kreta rhodos korfu sizilien sardinien
korsika kuba jamaika madeira sylt rügen island-hopping bora-bora tahiti java sumatra sansibar barbados mauritius
"""
_ON_ISLANDS = frozenset(_ON_ISLANDS_WORDS.split())
_PLURALS_WORDS = """
usa niederlande philippinen malediven seychellen emirate kanaren azoren bahamas komoren balearen alpen staaten
"""
_PLURALS = frozenset(_PLURALS_WORDS.split())


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
        name = named(place)
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
        lead = f"{begun(where.phrase)} ist es gerade" if where.phrase else "Es ist"
        day = f" am {self._date(reading.date, 'dem')}" if with_date else ""
        return f"{lead} {reading.time} Uhr{where.beside(day)}."

    def today(self, where: Spot, day: date) -> str:
        """ "Heute ist Montag, der 28. September 2026."."""
        lead = f"{begun(where.phrase)} ist heute" if where.phrase else "Heute ist"
        return f"{lead} {self._date(day)}."

    def month(self, where: Spot, day: date) -> str:
        """ "Es ist September 2026."."""
        lead = f"{begun(where.phrase)} ist es" if where.phrase else "Es ist"
        return f"{lead} {self.months[day.month - 1]} {day.year}."

    def year(self, where: Spot, day: date) -> str:
        """ "Es ist das Jahr 2026."."""
        lead = f"{begun(where.phrase)} ist es" if where.phrase else "Es ist"
        return f"{lead} das Jahr {day.year}."

    def week(self, day: date) -> str:
        """ISO 8601 weeks."""
        week = day.isocalendar()
        return f"{self._date(day)}, liegt in Kalenderwoche {week.week} des Jahres {week.year}."

    def zone(self, where: Spot, reading: Reading) -> str:
        """ "In Island gilt die Zeitzone Atlantic/Reykjavik (UTC+0); dort ist es gerade 13:07 Uhr."."""
        lead = f"{begun(where.phrase)} gilt die Zeitzone" if where.phrase else "Die Zeitzone ist"
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
            return f"{begun(lead)} {'war' if lead.endswith('gestern') else 'ist'} {self._date(day)}."
        return f"Der {self._plain(day)} ist ein {self.weekdays[day.weekday()]}."

    def counted(self, day: date, count: str, *, moved: bool) -> str:
        """With the rule where the month has no such day."""
        found = COUNT.fullmatch(count)
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
        sign, hours, minutes = apart(first, second)
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
        return f"Einen Ort „{capitalised(name)}“ kenne ich nicht. Welche Stadt meinst du?"

    def several_zones(self, name: str, town: str) -> str:
        """Asks back."""
        return f"„{capitalised(name)}“ hat mehrere Zeitzonen. Welche Stadt meinst du{f', zum Beispiel {town}' if town else ''}?"

    def either(self, name: str, options: Sequence[str]) -> str:
        """Asks back."""
        listed = (
            f"{', '.join(options[:-1])} oder {options[-1]}"
            if all("," not in each for each in options)
            else " / ".join(options)
        )
        return f"Was meinst du mit „{capitalised(name)}“: {listed}?"

    def left_out(self, time: str, day: date, place: str, change: tuple[str, str] | None) -> str:
        """Says what the clocks do."""
        why = f"Die Uhren gehen von {change[0]} Uhr gleich auf {change[1]} Uhr" if change else "Der Tag fällt dort aus"
        return f"{time} Uhr gibt es in {place} am {self._date(day, 'dem')}, nicht: {why}."
