"""A platform that takes every message at once and shows it to nobody: what is measured on it is the bot's own work."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from jarvisbot.connector import Capabilities, Inbox, Markup, Once, Receipt, Unit
from jarvisbot.types import Address, Author, Inbound, Outbound

__all__ = ["SilentConnector"]


class SilentConnector:
    """A connector in memory with the capabilities of Telegram. State: what it was sent."""

    name = "silent"
    capabilities = Capabilities(
        text_limit=4096, unit=Unit.UTF16, markup=Markup.ENTITIES, once=Once.PLACEHOLDER, edits=True
    )

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.inbox: asyncio.Future[Inbox] = asyncio.get_running_loop().create_future()

    async def run(self, inbox: Inbox) -> None:
        """Hands its way in to the benchmark and waits for the end."""
        await inbox.checkpoint()
        self.inbox.set_result(inbox)
        await asyncio.get_running_loop().create_future()

    async def ask(self, number: int, text: str) -> None:
        """Puts a question of the owner and returns when it is answered and sent."""
        inbox = await self.inbox
        said = Inbound(
            id=f"1:{number}",
            at=Address(connector=self.name, room="1"),
            author=Author(id="1", name="owner"),
            text=text,
            sent=datetime.now(UTC),
        )
        await inbox.put(said)
        await inbox.settled()

    async def send(self, outbound: Outbound) -> Receipt:
        """Keeps the text."""
        message = outbound.replaces or f"m{len(self.texts) + 1}"
        self.texts[message] = outbound.body.text
        return Receipt(message=message, sent=datetime.now(UTC))

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        """Nothing to see."""

    async def typing(self, at: Address) -> None:
        """Nothing to see."""

    async def retract(self, at: Address, message: str) -> None:
        """Forgets the text."""
        self.texts.pop(message, None)
