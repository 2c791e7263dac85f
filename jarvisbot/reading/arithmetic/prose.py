"""What looks like a sum and is none: dates, links, versions, phone numbers, times, idioms; and the shell of a question."""

from __future__ import annotations

import functools
import re

__all__ = ["is_asked_for", "is_only_shell", "masked", "names_a_number", "names_several_moneys"]

_NOT_SUMS = r"""
      (?<![a-z0-9+.-])[a-z][a-z0-9+.-]*+://\S+ | \bwww\.\S+                           # links
    | (?<![\w.+-])[\w.+-]++@[\w-]+\.[\w.-]+                                           # addresses
    | (?<![\w.-])(?=[\w.-]*\.[a-z]{2,}/)[\w.-]++/\S*                                  # example.com/2024/05
    | (?<![\w/])(?:~|\.{1,2})?/[a-z_][\w.-]*(?:/[\w.-]+)*                             # /srv/2024/05
    | (?<![\w.-])[a-z_][\w.-]*+(?:/[\w.-]++){2,}                                                 # notes/2024/05
    | \b\d{4}-\d{1,2}-\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:?\d{2})?)? # 2024-05-11
    | \b(?:19|20)\d\d[/.]\d{1,2}[/.]\d{1,2}\b                                         # 2024/05/11
    | \b\d{1,2}\.\s?\d{1,2}\.\s?(?:19|20)\d\d\b | \b\d{1,2}\.\d{1,2}\.(?:\d\d\b)?(?![\d,]) # 11.05.2024
    | (?<![\d/])\d{1,2}/\d{1,2}/(?:19|20)?\d\d\b(?!\s*[-+*/=]\s*\d)                   # 11/05/2024
    | \b\d{1,2}-\d{1,2}-(?:19|20)\d\d\b                                               # 11-05-2024
    | \b(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?\b                                     # 10:30
    | (?<![\d.,])(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?\b(?![.,]\d)                     # 192.168.1.1/24
    | \b(?!\d{1,3}(?:\.\d{3})+(?!\.?\d))\d+(?:\.\d+){2,}\b                            # 1.2.3
    | \b97[89]-[\d-]{9,}\b | \b\d{3}-\d{3}-\d{4}\b | \b\d{3}-\d{2}-\d{4}\b            # books, phones
    | (?<![\w)])\+\d{1,3}[ -]?\(?\d[\d ()/-]{5,}\d | \b0\d{2,5}\s?[-/]\s?\d{3,}\b     # +49 170 1234567, 030/123456
    | (?<!\S)(?:24/7|9/11|50/50)\b(?!\s*[-+*/×÷=^])                                    # idioms
    | \b\d+(?:st|nd|rd|th)\b(?!\ power) | \#\d+
    """


@functools.cache
def _not_sums() -> re.Pattern[str]:
    return re.compile(_NOT_SUMS, re.IGNORECASE | re.VERBOSE)


