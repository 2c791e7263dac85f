"""The focus of a question: what is left without the words that only make it a question."""

from __future__ import annotations

import re

from jarvisbot.reading.queries.trimming import QUESTION_START, instructed, one_line, trimmed
from jarvisbot.reading.questions import content_words

__all__ = ["focus"]

_KEPT = re.compile(
    r"(?:why|warum|wieso|weshalb|weswegen|how(?! much\b)|how['’´`]?s|wie(?! ?viel\b))\b(?!-)", re.IGNORECASE
)
"""How many and wie viele are kept as well: what is counted means little without them."""
_BE = r"(?:['’´`]?s\b|['’´`]re\b| (?:is|are|was|were|am)\b)"
_HELP = r"(?:['’´`](?:d|ll)\b| (?:do|does|did|has|have|had|will|would|can|could|should|shall|must|might)(?:n['’]t)?\b)"
_ENGLISH = rf"(?:{_BE}|{_HELP})"
_GERMAN = (
    r"(?: (?:ist|sind|war|waren|wird|werden|wurden?|hat|haben|hatten?|kann|können|konnten?|muss|müssen|soll|sollen|sollten?|darf"
    r"|dürfen|will|wollen|wollten?|würden?|wäre|heißt|heißen|hieß|liegt|liegen|lag|befindet sich|befinden sich"
    r"|gibt['’]?s|gibt es|gab es)\b)"
)
_PERIOD = r"(?:years?|time|day|date|month|century|decade)"
_ZEIT = r"(?:jahr|tag|monat|datum|jahrhundert|jahrzehnt|uhrzeit|zeitpunkt)"
_COSTS = r"(?: (?:kostet|kosten|kostete|kosteten)\b)"
_MERELY = r"(?:exactly|else|the (?:hell|heck|fuck)|on earth|genau|zum (?:teufel|kuckuck)|alles|denn|eigentlich)"
_SHELLS = (
    rf"um wie ?viel uhr{_GERMAN}?",
    rf"how much(?: (?:money|cash))?{_ENGLISH}?(?: it(?= cost))?",
    rf"wie ?viel(?: geld)?(?:{_COSTS}|{_GERMAN})?",
    rf"was{_COSTS}",
    rf"(?:at |in |on |since |by )?(?:what|which) (?:exact )?{_PERIOD}{_ENGLISH}",
    rf"(?:in |an |zu |ab |seit |bis )?welche[rsnm]? {_ZEIT}{_GERMAN}",
    r"(?:since |until |from |to |by |with |for |in |at |on |of )?(?:what|which|who|whom|whose|when|where)"
    rf"(?: {_MERELY}(?={_BE}|{_HELP}))?{_ENGLISH}?(?: there\b)?",
    rf"(?:seit |bis |ab |von |für |mit )?(?:wer|wen|wem|wessen|was|wann|wo|wohin|woher)"
    rf"(?: {_MERELY}(?={_GERMAN}))?(?:{_GERMAN}|{_BE})?",
    rf"(?:wofür|womit|woran|worin|worüber|woraus|wodurch|wovon|wonach|wozu){_GERMAN}?",
    rf"(?:in |an |zu |aus |auf |von |mit |für |bei |seit |unter |über |nach )?welche[rsnm]?{_GERMAN}?",
)
_SHELL = re.compile("(?:" + "|".join(_SHELLS) + r")(?![\w-])", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"(?:(?:is|are|was|were|do|does|did|has|have|had)(?:n['’]t)?\b(?: there\b| it\b(?= \w+))?"
    r"|(?:ist|sind|waren|hat|haben|hatten?|wurden?)\b(?: es\b(?= \w+))?|gibt es\b|gibt['’]?s\b|gab es\b)",
    re.IGNORECASE,
)
_ASKED_ONLY = re.compile(
    r"(?:can|could|will|would|should|must|war(?! (?:and|of|in|on|or)\b)|wird|werden|kann|können|darf|muss|soll|sollten?)\b"
    r"(?: (?:it|es)\b(?= \w+))?",
    re.IGNORECASE,
)
"""Words that could begin a name as well, "Will Smith": they ask only where a question mark stands or they are in lower case."""
_PARTICLES = re.compile(
    r" (?:(?:denn|eigentlich|nochmals?|noch ?mal|genau|überhaupt|bloß|wohl|eig|exactly|actually|really|even|again)\b ?)+",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"(?:currently|now|aktuell|derzeit|zurzeit|momentan|gerade|jetzt|heute|today) ", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:The (?=[a-z])|(?:the|an?|der|die|das|den|dem|eine[nmr]?|ein) (?=\S))")
_BEFORE = re.compile(r"\w{2}[.!:;] (?=" + QUESTION_START.pattern + ")", re.IGNORECASE)
_ABBREVIATION = re.compile(r"[A-Z][A-Z&]")
"""A name that may read like small words: AT&T, IT."""
_STATED = re.compile(r" (?:is|are|was|were|ist|sind|war|waren|hat|has)$", re.IGNORECASE)
"""The verb at the end of a question inside a sentence: (do you know) who the mayor of Oslo is."""


def focus(message: str) -> str:
    """What the message asks about, in its own words, for the look-up of a question.

    The question's shell, an instruction to look up, courtesy and the closing mark are left out; "why" and "how" questions
    keep theirs, but "how much" and "wie viel" do not. Case, names and quotes stay. Never empty where the message is not.
    """
    text = one_line(message)
    bare = trimmed(text)
    core = _question(trimmed(instructed(bare)))
    if _KEPT.match(core):
        return core
    shell = _shell(core, asked="?" in text or core != bare)
    if not shell and core == bare:
        return _without_article(core)
    rest = core[len(shell) :]
    if (particles := _PARTICLES.match(rest)) is not None:
        rest = rest[particles.end() :]
    rest = rest.lstrip(" ,:")
    adverb = _ADVERB.match(rest)
    rest = adverb[0] + _without_article(rest[adverb.end() :]) if adverb else _without_article(rest)
    if " " not in shell:
        rest = _STATED.sub("", rest)
    return rest if content_words(rest) or (_ABBREVIATION.search(rest) and not core.isupper()) else core


def _question(core: str) -> str:
    """The question among the sentences of the text, where it is plain which one that is."""
    if not QUESTION_START.match(core) and (before := _BEFORE.search(core)) is not None:
        core = core[before.end() :]
    asked, mark, rest = core.partition("? ")
    return trimmed(asked) if mark and "?" not in rest and QUESTION_START.match(asked) else core


def _shell(core: str, *, asked: bool) -> str:
    found = _SHELL.match(core) or _YES_OR_NO.match(core)
    if found is None and (asked or core[:1].islower()):
        found = _ASKED_ONLY.match(core)
    return found[0] if found else ""


def _without_article(text: str) -> str:
    """The text without a small article in front; a large one belongs to a name: The Rock."""
    article = _ARTICLE.match(text.lower() if text.isupper() else text)
    return text[article.end() :] if article else text
