"""A talk as turns and chat messages, bent to what a chat template or a model server can say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, assert_never

import msgspec

from jarvisbot.types import Assistant, Item, JsonValue, Result, System, ToolSpec, User

if TYPE_CHECKING:
    from pydantic import JsonValue as Json

__all__ = [
    "Call",
    "Guard",
    "Message",
    "Quirks",
    "Role",
    "Tool",
    "Turn",
    "fitted",
    "messages",
    "tool_schemas",
    "tools_of",
    "turns_of",
]

Guard: TypeAlias = Callable[[str], str]
Message: TypeAlias = "dict[str, Json]"
Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call of an assistant turn."""

    id: str
    name: str
    arguments: dict[str, Any]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a conversation; `name` and `call_id` belong to a tool's result."""

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    name: str = ""
    call_id: str = ""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that the model is told of."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirks:
    """What a template can say, found out by asking it."""

    system: bool = True
    """It writes a system message."""
    own_system: bool = False
    """It writes one of its own where there is none."""
    tools: bool = False
    """It writes the tools that are given."""
    calls: bool = False
    """It writes an assistant's calls and their results."""
    many_calls: bool = False
    """It takes several calls in one assistant message."""
    repeats: bool = True
    """It takes two messages of the same role in a row."""
    user_after_tool: bool = True
    """It takes a user's message right after a tool's result."""


def fitted(turns: Sequence[Turn], tools: Sequence[Tool], quirks: Quirks) -> list[Turn]:
    """The turns as this template can say them. Nothing is dropped, and equal beginnings stay equal.

    System turns that are not at the beginning become user turns: no template has a place for them, and some raise.
    """
    leading = next((at for at, turn in enumerate(turns) if turn.role != "system"), len(turns))
    system = _joined([turn.text for turn in turns[:leading]])
    if tools and not quirks.tools:
        system = _joined([system, _described(tools)])
    talk = [msgspec.structs.replace(turn, role="user") if turn.role == "system" else turn for turn in turns[leading:]]
    if not quirks.calls:
        talk = [_plain(turn) for turn in talk]
    elif not quirks.many_calls:
        talk = _one_call_each(talk)
    if not any(turn.role == "user" for turn in talk) or (not quirks.repeats and talk[0].role != "user"):
        talk.insert(0, Turn(role="user", text=""))
    if system and not quirks.system:
        at = next(at for at, turn in enumerate(talk) if turn.role == "user")
        talk[at] = msgspec.structs.replace(talk[at], text=_joined([system, talk[at].text]))
    elif system or quirks.own_system:
        talk.insert(0, Turn(role="system", text=system))
    return _merged(talk, quirks)


def messages(turns: Sequence[Turn], guard: Guard) -> list[Message]:
    """The turns as a template reads them, every string of them guarded.

    Call ids are numbered anew, nine characters each: Mistral's templates refuse any other length.
    """
    numbers: dict[str, str] = {}
    made: list[Message] = []
    for turn in turns:
        message: Message = {"role": turn.role, "content": guard(turn.text)}
        if turn.role == "tool":
            message |= {"name": guard(turn.name), "tool_call_id": numbers.get(turn.call_id, _number(len(numbers)))}
        elif turn.calls:
            calls: list[Json] = []
            for call in turn.calls:
                numbers[call.id] = _number(len(numbers) + 1)
                function: Json = {"name": guard(call.name), "arguments": _guarded(call.arguments, guard)}
                calls.append({"id": numbers[call.id], "type": "function", "function": function})
            message["tool_calls"] = calls
        made.append(message)
    return made


def tool_schemas(tools: Iterable[Tool], guard: Guard) -> list[Message]:
    """The tools in the form templates expect, every string of them guarded."""
    return [
        {
            "type": "function",
            "function": {
                "name": guard(tool.name),
                "description": guard(tool.description),
                "parameters": _guarded(tool.parameters, guard),
            },
        }
        for tool in tools
    ]


def _joined(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text)


def _number(count: int) -> str:
    return f"call{count:05d}"


def _guarded(value: Json, guard: Guard) -> Json:
    if isinstance(value, str):
        return guard(value)
    if isinstance(value, dict):
        return {guard(key): _guarded(each, guard) for key, each in value.items()}
    if isinstance(value, list):
        return [_guarded(each, guard) for each in value]
    return value


