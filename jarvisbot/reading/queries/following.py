"""A message that needs the talk before it, as a query that needs nothing."""

from __future__ import annotations

import re

from jarvisbot.reading.queries.asking import attribute, fact_ask
from jarvisbot.reading.queries.focusing import focus
from jarvisbot.reading.queries.trimming import (
    QUERY_CHARACTERS,
    QUESTION_START,
    has_word,
    instructed,
    one_line,
    trimmed,
    uncourteous,
)
from jarvisbot.reading.questions import content_words, is_closing, is_follow_up, is_pronoun_question
from jarvisbot.reading.wording import ASKING, ATTRIBUTE, CONNECTOR, PERSONAL

__all__ = ["follow_up", "lookup_query"]

ELLIPTIC_WORDS = 3
"""A question of so few words may leave out whom it is about: "how old?", "seit wann?"."""
PLACE_WORDS = 5
ROUNDS = 4
ASK_WORDS = 7

_LEADING = re.compile(
    r"^(?:and|und|but|aber|or|oder|auch|also|plus|then|dann|so|oh|ah|hm+|äh|ok|okay|well|na|actually|sorry|wait|moment|yes|ja|yeah|yep|genau|nochmal"
    r"|no(?! of\b)|nein|nope|nee?|quatsch|falsch|wrong|nicht doch|i (?:meant?|was thinking of)|ich (?:mein(?:e|te)?|dachte an)"
    r"|(?:und )?(?:was|wie) (?:ist|wäre|war) (?:es |das )?(?=mit|in|bei|für)(?:mit\b)?|wie sieht['’]?s? (?:es |das )?"
    r"(?=mit|in|bei|für)(?:mit\b)?|was ist mit|(?:what|how) about|what if it(?:['’]s| is)"
    r"|(?:the )?same(?: (?:question|thing))? (?=for|in)"
    r"|(?:das ?)?(?:gleiche|selbe) (?=für|in)|instead|stattdessen"
    r"|sondern|only|nur|now|jetzt|rather|lieber|besser)\b[\s,.:;!?–-]*",
    re.IGNORECASE,
)
_CLOSED = re.compile(
    r"^(?:ok|okay|cool|great|nice|thanks|thank you|thx|danke|super|alles klar|verstanden|gut|got it|i see)\b[\s,.!-]*"
    r"(?=(?:and|und|aber|but|what about|how about|was ist mit)\b)",
    re.IGNORECASE,
)
"""Thanks before the next follow-up end nothing."""
_NOT_BUT = re.compile(r"^(?:not|nicht)\b[^,]{1,60}(?:,\s*|\s(?=sondern\b|but\b))(?:sondern\b|but\b)?\s*", re.IGNORECASE)
_TRAILING = re.compile(
    r"[\s,]+(?:too|as well|instead|then|again|aus|auch|dann|denn|eigentlich|stattdessen|though|i mean|i meant|meine? ich"
    r"|meinte ich|now|jetzt|please|bitte|sorry)$",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"(?:(?:(?:the|that)(?: one)?|those|these|der|die|das|den|dem|jener?) )?"
    r"(?P<preposition>in|of|at|for|from|near|to|on|within|inside|von|vom|im|ins|für|aus|bei|nach|zu|zum|zur|auf|am|an|um)"
    r"(?: (?:der|die|das|dem|den|the|case of))?\s+(?P<place>\S.*)$",
    re.IGNORECASE,
)
_ARTICLE_PLACE = re.compile(
    r"(?:die (?:schweiz|türkei|ukraine|slowakei|mongolei|tschechei|niederlande|usa|vereinigten .*|philippinen|malediven"
    r"|seychellen|bahamas|eu|ddr|schweizer)|der (?:iran|irak|sudan|kongo|jemen|libanon|vatikan|tschad|niger|senegal|südsudan"
    r"|oman)"
    r"|the (?:netherlands|united .*|us|usa|u\.s\.?|uk|u\.k\.?|eu|philippines|maldives|seychelles|bahamas|gambia|congo|vatican"
    r"|emirates|czech republic|dominican republic|ivory coast|hague))$",
    re.IGNORECASE,
)
"""Countries whose names have an article."""
_LONG_PLACE = re.compile(
    r"(?:new|san|santa|santo|são|sao|los|las|saint|st|st\.|sankt|south|north|west|east|central|united|bad|rio|sri|costa|el|hong"
    r"|kuala|buenos|cape|den|puerto|port|tel|abu|addis|great|saudi|ivory|sierra|burkina|papua|trinidad|bosnia|bosnien|antigua|czech"
    r"|dominican|nord|süd|ost|groß|neu|neue|la|le|mexico|ho|phnom|salt|baden|frankfurt|stratford|newcastle|upper|lower|ober"
    r"|unter|vatican|washington|kansas|quebec|panama|guatemala|kuwait|ulan|wiener|isle|marshall|faroe|solomon)(?=[\s-])",
    re.IGNORECASE,
)
"""First words of places whose names have more than one."""
_TIME = re.compile(
    r"\d|\b(?:before|davor|danach|afterwards|today|tomorrow|yesterday|tonight|now|after|earlier|later|last|next|this|heute|morgen|gestern|früher|später"
    r"|damals|jetzt|letzte[rsnm]?|nächste[rsnm]?|januar|february|februar|january|march|märz|april|may|mai|june|juni|july|juli"
    r"|august|september|october|oktober|november|december|dezember|winter|summer|sommer|spring|frühling|autumn|herbst|fall"
    r"|monday|montag|tuesday|dienstag|wednesday|mittwoch|thursday|donnerstag|friday|freitag|saturday|samstag|sunday|sonntag"
    r"|weekend|wochenende|week|woche|month|monat|year|jahr|century|jahrhundert|euros?|dollars?|general|total|allgemeinen"
    r"|english|deutsch|german|englisch|average|durchschnitt)\b",
    re.IGNORECASE,
)
_ASPECT = re.compile(
    r"\b(?:population|inhabitants|capital|area|size|language|currency|flag|height|weight|length|depth|age|price|cost|salary|name"
    r"|job|profession|parents?|father|mother|brothers?|sisters?|siblings|sons?|daughters?|family|successor|predecessor|einwohner\w*"
    r"|bevölkerung|hauptstadt|fläche|größe|sprache|währung|flagge|höhe|gewicht|länge|tiefe|preis|kosten|gehalt|name|beruf|eltern"
    r"|vater|mutter|bruder|schwester|geschwister|sohn|tochter|familie|nachfolger\w*|vorgänger\w*)\b|"
    + ATTRIBUTE.pattern,
    re.IGNORECASE,
)
"""What can be asked about any subject, and is no subject itself."""
_MEASURE = re.compile(
    r"(?:(?:how|wie) (?:old|tall|big|long|far|high|deep|heavy|wide|rich|large|much|many|often|expensive|fast|alt|groß|gross|lang"
    r"|weit|hoch|tief|schwer|breit|reich|viel|viele|oft|teuer|schnell)|(?:since |until )?when|where|why|(?:seit |bis )?wann|wo"
    r"|woher|warum|wieso|how|wie|with whom|mit wem|(?:where|when|wo|wann) (?:born|died|geboren|gestorben)"
    r"|(?:how|wie) (?:old|alt|long|lang|lange) (?:exactly|genau|denn))$",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r" (?P<link>of|in|von|vom|im|aus|für|for|from|at|near|der|des|hat|ist|has|is)"
    r"(?: (?P<article>the|der|die|das|dem|den))? (?=(?P<place>\S.*)$)",
    re.IGNORECASE,
)
_LINKS = "of the and der die das den und von de la am an upon d' del du le"
_PLACE_LINKS = frozenset(_LINKS.split())
_OWNER = re.compile(r"^(?P<owner>[^\W\d_][\w .-]{0,40})(?P<mark>['’]s?) (?P<office>\S.*)$")
_TOWN_AND_STATE = re.compile(r"[A-ZÄÖÜ][\w.-]*(?: [A-ZÄÖÜ][\w.-]*)?, [A-ZÄÖÜ][\w.-]+$")
_KIND = re.compile(r"(?:the (?P<adjective>[\w-]+) one|(?:der|die|das) (?P<adjektiv>[a-zäöüß]+en?))$")
"""The same of another kind: the French one."""
_OF_A_THING = re.compile(
    r"(?:preis|kosten|price|cost|anzahl|number|bedeutung|meaning|rezept|recipe|geschichte|history|erfinder\w*|inventor|autor\w*"
    r"|author)\b",
    re.IGNORECASE,
)
"""What has a thing behind its "of", so that "in Rome" is no other such thing."""
_LOCATED = frozenset(("in", "im", "at", "aus", "bei", "near", "within", "inside"))
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_YEAR_ALONE = re.compile(r"(?:(?:in|im jahre?|the year|year) )*(?P<year>(?:19|20)\d\d)", re.IGNORECASE)
"""Another year takes the place of the one in the subject."""
_HER = re.compile(r"\bihr\b", re.IGNORECASE)
_THERE = re.compile(r"(?P<asked>.*\S) (?:there|dort|da)$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?|der|die|das|den|dem|eine[nmr]?|ein) (?=\S)", re.IGNORECASE)


