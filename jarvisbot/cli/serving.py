"""A bot's life in this process, ended by itself or by a signal."""

from __future__ import annotations

import gc
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from jarvisbot.app import Parts
    from jarvisbot.config import Config
    from jarvisbot.systemd.notify import Notifier

__all__ = ["serve", "serve_platforms", "until_stopped"]

Result = TypeVar("Result")


async def serve(config: Config, parts: Parts) -> tuple[str, ...]:
    """Runs the app until it ends or a signal comes; the sentences of connectors that could not go on."""
    from jarvisbot import app

    async with app.open_app(config, parts) as joined:
        gc.freeze()
        gc.enable()
        await until_stopped(joined.run())
        return joined.problems


async def serve_platforms(config: Config, parts: Callable[[], Parts], notifier: Notifier) -> tuple[str, ...]:
    """The same for a service. The service manager is told that it is there as soon as the data folder is its own:
    platforms' libraries, whose import takes a second on a small box, and the model come after that, beside everything else.
    """
    import asyncio

    from jarvisbot import app

    bot: app.App | None = None

    def line() -> str:
        return bot.status_line if bot is not None else "Starting"

    async def live() -> None:
        nonlocal bot
        async with app.open_store(config) as store:
            notifier.ready()
            made = await asyncio.to_thread(parts)
            async with app.working(config, store, made) as bot:
                gc.freeze()
                gc.enable()
                await bot.run()

    beat = asyncio.create_task(notifier.beat(line), name="beat")
    try:
        await until_stopped(live(), stopping=notifier.stopping)
    finally:
        beat.cancel()
    return bot.problems if bot is not None else ()


def _nothing() -> None:
    return


async def until_stopped(
    work: Coroutine[None, None, Result], *, stopping: Callable[[], None] = _nothing
) -> Result | None:
    """What the work comes to, or None where SIGTERM ended it; `stopping` is called when that has come."""
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
            stopping()
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
