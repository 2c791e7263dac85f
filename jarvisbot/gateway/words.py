"""The gateway's own sentences, in the languages that code writes."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["say"]

_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "queue_full": {
        "en": "Too many messages are waiting already; I'll go through those first. Please send this one again later.",
        "de": "Es warten schon zu viele Nachrichten; ich arbeite erst die ab. Bitte schick diese später noch einmal.",
    },
    "too_old": {
        "en": "I was away and skipped {count} message(s) older than {minutes} minutes. Ask again if you still need an answer.",
        "de": "Ich war weg und habe {count} Nachricht(en) von vor über {minutes} Minuten übersprungen. Frag gern noch einmal.",
    },
    "cannot_store": {
        "en": "I can't take messages right now: {reason} I'll answer yours once that is solved.",
        "de": "Ich kann gerade nichts annehmen: {reason} Deine Nachricht beantworte ich, sobald das behoben ist.",
    },
    "unknown_command": {
        "en": "There is no command /{name}. /help lists them.",
        "de": "Den Befehl /{name} gibt es nicht. /help zeigt alle.",
    },
    "not_allowed": {
        "en": "/{name} is for people with the role {role} or above.",
        "de": "/{name} ist nur für die Rolle {role} oder höher.",
    },
    "failed": {
        "en": "Something went wrong inside me, and it is in the log. /retry asks again.",
        "de": "In mir ist etwas schiefgegangen; es steht im Protokoll. /retry fragt noch einmal.",
    },
    "too_long": {
        "en": "That took longer than {minutes} minutes, so I stopped. /retry asks again.",
        "de": "Das hat länger als {minutes} Minuten gedauert, also habe ich aufgehört. /retry fragt noch einmal.",
    },
    "pairing_code": {
        "en": "I don't know you yet. Give this code to the person who runs me: {code}. If they send me /pair {code} within "
        "{minutes} minutes, I will answer you.",
        "de": "Ich kenne dich noch nicht. Gib diesen Code der Person, die mich betreibt: {code}. Schickt sie mir innerhalb "
        "von {minutes} Minuten /pair {code}, antworte ich dir.",
    },
    "please_check": {"en": "Please check: {findings}", "de": "Bitte prüfen: {findings}"},
    "shortened": {
        "en": "(Your message is longer than this model can read at once: I read its beginning and its end.)",
        "de": "(Deine Nachricht ist länger, als dieses Modell auf einmal lesen kann: Ich habe Anfang und Ende gelesen.)",
    },
    "stopped": {"en": "*(stopped)*", "de": "*(angehalten)*"},
}


def say(sentence: str, language: str, **values: object) -> str:
    """The sentence in German or, for every other language, in English."""
    known = _SENTENCES[sentence]
    return known.get(language, known["en"]).format(**values)
