"""`jarvisbot chat`: the talk in the terminal, with the bot that runs as a service or with one of its own."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from jarvisbot.cli.ending import FAILED, GOOD, MISSING, let_go_of_output
from jarvisbot.cli.serving import serve, until_stopped

if TYPE_CHECKING:
    from jarvisbot.config import Config
    from jarvisbot.connector import Connector
    from jarvisbot.local.client import Talker
    from jarvisbot.logs import Redactor

    class Console(Talker, Connector, Protocol):
        """The connector `console`, for what a talk needs of it."""

        failed: bool


__all__ = ["chat"]

STARTING_S = 2.0
"""How long a talk waits for the socket of a service that has the data folder."""


def chat(config: Config, options: argparse.Namespace) -> int:
    """The exit code of a talk, of one question (`--once`) or of the lines of a pipe."""
    import asyncio

    from jarvisbot import discovery, logs
    from jarvisbot.errors import ConfigError, Disconnected

    if sys.__stdout__ is None or (sys.__stdin__ is None and options.once is None):
        raise ConfigError("A talk needs standard input and output, and one of them is closed.")
    level = config.bot.log_level if options.verbose else "CRITICAL"
    redactor = logs.configure(level, config.bot.log_format, redact=config.secret_values())
    ours = _is_ours(config.bot.data_folder)
    if ours and options.once is None and sys.stdin.isatty() and sys.stdout.isatty():
        from jarvisbot.cli import first_run

        first_run.offer(config)
    history = config.bot.data_folder / "history" if ours else None
    console = discovery.load("connectors", "console").Console(question=options.once, history=history)
    code = FAILED
    try:
        code = asyncio.run(_talk(config, console, redactor))
    except Disconnected:
        if not console.failed:  # else it has said why already
            raise
    finally:
        let_go_of_output()
    return FAILED if console.failed else code


def _is_ours(folder: Path) -> bool:
    """Whether this user's own files may be in the folder: root leaves none in another's."""
    try:
        return folder.stat().st_uid == os.geteuid()
    except PermissionError:
        return False
    except OSError:  # there is none yet, or there can be none: the store says why
        return True


async def _talk(config: Config, console: Console, redactor: Redactor) -> int:
    """The exit code of a talk: with the bot that runs as a service on the data folder, or with one of our own."""
    import asyncio
    import time

    from jarvisbot.errors import StoreLocked, StoreReadOnly
    from jarvisbot.local import place

    until: float | None = None
    while True:
        connection = await asyncio.to_thread(place.connect, config.bot.data_folder)
        if connection is not None:
            from jarvisbot.local import client

            gc.enable()
            failures = await until_stopped(client.talk(connection, console))
            return _code([failure.missing for failure in failures or ()])
        try:
            return await _talk_alone(config, console, redactor)
        except StoreReadOnly as error:
            if _is_ours(config.bot.data_folder):
                raise
            raise StoreReadOnly(
                f"The data folder {config.bot.data_folder} is another user's: attach to the bot that runs there as that "
                "user or with sudo, or name another folder with --data."
            ) from error
        except StoreLocked:  # a service that is just starting has the folder before it has the socket
            now = time.monotonic()
            until = until if until is not None else now + STARTING_S
            if now >= until:
                raise
            await asyncio.sleep(0.1)


async def _talk_alone(config: Config, console: Console, redactor: Redactor) -> int:
    from jarvisbot import app
    from jarvisbot.types import Answered, Failed

    ends: list[Answered | Failed] = []
    model = app.model(config)
    redactor.add(config.secret_values())
    await serve(config, app.Parts(connectors=[console], model=model, ended=ends.append, patient=False))
    return _code([end.missing for end in ends if isinstance(end, Failed)])


def _code(failures: Sequence[bool]) -> int:
    """Of turns that failed; true for one that lacked a part."""
    if not failures:
        return GOOD
    return MISSING if any(failures) else FAILED