_NUMBER_WORDS_TEXT = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million half null ein eins eine zwei
drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn
zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend
"""
_NUMBER_WORDS = frozenset(_NUMBER_WORDS_TEXT.split())

_ASKING = (
    r"what(?:'s|’s|s| is| are| does| would be| do you get for)|how much (?:is|are|does|would be)"
    r"|(?:was|wie ?viel) (?:ist|sind|ergibt|ergeben|macht|gibt|kostet|kosten|wäre|wären)"
    r"|(?:be)?rechne(?:t|n)?(?: mir| uns)?(?: mal| bitte)*(?: aus)?|calculate|compute|work out|solve|evaluate|find"
    r"|(?:result|value|answer|sum|difference|product|quotient)(?: of| to)?|(?:ergebnis|wert|summe|produkt)(?: von| aus)?"
    r"|löse|tell me|sag mir|equals?|sum|aufgabe"
)
_ASKED = re.compile(rf"(?:^|[\s(,;])(?:{_ASKING})\s*:?\s*$", re.IGNORECASE)

_ASKED_BEHIND = re.compile(
    r"^\s*(?:is|are|equals?|makes?|ist|sind|ergibt|macht|gibt)\s+(?:what|how much|was|wie ?viel)\W*$", re.IGNORECASE
)
_INTERROGATIVE = re.compile(r"\b(?:and|und|what\S*|was|how much|wie ?viel|then|dann)\b", re.IGNORECASE)
_SHELL_PHRASES = re.compile(
    r"""
      ^\W*(?:(?:and|und|also|so|now|then|plus|ok(?:ay)?|well|auch|dann|jetzt|nun|thanks|thank\ you|danke|great|super|cool)
       \b\W*)+
    | ^\W*(?:hey|hi|hello|hallo|moin|servus|guten\ (?:tag|morgen|abend)|good\ (?:morning|evening))(?:[ ,]+\w+)?\s*[,!.:]
    | @[\w.-]+
    | \bhow\ much\b | \bwie\ ?viel\b
    | \b(?:do\ you\ know|any\ idea|i\ (?:need|want|would\ like|'d\ like)\ to\ know|ich\ (?:möchte|will|muss)\ wissen
       |weißt\ du|can|could|would|will|kannst|könntest|würdest)\b(?:\ (?:you|du|we|mir|me))*
    | \b(?:for|für)\ (?:me|us|mich|uns)\b | \bthank(?:s|\ you)\b(?:\ (?:a\ lot|so\ much|in\ advance))? | \bvielen\ dank\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SHELL_WORDS_TEXT = """
what what's what’s whats is are does make makes equal equals come comes to be would the a answer result value total of
calculate compute work out solve evaluate find calculation sum equation expression tell me give us show please pls plz
help do get if when take let's lets let exactly precisely roughly approximately about quickly quick again it that then
for thanks thx ta cheers hey hi hello jarvis bot ok okay so now just right there in altogether number was ist sind
ergibt ergeben macht machen gibt kostet kosten wäre wären das die der den dem ergebnis resultat wert lösung summe von aus rechne
berechne rechnen berechnen ausrechnen rechnest löse lösen sag sage nenn nenne mir uns mal bitte doch denn eigentlich
genau ungefähr etwa circa schnell eben kurz gerade noch einmal nochmal es dann danke dir hallo moin aufgabe rechnung
gleich insgesamt zusammen ob wissen eur euro euros usd dollar dollars cent cents pound pounds gbp chf you we
"""
_SHELL_WORDS = frozenset(_SHELL_WORDS_TEXT.split())


def masked(message: str) -> str:
    """The message with everything that only looks like a sum blotted out; no character moves."""
    return _not_sums().sub(lambda found: "\0" * len(found[0]), message)


def names_a_number(word: str) -> bool:
    """Whether a word stands for an operand: "two", "x", "2x"."""
    return len(word) == 1 or word.lower() in _NUMBER_WORDS or (word[0].isdigit() and not word.isdigit())


_MONEYS = (
    r"€|\beuros?\b|\beur\b",
    r"\$|\b(?:us-?)?dollars?\b|\busd\b",
    r"£|\bpfund\b|\bpounds?\b|\bgbp\b|\bquid\b",
    r"¥|\byen\b|\bjpy\b",
    r"\bchf\b|\bfranken\b|\bfrancs?\b",
    r"\bkronen?\b|\bkron(?:a|or|er)\b",
    r"\bzłoty\b|\bzloty\b|\bpln\b",
    r"\brubel\b|\brubles?\b|\brupees?\b|\brupien?\b",
    r"\byuan\b|\bcny\b",
)


@functools.cache
def _moneys() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _MONEYS)


def names_several_moneys(text: str) -> bool:
    """Whether the text speaks of more than one currency: 5 dollars plus 3 euros are no 8, and 5 dollars in euros no 5."""
    return sum(money.search(text) is not None for money in _moneys()) > 1


def is_asked_for(before: str) -> bool:
    """Whether the text right before an expression asks for its value."""
    return _ASKED.search(before) is not None


def is_only_shell(before: str, after: str) -> bool:
    """Whether nothing but the shell of a question, courtesy and punctuation surrounds an expression."""
    after = _ASKED_BEHIND.sub("", after)
    if _INTERROGATIVE.search(after):
        return False
    left = " ".join(_SHELL_PHRASES.sub(" ", part) for part in (before, after))
    if re.search(r"\d", left):
        return False
    return all(word in _SHELL_WORDS for word in re.findall(r"[^\W_](?:[\w'’-]*\w)?", left.lower()))
