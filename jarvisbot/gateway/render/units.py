"""Lengths of text as platforms count them."""

from __future__ import annotations

import itertools
from typing import assert_never

from jarvisbot.connector import Unit

__all__ = ["length", "offsets"]


def length(text: str, unit: Unit) -> int:
    """The length of `text` in `unit`. Lone surrogates count like the characters that replace them."""
    match unit:
        case Unit.CODE_POINTS:
            return len(text)
        case Unit.UTF16:
            return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
        case Unit.UTF8:
            return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        case _:
            assert_never(unit)


def offsets(text: str, unit: Unit) -> list[int]:
    """Where each code point starts, counted in `unit`, and the end of the text as the last entry."""
    if unit is Unit.CODE_POINTS or text.isascii():
        return list(range(len(text) + 1))
    if unit is Unit.UTF16:
        return [0, *itertools.accumulate(2 if mark > "\uffff" else 1 for mark in text)]
    return [0, *itertools.accumulate(length(mark, unit) for mark in text)]
