"""A conversation's items and tools as the worker reads them: text cleaned, names found, JSON made sure of."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot import transcript
from jarvisbot.models.llamacpp.specials import BREAK
from jarvisbot.transcript import Tool, Turn
from jarvisbot.types import Item, ToolSpec

__all__ = ["clean", "tools_of", "turns_of"]

_CLEANED = {0: "\ufffd", ord(BREAK): "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def clean(text: str) -> str:
    """`text` with NUL, lone surrogates and the break mark replaced by U+FFFD, so that it can be sent and tokenised."""
    return text.translate(_CLEANED)


def turns_of(items: Sequence[Item]) -> tuple[Turn, ...]:
    """The items as turns of cleaned text."""
    return transcript.turns_of(items, clean)


def tools_of(specs: Sequence[ToolSpec]) -> tuple[Tool, ...]:
    """The tools with cleaned text."""
    return transcript.tools_of(specs, clean)
