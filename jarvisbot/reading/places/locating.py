"""The place that a name means, with its time zone; or the places that it may mean."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo

import msgspec

from jarvisbot.reading.places.folding import folded
from jarvisbot.reading.places.table import Area, City, Table, table

__all__ = ["Doubtful", "Located", "Location", "SeveralZones", "locate"]

EXACT, PREFIX = 100, 20
CAPITAL, SEAT, TOWN = 60, 30, 10
"""Points of a town that fits; the logarithm of its people comes on top. A country of the name goes before all towns."""
DOMINANT = 3
"""A place stands for its name where it outweighs every other of that name so many times."""
WELL_KNOWN = 5
"""A town with so many names is meant by its first one, whatever other towns are called in other languages."""
REGION_NAMES = 10
"""A region weighs as much as a town with its people and so many names."""
WHOLE_COUNTRY = 0.95
"""Where so many people of a country share a clock, that clock is the country's."""
LONGEST = 100
"""Characters; no place has a longer name."""
OPTIONS = 4
"""Places named in a question."""

_PARTS = re.compile(r"\s*[,;/()]\s*|\s+(?:in|im)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|der|die|das|den|dem)\s+(?=\S)", re.IGNORECASE)


class Located(msgspec.Struct, frozen=True, kw_only=True):
    """One place: its English name with its country behind it, and its zone."""

    label: str
    zone: str


class SeveralZones(msgspec.Struct, frozen=True, kw_only=True):
    """A country or region whose people live by several clocks; `town` is its capital, empty for a region."""

    name: str
    town: str


class Doubtful(msgspec.Struct, frozen=True, kw_only=True):
    """A name of several places that live by different clocks; `options` say which, the likeliest first."""

    options: tuple[str, ...]


Location: TypeAlias = Located | SeveralZones | Doubtful


def locate(name: str, instant: datetime, *, language: str = "en") -> Location | None:
    """What `name` (German or English; "Town, Country" too) means at `instant`; None for a name that is not known.

    Places of one name are told apart only where their clocks differ then. Options are written in `language`, "de" or else
    English. Takes a few milliseconds once the table is loaded. Raises MissingPart where there is no table.
    """
    cleaned = " ".join(name.split()).strip(" .,;?!")
    if not re.search(r"[^\W\d_]", cleaned) or len(cleaned) > LONGEST:
        return None
    search = _Search(table(), instant, german=language == "de")
    return search.find(cleaned) or (search.find(_ARTICLE.sub("", cleaned)) if _ARTICLE.match(cleaned) else None)


