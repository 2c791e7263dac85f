"""The language a reply is written in: the chosen one, else the question's, else the talk's, else English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jarvisbot.types import Item, User

__all__ = ["marked_language", "reply_language"]

# Function words that only one of the two languages has: "was", "war", "in", "so", "also" stand in both.
_GERMAN_WORDS = """
ich du wir ihr sie mich dich mir dir uns euch der das den dem des ein eine einen einem einer und oder aber
nicht kein keine ist sind bist bin seid habe haben wird werden wurde kann kannst können soll muss darf wie wer
wann warum wieso weshalb welche welcher welches welchen wieviel viel viele für mit von vom zum zur bei nach
über unter auf aus auch noch schon nur mal bitte danke hallo moin servus guten morgen abend ja nein doch gib
sag zeig erzähl erzähle schreib schreibe berechne rechne heute jetzt gerade mein meine dein deine geteilt
durch hoch wurzel prozent tschüss
"""
_GERMAN = frozenset(_GERMAN_WORDS.split())
_ENGLISH_WORDS = """
the is are were be been does did have has had would can could should must i you she it we they him us them my
your his its our their and or but not no of to for with from about into over what who whom whose which when
where why how please thanks thank hello hi yes tell give show write make say calculate joke this that these
those there here today now times divided percent square root
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_GERMAN_LETTERS = re.compile(r"[äöüß]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
READ_LIMIT = 2_000


def marked_language(text: str) -> str | None:
    """ "de" or "en" by the words and letters that only that language has, or None where neither or both weigh the same.

    Only the first 2,000 characters are read; words in code and addresses count like others.
    """
    part = text[:READ_LIMIT]
    words = [word.lower() for word in _WORD.findall(part)]
    german = sum(word in _GERMAN for word in words) + min(2, len(_GERMAN_LETTERS.findall(part)))
    english = sum(word in _ENGLISH for word in words)
    if german == english:
        return None
    return "de" if german > english else "en"


def reply_language(text: str, history: Sequence[Item], *, chosen: str | None = None) -> str:
    """The language of the reply to `text`."""
    if chosen is not None:
        return chosen
    if (found := marked_language(text)) is not None:
        return found
    for item in reversed(history):
        if isinstance(item, User) and (found := marked_language(item.text)) is not None:
            return found
    return "en"
