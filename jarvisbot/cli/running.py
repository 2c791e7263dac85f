"""`jarvisbot run`: the bot as a service, supervised by systemd where that has started it."""

from __future__ import annotations

import logging
import os
import sys
from typing import TYPE_CHECKING

from jarvisbot.cli.ending import FAILED, GOOD
from jarvisbot.cli.serving import serve_platforms

if TYPE_CHECKING:
    from jarvisbot.app import Parts
    from jarvisbot.config import Config

__all__ = ["run"]

logger = logging.getLogger(__name__)


def run(config: Config) -> int:
    """Serves every connector of the config until SIGTERM; the exit code. Raises JarvisError."""
    import asyncio
    import faulthandler

    from jarvisbot import app, logs
    from jarvisbot.errors import ConfigError
    from jarvisbot.local.service import Local
    from jarvisbot.systemd import notify

    notifier = notify.from_environment(os.environ, process=os.getpid())
    redactor = logs.configure(config.bot.log_level, config.bot.log_format)
    if sys.__stderr__ is not None:
        faulthandler.enable(
            sys.__stderr__
        )  # the watchdog ends a loop that hangs by SIGABRT: the journal then says where
    names = [name for name, enabled in config.connectors.items() if enabled and name != "console"]
    if not names:
        raise ConfigError(_nothing_to_run(config))

    def parts() -> Parts:
        """What the bot is joined from; this imports the platforms' libraries, and no model's."""
        built = app.connectors(config, names)
        model = app.model(config)
        redactor.add(config.secret_values())
        for warning in config.warnings:
            logger.warning(warning)
        return app.Parts(connectors=built, model=model, warm=True, local=Local(config.bot.data_folder))

    if not any((config.access.owners, config.access.admins, config.access.members)):
        logger.warning(
            "Nobody may talk to the bot yet: write to it, and a line here ends with who you are, as in "
            "user=telegram:123456789; put that into owners of [access] and start again."
        )
    problems = asyncio.run(serve_platforms(config, parts, notifier))
    for problem in problems:
        print(f"jarvisbot: {problem}", file=sys.stderr)
    return FAILED if problems else GOOD


def _nothing_to_run(config: Config) -> str:
    from jarvisbot.folders import config_file

    if config.file is None:
        return (
            f"There is no config: `jarvisbot init` writes {config_file()} with a section such as [connectors.telegram]; or name "
            "yours, as in `jarvisbot --config config.toml run`. `jarvisbot chat` needs none."
        )
    if config.connectors.keys() - {"console"}:
        return f"Every connector in {config.file} is switched off: take `enabled = false` out of one, or use `jarvisbot chat`."
    return (
        f"No connector is configured: `jarvisbot init` adds one to {config.file}, as does a section such as "
        "[connectors.telegram]; or use `jarvisbot chat`."
    )
