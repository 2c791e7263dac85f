"""kill -9 of the whole bot at each point of a message's way: after the restart there is exactly one final answer."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.emulators.telegram import TOKEN, TelegramEmulator
from tests.faults.driver import BEGINNING, STREAMING
from tests.program import tell

ROOT = Path(__file__).parents[2]
QUESTION = "Which number is meant?"
ANSWER = "It is the number forty-two."
PLACEHOLDER = "…"
POINTS = (
    "update.arrived",
    "inbox.committed",
    "answer.committed",
    "placeholder.sent",
    "placeholder.receipt",
    "part.sent",
    "part.receipt",
)


async def bot(order: dict[str, object], *, stderr: int | None = None) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.faults.driver",
        json.dumps(order),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=stderr,
    )


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator(token=TOKEN) as emulator:
        yield emulator


def order(
    telegram: TelegramEmulator, folder: Path, *, point: str = "", answer: str | None = ANSWER
) -> dict[str, object]:
    settings = {"api_url": telegram.api_url, "file_url": telegram.file_url, "poll_timeout_s": 2}
    return {"point": point, "folder": str(folder), "answer": answer, "token": TOKEN, "telegram": settings}


async def ended(process: asyncio.subprocess.Process) -> int:
    async with asyncio.timeout(30):
        await process.communicate()
    assert process.returncode is not None
    return process.returncode


async def finish(telegram: TelegramEmulator, folder: Path, person: int) -> list[str]:
    """Starts the bot again, twice, and returns what it shows; the second time there is nothing left to say."""
    for answer in (ANSWER, "Something else."):
        polls = len(telegram.called("getUpdates"))
        process = await bot(order(telegram, folder, answer=answer))
        await telegram.until(lambda polls=polls: len(telegram.called("getUpdates")) > polls, timeout_s=30)
        await telegram.until(lambda: ANSWER in telegram.answers(person), timeout_s=30)
        tell(process, signal.SIGTERM)
        assert await ended(process) == 0
    return telegram.answers(person)


@pytest.mark.parametrize("point", POINTS)
async def test_telegram_gets_one_answer_whatever_point_the_bot_is_killed_at(
    telegram: TelegramEmulator, tmp_path: Path, point: str
) -> None:
    alice = telegram.person(1001, "Alice")
    first = await bot(order(telegram, tmp_path, point=point))
    await telegram.until(lambda: telegram.called("getUpdates"), timeout_s=30)
    await telegram.say(alice, alice.id, QUESTION)
    assert await ended(first) == -signal.SIGKILL
    if point in ("part.sent", "part.receipt"):
        assert telegram.answers(alice.id) == [ANSWER]
    answers = await finish(telegram, tmp_path, alice.id)
    assert answers.count(ANSWER) == 1
    orphans = [text for text in answers if text != ANSWER]
    assert orphans == ([PLACEHOLDER] if point == "placeholder.sent" else [])


async def test_telegram_gets_one_answer_when_the_bot_is_killed_in_mid_stream(
    telegram: TelegramEmulator, tmp_path: Path
) -> None:
    alice = telegram.person(1001, "Alice")
    first = await bot(order(telegram, tmp_path, answer=None))
    await telegram.until(lambda: telegram.called("getUpdates"), timeout_s=30)
    await telegram.say(alice, alice.id, QUESTION)
    await telegram.until(lambda: telegram.answers(alice.id) == [BEGINNING.strip()], timeout_s=30)
    tell(first, signal.SIGKILL)
    assert await ended(first) == -signal.SIGKILL
    assert await finish(telegram, tmp_path, alice.id) == [ANSWER]


async def console(folder: Path, text: str, *, point: str = "", answer: str | None = ANSWER) -> tuple[int, str]:
    process = await bot({"point": point, "folder": str(folder), "answer": answer})
    async with asyncio.timeout(30):
        output, _ = await process.communicate(text.encode())
    assert process.returncode is not None
    return process.returncode, output.decode()


@pytest.mark.parametrize("point", ["inbox.committed", "answer.committed", "part.sent", "part.receipt"])
async def test_a_piped_console_prints_one_answer_whatever_point_it_is_killed_at(tmp_path: Path, point: str) -> None:
    code, before = await console(tmp_path, QUESTION + "\n", point=point)
    assert code == -signal.SIGKILL
    code, after = await console(tmp_path, "")
    assert code == 0
    assert (before + after).count(ANSWER) == 1
    assert await console(tmp_path, "", answer="Something else.") == (0, "")


async def test_a_piped_console_killed_in_mid_stream_prints_its_answer_next_time(tmp_path: Path) -> None:
    process = await bot({"point": "", "folder": str(tmp_path), "answer": None}, stderr=asyncio.subprocess.PIPE)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(f"{QUESTION}\n".encode())
    async with asyncio.timeout(30):
        assert (await process.stderr.readline()).decode().strip() == STREAMING
    tell(process, signal.SIGKILL)
    assert await ended(process) == -signal.SIGKILL
    assert await console(tmp_path, "") == (0, ANSWER + "\n")
