"""Names of places and the zones they mean, from the table that comes with the package."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.errors import MissingPart
from jarvisbot.reading.places import Doubtful, Located, SeveralZones, locate
from jarvisbot.reading.places import table as table_module
from jarvisbot.reading.places.folding import folded
from jarvisbot.reading.places.table import Table, table

WINTER, SUMMER = datetime(2026, 1, 15, 12, tzinfo=UTC), datetime(2026, 7, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "label", "zone"),
    [
        ("Wien", "Vienna, Austria", "Europe/Vienna"),
        ("vienna", "Vienna, Austria", "Europe/Vienna"),
        ("Mailand", "Milan, Italy", "Europe/Rome"),
        ("Brüssel", "Brussels, Belgium", "Europe/Brussels"),
        ("Bruessel", "Brussels, Belgium", "Europe/Brussels"),
        ("Moskau", "Moscow, Russia", "Europe/Moscow"),
        ("Peking", "Beijing, China", "Asia/Shanghai"),
        ("Tokio", "Tokyo, Japan", "Asia/Tokyo"),
        ("Rom", "Rome, Italy", "Europe/Rome"),
        ("Köln", "Köln, Germany", "Europe/Berlin"),
        ("Koeln", "Köln, Germany", "Europe/Berlin"),
        ("Sao Paulo", "São Paulo, Brazil", "America/Sao_Paulo"),
        ("REYKJAVIK", "Reykjavík, Iceland", "Atlantic/Reykjavik"),
        ("New York", "New York, USA", "America/New_York"),
        ("NYC", "New York City, USA", "America/New_York"),
        ("Frankfurt am Main", "Frankfurt am Main, Germany", "Europe/Berlin"),
        ("Neustadt an der Weinstraße", "Neustadt an der Weinstraße, Germany", "Europe/Berlin"),
        ("Bad Reichenhall", "Bad Reichenhall, Germany", "Europe/Berlin"),
        ("The Hague", "The Hague, Netherlands", "Europe/Amsterdam"),
        ("Den Haag", "The Hague, Netherlands", "Europe/Amsterdam"),
        ("Hanoi", "Hanoi, Vietnam", "Asia/Ho_Chi_Minh"),
        ("Lord Howe", "Lord Howe Island, Australia", "Australia/Lord_Howe"),
        ("St. John's", "St. John's, Canada", "America/St_Johns"),
        ("Vaduz", "Vaduz, Liechtenstein", "Europe/Vaduz"),
        ("Deutschland", "Berlin, Germany", "Europe/Berlin"),
        ("the Netherlands", "Amsterdam, Netherlands", "Europe/Amsterdam"),
        ("den Niederlanden", "Amsterdam, Netherlands", "Europe/Amsterdam"),
        ("Iceland", "Reykjavik, Iceland", "Atlantic/Reykjavik"),
        ("Island", "Reykjavik, Iceland", "Atlantic/Reykjavik"),
        ("Spanien", "Madrid, Spain", "Europe/Madrid"),
        ("Portugal", "Lisbon, Portugal", "Europe/Lisbon"),
        ("Singapur", "Singapore", "Asia/Singapore"),
        ("Hongkong", "Hong Kong", "Asia/Hong_Kong"),
        ("Schottland", "London, United Kingdom", "Europe/London"),
        ("Texas", "Texas, USA", "America/Chicago"),
        ("Kalifornien", "California, USA", "America/Los_Angeles"),
        ("Tasmanien", "Tasmania, Australia", "Australia/Hobart"),
        ("Teneriffa", "Canary Islands, Spain", "Atlantic/Canary"),
        ("Hawaii", "Hawaii, USA", "Pacific/Honolulu"),
        ("Paris, Texas", "Paris, TX, USA", "America/Chicago"),
        ("Springfield, Illinois", "Springfield, IL, USA", "America/Chicago"),
        ("Springfield, MA", "Springfield, MA, USA", "America/New_York"),
        ("Portland Oregon", "Portland, OR, USA", "America/Los_Angeles"),
        ("London, Kanada", "London, Canada", "America/Toronto"),
        ("London in Ontario", "London, Canada", "America/Toronto"),
        ("Lima Peru", "Lima, Peru", "America/Lima"),
        ("Tokyo, Japan", "Tokyo, Japan", "Asia/Tokyo"),
        ("Georgia, USA", "Georgia, USA", "America/New_York"),
        ("Tiflis", "Tbilisi, Georgia", "Asia/Tbilisi"),
        ("Georgien", "Tbilisi, Georgia", "Asia/Tbilisi"),
    ],
)
def test_a_name_in_german_or_english_has_its_place(name: str, label: str, zone: str) -> None:
    assert locate(name, WINTER) == Located(label=label, zone=zone)


@pytest.mark.parametrize(
    "name", ["Paris", "London", "Birmingham", "Perth", "Sydney", "Venice", "Manchester", "Cork", "Alexandria"]
)
def test_of_equal_names_the_far_better_known_is_taken(name: str) -> None:
    assert isinstance(locate(name, WINTER), Located)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Springfield", {"Springfield, IL, USA", "Springfield, MA, USA"}),
        ("Cambridge", {"Cambridge, UK", "Cambridge, MA, USA"}),
        ("Newcastle", {"Newcastle upon Tyne, UK", "Newcastle, Australia"}),
        ("Georgia", {"Georgia (country)", "Georgia (US state)"}),
        ("Washington", {"Washington (US state)", "Washington, DC, USA"}),
    ],
)
def test_equal_names_with_different_clocks_are_doubtful(name: str, options: set[str]) -> None:
    found = locate(name, WINTER)
    assert isinstance(found, Doubtful)
    assert options <= set(found.options)


def test_options_are_written_in_the_language_of_the_reply() -> None:
    assert locate("Georgia", WINTER, language="de") == Doubtful(options=("Georgien (Land)", "Georgia (US-Bundesstaat)"))


@pytest.mark.parametrize(
    "name", ["USA", "Amerika", "Russland", "Brasilien", "Australien", "Kanada", "Mexiko", "Indonesien"]
)
def test_a_country_with_several_clocks_names_its_capital_as_an_example(name: str) -> None:
    found = locate(name, WINTER)
    assert isinstance(found, SeveralZones)
    assert found.town


def test_a_region_with_several_clocks_has_no_example() -> None:
    assert locate("Tennessee", WINTER) == SeveralZones(name="Tennessee", town="")


@pytest.mark.parametrize(
    "name", ["", "?", "Blefuscu", "raining", "42", "x" * 5_000, "in in in", "\0", "北京", "a | b", "\t\n"]
)
def test_what_is_no_known_place_is_none(name: str) -> None:
    assert locate(name, WINTER) is None


def test_places_that_agree_at_one_time_of_the_year_may_differ_at_another() -> None:
    phoenix, denver = locate("Phoenix", SUMMER), locate("Denver", SUMMER)
    assert isinstance(phoenix, Located)
    assert isinstance(denver, Located)
    assert SUMMER.astimezone(ZoneInfo(phoenix.zone)).utcoffset() != SUMMER.astimezone(ZoneInfo(denver.zone)).utcoffset()
    assert WINTER.astimezone(ZoneInfo(phoenix.zone)).utcoffset() == WINTER.astimezone(ZoneInfo(denver.zone)).utcoffset()


def test_every_zone_of_the_table_is_one_that_this_program_knows() -> None:
    assert len(table().zones) > 300
    for zone in table().zones:
        ZoneInfo(zone)


@pytest.mark.parametrize(
    ("name", "plain"),
    [("Saint-Étienne", "saint etienne"), ("St. Gallen", "saint gallen"), ("Łódź", "lodz"), ("Weißenburg", "weissenburg"),
     ("N'Djamena", "ndjamena"), ("  Den   Haag ", "den haag"), ("Sankt Pölten", "saint polten"), ("", "")],
)  # fmt: skip
def test_names_are_compared_without_accents_and_marks(name: str, plain: str) -> None:
    assert folded(name) == plain


def test_a_missing_table_is_named_with_its_remedy() -> None:
    with pytest.raises(MissingPart, match="install jarvisbot again"):
        table_module.unpacked(table_module.FILE.with_name("nowhere.table"))


@given(st.text(max_size=60))
def test_no_name_is_too_strange(name: str) -> None:
    locate(name, WINTER)


@pytest.mark.speed
def test_the_table_is_loaded_in_a_third_of_a_second_and_small() -> None:
    began = time.process_time()
    fresh = table_module.unpacked(table_module.FILE)
    assert time.process_time() - began < 0.3
    assert isinstance(fresh, Table)
    assert table_module.FILE.stat().st_size < 700_000


@pytest.mark.speed
@pytest.mark.parametrize(
    "name", ["Lima", "Springfield, Illinois", "Nowhere at all", "San Francisco", "a b c d e f g h", "x " * 50]
)
def test_a_name_is_looked_up_in_20_ms(name: str) -> None:
    locate("Lima", WINTER)
    spent = []
    for _ in range(5):
        began = time.process_time()
        locate(name, WINTER)
        spent.append(time.process_time() - began)
    assert min(spent) < 0.02
