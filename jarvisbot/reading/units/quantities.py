"""Quantities as people write them: 3 ft, 5'3", half a mile, 2 Stunden 15 Minuten."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec

from jarvisbot.reading.arithmetic.numbers import number_at
from jarvisbot.reading.units.lookup import Found, named, unit_at
from jarvisbot.reading.units.unit import Unit

__all__ = ["SIZE_LIMIT", "Quantity", "Term", "number_in", "quantities", "quantity_at", "quantity_in", "spelled_terms"]

SIZE_LIMIT = 100
"""The most digits before or after the point of a number that is converted."""

_SIGN = re.compile(r"(?:[-−–]|\b(?:minus|negative)\s)\s*(?=[\d.,½¼¾⅐-⅞])", re.IGNORECASE)
_OVER = re.compile(r"\s*[/⁄]\s*(\d{1,6})(?![\d.,/])(?!\s*[/⁄])")
_MIXED = re.compile(r"\s+(\d{1,4})\s*[/⁄]\s*(\d{1,6})(?![\d.,/])")
_GLUED_BEFORE = re.compile(r"[\w.,#@/:^]$|\d\s?[-–−]$|[^\W\d_]-$")
_STARTS = re.compile(r"[\d½¼¾⅐-⅞]|\.\d")
_NUMBER_WORDS = {
    word: Fraction(value)
    for value, words in {
        "0": "zero null",
        "1": "one a an ein eine einen einem einer eines",
        "2": "two zwei",
        "3": "three drei",
        "4": "four vier",
        "5": "five fünf",
        "6": "six sechs",
        "7": "seven sieben",
        "8": "eight acht",
        "9": "nine neun",
        "10": "ten zehn",
        "11": "eleven elf",
        "12": "twelve zwölf",
        "13": "thirteen dreizehn",
        "14": "fourteen vierzehn",
        "15": "fifteen fünfzehn",
        "16": "sixteen sechzehn",
        "17": "seventeen siebzehn",
        "18": "eighteen achtzehn",
        "19": "nineteen neunzehn",
        "20": "twenty zwanzig",
        "30": "thirty dreißig",
        "40": "forty vierzig",
        "50": "fifty fünfzig",
        "60": "sixty sechzig",
        "70": "seventy siebzig",
        "80": "eighty achtzig",
        "90": "ninety neunzig",
        "100": "hundred hundert einhundert",
        "1000": "thousand tausend eintausend",
        "1/2": "halbe halber halbes halben halbem half",
        "1/4": "viertel quarter",
        "3/4": "dreiviertel",
        "3/2": "anderthalb eineinhalb",
        "5/2": "zweieinhalb",
        "7/2": "dreieinhalb",
    }.items()
    for word in words.split()
}
_PHRASES = (
    (Fraction(1, 2), r"half (?:of )?an?|(?:an?|one) half|eine?[nmrs]? halbe[nmrs]?"),
    (Fraction(1, 4), r"(?:an?|one) quarter(?: of an?)?|a quarter of an?|eine?[nmrs]? viertel"),
    (Fraction(3, 4), r"three quarters(?: of an?)?|drei viertel"),
    (Fraction(3, 2), r"(?:one|an?) and a half|eine?n? und eine?n? halbe[nmrs]?"),
    (Fraction(5, 2), r"two and a half"),
    (Fraction(100), r"(?:an?|one) hundred"),
    (Fraction(1000), r"(?:an?|one) thousand"),
)
_WORD_STARTS = re.compile(r"(?<![\w'’-])(?=[^\W\d_])")
_BEGINS = re.compile(rf"{_SIGN.pattern}|{_STARTS.pattern}|{_WORD_STARTS.pattern}", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"\s*(?:,\s*)?(?:(?:and|und|plus|&)\s+)?")
_TO_UNIT = re.compile(r"\s*-?\s*(?:(?:from|von)\s+)?", re.IGNORECASE)
_IMPLIED = {"ft": "in", "stone": "lb"}
"""What a bare number behind a quantity is in: 6 foot 2, 11 stone 4."""
_MOST_TERMS = 4


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One number with the name of its unit; `value` is exact."""

    value: Fraction
    number: str
    """The number in plain digits, or as a fraction."""
    unit: str
    units: tuple[Unit, ...]


class Quantity(msgspec.Struct, frozen=True, kw_only=True):
    """A number with its unit, or several that add up, and where it stands; `terms` is empty for a bare number."""

    terms: tuple[Term, ...]
    start: int
    end: int
    number: str = ""
    """The first number, or a bare one, in plain digits."""
    is_article: bool = False
    """Its number is "a" or "eine", so it may well be none."""


class _Number(msgspec.Struct, frozen=True, kw_only=True):
    value: Fraction
    text: str
    end: int
    too_large: bool = False


def _number(source: str, at: int, *, german: bool) -> _Number | None:
    """The number that begins at `at`, with its sign and a fraction behind it."""
    sign = _SIGN.match(source, at)
    begin = sign.end() if sign else at
    if begin >= len(source) or not _STARTS.match(source, begin):
        return None
    read = number_at(source, begin, human=True, commas=True, dots_group=german)
    if read is None:
        return None
    if read.size > SIZE_LIMIT:
        return _Number(value=Fraction(0), text="", end=read.end, too_large=True)
    value, text, end = read.value(), read.text, read.end
    if german and read.ambiguous:
        text = source[begin:end].replace(",", ".")
        value = Fraction(text)
    if read.fraction:
        text = str(value)
    elif value.denominator == 1:
        if mixed := _MIXED.match(source, end):
            below = int(mixed[2])
            if below:
                value += Fraction(int(mixed[1]), below)
                text, end = str(value), mixed.end()
        elif (over := _OVER.match(source, end)) and int(over[1]):
            value /= int(over[1])
            text, end = str(value), over.end()
    if sign:
        value, text = -value, f"-{text}"
    return _Number(value=value, text=text, end=end)


