"""Units found by what people call them."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterator, Sequence

import msgspec

from jarvisbot.reading.units.table import Names, names
from jarvisbot.reading.units.unit import Unit, inverse, power, ratio

__all__ = [
    "UNIT_CHARACTERS",
    "Found",
    "convertible",
    "every_unit",
    "is_currency",
    "likeliest",
    "named",
    "nearest",
    "unit_at",
]

UNIT_CHARACTERS = 60
"""The longest text that is looked at as the name of a unit."""
NAME_PIECES = 10
NEAREST = 3

_SPELLING = str.maketrans(
    {"²": "^2", "³": "^3", "μ": "µ", "℃": "°C", "℉": "°F", "Ω": "Ω", "º": "°", "˚": "°", "⋅": "·", "–": "-", "‑": "-"}
    | dict.fromkeys("′’‘´`", "'")
    | dict.fromkeys("″“”„", '"')
)
_DEGREES = re.compile(r"°\s+(?=[cfkr]\b)", re.IGNORECASE)
_ENDINGS = ("s", "n", "en", "es", "e")
_SHORTEST_STEM = 4
_SHORT_STEMS = frozenset({"day", "inch", "bit", "amp", "ohm", "bar", "gon", "tag", "ton", "cup", "yard", "mil"})
_PER = re.compile(r"\s*/\s*|\s+(?:per|pro|je|an|auf|die)\s+(?:(?:a|an|eine[nr]?)\s+)?", re.IGNORECASE)
_TIMES = re.compile(r"(100|1000)\s*")
_SQUARE = re.compile(r"(?:square|sq\.?|quadrat)[\s-]*(.+)|(.+?)(?:\s*\^\s*2|\s+squared)", re.IGNORECASE)
_CUBE = re.compile(r"(?:cubic|cu\.?|kubik)[\s-]*(.+)|(.+?)(?:\s*\^\s*3|\s+cubed)", re.IGNORECASE)
_DIGIT_POWER = re.compile(r"([numcdk]?m|in|ft|yd|mi)([23])")
_PIECE = re.compile(r"\s*(?:[^\W\d_]+\.?|[23](?!\d)|\^[23]|[²³/°'\"′″’“”µ#Ω·-]|100{1,2}(?!\d))")
_CURRENCY = re.compile(
    r"(?:[€$£¥]|(?:us[ -]?|canadian |australian )?dollars?|euros?|cents?|francs?|franken|schweizer franken|yen|yuan"
    r"|rupees?|rupien?|rubles?|rubel|kronen?|kronor|złoty|zloty|lira|bitcoins?|btc|eth|pounds? sterling|british pounds?"
    r"|quid|usd|eur|gbp|chf|jpy|cny|inr|aud|cad|sek|nok|dkk|pln|try|krw|mark|dm)",
    re.IGNORECASE,
)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The name of a unit in a text: what it may mean, likeliest first, and where it ends."""

    units: tuple[Unit, ...]
    text: str
    end: int


@functools.cache
def _table() -> Names:
    return names()


def named(text: str) -> tuple[Unit, ...]:
    """The units that a name may stand for, likeliest first; empty where it stands for none."""
    if len(text) > UNIT_CHARACTERS:
        return ()
    return _named(_DEGREES.sub("°", " ".join(text.translate(_SPELLING).split())))


@functools.lru_cache(maxsize=1024)
def _named(text: str) -> tuple[Unit, ...]:
    for spelled in dict.fromkeys((text, text.rstrip("."))):
        if found := _simple(spelled) or _aliased(spelled) or _to_a_power(spelled) or _ratio(spelled):
            return found
    return ()


def _simple(text: str) -> tuple[Unit, ...]:
    table = _table()
    folded = text.casefold()
    if found := table.symbols.get(text) or table.words.get(folded):
        return found
    if folded != "a" and (loose := table.loose.get(folded)):
        return loose
    for ending in _ENDINGS:
        stem = folded.removesuffix(ending)
        if (
            stem != folded
            and (len(stem) >= _SHORTEST_STEM or stem in _SHORT_STEMS)
            and (found := table.words.get(stem))
        ):
            return found
    return ()


def _aliased(text: str) -> tuple[Unit, ...]:
    meant = _table().aliases.get(text.casefold())
    if meant is None:
        return ()
    symbol = text.casefold() if text.casefold() in ("mph", "mpg") else None
    return tuple(
        msgspec.structs.replace(unit, symbol=f"imperial {symbol}" if unit.system == "imperial" else symbol)
        if symbol
        else unit
        for unit in _named(meant)
    )


