"""What is wrong with a conversion: one sentence each, in English for models and in both languages for people."""

from __future__ import annotations

import enum
import re

from jarvisbot.errors import BadArguments

__all__ = ["UnitError", "UnitErrorKind", "explained"]


class UnitErrorKind(enum.StrEnum):
    """Why nothing can be converted."""

    MISSING_VALUE = "missing_value"
    NOT_A_NUMBER = "not_a_number"
    TOO_LARGE = "too_large"
    MISSING_UNIT = "missing_unit"
    MISSING_TARGET = "missing_target"
    UNKNOWN_UNIT = "unknown_unit"
    UNKNOWN_UNIT_NEAR = "unknown_unit_near"
    INCOMPATIBLE = "incompatible"
    NO_COMMON_KIND = "no_common_kind"
    CURRENCY = "currency"
    ABSOLUTE_ZERO = "absolute_zero"
    DIVISION_BY_ZERO = "division_by_zero"
    TWO_UNITS = "two_units"


_ENGLISH = {
    UnitErrorKind.MISSING_VALUE: "The number to convert is missing.",
    UnitErrorKind.NOT_A_NUMBER: '"{first}" is no number that can be converted.',
    UnitErrorKind.TOO_LARGE: "The number is too large: at most 100 digits can be converted.",
    UnitErrorKind.MISSING_UNIT: "The unit of the number is missing.",
    UnitErrorKind.MISSING_TARGET: "The unit to convert into is missing.",
    UnitErrorKind.UNKNOWN_UNIT: 'There is no unit "{first}" here.',
    UnitErrorKind.UNKNOWN_UNIT_NEAR: 'There is no unit "{first}" here. The nearest are: {second}.',
    UnitErrorKind.INCOMPATIBLE: '"{first}" measures {second} and "{third}" measures {fourth}: one cannot become the other.',
    UnitErrorKind.NO_COMMON_KIND: '"{first}" and "{second}" do not measure the same: one cannot become the other.',
    UnitErrorKind.CURRENCY: "Money is not converted here: its rates change, and only fixed units are known.",
    UnitErrorKind.ABSOLUTE_ZERO: "Nothing is colder than absolute zero: -273.15 °C, -459.67 °F or 0 K.",
    UnitErrorKind.DIVISION_BY_ZERO: "Zero has no value in this unit: it would be a division by zero.",
    UnitErrorKind.TWO_UNITS: 'The number says "{first}" and the unit says "{second}": give one of them.',
}
_GERMAN = {
    UnitErrorKind.MISSING_VALUE: "Die Zahl zum Umrechnen fehlt.",
    UnitErrorKind.NOT_A_NUMBER: "„{first}“ ist keine Zahl, die sich umrechnen lässt.",
    UnitErrorKind.TOO_LARGE: "Die Zahl ist zu groß, mehr als 100 Stellen lassen sich nicht umrechnen.",
    UnitErrorKind.MISSING_UNIT: "Die Einheit der Zahl fehlt.",
    UnitErrorKind.MISSING_TARGET: "Die Zieleinheit fehlt.",
    UnitErrorKind.UNKNOWN_UNIT: "Die Einheit „{first}“ kenne ich nicht.",
    UnitErrorKind.UNKNOWN_UNIT_NEAR: "Die Einheit „{first}“ kenne ich nicht. Am ähnlichsten sind: {second}.",
    UnitErrorKind.INCOMPATIBLE: "„{first}“ misst {second} und „{third}“ misst {fourth}, das eine wird nicht zum anderen.",
    UnitErrorKind.NO_COMMON_KIND: "„{first}“ und „{second}“ messen Verschiedenes, das eine wird nicht zum anderen.",
    UnitErrorKind.CURRENCY: "Geld rechne ich nicht um: Die Kurse ändern sich, ich kenne nur feste Einheiten.",
    UnitErrorKind.ABSOLUTE_ZERO: "Kälter als der absolute Nullpunkt geht es nicht: -273,15 °C, -459,67 °F oder 0 K.",
    UnitErrorKind.DIVISION_BY_ZERO: "Null hat in dieser Einheit keinen Wert, das wäre eine Division durch null.",
    UnitErrorKind.TWO_UNITS: "Bei der Zahl steht „{first}“, als Einheit „{second}“: Nur eines davon gilt.",
}
_GERMAN_KINDS = {
    "length": "eine Länge",
    "area": "eine Fläche",
    "volume": "einen Rauminhalt",
    "mass": "eine Masse",
    "time": "eine Zeit",
    "temperature": "eine Temperatur",
    "angle": "einen Winkel",
    "data": "eine Datenmenge",
    "data rate": "eine Datenrate",
    "speed": "eine Geschwindigkeit",
    "pace": "ein Lauftempo",
    "frequency": "eine Frequenz",
    "force": "eine Kraft",
    "pressure": "einen Druck",
    "energy": "eine Energie",
    "power": "eine Leistung",
    "fuel economy": "eine Reichweite",
    "density": "eine Dichte",
    "flow": "einen Durchfluss",
    "charge": "eine Ladung",
    "current": "eine Stromstärke",
    "voltage": "eine Spannung",
    "resistance": "einen Widerstand",
}
_QUOTE_LIMIT = 40
_PLACES = ("first", "second", "third", "fourth")
_KIND_PLACES = frozenset({"second", "fourth"})


class UnitError(BadArguments):
    """A conversion that comes to nothing; `details` fill its sentence in order."""

    def __init__(self, kind: UnitErrorKind, *details: str) -> None:
        super().__init__(_sentence(kind, details, german=False))
        self.kind = kind
        self.details = details


def _sentence(kind: UnitErrorKind, details: tuple[str, ...], *, german: bool) -> str:
    limit = 3 * _QUOTE_LIMIT
    filled = dict(zip(_PLACES, details, strict=False))
    for place, text in filled.items():
        longest = limit if place == "second" else _QUOTE_LIMIT
        clean = (
            " ".join(text.replace('"', "'").split()) if text.isprintable() else "".join(filter(str.isprintable, text))
        )
        filled[place] = clean if len(clean) <= longest else clean[: longest - 1] + "…"
        if german and kind is UnitErrorKind.INCOMPATIBLE and place in _KIND_PLACES:
            filled[place] = _GERMAN_KINDS.get(text, text)
    return (_GERMAN if german else _ENGLISH)[kind].format(**filled)


def explained(message: str, *, german: bool) -> str:
    """The sentence of a UnitError in the language asked for; another message comes back unchanged."""
    text = message.strip()
    for kind, template in _ENGLISH.items():
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*?)", re.escape(template))
        if found := re.fullmatch(pattern, text):
            groups = found.groupdict()
            return _sentence(kind, tuple(groups[place] for place in _PLACES if place in groups), german=german)
    return text
