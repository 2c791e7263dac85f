"""The value of an expression and the line that states it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import assert_never

from jarvisbot.reading.arithmetic import values
from jarvisbot.reading.arithmetic.faults import HINT, SumError, SumErrorKind
from jarvisbot.reading.arithmetic.functions import CONSTANTS, call
from jarvisbot.reading.arithmetic.grammar import parse
from jarvisbot.reading.arithmetic.nodes import (
    Binary,
    Call,
    Constant,
    Group,
    Node,
    Number,
    Percent,
    PercentOf,
    Signed,
    descendants,
)
from jarvisbot.reading.arithmetic.numerals import spelled
from jarvisbot.reading.arithmetic.tokens import Manner, tokens
from jarvisbot.reading.arithmetic.values import Value

__all__ = ["LENGTH_LIMIT", "Evaluation", "evaluate"]

LENGTH_LIMIT = 300
"""The most characters of an expression."""

_HUNDRED = Fraction(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """An expression with its value.

    `value_text` is the whole value where `exact`, else its first 12 significant digits. `reading` says how something that
    can be read in two ways was read ("80 + 25 % of 80"), None where nothing can.
    """

    expression: str
    value_text: str
    exact: bool
    reading: str | None = None

    @property
    def line(self) -> str:
        """ "expression = value", with ≈ where the value is rounded."""
        return f"{self.expression} {'=' if self.exact else '≈'} {self.value_text}"

    @property
    def text(self) -> str:
        """The line, and where there is one the reading on a second line."""
        return f"{self.line}\nRead as {self.reading}." if self.reading else self.line


def evaluate(expression: str, *, lenient: bool = False) -> Evaluation:
    """The value of an expression, exact where it is rational.

    `lenient` takes what people and models write: implicit multiplication, human numbers, currency signs, a trailing "=",
    operators in words. Raises SumError; takes a few milliseconds at most, whatever the expression.
    """
    trimmed = expression.strip()
    if lenient:
        trimmed = trimmed.strip("`\"'").rstrip("=?≈ \t\n").removeprefix("=").strip()
    if len(trimmed) > LENGTH_LIMIT:
        raise SumError(SumErrorKind.TOO_LONG, lenient=lenient)
    manner = Manner.LENIENT if lenient else Manner.STRICT
    try:
        node = parse(trimmed, tokens(trimmed, manner), manner)
        walk = _Walk()
        value = walk.value(node)
        text, exact = spelled(value)
    except SumError as error:
        if not lenient or error.user_message.endswith(HINT):
            raise
        raise SumError(error.kind, error.detail, lenient=True) from error
    return Evaluation(expression=trimmed, value_text=text, exact=exact, reading=walk.reading(node))


@dataclass(slots=True)
class _Walk:
    """One evaluation; `known` holds the values found so far by node identity."""

    known: dict[int, Value] = field(default_factory=dict)

    def value(self, node: Node) -> Value:
        found = self.known.get(id(node))
        if found is None:
            found = self.known[id(node)] = self.computed(node)
        return found

    def computed(self, node: Node) -> Value:
        match node:
            case Number(value=value):
                return values.settle(value)
            case Constant(name=name):
                return CONSTANTS[name]
            case Group(inner=inner):
                return self.value(inner)
            case Signed(negative=negative, operand=operand):
                return values.negate(self.value(operand)) if negative else self.value(operand)
            case Percent(operand=operand):
                return values.divide(self.value(operand), _HUNDRED)
            case PercentOf(rate=rate, whole=whole, off=off):
                part = values.divide(self.value(rate), _HUNDRED)
                factor = values.add(Fraction(1), values.negate(part)) if off else part
                return values.multiply(self.value(whole), factor)
            case Binary():
                return self.joined(node)
            case Call(name=name, arguments=arguments):
                return call(name, [self.value(each) for each in arguments])
            case _:
                assert_never(node)

    def joined(self, node: Binary) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if _is_share(node):
            right = values.multiply(left, right)
        match node.operator:
            case "+":
                return values.add(left, right)
            case "-":
                return values.add(left, values.negate(right))
            case "*":
                return values.multiply(left, right)
            case "/":
                return values.divide(left, right)
            case "%":
                return values.remainder(left, right)
            case _:
                return values.power(left, right)

    def reading(self, node: Node) -> str | None:
        """How the expression was read, None where there is only one way."""
        if not any(_is_ambiguous(each) for each in descendants(node)):
            return None
        return self.read(node)

    def read(self, node: Node) -> str:
        match node:
            case Number(text=text) | Constant(text=text):
                return text
            case Group(inner=inner):
                return f"({self.read(inner)})"
            case Signed(negative=negative, operand=operand):
                return f"{'-' if negative else '+'}{self.read(operand)}"
            case Percent(operand=operand):
                return f"{self.read(operand)}%"
            case PercentOf(rate=rate, whole=whole):
                return f"{self.read(rate)} % of {self.read(whole)}"
            case Binary(left=left, right=right, operator=operator):
                before, after = self.read(left), self.read(right)
                if _is_share(node):
                    after = f"{after.removesuffix('%')} % of {spelled(self.value(left))[0]}"
                if node.implicit and isinstance(left, Binary) and left.operator == "/":
                    before = f"({before})"
                return f"{before} {operator} {after}"
            case Call(name=name, arguments=arguments):
                return f"{name}({', '.join(self.read(each) for each in arguments)})"
            case _:
                assert_never(node)


def _is_share(node: Binary) -> bool:
    """Whether this is 80 + 25%: a percentage of what stands before it."""
    right = node.right
    while isinstance(right, Signed):
        right = right.operand
    return node.operator in {"+", "-"} and isinstance(right, Percent)


def _is_ambiguous(node: Node) -> bool:
    match node:
        case Number(ambiguous=ambiguous):
            return ambiguous
        case Binary(implicit=implicit, left=left):
            return _is_share(node) or (implicit and isinstance(left, Binary) and left.operator == "/")
        case _:
            return False
