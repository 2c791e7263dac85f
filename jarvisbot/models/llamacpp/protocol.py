"""The messages between client and worker, and the frames they travel in.

A frame is four bytes of length, big-endian, and one message as UTF-8 JSON with its `kind`. Every message of a request
carries the request's number, so several requests may be under way on one line.
"""

from __future__ import annotations

import struct
from typing import Literal, TypeAlias

import msgspec

from jarvisbot.model import Sampling, Usage
from jarvisbot.transcript import Call, Role, Tool, Turn

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
    "Inspect",
    "Inspected",
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


class BadFrame(Exception):
    """What came over the line is no message."""


# ---------------------------------------------------------------- what a prompt is made of


class SlotRule(msgspec.Struct, frozen=True, kw_only=True):
    """`jarvisbot.model.Slot`, on the line."""

    prefix: str
    stop: str
    characters: str | None


# ---------------------------------------------------------------- client to worker


class Load(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="load"):
    """The first command of all. `gpu_layers`: None for as many as fit, -1 for all."""

    path: str
    threads: int
    context_tokens: int | None
    gpu_layers: int | None = None


class Generate(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="generate"):
    """A generation, answered by Progress, Piece and then one of Finished, TooLong, Failed."""

    id: int
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()
    slot: SlotRule | None = None
    grammar: str | None = None
    sampling: Sampling
    max_tokens: int
    thinking: bool = False
    think_tokens: int | None = None
    think_prefix: str = ""
    wall_s: float | None = None


class Count(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="count"):
    """How long is this prompt? Answered by Counted or Failed, also while a generation runs."""

    id: int
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()


class Inspect(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="inspect"):
    """What can this model do? Answered by Inspected, also while a generation runs."""

    id: int


class Cancel(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="cancel"):
    """Nobody listens to this request any more; there is no answer."""

    id: int


class Quit(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="quit"):
    """End in good order."""


Command: TypeAlias = Load | Generate | Count | Inspect | Cancel | Quit


# ---------------------------------------------------------------- worker to client


class Loading(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="loading"):
    """A sign of life: this share of the file is read, 0 to 1."""

    share: float


class Loaded(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="loaded"):
    """The model answers now. `layers` counts the output too, as `gpu_layers`, those on a graphics card, does."""

    name: str
    context_tokens: int
    tools: bool
    thinking: bool
    layers: int = 0
    gpu_layers: int = 0


class LoadFailed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="load-failed"):
    """The model will never load as it is; `message` is one sentence for people."""

    message: str


class Progress(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="progress"):
    """`done` of `total` prompt tokens are evaluated."""

    id: int
    done: int
    total: int


class Piece(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="piece"):
    """More text, whole characters."""

    id: int
    text: str


class Finished(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="finished"):
    """The generation is over."""

    id: int
    reason: Literal["end", "length", "time", "stop"]
    usage: Usage


class TooLong(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="too-long"):
    """The prompt does not fit; nothing was evaluated."""

    id: int
    needed: int
    available: int


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="failed"):
    """The request cannot be carried out, the worker is well; `message` is one sentence for people."""

    id: int
    message: str


class Counted(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="counted"):
    """The answer to Count."""

    id: int
    tokens: int


class Inspected(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="inspected"):
    """The answer to Inspect. `template`: the file brings one; `tools`, `calls`, `thinking`: it can write those.

    `think_close_tokens`: how many tokens `</think>` is. `ends`: the tokens that end a reply, by their text.
    `added_ends`: those of them that the vocabulary does not name and the template does. `text_ends`: what ends a turn in
    the template and is no single token, so that the model has to write it out.
    """

    id: int
    architecture: str
    template: bool
    tools: bool
    calls: bool
    thinking: bool
    think_close_tokens: int
    ends: tuple[str, ...]
    added_ends: tuple[str, ...]
    text_ends: tuple[str, ...]


Event: TypeAlias = Loading | Loaded | LoadFailed | Progress | Piece | Finished | TooLong | Failed | Counted | Inspected

_COMMANDS = msgspec.json.Decoder(Command)
_EVENTS = msgspec.json.Decoder(Event)
_ENCODER = msgspec.json.Encoder()


# ---------------------------------------------------------------- frames


def write_command(command: Command) -> bytes:
    """The command as a frame. Raises BadFrame if it is longer than a frame may be."""
    return _frame(_ENCODER.encode(command))


def write_event(event: Event) -> bytes:
    """The event as a frame. Raises BadFrame if it is longer than a frame may be."""
    return _frame(_ENCODER.encode(event))


def body_length(head: bytes | bytearray) -> int:
    """The length in bytes of the body after this head. Raises BadFrame where it is past the limit."""
    (length,) = HEAD.unpack(head)
    if length > FRAME_LIMIT_BYTES:
        raise BadFrame(f"a frame of {length} bytes")
    return int(length)


def read_command(body: bytes) -> Command:
    """The command in a frame's body. Raises BadFrame."""
    try:
        command: Command = _COMMANDS.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadFrame(str(error)) from error
    return command


def read_event(body: bytes) -> Event:
    """The event in a frame's body. Raises BadFrame."""
    try:
        event: Event = _EVENTS.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadFrame(str(error)) from error
    return event


def _frame(body: bytes) -> bytes:
    if len(body) > FRAME_LIMIT_BYTES:
        raise BadFrame(f"a message of {len(body)} bytes")
    return HEAD.pack(len(body)) + body
