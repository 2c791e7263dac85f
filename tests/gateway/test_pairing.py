"""Strangers: a code once and quietly, an admin who lets them in, silence for everyone else."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from jarvisbot.gateway.pairing import Pairing
from jarvisbot.types import Author
from tests.fakes import START, said
from tests.gateway.conftest import Bot, running

STRANGER = {"user": "666", "room": "666"}


def code(bot: Bot) -> str:
    return re.findall(r"/pair ([A-Z2-9]{4}-[A-Z2-9]{4})", bot.connector.shown[0])[0]


async def meets_a_stranger(bot: Bot, text: str = "hello there") -> str:
    await bot.hears(said(text, **STRANGER))
    await bot.settled()
    return code(bot)


async def test_a_stranger_gets_one_code_and_their_message_is_not_stored(folder: Path) -> None:
    async with running(folder) as bot:
        given = await meets_a_stranger(bot)
        for text in ("hello?", "/help", "/stop"):
            await bot.hears(said(text, **STRANGER))
        await bot.settled()
        assert len(bot.connector.log) == 1
        assert await bot.states() == []
        dump = [
            tuple(row)
            for table in ("pairings", "members")
            for row in await bot.app.store.rows(f"SELECT * FROM {table}")
        ]
        assert given.replace("-", "") not in str(dump)


async def test_an_admin_lets_a_stranger_in_and_a_restart_remembers(folder: Path) -> None:
    async with running(folder, ["hi"]) as bot:
        given = await meets_a_stranger(bot)
        await bot.hears(said(f"/pair {given.lower().replace('-', ' ')}"))
        await bot.settled()
        assert bot.connector.shown[-1] == "user 666 (fake:666) is a member now."
        await bot.hears(said("what?", **STRANGER))
        await bot.settled()
        assert bot.connector.shown[-1] == "hi"
    async with running(folder, ["again"], connector=bot.connector) as bot:
        await bot.hears(said("what?", **STRANGER))
        await bot.settled()
        assert bot.connector.shown[-1] == "again"
        await bot.hears(said("/unpair fake:666"))
        await bot.settled()
        count = len(bot.connector.log)
        await bot.hears(said("and now?", **STRANGER))
        await bot.settled()
        assert len(bot.connector.log) == count


async def test_a_member_cannot_let_others_in(folder: Path) -> None:
    async with running(folder, settings={"access.members": '["fake:9"]'}) as bot:
        given = await meets_a_stranger(bot)
        await bot.hears(said(f"/pair {given}", user="9", room="9"))
        await bot.settled()
        assert "role admin" in bot.connector.shown[-1]
        assert await bot.app.store.rows("SELECT * FROM members") == []


async def test_a_code_is_used_once_and_expires(folder: Path) -> None:
    async with running(folder) as bot:
        given = await meets_a_stranger(bot)
        await bot.clock.advance(3601)
        await bot.hears(said(f"/pair {given}", sent=bot.clock.now()))
        await bot.settled()
        assert "has expired" in bot.connector.shown[-1]
        await bot.clock.advance(86_400)
        await bot.hears(said("me again", sent=bot.clock.now(), **STRANGER))
        await bot.settled()
        second = re.findall(r"/pair (\S+)", bot.connector.shown[-1])[0]
        for _ in range(2):
            await bot.hears(said(f"/pair {second}", sent=bot.clock.now()))
            await bot.settled()
        assert [text for text in bot.connector.shown if "is a member now" in text] == [bot.connector.shown[-2]]
        assert "don't know that code" in bot.connector.shown[-1]


async def test_strangers_together_get_few_codes_a_day(folder: Path) -> None:
    async with running(folder) as bot:
        for number in range(30):
            await bot.hears(said("hello", user=f"x{number}", room=f"x{number}"))
        await bot.settled()
        assert len(bot.connector.log) == 20


async def test_after_ten_wrong_codes_even_the_right_one_waits(folder: Path) -> None:
    async with running(folder) as bot:
        given = await meets_a_stranger(bot)
        for number in range(10):
            await bot.hears(said(f"/pair WRONG{number}"))
            await bot.settled()
        await bot.hears(said(f"/pair {given}"))
        await bot.settled()
        assert not any("is a member" in text for text in bot.connector.shown)
        await bot.clock.advance(601)
        await bot.hears(said(f"/pair {given}", sent=bot.clock.now()))
        await bot.settled()
        assert "is a member" in bot.connector.shown[-1]


async def test_ten_wrong_codes_at_once_are_ten_all_the_same(folder: Path) -> None:
    async with running(folder) as bot:
        given = await meets_a_stranger(bot)
        pairing = Pairing(store=bot.app.store, clock=bot.clock, language=lambda text: "en")
        tries = [*(f"WRONG{number}" for number in range(10)), given]
        assert await asyncio.gather(*(pairing.pair(tried, "fake:1") for tried in tries)) == [None] * 11
        await bot.clock.advance(601)
        member = await pairing.pair(given, "fake:1")
        assert member is not None
        assert member.user == "fake:666"


@pytest.mark.parametrize("more", [{"direct": False}, {"sent": START - timedelta(seconds=5)}, {"addressed": False}])
async def test_no_code_in_a_group_nor_for_what_came_before(folder: Path, more: dict[str, object]) -> None:
    async with running(folder) as bot:
        await bot.hears(said("hello", **STRANGER, **more))
        await bot.settled()
        assert bot.connector.log == []


async def test_no_code_where_the_config_says_so_and_none_for_bots(folder: Path) -> None:
    async with running(folder, settings={"access.pairing": "false"}) as bot:
        await bot.hears(said("hello", **STRANGER))
        await bot.settled()
        assert bot.connector.log == []
    async with running(folder) as bot:
        robot = Author(id="5", name="robot", is_bot=True)
        await bot.hears(msgspec.structs.replace(said("hello", user="5", room="5"), author=robot))
        await bot.settled()
        assert bot.connector.log == []


async def test_the_code_comes_in_the_strangers_language(folder: Path) -> None:
    async with running(folder) as bot:
        await meets_a_stranger(bot, "Guten Tag, wer bist du denn?")
        assert bot.connector.shown[0].startswith("Ich kenne dich noch nicht.")
