"""The commands of whoever runs the bot: init, doctor, status and service."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from jarvisbot.cli.ending import FAILED, let_go_of_output

if TYPE_CHECKING:
    from jarvisbot.cli.offline import Adding
    from jarvisbot.config import Config

__all__ = ["add", "operate"]


def add(command: Adding) -> None:
    """Adds all of them to the command line."""
    _add_init(command)
    for name, does, more in (
        ("status", "how the running bot is doing", "The exit code is 1 where none runs on the data folder."),
        ("doctor", "look for what is wrong, and say what to do", "The exit code is 1 if anything is wrong."),
    ):
        command(name, does, more=more).add_argument("--json", action="store_true", help="print JSON")
    _add_service(command)


def _add_init(command: Adding) -> None:
    init = command(
        "init",
        "set the bot up: ask what is needed, and write the config",
        more="What a flag answers is not asked. Run again, it changes what is answered anew and keeps the rest.",
    )
    init.add_argument(
        "--platform", metavar="NAME", action="append", help="a platform to be on, as telegram; may be given again"
    )
    init.add_argument(
        "--secret-file",
        metavar="PLATFORM.NAME=FILE",
        action="append",
        default=[],
        help="the file that holds a platform's secret, as telegram.token=FILE",
    )
    init.add_argument(
        "--telegram-token-file",
        dest="secret_file",
        action="append",
        type=lambda file: f"telegram.token={file}",
        metavar="FILE",
        help="the same for Telegram",
    )
    init.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="any setting, as limits.rounds=3")
    init.add_argument("--owner", metavar="PLATFORM:ID", action="append", help="who owns the bot, as telegram:123456789")
    init.add_argument("--language", metavar="CODE", help='the language of replies, as de; "auto" follows each message')
    init.add_argument("--timezone", metavar="ZONE", help="the time zone, as Europe/Berlin")
    init.add_argument("--model", metavar="NAME", help="a model to install, the path of a GGUF file, or none")
    init.add_argument("--yes", action="store_true", help="take the default of what is not answered; ask nothing")


def _add_service(command: Adding) -> None:
    actions = command("service", "run the bot as a service of systemd").add_subparsers(
        dest="action", metavar="ACTION", required=True
    )
    install = command("install", "write the unit for this installation, and start it", within=actions)
    install.add_argument("--user", metavar="NAME", help="run as this user instead of one made for the service")
    install.add_argument("--gpu", action="store_true", help="let the model use a graphics card")
    status = command("status", "whether the service is installed, up to date and running", within=actions)
    status.add_argument("--json", action="store_true", help="print JSON")
    uninstall = command("uninstall", "stop it and remove what install wrote", within=actions)
    for place in (install, uninstall):
        place.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    for place in (install, status, uninstall):
        place.add_argument(
            "--root", metavar="FOLDER", type=Path, default=Path("/"), help="work on the system below FOLDER"
        )


def operate(options: argparse.Namespace, config: Callable[[], Config]) -> int:
    """Runs one of them; the exit code. Raises JarvisError."""
    try:
        code = _done(options, config)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return FAILED
    finally:
        if sys.stdout is not None:
            let_go_of_output()
    return code


def _done(options: argparse.Namespace, config: Callable[[], Config]) -> int:
    match options.command:
        case "init":
            from jarvisbot.cli import setup

            return setup.init(options)
        case "doctor":
            from jarvisbot.cli import examining

            return examining.doctor(config, as_json=options.json)
        case "status":
            from jarvisbot.cli import examining

            return examining.status(config(), as_json=options.json)
        case _:
            from jarvisbot.cli import service

            return service.service(options, config)
