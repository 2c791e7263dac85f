"""The place that a weather or clock question names, in German and English."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from jarvisbot.reading.places.vocabulary import (
    ADJECTIVES,
    ARTICLES,
    CUTS,
    EXONYMS,
    FILLERS,
    GENERIC,
    PERSONS,
    PREPOSITIONS,
    SECOND_HALVES,
    TRAILING,
)

__all__ = ["Place", "candidates", "place_asked", "places_asked"]

READ_CHARACTERS = 2_000
MOST_WORDS = 4
MOST_LEFT = 3
MOST_COMMAS = 2
"""A place may have so many, as Portland, Oregon, USA does, but not in front of an "and"."""
"""So many words may be left of a question without a preposition."""

_TOKEN = re.compile(
    r"https?://\S+|(?<!\w)(?:[^\W\d_]\.){2,}|[^\W_]+(?:[.'’\-][^\W_]+)*(?:\.(?=\s?[^\W\d_]))?['’]?|[,;:?!.()\n/]"
)
_WORD = re.compile(r"[^\W\d_]+(?:[.'’\-]+[^\W\d_]+)*\.?['’]?")
_ABBREVIATION = re.compile(r"(?:st|ste|sta|mt|ft|dr|bad|s|san|[a-z])\.", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen)\s+(.{2,60}?)\s+(?:and|und)\s+(.{2,60}?)(?:[?!.,;]|$)", re.IGNORECASE)
_CLAUSE = re.compile(
    r"(?:,|;|\?|!|\b(?:and|und|but|aber|then|dann))\s+(?:(?:and|und|also|then|dann)\s+)?"
    r"(?=(?:who|whose|what|which|when|where|why|how|is|are|do|does|did|can|could|should|will|would|tell|give|show|wer|wen|wem"
    r"|wessen|was|welche[rsnm]?|wann|wo|woher|wohin|warum|wieso|weshalb|wie|ist|sind|hat|haben|kann|kannst|soll|sollte|wird|muss"
    r"|gib|sag|zeig|erzähle?|erkläre?)\b)",
    re.IGNORECASE,
)
"""Where another question begins."""
_ENDS = frozenset(";:?!\n()")
_COMMA = frozenset(",")
_MARKS = _ENDS | frozenset(",.")


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A place as it was written: `display` for the reply, with its article; `query` for looking it up, without."""

    display: str
    query: str


def place_asked(message: str) -> Place | None:
    """The first place that a weather or clock question names, or None."""
    return next(iter(places_asked(message)), None)


def places_asked(message: str) -> tuple[Place, ...]:
    """Every place that the question names, in order: "in Rome and Naples", "between Berlin and Tokyo"."""
    text = message[:READ_CHARACTERS]
    between = _BETWEEN.search(text)
    if between:
        both = [_single(part) for part in between.groups()]
        if None not in both:
            return tuple(place for place in both if place is not None)
    clauses = [_tokens(clause) for clause in _CLAUSE.split(text)]
    named = next((places for clause in clauses if (places := _named(clause))), [])
    if not named and (place := _left_over(clauses[0])):
        named.append(place)
    return tuple(named)


def _named(tokens: Sequence[str]) -> list[Place]:
    """The places of one clause that a preposition leads in, and those joined to them."""
    found: list[Place] = []
    at = 0
    while at < len(tokens):
        word = tokens[at].lower()
        at += 1
        if word in PREPOSITIONS or (found and word in ("and", "und", ",")):
            if at < len(tokens) and tokens[at].lower() in PREPOSITIONS:
                continue
            place, after = _behind(tokens, at, loose=word not in ("in", "near", "around", "im"))
            if place is not None and word not in PREPOSITIONS and not _is_like(place, found[-1]):
                continue
            if place is not None:
                if place not in found:
                    found.append(place)
                at = after
    return found


