"""config.example.toml: it loads, shows the defaults and names every setting."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from jarvisbot import discovery, folders
from jarvisbot.config import Config, Setting, describe, load
from jarvisbot.config.settings import ConnectorSwitch
from jarvisbot.errors import MissingPart

EXAMPLE = folders.bundled("config.example.toml")
ENVIRONMENT = {"TELEGRAM_TOKEN": "123456:hush", "HOME_TOKEN": "hush", "MODEL_KEY": "hush"}


def uncommented() -> str:
    return re.sub(r"(?m)^#(?=\[|[a-z_]+ = )", "", EXAMPLE.read_text(encoding="utf-8"))


@pytest.fixture
def everything(tmp_path: Path) -> Config:
    path = tmp_path / "config.toml"
    path.write_text(uncommented(), encoding="utf-8")
    return load(path, environment=ENVIRONMENT)


def modules(kind: discovery.Kind) -> dict[str, ModuleType]:
    found = {}
    for name in discovery.names(kind):
        try:
            found[name] = discovery.load(kind, name)
        except MissingPart:
            continue
    return {name: module for name, module in found.items() if hasattr(module, "Settings")}


def settings_of(dotted: str, module: ModuleType) -> tuple[Setting, ...]:
    return describe(dotted, module.Settings, secrets=secrets_of(module))


def secrets_of(module: ModuleType) -> tuple[str, ...]:
    return (*getattr(module, "SECRETS", ()), *getattr(module, "OPTIONAL_SECRETS", ()))


def shown_under(backend: str) -> str:
    """The section in which the example shows a backend's settings: its own, or the one of the default."""
    shown = tomllib.loads(uncommented())["models"]
    return next((f"models.{name}" for name, table in shown.items() if table["backend"] == backend), "model")


def expected() -> dict[str, Setting]:
    settings = [setting for setting in Config.names() if "<name>" not in setting.name]
    for name, module in modules("models").items():
        settings += settings_of(shown_under(name), module)
    for name, module in modules("connectors").items():
        settings += describe(f"connectors.{name}", ConnectorSwitch)
        settings += settings_of(f"connectors.{name}", module)
    return {setting.name: setting for setting in settings}


def test_the_example_as_it_is_changes_nothing() -> None:
    config, default = load(EXAMPLE, environment={}), load(None, environment={})
    assert (config.bot, config.access, config.policy, config.limits) == (
        default.bot,
        default.access,
        default.policy,
        default.limits,
    )
    assert (config.connectors, config.model_backend, config.warnings) == ({}, default.model_backend, ())


def test_the_example_names_every_setting_of_the_program_and_its_add_ons() -> None:
    sections: dict[str, str] = {}
    section = ""
    for line in uncommented().splitlines():
        if header := re.fullmatch(r"\[([^\]]+)\]", line):
            section = header.group(1)
        sections[section] = f"{sections.get(section, '')}\n{line}"
    lacking = [
        name
        for name in expected()
        if not re.search(rf"\b{name.rpartition('.')[2]}\b", sections.get(name.rpartition(".")[0], ""))
    ]
    assert lacking == []


def test_the_example_names_every_key_of_an_action(everything: Config) -> None:
    text = EXAMPLE.read_text(encoding="utf-8").split("#[actions.", 1)[1].split("[skills]")[0]
    keys = [setting.name.rpartition(".")[2] for setting in Config.names() if setting.name.startswith("actions.")]
    assert len(keys) > 6
    assert [key for key in keys if not re.search(rf"\b{key}\b", text)] == []
    assert [action.name for action in everything.actions()] == ["spotify", "living room light off"]


def test_every_line_of_the_example_is_valid_once_uncommented(everything: Config) -> None:
    everything.section("model", modules("models")[everything.model_backend].Settings, drop={"backend"})
    for name, backend in everything.models.items():
        module = modules("models")[backend]
        _, values = everything.section(
            f"models.{name}", module.Settings, optional_secrets=secrets_of(module), drop={"backend"}
        )
        assert set(values) == set(secrets_of(module))
    found = modules("connectors")
    for name in everything.connectors:
        if name in found:
            secrets = getattr(found[name], "SECRETS", ())
            _, values = everything.section(f"connectors.{name}", found[name].Settings, secrets=secrets)
            assert set(values) == set(secrets)


def test_the_example_shows_the_defaults() -> None:
    shown = tomllib.loads(uncommented())
    for name, setting in expected().items():
        here: object = shown
        for part in name.split("."):
            here = here.get(part) if isinstance(here, dict) else None
        if setting.default is not None and here is not None and not isinstance(setting.default, Path):
            assert (name, here) == (
                name,
                list(setting.default) if isinstance(setting.default, tuple) else setting.default,
            )


def test_every_key_of_the_example_has_a_line_on_what_it_is_for() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    bare = [
        line
        for before, line in itertools.pairwise(lines)
        if re.match(r"#[a-z_]+ = ", line) and not before.startswith("# ")
    ]
    assert bare == []
