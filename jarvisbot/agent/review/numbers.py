"""Sums and conversions whose value a draft leaves out or changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from jarvisbot.agent.review.figures import figures
from jarvisbot.agent.review.finding import Check, Finding
from jarvisbot.store.turns import CallRecord

__all__ = ["wrong_number"]

TOOLS = frozenset({"calculator", "convert", "converter", "convert_units"})
MOST_DECIMALS = 21
"""As many as a calculator's line has at most."""
SURE_DECIMALS = 6
"""Behind so many the rest does not matter."""

_LINE = re.compile(
    r"^[ \t]*(?P<sum>\S.*?)[ \t]+(?P<sign>[=≈])[ \t]*"
    r"(?P<value>[-−]?\d[\d,]*(?:\.\d+)?)(?![eE][+-]?\d|[\d.,])(?P<unit>(?:[ \t]*[^\s\d=≈,.][^\n=≈]*)?)$",
    re.MULTILINE,
)
_FURTHER = re.compile(r"(?<=\s)\d+(?:\.\d+)?(?=\s[^\W\d]|\s°)")
"""Further values of a conversion into several units; the 100 of l/100 km is none."""
_FULL = frozenset({7, 12, 14, 16, 24, 60})
"""How many of a smaller unit make a larger one: so many inches are a foot."""
_DASHES = str.maketrans("−–—‐‑", "-----")
_APART = re.compile(r"[,\s_'’`´]")
_GROUP = re.compile(r"(?<=\d)[,\s_'’`´](?=\d{3}(?!\d))")
_GROUP_GERMAN = re.compile(r"(?<=\d)[.\s_'’`´](?=\d{3}(?!\d))")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_MINUS = re.compile(r"\b(?:minus|negative)\s+(?=\d)", re.IGNORECASE)
_MARKS = re.compile(r"[*$\\{}]+")
_WORDS = {
    0: "zero|null",
    1: "one|eins|eine?[nr]?",
    2: "two|zwei",
    3: "three|drei",
    4: "four|vier",
    5: "five|fünf",
    6: "six|sechs",
    7: "seven|sieben",
    8: "eight|acht",
    9: "nine|neun",
    10: "ten|zehn",
    11: "eleven|elf",
    12: "twelve|zwölf",
    13: "thirteen|dreizehn",
    14: "fourteen|vierzehn",
    15: "fifteen|fünfzehn",
    16: "sixteen|sechzehn",
    17: "seventeen|siebzehn",
    18: "eighteen|achtzehn",
    19: "nineteen|neunzehn",
    20: "twenty|zwanzig",
    30: "thirty|dreißig",
    40: "forty|vierzig",
    50: "fifty|fünfzig",
    60: "sixty|sechzig",
    70: "seventy|siebzig",
    80: "eighty|achtzig",
    90: "ninety|neunzig",
    100: "(?:a|one) hundred|(?:ein)?hundert",
    1000: "(?:a|one) thousand|(?:ein)?tausend",
}


def wrong_number(calls: Sequence[CallRecord], draft: str, *, german: bool) -> Finding | None:
    """The first sum whose value is nowhere in the draft.

    Shy: "4" is found in "14", and a value that a later sum goes on with is a step on the way. A value may be rounded to
    decimals but never to an integer. Values in exponent form are not looked for.
    """
    sums = list(_sums(calls))
    if not sums:
        return None
    readings = _readings(draft)
    for at, found in enumerate(sums):
        value = Decimal(found["value"].translate(_DASHES).replace(",", ""))
        if _states_all(readings, draft, value, found["unit"]) or any(
            _goes_on(value, later["sum"]) for later in sums[at + 1 :]
        ):
            continue
        return _finding(found, german=german)
    return None


def _sums(calls: Sequence[CallRecord]) -> Iterator[re.Match[str]]:
    for made in calls:
        if made.result.ok and made.call.name in TOOLS:
            yield from _LINE.finditer(made.result.text)


def _readings(draft: str) -> tuple[str, ...]:
    """The draft without what parts digits, as it is read in English and in German, with and without its spaces."""
    text = _MINUS.sub("-", _MARKS.sub("", draft).translate(_DASHES))
    text = re.sub(r"-\s+(?=\d)", "-", text)
    german = _DECIMAL_COMMA.sub(".", _GROUP_GERMAN.sub("", text))
    return tuple(dict.fromkeys((_GROUP.sub("", text), german, _APART.sub("", text), _APART.sub("", german))))


