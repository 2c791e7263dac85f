"""The frames of the local socket: one JSON object a line, told apart by its `type`.

The service speaks first. Its `Greeting` stays as it is in every version, so that any client can tell a service that it does
not understand. The first request says what the connection is for.
"""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, TypeAlias, TypeVar

import msgspec

from jarvisbot.gateway.report import Report
from jarvisbot.types import Outbound

__all__ = [
    "PROTOCOL",
    "REQUEST_LIMIT",
    "RESPONSE_LIMIT",
    "AskReport",
    "Attach",
    "BadFrame",
    "Ended",
    "Greeting",
    "Heard",
    "NotTaken",
    "Received",
    "Refused",
    "Reported",
    "Request",
    "Response",
    "Say",
    "Settle",
    "Settled",
    "Show",
    "Taken",
    "Welcome",
    "encode",
    "read",
    "request_from",
    "response_from",
]

PROTOCOL = 2
"""Goes up with each change that the other end would not understand."""
REQUEST_LIMIT = 1024 * 1024
"""Bytes of a request's line."""
RESPONSE_LIMIT = 16 * 1024 * 1024
"""Bytes of a response's line: an answer of any model is far below it."""

MessageId = Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z-]{1,64}$")]
ShortText = Annotated[str, msgspec.Meta(max_length=64)]


class BadFrame(Exception):
    """The other end wrote something that is no frame; nothing that it writes after that is read."""


class Greeting(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="greeting"):
    """The service's first word: the protocol it speaks, its release and its process."""

    protocol: int
    release: str
    process: int = 0


class Attach(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="attach"):
    """The connection is a console. `watches`: a person reads all of the talk; else it gets the answers to its own messages.
    `drafts`: answers are shown as they grow.
    """

    protocol: int
    watches: bool
    drafts: bool


class AskReport(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="report"):
    """The connection asks how the bot is doing; it is answered by `Reported` and closed."""

    protocol: int


class Say(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="say"):
    """A message. Its id is the client's; the same id again is the same message."""

    id: MessageId
    text: str
    name: ShortText


class Settle(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="settle"):
    """Asks for `Settled` once everything that was said here is answered; a later one takes the place of this."""

    number: int


class Received(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="received"):
    """A final message was written where its reader sees it."""

    id: str


Request: TypeAlias = Attach | AskReport | Say | Settle | Received


class Welcome(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="welcome"):
    """The console is attached; `commands` holds (name, help) of each slash command."""

    commands: tuple[tuple[str, str], ...]


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="refused"):
    """The service will not talk to this client and closes; `reason` is for people."""

    reason: str


class Taken(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="taken"):
    """The message is on disk."""

    id: str


class NotTaken(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="not-taken"):
    """The store did not take the message; `reason` is for people."""

    id: str
    reason: str


class Show(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="show"):
    """A message or its draft. A final one is answered by `Received`."""

    outbound: Outbound


class Heard(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="heard"):
    """Somebody else has said this in the same talk."""

    text: str


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="ended"):
    """The turn of a message of this client failed; `missing`: a part has to be installed."""

    missing: bool


class Settled(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="settled"):
    """The answer to `Settle`."""

    number: int


class Reported(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="reported"):
    """The answer to `AskReport`."""

    report: Report


Response: TypeAlias = Greeting | Welcome | Refused | Reported | Taken | NotTaken | Show | Heard | Ended | Settled

_encoder = msgspec.json.Encoder()
_requests: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_responses: msgspec.json.Decoder[Response] = msgspec.json.Decoder(Response)
Frame = TypeVar("Frame")


def encode(frame: Request | Response) -> bytes:
    """The frame's line. Half of a surrogate pair, which no UTF-8 can hold, becomes "?"."""
    try:
        return _encoder.encode(frame) + b"\n"
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(frame), ensure_ascii=False)
        return text.encode("utf-8", "replace") + b"\n"


async def read(reader: asyncio.StreamReader) -> bytes | None:
    """The next line, or None at the end, also at one in the middle of a line. Raises BadFrame for one that is too long."""
    try:
        return await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise BadFrame("a line is too long") from error


def request_from(line: bytes) -> Request:
    """What a client asks. Raises BadFrame."""
    return _decoded(_requests, line)


def response_from(line: bytes) -> Response:
    """What the service says. Raises BadFrame."""
    return _decoded(_responses, line)


def _decoded(decoder: msgspec.json.Decoder[Frame], line: bytes) -> Frame:
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadFrame(str(error)) from error
