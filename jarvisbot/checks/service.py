"""The bot that runs on the data folder: whether it answers, and what it says of its lines."""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import Sequence
from pathlib import Path

from jarvisbot import __version__
from jarvisbot.check import Subject, good, note, problem
from jarvisbot.errors import ConnectorError
from jarvisbot.gateway.report import duration
from jarvisbot.local import client, place
from jarvisbot.types import Finding

__all__ = ["check"]


async def check(subject: Subject) -> Sequence[Finding]:
    """Asked over its socket. Raises OSError where the folder may not be looked into."""
    folder = subject.data_folder
    connection = await asyncio.to_thread(place.connect, folder)
    if connection is None:
        holder = await asyncio.to_thread(_holder, folder)
        if holder is None:
            return [good("service", f"No jarvisbot runs on {folder}.")]
        text = f"Process {holder} has {folder}, and its socket does not answer: it is a console, or it is starting."
        return [note("service", text)]
    try:
        greeting, report = await client.ask_report(connection)
    except ConnectorError as error:
        return [problem("service", error.user_message)]
    found = [
        problem("service", f"{line.name}: {line.problem or line.state}")
        for line in report.connectors
        if line.state in ("failed", "waiting")
    ]
    if greeting.release != __version__:
        text = f"The running bot is release {greeting.release}, this is {__version__}."
        found.append(note("service", text, "Restart it: systemctl restart jarvisbot"))
    return found or [good("service", f"Process {greeting.process} has been at work for {duration(report.uptime_s)}.")]


def _holder(folder: Path) -> str | None:
    """The process that holds the folder's lock; None where nobody does."""
    try:
        with (folder / "lock").open("r", encoding="ascii") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return lock.read().strip() or "unknown"
    except FileNotFoundError:
        return None
    return None