@functools.cache
def _phrase(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})(?![\w-])".replace(" ", r"\s+"), re.IGNORECASE)


def _spelled(source: str, at: int) -> tuple[_Number, bool] | None:
    """A number in words that begins at `at`, and whether it is only an article."""
    for value, pattern in _PHRASES:
        if found := _phrase(pattern).match(source, at):
            return _Number(value=value, text=str(value), end=found.end()), False
    word = _WORD.match(source, at)
    if word is None or (value_of := _NUMBER_WORDS.get(word[0].lower())) is None:
        return None
    article = word[0].lower() in ("a", "an") or (word[0].lower().startswith("ein") and value_of == 1)
    return _Number(value=value_of, text=str(value_of), end=word.end()), article


def quantity_at(source: str, at: int, *, german: bool) -> Quantity | None:
    """The quantity that begins at `at`, with all its terms; None where there is no number or it is too large."""
    number, article = _number(source, at, german=german), False
    if number is None:
        spelled = _spelled(source, at)
        if spelled is None:
            return None
        number, article = spelled
    if number.too_large:
        return None
    terms: list[Term] = []
    first, end = number.text, number.end
    unit = _unit_behind(source, end)
    while unit is not None:
        terms.append(Term(value=number.value, number=number.text, unit=unit.text, units=unit.units))
        end = unit.end
        if len(terms) == _MOST_TERMS:
            break
        following = _number(source, _behind(_BETWEEN, source, end), german=german)
        if following is None or following.too_large or following.value < 0:
            break
        number, unit = following, _unit_behind(source, following.end)
        if unit is None:
            unit = _implied(terms[-1], following.end, source)
        if unit is None or not _is_smaller(unit.units, terms[-1].units):
            break
    if not terms and article:
        return None
    return Quantity(terms=tuple(terms), start=at, end=end, number=first, is_article=article)


def _behind(pattern: re.Pattern[str], source: str, at: int) -> int:
    found = pattern.match(source, at)
    return found.end() if found else at


def _unit_behind(source: str, end: int) -> Found | None:
    return unit_at(source, _behind(_TO_UNIT, source, end))


def _implied(before: Term, end: int, source: str) -> Found | None:
    symbol = _IMPLIED.get(before.units[0].symbol)
    if symbol is None or re.match(r"[\w.,]|\s*(?:°|[^\W\d_]+/)", source[end : end + 2]):
        return None
    return Found(units=named(symbol), text=symbol, end=end)


_CHAINS = (
    ("mi", "yd", "ft", "in"),
    ("km", "m", "dm", "cm", "mm"),
    ("stone", "lb", "oz"),
    ("t", "kg", "Pfund", "g", "mg"),
    ("year", "month", "week", "day", "h", "min", "s", "ms"),
    ("°", "arcmin", "arcsec"),
    ("gal", "qt", "pint", "cup", "fl oz", "tbsp", "tsp"),
    ("l", "dl", "cl", "ml"),
)
"""Units in which one quantity is said, from large to small."""


def _is_smaller(these: Sequence[Unit], those: Sequence[Unit]) -> bool:
    """Whether one of these units is said as a part of one of those: inches of feet, minutes of hours."""
    return any(
        this.symbol in chain[chain.index(that.symbol) + 1 :]
        for chain in _CHAINS
        for that in those
        if that.symbol in chain
        for this in these
    )


def quantities(source: str, *, german: bool) -> Iterator[Quantity]:
    """Every quantity of a text, from left to right, none inside another; bare numbers too."""
    at = 0
    while (start := _BEGINS.search(source, at)) is not None:
        begin = start.start()
        at = max(start.end(), begin + 1)
        before = source[max(begin - 2, 0) : begin]
        if _GLUED_BEFORE.search(before):
            continue
        found = quantity_at(source, begin, german=german)
        if found is not None:
            yield found
            at = max(found.end, at)


def quantity_in(text: str, *, german: bool) -> Quantity | None:
    """The text as one quantity, None where it is none or more than that."""
    begin = len(text) - len(text.lstrip())
    found = quantity_at(text, begin, german=german)
    return found if found is not None and not text[found.end :].strip(" .") else None


def number_in(text: str, *, german: bool) -> Fraction | str | None:
    """The number that the whole text is; "" where it is too large, None where it is none."""
    stripped = text.strip()
    number = _number(stripped, 0, german=german)
    if number is None and (spelled := _spelled(stripped, 0)):
        number = spelled[0]
    if number is None or stripped[number.end :].strip():
        return None
    return "" if number.too_large else number.value


def spelled_terms(terms: Sequence[Term]) -> str:
    """The terms in words that `quantity_in` reads again."""
    return " ".join(f"{term.number} {_in_letters(term)}" for term in terms)


def _in_letters(term: Term) -> str:
    """The unit as it was written, or its symbol where that was a mark such as the ' of feet."""
    return term.unit if any(map(str.isalpha, term.unit)) or len(term.units) > 1 else term.units[0].symbol
