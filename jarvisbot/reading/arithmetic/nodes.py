"""The shape of an expression: what the grammar builds and the evaluation walks.

Every node keeps `text`, its spelling in strict notation with the spaces it was given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, assert_never

__all__ = [
    "Binary",
    "Call",
    "Constant",
    "Group",
    "Node",
    "Number",
    "Percent",
    "PercentOf",
    "Signed",
    "descendants",
    "is_sum",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A literal."""

    value: Fraction
    text: str
    ambiguous: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """pi or e."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Something in brackets."""

    inner: Node
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A sign before an operand."""

    negative: bool
    operand: Node
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Percent:
    """N%: a hundredth, or after + and - that part of the value so far."""

    operand: Node
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PercentOf:
    """N percent of M, or N percent off M."""

    rate: Node
    whole: Node
    off: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary:
    """An operator, one of + - * / % ^, between two operands."""

    operator: str
    left: Node
    right: Node
    text: str
    implicit: bool = False
    """A multiplication without a sign: 2(3 + 4)."""
    tight: bool = False
    """Written without spaces around the operator."""
    symbol: str = ""
    """The operator as it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function of its arguments."""

    name: str
    arguments: tuple[Node, ...]
    text: str


Node: TypeAlias = Number | Constant | Group | Signed | Percent | PercentOf | Binary | Call


def children(node: Node) -> tuple[Node, ...]:
    """The nodes right below."""
    match node:
        case Number() | Constant():
            return ()
        case Group(inner=inner):
            return (inner,)
        case Signed(operand=operand) | Percent(operand=operand):
            return (operand,)
        case PercentOf(rate=rate, whole=whole):
            return (rate, whole)
        case Binary(left=left, right=right):
            return (left, right)
        case Call(arguments=arguments):
            return arguments
        case _:
            assert_never(node)


def descendants(node: Node) -> Iterator[Node]:
    """The node and all below it."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(children(current))


def is_sum(node: Node) -> bool:
    """Whether there is anything to work out: an operator between operands or a function."""
    return any(isinstance(each, Binary | Call | PercentOf) for each in descendants(node))
