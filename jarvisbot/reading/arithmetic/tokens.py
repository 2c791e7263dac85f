"""The pieces of an expression, as people and programs write them, with the strict text each of them stands for.

Strict: digits, + - * / % ^ ** and their Unicode forms, brackets, names, commas between the arguments of a function, x between
operands, commas in numbers. Tolerant: also human numbers (1.234,50, 1 000 000, ½), superscripts, roots, currency signs and
operators in words.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from jarvisbot.reading.arithmetic.faults import SumError, SumErrorKind
from jarvisbot.reading.arithmetic.functions import CONSTANTS, FUNCTIONS
from jarvisbot.reading.arithmetic.numbers import number_at
from jarvisbot.reading.arithmetic.values import DIGIT_LIMIT
from jarvisbot.reading.arithmetic.words import Meaning, word_at

__all__ = ["Kind", "Manner", "Token", "tokens"]


class Kind(enum.Enum):
    """What a piece is to the grammar."""

    NUMBER = enum.auto()
    CONSTANT = enum.auto()
    FUNCTION = enum.auto()
    ROOT = enum.auto()
    """A function written before its operand without brackets; `text` is the function."""
    OPERATOR = enum.auto()
    PERCENT = enum.auto()
    """In words, so never a remainder."""
    OF = enum.auto()
    OFF = enum.auto()
    OPEN = enum.auto()
    CLOSE = enum.auto()
    COMMA = enum.auto()
    NAME = enum.auto()
    """A word without a meaning here."""
    OTHER = enum.auto()
    """A character without a meaning here."""
    END = enum.auto()


class Manner(enum.Enum):
    """How much is understood."""

    STRICT = enum.auto()
    LENIENT = enum.auto()
    MESSAGE = enum.auto()
    """Prose around sums: like lenient, but a number is only one if it stands alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece: `text` in strict spelling, `start` and `end` in the source."""

    kind: Kind
    text: str
    start: int
    end: int
    value: Fraction | None = None
    ambiguous: bool = False
    """A number that means something else to other people: 1,234."""
    spelled: bool = False
    """An operator written as a word or a letter: it needs spaces in strict spelling."""


_OPERATORS = {
    **dict.fromkeys("+＋", "+"),
    **dict.fromkeys("-−–—‒﹣－", "-"),
    **dict.fromkeys("*×⋅∙·✕✖∗＊", "*"),
    **dict.fromkeys("/÷∕⁄／", "/"),
    **dict.fromkeys("%％", "%"),
    **dict.fromkeys("^＾", "^"),
}
_BRACKETS = {"(": Kind.OPEN, "（": Kind.OPEN, ")": Kind.CLOSE, "）": Kind.CLOSE}
_MORE_BRACKETS = {"[": Kind.OPEN, "{": Kind.OPEN, "]": Kind.CLOSE, "}": Kind.CLOSE}
_ROOTS = {"√": "sqrt", "∛": "cbrt"}
_SILENT = re.compile(
    r"[$€£¥₹]|math\.(?=[a-z])|(?<=[\d ])(?:euros?|eur|dollars?|bucks|usd|cents?|pounds?|gbp|pfund|franken|chf)(?!\w)",
    re.IGNORECASE,
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT = re.compile("[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_NAME = re.compile(r"[^\W\dπ⁰¹²³⁴⁵⁶⁷⁸⁹]\w*")
_COMMAND = re.compile(r"\\[a-z]+")
_CROSS = re.compile(r"[xX](?=\s*[-+−]?\s*[(\d.√])")
_SEVERAL = frozenset(name for name, (_, _, most) in FUNCTIONS.items() if most > 1)
_ALIASES = {"lg": "log", "log10": "log", "ceiling": "ceil", "wurzel": "sqrt"}
_GLUED = re.compile(r"[\w.,]*\w")
_OPERANDS = frozenset({Kind.NUMBER, Kind.CONSTANT, Kind.CLOSE, Kind.PERCENT})


def ascii_digits(text: str) -> str:
    """The text with the decimal digits of every script as ASCII ones; no character moves."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def tokens(text: str, manner: Manner, *, dots_group: bool = False) -> Iterator[Token]:
    """The pieces of `text` in order, the last one being END.

    `dots_group`: 1.200 is twelve hundred, as in German. Raises SumError (too_large) for a number past the size limit.
    """
    source = ascii_digits(text)
    separators: list[bool] = []  # for each open bracket: is a comma in it the separator of arguments?
    previous: Token | None = None
    position = 0
    while position < len(source):
        if source[position].isspace() and not (manner is Manner.MESSAGE and source[position] == "\n"):
            position += 1
            continue
        if manner is not Manner.STRICT and (silent := _SILENT.match(source, position)):
            position = silent.end()
            continue
        for token in _next(source, position, manner, previous, bool(separators and separators[-1]), dots_group):
            if token.kind is Kind.OPEN:
                several = previous is not None and previous.kind is Kind.FUNCTION and previous.text.lower() in _SEVERAL
                separators.append(several and ";" not in source)
            elif token.kind is Kind.CLOSE and separators:
                separators.pop()
            yield token
            previous, position = token, token.end
    yield Token(kind=Kind.END, text="", start=len(source), end=len(source))


