"""An attached console and a message on its way to some of them, as the service knows them."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field

import msgspec

from jarvisbot.local.protocol import Response, Say, Settle, encode
from jarvisbot.types import Outbound

__all__ = ["Bounds", "Client", "Passing"]

logger = logging.getLogger(__name__)


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """How much clients may ask of the service."""

    connections: int = 16
    first_word_s: float = 10.0
    """Within which a connection has to say what it is for."""
    requests: int = 64
    """Of one client that wait to be taken."""
    draft_backlog_bytes: int = 64 * 1024
    """A client that has not fetched this much yet gets no drafts."""
    backlog_bytes: int = 8 * 1024 * 1024
    """A client that has not fetched this much is dropped."""
    received_within_s: float = 30.0
    """An attached client that does not say within this that it has shown a message, as one stopped by Ctrl-Z, counts as
    told: the message is in its hands.
    """


@dataclass(slots=True, eq=False)
class Client:
    """An attached console: what it wants, and its messages that are not answered yet."""

    writer: asyncio.StreamWriter
    watches: bool
    drafts: bool
    bounds: Bounds
    requests: asyncio.Queue[Say | Settle | None] = field(default_factory=asyncio.Queue)
    fresh: bool = True
    """It has said nothing yet."""
    asked: dict[str, None] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    settling: asyncio.Task[None] | None = None

    def send(self, frame: Response) -> None:
        """Hands the frame over without waiting; one who does not read is dropped."""
        transport = self.writer.transport
        if transport.is_closing():
            return
        if transport.get_write_buffer_size() > self.bounds.backlog_bytes:
            logger.warning("console_dropped", extra={"reason": "it does not read"})
            transport.abort()
            return
        self.writer.write(encode(frame))

    def behind(self) -> bool:
        """Whether it reads more slowly than a draft grows."""
        return self.writer.transport.get_write_buffer_size() > self.bounds.draft_backlog_bytes


@dataclass(slots=True, eq=False)
class Passing:
    """A final message on its way: who has it, and whether one of them has shown it."""

    outbound: Outbound
    holders: set[Client] = field(default_factory=set)
    shown: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
