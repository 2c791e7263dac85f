"""Conversions of units: found in what people write, worked out exactly, answered in a line.

Every name of a unit is looked up in a table of German and English names: no text of anybody is ever parsed as an
expression. Pint works out the values and is imported by `convert` alone.
"""

from jarvisbot.reading.units.answer import asks_into_which, error_reply, reply
from jarvisbot.reading.units.conversion import Conversion, convert
from jarvisbot.reading.units.faults import UnitError, UnitErrorKind
from jarvisbot.reading.units.message import covers, follow_up, lacks_target, request_in

__all__ = [
    "Conversion",
    "UnitError",
    "UnitErrorKind",
    "asks_into_which",
    "convert",
    "covers",
    "error_reply",
    "follow_up",
    "lacks_target",
    "reply",
    "request_in",
]
