"""The settings of the program itself, section by section, with their defaults and limits.

A connector's and a model backend's own keys are declared by their `Settings`, not here.
"""

from __future__ import annotations

import difflib
import re
import urllib.parse
import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticUndefined

from jarvisbot import folders
from jarvisbot.config.actions import ACTION_NAME, BEARER, WEBHOOK, ActionSettings
from jarvisbot.languages import LANGUAGES, find_language, nearest_languages

__all__ = [
    "MODEL_KEYS",
    "REMOVED",
    "Access",
    "Bot",
    "Core",
    "Limits",
    "Policy",
    "Setting",
    "Skills",
    "Switches",
    "describe",
]

REMOVED: Mapping[str, str] = {}
"""Keys that a release removed: dotted name -> what to do instead. They warn and are ignored."""

ADD_ON_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


def _absolute(path: Path) -> Path:
    try:
        expanded = path.expanduser()
    except RuntimeError as error:
        raise ValueError("must not start with ~ where there is no home folder") from error
    if not expanded.is_absolute():
        raise ValueError("must be an absolute path, or start with ~/")
    return expanded


def _time_zone(name: str) -> str:
    """The name, if the zone data of this machine has it."""
    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        known = zoneinfo.available_timezones()
        if not known:
            raise ValueError(f"needs time zone data: {folders.install_command('tzdata')}") from None
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"; the nearest is {close[0]}" if close else ', for example "Europe/Berlin"'
        raise ValueError(f"must be a time zone{hint}") from None
    return name


def _language(value: str) -> str:
    """The code of a language that replies are offered in, or "auto"."""
    if value == "auto" or value in LANGUAGES:
        return value
    named = find_language(value)
    best = [named] if named else [*nearest_languages(value, count=1)]
    close = difflib.get_close_matches(value.lower(), ["auto", *LANGUAGES], n=1)
    nearest = best[0].code if best else close[0] if close else None
    hint = f'; the nearest is "{nearest}"' if nearest else f": {', '.join(LANGUAGES)}"
    raise ValueError(f'must be "auto" or the code of a language such as "en" or "de"{hint}')


def _person(value: str) -> str:
    connector, colon, user = value.partition(":")
    if user == "*":
        raise ValueError("must name each person: there is no wildcard")
    if not colon or not ADD_ON_NAME.fullmatch(connector) or not user or re.search(r"\s", user):
        raise ValueError('must be "connector:user id", for example "telegram:123456789"')
    return value


def _add_on_name(value: str) -> str:
    if not ADD_ON_NAME.fullmatch(value):
        raise ValueError("must be a name of lower-case letters, digits, - and _")
    return value


def _action_name(value: str) -> str:
    if not ACTION_NAME.fullmatch(value):
        raise ValueError("must be a name of letters, digits, spaces and hyphens, at most 60 of them")
    return value


def _host(value: str) -> str:
    """The address without its last slash; https where it names no scheme."""
    address = (value if "://" in value else f"https://{value}").rstrip("/")
    parts = urllib.parse.urlsplit(address)
    try:
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        has_host = False
    if parts.scheme not in ("https", "http") or not has_host or parts.query or parts.fragment:
        raise ValueError('must be the address of a host, for example "https://huggingface.co"')
    if parts.username is not None:
        raise ValueError("must not hold a password; give a token by token_env or token_file")
    return address


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


Person = Annotated[str, AfterValidator(_person)]
AddOnName = Annotated[str, AfterValidator(_add_on_name)]
ActionName = Annotated[str, AfterValidator(_action_name)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Bot(_Section):
    """The program as a whole."""

    data_folder: Annotated[Path, AfterValidator(_absolute)] = Field(
        default_factory=folders.data_folder, description="Where the database, keys, media and logs lie."
    )
    language: Annotated[str, AfterValidator(_language)] = Field(
        default="auto", description='The language of replies, as "de"; "auto" follows each message.'
    )
    timezone: Annotated[str, AfterValidator(_time_zone)] | None = Field(
        default=None,
        description='The time zone of people who did not set their own, as "Europe/Berlin"; else the box\'s.',
    )
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_upper)] = Field(
        default="INFO", description="The least severity that is logged: DEBUG, INFO, WARNING or ERROR."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description='"text" lines, or one "json" object a line.'
    )


class Access(_Section):
    """Who may talk. Whoever is in no list gets a code once in a direct chat, and else silence."""

    owners: tuple[Person, ...] = Field(
        default=(), description='Who owns the bot, as "connector:user id"; the console\'s person always does.'
    )
    admins: tuple[Person, ...] = Field(default=(), description="Who may also change rooms' settings and let people in.")
    members: tuple[Person, ...] = Field(default=(), description="Who may talk to the bot.")
    pairing: bool = Field(
        default=True, description="Whether strangers in direct chats get a code that an admin lets them in with: /pair."
    )


class Policy(_Section):
    """What the bot may do by itself."""

    mode: Literal["observe", "assist", "autonomous"] = Field(
        default="assist",
        description='"observe" only reads, "assist" asks before it changes anything outside, "autonomous" asks less.',
    )


