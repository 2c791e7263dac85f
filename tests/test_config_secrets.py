"""Secrets of the configuration: the ways in, and that none gets out."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from jarvisbot.config import Config, load
from jarvisbot.errors import ConfigError

SECRET = "123456:hush-hush_TOKEN"


class Settings(BaseModel):
    """A connector's."""

    host: str = "localhost"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def config(folder: Path, text: str, *, mode: int = 0o600, environment: dict[str, str] | None = None) -> Config:
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(mode)
    return load(path, environment=environment or {})


def secret_file(folder: Path, name: str = "token", *, mode: int = 0o600, content: bytes = SECRET.encode()) -> Path:
    path = folder / name
    path.write_bytes(content)
    path.chmod(mode)
    return path


def token(loaded: Config) -> str:
    settings, secrets = loaded.section("connectors.irc", Settings, secrets=("token",))
    assert SECRET not in repr(secrets) + str(secrets) + repr(loaded) + str(loaded) + repr(settings.model_dump())
    assert secrets["token"] in loaded.secret_values()
    return secrets["token"]


def refusal(loaded: Config) -> str:
    with pytest.raises(ConfigError) as caught:
        loaded.section("connectors.irc", Settings, secrets=("token",))
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    return str(caught.value)


def test_a_mistyped_way_of_giving_a_secret_is_named_and_not_the_secret_as_missing(folder: Path) -> None:
    message = refusal(config(folder, '[connectors.irc]\ntoken_fil = "irc.token"\n'))
    assert "token_fil is not a setting; the nearest valid name is connectors.irc.token_file" in message


def test_a_secret_comes_from_the_variable_that_is_named(folder: Path) -> None:
    loaded = config(folder, '[connectors.irc]\ntoken_env = "IRC"\n', environment={"IRC": f" {SECRET}\n"})
    assert token(loaded) == SECRET
    assert loaded.warnings == ()


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640])
def test_a_secret_comes_from_a_private_file_beside_the_config(folder: Path, mode: int) -> None:
    secret_file(folder, mode=mode, content=f"{SECRET}\r\n".encode())
    assert token(config(folder, '[connectors.irc]\ntoken_file = "token"\n')) == SECRET


@pytest.mark.parametrize("name", ["irc_token", "token"])
def test_a_secret_comes_from_a_systemd_credential(folder: Path, name: str) -> None:
    secret_file(folder, name, mode=0o444)
    loaded = config(folder, "[connectors.irc]\n", environment={"CREDENTIALS_DIRECTORY": str(folder)})
    assert token(loaded) == SECRET


def test_a_connectors_own_credential_wins_over_a_common_one(folder: Path) -> None:
    secret_file(folder, "irc_token")
    secret_file(folder, "token", content=b"of another connector")
    assert token(config(folder, "", environment={"CREDENTIALS_DIRECTORY": str(folder)})) == SECRET


def test_a_literal_secret_in_a_private_file_is_accepted_and_said_so(folder: Path) -> None:
    loaded = config(folder, f'[connectors.irc]\n\ntoken = "{SECRET}"\n')
    assert token(loaded) == SECRET
    token(loaded)
    assert len(loaded.warnings) == 1
    assert f"{folder}/config.toml:3: connectors.irc.token" in loaded.warnings[0]
    assert SECRET not in loaded.warnings[0]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620])
def test_a_literal_secret_in_a_file_that_others_reach_is_refused(folder: Path, mode: int) -> None:
    message = refusal(config(folder, f'[connectors.irc]\ntoken = "{SECRET}"\n', mode=mode))
    assert message.startswith(f"{folder}/config.toml:2: connectors.irc.token ")
    assert f"chmod 600 {folder}/config.toml" in message


def test_a_secret_in_the_environment_is_taken_as_text() -> None:
    environment = {"JARVISBOT_CONNECTORS__IRC__TOKEN": "0123456"}
    assert token(load(None, environment=environment)) == "0123456"


def test_a_secret_as_a_flag_is_refused() -> None:
    assert "must not be a flag" in refusal(load(None, environment={}, overrides={"connectors.irc.token": SECRET}))


def test_the_environments_way_displaces_the_files(folder: Path) -> None:
    environment = {"JARVISBOT_CONNECTORS__IRC__TOKEN_ENV": "NEW", "NEW": SECRET, "OLD": "old"}
    assert token(config(folder, '[connectors.irc]\ntoken_env = "OLD"\n', environment=environment)) == SECRET
    environment = {"JARVISBOT_CONNECTORS__IRC__TOKEN_FILE": str(secret_file(folder))}
    assert token(config(folder, '[connectors.irc]\ntoken_env = "OLD"\n', environment=environment)) == SECRET


