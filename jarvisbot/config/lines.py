"""Line numbers of the keys of a TOML text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import TypeAlias

__all__ = ["Path", "line_of", "lines"]

Path: TypeAlias = tuple[str | int, ...]
"""Keys and list positions from the root to a value."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}' + r"|'''.*?'{3,5}" + r'|"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'", re.DOTALL
)
_SCALAR = re.compile(r"[^,\]}#\n]+")


class _Unexpected(Exception):
    """The text is not what the grammar says here."""


class _Scanner:
    """Walks over a text that `tomllib` has accepted; owns the position and what was found."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counted_to = 0
        self._line = 1
        self._lengths: dict[Path, int] = {}
        self.found: dict[Path, int] = {}

    def document(self) -> None:
        prefix: Path = ()
        while self._skip(_BLANK) < len(self._text):
            if self._text.startswith("[", self._at):
                prefix = self._header()
            else:
                self._pair(prefix)

    def _header(self) -> Path:
        is_array = self._text.startswith("[[", self._at)
        line = self._here()
        self._at += 2 if is_array else 1
        *parents, last = self._key()
        self._take("]]" if is_array else "]")
        path: Path = ()
        for part in parents:
            path = self._newest((*path, part))
            self.found.setdefault(path, line)
        path = (*path, last)
        if is_array:
            self.found.setdefault(path, line)
            self._lengths[path] = self._lengths.get(path, 0) + 1
        path = self._newest(path)
        self.found[path] = line
        return path

    def _newest(self, path: Path) -> Path:
        """The path itself, or its last element where it is an array of tables."""
        return (*path, self._lengths[path] - 1) if path in self._lengths else path

    def _pair(self, prefix: Path) -> None:
        line = self._here()
        path = prefix
        for part in self._key():
            path = (*path, part)
            self.found.setdefault(path, line)
        self._take("=")
        self._value(path)

    def _key(self) -> list[str]:
        parts: list[str] = []
        while True:
            self._skip(_SPACE)
            if match := _BARE_KEY.match(self._text, self._at):
                parts.append(match.group())
            elif match := _STRING.match(self._text, self._at):
                parts += tomllib.loads(f"{match.group()} = 0")
            else:
                raise _Unexpected
            self._at = match.end()
            self._skip(_SPACE)
            if not self._text.startswith(".", self._at):
                return parts
            self._at += 1

    def _value(self, path: Path) -> None:
        self._skip(_SPACE)
        match self._text[self._at : self._at + 1]:
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case '"' | "'":
                self._match(_STRING)
            case _:
                self._match(_SCALAR)

    def _array(self, path: Path) -> None:
        self._take("[")
        index = 0
        while self._skip(_BLANK) < len(self._text) and not self._text.startswith("]", self._at):
            self.found[*path, index] = self._here()
            self._value((*path, index))
            index += 1
            self._skip(_BLANK)
            if self._text.startswith(",", self._at):
                self._at += 1
        self._take("]")

    def _inline_table(self, path: Path) -> None:
        self._take("{")
        while self._skip(_BLANK) < len(self._text) and not self._text.startswith("}", self._at):
            self._pair(path)
            self._skip(_BLANK)
            if self._text.startswith(",", self._at):
                self._at += 1
        self._take("}")

    def _here(self) -> int:
        self._line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        return self._line

    def _skip(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._at

    def _match(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise _Unexpected
        self._at = match.end()

    def _take(self, mark: str) -> None:
        self._skip(_SPACE)
        if not self._text.startswith(mark, self._at):
            raise _Unexpected
        self._at += len(mark)


def lines(text: str) -> Mapping[Path, int]:
    """The line, from 1, on which each key, table and list element first appears.

    The text has to be valid TOML; where it is not, the keys before that place are found.
    """
    scanner = _Scanner(text)
    try:
        scanner.document()
    except (_Unexpected, tomllib.TOMLDecodeError):
        return scanner.found
    return scanner.found


def line_of(path: Path, known: Mapping[Path, int]) -> int | None:
    """The line of the value at `path`, else that of the closest table or list around it; None where there is none."""
    for length in range(len(path), 0, -1):
        if (line := known.get(path[:length])) is not None:
            return line
    return None
