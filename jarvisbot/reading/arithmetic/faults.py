"""What is wrong with a sum: one class of fault, one sentence each, in English for models and in both languages for people."""

from __future__ import annotations

import enum
import re

from jarvisbot.errors import BadArguments

__all__ = ["HINT", "SumError", "SumErrorKind", "explained"]

HINT = "This tool does arithmetic with numbers only: no units, no words."
"""Added to the errors of tolerant input, where the reason is often that something else was meant."""


class SumErrorKind(enum.StrEnum):
    """Why an expression has no value."""

    EMPTY_EXPRESSION = "empty_expression"
    DIVISION_BY_ZERO = "division_by_zero"
    NOT_FINITE = "not_finite"
    UNCLOSED_BRACKET = "unclosed_bracket"
    FUNCTION_WITHOUT_BRACKET = "function_without_bracket"
    UNKNOWN_NAME = "unknown_name"
    UNEXPECTED_CHARACTER = "unexpected_character"
    LEFTOVER_INPUT = "leftover_input"
    TOO_LARGE = "too_large"
    TOO_LONG = "too_long"
    TOO_DEEP = "too_deep"


UNDEFINED = "undefined"
"""The detail of a division of zero by zero."""

_ENGLISH = {
    SumErrorKind.EMPTY_EXPRESSION: "Empty expression: there is nothing to calculate.",
    SumErrorKind.DIVISION_BY_ZERO: "Division by zero: the result has no value.",
    SumErrorKind.NOT_FINITE: "The result is not a finite real number.",
    SumErrorKind.UNCLOSED_BRACKET: "A bracket is opened and never closed.",
    SumErrorKind.FUNCTION_WITHOUT_BRACKET: 'The function "{detail}" needs its argument in brackets: {detail}(…).',
    SumErrorKind.UNKNOWN_NAME: 'Unknown name "{detail}".',
    SumErrorKind.UNEXPECTED_CHARACTER: "Unexpected character at position {detail}.",
    SumErrorKind.LEFTOVER_INPUT: 'Left over after the end of the expression: "{detail}".',
    SumErrorKind.TOO_LARGE: "The result is too large: it has more than 4,000 digits.",
    SumErrorKind.TOO_LONG: "The expression is too long: more than 300 characters.",
    SumErrorKind.TOO_DEEP: "The expression is nested too deep: more than 50 levels.",
}
_GERMAN = {
    SumErrorKind.EMPTY_EXPRESSION: "Der Ausdruck ist leer, es gibt nichts zu rechnen.",
    SumErrorKind.DIVISION_BY_ZERO: "Division durch null, das Ergebnis hat keinen Wert.",
    SumErrorKind.NOT_FINITE: "Das Ergebnis ist keine endliche reelle Zahl.",
    SumErrorKind.UNCLOSED_BRACKET: "Eine Klammer wird geöffnet und nicht geschlossen.",
    SumErrorKind.FUNCTION_WITHOUT_BRACKET: (
        "Die Funktion „{detail}“ braucht ihr Argument in Klammern: {detail}(…)."  # „ and “ are German quotes
    ),
    SumErrorKind.UNKNOWN_NAME: "Unbekannter Name „{detail}“.",
    SumErrorKind.UNEXPECTED_CHARACTER: "Unerwartetes Zeichen an Position {detail}.",
    SumErrorKind.LEFTOVER_INPUT: "Nach dem Ende des Ausdrucks bleibt übrig: „{detail}“.",
    SumErrorKind.TOO_LARGE: "Das Ergebnis ist zu groß, es hat mehr als 4.000 Stellen.",
    SumErrorKind.TOO_LONG: "Der Ausdruck ist zu lang, mehr als 300 Zeichen.",
    SumErrorKind.TOO_DEEP: "Der Ausdruck ist zu tief verschachtelt, mehr als 50 Ebenen.",
}
_UNDEFINED_ENGLISH = "Division by zero: zero divided by zero is undefined."
_UNDEFINED_GERMAN = "Division durch null, null geteilt durch null ist nicht definiert."
_QUOTE_LIMIT = 60


class SumError(BadArguments):
    """An expression without a value.

    `detail` is the name, the quoted rest or the position (0 is the first character of the trimmed expression) where the
    kind has one, "undefined" for 0/0, else None.
    """

    def __init__(self, kind: SumErrorKind, detail: str | None = None, *, lenient: bool = False) -> None:
        message = _sentence(kind, detail, german=False)
        super().__init__(f"{message} {HINT}" if lenient else message)
        self.kind = kind
        self.detail = detail


def _sentence(kind: SumErrorKind, detail: str | None, *, german: bool) -> str:
    if detail == UNDEFINED and kind is SumErrorKind.DIVISION_BY_ZERO:
        return _UNDEFINED_GERMAN if german else _UNDEFINED_ENGLISH
    quoted = detail or ""
    if len(quoted) > _QUOTE_LIMIT:
        quoted = quoted[: _QUOTE_LIMIT - 1] + "…"
    return (_GERMAN if german else _ENGLISH)[kind].format(detail=quoted)


def _pattern(template: str) -> re.Pattern[str]:
    first, *rest = re.escape(template).split(re.escape("{detail}"))
    return re.compile(
        first + "".join((r"(?P<detail>.*)" if i == 0 else r"(?P=detail)") + p for i, p in enumerate(rest))
    )


_READ = {kind: _pattern(template) for kind, template in _ENGLISH.items()}


def explained(message: str, *, german: bool) -> str:
    """The sentence of a SumError in the language asked for, without the hint; another message comes back unchanged."""
    text = message.strip().removesuffix(HINT).strip()
    if text == _UNDEFINED_ENGLISH:
        return _UNDEFINED_GERMAN if german else text
    for kind, pattern in _READ.items():
        if found := pattern.fullmatch(text):
            return _sentence(kind, found.groupdict().get("detail"), german=german)
    return text
