"""What kind of message a message is: a follow-up, a closing, a question that could be looked up.

All readings are for German and English, work on words and not on meaning, and take time in proportion to the text.
"""

from __future__ import annotations

import re

from jarvisbot.reading.stopwords import FUNCTION_WORDS, STOP_WORDS
from jarvisbot.reading.wording import ASKING, ATTRIBUTE, CONNECTOR, LEAD, PERSONAL, SHELL

__all__ = [
    "content_words",
    "is_closing",
    "is_follow_up",
    "is_pronoun_question",
    "is_researchable",
    "key_words",
    "without_opening",
    "words",
]

FOLLOW_UP_WORDS = 4
"""A message without a connector is a follow-up only up to this length."""
FACT_ASK_WORDS = 7
PUBLIC_WORD_LETTERS = 4

_WORD = re.compile(r"[^\W_]+")
_CLOSING = re.compile(
    LEAD
    + r"(?:thanks?|thank you|thx|ty|cheers|ok|okay|okey|k|cool|nice|great|perfect|awesome|excellent|super|alright|all right"
    r"|got it|i see|good (?:night|to know)|gute nacht|goodbye|good-bye|bye|see (?:you|ya)|never ?mind|haha\w*|lol|wow"
    r"|danke\w*|vielen dank|besten dank|prima|toll|perfekt|verstanden|alles klar|passt|super|klasse|schön|egal|ciao|tschau"
    r"|tschüss?|tschö|servus|bis (?:später|bald|dann|morgen|gleich)|auf wiedersehen|schon gut|gut(?= |\W*$)|fine|well done)\b",
    re.IGNORECASE,
)
_COMMAND_WORDS = """
what which who whom whose when where why how is are was were am do does did can could will would should shall may has
have tell give show write make let explain find search look open list say translate please calculate wer wen wem
welche welcher welches welchen wann wo wohin woher warum wieso weshalb wie ist sind war waren kann kannst können
könntest soll sollte hat habe haben hast gibt wird schreib schreibe sag sage zeig zeige gib erzähl erzähle mach erklär
erkläre such suche finde nenn nenne übersetze übersetz rechne berechne what's who's whats whos where's how's wo's i
i'm i've i'd ich wir we
"""
_COMMANDS = frozenset(_COMMAND_WORDS.split())
"""A short message that begins with one of these stands on its own."""

