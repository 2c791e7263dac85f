"""The figures of a text with their words of scale, read as German and as English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

import msgspec

__all__ = ["Figure", "equal_roughly", "figures", "without_urls"]

_SCALES = {
    "thousand": (3,),
    "tausend": (3,),
    "tsd": (3,),
    "million": (6,),
    "millions": (6,),
    "millionen": (6,),
    "mio": (6,),
    "mn": (6,),
    "billion": (9, 12),
    "billions": (9,),
    "bn": (9,),
    "milliarde": (9,),
    "milliarden": (9,),
    "mrd": (9,),
    "billionen": (12,),
    "trillion": (12, 18),
    "trillions": (12,),
}
"""Powers of ten by word; where the two languages differ, both."""
_LONGEST = 40
_FIGURE = re.compile(
    rf"(?<![\w.,])[-−]?(\d{{1,3}}(?:[.,\s'’_]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d{{1,{_LONGEST}}}(?:[.,]\d{{1,{_LONGEST}}})?)(?!\d)"
    rf"(?:\s*(%|percent\b|prozent\b)|[\s-]?({'|'.join(sorted(_SCALES, key=len, reverse=True))})\b)?",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://[^\s<>\"'`)\]}]+", re.IGNORECASE)


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One number as written: every value that it may have, in German or in English."""

    text: str
    values: tuple[Decimal, ...]
    decimals: int
    scaled: bool
    percent: bool


def without_urls(text: str) -> str:
    """The text with its web addresses left out."""
    return _URL.sub(" ", text)


def figures(text: str) -> Iterator[Figure]:
    """The numbers of the text in order, those of web addresses left out."""
    for found in _FIGURE.finditer(without_urls(text)):
        digits = re.sub(r"[\s'’_]", "", found[1])
        powers = _SCALES.get((found[3] or "").lower(), (0,))
        readings = dict.fromkeys((_english(digits), _german(digits)))
        values = tuple(reading.scaleb(power) for reading in readings for power in powers)
        last = re.search(r"[.,](\d+)$", digits)
        yield Figure(
            text=found[1],
            values=values,
            decimals=len(last[1]) if last else 0,
            scaled=bool(found[3]),
            percent=bool(found[2]),
        )


def _english(digits: str) -> Decimal:
    if digits.count(".") > 1:
        return Decimal(re.sub(r"[.,]", "", digits))
    if digits.count(",") == 1 and not re.search(r",\d{3}(?:\D|$)", digits):
        return Decimal(digits.replace(".", "").replace(",", "."))
    if "," in digits and "." in digits and digits.rindex(",") > digits.rindex("."):
        return Decimal(digits.replace(".", "").replace(",", "."))
    return Decimal(digits.replace(",", ""))


def _german(digits: str) -> Decimal:
    return _english(digits.translate(str.maketrans(".,", ",.")))


def equal_roughly(first: Decimal, second: Decimal) -> bool:
    """Equal at two significant digits."""
    if not first or not second:
        return first == second
    return f"{first:.1e}" == f"{second:.1e}"
