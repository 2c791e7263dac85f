"""Whether what is left of a message, beside what code answers, asks for something more."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["asks_more"]

MOST_ASIDES = 6
"""So many unknown words may be an aside; more of them are a matter of their own."""

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_INTERROGATIVES_WORDS = """
what what's which who who's whom whose when where where's why how how's was welche welcher welches welchen welchem wer
wen wem wessen wann wo wohin woher warum wieso weshalb wie wieviel womit wofür ob whether
"""
_INTERROGATIVES = frozenset(_INTERROGATIVES_WORDS.split())
_ELSEWHERE = re.compile(
    r"\b(?:weather|forecast\w*|rain\w*|snow\w*|temperature\w*|umbrella\w*|wetter\w*|regn\w*|schnei\w*|temperatur\w*|schirm\w*"
    r"|remind\w*|reminder\w*|alarm\w*|timer\w*|wake|erinner\w*|wecker|weck\w*|stell\w*|set|add|note|remember|merk\w*|notier\w*"
    r"|calendar|appointment\w*|meeting\w*|kalender\w*|termin\w*|schedule\w*|book|buch\w*"
    r"|write|compose|schreibe?|schreibst|dichte|poem\w*|gedicht\w*|story|geschichte|joke\w*|witz\w*|song|lied|translate|übersetz\w*"
    r"|calculate|compute|rechne\w*|plus|minus|times|divided|convert|umrechn\w*|explain|erklär\w*|summar\w*|zusammenfass\w*"
    r"|news|nachrichten|search|such\w*|google|find|open|öffne\w*|start|play|spiel\w*|send|schick\w*|call|ruf|opening|open|opens|closed"
    r"|öffnungszeit\w*|geöffnet|flight\w*|flug\w*|train\w*|zug|bahn|sunrise|sunset|sonnenaufgang|sonnenuntergang|tips?|tipps?)\b",
    re.IGNORECASE,
)
_JOINED_WORDS = """
and und but aber also also, außerdem plus sowie or oder because weil since denn if wenn
"""
_JOINED = frozenset(_JOINED_WORDS.split())


def asks_more(left: str, shell: Collection[str]) -> bool:
    """Whether the rest of a message holds a number, a further question, another subject or another clause.

    `left` is the message without what code answers; `shell` are words (small) that say nothing of their own there.
    """
    if re.search(r"\d", left) or _ELSEWHERE.search(left):
        return True
    words = [word.lower().replace("’", "'") for word in _WORD.findall(left)]
    if any(word in _INTERROGATIVES for word in words):
        return True
    unknown = [at for at, word in enumerate(words) if word not in shell]
    if any(word in _JOINED for word in words) and unknown:
        return any(at > words.index(next(word for word in words if word in _JOINED)) for at in unknown)
    return len(unknown) > MOST_ASIDES
