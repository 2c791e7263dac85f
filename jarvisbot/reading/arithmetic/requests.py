"""Sums asked for by a verb or a noun in front of their operands: "add 18 and 44", "the difference between 9 and 4"."""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from jarvisbot.reading.arithmetic.numbers import number_at

__all__ = ["Percentage", "Request", "Share", "requests"]


class Share(enum.Enum):
    """What a question for a percentage asks; the value is the sum in strict notation."""

    PART = "({1} * {0} / 100)"
    """7 percent of 1890."""
    LESS = "({1} * (100 - {0}) / 100)"
    """20 percent off 80."""
    MORE = "({1} * (100 + {0}) / 100)"
    """25 percent more than 80."""
    RATE = "{0} / {1} * 100"
    """What percentage of 80 is 20."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentage:
    """A question for a percentage with its numbers in strict notation: the rate (for RATE: the part), then the whole."""

    kind: Share
    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request in strict notation and where it stands."""

    expression: str
    start: int
    end: int
    percentage: Percentage | None = None


_NUMBER = r"-?[$€£]?\d(?:[\d.,]*\d)?(?![\w]|[.,]\d)"
_MONEY = r"(?:\s?(?:[$€£]|euros?|dollars?))?"
_PERCENT = r"\s?(?:%|percent|prozent)"
_WHICH = r"(?:what (?:percent(?:age)?|%)|wie\s?viel (?:prozent|%))"
_IS = "(?:is|are|ist|sind)"
_MORE = rf"(?:\s*,\s+{_NUMBER}{_MONEY})*(?:,?\s+(?:and|und|to|zu|plus)\s+{_NUMBER}{_MONEY})+"

_SUMS: tuple[tuple[str, str], ...] = (
    ("+", rf"\b(?:add(?: up| together)?|addiere?|(?:the )?sum of|(?:die )?summe (?:von|aus)) {_NUMBER}{_MONEY}{_MORE}"),
    ("*", rf"\b(?:(?:the )?product of|(?:das )?produkt (?:von|aus)) {_NUMBER}{_MORE}"),
    ("*", rf"\b(?:multiply|multipliziere?|nimm) {_NUMBER}{_MONEY} (?:by|with|and|mit|und) {_NUMBER}"),
    ("-", rf"\b(?:the )?difference (?:between|of) {_NUMBER}{_MONEY} and {_NUMBER}"),
    ("-", rf"\b(?:die )?differenz (?:zwischen|von|aus) {_NUMBER}{_MONEY} und {_NUMBER}"),
    ("/", rf"\b(?:divide|dividiere?|teile?) {_NUMBER}{_MONEY} (?:by|durch) {_NUMBER}"),
    ("/", rf"\b(?:the )?quotient (?:of|von|aus) {_NUMBER} (?:and|und) {_NUMBER}"),
    ("^", rf"(?<![\w.,]){_NUMBER} (?:raised )?to the \d+(?:st|nd|rd|th)\b(?: power)?"),
)
"""Joined by the operator in the order they are named."""

_FORMS: tuple[tuple[str, str], ...] = (
    ("{1} - {0}", rf"\b(?:subtract|take|deduct) {_NUMBER}{_MONEY} (?:away )?from {_NUMBER}"),
    ("{1} - {0}", rf"\b(?:subtrahiere?|ziehe?) {_NUMBER}{_MONEY} von {_NUMBER}(?:{_MONEY} ab\b)?"),
    ("{0} ^ 2", rf"\b(?:the )?square of {_NUMBER}"),
    ("{0} ^ 2", rf"\b(?:das )?quadrat (?:von|der) {_NUMBER}"),
    ("{0} / {1} * {2}", rf"(?<![\w.,/-]){_NUMBER}/{_NUMBER} (?:of|von) {_NUMBER}"),
)

_SHARES: tuple[tuple[Share, bool, str], ...] = (
    (Share.MORE, False, rf"\b(?:add|addiere?) {_NUMBER}{_PERCENT} (?:to|zu) {_NUMBER}"),
    (Share.MORE, False, rf"(?<![\w.,]){_NUMBER}{_PERCENT} (?:more than|mehr als) {_NUMBER}"),
    (Share.MORE, True, rf"\b(?:increase|erhöhe) {_NUMBER}{_MONEY} (?:by|um) {_NUMBER}{_PERCENT}"),
    (
        Share.LESS,
        False,
        rf"\b(?:subtract|take|deduct|ziehe?|subtrahiere?) {_NUMBER}{_PERCENT} (?:away )?(?:from|von) {_NUMBER}(?:{_MONEY} ab\b)?",
    ),
    (Share.LESS, False, rf"(?<![\w.,]){_NUMBER}{_PERCENT} (?:less than|weniger als) {_NUMBER}"),
    (
        Share.LESS,
        True,
        rf"\b(?:decrease|reduce|reduziere|verringere|senke) {_NUMBER}{_MONEY} (?:by|um) {_NUMBER}{_PERCENT}",
    ),
    (Share.RATE, True, rf"\b{_WHICH} (?:of|von) {_NUMBER}{_MONEY} {_IS} {_NUMBER}"),
    (Share.RATE, False, rf"\b{_WHICH} {_IS} {_NUMBER}{_MONEY} (?:of|von) {_NUMBER}"),
    (Share.RATE, False, rf"(?<![\w.,]){_NUMBER}{_MONEY} {_IS} {_WHICH} (?:of|von) {_NUMBER}"),
)
"""With whether the whole is named before the rate."""


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when first needed: a program that meets no sum does not pay for it."""
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


_CONTINUES = re.compile(
    r"\s*(?:[*×÷/^+]|times\b|mal\b|plus\b|(?:more|further|extra|additional|weitere|mehr)\b)", re.IGNORECASE
)
_OPERAND = re.compile(r"-?[$€£]?\d(?:[\d.,]*\d)?")


def requests(text: str, *, dots_group: bool) -> Iterator[Request]:
    """Every request with numbers for all its operands."""
    for operator, pattern in _SUMS:
        for start, end, operands in _found(_compiled(pattern), text, dots_group):
            yield Request(expression=f" {operator} ".join(operands), start=start, end=end)
    for form, pattern in _FORMS:
        for start, end, operands in _found(_compiled(pattern), text, dots_group):
            yield Request(expression=form.format(*operands), start=start, end=end)
    for share, swapped, pattern in _SHARES:
        for start, end, operands in _found(_compiled(pattern), text, dots_group):
            first, second = reversed(operands) if swapped else operands
            percentage = Percentage(kind=share, first=first, second=second)
            yield Request(expression=share.value.format(first, second), start=start, end=end, percentage=percentage)


def _found(pattern: re.Pattern[str], text: str, dots_group: bool) -> Iterator[tuple[int, int, list[str]]]:
    for found in pattern.finditer(text):
        if not _CONTINUES.match(text, found.end()):
            yield found.start(), found.end(), [_strict(each, dots_group) for each in _OPERAND.findall(found[0])]


def _strict(operand: str, dots_group: bool) -> str:
    digits = operand.lstrip("-$€£")
    number = number_at(digits, 0, human=True, commas=True, dots_group=dots_group)
    return ("-" if operand.startswith("-") else "") + (number.text if number else digits)
