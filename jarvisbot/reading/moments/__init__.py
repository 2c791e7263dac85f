"""Dates and times of day as people write them, in English and German, and what becomes of a date by counting."""

from jarvisbot.reading.moments.counting import Counted
from jarvisbot.reading.moments.dates import NotADate
from jarvisbot.reading.moments.moment import Moment, moment_in, read_moment, written_moment

__all__ = ["Counted", "Moment", "NotADate", "moment_in", "read_moment", "written_moment"]
