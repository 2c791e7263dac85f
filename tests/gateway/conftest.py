"""A whole bot on a real store, with a platform, a model and a clock that the test holds in its hand."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jarvisbot.app import App, Parts, open_app
from jarvisbot.config import load
from jarvisbot.models.scripted import Reply, Scripted
from jarvisbot.types import Answered, Failed, Inbound
from tests.fakes import FakeClock, FakeConnector


@dataclass
class Bot:
    """A running bot and what it is made of."""

    app: App
    connector: FakeConnector
    model: Scripted
    clock: FakeClock
    ends: list[Answered | Failed] = field(default_factory=list)

    async def hears(self, *messages: Inbound, checkpoint: str | None = None) -> None:
        assert self.connector.inbox is not None
        await self.connector.inbox.put(*messages, checkpoint=checkpoint)

    async def settled(self) -> None:
        assert self.connector.inbox is not None
        async with asyncio.timeout(20):
            await self.connector.inbox.settled()

    async def passes(self, condition: Callable[[], object]) -> None:
        """Lets time pass, a quarter of a second at a time, until the condition holds."""
        async with asyncio.timeout(20):
            while not condition():
                await self._pass()

    async def _pass(self) -> None:
        """A quarter of a second goes by, and whatever the store's threads had to do is done: time does not outrun them."""
        await self.clock.advance(0.25)
        for _ in range(3):
            await self.app.store.write(lambda connection: None)
            await self.app.store.rows("SELECT 1")

    async def settles(self) -> None:
        """Lets time pass until everything is answered and sent."""
        settled = asyncio.create_task(self.settled())
        while not settled.done():
            await self._pass()
        await settled

    @property
    def asked(self) -> list[str]:
        """The question of each request, without the lines in front of it."""
        return [str(request.items[-1].text).rpartition("\n")[2] for request in self.model.requests]  # type: ignore[union-attr]

    async def states(self) -> list[str]:
        return [row["state"] for row in await self.app.store.rows("SELECT state FROM inbox ORDER BY seq")]


Start = Callable[..., "asyncio.Future[Bot]"]


@asynccontextmanager
async def running(
    folder: Path,
    replies: Sequence[Reply] = (),
    *,
    connector: FakeConnector | None = None,
    clock: FakeClock | None = None,
    model: Scripted | None = None,
    settings: dict[str, str] | None = None,
) -> AsyncIterator[Bot]:
    """A bot for two owners, 1 and 2, until the block ends; a second one on the same folder is its restart."""
    clock = clock or FakeClock()
    connector = connector or FakeConnector(clock=clock)
    connector.clock = clock
    connector.inbox = None
    connector.ended = asyncio.Event()
    overrides = {"bot.data_folder": str(folder), "access.owners": '["fake:1", "fake:2"]', **(settings or {})}
    config = load(None, environment={}, overrides=overrides)
    scripted = model or Scripted(replies, piece_characters=5)
    ends: list[Answered | Failed] = []
    parts = Parts(connectors=[connector], model=scripted, clock=clock, chance=random.Random(1), ended=ends.append)
    async with open_app(config, parts) as app:
        life = asyncio.create_task(app.run())
        try:
            await connector.until(lambda: connector.inbox is not None)
            yield Bot(app, connector, scripted, clock, ends)
        finally:
            life.cancel()
            (ended,) = await asyncio.gather(life, return_exceptions=True)
            if isinstance(ended, Exception):
                raise ended


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"
