"""A model that says what it is told to: for tests of everything above it, and for trying the bot without a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, assert_never

from pydantic import BaseModel, ConfigDict, Field

from jarvisbot.clock import Clock, SystemClock
from jarvisbot.errors import ContextTooLong, ModelError, ModelUnavailable
from jarvisbot.model import (
    Done,
    Model,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Prefill,
    Slot,
    Stopped,
    TextPiece,
    ThinkPiece,
    Usage,
)
from jarvisbot.types import Assistant, Item, Result, System, ToolSpec, User

__all__ = ["Fault", "Pause", "Reply", "Scripted", "Settings", "Step", "Until", "create", "tokens_of"]

PREFILL_TOKENS = 64
"""Tokens of the prompt between two Prefill events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """The model takes this long before it goes on, by the clock that it was given."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """The model goes on when `event` is set."""

    event: asyncio.Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The stream ends with this error."""

    error: ModelError


Step: TypeAlias = str | ThinkPiece | Pause | Until | Fault
Reply: TypeAlias = str | Sequence[Step]


class Settings(BaseModel):
    """The config's section for a scripted model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    replies: tuple[str, ...] = Field(
        default=("I am a script.",), min_length=1, description="What is answered, one after the other and over again."
    )


def create(settings: Settings, *, models_folder: Path | None) -> Model:
    """A model that plays the replies of `settings` in a cycle; it needs no file."""
    return Scripted(settings.replies, cycle=True)


class Scripted:
    """Plays one reply a request, in order, piece by piece; `requests` are those it was given.

    A piece stands for a token. Generations take turns like those of a real model, `max_tokens` cuts a reply off, and a
    slot puts its prefix before the reply and its stop behind it. When the script is over, it is ModelUnavailable.
    """

    def __init__(
        self,
        replies: Sequence[Reply],
        *,
        cycle: bool = False,
        piece_characters: int = 4,
        clock: Clock | None = None,
        info: ModelInfo | None = None,
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._replies = tuple(replies)
        self._cycle = cycle
        self._piece_characters = piece_characters
        self._clock = clock or SystemClock()
        self._info = info or ModelInfo(name="scripted", context_tokens=8192, tools=True, thinking=True)
        self._turn = asyncio.Lock()
        self._closed = asyncio.Event()

    async def info(self) -> ModelInfo:
        """What the script poses as."""
        return self._info

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Plays the next reply. Raises ContextTooLong, ModelUnavailable after the last reply or `close`, and faults."""
        closed = self._closed
        async with self._turn:
            _go_on(closed)
            prompt_tokens = await self.count(request.items, request.tools)
            available = self._info.context_tokens - 1
            if prompt_tokens > available:
                message = f"The prompt has {prompt_tokens} tokens and {available} fit."
                raise ContextTooLong(message, needed=prompt_tokens, available=available)
            reply = self._next(request)
            for done in (*range(0, prompt_tokens, PREFILL_TOKENS), prompt_tokens):
                yield Prefill(done=done, total=prompt_tokens)
                _go_on(closed)
            made = 0
            reason = Stopped.END
            if isinstance(request.constraint, Slot) and request.constraint.prefix:
                yield TextPiece(text=request.constraint.prefix)
            for step in self._steps(reply, request):
                if isinstance(step, TextPiece | ThinkPiece):
                    if made == request.max_tokens:
                        reason = Stopped.LENGTH
                        break
                    made += 1
                    yield step
                else:
                    await self._stand(step, closed)
                _go_on(closed)
            usage = Usage(prompt_tokens=prompt_tokens, completion_tokens=made)
            yield Done(reason=reason, usage=usage)

    async def count(self, items: Sequence[Item], tools: Sequence[ToolSpec] = ()) -> int:
        """Four for each item and tool, and one for every four characters begun."""
        texts = [*map(_text, items), *(tool.name + tool.description + str(tool.parameters) for tool in tools)]
        return sum(4 + tokens_of(text) for text in texts)

    async def close(self) -> None:
        """Ends every generation, those that wait included; later requests are answered again."""
        self._closed.set()
        self._closed = asyncio.Event()

    def _next(self, request: ModelRequest) -> Reply:
        at = len(self.requests)
        self.requests.append(request)
        if self._cycle:
            at %= len(self._replies)
        if at >= len(self._replies):
            raise ModelUnavailable("The script has no reply left.")
        return self._replies[at]

    def _steps(self, reply: Reply, request: ModelRequest) -> Iterator[TextPiece | ThinkPiece | Pause | Until | Fault]:
        stop = request.constraint.stop if isinstance(request.constraint, Slot) else ""
        for step in (reply,) if isinstance(reply, str) else reply:
            if not isinstance(step, str):
                yield step
                continue
            text, found, _ = step.partition(stop) if stop else (step, "", "")
            size = self._piece_characters
            yield from (TextPiece(text=text[at : at + size]) for at in range(0, len(text), size))
            if found:
                return

    async def _stand(self, step: Pause | Until | Fault, closed: asyncio.Event) -> None:
        """Waits, or fails, as `step` says; `close` ends the waiting."""
        match step:
            case Fault(error=error):
                raise error
            case Pause(seconds=seconds):
                waiting = asyncio.ensure_future(self._clock.sleep(seconds))
            case Until(event=event):
                waiting = asyncio.ensure_future(_set(event))
            case _ as never:
                assert_never(never)
        ending = asyncio.ensure_future(_set(closed))
        try:
            await asyncio.wait({waiting, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            ending.cancel()


async def _set(event: asyncio.Event) -> None:
    await event.wait()


def _go_on(closed: asyncio.Event) -> None:
    if closed.is_set():
        raise ModelUnavailable("The language model was closed.")


def tokens_of(text: str) -> int:
    """One for every four characters begun."""
    return -(-len(text) // 4)


def _text(item: Item) -> str:
    match item:
        case System(text=text) | User(text=text):
            return text
        case Assistant(text=text, calls=calls):
            return text + "".join(call.name + str(call.arguments) for call in calls)
        case Result(result=result):
            return result.text
        case _ as never:
            assert_never(never)
