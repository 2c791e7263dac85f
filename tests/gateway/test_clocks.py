"""Clock questions through the whole bot: places and zones in both languages, a clock that is asked anew each time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from jarvisbot.store import people
from jarvisbot.types import Answered
from tests.fakes import FakeClock, said
from tests.gateway.conftest import Bot, running

PLACES = [
    ("Kathmandu", "Kathmandu", "Asia/Kathmandu"),
    ("Lord Howe", "Lord Howe", "Australia/Lord_Howe"),
    ("St. John's", "St. John's", "America/St_Johns"),
    ("the Chatham Islands", "den Chathaminseln", "Pacific/Chatham"),
    ("Adelaide", "Adelaide", "Australia/Adelaide"),
    ("Reykjavik", "Reykjavík", "Atlantic/Reykjavik"),
    ("Tokyo", "Tokio", "Asia/Tokyo"),
    ("Vienna", "Wien", "Europe/Vienna"),
    ("New York", "New York", "America/New_York"),
    ("New Delhi", "Neu-Delhi", "Asia/Kolkata"),
    ("Cape Town", "Kapstadt", "Africa/Johannesburg"),
    ("São Paulo", "Sao Paulo", "America/Sao_Paulo"),
    ("Lima", "Lima", "America/Lima"),
    ("Tehran", "Teheran", "Asia/Tehran"),
    ("Kabul", "Kabul", "Asia/Kabul"),
    ("Yangon", "Rangun", "Asia/Yangon"),
    ("Honolulu", "Honolulu", "Pacific/Honolulu"),
    ("Apia", "Apia", "Pacific/Apia"),
    ("Moscow", "Moskau", "Europe/Moscow"),
    ("Beijing", "Peking", "Asia/Shanghai"),
    ("Cairo", "Kairo", "Africa/Cairo"),
    ("Milan", "Mailand", "Europe/Rome"),
    ("the Netherlands", "den Niederlanden", "Europe/Amsterdam"),
    ("Slovakia", "der Slowakei", "Europe/Bratislava"),
    ("Iceland", "Island", "Atlantic/Reykjavik"),
    ("Kiritimati", "Kiritimati", "Pacific/Kiritimati"),
]


def at(instant: str) -> FakeClock:
    return FakeClock(datetime.fromisoformat(instant))


async def asks(bot: Bot, text: str) -> str:
    """The answer to one message; no model may have been asked."""
    before = len(bot.ends)
    await bot.hears(said(text, sent=bot.clock.now()))
    await bot.settles()
    assert len(bot.ends) == before + 1
    end = bot.ends[-1]
    assert isinstance(end, Answered), end
    return end.text


@pytest.mark.parametrize("instant", ["2026-11-30T12:00Z", "2026-07-01T22:30Z"])
@pytest.mark.parametrize("german", [False, True], ids=["en", "de"])
async def test_the_time_in_many_places_is_told_by_code(folder: Path, instant: str, german: bool) -> None:
    clock = at(instant)
    now = clock.now()
    async with running(folder, clock=clock) as bot:
        questions = {f"r{number}": place for number, place in enumerate(PLACES)}
        ask = "Wie spät ist es in {}?" if german else "What time is it in {}?"
        for room, place in questions.items():
            await bot.hears(said(ask.format(place[german]), room=room, sent=now))
        await bot.settles()
        answers = [end.text for end in bot.ends if isinstance(end, Answered)]
    expected = set()
    for english, in_german, zone in PLACES:
        time = f"{now.astimezone(ZoneInfo(zone)):%H:%M}"
        line = (
            f"In {in_german} ist es gerade {time} Uhr ({zone})." if german else f"In {english} it is {time} ({zone})."
        )
        expected.add(line)
    assert set(answers) == expected


async def test_a_persons_own_zone_counts_whatever_the_machines_is_and_is_named(folder: Path) -> None:
    async with running(folder, clock=at("2026-05-11T12:26Z"), settings={"bot.timezone": "UTC"}) as bot:
        assert await asks(bot, "what time is it?") == "It is 12:26 UTC."
        await bot.app.store.write(lambda db: people.set_zone(db, "fake:1", "America/Sao_Paulo"))
        assert await asks(bot, "what time is it?") == "It is 09:26 (America/Sao_Paulo)."
        assert await asks(bot, "Wie spät ist es?") == "Es ist 09:26 Uhr (America/Sao_Paulo)."
        assert await asks(bot, "What day is it?") == "Today is Monday, 11 May 2026."


async def test_the_clock_is_looked_at_each_time_also_over_midnight(folder: Path) -> None:
    async with running(folder, clock=at("2026-11-30T10:00Z"), settings={"bot.timezone": "Europe/London"}) as bot:
        assert await asks(bot, "What time is it?") == "It is 10:00."
        assert await asks(bot, "What day is it?") == "Today is Monday, 30 November 2026."
        bot.clock.jump((datetime(2026, 11, 30, 13, 30, tzinfo=UTC) - bot.clock.now()).total_seconds())
        assert await asks(bot, "What time is it?") == "It is 13:30."
        bot.clock.jump((datetime(2026, 12, 1, 0, 1, tzinfo=UTC) - bot.clock.now()).total_seconds())
        assert await asks(bot, "what day is it?") == "Today is Tuesday, 1 December 2026."
        assert await asks(bot, "What time is it?") == "It is 00:01."
        rows = await bot.app.store.rows("SELECT count(*) AS number FROM calls")
        assert rows[0]["number"] == 5


@pytest.mark.parametrize(
    ("messages", "answer"),
    [
        (
            ["What is 02:30 in Berlin on 2026-10-25 in UTC?"],
            "02:30 in Berlin comes twice on Sunday, 25 October 2026, when clocks are set back: it is 00:30 UTC the first time "
            "and 01:30 UTC the second.",
        ),
        (
            ["What is 02:30 in Berlin on 2026-10-25 in UTC?", "on 2026-03-29?"],
            "02:30 does not exist in Berlin on Sunday, 29 March 2026: clocks go from 02:00 straight to 03:00.",
        ),
        (
            ["What is 02:30 in Berlin on 2026-10-25 in UTC?", "on 2026-07-01?"],
            "02:30 in Berlin on Wednesday, 1 July 2026 is 00:30 UTC.",
        ),
        (
            ["Was ist 02:30 Uhr in Berlin am 29.3.2026 in UTC?"],
            "02:30 Uhr gibt es in Berlin am Sonntag, dem 29. März 2026, nicht: Die Uhren gehen von 02:00 Uhr gleich auf "
            "03:00 Uhr.",
        ),
        (["29 Feb 2027?"], "29 February 2027 is not a date: 2027 is not a leap year."),
        (["29. Februar 2027?"], "Den 29. Februar 2027 gibt es nicht: 2027 ist kein Schaltjahr."),
        (
            ["one year after 29 Feb 2028"],
            "1 year after 29 February 2028 is Wednesday, 28 February 2029. That month has no day 29, so its last day is taken.",
        ),
        (
            ["ein Jahr nach dem 29. Februar 2028"],
            "1 Jahr nach dem 29. Februar 2028 ist Mittwoch, der 28. Februar 2029. Der Monat hat keinen 29., darum gilt sein "
            "letzter Tag.",
        ),
        (["time in Kathmandu"], "In Kathmandu it is 17:45 (Asia/Kathmandu)."),
        (
            ["time in Kathmandu", "in Lord Howe"],
            "In Lord Howe it is 23:00 on Monday, 30 November 2026 (Australia/Lord_Howe).",
        ),
        (
            ["CST"],
            "Which “CST” do you mean: Central Standard Time (Chicago), China Standard Time (Shanghai) or Cuba Standard Time "
            "(Havana)?",
        ),
        (["time in Georgia"], "Which “Georgia” do you mean: Georgia (country) or Georgia (US state)?"),
        (
            ["Wie spät ist es in Georgia?"],
            "Was meinst du mit „Georgia“: Georgien (Land) oder Georgia (US-Bundesstaat)?",
        ),
        (
            ["wie viel uhr es in kanada ist"],
            "„Kanada“ hat mehrere Zeitzonen. Welche Stadt meinst du, zum Beispiel Ottawa?",
        ),
        (["What time is it in Blefuscu?"], "I do not know a place called “Blefuscu”. Which town do you mean?"),
        (["Weltuhr bitte"], "Welchen Ort meinst du: welche Stadt oder welches Land?"),
        (
            ["What time is it in Lima?", "and in Oslo?", "and there?"],
            "In Oslo it is 13:00 on Monday, 30 November 2026 (Europe/Oslo).",
        ),
        (
            ["Wie spät ist es in Lima?", "und in Tokio?"],
            "In Tokio ist es gerade 21:00 Uhr am Montag, dem 30. November 2026 (Asia/Tokyo).",
        ),
        (["What is 14:00 UTC in Tokyo?"], "14:00 UTC on Monday, 30 November 2026 is 23:00 in Tokyo."),
        (
            ["Wie spät ist es in Auckland, wenn es hier 15 Uhr ist?"],
            "15:00 Uhr hier am Montag, dem 30. November 2026, ist 04:00 Uhr in Auckland am Dienstag, dem 1. Dezember 2026.",
        ),
        (
            ["Zeitunterschied zwischen Wien und Kathmandu"],
            "Es ist 13:00 Uhr in Wien und 17:45 Uhr in Kathmandu: 4 Stunden und 45 Minuten später.",
        ),
    ],
)
async def test_hard_questions_are_answered_or_asked_back(folder: Path, messages: list[str], answer: str) -> None:
    async with running(folder, settings={"bot.timezone": "Europe/London"}) as bot:
        for message in messages[:-1]:
            await asks(bot, message)
        found = await asks(bot, messages[-1])
    assert found == answer


async def test_a_clock_question_beside_another_goes_to_the_model_with_the_clock_read(folder: Path) -> None:
    from jarvisbot.models.scripted import Scripted

    model = Scripted(["It is 13:00 in Vienna, and Rome is older."])
    async with running(folder, model=model) as bot:
        text = await asks(bot, "What time is it in Vienna, and which is older, Vienna or Rome?")
    assert text.startswith("It is 13:00")
    assert any("Vienna, Austria — 13:00 CET" in str(request.items) for request in model.requests)
