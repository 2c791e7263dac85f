"""Numbers as people write them: grouped by comma, dot, space or apostrophe, with a decimal point or comma, as fractions."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["HumanNumber", "number_at"]

_EXPONENT = r"(?:[eE][+-]?\d+)?"
_PLAIN = re.compile(rf"(?:\d+(?:\.\d+|\.(?![\w.]))?|\.\d+){_EXPONENT}")
_PLAIN_INSIDE_PROSE = re.compile(rf"(?:\d+(?:\.\d+)?|\.\d+){_EXPONENT}")
_COMMA_GROUPS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?![\d]|,\d)")
_DOT_GROUPS_DECIMAL_COMMA = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+,\d+(?![\d]|[.,]\d)")
_DOT_GROUPS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){2,}(?![\d]|[.,]\d)")
_ONE_DOT_GROUP = re.compile(r"[1-9]\d{0,2}\.\d{3}(?![\d]|[.,]\d)")
_SPACED_GROUPS = re.compile(r"[1-9]\d{0,2}(?:([ \u00a0\u202f\u2009'’])\d{3})(?:\1\d{3})*(?:[.,]\d+)?(?![\d])")
_UNDERSCORED = re.compile(r"\d+(?:_\d+)+(?:\.\d+)?(?![\w])")
_DECIMAL_COMMA = re.compile(r"\d+,\d+(?![\d]|[.,]\d)")
_LEADING_ZERO = re.compile(r"0\d")
_GLUED_BEFORE = re.compile(r"[\w.,#@]$")
_CROSS_BEFORE = re.compile(r"[\d)]\s?[xX]$")
_GLUED_AFTER = re.compile(r"(?![xX]\s*[-(\d.]|π|pi\b|[⁻⁰¹²³⁴-⁹])(?:\w|[.,]\d)")
_VULGAR = re.compile("[¼½¾⅐-⅞]")


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanNumber:
    """A number found in a text: its spelling in strict notation and where it ends."""

    text: str
    end: int
    fraction: Fraction = Fraction(0)
    """A vulgar fraction written after (or instead of) the digits."""
    ambiguous: bool = False

    @property
    def size(self) -> int:
        """How many digits before or after the point its value has, at most a few too many."""
        if self.fraction:
            return len(self.text)
        mantissa, _, exponent = self.text.lower().partition("e")
        return len(mantissa) if not exponent or not mantissa.strip("0.") else len(mantissa) + abs(int(exponent))

    def value(self) -> Fraction:
        """The exact value. Look at `size` first: the digits are written out."""
        if self.fraction:
            return self.fraction
        mantissa = self.text.lower().partition("e")[0]
        return Fraction(self.text if mantissa.strip("0.") else mantissa)

    def stands_alone(self, source: str, start: int) -> bool:
        """Whether no letter, digit or further number is glued to it, as in 2nd, v1.2, 007 or 1.2.3."""
        before = source[max(start - 3, 0) : start]
        if _LEADING_ZERO.match(source, start) or (_GLUED_BEFORE.search(before) and not _CROSS_BEFORE.search(before)):
            return False
        return _GLUED_AFTER.match(source, self.end) is None


def number_at(source: str, at: int, *, human: bool, commas: bool, dots_group: bool) -> HumanNumber | None:
    """The number that begins at `at`, or None.

    `human`: also 1 000 000, 1'000, ½ and 1.234.567. `commas`: a comma is part of a number, grouping before exactly three
    digits, decimal otherwise. `dots_group`: 1.200 is twelve hundred.
    """
    if human and (fraction := _vulgar(source, at, "0")):
        return fraction
    if source[at] != "." and not source[at].isdecimal():
        return None
    if commas and (grouped := _with_commas(source, at)):
        return grouped
    if human:
        for pattern in (_SPACED_GROUPS, _UNDERSCORED, _DOT_GROUPS, *((_ONE_DOT_GROUP,) if dots_group else ())):
            if (found := pattern.match(source, at)) and (commas or "," not in found[0]):
                return HumanNumber(text=_ungrouped(found[0], pattern), end=found.end())
    found = (_PLAIN_INSIDE_PROSE if human else _PLAIN).match(source, at)
    if found is None:
        return None
    mixed = _vulgar(source, found.end(), found[0]) if human else None
    return mixed or HumanNumber(text=found[0], end=found.end())


def _with_commas(source: str, at: int) -> HumanNumber | None:
    if found := _DOT_GROUPS_DECIMAL_COMMA.match(source, at):
        return HumanNumber(text=found[0].replace(".", "").replace(",", "."), end=found.end())
    if found := _COMMA_GROUPS.match(source, at):
        ambiguous = found[0].count(",") == 1 and "." not in found[0]
        return HumanNumber(text=found[0].replace(",", ""), end=found.end(), ambiguous=ambiguous)
    if found := _DECIMAL_COMMA.match(source, at):
        return HumanNumber(text=found[0].replace(",", "."), end=found.end())
    return None


def _ungrouped(text: str, pattern: re.Pattern[str]) -> str:
    if pattern in (_DOT_GROUPS, _ONE_DOT_GROUP):
        return text.replace(".", "")
    return re.sub(r"[^\d.]", "", text.replace(",", "."))


def _vulgar(source: str, at: int, whole: str) -> HumanNumber | None:
    found = _VULGAR.match(source, at)
    if found is None or not whole.isdecimal():
        return None
    part = Fraction(unicodedata.numeric(found[0])).limit_denominator(10)
    shown = f"{part.numerator}/{part.denominator}"
    text = f"({shown})" if whole == "0" else f"({whole} + {shown})"
    return HumanNumber(text=text, end=found.end(), fraction=int(whole) + part)
