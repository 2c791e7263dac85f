"""`jarvisbot init`, answered by flags and by a person, with the bot's account on the emulator."""

from __future__ import annotations

import argparse
import asyncio
import re
import stat
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

import pytest

from jarvisbot.cli import operating
from jarvisbot.cli.asking import Person
from jarvisbot.cli.setup import init
from jarvisbot.config import load
from jarvisbot.errors import ConfigError, LoginFailed
from tests.emulators.telegram import TOKEN, TelegramEmulator
from tests.program import jarvisbot

ALICE = 1001


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator(token=TOKEN) as emulator:
        yield emulator


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "given"
    file.write_text(f"{TOKEN}\n", encoding="utf-8")
    return file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def flags(*words: str, config: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers(dest="command")

    def command(name: str, does: str, *, within=subparsers, more: str = ""):
        return within.add_parser(name)

    operating.add(command)
    options = parser.parse_args(["init", *words])
    options.config, options.data = config, None
    return options


class Somebody:
    """A person who answers from a list; a function among the answers is told the question."""

    def __init__(self, *answers: str | Callable[[str], str]) -> None:
        self.answers: Iterator[str | Callable[[str], str]] = iter(answers)
        self.asked: list[str] = []
        self.heard: list[str] = []

    def reads(self, question: str) -> str:
        self.asked.append(question)
        answer = next(self.answers, None)
        assert answer is not None, f"asked once more: {self.asked}"
        return answer if isinstance(answer, str) else answer(question)

    @property
    def person(self) -> Person:
        return Person(line=self.reads, hidden=self.reads)


async def answered(options: argparse.Namespace, somebody: Somebody) -> int:
    return await asyncio.to_thread(init, options, person=somebody.person, say=somebody.heard.append)


# ---------------------------------------------------------------- by flags


async def test_flags_alone_make_a_config_that_runs(telegram: TelegramEmulator, token: Path, tmp_path: Path) -> None:
    given = [
        "--telegram-token-file", str(token), "--owner", "telegram:1001", "--language", "de",
        "--timezone", "Europe/Berlin", "--set", f"connectors.telegram.api_url={telegram.api_url}", "--model", "none",
    ]  # fmt: skip
    done = await jarvisbot("init", *given, home=tmp_path)
    assert (done.code, done.errors) == (0, "")
    assert "logged in as @jarvis_bot" in done.output
    folder = tmp_path / ".config" / "jarvisbot"
    assert {path.name: mode(path) for path in folder.iterdir()} == {"config.toml": 0o600, "telegram.token": 0o600}
    config = load(folder / "config.toml", environment={})
    assert (config.bot.language, config.bot.timezone, config.access.owners) == (
        "de",
        "Europe/Berlin",
        ("telegram:1001",),
    )
    assert config.connectors == {"telegram": True}
    assert TOKEN not in (folder / "config.toml").read_text(encoding="utf-8")
    assert TOKEN not in done.output
    looked = await jarvisbot("doctor", home=tmp_path)
    assert "Logged in as @jarvis_bot" in looked.output


async def test_the_same_again_changes_nothing(telegram: TelegramEmulator, token: Path, tmp_path: Path) -> None:
    given = [
        "--telegram-token-file", str(token), "--owner", "telegram:1001",
        "--set", f"connectors.telegram.api_url={telegram.api_url}",
    ]  # fmt: skip
    await jarvisbot("init", *given, home=tmp_path)
    file = tmp_path / ".config" / "jarvisbot" / "config.toml"
    before = file.read_bytes()
    again = await jarvisbot("init", *given, home=tmp_path)
    assert (again.code, file.read_bytes()) == (0, before)
    assert "stays as it is" in again.output
    bare = await jarvisbot("init", home=tmp_path)
    assert (bare.code, file.read_bytes()) == (0, before)
    assert not list(file.parent.glob("*.bak"))


async def test_a_file_that_is_there_is_changed_only_when_told_and_keeps_the_rest(
    telegram: TelegramEmulator, token: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    mine = (
        "# my own words\n[limits]\nrounds = 3 # few\n\n[access]\nowners = ['telegram:1']\n\n"
        f"[connectors.telegram]\napi_url = '{telegram.api_url}'\n"
    )
    file.write_text(mine, encoding="utf-8")
    given = ["--config", str(file), "init", "--telegram-token-file", str(token), "--language", "de"]
    refused = await jarvisbot(*given, home=tmp_path)
    assert (refused.code, file.read_text(encoding="utf-8")) == (2, mine)
    assert "--yes" in refused.errors
    assert not (tmp_path / "telegram.token").exists()
    done = await jarvisbot(*given, "--yes", home=tmp_path)
    assert done.code == 0, done.errors
    text = file.read_text(encoding="utf-8")
    assert "# my own words\n[limits]\nrounds = 3 # few\n" in text
    assert tomllib.loads(text)["bot"] == {"language": "de"}
    assert tomllib.loads(text)["access"] == {"owners": ["telegram:1"]}
    assert (tmp_path / "mine.toml.bak").read_text(encoding="utf-8") == mine
    assert mode(tmp_path / "mine.toml.bak") == 0o600


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ([], "--platform"),
        (["--platform", "telegram"], "--telegram-token-file"),
        (["--platform", "irc"], "there are: telegram"),
        (["--telegram-token-file", "TOKEN"], "--owner telegram:ID"),
        (["--telegram-token-file", "missing"], "missing cannot be read"),
        (["--telegram-token-file", "TOKEN", "--owner", "bob"], "connector:user id"),
        (["--telegram-token-file", "TOKEN", "--owner", "telegram:1", "--language", "klingon"], "bot.language"),
        (["--telegram-token-file", "TOKEN", "--owner", "telegram:1", "--timezone", "Europe/Berlim"], "Europe/Berlin"),
        (["--telegram-token-file", "TOKEN", "--owner", "telegram:1", "--set", "limits.runds=3"], "limits.rounds"),
        (["--telegram-token-file", "TOKEN", "--owner", "telegram:1", "--set", "limits"], "KEY=VALUE"),
    ],
)
async def test_an_answer_that_is_missing_or_impossible_is_named_and_nothing_is_written(
    telegram: TelegramEmulator, token: Path, tmp_path: Path, given: Sequence[str], named: str
) -> None:
    words = [str(token) if word == "TOKEN" else word for word in given]
    api = f"connectors.telegram.api_url={telegram.api_url}"
    done = await jarvisbot("init", *(["--set", api] if words else []), *words, home=tmp_path)
    assert done.code == 2
    assert named in done.errors
    assert len(done.errors.splitlines()) == 1
    assert not (tmp_path / ".config").exists()


