"""Sums: found in what people write, worked out exactly, answered in a sentence.

Nothing here asks anyone or changes anything, and no expression costs more than a few milliseconds: sizes are bounded before
they are computed.
"""

from jarvisbot.reading.arithmetic.answer import error_reply, reply
from jarvisbot.reading.arithmetic.evaluation import Evaluation, evaluate
from jarvisbot.reading.arithmetic.faults import SumError, SumErrorKind
from jarvisbot.reading.arithmetic.going_on import goes_on, sum_going_on
from jarvisbot.reading.arithmetic.message import covers, sum_in

__all__ = [
    "Evaluation",
    "SumError",
    "SumErrorKind",
    "covers",
    "error_reply",
    "evaluate",
    "goes_on",
    "reply",
    "sum_going_on",
    "sum_in",
]
