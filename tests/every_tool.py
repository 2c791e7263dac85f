"""All tools that there can be: those that need a config are made with one that has what they need."""

from __future__ import annotations

from collections.abc import Mapping

from jarvisbot import discovery
from jarvisbot.config import Config, load
from jarvisbot.tool import Tool, tools_in

__all__ = ["CONFIGURED", "configured", "every_tool"]

CONFIGURED: Mapping[str, str] = {"actions.spotify.argv": '["true"]'}
"""Settings that every tool finds what it needs in."""


def configured() -> Config:
    """A config with all of it."""
    return load(None, environment={}, overrides=CONFIGURED)


def every_tool() -> dict[str, list[Tool]]:
    """The tools of each add-on by its name."""
    config = configured()
    return {name: tools_in(discovery.load("tools", name), config) for name in discovery.names("tools")}
