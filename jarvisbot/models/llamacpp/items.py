"""A conversation's items and tools as the worker reads them: text cleaned, names found, JSON made sure of."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import assert_never

from pydantic import JsonValue as Json

from jarvisbot.models.llamacpp.protocol import Call, Tool, Turn
from jarvisbot.models.llamacpp.specials import BREAK
from jarvisbot.types import Assistant, Item, JsonValue, Result, System, ToolSpec, User

__all__ = ["clean", "tools_of", "turns_of"]

_CLEANED = {0: "\ufffd", ord(BREAK): "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def clean(text: str) -> str:
    """`text` with NUL, lone surrogates and the break mark replaced by U+FFFD, so that it can be sent and tokenised."""
    return text.translate(_CLEANED)


def turns_of(items: Sequence[Item]) -> tuple[Turn, ...]:
    """The items as turns of cleaned text. A result's tool name is that of the call it answers."""
    names = {call.id: call.name for item in items if isinstance(item, Assistant) for call in item.calls}
    return tuple(_turn(item, names) for item in items)


def tools_of(specs: Sequence[ToolSpec]) -> tuple[Tool, ...]:
    """The tools with cleaned text."""
    return tuple(
        Tool(
            name=clean(spec.name),
            description=clean(spec.description),
            parameters=_clean_mapping(spec.parameters),
        )
        for spec in specs
    )


def _turn(item: Item, names: Mapping[str, str]) -> Turn:
    match item:
        case System(text=text):
            return Turn(role="system", text=clean(text))
        case User(text=text):
            return Turn(role="user", text=clean(text))
        case Assistant(text=text, calls=calls):
            made = (Call(id=clean(c.id), name=clean(c.name), arguments=_clean_mapping(c.arguments)) for c in calls)
            return Turn(role="assistant", text=clean(text), calls=tuple(made))
        case Result(result=result):
            name = names.get(result.call_id, "")
            return Turn(role="tool", text=clean(result.text), name=clean(name), call_id=clean(result.call_id))
        case _ as never:
            assert_never(never)


def _clean_mapping(values: Mapping[str, JsonValue]) -> dict[str, Json]:
    return {clean(key): _clean_json(value) for key, value in values.items()}


def _clean_json(value: JsonValue) -> Json:
    match value:
        case str():
            return clean(value)
        case None | bool() | int():
            return value
        case float():
            return value if json.dumps(value)[-1].isdigit() else str(value)  # JSON knows no NaN and no infinity
        case Mapping():
            return _clean_mapping(value)
        case _:
            return [_clean_json(each) for each in value]
