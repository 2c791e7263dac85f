"""The shipped program with the real demo model: in the console, and over Telegram's sockets."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from tests.emulators.telegram import TOKEN, TelegramEmulator
from tests.program import jarvisbot, start, tell

SUM, SUM_ANSWER = "What is 98765 * 4321?", "98765 × 4321 = 426,763,565"
GREETING, GREETING_ANSWER = "Hallo, wer bist du?", "Ich bin Jarvis"
JOKE = "Tell me a joke about cats"
STORY = "Tell me a very long story about a lighthouse and its keeper"


async def test_a_sum_is_answered_exactly_with_the_calculators_row(tmp_path: Path) -> None:
    ended = await jarvisbot("chat", "--once", SUM, home=tmp_path)
    assert (ended.code, ended.errors) == (0, "")
    row, answer = ended.output.splitlines()
    assert "Calculated 98765 * 4321" in row
    assert answer == SUM_ANSWER


async def test_a_german_greeting_is_answered_in_german(tmp_path: Path) -> None:
    ended = await jarvisbot("chat", "--once", GREETING, home=tmp_path)
    assert ended.code == 0
    assert ended.output.startswith(GREETING_ANSWER)


async def test_a_joke_is_told_in_the_real_models_words(tmp_path: Path) -> None:
    ended = await jarvisbot("chat", "--once", JOKE, home=tmp_path, seconds=90)
    assert (ended.code, ended.errors) == (0, "")
    assert re.search(r"[A-Za-z]{2,}", ended.output)


async def test_an_answer_of_the_real_model_is_printed_as_it_is_written(tmp_path: Path) -> None:
    process = await start("chat", "--once", STORY, home=tmp_path)
    assert process.stdout is not None
    pieces = []
    async with asyncio.timeout(90):
        while piece := await process.stdout.read(4096):
            pieces.append(piece.decode("utf-8", "replace"))
        await process.communicate()
    assert process.returncode == 0
    assert len(pieces) > 2
    assert len(re.findall(r"[A-Za-z]{2,}", "".join(pieces))) >= 5


async def test_lines_of_a_pipe_are_answered_one_after_the_other(tmp_path: Path) -> None:
    ended = await jarvisbot("chat", home=tmp_path, given=b"What is 2 * 21?\n\nWas ist 3,5 * 4?\n")
    assert ended.code == 0
    assert [line for line in ended.output.splitlines() if "=" in line] == ["2 × 21 = 42", "3,5 × 4 = 14"]


@asynccontextmanager
async def serving(
    home: Path, *, level: str = "DEBUG"
) -> AsyncIterator[tuple[TelegramEmulator, asyncio.subprocess.Process]]:
    """`jarvisbot run` with a config file and a token file, as the documentation says, against the emulator."""
    async with TelegramEmulator(token=TOKEN) as telegram:
        token = home / "telegram.token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        config = home / "config.toml"
        config.write_text(
            f'[bot]\ndata_folder = "{home / "data"}"\nlog_level = "{level}"\n'
            f'[access]\nowners = ["telegram:1001"]\n[limits]\nanswer_tokens = 200\n'
            f'[connectors.telegram]\ntoken_file = "{token}"\n'
            f'api_url = "{telegram.api_url}"\nfile_url = "{telegram.file_url}"\npoll_timeout_s = 5\n'
        )
        process = await start("--config", str(config), "run", home=home)
        log = asyncio.create_task(_log(process))
        try:
            await telegram.until(lambda: telegram.called("getUpdates"), timeout_s=30)
            yield telegram, process
            tell(process, signal.SIGTERM)
            async with asyncio.timeout(15):
                code = await process.wait()
            assert code == 0
        finally:
            if process.returncode is None:
                tell(process, signal.SIGKILL)
            (home / "log").write_text(await log)


async def _log(process: asyncio.subprocess.Process) -> str:
    output, errors = await process.communicate()
    return output.decode() + errors.decode()


async def test_telegram_gets_the_same_three_answers_streamed_and_final_once_and_no_log_holds_the_token(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as (telegram, _):
        alice = telegram.person(1001, "Alice")
        await telegram.say(alice, alice.id, SUM)
        await telegram.until(lambda: any(SUM_ANSWER in text for text in telegram.answers(alice.id)), timeout_s=30)
        await telegram.say(alice, alice.id, GREETING)
        await telegram.until(lambda: len(telegram.answers(alice.id)) == 2, timeout_s=30)
        await telegram.until(lambda: telegram.answers(alice.id)[-1].startswith(GREETING_ANSWER), timeout_s=30)
        await telegram.say(alice, alice.id, JOKE)
        await telegram.until(lambda: len(telegram.answers(alice.id)) == 3, timeout_s=60)
        await telegram.say(alice, alice.id, "/status")
        await telegram.say(alice, alice.id, "thanks")
        await telegram.until(lambda: telegram.answers(alice.id)[-1] == "You're welcome!", timeout_s=90)
        answers = telegram.answers(alice.id)
        assert sum(SUM_ANSWER in text for text in answers) == 1
        assert "Calculated" in answers[0]
        joke = next(text for text in answers[2:] if not text.startswith(("• Up for", "You're")))
        assert re.search(r"[A-Za-z]{2,}", joke)
    log = (tmp_path / "log").read_text()
    assert "turn_routed" in log
    assert "getUpdates" in log or "telegram" in log
    assert TOKEN not in log
    assert TOKEN.split(":")[1] not in log


async def test_a_worker_killed_in_mid_reply_costs_a_restart_and_the_answer_comes_once(tmp_path: Path) -> None:
    """A small model may end a story before the blow can fall: it is asked until one is caught in the middle."""
    async with serving(tmp_path, level="INFO") as (telegram, process):
        alice = telegram.person(1001, "Alice")

        def answers() -> list[str]:
            return [text for text in telegram.answers(alice.id) if "Up for" not in text]

        for told in range(1, 11):
            await telegram.say(alice, alice.id, STORY)
            await telegram.until(lambda told=told: len(answers()) == told and answers()[-1] != "…", timeout_s=60)
            (worker,) = psutil.Process(process.pid).children()
            worker.suspend()
            reports = len(telegram.answers(alice.id)) - told
            await telegram.say(alice, alice.id, "/status")
            await telegram.until(
                lambda told=told, reports=reports: (
                    len(telegram.answers(alice.id)) - told > reports and "Up for" in telegram.answers(alice.id)[-1]
                ),
                timeout_s=30,
            )
            with contextlib.closing(
                sqlite3.connect(f"{(tmp_path / 'data' / 'jarvisbot.db').as_uri()}?mode=ro", uri=True)
            ) as store:
                (state,) = store.execute("SELECT state FROM turns ORDER BY id DESC LIMIT 1").fetchone()
            if state == "running":
                worker.kill()
                break
            worker.resume()
        else:
            pytest.fail("ten stories were over before they could be interrupted")
        await telegram.say(alice, alice.id, "danke")
        await telegram.until(lambda: answers()[-1] == "Gern geschehen!", timeout_s=110)
        assert len(answers()) == told + 1
        assert answers()[told - 1].strip("…")
    assert "generation_broken" in (tmp_path / "log").read_text()


@pytest.mark.parametrize("text", ["5 + 5", "hello"])
async def test_a_talk_needs_no_config_and_leaves_nothing_outside_its_data_folder(tmp_path: Path, text: str) -> None:
    ended = await jarvisbot("--data", str(tmp_path / "here"), "chat", "--once", text, home=tmp_path)
    assert ended.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here"]
