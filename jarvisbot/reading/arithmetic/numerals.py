"""Values written as digits: plain for models and machines, grouped in a language's way for people."""

from __future__ import annotations

import decimal
import re
from decimal import Decimal
from fractions import Fraction

from jarvisbot.reading.arithmetic.faults import SumError, SumErrorKind
from jarvisbot.reading.arithmetic.values import Value

__all__ = ["localised", "plain_number", "spelled"]

EXACT_DIGITS = 15
"""A result that ends within so many significant digits is written whole."""
ROUNDED_DIGITS = 12
REPLY_DECIMALS = 10
_PLAIN_FROM = -6
"""Below 10^-6 the exponent form is used, as below it in most calculators."""
_PLAIN_BELOW = 21
_ROUNDED = decimal.Context(
    prec=ROUNDED_DIGITS, rounding=decimal.ROUND_HALF_UP, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[]
)
_WIDE = decimal.Context(
    prec=100, rounding=decimal.ROUND_HALF_UP, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[]
)


def spelled(value: Value) -> tuple[str, bool]:
    """The value in plain digits and whether that is the whole value. Raises SumError (too_large) where nothing is certain."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return str(value.numerator), True
        whole = _terminating(value)
        if whole is not None:
            return _written(whole), True
        near = _ROUNDED.divide(Decimal(value.numerator), Decimal(value.denominator))
        return _written(near), False
    if value.value and value.error.adjusted() > value.value.adjusted() - ROUNDED_DIGITS - 1:
        raise SumError(SumErrorKind.TOO_LARGE)
    return _written(_ROUNDED.plus(value.value)), False


def _terminating(value: Fraction) -> Decimal | None:
    """The decimal that a fraction is, if it has no more digits than are written whole."""
    near = decimal.Context(prec=EXACT_DIGITS, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[]).divide(
        Decimal(value.numerator), Decimal(value.denominator)
    )
    return near if Fraction(near) == value else None


def _written(value: Decimal) -> str:
    if not value:
        return "0"
    digits = "".join(map(str, value.as_tuple().digits)).rstrip("0")
    first = value.adjusted()
    minus = "-" if value < 0 else ""
    if not _PLAIN_FROM <= first < _PLAIN_BELOW:
        point = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{minus}{digits[0]}{point}e{first:+d}"
    if first < 0:
        return f"{minus}0.{'0' * (-first - 1)}{digits}"
    digits = digits.ljust(first + 1, "0")
    after = digits[first + 1 :]
    return f"{minus}{digits[: first + 1]}{'.' if after else ''}{after}"


def plain_number(text: str) -> bool:
    """Whether the text is a number without an exponent."""
    return re.fullmatch(r"-?\d+(?:\.\d+)?", text) is not None


def localised(text: str, *, german: bool, grouped: bool = True) -> tuple[str, bool]:
    """A plain number as people write it, with at most ten decimals, and whether none was cut off.

    From 10^21 on and in exponent form the text comes back as it is, for such a number is copied rather than read.
    """
    if not plain_number(text) or len(text.lstrip("-").partition(".")[0]) > _PLAIN_BELOW:
        return text, True
    value = Decimal(text)
    rounded = value
    if -value.as_tuple().exponent > REPLY_DECIMALS:  # type: ignore[operator]  # a finite number
        rounded = _WIDE.quantize(value, Decimal(1).scaleb(-REPLY_DECIMALS))
        rounded = rounded if rounded else value
    shown = f"{rounded:,f}" if grouped else f"{rounded:f}"
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    if german:
        shown = shown.translate(str.maketrans(",.", ".,"))
    return shown, rounded == value
