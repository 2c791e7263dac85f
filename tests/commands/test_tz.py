"""/tz: the time zone shown and chosen."""

from __future__ import annotations

import pytest

from jarvisbot.store.people import Preferences
from tests.test_command import Choices, say


@pytest.mark.parametrize(
    ("chosen", "language", "words"),
    [
        (
            None,
            "en",
            "Your time zone is `Europe/Berlin` (the config's or this machine's); it is 13:05, Mon 30 Nov 2026 (UTC+1)",
        ),
        (
            "Asia/Tokyo",
            "en",
            "Your time zone is `Asia/Tokyo` (your choice); it is 21:05, Mon 30 Nov 2026 (UTC+9) there.",
        ),
        (
            "Asia/Kathmandu",
            "en",
            "Your time zone is `Asia/Kathmandu` (your choice); it is 17:50, Mon 30 Nov 2026 (UTC+5:45)",
        ),
        (
            "Pacific/Auckland",
            "de",
            "Deine Zeitzone ist `Pacific/Auckland` (von dir gewählt); dort ist es 01:05 Uhr, Di 1.12.2026 (UTC+13).",
        ),
        ("America/St_Johns", "de", "Deine Zeitzone ist `America/St_Johns` (von dir gewählt); dort ist es 08:35 Uhr"),
        (
            "America/St_Johns",
            "en",
            "Your time zone is `America/St_Johns` (your choice); it is 08:35, Mon 30 Nov 2026 (UTC-3:30)",
        ),
    ],
)
async def test_the_zone_is_shown_with_the_time_there(chosen: str | None, language: str, words: str) -> None:
    text = await say("tz", language=language, choices=Choices(chosen=Preferences(zone=chosen)))
    assert text is not None
    assert text.startswith(words)
    assert "/tz auto" in text


@pytest.mark.parametrize(
    ("wanted", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("utc", "UTC"),
    ],
)
async def test_a_zone_is_chosen_by_its_name_or_the_end_of_it(wanted: str, zone: str) -> None:
    choices = Choices(chosen=Preferences(language="fr"))
    text = await say("tz", wanted, choices=choices)
    assert choices.chosen == Preferences(language="fr", zone=zone)
    assert choices.users == {"fake:1"}
    assert f"`{zone}` (your choice); it is " in str(text)


@pytest.mark.parametrize("wanted", ["auto", "AUTO"])
async def test_auto_follows_the_config_again(wanted: str) -> None:
    choices = Choices(chosen=Preferences(zone="Asia/Tokyo"))
    assert "`Europe/Berlin` (the config's" in str(await say("tz", wanted, choices=choices))
    assert choices.chosen.zone is None


@pytest.mark.parametrize(
    ("wanted", "language", "words"),
    [
        ("Berln", "en", "I know no time zone `Berln`. The nearest: `/tz Europe/Berlin`"),
        ("Berln", "de", "Die Zeitzone `Berln` kenne ich nicht. Am nächsten: `/tz Europe/Berlin`"),
        ("qqqqq", "en", "I know no time zone `qqqqq`. Write it like `/tz Europe/Berlin`."),
        ("+02:00", "en", "`+02:00` knows no summer time: name a town"),
        ("GMT+2", "de", "`GMT+2` kennt keine Sommerzeit: nenne eine Stadt"),
        ("UTC-5", "en", "`UTC-5` knows no summer time"),
        ("mountain", "en", "`mountain` stands for several: `/tz Canada/Mountain`, `/tz US/Mountain`."),
        ("../../etc/passwd", "en", "I know no time zone"),
        ("x" * 4_000, "en", "I know no time zone"),
    ],
)
async def test_an_unknown_zone_changes_nothing_and_says_what_to_write(wanted: str, language: str, words: str) -> None:
    choices = Choices(chosen=Preferences(zone="Asia/Tokyo"))
    text = await say("tz", wanted, choices=choices, language=language)
    assert text is not None
    assert text.startswith(words)
    assert len(text) < 300
    assert choices.chosen.zone == "Asia/Tokyo"
