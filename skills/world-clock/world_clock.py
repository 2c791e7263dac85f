"""Clocks elsewhere: the call that a question needs and its answer, written without a model."""

from __future__ import annotations

from jarvisbot.reading.timekeeping import answered, call_for, place_wanted
from jarvisbot.types import SeedContext, ToolCall, ToolResult

__all__ = ["answer", "seed"]


def seed(message: str, context: SeedContext) -> ToolCall | None:
    """The clock's call for the places that the message names, or for the last place of the talk; None without a place."""
    return call_for(message, context, elsewhere=True)


def answer(message: str, result: ToolResult | None, language: str) -> str | None:
    """The reply in German or English from the clock's result; without one, the question for the place.

    None where the message asks for more.
    """
    return place_wanted(message, language) if result is None else answered(message, result, language)
