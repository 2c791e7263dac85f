"""Sums asked in chat: the calculator's call and its answer, written without a model."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.reading.arithmetic import covers, error_reply, goes_on, reply, sum_going_on, sum_in
from jarvisbot.types import Assistant, Item, Result, SeedContext, ToolCall, ToolResult, User

__all__ = ["answer", "seed"]


def seed(message: str, context: SeedContext) -> ToolCall | None:
    """The calculator's call for the sum in the message, None where there is none and the model has to look for one."""
    german = context.language == "de"
    expression = sum_in(message, german=german)
    if (expression is None or goes_on(message)) and (before := _last_line(context.history)):
        expression = sum_going_on(message, before, german=german) or expression
    if expression is None:
        return None
    return ToolCall(id="seed", name="calculator", arguments={"expression": expression})


def answer(message: str, result: ToolResult | None, language: str) -> str | None:
    """The reply in `language` ("de", else English) from the calculator's result; None where the message asks for more."""
    if result is None or not (covers(message) or goes_on(message)):
        return None
    if not result.ok:
        return error_reply(result.text, language)
    return reply(message, result.text, language)


def _last_line(history: Sequence[Item]) -> str:
    """What the calculator said last in the exchange right before; empty where it was not asked or failed."""
    asked: set[str] = set()
    said: list[ToolResult] = []
    for item in history:
        match item:
            case User():
                asked, said = set(), []
            case Assistant(calls=calls):
                asked |= {call.id for call in calls if call.name == "calculator"}
            case Result(result=result) if result.call_id in asked:
                said.append(result)
            case _:
                continue
    return said[-1].text if said and said[-1].ok else ""
