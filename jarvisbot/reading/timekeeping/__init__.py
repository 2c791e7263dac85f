"""Clock questions: what they ask, what the clocks of the world tell, and the sentence that answers."""

from jarvisbot.reading.timekeeping.questions import ClockQuestion, Wanted, clock_question
from jarvisbot.reading.timekeeping.replies import reply
from jarvisbot.reading.timekeeping.seeding import answered, call_for, place_wanted
from jarvisbot.reading.timekeeping.telling import ClockError, told

__all__ = [
    "ClockError",
    "ClockQuestion",
    "Wanted",
    "answered",
    "call_for",
    "clock_question",
    "place_wanted",
    "reply",
    "told",
]
