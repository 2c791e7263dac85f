"""Parameters of one Bot API request: strings from a form or a JSON body, read as what a method expects."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.emulators.telegram.errors import bad_request

__all__ = ["Parameters"]


class Parameters:
    """What one request asks for. Reading a value as something that it is not raises `ApiError`."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def as_dict(self) -> dict[str, Any]:
        """All parameters, JSON-serialised ones parsed where they are JSON arrays or objects."""
        return {
            name: f"<{len(value[1])} bytes>" if isinstance(value, tuple) else self._parsed(value)
            for name, value in self._values.items()
        }

    def file(self, name: str) -> tuple[str, bytes] | None:
        """(name, bytes) of an uploaded file; None where there is none."""
        value = self._values.get(name)
        return value if isinstance(value, tuple) else None

    def has(self, name: str) -> bool:
        return self._values.get(name) not in (None, "")

    def text(self, name: str) -> str:
        """The value as a string; empty where it was not given."""
        value = self._values.get(name)
        return "" if value is None else str(value)

    def integer(self, name: str, default: int | None = None) -> int:
        """The value as a whole number. Raises ApiError where it is none, or is missing and has no default."""
        if not self.has(name):
            if default is None:
                raise bad_request(f"{name} is empty")
            return default
        value = self.text(name)
        if not re.fullmatch(r"-?\d+", value):
            raise bad_request(f"{name} must be an integer")
        return int(value)

    def flag(self, name: str) -> bool:
        return self.text(name).casefold() in ("true", "1")

    def objects(self, name: str) -> list[dict[str, Any]]:
        """A JSON array of objects; empty where it was not given."""
        value: list[Any] = self._json(name, list)
        if not all(isinstance(item, dict) for item in value):
            raise bad_request(f"can't parse {name}: expected an Array of Objects")
        return value

    def strings(self, name: str) -> list[str]:
        """A JSON array of strings; empty where it was not given."""
        value: list[Any] = self._json(name, list)
        if not all(isinstance(item, str) for item in value):
            raise bad_request(f"can't parse {name}: expected an Array of Strings")
        return value

    def object(self, name: str) -> dict[str, Any]:
        """A JSON object; empty where it was not given."""
        value: dict[str, Any] = self._json(name, dict)
        return value

    def _json(self, name: str, kind: type) -> Any:
        value = self._values.get(name)
        if value in (None, ""):
            return kind()
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                raise bad_request(f"can't parse {name} JSON object") from None
        if not isinstance(value, kind):
            raise bad_request(f"object expected as {name}")
        return value

    @staticmethod
    def _parsed(value: Any) -> Any:
        if isinstance(value, str) and value[:1] in ("[", "{"):
            try:
                return json.loads(value)
            except ValueError:
                return value
        return value