def lookup_query(message: str, *, subject: str | None = None, person: str | None = None) -> str:
    """What to look up for the message: the one entry to the readings of this package.

    A question with a pronoun asks about `person`, who was last spoken of, else about `subject`. An informal ask becomes
    name and attribute. A place alone goes with `subject`, what was last looked up. A complete question stays as it is.
    """
    text = _CLOSED.sub("", one_line(message))
    if is_closing(text) or is_pronoun_question(text):
        return follow_up(message, subject=subject, person=person)
    return fact_ask(message) if _asks_informally(text) else follow_up(message, subject=subject, person=person)


def follow_up(message: str, *, subject: str | None = None, person: str | None = None) -> str:
    """The message completed from the talk so far: `subject` was last looked up, `person` was last spoken of.

    "nein, in Belgien" takes the place of the place in the subject; "how tall is she?" asks about the person. A complete
    question stays as it is. A new name of two words or more is not joined to the old subject.
    """
    whole = message.strip()[:QUERY_CHARACTERS]
    text = _CLOSED.sub("", one_line(message))
    about, whom = _known(subject), _known(person)
    if not has_word(text) or is_closing(text):
        return whole
    core = _fragment(text)
    if is_pronoun_question(text if core is None else core):
        of_a_person = PERSONAL.search(text) or _HER.search(text)
        named = (whom or about) if of_a_person else (about or whom)
        asked = attribute(message)
        if about and not of_a_person and _PREPOSITION.match(asked):
            return _placed(asked, about, whom)
        return _joined(named, asked) if named else whole
    if core is None:
        there = _THERE.match(trimmed(text))
        return _joined(about, trimmed(uncourteous(there["asked"]))) if there and about else whole
    if not content_words(core) and not (core.isupper() or _TIME.search(core) or _MEASURE.match(core)):
        return whole
    if _MEASURE.match(core):
        return _joined(whom or about, core) if whom or about else whole
    if (year := _YEAR_ALONE.fullmatch(core)) and about and len(_YEAR.findall(about)) == 1:
        return _YEAR.sub(year["year"], about)
    return _placed(core, about, whom)


