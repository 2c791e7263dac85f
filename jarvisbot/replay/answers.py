"""Drafts checked against what their turn's calls brought."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from jarvisbot.agent.review import review
from jarvisbot.replay.rows import Row, read
from jarvisbot.store.turns import CallRecord
from jarvisbot.types import ToolCall, ToolResult

__all__ = ["checked"]

_FAILURE = re.compile(r'\s*Tool "[^"]*" failed')


class _Made(msgspec.Struct, frozen=True):
    name: str
    result: str
    arguments: dict[str, Any] = {}


class _Fields(msgspec.Struct, frozen=True):
    question: str
    draft: str
    tools: tuple[_Made, ...] = ()
    known_urls: tuple[str, ...] | None = None


def checked(row: Row) -> Mapping[str, object]:
    """The names of the checks that object to the draft. A result that begins `Tool "x" failed` is a failure."""
    fields = read(row, _Fields)
    calls = [
        CallRecord(
            call=ToolCall(id=str(number), name=made.name, arguments=made.arguments),
            result=ToolResult(call_id=str(number), text=made.result, ok=_FAILURE.match(made.result) is None),
            seconds=0.0,
        )
        for number, made in enumerate(fields.tools)
    ]
    found = review(question=fields.question, calls=calls, draft=fields.draft, known_urls=fields.known_urls or ())
    return {"findings": [finding.kind.value for finding in found]}
