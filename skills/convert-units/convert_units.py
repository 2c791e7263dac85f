"""Conversions asked in chat: the converter's call and its answer, written without a model."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.reading.units import asks_into_which, covers, error_reply, follow_up, lacks_target, reply, request_in
from jarvisbot.types import Assistant, Item, SeedContext, ToolCall, ToolResult, User

__all__ = ["answer", "seed"]

_LANGUAGES = ("en", "de")
_ARGUMENTS = ("value", "from_unit", "to_unit")


def seed(message: str, context: SeedContext) -> ToolCall | None:
    """The converter's call for the message, or for what it adds to the conversion before it; None where there is none."""
    german = context.language == "de"
    asked = request_in(message, german=german)
    if asked is not None:
        return _call(asked.arguments)
    if lacks_target(message, german=german):
        return None
    arguments = follow_up(message, _last(context.history, german=german), german=german)
    return _call(arguments) if arguments else None


def answer(message: str, result: ToolResult | None, language: str) -> str | None:
    """The reply from the converter's result, or the question for a target unit; None where the message asks for more."""
    if language not in _LANGUAGES:
        return None
    german = language == "de"
    if result is None:
        quantity = lacks_target(message, german=german)
        return asks_into_which(quantity, language) if quantity else None
    # The seed made the call: of the message alone, or of a message that only goes on with the one before.
    if request_in(message, german=german) is not None and not covers(message, german=german):
        return None
    return reply(result.text, language) if result.ok else error_reply(result.text, language)


def _call(arguments: dict[str, str]) -> ToolCall:
    return ToolCall(id="seed", name="convert", arguments=dict(arguments))


def _last(history: Sequence[Item], *, german: bool) -> dict[str, str] | None:
    """The arguments of the last conversion of the talk, or of the last message if it left its target open."""
    for item in reversed(history):
        match item:
            case User(text=text):
                asked = request_in(text, german=german)
                if asked is not None:
                    return asked.arguments
                if (quantity := lacks_target(text, german=german)) is not None:
                    return {"value": quantity, "from_unit": "", "to_unit": ""}
            case Assistant(calls=calls):
                for call in reversed(calls):
                    if call.name == "convert":
                        return {name: str(call.arguments.get(name) or "") for name in _ARGUMENTS}
            case _:
                continue
    return None
