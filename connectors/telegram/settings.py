"""The settings of the Telegram connector."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = ["SECRETS", "Settings", "Webhook"]

SECRETS = ("token",)
"""The section's secret fields, which the core resolves and hands over apart from the settings."""


def _https(url: str) -> str:
    if url and not re.fullmatch(r"https://[^/\s]+(?:/\S*)?", url):
        raise ValueError(
            'must be the https address that Telegram reaches this bot at, as "https://bot.example.org/hook"'
        )
    return url


class Webhook(BaseModel):
    """How Telegram brings updates to us instead of being asked for them. The secret is made anew at each start."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Annotated[str, AfterValidator(_https)] = Field(
        default="", description="The https address at which Telegram reaches this bot; without it Telegram is polled."
    )
    listen: str = Field(
        default="127.0.0.1", description="The address that the bot listens at, behind a proxy which speaks https."
    )
    port: int = Field(default=8081, ge=0, le=65535, description="The port that the bot listens at.")


class Settings(BaseModel):
    """The connector's section but for its token. A poll is given up after `poll_timeout_s` and two margins."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    api_url: str = "https://api.telegram.org/bot"
    """Where the Bot API is; the token is put right behind it."""
    file_url: str = "https://api.telegram.org/file/bot"
    """Where files are; the token is put right behind it."""
    poll_timeout_s: int = Field(50, ge=1, le=60)
    """How long Telegram holds an unanswered poll."""
    poll_margin_s: float = Field(10.0, gt=0, le=15)
    """How much later than that an answer is still waited for."""
    request_timeout_s: float = Field(20.0, gt=0)
    """How long any other request may take to be answered."""
    bare_commands: bool = False
    """Whether `/help` without the bot's name is meant for it in groups."""
    follow_topics: bool = False
    """Whether everything in a forum topic is meant for the bot once it was addressed there."""
    webhook: Webhook = Webhook()
