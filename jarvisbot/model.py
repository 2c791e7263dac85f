"""The seam to a language model: one request, one stream of events.

Every backend keeps the same promises, proved by tests/contract/test_model.py: events come in order, exactly one `Done` is
the last; closing the iterator cancels the generation within one token or one prefill slice; text is whole characters.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncGenerator, Sequence
from typing import Protocol, TypeAlias

import msgspec

from jarvisbot.types import Item, ToolSpec

__all__ = [
    "CallPiece",
    "Constraint",
    "Done",
    "FreeText",
    "Grammar",
    "Model",
    "ModelEvent",
    "ModelInfo",
    "ModelRequest",
    "Prefill",
    "Sampling",
    "Slot",
    "Stopped",
    "TextPiece",
    "ThinkPiece",
    "Usage",
]


class Sampling(msgspec.Struct, frozen=True, kw_only=True):
    """How the next token is chosen. A temperature of 0 takes the likeliest; `seed` makes the rest repeatable."""

    temperature: float = 1.0
    top_p: float = 0.95
    top_k: int = 20
    repetition: float = 1.05
    seed: int | None = None


class FreeText(msgspec.Struct, frozen=True, kw_only=True):
    """No constraint."""


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """The reply begins with the fixed text `prefix` (evaluated, not generated) and ends before `stop`.

    `characters` is the class of characters allowed in the slot, as the inside of a regular expression's brackets.
    """

    prefix: str
    stop: str
    characters: str | None = None


class Grammar(msgspec.Struct, frozen=True, kw_only=True):
    """The reply follows a GBNF grammar whose start rule is `root`."""

    gbnf: str


Constraint: TypeAlias = FreeText | Slot | Grammar


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """All a backend is told for one generation.

    `room` names whose cache may be reused. `thinking` asks for reasoning where the model can; `think_tokens` caps it.
    `think_prefix` is how the reasoning begins, for backends that can put words there. `max_tokens` counts reasoning too.
    `wall_s` is the longest the generation may take once it has begun.
    """

    items: tuple[Item, ...]
    tools: tuple[ToolSpec, ...] = ()
    room: str = ""
    constraint: Constraint = msgspec.field(default_factory=FreeText)
    sampling: Sampling = msgspec.field(default_factory=Sampling)
    max_tokens: int = 1024
    thinking: bool = False
    think_tokens: int | None = None
    think_prefix: str = ""
    wall_s: float | None = None


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What a generation cost: tokens of the prompt, how many of them were reused, tokens made, seconds."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    prefill_s: float = 0.0
    decode_s: float = 0.0


class Stopped(enum.StrEnum):
    """Why a generation ended."""

    END = "end"
    LENGTH = "length"
    TIME = "time"
    STOP = "stop"


class Prefill(msgspec.Struct, frozen=True, kw_only=True):
    """`done` of `total` prompt tokens are evaluated."""

    done: int
    total: int


class ThinkPiece(msgspec.Struct, frozen=True, kw_only=True):
    """Reasoning, from a backend that keeps it apart."""

    text: str


class TextPiece(msgspec.Struct, frozen=True, kw_only=True):
    """Raw output: may hold think and tool-call blocks, which `agent.parse` takes apart."""

    text: str


class CallPiece(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call, from a backend that keeps calls apart. `arguments` is JSON as the model wrote it, not looked at.

    `whole` is false where the generation ended in the middle of it: such a call is never run.
    """

    name: str
    arguments: str
    whole: bool = True


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """The last event."""

    reason: Stopped
    usage: Usage


ModelEvent: TypeAlias = Prefill | ThinkPiece | TextPiece | CallPiece | Done


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is loaded. `tools`: its template renders tools; `thinking`: its template knows think blocks; `gpu`: layers of
    it run on a graphics card, or it is as fast as if they did; `gpu_layers` of `layers` do, where that is known.

    `place` is where words go: empty for this machine, else a server as "http://192.168.1.5:8080". `outside`: that place
    is not in the network that this machine is in.
    """

    name: str
    context_tokens: int
    tools: bool
    thinking: bool
    images: bool = False
    gpu: bool = False
    place: str = ""
    outside: bool = False
    layers: int = 0
    gpu_layers: int = 0


class Model(Protocol):
    """A language model. A module in models/ holds `Settings` and `create(settings, ...) -> Model`."""

    async def info(self) -> ModelInfo:
        """Loads the model if it is not loaded. Raises ModelUnavailable or MissingPart."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Generates. Raises ContextTooLong before the first event, ModelUnavailable at any time."""

    async def count(self, items: Sequence[Item], tools: Sequence[ToolSpec] = ()) -> int:
        """How many tokens a prompt of these items has."""

    async def close(self) -> None:
        """Ends every generation and gives the memory back."""