class _Search:
    """One look-up at one instant."""

    def __init__(self, known: Table, instant: datetime, *, german: bool) -> None:
        self._known = known
        self._instant = instant
        self._german = german

    def find(self, name: str) -> Location | None:
        areas = [
            area for area in self._known.areas(name) if not area.region or len(folded(name)) > 2 or not area.admins
        ]
        cities = self._known.cities(name)
        if areas:
            return self._area(areas, [city for city in cities if city.exact])
        return self._city(cities) if cities else self._within(name) or self._declined(name)

    def _declined(self, name: str) -> Location | None:
        """A country in a German case: "den Niederlanden", "der Vereinigten Staaten"."""
        words = name.split()
        last = [*words[:-1], words[-1].removesuffix("n")]
        every = [word.removesuffix("n") for word in words]
        for written in (last, every):
            if written != words and (areas := self._known.areas(" ".join(written))):
                return self._area(areas, ())
        return None

    def _within(self, name: str) -> Location | None:
        """A town with the country or region behind it: "Springfield, Illinois", "Portland Oregon"."""
        parts = [part for part in _PARTS.split(name) if part]
        splits = [(parts[0], " ".join(parts[1:])), (parts[0], parts[-1])] if len(parts) > 1 else []
        words = name.replace(",", " ").split()
        splits += [(" ".join(words[:at]), " ".join(words[at:])) for at in range(len(words) - 1, 0, -1)]
        for town, around in splits:
            areas = self._known.areas(_ARTICLE.sub("", around))
            if not areas:
                continue
            cities = self._known.cities(town)
            inside = [city for city in cities if any(_holds(area, city) for area in areas)]
            if inside:
                return self._city(inside)
            countries = {area.country for area in areas if not area.region}
            regions = [area for area in self._known.areas(town) if area.region and area.country in countries]
            if regions:
                return self._area(regions, ())
            if folded(town) in {folded(name) for area in areas for name in (area.name, area.german)}:
                return self._area(areas, ())
        return None

    # ------------------------------------------------------------ countries and regions

    def _area(self, areas: Sequence[Area], cities: Sequence[City]) -> Location:
        area = areas[0]
        rivals: list[tuple[float, str, frozenset[timedelta]]] = [
            (self._area_weight(other), self._area_option(other), self._clocks(other)) for other in areas[1:]
        ]
        if area.region:
            rivals += [
                (_weight(city), self._label(city), frozenset({self._offset(city.zone)}))
                for city in _by_own_name(cities)
            ]
        own = self._clocks(area)
        weight = self._area_weight(area) if area.region else math.inf
        others = sorted(((heavy, option) for heavy, option, clocks in rivals if clocks != own), reverse=True)
        if others and area.region and others[0][0] > weight * DOMINANT:
            return self._city(cities)
        near = [option for heavy, option in others if heavy * DOMINANT > weight or not area.region]
        if near:
            return Doubtful(options=(self._area_option(area), *near)[:OPTIONS])
        zone, shared = self._main_zone(area)
        if shared < WHOLE_COUNTRY:
            return SeveralZones(name=area.german if self._german else area.name, town=area.capital)
        return Located(label=self._area_label(area), zone=zone)

    def _main_zone(self, area: Area) -> tuple[str, float]:
        """The zone that stands for the area, and the share of its people whose clocks show the same."""
        zone = area.zones[0][0]
        if area.capital:
            towns = [city for city in self._known.cities(area.capital) if city.capital and city.country == area.country]
            zone = towns[0].zone if towns else zone
        offset, shares = self._offset(zone), dict(area.zones)
        return zone, sum(share for name, share in shares.items() if self._offset(name) == offset) / sum(shares.values())

    def _clocks(self, area: Area) -> frozenset[timedelta]:
        return frozenset(self._offset(zone) for zone, share in area.zones if share >= 1 - WHOLE_COUNTRY)

    def _area_weight(self, area: Area) -> float:
        return area.people * REGION_NAMES

    def _area_label(self, area: Area) -> str:
        if not area.region:
            capital = area.capital if folded(area.capital) != folded(area.name) else ""
            return f"{capital}, {area.name}" if capital else area.name
        return f"{area.name}, {self._country(area.country, german=False)}"

    def _area_option(self, area: Area) -> str:
        name = area.german if self._german else area.name
        if not area.region:
            return f"{name} ({'Land' if self._german else 'country'})"
        if area.country == "US":
            return f"{name} ({'US-Bundesstaat' if self._german else 'US state'})"
        return f"{name} ({self._country(area.country, german=self._german)})"

    # ------------------------------------------------------------ towns

    def _city(self, cities: Sequence[City]) -> Location:
        cities = _by_own_name(cities)
        heaviest = max(cities, key=_weight)
        offset = self._offset(heaviest.zone)
        rivals = sorted((city for city in cities if self._offset(city.zone) != offset), key=_weight, reverse=True)
        if rivals and _weight(rivals[0]) * DOMINANT > _weight(heaviest):
            labels = dict.fromkeys(self._label(city, german=self._german) for city in [heaviest, *rivals])
            return Doubtful(options=tuple(labels)[:OPTIONS])
        best = max((city for city in cities if self._offset(city.zone) == offset), key=_score)
        return Located(label=self._label(best), zone=best.zone)

    def _label(self, city: City, *, german: bool = False) -> str:
        country = self._country(city.country, german=german)
        if folded(country) in ("", folded(city.name)):
            return city.name
        state = f"{city.admin}, " if city.country == "US" and city.admin.isalpha() else ""
        return f"{city.name}, {state}{country}"

    def _country(self, code: str, *, german: bool) -> str:
        if code in ("US", "GB"):
            return {"US": "USA", "GB": "Großbritannien" if german else "UK"}[code]
        country = self._known.country(code)
        return "" if country is None else country.german if german else country.name

    def _offset(self, zone: str) -> timedelta:
        return self._instant.astimezone(ZoneInfo(zone)).utcoffset() or timedelta()


def _holds(area: Area, city: City) -> bool:
    return area.country == city.country and (not area.region or city.admin in area.admins)


def _by_own_name(cities: Sequence[City]) -> Sequence[City]:
    """The towns without those that only have the name in another language, where a known town has it as its own."""
    own = [city for city in cities if city.own]
    return own if any(city.names >= WELL_KNOWN for city in own) else cities


def _weight(city: City) -> float:
    """How likely the town is meant: by its people and its fame, more for a capital and for the namesake of a zone."""
    return (city.people + 1) * city.names * (2 if city.capital else 1) * (4 if city.namesake else 1)


def _score(city: City) -> float:
    kind = CAPITAL if city.capital else SEAT if city.namesake else TOWN
    return (EXACT if city.exact else PREFIX) + kind + math.log10(city.people * 1000 + 1)
