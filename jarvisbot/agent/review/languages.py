"""A draft in another language than its question, as far as German and English go."""

from __future__ import annotations

import re

from jarvisbot.agent.language import marks
from jarvisbot.agent.review.finding import Check, Finding

__all__ = ["wrong_language"]

LEAST_MARKS = 3
"""Fewer words of a language are no sign of it."""

_NAMES_A_LANGUAGE = re.compile(
    r"\b(?:english|german|deutsch\w*|englisch\w*|translat\w*|"
    r"übersetz\w*|language|sprache|bilingual|zweisprachig)\b",
    re.IGNORECASE,
)


def wrong_language(question: str, draft: str, *, language: str | None, german: bool) -> Finding | None:
    """An English draft to a German question, or the other way round.

    Both have to be plain: three function words at least of their language, and hardly any of the other's own. A question
    that speaks of a language passes, and so does one in another language than the reply was to be in (`language`).
    """
    asked = _plain(question)
    if asked is None or (language is not None and language != asked):
        return None
    if _plain(draft) in (asked, None) or _NAMES_A_LANGUAGE.search(question):
        return None
    if asked == "de":
        words = "Die Frage war auf Deutsch, die Antwort ist es nicht."
        fix = "Antworte auf Deutsch."
    elif german:
        words, fix = "Die Frage war auf Englisch, die Antwort ist es nicht.", "Antworte auf Englisch."
    else:
        words, fix = "The question was in English, and the answer is not.", "Answer in English."
    return Finding(kind=Check.WRONG_LANGUAGE, words=words, fix=fix)


def _plain(text: str) -> str | None:
    german, english, both = marks(text)
    if german + both >= LEAST_MARKS and german > 2 * english:
        return "de"
    if english + both >= LEAST_MARKS and english > 2 * german:
        return "en"
    return None
