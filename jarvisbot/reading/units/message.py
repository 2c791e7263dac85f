"""The conversion that a message asks for: which quantity, into which unit, and whether it asks for nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from jarvisbot.reading.units.lookup import Found, convertible, is_currency, named, unit_at
from jarvisbot.reading.units.quantities import Quantity, quantities, spelled_terms
from jarvisbot.reading.units.shell import is_only_shell, masked

__all__ = ["Asked", "covers", "follow_up", "lacks_target", "request_in"]

MESSAGE_LIMIT = 1_000
"""Only so many characters of a message are searched."""

_INTO = re.compile(
    r"[\s?,:]*(?:\b(?:is|are|was|were|be|equals?|have|has|to|sind|ist|hat|haben|wären|umgerechnet|umzurechnen|converted|expressed"
    r"|please|bitte|mal|denn|eigentlich|genau|exactly|measured|gemessen|ausgedrückt)\b[\s,]*){0,4}"
    r"(?:\b(?:in|to|into|as|nach|zu|auf)\b|=|->|=>|→|»)[\s?:]*"
    r"(?:(?:how many|how much|wie ?viele?n?|the unit|die einheit)\b\s*)?",
    re.IGNORECASE,
)
_ARE_HOW_MANY = re.compile(
    r"\W*(?:\b(?:is|are|equals?|makes?|make|has|have|contains?|sind|ist|hat|haben|ergeben|ergibt|entsprechen|entspricht|macht|machen)\b|=)\W*"
    r"(?:that |das )?(?:how many|how much|what in|wie ?viele?n?)\b\s*",
    re.IGNORECASE,
)
_THAT_IN = re.compile(
    r"\b(?:(?:what|how much)(?: is|['’]?s| are| would) (?:that|it|this)|(?:was|wie ?viel) (?:ist|sind|wäre|wären) (?:das|es))"
    r"(?: be| denn| umgerechnet| please)* in\s+",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\b(?:how many|how much|wie ?viele?n?)\s+", re.IGNORECASE)
_LINKING_WORDS = """
are is there in do does did make makes made equal equals be go goes into to per as has have a an the one i you we get fit fits
needed contain contains of from it take takes would that up sind ist hat haben ergeben ergibt entsprechen entspricht es in auf
pro gehen passen macht machen das gibt wären wäre stecken je sich der die dem den bekomme ich man braucht hätten von enthält
enthalten dauert dauern lang umgerechnet denn eigentlich genau exactly bitte please wohl mal
"""
_LINKING = frozenset(_LINKING_WORDS.split())
_AND = re.compile(r"\s*(?:,|&|\+|\band\b|\bund\b)\s*", re.IGNORECASE)
_CONVERTS = re.compile(
    r"\b(?:convert|conversion|umrechnen|umwandeln|konvertiere?n?)\b|\b(?:rechne|wandle|wandel)\b.*\bum\b", re.IGNORECASE
)
_MONEY = re.compile(r"\s*([€$£¥]|[^\W\d_]+(?: sterling)?)(?![\w])")
_MONEY_BEFORE = re.compile(r"[€$£¥]\s?$")
_GERMAN_WORDS = re.compile(
    r"\b(?:was|wie|viele?|sind|ist|ein|eine[nmr]?|bitte|rechne|um|nach|und|der|die|das|in wie)\b", re.IGNORECASE
)
_ENGLISH_WORDS = re.compile(r"\b(?:what|how|many|are|convert|to|please|and|the|an?)\b", re.IGNORECASE)
_FOLLOWS = re.compile(
    r"\W*(?:(?:and|und|or|oder|but|aber|also|auch|then|dann|now|jetzt|what about|how about|was ist mit|wie wäre es mit"
    r"|what is (?:that|it)|what[’']s that|how (?:much|many) is (?:that|it)|was (?:ist|sind|wäre) das"
    r"|wie ?viel (?:ist|sind|wäre) das|das|that|it|es|please|bitte|nein|no|i mean|ich meine)\b\W*){0,4}",
    re.IGNORECASE,
)
_FOLLOWS_INTO = re.compile(r"(?:(?:in|to|into|as|nach|zu|auf)\s+)?", re.IGNORECASE)
_MOST_UNITS = 4


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A conversion in a message: the arguments of the tool and where it stands. Numbers are in plain digits."""

    value: str
    from_unit: str
    to_unit: str
    start: int
    end: int

    @property
    def arguments(self) -> dict[str, str]:
        """The tool's arguments."""
        return {"value": self.value, "from_unit": self.from_unit, "to_unit": self.to_unit}