async def test_a_token_that_is_not_accepted_is_refused(telegram: TelegramEmulator, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("123456:AAE-wrong-token-wrong-token-wrong-000", encoding="utf-8")
    api = f"connectors.telegram.api_url={telegram.api_url}"
    done = await jarvisbot(
        "init", "--telegram-token-file", str(wrong), "--owner", "telegram:1", "--set", api, home=tmp_path
    )
    assert done.code == 1
    assert "@BotFather" in done.errors
    assert not (tmp_path / ".config").exists()


async def test_without_a_network_it_says_so_and_goes_on(token: Path, tmp_path: Path) -> None:
    api = "connectors.telegram.api_url=http://127.0.0.1:9/bot"
    done = await jarvisbot(
        "init", "--telegram-token-file", str(token), "--owner", "telegram:1", "--set", api, home=tmp_path
    )
    assert done.code == 0, done.errors
    assert "cannot be reached" in done.output
    assert "without a check" in done.output
    assert (tmp_path / ".config" / "jarvisbot" / "telegram.token").exists()


# ---------------------------------------------------------------- by a person


async def test_a_person_is_asked_and_becomes_the_owner_by_a_code(telegram: TelegramEmulator, tmp_path: Path) -> None:
    alice = telegram.person(ALICE, "Alice")
    mallory = telegram.person(666, "Mallory")
    await telegram.say(mallory, 666, "mine!", date=1_000_000_000)  # waits from before, and is not asked about
    loop = asyncio.get_running_loop()

    def hears(text: str) -> None:
        somebody.heard.append(text)
        if code := re.search(r"Now write (\d{6}) to @jarvis_bot, or open https://t\.me/jarvis_bot\?start=\1", text):
            asyncio.run_coroutine_threadsafe(telegram.say(alice, ALICE, f"/start {code[1]}"), loop)

    somebody = Somebody("no token", TOKEN, "", "de", "Europe/Berlim", "Europe/Berlin")
    file = tmp_path / "config.toml"
    options = flags("--set", f"connectors.telegram.api_url={telegram.api_url}", "--model", "none", config=file)
    code = await asyncio.to_thread(init, options, person=somebody.person, say=hears)
    assert code == 0
    config = load(file, environment={})
    assert config.access.owners == ("telegram:1001",)
    assert (config.bot.language, config.bot.timezone) == ("de", "Europe/Berlin")
    assert "You are Alice (1001)." in somebody.heard
    assert any("is no bot token" in text for text in somebody.heard)
    assert all(call.parameters.get("offset") in (None, "0", 0) for call in telegram.called("getUpdates"))


async def test_who_writes_without_the_code_owns_the_bot_only_if_the_person_says_so(
    telegram: TelegramEmulator, tmp_path: Path
) -> None:
    mallory, alice = telegram.person(666, "Mallory"), telegram.person(ALICE, "Alice")
    loop = asyncio.get_running_loop()
    writers = iter([(mallory, 666), (alice, ALICE)])

    def hears(text: str) -> None:
        if text.startswith("Now write"):
            who, chat = next(writers)
            asyncio.run_coroutine_threadsafe(telegram.say(who, chat, "hello"), loop)

    somebody = Somebody(TOKEN, "", "n", "", "y", "", "")
    file = tmp_path / "config.toml"
    options = flags("--set", f"connectors.telegram.api_url={telegram.api_url}", "--model", "none", config=file)
    await asyncio.to_thread(init, options, person=somebody.person, say=hears)
    assert load(file, environment={}).access.owners == ("telegram:1001",)
    assert [question for question in somebody.asked if "Is that you?" in question] == [
        "Mallory (666) writes, without the code. Is that you? [y/N]: ",
        "Alice (1001) writes, without the code. Is that you? [y/N]: ",
    ]


async def test_an_id_that_is_typed_is_enough(telegram: TelegramEmulator, tmp_path: Path) -> None:
    somebody = Somebody(TOKEN, "1001", "", "")
    file = tmp_path / "config.toml"
    options = flags("--set", f"connectors.telegram.api_url={telegram.api_url}", "--model", "none", config=file)
    assert await answered(options, somebody) == 0
    assert load(file, environment={}).access.owners == ("telegram:1001",)
    assert "bot" not in tomllib.loads(file.read_text(encoding="utf-8"))


def test_the_platforms_are_asked_and_one_that_is_none_is_named(tmp_path: Path) -> None:
    somebody = Somebody("telegram, irc")
    with pytest.raises(ConfigError, match="no platform 'irc'; there are: telegram"):
        init(flags(config=tmp_path / "c.toml"), person=somebody.person, say=somebody.heard.append)
    assert somebody.asked == ["Which of them, with spaces between [telegram]: "]


async def test_who_says_no_keeps_the_file_as_it_is(telegram: TelegramEmulator, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    before = f"[access]\nowners = ['telegram:1']\n[connectors.telegram]\napi_url = '{telegram.api_url}'\n"
    file.write_text(before, encoding="utf-8")
    somebody = Somebody(TOKEN, "de", "", "n")
    with pytest.raises(ConfigError, match="Nothing was written"):
        await answered(flags("--model", "none", config=file), somebody)
    assert file.read_text(encoding="utf-8") == before
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]


async def test_a_wrong_token_with_nobody_there_is_an_error(telegram: TelegramEmulator, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("123456:AAE-wrong-token-wrong-token-wrong-000", encoding="utf-8")
    options = flags(
        "--telegram-token-file", str(wrong), "--set", f"connectors.telegram.api_url={telegram.api_url}",
        config=tmp_path / "config.toml",
    )  # fmt: skip
    with pytest.raises(LoginFailed):
        await asyncio.to_thread(init, options, person=Person(), say=lambda _: None)


async def test_an_end_of_the_input_is_named_with_the_flag(tmp_path: Path) -> None:
    def ended(question: str) -> str:
        raise EOFError

    with pytest.raises(ConfigError, match="--platform"):
        init(flags(config=tmp_path / "c.toml"), person=Person(line=ended, hidden=ended), say=lambda _: None)


async def test_what_the_environment_sets_does_not_get_into_the_file(
    telegram: TelegramEmulator, token: Path, tmp_path: Path
) -> None:
    given = [
        "--telegram-token-file", str(token), "--owner", "telegram:1001",
        "--set", f"connectors.telegram.api_url={telegram.api_url}",
    ]  # fmt: skip
    done = await jarvisbot("init", *given, home=tmp_path, more={"JARVISBOT_LIMITS__ROUNDS": "2"})
    assert done.code == 0, done.errors
    text = (tmp_path / ".config" / "jarvisbot" / "config.toml").read_text(encoding="utf-8")
    assert "limits" not in tomllib.loads(text)
