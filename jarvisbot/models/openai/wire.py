"""What comes over the line from a server: chunks of a stream, answers given at once, errors."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["CallDelta", "Choice", "Chunk", "Delta", "Usage", "chunk_of"]


class FunctionDelta(msgspec.Struct):
    """A part of a call; some servers send the arguments as an object."""

    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class CallDelta(msgspec.Struct):
    """A part of the call at `index`; servers that send calls whole may leave the index out."""

    index: int | None = None
    id: str | int | None = None
    function: FunctionDelta | None = None


class Part(msgspec.Struct):
    """A piece of content or of reasoning that comes in a list."""

    type: str | None = None
    text: str | None = None


class Delta(msgspec.Struct):
    """What a chunk adds; of the fields for reasoning a server fills one, or several with the same."""

    content: str | list[Part] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[Part] | None = None
    tool_calls: list[CallDelta] | None = None

    @property
    def text(self) -> str:
        """The visible text."""
        if isinstance(self.content, list):
            return "".join(part.text or "" for part in self.content if part.type in (None, "text", "output_text"))
        return self.content or self.refusal or ""

    @property
    def thought(self) -> str:
        """The reasoning, from whichever field holds it."""
        return (
            self.reasoning_content
            or self.reasoning
            or "".join(part.text or "" for part in self.reasoning_details or () if part.type != "reasoning.encrypted")
        )


class Choice(msgspec.Struct):
    """One answer; `message` holds it where the server did not stream."""

    delta: Delta | None = None
    message: Delta | None = None
    finish_reason: str | None = None


class Cached(msgspec.Struct):
    """How much of the prompt was known already."""

    cached_tokens: int | None = None


class Usage(msgspec.Struct):
    """What the server counted."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: Cached | None = None


class Timings(msgspec.Struct):
    """llama-server's own counts: `cache_n` and `prompt_n` together are the prompt."""

    cache_n: int | None = None
    prompt_n: int | None = None
    prompt_ms: float | None = None
    predicted_n: int | None = None
    predicted_ms: float | None = None


class Progress(msgspec.Struct):
    """llama-server's reading: `processed` of `total` tokens, what it knew already among them."""

    total: int = 0
    processed: int = 0


class Chunk(msgspec.Struct):
    """One event of a stream, or a whole answer. Where `error` is there, the rest is not."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    timings: Timings | None = None
    prompt_progress: Progress | None = None
    error: Any = None
    object: str | None = None
    message: Any = None


_DECODER = msgspec.json.Decoder(Chunk, strict=False)


def chunk_of(data: str | bytes) -> Chunk:
    """The chunk that the JSON text holds. Raises ValueError where it is none."""
    return _DECODER.decode(data)
