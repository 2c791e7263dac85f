"""The section [actions]: what it takes, what it refuses with place and remedy, and its secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvisbot.config import Action, Config, load
from jarvisbot.errors import ConfigError

HOOK = "http://homeassistant.local:8123/api/webhook/hush-hush"


def config(folder: Path, text: str, *, mode: int = 0o600, environment: dict[str, str] | None = None) -> Config:
    path = folder / "config.toml"
    path.write_text(text)
    path.chmod(mode)
    return load(path, environment=environment or {})


def test_actions_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    loaded = config(
        tmp_path,
        f"""
[actions.spotify]
argv = ["systemctl", "--user", "start", "spotify"]
aliases = ["music", "Musik"]
timeout_s = 5
description = "plays music"

[actions."living room light off"]
webhook = "{HOOK}"
body = {{ level = 0, scene = ["a", true] }}
headers = {{ X-Source = "jarvisbot" }}

[actions.flurlicht-aus]
argv = ["lights"]
""",
        mode=0o644,
    )
    assert loaded.actions() == (
        Action(
            name="spotify",
            argv=("systemctl", "--user", "start", "spotify"),
            aliases=("music", "Musik"),
            timeout_s=5.0,
            description="plays music",
        ),
        Action(
            name="living room light off",
            webhook=HOOK,
            body={"level": 0, "scene": ["a", True]},
            headers={"X-Source": "jarvisbot"},
        ),
        Action(name="flurlicht-aus", argv=("lights",)),
    )
    assert loaded.warnings == ()
    assert HOOK in loaded.secret_values()
    assert "hush" not in repr(loaded) + repr(loaded.actions())


def test_without_the_section_there_are_none() -> None:
    assert load(None, environment={}).actions() == ()


MISTAKES = [
    ('[actions.a]\nargv = "systemctl --user start music"\n', ":2: actions.a.argv must be a list with the program first"),
    ('[actions.a]\nargv = "x"\n', "no shell takes a line apart"),
    ("[actions.a]\n", ':1: actions.a needs argv = ["program", …] or webhook = "http://…"'),
    ("[actions.a]\nargv = []\n", ":1: actions.a needs argv"),
    ('[actions.a]\nargv = [""]\n', "actions.a has an argv without a program"),
    ('[actions.a]\nargv = ["x", 5]\n', ":2: actions.a.argv[1] must be text in quotes"),
    ('[actions.a]\nargv = ["x\\u0000"]\n', "must not hold a NUL character"),
    (f'[actions.a]\nargv = ["x"]\nwebhook = "{HOOK}"\n', "actions.a has both argv and webhook; keep one of them"),
    ('[actions.a]\nargv = ["x"]\nbody = 1\n', "has an argv, to which body and headers mean nothing"),
    ('[actions.a]\nwebhook = "homeassistant.local/x"\n', ":2: actions.a.webhook must be an address such as http://"),
    ('[actions.a]\nwebhook = "file:///etc/passwd"\n', "must be an address such as http://"),
    ('[actions.a]\nwebhook = "http://me:pw@host/x"\n', "must not hold a name or a password"),
    ('[actions.a]\nwebhook = "http://host:99999/x"\n', "must be an address such as http://"),
    (f'[actions.a]\nwebhok = "{HOOK}"\n', ":2: actions.a.webhok is not a setting; the nearest valid name is actions.a.webhook"),
    ('[actions.a]\nargv = ["x"]\nalias = ["b"]\n', "actions.a.alias is not a setting; the nearest valid name is"),
    ('[actions.a]\nargv = ["x"]\naliases = "b"\n', ":3: actions.a.aliases must be a list"),
    ('[actions.a]\nargv = ["x"]\ntimeout_s = 0\n', "actions.a.timeout_s must be more than 0"),
    ('[actions.a]\nargv = ["x"]\ntimeout_s = 9999\n', "actions.a.timeout_s must be at most 300"),
    (f'[actions.a]\nwebhook = "{HOOK}"\nheaders = {{ Authorization = "Bearer x" }}\n', "must not hold a token; bearer_env"),
    (f'[actions.a]\nwebhook = "{HOOK}"\nheaders = {{ X-A = "a\\nb" }}\n', "plain names with plain values"),
    (f'[actions.a]\nwebhook = "{HOOK}"\nheaders = {{ Host = "b" }}\n', "must not set Host"),
    ('[actions."a.b"]\nargv = ["x"]\n', "must be a name of letters, digits, spaces and hyphens"),
    ('[actions]\nspotify = ["x"]\n', ":2: actions.spotify must be a table"),
    ("actions = 5\n", ":1: actions must be a table"),
    ('[action.a]\nargv = ["x"]\n', "action is not a setting"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), MISTAKES)
def test_a_mistake_is_named_with_its_place_and_what_to_write(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config(tmp_path, text)
    assert words in caught.value.user_message
    assert "hush" not in caught.value.user_message


def test_a_web_hook_and_a_token_come_from_files_or_the_environment(tmp_path: Path) -> None:
    for name, secret in (("hook", HOOK), ("token", "let-me-in")):
        (tmp_path / name).write_text(f"{secret}\n")
        (tmp_path / name).chmod(0o600)
    loaded = config(
        tmp_path,
        '[actions.a]\nwebhook_file = "hook"\nbearer_env = "HOME_TOKEN"\n'
        '[actions.b]\nwebhook_env = "HOOK"\nbearer_file = "token"\n',
        environment={"HOOK": HOOK, "HOME_TOKEN": "let-me-in"},
    )
    for action in loaded.actions():
        assert (action.webhook, dict(action.headers)) == (HOOK, {"Authorization": "Bearer let-me-in"})
    assert {HOOK, "let-me-in"} <= loaded.secret_values()


def test_a_secret_that_is_no_address_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        config(tmp_path, '[actions.a]\nwebhook_env = "HOOK"\n', environment={"HOOK": "hush hush"})
    assert "must be an address such as" in caught.value.user_message
    assert "hush hush" not in caught.value.user_message


def test_a_token_in_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="chmod 600"):
        config(tmp_path, f'[actions.a]\nwebhook = "{HOOK}"\nbearer = "let-me-in"\n', mode=0o644)


def test_a_token_means_nothing_to_a_program(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a bearer token means nothing"):
        config(tmp_path, '[actions.a]\nargv = ["x"]\nbearer_env = "T"\n', environment={"T": "let-me-in"})


def test_a_connectors_credential_is_not_sent_to_a_web_hook(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("of telegram")
    (tmp_path / "telegram_token").write_text("of telegram")
    loaded = config(
        tmp_path, f'[actions.a]\nwebhook = "{HOOK}"\n', environment={"CREDENTIALS_DIRECTORY": str(tmp_path)}
    )
    assert dict(loaded.actions()[0].headers) == {}


def test_the_environment_and_flags_set_actions_too() -> None:
    environment = {"JARVISBOT_ACTIONS__RADIO__ARGV": '["radio", "on"]'}
    loaded = load(None, environment=environment, overrides={"actions.radio.timeout_s": "3"})
    assert loaded.actions() == (Action(name="radio", argv=("radio", "on"), timeout_s=3.0),)