def _known(name: str | None) -> str | None:
    known = one_line(name or "")
    if not has_word(known):
        return None
    return focus(known) if known.endswith("?") else known


def _joined(*parts: str | None) -> str:
    return " ".join(part for part in parts if part)


def _asks_informally(text: str) -> bool:
    if ASKING.match(text):
        return len(content_words(fact_ask(text))) > 0
    core = trimmed(instructed(text))
    if CONNECTOR.match(text):
        return False
    found = ATTRIBUTE.search(core)
    if found is None or QUESTION_START.match(core) or len(core.split()) > ASK_WORDS:
        return False
    return any(word != found[0].lower() for word in content_words(core))


def _fragment(text: str) -> str | None:
    """What a message that is no question of its own names, without what leads up to it; None for a complete one."""
    bare = trimmed(text)
    core = bare
    for _ in range(ROUNDS):
        rest = _LEADING.sub("", _NOT_BUT.sub("", core))
        rest = trimmed(_TRAILING.sub("", rest))
        if rest == core or not has_word(rest):
            break
        core = rest
    if _MEASURE.match(core):
        return core
    stands_alone = QUESTION_START.match(core) or trimmed(instructed(core)) != core
    if stands_alone or (core == bare and not is_follow_up(text)):
        return None
    return core


def _placed(core: str, about: str | None, whom: str | None) -> str:
    """The fragment with the subject, where it is a place, a time or an aspect of it; the fragment alone where it is new."""
    where = _PREPOSITION.match(core)
    place = where["place"] if where else core
    count = len(place.split())
    if about is None:
        bare = _ARTICLE.sub("", core, count=1)
        return _joined(whom, bare) if whom and _is_aspect(bare) else core
    if _TIME.search(place) and count <= PLACE_WORDS:
        return _joined(about, place)
    if where and count <= PLACE_WORDS:
        located = where["preposition"].lower() in _LOCATED
        return _moved(about, core[where.end("preposition") :].strip(), located=located)
    if _ARTICLE_PLACE.match(core) or _TOWN_AND_STATE.match(core) or (count <= PLACE_WORDS and _LONG_PLACE.match(place)):
        return _moved(about, place)
    bare = _ARTICLE.sub("", core, count=1)
    if _asks_informally(core):
        return core
    if QUESTION_START.match(about):  # how old is Messi
        return _moved(about, core) if count == 1 or bare != core else core
    if _is_aspect(bare):
        return _joined(whom, bare) if whom and ATTRIBUTE.search(bare) else _turned(about, bare)
    if (kind := _KIND.match(core)) is not None:
        held = _held(about)
        return _joined(kind["adjective"] or kind["adjektiv"], about[: held.start()] if held else about)
    if bare != core:
        return _turned(about, bare) if len(bare.split()) <= 2 else bare
    return _named(about, whom, re.sub(r"['’]s$", "", core)) if count == 1 else core


