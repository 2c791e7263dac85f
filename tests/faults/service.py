"""A bot in a process of its own whose model waits in mid-answer until it is told to go on.

    python -m tests.faults.service '{"folder": "...", "steps": ["Once ", null, "upon a time."], "alone": false}'

It runs as a service that consoles attach to, or, `alone`, as a console on this process's own terminal. Each null among the
steps of its one reply, which it gives again and again, waits for a SIGUSR1. With a `point` it is killed, as by kill -9, when a
message on its way passes that.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from jarvisbot import app
from jarvisbot.config import load
from jarvisbot.connector import Capabilities, Inbox, Markup, Once, Receipt, Unit
from jarvisbot.discovery import load as add_on
from jarvisbot.local.service import Local
from jarvisbot.models.scripted import Scripted, Step, Until
from jarvisbot.types import Address, Outbound
from tests.fakes import START

READY = "ready"


class Platform:
    """A platform on which nobody says anything."""

    name = "fake"
    capabilities = Capabilities(text_limit=None, unit=Unit.UTF8, markup=Markup.PLAIN, once=Once.MARK)

    async def run(self, inbox: Inbox) -> None:
        await asyncio.get_running_loop().create_future()

    async def send(self, outbound: Outbound) -> Receipt:
        return Receipt(message=outbound.id, sent=START)

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        return

    async def typing(self, at: Address) -> None:
        return

    async def retract(self, at: Address, message: str) -> None:
        return


class Gate(asyncio.Event):
    """Lets one wait through for each SIGUSR1."""

    async def wait(self) -> bool:
        await super().wait()
        self.clear()
        return True


async def serve(order: dict[str, object]) -> None:
    folder = Path(str(order["folder"]))
    gate = Gate()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, gate.set)
    steps = order["steps"]
    assert isinstance(steps, list)
    reply: list[Step] = [Until(event=gate) if step is None else str(step) for step in steps]
    config = load(None, environment={}, overrides={"bot.data_folder": str(folder)})
    alone = bool(order.get("alone"))
    connector = add_on("connectors", "console").Console(history=folder / "history") if alone else Platform()

    def reached(point: str) -> None:
        if point == order.get("point"):
            os.kill(os.getpid(), signal.SIGKILL)

    parts = app.Parts(
        reached=reached,
        connectors=[connector],
        model=Scripted([reply], cycle=True),
        local=None if alone else Local(folder),
        patient=not alone,
    )
    async with app.open_app(config, parts) as bot:
        life = asyncio.ensure_future(bot.run())
        loop.add_signal_handler(signal.SIGTERM, life.cancel)
        if not alone:
            print(READY, flush=True)
        await asyncio.gather(life, return_exceptions=True)


if __name__ == "__main__":
    asyncio.run(serve(json.loads(sys.argv[1])))