def candidates(raw: str) -> tuple[str, ...]:
    """What a tool's argument may name, to be tried in order: the whole, what a preposition leads in, what is left without
    the words of time and subject; each German name with its English one behind it.
    """
    whole = " ".join(raw.split())
    tokens = _tokens(whole[:READ_CHARACTERS])
    tries = [whole]
    for at, token in enumerate(tokens):
        if token.lower() in PREPOSITIONS and at + 1 < len(tokens):
            tries.append(" ".join(tokens[at + 1 :]).replace(" ,", ",").strip(" ,;:?!.()"))
    tries += [place.query for place in places_asked(whole)]
    left = [token for token in tokens if not _is_filler(token) and token not in _MARKS]
    tries.append(" ".join(left))
    with_english = [name for each in tries for name in (each, EXONYMS.get(each.lower(), ""))]
    return tuple(dict.fromkeys(name for name in with_english if re.search(r"[^\W\d_]", name)))


def _is_like(place: Place, before: Place) -> bool:
    """Whether what an "and" joins to a place is a place too: written like it, and short."""
    return len(place.query.split()) <= 2 and place.query[0].isupper() == before.query[0].isupper()


def _single(part: str) -> Place | None:
    return _place(_cleared(_tokens(part)))


def _tokens(text: str) -> list[str]:
    """Words and marks; a dot belongs to its word only in an abbreviation, so that "Köln. Danke" is two sentences."""
    tokens = []
    for token in _TOKEN.findall(text):
        if token.endswith(".") and len(token) > 1 and not _ABBREVIATION.fullmatch(token) and "." not in token[:-1]:
            tokens += [token[:-1], "."]
        else:
            tokens.append(token)
    return tokens


def _behind(tokens: Sequence[str], begin: int, *, loose: bool) -> tuple[Place | None, int]:
    """The place that begins at the token, and where it ends. After a `loose` preposition a small word with an article is none."""
    taken: list[str] = []
    at = begin
    if at < len(tokens) and tokens[at].lower() in ("a", "an", "ein", "eine", "einen", "einem", "einer", "my", "our"):
        return None, begin
    while at < len(tokens):
        token = tokens[at]
        if token in _ENDS or token.lower() == "." or (taken and _cuts(tokens, at)):
            break
        if token in _COMMA:
            if not taken or at + 1 >= len(tokens) or not tokens[at + 1][0].isupper() or _is_filler(tokens[at + 1]):
                break
            if _is_list(tokens, at):
                break
            rest, after = _behind(tokens, at + 1, loose=loose)
            if (
                rest is None
                or len(rest.query.split()) > 2
                or (after < len(tokens) and tokens[after] in ("and", "und") and "," not in tokens[after:])
            ):
                break
            first = _place(_cleared(taken))
            if first is None or first.query in ARTICLES:
                break
            return Place(display=f"{first.display}, {rest.display}", query=f"{first.query}, {rest.query}"), after
        taken.append(token)
        at += 1
    cleared = _cleared(taken)
    if loose and cleared and cleared[0].lower() in ARTICLES and not any(word[0].isupper() for word in cleared[1:]):
        return None, begin
    return _place(cleared), at


def _is_list(tokens: Sequence[str], comma: int) -> bool:
    """Whether the comma parts places of a list, and no town from its country: "Rome, Lima, Oslo and Perth"."""
    rest = list(tokens[comma:])
    joint = next((at for at, token in enumerate(rest) if token.lower() in ("and", "und") or token in _ENDS), len(rest))
    commas = sum(token in _COMMA for token in rest[:joint])
    joined = joint + 1 < len(rest) and rest[joint] not in _ENDS and rest[joint + 1].lower() not in PREPOSITIONS
    return commas >= (MOST_COMMAS if joined else MOST_COMMAS + 1)


def _cuts(tokens: Sequence[str], at: int) -> bool:
    word = tokens[at].lower()
    if word in ("and", "und") and at + 1 < len(tokens) and tokens[at + 1].lower() in SECOND_HALVES:
        return False
    if word == "oder" and [token.lower() for token in tokens[max(at - 2, 0) : at]] == ["an", "der"]:
        return False
    return word in CUTS and not (tokens[at] in ("Is", "As") and tokens[at - 1].istitle())


