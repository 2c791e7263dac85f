"""The tool calls of one block of model output, read without loss or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from jarvisbot.model import CallPiece
from jarvisbot.store.codec import clean
from jarvisbot.types import Arguments, JsonValue, ToolCall

__all__ = ["UnreadableCall", "bare_calls", "native_calls", "read_calls"]

NESTING_LIMIT = 32
"""No tool takes arguments as deep as this; deeper ones are a model that repeats a bracket."""

_FUNCTION = re.compile(r"<function=([^<>\s]+)>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)
_NAME = re.compile(r"[\w.:/-]{1,64}")
_BETWEEN = re.compile(r"(?:[\s,;]|</?tool_call>|```\w*)*")
_CUT_OFF = "the call was cut off before its end"
_DECODER = json.JSONDecoder(strict=False)  # a line break inside a string means itself


class UnreadableCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool-call block whose content cannot be read: it is never run, the model is told `problem`."""

    source: str
    problem: str


def read_calls(
    source: str, *, id_prefix: str = "call", first: int = 1, closed: bool = True
) -> tuple[ToolCall | UnreadableCall, ...]:
    """The calls of one block, in order: XML-like functions with parameters, or JSON with `name` and `arguments`.

    Code fences, words around the JSON, trailing commas and arguments given as JSON text are repaired, because that cannot
    change what is meant. A call that was cut off is never completed, and what cannot be read is never replaced by empty
    arguments. `closed`: the block's end mark was there. The ids are `id_prefix` and a number from `first` on.
    """
    text = _unfenced(source)
    if not text:
        return (UnreadableCall(source=source, problem="it is empty"),) if closed else ()
    functions, brace = text.find("<function="), re.search(r"[{\[]", text)
    found = _functions(text) if functions >= 0 and (not brace or functions < brace.start()) else _objects(text)
    calls: list[ToolCall | UnreadableCall] = []
    for name, arguments in found:
        if isinstance(arguments, str):
            problem = arguments if closed else _CUT_OFF
            calls.append(UnreadableCall(source=source, problem=problem))
        else:
            calls.append(ToolCall(id=f"{id_prefix}{first + len(calls)}", name=name, arguments=arguments))
    return tuple(calls)


def bare_calls(text: str, names: Collection[str], *, id_prefix: str = "call") -> tuple[ToolCall, ...]:
    """The calls that a text consists of, where it is nothing but calls of the tools `names` written without their block."""
    inner = _unfenced(text)
    if not inner.startswith(("{", "[")) or not inner.endswith(("}", "]")):
        return ()
    calls: list[ToolCall] = []
    for call in read_calls(inner, id_prefix=id_prefix):
        if not isinstance(call, ToolCall) or call.name not in names:
            return ()
        calls.append(call)
    return tuple(calls)


def native_calls(pieces: Iterable[CallPiece]) -> tuple[ToolCall | UnreadableCall, ...]:
    """The calls that a backend kept apart, in order; each is one call or one that cannot be read.

    Their arguments are read as those written in text are, so code fences and words behind them do no harm. A call without
    any arguments has none, unless it was cut off.
    """
    calls: list[ToolCall | UnreadableCall] = []
    for number, piece in enumerate(pieces, 1):
        source = f"{piece.name} {piece.arguments}"
        name, arguments = _named(piece.name, _arguments(_unquoted(piece.arguments)))
        if not piece.whole and not _is_object(piece.arguments):
            arguments = _CUT_OFF
        if isinstance(arguments, str):
            calls.append(UnreadableCall(source=source, problem=arguments))
        else:
            calls.append(ToolCall(id=f"call{number}", name=name, arguments=arguments))
    return tuple(calls)


def _unquoted(text: str) -> str | None:
    """The text, or the one that it is the JSON of; None where it is blank."""
    try:
        inner = json.loads(text)
    except (ValueError, RecursionError):
        inner = text
    written = inner if isinstance(inner, str) else text
    return written if written.strip() else None


