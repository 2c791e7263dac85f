"""The model seam over a supervised worker."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import assert_never

from jarvisbot.errors import ContextTooLong, ModelError, ModelUnavailable
from jarvisbot.model import (
    Done,
    FreeText,
    Grammar,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Prefill,
    Slot,
    Stopped,
    TextPiece,
)
from jarvisbot.models.llamacpp.items import clean, tools_of, turns_of
from jarvisbot.models.llamacpp.process import Inbox, Lost, RequestEvent, WorkerProcess
from jarvisbot.models.llamacpp.protocol import (
    BadFrame,
    Cancel,
    Count,
    Counted,
    Failed,
    Finished,
    Generate,
    Inspect,
    Inspected,
    Piece,
    Progress,
    SlotRule,
    TooLong,
)
from jarvisbot.models.llamacpp.supervisor import Supervisor
from jarvisbot.types import Item, ToolSpec

__all__ = ["LlamaCpp"]


class LlamaCpp:
    """A GGUF model in a worker process of its own. Requests take turns in the order they came.

    A slot's `prefix` comes first in the stream, as the beginning of the reply. A think block that the prompt itself
    opens comes first too, so that the text has both of its tags.
    """

    def __init__(self, supervisor: Supervisor, *, stall_s: float, restarts: int) -> None:
        self._stall_s = stall_s
        self._restarts = restarts
        self._supervisor = supervisor
        self._turn = asyncio.Lock()
        self._closings = 0

    @property
    def worker_pid(self) -> int | None:
        """The worker's process id while there is one, for status and tests."""
        return self._supervisor.pid

    async def info(self) -> ModelInfo:
        """Loads the model if it is not loaded. Raises ModelUnavailable."""
        _, loaded = await self._supervisor.ready()
        return ModelInfo(
            name=loaded.name,
            context_tokens=loaded.context_tokens,
            tools=loaded.tools,
            thinking=loaded.thinking,
            gpu=loaded.gpu_layers > 0,
            layers=loaded.layers,
            gpu_layers=loaded.gpu_layers,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Generates. Raises ContextTooLong before the first event, ModelUnavailable at any time, and ModelError for a
        grammar or a conversation that the library or the model's template refuses.

        A worker that is lost before the first event is replaced here; one lost later costs the caller this stream.
        """
        closings = self._closings
        attempts = 0
        while True:
            begun = False
            try:
                async with contextlib.aclosing(self._attempt(request, closings)) as events:
                    async for event in events:
                        begun = True
                        yield event
                return
            except _WorkerLost as loss:
                self._refuse_if_closed(closings)
                attempts += 1
                again = await self._supervisor.lost(loss.worker)
                if begun or not again or attempts > self._restarts:
                    raise ModelUnavailable("The language model crashed or hung while it was answering.") from None

    async def count(self, items: Sequence[Item], tools: Sequence[ToolSpec] = ()) -> int:
        """How many tokens a prompt of these items has; answered between two steps of a running generation.

        Raises ModelUnavailable, and ModelError where the model's template refuses the conversation.
        """
        wire_turns, wire_tools = turns_of(items), tools_of(tools)
        answer = await self._ask(lambda number: Count(id=number, turns=wire_turns, tools=wire_tools), "counting")
        if not isinstance(answer, Counted):
            raise AssertionError("a count is answered by Counted or Failed")
        return answer.tokens

    async def inspect(self) -> Inspected:
        """What the loaded model can do; see there. Raises ModelUnavailable."""
        answer = await self._ask(lambda number: Inspect(id=number), "looked at")
        if not isinstance(answer, Inspected):
            raise AssertionError("an inspection is answered by Inspected")
        return answer

    async def _ask(self, command: Callable[[int], Count | Inspect], doing: str) -> RequestEvent:
        """The one answer to a command. Raises ModelUnavailable, and ModelError for what the worker refuses."""
        closings = self._closings
        for _ in range(self._restarts + 1):
            self._refuse_if_closed(closings)
            worker, _loaded = await self._supervisor.ready()
            number = worker.number()
            inbox = worker.open(number)
            try:
                _send(worker, command(number))
                event = await self._next(worker, inbox)
                if isinstance(event, Failed):
                    raise ModelError(event.message)
                return event
            except _WorkerLost:
                if not await self._supervisor.lost(worker):
                    break
            finally:
                worker.forget(number)
        raise ModelUnavailable(f"The language model crashed or hung while it was {doing}.")

    async def close(self) -> None:
        """Ends every generation, those that wait included, and the worker."""
        self._closings += 1
        await self._supervisor.close()

    async def _attempt(self, request: ModelRequest, closings: int) -> AsyncGenerator[ModelEvent, None]:
        """One try on one worker, when it is this request's turn. Raises _WorkerLost."""
        await self._turn.acquire()
        with contextlib.ExitStack() as stack:
            release = stack.enter_context(_Held(self._turn))
            self._refuse_if_closed(closings)
            worker, _loaded = await self._supervisor.ready()
            self._refuse_if_closed(closings)
            number = worker.number()
            inbox = worker.open(number, ended=release.now)
            stack.callback(_cancel, worker, number)
            _send(worker, _generate(number, request))
            while True:
                event = await self._next(worker, inbox)
                match event:
                    case Progress(done=done, total=total):
                        yield Prefill(done=done, total=total)
                    case Piece(text=text):
                        yield TextPiece(text=text)
                    case Finished(reason=reason, usage=usage):
                        self._supervisor.finished()
                        yield Done(reason=Stopped(reason), usage=usage)
                        return
                    case TooLong(needed=needed, available=available):
                        raise ContextTooLong(
                            f"The prompt has {needed} tokens and {available} fit.", needed=needed, available=available
                        )
                    case Failed(message=message):
                        raise ModelError(message)
                    case Counted() | Inspected():
                        raise AssertionError("a generation is not answered by a count")
                    case _ as never:
                        assert_never(never)

    async def _next(self, worker: WorkerProcess, inbox: Inbox) -> RequestEvent:
        """The next event of a request. Raises _WorkerLost when the worker is gone or shows no life for too long."""
        try:
            async with asyncio.timeout(self._stall_s):
                event = await inbox.get()
        except TimeoutError:
            raise _WorkerLost(worker) from None
        if isinstance(event, Lost):
            raise _WorkerLost(worker)
        return event

    def _refuse_if_closed(self, closings: int) -> None:
        if closings != self._closings:
            raise ModelUnavailable("The language model was closed.")


class _WorkerLost(Exception):
    """The worker crashed or hangs."""

    def __init__(self, worker: WorkerProcess) -> None:
        super().__init__("worker lost")
        self.worker = worker


class _Held:
    """A lock that is let go once: early by `now`, else at the end of the block."""

    def __init__(self, lock: asyncio.Lock) -> None:
        self._lock: asyncio.Lock | None = lock

    def __enter__(self) -> _Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.now()

    def now(self) -> None:
        """Lets go; a second time does nothing."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()


def _cancel(worker: WorkerProcess, number: int) -> None:
    """Ends request `number` in the worker if it is still under way."""
    if worker.forget(number):
        worker.send(Cancel(id=number))


def _send(worker: WorkerProcess, command: Generate | Count | Inspect) -> None:
    try:
        worker.send(command)
    except BadFrame as error:
        raise ModelError("The conversation is too long to be handed to the language model.") from error


def _generate(number: int, request: ModelRequest) -> Generate:
    slot: SlotRule | None = None
    grammar: str | None = None
    match request.constraint:
        case FreeText():
            pass
        case Slot(prefix=prefix, stop=stop, characters=characters):
            if characters is not None:
                re.compile(f"[{characters}]")  # a bad class is the caller's mistake: told here, as re.error
            slot = SlotRule(prefix=clean(prefix), stop=clean(stop), characters=characters)
        case Grammar(gbnf=gbnf):
            grammar = clean(gbnf)
        case _ as never:
            assert_never(never)
    return Generate(
        id=number,
        turns=turns_of(request.items),
        tools=tools_of(request.tools),
        slot=slot,
        grammar=grammar,
        sampling=request.sampling,
        max_tokens=request.max_tokens,
        thinking=request.thinking,
        think_tokens=request.think_tokens,
        think_prefix=clean(request.think_prefix),
        wall_s=request.wall_s,
    )
