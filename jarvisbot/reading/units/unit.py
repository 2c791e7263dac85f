"""One unit of measurement, and the powers and ratios of units."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

import msgspec

__all__ = ["KINDS", "Dimension", "Unit", "inverse", "kind_of", "power", "product", "ratio"]

Dimension: TypeAlias = tuple[tuple[str, int], ...]
"""Powers of base dimensions, sorted by name, none of them zero."""

KINDS: dict[str, Dimension] = {
    "length": (("length", 1),),
    "area": (("length", 2),),
    "volume": (("length", 3),),
    "mass": (("mass", 1),),
    "time": (("time", 1),),
    "temperature": (("temperature", 1),),
    "angle": (("angle", 1),),
    "data": (("data", 1),),
    "data rate": (("data", 1), ("time", -1)),
    "speed": (("length", 1), ("time", -1)),
    "pace": (("length", -1), ("time", 1)),
    "frequency": (("time", -1),),
    "force": (("length", 1), ("mass", 1), ("time", -2)),
    "pressure": (("length", -1), ("mass", 1), ("time", -2)),
    "energy": (("length", 2), ("mass", 1), ("time", -2)),
    "power": (("length", 2), ("mass", 1), ("time", -3)),
    "fuel consumption": (("length", 2),),
    "fuel economy": (("length", -2),),
    "density": (("length", -3), ("mass", 1)),
    "flow": (("length", 3), ("time", -1)),
    "charge": (("current", 1), ("time", 1)),
    "current": (("current", 1),),
    "voltage": (("current", -1), ("length", 2), ("mass", 1), ("time", -3)),
    "resistance": (("current", -2), ("length", 2), ("mass", 1), ("time", -3)),
}
"""What units measure, by its English name."""


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """A unit: `factor` times the product of `parts`, which are pint's own names with their powers.

    It is shown by its symbol, or in words where it has a plural: `symbol` is the English singular then. `note` says how
    a word was read that may mean several units, in English and in German.
    """

    symbol: str
    parts: tuple[tuple[str, int], ...]
    dimension: Dimension
    factor: Fraction = Fraction(1)
    plural: str = ""
    german: tuple[str, str] | None = None
    """Singular and plural in German, of a unit shown in words."""
    note: tuple[str, str] | None = None
    system: str = ""
    """ "us" or "imperial" where the two have units of one name and different size."""
    partners: frozenset[str] = frozenset()
    """Symbols of units beside which an ambiguous word means this unit rather than another."""

    @property
    def has_offset(self) -> bool:
        """Whether its zero is not the zero of its kind, as of °C and °F."""
        return self.parts in _OFFSET

    @property
    def is_rounded(self) -> bool:
        """Whether its size beside other units of its kind is an irrational number."""
        return any(name in _IRRATIONAL for name, _ in self.parts)

    def shown(self, *, one: bool, german: bool) -> str:
        """The symbol, or the word for one or for several of it."""
        if german and self.german:
            return self.german[0] if one else self.german[1]
        return self.plural if self.plural and not one else self.symbol


_OFFSET = ((("degree_Celsius", 1),), (("degree_Fahrenheit", 1),))
_IRRATIONAL = frozenset({"radian", "parsec"})
_POWERS = {2: "²", 3: "³"}


def kind_of(dimension: Dimension) -> str | None:
    """The English name of what a dimension measures, None where it has none here."""
    return next((kind for kind, known in KINDS.items() if known == dimension), None)


def inverse(dimension: Dimension) -> Dimension:
    """One over it: a pace is one over a speed."""
    return tuple((name, -exponent) for name, exponent in dimension)


def power(unit: Unit, exponent: int) -> Unit:
    """The unit squared or cubed."""
    return Unit(
        symbol=f"{unit.symbol}{_POWERS[exponent]}",
        parts=tuple((name, times * exponent) for name, times in unit.parts),
        dimension=tuple((name, times * exponent) for name, times in unit.dimension),
        factor=unit.factor**exponent,
    )


def ratio(above: Unit, below: Unit, *, times: int = 1) -> Unit:
    """`above` for each `times` of `below`, as litres for each 100 km."""
    each = f"{times} {below.symbol}" if times != 1 else below.symbol
    return Unit(
        symbol=f"{above.symbol}/{each}",
        parts=_joined(above.parts, below.parts, -1),
        dimension=_joined(above.dimension, below.dimension, -1),
        factor=above.factor / below.factor / times,
        note=above.note or below.note,
        system=above.system or below.system,
    )


def product(symbol: str, *units: Unit) -> Unit:
    """The units multiplied with each other, shown as `symbol`."""
    parts: tuple[tuple[str, int], ...] = ()
    dimension: Dimension = ()
    factor = Fraction(1)
    for unit in units:
        parts, dimension = _joined(parts, unit.parts, 1), _joined(dimension, unit.dimension, 1)
        factor *= unit.factor
    return Unit(symbol=symbol, parts=parts, dimension=dimension, factor=factor)


def _joined(
    first: Iterable[tuple[str, int]], second: Iterable[tuple[str, int]], sign: int
) -> tuple[tuple[str, int], ...]:
    powers = dict(first)
    for name, exponent in second:
        powers[name] = powers.get(name, 0) + sign * exponent
    return tuple(sorted((name, exponent) for name, exponent in powers.items() if exponent))
