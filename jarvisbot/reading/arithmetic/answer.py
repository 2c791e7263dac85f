"""The sentence that answers a sum, written from the calculator's line."""

from __future__ import annotations

import re
from typing import assert_never

from jarvisbot.reading.arithmetic.faults import explained
from jarvisbot.reading.arithmetic.message import find
from jarvisbot.reading.arithmetic.numerals import localised
from jarvisbot.reading.arithmetic.requests import Percentage, Share
from jarvisbot.reading.arithmetic.tokens import Kind, Manner, Token, tokens

__all__ = ["error_reply", "reply"]

_LINE = re.compile(
    r"(?P<expression>.+) (?P<sign>[=≈]) (?P<value>-?\d\S*)(?:\s*\n\s*Read as (?P<reading>.+)\.)?\s*", re.DOTALL
)
_FAILED = re.compile(r'^Tool "[^"]*" failed:\s*')


def reply(message: str, line: str, language: str) -> str:
    """The answer to `message` from the calculator's result `line`, in German for "de", else in English.

    A question for a percentage gets a sentence, any other sum its own expression with the value behind it. A result that
    is no calculator's line comes back as it is.
    """
    found = _LINE.fullmatch(line.strip())
    if found is None:
        return line
    german = language == "de"
    value, whole = localised(found["value"], german=german)
    rounded = found["sign"] == "≈" or not whole
    asked = find(message, german=german)
    if asked and asked.percentage and asked.expression == found["expression"]:
        return _percentage(asked.percentage, value, rounded=rounded, german=german)
    shown = _shown(found["expression"], german=german)
    reading = f" ({_read(found['reading'], german=german)})" if found["reading"] else ""
    return f"{shown} {'≈' if rounded else '='} {value}{reading}"


def error_reply(error_text: str, language: str) -> str:
    """The calculator's complaint for a person: a lead-in in German for "de", else in English, a colon, the reason."""
    german = language == "de"
    reason = explained(_FAILED.sub("", error_text.strip()), german=german)
    return f"{'Das konnte ich nicht ausrechnen' if german else 'I could not work that out'}: {reason}"


def _percentage(asked: Percentage, value: str, *, rounded: bool, german: bool) -> str:
    first, second = localised(asked.first, german=german)[0], localised(asked.second, german=german)[0]
    percent = " %" if german else "%"
    verb = ("sind" if german else "is") + ((" etwa" if german else " about") if rounded else "")
    of = "von" if german else "of"
    match asked.kind:
        case Share.PART:
            return f"{first}{percent} {of} {second} {verb} {value}."
        case Share.LESS:
            whole = f"{second} minus {first}{percent}" if german else f"{first}% off {second}"
            return f"{whole} {verb} {value}."
        case Share.MORE:
            return f"{second} plus {first}{percent} {verb} {value}."
        case Share.RATE:
            return f"{first} {verb} {value}{percent} {of} {second}."
        case _:
            assert_never(asked.kind)


def _shown(expression: str, *, german: bool) -> str:
    """The expression as people write it: × for *, spaces around operators, decimals of the language, no outer brackets."""
    pieces = list(tokens(expression, Manner.LENIENT))[:-1]
    if any(piece.kind in (Kind.NAME, Kind.OTHER) for piece in pieces):
        return expression
    pieces = _without_outer_brackets(pieces)
    written = ""
    for at, piece in enumerate(pieces):
        before = pieces[at - 1] if at else None
        after = pieces[at + 1] if at + 1 < len(pieces) else None
        if piece.kind is Kind.OPERATOR and _stands_between(before, piece, after):
            written += f" {'×' if piece.text == '*' else piece.text} "
        elif piece.kind is Kind.PERCENT or piece.text == "%":
            written += " %" if german else "%"
        elif piece.kind in (Kind.OF, Kind.OFF):
            written += {"of": " von " if german else " of ", "off": " off "}[piece.text]
        elif piece.kind is Kind.COMMA:
            written += "; " if german else ", "
        elif piece.kind is Kind.NUMBER:
            written += piece.text.replace(".", ",") if german else piece.text
        else:
            implied = before is not None and before.kind in (Kind.NUMBER, Kind.CLOSE, Kind.CONSTANT)
            opens = piece.kind in (Kind.OPEN, Kind.CONSTANT, Kind.FUNCTION, Kind.ROOT)
            written += f" × {piece.text}" if implied and opens else piece.text
    return written


def _stands_between(before: Token | None, operator: Token, after: Token | None) -> bool:
    if before is None or (before.kind in (Kind.OPERATOR, Kind.OPEN, Kind.COMMA, Kind.OF) and before.text != "%"):
        return False
    if operator.text != "%":
        return True
    return after is not None and after.kind in (Kind.NUMBER, Kind.CONSTANT, Kind.FUNCTION, Kind.OPEN, Kind.ROOT)


def _without_outer_brackets(pieces: list[Token]) -> list[Token]:
    while len(pieces) > 2 and pieces[0].kind is Kind.OPEN and pieces[-1].kind is Kind.CLOSE:
        depth = 0
        for piece in pieces[:-1]:
            depth += (piece.kind is Kind.OPEN) - (piece.kind is Kind.CLOSE)
            if depth == 0:
                return pieces
        pieces = pieces[1:-1]
    return pieces


def _read(reading: str, *, german: bool) -> str:
    if not german:
        return f"read as {reading.replace(' * ', ' × ')}"
    shown = re.sub(r"(?<=\d)\.(?=\d)", ",", reading).replace(" % of ", " % von ").replace(" * ", " × ")
    return f"gelesen als {shown}"
