"""What a message asks of the clock: time, date, weekday and so on, here or elsewhere, now or at another time."""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Sequence

import msgspec

from jarvisbot.reading.covering import asks_more
from jarvisbot.reading.moments import written_moment
from jarvisbot.reading.moments.dates import MONTH_NAMES, WEEKDAY_NAMES, month_number
from jarvisbot.reading.places import Place, places_asked
from jarvisbot.reading.places.vocabulary import ARTICLES, FILLERS
from jarvisbot.reading.zones import ABBREVIATIONS, zone_named

__all__ = ["HERE", "Check", "ClockQuestion", "Wanted", "clock_question"]

READ_CHARACTERS = 2_000
MOST_CONVERTED = 2
"""A time is turned from one place or zone to one other."""


class Wanted(enum.StrEnum):
    """What is asked for."""

    TIME = "time"
    DATE = "date"
    MONTH = "month"
    YEAR = "year"
    WEEK = "week"
    ZONE = "zone"
    DIFFERENCE = "difference"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """A yes-or-no question about today: is it this weekday (0 is Monday), this month, the weekend, a leap year."""

    weekday: int | None = None
    month: int | None = None
    weekend: bool = False
    leap_year: bool = False


class ClockQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A message read as a question to the clock.

    `at` is the time or date that is named, in its own words; `source` whose local time that is, `target` whose time is wanted
    for it ("here": the person's own clock). `there` means the place of an earlier question. `follows_up`: nothing is said but
    a place, so that it goes on with an earlier question. `covered`: nothing else is asked.
    """

    wanted: tuple[Wanted, ...]
    check: Check | None = None
    places: tuple[Place, ...] = ()
    at: str = ""
    has_time: bool = False
    source: str = ""
    target: str = ""
    here: bool = False
    there: bool = False
    follows_up: bool = False
    covered: bool = False


_NOUN = (
    r"(?:(?:the|today['’]?s|current|exact|actual|local|heutige[snr]?|aktuelle[snr]?|genaue[snr]?|der|die|das|den|lokale[rn]?"
    r"|jetzige[snr]?) ){0,4}"
)
_WHAT = r"(?:what|which|welche[rsnm]?|was für ein(?:en|e)?)"
_WHAT_IS = r"what(?:['’]?s| is| was)"
_WIE_IST = r"(?:wie (?:ist|lautet|groß ist|hoch ist)|was ist)"
_DAY = r"(?:day|date|weekday|tag|datum|wochentag)"
_ASKED: tuple[tuple[Wanted, str], ...] = (
    (
        Wanted.DIFFERENCE,
        rf"(?:\b(?:{_WHAT_IS}|{_WIE_IST}|{_WHAT}) )?\b{_NOUN}(?:time differences?|difference in time|zeitunterschied"
        r"|zeitverschiebung|zeitdifferenz)\b|\b(?:how many hours|wie ?viele stunden)\b",
    ),
    (Wanted.ZONE, rf"(?:\b(?:{_WHAT_IS}|{_WIE_IST}|{_WHAT})\s+)?\b{_NOUN}(?:time ?zone|zeitzone)\b"),
    (
        Wanted.WEEK,
        rf"(?:\b{_WHAT} )?\b(?:calendar week|week number|kalenderwoche|kw)\b|\b(?:die )?wievielte (?:woche|kw)\b",
    ),
    (Wanted.WEEK, rf"\b(?:{_WHAT}|{_WHAT_IS}) {_NOUN}(?:week|woche)\b(?: of the year| des jahres)?"),
    (
        Wanted.DATE,
        rf"\b{_WHAT} {_DAY}\b(?: of the (?:week|month|year))?(?: (?:was|were)(?: it| on)?(?=[\s?.!]*$|\s{{3}}))?",
    ),
    (Wanted.DATE, r"\b(?:de[rn] )?wievielte[nr]?\b"),
    (Wanted.DATE, r"\bwas (?:ist|haben wir)(?: denn)?(?: heute)?(?: denn)? für ein(?:en)? (?:tag|datum|wochentag)\b"),
    (Wanted.MONTH, rf"\b(?:{_WHAT}|current|aktueller) (?:month|monat)\b(?: of the year)?|\b{_WHAT_IS} {_NOUN}month\b"),
    (Wanted.YEAR, rf"\b(?:{_WHAT}|current|aktuelles) (?:year|jahr)\b|\b{_WHAT_IS} {_NOUN}year\b"),
    (
        Wanted.TIME,
        rf"\b{_WHAT} (?:time|uhrzeit|hour)\b|\bhow late\b|\bwie ?(?:spät|viel uhr|früh)\b|\bdo you have the time\b",
    ),
    (
        Wanted.DATE,
        rf"\b{_WHAT_IS} {_NOUN}(?:date|day|weekday)\b(?: of (?:the week|today))?|\b{_WIE_IST} {_NOUN}datum\b",
    ),
    (Wanted.TIME, rf"\b{_WHAT_IS} {_NOUN}(?:time|hour)\b(?: of day)?|\b{_WIE_IST} {_NOUN}(?:uhrzeit|zeit)\b"),
    (Wanted.DATE, rf"\bday of the week\b|\bwochentag\b|\b{_NOUN}(?:date|datum)\b|\bwhat day\b"),
    (Wanted.TIME, rf"\b{_NOUN}(?:time|uhrzeit|ortszeit|weltzeit|weltuhr|world clock|o'clock|clock|zeit)\b"),
)
"""The first pattern that fits takes its words, so that "what day is it" is not a question for the time as well."""
_TODAY = r"(?:is (?:it|today)|isn['’]?t it|it is|ist (?:es|heute|jetzt)|haben wir(?: heute)?|is|ist|wir haben)"
_MIDDLE = (
    r"(?:\s(?:dort|da|there|a|already|still|really|schon|heute|noch|wirklich|eigentlich|denn|der|ein|today|now|jetzt|in|im|the|das|es|it"
    r"|gerade)){0,4}\s"
)
_CHECK = re.compile(
    rf"\b{_TODAY}{_MIDDLE}(?P<what>{'|'.join(f'(?P<d{at}>{names})' for at, names in enumerate(WEEKDAY_NAMES))}"
    rf"|(?P<weekend>weekend|wochenende)|(?P<leap>leap year|schaltjahr)|(?P<month>{MONTH_NAMES}))\b(?!\s\d)",
    re.IGNORECASE,
)
_THERE = re.compile(r"\b(?:there|dort|da drüben|dorten)\b", re.IGNORECASE)
_HERE = re.compile(
    r"\b(?:here|hier|bei (?:mir|uns)|my (?=(?:local )?time(?: ?zone)?\b)|meine[rn]? (?=(?:zeit|zeitzone)\b)"
    r"|for me|für mich|am i|are we"
    r"|bin ich|sind wir)\b",
    re.IGNORECASE,
)
_ZONE = re.compile(
    r"(?<![\w/])(?:(?:UTC|GMT)\s?[+\-−–]\s?\d{1,2}(?::?[0-5]\d)?"
    rf"|(?:{'|'.join(sorted(ABBREVIATIONS, key=len, reverse=True))})(?:\s?(?:time|zeit)\b)?"
    r"|(?:eastern|central european|central|mountain|pacific) time|mitteleuropäische[rn]? zeit"
    r"|[A-Z][A-Za-z]+/[A-Z][\w+-]+(?:/[A-Z]\w+)?)(?![\w/])",
    re.IGNORECASE,
)
_WORDS_TOO = frozenset({"cat", "art", "eat", "ist", "west", "wet", "wat", "est", "ect", "hst", "gst", "amt", "sst"})
"""Words as well, or near ones: a zone only in capitals."""
HERE = "here"
_NOW = re.compile(r"(?:today|heute|tonight)", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\b(?:if|when|wenn|falls)\b(?:(?!\b(?:what|which|how|wie (?:spät|viel)|welche[rs]?)\b)[^,?])*", re.IGNORECASE
)
_CONDITION = re.compile(r"\b(?:if|when|wenn|falls|while|während)\b", re.IGNORECASE)
_GREETING = re.compile(
    r"\b(?:guten|gute|schönen) (?:morgen|tag|abend|nacht)\b|\bgood (?:morning|day|afternoon|evening|night)\b",
    re.IGNORECASE,
)
_TURNED = re.compile(r"\b(?:to|into|nach|zu)\s*$", re.IGNORECASE)
_TURN = re.compile(
    r"^\W*(?:what['’]?s|what is|what would be|was (?:ist|wäre)|wann ist|wie ?viel ist|how about)\b", re.IGNORECASE
)
_LEADING_WORDS = """
and und oh ah also auch what about how was ist mit wie es steht sieht aus in at for on auf bei im the der die das den
dem to no nein not nicht sondern but aber or oder now jetzt please bitte then dann there dort drüben over i mean meant
ich meine meinte sorry gerade currently right moment heute today of von s
"""
_LEADING = frozenset(_LEADING_WORDS.split())
_SHELL_WORDS = """
the der die das den dem des a an in at on for of um auf im am bei to nach zu zum zur von vom wait sorry hmm help quick
question kurze frage asking frag fragen wollte wondering wonder tell say let uns my mine your bot dear friend buddy
man dude mate alter wecker hilfe bitteschön convert turn into gilt gilt's liegt lies zone zones hours hour stunden
stunde ahead behind apart nation national official offiziell by way übrigens right correct korrekt true wahr gerade
ungefähr about today's heutige heutiges aktuelles ganz genau precise precisely give gib mir sag using use exakt exakte
time uhrzeit
"""
_SHELL = FILLERS | frozenset(_SHELL_WORDS.split())


def clock_question(message: str) -> ClockQuestion:
    """What the message asks of the clock."""
    text = _GREETING.sub(" ", " ".join(message[:READ_CHARACTERS].split()))
    check = _CHECK.search(text)
    rest = _blanked(text, [check.span()]) if check else text
    day, clock, spans = written_moment(rest)
    if day and not clock and _NOW.fullmatch(day):
        day, spans = "", ()
    untimed = _blanked(rest, spans)
    mentions = _mentions(untimed)
    left = _blanked(untimed, [(start, end) for start, end, _ in mentions])
    wanted, left = _wanted(left)
    if clock:
        left = _CONDITION.sub(" ", _TURN.sub(" ", left))
    source, target = _direction(rest, spans[-1], mentions) if clock else ("", "")
    explicit = bool(wanted or check or day or clock)
    own = {name for _, _, name in mentions if name == HERE}
    placed = tuple(_place(name) for _, _, name in mentions if name != HERE)
    return ClockQuestion(
        wanted=wanted,
        check=_checked(check) if check else None,
        places=tuple(dict.fromkeys(placed)),
        at=f"{day} {clock}".strip(),
        has_time=bool(clock),
        source=source,
        target=target,
        here=bool(own) or bool(mentions and not placed),
        there=not placed and _THERE.search(text) is not None,
        follows_up=not explicit and _is_follow_up(left) and not own,
        covered=(not clock or 0 < len(mentions) <= MOST_CONVERTED) and not asks_more(left, _SHELL),
    )


def _place(name: str) -> Place:
    words = name.split()
    bare = " ".join(words[1:]) if len(words) > 1 and words[0].lower() in ARTICLES else name
    return Place(display=name, query=bare)


def _mentions(text: str) -> list[tuple[int, int, str]]:
    """The zones, places and the "here" of the text with their spans, in order."""
    zones = [(*found.span(), found[0].strip()) for found in _ZONE.finditer(text) if _is_zone(found[0])]
    rest = _blanked(text, [(start, end) for start, end, _ in zones])
    found = list(zones)
    for place in places_asked(rest):
        if at := re.search(rf"(?<!\w){re.escape(place.display)}(?!\w)", rest):
            found.append((*at.span(), place.display))
    found += [(*here.span(), HERE) for here in _HERE.finditer(rest)]
    return sorted(found)


def _is_zone(written: str) -> bool:
    if zone_named(written) is None:
        return False
    word = written.split()[0]
    return not (word.lower() in _WORDS_TOO and not word.isupper())


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def _wanted(text: str) -> tuple[tuple[Wanted, ...], str]:
    """What is asked for, in the order of the message, and the text without the words that ask it."""
    found: dict[Wanted, int] = {}
    for wanted, pattern in _ASKED:
        for words in _compiled(pattern).finditer(text):
            found.setdefault(wanted, words.start())
            text = _blanked(text, [words.span()])
    return tuple(sorted(found, key=lambda wanted: found[wanted])), text


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _checked(found: re.Match[str]) -> Check:
    if found["weekend"]:
        return Check(weekend=True)
    if found["leap"]:
        return Check(leap_year=True)
    if found["month"]:
        return Check(month=month_number(found["month"]))
    return Check(weekday=next(number for number in range(7) if found[f"d{number}"]))


def _is_follow_up(left: str) -> bool:
    """Whether nothing is left but what leads a further place in: "and in …?", "was ist mit …"."""
    return all(word.lower() in _LEADING for word in re.findall(r"[^\W_]+", left))


def _direction(text: str, time: tuple[int, int], mentions: Sequence[tuple[int, int, str]]) -> tuple[str, str]:
    """Whose local time is named, and where its like is wanted; "here" is the person's own clock."""
    for clause in _CLAUSE.finditer(text):
        if clause.start() <= time[0] < clause.end():
            inside = [name for start, _, name in mentions if clause.start() <= start < clause.end()]
            outside = [name for start, _, name in mentions if not clause.start() <= start < clause.end()]
            return (inside or [HERE])[0], (outside or [HERE])[0]
    before = [name for start, _, name in mentions if start < time[0]]
    after = [(start, name) for start, _, name in mentions if start >= time[0]]
    if not after:
        return HERE, (before or [HERE])[-1]
    start, first = after[0]
    if len(after) == 1 and not before and _TURNED.search(text[:start]):
        return HERE, first
    return first, (after[1][1] if len(after) > 1 else (before or [HERE])[-1])