def test_a_secret_that_is_given_twice_is_refused(folder: Path) -> None:
    secret_file(folder)
    text = f'[connectors.irc]\ntoken_env = "IRC"\ntoken_file = "token"\ntoken = "{SECRET}"\n'
    message = refusal(config(folder, text, environment={"IRC": SECRET}))
    assert "is given twice, by token_env and by token_file; keep one of them" in message


@pytest.mark.parametrize("way", ["token_env = 'IRC'", "token_file = 'elsewhere'", "token = 'another'"])
def test_a_credential_of_systemd_goes_before_what_the_file_says(folder: Path, way: str) -> None:
    secret_file(folder, "irc_token")
    environment = {"IRC": "another", "CREDENTIALS_DIRECTORY": str(folder)}
    assert token(config(folder, f"[connectors.irc]\n{way}\n", environment=environment)) == SECRET


def test_a_missing_secret_is_refused_with_the_ways_to_give_it(folder: Path) -> None:
    message = refusal(config(folder, "\n[connectors.irc]\nhost = 'x'\n"))
    assert message.startswith(f"{folder}/config.toml:2: connectors.irc.token is missing: ")
    assert all(way in message for way in ("token_env", "token_file", "irc_token"))


def test_a_secret_that_is_optional_may_be_missing() -> None:
    _, secrets = load(None, environment={}).section("connectors.irc", Settings, optional_secrets=("password",))
    assert "password" not in secrets


@pytest.mark.parametrize("key", ["token_env", "token_file"])
def test_a_secret_under_the_wrong_key_is_not_repeated(folder: Path, key: str) -> None:
    refusal(config(folder, f'[connectors.irc]\n{key} = "{SECRET}"\n'))
    refusal(config(folder, f'[connectors.irc]\n{key} = ["{SECRET}"]\n'))


def test_a_secret_under_an_unknown_key_is_not_repeated(folder: Path) -> None:
    loaded = config(
        folder, f'[connectors.irc]\ntokn = "{SECRET}"\n', environment={"CREDENTIALS_DIRECTORY": str(folder)}
    )
    secret_file(folder)
    assert "connectors.irc.tokn is not a setting; the nearest valid name is connectors.irc.token" in refusal(loaded)


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        (SECRET.encode(), 0o644, "everybody on this machine may read: chmod 600"),
        (SECRET.encode(), 0o602, "everybody on this machine may read: chmod 600"),
        (b" \n", 0o600, "names an empty file"),
        (b"\xff\xfe" + SECRET.encode(), 0o600, "not text"),
        (b"\0" * 64, 0o600, "not text"),
        (SECRET.encode() * 10_000, 0o600, "too large"),
    ],
)
def test_a_bad_secret_file_is_refused(folder: Path, content: bytes, mode: int, words: str) -> None:
    secret_file(folder, mode=mode, content=content)
    assert words in refusal(config(folder, '[connectors.irc]\ntoken_file = "token"\n'))


def test_a_secret_file_that_is_not_there_is_refused(folder: Path) -> None:
    assert "does not exist" in refusal(config(folder, '[connectors.irc]\ntoken_file = "nowhere"\n'))
    assert "names a folder" in refusal(config(folder, f'[connectors.irc]\ntoken_file = "{folder}"\n'))


def test_a_named_variable_that_is_not_set_is_refused(folder: Path) -> None:
    message = refusal(config(folder, '[connectors.irc]\ntoken_env = "IRC"\n', environment={"IRC": " "}))
    assert "connectors.irc.token_env names an environment variable that is not set" in message


def test_no_dump_of_the_configuration_shows_a_secret(folder: Path) -> None:
    loaded = config(folder, f'[connectors.irc]\ntoken = "{SECRET}"\n', environment={"OTHER": SECRET})
    assert SECRET not in repr(loaded)
    _, secrets = loaded.section("connectors.irc", Settings, secrets=("token",))
    assert SECRET not in f"{loaded} {secrets} {loaded.warnings}"
    assert SECRET not in repr(
        {field.name: getattr(loaded, field.name) for field in dataclasses.fields(loaded) if field.repr}
    )


@contextlib.contextmanager
def reading_as_nobody() -> Iterator[None]:
    """Root reads every file: this thread's file accesses are somebody else's meanwhile."""
    setfsuid = ctypes.CDLL(None).setfsuid
    setfsuid(65534)
    try:
        yield
    finally:
        setfsuid(os.geteuid())


def test_a_secret_file_that_cannot_be_read_is_refused(folder: Path) -> None:
    secret_file(folder, mode=0o000)
    loaded = config(folder, '[connectors.irc]\ntoken_file = "token"\n')
    with reading_as_nobody():
        assert "Permission denied" in refusal(loaded)
