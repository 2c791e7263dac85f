"""The machine's clock and what it knows of time zones."""

from __future__ import annotations

import asyncio
import zoneinfo
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from jarvisbot.check import Subject, good, note, problem
from jarvisbot.clock import local_zone
from jarvisbot.types import Finding

__all__ = ["check"]

FIRST_YEAR = 2026
"""No copy of this program is older."""


async def check(subject: Subject) -> Sequence[Finding]:
    """A clock that went back to its factory's date, zone data that is missing, and a clock that nobody sets."""
    return await asyncio.to_thread(_findings, subject)


def _findings(subject: Subject) -> list[Finding]:
    now = datetime.now(UTC)
    found: list[Finding] = []
    if not FIRST_YEAR <= now.year < FIRST_YEAR + 40:
        remedy = "Set it: timedatectl set-ntp true"
        found.append(
            problem("clock", f"The clock says {now:%Y-%m-%d}: logins fail and old messages are taken for new.", remedy)
        )
    zone = subject.config.bot.timezone or local_zone()
    try:
        here = now.astimezone(zoneinfo.ZoneInfo(zone))
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        found.append(problem("clock", f"Nothing is known of the time zone {zone}.", "Set timezone in [bot]."))
        return found
    synchronised = subject.root / "run/systemd/timesync"
    if Path("/run/systemd/system").is_dir() and synchronised.is_dir() and not (synchronised / "synchronized").exists():
        found.append(note("clock", "No time server has set the clock yet.", "timedatectl set-ntp true"))
    return found or [good("clock", f"It is {here:%Y-%m-%d %H:%M} in {zone}.")]
