"""The versions of what works together here."""

from __future__ import annotations

import importlib.metadata
import platform
import sqlite3
from collections.abc import Sequence

from jarvisbot import __version__
from jarvisbot.check import Subject, good
from jarvisbot.types import Finding

__all__ = ["check"]

LIBRARIES = ("python-telegram-bot", "discord.py", "matrix-nio", "llama-cpp-python")


async def check(subject: Subject) -> Sequence[Finding]:
    """One line to put into a report."""
    installed = importlib.metadata.distributions()
    there = {found.name.lower().replace("_", "-"): found.version for found in installed}
    libraries = [f"{name} {there[name]}" for name in LIBRARIES if name in there]
    parts = [
        f"jarvisbot {__version__}",
        f"Python {platform.python_version()}",
        f"SQLite {sqlite3.sqlite_version}",
        *libraries,
    ]
    return [good("versions", f"{', '.join(parts)} on {platform.system()} {platform.machine()}.")]
