"""The client's end of the local socket: the console on the talk of a bot that runs as a service."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, assert_never

from jarvisbot import __version__
from jarvisbot.connector import Capabilities, Inbox, Media, Receipt
from jarvisbot.errors import Disconnected, MessageTooLong, Rejected, StoreError
from jarvisbot.gateway.report import Report
from jarvisbot.local.protocol import (
    PROTOCOL,
    REQUEST_LIMIT,
    RESPONSE_LIMIT,
    AskReport,
    Attach,
    BadFrame,
    Ended,
    Greeting,
    Heard,
    NotTaken,
    Received,
    Refused,
    Reported,
    Request,
    Response,
    Say,
    Settle,
    Settled,
    Show,
    Taken,
    Welcome,
    encode,
    read,
    response_from,
)
from jarvisbot.types import Address, Author, FileRef, Inbound, Outbound

__all__ = ["Talker", "ask_report", "talk"]

ANSWERED_WITHIN_S = 10.0
"""Within which a service greets and welcomes; one that hangs does neither."""
LONGEST_NAME = 64
STOPPED = "The running jarvisbot has stopped; what it has not answered yet comes when it runs again and you attach."


class Talker(Protocol):
    """The console, as far as the socket sees it."""

    interactive: bool

    @property
    def capabilities(self) -> Capabilities:
        """See `Connector.capabilities`."""

    async def run(self, inbox: Inbox) -> None:
        """See `Connector.run`."""

    async def send(self, outbound: Outbound) -> Receipt:
        """See `Connector.send`."""

    async def overheard(self, text: str) -> None:
        """Shows what somebody else has said in the same talk."""

    async def remark(self, text: str) -> None:
        """Says something about the talk itself."""


async def talk(connection: socket.socket, console: Talker) -> Sequence[Ended]:
    """Runs the console over the connection until it comes to its end; the turns of its messages that failed.

    Raises Rejected where the service will not have it, Disconnected where the service stops or nobody reads the console's
    output, and StoreError where the service's store took no message.
    """
    reader, writer = await asyncio.open_unix_connection(sock=connection, limit=RESPONSE_LIMIT)
    try:
        inbox = await _attached(reader, writer, console)
        await console.remark(inbox.remark)
        reading = asyncio.ensure_future(inbox.relay(reader, console))
        talking = asyncio.ensure_future(console.run(inbox))
        try:
            await asyncio.wait({reading, talking}, return_when=asyncio.FIRST_COMPLETED)
            (talking if talking.done() else reading).result()
        finally:
            reading.cancel()
            talking.cancel()
            await asyncio.gather(reading, talking, return_exceptions=True)
        return inbox.failures
    except BadFrame as error:
        raise Disconnected("What the running jarvisbot says makes no sense; restart the service.") from error
    except OSError as error:
        raise Disconnected(STOPPED) from error
    finally:
        writer.transport.abort()


async def _attached(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, console: Talker) -> _SocketInbox:
    try:
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            greeting = await _greeting(reader)
            attach = Attach(protocol=PROTOCOL, watches=console.interactive, drafts=console.capabilities.edits)
            writer.write(encode(attach))
            answer = await _next(reader)
    except TimeoutError as error:
        raise Disconnected("The running jarvisbot does not answer; restart the service.") from error
    match answer:
        case Welcome(commands=commands):
            remark = f"Attached to the running jarvisbot (process {greeting.process})."
            return _SocketInbox(writer, commands, remark)
        case Refused(reason=reason):
            raise Rejected(reason)
        case _:
            raise BadFrame("no welcome")


async def ask_report(connection: socket.socket) -> tuple[Greeting, Report]:
    """Who the service is and how it is doing. Raises Rejected or Disconnected, as `talk` does."""
    reader, writer = await asyncio.open_unix_connection(sock=connection, limit=RESPONSE_LIMIT)
    try:
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            greeting = await _greeting(reader)
            writer.write(encode(AskReport(protocol=PROTOCOL)))
            answer = await _next(reader)
    except TimeoutError as error:
        raise Disconnected("The running jarvisbot does not answer; restart the service.") from error
    except BadFrame as error:
        raise Disconnected("What the running jarvisbot says makes no sense; restart the service.") from error
    except OSError as error:
        raise Disconnected("The running jarvisbot has stopped.") from error
    finally:
        writer.transport.abort()
    match answer:
        case Reported(report=report):
            return greeting, report
        case Refused(reason=reason):
            raise Rejected(reason)
        case _:
            raise Disconnected("What the running jarvisbot says makes no sense; restart the service.")


async def _greeting(reader: asyncio.StreamReader) -> Greeting:
    greeting = await _next(reader)
    if not isinstance(greeting, Greeting):
        raise BadFrame("no greeting")
    if greeting.protocol != PROTOCOL:
        raise Rejected(
            f"The running jarvisbot ({greeting.release}) is of another version than this one ({__version__}); "
            "restart the service."
        )
    return greeting


async def _next(reader: asyncio.StreamReader) -> Response:
    line = await read(reader)
    if line is None:
        raise Disconnected(STOPPED)
    return response_from(line)


class _NoMedia:
    """The files of a terminal: none."""

    async def keep(self, data: bytes, *, name: str, media_type: str) -> FileRef:
        raise StoreError("A terminal takes no files.")

    async def read(self, file: FileRef) -> bytes:
        raise StoreError("A terminal shows no files.")


@dataclass(slots=True)
class _SocketInbox:
    """The service's inbox. State: which of our requests are not answered yet, and which turns failed."""

    writer: asyncio.StreamWriter
    commands: Sequence[tuple[str, str]]
    remark: str
    failures: list[Ended] = field(default_factory=list)
    _taken: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    _settled: dict[int, asyncio.Future[None]] = field(default_factory=dict)

    @property
    def german_commands(self) -> Sequence[tuple[str, str]]:
        """The service tells the commands in one language; a terminal shows no menu of them."""
        return self.commands

    @property
    def media(self) -> Media:
        """A terminal takes and gives no files."""
        return _NoMedia()

    def admits(self, at: Address, author: Author) -> bool:
        """The service has let this terminal in already."""
        return True

    async def knows(self, at: Address) -> bool:
        """A terminal has no threads to be addressed in."""
        return False

    _numbers: int = 0

    async def put(self, *inbound: Inbound, checkpoint: str | None = None) -> None:
        """See `Inbox.put`."""
        for message in inbound:
            name = message.author.name[:LONGEST_NAME]
            frame = encode(Say(id=message.id, text=message.text, name=name))
            if len(frame) > REQUEST_LIMIT:
                raise MessageTooLong("That message is too long: it may have a million bytes at most.")
            taken = self._taken[message.id] = asyncio.get_running_loop().create_future()
            self.writer.write(frame)
            await self.writer.drain()
            await taken

    async def checkpoint(self) -> str | None:
        """The service knows it."""
        return None

    async def settled(self) -> None:
        """See `Inbox.settled`."""
        self._numbers += 1
        number = self._numbers
        settled = self._settled[number] = asyncio.get_running_loop().create_future()
        self._send(Settle(number=number))
        try:
            await settled
        finally:
            self._settled.pop(number, None)

    async def attended(self, at: Address) -> None:
        """The service has seen us come."""

    def _send(self, request: Request) -> None:
        self.writer.write(encode(request))

    async def relay(self, reader: asyncio.StreamReader, console: Talker) -> None:
        """Shows and notes what the service says, until it is gone: Disconnected."""
        while True:
            response = await _next(reader)
            match response:
                case Show(outbound=outbound):
                    await console.send(outbound)
                    if outbound.final:
                        self._send(Received(id=outbound.id))
                case Heard(text=text):
                    await console.overheard(text)
                case Taken(id=id):
                    if (taken := self._taken.pop(id, None)) is not None and not taken.done():
                        taken.set_result(None)
                case NotTaken(id=id, reason=reason):
                    if (taken := self._taken.pop(id, None)) is not None and not taken.done():
                        taken.set_exception(StoreError(reason))
                case Settled(number=number):
                    if (settled := self._settled.pop(number, None)) is not None and not settled.done():
                        settled.set_result(None)
                case Ended():
                    self.failures.append(response)
                case Greeting() | Welcome() | Refused() | Reported():
                    raise BadFrame("it greets again")
                case _:
                    assert_never(response)
