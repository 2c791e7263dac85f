"""The seam to a check of `jarvisbot doctor`: what it may look at, and what it says.

A module in checks/ holds a docstring and `async def check(subject) -> Sequence[Finding]`, whose findings are about the
module's name or what it names itself. It changes nothing, and what it cannot look at is a finding of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from jarvisbot.config import Config
from jarvisbot.errors import JarvisError
from jarvisbot.types import Finding, Severity

__all__ = ["Check", "Subject", "examine", "good", "note", "problem", "unknown"]

LIMIT_S = 20.0
"""How long one check may take."""


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at: the config, and the machine below `root`."""

    config: Config
    root: Path = Path("/")

    @property
    def data_folder(self) -> Path:
        """Where the bot's state lies."""
        return self.config.bot.data_folder


Check: TypeAlias = Callable[[Subject], Awaitable[Sequence[Finding]]]


def good(about: str, text: str) -> Finding:
    """All is as it should be."""
    return Finding(about=about, severity=Severity.GOOD, text=text)


def note(about: str, text: str, remedy: str = "") -> Finding:
    """It works, and people should know something about it."""
    return Finding(about=about, severity=Severity.NOTE, text=text, remedy=remedy)


def problem(about: str, text: str, remedy: str = "") -> Finding:
    """It does not work."""
    return Finding(about=about, severity=Severity.PROBLEM, text=text, remedy=remedy)


def unknown(about: str, text: str, remedy: str = "") -> Finding:
    """It could not be looked at."""
    return Finding(about=about, severity=Severity.UNKNOWN, text=text, remedy=remedy)


async def examine(name: str, check: Check, subject: Subject, *, limit_s: float = LIMIT_S) -> tuple[Finding, ...]:
    """The findings of one check, which never fails: what keeps it from looking is its finding."""
    try:
        async with asyncio.timeout(limit_s):
            return tuple(await check(subject))
    except TimeoutError:
        return (unknown(name, f"This took longer than {limit_s:.0f} seconds."),)
    except JarvisError as error:
        return (problem(name, error.user_message),)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return (
            unknown(name, f"{where}{error.strerror or error}.", "Ask as the user that the bot runs as, or with sudo."),
        )
