"""Time, handed in: the wall clock in UTC, a steady clock for durations, and waiting."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "SystemClock", "local_zone"]


def local_zone() -> str:
    """The IANA name of this machine's time zone; "UTC" where the machine does not say."""
    import zoneinfo

    import tzlocal  # on use: most turns need no zone

    try:
        return tzlocal.get_localzone_name() or "UTC"
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC"


class Clock(Protocol):
    """What everything that waits or stamps is given."""

    def now(self) -> datetime:
        """The moment, in UTC."""

    def monotonic(self) -> float:
        """Seconds on a clock that nobody sets."""

    async def sleep(self, seconds: float) -> None:
        """Returns after `seconds` on the steady clock."""


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds on the machine's steady clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Returns after `seconds`."""
        await asyncio.sleep(seconds)
