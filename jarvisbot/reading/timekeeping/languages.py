"""The languages that code answers clock questions in."""

from __future__ import annotations

from jarvisbot.reading.timekeeping.english import English
from jarvisbot.reading.timekeeping.german import German
from jarvisbot.reading.timekeeping.wording import Wording

__all__ = ["wording"]

_WORDINGS: dict[str, Wording] = {"de": German(), "en": English()}


def wording(language: str) -> Wording | None:
    """The sentences of "de" or "en"; None for every other language."""
    return _WORDINGS.get(language)