class _Target(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    end: int


def request_in(message: str, *, german: bool) -> Asked | None:
    """The first conversion of the message that names a quantity and a target unit, or None.

    `german`: the reply is in German, which decides what 1.500 means where the message itself does not.
    """
    text = masked(message[:MESSAGE_LIMIT])
    return next(_requests(text, german=reads_german(text, german)), None)


def covers(message: str, *, german: bool) -> bool:
    """Whether a conversion is all that the message asks for."""
    asked = request_in(message, german=german)
    if asked is None:
        return False
    text = masked(message[:MESSAGE_LIMIT])
    return len(message) <= MESSAGE_LIMIT and is_only_shell(text[: asked.start], text[asked.end :])


def reads_german(text: str, otherwise: bool) -> bool:
    """Whether the words of the text are German; `otherwise` where they say nothing."""
    german, english = len(_GERMAN_WORDS.findall(text)), len(_ENGLISH_WORDS.findall(text))
    return otherwise if german == english else german > english


def _requests(text: str, *, german: bool) -> Iterator[Asked]:
    for quantity in quantities(text, german=german):
        if not quantity.terms and not _is_money(text, quantity):
            continue
        found = _named_behind(text, quantity) or _named_before(text, quantity)
        if found is not None and not _is_slip(found):
            yield found


def _is_slip(asked: Asked) -> bool:
    """Whether a lone small letter was taken for a unit that the other has nothing to do with: the k of 10k."""
    if not any(len(text) == 1 and text.islower() for text in (asked.from_unit, asked.to_unit)):
        return False
    sources, targets = named(asked.from_unit), named(asked.to_unit)
    return not any(convertible(source, target) for source in sources for target in targets)


def _end_of(text: str, quantity: Quantity) -> int:
    """Where the quantity ends, the name of its money included."""
    money = None if quantity.terms else _MONEY.match(text, quantity.end)
    return money.end() if money and is_currency(money[1]) else quantity.end


def _named_behind(text: str, quantity: Quantity) -> Asked | None:
    """3 ft in cm; 3 miles are how many km."""
    end = _end_of(text, quantity)
    for pattern in (_ARE_HOW_MANY, _INTO):
        between = pattern.match(text, end)
        if between is None:
            continue
        target = _target(text, between.end())
        if target is not None:
            return _asked(text, quantity, target.text, start=quantity.start, end=target.end)
    if (that := _THAT_IN.search(text, end)) and (target := _target(text, that.end())):
        return _asked(text, quantity, target.text, start=quantity.start, end=target.end)
    return None


def _named_before(text: str, quantity: Quantity) -> Asked | None:
    """How many feet are in a mile."""
    for asking in _HOW_MANY.finditer(text, 0, quantity.start):
        target = _target(text, asking.end())
        if target is None or target.end > quantity.start:
            continue
        between = text[target.end : quantity.start]
        if re.search(r"[\d.;!?]", between) or not all(word in _LINKING for word in re.findall(r"\w+", between.lower())):
            continue
        return _asked(text, quantity, target.text, start=asking.start(), end=_end_of(text, quantity))
    return None


def _target(text: str, at: int) -> _Target | None:
    """The unit, or the units, that begin at `at`; money counts, so that it is refused in words."""
    found = unit_at(text, at)
    if found is None:
        money = _MONEY.match(text, at)
        if money is None or not is_currency(money[1]) or money[1].lower() in ("mark",):
            return None
        return _Target(text=money[1], end=money.end())
    end, pieces = found.end, [found]
    while len(pieces) < _MOST_UNITS and (further := _further(text, end, pieces[-1])):
        pieces.append(further)
        end = further.end
    return _Target(text=text[at:end].strip(), end=end)


def _further(text: str, end: int, before: Found) -> Found | None:
    """One more unit of a target such as feet and inches: of the same kind."""
    joint = _AND.match(text, end)
    found = unit_at(text, joint.end()) if joint else None
    if found is None or not any(a.dimension == b.dimension for a in found.units for b in before.units):
        return None
    return found


def _is_money(text: str, quantity: Quantity) -> bool:
    behind = _MONEY.match(text, quantity.end)
    return bool(_MONEY_BEFORE.search(text[: quantity.start])) or (behind is not None and is_currency(behind[1]))


def _asked(text: str, quantity: Quantity, target: str, *, start: int, end: int) -> Asked:
    match quantity.terms:
        case []:
            money = _MONEY.match(text, quantity.end)
            return Asked(
                value=quantity.number, from_unit=money[1] if money else "$", to_unit=target, start=start, end=end
            )
        case [term]:
            return Asked(value=term.number, from_unit=term.unit, to_unit=target, start=start, end=end)
        case terms:
            return Asked(value=spelled_terms(terms), from_unit="", to_unit=target, start=start, end=end)


# ---------------------------------------------------------------- what is left open


def lacks_target(message: str, *, german: bool) -> str | None:
    """The quantity that a message asks to convert without saying into what, in plain words; None for any other message."""
    text = masked(message[:MESSAGE_LIMIT])
    german = reads_german(text, german)
    if not _CONVERTS.search(text) or next(_requests(text, german=german), None) is not None:
        return None
    found = [quantity for quantity in quantities(text, german=german) if quantity.terms]
    if len(found) != 1 or not is_only_shell(text[: found[0].start], text[found[0].end :]):
        return None
    return spelled_terms(found[0].terms)


def follow_up(message: str, last: dict[str, str] | None, *, german: bool) -> dict[str, str] | None:
    """The tool's arguments for a message that goes on with the conversion `last`: "and in miles?", "und 10 kg?", "and 7?".

    `last` may lack its target ("to_unit" is empty) where that was asked for. None for any other message.
    """
    if last is None:
        return None
    text = masked(message[:MESSAGE_LIMIT])
    lead = _FOLLOWS.match(text)
    at = lead.end() if lead else 0
    into = _FOLLOWS_INTO.match(text, at)
    target = _target(text, into.end() if into else at)
    if target is not None and is_only_shell("", text[target.end :]):
        return {**last, "to_unit": target.text}
    if not last["to_unit"]:
        return None
    german = reads_german(text, german)
    found = list(quantities(text[at:], german=german))
    if (
        len(found) != 1
        or found[0].is_article
        or not is_only_shell(text[at:][: found[0].start], text[at:][found[0].end :])
    ):
        return None
    asked = found[0]
    if not asked.terms:
        unit = last["from_unit"] or _unit_of(last["value"], german=german)
        return {"value": asked.number, "from_unit": unit, "to_unit": last["to_unit"]} if unit else None
    return _asked(text, asked, last["to_unit"], start=0, end=0).arguments


def _unit_of(written: str, *, german: bool) -> str:
    """The unit of a quantity with one, empty for any other text."""
    match list(quantities(written, german=german)):
        case [Quantity(terms=[term])]:
            return term.unit
        case _:
            return ""
