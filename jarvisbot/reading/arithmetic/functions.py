"""The functions and constants of sums, exact where the result is rational, through decimal where it is not."""

from __future__ import annotations

import decimal
import functools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from jarvisbot.reading.arithmetic.faults import SumError, SumErrorKind
from jarvisbot.reading.arithmetic.values import (
    BOUND,
    DIGIT_LIMIT,
    UNIT,
    WORK,
    Approximation,
    Value,
    add,
    approximate,
    divide,
    multiply,
    negate,
    power,
    settle,
    sign,
)

__all__ = ["CONSTANTS", "FUNCTIONS", "call"]

_PI_DIGITS_LIMIT = DIGIT_LIMIT + 2 * WORK.prec


def _arctangent_of_inverse(number: int, one: int) -> int:
    term = one // number
    total, square, divisor, positive = term, number * number, 3, False
    while term:
        term //= square
        total += term // divisor if positive else -(term // divisor)
        positive, divisor = not positive, divisor + 2
    return total


@functools.lru_cache(maxsize=4)
def _pi(digits: int) -> Decimal:
    """Pi to `digits` digits, by Machin's formula."""
    one = 10 ** (digits + 10)
    scaled = 4 * (4 * _arctangent_of_inverse(5, one) - _arctangent_of_inverse(239, one))
    return Decimal(scaled // 10**10).scaleb(-digits, context=_wide(digits + 10))


def _wide(digits: int) -> decimal.Context:
    return decimal.Context(prec=digits, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[])


def _constant(value: Decimal) -> Approximation:
    return Approximation(value=value, error=BOUND.multiply(value, UNIT))


CONSTANTS: Final = {"pi": _constant(WORK.plus(_pi(WORK.prec))), "e": _constant(WORK.exp(Decimal(1)))}


def _sqrt(value: Value) -> Value:
    if sign(value) < 0:
        raise SumError(SumErrorKind.NOT_FINITE)
    if isinstance(value, Fraction):
        above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if above * above == value.numerator and below * below == value.denominator:
            return Fraction(above, below)
    near = approximate(value)
    if near.may_be_zero:
        return near
    root = WORK.sqrt(near.value)
    return settle(
        Approximation(value=root, error=BOUND.add(BOUND.divide(near.error, root), BOUND.multiply(root, UNIT)))
    )


def _absolute(value: Value) -> Value:
    return negate(value) if sign(value) < 0 else value


def _logarithm(value: Value) -> Value:
    if sign(value) <= 0:
        raise SumError(SumErrorKind.NOT_FINITE)
    if value == 1:
        return Fraction(0)
    near = approximate(value)
    result = WORK.ln(near.value)
    least = WORK.subtract(near.value, near.error)
    error = BOUND.add(BOUND.divide(near.error, least), BOUND.multiply(result.copy_abs(), UNIT))
    return settle(Approximation(value=result, error=error))


def _logarithm_to_ten(value: Value) -> Value:
    return divide(_logarithm(value), _logarithm(Fraction(10)))


def _sine_and_cosine(value: Value) -> tuple[Value, Value]:
    """Both, by Taylor's series after the argument is brought below pi/4."""
    if value == 0:
        return Fraction(0), Fraction(1)
    near = approximate(value)
    given = near.error if isinstance(value, Approximation) else Decimal(0)
    if given.adjusted() > -20 and given:
        raise SumError(SumErrorKind.TOO_LARGE)
    wide = _wide(min(WORK.prec + max(near.value.adjusted(), 0) + 10, _PI_DIGITS_LIMIT))
    exact = (
        wide.divide(Decimal(value.numerator), Decimal(value.denominator)) if isinstance(value, Fraction) else near.value
    )
    half_pi = wide.divide(_pi(wide.prec), Decimal(2))
    quarters = int(wide.divide(exact, half_pi).to_integral_value())
    angle = WORK.plus(wide.subtract(exact, wide.multiply(Decimal(quarters), half_pi)))
    sine, cosine = _series(angle, angle, 1), _series(Decimal(1), angle, 0)
    rounding = BOUND.multiply(sine.copy_abs(), UNIT) if quarters == 0 else UNIT
    sine_error, cosine_error = BOUND.add(given, rounding), BOUND.add(given, UNIT)
    for _ in range(quarters % 4):
        sine, cosine = cosine, sine.copy_negate()
    return (
        settle(Approximation(value=sine, error=sine_error)),
        settle(Approximation(value=cosine, error=cosine_error)),
    )


def _series(first: Decimal, angle: Decimal, order: int) -> Decimal:
    square = WORK.multiply(angle, angle).copy_negate()
    term = total = first
    step = order
    while term and term.adjusted() > -WORK.prec - 5:
        step += 2
        term = WORK.divide(WORK.multiply(term, square), Decimal(step * (step - 1)))
        total = WORK.add(total, term)
    return total


def _tangent(value: Value) -> Value:
    sine, cosine = _sine_and_cosine(value)
    if sign(cosine) == 0:
        raise SumError(SumErrorKind.NOT_FINITE)
    return divide(sine, cosine)


def _whole(value: Value, rounded: Callable[[Fraction], int]) -> Value:
    return settle(Fraction(rounded(value if isinstance(value, Fraction) else Fraction(value.value))))


def _half_away_from_zero(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2)) if value > 0 else -math.floor(-value + Fraction(1, 2))


def _round(value: Value, places: Value = Fraction(0)) -> Value:
    if not isinstance(places, Fraction) or places.denominator != 1 or abs(places) > 100:
        raise SumError(SumErrorKind.NOT_FINITE)
    shift = Fraction(10) ** int(places)
    return divide(_whole(multiply(value, shift), _half_away_from_zero), shift)


def _least(*values: Value) -> Value:
    return functools.reduce(lambda a, b: b if sign(add(b, negate(a))) < 0 else a, values)


def _greatest(*values: Value) -> Value:
    return functools.reduce(lambda a, b: b if sign(add(b, negate(a))) > 0 else a, values)


FUNCTIONS: Final[dict[str, tuple[Callable[..., Value], int, int]]] = {
    "sqrt": (_sqrt, 1, 1),
    "abs": (_absolute, 1, 1),
    "ln": (_logarithm, 1, 1),
    "log": (_logarithm_to_ten, 1, 1),
    "sin": (lambda value: _sine_and_cosine(value)[0], 1, 1),
    "cos": (lambda value: _sine_and_cosine(value)[1], 1, 1),
    "tan": (_tangent, 1, 1),
    "round": (_round, 1, 2),
    "floor": (lambda value: _whole(value, math.floor), 1, 1),
    "ceil": (lambda value: _whole(value, math.ceil), 1, 1),
    "min": (_least, 1, 100),
    "max": (_greatest, 1, 100),
    "cbrt": (lambda value: _cube_root(value), 1, 1),
}
"""Each function with the fewest and the most arguments it takes."""


def _cube_root(value: Value) -> Value:
    root = power(_absolute(value), Fraction(1, 3))
    return negate(root) if sign(value) < 0 else root


def call(name: str, arguments: Sequence[Value]) -> Value:
    """The value of a function; its name is in `FUNCTIONS` and the number of arguments fits. Raises SumError."""
    return FUNCTIONS[name][0](*arguments)
