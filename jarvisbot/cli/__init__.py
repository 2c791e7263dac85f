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

from jarvisbot.cli import model, offline, operating, running, talking
from jarvisbot.cli.ending import FAILED, GOOD, INTERRUPTED, MISSING, USAGE

if TYPE_CHECKING:
    from jarvisbot.config import Config

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code; every failure is one sentence on stderr."""
    gc.disable()  # what the start makes stays: looking through it again and again for rubbish costs a tenth of the start
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.error(
            "say what to do: init, chat, run, status, doctor, service, model, skills, tools, replay or version; "
            "jarvisbot --help tells more"
        )
    if options.command == "chat" and options.once is not None and not options.once.strip():
        parser.error('--once needs a question, as in: jarvisbot chat --once "What is 2 + 2?"')
    if options.command == "version":
        from jarvisbot import __version__

        print(__version__)
        return GOOD
    from jarvisbot.errors import ConfigError, JarvisError, MissingPart

    try:
        return _done(options)
    except JarvisError as error:
        print(f"jarvisbot: {error.user_message}", file=sys.stderr)
        return USAGE if isinstance(error, ConfigError) else MISSING if isinstance(error, MissingPart) else FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _done(options: argparse.Namespace) -> int:
    match options.command:
        case "chat":
            return talking.chat(_config(options), options)
        case "run":
            return running.run(_config(options))
        case "init" | "doctor" | "status" | "service":
            return operating.operate(options, lambda: _config(options))
        case "model":
            return model.run(_config(options), options)
        case "replay":
            return offline.replay(options)
        case _:
            return offline.ask(_config(options), options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jarvisbot",
        description="A private assistant for chat rooms that runs on your own box with a small local model.",
    )
    parser.add_argument("--version", dest="command", action="store_const", const="version", help="print the version")
    parser.set_defaults(config=None, data=None)
    # Before the command or behind it: what is not given there says nothing about what was given before.
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    for place in (parser, shared):
        place.add_argument(
            "--config",
            type=_path,
            metavar="FILE",
            help="the config file (default: ~/.config/jarvisbot/config.toml, if there is one)",
        )
        place.add_argument(
            "--data", type=_path, metavar="FOLDER", help="the data folder (default: ~/.local/share/jarvisbot)"
        )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def command(
        name: str, does: str, *, within: offline.Subparsers = commands, more: str = ""
    ) -> argparse.ArgumentParser:
        description = f"{does[0].upper()}{does[1:]}.{f' {more}' if more else ''}"
        return within.add_parser(name, help=does, description=description, parents=[shared])

    chat = command("chat", "talk in the terminal, or answer lines from a pipe")
    chat.add_argument("--once", metavar="QUESTION", help="answer one question and exit")
    chat.add_argument("--verbose", action="store_true", help="log to stderr as the config says, not only errors")
    command("run", "serve every connector of the config until stopped")
    operating.add(command)
    model.add(command)
    offline.add(command)
    command("version", "print the version")
    return parser


def _path(given: str) -> Path:
    """A path of the command line. Nothing at all, as an empty variable gives it, is no name for the current folder."""
    if not given:
        raise argparse.ArgumentTypeError("it is empty")
    return Path(given)


def _config(options: argparse.Namespace) -> Config:
    from jarvisbot.config import find, load

    overrides = {"bot.data_folder": str(options.data.absolute())} if options.data is not None else {}
    return load(find(options.config, environment=os.environ), environment=os.environ, overrides=overrides)
