"""The place that a conversation has settled on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jarvisbot.reading.places.asked import Place, place_asked
from jarvisbot.types import Assistant, Item, Result, ToolCall, User

__all__ = ["last_place"]

TOOLS = frozenset({"weather", "current_time"})

_ABOUT = re.compile(
    r"weather|forecast|rain|snow|temperature|umbrella|sunny|what time|the time|local time|time zone|clock\b"
    r"|how (?:hot|cold|warm)|wetter|vorhersage|regen|regnet|schnei|temperatur|schirm|sonnig|gewitter|wie spät|uhr|zeitzone"
    r"|wie (?:heiß|kalt|warm)",
    re.IGNORECASE,
)


def last_place(history: Sequence[Item]) -> Place | None:
    """The place of the latest weather or clock call that succeeded, else the latest that a person named in such a question.

    Calls without a place, and those for a time zone by its own name, settle nothing.
    """
    succeeded = {item.result.call_id for item in history if isinstance(item, Result) and item.result.ok}
    for item in reversed(history):
        if isinstance(item, Assistant):
            for call in reversed(item.calls):
                if call.id in succeeded and (place := _of_call(call)):
                    return place
    for item in reversed(history):
        if isinstance(item, User) and _ABOUT.search(item.text) and (place := place_asked(item.text)):
            return place
    return None


def _of_call(call: ToolCall) -> Place | None:
    place = call.arguments.get("place") if call.name in TOOLS else None
    if not isinstance(place, str) or not place.strip() or "/" in place or place.upper() in ("UTC", "GMT"):
        return None
    name = " ".join(place.split())
    return Place(display=name, query=name)
