"""A bot in a process of its own that is killed, as by kill -9, when a message on its way passes a named point.

    python -m tests.faults.driver '{"point": "answer.committed", "folder": "...", "answer": "...", "telegram": {...}}'

Without `telegram` it is the console, on this process's own pipes. `answer` null: the model stops in mid-stream for good.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys

from jarvisbot import app
from jarvisbot.config import load
from jarvisbot.discovery import load as add_on
from jarvisbot.models.scripted import Reply, Scripted, Until

BEGINNING = "Once upon a time "
STREAMING = "streaming"


class Never(asyncio.Event):
    """The middle of a stream: says on stderr that it is reached, and stays there."""

    async def wait(self) -> bool:
        print(STREAMING, file=sys.stderr, flush=True)
        return await super().wait()


async def serve(order: dict[str, object]) -> None:
    def reached(point: str) -> None:
        if point == order["point"]:
            os.kill(os.getpid(), signal.SIGKILL)

    overrides = {"bot.data_folder": str(order["folder"]), "access.owners": '["telegram:1001"]'}
    environment = {"TOKEN": str(order.get("token"))}
    if telegram := order.get("telegram"):
        assert isinstance(telegram, dict)
        overrides |= {f"connectors.telegram.{key}": str(value) for key, value in telegram.items()}
        overrides["connectors.telegram.token_env"] = "TOKEN"
    config = load(None, environment=environment, overrides=overrides)
    connector = app.connectors(config, ["telegram"])[0] if telegram else add_on("connectors", "console").Console()
    answer = order["answer"]
    reply: Reply = str(answer) if answer is not None else [BEGINNING, Until(event=Never())]
    parts = app.Parts(connectors=[connector], model=Scripted([reply], cycle=True), reached=reached)
    async with app.open_app(config, parts) as bot:
        life = asyncio.ensure_future(bot.run())
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, life.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await life


if __name__ == "__main__":
    asyncio.run(serve(json.loads(sys.argv[1])))