_OPENING = re.compile(
    LEAD
    + r"(?:(?:hey|hi|hello|hallo|moin|servus|guten (?:morgen|tag|abend)|good (?:morning|afternoon|evening)|jarvis|there|du"
    r"|ok|okay|well|so|na|please|bitte|also|and|und|but|aber|then|dann|now|jetzt|oh|quick question|kurze frage|übrigens"
    r"|by the way|btw|(?:can|could|would|will) you(?: please| kindly)?|i(?: would|['’]d) like you to"
    r"|i want you to)[\s,:;!.–-]+){1,6}",
    re.IGNORECASE,
)
COURTESY_CHARACTERS = 80
_COURTESY = re.compile(
    r"(?:[\s,;–-]{1,3}(?:please|pls|plz|bitte(?: sch(?:ön|nell))?|jarvis|thanks in advance|danke im voraus)){1,3}"
    r"\s?(?P<mark>[.?!…]{0,3})\Z",
    re.IGNORECASE,
)
_FRAMED = re.compile(
    r"\?|"
    + LEAD
    + r"(?:what|which|who|whom|whose|when|where|why|how|is|are|does|did|wer|wen|wem|was|wann|wo|wohin|woher|warum"
    r"|wieso|weshalb|wie|welche[rsnm]?|ist|sind|gibt|seit wann|in which|in what|in welche\w*|um wie|zu welche\w*|erklär\w*"
    r"|explain|describe|define|compare|vergleiche?|beschreibe?|definiere?|tell (?:me|us)|what['’´]?s|who['’´]?s)\b",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    LEAD
    + r"(?:(?:hello|hi|hey|hiya|howdy|yo|hallo|moin|servus|na|good (?:morning|afternoon|evening)|guten (?:morgen|tag|abend)"
    r"|how are (?:you|things)|how['’]?s (?:it going|life)|what['’´]?s up|what['’]?s new|sup|wie geht(?:['’]?s| es)?|was geht"
    r"|was ist los|was gibt['’]?s neues|alles (?:klar|gut)|there|jarvis|du|dir|so|ab|denn|heute|today)\W*)+$",
    re.IGNORECASE,
)
_GENERIC_YOU = re.compile(
    r"\bhow (?:do|would|can|long (?:do|can)|often (?:do|should)|many \w+ (?:do|can)) you (?!feel\b|know\b|work\b|like\b|think\b"
    r"|do\b|remember\b|sleep\b|help\b|see\b|manage\b)\w+",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(
    r"\b(?:you|you['’](?:re|ve|ll|d)|your|yours|yourself|u|jarvis|du|dich|dir|dein\w*|euch|euer|eure\w*)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:my|mine|our|ours|mein\w*|unser\w*)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i['’](?:m|ve|ll|d)|me|we|we['’](?:re|ve|ll|d)|us|ich|mich|mir|wir|uns)\b", re.IGNORECASE
)
_WHY = re.compile(LEAD + r"(?:why|warum|wieso|weshalb)\b", re.IGNORECASE)
_CREATIVE = re.compile(
    LEAD + r"(?:write|compose|make up|invent|draw|schreibe?|dichte|verfasse?|erzähle?|reime?|erfinde?|male?)\b",
    re.IGNORECASE,
)
_HERE = re.compile(
    LEAD + r"(?:explain (?:(?:to )?(?:me|us) )?(?:why|how|what) (?:this|that|it|these|those)\b"
    r"|explain (?:this|that|it|yourself|again)\b|erkläre? (?:es|das|dies)\b"
    r"|erkläre? (?:mir|uns)\W+(?:(?:bitte|mal|doch|noch)\W+)*(?:das|dies|es|warum|wieso|wie|nochmals?)\b)",
    re.IGNORECASE,
)
_ASKED_NOUN = re.compile(
    LEAD
    + r"(?:(?:in|an|aus|bei|auf|von|mit|für|zu|seit) )?(?:welche[rsnm]?|wie ?viele?|was für (?:ein\w*)?)\s+[^\W\d_]+\s",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\b(?:is|was|ist|war) (?:it|es) (?:true|possible|legal|illegal|safe|dangerous|healthy|unhealthy|normal|ok|okay|bad|good"
    r"|allowed|necessary|better|wahr|möglich|legal|illegal|gefährlich|gesund|ungesund|normal|erlaubt|verboten|nötig|besser"
    r"|schlimm|stimmt)\b|\bdoes it (?:take|cost|mean (?:to|when|if))\b|\bis it called when\b|\bgibt es\b|\bdauert es\b"
    r"|\bare there\b|\bis there\b|\bheißt es, wenn\b|\bstimmt es\b",
    re.IGNORECASE,
)
_DEMONSTRATIVE = re.compile(
    r"\b(?:is|are|was|were|does|do|did|has|have|can|could|will|would|should|[’'´]?s|[’']re|ist|sind|war|waren|wird|hat|kann"
    r"|macht|heißt|bedeutet|soll|liegt|steht|gehört|whats|whos)\s+(?:it|that|this|these|those|es|dies|diese[rs]?(?=\W*$))\b",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"\b(?i:ist|sind|war|waren|wird|hat|heißt|bedeutet|macht|soll|kann|geht|kostet|liegt|steht|gehört)\s+(?i:das|die|der)"
    r"(?i:\s+(?:denn|eigentlich|so|genau|hier|da|noch|jetzt|nochmal|alles|bitte|gerade|überhaupt|gewesen))*\W*$|"
    + LEAD
    + r"(?i:(?:warum|wieso|weshalb|seit wann)\s+)?(?i:ist|war|sind|wird|kann|hat)\s+das\s+[a-zäöüß]+\W*$"
)
"""German "das" without the noun that would make it an article."""


_HER = re.compile(r"(?:\b(?i:ist|war|sind|waren|heißt|hieß|und)\s+|^\W*)[Ii]hr(?:\s+[a-zäöüß]+er)?\s+[A-ZÄÖÜ]\w+\W*$")
"""German "ihr" in front of what is hers; alone it speaks to several."""


def words(text: str) -> list[str]:
    """The runs of letters and digits, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def key_words(text: str) -> list[str]:
    """The words but those that only hold a sentence together."""
    return [word for word in words(text) if word not in FUNCTION_WORDS]


def content_words(text: str) -> list[str]:
    """The words that say what a message is about."""
    return [word for word in words(text) if word not in STOP_WORDS]


def without_opening(text: str) -> str:
    """The text without a greeting, a name or a courtesy in front; the text itself where that is all of it."""
    opening = _OPENING.match(text)
    rest = text[opening.end() :] if opening else text
    return rest if _WORD.search(rest) else text


def without_courtesy(text: str) -> str:
    """The text without "please" and the like at its end; the text itself where that is all of it."""
    closed = text.rstrip()
    end = _COURTESY.search(closed, max(0, len(closed) - COURTESY_CHARACTERS))
    rest = closed[: end.start()] + end["mark"] if end else text
    return rest if _WORD.search(rest) else text


def is_closing(text: str) -> bool:
    """Whether the message begins with a word that ends an exchange: thanks, ok, bye."""
    return _CLOSING.match(text) is not None


def is_follow_up(text: str) -> bool:
    """Whether the message goes on with what was asked before: by its first words, or by being short and no question."""
    if is_closing(text):
        return False
    if CONNECTOR.match(text):
        return True
    found = text.split()
    if not 0 < len(found) <= FOLLOW_UP_WORDS or not _WORD.search(text):
        return False
    return found[0].lower().replace("’", "'").strip('.,;:!?¿¡"()') not in _COMMANDS


def is_pronoun_question(text: str) -> bool:
    """Whether the message asks about someone or something that only an earlier message names."""
    core = SHELL.sub("", text, count=1)
    if _EXPLETIVE.search(core):
        return False
    if _DEMONSTRATIVE.search(core) or _ALONE.search(core) or _HER.search(core):
        return True
    pronoun = PERSONAL.search(core)
    if pronoun is None:
        return False
    anyone = pronoun[0].lower() in ("they", "them", "their")
    return not _has_name(core if anyone else core[: pronoun.start()])


def _has_name(text: str) -> bool:
    """Whether a word behind the first one is written like a name, and is not just what is asked for: welche Sprachen."""
    text = _ASKED_NOUN.sub("", text, count=1)
    return any(word[0].isupper() and len(word) > 1 for word in _WORD.findall(text)[1:])


def is_researchable(text: str) -> bool:
    """Whether the message asks for something public that could be looked up, and is no part of another exchange."""
    if is_closing(text) or _SMALL_TALK.match(text) or CONNECTOR.match(text) or _OWN.search(text):
        return False
    shell = SHELL.match(text)
    core = text[shell.end() :] if shell else text
    if (_SECOND_PERSON.search(core) and not _GENERIC_YOU.search(core)) or _CREATIVE.match(core) or _HERE.match(core):
        return False
    if is_pronoun_question(text):
        return False
    core = re.sub(r"^\W*(?:tell|erkläre?|explain)(?: to)? (?:me|us|mir|uns)\b", "tell", core, flags=re.IGNORECASE)
    if _FIRST_PERSON.search(core) and not _WHY.match(core):
        return False
    if all(word.isdigit() for word in content_words(core)):
        return False
    return bool(_FRAMED.search(text) or _FRAMED.search(core)) or core.startswith("tell") or _asks_informally(text, core)


def _asks_informally(text: str, core: str) -> bool:
    """Whether it asks for a fact without the form of a question: "know if adele has a wife"."""
    public = [word for word in content_words(core) if len(word) >= PUBLIC_WORD_LETTERS and not word.isdigit()]
    if ASKING.match(text):
        return bool(public)
    attribute = ATTRIBUTE.search(core)
    if attribute is None or len(words(core)) > FACT_ASK_WORDS:
        return False
    return any(word != attribute[0].lower() for word in public)