def _named(about: str, whom: str | None, name: str) -> str:
    """The subject for another name of one word: Messi age where it was Ronaldo age."""
    if whom and whom in about:
        return about.replace(whom, name)
    asked = ATTRIBUTE.search(about)
    if asked is not None and _held(about) is None and asked.end() == len(about):
        return _joined(name, asked[0])
    return _moved(about, name)


def _is_aspect(text: str) -> bool:
    return len(text.split()) <= 2 and _ASPECT.search(text) is not None


def _moved(about: str, place: str, *, located: bool = False) -> str:
    """The subject at another place: in place of the one it names, else with the new one behind it."""
    bare = _ARTICLE.sub("", place, count=1)
    if (owner := _OWNER.match(about)) is not None and owner["mark"] == "'s":
        return f"{bare}'s {owner['office']}"
    held = _held(about, located=located)
    if held is None:
        return _joined(about, bare)
    link, start = held["link"], held.start()
    article = place[: len(place) - len(bare)].strip().lower()
    if link.lower() in ("von", "vom", "der", "des"):
        link = "der" if article in ("der", "die", "den") else "von"
        return f"{about[:start]} {link} {bare}"
    if link.lower() == "im" and article != "dem":
        link = "in"
    return _joined(about[:start], link, article, bare)


def _turned(about: str, office: str) -> str:
    """Something else at the place of the subject: the chancellor where the president was."""
    held = _held(about)
    return f"{office}{about[held.start() :]}" if held else _joined(about, office)


def _held(about: str, *, located: bool = False) -> re.Match[str] | None:
    """Where a subject like "mayor of Oslo" names its place: the first link behind which every word is part of a name."""
    found = list(_HOLDS.finditer(about))
    if located and _OF_A_THING.match(about):
        found = [held for held in found if held["link"].lower() not in ("of", "von", "vom")]
    for held in found:
        if held["link"].lower() in ("der", "des") and not held["place"][:1].isupper():
            continue
        place = held["place"].split()
        if all(word[:1].isupper() or word.lower() in _PLACE_LINKS for word in place) and place[0][:1].isupper():
            return held
    plain = [held for held in found if held["link"].lower() not in ("der", "des")]
    return plain[-1] if plain and len(plain[-1]["place"].split()) <= 2 and about.islower() else None
