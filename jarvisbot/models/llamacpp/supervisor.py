"""The one worker that is kept alive: started when needed, started again after a crash, given up after too many."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import assert_never

from jarvisbot.clock import Clock
from jarvisbot.errors import ModelUnavailable
from jarvisbot.models.llamacpp import gguf
from jarvisbot.models.llamacpp.process import Lost, WorkerProcess
from jarvisbot.models.llamacpp.protocol import Load, Loaded, LoadFailed, Loading

__all__ = ["Supervisor"]

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 0.5
"""Before the second restart in a row; the first comes at once, each later one after twice the time."""
LONGEST_PAUSE_S = 30.0


class Supervisor:
    """Owns the worker process and the count of its crashes in a row; a generation that ends well sets that to zero."""

    def __init__(
        self,
        load: Load,
        *,
        stall_s: float,
        restarts: int,
        clock: Clock,
        spawn: Callable[[], Awaitable[WorkerProcess]] = WorkerProcess.spawn,
    ) -> None:
        self._load = load
        self._stall_s = stall_s
        self._restarts = restarts
        self._clock = clock
        self._spawn = spawn
        self._worker: WorkerProcess | None = None
        self._loaded: Loaded | None = None
        self._crashes = 0
        self._starting = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The worker's process id while there is one."""
        return self._worker.pid if self._worker is not None and self._worker.alive else None

    async def ready(self) -> tuple[WorkerProcess, Loaded]:
        """A worker with the model loaded. Raises ModelUnavailable, with the reason where the file is to blame."""
        async with self._starting:
            if self._worker is not None and not self._worker.alive:
                await self._bury(self._worker, why="ended")
                self._crashes = min(self._crashes, self._restarts)  # this request has had no attempt yet
            while self._worker is None or self._loaded is None:
                await self._start()
            return self._worker, self._loaded

    def finished(self) -> None:
        """Told when a generation ended well."""
        self._crashes = 0

    async def lost(self, worker: WorkerProcess) -> bool:
        """Told when `worker` crashed or hangs: it is ended. Says whether another attempt is allowed."""
        worker.kill()
        async with self._starting:
            if worker is self._worker:
                await self._bury(worker, why="crashed or hung")
            return not self._given_up()

    async def close(self) -> None:
        """Ends the worker; the next request would start a new one."""
        async with self._starting:
            worker, self._worker, self._loaded = self._worker, None, None
            if worker is not None:
                await worker.close()

    async def _bury(self, worker: WorkerProcess, *, why: str) -> None:
        self._worker = self._loaded = None
        self._crashes += 1
        status = await worker.reap()
        log.warning("the model worker %s (status %d), crash %d in a row", why, status, self._crashes)

    def _given_up(self) -> bool:
        """Whether there were too many crashes; if so, the next request may try once."""
        given_up = self._crashes > self._restarts
        self._crashes = min(self._crashes, self._restarts)
        return given_up

    async def _start(self) -> None:
        """One attempt to start a worker and load the model; a crash on the way is counted and may be tried again."""
        if self._crashes > 1:
            await self._clock.sleep(min(FIRST_PAUSE_S * 2 ** (self._crashes - 2), LONGEST_PAUSE_S))
        try:
            worker = await self._spawn()
        except OSError as error:
            raise ModelUnavailable(f"The language model's process cannot be started: {error.strerror}.") from error
        loaded = None
        try:
            loaded = await self._loaded_by(worker)
        finally:
            if loaded is None:
                status = await worker.reap()
        if loaded is not None:
            self._worker, self._loaded = worker, loaded
            return
        self._crashes += 1
        log.warning("the model worker crashed while loading (status %d), crash %d in a row", status, self._crashes)
        complaint = await asyncio.to_thread(gguf.complaint, Path(self._load.path))
        if complaint is not None:
            raise ModelUnavailable(complaint)
        if self._given_up():
            raise ModelUnavailable(f"The language model {Path(self._load.path).name} crashes whenever it is loaded.")

    async def _loaded_by(self, worker: WorkerProcess) -> Loaded | None:
        """What the worker says when the model is loaded; None if it crashed or hangs. Raises ModelUnavailable."""
        worker.send(self._load)
        while True:
            try:
                async with asyncio.timeout(self._stall_s):
                    event = await worker.load_event()
            except TimeoutError:
                return None
            match event:
                case Loaded():
                    return event
                case LoadFailed(message=message):
                    raise ModelUnavailable(message)
                case Lost():
                    return None
                case Loading():
                    continue
                case _ as never:
                    assert_never(never)
