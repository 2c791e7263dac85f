"""Tool calls, what they come to, and what the policy says to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

import msgspec

from jarvisbot.types.people import FileRef

__all__ = [
    "Allow",
    "Arguments",
    "Ask",
    "Decision",
    "Deny",
    "JsonValue",
    "Source",
    "ToolCall",
    "ToolResult",
    "ToolSpec",
    "ToolSummary",
]


JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
Arguments: TypeAlias = Mapping[str, JsonValue]
"""The arguments of a tool call, as JSON values by name."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A page that a result rests on."""

    title: str
    url: str
    excerpt: str = ""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A wish to run a tool. Having one is not permission to run it."""

    id: str
    name: str
    arguments: Arguments


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a call came to; `text` is data that a model may read, also when `ok` is false."""

    call_id: str
    text: str
    ok: bool = True
    sources: tuple[Source, ...] = ()
    files: tuple[FileRef, ...] = ()


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is told about a tool: `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, JsonValue]


class ToolSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as people are told of it. `label` is it in words, with its verb in the past; `risk` is R0 to R5."""

    spec: ToolSpec
    label: str
    risk: str
    timeout_s: float
    requires_approval: bool = False


class Allow(msgspec.Struct, frozen=True, kw_only=True):
    """The call may run now."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """The call may run once a person has agreed to `summary` before `expires` (UTC)."""

    summary: str
    expires: datetime


class Deny(msgspec.Struct, frozen=True, kw_only=True):
    """The call will not run; `reason` is shown to the model and to people."""

    reason: str


Decision: TypeAlias = Allow | Ask | Deny