def _next(
    source: str, at: int, manner: Manner, previous: Token | None, in_arguments: bool, dots_group: bool
) -> Iterator[Token]:
    character = source[at]
    strict = manner is Manner.STRICT
    after_operand = previous is not None and previous.kind in _OPERANDS

    if found := number_at(source, at, human=not strict, commas=not in_arguments, dots_group=dots_group):
        if manner is Manner.MESSAGE and not found.stands_alone(source, at):
            glued = _GLUED.match(source, at)
            end = glued.end() if glued else at + 1
            yield Token(kind=Kind.NAME, text=source[at:end], start=at, end=end)
            return
        fits = found.size <= DIGIT_LIMIT
        if not fits and manner is not Manner.MESSAGE:
            raise SumError(SumErrorKind.TOO_LARGE, lenient=not strict)
        value = found.value() if fits else Fraction(0)
        yield Token(kind=Kind.NUMBER, text=found.text, start=at, end=found.end, value=value, ambiguous=found.ambiguous)
    elif not strict and (raised := _SUPERSCRIPT.match(source, at)):
        digits = raised[0].translate(_SUPERSCRIPTS)
        yield Token(kind=Kind.OPERATOR, text="^", start=at, end=at)
        yield Token(kind=Kind.NUMBER, text=digits, start=at, end=raised.end(), value=Fraction(int(digits)))
    elif source.startswith("**", at):
        yield Token(kind=Kind.OPERATOR, text="^", start=at, end=at + 2)
    elif operator := _OPERATORS.get(character):
        yield Token(kind=Kind.OPERATOR, text=operator, start=at, end=at + 1)
    elif bracket := _BRACKETS.get(character) or (None if strict else _MORE_BRACKETS.get(character)):
        yield Token(kind=bracket, text="(" if bracket is Kind.OPEN else ")", start=at, end=at + 1)
    elif character == "," or (character == ";" and not strict):
        yield Token(kind=Kind.COMMA, text=",", start=at, end=at + 1)
    elif character == ":" and not strict and after_operand and re.match(r"\s*\d", source[at + 1 :]):
        yield Token(kind=Kind.OPERATOR, text="/", start=at, end=at + 1)
    elif character == "π":
        yield Token(kind=Kind.CONSTANT, text="pi", start=at, end=at + 1)
    elif not strict and character in _ROOTS:
        yield Token(kind=Kind.ROOT, text=_ROOTS[character], start=at, end=at + 1)
    elif after_operand and _CROSS.match(source, at) and not _is_hexadecimal(source, at, previous):
        yield Token(kind=Kind.OPERATOR, text="*", start=at, end=at + 1, spelled=True)
    elif name := _NAME.match(source, at) or (None if strict else _COMMAND.match(source, at)):
        yield from _named(source, at, name, strict)
    else:
        yield Token(kind=Kind.OTHER, text=character, start=at, end=at + 1)


def _is_hexadecimal(source: str, at: int, previous: Token | None) -> bool:
    return (
        previous is not None
        and previous.text == "0"
        and previous.end == at
        and at + 1 < len(source)
        and not source[at + 1].isspace()
    )


def _named(source: str, at: int, name: re.Match[str], strict: bool) -> Iterator[Token]:
    if not strict and (word := word_at(source, at)):
        yield from _word(word.meaning, at, word.end)
        return
    lower = name[0].lower()
    lower = lower if strict else _ALIASES.get(lower, lower)
    if lower in FUNCTIONS:
        yield Token(kind=Kind.FUNCTION, text=name[0] if lower == name[0].lower() else lower, start=at, end=name.end())
    elif lower in CONSTANTS:
        yield Token(kind=Kind.CONSTANT, text=name[0], start=at, end=name.end())
    else:
        yield Token(kind=Kind.NAME, text=name[0], start=at, end=name.end())


def _word(meaning: Meaning, start: int, end: int) -> Iterator[Token]:
    match meaning:
        case Meaning.PERCENT:
            yield Token(kind=Kind.PERCENT, text="%", start=start, end=end)
        case Meaning.OF:
            yield Token(kind=Kind.OF, text="of", start=start, end=end)
        case Meaning.OFF:
            yield Token(kind=Kind.OFF, text="off", start=start, end=end)
        case Meaning.SQUARE_ROOT | Meaning.CUBE_ROOT:
            yield Token(kind=Kind.ROOT, text=meaning.value, start=start, end=end)
        case Meaning.SQUARED | Meaning.CUBED:
            yield Token(kind=Kind.OPERATOR, text="^", start=start, end=start, spelled=True)
            yield Token(kind=Kind.NUMBER, text=meaning.value, start=start, end=end, value=Fraction(int(meaning.value)))
        case Meaning.TIMES | Meaning.DIVIDED | Meaning.PLUS | Meaning.MINUS | Meaning.REMAINDER | Meaning.POWER:
            yield Token(kind=Kind.OPERATOR, text=meaning.value, start=start, end=end, spelled=True)
