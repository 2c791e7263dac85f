"""The loaded configuration: the program's settings, and sections of add-ons validated when they are asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from jarvisbot import folders
from jarvisbot.config.actions import BEARER, WEBHOOK, Action, ActionSettings, action
from jarvisbot.config.secrets import Secrets, missing, named_file, resolve, secret_keys
from jarvisbot.config.settings import (
    MODEL_KEYS,
    OPEN_SECTIONS,
    REMOVED,
    Access,
    Bot,
    ConnectorSwitch,
    Core,
    Limits,
    ModelChoice,
    Policy,
    Setting,
    Skills,
    Switches,
    describe,
)
from jarvisbot.config.sources import Sources, Table, gather
from jarvisbot.config.validation import validate
from jarvisbot.config.wording import dotted as dotted_name
from jarvisbot.config.wording import suggestion
from jarvisbot.errors import ConfigError

__all__ = ["Config", "find", "load"]

Settings = TypeVar("Settings", bound=BaseModel)

_NO_FLAGS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Config:
    """What is configured. Frozen, but for its own record of the secrets and warnings that `section` came upon."""

    bot: Bot
    access: Access
    policy: Policy
    limits: Limits
    tools: Switches
    skills: Skills
    model_backend: str
    """The name of the module in models/ that runs the model; its keys are `section("model", …)`."""
    models: Mapping[str, str]
    """Further models by name -> their backends, in the order of the file; their keys are `section("models.<name>", …)`."""
    model_host: str
    """Where model files are downloaded from, without a slash at the end."""
    connectors: Mapping[str, bool]
    """Connectors that have a section -> whether they are enabled, in the order of the file."""
    file: Path | None
    """The file that was read, or None."""
    _actions: tuple[str, ...] = field(default=(), repr=False)
    _sources: Sources = field(repr=False)
    _environment: Mapping[str, str] = field(repr=False)
    _secret_values: set[str] = field(default_factory=set, repr=False)
    _warnings: list[str] = field(default_factory=list, repr=False)

    @staticmethod
    def names() -> tuple[Setting, ...]:
        """Every setting of the program itself; those of add-ons come from `describe`."""
        return (*describe("", Core), *describe("model", BaseModel, secrets=("token",)))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is accepted but should be changed: removed keys, secrets in the config file. One sentence each."""
        return tuple(self._warnings)

    def secret_values(self) -> frozenset[str]:
        """All secrets that `section` has resolved so far, for redaction."""
        return frozenset(self._secret_values)

    def section(
        self,
        dotted: str,
        settings: type[Settings],
        *,
        secrets: Collection[str] = (),
        optional_secrets: Collection[str] = (),
        drop: Collection[str] = (),
    ) -> tuple[Settings, Secrets]:
        """The section `dotted` as an add-on's own settings, and its secrets by field name.

        A secret `token` comes from exactly one of `token_env`, `token_file`, the systemd credential `<section>_token`
        or `token`, and `token` itself in a file only its owner can read. Keys in `drop` are read by somebody else, as
        are a connector's `enabled` and what MODEL_KEYS names. Raises ConfigError as `load` does; `secrets` have to be given.
        """
        at = tuple(dotted.split("."))
        table = dict(self._sources.table(at))
        every_secret = (*secrets, *optional_secrets)
        values: dict[str, str] = {}
        absent: list[str] = []
        for name in every_secret:
            value, warning = resolve(name, table, at=at, sources=self._sources, environment=self._environment)
            if value is None:
                if name in secrets:
                    absent.append(name)
                continue
            values[name] = value
            self._secret_values.add(value)
            if warning and warning not in self._warnings:
                self._warnings.append(warning)
        ours = MODEL_KEYS if at == ("model",) else ConnectorSwitch.model_fields if at[0] == "connectors" else ()
        others = {*drop, *ours}
        ways = secret_keys(every_secret)
        for key in (*others, *(ways - settings.model_fields.keys()), *every_secret):
            table.pop(key, None)
        instance = validate(settings, table, at=at, sources=self._sources, also_valid={*others, *ways})
        for name in absent:  # after the keys: the secret may be there under a mistyped one
            raise missing(name, at=at, sources=self._sources)
        return instance, Secrets(values)

    def secret_file(self, dotted: str, name: str) -> Path | None:
        """The file that the config file names for a section's secret; None where it is given in another way."""
        at = tuple(dotted.split("."))
        return named_file(name, self._sources.table(at), at=at, sources=self._sources)

    def secret_variable(self, dotted: str, name: str) -> str | None:
        """The environment variable that the config names for a section's secret; None where it is given in another way."""
        text = self._sources.table(tuple(dotted.split("."))).get(f"{name}_env")
        return text if isinstance(text, str) else None

    def actions(self) -> tuple[Action, ...]:
        """The actions of `[actions]` in the order of the file, with their secrets. Raises ConfigError as `load` does."""
        return tuple(map(self._action, self._actions))

    def _action(self, name: str) -> Action:
        table = self._sources.table(("actions", name))
        # A web hook's address is a secret where it is given like one; written out, it is where people expect it.
        secret = () if {WEBHOOK, "argv"} & table.keys() else (WEBHOOK,)
        settings, secrets = self.section(f"actions.{name}", ActionSettings, optional_secrets=(*secret, BEARER))
        try:
            made = action(name, settings, webhook=secrets.get(WEBHOOK), bearer=secrets.get(BEARER))
        except ValueError as error:
            raise self.error(f"actions.{name}", str(error)) from None
        if made.webhook:
            self._secret_values.add(made.webhook)
        return made

    def model_token(self) -> str | None:
        """The token for `model_host`, given as any secret of the section `model` is. Raises ConfigError."""
        table = self._sources.table(("model",))
        value, warning = resolve("token", table, at=("model",), sources=self._sources, environment=self._environment)
        if value is not None:
            self._secret_values.add(value)
        if warning and warning not in self._warnings:
            self._warnings.append(warning)
        return value

    def error(self, dotted: str, what: str, *, valid: Iterable[str] = ()) -> ConfigError:
        """A ConfigError about the key `dotted` that points at its place: `<place>: <dotted> <what>.`

        `valid` are the values or names that could stand there; the one nearest to the key's last part is named.
        """
        path = tuple(dotted.split("."))
        names = list(valid)
        return self._sources.error(path, f"{what}; {suggestion(path[-1], names)}" if names else what)


