"""A bot with a local socket in this process, and clients that speak its protocol by hand or through the console's own end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from jarvisbot.app import App, Parts, open_app
from jarvisbot.config import load
from jarvisbot.connector import Capabilities, Inbox, Markup, Once, Receipt, Unit
from jarvisbot.local import place
from jarvisbot.local.protocol import (
    PROTOCOL,
    Attach,
    Greeting,
    Received,
    Request,
    Response,
    Show,
    Welcome,
    encode,
    read,
    response_from,
)
from jarvisbot.local.service import Local
from jarvisbot.models.scripted import Reply, Scripted
from jarvisbot.types import Outbound
from tests.fakes import START, FakeConnector

Some = TypeVar("Some", bound=Response)


@dataclass
class Service:
    """A running bot."""

    app: App
    folder: Path
    platform: FakeConnector
    local: Local

    async def states(self) -> list[str]:
        """How each message that went to the outbox stands, in order."""
        return [row["state"] for row in await self.app.store.rows("SELECT state FROM outbox ORDER BY id")]

    async def until(self, state: str) -> None:
        """Waits until everything that went out stands so."""
        async with asyncio.timeout(20):
            while not (states := await self.states()) or set(states) != {state}:
                await asyncio.sleep(0)


@asynccontextmanager
async def serving(folder: Path, replies: Sequence[Reply] = (), *, local: Local | None = None) -> AsyncIterator[Service]:
    """The bot until the block ends; a second one on the same folder is its restart."""
    overrides = {"bot.data_folder": str(folder), "access.owners": '["fake:1"]'}
    platform, local = FakeConnector(), local or Local(folder)
    parts = Parts(connectors=[platform], model=Scripted(replies, piece_characters=5), local=local)
    async with open_app(load(None, environment={}, overrides=overrides), parts) as app:
        life = asyncio.create_task(app.run())
        try:
            async with client(folder, attach=False):
                pass
            yield Service(app, folder, platform, local)
        finally:
            life.cancel()
            await asyncio.gather(life, return_exceptions=True)


@dataclass
class Client:
    """One end of a connection, by hand."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    heard: list[Response] = field(default_factory=list)

    def says(self, *requests: Request) -> None:
        for request in requests:
            self.writer.write(encode(request))

    async def next(self) -> Response | None:
        async with asyncio.timeout(20):
            line = await read(self.reader)
        if line is None:
            return None
        self.heard.append(response_from(line))
        return self.heard[-1]

    async def until(self, kind: type[Some], condition: Callable[[Some], object] = lambda _: True) -> Some:
        """The next frame of this kind for which the condition holds; what comes before it is in `heard`."""
        while (response := await self.next()) is not None:
            if isinstance(response, kind) and condition(response):
                return response
        raise AssertionError(f"the connection ended before a {kind.__name__} came: {self.heard}")

    async def answer(self, *, received: bool = True) -> str:
        """The text of the next final message, which is said to be shown."""
        show = await self.until(Show, lambda show: show.outbound.final)
        if received:
            self.says(Received(id=show.outbound.id))
        return show.outbound.body.text

    async def ended(self) -> bool:
        """Whether nothing more comes."""
        try:
            while await self.next() is not None:
                pass
        except ConnectionError:
            pass
        return True


@asynccontextmanager
async def client(
    folder: Path, *, attach: bool = True, watches: bool = True, drafts: bool = True
) -> AsyncIterator[Client]:
    """A connection that has been greeted, and attached unless that is left to the test."""
    async with asyncio.timeout(20):
        while (connection := await asyncio.to_thread(place.connect, folder)) is None:
            await asyncio.sleep(0)
    reader, writer = await asyncio.open_unix_connection(sock=connection, limit=32 * 1024 * 1024)
    made = Client(reader, writer)
    try:
        if attach:
            await made.until(Greeting)
            made.says(Attach(protocol=PROTOCOL, watches=watches, drafts=drafts))
            await made.until(Welcome)
        yield made
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)


@dataclass
class Person:
    """A console in memory: asks what it is told to and keeps what it is shown."""

    questions: Sequence[str] = ()
    interactive: bool = False
    shown: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    stays: asyncio.Event | None = None
    inbox: Inbox | None = None

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            text_limit=None, unit=Unit.CODE_POINTS, markup=Markup.MARKDOWN, once=Once.MARK, edits=self.interactive
        )

    async def run(self, inbox: Inbox) -> None:
        self.inbox = inbox
        await inbox.checkpoint()
        await inbox.settled()
        for number, question in enumerate(self.questions):
            await inbox.put(said(question, id=f"p{id(self)}-{number}"))
            await inbox.settled()
        if self.stays is not None:
            await self.stays.wait()

    async def send(self, outbound: Outbound) -> Receipt:
        if outbound.final:
            self.shown.append(outbound.body.text)
        return Receipt(message=outbound.id, sent=START)

    async def overheard(self, text: str) -> None:
        self.shown.append(f"> {text}")

    async def remark(self, text: str) -> None:
        self.remarks.append(text)


def said(text: str, *, id: str):
    from jarvisbot.types import Address, Author, Inbound

    return Inbound(
        id=id,
        at=Address(connector="console", room="local"),
        author=Author(id="local", name="me"),
        text=text,
        sent=START,
    )
