"""Exact arithmetic for models that cannot count."""

from __future__ import annotations

from jarvisbot.tool import Risk, tool

__all__ = ["calculator"]


@tool(risk=Risk.READ, label="Calculated", timeout_s=5.0)
async def calculator(expression: str) -> str:
    """Works out an arithmetic expression exactly: + - * / % ^, brackets, sqrt, log, sin, min, max, round, pi, e.

    The result is the line "expression = value", with ≈ where the value is rounded; what can be read in two ways is explained
    on a second line. An expression costs a few milliseconds at most, so it is worked out where it stands. Raises SumError.

    Args:
        expression: The sum in digits and operators, such as (8 + 4) * 2.5. No units, no words.
    """
    from jarvisbot.reading.arithmetic import evaluate  # on use: its grammars take a while to import

    return evaluate(expression, lenient=True).text