class Limits(_Section):
    """How much work is taken on, and how much one answer may cost."""

    waiting_per_conversation: int = Field(
        default=20, ge=1, le=1000, description="Messages that may wait in one conversation."
    )
    waiting_per_user: int = Field(
        default=5, ge=1, le=1000, description="Messages of one person that may wait in one conversation."
    )
    age_minutes: int = Field(
        default=60, ge=1, le=10080, description="Messages missed for longer than this many minutes are skipped."
    )
    turn_minutes: int = Field(default=15, ge=1, le=1440, description="An answer that takes longer is given up.")
    tool_calls: int = Field(default=8, ge=0, le=100, description="Tool calls in one turn.")
    rounds: int = Field(default=4, ge=1, le=50, description="Times that the model is asked in one turn.")
    strategy: Literal["auto", "baseline", "capped", "routed", "verbose"] = Field(
        default="auto",
        description='How a model is asked where a skill does not say: "capped" thinks for 32 tokens and answers in 512,'
        ' "routed" does so with a push towards tools, "verbose" thinks for 256, "baseline" has 1024 for both; "auto" is'
        ' "capped" on a processor and "baseline" on a graphics card.',
    )
    think_tokens: int | None = Field(
        default=None, ge=0, le=65536, description="Tokens a model may think before it answers; else the strategy's."
    )
    answer_tokens: int | None = Field(
        default=None, ge=16, le=65536, description="Tokens of one answer; else the strategy's."
    )
    parallel_conversations: int = Field(default=4, ge=1, le=64, description="Conversations that are worked on at once.")


class Switches(_Section):
    """Add-ons of a kind that are on unless they are listed."""

    disabled: tuple[AddOnName, ...] = Field(default=(), description="Names of those that are switched off.")


class Skills(Switches):
    """Skills that are off, and where to find more of them."""

    folders: tuple[Annotated[Path, AfterValidator(_absolute)], ...] = Field(
        default=(), description="Folders with skills of your own, besides the folder skills in the data folder."
    )


class ModelBackend(_Section):
    """Which backend runs a model; its own keys are declared by the backend."""

    backend: AddOnName = Field(default="llamacpp", description="What runs the model: the name of a file in models/.")


class ModelChoice(ModelBackend):
    """The model that answers, and where model files come from; the other keys are declared by the backend."""

    host: Annotated[str, AfterValidator(_host)] = Field(
        default="https://huggingface.co",
        description="Where `jarvisbot model install` downloads from: the Hugging Face hub, or a mirror of it.",
    )


class ConnectorSwitch(_Section):
    """Whether a connector runs; its own keys are declared by the connector."""

    enabled: bool = Field(default=True, description="Whether the connector runs.")


class ActionPlace(_Section):
    """That an action is there; its keys are read by `Config.actions`."""


class Core(_Section):
    """Everything the program itself reads. Extra keys of `model`, `models.*`, `connectors.*` and `actions.*` never get here."""

    bot: Bot = Field(default_factory=Bot)
    access: Access = Field(default_factory=Access)
    policy: Policy = Field(default_factory=Policy)
    limits: Limits = Field(default_factory=Limits)
    model: ModelChoice = Field(default_factory=ModelChoice)
    models: dict[AddOnName, ModelBackend] = Field(default_factory=dict)
    connectors: dict[AddOnName, ConnectorSwitch] = Field(default_factory=dict)
    actions: dict[ActionName, ActionPlace] = Field(default_factory=dict)
    tools: Switches = Field(default_factory=Switches)
    skills: Skills = Field(default_factory=Skills)


MODEL_KEYS = frozenset({"backend", "host", "token", "token_env", "token_file"})
"""Keys of the section `model` that are the program's own, whatever the backend. `token` is the host's secret."""

OPEN_SECTIONS = frozenset({"model", "models", "connectors", "actions"})
"""Sections whose further keys are declared elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting, for documentation: dotted name, default (None: none or required), what it is for."""

    name: str
    default: object
    description: str


def describe(dotted: str, settings: type[BaseModel], *, secrets: Sequence[str] = ()) -> tuple[Setting, ...]:
    """The settings that a model declares, as they are named under the section `dotted`.

    A secret `token` appears as `token_env` and `token_file`, the two ways a config file should give it.
    """
    found: list[Setting] = []
    for name, field in settings.model_fields.items():
        full = f"{dotted}.{name}" if dotted else name
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            found += describe(full, field.annotation)
        elif field.annotation == dict[AddOnName, ConnectorSwitch]:
            found += describe(f"{full}.<name>", ConnectorSwitch)
        elif field.annotation == dict[ActionName, ActionPlace]:
            found += describe(f"{full}.<name>", ActionSettings, secrets=(WEBHOOK, BEARER))
        elif field.annotation == dict[AddOnName, ModelBackend]:
            found += describe(f"{full}.<name>", ModelBackend)
        else:
            default = field.get_default(call_default_factory=True, validated_data={})
            default = None if default is PydanticUndefined else default
            found.append(Setting(name=full, default=default, description=field.description or ""))
    known = {setting.name for setting in found}
    for secret in secrets:
        for way, meaning in (("env", "The environment variable that holds"), ("file", "The file that holds")):
            if (name := f"{dotted}.{secret}_{way}") not in known:
                found.append(Setting(name=name, default=None, description=f"{meaning} the {secret}."))
    return tuple(found)
