"""The worker's loop: one generation at a time, with an ear for commands between its steps.

So a cancelled generation ends within a step, and a count is answered while another request generates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Protocol, assert_never

from jarvisbot.models.llamacpp.engine import Engine
from jarvisbot.models.llamacpp.loading import LibraryLog, LoadError, load_model
from jarvisbot.models.llamacpp.protocol import (
    Cancel,
    Command,
    Count,
    Event,
    Generate,
    Inspect,
    Load,
    LoadFailed,
    Loading,
    Quit,
)
from jarvisbot.models.llamacpp.template import BadTemplate

__all__ = ["Ended", "serve"]


class Line(Protocol):
    """Where commands come from and events go to: `channel.Channel`."""

    def send(self, event: Event) -> None:
        """Sends the event. Raises channel.Closed."""

    def receive(self, *, wait: bool) -> Iterable[Command]:
        """The commands that are there; with `wait`, at least one. Raises channel.Closed."""


class Ended(Exception):
    """The parent wants an end."""


def serve(line: Line) -> None:
    """Loads what the first command says and answers the others.

    Returns where the model cannot be loaded; else it raises Closed or Ended at the end.
    """
    backlog = deque(line.receive(wait=True))
    match backlog.popleft():
        case Load() as load:
            pass
        case _:
            raise AssertionError("the first command is Load")
    with LibraryLog() as log:
        engine = _load(load, line, log)
        if engine is None:
            return
        log.stop_keeping()
        queue = _Queue(engine, line)
        line.send(engine.loaded())
        for command in backlog:
            queue.take(command)
        while True:
            queue.look(wait=True)
            while (job := queue.next()) is not None:
                _run(job, engine, queue, line)


def _run(job: Generate, engine: Engine, queue: _Queue, line: Line) -> None:
    """One generation, to its end or until it is cancelled."""
    with closing(engine.generate(job)) as events:
        for event in events:
            if event is not None:
                line.send(event)
            queue.look(wait=False)
            if job.id in queue.cancelled:
                return


def _load(load: Load, line: Line, log: LibraryLog) -> Engine | None:
    """The loaded model at work; None where it cannot be loaded, which is told then."""
    shown = -1.0

    def progress(share: float) -> None:
        nonlocal shown
        if share - shown >= 0.01:
            shown = share
            line.send(Loading(share=share))

    try:
        return Engine(load_model(load, progress, log))
    except LoadError as error:
        line.send(LoadFailed(message=str(error)))
    except BadTemplate as error:
        name = Path(load.path).name
        line.send(LoadFailed(message=f"The chat template in the model file {name} cannot be read: {error}."))
    return None


class _Queue:
    """The generations that wait, first come first served. Counts are answered on the spot."""

    def __init__(self, engine: Engine, line: Line) -> None:
        self._engine = engine
        self._line = line
        self._waiting: deque[Generate] = deque()
        self.cancelled: set[int] = set()
        """Of the generation that runs, at most."""

    def next(self) -> Generate | None:
        """The next generation, taken out."""
        self.cancelled.clear()
        return self._waiting.popleft() if self._waiting else None

    def look(self, *, wait: bool) -> None:
        """Takes the commands that are there."""
        for command in self._line.receive(wait=wait):
            self.take(command)

    def take(self, command: Command) -> None:
        """Queues, cancels or answers."""
        match command:
            case Generate():
                self._waiting.append(command)
            case Count():
                self._line.send(self._engine.count(command))
            case Inspect():
                self._line.send(self._engine.inspect(command))
            case Cancel(id=number):
                self._waiting = deque(job for job in self._waiting if job.id != number)
                self.cancelled.add(number)
            case Quit():
                raise Ended
            case Load():
                raise AssertionError("a worker loads once")
            case _ as never:
                assert_never(never)
