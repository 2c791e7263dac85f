"""The visible text of one generation as subscribers know it, and the seconds that pass before there is any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from jarvisbot.agent.calling import Publish
from jarvisbot.clock import Clock
from jarvisbot.types import Redrafted, TextDelta, Thinking

__all__ = ["Shown"]

THINKING_SHOWN_AFTER_S = 2.0
THINKING_SHOWN_EVERY_S = 1.0


@dataclass(slots=True)
class Shown:
    """What subscribers have been shown of one generation."""

    publish: Publish
    text: str = ""

    def show(self, visible: str) -> None:
        """Publishes what is new; text that was taken back is drafted again. White space alone waits."""
        visible = visible.lstrip()
        if visible == self.text or (not visible and not self.text):
            return
        if visible.startswith(self.text):
            self.publish(TextDelta(text=visible[len(self.text) :]))
        else:
            self.publish(Redrafted(text=visible))
        self.text = visible

    def take_back(self) -> None:
        """Nothing of it counts any more."""
        if self.text:
            self.publish(Redrafted(text=""))
            self.text = ""

    @asynccontextmanager
    async def thinking(self, clock: Clock) -> AsyncIterator[None]:
        """Publishes the seconds that pass while there is nothing to show."""

        async def tick() -> None:
            began = clock.monotonic()
            await clock.sleep(THINKING_SHOWN_AFTER_S)
            while not self.text:
                self.publish(Thinking(seconds=clock.monotonic() - began))
                await clock.sleep(THINKING_SHOWN_EVERY_S)

        ticking = asyncio.get_running_loop().create_task(tick())
        try:
            yield
        finally:
            ticking.cancel()
            await asyncio.gather(ticking, return_exceptions=True)
