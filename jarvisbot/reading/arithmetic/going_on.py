"""The sum that goes on from the result before it: "plus 5", "und das mal 2", "divided by 3"."""

from __future__ import annotations

import re

from jarvisbot.reading.arithmetic.message import covers, sum_in

__all__ = ["goes_on", "sum_going_on"]

_LEAD = re.compile(
    r"^\W*?(?:(?:and|und|then|dann|now|jetzt|ok(?:ay)?|please|bitte|was (?:ist|sind)|what(?:['’]?s| is)|das ganze|all that"
    r"|the result|das ergebnis|das|that|it|es|noch|nochmal|again|rechne)\b[\s,:]*)*",
    re.IGNORECASE,
)
_OPERATOR = re.compile(
    r"(?:[+*/×÷^·]|[-−–]\s|(?:plus|minus|times|mal|x|multiplied (?:by|with)|multipliziert mit|divided by|geteilt durch|durch|hoch"
    r"|to the power of|squared|cubed|im quadrat|modulo|mod)\b)",
    re.IGNORECASE,
)
_LINE = re.compile(r"(?P<expression>[^\n]+) (?P<sign>[=≈]) (?P<value>-?\d+(?:\.\d+)?)(?:\n.*)?", re.DOTALL)
_ONE = "1"


def goes_on(message: str) -> bool:
    """Whether the message is nothing but an operation whose first operand is the result before it."""
    stood_in = _stood_in(message)
    return stood_in is not None and covers(stood_in)


def sum_going_on(message: str, line: str, *, german: bool = False) -> str | None:
    """The sum of the message in strict notation, after the calculator's `line`; None where it does not go on from it.

    A rounded result is taken up as its own sum, so that nothing is lost.
    """
    stood_in, before = _stood_in(message), _LINE.fullmatch(line.strip())
    if stood_in is None or before is None or not covers(stood_in):
        return None
    written = sum_in(stood_in, german=german)
    if written is None or not re.match(rf"{_ONE}(?![\d.,])", written):
        return None
    exact = before["sign"] == "="
    first = before["value"] if exact else f"({before['expression']})"
    if exact and first.startswith("-"):
        first = f"({first})"
    return f"{first}{written[len(_ONE) :]}"


def _stood_in(message: str) -> str | None:
    """The message as a sum of its own, with 1 for the result before it."""
    lead = _LEAD.match(message)
    rest = message[lead.end() :] if lead else message
    return f"{_ONE} {rest}" if _OPERATOR.match(rest) else None