def find(path: Path | None, *, environment: Mapping[str, str]) -> Path | None:
    """The config file to load: the flag's, else JARVISBOT_CONFIG, else the user's own if there is one, else None."""
    if path is not None:
        return path
    if named := environment.get("JARVISBOT_CONFIG", "").strip():
        return Path(named)
    default = folders.config_file()
    try:
        return default if default.exists() else None
    except OSError:
        return default


def load(
    path: Path | None,
    *,
    environment: Mapping[str, str],
    overrides: Mapping[str, str] = _NO_FLAGS,
    removed: Mapping[str, str] = REMOVED,
) -> Config:
    """The configuration from the file at `path` (None: JARVISBOT_CONFIG, else no file), the environment and flags.

    `overrides` maps dotted names to values as TOML or plain text. Keys in `removed` (dotted name -> what to do
    instead) only warn. Keys of a connector or of the model's backend are looked at by `Config.section`.

    Raises ConfigError, one sentence: place (`file:line`, variable or flag), key, what is wrong, the nearest valid name.
    """
    if path is None and (named := environment.get("JARVISBOT_CONFIG", "").strip()):
        path = Path(named)
    known = [setting.name for setting in Config.names()]
    sources = gather(
        path,
        environment=environment,
        overrides=overrides,
        settings=known,
        open_sections=OPEN_SECTIONS,
        removed=removed,
    )
    warnings = list(_drop_removed(sources, removed))
    core = validate(Core, _core_table(sources), at=(), sources=sources, elsewhere=known)
    config = Config(
        bot=core.bot,
        access=core.access,
        policy=core.policy,
        limits=core.limits,
        tools=core.tools,
        skills=core.skills,
        model_backend=core.model.backend,
        models={name: choice.backend for name, choice in core.models.items()},
        model_host=core.model.host,
        connectors={name: switch.enabled for name, switch in core.connectors.items()},
        file=path,
        _sources=sources,
        _environment=dict(environment),
        _warnings=warnings,
        _actions=tuple(core.actions),
    )
    config.actions()  # what is wrong with one of them is said now
    return config


def _drop_removed(sources: Sources, removed: Mapping[str, str]) -> Iterable[str]:
    for name, hint in removed.items():
        *parents, last = name.split(".")
        here: object = sources.tree
        for part in parents:
            here = here.get(part) if isinstance(here, dict) else None
        if isinstance(here, dict) and last in here:
            path = (*parents, last)
            yield f"{sources.place(path)}: {dotted_name(path)} was removed and is ignored: {hint.rstrip('.')}."
            del here[last]


def _core_table(sources: Sources) -> Table:
    """The tree without the keys that add-ons declare."""
    table: Table = dict(sources.tree)
    for name in Core.model_fields:
        if name in table:
            table[name] = dict(sources.table((name,)))
    if "model" in table:
        table["model"] = _only(sources.table(("model",)), ModelChoice.model_fields)
    if "actions" in table:
        table["actions"] = {name: _only(sources.table(("actions", name)), ()) for name in sources.table(("actions",))}
    if "models" in table:
        names = sources.table(("models",))
        table["models"] = {name: _only(sources.table(("models", name)), {"backend"}) for name in names}
    if "connectors" in table:
        names = sources.table(("connectors",))
        switch = ConnectorSwitch.model_fields
        table["connectors"] = {name: _only(sources.table(("connectors", name)), switch) for name in names}
    return table


def _only(table: Table, keys: Collection[str]) -> Table:
    return {key: value for key, value in table.items() if key in keys}
