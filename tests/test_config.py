"""The configuration as people write it: files, environment, flags, and what is said about mistakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from jarvisbot import folders
from jarvisbot.config import Config, find, load
from jarvisbot.errors import ConfigError

Write = Callable[[str], Path]


class Backend(BaseModel):
    """The settings of an add-on that forgot to forbid unknown keys."""

    path: Path | None = None
    threads: int = Field(default=1, ge=1)
    label: str = "none"
    ratio: float = 0.5
    eager: bool = False


class Nested(BaseModel):
    """Settings that hold others."""

    class Server(BaseModel):
        """One of them."""

        host: str
        ports: tuple[int, ...] = ()

    servers: tuple[Server, ...] = ()
    by_name: dict[str, Server] = Field(default_factory=dict)
    main: Server | None = None


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "config.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def complaint(path: Path | None, **sources: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        load(path, **{"environment": {}, **sources})
    message = caught.value.user_message
    assert message == str(caught.value)
    assert "\n" not in message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return message


# ---------------------------------------------------------------- defaults


def test_no_file_gives_the_defaults() -> None:
    config = load(None, environment={})
    assert config.file is None
    assert config.bot.data_folder == folders.data_folder()
    assert (config.bot.language, config.bot.timezone, config.bot.log_level) == ("auto", None, "INFO")
    assert config.access.owners == config.access.admins == config.access.members == ()
    assert config.policy.mode == "assist"
    assert config.limits.model_dump() == {
        "waiting_per_conversation": 20,
        "waiting_per_user": 5,
        "age_minutes": 60,
        "turn_minutes": 15,
        "tool_calls": 8,
        "rounds": 4,
        "strategy": "auto",
        "think_tokens": None,
        "answer_tokens": None,
        "parallel_conversations": 4,
    }
    assert (config.model_backend, config.connectors, config.warnings) == ("llamacpp", {}, ())


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "\ufeff[bot]\n"])
def test_a_file_that_sets_nothing_gives_the_defaults(write: Write, text: str) -> None:
    assert load(write(text), environment={}).limits == load(None, environment={}).limits


def test_settings_cannot_be_changed_after_loading() -> None:
    config = load(None, environment={})
    with pytest.raises(ValueError, match="frozen"):
        config.limits.rounds = 9  # type: ignore[misc]
    with pytest.raises(AttributeError):
        config.model_backend = "other"  # type: ignore[misc]


def test_every_setting_has_a_description() -> None:
    settings = Config.names()
    assert {"bot.data_folder", "limits.tool_calls", "model.backend", "connectors.<name>.enabled"} <= {
        setting.name for setting in settings
    }
    assert [setting.name for setting in settings if not setting.description] == []


# ---------------------------------------------------------------- files


def test_values_of_the_file_are_taken(write: Write) -> None:
    config = load(
        write(
            '[bot]\nlanguage = "de"\ntimezone = "Europe/Berlin"\nlog_level = "debug"\ndata_folder = "~/bot"\n'
            '[access]\nowners = ["telegram:1", "matrix:@anna:example.org"]\n'
            '[model]\nbackend = "openai"\n[connectors.irc]\n[connectors.sms]\nenabled = false\n'
            '[tools]\ndisabled = ["dice"]\n'
        ),
        environment={},
    )
    assert (config.bot.language, config.bot.timezone, config.bot.log_level) == ("de", "Europe/Berlin", "DEBUG")
    assert config.bot.data_folder == Path.home() / "bot"
    assert config.access.owners == ("telegram:1", "matrix:@anna:example.org")
    assert config.model_backend == "openai"
    assert dict(config.connectors) == {"irc": True, "sms": False}
    assert config.tools.disabled == ("dice",)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('\n[bot]\nlangauge = "de"\n', 3, "bot.langauge is not a setting; the nearest valid name is bot.language"),
        ('langage = "de"\n', 1, "langage is not a setting; the nearest valid name is bot.language"),
        ("# a\n[limit]\nrounds = 1\n", 2, "limit is not a setting; the nearest valid name is limits"),
        ("[bot]\nwaiting_per_user = 3\n", 2, "the nearest valid name is limits.waiting_per_user"),
        ("[policy]\nxyzzy = 3\n", 2, "policy.xyzzy is not a setting; valid names are policy.mode"),
        ("limits.ronds = 3\n", 1, "the nearest valid name is limits.rounds"),
        ("limits = { tool_calls = 2,ronds = 3 }\n", 1, "the nearest valid name is limits.rounds"),
        (
            '[bot]\nlanguage = "dee"\n',
            2,
            'bot.language must be "auto" or the code of a language such as "en" or "de"; the',
        ),
        ('[bot]\nlanguage = "dee"\n', 2, '; the nearest is "de"'),
        ('[bot]\nlanguage = "autp"\n', 2, '; the nearest is "auto"'),
        ('[bot]\nlanguage = "Französisch"\n', 2, '; the nearest is "fr"'),
        ('[bot]\nlanguage = "qqq"\n', 2, 'such as "en" or "de": ar, bg, bn'),
        ('[skills]\nfolders = ["skills"]\n', 2, "skills.folders[0] must be an absolute path"),
        ('[policy]\nmode = "autonomus"\n', 2, 'the nearest is "autonomous"'),
        ("[limits]\nrounds = 0\n", 2, "limits.rounds must be at least 1"),
        ("[limits]\nrounds = 51\n", 2, "limits.rounds must be at most 50"),
        ("[limits]\nrounds = true\n", 2, "limits.rounds must be a whole number"),
        ('[limits]\nrounds = "4"\n', 2, "limits.rounds must be a whole number"),
        ("[limits]\nrounds = 4.0\n", 2, "limits.rounds must be a whole number"),
        ("[limits]\nrounds = nan\n", 2, "limits.rounds must be"),
        ("[bot]\nlanguage = 3\n", 2, "bot.language must be"),
        ("[bot]\nlanguage = 2024-01-01\n", 2, "bot.language must be"),
        ('[bot]\n\ntimezone = "Europe/Berln"\n', 3, "bot.timezone must be a time zone; the nearest is Europe/Berlin"),
        ('[bot]\ntimezone = "../../etc/passwd"\n', 2, "bot.timezone must be a time zone"),
        ('[bot]\ndata_folder = "data"\n', 2, "bot.data_folder must be an absolute path"),
        ('[access]\nowners = ["telegram:1",\n  "anna"]\n', 3, 'access.owners[1] must be "connector:user id"'),
        ('[access]\nowners = ["telegram:*"]\n', 2, "there is no wildcard"),
        ('[access]\nowners = "telegram:1"\n', 2, "access.owners must be a list"),
        ("bot = 3\n", 1, "bot must be a table: [bot]"),
        ("[[limits]]\n", 1, "limits must be a table"),
        ('owners = ["irc:1"]\n', 1, "owners is not a setting; the nearest valid name is access.owners"),
        ("connectors.irc = true\n", 1, "connectors.irc must be a table"),
        ("[connectors.irc]\nenabled = 1\n", 2, "connectors.irc.enabled must be true or false"),
        ('[connectors."../x"]\n', 1, "must be a name of lower-case letters"),
        ("[bot\n", 1, "not valid TOML: expected ']'"),
        ("[bot]\na = 1\na = 2\n[access]\n", 3, "not valid TOML: cannot overwrite a value"),
        ("[bot]\nlanguage = de\n", 2, "not valid TOML: invalid value"),
        ("\0\0\0\0", 1, "not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_file_line_key_and_remedy(write: Write, text: str, line: int, words: str) -> None:
    path = write(text)
    message = complaint(path)
    assert message.startswith(f"{path}:{line}: ")
    assert words in message


def test_the_first_of_several_mistakes_is_named_and_the_others_counted(write: Write) -> None:
    path = write('[bot]\nlanguage = "dee"\n[limits]\nronds = 1\ntool_calls = -1\n')
    message = complaint(path)
    assert message.startswith(f"{path}:2: bot.language")
    assert message.endswith("(and 2 more problems).")


def test_a_key_that_a_release_removed_only_warns(write: Write) -> None:
    path = write('[bot]\nnickname = "Jarvis"\n[search]\nengine = "x"\n')
    removed = {"bot.nickname": "the platforms' own names are used", "search": "see [tools]", "bot.gone": "never set"}
    config = load(path, environment={"JARVISBOT_BOT__GONE": "1"}, removed=removed)
    assert config.warnings == (
        f"{path}:2: bot.nickname was removed and is ignored: the platforms' own names are used.",
        f"{path}:3: search was removed and is ignored: see [tools].",
        "environment variable JARVISBOT_BOT__GONE: bot.gone was removed and is ignored: never set.",
    )
    assert "bot.nickname" in complaint(path)


def test_a_removed_key_of_an_add_on_only_warns(write: Write) -> None:
    path = write("[model]\nmmap = true\nthreads = 2\n")
    config = load(path, environment={}, removed={"model.mmap": "it is always on"})
    assert config.section("model", Backend, drop={"backend"})[0].threads == 2
    assert "model.mmap" in config.warnings[0]


def test_a_folder_is_no_config_file(tmp_path: Path) -> None:
    assert complaint(tmp_path) == f"{tmp_path} is a folder, not a config file."


def test_a_file_that_does_not_exist_is_named(tmp_path: Path) -> None:
    assert complaint(tmp_path / "no.toml").startswith(f"{tmp_path}/no.toml does not exist")


def test_a_path_through_a_file_is_named(write: Write) -> None:
    assert "cannot be read (Not a directory)" in complaint(write("") / "config.toml")


def test_bytes_that_are_not_text_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"[bot]\n# caf\xe9\n")
    assert complaint(path) == f"{path}:2: not UTF-8 text."


def test_absurd_files_end_in_a_sentence(write: Write) -> None:
    assert "nested too deeply" in complaint(write("a = " + "[" * 50_000 + "]" * 50_000))
    assert "not valid TOML" in complaint(write("a = " + "9" * 10_000))
    assert "larger than 1 MiB" in complaint(write("#" * (1 << 20) + "\n"))


# ---------------------------------------------------------------- environment and flags


def test_environment_wins_over_the_file_and_flags_over_both(write: Write) -> None:
    path = write("[limits]\nrounds = 1\ntool_calls = 1\nage_minutes = 1\n")
    config = load(
        path,
        environment={"JARVISBOT_LIMITS__ROUNDS": "2", "JARVISBOT_LIMITS__TOOL_CALLS": "2", "PATH": "/bin"},
        overrides={"limits.rounds": "3"},
    )
    assert (config.limits.rounds, config.limits.tool_calls, config.limits.age_minutes) == (3, 2, 1)


@pytest.mark.parametrize(
    "text",
    [
        '["telegram:1", "matrix:@a:b"]',
        "telegram:1, matrix:@a:b",
        "telegram:1,matrix:@a:b,",
        "['telegram:1', 'matrix:@a:b']",
    ],
)
def test_lists_can_be_given_as_text(text: str) -> None:
    config = load(None, environment={"JARVISBOT_ACCESS__OWNERS": text})
    assert config.access.owners == ("telegram:1", "matrix:@a:b")


def test_values_of_the_environment_take_the_type_that_the_setting_has() -> None:
    environment = {
        "JARVISBOT_MODEL__PATH": "/srv/1.gguf",
        "JARVISBOT_MODEL__THREADS": "4",
        "JARVISBOT_MODEL__LABEL": "2024",
        "JARVISBOT_MODEL__RATIO": "1",
        "JARVISBOT_MODEL__EAGER": "Yes",
    }
    settings, _ = load(None, environment=environment).section("model", Backend, drop={"backend"})
    assert settings == Backend(path=Path("/srv/1.gguf"), threads=4, label="2024", ratio=1.0, eager=True)
    text = load(None, environment={"JARVISBOT_MODEL__LABEL": "on"}).section("model", Backend)[0].label
    assert text == "on"


def test_text_of_the_environment_cannot_smuggle_in_other_keys() -> None:
    config = load(None, environment={"JARVISBOT_MODEL__LABEL": '"x"\nthreads = 7'})
    settings, _ = config.section("model", Backend)
    assert (settings.label, settings.threads) == ('"x"\nthreads = 7', 1)


def test_tables_can_be_given_as_json_or_toml_or_key_by_key() -> None:
    for text in ('{"host": "a", "ports": [1]}', '{ host = "a", ports = [1] }'):
        settings, _ = load(None, environment={"JARVISBOT_MODEL__MAIN": text}).section("model", Nested)
        assert settings.main == Nested.Server(host="a", ports=(1,))
    environment = {"JARVISBOT_MODEL__MAIN": '{"ports": [2]}', "JARVISBOT_MODEL__MAIN__HOST": "b"}
    settings, _ = load(None, environment=environment).section("model", Nested)
    assert settings.main == Nested.Server(host="b", ports=(2,))


def test_what_a_variable_leaves_out_is_named_by_its_place() -> None:
    environment = {"JARVISBOT_MODEL__MAIN__PORTS": "1"}
    with pytest.raises(ConfigError, match=r"JARVISBOT_MODEL__MAIN__PORTS: model\.main\.host is missing"):
        load(None, environment=environment).section("model", Nested)


@pytest.mark.parametrize("text", ["[" * 50_000, '{"a"', "[1, null", "a = \udcff", "\ud800", "{" * 50_000])
def test_absurd_text_in_a_variable_ends_in_a_sentence(text: str) -> None:
    assert "JARVISBOT_LIMITS__ROUNDS: limits.rounds " in complaint(None, environment={"JARVISBOT_LIMITS__ROUNDS": text})


def test_a_key_below_a_plain_value_is_refused() -> None:
    message = complaint(None, environment={"JARVISBOT_MODEL__PATH": "x", "JARVISBOT_MODEL__PATH__DEEP": "y"})
    assert message.endswith("model.path.deep cannot be set, since path is not a table.")


def test_a_path_that_is_none_is_refused() -> None:
    assert "is not a path" in complaint(Path("a\0b"))


def test_an_empty_variable_counts_as_not_set() -> None:
    assert load(None, environment={"JARVISBOT_BOT__TIMEZONE": " ", "JARVISBOT_BOT__LANGUAGE": ""}).bot.timezone is None


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("JARVISBOT_BOT__LANGAGE", "JARVISBOT_BOT__LANGUAGE"),
        ("JARVISBOT_BOT_LANGUAGE", "JARVISBOT_BOT__LANGUAGE"),
        ("JARVISBOT_MODLE__PATH", "JARVISBOT_MODEL__PATH"),
        ("JARVISBOT_CONECTORS__IRC__HOST", "JARVISBOT_CONNECTORS__IRC__HOST"),
        ("JARVISBOT_ROUNDS", "JARVISBOT_LIMITS__ROUNDS"),
        ("JARVISBOT_LOG_LEVEL", "JARVISBOT_BOT__LOG_LEVEL"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_name(name: str, best: str) -> None:
    message = complaint(None, environment={name: "hush"})
    assert message == f"Environment variable {name} is not a setting; the nearest valid name is {best}."


@pytest.mark.parametrize("name", ["JARVISBOT_", "JARVISBOT___", "JARVISBOT_CONNECTORS__IRC", "JARVISBOT_MODEL"])
def test_a_variable_without_a_key_is_refused(name: str) -> None:
    assert name in complaint(None, environment={name: "x"})


def test_variables_that_are_no_settings_are_left_alone(write: Write) -> None:
    path = write('[connectors.irc]\ntoken_env = "JARVISBOT_IRC_TOKEN"\n')
    environment = {"JARVISBOT_CONFIG": str(path), "JARVISBOT_IRC_TOKEN": "hush"}
    assert dict(load(None, environment=environment).connectors) == {"irc": True}
    by_environment = {"JARVISBOT_CONNECTORS__IRC__TOKEN_ENV": "JARVISBOT_OTHER", "JARVISBOT_OTHER": "hush"}
    assert dict(load(None, environment=by_environment).connectors) == {"irc": True}


def test_a_bad_value_of_a_variable_or_flag_is_named_by_its_place() -> None:
    environment = {"JARVISBOT_LIMITS__ROUNDS": "many"}
    assert complaint(None, environment=environment) == (
        "environment variable JARVISBOT_LIMITS__ROUNDS: limits.rounds must be a whole number."
    )
    assert complaint(None, overrides={"limits.rounds": "-1"}) == "flag limits.rounds: limits.rounds must be at least 1."
    assert complaint(None, overrides={"bot.log_lvl": "x"}) == (
        "Flag bot.log_lvl is not a setting; the nearest valid name is bot.log_level."
    )


def test_the_config_file_is_the_flags_then_the_variables_then_none(tmp_path: Path, write: Write) -> None:
    path = write("[limits]\nrounds = 7\n")
    other = tmp_path / "other.toml"
    assert find(other, environment={"JARVISBOT_CONFIG": str(path)}) == other
    assert find(None, environment={"JARVISBOT_CONFIG": str(path)}) == path
    assert load(None, environment={"JARVISBOT_CONFIG": str(path)}).limits.rounds == 7


def test_the_users_own_config_file_is_found_if_it_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert find(None, environment={}) is None
    own = tmp_path / "jarvisbot" / "config.toml"
    own.parent.mkdir()
    own.touch()
    assert find(None, environment={}) == own


# ---------------------------------------------------------------- sections of add-ons


def test_an_add_ons_section_is_validated_as_strictly_as_the_rest(write: Write) -> None:
    path = write('[model]\nbackend = "x"\nthraeds = 3\n')
    config = load(path, environment={})
    with pytest.raises(ConfigError) as caught:
        config.section("model", Backend, drop={"backend"})
    assert str(caught.value) == f"{path}:3: model.thraeds is not a setting; the nearest valid name is model.threads."
    assert caught.value.__context__ is None


def test_a_connector_without_a_section_has_its_defaults() -> None:
    settings, secrets = load(None, environment={}).section("connectors.console", Backend)
    assert settings == Backend()
    assert dict(secrets) == {}


def test_an_error_about_a_key_points_at_its_place(write: Write) -> None:
    path = write("\n[connectors.telegrm]\n")
    error = load(path, environment={}).error("connectors.telegrm", "is no connector", valid=["discord", "telegram"])
    assert str(error) == f"{path}:2: connectors.telegrm is no connector; the nearest valid name is telegram."


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('[[model.servers]]\nhost = "a"\n[[model.servers]]\nhots = "b"\n', 3, "model.servers[1].host is missing"),
        ('[[model.servers]]\nhost = "a"\n\nprts = [1]\n', 4, "nearest valid name is model.servers[0].ports"),
        ('[model.by_name.x]\nhost = "a"\nports = [\n1,\n"2"]\n', 5, "model.by_name.x.ports[1] must be a whole number"),
        ('[model.main]\nhost = "a"\nhosst = "b"\n', 3, "nearest valid name is model.main.host"),
        ("[model]\nmain = 3\n", 2, "model.main must be a table"),
    ],
)
def test_nested_settings_are_named_by_line_and_place(write: Write, text: str, line: int, words: str) -> None:
    path = write(text)
    with pytest.raises(ConfigError) as caught:
        load(path, environment={}).section("model", Nested)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert words in str(caught.value)
