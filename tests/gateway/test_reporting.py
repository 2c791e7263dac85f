"""What /status tells."""

import asyncio
from pathlib import Path

import pytest

from jarvisbot.models.scripted import Until
from tests.fakes import said
from tests.gateway.conftest import running


@pytest.mark.parametrize(
    ("user", "ask", "lines"),
    [
        ("1", "what?", ["Up for: 1 h 5 min", "Waiting: 2 here, 2 in all", "fake: connected"]),
        ("2", "what?", ["Up for: 1 h 5 min", "Waiting: 0 here, 2 in all", "fake: connected"]),
    ],
)
async def test_status_tells_uptime_model_queue_and_connections(
    folder: Path, user: str, ask: str, lines: list[str]
) -> None:
    async with running(folder, [[Until(event=asyncio.Event())]]) as bot:
        await bot.hears(said(ask, room="1"), said("and?", room="1"), said("also?", room="1"))
        await bot.connector.until(lambda: bot.model.requests)
        bot.clock.jump(3900)
        await bot.hears(said("/status", user=user, room=user, sent=bot.clock.now()))
        await bot.connector.until(lambda: any("Up for" in text for text in bot.connector.shown))
        report = next(text for text in bot.connector.shown if "Up for" in text)
        assert all(line in report for line in lines), report
        assert "Model: " in report
