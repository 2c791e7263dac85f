"""One conversion worked out exactly, and its line."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

import msgspec

from jarvisbot.reading.arithmetic.numerals import spelled
from jarvisbot.reading.units.faults import UnitError, UnitErrorKind
from jarvisbot.reading.units.lookup import UNIT_CHARACTERS, convertible, is_currency, likeliest, named, nearest
from jarvisbot.reading.units.quantities import SIZE_LIMIT, Quantity, Term, number_in, quantity_in
from jarvisbot.reading.units.unit import Unit, kind_of

__all__ = ["Conversion", "convert"]

VALUE_CHARACTERS = 200
ROUNDED_DIGITS = 6
"""Significant digits of a rounded value; none before the point is ever cut off."""
MOST_DIGITS = 15

_AND = re.compile(r"\s*(?:,|&|\+|\band\b|\bund\b)\s*", re.IGNORECASE)
_MOST_UNITS = 4


class Conversion(msgspec.Struct, frozen=True, kw_only=True):
    """A conversion worked out. `text` is its line: "3 ft = 91.44 cm", ≈ where the value is rounded.

    What could be read in several ways is said on a second line.
    """

    text: str


def convert(value: str, from_unit: str, to_unit: str) -> Conversion:
    """The value in the unit `from_unit` as one in `to_unit`. Raises UnitError.

    `value` may hold its unit, or several ("5 ft 3 in"), and `to_unit` may ask for several ("feet and inches").
    The first call of a process takes about half a second: pint reads its units.
    """
    terms = _terms(value, from_unit)
    targets = _targets(to_unit)
    source, target = likeliest(terms[0].units, targets[0])
    sources = [source, *(likeliest(term.units, (source,))[0] for term in terms[1:])]
    wanted = [target, *(likeliest((target,), each)[1] for each in targets[1:])]
    for unit in (*sources[1:], *wanted):
        if not convertible(source, unit) or (unit.has_offset and len(terms) + len(wanted) > 2):
            raise _incompatible(source, unit)
    amounts = [(term.value, unit) for term, unit in zip(terms, sources, strict=True)]
    result, exact = _spread(amounts, wanted)
    left = " ".join(_written(term, unit) for term, unit in zip(terms, sources, strict=True))
    notes = dict.fromkeys(unit.note[0] for unit in (*sources, *wanted) if unit.note)
    reading = f"\nRead as {' and '.join(notes)}." if notes else ""
    return Conversion(text=f"{left} {'=' if exact else '≈'} {result}{reading}")


def _terms(value: str, from_unit: str) -> tuple[Term, ...]:
    text, unit = value.strip(), from_unit.strip()
    if not text:
        raise UnitError(UnitErrorKind.MISSING_VALUE)
    if len(text) > VALUE_CHARACTERS:
        raise UnitError(UnitErrorKind.TOO_LARGE if text[:1].isdecimal() else UnitErrorKind.NOT_A_NUMBER, text)
    number = number_in(text, german=False)
    if number == "":
        raise UnitError(UnitErrorKind.TOO_LARGE)
    if isinstance(number, Fraction):
        if not unit:
            raise UnitError(UnitErrorKind.MISSING_UNIT)
        return (Term(value=number, number=_plain(number), unit=unit, units=_units(unit)),)
    quantity = quantity_in(text, german=False)
    if quantity is None or not quantity.terms:
        raise _no_quantity(text)
    if unit and not _says(quantity, unit):
        raise UnitError(UnitErrorKind.TWO_UNITS, " ".join(term.unit for term in quantity.terms), unit)
    return quantity.terms


def _no_quantity(text: str) -> UnitError:
    """A number in front of what is no unit, or no number at all."""
    if found := re.fullmatch(r"[-+−]?[\d.,\s]*\d\s*([^\W\d_].*|[$€£¥])|([$€£¥])\s*[\d.,]+", text, re.DOTALL):
        rest = found[1] or found[2]
        if is_currency(rest):
            return UnitError(UnitErrorKind.CURRENCY)
    return UnitError(UnitErrorKind.NOT_A_NUMBER, text)


def _says(quantity: Quantity, unit: str) -> bool:
    """Whether the unit is one of those that the value has already."""
    known = [each.symbol for part in _AND.split(unit) for each in named(part)]
    return any(each.symbol in known for term in quantity.terms for each in term.units)


def _targets(text: str) -> list[tuple[Unit, ...]]:
    if not text.strip():
        raise UnitError(UnitErrorKind.MISSING_TARGET)
    if whole := named(text.strip()):
        return [whole]
    parts = [part for part in _AND.split(text.strip()) if part]
    if not parts or len(parts) > _MOST_UNITS:
        raise _unknown(text)
    return [_units(part) for part in parts]


def _units(text: str) -> tuple[Unit, ...]:
    found = named(text)
    if not found:
        raise UnitError(UnitErrorKind.CURRENCY) if is_currency(text) else _unknown(text)
    return found


def _unknown(text: str) -> UnitError:
    near = nearest(text) if len(text) <= UNIT_CHARACTERS else ()
    if near:
        return UnitError(UnitErrorKind.UNKNOWN_UNIT_NEAR, text, ", ".join(near))
    return UnitError(UnitErrorKind.UNKNOWN_UNIT, text)


def _incompatible(source: Unit, target: Unit) -> UnitError:
    kinds = kind_of(source.dimension), kind_of(target.dimension)
    if kinds[0] and kinds[1] and kinds[0] != kinds[1]:
        return UnitError(UnitErrorKind.INCOMPATIBLE, source.symbol, kinds[0], target.symbol, kinds[1])
    return UnitError(UnitErrorKind.NO_COMMON_KIND, source.symbol, target.symbol)


# ---------------------------------------------------------------- the value


@functools.cache
def _registry() -> Any:
    """Pint's units with exact fractions. Read once: that is what takes the time."""
    import pint  # on use: a bot that converts nothing does without it

    return pint.UnitRegistry(non_int_type=Fraction)


