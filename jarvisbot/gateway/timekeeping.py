"""A watch on the machine's clock: a box without a battery begins in 1970 and is set right while the bot runs."""

from __future__ import annotations

import logging

from jarvisbot.clock import Clock

__all__ = ["watch"]

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 30.0
JUMP_S = 30.0
"""Less is a clock being kept right."""


async def watch(clock: Clock) -> None:
    """Logs each jump of the wall clock against the steady one, until cancelled. Nothing that waits depends on the former."""
    wall, steady = clock.now(), clock.monotonic()
    while True:
        await clock.sleep(LOOK_EVERY_S)
        now, passed = clock.now(), clock.monotonic() - steady
        jump_s = (now - wall).total_seconds() - passed
        if abs(jump_s) > JUMP_S:
            logger.warning("clock_jumped", extra={"seconds": round(jump_s), "now": now.isoformat(timespec="seconds")})
        wall, steady = now, clock.monotonic()
