"""One worker process, as its parent sees it: spawned, spoken to, listened to, ended."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import re
import signal
import sys
from collections.abc import Callable, Mapping
from typing import Final

from jarvisbot.models.llamacpp.protocol import (
    HEAD,
    BadFrame,
    Command,
    Counted,
    Event,
    Failed,
    Finished,
    Inspected,
    Loaded,
    LoadFailed,
    Loading,
    Piece,
    Progress,
    Quit,
    TooLong,
    body_length,
    read_event,
    write_command,
)

__all__ = ["Inbox", "Lost", "WorkerProcess", "worker_environment"]

log = logging.getLogger(__name__)

WORKER: Final = ("-P", "-m", "jarvisbot.models.llamacpp.worker")
"""-P: the working directory is nobody's place to import from."""
GRACE_S: Final = 2.0
"""How long a worker may take to end by itself: longer than one prefill slice of a small model."""
ALLOWED = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|VIRTUAL_ENV|PYTHONPATH|(?:CUDA|HIP|HSA|ROCR|VK|GGML|OMP|COVERAGE_PROCESS)_\w+"
)
PRESET: Final = {"OMP_WAIT_POLICY": "passive", "GGML_NO_BACKTRACE": "1"}
"""Idle threads of the library sleep, and an abort of the library does not start a debugger."""

RequestEvent = Progress | Piece | Finished | TooLong | Failed | Counted | Inspected


class Lost:
    """Stands at the end of an inbox whose worker is gone."""


Inbox = asyncio.Queue[RequestEvent | Lost]


def worker_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a worker may know of `environment`: paths, language and settings of the library, no secrets."""
    return PRESET | {name: value for name, value in environment.items() if ALLOWED.fullmatch(name)}


class WorkerProcess:
    """A running worker. Owns the process, its three pipes, and the inboxes of the requests under way."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("the worker needs all three pipes")
        self._process = process
        self._commands = process.stdin
        self._inboxes: dict[int, Inbox] = {}
        self._numbers = itertools.count(1)
        self._ended_early: dict[int, Callable[[], None]] = {}
        self._loading: asyncio.Queue[Loading | Loaded | LoadFailed | Lost] = asyncio.Queue()
        self._gone = False
        self._killed = False
        self._tasks = (
            asyncio.create_task(self._listen(process.stdout), name="model worker events"),
            asyncio.create_task(_log_lines(process.stderr), name="model worker stderr"),
        )

    @classmethod
    async def spawn(cls) -> WorkerProcess:
        """A new worker that has been told nothing yet. Raises OSError where no process can be made."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *WORKER,
            str(os.getpid()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=worker_environment(os.environ),
            start_new_session=True,  # a Ctrl-C at the terminal is for the parent, which then ends the worker
        )
        return cls(process)

    @property
    def pid(self) -> int:
        """The worker's process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can still answer: one that has died is seen at once, before its pipes tell."""
        return not (self._gone or self._killed) and self._runs()

    def _runs(self) -> bool:
        """Whether the process has not ended yet. It is only looked at: the event loop reaps it and keeps its status."""
        if self._process.returncode is not None:
            return False
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        except ChildProcessError:
            return False  # reaped already, by the event loop

    async def load_event(self) -> Loading | Loaded | LoadFailed | Lost:
        """The next word about loading; Lost when there will be none."""
        return await self._loading.get()

    def number(self) -> int:
        """A fresh request number."""
        return next(self._numbers)

    def open(self, number: int, ended: Callable[[], None] | None = None) -> Inbox:
        """The inbox of request `number`. `ended` is called the moment its last event or the worker's loss arrives."""
        inbox: Inbox = asyncio.Queue()
        self._inboxes[number] = inbox
        if ended is not None:
            self._ended_early[number] = ended
        if self._gone:
            self._deliver(number, Lost())
        return inbox

    def forget(self, number: int) -> bool:
        """Drops what still comes for request `number`; says whether it was under way."""
        self._ended_early.pop(number, None)
        return self._inboxes.pop(number, None) is not None

    def send(self, command: Command) -> None:
        """Sends without waiting; to a worker that is gone it does nothing. Raises BadFrame for an overlong command."""
        frame = write_command(command)
        if not self._gone and not self._commands.is_closing():
            self._commands.write(frame)

    def kill(self) -> None:
        """Ends it at once; whoever waits for it learns so through its inbox."""
        self._killed = True
        # Not by asyncio's `kill`: it reaps a process that has just ended under the hands of the event loop, and its status
        # is lost (https://github.com/python/cpython/issues/127049).
        if self._runs():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    async def close(self) -> None:
        """Ends it in good order, or by force after a short grace, and reaps it."""
        if self.alive:
            self.send(Quit())
        try:
            async with asyncio.timeout(GRACE_S):
                await self._process.wait()
        except TimeoutError:
            self.kill()
        finally:
            await self.reap()

    async def reap(self) -> int:
        """Kills what is left and waits for process and pipes to be gone; its exit status, negative for a signal."""
        self.kill()
        self._commands.close()
        status = await self._process.wait()
        for task in self._tasks:
            await task
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            await self._commands.wait_closed()
        return status

    async def _listen(self, pipe: asyncio.StreamReader) -> None:
        try:
            while True:
                head = await pipe.readexactly(HEAD.size)
                self._sort(read_event(await pipe.readexactly(body_length(head))))
        except asyncio.IncompleteReadError:
            pass
        except BadFrame as error:
            log.error("the model worker sent what is no message and is killed: %s", error)
            self.kill()
        finally:
            self._gone = True
            self._loading.put_nowait(Lost())
            for number in list(self._inboxes):
                self._deliver(number, Lost())

    def _sort(self, event: Event) -> None:
        match event:
            case Loading() | Loaded() | LoadFailed():
                self._loading.put_nowait(event)
            case _:
                self._deliver(event.id, event)

    def _deliver(self, number: int, event: RequestEvent | Lost) -> None:
        inbox = self._inboxes.get(number)
        if inbox is None:
            return  # a request that nobody waits for any more
        inbox.put_nowait(event)
        if isinstance(event, Progress | Piece):
            return
        del self._inboxes[number]
        ended = self._ended_early.pop(number, None)
        if ended is not None:
            ended()


async def _log_lines(pipe: asyncio.StreamReader) -> None:
    """Passes the worker's stderr on to our log, line by line, however long the lines are."""
    rest = b""
    while chunk := await pipe.read(4096):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            log.debug("worker: %s", line.decode("utf-8", "replace"))
        if len(rest) > 65536:
            rest = b""
    if rest:
        log.debug("worker: %s", rest.decode("utf-8", "replace"))
