"""The reply that answers a conversion, written from the converter's line."""

from __future__ import annotations

import functools
import re

from jarvisbot.reading.arithmetic.numerals import localised
from jarvisbot.reading.units.faults import explained
from jarvisbot.reading.units.lookup import every_unit
from jarvisbot.reading.units.unit import Unit

__all__ = ["asks_into_which", "error_reply", "reply"]

_LINE = re.compile(
    r"(?P<left>[^\n=≈]+) (?P<sign>[=≈]) (?P<right>[^\n=≈]+)(?:\s*\n\s*Read as (?P<reading>.+)\.)?\s*", re.DOTALL
)
_NUMBER = re.compile(r"(?<![\w./])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\d./])")
_FAILED = re.compile(r'^Tool "[^"]*" failed:\s*')


def reply(line: str, language: str) -> str:
    """The converter's line with the numbers and words of the language, German for "de", else English.

    How an ambiguous word was read stands in brackets behind it. A result that is no converter's line comes back as it is.
    """
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return line
    german = language == "de"
    left, right = (_localised(found[side], german=german) for side in ("left", "right"))
    reading = ""
    if found["reading"]:
        known = _notes()
        read = [known.get(note, note) if german else note for note in found["reading"].split(" and ")]
        reading = f" ({'gelesen als' if german else 'read as'} {(' und ' if german else ' and ').join(read)})"
    return f"{left} {found['sign']} {right}{reading}"


def error_reply(error_text: str, language: str) -> str:
    """The converter's complaint for a person: a lead-in in German for "de", else in English, a colon, the reason."""
    german = language == "de"
    reason = explained(_FAILED.sub("", error_text.strip()), german=german)
    return f"{'Das konnte ich nicht umrechnen' if german else 'I could not convert that'}: {reason}"


def asks_into_which(quantity: str, language: str) -> str:
    """The question for the target unit that a message leaves out."""
    german = language == "de"
    shown = _NUMBER.sub(lambda found: localised(found[0], german=german)[0], quantity)
    if german:
        return f"In welche Einheit soll ich {shown} umrechnen?"
    return f"Into which unit shall I convert {shown}?"


def _localised(side: str, *, german: bool) -> str:
    """One side of the line: numbers in the language's way, units in words in its words."""
    shown, at = "", 0
    for number in _NUMBER.finditer(side):
        shown += _words(side[at : number.start()], german=german, one=False) if not at else ""
        end = _next(side, number.end())
        one = number[0] in ("1", "-1")
        shown += localised(number[0], german=german)[0] + _words(side[number.end() : end], german=german, one=one)
        at = end
    return shown + side[at:]


def _next(side: str, at: int) -> int:
    following = _NUMBER.search(side, at)
    return following.start() if following else len(side)


def _words(text: str, *, german: bool, one: bool) -> str:
    """A unit behind its number in the language; what is no unit in words stays."""
    unit = _shown().get(text.strip()) if german else None
    return text if unit is None else text.replace(text.strip(), unit.shown(one=one, german=True))


@functools.cache
def _shown() -> dict[str, Unit]:
    """Units that are shown in words, by their English words."""
    worded = [unit for unit in every_unit() if unit.german]
    return {word: unit for unit in worded for word in (unit.symbol, unit.plural)}


@functools.cache
def _notes() -> dict[str, str]:
    """English note -> the German one."""
    return dict(unit.note for unit in every_unit() if unit.note)
