"""Claims in a draft that something was saved, deleted, sent, booked or set to remind, without anything that did it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from jarvisbot.agent.review.effects import Effect, effects_of, has_read_own, has_read_pages
from jarvisbot.agent.review.finding import Check, Finding
from jarvisbot.agent.review.phrases import HINT, claim, state
from jarvisbot.store.turns import CallRecord

__all__ = ["false_done"]

SENTENCE_CHARACTERS = 400
"""What is read of one sentence: longer ones are a model that does not find an end."""

_SENTENCE = re.compile(r"[^.!?\n]+(?:[.](?=\S)[^.!?\n]*)*[.!?]*")
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|(?<!\w)[\"„“»«‚‘][^\"“”„»«‘’\n]+[\"“”»«‘’](?!\w)|(?<!\w)'[^'\n]{2,}'(?!\w)|^[ \t]*>[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_SOFT = re.compile(
    r"\b(?:if|as|once|when|whenever|after|before|until|unless|whether|would|could|can|can['’]t|cannot|may|might|should|shall"
    r"|not|never|nothing|none|neither|nor|without|\w+n['’]t|please|how|which|yesterday|earlier|previously|last|ago"
    r"|wenn|sobald|nachdem|falls|bevor|ob|würden?|hätten?|könnten?|kann|soll|sollte|möchte|nicht|nichts|kein\w*|nie|niemals"
    r"|weder|ohne|bitte|gestern|vorhin|neulich|früher|letzte\w*)\b",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:yesterday|earlier|previously|ago|last (?:week|month|year|time|night)|in (?:1\d|20)\d\d"
    r"|gestern|vorhin|früher|letzte\w*)\b",
    re.IGNORECASE,
)
_YOURS = re.compile(r"\b(?:your|dein\w*)\b", re.IGNORECASE)
_BOUNDARY = re.compile(r"[,;:–—()]|\b(?:and|but|und|aber|denn|so)\b", re.IGNORECASE)
_WRITES_TEXT = re.compile(
    r"\b(?:write|compose|draft|rewrite|rephrase|reword|translate|proofread|poem|story|song|joke|lyrics|fairy tale|diary"
    r"|schreib\w*|dichte|verfass\w*|formulier\w*|übersetz\w*|gedicht|geschichte|märchen|witz|erzähl\w*|tagebuch)\b",
    re.IGNORECASE,
)
_WANTS_IT_DONE = re.compile(
    r"\b(?:save|store|note|remember|delete|remove|forget|cancel|send|e?mail (?:it|this|that|him|her|them)|remind|book|reserve"
    r"|schedule|speicher\w*|notier\w*|merk\w*|lösch\w*|entfern\w*|vergiss|send\w*|schick\w*|erinner\w*|buch\w*|reservier\w*|trag)\b",
    re.IGNORECASE,
)

_IN_PROGRAMS = frozenset({Effect.SAVED, Effect.DELETED})
"""Programs save and delete too, and an answer with code talks of them."""
_ENOUGH = {
    Effect.SAVED: {Effect.SAVED, Effect.BOOKED, Effect.REMINDED},
    Effect.DELETED: {Effect.DELETED},
    Effect.SENT: {Effect.SENT},
    Effect.REMINDED: {Effect.REMINDED},
    Effect.BOOKED: {Effect.BOOKED},
}
_SAID = {
    Effect.SAVED: ("was saved", "gespeichert wurde"),
    Effect.DELETED: ("was deleted", "gelöscht wurde"),
    Effect.SENT: ("was sent", "gesendet wurde"),
    Effect.REMINDED: ("was set as a reminder", "als Erinnerung eingerichtet wurde"),
    Effect.BOOKED: ("was booked", "eingetragen oder gebucht wurde"),
}


def false_done(question: str, calls: Sequence[CallRecord], draft: str, *, german: bool) -> Finding | None:
    """The first claim that something was done for the person, where no call of this turn that succeeded did such a thing.

    Shy: questions, conditions, negations, quotations, what was done on an earlier day, and texts that were asked for pass.
    """
    if not HINT.search(draft) or (_WRITES_TEXT.search(question) and not _WANTS_IT_DONE.search(question)):
        return None
    done, looked_up, read = effects_of(calls), has_read_own(calls), has_read_pages(calls)
    possible = [effect for effect in Effect if not ("```" in draft and effect in _IN_PROGRAMS)]
    for sentence in _sentences(draft):
        for effect in possible:
            if not done & _ENOUGH[effect] and _claims(sentence, effect, looked_up=looked_up, read=read):
                return _finding(effect, german=german)
    return None


def _sentences(draft: str) -> Iterator[str]:
    for found in _SENTENCE.finditer(_QUOTED.sub(" … ", draft)):
        sentence = found[0].strip(" \t*_#-•")
        if not sentence.endswith(("?", ":")) and HINT.search(sentence):
            yield sentence[:SENTENCE_CHARACTERS]


def _claims(sentence: str, effect: Effect, *, looked_up: bool, read: bool) -> bool:
    if any(not _is_soft(sentence, found) for found in claim(effect).finditer(sentence)):
        return True
    if looked_up:
        return False
    return any(
        not _is_soft(sentence, found) and (not read or _YOURS.search(found[0]))
        for found in state(effect).finditer(sentence)
    )


def _is_soft(sentence: str, found: re.Match[str]) -> bool:
    """Whether the clause says that it was not so, or may be so, or was so before."""
    begins = max((mark.end() for mark in _BOUNDARY.finditer(sentence, 0, found.start())), default=0)
    ends = next((mark.start() for mark in _BOUNDARY.finditer(sentence, found.end())), len(sentence))
    before = sentence[begins : found.end()]
    return _SOFT.search(before) is not None or _EARLIER.search(sentence[found.end() : ends]) is not None


def _finding(effect: Effect, *, german: bool) -> Finding:
    if german:
        said = _SAID[effect][1]
        return Finding(
            kind=Check.FALSE_DONE,
            words=f"Die Antwort klingt, als ob etwas {said}; das ist nicht geschehen.",
            fix=f"Es stimmt nicht, dass etwas {said}: Das ist nicht geschehen. Behaupte es nicht; sag, dass es nicht getan ist.",
        )
    said = _SAID[effect][0]
    return Finding(
        kind=Check.FALSE_DONE,
        words=f"The answer sounds as if something {said}; that has not happened.",
        fix=f"It is not true that anything {said}: that has not happened. Do not claim it; say that it is not done.",
    )