def _in_unit(value: Fraction, source: Unit, target: Unit) -> Fraction:
    """The value in another unit of its kind, or of the inverse of its kind."""
    registry = _registry()
    quantity = registry.Quantity(value * source.factor, registry.UnitsContainer(dict(source.parts)))
    if source.dimension != target.dimension:
        if not value:
            raise UnitError(UnitErrorKind.DIVISION_BY_ZERO)
        quantity = 1 / quantity
    magnitude = quantity.to(registry.UnitsContainer(dict(target.parts))).magnitude
    return Fraction(magnitude) / target.factor


def _spread(amounts: Sequence[tuple[Fraction, Unit]], wanted: Sequence[Unit]) -> tuple[str, bool]:
    """The amounts together in the units wanted, and whether that is the whole value.

    In several units all but the smallest are whole numbers.
    """
    smallest = wanted[-1]
    for value, unit in amounts:
        if dict(unit.dimension) == {"temperature": 1} and _in_unit(value, unit, _kelvin()) < 0:
            raise UnitError(UnitErrorKind.ABSOLUTE_ZERO)
    sign = -1 if amounts[0][0] < 0 else 1
    first, *others = (_in_unit(value, unit, smallest) for value, unit in amounts)
    total = first + sign * sum(others, Fraction(0))
    irrational = any(unit.is_rounded != smallest.is_rounded for _, unit in amounts)
    if len(wanted) == 1:
        text, exact = _value(total, irrational=irrational)
        return _beside(text, smallest), exact
    sizes = [_in_unit(Fraction(1), unit, smallest) for unit in wanted[:-1]]
    rest, exact = _rounded_rest(abs(total))
    shown = []
    for size, unit in zip(sizes, wanted[:-1], strict=True):
        whole = math.floor(rest / size)
        rest -= whole * size
        shown.append(_beside(str(whole), unit))
    shown.append(_beside(_plain(rest), smallest))
    return ("-" if total < 0 else "") + " ".join(shown), exact and not irrational


@functools.cache
def _kelvin() -> Unit:
    return named("K")[0]


def _rounded_rest(total: Fraction) -> tuple[Fraction, bool]:
    """The total as it is shown in the smallest unit: rounded before it is spread, so that no 12 inches are left over."""
    text, exact = _value(total, irrational=False)
    return Fraction(text), exact


def _value(value: Fraction, *, irrational: bool) -> tuple[str, bool]:
    text, exact = spelled(value)
    if exact and not irrational:
        return text, True
    near = Decimal(value.numerator) / Decimal(value.denominator)
    digits = min(max(ROUNDED_DIGITS, near.adjusted() + 1), MOST_DIGITS)
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP, Emax=10**6, Emin=-(10**6)).plus(
        Context(prec=60, rounding=ROUND_HALF_UP).divide(Decimal(value.numerator), Decimal(value.denominator))
    )
    return spelled(Fraction(rounded))[0], False


def _plain(value: Fraction) -> str:
    """The value in plain digits, as a fraction where those do not end."""
    if abs(value.numerator) >= 10**SIZE_LIMIT or value.denominator >= 10**SIZE_LIMIT:
        raise UnitError(UnitErrorKind.TOO_LARGE)
    text, whole = spelled(value)
    return text if whole else str(value)


def _beside(number: str, unit: Unit) -> str:
    return f"{number} {unit.shown(one=number in ('1', '-1'), german=False)}"


def _written(term: Term, unit: Unit) -> str:
    return _beside(_plain(term.value), unit)
