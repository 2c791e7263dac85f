"""One row of cases, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypeVar

import msgspec

from jarvisbot.errors import JarvisError
from jarvisbot.types import JsonValue

__all__ = ["BadRow", "Row", "read"]

Row: TypeAlias = Mapping[str, JsonValue]
Fields = TypeVar("Fields", bound=msgspec.Struct)


class BadRow(JarvisError):
    """A row that nothing can be made of; the message says what it lacks."""


def read(row: Row, fields: type[Fields]) -> Fields:
    """The fields that one kind of row needs. Raises msgspec.ValidationError; further keys are ignored."""
    return msgspec.convert(row, fields)
