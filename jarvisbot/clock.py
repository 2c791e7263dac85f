"""Time, handed in: the wall clock in UTC, a steady clock for durations, and waiting."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "SystemClock"]


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
