"""Values as JSON text in a column, and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import assert_never

import msgspec

from jarvisbot.types import (
    Assistant,
    Author,
    FileRef,
    Heading,
    Item,
    JsonValue,
    Result,
    RowState,
    Source,
    System,
    ToolCall,
    ToolResult,
    ToolRow,
    User,
)

__all__ = [
    "clean",
    "dump",
    "files_from",
    "from_milliseconds",
    "item_from",
    "item_to",
    "milliseconds",
    "rows_from",
    "sources_from",
]


_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text without NUL and with U+FFFD for each lone surrogate: what SQLite, JSON and every platform can hold."""
    return text.replace("\0", "").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def milliseconds(moment: datetime) -> int:
    """Whole milliseconds since 1970, UTC."""
    return round(moment.timestamp() * 1000)


def from_milliseconds(value: int) -> datetime:
    """The moment, in UTC."""
    return datetime.fromtimestamp(value / 1000, UTC)


def dump(values: Iterable[FileRef | Source | ToolRow]) -> str:
    """A JSON list of the values' fields."""
    return _json([msgspec.to_builtins(value) for value in values])


def files_from(text: str) -> tuple[FileRef, ...]:
    """The inverse of `dump`."""
    return tuple(FileRef(**fields) for fields in json.loads(text))


def sources_from(text: str) -> tuple[Source, ...]:
    """The inverse of `dump`."""
    return tuple(Source(**fields) for fields in json.loads(text))


def rows_from(text: str) -> tuple[ToolRow, ...]:
    """The inverse of `dump`."""
    return tuple(ToolRow(**{**fields, "state": RowState(fields["state"])}) for fields in json.loads(text))


def item_to(item: Item) -> tuple[str, str]:
    """(kind, body) of an item."""
    match item:
        case System():
            kind = "system"
        case User():
            kind = "user"
        case Assistant():
            kind = "assistant"
        case Result():
            kind = "result"
        case _:
            assert_never(item)
    return kind, _json(msgspec.to_builtins(item))


def _json(value: object) -> str:
    """JSON that UTF-8 can hold, whatever is in it: readable text, escapes only where there are lone surrogates."""
    text = json.dumps(value, ensure_ascii=False)
    return text if _SURROGATE.search(text) is None else json.dumps(value)


def item_from(kind: str, body: str) -> Item:
    """The inverse of `item_to`."""
    fields = json.loads(body)
    match kind:
        case "system":
            return System(**fields)
        case "user":
            author = Author(**fields["author"]) if fields["author"] else None
            files = tuple(FileRef(**file) for file in fields["attachments"])
            heading = Heading(**fields.get("heading", {}))
            return User(text=fields["text"], attachments=files, author=author, heading=heading)
        case "assistant":
            return Assistant(
                text=fields["text"], thinking=fields["thinking"], calls=tuple(_call(call) for call in fields["calls"])
            )
        case "result":
            return Result(result=_result(fields["result"]))
        case _:
            raise ValueError(f"an item of kind {kind!r}")


def _call(fields: Mapping[str, JsonValue]) -> ToolCall:
    arguments = fields["arguments"]
    if not isinstance(arguments, dict):
        raise ValueError("the arguments of a stored call are not an object")
    return ToolCall(id=str(fields["id"]), name=str(fields["name"]), arguments=arguments)


def _result(fields: Mapping[str, JsonValue]) -> ToolResult:
    return ToolResult(
        call_id=str(fields["call_id"]),
        text=str(fields["text"]),
        ok=bool(fields["ok"]),
        sources=sources_from(json.dumps(fields["sources"])),
        files=files_from(json.dumps(fields["files"])),
    )
