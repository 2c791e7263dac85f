"""The running bot's end of the local socket: the console's talk, relayed to everybody who is attached."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_never

from jarvisbot import __version__
from jarvisbot.connector import Capabilities, Inbox, Markup, Once, Receipt, Unit
from jarvisbot.errors import Disconnected, StoreError
from jarvisbot.gateway.report import Report
from jarvisbot.local import place
from jarvisbot.local.attached import Bounds, Client, Passing
from jarvisbot.local.protocol import (
    PROTOCOL,
    REQUEST_LIMIT,
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
    Say,
    Settle,
    Settled,
    Show,
    Taken,
    Welcome,
    encode,
    read,
    request_from,
)
from jarvisbot.types import Address, Answered, Author, Failed, Inbound, Outbound

__all__ = ["Local"]

logger = logging.getLogger(__name__)

REMEMBERED = 1000
"""Messages of one client whose answers are known to be its own."""


class Local:
    """The connector `console` of a bot that runs as a service. State: the attached clients and the messages on their way.

    A person at a terminal watches: everything of the talk is shown there, whoever asked. A pipe or a single question gets
    the answers to what it asks and, while it waits for something, those that have no other reader. While nobody is attached
    answers wait in the outbox.
    """

    def __init__(self, folder: Path, *, users: Collection[int] | None = None, bounds: Bounds | None = None) -> None:
        """`users` may attach; by default the user of this process and root."""
        self._folder = folder
        self._users = frozenset(users if users is not None else (os.geteuid(), 0))
        self._bounds = bounds if bounds is not None else Bounds()
        self._at = Address(connector=self.name, room="local")
        self._inbox: Inbox | None = None
        self._connections = 0
        self._clients: list[Client] = []
        self._passing: dict[str, Passing] = {}
        self.reports: Callable[[], Awaitable[Report]] | None = None
        """Writes the report that a client may ask for instead of attaching; the bot that it serves sets it."""

    @property
    def name(self) -> str:
        """The console's: the talk is the same with a service and without."""
        return "console"

    @property
    def capabilities(self) -> Capabilities:
        """The console's; each client says for itself whether it wants drafts."""
        return Capabilities(
            text_limit=None,
            unit=Unit.CODE_POINTS,
            markup=Markup.MARKDOWN,
            once=Once.MARK,
            edits=True,
            append_only=True,
            draft_interval_s=0.05,
            native_rows=True,
        )

    async def run(self, inbox: Inbox) -> None:
        """Serves the socket until cancelled. Raises Disconnected where it cannot be made."""
        self._inbox = inbox
        await inbox.checkpoint()
        listener = await asyncio.to_thread(place.listen, self._folder)
        try:
            async with asyncio.TaskGroup() as group:
                while True:
                    connection = await _accepted(listener)
                    group.create_task(self._serve(inbox, connection, group), name="console-client")
        finally:
            listener.close()
            await asyncio.to_thread(place.remove, self._folder)

    # ------------------------------------------------------------ one connection

    async def _serve(self, inbox: Inbox, connection: socket.socket, group: asyncio.TaskGroup) -> None:
        if (user := place.peer(connection)) not in self._users:
            logger.warning("console_refused", extra={"uid": user})
            connection.close()
            return
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=REQUEST_LIMIT)
        self._connections += 1
        client: Client | None = None
        working: asyncio.Task[None] | None = None
        try:
            if (client := await self._greeted(reader, writer)) is not None:
                client.send(Welcome(commands=tuple((name, help) for name, help in inbox.commands)))
                self._join(client)
                working = group.create_task(self._work(inbox, client, group))
                while (line := await read(reader)) is not None:
                    await asyncio.sleep(0)  # who writes without end takes turns with everything else
                    self._take(client, request_from(line))
                self._leave(client)
                client.requests.put_nowait(None)
                await working  # what was said before the end is taken
        except (OSError, TimeoutError, BadFrame) as error:
            logger.info("console_lost", extra={"reason": str(error)})
        finally:
            self._connections -= 1
            if client is not None:
                self._leave(client)
            if working is not None:
                working.cancel()
            if writer.transport.get_write_buffer_size():
                writer.transport.abort()
            writer.close()

    async def _greeted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Client | None:
        """The client, once it has said what it wants; None for one that is refused or leaves."""
        writer.write(encode(Greeting(protocol=PROTOCOL, release=__version__, process=os.getpid())))
        if self._connections > self._bounds.connections:
            writer.write(encode(Refused(reason="Too many consoles are attached; close one of them.")))
            return None
        async with asyncio.timeout(self._bounds.first_word_s):
            line = await read(reader)
        if line is None:
            return None
        match request_from(line):
            case Attach(protocol=protocol) | AskReport(protocol=protocol) if protocol != PROTOCOL:
                reason = (
                    f"The running jarvisbot ({__version__}) is of another version than this one; restart the service."
                )
                writer.write(encode(Refused(reason=reason)))
                return None
            case Attach(watches=watches, drafts=drafts):
                return Client(writer, watches, drafts, self._bounds)
            case AskReport():
                await self._report(writer)
                return None
            case Say() | Settle() | Received():
                raise BadFrame("the first request does not say what the connection is for")

    async def _report(self, writer: asyncio.StreamWriter) -> None:
        if self.reports is None:
            writer.write(encode(Refused(reason="The running jarvisbot is not yet at work; ask again in a moment.")))
            return
        try:
            writer.write(encode(Reported(report=await self.reports())))
        except StoreError as error:
            writer.write(encode(Refused(reason=error.user_message)))

    def _join(self, client: Client) -> None:
        self._clients.append(client)
        logger.info("console_attached", extra={"consoles": len(self._clients)})
        for passing in self._passing.values():
            if client in self._readers(passing.outbound.reply_to):
                self._hand(passing, client)

    def _leave(self, client: Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
        if client.settling is not None:
            client.settling.cancel()
        for passing in self._passing.values():
            passing.holders.discard(client)
            passing.changed.set()

    def _take(self, client: Client, request: Request) -> None:
        match request:
            case Say() | Settle():
                if client.requests.qsize() >= self._bounds.requests:
                    raise BadFrame("it does not wait until what it says is taken")
                client.requests.put_nowait(request)
            case Received(id=id):
                if (passing := self._passing.get(id)) is not None and client in passing.holders:
                    passing.shown.set()
                    passing.changed.set()
            case Attach() | AskReport():
                raise BadFrame("it says twice what it is for")
            case _:
                assert_never(request)

    async def _work(self, inbox: Inbox, client: Client, group: asyncio.TaskGroup) -> None:
        """Takes what the client says, in order, beside the reading: it can be shown something meanwhile, and say so."""
        await inbox.attended(self._at)
        while (request := await client.requests.get()) is not None:
            match request:
                case Say():
                    await self._say(inbox, client, request)
                case Settle(number=number):
                    if client.settling is not None:
                        client.settling.cancel()
                    client.settling = group.create_task(self._settle(inbox, client, number))

    async def _say(self, inbox: Inbox, client: Client, said: Say) -> None:
        again = said.id in client.asked
        client.fresh = False
        client.asked[said.id] = None
        while len(client.asked) > REMEMBERED:
            del client.asked[next(iter(client.asked))]
        if not again:
            client.open.add(said.id)
        message = Inbound(
            id=said.id,
            at=self._at,
            author=Author(id="local", name=said.name),
            text=said.text,
            sent=datetime.now(UTC),
        )
        try:
            await inbox.put(message)
        except StoreError as error:
            client.open.discard(said.id)
            client.send(NotTaken(id=said.id, reason=error.user_message))
            return
        client.send(Taken(id=said.id))
        for other in self._clients:
            if other is not client and other.watches and not again:
                other.send(Heard(text=said.text))

    async def _settle(self, inbox: Inbox, client: Client, number: int) -> None:
        """Tells the client when what it asked is answered, whatever others ask meanwhile, or when nothing at all waits."""
        if client.open or client.fresh:
            client.answered.clear()
            waits = [asyncio.ensure_future(inbox.settled()), asyncio.ensure_future(client.answered.wait())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
                await asyncio.gather(*waits, return_exceptions=True)
            client.open.clear()
        client.send(Settled(number=number))

    # ------------------------------------------------------------ what goes out

    def attended(self, reply_to: str | None) -> bool:
        """Whether somebody is attached who reads an answer to this message."""
        return bool(self._readers(reply_to))

    def _readers(self, reply_to: str | None) -> list[Client]:
        found = [client for client in self._clients if client.watches or reply_to in client.asked]
        return found or [client for client in self._clients if client.fresh or client.open]

    def ended(self, message: Inbound, end: Answered | Failed) -> None:
        """Told how each turn of the bot ended: who asked has to know, for its exit code."""
        if not isinstance(end, Failed):
            return
        for client in self._clients:
            if message.id.partition("\x1f")[0] in client.asked:
                client.send(Ended(missing=end.missing))

    async def send(self, outbound: Outbound) -> Receipt:
        """Returns once one of those who read it has shown it. Raises Disconnected where all of them are gone."""
        if not outbound.final:
            for client in self._clients:
                if client.drafts and (client.watches or outbound.reply_to in client.asked) and not client.behind():
                    client.send(Show(outbound=outbound))
            return _receipt(outbound)
        passing = self._passing[outbound.id] = Passing(outbound)
        for client in self._readers(outbound.reply_to):
            self._hand(passing, client)
        try:
            await self._shown(passing)
        finally:
            del self._passing[outbound.id]
        for client in self._clients:
            if outbound.reply_to in client.open:
                client.open.remove(outbound.reply_to)
                if not client.open:
                    client.answered.set()
        return _receipt(outbound)

    def _hand(self, passing: Passing, client: Client) -> None:
        passing.holders.add(client)
        client.send(Show(outbound=passing.outbound))

    async def _shown(self, passing: Passing) -> None:
        try:
            async with asyncio.timeout(self._bounds.received_within_s):
                while passing.holders and not passing.shown.is_set():
                    passing.changed.clear()
                    await passing.changed.wait()
        except TimeoutError:
            logger.info("console_silent", extra={"conversation": self._at.key})
            return
        if not passing.shown.is_set():
            raise Disconnected("Nobody is attached to the console.")

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        """A console has no reactions."""

    async def typing(self, at: Address) -> None:
        """The text appears as it is written; that is sign enough."""

    async def retract(self, at: Address, message: str) -> None:
        """What is printed stays printed."""


async def _accepted(listener: socket.socket) -> socket.socket:
    """The next connection. While the process has no descriptors left, whoever wants one waits."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            connection, _ = await loop.sock_accept(listener)
        except OSError as error:
            logger.warning("console_not_accepted", extra={"reason": error.strerror})
            await asyncio.sleep(1)
            continue
        connection.setblocking(False)
        return connection


def _receipt(outbound: Outbound) -> Receipt:
    return Receipt(message=outbound.id, sent=datetime.now(UTC))
