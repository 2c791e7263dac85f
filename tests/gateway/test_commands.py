"""Commands in a running bot: choices that last, and traces that stay in their conversation."""

from __future__ import annotations

from pathlib import Path

from tests.fakes import said
from tests.gateway.conftest import running


async def test_a_chosen_language_holds_for_what_comes_after_it_in_every_room_and_after_a_restart(folder: Path) -> None:
    async with running(folder) as bot:
        await bot.hears(said("What is 2.5 * 2?"), said("/lang Deutsch"), said("What is 2.5 * 2?"))
        await bot.settles()
        first, chosen, second = bot.connector.shown
        assert "2.5 × 2 = 5" in first
        assert chosen.startswith("Ich antworte dir ab jetzt auf Deutsch.")
        assert "2,5 × 2 = 5" in second
    async with running(folder) as bot:
        await bot.hears(said("What is 2.5 * 2?", room="2"), said("What is 1.5 * 2?", user="2", room="3"))
        await bot.settles()
        assert "2,5 × 2 = 5" in "\n".join(bot.connector.shown)
        assert "1.5 × 2 = 3" in "\n".join(bot.connector.shown)


async def test_a_language_of_the_config_is_what_auto_comes_back_to(folder: Path) -> None:
    async with running(folder, settings={"bot.language": "de"}) as bot:
        await bot.hears(said("/lang en"), said("What is 2.5 * 2?"), said("/lang auto"), said("What is 2.5 * 2?"))
        await bot.settles()
        _, english, auto, german = bot.connector.shown
        assert "2.5 × 2 = 5" in english
        assert "the config says so" in auto
        assert "2,5 × 2 = 5" in german


async def test_a_chosen_zone_lasts(folder: Path) -> None:
    async with running(folder, settings={"bot.timezone": "Europe/Berlin"}) as bot:
        await bot.hears(said("/tz"), said("/tz kathmandu"))
        await bot.settles()
        assert "Europe/Berlin" in bot.connector.shown[0]
    async with running(folder, settings={"bot.timezone": "Europe/Berlin"}) as bot:
        await bot.hears(said("/tz", room="2"), said("/tz", user="2", room="3"))
        await bot.settles()
        shown = "\n".join(bot.connector.shown)
        assert "Asia/Kathmandu (your choice); it is 17:45" in shown
        assert "Europe/Berlin (the config's" in shown


async def test_why_tells_of_the_last_answer_of_its_own_room_only(folder: Path) -> None:
    async with running(folder, ["A pun."]) as bot:
        await bot.hears(said("What is 2+2?", room="1"), said("Say something silly about the moon", room="2"))
        await bot.settles()
        await bot.hears(said("/why", room="1"), said("/why", room="2"), said("/why", room="3"))
        await bot.settles()
        shown = {text.splitlines()[0]: text for text in bot.connector.shown}
        sums, moon = shown["On What is 2+2?:"], shown["On Say something silly about the moon:"]
        assert "arithmetic – it is meant for messages with" in sums
        assert "not asked" in sums
        assert "moon" not in sums
        assert "Model: " in moon
        assert "tokens read" in moon
        assert "Language: English" in moon
        assert "There is no answer in this talk yet." in shown


async def test_why_waits_for_the_answer_that_it_is_asked_about(folder: Path) -> None:
    async with running(folder) as bot:
        await bot.hears(said("What is 6*7?"), said("/why"), said("/new"), said("/why"))
        await bot.settles()
        answer, why, _, after = bot.connector.shown
        assert "6 × 7 = 42" in answer
        assert why.startswith("On What is 6*7?")
        assert after == "There is no answer in this talk yet."


async def test_skills_and_tools_are_those_of_this_bot(folder: Path) -> None:
    own = folder / "skills" / "wine"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: wine\ndescription: Which wine goes with it.\n---\nBe short.\n")
    async with running(folder, settings={"skills.disabled": '["advice"]'}) as bot:
        await bot.hears(said("/skills"), said("/tools"))
        await bot.settles()
        skills, tools = sorted(bot.connector.shown, key=lambda text: "My tools" in text)
        assert "wine – Which wine goes with it." in skills
        assert "advice – switched off in the config" in skills
        assert "calculator (“Calculated”, only reads)" in tools


async def test_a_broken_skill_stops_nothing_and_is_told(folder: Path) -> None:
    own = folder / "skills" / "weather"
    own.mkdir(parents=True)
    (own / "SKILL.md").write_text("---\nname: weather\ndescription: Mine.\n---\n")
    async with running(folder) as bot:
        await bot.hears(said("What is 2+2?"), said("/skills"))
        await bot.settles()
        shown = "\n".join(bot.connector.shown)
        assert "2 + 2 = 4" in shown
        assert "the skill 'weather' is there already, in" in shown
