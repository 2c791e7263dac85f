"""The connectors' lives: begun again after growing pauses, ended where only the owner can help, alone in their trouble."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import cast

import pytest

from jarvisbot.connector import Connector, Inbox
from jarvisbot.errors import Disconnected, LoginFailed, RateLimited, StoreFull
from jarvisbot.gateway.supervisor import ConnectorStatus, Line, Supervisor
from tests.fakes import FakeClock, FakeConnector, settle


class Mortal(FakeConnector):
    """A connector with a list of lives: each is how `run` ends, and after how many seconds."""

    def __init__(self, name: str, clock: FakeClock, lives: Sequence[tuple[float, BaseException | None]]) -> None:
        super().__init__(name=name, clock=clock)
        self.lives = list(lives)
        self.born: list[float] = []

    async def run(self, inbox: Inbox) -> None:
        assert self.clock is not None
        self.born.append(self.clock.monotonic())
        if not self.lives:
            await self.ended.wait()
            return
        seconds, end = self.lives.pop(0)
        await self.clock.sleep(seconds)
        if end is not None:
            raise end

    @property
    def pauses(self) -> list[float]:
        return [later - earlier for earlier, later in zip(self.born, self.born[1:], strict=False)]


class Low(random.Random):
    """Chance at its lowest."""

    def random(self) -> float:
        return 0.0


class High(random.Random):
    """Chance at its highest."""

    def random(self) -> float:
        return 0.999999


def supervisor(clock: FakeClock, *connectors: Connector, chance: random.Random | None = None) -> Supervisor:
    return Supervisor(connectors=connectors, clock=clock, chance=chance or High())


@asynccontextmanager
async def living(made: Supervisor) -> AsyncIterator[asyncio.Task[None]]:
    def inbox(connector: Connector) -> Inbox:
        return cast("Inbox", None)

    life = asyncio.create_task(made.run(inbox))
    try:
        await settle()
        yield life
    finally:
        life.cancel()
        await asyncio.gather(life, return_exceptions=True)


def status(made: Supervisor, name: str) -> ConnectorStatus:
    return next(each for each in made.status if each.name == name)


LOST = Disconnected("The line is down.")


async def test_pauses_double_up_to_five_minutes_and_chance_takes_up_to_half_of_each() -> None:
    for chance, share in ((High(), 1.0), (Low(), 0.5)):
        clock = FakeClock()
        mortal = Mortal("fake", clock, [(0, LOST)] * 12)
        async with living(supervisor(clock, mortal, chance=chance)):
            await clock.advance(3_000)
        full = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
        assert mortal.pauses == pytest.approx([pause * share for pause in full], rel=1e-4)


async def test_a_line_that_held_for_a_minute_starts_the_pauses_anew() -> None:
    clock = FakeClock()
    mortal = Mortal("fake", clock, [(0, LOST), (0, LOST), (59, LOST), (60, LOST), (0, LOST)])
    async with living(supervisor(clock, mortal)):
        await clock.advance(500)
    assert mortal.pauses == pytest.approx([1, 2, 59 + 4, 60 + 1, 2], rel=1e-4)


async def test_a_platform_that_names_a_pause_gets_it() -> None:
    clock = FakeClock()
    mortal = Mortal("fake", clock, [(0, RateLimited("Slow down.", retry_after_s=37)), (0, LOST)])
    async with living(supervisor(clock, mortal)):
        await clock.advance(100)
    assert mortal.pauses == pytest.approx([37, 2], rel=1e-4)


async def test_the_status_says_what_happened_and_when() -> None:
    clock = FakeClock()
    made = supervisor(clock, Mortal("fake", clock, [(5, LOST)]))
    assert status(made, "fake").line is Line.STARTING
    async with living(made):
        assert status(made, "fake").line is Line.RUNNING
        await clock.advance(5)
        waiting = status(made, "fake")
        assert (waiting.line, waiting.problem, waiting.since) == (Line.WAITING, "The line is down.", clock.now())
        await clock.advance(1)
        again = status(made, "fake")
        assert (again.line, again.problem, again.reconnects) == (Line.RUNNING, "", 1)


async def test_a_refused_login_ends_that_connector_alone_and_for_good() -> None:
    clock = FakeClock()
    refused, fine = Mortal("a", clock, [(1, LoginFailed("The token is wrong."))]), Mortal("b", clock, [])
    made = supervisor(clock, refused, fine)
    async with living(made) as life:
        await clock.advance(2_000)
        assert (status(made, "a").line, status(made, "a").problem) == (Line.FAILED, "The token is wrong.")
        assert status(made, "b").line is Line.RUNNING
        assert (len(refused.born), len(fine.born)) == (1, 1)
        assert not life.done()


@pytest.mark.parametrize(
    "crash", [ValueError("a bug"), ExceptionGroup("two", [ValueError("a"), OSError("b")]), StoreFull("Full.")]
)
async def test_a_connector_that_crashes_is_begun_again_and_the_others_do_not_notice(crash: Exception) -> None:
    clock = FakeClock()
    crashing, fine = Mortal("a", clock, [(0, crash)] * 3), Mortal("b", clock, [])
    made = supervisor(clock, crashing, fine)
    async with living(made):
        assert status(made, "a").line is Line.WAITING
        assert status(made, "a").problem
        assert "a bug" not in status(made, "a").problem
        await clock.advance(60)
        assert (len(crashing.born), len(fine.born)) == (4, 1)
        assert status(made, "a").line is Line.RUNNING


async def test_a_cancellation_inside_a_connector_is_a_crash_and_not_its_end() -> None:
    clock = FakeClock()
    mortal = Mortal("fake", clock, [(0, asyncio.CancelledError())])
    made = supervisor(clock, mortal)
    async with living(made) as life:
        await clock.advance(5)
        assert len(mortal.born) == 2
        assert not life.done()


async def test_it_is_over_when_every_connector_has_come_to_its_end() -> None:
    clock = FakeClock()
    made = supervisor(clock, Mortal("a", clock, [(1, None)]), Mortal("b", clock, [(3, LoginFailed("No."))]))
    async with living(made) as life:
        await clock.advance(2)
        assert status(made, "a").line is Line.ENDED
        assert not life.done()
        await clock.advance(2)
        assert life.done()
        assert life.exception() is None


async def test_cancelling_ends_connectors_that_run_and_those_that_wait() -> None:
    clock = FakeClock()
    running, waiting = Mortal("a", clock, []), Mortal("b", clock, [(0, LOST)])
    async with living(supervisor(clock, running, waiting)) as life:
        life.cancel()
        with pytest.raises(asyncio.CancelledError):
            await life
        await clock.advance(1_000)
        assert len(waiting.born) == 1