def _to_a_power(text: str) -> tuple[Unit, ...]:
    for pattern, exponent in ((_SQUARE, 2), (_CUBE, 3)):
        if found := pattern.fullmatch(text):
            return tuple(power(unit, exponent) for unit in _lengths(found[1] or found[2]))
    if found := _DIGIT_POWER.fullmatch(text):
        return tuple(power(unit, int(found[2])) for unit in _lengths(found[1]))
    return ()


def _lengths(text: str) -> Iterator[Unit]:
    return (unit for unit in _simple(text) if dict(unit.dimension) == {"length": 1})


def _ratio(text: str) -> tuple[Unit, ...]:
    for per in _PER.finditer(text):
        below_text = text[per.end() :]
        times = _TIMES.match(below_text)
        below = _part(below_text[times.end() :] if times else below_text)
        if not below or not (above := _part(text[: per.start()])):
            continue
        each = int(times[1]) if times else 1
        made = [ratio(a, b, times=each) for a in above for b in below if a.dimension != b.dimension]
        made.sort(key=lambda unit: unit.note is None and unit.system != "")
        return tuple(_well_known(unit) for unit in made)
    return ()


def _part(text: str) -> tuple[Unit, ...]:
    return _simple(text) or _to_a_power(text)


def _well_known(unit: Unit) -> Unit:
    """Miles for each gallon as everybody writes them."""
    known = {"mi/gal": "mpg", "mi/imperial gal": "imperial mpg", "mi/h": "mph"}
    return msgspec.structs.replace(unit, symbol=known.get(unit.symbol, unit.symbol))


def unit_at(text: str, at: int) -> Found | None:
    """The longest name of a unit that begins at `at`, after spaces; whole words only."""
    ends: list[int] = []
    end = at
    while len(ends) < NAME_PIECES and (piece := _PIECE.match(text, end)):
        end = piece.end()
        if end - at > UNIT_CHARACTERS:
            break
        ends.append(end)
    for end in reversed(ends):
        if _goes_on(text, end):
            continue
        name = text[at:end].strip()
        if (units := named(name)) and not _is_preposition(name, text, end):
            return Found(units=units, text=name, end=end)
    return None


def _is_preposition(name: str, text: str, end: int) -> bool:
    """Whether it is the "in" of 6 foot 2 in meters and not the inch of 2 in in meters."""
    if name.lower() != "in":
        return False
    following = unit_at(text, end)
    return following is not None and following.text.lower() != "in"


def _goes_on(text: str, end: int) -> bool:
    """Whether the word goes on behind `end`."""
    if end >= len(text) or not (text[end].isalnum() or text[end] == "_"):
        return False
    return text[end - 1].isalnum() or text[end - 1] in "/^."


def is_currency(text: str) -> bool:
    """Whether it names money."""
    return _CURRENCY.fullmatch(text.strip()) is not None


def convertible(source: Unit, target: Unit) -> bool:
    """Whether the two measure the same, or one the inverse of the other, as mpg and l/100 km do."""
    if source.dimension == target.dimension:
        return True
    return len(source.dimension) > 0 and inverse(source.dimension) == target.dimension and _is_ratio(source, target)


def _is_ratio(source: Unit, target: Unit) -> bool:
    return len(source.parts) > 1 and len(target.parts) > 1


def likeliest(sources: Sequence[Unit], targets: Sequence[Unit]) -> tuple[Unit, Unit]:
    """What two names mean beside each other: 8 oz in ml are fluid ounces, pints in an imperial gallon are imperial ones.

    The first of each where nothing fits.
    """

    def doubt(pair: tuple[int, int]) -> tuple[bool, bool, bool, int]:
        source, target = sources[pair[0]], targets[pair[1]]
        alike = (source.parts, source.factor) == (target.parts, target.factor) and len(sources) + len(targets) > 2
        beside = target.symbol in source.partners or source.symbol in target.partners
        differ = bool(source.system and target.system) and source.system != target.system
        return alike, differ, not beside, sum(pair)

    pairs = [
        (at, to)
        for at, source in enumerate(sources)
        for to, target in enumerate(targets)
        if convertible(source, target)
    ]
    at, to = min(pairs, key=doubt, default=(0, 0))
    return sources[at], targets[to]


def nearest(text: str) -> tuple[str, ...]:
    """Names of units that are spelt most like the text, at most three."""
    table = _table()
    known = {name.casefold(): name for name in (*table.words, *table.symbols)}
    close = difflib.get_close_matches(text[:UNIT_CHARACTERS].casefold(), known, n=NEAREST, cutoff=0.6)
    return tuple(known[name] for name in close)


def every_unit() -> frozenset[Unit]:
    """All units of the table, without powers and ratios."""
    table = _table()
    return frozenset(unit for found in (*table.symbols.values(), *table.words.values()) for unit in found)
