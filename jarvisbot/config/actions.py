"""The owner's own actions: a program or a web hook by name, with the words that people use for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator

__all__ = ["ACTION_NAME", "BEARER", "WEBHOOK", "Action", "ActionSettings", "action", "webhook_address"]

ACTION_NAME = re.compile(r"[^\W_](?:[\w '’-]{0,58}[\w])?")
WEBHOOK = "webhook"
BEARER = "bearer"
"""Names of the secrets that an action may have."""

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_RESERVED_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "authorization"})


def _no_line(value: object) -> object:
    if isinstance(value, str):
        raise ValueError(
            'must be a list with the program first, as in ["systemctl", "--user", "start", "music"]: no shell takes a '
            "line apart"
        )
    return tuple(value) if isinstance(value, list) else value


def _argument(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not hold a NUL character")
    return text


def webhook_address(url: str) -> str:
    """The address, if a request can be sent there. Raises ValueError; its text never repeats the address."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError("must be an address such as http://homeassistant.local:8123/api/webhook/lights") from error
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s\x00-\x1f]", url):
        raise ValueError("must be an address such as http://homeassistant.local:8123/api/webhook/lights")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a name or a password; bearer_file gives a token")
    return url


def _headers(given: dict[str, str]) -> dict[str, str]:
    for name, value in given.items():
        if not _HEADER.fullmatch(name) or re.search(r"[\r\n\0]", value) or not value.isascii():
            raise ValueError("must be plain names with plain values of one line")
        if name.lower() == "authorization":
            raise ValueError("must not hold a token; bearer_env or bearer_file gives it")
        if name.lower() in _RESERVED_HEADERS:
            raise ValueError("must not set Host, Connection or a length")
    return given


def _alias(text: str) -> str:
    if not text.strip() or len(text) > 100:
        raise ValueError("must be a few words")
    return text.strip()


class ActionSettings(BaseModel):
    """One section `[actions.<name>]`. `webhook` may be given as a secret, and so may a bearer token."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    argv: Annotated[tuple[Annotated[str, AfterValidator(_argument)], ...], BeforeValidator(_no_line)] = Field(
        default=(), description="The program and its arguments, one text each; no shell reads them."
    )
    webhook: Annotated[str, AfterValidator(webhook_address)] | None = Field(
        default=None, description="The address that a POST goes to; webhook_env or webhook_file keep it elsewhere."
    )
    body: JsonValue = Field(default=None, description="What the POST sends, as JSON.")
    headers: Annotated[dict[str, str], AfterValidator(_headers)] = Field(
        default_factory=dict, description="Headers of the POST; no secrets."
    )
    aliases: tuple[Annotated[str, AfterValidator(_alias)], ...] = Field(
        default=(), description="Other words for it, in any language."
    )
    description: str = Field(default="", max_length=200, description="What it does, for the model and for people.")
    timeout_s: float = Field(default=15.0, gt=0, le=300, description="Seconds after which it is stopped.")

    @model_validator(mode="after")
    def _is_of_one_kind(self) -> ActionSettings:
        if self.argv and self.webhook:
            raise ValueError("has both argv and webhook; keep one of them")
        if self.argv and not self.argv[0].strip():
            raise ValueError("has an argv without a program")
        if self.argv and (self.body is not None or self.headers):
            raise ValueError("has an argv, to which body and headers mean nothing")
        return self


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the owner has named: either `argv` or `webhook` is there. Its repr shows its name alone."""

    name: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    argv: tuple[str, ...] = ()
    webhook: str = ""
    body: JsonValue = None
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    timeout_s: float = 15.0

    def __repr__(self) -> str:
        return f"Action({self.name!r})"


def action(name: str, settings: ActionSettings, *, webhook: str | None, bearer: str | None) -> Action:
    """The action with its secrets put in. Raises ValueError where it would do nothing, or a secret is no address."""
    address = settings.webhook or (webhook_address(webhook) if webhook else "")
    if not settings.argv and not address:
        raise ValueError('needs argv = ["program", …] or webhook = "http://…"')
    if settings.argv and bearer:
        raise ValueError("has an argv, to which a bearer token means nothing")
    authorization = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    return Action(
        name=name,
        aliases=settings.aliases,
        description=settings.description.strip(),
        argv=settings.argv,
        webhook=address,
        body=settings.body,
        headers={**settings.headers, **authorization},
        timeout_s=settings.timeout_s,
    )
