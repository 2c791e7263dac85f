"""The plain word that something cannot be done here, in place of what a model would invent."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jarvisbot.agent.route import ROUTED_CHARACTERS
from jarvisbot.reading.questions import is_follow_up, without_courtesy, without_opening
from jarvisbot.skill import Skill
from jarvisbot.types import Assistant, Item

__all__ = ["lacking"]

REQUEST_CHARACTERS = 240
"""A longer message holds more than the request: the model reads it."""
_ADDRESS = re.compile(r"https?://\S|\bwww\.\w", re.IGNORECASE)
_ABOUT_WORDS = re.compile(
    r"[\"“”„«»`]"
    r"|\b(?:translat\w*|übersetz\w*|spell(?:ed|ing)?|buchstabier\w*|synonyme?s?|meaning|means?|bedeute\w*|rhym\w*|reim\w*)\b"
    r"|\b(?:words?|w(?:ort|orte|örter)|sentences?|s(?:atz|ätze)|essays?|aufs(?:atz|ätze)|writ(?:e|ing)|schreib\w*)\b"
    r"|\b(?:explain\w*|erklär\w*|why|warum|wieso|weshalb|history|geschichte|differences?|unterschiede?)\b"
    r"|\bhow (?:do(?:es)?|(?:can|should|could) (?:i|we|you))\b|\bwie (?:kann|soll|sollte|könnte) (?:ich|man)\b"
    r"|\bwie (?:funktioniert|entsteh)\w*|\b(?:python|javascript|sql|code)\b"
    r"|\b(?:in|into) (?:english|german|french|spanish|italian)\b"
    r"|\b(?:in|auf|ins) (?:englisch|deutsch|französisch|spanisch|italienisch)\w*",
    re.IGNORECASE,
)
"""What asks for words, reasons or the way to do it oneself, which a model can give without any tool."""


def lacking(
    message: str, idle: Sequence[Skill], history: Sequence[Item], language: str, *, beaten: int | None = None
) -> str | None:
    """The sentence of the first of the idle skills that the message is meant for, or None where it is for none of them.

    `idle` are the skills whose tools are all missing, in priority order; `beaten` is the priority of the skill that claims the
    message among the others: only those above it count, but for what a pattern of `also` finds. A follow-up to such a
    sentence gets it again.
    """
    text = message[:ROUTED_CHARACTERS]
    if len(text) > REQUEST_CHARACTERS or (_ABOUT_WORDS.search(text) and not _ADDRESS.search(text)):
        return None
    known = [skill for skill in idle if skill.without_tools]
    speaking = [skill for skill in known if beaten is None or skill.priority > beaten]
    asked = without_courtesy(text)
    unopened = without_opening(asked)
    request = unopened if unopened != asked else None
    missed = next((skill for skill in known if skill.misses_besides(asked, request)), None)
    missed = missed or next((skill for skill in speaking if skill.misses(asked, request)), None)
    if missed is None and beaten is None and is_follow_up(text):
        last = next((item.text for item in reversed(history) if isinstance(item, Assistant)), "")
        missed = next((skill for skill in speaking if skill.without_tools and last in _sentences(skill)), None)
    return missed.without_tools.told(language) if missed and missed.without_tools else None


def _sentences(skill: Skill) -> tuple[str, ...]:
    said = skill.without_tools
    return (said.en, said.de) if said else ()
