"""Any server that speaks OpenAI's chat API: llama-server, Ollama, vLLM, SGLang, LM Studio, OpenRouter and others.

    client.py        the Model seam: what is known of the server, tries and waits
    generation.py    one try: the request adapted, the reasoning's budget, what an end means
    line.py          HTTP: one client, its time limits, its failures in words
    server.py        what the server says of itself: kind, model, context, thinking
    asking.py        a request as this server takes it, learnt from what it refuses
    constraints.py   slots and grammars, as far as each kind of server knows them
    reply.py         the chunks of a stream as events; calls put together
    wire.py          the chunks as they come over the line
    failures.py      what a server's refusal means
    place.py         where words go

httpx is imported when the model is made: a bot whose model is on this machine does without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from jarvisbot.errors import ConfigError

if TYPE_CHECKING:
    from jarvisbot.model import Model

__all__ = ["OPTIONAL_SECRETS", "Settings", "create"]

OPTIONAL_SECRETS = ("api_key",)
"""Most servers at home take none."""


class Settings(BaseModel):
    """The config's section for a model on a server."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    base_url: str = Field(
        description='Where the server is, as "http://127.0.0.1:8080/v1"; without the /v1 it is found as well.'
    )
    model: str | None = Field(
        default=None, min_length=1, description="The model's name at the server; without it the only one that it has."
    )
    context_tokens: int | None = Field(
        default=None, ge=256, description="The longest talk in tokens; without it what the server says, else 8192."
    )
    tools: Literal["auto", "native", "prompt", "off"] = Field(
        default="auto",
        description='How tools are offered: "native" in the request, "prompt" in words, "off" not at all; "auto" is'
        " native until the server refuses it, then in words.",
    )
    thinking: Literal["auto", "on", "off"] = Field(
        default="auto",
        description='Whether the model reasons: "auto" does where the server says that the model can, "on" wherever it is'
        ' wanted, "off" never.',
    )
    connect_s: float = Field(default=10.0, gt=0, le=300, description="Seconds that a connection may take.")
    first_token_s: float = Field(
        default=300.0, gt=0, description="Seconds until an answer begins, the server's queue and its reading included."
    )
    between_tokens_s: float = Field(
        default=60.0, gt=0, description="Seconds without a further token after which an answer counts as broken."
    )
    headers: Mapping[str, str] = Field(
        default_factory=dict, description="Further headers of each request, as a gateway in between may want them."
    )

    @field_validator("base_url")
    @classmethod
    def _is_web_address(cls, value: str) -> str:
        from urllib.parse import urlsplit

        value = value.strip().rstrip("/")
        hint = 'must be a web address, as "http://127.0.0.1:8080/v1"'
        try:
            parts = urlsplit(value)
            _ = parts.port
        except ValueError:
            raise ValueError(hint) from None
        if parts.scheme not in ("http", "https") or not parts.hostname or any(letter.isspace() for letter in value):
            raise ValueError(hint)
        if parts.username is not None or parts.password is not None:
            raise ValueError("must hold no password; use api_key_file or headers")
        if parts.query or parts.fragment:
            raise ValueError(f"{hint}, without ? and #")
        return value.removesuffix("/chat/completions")

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        import re

        for name, text in value.items():
            if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
                raise ValueError("must be names and texts of headers")
            if not text.isascii() or not text.isprintable():
                raise ValueError("must hold plain ASCII text")
        return value


def create(settings: Settings, *, models_folder: Path | None, secrets: Mapping[str, str] | None = None) -> Model:
    """The model that `settings` name; nothing is asked of the server yet. `secrets` may hold `api_key`.

    Raises ConfigError for a key that no request can carry.
    """
    # Imported on use: httpx takes a tenth of a second that a bot without a server need not spend.
    from jarvisbot.clock import SystemClock
    from jarvisbot.models.openai.client import OpenAI

    key = (secrets or {}).get("api_key")
    if key is not None and not (key.isascii() and key.isprintable()):
        raise ConfigError("The model's api_key holds characters that no key has: copy it once more.")
    return OpenAI(settings, api_key=key, clock=SystemClock())
