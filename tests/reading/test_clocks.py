"""Clock lines and their reading back, and what a local time stands for where clocks are changed."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.reading.clocks import clock_line, gap, is_zone, read_back, readings, resolve, zone_of

CASES = Path(__file__).resolve().parent.parent / "cases" / "tools.jsonl"
ZONES = [
    "UTC",
    "Europe/Berlin",
    "Asia/Kathmandu",
    "America/St_Johns",
    "Pacific/Chatham",
    "Australia/Lord_Howe",
    "UTC-3:30",
]


def rows(kind: str) -> list[Any]:
    lines = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [pytest.param(row, id=row["id"]) for row in lines if row["kind"] == kind]


@pytest.mark.parametrize("case", rows("clock_format"))
def test_a_line_tells_local_time_offset_and_date(case: dict[str, Any]) -> None:
    line = clock_line(datetime.fromisoformat(case["instant"]), case["zone"], case["place"])
    assert line == case["expect_line"]
    read = read_back(line)
    assert read is not None
    assert (read.time, read.offset, read.place) == (case["expect_time"], case["expect_offset"], case["place"])
    assert case["instant"] not in line


@pytest.mark.parametrize("case", rows("clock_read_back"))
def test_a_line_is_read_back_and_an_instant_is_none(case: dict[str, Any]) -> None:
    read = read_back(case["line"])
    assert (read and read.time) == case["expect_time"]
    assert (read and read.place) == case["expect_place"]


@pytest.mark.parametrize(
    ("zone", "line"),
    [
        ("UTC", "12:00 UTC (UTC+0, UTC), Mon 30 Nov 2026"),
        ("Europe/London", "12:00 GMT (UTC+0, Europe/London), Mon 30 Nov 2026"),
        ("Atlantic/Reykjavik", "12:00 GMT (UTC+0, Atlantic/Reykjavik), Mon 30 Nov 2026"),
        ("America/New_York", "07:00 GMT-5 (UTC-5, America/New_York), Mon 30 Nov 2026"),
        ("America/St_Johns", "08:30 GMT-3:30 (UTC-3:30, America/St_Johns), Mon 30 Nov 2026"),
        ("Europe/Istanbul", "15:00 GMT+3 (UTC+3, Europe/Istanbul), Mon 30 Nov 2026"),
        ("Pacific/Chatham", "01:45 GMT+13:45 (UTC+13:45, Pacific/Chatham), Tue 1 Dec 2026"),
        ("UTC+5:30", "17:30 GMT+5:30 (UTC+5:30, UTC+5:30), Mon 30 Nov 2026"),
    ],
)
def test_letters_are_told_where_they_mean_one_thing(zone: str, line: str) -> None:
    assert clock_line(datetime(2026, 11, 30, 12, tzinfo=UTC), zone) == line


@given(
    st.datetimes(datetime.fromisoformat("1971-01-02"), datetime.fromisoformat("2099-12-30")),
    st.sampled_from(ZONES),
    st.one_of(st.none(), st.from_regex(r"[A-Za-zÀ-ÿ]{2,12}(, [A-Za-z]{2,12})?", fullmatch=True)),
)
def test_whatever_is_told_is_read_back(moment: datetime, zone: str, place: str | None) -> None:
    instant = moment.replace(tzinfo=UTC)
    line = clock_line(instant, zone, place)
    read = read_back(line)
    local = instant.astimezone(zone_of(zone))
    assert read is not None
    assert (read.time, read.date, read.zone, read.place) == (f"{local:%H:%M}", local.date(), zone, place)
    assert read.offset_minutes * 60 == (local.utcoffset() or local - local).total_seconds()


@pytest.mark.parametrize(
    "text", ["", "09:04", "09:04 CEST", "25:00 CET (UTC+1, Europe/Berlin), Mon 30 Nov 2026", "Tue 31 Feb 2026",
             "09:04 CET (UTC+1, Europe/Berlin), Tue 31 Feb 2026", "2026-11-30T09:04:00+01:00"],
)  # fmt: skip
def test_what_is_no_clock_line_is_not_read(text: str) -> None:
    assert read_back(text) is None


def test_every_line_of_a_result_is_read_in_order() -> None:
    lines = (
        "Lima, Peru — 07:26 GMT-5 (UTC-5, America/Lima), Mon 11 May 2026\n"
        "09:26 GMT-3 (UTC-3, America/Sao_Paulo), Mon 11 May 2026"
    )
    assert [(reading.place, reading.time) for reading in readings(lines)] == [("Lima, Peru", "07:26"), (None, "09:26")]


@pytest.mark.parametrize(
    ("wall", "zone", "instants"),
    [
        ("2026-10-25T02:30", "Europe/Berlin", ["2026-10-25T00:30", "2026-10-25T01:30"]),
        ("2026-10-25T03:00", "Europe/Berlin", ["2026-10-25T02:00"]),
        ("2026-03-29T02:30", "Europe/Berlin", []),
        ("2026-03-29T03:00", "Europe/Berlin", ["2026-03-29T01:00"]),
        ("2026-04-05T01:45", "Australia/Lord_Howe", ["2026-04-04T14:45", "2026-04-04T15:15"]),
        ("2026-10-04T02:15", "Australia/Lord_Howe", []),
        ("2011-12-30T12:00", "Pacific/Apia", []),
        ("2026-07-01T12:00", "Asia/Kathmandu", ["2026-07-01T06:15"]),
        ("2026-07-01T12:00", "UTC-3:30", ["2026-07-01T15:30"]),
    ],
)
def test_a_local_time_comes_once_twice_or_not_at_all(wall: str, zone: str, instants: list[str]) -> None:
    expected = tuple(datetime.fromisoformat(f"{instant}+00:00") for instant in instants)
    assert resolve(datetime.fromisoformat(wall), zone) == expected


@pytest.mark.parametrize(
    ("wall", "zone", "change"),
    [
        ("2026-03-29T02:30", "Europe/Berlin", (time(2), time(3))),
        ("2026-10-04T02:15", "Australia/Lord_Howe", (time(2), time(2, 30))),
        ("2011-12-30T12:00", "Pacific/Apia", (time(0), time(0))),
    ],
)
def test_a_gap_is_told_by_its_ends(wall: str, zone: str, change: tuple[time, time]) -> None:
    assert gap(datetime.fromisoformat(wall), zone) == change


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Europe/Berlin", True),
        ("UTC", True),
        ("UTC+5:30", True),
        ("Mars/Olympus", False),
        ("", False),
        ("../etc", False),
        ("\0", False),
    ],
)
def test_a_zone_is_one_of_the_database_or_an_offset(name: str, known: bool) -> None:
    assert is_zone(name) is known


def test_a_date_is_read_as_one() -> None:
    read = read_back("09:04 CET (UTC+1, Europe/Berlin), Mon 30 Nov 2026")
    assert read is not None
    assert read.date == date(2026, 11, 30)
