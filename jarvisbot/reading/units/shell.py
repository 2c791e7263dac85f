"""What surrounds a conversion in a message: the shell of a question and courtesy; and numbers that are no quantities."""

from __future__ import annotations

import re

__all__ = ["is_only_shell", "masked"]

_NOT_QUANTITIES = re.compile(
    r"""
      (?<![a-z0-9+.-])[a-z][a-z0-9+.-]*+://\S+ | \bwww\.\S+            # links
    | (?<![\w.+-])[\w.+-]++@[\w-]+\.[\w.-]+                            # addresses
    | \b\d{4}-\d{1,2}-\d{1,2}\b                                        # 2024-05-11
    | \b\d{1,2}\.\s?\d{1,2}\.\s?(?:19|20)\d\d\b                        # 11.05.2024
    | \b(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?\b                      # 10:30
    | \b\d+(?:st|nd|rd|th)\b(?=\s+[^\W\d_]{3})                         # 2nd place
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PHRASES = re.compile(
    r"""
      ^\W*(?:hey|hi|hello|hallo|moin|servus|guten\ (?:tag|morgen|abend)|good\ (?:morning|afternoon|evening))(?:[ ,]+jarvis)?\b
    | ^\W*(?:and|und|or|oder|also|so|now|then|ok(?:ay)?|well|auch|dann|jetzt|nun)\b
    | @[\w.-]+
    | \bhow\ (?:much|many|long|tall|high|heavy|far|fast|big|large|hot|cold|deep|wide|warm)\b
      (?!\s+(?:does|do|did)\s+(?!it\b|that\b))
    | \bwie\ ?(?:viele?|lange?|groß|hoch|schwer|weit|schnell|tief|breit|warm|kalt|heiß)\b
    | \b(?:do\ you\ know|any\ idea|i\ (?:need|want|would\ like|['’]d\ like)\ to\ know|ich\ (?:möchte|will|muss)\ wissen
       |ich\ würde\ gerne?\ wissen
       |weißt\ du|can|could|would|will|kannst|könntest|würdest)\b(?:\ (?:you|du|we|mir|me|i))*
    | \b(?:for|für)\ (?:me|us|mich|uns)\b | \bthank(?:s|\ you)\b(?:\ (?:a\ lot|so\ much|very\ much|in\ advance))?
    | \bvielen\ dank\b | \bdanke(?:\ (?:dir|schön|sehr))*\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WORDS_TEXT = """
what what's what’s whats is are does do make makes equal equals come comes to be would the a an answer result value total of
calculate compute work out figure find conversion convert converts converted converting express tell me give us show please pls
plz help get let's lets exactly precisely roughly approximately about approx quickly quick again it that then for thanks thx ta
cheers hey hi hello jarvis bot ok okay so now just right there in into as altogether number there have has weigh weighs
measure measures equivalent if i you we my we'd it's say if was ist sind ergibt ergeben macht machen gibt wäre wären das die
der den dem es ergebnis wert von aus rechne rechnen rechnest umrechnen umgerechnet umrechnung umzurechnen wandle wandel um
umwandeln konvertiere konvertieren sag sage nenn nenne mir uns mal bitte bitteschön doch denn eigentlich genau ungefähr etwa
circa ca schnell eben kurz gerade noch einmal nochmal dann danke dir hallo moin gleich insgesamt ob wissen wiegt wiegen misst
hat haben entspricht entsprechen man ich kannst du also so in ja nein stimmt eh na
"""
_WORDS = frozenset(_WORDS_TEXT.split())


def masked(message: str) -> str:
    """The message with links, dates, times and the like blotted out; no character moves."""
    return _NOT_QUANTITIES.sub(lambda found: "\0" * len(found[0]), message)


def is_only_shell(before: str, after: str) -> bool:
    """Whether nothing but the shell of a question, courtesy and punctuation surrounds a conversion."""
    left = " ".join(_PHRASES.sub(" ", part) for part in (before, after))
    if re.search(r"[\d\0]", left) or re.search(
        r"\b(?:and|und|or|oder|why|warum|how|wie|who|wer|when|wann|where|wo)\b", left, re.IGNORECASE
    ):
        return False
    return all(word in _WORDS for word in re.findall(r"[^\W_](?:[\w'’-]*\w)?", left.lower()))
