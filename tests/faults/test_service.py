"""The life of the service as its service manager sees it: start, watchdog, SIGTERM in mid-stream, a network that is away."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.emulators.telegram import TOKEN, Gate, TelegramEmulator
from tests.faults.driver import BEGINNING, STREAMING
from tests.program import environment, start
from tests.service_manager import Manager

ALICE = 1001
ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator(token=TOKEN) as emulator:
        yield emulator


def config(telegram: TelegramEmulator, folder: Path) -> Path:
    (folder / "telegram.token").write_text(TOKEN, encoding="utf-8")
    (folder / "telegram.token").chmod(0o600)
    file = folder / "config.toml"
    file.write_text(
        f"[access]\nowners = ['telegram:{ALICE}']\n[model]\nbackend = 'scripted'\nreplies = ['Hello.']\n"
        f"[connectors.telegram]\ntoken_file = 'telegram.token'\napi_url = '{telegram.api_url}'\npoll_timeout_s = 2\n",
        encoding="utf-8",
    )
    return file


async def test_it_is_ready_before_a_platform_answers_feeds_the_watchdog_and_says_when_it_stops(
    telegram: TelegramEmulator, tmp_path: Path
) -> None:
    manager = Manager(str(tmp_path / "notify"))
    gate = asyncio.Event()
    telegram.fail("getMe", Gate(opened=gate))
    more = {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "400000"}
    process = await start("--config", str(config(telegram, tmp_path)), "run", home=tmp_path, more=more)
    heard: list[str] = []
    try:
        while heard.count("WATCHDOG=1") < 5 or "READY=1" not in heard:
            heard += (await manager.next()).splitlines()
        assert not telegram.called("getUpdates")
        gate.set()
        while "STATUS=telegram running; model scripted" not in heard:
            heard += (await manager.next()).splitlines()
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 10) == 0
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()
    heard += manager.heard()
    manager.close()
    assert heard.index("STATUS=Starting") < heard.index("STATUS=telegram running; model scripted")
    assert [line for line in heard[heard.index("STOPPING=1") :] if line.startswith("STATUS")] == ["STATUS=Stopping"]


async def test_a_stop_in_mid_stream_is_quick_keeps_what_is_shown_and_the_next_start_ends_it_in_the_same_message(
    telegram: TelegramEmulator, tmp_path: Path
) -> None:
    alice = telegram.person(ALICE, "Alice")

    async def driver(answer: str | None) -> asyncio.subprocess.Process:
        settings = {"api_url": telegram.api_url, "file_url": telegram.file_url, "poll_timeout_s": 2}
        order = {"point": None, "folder": str(tmp_path), "token": TOKEN, "answer": answer, "telegram": settings}
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.faults.driver", json.dumps(order),
            cwd=ROOT, stderr=asyncio.subprocess.PIPE, env=environment(tmp_path),
        )  # fmt: skip

    process = await driver(None)
    assert process.stderr is not None
    polls = len(telegram.called("getUpdates"))
    await telegram.until(lambda: len(telegram.called("getUpdates")) > polls, timeout_s=30)
    await telegram.say(alice, ALICE, "Tell me a story about a lighthouse, please?")
    while STREAMING.encode() not in await process.stderr.readline():
        pass
    await telegram.until(lambda: any(BEGINNING.strip() in text for text in telegram.answers(ALICE)), timeout_s=30)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    code = await asyncio.wait_for(process.wait(), 30)
    assert (code, time.monotonic() - began < 10) == (0, True)
    assert BEGINNING.strip() in telegram.answers(ALICE)[0]
    process = await driver(f"{BEGINNING}there was a light.")
    await telegram.until(lambda: telegram.answers(ALICE) == [f"{BEGINNING}there was a light."], timeout_s=30)
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 30) == 0


async def test_a_platform_that_cannot_be_reached_at_the_start_is_waited_for(
    telegram: TelegramEmulator, tmp_path: Path
) -> None:
    file = config(telegram, tmp_path)
    async with telegram.unreachable():
        process = await start("--config", str(file), "run", home=tmp_path)
        assert process.stderr is not None
        line = b""
        while b"connector_lost" not in line:
            line = await asyncio.wait_for(process.stderr.readline(), 30)
            assert line, "it has ended"
    try:
        await telegram.until(lambda: bool(telegram.called("getUpdates")), timeout_s=30)
        assert process.returncode is None
    finally:
        process.send_signal(signal.SIGTERM)
        await process.communicate()
    assert process.returncode == 0


async def test_a_stop_before_the_platforms_are_there_ends_well(telegram: TelegramEmulator, tmp_path: Path) -> None:
    manager = Manager(str(tmp_path / "notify"))
    more = {"NOTIFY_SOCKET": manager.address}
    process = await start("--config", str(config(telegram, tmp_path)), "run", home=tmp_path, more=more)
    heard = ""
    while "READY=1" not in heard:
        heard = await manager.next()
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), 10) == 0, (await process.communicate())[1]
    await process.communicate()
    manager.close()
