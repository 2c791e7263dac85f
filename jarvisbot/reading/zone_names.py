"""Time zones by the names that people give them: the IANA name, or the place it ends in."""

from __future__ import annotations

import difflib
import unicodedata
import zoneinfo
from collections.abc import Mapping
from functools import cache
from importlib import resources

__all__ = ["nearest_zones", "zones_named"]

LIKENESS = 0.6
"""How like a name has to be to be offered in place of one that is unknown, from 0 to 1."""
_NO_PLACES = frozenset({"Factory", "localtime"})


def zones_named(text: str) -> tuple[str, ...]:
    """The IANA names that the text stands for; case, accents and `_` are ignored.

    A whole name is itself. Else it is the end of names, as "berlin" or "new york": of several those that a country uses
    today (zone.tab of the IANA data). An end of `Etc/` is no place: the signs of its offsets are the other way round.
    """
    wanted = _flat(text)
    if not wanted:
        return ()
    whole, ends = _whole(), _ends()
    if wanted in whole:
        return (whole[wanted],)
    found = ends.get(wanted, ())
    in_use = tuple(name for name in found if name in _in_use())
    return in_use or found


def nearest_zones(text: str, *, count: int = 3) -> tuple[str, ...]:
    """The IANA names most like the text, best first; none where nothing is like it."""
    ends = _ends()
    close = difflib.get_close_matches(_flat(text), ends, n=3 * count, cutoff=LIKENESS)
    names = [name for end in close for name in (zones_named(end) or ends[end])]
    return tuple(dict.fromkeys([name for name in names if name in _in_use()] or names))[:count]


@cache
def _whole() -> Mapping[str, str]:
    return {_flat(name): name for name in sorted(zoneinfo.available_timezones()) if name not in _NO_PLACES}


@cache
def _ends() -> Mapping[str, tuple[str, ...]]:
    """Every end of a name that begins behind a `/`, and the name itself -> the names."""
    found: dict[str, tuple[str, ...]] = {}
    for flat, name in _whole().items():
        if name.startswith("Etc/"):
            continue
        parts = flat.split("/")
        for start in range(len(parts)):
            end = "/".join(parts[start:])
            found[end] = (*found.get(end, ()), name)
    return found


@cache
def _in_use() -> frozenset[str]:
    table = resources.files("tzdata").joinpath("zoneinfo", "zone.tab").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in table.splitlines() if not line.startswith("#"))
    return frozenset(line[2] for line in lines if len(line) > 2)


def _flat(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text.casefold().replace("_", " "))
    plain = "".join(mark for mark in decomposed if not unicodedata.combining(mark))
    return "/".join(" ".join(part.split()) for part in plain.strip(" .!?\"'`").split("/"))
