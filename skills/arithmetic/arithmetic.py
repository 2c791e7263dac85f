"""Sums asked in chat: the calculator's call and its answer, written without a model."""

from __future__ import annotations

from jarvisbot.reading.arithmetic import covers, error_reply, reply, sum_in
from jarvisbot.types import SeedContext, ToolCall, ToolResult

__all__ = ["answer", "seed"]


def seed(message: str, context: SeedContext) -> ToolCall | None:
    """The calculator's call for the sum in the message, None where there is none and the model has to look for one."""
    expression = sum_in(message)
    if expression is None:
        return None
    return ToolCall(id="seed", name="calculator", arguments={"expression": expression})


def answer(message: str, result: ToolResult | None, language: str) -> str | None:
    """The reply in `language` ("de", else English) from the calculator's result; None where the message asks for more."""
    if result is None or not covers(message):
        return None
    if not result.ok:
        return error_reply(result.text, language)
    return reply(message, result.text, language)
