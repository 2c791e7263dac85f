"""The units there are, with their names in German and English, as they stand in units.toml."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import msgspec

from jarvisbot.reading.units.unit import KINDS, Unit, product

__all__ = ["Names", "names"]


class Names(msgspec.Struct, frozen=True, kw_only=True):
    """Units by name: `symbols` as they are spelt, `loose` the same in any case, `words` in small letters.

    `aliases` are short names of powers and ratios.
    """

    symbols: dict[str, tuple[Unit, ...]]
    loose: dict[str, tuple[Unit, ...]]
    words: dict[str, tuple[Unit, ...]]
    aliases: dict[str, str]


class _Scaled(msgspec.Struct, frozen=True, kw_only=True):
    symbol: str
    pint: str
    kind: str
    prefixes: str
    words: str = ""


class _Plain(msgspec.Struct, frozen=True, kw_only=True):
    symbol: str
    pint: str
    kind: str
    factor: str = "1"
    symbols: str = ""
    words: str = ""


class _Worded(msgspec.Struct, frozen=True, kw_only=True):
    one: str
    several: str
    german_one: str
    german_several: str
    pint: str
    kind: str
    factor: str = "1"
    symbols: str = ""
    words: str = ""
    note: str = ""
    german_note: str = ""


class _TwoSystems(msgspec.Struct, frozen=True, kw_only=True):
    one: str
    us: str
    words: str
    note: str
    german_note: str
    imperial: str = ""
    several: str = ""
    german_one: str = ""
    german_several: str = ""
    symbols: str = ""


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    scaled: tuple[_Scaled, ...]
    plain: tuple[_Plain, ...]
    worded: tuple[_Worded, ...]
    two_systems: tuple[_TwoSystems, ...]
    aliases: dict[str, str]


_PREFIXES: dict[str, tuple[int, tuple[str, ...]]] = {
    "p": (-12, ("pico", "piko")),
    "n": (-9, ("nano",)),
    "µ": (-6, ("micro", "mikro")),
    "m": (-3, ("milli",)),
    "c": (-2, ("centi", "zenti")),
    "d": (-1, ("deci", "dezi")),
    "da": (1, ("deca", "deka")),
    "h": (2, ("hecto", "hekto")),
    "k": (3, ("kilo",)),
    "M": (6, ("mega",)),
    "G": (9, ("giga",)),
    "T": (12, ("tera",)),
    "P": (15, ("peta",)),
}
_BINARY = {"Ki": (10, "kibi"), "Mi": (20, "mebi"), "Gi": (30, "gibi"), "Ti": (40, "tebi"), "Pi": (50, "pebi")}

_SYSTEMS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "us": (
        ("us", "u.s.", "american", "amerikanische", "amerikanischen", "amerikanisches"),
        "US",
        "US-",
    ),
    "imperial": (
        (
            *("imperial", "imp", "uk", "british", "english"),
            *("imperiale", "imperialen", "britische", "britischen", "britisches", "englische", "englischen"),
        ),
        "imperial",
        "britische ",
    ),
}
"""By system: adjectives in both languages, and how it is named in notes."""


class _Building:
    """Collects names while the table is read."""

    def __init__(self) -> None:
        self.symbols: dict[str, tuple[Unit, ...]] = {}
        self.loose: dict[str, tuple[Unit, ...]] = {}
        self.words: dict[str, tuple[Unit, ...]] = {}

    def symbol(self, text: str, *units: Unit) -> None:
        """A symbol of the units; the first unit of a spelling in other case stays the first."""
        self.symbols[text] = (*self.symbols.get(text, ()), *units)
        loose = text.casefold()
        self.loose[loose] = (*self.loose.get(loose, ()), *units)

    def word(self, text: str, *units: Unit) -> None:
        """A name of the units."""
        folded = text.casefold()
        self.words[folded] = (*self.words.get(folded, ()), *units)

    def unit(self, unit: Unit, symbols: str, words: str) -> None:
        """A unit with its symbols and names, each parted by bars."""
        for text in filter(None, symbols.split("|")):
            self.symbol(text, unit)
        for text in filter(None, words.split("|")):
            self.word(text, unit)


def names() -> Names:
    """The whole table, read anew: callers keep it."""
    text = Path(__file__).with_name("units.toml").read_text(encoding="utf-8")
    table = msgspec.convert(tomllib.loads(text), _File)
    found = _Building()
    for scaled in table.scaled:
        _scaled(found, scaled)
    _more_data(found)
    for plain in table.plain:
        unit = _unit(plain.symbol, plain.pint, plain.factor, plain.kind)
        found.unit(unit, f"{plain.symbol}|{plain.symbols}", plain.words)
    for worded in table.worded:
        _worded(found, worded)
    for both in table.two_systems:
        _two_systems(found, both)
    _ambiguous(found)
    return Names(symbols=found.symbols, loose=found.loose, words=found.words, aliases=table.aliases)


def _unit(symbol: str, pint_name: str, factor: str, kind: str) -> Unit:
    name, _, exponent = pint_name.partition("^")
    return Unit(symbol=symbol, parts=((name, int(exponent or 1)),), factor=Fraction(factor), dimension=KINDS[kind])


def _scaled(found: _Building, row: _Scaled) -> None:
    found.unit(_unit(row.symbol, row.pint, "1", row.kind), row.symbol, row.words)
    for prefix in row.prefixes.split():
        exponent, spelled = _PREFIXES[prefix]
        unit = Unit(
            symbol=prefix + row.symbol,
            parts=((row.pint, 1),),
            factor=Fraction(10) ** exponent,
            dimension=KINDS[row.kind],
        )
        words = [each + word for each in spelled for word in row.words.split("|") if word]
        found.unit(unit, unit.symbol, "|".join(words))


def _more_data(found: _Building) -> None:
    """Powers of 1024, and Mb for megabit; mb in small letters is what people write for MB."""
    for prefix, (exponent, spelled) in _BINARY.items():
        for symbol, word in (("B", "byte"), ("bit", "bit")):
            unit = Unit(
                symbol=prefix + symbol, parts=((word, 1),), factor=Fraction(2**exponent), dimension=KINDS["data"]
            )
            found.unit(unit, unit.symbol, spelled + word)
    for prefix in "MGT":
        found.symbol(f"{prefix}b", *found.symbols[f"{prefix}bit"])
    for prefix in "kMGT":
        found.loose[f"{prefix}b".lower()] = found.symbols[f"{prefix}B"]


def _worded(found: _Building, row: _Worded) -> None:
    unit = msgspec.structs.replace(
        _unit(row.one, row.pint, row.factor, row.kind),
        plural=row.several,
        german=(row.german_one, row.german_several),
        note=(row.note, row.german_note) if row.note else None,
    )
    every = (row.one, row.several, row.german_one, row.german_several, *row.words.split("|"))
    found.unit(unit, row.symbols, "|".join(dict.fromkeys(each.casefold() for each in every)))


def _two_systems(found: _Building, row: _TwoSystems) -> None:
    ambiguous: list[Unit] = []
    for system, pint_name in (("us", row.us), ("imperial", row.imperial)):
        if not pint_name:
            continue
        unit = _of_system(row, system, pint_name)
        ambiguous.append(unit)
        explicit = msgspec.structs.replace(unit, note=None)
        for word in dict.fromkeys((*row.words.split("|"), row.one)):
            for adjective in _SYSTEMS[system][0]:
                found.word(f"{adjective} {word}", explicit)
            if system == "us":
                found.word(f"us-{word}", explicit)
    for text in dict.fromkeys((row.one, *row.symbols.split("|"))):
        if text and " " not in text:
            found.symbol(text, *ambiguous)
    for word in row.words.split("|"):
        found.word(word, *ambiguous)


def _of_system(row: _TwoSystems, system: str, pint_name: str) -> Unit:
    """The unit of one system: the plain name stands for that of the US, the other is shown with its adjective."""
    before, german_one, german_several = (
        ("imperial ", "britisches ", "britische ") if system == "imperial" else ("", "", "")
    )
    _, shown, german_shown = _SYSTEMS[system]
    return msgspec.structs.replace(
        _unit(before + row.one, pint_name, "1", "volume"),
        plural=before + row.several if row.several else "",
        german=(german_one + row.german_one, german_several + row.german_several) if row.german_one else None,
        system=system,
        note=(f"{shown} {row.note}", f"{german_shown}{row.german_note}"),
    )


def _ambiguous(found: _Building) -> None:
    """Words that stand for several units, the likeliest first."""
    ounces = (*found.symbols["oz"], *found.words["fluid ounce"])
    found.symbols["oz"] = found.loose["oz"] = ounces
    for word in ("ounce", "unze"):
        found.word(word, *ounces)
    (short,) = found.words["short ton"]
    tons = "US tons of 907.18474 kg", "US-Tonnen zu 907,18474 kg"
    found.word("ton", msgspec.structs.replace(short, note=tons))
    (kilogram,) = found.symbols["kg"]
    for word in ("kilo", "kilos"):
        found.word(word, kilogram)
    found.symbol("mcg", *found.symbols["µg"])
    found.symbol("sec", *found.symbols["s"])
    found.symbol("sek", *found.symbols["s"])
    (celsius,), (fahrenheit,) = found.symbols["°C"], found.symbols["°F"]
    angle = _unit("°", "degree", "1", "angle")
    degrees = (
        angle,
        msgspec.structs.replace(celsius, note=("degrees Celsius", "Grad Celsius")),
        msgspec.structs.replace(fahrenheit, note=("degrees Fahrenheit", "Grad Fahrenheit")),
    )
    found.symbol("°", *degrees)
    found.symbol("deg", *degrees)
    for word in ("degree", "degrees", "grad"):
        found.word(word, *degrees)
    found.word("winkelgrad", angle)
    _calories(found)
    newton_meter = product("Nm", *found.symbols["N"], *found.symbols["m"])
    found.unit(newton_meter, "Nm|N·m", "newton meter|newtonmeter|newton metre")
    foot_pound = product("lbf·ft", *found.symbols["lbf"], *found.symbols["ft"])
    found.unit(
        foot_pound,
        "lb-ft|ft-lb|lbft|ftlb|ft·lb|lb·ft",
        "ft lb|lb ft|foot pound|foot-pound|pound-foot|pound foot|pound-feet",
    )


def _calories(found: _Building) -> None:
    (small,), (large,) = found.symbols["cal"], found.symbols["kcal"]
    food = msgspec.structs.replace(
        large, note=("food calories (kcal)", "Nahrungskalorien (kcal)"), partners=frozenset({"kJ", "kWh", "MJ"})
    )
    for word in ("calorie", "kalorie"):
        found.word(word, msgspec.structs.replace(small, note=("calories of 4.184 J", "Kalorien zu 4,184 J")), food)
        found.word(f"kilo{word}", large)