def _states_all(readings: Sequence[str], draft: str, value: Decimal, unit: str) -> bool:
    """Whether the draft gives the value, and the last one too where it is given in several units: 5 ft 10.9 in.

    That last one may be rounded to a whole number, or the one before it may be rounded up: 6 ft for 5 ft 11.9 in.
    """
    further = [Decimal(text) for text in _FURTHER.findall(unit)]
    if not further:
        return _states(readings, draft, value)
    last = further[-1]
    whole = last.quantize(Decimal(1), rounding=ROUND_HALF_UP)
    if int(whole) in _FULL and _states(readings, draft, (value if len(further) == 1 else further[-2]) + 1):
        return True
    return _states(readings, draft, value) and (_states(readings, draft, last) or _states(readings, draft, whole))


def _states(readings: Sequence[str], draft: str, value: Decimal) -> bool:
    if value == value.to_integral_value():
        plain = f"{value:f}".partition(".")[0]
        if any(plain in reading for reading in readings):
            return True
    elif any(_decimal_in(reading, value) for reading in readings):
        return True
    return _in_words(draft, value)


def _decimal_in(reading: str, value: Decimal) -> bool:
    """Whether the value stands there whole, or rounded or cut off behind one decimal or more."""
    for form in _forms(value):
        ends = "" if len(form.partition(".")[2]) >= SURE_DECIMALS else r"(?!\d)"
        if re.search(re.escape(form) + ends, reading):
            return True
    whole = f"{value:f}"
    short = rf"|(?<![\d.]){re.escape(whole[1:])}" if whole.startswith("0.") else ""
    return re.search(rf"(?:{re.escape(whole)}{short})0*(?!\d)", reading) is not None


def _forms(value: Decimal) -> Iterator[str]:
    exponent = value.as_tuple().exponent
    decimals = -exponent if isinstance(exponent, int) else 0
    for count in range(1, min(decimals, MOST_DECIMALS) + 1):
        for rounding in (ROUND_HALF_UP, ROUND_DOWN):
            rounded = value.quantize(Decimal(1).scaleb(-count), rounding=rounding)
            if rounded:
                written = f"{rounded:f}"
                yield written
                short = written.rstrip("0")
                if not short.endswith("."):
                    yield short


def _in_words(draft: str, value: Decimal) -> bool:
    """Whether the draft says it as a round or small number's word, with a word of scale, or as a percentage."""
    if words := _WORDS.get(int(value)) if value == value.to_integral_value() else None:
        return re.search(rf"\b(?:{words})\b(?!-)", draft, re.IGNORECASE) is not None or _scaled(draft, value)
    return _scaled(draft, value)


def _scaled(draft: str, value: Decimal) -> bool:
    return any(
        (figure.scaled and abs(number - value) <= abs(value) / 1_000_000)
        or (figure.percent and abs(number - value * 100) * 2 <= Decimal(1).scaleb(-figure.decimals))
        for figure in figures(draft)
        for number in figure.values
    )


def _goes_on(value: Decimal, later: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(f'{abs(value):f}')}(?![\d.])", later) is not None


def _shown(found: re.Match[str], language: str) -> str:
    """The line with the numbers of the language."""
    unit = found["unit"].rstrip()
    if unit:
        from jarvisbot.reading.units import reply as conversion  # on use: its tables take a while to import

        return conversion(found[0].strip(), language)
    from jarvisbot.reading.arithmetic import reply  # on use: its grammars take a while to import

    return reply("", f"{found['sum'].strip()} {found['sign']} {found['value']}", language)


def _finding(found: re.Match[str], *, german: bool) -> Finding:
    line = found[0].strip()
    shown = _shown(found, "de" if german else "en")
    if german:
        return Finding(
            kind=Check.WRONG_NUMBER,
            words=f"Gerechnet wurde {shown}, in der Antwort steht das so nicht.",
            fix=f"Das Ergebnis des Werkzeugs ist: {line}. Schreib genau diese Zahl.",
        )
    return Finding(
        kind=Check.WRONG_NUMBER,
        words=f"It was worked out as {shown}, and the answer does not say so.",
        fix=f"The tool's result is: {line}. Write exactly this number.",
    )
