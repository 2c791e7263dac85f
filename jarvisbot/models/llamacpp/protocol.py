"""The messages between client and worker, and the frames they travel in.

A frame is four bytes of length, big-endian, and one message as UTF-8 JSON with its `kind`. Every message of a request
carries the request's number, so several requests may be under way on one line.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError
from pydantic import JsonValue as Json

from jarvisbot.model import Sampling, Usage

__all__ = [
    "FRAME_LIMIT_BYTES",
    "HEAD",
    "BadFrame",
    "Call",
    "Cancel",
    "Command",
    "Count",
    "Counted",
    "Event",
    "Failed",
    "Finished",
    "Generate",
    "Load",
    "LoadFailed",
    "Loaded",
    "Loading",
    "Piece",
    "Progress",
    "Quit",
    "Role",
    "SlotRule",
    "TooLong",
    "Tool",
    "Turn",
    "body_length",
    "read_command",
    "read_event",
    "write_command",
    "write_event",
]

FRAME_LIMIT_BYTES = 32 << 20
"""More than any prompt that fits a context; a longer length is a line gone wrong."""
HEAD = struct.Struct(">I")

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


class BadFrame(Exception):
    """What came over the line is no message."""


# ---------------------------------------------------------------- what a prompt is made of


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call of an assistant turn."""

    id: str
    name: str
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One item of a conversation; `name` and `call_id` belong to a tool's result."""

    role: Role
    text: str
    calls: tuple[Call, ...] = ()
    name: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that the model is told of."""

    name: str
    description: str
    parameters: dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRule:
    """`jarvisbot.model.Slot`, on the line."""

    prefix: str
    stop: str
    characters: str | None


# ---------------------------------------------------------------- client to worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The first command of all."""

    kind: Literal["load"] = "load"
    path: str
    threads: int
    context_tokens: int | None
    gpu_layers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """A generation, answered by Progress, Piece and then one of Finished, TooLong, Failed."""

    kind: Literal["generate"] = "generate"
    id: int
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()
    slot: SlotRule | None = None
    grammar: str | None = None
    sampling: Sampling
    max_tokens: int
    thinking: bool = False
    think_tokens: int | None = None
    wall_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How long is this prompt? Answered by Counted or Failed, also while a generation runs."""

    kind: Literal["count"] = "count"
    id: int
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Nobody listens to this request any more; there is no answer."""

    kind: Literal["cancel"] = "cancel"
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quit:
    """End in good order."""

    kind: Literal["quit"] = "quit"


Command: TypeAlias = Annotated[Load | Generate | Count | Cancel | Quit, Field(discriminator="kind")]


# ---------------------------------------------------------------- worker to client


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """A sign of life: this share of the file is read, 0 to 1."""

    kind: Literal["loading"] = "loading"
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The model answers now."""

    kind: Literal["loaded"] = "loaded"
    name: str
    context_tokens: int
    tools: bool
    thinking: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFailed:
    """The model will never load as it is; `message` is one sentence for people."""

    kind: Literal["load-failed"] = "load-failed"
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`done` of `total` prompt tokens are evaluated."""

    kind: Literal["progress"] = "progress"
    id: int
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """More text, whole characters."""

    kind: Literal["piece"] = "piece"
    id: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The generation is over."""

    kind: Literal["finished"] = "finished"
    id: int
    reason: Literal["end", "length", "time", "stop"]
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLong:
    """The prompt does not fit; nothing was evaluated."""

    kind: Literal["too-long"] = "too-long"
    id: int
    needed: int
    available: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The request cannot be carried out, the worker is well; `message` is one sentence for people."""

    kind: Literal["failed"] = "failed"
    id: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The answer to Count."""

    kind: Literal["counted"] = "counted"
    id: int
    tokens: int


Event: TypeAlias = Annotated[
    Loading | Loaded | LoadFailed | Progress | Piece | Finished | TooLong | Failed | Counted,
    Field(discriminator="kind"),
]

_COMMANDS: TypeAdapter[Command] = TypeAdapter(Command)
_EVENTS: TypeAdapter[Event] = TypeAdapter(Event)


# ---------------------------------------------------------------- frames


def write_command(command: Command) -> bytes:
    """The command as a frame. Raises BadFrame if it is longer than a frame may be."""
    return _frame(_COMMANDS.dump_json(command))


def write_event(event: Event) -> bytes:
    """The event as a frame. Raises BadFrame if it is longer than a frame may be."""
    return _frame(_EVENTS.dump_json(event))


def body_length(head: bytes | bytearray) -> int:
    """The length in bytes of the body after this head. Raises BadFrame where it is past the limit."""
    (length,) = HEAD.unpack(head)
    if length > FRAME_LIMIT_BYTES:
        raise BadFrame(f"a frame of {length} bytes")
    return int(length)


def read_command(body: bytes) -> Command:
    """The command in a frame's body. Raises BadFrame."""
    try:
        return _COMMANDS.validate_json(body)
    except ValidationError as error:
        raise BadFrame(str(error)) from error


def read_event(body: bytes) -> Event:
    """The event in a frame's body. Raises BadFrame."""
    try:
        return _EVENTS.validate_json(body)
    except ValidationError as error:
        raise BadFrame(str(error)) from error


def _frame(body: bytes) -> bytes:
    if len(body) > FRAME_LIMIT_BYTES:
        raise BadFrame(f"a message of {len(body)} bytes")
    return HEAD.pack(len(body)) + body
