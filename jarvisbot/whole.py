"""Work that is not left half done: it ends before its caller's cancellation goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

__all__ = ["whole"]

T = TypeVar("T")


async def whole(work: Awaitable[T]) -> T:
    """The result of `work`. A caller cancelled meanwhile is cancelled as soon as `work` has ended, not before."""
    running = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        if running.cancelled():
            raise
        await asyncio.wait({running})
        if not running.cancelled():
            running.exception()  # retrieved: the caller that would have seen it is gone
        raise
