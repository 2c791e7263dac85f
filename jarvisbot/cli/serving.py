"""A bot's life in this process, ended by itself or by a signal."""

from __future__ import annotations

import gc
from collections.abc import Coroutine
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from jarvisbot.app import Parts
    from jarvisbot.config import Config

__all__ = ["serve", "until_stopped"]

Result = TypeVar("Result")


async def serve(config: Config, parts: Parts) -> tuple[str, ...]:
    """Runs the app until it ends or a signal comes; the sentences of connectors that could not go on."""
    from jarvisbot import app

    async with app.open_app(config, parts) as joined:
        gc.freeze()
        gc.enable()
        await until_stopped(joined.run())
        return joined.problems


async def until_stopped(work: Coroutine[None, None, Result]) -> Result | None:
    """What the work comes to, or None where SIGTERM ended it."""
    import asyncio
    import signal

    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("no task runs")
    stopped = False

    def stop() -> None:
        """The first signal ends the run; one that comes later must not break off the closing."""
        nonlocal stopped
        if not stopped:
            stopped = True
            task.cancel()

    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
    result = None
    try:
        result = await work
    except asyncio.CancelledError:
        if not stopped:
            raise
        task.uncancel()
    stopped = True
    return result
