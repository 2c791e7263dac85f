"""Dates and times of day in both languages, dates that are none, and days found by counting."""

from __future__ import annotations

import contextlib
import time as clock
from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.reading.moments import NotADate, read_moment, written_moment

TODAY = date(2026, 11, 30)
"""A Monday."""


@pytest.mark.parametrize(
    ("text", "day", "hour"),
    [
        ("2026-10-25 02:30", date(2026, 10, 25), time(2, 30)),
        ("02:30 on 2026-10-25", date(2026, 10, 25), time(2, 30)),
        ("2026-10-25T02:30", date(2026, 10, 25), time(2, 30)),
        ("14:00", None, time(14)),
        ("2pm", None, time(14)),
        ("12 a.m.", None, time(0)),
        ("12:15 pm", None, time(12, 15)),
        ("3 o'clock in the afternoon", None, time(15)),
        ("14 Uhr", None, time(14)),
        ("14 Uhr 30", None, time(14, 30)),
        ("14.30 Uhr", None, time(14, 30)),
        ("24:00", None, time(0)),
        ("noon", None, time(12)),
        ("Mitternacht", None, time(0)),
        ("25.10.2026 um 2:30 Uhr", date(2026, 10, 25), time(2, 30)),
        ("25. Oktober 2026", date(2026, 10, 25), None),
        ("den 1. März 2027", date(2027, 3, 1), None),
        ("Oct 25, 2026", date(2026, 10, 25), None),
        ("October 25th 2026 at 3:15 pm", date(2026, 10, 25), time(15, 15)),
        ("25 October", date(2027, 10, 25), None),
        ("1.5.", date(2027, 5, 1), None),
        ("29 Feb", date(2028, 2, 29), None),
        ("25/10/2026", date(2026, 10, 25), None),
        ("10/25/2026", date(2026, 10, 25), None),
        ("today", TODAY, None),
        ("morgen um 9 Uhr", date(2026, 12, 1), time(9)),
        ("the day after tomorrow", date(2026, 12, 2), None),
        ("vorgestern", date(2026, 11, 28), None),
        ("Monday", TODAY, None),
        ("next Monday", date(2026, 12, 7), None),
        ("nächsten Freitag 17:00", date(2026, 12, 4), time(17)),
    ],
)
def test_a_moment_is_read(text: str, day: date | None, hour: time | None) -> None:
    moment = read_moment(text, TODAY)
    assert moment is not None
    assert (moment.day, moment.time) == (day, hour)


@pytest.mark.parametrize(
    "text", ["", "nonsense", "12", "13pm", "25:00", "see you at 5 pm then", "3.14", "version 1.2.3", "192.168.1.1"]
)
def test_what_is_more_or_less_than_a_moment_is_not_read(text: str) -> None:
    assert read_moment(text, TODAY) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("29 Feb 2027", "29 February 2027 is not a date: 2027 is not a leap year."),
        ("29. Februar 2027", "29 February 2027 is not a date: 2027 is not a leap year."),
        ("29.2.1900", "29 February 1900 is not a date: 1900 is not a leap year."),
        ("31.6.2026", "31 June 2026 is not a date: June has 30 days."),
        ("2026-13-45", "2026-13-45 is not a date."),
        ("30 Feb", "30 February 2026 is not a date: February has 28 days."),
        ("10/11/2026", "10/11/2026 is not a date: it may mean two days; write it as YYYY-MM-DD."),
        ("one year after 29 Feb 2027", "29 February 2027 is not a date: 2027 is not a leap year."),
        ("99999 years from now", "That is not a date: it is beyond the years 1 to 9999."),
    ],
)
def test_what_is_no_date_says_why(text: str, message: str) -> None:
    with pytest.raises(NotADate) as raised:
        read_moment(text, TODAY)
    assert raised.value.user_message == message


@pytest.mark.parametrize(
    ("text", "day", "moved"),
    [
        ("one year after 29 Feb 2028", date(2029, 2, 28), True),
        ("ein Jahr nach dem 29. Februar 2028", date(2029, 2, 28), True),
        ("four years after 29 Feb 2028", date(2032, 2, 29), False),
        ("one year before 29 Feb 2028", date(2027, 2, 28), True),
        ("one month after 31 January 2027", date(2027, 2, 28), True),
        ("2 Monate vor dem 31.12.2026", date(2026, 10, 31), False),
        ("in 90 days", date(2027, 2, 28), False),
        ("in 90 Tagen", date(2027, 2, 28), False),
        ("3 weeks ago", date(2026, 11, 9), False),
        ("vor drei Wochen", date(2026, 11, 9), False),
        ("3 days from today", date(2026, 12, 3), False),
        ("10 days from now", date(2026, 12, 10), False),
        ("one year after today", date(2027, 11, 30), False),
    ],
)
def test_a_day_is_found_by_counting_and_a_missing_one_is_the_months_last(text: str, day: date, moved: bool) -> None:
    moment = read_moment(text, TODAY)
    assert moment is not None
    assert moment.counted is not None
    assert (moment.day, moment.counted.moved) == (day, moved)


@pytest.mark.parametrize(
    ("text", "day", "hour"),
    [
        ("What is 02:30 in Berlin on 2026-10-25 in UTC?", "2026-10-25", "02:30"),
        ("29 Feb 2027?", "29 Feb 2027", ""),
        ("wenn es hier 15 Uhr ist", "", "15 Uhr"),
        ("one year after 29 Feb 2028", "one year after 29 Feb 2028", ""),
        ("What time is it?", "", ""),
    ],
)
def test_the_words_of_a_moment_are_found_whether_it_exists_or_not(text: str, day: str, hour: str) -> None:
    assert written_moment(text)[:2] == (day, hour)


@given(st.text(max_size=80))
def test_no_text_is_too_strange(text: str) -> None:
    with contextlib.suppress(NotADate):
        read_moment(text, TODAY)
    written_moment(text)


@pytest.mark.speed
@pytest.mark.parametrize("piece", ["1 ", "1.", "1-", "12:", "in 1 day ", "the ", "jan ", "a year after ", "next "])
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    text = (piece * 2_000)[:2_000]
    began = clock.process_time()
    written_moment(text)
    assert clock.process_time() - began < 0.1
