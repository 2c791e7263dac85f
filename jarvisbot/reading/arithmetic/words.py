"""Operators in words, English and German."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

__all__ = ["Meaning", "Word", "word_at"]


class Meaning(enum.Enum):
    """What a phrase does; the value is its strict spelling where it has one."""

    TIMES = "*"
    DIVIDED = "/"
    PLUS = "+"
    MINUS = "-"
    REMAINDER = "%"
    POWER = "^"
    SQUARED = "2"
    CUBED = "3"
    PERCENT = "percent"
    OF = "of"
    OFF = "off"
    SQUARE_ROOT = "sqrt"
    CUBE_ROOT = "cbrt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A phrase found in a text and where it ends."""

    meaning: Meaning
    end: int


_PHRASES: tuple[tuple[Meaning, str], ...] = (
    (Meaning.TIMES, r"times|\\times|\\cdot|multiplied (?:by|with)|multipliziert mit|mal(?! so)"),
    (Meaning.DIVIDED, r"divided by|\\div|geteilt durch|dividiert durch|durch"),
    (Meaning.PLUS, r"plus|added to"),
    (Meaning.MINUS, r"minus"),
    (Meaning.REMAINDER, r"modulo|modulus|mod"),
    (Meaning.SQUARED, r"squared|(?:im|zum) quadrat|hoch zwei|to the power of two|to the second power"),
    (Meaning.CUBED, r"cubed|hoch drei|to the power of three|to the third power"),
    (Meaning.POWER, r"(?:raised )?to the power(?: of)?|raised to|hoch|to the(?= \d+(?:st|nd|rd|th)?\b)"),
    (Meaning.PERCENT, r"percent|per cent|pct|prozent"),
    (Meaning.OFF, r"off(?: of)?|discount (?:on|off)|reduction on|(?:rabatt|nachlass|ermäßigung) auf"),
    (
        Meaning.OF,
        r"of(?: (?:the|an?|my)(?= [$€£\d]))?|von|vom|"
        r"(?:tip|vat|tax|sales tax|interest) (?:on|of)(?: (?:the|an?|my)(?= [$€£\d]))?|"
        r"(?:trinkgeld|mehrwertsteuer|mwst|zinsen) (?:auf|von)",
    ),
    (Meaning.CUBE_ROOT, r"(?:the )?cube root (?:of|from)|(?:die )?(?:kubikwurzel|dritte wurzel) (?:aus|von)"),
    (
        Meaning.SQUARE_ROOT,
        r"(?:the )?(?:square )?root of|(?:sqrt|square root|(?:quadrat)?wurzel)(?= \d)|"
        r"sqrt of|(?:die )?(?:quadrat)?wurzel (?:aus|von)",
    ),
)
_PATTERN = re.compile(
    "|".join(f"(?P<{meaning.name}>{pattern})" for meaning, pattern in _PHRASES).replace(" ", r"[^\S\n]+"), re.IGNORECASE
)
_TIGHT = re.compile(r"[^\W\d]")


def word_at(source: str, at: int) -> Word | None:
    """The phrase that begins at `at`, whole words only, or None."""
    found = _PATTERN.match(source, at)
    if found is None or found.lastgroup is None or _TIGHT.match(source, found.end()):
        return None
    return Word(meaning=Meaning[found.lastgroup], end=found.end())
