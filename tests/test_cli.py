"""The command line: where flags may stand, what a mistake is told, what a closed stream comes to."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from jarvisbot import __version__
from tests.program import environment, jarvisbot

SECTION = '[connectors.telegram]\ntoken_file = "telegram.token"\n'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A config with Telegram, whose server is a port of this machine that nobody listens on."""
    token = tmp_path / "telegram.token"
    token.write_text("123456:AAE-emulated-token-emulated-token-000\n")
    token.chmod(0o600)
    file = tmp_path / "config.toml"
    file.write_text(f'{SECTION}api_url = "http://127.0.0.1:9/bot"\n')
    return file


@pytest.mark.parametrize("call", ["version", "--version"])
async def test_the_version_is_printed_by_the_command_and_by_the_flag(call: str, tmp_path: Path) -> None:
    assert (await jarvisbot(call, home=tmp_path)).output == f"{__version__}\n"


@pytest.mark.parametrize("behind", [False, True])
async def test_flags_stand_before_the_command_or_behind_it(behind: bool, tmp_path: Path) -> None:
    flags, command = ("--data", str(tmp_path / "data")), ("chat", "--once", "2+2")
    done = await jarvisbot(*(command + flags if behind else flags + command), home=tmp_path)
    assert (done.code, done.errors) == (0, "")
    assert (tmp_path / "data" / "jarvisbot.db").exists()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ((), "say what to do: init, chat, run, status, doctor, service, model, skills, tools, replay or version"),
        (("chat", "--once", ""), "--once needs a question"),
        (("chat", "--once", " \t"), "--once needs a question"),
        (("run",), "There is no config: `jarvisbot init` writes "),
    ],
)
async def test_a_wrong_call_is_told_what_to_write(call: tuple[str, ...], words: str, tmp_path: Path) -> None:
    done = await jarvisbot(*call, home=tmp_path)
    assert (done.code, done.output) == (2, "")
    assert words in done.errors


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[bot]\n", "No connector is configured: `jarvisbot init` adds one to "),
        (f"{SECTION}enabled = false\n", "is switched off: take `enabled = false` out of one"),
    ],
)
async def test_a_config_with_nothing_to_run_says_which_file_lacks_what(text: str, words: str, config: Path) -> None:
    config.write_text(text)
    done = await jarvisbot("--config", str(config), "run", home=config.parent)
    assert done.code == 2
    assert words in done.errors
    assert str(config) in done.errors


@pytest.mark.parametrize("flag", ["--data", "--config"])
async def test_an_empty_name_is_not_the_current_folder(flag: str, tmp_path: Path) -> None:
    done = await jarvisbot(flag, "", "chat", "--once", "2+2", home=tmp_path)
    assert (done.code, done.output) == (2, "")
    assert f"argument {flag}: it is empty" in done.errors
    assert list(tmp_path.iterdir()) == []


async def test_a_data_folder_whose_name_is_too_long_is_told_as_that(tmp_path: Path) -> None:
    done = await jarvisbot("--data", "x" * 300, "chat", "--once", "2+2", home=tmp_path)
    assert done.code == 1
    assert "File name too long" in done.errors


@pytest.mark.parametrize("somebody", [False, True])
async def test_a_bot_that_nobody_may_talk_to_says_how_to_be_let_in(somebody: bool, config: Path) -> None:
    if somebody:
        config.write_text(f'{config.read_text()}[access]\nmembers = ["telegram:1"]\n')
    command = f"timeout --preserve-status 3 {Path(sys.executable).with_name('jarvisbot')} --config {config} run"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, env=environment(config.parent), timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert ("Nobody may talk to the bot yet" in done.stderr) is not somebody


@pytest.mark.parametrize(
    ("redirection", "code", "output", "errors"),
    [
        ("<&-", 0, "· Calculated 2+2\n2 + 2 = 4\n", ""),
        (">&-", 2, "", "jarvisbot: A talk needs standard input and output, and one of them is closed.\n"),
        (">/dev/full", 1, "", "The answer cannot be written: No space left on device.\n"),
    ],
)
def test_a_stream_that_does_not_work_is_told(
    redirection: str, code: int, output: str, errors: str, tmp_path: Path
) -> None:
    command = f"{Path(sys.executable).with_name('jarvisbot')} chat --once 2+2 {redirection}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment(tmp_path), timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (code, output, errors)


async def test_an_answer_that_could_not_be_written_is_printed_by_the_next_talk(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = await asyncio.create_subprocess_exec(
            str(Path(sys.executable).with_name("jarvisbot")),
            *("--data", str(tmp_path / "d"), "chat", "--once", "What is 2 * 21?"),
            env=environment(tmp_path),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=full,
            stderr=asyncio.subprocess.PIPE,
        )
        _, errors = await process.communicate()
    assert process.returncode == 1
    assert errors.decode() == "The answer cannot be written: No space left on device.\n"
    after = await jarvisbot("--data", str(tmp_path / "d"), "chat", home=tmp_path)
    assert after.code == 0
    assert after.output.count("2 × 21 = 42") == 1
