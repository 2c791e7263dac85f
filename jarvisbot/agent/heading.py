"""What stands in front of a message: the lines that are different each turn, so that all before them stays the same."""

from __future__ import annotations

import zoneinfo
from datetime import datetime

from jarvisbot.agent.question import TurnInput
from jarvisbot.agent.script import only_in
from jarvisbot.types import Heading, Inbound

__all__ = ["heading", "speaker"]

SPEAKER_CHARACTERS = 40
_DAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
}
# fmt: off
_MONTHS = {
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December"),
    "de": ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
           "Dezember"),
}
# fmt: on


def heading(question: TurnInput, *, topic: str, language: str, now: datetime, base: str) -> Heading:
    """Recall, topic, the chosen language, the time in the person's zone, and in a group who speaks.

    `now` is UTC; `base` names the beginning of the prompt that the lines stand under.
    """
    lines = (question.recall, topic, _reply_language(question, language), _time(now, question.zone, language))
    return Heading(text="\n".join(line for line in lines if line), speaker=speaker(question.message), base=base)


def speaker(message: Inbound) -> str:
    """The name by which the person is known in a group, in one line; empty in a direct chat."""
    if message.direct:
        return ""
    name = " ".join(message.author.name.split())
    return name[:SPEAKER_CHARACTERS].rstrip() or message.author.id


def _reply_language(question: TurnInput, language: str) -> str:
    if question.language is None:
        return ""
    return only_in(language)


def _time(now: datetime, zone: str, language: str) -> str:
    """The local time in words, without a locale of the machine."""
    local = now.astimezone(zoneinfo.ZoneInfo(zone))
    spoken = "de" if language == "de" else "en"
    day, month = _DAYS[spoken][local.weekday()], _MONTHS[spoken][local.month - 1]
    if spoken == "de":
        return f"Es ist {day}, {local.day}. {month} {local.year}, {local:%H:%M} Uhr."
    return f"It is {day}, {local.day} {month} {local.year}, {local:%H:%M}."
