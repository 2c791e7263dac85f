"""The command line. Nothing but the standard library is imported until a command needs it.

Exit codes: 0 good, 1 failed, 2 usage or configuration, 3 a missing part (a model, an extra), 130 interrupted.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jarvisbot.app import Parts
    from jarvisbot.config import Config
    from jarvisbot.types import Answered, Failed

__all__ = ["main"]

GOOD, FAILED, USAGE, MISSING, INTERRUPTED = 0, 1, 2, 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; every failure is one sentence on stderr."""
    gc.disable()  # what the start makes stays: looking through it again and again for rubbish costs a tenth of the start
    options = _parser().parse_args(arguments)
    if options.command == "version":
        from jarvisbot import __version__

        print(__version__)
        return GOOD
    from jarvisbot.errors import ConfigError, JarvisError, MissingPart

    try:
        config = _config(options)
        return _chat(config, options) if options.command == "chat" else _run(config)
    except JarvisError as error:
        print(f"jarvisbot: {error.user_message}", file=sys.stderr)
        return USAGE if isinstance(error, ConfigError) else MISSING if isinstance(error, MissingPart) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jarvisbot",
        description="A private assistant for chat rooms that runs on your own box with a small local model.",
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="the config file (default: the user's own, if there is one)"
    )
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the data folder")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chat = commands.add_parser("chat", help="talk in the terminal, or answer lines from a pipe")
    chat.add_argument("--once", metavar="QUESTION", help="answer one question and exit")
    chat.add_argument("--verbose", action="store_true", help="log to stderr as the config says, not only errors")
    commands.add_parser("run", help="serve every connector of the config until stopped")
    commands.add_parser("version", help="print the version")
    return parser


def _config(options: argparse.Namespace) -> Config:
    from jarvisbot.config import find, load

    overrides = {"bot.data_folder": str(options.data.absolute())} if options.data is not None else {}
    return load(find(options.config, environment=os.environ), environment=os.environ, overrides=overrides)


def _chat(config: Config, options: argparse.Namespace) -> int:
    import asyncio

    from jarvisbot import app, discovery, logs

    level = config.bot.log_level if options.verbose else "CRITICAL"
    logs.configure(level, config.bot.log_format, redact=config.secret_values())
    ends: list[Answered | Failed] = []
    console = discovery.load("connectors", "console").Console(question=options.once)
    parts = app.Parts(connectors=[console], model=app.model(config), ended=ends.append, patient=False)
    asyncio.run(_serve(config, parts))
    return FAILED if console.failed else _code(ends)


def _code(ends: Sequence[Answered | Failed]) -> int:
    from jarvisbot.types import Failed

    failures = [end for end in ends if isinstance(end, Failed)]
    if not failures:
        return GOOD
    return MISSING if any(end.missing for end in failures) else FAILED


def _run(config: Config) -> int:
    import asyncio
    import logging

    from jarvisbot import app, logs
    from jarvisbot.errors import ConfigError

    redactor = logs.configure(config.bot.log_level, config.bot.log_format)
    names = [name for name, enabled in config.connectors.items() if enabled and name != "console"]
    if not names:
        raise ConfigError(
            "No connector is configured: add a section such as [connectors.telegram] to the config, or use `jarvisbot chat`."
        )
    built = app.connectors(config, names)
    redactor.add(config.secret_values())
    for warning in config.warnings:
        logging.getLogger(__name__).warning(warning)
    problems = asyncio.run(_serve(config, app.Parts(connectors=built, model=app.model(config), warm=True)))
    for problem in problems:
        print(f"jarvisbot: {problem}", file=sys.stderr)
    return FAILED if problems else GOOD


async def _serve(config: Config, parts: Parts) -> tuple[str, ...]:
    """Runs the app until it ends or a signal comes; the sentences of connectors that could not go on."""
    import asyncio
    import signal

    from jarvisbot import app

    async with app.open_app(config, parts) as joined:
        gc.freeze()
        gc.enable()
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("no task runs")
        stopped = False

        def stop() -> None:
            nonlocal stopped
            stopped = True
            task.cancel()

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        try:
            await joined.run()
        except asyncio.CancelledError:
            if not stopped:
                raise
            task.uncancel()
        return joined.problems
