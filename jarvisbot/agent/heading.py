"""What stands in front of a message: the lines that are different each turn, so that all before them stays the same."""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime

from jarvisbot.agent.question import TurnInput, speaker
from jarvisbot.agent.script import only_in
from jarvisbot.types import Heading

__all__ = ["heading"]

READ_CHARACTERS = 2_000
_SPEAKS_OF_TIME = re.compile(
    r"\b(?:today|tonight|now|nowadays|current(?:ly)?|tomorrow|yesterday|weeks?|months?|years?|dates?|days?|times?|clock|hours?"
    r"|minutes?|mornings?|evenings?|noon|midnight|afternoon|weekends?|season|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december|ages?|old|since|until|till|ago"
    r"|soon|late|early|later|earlier|birthday|christmas|easter|holidays?|deadline|due|next|last|recent(?:ly)?"
    r"|heut\w*|jetzt|gerade|momentan|aktuell\w*|morgen\w*|übermorgen|gestern\w*|wochen?|monate?n?|jahre?n?|datum|tage?n?|uhr\w*"
    r"|zeit(?:en|punkt)?|stunden?|minuten?|abends?|nachts?|mittags?|vormittags?|nachmittags?|wochenende\w*"
    r"|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?|januar|februar|märz|mai|juni|juli|oktober|dezember"
    r"|alt|älter|alter|seit\w*|bis|vor|bald|spät\w*|früh\w*|geburtstag\w*|weihnacht\w*|ostern|ferien|frist|nächste\w*"
    r"|letzte\w*|kürzlich|(?:19|20)\d\d|\d{1,2}[:.]\d\d)\b",
    re.IGNORECASE,
)
"""Shy where it costs nothing: a time too many does little harm."""
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

    The time stands there only where the message speaks of times: a model of 0.1B parameters weaves it into every answer, and
    its stories shrink to half. `now` is UTC; `base` names the beginning of the prompt that the lines stand under.
    """
    timed = _SPEAKS_OF_TIME.search(question.message.text[:READ_CHARACTERS])
    time = _time(now, question.zone, language) if timed else ""
    lines = (question.recall, topic, _reply_language(question, language), time)
    return Heading(
        text="\n".join(line for line in lines if line),
        speaker=speaker(question.message),
        material=question.material,
        base=base,
    )


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
        return f"[{day}, {local.day}. {month} {local.year}, {local:%H:%M} Uhr]"
    return f"[{day}, {local.day} {month} {local.year}, {local:%H:%M}]"
