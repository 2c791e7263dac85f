"""`jarvisbot doctor` and `jarvisbot status`, asked of the real program."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.emulators.telegram import TOKEN, TelegramEmulator
from tests.program import jarvisbot, start

ALICE = 1001


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator(token=TOKEN) as emulator:
        yield emulator


@pytest.fixture
def home(telegram: TelegramEmulator, tmp_path: Path) -> Path:
    """A home with a config in its usual place."""
    folder = tmp_path / ".config" / "jarvisbot"
    folder.mkdir(parents=True)
    (folder / "telegram.token").write_text(TOKEN, encoding="utf-8")
    (folder / "telegram.token").chmod(0o600)
    (folder / "config.toml").write_text(
        f"[access]\nowners = ['telegram:{ALICE}']\n\n[model]\nbackend = 'scripted'\nreplies = ['Hello, Alice.']\n\n"
        f"[connectors.telegram]\ntoken_file = 'telegram.token'\napi_url = '{telegram.api_url}'\npoll_timeout_s = 2\n",
        encoding="utf-8",
    )
    return tmp_path


@asynccontextmanager
async def running(telegram: TelegramEmulator, home: Path) -> AsyncIterator[None]:
    process = await start("run", home=home)
    try:
        await telegram.until(lambda: bool(telegram.called("getUpdates")), timeout_s=30)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = await process.communicate()
    assert process.returncode == 0, errors


async def findings(home: Path) -> tuple[int, dict[str, tuple[str, str]]]:
    """The exit code, and by what it is about: severity and words of the worst finding."""
    done = await jarvisbot("doctor", "--json", home=home)
    order = ["good", "note", "unknown", "problem"]
    found: dict[str, tuple[str, str]] = {}
    for each in json.loads(done.output)["findings"]:
        about, said = each["about"], (each["severity"], f"{each['text']} {each['remedy']}")
        if about not in found or order.index(said[0]) > order.index(found[about][0]):
            found[about] = said
    return done.code, found


# ---------------------------------------------------------------- status


async def test_status_tells_uptime_model_queue_lines_memory_and_processor(
    telegram: TelegramEmulator, home: Path
) -> None:
    alice = telegram.person(ALICE, "Alice")
    async with running(telegram, home):
        await telegram.say(alice, ALICE, "Who are you, in your own words, please?")
        await telegram.until(lambda: bool(telegram.answers(ALICE)), timeout_s=30)
        done = await jarvisbot("status", home=home)
        as_json = json.loads((await jarvisbot("status", "--json", home=home)).output)
    assert (done.code, done.errors) == (0, "")
    rows = dict(line.split(maxsplit=1) for line in done.output.splitlines())
    assert {"jarvisbot", "up", "model", "queue", "telegram", "memory", "processor"} <= rows.keys()
    assert rows["telegram"] == "running, last event just now, reconnected 0 times"
    assert as_json["connectors"][0]["state"] == "running"
    assert as_json["memory_bytes"] > 10_000_000
    assert as_json["cpu_s"] > 0
    assert as_json["waiting"] == 0


async def test_status_of_nobody_says_what_to_do(home: Path) -> None:
    done = await jarvisbot("status", home=home)
    assert done.code == 1
    assert "jarvisbot run" in done.errors
    assert done.output == ""


# ---------------------------------------------------------------- doctor


async def test_a_bot_in_good_order_is_found_so_while_it_runs(telegram: TelegramEmulator, home: Path) -> None:
    async with running(telegram, home):
        code, found = await findings(home)
    assert code == 0, found
    assert found["telegram"] == ("good", "Logged in as @jarvis_bot. ")
    assert "has been at work" in found["service"][1]
    assert found["database"][0] == "good"
    assert {"config", "permissions", "disk", "clock", "model", "network", "unit", "versions"} <= found.keys()


async def test_every_finding_is_one_line_with_its_severity(home: Path) -> None:
    done = await jarvisbot("doctor", home=home)
    assert done.code == 0, done.output
    assert all(line.split()[0] in ("good", "note", "problem", "unknown") for line in done.output.splitlines())
    assert TOKEN not in done.output


async def test_a_config_that_cannot_be_used_is_a_problem(home: Path) -> None:
    (home / ".config" / "jarvisbot" / "config.toml").write_text("[limits]\nrunds = 3\n", encoding="utf-8")
    done = await jarvisbot("doctor", home=home)
    assert done.code == 1
    assert "problem" in done.output
    assert "limits.rounds" in done.output


async def test_a_damaged_database_is_a_problem(home: Path) -> None:
    folder = home / ".local" / "share" / "jarvisbot"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "jarvisbot.db").write_bytes(b"no database " * 1000)
    (folder / "jarvisbot.db").chmod(0o600)
    code, found = await findings(home)
    assert (code, found["database"][0]) == (1, "problem")
    assert "is damaged" in found["database"][1]


async def test_a_later_releases_database_is_a_problem(home: Path) -> None:
    folder = home / ".local" / "share" / "jarvisbot"
    folder.mkdir(parents=True, mode=0o700)
    with sqlite3.connect(folder / "jarvisbot.db") as connection:
        connection.execute("PRAGMA user_version = 9999")
    connection.close()
    (folder / "jarvisbot.db").chmod(0o600)
    code, found = await findings(home)
    assert (code, found["database"][0]) == (1, "problem")
    assert "later release" in found["database"][1]


async def test_what_others_may_read_is_a_problem_with_the_command_that_mends_it(home: Path) -> None:
    folder = home / ".local" / "share" / "jarvisbot"
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    (home / ".config" / "jarvisbot" / "telegram.token").chmod(0o640)
    done = await jarvisbot("doctor", home=home)
    assert done.code == 1
    assert f"chmod 700 {folder}" in done.output
    assert "telegram.token" in done.output
    assert "chmod 600" in done.output


async def test_a_webhook_and_open_privacy_are_noted(telegram: TelegramEmulator, home: Path) -> None:
    telegram.methods.webhook = "https://example.org/hook"
    code, found = await findings(home)
    assert (code, found["telegram"][0]) == (0, "note")
    assert "webhook" in found["telegram"][1]


async def test_a_platform_out_of_reach_could_not_be_looked_at(telegram: TelegramEmulator, home: Path) -> None:
    async with telegram.unreachable():
        code, found = await findings(home)
    assert (code, found["telegram"][0]) == (0, "unknown")


async def test_a_wrong_token_is_a_problem(home: Path) -> None:
    file = home / ".config" / "jarvisbot" / "telegram.token"
    file.write_text("123456:AAE-wrong-token-wrong-token-wrong-000", encoding="utf-8")
    code, found = await findings(home)
    assert (code, found["telegram"][0]) == (1, "problem")
    assert "@BotFather" in found["telegram"][1]


async def test_nobody_who_may_talk_is_a_problem(home: Path) -> None:
    file = home / ".config" / "jarvisbot" / "config.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("owners", "#owners"), encoding="utf-8")
    code, found = await findings(home)
    assert (code, found["config"][0]) == (1, "problem")


async def test_a_model_that_is_not_there_is_a_problem(home: Path) -> None:
    file = home / ".config" / "jarvisbot" / "config.toml"
    text = file.read_text(encoding="utf-8")
    local = text.replace("backend = 'scripted'\nreplies = ['Hello, Alice.']", "path = '/nowhere/model.gguf'")
    file.write_text(local, encoding="utf-8")
    code, found = await findings(home)
    assert (code, found["model"][0]) == (1, "problem")
    assert "/nowhere/model.gguf" in found["model"][1]
