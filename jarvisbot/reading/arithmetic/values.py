"""Numbers that a sum is made of: exact fractions, and decimals with a known bound of their error.

Every operation bounds the size of its result before it computes it, so no expression can cost more than a few milliseconds.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from jarvisbot.reading.arithmetic.faults import UNDEFINED, SumError, SumErrorKind

__all__ = [
    "DIGIT_LIMIT",
    "WORK",
    "Approximation",
    "Value",
    "add",
    "approximate",
    "divide",
    "magnitude",
    "multiply",
    "negate",
    "power",
    "remainder",
    "settle",
    "sign",
]

DIGIT_LIMIT = 4_000
"""The most digits before or after the point that a result may need."""

WORKING_DIGITS = 110
SAFE_DIGITS = 28
"""Digits an irrational result is right to; the working digits above it are room for cancellation."""

WORK = decimal.Context(
    prec=WORKING_DIGITS,
    rounding=decimal.ROUND_HALF_EVEN,
    Emax=decimal.MAX_EMAX,
    Emin=decimal.MIN_EMIN,
    traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
)
BOUND = decimal.Context(prec=9, rounding=decimal.ROUND_UP, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])
"""For error bounds: few digits, always rounded away from zero."""

SHORT = decimal.Context(prec=15, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])

UNIT = Decimal(1).scaleb(2 - WORKING_DIGITS, context=WORK)
"""More than the relative error of one operation at the working precision."""

_LIMIT = 10**DIGIT_LIMIT
_LARGEST_ARGUMENT = Decimal(DIGIT_LIMIT * 231 // 100)
_LOG10_2 = math.log10(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approximation:
    """A real number within `error` of `value`."""

    value: Decimal
    error: Decimal

    @property
    def may_be_zero(self) -> bool:
        """Whether zero lies within the error."""
        return self.value.copy_abs() <= self.error


Value: TypeAlias = Fraction | Approximation


def digits(number: int) -> int:
    """An upper bound, at most one too high, of the decimal digits of an integer."""
    return int(number.bit_length() * _LOG10_2) + 1


def magnitude(value: Value) -> float:
    """The decimal logarithm of a value that is not zero, right to a few parts in 10**12."""
    if isinstance(value, Approximation):
        return value.value.adjusted() + math.log10(value.value.copy_abs().scaleb(-value.value.adjusted(), context=WORK))
    return _log10(abs(value.numerator)) - _log10(value.denominator)


def _log10(number: int) -> float:
    shift = max(number.bit_length() - 60, 0)
    return math.log10(number >> shift) + shift * _LOG10_2


def sign(value: Value) -> int:
    """-1, 0 or 1."""
    if isinstance(value, Approximation):
        return 0 if value.may_be_zero else (1 if value.value > 0 else -1)
    return (value > 0) - (value < 0)


def approximate(value: Value) -> Approximation:
    """The value as a decimal of the working precision."""
    if isinstance(value, Approximation):
        return value
    quotient = WORK.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Approximation(value=quotient, error=_rounding(quotient))


def settle(value: Value) -> Value:
    """The value as it goes on: a fraction of bounded size, a decimal turned back into the short number it stands for.

    sqrt(2) ^ 2 is 2 and sin(pi) is 0: a number of at most 15 digits that lies within an error of 28 digits and more is
    taken for the result itself. Raises SumError (too_large).
    """
    if isinstance(value, Fraction):
        if abs(value.numerator) < _LIMIT and value.denominator < _LIMIT:
            return value
        if not -DIGIT_LIMIT <= magnitude(value) < DIGIT_LIMIT:
            raise SumError(SumErrorKind.TOO_LARGE)
        return approximate(value)
    if value.may_be_zero:
        return Fraction(0) if value.error.adjusted() < -SAFE_DIGITS else value
    if not -DIGIT_LIMIT <= value.value.adjusted() < DIGIT_LIMIT:
        raise SumError(SumErrorKind.TOO_LARGE)
    if value.error.adjusted() > value.value.adjusted() - SAFE_DIGITS:
        return value
    short = SHORT.create_decimal(value.value)
    return Fraction(short) if WORK.subtract(short, value.value).copy_abs() <= value.error else value


def _rounding(value: Decimal) -> Decimal:
    return BOUND.multiply(value.copy_abs(), UNIT)


def _result(value: Decimal, error: Decimal) -> Value:
    return settle(Approximation(value=value, error=BOUND.add(error, _rounding(value))))


def negate(value: Value) -> Value:
    """Minus the value."""
    if isinstance(value, Approximation):
        return Approximation(value=value.value.copy_negate(), error=value.error)
    return -value


def add(left: Value, right: Value) -> Value:
    """The sum. Raises SumError (too_large)."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return settle(left + right)
    a, b = approximate(left), approximate(right)
    return _result(WORK.add(a.value, b.value), BOUND.add(a.error, b.error))


