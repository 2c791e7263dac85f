"""The connectors' lives: started, reconnected with growing pauses, never in each other's way."""

from __future__ import annotations

import asyncio
import enum
import logging
import random
from collections.abc import Callable, Iterable
from datetime import datetime

import msgspec

from jarvisbot.clock import Clock
from jarvisbot.connector import Connector, Inbox
from jarvisbot.errors import Disconnected, JarvisError, LoginFailed, RateLimited

__all__ = ["ConnectorStatus", "Line", "Supervisor"]

logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
LAST_PAUSE_S = 300.0
STABLE_AFTER_S = 60.0
"""A connection that held this long starts the pauses from the beginning."""


class Line(enum.StrEnum):
    """The state of a connector's line."""

    STARTING = "starting"
    RUNNING = "running"
    WAITING = "waiting"
    ENDED = "ended"
    FAILED = "failed"


class ConnectorStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How a connector is doing."""

    name: str
    line: Line
    since: datetime
    last_event: datetime | None = None
    """When something last came in, since the start."""
    reconnects: int = 0
    problem: str = ""


class Supervisor:
    """Runs every connector until it ends or cannot go on. State: each one's status."""

    def __init__(self, *, connectors: Iterable[Connector], clock: Clock, chance: random.Random) -> None:
        self._connectors = tuple(connectors)
        self._clock = clock
        self._chance = chance
        self._status = {
            connector.name: ConnectorStatus(name=connector.name, line=Line.STARTING, since=clock.now())
            for connector in self._connectors
        }

    @property
    def status(self) -> tuple[ConnectorStatus, ...]:
        """Every connector's state, in the order they were given."""
        return tuple(self._status.values())

    def heard(self, connector: str) -> None:
        """Notes that something came in from the connector; one that is not supervised here is nobody's."""
        if (known := self._status.get(connector)) is not None:
            self._status[connector] = msgspec.structs.replace(known, last_event=self._clock.now())

    async def run(self, inbox: Callable[[Connector], Inbox]) -> None:
        """Returns when every connector has ended or failed for good."""
        async with asyncio.TaskGroup() as group:
            for connector in self._connectors:
                group.create_task(self._live(connector, inbox(connector)), name=connector.name)

    async def _live(self, connector: Connector, inbox: Inbox) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            self._set(connector, Line.RUNNING)
            began = self._clock.monotonic()
            least_s = 0.0
            try:
                await connector.run(inbox)
            except LoginFailed as error:
                logger.error("connector_failed", extra={"connector": connector.name, "reason": error.user_message})
                self._set(connector, Line.FAILED, problem=error.user_message)
                return
            except JarvisError as error:
                level = logging.WARNING if isinstance(error, Disconnected) else logging.ERROR
                logger.log(level, "connector_lost", extra={"connector": connector.name, "reason": error.user_message})
                problem = error.user_message
                least_s = error.retry_after_s if isinstance(error, RateLimited) else 0.0
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                logger.exception("connector_crashed", extra={"connector": connector.name})
                problem = "A part of the connector was cancelled; it is in the log."
            except Exception as error:  # an SDK's own bug must not take the other platforms down
                logger.exception("connector_crashed", extra={"connector": connector.name})
                problem = f"{type(error).__name__} inside the connector; it is in the log."
            else:
                self._set(connector, Line.ENDED)
                return
            if self._clock.monotonic() - began >= STABLE_AFTER_S:
                pause_s = FIRST_PAUSE_S
            self._set(connector, Line.WAITING, problem=problem)
            await self._clock.sleep(max(least_s, pause_s * (0.5 + self._chance.random() / 2)))
            pause_s = min(pause_s * 2, LAST_PAUSE_S)
            known = self._status[connector.name]
            self._status[connector.name] = msgspec.structs.replace(known, reconnects=known.reconnects + 1)

    def _set(self, connector: Connector, line: Line, *, problem: str = "") -> None:
        known = self._status[connector.name]
        self._status[connector.name] = msgspec.structs.replace(
            known, line=line, since=self._clock.now(), problem=problem
        )
