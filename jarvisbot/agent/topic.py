"""What a talk is about: the place or the subject it settled on last, read off the transcript and never stored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jarvisbot.reading.places import last_place, place_asked
from jarvisbot.reading.queries import focus, follow_up
from jarvisbot.reading.questions import content_words, is_follow_up, is_pronoun_question
from jarvisbot.reading.wording import PERSONAL
from jarvisbot.types import Assistant, Item, Result, User

__all__ = ["topic"]

LOCAL_SKILLS = frozenset({"weather", "world-clock", "current-date"})
"""Skills whose questions are about a place, named or not."""
RESEARCH_TOOL = "research"
_ANAPHOR = re.compile(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bhi )(?<!\bhey )\bthere\b"
    r"(?!['’]?s?\s+(?:is|are|was|were|will|has|a|no)\b)"
    r"|\b(?:over there|the (?:city|town|place|country|mayor|capital|locals|population|airport)|dort|dorthin|da drüben"
    r"|(?:die|der|das|dem|den) (?:stadt|ort|gegend|land|bürgermeister(?:in)?|hauptstadt|einwohner(?:n)?|flughafen))\b"
    r"(?! (?:of|in|from|von|vom|des|der|im|aus)\b)",
    re.IGNORECASE,
)
_NAMED_PLACE = re.compile(r"\b(?:in|im|aus|from|near|nach|um|bei|at|to) (?:the |der |den |die )?[A-ZÄÖÜ]")


def topic(message: str, history: Sequence[Item], *, skill: str | None, language: str) -> str:
    """The line "This conversation is about X." where the message leaves X unsaid and means it; empty otherwise.

    A place is meant by a question about weather or time, by a follow-up and by words such as "there". The subject last
    looked up is meant by a follow-up alone. Whichever is newer counts, and a message that names its own has none.
    """
    for exchange in _newest_first(history):
        if (place := last_place(exchange)) is not None:
            meant = skill in LOCAL_SKILLS or _ANAPHOR.search(message) or _goes_on_about_a_place(message)
            return _line(place.display, language) if meant and not _names_place(message, place.query, skill) else ""
        if (subject := _subject(exchange)) is not None:
            goes_on = skill not in LOCAL_SKILLS and _goes_on_about(message, subject)
            return _line(subject, language) if goes_on else ""
    return ""


def _goes_on_about_a_place(message: str) -> bool:
    """Whether the message is a follow-up, and about nobody."""
    return is_follow_up(message) and PERSONAL.search(message) is None


def _newest_first(history: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The exchanges of the talk, each from a person's message on."""
    starts = [place for place, item in enumerate(history) if isinstance(item, User)]
    end = len(history)
    for start in reversed(starts):
        yield history[start:end]
        end = start


def _names_place(message: str, place: str, skill: str | None) -> bool:
    """Whether the message has the place, or another one, in its own words."""
    if place.casefold() in message.casefold() or _NAMED_PLACE.search(message):
        return True
    return skill in LOCAL_SKILLS and place_asked(message) is not None


def _subject(exchange: Sequence[Item]) -> str | None:
    """What was looked up in the exchange with success."""
    succeeded = {item.result.call_id for item in exchange if isinstance(item, Result) and item.result.ok}
    for item in reversed(exchange):
        for call in reversed(item.calls if isinstance(item, Assistant) else ()):
            if call.name == RESEARCH_TOOL and call.id in succeeded:
                asked = next(
                    (value for value in call.arguments.values() if isinstance(value, str) and value.strip()), ""
                )
                return focus(asked) if asked else None
    return None


def _goes_on_about(message: str, subject: str) -> bool:
    """Whether the message is a follow-up that leaves the subject, or a part of it, to be understood."""
    if not (is_follow_up(message) or is_pronoun_question(message)):
        return False
    completed = follow_up(message, subject=subject)
    kept = set(content_words(completed)) & set(content_words(subject))
    said = set(content_words(message))
    return bool(kept - said)


def _line(what: str, language: str) -> str:
    return f"In diesem Gespräch geht es um {what}." if language == "de" else f"This conversation is about {what}."