def multiply(left: Value, right: Value) -> Value:
    """The product. Raises SumError (too_large)."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return settle(left * right)
    if left == 0 or right == 0:
        return Fraction(0)
    a, b = approximate(left), approximate(right)
    error = BOUND.add(
        BOUND.multiply(a.value.copy_abs(), b.error),
        BOUND.multiply(BOUND.add(b.value.copy_abs(), b.error), a.error),
    )
    return _result(WORK.multiply(a.value, b.value), error)


def divide(left: Value, right: Value) -> Value:
    """The quotient. Raises SumError (division_by_zero, too_large)."""
    if sign(right) == 0:
        raise SumError(SumErrorKind.DIVISION_BY_ZERO, UNDEFINED if sign(left) == 0 else None)
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return settle(left / right)
    if left == 0:
        return Fraction(0)
    a, b = approximate(left), approximate(right)
    quotient = WORK.divide(a.value, b.value)
    least = WORK.subtract(b.value.copy_abs(), b.error)
    error = BOUND.divide(BOUND.add(a.error, BOUND.multiply(quotient.copy_abs(), b.error)), least)
    return _result(quotient, error)


def remainder(left: Value, right: Value) -> Value:
    """What is left of a division, with the sign of the dividend: -7 % 3 is -1. Raises SumError (not_finite)."""
    if sign(right) == 0:
        raise SumError(SumErrorKind.NOT_FINITE)
    quotient = divide(left, right)
    whole = Fraction(int(quotient)) if isinstance(quotient, Fraction) else Fraction(int(quotient.value))
    return add(left, negate(multiply(whole, right)))


def power(base: Value, exponent: Value) -> Value:
    """The base raised to the exponent; 0 ^ 0 is 1. Raises SumError (division_by_zero, not_finite, too_large)."""
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return _whole_power(base, int(exponent))
    if sign(base) < 0:
        raise SumError(SumErrorKind.NOT_FINITE)
    if sign(base) == 0:
        if sign(exponent) > 0:
            return Fraction(0)
        raise SumError(SumErrorKind.DIVISION_BY_ZERO)
    return _real_power(approximate(base), approximate(exponent))


def _whole_power(base: Value, exponent: int) -> Value:
    if exponent == 0:
        return Fraction(1)
    if sign(base) == 0:
        if exponent < 0:
            raise SumError(SumErrorKind.DIVISION_BY_ZERO)
        return Fraction(0)
    if isinstance(base, Fraction):
        if abs(base) == 1:
            return base if exponent % 2 else Fraction(1)
        if abs(exponent) * max(digits(base.numerator), digits(base.denominator)) <= 4 * DIGIT_LIMIT:
            return settle(base**exponent)
    # Past this size the fraction is not worth computing, but a value of ordinary size may still come of it: 1.0001^36500.
    near = approximate(base)
    positive = Approximation(value=near.value.copy_abs(), error=near.error)
    result = _real_power(positive, approximate(Fraction(exponent)) if digits(exponent) < WORKING_DIGITS else None)
    return negate(result) if near.value < 0 and exponent % 2 else result


def _real_power(base: Approximation, exponent: Approximation | None) -> Value:
    """exp(exponent * ln(base)) for a base above zero; no exponent: one beyond any bound."""
    if exponent is None:
        raise SumError(SumErrorKind.TOO_LARGE)
    logarithm = WORK.ln(base.value)
    off = BOUND.add(BOUND.divide(base.error, WORK.subtract(base.value, base.error)), _rounding(logarithm))
    argument = WORK.multiply(exponent.value, logarithm)
    spread = BOUND.add(
        BOUND.multiply(exponent.value.copy_abs(), off),
        BOUND.multiply(BOUND.add(logarithm.copy_abs(), off), exponent.error),
    )
    spread = BOUND.add(spread, _rounding(argument))
    if argument.copy_abs() > _LARGEST_ARGUMENT or spread > 1:
        raise SumError(SumErrorKind.TOO_LARGE)
    result = WORK.exp(argument)
    return _result(result, BOUND.multiply(result, BOUND.add(spread, spread)))
