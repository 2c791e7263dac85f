"""The language a reply is written in: the chosen one, else the question's, else the talk's, else English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jarvisbot.types import Item, User

__all__ = ["marked_language", "marks", "reply_language"]

# Words that only one of the two languages has. "was", "war", "in", "so", "also", "die", "am", "im", "hi", "hey", "gut",
# "hat" stand in both.
_GERMAN_WORDS = """
ich du wir ihr sie mich dich mir dir uns euch er es der das den dem des ein eine einen einem einer eines und oder aber
nicht nichts kein keine ist sind bist bin seid habe haben hast habt wird werden wurde kann kannst können könntest soll
sollte muss darf wie wer wo wen wem wann warum wieso weshalb welche welcher welches welchen wieviel viel viele für mit
von vom zum zur bei nach über unter auf aus auch noch schon nur mal ans beim ob dass weil wenn dann denn sehr
alles klar etwas mehr diese dieser dieses bitte danke dankeschön hallo moin servus tach guten gute morgen abend nacht
ja nein doch gib sag zeig erzähl erzähle erklär erkläre schreib schreibe übersetze fasse berechne rechne stell heißt
heute gestern jetzt gerade mein meine dein deine unser geteilt durch hoch wurzel prozent wetter uhr uhrzeit geht gehts
läuft macht gibt kostet tschüss tschüs vielen dank hilfe hilf helfen suche such lies merk merke vergiss erinnere regnet
notiere schick schicke setz ruf starte öffne schalte spiele weck wecke stelle
januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag
schneit kalt jemand niemand keiner seit bis ohne gegen zwischen während
"""
_GERMAN = frozenset(_GERMAN_WORDS.split())
_ENGLISH_WORDS = """
the a is are were be been does did have has had would can could should must i you she it we they him us them my your
its his our their and or but not no of to for with from about into over what who whom whose which when where why how
please thanks thank thx hello yes tell give show write make say calculate translate explain joke this that these those
there here today tomorrow tonight yesterday now times divided percent square root weather news good morning evening
afternoon night goodbye cheers if then than some any more many much very because don doesn didn isn let need want know
january february march june july october december monday tuesday wednesday thursday friday saturday sunday
like help remind remember forget find search open
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_GERMAN_TOPICS_WORDS = """
minuten stunden sekunden tage tagen woche wochen monate monaten jahre jahren meile meilen seemeilen std tasse tassen
esslöffel teelöffel el tl pfund unzen tonnen hektar quadratmeter quadratmetern kubikmeter quadratkilometer lichtjahr
lichtjahre lichtjahren knoten grad zoll stundenkilometer zentner quadrat durchschnitt summe hälfte stimmt richtig gleich
immer dort zwei drei vier fünf sechs sieben acht neun zehn zwanzig hundert tausend stadt straße zeit zeitzone
zeitverschiebung zeitunterschied ortszeit datum tag monat jahr wochentag kalenderwoche schaltjahr ort
termin witz gedicht frage antwort bedeutet liegt lebt wohnt geboren gestorben verheiratet einwohner
hauptstadt
"""
_GERMAN_TOPICS = frozenset(_GERMAN_TOPICS_WORDS.split())
_ENGLISH_TOPICS_WORDS = """
time date day week month year hour hours minutes seconds days weeks months years miles feet foot inches cups ounces
pounds gallons city country age height born died married wife husband population price costs old tall convert two three
four five six seven eight nine ten twenty hundred thousand street question answer mean means latest current forecast
president mayor capital
"""
_ENGLISH_TOPICS = frozenset(_ENGLISH_TOPICS_WORDS.split())
"""Words of what is talked about: they decide only where no word of the first kind does, as people borrow them."""
_IN_BOTH = frozenset({"was", "die", "war", "hat", "im", "am", "in"})
_GERMAN_LETTERS = re.compile(r"[äöüß]", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_ELSEWHERE_TOO = frozenset({"es", "du", "des", "den", "er", "man", "mal", "mir", "mit"})
"""German words that are words of a third language as well."""
_FOREIGN = re.compile(r"[¿¡]|(?<!\w)[a-zß]*[áàâãåæçčéèêëíìîïñóòôõøőřšúùûűýžłğışœ]\w*")
_UNIT_SYMBOLS = frozenset({"gib"})
"""Symbols of units that are words as well."""
_BEFORE_A_UNIT = re.compile(r"(?:\d|\d\s?[^\W\d_]{1,12}\s+(?:in|to|into|as|nach|zu)|=|->|→)\s*$")
_MOST_INITIALS = 4
_ALIEN = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\b[a-z][a-z0-9+.-]{0,19}://\S+|(?<!\w)[\"„“»«‚‘][^\"“”„»«‘’\n]{2,}[\"“”»«‘’](?!\w)",
    re.IGNORECASE | re.DOTALL,
)
READ_LIMIT = 2_000


def marked_language(text: str) -> str | None:
    """ "de" or "en" by the words and letters that only that language has, or None where neither or both weigh the same.

    Only the first 2,000 characters are read. Code, addresses and quotations count only where nothing else is marked: who
    asks for the meaning of a German sentence in English wants to read English.
    """
    part = text[:READ_LIMIT]
    return _heavier(_ALIEN.sub(" ", part)) or _heavier(part)


def _heavier(text: str) -> str | None:
    words = _spoken(text)
    german = sum(word.lower() in _GERMAN or (word[0].islower() and _has_german_letter(word)) for word in words)
    english = sum(word.lower() in _ENGLISH for word in words)
    if _FOREIGN.search(text) and {word.lower() for word in words} & (_GERMAN | _ENGLISH) <= _ELSEWHERE_TOO:
        return None
    if german == english:
        german += sum(word.lower() in _GERMAN_TOPICS for word in words)
        english += sum(word.lower() in _ENGLISH_TOPICS for word in words)
    if german == english == 0 and any(map(_has_german_letter, words)):
        return "de"
    if german == english:
        return None
    return "de" if german > english else "en"


def _spoken(text: str) -> list[str]:
    """The words of the text but symbols of units and initials, which are no words: 2 TB in GiB, 14:00 IST, jobs in IT."""
    shouts = not any(letter.islower() for letter in text)
    words = []
    for found in _WORD.finditer(text):
        word, before = found[0], text[: found.start()][-24:]
        if word.isupper() and 1 < len(word) <= _MOST_INITIALS and (not shouts or re.search(r"\d\s?$", before)):
            continue
        if not word.isupper() and any(letter.isupper() for letter in word[1:]):
            continue
        if word.lower() in _UNIT_SYMBOLS and _BEFORE_A_UNIT.search(before):
            continue
        words.append(word)
    return words


def marks(text: str) -> tuple[int, int, int]:
    """How many words of the text only German has, an umlaut or ß counting one, how many only English has, how many both.

    Only the first 2,000 characters are read; code, addresses and quotations do not count.
    """
    words = _spoken(_ALIEN.sub(" ", text[:READ_LIMIT]))
    lowered = [word.lower() for word in words]
    german = sum(word in _GERMAN for word in lowered) + any(map(_has_german_letter, words))
    return german, sum(word in _ENGLISH for word in lowered), sum(word in _IN_BOTH for word in lowered)


def _has_german_letter(word: str) -> bool:
    return _GERMAN_LETTERS.search(word) is not None


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