def _cleared(words: Sequence[str]) -> list[str]:
    """The words without what is no part of a name at either end; an article in front stays."""
    words = list(words)
    while words and (_is_filler(words[-1]) or words[-1].lower() in TRAILING) and not _ends_a_name(words):
        words.pop()
    front: list[str] = []
    while words and (_is_filler(words[0]) or words[0].lower() in ARTICLES):
        front = [words[0]] if words[0].lower() in ARTICLES else []
        words.pop(0)
    return [*front, *words] if words else []


def _ends_a_name(words: Sequence[str]) -> bool:
    """Whether the last word, common elsewhere, belongs to the name: the Isle of Man, Frankfurt an der Oder."""
    if len(words) < 3:
        return False
    return (words[-2].lower(), words[-1]) == ("of", "Man") or [word.lower() for word in words[-3:]] == [
        "an",
        "der",
        "oder",
    ]


def _shortened(words: Sequence[str]) -> Sequence[str]:
    """A longer name without what tells it from its namesakes: Bad Homburg vor der Höhe, Las Palmas de Gran Canaria."""
    front = 1 if words and words[0].lower() in ARTICLES else 0
    if len(words) - front <= MOST_WORDS:
        return words
    at = next((at for at in range(front, len(words)) if words[at].islower()), 0)
    return words[:at] if at > front else words


def _place(words: Sequence[str]) -> Place | None:
    words = list(_shortened(words))
    if words and (possessive := re.fullmatch(r"(.+?)['’](?:s|S)?", words[-1])) and not _keeps_apostrophe(words):
        words[-1] = possessive[1]
    bare = words[1:] if words and words[0] in ARTICLES and len(words) > 1 else words
    if len(bare) == 1 and bare[0].lower() in GENERIC:
        return None
    if not 0 < len(bare) <= MOST_WORDS or not all(_WORD.fullmatch(word) for word in bare):
        return None
    if sum(letter.isalpha() for word in bare for letter in word) < 2:
        return None
    return Place(display=" ".join(words), query=" ".join(bare))


def _keeps_apostrophe(words: Sequence[str]) -> bool:
    """Whether the 's belongs to the name: St. John's, King's Lynn, Land's End."""
    return len(words) > 1 and words[0].lower().rstrip(".") in ("st", "saint", "sankt")


def _left_over(tokens: Sequence[str]) -> Place | None:
    """The words that are left of a question without a preposition: "Wetter Rostock", "Jakarta?", "how about Lisbon"."""
    if any(token.lower() in PERSONS for token in tokens):
        return None
    groups: list[list[str]] = [[]]
    for at, token in enumerate(tokens):
        lowered = token.lower()
        if token in _ENDS or token in _MARKS or _is_filler(token) or (lowered in PREPOSITIONS and not groups[-1]):
            groups.append([])
        elif lowered in ARTICLES and not groups[-1]:
            groups.append([token])
        elif lowered in TRAILING and not groups[-1]:
            continue
        elif at and not groups[-1] and tokens[at - 1].lower() in ("a", "an", "ein", "eine", "einen", "einem", "einer"):
            return None
        else:
            groups[-1].append(token)
    cleared = [group for words in groups if (group := _cleared(words))]
    if len(cleared) == 2 and "," in tokens:  # a town and its country
        town, country = (_place(group) for group in cleared)
        if town and country:
            return Place(display=f"{town.display}, {country.display}", query=f"{town.query}, {country.query}")
    if len(cleared) != 1 or len([word for word in cleared[0] if word.lower() not in ARTICLES]) > MOST_LEFT:
        return None
    if cleared[0][0].lower() in ARTICLES and not any(word[0].isupper() for word in cleared[0][1:]):
        return None
    return _place(cleared[0])


def _is_filler(word: str) -> bool:
    lowered = word.lower().replace("’", "'")
    return lowered in FILLERS or (lowered in ADJECTIVES and not word.istitle()) or any(map(str.isdigit, word))
