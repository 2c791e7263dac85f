"""Small talk, answered in code in German and English: abilities, who, how are you, thanks, greetings."""

from __future__ import annotations

import re

from jarvisbot.types import SeedContext, ToolCall, ToolResult

_KINDS = (
    (
        "abilities",
        r"\bhelp|hilfe|helfen|can you|able to|what do you do|abilities|capabilities|skills|features|fähigkeiten|kannst du",
    ),
    (
        "who",
        r"who (?:are|r)\b|what (?:are|r) (?:you|u)\b|your name|yourself|(?:wer|was) bist|heißt du|dein name|stell dich"
        r"|(?:über|von) di(?:r|ch)",
    ),
    (
        "feeling",
        r"how (?:are|r)\b|how\W?s\b|how is\b|how do you do|what\W?s up|what is up|\bsup\b|wie geht|wie läuft|was geht"
        r"|alles (?:klar|gut|ok)",
    ),
    ("thanks", r"thank|\bthx\b|\bty\b|cheers|dank"),
)
"""The first that is found in a message is what it is; a greeting otherwise."""
_TIMES_OF_DAY = {
    "guten morgen": "Guten Morgen!",
    "guten tag": "Guten Tag!",
    "guten abend": "Guten Abend!",
    "good morning": "Good morning!",
    "good afternoon": "Good afternoon!",
    "good evening": "Good evening!",
}
_REPLIES = {
    "en": {
        "abilities": "I work out sums and convert units exactly, and tell the time and the date anywhere. Anything else is "
        "answered by a language model, which may be wrong. /help lists the commands.",
        "who": "I am Jarvis, a private assistant on my owner's own computer. /model shows my language model.",
        "feeling": "All is well here, thank you. What can I do for you?",
        "thanks": "You're welcome!",
        "greeting": "Hello! What can I do for you?",
    },
    "de": {
        "abilities": "Ich rechne exakt, auch Einheiten um, und sage dir Uhrzeit und Datum an jedem Ort. Auf alles "
        "andere antwortet ein Sprachmodell, das sich irren kann. /help zeigt die Befehle.",
        "who": "Ich bin Jarvis, ein privater Assistent auf dem Rechner meines Besitzers. /model zeigt mein Sprachmodell.",
        "feeling": "Mir geht es gut, danke. Was kann ich für dich tun?",
        "thanks": "Gern geschehen!",
        "greeting": "Hallo! Was kann ich für dich tun?",
    },
}


def seed(message: str, context: SeedContext) -> ToolCall | None:
    """Small talk needs no tool."""
    return None


def answer(message: str, result: ToolResult | None, language: str) -> str | None:
    """The reply in German or English; None for other languages, which the model answers."""
    replies = _REPLIES.get(language)
    if replies is None:
        return None
    for kind, pattern in _KINDS:
        if re.search(pattern, message, re.IGNORECASE):
            return replies[kind]
    lowered = message.lower()
    return next((reply for words, reply in _TIMES_OF_DAY.items() if words in lowered), replies["greeting"])
