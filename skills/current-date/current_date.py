"""The clock and the calendar here: the call that a question needs and its answer, written without a model."""

from __future__ import annotations

from jarvisbot.reading.timekeeping import answered, call_for
from jarvisbot.types import SeedContext, ToolCall, ToolResult

__all__ = ["answer", "seed"]


def seed(message: str, context: SeedContext) -> ToolCall | None:
    """The clock's call: here, or at the place that the message names; None where it asks nothing of a clock."""
    return call_for(message, context)


def answer(message: str, result: ToolResult | None, language: str) -> str | None:
    """The reply in German or English from the clock's result; None where the message asks for more."""
    return answered(message, result, language)