def _described(tools: Sequence[Tool]) -> str:
    """Tools in words, for a template that knows none."""
    lines = [
        json.dumps({"name": t.name, "description": t.description, "parameters": t.parameters}, ensure_ascii=False)
        for t in tools
    ]
    form = '<tool_call>\n{"name": …, "arguments": {…}}\n</tool_call>'
    return "You can use these tools:\n" + "\n".join(lines) + f"\nTo use one, answer with\n{form}"


def _plain(turn: Turn) -> Turn:
    """A turn without calls and results, for a template that knows none."""
    if turn.role == "tool":
        return Turn(role="user", text=f"Result of {turn.name}:\n{turn.text}" if turn.name else f"Result:\n{turn.text}")
    if turn.calls:
        return Turn(role=turn.role, text="\n".join([turn.text, *map(_written, turn.calls)]).lstrip("\n"))
    return turn


def _written(call: Call) -> str:
    form = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
    return f"<tool_call>\n{form}\n</tool_call>"


def _one_call_each(turns: Sequence[Turn]) -> list[Turn]:
    """Several calls of one message, each in a message of its own with its result behind it."""
    split: list[Turn] = []
    taken: set[int] = set()
    for at, turn in enumerate(turns):
        if at in taken:
            continue
        if len(turn.calls) < 2:
            split.append(turn)
            continue
        for number, call in enumerate(turn.calls):
            split.append(msgspec.structs.replace(turn, text=turn.text if number == 0 else "", calls=(call,)))
            for later in range(at + 1, len(turns)):
                if turns[later].role != "tool":
                    break
                if turns[later].call_id == call.id and later not in taken:
                    taken.add(later)
                    split.append(turns[later])
    return split


def _merged(turns: Sequence[Turn], quirks: Quirks) -> list[Turn]:
    """Neighbours joined that the template would not take one after the other."""
    made: list[Turn] = []
    for turn in turns:
        last = made[-1] if made else None
        same = last is not None and last.role == turn.role and turn.role != "tool" and not last.calls
        late = last is not None and last.role == "tool" and turn.role == "user"
        if last is not None and ((same and not quirks.repeats) or (late and not quirks.user_after_tool)):
            made[-1] = msgspec.structs.replace(
                last, text=_joined([last.text, turn.text]), calls=last.calls + turn.calls
            )
        else:
            made.append(turn)
    return made


# ---------------------------------------------------------------- items as turns


def turns_of(items: Sequence[Item], clean: Guard) -> tuple[Turn, ...]:
    """The items as turns, every string of them cleaned. A result's tool name is that of the call it answers."""
    names = {call.id: call.name for item in items if isinstance(item, Assistant) for call in item.calls}
    return tuple(_turn(item, names, clean) for item in items)


def tools_of(specs: Sequence[ToolSpec], clean: Guard) -> tuple[Tool, ...]:
    """The tools, every string of them cleaned."""
    return tuple(
        Tool(
            name=clean(spec.name),
            description=clean(spec.description),
            parameters=_clean_mapping(spec.parameters, clean),
        )
        for spec in specs
    )


def _turn(item: Item, names: Mapping[str, str], clean: Guard) -> Turn:
    match item:
        case System(text=text):
            return Turn(role="system", text=clean(text))
        case User(text=text):
            return Turn(role="user", text=clean(text))
        case Assistant(text=text, calls=calls):
            made = (
                Call(id=clean(c.id), name=clean(c.name), arguments=_clean_mapping(c.arguments, clean)) for c in calls
            )
            return Turn(role="assistant", text=clean(text), calls=tuple(made))
        case Result(result=result):
            name = names.get(result.call_id, "")
            return Turn(role="tool", text=clean(result.text), name=clean(name), call_id=clean(result.call_id))
        case _ as never:
            assert_never(never)


def _clean_mapping(values: Mapping[str, JsonValue], clean: Guard) -> dict[str, Json]:
    return {clean(key): _clean_json(value, clean) for key, value in values.items()}


def _clean_json(value: JsonValue, clean: Guard) -> Json:
    match value:
        case str():
            return clean(value)
        case None | bool() | int():
            return value
        case float():
            return value if json.dumps(value)[-1].isdigit() else str(value)  # JSON knows no NaN and no infinity
        case Mapping():
            return _clean_mapping(value, clean)
        case _:
            return [_clean_json(each, clean) for each in value]
