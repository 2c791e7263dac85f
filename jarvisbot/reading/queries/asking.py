"""What is left of a question whose form does not matter: the name and what is asked about it."""

from __future__ import annotations

import re

from jarvisbot.reading.queries.trimming import instructed, one_line, trimmed
from jarvisbot.reading.questions import content_words
from jarvisbot.reading.wording import CONNECTOR

__all__ = ["attribute", "fact_ask", "is_english", "pronoun_focus"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ENGLISH = _set("""
    the is are does did do was has have had been if whether that who whom what where when why how which he she his her him they
    their them it its of to know no and about with for from at by on you your ever there can could will would
    """)
_GERMAN = _set("""
    der das den dem ein eine einen einem einer ist sind hat haben hatte waren wird wurde wurden ob dass wer wen wem wann wo woher
    wie warum wieso weshalb welche welcher welches er sie sein seine seinen ihr ihre ihren ihn ihm und von mit für weißt weisst
    du sag mal stimmt es nicht noch kann seit viele alt groß
    """)
_ARTICLES = _set("the der die das den dem des")
_SOME = _set("a an any some ein eine einen einem einer eines ne nen")
_VERBS = _set("""
    is are was were be been being am do does did has have had got isn't isnt aren't wasn't doesn't doesnt didn't hasn't haven't 's
    ist sind war waren bin bist wird werden wurde wurden worden hat haben hatte hatten habe hätte wäre
    """)
_MODALS = _set("can could will would should may might kann konnte könnte soll sollte würde")
_ASKED = _set("who whom whose what what's whats who's whos wer wen wem was if whether ob dass")
_JOINED = re.compile(r"^(where|when|why|how|wo|wann)['’](?:s|d|re|ll)$", re.IGNORECASE)
"""A word that asks with its verb: where's, when'd."""
_PRONOUNS = _set("""
    he she him his her hers they them their theirs it its this that these those he's she's they're it's that's he’s she’s it’s
    er ihn ihm sein seine seinen seiner seinem seines sie ihr ihre ihren ihrer ihrem ihres ihnen es
    das der die den dem dies diese dieser dieses
    """)
_PARTICLES = _set("""
    actually really please btw then now though so too also anyway bitte denn eigentlich nun mal jetzt dann wohl überhaupt auch
    eben nochmal gerade momentan currently
    """)
_AS_ENGLISH = _set("die war hat des den am")
"""Small words of German that are words of their own in English: when did the queen die."""
_AS_GERMAN = _set("her so am an also do")
"""And the other way round: wo kommt er her."""
_EITHER = _set("die war hat do am")
_LINKS = _set("of von van de da in im zu zur zum an am auf mit with for für from aus bei by to at on über about nach")
_WEAK = _set("do done doing mean macht machen tut tun gemacht getan heißt heißen hieß bedeutet")
"""Verbs that say nothing without the word that asks."""
_CALLED = re.compile(
    r"^wie (?:(?:heißt|hieß|heißen) (?=\S)|(?:ist|war|lautet) (?=(?:sein|ihr|der name|die)\w*\b))|(?<=\S) called$",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’´`]s$")
_EDGES = "?!.,;:…()[]¿¡"


def fact_ask(message: str) -> str:
    """The name and the attribute of an informal ask, in the order of the message: "sag mal ob scholz verheiratet ist".

    Never empty where the message is not.
    """
    core = _core(message)
    kept = _kept(
        _CALLED.sub("", core), dropped=_VERBS | _ASKED | _PARTICLES | frozenset(("where", "when", "wo", "wann"))
    )
    named = [_POSSESSIVE.sub("", word) if number + 1 < len(kept) else word for number, word in enumerate(kept)]
    return " ".join(named) if content_words(" ".join(named)) else core


def pronoun_focus(message: str) -> str:
    """What is asked about someone named earlier, without the pronoun: "how tall is he?" asks "how tall".

    Never empty where the message is not.
    """
    return attribute(message) or _core(message)


def attribute(message: str) -> str:
    """What `pronoun_focus` finds; empty where the message asks nothing but who it is."""
    core = _core(message, whole=False)
    dropped = _VERBS | _MODALS | _PRONOUNS | _PARTICLES
    left = _CALLED.sub("", " ".join(_kept(_CALLED.sub("", core), dropped=dropped | _ASKED)))
    if left.lower() in _WEAK or left.lower().split(" ")[0] in _WEAK - {"do"}:
        left = " ".join(_kept(core, dropped=dropped if is_english(core) else dropped - {"was"}))
    return left


def is_english(text: str) -> bool | None:
    """Whether its small words are English; None where neither language has more of them."""
    said = [word.strip(_EDGES).lower() for word in text.split()]
    score = sum(word in _ENGLISH for word in said) - sum(word in _GERMAN for word in said)
    return None if score == 0 else score > 0


def _core(message: str, *, whole: bool = True) -> str:
    bare = trimmed(one_line(message))
    core = trimmed(instructed(bare, whole=whole))
    going_on = CONNECTOR.match(core)
    rest = trimmed(core[going_on.end() :].lstrip(" ,")) if going_on else core
    return trimmed(instructed(rest)) if going_on and rest else core


def _kept(core: str, *, dropped: frozenset[str]) -> list[str]:
    english = is_english(core)
    strange = _EITHER if english is None else _AS_ENGLISH if english else _AS_GERMAN
    tokens = [_JOINED.sub(r"\1", token) for token in core.split()]
    shouted = core.isupper()
    kept: list[str] = []
    before = ""
    fresh = True  # nothing was kept since the last word that was dropped
    for number, token in enumerate(tokens):
        said = token.strip(_EDGES)
        word = said.lower().replace("’", "'")
        last = number + 1 == len(tokens)
        is_name = number > 0 and said[:1].isupper() and not shouted and word not in ("sie", "ihr", "ihre")
        if not said or (is_name and said not in ("I",)):
            gone = not said
        elif word in strange:
            gone = False
        elif word in _SOME:
            gone = not last and before not in _LINKS
        elif word in _ARTICLES and not last:
            gone = fresh and before not in _LINKS
        else:
            gone = word in dropped and not (last and word in ("do", "die"))
        if gone and word in _ASKED and kept and before in _LINKS:
            kept.pop()  # with whom, mit wem
        if not gone:
            kept.append(token.strip("?!,;:…()[]¿¡") if not token.endswith(".") or last else token.strip("?!,;:…"))
        fresh = gone
        before = word
    return kept
