"""The table of places that comes with the package: cities, countries and regions with their time zones.

Made by hatch_build.py from GeoNames (CC BY 4.0) and CLDR when the package is built; loaded when first asked, then kept.
"""

from __future__ import annotations

import functools
import lzma
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec

from jarvisbot.errors import MissingPart
from jarvisbot.reading.places.folding import folded

__all__ = ["FILE", "Area", "City", "Table", "table", "unpacked"]

FILE = Path(__file__).with_name("places.table")


class City(msgspec.Struct, frozen=True, kw_only=True):
    """A town: `people` in thousands, `own` whether the name that was asked is its first name, `exact` the whole name.

    `names` says how many names it has: the languages of the world have one of their own for a famous town.
    """

    name: str
    country: str
    admin: str
    zone: str
    people: float
    names: int
    capital: bool
    namesake: bool
    """A time zone is named after it."""
    own: bool
    exact: bool


class Area(msgspec.Struct, frozen=True, kw_only=True):
    """A country, or a region of one, with the share of its people in each of its zones, the largest first."""

    name: str
    german: str
    country: str
    people: float
    region: bool
    admins: frozenset[str]
    """The codes of the region's cities; none where it is no administrative one."""
    zones: tuple[tuple[str, float], ...]
    capital: str


class Table:
    """Looks names up in the table's text as it is: no index has to be built, so that loading costs what unpacking costs."""

    def __init__(self, text: bytes) -> None:
        begin = text.index(b"\n")
        self._zones = text[:begin].decode().split("\t")[1:]
        end = text.rindex(b"\nR\t")
        end = text.index(b"\n", end + 1)
        self._areas = text[begin:end]
        self._cities = text[end:]

    @property
    def zones(self) -> tuple[str, ...]:
        """Every zone of the table."""
        return tuple(self._zones)

    def areas(self, name: str) -> tuple[Area, ...]:
        """The countries, then the regions of exactly this name."""
        key = f"|{folded(name)}|".encode()
        return tuple(self._area(line) for line in _lines(self._areas, key)) if len(key) > 2 else ()

    def country(self, code: str) -> Area | None:
        """The country of a two-letter code."""
        return self._country(code)

    def cities(self, name: str) -> tuple[City, ...]:
        """The cities of exactly this name; where there are none, those whose name begins with these words."""
        key = folded(name)
        if not key:
            return ()
        exact = [self._city(line, key, exact=True) for line in _lines(self._cities, f"|{key}|".encode())]
        if exact or len(key) < 3:
            return tuple(exact)
        return tuple(self._city(line, key, exact=False) for line in _lines(self._cities, f"|{key} ".encode()))

    @functools.lru_cache(maxsize=256)  # noqa: B019 - there is one table, and it is kept
    def _country(self, code: str) -> Area | None:
        found = (self._area(line) for line in _lines(self._areas, f"\t{code}\t".encode()) if line.startswith("C\t"))
        return next(found, None)

    def _area(self, line: str) -> Area:
        kind, _, name, german, country, zones, people, last = line.split("\t")
        shares = (written.split(":") for written in zones.split(","))
        return Area(
            name=name,
            german=german,
            country=country,
            people=float(people),
            region=kind == "R",
            admins=frozenset(last.split(",")) - {""} if kind == "R" else frozenset(),
            zones=tuple((self._zones[int(zone)], float(share)) for zone, share in shares),
            capital=last if kind == "C" else "",
        )

    def _city(self, line: str, key: str, *, exact: bool) -> City:
        names, name, country, admin, zone, people, marks = line.split("\t")
        return City(
            name=name,
            country=country,
            admin=admin,
            zone=self._zones[int(zone)],
            people=float(people),
            names=names.count("|") - 1,
            capital="c" in marks,
            namesake="z" in marks,
            own=names.startswith(f"|{key}"),
            exact=exact,
        )


def _lines(text: bytes, part: bytes) -> Iterator[str]:
    """The lines that hold the part."""
    at = text.find(part)
    while at >= 0:
        begin, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at)
        end = len(text) if end < 0 else end
        yield text[begin:end].decode()
        at = text.find(part, end)


def unpacked(path: Path) -> Table:
    """The table in a file. Raises MissingPart where there is none."""
    try:
        packed = path.read_bytes()
    except FileNotFoundError as error:
        raise MissingPart("The table of places is missing: install jarvisbot again, which makes it.") from error
    return Table(lzma.decompress(packed[packed.index(b"\n") + 1 :]))


_loading = threading.Lock()


def table() -> Table:
    """The package's table, unpacked at the first call, which takes a tenth of a second: not for the event loop's thread then.

    Raises MissingPart where the package was installed without it.
    """
    with _loading:
        return _loaded()


@functools.cache
def _loaded() -> Table:
    return unpacked(FILE)
