"""The chunks of one stream as events: reasoning, text, calls put together, what it cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from jarvisbot.model import CallPiece, ModelEvent, Prefill, Stopped, TextPiece, ThinkPiece, Usage
from jarvisbot.models.openai.wire import CallDelta, Choice, Chunk

__all__ = ["Reply"]

CALLS_LIMIT = 64
"""No turn makes as many calls as this; more are a model that repeats itself."""
BYTES_A_TOKEN = 4


@dataclass(slots=True)
class _Call:
    """A call as far as it has come."""

    place: int
    id: str | None
    name: str = ""
    arguments: str = ""


@dataclass(slots=True)
class Reply:
    """Reads one stream. State: the calls so far, the counts, why it ended, whether a think block is open in the text."""

    reason: str | None = None
    usage: Usage = field(default_factory=Usage)
    counted: bool = False
    """The server said what the generation cost."""
    pieces: int = 0
    thought_tokens: int = 0
    read_tokens: int = 0
    """The prompt's tokens, where the server tells how far it has read."""
    ended: bool = False
    """The stream's end mark has come."""
    _calls: list[_Call] = field(default_factory=list)
    _open: dict[int | None, _Call] = field(default_factory=dict)
    """The call that a part at this index goes on with; the last one of all for a part without index."""
    _beginning: str | None = ""
    inside: bool = False

    def events(self, chunk: Chunk) -> Iterator[ModelEvent]:
        """What the chunk brings."""
        self._count(chunk)
        if chunk.prompt_progress is not None and not self.pieces:
            progress = chunk.prompt_progress
            self.read_tokens = progress.total
            if 0 <= progress.processed < progress.total:
                yield Prefill(done=progress.processed, total=progress.total)
        for choice in chunk.choices or ():
            yield from self._events(choice)

    def calls(self, *, cut: bool = False) -> tuple[CallPiece, ...]:
        """The calls, in order; the last one is not whole where the generation was cut off in it."""
        made = sorted((call for call in self._calls if call.name or call.arguments), key=lambda call: call.place)
        cut = cut or self.reason not in ("tool_calls", "function_call", "stop", "end_turn", "eos", None)
        return tuple(
            CallPiece(name=call.name, arguments=call.arguments, whole=not (cut and call is made[-1])) for call in made
        )

    @property
    def stopped(self) -> Stopped:
        """Why the generation ended."""
        return Stopped.LENGTH if self.reason in ("length", "max_tokens", "model_length") else Stopped.END

    @property
    def began(self) -> bool:
        """Whether the model has written anything."""
        return self.pieces > 0

    # ------------------------------------------------------------ underneath

    def _events(self, choice: Choice) -> Iterator[ModelEvent]:
        delta = choice.delta or choice.message
        if choice.finish_reason:
            self.reason = choice.finish_reason
        if delta is None:
            return
        if thought := delta.thought:
            self.pieces += 1
            self.thought_tokens += _tokens(thought)
            yield ThinkPiece(text=thought)
        if text := delta.text:
            self.pieces += 1
            self._watch(text)
            yield TextPiece(text=text)
        for part in delta.tool_calls or ():
            self.pieces += 1
            self._add(part)

    def _watch(self, text: str) -> None:
        """Keeps track of a think block that the text begins with."""
        if self._beginning is None:
            return
        self._beginning = (self._beginning + text).lstrip()
        if self._beginning.startswith("<think>"):
            self.inside = "</think>" not in self._beginning
            self.thought_tokens += _tokens(text)
            if not self.inside:
                self._beginning = None
        elif not "<think>".startswith(self._beginning):
            self._beginning = None

    def _add(self, part: CallDelta) -> None:
        """Adds a part to its call, which a name may begin; calls beyond the limit are left out."""
        given = None if part.id in (None, "") else str(part.id)
        name = (part.function.name or "").strip() if part.function else ""
        call = self._known(part.index, given, name)
        if call is None:
            if len(self._calls) == CALLS_LIMIT:
                return
            call = _Call(place=len(self._calls) if part.index is None else part.index, id=given)
            self._calls.append(call)
        self._open[part.index] = self._open[None] = call
        call.id = call.id or given
        if name != call.name and not call.arguments:
            call.name += name
        if part.function and part.function.arguments:
            written = part.function.arguments
            call.arguments += written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)

    def _known(self, index: int | None, given: str | None, name: str) -> _Call | None:
        """The call that a part goes on with; None where it begins one.

        Servers are seen to send whole calls without an index, all of them at index 0, with the same id or without any: a
        part with a name begins a call where the one at its place has another id, or is complete already.
        """
        known = self._open.get(index)
        if known is None or not name:
            return known
        if given is not None and known.id is not None and known.id != given:
            return None
        return None if _is_object(known.arguments) or (index is None and known.id is None) else known

    def _count(self, chunk: Chunk) -> None:
        usage, timings = chunk.usage, chunk.timings
        cached = usage.prompt_tokens_details if usage else None
        if usage is not None:
            self.counted = True
            self.usage = Usage(
                prompt_tokens=usage.prompt_tokens or 0,
                cached_tokens=(cached.cached_tokens or 0) if cached else self.usage.cached_tokens,
                completion_tokens=usage.completion_tokens or 0,
                prefill_s=self.usage.prefill_s,
                decode_s=self.usage.decode_s,
            )
        if timings is not None and timings.prompt_n is not None:
            self.usage = Usage(
                prompt_tokens=self.usage.prompt_tokens or (timings.cache_n or 0) + timings.prompt_n,
                cached_tokens=self.usage.cached_tokens or timings.cache_n or 0,
                completion_tokens=self.usage.completion_tokens or timings.predicted_n or 0,
                prefill_s=(timings.prompt_ms or 0.0) / 1000,
                decode_s=(timings.predicted_ms or 0.0) / 1000,
            )
            self.counted = self.counted or bool(self.usage.completion_tokens)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _tokens(text: str) -> int:
    """At least one a chunk: most servers send a token at a time, some several."""
    return max(1, len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN)
