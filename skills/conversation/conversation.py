"""Small talk, answered in code in German and English: abilities, who, how are you, thanks, greetings."""

from __future__ import annotations

import re

from jarvisbot.types import SeedContext, ToolCall, ToolResult

_KINDS = (
    ("abilities", re.compile(r"can you do|do you do|help|kannst du|helfen", re.IGNORECASE)),
    (
        "who",
        re.compile(
            r"who are|what are you|your name|yourself|(?:wer|was) bist|heißt du|dein name|stell dich|dir\W*$", re.I
        ),
    ),
    ("feeling", re.compile(r"how are|how.?s it|how do you do|what.?s up|wie geht|alles (?:klar|gut)", re.IGNORECASE)),
    ("thanks", re.compile(r"thank|thx|cheers|dank", re.IGNORECASE)),
)
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
        "abilities": "I do exact sums and talk about anything you like, right here on your own computer. Commands: /help.",
        "who": "I am Jarvis, a private assistant. I run on your own computer and answer with a small local model.",
        "feeling": "All is well here, thank you. What can I do for you?",
        "thanks": "You're welcome!",
        "greeting": "Hello! What can I do for you?",
    },
    "de": {
        "abilities": "Ich rechne exakt und unterhalte mich mit dir, alles auf deinem eigenen Rechner. Befehle: /help.",
        "who": "Ich bin Jarvis, ein privater Assistent. Ich laufe auf deinem eigenen Rechner, mit einem kleinen Modell.",
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
        if pattern.search(message):
            return replies[kind]
    lowered = message.lower()
    return next((reply for words, reply in _TIMES_OF_DAY.items() if words in lowered), replies["greeting"])
