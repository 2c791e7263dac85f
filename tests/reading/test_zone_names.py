"""Time zones by name: whole ones, their ends, several, none."""

from __future__ import annotations

import zoneinfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jarvisbot.reading.zone_names import nearest_zones, zones_named


def test_every_iana_name_is_itself_in_any_case() -> None:
    for name in zoneinfo.available_timezones() - {"Factory", "localtime"}:
        for said in (name, name.lower(), name.upper().replace("_", " ")):
            assert zones_named(said) == (name,)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Berlin", "Europe/Berlin"),
        ("berlin.", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("New_York", "America/New_York"),
        ("Buenos Aires", "America/Argentina/Buenos_Aires"),
        ("argentina/buenos aires", "America/Argentina/Buenos_Aires"),
        ("Indianapolis", "America/Indiana/Indianapolis"),
        ("louisville", "America/Kentucky/Louisville"),
        ("São Paulo", "America/Sao_Paulo"),
        ("Zürich", "Europe/Zurich"),
        ("ho chi  minh", "Asia/Ho_Chi_Minh"),
        ("Kolkata", "Asia/Kolkata"),
        ("utc", "UTC"),
        ("GMT", "GMT"),
        ("Etc/GMT-2", "Etc/GMT-2"),
        ("Europe / Berlin", "Europe/Berlin"),
    ],
)
def test_the_end_of_a_name_is_enough(said: str, name: str) -> None:
    assert zones_named(said) == (name,)


@pytest.mark.parametrize(
    "said", ["", " ", "/", "Nowhere", "Europe", "Europe/", "GMT-2", "GMT+2", "../../etc/passwd", "Factory"]
)
def test_what_is_no_zone_finds_none(said: str) -> None:
    assert zones_named(said) == ()


def test_a_name_that_stands_for_several_gives_all_of_them() -> None:
    assert zones_named("mountain") == ("Canada/Mountain", "US/Mountain")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Berln", "Europe/Berlin"),
        ("Tokio", "Asia/Tokyo"),
        ("Europe/Berln", "Europe/Berlin"),
        ("Lisabon", "Europe/Lisbon"),
    ],
)
def test_the_nearest_name_is_offered_first(said: str, name: str) -> None:
    assert nearest_zones(said)[0] == name
    assert len(nearest_zones(said)) <= 3


@given(st.text(max_size=60))
@settings(max_examples=60)
def test_whatever_is_found_is_a_zone(said: str) -> None:
    for name in (*zones_named(said), *nearest_zones(said)):
        zoneinfo.ZoneInfo(name)