def _is_object(text: str) -> bool:
    """Whether the text is one JSON object and nothing else: one that is closed was not cut off."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


Found = tuple[str, Arguments | str]
"""A call's name and its arguments, or what is wrong with it."""


def _unfenced(text: str) -> str:
    return re.sub(r"\A\s*```\w*(?=[\s{\[<])|```\s*\Z", "", text).strip()


# ---------------------------------------------------------------- XML-like


def _functions(text: str) -> Iterator[Found]:
    end = 0
    for found in _FUNCTION.finditer(text):
        end = found.end()
        yield _named(found[1], _parameters(found[2]))
    if "<function=" in text[end:]:
        yield "", _CUT_OFF


def _parameters(body: str) -> Arguments | str:
    values = {clean(name): clean(value.strip()) for name, value in _PARAMETER.findall(body)}
    rest = _PARAMETER.sub("", body).strip()
    if not rest or (values and "<parameter" not in rest):
        return values
    return "its parameters cannot be read" if values or "<parameter" in rest else _arguments(rest)


# ---------------------------------------------------------------- JSON


def _objects(text: str) -> Iterator[Found]:
    """Each JSON object of the text; prose may stand before the first and behind the last."""
    start = re.search(r"[{\[]", text)
    rest = text[start.start() :] if start else ""
    decoded = _decoded(rest)
    if decoded is None:
        yield "", "it is not one JSON object with name and arguments"
        return
    while decoded is not None:
        value, rest = decoded
        yield from _calls_of(value)
        behind = _BETWEEN.match(rest)
        rest = rest[behind.end() :] if behind else rest
        if not rest.startswith(("{", "[")):
            return
        decoded = _decoded(rest)
    yield "", _CUT_OFF


def _calls_of(value: JsonValue) -> Iterator[Found]:
    match value:
        case list() if value:
            for each in value:
                yield from _calls_of(each)
        case {"function": dict() as function}:
            yield from _calls_of(function)
        case dict() as call if isinstance(name := call.get("name"), str):
            yield _named(name, _arguments_of({key: inner for key, inner in call.items() if key != "name"}))
        case _:
            yield "", "it needs a name and an object of arguments"


def _arguments_of(fields: Mapping[str, JsonValue]) -> Arguments | str:
    """The call's arguments; a call that gives none has none, but not where something else stands in their place."""
    for key in ("arguments", "parameters"):
        if key in fields:
            return _arguments(fields[key])
    if fields.keys() <= {"id", "type"}:
        return {}
    return 'its arguments must be one object named "arguments"'


def _arguments(value: JsonValue) -> Arguments | str:
    """Arguments as an object, or as text that holds one."""
    if isinstance(value, str):
        start = value.find("{")
        decoded = _decoded(value[start:]) if start >= 0 else None
        value = decoded[0] if decoded else value
    match value:
        case dict():
            return value
        case None:
            return {}
        case _:
            return "its arguments are not one JSON object"


def _named(name: str, arguments: Arguments | str) -> Found:
    name = name.strip().strip("\"'")
    return (name, arguments) if _NAME.fullmatch(name) else ("", "it needs the name of a tool")


def _decoded(text: str) -> tuple[JsonValue, str] | None:
    """The JSON value that the text begins with, and what stands behind it; None where there is none to be read."""
    for candidate in (text, _without_trailing_commas(text)):
        try:
            value, end = _DECODER.raw_decode(candidate)
            return _plain(value), candidate[end:]
        except (ValueError, RecursionError):
            continue
    return None


def _plain(value: JsonValue, depth: int = 0) -> JsonValue:
    """The value with text that can be stored and sent. Raises ValueError where it is nested too deep."""
    if depth > NESTING_LIMIT:
        raise ValueError("nested too deep")
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(key): _plain(inner, depth + 1) for key, inner in value.items()}
        case list():
            return [_plain(inner, depth + 1) for inner in value]
        case _:
            return value


def _without_trailing_commas(text: str) -> str:
    """The text without commas before a closing bracket, strings left alone."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', lambda found: found[1] or "", text, flags=re.DOTALL)
