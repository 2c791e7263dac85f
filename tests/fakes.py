"""Stand-ins for what a test has to have in its hand: time, and a platform that can be made to fail."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from jarvisbot.connector import Capabilities, Inbox, Markup, Once, Receipt, Unit
from jarvisbot.errors import JarvisError, MessageGone
from jarvisbot.types import Address, Author, Inbound, Outbound

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class FakeClock:
    """Time that stands still until `advance`."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start
        self._elapsed = 0.0
        self._set_by = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed + self._set_by)

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            return
        wake = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), wake))
        await wake

    def set_by(self, seconds: float) -> None:
        """Somebody sets the wall clock; no time has passed."""
        self._set_by += seconds

    def jump(self, seconds: float) -> None:
        """Time has passed at once; sleepers find out at the next `advance`."""
        self._elapsed += seconds

    async def advance(self, seconds: float) -> None:
        """Lets time pass, waking each sleeper at its moment."""
        end = self._elapsed + seconds
        while self._sleepers and self._sleepers[0][0] <= end:
            due, _, wake = heapq.heappop(self._sleepers)
            self._elapsed = max(self._elapsed, due)
            if not wake.done():
                wake.set_result(None)
            await settle()
        self._elapsed = end
        await settle()


async def settle() -> None:
    """Lets everything that is ready run, threads of the store included."""
    for _ in range(20):
        await asyncio.sleep(0)
        await asyncio.get_running_loop().run_in_executor(None, lambda: None)


@dataclass
class FakeConnector:
    """A platform in memory. `screen` is what people see now; `log` every request in order; `faults` fail the next sends."""

    name: str = "fake"
    once: Once = Once.PLACEHOLDER
    text_limit: int | None = 4096
    clock: FakeClock | None = None
    screen: dict[str, str] = field(default_factory=dict)
    log: list[tuple[float, Outbound]] = field(default_factory=list)
    faults: list[JarvisError | None] = field(default_factory=list)
    late: list[bool] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    inbox: Inbox | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    typed: int = 0
    gate: asyncio.Event | None = None
    posted: dict[str, str] = field(default_factory=dict)
    """By the key it was sent with, the message: a platform with keys drops a second one."""

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            text_limit=self.text_limit, unit=Unit.UTF16, markup=Markup.ENTITIES, once=self.once, edits=True
        )

    async def run(self, inbox: Inbox) -> None:
        self.inbox = inbox
        await inbox.checkpoint()
        self.changed.set()
        await self.ended.wait()

    async def send(self, outbound: Outbound) -> Receipt:
        self.log.append((self.clock.monotonic() if self.clock else 0.0, outbound))
        if self.gate is not None:
            await self.gate.wait()
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None and not (self.late and self.late.pop(0)):
            raise fault
        message = outbound.replaces or f"m{len(self.screen) + 1}"
        if self.once is Once.KEY:
            message = self.posted.setdefault(outbound.id, message)
        if outbound.replaces is not None and outbound.replaces not in self.screen:
            raise MessageGone("It is not there any more.")
        self.screen[message] = outbound.body.text
        self.changed.set()
        if fault is not None:
            raise fault
        return Receipt(message=message, sent=START)

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        return

    async def typing(self, at: Address) -> None:
        self.typed += 1

    async def retract(self, at: Address, message: str) -> None:
        self.screen.pop(message, None)

    @property
    def shown(self) -> Sequence[str]:
        return list(self.screen.values())

    async def until(self, condition: object, seconds: float = 20) -> None:
        """Waits until `condition()` holds; each change of the screen is a chance."""
        async with asyncio.timeout(seconds):
            while not condition():  # type: ignore[operator]
                self.changed.clear()
                if condition():  # type: ignore[operator]
                    return
                try:
                    async with asyncio.timeout(0.05):
                        await self.changed.wait()
                except TimeoutError:
                    continue


_numbers = itertools.count(1)


def said(
    text: str, *, id: str | None = None, user: str = "1", room: str = "1", sent: datetime = START, **more: object
) -> Inbound:
    """A message of a direct chat on the fake platform."""
    return Inbound(
        id=id or f"q{next(_numbers)}",
        at=Address(connector="fake", room=room),
        author=Author(id=user, name=f"user {user}"),
        text=text,
        sent=sent,
        **more,  # type: ignore[arg-type]
    )
